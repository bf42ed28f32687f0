"""What estimators have in common, and what models have: Params, saving and loading, and what was learned."""

from __future__ import annotations

from typing import Any, Generic, Self, TypeVar

from pyspark.ml import Estimator, Model
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable

from ... import prediction
from .params import FittedParams, WithParams
from .storing import ModelReader, ModelWriter, StageWriter

Fitted = TypeVar("Fitted", bound="SieveModel")


class SieveEstimator(WithParams, Estimator[Fitted], DefaultParamsReadable[Any], DefaultParamsWritable, Generic[Fitted]):
    """A stage that learns from a DataFrame."""

    def write(self) -> StageWriter:
        """What saves it."""
        return StageWriter(self)

    def _with_params(self, fitted: Fitted) -> Fitted:
        """A model that is known by the Params and the name of what it was learned by."""
        named: Fitted = fitted._resetUid(self.uid)
        return self._copyValues(named)


class SieveModel(FittedParams, Model, DefaultParamsReadable[Any], DefaultParamsWritable):
    """A stage that has learned."""

    model: prediction.Model
    """What a model file holds."""

    def __init__(self, model: prediction.Model | None = None) -> None:
        """What `fit` gives; without a model it is one that is being loaded."""
        super().__init__()
        if model is not None:
            self.model = model

    @property
    def terms(self) -> list[str]:
        """The selected terms, the best first."""
        return list(self.model.terms)

    def write(self) -> ModelWriter:
        """What saves it."""
        return ModelWriter(self)

    @classmethod
    def read(cls) -> ModelReader[Self]:
        """What loads it."""
        return ModelReader(cls)
