"""Accuracy of single classifiers and of random-subspace ensembles on random splits.

k of the nearest neighbours is the best by leave-one-out on the training documents. C of the SVM is the best of a
five-fold cross-validation of all documents; each fold selects and weights terms anew. Neighbours are found by cosine,
or by the Euclidean distance of unscaled rows.

All sizes of ensembles in a grid are measured at once (`textsieve.ensembles.subspace_grid`): an ensemble of few members
is the first part of a larger one. A size has M terms for each of L members. A grid that is a part of another one, such
as its first splits, is taken from it, and no member is trained twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import median
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import euclidean_distances

from textsieve import CosineKNN
from textsieve.classifiers import LinearSVM
from textsieve.comparison import half_width
from textsieve.ensembles import SubspaceGrid, subspace_grid

from .documents import Collection
from .measurements import Estimate, Measurement, ReportStep, Scope, group_by
from .random_splits import SEED, TEST_SHARE, Preparation, Rows, counts_of, mean_over_splits, prepare, prepared_splits

MAX_NEIGHBOURS = 200
SVM = "SVM"
ENSEMBLE_C = 100.0
QUICK_MEMBERS = 20
"""The largest number of members of an ensemble in a quick run."""
PENALTIES = tuple(2.0 ** (step / 2) for step in range(-8, 17))
"""Values of C, in steps of √2 as in the paper, whose best is 11.31."""


# -- C of the SVM ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AccuracyAtC(Measurement):
    """The accuracy with a C of `PENALTIES`: the mean over folds."""

    collection: Collection
    preparation: Preparation
    C: float

    @classmethod
    def measure_all(
        cls, requested: Sequence[Self], scope: Scope, report_step: ReportStep
    ) -> Iterator[tuple[Self, Estimate]]:
        """Prepare each fold once for all C."""
        for measurement in requested:
            report_step(f"{measurement.collection.corpus}: C")
            values = accuracies_by_C(measurement.collection, measurement.preparation, scope)[measurement.C]
            n_folds = measurement.collection.folds or 1
            yield measurement, Estimate(float(np.mean(values)), half_width(values, 1 / max(n_folds - 1, 1)))


def best_C(collection: Collection, preparation: Preparation, scope: Scope) -> float:
    """Return the C with the highest accuracy, and the smallest of equals."""
    accuracies = accuracies_by_C(collection, preparation, scope)
    means = {C: float(np.mean(values)) for C, values in accuracies.items()}
    return max(means, key=lambda C: (round(means[C], 9), -C))


@lru_cache(maxsize=64)
def accuracies_by_C(collection: Collection, preparation: Preparation, scope: Scope) -> dict[float, list[float]]:
    """Return for each C the accuracy of each fold in percent."""
    accuracies: dict[float, list[float]] = {C: [] for C in PENALTIES}
    documents = collection.documents(scope)
    _, numbers = np.unique([label_set[0] for label_set in documents.labels], return_inverse=True)
    pipeline = preparation.pipeline(documents.counts, numbers)
    for fold in documents.folds:
        rows = prepare(documents.counts, numbers, fold.train, fold.test, pipeline)
        for C, values in accuracies.items():
            svm = LinearSVM(C=C, n_jobs=scope.n_jobs).fit(rows.train, rows.train_numbers)
            values.append(100.0 * float(np.mean(svm.predict(rows.test) == rows.test_numbers)))
    return accuracies


# -- single classifiers ------------------------------------------------------------------------------------------------


class Score(NamedTuple):
    """The share of correct test documents, and the k or C of the classifier."""

    accuracy: float
    setting: float


@dataclass(frozen=True)
class SingleClassifier(Measurement):
    """The accuracy of a classifier, the mean over splits; or the median of its k or C."""

    collection: Collection
    preparation: Preparation
    classifier: str
    """A key of `CLASSIFIERS`."""
    figure: Literal["accuracy", "setting"] = "accuracy"
    repeats: int = 20

    @classmethod
    def measure_all(
        cls, requested: Sequence[Self], scope: Scope, report_step: ReportStep
    ) -> Iterator[tuple[Self, Estimate]]:
        """Prepare each split once for all classifiers."""
        groups = group_by(requested, "collection", "preparation", "repeats")
        for (collection, preparation, repeats), measurements in groups.items():
            report_step(f"{collection.corpus}: {preparation.terms} terms, {preparation.weights}")
            scores: dict[str, list[Score]] = {measurement.classifier: [] for measurement in measurements}
            C = best_C(collection, preparation, scope) if SVM in scores else 1.0
            for rows in prepared_splits(collection, preparation, repeats, scope):
                for name, split_scores in scores.items():
                    split_scores.append(CLASSIFIERS[name](rows, C))
            for measurement in measurements:
                split_scores = scores[measurement.classifier]
                if measurement.figure == "setting":
                    yield measurement, Estimate(float(median(score.setting for score in split_scores)))
                else:
                    yield measurement, mean_over_splits([score.accuracy for score in split_scores])


def score_svm(rows: Rows, C: float) -> Score:
    """Return the score of a linear SVM."""
    svm = LinearSVM(C=C).fit(rows.train, rows.train_numbers)
    return Score(float(np.mean(svm.predict(rows.test) == rows.test_numbers)), C)


def score_cosine_neighbours(rows: Rows, _: float) -> Score:
    """Return the score of nearest neighbours by cosine; `CosineKNN` itself finds the best k."""
    neighbours = CosineKNN(k="auto").fit(rows.train, rows.train_numbers)
    return Score(float(np.mean(neighbours.predict(rows.test) == rows.test_numbers)), neighbours.k_)


def score_euclidean_neighbours(rows: Rows, _: float) -> Score:
    """Return the score of nearest neighbours by distance, with the best k by leave-one-out.

    Each neighbour has one vote. If classes have equally many votes, the first one wins.
    """
    train_distances = euclidean_distances(rows.train, squared=True)
    np.fill_diagonal(train_distances, np.inf)  # a document is not its own neighbour
    votes = _votes(train_distances, rows)[:, : len(train_distances) - 1]  # without itself as the last neighbour
    accuracy_by_k = np.mean(votes == rows.train_numbers[:, None], axis=0)
    k = int(accuracy_by_k.argmax()) + 1
    predicted = _votes(euclidean_distances(rows.test, rows.train, squared=True), rows)[:, k - 1]
    return Score(float(np.mean(predicted == rows.test_numbers)), k)


def _votes(distances: NDArray[np.floating], rows: Rows) -> NDArray[np.int64]:
    """Return the winning class for 1, 2, 3, ... neighbours: an array of documents x numbers of neighbours."""
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :MAX_NEIGHBOURS]
    one_hot = np.eye(int(rows.train_numbers.max()) + 1, dtype=np.int16)
    votes = np.cumsum(one_hot[rows.train_numbers[nearest]], axis=1)  # documents x neighbours x classes
    return np.asarray(votes.argmax(axis=2))


CLASSIFIERS: dict[str, Callable[[Rows, float], Score]] = {
    SVM: score_svm,
    "k-NN": score_euclidean_neighbours,
    "k-NN, cosine": score_cosine_neighbours,
}
"""Each function gets the best C of the SVM, which neighbours ignore."""


# -- ensembles ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Grid:
    """Sizes of ensembles on a collection."""

    collection: Collection
    preparation: Preparation
    n_terms: tuple[int, ...]
    """Values of M; the largest is all terms."""
    n_members: tuple[int, ...]
    """Values of L."""
    repeats: int
    """The number of splits."""

    def measure(self, scope: Scope) -> SubspaceGrid:
        """Return the accuracy of each size on each split."""
        counts, numbers = counts_of(self.collection, scope)
        return subspace_grid(
            *(counts, numbers),
            n_terms=self.n_terms,
            n_estimators=[_members(L, scope) for L in self.n_members],
            estimator=LinearSVM(C=ENSEMBLE_C),
            prepare=self.preparation.pipeline(counts, numbers),
            test_share=TEST_SHARE,
            repeats=scope.limit(self.repeats),
            random_state=SEED,
            n_jobs=scope.n_jobs,
        )

    def covers(self, other: Grid) -> bool:
        """Return whether another grid is a part of this one: some of its sizes, on its first splits."""
        return (
            (self.collection, self.preparation) == (other.collection, other.preparation)
            and set(self.n_terms) >= set(other.n_terms)
            and set(self.n_members) >= set(other.n_members)
            and self.repeats >= other.repeats
        )

    def take_from(self, measured: SubspaceGrid, scope: Scope) -> SubspaceGrid:
        """Return the accuracies of this grid, given those of a grid that covers it."""
        n_members = sorted({_members(L, scope) for L in self.n_members})
        rows = [measured.n_terms.index(M) for M in self.n_terms]
        columns = [measured.n_estimators.index(L) for L in n_members]
        splits = measured.splits[: scope.limit(self.repeats)]
        return replace(
            measured,
            n_terms=self.n_terms,
            n_estimators=tuple(n_members),
            accuracy=measured.accuracy[: len(splits)][:, rows][:, :, columns],
            splits=splits,
        )


def nest(grids: Iterable[Grid]) -> dict[Grid, list[Grid]]:
    """Return the grids that are no part of another one, each with its parts, itself included."""
    parts_of: dict[Grid, list[Grid]] = {}
    for grid in sorted(grids, key=lambda grid: -len(grid.n_terms) * len(grid.n_members) * grid.repeats):
        whole = next((other for other in parts_of if other.covers(grid)), grid)
        parts_of.setdefault(whole, []).append(grid)
    return parts_of


def _members(L: int, scope: Scope) -> int:
    """Return the number of members of an ensemble, which a quick run limits."""
    return L if scope.is_full else min(L, QUICK_MEMBERS)


@dataclass(frozen=True)
class SubspaceSize(Measurement):
    """A figure of a grid, about one size or about the best size."""

    grid: Grid
    figure: str = "accuracy"
    """A key of `FIGURES`."""
    size: tuple[int, int] = (0, 0)
    """M and L, for figures about one size."""

    @classmethod
    def measure_all(
        cls, requested: Sequence[Self], scope: Scope, report_step: ReportStep
    ) -> Iterator[tuple[Self, Estimate]]:
        """Measure each grid once that is no part of another one."""
        by_grid = {grid: measurements for (grid,), measurements in group_by(requested, "grid").items()}
        for whole, parts in nest(by_grid).items():
            report_step(f"{whole.collection.corpus}: ensembles of {whole.preparation.weights}")
            measured = whole.measure(scope)
            for part in parts:
                measured_part = part.take_from(measured, scope)
                for measurement in by_grid[part]:
                    yield measurement, FIGURES[measurement.figure](measured_part, measurement.position(scope))

    def position(self, scope: Scope) -> Position:
        """Return the row and the column of the size in its grid; the first ones for figures about the best size."""
        M, L = self.size
        n_members = sorted({_members(L, scope) for L in self.grid.n_members})
        return self.grid.n_terms.index(M) if M else 0, n_members.index(_members(L, scope)) if L else 0


Position = tuple[int, int]
"""Row and column of a size in a grid."""


def _behind_the_best(grid: SubspaceGrid, position: Position) -> Estimate:
    """Return how far the accuracy of a size is behind that of the best size."""
    return mean_over_splits(grid.accuracy[:, *grid.best_cell] - grid.accuracy[:, *position])


def _other_sizes(grid: SubspaceGrid) -> list[Position]:
    """Return the sizes of more than one term and member, without the best."""
    return [
        (row, column)
        for row, n_terms in enumerate(grid.n_terms)
        for column, n_members in enumerate(grid.n_estimators)
        if n_terms > 1 and n_members > 1 and (row, column) != grid.best_cell
    ]


def _count_alike(grid: SubspaceGrid, _: Position) -> Estimate:
    """Return the number of other sizes whose interval of the difference from the best size includes 0."""
    n_alike = 0
    for position in _other_sizes(grid):
        lead = grid.accuracy[:, *grid.best_cell] - grid.accuracy[:, *position]
        n_alike += float(100.0 * lead.mean()) <= (mean_over_splits(lead).half_width or 0.0)
    return Estimate(float(n_alike))


def _mean_step(grid: SubspaceGrid, _: Position) -> Estimate:
    """Return the mean absolute change of accuracy, in points, from one number of members to the next.

    Ensembles of one term or of all terms are left out, and so is the step from the first number of members, which is 1.
    """
    rows = [row for row, size in enumerate(grid.n_terms) if 1 < size < grid.n]
    steps = np.abs(np.diff(grid.mean[rows][:, 1:], axis=1))
    return Estimate(float(100.0 * steps.mean())) if steps.size else Estimate(None, problem="there is no larger number")


FIGURES: dict[str, Callable[[SubspaceGrid, Position], Estimate]] = {
    "accuracy": lambda grid, position: mean_over_splits(grid.accuracy[:, *position]),
    "error": lambda grid, position: mean_over_splits(1.0 - grid.accuracy[:, *position]),
    "gain": lambda grid, position: mean_over_splits(grid.accuracy[:, *position] - grid.accuracy[:, -1, 0]),
    "best M": lambda grid, _: Estimate(float(grid.best.n_terms)),
    "best L": lambda grid, _: Estimate(float(grid.best.n_estimators)),
    "best accuracy": lambda grid, _: mean_over_splits(grid.accuracy[:, *grid.best_cell]),
    "behind the best": _behind_the_best,
    "sizes": lambda grid, _: Estimate(float(len(_other_sizes(grid)))),
    "alike": _count_alike,
    "step": _mean_step,
}
"""Functions of a grid and the position of a size. A gain is that over a single SVM on all terms."""
