"""The main findings in a few sentences: the best combination, the fewest terms that are as good, and the fastest.

A combination is as good as the best if it is not significantly worse: the p-value of the best's lead over it, corrected
for all comparisons (`comparison/significance.py`), is at least 0.05.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..comparison import Comparison
from ..comparison.outcome import mean_text, size_text
from ..comparison.plan import ALL
from ..comparison.summary import Summary
from ..errors import counted

LEVEL = 0.05


class Finding(NamedTuple):
    """A title, the combination, and a sentence about it."""

    title: str
    what: str
    about: str


def findings(found: Comparison) -> list[Finding]:
    """Return the main findings; the list is empty if no combination could be measured."""
    measured = [line for line in found.summary if line.micro_f1 is not None]
    best = next((line for line in measured if line.is_best), None)
    if best is None:
        return []
    as_good = [line for line in measured if is_as_good(line)]
    return [
        Finding("Best micro-F1", condition_text(best), f"{_f1(best)}.{_runner_up(best, measured)}"),
        _fewest(best, measured),
        *_fastest(best, as_good),
    ]


def is_as_good(line: Summary) -> bool:
    """Return whether a combination is the best, or not significantly worse than the best."""
    return line.is_best or (line.p_overall is not None and line.p_overall >= LEVEL)


def condition_text(line: Summary) -> str:
    """Return a combination in a few words."""
    if line.selector == ALL:
        return f"all terms, {line.classifier}"
    terms = "all terms" if line.n_terms == ALL else _terms(line)
    return f"{line.selector}, {terms}, {line.classifier}"


def total_seconds(line: Summary) -> float:
    """Return the seconds of selection, training and prediction together."""
    return sum(seconds or 0.0 for seconds in (line.selection_seconds, line.training_seconds, line.prediction_seconds))


def _terms(line: Summary) -> str:
    if isinstance(line.n_terms, int):
        return counted(line.n_terms, "term")
    return f"{size_text(line.n_terms)} of all terms"


def _f1(line: Summary) -> str:
    assert line.micro_f1 is not None
    assert line.macro_f1 is not None
    return f"micro-F1 {mean_text(line.micro_f1)}, macro-F1 {mean_text(line.macro_f1)}"


def _runner_up(best: Summary, measured: Sequence[Summary]) -> str:
    n_others = sum(is_as_good(line) for line in measured) - 1
    if len(measured) == 1:
        return ""
    if not n_others:
        return " All others are worse by more than chance."
    verb = "is" if n_others == 1 else "are"
    return f" {n_others:,} of {counted(len(measured) - 1, 'other')} {verb} as good, within chance."


def _fewest(best: Summary, measured: Sequence[Summary]) -> Finding:
    title, as_good = "Fewest terms, as good", [line for line in measured if is_as_good(line)]
    fewest = min(as_good, key=lambda line: (line.n_kept or 0.0, -_micro(line)))
    if fewest.is_best:
        were_tried = any((line.n_kept or 0.0) < (best.n_kept or 0.0) for line in measured)
        about = "with fewer terms, all are worse by more than chance" if were_tried else "fewer terms were not tried"
        return Finding(title, condition_text(best), f"It is the best itself; {about}.")
    about = f"{_f1(fewest)}; that the best leads by chance has p = {fewest.p_overall:.2f}."
    return Finding(title, condition_text(fewest), about)


def _fastest(best: Summary, as_good: Sequence[Summary]) -> list[Finding]:
    """Return the fastest combination, or nothing if seconds come from different numbers of threads or machines."""
    if len({(line.threads, line.cores) for line in as_good}) > 1 or best.training_seconds is None:
        return []
    fastest = min(as_good, key=total_seconds)
    spent = seconds_text(total_seconds(fastest))
    of_best = "" if fastest.is_best else f" (the best: {seconds_text(total_seconds(best))})"
    about = f"{spent} to select, train and predict{of_best}; {_f1(fastest)}."
    return [Finding("Fastest, as good", condition_text(fastest), about)]


def _micro(line: Summary) -> float:
    return -1.0 if line.micro_f1 is None else line.micro_f1.value


def seconds_text(seconds: float) -> str:
    """Return seconds or milliseconds with a sensible number of digits."""
    if seconds < 0.1:
        return f"{1000 * seconds:.1f} ms"
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:,.1f} s"
