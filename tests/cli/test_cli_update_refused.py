"""textsieve update: what is left out or refused, and where it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.reference.cli_cases import CORRECTIONS, Ask, Run, command_in, lines, write_csv

from textsieve.cli.retraining import DOCUMENTS
from textsieve.modelfile.locking import locked
from textsieve.training.corrections import Corrections, DocumentsToLearn


def test_lines_without_text_or_label_are_named(kept: Path, tmp_path: Path, run: Run) -> None:
    rows = [{"text": " ", "label": "sport"}, ("a goal", "sport"), {"text": "a vote", "label": None}]
    rows += [{"text": None, "label": "sport"}]
    said = run("update", kept, lines(tmp_path / "f.jsonl", *rows)).stdout
    assert "4 documents read, 1 added to the model" in said
    assert (
        f"2 documents without a text left out: {tmp_path / 'f.jsonl'}: line 1, {tmp_path / 'f.jsonl'}: line 4" in said
    )
    assert f"1 document without a label left out: {tmp_path / 'f.jsonl'}: line 3" in said


def test_lines_that_are_cut_off_are_left_out_and_named(kept: Path, feedback: Path, run: Run, ask: Ask) -> None:
    whole = feedback.read_text(encoding="utf-8").splitlines()
    feedback.write_text("\n".join([whole[0], whole[1][:20], '"a secret"', *whole[1:], whole[2][:-4]]), encoding="utf-8")
    told = ask("update", kept, feedback, "--dry-run")
    assert (told["read"], told["folded"]) == (3, 3)
    places = [f"{feedback}: line {number}" for number in (2, 3, 6)]
    assert told["left_out"] == {"that can't be read": {"documents": 3, "places": places}}
    said = run("update", kept, feedback)
    assert f"3 documents that can't be read left out: {', '.join(places)}" in said.stdout
    assert "secret" not in said.stdout + said.stderr


@pytest.mark.parametrize("content", ['{"text": "a secret', "a secret\n", '{\n"a secret"\n'])
def test_a_file_of_which_no_line_can_be_read(content: str, kept: Path, tmp_path: Path, run: Run) -> None:
    before = kept.read_bytes()
    (tmp_path / "f.jsonl").write_text(content, encoding="utf-8")
    said = run("update", kept, tmp_path / "f.jsonl")
    assert "0 documents read, 0 added to the model" in said.stdout
    assert f"that can't be read left out: {tmp_path / 'f.jsonl'}: line 1" in said.stdout
    assert "secret" not in said.stdout + said.stderr
    assert kept.read_bytes() == before


def test_another_label_is_refused_by_its_line(kept: Path, tmp_path: Path, run: Run) -> None:
    before = kept.read_bytes()
    feedback = lines(tmp_path / "f.jsonl", *CORRECTIONS, ("rain", "weather"))
    said = run("update", kept, feedback, exit_code=1).stderr
    assert f"{feedback}: line 4: There is no class 'weather' in the model" in said
    assert "Nothing was changed; --skip-unknown-labels leaves such documents out." in said
    assert command_in(said) == [
        "train",
        DOCUMENTS,
        str(feedback),
        "-o",
        str(kept),
        "--classifier",
        "nb",
        "--keep-stats",
    ]
    assert kept.read_bytes() == before
    said = run("update", kept, feedback, "--skip-unknown-labels").stdout
    assert f"1 document of no class of the model left out: {feedback}: line 4" in said
    assert "4 documents read, 3 added to the model" in said


@pytest.mark.parametrize("suffix", ["csv", "folder"])
def test_the_place_in_other_files(suffix: str, kept: Path, tmp_path: Path, run: Run) -> None:
    place = tmp_path / f"more.{suffix}"
    if suffix == "csv":
        write_csv(place, [("a goal", "sport"), ("rain", "weather")])
        named = f"{place}: line 3: "
    else:
        (place / "weather").mkdir(parents=True)
        (place / "weather" / "rain.txt").write_text("rain", encoding="utf-8")
        named = f"{place}: weather/rain.txt: "
    assert f"{named}There is no class 'weather'" in run("update", kept, place, exit_code=1).stderr


def test_two_labels_where_the_model_gives_one(kept: Path, tmp_path: Path, run: Run) -> None:
    feedback = lines(tmp_path / "f.jsonl", {"text": "goal", "labels": ["sport", "politics"]})
    said = run("update", kept, feedback, exit_code=1).stderr
    assert f"{feedback}: line 1: ['sport', 'politics'] are 2 labels, and the model gives one" in said
    assert "--skip-unknown-labels" not in said


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[{"text": "a"\n', "line 2: not JSON"),
        ('{"text": 7, "label": "sport"}\n', "line 1: 'text' is 7, not a string"),
        ('{"text": "a", "label": {"a": 1}}\n', "line 1: label"),
    ],
)
def test_bad_files(content: str, said: str, kept: Path, tmp_path: Path, run: Run) -> None:
    before = kept.read_bytes()
    (tmp_path / "f.jsonl").write_text(content, encoding="utf-8")
    message = run("update", kept, tmp_path / "f.jsonl", exit_code=1).stderr
    assert said in message
    assert kept.read_bytes() == before
    assert not Path(f"{kept}.lock").exists()


def test_a_file_that_nobody_has_written_to_yet(kept: Path, tmp_path: Path, run: Run) -> None:
    before = kept.read_bytes()
    (tmp_path / "f.jsonl").touch()
    said = run("update", kept, tmp_path / "f.jsonl").stdout
    assert "0 documents read, 0 added to the model" in said
    assert kept.read_bytes() == before


def test_columns_are_those_of_the_first_file(kept: Path, feedback: Path, tmp_path: Path, ask: Ask) -> None:
    table = tmp_path / "odd.csv"
    table.write_text("what,text,said\nsport,no,a goal\n", encoding="utf-8")
    assert ask("update", kept, table, feedback, "--text", "said", "--label", "what")["folded"] == 4


def test_no_such_file(kept: Path, feedback: Path, tmp_path: Path, run: Run) -> None:
    assert "there is no such file" in run("update", kept, tmp_path / "none.jsonl", exit_code=1).stderr
    assert "none.sieve: there is no such file" in run("update", tmp_path / "none.sieve", feedback, exit_code=1).stderr


def test_one_at_a_time(kept: Path, feedback: Path, run: Run) -> None:
    with locked(str(kept)):
        said = run("update", kept, feedback, exit_code=1).stderr
    assert f"{kept}: the model is being written or updated by another process" in said
    run("update", kept, feedback)


def test_a_model_that_was_replaced_meanwhile(
    kept: Path, model: Path, feedback: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    to_learn = Corrections.to_learn

    def copy_and_learn(self: Corrections, added_digests: frozenset[bytes]) -> DocumentsToLearn:
        kept.write_bytes(model.read_bytes())
        return to_learn(self, added_digests)

    monkeypatch.setattr(Corrections, "to_learn", copy_and_learn)
    said = run("update", kept, feedback, exit_code=1).stderr
    assert f"{kept}: this is another model than the one that was read; nothing was written. Try again." in said
    assert kept.read_bytes() == model.read_bytes()
