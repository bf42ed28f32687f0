"""Statistics of all terms, from which an update selects terms anew and trains again (`keep_stats="all"`).

Naive Bayes and Rocchio need only sums of weights by class and term, and most selectors only `ClassStats`. If these are
kept for all terms, and not only for the selected ones, a model can be trained again without its documents. The tables
of different documents can be added. So updates in any parts and any order give the model that training on all documents
gives, to the last bit.

**Collection weights.** Usually, the weight of term t in document d is tf x idf / length. The idf belongs to the term,
and the table itself gives it, so it can be multiplied with the sums afterwards. But the length is that of the selected
terms' weights, with idf. It changes with every update, and a table of sums does not know the lengths of its documents.
So here the weight of a term is tf / length, without idf, where the length is that of all terms of the document. Such a
*collection weight* never changes, so updates only add to its sum over the documents of a class. The classifier learns
from idf times this sum. Since most terms are left out and the others are multiplied by idf, documents no longer have
the length 1; a factor for all weights gives them that length on average (`TrainingPlan.length_factor`). A model still
divides a document to be predicted by the length of its selected terms. docs/research/adaptive-results.md measures what
this costs, in comparison with "usual lengths".

**The fallback class.** Usually, it is the most frequent class among the documents without a selected term (`fallback`).
The table does not know which documents these are, so the most frequent class of all documents is used.

**Forgetting** (`forgetting`). With a half-life, the table is multiplied by a factor before documents are added. Terms
and classes whose documents together weigh less than `LEAST_WEIGHT` are dropped, so that the table does not grow for
ever. With a window, there is one table for each update (`FullStatistics.parts`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, reduce
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from ..arrays import CSR, Counts, Ints
from ..categorizer_settings import Limits
from ..errors import InputError
from ..stats import ClassStats
from ..text.choices import COUNTS, Scheme
from ..text.counter import TermCounter
from ..text.weights import INVERSE_FREQUENCIES
from .counted_documents import (
    CountedDocuments,
    StreamedDocuments,
    columns_within_limits,
    stack_counts,
    take_columns,
    weigh_to_matrix,
)
from .fallback import fallback_class
from .forgetting import Forgetting, moment_of
from .plan import FittedClassifier, TrainingPlan
from .targets import NO_CLASS, ClassSizes, Targets, sorted_classes

LEAST_WEIGHT = 0.01
"""Terms and classes whose documents together weigh less than this are forgotten.

A term of a single document is forgotten after 6.6 half-lives.
"""


@dataclass(frozen=True, eq=False)
class CollectionStats:
    """The statistics of all terms of some documents, in three tables whose columns are the terms."""

    terms: tuple[str, ...]
    """Sorted."""
    labelled: ClassStats
    """The documents with labels; the classes of this table are the labels."""
    of_no_class: ClassStats
    """The documents of none of the classes, as a single class 0. Only a label matrix has such rows of zeros."""
    unlabelled: ClassStats
    """The documents without a label, which only count for the idf, the limits and some selectors."""

    @classmethod
    def zero(cls) -> CollectionStats:
        """Return the statistics of no documents."""
        return cls((), ClassStats.zero(), ClassStats.zero(), ClassStats.zero())

    @classmethod
    def of(cls, terms: Iterable[str], batches: Iterable[csr_matrix], targets: Targets) -> CollectionStats:
        """Return the statistics of documents; `batches` have their collection weights (documents x `terms`)."""
        all_terms = tuple(terms)
        labelled, of_no_class, unlabelled = (ClassStats.zero(len(all_terms)) for _ in range(3))
        is_labelled = targets.first_class >= 0
        is_of_no_class = ~is_labelled & targets.usable
        label_matrix = targets.indicator()
        begin = 0
        for rows in batches:
            numbers = np.arange(begin, begin + rows.shape[0])  # of the documents of the batch
            begin += rows.shape[0]
            for table, mask in ((labelled, is_labelled), (of_no_class, is_of_no_class), (unlabelled, ~targets.usable)):
                documents = numbers[mask[numbers]]
                if not len(documents):
                    continue
                labels: Any = None
                if table is labelled:
                    labels = label_matrix[documents]
                elif table is of_no_class:
                    labels = np.zeros(len(documents), np.int64)  # the class 0
                weights = None if targets.weights is None else targets.weights[documents]
                table.update(rows[documents - numbers[0]], labels, sample_weight=weights)
        if not labelled.n_documents:  # such a table has no classes yet
            labelled = _without_documents(len(targets.classes), len(all_terms))
        return cls(all_terms, labelled.renamed(targets.classes), of_no_class, unlabelled)

    @property
    def tables(self) -> tuple[ClassStats, ClassStats, ClassStats]:
        """Return the three tables."""
        return self.labelled, self.of_no_class, self.unlabelled

    @property
    def classes(self) -> tuple[Any, ...]:
        """Return the classes, sorted."""
        return sorted_classes(self.labelled.classes) if self.labelled.classes else ()

    @property
    def n_documents(self) -> Any:
        """Return the number of documents, labelled or not: a float if a half-life has given them weights."""
        return sum(table.n_documents for table in self.tables)

    @property
    def doc_freq(self) -> Counts:
        """Return the number of documents with each term."""
        return self.labelled.doc_freq + self.of_no_class.doc_freq + self.unlabelled.doc_freq

    def sizes(self, *, multilabel: bool, has_label_matrix: bool) -> ClassSizes:
        """Return the classes and their sizes."""
        return ClassSizes(
            *(self.classes, self.labelled.class_docs, self.n_documents, self.unlabelled.n_documents),
            multilabel=multilabel,
            has_label_matrix=has_label_matrix,
        )

    def merged(self, other: CollectionStats) -> CollectionStats:
        """Return the statistics of the documents of both."""
        terms = self.terms if self.terms == other.terms else tuple(sorted({*self.terms, *other.terms}))
        column_of = {term: column for column, term in enumerate(terms)}
        table_pairs = zip(self._spread(column_of), other._spread(column_of), strict=True)
        return CollectionStats(terms, *(left + right for left, right in table_pairs))

    def with_classes(self, classes: tuple[Any, ...]) -> CollectionStats:
        """Return the same statistics with more classes, which may have no documents."""
        empty = _without_documents(len(classes), len(self.terms)).renamed(classes)
        return replace(self, labelled=self.labelled + empty)

    def _spread(self, column_of: Mapping[str, int]) -> Iterator[ClassStats]:
        """Yield the three tables with a column for each term of a larger vocabulary, which has all terms of these."""
        columns = np.fromiter((column_of[term] for term in self.terms), np.int64, len(self.terms))
        for table in self.tables:
            yield table.spread(columns, len(column_of))

    def decayed(self, factor: float) -> CollectionStats:
        """Return the statistics with the weights of all documents multiplied by a factor of at most 1.

        Terms and classes whose documents then weigh less than `LEAST_WEIGHT` are left out.
        """
        if factor == 1.0:
            return self
        if factor * float(self.n_documents) < LEAST_WEIGHT:
            return CollectionStats.zero()
        decayed = replace(
            self,
            labelled=self.labelled.decayed(factor),
            of_no_class=self.of_no_class.decayed(factor),
            unlabelled=self.unlabelled.decayed(factor),
        )
        columns = np.flatnonzero(decayed.doc_freq >= LEAST_WEIGHT)  # of the terms that are not forgotten
        labelled, of_no_class, unlabelled = (table.take(columns) for table in decayed.tables)
        for label, n_documents in zip(labelled.classes, labelled.class_docs.tolist(), strict=True):
            if n_documents < LEAST_WEIGHT:
                labelled = labelled.without_class(label)
        terms = tuple(self.terms[column] for column in columns.tolist())
        return CollectionStats(terms, labelled, of_no_class, unlabelled)

    # -- what selectors and classifiers learn from ---------------------------------------------------------------

    def for_selection(self, columns: Ints, scheme: Scheme) -> ClassStats:
        """Return the statistics of some terms for a selector that reads weights of this scheme, or counts.

        Documents of none of the classes have a class of their own there (`NO_CLASS`), as in `Targets.for_stats`.
        """
        n_classes = len(self.classes)
        # For the sum, classes are numbers, since labels may not be comparable with the name `NO_CLASS`.
        stats = self.labelled.renamed(range(n_classes)) + self.unlabelled
        names = self.classes
        if self.of_no_class.n_documents:
            stats, names = stats + self.of_no_class.renamed([n_classes]), (*names, NO_CLASS)
        selected = stats.take(columns).renamed(names)
        if scheme == COUNTS:  # such a selector only counts documents
            return selected
        return selected.with_weighted_terms(INVERSE_FREQUENCIES[scheme.idf](selected.doc_freq, self.n_documents))

    def for_classifier(self, columns: Ints) -> ClassStats:
        """Return the statistics of some terms for a classifier, with classes as numbers and without idf."""
        of_no_class = self.of_no_class.without_class(0)  # for a classifier, they are documents without any class
        return (self.labelled.renamed(range(len(self.classes))) + of_no_class).take(columns)


def _without_documents(n_classes: int, n_terms: int) -> ClassStats:
    """Return the statistics of no documents of these numbers of classes and terms."""
    return ClassStats.from_matrix(csr_matrix(np.zeros((0, n_terms), np.float32)), np.zeros((0, n_classes), np.int8))


def collection_of(documents: CountedDocuments | StreamedDocuments, scheme: Scheme) -> CollectionStats:
    """Return the statistics of all terms of counted documents; `scheme` is that of the model."""
    batches = (weigh_collection(counts, scheme) for counts in documents.read_all_terms())
    return CollectionStats.of(documents.sample.terms, batches, documents.targets)


def weigh_collection(counts: csr_matrix, scheme: Scheme) -> csr_matrix:
    """Return the collection weights for the counts of all terms of documents: tf / length, without idf."""
    if not counts.has_sorted_indices:  # the length is a sum, whose rounding depends on the order of its values
        counts = counts.sorted_indices()
    return weigh_to_matrix(counts, scheme._replace(idf="none"), np.ones(0))


class LearnedTerms(NamedTuple):
    """The selected terms of a collection, and the classifier that was trained on them."""

    terms: list[str]
    fitted: FittedClassifier
    n_terms_seen: int
    """The number of terms within the limits."""
    details: dict[str, Any]
    """See `SelectedTerms.details`."""


def learn_collection(
    plan: TrainingPlan, collection: CollectionStats, n_terms: Any, limits: Limits, sizes: ClassSizes
) -> LearnedTerms:
    """Select terms and train the classifier, from statistics alone; `n_terms` and `limits` are settings."""
    doc_freq, n_documents = collection.doc_freq, collection.n_documents
    columns = columns_within_limits(doc_freq, n_documents, limits)
    max_terms = plan.max_terms(n_terms, len(columns), len(sizes.classes))
    stats_for_selection = collection.for_selection(columns, plan.selection_scheme)
    selector = plan.fit_selector(stats_for_selection, max_terms, documents=None, sample_weight=None, labels=None)
    selected = plan.terms_of(selector, max_terms)
    best = columns[selected.columns]
    idf = plan.idf_of(doc_freq[best], n_documents)
    stats = collection.for_classifier(best).with_weighted_terms(idf)
    factor = plan.length_factor(float(stats.n_documents), float(stats.sums.sum()), float(stats.squares.sum()))
    scaled = stats.with_weighted_terms(np.full(len(best), factor))  # all weights are multiplied by the same factor
    scorer = plan.fit_class_stats(scaled, sizes)
    # How many documents of each class have no selected term is not known: with 0 for all, the largest class is taken.
    fallback = fallback_class(sizes.class_docs, np.zeros(len(sizes.class_docs)))
    terms = [collection.terms[column] for column in best.tolist()]
    return LearnedTerms(terms, FittedClassifier(scorer, idf, fallback), len(columns), selected.details)


# -- updates -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class FullStatistics:
    """The statistics of all terms in all documents that a model has learned from."""

    parts: tuple[CollectionStats, ...]
    """The statistics of all documents as one part; or with a window, one part for each update, the oldest first."""
    when: datetime
    """The time of the last update."""
    stop_words: tuple[str, ...] | None = None
    """The stop words if they are the user's own, which a model file need not have; otherwise None."""
    added_digests: frozenset[bytes] = frozenset()
    """See `Statistics.added_digests`."""

    @cached_property
    def collection(self) -> CollectionStats:
        """Return the statistics of all documents that count."""
        return reduce(CollectionStats.merged, self.parts)

    def moment_of_update(self, when: Any, forgetting: Forgetting) -> datetime:
        """Return the time of an update, given as for `moment_of`; by default, now.

        The clock of this machine may be behind the time of the last update. For a half-life in time, that is an error,
        which `updated` raises. Otherwise, the default is then the time of the last update.
        """
        moment = moment_of(when)
        return moment if when is not None or forgetting.needs_time else max(moment, self.when)

    def updated(self, added: CollectionStats, forgetting: Forgetting, when: datetime) -> FullStatistics:
        """Return the statistics after an update with the documents of `added`, at the time `when`.

        Raises `InputError` if that is before the last update.
        """
        if when < self.when:
            raise InputError(
                f"this is before the last update, or the training, at {self.when.isoformat()}",
                setting="when",
                value=when.isoformat(),
                hint="updates come in the order of time",
            )
        if forgetting.window is not None:
            parts = (*self.parts, added)[-forgetting.window :]
        else:
            factor = forgetting.factor((when - self.when).total_seconds(), float(added.n_documents))
            parts = (self.collection.decayed(factor).merged(added),)
        return replace(self, parts=parts, when=when)


class TextCounts:
    """Counts all terms of documents that come in batches."""

    def __init__(self, counter: TermCounter) -> None:
        """Start without documents."""
        self._counter = counter
        self._batches: list[csr_matrix] = []

    def add(self, texts: Iterable[str | bytes]) -> None:
        """Count more documents."""
        self._batches.append(csr_matrix(self._counter.partial_fit_transform(texts)))

    def take(self, documents: Ints | None = None) -> CountedRows:
        """Return the counts of some documents, given by their numbers, or of all; terms become sorted.

        Terms that occur in none of these documents are left out.
        """
        if not self._batches:
            return CountedRows(csr_matrix(np.zeros((0, 0), np.int32)), ())
        order = self._counter.alphabetical()
        counts = stack_counts(self._batches, len(order))
        counts = take_columns(counts if documents is None else counts[documents], order)
        occurring = np.flatnonzero(np.bincount(counts.indices, minlength=len(order)))
        terms = self._counter.terms().take(order[occurring])
        return CountedRows(take_columns(counts, occurring), tuple(terms))


class CountedRows(NamedTuple):
    """The counts of all terms of some documents."""

    counts: csr_matrix
    terms: tuple[str, ...]
    """Sorted."""

    def rows_of(self, terms: Iterable[str]) -> CSR:
        """Return the counts of these terms only, in their order; a term that no document has gets an empty column."""
        column_of = {term: column for column, term in enumerate(self.terms)}
        columns = np.array([column_of.get(term, -1) for term in terms], np.int64)  # -1: no document has the term
        known = np.flatnonzero(columns >= 0)  # the columns of the result that are not empty
        counts = self.counts[:, columns[known]].tocoo()
        shape = (self.counts.shape[0], len(columns))
        return CSR.of(csr_matrix((counts.data, (counts.row, known[counts.col])), shape=shape))
