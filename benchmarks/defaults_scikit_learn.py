"""Our default selector against four of scikit-learn's, on documents that nobody has looked at before.

All get the same documents, weighted as the SVM gets them, and the same linear SVM is trained on the terms that each
chooses. Of a document with several labels there is a copy for each, where a method knows but one; then all labels with
a score above 0 are given, and the best one in any case. `mutual_info_classif` gets whether a term is there, and is
asked of the terms that our information gain, which is the same number, has at the top: it takes minutes for all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.feature_selection import SelectFromModel, chi2, f_classif, mutual_info_classif
from sklearn.svm import LinearSVC

from textsieve import Categorizer, ForwardSelection, InformationGain
from textsieve.evaluation import compare_labels
from textsieve.registry import CLASSIFIERS
from textsieve.selectors.base import ranked
from textsieve.stats import ClassStats
from textsieve.text.schemes import LTC
from textsieve.training.counted_documents import CountedDocuments, columns_in_order
from textsieve.training.plan import TrainingPlan

from .defaults_corpora import Labelled

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

SIZES = (100, 200, 500, 1000, 2000)
OURS = "forward"
ASKED = 3 * max(SIZES)
"""Of so many terms mutual information is worked out."""


class Known(NamedTuple):
    """Documents to learn from: counts and weights of the terms that they have, and their classes."""

    counted: CountedDocuments
    weights: csr_matrix

    def copied(self, rows: csr_matrix) -> tuple[csr_matrix, Ints]:
        """A row for each pair of a document and one of its classes."""
        documents, classes = np.nonzero(self.counted.targets.is_member)
        return rows[documents], classes


def forward(known: Known, k: int) -> Ints:
    """What a `Categorizer` does unless it is told otherwise; fewer terms are the first of more, up to 4,000."""
    found = ForwardSelection(k=k).fit(known.counted.weights(LTC), known.counted.targets.for_stats())
    return found.selected_columns()


def by_chi2(known: Known, k: int) -> Ints:
    """`chi2`."""
    return ranked(np.nan_to_num(chi2(*known.copied(known.weights))[0]))[:k]


def by_f(known: Known, k: int) -> Ints:
    """`f_classif`."""
    return ranked(np.nan_to_num(f_classif(*known.copied(known.weights))[0]))[:k]


def by_information(known: Known, k: int) -> Ints:
    """`mutual_info_classif`."""
    stats = ClassStats.from_matrix(known.counted.counts, known.counted.targets.for_stats())
    gain = InformationGain(k="all").fit_stats(stats)
    asked = np.sort(gain.ranking_[:ASKED])
    rows, classes = known.copied(known.counted.counts[:, asked])
    rows.data[:] = 1
    found = mutual_info_classif(rows, classes, discrete_features=True)
    assert np.allclose(found, gain.scores_[asked] * np.log(2), atol=1e-9)
    return asked[ranked(found)[:k]]


def by_l1(known: Known, k: int) -> Ints:
    """`SelectFromModel` of a `LinearSVC` with an L1 penalty, as it is unless told otherwise: C = 1."""
    model = LinearSVC(penalty="l1", dual=False, random_state=0, tol=1e-3)
    targets = known.counted.targets
    if not targets.multilabel:
        fitted = SelectFromModel(model, max_features=k, threshold=-np.inf).fit(known.weights, targets.first)
        return ranked(np.abs(fitted.estimator_.coef_).sum(axis=0))[:k]
    sums = np.zeros(known.weights.shape[1])
    for members in targets.members:  # what SelectFromModel adds up, of one class after the other
        if 0 < len(members) < targets.n_documents:
            is_member = np.isin(np.arange(targets.n_documents), members)
            sums += np.abs(model.fit(known.weights, is_member).coef_[0])
    return ranked(sums)[:k]


SELECTORS: dict[str, Callable[[Known, int], Ints]] = {
    OURS: forward,
    "chi2": by_chi2,
    "mutual_info_classif": by_information,
    "f_classif": by_f,
    "L1 SelectFromModel": by_l1,
}


class F1(NamedTuple):
    """Of a condition."""

    micro: float
    macro: float


def measured(labelled: Labelled, learn: Ints, tested: Ints) -> dict[tuple[str, int], F1]:
    """All selectors and sizes on some documents, learned from others."""
    training = TrainingPlan.of(Categorizer().settings(), n_jobs=2)
    scheme = CLASSIFIERS["svm"].scheme
    whole = labelled.counted()
    train, test = whole.take(np.sort(learn)), whole.take(np.sort(tested))
    columns = train.columns_within_limits
    known = Known(train.within_limits, train.within_limits.weights(scheme).astype(np.float64))
    sizes = [size for size in SIZES if size < len(columns)]
    found = {}
    for name, select in SELECTORS.items():
        best = columns[select(known, max(sizes))]
        for size in sizes:
            found[name, size] = _score(training, train, test, best[:size])
    return found


def _score(training: TrainingPlan, train: CountedDocuments, test: CountedDocuments, columns: Ints) -> F1:
    fitted = training.fit_counts(columns_in_order(train.counts, columns), train.targets)
    scores = training.scores(fitted, columns_in_order(test.counts, columns)).scores
    is_label: Any = np.arange(scores.shape[1]) == scores.argmax(axis=1)[:, None]
    if train.targets.multilabel:
        is_label |= scores > 0
    classes = train.targets.classes
    predicted = [tuple(classes[number] for number in np.flatnonzero(row)) for row in is_label]
    report = compare_labels(classes, test.targets.label_sets(), predicted, multilabel=train.targets.multilabel)
    return F1(report.micro_f1, report.macro_f1)
