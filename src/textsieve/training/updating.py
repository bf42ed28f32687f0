"""Add documents to a trained model: its statistics grow, and what is learned from them is computed again.

New documents are counted and weighed as the model does it, their statistics are added to those that were kept, and the
classifier is trained on the sum. Terms, idf, thresholds and probabilities stay. So an update in any number of parts, in
any order, gives the model that would be learned at once from all documents with these terms and this idf.

**Refitting thresholds.** Thresholds are fitted to the scores of a model that has
learned a certain number of documents. A model that has learned many more gives other scores, and the old thresholds
accept too many labels or too few. The first documents are no longer available to be scored, but those of the update
are: each fifth of them is scored by the model of all other documents, old and new, whose statistics are sums without
this fifth, and the thresholds are fitted to these scores. This is right if the documents of the update are a fair
sample of those to come. Corrections are not: they are what the model gets wrong. The threshold of a class that none of
them has stays.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, vstack

from ..categorizer_settings import SETTINGS, Settings
from ..corpus.batch import SEPARATORS
from ..errors import InputError, Setting, TooFewDocuments, counted, shown
from ..evaluation import folds
from ..evaluation.scores import HeldOutScores, blocks
from ..evaluation.thresholds import Cut, ThresholdRule, cut_of
from ..prediction import Model, as_written, by_writing
from ..text.csr import CSR
from .counted_documents import narrowed
from .fallback import docs_without_terms
from .plan import TrainingPlan, usable_rows
from .provenance import now
from .statistics import Statistics, way_to_learn
from .targets import Targets


class UnknownLabel(InputError):
    """Raised for a label that is not a class of the model."""


class Updated(NamedTuple):
    """A model that has learned more documents, and its statistics."""

    model: Model
    statistics: Statistics


def plan_of(settings: Settings, n_jobs: int) -> TrainingPlan:
    """Return the training plan for the settings stored in a model.

    Selector, projection and cut have done their part; a model file may hold no more of them than a description.
    """
    options = settings.classifier_options
    if not (isinstance(settings.classifier, str) and (options is None or isinstance(options, Mapping))):
        raise InputError(
            f"The model's classifier is {shown(settings.classifier)} with the options {shown(options)}; the file "
            "was not written by textsieve."
        )
    settings = replace(settings, selector=None, selector_options=None, projection=None, projection_options=None)
    return TrainingPlan.of(replace(settings, cut=SETTINGS["cut"].default, cut_options=None), n_jobs)


def is_incremental(settings: Settings) -> bool:
    """Return whether a model with these settings could be updated if its statistics had been kept."""
    if not isinstance(settings.classifier, str) or settings.projection is not None:
        return False
    try:
        return way_to_learn(plan_of(settings, 1)) is not None
    except InputError:  # a classifier of the user's own, of which a file has but a description
        return False


def updated(model: Model, statistics: Statistics, plan: TrainingPlan, rows: CSR, targets: Targets) -> Updated:
    """Learn documents, given by their weights (`Model.rows`) and labels (`targets_for`)."""
    return relearned(model, added(statistics, plan, rows, targets), plan, int(targets.count(targets.usable)))


def added(statistics: Statistics, plan: TrainingPlan, rows: CSR, targets: Targets) -> Statistics:
    """Return the statistics with more documents added."""
    weights = narrowed(rows, plan.dtype)
    without = docs_without_terms(rows.is_zero, targets)
    new = Statistics.of(plan, usable_rows([weights], targets.usable), targets, lambda: without)
    return statistics.merged(new)


def relearned(model: Model, statistics: Statistics, plan: TrainingPlan, n_new: int) -> Updated:
    """Return the model for statistics to which documents were added."""
    sizes = statistics.sizes(model)
    idf = np.ones(len(model.terms)) if model.idf is None else model.idf
    fitted = plan.fit_statistics(statistics, sizes, idf)
    before = model.about.get("updated") or {}
    about = {**model.about, "n_documents": sizes.n_documents, "n_unlabelled": sizes.n_unlabelled}
    about["updated"] = {
        "documents": before.get("documents", 0) + n_new,
        "times": before.get("times", 0) + 1,
        "last": now(),
        **({"since_cut": before.get("since_cut", 0) + n_new} if model.multilabel else {}),
    }
    renewed = replace(
        model,
        scorer=fitted.scorer,
        class_docs=tuple(sizes.class_docs.tolist()),
        fallback=None if fitted.fallback == int(np.argmax(sizes.class_docs)) else fitted.fallback,
        about=about,
    )
    return Updated(renewed, statistics)


def stacked(parts: Sequence[CSR]) -> CSR:
    """Return the rows of all parts."""
    return CSR.of(csr_matrix(vstack([part.matrix() for part in parts], "csr")))


# -- labels ------------------------------------------------------------------------------------------------------


def targets_for(model: Model, labels: Any, n_documents: int) -> Targets:
    """Return the labels of new documents, in any form that `fit` takes, as classes of a model."""
    found = Targets.of(labels, n_documents, None if model.label_matrix else model.multilabel)
    if found.label_matrix and len(found.classes) != len(model.classes):
        raise InputError(
            f"The matrix of labels has {len(found.classes):,} columns, and the model {len(model.classes):,} classes; "
            "give a column for each class."
        )
    unknown = [label for label in found.classes if label not in model.classes]
    if unknown:
        raise unknown_label(model, unknown[0])
    members = dict(zip(found.classes, found.members, strict=True))
    none = np.empty(0, np.int64)
    own = tuple(members.get(label, none) for label in model.classes)
    return Targets(
        model.classes,
        own,
        n_documents,
        multilabel=model.multilabel,
        label_matrix=model.label_matrix or found.label_matrix,
    )


def targets_of_sets(model: Model, label_sets: Sequence[Sequence[Any]], *, none_is_right: bool = False) -> Targets:
    """Return labels as classes of a model, where the classes of each document are known.

    A document without a class is unlabelled, as for `fit`; with `none_is_right` it belongs to none of the classes.
    """
    members: dict[Any, list[int]] = {label: [] for label in model.classes}
    for document, labels in enumerate(label_sets):
        require_labels(model, labels)
        for label in labels:
            members[label].append(document)
    own = tuple(np.array(each, np.int64) for each in members.values())
    label_matrix = model.label_matrix or (model.multilabel and none_is_right)
    return Targets(model.classes, own, len(label_sets), multilabel=model.multilabel, label_matrix=label_matrix)


def require_labels(model: Model, labels: Sequence[Any]) -> None:
    """Raise `InputError` for labels that the model could not predict."""
    for label in labels:
        if label not in model.classes:
            raise unknown_label(model, label)
    if not model.multilabel and len(labels) > 1:
        raise InputError(f"{shown(list(labels))} are {len(labels):,} labels, and the model gives one; say which.")


def unknown_label(model: Model, label: Any) -> InputError:
    """Return the error for a label that is not a class of the model."""
    what = f"There is no class {shown(label)} in the model; its classes are {shown(list(model.classes), 200)}."
    classes = by_writing(model.classes)
    if model.multilabel and (separator := _that_joins(classes, as_written(label))):
        return InputError(
            what, hint=("Are these several labels in one? Then use ", Setting("label_separator", separator))
        )
    close = get_close_matches(as_written(label).casefold(), {each.casefold(): each for each in classes}, 1, 0.75)
    meant = [f" Did you mean {shown(classes[each])}?" for each in classes if each.casefold() in close][:1]
    return UnknownLabel(
        f"{what}{''.join(meant)} A class more can't be learned by an update: train again on all documents."
    )


def _that_joins(classes: Container[str], label: str) -> str | None:
    """Return the separator between the classes of which a label consists, or None."""
    return next(
        (
            separator
            for separator in (*SEPARATORS, ",")
            if separator in label and all(part.strip() in classes for part in label.split(separator))
        ),
        None,
    )


MIN_DOCUMENTS = 10
"""The smallest number of documents to which thresholds can be fitted."""

STALE_SHARE = 0.1
"""Thresholds are stale if more documents were added since they were fitted than this share of those before."""


def cut_that_is_fitted(model: Model, settings: Settings) -> Cut | None:
    """Return a model's threshold rule if it was fitted to scores, otherwise None."""
    if not model.multilabel:
        return None
    cut = cut_of(settings.cut, settings.cut_options)
    return cut if cut.known(len(model.classes)) is None else None


def is_stale(model: Model) -> bool:
    """Return whether so many documents were added since thresholds were fitted that they should be refitted."""
    since: int = (model.about.get("updated") or {}).get("since_cut", 0)
    n_documents: int = model.about["n_documents"]
    return since > STALE_SHARE * (n_documents - since)


def refit_thresholds(
    model: Model, before: Statistics, settings: Settings, plan: TrainingPlan, rows: CSR, targets: Targets
) -> Model:
    """Return an updated model with thresholds or ranks refitted to the documents of the update."""
    cut = cut_that_is_fitted(model, settings)
    if cut is None:
        raise InputError(
            "the labels of this model are not cut by what is fitted to scores, so there is nothing to fit anew",
            setting="fit_cut",
            value=True,
            hint="leave it out",
        )
    labelled = np.flatnonzero(targets.usable)
    if len(labelled) < MIN_DOCUMENTS:
        raise TooFewDocuments(
            f"{counted(len(labelled), 'document')} to fold in, and {MIN_DOCUMENTS} are the fewest that a cut can be "
            "fitted to",
            setting="fit_cut",
            value=True,
            hint="give more, or leave it out",
        )
    rule = cut.fit_held_out(held_out_scores(model, before, plan, rows, targets, settings.folds))
    updated = {**model.about["updated"], "since_cut": 0}
    return replace(model, **_renewed(model, rule, targets), about={**model.about, "updated": updated})


def _renewed(model: Model, rule: ThresholdRule, targets: Targets) -> dict[str, Any]:
    if rule.thresholds is None or model.thresholds is None:
        return {"thresholds": rule.thresholds, "ranks": rule.ranks}
    return {"thresholds": np.where(targets.class_docs > 0, rule.thresholds, model.thresholds), "ranks": None}


def held_out_scores(
    model: Model, before: Statistics, plan: TrainingPlan, rows: CSR, targets: Targets, n_folds: int
) -> HeldOutScores:
    """Return the scores of the labelled documents, each by a model that has learned all others."""
    labelled = np.flatnonzero(targets.usable)
    matrix, targets = rows.matrix()[labelled], targets.take(labelled)
    fold_of = folds(targets.first.tolist(), n_folds)
    held_out = HeldOutScores(targets.indicator(), targets.weights)
    for fold in range(n_folds):
        own, others = np.flatnonzero(fold_of == fold), np.flatnonzero(fold_of != fold)
        statistics = added(before, plan, CSR.of(matrix[others]), targets.take(others))
        scorer = statistics.learned.scorer(plan, statistics.sizes(model))
        for part in blocks(len(own), scorer.n_outputs):
            held_out.add(own[part], scorer.scores(CSR.of(matrix[own[part]]), plan.n_jobs))
    return held_out
