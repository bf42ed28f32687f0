"""How good random subspaces are for many sizes at a time: a grid over M (terms of a member) and L (members).

The members of an ensemble do not depend on how many there are: member i draws its terms from the seed and i alone. So
one training of the largest L gives all smaller ones on the way (see `combining`), and a whole row of the grid costs no
more than its last cell. At M = n all members are the same one, which is trained once. Which documents are trained on
and which are tested is in `held_out`.

The standard error is that of a mean of independent repetitions. They share documents, so it is too small, if anything.
And the best of many cells is the best on the documents that were tested, in part by luck: measured on others it would
be right less often.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .base import member_classifier, refuse_averages_of_cosines
from .combining import Floats, Said, require_combination, running_decisions
from .grid_axes import axis, default_n_estimators, default_n_terms
from .held_out import Progress, Repetition, Split, checked_documents, random_splits, repetitions, teller

if TYPE_CHECKING:
    import os

    from ..plots import Chart


class Best(NamedTuple):
    """The size with the highest mean accuracy."""

    n_terms: int
    n_estimators: int
    accuracy: float
    standard_error: float


@dataclass(frozen=True, eq=False)
class SubspaceGrid:
    """What was measured over a grid."""

    n_terms: tuple[int, ...]
    """M: the rows of the grid."""
    n_estimators: tuple[int, ...]
    """L: the columns of the grid."""
    accuracy: Floats
    """Of each repetition: repetitions x M x L."""
    n: int
    """How many terms there are in all."""
    combine: str
    splits: tuple[Split, ...]

    @property
    def mean(self) -> Floats:
        """The mean accuracy of the repetitions: M x L."""
        return np.asarray(self.accuracy.mean(axis=0))

    @property
    def standard_error(self) -> Floats:
        """Of the mean; NaN for a single repetition."""
        if len(self.accuracy) == 1:
            return np.full(self.accuracy.shape[1:], np.nan)
        return np.asarray(self.accuracy.std(axis=0, ddof=1) / np.sqrt(len(self.accuracy)))

    @property
    def best(self) -> Best:
        """The best cell; of equal ones that with the fewest terms in all members together, and of these in each."""
        row, column = self.best_cell
        mean, error = self.mean[row, column], self.standard_error[row, column]
        return Best(self.n_terms[row], self.n_estimators[column], float(mean), float(error))

    @property
    def best_cell(self) -> tuple[int, int]:
        """Its row and column."""
        mean = np.round(self.mean, 12)  # equal shares in another order may differ in the last bit
        cells = np.argwhere(mean == mean.max()).tolist()
        return min(
            ((row, column) for row, column in cells),
            key=lambda cell: (self.n_terms[cell[0]] * self.n_estimators[cell[1]], cell),
        )

    def __str__(self) -> str:
        """The mean accuracy as a table, in percent: a row for each M, a column for each L."""
        head = ["M \\ L", *(f"{size:,}" for size in self.n_estimators)]
        rows = [
            [f"{size:,}", *(f"{100 * value:.1f}" for value in values)]
            for size, values in zip(self.n_terms, self.mean.tolist(), strict=True)
        ]
        widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in [head, *rows]]
        return "\n".join([*lines, f"best: {best_in_words(self)}"])

    def plot(self, path: str | os.PathLike[str] | None = None, *, measure: str = "accuracy") -> Chart:
        """Draw the surface, "accuracy" or "error", and write it to a .svg, .png, .html or .json if one is named."""
        from .grid_picture import plot_grid

        return plot_grid(self, path, measure=measure)


def best_in_words(grid: SubspaceGrid) -> str:
    """The best size and its accuracy."""
    best = grid.best
    error = "" if np.isnan(best.standard_error) else f" (standard error {100 * best.standard_error:.1f})"
    return f"M = {best.n_terms:,}, L = {best.n_estimators:,}: {100 * best.accuracy:.1f} % right{error}"


def subspace_grid(
    X: Any,
    y: Any,
    *,
    n_terms: Any = None,
    n_estimators: Any = None,
    estimator: Any = None,
    combine: str = "vote",
    prepare: Any = None,
    test_share: float = 0.2,
    repeats: int = 5,
    random_state: Any = 0,
    n_jobs: int | None = -1,
    progress: Progress | None = None,
) -> SubspaceGrid:
    """Measure the accuracy of random subspaces on held-out documents, for many numbers of terms and of members.

    Parameters
    ----------
    X, y
        Documents as the rows of a (sparse) matrix, and one label for each.
    n_terms, n_estimators
        M and L: numbers, or shares of all terms, in any order. None: tenths of n and of n/5, see `grid_axes`.
    estimator
        What the members are; None is `LinearSVM(C=100)`.
    combine
        "vote" or "mean", as for `RandomSubspace`.
    prepare
        A transformer that is fitted to the training documents of each repetition and applied to its test documents,
        such as a pipeline of `Cascade` and `TermWeighter`; the terms are then those that it gives in the first
        repetition. Where it gives fewer in another one, larger M stand for all of them.
    test_share, repeats, random_state
        This share of the documents is tested, so many times, chosen at random from this seed.
    n_jobs
        Threads; -1 is all cores. The result does not depend on it.
    progress
        Told how many members of all have been trained.
    """
    require_combination(combine)
    refuse_averages_of_cosines(member_classifier(estimator), combine)
    X, y = checked_documents(X, y)
    splits = random_splits(X.shape[0], test_share=test_share, repeats=repeats, random_state=random_state)
    measured: list[list[list[float]]] = []
    for each in repetitions(X, y, splits, estimator=estimator, prepare=prepare, n_jobs=n_jobs):
        if not measured:
            n = each.n
            rows = default_n_terms(n) if n_terms is None else axis("n_terms", n_terms, n, most=n)
            columns = default_n_estimators(n) if n_estimators is None else axis("n_estimators", n_estimators, n)
            tell = teller(progress, len(splits) * len(rows) * columns[-1])
        measured.append([_accuracies(each, size, columns, combine, tell) for size in rows])
    return SubspaceGrid(tuple(rows), tuple(columns), np.array(measured), n, combine, tuple(splits))


def _accuracies(
    documents: Repetition, n_terms: int, sizes: list[int], combine: str, tell: Callable[[int], None]
) -> list[float]:
    """The share of test documents that ensembles of these sizes (ascending) put into their class."""
    said = _told(documents.said(n_terms, sizes[-1]), tell)
    decided = running_decisions(said, sizes, documents.n_tested, documents.class_docs, combine)
    return [float(np.mean(documents.is_right(numbers))) for numbers in decided]


def _told(said: Iterable[Said], tell: Callable[[int], None]) -> Iterator[Said]:
    for each in said:
        tell(1)
        yield each
