"""Excel files on the page: read like on the command line, their sheets, and files that can't be read."""

from __future__ import annotations

import base64
import csv
import datetime
import io
import random
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from python_calamine import CalamineWorkbook

from tests.browser import Browser
from tests.serve.conftest import Page, PageService
from textsieve.corpus.readers.excel import cell_text

FORMATS = {
    datetime.datetime: "yyyy-mm-dd hh:mm:ss",
    datetime.date: "d. mmmm yyyy",
    datetime.time: "hh:mm",
    datetime.timedelta: "[h]:mm:ss",
    float: '0.00 "days"',
}
READ_ALL = """
return import('/xlsx.js').then(async ({ sheetsOf }) => {
  const sheets = await sheetsOf(Uint8Array.from(atob(arguments[0]), (character) => character.charCodeAt(0)));
  return Promise.all(sheets.map(async ({ name, read }) => [name, await read()]));
}).catch((reason) => `${reason.constructor.name}: ${reason.message}`);
"""
SHEET_1 = "xl/worksheets/sheet1.xml"


@pytest.fixture
def modules(page: Page, browser: Browser, single_label: PageService) -> Browser:
    if not browser.run("return location.href").startswith(single_label.url):  # these tests do not change the page
        page.open(single_label)
    return browser


def write(path: Path, sheets: dict[str, list[list[Any]]], **options: Any) -> Path:
    """Write sheets with these rows, and dates, times and numbers in a format of their own."""
    with xlsxwriter.Workbook(str(path), {"strings_to_formulas": False, "strings_to_numbers": False} | options) as book:
        formats = {kind: book.add_format({"num_format": name}) for kind, name in FORMATS.items()}
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for row, cells in enumerate(rows):
                for column, cell in enumerate(cells):
                    sheet.write(row, column, cell, formats.get(type(cell)))
    return path


def edited(path: Path, member: str, change: Callable[[str], str]) -> Path:
    """Replace a part of a workbook, and store all parts without compression."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert change(parts[member]) != parts[member]
    parts[member] = change(parts[member])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return path


def read_on_page(browser: Browser, path: Path) -> Any:
    """Return the name and the rows of each sheet as the page reads them, or an error."""
    return browser.run(READ_ALL, base64.b64encode(path.read_bytes()).decode())


def read_by_calamine(path: Path) -> list[list[Any]]:
    """Return the same by calamine and the rules of the command line."""
    book = CalamineWorkbook.from_path(str(path))
    sheets = []
    for name in book.sheet_names:
        rows = [[cell_text(cell) for cell in row] for row in book.get_sheet_by_name(name).iter_rows()]
        rows = [row for row in rows if any(row)]
        first = min((next(place for place, cell in enumerate(row) if cell) for row in rows), default=0)
        sheets.append([name, [row[first:] for row in rows]])
    return sheets


def without_blank_ends(sheets: list[list[Any]]) -> list[list[Any]]:
    """Return sheets whose rows have no empty cells at their ends, which calamine adds."""
    for _, rows in sheets:
        for row in rows:
            while row and row[-1] == "":
                row.pop()
    return sheets


def random_cell(draw: random.Random) -> Any:
    day = datetime.date(1900, 3, 1) + datetime.timedelta(draw.randrange(60_000))
    moment = datetime.datetime(
        day.year, day.month, day.day, draw.randrange(24), draw.randrange(60), draw.randrange(1, 60)
    )
    return draw.choice(
        [
            None,
            draw.choice(["", "a text", " spaces ", "two\nlines", "größe 漢字 🎸", "=1+1", "<b>&amp;</b>", "0012"]),
            draw.choice([0, 1, -7, 123_456_789_012, True, False]),
            draw.choice([0.5, 0.1 + 0.2, -2.5, 1e21, 1e-7, 1 / 3, 123_456.789, 5e14, 1e15, 3.0]),
            float(f"{draw.uniform(-1, 1) * 10.0 ** draw.randint(-12, 20):.14g}"),  # Python rounds halves to even
            draw.choice([day, moment, moment.time(), datetime.timedelta(seconds=draw.randrange(10**6))]),
        ]
    )


def test_cells_are_read_like_on_the_command_line(modules: Browser, tmp_path: Path) -> None:
    draw = random.Random(5)
    sheets = {
        f"Sheet {number}": [[random_cell(draw) for _ in range(draw.randint(0, 6))] for _ in range(60)]
        for number in range(5)
    }
    path = write(tmp_path / "x.xlsx", sheets)
    shown, expected = (without_blank_ends(sheets) for sheets in (read_on_page(modules, path), read_by_calamine(path)))
    assert [name for name, _ in shown] == list(sheets)
    for (_, shown_rows), (_, expected_rows) in zip(shown, expected, strict=True):
        pairs = zip(shown_rows, expected_rows, strict=True)
        assert [pair for pair in pairs if pair[0] != pair[1]] == []


@pytest.mark.parametrize("is_1904", [False, True], ids=["1900", "1904"])
def test_dates_are_read_in_both_calendars(modules: Browser, tmp_path: Path, is_1904: bool) -> None:
    days = [datetime.date(1904 if is_1904 else 1900, 1, 2), datetime.date(1999, 12, 31), datetime.date(2024, 2, 29)]
    path = write(tmp_path / "x.xlsx", {"S": [[day] for day in days]}, date_1904=is_1904)
    ((_, rows),) = read_on_page(modules, path)
    assert rows == [[day.isoformat()] for day in days]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ('<c r="A1" t="inlineStr"><is><t>in</t><r><t xml:space="preserve"> line</t></r></is></c>', "in line"),
        ('<c r="A1" t="inlineStr"><is><t>東</t><rPh sb="0" eb="1"><t>とう</t></rPh></is></c>', "東"),
        ('<c t="str"><f>A2</f><v>of a formula</v></c>', "of a formula"),
        ('<c t="e"><v>#N/A</v></c><c t="str"><v>x</v></c>', "x"),
        ('<c t="d"><v>2024-05-31T14:30:00</v></c>', "2024-05-31 14:30:00"),
        ('<c t="str"><v>one_x000A_two</v></c>', "one\ntwo"),
    ],
)
def test_cells_of_other_programs_are_read(modules: Browser, tmp_path: Path, cell: str, text: str) -> None:
    path = write(tmp_path / "x.xlsx", {"S": [["x"]]})
    edited(path, SHEET_1, lambda xml: re.sub("<c .*</c>", lambda _: cell, xml))
    assert read_on_page(modules, path) == [["S", [[text]]]]


def test_hidden_sheets_come_last(modules: Browser, tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        first, second = book.add_worksheet("Lists"), book.add_worksheet("Mails")
        first.write(0, 0, "hidden")
        second.write(2, 3, "shown")
        second.activate()
        first.hide()
    assert read_on_page(modules, path) == [["Mails", [["shown"]]], ["Lists", [["hidden"]]]]


def with_rows(path: Path, rows: str) -> Path:
    """Write a workbook with a sheet S of these `row` elements."""
    write(path, {"S": [["x"]]})
    return edited(path, SHEET_1, lambda xml: re.sub("<row .*</row>", lambda _: rows, xml))


@pytest.mark.parametrize("place", ["XFE1", "ZZZZZ1", "ZZZZZZZ1", "Z" * 400 + "1"])
def test_columns_that_excel_does_not_have_are_damage(modules: Browser, tmp_path: Path, place: str) -> None:
    path = with_rows(tmp_path / "x.xlsx", f'<row><c r="{place}"><v>1</v></c></row>')
    assert read_on_page(modules, path) == "ZipError: it is damaged"


def test_the_last_column_is_read(modules: Browser, tmp_path: Path) -> None:
    path = with_rows(tmp_path / "x.xlsx", '<row><c r="XFC1"><v>1</v></c><c r="XFD1"><v>2</v></c></row>')
    assert read_on_page(modules, path) == [["S", [["1", "2"]]]]


def test_cells_far_from_each_other_are_too_large(modules: Browser, tmp_path: Path) -> None:
    rows = "".join(f'<row><c r="XFD{number}"><v>1</v></c></row>' for number in range(1, 2001))
    assert read_on_page(modules, with_rows(tmp_path / "x.xlsx", rows)) == (
        "ZipError: it is too large when it is unpacked"
    )


def test_empty_cells_far_away_take_no_room(modules: Browser, tmp_path: Path) -> None:
    rows = "".join(f'<row><c r="A{number}"><v>1</v></c><c r="XFD{number}"/></row>' for number in range(1, 2001))
    assert read_on_page(modules, with_rows(tmp_path / "x.xlsx", rows)) == [["S", [["1"]] * 2000]]


@pytest.mark.parametrize(
    ("method", "max_bytes", "outcome"),
    [
        (zipfile.ZIP_STORED, 5, "hello"),
        (zipfile.ZIP_STORED, 4, "it is too large when it is unpacked"),
        (zipfile.ZIP_DEFLATED, 4, "it is too large when it is unpacked"),
        (zipfile.ZIP_BZIP2, 5, "it is packed in a way that browsers can’t read"),
    ],
)
def test_archives_are_unpacked_up_to_a_limit(modules: Browser, method: int, max_bytes: int, outcome: str) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("a.xml", "hello")
    script = """
      return import('/zip.js').then(({ openZip }) => openZip(new Uint8Array(arguments[0]), arguments[1])('a.xml'))
        .catch((reason) => reason.message);
    """
    assert modules.run(script, list(buffer.getvalue()), max_bytes) == outcome


@pytest.mark.parametrize("target", ["a%.xml", "http://["])
def test_odd_targets_are_damage_only_where_they_are_used(modules: Browser, tmp_path: Path, target: str) -> None:
    relations = "xl/_rels/workbook.xml.rels"
    path = write(tmp_path / "x.xlsx", {"S": [["x"]]})
    link = f'<Relationship Id="odd" Type="x/{{}}" Target="{target}"{{}}/></Relationships>'
    unused = link.format("theme", "") + link.format("styles", ' TargetMode="External"')
    unused = unused.replace("</Relationships>", "", 1)
    edited(path, relations, lambda xml: xml.replace("</Relationships>", unused))
    assert read_on_page(modules, path) == [["S", [["x"]]]]
    edited(path, relations, lambda xml: xml.replace("worksheets/sheet1.xml", target))
    assert read_on_page(modules, path) == "ZipError: it is damaged"


def test_damaged_bytes_are_an_error_or_rows(modules: Browser, tmp_path: Path) -> None:
    draw = random.Random(1)
    content = write(tmp_path / "x.xlsx", {"S": [["text", "label"], ["a", 1.5]] * 20}).read_bytes()
    errors = 0
    for number in range(40):
        damaged = bytearray(content)
        for _ in range(draw.randint(1, 20)):
            damaged[draw.randrange(4, len(damaged))] = draw.randrange(256)
        if number % 4 == 0:
            del damaged[draw.randrange(4, len(damaged)) :]
        (tmp_path / "x.xlsx").write_bytes(damaged)
        outcome = read_on_page(modules, tmp_path / "x.xlsx")
        errors += isinstance(outcome, str)
        assert isinstance(outcome, list) or outcome.startswith("ZipError: it is "), outcome
    assert errors >= 10


def test_a_workbook_is_classified(page: Page, browser: Browser, single_label: PageService, tmp_path: Path) -> None:
    page.open(single_label, "#file")
    mails: list[list[Any]] = [
        ["id", "body"],
        [7, "the moon rocket 🚀"],
        [8, "a guitar\nand a song"],
        [],
        [9, "engine and brake"],
    ]
    path = write(tmp_path / "mails.xlsx", {"Mails": mails, "Old": [["body"], ["a piano"]]})
    browser.run("""
      window.messages = [];
      const reading = document.getElementById("file-reading");
      new MutationObserver(() => window.messages.push(reading.textContent)).observe(reading, { childList: true });
    """)
    page.choose_file(path)
    browser.wait("window.messages.length === 2")
    assert browser.run("return window.messages") == ["Reading mails.xlsx …", ""]
    assert not browser.one("#file-reading").is_displayed()
    assert browser.texts("#file-about") == ["mails.xlsx is an Excel sheet: 3 documents."]
    assert browser.texts("#file-sheet option") == ["Mails", "Old"]
    assert browser.one("#file-sheet").is_displayed()
    assert page.run_file() == "Done: 3 documents classified."
    content = page.download(tmp_path, "mails-xlsx-classified.csv").removeprefix("\ufeff")
    rows = list(csv.DictReader(io.StringIO(content, newline="")))
    assert [(row["id"], row["body"], row["label"]) for row in rows] == [
        ("7", "the moon rocket 🚀", "space"),
        ("8", "a guitar\nand a song", "music"),
        ("9", "engine and brake", "cars"),
    ]
    browser.choose("#file-sheet", "1")
    browser.wait("document.getElementById('file-about').textContent.includes(': 1 document.')")
    assert page.run_file() == "Done: 1 document classified."
    assert browser.texts("#file-preview tbody td:nth-child(3)") == ["music"]
    (tmp_path / "one.csv").write_text("body\nmoon\n")
    page.choose_file(tmp_path / "one.csv")
    assert not browser.one("#file-sheet").is_displayed()
    assert browser.complaints() == []


SLOW_FIRST_FILE = """
window.goOn = null;
const read = File.prototype.arrayBuffer;
File.prototype.arrayBuffer = async function () {
  if (this.name === 'slow.csv') await new Promise((resolve) => { window.goOn = resolve; });
  return read.call(this);
};
"""
SLOW_FIRST_SHEET = """
window.goOn = null;
const read = Blob.prototype.arrayBuffer;
let isFirst = true;
Blob.prototype.arrayBuffer = async function () {
  if (isFirst && !(this instanceof File)) {
    isFirst = false;
    await new Promise((resolve) => { window.goOn = resolve; });
  }
  return read.call(this);
};
"""
GO_ON = "window.goOn(); return new Promise((resolve) => setTimeout(resolve, 200));"


@pytest.mark.parametrize("slow", ["text\nold one\nold two\n", "\x00"], ids=["rows", "fault"])
def test_a_slow_file_does_not_replace_a_newer_one(
    page: Page, browser: Browser, single_label: PageService, tmp_path: Path, slow: str
) -> None:
    (tmp_path / "slow.csv").write_text(slow)
    (tmp_path / "new.csv").write_text("text\nnew\n")
    for part, about in (
        ("file", "new.csv is a table with columns separated by commas: 1 document."),
        ("label", "new.csv: 1 document."),
    ):
        page.open(single_label, f"#{part}")
        browser.run(SLOW_FIRST_FILE)
        browser.give_file(f"#{part}-input", tmp_path / "slow.csv")
        browser.wait("window.goOn !== null")
        browser.give_file(f"#{part}-input", tmp_path / "new.csv")
        browser.wait(f"document.getElementById('{part}-about').textContent.startsWith('new.csv')")
        browser.run(GO_ON)
        assert browser.texts(f"#{part}-about") == [about]
        assert not browser.one(f"#{part}-fault").is_displayed()


def test_a_slow_sheet_does_not_replace_a_newer_one(
    page: Page, browser: Browser, single_label: PageService, tmp_path: Path
) -> None:
    page.open(single_label, "#file")
    sheets: dict[str, list[list[Any]]] = {
        name: [["text"]] + [["moon"]] * n for n, name in enumerate(("One", "Two", "Three"), 1)
    }
    page.choose_file(write(tmp_path / "x.xlsx", sheets))
    browser.run(SLOW_FIRST_SHEET)
    browser.choose("#file-sheet", "1")
    browser.wait("window.goOn !== null")
    browser.choose("#file-sheet", "2")
    browser.wait("document.getElementById('file-about').textContent.includes(': 3 documents.')")
    browser.run(GO_ON)
    assert browser.texts("#file-about") == ["x.xlsx is an Excel sheet: 3 documents."]
    assert browser.one("#file-sheet").get_property("value") == "2"


def test_a_sheet_that_cannot_be_read_leaves_the_others(
    page: Page, browser: Browser, single_label: PageService, tmp_path: Path
) -> None:
    page.open(single_label, "#file")
    path = write(tmp_path / "x.xlsx", {"Bad": [["x"]], "Good": [["text"], ["moon"]], "None": []})
    edited(path, SHEET_1, lambda xml: xml[:-20])
    parts = ("sheet", "column", "names", "start", "result")

    def shown_parts() -> list[str]:
        return [part for part in parts if browser.one(f"#file-{part}").is_displayed()]

    page.choose_file(path)
    assert browser.texts("#file-fault") == [
        "x.xlsx can’t be read: it is damaged. Save it as .xlsx, CSV, JSON or plain text."
    ]
    assert shown_parts() == ["sheet"]
    browser.choose("#file-sheet", "1")
    browser.wait("document.getElementById('file-about').textContent.includes(': 1 document.')")
    assert not browser.one("#file-fault").is_displayed()
    assert page.run_file() == "Done: 1 document classified."
    assert shown_parts() == list(parts)
    browser.choose("#file-sheet", "2")
    browser.wait("document.getElementById('file-about').textContent.includes('empty')")
    assert shown_parts() == ["sheet"]
    browser.choose("#file-sheet", "0")
    browser.wait("!document.getElementById('file-fault').hidden")
    assert shown_parts() == ["sheet"]


def test_documents_of_a_workbook_are_labelled(
    page: Page, browser: Browser, single_label: PageService, tmp_path: Path
) -> None:
    page.open(single_label, "#label")
    path = write(tmp_path / "todo.xlsx", {"To do": [["text", "why"], ["a rocket", "space (51%)"]], "Done": [["text"]]})
    browser.give_file("#label-input", path)
    browser.wait("!document.getElementById('label-work').hidden")
    assert browser.texts("#label-about") == ["todo.xlsx, sheet “To do”: 1 document."]
    assert browser.texts("#label-why") == ["space (51%)"]
    browser.wait("document.getElementById('label-marked').textContent === 'a rocket'")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "old.xls",
            bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600),
            "is an old Excel file, or protected by a password.",
        ),
        ("cut.xlsx", b"PK\x03\x04" + bytes(200), "can’t be read: it is damaged."),
        ("image.png", b"\x89PNG\r\n\x1a\n" + bytes(100), "is neither text nor an Excel file."),
    ],
)
def test_other_files_are_an_error_that_says_what_to_do(
    page: Page, browser: Browser, single_label: PageService, tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    page.open(single_label, "#file")
    (tmp_path / name).write_bytes(content)
    expected = f"{name} {message} Save it as .xlsx, CSV, JSON or plain text."
    for part in ("file", "label"):
        browser.give_file(f"#{part}-input", tmp_path / name)
        browser.wait(f"!document.getElementById('{part}-fault').hidden")
        assert browser.texts(f"#{part}-fault") == [expected]


def test_other_archives_are_no_workbooks(
    page: Page, browser: Browser, single_label: PageService, tmp_path: Path
) -> None:
    page.open(single_label, "#file")
    with zipfile.ZipFile(tmp_path / "letter.docx", "w") as archive:
        archive.writestr("word/document.xml", "<document/>")
    browser.give_file("#file-input", tmp_path / "letter.docx")
    browser.wait("!document.getElementById('file-fault').hidden")
    (fault,) = browser.texts("#file-fault")
    assert fault.startswith("letter.docx can’t be read: it is no Excel workbook. Save it as")


def test_the_tab_for_one_text_names_the_one_for_files(
    page: Page, browser: Browser, single_label: PageService, tmp_path: Path
) -> None:
    page.open(single_label)
    browser.give_file("#text-input", write(tmp_path / "mails.xlsx", {"S": [["x"]]}))
    browser.wait("!document.getElementById('box-fault').hidden")
    assert browser.texts("#box-fault") == ["mails.xlsx is not a text file. Open it in the tab File."]
