"""Hints for a model and documents in the wrong order, and for files that are no model."""

from pathlib import Path

import pytest
from tests.reference.cli_cases import Run


@pytest.mark.parametrize("verb", ["update", "predict", "evaluate"])
def test_a_hint_gives_the_right_order(verb: str, model: Path, news: Path, run: Run) -> None:
    printed = run(verb, news, model, exit_code=1).stderr
    assert f"{news}: the file is not a textsieve model" in printed
    assert f"The model comes first: textsieve {verb} {model} {news}\n" in printed


def test_a_hint_finds_the_model_among_several_paths(model: Path, news: Path, tmp_path: Path, run: Run) -> None:
    printed = run("update", news, tmp_path / "other.csv", model, exit_code=1).stderr
    assert f"The model comes first: textsieve update {model} {news} {tmp_path / 'other.csv'}\n" in printed


@pytest.mark.parametrize("verb", ["serve", "update"])
def test_documents_instead_of_a_model_give_a_hint_to_train(verb: str, news: Path, run: Run) -> None:
    printed = run(verb, news, *([news.parent / "more.csv"] if verb == "update" else []), exit_code=1).stderr
    assert f"train a model on it first: textsieve train {news} -o news.sieve\n" in printed


def test_a_hint_does_not_overwrite_a_model(
    news: Path, model: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("news.sieve").write_bytes(model.read_bytes())
    assert "news.sieve is a model: textsieve serve news.sieve\n" in run("serve", news, exit_code=1).stderr
    Path("news.sieve").write_text("something else")
    assert f"textsieve train {news} -o news-model.sieve\n" in run("serve", news, exit_code=1).stderr
    Path("news-model.sieve").write_bytes(model.read_bytes())
    assert f"textsieve train {news} -o news-model-model.sieve\n" in run("serve", news, exit_code=1).stderr


def test_other_files_give_no_hint(tmp_path: Path, news: Path, run: Run) -> None:
    (tmp_path / "a.sieve").write_bytes(b"\0" * 100)
    assert "train a model" not in run("update", tmp_path / "a.sieve", news, exit_code=1).stderr


@pytest.mark.parametrize("verb", ["train", "update"])
def test_the_usage_shows_several_paths(verb: str, run: Run) -> None:
    assert "PATH...\n" in run(verb, "--help").stdout
