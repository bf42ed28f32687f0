"""Panels of curves over the number of terms: F1, a panel for each classifier; seconds, a panel for each step; energy.

A selector has one look in all of them, by its place among the selectors. All terms, without selection, are a grey line
to compare with. Panels of one measure share their axes, so that they can be compared by eye.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..comparison import Comparison
from ..comparison.plan import ALL
from ..comparison.summary import Mean, Summary
from ..plots import Point, panel
from ..plots.scales import round_domain

Panel = dict[str, Any]
"""A title, a chart, and the choices that it belongs to."""

TERMS = "number of terms"
STEPS = {"selection": "selection_seconds", "training": "training_seconds", "prediction": "prediction_seconds"}
LEAST_SECONDS = 1e-4


def measures(found: Comparison) -> dict[str, str]:
    """What quality is measured by; with one label a document, accuracy is micro-F1."""
    several = {"all labels right": "accuracy"} if found.header["several_labels"] else {}
    return {"micro-F1": "micro_f1", "macro-F1": "macro_f1"} | several


def classifiers_of(found: Comparison) -> list[str]:
    """Those with figures, in their order."""
    return list(dict.fromkeys(line.classifier for line in found.summary if line.micro_f1 is not None))


def curve_numbers(found: Comparison) -> dict[str, int]:
    """The number of each selector, by which it has its look."""
    names = dict.fromkeys(line.selector for line in found.summary)
    own = [name for name in names if name != ALL] or list(names)
    return {name: number for number, name in enumerate(own)}


def has_baseline(found: Comparison) -> bool:
    """Whether there is a line of all terms."""
    return ALL not in curve_numbers(found) and any(
        line.selector == ALL and line.micro_f1 is not None for line in found.summary
    )


def quality_panels(found: Comparison) -> list[Panel]:
    """For each measure and classifier, a curve for each selector."""
    panels = []
    for measure, field in measures(found).items():
        means: list[Mean] = [getattr(line, field) for line in found.summary if line.micro_f1 is not None]
        if not means:
            return []
        lowest, highest = round_domain(min(mean.value for mean in means), max(mean.value for mean in means))
        domain = max(lowest, 0.0), min(highest, 1.0)

        def point(line: Summary, field: str = field) -> Point:
            mean: Mean = getattr(line, field)
            return Point(line.n_kept or 0.0, mean.value, "" if mean.half_width is None else f"± {mean.half_width:.3f}")

        for classifier in classifiers_of(found):
            shared = {"y": measure, "y_domain": domain, "about": f"{measure} against the number of terms, {classifier}"}
            drawn = _curves(found, classifier, point, **shared)
            panels.append(_panel(drawn, classifier, measure=measure, classifier=classifier))
    return panels


def time_panels(found: Comparison) -> list[Panel]:
    """For each classifier and step, a curve for each selector; all with the same axes."""
    own = [line for line in found.summary if line.micro_f1 is not None]
    seconds = [each for line in own for field in STEPS.values() if (each := _seconds(line, field)) is not None]
    if not seconds:
        return []
    domain = 10.0 ** math.floor(math.log10(min(seconds))), 10.0 ** math.ceil(math.log10(max(seconds)) + 1e-9)
    panels = []
    for classifier in classifiers_of(found):
        for step, field in STEPS.items():

            def point(line: Summary, field: str = field) -> Point | None:
                seconds = _seconds(line, field)
                return None if seconds is None else Point(line.n_kept or 0.0, seconds)

            about = f"Seconds of {step} against the number of terms, {classifier}"
            shared = {"y": "seconds", "y_domain": domain, "about": about, "log_y": True, "y_format": ".3g"}
            if drawn := _curves(found, classifier, point, **shared):
                panels.append(_panel(drawn, step, classifier=classifier))
    return panels


def energy_panels(found: Comparison) -> list[Panel]:
    """One panel, with a curve for each selector whose scores add up; none if there is no such one."""
    curves = {
        ranking.selector: [Point(size, share) for size, share in ranking.energy]
        for ranking in found.rankings
        if ranking.energy is not None
    }
    if not curves:
        return []
    about = "The share of all scores that the best terms hold, against the number of terms"
    drawn = panel(
        curves,
        numbers=curve_numbers(found),
        x=TERMS,
        y="share of all scores",
        about=about,
        y_domain=(0.0, 1.0),
        y_format=".0%",
    )
    return [_panel(drawn, "")]


def without_energy(found: Comparison) -> list[str]:
    """The selectors that were ranked, but whose scores do not add up to shares."""
    return list(dict.fromkeys(each.selector for each in found.rankings if each.energy is None))


def _curves(found: Comparison, classifier: str, point: Callable[[Summary], Point | None], **shared: Any) -> Any:
    """Of a classifier, a curve for each selector and a rule for all terms; None if there is no point."""
    own = [line for line in found.summary if line.classifier == classifier and line.micro_f1 is not None]
    numbers = curve_numbers(found)
    curves: dict[str, list[Point]] = {}
    for line in own:
        if (drawn := point(line)) is not None:
            curves.setdefault(line.selector, []).append(drawn)
    if not curves:
        return None
    baseline = [] if set(curves) <= {ALL} else curves.pop(ALL, [])
    ruled = {"all terms": baseline[0].y} if baseline else {}
    numbers.setdefault(ALL, len(numbers))
    across = None if ALL in curves else _sizes(found)
    return panel(curves, numbers=numbers, x=TERMS, x_domain=across, rules=ruled, **shared)


def _sizes(found: Comparison) -> tuple[float, float] | None:
    """From the fewest terms to the most of any selector."""
    numbers = curve_numbers(found)
    sizes = [line.n_kept for line in found.summary if line.n_kept and line.selector in numbers]
    return (min(sizes), max(sizes)) if sizes and min(sizes) < max(sizes) else None


def _seconds(line: Summary, field: str) -> float | None:
    seconds = getattr(line, field)
    return None if seconds is None else max(float(seconds), LEAST_SECONDS)


def _panel(drawn: Any, title: str, **where: str) -> Panel:
    return {"title": title, "where": where, "chart": drawn.to_dict()}
