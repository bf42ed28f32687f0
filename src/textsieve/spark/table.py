"""The statistics of all documents, term by term, as a DataFrame: the counterpart of `ClassStats` on one machine.

The rows of all chunks (`counting.py`) are repartitioned by term, so that all rows of a term are on one machine, and
added up as integers. The result has one row for each term, with arrays over its classes. A batch of such rows is a
`ClassStats` of its terms, so any function that scores terms from statistics can run on the workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F
from pyspark.storagelevel import StorageLevel

from ..arrays import Floats, Ints
from ..errors import InputError
from ..stats import ClassStats
from ..stats import table as tables
from ..stats.sums import Sums
from ..stats.table import Cells, Table, Totals
from ..training.targets import ClassSizes
from .counting import LIMBS, SQUARES, SUMS
from .fixedpoint import sums_of
from .worker import mapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from .worker import Batches

TERMS = (
    "term string, documents long, weighted long, sum double, sum_rest double, squares double, squares_rest double, "
    "classes array<int>, class_documents array<long>, class_sums array<double>, class_rests array<double>"
)
"""One row for each term.

It has the number of documents that contain the term (`documents`), the number of those where its weight is not 0
(`weighted`), sums of weights and of their squares with their rounding errors, and arrays over the term's classes.
"""


def added_up(rows: DataFrame) -> DataFrame:
    """Add up the rows of all chunks, and return one row for each term."""
    by_term = rows.repartition("term").groupBy("term", "class")
    added = by_term.agg(*(F.sum(name).alias(name) for name in ("documents", *LIMBS)))
    return mapped(added.sortWithinPartitions("term", "class"), _assembled, TERMS)


def _assembled(batches: Batches) -> Batches:
    """Combine rows sorted by term and class into one row for each term."""
    return map(_by_term, whole_groups(batches, "term"))


def whole_groups(batches: Batches, key: str) -> Iterator[pa.Table]:
    """Yield sorted rows in tables that contain all rows of each of their keys.

    The rows of a batch's last key wait for the next batch, which may have more of them.
    """
    waiting: list[pa.Table] = []
    for batch in batches:
        if not len(batch):
            continue
        table = pa.Table.from_batches([batch])
        keys = batch.column(batch.schema.get_field_index(key))
        begin = int(pc.index(keys, keys[-1]).as_py())
        if begin or (waiting and waiting[0][key][0] != keys[0]):
            complete = [*waiting, table.slice(0, begin)]
            if sum(map(len, complete)):
                yield pa.concat_tables(complete).combine_chunks()
            waiting = []
        waiting.append(table.slice(begin))
    if waiting:
        yield pa.concat_tables(waiting).combine_chunks()


def _by_term(table: pa.Table) -> pa.RecordBatch:
    """Combine all rows of some terms into one row for each term."""
    classes, documents = (table[name].to_numpy() for name in ("class", "documents"))
    sums = sums_of(tuple(table[name].to_numpy() for name in LIMBS))
    in_all, squares, cells = (
        np.flatnonzero(is_kind) for is_kind in (classes == SUMS, classes == SQUARES, classes >= 0)
    )
    _require_whole(table["term"].combine_chunks(), in_all, squares)
    starts = np.searchsorted(cells, in_all)  # the two special rows of each term come first
    offsets = pa.array(np.append(starts, len(cells)).astype(np.int32))

    def listed(values: Any) -> pa.Array:
        return pa.ListArray.from_arrays(offsets, pa.array(values[cells]))

    columns = [
        table["term"].combine_chunks().take(pa.array(in_all)),
        *map(pa.array, (documents[squares], documents[in_all])),
        *map(pa.array, (*sums.at(in_all), *sums.at(squares))),
        *map(listed, (classes.astype(np.int32), documents, sums.value, sums.rest)),
    ]
    return pa.record_batch(columns, names=[column.split()[0] for column in TERMS.split(", ")])


def _require_whole(terms: pa.Array, in_all: Ints, squares: Ints) -> None:
    """Raise `InputError` if rows of a term are missing here."""
    if not terms.take(pa.array(in_all)).equals(terms.take(pa.array(squares))) or len(in_all) != len(terms.unique()):
        raise InputError(
            "The rows of a term are not all on one machine, so that they can't be added up. Is "
            "spark.sql.requireAllClusterKeysForDistribution set? Train without it."
        )


class Terms(NamedTuple):
    """Some terms and their statistics; columns of the statistics are the terms, in the same order."""

    terms: list[str]
    doc_freq: Ints
    """Number of documents that contain each term, whatever its weight."""
    stats: ClassStats

    def sorted(self) -> Terms:
        """Return the same in alphabetical order."""
        order = np.array(sorted(range(len(self.terms)), key=self.terms.__getitem__), np.int64)
        return Terms(
            [self.terms[position] for position in order.tolist()], self.doc_freq[order], self.stats.take(order)
        )


@dataclass(frozen=True)
class Whole:
    """Facts about all documents together, which are not in the rows of the table."""

    classes: tuple[Any, ...]
    class_docs: tuple[int, ...]
    n_documents: int

    @classmethod
    def of(cls, sizes: ClassSizes) -> Whole:
        """Return the facts from the sizes of the classes."""
        return cls(sizes.classes, tuple(sizes.class_docs.tolist()), sizes.n_documents)

    def without_terms(self) -> ClassStats:
        """Return the statistics of the documents, as if they had no terms."""
        nothing = tables.empty(0)
        class_docs = np.array(self.class_docs, np.int64)
        cells = nothing.cells._replace(class_starts=np.zeros(len(self.classes) + 1, np.int64))
        return ClassStats(Table(self.classes, self.n_documents, 0, class_docs, nothing.totals, cells))

    def terms_of(self, rows: pa.RecordBatch | pa.Table) -> Terms:
        """Return rows of the table as terms and statistics."""
        column = {name: _flat(rows.column(name)) for name in rows.schema.names}
        listed = column["classes"]
        owners = np.repeat(np.arange(len(listed)), np.diff(listed.offsets.to_numpy()))
        classes = _values(listed)
        order = np.lexsort((owners, classes))
        starts = np.searchsorted(classes[order], np.arange(len(self.classes) + 1))
        numbers, sums, rests = (_values(column[f"class_{name}"])[order] for name in ("documents", "sums", "rests"))
        cells = Cells(starts, owners[order], numbers, Sums(sums, rests))
        weighted = column["weighted"].to_numpy()
        filled = np.flatnonzero(weighted)
        totals = Totals(filled, weighted[filled], *(_sums(column, name).at(filled) for name in ("sum", "squares")))
        class_docs = np.array(self.class_docs, np.int64)
        table = Table(self.classes, self.n_documents, len(listed), class_docs, totals, cells)
        return Terms(column["term"].to_pylist(), column["documents"].to_numpy(), ClassStats(table))


def _flat(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _values(listed: pa.Array) -> Any:
    return listed.flatten().to_numpy(zero_copy_only=False)


def _sums(column: dict[str, pa.Array], name: str) -> Sums:
    value: Floats = column[name].to_numpy()
    rest: Floats = column[f"{name}_rest"].to_numpy()
    return Sums(value, rest)


def collected(rows: DataFrame, whole: Whole) -> Terms:
    """Collect the rows of some terms on the driver, in alphabetical order."""
    return whole.terms_of(rows.toArrow()).sorted()


@contextmanager
def kept(df: DataFrame) -> Iterator[DataFrame]:
    """Persist a DataFrame on the workers as long as it is needed."""
    stored = df.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        yield stored
    finally:
        stored.unpersist()


@contextmanager
def kept_in_few_parts(session: SparkSession) -> Iterator[None]:
    """Let Spark combine small partitions of persisted DataFrames, as it does for others; restore the setting later.

    Each partition is a task, and going through a table of few terms in the default 200 partitions takes ten times as
    long.
    """
    before = session.conf.get(_FEW_PARTS, None)
    session.conf.set(_FEW_PARTS, "true")
    try:
        yield
    finally:
        if before is None:
            session.conf.unset(_FEW_PARTS)
        else:
            session.conf.set(_FEW_PARTS, before)


_FEW_PARTS = "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning"


FEW_BYTES = 1 << 26
"""Results up to this size are collected at once."""


def collect_in_order(rows: DataFrame, n_bytes: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the rows of a DataFrame in the order of its partitions.

    `n_bytes` is the size of all rows, if it is known. A small result comes in one job. Otherwise, the workers compute
    all rows in parallel and persist them, and then one partition after the other comes to the driver, so that the
    driver's Java process never holds more than one.
    """
    if n_bytes is not None and n_bytes <= FEW_BYTES:
        for batch in rows.toArrow().to_batches():
            yield from batch.to_pylist()
        return
    with kept(rows) as stored:
        stored.write.format("noop").mode("overwrite").save()  # computes all partitions
        for row in stored.toLocalIterator():
            yield row.asDict()
