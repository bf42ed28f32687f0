"""Measure one condition on one fold: select, train and test as a `Categorizer` on the training documents would.

Without a warm-up, the seconds of the first condition would include loading or compiling kernels. So `warm_up` first
measures conditions on a few documents and discards the results. It also ignores errors, because they occur again in the
real measurement. It does not load kernels that are used for large problems only.
"""

from __future__ import annotations

import math
import os
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Ints
from ..errors import InputError
from ..evaluation import Report, compare_labels
from ..evaluation import folds as assign_folds
from ..evaluation.scores import DocumentScores, HeldOutScores
from ..evaluation.thresholds import ThresholdRule
from ..modelfile.writing import encode
from ..prediction import Model
from ..settings import n_threads
from ..training.plan import FittedClassifier, SelectedTerms, TrainingPlan
from ..training.train import model_from_parts
from ..training.tuning import FoldSplit, PredictedLabels, predict_labels
from .compared_documents import ComparisonDocuments
from .cross_fitting import KeptScores
from .examples import PairPositions, confused_positions
from .folds import Fold, FoldCache, RankingRequest, Timed, timed
from .plan import Condition, Plan, Size, settings_for_form
from .rankings import FoldRanking
from .results import Mistakes, Row, Selection
from .variants import without_option_setting

CONSTANT_TIME = "1970-01-01T00:00:00+00:00"
"""Replaces the time of training when the size of a model file is measured."""
MAX_WARM_UP_DOCUMENTS = 400
"""The approximate number of documents in the warm-up, training and test documents together."""


LabelPair = tuple[tuple[Any, ...], tuple[Any, ...]]
"""The true and the predicted labels of a document."""


class TrainedCondition(NamedTuple):
    """A fitted classifier, and for multilabel documents the threshold rule."""

    fitted: FittedClassifier
    rule: ThresholdRule | None


class MeasuredCondition(NamedTuple):
    """The row of a condition, its selected terms if there are any, and their ranking if this is the first fold."""

    row: Row
    selection: Selection | None
    ranking: FoldRanking | None = None


def measure(fold: Fold, condition: Condition, plan: Plan) -> MeasuredCondition:
    """Select terms, train and test with the settings of a condition, and return its row.

    If no term is selected or training fails, the row has the problem instead of figures. The seconds of the selection
    include those of the inner folds, on which thresholds are fitted.
    """
    cache, form = fold.cache, fold.documents.form
    settings = settings_for_form(plan.settings_of(condition), form)
    training = plan.training_plan_of(condition, form)
    request = _ranking_request(cache, condition, plan, training)
    fold_fields: dict[str, Any] = {
        "n_seen": cache.n_seen,
        "trained_on": cache.train.targets.n_documents,
        "documents": cache.test.targets.n_documents,
        "missing_classes": fold.missing_classes,
        "threads": n_threads(plan.n_jobs),
        "cores": os.cpu_count(),
    }
    inner_folds = cache.inner(settings.folds) if _needs_held_out_scores(training, cache) else []
    selection = None
    try:
        # From all training documents of the fold, and from those of each inner fold.
        outer_terms, *inner_terms = (part.select(request) for part in (cache, *inner_folds))
        selected = outer_terms.result
        selection, split = _selection(fold, condition, selected), cache.split(selected)
        trained, training_seconds = timed(lambda: _train(training, split, inner_folds, inner_terms))
        kept_scores, scored_blocks = _score_blocks(training, trained, split)
        # The documents are scored while `predict_labels` iterates over the blocks, so the seconds include the scores.
        predicted, prediction_seconds = timed(lambda: predict_labels(scored_blocks, trained.rule))
    except InputError as problem:
        return MeasuredCondition(
            Row.about(fold.number, condition, **fold_fields, problem=str(without_option_setting(problem))), selection
        )
    # The model is only needed for the size of its file.
    model = model_from_parts(settings, cache.train, selected, trained.fitted, trained.rule)
    row = Row.about(
        fold.number,
        condition,
        **fold_fields,
        **_compare_with_true(fold, split, predicted),
        n_selected=len(selected.columns),
        selection_seconds=sum(terms.seconds for terms in (outer_terms, *inner_terms)),
        training_seconds=training_seconds,
        prediction_seconds=prediction_seconds,
        model_bytes=_model_bytes(model),
        confidence=None if kept_scores is None else kept_scores.confidence(_classes_in_model(split)),
    )
    return MeasuredCondition(row, selection, _ranking(fold, condition, request))


def _needs_held_out_scores(training: TrainingPlan, cache: FoldCache) -> bool:
    """Return whether thresholds are fitted, which takes the scores of documents held out in inner folds."""
    targets = cache.train.targets
    return targets.multilabel and training.cut.untuned_rule(len(targets.classes)) is None


def _ranking_request(cache: FoldCache, condition: Condition, plan: Plan, training: TrainingPlan) -> RankingRequest:
    """Return the request of a condition, with its number of terms and the largest number of its selector."""

    def limit_of(size: Size) -> int:
        """Return the number of terms that a size of the plan means for this fold: half of 900 terms are 450."""
        limit = training.max_terms(size, cache.n_seen)
        assert limit is not None  # None is for a missing size, which a plan never has
        return limit

    largest_limit = max(map(limit_of, plan.sizes_for(condition.selector)))
    return RankingRequest(condition.selector.name, training, limit_of(condition.n_terms), largest_limit)


def _train(
    training: TrainingPlan, split: FoldSplit, inner_folds: list[FoldCache], inner_terms: list[Timed[SelectedTerms]]
) -> TrainedCondition:
    """Train on the counts of the selected terms; for multilabel documents, fit the threshold rule, too.

    `inner_terms` are the terms selected in each inner fold.
    """
    fitted = training.fit_counts(split.train, split.train_targets)
    is_multilabel = split.train_targets.multilabel
    rule = _fit_threshold_rule(training, split, inner_folds, inner_terms) if is_multilabel else None
    return TrainedCondition(fitted, rule)


def _score_blocks(
    training: TrainingPlan, trained: TrainedCondition, split: FoldSplit
) -> tuple[KeptScores | None, Iterator[tuple[slice, DocumentScores]]]:
    """Return the object that keeps the scores, and an iterator over slices of the test documents with their scores.

    The object is filled while somebody iterates. For multilabel documents it is None, and scores are not kept.
    """
    scored_blocks = training.score_blocks(trained.fitted, split.test)
    if split.train_targets.multilabel:
        return None, scored_blocks
    kept_scores = KeptScores(split.test.shape[0], trained.fitted.scorer.n_outputs)
    return kept_scores, kept_scores.keep(scored_blocks)


def _classes_in_model(split: FoldSplit) -> Ints:
    """Return the class of each test document as its number in the model, or -1 for a class without training documents.

    The test documents have classes that the model may lack, so a class may have different numbers in the two.
    """
    numbers = {label: number for number, label in enumerate(split.train_targets.classes)}
    number_in_model = np.array([numbers.get(label, -1) for label in split.test_targets.classes])  # of each test class
    return np.asarray(number_in_model[split.test_targets.first_class])


def _fit_threshold_rule(
    training: TrainingPlan, split: FoldSplit, inner_folds: list[FoldCache], inner_terms: list[Timed[SelectedTerms]]
) -> ThresholdRule:
    """Return the threshold rule, fitted on held-out scores of the training documents unless it needs no fitting."""
    targets = split.train_targets
    untuned_rule = training.cut.untuned_rule(len(targets.classes))
    if untuned_rule is not None:
        return untuned_rule
    held_out = HeldOutScores(targets.indicator(), targets.weights)
    for cache, terms in zip(inner_folds, inner_terms, strict=True):
        inner_split = cache.split(terms.result)
        # `part` is a slice of the documents that the inner fold holds out; `test_positions` has their positions among
        # the training documents of the outer fold.
        for part, scored in inner_split.held_out_scores(training, inner_split.train.shape[1]):
            held_out.add(cache.test_positions[part], scored.scores)
    return training.cut.fit_held_out(held_out)


def _model_bytes(model: Model) -> int:
    """Return the size of the model file in bytes.

    The time of training is replaced by a constant. Otherwise the size could differ between runs: the file has a
    checksum, which depends on the time, and the number of digits of the checksum varies.
    """
    return len(encode(replace(model, about={**model.about, "trained": CONSTANT_TIME})))


def _compare_with_true(fold: Fold, split: FoldSplit, predicted: PredictedLabels) -> dict[str, Any]:
    """Return the fields of a row that come from comparing the predicted with the true labels of the test documents."""
    classes, multilabel = fold.documents.counted.targets.classes, split.train_targets.multilabel
    true_labels, predicted_labels = split.test_targets.label_sets(), predicted.label_sets(split.train_targets.classes)
    labels = list(zip(true_labels, predicted_labels, strict=True))
    # Many documents have the same pair of true and predicted labels, so each pair is compared once, with a weight.
    counts = Counter(labels)
    distinct_true, distinct_predicted = zip(*counts, strict=True)
    report = compare_labels(
        classes,
        distinct_true,
        distinct_predicted,
        multilabel=multilabel,
        n_unknown=int(predicted.is_unknown.sum()),
        weights=counts.values(),
    )
    mistakes = _count_mistakes(labels, counts)
    examples = None if multilabel else _examples(fold, classes, labels, np.flatnonzero(mistakes))
    return {**_report_fields(report), "mistakes": mistakes, "examples": examples}


def _report_fields(report: Report) -> dict[str, Any]:
    """Return the figures of a report as fields of a row, in which a class is its number in the header."""
    class_number = {label: number for number, label in enumerate(report.classes)}
    pairs = sorted(
        (class_number[true], class_number[predicted], count) for (true, predicted), count in report.pairs.items()
    )
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


def _count_mistakes(labels: list[LabelPair], distinct: Iterable[LabelPair]) -> Mistakes:
    """Return for each document how many labels are missing or wrong; at most 255, so that a byte is enough.

    `labels` has the true and the predicted labels of each document, and `distinct` has each of these pairs once.
    """
    counts = {pair: min(len(set(pair[0]) ^ set(pair[1])), 255) for pair in distinct}
    return np.array([counts[pair] for pair in labels], np.uint8)


def _examples(fold: Fold, classes: Sequence[Any], labels: list[LabelPair], wrong: Ints) -> tuple[PairPositions, ...]:
    """Return the positions of some documents of the most frequent pairs of confused classes.

    `labels` has the true and the predicted label of each test document, and `wrong` the numbers of those test documents
    for which they differ.
    """
    class_number = {label: number for number, label in enumerate(classes)}
    wrong_labels = [labels[document] for document in wrong.tolist()]
    # Each document has one true and one predicted label, in tuples of length 1.
    pairs = [(class_number[true], class_number[predicted]) for (true,), (predicted,) in wrong_labels]
    return confused_positions(pairs, fold.cache.test_positions[wrong].tolist())


def _selection(fold: Fold, condition: Condition, selected: SelectedTerms) -> Selection:
    """Return the selected terms by name, as results store them; if these are all terms of the fold, only None."""
    n_seen = fold.cache.n_seen
    selects_all = len(selected.columns) >= n_seen
    terms = None if selects_all else tuple(fold.cache.train.terms.take(selected.columns))
    return Selection(fold.number, condition.selector.name, condition.n_terms, n_seen, terms)


def _ranking(fold: Fold, condition: Condition, request: RankingRequest) -> FoldRanking | None:
    """Return the description of the ranking, as results store it.

    Return None if the fold does not describe rankings, or if the condition has no selector. The number of terms is only
    stored if the ranking depends on it; otherwise, all numbers of terms share the ranking.
    """
    description = fold.cache.description(request)
    if description is None or condition.selector.setting is None:
        return None
    size = condition.n_terms if request.training.selector.depends_on_k else None
    return FoldRanking(fold.number, condition.selector.name, size, *description)


# -- warm-up -----------------------------------------------------------------------------------------------------


def warm_up(plan: Plan, documents: ComparisonDocuments) -> None:
    """Measure each selector and each classifier of a plan on a few documents, without results, errors or warnings."""
    fold = Fold(number=0, documents=_few_documents(documents))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for condition in warm_up_conditions(plan):
            with suppress(InputError):
                measure(fold, condition, plan)


def warm_up_conditions(plan: Plan) -> Iterator[Condition]:
    """Yield all selectors with the first classifier, and all classifiers with the first selector.

    Each selector is tried with the first of its numbers of terms in the plan, each classifier with the first and the
    last.
    """
    for selector in plan.selectors:
        yield Condition(selector, plan.sizes_for(selector)[0], plan.classifiers[0])
    first = plan.selectors[0]
    for size in dict.fromkeys((plan.sizes_for(first)[0], plan.sizes_for(first)[-1])):
        for classifier in plan.classifiers:
            yield Condition(first, size, classifier)


def _few_documents(documents: ComparisonDocuments) -> ComparisonDocuments:
    """Return some training and test documents of the first fold, as a comparison with a single fold."""
    folds, counted = documents.folds, documents.counted
    is_train, is_test = folds.train[0], folds.test[0]
    classes = counted.targets.first_class
    samples = [_sample(np.flatnonzero(mask), classes) for mask in (is_train, is_test)]
    positions = np.sort(np.concatenate(samples))
    masks = folds._replace(train=(is_train[positions],), test=(is_test[positions],))
    return replace(documents, counted=counted.take(positions), folds=masks)


def _sample(positions: Ints, classes: Ints) -> Ints:
    """Return the positions of about `MAX_WARM_UP_DOCUMENTS / 2` of the documents at `positions`, from all classes.

    These are every n-th document, sorted by class, and the first document of each class. `classes` has the class of
    each document of the corpus, as a number.
    """
    classes_there = classes[positions]
    step = max(math.ceil(2 * len(positions) / MAX_WARM_UP_DOCUMENTS), 1)
    first_of_class = np.unique(classes_there, return_index=True)[1]
    every_nth = positions[assign_folds(classes_there.tolist(), step) == 0]  # the first of `step` folds
    return np.union1d(every_nth, positions[first_of_class])
