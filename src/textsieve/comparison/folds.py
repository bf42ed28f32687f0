"""What all conditions share of a fold.

Statistics are made once for each weighting, and a ranking once for each selector, of as many terms as the largest
number that is asked for: fewer are its first ones. Only a selector for which fewer terms are other terms
(`k_changes_the_method`) chooses for each number anew. With several labels a document, thresholds are fitted to
documents that are held out again, inside the fold: these inner folds are shared in the same way.

Seconds are those of the work itself, noted when it was done, so that each row has what it would cost alone.
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

from ..errors import InputError, NothingChosen, UnfitDocuments, shown
from ..evaluation import folds as folds_of
from ..stats import ClassStats
from ..text.schemes import Scheme
from ..training.documents import Counted, columns_in_order
from ..training.recipe import Kept, Recipe
from ..training.targets import Targets
from ..training.tuning import Split, of_some_documents, parted
from .documents import Documents
from .rankings import DESCRIBED_FOLD, Described, described

Ints = NDArray[np.int64]
T = TypeVar("T")


class Timed(NamedTuple, Generic[T]):
    """What was made, and how long that took."""

    made: T
    seconds: float


def timed(make: Callable[[], T]) -> Timed[T]:
    """Make something, and look at the clock."""
    begin = time.perf_counter()
    made = make()
    return Timed(made, time.perf_counter() - begin)


class Wanted(NamedTuple):
    """The terms that a condition asks for."""

    selector: str
    recipe: Recipe
    limit: int | None
    """How many, at the most."""
    most: int | None
    """How many the largest condition of the selector asks for."""

    @property
    def key(self) -> tuple[str, int | None]:
        """What its ranking is shared by: the selector, and for how many terms it ranks."""
        return self.selector, self.limit if self.recipe.ranks_each_size else self.most


class Shared:
    """Documents to learn from and documents to test on, and what was made of the former."""

    def __init__(self, train: Counted, test: Counted, test_places: Ints, *, describes: bool = False) -> None:
        self.train, self.test, self.test_places, self._describes = train, test, test_places, describes
        self._stats: dict[Scheme, Timed[ClassStats]] = {}
        self._ranked: dict[tuple[str, int | None], Timed[Kept] | InputError] = {}
        self._described: dict[tuple[str, int | None], Described] = {}
        self._inner: list[Shared] | None = None

    @property
    def n_seen(self) -> int:
        """How many terms there are to choose from."""
        return len(self.train.columns_within_limits)

    def chosen(self, wanted: Wanted) -> Timed[Kept]:
        """The columns of the terms to keep, the best first."""
        if wanted.key not in self._ranked:
            self._ranked[wanted.key] = self._rank_or_why_not(wanted)
        found = self._ranked[wanted.key]
        if isinstance(found, InputError):
            raise found
        kept, seconds = found
        return Timed(kept._replace(columns=kept.columns[: wanted.limit]), seconds)

    def described(self, wanted: Wanted) -> Described | None:
        """What is known of a ranking that was made, if this is a fold that describes them."""
        return self._described.get(wanted.key)

    def _rank_or_why_not(self, wanted: Wanted) -> Timed[Kept] | InputError:
        """That nothing is found is found out once, too; the limit that it was looked for with is not that of a row."""
        try:
            return self._rank(wanted)
        except (NothingChosen, UnfitDocuments) as problem:
            return type(problem)(re.sub(rf"(?<=\()k={wanted.key[1]}(, )?", "", str(problem)))

    def _rank(self, wanted: Wanted) -> Timed[Kept]:
        (_, most), recipe = wanted.key, wanted.recipe
        stats, before = self._stats_of(recipe.selection)
        with of_some_documents():
            documents = partial(_documents, self.train, recipe.selection)
            fitted, fitting = timed(lambda: recipe.fit_selector(stats, most, documents))
            kept, keeping = timed(lambda: recipe.kept_by(fitted, most))
        columns = self.train.columns_within_limits[kept.columns]
        if self._describes:
            terms = [self.train.terms[column] for column in columns.tolist()]
            self._described[wanted.key] = described(fitted, kept.columns, terms)
        return Timed(kept._replace(columns=columns), before + fitting + keeping)

    def _stats_of(self, scheme: Scheme) -> Timed[ClassStats]:
        if scheme not in self._stats:
            self._stats[scheme] = timed(lambda: _statistics(self.train, scheme))
        return self._stats[scheme]

    def split(self, kept: Kept) -> Split:
        """The counts of chosen terms."""
        train, test = (columns_in_order(part.counts, kept.columns) for part in (self.train, self.test))
        return Split(train, self.train.targets, test, self.test.targets, kept.columns)

    def inner(self, n_folds: int) -> list[Shared]:
        """The documents to learn from, each fold of them held out in turn; as `training.tuning` takes them."""
        if self._inner is None:
            targets = self.train.targets
            labelled = np.flatnonzero(targets.usable)
            fold_of = np.full(targets.n_documents, -1, np.int64)
            fold_of[labelled] = folds_of(targets.first[labelled].tolist(), n_folds)
            self._inner = [self._holding_out(fold_of == fold) for fold in range(int(fold_of.max()) + 1)]
        return self._inner

    def _holding_out(self, is_test: NDArray[np.bool_]) -> Shared:
        return Shared(*parted(self.train, is_test), np.flatnonzero(is_test))


@dataclass(frozen=True)
class Fold:
    """One fold of the documents."""

    number: int
    documents: Documents

    @cached_property
    def shared(self) -> Shared:
        """What its conditions share; a model knows only classes that some document to learn from has."""
        self.require_classes()
        counted, is_train = self.documents.counted, self.documents.trained[self.number]
        train, test = (counted.take(np.flatnonzero(each)) for each in (is_train, self.documents.tested[self.number]))
        train = replace(train, targets=_with_documents(train.targets))
        places = np.flatnonzero(self.documents.tested[self.number])
        return Shared(train, test, places, describes=self.number == DESCRIBED_FOLD)

    def require_classes(self) -> None:
        """Refuse documents from which nothing can be learned; it is told from the labels alone."""
        everybody = self.documents.counted.targets
        present = [everybody.classes[number] for number in np.flatnonzero(everybody.class_docs).tolist()]
        if len(present) == 1 and not everybody.several:
            raise InputError(
                f"{self.documents.name}: Only one class, {shown(present[0])}, so there is nothing to tell apart; give "
                "documents of at least two classes. In a table, name the column of the labels with label=."
            )
        targets = everybody.take(np.flatnonzero(self.documents.trained[self.number]))
        if not targets.can_be_learned.any():
            more = ", or fewer folds" if "folds" in self.documents.parts.about["by"] else ""
            raise InputError(
                f"{self.documents.name_of(self.number)}: fewer than two classes have documents to learn from; give "
                f"more documents of each class{more}."
            )

    @cached_property
    def missing(self) -> tuple[object, ...]:
        """The classes of tested documents that no document to learn from has."""
        targets = self.documents.counted.targets
        known, tested = (
            targets.take(np.flatnonzero(each[self.number])).class_docs
            for each in (self.documents.trained, self.documents.tested)
        )
        return tuple(targets.classes[number] for number in np.flatnonzero((known == 0) & (tested > 0)).tolist())


def _statistics(counted: Counted, scheme: Scheme) -> ClassStats:
    within = counted.within_limits
    stats = ClassStats.from_matrix(within.weights(scheme), within.targets.for_stats())
    return stats.renamed(map(within.targets.name, stats.classes))


def _documents(counted: Counted, scheme: Scheme) -> list[csr_matrix]:
    """What statistics were made of, once more."""
    return [counted.within_limits.weights(scheme)]


def _with_documents(targets: Targets) -> Targets:
    """Without the classes that none of the documents is in."""
    kept = np.flatnonzero(targets.class_docs).tolist()
    return Targets(
        tuple(targets.classes[number] for number in kept),
        tuple(targets.members[number] for number in kept),
        targets.n_documents,
        targets.form,
    )
