"""How good single classifiers are on random splits, with k or C as documents to learn from would have it.

k of nearest neighbours is that which is right most often on the documents to learn from, each left out in turn; C of
the SVM is the best of a cross-validation of all documents (`penalties`). Neighbours are near by the cosine, or by the
distance of the rows as they are, lengths and all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import euclidean_distances

from textsieve.classifiers import CosineKNN, LinearSVM

from .documents import Collection
from .measurements import Measured, Measurement, Scope, Tell, by_attributes
from .penalties import best_penalty
from .preparations import Preparation
from .random_splits import Rows, mean_over, prepared_splits

MOST_NEIGHBOURS = 200
SVM = "SVM"


class Answered(NamedTuple):
    """The share of test documents that are right, and k or C."""

    right: float
    setting: float


@dataclass(frozen=True)
class SingleClassifier(Measurement):
    """Its accuracy, the mean over splits; or the median of what k or C it takes."""

    collection: Collection
    preparation: Preparation
    classifier: str
    """A row of `CLASSIFIERS`."""
    figure: Literal["accuracy", "setting"] = "accuracy"
    repeats: int = 20

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Measured]]:
        """Prepare each split once for all classifiers."""
        groups = by_attributes(wanted, "collection", "preparation", "repeats")
        for (collection, preparation, repeats), some in groups.items():
            tell(f"{collection.corpus}: {preparation.terms} terms, {preparation.weights}")
            found: dict[str, list[Answered]] = {each.classifier: [] for each in some}
            C = best_penalty(collection, preparation, scope) if SVM in found else 1.0
            for rows in prepared_splits(collection, preparation, repeats, scope):
                for name, answers in found.items():
                    answers.append(CLASSIFIERS[name](rows, C))
            for each in some:
                answers = found[each.classifier]
                if each.figure == "setting":
                    yield each, Measured(float(median(answer.setting for answer in answers)))
                else:
                    yield each, mean_over([answer.right for answer in answers])


def svm(rows: Rows, C: float) -> Answered:
    """A linear SVM."""
    fitted = LinearSVM(C=C).fit(rows.train, rows.train_numbers)
    return Answered(float(np.mean(fitted.predict(rows.test) == rows.test_numbers)), C)


def cosine_neighbours(rows: Rows, _: float) -> Answered:
    """Neighbours by cosines."""
    fitted = CosineKNN(k="auto").fit(rows.train, rows.train_numbers)
    return Answered(float(np.mean(fitted.predict(rows.test) == rows.test_numbers)), fitted.k_)


def euclidean_neighbours(rows: Rows, _: float) -> Answered:
    """Neighbours by distances of the rows as they are; each has one vote, and of equal classes the first wins."""
    among = euclidean_distances(rows.train, squared=True)
    np.fill_diagonal(among, np.inf)
    alone = np.mean(_voted(among, rows)[:, : len(among) - 1] == rows.train_numbers[:, None], axis=0)
    k = int(alone.argmax()) + 1
    chosen = _voted(euclidean_distances(rows.test, rows.train, squared=True), rows)[:, k - 1]
    return Answered(float(np.mean(chosen == rows.test_numbers)), k)


def _voted(distances: NDArray[np.floating], rows: Rows) -> NDArray[np.int64]:
    """The class that the nearest 1, 2, 3, ... documents vote for: documents x neighbours."""
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :MOST_NEIGHBOURS]
    classes = np.eye(int(rows.train_numbers.max()) + 1, dtype=np.int16)
    return np.asarray(np.cumsum(classes[rows.train_numbers[nearest]], axis=1).argmax(axis=2))


CLASSIFIERS: dict[str, Callable[[Rows, float], Answered]] = {
    SVM: svm,
    "k-NN": euclidean_neighbours,
    "k-NN, cosine": cosine_neighbours,
}
"""By name; each is given C, whether it has a use for it or not."""
