"""Read the documents of a table of strings: CSV, TSV and Excel.

The readers of these formats yield numbered rows of strings (`Table`). Here the header is found, columns are chosen, and
rows become documents. The values of kept columns have the types that they have in the file.

The first row is taken as a header, with two exceptions:

- Columns are given by number, as one does for a table without a header. The first row then only counts as a header if
  it has conventional names, such as "text", at these numbers. If it looks like a header otherwise, there is a warning.
- A tab-separated file has two columns, none of which is given by name. If the first row has no known name, and the
  first column is not longer than the second, the file is taken as `label<TAB>text`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from ...errors import InputError, Place, Setting, warn
from ..batch import Batch, Document, KeptDocument, Report, in_batches
from ..corpus import SAMPLED_CHARACTERS, SAMPLED_ROWS, Corpus
from ..source import (
    ChosenColumns,
    Source,
    choose_columns,
    choose_kept_columns,
    is_conventional,
    is_conventional_as,
    join_parts,
    used_columns,
)

MAX_COLUMN_NAME = 40
"""Maximum length of a column's name; if a cell of the first row is longer, a known name does not make it a header."""
LOOK_AHEAD = 100
"""Number of first rows that are read to decide whether there is a header."""
NOT_A_NUMBER = ("nan", "NaN")

Rows = Iterator[tuple[int, list[str], Sequence[object]]]
"""For each row, its number for messages, its cells as strings, and its cells as values to keep."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table, which can be read any number of times."""

    first_row: list[str]
    """The first row that is not blank: the header, if there is one."""
    rows: Callable[[Report, bool], Rows]
    """Takes a report, and whether there is a header; yields all rows but the header, with as many cells as the first.

    Skipped rows are counted in the report.
    """
    place_format: str
    """How messages name the place of a row by its number, such as "line {}"."""
    sheet: str | None = None
    """The name of the sheet, if the file has several tables."""
    other_sheets: tuple[str, ...] = ()
    """The names of the other sheets, if the caller named no sheet."""
    may_be_label_and_text: bool = False
    """Whether a table of two columns may lack a header, because it is a label and a text."""


def corpus_of(table: Table, source: Source) -> Corpus:
    """Return the rows of a table as a corpus."""
    has_header = _has_header(table, source)
    columns = table.first_row if has_header else [str(number) for number in range(len(table.first_row))]
    if not has_header and not source.text and (source.label is None or source.label is False):
        # The only table without a header in which no column is given is label<TAB>text.
        has_labels = source.label is not False and not source.texts_only
        chosen = ChosenColumns((1,), 0 if has_labels else None)
    else:
        chosen = choose_columns(columns, source)
    kept = choose_kept_columns(columns, source)
    if not has_header:
        _warn_of_header(table, chosen, source)

    def start(report: Report) -> Iterator[Batch]:
        return in_batches(_documents(table.rows(report, has_header), table, source, report, chosen, kept))

    def sample_columns() -> dict[str, list[object]]:
        """Return the values of the unused columns in the first rows (see `SampleColumns`)."""
        n_columns_named = Counter(columns)  # a name that two columns have can't be given
        positions = {
            name: position
            for position, name in enumerate(columns)
            if position not in (*chosen.text, chosen.label) and n_columns_named[name] == 1
        }
        sample: dict[str, list[object]] = {name: [] for name in positions}
        for _, row, _ in islice(table.rows(Report(), has_header), SAMPLED_ROWS):
            for name, position in positions.items():
                value = row[position]
                # The beginning of a long value and its hash take less memory, and are equal only for equal values.
                is_long = len(value) > SAMPLED_CHARACTERS
                sample[name].append(f"{value[:SAMPLED_CHARACTERS]} {hash(value)}" if is_long else value)
        return sample

    return Corpus(
        str(source.path),
        start,
        multilabel=source.label_separator is not None,
        sample_columns=sample_columns,
        tables=[
            used_columns(columns, chosen, kept, source)._replace(sheet=table.sheet, other_sheets=table.other_sheets)
        ],
    )


def _documents(
    rows: Rows, table: Table, source: Source, report: Report, chosen: ChosenColumns, kept: dict[str, int]
) -> Iterator[Document | KeptDocument]:
    """Yield the documents of numbered rows; `kept` has the positions of the columns to keep, by their names."""
    read_labels = source.label_reader(report, place_format=table.place_format, warns_if_joined=True)
    label = chosen.label
    only_text = chosen.text[0] if len(chosen.text) == 1 else None  # its cell is the text, even if it is blank
    for number, row, values in rows:
        if label is not None and row[label] in NOT_A_NUMBER:
            raise InputError(
                f"the label is {row[label]}, which a program wrote for a missing number",
                place=Place(str(source.path), table.place_format.format(number)),
                hint="Leave it empty if the document is unlabelled, or give it a class",
            )
        labels = () if label is None else read_labels(row[label], number)
        text = join_parts(row[position] for position in chosen.text) if only_text is None else row[only_text]
        if kept:
            yield text, labels, {name: values[position] for name, position in kept.items()}
        else:
            yield text, labels


def _has_header(table: Table, source: Source) -> bool:
    """Return whether the first row has the names of the columns; the module's docstring has the rules.

    Raise `InputError` if some of the columns are given by name and others by number.
    """
    first_row = table.first_row
    given = [column for column in (*source.text, source.label) if isinstance(column, str | int)]
    # `label=False` is an int in Python, but not the number of a column.
    numbers = [column for column in given if isinstance(column, int) and not isinstance(column, bool)]
    names = [column for column in given if isinstance(column, str)]
    if numbers and names:
        label = () if source.label is None else (" and ", Setting("label", source.label))
        raise InputError(
            (source.text_setting, *label, " mix names and numbers"),
            place=str(source.path),
            hint="Use names for a table with a header, numbers for one without",
        )
    if numbers:
        return all(number < len(first_row) and is_conventional(first_row[number]) for number in numbers)
    may_be_label_and_text = table.may_be_label_and_text and len(first_row) == 2
    if names or not may_be_label_and_text:
        return True
    if {*source.default_text, source.default_label} & {*first_row}:  # the first row has a default name
        return True
    if any(map(is_conventional, first_row)) and all(len(name) <= MAX_COLUMN_NAME for name in first_row):
        return True
    return not _is_second_column_longer(table)


def _is_second_column_longer(table: Table) -> bool:
    """Return whether the second of two columns has as many characters as the first or more, as in label<TAB>text.

    If not, the table more likely has a header with unknown names, and the caller must name the columns.
    """
    rows = [row for _, row, _ in islice(table.rows(Report(), False), LOOK_AHEAD)]
    return sum(len(row[0]) for row in rows) <= sum(len(row[1]) for row in rows)


def _warn_of_header(table: Table, chosen: ChosenColumns, source: Source) -> None:
    """Warn if the first row, which is read as a document, looks like a header."""
    if not _looks_like_header(table, chosen):
        return
    text = [table.first_row[position] for position in chosen.text]
    label = None if chosen.label is None else table.first_row[chosen.label]
    warn(
        (
            f"{source.path}: the first row is read as a document, because columns are given by number. If it is a "
            "header, give their names: ",
            Setting("text", text[0] if len(text) == 1 else tuple(text)),
            *(() if label is None else (" ", Setting("label", label))),
            ".",
        )
    )


def _looks_like_header(table: Table, chosen: ChosenColumns) -> bool:
    """Return whether the first row, all of whose cells must be different and short, looks like a header.

    It does if its cell in a column of the text is a conventional name, such as "text". It also does if its cell in the
    column of the label is not the label of any of the next rows, and either is a conventional name, such as "label", or
    most of the next rows have the same label as another one.
    """
    first_row = table.first_row
    if len({*first_row}) < len(first_row) or not all(0 < len(cell) <= MAX_COLUMN_NAME for cell in first_row):
        return False
    if any(is_conventional_as("text", first_row[position]) for position in chosen.text):
        return True
    if chosen.label is None:
        return False
    next_labels = Counter(row[chosen.label] for _, row, _ in islice(table.rows(Report(), True), LOOK_AHEAD))
    label = first_row[chosen.label]
    if label in next_labels:
        return False
    n_with_repeated_label = sum(count for count in next_labels.values() if count > 1)
    return is_conventional_as("label", label) or 2 * n_with_repeated_label > next_labels.total()
