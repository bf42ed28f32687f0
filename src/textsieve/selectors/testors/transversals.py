"""Minimal hitting sets (transversals) of the rows of a boolean matrix; for the rows of a class, its typical testors.

A set of columns *hits* a row if the row is true in one of them. A transversal hits all rows, and is minimal if no
proper subset does. Let min(H) be the distinct rows of H that contain no other row, and Tr(H) the minimal transversals.

**The union can be computed without transversals.** Tr(Tr(H)) = min(H): a minimal set that hits all minimal transversals
is a minimal row (Berge). So a column that is in some minimal row R is in some minimal transversal: if it were in none,
R without it would still hit all of them, and R would not be minimal. Conversely, a column of a minimal transversal is
in a minimal row, namely one that no other column of the transversal hits. Hence

    union of Tr(H) = union of min(H),

which takes a comparison of pairs of rows, while the number of transversals may grow exponentially with the number of
rows.

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

from ...arrays import Ints
from ...errors import InputError
from ...kernels import hitting_sets
from ...kernels.hitting_sets import minimal_sets
from ...settings import as_number, is_whole

Bits = NDArray[np.uint64]
Marks = NDArray[np.bool_]
Testor = tuple[int, ...]

_WORK = 1 << 22
"""About how many words a kernel may read before the time limit is checked."""
_MOST_SETS = 1 << 14


def packed(rows: Any) -> Bits:
    """Return a boolean matrix as rows of bits, with 64 columns per word."""
    marks = np.asarray(rows, np.bool_)
    words = np.zeros((marks.shape[0], -(-marks.shape[1] // 64) * 8), np.uint8)
    as_bytes = np.packbits(marks, axis=1, bitorder="little")
    words[:, : as_bytes.shape[1]] = as_bytes
    return words.view("<u8").astype(np.uint64, copy=False)


def unpacked(rows: Bits, n_columns: int) -> Marks:
    """Return rows of bits as a boolean matrix."""
    as_bytes = np.ascontiguousarray(rows.astype("<u8", copy=False)).view(np.uint8)
    return np.unpackbits(as_bytes, axis=1, count=n_columns, bitorder="little").view(np.bool_)


def minimal_rows(rows: Any) -> Ints:
    """Return the numbers of the rows that contain no other row, the shortest first; of equal rows, only the first."""
    return minimal_sets(packed(_checked(rows)[0]))


def union(rows: Any) -> Marks:
    """Return a mask of the columns that are in some minimal transversal, which are those of the minimal rows."""
    marks, names = _checked(rows)
    in_union: Marks = unpacked(union_of_bits(packed(marks))[None], marks.shape[1])[0]
    if names is None:
        return in_union
    all_columns = np.zeros(rows.shape[1], np.bool_)
    all_columns[names[in_union]] = True
    return all_columns


def union_of_bits(rows: Bits) -> Bits:
    """Return the union of the minimal rows, given and returned as bits."""
    return np.asarray(np.bitwise_or.reduce(rows[minimal_sets(rows)], axis=0))


def transversals(
    rows: Any, method: str = "mmcs", *, limit: int | None = None, max_seconds: float | None = None
) -> Transversals:
    """Return an iterator over the minimal transversals of the rows of a matrix, each as a tuple of ascending columns.

    Both methods, "mmcs" and "lex", return the same sets in different orders; "lex" is older and slower. The iterator
    stops after `limit` sets, or `max_seconds` after the first was requested. The matrix may be sparse.
    """
    marks, names = _checked(rows)
    return Transversals(marks, method, limit=limit, max_seconds=max_seconds, names=names)


class Count(NamedTuple):
    """The number of minimal transversals found, and whether these are all."""

    number: int
    complete: bool


def count_transversals(rows: Any, method: str = "mmcs", *, max_seconds: float | None = None) -> Count:
    """Return the number of minimal transversals found within `max_seconds`; counting is faster than listing them."""
    end = time.monotonic() + _checked_seconds(max_seconds)
    walk = _walk_of(_checked(rows)[0], method, -1, None)
    number = 0
    while not walk.done and time.monotonic() < end:
        number += walk.count(_MOST_SETS, walk.steps)
    return Count(number, walk.done)


class Transversals(Iterator[Testor]):
    """A lazy iterator over minimal transversals.

    Attributes
    ----------
    complete : whether all transversals were returned; False as long as that is not known. The search stops when `limit`
        is reached, so it may be False even if there are no others
    steps_left : how many more columns may be tried, or None for no limit
    """

    def __init__(
        self,
        rows: Marks,
        method: str = "mmcs",
        *,
        limit: int | None = None,
        max_seconds: float | None = None,
        most_members: int = -1,
        most_steps: int | None = None,
        names: Ints | None = None,
    ) -> None:
        self._limit = _checked_limit(limit)
        self._seconds = _checked_seconds(max_seconds)
        self._end = np.inf
        self.complete = False
        self.steps_left = most_steps
        self._ready: list[Testor] = []
        self._walk = _walk_of(rows, method, most_members, names)
        self._n_given = 0
        self._n_at_once = 64

    def __iter__(self) -> Self:
        """Return the iterator itself."""
        return self

    def __next__(self) -> Testor:
        """Return the next transversal."""
        if self._n_given == 0 and self._end == np.inf:
            self._end = time.monotonic() + self._seconds
        if self._n_given == self._limit:
            self.complete = self._walk.done and not self._ready
            raise StopIteration
        if not self._ready and self._fetch() == 0:
            self.complete = self._walk.done
            raise StopIteration
        self._n_given += 1
        return self._ready.pop()

    def _fetch(self) -> int:
        """Find more transversals; return how many are ready, 0 if there are no more or a limit is reached."""
        while not self._ready and not self._walk.done and time.monotonic() < self._end and self.steps_left != 0:
            steps = self._walk.steps if self.steps_left is None else min(self._walk.steps, self.steps_left)
            testors = self._walk.more(self._n_at_once, steps)
            if self.steps_left is not None:
                self.steps_left -= self._walk.n_steps
            self._ready = testors[::-1]
            self._n_at_once = min(2 * self._n_at_once, _MOST_SETS)
        return len(self._ready)


class Listing(NamedTuple):
    """Minimal transversals in two arrays, their sizes and the concatenated columns, and whether these are all."""

    sizes: Ints
    members: Ints
    complete: bool


def listing(rows: Marks, limit: int, most_steps: int) -> Listing:
    """List the minimal transversals with MMCS, stopping after `limit` of them or `most_steps` tried columns."""
    walk = _walk_of(rows, "mmcs", -1, None)
    sizes, members, number = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
    while not walk.done and number <= limit and most_steps > 0:
        ends, columns = walk.arrays(min(limit + 1 - number, _MOST_SETS), min(walk.steps, most_steps))
        sizes.append(np.diff(ends, prepend=0))
        members.append(columns)
        number += len(ends)
        most_steps -= walk.n_steps
    return Listing(np.concatenate(sizes), np.concatenate(members), walk.done and number <= limit)


class Step(NamedTuple):
    """A function that calls a kernel to continue a search, and the state of that search."""

    call: Callable[[Ints, Ints, int], None]
    state: Ints
    n_members: int
    n_words: int


class _Walk:
    """A running search, and the names of its columns."""

    def __init__(self, step: Step, names: Ints) -> None:
        self._step = step
        self._names = names
        self.steps = max(64, _WORK // max(step.n_words, 1))

    @property
    def done(self) -> bool:
        """Return whether all transversals were found."""
        return bool(self._step.state[hitting_sets.DONE])

    @property
    def n_steps(self) -> int:
        """Return how many columns the last call tried."""
        return int(self._step.state[hitting_sets.N_STEPS])

    def more(self, n_sets: int, steps: int) -> list[Testor]:
        """Continue for at most `n_sets` sets or `steps` columns; return the sets."""
        ends, members = self.arrays(n_sets, steps)
        columns, stops = members.tolist(), ends.tolist()
        return [tuple(sorted(columns[begin:end])) for begin, end in zip([0, *stops], stops, strict=False)]

    def count(self, n_sets: int, steps: int) -> int:
        """Continue like `more`; return the number of sets."""
        return len(self._next(n_sets, steps)[0])

    def arrays(self, n_sets: int, steps: int) -> tuple[Ints, Ints]:
        """Continue like `more`; return where each set ends, and the concatenated columns."""
        ends, members = self._next(n_sets, steps)
        return ends, self._names[members]

    def _next(self, n_sets: int, steps: int) -> tuple[Ints, Ints]:
        ends = np.empty(n_sets, np.int64)
        members = np.empty(max(self._step.n_members, 16 * n_sets), np.int64)
        self._step.call(ends, members, steps)
        return ends[: self._step.state[hitting_sets.N_SETS]], members[: self._step.state[hitting_sets.N_MEMBERS]]


class _TrivialWalk:
    """A finished search, for matrices that need none: no rows, or a row that cannot be hit."""

    steps = n_steps = 0

    def __init__(self, sets: list[Testor]) -> None:
        self._sets = sets

    @property
    def done(self) -> bool:
        """Return whether all sets were returned."""
        return not self._sets

    def more(self, n_sets: int, steps: int) -> list[Testor]:
        """Return all sets."""
        sets, self._sets = self._sets, []
        return sets

    def arrays(self, n_sets: int, steps: int) -> tuple[Ints, Ints]:
        """Return all sets in the format of `_Walk.arrays`."""
        sets = self.more(n_sets, steps)
        return np.zeros(len(sets), np.int64), np.zeros(0, np.int64)

    def count(self, n_sets: int, steps: int) -> int:
        """Return the number of sets."""
        return len(self.more(n_sets, steps))


def _walk_of(rows: Marks, method: str, most_members: int, names: Ints | None) -> _Walk | _TrivialWalk:
    if not (isinstance(method, str) and method in METHODS):
        raise InputError(setting="method", value=method, allowed=METHODS)
    basic = rows[minimal_rows(rows)]  # the shortest row first
    if not len(basic):
        return _TrivialWalk([()])
    if not basic[0].any():
        return _TrivialWalk([])
    columns = np.flatnonzero(basic.any(axis=0))
    columns = columns[np.argsort(~basic[0, columns], kind="stable")]  # columns of the first row first
    return _Walk(METHODS[method](basic[:, columns], most_members), columns if names is None else names[columns])


def _lex(basic: Marks, most_members: int) -> Step:
    """Return a LEX search of the basic matrix, whose first row is the shortest and has its columns leftmost."""
    columns, full, depth = packed(basic.T), packed(np.ones((1, len(basic))))[0], min(basic.shape)
    hit, once = (np.zeros((depth + 2, len(full)), np.uint64) for _ in range(2))
    state, members, n_leading = np.zeros(6, np.int64), np.zeros(depth + 1, np.int64), int(basic[0].sum())

    def call(ends: Ints, out_members: Ints, steps: int) -> None:
        hitting_sets.lex_walk(columns, full, n_leading, state, members, hit, once, ends, out_members, steps)

    return Step(call, state, len(members), len(full))


class SearchArrays(NamedTuple):
    """The arrays of an MMCS search: the basic matrix and the current position.

    `kernels/hitting_sets.py` describes them.
    """

    columns: Bits
    rows: Bits
    full: Bits
    members: Ints
    hit: Bits
    once: Bits
    candidates: Bits
    todo: Bits
    closing: Bits

    @classmethod
    def of(cls, basic: Marks) -> SearchArrays:
        """Return the arrays at the start of a search."""
        rows, full, depth = packed(basic), packed(np.ones((1, len(basic))))[0], min(basic.shape)
        hit, once = (np.zeros((depth + 2, len(full)), np.uint64) for _ in range(2))
        candidates, todo, closing = (np.zeros((depth + 2, rows.shape[1]), np.uint64) for _ in range(3))
        candidates[0] = packed(np.ones((1, basic.shape[1])))[0]
        members = np.zeros(depth + 1, np.int64)
        return cls(packed(basic.T), rows, full, members, hit, once, candidates, todo, closing)


def _mmcs(basic: Marks, most_members: int) -> Step:
    """Return an MMCS search of the basic matrix."""
    arrays, state = SearchArrays.of(basic), np.zeros(6, np.int64)

    def call(ends: Ints, out_members: Ints, steps: int) -> None:
        hitting_sets.mmcs_search(
            *(
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
            ),
            *(ends, out_members, steps, most_members),
        )

    return Step(call, state, len(arrays.members), arrays.rows.size)


METHODS: dict[str, Callable[[Marks, int], Step]] = {"mmcs": _mmcs, "lex": _lex}
"""The search functions by name."""


def _checked(rows: Any) -> tuple[Marks, Ints | None]:
    """Return a boolean matrix and None; for sparse input, only its nonempty columns, and their numbers."""
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


def _checked_limit(limit: Any) -> int | None:
    if not (limit is None or (is_whole(limit) and limit >= 0)):
        raise InputError(setting="limit", value=limit, hint="use a number of testors, or None for all")
    return None if limit is None else int(limit)


def _checked_seconds(seconds: Any) -> float:
    if seconds is None:
        return np.inf
    if not (number := as_number(seconds)) >= 0:
        raise InputError(setting="max_seconds", value=seconds, hint="use a number of seconds, or None for no limit")
    return number
