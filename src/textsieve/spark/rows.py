"""The weights of some terms in all documents, for a selector that statistics do not do for.

They come to the driver a chunk at a time, in the order of the documents, and none is kept there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import csr_matrix

from ..selectors.base import Documents
from ..training.documents import columns_in_order
from .counting import CountClasses
from .table import pieces
from .worker import mapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .worker import Batches

_PACKED = ("starts", "columns", "weights")


@dataclass(frozen=True)
class _Pack:
    """The weights of some terms, those of a chunk in one row."""

    weighing: CountClasses
    terms: list[str]

    def __call__(self, batches: Batches) -> Batches:
        wanted = pa.array(self.terms, pa.string())
        for rows, terms, _ in self.weighing.weighted_chunks(batches):
            found = pc.index_in(wanted, value_set=pa.array(terms, pa.string()))
            places = np.flatnonzero(pc.is_valid(found).to_numpy(zero_copy_only=False))
            own = columns_in_order(rows, found.drop_null().to_numpy().astype(np.int64))
            packed = [*(own.indptr.astype(np.int32), places.astype(np.int32)[own.indices], own.data.astype(np.float32))]
            yield pa.record_batch([pa.array([each.tobytes()], pa.binary()) for each in packed], names=_PACKED)


def weights_of(documents: DataFrame, weighing: CountClasses, terms: list[str]) -> Documents:
    """What begins to go through the weights of some terms, columns in the given order, in all documents."""

    def begun() -> Iterator[csr_matrix]:
        schema = ", ".join(f"{name} binary" for name in _PACKED)
        for row in pieces(mapped(documents, _Pack(weighing, terms), schema)):
            starts, columns = (np.frombuffer(row[name], np.int32) for name in _PACKED[:2])
            weights = np.frombuffer(row["weights"], np.float32)
            yield csr_matrix((weights, columns, starts), shape=(len(starts) - 1, len(terms)))

    return begun
