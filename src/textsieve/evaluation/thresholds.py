"""Turn the scores of multilabel documents into labels: five methods, four of them after Yang (2001).

- `SCut`: each class has its own threshold, the one with the best F1 on held-out documents.
- `SCutFBR`: the same, unless the best F1 of a class is below a floor, as is common for rare classes. A threshold fitted
  to two or three documents tends to add more wrong labels than right ones. So such a class has a very high threshold
  instead: the best held-out score (`fallback="top"`, Yang's FBR.1), or infinity (`fallback="never"`, FBR.0).
- `RCut`: each document gets its r best classes; r is given, or the one with the best micro-F1.
- `PCut`: each class gets documents in proportion to its share among the held-out ones, times a factor that is given or
  has the best micro-F1. `PCut.predict` takes a whole collection, and gives each class that share of its documents,
  those with the best scores. But a model may have to predict a single document. So it uses thresholds, those that give
  each class its share of the held-out documents.
- `ZeroCut`: all classes whose score is not below 0, which is the boundary of classifiers trained for each class against
  the rest. It needs no held-out documents, like `RCut` with a given r.

All are fitted to scores (documents x classes) and the true labels as an indicator matrix. A document without a score
for a class (NaN) is left out for this class.

**The best threshold for F1.** The documents are sorted by score, the best first. If the first i are accepted, F1 is
2 hits / (i + members), where members is the number of documents of the class, and hits the number of members among the
first i. So one pass over the sorted scores finds the best i. The threshold is half-way between the last accepted score
and the next, or the last score if all documents are accepted. Documents with equal scores are accepted together. Of
several thresholds with the same F1, the one that accepts the fewest documents is used.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bools, Floats
from ..errors import InputError, shown
from ..settings import is_whole
from . import names

if TYPE_CHECKING:
    from .scores import HeldOutScores


def best_f1_threshold(scores: Floats, is_member: NDArray[np.bool_], weights: Floats | None = None) -> float:
    """Return the threshold with the best F1 for one class; a document is accepted if its score is not below it.

    Without a member of the class, the threshold is just above all scores; without any score, it is 0. `weights` has the
    sample weight of each document.

    Examples
    --------
    >>> from textsieve.evaluation import best_f1_threshold
    >>> import numpy as np
    >>> best_f1_threshold(np.array([0.9, 0.4, 0.1]), np.array([True, True, False]))
    0.25
    """
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    sample_weights = np.ones(len(scores)) if weights is None else weights[order]
    hits = np.cumsum(sample_weights * is_member[order])
    n_members = float(hits[-1]) if len(hits) else 0.0
    if n_members == 0:
        return float(np.nextafter(ordered[0], np.inf)) if len(ordered) else 0.0
    f1 = 2.0 * hits / (np.cumsum(sample_weights) + n_members)
    # Documents of equal scores can only be accepted together.
    is_last_of_equals = np.append(ordered[1:] < ordered[:-1], True)
    # `argmax` returns the first of equals, which accepts the fewest documents.
    last_accepted = int(np.argmax(np.where(is_last_of_equals, f1, -1.0)))
    if last_accepted + 1 == len(ordered):  # all documents are accepted
        return float(ordered[last_accepted])
    lowest_accepted, highest_rejected = ordered[last_accepted], ordered[last_accepted + 1]
    half_way = 0.5 * lowest_accepted + 0.5 * highest_rejected
    # Half-way between neighbouring floats is rounded to one of them, which must not be the rejected one.
    return float(half_way if half_way > highest_rejected else lowest_accepted)


FACTORS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0)
"""The factors that `PCut` tries."""


class ThresholdRule(NamedTuple):
    """A fitted rule from scores to labels: a threshold for each class, or a number of best classes; not both."""

    thresholds: Floats | None
    """The least score that assigns each class."""
    ranks: int | None
    """The number of best classes that each document gets."""

    def __call__(self, scores: Floats) -> Bools:
        """Return which classes each document gets (documents x classes)."""
        if self.ranks is None:
            assert self.thresholds is not None
            return np.asarray(scores >= self.thresholds)
        return best_ranks(scores, self.ranks)


def best_classes(scores: Floats, n: int) -> NDArray[np.int64]:
    """Return the numbers of the n best classes of each document; of equal scores, the first class is better."""
    return np.argsort(-scores, axis=1, kind="stable")[:, :n]


def best_ranks(scores: Floats, ranks: int) -> Bools:
    """Return which classes are among the `ranks` best of each document (documents x classes)."""
    is_label = np.zeros(scores.shape, np.bool_)
    np.put_along_axis(is_label, best_classes(scores, ranks), True, axis=1)
    return is_label


def count_labels(is_label: Bools, weights: Floats | None) -> float:
    """Return the number of labels; with sample weights, each label counts as much as its document.

    `is_label` is of shape (documents, classes), or (documents,) for a single class; `weights` is of shape (documents,).
    """
    if weights is None:
        return float(is_label.sum())
    return float(weights @ (is_label.sum(axis=1) if is_label.ndim == 2 else is_label))


def f1_of_counts(n_right: float, n_predicted: float, n_true: float) -> float:
    """Return F1 from the numbers of right, predicted and true labels; 0 if there are none."""
    return 2.0 * n_right / (n_predicted + n_true or 1.0)


class Cut(metaclass=ABCMeta):
    """The base class of the methods that fit a `ThresholdRule` to held-out documents."""

    rule_: ThresholdRule

    def untuned_rule(self, n_classes: int) -> ThresholdRule | None:
        """Return the rule of a method that needs no held-out documents; None if it must be fitted to them."""
        return None

    def fit(self, scores: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the rule to the scores of held-out documents and their labels, a matrix of 0 and 1.

        Both are documents x classes. A document of `sample_weight` 3 counts as three copies.
        """
        from .scores import HeldOutScores

        table, is_true = _check_scores(scores, y)
        weights = None
        if sample_weight is not None:
            from ..stats.weights import check_weights  # loads scipy, which predicting does not need

            weights = check_weights(sample_weight, len(table))
        if weights is not None and not weights.all():
            has_weight = weights > 0.0  # documents of weight 0 count as if they were not there
            table, is_true, weights = table[has_weight], is_true[has_weight], weights[has_weight]
        self.fit_held_out(HeldOutScores.of(table, is_true, weights))
        return self

    def fit_held_out(self, held_out: HeldOutScores) -> ThresholdRule:
        """Fit the rule to scores and labels that need not be in memory at once."""
        self.rule_ = self._fit_rule(held_out)
        return self.rule_

    def predict(self, scores: Any) -> NDArray[np.int64]:
        """Return the labels of documents as a matrix of 0 and 1."""
        return self.rule_(np.asarray(scores, np.float64)).astype(np.int64)

    @abstractmethod
    def _fit_rule(self, held_out: HeldOutScores) -> ThresholdRule:
        """Return the rule fitted to these documents."""

    @property
    def thresholds_(self) -> Floats | None:
        """Return the threshold of each class, or None if labels are assigned by rank."""
        return self.rule_.thresholds


class SCut(Cut):
    """A threshold for each class, the one with the best F1.

    Examples
    --------
    >>> from textsieve.evaluation import SCut
    >>> import numpy as np
    >>> scores = np.array([[0.9, -0.2], [0.1, 0.3], [-0.5, 0.8], [0.4, 0.2]])  # held-out documents x classes
    >>> true = np.array([[1, 0], [0, 1], [0, 1], [1, 1]], dtype=bool)
    >>> cut = SCut().fit(scores, true)
    >>> cut.predict(scores)
    array([[1, 0],
           [0, 1],
           [0, 1],
           [1, 1]])
    """

    def _fit_rule(self, held_out: HeldOutScores) -> ThresholdRule:
        """Return the rule with the threshold of each class, fitted to its scores alone."""
        thresholds = [self._threshold(scores, is_member, weights) for scores, is_member, weights in held_out.by_class()]
        return ThresholdRule(np.array(thresholds), ranks=None)

    def _threshold(self, scores: Floats, is_member: Bools, weights: Floats | None) -> float:
        """Return the threshold of a class, given the scores, membership and sample weights of the documents."""
        return best_f1_threshold(scores, is_member, weights)


class SCutFBR(SCut):
    """A threshold for each class, which is used only if its F1 on held-out documents reaches a floor.

    Parameters
    ----------
    floor : float
        The F1 on held-out documents that a threshold must reach.
    fallback : {"top", "never"}
        The score that a document must reach if F1 is below the floor: the best held-out score of the class ("top"), or
        infinity ("never").

    Examples
    --------
    >>> from textsieve.evaluation import SCutFBR
    >>> import numpy as np
    >>> scores = np.array([[0.9, -0.2], [0.1, 0.3], [-0.5, 0.8], [0.4, 0.2]])  # held-out documents x classes
    >>> true = np.array([[1, 0], [0, 1], [0, 1], [1, 1]], dtype=bool)
    >>> cut = SCutFBR(floor=0.5).fit(scores, true)
    >>> cut.predict(scores)
    array([[1, 0],
           [0, 1],
           [0, 1],
           [1, 1]])
    """

    def __init__(self, *, floor: float = 0.1, fallback: str = "top") -> None:
        self.floor = floor
        self.fallback = fallback

    def _fit_rule(self, held_out: HeldOutScores) -> ThresholdRule:
        """Check the parameters, and return the rule with the threshold of each class."""
        if isinstance(self.floor, bool) or not (isinstance(self.floor, int | float) and 0 <= self.floor <= 1):
            raise InputError(setting="floor", value=self.floor, hint="use a number from 0 to 1")
        if self.fallback not in ("top", "never"):
            raise InputError(setting="fallback", value=self.fallback, hint="use 'top' or 'never'")
        return super()._fit_rule(held_out)

    def _threshold(self, scores: Floats, is_member: Bools, weights: Floats | None) -> float:
        """Return the threshold with the best F1, or the one of `fallback` if this F1 is below the floor."""
        threshold = best_f1_threshold(scores, is_member, weights)
        if not len(scores):  # nothing to measure F1 on
            return threshold
        is_accepted = scores >= threshold
        n_right, n_predicted, n_true = (
            count_labels(is_label, weights) for is_label in (is_accepted & is_member, is_accepted, is_member)
        )
        if f1_of_counts(n_right, n_predicted, n_true) >= self.floor:
            return threshold
        if self.fallback == "never":
            return float("inf")
        best = scores.max()
        # If all scores are equal, the best score would accept all documents. Then the threshold is just above it.
        return float(np.nextafter(best, np.inf) if (scores == best).all() else best)


class RCut(Cut):
    """The best classes of each document, the same number for all.

    Parameters
    ----------
    ranks : int or None
        The number of classes; None: the number with the best micro-F1, or the smallest of several equally good ones.

    Examples
    --------
    >>> from textsieve.evaluation import RCut
    >>> import numpy as np
    >>> scores = np.array([[0.9, -0.2], [0.1, 0.3], [-0.5, 0.8], [0.4, 0.2]])  # held-out documents x classes
    >>> true = np.array([[1, 0], [0, 1], [0, 1], [1, 1]], dtype=bool)
    >>> cut = RCut().fit(scores, true)
    >>> cut.predict(scores)
    array([[1, 0],
           [0, 1],
           [0, 1],
           [1, 0]])
    """

    def __init__(self, *, ranks: int | None = None) -> None:
        self.ranks = ranks

    def untuned_rule(self, n_classes: int) -> ThresholdRule | None:
        """Return the rule for a given number of ranks, or None if `ranks` is None."""
        if self.ranks is None:
            return None
        if not (is_whole(self.ranks) and self.ranks >= 1):
            raise InputError(setting="ranks", value=self.ranks, hint="use a number of classes from 1, or None")
        return ThresholdRule(thresholds=None, ranks=int(self.ranks))

    def _fit_rule(self, held_out: HeldOutScores) -> ThresholdRule:
        """Return the rule for the given number of ranks, or for the one with the best micro-F1."""
        rule = self.untuned_rule(held_out.n_classes)
        if rule is not None:
            return rule
        # From 1 to the largest number of labels that a document has.
        max_ranks = int(held_out.true.sum(axis=1).max(initial=1))
        # The number of right labels if each document gets its best class, its two best classes, ...
        n_right = np.zeros(max_ranks)
        for documents, scores, is_true in held_out.by_document():
            # A class without a score (NaN) comes last.
            order = best_classes(np.where(np.isnan(scores), -np.inf, scores), max_ranks)
            is_right = np.take_along_axis(is_true, order, axis=1)  # documents x ranks
            weights = held_out.weights_of(documents)
            right_at_rank = is_right.sum(axis=0) if weights is None else weights @ is_right
            padding = np.zeros(max_ranks - len(right_at_rank))  # empty unless there are fewer classes than ranks
            n_right += np.cumsum(np.concatenate([right_at_rank, padding]))

        def f1(ranks: int) -> float:
            """Return micro-F1 if each document gets this number of classes."""
            n_predicted = held_out.n_counted * min(ranks, held_out.n_classes)
            return f1_of_counts(float(n_right[ranks - 1]), n_predicted, held_out.n_true)

        return ThresholdRule(thresholds=None, ranks=max(range(1, max_ranks + 1), key=f1))  # the smallest of equals


class PCut(Cut):
    """A number of documents for each class, in proportion to its share among the held-out documents.

    Parameters
    ----------
    factor : float or None
        The factor by which shares are multiplied; None: the one of twelve from 0.5 to 2 with the best micro-F1.

    Examples
    --------
    >>> from textsieve.evaluation import PCut
    >>> import numpy as np
    >>> scores = np.array([[0.9, -0.2], [0.1, 0.3], [-0.5, 0.8], [0.4, 0.2]])  # held-out documents x classes
    >>> true = np.array([[1, 0], [0, 1], [0, 1], [1, 1]], dtype=bool)
    >>> cut = PCut().fit(scores, true)
    >>> cut.predict(scores)
    array([[1, 0],
           [0, 1],
           [0, 1],
           [1, 1]])
    """

    def __init__(self, *, factor: float | None = None) -> None:
        self.factor = factor

    def _fit_rule(self, held_out: HeldOutScores) -> ThresholdRule:
        """Return the rule for the given factor, or for the one of `FACTORS` with the best micro-F1.

        Of equally good factors, the smallest is used. Also set `factor_`, the factor, and `shares_`, the share of each
        class among the held-out documents.
        """
        self._check_factor()
        factors = FACTORS if self.factor is None else (self.factor,)
        thresholds = np.empty((len(factors), held_out.n_classes))  # a row for each factor; the best row is the result
        self.shares_ = np.empty(held_out.n_classes)
        n_right, n_predicted = np.zeros(len(factors)), np.zeros(len(factors))  # labels of all classes, for each factor
        for class_number, (scores, is_member, weights) in enumerate(held_out.by_class()):
            self.shares_[class_number] = _share(is_member, weights)
            for row, factor in enumerate(factors):
                threshold = cut_at_share(scores, factor * self.shares_[class_number], weights)
                thresholds[row, class_number] = threshold
                is_accepted = scores >= threshold
                n_right[row] += count_labels(is_accepted & is_member, weights)
                n_predicted[row] += count_labels(is_accepted, weights)
        f1 = [
            f1_of_counts(right, predicted, held_out.n_true)
            for right, predicted in zip(n_right.tolist(), n_predicted.tolist(), strict=True)
        ]
        best = f1.index(max(f1))
        self.factor_ = factors[best]
        return ThresholdRule(thresholds[best], ranks=None)

    def _check_factor(self) -> None:
        """Raise `InputError` unless the factor is None, or a finite number above 0."""
        is_number = isinstance(self.factor, int | float) and not isinstance(self.factor, bool)
        if self.factor is not None and not (is_number and 0 < self.factor < np.inf):
            raise InputError(setting="factor", value=self.factor, hint="use a number above 0, or None")

    def predict(self, scores: Any) -> NDArray[np.int64]:
        """Return the labels of a whole collection as a matrix of 0 and 1 (documents x classes).

        Each class gets its share of these documents, so the labels of a document depend on the other documents.
        """
        all_scores = np.asarray(scores, np.float64)
        thresholds = [
            cut_at_share(class_scores, self.factor_ * share)
            for class_scores, share in zip(all_scores.T, self.shares_, strict=True)
        ]
        return (all_scores >= np.array(thresholds)).astype(np.int64)


class ZeroCut(Cut):
    """The classes whose score is 0 or more.

    Examples
    --------
    >>> from textsieve.evaluation import ZeroCut
    >>> import numpy as np
    >>> scores = np.array([[0.9, -0.2], [0.1, 0.3], [-0.5, 0.8], [0.4, 0.2]])  # held-out documents x classes
    >>> true = np.array([[1, 0], [0, 1], [0, 1], [1, 1]], dtype=bool)
    >>> cut = ZeroCut().fit(scores, true)
    >>> cut.predict(scores)
    array([[1, 0],
           [1, 1],
           [0, 1],
           [1, 1]])
    """

    def untuned_rule(self, n_classes: int) -> ThresholdRule:
        """Return a threshold of 0 for each class."""
        return ThresholdRule(np.zeros(n_classes), ranks=None)

    def _fit_rule(self, held_out: HeldOutScores) -> ThresholdRule:
        """Return a threshold of 0 for each class; the documents do not matter."""
        return self.untuned_rule(held_out.n_classes)


def cut_at_share(scores: Floats, share: float, weights: Floats | None = None) -> float:
    """Return the threshold that accepts about this share of the documents, given their scores for a class.

    The number of documents to accept is the share times the number of all, rounded. If it is 0, the threshold is
    infinity. Otherwise, the best documents are accepted until the number is reached. A threshold can't separate
    documents with equal scores. So the documents with the score of the last one to accept are all accepted or all
    rejected, whichever comes closer to the number. There is one exception: documents with the best score of all are
    accepted even if rejecting them comes closer, unless all scores are equal.

    Without scores, the threshold is 0, as in `best_f1_threshold`; a class that could not be learned, because all
    training documents or none belong to it, has no scores. With `weights`, numbers of documents are sums of weights.
    """
    if not len(scores):
        return 0.0
    # The scores, the best first, and for each the number (or total weight) of the documents from the best one to it.
    if weights is None:
        ordered, n_through = np.sort(scores)[::-1], np.arange(1.0, len(scores) + 1.0)
    else:
        order = np.argsort(-scores)
        ordered, n_through = scores[order], np.cumsum(weights[order])
    n_all = float(n_through[-1])
    are_integers = weights is None or bool((weights == np.floor(weights)).all())
    # A total weight is not rounded if some weight is a fraction. `PCut` may multiply a share to more than 1.
    n_target = min(round(share * n_all) if are_integers else share * n_all, n_all)
    if n_target == 0:
        return float("inf")
    last_score = ordered[np.searchsorted(n_through, n_target)]
    # The documents from `begin` to before `end` have this score.
    begin = np.searchsorted(-ordered, -last_score, side="left")
    end = np.searchsorted(-ordered, -last_score, side="right")
    n_without = float(n_through[begin - 1]) if begin else 0.0  # accepted if the documents with this score are rejected
    n_with = n_through[end - 1]
    is_closer_without = n_target - n_without < n_with - n_target
    if is_closer_without and begin > 0:
        return float(ordered[begin - 1])
    if is_closer_without and end == len(ordered):  # all scores are equal, and just above them, none is accepted
        return float(np.nextafter(last_score, np.inf))
    return float(last_score)


def _share(is_member: Bools, weights: Floats | None) -> float:
    """Return the share of the members of a class among some documents; 0 without documents."""
    if not len(is_member):
        return 0.0
    return float(is_member.mean()) if weights is None else float(weights @ is_member / weights.sum())


def _check_scores(scores: Any, y: Any) -> tuple[Floats, Bools]:
    """Return scores and labels as arrays of documents x classes; raise `InputError` if they are not."""
    table = np.asarray(scores, np.float64)
    labels = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
    if table.ndim != 2 or labels.shape != table.shape:
        raise InputError(
            f"scores are of shape {table.shape} and labels of {labels.shape}", hint="both must be documents x classes"
        )
    if not np.isin(labels, (0, 1)).all():
        raise InputError(
            f"Labels are a matrix of 0 and 1, but there is {shown(labels[~np.isin(labels, (0, 1))][0])} in it."
        )
    return table, labels.astype(np.bool_)


CUTS: dict[str, type[Cut]] = dict(zip(names.CUTS, (SCut, SCutFBR, RCut, PCut, ZeroCut), strict=True))
"""The class of each method by its name in the setting `cut`."""


def cut_of(setting: Any, options: Mapping[str, Any] | None) -> Cut:
    """Return a new `Cut` for the settings `cut`, which is a name, and `cut_options`."""
    if not (isinstance(setting, str) and setting in CUTS):
        raise InputError(setting="cut", value=setting, hint=f"use one of {', '.join(CUTS)}")
    try:
        return CUTS[setting](**(options or {}))
    except TypeError as problem:  # the class has no such option, or the options are no mapping
        raise InputError(f"{problem}", setting="cut_options", value=options) from problem
