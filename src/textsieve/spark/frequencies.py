"""In how many documents each term is, for whoever weighs documents on other machines.

A weight of length 1 needs the idf of all terms of its document, so every machine must be able to look up any term. The
table of all terms and their frequencies may be too large for the driver, and never gets there: it is packed on the
machines, a part of the alphabet's terms in one row, and Spark broadcasts the rows. Each partition of the documents gets
them with its first document (a join that no other document takes part in), keeps them, and goes on with the documents.
Packed, a term takes about as many bytes as it has letters, and eight more.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F

from ..stats.sums import Ints
from .texts import own_partition
from .worker import mapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .worker import Batches

SHARDS = 8
_PART, _TERMS, _NUMBERS, _FIRST, _AMONG_FIRST = "part", "terms", "numbers", "is_first", "goes_to_first"
_ROW_IN_PARTITION = (1 << 33) - 1
"""The part of monotonically_increasing_id that numbers the rows of a partition, from 0."""


def with_frequencies(documents: DataFrame, frequencies: DataFrame) -> DataFrame:
    """The documents, the first of each partition once for each packed part of the frequencies (term, documents)."""
    schema = f"{_PART} int, {_TERMS} binary, {_NUMBERS} binary"
    packed = mapped(frequencies.repartition(SHARDS, "term"), _packed, schema).withColumn(_AMONG_FIRST, F.lit(True))
    row = F.monotonically_increasing_id().bitwiseAND(F.lit(_ROW_IN_PARTITION))
    numbered = documents.withColumn(_FIRST, row == 0)
    return numbered.join(F.broadcast(packed), numbered[_FIRST] == packed[_AMONG_FIRST], "left").drop(
        _FIRST, _AMONG_FIRST
    )


def _packed(batches: Batches) -> Batches:
    """All terms of a partition in one row."""
    table = pa.Table.from_batches(list(batches), pa.schema([("term", pa.string()), ("documents", pa.int64())]))
    terms, numbers = _ipc(table.select(["term"])), _ipc(table.select(["documents"]))
    yield pa.record_batch(
        [pa.array([own_partition()], pa.int32()), pa.array([terms]), pa.array([numbers])],
        names=[_PART, _TERMS, _NUMBERS],
    )


def _ipc(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


class Frequencies:
    """The frequencies of all terms, as they came with a document."""

    def __init__(self) -> None:
        self._parts: dict[int, tuple[pa.Array, Ints]] = {}

    def add(self, part: int, terms: bytes, numbers: bytes) -> None:
        """Take up a packed part; one that is there already is the same."""
        self._parts[part] = (
            pa.ipc.open_stream(terms).read_all()["term"].combine_chunks(),
            pa.ipc.open_stream(numbers).read_all()["documents"].to_numpy(),
        )

    def of(self, terms: list[str]) -> Ints:
        """In how many documents each of some terms is; 0 for those that are not there."""
        found = np.zeros(len(terms), np.int64)
        asked = pa.array(terms, pa.string())
        for known, numbers in self._parts.values():
            places = pc.index_in(known, value_set=asked)
            here = pc.is_valid(places).to_numpy(zero_copy_only=False)
            found[places.drop_null().to_numpy()] = numbers[here]
        return found


def frequencies_and_batches(batches: Batches) -> tuple[Frequencies, Iterator[pa.RecordBatch]]:
    """What came with the first document of a partition, and the documents, each once."""
    found = Frequencies()
    first: list[pa.RecordBatch] = []
    for batch in batches:
        parts = batch.column(batch.schema.get_field_index(_PART))
        n_copies = len(parts) - parts.null_count
        for at in range(n_copies):
            found.add(parts[at].as_py(), *(batch.column(name)[at].as_py() for name in (_TERMS, _NUMBERS)))
        first.append(batch)
        if n_copies < len(parts):
            break
    if not first:
        return found, iter(())
    begun = pa.Table.from_batches(first)
    n_copies = len(begun) - begun[_PART].null_count
    own = begun.slice(max(n_copies - 1, 0)).to_batches()
    return found, chain(own, batches)
