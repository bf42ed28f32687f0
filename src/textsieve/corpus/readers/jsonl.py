"""JSON lines: one object a line. A file that is one JSON array of objects is read too, but in memory as a
whole.

A label is a string, a number, null (unlabelled) or a list of labels; a line may lack it. Every line has the
text, which may be null: an empty document. A line that is no object is refused, or left out if the source is lenient:
whoever was killed while writing has left half a line. Messages have no part of a line in them, which may be private.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from ...errors import InputError
from ..batch import Batch, Document, KeptDocument, Report, in_batches
from ..columns import choose, choose_kept
from ..corpus import Corpus
from ..formats import Format
from ..source import Source
from ..text import without_surrogates

LOOK_AHEAD_LINES = 1_000
LOOK_AHEAD_CHARACTERS = 2**20

Object = dict[str, object]


class _Keys(NamedTuple):
    """Under which keys the text, the label and what else is wanted are."""

    text: str
    label: str | None
    kept: tuple[str, ...]


def corpus(source: Source, format: Format) -> Corpus:
    """The objects of a file."""
    is_array = _is_array(source)
    seen = _look_ahead(source, is_array)
    keys = _keys(seen, source) if seen else _Keys("", None, ())  # nothing to look for, if no line can be read
    several = source.label_separator is not None or any(isinstance(each.get(keys.label or ""), list) for each in seen)

    def start(report: Report) -> Iterator[Batch]:
        objects = _objects(source, report, is_array)
        place = "item {}" if is_array else "line {}"
        return in_batches(_documents(objects, source, report, keys, place))

    return Corpus(str(source.path), start, multilabel=True if several else None)


def batches_of(groups: Iterable[Iterable[tuple[int, str]]], source: Source, report: Report) -> Iterator[Batch]:
    """The documents of lines that come some at a time, handed out as they come; the first shows the keys."""
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


def _keys(seen: list[Object], source: Source) -> _Keys:
    for option, value in (("text", source.text), ("label", source.label), *(("keep", each) for each in source.keep)):
        if isinstance(value, int) and not isinstance(value, bool):
            raise InputError(f"{source.path}: {option}={value}: JSON has keys, not numbers. Give the key's name.")
    keys = list(dict.fromkeys(key for each in seen for key in each))
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
    for number, found in objects:
        value = found.get(text, _documents)  # anything that JSON cannot hold
        if value is _documents:
            raise InputError(
                f"{source.path}: {place.format(number)}: no key {text!r}. "
                f"Keys found: {', '.join(map(repr, found)) or 'none'}. "
                "Every object needs its text; null stands for an empty one."
            )
        if not (value is None or isinstance(value, str)):
            raise InputError(
                f"{source.path}: {place.format(number)}: {text!r} is {_described(value)}, not a string. "
                "A text is a string, or null if empty."
            )
        document, replaced = without_surrogates(value or "")
        report.replaced_bytes += replaced
        labels = () if label is None else to_labels(found.get(label), number)
        if kept:
            yield document, labels, {name: found.get(name) for name in kept}
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
            found = _as_object(_parse(line, source, number), source, f"line {number}")
        except InputError:
            if not source.lenient:
                raise
            report.unreadable.append(f"line {number}")
            continue
        yield number, found


def _array(source: Source, report: Report) -> Iterator[tuple[int, Object]]:
    whole = "".join(line for _, line in source.lines(report))
    items = _parse(whole, source, None)
    if not isinstance(items, list):
        raise InputError(f"{source.path}: found one JSON {type(items).__name__}; expected a list of objects.")
    for number, item in enumerate(items, 1):
        yield number, _as_object(item, source, f"item {number}")


def _parse(text: str, source: Source, number: int | None) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = number or error.lineno
        problem = f"{error.msg.removesuffix(' at')} at column {error.colno}"
    except RecursionError:
        line, problem = number or 1, "nested too deeply"
    except ValueError as error:  # a number with thousands of digits
        line, problem = number or 1, str(error)
    raise InputError(f"{source.path}: line {line}: not JSON: {problem}. Write one complete JSON object on each line.")


def _as_object(value: object, source: Source, place: str) -> Object:
    if isinstance(value, dict):
        return value
    raise InputError(
        f"{source.path}: {place}: found {_described(value)}; "
        'expected an object such as {"text": "...", "label": "..."}.'
    )


def _described(value: object) -> str:
    """A value for a message: what may be a document, or have one in it, is not shown."""
    kinds: dict[type, str] = {str: "a string", list: "a list", dict: "an object"}
    return kinds.get(type(value)) or json.dumps(value)


def _is_array(source: Source) -> bool:
    for _, line in source.lines(Report()):
        if start := line.lstrip():
            return start.startswith("[")
    return False


def _look_ahead(source: Source, is_array: bool) -> list[Object]:
    """The first objects, to see which keys there are."""
    seen: list[Object] = []
    size = 0
    report = Report()
    for _, found in _objects(source, report, is_array):
        seen.append(found)
        size += sum(len(value) for value in found.values() if isinstance(value, str))
        if len(seen) >= LOOK_AHEAD_LINES or size >= LOOK_AHEAD_CHARACTERS:
            break
    if not seen and not report.unreadable:
        raise InputError(f"{source.path}: no documents.")
    return seen
