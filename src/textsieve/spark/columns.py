"""Find the columns with texts and labels, and convert them: the first step of training and predicting.

- `select_documents` finds the columns of a DataFrame, and checks their types.
- `count_classes` counts the documents of each class. Only a row for each class, and one for all unlabelled documents,
  come to the driver.
- `labels_as_text` converts labels to the same text as reading a file on one machine does (`corpus.labels`), but within
  Spark: 1 and 1.0 both become "1", and white space around a label is removed. NaN, which programs write for a missing
  number, is neither a class nor clearly "unlabelled", so it raises an error; infinite numbers do as well.
- `decode_texts` decodes texts on the workers. Spark accepts any bytes as text, and a column of bytes may contain
  anything. The error for a text that can't be decoded says where it is: in which partition (as numbered by
  `F.spark_partition_id()`), and which document of it.

A document whose text is null is empty. A document without a label (null, an empty text, an empty array) is unlabelled.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from ..corpus.labels import spellings_by_key
from ..corpus.source import BETWEEN_PARTS
from ..errors import InputError, Setting, shown
from ..training.targets import ClassSizes, sorted_classes

TEXT, LABEL = "text", "label"
"""Names of the two columns after `select_documents`."""

MAX_CLASSES = 1 << 20
"""More different labels than this are considered a mistake."""


TextColumns = str | Sequence[str]
"""The name of the column of the texts, or of several columns, which are joined."""


def text_names(text: TextColumns) -> tuple[str, ...]:
    """Return the names of the columns of the texts; raise `InputError` if there is none, or one twice."""
    names = (text,) if isinstance(text, str) or not isinstance(text, Sequence) else tuple(text)
    if not names:
        raise InputError(setting=TEXT, value=text, hint="name at least one column")
    for number, name in enumerate(names):
        if name in names[:number]:
            raise InputError("the column is given twice", setting=TEXT, value=name, hint="give each column once")
    return names


def select_documents(df: DataFrame, text: TextColumns, label: str | None) -> DataFrame:
    """Return a DataFrame with the texts, and the labels if a column is given for them, and nothing else.

    Several columns of `text` are joined, as when a file is read on one machine. Raises `InputError` if there is no such
    column, or if it has an unsuitable type.
    """
    numbered, texts = number_columns(df, text)  # columns have numbers as names from here on
    if label is None:
        return numbered.select(texts.alias(TEXT))
    labels = _without_collation(numbered, _position_of(df, label, LABEL, _LABEL_TYPES))
    return numbered.select(texts.alias(TEXT), labels.alias(LABEL))


def number_columns(df: DataFrame, text: TextColumns) -> tuple[DataFrame, Column]:
    """Return the DataFrame with its columns renamed to 0, 1, 2, ..., and the column expression for the texts.

    Spark ignores the case of column names, and would confuse "Text" and "text". So columns get numbers as names, by
    which they are selected.
    """
    names = text_names(text)
    positions = [_position_of(df, name, TEXT, _TEXT_TYPES) for name in names]
    numbered = df.toDF(*map(str, range(len(df.columns))))
    parts = [_without_collation(numbered, position) for position in positions]
    return numbered, parts[0] if len(parts) == 1 else _joined(parts)


def _position_of(df: DataFrame, name: str, role: str, allowed_types: tuple[type[T.DataType], ...]) -> str:
    """Return the position of a column as text, which is its name after `number_columns`.

    `role` is the setting that names the column: "text" or "label". Raises `InputError` if there is no such column, or
    if it is of none of the allowed types. A column of labels may have arrays of them.
    """
    kind = column_type(df, name, role)
    value_type = kind.elementType if role == LABEL and isinstance(kind, T.ArrayType) else kind
    if not isinstance(value_type, allowed_types):
        raise InputError(f"the column is of type {kind.simpleString()}", setting=role, value=name, hint=_HINTS[role])
    return str(df.columns.index(name))


def _joined(parts: Sequence[Column]) -> Column:
    """Return the texts of several columns joined to one, as `corpus.source.join_parts` does; bytes must be UTF-8."""
    texts = [part.cast("string") for part in parts]
    return F.concat_ws(BETWEEN_PARTS, *(F.when(_stripped(text) != "", text) for text in texts))


def _without_collation(df: DataFrame, position: str) -> Column:
    """Return a column without its collation, so that two texts are equal only if all their characters are."""
    kind = df.schema[position].dataType
    if isinstance(kind, T.StringType):
        return F.col(position).cast(T.StringType())
    if isinstance(kind, T.ArrayType) and isinstance(kind.elementType, T.StringType):
        return F.col(position).cast(T.ArrayType(T.StringType()))
    return F.col(position)


_TEXT_TYPES = (T.StringType, T.BinaryType)
_LABEL_TYPES = (T.StringType, T.IntegralType, T.BooleanType, T.FloatType, T.DoubleType)
_HINTS = {
    TEXT: "use one with text, or cast it.",
    LABEL: "use text, numbers, or an array of them for documents that may have several labels.",
}


def column_type(df: DataFrame, name: str, role: str) -> T.DataType:
    """Return the type of a column, or raise `InputError` if there is no such column.

    `role` is the setting that names the column: "text" or "label".
    """
    if not isinstance(df, DataFrame):
        raise InputError(f"df is {shown(df)}", hint="give a DataFrame of Spark's")
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


def count_characters(documents: DataFrame) -> tuple[int, int]:
    """Return the number of texts, and the number of characters of all texts."""
    # Bytes are cast to text, to count characters and not bytes; bytes that can't be decoded raise an error later.
    characters = F.length(F.col(TEXT).cast(T.StringType()))
    row = documents.agg(F.count("*").alias("texts"), F.sum(characters).alias("characters")).collect()[0]
    return row["texts"], row["characters"] or 0


def count_classes(documents: DataFrame, multilabel: bool | None) -> ClassSizes:
    """Count the documents of each class, in one Spark query that reads no text (two if labels are arrays of integers).

    `posexplode_outer` gives a row for each label of a document, numbered from 0, and one row of nulls for a document
    without labels. So each document has exactly one row whose number is 0 or null, and the rows whose label is null are
    the unlabelled documents. Rows are grouped by label. In a group, `count` is the number of documents with the label,
    and the sum of `documents` over all groups is the number of documents.
    """
    if not (multilabel is None or isinstance(multilabel, bool)):
        raise InputError(
            setting="multilabel", value=multilabel, hint="use True, False, or None to detect it from the labels"
        )
    kind = documents.schema[LABEL].dataType
    labels = documents.select(_label_array(F.col(LABEL), kind).alias("labels"))
    label_number = F.coalesce("number", F.lit(0))
    rows = (
        labels.select(F.posexplode_outer("labels").alias("number", "label"))
        .groupBy("label")
        .agg(
            F.count("*").alias("count"),
            F.sum((label_number == 0).cast("long")).alias("documents"),
            F.max(label_number + 1).alias("max_labels"),  # the last label's number + 1 is the number of labels
        )
        .limit(MAX_CLASSES + 2)  # one more class than allowed, and the row of null
        .collect()
    )
    groups = [row for row in rows if row["label"] is not None]
    n_unlabelled = sum(int(row["count"]) for row in rows if row["label"] is None)
    max_labels = max((row["max_labels"] for row in groups), default=0)
    if multilabel is False and max_labels > 1:
        raise InputError(
            (f"A document has {max_labels} labels, but ", Setting("multilabel", False)),
            hint="leave multilabel out, or give one label a document",
        )
    if isinstance(kind, T.ArrayType) and isinstance(kind.elementType, T.IntegralType):
        _reject_indicators(documents)
    if len(groups) > MAX_CLASSES:
        raise InputError(
            f"There are more than {MAX_CLASSES:,} different labels, such as {shown(groups[0]['label'])}",
            hint="is this the column with the classes?",
        )
    docs_by_label = {row["label"]: int(row["count"]) for row in groups}
    if any(label != label for label in docs_by_label):  # only NaN differs from itself
        hint = "for a document without a label use null: F.nanvl(column, F.lit(None))"
        raise InputError("A label is NaN", hint=hint)
    classes = sorted_classes(docs_by_label)
    if multilabel is None:
        multilabel = isinstance(kind, T.ArrayType)
    class_docs = np.array([docs_by_label[label] for label in classes], np.int64)
    n_documents = sum(int(row["documents"]) for row in rows)
    return ClassSizes(classes, class_docs, n_documents, n_unlabelled, multilabel=multilabel)


def _reject_indicators(documents: DataFrame) -> None:
    """Raise `InputError` if all arrays are rows of 0 and 1: on one machine they would be an indicator matrix."""
    labels = F.col(LABEL)
    arrays = documents.agg(
        F.min(F.size(labels)).alias("min_size"),
        F.max(F.size(labels)).alias("max_size"),
        # The minimum of booleans is true if all are true.
        F.min(F.forall(labels, lambda label: label.isNotNull() & label.isin(0, 1))).alias("all_0_or_1"),
    ).collect()[0]
    if arrays["all_0_or_1"] and arrays["min_size"] == arrays["max_size"] >= 2:
        raise InputError(
            f"All arrays of labels have {arrays['max_size']} entries, each 0 or 1: rows of a matrix with a column for "
            "each class",
            hint="Give arrays of the labels that a document has: F.filter(F.transform(labels, lambda cell, number: "
            "F.when(cell == 1, number)), lambda number: number.isNotNull()).",
        )


def _label_array(column: Column, kind: T.DataType) -> Column:
    """Return the labels of a document as an array, each once, without null and empty texts.

    `kind` is the type of the column: of a single label, or of an array of labels.
    """
    labels = F.array_distinct(column) if isinstance(kind, T.ArrayType) else F.array(column)
    label_type = kind.elementType if isinstance(kind, T.ArrayType) else kind

    def is_label(value: Column) -> Column:
        """Return the condition for a value that is not null, and not an empty text."""
        return value.isNotNull() & (value != "") if isinstance(label_type, T.StringType) else value.isNotNull()

    return F.coalesce(F.filter(labels, is_label), F.array().cast(T.ArrayType(label_type)))  # no null: an empty array


_NOT_CLASSES = ("nan", "NaN", "Infinity", "-Infinity")
_MAX_EXACT = 2**53
"""Smaller doubles that are integers are written without a decimal point; larger ones may have been rounded to one."""


def labels_as_text(labels: Column, kind: T.DataType, separator: str | None) -> Column:
    """Return labels of any type as text, or as arrays of texts if a document may have several.

    `kind` is the type of the column. With a separator, each text is split into labels, and the result is an array.
    """
    if isinstance(kind, T.ArrayType):
        texts = F.transform(labels, lambda label: _as_text(label, kind.elementType))
        return texts if separator is None else F.flatten(F.transform(texts, lambda text: _split(text, separator)))
    text = _as_text(labels, kind)
    return text if separator is None else _split(text, separator)


def reject_lists(label: Column) -> Column:
    """Return a column of labels unchanged; Spark raises an error when it reads a label that is a JSON list.

    If only some lines of a JSON Lines file have lists, Spark reads all labels as text, and a list as its JSON.
    """
    problem = F.concat(
        F.lit("A label is the list "),
        F.substring(label, 1, 60),
        F.lit(", and others are texts; write lists in all lines, also for one label or none."),
    )
    is_list = label.rlike(r'^\[(".*")?\]$')
    return F.when(is_list, F.raise_error(problem).cast("string")).otherwise(label)


def merge_spellings(documents: DataFrame) -> DataFrame:
    """Return the documents with one spelling, the most frequent, for all labels that differ only in case.

    Labels must be text or arrays of texts. They are counted in a query; a row for each label comes to the driver.
    """
    is_array = isinstance(documents.schema[LABEL].dataType, T.ArrayType)
    label = F.explode(LABEL) if is_array else F.col(LABEL)
    rows = documents.select(label.alias(LABEL)).groupBy(LABEL).count().limit(MAX_CLASSES + 1).collect()
    counts = {row[LABEL]: row["count"] for row in rows if row[LABEL]}
    spellings = {other: F.lit(labels[0]) for labels in spellings_by_key(counts).values() for other in labels[1:]}
    if not spellings:
        return documents
    merged = F.create_map(*(entry for other, label in spellings.items() for entry in (F.lit(other), label)))

    def merge(label: Column) -> Column:
        """Return the most frequent spelling of a label."""
        return F.coalesce(merged[label], label)  # a map has null for labels with a single spelling

    labels = F.array_distinct(F.transform(LABEL, merge)) if is_array else merge(F.col(LABEL))
    return documents.select(TEXT, labels.alias(LABEL))


def _as_text(label: Column, kind: T.DataType) -> Column:
    """Return a label as text; integers have no decimal point, also if `kind` is a type of floats.

    Spark raises an error when it reads a label that is NaN or infinite.
    """
    text = _stripped(label.cast("string"))
    if isinstance(kind, T.FloatType | T.DoubleType):
        is_whole = (F.abs(label) < _MAX_EXACT) & (F.floor(label) == label)
        text = F.when(is_whole, label.cast("long").cast("string")).otherwise(text)
    problem = F.concat(
        F.lit("A label is "),
        text,
        F.lit(", which is not a class. Leave it empty (null) if the document is unlabelled, or give it a class."),
    )
    return F.when(text.isin(*_NOT_CLASSES), F.raise_error(problem).cast("string")).otherwise(text)


def _stripped(text: Column) -> Column:
    """Return a text without the white space around it that `str.strip` removes; Spark's `trim` removes only blanks."""
    return F.regexp_replace(text, r"(?U)^[\s\x1c-\x1f]+|[\s\x1c-\x1f]+$", "")


def _split(label: Column, separator: str) -> Column:
    """Return the array of labels in a text with separators, without empty ones; null becomes an empty array."""
    labels = F.transform(F.split(label, re.escape(separator)), _stripped)
    return F.filter(F.coalesce(labels, F.array().cast("array<string>")), lambda label: label != "")


class Decoding(NamedTuple):
    """Settings for decoding bytes, as in a `TermCounter`."""

    encoding: str = "utf-8"
    errors: str = "strict"


UTF_8 = Decoding()


def decode_texts(column: pa.Array, n_before: int, decoding: Decoding = UTF_8) -> list[str]:
    """Return the texts of a batch, with an empty text for null. `decoding` applies to columns of bytes.

    `n_before` is the number of documents in the earlier batches of the partition, for error messages.
    """
    if not (pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type)):  # a column of text
        try:
            return ["" if text is None else text for text in column.to_pylist()]
        except UnicodeDecodeError:  # decode text by text below, to find out which is wrong; Spark's texts are UTF-8
            column, decoding = column.cast(pa.large_binary()), decoding._replace(encoding="utf-8")
    return [_decode_text(data, number, decoding) for number, data in enumerate(column.to_pylist(), n_before)]


def _decode_text(data: bytes | None, number: int, decoding: Decoding) -> str:
    """Return a document as text; `number` is its position in the partition, for the error message."""
    if data is None:
        return ""
    try:
        return data.decode(*decoding)
    except UnicodeDecodeError as problem:
        invalid_part = data[max(problem.start - 20, 0) : problem.start + 10]
        raise InputError(
            f"Document {number} of partition {partition_number()} (both from 0) is not {decoding.encoding}: {problem}, "
            f"{shown(invalid_part)}",
            hint="Decode the column first, as by F.decode(column, 'iso-8859-1'), or mend it: "
            "F.make_valid_utf8(column.cast('string')).",
        ) from problem


def partition_number() -> int:
    """Return the number of the partition that this task processes, or 0 outside of a task."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return 0 if context is None else int(context.partitionId())
