"""`predict`: add the labels and scores that a trained model predicts to a DataFrame.

The workers get the model as the bytes of its file, and each worker process decodes it once. During the task, all
columns are named 0, 1, 2, ..., so that any real names are possible: Spark reads a dot in a name as access to a part of
a column, and does not distinguish lowercase and uppercase letters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import types as T

from ..arrays import Bools
from ..categorizer import Categorizer
from ..errors import InputError, shown
from ..modelfile.reading import decode
from ..modelfile.writing import encode
from ..prediction import Abstention, Model
from .columns import TextColumns, decode_texts, number_columns, text_names
from .tasks import map_batches

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .tasks import Batches


MakeColumns = Callable[[Model, list[str], Bools], list[pa.Array]]
"""Function that returns the columns to add, given a model, texts, and whether each text is null (and "" in texts)."""


@lru_cache(maxsize=4)
def _decode_once(data: bytes) -> Model:
    """Return the model of a file with these bytes; because of the cache, a worker process decodes each model once."""
    return decode(data)


@dataclass(frozen=True)
class _AddColumns:
    """Task that adds the columns of `make_columns` to batches of documents, and names all columns 0, 1, 2, ..."""

    model_bytes: bytes
    text_position: int
    """Position of the column with the texts."""
    make_columns: MakeColumns

    def __call__(self, batches: Batches) -> Batches:
        model, n_before = _decode_once(self.model_bytes), 0
        for batch in batches:
            column = batch.column(self.text_position)
            texts, is_null = decode_texts(column, n_before), column.is_null().to_numpy(zero_copy_only=False)
            new_columns = self.make_columns(model, texts, is_null)
            n_before += len(column)
            columns = [*batch.columns, *new_columns]
            yield pa.record_batch(columns, names=list(map(str, range(len(columns)))))


def add_model_columns(
    df: DataFrame, model: Model, text: TextColumns, new_fields: list[T.StructField], make_columns: MakeColumns
) -> DataFrame:
    """Return the DataFrame with new columns that the model computes from the texts in the column or columns `text`.

    The metadata of the other columns is kept. Raise `InputError` if a new column exists already.
    """
    numbered, texts = number_columns(df, text)
    for field in new_fields:
        if field.name in df.columns:
            hint = "drop it, or name another for what is added"
            raise InputError(f"{field.name!r} is a column already", hint=hint)
    names, task_fields = text_names(text), list(df.schema.fields)
    text_position = df.columns.index(names[0])
    if len(names) > 1:  # during the task, the joined texts are one more column
        text_position = len(df.columns)
        numbered = numbered.select("*", texts.alias(str(text_position)))
        task_fields.append(T.StructField("", T.StringType()))
    task_fields += new_fields
    schema = [
        T.StructField(str(number), field.dataType, nullable=True, metadata=field.metadata)
        for number, field in enumerate(task_fields)
    ]
    task = _AddColumns(encode(model), text_position, make_columns)
    added = map_batches(numbered, task, T.StructType(schema))
    if len(names) > 1:
        added = added.drop(str(text_position))
    return added.toDF(*df.columns, *(field.name for field in new_fields))


_LABEL_TYPES: dict[type, tuple[T.DataType, pa.DataType]] = {
    str: (T.StringType(), pa.string()),
    bool: (T.BooleanType(), pa.bool_()),
    int: (T.LongType(), pa.int64()),
    float: (T.DoubleType(), pa.float64()),
}
"""The types of labels in Spark and in Arrow, by their type in Python."""


def _labels_and_scores(
    with_scores: bool, abstention: Abstention | None, model: Model, texts: list[str], is_null: Bools
) -> list[pa.Array]:
    """Return a column with the predicted labels of texts and, if `with_scores`, one with their scores by class.

    Both are null for texts that are null. Labels are also null for texts for which the model abstains.
    """
    predictions = model.predict(texts)
    has_no_label = is_null if abstention is None else is_null | abstention.applies(model, predictions)
    labels = _label_column(model, predictions.labels, has_no_label)
    if not with_scores:
        return [labels]
    scores = [None if null else row for null, row in zip(is_null, predictions.scores, strict=True)]
    return [labels, pa.array(scores, pa.list_(pa.float64()))]


def _label_column(model: Model, labels: Any, has_no_label: Bools) -> pa.Array:
    """Return predicted labels as an Arrow array, of lists for a multilabel model; null where `has_no_label`."""
    kind = _LABEL_TYPES[type(model.classes[0])][1]
    if not model.multilabel:
        single_labels = zip(has_no_label, labels.tolist(), strict=True)
        return pa.array([None if no_label else label for no_label, label in single_labels], kind)
    label_sets = zip(has_no_label, model.label_sets(labels), strict=True)
    return pa.array([None if no_label else list(label_set) for no_label, label_set in label_sets], pa.list_(kind))


def predict(
    df: DataFrame,
    model: Categorizer | Model,
    text: TextColumns = "text",
    *,
    prediction: str = "prediction",
    scores: str | None = "scores",
    min_probability: float | None = None,
) -> DataFrame:
    """Return the DataFrame with the predicted label or labels of each document, and its scores by class.

    `text` is the column of the texts, or a list of columns, which are joined as `textsieve.read` does. Scores are in
    the order of the classes. Labels and scores are null if the text is null. `scores=None` leaves the scores out. With
    `min_probability`, the label is also null if it would be less probable, or if the text has no selected term. Raise
    `InputError` if a column has one of the two names already.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> from textsieve import Categorizer
    >>> from textsieve.spark import predict
    >>> spark = SparkSession.builder.getOrCreate()
    >>> rows = [("the striker", "sport"), ("a late goal", "sport"), ("the vote failed", "law"), ("a new law", "law")]
    >>> df = spark.createDataFrame(rows, ["text", "label"])
    >>> model = Categorizer(analyzer="word", probabilities=None, n_terms=5).fit(*zip(*rows))
    >>> [row.prediction for row in predict(df, model).collect()]
    ['sport', 'sport', 'law', 'law']
    """
    if isinstance(model, Categorizer):
        model = model._fitted()
    if not isinstance(model, Model):
        raise InputError(f"model is {shown(model)}", hint="give a fitted Categorizer, or textsieve.load(path)")
    label_type = _LABEL_TYPES[type(model.classes[0])][0]
    new_fields = [T.StructField(prediction, T.ArrayType(label_type) if model.multilabel else label_type)]
    if scores is not None:
        new_fields.append(T.StructField(scores, T.ArrayType(T.DoubleType())))
    abstention = Abstention.of(model, min_probability, abstain_label=None)
    make_columns = partial(_labels_and_scores, scores is not None, abstention)
    return add_model_columns(df, model, text, new_fields, make_columns)
