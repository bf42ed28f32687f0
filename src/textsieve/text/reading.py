"""Read documents: open and decode them, remove tags and join names if set, lowercase, and strip accents.

The kernels lowercase ASCII themselves, so ASCII documents are passed to them unchanged. This is not done if accents are
stripped: that happens after lowercasing and can yield uppercase letters, which must stay uppercase.

Few documents are counted without the kernels, because loading these takes as long as counting millions of characters
in plain Python. A process that has not loaded them yet also counts larger batches without them, up to a total number of
characters (`COLD_START_BUDGET`).

A user's function can replace lowercasing and stripping accents (`preprocessor`) or all of splitting a text into
terms (`analyzer`). It runs in the calling thread, once for each document, in their order.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ..errors import InputError, Setting, shown
from .analysis import WORDS, Analysis, Function
from .languages import has_turkish_case
from .preparation import NO_PREPARATION, Normaliser, Preparation, normaliser
from .words import NOT_SPACE, Accents, accent_stripper, lower_case, lowercase_turkish_i

FEW_CHARACTERS, FEW_DOCUMENTS = 1 << 15, 1000
"""Up to this many documents with up to this many characters in total are always counted without the kernels."""

FEW_CHARACTERS_FOR_NGRAMS = 1 << 7
"""Takes the place of FEW_CHARACTERS if n-grams of characters are counted, for which plain Python is much slower."""

COLD_START_BUDGET = 64
"""Until it loads the kernels, a process counts up to this many times FEW_CHARACTERS without them, in total."""

Step = Callable[[str], str]
"""A function from text to text."""

INPUTS = ("content", "filename", "file")
"""The values of the setting `input`: what a document is given as."""

_USE_WORDS = ("use ", Setting("analyzer", "word"), " or ", Setting("analyzer", "text"))
# Times are given as the number of characters whose words plain Python counts in the same time.
_CHARACTERS_PER_DOCUMENT = 256  # the time that each document takes in addition to the time for its characters
_EFFORT_OF_NGRAMS = 24  # the time for each character if its n-grams of 3 to 5 characters are counted
_KERNELS = "textsieve.kernels.words"  # the module that is loaded with the kernels
_charged = 0  # the time that this process has spent on counting without the kernels


def are_few(n_characters: int, n_documents: int, effort: int = 1) -> bool:
    """Return whether documents with `n_characters` in total should be counted without the kernels.

    They should if they are within fixed limits, or if the kernels are not loaded yet and `COLD_START_BUDGET` is not
    used up. `effort` is the time that plain Python takes for a character: 1 for words, more for n-grams of characters.
    """
    max_characters = FEW_CHARACTERS if effort == 1 else FEW_CHARACTERS_FOR_NGRAMS
    if n_characters <= max_characters and n_documents <= FEW_DOCUMENTS:
        return True
    total = _charged + effort * n_characters + n_documents * _CHARACTERS_PER_DOCUMENT
    return _KERNELS not in sys.modules and total <= COLD_START_BUDGET * FEW_CHARACTERS


def _charge(n_characters: int, n_documents: int, effort: int) -> None:
    """Add the time for counting some documents to what this process has spent on counting without the kernels."""
    global _charged
    _charged += effort * n_characters + n_documents * _CHARACTERS_PER_DOCUMENT


@dataclass(frozen=True)
class Reading:
    """The settings for reading documents: from files or bytes to prepared texts and their terms."""

    lowercase: bool
    strip_accents: Accents
    encoding: str
    decode_error: str
    preparation: Preparation = NO_PREPARATION
    analysis: Analysis = WORDS
    preprocessor: Function | None = None
    input: str = "content"

    @property
    def forms(self) -> Normaliser | None:
        """Return the function that normalises words, or None if words are counted as they are."""
        if self.preparation.normalise is None:
            return None
        # Forms are lowercased and stripped of accents as texts are. But if a user's function does that for texts, forms
        # stay as the package returns them.
        lowercase, strip_accents = (False, None) if self._is_folded_by_user else (self.lowercase, self.strip_accents)
        return normaliser(self.preparation.normalise, self.preparation.language, lowercase, strip_accents)

    def check(self) -> None:
        """Raise `InputError` for invalid settings, or for settings that contradict each other."""
        self.preparation.checked()
        self.analysis.checked()
        if not (isinstance(self.input, str) and self.input in INPUTS):
            raise InputError(setting="input", value=self.input, allowed=INPUTS)
        if not (self.preprocessor is None or callable(self.preprocessor)):
            raise InputError(setting="preprocessor", value=self.preprocessor, hint="use a function, or None")
        self.check_words()

    def check_words(self) -> None:
        """Raise `InputError` if `normalise` or `names` is set, but terms don't consist of words.

        Raise it also if `names` is set, but words are not the default ones, or a user's function prepares texts.
        """
        analyzer = Setting("analyzer", self.analysis.analyzer)
        if not self.analysis.has_words:
            if self.preparation.normalise is not None:
                raise InputError(
                    (
                        Setting("normalise", self.preparation.normalise),
                        " needs words, which ",
                        analyzer,
                        " does not count",
                    ),
                    hint=(*_USE_WORDS, ", or ", Setting("normalise", None)),
                )
            if self.preparation.names:
                raise InputError(
                    (Setting("names", True), " needs words, which ", analyzer, " does not count"),
                    hint=(*_USE_WORDS, ", or ", Setting("names", False)),
                )
        elif self.preparation.names:
            analysis = self.analysis.effective()
            for name, value, default in (
                ("token_pattern", analysis.token_pattern, WORDS.token_pattern),
                ("tokenizer", analysis.tokenizer, None),
                ("preprocessor", self.preprocessor, None),
            ):
                if value != default:
                    raise InputError(
                        (Setting("names", True), " with ", Setting(name, value), ": names consist of default words"),
                        hint=("leave out ", Setting(name), ", or use ", Setting("names", False)),
                    )

    def term_lists(
        self,
        texts: Iterable[Any],
        ngram_range: tuple[int, int],
        stop_words: frozenset[str],
        *,
        by_length: bool = False,
    ) -> Iterator[list[str]]:
        """Yield the terms of each prepared text, in the order that `Analysis.terms` explains."""
        forms, joins_names = self.forms, self.joins_names
        for number, text in enumerate(texts):
            yield self.analysis.terms(
                text,
                ngram_range,
                stop_words,
                forms=forms,
                joins_names=joins_names,
                number=number,
                by_length=by_length,
            )

    def no_terms_reason(self, *, has_stop_words: bool) -> tuple[str | Setting, ...]:
        """Return the reason why documents have no terms, as the end of an error message."""
        analysis, but_stop_words = self.analysis, " but stop words" if has_stop_words else ""
        if analysis.function is not None:
            name, _ = analysis.function
            return Setting(name), f" returns nothing{but_stop_words}"
        if analysis.counts_only_characters:
            return ("they have fewer characters than the shortest n-gram",)
        if analysis.analyzer == "text":
            return (f"they have no words or symbols{but_stop_words}",)
        if analysis.effective().token_pattern != WORDS.token_pattern:
            return Setting("token_pattern", analysis.token_pattern), f" matches nothing{but_stop_words} in them"
        return (f"they have no words of two or more letters, digits or underscores{but_stop_words}",)

    @property
    def splits_at_spaces(self) -> bool:
        """Return whether all terms are words of a usual token pattern, which needs spaces (or marks) between words.

        Such terms are useless for texts in Chinese, for example.
        """
        analysis = self.analysis
        has_usual_pattern = analysis.analyzer == "word" and analysis.rule is not None
        return has_usual_pattern and analysis.char_ngram_range is None and self.preprocessor is None

    @property
    def reads_stop_words(self) -> bool:
        """Return whether a stop word can be read as a text to find out if it can match (`text.stop_words`)."""
        return self.analysis.has_words and self.analysis.function is None and self.preprocessor is None

    @property
    def joins_names(self) -> bool:
        """Return whether proper names count as one word."""
        return self.preparation.names

    @property
    def kernels_lowercase(self) -> bool:
        """Return whether the kernels lowercase ASCII.

        They don't if accents are stripped: that is done after lowercasing and may yield uppercase letters, which stay.
        """
        return self.lowercase and self.strip_accents is None and not self._is_folded_by_user

    @property
    def _is_folded_by_user(self) -> bool:
        """Return whether a user's function takes the place of lowercasing and stripping accents."""
        return callable(self.analysis.analyzer) or self.preprocessor is not None

    @property
    def _takes_any_document(self) -> bool:
        """Return whether the first step for a document is a user's function, so that it may be any object."""
        if self.preparation.tags == "drop":
            return False
        return self._is_folded_by_user or (self.analysis.function is not None and not self.steps)

    def few_or_many(self, documents: Iterable[Any]) -> tuple[list[Any] | None, Iterator[Any]]:
        """Return the prepared texts as a list if they are few, otherwise None; and in both cases an iterator over them.

        The caller counts the list in plain Python, or the texts of the iterator with kernels. If texts are many, the
        iterator prepares them one by one, and leaves lowercasing ASCII to the kernels.
        """
        if isinstance(documents, str | bytes):
            raise InputError("Got a single string", hint="give an iterable of documents, for example [text]")
        if not isinstance(documents, Iterable):
            raise InputError(f"documents is {shown(documents)}", hint="give an iterable of texts")
        if hasattr(documents, "columns"):  # a data frame, whose iterator yields the names of its columns
            raise InputError("documents is a table with columns", hint="give the one that has the texts")
        texts = self._decode(documents)
        effort = _EFFORT_OF_NGRAMS if self.analysis.counts_characters else 1
        texts_read: list[Any] = []
        n_characters = 0
        for text in texts:
            texts_read.append(text)
            n_characters += len(text) if isinstance(text, str) else 0
            if not are_few(n_characters, len(texts_read), effort):
                return None, self._prepare(chain(texts_read, texts), for_kernels=True)
        _charge(n_characters, len(texts_read), effort)
        few = list(self._prepare(texts_read, for_kernels=False))
        return few, iter(few)

    def _decode(self, documents: Iterable[Any]) -> Iterator[Any]:
        """Yield the documents as strings, or unchanged if the first step is a user's function that takes any object."""
        takes_any, is_content = self._takes_any_document, self.input == "content"
        for number, document in enumerate(documents):
            if isinstance(document, str) and is_content:
                yield document
            else:
                yield self.text_of(document, number, takes_any=takes_any)

    def text_of(self, document: Any, number: int = 0, *, takes_any: bool = False) -> Any:
        """Return a document as a string; `number` is the document's number in error messages.

        With `takes_any`, a document that is neither a string nor bytes is returned as it is.
        """
        if hasattr(document, "as_py"):  # a scalar of pyarrow
            document = document.as_py()
        if self.input != "content":
            document = self._content_of(document, number)
        if isinstance(document, str):
            return document
        if takes_any and not isinstance(document, bytes):
            return document
        if not isinstance(document, bytes):
            raise InputError(
                f"Document {number} is {shown(document)} ({type(document).__name__}), not a text",
                hint="give strings, and '' for an empty document",
            )
        try:
            return document.decode(self.encoding, self.decode_error)
        except UnicodeDecodeError as error:
            raise InputError(
                f"Document {number} is not {self.encoding}: {error}",
                hint=("set ", Setting("encoding"), ", or ", Setting("decode_error", "replace")),
            ) from error

    def _content_of(self, document: Any, number: int) -> Any:
        """Return what a document that is given as a file name or as an open file contains."""
        if self.input == "file":
            if not hasattr(document, "read"):
                raise InputError(
                    f"document {number} is {shown(document)} ({type(document).__name__}), not an open file",
                    setting="input",
                    value=self.input,
                    hint="give objects with a method read",
                )
            return document.read()
        if not isinstance(document, str | bytes | os.PathLike):  # `open` would take a number for an open file
            raise InputError(
                f"document {number} is {shown(document)} ({type(document).__name__}), not the path of a file",
                setting="input",
                value=self.input,
                hint="give the paths of files",
            )
        try:
            with open(document, "rb") as file:
                return file.read()
        except (OSError, ValueError) as problem:  # ValueError: the path contains NUL
            reason = getattr(problem, "strerror", None) or problem
            raise InputError(
                f"document {number}, {os.fsdecode(document)}, can't be read: {reason}",
                setting="input",
                value=self.input,
                hint="give the paths of files",
            ) from problem

    def _prepare(self, texts: Iterable[Any], *, for_kernels: bool) -> Iterator[Any]:
        """Yield the texts after all steps of preparation; ASCII texts are not lowercased if the kernels do that."""
        cleaning_steps, folding_steps = self._cleaning_steps(for_kernels=for_kernels), self._folding_steps()
        kernels_fold_ascii = for_kernels and self.kernels_lowercase and self.is_split_by_kernels
        # A user's analyzer takes the place of the preprocessor, too.
        is_preprocessed = self.preprocessor is not None and not callable(self.analysis.analyzer)
        for number, text in enumerate(texts):
            for step in cleaning_steps:
                text = step(text)
            if is_preprocessed:
                text = self._preprocess(text, number)
            elif not (kernels_fold_ascii and text.isascii()):
                for step in folding_steps:
                    text = step(text)
            yield text

    def _preprocess(self, text: Any, number: int) -> Any:
        """Return a document after the user's preprocessor; raise `InputError` if that must return a text but does not.

        It may return any object if another user's function splits it into terms.
        """
        assert self.preprocessor is not None
        preprocessed = self.preprocessor(text)
        if self.analysis.function is None and not isinstance(preprocessed, str):
            raise InputError(
                (
                    Setting("preprocessor"),
                    f" returned {shown(preprocessed)} ({type(preprocessed).__name__}) for document {number}",
                ),
                hint="return a string",
            )
        return preprocessed

    def prepared(self, document: Any) -> Any:
        """Return one document as a prepared text."""
        (text,) = self._prepare(self._decode([document]), for_kernels=False)
        return text

    @property
    def is_split_by_kernels(self) -> bool:
        """Return whether kernels split texts into terms; if not, only Python can do that (see `text.analysis`)."""
        if self.analysis.counts_only_characters:
            return True
        rule = self.analysis.rule
        if rule is None:
            return False
        # Tokens of `\S+`, which can contain any character, are split in Python if they are normalised.
        return rule.splits_scripts or rule.characters != NOT_SPACE or self.preparation.normalise is None

    @property
    def steps(self) -> list[Step]:
        """Return the steps from a decoded text to the text that is split into words."""
        return [*self._cleaning_steps(for_kernels=False), *self._folding_steps()]

    def folded(self, word: str) -> str:
        """Return a word as it occurs in prepared texts: lowercased and without accents, by the settings."""
        turkish = lowercase_turkish_i(word) if self._has_turkish_case else word
        lower, strip = lower_case(turkish) if self.lowercase else turkish, accent_stripper(self.strip_accents)
        return lower if strip is None else strip(lower)

    @property
    def _has_turkish_case(self) -> bool:
        """Return whether texts are lowercased as in Turkish."""
        return self.lowercase and not self._is_folded_by_user and has_turkish_case(self.preparation.language)

    def _cleaning_steps(self, *, for_kernels: bool) -> list[Step]:
        """Return the steps before lowercasing, by the settings: remove tags, join names, lowercase the Turkish I.

        With `for_kernels`, names are joined by a kernel.
        """
        steps: list[Step] = []
        if self.preparation.tags == "drop":
            from .markup import STEPS

            steps += STEPS
        if self.joins_names:
            from .names import join_names, join_names_fast, replace_dotted_capital_i

            steps.append(join_names_fast if for_kernels else join_names)
            if self.lowercase and not self._has_turkish_case:  # `lowercase_turkish_i` replaces `İ` itself
                steps.append(replace_dotted_capital_i)
        return [*steps, lowercase_turkish_i] if self._has_turkish_case else steps

    def _folding_steps(self) -> list[Step]:
        """Return the steps that lowercase and strip accents, and repair names afterwards."""
        if self._is_folded_by_user:
            return []
        steps: list[Step] = [lower_case] if self.lowercase else []
        strip = accent_stripper(self.strip_accents)
        if strip is not None:
            steps.append(strip)
            if self.joins_names:
                from .names import repair_names

                steps.append(repair_names)
        return steps
