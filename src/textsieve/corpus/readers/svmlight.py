"""Read svmlight: `1 3:0.5 7:1 # comment`, several labels as `1,3`. It yields vectors, not texts.

The number of columns, and whether they are counted from 0 or 1, is known only at the end of the file; so an extra pass
before the first finds the smallest and the largest index. As in scikit-learn, an index 0 anywhere means that columns
are counted from 0. Both passes hold one batch of lines.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, cast

import numpy as np
from scipy.sparse import csr_array

from ...errors import InputError, Place
from ..batch import BATCH_CHARACTERS, BATCH_DOCUMENTS, Batch, Report
from ..corpus import Corpus
from ..formats import Format
from ..source import Source

# scikit-learn has no type annotations; this is the only function used here.
load_svmlight_file = cast(Callable[..., tuple[Any, Any]], import_module("sklearn.datasets").load_svmlight_file)


@dataclass(slots=True)
class _Lines:
    """Consecutive lines of the file: their numbers, labels and features."""

    numbers: list[int]
    labels: list[str]
    features: list[str]


@dataclass(frozen=True, slots=True)
class _Columns:
    first: int
    count: int


def corpus(source: Source, format: Format) -> Corpus:
    """Return the lines of a file as a corpus of vectors."""
    known: list[_Columns] = []

    def start(report: Report) -> Iterator[Batch]:
        if not known:
            known.append(_find_columns(source))
        return _batches(source, report, known[0])

    return Corpus(str(source.path), start)


def _batches(source: Source, report: Report, columns: _Columns) -> Iterator[Batch]:
    to_labels = source.label_reader(report)
    for lines in _in_chunks(source, report):
        raw = _parse(lines, source)
        if raw.shape[1] > columns.first + columns.count:
            raise InputError("has changed since it was first read. Open it again.", place=str(source.path))
        shape = (raw.shape[0], columns.count)
        vectors = csr_array((raw.data, raw.indices - columns.first, raw.indptr), shape=shape)
        vectors.eliminate_zeros()
        labels = [
            to_labels(_label_value(label), number) for label, number in zip(lines.labels, lines.numbers, strict=True)
        ]
        yield Batch(labels, vectors=vectors, first_column=columns.first)


def _find_columns(source: Source) -> _Columns:
    smallest, largest = 1, -1
    for lines in _in_chunks(source, Report()):
        indices = _parse(lines, source).indices
        if len(indices):
            smallest = min(smallest, int(indices.min()))
            largest = max(largest, int(indices.max()))
    if largest < 0:
        return _Columns(0, 1)
    return _Columns(smallest, largest + 1 - smallest)


def _in_chunks(source: Source, report: Report) -> Iterator[_Lines]:
    lines = _Lines([], [], [])
    size = 0
    for number, line in source.lines(report):
        content = line.partition("#")[0].strip()
        if not content:
            report.skip("blank lines and comments")
            continue
        label, *features_part = content.split(None, 1)
        features = features_part[0] if features_part else ""
        if ":" in label:
            label, features = "", content
        lines.numbers.append(number)
        lines.labels.append(label)
        lines.features.append(features)
        size += len(content)
        if len(lines.numbers) >= BATCH_DOCUMENTS or size >= BATCH_CHARACTERS:
            yield lines
            lines, size = _Lines([], [], []), 0
    if lines.numbers:
        yield lines


def _parse(lines: _Lines, source: Source) -> csr_array[Any]:
    try:
        parsed = _load(lines.features)
    except (ValueError, OverflowError):
        _raise_with_line(lines, source)
        raise
    if not np.isfinite(parsed.data).all():
        row = int(np.searchsorted(parsed.indptr, np.flatnonzero(~np.isfinite(parsed.data))[0], side="right")) - 1
        raise InputError(
            "a value is not finite. Leave it out.", place=Place(str(source.path), f"line {lines.numbers[row]}")
        )
    return parsed


def _raise_with_line(lines: _Lines, source: Source) -> None:
    for number, features in zip(lines.numbers, lines.features, strict=True):
        try:
            _load([features])
        except (ValueError, OverflowError) as error:
            raise InputError(
                f"{str(error).rstrip('.')}. "
                "Expected a label and then index:value pairs with rising indices, such as 1 3:0.5 7:1.",
                place=Place(str(source.path), f"line {number}"),
            ) from error


def _load(features: list[str]) -> csr_array[Any]:
    # Labels are parsed here, because scikit-learn would convert them to floats.
    data = "".join(f"0 {line}\n" for line in features).encode()
    matrix, _ = load_svmlight_file(io.BytesIO(data), zero_based=True)
    return csr_array(matrix)


def _label_value(label: str) -> object:
    """Convert a label to a number, so that +1, 1 and 1.0 are one class, or several labels to a list."""
    if "," in label:
        return [_label_value(part) for part in label.split(",")]
    try:
        return float(label)
    except ValueError:
        return label
