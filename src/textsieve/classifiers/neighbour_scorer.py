"""`NeighbourScorer`: the nearest training documents vote for their classes, and each vote is split among the terms.

The neighbours of a document, scaled to length 1, are the k training documents with the largest cosines above 0; of
equal cosines, the lower document comes first. With weighted votes, the score of class c is the sum of the cosines of
the neighbours in c. A cosine is a sum over terms, so the score can be added up term by term: a term t of the document
adds

    w(t, document) x (sum of w(t, neighbour) over the neighbours in c, from the lowest document to the highest).

The terms are added in column order. With plain votes, the score is the number of neighbours in c. Each vote is split
among the terms in proportion to their products (those above 0), in integer multiples of 2^-30, and the remainder goes
to the first term. So the parts add up to the number exactly.

A document without a neighbour scores 0 for each class.

Training documents are stored term by term with float32 weights; calculations use float64.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..archive import ArraySpec, specs_of
from ..arrays import Floats, Int32s, Ints
from ..errors import InputError, shown
from ..neighbours import Postings, cosines_of, frozen, index_of, matches, nearest_of, unit_rows
from ..settings import is_whole, n_threads
from ..text.csr import CSR
from .scorer import require_array, require_ascending, require_parts, require_vector, shared_votes

if TYPE_CHECKING:
    from ..kernels.neighbours import Index


VOTES = ("weighted", "plain")
"""The kinds of votes: a neighbour's vote counts its cosine, or 1."""

FEW_POSTINGS = 1 << 25
"""The largest number of postings that is searched with numpy; more load the compiled kernels."""

_ARRAYS = ("term_indptr", "documents", "weights", "class_indptr", "classes")
_SLICE = 1 << 8


@dataclass(frozen=True, eq=False)
class NeighbourScorer:
    """The training documents, term by term, their classes, and the voting settings."""

    kind: ClassVar[str] = "knn"

    postings: Postings
    class_indptr: Ints  # the classes of document i are class_indptr[i] to class_indptr[i + 1]
    classes: Int32s
    n_outputs: int
    k: int
    votes: str

    @property
    def n_terms(self) -> int:
        """Return the number of terms, which are the columns of the rows to score."""
        return self.postings.n_terms

    @property
    def intercepts(self) -> Floats:
        """Return zeros: without terms there are no neighbours."""
        return np.zeros(self.n_outputs)

    @cached_property
    def index(self) -> Index:
        """Return the index that the kernels search; built at first access."""
        return index_of(self.postings)

    def scores(self, rows: CSR, n_jobs: int | None = 1) -> Floats:
        """Return the scores of each row (rows x outputs), the same for any number of threads and any batches."""
        if rows.n_columns != self.n_terms:
            raise InputError(f"The rows have {rows.n_columns:,} columns, but there are {self.n_terms:,} terms.")
        threads = n_threads(n_jobs)
        unit = unit_rows(rows)
        if "index" in vars(self) or np.diff(self.postings.term_indptr)[unit.indices].sum() > FEW_POSTINGS:
            return self._scores_of_many(unit, threads)
        return self._scores_of_few(unit)

    def contributions(self, columns: NDArray[Any], values: Floats) -> Floats:
        """Return what each value of one row adds to the scores (values x outputs): its part of the votes."""
        unit = unit_rows(CSR(values, columns, np.array([0, len(columns)]), self.n_terms))
        return self._parts(unit.indices, unit.data)

    def term_strengths(self) -> Floats:
        """Return the mean weight of each term in the documents of each class (terms x outputs)."""
        terms = np.repeat(np.arange(self.n_terms), np.diff(self.postings.term_indptr))
        sums = self._by_class(terms, self.postings.documents, self.postings.weights, self.n_terms)
        return sums / np.maximum(np.bincount(self.classes, minlength=self.n_outputs), 1)

    def stored_settings(self) -> dict[str, Any]:
        """Return the number of neighbours and the kind of votes."""
        return {"k": self.k, "votes": self.votes}

    def stored_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the training documents and their classes."""
        return dict(zip(_ARRAYS, (*self.postings[:3], self.class_indptr, self.classes), strict=True))

    @classmethod
    def check_declared(cls, settings: Mapping[str, Any], specs: Mapping[str, ArraySpec], n_outputs: int) -> int:
        """Return the number of terms of a stored scorer, after checking settings, types and shapes."""
        require_parts(settings, specs, ("k", "votes"), _ARRAYS)
        k, votes = settings["k"], settings["votes"]
        if not (is_whole(k) and k >= 1):
            raise InputError(f"k is {shown(k)}, which is no number of neighbours")
        if votes not in VOTES:
            raise InputError(f"votes is {shown(votes)}, none of {', '.join(VOTES)}")
        n_weights = require_vector("documents", specs["documents"], np.int32)
        require_array("weights", specs["weights"], np.float32, (n_weights,))
        require_vector("class_indptr", specs["class_indptr"], np.int64, least=2)
        require_vector("classes", specs["classes"], np.int32)
        return require_vector("term_indptr", specs["term_indptr"], np.int64, least=1) - 1

    @classmethod
    def restore(
        cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], n_terms: int, n_outputs: int
    ) -> Self:
        """Return the stored scorer."""
        cls.check_declared(settings, specs_of(arrays), n_outputs)
        term_indptr, documents, weights, class_indptr, classes = (arrays[name] for name in _ARRAYS)
        require_array("term_indptr", term_indptr, np.int64, (n_terms + 1,))
        n_documents = len(class_indptr) - 1
        require_ascending("documents", documents, "term_indptr", term_indptr, n_documents)
        require_ascending("classes", classes, "class_indptr", class_indptr, n_outputs)
        if (class_indptr[1:] == class_indptr[:-1]).any():
            raise InputError("a document has no class")
        lengths = np.bincount(documents, np.square(weights, dtype=np.float64), n_documents)
        if not ((lengths == 0.0) | (np.abs(lengths - 1.0) < 1e-4)).all():  # also rejects NaN
            raise InputError("the weights of a document have not the length 1")
        postings = Postings(term_indptr, documents, weights, n_documents)
        return cls(postings, class_indptr, classes, n_outputs, int(settings["k"]), settings["votes"])

    # -- few rows: numpy -----

    def _scores_of_few(self, unit: CSR) -> Floats:
        scores = np.zeros((unit.n_rows, self.n_outputs))
        for row in np.flatnonzero(unit.sizes).tolist():
            place = slice(unit.indptr[row], unit.indptr[row + 1])
            # cumsum adds one by one, in order; sum does not
            scores[row] += self._parts(unit.indices[place], unit.data[place]).cumsum(axis=0)[-1]
        return scores

    def _parts(self, columns: NDArray[Any], values: Floats) -> Floats:
        """Return what each value of a row of length 1 adds to the scores."""
        matching = matches(self.postings, columns)
        near = np.zeros(self.postings.n_documents, np.bool_)
        near[nearest_of(cosines_of(self.postings, matching, values), self.k)] = True
        is_neighbour = near[matching.documents]
        places, documents, weights = (
            matching.places[is_neighbour],
            matching.documents[is_neighbour],
            matching.weights[is_neighbour],
        )
        if self.votes == "weighted":
            return np.asarray(values[:, np.newaxis] * self._by_class(places, documents, weights, len(values)))
        products = values[places] * weights
        positive = products > 0.0
        places, documents = places[positive], documents[positive]
        return self._by_class(places, documents, shared_votes(documents, products[positive]), len(values))

    def _by_class(self, groups: Ints, documents: Int32s, amounts: NDArray[Any], n_groups: int) -> Floats:
        """Add up amounts of documents by group and class (groups x outputs), in the order given."""
        sizes = self.class_indptr[documents.astype(np.int64) + 1] - self.class_indptr[documents]
        if (sizes == 1).all():
            outputs: NDArray[Any] = self.classes[self.class_indptr[documents]]
        else:
            firsts = self.class_indptr[documents] - np.concatenate([[0], sizes.cumsum()[:-1]])
            outputs = self.classes[np.arange(sizes.sum()) + np.repeat(firsts, sizes)]
            groups, amounts = np.repeat(groups, sizes), np.repeat(amounts, sizes)
        sums: Any = np.bincount(groups * self.n_outputs + outputs, amounts, n_groups * self.n_outputs)
        return np.asarray(sums, np.float64).reshape(n_groups, self.n_outputs)

    # -- many rows: kernels -----

    def _scores_of_many(self, unit: CSR, threads: int) -> Floats:
        from ..kernels.neighbours import vote
        from ..threads import parallel_map

        index, k = self.index, min(self.k, self.postings.n_documents)
        class_indptr, classes, weighted = frozen(self.class_indptr), frozen(self.classes), self.votes == "weighted"
        scores = np.empty((unit.n_rows, self.n_outputs))

        def score(number: int) -> None:
            first, last = number * _SLICE, min((number + 1) * _SLICE, unit.n_rows)
            part = unit.indices, unit.data, unit.indptr[first : last + 1]
            vote(index, *part, class_indptr, classes, k, weighted, scores[first:last])

        parallel_map(score, -(-unit.n_rows // _SLICE), threads)
        return scores
