"""Predict each document's label by models that were trained without it, to find wrong labels and confused classes.

The documents are divided into folds, and those of a fold are scored by models that were trained on all others. Copies
of a document are in the same fold, so that no model has seen the text that it scores. Classes with fewer than
`MIN_CLASS_SIZE` different documents can't be learned, and are left out.

**Two models.** A linear SVM is the better classifier, but it can learn a wrong label by heart from rare terms.
Multinomial naive Bayes averages over all terms of a class, so single wrong labels hardly change it, but it is less
exact where classes are close. The scores of each model become probabilities by a curve that is fitted to held-out
documents (see `evaluation.calibration`).

The product of the two models' probabilities finds more wrong labels than either of them. But it is too sure of itself,
because both models see the same words. So the probability of class j is p_j ∝ (p_j^SVM p_j^NB)^t, scaled so that all
classes sum to one. The exponent t is the one with the smallest log loss on held-out documents.

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
"""The number of folds of the cross-validation."""
MIN_CLASS_SIZE = 5
"""The smallest number of different documents, not counting copies, of a class that is cross-validated."""
MIN_ODDS = 20.0
"""How many times as probable as the label another class must be, so that the label is reported as probably wrong."""
MIN_CURVE_DOCUMENTS = 2_000
"""The number of held-out documents that are enough for the learning curve."""
MAX_GAINING_CLASSES = 3
"""The largest number of classes that the learning curve names because more labels would help them."""
MAX_FITTED = 5_000
"""The largest number of documents to which the curves from scores to probabilities and the exponent are fitted."""
MIN_PRODUCT = 1e-300
"""Smaller (products of) probabilities are raised to this number, to have a logarithm and to be divided by."""
SHARES = (1 / 8, 1 / 4, 1 / 2)
"""The shares of the training documents for the learning curve, besides all of them."""


def check_plan(classifier: str, n_jobs: int) -> TrainingPlan:
    """Return the plan to train a classifier on all terms without tuning, so that training takes less than a second."""
    settings = Settings(classifier=classifier, selector="df", n_terms="all", probabilities=None, max_size=None)
    return TrainingPlan.of(settings.resolve(), n_threads(n_jobs))


class HeldOutPredictions(NamedTuple):
    """The predictions for some documents; each array has an element for each of them."""

    documents: Ints
    """The numbers of the documents, ascending."""
    label: Ints
    """The label, as the number of its class."""
    p_label: Floats
    """The probability of the label."""
    other: Ints
    """The most probable class other than the label."""
    p_other: Floats
    """The probability of that class."""
    svm_class: Ints
    """The class that the SVM alone predicts."""

    @property
    def accuracy(self) -> float:
        """Return the share of the documents for which the SVM predicts the label."""
        return float((self.svm_class == self.label).mean())

    def suspects(self) -> Ints:
        """Return the positions in these arrays of documents with probably wrong labels, the most suspicious first."""
        odds = self.p_other / np.maximum(self.p_label, MIN_PRODUCT)
        positions = np.flatnonzero(odds >= MIN_ODDS)
        return np.asarray(positions[np.argsort(-odds[positions], kind="stable")])


def group_folds(classes: Ints, group_of: Ints) -> Ints:
    """Return the fold of each document, given its class and its group of copies.

    Copies are in the same fold. A group is assigned by the class of its first document, so each class is in all folds,
    unless too many of its documents are copies of documents of other classes.
    """
    _, firsts, group_numbers = np.unique(group_of, return_index=True, return_inverse=True)
    return np.asarray(folds(classes[firsts].tolist(), N_FOLDS)[group_numbers])


def predict_held_out(
    documents: CountedDocuments, fold_of: Ints, progress: Progress, *, n_jobs: int = -1
) -> HeldOutPredictions:
    """Return the predictions for documents with one label each, by models that were trained without their folds."""
    combined = CombinedProbabilities.of(documents, fold_of, progress, n_jobs=n_jobs)
    parts = []  # tuples of the arrays of `HeldOutPredictions`
    for numbers, probabilities, svm_class in combined.blocks():
        label, rows = documents.targets.first_class[numbers], np.arange(len(numbers))
        p_label = probabilities[rows, label]
        probabilities[rows, label] = -1.0  # so that the label is not the most probable other class
        other = probabilities.argmax(axis=1)
        parts.append((numbers, label, p_label, other, probabilities[rows, other], svm_class))
    arrays = [np.concatenate(arrays) for arrays in zip(*parts, strict=True)]
    by_number = np.argsort(arrays[0])
    return HeldOutPredictions(*(array[by_number] for array in arrays))


class CombinedProbabilities(NamedTuple):
    """The probabilities of the classes by the SVM and naive Bayes together, for held-out documents."""

    scores: tuple[HeldOutScores, ...]
    """The scores of the SVM, and of naive Bayes."""
    curves: tuple[JointCalibration, ...]
    """The curves from scores to probabilities, in the same order."""
    exponent: float
    """The power t of the product of the two models' probabilities."""

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
        """Fit the curves and the exponent to the scores of every n-th document, of `MAX_FITTED` at most."""
        step = -(-len(labels) // MAX_FITTED)  # the quotient, rounded up
        sampled_labels = labels[::step]
        samples = [_every(step, model_scores) for model_scores in scores]
        is_label = np.zeros(samples[0].shape, np.bool_)  # documents x classes
        is_label[np.arange(len(sampled_labels)), sampled_labels] = True
        curves = []
        for sample, model_scores in zip(samples, scores, strict=True):
            sampled_scores = HeldOutScores.of(sample, is_label)
            sampled_scores.is_unknown = model_scores.is_unknown[::step]
            curves.append(JointCalibration.fit_held_out(sampled_scores))
        log_products = _log_product(curves, samples)

        def log_loss(exponent: float) -> float:
            log_p = log_softmax(exponent * log_products, axis=1)
            return -float(log_p[np.arange(len(sampled_labels)), sampled_labels].mean())

        return cls(scores, tuple(curves), float(minimize_scalar(log_loss, bounds=(0.0, 2.0), method="bounded").x))

    def blocks(self) -> Iterator[tuple[Ints, Floats, Ints]]:
        """Yield for blocks of documents their numbers, their probabilities, and the classes that the SVM predicts.

        Probabilities are new arrays (documents x classes). For a document without a known term, all classes are equally
        probable.
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
    """Train without the documents of a fold (`is_test`), and add the scores of these documents to `scores`.

    If a class has no documents outside of the fold, its scores are lower than those of all others.
    """
    split, numbers = FoldSplit.of(documents, is_test, plan, None), np.flatnonzero(is_test)
    is_untrained = split.train_targets.class_docs == 0
    for part, scored in split.held_out_scores(plan, split.train.shape[1]):
        if is_untrained.any():
            scored.scores[:, is_untrained] = scored.scores[:, ~is_untrained].min(axis=1, keepdims=True) - 1.0
        scores.add(numbers[part], scored.scores, scored.is_unknown)


# -- learning curve ----------------------------------------------------------------------------------------------


class LearningCurve(NamedTuple):
    """The cross-validated accuracy of the SVM by number of training documents."""

    n_documents: list[int]
    """Four numbers of training documents (averages over the folds), each about twice the one before."""
    accuracy: list[float]
    """The accuracy with each of these numbers."""
    class_gains: dict[str, float]
    """How much the recall of a class rose with the last doubling, for the classes with the largest gains."""

    @property
    def gain(self) -> float:
        """Return the expected gain in accuracy from twice as many labelled documents.

        If n documents give an accuracy of a - b n^-c, then each doubling of n gains r = 2^-c times as much as the
        doubling before. So the expected gain is r times that of the last doubling. The three measured gains give an
        estimate of r, which is limited to the range from 0 to 1.
        """
        first, second, third = np.diff(self.accuracy).tolist()
        if first + second <= 0:
            return max(third, 0.0)
        ratio = min(max((second + third) / (first + second), 0.0), 1.0)
        return max(third * ratio, 0.0)

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

    For each of `SHARES`, a model is trained without each of these folds, on this share of the other documents. The last
    point of the curve is for models that were trained on all other documents: `predictions` has what they predict.
    """
    plan, labels = check_plan("svm", n_jobs), documents.targets.first_class
    n_up_to_fold = np.cumsum(np.bincount(fold_of, minlength=N_FOLDS))
    n_folds = min(int(np.searchsorted(n_up_to_fold, MIN_CURVE_DOCUMENTS)) + 1, N_FOLDS)
    is_scored = fold_of < n_folds
    n_documents, predicted = [], []
    for number, share in enumerate(SHARES, 1):
        predicted.append(np.full(len(labels), -1))  # documents of the other folds are not looked at
        n_trained = 0
        for fold in range(n_folds):
            is_test = fold_of == fold
            others = np.flatnonzero(~is_test)
            trained = others[held_out(labels[others].tolist(), share)]  # a sample with the same shares of classes
            n_trained += len(trained)
            predicted[-1][is_test] = _predict(documents, trained, is_test, plan)
        progress("measuring the learning curve", number, len(SHARES))
        n_documents.append(round(n_trained / n_folds))
    # On average, a model in `predictions` was trained on all documents without one of the scored folds.
    n_documents.append(round(float((~is_scored).sum() + is_scored.sum() * (n_folds - 1) / n_folds)))
    predicted.append(predictions.svm_class)
    is_right = [(classes == labels)[is_scored] for classes in predicted]
    return LearningCurve(
        n_documents,
        [float(right.mean()) for right in is_right],
        _largest_class_gains(documents.targets.classes, labels[is_scored], is_right[-2], is_right[-1]),
    )


def _largest_class_gains(classes: Sequence[Any], labels: Ints, before: Bools, after: Bools) -> dict[str, float]:
    """Return the gains in recall of the classes that gained most, at most `MAX_GAINING_CLASSES`.

    `before` and `after` say for each document whether its class was predicted before and after the last doubling.
    """
    gained = np.bincount(labels[after], minlength=len(classes)) - np.bincount(labels[before], minlength=len(classes))
    gains = gained / np.maximum(np.bincount(labels, minlength=len(classes)), 1)
    best = np.argsort(-gains, kind="stable")[:MAX_GAINING_CLASSES]
    return {str(classes[number]): float(gains[number]) for number in best.tolist() if gains[number] > 0}


def _predict(documents: CountedDocuments, trained: Ints, is_test: Bools, plan: TrainingPlan) -> Ints:
    """Return the classes that are predicted for the documents of `is_test` by a model trained on those of `trained`."""
    used = np.sort(np.concatenate([trained, np.flatnonzero(is_test)]))
    scores = HeldOutScores(documents.targets.indicator()[used], None)
    _score_fold(documents.take(used), is_test[used], plan, scores)
    predicted = np.empty(len(used), np.int64)  # for each position in `used`; only those of `is_test` count
    for positions, block, _ in scores.by_document():
        predicted[positions] = block.argmax(axis=1)
    return np.asarray(predicted[is_test[used]])
