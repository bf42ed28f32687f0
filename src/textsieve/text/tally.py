"""Count documents slice by slice on several threads, with the same result for any number of threads.

A slice is half a megabyte of text, so that its bytes, its part of the output and most of the term table stay in the
processor's cache. The calling thread reads and encodes the next slice while other threads count, each with its own
table. Besides the counts, at most one slice per thread is in memory.
"""

from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

import numpy as np

from ..arrays import Ints
from ..kernels import csr as kernels
from ..threads import parallel_map
from .csr import CSR
from .term_table import TermTable
from .word_table import Slice, SliceCounts

SLICE_CHARACTERS = 1 << 19


def encoded_slices(texts: Iterable[str]) -> Iterator[Slice]:
    """Yield the encoded texts in slices of about half a megabyte; a text is never split."""
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
class SliceTally:
    """The counted slices; if workers learned terms, also which worker counted each slice, and the final numbers of
    its terms.
    """

    slices: list[SliceCounts]
    owners: list[int] | None
    numbers: list[Ints] | None

    def _by_slice(self, of_number: Ints) -> list[Ints]:
        """Return for each slice an array over the numbers that it was counted with, given one over the final
        numbers.
        """
        if self.owners is None or self.numbers is None:
            return [of_number] * len(self.slices)
        of_worker = [of_number[numbers] for numbers in self.numbers]
        return [of_worker[owner] for owner in self.owners]

    @property
    def n_documents(self) -> int:
        """Return the number of counted documents."""
        return sum(len(counted.row_ends) for counted in self.slices)

    def totals(self, size: int) -> tuple[Ints, Ints]:
        """Return the document frequency and the number of occurrences of each term."""
        doc_freq = np.zeros(size, np.int64)
        occurrences = np.zeros(size, np.int64)
        for counted, numbers in zip(self.slices, self._by_slice(np.arange(size)), strict=True):
            kernels.add_totals(counted.entries, numbers, doc_freq, occurrences)
        return doc_freq, occurrences

    def rows(self, columns: Ints, n_columns: int, *, dtype: type[np.number], n_jobs: int) -> CSR:
        """Return the counts as rows, and free the tally; `columns` maps term numbers to columns (-1: none)."""
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

        parallel_map(write, len(self.slices), n_jobs)
        return CSR(data, indices, row_starts.astype(index_type), n_columns)


_NOTHING = SliceCounts(np.empty(0, np.uint64), np.empty(0, np.uint64))


def tally(slices: Iterator[Slice], table: TermTable, *, learn: bool, n_jobs: int) -> SliceTally:
    """Count all slices. A table that learns then contains all their terms, numbered in the order of first use."""
    if n_jobs == 1 and learn:
        return SliceTally([table.count(part, learn=True) for part in slices], None, None)
    workers: list[TermTable] = []
    idle: SimpleQueue[int] = SimpleQueue()

    def work(owner: int, documents: Slice) -> tuple[SliceCounts, tuple[int, int]]:
        try:
            return workers[owner].count(documents, learn=learn), workers[owner].sizes
        finally:
            idle.put(owner)

    # The calling thread gets and encodes the documents: what they come from may belong to it alone. A worker gets
    # a slice only when it is idle, so its slices are in the order of the documents.
    owners: list[int] = []
    counts: list[Future[tuple[SliceCounts, tuple[int, int]]]] = []
    with ThreadPoolExecutor(n_jobs) as pool:
        for documents in slices:
            if idle.empty() and len(workers) < n_jobs:
                workers.append(table.empty_twin() if learn else table.reader())
                owner = len(workers) - 1
            else:
                owner = idle.get()
            owners.append(owner)
            counts.append(pool.submit(work, owner, documents))
    done = [part.result() for part in counts]
    counted = [part for part, _ in done]
    if not learn:
        table.take_back(workers)
        return SliceTally(counted, None, None)
    numbers = table.absorb(workers, zip(owners, (sizes for _, sizes in done), strict=True))
    return SliceTally(counted, owners, numbers)
