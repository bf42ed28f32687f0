"""The slow twin of comparing vectors: it fits estimators one after the other; F1 is that of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.metrics import accuracy_score, f1_score

from textsieve.evaluation import PCut, folds
from textsieve.text import TermWeighter

from .categorizer_twin import class_without_terms

Scheme = tuple[str, str, str]
AS_GIVEN: Scheme = ("tf", "none", "none")


class Estimators(NamedTuple):
    """A selector and a classifier, and the weights (tf, idf, norm) that each of them gets."""

    selector: Callable[[int], Any]
    selection: Scheme
    classifier: Callable[[], Any]
    scheme: Scheme


class ByHand(NamedTuple):
    """The results on the test documents."""

    micro_f1: float
    macro_f1: float
    accuracy: float
    terms: list[str]


def weighter(scheme: Scheme) -> TermWeighter:
    """Return a weighter with these names of tf, idf and norm."""
    return TermWeighter(tf=scheme[0], idf=scheme[1], norm=scheme[2])


def chosen_columns(rows: csr_matrix, labels: Any, k: int, own: Estimators) -> Any:
    """Return the k best of the columns that occur in these documents, the best first."""
    present = np.flatnonzero(np.diff(rows.tocsc().indptr))
    selector = own.selector(min(k, len(present))).fit(weighter(own.selection).fit_transform(rows[:, present]), labels)
    return present[selector.ranking_[:k]]


def one_label(rows: csr_matrix, labels: Sequence[str], tested: Any, k: int, own: Estimators) -> ByHand:
    """Train a single-label classifier on the other documents, and return its results on the tested ones."""
    y = np.array(labels)
    train, test = np.flatnonzero(~tested), np.flatnonzero(tested)
    best = chosen_columns(rows[train], y[train], k, own)
    weights = weighter(own.scheme).fit(rows[train][:, best])
    to_learn, to_test = (weights.transform(rows[part][:, best]) for part in (train, test))
    predicted = own.classifier().fit(to_learn.astype(np.float32), y[train]).predict(to_test)
    own_sets = [(label,) for label in y[train].tolist()]
    predicted[np.diff(to_test.indptr) == 0] = class_without_terms(to_learn.toarray().tolist(), own_sets)
    return _figures(y[test], predicted, best, np.unique(y))


def several_labels(
    rows: csr_matrix, sets: Sequence[Sequence[str]], tested: Any, k: int, own: Estimators, n_folds: int = 5
) -> ByHand:
    """Train a classifier for each class, and return its results; thresholds are fitted on held-out documents."""
    classes = sorted({label for labels in sets for label in labels})
    is_member = np.array([[label in labels for label in classes] for labels in sets])
    train, test = np.flatnonzero(~tested), np.flatnonzero(tested)
    known = np.flatnonzero(is_member[train].any(axis=0))
    own_sets = [sets[place] for place in train.tolist()]
    held_out_scores = np.full((len(train), len(known)), np.nan)
    fold_of = folds([min(labels) for labels in own_sets], n_folds)
    for fold in range(n_folds):
        others, out = train[fold_of != fold], train[fold_of == fold]
        best = chosen_columns(rows[others], [sets[place] for place in others.tolist()], k, own)
        scores, _ = _scores(rows, is_member[:, known], others, out, best, own)
        learned = is_member[others][:, known].sum(axis=0)
        scores[:, (learned == 0) | (learned == len(others))] = np.nan
        held_out_scores[fold_of == fold] = scores
    rule = PCut().fit(held_out_scores, is_member[train][:, known]).rule_
    best = chosen_columns(rows[train], own_sets, k, own)
    scores, is_empty = _scores(rows, is_member[:, known], train, test, best, own)
    to_learn = weighter(own.scheme).fit_transform(rows[train][:, best])
    fallback = class_without_terms(to_learn.toarray().tolist(), own_sets)
    is_label = np.zeros((len(test), len(classes)), np.bool_)
    is_label[:, known] = rule(scores)
    is_label[is_empty] = [label == fallback for label in classes]
    occurs = np.flatnonzero(is_member[test].any(axis=0) | is_label.any(axis=0))
    return _figures(is_member[test], is_label, best, occurs)


def _scores(rows: Any, is_member: Any, train: Any, test: Any, best: Any, own: Estimators) -> tuple[Any, Any]:
    weights = weighter(own.scheme).fit(rows[train][:, best])
    to_learn, to_test = (weights.transform(rows[part][:, best]) for part in (train, test))
    scores = np.full((len(test), is_member.shape[1]), -np.inf)
    for number in range(is_member.shape[1]):
        y = is_member[train, number]
        if y.any() and not y.all():
            fitted = own.classifier().fit(to_learn.astype(np.float32), y)
            scores[:, number] = fitted.decision_function(to_test)
    return scores, np.diff(to_test.indptr) == 0


def _figures(true: Any, predicted: Any, best: Any, labels: Any) -> ByHand:
    scores: Any = f1_score
    micro, macro = (
        scores(true, predicted, average=average, labels=labels, zero_division=0.0) for average in ("micro", "macro")
    )
    terms = [f"#{column}" for column in best.tolist()]
    return ByHand(float(micro), float(macro), float(accuracy_score(true, predicted)), terms)
