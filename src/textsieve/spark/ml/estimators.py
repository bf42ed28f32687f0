"""The two estimators and their models.

`SieveCategorizer` predicts labels of texts. Labels are whatever `fit` accepts: text, numbers, or arrays for multilabel
documents. Spark's evaluators and its `CrossValidator` need labels and predictions that are doubles; if labels are
doubles (as from a `StringIndexer`), so are the predictions.

`SieveSelector` converts texts to vectors of a few selected terms, for classifiers of Spark ML. Terms are selected as
for a `Categorizer`, and have the weights that it would be trained on. To get them, a naive Bayes model is trained, for
which statistics are sufficient, and only its terms and their weights are used; `nTerms="auto"` is tuned with naive
Bayes, too. Weights are those of `svm` unless `tf`, `idf` and `norm` are set. Vectors have Spark's storage format of
sparse vectors: type 0, size, indices, values. Arrow transfers it unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.ml.linalg import VectorUDT
from pyspark.sql import types as T

from ...arrays import Bools
from ...categorizer import Categorizer
from ...prediction import Label, Model
from ...registry import CLASSIFIERS
from ...text.csr import CSR
from ..fitting import fit
from ..predicting import add_model_columns, predict
from .params import Row, settings_without
from .stages import SieveEstimator, SieveModel

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


TEXT_COL = Row("textCol", "text", "the column of the texts")
LABEL_COL = Row("labelCol", "label", "the column of the labels; arrays, if a document may have several")
CATEGORIZER_ROWS = (
    TEXT_COL,
    LABEL_COL,
    Row("predictionCol", "prediction", "the column that the predicted label or labels get"),
    Row("scoresCol", "scores", "the column that the scores of the classes get; an empty text or None: none does"),
    *settings_without("keep_stats"),  # a saved stage contains a model without statistics
)


class SieveCategorizer(SieveEstimator["SieveCategorizerModel"], rows=CATEGORIZER_ROWS):
    """Trains on the texts and labels of a DataFrame, as `textsieve.spark.fit` does."""

    __module__ = "textsieve.spark.ml"  # where a saved pipeline looks for the class

    def _fit(self, dataset: DataFrame) -> SieveCategorizerModel:
        trained = fit(dataset, self.getTextCol(), self.getLabelCol(), Categorizer(**self._settings()))
        return self._with_params(SieveCategorizerModel(trained.model_))


class SieveCategorizerModel(SieveModel, rows=CATEGORIZER_ROWS):
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


OUTPUT_COL = Row("outputCol", "features", "the column that the vectors get")
OF_CLASSIFIERS = (
    *("projection", "projection_options", "classifier", "classifier_options", "class_weight"),
    *("cut", "cut_options", "probabilities", "held_out", "keep_stats"),
)
SELECTOR_ROWS = (TEXT_COL, LABEL_COL, OUTPUT_COL, *settings_without(*OF_CLASSIFIERS))

_VECTOR = pa.struct(
    [("type", pa.int8()), ("size", pa.int32()), ("indices", pa.list_(pa.int32())), ("values", pa.list_(pa.float64()))]
)


def vectors(rows: CSR) -> pa.Array:
    """Return sparse rows in Spark's storage format of sparse vectors."""
    starts = pa.array(rows.indptr.astype(np.int32))
    indices = pa.ListArray.from_arrays(starts, pa.array(rows.indices.astype(np.int32)))
    values = pa.ListArray.from_arrays(starts, pa.array(rows.data.astype(np.float64)))
    kind, size = (np.full(rows.n_rows, number) for number in (np.int8(0), np.int32(rows.n_columns)))
    return pa.StructArray.from_arrays([pa.array(kind), pa.array(size), indices, values], fields=list(_VECTOR))


def _vectors_of(model: Model, texts: list[str], is_null: Bools) -> list[pa.Array]:
    """Return the vectors of some texts; the vector of a null text has no entries."""
    return [vectors(model.rows(texts))]


class SieveSelector(SieveEstimator["SieveSelectorModel"], rows=SELECTOR_ROWS):
    """Selects terms from the texts and labels of a DataFrame."""

    __module__ = "textsieve.spark.ml"  # where a saved pipeline looks for the class

    def _fit(self, dataset: DataFrame) -> SieveSelectorModel:
        defaults = CLASSIFIERS["svm"].scheme._asdict()
        given = {name: value for name, value in self._settings().items() if name not in defaults or value is not None}
        settings = {**defaults, **given, "classifier": "nb", "cut": "rcut", "cut_options": {"ranks": 1}}
        trained = fit(dataset, self.getTextCol(), self.getLabelCol(), Categorizer(**settings))
        return self._with_params(SieveSelectorModel(trained.model_))


class SieveSelectorModel(SieveModel, rows=SELECTOR_ROWS):
    """Adds a sparse vector with the weights of the selected terms, in the order of `terms`."""

    __module__ = "textsieve.spark.ml"

    def _transform(self, dataset: DataFrame) -> DataFrame:
        metadata = {"ml_attr": {"num_attrs": len(self.model.terms)}}
        added = [T.StructField(self.getOutputCol(), VectorUDT(), True, metadata)]
        return add_model_columns(dataset, self.model, self.getTextCol(), added, _vectors_of)
