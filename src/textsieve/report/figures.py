"""Panels of curves over the number of terms: F1 by classifier, seconds by step, and energy.

A selector has the same colour, dash and symbol in all panels, by its position among the selectors. All terms, without
selection, are a grey line for comparison. Panels of the same measure share their axes, so that they can be compared by
eye.
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
"""A title, a chart, and the values of the page's controls for which it is shown."""

TERMS = "number of terms"
STEPS = {"selection": "selection_seconds", "training": "training_seconds", "prediction": "prediction_seconds"}
LEAST_SECONDS = 1e-4


def measures(found: Comparison) -> dict[str, str]:
    """Return the names and fields of the measures of quality.

    For single-label documents accuracy is left out, as it equals micro-F1.
    """
    multilabel = {"all labels right": "accuracy"} if found.header["several_labels"] else {}
    return {"micro-F1": "micro_f1", "macro-F1": "macro_f1"} | multilabel


def classifiers_of(found: Comparison) -> list[str]:
    """Return the classifiers that were measured, in their order."""
    return list(dict.fromkeys(line.classifier for line in found.summary if line.micro_f1 is not None))


def curve_numbers(found: Comparison) -> dict[str, int]:
    """Return the number of each selector's curve, which determines its style."""
    names = dict.fromkeys(line.selector for line in found.summary)
    selectors = [name for name in names if name != ALL] or list(names)
    return {name: number for number, name in enumerate(selectors)}


def has_baseline(found: Comparison) -> bool:
    """Return whether there is a reference line for all terms."""
    return ALL not in curve_numbers(found) and any(
        line.selector == ALL and line.micro_f1 is not None for line in found.summary
    )


def quality_panels(found: Comparison) -> list[Panel]:
    """Return a panel for each measure and classifier, with a curve for each selector."""
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
            chart = _curves(found, classifier, point, **shared)
            panels.append(_panel(chart, classifier, measure=measure, classifier=classifier))
    return panels


def time_panels(found: Comparison) -> list[Panel]:
    """Return a panel for each classifier and step, with a curve for each selector; all panels have the same axes."""
    measured = [line for line in found.summary if line.micro_f1 is not None]
    seconds = [spent for line in measured for field in STEPS.values() if (spent := _seconds(line, field)) is not None]
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
            if chart := _curves(found, classifier, point, **shared):
                panels.append(_panel(chart, step, classifier=classifier))
    return panels


def energy_panels(found: Comparison) -> list[Panel]:
    """Return one panel with a curve for each selector whose scores add up; no panel if there is no such selector."""
    curves = {
        ranking.selector: [Point(size, share) for size, share in ranking.energy]
        for ranking in found.rankings
        if ranking.energy is not None
    }
    if not curves:
        return []
    about = "The share of all scores that the best terms hold, against the number of terms"
    chart = panel(
        curves,
        numbers=curve_numbers(found),
        x=TERMS,
        y="share of all scores",
        about=about,
        y_domain=(0.0, 1.0),
        y_format=".0%",
    )
    return [_panel(chart, "")]


def without_energy(found: Comparison) -> list[str]:
    """Return the selectors with a ranking whose scores don't add up to shares."""
    return list(dict.fromkeys(ranking.selector for ranking in found.rankings if ranking.energy is None))


def _curves(comparison: Comparison, classifier: str, point: Callable[[Summary], Point | None], **shared: Any) -> Any:
    """Return a chart for a classifier: a curve for each selector and a line for all terms; None without points."""
    measured = [line for line in comparison.summary if line.classifier == classifier and line.micro_f1 is not None]
    numbers = curve_numbers(comparison)
    curves: dict[str, list[Point]] = {}
    for line in measured:
        if (plotted := point(line)) is not None:
            curves.setdefault(line.selector, []).append(plotted)
    if not curves:
        return None
    baseline = [] if set(curves) <= {ALL} else curves.pop(ALL, [])
    rules = {"all terms": baseline[0].y} if baseline else {}
    numbers.setdefault(ALL, len(numbers))
    x_domain = None if ALL in curves else _sizes(comparison)
    return panel(curves, numbers=numbers, x=TERMS, x_domain=x_domain, rules=rules, **shared)


def _sizes(comparison: Comparison) -> tuple[float, float] | None:
    """Return the minimum and maximum number of terms over all selectors, or None if they are equal or missing."""
    numbers = curve_numbers(comparison)
    sizes = [line.n_kept for line in comparison.summary if line.n_kept and line.selector in numbers]
    return (min(sizes), max(sizes)) if sizes and min(sizes) < max(sizes) else None


def _seconds(line: Summary, field: str) -> float | None:
    seconds = getattr(line, field)
    return None if seconds is None else max(float(seconds), LEAST_SECONDS)


def _panel(chart: Any, title: str, **where: str) -> Panel:
    return {"title": title, "where": where, "chart": chart.to_dict()}
