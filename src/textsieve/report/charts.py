"""The charts of the report over the number of terms: F1 by classifier, seconds by step, and energy; and their legend.

Each chart has a curve for each selector. The position of a selector among the selectors determines its colour, dash and
symbol, which are the same in all charts. The result of the baseline, which uses all terms without selection, is a grey
reference line. F1 is drawn with its interval. Charts of the same measure share their axes, so that they can be compared
by eye.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..comparison import Comparison
from ..comparison.plan import ALL
from ..comparison.summary import Mean, Summary
from ..plots import Point, Style, curve_style, panel
from ..plots.panels import RULE_DASH
from ..plots.style import GREY, round_domain

Panel = dict[str, Any]
"""A chart with its title ("title", "chart"), and the values of the page's controls for which it is shown ("where")."""

TERMS = "number of terms"
STEPS = {"selection": "selection_seconds", "training": "training_seconds", "prediction": "prediction_seconds"}
MIN_SECONDS = 1e-4
"""Shorter times are drawn as this, because a logarithmic axis can't show 0."""

_SYMBOLS = {
    "circle": "M4 0A4 4 0 1 1 -4 0A4 4 0 1 1 4 0",
    "square": "M-3.6 -3.6H3.6V3.6H-3.6Z",
    "triangle-up": "M0 -4.4L4.6 3.6H-4.6Z",
    "diamond": "M0 -5L3.4 0L0 5L-3.4 0Z",
    "cross": "M-1.5 -4.5H1.5V-1.5H4.5V1.5H1.5V4.5H-1.5V1.5H-4.5V-1.5H-1.5Z",
    "triangle-down": "M0 4.4L4.6 -3.6H-4.6Z",
}
"""The symbols of `plots.style` as SVG paths, for the legend."""


class LegendEntry(NamedTuple):
    """The name of a curve, and its style as SVG attributes; a line without symbols has an empty path."""

    name: str
    colour: str
    dash: str
    symbol_path: str


@dataclass(frozen=True)
class Charts:
    """All charts of a report."""

    quality: list[Panel]
    times: list[Panel]
    energy: list[Panel]
    legend: list[LegendEntry]
    energy_legend: list[LegendEntry]
    without_energy: list[str]
    """The selectors with a ranking that has no energy, for example because some scores are negative."""


def draw_charts(comparison: Comparison) -> Charts:
    """Return all charts of a comparison."""
    without_energy = list(dict.fromkeys(ranking.selector for ranking in comparison.rankings if ranking.energy is None))
    return Charts(
        quality=_quality_panels(comparison),
        times=_time_panels(comparison),
        energy=_energy_panels(comparison),
        legend=_legend(comparison, with_baseline=True),
        energy_legend=_legend(comparison, with_baseline=False, without=without_energy),
        without_energy=without_energy,
    )


def measures_of(comparison: Comparison) -> dict[str, str]:
    """Return the field of `Summary` for each measure of quality, by the name of the measure.

    For single-label documents, accuracy is left out, because it equals micro-F1.
    """
    accuracy = {"accuracy": "accuracy"} if comparison.header["multilabel"] else {}
    return {"micro-F1": "micro_f1", "macro-F1": "macro_f1"} | accuracy


def classifiers_of(comparison: Comparison) -> list[str]:
    """Return the classifiers that were measured, in the order of the comparison."""
    return list(dict.fromkeys(summary.classifier for summary in _measured(comparison)))


def _measured(comparison: Comparison) -> list[Summary]:
    """Return the summaries of all combinations that could be measured."""
    return [summary for summary in comparison.summary if summary.micro_f1 is not None]


def _curve_numbers(comparison: Comparison) -> dict[str, int]:
    """Return the number of each selector's curve, which determines its style.

    The baseline with all terms has a curve only if nothing else was compared; otherwise it is a reference line.
    """
    names = dict.fromkeys(summary.selector for summary in comparison.summary)
    selectors = [name for name in names if name != ALL] or list(names)
    return {name: number for number, name in enumerate(selectors)}


def _legend(comparison: Comparison, *, with_baseline: bool, without: Collection[str] = ()) -> list[LegendEntry]:
    """Return the legend of all selectors except those in `without`.

    Energy charts have no baseline. Otherwise, `with_baseline`, it is the last entry if it was measured.
    """
    numbers = _curve_numbers(comparison)
    excluded = without if with_baseline else (*without, ALL)
    styles = {name: curve_style(number) for name, number in numbers.items() if name not in excluded}
    is_measured = any(summary.selector == ALL for summary in _measured(comparison))
    if with_baseline and is_measured and ALL not in numbers:
        styles["all terms"] = Style(GREY, RULE_DASH, symbol="")
    return [
        LegendEntry(name, style.colour, " ".join(map(str, style.dash)), _SYMBOLS.get(style.symbol, ""))
        for name, style in styles.items()
    ]


def _quality_panels(comparison: Comparison) -> list[Panel]:
    """Return a panel for each measure and classifier, with a curve for each selector."""
    panels: list[Panel] = []
    measured = _measured(comparison)
    if not measured:
        return panels
    for measure, field in measures_of(comparison).items():
        ends = [end for summary in measured for end in _mean_point(summary, field).ends]
        low, high = round_domain(min(ends), max(ends))
        domain = max(low, 0.0), min(high, 1.0)  # measures of quality are from 0 to 1

        # `field` is a default value, because a closure would see the field of the last round of the loop.
        def point(summary: Summary, field: str = field) -> Point:
            return _mean_point(summary, field)

        for classifier in classifiers_of(comparison):
            about = f"{measure} against the number of terms, {classifier}"
            chart = _draw_curves(comparison, classifier, point, y=measure, y_domain=domain, about=about)
            panels.append(_panel(chart, classifier, measure=measure, classifier=classifier))
    return panels


def _mean_point(summary: Summary, field: str) -> Point:
    """Return the point of a measured combination: x is its number of selected terms, y a mean with its interval."""
    mean: Mean = getattr(summary, field)
    return Point(summary.n_selected or 0.0, mean.value, mean.half_width)


def _time_panels(comparison: Comparison) -> list[Panel]:
    """Return a panel for each classifier and step, with a curve for each selector; all panels have the same axes."""
    measured = _measured(comparison)
    seconds = [
        value for summary in measured for field in STEPS.values() if (value := _seconds(summary, field)) is not None
    ]
    if not seconds:
        return []
    # Powers of ten around all seconds. If all seconds are the same power of ten, the small constant makes the upper end
    # the next one, so that the domain is not empty.
    domain = 10.0 ** math.floor(math.log10(min(seconds))), 10.0 ** math.ceil(math.log10(max(seconds)) + 1e-9)
    panels = []
    for classifier in classifiers_of(comparison):
        for step, field in STEPS.items():

            def point(summary: Summary, field: str = field) -> Point | None:  # a default as in `_quality_panels`
                seconds = _seconds(summary, field)
                return None if seconds is None else Point(summary.n_selected or 0.0, seconds)

            about = f"Seconds of {step} against the number of terms, {classifier}"
            axis = {"y": "seconds", "y_domain": domain, "log_y": True, "y_format": ".3g"}
            if chart := _draw_curves(comparison, classifier, point, about=about, **axis):
                panels.append(_panel(chart, step, classifier=classifier))
    return panels


def _energy_panels(comparison: Comparison) -> list[Panel]:
    """Return one panel with the energy curve of each selector: the share of all scores that the best terms have.

    Selectors without an energy, such as those with negative scores, are left out; without any curve, there is no panel.
    """
    curves = {
        ranking.selector: [Point(size, share) for size, share in ranking.energy]
        for ranking in comparison.rankings
        if ranking.energy is not None
    }
    if not curves:
        return []
    chart = panel(
        curves,
        numbers=_curve_numbers(comparison),
        x=TERMS,
        y="share of all scores",
        about="The share of all scores that the best terms hold, against the number of terms",
        y_domain=(0.0, 1.0),
        y_format=".0%",
    )
    return [_panel(chart, "")]


def _draw_curves(
    comparison: Comparison, classifier: str, point: Callable[[Summary], Point | None], **shared: Any
) -> Any:
    """Return a chart for a classifier: a curve for each selector, and a reference line for all terms.

    `point` returns the point of a combination, or None if it has no value to draw. `shared` has other arguments of
    `plots.panel`. Return None if there are no points.
    """
    numbers = _curve_numbers(comparison)
    curves: dict[str, list[Point]] = {}
    for summary in _measured(comparison):
        if summary.classifier == classifier and (summary_point := point(summary)) is not None:
            curves.setdefault(summary.selector, []).append(summary_point)
    if not curves:
        return None
    rules: dict[str, Point] = {}
    if ALL in curves and len(curves) > 1:
        rules["all terms"] = curves.pop(ALL)[0]  # the baseline is measured once, so it has a single point
    # If the baseline is the only curve of this classifier, it needs a number for its style.
    numbers.setdefault(ALL, len(numbers))
    x_domain = None if ALL in curves else _size_domain(comparison)
    return panel(curves, numbers=numbers, x=TERMS, x_domain=x_domain, rules=rules, **shared)


def _size_domain(comparison: Comparison) -> tuple[float, float] | None:
    """Return the range of the number of terms over all curves, or None if it is empty or a single number."""
    selectors_with_curve = _curve_numbers(comparison).keys()
    sizes = [
        summary.n_selected
        for summary in comparison.summary
        if summary.n_selected and summary.selector in selectors_with_curve
    ]
    return (min(sizes), max(sizes)) if sizes and min(sizes) < max(sizes) else None


def _seconds(summary: Summary, field: str) -> float | None:
    """Return the seconds of a step, at least `MIN_SECONDS`, or None if they were not measured."""
    seconds = getattr(summary, field)
    return None if seconds is None else max(float(seconds), MIN_SECONDS)


def _panel(chart: Any, title: str, **controls: str) -> Panel:
    """Return a panel that is shown if the page's controls have these values."""
    return {"title": title, "where": controls, "chart": chart.to_dict(validate=False)}  # tests validate all panels
