"""Write a table to a file: CSV, TSV, Excel or Parquet, by the ending of its name.

A table is written while its rows are computed, in bounded memory, and replaces an old file when it is complete.

- **CSV and TSV** are UTF-8. Texts are written unchanged, so that programs read what was there. But a spreadsheet
  program may take a text that begins with `=` for a formula, as it does with any CSV file.
- **Excel** stores each text as a text, never as a formula, a link or a number. A sheet has at most 1,048,576 rows, and
  a cell 32,767 characters. Columns are as wide as their longest cell, up to a limit, and texts are not wrapped, so that
  each row has one line, also with long texts. Floats with more than three decimals are stored exactly, but shown with
  three.
- **Parquet** needs the types of the columns before the first row. But they are known only after the last one, because
  a column may be empty in all rows before. So rows are first written to a temporary file. A column has integers, floats
  or truth values if all its values are of this kind, and texts otherwise.

A list or an object in a cell becomes JSON. NaN becomes an empty cell.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import tempfile
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from functools import partial
from itertools import repeat
from typing import Any, BinaryIO, NamedTuple

import msgspec

from .corpus.streams import without_surrogates
from .errors import InputError, Message, counted, warn
from .extras import require_package
from .files import explain_no_space, open_output, temporary_folder

Cell = str | int | float | bool | None
WriteRows = Callable[[Iterable[Sequence[object]]], None]
"""A function that adds rows to a table that is being written."""

MAX_EXCEL_ROWS, MAX_EXCEL_COLUMNS = 2**20, 2**14
"""The size of a sheet, with the row of the names."""
GROUP_ROWS, GROUP_BYTES = 2**16, 2**26
"""The largest number of rows of a row group in Parquet, and about its largest number of bytes."""
MIN_WIDTH, MAX_WIDTH = 8, 60
"""The smallest and the largest width of a column in Excel, in characters."""
_PADDING, _FILTER_BUTTON = 1, 4
"""Characters to add to the width of a cell, and to that of a name, which has the button of the filter beside it."""
_DECIMALS = 3
"""The number of decimals that Excel shows."""
_EXACT = 2**53
"""Floats represent integers up to this one exactly; the numbers of Excel are floats."""


def plain_cell(value: object) -> Cell:
    """Return the cell for a value: the value itself, or if not every kind of table can store it, one in its place.

    Lists and objects become JSON, infinity and integers of more than 64 bits become text, and NaN becomes None.
    """
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return str(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return without_surrogates(text)[0]


def _as_text(cell: Cell) -> str | None:
    """Return a cell as text; None if it is empty."""
    return str(cell).lower() if isinstance(cell, bool) else None if cell is None else str(cell)


def _shown_rounded(number: float) -> bool:
    """Return whether Excel shows a float with `_DECIMALS` decimals: one between -1 and 1, or with more decimals.

    Others stay as they are, such as an amount of 12.5 or an ID of 1045.0.
    """
    return abs(number) <= 1 or round(number, _DECIMALS) != number


# -- one function for each kind of table ---------------------------------------------------------------------------


@contextmanager
def _delimited_table(file: BinaryIO, columns: Sequence[str], delimiter: str) -> Iterator[WriteRows]:
    """Write the names of the columns to a CSV or TSV file, and yield a function that adds rows."""
    text_file = io.TextIOWrapper(file, encoding="utf-8", newline="")
    lines = csv.writer(text_file, delimiter=delimiter, lineterminator="\n")
    # Before Python 3.13, `csv` puts no quotes around a carriage return, which many readers take for the end of a line.
    quoted_lines = csv.writer(text_file, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)

    def write(rows: Iterable[Sequence[object]]) -> None:
        """Write rows, with quotes around all cells of a row if one of them has a carriage return."""
        for row in rows:
            cells = [_as_text(plain_cell(value)) for value in row]
            has_return = any("\r" in cell for cell in cells if cell is not None)
            (quoted_lines if has_return else lines).writerow(cells)
        text_file.flush()  # the reader of a pipe gets these rows while more are computed

    write([columns])
    yield write
    text_file.detach()  # the wrapper would close the file, which `open_output` still needs


def _width(cell: Cell) -> int:
    """Return the number of characters that Excel shows of a cell."""
    if isinstance(cell, float) and _shown_rounded(cell):
        return len(f"{cell:.{_DECIMALS}f}")
    return len(_as_text(cell) or "")


class _TooLarge(InputError):
    """Raised for a table that does not fit into a sheet of Excel."""


_TOO_LARGE_HINT = "write .csv or .parquet instead"


@contextmanager
def _excel_table(file: BinaryIO, columns: Sequence[str]) -> Iterator[WriteRows]:
    """Yield a function that adds rows to the sheet of an Excel file, and write the file at the end.

    Raise `InputError` if the table is larger than a sheet.
    """
    import xlsxwriter
    from xlsxwriter.exceptions import FileCreateError

    if len(columns) > MAX_EXCEL_COLUMNS:
        problem = f"a sheet of Excel has at most {MAX_EXCEL_COLUMNS:,} columns, and there are {len(columns):,}"
        raise _TooLarge(problem, hint=_TOO_LARGE_HINT)
    n_rows = n_cut = 0
    with temporary_folder() as folder:
        workbook = xlsxwriter.Workbook(file, {"constant_memory": True, "tmpdir": folder})
        workbook.use_zip64()
        workbook.set_properties({"created": datetime(2000, 1, 1)})  # so that equal tables are equal files
        sheet = workbook.add_worksheet()
        bold = workbook.add_format({"bold": True})
        rounded = workbook.add_format({"num_format": f"0.{'0' * _DECIMALS}"})
        names = [plain_cell(name) for name in columns]
        widths = [_width(name) + _FILTER_BUTTON for name in names]

        def write_cell(row: int, column: int, cell: Cell, style: Any = None) -> None:
            """Write a cell of a sheet as a truth value, a number or a text; empty cells are left out."""
            nonlocal n_cut
            if isinstance(cell, bool):
                sheet.write_boolean(row, column, cell)
            elif isinstance(cell, float):
                sheet.write_number(row, column, cell, rounded if _shown_rounded(cell) else None)
            elif isinstance(cell, int) and abs(cell) <= _EXACT:
                sheet.write_number(row, column, cell)
            elif cell is not None and cell != "":
                # `write_string` never makes a formula or a link of a text; it returns -2 if it had to cut the text.
                n_cut += sheet.write_string(row, column, str(cell), style) == -2

        def write(rows: Iterable[Sequence[object]]) -> None:
            """Write rows below those that are written; raise `InputError` if the sheet is full."""
            nonlocal n_rows
            for row in rows:
                n_rows += 1
                if n_rows >= MAX_EXCEL_ROWS:  # the names of the columns take one row
                    raise _TooLarge(f"a sheet of Excel has at most {MAX_EXCEL_ROWS - 1:,} rows", hint=_TOO_LARGE_HINT)
                for column, value in enumerate(row):
                    cell = plain_cell(value)
                    write_cell(n_rows, column, cell)
                    if widths[column] < MAX_WIDTH:
                        widths[column] = max(widths[column], _width(cell) + _PADDING)

        try:
            for column, name in enumerate(names):
                write_cell(0, column, name, bold)
            sheet.freeze_panes(1, 0)
            yield write
            for column, width in enumerate(widths):
                sheet.set_column(column, column, min(max(width, MIN_WIDTH), MAX_WIDTH))
            sheet.autofilter(0, 0, n_rows, len(columns) - 1)
            workbook.close()
        except FileCreateError as problem:  # wraps the `OSError` of a full disk
            raise problem.args[0] from None
        finally:
            sheet.row_data_fh.close()  # if there was an error, nothing else closes it
    if n_cut:
        warn(f"{counted(n_cut, 'text')} in the Excel file {'is' if n_cut == 1 else 'are'} cut to 32,767 characters.")


@contextmanager
def _parquet_table(file: BinaryIO, columns: Sequence[str]) -> Iterator[WriteRows]:
    """Yield a function that adds rows to a temporary file, and at the end write them as Parquet."""
    kinds: list[set[type]] = [set() for _ in columns]
    encode = msgspec.json.Encoder().encode
    with tempfile.TemporaryFile() as rows_file:

        def write(rows: Iterable[Sequence[object]]) -> None:
            """Write rows to the temporary file as lines of JSON, and note the types of their cells."""
            lines = []
            for row in rows:
                cells = list(map(plain_cell, row))
                for column_kinds, cell in zip(kinds, cells, strict=True):
                    column_kinds.add(type(cell))
                lines.append(encode(cells) + b"\n")
            with explain_no_space(tempfile.gettempdir(), what="the table"):
                rows_file.writelines(lines)
                rows_file.flush()

        yield write
        rows_file.seek(0)
        _write_groups(file, columns, kinds, rows_file)


def _write_groups(file: BinaryIO, columns: Sequence[str], kinds: Sequence[set[type]], lines: Iterable[bytes]) -> None:
    """Write rows, given as lines of JSON, in row groups; `kinds` has the types of the cells of each column."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrow_types = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}
    types = list(map(_column_type, kinds))
    schema = pa.schema([(name, arrow_types[kind]) for name, kind in zip(columns, types, strict=True)])
    decode = msgspec.json.Decoder(list[Cell]).decode
    rows: list[list[Cell]] = []
    size = 0

    with pq.ParquetWriter(file, schema, compression="zstd") as writer:

        def write_group() -> None:
            """Write the collected rows as a row group, and begin a new one."""
            cells_by_column = zip(*rows, strict=True) if rows else repeat((), len(columns))
            arrays = [
                pa.array(map(_as_text, cells) if kind is str else cells, arrow_types[kind])
                for cells, kind in zip(cells_by_column, types, strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
            rows.clear()

        for line in lines:
            rows.append(decode(line))
            size += len(line)
            if len(rows) >= GROUP_ROWS or size >= GROUP_BYTES:
                write_group()
                size = 0
        write_group()


def _column_type(kinds: set[type]) -> type:
    """Return the type of a column from the types of its cells: float for integers and floats, or text for other mixes.

    Empty cells do not count, and a column with no other cells has texts.
    """
    filled = kinds - {type(None)}
    if filled == {int, float}:
        return float
    return next(iter(filled)) if len(filled) == 1 else str


# -- kinds of tables -----------------------------------------------------------------------------------------------


class TableKind(NamedTuple):
    """A kind of table, and what it needs."""

    open: Callable[[BinaryIO, Sequence[str]], AbstractContextManager[WriteRows]]
    """Takes an open file and the names of the columns; yields a function that adds rows, and completes the file."""
    what: str
    """Description for messages."""
    can_be_stream: bool = False
    """Whether it can be written to a pipe."""
    package: str | None = None
    """The package that writes it, if one is needed, and the extra of textsieve that installs this package."""
    extra: str = ""


TABLE_KINDS = {
    ".csv": TableKind(partial(_delimited_table, delimiter=","), "a CSV file", can_be_stream=True),
    ".tsv": TableKind(partial(_delimited_table, delimiter="\t"), "a TSV file", can_be_stream=True),
    ".xlsx": TableKind(_excel_table, "an Excel file", package="xlsxwriter", extra="excel"),
    ".parquet": TableKind(_parquet_table, "a Parquet file", package="pyarrow", extra="parquet"),
}
"""The kinds of tables by the ending of the file's name."""

_OTHER_SPREADSHEETS = (".xls", ".xlsm", ".xlsb", ".ods")


def table_kind(path: str) -> TableKind | None:
    """Return the kind of table for the ending of a file's name; None if there is none.

    Raise `InputError` for a spreadsheet that can't be written, and `MissingPackage` if a package is not installed.
    """
    ending = os.path.splitext(path)[1].lower()
    if ending in _OTHER_SPREADSHEETS:
        hint: Message = f"use one of {', '.join(TABLE_KINDS)}"
        raise InputError(f"{ending} can't be written", place=path, hint=hint)
    kind = TABLE_KINDS.get(ending)
    if kind is not None and kind.package is not None:
        require_package(kind.package, extra=kind.extra, what=f"Writing {kind.what}")
    return kind


def renamed(names: Sequence[str], taken: Container[str]) -> dict[str, str]:
    """Return for each column of an input table the name that it gets in an output table with columns of its own.

    `taken` are the names of these other columns. An input column with such a name gets the prefix "input_", repeated
    until its name is not that of another column.

    >>> renamed(["id", "label", "input_label"], ["label"])
    {'id': 'id', 'label': 'input_input_label', 'input_label': 'input_label'}
    """
    output_names = {}
    for name in names:
        output_name = name
        while output_name in taken or (output_name != name and output_name in names):
            output_name = f"input_{output_name}"
        output_names[name] = output_name
    return output_names


@contextmanager
def open_table(path: str, kind: TableKind, columns: Sequence[str]) -> Iterator[WriteRows]:
    """Open a table with these columns, and yield a function that adds rows; an old file is replaced at the end."""
    with open_output(path) as file:
        try:
            with kind.open(file, columns) as write:
                yield write
        except _TooLarge as problem:
            raise problem.at(path) from None
