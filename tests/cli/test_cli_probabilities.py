"""Threshold rules and probabilities at the command line."""

import json
from pathlib import Path

import pytest
from tests.reference.cli_cases import Run, documents, write_csv


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "news.csv", documents())


def test_probabilities_are_written_beside_scores(labelled: Path, tmp_path: Path, run: Run) -> None:
    run("train", labelled, "-o", tmp_path / "m", "--probabilities", "sigmoid")
    lines = [json.loads(line) for line in run("predict", tmp_path / "m", labelled).stdout.splitlines()]
    assert {tuple(line) for line in lines} == {("label", "score", "probability")}
    assert all(0 <= line["probability"] <= 1 for line in lines)
    full = json.loads(run("predict", tmp_path / "m", labelled, "--scores").stdout.splitlines()[0])
    assert sum(full["probabilities"].values()) == pytest.approx(1)
    assert full["probabilities"].keys() == full["scores"].keys()


def test_labels_can_be_assigned_by_rank(labelled: Path, tmp_path: Path, run: Run) -> None:
    run("train", labelled, "-o", tmp_path / "m", "--multilabel", "--cut", "rcut", "--cut-option", "ranks=2")
    lines = [json.loads(line) for line in run("predict", tmp_path / "m", labelled).stdout.splitlines()]
    assert {len(line["labels"]) for line in lines} == {2}
    assert "cut='rcut'" in run("info", tmp_path / "m").stdout


def test_an_unknown_threshold_rule_exits_with_2(labelled: Path, tmp_path: Path, run: Run) -> None:
    assert "scutfbr" in run("train", labelled, "-o", tmp_path / "m", "--cut", "best", exit_code=2).stderr
    printed = run("train", labelled, "-o", tmp_path / "m", "--cut-option", "floor=1", exit_code=2).stderr
    assert "floor" in printed


def test_predictions_are_json_with_and_without_the_option(labelled: Path, tmp_path: Path, run: Run) -> None:
    run("train", labelled, "-o", tmp_path / "m")
    plain = run("predict", tmp_path / "m", labelled).stdout
    assert run("predict", tmp_path / "m", labelled, "--json").stdout == plain
