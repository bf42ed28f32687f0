"""Base classes of the estimators and of the models: Params, saving and loading, and the trained model."""

from __future__ import annotations

from typing import Any, Generic, Self, TypeVar

from pyspark.ml import Estimator, Model
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable

from ... import prediction
from .params import FittedParams, WithParams
from .storing import ModelReader, ModelWriter, StageWriter

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
