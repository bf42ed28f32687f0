"""ARCHITECTURE.md follows one document from a file to its label; the program calls the same functions."""

import re
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from click.testing import CliRunner

import textsieve
from tests.reference.cli_cases import documents, write_csv
from textsieve.cli.program import program

PACKAGE = Path(textsieve.__file__).parent
WALK = (Path(__file__).parents[1] / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("## One document")[2]


def functions_in(table: str) -> list[tuple[str, str]]:
    """Return the module and the name of each function in a table of the page."""
    return re.findall(r"^\| `([\w/]+\.py)`: `([\w.]+)` \|", table, re.MULTILINE)


def called_functions(*arguments: object) -> list[tuple[str, str]]:
    """Run the command line, and return the functions of the package in the order of their first calls."""
    called: dict[tuple[str, str], None] = {}

    def remember(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(PACKAGE)):
            called.setdefault((Path(code.co_filename).relative_to(PACKAGE).as_posix(), code.co_qualname))

    sys.setprofile(remember)
    try:
        result = CliRunner().invoke(program, list(map(str, arguments)), catch_exceptions=False)
    finally:
        sys.setprofile(None)
    assert result.exit_code == 0
    return list(called)


@pytest.fixture(scope="module")
def tables() -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    training, _, rest = WALK.partition("Then `textsieve predict")
    return functions_in(training), functions_in(rest.partition("\n## ")[0])


def test_the_walk_of_a_document_is_the_order_of_calls(tables: Any, tmp_path: Path) -> None:
    model, news = tmp_path / "news.sieve", write_csv(tmp_path / "news.csv", documents())
    new = tmp_path / "new.jsonl"
    new.write_text('{"text": "the striker"}\n', encoding="utf-8")
    training, predicting = tables
    for walk, arguments in (
        (training, ("train", news, "-o", model, "--held-out", 0, "--probabilities", "none", "--max-size", "none")),
        (predicting, ("predict", model, new)),
    ):
        assert len(walk) > 5
        called = called_functions(*arguments)
        assert [function for function in called if function in walk] == walk
