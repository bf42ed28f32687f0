"""What the defaults of a `Categorizer` stand for: kinds of terms, class weights and the size of a model."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression
from tests.reference.categorizer_cases import small_texts

from textsieve import OCFS, Categorizer, Corpus, InputError, categorizer_settings, load
from textsieve.categorizer_settings import Settings
from textsieve.corpus import Batch
from textsieve.modelfile import encode
from textsieve.training.counted_documents import count_texts

training: Any = import_module("textsieve.training.train")  # the package also has a function with this name
CASE = small_texts(80)
LONG = [f"{text} " * 40 for text in CASE.texts]


@pytest.fixture(autouse=True)
def fixed_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")


@pytest.mark.parametrize(
    ("given", "resolved"),
    [
        ({}, ("text", (3, 5), "sqrt", "150kB")),
        ({"analyzer": "text"}, ("text", (3, 5), "sqrt", "150kB")),
        ({"analyzer": "word"}, ("word", None, "sqrt", "150kB")),
        ({"analyzer": "char_wb", "ngram_range": (3, 5)}, ("char_wb", None, "sqrt", "150kB")),
        ({"token_pattern": r"\w+"}, ("word", None, "sqrt", "150kB")),
        ({"tokenizer": str.split}, ("word", None, "sqrt", None)),
        ({"analyzer": str.split}, (str.split, None, "sqrt", None)),
        ({"preprocessor": str.lower}, ("text", None, "sqrt", None)),
        ({"normalise": "stem"}, ("text", None, "sqrt", "150kB")),
        ({"names": True}, ("text", None, "sqrt", "150kB")),
        ({"n_terms": 1000}, ("text", None, "sqrt", None)),
        ({"n_terms": "auto"}, ("text", None, "sqrt", None)),
        ({"tolerance": "1se"}, ("text", (3, 5), "sqrt", None)),
        ({"max_size": "20kB", "n_terms": 1000}, ("text", (3, 5), "sqrt", "20kB")),
        ({"max_size": None}, ("text", None, "sqrt", None)),
        ({"projection": "centroid"}, ("text", None, "sqrt", None)),
        ({"selector": OCFS(k=5)}, ("text", None, "sqrt", None)),
        ({"selector": "testors"}, ("text", None, "sqrt", None)),
        ({"selector": "ig"}, ("text", (3, 5), "sqrt", "150kB")),
        ({"classifier": "nb"}, ("text", None, None, None)),
        ({"classifier": LogisticRegression()}, ("text", None, None, None)),
        ({"class_weight": None}, ("text", (3, 5), None, "150kB")),
        ({"class_weight": {"boat": 2.0}}, ("text", (3, 5), {"boat": 2.0}, "150kB")),
        ({"char_ngram_range": None}, ("text", None, "sqrt", "150kB")),
        ({"char_ngram_range": (2, 4), "n_terms": 9}, ("text", (2, 4), "sqrt", None)),
    ],
)
def test_auto_depends_on_what_the_user_decided(given: dict[str, Any], resolved: tuple[Any, ...]) -> None:
    settings = Settings(**given).resolve(texts_are_short=True)
    assert (settings.analyzer, settings.char_ngram_range, settings.class_weight, settings.max_size) == resolved
    of_long_texts = Settings(**given).resolve(texts_are_short=False)
    assert of_long_texts.char_ngram_range == given.get("char_ngram_range")


def test_texts_are_short_on_average_and_not_too_many() -> None:
    assert training.are_short(10, 10 * training.SHORT_TEXT)
    assert not training.are_short(10, 10 * training.SHORT_TEXT + 1)
    assert not training.are_short(0, 0)
    assert training.are_short(10**5, training.MAX_CHARACTERS_OF_SHORT_TEXTS)
    assert not training.are_short(10**5, training.MAX_CHARACTERS_OF_SHORT_TEXTS + 1)
    assert not training.are_short(training.MAX_SHORT_TEXTS + 1, 10**6)


def test_unlabelled_texts_count_as_others_for_whether_texts_are_short() -> None:
    labels = [*CASE.labels[:20], *[None] * 60]
    model = Categorizer(probabilities=None).fit([*LONG[:20], *CASE.texts[20:]], labels).model_
    assert sum(map(len, LONG[:20])) > 20 * training.SHORT_TEXT
    assert model.analysis.char_ngram_range == (3, 5)


def test_short_texts_get_ngrams_of_characters_and_long_ones_none() -> None:
    short, long = (Categorizer(probabilities=None).fit(texts, CASE.labels) for texts in (CASE.texts, LONG))
    assert short.model_.analysis.char_ngram_range == (3, 5)
    assert "▁sai…" in short.terms_
    assert long.model_.analysis.char_ngram_range is None
    assert "sail" in long.terms_
    assert "▁sai…" not in long.terms_
    assert long.model_.analysis.analyzer == "text"


CYRILLIC = [f"{text} {'слово ' * 70}" for text in CASE.texts]
"""Texts with fewer than 600 characters on average, but with more bytes."""


@pytest.mark.parametrize("texts", [CASE.texts, LONG, CYRILLIC], ids=["short", "long", "Cyrillic"])
def test_texts_in_any_form_give_the_same_bytes(texts: list[str]) -> None:
    expected = Categorizer(probabilities=None).fit(texts, CASE.labels).model_
    assert (expected.analysis.char_ngram_range is None) == (texts is LONG)
    for documents, labels in (
        ((text for text in texts), CASE.labels),
        ([text.encode() for text in texts], CASE.labels),
        (pa.array(texts), CASE.labels),
        (np.array(texts), CASE.labels),
        (Corpus.from_texts(texts, CASE.labels), None),
    ):
        assert encode(Categorizer(probabilities=None).fit(documents, labels).model_) == encode(expected)


def test_texts_of_weight_0_are_not_measured_and_a_weight_counts_as_copies() -> None:
    texts, labels, weights = [*CASE.texts, LONG[0] * 9], [*CASE.labels, CASE.labels[0]], [1] * len(CASE.texts)
    n_characters = sum(map(len, texts))
    assert n_characters < training.SHORT_TEXT * len(texts)
    for weight, has_ngrams in ((0, True), (1, True), (9, False)):
        model = Categorizer(probabilities=None).fit(texts, labels, sample_weight=[*weights, weight])
        assert (model.model_.analysis.char_ngram_range is not None) == has_ngrams


class Table(list[str]):
    """A table as pandas has it: it yields the names of its columns."""

    columns = ("text",)


def test_a_table_raises_an_error() -> None:
    with pytest.raises(InputError, match="documents is a table with columns"):
        Categorizer().fit(Table(CASE.texts), CASE.labels)


def test_a_generator_is_not_read_to_its_end_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "MAX_CHARACTERS_OF_SHORT_TEXTS", 1000)
    n_read: list[int] = []

    def texts() -> Iterator[str]:
        for number, text in enumerate(LONG):
            n_read.append(number)
            yield text

    def count(*arguments: Any, **settings: Any) -> Any:
        assert len(n_read) < 3
        return count_texts(*arguments, **settings)

    monkeypatch.setattr(training, "count_texts", count)
    model = Categorizer(probabilities=None).fit(texts(), CASE.labels)
    assert len(n_read) == len(LONG)
    assert model.model_.about["n_documents"] == len(LONG)


def test_wrong_settings_raise_before_anything_is_read() -> None:
    def fail(report: Any) -> Iterator[Batch]:
        pytest.fail("a document was read")

    with pytest.raises(InputError, match="cut="):
        Categorizer(cut="nope").fit(Corpus("unread", fail, multilabel=False))


@pytest.mark.parametrize("limit", [100, 10**9])
def test_a_corpus_is_read_once(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "MAX_CHARACTERS_OF_SHORT_TEXTS", limit)
    passes: list[int] = []
    source = Corpus.from_texts(CASE.texts, CASE.labels)

    def start(report: Any) -> Iterator[Batch]:
        passes.append(1)
        yield from source.batches()

    model = Categorizer(probabilities=None).fit(Corpus("counted", start, multilabel=False))
    assert len(passes) == 1
    assert (model.model_.analysis.char_ngram_range is None) == (limit == 100)


def test_the_default_is_the_model_of_the_settings_it_stands_for() -> None:
    settings: dict[str, Any] = {"analyzer": "text", "char_ngram_range": (3, 5)}
    settings |= {"class_weight": "sqrt", "max_size": "150kB"}
    uneven = slice(0, 50)  # the classes have different sizes
    default, explicit = (
        Categorizer(probabilities=None, **given).fit(CASE.texts[uneven], CASE.labels[uneven])
        for given in ({}, settings)
    )
    assert default.terms_ == explicit.terms_
    assert default.coef_.tobytes() == explicit.coef_.tobytes()
    unweighted = Categorizer(probabilities=None, class_weight=None).fit(CASE.texts[uneven], CASE.labels[uneven])
    assert unweighted.intercept_.tobytes() != default.intercept_.tobytes()


@pytest.mark.parametrize("name", ["analyzer", "tokenizer", "preprocessor"])
def test_a_model_with_a_function_is_trained_although_it_cannot_be_stored(name: str) -> None:
    given: dict[str, Any] = {name: str.lower if name == "preprocessor" else str.split}
    model = Categorizer(probabilities=None, **given).fit(CASE.texts, CASE.labels)
    assert model.score(CASE.texts, CASE.labels) > 0.8


def test_a_loaded_model_has_the_settings_as_they_were_given(tmp_path: Path) -> None:
    Categorizer(probabilities=None).fit(CASE.texts, CASE.labels).save(tmp_path / "a.sieve")
    loaded = load(tmp_path / "a.sieve")
    assert loaded.char_ngram_range == loaded.max_size == loaded.class_weight == loaded.analyzer == "auto"
    assert loaded.model_.analysis.char_ngram_range == (3, 5)
    assert loaded.fit(LONG, CASE.labels).model_.analysis.char_ngram_range is None


def test_a_limit_that_nobody_asked_for_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = [f"{label} {'x' * 300}" for label in CASE.labels]  # the labels alone take more than 2 kB
    monkeypatch.setattr(categorizer_settings, "AUTO_MAX_SIZE", "2kB")
    model = Categorizer(held_out=0.2).fit(CASE.texts, [f"{label}{n % 9}" for n, label in enumerate(labels)])
    assert len(model.terms_) > 10
    with pytest.raises(InputError, match="max_size='2kB'"):
        Categorizer(max_size="2kB").fit(CASE.texts, [f"{label}{n % 9}" for n, label in enumerate(labels)])


def test_many_classes_get_fewer_terms() -> None:
    plan = training.Training(Settings(), lambda *_: None).plan
    assert plan.max_terms(None, 10**6, 20) == 100_000
    assert plan.max_terms(None, 10**6, 200) == 25_000
    assert plan.max_terms(None, 10**6, 10**5) == 10_000
    assert plan.max_terms(None, 300, 20) == 300
