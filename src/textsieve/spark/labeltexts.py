"""Convert labels of any type to text within Spark, as they are when a file is read on one machine (`corpus.labels`).

1 and 1.0 both become "1", and white space around a label is removed. The value that programs write for a missing number
(NaN) is neither a class nor clearly "unlabelled", and raises an error.
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
    """Return labels of any type as text, or as arrays of texts if a document may have several."""
    if isinstance(kind, T.ArrayType):
        texts = F.transform(labels, lambda label: _as_text(label, kind.elementType))
        return texts if separator is None else F.flatten(F.transform(texts, lambda text: _split(text, separator)))
    text = _as_text(labels, kind)
    return text if separator is None else _split(text, separator)


def not_a_list(label: Expression) -> Expression:
    """Return the labels, but raise an error for a label that is a JSON list.

    If only some lines of a file have lists, Spark reads all labels as text.
    """
    problem = F.concat(
        F.lit("A label is the list "),
        F.substring(label, 1, 60),
        F.lit(", and others are texts; write lists in all lines, also for one label or none."),
    )
    is_list = label.rlike(r'^\[(".*")?\]$')
    return F.when(is_list, F.raise_error(problem).cast("string")).otherwise(label)


def _as_text(label: Expression, kind: T.DataType) -> Expression:
    """Return a label as text; integers have no decimal point, whatever their type."""
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
    """Return a text without white space around it; Spark's own function removes only blanks."""
    return F.regexp_replace(text, r"(?U)^[\s\x1c-\x1f]+|[\s\x1c-\x1f]+$", "")


def _split(label: Expression, separator: str) -> Expression:
    """Return the array of labels in a text with separators, without empty ones."""
    parts = F.transform(F.split(label, re.escape(separator)), _stripped)
    return F.filter(F.coalesce(parts, F.array().cast("array<string>")), lambda part: part != "")
