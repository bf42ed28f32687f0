"""From documents to a model: count, choose the terms, weigh, train.

Documents in memory, or a corpus whose counts fit into memory, are gone through once. A larger corpus takes two or
three passes: one for the vocabulary and the statistics (for a selector that reads weights one more, because the idf
must be known first), and one in which only the selected terms are kept as rows, or learned from as they come. What is
tuned on held-out documents is then tuned on a sample.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..corpus import Corpus
from ..errors import InputError, TooFewDocuments, UnfitDocuments, shown
from ..evaluation import CurvePoint, Report, compare_labels, held_out, smallest_within_one_error
from ..evaluation.calibration import METHODS, Calibration
from ..evaluation.cuts import Rule
from ..memory import give_back
from ..prediction import Model
from ..settings import is_whole, n_threads
from ..text.counter import TermCounter
from ..text.languages import is_english
from ..text.preparation import SETTINGS, Preparation
from ..text.stopping import that_can_match
from ..text.words import stop_words_of
from .documents import (
    Counted,
    Limits,
    Progress,
    Streamed,
    columns_in_order,
    count_corpus,
    count_texts,
    stacked,
    weighted_batches,
    weighted_documents,
    weighted_stats,
)
from .keeping import measures_of, storable, when_and_with_what
from .recipe import Fitted, Kept, Recipe
from .statistics import Statistics, require_incremental, require_integer_counts
from .targets import Sizes
from .tuning import Tuning, assign, of_some_documents, parted
from .unknown import Unknown

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Choices(NamedTuple):
    """What was decided on documents that were held out."""

    most: int | None
    curve: list[CurvePoint] | None
    cut: Rule | None
    calibration: Calibration | None


class Clock:
    """Seconds by stage, in the order in which the stages began; whoever watches is told when one begins."""

    def __init__(self, progress: Progress) -> None:
        self.seconds: dict[str, float] = {}
        self._progress = progress

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Time a stage."""
        self._progress(stage, 0, None)
        begin = time.perf_counter()
        self.seconds.setdefault(stage, 0.0)
        try:
            yield
        finally:
            self.seconds[stage] += time.perf_counter() - begin


class Trained(NamedTuple):
    """A model, and how long each stage took, which is not kept with it: from the same input comes the same file."""

    model: Model
    seconds: dict[str, float]
    statistics: Statistics | None
    """What later documents can be added to, if it was to be kept."""


def train(
    settings: Mapping[str, Any], documents: Any, labels: Any, progress: Progress, sample_weight: Any = None
) -> Trained:
    """Train a model as the settings of a `Categorizer` say."""
    training = Training(settings, progress)
    return Trained(training.run(documents, labels, sample_weight), training.seconds, training.statistics)


def check_settings(settings: Mapping[str, Any]) -> None:
    """Refuse settings that mean nothing for any documents, without having read one."""
    Training(settings, lambda *_: None)


def model_of(settings: Mapping[str, Any], counted: Counted, best: Kept, fitted: Fitted, cut: Rule | None) -> Model:
    """The model that training comes to, for experiments that have gone through its steps on their own."""
    terms = [counted.terms[column] for column in best.columns.tolist()]
    seen = {"n_terms_seen": len(counted.columns_within_limits), "n_tuned_on": None, "held_out": None}
    training = Training(settings, lambda *_: None)
    return training.model(
        counted.targets.sizes_for_file, terms, fitted, Choices(None, None, cut, None), seen, best.found
    )


class Training:
    """The steps of training; another engine than this machine goes through them in its own way."""

    def __init__(self, settings: Mapping[str, Any], progress: Progress) -> None:
        self._settings, self._progress = settings, progress
        self._n_jobs = n_threads(settings["n_jobs"])
        self.recipe = Recipe.of(settings, self._n_jobs)
        self.clock = Clock(progress)
        self.statistics: Statistics | None = None
        require_incremental(settings, self.recipe)
        _check(settings)
        reading = self.counter(**self.limits)._validated()
        if not (settings["stop_words"] is None or isinstance(settings["stop_words"], str)):
            self._settings = {**settings, "stop_words": that_can_match(settings["stop_words"], reading)}

    @property
    def seconds(self) -> dict[str, float]:
        """How long each stage took."""
        return self.clock.seconds

    def run(self, documents: Any, labels: Any, sample_weight: Any = None) -> Model:
        naming = documents.naming if isinstance(documents, Corpus) else nullcontext
        with naming():
            with self.clock("counting"):
                counted = self._count(documents, labels, sample_weight)
            require_classes(counted.targets.sizes)
            n_terms_seen = len(counted.terms if isinstance(counted, Streamed) else counted.columns_within_limits)
        with naming(TooFewDocuments), naming(UnfitDocuments):  # what else is wrong from here on, is so with a setting
            return self._run(documents, counted, n_terms_seen)

    def _run(self, documents: Any, counted: Counted | Streamed, n_terms_seen: int) -> Model:
        targets = counted.targets
        sample = counted.sample if isinstance(counted, Streamed) else counted
        self.warn_of_fewer_terms(n_terms_seen)
        n_tuned_on = sample.targets.n_documents if isinstance(counted, Streamed) else None
        measured = self.measure(sample)
        choices = self.choose(sample, n_terms_seen)
        del sample
        if isinstance(counted, Streamed):
            terms, found, fitted = self._learn_streamed(documents, counted, choices)
        else:
            best, fitted = self._learn(counted, choices)
            terms, found = [counted.terms[column] for column in best.columns.tolist()], best.found
        seen = {"n_terms_seen": n_terms_seen, "n_tuned_on": n_tuned_on, "held_out": measured}
        return self.model(targets.sizes_for_file, terms, fitted, choices, seen, found)

    def warn_of_fewer_terms(self, n_seen: int, depth: int = 6) -> None:
        """Say so if there are fewer terms than were asked for, where Categorizer.fit was called."""
        n_terms = self._settings["n_terms"]
        if is_whole(n_terms) and n_terms > n_seen:
            message = f"n_terms={n_terms:,} terms were asked for, but there are {n_seen:,}: all are kept."
            warnings.warn(message, stacklevel=depth)

    # -- counting ------------------------------------------------------------------------------------------------

    def _count(self, documents: Any, labels: Any, sample_weight: Any) -> Counted | Streamed:
        limits, multilabel = self.limits, self._settings["multilabel"]
        if sample_weight is not None or not isinstance(documents, Corpus):
            if sample_weight is not None:
                self.recipe.require_weights()
            given = documents, labels, self.counter(), limits
            counted = count_texts(*given, multilabel=multilabel, sample_weight=sample_weight)
            if self._settings["keep_stats"]:
                require_integer_counts(counted.targets)
            return counted
        if labels is not None:
            raise InputError("A corpus brings its own labels; leave labels out.")
        return count_corpus(
            *(documents, self.counter(), limits),
            multilabel=multilabel,
            want_stats=self.recipe.reads_counts,
            progress=self._progress,
        )

    @property
    def limits(self) -> Limits:
        return {"min_df": self._settings["min_df"], "max_df": self._settings["max_df"]}

    def counter(self, **more: Any) -> TermCounter:
        names = ("lowercase", "strip_accents", "stop_words", "ngram_range", *SETTINGS)
        reading = {name: self._settings[name] for name in names}
        return TermCounter(**reading, **more, dtype=np.int32, n_jobs=self._n_jobs)

    # -- what is decided on held-out documents -------------------------------------------------------------------

    def needs_documents(self, sizes: Sizes) -> bool:
        """Whether something is decided or measured on documents that are held out."""
        settings = self._settings
        cut_is_fitted = sizes.several and self.recipe.cut.known(len(sizes.classes)) is None
        return (
            cut_is_fitted
            or settings["n_terms"] == "auto"
            or any(settings[name] is not None for name in ("held_out", "probabilities"))
        )

    def choose_without(self, sizes: Sizes, n_seen: int) -> Choices:
        """Decide, where no documents are needed for it."""
        cut = self.recipe.cut.known(len(sizes.classes)) if sizes.several else None
        return Choices(self.recipe.most_terms(self._settings["n_terms"], n_seen), None, cut, None)

    def measure(self, sample: Counted) -> dict[str, Any] | None:
        """How good a model of some of the documents is on the others, if that is asked for."""
        if self._settings["held_out"] is None:
            return None
        with self.clock("held out"):
            report = self._evaluate(sample, self._settings["held_out"])
            return measures_of(report, sample.targets.count(sample.targets.usable))

    def choose(self, counted: Counted, n_seen: int) -> Choices:
        """Decide, by these documents, for all of which have this number of terms."""
        n_terms, curve, cut, calibration = self._settings["n_terms"], None, None, None
        tuning = Tuning(counted, self.recipe, self._settings["folds"], self._progress)
        if isinstance(n_terms, str) and n_terms == "auto":
            with self.clock("choosing the number of terms"):
                found = tuning.curve(len(counted.columns_within_limits))
            curve = found.points
            n_terms = found.limits[smallest_within_one_error(curve)]
        most = self.recipe.most_terms(n_terms, n_seen)
        method = self._settings["probabilities"]
        several = counted.targets.several
        if several:
            cut = self.recipe.cut.known(len(counted.targets.classes))
        if (several and cut is None) or method is not None:
            with self.clock("scoring held-out documents"):
                scores = tuning.held_out_scores(most)
                if several:
                    cut = self.recipe.cut.fit_held_out(scores)
                calibration = None if method is None else Calibration.fit_held_out(method, scores)
        return Choices(most, curve, cut, calibration)

    def _evaluate(self, counted: Counted, share: float) -> Report:
        """Train on a part of the documents just as on all of them, and see how good that is on the rest."""
        targets = counted.targets
        labelled = np.flatnonzero(targets.usable)
        is_test = np.zeros(targets.n_documents, np.bool_)
        is_test[labelled] = held_out(targets.first[labelled].tolist(), share)
        if not is_test.any():
            raise TooFewDocuments(
                f"held_out={share!r}: {targets.n_documents:,} documents are too few to hold some of them out; give "
                "more documents, or hold none out."
            )
        train, test = parted(counted, is_test)
        another = Training({**self._settings, "keep_stats": False}, self._progress)
        choices = another.choose(train, len(train.columns_within_limits))
        with of_some_documents():
            best, fitted = another._learn(train, choices)
        predicted = assign(self.recipe, fitted, columns_in_order(test.counts, best.columns), choices.cut)
        return compare_labels(
            *(targets.classes, test.targets.label_sets(), predicted.label_sets(targets.classes)),
            several=targets.several,
            none_is_right=targets.form == "matrix",
            unknown=test.targets.count(predicted.is_unknown),
            times=test.targets.times,
        )

    # -- the model -----------------------------------------------------------------------------------------------

    def _learn(self, counted: Counted, choices: Choices) -> tuple[Kept, Fitted]:
        with self.clock("selecting"):
            best = self.recipe.rank(counted, choices.most)
            chosen = columns_in_order(counted.counts, best.columns)
        with self.clock("training"):
            return best, self.recipe.fit_counts(chosen, counted.targets, keep_stats=self._settings["keep_stats"])

    def _learn_streamed(
        self, corpus: Corpus, streamed: Streamed, choices: Choices
    ) -> tuple[list[str], dict[str, Any], Fitted]:
        recipe = self.recipe
        with self.clock("selecting"):
            read_again = corpus, streamed, self.counter(vocabulary=streamed.terms), recipe.selection, self._progress
            stats = weighted_stats(*read_again) if streamed.stats is None else streamed.stats
            best = recipe.rank_stats(stats, choices.most, partial(weighted_documents, *read_again))
            del stats, read_again
            chosen = streamed.reduced(best.columns)
            give_back()
        with self.clock("training"):
            idf = recipe.idf_of(chosen.doc_freq, streamed.targets.n_documents)
            counter = self.counter(vocabulary=chosen.terms)
            unknown = Unknown(streamed.targets)
            batches = unknown.among(
                weighted_batches(corpus, counter, recipe.scheme, idf, chosen, recipe.dtype, self._progress)
            )
            if self._settings["keep_stats"]:
                fitted = recipe.fit_kept(batches, streamed.targets, idf, lambda: unknown.without)
                return chosen.terms, best.found, fitted
            if recipe.learns_from_stats:
                scorer = recipe.fit_batches(batches, streamed.targets)
            else:
                scorer = recipe.fit_weights(stacked(batches, chosen), streamed.targets)
            return chosen.terms, best.found, Fitted(scorer, idf, unknown.fallback)

    def model(
        self,
        sizes: Sizes,
        terms: list[str],
        fitted: Fitted,
        choices: Choices,
        seen: dict[str, Any],
        found: dict[str, Any],
    ) -> Model:
        """Put together what was learned."""
        self.statistics = fitted.statistics
        settings, curve = self._settings, choices.curve
        stop_words = settings["stop_words"]
        return Model(
            terms=tuple(terms),
            classes=sizes.classes,
            class_docs=tuple(sizes.class_docs.tolist()),
            labels=sizes.form,
            lowercase=bool(settings["lowercase"]),
            strip_accents=settings["strip_accents"],
            stop_words="english" if is_english(stop_words) else _stop_words(settings),
            ngram_range=tuple(settings["ngram_range"]),
            tf=self.recipe.scheme.tf,
            norm=self.recipe.scheme.norm,
            idf=None if self.recipe.scheme.idf == "none" else fitted.idf,
            scorer=fitted.scorer,
            thresholds=None if choices.cut is None else choices.cut.thresholds,
            ranks=None if choices.cut is None else choices.cut.ranks,
            calibration=choices.calibration,
            preparation=Preparation.of(settings).checked(),
            fallback=None if fitted.fallback == int(np.argmax(sizes.class_docs)) else fitted.fallback,
            settings=storable(settings),
            about={
                **when_and_with_what(settings["normalise"]),
                "n_documents": sizes.n_documents,
                "n_unlabelled": sizes.n_unlabelled,
                **seen,
                "curve": None if curve is None else [list(point) for point in curve],
                **found,
            },
        )


def _check(settings: Mapping[str, Any]) -> None:
    share, n_folds, method = settings["held_out"], settings["folds"], settings["probabilities"]
    if method is not None and not (isinstance(method, str) and method in METHODS):
        raise InputError(f"probabilities={shown(method)}; use one of {', '.join(map(repr, METHODS))}, or None.")
    if share is not None and (isinstance(share, bool) or not (isinstance(share, float | int) and 0 < share < 1)):
        raise InputError(f"held_out={share!r}; use a share of the documents above 0 and below 1, or None.")
    _stop_words(settings)
    if not (is_whole(n_folds) and n_folds >= 2):
        raise InputError(f"folds={n_folds!r}; use a number from 2.")


def _stop_words(settings: Mapping[str, Any]) -> frozenset[str]:
    return stop_words_of(settings["stop_words"], settings["strip_accents"], lowercase=settings["lowercase"])


def require_classes(sizes: Sizes) -> None:
    """Refuse labels from which nothing can be learned."""
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
