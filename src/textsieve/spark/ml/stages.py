"""Base classes of the estimators and of the models: Params, saving and loading, and the trained model.

Stages are saved wherever Spark can write: Params in Spark's own format, a model as the bytes of its file. The bytes are
rows of a Parquet table beside the Params, in pieces, because rows and messages have limits. Everything is done with
DataFrames, because a Connect session has nothing else; so a folder is overwritten by writing an empty table in its
place.
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
from .params import FittedParams, WithParams

Stage = TypeVar("Stage", bound=MLReadable[Any])

_PIECE = 4 << 20
_SCHEMA = "piece int, data binary"


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
        _write(encode(model.model), _folder(path), self.sparkSession)


class ModelReader(DefaultParamsReader[Stage]):
    """Loads what `ModelWriter` saved."""

    def load(self, path: str) -> Stage:
        """Return the saved stage with its model."""
        loaded: Any = super().load(path)
        if not issubclass(type(loaded), self.cls):
            raise InputError(f"{path} has a {type(loaded).__name__}; load it by {type(loaded).__name__}.load.")
        loaded.model = decode(_read(_folder(path), self.sparkSession), path)
        stage: Stage = loaded
        return stage


def _folder(path: str) -> str:
    return os.path.join(path, "model")


def _write(data: bytes, folder: str, session: SparkSession) -> None:
    pieces = [
        (number, bytearray(data[start : start + _PIECE])) for number, start in enumerate(range(0, len(data), _PIECE))
    ]
    session.createDataFrame(pieces, _SCHEMA).coalesce(1).write.parquet(folder)


def _read(folder: str, session: SparkSession) -> bytes:
    rows = session.read.schema(_SCHEMA).parquet(folder).collect()
    return b"".join(bytes(row["data"]) for row in sorted(rows, key=lambda row: int(row["piece"])))


Fitted = TypeVar("Fitted", bound="SieveModel")


class SieveEstimator(WithParams, Estimator[Fitted], DefaultParamsReadable[Any], DefaultParamsWritable, Generic[Fitted]):
    """A stage that is trained on a DataFrame."""

    def write(self) -> StageWriter:
        """Return the writer that saves the stage."""
        return StageWriter(self)

    def _with_params(self, fitted: Fitted) -> Fitted:
        """Return a model with the Params and the uid of this estimator."""
        named: Fitted = fitted._resetUid(self.uid)
        return self._copyValues(named)


class SieveModel(FittedParams, Model, DefaultParamsReadable[Any], DefaultParamsWritable):
    """A trained stage."""

    model: prediction.Model
    """The trained model, which a model file would contain."""

    def __init__(self, model: prediction.Model | None = None) -> None:
        """Take the trained model; None while the stage is being loaded."""
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
