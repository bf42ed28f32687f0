"""Summarise each condition: means over the folds, their confidence intervals, ranks, and significance tests.

**Seconds** are medians over the folds, because machines are sometimes busy with something else. They are None if a run
was resumed with another number of threads or on another machine.

**Which tests are made.** The best condition of a group has the highest mean micro-F1; of ties, the one with the higher
macro-F1, then the first. Each other condition of the group is tested against it, and the p-values of the group are
corrected together. This is done twice: once with a group for each number of terms, and once with all conditions as one
group.

**The sign test.** All conditions are tested on the same documents, so two conditions are compared document by document.
A condition wins a document if it makes fewer mistakes on it than the other; a mistake is a label too many or too few.
Documents without a winner are left out. If both conditions were equally good, each would win a document with
probability 1/2; p is the probability of a result that is at least as uneven (exact, two-sided). With one label per
document, this is McNemar's exact test.

**The corrected resampled t-test.** If documents are tested several times (random splits, repeated folds), the results
on one document are not independent, so the sign test can't count them. Then two conditions are compared fold by fold,
by a t-test of the differences in micro-F1, with the variance of Nadeau and Bengio below.

**Holm's correction.** Among many comparisons with the best condition, some show a difference by chance. The correction
keeps the probability of even one false finding at the significance level: the smallest p is multiplied by the number of
comparisons, the next smallest by that number minus 1, and so on, and each corrected p is at least as large as the one
before.

**What p ignores.** The best condition was picked on the same documents, so its quality is slightly overestimated. And
the folds of a cross-validation are tested with models that share most of their training documents: p is about these
documents and models, not about another sample of them.

**Intervals of means over folds** allow for shared training documents. They are Student's intervals with the variance of
Nadeau and Bengio (2003), s² (1/k + tested/trained), where s² is the variance over the k folds, and tested/trained the
ratio of the numbers of test and training documents. The usual variance of a mean, s²/k, would give an interval that is
far too narrow.

**Intervals for a single fold**, which shows no variance over folds, say how much the figures would vary over other test
documents, with the same model; other training documents would make them wider. For accuracy, a share of documents,
which is also the micro-F1 of single-label documents, the interval reaches to the farther end of Wilson's interval.
Macro-F1 is a smooth function of the numbers of documents for each pair of true and predicted class. Its standard error
comes from the *infinitesimal jackknife*: square the derivative of macro-F1 by the weight of each document, add these
squares up, and take the root. Multilabel documents have no such pairs, and so no interval of F1 for a single fold.

**The average rank** of a pair of selector and classifier is the mean of its ranks by micro-F1 among all pairs, over
folds and numbers of terms; ties share the mean of their ranks. Pairs without figures for some fold and number of terms
have no average rank.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from scipy.stats import binom, norm, rankdata, t

from ..evaluation.confidence import Confidence, ProbabilityBand
from .plan import ALL, Condition, Size
from .results import Mistakes, Row

CONFIDENCE = 0.95
T = TypeVar("T")


# -- significance ------------------------------------------------------------------------------------------------


def sign_test(mistakes: Mistakes, others: Mistakes) -> float:
    """Return the two-sided p-value of the sign test, for the mistakes of two conditions on the same documents."""
    wins, losses = int((mistakes < others).sum()), int((mistakes > others).sum())
    # Twice the probability of one tail is above 1 if there are as many wins as losses.
    return min(1.0, 2.0 * float(binom.cdf(min(wins, losses), wins + losses, 0.5)))


def p_of_lead(best: Mistakes, other: Mistakes) -> float:
    """Return the p-value of the lead of the best condition over another one, by the sign test on their mistakes.

    The best condition has the highest F1. A condition wins a document on which it makes fewer mistakes than the other.
    If the best condition does not win more documents, p is 1.
    """
    return sign_test(best, other) if (best < other).sum() > (best > other).sum() else 1.0


def p_of_mean_lead(leads: Sequence[float], tested_to_trained: float) -> float:
    """Return the p-value of the lead of the best condition over another one, by the corrected resampled t-test.

    `leads` has the difference in micro-F1 in each fold, and `tested_to_trained` is the number of test documents divided
    by that of training documents.
    """
    mean, n_folds = float(np.mean(leads)), len(leads)
    if n_folds < 2 or mean <= 0.0:
        return 1.0  # one fold shows no variance, and without a lead there is nothing to test
    standard_error = float(np.sqrt(np.var(leads, ddof=1) * (1 / n_folds + tested_to_trained)))
    # Without any variance, t is infinite.
    return 2.0 * float(t.sf(mean / standard_error, n_folds - 1)) if standard_error > 0.0 else 0.0


def holm(values: Sequence[float]) -> list[float]:
    """Return the p-values, in the given order, after Holm's correction for multiple comparisons.

    Examples
    --------
    >>> from textsieve.comparison import holm
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(values, kind="stable")
    multiplied = np.array(values, np.float64)[order] * np.arange(len(values), 0, -1)  # ascending p, descending factor
    corrected = np.empty(len(values))
    corrected[order] = np.minimum(np.maximum.accumulate(multiplied), 1.0)  # none is smaller than the one before
    return corrected.tolist()


def half_width_of_share(n_right: int, n_documents: int) -> float:
    """Return the distance of a share of documents from the farther end of Wilson's confidence interval.

    The share is not the middle of the interval: that is (share + z²/2n) / (1 + z²/n). For few documents, and shares
    near 0 or 1, half the width would make the share look more certain than it is.
    """
    z = float(norm.ppf((1 + CONFIDENCE) / 2))
    share = n_right / n_documents
    variance = share * (1 - share) / n_documents + z * z / (4 * n_documents**2)
    middle = (share + z * z / (2 * n_documents)) / (1 + z * z / n_documents)
    half_of_interval = z * float(np.sqrt(variance)) / (1 + z * z / n_documents)
    return abs(middle - share) + half_of_interval


def half_width_of_macro_f1(confusion: Sequence[tuple[int, int, int]]) -> float | None:
    """Return half the width of the confidence interval of macro-F1 over test documents, or None without mistakes.

    `confusion` has true class, predicted class and number of documents of each pair that occurs. F1 of a class is
    2 hits / (predicted + true). Its derivative by the weight of a document is 2 (1 - F1) / (predicted + true) for a
    correctly predicted document of the class. For a wrongly predicted document, F1 of its true class and F1 of its
    predicted class have the derivative -F1 / (predicted + true) each. Macro-F1 is the mean of F1 over the classes.
    """
    pairs = np.array(confusion, np.int64).reshape(-1, 3)
    true, predicted, counts = pairs.T
    is_right = true == predicted
    if is_right.all():
        return None  # no document shows how far F1 could vary
    # Number the classes that occur from 0, without gaps.
    classes = np.unique(pairs[:, :2])
    true, predicted = np.searchsorted(classes, true), np.searchsorted(classes, predicted)
    predicted_plus_true = np.bincount(true, counts, len(classes)) + np.bincount(predicted, counts, len(classes))
    f1 = 2 * np.bincount(true[is_right], counts[is_right], len(classes)) / predicted_plus_true
    # The derivative of the sum of F1 over the classes, for a document of each pair. For a right document, true and
    # predicted class are the same, so -F1 is counted twice, as in 2 (1 - F1).
    derivative = -(f1[true] / predicted_plus_true[true] + f1[predicted] / predicted_plus_true[predicted])
    derivative[is_right] += 2 / predicted_plus_true[true[is_right]]
    standard_error = np.sqrt((counts * derivative**2).sum()) / len(classes)
    return float(norm.ppf((1 + CONFIDENCE) / 2) * standard_error)


def half_width(values: Sequence[float], tested_to_trained: float) -> float | None:
    """Return half the width of the confidence interval of the mean over folds, or None for a single fold.

    `tested_to_trained` is the number of test documents divided by that of training documents.

    Examples
    --------
    >>> from textsieve.comparison import half_width
    >>> round(half_width([0.90, 0.92, 0.91], tested_to_trained=0.5), 3)
    0.039
    """
    n_folds = len(values)
    if n_folds < 2:
        return None
    variance = float(np.var(values, ddof=1)) * (1 / n_folds + tested_to_trained)  # of the mean
    return float(t.ppf((1 + CONFIDENCE) / 2, n_folds - 1)) * float(np.sqrt(variance))


# -- conditions --------------------------------------------------------------------------------------------------

Quality = tuple[float, float]
"""Micro-F1, then macro-F1."""


class Verdict(NamedTuple):
    """The result of testing a condition against the best condition of its group."""

    p: float | None = None
    """The corrected p-value of the lead of the best; None for the best itself, and for a condition without figures."""
    is_best: bool = False


def compare_with_best(
    qualities: Sequence[Quality | None], rows: Sequence[list[Row]], groups: Sequence[Hashable], *, overlapping: bool
) -> list[Verdict]:
    """Return the verdict on each condition: its test against the best condition of its group.

    `qualities`, `rows` and `groups` have an element for each condition: its F1 (None without figures), its rows, and
    the group to which it belongs. `overlapping` says whether folds share test documents.
    """
    compute_p = _p_over_folds if overlapping else _p_over_documents
    members: dict[Hashable, list[int]] = {}  # the conditions of each group, as positions in `qualities`
    for condition, quality in enumerate(qualities):
        if quality is not None:
            members.setdefault(groups[condition], []).append(condition)
    verdicts = [Verdict() for _ in qualities]
    for conditions in members.values():
        # Of equal qualities, `-condition` makes the first condition the best.
        best = max(conditions, key=lambda condition: (_required(qualities[condition]), -condition))
        others = [condition for condition in conditions if condition != best]
        corrected = holm([compute_p(rows[best], rows[condition]) for condition in others])
        verdicts[best] = Verdict(is_best=True)
        for condition, p in zip(others, corrected, strict=True):
            verdicts[condition] = Verdict(p)
    return verdicts


def tested_to_trained(rows: Sequence[Row]) -> float:
    """Return the number of test documents divided by that of training documents, as a mean over the folds."""
    return float(np.mean([row.documents / row.trained_on for row in rows]))


def _p_over_documents(best: list[Row], other: list[Row]) -> float:
    """Return the p-value of the sign test on the test documents of all folds."""
    return p_of_lead(*(np.concatenate([_required(row.mistakes) for row in rows]) for rows in (best, other)))


def _p_over_folds(best: list[Row], other: list[Row]) -> float:
    """Return the p-value of the corrected resampled t-test, for folds that share test documents."""
    leads = [_required(best_row.micro_f1) - _required(row.micro_f1) for best_row, row in zip(best, other, strict=True)]
    return p_of_mean_lead(leads, tested_to_trained(best))


def _required(value: T | None) -> T:
    """Return a value that the caller knows is not None; the type checker does not know it."""
    assert value is not None
    return value


class Mean(NamedTuple):
    """The mean over the folds, and its confidence interval.

    Attributes
    ----------
    value : the mean over the folds
    half_width : half the width of the 95 % confidence interval, or None if there is none

    Examples
    --------
    >>> from textsieve.comparison import compare
    >>> texts = ["the striker scored", "a late goal", "the vote failed", "a new law"]
    >>> labels = ["sport", "sport", "politics", "politics"]
    >>> comparison = compare(texts * 5, labels * 5, selectors=["ig", "chi"], n_terms=[3], classifiers=["nb"])
    >>> mean = comparison.best.micro_f1
    >>> round(mean.value, 3), round(mean.half_width, 3)
    (0.75, 0.0)
    """

    value: float
    half_width: float | None


@dataclass(frozen=True)
class Summary:
    """The figures of a condition over all folds.

    Attributes
    ----------
    selector : the name of the selector, with its options
    n_terms : the requested number of terms: a number, a share of all, or "all"
    classifier : the name of the classifier, with its options
    problem : why there are no figures, if some fold has none; else None
    n_selected : the mean number of selected terms
    micro_f1, macro_f1 : a `Mean` each
    accuracy : the share of documents with exactly the right labels, a `Mean`
    selection_seconds, training_seconds, prediction_seconds : medians over the folds; None if the folds were measured
        with different numbers of threads or of cores
    model_bytes : the mean size of the model file
    unknown : the number of test documents of all folds that have no selected term
    documents : the number of test documents of all folds
    threads : the number of threads if it was the same for all folds, else None
    cores : the number of cores of the machine if it was the same for all folds, else None
    p_in_size : corrected p-value of the lead of the best condition with the same number of terms; None for the best
        itself
    p_overall : corrected p-value of the lead of the best of all conditions; None for the best itself
    is_best_in_size : whether it is the best condition with the same number of terms
    is_best : whether it is the best of all conditions
    confidence : how certain and how right the labels of the test documents of all folds are; None if some fold has
        none

    Examples
    --------
    >>> from textsieve.comparison import compare
    >>> texts = ["the striker scored", "a late goal", "the vote failed", "a new law"]
    >>> labels = ["sport", "sport", "politics", "politics"]
    >>> comparison = compare(texts * 5, labels * 5, selectors=["ig", "chi"], n_terms=[3], classifiers=["nb"])
    >>> for summary in comparison.summary:
    ...     print(summary.selector, summary.n_terms, round(summary.micro_f1.value, 3), summary.unknown)
    ig 3 0.75 10
    chi 3 0.75 10
    """

    selector: str
    n_terms: Size
    classifier: str
    problem: str | None
    n_selected: float | None = None
    micro_f1: Mean | None = None
    macro_f1: Mean | None = None
    accuracy: Mean | None = None
    selection_seconds: float | None = None
    training_seconds: float | None = None
    prediction_seconds: float | None = None
    model_bytes: float | None = None
    unknown: int | None = None
    documents: int | None = None
    threads: int | None = None
    cores: int | None = None
    p_in_size: float | None = None
    p_overall: float | None = None
    is_best_in_size: bool = False
    is_best: bool = False
    confidence: Confidence | None = None

    @property
    def bands(self) -> list[ProbabilityBand]:
        """Return how many labels are right by the probability of the label; empty if there are no probabilities."""
        return [] if self.confidence is None else self.confidence.bands()

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values, with the bands."""
        values = {name: value._asdict() if isinstance(value, Mean) else value for name, value in vars(self).items()}
        confidence = None if self.confidence is None else self.confidence.to_dict()
        return values | {"confidence": confidence, "bands": [band._asdict() for band in self.bands]}


class AverageRank(NamedTuple):
    """The average rank of a selector with a classifier.

    Attributes
    ----------
    selector, classifier : their names, with options
    rank : the mean rank by micro-F1, over folds and numbers of terms; 1 is the best

    Examples
    --------
    >>> from textsieve.comparison import compare
    >>> texts = ["the striker scored", "a late goal", "the vote failed", "a new law"]
    >>> labels = ["sport", "sport", "politics", "politics"]
    >>> comparison = compare(texts * 5, labels * 5, selectors=["ig", "chi"], n_terms=[3], classifiers=["nb"])
    >>> comparison.ranks[0]
    AverageRank(selector='ig', classifier='nb', rank=1.5)
    """

    selector: str
    classifier: str
    rank: float


def summarise(conditions: Sequence[Condition], rows: Sequence[Row], *, overlapping: bool = False) -> list[Summary]:
    """Return a summary of each condition, in their order; `overlapping` says whether folds share test documents."""
    rows_of: dict[Any, list[Row]] = {condition.key: [] for condition in conditions}
    for row in rows:
        rows_of[row.key[1:]].append(row)
    summaries = [_summary(condition, rows_of[condition.key]) for condition in conditions]
    qualities = [_quality(summary) for summary in summaries]
    rows_of_conditions = [rows_of[condition.key] for condition in conditions]
    one_group, group_of_size = [None] * len(summaries), [summary.n_terms for summary in summaries]
    overall_verdicts, size_verdicts = (
        compare_with_best(qualities, rows_of_conditions, groups, overlapping=overlapping)
        for groups in (one_group, group_of_size)
    )
    return [
        replace(
            summary,
            p_overall=overall.p,
            is_best=overall.is_best,
            p_in_size=in_size.p,
            is_best_in_size=in_size.is_best,
        )
        for summary, overall, in_size in zip(summaries, overall_verdicts, size_verdicts, strict=True)
    ]


def best_first(summaries: Iterable[Summary]) -> list[Summary]:
    """Return the summaries in descending order of micro-F1, but `is_best` first, and those without figures last."""

    def sort_key(summary: Summary) -> tuple[bool, bool, float]:
        """Return the position of a summary: False comes before True, and a high micro-F1 before a low one."""
        micro_f1 = 0.0 if summary.micro_f1 is None else summary.micro_f1.value
        return summary.micro_f1 is None, not summary.is_best, -micro_f1

    return sorted(summaries, key=sort_key)


def average_ranks(conditions: Sequence[Condition], rows: Sequence[Row]) -> list[AverageRank]:
    """Return the average rank of each selector with each classifier, the best first.

    The baselines, which use all terms, are left out: ranks are averaged over all numbers of terms, and a baseline has
    only one.
    """
    pairs = list(
        dict.fromkeys(
            (condition.selector.name, condition.classifier.name)
            for condition in conditions
            if condition.selector.name != ALL
        )
    )
    # For each fold and number of terms, the micro-F1 of each pair.
    f1_of_pairs: dict[tuple[int, Size], dict[tuple[str, str], float]] = {}
    for row in rows:
        if row.micro_f1 is not None and (row.selector, row.classifier) in pairs:
            f1_of_pairs.setdefault((row.fold, row.n_terms), {})[row.selector, row.classifier] = row.micro_f1
    complete_pairs = [pair for pair in pairs if f1_of_pairs and all(pair in f1_of for f1_of in f1_of_pairs.values())]
    if not complete_pairs:
        return []
    # A row for each fold and number of terms, and a column for each pair.
    scores = np.array([[f1_of[pair] for pair in complete_pairs] for f1_of in f1_of_pairs.values()])
    mean_ranks = rankdata(-np.round(scores, 12), axis=1).mean(axis=0)  # rounded, so that equal F1 are ties
    ranks = [AverageRank(*pair, rank) for pair, rank in zip(complete_pairs, mean_ranks.tolist(), strict=True)]
    return sorted(ranks, key=lambda average: average.rank)


def _summary(condition: Condition, rows: list[Row]) -> Summary:
    """Return the summary of the rows of a condition, without significance tests."""
    if any(row.problem is not None for row in rows):
        return Summary(*condition.key, problem=_problem(rows))
    ratio = tested_to_trained(rows)

    def mean(name: str) -> float:
        """Return the mean of a field of the rows."""
        return float(np.mean([getattr(row, name) for row in rows]))

    machines = {(row.threads, row.cores) for row in rows}

    def median(name: str) -> float | None:
        """Return the median of a field of seconds, or None if the rows differ in threads or machines."""
        return float(np.median([getattr(row, name) for row in rows])) if len(machines) == 1 else None

    def with_interval(name: str) -> Mean:
        """Return the mean of a field of the rows, with its interval."""
        if len(rows) == 1:
            return Mean(mean(name), _half_width_of_row(rows[0], name))
        return Mean(mean(name), half_width([getattr(row, name) for row in rows], ratio))

    return Summary(
        *condition.key,
        problem=None,
        n_selected=mean("n_selected"),
        micro_f1=with_interval("micro_f1"),
        macro_f1=with_interval("macro_f1"),
        accuracy=with_interval("accuracy"),
        selection_seconds=median("selection_seconds"),
        training_seconds=median("training_seconds"),
        prediction_seconds=median("prediction_seconds"),
        model_bytes=mean("model_bytes"),
        unknown=sum(row.unknown or 0 for row in rows),
        documents=sum(row.documents for row in rows),
        threads=_common_value(threads for threads, _ in machines),
        cores=_common_value(cores for _, cores in machines),
        confidence=_sum_confidence(rows),
    )


def _half_width_of_row(row: Row, name: str) -> float | None:
    """Return half the width of the interval of "micro_f1", "macro_f1" or "accuracy" of a single fold.

    Return None for F1 of multilabel documents, for macro-F1 without mistakes, and without test documents.
    """
    is_single_label = row.confusion is not None
    if name == "macro_f1":
        return half_width_of_macro_f1(_required(row.confusion)) if is_single_label else None
    if (name == "micro_f1" and not is_single_label) or not row.documents:
        return None
    return half_width_of_share(int((_required(row.mistakes) == 0).sum()), row.documents)


def _sum_confidence(rows: list[Row]) -> Confidence | None:
    """Return how certain and how right the labels of all folds together are, or None if some fold has no counts."""
    total, *others = (row.confidence for row in rows)
    for confidence in others:
        total = None if total is None or confidence is None else total + confidence
    return total


def _problem(rows: list[Row]) -> str:
    """Return the first problem of the rows, and the number of its fold if not all folds have a problem."""
    problems = {row.fold: row.problem for row in rows if row.problem is not None}
    first = next(iter(problems))
    where = "" if len(problems) == len(rows) else f" (in fold {first + 1} of {len(rows)})"
    return f"{problems[first]}{where}"


def _common_value(values: Iterable[int | None]) -> int | None:
    """Return the value if all are equal, else None."""
    distinct = set(values)
    return distinct.pop() if len(distinct) == 1 else None


def _quality(summary: Summary) -> Quality | None:
    """Return the mean micro- and macro-F1, or None if the condition could not be measured.

    They are rounded to 12 decimal places, so that values that differ only by rounding errors are ties.
    """
    if summary.micro_f1 is None or summary.macro_f1 is None:
        return None
    return round(summary.micro_f1.value, 12), round(summary.macro_f1.value, 12)
