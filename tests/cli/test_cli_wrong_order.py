"""Arguments that have changed places, and files that are no model."""

from pathlib import Path

import pytest
from tests.reference.cli_cases import Run


@pytest.mark.parametrize("verb", ["update", "predict", "evaluate"])
def test_the_model_comes_first(verb: str, model: Path, news: Path, run: Run) -> None:
    said = run(verb, news, model, exit_code=1).stderr
    assert f"{news}: the file is not a textsieve model" in said
    assert f"The model comes first: textsieve {verb} {model} {news}\n" in said


def test_the_model_is_found_among_several(model: Path, news: Path, tmp_path: Path, run: Run) -> None:
    said = run("update", news, tmp_path / "other.csv", model, exit_code=1).stderr
    assert f"The model comes first: textsieve update {model} {news} {tmp_path / 'other.csv'}\n" in said


@pytest.mark.parametrize("verb", ["serve", "update"])
def test_documents_are_trained_on_first(verb: str, news: Path, run: Run) -> None:
    said = run(verb, news, *([news.parent / "more.csv"] if verb == "update" else []), exit_code=1).stderr
    assert f"train a model on it first: textsieve train {news} -o news.sieve\n" in said


def test_other_files_are_no_documents(tmp_path: Path, news: Path, run: Run) -> None:
    (tmp_path / "a.sieve").write_bytes(b"\0" * 100)
    assert "train a model" not in run("update", tmp_path / "a.sieve", news, exit_code=1).stderr


@pytest.mark.parametrize("verb", ["train", "update"])
def test_several_paths_are_seen_in_the_usage(verb: str, run: Run) -> None:
    assert "PATH...\n" in run(verb, "--help").stdout
