"""`SubspaceScorer`: the votes of linear classifiers, the members of an ensemble, each on a subset of the terms.

**Members.** The score of a member for a class is its intercept plus the sum of weight x coefficient over the terms of
the document that are in its subset. For single-label documents a member votes for the class with the largest score, the
first of equals. For multilabel documents it votes for every class with a score above 0, and against all others. A
member that has no term of the document does not vote.

**Single-label documents.** The ensemble's score of a class is its number of votes plus half of its share of the
training documents. This addition is always less than a vote. So of classes with equal votes the one with more training
documents wins, and without any votes the most frequent class wins.

**Multilabel documents.** A vote for a class counts 1/2 and a vote against it -1/2, so a score above 0 is a majority of
the members that vote. A class that all training documents had gets 1/2 in addition, so it is predicted if no member
votes. A class that no training document had gets minus the number of members, so it stays below all others.

**Explanations.** A vote is divided among the terms that supported it, in proportion to what each added to the member's
score for the class (or subtracted, for a vote against it). If none supported it, it is divided equally among the terms
of the document that are in the member's subset.

Coefficients are stored by term, with one row for each member that has the term. They have 32 bits; calculations use 64.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..archive import ArraySpec
from ..arrays import CSR, Bools, Floats, Int32s, Ints
from ..classifiers.scorer import (
    Layout,
    ascends_in_parts,
    check_layout,
    check_stored,
    join_ranges,
    require_columns,
    require_finite,
    require_indptr,
    require_range,
    require_settings,
    split_votes,
)
from ..errors import InputError, shown
from ..neighbours import frozen
from ..settings import n_threads

FEW_PRODUCTS = 1 << 22
"""Up to this many products are computed with NumPy, which is faster than loading the kernels."""

_ROWS_PER_TASK = 1 << 6
"""The number of rows that a thread gets at a time."""

_MAX_CHOICES = 1 << 21
"""The largest table of choices (rows x members) that is in memory at a time."""

_ARRAYS: Layout = {
    "term_indptr": (np.int64, ("terms+1",)),
    "members": (np.int32, ("pairs",)),
    "coefficients": (np.float32, ("pairs", "member_outputs")),
    "member_intercepts": (np.float64, ("members", "member_outputs")),
    "classes": (np.int32, ("voted_classes",)),
    "intercepts": (np.float64, ("outputs",)),
}


class _Products(NamedTuple):
    """The products of each value of one row with the coefficients of its term, for each member that has the term."""

    positions: Ints  # for each (value, member) pair: the position of the value in the row
    members: Int32s  # for each pair: the number of the member
    products: Floats  # (value, member) pairs x outputs of a member


class _Vote(NamedTuple):
    """A vote that members can cast, for a class or against it, and the members that cast it for one document."""

    class_number: int
    output: int  # the output of a member that decides the vote
    sign: float  # 1 if a large output leads to this vote, -1 if a small one does
    worth: float  # what the vote adds to the score of the class
    voters: Bools  # which of all members cast the vote


@dataclass(frozen=True, eq=False)
class SubspaceScorer:
    """The coefficients of the members, by term, and the rule by which they vote."""

    kind: ClassVar[str] = "subspace"

    term_indptr: Ints  # term t has the rows term_indptr[t] to term_indptr[t + 1] of members and coefficients
    members: Int32s  # ascending for each term
    coefficients: NDArray[np.float32]  # a row for each term and member, a column for each output of a member
    member_intercepts: Floats  # members x outputs of a member
    classes: Int32s  # the classes that members vote for; a single output is positive for the second of two
    intercepts: Floats  # a number for each class, also for those that are not in `classes`
    multilabel: bool

    @property
    def n_terms(self) -> int:
        """Return the number of terms, which is the number of columns of rows."""
        return len(self.term_indptr) - 1

    @property
    def n_outputs(self) -> int:
        """Return the number of scores of a document."""
        return len(self.intercepts)

    @property
    def n_members(self) -> int:
        """Return the number of members."""
        return len(self.member_intercepts)

    def scores(self, rows: CSR, n_jobs: int | None = 1) -> Floats:
        """Return the scores of each row (rows x outputs); they don't depend on the number of threads or on batches."""
        require_columns(rows, self.n_terms)
        threads = n_threads(n_jobs)
        n_products = np.diff(self.term_indptr)[rows.indices].sum() * self.coefficients.shape[1]
        votes = self._votes_of_many(rows, threads) if n_products > FEW_PRODUCTS else self._votes_of_few(rows)
        return votes + self.intercepts

    def contributions(self, columns: NDArray[Any], values: Floats) -> Floats:
        """Return what each value of one row contributes to the votes (values x outputs)."""
        positions, members, products = row_products = self._products(columns, values)
        contributions = np.zeros((len(values), self.n_outputs))
        for class_number, output, sign, worth, voters in self._votes(row_products):
            pairs = np.flatnonzero(voters[members])  # the (value, member) pairs of members that cast this vote
            support = np.maximum(sign * products[pairs, output], 0.0)  # what the value of each pair adds to the vote
            has_no_support = np.bincount(members[pairs], support, self.n_members) == 0.0  # for each member
            support[has_no_support[members[pairs]]] = 1.0  # the vote of such a member is divided equally
            supporting = np.flatnonzero(support > 0.0)
            pairs = pairs[supporting]
            shares = split_votes(members[pairs], support[supporting])
            contributions[:, class_number] += worth * np.bincount(positions[pairs], shares, len(values))
        return contributions

    def term_strengths(self) -> Floats:
        """Return the mean coefficients over all members (terms x outputs); members without the term count as 0.

        Classes that members don't vote for get 0.
        """
        terms = np.repeat(np.arange(self.n_terms), np.diff(self.term_indptr))  # the term of each row of coefficients
        strengths = np.zeros((self.n_terms, self.n_outputs))
        for output in range(self.coefficients.shape[1]):
            mean = np.bincount(terms, self.coefficients[:, output], self.n_terms) / self.n_members
            if self._has_one_output:  # what speaks for the second class speaks against the first
                strengths[:, self.classes[0]], strengths[:, self.classes[1]] = -mean, mean
            else:
                strengths[:, self.classes[output]] = mean
        return strengths

    def stored_settings(self) -> dict[str, Any]:
        """Return the settings to store: whether the scorer is multilabel."""
        return {"multilabel": self.multilabel}

    def stored_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays to store: coefficients, the terms of the members, and the classes they vote for."""
        return {name: getattr(self, name) for name in _ARRAYS}

    @classmethod
    def check_declared(cls, settings: Mapping[str, Any], specs: Mapping[str, ArraySpec], n_outputs: int) -> int:
        """Return the number of terms of a stored scorer, after checking its settings, array types and shapes."""
        require_settings(settings, "multilabel")
        multilabel = settings["multilabel"]
        if not isinstance(multilabel, bool):
            raise InputError(f"multilabel is {shown(multilabel)}, neither true nor false")
        sizes = check_layout(specs, _ARRAYS, outputs=n_outputs)
        n_voted, n_member_outputs = sizes["voted_classes"], sizes["member_outputs"]
        if n_voted < 2:
            raise InputError("there are fewer than two classes to choose among")
        # Two classes of single-label documents have one output, positive for the second class.
        if n_member_outputs != (1 if n_voted == 2 and not multilabel else n_voted):
            raise InputError(f"member_intercepts has {n_member_outputs:,} columns for {n_voted:,} classes")
        if not sizes["members"]:
            raise InputError("member_intercepts has no member")
        return sizes["terms"]

    @classmethod
    def restore(
        cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], n_terms: int, n_outputs: int
    ) -> Self:
        """Return the scorer from its stored settings and arrays."""
        check_stored(cls, settings, arrays, n_terms, n_outputs)
        require_indptr("term_indptr", arrays["term_indptr"], len(arrays["members"]))
        require_range("members", arrays["members"], len(arrays["member_intercepts"]))
        require_range("classes", arrays["classes"], n_outputs)
        if not ascends_in_parts(arrays["term_indptr"], arrays["members"]):
            raise InputError("the members that have a term do not ascend")
        if not ascends_in_parts(np.array([0, len(arrays["classes"])]), arrays["classes"]):
            raise InputError("classes do not ascend")
        for name in ("coefficients", "member_intercepts", "intercepts"):
            require_finite(name, arrays[name])
        return cls(**arrays, multilabel=settings["multilabel"])

    # -- a few rows ----------------------------------------------------------------------------------------------

    @property
    def _has_one_output(self) -> bool:
        """Return whether a member has one output, which is positive for the second of two classes."""
        return self.coefficients.shape[1] == 1 and len(self.classes) == 2

    def _votes_of_few(self, rows: CSR) -> Floats:
        """Return the scores of each row without the intercepts, calculated with numpy."""
        scores = np.zeros((rows.n_rows, self.n_outputs))
        for row in range(rows.n_rows):
            in_row = slice(rows.indptr[row], rows.indptr[row + 1])
            for vote in self._votes(self._products(rows.indices[in_row], rows.data[in_row])):
                scores[row, vote.class_number] += vote.worth * vote.voters.sum()
        return scores

    def _products(self, columns: NDArray[Any], values: NDArray[Any]) -> _Products:
        """Return the products of the values of one row with the coefficients of all members; zeros are skipped."""
        begins = self.term_indptr[columns]  # the first stored row of the term of each value
        # For each value, the number of members that have its term; 0 skips the value.
        n_members = np.where(values != 0.0, self.term_indptr[columns.astype(np.int64) + 1] - begins, 0)
        positions = np.repeat(np.arange(len(columns)), n_members)
        stored_rows = join_ranges(begins, n_members)  # the row of each (value, member) pair in the stored arrays
        products = values[positions, np.newaxis].astype(np.float64) * self.coefficients[stored_rows]
        return _Products(positions, self.members[stored_rows], products)

    def _votes(self, row_products: _Products) -> list[_Vote]:
        """Return which members vote for each class and, for multilabel scorers, against it, in one row."""
        members = row_products.members
        # bincount adds in order, as the kernels do.
        sums = [np.bincount(members, products, self.n_members) for products in row_products.products.T]
        scores = np.array(sums, np.float64).T + self.member_intercepts  # members x outputs
        # A member without any term of the row does not vote.
        can_vote = np.bincount(members, minlength=self.n_members) > 0
        if self._has_one_output:
            for_second = scores[:, 0] > 0.0
            return [
                _Vote(int(self.classes[0]), output=0, sign=-1.0, worth=1.0, voters=can_vote & ~for_second),
                _Vote(int(self.classes[1]), output=0, sign=1.0, worth=1.0, voters=can_vote & for_second),
            ]
        outputs = list(enumerate(self.classes.tolist()))  # each output of a member, with the number of its class
        if self.multilabel:
            return [
                _Vote(number, output, sign, worth=0.5 * sign, voters=can_vote & ((scores[:, output] > 0.0) == is_for))
                for output, number in outputs
                for sign, is_for in ((1.0, True), (-1.0, False))
            ]
        best = scores.argmax(axis=1)
        return [
            _Vote(number, output, sign=1.0, worth=1.0, voters=can_vote & (best == output)) for output, number in outputs
        ]

    # -- many rows -----------------------------------------------------------------------------------------------

    def choices(self, rows: CSR, n_jobs: int | None = 1) -> Ints:
        """Return the class that each member votes for (rows x members), or -1 if it abstains.

        This is for single-label scorers only.
        """
        from ..kernels.subspace import choose

        choices = np.empty((rows.n_rows, self.n_members), np.int64)
        self._run_kernel(choose, rows, choices, n_threads(n_jobs))
        return choices

    def _votes_of_many(self, rows: CSR, threads: int) -> Floats:
        """Return the scores of each row without the intercepts, calculated by kernels."""
        from ..kernels.subspace import approve

        scores = np.zeros((rows.n_rows, self.n_outputs))
        if self.multilabel:
            self._run_kernel(approve, rows, scores, threads)
            return scores
        batch_size = max(_ROWS_PER_TASK, _MAX_CHOICES // self.n_members)
        for first in range(0, rows.n_rows, batch_size):
            # `data` and `indices` stay whole: a part of `indptr` refers to them by the same positions.
            batch = rows._replace(indptr=rows.indptr[first : first + batch_size + 1])
            choices = self.choices(batch, threads)
            for number in range(self.n_outputs):
                scores[first : first + batch_size, number] = (choices == number).sum(axis=1)
        return scores

    def _run_kernel(self, kernel: Callable[..., None], rows: CSR, out: NDArray[Any], threads: int) -> None:
        """Call a kernel that writes to the rows of `out` what it computes for the same rows of `rows`."""
        from ..threads import parallel_ranges

        values = frozen(rows.data.astype(np.float64, copy=False))
        columns = frozen(rows.indices.astype(np.int32, copy=False))
        indptr = rows.indptr.astype(np.int64, copy=False)
        member_arrays = self.term_indptr, self.members, self.coefficients, self.member_intercepts, self.classes
        frozen_arrays = [frozen(array) for array in member_arrays]

        def run(first: int, last: int) -> None:
            """Call the kernel for the rows from `first` to before `last`."""
            kernel(values, columns, indptr[first : last + 1], *frozen_arrays, out[first:last])

        parallel_ranges(run, rows.n_rows, _ROWS_PER_TASK, threads)
