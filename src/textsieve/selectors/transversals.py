"""Minimal hitting sets (transversals) of the rows of a matrix of yes and no; of a class's rows: typical testors.

A set of columns *hits* a row if the row has a yes in one of them; a transversal hits all rows, and is minimal if no
part of it does. Let min(H) be the rows of H that contain no other row, each once, and Tr(H) the minimal transversals.

**The union needs no transversal.** Tr(Tr(H)) = min(H): what hits all minimal transversals and has no smaller part that
does is a minimal row (Berge). So a column that is in some minimal row R is in some minimal transversal: if it were in
none, R without it would still hit all of them, and R would not be minimal. And a column of a minimal transversal is in
a minimal row, namely one that the column alone hits. Hence

    union of Tr(H) = union of min(H),

a comparison of pairs of rows, where the number of transversals may grow exponentially with the number of rows.

Two borders follow from the definitions: no rows have one minimal transversal, the empty set; an empty row cannot be
hit, so there is none, and the empty row is the only minimal one. In both cases the union is empty.

The transversals themselves come one after the other, by two kernels: `kernels/lex.py` and `kernels/mmcs.py`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..errors import InputError, shown
from ..kernels import lex, mmcs
from ..kernels.inclusion import minimal_sets
from ..settings import as_number, is_whole
from ..stats.sums import Ints

Bits = NDArray[np.uint64]
Marks = NDArray[np.bool_]
Testor = tuple[int, ...]

_WORK = 1 << 22
"""About how many words a kernel may look at before it looks at the clock."""
_MOST_SETS = 1 << 14


def packed(rows: Any) -> Bits:
    """A matrix of yes and no as rows of bits, 64 columns a word."""
    marks = np.asarray(rows, np.bool_)
    words = np.zeros((marks.shape[0], -(-marks.shape[1] // 64) * 8), np.uint8)
    small = np.packbits(marks, axis=1, bitorder="little")
    words[:, : small.shape[1]] = small
    return words.view("<u8").astype(np.uint64, copy=False)


def unpacked(rows: Bits, n_columns: int) -> Marks:
    """Rows of bits as a matrix of yes and no."""
    small = np.ascontiguousarray(rows.astype("<u8", copy=False)).view(np.uint8)
    return np.unpackbits(small, axis=1, count=n_columns, bitorder="little").view(np.bool_)


def minimal_rows(rows: Any) -> Ints:
    """The numbers of the rows that contain no other row, the shortest first; of equal rows the first."""
    return minimal_sets(packed(_checked(rows)[0]))


def union(rows: Any) -> Marks:
    """Which columns are in some minimal transversal: those of the minimal rows."""
    marks, names = _checked(rows)
    found: Marks = unpacked(union_of_bits(packed(marks))[None], marks.shape[1])[0]
    if names is None:
        return found
    wide = np.zeros(rows.shape[1], np.bool_)
    wide[names[found]] = True
    return wide


def union_of_bits(rows: Bits) -> Bits:
    """The same of rows of bits, as bits."""
    return np.asarray(np.bitwise_or.reduce(rows[minimal_sets(rows)], axis=0))


def transversals(
    rows: Any, method: str = "mmcs", *, limit: int | None = None, max_seconds: float | None = None
) -> Transversals:
    """The minimal transversals of the rows of a matrix, one after the other, each as a tuple of columns, ascending.

    Both methods, "mmcs" and "lex", give the same sets, in different orders; "lex" is the older and slower. It ends
    after `limit` sets, or when `max_seconds` have gone by since the first was asked for. Rows may be sparse.
    """
    marks, names = _checked(rows)
    return Transversals(marks, method, limit=limit, max_seconds=max_seconds, names=names)


class Count(NamedTuple):
    """How many minimal transversals were found, and whether these are all."""

    number: int
    complete: bool


def count_transversals(rows: Any, method: str = "mmcs", *, max_seconds: float | None = None) -> Count:
    """How many minimal transversals the rows have, as far as time allows: none is given, so it is quicker."""
    end = time.monotonic() + _checked_seconds(max_seconds)
    walk = _walk_of(_checked(rows)[0], method, -1, None)
    number = 0
    while not walk.done and time.monotonic() < end:
        number += walk.count(_MOST_SETS, walk.steps)
    return Count(number, walk.done)


class Transversals(Iterator[Testor]):
    """Minimal transversals, found as they are asked for.

    Attributes
    ----------
    complete : whether there are no others than those that were given; False as long as that is not known. When `limit`
        is reached nothing more is searched, so it may be False though there are no others
    steps_left : how many more columns may be tried, if that was limited
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
        """Itself."""
        return self

    def __next__(self) -> Testor:
        """The next one."""
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
        """Find some more; 0 if there are none, or time is up."""
        while not self._ready and not self._walk.done and time.monotonic() < self._end and self.steps_left != 0:
            steps = self._walk.steps if self.steps_left is None else min(self._walk.steps, self.steps_left)
            found = self._walk.more(self._n_at_once, steps)
            if self.steps_left is not None:
                self.steps_left -= self._walk.n_steps
            self._ready = found[::-1]
            self._n_at_once = min(2 * self._n_at_once, _MOST_SETS)
        return len(self._ready)


class Listing(NamedTuple):
    """Minimal transversals, one after the other: their sizes, and the columns of all; and whether these are all."""

    sizes: Ints
    members: Ints
    complete: bool


def listing(rows: Marks, limit: int, most_steps: int) -> Listing:
    """The minimal transversals by MMCS, if there are no more than `limit` and `most_steps` columns are enough."""
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
    """The arrays of a walk that a kernel continues, and what calls it."""

    call: Callable[[Ints, Ints, int], None]
    state: Ints
    n_members: int
    n_words: int


class _Walk:
    """A kernel at work, and the names of its columns."""

    def __init__(self, step: Step, names: Ints) -> None:
        self._step = step
        self._names = names
        self.steps = max(64, _WORK // max(step.n_words, 1))

    @property
    def done(self) -> bool:
        """Whether all were found."""
        return bool(self._step.state[lex.DONE])

    @property
    def n_steps(self) -> int:
        """How many columns were tried when it last went on."""
        return int(self._step.state[lex.N_STEPS])

    def more(self, n_sets: int, steps: int) -> list[Testor]:
        """Go on for so many sets, or steps."""
        ends, members = self.arrays(n_sets, steps)
        columns, stops = members.tolist(), ends.tolist()
        return [tuple(sorted(columns[begin:end])) for begin, end in zip([0, *stops], stops, strict=False)]

    def count(self, n_sets: int, steps: int) -> int:
        """Go on likewise; how many were found."""
        return len(self._next(n_sets, steps)[0])

    def arrays(self, n_sets: int, steps: int) -> tuple[Ints, Ints]:
        """Go on likewise; where each set ends, and the columns of all."""
        ends, members = self._next(n_sets, steps)
        return ends, self._names[members]

    def _next(self, n_sets: int, steps: int) -> tuple[Ints, Ints]:
        ends = np.empty(n_sets, np.int64)
        found = np.empty(max(self._step.n_members, 16 * n_sets), np.int64)
        self._step.call(ends, found, steps)
        return ends[: self._step.state[lex.N_SETS]], found[: self._step.state[lex.N_MEMBERS]]


class _Known:
    """What needs no walk: no rows, or a row that cannot be hit."""

    steps = n_steps = 0

    def __init__(self, sets: list[Testor]) -> None:
        self._sets = sets

    @property
    def done(self) -> bool:
        """Whether all were given."""
        return not self._sets

    def more(self, n_sets: int, steps: int) -> list[Testor]:
        """All of them."""
        given, self._sets = self._sets, []
        return given

    def arrays(self, n_sets: int, steps: int) -> tuple[Ints, Ints]:
        """All of them, as a walk gives them."""
        given = self.more(n_sets, steps)
        return np.zeros(len(given), np.int64), np.zeros(0, np.int64)

    def count(self, n_sets: int, steps: int) -> int:
        """How many they are."""
        return len(self.more(n_sets, steps))


def _walk_of(rows: Marks, method: str, most_members: int, names: Ints | None) -> _Walk | _Known:
    if not (isinstance(method, str) and method in METHODS):
        raise InputError(f"method={shown(method)}; use one of {', '.join(map(repr, METHODS))}.")
    basic = rows[minimal_rows(rows)]  # the shortest row first
    if not len(basic):
        return _Known([()])
    if not basic[0].any():
        return _Known([])
    columns = np.flatnonzero(basic.any(axis=0))
    columns = columns[np.argsort(~basic[0, columns], kind="stable")]  # those of the first row before the others
    return _Walk(METHODS[method](basic[:, columns], most_members), columns if names is None else names[columns])


def _lex(basic: Marks, most_members: int) -> Step:
    """LEX on the basic matrix, whose first row is the shortest and has its columns leftmost."""
    columns, full, depth = packed(basic.T), packed(np.ones((1, len(basic))))[0], min(basic.shape)
    hit, once = (np.zeros((depth + 2, len(full)), np.uint64) for _ in range(2))
    state, members, n_leading = np.zeros(6, np.int64), np.zeros(depth + 1, np.int64), int(basic[0].sum())

    def call(ends: Ints, found: Ints, steps: int) -> None:
        lex.lex_walk(columns, full, n_leading, state, members, hit, once, ends, found, steps)

    return Step(call, state, len(members), len(full))


class SearchArrays(NamedTuple):
    """What MMCS keeps of a basic matrix and of where it is, as `kernels/mmcs.py` says."""

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
        """At the start."""
        rows, full, depth = packed(basic), packed(np.ones((1, len(basic))))[0], min(basic.shape)
        hit, once = (np.zeros((depth + 2, len(full)), np.uint64) for _ in range(2))
        candidates, todo, closing = (np.zeros((depth + 2, rows.shape[1]), np.uint64) for _ in range(3))
        candidates[0] = packed(np.ones((1, basic.shape[1])))[0]
        members = np.zeros(depth + 1, np.int64)
        return cls(packed(basic.T), rows, full, members, hit, once, candidates, todo, closing)


def _mmcs(basic: Marks, most_members: int) -> Step:
    """MMCS on the basic matrix."""
    of, state = SearchArrays.of(basic), np.zeros(6, np.int64)

    def call(ends: Ints, found: Ints, steps: int) -> None:
        mmcs.mmcs_search(
            *(of.columns, of.rows, of.full, state, of.members, of.hit, of.once, of.candidates, of.todo, of.closing),
            *(ends, found, steps, most_members),
        )

    return Step(call, state, len(of.members), of.rows.size)


METHODS: dict[str, Callable[[Marks, int], Step]] = {"mmcs": _mmcs, "lex": _lex}
"""The ways to find the transversals, by name."""


def _checked(rows: Any) -> tuple[Marks, Ints | None]:
    """A matrix of yes and no; of a sparse one only the columns that have a yes, and which they are."""
    is_sparse: bool = sparse.issparse(rows)
    if is_sparse and len(rows.shape) == 2:
        filled = sparse.coo_array(rows)
        is_marked = filled.data != 0
        columns, places = np.unique(filled.col[is_marked], return_inverse=True)
        marks = np.zeros((filled.shape[0], len(columns)), np.bool_)
        marks[filled.row[is_marked], places] = True
        return marks, columns.astype(np.int64)
    marks = np.asarray(rows)
    if marks.ndim != 2 or marks.dtype.kind not in "biuf":
        raise InputError(f"rows={shown(rows)}; give a matrix of yes and no, of 0 and 1.")
    return marks.astype(np.bool_, copy=False), None


def _checked_limit(limit: Any) -> int | None:
    if not (limit is None or (is_whole(limit) and limit >= 0)):
        raise InputError(f"limit={shown(limit)}; use a number of testors, or None for all.")
    return None if limit is None else int(limit)


def _checked_seconds(seconds: Any) -> float:
    if seconds is None:
        return np.inf
    if not (number := as_number(seconds)) >= 0:
        raise InputError(f"max_seconds={shown(seconds)}; use a number of seconds, or None for no limit.")
    return number
