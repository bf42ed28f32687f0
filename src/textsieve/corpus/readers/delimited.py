"""Read CSV and TSV.

pyarrow is not used here: it can neither count the invalid bytes that it replaces nor name the line of a record with too
many or too few fields, and both are promised.

A header is expected, with two exceptions: the columns are given by number (and the first line does not name them), or
the file is tab-separated with two columns, the first not the longer, and its first line has no known name. The latter
is `label<TAB>text`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ...errors import InputError, Place, counted
from ..batch import Batch, Document, KeptDocument, Report, in_batches
from ..columns import choose, choose_kept, is_conventional
from ..corpus import Corpus
from ..formats import Format
from ..source import Source
from ..streams import read_head
from .records import read_records

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
            f"text={source.text!r} and label={source.label!r} mix a name and a number. "
            "Use names for a table with a header, numbers for one without.",
            place=str(source.path),
        )
    if numbers:
        return all(number < len(first) and is_conventional(first[number]) for number in numbers)
    if names or format.name != "tsv" or len(first) != 2 or {source.usual_text, source.usual_label} & {*first}:
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
