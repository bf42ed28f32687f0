"""Statistics and rankings that all conditions of a fold share.

Statistics are computed once per weighting. A ranking is computed once per selector, for the largest requested number of
terms; conditions with fewer terms take the first terms of the ranking. Only a selector whose terms depend on their
number (`depends_on_k`) is fitted anew for each number.

With multilabel documents, thresholds must be fitted on documents that the classifier has not seen. So the training
documents of the fold are divided once more, into *inner folds*, each of which holds out a part of them. The conditions
share statistics and rankings of inner folds, too.

The seconds of shared work are recorded when it is done, and counted in every row that uses its result. So each row
shows what its condition would cost alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from scipy.sparse import csr_matrix

from ..arrays import Ints
from ..errors import InputError, NothingSelected, Setting, UnfitDocuments, shown
from ..evaluation import folds as assign_folds
from ..stats import ClassStats
from ..text.choices import Scheme
from ..training.counted_documents import CountedDocuments, take_columns
from ..training.plan import SelectedTerms, TrainingPlan
from ..training.targets import Targets
from ..training.tuning import FoldSplit, ignore_indistinguishable_classes, split_documents
from .compared_documents import ComparisonDocuments
from .rankings import DESCRIBED_FOLD, RankingDescription, describe_ranking

T = TypeVar("T")


class Timed(NamedTuple, Generic[T]):
    """A result, and the seconds that it took."""

    result: T
    seconds: float


def timed(function: Callable[[], T]) -> Timed[T]:
    """Call a function, and return its result with the elapsed seconds."""
    begin = time.perf_counter()
    result = function()
    return Timed(result, time.perf_counter() - begin)


class RankingRequest(NamedTuple):
    """The selector and the number of terms that a condition requests."""

    selector: str
    """The name of the selector, with its options."""
    training: TrainingPlan
    limit: int
    """The maximum number of terms of the condition."""
    largest_limit: int
    """The largest of these limits over all conditions with this selector."""

    @property
    def ranking_size(self) -> int:
        """Return the number of terms to rank.

        It is the largest limit, so that all conditions with the selector can share the ranking. But a selector whose
        terms depend on their number needs a ranking for each limit.
        """
        return self.limit if self.training.selector.depends_on_k else self.largest_limit

    @property
    def key(self) -> tuple[str, int]:
        """Return the key under which the ranking is cached."""
        return self.selector, self.ranking_size


class FoldCache:
    """Training and test documents, with cached statistics and rankings of the training documents.

    `test_positions` are the positions of the test documents among the documents that were divided: for an inner fold,
    among the training documents of the outer fold; otherwise, among all documents of the comparison. With
    `describe_rankings`, the cache also has a description of each ranking.
    """

    def __init__(
        self, train: CountedDocuments, test: CountedDocuments, test_positions: Ints, *, describe_rankings: bool = False
    ) -> None:
        self.train, self.test, self.test_positions = train, test, test_positions
        self._describe_rankings = describe_rankings
        self._stats: dict[Scheme, Timed[ClassStats]] = {}
        self._rankings: dict[tuple[str, int], Timed[SelectedTerms] | InputError] = {}
        self._descriptions: dict[tuple[str, int], RankingDescription] = {}
        self._inner: list[FoldCache] | None = None

    @property
    def n_seen(self) -> int:
        """Return the number of terms to select from."""
        return len(self.train.columns_within_limits)

    def select(self, request: RankingRequest) -> Timed[SelectedTerms]:
        """Return the columns of the selected terms, the best first, and the seconds of the whole ranking.

        If the selector selects nothing, or can't learn from the documents, its error is cached like a ranking, and
        raised again for each condition.
        """
        if request.key not in self._rankings:
            try:
                self._rankings[request.key] = self._rank(request)
            except (NothingSelected, UnfitDocuments) as problem:
                self._rankings[request.key] = problem.with_traceback(None)
        ranking = self._rankings[request.key]
        if isinstance(ranking, InputError):
            # Raising an error gives it a traceback, which would keep all local variables of the calls in memory as long
            # as the cache. So a copy is raised.
            raise copy(ranking)
        terms, seconds = ranking
        return Timed(terms._replace(columns=terms.columns[: request.limit]), seconds)

    def description(self, request: RankingRequest) -> RankingDescription | None:
        """Return the description of a cached ranking, or None if this fold does not describe rankings."""
        return self._descriptions.get(request.key)

    def _rank(self, request: RankingRequest) -> Timed[SelectedTerms]:
        """Fit the selector, and return the ranked terms as columns of the counts, the best first.

        The seconds include those of the statistics, even if these were cached. If the cache describes rankings, the
        description is stored as well.
        """
        size, training = request.ranking_size, request.training
        stats, stats_seconds = self._stats_of(training.selection_scheme)
        with ignore_indistinguishable_classes():
            weigh_documents = partial(_weigh_documents, self.train, training.selection_scheme)
            labels = self.train.targets.pairs_for_stats()
            no_weights = None  # a comparison has no sample weights
            selector, fit_seconds = timed(
                lambda: training.fit_selector(stats, size, weigh_documents, no_weights, labels)
            )
            selected, selection_seconds = timed(lambda: training.terms_of(selector, size))
        # The selector numbers the terms within the limits of document frequency; the counts have columns for all terms.
        columns = self.train.columns_within_limits[selected.columns]
        if self._describe_rankings:
            terms = self.train.terms.take(columns)
            self._descriptions[request.key] = describe_ranking(selector, selected.columns, terms)
        return Timed(selected._replace(columns=columns), stats_seconds + fit_seconds + selection_seconds)

    def _stats_of(self, scheme: Scheme) -> Timed[ClassStats]:
        """Return the statistics of the training documents with this weighting, and the seconds they took to compute."""
        if scheme not in self._stats:
            self._stats[scheme] = timed(lambda: _compute_statistics(self.train, scheme))
        return self._stats[scheme]

    def split(self, selected: SelectedTerms) -> FoldSplit:
        """Return the training and test counts of the selected terms."""
        train, test = (take_columns(part.counts, selected.columns) for part in (self.train, self.test))
        return FoldSplit(train, self.train.targets, test, self.test.targets, selected.columns)

    def inner(self, n_folds: int) -> list[FoldCache]:
        """Return the inner folds, the same as those on which `training.tuning` fits thresholds.

        The first call makes them, so `n_folds` must be the same in all calls.
        """
        if self._inner is None:
            targets = self.train.targets
            labelled = np.flatnonzero(targets.usable)
            fold_of = np.full(targets.n_documents, -1, np.int64)
            fold_of[labelled] = assign_folds(targets.first_class[labelled].tolist(), n_folds)
            # Unlabelled documents stay in fold -1, which is never held out. With fewer labelled documents than
            # `n_folds`, the last folds would be empty, and are left out.
            masks = [fold_of == fold for fold in range(int(fold_of.max()) + 1)]
            self._inner = [
                FoldCache(*split_documents(self.train, is_test), np.flatnonzero(is_test)) for is_test in masks
            ]
        return self._inner


@dataclass(frozen=True)
class Fold:
    """One fold of the documents."""

    number: int
    documents: ComparisonDocuments

    @cached_property
    def cache(self) -> FoldCache:
        """Return the training and test documents of the fold, with the statistics and rankings that conditions share.

        The classes of the training documents are those that have training documents here; the test documents keep all
        classes of the comparison.
        """
        self.require_classes()
        counted = self.documents.counted
        train, test = (counted.take(positions) for positions in (self._train_positions, self._test_positions))
        train = replace(train, targets=_without_empty_classes(train.targets))
        is_described = self.number == DESCRIBED_FOLD
        return FoldCache(train, test, self._test_positions, describe_rankings=is_described)

    @property
    def _train_positions(self) -> Ints:
        """Return the positions of the training documents among all documents of the comparison."""
        return np.flatnonzero(self.documents.folds.train[self.number])

    @property
    def _test_positions(self) -> Ints:
        """Return the positions of the test documents among all documents of the comparison."""
        return np.flatnonzero(self.documents.folds.test[self.number])

    def require_classes(self) -> None:
        """Raise `InputError` if the training documents have too few classes to learn from.

        This reads only the labels, so all folds can be checked before the first one is prepared.
        """
        all_targets = self.documents.counted.targets
        present_classes = [all_targets.classes[number] for number in np.flatnonzero(all_targets.class_docs).tolist()]
        # A multilabel document need not belong to the only class, so there is something to tell apart.
        if len(present_classes) == 1 and not all_targets.multilabel:
            raise InputError(
                f"only one class, {shown(present_classes[0])}, so there is nothing to tell apart; give documents of at "
                "least two classes",
                place=self.documents.name,
                hint=("In a table, name the label column with ", Setting("label"), "."),
            )
        targets = all_targets.take(self._train_positions)
        if not targets.can_be_learned.any():
            more = ", or fewer folds" if "folds" in self.documents.folds.about["by"] else ""
            raise InputError(
                "fewer than two classes have training documents",
                place=self.documents.training_name(self.number),
                hint=f"give more documents of each class{more}",
            )

    @cached_property
    def missing_classes(self) -> tuple[object, ...]:
        """Return the classes of test documents that no training document has."""
        targets = self.documents.counted.targets
        n_train_docs, n_test_docs = (  # of each class
            targets.take(positions).class_docs for positions in (self._train_positions, self._test_positions)
        )
        return tuple(
            targets.classes[number] for number in np.flatnonzero((n_train_docs == 0) & (n_test_docs > 0)).tolist()
        )


def _compute_statistics(counted: CountedDocuments, scheme: Scheme) -> ClassStats:
    """Return the statistics of the weighted documents, for the terms within the limits of document frequency."""
    within = counted.within_limits
    return ClassStats.from_matrix(within.weights(scheme), within.targets.pairs_for_stats())


def _weigh_documents(counted: CountedDocuments, scheme: Scheme) -> list[csr_matrix]:
    """Return the weighted documents of `_compute_statistics` as a single batch, for selectors that read them again."""
    return [counted.within_limits.weights(scheme)]


def _without_empty_classes(targets: Targets) -> Targets:
    """Return the targets without the classes that have no documents; a comparison has no sample weights to keep."""
    numbers = np.flatnonzero(targets.class_docs).tolist()
    return Targets(
        tuple(targets.classes[number] for number in numbers),
        tuple(targets.members[number] for number in numbers),
        targets.n_documents,
        multilabel=targets.multilabel,
        has_label_matrix=targets.has_label_matrix,
    )
