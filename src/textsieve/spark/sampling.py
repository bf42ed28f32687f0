"""Get the documents for decisions that need held-out documents: all, or a sample that fits into memory.

The sampled documents come to the driver in the order of the DataFrame, and are counted there. If it is known that the
counts of all documents fit, all documents are taken.

Otherwise, the sample is the same that one machine takes of a corpus that does not fit (`training.counted_documents`):
all documents are halved until they fit. Document i survives h halvings if the fractional part of i x φ is below 1/2^h;
the largest such h is its *level*. After h halvings, the documents of level h and above are left. To find the lowest
level that fits, two passes are needed:

1. Count the documents of each partition. From these numbers, the number i of each document among all documents follows.
2. Count, for each level, its documents and their counts (nonzero entries).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F
from scipy import sparse

from ..arrays import Ints
from ..categorizer_settings import Limits
from ..training.counted_documents import CountedDocuments, Sample, halvings_survived, limits_of_sample, take_columns
from ..training.targets import ClassSizes
from .columns import partition_number
from .counting import Chunk, ChunkReader
from .learning import build_targets
from .tasks import collect_in_order, map_batches

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .tasks import Batches

_MAX_LEVEL = 64
"""The largest level: the fractional part of i x φ has 64 binary digits."""


def _count_documents(batches: Batches) -> Batches:
    """Task that yields the number of a partition, and the number of its documents."""
    n_documents = sum(len(batch) for batch in batches)
    yield pa.record_batch([pa.array([partition_number()]), pa.array([n_documents])], names=["partition", "documents"])


@dataclass(frozen=True)
class _NumberingTask:
    """Base class of tasks that number the documents of their partition as among all documents."""

    first_numbers: dict[int, int]
    """The number of the first document of each partition; empty if the task does not use the numbers."""
    reader: ChunkReader

    def numbered_chunks(self, batches: Batches) -> Iterator[tuple[Ints, Chunk]]:
        """Yield the numbers of the documents of each chunk, and the chunk.

        If `first_numbers` is empty, the numbers start at 0 in each partition.
        """
        number = self.first_numbers[partition_number()] if self.first_numbers else 0
        for chunk in self.reader.chunks(batches):
            yield np.arange(number, number + len(chunk.texts)), chunk
            number += len(chunk.texts)


@dataclass(frozen=True)
class _CountByLevel(_NumberingTask):
    """Task that counts the documents of each level in a partition, and their counts (nonzero entries)."""

    def __call__(self, batches: Batches) -> Batches:
        n_counts, n_documents = np.zeros(_MAX_LEVEL + 1, np.int64), np.zeros(_MAX_LEVEL + 1, np.int64)
        for numbers, chunk in self.numbered_chunks(batches):
            counts, _ = self.reader.count_terms(chunk)
            levels = halvings_survived(numbers)
            np.add.at(n_counts, levels, np.diff(counts.indptr))
            np.add.at(n_documents, levels, 1)
        columns = [pa.array(np.arange(_MAX_LEVEL + 1)), pa.array(n_counts), pa.array(n_documents)]
        yield pa.record_batch(columns, names=["level", "counts", "documents"])


@dataclass(frozen=True)
class _TakeSample(_NumberingTask):
    """Task that yields the text of each sampled document, and the numbers of its classes as bytes of 32-bit integers.

    Documents of `level` and above are sampled; level 0 means all documents, and needs no document numbers.
    """

    level: int
    classes: list[Any]

    def __call__(self, batches: Batches) -> Batches:
        classes = pa.array(self.classes)
        for numbers, chunk in self.numbered_chunks(batches):
            sampled = (
                np.flatnonzero(halvings_survived(numbers) >= self.level) if self.level else np.arange(len(numbers))
            )
            indicators = chunk.indicators(classes)[sampled]
            texts = [chunk.texts[position].encode() for position in sampled]
            class_numbers = indicators.indices.astype(np.int32)
            labels = [class_numbers[begin:end].tobytes() for begin, end in pairwise(indicators.indptr.tolist())]
            yield pa.record_batch([pa.array(texts, pa.binary()), pa.array(labels, pa.binary())], ["text", "labels"])


def sample_documents(
    documents: DataFrame,
    reader: ChunkReader,
    sizes: ClassSizes,
    limits: Limits,
    most_values: int,
    n_values: int | None = None,
) -> CountedDocuments:
    """Return the counts of a sample of the documents, or of all if they have at most `most_values` counts.

    `limits` are `min_df` and `max_df` for the whole collection; for a sample, they are scaled to its share of the
    documents. `n_values` is the number of counts in the whole collection, if it is known.
    """
    first_numbers: dict[int, int] = {}  # all documents, without numbers
    level = 0
    if n_values is None or n_values > most_values:  # a sample may be needed
        rows = map_batches(documents, _count_documents, "partition long, documents long").collect()
        n_before = 0
        for partition, n_documents in sorted((row["partition"], row["documents"]) for row in rows):
            first_numbers[partition] = n_before
            n_before += n_documents
        level = _lowest_level(documents, first_numbers, reader, most_values)
    task = _TakeSample(first_numbers, reader, level, list(sizes.classes))
    return _count_sample(map_batches(documents, task, "text binary, labels binary"), reader, sizes, limits)


def _lowest_level(documents: DataFrame, first_numbers: dict[int, int], reader: ChunkReader, most_values: int) -> int:
    """Return the lowest level at which the sample has at most `most_values` counts, or at most one document.

    Level 0, the sample of all documents, is returned if all counts fit.
    """
    rows = map_batches(documents, _CountByLevel(first_numbers, reader), "level long, counts long, documents long")
    totals = rows.groupBy("level").agg(F.sum("counts").alias("counts"), F.sum("documents").alias("documents")).collect()
    counts, n_documents = np.zeros(_MAX_LEVEL + 1, np.int64), np.zeros(_MAX_LEVEL + 1, np.int64)
    for row in totals:
        counts[row["level"]], n_documents[row["level"]] = row["counts"], row["documents"]
    # Sums over each level and all above: those of the sample that is left at this level.
    counts_from_level, documents_from_level = np.cumsum(counts[::-1])[::-1], np.cumsum(n_documents[::-1])[::-1]
    return int(np.flatnonzero((counts_from_level <= most_values) | (documents_from_level <= 1))[0])


def _count_sample(rows: DataFrame, reader: ChunkReader, sizes: ClassSizes, limits: Limits) -> CountedDocuments:
    """Return the counts of the sampled documents, which are counted on the driver as they arrive."""
    counter = reader.counter(n_jobs=-1)
    # Here, `Sample` only collects counts, and takes all of them: the documents are sampled already.
    sample, indicators, n_documents = Sample(), [], 0
    for texts, labels in _in_blocks(rows):
        sample.add(sparse.csr_matrix(counter.partial_fit_transform(texts)), n_documents)
        indptr = np.cumsum([0, *map(len, labels)])
        # The empty array sets the type if no document has a label.
        indices = np.concatenate([np.zeros(0, np.int32), *labels])
        ones = np.ones(len(indices), np.int8)
        indicators.append(sparse.csr_array((ones, indices, indptr), shape=(len(texts), len(sizes.classes))))
        n_documents += len(texts)
    terms, alphabetical = counter.terms(), counter.alphabetical()
    counts = take_columns(sample.matrix(len(terms)), alphabetical)
    share = n_documents / max(sizes.n_documents, 1)
    targets = build_targets(indicators, sizes)
    return CountedDocuments(counts, terms.subset(alphabetical), targets, limits_of_sample(limits, share))


def _in_blocks(rows: DataFrame, size: int = 2000) -> Iterator[tuple[list[str | bytes], list[Any]]]:
    """Yield the texts (as UTF-8) and the arrays of class numbers of documents, in blocks of `size` documents."""
    texts: list[str | bytes] = []
    labels: list[Any] = []
    for row in collect_in_order(rows):
        texts.append(bytes(row["text"]))
        labels.append(np.frombuffer(row["labels"], np.int32))
        if len(texts) == size:
            yield texts, labels
            texts, labels = [], []
    if texts:
        yield texts, labels
