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

from ..archive import ArraySpec, specs_of
from ..arrays import Floats, Int32s, Ints
from ..errors import InputError, shown
from ..neighbours import frozen
from ..settings import is_whole, n_threads
from ..text.csr import CSR
from .scorer import require_array, require_parts, require_vector

FEW_VALUES = 1 << 13
"""The largest number of values that is scored with numpy; more values load the compiled kernels."""

_SLICE = 1 << 8
_ARRAYS = ("term_indptr", "weights", "documents", "label_indptr", "labels")


@dataclass(frozen=True, eq=False)
class KNNFPScorer:
    """The weights of each term in the training documents, and the labels of these documents."""

    kind: ClassVar[str] = "knnfp"

    term_indptr: Ints  # the weights of term t are term_indptr[t] to term_indptr[t + 1], ascending
    weights: Floats
    documents: Int32s  # ascending where weights are equal
    label_indptr: Ints  # the labels of document i are label_indptr[i] to label_indptr[i + 1]
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
        """Return the votes of each row (rows x outputs), the same for any number of threads and any batches."""
        if rows.n_columns != self.n_terms:
            raise InputError(f"The rows have {rows.n_columns:,} columns, but there are {self.n_terms:,} terms.")
        if len(rows.data) > FEW_VALUES:
            return self._scores_of_many(rows, n_threads(n_jobs))
        votes = self.contributions(rows.indices, rows.data)
        scores = np.zeros((rows.n_rows, self.n_outputs))
        np.add.at(scores, np.repeat(np.arange(rows.n_rows), rows.sizes), votes)
        return scores

    def contributions(self, columns: NDArray[Any], values: Floats) -> Floats:
        """Return the votes of each value (values x outputs)."""
        votes = np.zeros((len(values), self.n_outputs))
        for at, (term, weight) in enumerate(zip(columns.tolist(), values.tolist(), strict=True)):
            if weight:
                votes[at] = np.bincount(self._labels_of(self._nearest(term, weight)), minlength=self.n_outputs)
        return votes

    def term_strengths(self) -> Floats:
        """Return the average number of votes that each term gives each class (terms x outputs)."""
        terms = np.repeat(np.arange(self.n_terms), np.diff(self.term_indptr))
        n_labels = np.diff(self.label_indptr)[self.documents]
        cells = np.repeat(terms, n_labels) * self.n_outputs + self._labels_of(self.documents)
        votes = np.bincount(cells, minlength=self.n_terms * self.n_outputs).reshape(self.n_terms, self.n_outputs)
        n_documents = np.maximum(np.diff(self.term_indptr), 1)
        return np.asarray(votes * (np.minimum(self.k, n_documents) / n_documents)[:, np.newaxis])

    def stored_settings(self) -> dict[str, Any]:
        """Return the setting k, the number of documents that vote."""
        return {"k": self.k}

    def stored_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the weights, documents and labels."""
        return {name: getattr(self, name) for name in _ARRAYS}

    @classmethod
    def check_declared(cls, settings: Mapping[str, Any], specs: Mapping[str, ArraySpec], n_outputs: int) -> int:
        """Return the number of terms of a stored scorer, after checking k and the types and shapes of its arrays."""
        require_parts(settings, specs, ("k",), _ARRAYS)
        k = settings["k"]
        if not (is_whole(k) and 1 <= k < 1 << 63):
            raise InputError(f"k is {shown(k)}, which is no number of documents")
        n_weights = require_vector("weights", specs["weights"], np.float64)
        require_array("documents", specs["documents"], np.int32, (n_weights,))
        require_vector("label_indptr", specs["label_indptr"], np.int64, least=1)
        require_vector("labels", specs["labels"], np.int32)
        return require_vector("term_indptr", specs["term_indptr"], np.int64, least=1) - 1

    @classmethod
    def restore(
        cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], n_terms: int, n_outputs: int
    ) -> Self:
        """Return the stored scorer."""
        cls.check_declared(settings, specs_of(arrays), n_outputs)
        term_indptr, weights, documents, label_indptr, labels = (arrays[name] for name in _ARRAYS)
        require_array("term_indptr", term_indptr, np.int64, (n_terms + 1,))
        _require_parts_of("term_indptr", term_indptr, len(weights))
        _require_parts_of("label_indptr", label_indptr, len(labels))
        _require_range("documents", documents, len(label_indptr) - 1)
        _require_range("labels", labels, n_outputs)
        if len(weights) and not (weights.min() > 0.0 and weights.max() < np.inf):  # also rejects NaN
            raise InputError("weights has numbers that are not above 0")
        in_order = np.ones(len(weights) + 1, np.bool_)
        in_order[1:-1] = (weights[1:] > weights[:-1]) | (
            (weights[1:] == weights[:-1]) & (documents[1:] > documents[:-1])
        )
        in_order[term_indptr] = True
        if not in_order.all():
            raise InputError("the weights of a term, or documents of equal weight, do not ascend")
        return cls(term_indptr, weights, documents, label_indptr, labels, n_outputs, int(settings["k"]))

    # -- few rows: numpy -----

    def _nearest(self, term: int, weight: float) -> Int32s:
        """Return the k documents whose weights of a term are nearest to a weight."""
        own = slice(self.term_indptr[term], self.term_indptr[term + 1])
        weights, documents = self.weights[own], self.documents[own]
        if len(weights) <= self.k:
            return documents
        # Only the next k weights above can be among the nearest. Below, only the last k can, and all documents with the
        # same weight as the lowest of these.
        place = int(np.searchsorted(weights, weight))
        begin = int(np.searchsorted(weights, weights[max(place - self.k, 0)]))
        near = slice(begin, min(place + self.k, len(weights)))
        distances, errors = _distances(weights[near], weight)
        return documents[near][np.lexsort((documents[near], errors, distances))[: self.k]]

    def _labels_of(self, documents: Int32s) -> Int32s:
        """Return the labels of the given documents, concatenated."""
        begins = self.label_indptr[documents]
        sizes = self.label_indptr[documents.astype(np.int64) + 1] - begins
        skipped = np.repeat(begins - np.concatenate([[0], sizes.cumsum()[:-1]]), sizes)
        return np.asarray(self.labels[np.arange(len(skipped)) + skipped])

    # -- many rows: kernels -----

    def _scores_of_many(self, rows: CSR, threads: int) -> Floats:
        from ..kernels.feature_projections import SortedWeights, vote_nearest
        from ..threads import parallel_map

        columns, starts = rows.indices.astype(np.int32, copy=False), rows.indptr.astype(np.int64, copy=False)
        values = rows.data.astype(np.float64, copy=False)
        given = SortedWeights(*(frozen(getattr(self, name)) for name in _ARRAYS))
        k = min(self.k, len(self.label_indptr))
        scores = np.empty((rows.n_rows, self.n_outputs))

        def score(number: int) -> None:
            part = slice(number * _SLICE, (number + 1) * _SLICE)
            vote_nearest(columns, values, starts[part.start : part.stop + 1], given, k, scores[part])

        parallel_map(score, -(-rows.n_rows // _SLICE), threads)
        return scores


def _distances(weights: Floats, weight: float) -> tuple[Floats, Floats]:
    """Return |weights - weight| and its rounding errors; the sum of both is exact."""
    distances = weights - weight
    part = distances - weights
    errors = (weights - (distances - part)) - (weight + part)
    return np.abs(distances), np.where(distances < 0, -errors, errors)


def _require_parts_of(name: str, starts: Ints, end: int) -> None:
    if starts[0] != 0 or starts[-1] != end or (starts[1:] < starts[:-1]).any():
        raise InputError(f"{name} does not go from 0 to {end:,}, ascending")


def _require_range(name: str, numbers: Int32s, n: int) -> None:
    if len(numbers) and (numbers.min() < 0 or numbers.max() >= n):
        raise InputError(f"{name} has numbers that are not from 0 to {n - 1}")
