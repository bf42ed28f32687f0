"""How good random subspaces are for many sizes at a time: a grid over M (terms of a member) and L (members).

The members of an ensemble do not depend on how many there are: member i draws its terms from the seed and i alone. So
one training of the largest L gives all smaller ones on the way (see `combining`), and a whole row of the grid costs no
more than its last cell. At M = n all members are the same one, which is trained once.

Each repetition takes a share of the documents at random, without a look at the classes, as the paper does, for testing;
the seed decides which. A class may then have no document to train on, and its test documents are errors. What is learned
from documents before the ensemble (which terms, how they are weighted) is handed in as `prepare`, and fitted to the
training documents of each repetition alone; done beforehand, it would have seen the test documents.

The standard error is that of a mean of independent repetitions. They share documents, so it is too small, if anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_X_y

from ..classifiers.svm import LinearSVM
from ..errors import InputError, shown
from ..settings import as_number, is_whole
from .combining import COMBINATIONS, Floats, Ints, Said, knows_nothing, running_decisions
from .draws import subset
from .grid_axes import axis, default_n_estimators, default_n_terms
from .members import member_scores

if TYPE_CHECKING:
    import os

    from ..plots import Chart

Progress = Callable[[str, int, int | None], None]
"""Told the stage, what is done of it, and how much it is in all."""

STAGE = "members trained"


class Best(NamedTuple):
    """The size with the highest mean accuracy."""

    n_terms: int
    n_estimators: int
    accuracy: float
    standard_error: float


class Split(NamedTuple):
    """Which documents are trained on and which are tested, and the seed of the ensembles that are."""

    train: Ints
    test: Ints
    seed: int


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


def random_splits(n_documents: int, *, test_share: float, repeats: int, random_state: int) -> list[Split]:
    """Documents to train on and to test, at random, and a seed for each repetition; the same for the same state."""
    if not 0.0 < as_number(test_share) < 1.0:
        raise InputError(f"test_share={shown(test_share)}; use a share of the documents above 0.0 and below 1.0.")
    if not (is_whole(repeats) and repeats >= 1):
        raise InputError(f"repeats={shown(repeats)}; use a number of repetitions from 1.")
    if not (is_whole(random_state) and random_state >= 0):
        raise InputError(f"random_state={shown(random_state)}; use a whole number from 0.")
    if n_documents < 2:
        raise InputError(f"There are {n_documents} documents; give some to train on and some to test.")
    n_test = min(max(round(test_share * n_documents), 1), n_documents - 1)
    splits = []
    for number in range(repeats):
        random = np.random.default_rng([int(random_state), number])
        order = random.permutation(n_documents)
        splits.append(Split(np.sort(order[n_test:]), np.sort(order[:n_test]), int(random.integers(1 << 31))))
    return splits


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
    random_state: int = 0,
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
    if combine not in COMBINATIONS:
        raise InputError(f"combine={shown(combine)}; use one of {', '.join(map(repr, COMBINATIONS))}.")
    X, y = check_X_y(X, y, accept_sparse="csr", dtype=None)
    check_classification_targets(y)
    X, base = csr_matrix(X), LinearSVM(C=100.0) if estimator is None else estimator
    splits = random_splits(X.shape[0], test_share=test_share, repeats=repeats, random_state=random_state)
    for number, split in enumerate(splits, 1):
        _require_two_classes(y[split.train], number)
    measured: list[Floats] = []
    for number, split in enumerate(splits):
        train, test = _prepared(X, y, split, prepare)
        if number == 0:
            n = train.shape[1]
            rows = default_n_terms(n) if n_terms is None else axis("n_terms", n_terms, n, most=n)
            columns = default_n_estimators(n) if n_estimators is None else axis("n_estimators", n_estimators, n)
            tell = _teller(progress, repeats * len(rows) * columns[-1])
        members = _Members(base, train, y[split.train], test, y[split.test], split.seed, n_jobs)
        measured.append(np.array([members.accuracies(size, columns, combine, tell) for size in rows]))
    return SubspaceGrid(tuple(rows), tuple(columns), np.array(measured), n, combine, tuple(splits))


class _Members:
    """The ensembles of one repetition."""

    def __init__(
        self, estimator: Any, X: csr_matrix, y: NDArray[Any], X_test: csr_matrix, y_test: NDArray[Any], *more: Any
    ) -> None:
        self._estimator, self._X, self._X_test, self._y_test = estimator, X, X_test, y_test
        self._classes, self._numbers = np.unique(y, return_inverse=True)
        self._seed, self._n_jobs = more

    def accuracies(self, n_terms: int, sizes: list[int], combine: str, tell: Callable[[int], None]) -> list[float]:
        """The share of test documents that ensembles of these sizes (ascending) put into their class."""
        n_terms, most = min(n_terms, self._X.shape[1]), sizes[-1]
        said = _told(self._said(n_terms, most), tell)
        decided = running_decisions(said, sizes, self._X_test.shape[0], len(self._classes), combine)
        return [float(np.mean(self._classes[numbers] == self._y_test)) for numbers in decided]

    def _said(self, n_terms: int, most: int) -> Iterator[Said]:
        """What each member says of the test documents, in the order of the members."""
        if n_terms == self._X.shape[1] and "random_state" not in self._estimator.get_params():
            yield from repeat(next(self._trained(n_terms, 1)), most)
        else:
            yield from self._trained(n_terms, most)

    def _trained(self, n_terms: int, n_members: int) -> Iterator[Said]:
        n, rows = self._X.shape[1], self._X_test
        scores_of_all = member_scores(
            *(self._estimator, self._X, self._numbers, len(self._classes), rows),
            n_terms=n_terms,
            n_members=n_members,
            seed=self._seed,
            n_jobs=self._n_jobs,
        )
        for number, scores in enumerate(scores_of_all):
            is_chosen = np.zeros(n, np.bool_)
            is_chosen[subset(n, n_terms, member=number, seed=self._seed)] = True
            yield scores, knows_nothing(rows.indptr, rows.indices, is_chosen)


def _prepared(X: csr_matrix, y: NDArray[Any], split: Split, prepare: Any) -> tuple[csr_matrix, csr_matrix]:
    """The rows of a repetition's documents to train on and to test; nothing is learned from the latter."""
    train, test = X[split.train], X[split.test]
    if prepare is not None:
        fitted = clone(prepare)
        train = csr_matrix(fitted.fit_transform(train, y[split.train]))
        test = csr_matrix(fitted.transform(test))
    for rows in (train, test):
        rows.eliminate_zeros()  # a document has a term if that has a weight
    return train, test


def _require_two_classes(y: NDArray[Any], number: int) -> None:
    if len(np.unique(y)) < 2:
        raise InputError(
            f"All documents to train on in repetition {number} are of the class {y.tolist()[0]!r}; give more documents of "
            "other classes, or use a smaller test_share."
        )


def _teller(progress: Progress | None, total: int) -> Callable[[int], None]:
    """Told of some more members, it tells how many there are by now."""
    done = 0

    def tell(more: int) -> None:
        nonlocal done
        done += more
        if progress is not None:
            progress(STAGE, done, total)

    return tell


def _told(said: Iterable[Said], tell: Callable[[int], None]) -> Iterator[Said]:
    for each in said:
        yield each
        tell(1)
