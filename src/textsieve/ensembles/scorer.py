"""`SubspaceScorer`: linear classifiers, each of which knows some of the terms, vote.

A member's score of a class is the sum over the terms of the document that it knows of weight x coefficient, and its
intercept. With one label a document it votes for the class with the largest score, the first of equals; with several,
for every class whose score is above 0. A member that knows no term of a document has no vote.

With one label a document, the score of a class is the number of its votes, and half of the share that the class had
among the training documents comes on top: so a class that has more of them wins where votes are equal, and without any
vote the most frequent does; and never more than that. With several, a vote for a class counts half, one against it
minus a half: so a score above 0 is a majority of those who vote. A class that all training documents had has half a
vote on top, so that it is given where nobody votes; one that none had stays behind all others.

A vote is due to the terms that spoke for it: it is shared among those in proportion to what each added to the member's
score (or took off, if it is against); where none did, evenly among the terms of the document that the member knows.

Coefficients are kept term by term, a row for each member that knows the term: with 32 bits, and calculated with as 64.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..archive import ArraySpec, specs_of
from ..classifiers.scorer import require_array, require_ascending, require_finite, require_parts, require_vector
from ..classifiers.vote_parts import shared_votes
from ..errors import InputError, shown
from ..neighbours import frozen
from ..settings import n_threads
from ..text.rows import Rows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Numbers = NDArray[np.int32]

FEW_PRODUCTS = 1 << 22
"""Up to this many are calculated before the kernels would be loaded."""

_ARRAYS = ("term_starts", "members", "coefficients", "member_intercepts", "classes", "intercepts")
_SLICE = 1 << 6
_CHOICES = 1 << 21


class _Known(NamedTuple):
    """The pairs of a value of a row and a member that knows its term."""

    places: Ints  # which value
    members: Numbers
    products: Floats  # pairs x outputs


class _Choice(NamedTuple):
    """One thing that can be voted for, or against."""

    number: int  # of the class
    output: int  # of a member
    sign: float  # of what speaks for it in this output
    worth: float  # of a vote
    voters: NDArray[np.bool_]  # of all members


@dataclass(frozen=True, eq=False)
class SubspaceScorer:
    """Coefficients of the members, term by term, and how they vote."""

    kind: ClassVar[str] = "subspace"

    term_starts: Ints  # the members that know term t are term_starts[t] to term_starts[t + 1]
    members: Numbers  # ascending for each term
    coefficients: NDArray[np.float32]  # a row for each term and member, a column for each output of a member
    member_intercepts: Floats  # members x outputs of a member
    classes: Numbers  # the classes that members vote for; of two, a member has a single output, for the second
    intercepts: Floats
    several: bool

    @property
    def n_terms(self) -> int:
        """How many columns rows have."""
        return len(self.term_starts) - 1

    @property
    def n_outputs(self) -> int:
        """How many scores a document gets."""
        return len(self.intercepts)

    @property
    def n_members(self) -> int:
        """How many members vote."""
        return len(self.member_intercepts)

    def scores(self, rows: Rows, n_jobs: int | None = 1) -> Floats:
        """The scores of each row (rows x outputs), the same for any number of threads and any batches."""
        if rows.n_columns != self.n_terms:
            raise InputError(f"The rows have {rows.n_columns:,} columns, but there are {self.n_terms:,} terms.")
        threads = n_threads(n_jobs)
        n_products = np.diff(self.term_starts)[rows.columns].sum() * self.coefficients.shape[1]
        votes = self._votes_of_many(rows, threads) if n_products > FEW_PRODUCTS else self._votes_of_few(rows)
        return votes + self.intercepts

    def contributions(self, columns: NDArray[Any], values: Floats) -> Floats:
        """What each value of one row adds (values x outputs): its part in the votes."""
        known = self._known(columns, values)
        parts = np.zeros((len(values), self.n_outputs))
        for number, output, sign, worth, voters in self._choices(known):
            pairs = np.flatnonzero(voters[known.members])
            amounts = np.maximum(sign * known.products[pairs, output], 0.0)
            silent = np.bincount(known.members[pairs], amounts, self.n_members) == 0.0
            amounts[silent[known.members[pairs]]] = 1.0
            spoke = np.flatnonzero(amounts > 0.0)
            pairs = pairs[spoke]
            shares = shared_votes(known.members[pairs], amounts[spoke])
            parts[:, number] += worth * np.bincount(known.places[pairs], shares, len(values))
        return parts

    def term_strengths(self) -> Floats:
        """The mean of the members' coefficients (terms x outputs); 0 where a member does not know a term."""
        terms = np.repeat(np.arange(self.n_terms), np.diff(self.term_starts))
        strengths = np.zeros((self.n_terms, self.n_outputs))
        for output in range(self.coefficients.shape[1]):
            mean = np.bincount(terms, self.coefficients[:, output], self.n_terms) / self.n_members
            if self._single:
                strengths[:, self.classes[0]], strengths[:, self.classes[1]] = -mean, mean
            else:
                strengths[:, self.classes[output]] = mean
        return strengths

    def header(self) -> dict[str, Any]:
        """Whether a member may vote for several classes."""
        return {"several": self.several}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The members' coefficients, which terms they know, and which classes they vote for."""
        return {name: getattr(self, name) for name in _ARRAYS}

    @classmethod
    def declared_terms(cls, header: Mapping[str, Any], specs: Mapping[str, ArraySpec], n_outputs: int) -> int:
        """Return the number of terms of a stored scorer, after checking settings and types and shapes of arrays."""
        require_parts(header, specs, ("several",), _ARRAYS)
        several = header["several"]
        if not isinstance(several, bool):
            raise InputError(f"several is {shown(several)}, neither true nor false")
        n_voted = require_vector("classes", specs["classes"], np.int32)
        member_intercepts = specs["member_intercepts"]
        n_members = max((*member_intercepts.shape, 0)[0], 1)
        n_own = 1 if n_voted == 2 and not several else n_voted
        require_array("member_intercepts", member_intercepts, np.float64, (n_members, n_own))
        if n_voted < 2:
            raise InputError("there are fewer than two classes to choose among")
        require_array("intercepts", specs["intercepts"], np.float64, (n_outputs,))
        n_pairs = require_vector("members", specs["members"], np.int32)
        require_array("coefficients", specs["coefficients"], np.float32, (n_pairs, n_own))
        return require_vector("term_starts", specs["term_starts"], np.int64, least=1) - 1

    @classmethod
    def restore(
        cls, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], n_terms: int, n_outputs: int
    ) -> Self:
        """Return the scorer that was stored."""
        cls.declared_terms(header, specs_of(arrays), n_outputs)
        term_starts, members, coefficients, member_intercepts, classes, intercepts = (arrays[name] for name in _ARRAYS)
        require_array("term_starts", term_starts, np.int64, (n_terms + 1,))
        n_members = len(member_intercepts)
        require_ascending("members", members, "term_starts", term_starts, n_members)
        require_ascending("classes", classes, "the bounds of classes", np.array([0, len(classes)]), n_outputs)
        require_finite("coefficients", coefficients)
        require_finite("member_intercepts", member_intercepts)
        require_finite("intercepts", intercepts)
        own = term_starts, members, coefficients, member_intercepts, classes, intercepts
        return cls(*own, header["several"])

    # -- a few rows ----------------------------------------------------------------------------------------------

    @property
    def _single(self) -> bool:
        """Whether a member has one output, which speaks for the second of two classes."""
        return self.coefficients.shape[1] == 1 and len(self.classes) == 2

    def _votes_of_few(self, rows: Rows) -> Floats:
        votes = np.zeros((rows.n_rows, self.n_outputs))
        for row in range(rows.n_rows):
            place = slice(rows.starts[row], rows.starts[row + 1])
            for each in self._choices(self._known(rows.columns[place], rows.values[place])):
                votes[row, each.number] += each.worth * each.voters.sum()
        return votes

    def _known(self, columns: NDArray[Any], values: NDArray[Any]) -> _Known:
        starts = self.term_starts[columns]
        sizes = np.where(values != 0.0, self.term_starts[columns.astype(np.int64) + 1] - starts, 0)
        places = np.repeat(np.arange(len(columns)), sizes)
        found = np.arange(len(places)) + np.repeat(starts - np.concatenate([[0], sizes.cumsum()[:-1]]), sizes)
        products = values[places, np.newaxis].astype(np.float64) * self.coefficients[found]
        return _Known(places, self.members[found], products)

    def _choices(self, known: _Known) -> list[_Choice]:
        """Who votes for each class that can be voted for, and, with several labels, against it."""
        added = [np.bincount(known.members, each, self.n_members) for each in known.products.T]  # in order, as kernels
        sums = np.array(added, np.float64).T + self.member_intercepts
        knows = np.bincount(known.members, minlength=self.n_members) > 0
        if self._single:
            second = sums[:, 0] > 0.0
            return [
                _Choice(int(self.classes[0]), 0, -1.0, 1.0, knows & ~second),
                _Choice(int(self.classes[1]), 0, 1.0, 1.0, knows & second),
            ]
        numbered = list(enumerate(self.classes.tolist()))
        if self.several:
            return [
                _Choice(number, at, sign, 0.5 * sign, knows & ((sums[:, at] > 0.0) == (sign > 0.0)))
                for at, number in numbered
                for sign in (1.0, -1.0)
            ]
        best = sums.argmax(axis=1)
        return [_Choice(number, at, 1.0, 1.0, knows & (best == at)) for at, number in numbered]

    # -- many rows -----------------------------------------------------------------------------------------------

    def choices(self, rows: Rows, n_jobs: int | None = 1) -> Ints:
        """The class that each member votes for, with one label a document (rows x members); -1 for none."""
        from ..kernels.subspace import choose

        found = np.empty((rows.n_rows, self.n_members), np.int64)
        self._for_slices(choose, rows, found, n_threads(n_jobs))
        return found

    def _votes_of_many(self, rows: Rows, threads: int) -> Floats:
        from ..kernels.subspace import approve

        votes = np.zeros((rows.n_rows, self.n_outputs))
        if self.several:
            self._for_slices(approve, rows, votes, threads)
            return votes
        at_a_time = max(_SLICE, _CHOICES // self.n_members)
        for first in range(0, rows.n_rows, at_a_time):
            some = Rows(rows.values, rows.columns, rows.starts[first : first + at_a_time + 1], rows.n_columns)
            choices = self.choices(some, threads)
            for number in range(self.n_outputs):
                votes[first : first + at_a_time, number] = (choices == number).sum(axis=1)
        return votes

    def _for_slices(self, task: Callable[..., None], rows: Rows, found: NDArray[Any], threads: int) -> None:
        from ..text.tally import for_all

        values = frozen(rows.values.astype(np.float64, copy=False))
        columns = frozen(rows.columns.astype(np.int32, copy=False))
        starts = rows.starts.astype(np.int64, copy=False)
        members = self.term_starts, self.members, self.coefficients, self.member_intercepts, self.classes
        own = [frozen(array) for array in members]

        def do(number: int) -> None:
            first, last = number * _SLICE, min((number + 1) * _SLICE, rows.n_rows)
            task(values, columns, starts[first : last + 1], *own, found[first:last])

        for_all(do, -(-rows.n_rows // _SLICE), threads)
