"""Measure random subspaces for many sizes at once: a grid over M (terms of a member) and L (members).

The terms of member i depend only on the seed and i, not on the number of members. So the ensemble with the largest L
contains all smaller ones (see `vote_rules`), and a whole row of the grid, which has the ensembles of one M, costs no
more than its last cell. If M is n, the number of all terms, all members are equal, so only one is trained, unless the
classifier or a step of it has a `random_state`. `trial` splits the documents into training and test documents.

The standard error is computed as for independent repetitions. Repetitions share documents, so it is rather too small.
Also, the best of many cells is best on the test documents partly by luck: on other documents its accuracy would be
lower.

By default, M is 1 and the tenths of n, and L is 1 and the tenths of n/5. For n = 5000, M is 1, 500, 1000, ..., 5000 and
L is 1, 100, 200, ..., 1000, as in the paper. The largest L is at least 50, because few terms don't mean that few
members suffice, and at most 1,000, because more would take long to train.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from ..arrays import Floats
from ..errors import InputError, counted
from ..extras import require_extra
from .members import member_classifier, refuse_averages_of_cosines, size_of
from .trial import Progress, RandomSplit, Repetition, progress_reporter, random_splits, repetitions, validate_documents
from .vote_rules import MemberOutput, require_combination, running_decisions

if TYPE_CHECKING:
    import os

    from ..plots import Chart


MIN_MEMBERS, MAX_MEMBERS = 50, 1_000
"""The limits of the largest L of a default grid."""

STEPS = 10
"""The number of values on each axis of a default grid, in addition to 1."""


def default_n_terms(n: int) -> list[int]:
    """Return the default values of M: 1 and the tenths of n."""
    return _steps(n)


def default_n_estimators(n: int) -> list[int]:
    """Return the default values of L: 1 and the tenths of n/5, or of 50 or 1,000 if n/5 is below or above these."""
    return _steps(min(max(n // 5, MIN_MEMBERS), MAX_MEMBERS))


def _steps(most: int) -> list[int]:
    """Return 1 and the tenths of `most`, rounded to integers, ascending and distinct: for 30, `[1, 3, 6, ..., 30]`."""
    return sorted({1, *(max(round(most * step / STEPS), 1) for step in range(1, STEPS + 1))})


def axis_values(name: str, setting: Any, n: int, *, most: int | None = None) -> list[int]:
    """Return the distinct values of M or L that a setting with one number or several means, ascending.

    Floats up to 1.0 are fractions of the n terms. `name` is the name of the setting, for errors, and `most` the largest
    allowed value, or None.
    """
    sizes = setting.tolist() if isinstance(setting, np.ndarray) else setting
    if not isinstance(sizes, Iterable) or isinstance(sizes, str | bytes):
        sizes = [sizes]
    values = sorted({size_of(name, size, n, most) for size in sizes})
    if not values:
        raise InputError(setting=name, value=setting, hint="give at least one number")
    return values


class BestSize(NamedTuple):
    """The size with the highest mean accuracy."""

    n_terms: int
    n_estimators: int
    accuracy: float
    standard_error: float


@dataclass(frozen=True, eq=False)
class SubspaceGrid:
    """The accuracies measured over a grid.

    Examples
    --------
    >>> from textsieve.ensembles import subspace_grid
    >>> X = [[2, 0, 1, 0], [1, 1, 0, 0], [0, 2, 1, 1], [0, 1, 0, 2]] * 5
    >>> y = ["sport", "sport", "politics", "politics"] * 5
    >>> grid = subspace_grid(X, y, n_terms=[1, 2], n_estimators=[5], repeats=2)
    >>> grid.best
    BestSize(n_terms=2, n_estimators=5, accuracy=1.0, standard_error=0.0)
    """

    n_terms: tuple[int, ...]
    """M: the rows of the grid."""
    n_estimators: tuple[int, ...]
    """L: the columns of the grid."""
    accuracy: Floats
    """The accuracy of each repetition: repetitions x M x L."""
    n: int
    """The total number of terms."""
    combine: str
    splits: tuple[RandomSplit, ...]

    @property
    def mean(self) -> Floats:
        """Return the mean accuracy over the repetitions: M x L."""
        return np.asarray(self.accuracy.mean(axis=0))

    @property
    def standard_error(self) -> Floats:
        """Return the standard error of the mean accuracy, M x L; all NaN for a single repetition."""
        if len(self.accuracy) == 1:
            return np.full(self.accuracy.shape[1:], np.nan)
        return np.asarray(self.accuracy.std(axis=0, ddof=1) / np.sqrt(len(self.accuracy)))

    @property
    def best(self) -> BestSize:
        """Return the best size; of equal ones, the one with the smallest M x L, then the one with the smallest M."""
        row, column = self.best_cell
        mean, error = self.mean[row, column], self.standard_error[row, column]
        return BestSize(self.n_terms[row], self.n_estimators[column], float(mean), float(error))

    @property
    def best_cell(self) -> tuple[int, int]:
        """Return the row and column of the cell with the size `best`."""
        mean = np.round(self.mean, 12)  # the same accuracies summed in another order may differ in the last bit
        cells = np.argwhere(mean == mean.max()).tolist()
        return min(
            ((row, column) for row, column in cells),
            # The smallest M x L; of equal ones the first row, which has the smallest M.
            key=lambda cell: (self.n_terms[cell[0]] * self.n_estimators[cell[1]], cell),
        )

    def __str__(self) -> str:
        """Return the mean accuracy as a table, in percent, with a row for each M and a column for each L."""
        head = ["M \\ L", *(f"{size:,}" for size in self.n_estimators)]
        rows = [
            [f"{size:,}", *(f"{100 * value:.1f}" for value in values)]
            for size, values in zip(self.n_terms, self.mean.tolist(), strict=True)
        ]
        widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in [head, *rows]]
        return "\n".join([*lines, f"best: {describe_best(self)}"])

    def plot(
        self, path: str | os.PathLike[str] | None = None, *, measure: str = "accuracy", caption: str = ""
    ) -> Chart:
        """Plot the "accuracy" or the "error" as a heat map over M and L.

        `caption` begins the text between the title and the heat map. If `path` is given, write the chart to it: a .svg,
        .png, .html or .json file.
        """
        return plot_grid(self, path, measure=measure, caption=caption)


def describe_best(grid: SubspaceGrid) -> str:
    """Return the best size and its accuracy as text."""
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
        M and L: numbers, or fractions of all terms, in any order. None means 1 and the tenths of n (M) or of n/5 (L,
        whose largest value is from 50 to 1,000).
    estimator
        The classifier of the members; None is `LinearSVM(C=100)`.
    combine
        "vote" or "mean", as for `RandomSubspace`.
    prepare
        A transformer, such as a pipeline of `Cascade` and `TermWeighter`, that is fitted to the training documents of
        each repetition and applied to its test documents. The number of terms n is then that of its output in the first
        repetition. If it returns fewer terms in another repetition, larger M use all of them.
    test_share, repeats, random_state
        The share of test documents, the number of repetitions, and the seed of the random splits.
    n_jobs
        How many members are trained at a time; -1 is one for each core. The result does not depend on it.
    progress
        A function that is called with the stage, the number of members trained so far, and their total number.

    Examples
    --------
    >>> from textsieve.ensembles import subspace_grid
    >>> X = [[2, 0, 1, 0], [1, 1, 0, 0], [0, 2, 1, 1], [0, 1, 0, 2]] * 5
    >>> y = ["sport", "sport", "politics", "politics"] * 5
    >>> grid = subspace_grid(X, y, n_terms=[1, 2], n_estimators=[5], repeats=2)
    >>> grid.mean.round(2)
    array([[0.75],
           [1.  ]])
    """
    # Both raise `InputError` for invalid settings, before any member is trained.
    require_combination(combine)
    refuse_averages_of_cosines(member_classifier(estimator), combine)
    X, y = validate_documents(X, y)
    splits = random_splits(X.shape[0], test_share=test_share, repeats=repeats, random_state=random_state)
    accuracies: list[list[list[float]]] = []  # repetitions x M x L
    for repetition in repetitions(X, y, splits, estimator=estimator, prepare=prepare, n_jobs=n_jobs):
        if not accuracies:  # fractions refer to the number of terms in the first repetition
            n = repetition.n
            rows = default_n_terms(n) if n_terms is None else axis_values("n_terms", n_terms, n, most=n)
            columns = default_n_estimators(n) if n_estimators is None else axis_values("n_estimators", n_estimators, n)
            report = progress_reporter(progress, len(splits) * len(rows) * columns[-1])
        accuracies.append([_accuracies(repetition, size, columns, combine, report) for size in rows])
    return SubspaceGrid(tuple(rows), tuple(columns), np.array(accuracies), n, combine, tuple(splits))


def _accuracies(
    repetition: Repetition, n_terms: int, sizes: list[int], combine: str, report: Callable[[], None]
) -> list[float]:
    """Return the accuracy on the test documents of ensembles with the given numbers of members, `sizes`, ascending.

    Members have `n_terms` terms each, and `report` is called for each trained member.
    """
    outputs = _report_each(repetition.member_outputs(n_terms, sizes[-1]), report)
    decisions = running_decisions(outputs, sizes, repetition.n_test_documents, repetition.class_docs, combine)
    return [float(np.mean(repetition.is_correct(numbers))) for numbers in decisions]


def _report_each(outputs: Iterable[MemberOutput], report: Callable[[], None]) -> Iterator[MemberOutput]:
    """Yield the outputs of members; call `report` before each."""
    for output in outputs:
        report()
        yield output


MEASURES = ("accuracy", "error")
"""The measures by which a grid can be plotted; the error is 1 - accuracy."""


def plot_grid(
    grid: SubspaceGrid, path: str | os.PathLike[str] | None = None, *, measure: str = "accuracy", caption: str = ""
) -> Chart:
    """Plot the mean accuracy or error of a grid; write it to a .svg, .png, .html or .json file if `path` is given.

    With more than two rows, the colour scale is fitted to most cells, so that a row of few terms, far below the others,
    does not use up the colours.
    """
    require_extra("plots", what="the picture of a grid")
    from ..plots import check_target, save, surface_plot

    if measure not in MEASURES:
        raise InputError(setting="measure", value=measure, allowed=MEASURES)
    if path is not None:
        check_target(path)
    colours: Literal["all", "most"] = "most" if len(grid.n_terms) > 2 else "all"
    n_splits = counted(len(grid.accuracy), "random split")
    measured_on = f"{counted(grid.n, 'term')} in all, {n_splits}, by {grid.combine}."
    chart = surface_plot(
        grid.mean if measure == "accuracy" else 1.0 - grid.mean,
        x=grid.n_estimators,
        y=grid.n_terms,
        x_title="members L",
        y_title="terms of a member M",
        value_title=measure,
        title=f"Random subspaces: {measure} over M and L",
        caption=f"{caption} {measured_on}",
        value_format=".1%",
        colours=colours,
        marked=grid.best_cell,
    )
    if path is not None:
        save(chart, path)
    return chart
