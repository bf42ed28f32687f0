"""The two estimators and their models.

`SieveCategorizer` predicts labels of texts. Labels are whatever `fit` accepts: text, numbers, or arrays for multilabel
documents. Spark's evaluators and its `CrossValidator` need labels and predictions that are doubles; if labels are
doubles (as from a `StringIndexer`), so are the predictions.

`SieveSelector` converts texts to vectors of a few selected terms, for classifiers of Spark ML. Terms are selected as
for a `Categorizer`, and have the weights that its classifier would be trained on: those for `svm`, unless `tf`, `idf`
and `norm` are set. To get them, a naive Bayes model is trained, for which statistics are sufficient, and only its terms
and their weights are used; `nTerms="auto"` is tuned with naive Bayes, too. Vectors have Spark's storage format of
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
from ...presentation import PRESENTATION
from ...registry import CLASSIFIERS
from ...text.csr import CSR
from ..fitting import fit
from ..predicting import add_model_columns, predict
from .params import ParamSpec, WithColumns, setting_params
from .stages import SieveEstimator, SieveModel

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


CATEGORIZER_PARAMS = (
    ParamSpec("predictionCol", "prediction", "the new column with the predicted label or labels"),
    ParamSpec("scoresCol", "scores", "the new column with the scores of the classes; an empty text or None: no scores"),
    *setting_params(without=["keep_stats"]),  # a saved stage contains a model without statistics
)


def _train(stage: WithColumns, dataset: DataFrame, categorizer: Categorizer) -> Model:
    """Return a model trained on the columns of a stage, whose names it stores if they are not those by default."""
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

    __module__ = "textsieve.spark.ml"  # where a saved pipeline looks for the class

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
        with self.naming_params():
            return predict(dataset, self.model, self.text_columns(), **names)


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
    """Return sparse rows in Spark's storage format of sparse vectors."""
    indptr = pa.array(rows.indptr.astype(np.int32))
    indices = pa.ListArray.from_arrays(indptr, pa.array(rows.indices.astype(np.int32)))
    values = pa.ListArray.from_arrays(indptr, pa.array(rows.data.astype(np.float64)))
    sparse_type = pa.array(np.zeros(rows.n_rows, np.int8))
    size = pa.array(np.full(rows.n_rows, rows.n_columns, np.int32))
    return pa.StructArray.from_arrays([sparse_type, size, indices, values], fields=list(_VECTOR_TYPE))


def _vector_columns(model: Model, texts: list[str], is_null: Bools) -> list[pa.Array]:
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

    __module__ = "textsieve.spark.ml"  # where a saved pipeline looks for the class

    def _fit(self, dataset: DataFrame) -> SieveSelectorModel:
        # Vectors have the weights that suit the default classifier, unless Params for them are set (not None).
        default_weighting = CLASSIFIERS["svm"].scheme._asdict()
        params = {
            name: value
            for name, value in self._settings().items()
            if name not in default_weighting or value is not None
        }
        # Only the selected terms are used, but a classifier must be trained: naive Bayes with a fixed number of labels
        # is the fastest.
        settings = {**default_weighting, **params, "classifier": "nb", "cut": "rcut", "cut_options": {"ranks": 1}}
        settings["probabilities"] = None
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

    __module__ = "textsieve.spark.ml"

    def _transform(self, dataset: DataFrame) -> DataFrame:
        metadata = {"ml_attr": {"num_attrs": len(self.model.terms)}}
        new_fields = [T.StructField(self.getOutputCol(), VectorUDT(), nullable=True, metadata=metadata)]
        with self.naming_params():
            return add_model_columns(dataset, self.model, self.text_columns(), new_fields, _vector_columns)
