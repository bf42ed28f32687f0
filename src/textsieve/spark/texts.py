"""The texts of a column, on the machine where they are.

Spark lets any bytes pass for a text, and a column of bytes may hold anything. What can't be read is told with its
place; the partition is what `F.spark_partition_id()` says.
"""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa

from ..errors import InputError, shown


class Decoding(NamedTuple):
    """How bytes become text, as a `TermCounter` is told."""

    encoding: str = "utf-8"
    errors: str = "strict"


UTF_8 = Decoding()


def texts_of(column: pa.Array, first: int, decoding: Decoding = UTF_8) -> list[str]:
    """The texts of a batch, an empty one for null; `first` is how many documents of the partition came before."""
    if not (pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type)):
        try:
            return ["" if text is None else text for text in column.to_pylist()]
        except UnicodeDecodeError:
            column, decoding = column.cast(pa.large_binary()), decoding._replace(encoding="utf-8")
    return [_decoded(data, at, decoding) for at, data in enumerate(column.to_pylist(), first)]


def _decoded(data: bytes | None, at: int, decoding: Decoding) -> str:
    if data is None:
        return ""
    try:
        return data.decode(*decoding)
    except UnicodeDecodeError as problem:
        around = data[max(problem.start - 20, 0) : problem.start + 10]
        raise InputError(
            f"Document {at} of partition {own_partition()} (both from 0) is not {decoding.encoding}: {problem}, "
            f"{shown(around)}. Decode the column first, as by F.decode(column, 'iso-8859-1'), or mend it: "
            "F.make_valid_utf8(column.cast('string'))."
        ) from problem


def own_partition() -> int:
    """The number of the partition that is worked on."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return 0 if context is None else int(context.partitionId())
