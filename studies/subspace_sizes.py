"""Ensembles of random subspaces over a grid of sizes, M terms a member and L members: each size, and the best of them.

All that is asked of a grid is measured at once, see `ensembles.grid`: an ensemble of few members is the first part of
one of many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from textsieve.classifiers import LinearSVM
from textsieve.ensembles import SubspaceGrid, subspace_grid

from .documents import Collection
from .measurements import Measured, Measurement, Scope, Tell, by_attributes
from .preparations import Preparation
from .random_splits import SEED, TEST_SHARE, counts_of, mean_over

C = 100.0
QUICK_MEMBERS = 20
"""In a run of a part no ensemble has more."""


@dataclass(frozen=True)
class Grid:
    """Sizes of ensembles on a collection."""

    collection: Collection
    preparation: Preparation
    n_terms: tuple[int, ...]
    """M; the largest is all terms."""
    n_members: tuple[int, ...]
    repeats: int

    def measured(self, scope: Scope) -> SubspaceGrid:
        """The accuracy of each size on each split."""
        counts, numbers = counts_of(self.collection, scope)
        members = self.n_members if scope.is_full else [min(each, QUICK_MEMBERS) for each in self.n_members]
        return subspace_grid(
            *(counts, numbers),
            n_terms=self.n_terms,
            n_estimators=members,
            estimator=LinearSVM(C=C),
            prepare=self.preparation.pipeline(counts, numbers),
            test_share=TEST_SHARE,
            repeats=scope.some(self.repeats),
            random_state=SEED,
            n_jobs=scope.n_jobs,
        )


@dataclass(frozen=True)
class SubspaceSize(Measurement):
    """What is asked of a grid, of one size or of the best."""

    grid: Grid
    figure: str = "accuracy"
    """A row of `FIGURES`."""
    size: tuple[int, int] = (0, 0)
    """M and L, where the figure is of one size."""

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Measured]]:
        """Measure each grid once."""
        for (grid,), some in by_attributes(wanted, "grid").items():
            tell(f"{grid.collection.corpus}: ensembles of {grid.preparation.weights}")
            found = grid.measured(scope)
            for each in some:
                M, L = each.size
                place = (
                    found.n_terms.index(M) if M else 0,
                    found.n_estimators.index(L if scope.is_full else min(L, QUICK_MEMBERS)) if L else 0,
                )
                yield each, FIGURES[each.figure](found, place)


Cell = tuple[int, int]


def _behind_the_best(grid: SubspaceGrid, cell: Cell) -> Measured:
    best = grid.accuracy[:, *grid.best_cell]
    return mean_over(best - grid.accuracy[:, *cell])


def _several(grid: SubspaceGrid) -> list[Cell]:
    """The sizes of more than one term and member, without the best."""
    return [
        (row, column)
        for row, n_terms in enumerate(grid.n_terms)
        for column, n_members in enumerate(grid.n_estimators)
        if n_terms > 1 and n_members > 1 and (row, column) != grid.best_cell
    ]


def _alike(grid: SubspaceGrid, _: Cell) -> Measured:
    """How many of them the best is not ahead of by more than half an interval."""
    leads = [grid.accuracy[:, *grid.best_cell] - grid.accuracy[:, *cell] for cell in _several(grid)]
    return Measured(float(sum(float(100.0 * lead.mean()) <= (mean_over(lead).half_width or 0.0) for lead in leads)))


def _step(grid: SubspaceGrid, _: Cell) -> Measured:
    """By how many points a size of several terms changes with the next larger number of members, in the mean."""
    several = [row for row, size in enumerate(grid.n_terms) if 1 < size < grid.n]
    steps = np.abs(np.diff(grid.mean[several][:, 1:], axis=1))
    return Measured(float(100.0 * steps.mean())) if steps.size else Measured(None, problem="there is no larger number")


FIGURES: dict[str, Callable[[SubspaceGrid, Cell], Measured]] = {
    "accuracy": lambda grid, cell: mean_over(grid.accuracy[:, *cell]),
    "error": lambda grid, cell: mean_over(1.0 - grid.accuracy[:, *cell]),
    "gain": lambda grid, cell: mean_over(grid.accuracy[:, *cell] - grid.accuracy[:, -1, 0]),
    "best M": lambda grid, _: Measured(float(grid.best.n_terms)),
    "best L": lambda grid, _: Measured(float(grid.best.n_estimators)),
    "best accuracy": lambda grid, _: mean_over(grid.accuracy[:, *grid.best_cell]),
    "behind the best": _behind_the_best,
    "sizes": lambda grid, _: Measured(float(len(_several(grid)))),
    "alike": _alike,
    "step": _step,
}
"""Of a grid, and the row and column of a size. A gain is that over one SVM of all terms."""
