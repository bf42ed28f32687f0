"""Measure one condition on one fold: select, train and test as a `Categorizer` on the training documents would.

The times of the first condition would include loading or compiling kernels. So `warm_up` measures a few documents first
and discards the results; errors will occur again when measuring. Some kernels are used only for large problems and are
not reached.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Ints
from ..errors import InputError
from ..evaluation import Report, compare_labels, folds
from ..evaluation.scores import HeldOutScores
from ..evaluation.thresholds import ThresholdRule
from ..modelfile.writing import encode
from ..prediction import Model
from ..settings import n_threads
from ..training.plan import FittedClassifier, SelectedTerms, TrainingPlan
from ..training.train import model_from_parts
from ..training.tuning import FoldSplit, predict_labels
from .compared_documents import ComparisonDocuments
from .folds import Fold, FoldCache, RankingRequest, Timed, timed
from .plan import Condition, Plan, settings_for_form
from .rankings import FoldRanking
from .results import Mistakes, Row, Selection
from .variants import without_option_setting

CONSTANT_TIME = "1970-01-01T00:00:00+00:00"
MOST_WARM_UP_DOCUMENTS = 400


class TrainedCondition(NamedTuple):
    """A classifier, and for multilabel documents the threshold rule."""

    fitted: FittedClassifier
    cut: ThresholdRule | None


class MeasuredCondition(NamedTuple):
    """The row of a condition, its selected terms, if any, and their ranking, if it is stored."""

    row: Row
    selection: Selection | None
    ranking: FoldRanking | None = None


def measure(fold: Fold, condition: Condition, plan: Plan) -> MeasuredCondition:
    """Select, train and test; if no term is selected or training fails, return a row with the problem."""
    cache, form = fold.cache, fold.documents.form
    settings = settings_for_form(plan.settings_of(condition), form)
    training = plan.training_plan_of(condition, form)
    request = _ranking_request(cache, condition, plan, training)
    about: dict[str, Any] = {
        "n_seen": cache.n_seen,
        "trained_on": cache.train.targets.n_documents,
        "documents": cache.test.targets.n_documents,
        "missing_classes": fold.missing_classes,
        "threads": n_threads(plan.n_jobs),
        "cores": os.cpu_count(),
    }
    inner = cache.inner(settings.folds) if _holds_out(training, cache) else []
    selection = None
    try:
        selected_terms = [documents.select(request) for documents in (cache, *inner)]
        selected = selected_terms[0].result
        selection, split = _selection(fold, condition, selected), cache.split(selected)
        trained, training_seconds = timed(lambda: _train(training, split, inner, selected_terms[1:]))
        predicted, prediction_seconds = timed(lambda: predict_labels(training, trained.fitted, split.test, trained.cut))
    except InputError as problem:
        return MeasuredCondition(
            Row.about(fold.number, condition, **about, problem=str(without_option_setting(problem))), selection
        )
    true_labels, predicted_labels = split.test_targets.label_sets(), predicted.label_sets(split.train_targets.classes)
    classes, multilabel = fold.documents.counted.targets.classes, split.train_targets.multilabel
    report = compare_labels(
        classes, true_labels, predicted_labels, multilabel=multilabel, n_unknown=int(predicted.is_unknown.sum())
    )
    model = model_from_parts(settings, cache.train, selected, trained.fitted, trained.cut)
    row = Row.about(
        fold.number,
        condition,
        **about,
        **_figures(report),
        n_selected=len(selected.columns),
        selection_seconds=sum(terms.seconds for terms in selected_terms),
        training_seconds=training_seconds,
        prediction_seconds=prediction_seconds,
        model_bytes=_size(model),
        mistakes=_mistakes(true_labels, predicted_labels),
    )
    return MeasuredCondition(row, selection, _ranking(fold, condition, request))


def _holds_out(training: TrainingPlan, cache: FoldCache) -> bool:
    """Return whether inner folds are needed to fit thresholds on held-out documents."""
    targets = cache.train.targets
    return targets.multilabel and training.cut.untuned_rule(len(targets.classes)) is None


def _ranking_request(cache: FoldCache, condition: Condition, plan: Plan, training: TrainingPlan) -> RankingRequest:
    limits = [training.max_terms(size, cache.n_seen) for size in plan.sizes_for(condition.selector)]
    largest = None if None in limits else max(limit for limit in limits if limit is not None)
    limit = training.max_terms(condition.n_terms, cache.n_seen)
    return RankingRequest(condition.selector.name, training, limit, largest)


def _train(
    training: TrainingPlan, split: FoldSplit, inner: list[FoldCache], selected: list[Timed[SelectedTerms]]
) -> TrainedCondition:
    fitted = training.fit_counts(split.train, split.train_targets)
    return TrainedCondition(
        fitted, _threshold_rule(training, split, inner, selected) if split.train_targets.multilabel else None
    )


def _threshold_rule(
    training: TrainingPlan, split: FoldSplit, inner: list[FoldCache], selected: list[Timed[SelectedTerms]]
) -> ThresholdRule:
    """Return the threshold rule, fitted on the scores of documents held out from the training documents."""
    targets = split.train_targets
    known = training.cut.untuned_rule(len(targets.classes))
    if known is not None:
        return known
    held_out = HeldOutScores(targets.indicator(), targets.weights)
    for cache, terms in zip(inner, selected, strict=True):
        inner_split = cache.split(terms.result)
        for part, scored in inner_split.held_out_scores(training, inner_split.train.shape[1]):
            held_out.add(cache.test_positions[part], scored.scores)
    return training.cut.fit_held_out(held_out)


def _size(model: Model) -> int:
    """Return the size of the model file in bytes.

    The training time is replaced by a constant, because at another time the checksum in the file could have
    one digit more.
    """
    return len(encode(replace(model, about={**model.about, "trained": CONSTANT_TIME})))


def _figures(report: Report) -> dict[str, Any]:
    number = {label: place for place, label in enumerate(report.classes)}
    pairs = sorted((number[true], number[predicted], count) for (true, predicted), count in report.pairs.items())
    return {
        "micro_f1": report.micro_f1,
        "macro_f1": report.macro_f1,
        "accuracy": report.accuracy,
        "unknown": report.unknown,
        "by_class": tuple(
            (report.hits[label], report.predicted[label], report.true[label]) for label in report.classes
        ),
        "confusion": None if report.multilabel else tuple(pairs),
    }


def _mistakes(true: list[tuple[Any, ...]], predicted: list[tuple[Any, ...]]) -> Mistakes:
    counts = [len(set(labels) ^ set(guesses)) for labels, guesses in zip(true, predicted, strict=True)]
    return np.minimum(counts, 255).astype(np.uint8)


def _selection(fold: Fold, condition: Condition, selected: SelectedTerms) -> Selection:
    counted, n_seen = fold.cache.train, fold.cache.n_seen
    terms = None
    if len(selected.columns) < n_seen:
        terms = tuple(counted.terms[column] for column in selected.columns.tolist())
    return Selection(fold.number, condition.selector.name, condition.n_terms, n_seen, terms)


def _ranking(fold: Fold, condition: Condition, request: RankingRequest) -> FoldRanking | None:
    """Return the ranking, or None if the fold does not describe rankings or all terms are used without a ranking."""
    description = fold.cache.description(request)
    if description is None or condition.selector.setting is None:
        return None
    size = condition.n_terms if request.training.selector.depends_on_k else None
    return FoldRanking(fold.number, condition.selector.name, size, *description)


# -- warm-up -----------------------------------------------------------------------------------------------------


def warm_up(plan: Plan, documents: ComparisonDocuments) -> None:
    """Measure each selector and each classifier once on a few documents."""
    fold = Fold(0, _few_documents(documents))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for condition in warm_up_conditions(plan):
            with suppress(InputError):
                measure(fold, condition, plan)


def warm_up_conditions(plan: Plan) -> Iterator[Condition]:
    """Yield all selectors with one classifier, and all classifiers with one selector, for its first and last size."""
    for selector in plan.selectors:
        yield Condition(selector, plan.sizes_for(selector)[0], plan.classifiers[0])
    first = plan.selectors[0]
    for size in dict.fromkeys((plan.sizes_for(first)[0], plan.sizes_for(first)[-1])):
        for classifier in plan.classifiers:
            yield Condition(first, size, classifier)


def _few_documents(documents: ComparisonDocuments) -> ComparisonDocuments:
    """Return some documents of the first fold: every n-th document across the classes, and the first of each class."""
    is_train, is_test, counted = documents.trained[0], documents.tested[0], documents.counted
    first = counted.targets.first
    positions = np.sort(np.concatenate([_spread(np.flatnonzero(mask), first) for mask in (is_train, is_test)]))
    parts = documents.parts._replace(trained=(is_train[positions],), tested=(is_test[positions],))
    return replace(documents, counted=counted.take(positions), parts=parts)


def _spread(positions: Ints, classes: Ints) -> Ints:
    """Return every n-th of these documents in each class, and the first document of each class."""
    present = classes[positions]
    step = max(-(-2 * len(positions) // MOST_WARM_UP_DOCUMENTS), 1)
    firsts = np.unique(present, return_index=True)[1]
    return np.union1d(positions[folds(present.tolist(), step) == 0], positions[firsts])
