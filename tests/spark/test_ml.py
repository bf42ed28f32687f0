"""The stages of a pipeline do what `fit` and `predict` do, and Spark can save, load, copy and tune them.

Stages depend on the kind of session (classic or Connect), and not on where tasks run. `fit` and `predict` on a cluster
are tested in test_spark_fit.py.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyspark.errors import AnalysisException
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.classification import LogisticRegression
from pyspark.ml.evaluation import MulticlassClassificationEvaluator
from pyspark.ml.feature import StringIndexer
from pyspark.ml.tuning import CrossValidator, CrossValidatorModel, ParamGridBuilder
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tests.reference.categorizer_cases import PLAIN, plain_categorizer, small_texts
from textsieve import Categorizer, InputError, read
from textsieve import spark as sieve
from textsieve.categorizer_settings import SETTINGS
from textsieve.modelfile.writing import encode
from textsieve.spark.columns import select_documents
from textsieve.spark.ml import SieveCategorizer, SieveCategorizerModel, SieveSelector, SieveSelectorModel
from textsieve.spark.ml_params import camel_case

CASE = small_texts(60)
FEW: dict[str, Any] = {
    **{camel_case(name): value for name, value in PLAIN.items()},
    "selector": "ig",
    "nTerms": 20,
    "classifier": "svm",
}
both_kinds = pytest.mark.parametrize("spark", ["local", "connect"], indirect=True)
through_connect = pytest.mark.parametrize("spark", ["connect"], indirect=True)
on_this_machine = pytest.mark.parametrize("spark", ["local"], indirect=True)


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Train on the driver, which is much faster, in tests about the stage itself."""

    def fit(df: DataFrame, text: str | list[str], label: str, categorizer: Categorizer) -> Categorizer:
        rows = select_documents(df, text, label).collect()
        return categorizer.fit([row["text"] for row in rows], [row["label"] for row in rows])

    monkeypatch.setattr("textsieve.spark.ml.fit", fit)


def documents(spark: SparkSession) -> DataFrame:
    rows = list(zip(range(len(CASE.texts)), CASE.texts, CASE.labels, strict=True))
    return spark.createDataFrame(rows, "id long, text string, label string").coalesce(2)


def in_two_columns(df: DataFrame) -> DataFrame:
    """Return the documents with each text in two columns, of which one or both may be null or blank."""
    parts = {
        0: (" ", "text"),
        1: ("text", None),
        2: (None, " "),
    }
    title, body = F.substring("text", 1, 20), F.expr("substring(text, 21)")
    for number, columns in parts.items():
        part = [F.col("text") if column == "text" else F.lit(column) for column in columns]
        title = F.when(F.col("id") % 7 == number, part[0]).otherwise(title)
        body = F.when(F.col("id") % 7 == number, part[1]).otherwise(body)
    others = [name for name in df.columns if name not in ("id", "text")]
    return df.select("id", title.alias("title"), body.alias("body"), *others)


def columns(df: DataFrame, *names: str) -> list[list[Any]]:
    """Return the values of some columns, in the order of the documents."""
    rows = sorted(df.select("id", *names).collect(), key=lambda row: int(row["id"]))
    return [[row[name] for row in rows] for name in names]


def local() -> Categorizer:
    return plain_categorizer(selector="ig", n_terms=20, classifier="svm").fit(CASE.texts, CASE.labels)


# -- without a session -------------------------------------------------------------------------------------------


def test_every_setting_of_a_categorizer_is_a_param() -> None:
    stage = SieveCategorizer()
    only_functions: dict[str, Any] = {"tokenizer": None, "preprocessor": None}  # can't be saved with a pipeline
    settings = stage._settings()
    assert not only_functions.keys() & settings.keys()
    assert settings | only_functions | {"keep_stats": False} == Categorizer().get_params() | {"ngram_range": (1, 1)}
    assert stage.getNTerms() is None
    assert stage.getClassifier() == "svm"
    assert stage.getTextCol() == "text"
    for spec in stage.specs:
        if spec.setting is not None:
            setting = SETTINGS[spec.setting]
            assert (spec.default, spec.description) == (setting.default, setting.description)
            assert setting.description in stage.explainParam(spec.param)


def test_params_are_set_by_keyword_by_setter_and_by_param() -> None:
    stage = (
        SieveCategorizer(nTerms=5, textCol="body").setClassifier("nb").setParams(ngramRange=(1, 2), minDf=np.int64(2))
    )
    stage.setAnalyzer("text").setCharNgramRange((3, 4)).setTokenPattern(r"\w+")
    stage.set(stage.classWeight, {3: 2.0})
    assert stage.getOrDefault("nTerms") == 5
    assert stage.getOrDefault(stage.textCol) == "body"
    settings = stage._settings()
    assert settings["ngram_range"] == (1, 2)
    assert settings["char_ngram_range"] == (3, 4)
    assert (settings["analyzer"], settings["token_pattern"]) == ("text", r"\w+")
    assert type(settings["min_df"]) is int
    assert settings["class_weight"] == {3: 2.0}
    assert stage.copy({stage.nTerms: 7}).getNTerms() == 7
    assert stage.getNTerms() == 5


def test_an_unknown_param_raises() -> None:
    with pytest.raises(
        InputError, match=r"SieveSelector has no Param 'classifier'; it has textCol, textCols, labelCol, outputCol"
    ):
        SieveSelector(classifier="nb")
    with pytest.raises(InputError, match=r"SieveCategorizer has no Param 'n_terms'; it has .* nTerms"):
        SieveCategorizer().setParams(n_terms=5)
    assert not hasattr(SieveCategorizerModel(), "setNTerms")


def test_a_value_that_json_cannot_represent_raises() -> None:
    with pytest.raises(TypeError, match=r'param "selector". <object object at .* can\'t be saved with a pipeline'):
        SieveCategorizer(selector=object())
    with pytest.raises(TypeError, match=r'param "analyzer". <.*split.*> can\'t be saved with a pipeline'):
        SieveCategorizer(analyzer=str.split)


@pytest.mark.parametrize("stage_type", [SieveCategorizer, SieveSelector])
def test_text_columns_are_one_name_or_several_but_not_both(stage_type: Any) -> None:
    both = r"^textCol is 'body', and textCols is \['title', 'body'\]; only one of them can be set\. To unset "
    stage = stage_type(textCols=("title", "body"))
    assert (stage.getTextCols(), stage.text_columns()) == (["title", "body"], ["title", "body"])
    assert stage_type(textCol="body").text_columns() == "body"
    assert stage_type().text_columns() == "text"
    with pytest.raises(InputError, match=both):
        stage_type(textCol="body", textCols=["title", "body"])
    copied = stage.copy({stage.textCol: "body"})
    none: Any = None
    for use in (copied.fit, copied.setParams):
        with pytest.raises(InputError, match=both):
            use(none) if use == copied.fit else use(nTerms=3)
    copied.clear(copied.textCols)
    assert copied.text_columns() == "body"
    assert stage.copy({stage.textCols: none}).text_columns() == "text"
    with pytest.raises(TypeError, match=r'"textCol". \[\'a\'\] is not the name of one column; textCols takes a list'):
        stage_type(textCol=["a"])
    with pytest.raises(TypeError, match=r'"textCols". Could not convert title to list of strings'):
        stage.setTextCols("title")


# -- in classic and Connect sessions -----------------------------------------------------------------------------


@both_kinds
def test_a_pipeline_predicts_what_fit_and_predict_do(spark: SparkSession, tmp_path: Path) -> None:
    df, expected = documents(spark), local()
    fitted = Pipeline(stages=[SieveCategorizer(**FEW)]).fit(df)
    fitted.write().overwrite().save(str(tmp_path / "pipeline"))
    for model in (fitted, PipelineModel.load(str(tmp_path / "pipeline"))):
        labels, scores = columns(model.transform(df), "prediction", "scores")
        assert labels == expected.predict(CASE.texts).tolist()
        np.testing.assert_array_equal(scores, expected.predict_scores(CASE.texts).scores)
        (stage,) = model.stages
        assert isinstance(stage, SieveCategorizerModel)
        assert (stage.terms, stage.classes) == (expected.terms_, ["boat", "cook", "moon"])
        assert stage.getNTerms() == 20
        assert stage.categorizer.explain(CASE.texts[0]) == expected.explain(CASE.texts[0])


@on_this_machine
def test_several_text_columns_are_joined_as_in_files_and_kept_with_the_model(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    df = in_two_columns(documents(spark))
    rows = sorted((row.asDict() for row in df.collect()), key=lambda row: int(row["id"]))
    file, folder = tmp_path / "documents.jsonl", str(tmp_path / "pipeline")
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    corpus = read(file, text=["title", "body"], label="label")
    settings = {"selector": "ig", "n_terms": 20, "classifier": "nb"}
    expected = plain_categorizer(**settings).fit(corpus)
    predictions = expected.model_.predict(list(corpus.texts()))
    fitted = Pipeline(stages=[SieveCategorizer(**FEW | {"classifier": "nb"}, textCols=["title", "body"])]).fit(df)
    fitted.save(folder)
    for model in (fitted, PipelineModel.load(folder), fitted.copy()):
        (stage,) = model.stages
        assert isinstance(stage, SieveCategorizerModel)
        assert (stage.getTextCols(), stage.isSet("textCol")) == (["title", "body"], False)
        assert stage.model.about["columns"] == {"text": ["title", "body"]}
        transformed = model.transform(df)
        assert transformed.columns == [*df.columns, "prediction", "scores"]
        labels, scores = columns(transformed, "prediction", "scores")
        assert labels == predictions.labels.tolist()
        np.testing.assert_array_equal(scores, predictions.scores)
        stage.model.about.pop("columns")
        assert encode(stage.model) == encode(expected.model_)
        stage.model.about["columns"] = {"text": ["title", "body"]}
    there = sieve.fit(df, ["title", "body"], "label", plain_categorizer(**settings))
    assert encode(there.model_) == encode(expected.model_)


@on_this_machine
def test_wrong_text_columns_raise_and_name_the_param_and_the_column(spark: SparkSession) -> None:
    df = in_two_columns(documents(spark))
    model = SieveCategorizerModel(local().model_)
    for names, message in (
        (
            ["title", "text"],
            r"^textCols='text': there is no such column; there are \['body', 'id', 'label', '",
        ),
        (["title", "id"], r"^textCols='id': the column is of type bigint; use one with text, or cast it\.$"),
        (["body", "title", "body"], r"^textCols='body': the column is given twice; give each column once\.$"),
        ([], r"^textCols=\[\]; name at least one column\.$"),
    ):
        with pytest.raises(InputError, match=message):
            SieveCategorizer(textCols=names).fit(df)
        with pytest.raises(InputError, match=message):
            model.setTextCols(names).transform(df)
    with pytest.raises(InputError, match=r"^labelCol='section': there is no such column"):
        SieveSelector(textCols=["title"], labelCol="section").fit(df)


@both_kinds
@pytest.mark.usefixtures("here")
def test_stages_can_be_saved_loaded_and_overwritten(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("textsieve.spark.ml._PIECE_BYTES", 300)  # so that a small model has several
    df, path = documents(spark), str(tmp_path / "stage")
    fitted: Any = None
    for stage in (SieveCategorizer(**FEW | {"classWeight": {"boat": 2.0}}), SieveSelector(nTerms=3, stopWords={"the"})):
        stage.write().overwrite().save(path)
        loaded = type(stage).load(path)
        assert loaded.uid == stage.uid
        assert loaded._settings() == stage._settings()
        fitted = loaded.fit(df)
        assert fitted.uid == stage.uid
        fitted.write().overwrite().save(path)
        assert encode(type(fitted).load(path).model) == encode(fitted.model)
    with pytest.raises(InputError, match=r"stage has a SieveSelectorModel; load it by SieveSelectorModel.load"):
        SieveCategorizerModel.load(path)
    with pytest.raises(AnalysisException, match="already exists"):
        fitted.save(path)


@through_connect
@pytest.mark.usefixtures("here")
def test_vectors_of_selected_terms_train_a_classifier_of_spark(spark: SparkSession, tmp_path: Path) -> None:
    """Classic sessions are covered by the tests of saved stages and of a selector stage."""
    df = documents(spark)
    indexer = StringIndexer(inputCol="label", outputCol="number")
    selector = SieveSelector(nTerms=12, selector="ig", labelCol="number")
    classifier = LogisticRegression(labelCol="number", maxIter=5)
    fitted = Pipeline(stages=[indexer, selector, classifier]).fit(df)
    fitted.save(str(tmp_path / "pipeline"))
    for model in (fitted, PipelineModel.load(str(tmp_path / "pipeline"))):
        transformed = model.transform(df)
        assert transformed.schema["features"].metadata["ml_attr"]["num_attrs"] == 12
        vectors, labels, numbers = columns(transformed, "features", "prediction", "number")
        stage = model.stages[1]
        assert isinstance(stage, SieveSelectorModel)
        expected = stage.model.rows(CASE.texts).matrix().toarray()
        np.testing.assert_array_equal([vector.toArray() for vector in vectors], expected)
        assert np.equal(labels, numbers).mean() > 0.8


@on_this_machine
def test_a_selector_stage_selects_and_weights_terms_as_one_machine(spark: SparkSession) -> None:
    weights: dict[str, Any] = {"tf": "log", "idf": "plain", "norm": "none"}
    expected = plain_categorizer(selector="ig", n_terms=6, **weights).fit(CASE.texts, CASE.labels)
    selector = SieveSelector(selector="ig", nTerms=6, **weights).fit(documents(spark))
    assert selector.terms == expected.terms_
    (vectors,) = columns(selector.transform(documents(spark)), "features")
    rows = expected.model_.rows(CASE.texts).matrix().toarray()
    np.testing.assert_array_equal([vector.toArray() for vector in vectors], rows)


@both_kinds
@pytest.mark.usefixtures("here")
def test_empty_texts_have_empty_vectors_and_wrong_columns_raise(spark: SparkSession) -> None:
    df = documents(spark)
    selector = SieveSelector(nTerms=6).fit(df)
    none = spark.createDataFrame([(1, None), (2, ""), (3, "sail sail")], "id long, text string")
    (vectors,) = columns(selector.transform(none), "features")
    assert [vector.numNonzeros() for vector in vectors] == [0, 0, 1]
    two = in_two_columns(spark.createDataFrame([(0, "sail"), (1, "sail"), (2, "sail")], "id long, text string"))
    (vectors,) = columns(selector.copy({selector.textCols: ["title", "body"]}).transform(two), "features")
    assert [vector.numNonzeros() for vector in vectors] == [1, 1, 0], "both columns of the last are null or blank"
    with pytest.raises(InputError, match=r"textCol='body': there is no such column; there are \['id', 'label', '"):
        selector.copy({selector.textCol: "body"}).transform(df)
    with pytest.raises(InputError, match="'label' is a column already; drop it, or name another for what is added"):
        selector.setOutputCol("label").transform(df)
    without = SieveCategorizer(**FEW, scoresCol="", predictionCol="found").fit(df).transform(df)
    assert without.columns == ["id", "text", "label", "found"]


@on_this_machine
@pytest.mark.usefixtures("here")
def test_a_cross_validator_tunes_the_number_of_terms(spark: SparkSession, tmp_path: Path) -> None:
    two = in_two_columns(documents(spark))
    df = StringIndexer(inputCol="label", outputCol="number").fit(two).transform(two)
    stage = SieveCategorizer(**FEW, labelCol="number", textCols=["title", "body"])
    grid = ParamGridBuilder().addGrid(stage.nTerms, [1, 12]).build()
    judge = MulticlassClassificationEvaluator(labelCol="number", metricName="accuracy")
    tuning = CrossValidator(estimator=stage, estimatorParamMaps=grid, evaluator=judge, numFolds=2, seed=0)
    tuned: Any = tuning.fit(df)
    assert tuned.avgMetrics[0] < tuned.avgMetrics[1]
    assert len(tuned.bestModel.terms) == 12
    tuned.save(str(tmp_path / "tuned"))
    loaded: Any = CrossValidatorModel.load(str(tmp_path / "tuned"))
    assert loaded.bestModel.terms == tuned.bestModel.terms
    assert loaded.bestModel.getTextCols() == ["title", "body"]
    assert loaded.bestModel.model.about["columns"] == {"text": ["title", "body"], "label": "number"}


@on_this_machine
@pytest.mark.usefixtures("here")
def test_the_code_in_the_page_works_as_printed(spark: SparkSession, tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "how-to" / "spark-ml.md"
    names: dict[str, Any] = {"df": documents(spark), "folder": str(tmp_path)}
    for code in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL):
        exec(code, names)
    assert names["stage"].text_columns() == ["title", "description"]
    assert names["found"].columns == ["text", "prediction", "scores"]
    assert names["found"].count() == 60
    assert len(names["terms"]) == 20
