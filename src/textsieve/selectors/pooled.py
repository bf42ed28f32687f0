"""Methods that score each class separately, and the ways to pool these scores into one ranking.

- `mean`: the mean of a term's scores over the classes, weighted by class probability.
- `max`: the best score of the term in any class.
- `round-robin`: the classes take turns in their order, and each takes its best term that is still available. So a rare
  class gets its terms even if other classes have higher scores. `scores_` are those of `max`. The terms that no class
  has taken when the limit is reached come last in `ranking_`, by these scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..arrays import Counts, Floats, Ints
from ..errors import InputError
from ..kernels.term_scores import round_robin
from ..stats import ClassStats
from .base import Limit, ScoreForClass, TermSelector, rank_by_score

Pooling = Literal["mean", "max", "round-robin"]
GainPooling = Literal["joint", "mean", "max", "round-robin"]
ScoreClass = Callable[[Counts, Counts, float, float], Floats]
"""A function from four numbers of documents to the scores of all terms for a class.

The numbers are: documents of the class with the term, and of all classes with the term (arrays with an element for each
term); documents of the class, and of all classes (single numbers).
"""


class ClassScorer:
    """Scores all terms for one class at a time.

    The score of a term that never occurs in the class depends only on its document frequency, and few different
    frequencies exist. So for such terms a score is computed once for each frequency, and looked up. Only for the terms
    that occur in the class, it is computed for each term. A multilabel document counts once for each of its classes,
    in document frequencies and in numbers of documents.
    """

    def __init__(self, stats: ClassStats, score_class: ScoreClass) -> None:
        self._stats = stats
        self._cells = stats.cells
        self._score_class = score_class
        self._doc_freq = stats.pair_doc_freq
        # The distinct document frequencies, and the position of each term's frequency among them.
        self._frequencies, self._frequency_of = _distinct_values(self._doc_freq)
        self.n_classes = len(stats.classes)
        self.shares = stats.class_docs / (stats.n_pairs or 1)  # the probability of each class
        self.with_documents: list[int] = np.flatnonzero(stats.class_docs).tolist()  # the classes that have documents

    def __call__(self, number: int) -> Floats:
        """Return the scores of all terms for a class."""
        size, n = self._stats.class_docs[number].item(), self._stats.n_pairs  # documents of the class, and of all
        terms, with_term = self.terms_of(number), self._cells.doc_freq[self._cells_of_class(number)]
        scores_if_absent = self._score_class(np.zeros_like(self._frequencies), self._frequencies, size, n)
        scores = scores_if_absent[self._frequency_of]
        scores[terms] = self._score_class(with_term, self._doc_freq[terms], size, n)
        return scores

    def terms_of(self, number: int) -> Ints:
        """Return the terms that occur in a class."""
        return self._cells.terms[self._cells_of_class(number)]

    def _cells_of_class(self, number: int) -> slice:
        """Return where the (class, term) cells of a class are in the arrays of `stats.cells`."""
        return slice(*self._cells.class_starts[number : number + 2])

    def all(self) -> Iterator[Floats]:
        """Return an iterator over the scores for each class."""
        return map(self, range(self.n_classes))


def _distinct_values(numbers: Counts) -> tuple[Counts, Ints]:
    """Return the distinct values of nonnegative numbers, ascending, and the position of each number among them."""
    largest = int(numbers.max(initial=0))
    # A lookup table with an entry for each number up to the largest is faster than sorting, which `unique` does. But it
    # would be too large if the largest number is much larger than the count of numbers, and floats can't be positions.
    if largest > 16 * len(numbers) + 1000 or numbers.dtype.kind == "f":
        return np.unique(numbers, return_inverse=True)
    distinct = np.flatnonzero(np.bincount(numbers))
    position_of = np.zeros(largest + 1, np.int64)
    position_of[distinct] = np.arange(len(distinct))
    return distinct, position_of[numbers]


def mean_over_classes(scorer: ClassScorer, n_terms: int) -> Floats:
    """Return the mean of the class scores, weighted by class probability."""
    pooled = np.zeros(n_terms)
    for share, scores in zip(scorer.shares, scorer.all(), strict=True):
        pooled += share * scores
    return pooled


def max_over_classes(scorer: ClassScorer, n_terms: int) -> Floats:
    """Return the best score of each term in any class with documents; 0 if there is no such class."""
    pooled = np.full(n_terms, -np.inf if scorer.with_documents else 0.0)
    for number in scorer.with_documents:
        np.maximum(pooled, scorer(number), out=pooled)
    return pooled


POOLINGS: dict[str, Callable[[ClassScorer, int], Floats]] = {
    "mean": mean_over_classes,
    "max": max_over_classes,
    "round-robin": max_over_classes,  # only the scores; rank_in_turns computes the ranking
}
"""The pooling functions by name."""


def best_of_class(scores: Floats, k: int, class_terms: Ints) -> Ints:
    """Return the k best columns for one class, the best first; k is at most the number of columns.

    `scores` has the score of every column, and `class_terms` the columns of the terms that occur in the class. To sort
    fewer columns, those with too low scores are left out first: the k-th best score of any subset is a lower bound of
    the k-th best score of all. The terms of the class are used as the subset, because their scores are mostly good, so
    the bound is close.
    """
    subset = scores[class_terms] if len(class_terms) >= k else scores
    bound = np.partition(subset, len(subset) - k)[len(subset) - k]  # the k-th best score of the subset
    candidates = np.flatnonzero(scores >= bound)
    return candidates[rank_by_score(scores[candidates])[:k]]


def rank_in_turns(scorer: ClassScorer, n_terms: int, max_terms: int | None) -> tuple[Floats, Ints]:
    """Return the best score of each term in any class, and the columns in round-robin order.

    The classes fill the first `max_terms` ranks (None: all ranks) in turns, each with its best term that has no rank
    yet; the other terms follow by their best scores.

    A class need not sort all terms for this. If all classes take an equal share of the ranks, a class rarely looks at
    more than a few times this number of its best terms. So each class lists about four times its share as candidates.
    If a class runs out of candidates before the ranks are filled, all classes list twice as many, and the turns start
    anew.
    """
    n_ranks = n_terms if max_terms is None else min(max_terms, n_terms)
    n_classes = len(scorer.with_documents)
    equal_share = -(-n_ranks // n_classes)  # rounded up
    n_candidates = min(n_ranks, 4 * equal_share + 16)
    while True:
        best_scores = np.full(n_terms, -np.inf)
        candidates = np.empty((n_classes, n_candidates), np.int64)
        for row, number in enumerate(scorer.with_documents):
            scores = scorer(number)
            candidates[row] = best_of_class(scores, n_candidates, scorer.terms_of(number))
            np.maximum(best_scores, scores, out=best_scores)
        in_turns = round_robin(candidates, n_ranks, n_terms)  # the columns that fill the first ranks
        # A class that lists all terms can't run out, so the second condition only guards against an endless loop.
        if len(in_turns) == n_ranks or n_candidates == n_terms:
            break
        n_candidates = min(2 * n_candidates, n_terms)
    is_ranked = np.zeros(n_terms, np.bool_)
    is_ranked[in_turns] = True
    by_score = rank_by_score(best_scores)
    return best_scores, np.concatenate([in_turns, by_score[~is_ranked[by_score]]])


class PooledSelector(TermSelector):
    """Base class of selectors whose method scores each class."""

    score_class: ClassVar[staticmethod[[Counts, Counts, float, float], Floats]]
    """The method: it returns the scores of all terms for one class; `ScoreClass` explains the arguments."""
    _own_poolings: ClassVar[dict[str, Callable[[ClassStats], Floats]]] = {}
    """Poolings that only this method has, or computes faster, by name; they take precedence over `POOLINGS`."""

    def __init__(
        self, *, k: Limit = None, min_score: float | None = None, pooling: Pooling | GainPooling = "mean"
    ) -> None:
        self.k = k
        self.min_score = min_score
        self.pooling = pooling

    @property
    def class_scores_(self) -> Floats:
        """Return the score of each class (row) and term (column); it is computed on each access."""
        check_is_fitted(self, "stats_")
        scores = ClassScorer(self.stats_, self.score_class).all()
        return np.array(list(scores)).reshape(len(self.stats_.classes), self.stats_.n_terms)

    def class_scorer(self, stats: ClassStats) -> ScoreForClass:
        """Return a function that gives the scores for a class, with 0 for terms that do not favour the class."""
        class_scorer = ClassScorer(stats, self.score_class)
        return lambda number: np.where(stats.favours(number), class_scorer(number), 0.0)

    def score_terms(self, stats: ClassStats) -> Floats:
        """Return one score per term, pooled over the classes as the setting `pooling` says."""
        poolings = {**self._own_poolings, **POOLINGS}
        if not isinstance(self.pooling, str) or self.pooling not in poolings:
            raise InputError(setting="pooling", value=self.pooling, allowed=poolings)
        if self.pooling in self._own_poolings:
            return self._own_poolings[self.pooling](stats)
        return POOLINGS[self.pooling](ClassScorer(stats, self.score_class), stats.n_terms)

    def _score_and_rank(self, stats: ClassStats) -> tuple[Floats, Ints]:
        """Return one score per term, and the columns from best to worst: by score, or in turns of the classes."""
        if self.pooling != "round-robin" or stats.n_pairs == 0 or stats.n_terms == 0:
            return super()._score_and_rank(stats)  # without labels or terms, no class has a turn
        # The limit depends only on the number of terms, not on their scores, which are not known yet.
        max_terms = self.most_terms(np.zeros(stats.n_terms), np.arange(stats.n_terms))
        return rank_in_turns(ClassScorer(stats, self.score_class), stats.n_terms, max_terms)
