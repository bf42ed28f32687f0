"""Folds of training documents, some without labels, and held-out documents, on which sets of terms are scored."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_matrix

from textsieve import TOFA, ClassStats, TermWeighter
from textsieve.classifiers import LinearSVM

from ..documents import Collection, Documents, Ints, LabelSet, members_of
from ..documents import Fold as Positions
from ..measurements import Scope

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

CORPORA: dict[str, str] = {
    "20 Newsgroups": "newsgroups:train",
    "Reuters, 90 topics": "reuters:train",
    "WebKB": "webkb:stemmed:train",
    "Brown": "brown",
    "ODP sample": "odp:sample",
    "docstrings": "docstrings",
    **{f"RCV1 subset {number}": f"rcv1:subset{number}" for number in range(1, 6)},
}
"""Names for tables, and for `textsieve.read`."""
N_FOLDS = {"Brown": 10, "WebKB": 5, "ODP sample": 5}
"""The others have three folds; small collections need more, because little is held out."""
N_DRAWS = 2
"""How often a tenth of the labels is drawn in each fold."""
LTC = {"tf": "log", "idf": "plain", "norm": "l2"}
"""The weights from which terms are selected."""
SVM_WEIGHTS = {"tf": "loglog", "idf": "smooth", "norm": "l2"}
"""The weights that the `Categorizer` gives its SVM by default."""


def read_documents(corpus: str) -> Documents:
    """Return the counted documents of a corpus."""
    return Collection(corpus).documents(Scope())


class Score(NamedTuple):
    """The F1 of predictions for the held-out documents."""

    micro: float
    macro: float
    filled: float
    """Micro-F1 if documents without any of the terms get the most frequent class."""


@dataclass
class Fold:
    """The counts and labels of training and held-out documents; terms are selected by `stats`, from ltc weights."""

    counts: csc_matrix
    is_member: Bools
    """An indicator matrix, training documents x classes; documents without a label are in no class."""
    test_counts: csc_matrix
    is_test_member: Bools
    multilabel: bool
    stats: ClassStats
    labelled_stats: ClassStats
    """The statistics of the labelled documents alone."""
    _scores: dict[bytes, Score] = field(default_factory=dict)

    @classmethod
    def of(cls, documents: Documents, is_test: Bools, is_labelled: Bools | None = None) -> Fold:
        """Return a fold; `is_labelled` says which training documents keep their labels, all by default."""
        train, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
        labels = list(documents.labels)
        if is_labelled is not None:
            for position in train[~is_labelled].tolist():
                labels[position] = ()
        positions = Positions(train, test, labels)
        columns, weights = documents.columns(positions), documents.weights(positions, **LTC)
        targets = documents.targets(positions, train)
        has_label = np.array([bool(labels[position]) for position in train.tolist()])
        labelled = [target for target, has in zip(targets, has_label, strict=True) if has]
        classes = list(members_of(documents.labels))
        return cls(
            csc_matrix(documents.counts[train][:, columns]),
            _indicator([labels[position] for position in train.tolist()], classes),
            csc_matrix(documents.counts[test][:, columns]),
            _indicator([labels[position] for position in test.tolist()], classes),
            documents.multilabel,
            ClassStats.from_matrix(weights, targets),
            ClassStats.from_matrix(weights[has_label], labelled),
        )

    @cached_property
    def between(self) -> Floats:
        """Return the diagonal of S_b: the scores of TOFA with weight 1."""
        return scatter(self.stats, 1.0)

    @cached_property
    def total(self) -> Floats:
        """Return the diagonal of C, over all training documents: the scores of TOFA with weight 0."""
        return scatter(self.stats, 0.0)

    def best(self, weight: float, k: int) -> Ints:
        """Return the k best terms by TOFA."""
        return best_of(mix(self.between, self.total, weight), k)

    def score(self, columns: Ints) -> Score:
        """Train on these terms and predict the held-out documents; each set of terms is tried once."""
        columns = np.sort(columns)
        key = columns.tobytes()
        if key not in self._scores:
            self._scores[key] = self._measure(columns)
        return self._scores[key]

    def _measure(self, columns: Ints) -> Score:
        """Train an SVM on the labelled documents, with the default weights of a `Categorizer`, and score it."""
        counts, test_counts = (csr_matrix(part[:, columns]) for part in (self.counts, self.test_counts))
        weighter = TermWeighter(**SVM_WEIGHTS).fit(counts)
        rows, test_rows = (csr_matrix(weighter.transform(part)) for part in (counts, test_counts))
        has_label = np.flatnonzero(self.is_member.any(axis=1))
        is_member, is_unknown = self.is_member[has_label], np.diff(test_rows.indptr) == 0
        most_frequent = np.arange(is_member.shape[1]) == is_member.sum(axis=0).argmax()
        if self.multilabel:
            predicted = predict_each_class(rows[has_label], is_member, test_rows)
        else:
            svm = LinearSVM().fit(rows[has_label], is_member.argmax(axis=1))
            predicted = np.arange(is_member.shape[1]) == svm.predict(test_rows)[:, None]
            predicted[is_unknown] = most_frequent  # with one label per document, there must be one
        filled = predicted.copy()
        filled[is_unknown] = most_frequent
        true = self.is_test_member
        return Score(micro_f1(predicted, true), macro_f1(predicted, true), micro_f1(filled, true))


def _indicator(labels: list[LabelSet], classes: list[Any]) -> Bools:
    """Return an indicator matrix, documents x classes."""
    number_of = {label: number for number, label in enumerate(classes)}
    is_member = np.zeros((len(labels), len(classes)), np.bool_)
    for position, label_set in enumerate(labels):
        is_member[position, [number_of[label] for label in label_set]] = True
    return is_member


def predict_each_class(rows: csr_matrix, is_member: Bools, test_rows: csr_matrix) -> Bools:
    """Return the classes with a score from 0 on, each trained against the rest: test documents x classes."""
    predicted = np.zeros((test_rows.shape[0], is_member.shape[1]), np.bool_)
    n_members = is_member.sum(axis=0)
    learnable = np.flatnonzero((n_members > 0) & (n_members < len(is_member)))

    def predict(number: int) -> None:
        """Fill the column of one class."""
        svm = LinearSVM(n_jobs=1).fit(rows, is_member[:, number])
        predicted[:, number] = svm.decision_function(test_rows) >= 0.0

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        list(threads.map(predict, learnable.tolist()))  # `list` waits, and raises the errors of threads
    return predicted


def scatter(stats: ClassStats, weight: float) -> Floats:
    """Return the score of each term by TOFA with this weight."""
    return TOFA(weight=weight, k="all", unlabelled=None).fit_stats(stats).scores_


def auto_weight(stats: ClassStats, k: int) -> float:
    """Return the weight that TOFA computes by itself to select k terms."""
    return TOFA(weight="auto", k=k, unlabelled=None).fit_stats(stats).weight_


def mix(between: Floats, total: Floats, weight: float) -> Floats:
    """Return the scores of TOFA, given those of the weights 1 and 0."""
    return np.asarray(weight * between + (1.0 - weight) * total)


def best_of(scores: Floats, k: int) -> Ints:
    """Return the columns of the k best scores."""
    return np.argsort(-scores, kind="stable")[:k]


def micro_f1(predicted: Bools, true: Bools) -> float:
    """Return F1 over all pairs of document and class."""
    return float(2 * (predicted & true).sum() / max(predicted.sum() + true.sum(), 1))


def macro_f1(predicted: Bools, true: Bools) -> float:
    """Return the mean F1 of the classes that were true or predicted."""
    n_hits, n_predicted_and_true = (predicted & true).sum(axis=0), predicted.sum(axis=0) + true.sum(axis=0)
    occurs = n_predicted_and_true > 0
    return float(np.mean(2 * n_hits[occurs] / n_predicted_and_true[occurs]))


# -- folds -------------------------------------------------------------------------------------------------------------


def draw_tenth(n_documents: int, seed: int) -> Bools:
    """Return the mask of a random tenth of the documents."""
    is_drawn = np.zeros(n_documents, np.bool_)
    is_drawn[np.random.default_rng(seed).permutation(n_documents)[: round(n_documents / 10)]] = True
    return is_drawn


def blocks(documents: Documents, n_folds: int) -> Ints:
    """Return the fold of each document; neighbouring documents of a class, such as replies, are in the same fold."""
    fold_of = np.zeros(len(documents.labels), np.int64)
    for members in members_of(documents.labels).values():
        fold_of[members] = np.arange(len(members)) * n_folds // len(members)
    return fold_of


def all_labelled(name: str, documents: Documents) -> Iterator[Fold]:
    """Yield each fold of a collection, with all labels."""
    fold_of = blocks(documents, N_FOLDS.get(name, 3))
    for number in range(fold_of.max() + 1):
        yield Fold.of(documents, fold_of == number)


def tenth_labelled(name: str, documents: Documents) -> Iterator[Fold]:
    """Yield each fold of a collection `N_DRAWS` times, each with another random tenth of the labels."""
    fold_of = blocks(documents, N_FOLDS.get(name, 3))
    for number in range(fold_of.max() + 1):
        for seed in range(N_DRAWS):
            yield Fold.of(documents, fold_of == number, draw_tenth(int((fold_of != number).sum()), seed))


SETTINGS: dict[str, Callable[[str, Documents], Iterator[Fold]]] = {
    "all labels": all_labelled,
    "a tenth of the labels": tenth_labelled,
}
