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
def test_up_to_nine_tenths_may_be_different(n_repeated: int) -> None:
    labels = [f"label {max(number, n_repeated)}" for number in range(60)]  # 60 - n_repeated different ones
    corpus = Corpus.from_texts([row["body"] for row in ROWS], labels)
    if n_repeated == 6:
        plain_categorizer(classifier="nb").fit(corpus)
    else:
        with pytest.raises(InputError, match=r"^texts: 55 different labels of 60 labelled documents"):
            plain_categorizer(classifier="nb").fit(corpus)


def test_few_documents_lists_of_texts_and_label_sets_are_not_checked() -> None:
    texts, labels = [row["body"] for row in ROWS], [row["id"] for row in ROWS]
    plain_categorizer(classifier="nb").fit(Corpus.from_texts(texts[:49], labels[:49]))
    plain_categorizer(classifier="nb").fit(texts, labels)
    plain_categorizer(classifier="nb", folds=2).fit(Corpus.from_texts(texts, [[label, "all"] for label in labels]))


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
