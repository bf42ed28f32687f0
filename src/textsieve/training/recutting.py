"""How several labels are cut from the scores, fitted anew to the documents of an update.

Thresholds are fitted to the scores of a model that has learned so many documents. One that has learned many more gives
other scores, and thresholds of old let too many labels through, or too few. The documents that were learned first are
no longer there to be scored. Those of the update are: each fifth of them is scored by the model of all others, old and
new, whose statistics are sums without this fifth, and the cut is fitted to these scores.

This is right if the documents of the update are a fair sample of those to come. Corrections are not: they are what the
model gets wrong. The threshold of a class that none of them has stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import InputError, TooFewDocuments, counted
from ..evaluation import folds
from ..evaluation.cuts import Cut, Rule, cut_of
from ..evaluation.scores import HeldOutScores, blocks
from ..prediction import Model
from ..text.rows import Rows
from .recipe import Recipe
from .statistics import Statistics
from .targets import Targets
from .updating import added

LEAST = 10
"""Documents that a cut can be fitted to."""

MANY = 0.1
"""Share of the documents that a cut was fitted to, from which on documents that were folded in since may matter."""


def cut_that_is_fitted(model: Model, settings: Mapping[str, Any]) -> Cut | None:
    """How a model's labels are cut, if that was fitted to scores."""
    if model.labels == "one":
        return None
    cut = cut_of(settings["cut"], settings["cut_options"])
    return cut if cut.known(len(model.classes)) is None else None


def is_stale(model: Model) -> bool:
    """Whether so many documents were folded in since the cut was fitted that it should be fitted anew."""
    since: int = (model.about.get("updated") or {}).get("since_cut", 0)
    n_documents: int = model.about["n_documents"]
    return since > MANY * (n_documents - since)


def recut(
    model: Model, before: Statistics, settings: Mapping[str, Any], recipe: Recipe, rows: Rows, targets: Targets
) -> Model:
    """A model, updated with these documents, with thresholds or ranks that are fitted to them."""
    cut = cut_that_is_fitted(model, settings)
    if cut is None:
        raise InputError(
            "fit_cut=True: the labels of this model are not cut by what is fitted to scores, so there is nothing to "
            "fit anew; leave it out."
        )
    labelled = np.flatnonzero(targets.usable)
    if len(labelled) < LEAST:
        raise TooFewDocuments(
            f"fit_cut=True: {counted(len(labelled), 'document')} to fold in, and {LEAST} are the fewest that a cut can "
            "be fitted to; give more, or leave it out."
        )
    rule = cut.fit_held_out(held_out_scores(model, before, recipe, rows, targets, settings["folds"]))
    updated = {**model.about["updated"], "since_cut": 0}
    return replace(model, **_renewed(model, rule, targets), about={**model.about, "updated": updated})


def _renewed(model: Model, rule: Rule, targets: Targets) -> dict[str, Any]:
    if rule.thresholds is None or model.thresholds is None:
        return {"thresholds": rule.thresholds, "ranks": rule.ranks}
    return {"thresholds": np.where(targets.class_docs > 0, rule.thresholds, model.thresholds), "ranks": None}


def held_out_scores(
    model: Model, before: Statistics, recipe: Recipe, rows: Rows, targets: Targets, n_folds: int
) -> HeldOutScores:
    """Score the documents that have labels, each by a model that has learned all others."""
    labelled = np.flatnonzero(targets.usable)
    matrix, targets = rows.matrix()[labelled], targets.take(labelled)
    fold_of = folds(targets.first.tolist(), n_folds)
    held_out = HeldOutScores(targets.indicator(), targets.weights)
    for fold in range(n_folds):
        own, others = np.flatnonzero(fold_of == fold), np.flatnonzero(fold_of != fold)
        statistics = added(before, recipe, Rows.of(matrix[others]), targets.take(others))
        scorer = statistics.learned.scorer(recipe, statistics.sizes(model.classes, model.labels))
        for part in blocks(len(own), scorer.n_outputs):
            held_out.add(own[part], scorer.scores(Rows.of(matrix[own[part]]), recipe.n_jobs))
    return held_out
