"""`Source`: a path and the options for reading it, and which columns of a table these options mean.

A column that the caller names is used as it is. Otherwise a default name (`usual` in `read`) and then conventional
names, such as "body" or "category", are looked up. If that finds only the text or only the label in a table of two
columns, the remaining column is taken as the other. Anything ambiguous raises an `InputError` that lists the columns.

A text may consist of several columns, such as a title and a description. `join_parts` joins them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from ..errors import InputError, Setting, shown, warn
from .batch import Report
from .encodings import FileEncoding
from .labels import LabelReader
from .read_limits import DEFAULT_LIMITS, ReadLimits
from .streams import read_lines, read_text

Column = str | int
"""The name of a column, or its number, from 0, in a table without a header."""

BETWEEN_PARTS = "\n\n"
"""What separates the parts of a text that come from several columns: a blank line."""
ALL_COLUMNS: Final = "all"
"""The value of the option `keep` that stands for all columns."""
Keep = tuple[Column, ...] | Literal["all"]
"""The columns whose values come with each document."""


def join_parts(parts: Iterable[str]) -> str:
    """Return the parts of a text with a blank line between them; parts with nothing but white space are left out."""
    return BETWEEN_PARTS.join(part for part in parts if part and not part.isspace())


def check_keep(keep: Iterable[Column]) -> Keep:
    """Return the columns to keep without duplicates; raise `InputError` if `keep` is one column, not a list."""
    if keep == ALL_COLUMNS:
        return ALL_COLUMNS
    if isinstance(keep, str | int):
        hint = f"give a list of columns, such as [{keep!r}], or {ALL_COLUMNS!r}"
        raise InputError(setting="keep", value=keep, hint=hint)
    return tuple(dict.fromkeys(keep))


@dataclass(frozen=True, slots=True)
class Source:
    """A file or folder, and how to read it."""

    path: Path
    encoding: FileEncoding = field(default_factory=FileEncoding)
    """The encoding of the file, which a guess may change while it is read; of a folder, that of each file."""
    text: tuple[Column, ...] = ()
    """The columns that are joined to the text, in this order; if empty, a column is found by its name."""
    label: Column | bool | None = None
    """The column of the labels, or None to find it by its name; False means that there are no labels."""
    label_separator: str | None = None
    texts_only: bool = False
    """Whether labels are ignored: there may be none, and invalid ones raise no error."""
    optional_labels: bool = False
    """Whether there may be no labels; then a column counts as the label only if it was named or has a usual name.

    Otherwise, in a table of two columns, the one that is not the text is taken as the label, whatever its name.
    """
    keep: Keep = ()
    """Columns whose values come with each document, or "file" for a folder; "all": all that there are."""
    sheet: str | None = None
    """The sheet of an Excel file; None for the first one."""
    lenient: bool = False
    """Whether to skip lines of JSON that can't be parsed, and list their places in the report."""
    default_text: tuple[Column, ...] = ()
    """The names of the text columns if `text` is empty; tried before conventional names.

    A name that no column or several columns have is ignored. If only some of the names are found, a conventional name
    comes first, and if there is none, the text consists of the columns that are found, with a warning.
    """
    default_label: str | None = None
    """The name of the label column if `label` is None, if exactly one column has it; tried before conventional ones."""
    fixed_keys: tuple[frozenset[str], ...] = ()
    """Sets of keys that identify JSON objects of a known kind, such as the corrections that the service writes.

    If an object has exactly the keys of one of these sets, the default names are not tried for it. They may mean
    something else there: in training data, "model" may be the label, and in a correction, it is the model's version.
    """
    fixed_over_given: bool = False
    """Whether `text` and `label` are ignored, too, for an object that has exactly the keys of a set in `fixed_keys`."""
    default_label_separator: str | None = None
    """The label separator of formats with columns if `label_separator` is None."""
    default_sheet: str | None = None
    """The sheet of an Excel file if `sheet` is None and there is a sheet of this name."""
    limits: ReadLimits = DEFAULT_LIMITS

    @property
    def names(self) -> tuple[object, ...]:
        """Return the given and default names or numbers of text and label columns; `label` may be None or a flag."""
        return *self.text, self.label, *self.default_text, self.default_label

    @property
    def text_setting(self) -> Setting:
        """Return the option `text` as it was given, for messages: one column, or several."""
        return Setting("text", self.text[0] if len(self.text) == 1 else self.text)

    def lines(self, report: Report, *, newline: str = "\n") -> Iterator[tuple[int, str]]:
        """Yield the numbered lines of the file, each with its line ending."""
        return read_lines(self.path, self.encoding, report, self.limits, newline=newline)

    def text_pieces(self, report: Report) -> Iterator[str]:
        """Yield the text of the file in pieces that may end anywhere."""
        return read_text(self.path, self.encoding, report, self.limits)

    def label_reader(
        self, report: Report, *, place_format: str = "line {}", warns_if_joined: bool = False
    ) -> LabelReader:
        """Return a new converter of label values, for one pass over the documents.

        `place_format` is how errors write the position of a document. With `warns_if_joined`, and without a separator,
        the reader also checks whether most values look like several labels in one, for a warning after the pass; it
        splits none of them.
        """
        # `read` has already put `default_label_separator` in place of a missing `label_separator` where it applies.
        return LabelReader(
            str(self.path), place_format, report=report, separator=self.label_separator, warns_if_joined=warns_if_joined
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
"""Names of columns that are never assumed to be the label, as the only column beside the text otherwise is.

If there are default names of the text, such a column is not assumed to be the text either, unless it is a title.
"""


def is_conventional(name: str) -> bool:
    """Return whether a name is a conventional name of a text or label column."""
    return is_conventional_as("text", name) or is_conventional_as("label", name)


def is_conventional_as(option: str, name: str) -> bool:
    """Return whether a name is a conventional name of a text column, or of a label column, as `option` says."""
    return _normalize(name) in (TEXT_NAMES if option == "text" else LABEL_NAMES)


def check_text_columns(text: object) -> tuple[Column, ...]:
    """Return the columns that the option `text` of `read` names: one column, a list of columns, or None.

    Raise `InputError` for anything else.
    """
    if text is None:
        return ()
    columns = (text,) if isinstance(text, str | int) else tuple(text) if isinstance(text, Iterable) else ()
    if not columns or any(isinstance(column, bool) or not isinstance(column, str | int) for column in columns):
        raise InputError(
            setting="text",
            value=text,
            hint="give the name of the column of the texts, or its number in a table without header, or a list of "
            "columns to join",
        )
    return columns


def default_fields(usual: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the option `usual` of `read` as fields of `Source`; raise `InputError` if its text columns are invalid."""
    usual = usual or {}
    return {
        "default_text": check_text_columns(usual.get("text")),
        "default_label": usual.get("label"),
        "fixed_keys": usual.get("fixed_keys", ()),
        "fixed_over_given": usual.get("fixed_over_given", False),
        "default_label_separator": usual.get("label_separator"),
        "default_sheet": usual.get("sheet"),
    }


class ChosenColumns(NamedTuple):
    """The positions of the columns of a table that have the text and the label."""

    text: tuple[int, ...]
    """In the order in which their parts are joined to the text."""
    label: int | None


def choose_columns(columns: Sequence[str], source: Source) -> ChosenColumns:
    """Return the positions of the text and label columns, given the names of all columns.

    For the text and for the label, these columns are tried in this order: those that the caller named, those with the
    default names, one with a conventional name, and in a table of two columns, the one that is left, unless it is named
    like an ID or a date (as the text, only if there are default names). The label is None if the table has none, or if
    only texts are needed. Raise `InputError` if the text or a needed label can't be found, or if a column is given
    twice.
    """
    may_have_label = source.label is not False
    text, label = _given_text(columns, source), _given_label(columns, source)
    # A column with a default or conventional name of the text may be given as the label; then it is not the text.
    is_given = bool(text)
    text = text or _default_text(columns, source, without=label)
    text = text or _find_conventional(TEXT_NAMES, columns, without=[label])
    if label is None and may_have_label:
        label = _default_or_conventional_label(columns, source, without=text)
    if len(columns) == 2:
        if label is not None and not text and not (source.default_text and _is_no_text(columns[1 - label])):
            text = (1 - label,)
        elif label is None and len(text) == 1 and may_have_label and not source.optional_labels:
            label = _other_as_label(columns, text[0])
    if not text:
        raise _unclear_error("text", columns, source)
    if not is_given:
        _warn_of_other_text(columns, text, source)
    needs_label = may_have_label and not source.texts_only and not source.optional_labels
    if label is None and needs_label and not _has_only_metadata(columns, text):
        raise _unclear_error("label", columns, source)
    if label in text:
        raise InputError(f"{columns[label]!r} cannot be both the text and the label.", place=str(source.path))
    return ChosenColumns(text, None if source.texts_only else label)


def _given_text(columns: Sequence[str], source: Source) -> tuple[int, ...]:
    """Return the positions of the text columns that the caller gave, which may be none."""
    positions = [_position_of("text", column, columns, source) for column in source.text]
    for number, position in enumerate(positions):
        if position in positions[:number]:
            raise InputError(
                (f"column {columns[position]!r} is given twice for ", Setting("text")),
                place=str(source.path),
                hint="Give each column once",
            )
    return tuple(positions)


def _given_label(columns: Sequence[str], source: Source) -> int | None:
    """Return the position of the label column that the caller gave; None if it gave none, or said that there are none.

    Raise `InputError` for True, which names no column.
    """
    if source.label is None or source.label is False:
        return None
    if source.label is True:
        raise InputError(
            setting="label", value=True, hint="give the name of the column of the labels, or False if there are none"
        )
    return _position_of("label", source.label, columns, source)


def _default_or_conventional_label(columns: Sequence[str], source: Source, *, without: tuple[int, ...]) -> int | None:
    """Return the position of a column with the default or a conventional name of the label, except those `without`."""
    position = _only_position(source.default_label, columns)
    if position is not None and position not in without:
        return position
    return next(iter(_find_conventional(LABEL_NAMES, columns, without=without)), None)


def _default_text(columns: Sequence[str], source: Source, *, without: int | None) -> tuple[int, ...]:
    """Return the positions of the columns with the default names of the text, except the position `without`.

    If the default names are "title" and "body", and the table only has "title", then a column with a conventional name,
    such as "text", more likely has the whole text, and is returned instead. If there is none, return the columns with
    default names that the table has, with a warning.
    """
    positions = {name: _only_position(name, columns) for name in source.default_text if isinstance(name, str)}
    present = tuple(position for position in positions.values() if position is not None and position != without)
    missing = [name for name, position in positions.items() if position is None]
    if present and missing:
        if conventional := _conventional_instead_of_default(columns, source, without=without):
            return conventional
        warn(
            f"{source.path}: {_no_column(missing)}, so the text is only "
            f"{' and '.join(repr(columns[position]) for position in present)}."
        )
    return present


def _warn_of_other_text(columns: Sequence[str], text: tuple[int, ...], source: Source) -> None:
    """Warn if no text column has a default name, so that it may be something else than what a model learned from.

    A column `text` needs no warning: in files that textsieve writes, such as suggestions, it has the whole text. If
    some of the text columns have default names, `_default_text` warns of the others.
    """
    names = [name for name in source.default_text if isinstance(name, str)]
    if names and not any(columns[position] in (*names, "text") for position in text):
        missing = [name for name in names if name not in columns]
        reason = _no_column(missing) if missing else f"{' and '.join(map(repr, names))} can't be the text here"
        warn(
            (
                f"{source.path}: {reason}, so the text is from {columns[text[0]]!r}. If that is wrong, "
                "name the columns with ",
                Setting("text"),
                ".",
            )
        )


def _no_column(missing: Sequence[str]) -> str:
    """Return "no column 'title' and no column 'body'" for the names of missing columns."""
    return " and ".join(f"no column {name!r}" for name in missing)


def with_later_text_columns(columns: Sequence[str], source: Source) -> list[str]:
    """Return the columns of the first document of a stream, and the text columns that later documents may have.

    In JSON lines, a document may lack some of its text columns. So if the caller named the columns "title" and "body",
    and the first document only has "title", later ones may have "body", which is added. Default names are added in the
    same way, unless the first document has its text in a column with a conventional name.
    """
    text_names = [name for name in source.text or source.default_text if isinstance(name, str)]
    if not any(name in columns for name in text_names):
        return list(columns)
    if not source.text and _conventional_instead_of_default(columns, source, without=None):
        return list(columns)
    return list(dict.fromkeys([*columns, *text_names]))


def _conventional_instead_of_default(columns: Sequence[str], source: Source, *, without: int | None) -> tuple[int, ...]:
    """Return the position of a column with a conventional name of the text that is not a default name; () if none.

    Neither the column at the position `without` nor the default label counts as the text. If the first conventional
    name that is found is a default name, no other is tried.
    """
    default_label = _only_position(source.default_label, columns)
    positions = _find_conventional(TEXT_NAMES, columns, without=[without, default_label])
    return tuple(position for position in positions if columns[position] not in source.default_text)


class UsedColumns(NamedTuple):
    """The names of the columns of a table by their use; in a table without a header, these are numbers as text."""

    source: str
    """The name of the file."""
    text: tuple[str, ...]
    label: str | None
    kept: tuple[str, ...]
    left_out: tuple[str, ...]
    """The names of all other columns, except those whose names are empty."""
    sheet: str | None = None
    """The sheet of an Excel file."""
    other_sheets: tuple[str, ...] = ()
    """The names of the other sheets of the file; empty if the caller named the sheet."""
    is_text_given: bool = False
    """Whether the caller named the columns of the text."""

    def __str__(self) -> str:
        """Return a sentence on the columns, such as "text from 'body', label from 'topic'; not used: 'id'".

        Columns to keep are "copied": their values come with each document.
        """
        uses = [] if self.sheet is None else [f"sheet {shown(self.sheet, 40)}"]
        uses = [*uses, f"text from {' and '.join(shown(name, 40) for name in self.text)}"]
        if self.label is not None:
            uses.append(f"label from {shown(self.label, 40)}")
        others = {"copied": self.kept, "not used": self.left_out}
        lists = [f"; {use}: {_list_columns(names, 10)}" for use, names in others.items() if names]
        return "".join([", ".join(uses), *lists])


def used_columns(columns: Sequence[str], chosen: ChosenColumns, kept: Mapping[str, int], source: Source) -> UsedColumns:
    """Return the names of the columns of a table by their use; `kept` has the positions of columns to keep."""
    used = {*chosen.text, chosen.label, *kept.values()}
    return UsedColumns(
        str(source.path),
        tuple(columns[position] for position in chosen.text),
        None if chosen.label is None else columns[chosen.label],
        tuple(kept),
        tuple(name for position, name in enumerate(columns) if position not in used and name.strip()),
        is_text_given=bool(source.text),
    )


def choose_kept_columns(columns: Sequence[str], source: Source) -> dict[str, int]:
    """Return the names and positions of the columns to keep.

    If all columns are kept, columns with the same name get numbers, as in `unique_names`.
    """
    if source.keep == ALL_COLUMNS:
        return {name: position for position, name in enumerate(unique_names(columns))}
    positions = [_position_of("keep", column, columns, source) for column in source.keep]
    return {columns[position]: position for position in positions}


def unique_names(names: Iterable[str]) -> list[str]:
    """Return the names, with a number added to each that occurred before.

    >>> unique_names(["id", "note", "note", "note_2"])
    ['id', 'note', 'note_2', 'note_2_2']
    """
    unique: dict[str, None] = {}
    last_numbers: dict[str, int] = {}  # the last number added to each name, so that the search does not begin at 2
    for name in names:
        numbered_name = name
        while numbered_name in unique:
            last_numbers[name] = last_numbers.get(name, 1) + 1
            numbered_name = f"{name}_{last_numbers[name]}"
        unique[numbered_name] = None
    return list(unique)


def _only_position(name: str | None, columns: Sequence[str]) -> int | None:
    """Return the position of the column with this name, or None unless there is exactly one."""
    positions = [position for position, column in enumerate(columns) if column == name]
    return positions[0] if len(positions) == 1 else None


def _position_of(option: str, column: Column, columns: Sequence[str], source: Source) -> int:
    """Return the position of a column that the caller gave by name or number; raise `InputError` if it is not there.

    `option` is the option by which the caller gave it ("text", "label" or "keep"), for errors.
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


def _find_conventional(
    names: Sequence[str], columns: Sequence[str], *, without: Collection[int | None]
) -> tuple[int, ...]:
    """Return the position of the column with the first of these names that a column has, in a tuple; () if none has.

    The columns at the positions `without` are not considered.
    """
    normalized = [_normalize(column) for column in columns]
    positions = (normalized.index(name) for name in names if name in normalized)
    return tuple(position for position in positions if position not in without)[:1]


def _other_as_label(columns: Sequence[str], text: int) -> int | None:
    """Return the column of a pair that is not the text, as the label; None if it is named like an ID or a date."""
    other = 1 - text
    return None if _is_metadata(columns[other]) else other


def _is_metadata(name: str) -> bool:
    """Return whether a column is named like an ID or a date."""
    return _normalize(name) in METADATA_NAMES


def _is_no_text(name: str) -> bool:
    """Return whether a column is named like an ID or a date; a title can be a text."""
    return _is_metadata(name) and _normalize(name) != "title"


def _has_only_metadata(columns: Sequence[str], text: tuple[int, ...]) -> bool:
    """Return whether all columns but the text are named like an ID or a date, so that the table has no labels.

    If there are no other columns, return True.
    """
    others = (name for position, name in enumerate(columns) if position not in text)
    return all(map(_is_metadata, others))


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


def _list_columns(columns: Sequence[str], max_columns: int = 30) -> str:
    """Return the names of the columns for a message, but not more than `max_columns`."""
    names = ", ".join(shown(name, 40) for name in columns[:max_columns])
    return names + (f" and {len(columns) - max_columns} more" if len(columns) > max_columns else "")


def _normalize(name: str) -> str:
    """Return the name of a column without surrounding space and in lowercase, as conventional names are compared."""
    return name.strip().lower()
