"""Convert the label values that a reader finds to tuples of strings.

One rule holds for every format: a string or number is one label, a list is several, and nothing (null, empty, blank) is
none. White space around a label in a file is not part of it: "sport " and "sport" look the same to the person who wrote
them. Numbers become strings (1 and 1.0 both "1", because a table with missing values stores integers as floats).
Strings and numbers in one column raise `InputError`, because "1" and 1 would silently become one class. So does NaN in
a file, which is neither a class nor a clear "unlabelled"; in memory, where pandas writes missing values as NaN, it
means no label.
"""

from __future__ import annotations

import math
import sys
from numbers import Integral, Real
from typing import Any

from ..errors import InputError, Place, shown
from .batch import DocumentPlace, JoinedLabels, Labels, Report
from .streams import without_surrogates

REMEMBERED = 100_000
"""Maximum number of labels whose tuples are cached and shared; a corpus with more hardly has classes."""


def is_missing(label: Any) -> bool:
    """Return whether a label in memory is a missing value: None, a masked entry, NaN, or pandas' NA and NaT."""
    if label is None:
        return True
    if isinstance(label, Real):
        return bool(label != label)
    # If a package is not loaded, the label is not one of its values.
    numpy, pandas = sys.modules.get("numpy"), sys.modules.get("pandas")
    if numpy is not None and label is numpy.ma.masked:
        return True
    return pandas is not None and (label is pandas.NA or label is pandas.NaT)


class LabelReader:
    """Converts the labels of one pass, and remembers where each kind of label first occurred.

    `name` is the name of the file or corpus in errors, and `place` how a position in it is written, such as "line {}".
    Labels in memory are not stripped (`as_given`). With `may_be_joined`, the reader also checks whether the labels of a
    table look like several in one cell.
    """

    def __init__(
        self,
        name: str,
        place: str,
        *,
        report: Report,
        separator: str | None = None,
        as_given: bool = False,
        may_be_joined: bool = False,
    ) -> None:
        self._name = name
        self._place = place
        self._report = report
        self._separator = separator
        self._first_of_kind: dict[str, tuple[object, int]] = {}
        self._known: dict[str, Labels] = {}
        self._as_given = as_given
        self._joined = JoinedLabels() if may_be_joined and separator is None else None
        report.joined = self._joined
        report.multilabel |= separator is not None

    def __call__(self, value: object, position: int) -> Labels:
        """Return the labels that a value stands for."""
        if self._report.places is not None:
            is_of_no_class = isinstance(value, list) and not value
            self._report.places.append(DocumentPlace(self._place.format(position), is_of_no_class))
        if type(value) is str and (known := self._known.get(value)) is not None:
            return known
        if isinstance(value, list | tuple | set | frozenset):
            self._report.multilabel = True
            labels = [label for item in value for label in self._split(item, position)]
            # The order of a set differs from run to run.
            return tuple(dict.fromkeys(sorted(labels) if isinstance(value, set | frozenset) else labels))
        labels = self._split(value, position)
        result = tuple(dict.fromkeys(labels))
        if type(value) is str and len(self._known) < REMEMBERED:
            self._known[value] = result
            if self._joined is not None:
                self._joined.add(value)
        return result

    def _split(self, value: object, position: int) -> list[str]:
        if value is None or (self._as_given and is_missing(value)):
            return []
        kind, label = self._kind_and_label(value, position)
        if not label.strip():
            return []
        if kind not in self._first_of_kind:
            self._first_of_kind[kind] = (value, position)
            if len(self._first_of_kind) > 1:
                self._refuse_mixture()
        if self._separator is None or kind != "string":
            return [label]
        return [part for piece in label.split(self._separator) if (part := piece.strip())]

    def _kind_and_label(self, value: object, position: int) -> tuple[str, str]:
        if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
            value = value.item()  # NumPy scalars
        if isinstance(value, str):
            label, replaced = without_surrogates(value)
            self._report.replaced_bytes += replaced
            return "string", label if self._as_given else label.strip()
        if isinstance(value, bool):
            return "truth value", str(value).lower()
        if isinstance(value, Integral):
            return "number", str(int(value))
        if isinstance(value, Real):
            return "number", self._from_float(float(value), position)
        raise InputError(
            f"label {shown(value)} is a {type(value).__name__}. "
            "A label is a string, a number, a list of these, or nothing (null, None or empty) for unlabelled.",
            place=self._where(position),
        )

    def _from_float(self, value: float, position: int) -> str:
        if not math.isfinite(value):
            raise InputError(
                f"label is {value}, which is not a class. "
                "Leave it empty (null, None) if the document is unlabelled, or give it a class.",
                place=self._where(position),
            )
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)

    def _refuse_mixture(self) -> None:
        examples = " and ".join(
            f"the {kind} {shown(value)} ({self._place.format(position)})"
            for kind, (value, position) in self._first_of_kind.items()
        )
        raise InputError(
            f"labels of mixed kinds: {examples}. Write them all as strings or all as numbers.",
            place=str(self._name.removesuffix(": ")),
        )

    def _where(self, position: int) -> Place:
        return Place(self._name, self._place.format(position))
