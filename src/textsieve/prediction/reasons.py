"""The terms that decided about the labels of many documents.

The reasons for a label are the few terms of the document with the largest contributions to the label's score, as
`explain` shows them. Terms that speak against the label are left out. If all contributions of a model have the same
sign, the mean of a term's contributions to all classes is subtracted (`Model.needs_comparing`).

If the terms include n-grams of characters, the reasons are words: the contribution of a word is the sum over the terms
in it, at all places where it occurs. There are two ways to find the terms in each word of a text:

- *Tracing*, which `explain` uses, finds the place of each term in the text, and then the word at that place. It takes
  far longer than predicting.
- *Counting* splits all texts at white space, and counts the terms of each distinct piece as if it were a document. This
  is possible if the terms in a piece do not depend on the text around it. They do if terms may consist of several
  words, tags are dropped, or names are joined. Only then, texts are traced.

A piece may contain more than a word. Symbols around a word, as in `(goal),`, count for the word. A piece with symbols
inside, such as `goal/keeper`, has several words. It is traced, but only if it has one of the largest contributions.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from heapq import nlargest
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..arrays import CSR, Floats, Ints
from ..classifiers.linear import LinearScorer
from ..classifiers.sparse_linear import SparseLinearScorer
from ..text.places import Span
from ..text.tokens import token_places
from .labels import Label
from .model import Model, Predictions

CANDIDATES_PER_REASON = 2
"""How many pieces with the largest contributions are candidates for each reason; those with several words are traced.

There are more candidates than reasons, because the words of a traced piece share its contribution.
"""
CHARACTERS_AT_ONCE = 1 << 18
"""About the number of characters of texts whose pieces are counted at once."""
MAX_KEPT_PIECES, MAX_KEPT_LENGTH = 1 << 16, 100
"""The number of traced pieces whose terms are kept for later texts, and the length below which a piece is kept."""


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


_FIRST_TO_LAST_LETTER = re.compile(r"\w(?:.*\w)?", re.DOTALL)  # letters, digits and underscores


def _strip_symbols(piece: str, *, lowercase: bool) -> str:
    """Return a piece without the symbols at both ends, or as it is if it has only symbols: `(goal),` becomes `goal`."""
    match = _FIRST_TO_LAST_LETTER.search(piece)
    stripped = piece if match is None else match[0]
    return stripped.lower() if lowercase else stripped


def _is_word(text: str) -> bool:
    """Return whether a text is a single word."""
    return (text.isascii() and text.isalnum()) or token_places(text).sequences == [[(0, len(text))]]


def _take_rows(matrix: CSR, numbers: Ints) -> CSR:
    """Return the rows with these numbers, which may repeat: `[2, 2, 0]` takes row 2 twice, and then row 0."""
    sizes = matrix.sizes[numbers]
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    # A value at position p of the result is at position p + shift of the matrix, with one shift for each row.
    shifts = matrix.indptr[numbers] - indptr[:-1]
    positions = np.arange(int(indptr[-1])) + np.repeat(shifts, sizes)
    return CSR(matrix.data[positions], matrix.indices[positions], indptr, matrix.n_columns)


def _row_of_each_value(matrix: CSR) -> Ints:
    """Return the number of the row to which each stored value belongs: 0, 0, 1 for rows of two values and one."""
    return np.repeat(np.arange(matrix.n_rows), matrix.sizes)


class PieceCounts(NamedTuple):
    """How often each piece occurs in each of some texts; pieces are the parts of a text between white space.

    The texts "goal, goal, win" and "win" have the pieces "goal," and "win" (numbers 0 and 1). The first text has two
    entries, one for each distinct piece, and the second has one:

    - `text_starts` = [0, 2, 3]: the entries of text i are those from `text_starts[i]` to before `text_starts[i + 1]`
    - `piece_of_entry` = [0, 1, 1]
    - `times` = [2, 1, 1]
    """

    pieces: list[str]
    text_starts: list[int]
    piece_of_entry: list[int]
    times: list[int]

    @classmethod
    def of(cls, texts: Iterable[str]) -> PieceCounts:
        """Split texts at white space, and count their pieces."""
        piece_numbers: dict[str, int] = {}
        text_starts = [0]
        piece_of_entry: list[int] = []
        times: list[int] = []
        for text in texts:
            times_of_piece = Counter(text.split())
            piece_of_entry += [piece_numbers.setdefault(piece, len(piece_numbers)) for piece in times_of_piece]
            times += times_of_piece.values()
            text_starts.append(len(times))
        return cls(list(piece_numbers), text_starts, piece_of_entry, times)


class Reasons:
    """Find the terms that decided about the labels of documents: at most `n` for each label."""

    def __init__(self, model: Model, n: int, n_jobs: int | None = 1) -> None:
        self._model, self._n, self._n_jobs = model, n, n_jobs
        self._class_numbers = {label: number for number, label in enumerate(model.classes)}
        self._columns = {term: column for column, term in enumerate(model.terms)}
        preparation = model.preparation
        # Whether the terms in a piece do not depend on the text around it.
        self._can_count_pieces = model.ngram_range[1] == 1 and preparation.tags == "keep" and not preparation.names
        self._traced_pieces: dict[str, tuple[list[str], Ints]] = {}  # results of `_trace`

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
        # The arrays below have a row for each label of each document, so a document with two labels has two equal rows.
        documents = np.repeat(np.arange(len(label_sets)), [len(labels) for labels in label_sets])
        classes = np.array([self._class_numbers[label] for labels in label_sets for label in labels], np.int64)
        rows = _take_rows(weights, documents)
        contributions = self._contributions(rows, classes)
        if self._model.explains_words:
            per_occurrence = rows._replace(data=contributions / _take_rows(counts, documents).data)
            reasons = self._best_words([texts[document] for document in documents.tolist()], per_occurrence)
        else:
            reasons = self._best_terms(rows._replace(data=contributions))
        for labels in label_sets:
            yield {label: next(reasons) for label in labels}

    def _contributions(self, rows: CSR, classes: Ints) -> Floats:
        """Return what each weight in the rows contributes to the score of its row's class."""
        model, scorer = self._model, self._model.scorer
        if model.has_single_output:  # it speaks for the second class, and against the first
            outputs, signs = np.zeros_like(classes), np.where(classes == 1, 1.0, -1.0)
        else:
            outputs, signs = classes, np.ones(len(classes))
        if isinstance(scorer, LinearScorer | SparseLinearScorer):
            coefficients = scorer.coefficients_of(rows.indices, np.repeat(outputs, rows.sizes))
            if model.needs_comparing:
                coefficients = coefficients - self._mean_coefficients[rows.indices]
            return np.asarray(rows.data * coefficients * np.repeat(signs, rows.sizes))
        contributions = np.empty(len(rows.data))
        for row, (output, sign) in enumerate(zip(outputs.tolist(), signs.tolist(), strict=True)):
            values = slice(rows.indptr[row], rows.indptr[row + 1])
            by_output = scorer.contributions(rows.indices[values], rows.data[values])  # terms x outputs
            compared_with = by_output.mean(axis=1) if model.needs_comparing else 0.0
            contributions[values] = sign * (by_output[:, output] - compared_with)
        return contributions

    def _best_terms(self, contributions: CSR) -> Iterator[list[Reason]]:
        """Yield the terms with the largest positive contributions in each row (rows x terms)."""
        values = contributions.data
        positive = np.flatnonzero(values > 0)
        row_of = _row_of_each_value(contributions)[positive]
        # Where the positive values of each row begin. They come row by row, also after the sort within each row.
        begins = np.searchsorted(row_of, np.arange(contributions.n_rows + 1)).tolist()
        largest_first = positive[np.lexsort((-values[positive], row_of))]  # sorts by row, and then by value
        for begin, end in pairwise(begins):
            best = largest_first[begin : min(end, begin + self._n)]
            terms = [self._model.terms[column] for column in contributions.indices[best].tolist()]
            yield list(map(Reason, terms, values[best].tolist()))

    # -- words -------------------------------------------------------------------------------------------------------

    def _best_words(self, texts: list[str], per_occurrence: CSR) -> Iterator[list[Reason]]:
        """Yield the words with the largest positive contributions in each row; each row has a text.

        `per_occurrence` (rows x terms) has the contribution of a single occurrence of each term in the text.
        """
        if not self._can_count_pieces:
            for row, text in enumerate(texts):
                contributions: dict[str, float] = defaultdict(float)
                self._add_traced_words(contributions, text, 1, per_occurrence.part(slice(row, row + 1)))
                yield self._best(contributions)
            return
        ends = np.cumsum([len(text) for text in texts])
        first = 0
        while first < len(texts):
            n_characters_before = ends[first - 1] if first else 0
            last = max(int(np.searchsorted(ends, n_characters_before + CHARACTERS_AT_ONCE)), first + 1)
            yield from self._best_words_by_counting(texts[first:last], per_occurrence.part(slice(first, last)))
            first = last

    def _best_words_by_counting(self, texts: list[str], per_occurrence: CSR) -> Iterator[list[Reason]]:
        """Yield the same as `_best_words`, by counting the terms in pieces of all these texts at once."""
        counts = PieceCounts.of(texts)
        words = [_strip_symbols(piece, lowercase=self._model.lowercase) for piece in counts.pieces]
        amounts = (self._sums_of_pieces(counts, per_occurrence) * counts.times).tolist()
        for row, (begin, end) in enumerate(pairwise(counts.text_starts)):
            contributions: dict[str, float] = defaultdict(float)
            for piece, amount in zip(counts.piece_of_entry[begin:end], amounts[begin:end], strict=True):
                contributions[words[piece]] += amount
            candidates = nlargest(CANDIDATES_PER_REASON * self._n, contributions, key=contributions.__getitem__)
            several_words = {candidate for candidate in candidates if not _is_word(candidate)}
            for candidate in several_words:
                del contributions[candidate]
            if several_words:
                own_row = per_occurrence.part(slice(row, row + 1))
                for piece, times in zip(counts.piece_of_entry[begin:end], counts.times[begin:end], strict=True):
                    if words[piece] in several_words:
                        self._add_traced_words(contributions, counts.pieces[piece], times, own_row)
            yield self._best(contributions)

    def _best(self, contributions: Mapping[str, float]) -> list[Reason]:
        """Return the words with the largest positive contributions."""
        positive = [Reason(word, amount) for word, amount in contributions.items() if amount > 0]
        return nlargest(self._n, positive, key=lambda reason: reason.contribution)

    def _sums_of_pieces(self, counts: PieceCounts, per_occurrence: CSR) -> Floats:
        """Return what one occurrence of the piece of each entry contributes in its text: the sum over its terms.

        Row i of `per_occurrence` belongs to text i of `counts`.
        """
        # entries x terms: how often each term occurs in the entry's piece
        terms = _take_rows(self._model.counts(counts.pieces, self._n_jobs), np.array(counts.piece_of_entry, np.int64))
        text_of_entry = np.repeat(np.arange(per_occurrence.n_rows), np.diff(counts.text_starts))
        entry_of_value = _row_of_each_value(terms)
        # Find the contribution of each term in its text. A term in a piece is in the text, too, so each key is found;
        # and the keys of a matrix ascend, because its columns ascend in each row.
        n_terms = np.int64(per_occurrence.n_columns)
        keys = _row_of_each_value(per_occurrence) * n_terms + per_occurrence.indices
        positions = np.searchsorted(keys, text_of_entry[entry_of_value] * n_terms + terms.indices)
        contributions = terms.data * per_occurrence.data[positions]
        return np.asarray(np.bincount(entry_of_value, contributions, terms.n_rows), np.float64)

    def _add_traced_words(self, contributions: dict[str, float], text: str, times: int, per_occurrence: CSR) -> None:
        """Add what the words of a text contribute; the text is a whole document, or a piece that occurs several times.

        `per_occurrence` is the document's row of the matrix in `_best_words`.
        """
        words, columns = self._trace(text)
        amounts = per_occurrence.data[np.searchsorted(per_occurrence.indices, columns)].tolist()
        for word, amount in zip(words, amounts, strict=True):
            contributions[word] += times * amount

    def _trace(self, text: str) -> tuple[list[str], Ints]:
        """Return, for each place of a text where a term occurs, the word at this place and the column of the term.

        Texts often repeat pieces such as "goal/keeper", so the results for short pieces are kept.
        """
        known = self._traced_pieces.get(text)
        if known is not None:
            return known
        model = self._model
        pairs = list(words_of_spans(text, model.spans(text), lowercase=model.lowercase))
        result = [word for word, _ in pairs], np.array([self._columns[term] for _, term in pairs], np.int64)
        if self._can_count_pieces and len(text) < MAX_KEPT_LENGTH:
            if len(self._traced_pieces) >= MAX_KEPT_PIECES:
                self._traced_pieces.clear()
            self._traced_pieces[text] = result
        return result
