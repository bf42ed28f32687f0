"""`textsieve update`: documents are added once, and the output describes them."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tests.reference.cli_cases import CORRECTIONS, Ask, Run, lines, write_csv
from tests.reference.updating_twin import learned_by

from textsieve import load
from textsieve.archive import archive_in
from textsieve.modelfile.header import KIND


def test_train_and_info_show_whether_a_model_can_be_updated(news: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    printed = run("train", news, "-o", tmp_path / "a.sieve", "--classifier", "nb", "--keep-stats").stdout
    assert "It can be updated: the file has the statistics that textsieve update needs." in printed
    assert "textsieve update can add documents to it" in run("info", tmp_path / "a.sieve").stdout
    assert ask("info", tmp_path / "a.sieve")["can_be_updated"] is True
    outcome = ask("train", news, "-o", tmp_path / "b.sieve", "--classifier", "nb")
    assert outcome["can_be_updated"] is True
    assert outcome["update"] == {"method": "retrain", "problem": None}
    assert "textsieve update can train it again from its sources" in run("info", tmp_path / "b.sieve").stdout
    outcome = ask("train", news, "-o", tmp_path / "c.sieve", "--classifier", "nb", "--no-sources")
    assert outcome["can_be_updated"] is False
    assert "textsieve update can't add documents to it: it does not know" in run("info", tmp_path / "c.sieve").stdout
    described = ask("info", tmp_path / "c.sieve")
    assert described["can_be_updated"] is False
    assert described["sources"] is None
    assert described["update"]["method"] is None
    assert "--no-sources" in described["update"]["problem"]
    assert sorted(os.listdir(tmp_path)) == ["a.sieve", "b.sieve", "c.sieve"]


def test_corrections_are_learned(updatable_model: Path, feedback: Path, run: Run) -> None:
    expected = load(updatable_model).update(*map(list, zip(*CORRECTIONS, strict=True)))
    printed = run("update", updatable_model, feedback).stdout
    assert "3 documents read, 3 added to the model" in printed
    assert "added  right before  right after" in printed
    assert re.search(r"^Of 3 added documents, the model got \d right before, and gets 3 right now\.$", printed, re.M)
    assert "The measures on held-out documents are from before the update." in printed
    assert f"Written to {updatable_model}: " in printed
    updated = load(updatable_model)
    assert learned_by(updated.model_) == learned_by(expected.model_)
    assert updated.predict([text for text, _ in CORRECTIONS]).tolist() == [label for _, label in CORRECTIONS]
    assert sorted(os.listdir(updatable_model.parent)) == ["feedback.jsonl", "news.sieve"]


def test_right_predictions_before_and_after_are_counted(updatable_model: Path, feedback: Path, ask: Ask) -> None:
    before = load(updatable_model).predict([text for text, _ in CORRECTIONS]).tolist()
    outcome = ask("update", updatable_model, feedback)
    right = [prediction == label for prediction, (_, label) in zip(before, CORRECTIONS, strict=True)]
    assert outcome["right_before"] == sum(right)
    assert outcome["right_after"] == 3
    assert outcome["classes"] == [
        {"label": label, "added": 1, "right_before": int(was), "right_after": 1}
        for label, was in sorted((label, was) for (_, label), was in zip(CORRECTIONS, right, strict=True))
    ]
    assert outcome["updated"]["documents"] == 3
    assert outcome["written"] is True


def test_a_growing_file_is_added_once(updatable_model: Path, feedback: Path, ask: Ask, run: Run) -> None:
    ask("update", updatable_model, feedback)
    before = updatable_model.read_bytes()
    printed = run("update", updatable_model, feedback).stdout
    assert "3 documents were added by an earlier update, and skipped." in printed
    assert "There is nothing to add, so nothing was written." in printed
    assert updatable_model.read_bytes() == before
    lines(feedback, *CORRECTIONS, ("an atom in the budget", "science"))
    outcome = ask("update", updatable_model, feedback)
    assert (outcome["read"], outcome["added"], outcome["added_before"]) == (4, 1, 3)
    assert outcome["updated"] | {"last": ""} == {"documents": 4, "times": 2, "last": ""}


def statistics_bytes(path: Path) -> bytes:
    """Return the statistics in a model file."""
    archive = archive_in(KIND, path.read_bytes(), str(path))
    names = sorted(name for name in archive.specs if name.startswith("statistics."))
    arrays = archive.read_additional(names, archive.header["statistics"]["checksum"])
    return repr(archive.header["statistics"]).encode() + b"".join(arrays[name].tobytes() for name in names)


def test_many_updates_equal_one(news: Path, tmp_path: Path, run: Run) -> None:
    models = [tmp_path / f"{name}.sieve" for name in ("daily", "once")]
    for path in models:
        run("train", news, "-o", path, "--classifier", "tcfp", "--keep-stats")
    for n in (1, 2, 3):
        run("update", models[0], lines(tmp_path / "feedback.jsonl", *CORRECTIONS[:n]))
    run("update", models[1], lines(tmp_path / "feedback.jsonl", *reversed(CORRECTIONS)))
    assert learned_by(load(models[0]).model_) == learned_by(load(models[1]).model_)
    assert statistics_bytes(models[0]) == statistics_bytes(models[1])


def test_the_last_correction_of_a_text_counts(updatable_model: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    text = "the striker went to parliament"
    expected = load(updatable_model).update([text], ["science"])
    feedback = lines(tmp_path / "f.jsonl", (text, "sport"), (text, "politics"), (text, "science"))
    outcome = ask("update", updatable_model, feedback)
    assert (outcome["read"], outcome["repeated"], outcome["added"]) == (3, 2, 1)
    assert learned_by(load(updatable_model).model_) == learned_by(expected.model_)
    feedback = lines(tmp_path / "f.jsonl", (text, "science"), (text, "sport"))
    printed = run("update", updatable_model, feedback).stdout
    assert "1 document is skipped, because the same text occurs again later: the last one counts." in printed
    assert "1 text was added by an earlier update with other labels, which the model has learned, too" in printed


def test_documents_are_read_from_every_format(updatable_model: Path, tmp_path: Path, ask: Ask) -> None:
    table = write_csv(tmp_path / "more.csv", [("the atom of proof", "science"), ("a league debate", "sport")])
    for label, text in (("politics", "a minister scored"), ("sport", "penalty theory")):
        (tmp_path / "more" / label).mkdir(parents=True)
        (tmp_path / "more" / label / "1.txt").write_text(text, encoding="utf-8")
    expected = load(updatable_model).update(
        ["the atom of proof", "a league debate", "a minister scored", "penalty theory"],
        ["science", "sport", "politics", "sport"],
    )
    outcome = ask("update", updatable_model, table, tmp_path / "more")
    assert outcome["added"] == 4
    assert learned_by(load(updatable_model).model_) == learned_by(expected.model_)


def test_documents_are_read_from_standard_input(updatable_model: Path, run: Run) -> None:
    printed = run("update", updatable_model, "-", input='{"text": "a goal", "label": "sport"}\n').stdout
    assert "1 document read, 1 added to the model" in printed


def test_a_dry_run_writes_nothing(updatable_model: Path, feedback: Path, run: Run) -> None:
    before = updatable_model.read_bytes()
    printed = run("update", updatable_model, feedback, "--dry-run").stdout
    assert "3 added to the model" in printed
    assert "Nothing was written: --dry-run." in printed
    assert updatable_model.read_bytes() == before


def test_info_shows_the_updates(updatable_model: Path, feedback: Path, run: Run, ask: Ask) -> None:
    assert "Updated" not in run("info", updatable_model).stdout
    run("update", updatable_model, feedback)
    printed = run("info", updatable_model).stdout
    assert ": 3 documents added in 1 update since it was trained" in printed
    assert "held-out documents (20%) before it was updated, by a model trained on the others: micro-F1" in printed
    assert ask("info", updatable_model)["updated"]["documents"] == 3
