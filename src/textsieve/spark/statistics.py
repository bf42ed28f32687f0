"""The statistics of all documents, term by term, as a DataFrame: the counterpart of `ClassStats` on one machine.

The rows of all chunks (`counting.py`) are repartitioned by term, so that all rows of a term are on one machine, and
added up as integers. The result has one row for each term, with arrays over its classes. A batch of such rows is a
`ClassStats` of its terms, so any function that scores terms from statistics can run on the workers.

`stats` returns this table for counts, to look at it, score terms in other ways, or save it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F

from ..arrays import Floats, Ints
from ..errors import InputError, shown
from ..stats import ClassStats
from ..stats import table as tables
from ..stats.table import Cells, Sums, Table, Totals
from ..text.counter import NO_LIMITS, TermCounter
from ..training.targets import ClassSizes
from .columns import count_classes, select_documents
from .counting import LIMBS, ROWS, SQUARES, SUMS, CountClasses, Reading, from_limbs
from .tasks import map_batches, reraise_own_errors

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .tasks import Batches


TERMS = (
    "term string, documents long, weighted long, sum double, sum_rest double, squares double, squares_rest double, "
    "classes array<int>, class_documents array<long>, class_sums array<double>, class_rests array<double>"
)
"""One row for each term.

It has the number of documents that contain the term (`documents`), the number of those where its weight is not 0
(`weighted`), sums of weights and of their squares with their rounding errors, and arrays over the term's classes.
"""


def add_up_rows(rows: DataFrame) -> DataFrame:
    """Add up the rows of all chunks, and return one row for each term."""
    by_term = rows.repartition("term").groupBy("term", "class")
    added = by_term.agg(*(F.sum(name).alias(name) for name in ("documents", *LIMBS)))
    return map_batches(added.sortWithinPartitions("term", "class"), assemble_terms, TERMS)


def assemble_terms(batches: Batches) -> Batches:
    """Combine rows sorted by term and class into one row for each term."""
    return map(_combine_rows, group_batches(batches, "term"))


def group_batches(batches: Batches, key: str) -> Iterator[pa.Table]:
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


def _combine_rows(table: pa.Table) -> pa.RecordBatch:
    """Combine all rows of some terms into one row for each term."""
    classes, documents = (table[name].to_numpy() for name in ("class", "documents"))
    sums = from_limbs(tuple(table[name].to_numpy() for name in LIMBS))
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


class TermStatistics(NamedTuple):
    """Some terms and their statistics; columns of the statistics are the terms, in the same order."""

    terms: list[str]
    doc_freq: Ints
    """Number of documents that contain each term, whatever its weight."""
    stats: ClassStats

    def sorted(self) -> TermStatistics:
        """Return the same in alphabetical order."""
        order = np.array(sorted(range(len(self.terms)), key=self.terms.__getitem__), np.int64)
        return TermStatistics(
            [self.terms[position] for position in order.tolist()], self.doc_freq[order], self.stats.take(order)
        )


@dataclass(frozen=True)
class CorpusTotals:
    """Facts about all documents together, which are not in the rows of the table."""

    classes: tuple[Any, ...]
    class_docs: tuple[int, ...]
    n_documents: int

    @classmethod
    def of(cls, sizes: ClassSizes) -> CorpusTotals:
        """Return the facts from the sizes of the classes."""
        return cls(sizes.classes, tuple(sizes.class_docs.tolist()), sizes.n_documents)

    def without_terms(self) -> ClassStats:
        """Return the statistics of the documents, as if they had no terms."""
        nothing = tables.empty(0)
        class_docs = np.array(self.class_docs, np.int64)
        cells = nothing.cells._replace(class_starts=np.zeros(len(self.classes) + 1, np.int64))
        return ClassStats(Table(self.classes, self.n_documents, 0, class_docs, nothing.totals, cells))

    def terms_of(self, rows: pa.RecordBatch | pa.Table) -> TermStatistics:
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
        return TermStatistics(column["term"].to_pylist(), column["documents"].to_numpy(), ClassStats(table))


def _flat(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _values(listed: pa.Array) -> Any:
    return listed.flatten().to_numpy(zero_copy_only=False)


def _sums(column: dict[str, pa.Array], name: str) -> Sums:
    value: Floats = column[name].to_numpy()
    rest: Floats = column[f"{name}_rest"].to_numpy()
    return Sums(value, rest)


def collect_terms(rows: DataFrame, totals: CorpusTotals) -> TermStatistics:
    """Collect the rows of some terms on the driver, in alphabetical order."""
    return totals.terms_of(rows.toArrow()).sorted()


_NONE = np.zeros(0, np.int64)


class SparkStats(NamedTuple):
    """The statistics of the documents of a DataFrame."""

    table: DataFrame
    """One row for each term: its document frequency, its sums, and arrays with its values in each class (by number)."""
    classes: tuple[Any, ...]
    class_docs: tuple[int, ...]
    n_documents: int

    def to_local(self) -> tuple[list[str], ClassStats]:
        """Return the terms in alphabetical order and their `ClassStats`; both must fit into the driver's memory."""
        with reraise_own_errors():
            collected_terms = collect_terms(self.table, CorpusTotals(self.classes, self.class_docs, self.n_documents))
        return collected_terms.terms, collected_terms.stats


def stats(df: DataFrame, text: str = "text", label: str | None = "label", **reading: Any) -> SparkStats:
    """Return the statistics of the counts of all terms, by class.

    `reading` has settings of a `TermCounter`, without limits. Without a label column (None), there are only totals.
    Only the classes and their sizes come to the driver; the table is computed when it is read, and each time again
    unless it is persisted (`stats(df).table.persist()`).
    """
    given_limits = [f"{name}={shown(reading[name])}" for name in NO_LIMITS if name in reading]
    if given_limits:
        raise InputError(
            f"{', '.join(given_limits)}: the table has all terms; filter it, as by table.filter('documents >= 5')."
        )
    settings = TermCounter(**reading).get_params()
    TermCounter(**settings).validated_reading()
    counter = {name: value for name, value in settings.items() if name not in ("n_jobs", "dtype")}
    documents = select_documents(df, text, label)
    with reraise_own_errors():
        sizes = (
            count_classes(documents, None)
            if label is not None
            else ClassSizes((), _NONE, documents.count(), 0, multilabel=False)
        )
    rows = map_batches(documents, CountClasses(Reading(counter), list(sizes.classes)), ROWS)
    return SparkStats(add_up_rows(rows), sizes.classes, tuple(sizes.class_docs.tolist()), sizes.n_documents)
