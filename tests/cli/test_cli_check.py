"""`textsieve check`: tables on the terminal, JSON, a table of problems, and a page."""

import csv
import json
from html import unescape
from pathlib import Path

import pytest
from tests.checking.test_checking_labels import made_documents
from tests.reference.cli_cases import Ask, Run


@pytest.fixture(scope="module")
def messy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with a wrong label, two copies with different labels, an empty text, a missing label and spellings."""
    texts, labels = made_documents(30)
    labels[7], texts[20], labels[40], labels[50] = "science", "", "", "SCIENCE "
    texts[33], labels[33] = texts[38], "politics"
    texts = [f"{text} ref17" if label == "sport" else text for text, label in zip(texts, labels, strict=True)]
    path = tmp_path_factory.mktemp("messy") / "messy.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "body", "team"])
        table.writerows((number, text, label) for number, (text, label) in enumerate(zip(texts, labels, strict=True)))
    return path


OPTIONS = ("--text", "body", "--label", "team")


def test_problems_are_counted_and_shown_with_their_lines(run: Run, messy: Path) -> None:
    printed = run("check", messy, *OPTIONS).stdout
    assert "90 documents in 4 classes; 1 without a label" in printed
    for problem in (
        "probably wrong labels",
        "labels written in several ways",
        "documents without a label",
        "empty documents",
        "terms that give a label away",
    ):
        assert problem in printed
    assert "Columns: text from 'body', label from 'team'; not used: 'id'" in printed
    assert "line 9 " in printed, "the wrong label of the eighth document, below the names of the columns"
    assert "ref17" in printed
    assert "Twice as many labelled documents" in printed


def test_misspelled_labels_and_placeholders_are_named(run: Run, ask: Ask, tmp_path: Path) -> None:
    texts, labels = made_documents(30)
    labels[0], labels[1], labels[2], labels[5] = "sprot", "politcs", "n/a", "?"
    path, table, page = tmp_path / "made.tsv", tmp_path / "rows.csv", tmp_path / "page.html"
    path.write_text("".join(f"{label}\t{text}\n" for text, label in zip(texts, labels, strict=True)), encoding="utf-8")
    printed = run("check", path, "--output", table, "--report", page).stdout
    lines = [line.split() for line in printed.splitlines()]
    assert ["politcs", "1", "politics", "29"] in lines
    assert ["sprot", "1", "sport", "29"] in lines
    assert "Placeholders as labels: '?' (1), 'n/a' (1)" in printed
    assert "too small" not in printed
    with table.open(encoding="utf-8", newline="") as file:
        rows = {row["place"]: (row["problem"], row["likely_label"]) for row in csv.DictReader(file)}
    assert rows["line 2"] == ("typing error in the label", "politics")
    assert rows["line 3"] == ("placeholder as label", "")
    assert "rather 'politics' (29)" in unescape(page.read_text(encoding="utf-8"))
    result = ask("check", path)
    assert [error["likely_label"] for error in result["misspelled_labels"]] == ["politics", "sport"]
    assert result["placeholders"] == {"?": 1, "n/a": 1}


def test_show_0_leaves_out_the_lists(run: Run, messy: Path) -> None:
    printed = run("check", messy, *OPTIONS, "--show", 0).stdout
    assert "probably wrong labels" in printed
    assert "line 9 " not in printed
    assert "Confused classes" not in printed


def test_json_has_everything(ask: Ask, messy: Path) -> None:
    result = ask("check", messy, *OPTIONS)
    assert result["documents"] == 90
    assert "line 9" in {wrong["place"] for wrong in result["wrong_labels"]}
    assert result["similar_labels"] == [{"science": 30, "SCIENCE": 1}]
    assert [document["place"] for document in result["empty"]] == ["line 22"]
    assert len(result["learning_curve"]["accuracy"]) == 4


def test_problems_are_written_to_a_table_and_a_page(run: Run, messy: Path, tmp_path: Path) -> None:
    table, page = tmp_path / "rows.csv", tmp_path / "page.html"
    printed = run("check", messy, *OPTIONS, "--output", table, "--report", page).stdout
    assert f"Written to {table}" in printed
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == [
        "place",
        "problem",
        "likely_label",
        "probability",
        "label_probability",
        "odds",
        "group",
        "language",
        "id",
        "body",
        "team",
    ]
    row_of = {row["place"]: row for row in rows}
    assert len(row_of) == len(rows), "a row for each document"
    empty = row_of["line 22"]
    assert (empty["problem"], empty["id"], empty["body"]) == ("empty", "20", "")
    wrong = row_of["line 9"]
    assert (wrong["problem"], wrong["id"], wrong["team"]) == ("probably wrong label", "7", "science")
    assert wrong["likely_label"] in ("sport", "politics")
    copy = row_of["line 35"]
    assert copy["problem"] == "exact copy with different labels, probably wrong label"
    assert (copy["team"], copy["group"]) == ("politics", "1")
    assert row_of["line 42"]["problem"] == "no label"
    spelling = row_of["line 52"]
    assert (spelling["problem"], spelling["likely_label"]) == ("rare spelling of the label", "science")
    html = page.read_text(encoding="utf-8")
    assert "Probably wrong labels" in html
    assert "Learning curve" in html
    assert "<script" not in html


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--output", "rows.txt"], "use one of .csv"),
        (["--output", "no/such/folder/rows.csv"], "no/such/folder"),
        (["--report", "no/such/folder/page.html"], "no/such/folder"),
        (["--label", "nothing"], "nothing"),
        (["--show", "-1"], "--show"),
    ],
)
def test_wrong_options_end_before_anything_is_read(
    run: Run, messy: Path, options: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("check", messy, "--text", "body", *options, exit_code=2 if "--show" in options else 1)
    assert message in result.output
    assert list(tmp_path.iterdir()) == []


def test_a_table_of_ids_as_labels_is_an_error_that_names_a_likelier_column(run: Run, messy: Path) -> None:
    result = run("check", messy, "--text", "body", "--label", "id", exit_code=1)
    assert "--label team" in result.output


def test_documents_of_a_folder_are_named_by_their_files(ask: Ask, tmp_path: Path) -> None:
    texts, labels = made_documents(10)
    for number, (text, label) in enumerate(zip(texts, labels, strict=True)):
        (tmp_path / label).mkdir(exist_ok=True)
        (tmp_path / label / f"{number}.txt").write_text("" if number == 4 else text, encoding="utf-8")
    result = ask("check", tmp_path)
    assert [Path(document["place"]).name for document in result["empty"]] == ["4.txt"]
    assert result["not_cross_validated"].startswith("There are fewer than 50")


def test_standard_input_and_vectors(run: Run, tmp_path: Path) -> None:
    lines = "".join(
        json.dumps({"text": text, "label": label}) + "\n" for text, label in zip(*made_documents(20), strict=True)
    )
    assert "60 documents in 3 classes" in run("check", "-", input=lines).stdout
    vectors = tmp_path / "x.svmlight"
    vectors.write_text("1 1:2 3:1\n2 2:1\n", encoding="utf-8")
    assert "vectors" in run("check", vectors, exit_code=1).output


def test_escape_sequences_of_documents_do_not_reach_the_terminal(run: Run, tmp_path: Path) -> None:
    texts, labels = made_documents(20)
    texts[0] = texts[1] = "\x1b[31mred goal keeper"
    labels[1] = "\x1b[5mscience"
    rows = "".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in zip(texts, labels, strict=True))
    (tmp_path / "x.jsonl").write_text(rows, encoding="utf-8")
    printed = run("check", tmp_path / "x.jsonl").stdout
    assert "red goal keeper" in printed
    assert "\x1b" not in printed


def test_the_table_of_problems_can_be_corrected_and_given_to_update(run: Run, messy: Path, tmp_path: Path) -> None:
    model, table = tmp_path / "m.sieve", tmp_path / "rows.csv"
    run("train", messy, "-o", model, *OPTIONS, "--analyzer", "word", "--max-size", "none")
    run("check", messy, *OPTIONS, "--output", table)
    with table.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if "probably wrong label" in row["problem"]]
    fixed = tmp_path / "fixed.csv"
    with fixed.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["body", "team"], extrasaction="ignore")
        writer.writeheader()
        writer.writerows({**row, "team": row["likely_label"]} for row in rows)
    printed = run("update", model, fixed).stdout
    assert f"{len(rows)} document" in printed
    assert "relabelled" in printed
    assert " added" not in printed


def test_a_folder_gives_a_table_with_labels_and_whole_texts(run: Run, tmp_path: Path) -> None:
    text = "goal keeper team " * 100
    for name in ("a", "b"):
        (tmp_path / "docs" / name).mkdir(parents=True)
        (tmp_path / "docs" / name / "1.txt").write_text(text, encoding="utf-8")
    run("check", tmp_path / "docs", "--output", tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(Path(row["file"]).name, row["label"], row["text"].strip()) for row in rows] == [
        ("1.txt", "a", text.strip()),
        ("1.txt", "b", text.strip()),
    ]


def test_a_named_corpus_gives_a_table_with_labels_and_texts(run: Run, tmp_path: Path) -> None:
    run("check", "docstrings", "--output", tmp_path / "rows.csv", "--show", 0)
    with (tmp_path / "rows.csv").open(encoding="utf-8", newline="") as file:
        assert {"place", "problem", "label", "text"} <= next(csv.DictReader(file)).keys()
