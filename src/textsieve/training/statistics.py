"""The statistics to which `update` adds documents, so that a model learns them as if it had been trained on all.

An update keeps the terms and the idf. Then what some classifiers learn depends only on statistics of the documents'
weights. These can be added in any order and in any parts, exact to the last bit:

- *naive Bayes and Rocchio*: `ClassStats` of the weights of the selected terms (`classifiers.from_stats`);
- *TCFP without context*: the distinct weights of each term, and how many documents of each class have each weight
  (`classifiers.vote_table`);
- *the fallback class*: the number of documents of each class without a selected term (`fallback`).

All other classifiers learn from the documents themselves, which a model does not keep, and must be trained again.

The statistics also contain digests of the documents that updates added (see `corrections`), so that a growing file
can be added every day without learning the same documents twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
from scipy.sparse import csr_array, csr_matrix, vstack
from sklearn.base import clone

from ..arrays import CSR, Floats, Ints
from ..categorizer_settings import ObjectDescription, Settings
from ..classifiers.from_stats import stats_of
from ..classifiers.scorer import Scorer
from ..classifiers.tcfp import TCFP
from ..classifiers.vote_table import VoteTable, merge, require_weights, vote_table
from ..errors import InputError, Setting, shown
from ..prediction import Model
from ..registry import CLASSIFIERS, SELECTORS, list_classifiers
from ..settings import n_threads
from ..stats import ClassStats
from ..stats.labels import label_pairs
from ..stats.weights import LARGEST_COUNT
from .provenance import settings_as_json
from .targets import ClassSizes, Targets

if TYPE_CHECKING:
    from .plan import TrainingPlan


AnyTable = TypeVar("AnyTable", ClassStats, VoteTable)


@dataclass(frozen=True)
class _TableStatistics(Generic[AnyTable]):
    """The base class of statistics that consist of one table, in which classes are numbers."""

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
class ClassSums(_TableStatistics[ClassStats]):
    """The statistics from which naive Bayes and Rocchio learn."""

    @classmethod
    def of(
        cls, plan: TrainingPlan, batches: Iterable[csr_matrix], is_member: csr_array, weights: Floats | None = None
    ) -> ClassSums:
        """Return the statistics of documents, given their weights in batches (documents x terms).

        `is_member` is the indicator matrix (documents x classes), and `weights` has the sample weights.
        """
        return cls(stats_of(plan.classifier, batches, is_member, weights))

    def merged(self, other: ClassSums | ClassVotes) -> ClassSums:
        """Return the statistics of the documents of both."""
        if not isinstance(other, ClassSums):
            raise TypeError("statistics of different classifiers do not add up")
        return ClassSums(self.table + other.table)

    def scorer(self, plan: TrainingPlan, sizes: ClassSizes) -> Scorer:
        """Train the classifier of the plan on the statistics."""
        return plan.fit_class_stats(self.table, sizes)


@dataclass(frozen=True)
class ClassVotes(_TableStatistics[VoteTable]):
    """The statistics from which TCFP without context learns."""

    @classmethod
    def of(
        cls, plan: TrainingPlan, batches: Iterable[csr_matrix], is_member: csr_array, weights: Floats | None = None
    ) -> ClassVotes:
        """Return the statistics of documents, given their weights in batches (documents x terms).

        `is_member` is the indicator matrix (documents x classes). All batches are stacked in memory first, which is
        acceptable because the table is about as large as they are.
        """
        if weights is not None:  # `TrainingPlan.require_weights` has already rejected sample weights
            raise TypeError("documents that vote have no weights")
        rows = CSR.of(csr_matrix(vstack(list(batches), "csr")))
        require_weights(rows.data, estimator_name="TCFP")
        return cls(vote_table(rows, label_pairs(is_member, rows.n_rows), n_threads(plan.n_jobs)))

    def merged(self, other: ClassSums | ClassVotes) -> ClassVotes:
        """Return the statistics of the documents of both."""
        if not isinstance(other, ClassVotes):
            raise TypeError("statistics of different classifiers do not add up")
        return ClassVotes(merge(self.table, other.table))

    def scorer(self, plan: TrainingPlan, sizes: ClassSizes) -> Scorer:
        """Return the scorer that the plan's TCFP has after fitting: a table of votes is all that it learns."""
        classifier: TCFP = clone(plan.classifier)
        classifier.table_ = self.table
        return classifier.to_scorer()


def statistics_type(plan: TrainingPlan) -> type[ClassSums] | type[ClassVotes] | None:
    """Return the type of statistics from which a classifier learns, or None if it learns from documents themselves."""
    if plan.learns_from_stats:
        return ClassSums
    is_voting = plan.traits.statistics == "votes"
    return ClassVotes if is_voting and plan.projection is None and plan.class_weight is None else None


def require_updatable(settings: Settings, plan: TrainingPlan) -> None:
    """Raise `InputError` if `keep_stats` is set and a model with these settings could not be updated.

    The classifier must learn from statistics, and the model file must be able to store all its options, because an
    update creates the classifier again.
    """
    if not settings.keep_stats:
        return
    _require_statistics(settings, plan)
    if settings.keeps_all_terms:
        _require_statistics_alone(settings, plan)
    _require_storable_options(settings)


def _require_statistics(settings: Settings, plan: TrainingPlan) -> None:
    """Raise `InputError` if the classifier, with these settings, does not learn from statistics."""
    name = settings.classifier
    if isinstance(name, str) and statistics_type(plan) is not None:
        return
    # If only the class weights keep the classifier from learning from statistics, the error names them.
    would_learn_unweighted = statistics_type(replace(plan, class_weight=None)) is not None
    if isinstance(name, str) and would_learn_unweighted:
        classifiers = list_classifiers(lambda traits: traits.statistics and traits.takes_class_weight)
        raise InputError(
            (
                Setting("keep_stats", settings.keep_stats),
                " with ",
                Setting("class_weight", settings.class_weight),
                f": the classifier {shown(name)} has no class weights",
            ),
            hint=f"use {classifiers}, or leave the weights out",
        )
    # For tcfp, an option (`context`) decides whether it learns from statistics.
    options_text = f" with {shown(settings.classifier_options)}" if name == "tcfp" else ""
    projection_text = "" if plan.projection is None else f" on the projection {shown(settings.projection)}"
    raise InputError(
        f"the classifier {shown(name)}{options_text}{projection_text} learns from the documents themselves, so an "
        "update could not add others",
        setting="keep_stats",
        value=settings.keep_stats,
        hint=(
            f"use one of {', '.join(_classifiers_for(settings))}, by name, or leave ",
            Setting("keep_stats"),
            " out and train again when there are new documents",
        ),
    )


def _require_storable_options(settings: Settings) -> None:
    """Raise `InputError` for options of the classifier that a model file can't store.

    An update creates the classifier again; with the statistics of all terms, also the selector.
    """
    stored = settings_as_json(settings.as_dict())
    for method in ("classifier", "selector") if settings.keeps_all_terms else ("classifier",):
        for option, value in (stored[f"{method}_options"] or {}).items():
            if isinstance(value, ObjectDescription):
                raise InputError(
                    f"a model file can't store the {method}'s option {option}={value}, and an update needs it again",
                    setting="keep_stats",
                    value=settings.keep_stats,
                    hint="use a number, a text or a list",
                )


def _classifiers_for(settings: Settings) -> list[str]:
    """Return the classifiers with which the setting `keep_stats` is allowed."""
    kinds = ("sums",) if settings.keeps_all_terms else ("sums", "votes")
    return [name for name, row in CLASSIFIERS.items() if row.traits.statistics in kinds]


def _require_statistics_alone(settings: Settings, plan: TrainingPlan) -> None:
    """Raise `InputError` for settings with which a model can't be trained from the statistics of all terms alone."""
    if statistics_type(plan) is not ClassSums:
        raise InputError(
            f"the classifier {shown(settings.classifier)} learns from single weights, of which there are too many for "
            "all terms",
            setting="keep_stats",
            value=settings.keep_stats,
            hint=(f"use one of {', '.join(_classifiers_for(settings))}, or ", Setting("keep_stats", True)),
        )
    by_name = [name for name in SELECTORS if name not in DOCUMENT_SELECTORS]
    if not (settings.selector is None or settings.selector in by_name):
        reason = "needs the documents for it" if isinstance(settings.selector, str) else "can't be stored for it"
        raise InputError(
            ("an update selects terms anew, and ", Setting("selector", settings.selector), f" {reason}"),
            setting="keep_stats",
            value=settings.keep_stats,
            hint=f"use one of the selectors {', '.join(by_name)}, by name",
        )
    if settings.n_terms == "auto":
        raise InputError(
            (Setting("n_terms", "auto"), " is tuned on documents, which an update does not have"),
            setting="keep_stats",
            value=settings.keep_stats,
            hint="use a number or a share of terms, or leave it out",
        )


DOCUMENT_SELECTORS = ("forward", "weights")
"""The selectors that need the documents themselves, and not only statistics."""


def require_integer_counts(targets: Targets) -> None:
    """Raise `InputError` if sample weights are not integers, or if their sum is too large for statistics to keep."""
    if targets.count_type is np.int64:
        return
    assert targets.weights is not None
    if (targets.weights == np.floor(targets.weights)).all():  # integers, but their sum is too large
        raise InputError(
            f"sample_weight has the sum {targets.weights.sum():g}",
            hint=(
                "with ",
                Setting("keep_stats"),
                f" the sum is at most {LARGEST_COUNT:,}. Divide the weights by a common factor, or leave ",
                Setting("keep_stats"),
                " out",
            ),
        )
    raise InputError(
        ("sample_weight with ", Setting("keep_stats"), ": the statistics that are kept count documents"),
        hint=("use whole numbers as weights, or leave ", Setting("keep_stats"), " out"),
    )


@dataclass(frozen=True, eq=False)
class Statistics:
    """The statistics of the weights of the selected terms in all documents that a model has learned from."""

    learned: ClassSums | ClassVotes
    """The statistics from which the classifier learns."""
    docs_without_terms: Ints
    """The number of documents of each class without a selected term."""
    n_documents: int
    n_unlabelled: int
    """The number of documents without a label, from which nothing was learned."""
    added_digests: frozenset[bytes] = frozenset()
    """Digests of the documents that updates added, which are not learned again; see `corrections`."""

    @classmethod
    def of(
        cls, plan: TrainingPlan, batches: Iterable[csr_matrix], targets: Targets, docs_without_terms: Callable[[], Ints]
    ) -> Statistics:
        """Return the statistics of documents, whose labels are `targets`.

        `batches` have the weights (documents x terms) of those documents that a classifier can learn from
        (`Targets.usable`). `docs_without_terms` returns the number of documents of each class without a selected term.
        It is called after the last batch has been read, because reading the batches may count these documents.
        """
        table_type = statistics_type(plan)
        if table_type is None:
            raise TypeError(f"{type(plan.classifier).__name__} learns from documents")
        require_integer_counts(targets)
        usable = targets.take(np.flatnonzero(targets.usable))
        sizes = targets.sizes
        learned = table_type.of(plan, batches, usable.indicator(), usable.weights)
        return cls(learned, docs_without_terms(), int(sizes.n_documents), int(sizes.n_unlabelled))

    @property
    def class_docs(self) -> Ints:
        """Return the number of documents of each class."""
        return self.learned.class_docs

    def sizes(self, model: Model) -> ClassSizes:
        """Return the sizes of the model's classes."""
        return ClassSizes(
            *(model.classes, self.class_docs, self.n_documents, self.n_unlabelled),
            multilabel=model.multilabel,
            has_label_matrix=model.has_label_matrix,
        )

    def merged(self, other: Statistics) -> Statistics:
        """Return the statistics of the documents of both; raise `InputError` if there are too many to count."""
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
