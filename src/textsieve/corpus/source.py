"""`Source`: a path and the options for reading it, and which columns of a table these options mean.

A column that the caller names is used as it is. Otherwise a default name (`usual` in `read`) and then conventional
names, such as "body" or "category", are looked up. If that finds only the text or only the label in a table of two
columns, the remaining column is taken as the other. Anything ambiguous raises an `InputError` that lists the columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from ..errors import InputError, Setting, shown
from .batch import Report
from .labels import LabelReader
from .read_limits import DEFAULT_LIMITS, ReadLimits
from .streams import read_lines, read_text

Column = str | int
"""The name of a column, or its number, from 0, in a table without a header."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file or folder, and how to read it."""

    path: Path
    encoding: str = "utf-8"
    text: Column | None = None
    """The column of the texts, or None to find it by its name."""
    label: Column | bool | None = None
    """The column of the labels, or None to find it by its name; False means that there are no labels."""
    label_separator: str | None = None
    texts_only: bool = False
    """Whether labels are ignored: there may be none, and invalid ones raise no error."""
    optional_labels: bool = False
    """Whether there may be no labels; then only a column that was named or has a usual name counts as the label."""
    keep: tuple[Column, ...] = ()
    """Other columns to read for each document, or "file" for a folder."""
    lenient: bool = False
    """Whether to skip lines of JSON that can't be parsed, and list their places in the report."""
    default_text: str | None = None
    """The name of the text column if `text` is None; tried before conventional names, if exactly one column has it."""
    default_label: str | None = None
    """The name of the label column if `label` is None; used like `default_text`."""
    default_label_separator: str | None = None
    """The label separator of formats with columns if `label_separator` is None."""
    limits: ReadLimits = DEFAULT_LIMITS

    @property
    def names(self) -> tuple[object, ...]:
        """Return the text and label columns as given and by default: names, numbers, or None if there is none."""
        return self.text, self.label, self.default_text, self.default_label

    def lines(self, report: Report, *, newline: str = "\n") -> Iterator[tuple[int, str]]:
        """Yield the numbered lines of the file, each with its line ending."""
        return read_lines(self.path, self.encoding, report, self.limits, newline=newline)

    def text_pieces(self, report: Report) -> Iterator[str]:
        """Yield the text of the file in pieces that may end anywhere."""
        return read_text(self.path, self.encoding, report, self.limits)

    def label_reader(
        self, report: Report, *, place_format: str = "line {}", may_be_joined: bool = False
    ) -> LabelReader:
        """Return the converter for the labels of one pass."""
        return LabelReader(
            str(self.path), place_format, report=report, separator=self.label_separator, may_be_joined=may_be_joined
        )


TEXT_NAMES = (
    *("text", "texts", "body", "content", "document", "doc", "message", "sentence", "review"),
    *("comment", "article", "abstract", "tweet", "post", "question", "description"),
)
LABEL_NAMES = (
    *("label", "labels", "class", "classes", "category", "categories", "topic", "topics", "target"),
    *("tag", "tags", "genre", "sentiment", "intent", "y"),
)
METADATA_NAMES = (
    *("", "id", "ids", "index", "idx", "key", "uid", "url"),
    *("date", "time", "timestamp", "author", "title"),
)
"""Names of columns that are neither text nor label; such a column is never assumed to be the label."""


def is_conventional(name: str) -> bool:
    """Return whether a name is a conventional name of a text or label column."""
    return _normalize(name) in TEXT_NAMES or _normalize(name) in LABEL_NAMES


def choose_columns(columns: Sequence[str], source: Source) -> tuple[int, int | None]:
    """Return the positions of the text and label columns.

    For each of them, the column that the caller named comes first, then the one with the default name, then one with a
    conventional name, and then, in a table of two columns, the one that is left. The label is None if the table has
    none, or if only texts are needed. Raise `InputError` if the text or a needed label can't be found, or if both are
    the same column.
    """
    if isinstance(source.text, bool):
        raise InputError(
            setting="text",
            value=source.text,
            hint="give the name of the column of the texts, or its number in a table without header",
        )
    text = (
        _only_position(source.default_text, columns)
        if source.text is None
        else _position_of("text", source.text, columns, source)
    )
    label = None if source.label is None or source.label is False else _position_of_label(source.label, columns, source)
    if text == label and source.text is None:
        text = None  # the column with the default name of the text was given as the label, so it is not the text
    if text is None:
        text = _find_conventional(TEXT_NAMES, columns, without=label)
    if label is None and source.label is not False:
        label = _only_position(source.default_label, columns)
        if label is None or label == text:
            label = _find_conventional(LABEL_NAMES, columns, without=text)
    if len(columns) == 2 and (text is None or not source.optional_labels) and (text is None) != (label is None):
        text, label = _complete_pair(columns, text, label, source)
    if text is None:
        raise _unclear_error("text", columns, source)
    needs_label = source.label is not False and not source.texts_only and not source.optional_labels
    if label is None and needs_label and not _has_only_metadata(columns, text):
        raise _unclear_error("label", columns, source)
    if text == label:
        raise InputError(f"{columns[text]!r} cannot be both the text and the label.", place=str(source.path))
    return text, None if source.texts_only else label


def likely_label_columns(sample: Mapping[str, Sequence[object]]) -> list[str]:
    """Return the columns that look like labels, the likeliest first, from values of the first rows of a table.

    Labels repeat: a column of labels has at least two different values, at most one for every five rows, and is filled
    in at least half of the rows. Conventional names come first, and then columns with few different values.
    """
    n_distinct: dict[str, int] = {}
    for name, values in sample.items():
        filled = [value for value in values if value is not None and str(value).strip()]
        distinct = len({str(value).strip() for value in filled})
        if 2 * len(filled) >= len(values) and 2 <= distinct <= len(filled) / 5:
            n_distinct[name] = distinct
    return sorted(n_distinct, key=lambda name: (_normalize(name) not in LABEL_NAMES, n_distinct[name]))


def choose_kept_columns(columns: Sequence[str], source: Source) -> dict[str, int]:
    """Return the names and positions of the columns to keep."""
    positions = [_position_of("keep", column, columns, source) for column in source.keep]
    return {columns[position]: position for position in positions}


def _only_position(name: str | None, columns: Sequence[str]) -> int | None:
    """Return the position of the column with this name, or None unless there is exactly one."""
    positions = [position for position, column in enumerate(columns) if column == name]
    return positions[0] if len(positions) == 1 else None


def _position_of_label(column: Column | bool, columns: Sequence[str], source: Source) -> int:
    """Return the position of the label column that the caller gave; raise `InputError` for True, which names none."""
    if column is True:
        raise InputError(
            setting="label", value=True, hint="give the name of the column of the labels, or False if there are none"
        )
    return _position_of("label", column, columns, source)


def _position_of(option: str, column: Column, columns: Sequence[str], source: Source) -> int:
    """Return the position of a column that the caller gave by name or number; raise `InputError` if it is not there.

    `option` is the option that gave the column, for errors.
    """
    if isinstance(column, int):
        if not 0 <= column < len(columns):
            raise InputError(
                f"there are {len(columns)} columns, numbered 0 to {len(columns) - 1}",
                place=str(source.path),
                setting=option,
                value=column,
            )
        return column
    positions = [position for position, name in enumerate(columns) if name == column]
    if len(positions) == 1:
        return positions[0]
    if positions:
        raise InputError(
            f"{len(positions)} columns are named {column!r}", place=str(source.path), hint="Rename all but one"
        )
    # Names that differ only in case, such as TEXT and text, are not close matches.
    close = get_close_matches(column, columns, n=1) or [
        name for name in columns if _normalize(name) == _normalize(column)
    ]
    raise InputError(
        (f"no column {column!r} for ", Setting(option), f". Columns found: {_list_columns(columns)}."),
        place=str(source.path),
        hint=f"Did you mean {close[0]!r}?" if close else "",
    )


def _find_conventional(names: Sequence[str], columns: Sequence[str], *, without: int | None) -> int | None:
    """Return the position of a column that has one of these names, which are tried in this order; None without any.

    The column at the position `without` is not considered.
    """
    normalized = [_normalize(column) for column in columns]
    positions = (normalized.index(name) for name in names if name in normalized)
    return next((position for position in positions if position != without), None)


def _complete_pair(
    columns: Sequence[str], text: int | None, label: int | None, source: Source
) -> tuple[int | None, int | None]:
    """Return the positions of text and label in a table of two columns, of which one is known.

    The other column is taken as the missing one. But if the label is missing, it stays None if that column is named
    like an ID or a date, or if the caller said that there are no labels.
    """
    if text is None:  # then the label is known, and 1 - label is the other column
        return (None if label is None else 1 - label), label
    if source.label is False or _normalize(columns[1 - text]) in METADATA_NAMES:
        return text, None
    return text, 1 - text


def _has_only_metadata(columns: Sequence[str], text: int) -> bool:
    """Return whether all columns but the text are named like an ID or a date, so that the table has no labels.

    This is also true if there are no other columns.
    """
    others = (name for position, name in enumerate(columns) if position != text)
    return all(_normalize(name) in METADATA_NAMES for name in others)


def _unclear_error(missing: str, columns: Sequence[str], source: Source) -> InputError:
    """Return the error for a table whose `missing` column, "text" or "label", can't be found."""
    return InputError(
        f"cannot tell which column is the {missing}. Columns found: {_list_columns(columns)}",
        place=str(source.path),
        hint=(
            "Name it with ",
            Setting(missing),
            ", or in Python use label=False if there are no labels" if missing == "label" else "",
            "; for a table without a header use column numbers, such as ",
            Setting("text", 1),
            " and ",
            Setting("label", 0),
        ),
    )


def _list_columns(columns: Sequence[str]) -> str:
    """Return the names of the columns for a message: at most 30 of them."""
    names = ", ".join(shown(name, 40) for name in columns[:30])
    return names + (f" and {len(columns) - 30} more" if len(columns) > 30 else "")


def _normalize(name: str) -> str:
    return name.strip().lower()
