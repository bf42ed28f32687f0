"""Counts of documents in a temporary file, so that later passes over a large corpus don't read its texts again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from tempfile import TemporaryFile
from threading import Lock
from typing import IO, Any, NamedTuple
from weakref import finalize

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ..arrays import Codes, Ints
from ..errors import InputError, shown
from ..kernels import csr as kernels
from ..threads import read_ahead

BLOCK_VALUES = 1 << 19
"""A block that is read at once ends after the batch with which it has this many counts; each takes 20 bytes."""

_COLUMN = np.dtype(np.uint32)
"""The type of columns in the file."""


class _BatchLocation(NamedTuple):
    """Where a batch of documents is in the file, and the sizes and types of its three arrays.

    The first array has, for each document, its number of terms. The other two have an element for each term of each
    document: the column of the term (of type `_COLUMN`), and its count.
    """

    position: int  # in bytes
    n_rows: int  # of documents: the size of the first array
    n_values: int  # the size of the other two arrays
    size_type: np.dtype[Any]  # of the first array
    count_type: np.dtype[Any]  # of the third array


class SpilledCounts:
    """Counts of batches of documents in a temporary file; each count takes about five bytes, with its column.

    The file vanishes with the object, also if the process is killed. It is in the folder for temporary files, which the
    environment variable TMPDIR chooses.
    """

    def __init__(self) -> None:
        """Create an empty file; raise `InputError` if that is not possible."""
        with _explain_write_errors():
            self._file = TemporaryFile(prefix="textsieve-")  # noqa: SIM115 (open as long as the object lives)
        finalize(self, _close, self._file)
        self._lock = Lock()
        self._batches: list[_BatchLocation] = []
        self._end = self._n_columns = 0

    def append(self, counts: csr_matrix) -> None:
        """Add the counts of a batch of documents; a term has the same column in all batches.

        Raises `InputError` if there is no room for them.
        """
        sizes = np.diff(counts.indptr)
        size_type, count_type = (np.min_scalar_type(numbers.max(initial=0)) for numbers in (sizes, counts.data))
        arrays = sizes.astype(size_type), counts.indices.astype(_COLUMN), counts.data.astype(count_type)
        with _explain_write_errors():
            self._file.seek(self._end)
            for array in arrays:
                self._file.write(array.data)
            self._file.flush()
        self._batches.append(_BatchLocation(self._end, len(sizes), counts.nnz, size_type, count_type))
        self._end += sum(array.nbytes for array in arrays)
        self._n_columns = max(self._n_columns, counts.shape[1])

    def read(self, columns: Ints) -> Iterator[csr_matrix]:
        """Yield the counts in the given columns, in this order, in blocks of documents; columns ascend in each row.

        A thread reads the next block while the caller works on one.
        """
        new_column = np.full(max(self._n_columns, 1), -1, np.int64)  # -1: the column is left out
        new_column[columns] = np.arange(len(columns))
        blocks = (_decode_block(*block, new_column, len(columns)) for block in self._blocks())
        return read_ahead(blocks, n_ahead=1)

    def _blocks(self) -> Iterator[tuple[Codes, Codes]]:
        """Yield blocks of consecutive documents, each as two arrays.

        The first has an entry for each count: the 64-bit integer column << 32 | count. The second has, for each
        document, the position in the first where its entries end. A block has whole batches.
        """
        entries: list[Codes] = []
        sizes: list[NDArray[Any]] = []
        for number, batch in enumerate(self._batches, start=1):
            with self._lock:  # another pass that was not read to its end may still have a thread
                self._file.seek(batch.position)
                sizes.append(self._read(batch.n_rows, batch.size_type))
                indices, counts = self._read(batch.n_values, _COLUMN), self._read(batch.n_values, batch.count_type)
            entries.append(indices.astype(np.uint64) << np.uint64(32) | counts)
            if sum(map(len, entries)) >= BLOCK_VALUES or number == len(self._batches):
                yield np.concatenate(entries), np.concatenate(sizes).cumsum(dtype=np.uint64)
                entries, sizes = [], []

    def _read(self, n: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return the next `n` numbers of the file."""
        return np.frombuffer(self._file.read(n * dtype.itemsize), dtype)


def _close(file: IO[bytes]) -> None:
    """Close a file; ignore the error of a full disk, because nobody reads the file any more."""
    with suppress(OSError):
        file.close()


@contextmanager
def _explain_write_errors() -> Iterator[None]:
    """Turn errors of creating or writing the file into an `InputError`, whose hint names the variable TMPDIR."""
    try:
        yield
    except OSError as problem:
        raise InputError(
            f"the counts of all documents can't be written to a temporary file: {problem.strerror or problem}",
            hint="set the environment variable TMPDIR to a folder with more room; now it is "
            + shown(os.environ.get("TMPDIR", "not set")),
        ) from problem


def _decode_block(entries: Codes, row_ends: Codes, new_column: Ints, n_columns: int) -> csr_matrix:
    """Return the counts of a block of `SpilledCounts._blocks` as a matrix with some of the columns.

    `new_column` has for each column of the file its number in the result, or -1 if it is left out. `n_columns` is the
    number of columns of the result.
    """
    indptr = np.concatenate([[0], kernels.row_sizes(entries, row_ends, new_column)]).cumsum()
    indices, data = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.int32)  # `write_rows` fills both
    kernels.write_rows(entries, row_ends, new_column, kernels.radix_passes(n_columns), indices, data)
    return csr_matrix((data, indices, indptr.astype(np.int32)), shape=(len(row_ends), n_columns))
