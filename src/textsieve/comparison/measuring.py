"""One condition on one fold: choose, train, test, just as a `Categorizer` of the documents to learn from would do."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError
from ..evaluation import Report, compare_labels
from ..evaluation.cuts import Rule
from ..evaluation.scores import HeldOutScores
from ..modelfile.writing import encode
from ..prediction import Model
from ..settings import n_threads
from ..training.recipe import Fitted, Kept, Recipe
from ..training.train import model_of
from ..training.tuning import Split, assign
from .folds import Fold, Shared, Timed, Wanted, timed
from .plan import Condition, Plan
from .rankings import Ranking
from .rows import Row, Selection
from .significance import Mistakes
from .trials import without_prefix
from .vectors import settled

SOME_TIME = "1970-01-01T00:00:00+00:00"


class Trained(NamedTuple):
    """A classifier, and with several labels a document how they are cut."""

    fitted: Fitted
    cut: Rule | None


class Measured(NamedTuple):
    """What came out, and which terms were chosen, if any were."""

    row: Row
    selection: Selection | None
    ranking: Ranking | None = None
    """How they were ranked, if it is to be kept."""


def measure(fold: Fold, condition: Condition, plan: Plan) -> Measured:
    """Go through all steps; a selector that finds no term is a result too, and so is what can't be trained here."""
    shared, form = fold.shared, fold.documents.form
    settings = settled(plan.settings_of(condition), form)
    recipe = plan.recipe_of(condition, form)
    wanted = _wanted(shared, condition, plan, recipe)
    about: dict[str, Any] = {
        "n_seen": shared.n_seen,
        "trained_on": shared.train.targets.n_documents,
        "documents": shared.test.targets.n_documents,
        "missing_classes": fold.missing,
        "threads": n_threads(plan.n_jobs),
        "cores": os.cpu_count(),
    }
    inner = shared.inner(settings["folds"]) if _holds_out(recipe, shared) else []
    selection = None
    try:
        chosen = [each.chosen(wanted) for each in (shared, *inner)]
        best = chosen[0].made
        selection, split = _selection(fold, condition, best), shared.split(best)
        trained, training = timed(lambda: _train(recipe, split, inner, chosen[1:]))
        predicted, prediction = timed(lambda: assign(recipe, trained.fitted, split.test, trained.cut))
    except InputError as problem:
        return Measured(Row.about(fold.number, condition, **about, problem=without_prefix(str(problem))), selection)
    true, found = split.test_targets.label_sets(), predicted.label_sets(split.train_targets.classes)
    classes, several = fold.documents.counted.targets.classes, split.train_targets.several
    report = compare_labels(classes, true, found, several=several, unknown=int(predicted.is_unknown.sum()))
    model = model_of(settings, shared.train, best, trained.fitted, trained.cut)
    row = Row.about(
        fold.number,
        condition,
        **about,
        **_figures(report),
        n_kept=len(best.columns),
        selection_seconds=sum(each.seconds for each in chosen),
        training_seconds=training,
        prediction_seconds=prediction,
        model_bytes=_size(model),
        mistakes=_mistakes(true, found),
    )
    return Measured(row, selection, _ranking(fold, condition, wanted))


def _holds_out(recipe: Recipe, shared: Shared) -> bool:
    """Whether documents have to be held out of those to learn from, to know how labels are cut."""
    targets = shared.train.targets
    return targets.several and recipe.cut.known(len(targets.classes)) is None


def _wanted(shared: Shared, condition: Condition, plan: Plan, recipe: Recipe) -> Wanted:
    limits = [recipe.most_terms(size, shared.n_seen) for size in plan.sizes_for(condition.selector)]
    most = None if None in limits else max(limit for limit in limits if limit is not None)
    return Wanted(condition.selector.name, recipe, recipe.most_terms(condition.n_terms, shared.n_seen), most)


def _train(recipe: Recipe, split: Split, inner: list[Shared], chosen: list[Timed[Kept]]) -> Trained:
    fitted = recipe.fit_counts(split.train, split.train_targets)
    return Trained(fitted, _cut(recipe, split, inner, chosen) if split.train_targets.several else None)


def _cut(recipe: Recipe, split: Split, inner: list[Shared], chosen: list[Timed[Kept]]) -> Rule:
    """How labels are cut from scores, by the scores of documents that were held out of those to learn from."""
    targets = split.train_targets
    known = recipe.cut.known(len(targets.classes))
    if known is not None:
        return known
    held_out = HeldOutScores(targets.indicator(), targets.weights)
    for shared, kept in zip(inner, chosen, strict=True):
        own = shared.split(kept.made)
        for part, scored in own.held_out_scores(recipe, own.train.shape[1]):
            held_out.add(shared.test_places[part], scored.scores)
    return recipe.cut.fit_held_out(held_out)


def _size(model: Model) -> int:
    """Bytes of the file; of another moment it could have a digit more in its checksum, so the moment is always one."""
    return len(encode(replace(model, about={**model.about, "trained": SOME_TIME})))


def _figures(report: Report) -> dict[str, Any]:
    number = {label: place for place, label in enumerate(report.classes)}
    pairs = sorted((number[true], number[found], count) for (true, found), count in report.pairs.items())
    return {
        "micro_f1": report.micro_f1,
        "macro_f1": report.macro_f1,
        "accuracy": report.accuracy,
        "unknown": report.unknown,
        "by_class": tuple((report.hits[label], report.put[label], report.true[label]) for label in report.classes),
        "confusion": None if report.several else tuple(pairs),
    }


def _mistakes(true: list[tuple[Any, ...]], found: list[tuple[Any, ...]]) -> Mistakes:
    counts = [len(set(own) ^ set(given)) for own, given in zip(true, found, strict=True)]
    return np.minimum(counts, 255).astype(np.uint8)


def _selection(fold: Fold, condition: Condition, best: Kept) -> Selection:
    counted, n_seen = fold.shared.train, fold.shared.n_seen
    terms = None
    if len(best.columns) < n_seen:
        terms = tuple(counted.terms[column] for column in best.columns.tolist())
    return Selection(fold.number, condition.selector.name, condition.n_terms, n_seen, terms)


def _ranking(fold: Fold, condition: Condition, wanted: Wanted) -> Ranking | None:
    """None for a fold that does not describe rankings, and for all terms, which nobody ranked."""
    found = fold.shared.described(wanted)
    if found is None or condition.selector.setting is None:
        return None
    size = condition.n_terms if wanted.recipe.ranks_each_size else None
    return Ranking(fold.number, condition.selector.name, size, found.n_ranked, found.energy, found.by_class)
