"""Train a model from documents: count, select, weigh, fit, tune, measure, assemble.

Documents in memory, or a corpus whose counts fit into memory, take one pass. A larger corpus takes two or three: one
for the vocabulary and the statistics (one more for a selector that reads weights, because the idf must be known first),
and one for the rows of the selected terms, which are kept or learned from as they come. Tuning then uses a sample.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..categorizer_settings import Limits, Settings
from ..corpus import Corpus
from ..errors import InputError, Setting, TooFewDocuments, UnfitDocuments, shown
from ..evaluation import CurvePoint, Report, compare_labels, held_out, smallest_within_one_error
from ..evaluation.calibration import Calibration
from ..evaluation.thresholds import ThresholdRule
from ..prediction import Model
from ..settings import is_whole, n_threads
from ..text.counter import TermCounter
from ..text.languages import is_english
from ..text.preparation import Preparation
from ..text.reading import matchable_stop_words
from ..text.words import stop_words_of
from ..warning import warn
from .counted_documents import (
    CountedDocuments,
    Progress,
    StreamedDocuments,
    columns_in_order,
    count_corpus,
    count_texts,
)
from .plan import Fitted, SelectedTerms, TrainingPlan
from .provenance import measures_of, provenance, storable
from .statistics import Statistics, require_incremental, require_integer_counts
from .targets import ClassSizes
from .tuning import Tuning, assign, of_some_documents, parted


class Choices(NamedTuple):
    """What was tuned on held-out documents."""

    most: int | None
    curve: list[CurvePoint] | None
    cut: ThresholdRule | None
    calibration: Calibration | None


class Clock:
    """Measures the seconds of each stage, and reports when a stage begins."""

    def __init__(self, progress: Progress) -> None:
        self.seconds: dict[str, float] = {}
        self._progress = progress

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Measure a stage."""
        self._progress(stage, 0, None)
        begin = time.perf_counter()
        self.seconds.setdefault(stage, 0.0)
        try:
            yield
        finally:
            self.seconds[stage] += time.perf_counter() - begin


class Trained(NamedTuple):
    """A model, and the seconds of each stage, which are not stored with it so that the same input gives the same
    file.
    """

    model: Model
    seconds: dict[str, float]
    statistics: Statistics | None
    """What later documents can be added to, if it was to be kept."""


def train(settings: Settings, documents: Any, labels: Any, progress: Progress, sample_weight: Any = None) -> Trained:
    """Train a model."""
    training = Training(settings, progress)
    return Trained(training.run(documents, labels, sample_weight), training.seconds, training.statistics)


def check_settings(settings: Settings) -> None:
    """Raise `InputError` for invalid settings, without reading a document."""
    Training(settings, lambda *_: None)


def model_of(
    settings: Settings,
    counted: CountedDocuments,
    best: SelectedTerms,
    fitted: Fitted,
    cut: ThresholdRule | None,
) -> Model:
    """Return the model for steps of training that were run separately, for comparisons."""
    terms = [counted.terms[column] for column in best.columns.tolist()]
    seen = {"n_terms_seen": len(counted.columns_within_limits), "n_tuned_on": None, "held_out": None}
    training = Training(settings, lambda *_: None)
    return training.model(
        counted.targets.sizes_for_file, terms, fitted, Choices(None, None, cut, None), seen, best.found
    )


class Training:
    """The steps of training. Other engines, such as Spark, run them in their own way."""

    def __init__(self, settings: Settings, progress: Progress) -> None:
        self._settings, self._progress = settings, progress
        self._n_jobs = n_threads(settings.n_jobs)
        self.plan = TrainingPlan.of(settings, self._n_jobs)
        self.clock = Clock(progress)
        self.statistics: Statistics | None = None
        require_incremental(settings, self.plan)
        _stop_words(settings)
        reading = self.counter(**settings.limits).validated_reading()
        if not (settings.stop_words is None or isinstance(settings.stop_words, str)):
            self._settings = replace(settings, stop_words=matchable_stop_words(settings.stop_words, reading))

    @property
    def seconds(self) -> dict[str, float]:
        """Return the seconds of each stage."""
        return self.clock.seconds

    def run(self, documents: Any, labels: Any, sample_weight: Any = None) -> Model:
        """Count, tune, select, train, and assemble the model."""
        naming = documents.naming if isinstance(documents, Corpus) else nullcontext
        with naming():
            with self.clock("counting"):
                counted = self._count(documents, labels, sample_weight)
            targets = counted.targets
            require_classes(targets.sizes)
            n_terms = counted.n_terms
        with naming(TooFewDocuments), naming(UnfitDocuments):  # all other errors from here on concern a setting
            self.warn_of_fewer_terms(n_terms)
            seen = {"n_terms_seen": n_terms, "n_tuned_on": counted.n_tuned_on, "held_out": self.measure(counted.sample)}
            choices = self.choose(counted.sample, n_terms)
            with self.clock("selecting"):
                selected = self.plan.select(counted, choices.most)
                chosen = counted.select(selected.columns)
                del counted
            with self.clock("training"):
                fitted = self.plan.fit(chosen, keep_stats=bool(self._settings.keep_stats))
            return self.model(targets.sizes_for_file, chosen.terms, fitted, choices, seen, selected.found)

    def warn_of_fewer_terms(self, n_seen: int) -> None:
        """Warn if there are fewer terms than `n_terms`."""
        n_terms = self._settings.n_terms
        if is_whole(n_terms) and n_terms > n_seen:
            warn((Setting("n_terms", n_terms), f", but there are {n_seen:,} terms; all of them are kept."))

    # -- counting ------------------------------------------------------------------------------------------------

    def _count(self, documents: Any, labels: Any, sample_weight: Any) -> CountedDocuments | StreamedDocuments:
        limits, multilabel = self._settings.limits, self._settings.multilabel
        if sample_weight is not None or not isinstance(documents, Corpus):
            if sample_weight is not None:
                self.plan.require_weights()
            given = documents, labels, self.counter(), limits
            counted = count_texts(*given, multilabel=multilabel, sample_weight=sample_weight)
            if self._settings.keep_stats:
                require_integer_counts(counted.targets)
            return counted
        if labels is not None:
            raise InputError("A corpus brings its own labels; leave labels out.")
        return count_corpus(
            *(documents, self.counter(), limits),
            multilabel=multilabel,
            want_stats=self.plan.reads_counts,
            progress=self._progress,
        )

    @property
    def limits(self) -> Limits:
        """Return the limits on the number of documents with a term."""
        return self._settings.limits

    def counter(self, **more: Any) -> TermCounter:
        """Return the counter of terms."""
        return TermCounter(**self._settings.reading, **more, dtype=np.int32, n_jobs=self._n_jobs)

    # -- what is decided on held-out documents -------------------------------------------------------------------

    def needs_documents(self, sizes: ClassSizes) -> bool:
        """Return whether something is tuned or measured on held-out documents."""
        settings = self._settings
        cut_is_fitted = sizes.multilabel and self.plan.cut.known(len(sizes.classes)) is None
        is_measured = settings.held_out is not None or settings.probabilities is not None
        return cut_is_fitted or settings.n_terms == "auto" or is_measured

    def choose_without(self, sizes: ClassSizes, n_seen: int) -> Choices:
        """Return the choices that need no documents."""
        cut = self.plan.cut.known(len(sizes.classes)) if sizes.multilabel else None
        return Choices(self.plan.most_terms(self._settings.n_terms, n_seen), None, cut, None)

    def measure(self, sample: CountedDocuments) -> dict[str, Any] | None:
        """Measure a model of some documents on the others, if `held_out` is set."""
        if self._settings.held_out is None:
            return None
        with self.clock("held out"):
            report = self._evaluate(sample, self._settings.held_out)
            return measures_of(report, sample.targets.count(sample.targets.usable))

    def choose(self, counted: CountedDocuments, n_seen: int) -> Choices:
        """Tune the number of terms, thresholds and probabilities on these documents; `n_seen` is the number of terms
        in all.
        """
        n_terms, curve, cut, calibration = self._settings.n_terms, None, None, None
        tuning = Tuning(counted, self.plan, self._settings.folds, self._progress)
        if isinstance(n_terms, str) and n_terms == "auto":
            with self.clock("choosing the number of terms"):
                found = tuning.curve(counted.n_terms)
            curve = found.points
            n_terms = found.limits[smallest_within_one_error(curve)]
        most = self.plan.most_terms(n_terms, n_seen)
        method = self._settings.probabilities
        multilabel = counted.targets.multilabel
        if multilabel:
            cut = self.plan.cut.known(len(counted.targets.classes))
        if (multilabel and cut is None) or method is not None:
            with self.clock("scoring held-out documents"):
                scores = tuning.held_out_scores(most)
                if multilabel:
                    cut = self.plan.cut.fit_held_out(scores)
                calibration = None if method is None else Calibration.fit_held_out(method, scores)
        return Choices(most, curve, cut, calibration)

    def _evaluate(self, counted: CountedDocuments, share: float) -> Report:
        """Train on a part of the documents exactly as on all of them, and evaluate on the rest."""
        targets = counted.targets
        labelled = np.flatnonzero(targets.usable)
        is_test = np.zeros(targets.n_documents, np.bool_)
        is_test[labelled] = held_out(targets.first[labelled].tolist(), share)
        if not is_test.any():
            raise TooFewDocuments(
                f"{targets.n_documents:,} documents are too few to hold some of them out",
                setting="held_out",
                value=share,
                hint="give more documents, or hold none out",
            )
        train, test = parted(counted, is_test)
        another = Training(replace(self._settings, keep_stats=False), self._progress)
        choices = another.choose(train, train.n_terms)
        with of_some_documents():
            with another.clock("selecting"):
                selected = another.plan.select(train, choices.most)
            fitted = another.plan.fit(train.select(selected.columns))
        predicted = assign(self.plan, fitted, columns_in_order(test.counts, selected.columns), choices.cut)
        return compare_labels(
            *(targets.classes, test.targets.label_sets(), predicted.label_sets(targets.classes)),
            multilabel=targets.multilabel,
            none_is_right=targets.label_matrix,
            unknown=test.targets.count(predicted.is_unknown),
            times=test.targets.times,
        )

    # -- the model -----------------------------------------------------------------------------------------------

    def model(
        self,
        sizes: ClassSizes,
        terms: list[str],
        fitted: Fitted,
        choices: Choices,
        seen: dict[str, Any],
        found: dict[str, Any],
    ) -> Model:
        """Assemble the model."""
        self.statistics = fitted.statistics
        settings, curve = self._settings, choices.curve
        return Model(
            terms=tuple(terms),
            classes=sizes.classes,
            class_docs=tuple(sizes.class_docs.tolist()),
            multilabel=sizes.multilabel,
            label_matrix=sizes.label_matrix,
            lowercase=bool(settings.lowercase),
            strip_accents=settings.strip_accents,
            stop_words="english" if is_english(settings.stop_words) else _stop_words(settings),
            ngram_range=(settings.ngram_range[0], settings.ngram_range[1]),
            tf=self.plan.scheme.tf,
            norm=self.plan.scheme.norm,
            idf=None if self.plan.scheme.idf == "none" else fitted.idf,
            scorer=fitted.scorer,
            thresholds=None if choices.cut is None else choices.cut.thresholds,
            ranks=None if choices.cut is None else choices.cut.ranks,
            calibration=choices.calibration,
            preparation=Preparation.of(settings.as_dict()).checked(),
            fallback=None if fitted.fallback == int(np.argmax(sizes.class_docs)) else fitted.fallback,
            settings=storable(settings.as_dict()),
            about={
                **provenance(settings.normalise),
                "n_documents": sizes.n_documents,
                "n_unlabelled": sizes.n_unlabelled,
                **seen,
                "curve": None if curve is None else [list(point) for point in curve],
                **found,
            },
        )


def _stop_words(settings: Settings) -> frozenset[str]:
    return stop_words_of(settings.stop_words, settings.strip_accents, lowercase=settings.lowercase)


def require_classes(sizes: ClassSizes) -> None:
    """Raise `InputError` for labels from which nothing can be learned."""
    if sizes.can_be_learned.any():
        return
    present = [label for label, size in zip(sizes.classes, sizes.class_docs, strict=True) if size]
    if not present:
        raise InputError(
            "No document has a label, so there is nothing to learn. In a folder, sub-folders are the classes; in a "
            "table, say which column has the labels."
        )
    if len(present) > 1:
        raise InputError(
            f"All documents have the same labels, {shown(present)}, so there is nothing to tell apart; give documents "
            "of other classes too."
        )
    n_without = sizes.n_documents - sizes.class_docs.sum().item()
    raise InputError(
        f"Only one class, {present[0]!r}, so there is nothing to tell apart; give documents of at least two classes."
        + (f" ({n_without:,} documents have no label.)" if n_without else "")
    )
