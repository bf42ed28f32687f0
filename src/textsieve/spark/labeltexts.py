"""Labels of any type as the texts that they are when a file is read on one machine (`corpus.labels`), by Spark itself.

1 and 1.0 are both "1", and white space around a label is no part of it. What a program writes for a missing number is
neither a class nor a clear "unlabelled", and is refused.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql import types as T

if TYPE_CHECKING:
    from pyspark.sql import Column as Expression

_NO_CLASS = ("nan", "NaN", "Infinity", "-Infinity")
_WHOLE_BELOW = 2**53


def labels_as_text(labels: Expression, kind: T.DataType, separator: str | None) -> Expression:
    """Labels of any kind as texts, or as arrays of them if a document may have several."""
    if isinstance(kind, T.ArrayType):
        each = F.transform(labels, lambda one: _as_text(one, kind.elementType))
        return each if separator is None else F.flatten(F.transform(each, lambda one: _split(one, separator)))
    one = _as_text(labels, kind)
    return one if separator is None else _split(one, separator)


def not_a_list(label: Expression) -> Expression:
    """A text, refused if it is a list of JSON's: where some lines have lists, Spark takes all labels for texts."""
    problem = F.concat(
        F.lit("A label is the list "),
        F.substring(label, 1, 60),
        F.lit(", and others are texts; write lists in all lines, also for one label or none."),
    )
    is_list = label.rlike(r'^\[(".*")?\]$')
    return F.when(is_list, F.raise_error(problem).cast("string")).otherwise(label)


def _as_text(label: Expression, kind: T.DataType) -> Expression:
    """A label as it is written; a whole number has no point, whatever its type."""
    written = _stripped(label.cast("string"))
    if isinstance(kind, T.FloatType | T.DoubleType):
        is_whole = (F.abs(label) < _WHOLE_BELOW) & (F.floor(label) == label)
        written = F.when(is_whole, label.cast("long").cast("string")).otherwise(written)
    problem = F.concat(
        F.lit("A label is "),
        written,
        F.lit(", which is not a class. Leave it empty (null) if the document is unlabelled, or give it a class."),
    )
    return F.when(written.isin(*_NO_CLASS), F.raise_error(problem).cast("string")).otherwise(written)


def _stripped(text: Expression) -> Expression:
    """Without white space around it, of which Spark's own function knows the blank alone."""
    return F.regexp_replace(text, r"(?U)^[\s\x1c-\x1f]+|[\s\x1c-\x1f]+$", "")


def _split(label: Expression, separator: str) -> Expression:
    """The labels in one, as an array; those that are empty are left out."""
    parts = F.transform(F.split(label, re.escape(separator)), _stripped)
    return F.filter(F.coalesce(parts, F.array().cast("array<string>")), lambda one: one != "")
