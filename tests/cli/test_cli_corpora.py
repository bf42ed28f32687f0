"""`textsieve corpora`, and names where a path is expected."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.reference.cli_cases import Run
from tests.reference.collection_files import write_tar

from textsieve.corpus import NAMED
from textsieve.corpus.collections import local_files

WORDS = {"sci.space": "orbit moon rocket", "comp.graphics": "pixel shader polygon", "rec.autos": "engine brake wheel"}


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with a small 20 Newsgroups, and an empty cache."""
    monkeypatch.setenv(local_files.DATA_VARIABLE, str(tmp_path / "data"))
    monkeypatch.setattr(local_files, "cache_folder", lambda: tmp_path / "cache")
    posts = {
        f"20news-bydate-{part}/{group}/{number}": f"From: me\n\n{words} again {number}\n"
        for part in ("train", "test")
        for group, words in WORDS.items()
        for number in range(20)
    }
    write_tar(tmp_path / "data" / "20news-bydate.tar.gz", posts)
    return tmp_path / "data"


def test_the_list_has_all_corpora(run: Run, ask: Callable[..., Any], data: Path) -> None:
    text = run("corpora").stdout
    entries = {entry["name"]: entry for entry in ask("corpora")}
    assert {name.partition(":")[0] for name in entries} == set(NAMED)
    for name in entries:
        assert name in text
    assert entries["docstrings"]["here"]
    news = entries["newsgroups"]
    assert (news["documents"], news["classes"], news["split"]) == (18_846, 20, {"train": 11_314, "test": 7_532})
    assert news["licence"] == "none stated"
    assert news["here"]
    assert news["files"][0]["place"] == "TEXTSIEVE_DATA"
    assert news["files"][0]["paths"] == [str(data / "20news-bydate.tar.gz")]
    assert not entries["rcv1"]["here"]
    assert entries["rcv1"]["multilabel"]
    assert "11,314/7,532" in text


def test_a_name_shows_words_and_files(run: Run, ask: Callable[..., Any], tmp_path: Path) -> None:
    text = " ".join(run("corpora", "newsgroups").stdout.split())
    assert "no-quotes without quotes" in text
    assert "newsgroups:original lacks 20news-19997.tar.gz; get it from Jason Rennie's" in text
    assert f"into {tmp_path / 'cache'}, or set TEXTSIEVE_MIRROR" in text
    assert [entry["name"] for entry in ask("corpora", "newsgroups")] == ["newsgroups", "newsgroups:original"]
    assert [entry["name"] for entry in ask("corpora", "newsgroups:comp:original")] == ["newsgroups:original"]
    assert "docstrings" in run("corpora", "docstrings").stdout


def test_a_part_of_a_corpus_needs_only_its_own_files(run: Run, data: Path) -> None:
    (data / "webkb-test-stemmed.txt").write_text("course\tlectur\n")
    assert "lacks" not in run("corpora", "webkb:stemmed:test").stdout
    assert "lacks webkb-train-stemmed.txt;" in " ".join(run("corpora", "webkb:stemmed:train").stdout.split())


def test_an_unknown_name_raises_an_error(run: Run) -> None:
    assert "error: newsgroups:x: newsgroups has no 'x'" in run("corpora", "newsgroups:x", exit_code=1).stderr
    assert "error: docstrings:x: nothing may follow" in run("corpora", "docstrings:x", exit_code=1).stderr
    assert (
        "error: newsgrops: is no corpus. Did you mean 'newsgroups'?" in run("corpora", "newsgrops", exit_code=1).stderr
    )


def test_a_name_is_usable_wherever_a_path_is(run: Run, ask: Callable[..., Any], tmp_path: Path) -> None:
    model = tmp_path / "news.sieve"
    assert "newsgroups:train" in run("train", "newsgroups:train", "-o", model).stdout
    assert ask("evaluate", model, "newsgroups:test:comp")["documents"] == 20
    assert ask("terms", "newsgroups:no-headers", "-k", 3)["n_documents"] == 120
    assert len(run("predict", model, "newsgroups:test").stdout.splitlines()) == 60


def test_errors_are_one_line(run: Run) -> None:
    error = run("terms", "reuters:train", exit_code=1).stderr
    assert error.startswith("error: reuters:train: reuters21578.tar.gz is neither in ")
    assert len(error.splitlines()) == 1
    assert "--text=" not in run("terms", "newsgroups", "--text", "x", exit_code=1).stderr.replace("--text='x'", "")
