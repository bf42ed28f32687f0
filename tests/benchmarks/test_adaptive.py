"""The page on updates with all terms: its sentences agree with its tables."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.adaptive import ALL, FIXED, HALF_LIFE, NOT_LEARNED, WEIGHTS, Block, Outcome, Run, Stream, page

from benchmarks import adaptive
from tests.reference.categorizer_cases import small_texts

BLOCK, N_BLOCKS = 20, 8


def stream(name: str) -> Stream:
    case = small_texts(n=BLOCK * N_BLOCKS, n_classes=4)
    blocks = []
    for number in range(N_BLOCKS):
        part = slice(number * BLOCK, (number + 1) * BLOCK)
        labels = ["boat" if number == 0 and label == "zoo" else label for label in case.labels[part]]
        when = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=number**2)
        blocks.append(Block(case.texts[part], labels, when))
    return Stream(name, f"The stream {name}", blocks, ("3d", "30docs"), (2, 3))


def invented(name: str, classifier: str, accuracies: dict[str, float]) -> Run:
    """Return a run in which learners are right about so many documents of each block, in places drawn at random."""
    of, draw = stream(name), np.random.default_rng(1)
    rows = [NOT_LEARNED, FIXED, ALL, adaptive.MORE_TERMS, adaptive.AGAIN, adaptive.AGAIN_USUAL]
    rows += [f"{row}: {setting}" for row, settings in of.settings(classifier).items() for setting in settings]
    rows += list(adaptive.RIVER) if classifier == adaptive.RIVER_CLASSIFIER else []
    outcomes: dict[str, Outcome] = {}
    for row in rows:
        accuracy = next((value for start, value in accuracies.items() if row.startswith(start)), 0.5)
        right = [draw.permutation(BLOCK) < accuracy * BLOCK for _ in range(N_BLOCKS - 1)]
        outcomes[row] = Outcome(right, [float(len(outcomes) + 1)] * (N_BLOCKS - 1))
    selectors = dict.fromkeys(adaptive.SELECTORS, 0.5)
    return Run(of, classifier, outcomes, selectors, [5] * (N_BLOCKS - 1), None, {"commit": "0"})


def numbers_in(text: str, start: str, end: str) -> list[float]:
    """Return the signed numbers between two texts of a page."""
    joined = " ".join(text.split())
    between = joined[joined.index(start) + len(start) :]
    return [float(number) for number in re.findall(r"[+-]\d+\.\d", between[: between.index(end)])]


def cells(text: str, heading: str, row: str) -> list[float]:
    """Return the first number of each cell that has one, in a row of the first table after a heading."""
    lines = text[text.index(heading) :].splitlines()
    line = next(line for line in lines if line.startswith(f"| {row} |"))
    return [float(cell.split()[0]) for cell in line.split("|")[2:] if cell.strip()]


def test_the_sentences_name_the_differences_whichever_way_they_fall() -> None:
    accuracies = {NOT_LEARNED: 0.9, FIXED: 0.2, HALF_LIFE: 0.8, WEIGHTS: 0.1}
    runs = [
        invented(name, classifier, accuracies) for name in ("reuters", "newsgroups") for classifier in ("nb", "cnb")
    ]
    text = page(runs)
    joined = " ".join(text.split())
    assert "changes the accuracy by -40.0 points on reuters and -40.0 points on newsgroups (4 worse)" in joined
    assert "changes the accuracy by +30.0 points on reuters and +30.0 points on newsgroups (4 better)" in joined
    assert "more accurate than no updates in 0 of 4 comparisons, and than updates with fixed terms in all 4" in joined
    assert "earlier documents made it more accurate in all 4 comparisons" in joined
    assert "in the same way did in 0 of 4 comparisons" in joined
    assert "compared 28 updated models" in joined
    assert "Up to 13 days lie between two blocks of reuters" in joined
    share = np.mean([label == "zoo" for block in stream("x").blocks[3:] for label in block.labels])
    assert f"{share:.1%} on reuters and {share:.1%} on newsgroups belong to classes" in joined


def test_only_the_first_blocks_choose() -> None:
    run = invented("reuters", "nb", {})
    n_first = run.stream.first_reported - 1
    assert n_first == 2
    for setting, n_right in (("3d", [BLOCK] * n_first + [0] * 5), ("30docs", [0] * n_first + [BLOCK] * 5)):
        run.outcomes[f"{HALF_LIFE}: {setting}"] = Outcome([np.arange(BLOCK) < n for n in n_right], [1.0] * 7)
    assert run.chosen(HALF_LIFE) == "3d"
    assert run.accuracy(run.rows()[HALF_LIFE]) == 0
    assert run.early(run.rows()[HALF_LIFE]) == 1


@pytest.mark.filterwarnings("ignore:.*none of the selected terms")
def test_a_small_stream_runs_and_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adaptive, "CLASSIFIERS", ("nb",))
    monkeypatch.setattr(adaptive, "SELECTORS", ("ig", "df"))
    monkeypatch.setattr(adaptive, "SETTINGS", adaptive.SETTINGS | {"n_terms": 12})
    monkeypatch.setattr(adaptive, "MANY_TERMS", 20)
    small = stream("reuters")
    small = small._replace(blocks=small.blocks[:4], half_lives=("30docs",), windows=(2,))
    results = tmp_path / "results.jsonl"
    (run,) = adaptive.resumed_runs([small], results)
    assert len(results.read_text().splitlines()) == 1
    monkeypatch.setattr(adaptive, "run", None)
    (again,) = adaptive.resumed_runs([small], results)
    assert again.rows() == run.rows()
    assert [again.accuracy(name) for name in again.outcomes] == [run.accuracy(name) for name in run.outcomes]
    assert again.accuracy(ALL) == again.accuracy(adaptive.AGAIN) > again.accuracy(NOT_LEARNED)


@pytest.mark.parametrize(
    ("start", "end", "row", "sign"),
    [
        ("never updated changes the accuracy by", "(", NOT_LEARNED, -1),
        ("updates with fixed terms changes the accuracy by", "(", FIXED, -1),
        ('("usual lengths") changes the accuracy by', "(", adaptive.AGAIN_USUAL, 1),
        ("chosen on the first blocks change the accuracy by", "(", HALF_LIFE, 1),
        ("class weights without forgetting by", "(", WEIGHTS, 1),
    ],
)
def test_the_sentences_of_the_page_agree_with_its_tables(start: str, end: str, row: str, sign: int) -> None:
    text = adaptive.PAGE.read_text()
    named = numbers_in(text, start, end)
    differences = [100 * sign * value for value in cells(text, "## Differences", row)]
    assert [min(named), max(named)] == pytest.approx([min(differences), max(differences)], abs=0.1)
    accuracies, base = cells(text, "# What", row), cells(text, "# What", ALL)
    if len(accuracies) == len(base):
        gains = [100 * sign * (value - other) for value, other in zip(accuracies, base, strict=True)]
        assert [min(named), max(named)] == pytest.approx([min(gains), max(gains)], abs=0.2)


def test_the_page_is_short_and_has_its_charts() -> None:
    text = adaptive.PAGE.read_text()
    prose: Any = [line for line in text.splitlines() if not line.startswith("|")]
    assert len(" ".join(prose).split()) < 1500
    charts = re.findall(r"\]\((\S+\.svg)\)", text)
    assert len(charts) == 2
    assert all((adaptive.PAGE.parent / chart).read_text().startswith("<svg") for chart in charts)
