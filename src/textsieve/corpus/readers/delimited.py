"""Read CSV and TSV: split lines into records, and find out the delimiter and the header.

Neither Python's `csv` nor pyarrow is used. `csv` needs four bytes per character of a field and rejects long fields
unless a process-wide setting is changed. It also either swallows the rest of a file after a quote that is never closed,
or rejects the quotes that tab-separated files contain as mere punctuation. pyarrow can neither count the invalid bytes
that it replaces nor name the line of a record with too many or too few fields. Here, a line without a quote is one
`split`; with quotes, `find` jumps from quote to quote, so that time and memory are linear in the record whatever it
contains.

A record has at most `ReadLimits.max_document` characters and `MAX_FIELDS` fields, because a line of nothing but
delimiters would otherwise become a list that takes many times its size.

A field that begins with a quote continues to the next single quote, across line ends and delimiters; two quotes stand
for one. In a `lenient` file such a quote is punctuation if the field does not end at its closing quote, or if it has no
closing quote in its line and both this line and the next are full records by themselves. So the lines of a quoted
multi-line field must not contain exactly the delimiters that would make records of them.

A header is expected, with two exceptions: the columns are given by number (and the first line does not name them), or
the file is tab-separated with two columns, the first not the longer, and its first line has no known name. The latter
is `label<TAB>text`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ...errors import InputError, Place, Setting, counted
from ..batch import Batch, Document, KeptDocument, Report, in_batches
from ..bounds import ReadLimits
from ..corpus import Corpus
from ..formats import Format
from ..source import Source, choose, choose_kept, is_conventional
from ..streams import read_head

QUOTE = '"'
MAX_FIELDS = 100_000
PARTS_OF_BLOCK = 1_000
"""Number of parts of a field, such as lines, that are joined at once: short strings need fifty times their length."""
Numbered = tuple[int, str]


def read_records(
    lines: Iterator[Numbered], delimiter: str, *, name: str, bounds: ReadLimits, lenient: bool
) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the first line and the fields of each record; a blank line has no fields."""
    reader = _Records(lines, delimiter, name, bounds, lenient)
    while (numbered := reader.take()) is not None:
        number, line = numbered
        yield number, reader.split(number, line)


class _Records:
    def __init__(self, lines: Iterator[Numbered], delimiter: str, name: str, bounds: ReadLimits, lenient: bool) -> None:
        self._lines = lines
        self._delimiter = delimiter
        self._name = name
        self._bounds = bounds
        self._lenient = lenient
        self._ahead: list[Numbered] = []
        self._delimiters = 0
        self._size = 0  # characters of the record so far

    def take(self) -> Numbered | None:
        return self._ahead.pop() if self._ahead else next(self._lines, None)

    def split(self, number: int, line: str) -> list[str]:
        """Return the fields of the record that begins with this line, reading further lines if they belong to it."""
        if QUOTE in line:
            self._size = len(line)
            fields = self._split_quoted(number, line)
        else:
            line = line.rstrip("\r\n")
            fields = line.split(self._delimiter, MAX_FIELDS) if line else []
        if len(fields) > MAX_FIELDS:
            raise self._too_many_fields(number)
        self._delimiters = self._delimiters or len(fields) - 1
        return fields

    def _split_quoted(self, number: int, line: str) -> list[str]:
        fields = []
        at = 0
        while True:
            if line.startswith(QUOTE, at) and not (self._lenient and self._is_punctuation(line, at)):
                field, line, at = self._quoted(number, line, at + 1)
            else:
                end = line.find(self._delimiter, at)
                end = len(line.rstrip("\r\n")) if end < 0 else end
                field, at = line[at:end], end
            fields.append(field)
            if len(fields) > MAX_FIELDS:
                raise self._too_many_fields(number)
            if not line.startswith(self._delimiter, at):
                return fields
            at += 1

    def _quoted(self, number: int, line: str, at: int) -> tuple[str, str, int]:
        """Parse a field after its opening quote; return it, the line in which it ends, and the position after it."""
        blocks: list[str] = []
        parts: list[str] = []
        while True:
            if len(parts) == PARTS_OF_BLOCK:
                blocks.append("".join(parts))
                parts.clear()
            quote = line.find(QUOTE, at)
            if quote < 0:
                parts.append(line[at:])
                following = self.take()
                if following is None:
                    raise InputError(
                        f'the quote (") opened in the record in line {number} is never closed. '
                        "Close it, or double it if it is part of the text.",
                        place=self._name,
                    )
                line, at = following[1], 0
                self._size += len(line)
                self._bounds.check_document(self._size, Place(self._name, f"the record that begins in line {number}"))
            elif line.startswith(QUOTE, quote + 1):
                parts.append(line[at : quote + 1])
                at = quote + 2
            else:
                parts.append(line[at:quote])
                break
        if not self._ends_field(line, quote + 1):
            raise InputError(
                f"{line[quote + 1 : quote + 31]!r} follows a closing quote, "
                f"where {self._delimiter!r} or the end of the line is expected. "
                "Double the quotes that are part of a text.",
                place=Place(self._name, f"line {number}"),
            )
        return "".join([*blocks, *parts]), line, quote + 1

    def _too_many_fields(self, number: int) -> InputError:
        return InputError(
            f"more than {MAX_FIELDS:,} fields. This is no table of documents, or "
            f"{self._delimiter!r} does not separate its columns.",
            place=Place(self._name, f"line {number}"),
        )

    def _ends_field(self, line: str, at: int) -> bool:
        return line.startswith(self._delimiter, at) or not line[at : at + 3].strip("\r\n")

    def _is_punctuation(self, line: str, at: int) -> bool:
        """Return whether the quote at the beginning of a field is only part of its text."""
        quote = line.find(QUOTE, at + 1)
        while quote >= 0 and line.startswith(QUOTE, quote + 1):
            quote = line.find(QUOTE, quote + 2)
        if quote >= 0:
            return not self._ends_field(line, quote + 1)
        following = self.take()
        if following is None:
            return True
        self._ahead.append(following)
        here, there = line.count(self._delimiter), following[1].count(self._delimiter)
        return here == there == (self._delimiters or here or 1)


LONGEST_COLUMN_NAME = 40
LOOK_AHEAD = 100
DELIMITERS = ",;|"
NOT_A_NUMBER = ("nan", "NaN")


def corpus(source: Source, format: Format) -> Corpus:
    """Return the records of a table as a corpus."""
    delimiter = "\t" if format.name == "tsv" else _delimiter_of_csv(source)
    first = _first_record(source, delimiter)
    header = _has_header(first, source, format)
    columns = first if header else [str(number) for number in range(len(first))]
    if header:
        text, label = choose(columns, source)
    elif source.text is None and (source.label is None or source.label is False):
        label, text = None if source.label is False or source.texts_only else 0, 1
    else:
        text, label = choose(columns, source)
    kept = choose_kept(columns, source)

    def start(report: Report) -> Iterator[Batch]:
        rows = _rows(source, report, delimiter, width=len(first), header=header)
        return in_batches(_documents(rows, source, report, text, label, kept))

    return Corpus(str(source.path), start, multilabel=source.label_separator is not None)


def _documents(
    rows: Iterator[tuple[int, list[str]]],
    source: Source,
    report: Report,
    text: int,
    label: int | None,
    kept: dict[str, int],
) -> Iterator[Document | KeptDocument]:
    to_labels = source.label_reader(report, may_be_joined=True)
    for number, row in rows:
        if label is not None and row[label] in NOT_A_NUMBER:
            raise InputError(
                f"the label is {row[label]}, which a program wrote for a missing number. "
                "Leave it empty if the document is unlabelled, or give it a class.",
                place=Place(str(source.path), f"line {number}"),
            )
        labels = () if label is None else to_labels(row[label], number)
        if kept:
            yield row[text], labels, {name: row[position] for name, position in kept.items()}
        else:
            yield row[text], labels


def _rows(
    source: Source, report: Report, delimiter: str, *, width: int, header: bool
) -> Iterator[tuple[int, list[str]]]:
    """Yield all records except the header; raise `InputError` if one does not have as many fields as the first."""
    records = _records(source, report, delimiter)
    first = next(number for number, row in records if row) if header else 0
    for number, row in records:
        if len(row) == width:
            yield number, row
        elif not row:
            report.skip("blank lines")
        else:
            origin = f"the header in line {first} has" if header else "the first line has"
            raise InputError(
                f"found {counted(len(row), 'field')}, expected {width} as {origin}. "
                f'Fields that contain {delimiter!r} or a line end need quotes (") around them.',
                place=Place(str(source.path), f"line {number}"),
            )


def _records(source: Source, report: Report, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    lines = source.lines(report, newline=_line_end(source))
    return read_records(lines, delimiter, name=str(source.path), bounds=source.bounds, lenient=delimiter == "\t")


def _first_record(source: Source, delimiter: str) -> list[str]:
    for _, row in _records(source, Report(), delimiter):
        if row:
            return row
    raise InputError("no documents, only blank lines.", place=str(source.path))


def _line_end(source: Source) -> str:
    r"""Return the line ending: "\n", or "\r" in files of old spreadsheets with only carriage returns."""
    head = read_head(source.path)
    return "\r" if b"\r" in head and b"\n" not in head else "\n"


def _delimiter_of_csv(source: Source) -> str:
    """Return the delimiter of the first line: a comma, else a semicolon or a bar, else a comma.

    Spreadsheets write semicolons where the decimal separator is a comma.
    """
    for _, line in source.lines(Report(), newline=_line_end(source)):
        if line.strip():
            return next((delimiter for delimiter in DELIMITERS if delimiter in line), ",")
    return ","


def _has_header(first: list[str], source: Source, format: Format) -> bool:
    given = [column for column in (source.text, source.label) if isinstance(column, str | int)]
    numbers = [column for column in given if isinstance(column, int) and not isinstance(column, bool)]
    names = [column for column in given if isinstance(column, str)]
    if numbers and names:
        raise InputError(
            (Setting("text", source.text), " and ", Setting("label", source.label), " mix a name and a number"),
            place=str(source.path),
            hint="Use names for a table with a header, numbers for one without",
        )
    if numbers:
        return all(number < len(first) and is_conventional(first[number]) for number in numbers)
    if names or format.name != "tsv" or len(first) != 2 or {source.default_text, source.default_label} & {*first}:
        return True
    if any(map(is_conventional, first)) and all(len(name) <= LONGEST_COLUMN_NAME for name in first):
        return True
    return not _labels_come_first(source)


def _labels_come_first(source: Source) -> bool:
    """Return whether a table of two columns looks like label<TAB>text: the first column is not the longer one.

    Otherwise it more likely has a header with unknown names, and the caller must name the columns.
    """
    records = islice((row for _, row in _records(source, Report(), "\t") if len(row) == 2), LOOK_AHEAD)
    labels, texts = zip(*records, strict=True)
    return sum(map(len, labels)) <= sum(map(len, texts))
