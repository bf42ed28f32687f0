"""Read CSV and TSV: split lines into records, and find out the delimiter.

Neither Python's `csv` nor pyarrow is used. `csv` needs four bytes per character of a field and rejects long fields
unless a process-wide setting is changed. It also either swallows the rest of a file after a quote that is never closed,
or rejects the quotes that tab-separated files contain as mere punctuation. pyarrow can neither count the invalid bytes
that it replaces nor name the line of a record with too many or too few fields. Here, a line without a quote is one
`split`; with quotes, `find` jumps from quote to quote, so that time and memory are linear in the record whatever it
contains.

A record has at most `ReadLimits.max_document` characters and `MAX_FIELDS` fields, because a line of nothing but
delimiters would otherwise become a list that takes many times its size.

A field that begins with a quote (") ends at the next quote that is not doubled, across line ends and delimiters; a
doubled quote stands for one. In tab-separated files (`lenient`), the quote at the beginning of a field may also be mere
punctuation, that is, part of the text. It is punctuation in these cases:

- Its line has a closing quote, but neither a delimiter nor the line end follows it, as in `"Dune" is long`.
- Its line has no closing quote, and is the last line.
- Its line has no closing quote, and both that line and the next have as many delimiters as the first record, so that
  each looks like a full record. This misreads a quoted field of several lines if its first two lines look like that.

`table.py` finds the header and the columns, and turns records into documents.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from ...errors import InputError, Place, counted
from ..batch import Report
from ..corpus import Corpus
from ..formats import Format
from ..read_limits import ReadLimits
from ..source import Source
from ..streams import read_head
from .table import Rows, Table, corpus_of

QUOTE = '"'
MAX_FIELDS = 100_000
PIECES_OF_BLOCK = 1_000
"""Number of pieces of a quoted field, such as its lines, after which they are joined.

A list of very short strings takes about fifty times the memory of the joined string.
"""
NumberedLine = tuple[int, str]
"""The number of a line, from 1, and its text with its line ending."""


def read_records(
    lines: Iterator[NumberedLine], delimiter: str, *, name: str, limits: ReadLimits, lenient: bool
) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the first line and the fields of each record; a blank line is a record without fields."""
    parser = _RecordParser(lines, delimiter, name, limits, lenient)
    while (numbered_line := parser.next_line()) is not None:
        number, line = numbered_line
        yield number, parser.parse(number, line)


class _RecordParser:
    """Splits lines into the fields of records; a record continues on the next line within a quoted field."""

    def __init__(
        self, lines: Iterator[NumberedLine], delimiter: str, name: str, limits: ReadLimits, lenient: bool
    ) -> None:
        self._lines = lines
        self._delimiter = delimiter
        self._name = name
        self._limits = limits
        self._lenient = lenient
        self._line_ahead: NumberedLine | None = None  # a line that was read to decide about the line before
        self._n_delimiters = 0  # of the first record that has any; 0 before it
        self._size = 0  # characters of the current record so far, if it has a quote

    def next_line(self) -> NumberedLine | None:
        """Return the next line of the file, or None at its end."""
        if self._line_ahead is not None:
            numbered_line, self._line_ahead = self._line_ahead, None
            return numbered_line
        return next(self._lines, None)

    def parse(self, number: int, line: str) -> list[str]:
        """Return the fields of the record that begins with this line, reading further lines if they belong to it."""
        if QUOTE in line:  # the record may have several lines, so its size is limited; that of a line is already
            self._size = len(line)
            fields = self._split_quoted(number, line)
        else:
            line = line.rstrip("\r\n")
            fields = line.split(self._delimiter, MAX_FIELDS) if line else []  # at most `MAX_FIELDS` + 1
        if len(fields) > MAX_FIELDS:
            raise self._too_many_fields_error(number)
        if not self._n_delimiters and fields:
            self._n_delimiters = len(fields) - 1
        return fields

    def _split_quoted(self, number: int, line: str) -> list[str]:
        """Return the fields of a record whose first line has a quote, reading further lines if they belong to it."""
        fields = []
        position = 0  # where the next field begins in `line`
        while True:
            if line.startswith(QUOTE, position) and not (self._lenient and self._is_punctuation(line, position)):
                # `line` becomes the one in which the field ends.
                field, line, position = self._parse_quoted(number, line, position + 1)
            else:
                end = line.find(self._delimiter, position)
                end = len(line.rstrip("\r\n")) if end < 0 else end
                field, position = line[position:end], end
            fields.append(field)
            if len(fields) > MAX_FIELDS:
                raise self._too_many_fields_error(number)
            if not line.startswith(self._delimiter, position):
                return fields
            position += 1  # after the delimiter, which is one character

    def _parse_quoted(self, number: int, line: str, position: int) -> tuple[str, str, int]:
        """Parse a quoted field; return it, the line in which it ends, and the position after its closing quote.

        `position` is the position in `line` after the opening quote, and `number` the first line of the record.
        """
        blocks: list[str] = []  # joined pieces, see `PIECES_OF_BLOCK`
        pieces: list[str] = []
        while True:
            if len(pieces) >= PIECES_OF_BLOCK:
                blocks.append("".join(pieces))
                pieces.clear()
            quote = line.find(QUOTE, position)
            if quote < 0:
                pieces.append(line[position:])
                text, line = self._read_to_quote(number)
                position = 0
                pieces.append(text)
            elif line.startswith(QUOTE, quote + 1):  # two quotes stand for one
                pieces.append(line[position : quote + 1])
                position = quote + 2
            else:
                pieces.append(line[position:quote])
                break
        if not self._ends_field(line, quote + 1):
            raise InputError(
                f"{line[quote + 1 : quote + 31]!r} follows a closing quote, "
                f"where {self._delimiter!r} or the end of the line is expected",
                place=Place(self._name, f"line {number}"),
                hint="Double the quotes that are part of a text",
            )
        return "".join([*blocks, *pieces]), line, quote + 1

    def _read_to_quote(self, number: int) -> tuple[str, str]:
        """Return the text of the next lines up to the first line with a quote, and that line.

        `number` is the first line of the record. Texts have many short lines, so this loop calls no other method.
        """
        line_ahead, self._line_ahead = self._line_ahead, None
        next_lines = self._lines if line_ahead is None else chain([line_ahead], self._lines)
        size, max_size = self._size, self._limits.max_document
        blocks: list[str] = []
        lines: list[str] = []
        for _, line in next_lines:
            size += len(line)
            if size > max_size:  # only then is a `Place` created for the error
                self._limits.check_document(size, Place(self._name, f"the record that begins in line {number}"))
            if QUOTE in line:
                self._size = size
                return "".join([*blocks, *lines]), line
            lines.append(line)
            if len(lines) == PIECES_OF_BLOCK:
                blocks.append("".join(lines))
                lines.clear()
        raise InputError(
            f'the quote (") opened in the record in line {number} is never closed',
            place=self._name,
            hint="Close it, or double it if it is part of the text",
        )

    def _too_many_fields_error(self, number: int) -> InputError:
        """Return the error for a record, which begins in line `number`, with more than `MAX_FIELDS` fields."""
        return InputError(
            f"more than {MAX_FIELDS:,} fields. This is no table of documents, or "
            f"{self._delimiter!r} does not separate its columns.",
            place=Place(self._name, f"line {number}"),
        )

    def _ends_field(self, line: str, position: int) -> bool:
        """Return whether a delimiter or the end of the line is at this position, where a quoted field has ended."""
        # A line ending has at most two characters, so three show whether anything else follows.
        return line.startswith(self._delimiter, position) or not line[position : position + 3].strip("\r\n")

    def _is_punctuation(self, line: str, position: int) -> bool:
        """Return whether the quote at this position, where a field begins, is only part of the field's text.

        The docstring of the module has the rules. If they need the next line, it is kept in `_line_ahead`.
        """
        closing_quote = line.find(QUOTE, position + 1)
        while closing_quote >= 0 and line.startswith(QUOTE, closing_quote + 1):  # it is doubled, so it closes nothing
            closing_quote = line.find(QUOTE, closing_quote + 2)
        if closing_quote >= 0:
            return not self._ends_field(line, closing_quote + 1)
        self._line_ahead = self.next_line()
        if self._line_ahead is None:
            return True  # this is the last line, so nothing can close the quote
        n_here, n_next = line.count(self._delimiter), self._line_ahead[1].count(self._delimiter)
        # If this is the first record, `_n_delimiters` is 0; then the next line must have as many as this one, and one
        # or more.
        return n_here == n_next == (self._n_delimiters or n_here or 1)


DELIMITERS = ",;|"


def corpus(source: Source, format: Format) -> Corpus:
    """Return the records of a table as a corpus."""
    delimiter = "\t" if format.name == "tsv" else _delimiter_of_csv(source)
    first_record = _first_record(source, delimiter)

    def rows(report: Report, has_header: bool) -> Rows:
        return _rows(source, report, delimiter, n_columns=len(first_record), has_header=has_header)

    table = Table(first_record, rows, place_format="line {}", may_be_label_and_text=format.name == "tsv")
    return corpus_of(table, source)


def _rows(source: Source, report: Report, delimiter: str, *, n_columns: int, has_header: bool) -> Rows:
    """Yield all records except the header; raise `InputError` if one does not have as many fields as the first.

    Blank lines are skipped and counted.
    """
    records = _records(source, report, delimiter)
    header_line = next(number for number, row in records if row) if has_header else 0  # consumes the header
    for number, row in records:
        if len(row) == n_columns:
            yield number, row, row
        elif not row:
            report.skip("blank lines")
        else:
            origin = f"the header in line {header_line} has" if has_header else "the first line has"
            raise InputError(
                f"found {counted(len(row), 'field')}, expected {n_columns} as {origin}",
                place=Place(str(source.path), f"line {number}"),
                hint=f'Fields that contain {delimiter!r} or a line end need quotes (") around them',
            )


def _records(source: Source, report: Report, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the fields of each record of a file."""
    lines = source.lines(report, newline=_line_end(source))
    return read_records(lines, delimiter, name=str(source.path), limits=source.limits, lenient=delimiter == "\t")


def _first_record(source: Source, delimiter: str) -> list[str]:
    """Return the fields of the first record that is not blank."""
    for _, row in _records(source, Report(), delimiter):
        if row:
            return row
    raise InputError("no documents, only blank lines.", place=str(source.path))


def _line_end(source: Source) -> str:
    r"""Return the line ending: "\n", or "\r" in files of old spreadsheets with only carriage returns."""
    head = read_head(source.path)
    return "\r" if b"\r" in head and b"\n" not in head else "\n"


def _delimiter_of_csv(source: Source) -> str:
    """Return the delimiter of a CSV file: a comma if its first nonblank line has one, else a semicolon, else a bar.

    Spreadsheets write semicolons where the decimal separator is a comma. If the line has none of the three, the table
    has one column, and the delimiter is a comma.
    """
    for _, line in source.lines(Report(), newline=_line_end(source)):
        if line.strip():
            return next((delimiter for delimiter in DELIMITERS if delimiter in line), ",")
    return ","  # `_first_record` raises the error for a file of blank lines
