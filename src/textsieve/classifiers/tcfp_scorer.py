"""`TCFPScorer`: votes of terms that count more next to terms they occurred with in training (TCFP with context).

A term t of a document d has the weight tw(t, d) = w(t, d) (1 + f), where f is a factor of t and another term u of the
document: the largest one (`best`), or the mean over all u that have one (`mean`); 0 if there is none. The score of
class c is the sum over the terms of tw(t, d) x coefficient(t, c), which `LinearScorer` adds up. The module `context`
explains the factors.

The factors are stored as lists of partners. For `best`, each term lists all terms that it has a factor with, the
largest factor first: the first partner that is in the document is the best, and is usually found soon. For `mean`, all
partners have to be checked. So each pair is stored in one list only, that of the term with the lower document
frequency, which keeps lists short. Partners with the same factor are adjacent, so that a factor is stored per run and
not per partner. A partner takes two bytes if there are up to 65,536 terms, otherwise four. Factors have 24 bits and
are never below 1/1024, so the sum of half a million of them is exact, in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..archive import ArraySpec, specs_of
from ..arrays import Floats, Int32s, Ints
from ..errors import InputError, shown
from ..neighbours import frozen
from ..settings import n_threads
from ..text.csr import CSR
from .linear import LinearScorer
from .scorer import require_array, require_finite, require_parts, require_vector

if TYPE_CHECKING:
    from ..kernels.cooccurrence import Lists


CONTEXTS = ("best", "mean")
"""The ways to combine the factors of a term."""

FEW_PARTNERS = 1 << 24
"""The largest number of partners that is checked with numpy; more load the compiled kernels."""

LEAST = 1 / 1024
"""A lower bound of all factors: a smaller one would need e^60 documents."""

MOST_OF = 0.7
"""A term that has at least this share of all terms as partners is looked up in a table; see `kernels.cooccurrence`."""

MOST_RANKS = 1 << 16
"""The number of different factors from which a rank takes more than two bytes."""

_SLICE = 1 << 8
_ARRAYS = ("coefficients", "partner_indptr", "partners", "run_indptr", "run_ends", "run_factors")


class Partners(NamedTuple):
    """For each term, the terms that it has a factor with, in runs of equal factor."""

    starts: Ints
    terms: NDArray[Any]  # uint16 or int32
    run_indptr: Ints  # the runs of term t are run_indptr[t] to run_indptr[t + 1]
    run_ends: Int32s  # within the list of the term
    run_factors: NDArray[np.float32]

    def of(self, term: int) -> tuple[NDArray[Any], Int32s, NDArray[np.float32]]:
        """Return the partners of a term, the ends of its runs, and their factors."""
        runs = slice(self.run_indptr[term], self.run_indptr[term + 1])
        return self.terms[self.starts[term] : self.starts[term + 1]], self.run_ends[runs], self.run_factors[runs]

    def run_sizes(self) -> Ints:
        """Return the number of partners in each run."""
        ends = self.run_ends.astype(np.int64)
        sizes = np.concatenate([ends[:1], ends[1:] - ends[:-1]])
        first = self.run_indptr[:-1][self.run_indptr[1:] > self.run_indptr[:-1]]
        sizes[first] = ends[first]
        return sizes


def partner_type(n_terms: int) -> Any:
    """Return the integer type in which partners are stored."""
    return np.uint16 if n_terms <= 1 << 16 else np.int32


@dataclass(frozen=True, eq=False)
class TCFPScorer:
    """Coefficients (terms x outputs), and the factors of pairs of terms."""

    kind: ClassVar[str] = "tcfp"

    coefficients: NDArray[np.float32]
    partners: Partners
    context: str

    @property
    def n_terms(self) -> int:
        """Return the number of terms, which are the columns of the rows to score."""
        return len(self.coefficients)

    @property
    def n_outputs(self) -> int:
        """Return the number of scores of each document."""
        return len(self.intercepts)

    @property
    def intercepts(self) -> Floats:
        """Return zeros: without terms there are no votes."""
        return self._linear.intercepts

    def scores(self, rows: CSR, n_jobs: int | None = 1) -> Floats:
        """Return the scores of each row (rows x outputs), the same for any number of threads and any batches."""
        if rows.n_columns != self.n_terms:
            raise InputError(f"The rows have {rows.n_columns:,} columns, but there are {self.n_terms:,} terms.")
        if not self._are_many(rows):
            return self._linear.scores(self.in_context(rows), n_jobs)
        from ..kernels.csr import score_rows

        scores, no_intercepts = np.empty((rows.n_rows, self.n_outputs)), self.intercepts

        def score(first: int, last: int, part: CSR) -> None:
            score_rows(part.data, part.indices, part.indptr, self.coefficients, no_intercepts, scores[first:last])

        self._weigh_many(rows, n_threads(n_jobs), score)
        return scores

    def in_context(self, rows: CSR, n_jobs: int | None = 1) -> CSR:
        """Return the rows with the weights tw(t, d)."""
        if self._are_many(rows):
            return self._weigh_many(rows, n_threads(n_jobs), lambda first, last, part: None)
        values = rows.data.astype(np.float64, copy=False)
        weights = np.empty(len(values))
        for row in range(rows.n_rows):
            own = slice(rows.indptr[row], rows.indptr[row + 1])
            weights[own] = (1.0 + self._factors_of_one(rows.indices[own], values[own])) * values[own]
        return rows._replace(data=weights)

    def _are_many(self, rows: CSR) -> bool:
        """Return whether to use kernels: there are many partners to check, or their index exists already."""
        return "_index" in vars(self) or int(np.diff(self.partners.starts)[rows.indices].sum()) > FEW_PARTNERS

    def contributions(self, columns: NDArray[Any], values: Floats) -> Floats:
        """Return what each value of one row adds to the scores (values x outputs)."""
        row = CSR(values, columns, np.array([0, len(columns)]), self.n_terms)
        return self._linear.contributions(columns, self.in_context(row).data)

    def term_strengths(self) -> NDArray[np.float32]:
        """Return the coefficients: how each term's vote is split among the classes."""
        return self.coefficients

    def stored_settings(self) -> dict[str, Any]:
        """Return the way in which a term's factors are combined."""
        return {"context": self.context}

    def stored_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the coefficients and partners; partners of two bytes are stored as bytes, little-endian."""
        starts, terms, run_indptr, run_ends, run_factors = self.partners
        if terms.dtype == np.uint16:
            terms = terms.astype("<u2", copy=False).view(np.uint8)
        arrays = self.coefficients, starts, terms, run_indptr, run_ends, run_factors
        return dict(zip(_ARRAYS, arrays, strict=True))

    @classmethod
    def check_declared(cls, settings: Mapping[str, Any], specs: Mapping[str, ArraySpec], n_outputs: int) -> int:
        """Return the number of terms of a stored scorer, after checking settings, types and shapes."""
        require_parts(settings, specs, ("context",), _ARRAYS)
        if settings["context"] not in CONTEXTS:
            raise InputError(f"context is {shown(settings['context'])}, none of {', '.join(CONTEXTS)}")
        coefficients, starts, terms, run_indptr, run_ends, run_factors = (specs[name] for name in _ARRAYS)
        n_terms = (*coefficients.shape, 0)[0]
        require_array("coefficients", coefficients, np.float32, (n_terms, n_outputs))
        require_array("partner_indptr", starts, np.int64, (n_terms + 1,))
        require_array("run_indptr", run_indptr, np.int64, (n_terms + 1,))
        require_array("run_factors", run_factors, np.float32, (require_vector("run_ends", run_ends, np.int32),))
        if partner_type(n_terms) is np.uint16:
            require_array("partners", terms, np.uint8, (terms.size // 2 * 2,))
        else:
            require_vector("partners", terms, np.int32)
        return n_terms

    @classmethod
    def restore(
        cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], n_terms: int, n_outputs: int
    ) -> Self:
        """Return the stored scorer."""
        cls.check_declared(settings, specs_of(arrays), n_outputs)
        coefficients, starts, terms, run_indptr, run_ends, run_factors = (arrays[name] for name in _ARRAYS)
        require_array("coefficients", coefficients, np.float32, (n_terms, n_outputs))
        if partner_type(n_terms) is np.uint16:
            terms = np.require(terms.view("<u2"), np.uint16, "A")
        require_finite("coefficients", coefficients)
        partners = Partners(starts, terms, run_indptr, run_ends, run_factors)
        _require_sound(partners, n_terms)
        return cls(coefficients, partners, settings["context"])

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields to pickle, without the index, which is as large and can be rebuilt."""
        return {"coefficients": self.coefficients, "partners": self.partners, "context": self.context}

    @cached_property
    def _linear(self) -> LinearScorer:
        return LinearScorer(self.coefficients, np.zeros(self.coefficients.shape[1]))

    # -- factors of few rows: numpy -----

    def _factors_of_one(self, columns: NDArray[Any], values: Floats) -> Floats:
        nonzero = np.flatnonzero(values)
        mark, place = np.zeros(self.n_terms, np.bool_), np.zeros(self.n_terms, np.int64)
        mark[columns[nonzero]] = True
        place[columns] = np.arange(len(columns))
        factors, counts = np.zeros(len(values)), np.zeros(len(values), np.int64)
        for position in nonzero.tolist():
            terms, ends, run_factors = self.partners.of(columns[position])
            present = np.flatnonzero(mark[terms])
            if self.context == "best":
                present = present[:1]
            added = run_factors[np.searchsorted(ends, present, "right")].astype(np.float64)
            factors[position] += added.sum()
            counts[position] += len(present)
            if self.context == "mean":  # the partner's own list doesn't have this pair
                others = place[terms[present]]
                factors[others] += added
                counts[others] += 1
        return factors / np.maximum(counts, 1)

    # -- factors of many rows: kernels -----

    @cached_property
    def _index(self) -> tuple[Lists, Int32s, NDArray[Any]]:
        """Return the lists in the format of the kernels, the table slot of each term, and a table of ranks.

        For `best`, the table has a row for each term that has nearly all others as partners: the rank of its factor
        with each term.
        """
        from ..kernels.cooccurrence import Lists

        starts, terms, _, _, run_factors = self.partners
        rising, run_number = np.unique(run_factors, return_inverse=True)
        falling = np.append(rising[::-1], np.float32(0.0))
        no_rank = len(rising)
        rank_type: Any = np.uint16 if no_rank < MOST_RANKS else np.int32
        ranks = np.repeat((no_rank - 1 - run_number).astype(rank_type), self.partners.run_sizes())
        is_frequent = (
            np.diff(starts) > MOST_OF * self.n_terms if self.context == "best" else np.zeros(self.n_terms, np.bool_)
        )
        slots = np.where(is_frequent, np.cumsum(is_frequent) - 1, self.n_terms).astype(np.int32)
        table = np.full((np.count_nonzero(is_frequent), self.n_terms), no_rank, rank_type)
        for term in np.flatnonzero(is_frequent).tolist():
            own = slice(starts[term], starts[term + 1])
            table[slots[term], terms[own]] = ranks[own]
        return Lists(*map(frozen, (starts, terms, ranks, falling))), slots, table

    def _weigh_many(self, rows: CSR, threads: int, then: Callable[[int, int, CSR], None]) -> CSR:
        """Return the rows with the weights tw(t, d); call `then` with each part as soon as it is done."""
        from ..kernels.cooccurrence import best_factors, mean_factors
        from ..threads import parallel_map

        values, columns = rows.data.astype(np.float64, copy=False), rows.indices.astype(np.int32, copy=False)
        starts, weights = rows.indptr.astype(np.int64, copy=False), np.empty(len(values))
        weighted = CSR(weights, columns, starts, rows.n_columns)
        lists, slots, table = self._index

        def weigh(number: int) -> None:
            first, last = number * _SLICE, min((number + 1) * _SLICE, rows.n_rows)
            part = weighted._replace(indptr=starts[first : last + 1])
            if self.context == "best":
                best_factors(columns, values, part.indptr, lists, slots, table, weights)
            else:
                mean_factors(columns, values, part.indptr, lists, weights)
            own = slice(starts[first], starts[last])
            weights[own] += 1.0
            weights[own] *= values[own]
            then(first, last, part)

        parallel_map(weigh, -(-rows.n_rows // _SLICE), threads)
        return weighted


def _require_sound(partners: Partners, n_terms: int) -> None:
    """Raise `InputError` for lists that would lead out of the arrays, or whose factors would give inexact sums."""
    starts, terms, run_indptr, run_ends, run_factors = partners
    for name, array, end in (("partner_indptr", starts, len(terms)), ("run_indptr", run_indptr, len(run_ends))):
        if array[0] != 0 or array[-1] != end or (array[1:] < array[:-1]).any():
            raise InputError(f"{name} does not go from 0 to {end:,}, ascending")
    if (starts[1:] - starts[:-1]).max(initial=0) >= max(n_terms, 1):
        raise InputError("a term has more partners than there are")
    if len(terms) and (terms.min() < 0 or terms.max() >= n_terms):
        raise InputError(f"partners has numbers that are not from 0 to {n_terms - 1}")
    if len(run_factors) and not (run_factors.min() >= LEAST and run_factors.max() <= 1.0):  # also rejects NaN
        raise InputError(f"run_factors has factors that are not from {LEAST:g} to 1")
    if (partners.run_sizes() <= 0).any():
        raise InputError("run_ends do not ascend within a term")
    has_runs = run_indptr[1:] > run_indptr[:-1]
    ends = np.zeros(n_terms, np.int64)
    ends[has_runs] = run_ends[run_indptr[1:][has_runs] - 1]
    if (ends != starts[1:] - starts[:-1]).any():
        raise InputError("run_ends does not end where the partners of a term do")
