"""In how many documents each term is, for whoever weighs documents on other machines.

A weight of length 1 needs the idf of all terms of its document, so every machine must be able to look up any term. The
table of all terms and their frequencies may be too large for the driver, and never gets there: it is packed on the
machines, each packing some of the terms, and Spark broadcasts what was packed. Each partition of the documents gets it
with its first document (a join that no other document takes part in), and keeps it.
Packed, a term takes about as many bytes as it has letters, and eight more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F

from ..errors import InputError
from ..stats.sums import Ints
from .worker import mapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .worker import Batches

PARTS = 8
"""In which the frequencies are packed, each by a task."""
MOST_BYTES = 3 << 29
"""Of all packed terms together; what Arrow and a broadcast can carry is little more."""

_COLUMN, _FIRST, _GOES_TO_FIRST = "frequencies", "is_first", "goes_to_first"
_ROW_IN_PARTITION = (1 << 33) - 1
"""The part of monotonically_increasing_id that numbers the rows of a partition, from 0."""
_PACKED = pa.schema([("term", pa.string()), ("documents", pa.int64())])


def number_of_terms(frequencies: DataFrame) -> int:
    """How many terms there are, if they are not too many to be sent to every machine."""
    size = F.sum(F.octet_length("term") + F.lit(8)).alias("size")
    found = frequencies.agg(F.count("*").alias("terms"), size).collect()[0]
    if (found["size"] or 0) > MOST_BYTES:
        raise InputError(
            f"There are {found['terms']:,} terms, {found['size'] >> 20:,} MB, and every machine must know in how many "
            f"documents each is, which can be done up to {MOST_BYTES >> 20:,} MB. Leave out rare terms (min_df=2 or "
            "more), use shorter runs of words (ngram_range=), or a selector that reads counts (ig, chi)."
        )
    return int(found["terms"])


def with_frequencies(documents: DataFrame, frequencies: DataFrame) -> DataFrame:
    """The documents, the first of each partition with the packed frequencies (term, documents) beside it."""
    parts = mapped(frequencies.repartition(PARTS, "term"), _packed, "part binary")
    packed = parts.agg(F.collect_list("part").alias(_COLUMN)).withColumn(_GOES_TO_FIRST, F.lit(True))
    row = F.monotonically_increasing_id().bitwiseAND(F.lit(_ROW_IN_PARTITION))
    numbered = documents.withColumn(_FIRST, row == 0)
    joined = numbered.join(F.broadcast(packed), numbered[_FIRST] == packed[_GOES_TO_FIRST], "left")
    return joined.drop(_FIRST, _GOES_TO_FIRST)


def _packed(batches: Batches) -> Batches:
    """All terms of a partition in one row."""
    tables = [pa.Table.from_batches([batch]).cast(_PACKED) for batch in batches]
    yield pa.record_batch([pa.array([packed(pa.concat_tables([_PACKED.empty_table(), *tables]))])], names=["part"])


def packed(table: pa.Table) -> bytes:
    """Terms and their frequencies as bytes."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())
    data: bytes = sink.getvalue().to_pybytes()
    return data


class Frequencies:
    """The frequencies of all terms, unpacked."""

    def __init__(self, parts: Iterable[bytes]) -> None:
        self._parts: list[tuple[pa.Array, Ints]] = []
        for part in parts:
            table = pa.ipc.open_stream(part).read_all().combine_chunks()
            self._parts.append((table["term"].combine_chunks(), table["documents"].to_numpy()))

    def of(self, terms: list[str]) -> Ints:
        """In how many documents each of some terms is; 0 for those that are not there."""
        found = np.zeros(len(terms), np.int64)
        asked = pa.array(terms, pa.string())
        for known, numbers in self._parts:
            places = pc.index_in(known, value_set=asked)
            here = pc.is_valid(places).to_numpy(zero_copy_only=False)
            found[places.drop_null().to_numpy()] = numbers[here]
        return found


def frequencies_and_batches(batches: Batches) -> tuple[Frequencies, Iterator[pa.RecordBatch]]:
    """What came with the first document of a partition, and all its documents."""
    first = next((batch for batch in batches if len(batch)), None)
    if first is None:
        return Frequencies([]), iter(())
    parts = first.column(first.schema.get_field_index(_COLUMN))[0].as_py()
    if parts is None:
        raise RuntimeError("The first document of a partition came without the frequencies of terms.")
    return Frequencies(parts), chain([first], batches)
