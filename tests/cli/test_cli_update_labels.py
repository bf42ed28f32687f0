"""`textsieve update`: multilabel models, empty lists of labels, and labels that are not strings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.reference.categorizer_cases import plain_categorizer
from tests.reference.cli_cases import Ask, Run, documents, lines, withdrawal
from tests.reference.updating_twin import learned_by

from textsieve import load


def test_a_multilabel_model_can_be_updated(tagged: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    path = tmp_path / "tagged.sieve"
    run("train", tagged, "-o", path, "--classifier", "nb", "--keep-stats")
    more = [{"text": "goal vote", "labels": ["sport", "politics"]}, {"text": "a proof", "labels": ["science"]}]
    expected = load(path).update(["goal vote", "a proof"], [["sport", "politics"], ["science"]])
    outcome = ask("update", path, lines(tmp_path / "f.jsonl", *more, {"text": "nothing", "labels": None}))
    assert outcome["added"] == 2
    assert outcome["left_out"]["without a label"]["places"] == [f"{tmp_path / 'f.jsonl'}: line 3"]
    assert [row["label"] for row in outcome["classes"]] == ["politics", "science", "sport"]
    assert learned_by(load(path).model_) == learned_by(expected.model_)
    again = [{"text": "goal vote", "labels": ["politics", "sport"]}]
    assert ask("update", path, lines(tmp_path / "f.jsonl", *again))["added_before"] == 1


@pytest.mark.parametrize("classifier", ["nb", "cnb", "rocchio", "tcfp"])
def test_an_empty_list_of_labels_is_learned_as_no_class(
    classifier: str, tagged: Path, tmp_path: Path, run: Run, ask: Ask
) -> None:
    """A document without a class is a negative example of every class, as in a label matrix."""
    path = tmp_path / "tagged.sieve"
    run("train", tagged, "-o", path, "--classifier", classifier, "--keep-stats")
    before = load(path)
    assert before.model_.multilabel
    assert not before.model_.has_label_matrix
    more = [{"text": "goal vote", "labels": []}, {"text": "a proof", "labels": ["science"]}]
    rows = pl.DataFrame({"politics": [0, 0], "science": [0, 1], "sport": [0, 0]})
    expected = load(path).update(["goal vote", "a proof"], rows)
    without = load(path).update(["a proof"], [["science"]])
    outcome = ask("update", path, lines(tmp_path / "f.jsonl", *more))
    assert (outcome["added"], outcome["left_out"], outcome["updated"]["documents"]) == (2, {}, 2)
    assert [row["label"] for row in outcome["classes"]] == ["science"]
    updated = load(path)
    assert learned_by(updated.model_) == learned_by(expected.model_)
    about, earlier = updated.model_.about, before.model_.about
    assert about["n_documents"] == earlier["n_documents"] + 2
    assert about["n_unlabelled"] == earlier["n_unlabelled"]
    if classifier in ("nb", "cnb"):  # the others learn a class only from its own documents
        assert learned_by(updated.model_).scorer != learned_by(without.model_).scorer
    assert ask("update", path, lines(tmp_path / "f.jsonl", *more))["added_before"] == 2


def test_a_single_label_model_skips_empty_lists(updatable_model: Path, tmp_path: Path, ask: Ask) -> None:
    outcome = ask("update", updatable_model, lines(tmp_path / "f.jsonl", {"text": "goal vote", "labels": []}))
    assert outcome["added"] == 0
    assert outcome["left_out"]["without a label"]["documents"] == 1


def test_corrections_to_none_of_the_classes_are_left_out_and_counted(
    updatable_model: Path, tmp_path: Path, run: Run
) -> None:
    feedback = lines(tmp_path / "f.jsonl", ("goal vote", None), ("a goal", "sport"))
    printed = run("update", updatable_model, feedback).stdout
    assert "2 documents read, 1 added to the model" in printed
    assert f"1 document without a label left out: {feedback}: line 1" in printed
    only = lines(tmp_path / "only.jsonl", ("goal vote", None))
    assert "There is nothing to add, so nothing was written." in run("update", updatable_model, only).stdout


def test_a_correction_to_none_of_the_classes_takes_back_an_earlier_one(
    updatable_model: Path, tmp_path: Path, ask: Ask
) -> None:
    rows = [("goal vote", "sport"), ("goal vote", None), ("an atom", None), ("an atom", "science")]
    outcome = ask("update", updatable_model, lines(tmp_path / "f.jsonl", *rows))
    assert (outcome["read"], outcome["repeated"], outcome["added"]) == (4, 1, 1)
    assert [row["label"] for row in outcome["classes"]] == ["science"], "the last one counts"


def test_a_withdrawal_takes_back_earlier_corrections(updatable_model: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    rows = [
        *(("goal vote", "sport"), withdrawal("goal vote")),
        *(("an atom", "sport"), withdrawal("an atom"), ("an atom", "science")),
        withdrawal("never corrected"),
    ]
    feedback = lines(tmp_path / "f.jsonl", *rows)
    outcome = ask("update", updatable_model, feedback, "--dry-run")
    assert (outcome["read"], outcome["repeated"], outcome["added"]) == (6, 0, 1)
    assert [row["label"] for row in outcome["classes"]] == ["science"], "a text can be corrected again"
    printed = run("update", updatable_model, feedback).stdout
    assert f"3 documents with a withdrawn correction left out: {feedback}: line 2" in printed


def test_a_withdrawal_of_several_labels_is_no_document_of_no_class(
    tagged: Path, tmp_path: Path, run: Run, ask: Ask
) -> None:
    path = tmp_path / "tagged.sieve"
    run("train", tagged, "-o", path, "--classifier", "nb", "--keep-stats")
    of_service = {"predicted": [], "model": "x", "time": "2026-11-16T15:00:00+00:00"}
    rows = [
        {"text": "goal vote", "labels": ["sport", "politics"], **of_service},
        {"text": "a proof", "labels": [], **of_service},
        *(withdrawal(text, multilabel=True) for text in ("goal vote", "a proof")),
    ]
    outcome = ask("update", path, lines(tmp_path / "f.jsonl", *rows))
    assert (outcome["read"], outcome["added"]) == (4, 0)


def test_only_lines_of_the_service_are_withdrawals(updatable_model: Path, tmp_path: Path, ask: Ask) -> None:
    """Somebody else's key "withdrawn" may mean anything, for example that a paper was withdrawn."""
    rows = [{"text": "goal vote", "label": "sport", "withdrawn": True}, {"text": "an atom", "label": None}]
    assert ask("update", updatable_model, lines(tmp_path / "f.jsonl", *rows))["added"] == 1


@pytest.mark.parametrize(("missing", "added"), [({"time"}, {}), ({"time", "model"}, {}), (set(), {"user": "Anna"})])
def test_withdrawals_may_have_other_keys(
    missing: set[str], added: dict[str, str], updatable_model: Path, tmp_path: Path, ask: Ask
) -> None:
    changed = {key: value for key, value in (withdrawal("goal vote") | added).items() if key not in missing}
    outcome = ask("update", updatable_model, lines(tmp_path / "f.jsonl", ("goal vote", "sport"), changed))
    assert outcome["added"] == 0
    assert list(outcome["left_out"]) == ["with a withdrawn correction"]


def test_corrections_that_were_added_before_they_were_withdrawn_are_counted(
    updatable_model: Path, tmp_path: Path, run: Run, ask: Ask
) -> None:
    rows = [("goal vote", "sport"), ("an atom", "science")]
    run("update", updatable_model, lines(tmp_path / "f.jsonl", *rows))
    feedback = lines(tmp_path / "f.jsonl", *rows, withdrawal("goal vote"), withdrawal("never corrected"))
    outcome = ask("update", updatable_model, feedback)
    assert (outcome["added_before_and_withdrawn"], outcome["added_before"], outcome["repeated"]) == (1, 1, 0)
    printed = run("update", updatable_model, feedback).stdout
    assert "1 withdrawn correction was added by an earlier update, and the model keeps what it has learned" in printed
    assert "train again with --retrain" in printed


def test_a_withdrawn_correction_to_an_unknown_class_is_no_error(
    updatable_model: Path, tmp_path: Path, run: Run, ask: Ask
) -> None:
    wrong = ("goal vote", "cooking")
    first, second = lines(tmp_path / "c1.jsonl", wrong), lines(tmp_path / "c2.jsonl", withdrawal("goal vote"))
    assert ask("update", updatable_model, first, second, "--dry-run")["added"] == 0
    both = lines(tmp_path / "both.jsonl", wrong, withdrawal("goal vote"), ("an atom", "science"))
    assert ask("update", updatable_model, both, "--dry-run")["added"] == 1
    later = lines(tmp_path / "later.jsonl", wrong, withdrawal("goal vote"), ("a proof", "music"), wrong)
    failed = run("update", updatable_model, later, exit_code=1).stderr
    assert "later.jsonl: line 3" in failed
    assert "'music'" in failed


def test_stale_thresholds_have_a_note_and_can_be_refitted(tagged: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    path = tmp_path / "tagged.sieve"
    run("train", tagged, "-o", path, "--classifier", "nb", "--keep-stats")
    rows = [{"text": f"{text} again", "labels": [label]} for text, label in documents(5)]
    printed = run("update", path, lines(tmp_path / "f.jsonl", *rows), "--dry-run").stdout
    assert "15 documents were added since the thresholds for multiple labels were fitted" in printed
    outcome = ask("update", path, lines(tmp_path / "f.jsonl", *rows), "--fit-thresholds")
    assert outcome["thresholds_are_stale"] is False
    assert outcome["updated"]["since_thresholds"] == 0
    feedback = lines(tmp_path / "f.jsonl", {"text": "a", "labels": ["sport"]})
    printed = run("update", path, feedback, "--fit-thresholds", exit_code=1).stderr
    assert "--fit-thresholds: fitting thresholds needs at least 10 labelled documents, not 1" in printed


def test_no_label_is_learned_as_no_class_by_a_model_of_a_label_matrix(tmp_path: Path, ask: Ask) -> None:
    texts = ["red sun", "blue sea", "red sea", "green tree"] * 5
    rows = [[1, 0], [0, 1], [1, 1], [0, 0]] * 5
    model = plain_categorizer(classifier="nb", keep_stats=True, cut="zero", n_jobs=1).fit(texts, rows)
    model.save(tmp_path / "m.sieve")
    more = [{"text": "blue tree", "labels": []}, {"text": "red tree", "labels": [0]}]
    outcome = ask("update", tmp_path / "m.sieve", lines(tmp_path / "f.jsonl", *more))
    assert outcome["added"] == 2
    assert learned_by(load(tmp_path / "m.sieve").model_) == learned_by(
        model.update(["blue tree", "red tree"], [[0, 0], [1, 0]]).model_
    )


@pytest.mark.parametrize(
    ("classes", "written"),
    [([1, 2], [1, 2.0]), ([1, 2], ["1", "2"]), ([True, False], [True, False]), ([0.5, 2.0], [0.5, 2])],
    ids=str,
)
def test_labels_that_are_no_text_are_compared_as_text(
    classes: list[Any], written: list[Any], tmp_path: Path, ask: Ask
) -> None:
    model = plain_categorizer(classifier="nb", keep_stats=True, n_jobs=1).fit(["red sun", "blue sea"] * 5, classes * 5)
    model.save(tmp_path / "m.sieve")
    rows = [{"text": f"sun {at}", "label": label} for at, label in enumerate(written)]
    outcome = ask("update", tmp_path / "m.sieve", lines(tmp_path / "f.jsonl", *rows))
    assert [row["label"] for row in outcome["classes"]] == sorted(classes)
