"""Find the columns of a DataFrame with the texts and the labels, and count the documents of each class.

A document whose text is null is empty; one without a label (null, an empty text, an empty array) is unlabelled, as on
one machine. No documents come to the driver here, only a row for each class and two numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from ..errors import InputError, Setting, shown
from ..training.targets import ClassSizes, Form, sorted_classes

TEXT, LABEL = "text", "label"
"""Names of the two columns after `documents_of`."""

MOST_CLASSES = 1 << 20
"""More different labels than this are considered a mistake."""


def documents_of(df: DataFrame, text: str, label: str | None) -> DataFrame:
    """Return a DataFrame with the texts, and the labels if a column is given for them, and nothing else."""
    columns = [(text, TEXT, _TEXTS)] + ([] if label is None else [(label, LABEL, _LABELS)])
    positions = []
    for name, role, allowed in columns:
        kind = column_type(df, name, role)
        inner = kind.elementType if role == LABEL and isinstance(kind, T.ArrayType) else kind
        if not isinstance(inner, allowed):
            raise InputError(
                f"the column is of type {kind.simpleString()}", setting=role, value=name, hint=f"{_WAY_OUT[role]}"
            )
        positions.append((str(df.columns.index(name)), role))
    numbered = df.toDF(*map(str, range(len(df.columns))))  # Spark ignores the case of column names
    return numbered.select(*(_plain(numbered, position).alias(role) for position, role in positions))


def _plain(df: DataFrame, position: str) -> Column:
    """Return a column without its collation, so that texts are compared character by character."""
    kind = df.schema[position].dataType
    if isinstance(kind, T.StringType):
        return F.col(position).cast(T.StringType())
    if isinstance(kind, T.ArrayType) and isinstance(kind.elementType, T.StringType):
        return F.col(position).cast(T.ArrayType(T.StringType()))
    return F.col(position)


_TEXTS = (T.StringType, T.BinaryType)
_LABELS = (T.StringType, T.IntegralType, T.BooleanType, T.FloatType, T.DoubleType)
_WAY_OUT = {
    TEXT: "use one with text, or cast it.",
    LABEL: "use text, numbers, or an array of them for documents that may have several labels.",
}


def column_type(df: DataFrame, name: str, role: str) -> T.DataType:
    """Return the type of a column, or raise `InputError` if there is no such column."""
    if not isinstance(df, DataFrame):
        raise InputError(f"df is {shown(df)}; give a DataFrame of Spark's.")
    types = {field.name: field.dataType for field in df.schema.fields}
    if name not in types:
        outer = name.rpartition(".")[0] if isinstance(name, str) else ""
        if outer in types:
            raise InputError(
                f"this is a part of the column {outer!r}",
                setting=role,
                value=name,
                hint=f"make it a column of its own first: df.withColumn({role!r}, F.col({name!r}))",
            )
        raise InputError(
            "there is no such column", setting=role, value=name, hint=f"there are {shown(sorted(types), 200)}"
        )
    if df.columns.count(name) > 1:
        raise InputError(
            f"{df.columns.count(name)} columns have this name",
            setting=role,
            value=name,
            hint="rename or drop the others",
        )
    return types[name]


def labels_of(documents: DataFrame, multilabel: bool | None) -> ClassSizes:
    """Count the documents of each class, in one Spark query that reads no text.

    `posexplode_outer` gives a row for each label of a document, numbered from 0, and one row of nulls for a document
    without labels. So the rows with number 0 or null are the documents, and the group of null are the unlabelled ones.
    """
    is_array = isinstance(documents.schema[LABEL].dataType, T.ArrayType)
    if not (multilabel is None or isinstance(multilabel, bool)):
        raise InputError(
            setting="multilabel", value=multilabel, hint="use True, False, or None to have it told from the labels"
        )
    labels = documents.select(_known(F.col(LABEL), documents.schema[LABEL].dataType).alias("each"))
    number = F.coalesce("number", F.lit(0))
    rows = (
        labels.select(F.posexplode_outer("each").alias("number", "one"))
        .groupBy("one")
        .agg(
            F.count("*").alias("count"),
            F.sum((number == 0).cast("long")).alias("documents"),
            F.max(number + 1).alias("most"),
        )
        .limit(MOST_CLASSES + 2)
        .collect()
    )
    groups = [row for row in rows if row["one"] is not None]
    n_unlabelled = sum(int(row["count"]) for row in rows if row["one"] is None)
    most = max((row["most"] for row in groups), default=0)
    if multilabel is False and most > 1:
        raise InputError(
            (f"A document has {most} labels, but ", Setting("multilabel", False)),
            hint="leave multilabel out, or give one label a document",
        )
    kind = documents.schema[LABEL].dataType
    if isinstance(kind, T.ArrayType) and isinstance(kind.elementType, T.IntegralType):
        _refuse_indicators(documents)
    if len(groups) > MOST_CLASSES:
        raise InputError(
            f"There are more than {MOST_CLASSES:,} different labels, such as {shown(groups[0]['one'])}; is this the "
            "column with the classes?"
        )
    by_label = {row["one"]: int(row["count"]) for row in groups}
    if any(label != label for label in by_label):
        raise InputError("A label is NaN; for a document without a label use null: F.nanvl(column, F.lit(None)).")
    classes = sorted_classes(by_label)
    form: Form = "several" if multilabel or (is_array and multilabel is None) else "one"
    class_docs = np.array([by_label[label] for label in classes], np.int64)
    return ClassSizes(classes, class_docs, sum(int(row["documents"]) for row in rows), n_unlabelled, form)


def _refuse_indicators(documents: DataFrame) -> None:
    """Raise `InputError` if all arrays are rows of 0 and 1: on one machine they would be an indicator matrix."""
    labels = F.col(LABEL)
    sizes = documents.agg(
        *(aggregate(F.size(labels)).alias(name) for name, aggregate in (("least", F.min), ("most", F.max))),
        F.min(F.forall(labels, lambda label: label.isNotNull() & label.isin(0, 1))).alias("are_rows"),
    ).collect()[0]
    if sizes["are_rows"] and sizes["least"] == sizes["most"] >= 2:
        raise InputError(
            f"All arrays of labels have {sizes['most']} entries, each 0 or 1: rows of a matrix with a column for each "
            "class. Give arrays of the labels that a document has: F.filter(F.transform(labels, lambda one, at: "
            "F.when(one == 1, at)), lambda at: at.isNotNull())."
        )


def _known(label: Any, kind: T.DataType) -> Any:
    """Return the labels of a document as an array, each once, without null and empty texts."""
    labels = F.array_distinct(label) if isinstance(kind, T.ArrayType) else F.array(label)
    inner = kind.elementType if isinstance(kind, T.ArrayType) else kind
    empty = F.lit("") if isinstance(inner, T.StringType) else None
    known = F.filter(labels, lambda each: each.isNotNull() if empty is None else each.isNotNull() & (each != empty))
    return F.coalesce(known, F.array().cast(T.ArrayType(inner)))
