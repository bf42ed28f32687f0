"""`predict`: the labels that a trained model gives to the documents of a DataFrame, and the scores."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import types as T

from ..categorizer import Categorizer
from ..errors import InputError, shown
from ..prediction import Model
from .adding import Bools, with_columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_TYPES: dict[type, tuple[T.DataType, pa.DataType]] = {
    str: (T.StringType(), pa.string()),
    bool: (T.BooleanType(), pa.bool_()),
    int: (T.LongType(), pa.int64()),
    float: (T.DoubleType(), pa.float64()),
}
"""Of labels, in Spark and in Arrow."""


def _labels_and_scores(want_scores: bool, model: Model, texts: list[str], is_null: Bools) -> list[pa.Array]:
    """What is predicted for some texts; nothing for those that are null."""
    found = model.predict(texts)
    labels = _labels(model, found.labels, is_null)
    if not want_scores:
        return [labels]
    scores = [None if null else row for null, row in zip(is_null, found.scores, strict=True)]
    return [labels, pa.array(scores, pa.list_(pa.float64()))]


def _labels(model: Model, labels: Any, is_null: Bools) -> pa.Array:
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
    own = _TYPES[type(model.classes[0])][0]
    added = [T.StructField(prediction, own if model.labels == "one" else T.ArrayType(own))]
    if scores is not None:
        added.append(T.StructField(scores, T.ArrayType(T.DoubleType())))
    return with_columns(df, model, text, added, partial(_labels_and_scores, scores is not None))
