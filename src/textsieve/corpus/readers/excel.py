"""Read a sheet of an Excel file (.xlsx) with calamine.

The first visible sheet is read, or the one that the option `sheet` names. The first row with content is the header; see
`table.py`. Cells become strings: numbers with up to 15 digits, as in Excel, and without ".0"; dates as 2024-05-31, and
with a time as 2024-05-31 14:30:00; truth values as "true" and "false". So a column may mix numbers and text, as in a
CSV file. In kept columns, numbers and truth values stay what they are, and empty cells are None. A formula counts as
the result that Excel has stored with it, and an error such as #N/A as an empty cell.

calamine holds a whole sheet in memory. So `excel_sizes.py` first computes how much that is.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

from ...errors import InputError, Place, Setting, join_messages
from ..batch import Report
from ..corpus import Corpus
from ..formats import Format
from ..source import Source
from ..streams import seekable
from .excel_sizes import DamagedError, check_sizes
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
