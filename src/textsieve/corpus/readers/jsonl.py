"""Read JSON lines: one object per line. A file that is one JSON array of objects is read too, an object at a time.

A label is a string, a number, null (unlabelled) or a list of labels; an object may lack it. Every object must have the
text, which may be null for an empty document; if the text consists of several keys, it must have one of them. A line
that is not an object raises `InputError`, or is skipped if the source is lenient, because a writer that was killed
leaves half a line. In an array, anything that is not an object raises `InputError`. Messages may show keys and labels,
but never a text or a line that can't be parsed, which may be private.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

import msgspec

from ...errors import InputError, Place
from ..batch import Batch, Document, KeptDocument, Report, in_batches
from ..corpus import Corpus
from ..formats import Format
from ..source import (
    ALL_COLUMNS,
    Source,
    UsedColumns,
    choose_columns,
    choose_kept_columns,
    join_parts,
    used_columns,
    with_later_text_columns,
)
from ..streams import without_surrogates

LOOK_AHEAD_LINES = 1_000
LOOK_AHEAD_CHARACTERS = 2**20
"""The keys of the first objects, up to about these numbers of objects and characters, determine those to read."""
MAX_TOKEN = 12
"""Maximum number of characters of a token, such as an escape sequence or `true`.

If the parser fails, and at most this many characters follow in the buffered text, perhaps only the rest of a token is
missing.
"""

WITHDRAWN = "withdrawn"
"""The fixed key whose value is true if an object withdraws the corrections of its text."""

_DECODER = json.JSONDecoder()
_decode_line = msgspec.json.Decoder().decode
_NOT_SPACE = re.compile(r"[^ \t\n\r]")

Object = dict[str, object]


class _Keys(NamedTuple):
    """The keys of the text, the label and the other values to keep."""

    text: tuple[str, ...]
    label: str | None
    kept: tuple[str, ...] | None
    """None means that all keys of each object are kept."""


def corpus(source: Source, format: Format) -> Corpus:
    """Return the objects of a file as a corpus."""
    is_array = _is_array(source)
    examples = _look_ahead(source, is_array)
    # If the source is lenient and no line can be parsed, there are no examples; but then no keys are needed.
    keys = _KeyChooser(source, examples)
    multilabel = source.label_separator is not None or any(
        isinstance(record.get(label), list) for record in examples if (label := keys.of(record).label) is not None
    )

    def start(report: Report) -> Iterator[Batch]:
        objects = _objects(source, report, is_array)
        place_format = "item {}" if is_array else "line {}"
        return in_batches(_documents(objects, source, report, keys, place_format))

    def sample_columns() -> dict[str, list[object]]:
        """Return the values of the unused keys in the first objects, except keys with lists or objects as values."""
        objects = _look_ahead(source, is_array)
        used = {name for table in keys.tables for name in (*table.text, table.label)}
        names = dict.fromkeys(key for record in objects for key in record if key not in used)
        sample = {name: [record.get(name) for record in objects] for name in names}
        return {
            name: values
            for name, values in sample.items()
            if not any(isinstance(value, dict | list) for value in values)
        }

    # Without a list of labels in the first objects, only a complete pass shows whether there is one.
    declared = True if multilabel else None
    return Corpus(str(source.path), start, multilabel=declared, sample_columns=sample_columns, tables=keys.tables)


def batches_of(
    groups: Iterable[Iterable[tuple[int, str]]], source: Source, report: Report, tables: list[UsedColumns]
) -> Iterator[Batch]:
    """Yield the documents of each group of numbered lines when it arrives.

    The first object determines the keys, which are added to `tables`. If the text consists of several keys, the first
    object needs only one of them.
    """
    keys = _KeyChooser(source, [], tables)
    for lines in groups:
        objects = _objects_in_lines(lines, source, report)
        yield from in_batches(_documents(objects, source, report, keys, "line {}"))


class _KeyChooser:
    """Chooses the keys of the text and the label, separately for the two kinds of objects that a file may have.

    Objects with fixed keys have exactly the keys of a set in `Source.fixed_keys`, such as the corrections of the
    service; default names of columns are not used for them. All other objects are ordinary ones. The keys of a kind are
    chosen once: from the keys of all `examples` of this kind, or if there are none, from its first object. The names of
    the chosen keys are added to `tables`.
    """

    def __init__(self, source: Source, examples: list[Object], tables: list[UsedColumns] | None = None) -> None:
        self.tables = [] if tables is None else tables
        self._fixed_keys = source.fixed_keys
        # These dictionaries have a value for each kind: whether the objects have fixed keys.
        self._sources = {False: source, True: _without_default_names(source)}
        self._chosen: dict[bool, _Keys] = {}
        names: dict[bool, dict[str, None]] = {}
        for record in examples:
            names.setdefault(self.has_fixed_keys(record), {}).update(dict.fromkeys(record))
        for is_fixed, names_of_kind in names.items():
            self._choose(is_fixed, list(names_of_kind))

    def of(self, record: Object) -> _Keys:
        """Return the keys to read from an object."""
        is_fixed = self.has_fixed_keys(record)
        if is_fixed not in self._chosen:
            self._choose(is_fixed, with_later_text_columns(list(record), self._sources[is_fixed]))
        return self._chosen[is_fixed]

    def has_fixed_keys(self, record: Object) -> bool:
        """Return whether an object has exactly the keys of a set in `Source.fixed_keys`."""
        return record.keys() in self._fixed_keys

    def _choose(self, is_fixed: bool, names: list[str]) -> None:
        """Choose the keys for objects with or without fixed keys from the names of all their keys."""
        self._chosen[is_fixed], used = _choose_keys(names, self._sources[is_fixed])
        self.tables.append(used)


def _without_default_names(source: Source) -> Source:
    """Return the source without default names of columns, and if `fixed_over_given` is true, without given names."""
    if source.fixed_over_given:
        source = replace(source, text=(), label=False if source.label is False else None)
    return replace(source, default_text=(), default_label=None)


def _choose_keys(names: list[str], source: Source) -> tuple[_Keys, UsedColumns]:
    """Return the keys to read, chosen from `names` like the columns of a table, and the use of each."""
    for option, value in (
        *(("text", column) for column in source.text),
        ("label", source.label),
        *(("keep", column) for column in ([] if source.keep == ALL_COLUMNS else source.keep)),
    ):
        if isinstance(value, int) and not isinstance(value, bool):
            raise InputError(
                "JSON has keys, not numbers",
                place=str(source.path),
                setting=option,
                value=value,
                hint="Give the key's name",
            )
    kept = choose_kept_columns(names, source)
    used = used_columns(names, choose_columns(names, source), kept, source)
    return _Keys(used.text, used.label, None if source.keep == ALL_COLUMNS else used.kept), used


def _documents(
    objects: Iterator[tuple[int, Object]],
    source: Source,
    report: Report,
    keys: _KeyChooser,
    place_format: str,
) -> Iterator[Document | KeptDocument]:
    """Yield the documents of numbered objects; raise `InputError` if one has no text or an invalid one."""
    read_labels = source.label_reader(report, place_format=place_format, warns_if_joined=True)
    for number, record in objects:
        text_keys, label_key, kept_keys = keys.of(record)
        present_keys = [key for key in text_keys if key in record]
        if not present_keys:
            raise InputError(
                f"no key {' or '.join(map(repr, text_keys))}. Keys found: {', '.join(map(repr, record)) or 'none'}",
                place=Place(str(source.path), place_format.format(number)),
                hint="Every object needs its text; null stands for an empty one",
            )
        parts: list[str] = []
        for key in present_keys:
            value = record[key]
            if not (value is None or isinstance(value, str)):
                raise InputError(
                    f"{key!r} is {_describe(value)}, not a string",
                    place=Place(str(source.path), place_format.format(number)),
                    hint="A text is a string, or null if empty",
                )
            parts.append(value or "")
        text, n_replaced = without_surrogates(parts[0] if len(text_keys) == 1 else join_parts(parts))
        report.replaced_bytes += n_replaced
        labels = () if label_key is None else read_labels(record.get(label_key), number)
        if label_key is not None and _is_withdrawal(record, label_key):
            report.withdrawals += 1
            if report.places:  # `read_labels` has just added the place
                report.places[-1] = report.places[-1]._replace(is_withdrawal=True)
        if kept_keys is None:
            yield text, labels, record
        elif kept_keys:
            yield text, labels, {name: record.get(name) for name in kept_keys}
        else:
            yield text, labels


def _is_withdrawal(record: Object, label_key: str) -> bool:
    """Return whether an object withdraws corrections: it comes from the service, and says so instead of a label.

    It may have other keys than those that the service writes, because another program may add or remove some.
    """
    return record.get(WITHDRAWN) is True and "predicted" in record and record.get(label_key) is None


def _objects(source: Source, report: Report, is_array: bool) -> Iterator[tuple[int, Object]]:
    """Yield the number and the object of each line, or of each item of an array."""
    return _objects_in_array(source, report) if is_array else _objects_in_lines(source.lines(report), source, report)


def _objects_in_lines(lines: Iterable[tuple[int, str]], source: Source, report: Report) -> Iterator[tuple[int, Object]]:
    """Yield the number and the object of each line; if the source is lenient, skip lines that can't be parsed."""
    for number, line in lines:
        if line.isspace():
            report.skip("blank lines")
            continue
        try:
            record = _require_object(_parse(line, source, number), source, f"line {number}")
        except InputError:
            if not source.lenient:
                raise
            report.unreadable.append(f"line {number}")
            continue
        yield number, record


def _objects_in_array(source: Source, report: Report) -> Iterator[tuple[int, Object]]:
    """Yield the number, from 1, and the object of each item of a file that is one JSON array."""
    parser = _ArrayParser(source, report)
    number = 0
    if not parser.skip("["):
        raise parser.expected_error("a list")
    while not parser.skip("]"):
        if number and not parser.skip(","):
            raise parser.expected_error("',' delimiter")
        number += 1
        yield number, _require_object(parser.parse_value(number), source, f"item {number}")
    if parser.peek():
        raise parser.expected_error("nothing after the list")


class _ArrayParser:
    """Parses a JSON array value by value, holding little more than one value in memory.

    It buffers some text of the file, and reads on when the buffered text ends within a value.
    """

    def __init__(self, source: Source, report: Report) -> None:
        self._source = source
        self._pieces = source.text_pieces(report)
        self._text = ""  # the buffered text
        self._position = 0  # the buffered text before this position is parsed
        self._line, self._column = 1, 1  # where the buffered text begins in the file, from 1

    def peek(self) -> str:
        """Move to the next character that is not white space, and return it; return "" at the end of the file."""
        while True:
            if match := _NOT_SPACE.search(self._text, self._position):
                self._position = match.start()
                return match[0]
            self._position = len(self._text)
            if not self._read_more(at_least=1):
                return ""

    def skip(self, character: str) -> bool:
        """Skip white space, and then this character if it comes next; return whether it did."""
        is_next = self.peek() == character
        if is_next:
            self._position += 1
        return is_next

    def parse_value(self, number: int) -> object:
        """Parse and return the next value; `number` is the number of the item, for errors.

        If the buffered text may have ended within the value, read at least as many characters as there are of it, and
        try again. So a long value takes about as many attempts as the logarithm of its length.
        """
        self.peek()  # skips white space
        while True:
            try:
                value, self._position = _DECODER.raw_decode(self._text, self._position)
                return value
            except json.JSONDecodeError as error:
                # The error is made now, because `_read_more` moves the buffered text, to which `error.pos` refers.
                problem = self._error(error.pos, error.msg.removesuffix(" at"))
                n_after_error = len(self._text[error.pos :].strip())
                is_incomplete = error.msg.startswith("Unterminated") or n_after_error <= MAX_TOKEN
                if not is_incomplete:
                    raise problem from None
                n_characters = len(self._text) - self._position  # of this value so far
                self._source.limits.check_document(n_characters, Place(str(self._source.path), f"item {number}"))
                if not self._read_more(n_characters):
                    raise problem from None
            except RecursionError:
                raise self._error(self._position, "nested too deeply") from None
            except ValueError as error:  # a number with thousands of digits
                raise self._error(self._position, str(error)) from None

    def _read_more(self, at_least: int) -> bool:
        """Drop the parsed text, and append at least this many characters, or all that are left in the file.

        Return False if none are left.
        """
        parsed = self._text[: self._position]
        n_newlines = parsed.count("\n")
        # Columns count from 1, so the character after the last newline of `parsed` has column 1.
        self._column = len(parsed) - parsed.rfind("\n") if n_newlines else self._column + len(parsed)
        self._line += n_newlines
        pieces = [self._text[self._position :]]
        self._position = 0
        n_read = 0
        while n_read < at_least and (piece := next(self._pieces, None)) is not None:
            pieces.append(piece)
            n_read += len(piece)
        self._text = "".join(pieces)
        return n_read > 0

    def expected_error(self, what: str) -> InputError:
        """Return the error for text at this position that is not `what`."""
        return self._error(self._position, f"Expecting {what}")

    def _error(self, position: int, problem: str) -> InputError:
        """Return an error with the line and column of a position in the buffered text."""
        before = self._text[:position]
        n_newlines = before.count("\n")
        column = position - before.rfind("\n") if n_newlines else self._column + position
        return _not_json_error(self._source, self._line + n_newlines, f"{problem} at column {column}")


def _parse(text: str, source: Source, number: int) -> object:
    """Return the parsed line with this number; raise `InputError` if it is not JSON.

    msgspec takes 0.4 of the time of `json.loads`. But `json.loads` accepts some texts that msgspec rejects, such as NaN
    and half of a UTF-16 pair, and its errors are clearer. So it parses again what msgspec rejects.
    """
    try:
        return _decode_line(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        pass
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        problem = f"{error.msg.removesuffix(' at')} at column {error.colno}"
    except RecursionError:
        problem = "nested too deeply"
    except ValueError as error:  # a number with thousands of digits
        problem = str(error)
    raise _not_json_error(source, number, problem)


def _not_json_error(source: Source, line: int, problem: str) -> InputError:
    """Return the error for a line that is not JSON; `problem` says why."""
    return InputError(
        f"not JSON: {problem}",
        place=Place(str(source.path), f"line {line}"),
        hint="Write one complete JSON object on each line",
    )


def _require_object(value: object, source: Source, place: str) -> Object:
    """Return the value; raise `InputError` if it is not a JSON object."""
    if isinstance(value, dict):
        return value
    raise InputError(
        f'found {_describe(value)}; expected an object such as {{"text": "...", "label": "..."}}.',
        place=Place(str(source.path), place),
    )


def _describe(value: object) -> str:
    """Return a value as text for a message: "a string", "a list" or "an object", or else the value, such as "null".

    A string, a list or an object is not shown, because it may contain a document.
    """
    kinds: dict[type, str] = {str: "a string", list: "a list", dict: "an object"}
    return kinds.get(type(value)) or json.dumps(value)


def _is_array(source: Source) -> bool:
    """Return whether the first character that is not white space opens a JSON array."""
    stripped_pieces = (piece.lstrip() for piece in source.text_pieces(Report()))
    return next(filter(None, stripped_pieces), "").startswith("[")


def _look_ahead(source: Source, is_array: bool) -> list[Object]:
    """Return the first objects, which determine the keys; raise `InputError` if the source has none.

    The list is empty if the source is lenient and no line can be parsed.
    """
    examples: list[Object] = []
    n_characters = 0
    report = Report()
    for _, record in _objects(source, report, is_array):
        examples.append(record)
        n_characters += sum(len(value) for value in record.values() if isinstance(value, str))
        if len(examples) >= LOOK_AHEAD_LINES or n_characters >= LOOK_AHEAD_CHARACTERS:
            break
    if not examples and not report.unreadable:
        raise InputError("no documents.", place=str(source.path))
    return examples
