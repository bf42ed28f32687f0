"""The statistics of all documents as a DataFrame with a row for each term: the counterpart of `ClassStats`.

The rows of all chunks (`counting.py`) are repartitioned by term, so that all rows of a term are on one machine, and
added up as integers. The result has one row for each term, with arrays of its values in each class. A batch of such
rows can be converted to the `ClassStats` of its terms, so any function that scores terms from statistics can run on the
workers.

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
from .columns import TextColumns, count_classes, select_documents
from .counting import CELL_SCHEMA, LIMBS, SQUARES, SUMS, ChunkReader, CountClasses, alphabetical_order, from_limbs
from .tasks import map_batches, reraise_own_errors

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .tasks import Batches


TERM_SCHEMA = (
    "term string, documents long, weighted long, sum double, sum_rest double, squares double, squares_rest double, "
    "classes array<int>, class_documents array<long>, class_sums array<double>, class_rests array<double>"
)
"""One row for each term.

- `documents` is the number of documents that contain the term, and `weighted` the number of those in which its weight
  is not 0.
- `sum` and `squares` are the sums of its weights and of their squares, and the two columns `..._rest` are the rounding
  errors of these sums.
- The arrays have an entry for each class in which the term occurs. `classes` has the numbers of these classes, and the
  others have the number of documents, the sum of weights and its rounding error in each of them.
"""


def add_up_rows(rows: DataFrame) -> DataFrame:
    """Add up the rows of all chunks, and return one row for each term."""
    by_term = rows.repartition("term").groupBy("term", "class")
    added = by_term.agg(*(F.sum(name).alias(name) for name in ("documents", *LIMBS)))
    return map_batches(added.sortWithinPartitions("term", "class"), assemble_terms, TERM_SCHEMA)


def assemble_terms(batches: Batches) -> Batches:
    """Combine rows sorted by term and class into one row for each term."""
    return map(_combine_rows, group_batches(batches, "term"))


def group_batches(batches: Batches, key: str) -> Iterator[pa.Table]:
    """Yield the rows of all batches in tables, so that all rows with the same key are in one table.

    `key` is the name of the column by which the rows are sorted. The rows with the last key of a batch wait for the
    next batch, which may have more rows with this key.
    """
    waiting: list[pa.Table] = []  # rows with the last key so far
    for batch in batches:
        if not len(batch):
            continue
        table = pa.Table.from_batches([batch])
        keys = batch.column(batch.schema.get_field_index(key))
        last_key_begin = int(pc.index(keys, keys[-1]).as_py())
        # If the batch has several keys, or its only key is not the one that waits, then all rows before those with its
        # last key are complete.
        if last_key_begin or (waiting and waiting[0][key][0] != keys[0]):
            yield pa.concat_tables([*waiting, table.slice(0, last_key_begin)]).combine_chunks()
            waiting = []
        waiting.append(table.slice(last_key_begin))
    if waiting:
        yield pa.concat_tables(waiting).combine_chunks()


def _combine_rows(table: pa.Table) -> pa.RecordBatch:
    """Combine all rows of some terms, sorted by term and class, into one row for each term (`TERM_SCHEMA`)."""
    classes, documents = (table[name].to_numpy() for name in ("class", "documents"))
    sums = from_limbs(tuple(table[name].to_numpy() for name in LIMBS))
    sum_rows, square_rows, cell_rows = (
        np.flatnonzero(is_kind) for is_kind in (classes == SUMS, classes == SQUARES, classes >= 0)
    )
    terms = table["term"].combine_chunks()
    _require_all_rows(terms, sum_rows, square_rows)
    # The special rows of each term come before its cells, so its cells start after all cells before its row of sums.
    starts = np.searchsorted(cell_rows, sum_rows)
    offsets = pa.array(np.append(starts, len(cell_rows)).astype(np.int32))

    def as_lists(values: Any) -> pa.Array:
        """Return the values of the cells, in a list for each term."""
        return pa.ListArray.from_arrays(offsets, pa.array(values[cell_rows]))

    columns = [
        terms.take(pa.array(sum_rows)),
        pa.array(documents[square_rows]),  # "documents", of any weight; see `counting`
        pa.array(documents[sum_rows]),  # "weighted", those with a nonzero weight
        *map(pa.array, sums.at(sum_rows)),  # "sum", "sum_rest"
        *map(pa.array, sums.at(square_rows)),  # "squares", "squares_rest"
        *map(as_lists, (classes.astype(np.int32), documents, sums.value, sums.rest)),
    ]
    return pa.record_batch(columns, names=[column.split()[0] for column in TERM_SCHEMA.split(", ")])


def _require_all_rows(terms: pa.Array, sum_rows: Ints, square_rows: Ints) -> None:
    """Raise `InputError` unless each of the terms has both of its special rows, `SUMS` and `SQUARES`.

    If Spark has sent the rows of a term to several tasks, at most one of them has both.
    """
    has_both = terms.take(pa.array(sum_rows)).equals(terms.take(pa.array(square_rows)))
    if not has_both or len(sum_rows) != len(terms.unique()):
        raise split_rows_error()


def split_rows_error() -> InputError:
    """Return the error for a term whose rows Spark has distributed over several tasks."""
    return InputError(
        "The rows of a term are not all on one machine, so that they can't be combined",
        hint="Is spark.sql.requireAllClusterKeysForDistribution set? Train without it.",
    )


class TermStatistics(NamedTuple):
    """Some terms and their statistics."""

    terms: list[str]
    doc_freq: Ints
    """The number of documents that contain each term, also with a weight of 0."""
    stats: ClassStats
    """The statistics of these terms; columns are in the order of `terms`."""

    def sorted(self) -> TermStatistics:
        """Return the terms in alphabetical order, and their statistics in the same order."""
        order = alphabetical_order(self.terms)
        terms = [self.terms[position] for position in order.tolist()]
        return TermStatistics(terms, self.doc_freq[order], self.stats.take(order))


@dataclass(frozen=True)
class CorpusTotals:
    """The classes, the number of documents of each, and the number of all documents.

    A `ClassStats` needs them beside the rows of the table.
    """

    classes: tuple[Any, ...]
    class_docs: tuple[int, ...]
    n_documents: int

    @classmethod
    def of(cls, sizes: ClassSizes) -> CorpusTotals:
        """Return the totals from the sizes of the classes."""
        return cls(sizes.classes, tuple(sizes.class_docs.tolist()), sizes.n_documents)

    def without_terms(self) -> ClassStats:
        """Return the statistics of the documents, as if they had no terms."""
        empty = tables.empty(0)
        class_docs = np.array(self.class_docs, np.int64)
        cells = empty.cells._replace(class_starts=np.zeros(len(self.classes) + 1, np.int64))
        return ClassStats(Table(self.classes, self.n_documents, 0, class_docs, empty.totals, cells))

    def terms_of(self, rows: pa.RecordBatch | pa.Table) -> TermStatistics:
        """Return the terms of some rows of the table, and their statistics.

        In the rows, the values of the cells are sorted by term and then by class, but in a `ClassStats` by class and
        then by term.
        """
        columns = {name: _one_array(rows.column(name)) for name in rows.schema.names}
        class_lists = columns["classes"]
        n_terms = len(class_lists)
        cell_terms = np.repeat(np.arange(n_terms), np.diff(class_lists.offsets.to_numpy()))
        cell_classes = _list_values(class_lists)
        order = np.lexsort((cell_terms, cell_classes))
        class_starts = np.searchsorted(cell_classes[order], np.arange(len(self.classes) + 1))
        doc_freq, sums, rests = (
            _list_values(columns[name])[order] for name in ("class_documents", "class_sums", "class_rests")
        )
        cells = Cells(class_starts, cell_terms[order], doc_freq, Sums(sums, rests))
        n_weighted = columns["weighted"].to_numpy()
        filled = np.flatnonzero(n_weighted)  # a `ClassStats` has totals only for terms with a nonzero weight
        totals = Totals(filled, n_weighted[filled], *(_sums(columns, name).at(filled) for name in ("sum", "squares")))
        class_docs = np.array(self.class_docs, np.int64)
        table = Table(self.classes, self.n_documents, n_terms, class_docs, totals, cells)
        return TermStatistics(columns["term"].to_pylist(), columns["documents"].to_numpy(), ClassStats(table))


def _one_array(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return a column of a batch or a table as one array."""
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _list_values(lists: pa.Array) -> Any:
    """Return the values of all lists as one array, one list after the other."""
    return lists.flatten().to_numpy(zero_copy_only=False)


def _sums(columns: dict[str, pa.Array], name: str) -> Sums:
    """Return the sums of a column `name` with their rounding errors, which are in the column `name`_rest."""
    value: Floats = columns[name].to_numpy()
    rest: Floats = columns[f"{name}_rest"].to_numpy()
    return Sums(value, rest)


def collect_terms(rows: DataFrame, totals: CorpusTotals) -> TermStatistics:
    """Collect the rows of some terms on the driver, in alphabetical order."""
    return totals.terms_of(rows.toArrow()).sorted()


class SparkStats(NamedTuple):
    """The statistics of the documents of a DataFrame.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> from textsieve.spark import stats
    >>> spark = SparkSession.builder.getOrCreate()
    >>> rows = [("the striker", "sport"), ("a late goal", "sport"), ("the vote failed", "law"), ("a new law", "law")]
    >>> df = spark.createDataFrame(rows, ["text", "label"])
    >>> statistics = stats(df)
    >>> statistics.classes, statistics.class_docs
    (('law', 'sport'), (2, 2))
    """

    table: DataFrame
    """One row for each term: its document frequency, its sums, and arrays with its values in each class (by number)."""
    classes: tuple[Any, ...]
    class_docs: tuple[int, ...]
    n_documents: int

    def to_local(self) -> tuple[list[str], ClassStats]:
        """Return the terms in alphabetical order and their `ClassStats`; both must fit into the driver's memory."""
        with reraise_own_errors():
            totals = CorpusTotals(self.classes, self.class_docs, self.n_documents)
            terms, _, statistics = collect_terms(self.table, totals)
        return terms, statistics


def stats(df: DataFrame, text: TextColumns = "text", label: str | None = "label", **reading: Any) -> SparkStats:
    """Return the statistics of the counts of all terms, by class.

    `reading` has settings of a `TermCounter`, but not `min_df`, `max_df` and `max_features`. Without a label column
    (None), there are only totals. Only the classes and their sizes come to the driver; the table is computed when it is
    read, and each time again unless it is persisted (`stats(df).table.persist()`).

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> from textsieve.spark import stats
    >>> spark = SparkSession.builder.getOrCreate()
    >>> rows = [("the striker", "sport"), ("a late goal", "sport"), ("the vote failed", "law"), ("a new law", "law")]
    >>> df = spark.createDataFrame(rows, ["text", "label"])
    >>> sorted((row.term, row.documents) for row in stats(df).table.filter("documents > 1").collect())
    [('the', 2)]
    """
    given_limits = [f"{name}={shown(reading[name])}" for name in NO_LIMITS if name in reading]
    if given_limits:
        problem = f"{', '.join(given_limits)}: the table has all terms"
        raise InputError(problem, hint="filter it, as by table.filter('documents >= 5')")
    settings = TermCounter(**reading).get_params()
    TermCounter(**settings).validated_reading()  # raises an error for invalid settings
    counter_settings = {name: value for name, value in settings.items() if name not in ("n_jobs", "dtype")}
    documents = select_documents(df, text, label)
    with reraise_own_errors():
        sizes = (
            count_classes(documents, multilabel=None)
            if label is not None
            else ClassSizes((), np.zeros(0, np.int64), documents.count(), n_unlabelled=0, multilabel=False)
        )
    count = CountClasses(ChunkReader(counter_settings), list(sizes.classes))
    rows = map_batches(documents, count, CELL_SCHEMA)
    return SparkStats(add_up_rows(rows), sizes.classes, tuple(sizes.class_docs.tolist()), sizes.n_documents)
