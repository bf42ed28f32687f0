"""Columns that a model adds to documents, where they are; the model goes there as the bytes of its file.

A process reads the model once. All columns are called 0, 1, 2, ... on the way, so that names may be any: Spark takes a
dot in a name for a part of a column, and does not tell capitals from small letters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import types as T

from ..errors import InputError
from ..modelfile.reading import decode
from ..modelfile.writing import encode
from ..prediction import Model
from .columns import documents_of
from .texts import texts_of
from .worker import mapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .worker import Batches

Bools = NDArray[np.bool_]
MakeColumns = Callable[[Model, list[str], Bools], list[pa.Array]]
"""A model, texts, and which of them are null (and empty here), to the columns that are added."""


@lru_cache(4)
def _model(data: bytes) -> Model:
    return decode(data)


@dataclass(frozen=True)
class _Add:
    """Adds columns to batches of documents."""

    data: bytes
    place: int
    """Of the column with the texts."""
    make: MakeColumns

    def __call__(self, batches: Batches) -> Batches:
        model, seen = _model(self.data), 0
        for batch in batches:
            column = batch.column(self.place)
            made = self.make(model, texts_of(column, seen), column.is_null().to_numpy(zero_copy_only=False))
            seen += len(column)
            columns = [*batch.columns, *made]
            yield pa.record_batch(columns, names=list(map(str, range(len(columns)))))


def with_columns(df: DataFrame, model: Model, text: str, added: list[T.StructField], make: MakeColumns) -> DataFrame:
    """The DataFrame with more columns, none of which may be there already; what is noted of the others stays."""
    documents_of(df, text, None)  # which says what is wrong with the column
    for field in added:
        if field.name in df.columns:
            raise InputError(f"{field.name!r} is a column already; drop it, or name another for what is added.")
    fields = [*df.schema.fields, *added]
    schema = [T.StructField(str(at), field.dataType, True, field.metadata) for at, field in enumerate(fields)]
    numbered = df.toDF(*map(str, range(len(df.columns))))
    task = _Add(encode(model), df.columns.index(text), make)
    return mapped(numbered, task, T.StructType(schema)).toDF(*(field.name for field in fields))
