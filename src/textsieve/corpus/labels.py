"""Labels: convert values of any type to tuples of strings, and merge spellings that differ only in case or space.

`LabelReader` follows the same rules for every format:

- A string or number is one label. A string is several labels if the caller gives a separator that occurs in it. A list
  is several labels, and null, an empty or a blank string is none.
- White space around a label in a file is not part of it: "sport " and "sport" look the same to the person who wrote
  them.
- Numbers become strings; 1 and 1.0 both become "1", because a table with missing values stores integers as floats.
- Strings and numbers in one column raise `InputError`, because "1" and 1 would silently become one class.
- NaN in a file raises `InputError`, because it is neither a class nor clearly "unlabelled". For labels in memory, NaN
  means no label, because pandas writes missing values as NaN.

`JoinedLabels` notices that the cells of a table may hold several labels each, so that a separator is needed.

`LabelFolder` merges ("folds") labels that differ only in case or in the white space around them, such as "Utils" and
"utils": each gets the same spelling. That is the most frequent one, and of equally frequent ones the one that sorts
first, so that the order of the documents does not matter. To count the spellings takes a pass over the labels before
the first pass over the documents. A model that is already trained needs no such pass: its classes are the spellings.
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any

from ..errors import InputError, Place, Setting, shown
from .batch import DocumentPlace, Labels, Report
from .streams import without_surrogates

MAX_CACHED = 100_000
"""Maximum number of label values whose results are cached; more distinct values are hardly classes."""


def is_missing(value: Any) -> bool:
    """Return whether a label or text in memory is missing: None, NaN, numpy's masked entry, or pandas' NA or NaT."""
    if value is None:
        return True
    if isinstance(value, Real):
        return bool(value != value)  # only NaN differs from itself
    # If a package is not loaded, the value is not one of its values.
    numpy, pandas = sys.modules.get("numpy"), sys.modules.get("pandas")
    if numpy is not None and value is numpy.ma.masked:
        return True
    return pandas is not None and (value is pandas.NA or value is pandas.NaT)


SEPARATORS = ("|", ";")
"""Common separators between several labels in one cell, which seldom occur in a label."""


class JoinedLabels:
    """Detects that the label cells of a table hold several labels: most distinct cells contain a separator."""

    def __init__(self) -> None:
        self._n_distinct = 0
        self._n_with_separator = dict.fromkeys(SEPARATORS, 0)
        self._examples: dict[str, str] = {}  # the first cell with each separator

    def add(self, cell: str) -> None:
        """Count the content of a cell; the caller must add each distinct content only once."""
        self._n_distinct += 1
        for separator in SEPARATORS:
            if separator in cell.strip(f"{separator} "):  # at an end of the cell, a separator separates nothing
                self._n_with_separator[separator] += 1
                self._examples.setdefault(separator, cell)

    def hint(self) -> tuple[str | Setting, ...]:
        """Return a warning, as parts of a message, if more than half of the cells contain a separator; otherwise ()."""
        for separator, n_cells in self._n_with_separator.items():
            if 2 * n_cells > self._n_distinct:
                return (
                    f"{n_cells:,} of {self._n_distinct:,} different labels contain {separator!r}, such as "
                    f"{shown(self._examples[separator])}. If these are several labels in one, use ",
                    Setting("label_separator", separator),
                    ".",
                )
        return ()


class LabelReader:
    """Converts the label values of the documents of one pass, one document for each call.

    For errors, `name` is the name of the file or corpus, and `place_format` how to write a position, such as "line {}".
    `separator` is the string between several labels in one string. With `as_given`, for labels in memory, white space
    is not stripped and NaN means unlabelled. With `warns_if_joined` and without a separator, the reader also checks
    whether the cells of a table look like several labels in one (`JoinedLabels`).

    The reader adds to `report`: it counts replaced characters, sets `multilabel`, adds to `joined`, and appends the
    place of each document to `places` unless that is None.
    """

    def __init__(
        self,
        name: str,
        place_format: str,
        *,
        report: Report,
        separator: str | None = None,
        as_given: bool = False,
        warns_if_joined: bool = False,
    ) -> None:
        self._name = name
        self._place_format = place_format
        self._report = report
        self._separator = separator
        self._first_of_kind: dict[str, tuple[object, int]] = {}  # the first label that is a string, a number, ...
        self._cache: dict[str, Labels] = {}
        self._as_given = as_given
        self._joined = JoinedLabels() if warns_if_joined and separator is None else None
        if self._joined is not None:
            report.joined.append((name, self._joined))
        report.multilabel |= separator is not None

    def __call__(self, value: object, position: int) -> Labels:
        """Return the labels of a document, without duplicates; `position` is the number of its line or row."""
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
            if self._joined is not None:  # a value that comes again is in the cache, so each is added only once
                self._joined.add(value)
        return unique_labels

    def _split(self, value: object, position: int) -> list[str]:
        """Return the labels in a value that is no list: none if it is empty, several if it contains the separator.

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
            label, n_replaced = without_surrogates(value)
            self._report.replaced_bytes += n_replaced
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
        """Return the place of a document for errors, given the number of its line or row."""
        return Place(self._name, self._place_format.format(position))


MAX_GROUPS, MAX_SPELLINGS = 5, 4
"""Maximum number of labels with several spellings that a message lists, and of spellings of each."""


def fold_key(label: str) -> str:
    """Return what all spellings of a label have in common: "utils" for "Utils" and " UTILS "."""
    return label.strip().casefold()


def spellings_by_key(counts: Mapping[str, int]) -> dict[str, list[str]]:
    """Return the spellings of each label, the most frequent first, by their `fold_key`.

    `counts` has the number of documents of each spelling.

    >>> spellings_by_key({"Utils": 1, "net": 4, "utils": 7})
    {'utils': ['utils', 'Utils'], 'net': ['net']}
    """
    spellings: defaultdict[str, list[str]] = defaultdict(list)
    for label in sorted(counts, key=lambda label: (-counts[label], label)):
        spellings[fold_key(label)].append(label)
    return dict(spellings)


def hint_about_spellings(counts: Mapping[str, int]) -> tuple[str | Setting, ...]:
    """Return a warning about labels with several spellings, as parts of a message; () if there are none.

    `counts` has the number of documents of each spelling.
    """
    groups = [labels for labels in spellings_by_key(counts).values() if len(labels) > 1]
    if not groups:
        return ()
    groups.sort(key=lambda labels: -sum(counts[label] for label in labels[1:]))  # most documents to be relabelled first
    texts = []
    for labels in groups[:MAX_GROUPS]:
        listed = ", ".join(f"{shown(label, 40)} ({counts[label]:,})" for label in labels[:MAX_SPELLINGS])
        texts.append(listed + (", ..." if len(labels) > MAX_SPELLINGS else ""))
    more = f"; and {len(groups) - MAX_GROUPS:,} more" if len(groups) > MAX_GROUPS else ""
    return (
        f"labels that differ only in case or space are different classes: {'; '.join(texts)}{more}. ",
        Setting("fold_labels", True),
        " merges them.",
    )


class LabelFolder:
    """Replaces each label by the first of the given spellings that has the same `fold_key`.

    If none has, the spelling in which the label comes first replaces all later ones.
    """

    def __init__(self, spellings: Iterable[str]) -> None:
        self._spelling_of_key: dict[str, str] = {}
        self._cache: dict[Labels, Labels] = {}
        for label in spellings:
            self._spelling_of_key.setdefault(fold_key(label), label)

    def __call__(self, labels: Labels) -> Labels:
        """Return the labels of a document with their spellings replaced, without duplicates."""
        folded = self._cache.get(labels)
        if folded is None:
            folded = tuple(dict.fromkeys(self._spelling_of_key.setdefault(fold_key(label), label) for label in labels))
            if len(self._cache) < MAX_CACHED:
                self._cache[labels] = folded
        return folded
