"""The command for retraining has the options by which the model was read, and only files that they can read."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from tests.reference.cli_cases import PLAIN_OPTIONS, Run, command_in, documents, lines, write_csv

from textsieve import Categorizer, load
from textsieve.cli.retrain_command import DOCUMENTS, retrain_command

PAIRS = [("goal and vote", "sport|politics"), ("atom of the budget", "science|politics")] * 6


@pytest.fixture
def joined(tmp_path: Path) -> Path:
    """A table whose label cells contain several labels, joined by `|`."""
    return write_csv(tmp_path / "joined.csv", [*documents(6), *PAIRS])


@pytest.fixture
def tags(joined: Path, tmp_path: Path, run: Run) -> Path:
    """A model trained on `joined` with --keep-stats."""
    path = tmp_path / "tags.sieve"
    run("train", joined, "-o", path, "--label-separator", "|", "--classifier", "nb", "--keep-stats")
    return path


def test_the_printed_command_has_the_label_separator(tags: Path, joined: Path, tmp_path: Path, run: Run) -> None:
    new = lines(tmp_path / "f.jsonl", {"text": "rain", "labels": ["weather"]})
    printed = run("update", tags, new, exit_code=1).stderr
    command = command_in(printed)
    assert command[:6] == ["train", DOCUMENTS, str(new), "-o", str(tags), "--label-separator"]
    run(*(str(joined) if part == DOCUMENTS else part for part in command))
    assert load(tags).model_.classes == ("politics", "science", "sport", "weather")


def test_the_label_separator_of_training_is_the_default_of_an_update(tags: Path, tmp_path: Path, run: Run) -> None:
    more = write_csv(tmp_path / "more.csv", [("a late goal for the minister", "sport|politics")])
    (tmp_path / "folder" / "sport").mkdir(parents=True)  # the labels of a folder have no separator
    (tmp_path / "folder" / "sport" / "1.txt").write_text("a keeper", encoding="utf-8")
    assert "2 documents read, 2 added to the model" in run("update", tags, more, tmp_path / "folder").stdout
    assert "sport" in run("evaluate", tags, more).stdout


def test_encoding_format_and_numbers_of_columns_are_remembered(tmp_path: Path, run: Run) -> None:
    table = tmp_path / "table.tsv"
    table.write_text(
        "".join(f"{label}\t{text}\n" for text, label in documents(6)).replace("keeper", "keepér"), encoding="latin-1"
    )
    outcome = ["--text", "1", "--label", "0", "--format", "tsv", "--encoding", "latin-1"]
    run("train", table, "-o", tmp_path / "a.sieve", *outcome, "--no-sources")
    printed = run("update", tmp_path / "a.sieve", table, *outcome[:-1], "iso-8859-1", exit_code=1).stderr
    command = command_in(printed)
    assert command[:3] == ["train", DOCUMENTS, str(table)]
    run(*(str(table) if part == DOCUMENTS else part for part in command))
    assert load(tmp_path / "a.sieve").model_.about["n_documents"] == 36
    assert "keepér" in load(tmp_path / "a.sieve").model_.terms


@pytest.mark.parametrize(
    ("trained", "updated", "read_with", "and_with"),
    [
        (["--encoding", "cp1252"], [], "--encoding utf-8", "--encoding cp1252"),
        (["--text", "body"], ["--label", "body"], "--label body", "no --label"),
        ([], ["--format", "csv"], "--format csv", "no --format"),
        (["--label-separator", "|"], ["--label-separator", ";"], "--label-separator ';'", "--label-separator '|'"),
    ],
)
def test_files_read_with_other_options_are_not_in_the_command(
    trained: list[str], updated: list[str], read_with: str, and_with: str, joined: Path, tmp_path: Path, run: Run
) -> None:
    path, more = tmp_path / "a.sieve", write_csv(tmp_path / "more.csv", [("a", "b")])
    run("train", joined, "-o", path, *trained, "--no-sources")
    printed = run("update", path, more, *updated, exit_code=1).stderr
    assert command_in(printed) == ["train", DOCUMENTS, "-o", str(path), *trained]
    assert (
        f"note: {more}: read with {read_with}, and the model's documents with {and_with}. No command reads" in printed
    )


def test_standard_input_and_missing_files_are_not_in_the_command(
    model_without_sources: Path, tmp_path: Path, run: Run
) -> None:
    model = model_without_sources
    there = lines(tmp_path / "f.jsonl", {"text": "a goal", "label": "sport"})
    printed = run("update", model, "-", there, tmp_path / "none.csv", input="", exit_code=1).stderr
    expected = ["train", DOCUMENTS, str(there), "-o", str(model)]
    assert command_in(printed)[:5] == expected
    assert sorted(command_in(printed)[5:]) == sorted(PLAIN_OPTIONS)
    assert "note: standard input can't be read again; save it to a file" in printed
    printed = run("update", model, "-", "--encoding", "latin-1", input="", exit_code=1).stderr
    assert (
        "note: standard input: read with --encoding latin-1, and the model's documents with --encoding utf-8."
        in printed
    )
    printed = run("update", model, there, tmp_path / "none.csv", input="", exit_code=1).stderr
    assert f"note: there is no file or folder {tmp_path / 'none.csv'}, so it is left out." in printed


def test_a_model_without_options_for_reading_gives_a_note_on_labels() -> None:
    model = Categorizer(n_jobs=1).fit(["red sun", "blue sea", "red sea"] * 5, [["a"], ["b"], ["a", "b"]] * 5).model_
    how = retrain_command(model, "a.sieve", [])
    assert "--label-separator" not in how.command
    assert any("add --label-separator" in sentence for sentence in how.notes)
    assert "--label-separator '|'" in retrain_command(model, "a.sieve", [], {"label_separator": "|"}).command
    model.about["reading"] = {"label_separator": 3, "encoding": None}  # invalid values are ignored
    assert "--label-separator" not in retrain_command(model, "a.sieve", []).command


def test_documents_of_earlier_updates_are_among_those_to_train_on(
    tags: Path, joined: Path, tmp_path: Path, run: Run
) -> None:
    run("update", tags, lines(tmp_path / "f.jsonl", {"text": "a goal", "labels": ["sport"]}))
    run("update", tags, lines(tmp_path / "f.jsonl", *({"text": f"vote {n}", "labels": ["politics"]} for n in range(2))))
    printed = run("update", tags, lines(tmp_path / "f.jsonl", {"text": "rain", "labels": ["rain"]}), exit_code=1).stderr
    assert (
        "has learned, including those of earlier updates (3 documents in 2 updates): "
        f"{joined}, {tmp_path / 'f.jsonl'}.\n" in printed
    )
    assert "--retrain trains the model again from its sources, with the new class." in printed
    assert "begin a new file of corrections" in printed


# -- labels that are nearly classes -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "separator"), [("sport|politics", "|"), ("sport; science", ";"), ("sport,science", ",")]
)
def test_labels_that_were_not_split_give_a_hint_at_the_separator(
    label: str, separator: str, tmp_path: Path, run: Run
) -> None:
    texts, tagged = ["red sun", "blue sea", "red sea"] * 5, [["sport"], ["politics"], ["science", "sport"]] * 5
    path = tmp_path / "a.sieve"
    Categorizer(classifier="nb", keep_stats=True, n_jobs=1).fit(texts, tagged).save(path)
    new = lines(tmp_path / "f.jsonl", {"text": "goal vote", "label": label})
    printed = run("update", path, new, exit_code=1).stderr
    assert (
        f"Are these several labels in one? Then use --label-separator {shlex.quote(separator)}. Nothing was changed."
        in printed
    )
    assert "train again" not in printed
    assert DOCUMENTS not in printed
    assert "1 added to the model" in run("update", path, new, f"--label-separator={separator}").stdout


@pytest.mark.parametrize("label", ["Sport", "sports", "sprot", "SPORT"])
def test_a_label_similar_to_a_class_gives_a_hint(label: str, tmp_path: Path, run: Run) -> None:
    path = tmp_path / "a.sieve"
    texts = ["red sun", "blue sea"] * 5
    Categorizer(classifier="nb", keep_stats=True, n_jobs=1).fit(texts, ["sport", "Politics"] * 5).save(path)
    printed = run("update", path, lines(tmp_path / "f.jsonl", {"text": "goal", "label": label}), exit_code=1).stderr
    assert "Did you mean 'sport'?" in printed
    printed = run("update", path, lines(tmp_path / "f.jsonl", {"text": "goal", "label": "weather"}), exit_code=1).stderr
    assert "Did you mean" not in printed


# -- several paths ------------------------------------------------------------------------------------------------


def test_an_empty_file_among_others_is_skipped(news: Path, tmp_path: Path, run: Run) -> None:
    empty = [tmp_path / "corrections.jsonl", tmp_path / "lines.csv"]
    empty[0].touch()
    empty[1].write_text("\n\n", encoding="utf-8")
    printed = run("train", empty[0], news, empty[1], "-o", tmp_path / "a.sieve")
    assert [f"warning: {path}: is empty, and is skipped." for path in empty] == printed.stderr.splitlines()
    assert load(tmp_path / "a.sieve").model_.about["n_documents"] == 60
    printed = run("train", *empty, "-o", tmp_path / "a.sieve", exit_code=1)
    assert f"{empty[0]}, {empty[1]}: no documents, the files are empty." in printed.stderr
    assert "the file is empty" in run("train", empty[0], "-o", tmp_path / "a.sieve", exit_code=1).stderr


def test_a_folder_beside_a_table_needs_no_separator(joined: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "folder" / "sport").mkdir(parents=True)
    (tmp_path / "folder" / "sport" / "1.txt").write_text("a keeper", encoding="utf-8")
    more = write_csv(tmp_path / "more.csv", [("the vote on the league", "sport|politics")])
    run("train", joined, tmp_path / "folder", more, "-o", tmp_path / "a.sieve", "--label-separator", "|")
    assert load(tmp_path / "a.sieve").model_.classes == ("politics", "science", "sport")


def test_the_command_keeps_spaces_and_escapes_control_characters(joined: Path, tmp_path: Path, run: Run) -> None:
    path, more = tmp_path / "two  spaces.sieve", lines(tmp_path / "f.jsonl", {"text": "a", "label": "b"})
    run("train", joined, "-o", path, "--label-separator", "  ", "--no-sources")
    printed = run("update", path, more, exit_code=1).stderr
    assert command_in(printed) == ["train", DOCUMENTS, str(more), "-o", str(path), "--label-separator", "  "]
    assert "are escaped" not in printed
    run("train", joined, "-o", path, "--label-separator", "\a", "--no-sources")
    assert "note: some characters of the command are escaped" in run("update", path, more, exit_code=1).stderr
