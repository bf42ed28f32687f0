"""The terms that decided about the labels of many documents.

For each label of a document, these are the few terms with the largest contributions to its score, as `explain` shows
them. Terms that speak against the label are left out. If all contributions of a model have the same sign, a term's
contribution is compared with its mean over all classes (`Model.needs_comparing`).

If the terms include n-grams of characters, the contributions are those of words: a word's contribution is the sum over
the terms in it, at all places where it occurs. To find the words of a document, `explain` traces every term to its
place in the text, which takes far longer than predicting. But the terms in a word between spaces do not depend on the
rest of the text, unless terms consist of several words, or tags are dropped or names joined. So the terms of all words
between spaces are counted at once, like documents. Symbols around a word count for the word. Only if a word with one of
the largest contributions has symbols inside, such as `goal/keeper`, its parts are found as in `explain`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from heapq import nlargest
from typing import NamedTuple

import numpy as np

from ..arrays import Floats, Ints
from ..classifiers.linear import LinearScorer
from ..classifiers.sparse_linear import SparseLinearScorer
from ..text.csr import CSR
from ..text.places import Span
from ..text.tokens import token_places
from .labels import Label
from .model import Model, Predictions

N_EXAMINED = 2
"""How many words between spaces are examined for each reason: those with the largest contributions."""
CHARACTERS_AT_ONCE = 1 << 18
"""About the number of characters of texts whose words are examined at once."""
MAX_WORDS_KEPT, MAX_KEPT_LENGTH = 1 << 16, 100
"""The number of words between spaces whose terms are kept, and the length of the longest."""


class Reason(NamedTuple):
    """A term or word that speaks for a label."""

    term: str
    contribution: float


def words_of_spans(text: str, spans: Iterable[Span], *, lowercase: bool) -> Iterator[tuple[str, str]]:
    """Yield the word in which each span of a text lies, and the span's term.

    Terms that are not inside one word stand for themselves: n-grams of words, and n-grams of scripts without spaces.
    """
    places = sorted(place for sequence in token_places(text).sequences for place in sequence)
    starts = [start for start, _ in places]
    for start, end, term in spans:
        word = term
        number = bisect_right(starts, (start + end) // 2) - 1
        if number >= 0:
            first, last = places[number]  # the last word that begins before or at the middle of the span
            # Is the span inside this word? N-grams may include the space before or after it, hence + 1 and - 1.
            if first <= start + 1 and end - 1 <= last:
                word = text[first:last].lower() if lowercase else text[first:last]
        yield word, term


_CORE = re.compile(r"\w(?:.*\w)?", re.DOTALL)


def _core(word: str, *, lowercase: bool) -> str:
    """Return a word between spaces without the symbols around it, unless it has nothing but symbols."""
    match = _CORE.search(word)
    core = word if match is None else match[0]
    return core.lower() if lowercase else core


def _is_word(core: str) -> bool:
    """Return whether a text is a single word."""
    return (core.isascii() and core.isalnum()) or token_places(core).sequences == [[(0, len(core))]]


class Reasons:
    """Find the terms that decided about the labels of documents: at most `n` for each label."""

    def __init__(self, model: Model, n: int, n_jobs: int | None = 1) -> None:
        self._model, self._n, self._n_jobs = model, n, n_jobs
        self._numbers = {label: number for number, label in enumerate(model.classes)}
        self._columns = {term: column for column, term in enumerate(model.terms)}
        preparation = model.preparation
        # Whether the terms in a word between spaces are the same in every text.
        self._is_local = model.ngram_range[1] == 1 and preparation.tags == "keep" and not preparation.names
        self._known: dict[str, tuple[list[str], Ints]] = {}  # see `_terms_by_word`

    @cached_property
    def _mean_coefficients(self) -> Floats:
        """Return the mean of each term's coefficients over all classes, for a linear scorer."""
        assert isinstance(self._model.scorer, LinearScorer)
        return np.asarray(self._model.scorer.coefficients.mean(axis=1, dtype=np.float64))

    def predict(self, texts: Sequence[str]) -> tuple[Predictions, Iterator[dict[Label, list[Reason]]]]:
        """Return the predictions for texts, and the reasons for each label of each text, best first.

        The reasons are computed while they are read. An unknown document has none.
        """
        counts = self._model.counts(texts, self._n_jobs)
        weights = self._model.weights(counts)
        predictions = self._model.predict_rows(weights, self._n_jobs)
        return predictions, self._reasons(texts, counts, weights, predictions)

    def _reasons(
        self, texts: Sequence[str], counts: CSR, weights: CSR, predictions: Predictions
    ) -> Iterator[dict[Label, list[Reason]]]:
        """Yield the reasons for each label of each text, given the counts and weights of the selected terms."""
        label_sets = self._model.label_sets(predictions.labels)
        # A pair is a document and one of its labels; the values of a document are repeated for each of its labels.
        documents = np.repeat(np.arange(len(label_sets)), [len(labels) for labels in label_sets])
        classes = np.array([self._numbers[label] for labels in label_sets for label in labels], np.int64)
        sizes = counts.sizes[documents]
        ends = np.cumsum(sizes)
        positions = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(
            counts.indptr[documents] - (ends - sizes), sizes
        )
        rows = CSR(weights.data[positions], weights.indices[positions], np.concatenate([[0], ends]), weights.n_columns)
        contributions = self._contributions(rows, classes)
        if self._model.explains_words:
            reasons = self._best_words(texts, documents, rows, contributions / counts.data[positions])
        else:
            reasons = self._best_terms(rows, contributions)
        for labels in label_sets:
            yield {label: next(reasons) for label in labels}

    def _contributions(self, rows: CSR, classes: Ints) -> Floats:
        """Return what each value of the rows contributes to the score of its row's class."""
        model, scorer = self._model, self._model.scorer
        # With a single output for two classes, what speaks for the second class speaks against the first.
        has_single_output = scorer.n_outputs == 1 and len(model.classes) == 2
        outputs = np.zeros_like(classes) if has_single_output else classes
        signs = np.where(classes == 1, 1.0, -1.0) if has_single_output else np.ones(len(classes))
        if isinstance(scorer, LinearScorer | SparseLinearScorer):
            coefficients = scorer.coefficients_of(rows.indices, np.repeat(outputs, rows.sizes))
            if model.needs_comparing:
                coefficients = coefficients - self._mean_coefficients[rows.indices]
            return np.asarray(rows.data * coefficients * np.repeat(signs, rows.sizes))
        contributions = np.empty(len(rows.data))
        for row, (output, sign) in enumerate(zip(outputs.tolist(), signs.tolist(), strict=True)):
            values = slice(rows.indptr[row], rows.indptr[row + 1])
            by_output = scorer.contributions(rows.indices[values], rows.data[values])
            compared_with = by_output.mean(axis=1) if model.needs_comparing else 0.0
            contributions[values] = sign * (by_output[:, output] - compared_with)
        return contributions

    def _best_terms(self, rows: CSR, contributions: Floats) -> Iterator[list[Reason]]:
        """Yield the terms with the largest positive contributions in each row."""
        positive = np.flatnonzero(contributions > 0)
        row_of = np.repeat(np.arange(rows.n_rows), rows.sizes)[positive]
        positive = positive[np.lexsort((-contributions[positive], row_of))]  # by row, then the largest first
        begins = np.searchsorted(row_of, np.arange(rows.n_rows + 1))  # the sort has left `row_of` as it was
        for begin, end in zip(begins[:-1].tolist(), begins[1:].tolist(), strict=True):
            best = positive[begin : min(end, begin + self._n)]
            terms = [self._model.terms[column] for column in rows.indices[best].tolist()]
            yield list(map(Reason, terms, contributions[best].tolist()))

    # -- words -------------------------------------------------------------------------------------------------------

    def _best_words(
        self, texts: Sequence[str], documents: Ints, rows: CSR, of_occurrence: Floats
    ) -> Iterator[list[Reason]]:
        """Yield the words with the largest positive contributions in each row.

        `documents` has the number of the row's text, and `of_occurrence` the contribution of each value of the rows,
        divided by how often its term occurs.
        """
        if not self._is_local:
            for row, document in enumerate(documents.tolist()):
                of_row = slice(rows.indptr[row], rows.indptr[row + 1])
                contributions: dict[str, float] = defaultdict(float)
                self._add_words(contributions, texts[document], 1, rows.indices[of_row], of_occurrence[of_row])
                yield self._best(contributions)
            return
        ends = np.cumsum([len(texts[document]) for document in documents.tolist()])
        first = 0
        while first < rows.n_rows:
            before = ends[first - 1] if first else 0
            last = max(int(np.searchsorted(ends, before + CHARACTERS_AT_ONCE)), first + 1)
            values = slice(rows.indptr[first], rows.indptr[last])
            part_texts = [texts[document] for document in documents[first:last].tolist()]
            yield from self._best_words_of_part(part_texts, rows.part(slice(first, last)), of_occurrence[values])
            first = last

    def _best_words_of_part(self, texts: list[str], rows: CSR, of_occurrence: Floats) -> Iterator[list[Reason]]:
        """Yield the words with the largest positive contributions in each row; each row has a text."""
        numbers: dict[str, int] = {}  # of the distinct words between spaces in all texts
        n_words_of_row: list[int] = []
        word_of_pair: list[int] = []  # a pair is a row and one of its distinct words
        n_times: list[int] = []  # how often the word occurs in the row's text
        for text in texts:
            occurrences = Counter(text.split())
            n_words_of_row.append(len(occurrences))
            word_of_pair += [numbers.setdefault(word, len(numbers)) for word in occurrences]
            n_times += occurrences.values()
        words = list(numbers)
        cores = [_core(word, lowercase=self._model.lowercase) for word in words]
        sums = self._sums(words, np.array(n_words_of_row), np.array(word_of_pair, np.int64), rows, of_occurrence)
        amounts = (sums * n_times).tolist()
        end = 0
        for row, n_words in enumerate(n_words_of_row):
            begin, end = end, end + n_words
            contributions: dict[str, float] = defaultdict(float)
            for pair in range(begin, end):
                contributions[cores[word_of_pair[pair]]] += amounts[pair]
            candidates = nlargest(N_EXAMINED * self._n, contributions, key=contributions.__getitem__)
            compounds = {core for core in candidates if not _is_word(core)}
            if compounds:
                of_row = slice(rows.indptr[row], rows.indptr[row + 1])
                for core in compounds:
                    del contributions[core]
                for pair in range(begin, end):
                    word = word_of_pair[pair]
                    if cores[word] in compounds:
                        self._add_words(
                            *(contributions, words[word], n_times[pair]), rows.indices[of_row], of_occurrence[of_row]
                        )
            yield self._best(contributions)

    def _best(self, contributions: Mapping[str, float]) -> list[Reason]:
        """Return the words with the largest positive contributions."""
        positive = [Reason(word, amount) for word, amount in contributions.items() if amount > 0]
        return nlargest(self._n, positive, key=lambda reason: reason.contribution)

    def _sums(
        self, words: list[str], n_words_of_row: Ints, word_of_pair: Ints, rows: CSR, of_occurrence: Floats
    ) -> Floats:
        """Return the contribution of each pair of a row and a word: the sum over the terms in the word.

        `words` are all distinct words; `word_of_pair` has the words of the first row, then those of the second, ...
        """
        counts = self._model.counts(words, self._n_jobs)
        sizes = counts.sizes[word_of_pair]
        pairs = np.repeat(np.arange(len(word_of_pair)), sizes)  # a pair has an entry for each term in its word
        offsets = np.arange(len(pairs)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        entries = np.repeat(counts.indptr[word_of_pair], sizes) + offsets
        row_of_pair = np.repeat(np.arange(rows.n_rows), n_words_of_row)
        # Each term in a word is in the row of its text, too. Rows are sorted by column, so these keys ascend.
        keys = np.repeat(np.arange(rows.n_rows), rows.sizes) * np.int64(rows.n_columns) + rows.indices
        positions = np.searchsorted(keys, row_of_pair[pairs] * np.int64(rows.n_columns) + counts.indices[entries])
        contributions = counts.data[entries] * of_occurrence[positions]
        return np.asarray(np.bincount(pairs, contributions, len(word_of_pair)), np.float64)

    def _add_words(
        self, contributions: dict[str, float], text: str, n_times: int, columns: Ints, of_occurrence: Floats
    ) -> None:
        """Add the contributions of the words of a text, which counts `n_times`, as `explain` finds them.

        `of_occurrence` has the contribution of each occurrence of the terms in these columns, which ascend.
        """
        words, terms = self._terms_by_word(text)
        amounts = of_occurrence[np.searchsorted(columns, terms)].tolist()
        for word, amount in zip(words, amounts, strict=True):
            contributions[word] += n_times * amount

    def _terms_by_word(self, text: str) -> tuple[list[str], Ints]:
        """Return the columns of all terms that occur in a text, and the word in which each of them is."""
        known = self._known.get(text)
        if known is not None:
            return known
        model = self._model
        pairs = list(words_of_spans(text, model.spans(text), lowercase=model.lowercase))
        found = [word for word, _ in pairs], np.array([self._columns[term] for _, term in pairs], np.int64)
        if self._is_local and len(text) < MAX_KEPT_LENGTH:
            if len(self._known) >= MAX_WORDS_KEPT:
                self._known.clear()
            self._known[text] = found
        return found
