"""Documents to choose terms from and to train on, and others to try the terms on: how good a set of terms is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_matrix

from textsieve import Categorizer, ClassStats
from textsieve.classifiers.separation import SVMProblem
from textsieve.evaluation.thresholds import ThresholdRule, micro_f1
from textsieve.selectors.trace import between_class_scatter, mixed, total_scatter
from textsieve.text.schemes import LTC
from textsieve.text.weights import INVERSE_FREQUENCIES
from textsieve.training.counted_documents import CountedDocuments, weighted
from textsieve.training.plan import Scored, TrainingPlan
from textsieve.training.targets import Targets
from textsieve.training.tuning import assigned, parted

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

N_FOLDS = {"Brown": 10, "WebKB": 5, "DMOZ sample": 5}
"""Three for the others; small collections need more of them, for little is held out."""
N_DRAWS = 2
"""How often a tenth of the labels is drawn, in each fold."""


class Score(NamedTuple):
    """How good the predictions are."""

    micro: float
    macro: float
    filled: float
    """Micro-F1 if documents that have none of the terms get the most frequent class."""


@dataclass
class Fold:
    """Counts and labels; terms are those of the documents to learn from, and chosen by their ltc weights."""

    counts: csc_matrix
    targets: Targets
    test_counts: csc_matrix
    test_targets: Targets
    stats: ClassStats
    labelled_stats: ClassStats
    """Of the documents that have a label, alone."""
    _scores: dict[bytes, Score] = field(default_factory=dict)

    @classmethod
    def of(cls, documents: CountedDocuments, is_test: Bools, is_labelled: Bools | None = None) -> Fold:
        """The documents to learn from, of which some have lost their labels, and those held out."""
        train, test = parted(documents, is_test)
        columns = train.columns_within_limits
        counts = csr_matrix(train.counts[:, columns])
        targets = train.targets if is_labelled is None else without_labels(train.targets, ~is_labelled)
        idf = INVERSE_FREQUENCIES[LTC.idf](np.bincount(counts.indices, minlength=len(columns)), targets.n_documents)
        rows = weighted(counts, LTC, idf, np.float64)
        stats = ClassStats.from_matrix(rows, targets.for_stats())
        usable = np.flatnonzero(targets.usable)
        of_labelled = ClassStats.from_matrix(rows[usable], targets.take(usable).for_stats())
        held_out = csc_matrix(test.counts[:, columns])
        return cls(csc_matrix(counts), targets, held_out, test.targets, stats, of_labelled)

    @cached_property
    def between(self) -> Floats:
        """The diagonal of S_b."""
        return between_class_scatter(self.stats)

    @cached_property
    def total(self) -> Floats:
        """The diagonal of C, over all documents to learn from."""
        return total_scatter(self.stats)

    def best(self, weight: float, k: int) -> Ints:
        """The k best terms by TOFA."""
        return best_of(mixed(self.between, self.total, weight), k)

    def score(self, columns: Ints) -> Score:
        """Train on these terms, and predict the documents held out; what was tried is not tried again."""
        columns = np.sort(columns)
        key = columns.tobytes()
        if key not in self._scores:
            self._scores[key] = self._measured(columns)
        return self._scores[key]

    def _measured(self, columns: Ints) -> Score:
        rows, test_rows = (csr_matrix(each[:, columns]) for each in (self.counts, self.test_counts))
        idf = RECIPE.idf_of(np.bincount(rows.indices, minlength=len(columns)), self.targets.n_documents)
        weights, test_weights = (weighted(each, RECIPE.scheme, idf, np.float64) for each in (rows, test_rows))
        scores = np.full((test_rows.shape[0], len(self.targets.classes)), np.nan)
        learnable = np.flatnonzero(self.targets.can_be_learned)
        usable = np.flatnonzero(self.targets.usable)
        scores[:, learnable] = _svm_scores(weights[usable], self.targets.is_member[usable][:, learnable], test_weights)
        scores = np.nan_to_num(scores, nan=-np.inf)
        cut = ThresholdRule(np.zeros(scores.shape[1]), None) if self.targets.multilabel else None
        most_frequent = int(np.argmax(self.targets.class_docs))
        filled = assigned(Scored(scores, np.diff(test_rows.indptr) == 0, most_frequent), cut)
        found = filled if cut is None else cut(scores)
        true = self.test_targets.is_member
        return Score(micro_f1(found, true), macro_f1(found, true), micro_f1(filled, true))


RECIPE = TrainingPlan.of(Categorizer().settings(), n_jobs=2)
"""The linear SVM of the `Categorizer` with the weights that suit it; of several labels, those that it says yes to."""


def _svm_scores(rows: csr_matrix, is_member: Bools, test_rows: csr_matrix) -> Floats:
    """The scores of documents held out, each class against the rest, all classes on the same rows."""
    svm = RECIPE.classifier
    costs = np.full(len(is_member), svm.C)
    found = SVMProblem(rows).separate(
        *(lambda number: (np.where(is_member[:, number], 1.0, -1.0), costs), is_member.shape[1]),
        tolerance=svm.tol,
        most_rounds=svm.max_iter,
        n_jobs=RECIPE.n_jobs,
    )
    return np.asarray(test_rows @ found.coefficients.T + found.intercepts)


def best_of(scores: Floats, k: int) -> Ints:
    """The columns of the k best scores."""
    return np.argsort(-scores, kind="stable")[:k]


def macro_f1(found: Bools, true: Bools) -> float:
    """The mean F1 of the classes that were true or found (documents x classes)."""
    hits, both = (found & true).sum(axis=0), found.sum(axis=0) + true.sum(axis=0)
    return float(np.mean(2 * hits[both > 0] / both[both > 0]))


def without_labels(targets: Targets, is_without: Bools) -> Targets:
    """The same documents, some of them without a label."""
    members = tuple(each[~is_without[each]] for each in targets.members)
    return Targets(targets.classes, members, targets.n_documents, targets.form)


def tenth(n_documents: int, seed: int) -> Bools:
    """A tenth of the documents, drawn at random."""
    is_drawn = np.zeros(n_documents, np.bool_)
    is_drawn[np.random.default_rng(seed).permutation(n_documents)[: round(n_documents / 10)]] = True
    return is_drawn


def blocks(targets: Targets, n_folds: int) -> Ints:
    """The fold of each document: neighbouring documents of a class, which may be answers to one another, share one."""
    number = np.zeros(targets.n_documents, np.int64)
    for members in targets.members:
        number[members] = np.arange(len(members)) * n_folds // max(len(members), 1)
    return number


def all_labelled(name: str, documents: CountedDocuments) -> Iterator[Fold]:
    """Each fold held out in turn."""
    number = blocks(documents.targets, N_FOLDS.get(name, 3))
    for fold in range(number.max() + 1):
        yield Fold.of(documents, number == fold)


def tenth_labelled(name: str, documents: CountedDocuments) -> Iterator[Fold]:
    """The same, with a tenth of the labels, drawn several times."""
    number = blocks(documents.targets, N_FOLDS.get(name, 3))
    for fold in range(number.max() + 1):
        for seed in range(N_DRAWS):
            yield Fold.of(documents, number == fold, tenth(int((number != fold).sum()), seed))


SETTINGS: dict[str, Callable[[str, CountedDocuments], Iterator[Any]]] = {
    "all labels": all_labelled,
    "a tenth of the labels": tenth_labelled,
}
