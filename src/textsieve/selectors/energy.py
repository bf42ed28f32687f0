"""Energy curves of trace scores for several weights: the share of the total score that the best terms hold.

The score of a term is its entry in the diagonal of S(λ) = λ S_b + (1 - λ) C (see `trace.py`). For λ from 0 to 1 it is
never negative, so the best p terms hold a share E(p) of the sum of all scores, their *energy*. The variance C (λ = 0)
and the scatter of the class means S_b (λ = 1) are distributed differently over the terms. The curves of several
weights, side by side, show how many terms are enough and how much that depends on λ. Above λ = 1 scores can be
negative, so the share is undefined.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..arrays import Floats
from ..errors import InputError, Setting, counted, shown
from ..extras import require_extra
from ..settings import as_number
from ..stats import ClassStats
from ..stats.weights import ClassWeight
from .trace import (
    LARGEST_WEIGHT,
    TOFA,
    between_class_scatter,
    energy_curve,
    mix_scatters,
    terms_for_energy,
    total_scatter,
)

if TYPE_CHECKING:
    import os

    from ..plots import Chart

DEFAULT_WEIGHTS = (0.0, 0.5, 1.0)
"""The weights λ of the energy curves, if none are given."""


def energy_curves(
    stats: ClassStats, weights: Iterable[float] = DEFAULT_WEIGHTS, class_weight: ClassWeight = None
) -> dict[float, Floats]:
    """Return for each weight the share of the sum of all scores that the best 1, 2, 3, ... terms hold."""
    by_weight = _sorted_scores(stats, validate_weights(weights), class_weight)
    return {weight: energy_curve(scores) for weight, scores in by_weight.items()}


def plot_energy(
    source: ClassStats | TOFA,
    path: str | os.PathLike[str] | None = None,
    *,
    weights: Iterable[float] | None = None,
    level: float | None = None,
    class_weight: ClassWeight = None,
) -> Chart:
    """Plot the energy of the best terms for several weights, and write the chart to a file if `path` is given.

    Parameters
    ----------
    source
        Statistics of weighted documents; or a fitted `TOFA` or `OCFS`, whose `class_weight` is used and whose own
        weight is added as a curve.
    path
        A file that ends in .svg, .png, .html or .json.
    weights
        λ of each curve, up to 1. None is 0, 0.5 and 1, or only 0 if there are no labels.
    level
        A share of the sum of all scores, such as 0.8; each curve is annotated with the number of terms that reach it.
    class_weight
        "balanced" to give all classes the same weight. If `source` is a selector, its own setting is used instead.
    """
    require_extra("plots", what="plot_energy")
    from ..plots import check_level, check_target, energy_plot, save

    check_level(level)
    if path is not None:
        check_target(path)
    if not isinstance(source, ClassStats | TOFA):
        raise InputError(
            f"{shown(source)} has no energy, which is that of trace scores", hint="give a fitted OCFS or TOFA"
        )
    if isinstance(source, TOFA):
        check_is_fitted(source, "stats_")
    stats = source.stats_ if isinstance(source, TOFA) else source
    if weights is None:
        weights = DEFAULT_WEIGHTS if stats.n_pairs else (0.0,)
    curve_weights, auto_weight = validate_weights(weights), None
    if isinstance(source, TOFA):
        class_weight = source.class_weight
        auto_weight = source.weight_ if source.weight == "auto" else None
        own_weight = [source.weight_] if source.weight_ <= 1.0 else []  # above 1 there is no energy
        # Called again to sort the selector's own weight into the list, and to drop it if the list has it already.
        curve_weights = validate_weights([*curve_weights, *own_weight])
    names = _curve_names(curve_weights, auto_weight)
    by_weight = _sorted_scores(stats, curve_weights, class_weight)
    chart = energy_plot(
        {names[weight]: energy_curve(scores) for weight, scores in by_weight.items()},
        level=level,
        # How many terms are enough for the level. Without a level, the plot does not use these numbers.
        enough={names[weight]: terms_for_energy(scores, level or 1.0) for weight, scores in by_weight.items()},
        caption=f"{counted(stats.n_documents, 'document')}, {counted(stats.n_terms, 'term')}.",
    )
    if path is not None:
        save(chart, path)
    return chart


def validate_weights(weights: Iterable[Any]) -> list[float]:
    """Return the distinct weights λ of trace scores, ascending; raise `InputError` for invalid ones.

    Weights above 1 are invalid: scores can then be negative, so the energy, a share of the sum of all scores, is
    undefined. Weights below 0 are allowed here, because scores are then negative only in special cases;
    `_sorted_scores` raises the error if they are.
    """
    weight_list = list(weights)
    for weight in weight_list:
        if not abs(as_number(weight)) <= LARGEST_WEIGHT:  # also rejects NaN, which `as_number` returns for no number
            raise InputError(
                f"{shown(weight)} is no weight", setting="weights", hint="use numbers, for example 0, 0.5 and 1"
            )
        if weight > 1:
            raise InputError(
                f"{weight:g} has no energy: above weight 1 scores can be negative",
                setting="weights",
                hint="Use weights up to 1",
            )
    if not weight_list:
        raise InputError("there are none", setting="weights", hint="use numbers, for example 0, 0.5 and 1")
    return sorted({float(weight) + 0.0 for weight in weight_list})  # + 0.0 turns -0.0 into 0.0


def _require_terms(stats: ClassStats, weights: Iterable[float]) -> None:
    """Raise `InputError` if there are no documents or no terms, or fewer than two classes for a weight other than 0."""
    if not (stats.n_documents and stats.n_terms):
        raise InputError(
            f"{stats!r} has no terms that could have an energy", hint="give the statistics of some documents"
        )
    if any(weights) and len(stats.classes) < 2:
        raise InputError(
            f"There are labels of {counted(len(stats.classes), 'class', 'classes')}, and weights other than 0 look at "
            "how far classes are apart",
            hint=("give documents of at least two, or use ", Setting("weights", [0])),
        )


def _sorted_scores(stats: ClassStats, weights: list[float], class_weight: ClassWeight) -> dict[float, Floats]:
    """Return for each weight the scores of all terms, the best first; raise `InputError` if a score is negative."""
    _require_terms(stats, weights)
    between, total = between_class_scatter(stats, class_weight), total_scatter(stats)
    scores_by_weight = {}
    for weight in weights:
        scores = mix_scatters(between, total, weight)
        if (scores < 0).any():
            raise InputError(
                f"{weight:g} has no energy here, because some scores are negative", setting="weights", hint="use 0 to 1"
            )
        scores_by_weight[weight] = np.sort(scores)[::-1]
    return scores_by_weight


def _curve_names(weights: list[float], auto_weight: float | None) -> dict[float, str]:
    """Return a name for the curve of each weight: λ with four digits, or with all digits if four make names equal.

    The name of `auto_weight`, the weight that TOFA computed itself, ends in "chosen".
    """
    short_names = [f"{weight:.4g}" for weight in weights]
    names = (
        short_names
        if len(set(short_names)) == len(short_names)
        else [str(weight).removesuffix(".0") for weight in weights]
    )
    return {
        weight: f"λ = {name}" + (", chosen" if weight == auto_weight else "")
        for weight, name in zip(weights, names, strict=True)
    }
