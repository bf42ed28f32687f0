"""The main findings of a comparison: the best combination, the fewest terms that are as good, and the fastest.

A combination is *not significantly worse* than the best if the p-value of the best's lead over it, corrected for all
comparisons (`summary.py`), is at least 0.05.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..errors import counted
from .plan import ALL, size_text
from .summary import Mean, Summary

SIGNIFICANCE_LEVEL = 0.05


class Finding(NamedTuple):
    """A title, the combination, and a sentence about it."""

    title: str
    combination: str
    about: str


def find_best(summaries: Sequence[Summary]) -> list[Finding]:
    """Return the findings on the best combination, on the one with the fewest terms, and on the fastest.

    The last two are as good as the best. A combination that is two or three of these has one finding, which says so.
    The list is empty if no combination could be measured.
    """
    measured = [summary for summary in summaries if summary.micro_f1 is not None]
    best = next((summary for summary in measured if summary.is_best), None)
    if best is None:
        return []
    as_good = [summary for summary in measured if _is_as_good(summary)]
    fewest, fastest = _fewest_terms(as_good), _fastest(best, as_good)
    # The title and the sentences of each combination with a finding, in the order of the findings.
    titles = {best: "Best micro-F1"}
    sentences = {best: [f"{_f1_text(best)}.", *_rivals_text(len(measured) - 1, len(as_good) - 1)]}
    if fewest is best:
        has_fewer = any(_n_selected(summary) < _n_selected(best) for summary in measured)
        sentences[best].append(
            "All with fewer terms are significantly worse." if has_fewer else "Fewer terms were not tried."
        )
    else:
        titles[fewest] = "Fewest terms, not significantly worse"
        sentences[fewest] = [f"{_f1_text(fewest)}; p = {fewest.p_overall:.2f}."]
    if fastest is best:
        sentences[best].append(f"{_seconds_text(_total_seconds(best))} to select, train and predict.")
    elif fastest is not None:
        if fastest is fewest:
            titles[fastest] = "Fewest terms and fastest, not significantly worse"
        else:
            titles[fastest] = "Fastest, not significantly worse"
            sentences[fastest] = [f"{_f1_text(fastest)}."]
        sentences[fastest].append(
            f"{_seconds_text(_total_seconds(fastest))} to select, train and predict (the best: "
            f"{_seconds_text(_total_seconds(best))})."
        )
    return [
        Finding(title, combination_text(summary), " ".join(sentences[summary])) for summary, title in titles.items()
    ]


def _is_as_good(summary: Summary) -> bool:
    """Return whether a combination is the best, or not significantly worse than the best."""
    return summary.is_best or (summary.p_overall is not None and summary.p_overall >= SIGNIFICANCE_LEVEL)


def _f1_text(summary: Summary) -> str:
    """Return micro- and macro-F1 of a measured combination, each with its interval."""
    assert summary.micro_f1 is not None
    assert summary.macro_f1 is not None
    return f"micro-F1 {_mean_text(summary.micro_f1)}, macro-F1 {_mean_text(summary.macro_f1)}"


def _rivals_text(n_others: int, n_as_good: int) -> list[str]:
    """Return a sentence on how many of the other combinations are as good as the best; [] if there are no others."""
    if n_others == 0:
        return []
    if n_as_good == 0:
        return ["All others are significantly worse."]
    verb = "is" if n_as_good == 1 else "are"
    return [f"{n_as_good:,} of {counted(n_others, 'other')} {verb} not significantly worse."]


def _fewest_terms(as_good: Sequence[Summary]) -> Summary:
    """Return the combination with the fewest terms; of ties, the one with higher F1."""
    return min(as_good, key=lambda summary: (_n_selected(summary), -_micro_f1(summary)))


def _fastest(best: Summary, as_good: Sequence[Summary]) -> Summary | None:
    """Return the fastest of the combinations that are as good as the best.

    Return None if their seconds were measured with different numbers of threads or on different machines.
    """
    # The seconds of the best are None if its own rows differ in threads or machines.
    if len({(summary.threads, summary.cores) for summary in as_good}) > 1 or best.training_seconds is None:
        return None
    return min(as_good, key=_total_seconds)


def _total_seconds(summary: Summary) -> float:
    """Return the seconds to select, train and predict."""
    steps = (summary.selection_seconds, summary.training_seconds, summary.prediction_seconds)
    return sum(seconds or 0.0 for seconds in steps)


# -- texts -------------------------------------------------------------------------------------------------------


def combination_text(summary: Summary) -> str:
    """Return a combination in a few words: "ig, 1,000 terms, svm"."""
    if summary.selector == ALL:
        return f"all terms, {summary.classifier}"
    if isinstance(summary.n_terms, int):
        terms = counted(summary.n_terms, "term")
    else:
        terms = "all terms" if summary.n_terms == ALL else f"{size_text(summary.n_terms)} of all terms"
    return f"{summary.selector}, {terms}, {summary.classifier}"


def _n_selected(summary: Summary) -> float:
    """Return the mean number of selected terms of a measured combination."""
    assert summary.n_selected is not None
    return summary.n_selected


def _micro_f1(summary: Summary) -> float:
    """Return the mean micro-F1 of a measured combination."""
    assert summary.micro_f1 is not None
    return summary.micro_f1.value


def _mean_text(mean: Mean) -> str:
    """Return a mean, with half the width of its interval if it has one: "0.812 ±0.020"."""
    return f"{mean.value:.3f}" + ("" if mean.half_width is None else f" ±{mean.half_width:.3f}")


def _seconds_text(seconds: float) -> str:
    """Return seconds or milliseconds with a sensible number of digits."""
    if seconds < 0.1:
        return f"{1000 * seconds:.1f} ms"
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:,.1f} s"
