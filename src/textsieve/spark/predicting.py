"""`predict`: add the labels that a trained model predicts for the documents of a DataFrame, and the scores."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import types as T

from ..arrays import Bools
from ..categorizer import Categorizer
from ..errors import InputError, shown
from ..prediction import Model
from .adding import with_columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_TYPES: dict[type, tuple[T.DataType, pa.DataType]] = {
    str: (T.StringType(), pa.string()),
    bool: (T.BooleanType(), pa.bool_()),
    int: (T.LongType(), pa.int64()),
    float: (T.DoubleType(), pa.float64()),
}
"""Types of labels in Spark and in Arrow."""


def _labels_and_scores(want_scores: bool, model: Model, texts: list[str], is_null: Bools) -> list[pa.Array]:
    """Return the predicted labels of texts, and the scores if wanted; null for texts that are null."""
    predictions = model.predict(texts)
    labels = _labels(model, predictions.labels, is_null)
    if not want_scores:
        return [labels]
    scores = [None if null else row for null, row in zip(is_null, predictions.scores, strict=True)]
    return [labels, pa.array(scores, pa.list_(pa.float64()))]


def _labels(model: Model, labels: Any, is_null: Bools) -> pa.Array:
    kind = _TYPES[type(model.classes[0])][1]
    if model.labels == "one":
        return pa.array([None if null else label for null, label in zip(is_null, labels.tolist(), strict=True)], kind)
    label_sets = model.label_sets(labels)
    label_lists = [None if null else list(label_set) for null, label_set in zip(is_null, label_sets, strict=True)]
    return pa.array(label_lists, pa.list_(kind))


def predict(
    df: DataFrame,
    model: Categorizer | Model,
    text: str = "text",
    *,
    prediction: str = "prediction",
    scores: str | None = "scores",
) -> DataFrame:
    """Return the DataFrame with the predicted label or labels of each document, and its scores by class.

    Scores are in the order of the classes. Labels and scores are null if the text is null. `scores=None` leaves the
    scores out. Raise `InputError` if a column has one of the two names already.
    """
    if isinstance(model, Categorizer):
        model = model._fitted()
    if not isinstance(model, Model):
        raise InputError(f"model is {shown(model)}; give a fitted Categorizer, or textsieve.load(path).")
    label_type = _TYPES[type(model.classes[0])][0]
    added = [T.StructField(prediction, label_type if model.labels == "one" else T.ArrayType(label_type))]
    if scores is not None:
        added.append(T.StructField(scores, T.ArrayType(T.DoubleType())))
    return with_columns(df, model, text, added, partial(_labels_and_scores, scores is not None))
