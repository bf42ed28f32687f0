"""Add columns that a model computes to a DataFrame, on the workers, which get the model as the bytes of its file.

A process decodes the model once. Meanwhile, all columns are named 0, 1, 2, ..., so that their real names may be any:
Spark reads a dot in a name as access to a part of a column, and does not distinguish lowercase and uppercase letters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import types as T

from ..arrays import Bools
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

MakeColumns = Callable[[Model, list[str], Bools], list[pa.Array]]
"""Function of a model, texts, and which of them are null (empty in `texts`), that returns the columns to add."""


@lru_cache(4)
def _model(data: bytes) -> Model:
    return decode(data)


@dataclass(frozen=True)
class _Add:
    """Task that adds columns to batches of documents."""

    data: bytes
    text_position: int
    """Position of the column with the texts."""
    make: MakeColumns

    def __call__(self, batches: Batches) -> Batches:
        model, n_before = _model(self.data), 0
        for batch in batches:
            column = batch.column(self.text_position)
            new_columns = self.make(model, texts_of(column, n_before), column.is_null().to_numpy(zero_copy_only=False))
            n_before += len(column)
            columns = [*batch.columns, *new_columns]
            yield pa.record_batch(columns, names=list(map(str, range(len(columns)))))


def with_columns(df: DataFrame, model: Model, text: str, added: list[T.StructField], make: MakeColumns) -> DataFrame:
    """Return the DataFrame with more columns; raise `InputError` if one exists already.

    The metadata of the other columns is kept.
    """
    documents_of(df, text, None)  # raises an error if the column is not suitable
    for field in added:
        if field.name in df.columns:
            raise InputError(f"{field.name!r} is a column already; drop it, or name another for what is added.")
    fields = [*df.schema.fields, *added]
    schema = [
        T.StructField(str(position), field.dataType, True, field.metadata) for position, field in enumerate(fields)
    ]
    numbered = df.toDF(*map(str, range(len(df.columns))))
    task = _Add(encode(model), df.columns.index(text), make)
    return mapped(numbered, task, T.StructType(schema)).toDF(*(field.name for field in fields))
