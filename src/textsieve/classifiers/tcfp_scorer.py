"""`TCFPScorer`: the scorer of TCFP with context, where a term counts more next to terms it occurred with in training.

A term t of a document d has the weight tw(t, d) = w(t, d) (1 + f). Here f combines the factors that t has with the
other terms of the document: it is the largest of them ("best") or their mean ("mean"), and 0 if there are none. The
score of class c is the sum over the terms of tw(t, d) x coefficient(t, c), which `LinearScorer` adds up. The module
`tcfp` explains the factors.

The terms that have a factor with t are the *partners* of t, and the factors are stored as lists of partners, the
largest factor first. For "best", each term lists all of its partners: the first one that is in the document is the
best, and is usually found soon. For "mean", all partners have to be checked. So each pair is stored in one list only,
that of the term with the lower document frequency, which keeps lists short.

Partners with the same factor are adjacent, so that a factor is stored once for such a *run* of partners. A partner
takes two bytes if there are up to 65,536 terms, otherwise four. Factors are 32-bit floats, which have 24 binary digits,
and never below 1/1024, so the sum of half a million of them is exact as a 64-bit float, in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..archive import ArraySpec
from ..arrays import CSR, Floats, Int32s, Ints
from ..errors import InputError, shown
from ..neighbours import frozen
from ..settings import n_threads
from .linear import LinearScorer
from .scorer import (
    Layout,
    check_layout,
    check_stored,
    require_columns,
    require_finite,
    require_indptr,
    require_range,
    require_settings,
)

if TYPE_CHECKING:
    from ..kernels.cooccurrence import Lists


CONTEXTS = ("best", "mean")
"""The ways to combine the factors of a term."""

FEW_PARTNERS = 1 << 24
"""The largest number of partners that is checked with numpy; more load the compiled kernels."""

MIN_FACTOR = 1 / 1024
"""A lower bound of all factors: a smaller one would need more than e^60 documents."""

TABLE_SHARE = 0.7
"""A term that has more than this share of all terms as partners is looked up in a table; see `kernels.cooccurrence`."""

MAX_RANKS = 1 << 16
"""The number of ranks that two bytes can hold; a rank stands for a factor."""

_ROWS_PER_TASK = 1 << 8
"""The number of rows that a thread gets at a time."""

_ARRAYS: Layout = {
    "coefficients": (np.float32, ("terms", "outputs")),
    "partner_indptr": (np.int64, ("terms+1",)),
    "partners": (np.uint8, ("bytes",)),  # two bytes for each partner, little-endian
    "run_indptr": (np.int64, ("terms+1",)),
    "run_ends": (np.int32, ("runs",)),
    "run_factors": (np.float32, ("runs",)),
}

_ARRAYS_OF_MANY_TERMS: Layout = {**_ARRAYS, "partners": (np.int32, ("partners",))}


class Partners(NamedTuple):
    """The partners of each term, in runs of equal factor."""

    indptr: Ints  # the partners of term t are indptr[t] to indptr[t + 1] of `terms`
    terms: NDArray[Any]  # the numbers of the partners; uint16 or int32
    run_indptr: Ints  # the runs of term t are run_indptr[t] to run_indptr[t + 1] of `run_ends` and `run_factors`
    run_ends: Int32s  # where each run ends, counted from the first partner of the term
    run_factors: NDArray[np.float32]

    def of(self, term: int) -> tuple[NDArray[Any], Int32s, NDArray[np.float32]]:
        """Return the partners of a term, the ends of its runs, and their factors."""
        runs = slice(self.run_indptr[term], self.run_indptr[term + 1])
        return self.terms[self.indptr[term] : self.indptr[term + 1]], self.run_ends[runs], self.run_factors[runs]

    def run_sizes(self) -> Ints:
        """Return the number of partners in each run."""
        ends = self.run_ends.astype(np.int64)
        sizes = np.concatenate([ends[:1], ends[1:] - ends[:-1]])
        # The first run of each term starts at 0, because ends are counted from the first partner of the term.
        first_runs = self.run_indptr[:-1][self.run_indptr[1:] > self.run_indptr[:-1]]
        sizes[first_runs] = ends[first_runs]
        return sizes


def partner_type(n_terms: int) -> Any:
    """Return the integer type in which partners are stored, as numbers of terms from 0."""
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
        """Return the scores of each row (rows x outputs), the same for any number of threads and any batch size."""
        require_columns(rows, self.n_terms)
        if not self._needs_kernels(rows):
            return self._linear.scores(self.in_context(rows), n_jobs)
        from ..kernels.csr import score_rows

        scores, zero_intercepts = np.empty((rows.n_rows, self.n_outputs)), self.intercepts

        def score(first: int, last: int, part: CSR) -> None:
            """Write the scores of `part`, the weighted rows from `first` to before `last`, to `scores`."""
            score_rows(part.data, part.indices, part.indptr, self.coefficients, zero_intercepts, scores[first:last])

        self._weigh_many(rows, n_threads(n_jobs), then=score)
        return scores

    def in_context(self, rows: CSR, n_jobs: int | None = 1) -> CSR:
        """Return the rows with the weights tw(t, d): each weight times 1 + f, where f combines its term's factors."""
        if self._needs_kernels(rows):
            return self._weigh_many(rows, n_threads(n_jobs), then=lambda first, last, part: None)
        values = rows.data.astype(np.float64, copy=False)
        weights = np.empty(len(values))
        for row in range(rows.n_rows):
            in_row = slice(rows.indptr[row], rows.indptr[row + 1])
            weights[in_row] = (1.0 + self._factors_of_row(rows.indices[in_row], values[in_row])) * values[in_row]
        return rows._replace(data=weights)

    def _needs_kernels(self, rows: CSR) -> bool:
        """Return whether kernels are faster: if there are many partners to check, or if their index exists already."""
        return "_index" in vars(self) or int(np.diff(self.partners.indptr)[rows.indices].sum()) > FEW_PARTNERS

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
        indptr, terms, run_indptr, run_ends, run_factors = self.partners
        if terms.dtype == np.uint16:
            terms = terms.astype("<u2", copy=False).view(np.uint8)
        arrays = self.coefficients, indptr, terms, run_indptr, run_ends, run_factors
        return dict(zip(_ARRAYS, arrays, strict=True))

    @classmethod
    def check_declared(cls, settings: Mapping[str, Any], specs: Mapping[str, ArraySpec], n_outputs: int) -> int:
        """Return the number of terms of a stored scorer, after checking settings, types and shapes."""
        require_settings(settings, "context")
        if settings["context"] not in CONTEXTS:
            raise InputError(f"context is {shown(settings['context'])}, none of {', '.join(CONTEXTS)}")
        # Partners are an int32 array, or with up to 65,536 terms an array of bytes, two for each partner.
        has_wide_partners = "partners" in specs and specs["partners"].dtype == np.int32
        sizes = check_layout(specs, _ARRAYS_OF_MANY_TERMS if has_wide_partners else _ARRAYS, outputs=n_outputs)
        needs_wide_partners = partner_type(sizes["terms"]) is np.int32
        has_odd_bytes = not has_wide_partners and sizes["bytes"] % 2 == 1
        if has_wide_partners != needs_wide_partners or has_odd_bytes:
            raise InputError(f"partners is not two bytes a partner for up to {1 << 16:,} terms, or four for more")
        return sizes["terms"]

    @classmethod
    def restore(
        cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], n_terms: int, n_outputs: int
    ) -> Self:
        """Return the stored scorer."""
        check_stored(cls, settings, arrays, n_terms, n_outputs)
        coefficients, indptr, terms, run_indptr, run_ends, run_factors = (arrays[name] for name in _ARRAYS)
        if terms.dtype == np.uint8:
            terms = np.require(terms.view("<u2"), np.uint16, "A")  # in native byte order, and aligned
        require_finite("coefficients", coefficients)
        partners = Partners(indptr, terms, run_indptr, run_ends, run_factors)
        _check_partners(partners, n_terms)
        return cls(coefficients, partners, settings["context"])

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields to pickle, without the index, which is as large and can be rebuilt."""
        return {"coefficients": self.coefficients, "partners": self.partners, "context": self.context}

    @cached_property
    def _linear(self) -> LinearScorer:
        """Return the scorer for rows whose weights are in context already."""
        return LinearScorer(self.coefficients, np.zeros(self.coefficients.shape[1]))

    # -- factors of few rows: numpy -----

    def _factors_of_row(self, columns: NDArray[Any], values: Floats) -> Floats:
        """Return the factor f of each value of one row: the best or mean factor of its term with the row's other terms.

        f is 0 for a term without partners in the row. A value of 0 means that the term is absent.
        """
        nonzero = np.flatnonzero(values)
        is_present, position_of = np.zeros(self.n_terms, np.bool_), np.zeros(self.n_terms, np.int64)
        is_present[columns[nonzero]] = True
        position_of[columns] = np.arange(len(columns))  # for each term of the row, its position in the row
        sums, counts = np.zeros(len(values)), np.zeros(len(values), np.int64)
        for position in nonzero.tolist():
            partners, run_ends, run_factors = self.partners.of(columns[position])
            present = np.flatnonzero(is_present[partners])  # positions in the list of partners
            if self.context == "best":
                present = present[:1]  # lists start with the largest factors
            runs = np.searchsorted(run_ends, present, "right")  # the run of each of these partners
            factors = run_factors[runs].astype(np.float64)
            sums[position] += factors.sum()
            counts[position] += len(present)
            if self.context == "mean":  # a pair is in one of the two lists only, so it counts for the partner as well
                positions = position_of[partners[present]]
                sums[positions] += factors
                counts[positions] += 1
        return sums / np.maximum(counts, 1)

    # -- factors of many rows: kernels -----

    @cached_property
    def _index(self) -> tuple[Lists, Int32s, NDArray[Any]]:
        """Return what the kernels search: the lists of partners, `slots` and `table`.

        The lists have *ranks* instead of factors; the largest factor has rank 0. The table, for "best" only, has a row
        for each term that has most other terms as partners (see `TABLE_SHARE`), and in it the rank of the term's factor
        with each term. `slots` has the number of each term's row in the table; for a term without a row it is the
        number of terms.
        """
        from ..kernels.cooccurrence import Lists

        indptr, partners, _, _, run_factors = self.partners
        ascending, run_position = np.unique(run_factors, return_inverse=True)
        factor_of_rank = np.append(ascending[::-1], np.float32(0.0))  # the last rank is that of pairs without a factor
        no_factor = len(ascending)
        rank_type: Any = np.uint16 if no_factor < MAX_RANKS else np.int32
        ranks = np.repeat((no_factor - 1 - run_position).astype(rank_type), self.partners.run_sizes())
        has_row = np.zeros(self.n_terms, np.bool_)
        if self.context == "best":
            has_row = np.diff(indptr) > TABLE_SHARE * self.n_terms
        slots = np.where(has_row, np.cumsum(has_row) - 1, self.n_terms).astype(np.int32)
        table = np.full((np.count_nonzero(has_row), self.n_terms), no_factor, rank_type)
        for term in np.flatnonzero(has_row).tolist():
            of_term = slice(indptr[term], indptr[term + 1])
            table[slots[term], partners[of_term]] = ranks[of_term]
        return Lists(*map(frozen, (indptr, partners, ranks, factor_of_rank))), slots, table

    def _weigh_many(self, rows: CSR, threads: int, then: Callable[[int, int, CSR], None]) -> CSR:
        """Return the rows with the weights tw(t, d), calculated by kernels.

        Each thread weighs a few rows at a time, and then calls `then(first, last, part)` with the range of their
        numbers and the weighted rows themselves.
        """
        from ..kernels.cooccurrence import best_factors, mean_factors
        from ..threads import parallel_ranges

        values, columns = rows.data.astype(np.float64, copy=False), rows.indices.astype(np.int32, copy=False)
        indptr, weights = rows.indptr.astype(np.int64, copy=False), np.empty(len(values))
        weighted = CSR(weights, columns, indptr, rows.n_columns)
        lists, slots, table = self._index

        def weigh(first: int, last: int) -> None:
            """Write the weights of the rows from `first` to before `last` to `weights`, and call `then`."""
            part = weighted._replace(indptr=indptr[first : last + 1])
            # The kernels write the factors f of these rows to `weights`, which then become w(t, d) (1 + f).
            if self.context == "best":
                best_factors(columns, values, part.indptr, lists, slots, table, weights)
            else:
                mean_factors(columns, values, part.indptr, lists, weights)
            in_part = slice(indptr[first], indptr[last])
            weights[in_part] += 1.0
            weights[in_part] *= values[in_part]
            then(first, last, part)

        parallel_ranges(weigh, rows.n_rows, _ROWS_PER_TASK, threads)
        return weighted


def _check_partners(partners: Partners, n_terms: int) -> None:
    """Raise `InputError` for lists that would lead out of the arrays, or whose factors would give inexact sums."""
    indptr, terms, run_indptr, run_ends, run_factors = partners
    require_indptr("partner_indptr", indptr, len(terms))
    require_indptr("run_indptr", run_indptr, len(run_ends))
    if (indptr[1:] - indptr[:-1]).max(initial=0) >= max(n_terms, 1):  # a term is not its own partner
        raise InputError("a term has more partners than there are")
    require_range("partners", terms, n_terms)
    if len(run_factors) and not (run_factors.min() >= MIN_FACTOR and run_factors.max() <= 1.0):  # also rejects NaN
        raise InputError(f"run_factors has factors that are not from {MIN_FACTOR:g} to 1")
    if (partners.run_sizes() <= 0).any():
        raise InputError("run_ends do not ascend within a term")
    has_runs = run_indptr[1:] > run_indptr[:-1]
    last_ends = np.zeros(n_terms, np.int64)  # where the last run of each term ends; 0 without partners
    last_ends[has_runs] = run_ends[run_indptr[1:][has_runs] - 1]
    if (last_ends != indptr[1:] - indptr[:-1]).any():
        raise InputError("run_ends does not end where the partners of a term do")
