"""The two figures of TOFA's page: F1 by weight on 20 Newsgroups, and on Reuters with a tenth of the labels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import mean

import numpy as np

from textsieve import ClassStats, InformationGain
from textsieve.plots import Mark, lines, save

from ..documents import Documents
from .folds import Bools, Floats, Fold, auto_weight, best_of, draw_tenth, mix, read_documents, scatter

WEIGHTS = (-0.5, -0.25, 0.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0, 1.02, 1.05, 1.1, 1.15, 1.2, 1.3, 1.5, 1.75, 2.0)
SIZES = (50, 100, 300, 1_000)
TERMS = 100
"""The number of terms, as in the paper's figures."""
DRAWS = 5

Curve = tuple[list[float], list[float]]


def curve(points: Callable[[float], float]) -> Curve:
    """Return the curve of a function of the weight."""
    return list(WEIGHTS), [points(weight) for weight in WEIGHTS]


def read_split(corpus: str) -> tuple[Documents, Bools]:
    """Return the documents of a corpus, and the mask of the publisher's test documents."""
    documents = read_documents(corpus)
    is_test = np.ones(len(documents.labels), np.bool_)
    is_test[documents.folds[0].train] = False
    return documents, is_test


def information_gain(stats: ClassStats) -> Floats:
    """Return the information gain of each term."""
    return InformationGain(k="all").fit_stats(stats).scores_


def draw_weights(target: Path) -> str:
    """Draw F1 by weight on the test documents of 20 Newsgroups, and return it as a table."""
    fold = Fold.of(*read_split("newsgroups"))

    def points(weight: float, k: int) -> float:
        """Return the micro-F1 of the k best terms by a weight."""
        return fold.score(fold.best(weight, k)).micro

    gains = {k: fold.score(best_of(information_gain(fold.stats), k)).micro for k in SIZES}
    weights = {k: auto_weight(fold.stats, k) for k in SIZES}
    curves = {f"{k:,} terms": curve(lambda weight, k=k: points(weight, k)) for k in reversed(SIZES)}  # type: ignore[misc]
    marks = [Mark(f"{k:,} terms", weights[k], points(weights[k], k), "auto" if k == SIZES[-1] else "") for k in SIZES]
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
        auto = f"{weights[k]:.3f} | {points(weights[k], k):.3f}"
        rows.append(f"| {k:,} terms | {' | '.join(cells)} | {auto} | {gains[k]:.3f} |")
    return "\n".join(rows)


def draw_labels(target: Path) -> str:
    """Draw F1 by weight on the test documents of Reuters with a tenth of the labels, and return it as a table.

    One curve uses the variance of the labelled documents, the other that of all documents.
    """
    documents, is_test = read_split("reuters")
    drawn_folds = [Fold.of(documents, is_test, draw_tenth(int((~is_test).sum()), seed)) for seed in range(DRAWS)]
    all_labels = Fold.of(documents, is_test)

    def points(weight: float, total_of: Callable[[Fold], Floats]) -> float:
        """Return the mean micro-F1 over the draws; `total_of` returns the variances of the terms in a fold."""
        selected = [best_of(mix(fold.between, total_of(fold), weight), TERMS) for fold in drawn_folds]
        return mean(fold.score(columns).micro for fold, columns in zip(drawn_folds, selected, strict=True))

    def of_labelled(fold: Fold) -> Floats:
        """Return the variances of the terms in the labelled documents of a fold."""
        return scatter(fold.labelled_stats, 0.0)

    weights = [auto_weight(fold.stats, TERMS) for fold in drawn_folds]
    auto = [fold.score(fold.best(weight, TERMS)) for fold, weight in zip(drawn_folds, weights, strict=True)]
    at_one = [fold.score(fold.best(1.0, TERMS)) for fold in drawn_folds]
    auto_f1 = mean(score.micro for score in auto)
    gain = mean(fold.score(best_of(information_gain(fold.stats), TERMS)).micro for fold in drawn_folds)
    of_all, of_labelled_only = "variance of all documents", "variance of labelled documents"
    curves = {
        of_all: curve(lambda weight: points(weight, lambda fold: fold.total)),
        of_labelled_only: curve(lambda weight: points(weight, of_labelled)),
    }
    chart = lines(
        curves,
        x="weight λ",
        y="micro-F1",
        title="F1 by the weight of TOFA, a tenth of the labels",
        caption=f"Reuters, 90 topics, test documents, {TERMS} terms, {DRAWS} draws; the point is weight='auto'.",
        rules={"information gain": gain},
        marks=[Mark(of_all, mean(weights), auto_f1, "auto")],
        points=False,
    )
    save(chart, target)
    rows = [f"| micro-F1 | {' | '.join(f'{weight:g}' for weight in WEIGHTS)} |", f"|---|{'---:|' * len(WEIGHTS)}"]
    rows += [f"| {name} | {' | '.join(f'{value:.3f}' for value in y)} |" for name, (_, y) in curves.items()]
    with_all_labels = all_labels.score(all_labels.best(1.0, TERMS)).micro
    rows.append(
        f"\nInformation gain {gain:.3f}; λ = 1 {mean(score.micro for score in at_one):.3f}; auto {auto_f1:.3f}, at λ = "
        f"{min(weights):.3f} to {max(weights):.3f}. If documents without a selected term get the most frequent class, "
        f"λ = 1 has {mean(score.filled for score in at_one):.3f} and auto {mean(score.filled for score in auto):.3f}. "
        f"With all labels λ = 1 has {with_all_labels:.3f}."
    )
    return "\n".join(rows)
