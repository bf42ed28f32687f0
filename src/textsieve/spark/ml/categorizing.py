"""`SieveCategorizer`: predict labels of texts, as a stage of a pipeline.

Labels are whatever `fit` accepts: text, numbers, or arrays for multilabel documents. Spark's evaluators and its
`CrossValidator` need labels and predictions that are doubles; if labels are doubles (as from a `StringIndexer`), so are
the predictions.
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
    *settings_without("keep_stats"),  # a saved stage contains a model without statistics
)


class SieveCategorizer(SieveEstimator["SieveCategorizerModel"], rows=ROWS):
    """Trains on the texts and labels of a DataFrame, as `textsieve.spark.fit` does."""

    __module__ = "textsieve.spark.ml"  # where a saved pipeline looks for the class

    def _fit(self, dataset: DataFrame) -> SieveCategorizerModel:
        trained = fit(dataset, self.getTextCol(), self.getLabelCol(), Categorizer(**self._settings()))
        return self._with_params(SieveCategorizerModel(trained.model_))


class SieveCategorizerModel(SieveModel, rows=ROWS):
    """Adds labels and scores, as `textsieve.spark.predict` does."""

    __module__ = "textsieve.spark.ml"

    @property
    def categorizer(self) -> Categorizer:
        """Return the model as an ordinary `Categorizer`, to explain predictions, or to save it as one file."""
        return Categorizer.of_model(self.model)

    @property
    def classes(self) -> list[Label]:
        """Return the classes, in the order of the scores."""
        return list(self.model.classes)

    def _transform(self, dataset: DataFrame) -> DataFrame:
        names = {"prediction": self.getPredictionCol(), "scores": self.getScoresCol() or None}
        return predict(dataset, self.model, self.getTextCol(), **names)
