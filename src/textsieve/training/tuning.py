"""What is decided on documents that were held out: how many terms, the thresholds; and how good the result is.

Within a fold everything is done anew from the fold's training documents: idf, ranking, training.

*How many terms.* For each of some sizes the score (the share of right labels, or micro-F1 with several labels a
document) is measured by cross-validation; `evaluation.curve` says which is taken.

*Thresholds.* With several labels a document, the held-out scores of all folds together give each class the threshold
with the best F1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ..errors import TooFewDocuments
from ..evaluation import CurvePoint, best_f1_threshold, folds, size_grid
from .documents import Counted, Progress, weighted
from .recipe import Fitted, Recipe
from .targets import Targets

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Split(NamedTuple):
    """Counts of the chosen terms, best first: of documents to train on, and of documents held out."""

    train: csr_matrix
    train_targets: Targets
    test: csr_matrix
    test_targets: Targets

    @classmethod
    def of(cls, counted: Counted, is_test: NDArray[np.bool_], recipe: Recipe, most: int | None) -> Split:
        """Choose the terms from the documents to train on."""
        train, test = counted.take(np.flatnonzero(~is_test)), counted.take(np.flatnonzero(is_test))
        if int((train.targets.class_docs > 0).sum()) < 2:
            raise TooFewDocuments(
                f"{counted.targets.n_documents:,} documents are too few to hold some of them out: fewer than two "
                "classes would be left to train on. Give more documents, or a number of terms and no held_out."
            )
        best = recipe.rank(train, most)
        return cls(first_columns(train.counts, best), train.targets, first_columns(test.counts, best), test.targets)

    def held_out_scores(self, recipe: Recipe, n_terms: int) -> Floats:
        """Train on the best terms, and score the documents held out: documents x classes."""
        fitted = recipe.fit_counts(self.train[:, :n_terms], self.train_targets)
        return class_scores(fitted, self.test[:, :n_terms], recipe)


def first_columns(counts: csr_matrix, columns: Ints) -> csr_matrix:
    """Columns in the given order."""
    chosen = counts[:, columns]
    chosen.sort_indices()
    return chosen


def class_scores(fitted: Fitted, counts: csr_matrix, recipe: Recipe) -> Floats:
    """The score of each document for each class."""
    scores = np.asarray(weighted(counts, recipe.scheme, fitted.idf) @ fitted.form.coefficients.T)
    scores += fitted.form.intercepts
    return np.hstack([-scores, scores]) if scores.shape[1] == 1 else scores


def labels_from(
    scores: Floats, targets: Targets, thresholds: Floats | None, is_unknown: NDArray[np.bool_]
) -> list[tuple[Any, ...]]:
    """The labels that scores stand for: the best one's, or all that reach their thresholds.

    Documents without a known term get the most frequent class.
    """
    if thresholds is None:
        is_label = np.arange(scores.shape[1]) == scores.argmax(axis=1)[:, None]
    else:
        is_label = scores >= thresholds
    is_label[is_unknown] = np.arange(scores.shape[1]) == int(np.argmax(targets.class_docs))
    return [tuple(targets.classes[number] for number in np.flatnonzero(row)) for row in is_label]


class Tuning:
    """Cross-validation over the folds of some documents."""

    def __init__(self, counted: Counted, recipe: Recipe, n_folds: int, progress: Progress) -> None:
        self._counted, self._recipe, self._progress = counted, recipe, progress
        labelled = np.flatnonzero(counted.targets.usable)
        self._labelled = counted.take(labelled) if len(labelled) < counted.targets.n_documents else counted
        self._fold_of = folds(self._labelled.targets.first.tolist(), n_folds)
        self._n_folds = n_folds

    def splits(self, most: int | None) -> Iterator[tuple[int, Split]]:
        """Each fold held out in turn."""
        for fold in range(self._n_folds):
            is_test = self._fold_of == fold
            if is_test.any():
                yield fold, Split.of(self._labelled, is_test, self._recipe, most)

    def curve(self, most: int) -> list[CurvePoint]:
        """The score of each number of terms."""
        sizes = size_grid(most)
        scores: list[list[float]] = [[] for _ in sizes]
        done = 0
        for _, split in self.splits(most):
            for at, size in enumerate(sizes):
                if size <= split.train.shape[1] or at == 0 or sizes[at - 1] < split.train.shape[1]:
                    scores[at].append(self._score(split, min(size, split.train.shape[1])))
                else:  # the fold has no more terms than were tried already
                    scores[at].append(scores[at - 1][-1])
                done += 1
                self._progress("choosing the number of terms", done, self._n_folds * len(sizes))
        return [
            CurvePoint(size, float(np.mean(each)), float(np.std(each, ddof=1) / np.sqrt(len(each))))
            for size, each in zip(sizes, scores, strict=True)
        ]

    def _score(self, split: Split, n_terms: int) -> float:
        found = split.held_out_scores(self._recipe, n_terms)
        targets = split.test_targets
        if not targets.several:
            return float(np.mean(found.argmax(axis=1) == targets.first))
        thresholds = np.array(
            [best_f1_threshold(found[:, number], _is_member(targets, number)) for number in range(found.shape[1])]
        )
        hits, put, members = 0, 0, int(targets.class_docs.sum())
        for number, threshold in enumerate(thresholds):
            is_in = found[:, number] >= threshold
            hits += int((is_in & _is_member(targets, number)).sum())
            put += int(is_in.sum())
        return 2.0 * hits / max(put + members, 1)

    def thresholds(self, n_terms: int | None) -> Floats:
        """The threshold of each class, from the held-out scores of all folds."""
        targets = self._labelled.targets
        found = np.zeros((targets.n_documents, len(targets.classes)))
        for fold, split in self.splits(n_terms):
            found[self._fold_of == fold] = split.held_out_scores(self._recipe, split.train.shape[1])
            self._progress("choosing the thresholds", fold + 1, self._n_folds)
        return np.array(
            [best_f1_threshold(found[:, number], _is_member(targets, number)) for number in range(found.shape[1])]
        )


def _is_member(targets: Targets, number: int) -> NDArray[np.bool_]:
    is_member = np.zeros(targets.n_documents, np.bool_)
    is_member[targets.members[number]] = True
    return is_member
