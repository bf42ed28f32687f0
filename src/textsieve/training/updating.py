"""A trained model, and later documents that it learns: what is learned is renewed, all else stays.

The new documents are counted and weighed as the model weighs, their statistics are added to those that were kept, and
the classifier is trained on the sum. Terms, idf, thresholds and probabilities stay as they are. So an update in any
number of parts, in any order, gives the model that is learned at once from all documents with these terms and this idf.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, vstack

from ..corpus.batch import SEPARATORS
from ..errors import InputError, shown
from ..prediction import Model, as_written, by_writing
from ..text.rows import Rows
from .documents import narrowed
from .keeping import now
from .recipe import Recipe, usable_rows
from .statistics import Statistics, way_to_learn
from .targets import Targets
from .unknown import docs_without_terms

_OF_NO_MATTER: dict[str, Any] = {
    "selector": None,
    "selector_options": None,
    "projection": None,
    "projection_options": None,
    "cut": "pcut",
    "cut_options": None,
}
"""Settings that have done their part, and of which a model file may have no more than a name."""


class UnknownLabel(InputError):
    """Raised for a label that is no class of the model."""


class Updated(NamedTuple):
    """A model that has learned more, and what it can learn on from."""

    model: Model
    statistics: Statistics


def recipe_of(settings: Mapping[str, Any], n_jobs: int) -> Recipe:
    """What is trained, by the settings that a model has kept."""
    options = settings["classifier_options"]
    if not (isinstance(settings["classifier"], str) and (options is None or isinstance(options, Mapping))):
        raise InputError(
            f"The model's classifier is {shown(settings['classifier'])} with the options {shown(options)}; the file "
            "was not written by textsieve."
        )
    return Recipe.of({**settings, **_OF_NO_MATTER}, n_jobs)


def is_incremental(settings: Mapping[str, Any]) -> bool:
    """Whether a model with these settings could learn later documents, had its statistics been kept."""
    if not isinstance(settings["classifier"], str) or settings["projection"] is not None:
        return False
    try:
        return way_to_learn(recipe_of(settings, 1)) is not None
    except InputError:  # a classifier of the user's own, of which a file has but a description
        return False


def updated(model: Model, statistics: Statistics, recipe: Recipe, rows: Rows, targets: Targets) -> Updated:
    """Learn documents, given by their weights (`Model.rows`) and labels (`targets_for`)."""
    return relearned(model, added(statistics, recipe, rows, targets), recipe, int(targets.count(targets.usable)))


def added(statistics: Statistics, recipe: Recipe, rows: Rows, targets: Targets) -> Statistics:
    """The statistics with those of more documents."""
    weights = narrowed(rows, recipe.dtype)
    without = docs_without_terms(rows.is_zero, targets)
    new = Statistics.of(recipe, usable_rows([weights], targets.usable), targets, lambda: without)
    return statistics.merged(new)


def relearned(model: Model, statistics: Statistics, recipe: Recipe, n_new: int) -> Updated:
    """The model of statistics to which so many documents were added."""
    sizes = statistics.sizes(model.classes, model.labels)
    idf = np.ones(len(model.terms)) if model.idf is None else model.idf
    fitted = recipe.fit_statistics(statistics, sizes, idf)
    before = model.about.get("updated") or {}
    about = {name: value for name, value in model.about.items() if name != "stats"}
    about |= {"n_documents": sizes.n_documents, "n_unlabelled": sizes.n_unlabelled}
    about["updated"] = {
        "documents": before.get("documents", 0) + n_new,
        "times": before.get("times", 0) + 1,
        "last": now(),
        **({} if model.labels == "one" else {"since_cut": before.get("since_cut", 0) + n_new}),
    }
    renewed = replace(
        model,
        scorer=fitted.scorer,
        class_docs=tuple(sizes.class_docs.tolist()),
        fallback=None if fitted.fallback == int(np.argmax(sizes.class_docs)) else fitted.fallback,
        about=about,
    )
    return Updated(renewed, statistics)


def stacked(parts: Sequence[Rows]) -> Rows:
    """The rows of all parts, one after the other."""
    return Rows.of(csr_matrix(vstack([part.matrix() for part in parts], "csr")))


# -- labels ------------------------------------------------------------------------------------------------------


def targets_for(model: Model, labels: Any, n_documents: int) -> Targets:
    """The labels of new documents, in any form that `fit` takes, as classes of a model."""
    multilabel = {"one": False, "several": True}.get(model.labels)
    found = Targets.of(labels, n_documents, multilabel)
    if found.form == "matrix" and len(found.classes) != len(model.classes):
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
    return Targets(model.classes, own, n_documents, "matrix" if found.form == "matrix" else model.labels)


def targets_of_sets(model: Model, label_sets: Sequence[Sequence[Any]], *, none_is_right: bool = False) -> Targets:
    """The same, where the classes of each document are known.

    Without a class it is unlabelled, as for `fit`; or if `none_is_right`, it is of none of them, as in a matrix.
    """
    members: dict[Any, list[int]] = {label: [] for label in model.classes}
    for document, labels in enumerate(label_sets):
        require_labels(model, labels)
        for label in labels:
            members[label].append(document)
    own = tuple(np.array(each, np.int64) for each in members.values())
    form = "matrix" if none_is_right and model.labels == "several" else model.labels
    return Targets(model.classes, own, len(label_sets), form)


def require_labels(model: Model, labels: Sequence[Any]) -> None:
    """Refuse the labels of a document that the model could not give it."""
    for label in labels:
        if label not in model.classes:
            raise unknown_label(model, label)
    if model.labels == "one" and len(labels) > 1:
        raise InputError(f"{shown(list(labels))} are {len(labels):,} labels, and the model gives one; say which.")


def unknown_label(model: Model, label: Any) -> InputError:
    """What is said of a label that is no class of the model."""
    what = f"There is no class {shown(label)} in the model; its classes are {shown(list(model.classes), 200)}."
    classes = by_writing(model.classes)
    if model.labels != "one" and (separator := _that_joins(classes, as_written(label))):
        return InputError(f"{what} Are these several labels in one? Then use label_separator={separator!r}.")
    close = get_close_matches(as_written(label).casefold(), {each.casefold(): each for each in classes}, 1, 0.75)
    meant = [f" Did you mean {shown(classes[each])}?" for each in classes if each.casefold() in close][:1]
    return UnknownLabel(
        f"{what}{''.join(meant)} A class more can't be learned by an update: train again on all documents."
    )


def _that_joins(classes: Container[str], label: str) -> str | None:
    """What separates the classes that a label consists of, if it does."""
    return next(
        (
            separator
            for separator in (*SEPARATORS, ",")
            if separator in label and all(part.strip() in classes for part in label.split(separator))
        ),
        None,
    )
