"""Statistics that let a model learn more documents later, as if all had been there from the start.

Terms, idf and thresholds are fixed. Then what is learned depends only on statistics that can be added in any order and
in any parts, exact to the last bit:

- *naive Bayes and Rocchio*: `ClassStats` of the weights of the selected terms (`classifiers.from_stats`);
- *TCFP without context*: the weights of each term, and how many documents of each class have them
  (`classifiers.vote_table`);
- *the fallback class*: the number of documents of each class without a selected term (`fallback`).

So a model that is updated part by part equals the model of all parts, for its terms and idf. All other classifiers
learn from the documents themselves, which are not kept, and must be trained again.

For documents that were added later, digests are kept (`document_digests`), so that a growing file can be added every
day without learning the same documents twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
from scipy.sparse import csr_array, csr_matrix, vstack
from sklearn.base import clone

from ..arrays import Floats, Ints
from ..categorizer_settings import Settings
from ..classifiers.from_stats import stats_of
from ..classifiers.scorer import Scorer
from ..classifiers.tcfp import TCFP
from ..classifiers.vote_table import VoteTable, merge, require_weights, vote_table
from ..errors import InputError, Setting, shown
from ..prediction import Model
from ..registry import CLASSIFIERS
from ..settings import n_threads
from ..stats import ClassStats
from ..stats.labels import label_pairs
from ..stats.weights import LARGEST_COUNT
from ..text.csr import CSR
from .provenance import storable
from .targets import ClassSizes, Targets

if TYPE_CHECKING:
    from .plan import TrainingPlan


INCREMENTAL = tuple(name for name, row in CLASSIFIERS.items() if row.traits.statistics is not None)
"""The classifiers whose statistics can be kept."""


AnyTable = TypeVar("AnyTable", ClassStats, VoteTable)


@dataclass(frozen=True)
class _Tabled(Generic[AnyTable]):
    """Statistics that consist of one table."""

    table: AnyTable

    @property
    def class_docs(self) -> Ints:
        """Return the number of documents of each class."""
        return self.table.class_docs

    @property
    def n_terms(self) -> int:
        """Return the number of terms."""
        return self.table.n_terms


@dataclass(frozen=True)
class ClassSums(_Tabled[ClassStats]):
    """The statistics from which naive Bayes and Rocchio learn; classes are numbers."""

    @classmethod
    def of(
        cls, plan: TrainingPlan, batches: Iterable[csr_matrix], is_member: csr_array, weights: Floats | None = None
    ) -> ClassSums:
        """Return the statistics of rows that come in batches; `weights` says how many times each counts."""
        return cls(stats_of(plan.classifier, batches, is_member, weights))

    def merged(self, other: ClassSums | ClassVotes) -> ClassSums:
        """Return the statistics of the documents of both."""
        if not isinstance(other, ClassSums):
            raise TypeError("statistics of different classifiers do not add up")
        return ClassSums(self.table + other.table)

    def scorer(self, plan: TrainingPlan, sizes: ClassSizes) -> Scorer:
        """Train on the statistics."""
        return plan.fit_class_stats(self.table, sizes)


@dataclass(frozen=True)
class ClassVotes(_Tabled[VoteTable]):
    """The statistics from which TCFP without context learns; classes are numbers."""

    @classmethod
    def of(
        cls, plan: TrainingPlan, batches: Iterable[csr_matrix], is_member: csr_array, weights: Floats | None = None
    ) -> ClassVotes:
        """Return the statistics of rows that come in batches, which are stacked first, since the table is about as
        large.
        """
        if weights is not None:
            raise TypeError("documents that vote have no weights")
        rows = CSR.of(csr_matrix(vstack(list(batches), "csr")))
        require_weights(rows.data, "TCFP")
        return cls(vote_table(rows, label_pairs(is_member, rows.n_rows), n_threads(plan.n_jobs)))

    def merged(self, other: ClassSums | ClassVotes) -> ClassVotes:
        """Return the statistics of the documents of both."""
        if not isinstance(other, ClassVotes):
            raise TypeError("statistics of different classifiers do not add up")
        return ClassVotes(merge(self.table, other.table))

    def scorer(self, plan: TrainingPlan, sizes: ClassSizes) -> Scorer:
        """Compute the votes."""
        voting: TCFP = clone(plan.classifier)
        voting.table_ = self.table
        return voting.to_scorer()


def way_to_learn(plan: TrainingPlan) -> type[ClassSums] | type[ClassVotes] | None:
    """Return the kind of statistics for a classifier, or None if it learns from the documents themselves."""
    if plan.learns_from_stats:
        return ClassSums
    has_votes = plan.traits.statistics == "votes" and plan.projection is None and plan.class_weight is None
    return ClassVotes if has_votes else None


def require_incremental(settings: Settings, plan: TrainingPlan) -> None:
    """Raise `InputError` if statistics can't be kept for these settings, or an update could not restore the
    settings.
    """
    name = settings.classifier
    if not settings.keep_stats:
        return
    if isinstance(name, str) and way_to_learn(plan) is None and way_to_learn(replace(plan, class_weight=None)):
        raise InputError(
            (
                Setting("keep_stats", True),
                " with ",
                Setting("class_weight", settings.class_weight),
                f": the classifier {shown(name)} has no class weights",
            ),
            hint="use nb or cnb, or leave the weights out",
        )
    if not isinstance(name, str) or way_to_learn(plan) is None:
        options = f" with {shown(settings.classifier_options)}" if name == "tcfp" else ""
        on = "" if plan.projection is None else f" on the projection {shown(settings.projection)}"
        raise InputError(
            f"the classifier {shown(name)}{options}{on} learns from the documents themselves, so others "
            "can't be added to what it has learned",
            setting="keep_stats",
            value=True,
            hint=(
                f"use one of {', '.join(INCREMENTAL)}, by name, or leave ",
                Setting("keep_stats"),
                " out and train again when there are new documents",
            ),
        )
    given, stored = settings.classifier_options or {}, storable(settings.as_dict())["classifier_options"] or {}
    for option, value in given.items():
        if isinstance(stored[option], str) and not isinstance(value, str):
            raise InputError(
                f"{option}={shown(value)} of the classifier is nothing that a model file keeps, and an update "
                "needs it again",
                setting="keep_stats",
                value=True,
                hint="use a number, a text or a list",
            )


def require_integer_counts(targets: Targets) -> None:
    """Raise `InputError` if sample weights give counts of documents that statistics can't keep as integers."""
    if targets.count_type is np.int64:
        return
    assert targets.weights is not None
    if (targets.weights == np.floor(targets.weights)).all():
        raise InputError(
            f"sample_weight has the sum {targets.weights.sum():g}",
            hint=(
                "with ",
                Setting("keep_stats", True),
                f" the sum is at most {LARGEST_COUNT:,}. Divide the weights by a common factor, or leave ",
                Setting("keep_stats"),
                " out",
            ),
        )
    raise InputError(
        ("sample_weight with ", Setting("keep_stats", True), ": the statistics that are kept count documents"),
        hint=("use whole numbers as weights, or leave ", Setting("keep_stats"), " out"),
    )


@dataclass(frozen=True, eq=False)
class Statistics:
    """The statistics of the weights of the selected terms in all documents that a model has learned from."""

    learned: ClassSums | ClassVotes
    docs_without_terms: Ints
    """Number of documents of each class without a selected term."""
    n_documents: int
    n_unlabelled: int
    """Number of documents without a label, from which nothing was learned."""
    added_digests: frozenset[bytes] = frozenset()
    """Digests of the documents that updates added, which are not learned again; see `document_digests`."""

    @classmethod
    def of(
        cls, plan: TrainingPlan, batches: Iterable[csr_matrix], targets: Targets, without: Callable[[], Ints]
    ) -> Statistics:
        """Return the statistics of rows that can be learned from; `without` is called after them.

        It returns the number of documents of each class without a selected term.
        """
        way = way_to_learn(plan)
        if way is None:
            raise TypeError(f"{type(plan.classifier).__name__} learns from documents")
        require_integer_counts(targets)
        usable = targets.take(np.flatnonzero(targets.usable))
        sizes = targets.sizes
        learned = way.of(plan, batches, usable.indicator(), usable.weights)
        return cls(learned, without(), int(sizes.n_documents), int(sizes.n_unlabelled))

    @property
    def class_docs(self) -> Ints:
        """Return the number of documents of each class."""
        return self.learned.class_docs

    def sizes(self, model: Model) -> ClassSizes:
        """Return the sizes of the model's classes."""
        return ClassSizes(
            *(model.classes, self.class_docs, self.n_documents, self.n_unlabelled),
            multilabel=model.multilabel,
            label_matrix=model.label_matrix,
        )

    def merged(self, other: Statistics) -> Statistics:
        """Return the statistics of the documents of both; raises `InputError` if these are too many to count."""
        n_documents = self.n_documents + other.n_documents
        if n_documents > LARGEST_COUNT:
            raise InputError(
                f"The statistics count {self.n_documents:,} documents, and {other.n_documents:,} more would be "
                f"above the limit of {LARGEST_COUNT:,}",
                hint=("use smaller sample weights, or train again without ", Setting("keep_stats")),
            )
        return Statistics(
            *(self.learned.merged(other.learned), self.docs_without_terms + other.docs_without_terms),
            *(n_documents, self.n_unlabelled + other.n_unlabelled),
            self.added_digests | other.added_digests,
        )
