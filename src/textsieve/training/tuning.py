"""Tune on held-out documents: the number of terms, thresholds and probabilities.

Each fold is held out in turn, and everything (terms, idf, selection, training) is repeated on the remaining documents
alone. Unlabelled documents are never held out.

*The number of terms.* Cross-validation gives the score of some sizes: accuracy, or for multilabel documents micro-F1
with the best thresholds of the fold. `evaluation.validation` chooses the size. If a selector's smaller selection is not
part of its larger one, it selects for each size again, as it will for the model.

*Thresholds and probabilities.* The held-out scores of all folds together determine how scores become labels
(`evaluation.thresholds`) and probabilities (`evaluation.calibration`). A fold from which a class could not be learned
(its only document was held out, or all others have it) says nothing about the class.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from ..arrays import Bools, Ints
from ..errors import InputError, TooFewDocuments
from ..evaluation import CurvePoint, folds, size_grid
from ..evaluation.scores import DocumentScores, HeldOutScores
from ..evaluation.thresholds import ThresholdRule, count_labels, f1_of_counts
from ..selectors.testors.estimator import IndistinguishableClasses
from .counted_documents import CountedDocuments, Progress, columns_in_order
from .plan import Fitted, TrainingPlan
from .targets import Targets


class FoldSplit(NamedTuple):
    """The counts of the selected terms, best first, of training documents and of held-out documents."""

    train: csr_matrix
    train_targets: Targets
    test: csr_matrix
    test_targets: Targets
    columns: Ints
    """Which terms they are."""

    @classmethod
    def of(cls, counted: CountedDocuments, is_test: Bools, plan: TrainingPlan, most: int | None) -> FoldSplit:
        """Select the terms from the training documents."""
        train, test = parted(counted, is_test)
        with of_some_documents():
            best = plan.select(train, most).columns
        return cls(
            columns_in_order(train.counts, best), train.targets, columns_in_order(test.counts, best), test.targets, best
        )

    def held_out_scores(self, plan: TrainingPlan, n_terms: int) -> Iterator[tuple[slice, DocumentScores]]:
        """Train on the best terms, and yield the scores of the held-out documents block by block.

        For multilabel documents, a class that could not be learned has no score: NaN.
        """
        fitted = plan.fit_counts(self.train[:, :n_terms], self.train_targets)
        cannot_be_learned = ~self.train_targets.can_be_learned
        for part, scored in plan.score_blocks(fitted, self.test[:, :n_terms]):
            if self.train_targets.multilabel:
                scored.scores[:, cannot_be_learned] = np.nan
            yield part, scored


@contextmanager
def of_some_documents() -> Iterator[None]:
    """Suppress warnings about classes that can't be told apart by a part of the documents; all documents will warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IndistinguishableClasses)
        yield


def parted(counted: CountedDocuments, is_test: Bools) -> tuple[CountedDocuments, CountedDocuments]:
    """Return the training documents and the held-out documents."""
    train, test = counted.take(np.flatnonzero(~is_test)), counted.take(np.flatnonzero(is_test))
    too_few = f"{counted.targets.n_documents:,} documents are too few to hold some of them out"
    if not train.targets.can_be_learned.any():
        raise TooFewDocuments(
            f"{too_few}: fewer than two classes would be left to train on. Give more documents of each class."
        )
    try:
        _ = train.columns_within_limits
    except InputError as problem:
        raise TooFewDocuments((f"{too_few}: without them, no term is left. ", *problem.message())) from problem
    return train, test


class AssignedLabels(NamedTuple):
    """The predicted labels of documents."""

    indptr: Ints
    """The labels of document i are `numbers[indptr[i]:indptr[i + 1]]`."""
    numbers: Ints
    """Numbers of classes."""
    is_unknown: Bools
    """Whether a document has no known term."""

    def label_sets(self, classes: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """Return the names of each document's labels."""
        names = [classes[number] for number in self.numbers.tolist()]
        return [tuple(names[begin:end]) for begin, end in pairwise(self.indptr.tolist())]


def assign(plan: TrainingPlan, fitted: Fitted, counts: csr_matrix, cut: ThresholdRule | None) -> AssignedLabels:
    """Predict the labels of documents, given by the counts of the selected terms."""
    sizes, numbers, is_unknown = [np.zeros(1, np.int64)], [], []
    for _, scored in plan.score_blocks(fitted, counts):
        is_label = scored.labels(cut)
        sizes.append(is_label.sum(axis=1))
        numbers.append(np.nonzero(is_label)[1])
        is_unknown.append(scored.is_unknown)
    return AssignedLabels(np.cumsum(np.concatenate(sizes)), np.concatenate(numbers), np.concatenate(is_unknown))


class Curve(NamedTuple):
    """The score of each number of terms, ascending, and the limit with which the selector keeps so many."""

    points: list[CurvePoint]
    limits: dict[int, int]


class Tuning:
    """Cross-validation over the folds of some documents."""

    def __init__(self, counted: CountedDocuments, plan: TrainingPlan, n_folds: int, progress: Progress) -> None:
        self._counted, self._plan, self._n_folds, self._progress = counted, plan, n_folds, progress
        labelled = np.flatnonzero(counted.targets.usable)
        self._fold_of = np.full(counted.targets.n_documents, -1, np.int64)
        self._fold_of[labelled] = folds(counted.targets.first[labelled].tolist(), n_folds)

    def splits(self, most: int | None) -> Iterator[tuple[Bools, FoldSplit]]:
        """Yield the documents of each fold, held out in turn, and the split."""
        for fold in range(int(self._fold_of.max()) + 1):
            is_test = self._fold_of == fold
            yield is_test, FoldSplit.of(self._counted, is_test, self._plan, most)

    def curve(self, most: int) -> Curve:
        """Return the score of each number of terms: the mean over the folds, which have equal size, and its standard
        error.

        A selector may keep fewer terms than it is allowed; what counts is how many it keeps for all documents.
        """
        limits = self._limits_by_number(most)
        sizes = list(limits.values())
        scores: list[list[float]] = [[] for _ in sizes]
        done = 0
        for is_test, split in self.splits(most):
            for at, score in enumerate(self._scores_of_sizes(is_test, split, sizes)):
                scores[at].append(score)
                done += 1
                self._progress("choosing the number of terms", done, self._n_folds * len(sizes))
        points = [
            CurvePoint(number, float(np.mean(of_folds)), float(np.std(of_folds, ddof=1) / np.sqrt(len(of_folds))))
            for number, of_folds in zip(limits, scores, strict=True)
        ]
        return Curve(points, limits)

    def _limits_by_number(self, most: int) -> dict[int, int]:
        """Return the numbers of terms that can be selected from all documents, ascending, each with the smallest limit
        `n_terms` that selects so many.
        """
        limits: dict[int, int] = {}
        with of_some_documents():
            most_kept = len(self._plan.select(self._counted, most).columns)
            for size in size_grid(most):
                n_kept = min(size, most_kept)
                if self._plan.selector.chooses_own_k and size < most:
                    n_kept = len(self._plan.select(self._counted, size).columns)
                limits.setdefault(n_kept, size)
        return dict(sorted(limits.items()))

    def _scores_of_sizes(self, is_test: Bools, split: FoldSplit, sizes: list[int]) -> Iterator[float]:
        """Yield the score of each size for one held-out fold."""
        scored: dict[bytes, float] = {}
        for size in sizes:
            own = FoldSplit.of(self._counted, is_test, self._plan, size) if self._plan.ranks_each_size else split
            terms = own.columns[:size]  # a fold has fewer terms than all documents together
            if terms.tobytes() not in scored:
                scored[terms.tobytes()] = self._score(own, len(terms))
            yield scored[terms.tobytes()]

    def _score(self, split: FoldSplit, n_terms: int) -> float:
        targets = split.test_targets
        scored_blocks = split.held_out_scores(self._plan, n_terms)
        if not targets.multilabel:
            is_right = [scored.best() == targets.first[part] for part, scored in scored_blocks]
            return f1_of_counts(targets.count(np.concatenate(is_right)), targets.n_counted, targets.n_counted)
        held_out = HeldOutScores(targets.indicator(), targets.weights)
        is_unknown, fallback = np.zeros(targets.n_documents, np.bool_), 0
        for part, scored in scored_blocks:
            held_out.add(np.arange(part.start, part.stop), scored.scores)
            is_unknown[part], fallback = scored.is_unknown, scored.fallback
        cut = self._plan.cut.fit_held_out(held_out)
        n_right = n_assigned = 0.0
        for documents, scores, true in held_out.by_document():
            is_label = DocumentScores(scores, is_unknown[documents], fallback).labels(cut)
            weights = held_out.weights_of(documents)
            n_right += count_labels(is_label & true, weights)
            n_assigned += count_labels(is_label, weights)
        return f1_of_counts(n_right, n_assigned, held_out.n_true)

    def held_out_scores(self, n_terms: int | None) -> HeldOutScores:
        """Return the score of each document when it was held out; unlabelled documents have no score."""
        held_out = HeldOutScores(self._counted.targets.indicator(), self._counted.targets.weights)
        for fold, (is_test, split) in enumerate(self.splits(n_terms)):
            documents = np.flatnonzero(is_test)
            for part, scored in split.held_out_scores(self._plan, split.train.shape[1]):
                held_out.add(documents[part], scored.scores)
            self._progress("scoring held-out documents", fold + 1, self._n_folds)
        return held_out
