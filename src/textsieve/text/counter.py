"""Count the terms of texts with `TermCounter`, which has the interface of scikit-learn's `CountVectorizer`.

With the same settings, matrix and vocabulary are those of `CountVectorizer`; with the default settings, counting many
documents is about ten times as fast (`benchmarks/RESULTS.md`). The columns of a row are always in order, which
`CountVectorizer` guarantees only for `transform`. Words and n-grams of characters are found by compiled code; unusual
token patterns and users' functions run in Python (`text.analysis`). Intended differences:

- `partial_fit` lets the vocabulary grow: new terms get the next columns, in the order of their first occurrence, so the
  columns don't depend on how the documents were cut into batches. `partial_fit_transform` returns the batch's matrix.
- `max_features` breaks ties alphabetically, where `CountVectorizer` leaves them to the sorting routine.
- `n_jobs` is the number of threads; the result is the same for any number.
- `token_pattern` must not match an empty text. Functions must return strings in a list or another iterable. A tokenizer
  must not return a single string, which `CountVectorizer` would split into letters.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from ..arrays import CSR
from ..errors import InputError, Setting, shown, warn
from ..estimators import as_configured
from ..settings import n_threads
from .analysis import WORDS, Function, analysis_of, check_ngram_range
from .choices import WORD_PATTERN
from .counting import FewDocuments, count_known, has_long_ngrams
from .preparation import Preparation
from .reading import Reading
from .stop_words import matchable_stop_words, stop_words_of
from .vocabulary import (
    Vocabulary,
    VocabularyTable,
    VocabularyTerms,
    check_limits,
    columns_of,
    terms_within_limits,
    unique_terms,
    vocabulary_terms,
)
from .words import Accents, accent_stripper

if TYPE_CHECKING:
    from sklearn.utils import Tags


MANY_TERMS = 10_000
"""With more terms than this, `partial_fit` uses the kernels even for few documents.

Plain Python would copy the dictionary of all known terms for each batch (`FewDocuments`).
"""


NO_LIMITS = {"min_df": 1, "max_df": 1.0, "max_features": None}
"""The default of each setting that limits the vocabulary; with all of them, no term is dropped."""


def analyze(document: Any, reading: Reading, ngram_range: tuple[int, int], stop_words: frozenset[str]) -> list[str]:
    """Return the terms of a document, one for each occurrence, in the order of scikit-learn: short n-grams first."""
    (terms,) = reading.term_lists([reading.prepared(document)], ngram_range, stop_words, by_length=True)
    return terms


class TermCounter(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):
    r"""Count the words of each document, or n-grams of words or characters.

    Parameters
    ----------
    input : {"content", "filename", "file"}
        What a document is given as: its text (a string, or bytes), the path of a file, or an object with a method
        `read`.
    analyzer : {"word", "text", "char", "char_wb"} or function
        What terms are: words; words and symbols of any script (see `text.tokens`); n-grams of the characters of the
        whole text; or n-grams of the characters of each word between white space, with a space before and after it. A
        function gets a document, decoded but not lowercased, and returns its terms. Of the other settings for texts,
        only `input`, `encoding`, `decode_error` and `tags` then have an effect.
    token_pattern : str
        A regular expression for words, if `analyzer` is "word". If it has a capturing group, the group is the word. The
        usual patterns are compiled: two or more word characters (the default), one or more (`\b\w+\b`), words with
        hyphens and apostrophes (`\b\w[\w'-]*\b`), everything but white space (`\S+`); see `words.token_rule`. Any
        other pattern runs in Python, which takes about as long as `CountVectorizer`. It is stopped if it takes too long
        for a document, but only in the main thread, and not on Windows.
    tokenizer : function or None
        A function that returns the words of a prepared text, in place of `token_pattern`.
    preprocessor : function or None
        A function that prepares a text, in place of `lowercase` and `strip_accents`.
    lowercase : bool
        Lowercase texts before counting.
    strip_accents : {"ascii", "unicode"}, function or None
        How to replace accented letters by letters without accents, after lowercasing.
    stop_words : language, list of words or None
        Words to leave out, before n-grams are formed and before words are normalised. A language is given by its name
        or code; "english" is scikit-learn's list, others need the extra `textsieve[words]` and are split into words as
        texts are. Write the words of a list as they are after lowercasing and stripping accents; a warning names those
        that can't match any text. They have no effect if terms are not words.
    tags : {"keep", "drop"}
        "drop" removes HTML and SGML from the texts; see `text.markup`.
    names : bool
        Count a proper name, such as Santiago de Cuba, as one term instead of its words; see `text.names`. Not with
        other words than the default ones.
    normalise : {"stem", "lemma"} or None
        Count stems or lemmas instead of words, if `analyzer` is "word". `vocabulary` must then consist of stems or
        lemmas, too. Needs the extra `textsieve[words]`.
    language : str or None
        The language of the stems or lemmas, by its name or code: "german" or "de". None uses the language of the stop
        words if they are given by one, otherwise English. Turkish and Azerbaijani also change how `I` is lowercased.
    ngram_range : (int, int)
        The smallest and the largest number of words, or of characters, in a term.
    char_ngram_range : (int, int) or None
        Count n-grams of characters, too, with this smallest and largest number of characters, if terms are words. They
        are those of `analyzer="char_wb"`, spelled with marks: `▁th…` begins a word, `…the…` is anywhere in a word, and
        `▁the▁` is a whole word.
    min_df, max_df : int or float
        Leave out terms that are in fewer or more documents than this: a number, or a share of the documents.
    max_features : int or None
        Keep only this many terms, the most frequent.
    vocabulary : mapping, iterable or None
        The terms to count, and no others.
    binary : bool
        Write 1 for every count.
    dtype : type
        The type of the counts.
    encoding, decode_error : str
        How documents that come as bytes are decoded.
    n_jobs : int or None
        Threads; -1 is all cores. The result does not depend on it.

    Attributes
    ----------
    vocabulary_ : dict
        The column of each term.
    fixed_vocabulary_ : bool
        Whether the terms were given as the setting `vocabulary`.

    Examples
    --------
    >>> from textsieve import TermCounter
    >>> counter = TermCounter()
    >>> counter.fit_transform(["the goal, a goal", "the vote"]).toarray()
    array([[2, 1, 0],
           [0, 1, 1]])
    >>> counter.get_feature_names_out()
    array(['goal', 'the', 'vote'], dtype=object)
    """

    def __init__(
        self,
        *,
        input: str = "content",
        analyzer: str | Function = "word",
        token_pattern: str | None = WORD_PATTERN,
        tokenizer: Function | None = None,
        preprocessor: Function | None = None,
        lowercase: bool = True,
        strip_accents: Accents = None,
        stop_words: str | Collection[str] | None = None,
        tags: str = "keep",
        names: bool = False,
        normalise: str | None = None,
        language: str | None = None,
        ngram_range: tuple[int, int] = (1, 1),
        char_ngram_range: tuple[int, int] | None = None,
        min_df: float = 1,
        max_df: float = 1.0,
        max_features: int | None = None,
        vocabulary: Mapping[str, int] | Iterable[str] | None = None,
        binary: bool = False,
        dtype: type[np.number] = np.int64,
        encoding: str = "utf-8",
        decode_error: str = "strict",
        n_jobs: int | None = -1,
    ) -> None:
        self.input = input
        self.analyzer = analyzer
        self.token_pattern = token_pattern
        self.tokenizer = tokenizer
        self.preprocessor = preprocessor
        self.lowercase = lowercase
        self.strip_accents = strip_accents
        self.stop_words = stop_words
        self.tags = tags
        self.names = names
        self.normalise = normalise
        self.language = language
        self.ngram_range = ngram_range
        self.char_ngram_range = char_ngram_range
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.vocabulary = vocabulary
        self.binary = binary
        self.dtype = dtype
        self.encoding = encoding
        self.decode_error = decode_error
        self.n_jobs = n_jobs

    # -- public methods ------------------------------------------------------------------------------------------

    def fit(self, documents: Iterable[Any], y: object = None) -> Self:
        """Learn the vocabulary."""
        self._fit_and_count(documents)
        return self

    def fit_transform(self, documents: Iterable[Any], y: object = None) -> csr_matrix:
        """Learn the vocabulary and count its terms; faster than `fit` and `transform`."""
        return self._fit_and_count(documents)

    def transform(self, documents: Iterable[Any]) -> csr_matrix:
        """Count the terms of the vocabulary."""
        self._require_vocabulary()
        counts = count_known(documents, self._vocabulary, self._reading(), n_jobs=self.n_jobs, dtype=self.dtype)
        return self._to_matrix(counts)

    def partial_fit(self, documents: Iterable[Any], y: object = None) -> Self:
        """Add the terms of more documents to the vocabulary."""
        self.partial_fit_transform(documents)
        return self

    def partial_fit_transform(self, documents: Iterable[Any], y: object = None) -> csr_matrix:
        """Add the terms of more documents to the vocabulary, and count the terms of these documents."""
        reading = self.validated_reading()
        self._require_growable()
        known: Vocabulary | None = getattr(self, "_vocabulary", None)
        if known is None:  # warn only once, before the first batch
            self._warn(reading)
        self._vocabulary = Vocabulary([], self.ngram_range, self._stop_words()) if known is None else known
        try:
            few, texts = reading.few_or_many(documents)
            is_slow_in_python = len(self._vocabulary) > MANY_TERMS or has_long_ngrams(reading, self.ngram_range)
            # A table that exists is used, because growing in plain Python would discard it (`Vocabulary.grow`).
            if few is None or self._vocabulary.has_table or is_slow_in_python:
                return self._grow_by_many(texts, reading)
            return self._grow_by_few(few, reading)
        except BaseException:  # an iterable can fail in the middle: discard what its first documents added
            if known is None:
                del self._vocabulary
            else:
                known.drop_table()
            raise

    def resume(self, terms: Iterable[str]) -> Self:
        """Start from the terms of another counter, in the order of its columns; `partial_fit` then adds new terms."""
        self.validated_reading()
        self._require_growable()
        self._vocabulary = Vocabulary(unique_terms(terms), self.ngram_range, self._stop_words())
        return self

    @property
    def vocabulary_(self) -> dict[str, int]:
        """Return the column of each term."""
        if not hasattr(self, "_vocabulary"):
            raise AttributeError("vocabulary_ exists only after fit")
        return self._vocabulary.columns

    @property
    def fixed_vocabulary_(self) -> bool:
        """Return whether the terms were given as the setting `vocabulary`."""
        return self.vocabulary is not None

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the terms in the order of the columns."""
        self._require_vocabulary()
        return np.array(self._vocabulary.terms, dtype=object)

    def terms(self) -> VocabularyTerms:
        """Return the terms in the order of the columns; they become strings when they are asked for."""
        self._require_vocabulary()
        return VocabularyTerms(self._vocabulary)

    def alphabetical(self) -> NDArray[np.int64]:
        """Return the columns in the alphabetical order of their terms.

        If `fit` learned the terms, the columns have this order already. `partial_fit` instead adds columns in the order
        in which terms first occur.
        """
        self._require_vocabulary()
        return self._vocabulary.alphabetical()

    def inverse_transform(self, X: Any) -> list[NDArray[np.object_]]:
        """Return, for each row of a matrix, the terms whose values are not 0."""
        self._require_vocabulary()
        rows = csr_matrix(check_array(X, accept_sparse="csr"))
        if rows.shape[1] != len(self._vocabulary):
            raise InputError(f"X has {rows.shape[1]:,} columns, but there are {len(self._vocabulary):,} terms.")
        terms = self.get_feature_names_out()
        rows.eliminate_zeros()
        rows.sort_indices()
        return [terms[rows.indices[begin:end]] for begin, end in pairwise(rows.indptr.tolist())]

    def decode(self, doc: Any) -> Any:
        """Return a document as a string: read from its file, and decoded."""
        return self.validated_reading().text_of(doc)

    def build_preprocessor(self) -> Callable[[Any], Any]:
        """Return the function that prepares a decoded text: `preprocessor`, or lowercasing and stripping accents."""
        # A user's analyzer would switch this preparation off, so it is replaced by the default one.
        return replace(self.validated_reading(), input="content", analysis=WORDS).prepared

    def build_tokenizer(self) -> Callable[[Any], Iterable[str]]:
        """Return the function that splits a prepared text into words: `tokenizer`, or one that uses `token_pattern`.

        If terms don't consist of words, the function is that of the analyzer "word", as in scikit-learn.
        """
        analysis = self.validated_reading().analysis
        if not analysis.has_words:
            analysis = replace(analysis, analyzer="word").checked()
        return analysis.tokens

    def build_analyzer(self) -> Callable[[Any], list[str]]:
        """Return a function that lists the terms of a document, one for each occurrence, short n-grams first."""
        return partial(
            analyze, reading=self.validated_reading(), ngram_range=self.ngram_range, stop_words=self._stop_words()
        )

    def get_stop_words(self) -> frozenset[str] | None:
        """Return the words that are left out, or None if the setting `stop_words` is None."""
        return None if self.stop_words is None else self._stop_words()

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether there is a vocabulary."""
        return hasattr(self, "_vocabulary")

    def __sklearn_tags__(self) -> Tags:
        """Return the tags for scikit-learn: the input consists of strings."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def _require_vocabulary(self) -> None:
        """Raise `NotFittedError` if there is no vocabulary.

        A vocabulary that was given as a setting needs no fit: its first use checks and stores it here.
        """
        if self.vocabulary is not None and not hasattr(self, "_vocabulary"):
            self._warn(self.validated_reading())
            self._vocabulary = self._given_vocabulary()
        check_is_fitted(self)

    # -- counting few documents in plain Python, many with kernels -----------------------------------------------

    def _fit_and_count(self, documents: Iterable[Any]) -> csr_matrix:
        """Learn the vocabulary unless it was given as a setting, and return the counts of its terms."""
        reading = self.validated_reading()
        self._warn(reading)
        if self.vocabulary is not None:
            self._vocabulary = self._given_vocabulary()
            return self.transform(documents)
        few, texts = reading.few_or_many(documents)
        if few is None or has_long_ngrams(reading, self.ngram_range):
            counts, self._vocabulary = self._learn_from_many(texts, reading)
        else:
            counts, self._vocabulary = self._learn_from_few(few, reading)
        return self._to_matrix(counts)

    def _grow_by_few(self, texts: list[Any], reading: Reading) -> csr_matrix:
        """Add the terms of a few texts to the vocabulary, and count them in plain Python."""
        vocabulary = self._vocabulary
        term_lists = reading.term_lists(texts, vocabulary.ngram_range, vocabulary.stop_words)
        few = FewDocuments(term_lists, vocabulary.columns, learn=True)
        vocabulary.grow(few.new_terms(len(vocabulary)))
        return self._to_matrix(few.rows(columns=None, n_columns=len(vocabulary), dtype=self.dtype))

    def _grow_by_many(self, texts: Iterator[Any], reading: Reading) -> csr_matrix:
        """Add the terms of many texts to the vocabulary, and count them with kernels."""
        from .tally import slices_for, tally

        vocabulary = self._vocabulary
        n_jobs = n_threads(self.n_jobs)
        vocabulary_table = vocabulary.table_for(reading)
        slices = slices_for(texts, reading, vocabulary.ngram_range, vocabulary.stop_words)
        tallied = tally(slices, vocabulary_table.table, learn=True, n_jobs=n_jobs)
        columns = vocabulary.grow_with_table(vocabulary_table)
        return self._to_matrix(tallied.rows(columns, len(vocabulary), dtype=self.dtype, n_jobs=n_jobs))

    def _learn_from_few(self, texts: list[Any], reading: Reading) -> tuple[CSR, Vocabulary]:
        """Return the counts of a few texts, and the vocabulary of the terms within the limits, in plain Python."""
        few = FewDocuments(reading.term_lists(texts, self.ngram_range, self._stop_words()), {}, learn=True)
        terms, numbers = few.sorted_terms()
        reason = reading.no_terms_reason(has_stop_words=self.stop_words is not None)
        selected = terms_within_limits(
            numbers, len(texts), few.totals, binary=self.binary, no_terms_reason=reason, **self._limits()
        )
        columns = columns_of(numbers[selected], len(terms))
        vocabulary = self._vocabulary_of([terms[position] for position in selected])
        return few.rows(columns, len(selected), dtype=self.dtype), vocabulary

    def _learn_from_many(self, texts: Iterator[Any], reading: Reading) -> tuple[CSR, Vocabulary]:
        """Return the counts of many texts, and the vocabulary of the terms within the limits, with kernels."""
        from .combined_table import table_for
        from .tally import slices_for, tally

        n_jobs = n_threads(self.n_jobs)
        stop_words = self._stop_words()
        table = table_for(reading, self.ngram_range, stop_words)
        tallied = tally(slices_for(texts, reading, self.ngram_range, stop_words), table, learn=True, n_jobs=n_jobs)
        numbers = np.flatnonzero(table.is_term())
        totals = cache(partial(tallied.totals, table.size))  # computed once for the two calls below
        positions_within = partial(
            terms_within_limits,
            n_documents=tallied.n_documents,
            totals=totals,
            binary=self.binary,
            no_terms_reason=reading.no_terms_reason(has_stop_words=self.stop_words is not None),
        )
        # Apply `min_df` and `max_df` first, for which the order of terms doesn't matter: then fewer terms are sorted.
        numbers = numbers[positions_within(numbers, min_df=self.min_df, max_df=self.max_df)]
        numbers = table.sort_numbers(numbers)
        if self.max_features is not None:  # `min_df` and `max_df` were applied above; 1 and 1.0 drop nothing
            numbers = numbers[positions_within(numbers, min_df=1, max_df=1.0, max_features=self.max_features)]
        columns = columns_of(numbers, table.size)
        # If limits may have dropped terms, the vocabulary gets the selected terms as strings, and the table is freed.
        # Otherwise the vocabulary keeps the table, which `partial_fit` can extend.
        if self._is_pruned:
            vocabulary = self._vocabulary_of(table.spell(numbers))
        else:
            known = VocabularyTable(table, numbers, columns, reading)
            vocabulary = Vocabulary.of_table(known, self.ngram_range, stop_words)
        del table  # unless the vocabulary keeps the table, this frees its memory before the matrix is allocated
        return tallied.rows(columns, len(numbers), dtype=self.dtype, n_jobs=n_jobs), vocabulary

    def _vocabulary_of(self, terms: list[str]) -> Vocabulary:
        """Return a vocabulary of these terms, which can't grow later if limits may have dropped other terms."""
        return Vocabulary(terms, self.ngram_range, self._stop_words(), pruned=self._is_pruned)

    @property
    def _is_pruned(self) -> bool:
        """Return whether limits may drop terms."""
        return any(map(self._is_limited, NO_LIMITS))

    def _to_matrix(self, counts: CSR) -> csr_matrix:
        """Return the counts, or 1 for each if `binary`, as the sparse type that scikit-learn is configured for."""
        if self.binary:
            counts.data.fill(1)
        return as_configured(counts.matrix())

    # -- settings ------------------------------------------------------------------------------------------------

    def _reading(self) -> Reading:
        """Return the current settings for how documents are read: decoded, prepared, lowercased and split."""
        return Reading(
            lowercase=self.lowercase,
            strip_accents=self.strip_accents,
            encoding=self.encoding,
            decode_error=self.decode_error,
            preparation=Preparation.of(vars(self)),
            analysis=analysis_of(self.analyzer, self.token_pattern, self.tokenizer, self.char_ngram_range),
            preprocessor=self.preprocessor,
            input=self.input,
        )

    def _limits(self) -> dict[str, Any]:
        """Return the settings that limit the vocabulary."""
        return {"min_df": self.min_df, "max_df": self.max_df, "max_features": self.max_features}

    def validated_reading(self) -> Reading:
        """Check all settings, and return how documents are read."""
        check_ngram_range("ngram_range", self.ngram_range)
        check_limits(**self._limits())
        accent_stripper(self.strip_accents)  # called only because it raises `InputError` for an invalid value
        reading = self._reading()
        reading.check()
        self._stop_words()  # also called only for its errors
        if self.names and tuple(self.ngram_range) != (1, 1):
            raise InputError(
                (
                    Setting("names", True),
                    " with ",
                    Setting("ngram_range", self.ngram_range),
                    ": a name is a run of words already, so terms would be ambiguous",
                ),
                hint=("use ", Setting("ngram_range", (1, 1)), ", or ", Setting("names", False)),
            )
        n_threads(self.n_jobs)  # raises for an invalid number
        if np.dtype(self.dtype).kind not in "biuf":
            raise InputError(
                setting="dtype", value=self.dtype, hint="use a type of numbers, such as numpy.int64 or numpy.float32"
            )
        try:
            codecs.lookup(self.encoding)
        except LookupError as problem:
            raise InputError(
                setting="encoding", value=self.encoding, hint=f"{problem}. Use one that Python knows, such as 'utf-8'"
            ) from problem
        return reading

    def _require_growable(self) -> None:
        """Raise `InputError` if the vocabulary can't grow: it is given, or limits drop terms."""
        if self.vocabulary is not None:
            raise InputError("vocabulary is given, so it can't grow", hint="leave it out, or call transform")
        if hasattr(self, "_vocabulary") and self._vocabulary.pruned:
            raise InputError(
                "This vocabulary was pruned when it was fitted, so it can't grow", hint="fit anew without limits"
            )
        for name in filter(self._is_limited, NO_LIMITS):  # raises for the first one
            raise InputError(
                (
                    "partial_fit can't keep to ",
                    Setting(name, getattr(self, name)),
                    ": later documents would bring back what it dropped",
                ),
                hint="Leave it out here and select terms afterwards, for example by DocumentFrequency",
            )

    def _is_limited(self, name: str) -> bool:
        """Return whether the limit with this name may drop terms.

        The types are compared because 1 and 1.0 differ: 1 is a number of documents, 1.0 a share of them.
        """
        value, no_limit = getattr(self, name), NO_LIMITS[name]
        return bool(value != no_limit) or type(value) is not type(no_limit)

    def _given_vocabulary(self) -> Vocabulary:
        """Return the vocabulary that was given as a setting, and warn about terms that can't match."""
        assert self.vocabulary is not None
        terms = vocabulary_terms(self.vocabulary)
        functions = (self.strip_accents, self.preprocessor, self.tokenizer, self.analyzer)
        if self.lowercase and not any(map(callable, functions)):  # a function may write uppercase letters
            unmatched = [term for term in terms if term != term.lower()]
            if unmatched:
                warn(
                    (
                        f"{len(unmatched):,} of {len(terms):,} terms of vocabulary have uppercase letters, but texts "
                        f"are lowercased, so they match no text: {shown(unmatched)}. Give them in lowercase, or set ",
                        Setting("lowercase", False),
                        ".",
                    )
                )
        return Vocabulary(terms, self.ngram_range, self._stop_words())

    def _stop_words(self) -> frozenset[str]:
        """Return the stop words for the current settings."""
        # `char_ngram_range` is left out, since it does not change how texts are split into words.
        analysis = analysis_of(self.analyzer, self.token_pattern, self.tokenizer)
        return stop_words_of(self.stop_words, self.strip_accents, lowercase=self.lowercase, analysis=analysis)

    def _warn(self, reading: Reading) -> None:
        """Warn about settings that have no effect, and about stop words of the user that can't match any text."""
        for setting, cause in self._settings_without_effect():
            warn((setting, " has no effect because of ", cause, "."))
        if self.stop_words is None or isinstance(self.stop_words, str):
            return
        if reading.reads_stop_words:
            matchable_stop_words(self.stop_words, reading)  # called only for its warning

    def _settings_without_effect(self) -> Iterator[tuple[Setting, Setting]]:
        """Yield pairs of settings: one that was changed but has no effect, and the one because of which it has none."""
        analyzer = Setting("analyzer", self.analyzer)
        has_own_pattern = self.token_pattern not in (None, WORD_PATTERN)
        if self.analyzer != "word":
            if self.stop_words is not None and self.analyzer != "text":
                yield Setting("stop_words", self.stop_words), analyzer
            if self.tokenizer is not None:
                yield Setting("tokenizer", self.tokenizer), analyzer
            if has_own_pattern:
                yield Setting("token_pattern", self.token_pattern), analyzer
        elif has_own_pattern and self.tokenizer is not None:
            yield Setting("token_pattern", self.token_pattern), Setting("tokenizer", self.tokenizer)
        if callable(self.analyzer):
            if self.preprocessor is not None:
                yield Setting("preprocessor", self.preprocessor), analyzer
            if tuple(self.ngram_range) != (1, 1):
                yield Setting("ngram_range", self.ngram_range), analyzer
