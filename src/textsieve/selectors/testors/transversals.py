"""Minimal hitting sets (transversals) of the rows of a boolean matrix; for the rows of a class, its typical testors.

A row is also the set of the columns in which it is true. A set of columns *hits* a row if it has a column of the row.
A transversal hits all rows, and is minimal if no proper subset does. Of the rows H, let min(H) be the *minimal rows*,
the distinct rows that contain no other row, and Tr(H) the minimal transversals.

**The union of all minimal transversals can be computed without listing them.** It is the union of the minimal rows:

    union of Tr(H) = union of min(H).

To find the minimal rows, only pairs of rows have to be compared, while the number of transversals may grow
exponentially with the number of rows. The proof has two parts:

- A column of a minimal row R is in some minimal transversal. By a theorem of Berge, Tr(Tr(H)) = min(H): the minimal
  rows are the minimal sets that hit all minimal transversals. If the column were in no minimal transversal, R without
  it would still hit all of them, so R would not be minimal.
- A column of a minimal transversal is in some minimal row. The other columns of the transversal miss some minimal row,
  because otherwise they would hit all rows without this column. The column hits this row, so it is in it.

Two edge cases follow from the definitions. If there are no rows, the empty set is the only minimal transversal. An
empty row cannot be hit, so there is no transversal, and the empty row is the only minimal one. In both cases the union
is empty.

The transversals themselves are listed one after the other by two kernels: LEX and MMCS (`kernels/hitting_sets.py`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...arrays import Bools, Ints
from ...errors import InputError
from ...kernels import hitting_sets
from ...kernels.hitting_sets import minimal_sets
from ...settings import as_number, is_whole

Bits = NDArray[np.uint64]
"""Sets of numbers: number i is bit i % 64 of word i // 64."""
Testor = tuple[int, ...]
"""A set of columns, ascending."""

_WORDS_PER_CALL = 1 << 22
"""About how many words a kernel may read before the time limit is checked."""
_SETS_PER_CALL = 1 << 14
"""The largest number of sets that a kernel returns at a time."""


def pack_bits(rows: Any) -> Bits:
    """Return the rows of a boolean matrix as bit sets of columns, with 64 columns per 64-bit word."""
    marks = np.asarray(rows, np.bool_)
    n_words = -(-marks.shape[1] // 64)  # rounded up
    padded_bytes = np.zeros((marks.shape[0], 8 * n_words), np.uint8)
    row_bytes = np.packbits(marks, axis=1, bitorder="little")
    padded_bytes[:, : row_bytes.shape[1]] = row_bytes
    return padded_bytes.view("<u8").astype(np.uint64, copy=False)


def unpack_bits(rows: Bits, n_columns: int) -> Bools:
    """Return bit sets of columns (see `pack_bits`) as the rows of a boolean matrix."""
    row_bytes = np.ascontiguousarray(rows.astype("<u8", copy=False)).view(np.uint8)
    return np.unpackbits(row_bytes, axis=1, count=n_columns, bitorder="little").view(np.bool_)


def minimal_rows(rows: Any) -> Ints:
    """Return the numbers of the rows that contain no other row, the shortest first; of equal rows, only the first."""
    marks, _ = _as_marks(rows)
    return minimal_sets(pack_bits(marks))


def union_of_minimal_rows(rows: Bits) -> Bits:
    """Return the columns that are in some minimal transversal of the rows, as one bit set.

    These are the columns of the minimal rows, the rows that contain no other row.
    """
    return np.asarray(np.bitwise_or.reduce(rows[minimal_sets(rows)], axis=0))


def transversals(
    rows: Any, method: str = "mmcs", *, limit: int | None = None, max_seconds: float | None = None
) -> Transversals:
    """Return an iterator over the minimal transversals of the rows of a matrix, each as a tuple of ascending columns.

    Both methods, "mmcs" and "lex", return the same sets in different orders; "lex" is older and slower. The iterator
    stops after `limit` sets, or `max_seconds` after the first was requested. The matrix may be sparse.
    """
    marks, column_numbers = _as_marks(rows)
    return Transversals(marks, method, limit=limit, max_seconds=max_seconds, column_numbers=column_numbers)


class Count(NamedTuple):
    """The number of minimal transversals found, and whether these are all."""

    number: int
    complete: bool


def count_transversals(rows: Any, method: str = "mmcs", *, max_seconds: float | None = None) -> Count:
    """Return the number of minimal transversals found within `max_seconds`; counting is faster than listing them."""
    deadline = time.monotonic() + _validate_seconds(max_seconds)
    marks, _ = _as_marks(rows)
    search = _start_search(marks, method)
    number = 0
    while not search.done and time.monotonic() < deadline:
        number += search.count_next(_SETS_PER_CALL, search.steps_per_call)
    return Count(number, search.done)


class Transversals(Iterator[Testor]):
    """A lazy iterator over the minimal transversals of the rows of a boolean matrix.

    Parameters
    ----------
    limit, max_seconds : the iterator stops after so many transversals, or so long after the first was requested
    most_members : transversals with more columns are left out; -1 for no limit. The method "lex" ignores it
    most_steps : the search tries at most so many columns
    column_numbers : the numbers of the columns in the results; None: their positions in `rows`

    Attributes
    ----------
    complete : whether all transversals were returned; False as long as that is not known. The search stops when `limit`
        is reached, so it may be False even if there are no others
    steps_left : how many more columns may be tried, or None for no limit
    """

    def __init__(
        self,
        rows: Bools,
        method: str = "mmcs",
        *,
        limit: int | None = None,
        max_seconds: float | None = None,
        most_members: int = -1,
        most_steps: int | None = None,
        column_numbers: Ints | None = None,
    ) -> None:
        self._limit = _validate_limit(limit)
        self._seconds = _validate_seconds(max_seconds)
        self._deadline = np.inf
        self.complete = False
        self.steps_left = most_steps
        self._ready: list[Testor] = []  # found but not returned yet, in reverse order
        self._search = _start_search(rows, method, most_members, column_numbers)
        self._n_returned = 0
        self._n_sets_per_call = 64  # doubled with each call, so that the first sets are returned soon

    def __iter__(self) -> Self:
        """Return the iterator itself."""
        return self

    def __next__(self) -> Testor:
        """Return the next transversal; at the end, set `complete` and raise `StopIteration`."""
        if self._n_returned == 0 and self._deadline == np.inf:  # time is counted from the first request
            self._deadline = time.monotonic() + self._seconds
        if self._n_returned == self._limit:
            self.complete = self._search.done and not self._ready
            raise StopIteration
        if not self._ready and self._find_more() == 0:
            self.complete = self._search.done
            raise StopIteration
        self._n_returned += 1
        return self._ready.pop()

    def _find_more(self) -> int:
        """Continue the search until transversals are ready; return their number.

        It is 0 if there are no more transversals, or if the limit of time or steps is reached.
        """
        search = self._search
        while not self._ready and not search.done and time.monotonic() < self._deadline and self.steps_left != 0:
            n_steps = search.steps_per_call if self.steps_left is None else min(search.steps_per_call, self.steps_left)
            testors = search.next_sets(self._n_sets_per_call, n_steps)
            if self.steps_left is not None:
                self.steps_left -= search.n_steps
            self._ready = testors[::-1]
            self._n_sets_per_call = min(2 * self._n_sets_per_call, _SETS_PER_CALL)
        return len(self._ready)


class Listing(NamedTuple):
    """Minimal transversals (sets of columns) in two arrays."""

    sizes: Ints
    """The number of columns of each set."""
    members: Ints
    """The columns of all sets, one set after the other."""
    complete: bool
    """Whether these are all minimal transversals."""


def list_transversals(rows: Bools, limit: int, most_steps: int) -> Listing:
    """List the minimal transversals with MMCS, until more than `limit` are found or `most_steps` columns were tried.

    The result's `complete` is True only if the search is done and found at most `limit`.
    """
    search = _start_search(rows, "mmcs")
    sizes, members, number = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
    while not search.done and number <= limit and most_steps > 0:
        n_sets = min(limit + 1 - number, _SETS_PER_CALL)  # one more than the limit shows that there are too many
        ends, columns = search.next_arrays(n_sets, min(search.steps_per_call, most_steps))
        sizes.append(np.diff(ends, prepend=0))
        members.append(columns)
        number += len(ends)
        most_steps -= search.n_steps
    return Listing(np.concatenate(sizes), np.concatenate(members), search.done and number <= limit)


class KernelSearch(NamedTuple):
    """A search that a kernel runs in several calls, each of which continues where the last one stopped."""

    call: Callable[[Ints, Ints, int], None]
    """Continues the search for a number of steps; writes where each set ends, and the members of all sets, to arrays.

    The arguments are the two arrays and the number of steps.
    """
    state: Ints
    """Counters of the kernel, indexed by `hitting_sets.DONE`, `N_STEPS`, `N_SETS` and `N_MEMBERS`."""
    most_members: int
    """An upper bound of the size of a set."""
    n_words: int
    """About how many 64-bit words a step reads; a step tries one column."""


class _Search:
    """A search for minimal transversals, and the numbers of its columns."""

    def __init__(self, kernel_search: KernelSearch, column_numbers: Ints) -> None:
        self._kernel = kernel_search
        self._column_numbers = column_numbers
        self.steps_per_call = max(64, _WORDS_PER_CALL // max(kernel_search.n_words, 1))

    @property
    def done(self) -> bool:
        """Return whether all transversals were found."""
        return bool(self._kernel.state[hitting_sets.DONE])

    @property
    def n_steps(self) -> int:
        """Return how many columns the last call tried."""
        return int(self._kernel.state[hitting_sets.N_STEPS])

    def next_sets(self, n_sets: int, n_steps: int) -> list[Testor]:
        """Continue the search; return up to `n_sets` more sets, after at most `n_steps` columns were tried.

        There may be fewer sets even if neither limit is reached and the search is not done: `_run_kernel` limits the
        number of columns in all sets, too.
        """
        ends, members = self.next_arrays(n_sets, n_steps)
        columns, stops = members.tolist(), ends.tolist()  # a set begins where the one before it ends
        return [tuple(sorted(columns[begin:end])) for begin, end in zip([0, *stops], stops, strict=False)]

    def count_next(self, n_sets: int, n_steps: int) -> int:
        """Continue the search like `next_sets`, but return only the number of sets."""
        return len(self._run_kernel(n_sets, n_steps)[0])

    def next_arrays(self, n_sets: int, n_steps: int) -> tuple[Ints, Ints]:
        """Continue the search like `next_sets`, but return where each set ends, and the columns of all sets."""
        ends, members = self._run_kernel(n_sets, n_steps)
        return ends, self._column_numbers[members]

    def _run_kernel(self, n_sets: int, n_steps: int) -> tuple[Ints, Ints]:
        """Continue the search like `next_arrays`, but return columns as the kernel numbers them."""
        ends = np.empty(n_sets, np.int64)
        # The kernel stops when this array has no room for another set; it always has room for one.
        members = np.empty(max(self._kernel.most_members, 16 * n_sets), np.int64)
        self._kernel.call(ends, members, n_steps)
        return ends[: self._kernel.state[hitting_sets.N_SETS]], members[: self._kernel.state[hitting_sets.N_MEMBERS]]


class _KnownResult:
    """Takes the place of a `_Search` whose result is known: for no rows the empty set, for an empty row no set."""

    steps_per_call = n_steps = 0  # no columns are tried

    def __init__(self, sets: list[Testor]) -> None:
        self._sets = sets  # at most the empty set

    @property
    def done(self) -> bool:
        """Return whether all sets were returned."""
        return not self._sets

    def next_sets(self, n_sets: int, n_steps: int) -> list[Testor]:
        """Return all sets."""
        sets, self._sets = self._sets, []
        return sets

    def next_arrays(self, n_sets: int, n_steps: int) -> tuple[Ints, Ints]:
        """Return all sets in the format of `_Search.next_arrays`."""
        sets = self.next_sets(n_sets, n_steps)
        return np.zeros(len(sets), np.int64), np.zeros(0, np.int64)

    def count_next(self, n_sets: int, n_steps: int) -> int:
        """Return the number of sets."""
        return len(self.next_sets(n_sets, n_steps))


def _start_search(
    rows: Bools, method: str, most_members: int = -1, column_numbers: Ints | None = None
) -> _Search | _KnownResult:
    """Return a search for the minimal transversals of the rows; parameters are those of `Transversals`."""
    if not (isinstance(method, str) and method in METHODS):
        raise InputError(setting="method", value=method, allowed=METHODS)
    basic = rows[minimal_rows(rows)]  # the shortest row first
    if not len(basic):  # the empty set hits all of no rows
        return _KnownResult([()])
    if not basic[0].any():  # an empty row, which is the shortest, is contained in all others; no set hits it
        return _KnownResult([])
    columns = np.flatnonzero(basic.any(axis=0))
    columns = columns[np.argsort(~basic[0, columns], kind="stable")]  # columns of the first row first, which LEX needs
    kernel_search = METHODS[method](basic[:, columns], most_members)
    return _Search(kernel_search, columns if column_numbers is None else column_numbers[columns])


def _lex(basic: Bools, most_members: int) -> KernelSearch:
    """Return a LEX search of the basic matrix, whose first row is the shortest and has its columns leftmost.

    LEX has no limit on the number of members, so `most_members` is ignored.
    """
    columns = pack_bits(basic.T)  # for each column the rows that it hits
    full = pack_bits(np.ones((1, len(basic))))[0]  # the set of all rows
    max_size = min(basic.shape)  # each member of a minimal set hits a row that no other member hits
    # For each number of members: the rows that these members hit, and those that exactly one of them hits. There may be
    # 0 to max_size members, and one more column that is tried.
    hit, once = (np.zeros((max_size + 2, len(full)), np.uint64) for _ in range(2))
    # `state` has an element for each constant from `hitting_sets.DEPTH` to `DONE`.
    state, members, n_leading = np.zeros(6, np.int64), np.zeros(max_size + 1, np.int64), int(basic[0].sum())

    def call(ends: Ints, out_members: Ints, n_steps: int) -> None:
        """Continue the search; see `KernelSearch.call`."""
        hitting_sets.lex_walk(columns, full, n_leading, state, members, hit, once, ends, out_members, n_steps)

    return KernelSearch(call, state, most_members=len(members), n_words=len(full))


class SearchArrays(NamedTuple):
    """The arrays of an MMCS search: the basic matrix, and the state of the search (see `kernels/hitting_sets.py`)."""

    columns: Bits  # for each column the rows that it hits
    rows: Bits
    full: Bits  # the set of all rows
    members: Ints  # the columns of the current set; row p of the arrays below belongs to its first p members
    hit: Bits  # the rows that these members hit
    once: Bits  # the rows that exactly one of them hits
    candidates: Bits  # the columns that may be added
    todo: Bits  # the columns that are still to be tried as the next member
    closing: Bits  # the columns that complete a transversal

    @classmethod
    def of(cls, basic: Bools) -> SearchArrays:
        """Return the arrays at the start of a search."""
        rows, full = pack_bits(basic), pack_bits(np.ones((1, len(basic))))[0]
        max_size = min(basic.shape)  # each member of a minimal set hits a row that no other member hits
        # Rows for 0 to max_size members, and for one more column that is tried.
        hit, once = (np.zeros((max_size + 2, len(full)), np.uint64) for _ in range(2))
        candidates, todo, closing = (np.zeros((max_size + 2, rows.shape[1]), np.uint64) for _ in range(3))
        candidates[0] = pack_bits(np.ones((1, basic.shape[1])))[0]  # at first, all columns
        members = np.zeros(max_size + 1, np.int64)
        return cls(pack_bits(basic.T), rows, full, members, hit, once, candidates, todo, closing)


def _mmcs(basic: Bools, most_members: int) -> KernelSearch:
    """Return an MMCS search of the basic matrix for sets of at most `most_members` columns; -1 for no limit."""
    # `state` has an element for each constant from `hitting_sets.DEPTH` to `DONE`.
    arrays, state = SearchArrays.of(basic), np.zeros(6, np.int64)

    def call(ends: Ints, out_members: Ints, n_steps: int) -> None:
        """Continue the search; see `KernelSearch.call`."""
        hitting_sets.mmcs_search(
            arrays.columns,
            arrays.rows,
            arrays.full,
            state,
            arrays.members,
            arrays.hit,
            arrays.once,
            arrays.candidates,
            arrays.todo,
            arrays.closing,
            ends,
            out_members,
            n_steps,
            most_members,
        )

    return KernelSearch(call, state, most_members=len(arrays.members), n_words=arrays.rows.size)


METHODS: dict[str, Callable[[Bools, int], KernelSearch]] = {"mmcs": _mmcs, "lex": _lex}
"""The search functions by name."""


def _as_marks(rows: Any) -> tuple[Bools, Ints | None]:
    """Return a matrix as a dense boolean array, and the numbers of its columns.

    Of a sparse matrix, only the nonempty columns are returned, to save memory, with their numbers. Of a dense one, all
    columns are returned, and None in place of the numbers 0, 1, 2, ...
    """
    is_sparse: bool = sparse.issparse(rows)
    if is_sparse and len(rows.shape) == 2:
        coordinates = sparse.coo_array(rows)
        is_marked = coordinates.data != 0
        columns, positions = np.unique(coordinates.col[is_marked], return_inverse=True)
        marks = np.zeros((coordinates.shape[0], len(columns)), np.bool_)
        marks[coordinates.row[is_marked], positions] = True
        return marks, columns.astype(np.int64)
    marks = np.asarray(rows)
    if marks.ndim != 2 or marks.dtype.kind not in "biuf":
        raise InputError(setting="rows", value=rows, hint="give a matrix of yes and no, of 0 and 1")
    return marks.astype(np.bool_, copy=False), None


def _validate_limit(limit: Any) -> int | None:
    """Return a maximum number of testors; raise `InputError` unless it is None (no limit) or an integer from 0."""
    if not (limit is None or (is_whole(limit) and limit >= 0)):
        raise InputError(setting="limit", value=limit, hint="use a number of testors, or None for all")
    return None if limit is None else int(limit)


def _validate_seconds(seconds: Any) -> float:
    """Return a time limit in seconds, infinite for None; raise `InputError` if it is invalid."""
    if seconds is None:
        return np.inf
    if not (number := as_number(seconds)) >= 0:
        raise InputError(setting="max_seconds", value=seconds, hint="use a number of seconds, or None for no limit")
    return number
