"""Get the documents for decisions that need held-out documents: all, or a sample that fits into memory.

The sampled documents come to the driver in the order of the documents, and are counted there. If it is known that all
documents fit, that is all.

Otherwise it is the sample of training on one machine with a corpus that does not fit (`training.counted_documents`):
document i is in it if the fractional part of i x φ is below 1/2, 1/4, ... So documents have to be numbered across
partitions. A first pass counts the documents of each partition, and a second one how many counts (nonzero entries) each
level of the sample would have.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from ..arrays import Ints
from ..categorizer_settings import Limits
from ..training.counted_documents import CountedDocuments, Sample, halvings_survived, limits_of_sample, take_columns
from ..training.targets import ClassSizes
from .columns import partition_number
from .counting import Chunk, Reading
from .learning import build_targets
from .tasks import collect_in_order, map_batches

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .tasks import Batches

_LEVELS = 64


def _count(batches: Batches) -> Batches:
    """Yield the number of documents of a partition."""
    n_documents = sum(len(batch) for batch in batches)
    yield pa.record_batch([pa.array([partition_number()]), pa.array([n_documents])], names=["partition", "documents"])


@dataclass(frozen=True)
class _Numbered:
    """A task that knows the numbers of a partition's documents among all documents."""

    first: dict[int, int]
    """The number of each partition's first document; empty if no number is needed."""
    reading: Reading

    def chunks(self, batches: Batches) -> Iterator[tuple[Ints, Chunk]]:
        """Yield each chunk with the numbers of its documents."""
        number = self.first[partition_number()] if self.first else 0
        for chunk in self.reading.chunks(batches):
            yield np.arange(number, number + len(chunk.texts)), chunk
            number += len(chunk.texts)


@dataclass(frozen=True)
class _Levels(_Numbered):
    """Task that counts the documents of each level, and their counts."""

    def __call__(self, batches: Batches) -> Batches:
        values, documents = np.zeros(_LEVELS + 1, np.int64), np.zeros(_LEVELS + 1, np.int64)
        for numbers, chunk in self.chunks(batches):
            counts, _ = self.reading.count_terms(chunk)
            levels = halvings_survived(numbers)
            np.add.at(values, levels, np.diff(counts.indptr))
            np.add.at(documents, levels, 1)
        all_levels = np.arange(_LEVELS + 1)
        yield pa.record_batch(
            list(map(pa.array, (all_levels, values, documents))), names=["level", "counts", "documents"]
        )


@dataclass(frozen=True)
class _Sampled(_Numbered):
    """Task that yields the texts of the sampled documents and the numbers of their classes, as 32-bit integers.

    A document's level is computed from its number alone; documents of `level` and above are sampled.
    """

    level: int
    classes: list[Any]

    def __call__(self, batches: Batches) -> Batches:
        classes = pa.array(self.classes)
        for numbers, chunk in self.chunks(batches):
            sampled = (
                np.flatnonzero(halvings_survived(numbers) >= self.level) if self.level else np.arange(len(numbers))
            )
            members = chunk.members(classes)[sampled]
            texts = [text.encode() for text in map(chunk.texts.__getitem__, sampled)]
            bounds = members.indptr.tolist()
            labels = [members.indices[begin:end].astype(np.int32).tobytes() for begin, end in pairwise(bounds)]
            yield pa.record_batch([pa.array(texts, pa.binary()), pa.array(labels, pa.binary())], ["text", "labels"])


def sample_documents(
    documents: DataFrame,
    reading: Reading,
    sizes: ClassSizes,
    limits: Limits,
    most_values: int,
    n_values: int | None = None,
) -> CountedDocuments:
    """Return the counts of a sample of the documents, or of all if they have at most `most_values` counts.

    `n_values` is the number of counts in all documents, if it is known.
    """
    first, level = {}, 0
    if n_values is None or n_values > most_values:
        rows = map_batches(documents, _count, "partition long, documents long").collect()
        n_before = 0
        for partition, n_documents in sorted((row["partition"], row["documents"]) for row in rows):
            first[partition], n_before = n_before, n_before + n_documents
        level = _level(documents, first, reading, most_values)
    task = _Sampled(first, reading, level, list(sizes.classes))
    return _count_sample(map_batches(documents, task, "text binary, labels binary"), reading, sizes, limits)


def _level(documents: DataFrame, first: dict[int, int], reading: Reading, most_values: int) -> int:
    """Return the lowest level at which the sample has at most `most_values` counts, or a single document."""
    from pyspark.sql import functions as F

    rows = map_batches(documents, _Levels(first, reading), "level long, counts long, documents long")
    totals = rows.groupBy("level").agg(F.sum("counts").alias("counts"), F.sum("documents").alias("documents")).collect()
    counts, n_documents = np.zeros(_LEVELS + 1, np.int64), np.zeros(_LEVELS + 1, np.int64)
    for row in totals:
        counts[row["level"]], n_documents[row["level"]] = row["counts"], row["documents"]
    counts_from = np.cumsum(counts[::-1])[::-1]
    documents_from = np.cumsum(n_documents[::-1])[::-1]
    return int(np.flatnonzero((counts_from <= most_values) | (documents_from <= 1))[0])


def _count_sample(rows: DataFrame, reading: Reading, sizes: ClassSizes, limits: Limits) -> CountedDocuments:
    """Count the sampled documents on the driver as they arrive."""
    from scipy import sparse

    counter = reading.counter(n_jobs=-1)
    sample, members, n_documents = Sample(), [], 0
    for texts, labels in _in_blocks(rows):
        sample.add(sparse.csr_matrix(counter.partial_fit_transform(texts)), n_documents)
        starts = np.cumsum([0, *map(len, labels)])
        ones = np.ones(starts[-1], np.int8)
        columns = np.concatenate([np.zeros(0, np.int32), *labels])
        members.append(sparse.csr_array((ones, columns, starts), shape=(len(texts), len(sizes.classes))))
        n_documents += len(texts)
    terms = counter.get_feature_names_out().tolist()
    order = np.array(sorted(range(len(terms)), key=terms.__getitem__), np.int64)
    counts = take_columns(sample.matrix(len(terms)), order)
    share = n_documents / max(sizes.n_documents, 1)
    in_order = [terms[column] for column in order.tolist()]
    return CountedDocuments(counts, in_order, build_targets(members, sizes), limits_of_sample(limits, share))


def _in_blocks(rows: DataFrame, size: int = 2000) -> Iterator[tuple[list[str | bytes], list[Any]]]:
    """Yield the texts and labels of documents, `size` documents at a time."""
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
