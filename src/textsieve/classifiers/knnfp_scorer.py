"""`KNNFPScorer`: for each term of a document, the training documents with the nearest weights vote.

The training documents are stored term by term, sorted by weight and then by document, with their classes. Votes are
integers, so their sums are exact in any order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..archive import ArraySpec
from ..arrays import CSR, Floats, Int32s, Ints
from ..errors import InputError, shown
from ..neighbours import frozen
from ..settings import is_whole, n_threads
from .scorer import (
    Layout,
    ascends_in_parts,
    check_layout,
    check_stored,
    join_ranges,
    require_columns,
    require_indptr,
    require_range,
    require_settings,
)

FEW_VALUES = 1 << 13
"""The largest number of values that is scored with numpy; more values load the compiled kernels."""

_ROWS_PER_TASK = 1 << 8
"""The number of rows that a thread gets at a time."""

_ARRAYS: Layout = {
    "term_indptr": (np.int64, ("terms+1",)),
    "weights": (np.float64, ("weights",)),
    "documents": (np.int32, ("weights",)),
    "label_indptr": (np.int64, ("documents+1",)),
    "labels": (np.int32, ("labels",)),
}


@dataclass(frozen=True, eq=False)
class KNNFPScorer:
    """The weights of each term in the training documents, and the labels of these documents."""

    kind: ClassVar[str] = "knnfp"

    term_indptr: Ints  # the weights of term t are weights[term_indptr[t] : term_indptr[t + 1]], ascending
    weights: Floats
    documents: Int32s  # the document of each weight; ascending where weights are equal
    label_indptr: Ints  # the labels of document i are labels[label_indptr[i] : label_indptr[i + 1]]
    labels: Int32s
    n_outputs: int
    k: int

    @property
    def n_terms(self) -> int:
        """Return the number of terms, which are the columns of the rows to score."""
        return len(self.term_indptr) - 1

    @property
    def intercepts(self) -> Floats:
        """Return zeros: without terms there are no votes."""
        return np.zeros(self.n_outputs)

    def scores(self, rows: CSR, n_jobs: int | None = 1) -> Floats:
        """Return the votes of each row (rows x outputs), the same for any number of threads and any batch size."""
        require_columns(rows, self.n_terms)
        if len(rows.data) > FEW_VALUES:
            return self._scores_of_many(rows, n_threads(n_jobs))
        votes = self.contributions(rows.indices, rows.data)
        scores = np.zeros((rows.n_rows, self.n_outputs))
        np.add.at(scores, np.repeat(np.arange(rows.n_rows), rows.sizes), votes)
        return scores

    def contributions(self, columns: NDArray[Any], values: Floats) -> Floats:
        """Return the votes that each value gives the classes (values x outputs); values may come from several rows."""
        votes = np.zeros((len(values), self.n_outputs))
        for position, (term, weight) in enumerate(zip(columns.tolist(), values.tolist(), strict=True)):
            if weight:  # 0 means that the term is absent
                labels = self._labels_of(self._nearest(term, weight))
                votes[position] = np.bincount(labels, minlength=self.n_outputs)
        return votes

    def term_strengths(self) -> Floats:
        """Return the average number of votes that each term gives each class (terms x outputs).

        If n training documents contain a term, min(k, n) of them vote. Which of them vote depends on the document to
        classify; on average, each is taken to have min(k, n) / n votes.
        """
        # For each weight: its term, and the number of labels of its document.
        terms = np.repeat(np.arange(self.n_terms), np.diff(self.term_indptr))
        n_labels = np.diff(self.label_indptr)[self.documents]
        cells = np.repeat(terms, n_labels) * self.n_outputs + self._labels_of(self.documents)  # (term, label)
        counts = np.bincount(cells, minlength=self.n_terms * self.n_outputs).reshape(self.n_terms, self.n_outputs)
        n_with_term = np.maximum(np.diff(self.term_indptr), 1)  # documents; at least 1, to avoid a division by 0
        return np.asarray(counts * (np.minimum(self.k, n_with_term) / n_with_term)[:, np.newaxis])

    def stored_settings(self) -> dict[str, Any]:
        """Return the setting k, the number of documents that vote."""
        return {"k": self.k}

    def stored_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the weights, documents and labels."""
        return {name: getattr(self, name) for name in _ARRAYS}

    @classmethod
    def check_declared(cls, settings: Mapping[str, Any], specs: Mapping[str, ArraySpec], n_outputs: int) -> int:
        """Return the number of terms of a stored scorer, after checking k and the types and shapes of its arrays."""
        require_settings(settings, "k")
        k = settings["k"]
        if not (is_whole(k) and 1 <= k < 1 << 63):  # it must fit into 64 bits, because numpy compares it with counts
            raise InputError(f"k is {shown(k)}, which is no number of documents")
        return check_layout(specs, _ARRAYS)["terms"]

    @classmethod
    def restore(
        cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], n_terms: int, n_outputs: int
    ) -> Self:
        """Return the stored scorer."""
        check_stored(cls, settings, arrays, n_terms, n_outputs)
        term_indptr, weights, documents, label_indptr, labels = (arrays[name] for name in _ARRAYS)
        require_indptr("term_indptr", term_indptr, len(weights))
        require_indptr("label_indptr", label_indptr, len(labels))
        require_range("documents", documents, len(label_indptr) - 1)
        require_range("labels", labels, n_outputs)
        if len(weights) and not (weights.min() > 0.0 and weights.max() < np.inf):  # also rejects NaN
            raise InputError("weights has numbers that are not above 0")
        if not ascends_in_parts(term_indptr, weights, documents):
            raise InputError("the weights of a term, or documents of equal weight, do not ascend")
        return cls(term_indptr, weights, documents, label_indptr, labels, n_outputs, int(settings["k"]))

    # -- few rows: numpy -----

    def _nearest(self, term: int, weight: float) -> Int32s:
        """Return the k documents whose weights of a term are nearest to `weight`; all if fewer contain the term."""
        of_term = slice(self.term_indptr[term], self.term_indptr[term + 1])
        weights, documents = self.weights[of_term], self.documents[of_term]
        if len(weights) <= self.k:
            return documents
        # The weights ascend, so the nearest are around the position of `weight`: among the next k from it upwards and
        # the last k below it. Documents with the same weight as the lowest of these are candidates, too, because of
        # equal weights, the document with the lower number is the nearest.
        position = int(np.searchsorted(weights, weight))
        begin = int(np.searchsorted(weights, weights[max(position - self.k, 0)]))
        candidates = slice(begin, min(position + self.k, len(weights)))
        distances, errors = _distances(weights[candidates], weight)
        nearest_first = np.lexsort((documents[candidates], errors, distances))  # sorts by the last key first
        return documents[candidates][nearest_first[: self.k]]

    def _labels_of(self, documents: Int32s) -> Int32s:
        """Return the labels of the given documents, concatenated."""
        begins = self.label_indptr[documents]
        # Converted to int64, because the largest int32 plus 1 would overflow.
        n_labels = self.label_indptr[documents.astype(np.int64) + 1] - begins
        return np.asarray(self.labels[join_ranges(begins, n_labels)])

    # -- many rows: kernels -----

    def _scores_of_many(self, rows: CSR, threads: int) -> Floats:
        """Return the votes of each row, counted by kernels."""
        from ..kernels.feature_projections import SortedWeights, vote_nearest
        from ..threads import parallel_ranges

        columns, indptr = rows.indices.astype(np.int32, copy=False), rows.indptr.astype(np.int64, copy=False)
        values = rows.data.astype(np.float64, copy=False)
        sorted_weights = SortedWeights(*(frozen(getattr(self, name)) for name in _ARRAYS))
        k = min(self.k, len(self.label_indptr))  # a larger k gives the same votes, but its sums could overflow
        scores = np.empty((rows.n_rows, self.n_outputs))

        def score(first: int, last: int) -> None:
            """Write the votes of the rows from `first` to before `last` to `scores`."""
            vote_nearest(columns, values, indptr[first : last + 1], sorted_weights, k, scores[first:last])

        parallel_ranges(score, rows.n_rows, _ROWS_PER_TASK, threads)
        return scores


def _distances(weights: Floats, weight: float) -> tuple[Floats, Floats]:
    """Return the rounded |weights - weight| and its rounding errors; the sum of the two is exact (Knuth's TwoSum).

    So distances whose rounded values are equal can be compared by their rounding errors.
    """
    distances = weights - weight
    absorbed = distances - weights  # -weight, as far as the rounded differences contain it
    errors = (weights - (distances - absorbed)) - (weight + absorbed)
    return np.abs(distances), np.where(distances < 0, -errors, errors)
