"""Tables as they come: texts in several columns, Excel sheets, other encodings, and labels in several spellings."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from tests.reference.cli_cases import Run, documents

import textsieve

NAMES = ["id", "title", "description", "section"]
READ = ("--text", "title", "--text", "description", "--label", "section")
USED = "Columns: text from 'title' and 'description', label from 'section'; not used: 'id'"


def rows(n: int = 20) -> list[list[str]]:
    """Return rows in which the title and the description have half of the words of a document each."""
    table = []
    for number, (text, label) in enumerate(documents(n)):
        words = text.split()
        middle = len(words) // 2
        table.append([str(number), " ".join(words[:middle]), " ".join(words[middle:]), label])
    return table


def write_table(path: Path, table: list[list[str]], encoding: str = "utf-8") -> Path:
    with open(path, "w", newline="", encoding=encoding) as file:
        csv.writer(file).writerows([NAMES, *table])
    return path


@pytest.fixture
def tickets(tmp_path: Path) -> Path:
    return write_table(tmp_path / "tickets.csv", rows())


@pytest.fixture
def model(tickets: Path, tmp_path: Path, run: Run) -> Path:
    """Return a model trained on two columns, which can be updated."""
    run("train", tickets, "-o", tmp_path / "m.sieve", *READ, "--classifier", "nb", "--keep-stats")
    return tmp_path / "m.sieve"


def predicted(output: str) -> list[str]:
    return [json.loads(line)["label"] for line in output.splitlines()]


# -- several columns -----------------------------------------------------------------------------------------------


def test_train_predict_and_evaluate_use_the_columns_and_name_them(
    tickets: Path, model: Path, tmp_path: Path, run: Run
) -> None:
    assert textsieve.load(model).model_.about["columns"] == {"text": ["title", "description"], "label": "section"}
    assert USED in run("train", tickets, "-o", tmp_path / "other.sieve", *READ).stdout.splitlines()
    for source in ((tickets,), ("-",)):
        result = run("predict", model, *source, input=tickets.read_bytes())
        assert result.stderr == ("note: Columns: text from 'title' and 'description'; not used: 'id', 'section'\n")
        assert predicted(result.stdout) == [row[3] for row in rows()]
    lines = "".join(json.dumps({"title": row[1], "description": row[2]}) + "\n" for row in rows())
    result = run("predict", model, "-", input=lines)
    assert result.stderr == "note: Columns: text from 'title' and 'description'\n"
    assert predicted(result.stdout) == [row[3] for row in rows()]
    assert USED in run("evaluate", model, tickets).stdout.splitlines()


def test_json_has_no_line_on_columns(tickets: Path, model: Path, tmp_path: Path, ask: Callable[..., Any]) -> None:
    assert ask("train", tickets, "-o", tmp_path / "other.sieve", *READ)["columns"]["text"] == ["title", "description"]
    assert ask("evaluate", model, tickets)["accuracy"] == 1


def test_formats_without_columns_have_no_line_on_columns(model: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "x.txt").write_text("goal striker\n")
    assert run("predict", model, tmp_path / "x.txt").stderr == ""


@pytest.mark.parametrize("command", ["terms", "compare", "subspace"])
def test_other_commands_join_columns(command: str, tmp_path: Path, run: Run) -> None:
    """Only the title and the description together have all words."""
    table = [[row[0], "titleword", f"bodyword {row[2]}", row[3]] for row in rows(30)]
    write_table(tmp_path / "x.csv", table)
    outputs = []
    for text in (["--text", "description"], ["--text", "title", "--text", "description"]):
        more: dict[str, list[object]] = {
            "terms": ["-k", "99", "--selector", "df"],
            "compare": ["--results", tmp_path / f"{len(text)}", "--selectors", "df", "--terms", "all", "--folds", "2"],
            "subspace": [],
        }
        outputs.append(run(command, tmp_path / "x.csv", *text, "--label", "section", *more[command]).stdout)
    assert outputs[0] != outputs[1]


def test_update_uses_the_columns_of_the_model(model: Path, tmp_path: Path, run: Run) -> None:
    write_table(tmp_path / "new.csv", [["1", "goal keeper", "striker stadium", "sport"]])
    assert "1 document read, 1 added" in run("update", model, tmp_path / "new.csv").stdout
    result = run("update", model, tmp_path / "new.csv", "--text", "title", "--text", "headline", exit_code=1)
    assert "no column 'headline' for --text. Columns found: 'id', 'title'" in result.stderr


def test_the_retrain_command_repeats_the_options(tickets: Path, tmp_path: Path, run: Run) -> None:
    run("train", tickets, "-o", tmp_path / "svm.sieve", *READ, "--fold-labels", "--no-sources")
    result = run("update", tmp_path / "svm.sieve", tickets, exit_code=1)
    command = f"textsieve train YOUR-DOCUMENTS {tickets} -o {tmp_path}/svm.sieve --text title --text description"
    assert f"{command} --label section --fold-labels\n" in result.stderr
    result = run("update", tmp_path / "svm.sieve", tickets, "--text", "title", exit_code=1)
    assert "read with --text title, and the model's documents with --text title --text description" in result.stderr


def test_the_retrain_command_has_column_numbers(tmp_path: Path, run: Run) -> None:
    (tmp_path / "x.csv").write_text("".join(f"{row[3]},{row[1]},{row[2]}\n" for row in rows()))
    options = ("--text", "1", "--text", "2", "--label", "0")
    run("train", tmp_path / "x.csv", "-o", tmp_path / "svm.sieve", *options, "--no-sources")
    result = run("update", tmp_path / "svm.sieve", tmp_path / "x.csv", *options, exit_code=1)
    assert f"{tmp_path}/x.csv -o {tmp_path}/svm.sieve --text 1 --text 2 --label 0\n" in result.stderr


def test_retraining_reads_the_columns_again_and_folds_labels(tmp_path: Path, run: Run) -> None:
    table = tmp_path / "tickets.csv"
    table.write_text("title,description,section\n" + "".join(f"{row[1]},{row[2]},{row[3]}\n" for row in rows()))
    with table.open("a") as file:
        file.write("the striker,and the goal,SPORT\n")
    corrections = tmp_path / "corrections.csv"
    corrections.write_text("title,description,section\na vote,for the keeper,Sport\n")
    run("train", table, "-o", tmp_path / "svm.sieve", *READ, "--fold-labels")
    printed = run("update", tmp_path / "svm.sieve", corrections).stdout
    assert "tickets.csv: 61 documents, unchanged" in printed
    assert "1 document added" in printed
    assert "new class" not in printed
    assert "nothing was written" in run("update", tmp_path / "svm.sieve", corrections).stdout


def test_several_paths_have_a_line_each(tickets: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "more.jsonl").write_text('{"text": "goal striker", "label": "sport"}\n')
    printed = run("train", tickets, tmp_path / "more.jsonl", "-o", tmp_path / "m.sieve", *READ).stdout.splitlines()
    assert f"Columns of {tickets}: {USED.removeprefix('Columns: ')}" in printed
    assert f"Columns of {tmp_path / 'more.jsonl'}: text from 'text', label from 'label'" in printed


def test_a_column_given_twice_is_an_error(tickets: Path, tmp_path: Path, run: Run) -> None:
    result = run("train", tickets, "-o", tmp_path / "m", "--text", "title", "--text", "title", exit_code=1)
    assert result.stderr == f"error: {tickets}: column 'title' is given twice for --text. Give each column once.\n"


# -- Excel ---------------------------------------------------------------------------------------------------------


def test_a_sheet_of_an_excel_file(model: Path, tickets: Path, tmp_path: Path, run: Run) -> None:
    path = tmp_path / "tickets.xlsx"
    with xlsxwriter.Workbook(str(path)) as workbook:
        workbook.add_worksheet("Notes").write(0, 0, "made in May")
        sheet = workbook.add_worksheet("Tickets")
        for number, row in enumerate([NAMES, *rows()]):
            sheet.write_row(number, 0, row)
    result = run("train", path, "-o", tmp_path / "x.sieve", *READ, exit_code=1)
    assert "sheet 'Notes': no column 'title' for --text" in result.stderr
    assert "Other sheets, for --sheet: 'Tickets'" in result.stderr
    printed = run("train", path, "--sheet", "Tickets", "-o", tmp_path / "x.sieve", *READ).stdout
    assert "Columns: sheet 'Tickets', text from 'title' and 'description'" in printed
    assert predicted(run("predict", tmp_path / "x.sieve", path).stdout) == [row[3] for row in rows()], "remembered"
    assert predicted(run("predict", tmp_path / "x.sieve", tickets).stdout) == [row[3] for row in rows()]
    assert predicted(run("predict", model, "-", "--sheet", "Tickets", input=path.read_bytes()).stdout) == [
        row[3] for row in rows()
    ]
    printed = run("update", tmp_path / "x.sieve", path).stdout
    assert "tickets.xlsx: 60 documents, unchanged" in printed, "the sheet is read again"
    run("train", path, "--sheet", "Tickets", "-o", tmp_path / "x.sieve", *READ, "--no-sources")
    assert "--label section --sheet Tickets\n" in run("update", tmp_path / "x.sieve", path, exit_code=1).stderr
    result = run("predict", model, tickets, "--sheet", "Tickets", exit_code=1)
    assert "--sheet Tickets: it is for Excel files, but this is csv" in result.stderr


# -- encodings -----------------------------------------------------------------------------------------------------


def test_an_encoding_is_guessed_and_named_once(model: Path, tmp_path: Path, run: Run) -> None:
    table = [[row[0], row[1], f"{row[2]} Größe, Höhe und Straße in München", row[3]] for row in rows()]
    path = write_table(tmp_path / "latin.csv", table, "cp1252")
    for command in (("train", path, "-o", tmp_path / "x.sieve", *READ), ("evaluate", model, path)):
        errors = run(*command).stderr
        assert errors == f"warning: {path} is not UTF-8; read as windows-1252; --encoding names another encoding.\n"
    assert "größe" in textsieve.load(tmp_path / "x.sieve").model_.terms


# -- labels --------------------------------------------------------------------------------------------------------


def misspelt(n: int = 20) -> list[list[str]]:
    """Return the rows with every fifth label in uppercase, and a space after every seventh."""
    return [
        [*row[:3], (row[3].upper() if number % 5 == 0 else row[3]) + (" " if number % 7 == 0 else "")]
        for number, row in enumerate(rows(n))
    ]


@pytest.mark.parametrize("command", ["train", "terms", "compare"])
def test_labels_in_several_spellings_are_reported_once(command: str, tmp_path: Path, run: Run) -> None:
    path = write_table(tmp_path / "x.csv", misspelt())
    more = {
        "train": ["-o", tmp_path / "x.sieve"],
        "terms": [],
        "compare": ["--results", tmp_path / "results.jsonl", "--selectors", "df", "--terms", "9", "--folds", "2"],
    }
    errors = run(command, path, *READ, *more[command]).stderr
    assert errors.count("labels that differ only in case or space are different classes") == 1
    assert "'sport' (" in errors
    assert "'SPORT' (" in errors
    assert "--fold-labels merges them." in errors
    (tmp_path / "results.jsonl").unlink(missing_ok=True)
    errors = run(command, path, *READ, *more[command], "--fold-labels").stderr
    assert "differ only in case" not in errors


def test_folded_labels_are_those_of_the_model_later(tmp_path: Path, run: Run, ask: Callable[..., Any]) -> None:
    path = write_table(tmp_path / "x.csv", misspelt())
    trained = tmp_path / "x.sieve"
    run("train", path, "-o", trained, *READ, "--fold-labels", "--classifier", "nb", "--keep-stats")
    classes = sorted({row[3] for row in rows()})
    assert sorted(textsieve.load(trained).model_.classes) == classes
    upper = write_table(tmp_path / "upper.csv", [[*row[:3], row[3].upper()] for row in rows()])
    assert ask("evaluate", trained, upper)["accuracy"] == 1, "the model remembers the option"
    new = write_table(tmp_path / "new.csv", [["1", "goal keeper", "striker stadium", "SPORT"]])
    assert [row["label"] for row in ask("update", trained, new)["classes"]] == ["sport"]


def test_labels_can_be_folded_for_a_model_that_was_trained_without(
    model: Path, tmp_path: Path, run: Run, ask: Callable[..., Any]
) -> None:
    upper = write_table(tmp_path / "upper.csv", [[*row[:3], row[3].upper()] for row in rows()])
    assert ask("evaluate", model, upper)["accuracy"] == 0
    assert ask("evaluate", model, upper, "--fold-labels")["accuracy"] == 1
    assert "SPORT" in run("update", model, upper, exit_code=1).stderr
    assert ask("update", model, upper, "--fold-labels", "--dry-run")["read"] == len(rows())


def test_several_paths_are_folded_together(tmp_path: Path, run: Run) -> None:
    lower = write_table(tmp_path / "lower.csv", rows(6))
    upper = write_table(tmp_path / "upper.csv", [[*row[:3], row[3].upper()] for row in rows(20)])
    run("train", lower, upper, "-o", tmp_path / "x.sieve", *READ, "--fold-labels")
    assert all(str(label).isupper() for label in textsieve.load(tmp_path / "x.sieve").model_.classes)


def test_test_documents_of_compare_get_the_spelling_of_the_training_documents(
    tickets: Path, tmp_path: Path, ask: Callable[..., Any]
) -> None:
    upper = write_table(tmp_path / "upper.csv", [[*row[:3], row[3].upper()] for row in rows()])
    options = ["--selectors", "df", "--terms", "all", "--classifiers", "nb", "--fold-labels"]
    compared = ask("compare", tickets, "--test", upper, *READ, "--results", tmp_path / "results.jsonl", *options)
    assert '"accuracy": 1.0' in json.dumps(compared)


# -- columns by number, and wrong formats --------------------------------------------------------------------------


def test_a_header_read_as_a_document_is_a_warning(tickets: Path, tmp_path: Path, run: Run) -> None:
    result = run("train", tickets, "-o", tmp_path / "x.sieve", "--text", "1", "--text", "2", "--label", "3")
    assert "give their names: --text title --text description --label section.\n" in result.stderr


def test_a_wrong_format_is_named(tickets: Path, tmp_path: Path, run: Run) -> None:
    result = run("train", tickets, "-o", tmp_path / "x.sieve", "--format", "jsonl", exit_code=1)
    assert "The content looks like csv (comma-separated columns with a header); correct --format." in result.stderr
