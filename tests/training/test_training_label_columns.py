"""A column of IDs is no label column: training on a table raises an error that names a likelier column."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.reference.categorizer_cases import plain_categorizer

from textsieve import Corpus, InputError, compare, read
from textsieve.corpus.source import likely_label_columns

ROWS: list[dict[str, Any]] = [
    {
        "id": f"T-{number}",
        "body": ["moon rocket", "goal match"][number % 2] + f" word{number}",
        "section": ["space", "sport"][number % 2],
        "priority": number % 3,
        "note": "" if number % 3 else "urgent",
        "constant": "x",
    }
    for number in range(60)
]
WRITERS: dict[str, Callable[[Path, list[dict[str, Any]]], object]] = {
    "csv": lambda path, rows: pl.DataFrame(rows).write_csv(path),
    "jsonl": lambda path, rows: path.write_text("".join(json.dumps(row) + "\n" for row in rows)),
    "json": lambda path, rows: path.write_text(json.dumps(rows)),
    "parquet": lambda path, rows: pl.DataFrame(rows).write_parquet(path),
}


def written(folder: Path, ending: str, rows: list[dict[str, Any]] = ROWS) -> Path:
    path = folder / f"tickets.{ending}"
    WRITERS[ending](path, rows)
    return path


@pytest.mark.parametrize("ending", WRITERS)
def test_a_column_of_ids_raises_an_error_that_names_a_likelier_one(tmp_path: Path, ending: str) -> None:
    corpus = read(written(tmp_path, ending), text="body", label="id")
    message = r"60 different labels of 60 labelled documents; a class needs several .* Did you mean label='section'\?"
    with pytest.raises(InputError, match=message):
        plain_categorizer(classifier="nb").fit(corpus)


def test_without_a_likelier_column_the_error_names_the_setting(tmp_path: Path) -> None:
    rows = [{"id": row["id"], "body": row["body"]} for row in ROWS]
    corpus = read(written(tmp_path, "csv", rows), text="body", label="id")
    with pytest.raises(InputError, match=r"60 different labels.*name the column of the classes with label"):
        plain_categorizer(classifier="nb").fit(corpus)


def test_comparisons_raise_too_and_name_a_column_of_the_first_file(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    more = [row | {"id": f"{row['id']}-more"} for row in ROWS]
    files = [read(written(tmp_path, "csv"), text="body", label="id"), read(written(other, "csv", more), label="id")]
    with pytest.raises(InputError, match=r"120 different labels of 120 .*Did you mean label='section'\?"):
        compare(Corpus.chained(files), selectors="chi", n_terms=5, classifiers="nb", folds=2)


@pytest.mark.parametrize("n_repeated", [5, 6])
def test_up_to_nine_tenths_may_be_different(tmp_path: Path, n_repeated: int) -> None:
    rows = [row | {"id": f"label {max(number, n_repeated)}"} for number, row in enumerate(ROWS)]
    corpus = read(written(tmp_path, "csv", rows), text="body", label="id")  # 60 - n_repeated different labels
    if n_repeated == 6:
        plain_categorizer(classifier="nb").fit(corpus)
    else:
        with pytest.raises(InputError, match=r"csv: 55 different labels of 60 labelled documents"):
            plain_categorizer(classifier="nb").fit(corpus)


def test_few_rows_texts_in_memory_and_label_sets_are_not_checked(tmp_path: Path) -> None:
    texts, labels = [row["body"] for row in ROWS], [row["id"] for row in ROWS]
    few = read(written(tmp_path, "csv", ROWS[:49]), text="body", label="id")
    plain_categorizer(classifier="nb").fit(few)
    plain_categorizer(classifier="nb").fit(Corpus.from_texts(texts, labels))
    plain_categorizer(classifier="nb").fit(texts, labels)
    sets = [row | {"id": [row["id"], "all"]} for row in ROWS]
    plain_categorizer(classifier="nb", folds=2).fit(read(written(tmp_path, "jsonl", sets), text="body", label="id"))


def test_columns_that_cannot_be_labels_are_not_suggested(tmp_path: Path) -> None:
    """Neither long values that only begin alike, nor a name that two columns have, nor nested values."""
    lines = [f"{row['id']},{row['body']},https://www.example.org/an/address/that/is/long/{row['id']},x{row['priority']},y"
             for row in ROWS]  # fmt: skip
    (tmp_path / "a.csv").write_text("\n".join(["id,body,url,twice,twice", *lines]))
    with pytest.raises(InputError, match=r"name the column of the classes with label"):
        plain_categorizer(classifier="nb").fit(read(tmp_path / "a.csv", text="body", label="id"))
    nested = [row | {"meta": {"kind": row["section"]}} for row in ROWS]
    without_others = [{name: row[name] for name in ("id", "body", "meta")} for row in nested]
    corpus = read(written(tmp_path, "jsonl", without_others), text="body", label="id")
    with pytest.raises(InputError, match=r"name the column of the classes with label"):
        plain_categorizer(classifier="nb").fit(corpus)


def test_all_row_groups_of_parquet_count(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame(ROWS).write_parquet(path, row_group_size=4)
    with pytest.raises(InputError, match=r"Did you mean label='section'\?"):
        plain_categorizer(classifier="nb").fit(read(path, text="body", label="id"))


def test_a_failed_look_at_other_columns_leaves_out_the_hint() -> None:
    def fail() -> dict[str, list[object]]:
        raise InputError("damaged")

    corpus = Corpus("a.parquet", lambda report: iter(()), sample_columns=fail)
    with pytest.raises(InputError, match=r"^a\.parquet: 99 different labels of 100 .* classes with label"):
        corpus.require_repeated_labels(99, 100)


def test_likely_columns_repeat_their_values_and_are_filled() -> None:
    sample: dict[str, list[object]] = {
        "id": list(range(20)),
        "owner": ["a", "b", "c", "d"] * 5,
        "section": ["x", "y "] * 10,
        "Topic": ["u", "v", "w", "u"] * 5,
        "constant": ["x"] * 20,
        "seldom": ["a", "b", *[None] * 18],
        "many": [f"{number % 5}" for number in range(20)],
    }
    assert likely_label_columns(sample) == ["Topic", "section", "owner"]
    assert likely_label_columns({}) == []
