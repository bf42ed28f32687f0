"""Documents to sparse rows of counts, slice by slice and on several threads, with the same result for any number.

A slice is half a megabyte of text, so that its bytes, its part of the output and most of the table of terms stay in
the processor's cache. The calling thread gets and encodes the documents of the next slice while others count, each
with a table of its own; no more than one slice a thread is in memory beside the counts.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

import numpy as np

from ..kernels import rows as kernels
from .rows import Rows
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
    """Counted slices; and if workers learned, which counted each, and the table's number for each of a worker's."""

    slices: list[Counted]
    owners: list[int] | None
    numbers: list[Ints] | None

    def _by_slice(self, of_number: Ints) -> list[Ints]:
        """What holds for each number of the table, for each slice by the numbers that it was counted with."""
        if self.owners is None or self.numbers is None:
            return [of_number] * len(self.slices)
        of_worker = [of_number[numbers] for numbers in self.numbers]
        return [of_worker[owner] for owner in self.owners]

    @property
    def n_documents(self) -> int:
        """How many documents were counted."""
        return sum(len(counted.row_ends) for counted in self.slices)

    def totals(self, size: int) -> tuple[Ints, Ints]:
        """In how many documents each term is, and how often in all."""
        doc_freq = np.zeros(size, np.int64)
        occurrences = np.zeros(size, np.int64)
        for counted, numbers in zip(self.slices, self._by_slice(np.arange(size)), strict=True):
            kernels.add_totals(counted.entries, numbers, doc_freq, occurrences)
        return doc_freq, occurrences

    def rows(self, columns: Ints, n_columns: int, *, dtype: type[np.number], n_jobs: int) -> Rows:
        """The counts as rows, a term's number giving its column (-1: none). The tally is used up by it."""
        of_slice = self._by_slice(columns)
        all_stay = bool((columns >= 0).all())
        sizes = [
            np.diff(counted.row_ends.astype(np.int64), prepend=0) if all_stay else kernels.row_sizes(*counted, own)
            for counted, own in zip(self.slices, of_slice, strict=True)
        ]
        row_starts = np.concatenate([np.zeros(1, np.int64), *sizes]).cumsum()
        n_values = int(row_starts[-1])
        index_type: Any = np.int32 if max(n_values, n_columns) <= np.iinfo(np.int32).max else np.int64
        indices = np.empty(n_values, index_type)
        data = np.empty(n_values, dtype)
        begins = row_starts[np.cumsum([0, *map(len, sizes)])]
        radix_passes = max(1, (n_columns.bit_length() + 7) // 8)

        def write(at: int) -> None:
            place = slice(begins[at], begins[at + 1])
            kernels.write_rows(*self.slices[at], of_slice[at], radix_passes, indices[place], data[place])
            self.slices[at] = _NOTHING  # its counts are in the rows now

        for_all(write, len(self.slices), n_jobs)
        return Rows(data, indices, row_starts.astype(index_type), n_columns)


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
    if n_jobs == 1 and learn:
        return Tally([table.count(each, learn=True) for each in slices], None, None)
    workers: list[TermTable] = []
    idle: SimpleQueue[int] = SimpleQueue()

    def work(owner: int, documents: Slice) -> tuple[Counted, tuple[int, int]]:
        try:
            return workers[owner].count(documents, learn=learn), workers[owner].sizes
        finally:
            idle.put(owner)

    # The calling thread gets and encodes the documents: what they come from may belong to it alone. A worker gets
    # a slice only when it is idle, so its slices are in the order of the documents.
    owners: list[int] = []
    counts: list[Future[tuple[Counted, tuple[int, int]]]] = []
    with ThreadPoolExecutor(n_jobs) as pool:
        for documents in slices:
            if idle.empty() and len(workers) < n_jobs:
                workers.append(table.empty_twin() if learn else table.reader())
                owner = len(workers) - 1
            else:
                owner = idle.get()
            owners.append(owner)
            counts.append(pool.submit(work, owner, documents))
    done = [each.result() for each in counts]
    counted = [each for each, _ in done]
    if not learn:
        table.take_back(workers)
        return Tally(counted, None, None)
    numbers = table.absorb(workers, zip(owners, (sizes for _, sizes in done), strict=True))
    return Tally(counted, owners, numbers)
