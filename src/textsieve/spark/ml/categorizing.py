"""`SieveCategorizer`: texts to labels, as a stage of a pipeline.

Labels are whatever `fit` takes: text, numbers, or arrays for several. Spark's evaluators and its `CrossValidator` want
labels and predictions that are doubles; given doubles (as from a `StringIndexer`), doubles are predicted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...categorizer import Categorizer
from ...prediction import Label
from ..fitting import fit
from ..predicting import predict
from .params import Row, settings_without
from .stages import SieveEstimator, SieveModel

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

TEXT_COL = Row("textCol", "text", "the column of the texts")
LABEL_COL = Row("labelCol", "label", "the column of the labels; arrays, if a document may have several")
ROWS = (
    TEXT_COL,
    LABEL_COL,
    Row("predictionCol", "prediction", "the column that the predicted label or labels get"),
    Row("scoresCol", "scores", "the column that the scores of the classes get; an empty text or None: none does"),
    *settings_without("keep_stats"),  # a saved stage has a model and nothing beside it
)


class SieveCategorizer(SieveEstimator["SieveCategorizerModel"], rows=ROWS):
    """Learns from the texts and labels of a DataFrame what `textsieve.spark.fit` learns."""

    __module__ = "textsieve.spark.ml"  # which is where a saved pipeline looks for it

    def _fit(self, dataset: DataFrame) -> SieveCategorizerModel:
        trained = fit(dataset, self.getTextCol(), self.getLabelCol(), Categorizer(**self._settings()))
        return self._with_params(SieveCategorizerModel(trained.model_))


class SieveCategorizerModel(SieveModel, rows=ROWS):
    """Adds labels and scores, as `textsieve.spark.predict` does."""

    __module__ = "textsieve.spark.ml"

    @property
    def categorizer(self) -> Categorizer:
        """An ordinary `Categorizer`, to explain with, or to save as one file."""
        return Categorizer.of_model(self.model)

    @property
    def classes(self) -> list[Label]:
        """The classes, in the order of the scores."""
        return list(self.model.classes)

    def _transform(self, dataset: DataFrame) -> DataFrame:
        names = {"prediction": self.getPredictionCol(), "scores": self.getScoresCol() or None}
        return predict(dataset, self.model, self.getTextCol(), **names)
