"""The default selector of textsieve beside four of scikit-learn's, on the final test documents.

All selectors get the same documents, with the weights of the SVM, and the same linear SVM is trained on the terms that
each selects. Methods that know only one label per document get a copy of a multilabel document for each of its labels.
A multilabel test document gets the class with the highest score, and all others with a score above 0.

`mutual_info_classif` gets the presence of terms. It would take minutes for all terms, so it scores only the best terms
by our information gain, which is the same number; an assertion checks that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.feature_selection import SelectFromModel, chi2, f_classif, mutual_info_classif
from sklearn.svm import LinearSVC

from textsieve import ForwardSelection, InformationGain
from textsieve.categorizer_settings import Settings
from textsieve.evaluation import compare_labels
from textsieve.registry import CLASSIFIERS
from textsieve.selectors.base import rank_by_score
from textsieve.stats import ClassStats
from textsieve.text.choices import LTC
from textsieve.training.counted_documents import CountedDocuments, take_columns
from textsieve.training.plan import TrainingPlan

from .defaults_corpora import Labelled

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

SIZES = (100, 200, 500, 1000, 2000)
OURS = "forward"
N_CANDIDATES = 3 * max(SIZES)
"""The number of terms that `mutual_info_classif` scores."""


class TrainingDocuments(NamedTuple):
    """The counts and weights of the terms in the training documents, and their classes."""

    counted: CountedDocuments
    weights: csr_matrix

    def copy_for_labels(self, rows: csr_matrix) -> tuple[csr_matrix, Ints]:
        """Return a row for each pair of a document and one of its classes, and the number of the class."""
        documents, classes = np.nonzero(self.counted.targets.indicator().toarray())
        return rows[documents], classes


def select_forward(train: TrainingDocuments, k: int) -> Ints:
    """Return the columns that textsieve's default selects; a smaller selection is the beginning of a larger one."""
    selector = ForwardSelection(k=k).fit(train.counted.weights(LTC), train.counted.targets.for_stats())
    return selector.selected_columns()


def select_by_chi2(train: TrainingDocuments, k: int) -> Ints:
    """Return the k best columns by `chi2`."""
    return rank_by_score(np.nan_to_num(chi2(*train.copy_for_labels(train.weights))[0]))[:k]


def select_by_f(train: TrainingDocuments, k: int) -> Ints:
    """Return the k best columns by `f_classif`."""
    return rank_by_score(np.nan_to_num(f_classif(*train.copy_for_labels(train.weights))[0]))[:k]


def select_by_information(train: TrainingDocuments, k: int) -> Ints:
    """Return the k best columns by `mutual_info_classif`."""
    stats = ClassStats.from_matrix(train.counted.counts, train.counted.targets.for_stats())
    gain = InformationGain(k="all").fit_stats(stats)
    candidates = np.sort(gain.ranking_[:N_CANDIDATES])
    rows, classes = train.copy_for_labels(train.counted.counts[:, candidates])
    rows.data[:] = 1
    scores = mutual_info_classif(rows, classes, discrete_features=True)
    assert np.allclose(scores, gain.scores_[candidates] * np.log(2), atol=1e-9)
    return candidates[rank_by_score(scores)[:k]]


def select_by_l1(train: TrainingDocuments, k: int) -> Ints:
    """Return the k best columns by `SelectFromModel` of a `LinearSVC` with an L1 penalty and its default, C = 1."""
    model = LinearSVC(penalty="l1", dual=False, random_state=0, tol=1e-3)
    targets = train.counted.targets
    if not targets.multilabel:
        selector = SelectFromModel(model, max_features=k, threshold=-np.inf).fit(train.weights, targets.first_class)
        return rank_by_score(np.abs(selector.estimator_.coef_).sum(axis=0))[:k]
    sums = np.zeros(train.weights.shape[1])
    for members in targets.members:  # the same sum as above, one class after the other
        if 0 < len(members) < targets.n_documents:
            is_member = np.isin(np.arange(targets.n_documents), members)
            sums += np.abs(model.fit(train.weights, is_member).coef_[0])
    return rank_by_score(sums)[:k]


SELECTORS: dict[str, Callable[[TrainingDocuments, int], Ints]] = {
    OURS: select_forward,
    "chi2": select_by_chi2,
    "mutual_info_classif": select_by_information,
    "f_classif": select_by_f,
    "L1 SelectFromModel": select_by_l1,
}


class F1(NamedTuple):
    """The micro-F1 and macro-F1 of a selector with some number of terms."""

    micro: float
    macro: float


def measure(labelled: Labelled) -> dict[tuple[str, int], F1]:
    """Return the F1 of all selectors and numbers of terms on the final test documents."""
    training = TrainingPlan.of(Settings(max_size=None, class_weight=None), n_jobs=2)
    scheme = CLASSIFIERS["svm"].scheme
    counted = labelled.count()
    train, test = counted.take(labelled.development), counted.take(labelled.final_test)
    columns = train.columns_within_limits
    documents = TrainingDocuments(train.within_limits, train.within_limits.weights(scheme).astype(np.float64))
    sizes = [size for size in SIZES if size < len(columns)]
    figures = {}
    for name, select in SELECTORS.items():
        best = columns[select(documents, max(sizes))]
        for size in sizes:
            figures[name, size] = _train_and_score(training, train, test, best[:size])
    return figures


def _train_and_score(training: TrainingPlan, train: CountedDocuments, test: CountedDocuments, columns: Ints) -> F1:
    """Return the F1 of a linear SVM on these columns."""
    fitted = training.fit_counts(take_columns(train.counts, columns), train.targets)
    scores = training.scores(fitted, take_columns(test.counts, columns)).scores
    is_label: Any = np.arange(scores.shape[1]) == scores.argmax(axis=1)[:, None]
    if train.targets.multilabel:
        is_label |= scores > 0
    classes = train.targets.classes
    predicted = [tuple(classes[number] for number in np.flatnonzero(row)) for row in is_label]
    report = compare_labels(classes, test.targets.label_sets(), predicted, multilabel=train.targets.multilabel)
    return F1(report.micro_f1, report.macro_f1)
