"""`textsieve update` trains a model again from its sources, with corrections."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.reference.cli_cases import (
    CORRECTIONS,
    PLAIN_OPTIONS,
    Ask,
    Run,
    command_in,
    documents,
    lines,
    withdrawal,
    write_csv,
)

from textsieve import Categorizer, InputError, load
from textsieve.modelfile import encode, write
from textsieve.modelfile.sources import PATH, TrainingSource, sources_of, with_sources
from textsieve.modelfile.writing import locked

NAMES = ("--text", "body", "--label", "topic")


@pytest.fixture
def svm(news: Path, tmp_path: Path, run: Run) -> Path:
    """An SVM in a folder with its documents, `news.csv`."""
    shutil.copy(news, tmp_path / "news.csv")
    path = tmp_path / "news.sieve"
    run("train", tmp_path / "news.csv", "-o", path, *PLAIN_OPTIONS)
    return path


def learned(path: Path) -> bytes:
    """Return the bytes of a model, without its time and its sources."""
    model = load(path).model_
    return encode(replace(model, about={**model.about, "trained": "", "sources": []}))


# -- laws --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        PLAIN_OPTIONS,
        ["--classifier", "knn", "--held-out", "0"],
        ["--classifier", "nb"],
        ["--max-size", "4kB", "--class-weight", "sport=2", *NAMES],
        ["--ngrams", "1-2", "--stop-words", "english", "-k", "auto", "--folds", "2"],
        ["--projection", "centroid"],
    ],
    ids=" ".join,
)
def test_an_update_equals_training_by_hand(
    options: list[str], news: Path, feedback: Path, tmp_path: Path, run: Run
) -> None:
    updated, by_hand = tmp_path / "updated.sieve", tmp_path / "by-hand.sieve"
    run("train", news, "-o", updated, *options)
    run("update", updated, feedback)
    run("train", news, feedback, "-o", by_hand, *options)
    assert learned(updated) == learned(by_hand)


def test_the_same_corrections_change_nothing(svm: Path, feedback: Path, run: Run, ask: Ask) -> None:
    run("update", svm, feedback)
    before = svm.read_bytes()
    printed = run("update", svm, feedback).stdout
    assert "The model has learned all of this already, so nothing was written." in printed
    outcome = ask("update", svm, feedback)
    assert (outcome["retrained"], outcome["written"]) == (False, False)
    assert [source["changed"] for source in outcome["sources"]] == [False, False]
    assert svm.read_bytes() == before


def test_a_file_of_corrections_may_grow(svm: Path, feedback: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    more = ("an atom in the budget", "science")
    run("update", svm, feedback)
    outcome = ask("update", svm, lines(feedback, *CORRECTIONS, more))
    assert (outcome["read"], outcome["added"], outcome["documents"]) == (4, 4, 64)
    assert [(source["documents"], source["changed"]) for source in outcome["sources"]] == [(60, False), (4, True)]
    run("train", tmp_path / "news.csv", feedback, "-o", tmp_path / "by-hand.sieve", *PLAIN_OPTIONS)
    assert learned(svm) == learned(tmp_path / "by-hand.sieve")


def test_earlier_corrections_are_read_again(svm: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    files = [lines(tmp_path / f"{n}.jsonl", correction) for n, correction in enumerate(CORRECTIONS)]
    for file in files:
        outcome = ask("update", svm, file)
    assert [Path(source["name"]).name for source in outcome["sources"]] == ["news.csv", *(f.name for f in files)]
    assert outcome["corrections"] == 1, "only the new file is counted"
    run("train", tmp_path / "news.csv", *files, "-o", tmp_path / "by-hand.sieve", *PLAIN_OPTIONS)
    assert learned(svm) == learned(tmp_path / "by-hand.sieve")
    before = svm.read_bytes()
    assert "learned all of this already" in run("update", svm, files[0]).stdout
    assert svm.read_bytes() == before


# -- corrections and documents with the same text ----------------------------------------------------------------


def test_a_correction_replaces_the_label_of_the_same_text(svm: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    rows = documents()
    text, other = rows[0][0], ("a new text of the league", "sport")
    n_same = sum(row[0] == text for row in rows)
    feedback = lines(tmp_path / "f.jsonl", (text, "politics"), (text, "science"), other, rows[1])
    outcome = ask("update", svm, feedback)
    assert (outcome["relabelled"], outcome["added"], outcome["repeated"]) == (n_same, 1, 1)
    assert outcome["confirmed"] == sum(row == rows[1] for row in rows)
    assert (outcome["read"], outcome["corrections"], outcome["documents"]) == (4, 3, 61)
    right = [(row[0], "science" if row[0] == text else row[1]) for row in rows]
    corrected = write_csv(tmp_path / "corrected.csv", [*right, other])
    run("train", corrected, "-o", tmp_path / "by-hand.sieve", *PLAIN_OPTIONS)
    assert learned(svm) == learned(tmp_path / "by-hand.sieve")


def test_the_file_that_is_given_last_counts(svm: Path, tmp_path: Path, ask: Ask) -> None:
    text = "a vote for the keeper"
    first, second = (lines(tmp_path / f"{label}.jsonl", (text, label)) for label in ("sport", "politics"))
    ask("update", svm, first)
    assert ask("update", svm, second)["added"] == 1
    assert load(svm).model_.class_docs == (21, 20, 20)
    lines(first, (text, "sport"), ("the atom", "science"))
    ask("update", svm, first)
    assert load(svm).model_.class_docs == (20, 21, 21), "the first file has changed, and is given last"


def test_new_classes_are_learned_and_named(svm: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    feedback = lines(tmp_path / "f.jsonl", *((f"rain and snow {n}", "weather") for n in range(5)))
    assert ask("update", svm, feedback, "--dry-run", "--skip-unknown-labels")["left_out"] == {
        "of no class of the model": {"documents": 5, "places": [f"{feedback}: line {n}" for n in range(1, 6)]}
    }
    assert "New classes, with their documents: weather (5)" in run("update", svm, feedback).stdout
    assert load(svm).predict(["snow"]).tolist() == ["weather"]
    lines(tmp_path / "g.jsonl", CORRECTIONS[0])
    run("update", svm, tmp_path / "g.jsonl")
    assert "weather" in load(svm).classes_


def test_corrections_of_a_multilabel_model(tagged: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    path, text = tmp_path / "tags.sieve", json.loads(tagged.read_text(encoding="utf-8").splitlines()[0])["text"]
    run("train", tagged, "-o", path, *PLAIN_OPTIONS)
    rows = [{"text": text, "labels": ["sport", "science"]}, {"text": "goal vote", "labels": []}]
    outcome = ask("update", path, lines(tmp_path / "f.jsonl", *rows))
    assert outcome["added"] == 1
    assert outcome["relabelled"] >= 1
    model = load(path).model_
    assert model.multilabel
    assert model.about["n_unlabelled"] == 1
    wrong = lines(tmp_path / "g.jsonl", {"text": "a", "label": "sport|science"})
    assert "Are these several labels in one?" in run("update", path, wrong, exit_code=1).stderr


def test_two_labels_for_a_single_label_model_raise_an_error(svm: Path, tmp_path: Path, run: Run) -> None:
    before = svm.read_bytes()
    feedback = lines(tmp_path / "f.jsonl", {"text": "goal", "labels": ["sport", "politics"]})
    printed = run("update", svm, feedback, exit_code=1).stderr
    assert f"{feedback}: line 1: ['sport', 'politics'] are 2 labels, and the model gives one" in printed
    run("update", svm, lines(feedback, {"text": "goal", "labels": ["sport"]}), "--dry-run")
    assert svm.read_bytes() == before


def test_incomplete_lines_are_left_out(svm: Path, feedback: Path, run: Run, ask: Ask) -> None:
    with feedback.open("a", encoding="utf-8") as file:
        file.write('{"text": " ", "label": "sport"}\n{"text": "a secr')
    outcome = ask("update", svm, feedback)
    assert (outcome["read"], outcome["added"]) == (4, 3)
    assert set(outcome["left_out"]) == {"without a text", "that can't be read"}
    assert "learned all of this already" in run("update", svm, feedback).stdout


# -- what is printed ---------------------------------------------------------------------------------------------


def test_the_outcome_is_printed(svm: Path, feedback: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    before = load(svm).predict([text for text, _ in CORRECTIONS]).tolist()
    n_right = sum(label == right for label, (_, right) in zip(before, CORRECTIONS, strict=True))
    planned = ask("update", svm, feedback, "--dry-run")
    printed = run("update", svm, feedback).stdout
    assert "Trained again on 63 documents, with the settings of the model" in printed
    assert f"Source {tmp_path / 'news.csv'}: 60 documents, unchanged" in printed
    assert f"Corrections {feedback}: 3 documents, new" in printed
    assert "Columns" not in printed, "corrections of the service are read by their keys"
    assert "By corrections: 3 documents added\n" in printed
    assert f"Of 3 corrections, the model got {n_right} right before, and gets " in printed
    assert "On different held-out documents, so not comparable: before micro-F1 " in printed
    assert "Written to " in printed
    assert planned["right_before"] == n_right
    assert (planned["method"], planned["retrained"], planned["written"]) == ("retrain", True, False)
    measured = load(svm).held_out_ or {}
    names = ("documents", "accuracy", "micro_f1", "macro_f1")
    assert planned["held_out"]["after"] == {name: measured[name] for name in names}
    assert sorted(os.listdir(tmp_path)) == ["feedback.jsonl", "news.csv", "news.sieve"]


def test_the_columns_of_a_table_of_corrections_are_printed(svm: Path, tmp_path: Path, run: Run) -> None:
    path = tmp_path / "checked.csv"
    path.write_text("text,topic,label,probability\nthe parcel is late,politics,sport,0.4\n", encoding="utf-8")
    printed = run("update", svm, path, "--text", "text", "--label", "label", "--dry-run").stdout
    line = f"Columns of {path}: text from 'text', label from 'label'; not used: 'topic', 'probability'\n"
    assert line in printed


def test_what_the_owner_has_stored_in_the_model_stays(svm: Path, feedback: Path, run: Run) -> None:
    stored = load(svm).model_
    stale = {"testors": {"epsilon": 1.0, "delta": 1.0}}
    write(replace(stored, about=stored.about | {"title": "News"} | stale), svm)
    run("update", svm, feedback)
    about = load(svm).model_.about
    assert about["title"] == "News"
    assert "testors" not in about
    assert about["n_documents"] == 63


def test_a_dry_run_writes_nothing(svm: Path, feedback: Path, run: Run) -> None:
    before = svm.read_bytes()
    printed = run("update", svm, feedback, "--dry-run").stdout
    assert "Trained again (not written) on 63 documents" in printed
    assert "Nothing was written: --dry-run." in printed
    assert svm.read_bytes() == before


def test_a_changed_source_is_a_note(svm: Path, feedback: Path, tmp_path: Path, run: Run) -> None:
    write_csv(tmp_path / "news.csv", documents(21))
    printed = run("update", svm, feedback).stdout
    assert (
        f"Source {tmp_path / 'news.csv'}: 63 documents, changed since training, when it had 60 documents\n" in printed
    )
    write_csv(tmp_path / "news.csv", documents(22))
    assert "Trained again on 69 documents" in run("update", svm, feedback).stdout, "the corrections are old"


def test_info_shows_the_sources(svm: Path, feedback: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    run("update", svm, feedback)
    printed = run("info", svm).stdout
    assert f"Source {tmp_path / 'news.csv'}: 60 documents\n" in printed
    assert f"Corrections {feedback}: 3 documents\n" in printed
    first, second = ask("info", svm)["sources"]
    assert (first["kind"], first["name"], first["documents"]) == ("path", str(tmp_path / "news.csv"), 60)
    assert (second["name"], second["corrections"]) == (str(feedback), True)


# -- places of sources -------------------------------------------------------------------------------------------


def project(folder: Path, news: Path) -> None:
    """Create a folder of documents, a folder for models, and corrections."""
    (folder / "data").mkdir(parents=True)
    (folder / "models").mkdir()
    shutil.copy(news, folder / "data" / "news.csv")
    lines(folder / "feedback.jsonl", *CORRECTIONS)


def test_relative_paths_are_found_from_anywhere(
    news: Path, tmp_path: Path, run: Run, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    project(tmp_path / "old", news)
    monkeypatch.chdir(tmp_path / "old")
    run("train", "data/news.csv", "-o", "models/news.sieve", *PLAIN_OPTIONS)
    assert str(tmp_path).encode() not in Path("models/news.sieve").read_bytes()
    assert ask("info", "models/news.sieve")["sources"][0]["name"] == os.path.join("data", "news.csv")
    run("update", "models/news.sieve", "feedback.jsonl")
    monkeypatch.chdir(tmp_path)
    os.rename("old", "new")
    Path("more.jsonl").write_text(json.dumps({"text": "a late goal", "label": "sport"}), encoding="utf-8")
    outcome = ask("update", "new/models/news.sieve", "more.jsonl")
    assert [source["name"] for source in outcome["sources"]] == [
        os.path.join("new", "data", "news.csv"),
        os.path.join("new", "feedback.jsonl"),
        "more.jsonl",
    ]
    assert outcome["documents"] == 64


def test_a_model_that_is_saved_elsewhere_finds_its_sources(
    news: Path, tmp_path: Path, run: Run, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    project(tmp_path, news)
    monkeypatch.chdir(tmp_path)
    run("train", "data/news.csv", "-o", "models/news.sieve", *PLAIN_OPTIONS)
    load("models/news.sieve").save("copy.sieve")
    assert ask("update", "copy.sieve", "feedback.jsonl")["documents"] == 63


def test_folders_and_named_corpora_are_sources(tmp_path: Path, run: Run, ask: Ask) -> None:
    for number, (text, label) in enumerate(documents(5)):
        (tmp_path / "folder" / label).mkdir(parents=True, exist_ok=True)
        (tmp_path / "folder" / label / f"{number}.txt").write_text(text, encoding="utf-8")
    path = tmp_path / "a.sieve"
    settings = ["--classifier", "nb", "-k", "100", "--held-out", "0", "--probabilities", "none"]
    run("train", "docstrings", tmp_path / "folder", "-o", path, *settings)
    corpus, folder = ask("info", path)["sources"]
    assert (corpus["kind"], corpus["name"], folder["kind"], folder["documents"]) == ("corpus", "docstrings", "path", 15)
    outcome = ask("update", path, lines(tmp_path / "f.jsonl", ("the goal", "sport")), "--max-document", "5MB")
    assert [source["changed"] for source in outcome["sources"]] == [False, False, None]
    (tmp_path / "folder" / "sport" / "new.txt").write_text("keeper", encoding="utf-8")
    outcome = ask("update", path, tmp_path / "f.jsonl")
    assert [source["changed"] for source in outcome["sources"]] == [False, True, False]


def test_sources_are_read_with_their_options(tmp_path: Path, run: Run, ask: Ask) -> None:
    table, path = tmp_path / "table.tsv", tmp_path / "a.sieve"
    rows = "".join(f"{label}|all\t{text}\n" for text, label in documents(6)).replace("keeper", "keepér")
    table.write_text(rows, encoding="latin-1")
    options = ["--text", "1", "--label", "0", "--format", "tsv", "--encoding", "latin-1", "--label-separator", "|"]
    run("train", table, "-o", path, *PLAIN_OPTIONS, *options)
    outcome = ask("update", path, lines(tmp_path / "f.jsonl", {"text": "a goal", "labels": ["all"]}))
    assert [source["changed"] for source in outcome["sources"]] == [False, None]
    assert "keepér" in load(path).terms_
    assert load(path).model_.about["reading"]["encoding"] == "latin-1"
    assert load(path).model_.class_docs[0] == 19


@pytest.mark.parametrize("label", ["model", "predicted"])
def test_keys_of_the_service_are_not_taken_for_the_label_column(
    label: str, feedback: Path, tmp_path: Path, run: Run, ask: Ask
) -> None:
    table, path = write_csv(tmp_path / "table.csv", documents()), tmp_path / "a.sieve"
    table.write_text(table.read_text().replace("topic", label, 1))
    run("train", table, "-o", path, *PLAIN_OPTIONS, "--label", label)
    classes = list(load(path).classes_)
    from_input = ask("update", path, "-", "--dry-run", input=feedback.read_text())
    for outcome in (from_input, ask("update", path, feedback)):
        assert {row["label"] for row in outcome["classes"]} == {label for _, label in CORRECTIONS}
    own = lines(tmp_path / "own.jsonl", {"text": "a goal", label: "sport", "label": "x"})
    outcome = ask("update", path, own)  # reads the feedback again
    assert [row["label"] for row in outcome["classes"]] == ["sport"], "the column of the model in other files"
    assert list(load(path).classes_) == classes


@pytest.mark.parametrize("label", ["model", "predicted"])
def test_a_given_label_is_read_outside_update_even_from_corrections(
    label: str, feedback: Path, tmp_path: Path, run: Run, ask: Ask
) -> None:
    table, path, both = write_csv(tmp_path / "table.csv", documents()), tmp_path / "a.sieve", tmp_path / "both.sieve"
    table.write_text(table.read_text().replace("topic", label, 1))
    warning = f"this file has corrections of the service, whose right labels are under 'label', not '{label}'"
    training = run("train", table, feedback, "-o", both, *PLAIN_OPTIONS, "--label", label)
    assert f"Columns of {feedback}: text from 'text', label from '{label}'" in training.stdout
    assert training.stderr.count(warning) == 1
    own = lines(tmp_path / "own.jsonl", {"text": "a goal", "labels": ["sport"]})
    outcome = ask("update", both, own)
    assert [source["changed"] for source in outcome["sources"]] == [False, False, None], "read as in training"

    run("train", table, "-o", path, *PLAIN_OPTIONS, "--label", label)
    by_key = run("evaluate", path, feedback, "--json")
    assert {row["label"] for row in json.loads(by_key.stdout)["classes"] if row["documents"]} == {
        label for _, label in CORRECTIONS
    }
    assert warning not in by_key.stderr
    for given in ([feedback], ["-"]):
        as_given = run("evaluate", path, *given, "--json", "--label", "predicted", input=feedback.read_text())
        assert [row["label"] for row in json.loads(as_given.stdout)["classes"] if row["documents"]] == ["sport"]
        assert "whose right labels are under 'label', not 'predicted'. Leave out --label" in as_given.stderr


def test_given_columns_are_not_for_corrections_in_update(svm: Path, feedback: Path, ask: Ask) -> None:
    outcome = ask("update", svm, feedback, "--text", "body", "--label", "predicted")
    assert {row["label"] for row in outcome["classes"]} == {label for _, label in CORRECTIONS}


def test_documents_with_more_keys_than_corrections_are_read_by_the_given_columns(
    tmp_path: Path, run: Run, ask: Ask
) -> None:
    path = tmp_path / "a.sieve"
    other = {"label": "x", "text": "y", "predicted": "z", "time": "now"}
    rows = [{"body": text, "model": label, **other} for text, label in documents()]
    run("train", lines(tmp_path / "o.jsonl", *rows), "-o", path, *PLAIN_OPTIONS, "--text", "body", "--label", "model")
    assert set(load(path).classes_) == {label for _, label in documents()}
    assert ask("evaluate", path, tmp_path / "o.jsonl")["accuracy"] > 0.9, "by the columns of the model"


def test_an_empty_file_is_a_source(news: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    later, path = tmp_path / "later.jsonl", tmp_path / "a.sieve"
    later.touch()
    run("train", news, later, "-o", path, *PLAIN_OPTIONS)
    (tmp_path / "none.jsonl").touch()
    assert "learned all of this already" in run("update", path, tmp_path / "none.jsonl").stdout
    lines(later, ("a keeper in parliament", "sport"))
    outcome = ask("update", path, tmp_path / "none.jsonl")
    assert [(source["documents"], source["changed"]) for source in outcome["sources"]] == [
        (60, False),
        (1, True),
        (0, None),
    ]


# -- sources that are gone ---------------------------------------------------------------------------------------


def test_missing_sources_are_named(svm: Path, feedback: Path, tmp_path: Path, run: Run) -> None:
    run("update", svm, feedback)
    (tmp_path / "news.csv").rename(tmp_path / "moved.csv")
    before = svm.read_bytes()
    printed = run("update", svm, feedback, exit_code=1).stderr
    assert f"{svm}: this source is gone, so the model can't be trained again: {tmp_path / 'news.csv'}" in printed
    news = tmp_path / "news.csv"
    assert f"with --source {news}=NEW-PATH, or leave the documents out with --source {news}=." in printed
    assert command_in(printed)[:2] == ["train", "YOUR-DOCUMENTS"]
    assert f"the model has learned: {tmp_path / 'news.csv'}, {feedback}.\n" in printed
    assert svm.read_bytes() == before
    feedback.unlink()
    other = lines(tmp_path / "other.jsonl", ("goal", "sport"))
    assert "2 sources are gone" in run("update", svm, other, exit_code=1).stderr


def test_a_moved_source_is_found_by_its_new_place(
    svm: Path, feedback: Path, tmp_path: Path, run: Run, ask: Ask
) -> None:
    (tmp_path / "news.csv").rename(tmp_path / "moved=it.csv")
    move = f"{tmp_path / 'news.csv'}={tmp_path / 'moved=it.csv'}"
    outcome = ask("update", svm, feedback, "--source", move)
    assert outcome["sources"][0] | {"digest": ""} == {
        "kind": "path",
        "name": str(tmp_path / "moved=it.csv"),
        "documents": 60,
        "digest": "",
        "changed": False,
        "documents_before": 60,
    }
    assert "learned all of this already" in run("update", svm, feedback).stdout


def test_a_source_can_be_left_out(svm: Path, feedback: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    run("update", svm, feedback)
    feedback.unlink()
    other = lines(tmp_path / "other.jsonl", ("a goal of the keeper", "sport"))
    outcome = ask("update", svm, other, "--source", f"{feedback}=")
    assert outcome["documents"] == 61
    assert len(ask("info", svm)["sources"]) == 2
    printed = run("update", svm, other, "--source", f"{tmp_path / 'news.csv'}=", exit_code=1).stderr
    assert "the sources of the model have no documents" in printed


def test_an_unknown_source_raises_an_error(svm: Path, feedback: Path, tmp_path: Path, run: Run) -> None:
    printed = run("update", svm, feedback, "--source", "old.csv=new.csv", exit_code=1).stderr
    assert f"this is not OLD=NEW for one of the model's 1 source: {tmp_path / 'news.csv'}" in printed


def test_a_source_that_can_no_longer_be_read_raises_an_error(
    svm: Path, feedback: Path, tmp_path: Path, run: Run
) -> None:
    before = svm.read_bytes()
    (tmp_path / "news.csv").write_text("one,two,three\n1,2,3\n", encoding="utf-8")
    assert "cannot tell which column is the text" in run("update", svm, feedback, exit_code=1).stderr
    assert svm.read_bytes() == before
    assert not Path(f"{svm}.lock").exists()


# -- models that can't be trained again --------------------------------------------------------------------------


def test_standard_input_can_not_be_read_again(news: Path, svm: Path, feedback: Path, tmp_path: Path, run: Run) -> None:
    path = tmp_path / "a.sieve"
    run("train", "-", "-o", path, *PLAIN_OPTIONS, input=news.read_text(encoding="utf-8"))
    printed = run("update", path, feedback, exit_code=1).stderr
    assert "some of its documents came from standard input, which can't be read again" in printed
    printed = run("update", svm, "-", input='{"text": "a late goal", "label": "sport"}\n').stdout
    assert "Corrections standard input: 1 document, new" in printed
    assert "The new model can't be trained again by textsieve update: some of its documents came from" in printed
    assert "came from standard input" in run("update", svm, feedback, exit_code=1).stderr


def test_objects_of_the_user_can_not_be_trained_again(feedback: Path, tmp_path: Path, run: Run) -> None:
    from textsieve import OCFS

    texts, labels = map(list, zip(*documents(5), strict=True))
    Categorizer(selector=OCFS(k=5), n_jobs=1).fit(texts, labels).save(tmp_path / "a.sieve")
    printed = run("update", tmp_path / "a.sieve", feedback, exit_code=1).stderr
    assert "its selector was OCFS(k=5), an object of your own, which a model file does not store" in printed


def test_documents_added_in_python_can_not_be_read_again(
    updatable_model: Path, feedback: Path, run: Run, ask: Ask
) -> None:
    load(updatable_model).update(["a late goal"], ["sport"]).save(updatable_model)
    assert "came from Python" in run("update", updatable_model, feedback, "--retrain", exit_code=1).stderr
    assert ask("update", updatable_model, feedback)["method"] == "add"


def test_stop_words_of_a_file_are_given_again(news: Path, feedback: Path, tmp_path: Path, run: Run) -> None:
    path, words = tmp_path / "a.sieve", tmp_path / "words.txt"
    words.write_text("the and\n", encoding="utf-8")
    run("train", news, "-o", path, *PLAIN_OPTIONS, "--stop-words", words)
    assert "Give their file with --stop-words" in run("update", path, feedback, exit_code=1).stderr
    run("update", path, feedback, "--stop-words", words)
    run("train", news, feedback, "-o", tmp_path / "b.sieve", *PLAIN_OPTIONS, "--stop-words", words)
    assert learned(path) == learned(tmp_path / "b.sieve")


def test_stop_words_that_the_model_does_not_have_raise_an_error(svm: Path, feedback: Path, run: Run) -> None:
    printed = run("update", svm, feedback, "--stop-words", "english", exit_code=1).stderr
    assert "the model was trained with no --stop-words. Leave it out." in printed


def test_options_that_do_not_fit_the_method_raise_an_error(updatable_model: Path, feedback: Path, run: Run) -> None:
    printed = run("update", updatable_model, feedback, "--retrain", "--fit-thresholds", exit_code=2).stderr
    assert "training again fits all thresholds, so leave it out" in " ".join(printed.split())
    for option in ("--source", "--stop-words"):
        printed = run("update", updatable_model, feedback, option, "english", exit_code=2).stderr
        assert f"{option} is for training again; add --retrain" in printed


# -- models with statistics --------------------------------------------------------------------------------------


def test_a_model_with_statistics_can_be_trained_again(
    updatable_model: Path, news: Path, feedback: Path, tmp_path: Path, run: Run, ask: Ask
) -> None:
    run("update", updatable_model, feedback)
    outcome = ask("update", updatable_model, feedback, "--retrain")
    assert (outcome["method"], outcome["documents"], outcome["added"]) == ("retrain", 63, 3)
    run("train", news, feedback, "-o", tmp_path / "b.sieve", "--classifier", "nb", "--keep-stats")
    assert learned(updatable_model) == learned(tmp_path / "b.sieve")
    assert "updated" not in load(updatable_model).model_.about
    before = updatable_model.read_bytes()
    outcome = ask("update", updatable_model, feedback)
    assert (outcome["method"], outcome["added"], outcome["added_before"]) == ("add", 0, 3)
    assert ask("update", updatable_model, feedback, "--retrain")["retrained"] is False
    assert updatable_model.read_bytes() == before


def test_an_update_of_statistics_stores_the_corrections(
    updatable_model: Path, feedback: Path, news: Path, ask: Ask
) -> None:
    ask("update", updatable_model, feedback)
    lines(feedback, *CORRECTIONS, ("an atom in the budget", "science"))
    ask("update", updatable_model, feedback)
    sources = ask("info", updatable_model)["sources"]
    assert [(source["name"], source["documents"]) for source in sources] == [(str(news), 60), (str(feedback), 4)]


# -- several processes -------------------------------------------------------------------------------------------


def test_two_updates_at_the_same_time_raise_an_error(svm: Path, feedback: Path, run: Run) -> None:
    with locked(str(svm)):
        printed = run("update", svm, feedback, exit_code=1).stderr
    assert f"{svm}: the model is being written or updated by another process" in printed


def test_a_model_that_was_replaced_meanwhile_is_not_overwritten(
    svm: Path, model: Path, feedback: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit = Categorizer.fit

    def copy_and_fit(self: Categorizer, *arguments: Any, **settings: Any) -> Categorizer:
        shutil.copy(model, svm)
        return fit(self, *arguments, **settings)

    monkeypatch.setattr(Categorizer, "fit", copy_and_fit)
    assert "this is another model than the one that was read" in run("update", svm, feedback, exit_code=1).stderr
    assert svm.read_bytes() == model.read_bytes()


def test_a_file_may_grow_while_it_is_read_but_not_change(
    svm: Path, feedback: Path, run: Run, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit = Categorizer.fit
    rows: list[tuple[str, str]] = [*CORRECTIONS, ("a late goal", "sport")]

    def write_and_fit(self: Categorizer, *arguments: Any, **settings: Any) -> Categorizer:
        lines(feedback, *rows)
        return fit(self, *arguments, **settings)

    monkeypatch.setattr(Categorizer, "fit", write_and_fit)
    assert ask("update", svm, feedback)["added"] == 3
    assert ask("update", svm, feedback)["added"] == 4
    lines(feedback, ("another text", "sport"), *rows)
    rows.reverse()
    assert f"{feedback}: was changed while it was read" in run("update", svm, feedback, exit_code=1).stderr


# -- stored options ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("corrections", [False, True])
@pytest.mark.parametrize("options", [{"later": "x"}, {"encoding": 5}, {"format": True}, {"text": "no such column"}])
def test_invalid_options_of_a_source_raise_an_error(
    options: dict[str, Any], corrections: bool, svm: Path, feedback: Path, tmp_path: Path, run: Run
) -> None:
    stored = load(svm).model_
    more = write_csv(tmp_path / "more.csv", [("a late goal", "sport")])
    source = TrainingSource(PATH, str(more), 1, reading=options, corrections=corrections)
    write(with_sources(stored, [*(sources_of(stored) or ()), source]), svm)
    before = svm.read_bytes()
    printed = run("update", svm, feedback, exit_code=1).stderr
    name = next(iter(options))
    assert "no column 'no such column'" in printed or f"that this version does not have: {name}. Update" in printed
    assert svm.read_bytes() == before


def test_many_unchanged_sources_are_counted(tmp_path: Path, feedback: Path, run: Run) -> None:
    files = [write_csv(tmp_path / f"{n}.csv", [row]) for n, row in enumerate(documents(10))]
    run("train", *files, "-o", tmp_path / "a.sieve", *PLAIN_OPTIONS)
    printed = run("info", tmp_path / "a.sieve").stdout
    assert (printed.count("Source "), "and 10 more sources; --json lists all" in printed) == (20, True)
    write_csv(files[25], [("a late goal", "sport")])
    printed = run("update", tmp_path / "a.sieve", feedback).stdout
    assert "29 sources, unchanged" in printed
    assert f"Source {files[25]}: 1 document, changed since training\n" in printed


def test_a_model_with_sources_is_written_with_the_lock(svm: Path, news: Path, run: Run) -> None:
    with locked(str(svm)):
        printed = run("train", news, "-o", svm, *PLAIN_OPTIONS, exit_code=1).stderr
    assert "being written or updated by another process" in printed


def test_the_sources_of_a_small_model_are_a_warning(tmp_path: Path, run: Run) -> None:
    files = [write_csv(tmp_path / f"{n}-{'long' * 40}.csv", [row]) for n, row in enumerate(documents(10))]
    options = ["--held-out", "0", "--max-size", "4kB"]
    printed = run("train", *files, "-o", tmp_path / "a.sieve", *options).stderr
    assert "more than --max-size 4kB, because it stores the sources of its documents; --no-sources" in printed
    printed = run("train", *files, "-o", tmp_path / "b.sieve", *options, "--no-sources").stderr
    assert "--max-size" not in printed
    assert (tmp_path / "b.sieve").stat().st_size <= 4_000
    assert learned(tmp_path / "a.sieve") == learned(tmp_path / "b.sieve")


# -- corrections of several updates --------------------------------------------------------------------------------


def test_documents_of_an_unknown_class_can_be_learned_by_a_later_update(svm: Path, tmp_path: Path, run: Run) -> None:
    file = lines(tmp_path / "c.jsonl", ("the striker", "sport"), ("a violin", "music"))
    assert "1 document of no class of the model left out" in run(
        "update", svm, file, "--skip-unknown-labels"
    ).stdout.replace("documents of", "document of")
    assert load(svm).model_.classes == ("politics", "science", "sport")
    assert "New classes, with their documents: music (1)" in run("update", svm, file).stdout
    assert "music" in load(svm).model_.classes
    assert "nothing was written" in run("update", svm, file).stdout


def test_a_stored_file_that_grew_is_not_taken_for_learned(svm: Path, tmp_path: Path, run: Run) -> None:
    first = lines(tmp_path / "c1.jsonl", ("the striker", "sport"))
    run("update", svm, first)
    lines(first, ("the striker", "sport"), ("a violin", "music"))
    printed = run("update", svm, lines(tmp_path / "c2.jsonl", ("the vote", "politics"))).stdout
    assert "c1.jsonl: line 2" in printed, "documents that are left out are named, also those of stored files"
    assert "music (1)" in run("update", svm, first).stdout


def test_a_correction_to_none_of_the_classes_withdraws_that_of_an_earlier_file(
    svm: Path, tmp_path: Path, run: Run
) -> None:
    before = learned(svm)
    run("update", svm, lines(tmp_path / "c1.jsonl", ("the striker and the vote", "science")))
    assert learned(svm) != before
    none = lines(tmp_path / "c2.jsonl", {"text": "the striker and the vote", "label": None})
    assert "Trained again" in run("update", svm, none).stdout
    assert learned(svm) == before


def test_a_withdrawal_gives_a_source_document_its_label_back(svm: Path, tmp_path: Path, run: Run) -> None:
    """It differs from a correction to none of the classes, which removes the label."""
    before = learned(svm)
    (text, _), *_ = documents()
    first = lines(tmp_path / "c1.jsonl", (text, "science"), ("the striker and the vote", None))
    run("update", svm, first)
    assert learned(svm) != before
    none = lines(tmp_path / "c2.jsonl", (text, None))
    run("update", svm, none)
    assert load(svm).model_.about["n_unlabelled"] > 0
    rows = [withdrawal(text), withdrawal("the striker and the vote")]
    printed = run("update", svm, lines(tmp_path / "c3.jsonl", *rows)).stdout
    assert "2 documents with a withdrawn correction left out" in printed
    assert "without a label from now on" not in printed
    assert learned(svm) == before


def test_a_withdrawn_correction_with_invalid_labels_is_no_error(svm: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    service = {"predicted": "sport", "model": "x", "time": "2026-11-16T14:00:00+00:00"}
    first = lines(tmp_path / "c1.jsonl", {"text": "the striker", "label": ["sport", "science"], **service})
    assert "2 labels" in run("update", svm, first, exit_code=1).stderr
    second = lines(tmp_path / "c2.jsonl", withdrawal("the striker"), ("an atom", "science"))
    outcome = ask("update", svm, first, second)
    assert (outcome["corrections"], outcome["repeated"]) == (1, 0)


def test_corrections_withdrawn_in_a_later_file_are_not_repeated(svm: Path, tmp_path: Path, ask: Ask) -> None:
    first = lines(tmp_path / "c1.jsonl", *[("the striker", "sport")] * 3, *[("an atom", "science")] * 2)
    assert ask("update", svm, first, "--dry-run")["repeated"] == 3
    second = lines(tmp_path / "c2.jsonl", withdrawal("the striker"), ("the striker", "science"))
    assert ask("update", svm, first, second, "--dry-run")["repeated"] == 1


def test_training_warns_that_it_learns_withdrawn_corrections(
    news: Path, updatable_model: Path, tmp_path: Path, run: Run
) -> None:
    feedback = lines(tmp_path / "f.jsonl", ("goal vote", "science"), withdrawal("goal vote"), ("an atom", "music"))
    warning = f"{feedback}: 1 line withdraws corrections, but training learns these all the same."
    assert warning in run("train", news, feedback, "-o", tmp_path / "new.sieve").stderr
    more = lines(tmp_path / "more.jsonl", ("a proof", "science"))
    again = run("update", tmp_path / "new.sieve", more).stderr
    assert again.count("1 line withdraws corrections, but training learns these all the same.") == 1
    failed = run("update", updatable_model, feedback, exit_code=1).stderr
    assert str(feedback) in command_in(failed)
    assert "train learns withdrawn corrections, too" in failed
    plain = lines(tmp_path / "plain.jsonl", ("goal vote", "science"), ("an atom", None))
    assert "withdraw" not in run("train", news, plain, "-o", tmp_path / "new.sieve").stderr


def test_folding_is_remembered_and_gives_a_new_class_one_spelling(svm: Path, tmp_path: Path, run: Run) -> None:
    first = lines(tmp_path / "c1.jsonl", ("the striker", "Sport"), ("a lion", "Zoo"))
    second = lines(tmp_path / "c2.jsonl", ("a tiger", "zoo"))
    run("update", svm, first, second, "--fold-labels")
    assert load(svm).model_.classes == ("Zoo", "politics", "science", "sport")
    run("update", svm, lines(tmp_path / "c3.jsonl", ("the goal", "SPORT")))
    assert load(svm).model_.classes == ("Zoo", "politics", "science", "sport")


def test_a_file_is_stored_once_however_its_path_is_written(
    updatable_model: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = lines(tmp_path / "c.jsonl", *CORRECTIONS[:2])
    run("update", updatable_model, file)
    lines(file, *CORRECTIONS)
    run("update", updatable_model, "c.jsonl")
    stored = [source for source in sources_of(load(updatable_model).model_) or () if source.corrections]
    assert len(stored) == 1


@pytest.mark.parametrize("name", ["-", "/etc/passwd", "no-such-corpus"])
def test_a_model_can_not_name_a_path_as_a_corpus(svm: Path, name: str) -> None:
    model = load(svm).model_
    with pytest.raises(InputError, match="not a sound model"):
        encode(with_sources(model, [TrainingSource("corpus", name, 1)]))


def test_a_source_document_that_belongs_to_none_of_the_classes_loses_its_label(
    svm: Path, tmp_path: Path, run: Run
) -> None:
    (text, label), *_ = documents()
    none = lines(tmp_path / "none.jsonl", {"text": text, "label": None})
    n_before = load(svm).model_.class_docs[load(svm).model_.classes.index(label)]
    n_equal = sum(other == text for other, _ in documents())
    printed = run("update", svm, none).stdout
    assert f"1 correction has no label, which means none of the classes: {none}: line 1" in printed
    assert "of the sources without a label from now on" in printed
    assert "left out" not in printed
    assert load(svm).model_.class_docs[load(svm).model_.classes.index(label)] == n_before - n_equal
    assert "nothing was written" in run("update", svm, none).stdout


def test_corrections_without_a_label_are_listed_apart_from_those_left_out(svm: Path, tmp_path: Path, ask: Ask) -> None:
    (text, label), *_ = documents()
    file = lines(tmp_path / "c.jsonl", {"text": text, "label": None}, {"text": " ", "label": label})
    outcome = ask("update", svm, file)
    assert outcome["without_label"] == {"documents": 1, "places": [f"{file}: line 1"]}
    assert outcome["left_out"] == {"without a text": {"documents": 1, "places": [f"{file}: line 2"]}}


def test_a_new_class_that_looks_like_a_typing_error_is_questioned(svm: Path, tmp_path: Path, run: Run) -> None:
    rows = [("the goal", "sprot"), ("a violin", "music"), ("the striker", "SPORT")]
    result = run("update", svm, lines(tmp_path / "c.jsonl", *rows))
    assert "sprot is a new class. Did you mean sport? Then correct the label and update again." in result.stderr
    assert "SPORT is a new class. Did you mean sport?" in result.stderr, "uppercase letters count as equal"
    assert "music is a new class" not in result.stderr
    assert {"sprot", "music", "SPORT"} < set(load(svm).model_.classes), "it only asks"
