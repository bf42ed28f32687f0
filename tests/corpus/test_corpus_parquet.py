"""Parquet: all types of columns that may hold texts, labels and values to keep, however they are encoded."""

from __future__ import annotations

import os
from datetime import date, datetime
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from textsieve.corpus import read
from textsieve.corpus.readers import parquet
from textsieve.corpus.source import Source
from textsieve.errors import InputError, Place

TEXTS = ["a", "é b", None]
LISTS = [["x", "y"], ["x", None], [], None]
STRINGS = pa.string()
LARGE = pa.large_string()
DICTIONARY = pa.dictionary(pa.int32(), STRINGS)


def write(path: Path, columns: dict[str, Any], **options: Any) -> Path:
    """Write a table in row groups of two rows."""
    try:
        pq.write_table(pa.table(columns), path / "x.parquet", row_group_size=2, **options)
    except pa.ArrowNotImplementedError as problem:
        pytest.skip(f"pyarrow {pa.__version__}: {problem}")  # older versions can't write views
    return path / "x.parquet"


@pytest.mark.parametrize("kind", [STRINGS, LARGE, pa.string_view(), DICTIONARY], ids=str)
def test_texts_and_labels_may_be_strings_of_any_type(tmp_path: Path, kind: Any) -> None:
    path = write(tmp_path, {"text": pa.array(TEXTS, kind), "label": pa.array(["x", None, "y"], kind)})
    assert list(read(path)) == [("a", ("x",)), ("é b", ()), ("", ("y",))]


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(1)], ids=str)
def test_texts_may_be_bytes_of_any_type(tmp_path: Path, kind: Any) -> None:
    corpus = read(write(tmp_path, {"text": pa.array([b"a", b"\xff", None], kind), "label": [1, 2, 3]}))
    assert list(corpus) == [("a", ("1",)), ("\ufffd", ("2",)), ("", ("3",))]
    assert corpus.report is not None
    assert corpus.report.replaced_bytes == 1


@pytest.mark.parametrize(
    ("kind", "encoding"),
    [
        *product((pa.list_(STRINGS), pa.large_list(LARGE), pa.list_view(STRINGS)), ("dictionary", "plain", "prefixes")),
        *product((pa.list_(pa.string_view()), pa.list_(DICTIONARY)), ("dictionary", "plain")),
    ],
    ids=str,
)
def test_labels_may_be_lists_of_any_type(tmp_path: Path, kind: Any, encoding: str) -> None:
    leaf = {"text": "DELTA_BYTE_ARRAY", "label.list.element": "DELTA_BYTE_ARRAY"} if encoding == "prefixes" else None
    columns = {"text": ["a", "ab", "abc", "abcd"], "label": pa.array(LISTS, kind)}
    corpus = read(write(tmp_path, columns, use_dictionary=encoding == "dictionary", column_encoding=leaf))
    assert list(corpus) == [("a", ("x", "y")), ("ab", ("x",)), ("abc", ()), ("abcd", ())]
    assert corpus.multilabel is True


def test_labels_may_be_lists_of_fixed_length_and_of_numbers(tmp_path: Path) -> None:
    texts = ["a", "b", "c"]
    path = write(
        tmp_path, {"text": texts, "label": pa.array([["x", "y"], ["x", None], ["z"] * 2], pa.list_(STRINGS, 2))}
    )
    assert list(read(path).labels()) == [("x", "y"), ("x",), ("z",)]
    path = write(tmp_path, {"text": texts, "label": pa.array([[1, 2], [3, None], []], pa.list_(pa.int64()))})
    assert list(read(path).labels()) == [("1", "2"), ("3",), ()]


def test_a_column_whose_name_contains_a_dot_is_not_part_of_another(tmp_path: Path) -> None:
    nested = [{"a": 1, "b": ["x"]}] * 3
    path = write(
        tmp_path,
        {
            "other": nested,
            "text": ["a", "b", "c"],
            "text.id": [1, 2, 3],
            "label": ["x", "y", "z"],
            "label.x": [4, 5, 6],
        },
    )
    (batch,) = read(path, keep=["label.x", "text.id", "text"]).batches()
    assert batch.kept == [{"label.x": n + 4, "text.id": n + 1, "text": text} for n, text in enumerate("abc")]
    assert batch.labels == [("x",), ("y",), ("z",)]


def test_kept_dates_and_decimals_are_strings_and_numbers_stay_numbers(tmp_path: Path) -> None:
    columns = {
        "text": ["a"],
        "day": [date(2020, 1, 2)],
        "time": [datetime(2020, 1, 2, 3, 4, 5, 6)],
        "price": [Decimal("1.50")],
        "share": [0.5],
        "count": [7],
        "ready": [True],
    }
    (batch,) = read(write(tmp_path, columns), label=False, keep=list(columns)[1:]).batches()
    expected = {"day": "2020-01-02", "time": "2020-01-02 03:04:05.000006", "price": "1.50"}
    assert batch.kept == [{**expected, "share": 0.5, "count": 7, "ready": True}]


def test_rows_are_read_one_by_one_if_many_share_a_long_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "BYTES_AT_ONCE", 2**14)
    texts = ["a" * 10_000, "b"] * 50
    pq.write_table(pa.table({"text": texts, "label": ["x"] * 100}), tmp_path / "x.parquet")
    sizes = [len(part[0]) for part in parquet._arrays(tmp_path / "x.parquet", [0, 1], Source(tmp_path / "x.parquet"))]
    assert sizes == [1] * 100
    assert list(read(tmp_path / "x.parquet").texts()) == texts


def test_a_string_that_is_not_utf_8_raises(tmp_path: Path) -> None:
    path = write(tmp_path, {"text": ["abc", "abd"], "label": ["x", "y"]}, use_dictionary=False, compression="none")
    path.write_bytes(path.read_bytes().replace(b"abd", b"ab\xff"))
    with pytest.raises(InputError, match=r"x\.parquet: cannot be read as Parquet: .*UTF8"):
        list(read(path))


def test_a_file_name_may_have_any_bytes(tmp_path: Path) -> None:
    path = write(tmp_path, {"text": ["a", "b"], "label": ["x", "y"]})
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9 *.parquet"))
    path.rename(odd)
    assert list(read(odd)) == [("a", ("x",)), ("b", ("y",))]


def test_an_error_in_a_row_has_its_place_as_data(tmp_path: Path) -> None:
    path = write(tmp_path, {"text": ["a", "b" * 100], "label": ["x", "y"]})
    with pytest.raises(InputError) as error:
        list(read(path, max_document=50))
    assert error.value.place == Place(str(path), "row 2")
