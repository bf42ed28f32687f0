"""Read a sheet of an Excel file (.xlsx) with calamine.

The first visible sheet is read, or the one that the option `sheet` names. The first row with content is the header; see
`table.py`. Cells become strings: numbers with up to 15 digits, as in Excel, and without ".0"; dates as 2024-05-31, and
with a time as 2024-05-31 14:30:00; truth values as "true" and "false". So a column may mix numbers and text, as in a
CSV file. In kept columns, numbers and truth values stay what they are, and empty cells are None. A formula counts as
the result that Excel has stored with it, and an error such as #N/A as an empty cell.

calamine reads a sheet as a whole, so a small file can fill the memory. An Excel file is a ZIP archive of XML files.
Three of its properties are checked before calamine unpacks it (`check_sizes`):

- The archive may unpack to far more than its size. All members are unpacked once, in pieces, and counted: the sizes
  that the archive states may be forged.
- Two cells may be far from each other. calamine has an entry for every cell of the rectangle around all cells with
  content, so the cells of this rectangle are counted, with `CELL_BYTES` each.
- Many cells may share a long string. Strings are stored once, in a table, but calamine copies them for each cell, so
  the lengths of the strings of all cells are added.

The XML is parsed with expat, which keeps nothing in memory. Document type definitions, which could define entities that
expand to long texts, raise an error; Excel writes none.
"""

from __future__ import annotations

import datetime
import re
import zipfile
import zlib
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Protocol
from xml.parsers import expat

from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

from ...errors import InputError, Place, Setting, join_messages, shown
from ..batch import Report
from ..corpus import Corpus
from ..formats import Format
from ..read_limits import ReadLimits
from ..source import Source
from ..streams import CHUNK, seekable
from .table import Rows, Table, corpus_of


def corpus(source: Source, format: Format) -> Corpus:
    """Return the rows of a sheet as a corpus."""
    with _name_file_in_errors(source):
        with seekable(source.path, source.limits) as path:
            check_sizes(path, str(source.path), source.limits)
        workbook = _open(source)
        sheet = _choose_sheet(workbook, source)
        first_row = next((cells for cells in _cells(workbook, sheet) if not _is_blank(cells)), None)
    others = [name for name in workbook.sheet_names if name != sheet]
    hint = ("Other sheets, for ", Setting("sheet"), f": {', '.join(map(repr, others))}") if others else ""
    place = Place(str(source.path), f"sheet {sheet!r}")
    if first_row is None:
        raise InputError("no documents, it is empty.", place=place, hint=hint)

    def rows(report: Report, has_header: bool) -> Rows:
        return _rows(source, report, sheet, has_header=has_header)

    try:
        header = [cell_text(cell) for cell in first_row]
        is_named = sheet in (source.sheet, source.default_sheet)
        other_sheets = () if is_named else tuple(others)
        table = Table(header, rows, place_format="row {}", sheet=sheet, other_sheets=other_sheets)
        return corpus_of(table, source)
    except InputError as problem:  # perhaps the user means the columns of another sheet, so the hint names these
        raise problem.with_fields(place=place, hint=join_messages(problem.hint, hint)) from problem


def _open(source: Source) -> Any:
    """Return the workbook; calamine would detect the format of a path by its extension, so it gets an open file."""
    with seekable(source.path, source.limits) as path, open(path, "rb") as file:
        return CalamineWorkbook.from_filelike(file)


def _choose_sheet(workbook: Any, source: Source) -> str:
    """Return the name of the sheet to read: the given one, the default one if it exists, or the first visible one."""
    sheets = [sheet for sheet in workbook.sheets_metadata if sheet.typ == SheetTypeEnum.WorkSheet]
    names = [sheet.name for sheet in sheets]
    if source.sheet is not None and source.sheet not in names:
        close = get_close_matches(source.sheet, names, n=1)
        raise InputError(
            f"there is no such sheet. Sheets found: {', '.join(map(repr, names)) or 'none'}",
            place=str(source.path),
            setting="sheet",
            value=source.sheet,
            hint=f"Did you mean {close[0]!r}?" if close else "",
        )
    if not sheets:
        raise InputError("no documents, there are no sheets with cells.", place=str(source.path))
    visible = [sheet.name for sheet in sheets if sheet.visible == SheetVisibleEnum.Visible]
    default = source.default_sheet if source.default_sheet in names else None
    return source.sheet or default or next(iter(visible), names[0])


def _rows(source: Source, report: Report, sheet: str, *, has_header: bool) -> Rows:
    """Yield the numbers and cells of all rows with content, without the header; blank rows are skipped and counted."""
    with _name_file_in_errors(source):
        has_begun = False  # whether there was a row with content
        for number, cells in enumerate(_cells(_open(source), sheet), 1):
            if _is_blank(cells):
                if has_begun:  # rows above the table are no part of it, so they are not counted
                    report.skip("blank rows")
                continue
            is_header = has_header and not has_begun
            has_begun = True
            if is_header:
                continue
            row = [cell_text(cell) for cell in cells]
            source.limits.check_document(sum(map(len, row)), Place(str(source.path), f"row {number}"))
            yield number, row, [kept_value(cell) for cell in cells] if source.keep else row


def _cells(workbook: Any, sheet: str) -> Iterator[list[Any]]:
    """Return the cells of each row of a sheet; old versions of calamine can't iterate over an empty sheet."""
    opened = workbook.get_sheet_by_name(sheet)
    return opened.iter_rows() if opened.height else iter(())


def _is_blank(cells: list[Any]) -> bool:
    """Return whether a row has only empty cells."""
    return all(cell == "" for cell in cells)


def cell_text(value: Any) -> str:
    """Return the value of a cell as text; the module's docstring has the rules.

    >>> [cell_text(value) for value in (5.0, 0.1 + 0.2, True, datetime.date(2024, 5, 31), datetime.timedelta(hours=36))]
    ['5', '0.3', 'true', '2024-05-31', '36:00:00']
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.15g}"
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    if isinstance(value, datetime.timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return str(value)  # an integer, a date or a time


def kept_value(value: Any) -> str | float | bool | None:
    """Return the value of a cell in a kept column; a number gets the digits of its text, and an empty cell is None.

    >>> [kept_value(value) for value in (5.0, 0.1 + 0.2, True, "", "a", datetime.date(2024, 5, 31))]
    [5, 0.3, True, None, 'a', '2024-05-31']
    """
    if isinstance(value, bool):
        return value
    text = cell_text(value)
    if isinstance(value, float):
        return int(text) if text.removeprefix("-").isdigit() else float(text)
    return value if isinstance(value, int) else text or None


@contextmanager
def _name_file_in_errors(source: Source) -> Iterator[None]:
    """Raise `InputError` with the file's name for errors of calamine and of damaged files."""
    try:
        yield
    except (CalamineError, DamagedError, OSError, UnicodeError) as error:
        problem = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(
            f"cannot be read as Excel: {problem}. It is damaged, or no Excel file",
            place=str(source.path),
            hint=("save it again as .xlsx, or correct ", Setting("format")),
        ) from error


CELL_BYTES = 32
"""Memory that calamine needs for a cell, even if it is empty."""
STRINGS = "sharedstrings.xml"
"""The file name of the table of strings, in lowercase."""
XML_ENDINGS = (".xml", ".rels")

MAX_ROWS, MAX_COLUMNS = 1_048_576, 16_384
"""The size of the largest sheet that Excel can have."""

_CELL = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")
_ROW = re.compile(r"[0-9]{1,7}")


class DamagedError(Exception):
    """Raised for a file that is no valid Excel file; the message says what is wrong."""


class _Handler(Protocol):
    """Is called by the parser for the elements of an XML file; their names have no prefix such as `x:`."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Handle the beginning of an element."""

    def end(self, name: str) -> None:
        """Handle the end of an element."""

    def text(self, data: str) -> None:
        """Handle a piece of text between tags."""


class _Strings:
    """Collects the lengths of the strings in the table of strings: of the text in each `si` element."""

    def __init__(self) -> None:
        self.lengths = array("Q")  # in characters; an array of unsigned integers of 8 bytes

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "si":
            self.lengths.append(0)

    def end(self, name: str) -> None:
        pass

    def text(self, data: str) -> None:
        if self.lengths:
            self.lengths[-1] += len(data)


class _Sheet:
    """Computes the size of a sheet: of the rectangle around its cells with content, and of its shared strings.

    A cell is a `c` element in a `row` element, with its content in a `v` or `is` element. Cells and rows without a
    reference (`r`) follow the one before. As in calamine, such a cell is in the row of its `row` element, even if the
    cell before has a reference to another row. References that Excel does not write raise `DamagedError`, because
    calamine might take them for cells that are far away.
    """

    def __init__(self, lengths: array[int]) -> None:
        self._lengths = lengths
        self._row = self._column = 1  # of the next cell if it has no reference, from 1
        self._cell = (1, 1)  # the row and column of the current cell
        self._first_row = self._first_column = 2**30  # of the rectangle; larger than any, until there is content
        self._last_row = self._last_column = 0
        self._strings_size = 0
        self._is_shared = False  # whether the current cell has the number of a string in the table of strings
        self._index: list[str] | None = None  # pieces of this number, inside its element

    def size(self) -> int:
        """Return the number of bytes that calamine needs for the cells seen so far."""
        if not self._last_row:
            return 0  # no cell has content
        n_rows, n_columns = self._last_row - self._first_row + 1, self._last_column - self._first_column + 1
        return CELL_BYTES * n_rows * n_columns + self._strings_size

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Handle the beginning of a row, of a cell, of a cell's content, or of a reference to another file."""
        if name == "row":
            if "r" in attributes:
                self._row = _parse_row(attributes["r"])
        elif name == "c":
            self._cell = _parse_cell(attributes["r"]) if "r" in attributes else (self._row, self._column)
            self._column = self._cell[1] + 1
            self._is_shared = attributes.get("t") == "s"
        elif name in ("v", "is", "f"):  # a value, a string that is not shared, or a formula
            row, column = self._cell
            self._first_row, self._last_row = min(self._first_row, row), max(self._last_row, row)
            self._first_column, self._last_column = min(self._first_column, column), max(self._last_column, column)
            self._index = [] if name == "v" and self._is_shared else None
        elif name == "Relationship":
            # calamine would read any file as a sheet to which such an element refers, but only .xml is checked here.
            is_sheet = attributes.get("Type", "").endswith("/worksheet")
            if is_sheet and not attributes.get("Target", "").lower().endswith(".xml"):
                raise DamagedError("a sheet is no XML file")

    def end(self, name: str) -> None:
        """Move to the next row at the end of one, and add the length of a shared string at the end of its number."""
        if name == "row":
            self._row, self._column = self._row + 1, 1
        elif name == "v" and self._index is not None:
            index = "".join(self._index).strip()
            # A number of 12 digits is no string's; `len` comes first, because `int` rejects thousands of digits.
            if index.isdecimal() and len(index) < 12 and int(index) < len(self._lengths):
                self._strings_size += self._lengths[int(index)]
            self._index = None

    def text(self, data: str) -> None:
        if self._index is not None:
            self._index.append(data)


def _parse_row(reference: str) -> int:
    """Return the number of a row, from 1; raise `DamagedError` if no row of Excel has this reference."""
    if _ROW.fullmatch(reference) and 1 <= int(reference) <= MAX_ROWS:
        return int(reference)
    raise DamagedError(f"{shown(reference, 40)} is no reference to a row")


def _parse_cell(reference: str) -> tuple[int, int]:
    """Return the row and column of a cell, from 1; raise `DamagedError` if no cell of Excel has this reference.

    >>> _parse_cell("A1"), _parse_cell("aa7")
    ((1, 1), (7, 27))
    """
    if match := _CELL.fullmatch(reference):
        row, column = int(match[2]), 0
        for letter in match[1].upper():
            column = 26 * column + ord(letter) - ord("A") + 1
        if 1 <= row <= MAX_ROWS and column <= MAX_COLUMNS:
            return row, column
    raise DamagedError(f"{shown(reference, 40)} is no reference to a cell")


def check_sizes(path: Path, name: str, limits: ReadLimits) -> None:
    """Raise `InputError` if an Excel file needs too much memory, and `DamagedError` if it is damaged.

    `name` is the name of the file in errors.
    """
    packed_size = path.stat().st_size
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            strings, unpacked_size = _Strings(), 0
            for member in members:
                parser = _parser(strings) if _is_strings(member) else None
                for data in _chunks(archive, member):
                    unpacked_size += len(data)
                    limits.check_unpacked(unpacked_size, packed_size, name)
                    if parser is not None:
                        parser.Parse(data, False)
            # Now the lengths of all strings are known. Any XML file may be a sheet; in others, no cells are found.
            for member in members:
                if member.filename.lower().endswith(XML_ENDINGS) and not _is_strings(member):
                    sheet = _Sheet(strings.lengths)
                    parser = _parser(sheet)
                    for data in _chunks(archive, member):
                        parser.Parse(data, False)
                        limits.check_unpacked(sheet.size(), packed_size, name)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, expat.ExpatError) as error:
        raise DamagedError(str(error)) from error


def _is_strings(member: zipfile.ZipInfo) -> bool:
    """Return whether a member of the archive is the table of strings."""
    return member.filename.lower().endswith(STRINGS)


def _chunks(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield the unpacked content of a member of an archive; at its end, its checksum is verified."""
    with archive.open(member) as file:
        while data := file.read(CHUNK):
            yield data


def _parser(handler: _Handler) -> Any:
    """Return an expat parser that calls the handler with names without their prefixes."""
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def start(name: str, attributes: dict[str, str]) -> None:
        handler.start(name.rpartition(":")[2], attributes)

    def end(name: str) -> None:
        handler.end(name.rpartition(":")[2])

    def reject_doctype(*_: object) -> None:
        raise DamagedError("it has a document type definition")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = handler.text
    parser.StartDoctypeDeclHandler = reject_doctype
    return parser
