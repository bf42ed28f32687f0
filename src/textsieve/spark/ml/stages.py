"""Base classes of the estimators and of the models: Params, saving and loading, and the trained model.

Stages are saved wherever Spark can write: Params in Spark's own format, a model as the bytes of its file. The bytes are
stored beside the Params in a Parquet table, a few megabytes in each row, because the sizes of rows and messages are
limited. Everything is done with DataFrames, because a Connect session has nothing else; so to overwrite a folder, an
empty table is first written in its place.
"""

from __future__ import annotations

import os
from typing import Any, Generic, Self, TypeVar

from pyspark.ml import Estimator, Model
from pyspark.ml.util import (
    DefaultParamsReadable,
    DefaultParamsReader,
    DefaultParamsWritable,
    DefaultParamsWriter,
    MLReadable,
)
from pyspark.sql import SparkSession

from ... import prediction
from ...errors import InputError
from ...modelfile.reading import decode
from ...modelfile.writing import encode
from .params import FittedParams, WithColumns

Stage = TypeVar("Stage", bound=MLReadable[Any])

_PIECE_BYTES = 4 << 20
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
