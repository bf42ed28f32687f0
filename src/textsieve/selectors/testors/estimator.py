"""Typical testors (Pons-Porrata, Gil-García and Berlanga-Llavori): the terms that distinguish the classes.

Each class has a mean document, and for every other class a row that marks the terms which distinguish it from that
class (`contrast.py`: ε is the minimum weight of a term in the class, δ the minimum difference to its weight in the
other). A *testor* of the class is a set of terms that hits every row, so that it distinguishes the class from each of
the others; a *typical* testor is one without redundant terms. The method selects the terms that are in some typical
testor of some class.

**The terms in typical testors can be found without listing the testors.** The paper lists all typical testors, whose
number grows exponentially. But a term is in some typical testor exactly if it is in a minimal row, a row that contains
no other row (`transversals.py` has the proof). With c classes, finding the minimal rows of a class takes at most c^2
comparisons of two rows.

The testors themselves are informative, too. The shortest are the smallest vocabularies that distinguish a class
(`shortest.py`). The share of the testors that contain a term measures how hard it is to do without it; terms are
ranked by this share (`shares.py`).

A row may be empty: at this ε and δ no term distinguishes the class from the other one. Since no set of terms hits an
empty row, the class would have no testor at all. So empty rows are dropped and the pair of classes is reported; a
testor then distinguishes the class from all others except these.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_DOWN, Context
from itertools import islice
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...errors import InputError, InputWarning, NothingSelected, Setting, UnfitDocuments, counted, shown, warn
from ...settings import as_number, is_whole
from ...stats import ClassStats
from ..base import Limit, ScoreForClass, TermSelection, TermSelector, resolve_k
from .contrast import ComparisonRows, Contrast, Representatives, contrast, contrasts, epsilon_for
from .shares import Shares, shares_of_testors
from .shortest import Shortest, shortest_transversals
from .transversals import Count, Testor, Transversals, count_transversals

DEFAULT_EPSILON = 0.4
_LEAST_SHARE_OF_K = 0.9
"""If fewer than this share of `k` terms are selected, `fit` warns."""
_MAX_PAIRS_NAMED = 5
"""The number of indistinguishable pairs of classes that the warning names."""
_SHARE_WORK = 1 << 31
"""A limit of the work to compute the scores of all classes: about how many 64-bit words may be read."""
_SHORTEST_WORK = 1 << 30
"""A limit of the work to find the shortest testors of a class: about how many 64-bit words may be read."""
_MIN_STEPS, _MAX_STEPS = 100, 200_000
"""Limits of the number of columns that the search for the shortest testors tries by default."""


class IndistinguishableClasses(InputWarning):
    """Warns that no term distinguishes some classes."""


class _UsedSettings(NamedTuple):
    """The settings with which terms were selected; the parameters of the estimator may have been changed since."""

    epsilon: float
    delta: float
    scale: str
    score_limit: int


class _ClassShares(NamedTuple):
    """The candidate terms of a class, and the share of its testors that contain each."""

    number: int  # of the class
    terms: Ints
    shares: Shares


def _rounded_down(value: float) -> str:
    """Return a number with four digits, rounded down, for messages about the largest value that is allowed.

    So a user can enter the number shown; rounded up, it would not be allowed.
    """
    return f"{Context(prec=4, rounding=ROUND_DOWN).create_decimal(value):g}"


class TypicalTestors(TermSelector):
    """Select the terms that are in some typical testor of some class.

    A testor of a class is a set of terms that distinguishes it from every other class; it is typical if no term can be
    left out. The *row* of a class against another class marks the terms that distinguish the first from the second. So
    a testor has at least one marked term of every row.

    The selector uses term weights, so it works best after `TermWeighter`, with documents of length 1. With few classes,
    or classes that have nothing in common, nearly all candidates are in some testor, and ε decides.

    Scores take long to compute. So `selected_columns()` has the order of `ranking_` only if `k` left some terms out;
    otherwise, the columns with the largest weight in any class come first.

    Parameters
    ----------
    epsilon : float or None
        The minimum weight of a term in the mean document of a class to be a candidate. None is 0.4 or, if `k` is given,
        the value that selects k terms or the next smaller number (`epsilon_`); `contrast.epsilon_for` describes the
        search for it.
    delta : float
        The minimum difference between the weights of a term in the mean documents of two classes to distinguish them.
    scale : {"max", "none"}
        "max" divides each mean document by its largest weight, so that ε is equally strict for all classes.
    k : int, float, "all" or None
        The maximum number of terms: a number, or a fraction of all terms. If epsilon leaves more, the best by
        `ranking_` are selected; if it leaves far fewer (less than 90 %), `fit` warns.
    score_limit : int
        The maximum number of testors to list for `scores_`. Testors that differ only in terms which distinguish the
        class from the same other classes count once. If the rows of a class fall into parts that have no terms in
        common, the limit applies to each part. If there are more testors, shares are estimated from a random sample of
        this size, the same in every run, or from a smaller one if there are many long rows.

    Attributes
    ----------
    epsilon_ : the ε that was used
    class_terms_ : dict, for each class the columns of its testors, including those that the limit `k` removed
    comparison_ : mapping from each class to its rows, a sparse boolean matrix: row j is against class j of
        `classes_`, and the columns are all terms; computed on access
    indistinguishable_ : list of pairs (class, other) for which no term distinguishes the class from the other
    scores_ : for each term the largest share, over the classes, of a class's typical testors that contain it; 1 only
        for a term that is in all testors of some class (even if shares are estimated), 0 for terms in none
    scores_are_exact_ : whether the scores were computed from all testors and not from a sample
    ranking_ : columns by score; of equal scores, the term with the largest weight in any class comes first, then the
        lower column

    Examples
    --------
    >>> from textsieve import TypicalTestors
    >>> X = [[2, 0, 1, 0], [1, 1, 0, 0], [0, 2, 1, 1], [0, 1, 0, 2]]  # counts: documents x terms
    >>> y = ["sport", "sport", "politics", "politics"]
    >>> selector = TypicalTestors(epsilon=0.5).fit(X, y)
    >>> selector.get_support(indices=True)
    array([0, 1, 3])
    >>> list(selector.testors("sport"))
    [(0,)]
    """

    depends_on_k = True
    chooses_own_k = True
    _used_settings: _UsedSettings
    _least_tried: float  # the smallest ε tried in the search for it, or ε itself if there was no search
    _cached_representatives: Representatives | None  # None after copying or unpickling
    # Shares take long to compute, so these two are None until they are needed.
    _shares: list[_ClassShares] | None
    _scores_and_ranking: tuple[Floats, Ints] | None

    def __init__(
        self,
        *,
        epsilon: float | None = None,
        delta: float = 0.15,
        scale: Literal["max", "none"] = "max",
        k: Limit = None,
        score_limit: int = 10_000,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.scale = scale
        self.k = k
        self.score_limit = score_limit

    # -- the method ----------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Select the columns of a (sparse) document-term matrix with its labels; warn if `k` is by far not reached.

        A document with `sample_weight` 3 counts like three copies of it; one with weight 0 is ignored.
        """
        super().fit(X, y, sample_weight)
        n_selected = int(self._get_support_mask().sum())
        most = resolve_k(self.k, self.n_features_in_) if is_whole(self.k) and self.epsilon is None else None
        if most is not None and most <= self.n_features_in_ and n_selected < _LEAST_SHARE_OF_K * most:
            warn(
                (
                    Setting("k", self.k),
                    f", but only {counted(n_selected, 'term')} of typical testors are selected: k is a maximum, and no "
                    "epsilon that was tried selects more without exceeding it. A smaller delta may change that.",
                )
            )
        return self

    def _rank_and_select(self) -> TermSelection:
        """Select terms, and do not compute their scores unless the selection depends on them.

        Scores take much longer than the selection. So they are only computed here if more terms than `k` are in
        testors, and otherwise when `scores_` or `ranking_` is read (`_ranked_by_shares`). For this reason, the result
        has no scores, and in place of a ranking of all columns only the selected ones: in the order of `ranking_` if
        scores were computed, and otherwise by their largest weight in any class.
        """
        stats = self.stats_
        self.check_settings()
        self._cached_representatives = representatives = Representatives(stats, self.scale)
        if len(representatives.with_documents) < 2:
            raise UnfitDocuments("Fewer than two classes have documents, so there is nothing to tell apart.")
        max_terms = resolve_k(self.k, stats.n_terms)
        if is_whole(self.k) and self.k > stats.n_terms:
            warn((Setting("k", self.k), f", but there are {stats.n_terms:,} terms."))
        epsilon = self._resolve_epsilon(representatives, max_terms)
        self._used_settings = _UsedSettings(epsilon, float(self.delta), self.scale, int(self.score_limit))
        self._shares = self._scores_and_ranking = None
        support, n_indistinguishable = np.zeros(stats.n_terms, np.bool_), 0
        for class_contrast in self._contrasts():  # select the terms that are in some testor of the class
            support[class_contrast.testor_terms()] = True
            n_indistinguishable += class_contrast.n_indistinguishable
        if not support.any():
            raise self._nothing_selected_error(representatives, epsilon)
        if n_indistinguishable:
            self._warn_of_indistinguishable(n_indistinguishable)
        if max_terms is not None and support.sum() > max_terms:
            self._scores_and_ranking = self._score_and_rank(stats)
            _, ranking = self._scores_and_ranking
            selected = ranking[:max_terms]  # terms in testors have scores above 0, so they come first
            support[ranking[max_terms:]] = False
        else:
            columns = np.flatnonzero(support)
            selected = columns[np.argsort(-representatives.largest_weights()[columns], kind="stable")]
        return TermSelection(scores=np.zeros(0), ranking=selected, support=support)

    @property
    def _representatives(self) -> Representatives:
        """Return the mean documents of the classes; a copied or unpickled selector computes them again."""
        if self._cached_representatives is None:
            self._cached_representatives = Representatives(self.stats_, self._used_settings.scale)
        return self._cached_representatives

    def _contrasts(self) -> Iterator[Contrast]:
        """Return an iterator over the contrasts of the classes with documents, computed one at a time.

        The contrast of a class has a row for each other class, which marks the terms that distinguish the class from
        it. Contrasts are not stored, because together they may be far larger than the statistics.
        """
        return contrasts(self._representatives, self._used_settings.epsilon, self._used_settings.delta)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to copy or pickle, without what can be recomputed from the statistics."""
        state: Any = super().__getstate__()
        return {name: None if name == "_cached_representatives" else value for name, value in state.items()}

    def check_settings(self) -> None:
        """Raise `InputError` for settings that are invalid for any documents."""
        for name, value in (("epsilon", self.epsilon), ("delta", self.delta)):
            if name == "epsilon" and value is None:
                continue
            if not 0 < as_number(value) < np.inf:
                example = f"{DEFAULT_EPSILON}" if name == "epsilon" else "0.15"
                raise InputError(setting=name, value=value, hint=f"use a number above 0, for example {example}")
        if not (is_whole(self.score_limit) and self.score_limit >= 1):
            raise InputError(setting="score_limit", value=self.score_limit, hint="use a number of testors from 1")

    def _resolve_epsilon(self, representatives: Representatives, max_terms: int | None) -> float:
        """Return ε, the minimum weight of a term in the mean document of a class.

        ε is the setting `epsilon`. If that is None, it is the ε that selects `max_terms` terms or the next smaller
        number, which is searched for, or the default if `max_terms` is None, too. Also sets `_least_tried`, to the
        smallest ε that the search tried, or to ε if there was no search. Raises an error if no weight is above 0, so
        that there is nothing to search.
        """
        self._least_tried = float(DEFAULT_EPSILON if self.epsilon is None else self.epsilon)
        if self.epsilon is not None or max_terms is None:
            return self._least_tried
        if not (representatives.weights > 0).any():
            raise self._nothing_selected_error(representatives, epsilon=0.0)
        search = epsilon_for(representatives, float(self.delta), max_terms)
        self._least_tried = search.least_tried
        return search.epsilon

    def _nothing_selected_error(self, representatives: Representatives, epsilon: float) -> InputError:
        """Return the error that explains why no term was selected with this ε, and what to do.

        The reasons are tested in this order: no weight is above 0, ε is above all weights, the classes do not differ,
        and δ is above all differences.
        """
        largest_weight = float(representatives.weights.max(initial=0.0))
        if largest_weight <= 0:
            return UnfitDocuments(
                "No class has a term with a mean weight above 0, so nothing can be chosen. A term that every document "
                "has weighs 0 by its idf: look whether all documents have the same words."
            )
        scale_clause = ", each class divided by its largest" if self.scale == "max" else ""
        if epsilon > largest_weight:
            return NothingSelected(
                f"it is above every weight in the mean documents of the classes{scale_clause}, so no term can be "
                "selected",
                setting="epsilon",
                value=epsilon,
                hint=f"the largest is {_rounded_down(largest_weight)}. Use a smaller epsilon",
            )
        largest_difference = representatives.largest_difference(epsilon)
        # The message mentions ε only if a smaller one could help; after a search, smaller ones have been tried.
        was_searched = self.epsilon is None and resolve_k(self.k, representatives.n_terms) is not None
        epsilon_clause = "" if was_searched else f" in terms of weight epsilon={epsilon!r} or more"
        if largest_difference <= 0:
            return (NothingSelected if epsilon_clause else UnfitDocuments)(
                "No term sets any class apart from any other: their mean documents are the same"
                f"{epsilon_clause}. Look at the labels" + (", or use a smaller epsilon." if epsilon_clause else ".")
            )
        return NothingSelected(
            "it is above every difference between the mean documents of two classes"
            f"{epsilon_clause}{scale_clause}, so no term can be selected",
            setting="delta",
            value=float(self.delta),
            hint=f"the largest is {_rounded_down(largest_difference)}. Use a smaller delta"
            + (" or epsilon" if epsilon_clause else ""),
        )

    def _warn_of_indistinguishable(self, n_pairs: int) -> None:
        """Warn about pairs of classes that no term distinguishes; the warning names a few and counts the rest."""
        pairs = islice(self._indistinguishable(), _MAX_PAIRS_NAMED)
        named = [f"{label!r} from {other!r}" for label, other in pairs]
        more = f", and {n_pairs - len(named):,} more" if n_pairs > len(named) else ""
        warn(
            f"At epsilon={self._used_settings.epsilon:.4g} and delta={self._used_settings.delta:g} no term sets apart "
            f"{', '.join(named)}{more}. The selected terms do not tell these classes apart; smaller values may.",
            IndistinguishableClasses,
        )

    def _indistinguishable(self) -> Iterator[tuple[Any, Any]]:
        """Yield the pairs (class, other) for which no term distinguishes the class from the other."""
        classes = self.stats_.classes
        for class_contrast in self._contrasts():
            others = class_contrast.indistinguishable_from(self._representatives.with_documents)
            yield from ((classes[class_contrast.number], classes[other]) for other in others)

    # -- scores --------------------------------------------------------------------------------------------------

    def _class_shares(self) -> list[_ClassShares]:
        """Return for each class with documents the shares of its candidate terms, which are computed on first use.

        The share of a term is the share of the class's typical testors that contain it.
        """
        if self._shares is None:
            work_per_class = _SHARE_WORK // len(self._representatives.with_documents)
            self._shares = [
                _ClassShares(
                    class_contrast.number,
                    class_contrast.terms,
                    shares_of_testors(class_contrast.basic_matrix(), self._used_settings.score_limit, work_per_class),
                )
                for class_contrast in self._contrasts()
            ]
        return self._shares

    def score_terms(self, stats: ClassStats) -> Floats:
        """Return for each term the largest share, over the classes, of a class's testors that contain it.

        `stats` must be those of the fit; only the number of terms is read from them.
        """
        scores = np.zeros(stats.n_terms)
        for class_shares in self._class_shares():
            scores[class_shares.terms] = np.maximum(scores[class_shares.terms], class_shares.shares.values)
        return scores

    def _score_and_rank(self, stats: ClassStats) -> tuple[Floats, Ints]:
        """Return the scores and the ranking: by score, then by larger weight in any class, then by lower column."""
        scores = self.score_terms(stats)
        return scores, np.lexsort((-self._representatives.largest_weights(), -scores))

    def class_scorer(self, stats: ClassStats) -> ScoreForClass:
        """Return a function that gives the share of a class's testors that contain each term."""
        self._ensure_selected()
        shares_of_class = {class_shares.number: class_shares for class_shares in self._class_shares()}

        def scores_for(number: int) -> Floats:
            """Return the share of each term for the class with this number; 0 for a class without documents."""
            scores = np.zeros(stats.n_terms)
            if number in shares_of_class:
                scores[shares_of_class[number].terms] = shares_of_class[number].shares.values
            return scores

        return scores_for

    def _rank_for_class(self, number: int, columns: Ints, scores: Floats) -> Ints:
        """Return the order by score, then by larger weight in the class, then by lower column.

        All columns have a score above 0 for the class, so they are among its terms, which ascend.
        """
        terms, weights = self._representatives.of_class(number)
        return np.lexsort((-weights[np.searchsorted(terms, columns)], -scores))

    def _ranked_by_shares(self) -> tuple[Floats, Ints]:
        """Return the scores and the ranking of all columns, which are computed on first use."""
        self._ensure_selected()
        if self._scores_and_ranking is None:
            self._scores_and_ranking = self._score_and_rank(self.stats_)
        return self._scores_and_ranking

    # -- reading -------------------------------------------------------------------------------------------------

    @property
    def scores_(self) -> Floats:
        """Return for each term the largest share, over the classes, of a class's typical testors that contain it."""
        return self._ranked_by_shares()[0]

    @property
    def ranking_(self) -> Ints:
        """Return all columns, the best first."""
        return self._ranked_by_shares()[1]

    @property
    def scores_are_exact_(self) -> bool:
        """Return whether the scores were computed from all testors of all classes."""
        self._ensure_selected()
        return all(class_shares.shares.exact for class_shares in self._class_shares())

    @property
    def support_(self) -> NDArray[np.bool_]:
        """Return a mask of the selected columns."""
        return self._fitted_selection().support

    @property
    def epsilon_(self) -> float:
        """Return the ε with which terms were selected."""
        self._ensure_selected()
        return self._used_settings.epsilon

    @property
    def least_weight_tried_(self) -> float:
        """Return the smallest weight tried in the search for ε, or ε itself if there was no search.

        Terms with smaller weights in all classes were never candidates, so they had no influence on the selection.
        """
        self._ensure_selected()
        return self._least_tried

    @property
    def class_terms_(self) -> dict[Any, Ints]:
        """Return for each class the columns of its testors.

        A class has none if it has no documents, or no candidate that distinguishes it from another class.
        """
        self._ensure_selected()
        class_terms = {label: np.zeros(0, np.int64) for label in self.stats_.classes}
        for class_contrast in self._contrasts():
            class_terms[self.stats_.classes[class_contrast.number]] = class_contrast.testor_terms()
        return class_terms

    @property
    def indistinguishable_(self) -> list[tuple[Any, Any]]:
        """Return the pairs (class, other) for which no term distinguishes the class from the other."""
        self._ensure_selected()
        return list(self._indistinguishable())

    @property
    def comparison_(self) -> ComparisonRows:
        """Return a mapping from the label of each class to its rows, which mark the terms that distinguish it.

        Row j is against class j of `classes_`, and the columns are all terms.
        """
        self._ensure_selected()
        return ComparisonRows(
            self._representatives, self.stats_.classes, self._used_settings.epsilon, self._used_settings.delta
        )

    # -- testors -------------------------------------------------------------------------------------------------

    def testors(
        self,
        label: Any,
        *,
        method: Literal["mmcs", "lex"] = "mmcs",
        limit: int | None = None,
        max_seconds: float | None = None,
    ) -> Iterator[Testor]:
        """Return an iterator over the typical testors of a class, each as a tuple of ascending columns.

        There may be too many to list: the iterator stops after `limit` of them, or after `max_seconds`. At the end, its
        attribute `complete` is True if these are known to be all. Both methods return the same testors in different
        orders; "lex" is slower. A class that no term distinguishes from any other class has no testors.
        """
        class_contrast = self._contrast_for(label)
        basic = class_contrast.basic_matrix()
        # If no term distinguishes the class, it has no rows, and the empty set, which hits all of no rows, would be a
        # testor. An empty row, which no set hits, prevents that.
        rows = basic if len(basic) else np.zeros((1, len(class_contrast.terms)), np.bool_)
        return Transversals(rows, method, limit=limit, max_seconds=max_seconds, column_numbers=class_contrast.terms)

    def count_testors(
        self, label: Any, *, method: Literal["mmcs", "lex"] = "mmcs", max_seconds: float | None = None
    ) -> Count:
        """Return how many typical testors of a class are found within `max_seconds`, and whether these are all.

        Counting testors is faster than listing them.
        """
        basic = self._contrast_for(label).basic_matrix()
        return count_transversals(basic, method, max_seconds=max_seconds) if len(basic) else Count(0, complete=True)

    def shortest_testors(
        self, label: Any, *, limit: int = 10, max_steps: int | None = None, share_of_work: float = 1.0
    ) -> Shortest:
        """Return the testors of a class with the fewest terms: the smallest vocabularies that distinguish it.

        At most `limit` of them are returned, those whose terms have the largest sum of weights in the class first. The
        result's `heaviest` is False if there were too many to compare. The testors distinguish the class from all
        classes except those in its `indistinguishable_from`. The search tries at most `max_steps` columns; None is
        `share_of_work` times as many as it tries in about a second. If that is not enough, the result is a short testor
        that may not be the shortest, and its `proved` is False.
        """
        for name, value in (("limit", limit), ("max_steps", max_steps)):  # `max_steps` may also be None
            if not (is_whole(value) and value >= 1) and (name, value) != ("max_steps", None):
                raise InputError(setting=name, value=value, hint="use a whole number from 1")
        if not 0 < as_number(share_of_work) < np.inf:
            raise InputError(setting="share_of_work", value=share_of_work, hint="use a number above 0, for example 1.0")
        class_contrast = self._contrast_for(label)
        classes = self.stats_.classes
        others = class_contrast.indistinguishable_from(self._representatives.with_documents)
        indistinguishable_from = tuple(classes[other] for other in others)
        basic = class_contrast.basic_matrix()
        if not len(basic):
            return Shortest([], size=0, proved=True, indistinguishable_from=indistinguishable_from)
        if max_steps is None:
            words_per_step = basic.size // 64 + 1  # a step reads about the whole matrix, 64 entries to a word
            affordable_steps = int(share_of_work * _SHORTEST_WORK) // words_per_step
            max_steps = min(max(affordable_steps, _MIN_STEPS), _MAX_STEPS)
        shortest = shortest_transversals(basic, class_contrast.weights, limit, max_steps)
        terms = class_contrast.terms.tolist()  # the term of each column of the matrix
        testors = [tuple(terms[position] for position in testor) for testor in shortest.testors]
        return shortest._replace(testors=testors, indistinguishable_from=indistinguishable_from)

    def _contrast_for(self, label: Any) -> Contrast:
        """Return the `Contrast` of a class, which marks the terms that distinguish it from each other class.

        Raises `InputError` if there is no such class, or if it has no documents.
        """
        self._ensure_selected()
        classes = self.stats_.classes
        try:
            number = classes.index(label)
        except ValueError:  # there is no such class, or `label` is an array, which can't be compared
            number = -1
        if number < 0 or not self.stats_.class_docs[number]:
            labels = shown([classes[existing] for existing in self._representatives.with_documents])
            raise InputError(f"There is no class {shown(label)} with documents", hint=f"there are {labels}")
        return contrast(self._representatives, number, self._used_settings.epsilon, self._used_settings.delta)
