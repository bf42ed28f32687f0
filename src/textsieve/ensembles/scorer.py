"""`SubspaceScorer`: linear classifiers, each on a subset of the terms, vote.

The score of a member for a class is its intercept plus the sum of weight x coefficient over the terms of the document
that are in its subset. For single-label documents a member votes for the class with the largest score, the first of
equals. For multilabel documents it votes for every class with a score above 0. A member that has no term of the
document does not vote.

For single-label documents the score of a class is its number of votes plus half of its share of the training
documents. This addition is always less than a vote. So of classes with equal votes the one with more training documents
wins, and without any votes the most frequent class wins. For multilabel documents a vote for a class counts 1/2 and a
vote against it -1/2, so a score above 0 is a majority of the members that vote. A class that all training documents had
gets half a vote in addition, so it is predicted if no member votes; a class that no training document had stays below
all others.

A vote is attributed to the terms that supported it, in proportion to what each added to the member's score (or
subtracted, for a vote against). If none supported it, it is shared equally among the terms of the document that are in
the member's subset.

Coefficients are stored by term, with one row for each member that has the term. They have 32 bits; calculations use 64.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..archive import ArraySpec, specs_of
from ..arrays import Floats, Int32s, Ints
from ..classifiers.scorer import (
    require_array,
    require_ascending,
    require_finite,
    require_parts,
    require_vector,
    shared_votes,
)
from ..errors import InputError, shown
from ..neighbours import frozen
from ..settings import n_threads
from ..text.csr import CSR

FEW_PRODUCTS = 1 << 22
"""Up to this many products are computed with NumPy, which is faster than loading the kernels."""

_ARRAYS = ("term_indptr", "members", "coefficients", "member_intercepts", "classes", "intercepts")
_SLICE = 1 << 6
_CHOICES = 1 << 21


class _KnownPairs(NamedTuple):
    """Pairs of a value of a row and a member that has its term."""

    places: Ints  # the position of the value in the row
    members: Int32s
    products: Floats  # pairs x outputs


class _Choice(NamedTuple):
    """A class that members can vote for or against."""

    number: int  # the number of the class
    output: int  # the output of a member that decides the vote
    sign: float  # the sign of the output that leads to this vote
    worth: float  # what the vote adds to the score of the class
    voters: NDArray[np.bool_]  # which of all members vote so


@dataclass(frozen=True, eq=False)
class SubspaceScorer:
    """The coefficients of the members, by term, and the rule by which they vote."""

    kind: ClassVar[str] = "subspace"

    term_indptr: Ints  # term t has the rows term_indptr[t] to term_indptr[t + 1] of members and coefficients
    members: Int32s  # ascending for each term
    coefficients: NDArray[np.float32]  # a row for each term and member, a column for each output of a member
    member_intercepts: Floats  # members x outputs of a member
    classes: Int32s  # the classes that members vote for; with two classes, the single output is for the second
    intercepts: Floats
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
        if rows.n_columns != self.n_terms:
            raise InputError(f"The rows have {rows.n_columns:,} columns, but there are {self.n_terms:,} terms.")
        threads = n_threads(n_jobs)
        n_products = np.diff(self.term_indptr)[rows.indices].sum() * self.coefficients.shape[1]
        votes = self._votes_of_many(rows, threads) if n_products > FEW_PRODUCTS else self._votes_of_few(rows)
        return votes + self.intercepts

    def contributions(self, columns: NDArray[Any], values: Floats) -> Floats:
        """Return what each value of one row contributes to the votes (values x outputs)."""
        known = self._known(columns, values)
        parts = np.zeros((len(values), self.n_outputs))
        for number, output, sign, worth, voters in self._choices(known):
            pairs = np.flatnonzero(voters[known.members])
            amounts = np.maximum(sign * known.products[pairs, output], 0.0)
            unsupported = np.bincount(known.members[pairs], amounts, self.n_members) == 0.0
            amounts[unsupported[known.members[pairs]]] = 1.0
            supporting = np.flatnonzero(amounts > 0.0)
            pairs = pairs[supporting]
            shares = shared_votes(known.members[pairs], amounts[supporting])
            parts[:, number] += worth * np.bincount(known.places[pairs], shares, len(values))
        return parts

    def term_strengths(self) -> Floats:
        """Return the mean coefficients of the members (terms x outputs), with 0 for members without the term."""
        terms = np.repeat(np.arange(self.n_terms), np.diff(self.term_indptr))
        strengths = np.zeros((self.n_terms, self.n_outputs))
        for output in range(self.coefficients.shape[1]):
            mean = np.bincount(terms, self.coefficients[:, output], self.n_terms) / self.n_members
            if self._single:
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
        require_parts(settings, specs, ("multilabel",), _ARRAYS)
        multilabel = settings["multilabel"]
        if not isinstance(multilabel, bool):
            raise InputError(f"multilabel is {shown(multilabel)}, neither true nor false")
        n_voted = require_vector("classes", specs["classes"], np.int32)
        member_intercepts = specs["member_intercepts"]
        n_members = max((*member_intercepts.shape, 0)[0], 1)
        n_own = 1 if n_voted == 2 and not multilabel else n_voted
        require_array("member_intercepts", member_intercepts, np.float64, (n_members, n_own))
        if n_voted < 2:
            raise InputError("there are fewer than two classes to choose among")
        require_array("intercepts", specs["intercepts"], np.float64, (n_outputs,))
        n_pairs = require_vector("members", specs["members"], np.int32)
        require_array("coefficients", specs["coefficients"], np.float32, (n_pairs, n_own))
        return require_vector("term_indptr", specs["term_indptr"], np.int64, least=1) - 1

    @classmethod
    def restore(
        cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], n_terms: int, n_outputs: int
    ) -> Self:
        """Return the scorer from its stored settings and arrays."""
        cls.check_declared(settings, specs_of(arrays), n_outputs)
        term_indptr, members, coefficients, member_intercepts, classes, intercepts = (arrays[name] for name in _ARRAYS)
        require_array("term_indptr", term_indptr, np.int64, (n_terms + 1,))
        n_members = len(member_intercepts)
        require_ascending("members", members, "term_indptr", term_indptr, n_members)
        require_ascending("classes", classes, "the bounds of classes", np.array([0, len(classes)]), n_outputs)
        require_finite("coefficients", coefficients)
        require_finite("member_intercepts", member_intercepts)
        require_finite("intercepts", intercepts)
        checked_arrays = term_indptr, members, coefficients, member_intercepts, classes, intercepts
        return cls(*checked_arrays, settings["multilabel"])

    # -- a few rows ----------------------------------------------------------------------------------------------

    @property
    def _single(self) -> bool:
        """Return whether a member has one output, which is positive for the second of two classes."""
        return self.coefficients.shape[1] == 1 and len(self.classes) == 2

    def _votes_of_few(self, rows: CSR) -> Floats:
        votes = np.zeros((rows.n_rows, self.n_outputs))
        for row in range(rows.n_rows):
            values_of_row = slice(rows.indptr[row], rows.indptr[row + 1])
            for choice in self._choices(self._known(rows.indices[values_of_row], rows.data[values_of_row])):
                votes[row, choice.number] += choice.worth * choice.voters.sum()
        return votes

    def _known(self, columns: NDArray[Any], values: NDArray[Any]) -> _KnownPairs:
        starts = self.term_indptr[columns]
        sizes = np.where(values != 0.0, self.term_indptr[columns.astype(np.int64) + 1] - starts, 0)
        places = np.repeat(np.arange(len(columns)), sizes)
        pair_rows = np.arange(len(places)) + np.repeat(starts - np.concatenate([[0], sizes.cumsum()[:-1]]), sizes)
        products = values[places, np.newaxis].astype(np.float64) * self.coefficients[pair_rows]
        return _KnownPairs(places, self.members[pair_rows], products)

    def _choices(self, known: _KnownPairs) -> list[_Choice]:
        """Return which members vote for each class and, for multilabel scorers, against it."""
        # bincount adds in order, as the kernels do.
        member_sums = [np.bincount(known.members, products, self.n_members) for products in known.products.T]
        sums = np.array(member_sums, np.float64).T + self.member_intercepts
        can_vote = np.bincount(known.members, minlength=self.n_members) > 0
        if self._single:
            second = sums[:, 0] > 0.0
            return [
                _Choice(int(self.classes[0]), 0, -1.0, 1.0, can_vote & ~second),
                _Choice(int(self.classes[1]), 0, 1.0, 1.0, can_vote & second),
            ]
        numbered = list(enumerate(self.classes.tolist()))
        if self.multilabel:
            return [
                _Choice(number, output, sign, 0.5 * sign, can_vote & ((sums[:, output] > 0.0) == (sign > 0.0)))
                for output, number in numbered
                for sign in (1.0, -1.0)
            ]
        best = sums.argmax(axis=1)
        return [_Choice(number, output, 1.0, 1.0, can_vote & (best == output)) for output, number in numbered]

    # -- many rows -----------------------------------------------------------------------------------------------

    def choices(self, rows: CSR, n_jobs: int | None = 1) -> Ints:
        """Return the class that each member votes for (rows x members), or -1; for single-label documents."""
        from ..kernels.subspace import choose

        choices = np.empty((rows.n_rows, self.n_members), np.int64)
        self._for_slices(choose, rows, choices, n_threads(n_jobs))
        return choices

    def _votes_of_many(self, rows: CSR, threads: int) -> Floats:
        from ..kernels.subspace import approve

        votes = np.zeros((rows.n_rows, self.n_outputs))
        if self.multilabel:
            self._for_slices(approve, rows, votes, threads)
            return votes
        at_a_time = max(_SLICE, _CHOICES // self.n_members)
        for first in range(0, rows.n_rows, at_a_time):
            batch = CSR(rows.data, rows.indices, rows.indptr[first : first + at_a_time + 1], rows.n_columns)
            choices = self.choices(batch, threads)
            for number in range(self.n_outputs):
                votes[first : first + at_a_time, number] = (choices == number).sum(axis=1)
        return votes

    def _for_slices(self, task: Callable[..., None], rows: CSR, out: NDArray[Any], threads: int) -> None:
        from ..threads import parallel_map

        values = frozen(rows.data.astype(np.float64, copy=False))
        columns = frozen(rows.indices.astype(np.int32, copy=False))
        starts = rows.indptr.astype(np.int64, copy=False)
        members = self.term_indptr, self.members, self.coefficients, self.member_intercepts, self.classes
        arrays = [frozen(array) for array in members]

        def do(number: int) -> None:
            first, last = number * _SLICE, min((number + 1) * _SLICE, rows.n_rows)
            task(values, columns, starts[first : last + 1], *arrays, out[first:last])

        parallel_map(do, -(-rows.n_rows // _SLICE), threads)
