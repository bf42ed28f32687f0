"""Stages for Spark ML pipelines: two estimators, the models that they train, and how Spark saves all of them.

All stages have the settings of a `Categorizer` as Params, spelled in Spark's style (`nTerms` is `n_terms`), and work in
classic and in Connect sessions.

`SieveCategorizer` predicts labels of texts, as `textsieve.spark.fit` and `predict` do. Labels are whatever `fit`
accepts: text, numbers, or arrays for multilabel documents. Spark's evaluators and its `CrossValidator` need labels and
predictions that are doubles; if labels are doubles (as from a `StringIndexer`), so are the predictions.

`SieveSelector` converts texts to vectors of a few selected terms, for classifiers of Spark ML. Terms are selected as
for a `Categorizer`. Their weights are those on which the classifier `svm` would be trained, unless `tf`, `idf` and
`norm` are set. To select terms and compute their idf, `fit` trains a whole model, of which only the terms and their
weights are used. The classifier of this model is naive Bayes, because it needs no more than the statistics; so
`nTerms="auto"` is tuned with naive Bayes, too.

**Saving.** A stage is saved wherever Spark can write: its Params in Spark's own format, and the trained model as the
bytes of a model file. The bytes are stored beside the Params in a Parquet table, in rows of a few megabytes, because
the sizes of rows and messages are limited. Everything is done with DataFrames, because a Connect session has nothing
else. So to overwrite a folder, an empty table is first written in its place. Spark also saves the name of this module
and of the stage's class, so neither may change.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

import numpy as np
import pyarrow as pa
from pyspark.ml import Estimator, Model
from pyspark.ml.linalg import VectorUDT
from pyspark.ml.util import (
    DefaultParamsReadable,
    DefaultParamsReader,
    DefaultParamsWritable,
    DefaultParamsWriter,
    MLReadable,
)
from pyspark.sql import SparkSession
from pyspark.sql import types as T

from .. import prediction
from ..arrays import CSR, Bools
from ..categorizer import Categorizer
from ..errors import InputError
from ..modelfile.reading import decode
from ..modelfile.writing import encode
from ..presentation import PRESENTATION
from ..registry import CLASSIFIERS
from .fitting import fit
from .ml_params import FittedParams, ParamSpec, WithColumns, setting_params
from .predicting import add_model_columns, predict

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["SieveCategorizer", "SieveCategorizerModel", "SieveSelector", "SieveSelectorModel"]


# -- saving and loading ------------------------------------------------------------------------------------------

Stage = TypeVar("Stage", bound=MLReadable[Any])

_PIECE_BYTES = 4 << 20
"""The number of bytes of a model that are stored in one row."""
_PIECE_SCHEMA = "piece int, data binary"


class StageWriter(DefaultParamsWriter):
    """Saves the Params of a stage."""

    def save(self, path: str) -> None:
        """Save to a folder, which must not exist unless `overwrite` was called."""
        if self.shouldOverwrite:
            self.sparkSession.createDataFrame([], "value string").write.mode("overwrite").text(path)
        self.saveImpl(path)


class ModelWriter(StageWriter):
    """Saves the Params and the model of a stage."""

    def saveImpl(self, path: str) -> None:
        """Save the Params, as Spark does, and then the model."""
        super().saveImpl(path)
        model: Any = self.instance
        _write_bytes(encode(model.model), _model_folder(path), self.sparkSession)


class ModelReader(DefaultParamsReader[Stage]):
    """Loads what `ModelWriter` saved."""

    def load(self, path: str) -> Stage:
        """Return the saved stage with its model."""
        loaded: Any = super().load(path)
        if not issubclass(type(loaded), self.cls):
            name = type(loaded).__name__
            raise InputError(f"{path} has a {name}", hint=f"load it by {name}.load")
        loaded.model = decode(_read_bytes(_model_folder(path), self.sparkSession), path)
        stage: Stage = loaded
        return stage


def _model_folder(path: str) -> str:
    """Return the folder with the model of a stage that is saved at a path."""
    return os.path.join(path, "model")


def _write_bytes(data: bytes, folder: str, session: SparkSession) -> None:
    """Write bytes to a Parquet table, in numbered pieces."""
    starts = range(0, len(data), _PIECE_BYTES)
    pieces = [(number, bytearray(data[start : start + _PIECE_BYTES])) for number, start in enumerate(starts)]
    session.createDataFrame(pieces, _PIECE_SCHEMA).coalesce(1).write.parquet(folder)


def _read_bytes(folder: str, session: SparkSession) -> bytes:
    """Return the bytes that `_write_bytes` wrote."""
    rows = session.read.schema(_PIECE_SCHEMA).parquet(folder).collect()
    return b"".join(bytes(row["data"]) for row in sorted(rows, key=lambda row: int(row["piece"])))


# -- base classes ------------------------------------------------------------------------------------------------

ModelStage = TypeVar("ModelStage", bound="SieveModel")


class SieveEstimator(
    WithColumns, Estimator[ModelStage], DefaultParamsReadable[Any], DefaultParamsWritable, Generic[ModelStage]
):
    """A stage that is trained on a DataFrame."""

    def write(self) -> StageWriter:
        """Return the writer that saves the stage."""
        return StageWriter(self)

    def _with_params(self, model: ModelStage) -> ModelStage:
        """Return a model with the Params and the uid of this estimator."""
        model_with_uid: ModelStage = model._resetUid(self.uid)
        return self._copyValues(model_with_uid)


class SieveModel(FittedParams, Model, DefaultParamsReadable[Any], DefaultParamsWritable):
    """A trained stage."""

    model: prediction.Model
    """The trained model, which a model file would contain."""

    def __init__(self, model: prediction.Model | None = None) -> None:
        """Create a stage of a trained model; while a stage is being loaded, the model is None and follows later."""
        super().__init__()
        if model is not None:
            self.model = model

    @property
    def terms(self) -> list[str]:
        """Return the selected terms, best first."""
        return list(self.model.terms)

    def write(self) -> ModelWriter:
        """Return the writer that saves the stage."""
        return ModelWriter(self)

    @classmethod
    def read(cls) -> ModelReader[Self]:
        """Return the reader that loads a stage."""
        return ModelReader(cls)


# -- SieveCategorizer --------------------------------------------------------------------------------------------

CATEGORIZER_PARAMS = (
    ParamSpec("predictionCol", "prediction", "the new column with the predicted label or labels"),
    ParamSpec("scoresCol", "scores", "the new column with the scores of the classes; an empty text or None: no scores"),
    *setting_params(without=["keep_stats"]),  # a saved stage contains a model without statistics
)


def _train(stage: WithColumns, dataset: DataFrame, categorizer: Categorizer) -> prediction.Model:
    """Return a model trained on the columns that the Params of a stage name.

    The model stores the names that were set, as a model trained by `textsieve train` does.
    """
    text = stage.text_columns()
    with stage.naming_params():
        model = fit(dataset, text, stage.getLabelCol(), categorizer).model_
    if columns := stage.set_columns():
        model.about["columns"] = columns
    return model


class SieveCategorizer(SieveEstimator["SieveCategorizerModel"], specs=CATEGORIZER_PARAMS):
    """Trains on the texts and labels of a DataFrame, as `textsieve.spark.fit` does.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> from textsieve.spark import SieveCategorizer
    >>> spark = SparkSession.builder.getOrCreate()
    >>> rows = [("the striker", "sport"), ("a late goal", "sport"), ("the vote failed", "law"), ("a new law", "law")]
    >>> df = spark.createDataFrame(rows, ["text", "label"])
    >>> model = SieveCategorizer(analyzer="word", probabilities=None, nTerms=5).fit(df)
    >>> [row.prediction for row in model.transform(df).collect()]
    ['sport', 'sport', 'law', 'law']
    """

    def _fit(self, dataset: DataFrame) -> SieveCategorizerModel:
        return self._with_params(SieveCategorizerModel(_train(self, dataset, Categorizer(**self._settings()))))


class SieveCategorizerModel(SieveModel, specs=CATEGORIZER_PARAMS):
    """Adds labels and scores, as `textsieve.spark.predict` does.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> from textsieve.spark import SieveCategorizer
    >>> spark = SparkSession.builder.getOrCreate()
    >>> rows = [("the striker", "sport"), ("a late goal", "sport"), ("the vote failed", "law"), ("a new law", "law")]
    >>> df = spark.createDataFrame(rows, ["text", "label"])
    >>> model = SieveCategorizer(analyzer="word", probabilities=None, nTerms=5).fit(df)
    >>> model.categorizer.predict(["a goal by the striker"])
    array(['sport'], dtype='<U5')
    """

    @property
    def categorizer(self) -> Categorizer:
        """Return the model as an ordinary `Categorizer`, to explain predictions, or to save it as one file."""
        return Categorizer.of_model(self.model)

    @property
    def classes(self) -> list[prediction.Label]:
        """Return the classes, in the order of the scores."""
        return list(self.model.classes)

    def _transform(self, dataset: DataFrame) -> DataFrame:
        names = {"prediction": self.getPredictionCol(), "scores": self.getScoresCol() or None}
        with self.naming_params():
            return predict(dataset, self.model, self.text_columns(), **names)


# -- SieveSelector -----------------------------------------------------------------------------------------------

OUTPUT_COL = ParamSpec("outputCol", "features", "the new column with the vectors")
CLASSIFIER_SETTINGS = (
    *("projection", "projection_options", "classifier", "classifier_options", "class_weight"),
    *("max_size", "tolerance", "coefficient_dtype", "cut", "cut_options", "probabilities", "held_out", "keep_stats"),
    *PRESENTATION,
)
SELECTOR_PARAMS = (OUTPUT_COL, *setting_params(without=CLASSIFIER_SETTINGS))

_VECTOR_TYPE = pa.struct(
    [("type", pa.int8()), ("size", pa.int32()), ("indices", pa.list_(pa.int32())), ("values", pa.list_(pa.float64()))]
)


def vectors(rows: CSR) -> pa.Array:
    """Return sparse rows in Spark's storage format of sparse vectors: type 0, size, indices and values.

    Arrow transfers this format unchanged.
    """
    indptr = pa.array(rows.indptr.astype(np.int32))
    indices = pa.ListArray.from_arrays(indptr, pa.array(rows.indices.astype(np.int32)))
    values = pa.ListArray.from_arrays(indptr, pa.array(rows.data.astype(np.float64)))
    sparse_type = pa.array(np.zeros(rows.n_rows, np.int8))
    size = pa.array(np.full(rows.n_rows, rows.n_columns, np.int32))
    return pa.StructArray.from_arrays([sparse_type, size, indices, values], fields=list(_VECTOR_TYPE))


def _vector_columns(model: prediction.Model, texts: list[str], is_null: Bools) -> list[pa.Array]:
    """Return the column with the vectors of texts; the vector of a null text has no entries."""
    return [vectors(model.rows(texts))]


class SieveSelector(SieveEstimator["SieveSelectorModel"], specs=SELECTOR_PARAMS):
    """Selects terms from the texts and labels of a DataFrame.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> from textsieve.spark import SieveSelector
    >>> spark = SparkSession.builder.getOrCreate()
    >>> rows = [("the striker", "sport"), ("a late goal", "sport"), ("the vote failed", "law"), ("a new law", "law")]
    >>> df = spark.createDataFrame(rows, ["text", "label"])
    >>> model = SieveSelector(selector="chi", nTerms=3, outputCol="features").fit(df)
    >>> model.transform(df).first().features.size
    3
    """

    def _fit(self, dataset: DataFrame) -> SieveSelectorModel:
        # `tf`, `idf` and `norm` are those of "svm", unless their Params are set (not None).
        svm_weighting = CLASSIFIERS["svm"].scheme._asdict()
        params = {
            name: value for name, value in self._settings().items() if name not in svm_weighting or value is not None
        }
        settings = {**svm_weighting, **params}
        # A classifier must be trained, although only the terms are used. The fastest is naive Bayes without anything
        # that is tuned on held-out documents: with one label for each document, and without probabilities.
        settings |= {"classifier": "nb", "cut": "rcut", "cut_options": {"ranks": 1}, "probabilities": None}
        return self._with_params(SieveSelectorModel(_train(self, dataset, Categorizer(**settings))))


class SieveSelectorModel(SieveModel, specs=SELECTOR_PARAMS):
    """Adds a sparse vector with the weights of the selected terms, in the order of `terms`.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> from textsieve.spark import SieveSelector
    >>> spark = SparkSession.builder.getOrCreate()
    >>> rows = [("the striker", "sport"), ("a late goal", "sport"), ("the vote failed", "law"), ("a new law", "law")]
    >>> df = spark.createDataFrame(rows, ["text", "label"])
    >>> model = SieveSelector(selector="chi", nTerms=3, outputCol="features").fit(df)
    >>> model.transform(df).first().features.size
    3
    """

    def _transform(self, dataset: DataFrame) -> DataFrame:
        metadata = {"ml_attr": {"num_attrs": len(self.model.terms)}}
        new_fields = [T.StructField(self.getOutputCol(), VectorUDT(), nullable=True, metadata=metadata)]
        with self.naming_params():
            return add_model_columns(dataset, self.model, self.text_columns(), new_fields, _vector_columns)
