"""What selectors choose: how many terms, how many two of them share, which terms only one has, how long it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import mean, median
from typing import Any, ClassVar, Literal, Self

from textsieve.comparison.folds import Fold, FoldCache, RankingRequest, timed
from textsieve.comparison.plan import ALL, Condition, Plan, Size
from textsieve.comparison.variants import Variant
from textsieve.errors import NothingSelected
from textsieve.stats import ClassStats
from textsieve.training.plan import SelectedTerms, TrainingPlan

from .documents import Collection
from .measurements import Measured, Measurement, Scope, Tell, by_attributes

REPEATS = 15
"""Times are the median of so many."""

Chooser = Callable[[FoldCache, str, Size], SelectedTerms]


def _planned(
    selectors: Sequence[str], sizes: Sequence[Size], settings: Any, n_jobs: int | None
) -> tuple[Plan, dict[str, Variant]]:
    """A plan of selectors alone, and what each of them is there."""
    plan = Plan.of(list(dict.fromkeys(selectors)), list(dict.fromkeys(sizes)), "svm", dict(settings), n_jobs)
    return plan, dict(zip(dict.fromkeys(selectors), plan.selectors, strict=True))


def chooser(selectors: Sequence[str], sizes: Sequence[Size], settings: Any, n_jobs: int | None) -> Chooser:
    """What gives the terms that a selector keeps of the documents to learn from; a ranking is made once."""
    plan, by_name = _planned(selectors, sizes, settings, n_jobs)

    def choose(shared: FoldCache, selector: str, size: Size) -> SelectedTerms:
        condition = Condition(by_name[selector], size, plan.classifiers[0])
        training = plan.training_plan_of(condition)
        most = [training.most_terms(each, shared.n_seen) or shared.n_seen for each in (*plan.sizes, size)]
        return shared.chosen(
            RankingRequest(selector, training, training.most_terms(size, shared.n_seen), max(most))
        ).made

    return choose


@dataclass(frozen=True)
class TermsKept(Measurement):
    """How many terms a selector keeps; the mean over folds."""

    collection: Collection
    selector: str
    n_terms: Size = ALL

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Measured]]:
        """Rank once for each selector and fold."""
        for (collection,), some in by_attributes(wanted, "collection").items():
            tell(f"{collection.corpus}: numbers of terms")
            names, sizes = [each.selector for each in some], [each.n_terms for each in some]
            folds, choose = _folds(collection, scope), chooser(names, sizes, collection.settings, scope.n_jobs)
            for each in some:
                yield each, Measured(float(mean(_n_kept(choose, fold, each) for fold in folds)))


@dataclass(frozen=True)
class DocumentsCounted(Measurement):
    """How many documents there are to learn from, or to test; the mean over folds."""

    collection: Collection
    part: Literal["trained", "tested"]

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Measured]]:
        """Count a collection once."""
        for (collection,), some in by_attributes(wanted, "collection").items():
            parts = collection.documents(scope).parts
            yield from (
                (each, Measured(float(mean(int(one.sum()) for one in getattr(parts, each.part))))) for each in some
            )


@dataclass(frozen=True)
class TermsShared(Measurement):
    """How many terms two selectors share, of as many that each keeps; the mean over folds."""

    collection: Collection
    selectors: tuple[str, str]
    n_terms: Size

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Measured]]:
        """Rank once for each selector and fold."""
        for (collection,), some in by_attributes(wanted, "collection").items():
            tell(f"{collection.corpus}: terms shared")
            folds, choose = _folds(collection, scope), _chooser(some, collection, scope)
            for each in some:
                shared = []
                for fold in folds:
                    one, other = (set(choose(fold, name, each.n_terms).columns.tolist()) for name in each.selectors)
                    shared.append(len(one & other))
                yield each, Measured(float(mean(shared)))


@dataclass(frozen=True)
class TermsOfOneAlone(Measurement):
    """The terms that a selector keeps and not all of the others do, the best first; of the first fold."""

    collection: Collection
    selector: str
    selectors: tuple[str, ...]
    """All that are compared."""
    n_terms: Size

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Measured]]:
        """Rank once for each selector."""
        for (collection,), some in by_attributes(wanted, "collection").items():
            tell(f"{collection.corpus}: terms of one alone")
            (fold, *_), choose = _folds(collection, scope), _chooser(some, collection, scope)
            for each in some:
                kept = {name: choose(fold, name, each.n_terms).columns.tolist() for name in each.selectors}
                common = set.intersection(*map(set, kept.values()))
                names = [fold.train.terms[column] for column in kept[each.selector] if column not in common]
                yield each, Measured(tuple(names))


@dataclass(frozen=True)
class SelectionSeconds(Measurement):
    """How long a selector takes, from weights (or counts, if it reads counts) to the chosen terms.

    The median of several, on the documents to learn from of the first fold.
    """

    is_of_seconds: ClassVar[bool] = True

    collection: Collection
    selector: str
    n_terms: Size = ALL

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Measured]]:
        """Selectors in turns, so that what else the machine does falls on all of them; the first does not count."""
        for (collection,), some in by_attributes(wanted, "collection").items():
            tell(f"{collection.corpus}: seconds")
            (fold, *_) = _folds(collection, scope)
            work = _work(some, fold, dict(collection.settings), scope.n_jobs)
            turns = [{each: timed(do).seconds for each, do in work.items()} for _ in range(scope.some(REPEATS) + 1)]
            yield from ((each, Measured(median(turn[each] for turn in turns[1:]))) for each in some)


def _n_kept(choose: Chooser, fold: FoldCache, each: TermsKept) -> int:
    """None is a number, too."""
    try:
        return len(choose(fold, each.selector, each.n_terms).columns)
    except NothingSelected:
        return 0


def _work(wanted: Sequence[Any], fold: FoldCache, settings: dict[str, Any], n_jobs: int | None) -> dict[Any, Any]:
    """For each that is wanted, what is to be timed."""
    names, sizes = [each.selector for each in wanted], [each.n_terms for each in wanted]
    plan, by_name = _planned(names, sizes, settings, n_jobs)
    within, weights = fold.train.within_limits, {}
    found = {}
    for each in wanted:
        training = plan.training_plan_of(Condition(by_name[each.selector], each.n_terms, plan.classifiers[0]))
        if training.selection not in weights:
            weights[training.selection] = within.weights(training.selection)
        limit = training.most_terms(each.n_terms, fold.n_seen)
        rows, labels = weights[training.selection], within.targets.for_stats()
        found[each] = partial(_select, training, rows, labels, limit)
    return found


def _select(training: TrainingPlan, rows: Any, labels: Any, limit: int | None) -> None:
    training.rank_stats(ClassStats.from_matrix(rows, labels), limit, lambda: [rows])


def _folds(collection: Collection, scope: Scope) -> list[FoldCache]:
    documents = collection.documents(scope)
    return [Fold(number, documents).shared for number in range(len(documents.tested))]


def _chooser(wanted: Sequence[Any], collection: Collection, scope: Scope) -> Chooser:
    names = [name for each in wanted for name in each.selectors]
    return chooser(names, [each.n_terms for each in wanted], collection.settings, scope.n_jobs)
