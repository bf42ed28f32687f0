"""`CosineKNNScorer`: the nearest training documents vote for their classes, and each vote is split among the terms.

All documents are scaled to length 1, and w(t, d) is the weight of term t in document d after that. The neighbours of a
document are the k training documents with the largest cosines above 0; of documents with equal cosines, the one with
the lower number comes first. With weighted votes, the score of class c is the sum of the cosines of the neighbours in
c. A cosine is a sum over terms, so the score can be added up term by term: a term t of the document adds

    w(t, document) x (sum of w(t, neighbour) over the neighbours in c, in ascending order of document numbers).

The terms are added in column order. With plain votes, the score is the number of neighbours in c. The vote of each
neighbour is split among the terms t in proportion to the products w(t, document) x w(t, neighbour) that are above 0.
The parts are rounded to multiples of 2^-30, and the remainder goes to the first of these terms, so that the parts of a
vote add up to exactly 1.

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

from ..archive import ArraySpec
from ..arrays import CSR, Floats, Int32s, Ints
from ..errors import InputError, shown
from ..neighbours import Postings, cosines_of, frozen, index_of, matches, nearest_of, unit_rows
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
    split_votes,
)

if TYPE_CHECKING:
    from ..kernels.neighbours import Index


VOTES = ("weighted", "plain")
"""The kinds of votes: the vote of a neighbour counts as much as its cosine ("weighted"), or 1 ("plain")."""

FEW_POSTINGS = 1 << 25
"""The largest number of postings (of all terms of the rows) that numpy searches; more load the compiled kernels."""

_ROWS_PER_TASK = 1 << 8
"""The number of rows that a thread gets at a time."""

_ARRAYS: Layout = {
    "term_indptr": (np.int64, ("terms+1",)),
    "documents": (np.int32, ("postings",)),
    "weights": (np.float32, ("postings",)),
    "class_indptr": (np.int64, ("documents+1",)),
    "classes": (np.int32, ("labels",)),
}


@dataclass(frozen=True, eq=False)
class CosineKNNScorer:
    """The training documents, term by term, their classes, and the voting settings."""

    kind: ClassVar[str] = "knn"

    postings: Postings
    class_indptr: Ints  # the classes of document i are classes[class_indptr[i] : class_indptr[i + 1]]
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
        """Return the scores of each row (rows x outputs), the same for any number of threads and any batch size."""
        require_columns(rows, self.n_terms)
        threads = n_threads(n_jobs)
        unit = unit_rows(rows)  # scaled to length 1
        # If the index of the kernels exists already, they are faster than numpy, even for few rows.
        if "index" in vars(self) or np.diff(self.postings.term_indptr)[unit.indices].sum() > FEW_POSTINGS:
            return self._scores_of_many(unit, threads)
        return self._scores_of_few(unit)

    def contributions(self, columns: NDArray[Any], values: Floats) -> Floats:
        """Return what each value of one row adds to the scores (values x outputs): its part of the votes."""
        unit = unit_rows(CSR(values, columns, np.array([0, len(columns)]), self.n_terms))
        return self._contributions_of_unit_row(unit.indices, unit.data)

    def term_strengths(self) -> Floats:
        """Return the mean weight of each term in the documents of each class (terms x outputs); 0 in empty classes."""
        terms = np.repeat(np.arange(self.n_terms), np.diff(self.postings.term_indptr))  # the term of each weight
        sums = self._sum_by_class(terms, self.postings.documents, self.postings.weights, self.n_terms)
        return sums / np.maximum(np.bincount(self.classes, minlength=self.n_outputs), 1)

    def stored_settings(self) -> dict[str, Any]:
        """Return the number of neighbours and the kind of votes."""
        return {"k": self.k, "votes": self.votes}

    def stored_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the training documents and their classes."""
        postings = self.postings
        arrays = postings.term_indptr, postings.documents, postings.weights, self.class_indptr, self.classes
        return dict(zip(_ARRAYS, arrays, strict=True))

    @classmethod
    def check_declared(cls, settings: Mapping[str, Any], specs: Mapping[str, ArraySpec], n_outputs: int) -> int:
        """Return the number of terms of a stored scorer, after checking settings, types and shapes."""
        require_settings(settings, "k", "votes")
        k, votes = settings["k"], settings["votes"]
        if not (is_whole(k) and k >= 1):
            raise InputError(f"k is {shown(k)}, which is no number of neighbours")
        if votes not in VOTES:
            raise InputError(f"votes is {shown(votes)}, none of {', '.join(VOTES)}")
        sizes = check_layout(specs, _ARRAYS)
        if not sizes["documents"]:
            raise InputError("class_indptr is of no document")
        return sizes["terms"]

    @classmethod
    def restore(
        cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], n_terms: int, n_outputs: int
    ) -> Self:
        """Return the stored scorer."""
        check_stored(cls, settings, arrays, n_terms, n_outputs)
        term_indptr, documents, weights, class_indptr, classes = (arrays[name] for name in _ARRAYS)
        n_documents = len(class_indptr) - 1
        require_indptr("term_indptr", term_indptr, len(documents))
        require_range("documents", documents, n_documents)
        require_indptr("class_indptr", class_indptr, len(classes))
        require_range("classes", classes, n_outputs)
        if not ascends_in_parts(term_indptr, documents):
            raise InputError("the documents of a term do not ascend")
        if not ascends_in_parts(class_indptr, classes):
            raise InputError("the classes of a document do not ascend")
        if (class_indptr[1:] == class_indptr[:-1]).any():
            raise InputError("a document has no class")
        squared_lengths = np.bincount(documents, np.square(weights, dtype=np.float64), n_documents)
        # An empty document has length 0, and float32 weights have rounding errors. The condition also rejects NaN.
        if not ((squared_lengths == 0.0) | (np.abs(squared_lengths - 1.0) < 1e-4)).all():
            raise InputError("the weights of a document have not the length 1")
        postings = Postings(term_indptr, documents, weights, n_documents)
        return cls(postings, class_indptr, classes, n_outputs, int(settings["k"]), settings["votes"])

    # -- few rows: numpy -----

    def _scores_of_few(self, unit: CSR) -> Floats:
        """Return the scores of rows of length 1, calculated with numpy."""
        scores = np.zeros((unit.n_rows, self.n_outputs))
        for row in np.flatnonzero(unit.sizes).tolist():
            in_row = slice(unit.indptr[row], unit.indptr[row + 1])
            contributions = self._contributions_of_unit_row(unit.indices[in_row], unit.data[in_row])
            scores[row] += contributions.cumsum(axis=0)[-1]  # cumsum adds one by one, in order; sum does not
        return scores

    def _contributions_of_unit_row(self, columns: NDArray[Any], values: Floats) -> Floats:
        """Return what each value of a row of length 1 adds to the scores (values x outputs)."""
        matching = matches(self.postings, columns)  # the weights of the row's terms in the training documents
        is_neighbour = np.zeros(self.postings.n_documents, np.bool_)
        is_neighbour[nearest_of(cosines_of(self.postings, matching, values), self.k)] = True
        is_of_neighbour = is_neighbour[matching.documents]
        positions = matching.places[is_of_neighbour]  # of the terms in the row
        documents, weights = matching.documents[is_of_neighbour], matching.weights[is_of_neighbour]
        if self.votes == "weighted":
            return np.asarray(values[:, np.newaxis] * self._sum_by_class(positions, documents, weights, len(values)))
        products = values[positions] * weights
        is_positive = products > 0.0
        positions, documents = positions[is_positive], documents[is_positive]
        shares = split_votes(documents, products[is_positive])  # the vote of a neighbour counts 1 in all
        return self._sum_by_class(positions, documents, shares, len(values))

    def _sum_by_class(self, groups: Ints, documents: Int32s, amounts: NDArray[Any], n_groups: int) -> Floats:
        """Return the sum of amounts by group and class (groups x outputs), added in the order given.

        Each amount has the number of its group, and of a document; it counts for all classes of this document.
        """
        begins = self.class_indptr[documents]  # where the classes of each document begin in `self.classes`
        # Converted to int64, because the largest int32 plus 1 would overflow.
        n_classes = self.class_indptr[documents.astype(np.int64) + 1] - begins
        if (n_classes == 1).all():
            outputs: NDArray[Any] = self.classes[begins]
        else:  # repeat each amount for every class of its document
            outputs = self.classes[join_ranges(begins, n_classes)]
            groups, amounts = np.repeat(groups, n_classes), np.repeat(amounts, n_classes)
        cells = groups * self.n_outputs + outputs  # (group, output) as one number
        sums: Any = np.bincount(cells, amounts, n_groups * self.n_outputs)
        return np.asarray(sums, np.float64).reshape(n_groups, self.n_outputs)

    # -- many rows: kernels -----

    def _scores_of_many(self, unit: CSR, threads: int) -> Floats:
        """Return the scores of rows of length 1, calculated by kernels."""
        from ..kernels.neighbours import vote
        from ..threads import parallel_ranges

        index, k = self.index, min(self.k, self.postings.n_documents)
        class_indptr, classes, weighted = frozen(self.class_indptr), frozen(self.classes), self.votes == "weighted"
        scores = np.empty((unit.n_rows, self.n_outputs))

        def score(first: int, last: int) -> None:
            """Write the scores of the rows from `first` to before `last` to `scores`."""
            rows = unit.indices, unit.data, unit.indptr[first : last + 1]
            vote(index, *rows, class_indptr, classes, k, weighted, scores[first:last])

        parallel_ranges(score, unit.n_rows, _ROWS_PER_TASK, threads)
        return scores
