"""Train a classifier on the selected terms: the last pass over the documents.

Weights depend only on the selected terms of a document and on their idf, which is known by now. So each worker computes
the same weights as one machine would, to the last bit (`SelectedTermsReader`). What comes to the driver depends on what
the classifier needs:

- *Naive Bayes and Rocchio* need the sums of the weights in each class. Each worker adds up its part, and a row for each
  selected term and class comes to the driver.
- *TCFP without context* needs votes. A document votes for a term if the term's weight in it is at least the mean of the
  term's weights, and the mean is known only when all documents are read. So the workers count, for each term, in how
  many documents of each class it has each of its weights (`classifiers.vote_table`). All these counts of a term are
  brought to one worker. They are integers, so they add up exactly. This worker computes how the votes of the term are
  shared among the classes, with the same kernel as on one machine.
- *All others* need the documents. The counts of the selected terms come to the driver in the order of the documents.
  Their number is known before, and too many of them raise `InputError`.

The pass also counts the documents, and their counts (nonzero entries) of selected terms. Both numbers are known from
earlier passes. If they differ now, the documents have changed between two passes, and `InputError` is raised, because a
model of them would be meaningless.

In the rows of the first two tasks, `position` is the position of a term among the selected terms. Rows with the
position `NO_TERM` are not about a term, but have these totals of the pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import functions as F
from scipy import sparse
from scipy.sparse import csr_matrix, vstack

from ..arrays import CSR, Floats, Ints
from ..classifiers.linear import LinearScorer
from ..classifiers.vote_table import VoteTable, require_weights, vote_shares, vote_table
from ..errors import InputError, Setting
from ..kernels.feature_projections import Entries
from ..registry import list_classifiers, list_updatable_classifiers
from ..stats import ClassStats
from ..stats.labels import label_pairs
from ..stats.table import Cells, Sums, Table, Totals
from ..text.choices import Scheme
from ..training.counted_documents import weigh_to_matrix
from ..training.fallback import fallback_class
from ..training.plan import FittedClassifier, TrainingPlan
from ..training.sieving import SieveLimits
from ..training.statistics import ClassSums, ClassVotes, Statistics, statistics_type
from ..training.targets import ClassSizes, Targets
from .counting import LIMBS, SQUARES, SUMS, ChunkReader, from_limbs, to_limbs
from .statistics import group_batches, split_rows_error
from .tasks import collect_in_order, map_batches, pack_arrays

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .tasks import Batches


NO_TERM = -1
"""The position in rows with totals of the pass, instead of that of a term."""
DOCUMENTS, VALUES = -1, -2
"""The class in the rows with the number of documents and the number of counts; both are in the column `documents`."""


class PassTotals:
    """Totals of this pass over the documents."""

    def __init__(self, n_classes: int) -> None:
        self.n_documents = 0
        self.n_values = 0  # the number of counts (nonzero entries) of selected terms
        self.docs_without_terms = np.zeros(n_classes, np.int64)  # of each class: documents whose weights are all 0

    def add(self, counts: csr_matrix) -> None:
        """Count documents, labelled or not, and their counts of selected terms (documents x terms)."""
        self.n_documents += int(counts.shape[0])
        self.n_values += int(counts.nnz)

    def add_labelled(self, weights: csr_matrix, indicators: sparse.csr_array) -> None:
        """Count the labelled documents whose weights are all 0, by class."""
        is_zero = np.flatnonzero(CSR.of(weights).is_zero)
        self.docs_without_terms += np.asarray(indicators[is_zero].sum(axis=0), np.int64).ravel()

    def rows(self) -> tuple[Ints, Ints]:
        """Return the totals as rows that Spark adds up: their columns `class` and `documents`.

        The first two rows have `DOCUMENTS` and `VALUES` as class; then there is a row for each class.
        """
        classes = np.array([DOCUMENTS, VALUES, *range(len(self.docs_without_terms))], np.int64)
        return classes, np.array([self.n_documents, self.n_values, *self.docs_without_terms], np.int64)

    @classmethod
    def of_rows(cls, classes: Ints, documents: Ints, n_classes: int) -> PassTotals:
        """Return the totals from rows that Spark added up, given their columns; a row that is missing stands for 0."""
        totals = cls(n_classes)
        documents_of = dict(zip(classes.tolist(), documents.tolist(), strict=True))
        totals.n_documents, totals.n_values = documents_of.get(DOCUMENTS, 0), documents_of.get(VALUES, 0)
        totals.docs_without_terms[:] = [documents_of.get(number, 0) for number in range(n_classes)]
        return totals

    def require(self, sizes: ClassSizes, n_values: int) -> None:
        """Raise `InputError` unless the numbers of documents and of counts (`n_values`) are those of earlier passes."""
        if (self.n_documents, self.n_values) != (sizes.n_documents, n_values):
            raise InputError(
                f"The DataFrame is not the same when it is read again: {self.n_documents:,} documents with "
                f"{self.n_values:,} counts of the selected terms, and before {sizes.n_documents:,} with {n_values:,}",
                hint="Write it to a table first, and train on that.",
            )


@dataclass(frozen=True)
class SelectedTermsReader:
    """Reads documents as counts, or as weights, of the selected terms.

    `terms` are the selected terms, best first, `idf` has the idf of each, and `dtype` is the type of the weights.
    """

    chunk_reader: ChunkReader
    terms: list[str]
    idf: Floats
    scheme: Scheme
    dtype: Any
    classes: list[Any]

    def counts(self, batches: Batches) -> Iterator[tuple[csr_matrix, sparse.csr_array]]:
        """Yield the counts of each chunk (documents x terms), and its indicator matrix (documents x classes)."""
        counter = self.chunk_reader.counter(vocabulary=self.terms)
        classes = pa.array(self.classes)
        for chunk in self.chunk_reader.chunks(batches):
            yield counter.transform(chunk.texts), chunk.indicators(classes)

    def labelled_weights(self, batches: Batches, totals: PassTotals) -> Iterator[tuple[csr_matrix, sparse.csr_array]]:
        """Yield the weights of the labelled documents of each chunk, and their indicator matrix.

        All documents of a chunk are added to `totals`, before its weights are yielded.
        """
        for counts, indicators in self.counts(batches):
            totals.add(counts)
            labelled = np.flatnonzero(np.diff(indicators.indptr))
            weights = weigh_to_matrix(counts[labelled], self.scheme, self.idf, self.dtype)
            totals.add_labelled(weights, indicators[labelled])
            yield weights, indicators[labelled]


# -- sums of classes ---------------------------------------------------------------------------------------------

_ADDED = ("documents", *LIMBS)
"""The columns of `_SUM_SCHEMA` that Spark adds up."""
_SUM_SCHEMA = "position int, class int, " + ", ".join(f"{name} long" for name in _ADDED)


@dataclass(frozen=True)
class _SumClasses:
    """Task that yields the statistics of the weights in a partition, in rows like those of `counting.py`.

    The last rows of a partition are the totals of the pass.
    """

    reader: SelectedTermsReader

    def __call__(self, batches: Batches) -> Batches:
        n_terms, totals = len(self.reader.terms), PassTotals(len(self.reader.classes))
        stats = ClassStats.zero(n_terms)
        for weights, indicators in self.reader.labelled_weights(batches, totals):
            stats.update(weights, indicators)
        cells, all_terms = stats.cells, np.arange(n_terms)
        yield _sum_rows(cells.terms, cells.classes(), cells.doc_freq, cells.sums)
        yield _sum_rows(all_terms, np.full(n_terms, SUMS), stats.doc_freq, stats.precise_sums)
        # `class_sums` ignores the numbers of documents in these rows.
        yield _sum_rows(all_terms, np.full(n_terms, SQUARES), stats.doc_freq, stats.precise_squares)
        classes, documents = totals.rows()
        yield _sum_rows(np.full(len(classes), NO_TERM), classes, documents, Sums.zeros(len(classes)))


def _sum_rows(positions: Ints, classes: Ints, documents: Ints, sums: Sums) -> pa.RecordBatch:
    """Return rows of `_SUM_SCHEMA`."""
    columns = [positions.astype(np.int32), classes.astype(np.int32), documents, *to_limbs(sums)]
    return pa.record_batch([pa.array(column) for column in columns], names=["position", "class", *_ADDED])


def class_sums(documents: DataFrame, reader: SelectedTermsReader, sizes: ClassSizes) -> tuple[ClassStats, PassTotals]:
    """Return the statistics of the weights of labelled documents, and the totals of this pass.

    In the statistics, the classes have their numbers as labels.
    """
    rows = map_batches(documents, _SumClasses(reader), _SUM_SCHEMA).groupBy("position", "class")
    added = rows.agg(*(F.sum(name).alias(name) for name in _ADDED)).toArrow()
    # Divide the rows, because `DOCUMENTS` and `VALUES`, in place of a class, are the same numbers as `SUMS` and
    # `SQUARES`.
    is_of_term = added["position"].to_numpy() != NO_TERM
    term_rows, total_rows = added.filter(pa.array(is_of_term)), added.filter(pa.array(~is_of_term))
    classes, n_documents = (total_rows[name].to_numpy() for name in ("class", "documents"))
    totals = PassTotals.of_rows(classes, n_documents, len(sizes.classes))
    return _class_stats(term_rows, len(reader.terms), sizes), totals


def _class_stats(rows: pa.Table, n_terms: int, sizes: ClassSizes) -> ClassStats:
    """Return the statistics from the rows of all terms, each the sum of the rows that `_SumClasses` yields for it."""
    positions, classes, n_documents = (
        rows[name].to_numpy().astype(np.int64) for name in ("position", "class", "documents")
    )
    sums, n_classes = from_limbs(tuple(rows[name].to_numpy() for name in LIMBS)), len(sizes.classes)

    def sorted_rows(is_kind: Any) -> Ints:
        """Return the numbers of the rows of one kind (a mask), sorted by class and then by term."""
        kind_rows = np.flatnonzero(is_kind)
        return kind_rows[np.lexsort((positions[kind_rows], classes[kind_rows]))]

    cell_rows, sum_rows, square_rows = map(sorted_rows, (classes >= 0, classes == SUMS, classes == SQUARES))
    # Every term has a row of sums and a row of squares, so both arrays have the terms in the same order. Terms whose
    # weights are all 0 have no totals in a `ClassStats`.
    is_filled = n_documents[sum_rows] > 0
    sum_rows, square_rows = sum_rows[is_filled], square_rows[is_filled]
    totals = Totals(positions[sum_rows], n_documents[sum_rows], sums.at(sum_rows), sums.at(square_rows))
    class_starts = np.searchsorted(classes[cell_rows], np.arange(n_classes + 1))
    cells = Cells(class_starts, positions[cell_rows], n_documents[cell_rows], sums.at(cell_rows))
    n_labelled = sizes.n_documents - sizes.n_unlabelled
    return ClassStats(Table(tuple(range(n_classes)), n_labelled, n_terms, sizes.class_docs, totals, cells))


# -- votes of TCFP -----------------------------------------------------------------------------------------------

_ENTRY_SCHEMA = "position int, weight double, class int, documents long"
"""One row for each term, weight and class: the number of documents of the class in which the term has this weight."""
_VOTE_SCHEMA = "position int, shares binary, class int, documents long"
"""One row for each term, with the shares of its votes as bytes of 32-bit floats, one for each class.

Rows with totals of the pass have no shares. Only they use the columns `class` and `documents`.
"""


@dataclass(frozen=True)
class _CountWeights:
    """Task that counts, for each chunk, in how many documents of each class each term has each weight.

    The last rows of a partition are the totals of the pass.
    """

    reader: SelectedTermsReader

    def __call__(self, batches: Batches) -> Batches:
        totals = PassTotals(len(self.reader.classes))
        for weights, indicators in self.reader.labelled_weights(batches, totals):
            require_weights(weights.data, estimator_name="TCFP")
            pairs = label_pairs(indicators, weights.shape[0])
            # Entries of class -1 are corrections for multilabel documents (see `vote_table`).
            entries = vote_table(CSR.of(weights), pairs, threads=1).entries
            positions = np.repeat(np.arange(weights.shape[1]), np.diff(entries.starts))
            yield _entry_rows(positions, entries.weights, entries.classes, entries.counts)
        classes, documents = totals.rows()  # the first two "classes" are the markers `DOCUMENTS` and `VALUES`
        no_weights = np.zeros(len(classes))
        yield _entry_rows(np.full(len(classes), NO_TERM), no_weights, classes, documents)


def _entry_rows(positions: Ints, weights: Floats, classes: NDArray[np.integer], documents: Ints) -> pa.RecordBatch:
    """Return rows of `_ENTRY_SCHEMA`."""
    columns = [positions.astype(np.int32), weights, classes.astype(np.int32), documents]
    return pa.record_batch([pa.array(column) for column in columns], names=["position", "weight", "class", "documents"])


@dataclass(frozen=True)
class _ShareVotes:
    """Task that computes the shares of the votes of terms from sorted rows of `_ENTRY_SCHEMA`.

    Rows with totals of the pass are passed on. `factors` multiply the votes of each class (see `TCFP.factors`).
    """

    n_classes: int
    factors: Floats

    def __call__(self, batches: Batches) -> Batches:
        for table in group_batches(batches, "position"):
            positions, weights, classes, documents = (table[name].to_numpy() for name in table.schema.names)
            is_term = positions != NO_TERM
            if not is_term.all():
                no_shares = [None] * int((~is_term).sum())
                yield _vote_rows(positions[~is_term], no_shares, classes[~is_term], documents[~is_term])
            # Positions are sorted, so the entries of each term follow each other, and `starts` says where they begin.
            terms, starts = np.unique(positions[is_term], return_index=True)
            entries = Entries(np.append(starts, is_term.sum()), weights[is_term], classes[is_term], documents[is_term])
            # `vote_shares` uses only the number of classes and the entries, so the other two fields can have any value.
            class_numbers = tuple(range(self.n_classes))
            votes = VoteTable(class_numbers, class_docs=np.zeros(0, np.int64), multilabel=False, entries=entries)
            shares = vote_shares(votes, self.factors, threads=1)
            unused = np.zeros(len(terms), np.int64)  # for class and number of documents, which only totals have
            yield _vote_rows(terms, [row.tobytes() for row in shares], unused, unused)


def _vote_rows(positions: Ints, shares: list[bytes] | list[None], classes: Ints, documents: Ints) -> pa.RecordBatch:
    """Return rows of `_VOTE_SCHEMA`."""
    columns = [
        pa.array(positions.astype(np.int32)),
        pa.array(shares, pa.binary()),
        pa.array(classes.astype(np.int32)),
        pa.array(documents),
    ]
    return pa.record_batch(columns, names=["position", "shares", "class", "documents"])


def tcfp_votes(
    documents: DataFrame, reader: SelectedTermsReader, sizes: ClassSizes, factors: Floats
) -> tuple[NDArray[np.float32], PassTotals]:
    """Return the shares of the votes of each selected term (terms x classes), and the totals of this pass."""
    n_classes = len(sizes.classes)
    # Bring all entries of a term to one worker, add up those of the same weight and class, and sort them.
    entries = map_batches(documents, _CountWeights(reader), _ENTRY_SCHEMA).repartition("position")
    added = entries.groupBy("position", "weight", "class").agg(F.sum("documents").alias("documents"))
    sorted_entries = added.sortWithinPartitions("position", "weight", "class")
    rows = map_batches(sorted_entries, _ShareVotes(n_classes, factors), _VOTE_SCHEMA).toArrow()
    positions = rows["position"].to_numpy()
    is_term = positions != NO_TERM
    if len(np.unique(positions[is_term])) < is_term.sum():  # two workers had entries of the same term
        raise split_rows_error()
    votes = np.zeros((len(reader.terms), n_classes), np.float32)
    for position, shares in zip(positions.tolist(), rows["shares"].to_pylist(), strict=True):
        if position != NO_TERM:
            votes[position] = np.frombuffer(shares, np.float32)
    classes, n_documents = (rows[name].to_numpy()[~is_term] for name in ("class", "documents"))
    return votes, PassTotals.of_rows(classes, n_documents, n_classes)


# -- counts of documents -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _PackCounts:
    """Task that yields one row for each chunk: the CSR arrays of its counts and of its indicator matrix."""

    reader: SelectedTermsReader

    def __call__(self, batches: Batches) -> Batches:
        for counts, indicators in self.reader.counts(batches):
            arrays = (counts.indptr, counts.indices, counts.data, indicators.indptr, indicators.indices)
            int32_arrays = (array.astype(np.int32) for array in arrays)
            yield pack_arrays(**dict(zip(_PACKED, int32_arrays, strict=True)))


_PACKED = ("indptr", "indices", "counts", "label_indptr", "label_indices")


def collect_counts(
    documents: DataFrame, reader: SelectedTermsReader, sizes: ClassSizes, n_values: int
) -> tuple[csr_matrix, Targets]:
    """Return the counts of the selected terms in all documents, in the order of the documents, and the labels.

    `n_values` is the number of counts (nonzero entries), from which the size of the result follows.
    """
    schema = ", ".join(f"{name} binary" for name in _PACKED)
    count_parts: list[csr_matrix] = []
    indicator_parts: list[sparse.csr_array] = []
    n_labels = int(sizes.class_docs.sum())
    # All numbers have four bytes: a count and its index, two `indptr` for each document, and an index for each label.
    n_bytes = 8 * (n_values + sizes.n_documents) + 4 * n_labels
    for row in collect_in_order(map_batches(documents, _PackCounts(reader), schema), n_bytes):
        indptr, indices, counts, label_indptr, label_indices = (np.frombuffer(row[name], np.int32) for name in _PACKED)
        n_rows = len(indptr) - 1
        count_part = csr_matrix((counts, indices, indptr), shape=(n_rows, len(reader.terms)))
        count_part.has_canonical_format = True  # sorted indices without duplicates; otherwise scipy would check this
        count_parts.append(count_part)
        label_csr = np.ones(len(label_indices), np.int8), label_indices, label_indptr
        indicator_parts.append(sparse.csr_array(label_csr, shape=(n_rows, len(sizes.classes))))
    return vstack(count_parts, "csr"), build_targets(indicator_parts, sizes)


def build_targets(indicator_parts: list[sparse.csr_array], sizes: ClassSizes) -> Targets:
    """Return the labels of documents, given the parts of their indicator matrix (documents x classes)."""
    by_class = sparse.csc_array(sparse.vstack(indicator_parts, "csr"))  # its indices are documents, class by class
    by_class.sort_indices()
    bounds = by_class.indptr.tolist()
    documents_by_class = tuple(by_class.indices[begin:end].astype(np.int64) for begin, end in pairwise(bounds))
    return Targets(sizes.classes, documents_by_class, int(by_class.shape[0]), multilabel=sizes.multilabel)


# -- training ----------------------------------------------------------------------------------------------------

MAX_VALUES = 1 << 27
"""The largest number of counts that come to the driver by default; they take a gigabyte."""


def fit_classifier(
    documents: DataFrame,
    chunk_reader: ChunkReader,
    plan: TrainingPlan,
    sizes: ClassSizes,
    terms: list[str],
    doc_freq: Ints,
    most_values: int,
    *,
    keep_stats: bool = False,
    sieve: SieveLimits | None = None,
) -> FittedClassifier:
    """Train the classifier on the selected terms; `doc_freq` has their document frequencies.

    Raises `InputError` if the classifier learns from documents, and these have more than `most_values` counts. For
    `keep_stats` and `sieve`, see `TrainingPlan.fit`.
    """
    idf = plan.idf_of(doc_freq, sizes.n_documents)
    n_values = int(doc_freq.sum())  # the number of counts of selected terms in all documents
    reader = SelectedTermsReader(chunk_reader, terms, idf, plan.scheme, plan.dtype, list(sizes.classes))
    if plan.learns_from_stats:  # naive Bayes, Rocchio
        stats, totals = class_sums(documents, reader, sizes)
        totals.require(sizes, n_values)
        statistics = Statistics(ClassSums(stats), totals.docs_without_terms, sizes.n_documents, sizes.n_unlabelled)
        fitted = plan.fit_statistics(statistics, sizes, idf)
        return fitted if keep_stats else fitted._replace(statistics=None)
    classifier = plan.classifier
    if plan.traits.statistics == "votes" and plan.class_weight is None:  # TCFP without context
        votes, totals = tcfp_votes(documents, reader, sizes, classifier.factors(sizes.class_docs))
        totals.require(sizes, n_values)
        scorer = LinearScorer(votes, np.zeros(votes.shape[1]))
        return FittedClassifier(scorer, idf, fallback_class(sizes.class_docs, totals.docs_without_terms))
    require_room(n_values, most_values, classifier)  # all others learn from the documents
    counts, targets = collect_counts(documents, reader, sizes, n_values)
    totals = PassTotals(len(sizes.classes))
    totals.add(counts)
    totals.require(sizes, n_values)
    return plan.fit_counts(counts, targets, terms, sieve)


def require_sums(plan: TrainingPlan) -> None:
    """Raise `InputError` if `keep_stats` asks for statistics that never come to the driver."""
    if statistics_type(plan) is ClassVotes:
        raise InputError(
            "with Spark the weights that TCFP learns from stay on the machines that have the documents",
            setting="keep_stats",
            value=True,
            hint=f"use {list_classifiers(lambda traits: traits.statistics == 'sums')}, or train on one machine",
        )


def require_room(n_values: int, most_values: int, classifier: Any) -> None:
    """Raise `InputError` if the driver would have to hold too many counts."""
    if n_values > most_values:
        raise InputError(
            f"{type(classifier).__name__} learns from the documents themselves, and these have {n_values:,} counts of "
            f"the selected terms, about {8 * n_values >> 20:,} MB, but the driver may hold only {most_values:,}",
            hint=(
                "Use fewer terms (",
                Setting("n_terms"),
                f"), a classifier that learns from sums ({list_updatable_classifiers()}), a sample of the documents, "
                "or raise ",
                Setting("most_values"),
                " if the driver has the memory",
            ),
        )
