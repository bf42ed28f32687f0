"""A slow twin of `Categorizer`: estimators of scikit-learn and plain loops over dense rows, one stage at a time.

The twin scores terms in exact fractions. The categorizer scores them in floats, and may order nearly equal scores
differently. So `check_terms` compares the selected terms with the exact scores, and the later stages of the twin start
from the terms that the categorizer has selected.
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

from . import selectors_twin, svm_weights_twin
from .classifiers_twin import cosine, rocchio_prototypes
from .text_twins import weights_of

Rows = list[list[float]]
Floats = NDArray[np.float64]
LabelSets = Sequence[Sequence[Any]]

TRACE_WEIGHT = 0.75
"""The weight of TOFA in these tests; its automatic weight has tests of its own."""


def trace_scores(rows: Rows, label_sets: LabelSets) -> list[Fraction]:
    """Return the scores of TOFA: the scatter of the class means, and the variance over all documents."""
    weight, n = Fraction(TRACE_WEIGHT), len(rows)
    between = selectors_twin.centroid_scatter(rows, label_sets)
    columns = [[Fraction(row[column]) for row in rows] for column in range(len(rows[0]))]
    scores = []
    for own, column in zip(between, columns, strict=True):
        differences = [value - sum(column) / n for value in column]
        scores.append(
            weight * own + (1 - weight) * Fraction(sum(difference * difference for difference in differences)) / n
        )
    return scores


SELECTORS: dict[str, Callable[[Rows, LabelSets], list[Fraction]]] = {
    "forward": selectors_twin.centroid_scatter,  # only if it selects all terms
    "weights": lambda rows, labels: list(map(Fraction, svm_weights_twin.scores(rows, labels).tolist())),
    "ocfs": selectors_twin.centroid_scatter,
    "tofa": trace_scores,
    "ig": selectors_twin.joint_information_gain,
    "chi": lambda rows, labels: selectors_twin.pooled("ChiSquare", "mean", rows, labels),
    "mi": lambda rows, labels: selectors_twin.pooled("MutualInformation", "mean", rows, labels),
    "df": lambda rows, labels: [Fraction(sum(row[column] != 0 for row in rows)) for column in range(len(rows[0]))],
}

SELECTION_WEIGHTS = {
    **dict.fromkeys(("forward", "ocfs", "tofa"), ("log", "plain", "l2")),
    "weights": ("loglog", "smooth", "l2"),
}
"""Weights (tf, idf, norm) from which a selector selects; other selectors use counts."""


class Weights(NamedTuple):
    """Names of the term weights: tf, idf and norm."""

    tf: str
    idf: str
    norm: str


def counted(texts: Sequence[str], vocabulary: Sequence[str] | None = None, **settings: Any) -> tuple[Rows, list[str]]:
    """Return the counts by scikit-learn, and the term of each column."""
    counter = CountVectorizer(vocabulary=vocabulary, **settings)
    rows = counter.fit_transform(texts).toarray().astype(float).tolist()
    return rows, sorted(counter.vocabulary_, key=counter.vocabulary_.__getitem__)


def weighed(rows: Rows, fitted: Rows, weights: Weights) -> Rows:
    """Return the weights of counts; df and N come from the fitted rows."""
    tf, idf, norm = weights
    if tf == "loglog":
        rows = [[1.0 + math.log(1.0 + math.log(count)) if count else 0.0 for count in row] for row in rows]
        tf = "tf"
    return weights_of(rows, fitted, tf=tf, idf=idf, norm=norm)


def term_scores(selector: str, rows: Rows, label_sets: LabelSets) -> list[Fraction]:
    """Return the exact score of each column."""
    return _term_scores(selector, tuple(map(tuple, rows)), tuple(map(tuple, label_sets)))


@lru_cache(maxsize=100)
def _term_scores(selector: str, rows: Any, label_sets: LabelSets) -> list[Fraction]:
    if selector in SELECTION_WEIGHTS:
        rows = weighed(rows, rows, Weights(*SELECTION_WEIGHTS[selector]))
    return SELECTORS[selector](rows, label_sets)


def check_terms(selected: Sequence[str], terms: Sequence[str], scores: Sequence[Fraction], n_terms: int) -> None:
    """Assert that the selected terms have the highest scores, in descending order, up to rounding errors."""
    score = {term: float(value) for term, value in zip(terms, scores, strict=True)}
    assert len(selected) == len(set(selected)) == min(n_terms, len(terms))
    own = [score[term] for term in selected]
    noise = 1e-6 * max(map(abs, score.values()))  # weights are rounded to 32 bits
    assert all(before >= after - noise for before, after in pairwise(own))
    assert all(score[term] <= own[-1] + noise for term in set(terms) - set(selected))
    for before, after in pairwise(selected):  # terms with a score of 0 are in alphabetical order
        if scores[terms.index(before)] == scores[terms.index(after)] and score[before] == 0:
            assert before < after


def class_without_terms(rows: Rows, label_sets: LabelSets) -> Any:
    """Return the fallback class: the most frequent class of the documents without any weight.

    Ties are broken by the number of documents in all, and then by the order of the classes.
    """
    classes: list[Any] = selectors_twin.classes_of(label_sets)
    without = [labels for row, labels in zip(rows, label_sets, strict=True) if not any(row)]

    def how_often(label: Any) -> tuple[int, int]:
        return sum(label in labels for labels in without), sum(label in labels for labels in label_sets)

    return next(label for label in classes if how_often(label) == max(map(how_often, classes)))


Members = Sequence[Sequence[int]]


class Trained(NamedTuple):
    """The classes of a trained classifier, and a function that returns scores (documents x classes)."""

    classes: list[Any]
    scores: Callable[[Rows], Floats]


def trained(classifier: str, options: dict[str, Any], rows: Rows, label_sets: LabelSets, multilabel: bool) -> Trained:
    """Train a classifier on weights; for multilabel documents, each class against the rest.

    Its scores have a column for each class; for two classes of single-label documents, these are -s and s.
    """
    classes: list[Hashable] = selectors_twin.classes_of(label_sets)
    if classifier == "rocchio":
        prototypes = rocchio_prototypes(rows, label_sets, options.get("beta", 16.0), options.get("gamma", 4.0))

        def cosines(others: Rows) -> Floats:
            scores = np.array([[cosine(row, prototypes[label]) for label in classes] for row in others])
            if len(classes) == 2 and not multilabel:
                scores = (scores[:, 1] - scores[:, 0])[:, None] * [-1, 1]
            return scores

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
    """Train linear SVMs on random subsets of the columns; their scores are averaged."""
    n = len(rows[0])
    subsets = [subset(n, max(1, round(n_terms * n)), member=number, seed=0) for number in range(n_estimators)]
    members = [
        trained("svm", {"C": 100.0}, np.array(rows)[:, columns].tolist(), label_sets, multilabel) for columns in subsets
    ]

    def scores(others: Rows) -> Floats:
        member_scores = [
            member.scores(np.array(others)[:, own].tolist()) for member, own in zip(members, subsets, strict=True)
        ]
        return np.asarray(np.mean(member_scores, axis=0))

    return Trained(members[0].classes, scores)


def _of_one(classifier: str, options: dict[str, Any], rows: Rows, labels: Sequence[Any]) -> Callable[[Rows], Floats]:
    """Train on single labels; the scores of two classes are -s and s.

    s is the decision function of scikit-learn, or the difference of the log probabilities.
    """
    made: Any
    if classifier == "svm":
        made = LinearSVC(C=options.get("C", 0.5), tol=1e-8, dual=True, max_iter=1_000_000, random_state=0)
    else:
        makers: dict[str, Any] = {"logistic": LogisticRegression, "nb": MultinomialNB, "cnb": ComplementNB}
        made = makers[classifier](**options)
    made.fit(np.array(rows), np.array(labels))

    def scores(others: Rows) -> Floats:
        if hasattr(made, "decision_function"):
            outputs = np.asarray(made.decision_function(np.array(others)))
            return outputs if outputs.ndim == 2 else np.stack([-outputs, outputs], axis=1)
        outputs = np.asarray(made.predict_joint_log_proba(np.array(others)))
        if outputs.shape[1] > 2:
            return outputs
        ahead = outputs[:, 1] - outputs[:, 0]
        return np.stack([-ahead, ahead], axis=1)

    return scores


# -- classifiers in which documents or terms vote, written as METHODS has them -------------------------------------


def tcfp_votes(rows: Rows, members: Members, n_classes: int, row: Sequence[float]) -> list[float]:
    """Return the votes of TCFP: a term divides its weight among classes.

    A class gets a share in proportion to the weights of its documents in which the term has at least its mean weight.
    """
    votes = [0.0] * n_classes
    for term, weight in enumerate(row):
        holders = [number for number, document in enumerate(rows) if document[term]]
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
    """Return the votes of k-NNFP: for each term, the k documents with the nearest weights have one vote each.

    Of equally near documents, the first ones vote.
    """
    votes = [0.0] * n_classes
    for term, weight in enumerate(row):
        if weight:
            holders = [number for number, document in enumerate(rows) if document[term]]
            nearest = sorted(holders, key=lambda number: (abs(rows[number][term] - weight), number))
            for number in nearest[:k]:
                for own in members[number]:
                    votes[own] += 1.0
    return votes


def knn_votes(rows: Rows, members: Members, n_classes: int, row: Sequence[float], k: int) -> list[float]:
    """Return the votes of k-NN: the k nearest documents vote with their cosines."""
    near = [(cosine(row, document), -number) for number, document in enumerate(rows)]
    votes = [0.0] * n_classes
    for similarity, number in sorted(near, reverse=True)[:k]:
        for own in members[-number]:
            votes[own] += max(similarity, 0.0)
    return votes


VOTERS: dict[str, Callable[..., list[float]]] = {"tcfp": tcfp_votes, "knnfp": knnfp_votes, "knn": knn_votes}
