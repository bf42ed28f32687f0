"""Tables of every kind have the cells that were written, and replace an old file only when they are complete."""

import csv
import math
import re
import zipfile
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from python_calamine import CalamineWorkbook

import textsieve
from textsieve import InputError, extras, table_files
from textsieve.table_files import TABLE_KINDS, open_table, plain_cell, table_kind

COLUMNS = ["text", "number"]
ODD_TEXTS = [
    "=1+1",
    "+1",
    "-1",
    "@x",
    "\t=1",
    "https://example.org",
    "007",
    "1e5",
    "true",
    "",
    " ",
    'a"b',
    "a,b",
    "a\rb",
]


def write(path: Path, columns: list[str], *batches: list[list[Any]]) -> Path:
    kind = table_kind(str(path))
    assert kind is not None
    with open_table(str(path), kind, columns) as write_rows:
        for batch in batches:
            write_rows(batch)
    return path


def read(path: Path) -> list[list[Any]]:
    """Return the rows of a table, as another program reads them; the first has the names of the columns."""
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        return [table.column_names, *map(list, zip(*(column.to_pylist() for column in table.columns), strict=True))]
    if path.suffix == ".xlsx":
        return CalamineWorkbook.from_path(str(path)).get_sheet_by_index(0).to_python(skip_empty_area=False)
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ","))


@pytest.mark.parametrize("ending", TABLE_KINDS)
def test_texts_stay_texts(ending: str, tmp_path: Path) -> None:
    rows = [[text, number] for number, text in enumerate(ODD_TEXTS)]
    path = write(tmp_path / f"x{ending}", COLUMNS, rows[:3], [], rows[3:])
    names, *cells = read(path)
    assert names == COLUMNS
    assert [text for text, _ in cells] == ODD_TEXTS
    assert [float(number) for _, number in cells] == list(range(len(rows)))


def test_excel_has_no_formulas_or_links(tmp_path: Path) -> None:
    path = write(tmp_path / "x.xlsx", ["=A1"], [[text] for text in ODD_TEXTS])
    with zipfile.ZipFile(path) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
        assert "<f>" not in sheet
        assert "hyperlink" not in sheet
        assert not [name for name in archive.namelist() if "rels" in name and "sheet" in name]


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)


@given(
    rows=st.lists(st.tuples(texts, texts), min_size=1, max_size=5), ending=st.sampled_from([".csv", ".tsv", ".parquet"])
)
def test_any_texts_are_read_back(
    rows: list[tuple[str, str]], ending: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = write(tmp_path_factory.mktemp("tables") / f"x{ending}", ["text", "label"], [list(row) for row in rows])
    assert read(path)[1:] == [list(row) for row in rows]


def test_the_library_reads_its_own_tables(tmp_path: Path) -> None:
    rows = [["a, b", "x"], ['say "hi"\nand', "y"], ["tab\there", "z"]]
    for ending in (".csv", ".tsv", ".parquet"):
        path = write(tmp_path / f"x{ending}", ["text", "label"], rows)
        assert [[text, *labels] for text, labels in textsieve.read(path)] == rows


def test_types_of_parquet_columns_are_those_of_all_cells(tmp_path: Path) -> None:
    columns = {
        "nothing": [None, None, None],
        "integer": [None, 1, -(2**63)],
        "float": [1, None, 2.5],
        "truth": [True, None, False],
        "mixed": [None, 1, "x"],
        "large": [1, 2**63, None],
        "nested": [{"é": [1]}, None, []],
        "not a number": [math.nan, 1.5, None],
        "truths and numbers": [True, 1, 2.5],
    }
    path = write(tmp_path / "x.parquet", list(columns), *([list(row)] for row in zip(*columns.values(), strict=True)))
    table = pq.read_table(path)
    assert [str(kind) for kind in table.schema.types] == [
        *("string", "int64", "double", "bool", "string", "string", "string", "double", "string"),
    ]
    assert table.column("mixed").to_pylist() == [None, "1", "x"]
    assert table.column("large").to_pylist() == ["1", str(2**63), None]
    assert table.column("nested").to_pylist() == ['{"é": [1]}', None, "[]"]
    assert table.column("truths and numbers").to_pylist() == ["true", "1", "2.5"]


def test_parquet_has_row_groups_of_limited_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_files, "GROUP_ROWS", 4)
    path = write(tmp_path / "x.parquet", COLUMNS, [["a", number] for number in range(10)])
    assert [pq.ParquetFile(path).metadata.row_group(group).num_rows for group in range(3)] == [4, 4, 2]
    assert read(path)[-1] == ["a", 9]
    monkeypatch.setattr(table_files, "GROUP_BYTES", 100)
    path = write(tmp_path / "y.parquet", COLUMNS, [["a" * 90, number] for number in range(3)])
    assert [pq.ParquetFile(path).metadata.row_group(group).num_rows for group in range(2)] == [2, 1]


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        *((None, None), (True, True), (5, 5), (-0.5, -0.5), ("x", "x")),
        *((math.inf, "inf"), (math.nan, None), (2**70, str(2**70))),
        *(
            ([1, "é"], '[1, "é"]'),
            ({"a": None}, '{"a": null}'),
            ("a\ud800", "a\ufffd"),
            ({"a": "\ud800"}, '{"a": "\ufffd"}'),
        ),
    ],
)
def test_cells_have_plain_values(value: object, cell: object) -> None:
    assert plain_cell(value) == cell
    assert type(plain_cell(value)) is type(cell)


def test_excel_has_a_filter_a_frozen_header_and_fitting_columns(tmp_path: Path) -> None:
    rows = [["T1", "a word " * 100, 0.5, 12.5], ["T2000000000", "short\nlines", 0.1234567890123456, 2563.874492]]
    path = write(tmp_path / "x.xlsx", ["id", "text", "probability", "x"], rows)
    assert read(path)[1:] == rows, "numbers are stored exactly"
    with zipfile.ZipFile(path) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
        styles = archive.read("xl/styles.xml").decode()
    assert '<autoFilter ref="A1:D3"/>' in sheet
    assert 'ySplit="1"' in sheet
    assert 'state="frozen"' in sheet
    widths = [int(float(width)) for width in re.findall(r'<col [^>]*width="([\d.]+)"', sheet)]
    assert widths == [12, 60, 15, 9]
    assert 'formatCode="0.000"' in styles
    assert "wrapText" not in styles
    formats = dict(re.findall(r'<c r="([CD]\d)"(?: s="(\d)")?>', sheet))
    assert formats == {"C2": "2", "D2": "", "C3": "2", "D3": "2"}


def test_cells_of_excel(tmp_path: Path) -> None:
    row = [True, 1.5, 2**53, 2**53 + 1, None, "a\x01\0b", "x" * 40_000]
    with pytest.warns(UserWarning, match="1 text in the Excel file is cut to 32,767 characters"):
        path = write(tmp_path / "x.xlsx", [str(number) for number in range(len(row))], [row])
    truth, fraction, exact, inexact, empty, control, long = read(path)[1]
    assert (truth, fraction, exact, inexact, empty) == (True, 1.5, 2**53, str(2**53 + 1), "")
    assert control.startswith("a")
    assert len(long) == 32_767


def test_a_table_that_excel_cannot_hold_raises_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_files, "MAX_EXCEL_ROWS", 3)
    assert len(read(write(tmp_path / "x.xlsx", COLUMNS, [["a", 1]] * 2))) == 3
    old = (tmp_path / "x.xlsx").read_bytes()
    with pytest.raises(InputError, match=r"x\.xlsx: a sheet of Excel has at most 2 rows; write \.csv or \.parquet"):
        write(tmp_path / "x.xlsx", COLUMNS, [["a", 1]] * 3)
    monkeypatch.setattr(table_files, "MAX_EXCEL_COLUMNS", 1)
    with pytest.raises(InputError, match="at most 1 columns, and there are 2"):
        write(tmp_path / "x.xlsx", COLUMNS, [["a", 1]])
    assert (tmp_path / "x.xlsx").read_bytes() == old


@pytest.mark.parametrize("ending", TABLE_KINDS)
def test_an_old_file_stays_if_there_is_an_error(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{ending}"
    path.write_text("old")
    kind = table_kind(str(path))
    assert kind is not None
    with pytest.raises(ZeroDivisionError), open_table(str(path), kind, COLUMNS) as write_rows:
        write_rows([number, 1 // number] for number in (2, 1, 0))
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("ending", TABLE_KINDS)
def test_equal_tables_are_equal_files(ending: str, tmp_path: Path) -> None:
    rows: list[list[Any]] = [["a", 1], ["b", None]]
    once, twice = (write(tmp_path / f"{name}{ending}", COLUMNS, rows).read_bytes() for name in "xy")
    assert once == twice


def test_the_ending_chooses_the_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    for path in ("x", "x.jsonl", "csv", ".csv", "x.csv.gz", "x.txt"):
        assert table_kind(path) is None
    assert table_kind("a.b/X.CSV") is TABLE_KINDS[".csv"]
    with pytest.raises(InputError, match=r"x\.xls: \.xls can't be written; use one of \.csv, \.tsv, \.xlsx, \.parquet"):
        table_kind("x.xls")
    monkeypatch.setattr(extras, "is_installed", lambda name: False)
    extras.require_package.cache_clear()
    for path, message in (
        ("x.xlsx", r"Writing an Excel file needs xlsxwriter; pip install 'textsieve\[excel\]'"),
        ("x.parquet", r"Writing a Parquet file needs pyarrow; pip install 'textsieve\[parquet\]'"),
    ):
        with pytest.raises(InputError, match=message):
            table_kind(path)
    assert table_kind("x.csv") is TABLE_KINDS[".csv"]
