"""Spark trains the same model as one machine on the same documents, to the last byte of its file."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tests.reference.categorizer_cases import plain_categorizer, small_texts
from textsieve import (
    OCFS,
    Cascade,
    Categorizer,
    ChiSquare,
    ClassStats,
    DocumentFrequency,
    ForwardSelection,
    InformationGain,
    InputError,
    TermCounter,
    TypicalTestors,
    WeightSelection,
    read,
)
from textsieve import spark as sieve
from textsieve.modelfile.writing import encode
from textsieve.selectors import TermSelector
from textsieve.spark import counting, ranking, selection
from textsieve.spark.columns import select_documents
from textsieve.spark.counting import ChunkReader
from textsieve.spark.learning import fit_classifier
from textsieve.spark.selection import require_selectable
from textsieve.spark.tasks import collect_in_order, settings_for_training
from textsieve.training import counted_documents
from textsieve.training.targets import ClassSizes
from textsieve.training.train import Training

on_this_machine = pytest.mark.parametrize("spark", ["local"], indirect=True)
away = pytest.mark.parametrize("spark", ["cluster", "connect"], indirect=True)
here_and_away = pytest.mark.parametrize("spark", ["local", "connect"], indirect=True)


def some_documents() -> tuple[list[str], list[str | None], list[list[str]]]:
    """Return texts, labels and multilabel labels: the beginning of every twelfth docstring, its class, and a class for
    its first letter. Two documents are unlabelled.

    Whole docstrings have three times as many terms, and Spark takes its time for the rows of terms.
    """
    texts: list[str] = []
    labels: list[str | None] = []
    for batch in read("docstrings").text_batches():
        texts += [text if isinstance(text, str) else text.decode() for text in batch.texts]
        labels += [own[0] for own in batch.labels]
    texts, labels = [text[:250] for text in texts[::12]], labels[::12]
    multilabel = [
        [label, f"begins with {text[:1]}"] if label else [] for text, label in zip(texts, labels, strict=True)
    ]
    labels[5], labels[17], multilabel[5] = None, "", []
    return texts, labels, multilabel


TEXTS, LABELS, MULTILABEL = some_documents()


def frame(spark: SparkSession) -> DataFrame:
    rows = list(zip(TEXTS, LABELS, MULTILABEL, strict=True))
    return spark.createDataFrame(rows, "text string, label string, several array<string>").coalesce(2)


@pytest.fixture
def fixed_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")


@pytest.fixture(autouse=True)
def several_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count little text at once, so that a partition has several chunks."""
    monkeypatch.setattr(counting, "CHUNK_CHARACTERS", 1 << 14)


def assert_same(spark: SparkSession, label: str, **settings: Any) -> Categorizer:
    """Train with and without Spark, compare the models and their statistics for updates, and return the model."""
    warnings.filterwarnings("ignore", "At epsilon=.* no term sets apart", UserWarning)  # tested with the selector
    here = plain_categorizer(**settings).fit(TEXTS, LABELS if label == "label" else MULTILABEL)
    there = sieve.fit(frame(spark), label=label, categorizer=plain_categorizer(**settings))
    assert there.terms_ == here.terms_
    assert (there._statistics_ is None) == (here._statistics_ is None) == (not settings.get("keep_stats"))
    assert encode(there.model_, there._statistics_) == encode(here.model_, here._statistics_)
    return there


SHARE: Any = np.float32(0.05)

CASES: list[dict[str, Any]] = [
    {"selector": ChiSquare(k=SHARE, min_score=1.0), "classifier": "nb", "norm": "l1", "keep_stats": True},
    {"selector": "ocfs", "selector_options": {"energy": 0.5}, "n_terms": 300, "classifier": "rocchio"},
    {"selector": ForwardSelection(candidates=200, k=50)},
    {"selector": "tofa", "n_terms": 200, "classifier": "tcfp"},
    {
        "selector": "tofa",
        "selector_options": {"weight": 2.0},
        "n_terms": 0.1,
        "classifier": "tcfp",
        "classifier_options": {"balance": True},
    },
    {"selector": "testors", "classifier": "knn"},
    {
        "selector": "ig",
        "n_terms": 100,
        "min_df": 3,
        "max_df": 0.5,
        "projection": "centroid",
        "classifier": "logistic",
    },
    {
        "selector": "ig",
        "selector_options": {"pooling": "round-robin"},
        "n_terms": 97,
        "classifier": "tcfp",
        "classifier_options": {"context": "best"},
    },
    {
        "selector": "mi",
        "selector_options": {"pooling": "max"},
        "n_terms": "all",
        "classifier": "cnb",
        "class_weight": "balanced",
    },
    {
        "selector": "df",
        "selector_options": {"min_df": 0.02},
        "n_terms": 300,
        "classifier": "subspace",
        "ngram_range": (1, 2),
        "stop_words": "english",
    },
    {
        "selector": Cascade([DocumentFrequency(min_df=0.01), ChiSquare(k=300), OCFS(k=100)]),
        "classifier": "nb",
        "class_weight": "sqrt",
    },
    {
        "selector": "ocfs",
        "n_terms": 300,
        "classifier": "nb",
        "analyzer": "text",
        "ngram_range": (1, 2),
        "char_ngram_range": (3, 4),
    },
    {
        "selector": Cascade([InformationGain(k="all", min_score=0.001), TypicalTestors(k=400, epsilon=0.6)]),
        "classifier": "rocchio",
    },
    {
        "selector": "chi",
        "n_terms": "auto",
        "classifier": "rocchio",
        "held_out": 0.2,
        "probabilities": "sigmoid",
    },
]
"""Every selector, classifier and setting of the terms occurs in at least one case.

- Selectors: scores with a number, a share, a minimum or all terms; energy; forward selection; TOFA with and without a
  given weight; testors with and without epsilon; round-robin and maximum over the classes; cascades.
- Classifiers that learn from sums (nb, cnb, rocchio), from votes (tcfp) and from documents (svm, logistic, knn,
  subspace, tcfp with context, a projection); knnfp is in `test_testors_by_number_from_few_terms_at_first`.
- Terms: n-grams, stop words, `min_df` and `max_df`, tokens of any script with n-grams of characters. The last case
  tunes the number of terms on held-out documents, and the first one keeps statistics for updates.
"""


@on_this_machine
@pytest.mark.parametrize("settings", CASES, ids=lambda case: "-".join(str(value)[:8] for value in case.values()))
def test_the_model_has_the_same_bytes(spark: SparkSession, settings: dict[str, Any], fixed_date: None) -> None:
    assert_same(spark, "label", **settings)


@on_this_machine
@pytest.mark.parametrize("kind", ["short", "long", "Cyrillic bytes"])
def test_the_defaults_give_the_model_of_one_machine(spark: SparkSession, kind: str, fixed_date: None) -> None:
    case = small_texts(60)
    repeats, more = (20, "") if kind == "long" else (1, "слово " * 70 if kind == "Cyrillic bytes" else "")
    texts = [f"{text} " * repeats + more for text in case.texts]  # the Cyrillic ones have more than 600 bytes
    here = Categorizer(probabilities=None).fit(texts, case.labels)
    assert here.model_.analysis.char_ngram_range == (None if kind == "long" else (3, 5))
    df = spark.createDataFrame(list(zip(texts, case.labels, strict=True)), "text string, label string").coalesce(2)
    if kind == "Cyrillic bytes":
        df = df.withColumn("text", df["text"].cast("binary"))
    there = sieve.fit(df, categorizer=Categorizer(probabilities=None))
    assert encode(there.model_) == encode(here.model_)


@on_this_machine
def test_thresholds_of_multilabel_documents_are_those_of_one_machine(spark: SparkSession, fixed_date: None) -> None:
    assert_same(spark, "several", selector="chi", n_terms=200, classifier="svm")


@on_this_machine
def test_statistics_of_multilabel_documents_are_those_of_one_machine(spark: SparkSession, fixed_date: None) -> None:
    settings: dict[str, Any] = {"selector": "chi", "n_terms": 100, "keep_stats": True}
    settings |= {"cut": "rcut", "cut_options": {"ranks": 2}}
    assert_same(spark, "several", classifier="nb", **settings)
    with pytest.raises(InputError, match="keep_stats=True: with Spark the weights that TCFP learns from stay"):
        sieve.fit(frame(spark), label="several", categorizer=plain_categorizer(classifier="tcfp", **settings))
    everything = plain_categorizer(classifier="nb", **settings | {"keep_stats": "all"})
    with pytest.raises(InputError, match="keep_stats='all': with Spark, the statistics of terms that are not selected"):
        sieve.fit(frame(spark), label="several", categorizer=everything)


@on_this_machine
def test_testors_by_number_from_few_terms_at_first(
    spark: SparkSession, fixed_date: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selection, "N_HEAVIEST", 16)
    assert_same(spark, "label", selector="testors", n_terms=60, classifier="knnfp")


@on_this_machine
def test_many_terms_are_selected_by_the_score_of_the_last(
    spark: SparkSession, fixed_date: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few terms are selected by sorting their rows, as in the cases above."""
    monkeypatch.setattr(ranking, "FEW_ROWS", 50)
    for settings in ({}, {"char_ngram_range": (2, 3)}):
        assert_same(spark, "label", selector="chi", n_terms=60, classifier="nb", **settings)


@away
def test_fit_and_predict_on_a_cluster_and_through_connect(spark: SparkSession, fixed_date: None) -> None:
    model = assert_same(spark, "label", selector="forward", n_terms=100, classifier="nb")
    rows = sieve.predict(frame(spark), model, scores=None).collect()
    assert [row["prediction"] for row in rows] == model.model_.predict(TEXTS).labels.tolist()


@here_and_away
@pytest.mark.parametrize("n_bytes", [None, 64])
def test_rows_are_collected_in_the_order_of_partitions(spark: SparkSession, n_bytes: int | None) -> None:
    rows = spark.range(0, 8, 1, 3).withColumn("data", F.encode(F.col("id").cast("string"), "utf-8"))
    expected = [{"id": number, "data": str(number).encode()} for number in range(8)]
    assert list(collect_in_order(rows, n_bytes)) == expected


@on_this_machine
def test_the_sample_for_tuning_is_that_of_a_corpus_on_one_machine(
    spark: SparkSession, tmp_path: Any, fixed_date: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    import json

    file = tmp_path / "documents.jsonl"
    lines = (json.dumps({"text": text, "label": label}) for text, label in zip(TEXTS, LABELS, strict=True))
    file.write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setattr(counted_documents, "MAX_VALUES", 4000)
    settings: dict[str, Any] = {"selector": "chi", "n_terms": 50, "classifier": "rocchio", "held_out": 0.3}
    here = plain_categorizer(**settings).fit(read(file))
    there = sieve.fit(frame(spark), categorizer=plain_categorizer(**settings))
    assert 1 < here.model_.about["n_tuned_on"] < len(TEXTS) / 2
    assert there.model_.about["n_tuned_on"] == here.model_.about["n_tuned_on"]
    assert there.held_out_ == here.held_out_
    assert encode(there.model_) == encode(here.model_)


@on_this_machine
def test_statistics_are_those_of_one_machine(spark: SparkSession) -> None:
    counter = TermCounter(ngram_range=(1, 2))
    spark_stats = sieve.stats(frame(spark), label="several", ngram_range=(1, 2))
    terms, stats = spark_stats.to_local()
    assert stats == ClassStats.from_matrix(counter.fit_transform(TEXTS), MULTILABEL)
    assert terms == counter.get_feature_names_out().tolist()
    assert spark_stats.n_documents == len(TEXTS)
    assert spark_stats.table.filter("documents = 1").count() == int((stats.doc_freq == 1).sum())


@on_this_machine
def test_too_many_counts_for_the_driver_raise_before_they_are_collected(spark: SparkSession) -> None:
    settings = plain_categorizer(selector="df", n_terms=100)
    with pytest.raises(InputError, match=r"LinearSVM learns from the documents themselves.*raise most_values"):
        sieve.fit(frame(spark), categorizer=settings, most_values=1000)


@pytest.mark.parametrize(
    "selector", [WeightSelection(), ForwardSelection(candidates_by="weights"), Cascade([OCFS(), WeightSelection()])]
)
def test_selectors_that_train_on_all_terms_raise_before_documents_are_read(selector: TermSelector) -> None:
    with pytest.raises(InputError, match=r"selector=(Weight|Forward)Selection.* trains an SVM.*use forward or ocfs"):
        require_selectable(selector)


@on_this_machine
def test_predictions_are_those_of_one_machine(spark: SparkSession) -> None:
    single = plain_categorizer(selector="ig", n_terms=100).fit(TEXTS, LABELS)
    multilabel = plain_categorizer(selector="ig", n_terms=100, cut="rcut", cut_options={"ranks": 2}).fit(
        TEXTS, MULTILABEL
    )
    df = frame(spark)
    rows = sieve.predict(sieve.predict(df, single), multilabel.model_, prediction="labels", scores=None).collect()
    expected = single.model_.predict(TEXTS)
    assert [row["prediction"] for row in rows] == expected.labels.tolist()
    assert np.array_equal([row["scores"] for row in rows], expected.scores)
    assert [tuple(row["labels"]) for row in rows] == multilabel.model_.predict(TEXTS).labels
    assert [row["text"] for row in rows] == TEXTS


@on_this_machine
def test_a_file_that_is_added_during_training_raises(spark: SparkSession, tmp_path: Any) -> None:
    path = str(tmp_path / "documents")
    frame(spark).select("text", "label").limit(60).write.parquet(path)
    changing = spark.read.parquet(path)

    def progress(stage: str, done: int, of: int | None) -> None:
        if stage == "training":
            added = spark.createDataFrame([("numpy array", "other")], "text string, label string")
            added.write.mode("append").parquet(path)
            spark.catalog.refreshByPath(path)

    with pytest.raises(InputError, match=r"not the same when it is read again: 61 documents .* before 60"):
        sieve.fit(
            changing, categorizer=plain_categorizer(selector="df", n_terms=20, classifier="nb"), progress=progress
        )


@on_this_machine
@pytest.mark.parametrize("classifier", ["nb", "tcfp", "svm"])
def test_every_way_to_learn_raises_if_counts_differ_from_those_before(spark: SparkSession, classifier: str) -> None:
    settings = plain_categorizer(classifier=classifier).settings()
    documents, plan = select_documents(frame(spark), "text", "label"), Training(settings, lambda *_: None).plan
    sizes, reader = ClassSizes(("a", "b"), np.array([1, 2]), 3, 0, multilabel=False), ChunkReader({"vocabulary": None})
    with pytest.raises(InputError, match=rf"read again: {len(TEXTS)} documents with .* and before 3 with 5\."):
        fit_classifier(documents, reader, plan, sizes, ["array", "numpy"], np.array([2, 3]), 1 << 20)


@on_this_machine
def test_fit_restores_the_settings_of_the_session(spark: SparkSession) -> None:
    names = (
        "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning",
        "spark.sql.optimizer.excludedRules",
        "spark.sql.adaptive.optimizer.excludedRules",
    )
    own_rule, rule = (f"org.apache.spark.sql.catalyst.optimizer.{name}" for name in ("A", "ConvertToLocalRelation"))
    cases: list[tuple[list[str | None], str]] = [
        ([None] * 3, rule),
        (["false", own_rule, own_rule], f"{own_rule},{rule}"),
    ]
    for before, rules in cases:
        for name, value in zip(names, before, strict=True):
            if value is not None:
                spark.conf.set(name, value)
        with settings_for_training(spark):
            assert [spark.conf.get(name) for name in names] == ["true", rules, rules]
        assert [spark.conf.get(name, None) for name in names] == before
    for name in names:
        spark.conf.unset(name)


@on_this_machine
@pytest.mark.parametrize("is_adaptive", ["false", "true"])
def test_documents_from_memory_may_be_in_several_partitions(
    spark: SparkSession, is_adaptive: str, fixed_date: None
) -> None:
    """Spark's optimizers evaluate the columns of such a DataFrame on the driver, as if it had one partition."""
    name = "spark.sql.adaptive.enabled"
    before: Any = spark.conf.get(name)
    spark.conf.set(name, is_adaptive)
    case = small_texts(n=8, seed=5)
    df = spark.createDataFrame(pa.table({"text": case.texts, "label": case.labels}))
    assert {row[0] for row in df.mapInArrow(_count_rows, "n long").collect()} == {4}
    settings: Any = {"selector": "ocfs", "n_terms": 5, "classifier": "nb"}
    try:
        there = sieve.fit(df, categorizer=plain_categorizer(**settings))
    finally:
        spark.conf.set(name, before)
    assert encode(there.model_) == encode(plain_categorizer(**settings).fit(case.texts, case.labels).model_)


def _count_rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield pa.record_batch([pa.array([sum(map(len, batches))])], names=["n"])


def test_several_text_columns_are_joined_as_on_one_machine(spark: SparkSession) -> None:
    case = small_texts(n=60, seed=5)
    rows = [
        (text[:20], text[20:] if number % 5 else None, case.labels[number]) for number, text in enumerate(case.texts)
    ]
    df = spark.createDataFrame(rows, "title string, body string, label string").coalesce(2)
    settings = plain_categorizer(n_terms=20, classifier="nb", probabilities=None)
    joined = ["\n\n".join(part for part in (title, body) if part and part.strip()) for title, body, _ in rows]
    here = plain_categorizer(n_terms=20, classifier="nb", probabilities=None).fit(joined, case.labels)
    there = sieve.fit(df, ["title", "body"], "label", settings)
    assert list(there.terms_) == list(here.terms_)
    predicted = sieve.predict(df, there, ["title", "body"], scores=None)
    assert predicted.columns == ["title", "body", "label", "prediction"]
    assert [row.prediction for row in predicted.collect()] == here.predict(joined).tolist()
    with pytest.raises(InputError, match="name at least one column"):
        sieve.fit(df, [], "label")
