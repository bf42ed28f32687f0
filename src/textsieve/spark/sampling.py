"""The documents on which something is decided by holding some of them out: all, or a sample that fits into memory.

It is the sample that training on one machine takes of a corpus that does not fit (`training.sample`): document i stays
if i x φ falls before 1/2, 1/4, ... So documents have to be numbered across partitions: first it is counted how many
each partition has, then how many counts would stay at each level, and at last the documents that stay come to the
driver, one partition after the other, and are counted there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from ..stats.sums import Ints
from ..training.documents import Counted, Limits, columns_in_order, limits_of_sample
from ..training.sample import Sample, levels_of
from ..training.targets import Sizes
from .chunks import Chunk
from .counting import Reading
from .counts import targets_of
from .table import pieces
from .texts import own_partition
from .worker import mapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .worker import Batches

_LEVELS = 64


def _count(batches: Batches) -> Batches:
    """How many documents a partition has."""
    n_documents = sum(len(batch) for batch in batches)
    yield pa.record_batch([pa.array([own_partition()]), pa.array([n_documents])], names=["partition", "documents"])


@dataclass(frozen=True)
class _Numbered:
    """The documents of a partition by their numbers among all."""

    first: dict[int, int]
    """The number of each partition's first document."""
    reading: Reading

    def chunks(self, batches: Batches) -> Iterator[tuple[Ints, Chunk]]:
        """Each chunk, and the numbers of its documents."""
        at = self.first[own_partition()]
        for chunk in self.reading.chunks(batches):
            yield np.arange(at, at + len(chunk.texts)), chunk
            at += len(chunk.texts)


@dataclass(frozen=True)
class _Levels(_Numbered):
    """How many counts, and documents, stay at each level."""

    def __call__(self, batches: Batches) -> Batches:
        values, documents = np.zeros(_LEVELS + 1, np.int64), np.zeros(_LEVELS + 1, np.int64)
        for numbers, chunk in self.chunks(batches):
            counts, _ = self.reading.counted(chunk)
            levels = levels_of(numbers)
            np.add.at(values, levels, np.diff(counts.indptr))
            np.add.at(documents, levels, 1)
        every = np.arange(_LEVELS + 1)
        yield pa.record_batch(list(map(pa.array, (every, values, documents))), names=["level", "counts", "documents"])


@dataclass(frozen=True)
class _Stay(_Numbered):
    """The documents that stay at a level, and their classes."""

    level: int
    classes: list[Any]

    def __call__(self, batches: Batches) -> Batches:
        classes = pa.array(self.classes)
        for numbers, chunk in self.chunks(batches):
            stay = np.flatnonzero(levels_of(numbers) >= self.level)
            members = chunk.members(classes)[stay]
            texts = [text.encode() for text in map(chunk.texts.__getitem__, stay)]
            bounds = members.indptr.tolist()
            labels = [members.indices[begin:end].astype(np.int32).tobytes() for begin, end in pairwise(bounds)]
            yield pa.record_batch([pa.array(texts, pa.binary()), pa.array(labels, pa.binary())], ["text", "labels"])


def sample_of(documents: DataFrame, reading: Reading, sizes: Sizes, limits: Limits, most_values: int) -> Counted:
    """The counts of a sample of the documents, or of all if they are not too many."""
    found = mapped(documents, _count, "partition long, documents long").collect()
    of_partition = {row["partition"]: row["documents"] for row in found}
    first, at = {}, 0
    for partition in sorted(of_partition):
        first[partition], at = at, at + of_partition[partition]
    level = _level(documents, first, reading, most_values)
    stay = _Stay(first, reading, level, list(sizes.classes))
    return _counted(mapped(documents, stay, "text binary, labels binary"), reading, sizes, limits)


def _level(documents: DataFrame, first: dict[int, int], reading: Reading, most_values: int) -> int:
    """The lowest level at which no more counts stay than are wanted, or a single document."""
    from pyspark.sql import functions as F

    rows = mapped(documents, _Levels(first, reading), "level long, counts long, documents long")
    added = rows.groupBy("level").agg(F.sum("counts").alias("counts"), F.sum("documents").alias("documents")).collect()
    counts, staying = np.zeros(_LEVELS + 1, np.int64), np.zeros(_LEVELS + 1, np.int64)
    for row in added:
        counts[row["level"]], staying[row["level"]] = row["counts"], row["documents"]
    from_level = np.cumsum(counts[::-1])[::-1]
    documents_from = np.cumsum(staying[::-1])[::-1]
    return int(np.flatnonzero((from_level <= most_values) | (documents_from <= 1))[0])


def _counted(rows: DataFrame, reading: Reading, sizes: Sizes, limits: Limits) -> Counted:
    """Count documents as they come."""
    from scipy import sparse

    counter = reading.counter(n_jobs=-1)
    kept, members, n_documents = Sample(), [], 0
    for texts, labels in _together(rows):
        kept.add(sparse.csr_matrix(counter.partial_fit_transform(texts)), n_documents)
        starts = np.cumsum([0, *map(len, labels)])
        ones = np.ones(starts[-1], np.int8)
        columns = np.concatenate([np.zeros(0, np.int32), *labels])
        members.append(sparse.csr_array((ones, columns, starts), shape=(len(texts), len(sizes.classes))))
        n_documents += len(texts)
    terms = counter.get_feature_names_out().tolist()
    order = np.array(sorted(range(len(terms)), key=terms.__getitem__), np.int64)
    counts = columns_in_order(kept.matrix(len(terms)), order)
    share = n_documents / max(sizes.n_documents, 1)
    in_order = [terms[at] for at in order.tolist()]
    return Counted(counts, in_order, targets_of(members, sizes), limits_of_sample(limits, share))


def _together(rows: DataFrame, size: int = 2000) -> Iterator[tuple[list[str | bytes], list[Any]]]:
    """Documents, so many at a time."""
    texts: list[str | bytes] = []
    labels: list[Any] = []
    for row in pieces(rows):
        texts.append(bytes(row["text"]))
        labels.append(np.frombuffer(row["labels"], np.int32))
        if len(texts) == size:
            yield texts, labels
            texts, labels = [], []
    if texts:
        yield texts, labels
