"""Which columns of a DataFrame have the texts and the labels, and how many documents each class has.

A document without a text (null) is an empty document; one without a label (null, an empty text, an empty array) is
unlabelled, as on one machine. Of the documents themselves nothing comes to the driver here: one row for each class, and
two numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from ..errors import InputError, shown
from ..training.targets import Form, Sizes, sorted_classes

TEXT, LABEL = "text", "label"
"""What the two columns are called from here on."""

MOST_CLASSES = 1 << 20
"""More different labels than this are taken for a mistake."""


def documents_of(df: DataFrame, text: str, label: str | None) -> DataFrame:
    """The texts, and the labels if they are asked for, and nothing else."""
    wanted = [(text, TEXT, _TEXTS)] + ([] if label is None else [(label, LABEL, _LABELS)])
    places = []
    for name, role, allowed in wanted:
        kind = column_type(df, name, role)
        inner = kind.elementType if role == LABEL and isinstance(kind, T.ArrayType) else kind
        if not isinstance(inner, allowed):
            raise InputError(f"{role}={name!r}: the column is of type {kind.simpleString()}; {_WAY_OUT[role]}")
        places.append((str(df.columns.index(name)), role))
    numbered = df.toDF(*map(str, range(len(df.columns))))  # Spark does not tell names apart by their capitals
    return numbered.select(*(_plain(numbered, place).alias(role) for place, role in places))


def _plain(df: DataFrame, place: str) -> Column:
    """A column whose texts are told apart letter by letter, whatever collation it has."""
    kind = df.schema[place].dataType
    if isinstance(kind, T.StringType):
        return F.col(place).cast(T.StringType())
    if isinstance(kind, T.ArrayType) and isinstance(kind.elementType, T.StringType):
        return F.col(place).cast(T.ArrayType(T.StringType()))
    return F.col(place)


_TEXTS = (T.StringType, T.BinaryType)
_LABELS = (T.StringType, T.IntegralType, T.BooleanType, T.FloatType, T.DoubleType)
_WAY_OUT = {
    TEXT: "use one with text, or cast it.",
    LABEL: "use text, numbers, or an array of them for documents that may have several labels.",
}


def column_type(df: DataFrame, name: str, role: str) -> T.DataType:
    """The type of a column, if it is there."""
    if not isinstance(df, DataFrame):
        raise InputError(f"df is {shown(df)}; give a DataFrame of Spark's.")
    types = {field.name: field.dataType for field in df.schema.fields}
    if name not in types:
        outer = name.rpartition(".")[0] if isinstance(name, str) else ""
        if outer in types:
            raise InputError(
                f"{role}={name!r}: this is a part of the column {outer!r}; make it a column of its own first: "
                f"df.withColumn({role!r}, F.col({name!r}))."
            )
        raise InputError(f"{role}={name!r}: there is no such column; there are {shown(sorted(types), 200)}.")
    if df.columns.count(name) > 1:
        raise InputError(
            f"{role}={name!r}: {df.columns.count(name)} columns have this name; rename or drop the others."
        )
    return types[name]


def labels_of(documents: DataFrame, multilabel: bool | None) -> Sizes:
    """Look at the labels of all documents: one pass that reads no text."""
    is_array = isinstance(documents.schema[LABEL].dataType, T.ArrayType)
    if not (multilabel is None or isinstance(multilabel, bool)):
        raise InputError(f"multilabel={multilabel!r}; use True, False, or None to have it told from the labels.")
    given = documents.select(_known(F.col(LABEL), documents.schema[LABEL].dataType).alias("each"))
    counted = given.agg(
        F.count("*").alias("all"),
        F.coalesce(F.sum((F.size("each") > 0).cast("long")), F.lit(0)).alias("labelled"),
        F.coalesce(F.max(F.size("each")), F.lit(0)).alias("most"),
    ).collect()[0]
    if multilabel is False and counted["most"] > 1:
        raise InputError(
            f"A document has {counted['most']} labels, but multilabel=False; leave multilabel out, or give one label a "
            "document."
        )
    kind = documents.schema[LABEL].dataType
    if isinstance(kind, T.ArrayType) and isinstance(kind.elementType, T.IntegralType):
        _refuse_indicators(documents)
    found = given.select(F.explode("each").alias("one")).groupBy("one").count().limit(MOST_CLASSES + 1).collect()
    if len(found) > MOST_CLASSES:
        raise InputError(
            f"There are more than {MOST_CLASSES:,} different labels, such as {shown(found[0]['one'])}; is this the "
            "column with the classes?"
        )
    by_label = {row["one"]: int(row["count"]) for row in found}
    if any(label != label for label in by_label):
        raise InputError("A label is NaN; for a document without a label use null: F.nanvl(column, F.lit(None)).")
    classes = sorted_classes(by_label)
    form: Form = "several" if multilabel or (is_array and multilabel is None) else "one"
    class_docs = np.array([by_label[label] for label in classes], np.int64)
    return Sizes(classes, class_docs, int(counted["all"]), int(counted["all"] - counted["labelled"]), form)


def _refuse_indicators(documents: DataFrame) -> None:
    """Refuse arrays of which all are rows of 0 and 1: on one machine they would be a matrix."""
    each = F.col(LABEL)
    found = documents.agg(
        *(way(F.size(each)).alias(name) for name, way in (("least", F.min), ("most", F.max))),
        F.min(F.forall(each, lambda one: one.isNotNull() & one.isin(0, 1))).alias("are_rows"),
    ).collect()[0]
    if found["are_rows"] and found["least"] == found["most"] >= 2:
        raise InputError(
            f"All arrays of labels have {found['most']} entries, each 0 or 1: rows of a matrix with a column for each "
            "class. Give arrays of the labels that a document has: F.filter(F.transform(labels, lambda one, at: "
            "F.when(one == 1, at)), lambda at: at.isNotNull())."
        )


def _known(label: Any, kind: T.DataType) -> Any:
    """The labels of a document as an array, each once, without those that mean none."""
    labels = F.array_distinct(label) if isinstance(kind, T.ArrayType) else F.array(label)
    inner = kind.elementType if isinstance(kind, T.ArrayType) else kind
    empty = F.lit("") if isinstance(inner, T.StringType) else None
    known = F.filter(labels, lambda one: one.isNotNull() if empty is None else one.isNotNull() & (one != empty))
    return F.coalesce(known, F.array().cast(T.ArrayType(inner)))
