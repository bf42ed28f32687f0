"""`predict`: a trained model on the documents of a DataFrame; it goes to the machines as the bytes of its file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import types as T

from ..categorizer import Categorizer
from ..errors import InputError, shown
from ..modelfile.reading import decode
from ..modelfile.writing import encode
from ..prediction import Model
from .columns import column_type
from .texts import texts_of
from .worker import widened

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .worker import Batches

_TYPES: dict[type, tuple[T.DataType, pa.DataType]] = {
    str: (T.StringType(), pa.string()),
    bool: (T.BooleanType(), pa.bool_()),
    int: (T.LongType(), pa.int64()),
    float: (T.DoubleType(), pa.float64()),
}
"""Of labels, in Spark and in Arrow."""


@lru_cache(4)
def model_of(data: bytes) -> Model:
    """The model that bytes hold; a process reads it once."""
    return decode(data)


@dataclass(frozen=True)
class _Predict:
    """Adds labels, and scores if they are asked for, to batches of documents."""

    data: bytes
    place: int
    """Of the column with the texts."""
    want_scores: bool

    def __call__(self, batches: Batches) -> Batches:
        model, seen = model_of(self.data), 0
        for batch in batches:
            column = batch.column(self.place)
            found = model.predict(texts_of(column, seen))
            seen += len(column)
            is_null = column.is_null().to_numpy(zero_copy_only=False)
            columns = [*batch.columns, _labels(model, found.labels, is_null)]
            if self.want_scores:
                scores = [None if null else row for null, row in zip(is_null, found.scores, strict=True)]
                columns.append(pa.array(scores, pa.list_(pa.float64())))
            yield pa.record_batch(columns, names=list(map(str, range(len(columns)))))


def _labels(model: Model, labels: Any, is_null: Any) -> pa.Array:
    kind = _TYPES[type(model.classes[0])][1]
    if model.labels == "one":
        return pa.array([None if null else label for null, label in zip(is_null, labels.tolist(), strict=True)], kind)
    sets = model.label_sets(labels)
    each = [None if null else list(own) for null, own in zip(is_null, sets, strict=True)]
    return pa.array(each, pa.list_(kind))


def predict(
    df: DataFrame,
    model: Categorizer | Model,
    text: str = "text",
    *,
    prediction: str = "prediction",
    scores: str | None = "scores",
) -> DataFrame:
    """The DataFrame with the label or labels of each document, and the score of each class, in the order of classes.

    A text that is null has neither. `scores=None` leaves the scores out. A column that has one of the two names
    already is refused.
    """
    if isinstance(model, Categorizer):
        model = model._fitted()
    if not isinstance(model, Model):
        raise InputError(f"model is {shown(model)}; give a fitted Categorizer, or textsieve.load(path).")
    kind = column_type(df, text, "text")
    if not isinstance(kind, T.StringType | T.BinaryType):
        raise InputError(f"text={text!r}: the column is of type {kind.simpleString()}; use one with text, or cast it.")
    for name in filter(None, (prediction, scores)):
        if name in df.columns:
            raise InputError(f"{name!r} is a column already; drop it, or name another for what is predicted.")
    own = _TYPES[type(model.classes[0])][0]
    added = [T.StructField(prediction, own if model.labels == "one" else T.ArrayType(own))]
    if scores is not None:
        added.append(T.StructField(scores, T.ArrayType(T.DoubleType())))
    return widened(df, _Predict(encode(model), df.columns.index(text), scores is not None), added)
