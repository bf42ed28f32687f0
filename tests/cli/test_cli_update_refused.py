"""`textsieve update`: documents that are left out, errors, and their places."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.reference.cli_cases import CORRECTIONS, Ask, Run, command_in, lines, write_csv

from textsieve.cli.retrain_command import DOCUMENTS
from textsieve.modelfile.writing import locked
from textsieve.training.corrections import Corrections, DocumentsToLearn


def test_lines_without_text_or_label_are_named(updatable_model: Path, tmp_path: Path, run: Run) -> None:
    rows = [{"text": " ", "label": "sport"}, ("a goal", "sport"), {"text": "a vote", "label": None}]
    rows += [{"text": None, "label": "sport"}]
    printed = run("update", updatable_model, lines(tmp_path / "f.jsonl", *rows)).stdout
    assert "4 documents read, 1 added to the model" in printed
    assert (
        f"2 documents without a text left out: {tmp_path / 'f.jsonl'}: line 1, {tmp_path / 'f.jsonl'}: line 4"
        in printed
    )
    assert f"1 document without a label left out: {tmp_path / 'f.jsonl'}: line 3" in printed


def test_incomplete_lines_are_left_out_and_named(updatable_model: Path, feedback: Path, run: Run, ask: Ask) -> None:
    whole = feedback.read_text(encoding="utf-8").splitlines()
    feedback.write_text("\n".join([whole[0], whole[1][:20], '"a secret"', *whole[1:], whole[2][:-4]]), encoding="utf-8")
    outcome = ask("update", updatable_model, feedback, "--dry-run")
    assert (outcome["read"], outcome["added"]) == (3, 3)
    places = [f"{feedback}: line {number}" for number in (2, 3, 6)]
    assert outcome["left_out"] == {"that can't be read": {"documents": 3, "places": places}}
    printed = run("update", updatable_model, feedback)
    assert f"3 documents that can't be read left out: {', '.join(places)}" in printed.stdout
    assert "secret" not in printed.stdout + printed.stderr


@pytest.mark.parametrize("content", ['{"text": "a secret', "a secret\n", '{\n"a secret"\n'])
def test_a_file_without_a_readable_line_adds_nothing(
    content: str, updatable_model: Path, tmp_path: Path, run: Run
) -> None:
    before = updatable_model.read_bytes()
    (tmp_path / "f.jsonl").write_text(content, encoding="utf-8")
    printed = run("update", updatable_model, tmp_path / "f.jsonl")
    assert "0 documents read, 0 added to the model" in printed.stdout
    assert f"that can't be read left out: {tmp_path / 'f.jsonl'}: line 1" in printed.stdout
    assert "secret" not in printed.stdout + printed.stderr
    assert updatable_model.read_bytes() == before


def test_an_unknown_label_raises_an_error_with_its_line(updatable_model: Path, tmp_path: Path, run: Run) -> None:
    before = updatable_model.read_bytes()
    feedback = lines(tmp_path / "f.jsonl", *CORRECTIONS, ("rain", "weather"))
    printed = run("update", updatable_model, feedback, exit_code=1).stderr
    assert f"{feedback}: line 4: There is no class 'weather' in the model" in printed
    assert "Nothing was changed; --skip-unknown-labels leaves such documents out." in printed
    assert command_in(printed) == [
        "train",
        DOCUMENTS,
        str(feedback),
        "-o",
        str(updatable_model),
        "--classifier",
        "nb",
        "--keep-stats",
    ]
    assert updatable_model.read_bytes() == before
    printed = run("update", updatable_model, feedback, "--skip-unknown-labels").stdout
    assert f"1 document of no class of the model left out: {feedback}: line 4" in printed
    assert "4 documents read, 3 added to the model" in printed


@pytest.mark.parametrize("suffix", ["csv", "folder"])
def test_an_unknown_label_is_located_in_every_format(
    suffix: str, updatable_model: Path, tmp_path: Path, run: Run
) -> None:
    place = tmp_path / f"more.{suffix}"
    if suffix == "csv":
        write_csv(place, [("a goal", "sport"), ("rain", "weather")])
        named = f"{place}: line 3: "
    else:
        (place / "weather").mkdir(parents=True)
        (place / "weather" / "rain.txt").write_text("rain", encoding="utf-8")
        named = f"{place}: weather/rain.txt: "
    assert f"{named}There is no class 'weather'" in run("update", updatable_model, place, exit_code=1).stderr


def test_two_labels_for_a_single_label_model_raise_an_error(updatable_model: Path, tmp_path: Path, run: Run) -> None:
    feedback = lines(tmp_path / "f.jsonl", {"text": "goal", "labels": ["sport", "politics"]})
    printed = run("update", updatable_model, feedback, exit_code=1).stderr
    assert f"{feedback}: line 1: ['sport', 'politics'] are 2 labels, and the model gives one" in printed
    assert "--skip-unknown-labels" not in printed


@pytest.mark.parametrize(
    ("content", "printed"),
    [
        ('[{"text": "a"\n', "line 2: not JSON"),
        ('{"text": 7, "label": "sport"}\n', "line 1: 'text' is 7, not a string"),
        ('{"text": "a", "label": {"a": 1}}\n', "line 1: label"),
    ],
)
def test_unreadable_files_raise_an_error(
    content: str, printed: str, updatable_model: Path, tmp_path: Path, run: Run
) -> None:
    before = updatable_model.read_bytes()
    (tmp_path / "f.jsonl").write_text(content, encoding="utf-8")
    message = run("update", updatable_model, tmp_path / "f.jsonl", exit_code=1).stderr
    assert printed in message
    assert updatable_model.read_bytes() == before
    assert not Path(f"{updatable_model}.lock").exists()


def test_an_empty_file_adds_nothing(updatable_model: Path, tmp_path: Path, run: Run) -> None:
    before = updatable_model.read_bytes()
    (tmp_path / "f.jsonl").touch()
    printed = run("update", updatable_model, tmp_path / "f.jsonl").stdout
    assert "0 documents read, 0 added to the model" in printed
    assert updatable_model.read_bytes() == before


def test_columns_are_required_of_the_first_file_only(
    updatable_model: Path, feedback: Path, tmp_path: Path, ask: Ask
) -> None:
    table = tmp_path / "odd.csv"
    table.write_text("what,text,said\nsport,no,a goal\n", encoding="utf-8")
    assert ask("update", updatable_model, table, feedback, "--text", "said", "--label", "what")["added"] == 4


def test_a_missing_file_raises_an_error(updatable_model: Path, feedback: Path, tmp_path: Path, run: Run) -> None:
    assert "there is no such file" in run("update", updatable_model, tmp_path / "none.jsonl", exit_code=1).stderr
    assert "none.sieve: there is no such file" in run("update", tmp_path / "none.sieve", feedback, exit_code=1).stderr


def test_two_updates_at_the_same_time_raise_an_error(updatable_model: Path, feedback: Path, run: Run) -> None:
    with locked(str(updatable_model)):
        printed = run("update", updatable_model, feedback, exit_code=1).stderr
    assert f"{updatable_model}: the model is being written or updated by another process" in printed
    run("update", updatable_model, feedback)


def test_a_model_that_was_replaced_meanwhile_is_not_overwritten(
    updatable_model: Path, model: Path, feedback: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    to_learn = Corrections.to_learn

    def copy_and_learn(self: Corrections, added_digests: frozenset[bytes]) -> DocumentsToLearn:
        updatable_model.write_bytes(model.read_bytes())
        return to_learn(self, added_digests)

    monkeypatch.setattr(Corrections, "to_learn", copy_and_learn)
    printed = run("update", updatable_model, feedback, exit_code=1).stderr
    assert (
        f"{updatable_model}: this is another model than the one that was read; nothing was written. Try again."
        in printed
    )
    assert updatable_model.read_bytes() == model.read_bytes()
