"""Energy for several weights of the trace scores: how fast the best terms add up to all there is.

score(t) = λ S_b + (1 - λ) C is never negative from λ = 0 to 1, so the best p terms hold a share E(p) of the sum of all
scores, their *energy*. The variance C (λ = 0) and the scatter of the class means S_b (λ = 1) are spread differently
over the terms; the curves of several weights, side by side, say how many terms are enough and how much that depends on
λ. Above λ = 1 scores can be negative, and there is no such share.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..errors import InputError, counted, shown
from ..extras import require_extra
from ..settings import as_number
from ..stats import ClassStats
from ..stats.shares import ClassWeight
from ..stats.sums import Floats
from .trace import LARGEST_WEIGHT, TOFA, between_class_scatter, energy_curve, mixed, terms_for_energy, total_scatter

if TYPE_CHECKING:
    import os

    from ..plots import Chart

WEIGHTS = (0.0, 0.5, 1.0)


def energy_curves(
    stats: ClassStats, weights: Iterable[float] = WEIGHTS, class_weight: ClassWeight = None
) -> dict[float, Floats]:
    """For each weight the share of all scores that the best 1, 2, 3, ... terms hold."""
    by_weight = _sorted_scores(stats, checked_weights(weights), class_weight)
    return {weight: energy_curve(scores) for weight, scores in by_weight.items()}


def plot_energy(
    source: ClassStats | TOFA,
    path: str | os.PathLike[str] | None = None,
    *,
    weights: Iterable[float] | None = None,
    level: float | None = None,
    class_weight: ClassWeight = None,
) -> Chart:
    """Draw the energy of the best terms for several weights, and write it to a file if one is named.

    Parameters
    ----------
    source
        Statistics of weighted documents; or a fitted `TOFA` or `OCFS`, which brings its `class_weight`, and its own
        weight as one more curve.
    path
        A file that ends in .svg, .png, .html or .json.
    weights
        λ of each curve, up to 1. None is 0, 0.5 and 1; 0 alone where there are no labels.
    level
        A share of all scores, such as 0.8: how many terms reach it is written to each curve.
    class_weight
        "balanced" if all classes count alike.
    """
    require_extra("plots", what="plot_energy")
    from ..plots import check_level, check_target, energy_plot, save

    check_level(level)
    if path is not None:
        check_target(path)
    if not isinstance(source, ClassStats | TOFA):
        raise InputError(f"{shown(source)} has no energy, which is that of trace scores; give a fitted OCFS or TOFA.")
    if isinstance(source, TOFA):
        check_is_fitted(source, "stats_")
    if weights is None:
        stats = source.stats_ if isinstance(source, TOFA) else source
        weights = WEIGHTS if stats.n_pairs else (0.0,)
    wanted, chosen = checked_weights(weights), None
    if isinstance(source, TOFA):
        class_weight = source.class_weight
        chosen = source.weight_ if source.weight == "auto" else None
        wanted = checked_weights([*wanted, *([source.weight_] if source.weight_ <= 1.0 else [])])
        source = source.stats_
    names = _names(wanted, chosen)
    by_weight = _sorted_scores(source, wanted, class_weight)
    chart = energy_plot(
        {names[weight]: energy_curve(scores) for weight, scores in by_weight.items()},
        level=level,
        enough={names[weight]: terms_for_energy(scores, level or 1.0) for weight, scores in by_weight.items()},
        caption=f"{counted(source.n_documents, 'document')}, {counted(source.n_terms, 'term')}.",
    )
    if path is not None:
        save(chart, path)
    return chart


def checked_weights(weights: Iterable[Any]) -> list[float]:
    """Weights that have an energy, ascending, each once."""
    given = list(weights)
    for weight in given:
        if not abs(as_number(weight)) <= LARGEST_WEIGHT:
            raise InputError(f"weights: {shown(weight)} is no weight; use numbers, for example 0, 0.5 and 1.")
        if weight > 1:
            raise InputError(
                f"weights: {weight:g} has no energy; above weight 1 scores can be negative, and a share of their sum "
                "means nothing. Use weights up to 1."
            )
    if not given:
        raise InputError("weights is empty; use numbers, for example 0, 0.5 and 1.")
    return sorted({float(weight) + 0.0 for weight in given})


def _require_terms(stats: ClassStats, weights: Iterable[float]) -> None:
    if not (stats.n_documents and stats.n_terms):
        raise InputError(f"{stats!r} has no terms that could have an energy; give the statistics of some documents.")
    if any(weights) and len(stats.classes) < 2:
        raise InputError(
            f"There are labels of {counted(len(stats.classes), 'class', 'classes')}, and weights other than 0 look at "
            "how far classes are apart; give documents of at least two, or use weights=[0]."
        )


def _sorted_scores(stats: ClassStats, weights: list[float], class_weight: ClassWeight) -> dict[float, Floats]:
    """The scores at each weight, the best first."""
    _require_terms(stats, weights)
    between, total = between_class_scatter(stats, class_weight), total_scatter(stats)
    found = {}
    for weight in weights:
        scores = mixed(between, total, weight)
        if (scores < 0).any():
            raise InputError(f"weights: {weight:g} has no energy here, because some scores are negative; use 0 to 1.")
        found[weight] = np.sort(scores)[::-1]
    return found


def _names(weights: list[float], chosen: float | None) -> dict[float, str]:
    """What the curves are called: four digits, or as many as it takes to tell two of them apart."""
    short = [f"{weight:.4g}" for weight in weights]
    digits = short if len(set(short)) == len(short) else [str(weight).removesuffix(".0") for weight in weights]
    return {
        weight: f"λ = {written}" + (", chosen" if weight == chosen else "")
        for weight, written in zip(weights, digits, strict=True)
    }
