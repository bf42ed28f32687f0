"""Count documents slice by slice on several threads, with the same result for any number of threads.

A *slice* is some documents with about half a megabyte of text, so that its bytes, its part of the output and most of
the term table stay in the processor's cache. The calling thread reads and encodes the next slice while other threads
count earlier ones, each with its own table. Besides the counts, at most one slice per thread is in memory.
"""

from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, TypeVar

import numpy as np

from ..arrays import CSR, Ints
from ..kernels import csr as kernels
from ..threads import parallel_map
from .reading import Reading
from .term_table import CountingTable
from .word_table import NUL_BYTES, AnySlice, Slice, SliceCounts, TermSlice, encode_terms

Table = TypeVar("Table", bound=CountingTable)

SLICE_CHARACTERS = 1 << 19
"""A slice ends after the text with which it reaches this many characters."""


def slices_for(
    texts: Iterator[Any], reading: Reading, ngram_range: tuple[int, int], stop_words: frozenset[str]
) -> Iterator[AnySlice]:
    """Yield the prepared texts in slices, as the table of `combined_table.table_for` for the same reading counts them.

    They contain texts if kernels split these, otherwise lists of terms.
    """
    if reading.is_split_by_kernels:
        return encoded_slices(texts, keeps_nul=reading.analysis.keeps_nul)
    return term_slices(reading.term_lists(texts, ngram_range, stop_words))


def encoded_slices(texts: Iterable[str], *, keeps_nul: bool = False) -> Iterator[Slice]:
    """Yield the encoded texts in slices of about half a megabyte; a text is never split.

    With `keeps_nul`, NUL can be a part of terms, and is encoded as `NUL_BYTES`.
    """
    encoded: list[bytes] = []  # the texts of the current slice
    size = 0
    has_wide = False

    def current_slice() -> Slice:
        """Return the current slice, in which each text is followed by 0xFF."""
        return Slice(b"\xff".join([*encoded, b""]), len(encoded), has_wide)

    for text in texts:
        has_nul = keeps_nul and "\0" in text
        if text.isascii() and not has_nul:
            encoded.append(text.encode("ascii"))
        else:
            content = text.encode("utf-8", "surrogatepass")
            encoded.append(content.replace(b"\0", NUL_BYTES) if has_nul else content)
            has_wide = True
        size += len(text) + 1
        if size >= SLICE_CHARACTERS:
            documents = current_slice()
            encoded, size, has_wide = [], 0, False  # frees the texts before their slice is counted
            yield documents
            del documents
    if encoded:
        documents = current_slice()
        encoded = []
        yield documents


def term_slices(term_lists: Iterable[list[str]]) -> Iterator[TermSlice]:
    """Yield slices of about half a megabyte; each document is given as the list of its terms."""
    terms: list[str] = []
    ends: list[int] = []
    size = 0
    for document_terms in term_lists:
        terms += document_terms
        ends.append(len(terms))
        size += sum(map(len, document_terms)) + len(document_terms) + 1
        if size >= SLICE_CHARACTERS:
            yield TermSlice(*encode_terms(terms), np.array(ends, np.uint64))
            terms, ends, size = [], [], 0
    if ends:
        yield TermSlice(*encode_terms(terms), np.array(ends, np.uint64))


@dataclass
class SliceTally:
    """The counts of all slices.

    If several workers learned terms, each numbered them itself. Then `workers` has the worker that counted each slice,
    and `final_numbers` has for each worker the final number of each of its terms. Otherwise both are None: the counts
    have final numbers already.
    """

    slices: list[SliceCounts]
    workers: list[int] | None
    final_numbers: list[Ints] | None

    def _by_slice(self, values: Ints) -> list[Ints]:
        """Return for each slice an array of values, indexed by the term numbers that the counts of the slice use.

        `values` is indexed by final term numbers.
        """
        if self.workers is None or self.final_numbers is None:
            return [values] * len(self.slices)
        worker_values = [values[numbers] for numbers in self.final_numbers]
        return [worker_values[worker] for worker in self.workers]

    @property
    def n_documents(self) -> int:
        """Return the number of counted documents."""
        return sum(len(counts.row_ends) for counts in self.slices)

    def totals(self, size: int) -> tuple[Ints, Ints]:
        """Return the document frequency and the number of occurrences of each of `size` terms."""
        doc_freq = np.zeros(size, np.int64)
        occurrences = np.zeros(size, np.int64)
        for counts, numbers in zip(self.slices, self._by_slice(np.arange(size)), strict=True):
            kernels.add_totals(counts.entries, numbers, doc_freq, occurrences)
        return doc_freq, occurrences

    def rows(self, columns: Ints, n_columns: int, *, dtype: type[np.number], n_jobs: int) -> CSR:
        """Return the counts as CSR rows, and free those of this tally, which can't be used any more.

        `columns` maps final term numbers to columns (-1: none).
        """
        slice_columns = self._by_slice(columns)
        all_have_columns = bool((columns >= 0).all())
        sizes = [  # the number of values in each row, slice by slice
            np.diff(counts.row_ends.astype(np.int64), prepend=0)
            if all_have_columns
            else kernels.row_sizes(*counts, term_columns)
            for counts, term_columns in zip(self.slices, slice_columns, strict=True)
        ]
        indptr = np.concatenate([np.zeros(1, np.int64), *sizes]).cumsum()
        n_values = int(indptr[-1])
        index_type: Any = np.int32 if max(n_values, n_columns) <= np.iinfo(np.int32).max else np.int64
        indices = np.empty(n_values, index_type)
        data = np.empty(n_values, dtype)
        begins = indptr[np.cumsum([0, *map(len, sizes)])]  # where the values of each slice begin
        passes = kernels.radix_passes(n_columns)

        def write_slice(number: int) -> None:
            """Write the rows of a slice, and free its counts."""
            written = slice(begins[number], begins[number + 1])
            kernels.write_rows(*self.slices[number], slice_columns[number], passes, indices[written], data[written])
            self.slices[number] = _NO_COUNTS

        parallel_map(write_slice, len(self.slices), n_jobs)
        return CSR(data, indices, indptr.astype(index_type), n_columns)


_NO_COUNTS = SliceCounts(np.empty(0, np.uint64), np.empty(0, np.uint64))


def tally(slices: Iterator[AnySlice], table: Table, *, learn: bool, n_jobs: int) -> SliceTally:
    """Count all slices on `n_jobs` threads.

    With `learn`, new terms are added to the table, numbered in the order in which they first occur.
    """
    if n_jobs == 1:  # the only thread can add terms to `table` itself
        counter = table if learn else table.reader()
        counts = [counter.count(documents, learn=learn) for documents in slices]
        if not learn:
            table.return_readers([counter])
        return SliceTally(counts, None, None)
    tables: list[Table] = []
    idle: SimpleQueue[int] = SimpleQueue()  # the workers without a slice; worker w counts with tables[w]

    def count_slice(worker: int, documents: AnySlice) -> tuple[SliceCounts, Any]:
        """Return the counts of a slice, and the sizes of the worker's table just after it."""
        try:
            return tables[worker].count(documents, learn=learn), tables[worker].sizes
        finally:  # also after an error, so that `idle.get` below never waits forever
            idle.put(worker)

    # The calling thread reads and encodes the documents (the loop over `slices` does), since their source may not be
    # safe for other threads. A worker gets a slice only when it is idle, so it counts its slices in the order of the
    # documents. There are at most `n_jobs` workers; a new one is added only if none is idle.
    slice_workers: list[int] = []
    futures: list[Future[tuple[SliceCounts, Any]]] = []
    with ThreadPoolExecutor(n_jobs) as pool:
        for documents in slices:
            if idle.empty() and len(tables) < n_jobs:
                tables.append(table.empty_copy() if learn else table.reader())
                worker = len(tables) - 1
            else:
                worker = idle.get()
            slice_workers.append(worker)
            futures.append(pool.submit(count_slice, worker, documents))
    results = [future.result() for future in futures]
    counts = [slice_counts for slice_counts, _ in results]
    if not learn:
        table.return_readers(tables)
        return SliceTally(counts, None, None)
    numbers = table.absorb(tables, zip(slice_workers, (sizes for _, sizes in results), strict=True))
    return SliceTally(counts, slice_workers, numbers)
