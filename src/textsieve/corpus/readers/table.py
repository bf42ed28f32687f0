"""Read the documents of a table: CSV, TSV and Excel.

A reader gives the rows of the table, with their numbers, and all cells as strings. Here the header is found, columns
are chosen, and rows become documents. The values of kept columns have the types that they have in the file.

A header is expected, with two exceptions. If columns are given by number, there is no header, unless the first row has
conventional names at these numbers; if it looks like a header otherwise, there is a warning. A tab-separated file with
two columns, none of which is given by name, has no header if its first row has no known name and its first column is
not longer than the second: it is taken as `label<TAB>text`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from ...errors import InputError, Place, Setting
from ...warning import warn
from ..batch import Batch, Document, KeptDocument, Report, in_batches
from ..corpus import SAMPLED_ROWS, Corpus
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
"""Maximum length of a column's name; a first row with a longer cell is no header just because of a known name."""
LOOK_AHEAD = 100
"""Number of rows from which `_labels_come_first` decides."""
NOT_A_NUMBER = ("nan", "NaN")

Rows = Iterator[tuple[int, list[str], Sequence[object]]]
"""The numbers of rows for messages, their cells as strings, and their cells as values to keep."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table, which can be read any number of times."""

    first_row: list[str]
    """The first row that is not blank: the header, if there is one."""
    rows: Callable[[Report, bool], Rows]
    """Returns all rows, without the first one if the flag is true; all have as many cells as the first."""
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
        n_columns_named = Counter(columns)  # a name that two columns have can't be given
        names = {
            name: position
            for position, name in enumerate(columns)
            if position not in (*chosen.text, chosen.label) and n_columns_named[name] == 1
        }
        sample: dict[str, list[object]] = {name: [] for name in names}
        for _, row, _ in islice(table.rows(Report(), has_header), SAMPLED_ROWS):
            for name, position in names.items():
                value = row[position]
                # Only whether values are equal matters, so the hash of a long one is enough, and takes less memory.
                sample[name].append(value if len(value) <= MAX_COLUMN_NAME else hash(value))
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
    """Yield the documents of numbered rows; the values of `kept` are positions of columns."""
    # `may_be_joined` splits no label: if cells look like several labels in one, the corpus warns after the pass.
    read_labels = source.label_reader(report, place_format=table.place_format, may_be_joined=True)
    label = chosen.label
    only_text = chosen.text[0] if len(chosen.text) == 1 else None
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
    if numbers:  # then there is no header, unless the first row has conventional names there
        return all(number < len(first_row) and is_conventional(first_row[number]) for number in numbers)
    if names or not table.may_be_label_and_text or len(first_row) != 2:
        return True  # only label<TAB>text may lack a header
    if {*source.default_text, source.default_label} & {*first_row}:  # it has a name that the caller suggests
        return True
    if any(map(is_conventional, first_row)) and all(len(name) <= MAX_COLUMN_NAME for name in first_row):
        return True
    return not _labels_come_first(table)


def _labels_come_first(table: Table) -> bool:
    """Return whether a table of two columns looks like label<TAB>text: the first column is not the longer one.

    Otherwise it more likely has a header with unknown names, and the caller must name the columns.
    """
    rows = [row for _, row, _ in islice(table.rows(Report(), False), LOOK_AHEAD)]
    return sum(len(row[0]) for row in rows) <= sum(len(row[1]) for row in rows)


def _warn_of_header(table: Table, chosen: ChosenColumns, source: Source) -> None:
    """Warn if the first row is read as a document, but looks like a header.

    A header has a different, short name in each column. One name is a conventional one for its column, or the label of
    the first row occurs in no other of the first rows, although most labels of these do.
    """
    names = table.first_row
    if len({*names}) < len(names) or not all(0 < len(name) <= MAX_COLUMN_NAME for name in names):
        return
    is_header = any(is_conventional_as("text", names[position]) for position in chosen.text)
    if chosen.label is not None and not is_header:
        labels = Counter(row[chosen.label] for _, row, _ in islice(table.rows(Report(), True), LOOK_AHEAD))
        n_repeated = sum(count for count in labels.values() if count > 1)
        is_repeated = names[chosen.label] in labels
        is_header = not is_repeated and n_repeated >= 2 and 2 * n_repeated > labels.total()
        is_header |= not is_repeated and is_conventional_as("label", names[chosen.label])
    if is_header:
        text = [names[position] for position in chosen.text]
        label = None if chosen.label is None else names[chosen.label]
        warn(
            (
                f"{source.path}: the first row is read as a document, because columns are given by number. If it is a "
                "header, give their names: ",
                Setting("text", text[0] if len(text) == 1 else tuple(text)),
                *(() if label is None else (" ", Setting("label", label))),
                ".",
            )
        )
