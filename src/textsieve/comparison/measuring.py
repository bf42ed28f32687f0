"""Measure one condition on one fold: select, train and test as a `Categorizer` on the training documents would."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError
from ..evaluation import Report, compare_labels
from ..evaluation.scores import HeldOutScores
from ..evaluation.thresholds import ThresholdRule
from ..modelfile.writing import encode
from ..prediction import Model
from ..settings import n_threads
from ..training.plan import Fitted, SelectedTerms, TrainingPlan
from ..training.train import model_of
from ..training.tuning import FoldSplit, assign
from .folds import Fold, FoldCache, RankingRequest, Timed, timed
from .plan import Condition, Plan
from .rankings import Ranking
from .rows import Row, Selection
from .significance import Mistakes
from .validate_options import without_prefix
from .vectors import settled

SOME_TIME = "1970-01-01T00:00:00+00:00"


class TrainedCondition(NamedTuple):
    """A classifier, and for multilabel documents the threshold rule."""

    fitted: Fitted
    cut: ThresholdRule | None


class MeasuredCondition(NamedTuple):
    """The row of a condition, and its selected terms, if any."""

    row: Row
    selection: Selection | None
    ranking: Ranking | None = None
    """The ranking of the terms, if it is stored."""


def measure(fold: Fold, condition: Condition, plan: Plan) -> MeasuredCondition:
    """Select, train and test; if no term is selected or training fails, return a row with the problem."""
    shared, form = fold.shared, fold.documents.form
    settings = settled(plan.settings_of(condition), form)
    training = plan.training_plan_of(condition, form)
    wanted = _wanted(shared, condition, plan, training)
    about: dict[str, Any] = {
        "n_seen": shared.n_seen,
        "trained_on": shared.train.targets.n_documents,
        "documents": shared.test.targets.n_documents,
        "missing_classes": fold.missing,
        "threads": n_threads(plan.n_jobs),
        "cores": os.cpu_count(),
    }
    inner = shared.inner(settings.folds) if _holds_out(training, shared) else []
    selection = None
    try:
        selected_terms = [documents.chosen(wanted) for documents in (shared, *inner)]
        selected = selected_terms[0].made
        selection, split = _selection(fold, condition, selected), shared.split(selected)
        trained, training_seconds = timed(lambda: _train(training, split, inner, selected_terms[1:]))
        predicted, prediction = timed(lambda: assign(training, trained.fitted, split.test, trained.cut))
    except InputError as problem:
        return MeasuredCondition(
            Row.about(fold.number, condition, **about, problem=without_prefix(str(problem))), selection
        )
    true_labels, predicted_labels = split.test_targets.label_sets(), predicted.label_sets(split.train_targets.classes)
    classes, multilabel = fold.documents.counted.targets.classes, split.train_targets.multilabel
    report = compare_labels(
        classes, true_labels, predicted_labels, multilabel=multilabel, unknown=int(predicted.is_unknown.sum())
    )
    model = model_of(settings, shared.train, selected, trained.fitted, trained.cut)
    row = Row.about(
        fold.number,
        condition,
        **about,
        **_figures(report),
        n_kept=len(selected.columns),
        selection_seconds=sum(terms.seconds for terms in selected_terms),
        training_seconds=training_seconds,
        prediction_seconds=prediction,
        model_bytes=_size(model),
        mistakes=_mistakes(true_labels, predicted_labels),
    )
    return MeasuredCondition(row, selection, _ranking(fold, condition, wanted))


def _holds_out(training: TrainingPlan, shared: FoldCache) -> bool:
    """Return whether inner folds are needed to fit thresholds on held-out documents."""
    targets = shared.train.targets
    return targets.multilabel and training.cut.known(len(targets.classes)) is None


def _wanted(shared: FoldCache, condition: Condition, plan: Plan, training: TrainingPlan) -> RankingRequest:
    limits = [training.most_terms(size, shared.n_seen) for size in plan.sizes_for(condition.selector)]
    most = None if None in limits else max(limit for limit in limits if limit is not None)
    return RankingRequest(
        condition.selector.name, training, training.most_terms(condition.n_terms, shared.n_seen), most
    )


def _train(
    training: TrainingPlan, split: FoldSplit, inner: list[FoldCache], chosen: list[Timed[SelectedTerms]]
) -> TrainedCondition:
    fitted = training.fit_counts(split.train, split.train_targets)
    return TrainedCondition(fitted, _cut(training, split, inner, chosen) if split.train_targets.multilabel else None)


def _cut(
    training: TrainingPlan, split: FoldSplit, inner: list[FoldCache], chosen: list[Timed[SelectedTerms]]
) -> ThresholdRule:
    """Return the threshold rule, fitted on the scores of documents held out from the training documents."""
    targets = split.train_targets
    known = training.cut.known(len(targets.classes))
    if known is not None:
        return known
    held_out = HeldOutScores(targets.indicator(), targets.weights)
    for shared, kept in zip(inner, chosen, strict=True):
        own = shared.split(kept.made)
        for part, scored in own.held_out_scores(training, own.train.shape[1]):
            held_out.add(shared.test_places[part], scored.scores)
    return training.cut.fit_held_out(held_out)


def _size(model: Model) -> int:
    """Return the size of the model file in bytes.

    The training time is replaced by a constant, because at another time the checksum in the file could have
    one digit more.
    """
    return len(encode(replace(model, about={**model.about, "trained": SOME_TIME})))


def _figures(report: Report) -> dict[str, Any]:
    number = {label: place for place, label in enumerate(report.classes)}
    pairs = sorted((number[true], number[predicted], count) for (true, predicted), count in report.pairs.items())
    return {
        "micro_f1": report.micro_f1,
        "macro_f1": report.macro_f1,
        "accuracy": report.accuracy,
        "unknown": report.unknown,
        "by_class": tuple((report.hits[label], report.put[label], report.true[label]) for label in report.classes),
        "confusion": None if report.multilabel else tuple(pairs),
    }


def _mistakes(true: list[tuple[Any, ...]], predicted: list[tuple[Any, ...]]) -> Mistakes:
    counts = [len(set(own) ^ set(given)) for own, given in zip(true, predicted, strict=True)]
    return np.minimum(counts, 255).astype(np.uint8)


def _selection(fold: Fold, condition: Condition, best: SelectedTerms) -> Selection:
    counted, n_seen = fold.shared.train, fold.shared.n_seen
    terms = None
    if len(best.columns) < n_seen:
        terms = tuple(counted.terms[column] for column in best.columns.tolist())
    return Selection(fold.number, condition.selector.name, condition.n_terms, n_seen, terms)


def _ranking(fold: Fold, condition: Condition, wanted: RankingRequest) -> Ranking | None:
    """Return the ranking, or None if the fold does not describe rankings or all terms are used without a ranking."""
    description = fold.shared.described(wanted)
    if description is None or condition.selector.setting is None:
        return None
    size = condition.n_terms if wanted.training.ranks_each_size else None
    return Ranking(
        fold.number, condition.selector.name, size, description.n_ranked, description.energy, description.by_class
    )
