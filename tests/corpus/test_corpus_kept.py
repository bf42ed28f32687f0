"""Other columns kept for each document, and default names of columns."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from textsieve.corpus import read
from textsieve.corpus.batch import BATCH_DOCUMENTS
from textsieve.errors import InputError


def kept_values(path: Path, *names: str | int, **options: object) -> list[dict[str, object]]:
    return [values for batch in read(path, keep=names, **options).batches() for values in batch.kept or []]  # type: ignore[arg-type]


def test_nothing_is_kept_by_default(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("id,text,label\n1,a,b\n")
    assert [batch.kept for batch in read(tmp_path / "x.csv").batches()] == [None]


def test_every_batch_has_the_kept_values_of_its_documents(tmp_path: Path) -> None:
    n = 2 * BATCH_DOCUMENTS + 1
    (tmp_path / "x.csv").write_text("id,text,label\n" + "".join(f"{number},a,b\n" for number in range(n)))
    corpus = read(tmp_path / "x.csv", keep=["id"])
    sizes = [(len(batch), len(batch.kept or [])) for batch in corpus.batches()]
    assert sizes == [(BATCH_DOCUMENTS, BATCH_DOCUMENTS)] * 2 + [(1, 1)]
    assert kept_values(tmp_path / "x.csv", "id") == [{"id": str(number)} for number in range(n)]
    assert next(iter(corpus)) == ("a", ("b",)), "documents are pairs as ever"


def test_columns_to_keep_are_read_in_every_format(tmp_path: Path) -> None:
    rows = [{"id": 1, "text": "a", "label": "x", "day": date(2020, 1, 2)}, {"id": 2, "text": "b", "label": "y"}]
    pl.DataFrame(rows).write_parquet(tmp_path / "x.parquet")
    assert kept_values(tmp_path / "x.parquet", "id", "day") == [{"id": 1, "day": "2020-01-02"}, {"id": 2, "day": None}]
    assert kept_values(tmp_path / "x.parquet", "text", "label") == [
        {"text": "a", "label": "x"},
        {"text": "b", "label": "y"},
    ]
    (tmp_path / "x.jsonl").write_text('{"id": [1], "text": "a"}\n{"text": "b"}\n')
    assert kept_values(tmp_path / "x.jsonl", "id") == [{"id": [1]}, {"id": None}]
    (tmp_path / "x.json").write_text(json.dumps([{"id": 1, "text": "a"}]))
    assert kept_values(tmp_path / "x.json", "id", texts_only=True) == [{"id": 1}]
    (tmp_path / "x.tsv").write_text("x\tsome text\ny\tmore text\n")
    assert kept_values(tmp_path / "x.tsv", 0) == [{"0": "x"}, {"0": "y"}]


def test_the_file_name_can_be_kept_for_a_folder(tmp_path: Path) -> None:
    for name in ("a/1", "a/deep/2", "3"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text")
    assert [values["file"] for values in kept_values(tmp_path, "file")] == ["3", "a/1", "a/deep/2"]


def test_columns_that_cannot_be_kept_raise(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("just words\n")
    (tmp_path / "x.svm").write_text("1 1:2\n")
    pl.DataFrame({"text": ["a"], "label": ["b"], "bytes": [b"c"]}).write_parquet(tmp_path / "x.parquet")
    for name, column, message in (
        ("x.txt", "id", "keep='id': it is for formats with columns .* Leave it out"),
        ("x.svm", "id", "keep='id': it is for formats with columns"),
        (".", "id", "This format can keep 'file'"),
        ("x.parquet", "bytes", "keep='bytes': it holds large_binary"),
        ("x.parquet", "txt", r"no column 'txt' for keep\..*Did you mean 'text'"),
    ):
        with pytest.raises(InputError, match=message):
            read(tmp_path / name, keep=[column])
    with pytest.raises(InputError, match="give a list of columns"):
        read(tmp_path / "x.txt", keep="id")
    with pytest.raises(InputError, match="this is for files"):
        read("docstrings", keep=["id"])


def test_default_columns_precede_conventional_names(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("head,sect,text,label\na,b,c,d\n")
    usual = {"text": "head", "label": "sect"}
    assert list(read(tmp_path / "x.csv", usual=usual)) == [("a", ("b",))]
    assert list(read(tmp_path / "x.csv", usual={"text": "none"})) == [("c", ("d",))]
    assert list(read(tmp_path / "x.csv", usual=usual, text="text", label=False)) == [("c", ())]
    assert list(read(tmp_path / "x.csv", usual=usual, text="sect")) == [("b", ("d",))]
    assert list(read(tmp_path / "x.csv", usual=usual, label="head")) == [("c", ("a",))]


def all_values(path: Path) -> list[dict[str, object]]:
    corpus = read(path, text="text", texts_only=True, keep="all")
    return [values for batch in corpus.batches() for values in batch.kept or []]


def test_all_columns_can_be_kept(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("id,note,text,note,note_2\n1,a,b,c,d\n")
    assert all_values(tmp_path / "x.csv") == [{"id": "1", "note": "a", "text": "b", "note_2": "c", "note_2_2": "d"}]
    (tmp_path / "x.jsonl").write_text('{"id": 1, "text": "a"}\n{"text": null, "late": [2]}\n')
    assert all_values(tmp_path / "x.jsonl") == [{"id": 1, "text": "a"}, {"text": None, "late": [2]}]
    rows = [{"id": 1, "text": b"caf\xe9", "tags": ["a", "b"], "where": {"x": 1}, "raw": b"x"}]
    pl.DataFrame(rows).write_parquet(tmp_path / "x.parquet")
    with pytest.warns(UserWarning, match="columns of objects or bytes are not kept: 'where', 'raw'"):
        assert all_values(tmp_path / "x.parquet") == [{"id": 1, "text": "caf\ufffd", "tags": ["a", "b"]}]


def test_all_of_a_folder_is_the_name_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/1.txt").write_text("x")
    assert [batch.kept for batch in read(tmp_path / "docs", keep="all").batches()] == [[{"file": "1.txt"}]]
    (tmp_path / "x.txt").write_text("just words\n")
    assert [batch.kept for batch in read(tmp_path / "x.txt", keep="all").batches()] == [None]
    assert next(read("docstrings", keep="all").batches()).kept is None
