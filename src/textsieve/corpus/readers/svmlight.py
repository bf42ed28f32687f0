"""Read svmlight: a label and pairs of a column and a value, `1 3:0.5 7:1 # comment`, or several labels, `1,3 3:0.5`.

The batches have vectors, not texts. The number of columns, and whether the file counts them from 0 or 1, is known only
at its end; so an extra pass before the first finds the smallest and the largest column. As in scikit-learn, a column 0
anywhere means that columns are counted from 0. Each pass holds one batch of lines in memory at a time.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple, cast

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


class _ColumnRange(NamedTuple):
    """The columns of the whole file: their number, and the number that the file has for the first one, 0 or 1."""

    first: int
    n_columns: int


def corpus(source: Source, format: Format) -> Corpus:
    """Return the lines of a file as a corpus of vectors."""
    columns: _ColumnRange | None = None

    def start(report: Report) -> Iterator[Batch]:
        """Start a pass; the first call finds the columns, which takes an extra pass."""
        nonlocal columns
        if columns is None:
            columns = _find_columns(source)
        return _batches(source, report, columns)

    return Corpus(str(source.path), start)


def _batches(source: Source, report: Report, columns: _ColumnRange) -> Iterator[Batch]:
    """Yield the vectors and labels of the file; column 0 of a vector is the first column of the file."""
    read_labels = source.label_reader(report)
    for lines in _groups_of_lines(source, report):
        matrix = _parse(lines, source)
        indices = matrix.indices - columns.first
        # `_find_columns` has seen all columns of the file, so another one is in a line that was written since.
        if len(indices) and not 0 <= indices.min() <= indices.max() < columns.n_columns:
            raise InputError("has changed since it was first read", place=str(source.path), hint="Open it again")
        vectors = csr_array((matrix.data, indices, matrix.indptr), shape=(matrix.shape[0], columns.n_columns))
        vectors.eliminate_zeros()  # pairs such as 3:0
        labels = [
            read_labels(_label_value(label), number) for label, number in zip(lines.labels, lines.numbers, strict=True)
        ]
        yield Batch(labels, vectors=vectors, first_column=columns.first)


def _find_columns(source: Source) -> _ColumnRange:
    """Return the columns of the file, which takes a pass over it."""
    smallest = 1  # columns are counted from 1, unless there is an index 0
    largest = -1  # no index yet
    for lines in _groups_of_lines(source, Report()):
        indices = _parse(lines, source).indices
        if len(indices):
            smallest = min(smallest, int(indices.min()))
            largest = max(largest, int(indices.max()))
    if largest < 0:
        return _ColumnRange(first=0, n_columns=1)  # no line has a feature; a matrix needs a column
    return _ColumnRange(first=smallest, n_columns=largest + 1 - smallest)


def _groups_of_lines(source: Source, report: Report) -> Iterator[_Lines]:
    """Yield the lines of the file, without comments, in groups of the size of a batch."""
    lines = _Lines([], [], [])
    n_characters = 0
    for number, line in source.lines(report):
        content = line.partition("#")[0].strip()
        if not content:
            report.skip("blank lines and comments")
            continue
        words = content.split(None, 1)
        label, features = words[0], words[1] if len(words) > 1 else ""
        if ":" in label:  # the line has no label
            label, features = "", content
        lines.numbers.append(number)
        lines.labels.append(label)
        lines.features.append(features)
        n_characters += len(content)
        if len(lines.numbers) >= BATCH_DOCUMENTS or n_characters >= BATCH_CHARACTERS:
            yield lines
            lines, n_characters = _Lines([], [], []), 0
    if lines.numbers:
        yield lines


def _parse(lines: _Lines, source: Source) -> csr_array[Any]:
    """Return the features as a matrix with a row per line; columns are numbered as in the file."""
    try:
        matrix = _load(lines.features)
    except (ValueError, OverflowError):
        _raise_with_line(lines, source)
        raise  # only reached if each line can be parsed by itself
    if not np.isfinite(matrix.data).all():
        first_invalid = np.flatnonzero(~np.isfinite(matrix.data))[0]
        # The entries of row r are those from `indptr[r]` to `indptr[r + 1]`.
        row = int(np.searchsorted(matrix.indptr, first_invalid, side="right")) - 1
        raise InputError(
            "a value is not finite",
            place=Place(str(source.path), f"line {lines.numbers[row]}"),
            hint="Leave it out",
        )
    return matrix


def _raise_with_line(lines: _Lines, source: Source) -> None:
    """Raise `InputError` for the first line that can't be parsed by itself; return if there is none.

    The errors of scikit-learn do not name the line.
    """
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
    """Return the matrix of features, with a row per line, and columns numbered as in the file.

    scikit-learn expects a label in each line. It gets a 0, because `_label_value` reads the real labels.
    """
    data = "".join(f"0 {line}\n" for line in features).encode()
    matrix, _ = load_svmlight_file(io.BytesIO(data), zero_based=True)
    return csr_array(matrix)


def _label_value(label: str) -> object:
    """Return the value of a label: a list for `1,3`, a number if it is one, and otherwise the text.

    Numbers are converted so that +1, 1 and 1.0 are one class.
    """
    if "," in label:
        return [_label_value(part) for part in label.split(",")]
    try:
        return float(label)
    except ValueError:
        return label
