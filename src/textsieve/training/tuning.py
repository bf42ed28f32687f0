"""Tune on held-out documents, by cross-validation: the number of terms, thresholds and probabilities.

The documents are divided into folds. Each fold is held out in turn, and everything (limits on terms, idf, selection,
training) is repeated on the remaining documents alone. Unlabelled documents are never held out.

*The number of terms.* Cross-validation gives the score for several numbers of terms: the accuracy, or for multilabel
documents micro-F1 with the best thresholds of the fold. `evaluation.validation` chooses one of these numbers. Most
selectors rank all terms once, so that the best 100 terms are the first 100 of the best 200. A selector whose ranking
depends on the number of terms (`depends_on_k`) selects again for each number.

*Thresholds and probabilities.* The held-out scores of all folds together determine how scores become labels
(`evaluation.thresholds`) and probabilities (`evaluation.calibration`). A fold from whose training documents a class
could not be learned (none of them belongs to it, or all do) is left out for this class.

*Probabilities with one label per document.* All classes share one curve with two parameters (`JointCalibration`), for
which a part of the documents is enough: folds are scored until `ENOUGH_DOCUMENTS` documents are. With 5,000 documents
and five folds, that is one fold, which takes about 0.8 of the time of training. The same scores show how certain and
how right the labels are (`Confidence`). With fewer than `FEWEST_DOCUMENTS` documents, probabilities would be guesses,
and are only fitted if the user asks for them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from ..arrays import Bools, Floats, Ints
from ..errors import InputError, TooFewDocuments
from ..evaluation import CurvePoint, folds, size_grid
from ..evaluation.calibration import JointCalibration
from ..evaluation.confidence import Confidence
from ..evaluation.scores import DocumentScores, HeldOutScores
from ..evaluation.thresholds import ThresholdRule, count_labels, f1_of_counts
from ..selectors.testors.estimator import IndistinguishableClasses
from .counted_documents import CountedDocuments, Progress, take_columns
from .plan import FittedClassifier, TrainingPlan
from .sieving import SieveLimits
from .targets import Targets


class FoldSplit(NamedTuple):
    """Training documents and held-out documents: counts of the selected terms (documents x terms), and labels."""

    train: csr_matrix
    train_targets: Targets
    test: csr_matrix
    test_targets: Targets
    columns: Ints
    """The columns of the selected terms in all documents, best first."""

    @classmethod
    def of(cls, counted: CountedDocuments, is_test: Bools, plan: TrainingPlan, max_terms: int | None) -> FoldSplit:
        """Split documents, and select at most `max_terms` terms from the training documents."""
        train, test = split_documents(counted, is_test)
        with ignore_indistinguishable_classes():
            columns = plan.select(train, max_terms).columns
        return cls(
            *(take_columns(train.counts, columns), train.targets),
            *(take_columns(test.counts, columns), test.targets),
            columns,
        )

    def held_out_scores(
        self, plan: TrainingPlan, n_terms: int, terms: list[str] | None = None, sieve: SieveLimits | None = None
    ) -> Iterator[tuple[slice, DocumentScores]]:
        """Train on the `n_terms` best terms; return slices of the held-out documents with their scores.

        For `terms` and `sieve`, see `TrainingPlan.fit_counts`.
        """
        fitted = plan.fit_counts(self.train[:, :n_terms], self.train_targets, terms, sieve)
        return self.scores_of(plan, fitted, n_terms)

    def scores_of(
        self, plan: TrainingPlan, fitted: FittedClassifier, n_terms: int
    ) -> Iterator[tuple[slice, DocumentScores]]:
        """Yield slices of the held-out documents with their scores, given a classifier of the `n_terms` best terms.

        For multilabel documents, the scores of a class that could not be learned are NaN.
        """
        cannot_be_learned = ~self.train_targets.can_be_learned
        for part, scored in plan.score_blocks(fitted, self.test[:, :n_terms]):
            if self.train_targets.multilabel:
                scored.scores[:, cannot_be_learned] = np.nan
            yield part, scored


@contextmanager
def ignore_indistinguishable_classes() -> Iterator[None]:
    """Suppress warnings about classes that no term distinguishes in a part of the documents.

    The selection from all documents warns if no term distinguishes the classes in all of them either.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IndistinguishableClasses)
        yield


def split_documents(counted: CountedDocuments, is_test: Bools) -> tuple[CountedDocuments, CountedDocuments]:
    """Return the training documents and the held-out documents; raise `TooFewDocuments` if nothing can be learned."""
    train, test = counted.take(np.flatnonzero(~is_test)), counted.take(np.flatnonzero(is_test))
    too_few = f"{counted.targets.n_documents:,} documents are too few to hold some of them out"
    if not train.targets.can_be_learned.any():
        raise TooFewDocuments(
            f"{too_few}: fewer than two classes would be left to train on",
            hint="Give more documents of each class",
        )
    try:
        _ = train.columns_within_limits  # raises if no term is within the limits
    except InputError as problem:
        raise TooFewDocuments((f"{too_few}: without them, no term is left. ", *problem.message())) from problem
    return train, test


class PredictedLabels(NamedTuple):
    """The predicted labels of documents, as class numbers: those of all documents one after the other."""

    indptr: Ints
    """Where the labels of each document begin: those of document i are `class_numbers[indptr[i]:indptr[i + 1]]`."""
    class_numbers: Ints
    is_unknown: Bools
    """Which documents have no selected term of nonzero weight."""

    def label_sets(self, classes: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """Return the names of each document's labels."""
        names = [classes[number] for number in self.class_numbers.tolist()]
        return [tuple(names[begin:end]) for begin, end in pairwise(self.indptr.tolist())]


def predict_labels(
    scored_blocks: Iterable[tuple[slice, DocumentScores]], rule: ThresholdRule | None
) -> PredictedLabels:
    """Return the labels of documents, given slices of them with their scores.

    Labels are assigned by the threshold rule; without one, each document gets its best class.
    """
    n_labels, class_numbers, is_unknown = [np.zeros(1, np.int64)], [], []  # 0 is where the first labels begin
    for _, scored in scored_blocks:
        is_label = scored.labels(rule)
        n_labels.append(is_label.sum(axis=1))
        class_numbers.append(np.nonzero(is_label)[1])
        is_unknown.append(scored.is_unknown)
    indptr = np.cumsum(np.concatenate(n_labels))
    return PredictedLabels(indptr, np.concatenate(class_numbers), np.concatenate(is_unknown))


class LearningCurve(NamedTuple):
    """The cross-validated score by number of selected terms."""

    points: list[CurvePoint]
    """The mean score and its standard error for each number of terms, ascending."""
    limits: dict[int, int]
    """For each number of selected terms, the smallest limit `n_terms` with which the selector selects so many.

    A selector may select fewer terms than its limit. If it selects 80 with the limits 100 and 200, this has 80: 100.
    """


class Tuning:
    """Cross-validation over the folds of some documents."""

    def __init__(self, counted: CountedDocuments, plan: TrainingPlan, n_folds: int, progress: Progress) -> None:
        """Divide the documents into `n_folds` folds."""
        self._counted, self._plan, self._n_folds, self._progress = counted, plan, n_folds, progress
        labelled = np.flatnonzero(counted.targets.usable)
        self._fold_of = np.full(counted.targets.n_documents, -1, np.int64)  # -1: unlabelled, in no fold
        self._fold_of[labelled] = folds(counted.targets.first_class[labelled].tolist(), n_folds)

    def splits(self, max_terms: int | None) -> Iterator[tuple[Bools, FoldSplit]]:
        """Yield, for each fold, which documents are held out, and the split with at most `max_terms` selected terms."""
        for fold in range(int(self._fold_of.max()) + 1):
            is_test = self._fold_of == fold
            yield is_test, FoldSplit.of(self._counted, is_test, self._plan, max_terms)

    def curve(self, max_terms: int) -> LearningCurve:
        """Return the score by number of terms: the mean over the folds and its standard error.

        A selector may select fewer terms than its limit `n_terms`, and with the same limit another number of terms in
        each fold. The points of the curve are at the numbers that it selects from all documents.
        """
        limits = self._limits_by_number(max_terms)
        scores: dict[int, list[float]] = {limit: [] for limit in limits.values()}
        done = 0
        for is_test, split in self.splits(max_terms):
            for limit, score in self._scores_by_limit(is_test, split, list(scores)):
                scores[limit].append(score)
                done += 1
                self._progress("choosing the number of terms", done, self._n_folds * len(scores))
        # `scores` has the limits in the order of `limits`.
        points = [
            CurvePoint(n_terms, float(np.mean(fold_scores)), _standard_error(fold_scores))
            for n_terms, fold_scores in zip(limits, scores.values(), strict=True)
        ]
        return LearningCurve(points, limits)

    def _limits_by_number(self, max_terms: int) -> dict[int, int]:
        """Return numbers of terms that the selector can select from all documents, with `LearningCurve.limits`.

        The numbers ascend. The limits that are tried are those of `size_grid`.
        """
        limits: dict[int, int] = {}
        with ignore_indistinguishable_classes():
            most_selected = len(self._plan.select(self._counted, max_terms).columns)
            for limit in size_grid(max_terms):
                n_selected = min(limit, most_selected)
                if self._plan.selector.chooses_own_k and limit < max_terms:  # it may select fewer than that
                    n_selected = len(self._plan.select(self._counted, limit).columns)
                limits.setdefault(n_selected, limit)
        return dict(sorted(limits.items()))

    def _scores_by_limit(self, is_test: Bools, split: FoldSplit, limits: list[int]) -> Iterator[tuple[int, float]]:
        """Yield each of the limits on the number of terms with the score of one fold.

        `split` has the terms for the largest limit. If two limits give the same terms, these are scored only once.
        """
        score_of_terms: dict[bytes, float] = {}
        for limit in limits:
            if self._plan.selector.depends_on_k:
                split = FoldSplit.of(self._counted, is_test, self._plan, limit)
            columns = split.columns[:limit]  # a fold may have fewer terms than all documents
            key = columns.tobytes()
            if key not in score_of_terms:
                scored_blocks = split.held_out_scores(self._plan, len(columns))
                score_of_terms[key] = self._score(split.test_targets, scored_blocks)
            yield limit, score_of_terms[key]

    def sieve_curve(self, max_terms: int | None) -> dict[float, list[float]]:
        """Return the score of each fold, by the share of the coefficients that is kept; the share 1 keeps all.

        A small share for which some fold has too few coefficients is left out (`SieveTraining.steps`).
        """
        curve: dict[float, list[float]] = {}
        for fold, (_, split) in enumerate(self.splits(max_terms)):
            n_terms = split.train.shape[1]
            training = self._plan.sieve_training(split.train, split.train_targets)
            for share, sieved in training.steps():
                fitted = training.fitted(sieved)
                score = self._score(split.test_targets, split.scores_of(self._plan, fitted, n_terms))
                curve.setdefault(share, []).append(score)
            self._progress("choosing the number of coefficients", fold + 1, self._n_folds)
        n_folds = len(curve[1.0])  # every fold has a score for the share 1
        return {share: scores for share, scores in curve.items() if len(scores) == n_folds}

    def _score(self, targets: Targets, scored_blocks: Iterator[tuple[slice, DocumentScores]]) -> float:
        """Return the accuracy of a model on a fold, or for multilabel documents micro-F1 with the best thresholds.

        `targets` are the labels of the fold's documents, and `scored_blocks` are slices of these with their scores.
        """
        if not targets.multilabel:
            is_right = [scored.best() == targets.first_class[part] for part, scored in scored_blocks]
            # If each document has one true and one predicted label, micro-F1 is the accuracy.
            return f1_of_counts(targets.count(np.concatenate(is_right)), targets.n_counted, targets.n_counted)
        held_out = HeldOutScores(targets.indicator(), targets.weights)
        is_unknown, fallback = np.zeros(targets.n_documents, np.bool_), 0
        for part, scored in scored_blocks:
            held_out.add(np.arange(part.start, part.stop), scored.scores)
            is_unknown[part], fallback = scored.is_unknown, scored.fallback
        rule = self._plan.cut.fit_held_out(held_out)
        n_right = n_predicted = 0.0
        for documents, scores, is_true in held_out.by_document():
            is_predicted = DocumentScores(scores, is_unknown[documents], fallback).labels(rule)
            weights = held_out.weights_of(documents)
            n_right += count_labels(is_predicted & is_true, weights)
            n_predicted += count_labels(is_predicted, weights)
        return f1_of_counts(n_right, n_predicted, held_out.n_true)

    def held_out_scores(
        self, max_terms: int | None, n_enough: float = np.inf, sieve: SieveLimits | None = None
    ) -> HeldOutScores:
        """Return the scores of each labelled document by the model that was trained without its fold.

        As soon as `n_enough` documents are scored, no further fold is; the documents of the other folds have no scores.
        The score for a class is NaN if no training document of the fold's model belongs to it, and with multilabel
        documents also if all belong to it. With `sieve`, each model drops coefficients; its size is only estimated,
        which is much faster.
        """
        held_out = HeldOutScores(self._counted.targets.indicator(), self._counted.targets.weights)
        n_scored = 0
        if sieve is not None:
            sieve = sieve._replace(must_fit=False)
        for fold, (is_test, split) in enumerate(self.splits(max_terms)):
            documents = np.flatnonzero(is_test)
            is_missing = split.train_targets.class_docs == 0
            terms = None if sieve is None else self._counted.terms.take(split.columns)
            for part, scored in split.held_out_scores(self._plan, split.train.shape[1], terms, sieve):
                scored.scores[:, is_missing] = np.nan
                held_out.add(documents[part], scored.scores, scored.is_unknown)
            self._progress("scoring held-out documents", fold + 1, self._n_folds)
            n_scored += len(documents)
            if n_scored >= n_enough:
                break
        return held_out


def _standard_error(scores: list[float]) -> float:
    """Return the standard error of the mean of at least two scores."""
    return float(np.std(scores, ddof=1) / np.sqrt(len(scores)))


# -- probabilities ---------------------------------------------------------------------------------------------

ENOUGH_DOCUMENTS = 1000
"""The number of held-out documents after which no further fold is scored."""

FEWEST_DOCUMENTS = 20
"""The smallest number of labelled documents from which probabilities are fitted by default."""


class Calibrated(NamedTuple):
    """How scores become probabilities, and how certain and how right labels are on held-out documents."""

    calibration: JointCalibration
    confidence: dict[str, Any]


def method_of(setting: str | None, *, multilabel: bool) -> str | None:
    """Return the method that the setting `probabilities` stands for, or None if the model gets no probabilities.

    "auto" is "sigmoid" with one label per document, and None for multilabel models. "isotonic" is only for multilabel
    models, and raises `InputError` for others.
    """
    if setting == "auto":
        return None if multilabel else "sigmoid"
    if setting == "isotonic" and not multilabel:
        raise InputError(
            "with one label per document, a curve for each class could contradict the label",
            setting="probabilities",
            value=setting,
            hint="use 'auto' or 'sigmoid', one curve for all classes, or None",
        )
    return setting


def calibrate(
    tuning: Tuning, n_labelled: int, max_terms: int | None, sieve: SieveLimits | None, *, is_optional: bool
) -> Calibrated | None:
    """Fit the probabilities of a model with one label per document to held-out documents.

    `n_labelled` is the number of labelled documents. `sieve` says how many coefficients the model keeps.

    With `is_optional`, return None if there are fewer than `FEWEST_DOCUMENTS` labelled documents, or too few to hold
    some of them out. Without it, too few to hold some out raise `TooFewDocuments`. Either way, `InputError` is raised
    if no model can be trained without some fold, because the remaining documents are too similar for the selector.
    """
    if is_optional and n_labelled < FEWEST_DOCUMENTS:
        return None
    try:
        held_out = tuning.held_out_scores(max_terms, ENOUGH_DOCUMENTS, sieve)
    except TooFewDocuments:
        if not is_optional:
            raise
        return None
    calibration = JointCalibration.fit_held_out(held_out)
    return Calibrated(calibration, _confidence(held_out, calibration).to_dict())


def _confidence(held_out: HeldOutScores, calibration: JointCalibration) -> Confidence:
    """Return how certain and how right the labels of the scored documents are."""
    blocks = _best_classes(held_out, calibration)
    probabilities, is_right, numbers = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return Confidence.of(probabilities, is_right, held_out.is_unknown[numbers], held_out.weights_of(numbers))


def _best_classes(held_out: HeldOutScores, calibration: JointCalibration) -> Iterator[tuple[Floats, Bools, Ints]]:
    """Yield three arrays for each block of documents, with an element for each document that has scores.

    These are the probability of the document's best class, whether this class is right, and the document's number. The
    documents of folds that were not scored are left out.

    The best class of a document without a selected term is not its label, which is the fallback class. That does not
    matter, because `Confidence.of` never counts such a document as certain.
    """
    for numbers, scores, is_true in held_out.by_document():
        is_scored = ~np.isnan(scores).all(axis=1)  # a document without scores has NaN for all classes
        known_scores = np.where(np.isnan(scores), -np.inf, scores)[is_scored]  # a class without a score can't win
        probabilities = calibration.curve(known_scores)
        best = known_scores.argmax(axis=1)
        rows = np.arange(len(best))
        yield probabilities[rows, best], is_true[is_scored][rows, best], numbers[is_scored]
