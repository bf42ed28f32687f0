"""Convert the label values that a reader finds to tuples of strings.

One rule holds for every format: a string or number is one label (or several, if the caller gives a separator that
occurs in the string), a list is several, and nothing (null, empty, blank) is none. White space around a label in a file
is not part of it: "sport " and "sport" look the same to the person who wrote them. Numbers become strings; 1 and 1.0
both become "1", because a table with missing values stores integers as floats. Strings and numbers in one column raise
`InputError`, because "1" and 1 would silently become one class. So does NaN in a file, which is neither a class nor
clearly "unlabelled". For labels in memory, NaN means no label, because pandas writes missing values as NaN.
"""

from __future__ import annotations

import math
import sys
from numbers import Integral, Real
from typing import Any

from ..errors import InputError, Place, shown
from .batch import DocumentPlace, JoinedLabels, Labels, Report
from .streams import without_surrogates

MAX_CACHED = 100_000
"""Maximum number of label values whose tuples are cached; more distinct values are hardly classes."""


def is_missing(label: Any) -> bool:
    """Return whether a label in memory is a missing value: None, a masked entry, NaN, or pandas' NA and NaT."""
    if label is None:
        return True
    if isinstance(label, Real):
        return bool(label != label)  # only NaN differs from itself
    # If a package is not loaded, the label is not one of its values.
    numpy, pandas = sys.modules.get("numpy"), sys.modules.get("pandas")
    if numpy is not None and label is numpy.ma.masked:
        return True
    return pandas is not None and (label is pandas.NA or label is pandas.NaT)


class LabelReader:
    """Converts the labels of one pass, and remembers where each kind of label (string, number) first occurred.

    For errors, `name` is the name of the file or corpus, and `place_format` how to write a position, such as "line {}".
    `separator` is the string between several labels in one string. With `as_given`, for labels in memory, white space
    is not stripped and NaN means unlabelled. With `may_be_joined` and without a separator, the reader also checks
    whether the cells of a table look like several labels in one.

    The reader writes to `report`: it counts replaced characters, notes whether labels are multilabel, adds to
    `joined`, and appends the place of each document to `places` unless that is None.
    """

    def __init__(
        self,
        name: str,
        place_format: str,
        *,
        report: Report,
        separator: str | None = None,
        as_given: bool = False,
        may_be_joined: bool = False,
    ) -> None:
        self._name = name
        self._place_format = place_format
        self._report = report
        self._separator = separator
        self._first_of_kind: dict[str, tuple[object, int]] = {}
        self._cache: dict[str, Labels] = {}
        self._as_given = as_given
        self._joined = JoinedLabels() if may_be_joined and separator is None else None
        if self._joined is not None:
            report.joined.append((name, self._joined))
        report.multilabel |= separator is not None

    def __call__(self, value: object, position: int) -> Labels:
        """Return the labels that a value stands for, without duplicates; `position` is the document's line or row."""
        if self._report.places is not None:
            is_of_no_class = isinstance(value, list) and not value
            self._report.places.append(DocumentPlace(self._place_format.format(position), is_of_no_class))
        if type(value) is str and (cached_labels := self._cache.get(value)) is not None:
            return cached_labels
        if isinstance(value, list | tuple | set | frozenset):
            self._report.multilabel = True
            labels = [label for item in value for label in self._split(item, position)]
            # The order of a set differs from run to run, so its labels are sorted.
            return tuple(dict.fromkeys(sorted(labels) if isinstance(value, set | frozenset) else labels))
        unique_labels = tuple(dict.fromkeys(self._split(value, position)))
        if type(value) is str and len(self._cache) < MAX_CACHED:
            self._cache[value] = unique_labels
            if self._joined is not None:  # it needs each distinct value once; later ones are found in the cache
                self._joined.add(value)
        return unique_labels

    def _split(self, value: object, position: int) -> list[str]:
        """Return the labels in a single value: none if it is empty, several if it contains the separator.

        Raise `InputError` if an earlier label was of another kind, such as a number before a string.
        """
        if value is None or (self._as_given and is_missing(value)):
            return []
        kind, label = self._kind_and_label(value, position)
        if not label.strip():
            return []
        if kind not in self._first_of_kind:
            self._first_of_kind[kind] = (value, position)
            if len(self._first_of_kind) > 1:
                raise self._mixed_kinds_error()
        if self._separator is None or kind != "string":
            return [label]
        return [stripped for part in label.split(self._separator) if (stripped := part.strip())]

    def _kind_and_label(self, value: object, position: int) -> tuple[str, str]:
        """Return the kind of a value ("string", "truth value" or "number") and its label."""
        if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
            value = value.item()  # NumPy scalars
        if isinstance(value, str):
            label, replaced = without_surrogates(value)
            self._report.replaced_bytes += replaced
            return "string", label if self._as_given else label.strip()
        if isinstance(value, bool):  # before integers, because bool is a subclass of int
            return "truth value", str(value).lower()
        if isinstance(value, Integral):
            return "number", str(int(value))
        if isinstance(value, Real):
            return "number", self._from_float(float(value), position)
        raise InputError(
            f"label {shown(value)} is a {type(value).__name__}",
            place=self._place(position),
            hint="A label is a string, a number, a list of these, or nothing (null, None or empty) for unlabelled",
        )

    def _from_float(self, value: float, position: int) -> str:
        """Return the label for a float, without ".0"; raise `InputError` if it is NaN or infinite."""
        if not math.isfinite(value):
            raise InputError(
                f"label is {value}, which is not a class",
                place=self._place(position),
                hint="Leave it empty (null, None) if the document is unlabelled, or give it a class",
            )
        # Floats represent integers below 2^53 exactly.
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)

    def _mixed_kinds_error(self) -> InputError:
        """Return the error for labels of two kinds, such as strings and numbers, with the first label of each."""
        examples = " and ".join(
            f"the {kind} {shown(value)} ({self._place_format.format(position)})"
            for kind, (value, position) in self._first_of_kind.items()
        )
        return InputError(
            f"labels of mixed kinds: {examples}",
            place=self._name,
            hint="Write them all as strings or all as numbers",
        )

    def _place(self, position: int) -> Place:
        return Place(self._name, self._place_format.format(position))
