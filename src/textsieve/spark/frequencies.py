"""Send the document frequency of every term to all workers, which need it to weight documents.

With normalised weights, each weight depends on the idf of all terms of its document, so every worker must be able to
look up any term. The table of all terms and frequencies may be too large for the Python process of the driver, and
never gets there. Instead, each worker packs some of the terms into bytes, and Spark broadcasts these packed parts. They
reach a task as an additional column of its first document: Spark joins the parts only to the first document of each
partition. A packed term takes about as many bytes as it has letters, and eight more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F

from ..arrays import Ints
from ..errors import InputError, Setting
from .tasks import map_batches

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .tasks import Batches

MAX_PARTS = 8
"""The largest number of parts in which the frequencies are packed, each by a task."""
PART_BYTES = 1 << 22
"""n bytes are packed in 1 + n // PART_BYTES parts, but in `MAX_PARTS` at most."""
MAX_BYTES = 3 << 29
"""The largest size of all packed terms together, 1.5 GB; Arrow and a broadcast can carry little more."""

_COLUMN, _IS_FIRST, _GOES_TO_FIRST = "frequencies", "is_first", "goes_to_first"
_ROW_BITS = (1 << 33) - 1
"""The bits of `monotonically_increasing_id` that number the rows of a partition; the others number the partitions."""
_PACKED = pa.schema([("term", pa.string()), ("documents", pa.int64())])


class VocabularySize(NamedTuple):
    """The size of a vocabulary."""

    n_terms: int
    n_bytes: int
    """The size of the terms and their frequencies when they are packed."""
    n_values: int
    """The number of counts (nonzero entries) of these terms in all documents: the sum of the document frequencies."""


def measure_vocabulary(frequencies: DataFrame) -> VocabularySize:
    """Return the size of a table with the columns `term` and `documents` (document frequency); others are ignored."""
    n_bytes = F.sum(F.octet_length("term") + F.lit(8)).alias("n_bytes")
    totals = frequencies.agg(F.count("*").alias("n_terms"), n_bytes, F.sum("documents").alias("n_values"))
    return VocabularySize(*(value or 0 for value in totals.collect()[0]))  # the sums of an empty table are null


def with_frequencies(documents: DataFrame, frequencies: DataFrame, size: VocabularySize) -> DataFrame:
    """Return the documents with an additional column: the packed frequencies in the first row of each partition.

    The DataFrame must be computed inside `tasks.settings_for_training`. Raise `InputError` if the frequencies are too
    many to be sent to every worker.
    """
    if size.n_bytes > MAX_BYTES:
        raise InputError(
            f"There are {size.n_terms:,} terms, {size.n_bytes >> 20:,} MB, and every machine must know the document "
            f"frequency of each term, which is possible up to {MAX_BYTES >> 20:,} MB",
            hint=(
                "Leave out rare terms (",
                Setting("min_df", 2),
                " or more), use shorter n-grams (",
                Setting("ngram_range"),
                "), or a selector that reads counts (ig, chi)",
            ),
        )
    n_parts = min(MAX_PARTS, 1 + size.n_bytes // PART_BYTES)
    parts = map_batches(frequencies.repartition(n_parts, "term"), _pack_partition, "part binary")
    # A table of one row, with a list of all parts. It is joined to the documents whose `_IS_FIRST` is true, too.
    packed = parts.agg(F.collect_list("part").alias(_COLUMN)).withColumn(_GOES_TO_FIRST, F.lit(True))
    row_in_partition = F.monotonically_increasing_id().bitwiseAND(F.lit(_ROW_BITS))
    marked = documents.withColumn(_IS_FIRST, row_in_partition == 0)
    joined = marked.join(F.broadcast(packed), marked[_IS_FIRST] == packed[_GOES_TO_FIRST], "left")
    return joined.drop(_IS_FIRST, _GOES_TO_FIRST)


def _pack_partition(batches: Batches) -> Batches:
    """Task that packs all terms of a partition into one row."""
    tables = [pa.Table.from_batches([batch]).cast(_PACKED) for batch in batches]
    part = pack_frequencies(pa.concat_tables([_PACKED.empty_table(), *tables]))
    yield pa.record_batch([pa.array([part])], names=["part"])


def pack_frequencies(table: pa.Table) -> bytes:
    """Return a table of terms and their document frequencies as the bytes of an Arrow stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())
    data: bytes = sink.getvalue().to_pybytes()
    return data


class Frequencies:
    """The document frequencies of all terms, unpacked on a worker."""

    def __init__(self, packed_parts: Iterable[bytes]) -> None:
        self._parts: list[tuple[pa.Array, Ints]] = []
        for part in packed_parts:
            table = pa.ipc.open_stream(part).read_all().combine_chunks()
            self._parts.append((table["term"].combine_chunks(), table["documents"].to_numpy()))

    def of(self, terms: list[str]) -> Ints:
        """Return the document frequency of each of some terms; 0 for unknown ones.

        Arrow builds a hash table of the few `terms`, and looks up the many terms of each part in it. The opposite would
        take longer, because the hash table would be larger.
        """
        doc_freq = np.zeros(len(terms), np.int64)
        value_set = pa.array(terms, pa.string())
        for part_terms, part_doc_freq in self._parts:
            positions = pc.index_in(part_terms, value_set=value_set)  # of each term of the part in `terms`, or null
            is_among_terms = pc.is_valid(positions).to_numpy(zero_copy_only=False)
            doc_freq[positions.drop_null().to_numpy()] = part_doc_freq[is_among_terms]
        return doc_freq


def split_frequencies(batches: Batches) -> tuple[Frequencies, Iterator[pa.RecordBatch]]:
    """Return the frequencies that came with the first document of a partition, and all batches that have documents."""
    first = next((batch for batch in batches if len(batch)), None)
    if first is None:  # the partition is empty
        return Frequencies([]), iter(())
    packed_parts = first.column(first.schema.get_field_index(_COLUMN))[0].as_py()
    if packed_parts is None:
        raise RuntimeError("The first document of a partition came without the frequencies of terms.")
    return Frequencies(packed_parts), chain([first], batches)
