"""The two figures of TOFA's page: F1 against the weight on 20 Newsgroups, and with a tenth of the labels on Reuters."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import mean

import numpy as np

from textsieve.plots import Mark, lines, save
from textsieve.selectors.information import information_gain
from textsieve.selectors.trace import mixed, total_scatter
from textsieve.selectors.trace_weight import auto_weight

from .newsgroups import newsgroups
from .trace_corpora import counted, reuters
from .trace_folds import Floats, Fold, best_of, tenth

WEIGHTS = (-0.5, -0.25, 0.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0, 1.02, 1.05, 1.1, 1.15, 1.2, 1.3, 1.5, 1.75, 2.0)
SIZES = (50, 100, 300, 1_000)
TERMS = 100
"""As in the paper's figures."""
DRAWS = 5

Curve = tuple[list[float], list[float]]


def curve(points: Callable[[float], float]) -> Curve:
    """A curve over all weights."""
    return list(WEIGHTS), [points(weight) for weight in WEIGHTS]


def draw_weights(target: Path) -> str:
    """Test documents of 20 Newsgroups, by weight, for some numbers of terms; says what was found."""
    texts, groups = (one + other for one, other in zip(newsgroups("train"), newsgroups("test"), strict=True))
    n_train = len(newsgroups("train")[0])
    fold = Fold.of(counted(texts, groups), np.arange(len(texts)) >= n_train)

    def points(weight: float, k: int) -> float:
        return fold.score(fold.best(weight, k)).micro

    gains = {k: fold.score(best_of(information_gain(fold.stats), k)).micro for k in SIZES}
    found = {k: auto_weight(fold.between, fold.total, fold.stats, k) for k in SIZES}
    curves = {f"{k:,} terms": curve(lambda weight, k=k: points(weight, k)) for k in reversed(SIZES)}  # type: ignore[misc]
    marks = [Mark(f"{k:,} terms", found[k], points(found[k], k), "auto" if k == SIZES[-1] else "") for k in SIZES]
    chart = lines(
        curves,
        x="weight λ",
        y="micro-F1",
        title="F1 by the weight of TOFA, 20 Newsgroups by date, test documents",
        caption="0 is the variance alone, 1 is OCFS, 2 is maximum margin; points are weight='auto'.",
        rules={f"information gain, {k:,} terms": gains[k] for k in reversed(SIZES[1:2])},
        marks=marks,
        points=False,
    )
    save(chart, target)
    rows = [f"| micro-F1 | {' | '.join(f'{w:g}' for w in WEIGHTS)} | auto λ | auto | IG |"]
    rows.append(f"|---|{'---:|' * (len(WEIGHTS) + 3)}")
    for k in SIZES:
        cells = [f"{value:.3f}" for value in curves[f"{k:,} terms"][1]]
        auto = f"{found[k]:.3f} | {points(found[k], k):.3f}"
        rows.append(f"| {k:,} terms | {' | '.join(cells)} | {auto} | {gains[k]:.3f} |")
    return "\n".join(rows)


def draw_labels(target: Path) -> str:
    """Test documents of Reuters after training on a tenth of the labels: C from those documents alone, or from all."""
    texts, topics, parts = reuters("TRAIN", "TEST")
    documents, is_test = counted(texts, topics), np.array(parts) == "TEST"
    drawn = [Fold.of(documents, is_test, tenth(int((~is_test).sum()), seed)) for seed in range(DRAWS)]
    all_labels = Fold.of(documents, is_test)

    def points(weight: float, total_of: Callable[[Fold], Floats]) -> float:
        chosen = [best_of(mixed(fold.between, total_of(fold), weight), TERMS) for fold in drawn]
        return mean(fold.score(each).micro for fold, each in zip(drawn, chosen, strict=True))

    def of_labelled(fold: Fold) -> Floats:
        return total_scatter(fold.labelled_stats)

    found = [auto_weight(fold.between, fold.total, fold.stats, TERMS) for fold in drawn]
    auto = mean(fold.score(fold.best(weight, TERMS)).micro for fold, weight in zip(drawn, found, strict=True))
    gain = mean(fold.score(best_of(information_gain(fold.stats), TERMS)).micro for fold in drawn)
    semi, alone = "variance of all documents", "variance of labelled documents"
    curves = {semi: curve(lambda weight: points(weight, lambda fold: fold.total))}
    curves[alone] = curve(lambda weight: points(weight, of_labelled))
    ones = [fold.score(fold.best(1.0, TERMS)) for fold in drawn]
    autos = [fold.score(fold.best(weight, TERMS)) for fold, weight in zip(drawn, found, strict=True)]
    chart = lines(
        curves,
        x="weight λ",
        y="micro-F1",
        title="F1 by the weight of TOFA, a tenth of the labels",
        caption=f"Reuters, 90 topics, test documents, {TERMS} terms, {DRAWS} draws; the point is weight='auto'.",
        rules={"information gain": gain},
        marks=[Mark(semi, mean(found), auto, "auto")],
        points=False,
    )
    save(chart, target)
    rows = [f"| micro-F1 | {' | '.join(f'{w:g}' for w in WEIGHTS)} |", f"|---|{'---:|' * len(WEIGHTS)}"]
    rows += [f"| {name} | {' | '.join(f'{value:.3f}' for value in each[1])} |" for name, each in curves.items()]
    best = all_labels.score(all_labels.best(1.0, TERMS)).micro
    rows.append(
        f"\nInformation gain {gain:.3f}; λ = 1 {mean(each.micro for each in ones):.3f}; auto {auto:.3f}, at λ = "
        f"{min(found):.3f} to {max(found):.3f}. If documents without a chosen term get the most frequent class, λ = 1 "
        f"comes to {mean(each.filled for each in ones):.3f} and auto to {mean(each.filled for each in autos):.3f}. "
        f"With all labels λ = 1 comes to {best:.3f}."
    )
    return "\n".join(rows)
