"""The large files of the benchmark on streaming: the same documents in every format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.streaming import FORMATS, Cost, write_large_file

import textsieve
from benchmarks import streaming

DOCUMENTS = [(f'text {number}, with "quotes"\nand\ttabs é', f"label {number % 2}") for number in range(30)]


@pytest.mark.every_case
@pytest.mark.parametrize("ending", FORMATS)
def test_a_file_has_the_same_documents_in_every_format(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "newsgroups", lambda _: list(zip(*DOCUMENTS, strict=True)))
    path = tmp_path / f"large.{ending}"
    n_documents = write_large_file(path, 5_000)
    documents = [(text, label[0]) for text, label in textsieve.read(str(path))]
    # The numbers of a document's rare words come from a generator with a fixed seed.
    assert sorted(documents) == sorted(streaming.repeated_documents(5_000))
    assert len(documents) == n_documents > len(DOCUMENTS)
    assert len(set(documents)) == n_documents


def test_the_page_can_be_written_from_the_outcomes_that_are_there(tmp_path: Path) -> None:
    outcomes: dict[str, object] = {f"documents of {size:g}-gb.jsonl": 7 for size in streaming.GROWTH}
    outcomes |= {f"documents of 0.25-gb.{ending}": 7 for ending in FORMATS}
    outcomes |= {"growth 0.25-gb.jsonl": [1, 5.0], "growth 0.5-gb.jsonl": [1, 10.0], "growth 1-gb.jsonl": [1, 99.0]}
    outcomes |= {"formats 0.25-gb.jsonl": [1, 6.0], "formats 0.25-gb.csv": [1, 12.1]}
    (tmp_path / "outcomes.json").write_text(json.dumps(outcomes))
    lines = streaming.page(streaming.LargeFiles(tmp_path, only_stored=True)).splitlines()
    assert "| 0.5 GB | 7 | 10.0 s | 20.0 s | 0 MB | met |" in lines
    assert "| 1 GB | 7 | 99.0 s | 99.0 s | 0 MB | **missed** |" in lines
    assert "| 4 GB | 7 | not measured | | | |" in lines
    assert "| csv | 12.1 s | 2.02 | 0 MB | **missed** |" in lines
    assert "| folder | not measured | | | |" in lines


def test_a_cost_meets_its_aims_only_within_both_limits() -> None:
    assert Cost(10**9 - 1, 20.0).verdict(20) == "met"
    assert Cost(10**9 - 1, 20.1).verdict(20) == "**missed**"
    assert Cost(10**9, 1.0).verdict() == "**missed**"
