"""Read JSON lines: one object per line. A file that is one JSON array of objects is read too, an object at a time.

A label is a string, a number, null (unlabelled) or a list of labels; a line may lack it. Every line has the text, which
may be null for an empty document. A line that is not an object raises `InputError`, or is skipped if the source is
lenient: a writer that was killed leaves half a line. Messages never quote a line, which may be private.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from ...errors import InputError, Place
from ..batch import Batch, Document, KeptDocument, Report, in_batches
from ..corpus import Corpus
from ..formats import Format
from ..source import Source, choose, choose_kept
from ..streams import without_surrogates

LOOK_AHEAD_LINES = 1_000
LOOK_AHEAD_CHARACTERS = 2**20
LONGEST_TOKEN = 12
"""Maximum number of characters left after an error if the text was cut in the middle of a token, such as an escape."""

_DECODER = json.JSONDecoder()
_NOT_SPACE = re.compile(r"[^ \t\n\r]")

Object = dict[str, object]


class _Keys(NamedTuple):
    """The keys of the text, the label and the other values to keep."""

    text: str
    label: str | None
    kept: tuple[str, ...]


def corpus(source: Source, format: Format) -> Corpus:
    """Return the objects of a file as a corpus."""
    is_array = _is_array(source)
    examples = _look_ahead(source, is_array)
    keys = _keys(examples, source) if examples else _Keys("", None, ())  # no keys if no line can be parsed
    multilabel = source.label_separator is not None or any(
        isinstance(record.get(keys.label or ""), list) for record in examples
    )

    def start(report: Report) -> Iterator[Batch]:
        objects = _objects(source, report, is_array)
        place = "item {}" if is_array else "line {}"
        return in_batches(_documents(objects, source, report, keys, place))

    return Corpus(str(source.path), start, multilabel=True if multilabel else None)


def batches_of(groups: Iterable[Iterable[tuple[int, str]]], source: Source, report: Report) -> Iterator[Batch]:
    """Yield the documents of each group of lines as soon as it arrives; the first object determines the keys."""
    keys: _Keys | None = None
    for lines in groups:
        objects = _objects_of(lines, source, report)
        if keys is None:
            first = next(objects, None)
            if first is None:
                continue
            keys = _keys([first[1]], source)
            objects = chain([first], objects)
        yield from in_batches(_documents(objects, source, report, keys, "line {}"))


def _keys(examples: list[Object], source: Source) -> _Keys:
    for option, value in (
        ("text", source.text),
        ("label", source.label),
        *(("keep", column) for column in source.keep),
    ):
        if isinstance(value, int) and not isinstance(value, bool):
            raise InputError(
                f"{option}={value}: JSON has keys, not numbers. Give the key's name.", place=str(source.path)
            )
    keys = list(dict.fromkeys(key for record in examples for key in record))
    text_at, label_at = choose(keys, source)
    return _Keys(keys[text_at], None if label_at is None else keys[label_at], tuple(choose_kept(keys, source)))


def _documents(
    objects: Iterator[tuple[int, Object]],
    source: Source,
    report: Report,
    keys: _Keys,
    place: str,
) -> Iterator[Document | KeptDocument]:
    to_labels = source.label_reader(report, place=place, may_be_joined=True)
    text, label, kept = keys
    for number, record in objects:
        value = record.get(text, _documents)  # a sentinel that JSON cannot contain
        if value is _documents:
            raise InputError(
                f"no key {text!r}. "
                f"Keys found: {', '.join(map(repr, record)) or 'none'}. "
                "Every object needs its text; null stands for an empty one.",
                place=Place(str(source.path), place.format(number)),
            )
        if not (value is None or isinstance(value, str)):
            raise InputError(
                f"{text!r} is {_describe(value)}, not a string. A text is a string, or null if empty.",
                place=Place(str(source.path), place.format(number)),
            )
        document, replaced = without_surrogates(value or "")
        report.replaced_bytes += replaced
        labels = () if label is None else to_labels(record.get(label), number)
        if kept:
            yield document, labels, {name: record.get(name) for name in kept}
        else:
            yield document, labels


def _objects(source: Source, report: Report, is_array: bool) -> Iterator[tuple[int, Object]]:
    if is_array:
        yield from _array(source, report)
        return
    yield from _objects_of(source.lines(report), source, report)


def _objects_of(lines: Iterable[tuple[int, str]], source: Source, report: Report) -> Iterator[tuple[int, Object]]:
    for number, line in lines:
        if line.isspace():
            report.skip("blank lines")
            continue
        try:
            record = _as_object(_parse(line, source, number), source, f"line {number}")
        except InputError:
            if not source.lenient:
                raise
            report.unreadable.append(f"line {number}")
            continue
        yield number, record


def _array(source: Source, report: Report) -> Iterator[tuple[int, Object]]:
    items = _Array(source, report)
    number = 0
    if not items.skip("["):
        raise items.expected("a list")
    while not items.skip("]"):
        if number and not items.skip(","):
            raise items.expected("',' delimiter")
        number += 1
        yield number, _as_object(items.take(number), source, f"item {number}")
    if items.ahead():
        raise items.expected("nothing after the list")


class _Array:
    """A JSON array that is parsed value by value, holding little more than one value in memory."""

    def __init__(self, source: Source, report: Report) -> None:
        self._source = source
        self._pieces = source.text_pieces(report)
        self._text = ""
        self._at = 0
        self._line, self._column = 1, 1  # where the buffered text begins in the file

    def ahead(self) -> str:
        """Return the next character that is not white space, or "" at the end."""
        while True:
            if mark := _NOT_SPACE.search(self._text, self._at):
                self._at = mark.start()
                return mark[0]
            self._at = len(self._text)
            if not self._more(1):
                return ""

    def skip(self, mark: str) -> bool:
        """Skip a character if it comes next, and return whether it did."""
        is_next = self.ahead() == mark
        self._at += is_next
        return is_next

    def take(self, number: int) -> object:
        """Parse and return the next value. Each time the buffered text ends too early, read twice as much."""
        self.ahead()
        while True:
            try:
                value, self._at = _DECODER.raw_decode(self._text, self._at)
                return value
            except json.JSONDecodeError as error:
                is_cut = error.msg.startswith("Unterminated") or len(self._text[error.pos :].strip()) <= LONGEST_TOKEN
                problem = self._error(error.pos, error.msg.removesuffix(" at"))
                n_characters = len(self._text) - self._at
                if is_cut:
                    self._source.bounds.check_document(n_characters, Place(str(self._source.path), f"item {number}"))
                if not is_cut or not self._more(n_characters):
                    raise problem from None
            except RecursionError:
                raise self._error(self._at, "nested too deeply") from None
            except ValueError as error:  # a number with thousands of digits
                raise self._error(self._at, str(error)) from None

    def _more(self, at_least: int) -> bool:
        """Drop the parsed text and read on; return whether there was anything left to read.

        At least this many characters are read, or all that are left.
        """
        taken = self._text[: self._at]
        lines = taken.count("\n")
        self._column = len(taken) - taken.rfind("\n") if lines else self._column + len(taken)
        self._line += lines
        pieces = [self._text[self._at :]]
        self._at = 0
        n_read = 0
        while n_read < at_least and (piece := next(self._pieces, None)) is not None:
            pieces.append(piece)
            n_read += len(piece)
        self._text = "".join(pieces)
        return n_read > 0

    def expected(self, what: str) -> InputError:
        """Return the error for anything else at this position."""
        return self._error(self._at, f"Expecting {what}")

    def _error(self, at: int, problem: str) -> InputError:
        before = self._text[:at]
        lines = before.count("\n")
        column = at - before.rfind("\n") if lines else self._column + at
        return _not_json(self._source, self._line + lines, f"{problem} at column {column}")


def _parse(text: str, source: Source, number: int) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        problem = f"{error.msg.removesuffix(' at')} at column {error.colno}"
    except RecursionError:
        problem = "nested too deeply"
    except ValueError as error:  # a number with thousands of digits
        problem = str(error)
    raise _not_json(source, number, problem)


def _not_json(source: Source, line: int, problem: str) -> InputError:
    return InputError(
        f"not JSON: {problem}. Write one complete JSON object on each line.",
        place=Place(str(source.path), f"line {line}"),
    )


def _as_object(value: object, source: Source, place: str) -> Object:
    if isinstance(value, dict):
        return value
    raise InputError(
        f'found {_describe(value)}; expected an object such as {{"text": "...", "label": "..."}}.',
        place=Place(str(source.path), place),
    )


def _describe(value: object) -> str:
    """Describe a value for a message without showing it if it may be, or contain, a document."""
    kinds: dict[type, str] = {str: "a string", list: "a list", dict: "an object"}
    return kinds.get(type(value)) or json.dumps(value)


def _is_array(source: Source) -> bool:
    starts = (piece.lstrip() for piece in source.text_pieces(Report()))
    return next(filter(None, starts), "").startswith("[")


def _look_ahead(source: Source, is_array: bool) -> list[Object]:
    """Return the first objects, which determine the keys."""
    examples: list[Object] = []
    size = 0
    report = Report()
    for _, record in _objects(source, report, is_array):
        examples.append(record)
        size += sum(len(value) for value in record.values() if isinstance(value, str))
        if len(examples) >= LOOK_AHEAD_LINES or size >= LOOK_AHEAD_CHARACTERS:
            break
    if not examples and not report.unreadable:
        raise InputError("no documents.", place=str(source.path))
    return examples
