"""Spark treats missing, broken and huge documents, and labels of every type, as one machine does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tests.reference.categorizer_cases import plain_categorizer
from textsieve import ClassStats, InputError, TermCounter
from textsieve import spark as sieve
from textsieve.errors import InputWarning, UnfitDocuments
from textsieve.modelfile.writing import encode
from textsieve.spark import counting
from textsieve.spark.columns import count_classes, select_documents
from textsieve.spark.counting import gather_chunks
from textsieve.spark.fitting import check_label_column
from textsieve.spark.tasks import map_batches, reraise_own_errors
from textsieve.training.targets import ClassSizes

on_this_machine = pytest.mark.parametrize("spark", ["local"], indirect=True)
here_and_away = pytest.mark.parametrize("spark", ["local", "connect"], indirect=True)

TEXTS = [
    "red apple pie",
    "green apple tart",
    None,
    "blue sky high",
    "",
    "high blue mountain",
    "red red wine",
    "pie tart",
]
LABELS = ["food", "food", "sky", "sky", None, "", "food", "food"]
TRAIN_TEXTS, TRAIN_LABELS = ["red apple pie", "blue sky high", "red"], ["r", "b", "r"]
SETTINGS: dict[str, Any] = {"selector": "chi", "classifier": "nb", "n_terms": 6}


@pytest.fixture(autouse=True)
def fixed_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")


def assert_same(
    df: DataFrame, texts: list[Any], labels: list[Any], selector: str = SETTINGS["selector"], **columns: Any
) -> None:
    """Compare the bytes of the model from a DataFrame with those of the model from lists."""
    settings = {**SETTINGS, "selector": selector}
    here = plain_categorizer(**settings).fit(["" if text is None else text for text in texts], labels)
    there = sieve.fit(df, categorizer=plain_categorizer(**settings), **columns)
    assert encode(there.model_) == encode(here.model_)


# -- what is missing ---------------------------------------------------------------------------------------------


@on_this_machine
def test_null_texts_null_and_empty_labels_and_partitions_without_documents(spark: SparkSession) -> None:
    rows = list(zip(TEXTS, LABELS, strict=True))
    partitions = spark.sparkContext.parallelize([[], rows[:3], [], rows[3:]], 4)
    df = spark.createDataFrame(partitions.flatMap(lambda partition: partition), "text string, label string")
    assert df.rdd.getNumPartitions() == 4
    assert_same(df, TEXTS, LABELS)


@on_this_machine
@pytest.mark.parametrize("rows", [[], [("red apple", "food")], [("", "food"), (None, "sky")]])
def test_too_few_documents_raise_as_on_one_machine(spark: SparkSession, rows: list[tuple[str | None, str]]) -> None:
    texts, labels = [text or "" for text, _ in rows], [label for _, label in rows]
    with pytest.raises(InputError) as here:
        plain_categorizer(**SETTINGS).fit(texts, labels)
    with pytest.raises(InputError) as there:
        sieve.fit(spark.createDataFrame(rows, "text string, label string"), categorizer=plain_categorizer(**SETTINGS))
    messages = [str(problem.value).partition(".")[0].partition(":")[0] for problem in (there, here)]
    assert messages[0] == messages[1]


@on_this_machine
def test_documents_without_any_label_and_of_one_class_only(spark: SparkSession) -> None:
    df = spark.createDataFrame([(text, None, "food") for text in TEXTS], "text string, none string, one string")
    for column, labels in (("none", [None] * 8), ("one", ["food"] * 8)):
        with pytest.raises(InputError) as here:
            plain_categorizer().fit([text or "" for text in TEXTS], labels)
        with pytest.raises(InputError) as there:
            sieve.fit(df, label=column)
        assert str(there.value) == str(here.value)


@on_this_machine
def test_a_line_that_spark_cannot_read_is_an_empty_document_without_a_label(
    spark: SparkSession, tmp_path: Path
) -> None:
    lines = [
        f'{{"text": "{text}", "label": "{label}"}}'
        for text, label in zip([*TEXTS[:2], *TEXTS[5:]], "aabab", strict=True)
    ]
    (tmp_path / "documents.json").write_text("\n".join([*lines[:2], '{"text": "broken', *lines[2:]]))
    df = spark.read.schema("text string, label string").json(str(tmp_path / "documents.json"))
    texts = [*TEXTS[:2], None, *TEXTS[5:]]
    assert_same(df, texts, ["a", "a", None, "b", "a", "b"])


# -- labels of every type ----------------------------------------------------------------------------------------

LABELS_BY_TYPE: dict[str, list[Any]] = {
    "tinyint": [1, 1, 2, 2, None, 2, 1, 1],
    "long": [1 << 40, 7, 7, 7, None, 7, 1 << 40, 7],
    "boolean": [True, True, False, False, None, False, True, False],
    "float": [1.5, 1.5, 2.25, 2.25, None, 2.25, 1.5, 1.5],
    "double": [0.0, -0.0, 2.0, 2.0, None, 2.0, 0.0, -0.0],
    "array<string>": [["a"], ["a", "b"], ["b"], [], None, ["b", "b"], ["a", None, ""], ["c"]],
    "array<int>": [[3], [3, 4], [4], [], None, [4, 4], [3, None], [5]],
}


@on_this_machine
def test_labels_of_every_type_are_the_classes_of_one_machine(spark: SparkSession) -> None:
    """Sizes of the classes come from a query, and the classes of a document from its batch, as in a task."""
    kinds = list(LABELS_BY_TYPE)
    names = [f"label{number}" for number in range(len(kinds))]
    schema = ", ".join(["text string", *(f"{name} {kind}" for name, kind in zip(names, kinds, strict=True))])
    df = spark.createDataFrame(list(zip(TEXTS, *LABELS_BY_TYPE.values(), strict=True)), schema).coalesce(1)
    batches = df.toArrow().to_batches()
    counts = TermCounter().fit_transform([text or "" for text in TEXTS])
    for kind, name in zip(kinds, names, strict=True):
        expected = ClassStats.from_matrix(counts, LABELS_BY_TYPE[kind])
        sizes = count_classes(select_documents(df, "text", name), None)
        assert (sizes.classes, sizes.class_docs.tolist()) == (expected.classes, expected.class_docs.tolist())
        assert list(map(type, sizes.classes)) == list(map(type, expected.classes))
        assert (sizes.n_documents, sizes.multilabel) == (len(TEXTS), kind.startswith("array"))
        (chunk,) = gather_chunks(batch.select(["text", name]).rename_columns(["text", "label"]) for batch in batches)
        indicators = chunk.indicators(pa.array(list(sizes.classes))).toarray()
        labels = [set(label) if isinstance(label, list) else {label} for label in LABELS_BY_TYPE[kind]]
        assert indicators.tolist() == [[int(cls in document) for cls in sizes.classes] for document in labels]


@on_this_machine
@pytest.mark.parametrize("kind", ["double", "array<int>"])
def test_models_of_numbers_as_labels_are_those_of_one_machine(spark: SparkSession, kind: str) -> None:
    rows = list(zip(TEXTS, LABELS_BY_TYPE[kind], strict=True))
    assert_same(spark.createDataFrame(rows, f"text string, label {kind}").coalesce(1), TEXTS, LABELS_BY_TYPE[kind])


@on_this_machine
def test_a_label_that_is_nan_raises(spark: SparkSession) -> None:
    df = spark.createDataFrame([("red", 1.0), ("blue", float("nan"))], "text string, label double")
    with pytest.raises(InputError, match=r"^A label is NaN; .* use null"):
        sieve.fit(df)
    mended = df.withColumn("label", F.nanvl("label", F.lit(None)))
    assert sieve.stats(mended).class_docs == (1,)


@on_this_machine
def test_ids_as_labels_raise_before_texts_are_counted(spark: SparkSession) -> None:
    ids = spark.range(60).selectExpr("'red' AS text", "id AS label")
    with pytest.raises(InputError, match=r"^60 different labels of 60 labelled documents; .*classes with label\.$"):
        sieve.fit(ids)


def test_dates_as_labels_lead_to_a_warning() -> None:
    sizes = ClassSizes(("2024-05-31", "2024-06-01"), np.array([30, 20]), 60, 10, multilabel=False)
    with pytest.warns(InputWarning, match=r"^The labels look like dates or times, such as '2024-05-31'\. If these"):
        check_label_column(sizes)


# -- columns -----------------------------------------------------------------------------------------------------


@on_this_machine
def test_columns_may_have_any_name(spark: SparkSession) -> None:
    names = ["a.b c", "x`y.z", "label", "text", "TEXT", "score"]
    rows = [tuple(f"{name} {place}" for place in range(6)) for name in ("red apple pie", "blue sky high")]
    df = spark.createDataFrame(rows, list("abcdef")).toDF(*names)
    for text, label in pairwise([*names, names[0]]):
        documents = select_documents(df, text, label)
        expected = [(row[names.index(text)], row[names.index(label)]) for row in rows]
        assert [tuple(row) for row in documents.collect()] == expected
        assert documents.columns == ["text", "label"]
    assert_same(df, [row[0] for row in rows], [row[5] for row in rows], text="a.b c", label="score")
    predicted = sieve.predict(df, plain_categorizer(**SETTINGS).fit(TRAIN_TEXTS, TRAIN_LABELS), text="x`y.z").collect()
    assert [row["prediction"] for row in predicted] == ["r", "b"]
    assert [tuple(row)[:6] for row in predicted] == rows


UNSUITABLE: list[tuple[dict[str, Any], str]] = [
    ({"text": "page.text"}, r"^text='page.text': this is a part of the column 'page'; .*withColumn"),
    ({"text": "page"}, r"^text='page': the column is of type struct<text:string>; use one with text"),
    ({"text": "Text"}, r"^text='Text': there is no such column; there are \['amount'"),
    ({"text": "amount"}, r"^text='amount': the column is of type decimal"),
    ({"label": "amount"}, r"^label='amount': the column is of type decimal.*use text, numbers, or an array"),
    ({"label": "day"}, r"^label='day': the column is of type date"),
    ({"label": "page"}, r"^label='page': the column is of type struct"),
    ({"label": "nested"}, r"^label='nested': the column is of type array<array<string>>"),
    ({"label": "twice"}, r"^label='twice': 2 columns have this name"),
    ({"label": "data"}, r"^label='data': the column is of type binary"),
]


@on_this_machine
def test_unsuitable_columns_raise_before_anything_is_read(spark: SparkSession) -> None:
    row = ("red", ("red",), Decimal(1), date(2001, 2, 3), [["a"]], "a", "b", b"a")
    schema = "text string, page struct<text: string>, amount decimal(4, 2), day date, nested array<array<string>>, "
    df = spark.createDataFrame([row], schema + "twice string, twice string, data binary")
    for columns, message in UNSUITABLE:
        with pytest.raises(InputError, match=message):
            sieve.fit(df, **columns)
    red: Any = "red"
    with pytest.raises(InputError, match=r"^df is 'red'; give a DataFrame"):
        sieve.fit(red)


# -- bytes -------------------------------------------------------------------------------------------------------

BROKEN = [(b"red apple", "food"), (b"Gr\xc3\xbcn", "sky"), (b"a b\xfcrger", "food"), (None, "sky")]


@on_this_machine
def test_the_hints_for_broken_texts_work(spark: SparkSession) -> None:
    df = spark.createDataFrame(BROKEN, "text binary, label string")
    decoded = df.withColumn("text", F.decode("text", "iso-8859-1"))
    assert sieve.stats(decoded).to_local()[0] == ["apple", "bürger", "grã¼n", "red"]
    mended = df.withColumn("text", F.make_valid_utf8(F.col("text").cast("string")))
    assert sieve.stats(mended).to_local()[0] == ["apple", "grün", "red", "rger"]
    assert sieve.stats(df, decode_error="replace").to_local()[0] == ["apple", "grün", "red", "rger"]
    assert sieve.stats(df, encoding="latin1").to_local()[0] == ["apple", "bürger", "grã¼n", "red"]


# The tests below end their Python workers; the next test starts new ones, which import everything again.

NOT_UTF8 = r"^Document 2 of partition 0 \(both from 0\) is not utf-8: .*position 3: .*b'a b\\xfcrger'\. Decode"


@here_and_away
def test_bytes_that_are_not_utf8_raise_with_their_place(spark: SparkSession) -> None:
    df = spark.createDataFrame(BROKEN, "text binary, label string").coalesce(1)
    with pytest.raises(InputError, match=NOT_UTF8):
        sieve.fit(df)


@on_this_machine
def test_broken_texts_raise_with_their_place_in_stats_and_predict(spark: SparkSession) -> None:
    df = spark.createDataFrame(BROKEN, "text binary, label string").coalesce(1)
    with pytest.raises(InputError, match=NOT_UTF8):
        sieve.stats(df.withColumn("text", F.col("text").cast("string"))).to_local()
    model = plain_categorizer(**SETTINGS).fit(TRAIN_TEXTS, TRAIN_LABELS)
    with pytest.raises(InputError, match=NOT_UTF8), reraise_own_errors():
        sieve.predict(df, model).collect()


ACTIONS: list[Callable[[DataFrame], object]] = [
    lambda df: df.collect(),
    lambda df: df.toArrow(),
    lambda df: list(df.toLocalIterator()),
    lambda df: df.groupBy("id").count().collect(),
]


@here_and_away
def test_an_input_error_of_a_task_comes_out_of_every_action(spark: SparkSession) -> None:
    def refuse(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from textsieve.errors import UnfitDocuments  # import only this, because Spark ends the process after an error

        for batch in batches:
            if 7 in batch.column("id").to_pylist():
                raise UnfitDocuments("7 is no document", setting="id", value=b"<7>", hint="use others")
            yield batch

    df = map_batches(spark.range(0, 8, 1, 4), refuse, "id long")
    for act in ACTIONS:
        with pytest.raises(UnfitDocuments) as raised, reraise_own_errors():
            act(df)
        assert str(raised.value) == "id=b'<7>': 7 is no document; use others."
        assert raised.value.setting == "id"


# -- huge --------------------------------------------------------------------------------------------------------


@on_this_machine
def test_a_document_of_10_megabytes_beside_small_ones(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """The document is longer than a chunk, as one of 50 megabytes is by default."""
    monkeypatch.setattr(counting, "CHUNK_CHARACTERS", 1 << 22)
    rows = [(text or "", label, 1) for text, label in zip(TEXTS, LABELS, strict=True)]
    long = f" {'huge' * 20} sky"
    rows[3] = (long, "sky", 10_000_000 // len(long))
    df = spark.createDataFrame(rows, "text string, label string, times int").withColumn(
        "text", F.expr("repeat(text, times)")
    )
    labels = [label for _, label, _ in rows]
    assert_same(df.coalesce(1), [text * times for text, _, times in rows], labels)


# -- settings of a session, and of a column ------------------------------------------------------------------------


@on_this_machine
def test_large_types_of_arrow_give_the_same_model(spark: SparkSession) -> None:
    name = "spark.sql.execution.arrow.useLargeVarTypes"
    spark.conf.set(name, "true")
    try:
        df = spark.createDataFrame(list(zip(TEXTS, LABELS, strict=True)), "text string, label string")
        assert_same(df, [text or "" for text in TEXTS], LABELS, selector="ocfs")
    finally:
        spark.conf.unset(name)


@on_this_machine
def test_labels_are_compared_by_character_whatever_their_collation(spark: SparkSession) -> None:
    texts, labels = ["red apple", "green pear", "blue sky"] * 4, ["Spam", "spam", "ham"] * 4
    df = spark.createDataFrame(list(zip(texts, labels, strict=True)), "text string, label string")
    collated = df.withColumn("label", F.collate("label", "UTF8_LCASE"))
    model = sieve.fit(collated, categorizer=plain_categorizer(selector="df", classifier="nb"))
    assert dict(zip(model.model_.classes, model.model_.class_docs, strict=True)) == {"Spam": 4, "ham": 4, "spam": 4}


# -- the table alone, and what is predicted ----------------------------------------------------------------------


@on_this_machine
def test_statistics_without_labels_and_without_documents(spark: SparkSession) -> None:
    df = spark.createDataFrame(list(zip(TEXTS, LABELS, strict=True)), "text string, label string")
    counter = TermCounter()
    expected = ClassStats.from_matrix(counter.fit_transform([text or "" for text in TEXTS]))
    terms, stats = sieve.stats(df, label=None).to_local()
    assert (terms, stats) == (counter.get_feature_names_out().tolist(), expected)
    terms, stats = sieve.stats(df.filter("false")).to_local()
    assert (terms, stats.n_documents, stats.classes) == ([], 0, ())


@here_and_away
def test_predictions_are_added_to_all_other_columns(spark: SparkSession) -> None:
    others = (
        7,
        ("red",),
        {"k": [1.5, None]},
        Decimal("1.25"),
        datetime(2001, 2, 3, tzinfo=UTC),
        [date(2001, 2, 3)],
        None,
    )
    schema = (
        "id int, page struct<text: string>, map map<string, array<double>>, amount decimal(4, 2), at timestamp, "
        "days array<date>, nothing string, text string, label string, scores string"
    )
    texts = ["red apple", None, "", "blue sky", "unheard of"]
    rows = [(*others, text, "a label that no document had", "1:0") for text in texts]
    df = spark.createDataFrame(rows, schema).repartition(8, "text")
    model = plain_categorizer(**SETTINGS).fit(TRAIN_TEXTS, TRAIN_LABELS)
    with pytest.raises(InputError, match="'scores' is a column already"):
        sieve.predict(df, model)
    predicted = sieve.predict(df, model, scores="how much")
    assert predicted.drop("prediction", "how much").schema == df.schema
    expected = model.model_.predict(["" if text is None else text for text in texts])
    labels, scores = expected.labels.tolist(), expected.scores.tolist()
    by_text = {text: values for text, *values in zip(texts, labels, scores, strict=True)} | {None: [None, None]}
    beside = {row["text"]: tuple(row) for row in df.collect()}
    for row in predicted.collect():
        assert tuple(row)[:-2] == beside[row["text"]]
        assert [row["prediction"], row["how much"]] == by_text[row["text"]]
    assert predicted.count() == len(rows)
    assert sieve.predict(df.filter("false"), model, scores=None).collect() == []
    as_bytes = df.withColumn("text", F.col("text").cast("binary")).drop("scores")
    assert sieve.predict(as_bytes, model, ["text"]).schema == sieve.predict(as_bytes, model, "text").schema
    for row in sieve.predict(as_bytes, model, ["text"]).collect():
        text = None if row["text"] is None else row["text"].decode()
        assert [row["prediction"], row["scores"]] == by_text[text], "a list of one column is that column"
