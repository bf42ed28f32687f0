"""Train a classifier on the selected terms: the last pass over the documents.

Weights depend only on the selected terms of a document and on their idf, which is known by now. So these are the
weights that one machine would compute, to the last bit (`SelectedTermsReader`). What comes to the driver depends on
what the classifier needs:

- *Naive Bayes and Rocchio* need the sums of the weights in each class. Each worker adds up its part, and a row for each
  selected term and class comes to the driver.
- *TCFP without context* needs votes. A document votes for a term if the term's weight in it is at least the mean, and
  the mean is known only when all documents are. So the weights of each term are brought together: the number of
  documents of each class with each weight, which is an integer and adds up exactly (`classifiers.vote_table`). The
  worker that has all entries of a term computes the shares of its votes, with the same kernel as on one machine.
- *All others* need the documents. The counts of the selected terms come to the driver in the order of the documents, if
  they are not too many; their number is known before.

The pass also counts the documents and their counts (nonzero entries). Both numbers are known before; if they differ
now, the documents changed between two reads, and what was learned from them is meaningless.
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

from ..arrays import Floats, Ints
from ..classifiers.linear import LinearScorer
from ..classifiers.vote_table import VoteTable, require_weights, vote_shares, vote_table
from ..errors import InputError, Setting
from ..kernels.feature_projections import Entries
from ..stats import ClassStats
from ..stats.labels import label_pairs
from ..stats.table import Cells, Sums, Table, Totals
from ..text.csr import CSR
from ..text.schemes import Scheme
from ..training.counted_documents import weighted
from ..training.fallback import class_of_unknown
from ..training.plan import Fitted, TrainingPlan
from ..training.statistics import ClassSums, ClassVotes, Statistics, way_to_learn
from ..training.targets import ClassSizes, Targets
from .counting import LIMBS, SQUARES, SUMS, Reading, from_limbs, to_limbs
from .statistics import group_batches
from .tasks import collect_in_order, map_batches

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .tasks import Batches


NO_TERM = -1
"""Stands for a term in rows about whole documents."""
DOCUMENTS, VALUES = -1, -2
"""Stand for a class in such rows: the number of documents, and the number of counts."""


class PassTotals:
    """The numbers of documents and of counts in this pass, and of documents of each class without a selected term."""

    def __init__(self, n_classes: int) -> None:
        self.n_documents = self.n_values = 0
        self.without = np.zeros(n_classes, np.int64)

    def add(self, counts: csr_matrix) -> None:
        """Add documents, labelled or not."""
        self.n_documents += int(counts.shape[0])
        self.n_values += int(counts.nnz)

    def add_labelled(self, weights: csr_matrix, members: sparse.csr_array) -> None:
        """Count the labelled documents whose weights are all 0, by class."""
        is_zero = np.flatnonzero(CSR.of(weights).is_zero)
        self.without += np.asarray(members[is_zero].sum(axis=0), np.int64).ravel()

    def rows(self) -> tuple[Ints, Ints]:
        """Return the numbers as arrays of classes and of documents, for Spark to add up."""
        classes = np.array([DOCUMENTS, VALUES, *range(len(self.without))], np.int64)
        return classes, np.array([self.n_documents, self.n_values, *self.without], np.int64)

    @classmethod
    def of_rows(cls, classes: Ints, documents: Ints, n_classes: int) -> PassTotals:
        """Return the numbers from rows that Spark added up."""
        seen = cls(n_classes)
        numbers = dict(zip(classes.tolist(), documents.tolist(), strict=True))
        seen.n_documents, seen.n_values = numbers.get(DOCUMENTS, 0), numbers.get(VALUES, 0)
        seen.without[:] = [numbers.get(number, 0) for number in range(n_classes)]
        return seen

    def require(self, sizes: ClassSizes, n_values: int) -> None:
        """Raise `InputError` if the documents are not those that were counted before."""
        if (self.n_documents, self.n_values) != (sizes.n_documents, n_values):
            raise InputError(
                f"The DataFrame is not the same when it is read again: {self.n_documents:,} documents with "
                f"{self.n_values:,} counts of the selected terms, and before {sizes.n_documents:,} with {n_values:,}. "
                "Write it to a table first, and train on that."
            )


@dataclass(frozen=True)
class SelectedTermsReader:
    """The selected terms, best first, and how documents are weighted."""

    reading: Reading
    terms: list[str]
    idf: Floats
    scheme: Scheme
    dtype: Any
    classes: list[Any]

    def counts(self, batches: Batches) -> Iterator[tuple[csr_matrix, sparse.csr_array]]:
        """Yield the counts of each chunk, and its indicator matrix (documents x classes)."""
        counter = self.reading.counter(vocabulary=self.terms)
        classes = pa.array(self.classes)
        for chunk in self.reading.chunks(batches):
            yield counter.transform(chunk.texts), chunk.members(classes)

    def labelled_weights(self, batches: Batches, seen: PassTotals) -> Iterator[tuple[csr_matrix, sparse.csr_array]]:
        """Yield the weights of the labelled documents of each chunk, and their indicator matrix; update `seen`."""
        for counts, members in self.counts(batches):
            seen.add(counts)
            labelled = np.flatnonzero(np.diff(members.indptr))
            rows = weighted(counts[labelled], self.scheme, self.idf, self.dtype)
            seen.add_labelled(rows, members[labelled])
            yield rows, members[labelled]


# -- sums of classes ---------------------------------------------------------------------------------------------

_NUMBERS = ("documents", *LIMBS)
_ROWS = "place int, class int, " + ", ".join(f"{name} long" for name in _NUMBERS)


@dataclass(frozen=True)
class _SumClasses:
    """Task that yields the sums of a partition."""

    reader: SelectedTermsReader

    def __call__(self, batches: Batches) -> Batches:
        n_terms, seen = len(self.reader.terms), PassTotals(len(self.reader.classes))
        stats = ClassStats.zero(n_terms)
        for rows, members in self.reader.labelled_weights(batches, seen):
            stats.update(rows, members)
        cells, all_terms = stats.cells, np.arange(n_terms)
        yield _rows(cells.terms, cells.classes(), cells.doc_freq, cells.sums)
        yield _rows(all_terms, np.full(n_terms, SUMS), stats.doc_freq, stats.sums)
        yield _rows(all_terms, np.full(n_terms, SQUARES), stats.doc_freq, stats.squares)
        classes, documents = seen.rows()
        yield _rows(np.full(len(classes), NO_TERM), classes, documents, Sums.zeros(len(classes)))


def _rows(places: Ints, classes: Ints, documents: Ints, sums: Sums) -> pa.RecordBatch:
    columns = [places.astype(np.int32), classes.astype(np.int32), documents, *to_limbs(sums)]
    return pa.record_batch([pa.array(column) for column in columns], names=["place", "class", *_NUMBERS])


def class_sums(documents: DataFrame, reader: SelectedTermsReader, sizes: ClassSizes) -> tuple[ClassStats, PassTotals]:
    """Return the statistics of the weights of labelled documents, by class number, and the numbers of this pass."""
    rows = map_batches(documents, _SumClasses(reader), _ROWS).groupBy("place", "class")
    added = rows.agg(*(F.sum(name).alias(name) for name in _NUMBERS)).toArrow()
    place, number, n_documents = (added[name].to_numpy().astype(np.int64) for name in ("place", "class", "documents"))
    sums, n_classes = from_limbs(tuple(added[name].to_numpy() for name in LIMBS)), len(sizes.classes)

    def in_order(is_wanted: Any) -> Ints:
        selected = np.flatnonzero(is_wanted & (place != NO_TERM))
        return selected[np.lexsort((place[selected], number[selected]))]

    cells, sum_rows, square_rows = (in_order(wanted) for wanted in (number >= 0, number == SUMS, number == SQUARES))
    filled = n_documents[sum_rows] > 0
    total_rows = sum_rows[filled]
    totals = Totals(place[total_rows], n_documents[total_rows], sums.at(total_rows), sums.at(square_rows[filled]))
    starts = np.searchsorted(number[cells], np.arange(n_classes + 1))
    table = Table(
        *(tuple(range(n_classes)), sizes.n_documents - sizes.n_unlabelled, len(reader.terms), sizes.class_docs),
        *(totals, Cells(starts, place[cells], n_documents[cells], sums.at(cells))),
    )
    document_rows = np.flatnonzero(place == NO_TERM)
    return ClassStats(table), PassTotals.of_rows(number[document_rows], n_documents[document_rows], n_classes)


# -- votes of TCFP -----------------------------------------------------------------------------------------------

_ENTRIES = "place int, weight double, class int, documents long"
_VOTES = "place int, shares binary, class int, documents long"


@dataclass(frozen=True)
class _CountWeights:
    """Task that counts how often each term has each weight in the documents of a chunk."""

    reader: SelectedTermsReader

    def __call__(self, batches: Batches) -> Batches:
        seen = PassTotals(len(self.reader.classes))
        for rows, members in self.reader.labelled_weights(batches, seen):
            require_weights(rows.data, "TCFP")
            entries = vote_table(CSR.of(rows), label_pairs(members, rows.shape[0]), 1).entries
            places = np.repeat(np.arange(rows.shape[1]), np.diff(entries.starts))
            yield _entries(places, entries.weights, entries.classes, entries.counts)
        classes, documents = seen.rows()
        yield _entries(np.full(len(classes), NO_TERM), np.zeros(len(classes)), classes, documents)


def _entries(places: Ints, weights: Floats, classes: NDArray[np.integer], documents: Ints) -> pa.RecordBatch:
    columns = [places.astype(np.int32), weights, classes.astype(np.int32), documents]
    return pa.record_batch([pa.array(column) for column in columns], names=["place", "weight", "class", "documents"])


@dataclass(frozen=True)
class _ShareVotes:
    """Task that computes the votes of terms from sorted entries, and passes on the rows about whole documents."""

    n_classes: int
    factors: Floats

    def __call__(self, batches: Batches) -> Batches:
        for table in group_batches(batches, "place"):
            place, weight, number, documents = (table[name].to_numpy() for name in table.schema.names)
            is_term = place != NO_TERM
            if not is_term.all():
                document_rows = np.flatnonzero(~is_term)
                yield _votes(
                    place[document_rows], [None] * len(document_rows), number[document_rows], documents[document_rows]
                )
            terms, starts = np.unique(place[is_term], return_index=True)
            entries = Entries(np.append(starts, is_term.sum()), weight[is_term], number[is_term], documents[is_term])
            votes = VoteTable(tuple(range(self.n_classes)), np.zeros(0, np.int64), False, entries)
            shares = vote_shares(votes, self.factors, 1)
            nothing = np.zeros(len(terms), np.int64)
            yield _votes(terms, [row.tobytes() for row in shares], nothing, nothing)


def _votes(places: Ints, shares: list[bytes] | list[None], classes: Ints, documents: Ints) -> pa.RecordBatch:
    numbers = [pa.array(values.astype(np.int32)) for values in (places, classes)]
    columns = [numbers[0], pa.array(shares, pa.binary()), numbers[1], pa.array(documents)]
    return pa.record_batch(columns, names=["place", "shares", "class", "documents"])


def tcfp_votes(
    documents: DataFrame, reader: SelectedTermsReader, sizes: ClassSizes, factors: Floats
) -> tuple[NDArray[np.float32], PassTotals]:
    """Return the shares of the votes of each selected term (terms x classes), and the numbers of this pass."""
    n_classes = len(sizes.classes)
    entries = map_batches(documents, _CountWeights(reader), _ENTRIES).repartition("place")
    added = entries.groupBy("place", "weight", "class").agg(F.sum("documents").alias("documents"))
    shared = map_batches(
        added.sortWithinPartitions("place", "weight", "class"), _ShareVotes(n_classes, factors), _VOTES
    )
    votes = np.zeros((len(reader.terms), n_classes), np.float32)
    rows = shared.toArrow()
    is_term = rows["place"].to_numpy() != NO_TERM
    for place, shares in zip(rows["place"].to_pylist(), rows["shares"].to_pylist(), strict=True):
        if place != NO_TERM:
            votes[place] = np.frombuffer(shares, np.float32)
    if len(np.unique(rows["place"].to_numpy()[is_term])) < is_term.sum():
        raise InputError(
            "The weights of a term are not all on one machine, so that its votes can't be shared out. Is "
            "spark.sql.requireAllClusterKeysForDistribution set? Train without it."
        )
    classes, numbers = (rows[name].to_numpy()[~is_term] for name in ("class", "documents"))
    return votes, PassTotals.of_rows(classes, numbers, n_classes)


# -- counts of documents -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _PackCounts:
    """Task that packs the counts of each chunk into one row."""

    reader: SelectedTermsReader

    def __call__(self, batches: Batches) -> Batches:
        for counts, members in self.reader.counts(batches):
            arrays = (counts.indptr, counts.indices, counts.data, members.indptr, members.indices)
            packed = [pa.array([array.astype(np.int32).tobytes()], pa.binary()) for array in arrays]
            yield pa.record_batch(packed, names=_PACKED)


_PACKED = ["starts", "columns", "counts", "label_starts", "labels"]


def collect_counts(
    documents: DataFrame, reader: SelectedTermsReader, sizes: ClassSizes, n_values: int
) -> tuple[csr_matrix, Targets]:
    """Return the counts of the selected terms in all documents, in the order of the documents, and the labels.

    `n_values` is the number of counts.
    """
    schema = ", ".join(f"{name} binary" for name in _PACKED)
    parts: list[csr_matrix] = []
    members: list[sparse.csr_array] = []
    n_labels = int(sizes.class_docs.sum())
    n_bytes = 8 * (n_values + sizes.n_documents) + 4 * n_labels
    for row in collect_in_order(map_batches(documents, _PackCounts(reader), schema), n_bytes):
        starts, columns, counts, label_starts, labels = (np.frombuffer(row[name], np.int32) for name in _PACKED)
        n_rows = len(starts) - 1
        part = csr_matrix((counts, columns, starts), shape=(n_rows, len(reader.terms)))
        part.has_canonical_format = True
        parts.append(part)
        ones = np.ones(len(labels), np.int8)
        members.append(sparse.csr_array((ones, labels, label_starts), shape=(n_rows, len(sizes.classes))))
    return vstack(parts, "csr"), build_targets(members, sizes)


def build_targets(members: list[sparse.csr_array], sizes: ClassSizes) -> Targets:
    """Return the labels of documents, given the parts of their indicator matrix (documents x classes)."""
    by_class = sparse.csc_array(sparse.vstack(members, "csr"))
    by_class.sort_indices()
    bounds = by_class.indptr.tolist()
    documents_by_class = tuple(by_class.indices[begin:end].astype(np.int64) for begin, end in pairwise(bounds))
    return Targets(sizes.classes, documents_by_class, int(by_class.shape[0]), multilabel=sizes.multilabel)


# -- training ----------------------------------------------------------------------------------------------------

MOST_VALUES = 1 << 27
"""Default limit of the counts that come to the driver; they take a gigabyte."""


def fit_classifier(
    documents: DataFrame,
    reading: Reading,
    plan: TrainingPlan,
    sizes: ClassSizes,
    terms: list[str],
    doc_freq: Ints,
    most_values: int,
    *,
    keep_stats: bool = False,
) -> Fitted:
    """Train the classifier on the selected terms; `doc_freq` has their document frequencies."""
    idf, n_values = plan.idf_of(doc_freq, sizes.n_documents), int(doc_freq.sum())
    reader = SelectedTermsReader(reading, terms, idf, plan.scheme, plan.dtype, list(sizes.classes))
    if plan.learns_from_stats:
        stats, seen = class_sums(documents, reader, sizes)
        seen.require(sizes, n_values)
        statistics = Statistics(ClassSums(stats), seen.without, sizes.n_documents, sizes.n_unlabelled)
        fitted = plan.fit_statistics(statistics, sizes, idf)
        return fitted if keep_stats else fitted._replace(statistics=None)
    classifier = plan.classifier
    if plan.traits.statistics == "votes" and plan.class_weight is None:
        votes, seen = tcfp_votes(documents, reader, sizes, classifier.factors(sizes.class_docs))
        seen.require(sizes, n_values)
        scorer = LinearScorer(votes, np.zeros(votes.shape[1]))
        return Fitted(scorer, idf, class_of_unknown(sizes.class_docs, seen.without))
    require_room(n_values, most_values, classifier)
    counts, targets = collect_counts(documents, reader, sizes, n_values)
    seen = PassTotals(len(sizes.classes))
    seen.add(counts)
    seen.require(sizes, n_values)
    return plan.fit_counts(counts, targets)


def require_sums(plan: TrainingPlan) -> None:
    """Raise `InputError` if `keep_stats` asks for statistics that never come to the driver."""
    if way_to_learn(plan) is ClassVotes:
        raise InputError(
            "with Spark the weights that TCFP learns from stay on the machines that have the documents",
            setting="keep_stats",
            value=True,
            hint="use nb, cnb or rocchio, or train on one machine",
        )


def require_room(n_values: int, most_values: int, classifier: Any) -> None:
    """Raise `InputError` if the driver would have to hold too many counts."""
    if n_values > most_values:
        raise InputError(
            f"{type(classifier).__name__} learns from the documents themselves, and these have {n_values:,} counts of "
            f"the selected terms, about {8 * n_values >> 20:,} MB",
            hint=(
                f"the driver is to hold {most_values:,}. Use fewer terms (",
                Setting("n_terms"),
                "), a classifier that learns from sums (nb, cnb, rocchio, tcfp), a sample of the documents, or raise ",
                Setting("most_values"),
                " if the driver has the memory",
            ),
        )
