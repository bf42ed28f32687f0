"""The statistics of all documents, term by term, as a DataFrame: what `ClassStats` is on one machine.

The rows that chunks have left (`counting.py`) are brought together by term, so that all rows of a term are on one
machine, and added up as whole numbers. What comes out has one row for each term, with its classes in arrays. A batch of
such rows is a `ClassStats` of its terms, so whatever scores terms from statistics can do so where the rows are.
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

from ..errors import InputError
from ..stats import ClassStats
from ..stats import table as tables
from ..stats.sums import Floats, Ints, Sums
from ..stats.table import Cells, Table, Totals
from ..training.targets import Sizes
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
"""One row for each term: in how many documents it is, in how many with a weight other than 0, sums, and the classes."""


def added_up(rows: DataFrame) -> DataFrame:
    """Add up the rows of all chunks: one row for each term."""
    by_term = rows.repartition("term").groupBy("term", "class")
    added = by_term.agg(*(F.sum(name).alias(name) for name in ("documents", *LIMBS)))
    return mapped(added.sortWithinPartitions("term", "class"), _assembled, TERMS)


def _assembled(batches: Batches) -> Batches:
    """Rows sorted by term and class to one row for each term."""
    return map(_by_term, whole_groups(batches, "term"))


def whole_groups(batches: Batches, key: str) -> Iterator[pa.Table]:
    """Sorted rows in tables that have all rows of each of their keys; those of the last key wait for what follows."""
    waiting: list[pa.Table] = []
    for batch in batches:
        if not len(batch):
            continue
        table = pa.Table.from_batches([batch])
        keys = batch.column(batch.schema.get_field_index(key))
        begin = int(pc.index(keys, keys[-1]).as_py())
        if begin or (waiting and waiting[0][key][0] != keys[0]):
            done = [*waiting, table.slice(0, begin)]
            if sum(map(len, done)):
                yield pa.concat_tables(done).combine_chunks()
            waiting = []
        waiting.append(table.slice(begin))
    if waiting:
        yield pa.concat_tables(waiting).combine_chunks()


def _by_term(table: pa.Table) -> pa.RecordBatch:
    """The rows of some terms, all of them there, as one row for each."""
    classes, documents = (table[name].to_numpy() for name in ("class", "documents"))
    sums = sums_of(tuple(table[name].to_numpy() for name in LIMBS))
    in_all, squares, cells = (np.flatnonzero(each) for each in (classes == SUMS, classes == SQUARES, classes >= 0))
    _require_whole(table["term"].combine_chunks(), in_all, squares)
    starts = np.searchsorted(cells, in_all)  # the rows without a class come first for each term
    offsets = pa.array(np.append(starts, len(cells)).astype(np.int32))

    def listed(values: Any) -> pa.Array:
        return pa.ListArray.from_arrays(offsets, pa.array(values[cells]))

    columns = [
        table["term"].combine_chunks().take(pa.array(in_all)),
        *map(pa.array, (documents[squares], documents[in_all])),
        *map(pa.array, (*sums.at(in_all), *sums.at(squares))),
        *map(listed, (classes.astype(np.int32), documents, sums.value, sums.rest)),
    ]
    return pa.record_batch(columns, names=[each.split()[0] for each in TERMS.split(", ")])


def _require_whole(terms: pa.Array, in_all: Ints, squares: Ints) -> None:
    """Refuse terms whose rows are not all here."""
    if not terms.take(pa.array(in_all)).equals(terms.take(pa.array(squares))) or len(in_all) != len(terms.unique()):
        raise InputError(
            "The rows of a term are not all on one machine, so that they can't be added up. Is "
            "spark.sql.requireAllClusterKeysForDistribution set? Train without it."
        )


class Terms(NamedTuple):
    """Some terms and their statistics; the columns are the terms, in the order of the rows."""

    terms: list[str]
    doc_freq: Ints
    """In how many documents each is, whatever its weight."""
    stats: ClassStats

    def sorted(self) -> Terms:
        """The same in the order of the alphabet."""
        order = np.array(sorted(range(len(self.terms)), key=self.terms.__getitem__), np.int64)
        return Terms([self.terms[at] for at in order.tolist()], self.doc_freq[order], self.stats.take(order))


@dataclass(frozen=True)
class Whole:
    """What is known of all documents together, and a row of the table does not say."""

    classes: tuple[Any, ...]
    class_docs: tuple[int, ...]
    n_documents: int

    @classmethod
    def of(cls, sizes: Sizes) -> Whole:
        """The same from the sizes of the classes."""
        return cls(sizes.classes, tuple(sizes.class_docs.tolist()), sizes.n_documents)

    def without_terms(self) -> ClassStats:
        """The statistics of the documents, as if they had no terms."""
        nothing = tables.empty(0)
        class_docs = np.array(self.class_docs, np.int64)
        cells = nothing.cells._replace(class_starts=np.zeros(len(self.classes) + 1, np.int64))
        return ClassStats(Table(self.classes, self.n_documents, 0, class_docs, nothing.totals, cells))

    def terms_of(self, rows: pa.RecordBatch | pa.Table) -> Terms:
        """Rows of the table as statistics."""
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
    """Bring the rows of some terms to the driver, in the order of the alphabet."""
    return whole.terms_of(rows.toArrow()).sorted()


@contextmanager
def kept(df: DataFrame) -> Iterator[DataFrame]:
    """A DataFrame that is kept on the machines as long as it is needed."""
    stored = df.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        yield stored
    finally:
        stored.unpersist()


@contextmanager
def kept_in_few_parts(session: SparkSession) -> Iterator[None]:
    """Let Spark join small parts of what is kept, as it does of what is not; then as it was before.

    Each part is a task, and a table of few terms in the usual 200 parts takes ten times as long to go through.
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


def pieces(rows: DataFrame) -> Iterator[Any]:
    """The rows of a DataFrame, one after the other, in the order of its partitions.

    They are all made before the first one comes, by all machines at a time, and kept there: Spark would make a
    partition only when its turn has come.
    """
    with kept(rows) as stored:
        stored.count()
        yield from stored.toLocalIterator()
