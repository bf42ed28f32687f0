"""Typical testors (Pons-Porrata, Gil-García and Berlanga-Llavori): the terms that tell the classes apart.

Each class has a mean document, and a row for every other class that marks the terms which set it apart from that one
(`comparison.py`: ε says how much a term must weigh in the class, δ by how much more than in the other). A *testor* of
the class is a set of terms that touches every row, so that it tells the class from each of the others; a *typical*
testor is one that has no term to spare. The method keeps the terms that are in some typical testor of some class.

**The union of all typical testors costs a comparison of pairs of rows.** The paper lists all typical testors, whose
number grows exponentially, to take their union. They are the minimal transversals Tr(H) of the rows H, and Tr(Tr(H)) =
min(H), the rows that contain no other row; so the terms in some typical testor are the terms in some minimal row
(`transversals.py` has the argument). With c classes that is c^2 inclusion tests for each class.

The testors themselves tell more: the shortest are the smallest vocabularies that set a class apart; and the share of
the testors that hold a term says how hard it is to do without, which is what terms are ranked by (`testor_shares.py`,
`testor_shortest.py`).

A row may be empty: at this ε and δ no term sets the class apart from the other one. Such rows are dropped, and the pair
is named, for no set of terms touches an empty row, and the class would have no testor at all. What is called a testor
then tells the class from all others but these.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_DOWN, Context
from itertools import islice
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, NothingChosen, UnfitDocuments, shown
from ..settings import as_number, is_whole
from ..stats import ClassStats
from ..stats.sums import Floats, Ints
from ..warning import warn
from .base import Limit, ScoreForClass, TermSelector, limit_of
from .comparison import Comparison, Contrast, Representatives, contrast, contrasts, epsilon_for
from .testor_shares import Shares, shares_of_testors
from .testor_shortest import Shortest, shortest_transversals
from .transversals import Testor, Transversals

DEFAULT_EPSILON = 0.4
_NAMED_PAIRS = 5
_SHARE_WORK = 1 << 31
"""About how many words are looked at for the scores of all classes."""
_SHORTEST_WORK = 1 << 30
"""About how many words are looked at for the shortest testors of a class."""
_LEAST_STEPS, _MOST_STEPS = 100, 200_000


class _Used(NamedTuple):
    """The settings that were in force when terms were chosen."""

    epsilon: float
    delta: float
    scale: str
    score_limit: int


class _ClassShares(NamedTuple):
    """The candidates of a class, and the share of its testors that hold each."""

    number: int
    terms: Ints
    shares: Shares


def _rounded_down(value: float) -> str:
    """Four digits that are not more than the value, so that they can be used as a limit."""
    return f"{Context(prec=4, rounding=ROUND_DOWN).create_decimal(value):g}"


class TypicalTestors(TermSelector):
    """Select the terms that are in some typical testor of some class: those of the minimal rows.

    It looks at weights, so it is at its best after `TermWeighter`, with documents of length 1. With few classes, or
    classes that have nothing in common, there is little to choose by: then ε decides.

    Parameters
    ----------
    epsilon : float or None
        How much a term must weigh in the mean document of a class to be a candidate. None is 0.4, or, if `k` is given,
        what gives k terms or the next fewer (`epsilon_`): the bisection is described at `comparison.epsilon_for`.
    delta : float
        By how much more it must weigh there than in the other class to set the two apart.
    scale : {"max", "none"}
        Whether each mean document is divided by its largest weight, so that ε is as strict for every class.
    k : int, float, "all" or None
        How many terms at the most: a number or a share of all. Where epsilon leaves more, the best by `ranking_` stay.
    score_limit : int
        Of each class so many testors are looked at for `scores_` (of each part of a class, and one for all that differ
        in terms which set apart from the same classes); if there are more, shares are estimated from a random sample of
        as many, always the same, or of fewer where rows are many and long.

    Attributes
    ----------
    epsilon_ : the ε that was used
    class_terms_ : dict, for each class the columns that it chose, also those that a limit `k` has cut
    comparison_ : mapping from each class to its rows, a sparse matrix of yes and no: row j is against class j of
        `classes_`, the columns are all terms; made when asked for
    indistinguishable_ : list of pairs (class, other): no term sets the class apart from the other
    scores_ : the largest share, over the classes, of the typical testors of a class that hold the term; 1 for a term
        that no testor of some class does without (and for no other, also in a sample), 0 for terms in none
    scores_are_exact_ : whether all testors were looked at, and not a sample
    ranking_ : by score; of equal scores the term with the largest weight in any class first, then the lower column
    """

    k_changes_the_method = True
    says_how_many = True
    _used: _Used
    _least_tried: float
    _kept: Representatives | None
    _shares: list[_ClassShares] | None
    _ranks: tuple[Floats, Ints] | None

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

    def _choose(self) -> tuple[Floats, Ints, NDArray[np.bool_]]:
        """The support; scores and ranking wait until somebody asks, or `k` does."""
        stats = self.stats_
        self.check_settings()
        self._kept = given = Representatives(stats, self.scale)
        if len(given.with_documents) < 2:
            raise UnfitDocuments("Fewer than two classes have documents, so there is nothing to tell apart.")
        most = limit_of(self.k, stats.n_terms)
        if is_whole(self.k) and self.k > stats.n_terms:
            message = f"k={self.k:,} terms were asked for, but there are {stats.n_terms:,}."
            warn(message)
        epsilon = self._found_epsilon(given, most)
        self._used = _Used(epsilon, float(self.delta), self.scale, int(self.score_limit))
        self._shares = self._ranks = None
        support, n_pairs = np.zeros(stats.n_terms, np.bool_), 0
        for each in self._contrasts():
            support[each.chosen()] = True
            n_pairs += each.n_not_told_from
        if not support.any():
            raise self._nothing_chosen(given, epsilon)
        if n_pairs:
            self._name_indistinguishable(n_pairs)
        if most is not None and support.sum() > most:
            self._ranks = self._score_and_rank(stats)
            support[self._ranks[1][most:]] = False
        return np.zeros(0), np.zeros(0, np.int64), support

    @property
    def _given(self) -> Representatives:
        """The representatives, made again after a copy or a file."""
        if self._kept is None:
            self._kept = Representatives(self.stats_, self._used.scale)
        return self._kept

    def _contrasts(self) -> Iterator[Contrast]:
        """The rows of one class after the other; they are not kept, for together they may be far larger than stats."""
        return contrasts(self._given, self._used.epsilon, self._used.delta)

    def __getstate__(self) -> dict[str, Any]:
        """What is copied or written: all but what the statistics give again."""
        state: Any = super().__getstate__()
        return {name: None if name == "_kept" else value for name, value in state.items()}

    def check_settings(self) -> None:
        """Refuse settings that mean nothing for any documents."""
        for name, value in (("epsilon", self.epsilon), ("delta", self.delta)):
            if name == "epsilon" and value is None:
                continue
            if not 0 < as_number(value) < np.inf:
                example = f"{DEFAULT_EPSILON}" if name == "epsilon" else "0.15"
                raise InputError(f"{name}={shown(value)}; use a number above 0, for example {example}.")
        if not (is_whole(self.score_limit) and self.score_limit >= 1):
            raise InputError(f"score_limit={shown(self.score_limit)}; use a number of testors from 1.")

    def _found_epsilon(self, given: Representatives, most: int | None) -> float:
        self._least_tried = float(DEFAULT_EPSILON if self.epsilon is None else self.epsilon)
        if self.epsilon is not None or most is None:
            return self._least_tried
        if not (given.weights > 0).any():
            raise self._nothing_chosen(given, 0.0)
        found = epsilon_for(given, float(self.delta), most)
        self._least_tried = found.least_tried
        return found.epsilon

    def _nothing_chosen(self, given: Representatives, epsilon: float) -> InputError:
        """Why no term was chosen, and what to do."""
        largest = float(given.weights.max(initial=0.0))
        if largest <= 0:
            return UnfitDocuments(
                "No class has a term with a mean weight above 0, so nothing can be chosen. A term that every document "
                "has weighs 0 by its idf: look whether all documents have the same words."
            )
        scaled = ", each class divided by its largest" if self.scale == "max" else ""
        if epsilon > largest:
            return NothingChosen(
                f"epsilon={epsilon!r} is above every weight in the mean documents of the classes{scaled}, so that no "
                f"term can be chosen; the largest is {_rounded_down(largest)}. Use a smaller epsilon."
            )
        difference = given.largest_difference(epsilon)
        was_found = self.epsilon is None and limit_of(self.k, given.n_terms) is not None
        candidates = "" if was_found else f" in terms of weight epsilon={epsilon!r} or more"
        if difference <= 0:
            return (NothingChosen if candidates else UnfitDocuments)(
                f"No term sets any class apart from any other: their mean documents are the same{candidates}. Look at "
                "the labels" + (", or use a smaller epsilon." if candidates else ".")
            )
        return NothingChosen(
            f"delta={float(self.delta)!r} is above every difference between the mean documents of two "
            f"classes{candidates}{scaled}, so that no term can be chosen; the largest is {_rounded_down(difference)}. "
            "Use a smaller delta" + (" or epsilon." if candidates else ".")
        )

    def _name_indistinguishable(self, n_pairs: int) -> None:
        """Warn of pairs that no term tells apart; they are counted, for there may be millions."""
        first = [f"{label!r} from {other!r}" for label, other in islice(self._indistinguishable(), _NAMED_PAIRS)]
        more = f", and {n_pairs - len(first):,} more" if n_pairs > len(first) else ""
        warn(
            f"At epsilon={self._used.epsilon:.4g} and delta={self._used.delta:g} no term sets apart "
            f"{', '.join(first)}{more}. The chosen terms do not tell these classes apart; smaller values may."
        )

    def _indistinguishable(self) -> Iterator[tuple[Any, Any]]:
        classes = self.stats_.classes
        for each in self._contrasts():
            others = each.not_told_from(self._given.with_documents)
            yield from ((classes[each.number], classes[other]) for other in others)

    # -- scores --------------------------------------------------------------------------------------------------

    def _class_shares(self) -> list[_ClassShares]:
        """For each class with documents, the share of its testors that hold each candidate."""
        if self._shares is None:
            work = _SHARE_WORK // len(self._given.with_documents)
            self._shares = [
                _ClassShares(
                    each.number, each.terms, shares_of_testors(each.basic_matrix(), self._used.score_limit, work)
                )
                for each in self._contrasts()
            ]
        return self._shares

    def _score(self, stats: ClassStats) -> Floats:
        scores = np.zeros(stats.n_terms)
        for each in self._class_shares():
            scores[each.terms] = np.maximum(scores[each.terms], each.shares.values)
        return scores

    def _score_and_rank(self, stats: ClassStats) -> tuple[Floats, Ints]:
        scores = self._score(stats)
        return scores, np.lexsort((-self._given.largest(), -scores))

    def _class_scorer(self, stats: ClassStats) -> ScoreForClass:
        self._fitted()
        found = {each.number: each for each in self._class_shares()}

        def scores_for(number: int) -> Floats:
            scores = np.zeros(stats.n_terms)
            if number in found:
                scores[found[number].terms] = found[number].shares.values
            return scores

        return scores_for

    def _rank_for_class(self, number: int, columns: Ints, scores: Floats) -> Ints:
        """By score; of equal scores the heavier term in the class first, then the lower column."""
        terms, weights = self._given.of_class(number)
        return np.lexsort((-weights[np.searchsorted(terms, columns)], -scores))

    def _ranked(self) -> tuple[Floats, Ints]:
        self._fitted()
        if self._ranks is None:
            self._ranks = self._score_and_rank(self.stats_)
        return self._ranks

    def kept_columns(self) -> Ints:
        """The columns that are kept: by `ranking_` if they were cut to `k`, or else the heaviest first.

        Nobody needs the shares of testors where all chosen terms are kept, and they are what takes time.
        """
        kept = np.flatnonzero(self.support_)
        if self._ranks is not None:
            ranking = self._ranks[1]
            return np.asarray(ranking[self.support_[ranking]])
        return np.asarray(kept[np.argsort(-self._given.largest()[kept], kind="stable")])

    # -- reading -------------------------------------------------------------------------------------------------

    @property
    def scores_(self) -> Floats:
        """The largest share of the typical testors of a class that hold the term."""
        return self._ranked()[0]

    @property
    def ranking_(self) -> Ints:
        """All columns, the best first."""
        return self._ranked()[1]

    @property
    def scores_are_exact_(self) -> bool:
        """Whether all testors of all classes were looked at."""
        self._fitted()
        return all(each.shares.exact for each in self._class_shares())

    @property
    def support_(self) -> NDArray[np.bool_]:
        """Which columns are kept."""
        return self._fitted()[2]

    @property
    def epsilon_(self) -> float:
        """The ε that was used."""
        self._fitted()
        return self._used.epsilon

    @property
    def least_weight_tried_(self) -> float:
        """The smallest weight that was looked at to find ε: terms that weigh less in all classes could not matter."""
        self._fitted()
        return self._least_tried

    @property
    def class_terms_(self) -> dict[Any, Ints]:
        """For each class the columns that it chose; none if it has no documents, or no candidate that sets it apart."""
        self._fitted()
        chosen = {self.stats_.classes[each.number]: each.chosen() for each in self._contrasts()}
        return {label: chosen.get(label, np.zeros(0, np.int64)) for label in self.stats_.classes}

    @property
    def indistinguishable_(self) -> list[tuple[Any, Any]]:
        """The pairs (class, other) of which no term sets the class apart from the other."""
        self._fitted()
        return list(self._indistinguishable())

    @property
    def comparison_(self) -> Comparison:
        """The rows of each class, by label."""
        self._fitted()
        return Comparison(self._given, self.stats_.classes, self._used.epsilon, self._used.delta)

    # -- testors -------------------------------------------------------------------------------------------------

    def testors(
        self,
        label: Any,
        *,
        method: Literal["mmcs", "lex"] = "mmcs",
        limit: int | None = None,
        max_seconds: float | None = None,
    ) -> Iterator[Testor]:
        """The typical testors of a class, one after the other, each as a tuple of columns, ascending.

        There may be more than anybody can wait for: end after `limit` of them, or after `max_seconds`. The iterator's
        attribute `complete` says in the end whether it is known that these were all. A class that no term sets apart
        has none.
        """
        each = self._contrast_of(label)
        basic = each.basic_matrix()
        rows = basic if len(basic) else np.zeros((1, len(each.terms)), np.bool_)  # a row that nothing touches
        return Transversals(rows, method, limit=limit, max_seconds=max_seconds, names=each.terms)

    def shortest_testors(
        self, label: Any, *, limit: int = 10, max_steps: int | None = None, share_of_work: float = 1.0
    ) -> Shortest:
        """The testors of a class with fewest terms: the smallest vocabularies that set it apart.

        No more than `limit` of them are given, those whose terms weigh most in the class first; `heaviest` is False if
        there were too many to compare. It is set apart from all classes but those in `not_told_from`. The search tries
        no more than `max_steps` columns (None: `share_of_work` of what takes a second or so); if that is not
        enough, a short testor is given that may not be the shortest, and `proved` is False.
        """
        for name, value in (("limit", limit), ("max_steps", max_steps)):
            if not (is_whole(value) and value >= 1) and (name, value) != ("max_steps", None):
                raise InputError(f"{name}={shown(value)}; use a whole number from 1.")
        if not 0 < as_number(share_of_work) < np.inf:
            raise InputError(f"share_of_work={shown(share_of_work)}; use a number above 0, for example 1.0.")
        each = self._contrast_of(label)
        classes = self.stats_.classes
        not_told_from = tuple(classes[other] for other in each.not_told_from(self._given.with_documents))
        basic = each.basic_matrix()
        if not len(basic):
            return Shortest([], 0, True, not_told_from=not_told_from)
        if max_steps is None:
            within_work = int(share_of_work * _SHORTEST_WORK) // (basic.size // 64 + 1)
            max_steps = min(max(within_work, _LEAST_STEPS), _MOST_STEPS)
        found = shortest_transversals(basic, each.weights, limit, max_steps)
        terms = each.terms.tolist()
        testors = [tuple(terms[at] for at in testor) for testor in found.testors]
        return found._replace(testors=testors, not_told_from=not_told_from)

    def _contrast_of(self, label: Any) -> Contrast:
        self._fitted()
        classes = self.stats_.classes
        try:
            number = classes.index(label)
        except ValueError:  # also what comparing with an array says
            number = -1
        if number < 0 or not self.stats_.class_docs[number]:
            there_are = shown([classes[each] for each in self._given.with_documents])
            raise InputError(f"There is no class {shown(label)} with documents; there are {there_are}.")
        return contrast(self._given, number, self._used.epsilon, self._used.delta)
