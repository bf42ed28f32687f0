"""Threshold rules and probabilities at the command line."""

import json
from pathlib import Path

import pytest
from tests.reference.cli_cases import Run, documents, write_csv


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "news.csv", documents())


def test_probabilities_are_written_beside_scores(labelled: Path, tmp_path: Path, run: Run) -> None:
    printed = run("train", labelled, "-o", tmp_path / "m").stdout
    assert "seconds of repeated training; --probabilities none leaves them out" in printed
    assert "held-out documents by their probability (from cross-validation, by models trained without them)" in printed
    assert "held-out documents by their probability" in run("info", tmp_path / "m").stdout
    assert "documents by their probability" in run("evaluate", tmp_path / "m", labelled).stdout
    lines = [json.loads(line) for line in run("predict", tmp_path / "m", labelled).stdout.splitlines()]
    assert {tuple(line) for line in lines} == {("label", "score", "probability")}
    assert all(0 <= line["probability"] <= 1 for line in lines)
    assert [line["label"] for line in lines] == [
        max(json.loads(line)["probabilities"].items(), key=lambda pair: pair[1])[0]
        for line in run("predict", tmp_path / "m", labelled, "--scores", "--json").stdout.splitlines()
    ]
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


def test_probabilities_can_be_left_out(labelled: Path, tmp_path: Path, run: Run) -> None:
    printed = run("train", labelled, "-o", tmp_path / "m", "--probabilities", "none").stdout
    assert "seconds of repeated training" not in printed
    assert "by their probability" not in printed
    lines = [json.loads(line) for line in run("predict", tmp_path / "m", labelled).stdout.splitlines()]
    assert {tuple(line) for line in lines} == {("label", "score")}
    problem = run("predict", tmp_path / "m", labelled, "--min-probability", "0.5", exit_code=2).stderr
    assert "--min-probability 0.5" in problem
    assert "no probabilities" in problem


def test_too_few_documents_train_without_probabilities(tmp_path: Path, run: Run) -> None:
    few = write_csv(tmp_path / "few.csv", documents()[:6])
    printed = run("train", few, "-o", tmp_path / "m", "--held-out", "0").stdout
    assert "The model has no probabilities: there are too few documents to hold some out." in printed


def test_documents_of_which_the_model_is_not_sure_have_no_label(labelled: Path, tmp_path: Path, run: Run) -> None:
    run("train", labelled, "-o", tmp_path / "m")
    (tmp_path / "new.txt").write_text("xyzzy\n" + documents()[0][0] + "\n")
    result = run("predict", tmp_path / "m", tmp_path / "new.txt", "--min-probability", "0.01")
    unknown, known = map(json.loads, result.stdout.splitlines())
    assert unknown["label"] is None
    assert unknown["best_guess"]
    assert unknown["unknown"]
    assert known["label"]
    assert "best_guess" not in known
    assert "1 of 2 documents get no label; 1 have none of the selected terms" in result.stderr
    result = run("predict", tmp_path / "m", tmp_path / "new.txt", "--min-probability", "1", "--abstain-label", "none")
    assert [json.loads(line)["label"] for line in result.stdout.splitlines()] == ["none", "none"]
    assert run("predict", tmp_path / "m", tmp_path / "new.txt", "--min-probability", "2", exit_code=2).stderr
