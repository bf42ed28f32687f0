"""Predict each document's label by models that were trained without it, to find wrong labels and confused classes.

The documents are divided into folds, and those of a fold are scored by models that were trained on all others. Copies
of a document are in the same fold, so that no model has seen the text that it scores. Classes with fewer than
`MIN_CLASS_SIZE` different documents can't be learned, and are left out.

**Two models.** A linear SVM is the better classifier, but it can learn a wrong label by heart from rare terms.
Multinomial naive Bayes averages over all terms of a class, so single wrong labels hardly change it, but it is less
exact where classes are close. The scores of each become probabilities by a curve fitted to held-out documents (see
`evaluation.calibration`). The product of the two models' probabilities finds more wrong labels than either, but it is
too sure of itself, because both models see the same words. So the probabilities are the product to the power of an
exponent, scaled to sum to one: p_j ∝ (p_j^SVM p_j^NB)^t, with the t of the smallest log loss on held-out documents.

A label is reported as probably wrong if another class is at least `MIN_ODDS` times as probable.
docs/research/check-results.md has the measurements.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

from ..arrays import Bools, Floats, Ints
from ..categorizer_settings import Settings
from ..evaluation.calibration import JointCalibration
from ..evaluation.scores import HeldOutScores
from ..evaluation.validation import folds, held_out
from ..progress import Progress
from ..settings import n_threads
from ..training.counted_documents import CountedDocuments
from ..training.plan import TrainingPlan
from ..training.tuning import FoldSplit

N_FOLDS = 5
MIN_CLASS_SIZE = 5
"""The smallest number of different documents, not counting copies, of a class that is cross-validated."""
MIN_ODDS = 20.0
"""How many times as probable as the label another class must be, so that the label is reported as probably wrong."""
MIN_CURVE_DOCUMENTS = 2_000
"""The number of held-out documents that are enough for the learning curve."""
MAX_GAINING_CLASSES = 3
"""The number of classes that are named because more labels would help them."""
MAX_FITTED = 5_000
"""The largest number of documents to which the curves and the exponent are fitted."""
MIN_PRODUCT = 1e-300
"""The smallest product of two probabilities; it has a logarithm."""
SHARES = (1 / 8, 1 / 4, 1 / 2)
"""The shares of the training documents for the learning curve, besides all of them."""


def check_plan(classifier: str, n_jobs: int) -> TrainingPlan:
    """Return the plan to train a classifier on all terms, without tuning, which takes less than a second."""
    settings = Settings(classifier=classifier, selector="df", n_terms="all", probabilities=None, max_size=None)
    return TrainingPlan.of(settings.resolve(), n_threads(n_jobs))


class HeldOutPredictions(NamedTuple):
    """The predictions for some documents; each array has an element for each of them."""

    documents: Ints
    """The numbers of the documents, ascending."""
    label: Ints
    """The number of the class that is the document's label."""
    p_label: Floats
    """The probability of that class."""
    other: Ints
    """The most probable class other than the label."""
    p_other: Floats
    svm_class: Ints
    """The class that the SVM predicts."""

    @property
    def accuracy(self) -> float:
        """Return the share of the documents for which the SVM predicts the label."""
        return float((self.svm_class == self.label).mean())

    def suspects(self) -> Ints:
        """Return the positions of the documents whose labels are probably wrong, the most suspicious first."""
        odds = self.p_other / np.maximum(self.p_label, MIN_PRODUCT)
        positions = np.flatnonzero(odds >= MIN_ODDS)
        return np.asarray(positions[np.argsort(-odds[positions], kind="stable")])


def group_folds(classes: Ints, group_of: Ints) -> Ints:
    """Return the fold of each document; documents of a group are in one fold, and each class is in all folds."""
    firsts, group_numbers = np.unique(group_of, return_index=True)[1], np.unique(group_of, return_inverse=True)[1]
    return np.asarray(folds(classes[firsts].tolist(), N_FOLDS)[group_numbers])


def predict_held_out(
    documents: CountedDocuments, fold_of: Ints, progress: Progress, *, n_jobs: int = -1
) -> HeldOutPredictions:
    """Return the predictions for documents with one label each, by models that were trained without their folds."""
    probabilities = CombinedProbabilities.of(documents, fold_of, progress, n_jobs=n_jobs)
    parts = []
    for numbers, block, svm_class in probabilities.blocks():
        label, rows = documents.targets.first_class[numbers], np.arange(len(numbers))
        p_label = block[rows, label]
        block[rows, label] = -1.0
        other = block.argmax(axis=1)
        parts.append((numbers, label, p_label, other, block[rows, other], svm_class))
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    order = np.argsort(columns[0])
    return HeldOutPredictions(*(column[order] for column in columns))


class CombinedProbabilities(NamedTuple):
    """The probabilities of the classes by the SVM and naive Bayes together, for held-out documents."""

    scores: tuple[HeldOutScores, ...]
    """The scores of the SVM, and of naive Bayes."""
    curves: tuple[JointCalibration, ...]
    """The curves from scores to probabilities, in the same order."""
    exponent: float

    @classmethod
    def of(
        cls, documents: CountedDocuments, fold_of: Ints, progress: Progress, *, n_jobs: int = -1
    ) -> CombinedProbabilities:
        """Train without each fold in turn, score its documents, and fit the curves and the exponent."""
        plans = [check_plan(classifier, n_jobs) for classifier in ("svm", "nb")]
        svm, bayes = (HeldOutScores(documents.targets.indicator(), None) for _ in plans)
        for fold in range(N_FOLDS):
            for plan, scores in zip(plans, (svm, bayes), strict=True):
                _score_fold(documents, fold_of == fold, plan, scores)
            progress("cross-validating", fold + 1, N_FOLDS)
        return cls.fit((svm, bayes), documents.targets.first_class)

    @classmethod
    def fit(cls, scores: tuple[HeldOutScores, ...], labels: Ints) -> CombinedProbabilities:
        """Fit the curves and the exponent to the scores of a sample of the documents."""
        step = -(-len(labels) // MAX_FITTED)
        true = labels[::step]
        samples = [_every(step, model_scores) for model_scores in scores]
        is_true = np.zeros(samples[0].shape, np.bool_)
        is_true[np.arange(len(true)), true] = True
        curves = []
        for sample, model_scores in zip(samples, scores, strict=True):
            sampled_scores = HeldOutScores.of(sample, is_true)
            sampled_scores.is_unknown = model_scores.is_unknown[::step]
            curves.append(JointCalibration.fit_held_out(sampled_scores))
        log_products = _log_product(curves, samples)

        def log_loss(exponent: float) -> float:
            log_p = log_softmax(exponent * log_products, axis=1)
            return -float(log_p[np.arange(len(true)), true].mean())

        return cls(scores, tuple(curves), float(minimize_scalar(log_loss, bounds=(0.0, 2.0), method="bounded").x))

    def blocks(self) -> Iterator[tuple[Ints, Floats, Ints]]:
        """Yield document numbers, the probabilities of all classes, and the class that the SVM predicts.

        A document without a known term says nothing about its class, so all classes are equally probable.
        """
        svm, bayes = (scores.by_document() for scores in self.scores)
        for (numbers, svm_scores, _), (_, bayes_scores, _) in zip(svm, bayes, strict=True):
            log_product = _log_product(self.curves, (svm_scores, bayes_scores))
            log_product[self.scores[0].is_unknown[numbers]] = 0.0
            yield numbers, softmax(self.exponent * log_product, axis=1), svm_scores.argmax(axis=1)


def _log_product(curves: Iterable[JointCalibration], scores: Iterable[Floats]) -> Floats:
    """Return the logarithm of the product of the models' probabilities (documents x classes)."""
    svm, bayes = (calibration.curve(block) for calibration, block in zip(curves, scores, strict=True))
    return np.asarray(np.log(np.maximum(svm * bayes, MIN_PRODUCT)))


def _every(step: int, scores: HeldOutScores) -> Floats:
    """Return the scores of the documents 0, `step`, 2 `step`, ... (documents x classes)."""
    parts = [(numbers[numbers % step == 0], block[numbers % step == 0]) for numbers, block, _ in scores.by_document()]
    numbers, blocks = (np.concatenate(column) for column in zip(*parts, strict=True))
    return np.asarray(blocks[np.argsort(numbers)])


def _score_fold(documents: CountedDocuments, is_test: Bools, plan: TrainingPlan, scores: HeldOutScores) -> None:
    """Train without the documents of a fold, and add their scores; classes that were not trained on can't win."""
    split, numbers = FoldSplit.of(documents, is_test, plan, None), np.flatnonzero(is_test)
    is_missing = split.train_targets.class_docs == 0
    for part, scored in split.held_out_scores(plan, split.train.shape[1]):
        if is_missing.any():
            scored.scores[:, is_missing] = scored.scores[:, ~is_missing].min(axis=1, keepdims=True) - 1.0
        scores.add(numbers[part], scored.scores, scored.is_unknown)


# -- learning curve ----------------------------------------------------------------------------------------------


class LearningCurve(NamedTuple):
    """The cross-validated accuracy of the SVM by number of training documents."""

    n_documents: list[int]
    """The average number of training documents, ascending; each is about twice the one before."""
    accuracy: list[float]
    class_gains: dict[str, float]
    """How much the recall of a class rose with the last doubling, for the classes with the largest gains."""

    @property
    def gain(self) -> float:
        """Return the expected gain in accuracy from twice as many labelled documents.

        With an accuracy of a - b n^-c, each doubling of n gains r = 2^-c times as much as the doubling before. r is
        estimated from the gains of the three doublings, and is at most 1.
        """
        first, second, third = np.diff(self.accuracy).tolist()
        if first + second <= 0:
            return max(third, 0.0)
        return max(third * min(max((second + third) / (first + second), 0.0), 1.0), 0.0)

    def to_dict(self) -> dict[str, Any]:
        """Return the curve and the expected gain as JSON values."""
        return self._asdict() | {"gain": self.gain}

    def __str__(self) -> str:
        """Return the expected gain in a sentence, with the classes that would gain most."""
        expected = f"Twice as many labelled documents: about {100 * self.gain:+.1f} points of accuracy."
        most = (
            f" Recall rose most with the last doubling for {', '.join(self.class_gains)}." if self.class_gains else ""
        )
        return expected + most


def learning_curve(
    documents: CountedDocuments, fold_of: Ints, predictions: HeldOutPredictions, progress: Progress, *, n_jobs: int = -1
) -> LearningCurve:
    """Return the learning curve, measured on the first folds that have `MIN_CURVE_DOCUMENTS` together, or on all.

    `predictions` has those of the models that were trained on all documents.
    """
    plan, labels = check_plan("svm", n_jobs), documents.targets.first_class
    n_scored = np.cumsum(np.bincount(fold_of, minlength=N_FOLDS))
    n_folds = min(int(np.searchsorted(n_scored, MIN_CURVE_DOCUMENTS)) + 1, N_FOLDS)
    is_scored = fold_of < n_folds
    n_documents, predicted = [], []
    for number, share in enumerate(SHARES, 1):
        predicted.append(np.full(len(labels), -1))
        n_trained = 0
        for fold in range(n_folds):
            is_test = fold_of == fold
            others = np.flatnonzero(~is_test)
            trained = others[held_out(labels[others].tolist(), share)]
            n_trained += len(trained)
            predicted[-1][is_test] = _predict(documents, trained, is_test, plan)
        progress("measuring the learning curve", number, len(SHARES))
        n_documents.append(round(n_trained / n_folds))
    n_documents.append(round(float((~is_scored).sum() + is_scored.sum() * (n_folds - 1) / n_folds)))
    predicted.append(predictions.svm_class)
    is_right = [(classes == labels)[is_scored] for classes in predicted]
    return LearningCurve(
        n_documents,
        [float(right.mean()) for right in is_right],
        _largest_class_gains(documents.targets.classes, labels[is_scored], is_right[-2], is_right[-1]),
    )


def _largest_class_gains(classes: Sequence[Any], labels: Ints, before: Bools, after: Bools) -> dict[str, float]:
    """Return the gains in recall of the classes that gained most, given which documents were right before and after."""
    gained = np.bincount(labels[after], minlength=len(classes)) - np.bincount(labels[before], minlength=len(classes))
    gains = gained / np.maximum(np.bincount(labels, minlength=len(classes)), 1)
    best = np.argsort(-gains, kind="stable")[:MAX_GAINING_CLASSES]
    return {str(classes[number]): float(gains[number]) for number in best.tolist() if gains[number] > 0}


def _predict(documents: CountedDocuments, trained: Ints, is_test: Bools, plan: TrainingPlan) -> Ints:
    """Return the classes of the held-out documents by a model that is trained on some of the others."""
    rows = np.sort(np.concatenate([trained, np.flatnonzero(is_test)]))
    scores = HeldOutScores(documents.targets.indicator()[rows], None)
    _score_fold(documents.take(rows), is_test[rows], plan, scores)
    numbers, predicted = zip(
        *((numbers, block.argmax(axis=1)) for numbers, block, _ in scores.by_document()), strict=True
    )
    by_row = np.empty(len(rows), np.int64)
    by_row[np.concatenate(numbers)] = np.concatenate(predicted)
    return np.asarray(by_row[is_test[rows]])
