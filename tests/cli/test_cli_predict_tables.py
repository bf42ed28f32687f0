"""`textsieve predict -o FILE`: tables with the columns of the input, the predictions and the reasons."""

import csv
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from python_calamine import CalamineWorkbook
from tests.reference.cli_cases import Run, documents, write_csv

import textsieve
from textsieve import extras, table_files
from textsieve.cli import predict
from textsieve.corpus import batch

TEXTS = ["the striker and the goal", "minister of the budget", "atom theory"]
LABELS = ["sport", "politics", "science"]
ENDINGS = [".csv", ".tsv", ".xlsx", ".parquet"]


def table(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a table, with text in all cells."""
    if path.suffix == ".parquet":
        rows = pq.read_table(path).to_pylist()
    elif path.suffix == ".xlsx":
        names, *cells = CalamineWorkbook.from_path(str(path)).get_sheet_by_index(0).to_python()
        rows = [dict(zip(names, row, strict=True)) for row in cells]
    else:
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ","))
    return [{name: "" if cell is None else str(cell) for name, cell in row.items()} for row in rows]


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    """A table with a column of labels and one of notes, of which one looks like a formula."""
    rows = [[1, TEXTS[0], "x", "=1+1"], [2, TEXTS[1], "y", "a\nb"], [3, TEXTS[2], "z", 'é, "q"']]
    with open(tmp_path / "inbox.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["id", "body", "label", "note"], *rows])
    return tmp_path / "inbox.csv"


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_table_has_all_columns_and_the_predictions(
    ending: str, model: Path, inbox: Path, tmp_path: Path, run: Run
) -> None:
    output = tmp_path / f"out{ending}"
    result = run("predict", model, inbox, "-o", output)
    assert result.stdout == result.stderr == ""
    rows = table(output)
    assert list(rows[0]) == ["id", "body", "input_label", "note", "label", "probability", "reasons"]
    assert [row["id"] for row in rows] == ["1", "2", "3"]
    assert [row["body"] for row in rows] == TEXTS
    assert [row["input_label"] for row in rows] == ["x", "y", "z"]
    assert [row["note"] for row in rows] == ["=1+1", "a\nb", 'é, "q"']
    assert [row["label"] for row in rows] == LABELS
    lines = [json.loads(line) for line in run("predict", model, inbox, "--reasons", 3).stdout.splitlines()]
    assert [float(row["probability"]) for row in rows] == pytest.approx([line["probability"] for line in lines])
    assert [row["reasons"] for row in rows] == [
        ", ".join(reason["term"] for reason in line["reasons"]) for line in lines
    ]
    assert set(rows[0]["reasons"].split(", ")) <= {"striker", "goal", "the", "and"}


def test_columns_of_an_earlier_prediction_are_renamed(model: Path, inbox: Path, tmp_path: Path, run: Run) -> None:
    """Otherwise, the best guess of an earlier model would stand beside the label of this one."""
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    run("predict", model, inbox, "-o", first, "--top", 2, "--scores", "--min-probability", 0.9)
    earlier = [name for name in table(first)[0] if name not in ("id", "body", "input_label", "note")]
    assert {"best_guess", "label_2", "probability_2", "probability_of_sport"} < set(earlier)
    run("predict", model, first, "-o", second, "--text", "body")
    old = ["id", "body", "input_input_label", "note", *(f"input_{name}" for name in earlier)]
    old[2], old[4] = "input_label", "input_input_label"
    assert list(table(second)[0]) == [*old, "label", "probability", "reasons"]
    (line, *_) = run(
        "predict", model, first, "--text", "body", "--keep", "best_guess,label_2,probability_of_sport"
    ).stdout.splitlines()
    assert list(json.loads(line))[:3] == ["input_best_guess", "input_label_2", "input_probability_of_sport"]


def test_columns_that_only_look_similar_keep_their_names(model: Path, tmp_path: Path, run: Run) -> None:
    names = ["text", "label_x", "label_02", "probability_of_rain", "scored", "my_label_2", "_label"]
    (tmp_path / "in.csv").write_text(f"{','.join(names)}\nthe striker,1,2,3,4,5,6\n", encoding="utf-8")
    run("predict", model, tmp_path / "in.csv", "-o", tmp_path / "out.csv", "--text", "text")
    assert list(table(tmp_path / "out.csv")[0])[: len(names)] == names


def test_columns_and_reasons_can_be_chosen(model: Path, inbox: Path, tmp_path: Path, run: Run) -> None:
    output = tmp_path / "out.csv"
    run("predict", model, inbox, "-o", output, "--keep", "note,id", "--reasons", 0)
    assert list(table(output)[0]) == ["note", "id", "label", "probability"]
    run("predict", model, inbox, "-o", output, "--keep", "none", "--reasons", 1)
    assert list(table(output)[0]) == ["label", "probability", "reasons"]
    assert "," not in table(output)[0]["reasons"]
    result = run("predict", model, inbox, "-o", output, "--keep", "notes", exit_code=1)
    assert (
        "no column 'notes' for --keep. Columns found: 'id', 'body', 'label', 'note'. Did you mean 'note'?"
        in result.stderr
    )
    assert len(table(output)) == 3, "the old table stays"


def test_the_best_classes_have_columns(model: Path, inbox: Path, tmp_path: Path, run: Run) -> None:
    output = tmp_path / "out.csv"
    options = ["--keep", "none", "--reasons", 0]
    run("predict", model, inbox, "-o", output, "--top", 3, *options)
    lines = [json.loads(line) for line in run("predict", model, inbox, "--top", 3).stdout.splitlines()]
    for row, line in zip(table(output), lines, strict=True):
        assert list(row) == ["label", "probability", "label_2", "probability_2", "label_3", "probability_3"]
        cells = list(row.values())
        assert dict(zip(cells[::2], map(float, cells[1::2]), strict=True)) == line["probabilities"]
        assert list(line["probabilities"]) == cells[::2]
    run("predict", model, inbox, "-o", output, "--top", 99, *options)
    assert len(table(output)[0]) == 6
    run("predict", model, inbox, "-o", output, "--top", 1, *options)
    assert list(table(output)[0]) == ["label", "probability"]
    run("predict", model, inbox, "-o", output, "--scores", *options)
    row = table(output)[0]
    assert list(row)[2:] == [f"probability_of_{label}" for label in sorted(LABELS)]
    assert row["probability_of_sport"] == row["probability"]


def test_a_model_without_probabilities_has_scores(news: Path, inbox: Path, tmp_path: Path, run: Run) -> None:
    run("train", news, "-o", tmp_path / "m", "--probabilities", "none", "--held-out", 0)
    run("predict", tmp_path / "m", inbox, "-o", tmp_path / "out.csv", "--top", 2, "--keep", "id")
    rows = table(tmp_path / "out.csv")
    assert list(rows[0]) == ["id", "label", "score", "label_2", "score_2", "reasons"]
    assert all(float(row["score"]) >= float(row["score_2"]) for row in rows)


def test_a_model_that_abstains_has_its_best_guess(model: Path, inbox: Path, tmp_path: Path, run: Run) -> None:
    for options, label in (([], ""), (["--abstain-label", "?"], "?")):
        arguments = ["--min-probability", 1, *options, "--keep", "id", "--top", 2]
        run("predict", model, inbox, "-o", tmp_path / "out.csv", *arguments)
        rows = table(tmp_path / "out.csv")
        assert list(rows[0]) == ["id", "label", "probability", "best_guess", "label_2", "probability_2", "reasons"]
        assert [row["label"] for row in rows] == [label] * 3
        assert [row["best_guess"] for row in rows] == LABELS
        assert all(row["label_2"] not in ("", row["best_guess"]) for row in rows)
        assert all(row["reasons"] for row in rows)


def test_a_multilabel_model_joins_its_labels(tagger: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "in.csv").write_text("text\ngoal striker budget vote\natom theory\n")
    output = tmp_path / "out.csv"
    run("predict", tagger, tmp_path / "in.csv", "-o", output)
    both, one = table(output)
    assert list(both) == ["text", "labels", "scores", "reasons"]
    assert both["labels"] == "politics|sport"
    assert len(both["scores"].split("|")) == 2
    politics, sport = both["reasons"].split("; ")
    assert politics.startswith("politics: ")
    assert sport.startswith("sport: ")
    assert (one["labels"], one["reasons"].split(": ")[0]) == ("science", "science")
    run("predict", tagger, tmp_path / "in.csv", "-o", output, "--label-separator", ";", "--top", 2, "--reasons", 0)
    both, one = table(output)
    assert list(both) == ["text", "labels", "scores", "label_1", "score_1", "label_2", "score_2"]
    assert both["labels"] == "politics;sport"
    assert {both["label_1"], both["label_2"]} == {"politics", "sport"}
    assert one["label_1"] == "science"


def test_files_without_columns_are_kept_as_text_or_file_name(model: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "in.txt").write_text("\n".join(TEXTS))
    (tmp_path / "in.ft").write_text("".join(f"__label__? {text}\n" for text in TEXTS))
    (tmp_path / "docs").mkdir()
    for number, text in enumerate(TEXTS):
        (tmp_path / f"docs/{number}.txt").write_text(text)
    for name in ("in.txt", "in.ft"):
        run("predict", model, tmp_path / name, "-o", tmp_path / "out.csv")
        assert [row["text"] for row in table(tmp_path / "out.csv")] == TEXTS
    run("predict", model, tmp_path / "docs", "-o", tmp_path / "out.csv")
    assert [(row["file"], row["label"]) for row in table(tmp_path / "out.csv")] == list(
        zip(("0.txt", "1.txt", "2.txt"), LABELS, strict=True)
    )
    run("predict", model, "docstrings", "--keep", "all", "-o", tmp_path / "out")
    assert all("text" in json.loads(line) for line in (tmp_path / "out").read_text().splitlines())


def test_keys_of_json_are_those_of_the_first_documents(
    model: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(predict, "HEADER_ROWS", 2)
    rows = [{"text": "a"}, {"text": "b", "n": 1}, {"n": 2.5, "text": "c", "late": 0}, {"text": "d"}]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    run("predict", model, "-", "-o", tmp_path / "out.csv", "--reasons", 0, input=lines)
    assert [row["late"] for row in table(tmp_path / "out.csv")] == ["", "", "0", ""], "all are in the first batch"
    monkeypatch.setattr(batch, "BATCH_DOCUMENTS", 1)
    for ending in ENDINGS:
        output = tmp_path / f"out{ending}"
        result = run("predict", model, "-", "-o", output, "--reasons", 0, input=lines)
        assert "no column for keys that the first 2 documents don't have: 'late'" in result.stderr
        assert list(table(output)[0]) == ["text", "n", "label", "probability"]
        assert [float(row["n"] or 0) for row in table(output)] == [0, 1, 2.5, 0]


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_old_table_stays_if_there_is_an_error(ending: str, model: Path, tmp_path: Path, run: Run) -> None:
    output = tmp_path / f"out{ending}"
    output.write_text("old")
    lines = "".join(json.dumps({"text": text}) + "\n" for text in TEXTS) + '{"text": 5}\n'
    assert "line 4" in run("predict", model, "-", "-o", output, input=lines, exit_code=1).stderr
    assert output.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == [output.name]


def test_more_rows_than_excel_can_hold_raise_an_error(
    model: Path, inbox: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_files, "MAX_EXCEL_ROWS", 3)
    result = run("predict", model, inbox, "-o", tmp_path / "out.xlsx", exit_code=1)
    assert "out.xlsx: a sheet of Excel has at most 2 rows; write .csv or .parquet instead" in result.stderr
    assert not (tmp_path / "out.xlsx").exists()


def test_a_missing_package_is_named_before_the_model_is_read(
    inbox: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "is_installed", lambda name: False)
    extras.require_package.cache_clear()
    for ending, package in ((".xlsx", "xlsxwriter"), (".parquet", "pyarrow")):
        result = run("predict", tmp_path / "no-model", inbox, "-o", tmp_path / f"out{ending}", exit_code=1)
        assert f"needs {package}; pip install 'textsieve[" in result.stderr


def test_other_spreadsheets_and_pipes_raise_an_error(model: Path, inbox: Path, tmp_path: Path, run: Run) -> None:
    assert ".ods can't be written" in run("predict", model, inbox, "-o", tmp_path / "out.ods", exit_code=1).stderr
    os.mkfifo(tmp_path / "out.xlsx")
    assert "written to a file" in run("predict", model, inbox, "-o", tmp_path / "out.xlsx", exit_code=1).stderr


def test_csv_can_be_written_to_a_pipe(model: Path, inbox: Path, tmp_path: Path, run: Run) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit((tmp_path / "pipe.csv").read_text)
        run("predict", model, inbox, "-o", tmp_path / "pipe.csv", "--keep", "id")
        assert read.result(60).splitlines()[0] == "id,label,probability,reasons"


def test_json_lines_can_be_written_to_a_file_of_any_name(model: Path, inbox: Path, tmp_path: Path, run: Run) -> None:
    for name, options in (("out.csv", ["--json"]), ("out.txt", [])):
        run("predict", model, inbox, "-o", tmp_path / name, *options)
        lines = [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]
        assert [line["label"] for line in lines] == LABELS
        assert set(lines[0]) == {"label", "score", "probability"}


def test_words_are_the_reasons_of_a_model_with_ngrams_of_characters(tmp_path: Path, run: Run) -> None:
    path = write_csv(tmp_path / "x.csv", documents())
    run("train", path, "-o", tmp_path / "m", "--char-ngrams", "3-5", "--held-out", 0)
    assert textsieve.load(tmp_path / "m").model_.explains_words
    (tmp_path / "in.txt").write_text("The striker, and the GOAL.\n")
    run("predict", tmp_path / "m", tmp_path / "in.txt", "-o", tmp_path / "out.csv", "--reasons", 2)
    assert set(table(tmp_path / "out.csv")[0]["reasons"].split(", ")) == {"striker", "goal"}
