"""`textsieve suggest`: the documents of a pool to label next, as JSON lines."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from tests.reference.cli_cases import PLAIN_OPTIONS, SUBJECTS, Run, documents, lines, write_csv

import textsieve

WORDS = [word for words in SUBJECTS.values() for word in words]


def made_texts(n: int = 40) -> list[str]:
    draw = random.Random(5)
    return [" ".join(draw.sample(WORDS, 4)) for _ in range(n)]


def records(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    """A table without labels."""
    path = tmp_path / "pool.csv"
    path.write_text("id,body\n" + "".join(f"a{number},{text}\n" for number, text in enumerate(made_texts())))
    return path


def test_each_suggestion_has_a_line(model: Path, pool: Path, run: Run) -> None:
    result = run("suggest", model, pool, "-n", 5)
    suggestions = textsieve.suggest_documents(textsieve.load(model), made_texts(), n=5)
    assert records(result.stdout) == [suggestion.as_dict() for suggestion in suggestions]
    assert [list(record) for record in records(result.stdout)] == 5 * [
        ["text", "number", "predicted", "probability", "why"]
    ]
    assert result.stderr == ""


def test_the_output_goes_to_a_file_with_kept_columns(model: Path, pool: Path, tmp_path: Path, run: Run) -> None:
    output = tmp_path / "todo.jsonl"
    result = run("suggest", model, pool, "-n", 3, "--keep", "id", "-o", output)
    suggestions = records(output.read_text())
    assert [record["id"] for record in suggestions] == [f"a{record['number'] - 1}" for record in suggestions]
    assert result.stdout == ""
    assert result.stderr == f"note: 40 documents read; 3 documents to label written to {output}.\n"


def test_labelled_documents_are_skipped_unless_labels_are_ignored(model: Path, tmp_path: Path, run: Run) -> None:
    texts = made_texts(10)
    pool = write_csv(tmp_path / "pool.csv", [(text, "sport" if n < 6 else "") for n, text in enumerate(texts)])
    result = run("suggest", model, pool)
    assert {record["text"] for record in records(result.stdout)} == set(texts[6:])
    assert result.stderr == "note: 10 documents read, 6 skipped (6 labelled); 4 documents to label written.\n"
    assert len(records(run("suggest", model, pool, "--ignore-labels").stdout)) == 10


def test_labels_of_standard_input_can_be_ignored(model: Path, run: Run) -> None:
    pool = "".join(json.dumps({"text": text, "label": "sport"}) + "\n" for text in made_texts(4))
    assert len(records(run("suggest", model, "-", "--ignore-labels", input=pool).stdout)) == 4


def test_another_column_is_not_taken_for_the_label(model: Path, tmp_path: Path, run: Run) -> None:
    pool = tmp_path / "pool.csv"
    pool.write_text("body,sender\n" + "".join(f"{text},me\n" for text in made_texts(4)))
    assert len(records(run("suggest", model, pool).stdout)) == 4
    assert run("suggest", model, pool, "--label", "sender", exit_code=1).stdout == ""


@pytest.mark.parametrize("name", ["pool.jsonl", "pool.txt", "-"])
def test_pools_of_other_formats(model: Path, tmp_path: Path, run: Run, name: str) -> None:
    texts = made_texts(5)
    content = "\n".join(texts if name == "pool.txt" else [json.dumps({"body": text}) for text in texts])
    (tmp_path / "pool.jsonl").write_text(content)
    path = tmp_path / "pool.jsonl"
    if name == "pool.txt":
        path = path.rename(tmp_path / name)
    result = run("suggest", model, "-" if name == "-" else path, input=content if name == "-" else None)
    assert {record["text"] for record in records(result.stdout)} == set(texts)


def test_a_folder_gives_the_names_of_files(model: Path, tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "pool"
    folder.mkdir()
    for number, text in enumerate(made_texts(4)):
        (folder / f"{number}.txt").write_text(text)
    suggestions = records(run("suggest", model, folder).stdout)
    assert {record["file"]: record["text"] for record in suggestions} == {
        f"{number}.txt": text for number, text in enumerate(made_texts(4))
    }


def test_corrections_are_not_suggested_again(model: Path, pool: Path, tmp_path: Path, run: Run) -> None:
    texts = made_texts()
    corrections = lines(tmp_path / "feedback.jsonl", *((text, "sport") for text in texts[:9]))
    with corrections.open("a") as file:
        file.write('{"text": "half a li')
    (tmp_path / "new.jsonl").touch()
    result = run("suggest", model, pool, "--exclude", corrections, "--exclude", tmp_path / "new.jsonl")
    assert {record["text"] for record in records(result.stdout)} == set(texts[9:])
    assert "9 skipped (9 known)" in result.stderr


def test_documents_of_updates_are_not_suggested_again(
    updatable_model: Path, pool: Path, tmp_path: Path, run: Run
) -> None:
    corrections = lines(tmp_path / "feedback.jsonl", *((text, "sport") for text in made_texts()[:9]))
    run("update", updatable_model, corrections)
    result = run("suggest", updatable_model, pool)
    assert {record["text"] for record in records(result.stdout)} == set(made_texts()[9:])


def test_multilabel_models_list_labels(tagger: Path, tmp_path: Path, run: Run) -> None:
    pool = lines(tmp_path / "pool.jsonl", *({"text": text} for text in made_texts(9)))
    suggestions = records(run("suggest", tagger, pool, "-n", 4).stdout)
    assert [record["predicted"] for record in suggestions] == [
        list(labels) for labels in textsieve.load(tagger).predict([record["text"] for record in suggestions])
    ]
    assert all(record["why"].startswith("near the threshold of ") for record in suggestions)


def test_suggestions_are_a_pool_without_labels(model: Path, pool: Path, tmp_path: Path, run: Run) -> None:
    """A prediction must not be taken for a label."""
    todo = tmp_path / "todo.jsonl"
    run("suggest", model, pool, "-n", 6, "-o", todo)
    assert len(records(run("suggest", model, todo).stdout)) == 6


# -- bad input -------------------------------------------------------------------------------------------------------


def test_a_pool_with_nothing_to_label_is_an_error(model: Path, news: Path, tmp_path: Path, run: Run) -> None:
    result = run("suggest", model, news, exit_code=1)
    n = len(documents())
    assert result.stderr == (
        f"error: {news}: no document is left to label: {n} documents read, {n} skipped ({n} labelled). "
        "--ignore-labels suggests labelled documents, too.\n"
    )
    (tmp_path / "blank.jsonl").write_text('{"text": " "}\n')
    result = run("suggest", model, tmp_path / "blank.jsonl", exit_code=1)
    assert "no document is left to label: 1 document read, 1 skipped (1 empty)" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "exit_code", "message"),
    [
        (["-n", "0"], 2, "0 is not in the range x>=1"),
        (["--keep", "text"], 2, "'text' is a key of the suggestions"),
        (["--keep", "colour"], 1, "no column 'colour' for --keep"),
        (["--text", "colour"], 1, "no column 'colour' for --text"),
        (["--exclude", "missing.jsonl"], 1, "missing.jsonl"),
    ],
)
def test_wrong_options_are_errors(
    model: Path, pool: Path, run: Run, arguments: list[str], exit_code: int, message: str
) -> None:
    assert message in run("suggest", model, pool, *arguments, exit_code=exit_code).stderr


def test_an_input_is_not_overwritten(model: Path, pool: Path, run: Run) -> None:
    for path in (model, pool):
        before = path.read_bytes()
        assert "is read here, and would be overwritten" in run("suggest", model, pool, "-o", path, exit_code=1).stderr
        assert path.read_bytes() == before


def test_the_wrong_order_of_paths_gets_a_hint(model: Path, pool: Path, run: Run) -> None:
    assert f"textsieve suggest {model} {pool}" in run("suggest", pool, model, exit_code=1).stderr


def test_corrections_of_a_retraining_update_are_not_suggested_again(model: Path, tmp_path: Path, run: Run) -> None:
    trained = tmp_path / "news.sieve"
    run("train", write_csv(tmp_path / "news.csv", documents()), "-o", trained, *PLAIN_OPTIONS)
    pool = tmp_path / "pool.txt"
    pool.write_text("the striker in parliament\nthe vote of the keeper\nan atom of a goal\n", encoding="utf-8")
    corrected = lines(tmp_path / "c.jsonl", ("the vote of the keeper", "politics"))
    run("update", trained, corrected)
    result = run("suggest", trained, pool, "-n", 3)
    texts = [json.loads(line)["text"] for line in result.stdout.splitlines()]
    assert sorted(texts) == ["an atom of a goal", "the striker in parliament"]
    assert "1 skipped" in result.stderr


def test_kept_columns_may_be_separated_by_commas(model: Path, tmp_path: Path, run: Run) -> None:
    pool = tmp_path / "pool.csv"
    pool.write_text("id,date,body\n1,May,the striker in parliament\n2,June,the vote\n", encoding="utf-8")
    first = json.loads(run("suggest", model, pool, "--keep", "id,date").stdout.splitlines()[0])
    assert {"id", "date"} <= first.keys()
    assert "name the columns" in run("suggest", model, pool, "--keep", "all", exit_code=2).stderr


def test_the_ending_of_the_output_chooses_a_table(model: Path, tmp_path: Path, run: Run) -> None:
    pool = tmp_path / "pool.csv"
    pool.write_text("id,body\n7,the striker in parliament\n8,the vote\n", encoding="utf-8")
    run("suggest", model, pool, "--keep", "id", "-o", tmp_path / "todo.csv")
    rows = (tmp_path / "todo.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0] == "id,text,number,predicted,probability,why"
    assert len(rows) == 3
