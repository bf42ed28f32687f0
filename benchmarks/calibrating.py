"""Compare ways to turn scores into probabilities: the table in docs/research/calibration-results.md.

`python -m benchmarks.calibrating FOLDER` needs the packages of `benchmarks.package_corpora` in a folder, and the named
corpora. A curve is fitted to the five-fold held-out scores of the training documents, and measured on test documents.
Documents without a selected term are left out: no curve is fitted to them.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from scipy.special import log_softmax, softmax
from sklearn.calibration import CalibratedClassifierCV
from sklearn.svm import LinearSVC

import textsieve
from textsieve import Categorizer
from textsieve.evaluation import Calibration, JointCalibration, folds
from textsieve.evaluation.scores import HeldOutScores
from textsieve.training.counted_documents import count_texts
from textsieve.training.train import Training
from textsieve.training.tuning import Tuning

from .package_corpora import load

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Curve = Callable[[Floats], Floats]
"""Function from scores to probabilities (both documents x classes)."""

MAX_DOCUMENTS = 9000
"""The largest number of documents that are drawn from a corpus without a test part."""
NAMED = {
    "newsgroups": ("newsgroups:train", "newsgroups:test"),
    "webkb:stemmed": ("webkb:stemmed:train", "webkb:stemmed:test"),
    **{name: (name,) for name in ("webkb", "brown", "odp:sample", "docstrings")},
}
PACKAGES = (
    *("sms-spam", "bbc-headlines", "rotten-tomatoes", "complaints", "disaster-genre", "questions", "wisesight"),
    *("toutiao", "thucnews", "bol.com", "recipes", "icd-en", "emoji-hi", "drug-reviews"),
)


class Scored(NamedTuple):
    """Held-out scores of training documents, and scores of test documents, with their classes.

    For scikit-learn, there are the weights of all training documents and of the test documents.
    """

    scores: Floats
    classes: Ints
    test_scores: Floats
    test_classes: Ints
    rows: csr_matrix
    all_classes: Ints
    test_rows: csr_matrix


class Measures(NamedTuple):
    """The quality of probabilities on test documents."""

    log_loss: float
    brier: float
    calibration_error: float
    accuracy: float
    contradictions: int
    """The number of documents whose most probable class does not have the best score."""


# -- documents ---------------------------------------------------------------------------------------------------


def read_parts(name: str, folder: Path) -> list[tuple[list[Any], list[Any]]]:
    """Return texts and labels of the training and the test documents; every third document of a class is tested."""
    if len(NAMED.get(name, ())) == 2:
        return [_read(part) for part in NAMED[name]]
    texts, labels = _read(name) if name in NAMED else load(name, folder)
    order = np.random.default_rng(0).permutation(len(texts))[:MAX_DOCUMENTS].tolist()
    is_test = np.asarray(folds([labels[number] for number in order], 3)) == 0
    return [
        ([texts[order[place]] for place in places], [labels[order[place]] for place in places])
        for places in (np.flatnonzero(~is_test).tolist(), np.flatnonzero(is_test).tolist())
    ]


def _read(name: str) -> tuple[list[Any], list[Any]]:
    """Return the texts and labels of a named corpus."""
    batches = list(textsieve.read(name).text_batches())
    texts = [text for batch in batches for text in batch.texts]
    return texts, [labels[0] for batch in batches for labels in batch.labels]


def score(name: str, folder: Path, classifier: str) -> Scored:
    """Train on a corpus, and return the scores of its documents that have a selected term."""
    (texts, labels), (test_texts, test_labels) = read_parts(name, folder)
    categorizer = Categorizer(
        analyzer="word", max_size=None, class_weight=None, classifier=classifier, probabilities=None
    )
    training = Training(categorizer.settings(), lambda *_: None)
    counted = count_texts(texts, labels, training.counter(), training.limits, multilabel=False)
    tuning = Tuning(counted, training.plan, categorizer.folds, lambda *_: None)
    held_out = tuning.held_out_scores(training.plan.max_terms(None, counted.n_terms))
    scores = np.empty(held_out.true.shape)
    for documents, block, _ in held_out.by_document():
        scores[documents] = block
    model = categorizer.fit(texts, labels).model_
    numbers = {label: number for number, label in enumerate(model.classes)}
    rows, test_rows = model.rows(texts), model.rows(test_texts)
    test_classes = np.array([numbers.get(label, -1) for label in test_labels])
    known = ~held_out.is_unknown & np.isfinite(scores).all(axis=1)
    test_known = ~test_rows.is_zero & (test_classes >= 0)
    return Scored(
        scores[known],
        counted.targets.first_class[known],
        model.predict_rows(test_rows).scores[test_known],
        test_classes[test_known],
        rows.matrix().tocsr(),
        counted.targets.first_class,
        test_rows.matrix().tocsr()[test_known],
    )


# -- probabilities -----------------------------------------------------------------------------------------------


def joint(scored: Scored) -> Curve:
    """Return the default: one sigmoid for all classes."""
    return JointCalibration.fit_held_out(HeldOutScores.of(scored.scores, _members(scored))).curve


def per_class(method: str) -> Callable[[Scored], Curve]:
    """Return a method that fits a curve for each class and divides by the sum."""

    def fit(scored: Scored) -> Curve:
        fitted = Calibration.fit(method, scored.scores, _members(scored))
        return lambda scores: fitted.probabilities(scores, sum_to_one=True)

    return fit


def temperature(scored: Scored) -> Curve:
    """Return softmax(s / T)."""
    slope = np.exp(_minimize(lambda x: _log_loss(log_softmax(np.exp(x[0]) * scored.scores, axis=1), scored), [1.0])[0])
    return lambda scores: softmax(slope * scores, axis=1)


def mixture(scored: Scored) -> Curve:
    """Return softmax(s / T), mixed with equal probabilities."""

    def curve(x: Floats, scores: Floats) -> Floats:
        share = 1 / (1 + np.exp(-x[1]))
        return np.asarray((1 - share) * softmax(np.exp(x[0]) * scores, axis=1) + share / scores.shape[1])

    best = _minimize(lambda x: _log_loss(np.log(curve(x, scored.scores)), scored), [1.0, -4.0])
    return lambda scores: curve(best, scores)


def vector(scored: Scored) -> Curve:
    """Return softmax(a_j s_j + b_j), with a small penalty on b and on differences between the a_j."""
    n, n_classes = scored.scores.shape
    scale = float(np.abs(scored.scores).max())
    scores, members = scored.scores / scale, _members(scored)

    def loss(x: Floats) -> tuple[float, Floats]:
        slopes, offsets = x[:n_classes], x[n_classes:]
        log_p = log_softmax(slopes * scores + offsets, axis=1)
        residual, spread = (np.exp(log_p) - members) / n, slopes - slopes.mean()
        penalty = ((offsets**2).sum() / 2 + 1e-3 * (spread**2).sum()) / n
        gradient = [(residual * scores).sum(axis=0) + 2e-3 * spread / n, residual.sum(axis=0) + offsets / n]
        return _log_loss(log_p, scored) + float(penalty), np.concatenate(gradient)

    start = np.repeat([5.0, 0.0], n_classes)
    best = minimize(loss, start, jac=True, method="L-BFGS-B").x
    return lambda scores: softmax(best[:n_classes] * scores / scale + best[n_classes:], axis=1)


def scikit_learn(method: str) -> Callable[[Scored], Floats]:
    """Return a function to the probabilities of test documents by scikit-learn's `CalibratedClassifierCV`."""

    def predict(scored: Scored) -> Floats:
        classes = scored.all_classes
        enough = np.bincount(classes)[classes] >= 5  # five folds need five documents of a class
        calibrated: Any = CalibratedClassifierCV(LinearSVC(C=0.5), method=method, cv=5, ensemble=False)
        calibrated.fit(scored.rows[enough], classes[enough])
        probabilities = np.zeros(scored.test_scores.shape)
        probabilities[:, calibrated.classes_] = calibrated.predict_proba(scored.test_rows)
        return probabilities

    return predict


def _members(scored: Scored) -> NDArray[np.bool_]:
    """Return which class each training document has (documents x classes)."""
    return np.asarray(scored.classes[:, np.newaxis] == np.arange(scored.scores.shape[1]))


def _log_loss(log_probabilities: Floats, scored: Scored) -> float:
    return -float(log_probabilities[np.arange(len(scored.classes)), scored.classes].mean())


def _minimize(loss: Callable[[Floats], float], start: list[float]) -> Floats:
    return np.asarray(minimize(loss, start, method="Nelder-Mead").x)


CURVES: dict[str, Callable[[Scored], Curve]] = {
    "one sigmoid for all classes (the default)": joint,
    "temperature, softmax(s / T)": temperature,
    "temperature, mixed with equal probabilities": mixture,
    "vector scaling, softmax(a_j s_j + b_j)": vector,
    "one sigmoid for each class (earlier versions)": per_class("sigmoid"),
    "one isotonic curve for each class (earlier versions)": per_class("isotonic"),
}
PEERS = {f"`CalibratedClassifierCV`, {name}": scikit_learn(name) for name in ("sigmoid", "isotonic", "temperature")}


# -- measures ----------------------------------------------------------------------------------------------------


def measure(probabilities: Floats, scored: Scored) -> Measures:
    """Return the quality of probabilities of the test documents."""
    classes, n = scored.test_classes, len(scored.test_classes)
    of_class = np.clip(probabilities[np.arange(n), classes], 1e-15, 1)
    members = classes[:, np.newaxis] == np.arange(probabilities.shape[1])
    best, largest = probabilities.argmax(axis=1), probabilities.max(axis=1)
    is_right = best == classes
    bins = [part for part in np.array_split(np.argsort(largest, kind="stable"), 15) if len(part)]
    differences = [abs(largest[part].mean() - is_right[part].mean()) * len(part) / n for part in bins]
    return Measures(
        float(-np.log(of_class).mean()),
        float(((probabilities - members) ** 2).sum(axis=1).mean()),
        float(sum(differences)),
        float(is_right.mean()),
        int((best != scored.test_scores.argmax(axis=1)).sum()),
    )


def main(folder: Path, classifier: str = "svm") -> None:
    """Print a table of the mean measures over all corpora, and those of each corpus as it is measured."""
    results: dict[str, list[Measures]] = {}
    for name in (*NAMED, *PACKAGES):
        scored = score(name, folder, classifier)
        measured = {method: measure(fit(scored)(scored.test_scores), scored) for method, fit in CURVES.items()}
        if classifier == "svm":
            measured |= {method: measure(predict(scored), scored) for method, predict in PEERS.items()}
        for method, measures in measured.items():
            results.setdefault(method, []).append(measures)
            print(f"{name}: {method}: " + ", ".join(f"{figure:.4g}" for figure in measures), file=sys.stderr)
    print("| probabilities | log loss | Brier score | ECE | accuracy | contradictions |\n|---|--:|--:|--:|--:|--:|")
    for method, all_measures in results.items():
        figures = [mean(column) for column in zip(*all_measures, strict=True)]
        print(f"| {method} | " + " | ".join(f"{figure:.3f}" for figure in figures[:4]) + f" | {figures[4]:.1f} |")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(Path(sys.argv[1]), *sys.argv[2:3])
