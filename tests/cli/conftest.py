"""Fixtures: small collections, models trained on them, and functions that call the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.reference.cli_cases import CORRECTIONS, PLAIN_OPTIONS, Run, documents, lines, write_csv

from textsieve.cli.program import program


@pytest.fixture
def run() -> Run:
    """Return a function that calls the command line, and checks its exit code."""

    def call(*arguments: object, input: str | bytes | None = None, exit_code: int = 0) -> Result:
        result = CliRunner().invoke(
            program, [str(argument) for argument in arguments], input=input, prog_name="textsieve"
        )
        assert result.exit_code == exit_code, result.output
        assert "Traceback" not in result.output
        return result

    return call


@pytest.fixture
def ask(run: Run) -> Callable[..., Any]:
    """Return a function that calls a subcommand with --json, and parses its output."""

    def call(*arguments: object, **settings: Any) -> Any:
        return json.loads(run(*arguments, "--json", **settings).stdout)

    return call


@pytest.fixture(scope="session")
def news(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of labelled documents."""
    return write_csv(tmp_path_factory.mktemp("news") / "news.csv", documents())


@pytest.fixture(scope="session")
def model(news: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model trained on `news`."""
    path = tmp_path_factory.mktemp("model") / "news.sieve"
    CliRunner().invoke(program, ["train", str(news), "-o", str(path), *PLAIN_OPTIONS], catch_exceptions=False)
    return path


@pytest.fixture
def model_without_sources(news: Path, tmp_path: Path, run: Run) -> Path:
    """A model trained on `news` that `update` can't train again, because it does not know its documents."""
    path = tmp_path / "unknown.sieve"
    run("train", news, "-o", path, *PLAIN_OPTIONS, "--no-sources")
    return path


@pytest.fixture(scope="session")
def tagged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of JSON lines with multilabel documents."""
    path = tmp_path_factory.mktemp("tagged") / "tagged.jsonl"
    single = [{"text": text, "tags": [label]} for text, label in documents(10)]
    double = [
        {"text": f"{words} budget vote", "tags": ["sport", "politics"]} for words in ["goal striker", "keeper"] * 8
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in [*single, *double]), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def tagger(tagged: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A multilabel model trained on `tagged`."""
    path = tmp_path_factory.mktemp("tagger") / "tagged.sieve"
    CliRunner().invoke(program, ["train", str(tagged), "-o", str(path), *PLAIN_OPTIONS], catch_exceptions=False)
    return path


@pytest.fixture
def updatable_model(news: Path, tmp_path: Path, run: Run) -> Path:
    """A model trained with --keep-stats, which `update` can add documents to."""
    path = tmp_path / "news.sieve"
    run("train", news, "-o", path, "--classifier", "nb", "--keep-stats")
    return path


@pytest.fixture
def feedback(tmp_path: Path) -> Path:
    """A file of corrections, as the service writes it."""
    return lines(tmp_path / "feedback.jsonl", *CORRECTIONS)
