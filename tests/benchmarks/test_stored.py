"""Outcomes that are kept for a later run of a benchmark."""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path

from benchmarks.stored import StoredOutcomes


def test_a_resumed_run_measures_only_what_is_missing(tmp_path: Path) -> None:
    measured: list[str] = []

    def measure(name: str) -> dict[str, list[float]]:
        measured.append(name)
        return {name: [0.1, 1.5]}

    file = tmp_path / "outcomes.json"
    for _ in range(2):
        stored = StoredOutcomes(file)
        for name in ("one", "other"):
            assert stored.get(name, partial(measure, name)) == {name: [0.1, 1.5]}
    assert measured == ["one", "other"]
    assert StoredOutcomes(None).get("one", partial(measure, "one")) == {"one": [0.1, 1.5]}
    assert measured == ["one", "other", "one"]


def test_a_stored_file_is_replaced_and_not_written_over(tmp_path: Path) -> None:
    """A run that is interrupted while it writes leaves the file as it was."""
    file, link = tmp_path / "outcomes.json", tmp_path / "link.json"
    StoredOutcomes(file).get("one", lambda: 1)
    os.link(file, link)
    StoredOutcomes(file).get("other", lambda: 2)
    assert json.loads(link.read_text(encoding="utf-8")) == {"one": 1}
    assert json.loads(file.read_text(encoding="utf-8")) == {"one": 1, "other": 2}
