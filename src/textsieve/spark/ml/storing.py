"""Save and load stages wherever Spark can write: Params in Spark's own format, a model as the bytes of its file.

The bytes are rows of a Parquet table beside the Params, in pieces, because rows and messages have limits. Everything is
done with DataFrames, because a Connect session has nothing else; so a folder is overwritten by writing an empty table
in its place.
"""

from __future__ import annotations

import os
from typing import Any, TypeVar

from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReadable
from pyspark.sql import SparkSession

from ...errors import InputError
from ...modelfile.reading import decode
from ...modelfile.writing import encode

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
