"""A categorizer, the slow way: scikit-learn's parts and plain loops over dense rows, one stage after the other.

Terms are chosen by exact fractions, where floats may order near-equal scores otherwise; so `check_terms` holds a choice
against the exact scores, and the stages after it start from the terms that were chosen.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.svm import LinearSVC

from textsieve.ensembles.members import subset

from . import selectors_twin
from .classifiers_twin import cosine, rocchio_prototypes
from .text_twins import weights_of

Rows = list[list[float]]
Floats = NDArray[np.float64]
LabelSets = Sequence[Sequence[Any]]

TRACE_WEIGHT = 0.75
"""Of TOFA; the one that it finds by itself is another matter."""


def trace_scores(rows: Rows, label_sets: LabelSets) -> list[Fraction]:
    """TOFA: the scatter of the class means, and the variance over all documents, labelled or not."""
    weight, n = Fraction(TRACE_WEIGHT), len(rows)
    between = selectors_twin.centroid_scatter(rows, label_sets)
    columns = [[Fraction(row[column]) for row in rows] for column in range(len(rows[0]))]
    scores = []
    for own, column in zip(between, columns, strict=True):
        apart = [value - sum(column) / n for value in column]
        scores.append(weight * own + (1 - weight) * Fraction(sum(each * each for each in apart)) / n)
    return scores


SELECTORS: dict[str, Callable[[Rows, LabelSets], list[Fraction]]] = {
    "forward": selectors_twin.centroid_scatter,  # of all terms; see `check_terms`
    "ocfs": selectors_twin.centroid_scatter,
    "tofa": trace_scores,
    "ig": selectors_twin.joint_information_gain,
    "chi": lambda rows, labels: selectors_twin.pooled("ChiSquare", "mean", rows, labels),
    "mi": lambda rows, labels: selectors_twin.pooled("MutualInformation", "mean", rows, labels),
    "df": lambda rows, labels: [Fraction(sum(row[column] != 0 for row in rows)) for column in range(len(rows[0]))],
}

SELECTION_WEIGHTS = dict.fromkeys(("forward", "ocfs", "tofa"), ("log", "plain", "l2"))
"""Other selectors look at bare counts."""


class Weights(NamedTuple):
    """How counts are weighted."""

    tf: str
    idf: str
    norm: str


def counted(texts: Sequence[str], vocabulary: Sequence[str] | None = None, **settings: Any) -> tuple[Rows, list[str]]:
    """Counts by scikit-learn, and the terms of the columns."""
    counter = CountVectorizer(vocabulary=vocabulary, **settings)
    rows = counter.fit_transform(texts).toarray().astype(float).tolist()
    return rows, sorted(counter.vocabulary_, key=counter.vocabulary_.__getitem__)


def weighed(rows: Rows, fitted: Rows, weights: Weights) -> Rows:
    """Weights, with df and N of the fitted rows."""
    tf, idf, norm = weights
    if tf == "loglog":
        rows = [[1.0 + math.log(1.0 + math.log(count)) if count else 0.0 for count in row] for row in rows]
        tf = "tf"
    return weights_of(rows, fitted, tf=tf, idf=idf, norm=norm)


def term_scores(selector: str, rows: Rows, label_sets: LabelSets) -> list[Fraction]:
    """The exact score of each term, by its column."""
    return _term_scores(selector, tuple(map(tuple, rows)), tuple(map(tuple, label_sets)))


@lru_cache(maxsize=100)
def _term_scores(selector: str, rows: Any, label_sets: LabelSets) -> list[Fraction]:
    if selector in SELECTION_WEIGHTS:
        rows = weighed(rows, rows, Weights(*SELECTION_WEIGHTS[selector]))
    return SELECTORS[selector](rows, label_sets)


def check_terms(chosen: Sequence[str], terms: Sequence[str], scores: Sequence[Fraction], n_terms: int) -> None:
    """The chosen terms are the best, the best first, as far as their scores differ by more than rounding."""
    score = {term: float(each) for term, each in zip(terms, scores, strict=True)}
    assert len(chosen) == len(set(chosen)) == min(n_terms, len(terms))
    own = [score[term] for term in chosen]
    noise = 1e-6 * max(map(abs, score.values()))  # weights are rounded to 32 bits
    assert all(before >= after - noise for before, after in pairwise(own))
    assert all(score[term] <= own[-1] + noise for term in set(terms) - set(chosen))
    for before, after in pairwise(chosen):  # really equal scores: by the alphabet
        if scores[terms.index(before)] == scores[terms.index(after)] and score[before] == 0:
            assert before < after


def class_without_terms(rows: Rows, label_sets: LabelSets) -> Any:
    """Of the documents whose weights are all 0, the most frequent class; of equals that of all documents; the first."""
    classes: list[Any] = selectors_twin.classes_of(label_sets)
    without = [labels for row, labels in zip(rows, label_sets, strict=True) if not any(row)]

    def how_often(label: Any) -> tuple[int, int]:
        return sum(label in labels for labels in without), sum(label in labels for labels in label_sets)

    return next(label for label in classes if how_often(label) == max(map(how_often, classes)))


Members = Sequence[Sequence[int]]


class Trained(NamedTuple):
    """Scores of documents for each class: documents x classes."""

    classes: list[Any]
    scores: Callable[[Rows], Floats]


def trained(classifier: str, options: dict[str, Any], rows: Rows, label_sets: LabelSets, multilabel: bool) -> Trained:
    """Train on weights; with several labels, each class against the rest."""
    classes: list[Hashable] = selectors_twin.classes_of(label_sets)
    if classifier == "rocchio":
        prototypes = rocchio_prototypes(rows, label_sets, options.get("beta", 16.0), options.get("gamma", 4.0))

        def cosines(others: Rows) -> Floats:
            return np.array([[cosine(row, prototypes[label]) for label in classes] for row in others])

        return Trained(classes, cosines)
    if classifier in VOTERS:
        members = [[classes.index(label) for label in labels] for labels in label_sets]
        vote = partial(VOTERS[classifier], rows, members, len(classes), **options)
        return Trained(classes, lambda others: np.array([vote(row) for row in others]))
    if classifier == "subspace":
        return _mean_of_subspaces(rows, label_sets, multilabel, **options)
    if not multilabel:
        return Trained(classes, _of_one(classifier, options, rows, [labels[0] for labels in label_sets]))
    single = [_of_one(classifier, options, rows, [label in own for own in label_sets]) for label in classes]
    return Trained(classes, lambda others: np.transpose([scores(others)[:, 1] for scores in single]))


def _mean_of_subspaces(
    rows: Rows, label_sets: LabelSets, multilabel: bool, n_estimators: int, n_terms: float, **_: Any
) -> Trained:
    """Linear SVMs on some columns each, and the mean of their scores."""
    n = len(rows[0])
    subsets = [subset(n, max(1, round(n_terms * n)), member=number, seed=0) for number in range(n_estimators)]
    members = [
        trained("svm", {"C": 100.0}, np.array(rows)[:, columns].tolist(), label_sets, multilabel) for columns in subsets
    ]

    def scores(others: Rows) -> Floats:
        said = [each.scores(np.array(others)[:, own].tolist()) for each, own in zip(members, subsets, strict=True)]
        return np.asarray(np.mean(said, axis=0))

    return Trained(members[0].classes, scores)


def _of_one(classifier: str, options: dict[str, Any], rows: Rows, labels: Sequence[Any]) -> Callable[[Rows], Floats]:
    """Train on one label a document; scores of two classes are s and -s, as far apart as scikit-learn has them."""
    made: Any
    if classifier == "svm":
        made = LinearSVC(C=options.get("C", 0.5), tol=1e-8, dual=True, max_iter=1_000_000, random_state=0)
    else:
        makers: dict[str, Any] = {"logistic": LogisticRegression, "nb": MultinomialNB, "cnb": ComplementNB}
        made = makers[classifier](**options)
    made.fit(np.array(rows), np.array(labels))

    def scores(others: Rows) -> Floats:
        if hasattr(made, "decision_function"):
            found = np.asarray(made.decision_function(np.array(others)))
            return found if found.ndim == 2 else np.stack([-found, found], axis=1)
        found = np.asarray(made.predict_joint_log_proba(np.array(others)))
        if found.shape[1] > 2:
            return found
        ahead = found[:, 1] - found[:, 0]
        return np.stack([-ahead, ahead], axis=1)

    return scores


# -- classifiers in which documents or terms vote, written as METHODS has them -------------------------------------


def tcfp_votes(rows: Rows, members: Members, n_classes: int, row: Sequence[float]) -> list[float]:
    """Each term gives its weight to the classes of documents that have at least its mean weight, by their weights."""
    votes = [0.0] * n_classes
    for term, weight in enumerate(row):
        holders = [number for number, each in enumerate(rows) if each[term]]
        if not weight or not holders:
            continue
        mean = sum(rows[number][term] for number in holders) / len(holders)
        sums = [0.0] * n_classes
        for number in holders:
            if rows[number][term] >= mean * (1 - 1e-12):
                for own in members[number]:
                    sums[own] += rows[number][term]
        for own in range(n_classes):
            votes[own] += weight * sums[own] / sum(sums)
    return votes


def knnfp_votes(rows: Rows, members: Members, n_classes: int, row: Sequence[float], k: int) -> list[float]:
    """For each term, the k documents with the nearest weights, one vote each; of equally near ones the lower."""
    votes = [0.0] * n_classes
    for term, weight in enumerate(row):
        if weight:
            holders = [number for number, each in enumerate(rows) if each[term]]
            nearest = sorted(holders, key=lambda number: (abs(rows[number][term] - weight), number))
            for number in nearest[:k]:
                for own in members[number]:
                    votes[own] += 1.0
    return votes


def knn_votes(rows: Rows, members: Members, n_classes: int, row: Sequence[float], k: int) -> list[float]:
    """The k nearest documents vote with their cosines."""
    near = [(cosine(row, each), -number) for number, each in enumerate(rows)]
    votes = [0.0] * n_classes
    for similarity, number in sorted(near, reverse=True)[:k]:
        for own in members[-number]:
            votes[own] += max(similarity, 0.0)
    return votes


VOTERS: dict[str, Callable[..., list[float]]] = {"tcfp": tcfp_votes, "knnfp": knnfp_votes, "knn": knn_votes}
