"""Options that limit what is read: their values, their errors, and links that lead out of a folder."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click
import pytest
from tests.reference.cli_cases import Run, documents

import textsieve
from textsieve.cli import train
from textsieve.cli.messages import write_setting
from textsieve.cli.options import size
from textsieve.corpus.read_limits import hint_to_raise_limit
from textsieve.errors import render

LONG = json.dumps({"text": "goal " * 500}) + "\n"


@pytest.mark.parametrize("source", ["a file", "standard input"])
def test_a_document_that_is_too_large_raises_an_error(run: Run, model: Path, tmp_path: Path, source: str) -> None:
    (tmp_path / "x.jsonl").write_text(LONG)
    path, given = (tmp_path / "x.jsonl", None) if source == "a file" else ("-", LONG)
    printed = run("predict", model, path, "--max-document", "2kB", input=given, exit_code=1).stderr
    assert "line 1: one document has 2,5" in printed
    assert "the limit is 2,000. If the file is what it should be, raise the limit, for example with" in " ".join(
        printed.split()
    )
    assert "--max-document 10kB." in printed
    assert len(run("predict", model, path, "--max-document", "10kB", input=given).stdout.splitlines()) == 1
    assert len(run("predict", model, path, "--max-document", "2.6kB", input=given).stdout.splitlines()) == 1


@pytest.mark.parametrize("exponent", range(1, 14))
@pytest.mark.parametrize("limit", ["max_document", "max_unpacked"])
def test_the_limit_that_an_error_suggests_is_enough_and_an_option_takes_it(limit: str, exponent: int) -> None:
    for exceeding in (10**exponent - 1, 10**exponent, 10**exponent + 1):
        with click.Context(train.command):
            printed = render(hint_to_raise_limit(limit, exceeding), write_setting)
        suggested = re.search(rf"--{limit.replace('_', '-')} (\w+)$", printed)
        assert suggested is not None
        assert size(suggested[1]) > exceeding


@pytest.mark.parametrize("size", ["0", "-1", "lots", "1XB", "9" * 400, "1e9", ""])
def test_invalid_sizes_exit_with_2(run: Run, model: Path, size: str) -> None:
    assert "--max-unpacked" in run("predict", model, "x.txt", f"--max-unpacked={size}", exit_code=2).stderr


def test_links_that_lead_outside_are_followed_with_an_option(run: Run, tmp_path: Path) -> None:
    for number, (text, label) in enumerate(documents(6)):
        (tmp_path / "root" / label).mkdir(parents=True, exist_ok=True)
        (tmp_path / "root" / label / f"{number}.txt").write_text(text)
    (tmp_path / "secret").write_text("hunter2 hunter2")
    for label in ("sport", "politics"):
        (tmp_path / "root" / label / "link").symlink_to(tmp_path / "secret")
    target = tmp_path / "m.sieve"
    printed = run("train", tmp_path / "root", "-o", target)
    assert "skipped 2 links that lead outside the folder; --follow-links reads them too." in printed.stderr
    assert "2 links that lead outside skipped" in printed.stdout
    assert "hunter2" not in textsieve.load(target).model_.terms
    printed = run("train", tmp_path / "root", "-o", target, "--follow-links", "--max-document", "1MB")
    assert "skipped" not in printed.output
    assert "hunter2" in textsieve.load(target).model_.terms
    assert textsieve.load(target).model_.about["reading"] == {}


@pytest.mark.parametrize("option", [("--max-document", "1GB"), ("--max-unpacked", "1GB"), ("--follow-links",)])
def test_limits_are_not_allowed_with_spark(run: Run, news: Path, tmp_path: Path, option: tuple[str, ...]) -> None:
    printed = run("train", news, "-o", tmp_path / "m.sieve", "--engine", "spark", *option, exit_code=2).stderr
    assert f"{option[0]} is for files that are read on this machine" in printed
