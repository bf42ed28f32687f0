"""From the scores of a document to its labels, when it may have several: four ways to cut (Yang 2001), and the oldest.

- `SCut`: each class has a threshold of its own, the one with the best F1 on documents that were held out.
- `SCutFBR`: the same, but a class whose best F1 is below a floor, as that of rare classes often is, does not trust
  its threshold: only a score as high as the best held-out one will do (`fallback="top"`, Yang's FBR.1), or none
  (`"never"`, FBR.0). A threshold fitted to two or three documents otherwise costs more in wrong labels than it finds.
- `RCut`: each document gets its r best classes; r is given, or the one with the best micro-F1.
- `PCut`: each class gets as many documents as its share among the held-out ones, times a factor: given, or the one with
  the best micro-F1. Cutting a collection as a whole, it assigns the best-scored documents of each class; for documents
  that come one by one the scores at which the held-out documents were cut are the thresholds.
- `ZeroCut`: all classes whose score is not below 0, which is where classifiers that were trained for each class against
  the rest have their border. No documents are held out for it, as for `RCut` with a given r.

All are fitted on scores (documents x classes) and the true labels as a matrix of 0 and 1; a class that has no score for
a document (NaN) is not judged by it.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, shown
from ..settings import is_whole
from . import names
from .thresholds import best_f1_threshold

if TYPE_CHECKING:
    from .scores import HeldOutScores

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

FACTORS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0)
"""What `PCut` tries."""


class Rule(NamedTuple):
    """How a document's labels are cut from its scores: a threshold for each class, or a number of best classes."""

    thresholds: Floats | None
    ranks: int | None

    def __call__(self, scores: Floats) -> Bools:
        """Which classes each document gets (documents x classes)."""
        if self.ranks is None:
            assert self.thresholds is not None
            return np.asarray(scores >= self.thresholds)
        return best_ranks(scores, self.ranks)


def best_first(scores: Floats, n: int) -> NDArray[np.int64]:
    """Return the numbers of the n best classes of each document; of equal scores the class that comes first."""
    return np.argsort(-scores, axis=1, kind="stable")[:, :n]


def best_ranks(scores: Floats, ranks: int) -> Bools:
    """The best classes of each document; of equal scores the class that comes first."""
    order = best_first(scores, ranks)
    is_label = np.zeros(scores.shape, np.bool_)
    np.put_along_axis(is_label, order, True, axis=1)
    return is_label


def micro_f1(found: Bools, true: Bools) -> float:
    """F1 of all labels of all documents."""
    return f1_of_counts(int((found & true).sum()), int(found.sum()), int(true.sum()))


def f1_of_counts(hits: int, n_found: int, n_true: int) -> float:
    """Return F1, given how many labels are right, predicted and true."""
    return 2.0 * hits / max(n_found + n_true, 1)


class Cut(metaclass=ABCMeta):
    """What all ways share."""

    rule_: Rule

    def known(self, n_classes: int) -> Rule | None:
        """The rule, if it takes no documents to know it."""
        return None

    def fit(self, scores: Any, y: Any) -> Self:
        """Learn from the scores of documents that were held out, and their labels (a matrix of 0 and 1)."""
        from .scores import HeldOutScores

        self.fit_held_out(HeldOutScores.of(*_checked(scores, y)))
        return self

    def fit_held_out(self, held_out: HeldOutScores) -> Rule:
        """Learn from scores and labels that need not be in memory at once."""
        self.rule_ = self._learned(held_out)
        return self.rule_

    def predict(self, scores: Any) -> NDArray[np.int64]:
        """The labels of documents, as a matrix of 0 and 1."""
        return self.rule_(np.asarray(scores, np.float64)).astype(np.int64)

    @abstractmethod
    def _learned(self, held_out: HeldOutScores) -> Rule:
        """The rule that these documents speak for."""

    @property
    def thresholds_(self) -> Floats | None:
        """What the score of each class has to reach; None if labels are cut by rank."""
        return self.rule_.thresholds


class SCut(Cut):
    """A threshold for each class."""

    def _learned(self, held_out: HeldOutScores) -> Rule:
        return Rule(np.array([self._threshold(*judged) for judged in held_out.by_class()]), None)

    def _threshold(self, scores: Floats, is_member: Bools) -> float:
        return best_f1_threshold(scores, is_member)


class SCutFBR(SCut):
    """A threshold for each class, with a floor under which it is not trusted.

    Parameters
    ----------
    floor : float
        The F1 on held-out documents that a threshold must reach.
    fallback : {"top", "never"}
        What then has to be reached: the best held-out score of the class, or more than any score.
    """

    def __init__(self, *, floor: float = 0.1, fallback: str = "top") -> None:
        self.floor = floor
        self.fallback = fallback

    def _learned(self, held_out: HeldOutScores) -> Rule:
        if isinstance(self.floor, bool) or not (isinstance(self.floor, int | float) and 0 <= self.floor <= 1):
            raise InputError(f"floor={self.floor!r}; use a number from 0 to 1.")
        if self.fallback not in ("top", "never"):
            raise InputError(f"fallback={self.fallback!r}; use 'top' or 'never'.")
        return super()._learned(held_out)

    def _threshold(self, scores: Floats, is_member: Bools) -> float:
        threshold = best_f1_threshold(scores, is_member)
        if not len(scores):
            return threshold
        found = scores >= threshold
        if 2.0 * (found & is_member).sum() >= self.floor * max(int(found.sum()) + int(is_member.sum()), 1):
            return threshold
        if self.fallback == "never":
            return float("inf")
        best = scores.max()
        return float(np.nextafter(best, np.inf) if (scores == best).all() else best)  # all alike: nobody stands out


class RCut(Cut):
    """The best classes of each document.

    Parameters
    ----------
    ranks : int or None
        How many; None: the number with the best micro-F1, the smaller of equals.
    """

    def __init__(self, *, ranks: int | None = None) -> None:
        self.ranks = ranks

    def known(self, n_classes: int) -> Rule | None:
        """The ranks that were given."""
        if self.ranks is None:
            return None
        if not (is_whole(self.ranks) and self.ranks >= 1):
            raise InputError(f"ranks={self.ranks!r}; use a number of classes from 1, or None.")
        return Rule(None, int(self.ranks))

    def _learned(self, held_out: HeldOutScores) -> Rule:
        rule = self.known(held_out.n_classes)
        if rule is not None:
            return rule
        n_true = held_out.true.sum(axis=1)
        most = max(int(n_true.max(initial=1)), 1)
        hits = np.zeros(most, np.int64)
        for _, scores, true in held_out.by_document():
            order = best_first(np.where(np.isnan(scores), -np.inf, scores), most)
            by_rank = np.take_along_axis(true, order, axis=1).sum(axis=0)
            hits += np.cumsum(np.concatenate([by_rank, np.zeros(most - len(by_rank), np.int64)]))

        def f1(ranks: int) -> float:
            n_found = held_out.n_documents * min(ranks, held_out.n_classes)
            return f1_of_counts(int(hits[ranks - 1]), n_found, int(n_true.sum()))

        return Rule(None, max(range(1, most + 1), key=f1))


class PCut(Cut):
    """As many documents for each class as its share calls for.

    Parameters
    ----------
    factor : float or None
        By which the share is multiplied; None: the one with the best micro-F1.
    """

    def __init__(self, *, factor: float | None = None) -> None:
        self.factor = factor

    def _learned(self, held_out: HeldOutScores) -> Rule:
        if self.factor is not None and (
            isinstance(self.factor, bool) or not (isinstance(self.factor, int | float) and 0 < self.factor < np.inf)
        ):
            raise InputError(f"factor={self.factor!r}; use a number above 0, or None.")
        factors = FACTORS if self.factor is None else (self.factor,)
        thresholds = np.empty((len(factors), held_out.n_classes))
        self.shares_ = np.empty(held_out.n_classes)
        hits, n_found = np.zeros(len(factors), np.int64), np.zeros(len(factors), np.int64)
        for number, (scores, is_member) in enumerate(held_out.by_class()):
            self.shares_[number] = is_member.mean() if len(is_member) else 0.0
            for at, factor in enumerate(factors):
                thresholds[at, number] = cut_at_share(scores, factor * self.shares_[number])
                found = scores >= thresholds[at, number]
                hits[at] += int((found & is_member).sum())
                n_found[at] += int(found.sum())
        n_true = int(held_out.true.sum())
        best = max(range(len(factors)), key=lambda at: f1_of_counts(int(hits[at]), int(n_found[at]), n_true))
        self.factor_ = factors[best]
        return Rule(thresholds[best], None)

    def predict(self, scores: Any) -> NDArray[np.int64]:
        """The labels of a collection as a whole: each class gets its share of the documents."""
        all_scores = np.asarray(scores, np.float64)
        thresholds = [
            cut_at_share(each, self.factor_ * share) for each, share in zip(all_scores.T, self.shares_, strict=True)
        ]
        return (all_scores >= np.array(thresholds)).astype(np.int64)


class ZeroCut(Cut):
    """The classes whose score is 0 or more."""

    def known(self, n_classes: int) -> Rule:
        """A threshold of 0 for each class."""
        return Rule(np.zeros(n_classes), None)

    def _learned(self, held_out: HeldOutScores) -> Rule:
        return self.known(held_out.n_classes)


def cut_at_share(scores: Floats, share: float) -> float:
    """The threshold that lets about this share of the scores through; equal scores go through together or not.

    Without scores it is 0, as `best_f1_threshold` has it: a class that all documents are in, or none, has no others.
    """
    if not len(scores):
        return 0.0
    wanted = min(round(share * len(scores)), len(scores))
    if wanted == 0:
        return float("inf")
    ordered = np.sort(scores)[::-1]
    last = ordered[wanted - 1]
    above, n_through = ordered[ordered > last], int((scores >= last).sum())
    if wanted - len(above) < n_through - wanted:  # a tie that is too large stays out
        if len(above):
            return float(above[-1])
        if n_through == len(scores):  # all are alike: nobody stands out
            return float(np.nextafter(last, np.inf))
    return float(last)


def _checked(scores: Any, y: Any) -> tuple[Floats, Bools]:
    table = np.asarray(scores, np.float64)
    true = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
    if table.ndim != 2 or true.shape != table.shape:
        raise InputError(
            f"scores are of shape {table.shape} and labels of {true.shape}; both are tables of documents x classes."
        )
    if not np.isin(true, (0, 1)).all():
        raise InputError(
            f"Labels are a matrix of 0 and 1, but there is {shown(true[~np.isin(true, (0, 1))][0])} in it."
        )
    return table, true.astype(np.bool_)


CUTS: dict[str, type[Cut]] = dict(zip(names.CUTS, (SCut, SCutFBR, RCut, PCut, ZeroCut), strict=True))
"""The ways to cut, by name."""


def cut_of(setting: Any, options: Mapping[str, Any] | None) -> Cut:
    """The way to cut that a setting stands for: a name, with options."""
    if not (isinstance(setting, str) and setting in CUTS):
        raise InputError(f"cut={shown(setting)}; use one of {', '.join(CUTS)}.")
    try:
        return CUTS[setting](**(options or {}))
    except TypeError as problem:
        raise InputError(f"cut_options={shown(options)}: {problem}.") from problem
