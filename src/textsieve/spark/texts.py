"""Decode the texts of a column on the workers.

Spark accepts any bytes as text, and a column of bytes may contain anything. The error for a text that can't be decoded
says where it is; its partition is the number that `F.spark_partition_id()` returns.
"""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa

from ..errors import InputError, shown


class Decoding(NamedTuple):
    """Settings for decoding bytes, as in a `TermCounter`."""

    encoding: str = "utf-8"
    errors: str = "strict"


UTF_8 = Decoding()


def texts_of(column: pa.Array, first: int, decoding: Decoding = UTF_8) -> list[str]:
    """Return the texts of a batch, with an empty text for null.

    `first` is the number of documents of the partition in the batches before.
    """
    if not (pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type)):
        try:
            return ["" if text is None else text for text in column.to_pylist()]
        except UnicodeDecodeError:
            column, decoding = column.cast(pa.large_binary()), decoding._replace(encoding="utf-8")
    return [_decoded(data, number, decoding) for number, data in enumerate(column.to_pylist(), first)]


def _decoded(data: bytes | None, number: int, decoding: Decoding) -> str:
    if data is None:
        return ""
    try:
        return data.decode(*decoding)
    except UnicodeDecodeError as problem:
        around = data[max(problem.start - 20, 0) : problem.start + 10]
        raise InputError(
            f"Document {number} of partition {own_partition()} (both from 0) is not {decoding.encoding}: {problem}, "
            f"{shown(around)}. Decode the column first, as by F.decode(column, 'iso-8859-1'), or mend it: "
            "F.make_valid_utf8(column.cast('string'))."
        ) from problem


def own_partition() -> int:
    """Return the number of the partition that this task processes."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return 0 if context is None else int(context.partitionId())
