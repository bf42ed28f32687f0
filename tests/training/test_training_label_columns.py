"""A column of IDs or dates is no label column: an error or a warning names a likelier column."""

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.reference.categorizer_cases import plain_categorizer

from textsieve import Corpus, InputError, TermCounter, compare, read
from textsieve.checking import check
from textsieve.corpus import label_column
from textsieve.errors import InputWarning

ROWS: list[dict[str, Any]] = [
    {
        "id": f"T-{number}",
        "body": ["moon rocket", "goal match"][number % 2] + f" word{number}",
        "section": ["space", "sport"][number % 2],
        "priority": number % 3,
        "note": "" if number % 3 else "urgent",
        "constant": "x",
        "date": f"2024-05-{number % 20 + 1:02}",
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


def test_a_name_that_two_columns_of_parquet_have_is_not_suggested(tmp_path: Path) -> None:
    arrays = [pa.array([row[name] for row in ROWS]) for name in ("id", "body", "section", "section")]
    pq.write_table(pa.Table.from_arrays(arrays, names=["id", "body", "twice", "twice"]), tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"name the column of the classes with label"):
        plain_categorizer(classifier="nb").fit(read(tmp_path / "a.parquet", text="body", label="id"))


def test_all_row_groups_of_parquet_count(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame(ROWS).write_parquet(path, row_group_size=4)
    with pytest.raises(InputError, match=r"Did you mean label='section'\?"):
        plain_categorizer(classifier="nb").fit(read(path, text="body", label="id"))


def test_a_column_of_ids_raises_before_anything_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest of the file is not read: it has a line that would raise another error."""
    monkeypatch.setattr(label_column, "BEGINNING_DOCUMENTS", 1_000)
    lines = [f"{number},moon rocket,{number % 2}" for number in range(30_000)]
    path = tmp_path / "tickets.csv"
    path.write_text("\n".join(["id,body,section", *lines, "one,field,too,many"]))
    message = r"1,000 different labels of the first 1,000 labelled documents; .*label='section'\? If these are"
    for counting in (
        lambda corpus: plain_categorizer(classifier="nb").fit(corpus),
        lambda corpus: compare(corpus, selectors="chi", n_terms=5, classifiers="nb", folds=2),
        check,
    ):
        monkeypatch.setattr(TermCounter, "partial_fit_transform", lambda *_: pytest.fail("a text is counted"))
        with pytest.raises(InputError, match=message):
            counting(read(path, text="body", label="id"))


def test_training_warns_of_dates_once_and_names_a_likelier_column(tmp_path: Path) -> None:
    corpus = read(written(tmp_path, "csv"), text="body", label="date")
    message = r"csv: the labels in column 'date' look like dates .*'2024-05-01'\. Did you mean label='section'\?$"
    with pytest.warns(InputWarning, match=message) as caught:
        plain_categorizer(classifier="nb").fit(corpus)
    assert len(caught) == 1


def test_evaluation_checks_labels_that_the_model_does_not_know(tmp_path: Path) -> None:
    path = written(tmp_path, "csv")
    model = plain_categorizer(classifier="nb").fit(read(path, text="body", label="section"))
    with pytest.raises(InputError, match=r"60 different labels of 60 .*Did you mean label='section'\?"):
        model.evaluate(read(path, text="body", label="id"))
    with pytest.warns(InputWarning, match=r"the labels in column 'date' look like dates"):
        model.evaluate(read(path, text="body", label="date"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.evaluate(read(path, text="body", label="section")).accuracy == 1
        with pytest.warns(InputWarning):
            dates = plain_categorizer(classifier="nb").fit(read(path, text="body", label="date"))
        dates.evaluate(read(path, text="body", label="date"))  # dates are the classes of this model
