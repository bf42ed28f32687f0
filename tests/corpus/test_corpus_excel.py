"""Excel files: sheets, cells as text, numbers of rows, and files that are damaged or would fill the memory."""

from __future__ import annotations

import datetime
import io
import random
import re
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from textsieve.cli.opening import columns_lines
from textsieve.corpus import read
from textsieve.corpus.read_limits import DEFAULT_LIMITS
from textsieve.corpus.readers.excel import DamagedError, check_sizes
from textsieve.errors import InputError

Rows = list[list[Any]]
HEADER = ["text", "label"]


def write(path: Path, **sheets: Rows) -> Path:
    """Write sheets with these rows; None is an empty cell."""
    with xlsxwriter.Workbook(str(path)) as workbook:
        date = workbook.add_format({"num_format": "yyyy-mm-dd"})
        time = workbook.add_format({"num_format": "yyyy-mm-dd hh:mm"})
        for name, rows in sheets.items():
            sheet = workbook.add_worksheet(name)
            for row, cells in enumerate(rows):
                for column, cell in enumerate(cells):
                    is_time = isinstance(cell, datetime.datetime)
                    is_date = isinstance(cell, datetime.date) and not is_time
                    sheet.write(row, column, cell, time if is_time else date if is_date else None)
    return path


def test_the_first_sheet_is_read_unless_another_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "x.xlsx", One=[HEADER, ["x", "a"]], Two=[["body", "topic"], ["y", "b"]])
    assert list(read(path)) == [("x", ("a",))]
    assert list(read(path, sheet="Two")) == [("y", ("b",))]
    assert list(read(path, usual={"sheet": "Two"})) == [("y", ("b",))]
    assert list(read(path, usual={"sheet": "Three"})) == [("x", ("a",))], "a default need not exist"
    with pytest.raises(
        InputError, match=r"sheet='two': there is no such sheet. Sheets found: 'One', 'Two'. Did you mean 'Two'"
    ):
        read(path, sheet="two")
    assert str(read(path).tables[0]) == "sheet 'One', text from 'text', label from 'label'"
    assert columns_lines(read(path)) == [f"Columns: {read(path).tables[0]}; other sheets, for --sheet: 'Two'"]
    for options in ({"sheet": "One"}, {"usual": {"sheet": "Two"}}):
        named = read(path, **options)
        assert columns_lines(named) == [f"Columns: {named.tables[0]}"]


def test_kept_columns_have_numbers_and_truth_values(tmp_path: Path) -> None:
    date = datetime.date(2024, 5, 31)
    rows: Rows = [[*HEADER, "n", "ok"], ["x", 1, 5, True], ["y", "b", 0.1 + 0.2, date], ["z", 2.5, None, "c"]]
    (batch,) = read(write(tmp_path / "x.xlsx", One=rows), keep="all").batches()
    assert batch.labels == [("1",), ("b",), ("2.5",)]
    assert batch.kept == [
        {"text": "x", "label": 1, "n": 5, "ok": True},
        {"text": "y", "label": "b", "n": 0.3, "ok": "2024-05-31"},
        {"text": "z", "label": 2.5, "n": None, "ok": "c"},
    ]
    assert [type(values["n"]) for values in batch.kept] == [int, float, type(None)]


def test_a_hidden_sheet_is_not_the_first(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(str(tmp_path / "x.xlsx")) as workbook:
        hidden, visible = workbook.add_worksheet("Hidden"), workbook.add_worksheet("Visible")
        visible.activate()
        hidden.hide()
        for sheet, text in ((hidden, "hidden"), (visible, "visible")):
            sheet.write_row(0, 0, HEADER)
            sheet.write_row(1, 0, [text, "a"])
    assert list(read(tmp_path / "x.xlsx").texts()) == ["visible"]
    assert list(read(tmp_path / "x.xlsx", sheet="Hidden").texts()) == ["hidden"]


def test_a_column_in_another_sheet_is_an_error_that_names_the_sheets(tmp_path: Path) -> None:
    path = write(tmp_path / "x.xlsx", Info=[["made by me"]], Data=[HEADER, ["x", "a"]])
    with pytest.raises(InputError, match=r"x.xlsx: sheet 'Info': no column 'text' .* Other sheets, for sheet: 'Data'"):
        read(path, text="text")
    with pytest.raises(
        InputError, match=r"cannot tell which column .* Name it with text.* Other sheets, for sheet: 'Da"
    ):
        read(path)
    with pytest.raises(InputError, match=r"x.xlsx: sheet 'Empty': no documents, it is empty. Other sheets, for sheet"):
        read(write(tmp_path / "x.xlsx", Empty=[], Data=[HEADER, ["x", "a"]]))


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (5, "5"),
        (-2.5, "-2.5"),
        (0.1 + 0.2, "0.3"),
        (123456789012, "123456789012"),
        (1e21, "1e+21"),
        (True, "true"),
        (datetime.date(2024, 5, 31), "2024-05-31"),
        (datetime.datetime(2024, 5, 31, 14, 30), "2024-05-31 14:30:00"),
        ('=CONCATENATE("a", "b")', "0"),  # the value that is stored with the formula; the writer computes none
        (" a\nb ", " a\nb "),
        ("größe 漢字 😀", "größe 漢字 😀"),
    ],
)
def test_cells_become_text(tmp_path: Path, cell: Any, text: str) -> None:
    path = write(tmp_path / "x.xlsx", Data=[HEADER, [cell, "a"], ["x", cell]])
    assert list(read(path)) == [(text, ("a",)), ("x", (text.strip(),))]


def test_numbers_and_words_may_be_labels_of_one_column(tmp_path: Path) -> None:
    path = write(tmp_path / "x.xlsx", Data=[HEADER, ["x", 3], ["y", "3b"], ["z", None]])
    assert list(read(path).labels()) == [("3",), ("3b",), ()]


def test_rows_are_numbered_as_in_excel_and_blank_rows_are_skipped(tmp_path: Path) -> None:
    rows = [[], [None, *HEADER], [None, "x", "a"], [], [None, "y", "b"]]
    corpus = read(write(tmp_path / "x.xlsx", Data=rows))
    places = [place.name for _, places in corpus.placed_batches() for place in places]
    assert places == ["row 3", "row 5"]
    assert str(corpus.report) == "2 documents, 1 blank row skipped"
    corpus = read(write(tmp_path / "x.xlsx", Data=[*rows, [None, "z", "nan"]]))
    with pytest.raises(InputError, match=r"x.xlsx: row 6: the label is nan"):
        list(corpus)


def test_a_sheet_without_a_header_has_numbered_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "x.xlsx", Data=[["a", "hello there"], ["b", "and more"]])
    assert list(read(path, text=1, label=0)) == [("hello there", ("a",)), ("and more", ("b",))]


def test_a_large_document_raises(tmp_path: Path) -> None:
    path = write(tmp_path / "x.xlsx", Data=[HEADER, ["x", "a"], ["long " * 100, "a"]])
    corpus = read(path, max_document=100, max_unpacked=10**6)
    with pytest.raises(InputError, match=r"x.xlsx: row 3: one document has 501 bytes or more, and the limit is 100"):
        list(corpus)


# -- files that are made to fill the memory, and damaged ones -------------------------------------------------------


def edit(path: Path, member: str, change: Callable[[str], str]) -> Path:
    """Change the text of a member of the archive."""
    with zipfile.ZipFile(path) as archive:
        contents = {info.filename: archive.read(info) for info in archive.infolist()}
    contents[member] = change(contents[member].decode()).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return path


SHEET = "xl/worksheets/sheet1.xml"


def test_cells_far_apart_do_not_fill_the_memory(tmp_path: Path) -> None:
    rows = [HEADER, ["x", "a"]]
    path = edit(write(tmp_path / "x.xlsx", Data=rows), SHEET, lambda xml: xml.replace('r="B2"', 'r="XFD1048576"'))
    with pytest.raises(
        InputError, match=r"bytes unpack to 549,7\d\d,\d{3},\d{3} or more, and the limit is 100,000,000"
    ):
        read(path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('r="B2"', 'r="xfd1048576"'),
        ('r="B2"', 'r="$XfD$1048576"'),
        # A cell without a reference is in the row of its row element, not in that of the cell before.
        ('<row r="2"', '<row r="1048576"><c r="XFC1"><v>1</v></c><c><v>1</v></c></row><row r="2"'),
    ],
)
def test_cells_far_apart_are_found_however_they_are_written(tmp_path: Path, old: str, new: str) -> None:
    path = write(tmp_path / "x.xlsx", Data=[HEADER, ["x", "a"]])
    edit(path, SHEET, lambda xml: xml.replace(old, new, 1))
    with pytest.raises(InputError, match=r"bytes unpack to 549,7\d\d,\d{3},\d{3} or more"):
        check_sizes(path, "x.xlsx", DEFAULT_LIMITS)  # not `read`, which would end the process if this does not raise


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *(('r="B2"', f'r="{new}"') for new in ("AAAA2", "XFE2", "B1048577", "B12345678", "B0", "B", "2", "", "B2:C3")),
        *(('<row r="2"', f'<row r="{new}"') for new in ("A2", "two", "", "0", "1048577", "123456789", "-1", "²")),
    ],
)
def test_a_reference_that_excel_does_not_have_raises(tmp_path: Path, old: str, new: str) -> None:
    path = write(tmp_path / "x.xlsx", Data=[HEADER, ["x", "a"]])
    edit(path, SHEET, lambda xml: xml.replace(old, new, 1))
    with pytest.raises(DamagedError, match=r"is no reference to a (cell|row)"):
        check_sizes(path, "x.xlsx", DEFAULT_LIMITS)


def test_rows_and_cells_without_references_follow_each_other(tmp_path: Path) -> None:
    path = write(tmp_path / "x.xlsx", Data=[HEADER, ["x", "a"]])
    edit(path, SHEET, lambda xml: re.sub(r'(<(?:row|c)) r="\w+"', r"\1", xml))
    assert list(read(path)) == [("x", ("a",))]
    edit(path, SHEET, lambda xml: re.sub(r"<c t", '<c r="b1" t', xml, count=1))
    assert read(path, label=False).tables[0].text == ("text",)


def test_cells_far_away_but_close_together_are_read(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(str(tmp_path / "x.xlsx")) as workbook:
        sheet = workbook.add_worksheet()
        sheet.write_row(900_000, 9_000, HEADER)
        sheet.write_row(900_001, 9_000, ["x", "a"])
        sheet.write_blank(0, 0, None, workbook.add_format({"bold": True}))
    assert list(read(tmp_path / "x.xlsx")) == [("x", ("a",))]


def test_a_string_that_many_cells_share_does_not_fill_the_memory(tmp_path: Path) -> None:
    path = write(tmp_path / "x.xlsx", Data=[HEADER, *(["long " * 6_000, "a"] for _ in range(200))])
    assert path.stat().st_size < 20_000
    assert len(list(read(path))) == 200
    with pytest.raises(InputError, match=r"bytes unpack to 6,0\d\d,\d{3} or more, and the limit is 3,000,000"):
        read(path, max_unpacked=3_000_000)


def test_an_archive_that_unpacks_to_too_much_raises(tmp_path: Path) -> None:
    path = write(tmp_path / "x.xlsx", Data=[HEADER, ["x", "a"]])
    edit(path, "docProps/app.xml", lambda xml: xml + " " * 5_000_000)
    with pytest.raises(
        InputError, match=r"unpack to [\d,]+ or more, and the limit is 3,000,000.*max_unpacked=10000000"
    ):
        read(path, max_unpacked=3_000_000)
    assert list(read(path)) == [("x", ("a",))]


@pytest.mark.parametrize(
    ("member", "change"),
    [
        (SHEET, lambda xml: xml[: len(xml) // 2] + "<"),
        (SHEET, lambda xml: re.sub(r"(<\?xml.*?\?>)", r"\1<!DOCTYPE a [<!ENTITY b 'c'>]>", xml)),
        ("xl/_rels/workbook.xml.rels", lambda xml: xml.replace("worksheets/sheet1.xml", "worksheets/sheet1.bin")),
        ("xl/workbook.xml", lambda xml: xml.replace("</sheets>", "")),
    ],
)
def test_damaged_parts_raise(tmp_path: Path, member: str, change: Callable[[str], str]) -> None:
    path = edit(write(tmp_path / "x.xlsx", Data=[HEADER, ["x", "a"]]), member, change)
    with pytest.raises(InputError, match=r"x.xlsx: cannot be read as Excel: .* It is damaged, or no Excel file"):
        read(path)


def test_damaged_bytes_raise_no_other_error(tmp_path: Path) -> None:
    content = write(tmp_path / "x.xlsx", Data=[HEADER, *([f"text {n}", "a"] for n in range(50))]).read_bytes()
    generator = random.Random(0)
    for number in range(60):
        damaged = bytearray(content)
        for _ in range(generator.randrange(1, 5)):
            damaged[generator.randrange(4, len(damaged))] = generator.randrange(256)
        (tmp_path / "y.xlsx").write_bytes(damaged[: None if number % 2 else generator.randrange(100, len(damaged))])
        with suppress(InputError):
            list(read(tmp_path / "y.xlsx"))


def test_other_zip_archives_are_no_excel_files(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("word/document.xml", "<w/>")
    (tmp_path / "x.docx").write_bytes(buffer.getvalue())
    with pytest.raises(InputError, match=r"found a ZIP archive \(Word files are, too\)"):
        read(tmp_path / "x.docx")
    (tmp_path / "x.xlsx").write_bytes(buffer.getvalue())
    with pytest.raises(InputError, match="cannot be read as Excel"):
        read(tmp_path / "x.xlsx")
