"""Counts of documents in a temporary file, so that later passes over a large corpus don't read its texts again."""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import TemporaryFile, gettempdir
from typing import Any, NamedTuple
from weakref import finalize

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ..arrays import Ints
from ..errors import InputError


class _Spilled(NamedTuple):
    """Where a batch is in the file."""

    position: int
    n_rows: int
    n_values: int
    size_type: np.dtype[Any]
    count_type: np.dtype[Any]


class SpilledCounts:
    """Counts of batches of documents; a value takes about five bytes of the file.

    The file has no name and vanishes with the object, also if the process is killed. It is in the folder for temporary
    files, which the environment variable TMPDIR chooses.
    """

    def __init__(self) -> None:
        self._file = TemporaryFile(prefix="textsieve-")  # noqa: SIM115 (open as long as the object lives)
        finalize(self, self._file.close)
        self._batches: list[_Spilled] = []
        self._end = 0

    def append(self, counts: csr_matrix) -> None:
        """Add the counts of a batch of documents; a term has the same column in all batches.

        Raises `InputError` if there is no room for them.
        """
        sizes = np.diff(counts.indptr)
        size_type, count_type = (np.min_scalar_type(numbers.max(initial=0)) for numbers in (sizes, counts.data))
        arrays = sizes.astype(size_type), counts.indices.astype(np.uint32), counts.data.astype(count_type)
        try:
            self._file.seek(self._end)
            for array in arrays:
                self._file.write(array.data)
            self._file.flush()
        except OSError as problem:
            raise InputError(
                f"there is no room for the counts of all documents in {gettempdir()}: {problem.strerror or problem}",
                hint="set the environment variable TMPDIR to a folder on a larger disk",
            ) from problem
        self._batches.append(_Spilled(self._end, len(sizes), counts.nnz, size_type, count_type))
        self._end += sum(array.nbytes for array in arrays)

    def read(self, columns: Ints) -> Iterator[csr_matrix]:
        """Yield the counts of each batch in the given columns, in this order; columns ascend in each row."""
        new_column = np.full(int(columns.max(initial=-1)) + 2, -1, np.int32)
        new_column[columns] = np.arange(len(columns))
        for batch in self._batches:
            self._file.seek(batch.position)
            sizes = self._read(batch.n_rows, batch.size_type)
            indices = self._read(batch.n_values, np.dtype(np.uint32))
            data = self._read(batch.n_values, batch.count_type)
            # Columns beyond the last wanted one share the last entry, which is -1.
            new_indices = new_column[np.minimum(indices, len(new_column) - 1)]
            is_kept = new_indices >= 0
            n_kept = np.concatenate([np.zeros(1, np.int32), np.cumsum(is_kept, dtype=np.int32)])
            indptr = n_kept[np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])]
            arrays = data[is_kept].astype(np.int32), new_indices[is_kept], indptr
            rows = csr_matrix(arrays, shape=(batch.n_rows, len(columns)))
            rows.sort_indices()
            yield rows

    def _read(self, n: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return the next `n` numbers of the file."""
        return np.frombuffer(self._file.read(n * dtype.itemsize), dtype)
