"""Add documents to a trained model: add their statistics to those of the model, and train the classifier on the sum.

New documents are counted and weighed with the terms and the idf of the model. Terms, idf, thresholds (unless they are
refitted) and the calibration of probabilities stay unchanged. So updates in any number of parts, in any order, give the
model that training on all documents at once would give with these terms and this idf.

**Refitting thresholds.** Thresholds fit the scores of a model that has learned a certain number of documents. A model
that has learned many more gives other scores, and the old thresholds accept too many labels or too few. The documents
of `fit` are no longer available, but those of the update are. These are divided into folds. Each fold is scored by a
model of all other documents, old and new, and the thresholds are fitted to these scores. The new thresholds are right
if the documents of the update are a representative sample of future documents. Corrections are no such sample, because
they are documents that the model gets wrong. The threshold of a class without a document in the update stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher, get_close_matches
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, vstack

from ..arrays import CSR
from ..categorizer_settings import SETTINGS, Settings
from ..corpus.labels import SEPARATORS
from ..errors import InputError, Setting, TooFewDocuments, shown
from ..evaluation import folds
from ..evaluation.scores import HeldOutScores, blocks
from ..evaluation.thresholds import Cut, cut_of
from ..prediction import Model, as_written, classes_by_text
from .counted_documents import as_matrix
from .fallback import docs_without_terms
from .plan import TrainingPlan, usable_rows
from .provenance import now
from .statistics import Statistics, statistics_type
from .targets import Targets

MIN_SIMILARITY = 0.75
"""The similarity of two spellings, as `difflib` computes it, from which one may be a typing error for the other."""
SHORT_WORD = 3
"""The length of words up to which a similar one may be another code, as "eu" and "eur", or "ii" and "iii"."""
_WORD = re.compile(r"[^\W_]+")


class UnknownLabel(InputError):
    """Raised for a label that is not a class of the model."""


class UpdatedModel(NamedTuple):
    """A model that has learned more documents, and its statistics."""

    model: Model
    statistics: Statistics


def plan_for_update(settings: Settings, n_jobs: int) -> TrainingPlan:
    """Return the training plan for the settings stored in a model, without its selector, projection and cut.

    An update needs none of these three, and a model file may have only a description of them.
    """
    options = settings.classifier_options
    if not (isinstance(settings.classifier, str) and (options is None or isinstance(options, Mapping))):
        raise InputError(
            f"The model's classifier is {shown(settings.classifier)} with the options {shown(options)}",
            hint="the file was not written by textsieve",
        )
    settings = replace(settings, selector=None, selector_options=None, projection=None, projection_options=None)
    return TrainingPlan.of(replace(settings, cut=SETTINGS["cut"].default, cut_options=None), n_jobs)


def could_be_updated(settings: Settings) -> bool:
    """Return whether a model with these settings could be updated if its statistics had been kept."""
    if settings.projection is not None:
        return False
    try:
        return statistics_type(plan_for_update(settings, n_jobs=1)) is not None
    except InputError:  # the classifier is no name of the registry, but the description of an estimator
        return False


def update_model(model: Model, statistics: Statistics, plan: TrainingPlan, rows: CSR, targets: Targets) -> UpdatedModel:
    """Return the model after learning more documents, given their weights (`Model.rows`) and encoded labels."""
    merged = add_documents(statistics, plan, rows, targets)
    n_new = int(targets.count(targets.usable))
    return UpdatedModel(_refit(model, merged, plan, n_new), merged)


def add_documents(statistics: Statistics, plan: TrainingPlan, rows: CSR, targets: Targets) -> Statistics:
    """Return the statistics with more documents, given their weights (`Model.rows`) and encoded labels."""
    batches = usable_rows([as_matrix(rows, plan.dtype)], targets.usable)
    without_terms = docs_without_terms(rows.is_zero, targets)
    return statistics.merged(Statistics.of(plan, batches, targets, lambda: without_terms))


def _refit(model: Model, statistics: Statistics, plan: TrainingPlan, n_new: int) -> Model:
    """Return the model trained on statistics to which `n_new` labelled documents were added."""
    sizes = statistics.sizes(model)
    idf = np.ones(len(model.terms)) if model.idf is None else model.idf
    fitted = plan.fit_statistics(statistics, sizes, idf)
    about = {**model.about, "n_documents": sizes.n_documents, "n_unlabelled": sizes.n_unlabelled}
    return replace(
        model,
        scorer=fitted.scorer,
        class_docs=tuple(sizes.class_docs.tolist()),
        # None stands for the most frequent class.
        fallback=None if fitted.fallback == int(np.argmax(sizes.class_docs)) else fitted.fallback,
        about=record_update(model, about, n_new),
    )


def record_update(model: Model, about: dict[str, Any], n_new: int) -> dict[str, Any]:
    """Return the facts `about` an updated model, and how many documents updates have added, how often and when.

    `model` is the model before this update, which has added `n_new` labelled documents.
    """
    earlier = model.about.get("updated") or {}
    updated = {
        "documents": earlier.get("documents", 0) + n_new,
        "times": earlier.get("times", 0) + 1,
        "last": now(),
        # "since_thresholds" is the number of documents that were added since thresholds or ranks were fitted.
        **({"since_thresholds": earlier.get("since_thresholds", 0) + n_new} if model.multilabel else {}),
    }
    return {**about, "updated": updated}


def stack_rows(parts: Sequence[CSR]) -> CSR:
    """Return the rows of all parts, in order."""
    return CSR.of(csr_matrix(vstack([part.matrix() for part in parts], "csr")))


# -- labels ------------------------------------------------------------------------------------------------------


def encode_labels(model: Model, labels: Any, n_documents: int) -> Targets:
    """Return the labels of new documents, given in any form that `fit` takes, as numbers of the model's classes.

    Raises `InputError` for labels that are no classes of the model.
    """
    targets = Targets.of(labels, n_documents, model.multilabel)
    if targets.has_label_matrix and len(targets.classes) != len(model.classes):
        raise InputError(
            f"The matrix of labels has {len(targets.classes):,} columns, and the model {len(model.classes):,} classes",
            hint="give a column for each class",
        )
    unknown = [label for label in targets.classes if label not in model.classes]
    if unknown:
        raise unknown_label(model, unknown[0])
    has_label_matrix = model.has_label_matrix or targets.has_label_matrix
    return replace(targets.with_classes(model.classes), multilabel=model.multilabel, has_label_matrix=has_label_matrix)


def encode_label_sets(model: Model, label_sets: Sequence[Sequence[Any]], *, no_label_is_valid: bool = False) -> Targets:
    """Return the labels of new documents, given as a sequence of classes for each, as numbers of the model's classes.

    A document without a class is unlabelled. But if the model was trained with a label matrix, or if it is multilabel
    and `no_label_is_valid` is true, such a document belongs to none of the classes, and the model learns that.
    """
    members: dict[Any, list[int]] = {label: [] for label in model.classes}
    for document, labels in enumerate(label_sets):
        require_labels(model, labels)
        for label in labels:
            members[label].append(document)
    return Targets(
        model.classes,
        tuple(np.array(documents, np.int64) for documents in members.values()),
        len(label_sets),
        multilabel=model.multilabel,
        has_label_matrix=model.has_label_matrix or (model.multilabel and no_label_is_valid),
    )


def require_labels(model: Model, labels: Sequence[Any], *, may_be_new: bool = False) -> None:
    """Raise `InputError` if a document can't have these labels.

    They must be classes of the model, or with `may_be_new` classes that an update can add; and a document has only one
    label unless the model is multilabel.
    """
    for label in labels:
        if label not in model.classes:
            problem = unknown_label(model, label)
            if may_be_new and isinstance(label, str) and not isinstance(model.classes[0], str):
                raise InputError(
                    f"The new class {shown(label)} is text, and the classes of the model are numbers",
                    hint="update the model in Python, where labels can be numbers",
                )
            if not (may_be_new and isinstance(problem, UnknownLabel)):
                raise problem
    if not model.multilabel and len(labels) > 1:
        raise InputError(
            f"{shown(list(labels))} are {len(labels):,} labels, and the model gives one", hint="give one label"
        )


def unknown_label(model: Model, label: Any) -> InputError:
    """Return the error for a label that is not a class of the model.

    It is an `UnknownLabel`. But if the model is multilabel, and the label seems to be several classes joined by a
    separator, such as "a;b", it is another `InputError`: such a label is a mistake even where new classes are allowed.
    """
    problem = f"There is no class {shown(label)} in the model; its classes are {shown(list(model.classes), 200)}."
    classes = classes_by_text(model.classes)
    if model.multilabel and (separator := _find_separator(classes, as_written(label))):
        return InputError(
            problem, hint=("Are these several labels in one? Then use ", Setting("label_separator", separator))
        )
    similar = similar_class(label, model)
    suggestion = "" if similar is None else f"Did you mean {shown(similar)}? "
    return UnknownLabel(problem, hint=f"{suggestion}An update can't learn a new class: train again on all documents")


def similar_class(label: Any, model: Model) -> Any:
    """Return the class of a model whose spelling is most like that of a label, or None if none is much like it.

    Uppercase and lowercase letters count as equal. Digits have to be the same: "phase 2" is no error for "phase 1". Nor
    are labels errors that differ in a prefix or in their last words (`_are_related`).
    """
    written = as_written(label).casefold()
    sizes = dict(zip(model.classes, model.class_docs, strict=True))
    rarest_first = sorted(classes_by_text(model.classes).items(), key=lambda item: sizes[item[1]])
    classes = {text.casefold(): label for text, label in rarest_first}  # of equal spellings, that of most documents
    candidates = [text for text in classes if _digits(text) == _digits(written) and not _are_related(text, written)]
    closest = get_close_matches(written, candidates, n=1, cutoff=MIN_SIMILARITY)
    return classes[closest[0]] if closest else None


def _are_related(one: str, other: str) -> bool:
    """Return whether two different labels are similar on purpose, rather than by a typing error.

    Either one is the other with a prefix, as in "valid" and "invalid". Or they differ only in their last words, and
    these are short or not similar by themselves, as in "returns-eu" and "returns-us", or "type i" and "type ii".
    """
    if one == other:
        return False
    if one.endswith(other) or other.endswith(one):
        return True
    (*before, last), (*other_before, other_last) = _WORD.findall(one) or [""], _WORD.findall(other) or [""]
    if not before or before != other_before or last == other_last:
        return False
    is_short = min(len(last), len(other_last)) <= SHORT_WORD
    return is_short or SequenceMatcher(None, last, other_last).ratio() < MIN_SIMILARITY


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _find_separator(classes: Container[str], label: str) -> str | None:
    """Return the separator at which a label falls apart into several of the `classes`, or None if there is none."""
    return next(
        (
            separator
            for separator in (*SEPARATORS, ",")
            if separator in label and all(part.strip() in classes for part in label.split(separator))
        ),
        None,
    )


MIN_DOCUMENTS = 10
"""The smallest number of documents to which an update fits thresholds."""

STALE_SHARE = 0.1
"""Thresholds are stale if the documents added since they were fitted exceed this share of the documents before."""


def tuned_cut(model: Model, settings: Settings) -> Cut | None:
    """Return the `Cut` of a multilabel model with thresholds or ranks that were tuned; otherwise None."""
    if not model.multilabel:
        return None
    cut = cut_of(settings.cut, settings.cut_options)
    return cut if cut.untuned_rule(len(model.classes)) is None else None


def is_stale(model: Model) -> bool:
    """Return whether so many documents were added since thresholds were fitted that they should be refitted."""
    n_since: int = (model.about.get("updated") or {}).get("since_thresholds", 0)
    n_documents: int = model.about["n_documents"]
    return n_since > STALE_SHARE * (n_documents - n_since)


def refit_thresholds(
    model: Model, settings: Settings, targets: Targets, held_out: Callable[[], HeldOutScores]
) -> Model:
    """Return an updated model with thresholds or ranks refitted to the documents of the update.

    `targets` are the labels of these documents. `held_out` returns their scores, each by a model that has not learned
    the document: see `held_out_scores`.
    """
    cut = tuned_cut(model, settings)
    if cut is None:
        raise InputError(
            "this model has no thresholds or ranks that were fitted to scores, so there is nothing to refit",
            setting="fit_thresholds",
            value=True,
            hint="leave it out",
        )
    labelled = np.flatnonzero(targets.usable)
    if len(labelled) < MIN_DOCUMENTS:
        raise TooFewDocuments(
            f"fitting thresholds needs at least {MIN_DOCUMENTS} labelled documents, not {len(labelled)}",
            setting="fit_thresholds",
            value=True,
            hint="give more documents, or leave fit_thresholds out",
        )
    rule = cut.fit_held_out(held_out())
    thresholds = rule.thresholds
    if thresholds is not None and model.thresholds is not None:  # classes without new documents keep their thresholds
        thresholds = np.where(targets.class_docs > 0, thresholds, model.thresholds)
    about = {**model.about, "updated": {**model.about["updated"], "since_thresholds": 0}}
    return replace(model, thresholds=thresholds, ranks=rule.ranks, about=about)


def held_out_scores(
    model: Model, before: Statistics, plan: TrainingPlan, rows: CSR, targets: Targets, n_folds: int
) -> HeldOutScores:
    """Return the scores of an update's labelled documents, fold by fold.

    Each fold is scored by a model of all other documents: those of the other folds, and those whose statistics are
    `before`.
    """
    labelled = np.flatnonzero(targets.usable)
    matrix, targets = rows.matrix()[labelled], targets.take(labelled)
    fold_of = folds(targets.first_class.tolist(), n_folds)
    held_out = HeldOutScores(targets.indicator(), targets.weights)
    for fold in range(n_folds):
        in_fold, others = np.flatnonzero(fold_of == fold), np.flatnonzero(fold_of != fold)
        statistics = add_documents(before, plan, CSR.of(matrix[others]), targets.take(others))
        scorer = statistics.learned.scorer(plan, statistics.sizes(model))
        for part in blocks(len(in_fold), scorer.n_outputs):
            held_out.add(in_fold[part], scorer.scores(CSR.of(matrix[in_fold[part]]), plan.n_jobs))
    return held_out
