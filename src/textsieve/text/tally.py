"""Documents to a sparse matrix of counts, slice by slice and on several threads, with the same result for any number.

A slice is half a megabyte of text, so that its bytes, its part of the output and most of the table of terms stay in
the processor's cache. A thread fetches the next slice, which is when its documents are encoded, and counts it with
a table of its own; so no more than one slice a thread is in memory beside the counts.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, islice
from threading import Lock
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from ..kernels import rows
from .table import TermTable
from .wordtable import Counted, Ints, Slice

SLICE_CHARACTERS = 1 << 19


def encoded_slices(texts: Iterable[str]) -> Iterator[Slice]:
    """The texts, encoded, in slices of about half a megabyte; a text is never cut."""
    parts: list[bytes] = []
    size = 0
    wide = False
    for text in texts:
        if text.isascii():
            parts.append(text.encode("ascii"))
        else:
            parts.append(text.encode("utf-8", "surrogatepass"))
            wide = True
        size += len(text) + 1
        if size >= SLICE_CHARACTERS:
            yield Slice(b"\xff".join([*parts, b""]), len(parts), wide)
            parts, size, wide = [], 0, False
    if parts:
        yield Slice(b"\xff".join([*parts, b""]), len(parts), wide)


@dataclass
class Tally:
    """Counted slices, which worker counted each, and the table's number for each number of a worker's.

    No numbers: the workers counted with the table's own.
    """

    slices: list[Counted]
    owners: list[int]
    numbers: list[Ints] | None

    @property
    def n_documents(self) -> int:
        """How many documents were counted."""
        return sum(len(counted.row_ends) for counted in self.slices)

    def totals(self, size: int) -> tuple[Ints, Ints]:
        """In how many documents each term is, and how often in all."""
        doc_freq = np.zeros(size, np.int64)
        occurrences = np.zeros(size, np.int64)
        own = np.arange(size)
        for counted, owner in zip(self.slices, self.owners, strict=True):
            numbers = own if self.numbers is None else self.numbers[owner]
            rows.add_totals(counted.entries, numbers, doc_freq, occurrences)
        return doc_freq, occurrences

    def matrix(self, columns: Ints, n_columns: int, *, dtype: type[np.number], n_jobs: int) -> csr_matrix:
        """The counts as a matrix, a term's number giving its column (-1: none). The tally is used up by it."""
        by_owner = None if self.numbers is None else [columns[numbers] for numbers in self.numbers]
        of_slice = [columns if by_owner is None else by_owner[owner] for owner in self.owners]
        sizes = [rows.row_sizes(*counted, own) for counted, own in zip(self.slices, of_slice, strict=True)]
        row_starts = np.concatenate([np.zeros(1, np.int64), *sizes]).cumsum()
        n_values = int(row_starts[-1])
        index_type: Any = np.int32 if max(n_values, n_columns) <= np.iinfo(np.int32).max else np.int64
        indices = np.empty(n_values, index_type)
        data = np.empty(n_values, dtype)
        begins = row_starts[np.cumsum([0, *map(len, sizes)])]
        radix_passes = max(1, (n_columns.bit_length() + 7) // 8)

        def write(at: int) -> None:
            place = slice(begins[at], begins[at + 1])
            rows.write_rows(*self.slices[at], of_slice[at], radix_passes, indices[place], data[place])
            self.slices[at] = _NOTHING  # its counts are in the matrix now

        for_all(write, len(self.slices), n_jobs)
        shape = len(row_starts) - 1, n_columns
        return csr_matrix((data, indices, row_starts.astype(index_type)), shape=shape)


_NOTHING = Counted(np.empty(0, np.uint64), np.empty(0, np.uint64))


def for_all(task: Callable[[int], None], n_tasks: int, n_jobs: int) -> None:
    """Do the tasks 0 to n - 1, several at a time."""
    if min(n_jobs, n_tasks) <= 1:
        for number in range(n_tasks):
            task(number)
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        for _ in pool.map(task, range(n_tasks)):
            pass


def tally(slices: Iterator[Slice], table: TermTable, *, learn: bool, n_jobs: int) -> Tally:
    """Count all slices. A table that learns has all their terms afterwards, in the order of their first use."""
    ahead = list(islice(slices, 2))
    n_workers = n_jobs if len(ahead) == 2 else 1
    if n_workers == 1:
        workers = [table]
    elif learn:
        workers = [table.empty_twin() for _ in range(n_workers)]
    else:
        workers = [table.reader() for _ in range(n_workers)]
    slices = chain(ahead, slices)
    del ahead
    done: list[tuple[Counted, int, tuple[int, int]]] = []
    fetching = Lock()

    def work(owner: int) -> None:
        while True:
            with fetching:
                fetched = next(slices, None)
                if fetched is None:
                    return
                place = len(done)
                done.append((_NOTHING, owner, (0, 0)))
            counted = workers[owner].count(fetched, learn=learn)
            done[place] = counted, owner, workers[owner].sizes

    for_all(work, n_workers, n_workers)
    counts, owners = [counted for counted, _, _ in done], [owner for _, owner, _ in done]
    if workers[0] is table or not learn:
        return Tally(counts, owners, None)
    return Tally(counts, owners, table.absorb(workers, [(owner, sizes) for _, owner, sizes in done]))
