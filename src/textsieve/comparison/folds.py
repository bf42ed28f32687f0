"""Statistics and rankings that all conditions of a fold share.

Statistics are computed once per weighting, and a ranking once per selector, for the largest requested number of terms:
smaller numbers take its first terms. Only a selector whose terms depend on the number (`depends_on_k`) is
fitted anew for each number. With multilabel documents, thresholds are fitted on held-out documents inside the fold;
these inner folds are shared in the same way.

Times are those of the work itself, recorded when it was done, so that each row shows what it would cost alone.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ..arrays import Ints
from ..errors import InputError, NothingSelected, UnfitDocuments, shown
from ..evaluation import folds as folds_of
from ..stats import ClassStats
from ..text.schemes import Scheme
from ..training.counted_documents import CountedDocuments, columns_in_order
from ..training.plan import SelectedTerms, TrainingPlan
from ..training.targets import Targets
from ..training.tuning import FoldSplit, of_some_documents, parted
from .documents import ComparisonDocuments
from .rankings import DESCRIBED_FOLD, Described, described

T = TypeVar("T")


class Timed(NamedTuple, Generic[T]):
    """A result, and the seconds that it took."""

    made: T
    seconds: float


def timed(make: Callable[[], T]) -> Timed[T]:
    """Call a function, and return its result with the elapsed seconds."""
    begin = time.perf_counter()
    result = make()
    return Timed(result, time.perf_counter() - begin)


class RankingRequest(NamedTuple):
    """The selector and the number of terms that a condition requests."""

    selector: str
    training: TrainingPlan
    limit: int | None
    """Maximum number of terms."""
    most: int | None
    """The largest number of terms that a condition of this selector requests."""

    @property
    def key(self) -> tuple[str, int | None]:
        """Return the key under which the ranking is shared: the selector, and the number of terms that it ranks."""
        return self.selector, self.limit if self.training.ranks_each_size else self.most


class FoldCache:
    """Training and test documents, with cached statistics and rankings of the training documents."""

    def __init__(
        self, train: CountedDocuments, test: CountedDocuments, test_places: Ints, *, describes: bool = False
    ) -> None:
        self.train, self.test, self.test_places, self._describes = train, test, test_places, describes
        self._stats: dict[Scheme, Timed[ClassStats]] = {}
        self._ranked: dict[tuple[str, int | None], Timed[SelectedTerms] | InputError] = {}
        self._described: dict[tuple[str, int | None], Described] = {}
        self._inner: list[FoldCache] | None = None

    @property
    def n_seen(self) -> int:
        """Return the number of terms to select from."""
        return len(self.train.columns_within_limits)

    def chosen(self, wanted: RankingRequest) -> Timed[SelectedTerms]:
        """Return the columns of the selected terms, the best first."""
        if wanted.key not in self._ranked:
            self._ranked[wanted.key] = self._rank_or_why_not(wanted)
        ranking = self._ranked[wanted.key]
        if isinstance(ranking, InputError):
            raise ranking
        terms, seconds = ranking
        return Timed(terms._replace(columns=terms.columns[: wanted.limit]), seconds)

    def described(self, wanted: RankingRequest) -> Described | None:
        """Return the description of a cached ranking, or None if this fold does not describe rankings."""
        return self._described.get(wanted.key)

    def _rank_or_why_not(self, wanted: RankingRequest) -> Timed[SelectedTerms] | InputError:
        """Return the ranking, or the error if no term can be selected, which is cached too.

        The number of terms is removed from the error message, since it is that of the shared ranking and not of a row.
        """
        try:
            return self._rank(wanted)
        except (NothingSelected, UnfitDocuments) as problem:
            return type(problem)(re.sub(rf"(?<=\()k={wanted.key[1]}(, )?", "", str(problem)))

    def _rank(self, wanted: RankingRequest) -> Timed[SelectedTerms]:
        (_, most), training = wanted.key, wanted.training
        stats, before = self._stats_of(training.selection)
        with of_some_documents():
            documents = partial(_documents, self.train, training.selection)
            fitted, fitting = timed(lambda: training.fit_selector(stats, most, documents))
            kept, keeping = timed(lambda: training.kept_by(fitted, most))
        columns = self.train.columns_within_limits[kept.columns]
        if self._describes:
            terms = [self.train.terms[column] for column in columns.tolist()]
            self._described[wanted.key] = described(fitted, kept.columns, terms)
        return Timed(kept._replace(columns=columns), before + fitting + keeping)

    def _stats_of(self, scheme: Scheme) -> Timed[ClassStats]:
        if scheme not in self._stats:
            self._stats[scheme] = timed(lambda: _statistics(self.train, scheme))
        return self._stats[scheme]

    def split(self, kept: SelectedTerms) -> FoldSplit:
        """Return the training and test counts of the selected terms."""
        train, test = (columns_in_order(part.counts, kept.columns) for part in (self.train, self.test))
        return FoldSplit(train, self.train.targets, test, self.test.targets, kept.columns)

    def inner(self, n_folds: int) -> list[FoldCache]:
        """Return the inner folds: each holds out part of the training documents, as `training.tuning` does."""
        if self._inner is None:
            targets = self.train.targets
            labelled = np.flatnonzero(targets.usable)
            fold_of = np.full(targets.n_documents, -1, np.int64)
            fold_of[labelled] = folds_of(targets.first[labelled].tolist(), n_folds)
            self._inner = [self._holding_out(fold_of == fold) for fold in range(int(fold_of.max()) + 1)]
        return self._inner

    def _holding_out(self, is_test: NDArray[np.bool_]) -> FoldCache:
        return FoldCache(*parted(self.train, is_test), np.flatnonzero(is_test))


@dataclass(frozen=True)
class Fold:
    """One fold of the documents."""

    number: int
    documents: ComparisonDocuments

    @cached_property
    def shared(self) -> FoldCache:
        """Return the data that the conditions share; its classes are those with at least one training document."""
        self.require_classes()
        counted, is_train = self.documents.counted, self.documents.trained[self.number]
        train, test = (counted.take(np.flatnonzero(mask)) for mask in (is_train, self.documents.tested[self.number]))
        train = replace(train, targets=_with_documents(train.targets))
        places = np.flatnonzero(self.documents.tested[self.number])
        return FoldCache(train, test, places, describes=self.number == DESCRIBED_FOLD)

    def require_classes(self) -> None:
        """Raise `InputError` if the training documents have too few classes to learn from; only the labels are used."""
        all_targets = self.documents.counted.targets
        present = [all_targets.classes[number] for number in np.flatnonzero(all_targets.class_docs).tolist()]
        if len(present) == 1 and not all_targets.multilabel:
            raise InputError(
                f"{self.documents.name}: Only one class, {shown(present[0])}, so there is nothing to tell apart; give "
                "documents of at least two classes. In a table, name the column of the labels with label=."
            )
        targets = all_targets.take(np.flatnonzero(self.documents.trained[self.number]))
        if not targets.can_be_learned.any():
            more = ", or fewer folds" if "folds" in self.documents.parts.about["by"] else ""
            raise InputError(
                f"{self.documents.name_of(self.number)}: fewer than two classes have documents to learn from; give "
                f"more documents of each class{more}."
            )

    @cached_property
    def missing(self) -> tuple[object, ...]:
        """Return the classes of test documents that no training document has."""
        targets = self.documents.counted.targets
        known, tested = (
            targets.take(np.flatnonzero(masks[self.number])).class_docs
            for masks in (self.documents.trained, self.documents.tested)
        )
        return tuple(targets.classes[number] for number in np.flatnonzero((known == 0) & (tested > 0)).tolist())


def _statistics(counted: CountedDocuments, scheme: Scheme) -> ClassStats:
    within = counted.within_limits
    stats = ClassStats.from_matrix(within.weights(scheme), within.targets.for_stats())
    return stats.renamed(map(within.targets.name, stats.classes))


def _documents(counted: CountedDocuments, scheme: Scheme) -> list[csr_matrix]:
    """Return the weighted documents from which the statistics were computed."""
    return [counted.within_limits.weights(scheme)]


def _with_documents(targets: Targets) -> Targets:
    """Return the targets without the classes that have no documents."""
    numbers = np.flatnonzero(targets.class_docs).tolist()
    return Targets(
        tuple(targets.classes[number] for number in numbers),
        tuple(targets.members[number] for number in numbers),
        targets.n_documents,
        targets.form,
    )
