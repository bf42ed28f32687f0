"""The sources of a model: how paths are stored and found again, and what an update does with a model."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textsieve import Categorizer, load
from textsieve.categorizer_settings import ObjectDescription
from textsieve.modelfile import read, write
from textsieve.modelfile.sources import (
    OTHER,
    PATH,
    SPARK,
    TrainingSource,
    sources_of,
    update_method,
    with_another_source,
    with_corrections,
    with_sources,
)
from textsieve.prediction import Model

NEWS = TrainingSource(PATH, "news.csv", 3, "0" * 32)


@pytest.fixture(scope="module")
def model() -> Model:
    """A small model without sources."""
    return Categorizer(n_jobs=1, n_terms=3).fit(["red sun", "blue sea", "red sea"] * 3, ["a", "b", "a"] * 3).model_


options = st.dictionaries(st.text(max_size=5), st.text(max_size=5) | st.integers(0, 9) | st.lists(st.text(max_size=3)))
names = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=20)


@given(
    st.builds(
        lambda kind_and_name, *fields: TrainingSource(*kind_and_name, *fields),
        st.tuples(st.sampled_from([PATH, SPARK, OTHER]), names) | st.just(("corpus", "newsgroups:train")),
        st.none() | st.integers(0, 10**9),
        st.none() | st.just("0123456789abcdef" * 2),
        options,
        options,
        st.booleans(),
    )
)
def test_sources_are_the_same_after_writing_and_reading(
    model: Model, tmp_path_factory: pytest.TempPathFactory, source: TrainingSource
) -> None:
    path = tmp_path_factory.mktemp("sources") / "a.sieve"
    write(with_sources(model, [source, NEWS]), path)
    assert sources_of(read(path)) == [source, NEWS]


def test_loading_a_model_opens_no_source(model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")  # opening it would block
    write(with_sources(model, [replace(NEWS, name="pipe"), replace(NEWS, name="/nonexistent")]), tmp_path / "a.sieve")
    monkeypatch.chdir(tmp_path)
    assert load("a.sieve").predict(["red sun"]).tolist() == ["a"]


@pytest.mark.parametrize(
    ("given_path", "model_path", "stored", "found"),
    [
        ("news.csv", "a.sieve", "news.csv", "news.csv"),
        ("data/news.csv", "models/a.sieve", "../data/news.csv", "data/news.csv"),
        ("./data//news.csv", "a.sieve", "data/news.csv", "data/news.csv"),
        ("../news.csv", "a.sieve", "../news.csv", "../news.csv"),
        ("/data/news.csv", "models/a.sieve", "/data/news.csv", "/data/news.csv"),
        ("~/news.csv", "models/a.sieve", "~/news.csv", "~/news.csv"),
    ],
)
def test_relative_paths_are_relative_to_the_model(
    given_path: str, model_path: str, stored: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = TrainingSource.at(given_path, model_path)
    assert (source.kind, source.name, source.location(model_path)) == (PATH, stored, found)


def test_a_linked_folder_of_models_finds_its_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deep" / "er" / "models").mkdir(parents=True)
    (tmp_path / "models").symlink_to(tmp_path / "deep" / "er" / "models")
    monkeypatch.chdir(tmp_path)
    source = TrainingSource.at("news.csv", "models/a.sieve")
    assert source.name == "../../../news.csv"
    assert source.location("models/a.sieve") == source.location("deep/er/models/a.sieve") == "news.csv"


def test_a_name_is_a_corpus_unless_there_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    source = TrainingSource.at("newsgroups:train", "models/a.sieve")
    assert (source.kind, source.name, source.location("a.sieve")) == ("corpus", "newsgroups:train", "newsgroups:train")
    (tmp_path / "docstrings").mkdir()
    assert TrainingSource.at("docstrings", "a.sieve").kind == PATH


def test_a_path_that_is_not_utf_8_is_not_stored() -> None:
    undecodable = os.fsdecode(b"/data/\xff.csv")
    for source in (TrainingSource.at(undecodable, "a.sieve", documents=5), TrainingSource.on_spark(undecodable)):
        assert source.kind == OTHER
        assert source.name == "a file whose name is not UTF-8"


def test_sources_follow_a_model_that_is_saved_elsewhere(model: Model, tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    sources = [NEWS, replace(NEWS, name="/data/news.csv"), TrainingSource("corpus", "docstrings", 5)]
    write(with_sources(model, sources), tmp_path / "a.sieve")
    load(tmp_path / "a.sieve").save(tmp_path / "models" / "b.sieve")
    load(tmp_path / "a.sieve").save(tmp_path / "c.sieve")
    names = [source.name for source in sources_of(read(tmp_path / "models" / "b.sieve")) or ()]
    assert names == ["../news.csv", "/data/news.csv", "docstrings"]
    assert sources_of(read(tmp_path / "c.sieve")) == sources


def test_corrections_of_the_same_path_are_replaced(model: Model) -> None:
    old, new = (TrainingSource(PATH, "f.jsonl", n, corrections=True) for n in (1, 2))
    trained_on = replace(old, corrections=False)
    piped = TrainingSource(OTHER, "standard input", 1, corrections=True)
    stored = with_sources(model, [NEWS, trained_on, old, piped])
    assert sources_of(with_corrections(stored, [new, piped], "m.sieve")) == [NEWS, trained_on, piped, new, piped]
    assert with_corrections(model, [new], "m.sieve") is model
    assert with_another_source(model, new) is model


@pytest.mark.parametrize(
    ("sources", "settings", "problem"),
    [
        (None, {}, "does not know its documents"),
        ([], {}, "does not know its documents"),
        ([NEWS, TrainingSource(OTHER, "standard input", 1)], {}, "came from standard input, which can't be read again"),
        ([TrainingSource.on_spark("news/*.parquet")], {}, "trained with --engine spark"),
        ([NEWS], {"classifier": ObjectDescription("Perceptron()")}, r"its classifier was Perceptron\(\), an object"),
        ([NEWS], {"selector_options": {"key": ObjectDescription("len")}}, "its key was len, an object of your own"),
        ([NEWS], {"stop_words": ObjectDescription("a list")}, None),
        ([NEWS], {}, None),
    ],
)
def test_the_method_of_an_update(
    model: Model, sources: list[TrainingSource] | None, settings: dict[str, Any], problem: str | None
) -> None:
    import re

    model = replace(model, settings=model.settings | settings)
    if sources is not None:
        model = with_sources(model, sources)
    assert update_method(model, has_statistics=True).name == "add"
    method = update_method(model, has_statistics=False)
    assert method.name == ("retrain" if problem is None else None)
    assert re.search(problem or "^$", method.problem)
    assert re.search("retrains the model" if problem is None else problem, method.description)
