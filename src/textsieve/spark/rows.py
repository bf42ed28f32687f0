"""Iterate over the weights of some terms in all documents, for a selector that needs more than statistics.

They come to the driver chunk by chunk, in the order of the documents, and are not stored there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import csr_matrix

from ..selectors.base import ReadAgain
from ..training.counted_documents import columns_in_order
from .counting import CountClasses
from .table import Terms, collect_in_order
from .worker import mapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .worker import Batches

_PACKED = ("starts", "columns", "weights")


@dataclass(frozen=True)
class _Pack:
    """Task that packs the weights of some terms, those of each chunk into one row."""

    weighing: CountClasses
    terms: list[str]

    def __call__(self, batches: Batches) -> Batches:
        wanted = pa.array(self.terms, pa.string())
        for rows, terms, _ in self.weighing.weighted_chunks(batches):
            columns = pc.index_in(wanted, value_set=pa.array(terms, pa.string()))
            positions = np.flatnonzero(pc.is_valid(columns).to_numpy(zero_copy_only=False))
            selected = columns_in_order(rows, columns.drop_null().to_numpy().astype(np.int64))
            packed = [
                *(
                    selected.indptr.astype(np.int32),
                    positions.astype(np.int32)[selected.indices],
                    selected.data.astype(np.float32),
                )
            ]
            yield pa.record_batch([pa.array([array.tobytes()], pa.binary()) for array in packed], names=_PACKED)


def weights_of(documents: DataFrame, weighing: CountClasses, candidates: Terms) -> ReadAgain:
    """Return a function that starts an iteration over the weights of some terms in all documents.

    Its matrices have a column for each term, in the given order.
    """
    terms, n_bytes = candidates.terms, 8 * int(candidates.doc_freq.sum()) + 4 * weighing.n_documents

    def iterate() -> Iterator[csr_matrix]:
        schema = ", ".join(f"{name} binary" for name in _PACKED)
        for row in collect_in_order(mapped(documents, _Pack(weighing, terms), schema), n_bytes):
            starts, columns = (np.frombuffer(row[name], np.int32) for name in _PACKED[:2])
            weights = np.frombuffer(row["weights"], np.float32)
            yield csr_matrix((weights, columns, starts), shape=(len(starts) - 1, len(terms)))

    return iterate
