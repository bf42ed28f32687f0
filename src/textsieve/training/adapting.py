"""Update a model that has the statistics of all terms: select terms anew, and train again from the statistics.

Unlike `updating`, this changes the terms and their idf, learns new classes, and can forget (`forgetting`). Without
forgetting, the result is the model that training on all documents gives. Only what was measured and tuned on held-out
documents stays as it was, because the documents are no longer there. So a new class of a multilabel model has no
threshold yet, and thresholds must be fitted to the documents of the update.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from ..arrays import CSR
from ..categorizer_settings import ObjectDescription, Settings
from ..errors import InputError, Setting, shown
from ..evaluation import folds
from ..evaluation.calibration import Calibration, JointCalibration
from ..evaluation.scores import HeldOutScores, blocks
from ..evaluation.thresholds import ThresholdRule, cut_of
from ..prediction import Model
from .counted_documents import weigh_counts
from .forgetting import Forgetting
from .full_statistics import (
    CollectionStats,
    CountedRows,
    FullStatistics,
    TextCounts,
    learn_collection,
    weigh_collection,
)
from .targets import ClassSizes, Targets, sorted_classes
from .train import Training, TuningResult
from .updating import record_update, refit_thresholds


class AdaptedModel(NamedTuple):
    """A model that has learned more documents, and the statistics of all terms from which it was trained."""

    model: Model
    statistics: FullStatistics


@dataclass(frozen=True)
class Adaptation:
    """An update of a model with the statistics of all terms; `run` returns the updated model.

    First, `start_counting` returns an object that counts the new documents.
    """

    model: Model
    statistics: FullStatistics
    forgetting: Forgetting
    when: datetime
    """The time of the update."""
    n_jobs: int | None = -1

    @cached_property
    def settings(self) -> Settings:
        """Return the settings of the model, for training again.

        The user's own stop words and functions are not among the stored settings. The statistics have the stop words; a
        model that was not loaded from a file has the functions.
        """
        model = self.model
        objects: dict[str, Any] = {
            "stop_words": self.statistics.stop_words,
            "strip_accents": model.strip_accents,
            "analyzer": model.analysis.analyzer,
            "tokenizer": model.analysis.tokenizer,
            "preprocessor": model.preprocessor,
        }
        settings = Settings.of_stored(model.settings)
        missing = {
            name: value for name, value in objects.items() if isinstance(getattr(settings, name), ObjectDescription)
        }
        return replace(settings, **missing, n_jobs=self.n_jobs)

    @cached_property
    def training(self) -> Training:
        """Return a `Training` with the settings of the model."""
        return Training(self.settings, lambda *_: None)

    def start_counting(self) -> TextCounts:
        """Return a counter of all terms of new documents."""
        return TextCounts(self.training.counter())

    def weigh(self, documents: CountedRows, model: Model) -> CSR:
        """Return the weights of a model's terms in documents, as the model weighs them."""
        idf = np.ones(0) if model.idf is None else model.idf
        counts = documents.rows_of(model.terms)
        # The name of the idf only says whether `idf` is used: "plain" stands for any.
        scheme = self.training.scheme._replace(idf="none" if model.idf is None else "plain")
        return weigh_counts(counts.matrix(), scheme, idf)

    # -- the update ----------------------------------------------------------------------------------------------

    def run(self, documents: CountedRows, targets: Targets, *, fit_thresholds: bool = False) -> AdaptedModel:
        """Return the model after learning more documents, and its statistics.

        With `fit_thresholds`, refit the thresholds or ranks of a multilabel model to these documents.
        """
        statistics = self._with_documents(documents, targets)
        classes = statistics.collection.classes
        self._require_known_classes(classes, fit_thresholds=fit_thresholds)
        new_model = self._train(statistics.collection, classes)
        n_new = int(targets.count(targets.usable))
        new_model = replace(new_model, about=record_update(self.model, new_model.about, n_new))
        if fit_thresholds:
            targets = targets.with_classes(classes)
            held_out_scores = partial(self._held_out_scores, documents, targets)
            new_model = refit_thresholds(new_model, self.settings, targets, held_out_scores)
        return AdaptedModel(new_model, statistics)

    def _with_documents(self, documents: CountedRows, targets: Targets) -> FullStatistics:
        """Return the statistics after an update with these documents, in which earlier ones may be forgotten."""
        weights = weigh_collection(documents.counts, self.training.scheme)
        added = CollectionStats.of(documents.terms, [weights], targets)
        return self.statistics.updated(added, self.forgetting, self.when)

    def _require_known_classes(self, classes: tuple[Any, ...], *, fit_thresholds: bool) -> None:
        """Raise `InputError` for new classes of a multilabel model with fitted probabilities or thresholds.

        These were fitted for each class, so new classes have none; only thresholds can be fitted now.
        """
        new_classes = [label for label in classes if label not in self.model.classes]
        if not new_classes or not self.model.multilabel:
            return
        if self.model.calibration is not None:
            raise InputError(
                f"{shown(new_classes[0])} is a new class, for which no probabilities were fitted",
                hint=("train again, with ", Setting("probabilities", None), " if new classes are frequent"),
            )
        if self._untuned_rule(classes) is None and not fit_thresholds:
            raise InputError(
                f"{shown(new_classes[0])} is a new class, which has no threshold yet",
                hint=("add ", Setting("fit_thresholds", True), ", which fits thresholds to the new documents"),
            )

    def _untuned_rule(self, classes: tuple[Any, ...]) -> ThresholdRule | None:
        """Return the threshold rule of a multilabel model if it needs no tuning, otherwise None."""
        if not self.model.multilabel:
            return None
        return cut_of(self.settings.cut, self.settings.cut_options).untuned_rule(len(classes))

    def _train(self, collection: CollectionStats, classes: tuple[Any, ...]) -> Model:
        """Return the model trained on a collection, with what was tuned on held-out documents for the present model."""
        model = self.model
        sizes = collection.sizes(multilabel=model.multilabel, has_label_matrix=model.has_label_matrix)
        rule = self._untuned_rule(classes)
        if model.multilabel and rule is None:
            thresholds = None if model.thresholds is None else self._by_class(model.thresholds, classes)
            rule = ThresholdRule(thresholds, model.ranks)
        tuned = TuningResult(None, None, rule, self._calibration(classes))
        trained = self.training.learn(collection, sizes, _rounded(sizes), tuned, {})
        changed = {
            name: trained.about[name]
            for name in ("n_documents", "n_unlabelled", "n_terms_seen", "testors")
            if name in trained.about
        }
        return replace(trained, settings=model.settings, about=model.about | changed)

    def _by_class(self, values: Any, classes: tuple[Any, ...]) -> Any:
        """Return a value for each of `classes`, given one for each class of the model; 0 for a new class."""
        value_of = dict(zip(self.model.classes, values.tolist(), strict=True))
        return np.array([value_of.get(label, 0.0) for label in classes], np.float64)

    def _calibration(self, classes: tuple[Any, ...]) -> Calibration | JointCalibration | None:
        """Return the calibration of the model for these classes, some of which may be new or missing."""
        calibration = self.model.calibration
        if isinstance(calibration, JointCalibration):
            return replace(calibration, unknown_docs=self._by_class(calibration.unknown_docs, classes))
        if calibration is None or classes == self.model.classes:
            return calibration
        return calibration.take([self.model.classes.index(label) for label in classes])

    def _held_out_scores(self, documents: CountedRows, targets: Targets) -> HeldOutScores:
        """Return the scores of the update's labelled documents, fold by fold.

        Each fold is scored by a model of all other documents, old and new, for which terms are selected anew.
        """
        labelled = np.flatnonzero(targets.usable)
        counts, targets = documents.counts[labelled], targets.take(labelled)
        fold_of = folds(targets.first_class.tolist(), self.settings.folds)
        held_out = HeldOutScores(targets.indicator(), targets.weights)
        for fold in range(self.settings.folds):
            in_fold, others = np.flatnonzero(fold_of == fold), np.flatnonzero(fold_of != fold)
            collection = self._with_documents(
                documents._replace(counts=counts[others]), targets.take(others)
            ).collection.with_classes(targets.classes)
            sizes = collection.sizes(multilabel=True, has_label_matrix=targets.has_label_matrix)
            training = self.training
            learned = learn_collection(training.plan, collection, self.settings.n_terms, self.settings.limits, sizes)
            rows = documents._replace(counts=counts[in_fold]).rows_of(learned.terms)
            weights = weigh_counts(rows.matrix(), training.scheme, learned.fitted.idf)
            for part in blocks(len(in_fold), learned.fitted.scorer.n_outputs):
                scores = learned.fitted.scorer.scores(CSR.of(weights.matrix()[part]), training.plan.n_jobs)
                held_out.add(in_fold[part], scores)
        return held_out


def _rounded(sizes: ClassSizes) -> ClassSizes:
    """Return sizes as integers, as a model file stores them.

    A class that is not empty gets at least one document. All documents are at least as many as their classes need,
    which rounding alone does not ensure: the sum of the class sizes, or in multilabel documents the largest class.
    """
    if sizes.class_docs.dtype.kind != "f" and not isinstance(sizes.n_documents, float):
        return sizes
    class_docs = np.where(sizes.class_docs > 0, np.maximum(np.rint(sizes.class_docs), 1), 0).astype(np.int64)
    n_unlabelled = round(sizes.n_unlabelled)
    n_labelled = int(class_docs.max(initial=0) if sizes.multilabel else class_docs.sum())  # at least so many
    n_documents = max(round(sizes.n_documents), n_labelled + n_unlabelled)
    return replace(sizes, class_docs=class_docs, n_documents=n_documents, n_unlabelled=n_unlabelled)


# -- labels, which may be new classes ----------------------------------------------------------------------------


def new_targets(model: Model, labels: Any, n_documents: int) -> Targets:
    """Return the labels of new documents, in any form that `fit` takes; they may be new classes."""
    targets = Targets.of(labels, n_documents, model.multilabel)
    if targets.has_label_matrix and len(targets.classes) < len(model.classes):
        raise InputError(
            f"The matrix of labels has {len(targets.classes):,} columns, and the model {len(model.classes):,} classes",
            hint="give a column for each class",
        )
    return replace(targets, has_label_matrix=model.has_label_matrix or targets.has_label_matrix)


def new_target_sets(model: Model, label_sets: Sequence[Iterable[Any]], *, no_label_is_valid: bool = False) -> Targets:
    """Return the labels of new documents, given as a sequence for each document; they may be new classes.

    For documents without a label and `no_label_is_valid`, see `updating.encode_label_sets`.
    """
    members: dict[Any, list[int]] = {}
    for document, labels in enumerate(label_sets):
        for label in labels:
            members.setdefault(label, []).append(document)
    classes = sorted_classes(members) if members else ()
    return Targets(
        classes,
        tuple(np.array(members[label], np.int64) for label in classes),
        len(label_sets),
        multilabel=model.multilabel,
        has_label_matrix=model.has_label_matrix or (model.multilabel and no_label_is_valid),
    )
