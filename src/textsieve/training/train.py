"""Train a model from documents: count, measure, tune, select, weigh, fit, assemble.

The texts are read once, to count their terms. If the counts of a corpus don't fit into memory, they are written to a
temporary file, and measuring and tuning use a sample of the documents. Later steps read the counts from this file:

- the statistics of weights, if the selector reads weights: they need the idf, which is only known after counting;
- a selector that needs the documents themselves (`ForwardSelection`, `WeightSelection`; in a `Cascade`, each such
  stage);
- training, which needs the weights of the selected terms.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..categorizer_settings import Limits, Settings, is_auto
from ..classifiers.sparse_linear import SparseLinearScorer
from ..corpus import Batch, Corpus
from ..errors import InputError, Setting, TooFewDocuments, UnfitDocuments, shown, warn
from ..evaluation import CurvePoint, Report, compare_labels, held_out, smallest_within_one_error
from ..evaluation.calibration import Calibration, JointCalibration
from ..evaluation.thresholds import ThresholdRule
from ..prediction import Model
from ..settings import as_bytes, is_whole, n_threads
from ..text.counter import TermCounter
from ..text.languages import is_english
from ..text.preparation import Preparation
from ..text.stop_words import matchable_stop_words, stop_words_of
from ..text.tokens import ScriptSample
from .counted_documents import (
    CountedDocuments,
    Progress,
    StreamedDocuments,
    count_corpus,
    count_texts,
    take_columns,
)
from .forgetting import moment_of
from .full_statistics import CollectionStats, FullStatistics, collection_of, learn_collection, weigh_collection
from .plan import FittedClassifier, SelectedTerms, TrainingPlan
from .provenance import measures_as_json, provenance, settings_as_json
from .sieving import SieveLimits, smallest_share
from .statistics import Statistics, require_integer_counts, require_updatable
from .targets import ClassSizes, weighted_texts
from .tuning import (
    Tuning,
    calibrate,
    ignore_indistinguishable_classes,
    method_of,
    predict_labels,
    split_documents,
)


class TuningResult(NamedTuple):
    """The values that tuning on held-out documents gave, or that the settings give without tuning."""

    max_terms: int | None
    """The maximum number of terms, or None if the selector decides."""
    curve: list[CurvePoint] | None
    """The score by number of terms, if the number was tuned."""
    threshold_rule: ThresholdRule | None
    """How scores become labels, if the documents are multilabel."""
    calibration: Calibration | JointCalibration | None
    """How scores become probabilities, if the settings ask for them."""
    confidence: dict[str, Any] | None = None
    """How many labels of held-out documents are certain, and how many of these are right, with probabilities."""
    sieve: SieveLimits | None = None
    """The limits on the coefficients that are kept, if some are dropped."""
    sieve_curve: dict[float, list[float]] | None = None
    """The scores of the folds by share of the coefficients, if the share was tuned."""


ROOM_FOR_NUMBERS = 600
"""Bytes reserved for what the file of a model with terms has besides these, their coefficients and idf, and the file of
a model without terms lacks: names of arrays, and digits of larger numbers in the header."""


class Clock:
    """Measures the seconds of each stage, and reports when a stage begins."""

    def __init__(self, progress: Progress) -> None:
        """Start without stages; `progress` is called when one begins."""
        self.seconds: dict[str, float] = {}
        self._progress = progress

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Report that a stage begins, and add the duration of the `with` block to the seconds of the stage."""
        self._progress(stage, 0, None)
        begin = time.perf_counter()
        self.seconds.setdefault(stage, 0.0)
        try:
            yield
        finally:
            self.seconds[stage] += time.perf_counter() - begin


class TrainingResult(NamedTuple):
    """A trained model, and results of its training that are not part of it."""

    model: Model
    seconds: dict[str, float]
    """The duration of each stage. A model does not store it, so that the same input gives the same file."""
    statistics: Statistics | FullStatistics | None
    """The statistics to which `update` adds documents, with `keep_stats`."""


PLACEHOLDER_TIME = "2000-01-01T00:00:00+00:00"
"""Stands for the time of training when the size of a model's file is measured."""

SHORT_TEXT = 600
"""Texts with at most this many characters on average are short."""

MAX_SHORT_TEXTS, MAX_CHARACTERS_OF_SHORT_TEXTS = 500_000, 5_000_000
"""The most texts, and the most characters in all of them, for which n-grams are counted; more would take minutes."""

SizeOf = Callable[[Model], int]
"""A function that returns the size of a model's file in bytes.

Callers pass it, because this package can't import `modelfile`, which writes files.
"""


def train(
    settings: Settings,
    documents: Any,
    labels: Any,
    progress: Progress,
    sample_weight: Any = None,
    *,
    size_of: SizeOf | None = None,
    when: Any = None,
) -> TrainingResult:
    """Train a model on texts and labels, or on a `Corpus`, which has its own labels.

    `size_of` is only needed for the setting `max_size`. `when` is the time of the documents, from which a model with
    `keep_stats="all"` later computes how much to forget (`forgetting`).
    """
    training = Training(settings, progress, size_of, when=when)
    return TrainingResult(training.run(documents, labels, sample_weight), training.seconds, training.statistics)


def are_short(n_texts: float, n_characters: float) -> bool:
    """Return whether texts with this many characters in total are short, and few enough for n-grams of characters.

    A short text has few words, and often one that is in no training text; but it shares n-grams with words that are.
    Longer texts gain nothing from n-grams, which take long to train on. docs/research/defaults-terms.md has the
    measurements. The numbers include unlabelled texts, because their n-grams are counted as well.
    """
    are_few = n_texts <= MAX_SHORT_TEXTS and n_characters <= MAX_CHARACTERS_OF_SHORT_TEXTS
    return are_few and 0 < n_characters <= SHORT_TEXT * n_texts


def _add_to_sample(documents: Iterator[Any], sample: ScriptSample) -> Iterator[Any]:
    """Yield the documents unchanged; the sample gets each of them first."""
    for document in documents:
        sample.add([document])
        yield document


def _remove_first_to_last(items: deque[Any]) -> Iterator[Any]:
    """Yield the items and remove each from the deque, so that its memory is free once the caller no longer needs it."""
    while items:
        yield items.popleft()


def check_settings(settings: Settings, when: Any = None) -> None:
    """Raise `InputError` for invalid settings, or an invalid time of training, without reading a document."""
    Training(settings, lambda *_: None, when=when)


def model_from_parts(
    settings: Settings,
    counted: CountedDocuments,
    selected: SelectedTerms,
    fitted: FittedClassifier,
    threshold_rule: ThresholdRule | None,
) -> Model:
    """Return the `Model` of terms and a classifier that a comparison has already selected and fitted."""
    terms = counted.terms.take(selected.columns)
    about = {"n_terms_seen": len(counted.columns_within_limits), "n_tuned_on": None, "held_out": None}
    tuned = TuningResult(max_terms=None, curve=None, threshold_rule=threshold_rule, calibration=None)
    training = Training(replace(settings, probabilities=None), lambda *_: None)
    return training.assemble(counted.targets.sizes_for_file, terms, fitted, tuned, about | selected.details)


class Training:
    """The steps of training. `run` performs all of them; the package `spark` calls some and has others of its own."""

    def __init__(
        self, settings: Settings, progress: Progress, size_of: SizeOf | None = None, *, when: Any = None
    ) -> None:
        """Check the settings; for `size_of` and `when`, see `train`."""
        self._given_settings, self._progress, self._size_of = settings, progress, size_of
        self._n_jobs = n_threads(settings.n_jobs)
        if when is not None and not settings.keeps_all_terms:
            raise InputError(
                "only statistics of all terms have a time",
                setting="when",
                value=when,
                hint=("leave it out, or use ", Setting("keep_stats", "all")),
            )
        self._when = moment_of(when)
        self.clock = Clock(progress)
        self.statistics: Statistics | FullStatistics | None = None
        self._calibration_problem: InputError | None = None
        self.resolve_settings()

    def resolve_settings(self, *, texts_are_short: bool = False) -> None:
        """Replace "auto" in the settings, check them, and create the estimators of the plan."""
        self._settings = settings = self._given_settings.resolve(texts_are_short=texts_are_short)
        plan = TrainingPlan.of(settings, self._n_jobs)
        require_updatable(settings, plan)
        self.scheme = plan.scheme
        """How the model weighs counts. With `keep_stats="all"`, the scheme of `plan` is another one."""
        self.plan = plan.on_collection_weights() if settings.keeps_all_terms else plan
        self._reading = reading = self.counter(**settings.limits).validated_reading()
        """How a text becomes terms."""
        stop_words = settings.stop_words
        if not (stop_words is None or isinstance(stop_words, str)) and reading.reads_stop_words:
            # The user's own list: leave out words that no text can contain.
            self._settings = replace(settings, stop_words=matchable_stop_words(stop_words, reading))

    @property
    def seconds(self) -> dict[str, float]:
        """Return the seconds of each stage."""
        return self.clock.seconds

    def run(self, documents: Any, labels: Any, sample_weight: Any = None) -> Model:
        """Count the documents, measure, tune, select terms, train, and return the model."""
        # For a corpus, `naming` adds its name to errors that are raised in a `with` block: to all, or to some classes.
        naming = documents.naming if isinstance(documents, Corpus) else nullcontext
        with naming():
            with self.clock("counting"):
                counted = self._count(documents, labels, sample_weight)
            # Terms are in alphabetical order, so only the first one can be empty.
            first_terms = counted.terms.take(np.arange(min(1, len(counted.terms))))
            self._require_no_empty_term(first_terms)
            targets = counted.targets
            require_classes(targets.sizes)
            n_terms_seen = counted.n_terms
        with naming(TooFewDocuments), naming(UnfitDocuments):  # other errors from here on concern settings
            self.warn_of_fewer_terms(n_terms_seen)
            self._warn_of_marked_class(targets.sizes)
            sample = counted.sample
            if self._settings.keeps_all_terms:
                sample = replace(sample, counts=weigh_collection(sample.counts, self.scheme))
            held_out = self.measure(sample)
            about = {"n_terms_seen": n_terms_seen, "n_tuned_on": counted.n_tuned_on, "held_out": held_out}
            tuned = self.tune(sample, n_terms_seen)
            del sample
            if self._settings.keeps_all_terms:
                with self.clock("counting"):
                    collection = collection_of(counted, self.scheme)
                    del counted  # its memory is needed for training
                self.statistics = FullStatistics((collection,), self._when, self._own_stop_words)
                model = self.learn(collection, targets.sizes, targets.sizes_for_file, tuned, about)
                self.warn_of_no_probabilities()
                return model
            tuned = self.with_room(tuned, targets.sizes_for_file, about)
            with self.clock("selecting"):
                selected = self.plan.select(counted, tuned.max_terms)
                documents_to_fit = counted.select(selected.columns)
                del counted  # its memory is needed for training
            with self.clock("training"):
                keep_stats = bool(self._settings.keep_stats)
                fitted = self.plan.fit(documents_to_fit, keep_stats=keep_stats, sieve=tuned.sieve)
            self.statistics = fitted.statistics
            self.warn_of_no_probabilities()
            terms = documents_to_fit.terms
            return self.assemble(targets.sizes_for_file, terms, fitted, tuned, about | selected.details)

    def learn(
        self,
        collection: CollectionStats,
        sizes: ClassSizes,
        sizes_for_file: ClassSizes,
        tuned: TuningResult,
        about: dict[str, Any],
    ) -> Model:
        """Select terms and train from the statistics of all terms alone; return the model.

        `sizes` may have fractions of documents, of which a part has been forgotten; `sizes_for_file` has integers. For
        `tuned` and `about`, see `assemble`.
        """
        require_classes(sizes)
        with self.clock("training"):
            learned = learn_collection(self.plan, collection, self._settings.n_terms, self.limits, sizes)
        about = {**about, "n_terms_seen": learned.n_terms_seen, **learned.details}
        return self.assemble(sizes_for_file, learned.terms, learned.fitted, tuned, about)

    @property
    def _own_stop_words(self) -> tuple[str, ...] | None:
        """Return the user's own stop words, sorted; None if there are none, or if they are given by a name."""
        stop_words = self._settings.stop_words
        return None if stop_words is None or isinstance(stop_words, str) else tuple(sorted(stop_words))

    def _require_no_empty_term(self, terms: list[str]) -> None:
        """Raise `InputError` if the token pattern found an empty word, which a model can't store."""
        if "" in terms and self._reading.analysis.function is None:
            raise InputError(
                "it finds words without characters, because it or its group can match the empty string",
                setting="token_pattern",
                value=self._settings.token_pattern,
                hint="require at least one character, with + in place of *",
            )

    def warn_of_fewer_terms(self, n_terms_seen: int) -> None:
        """Warn if the documents have fewer terms than `n_terms`."""
        n_terms = self._settings.n_terms
        if is_whole(n_terms) and n_terms > n_terms_seen:
            warn((Setting("n_terms", n_terms), f", but there are {n_terms_seen:,} terms; all of them are kept."))

    def _warn_of_marked_class(self, sizes: ClassSizes) -> None:
        """Warn if the selector or the projection is told that a label means "no label" which is a class here."""
        for name, estimator in (("selector", self._settings.selector), ("projection", self._settings.projection)):
            parameters = estimator.get_params() if hasattr(estimator, "get_params") else {}  # not of a name
            markers = {value for key, value in parameters.items() if key.rpartition("__")[2] == "unlabelled"}
            for marker in markers - {None}:
                if any(label == marker for label in sizes.classes):
                    warn(
                        f"The {name} has unlabelled={marker!r}, but for a Categorizer the label {marker!r} is a class. "
                        f"Give documents without a label the label None; if {marker!r} is a class, give the {name} "
                        "unlabelled=None."
                    )

    def warn_of_no_probabilities(self) -> None:
        """Warn if probabilities could not be fitted, because training failed with some documents held out.

        Call this after training on all documents: if the reason was a setting, that training raises an error, and no
        warning is needed.
        """
        if self._calibration_problem is not None:
            reason = "because no model could be trained without some of the documents"
            warn(f"The model has no probabilities, {reason}: {self._calibration_problem}")

    # -- counting ------------------------------------------------------------------------------------------------

    def _count(self, documents: Any, labels: Any, sample_weight: Any) -> CountedDocuments | StreamedDocuments:
        """Count texts in memory, or a corpus, with settings that suit their length; warn if words are not separated."""
        script_sample = ScriptSample()
        counted: CountedDocuments | StreamedDocuments
        if isinstance(documents, Corpus) and sample_weight is None:
            counted = self._count_corpus(documents, labels, script_sample)
        else:  # `weighted_texts` raises an error for a corpus with sample weights
            counted = self._count_texts(documents, labels, sample_weight, script_sample)
        self._warn_of_unseparated_words(script_sample)
        return counted

    def _count_texts(
        self, documents: Any, labels: Any, sample_weight: Any, script_sample: ScriptSample
    ) -> CountedDocuments:
        """Count texts in memory, and add them to the sample."""
        if sample_weight is not None:
            self.plan.require_weights()
            # `count_texts` does the same again, and then drops nothing. `_peek_at_texts` needs the weights, too.
            documents, labels, sample_weight = weighted_texts(documents, labels, sample_weight)
        documents = self._peek_at_texts(documents, sample_weight)
        if isinstance(documents, Iterator):  # it can be read only once: by `count_texts`
            documents = _add_to_sample(documents, script_sample)
        counted = count_texts(
            *(documents, labels, self.counter(), self._settings.limits),
            multilabel=self._settings.multilabel,
            sample_weight=sample_weight,
        )
        if self._settings.keep_stats:
            require_integer_counts(counted.targets)
        if not isinstance(documents, Iterator):
            script_sample.add(documents)
        return counted

    def _count_corpus(
        self, corpus: Corpus, labels: Any, script_sample: ScriptSample
    ) -> CountedDocuments | StreamedDocuments:
        """Count the documents of a corpus, and add their texts to the sample; `labels` must be None."""
        if labels is not None:
            raise InputError("A corpus has its own labels", hint="leave labels out")
        first_pass = self._peek_at_corpus(corpus)  # before `counter`, because it may change the settings
        return count_corpus(
            *(corpus, self.counter(), self._settings.limits),
            multilabel=self._settings.multilabel,
            want_stats=self.plan.reads_counts,
            progress=self._progress,
            script_sample=script_sample,
            first_pass=first_pass,
        )

    def _peek_at_texts(self, documents: Any, weights: list[float] | None) -> Any:
        """Find out whether the texts are short, and if so, resolve the settings for short texts.

        Return the texts to count: the given ones, or if these are an iterator, another iterator over the same texts. A
        text of weight 3 counts as three texts.
        """
        is_iterable = isinstance(documents, Iterable) and not isinstance(documents, str | bytes)
        is_data_frame = hasattr(documents, "columns")
        if not is_iterable or is_data_frame:
            return documents  # these are no texts, for which counting raises an error
        if not self._given_settings.short_texts_get_ngrams:
            return documents
        read: deque[Any] = deque()
        n_texts = n_characters = 0.0
        iterator = iter(documents)
        for number, document in enumerate(iterator):
            text = self._reading.text_of(document, number, takes_any=True)
            weight = 1.0 if weights is None else weights[number]
            n_texts += weight
            n_characters += weight * len(text) if isinstance(text, str) else 0
            if iterator is documents:  # `documents` can be read only once
                read.append(document)
            if n_texts > MAX_SHORT_TEXTS or n_characters > MAX_CHARACTERS_OF_SHORT_TEXTS:
                break  # `are_short` is False for so many
        if are_short(n_texts, n_characters):
            self.resolve_settings(texts_are_short=True)
        return chain(_remove_first_to_last(read), iterator) if iterator is documents else documents

    def _peek_at_corpus(self, corpus: Corpus) -> Iterator[Batch]:
        """Find out whether the texts of a corpus are short, and if so, resolve the settings for short texts.

        Return all batches of the corpus, from one pass: first those that were read to find this out, then the others.
        """
        batches = corpus.batches(ahead=True)
        if not self._given_settings.short_texts_get_ngrams:
            return batches
        read: deque[Batch] = deque()
        n_texts = n_characters = 0
        for batch in batches:
            read.append(batch)
            if batch.vectors is not None:
                break
            n_texts += len(batch.texts)
            n_characters += sum(map(len, batch.texts))
            if n_texts > MAX_SHORT_TEXTS or n_characters > MAX_CHARACTERS_OF_SHORT_TEXTS:
                break
        else:  # there was no `break`: all batches have texts, and these are not too many
            if are_short(n_texts, n_characters):
                self.resolve_settings(texts_are_short=True)
        return chain(_remove_first_to_last(read), batches)

    def _warn_of_unseparated_words(self, script_sample: ScriptSample) -> None:
        """Warn if words are split at spaces, but texts have none between words."""
        if self._reading.splits_at_spaces and script_sample.has_unseparated_words:
            warn(
                (
                    "The texts have no spaces between words, as in Chinese, Japanese or Thai, so most terms are whole "
                    "sentences. Use ",
                    Setting("analyzer", "text"),
                    ", which splits them.",
                )
            )

    @property
    def no_terms_reason(self) -> tuple[str | Setting, ...]:
        """Return the end of a message about documents without terms: what these documents lack."""
        return self._reading.no_terms_reason(has_stop_words=self._settings.stop_words is not None)

    @property
    def limits(self) -> Limits:
        """Return the limits on the number of documents with a term."""
        return self._settings.limits

    def counter(self, **more: Any) -> TermCounter:
        """Return a `TermCounter` with the settings of this training, and `more` settings of a `TermCounter`."""
        return TermCounter(**self._settings.reading, **more, dtype=np.int32, n_jobs=self._n_jobs)

    # -- tuning and measuring on held-out documents --------------------------------------------------------------

    def needs_held_out_documents(self, sizes: ClassSizes) -> bool:
        """Return whether something is tuned or measured on held-out documents."""
        settings = self._settings
        tunes_thresholds = sizes.multilabel and self.plan.cut.untuned_rule(len(sizes.classes)) is None
        return (
            tunes_thresholds
            or settings.n_terms == "auto"
            or settings.held_out is not None
            or settings.tolerance is not None
            or method_of(settings.probabilities, multilabel=sizes.multilabel) is not None
        )

    def tune_without_documents(self, sizes: ClassSizes, n_terms_seen: int) -> TuningResult:
        """Return the result of tuning for settings that need no held-out documents.

        `n_terms_seen` is the number of terms in all documents.
        """
        rule = self.plan.cut.untuned_rule(len(sizes.classes)) if sizes.multilabel else None
        max_terms = self.plan.max_terms(self._settings.n_terms, n_terms_seen, len(sizes.classes))
        sieve = SieveLimits() if self._settings.sieves_coefficients else None
        return TuningResult(max_terms, curve=None, threshold_rule=rule, calibration=None, sieve=sieve)

    def with_room(self, tuned: TuningResult, sizes: ClassSizes, about: dict[str, Any]) -> TuningResult:
        """Return the result of tuning with `sieve.max_bytes`: what `max_size` leaves for coefficients, terms and idf.

        To find out how much everything else takes, the size of a model without terms is measured. Without a limit or
        without coefficients to drop, return `tuned` unchanged. `about` has facts that the model records.
        """
        if self._settings.max_size is None or tuned.sieve is None:
            return tuned
        assert self._size_of is not None
        # With one label per document, two classes need only one output, a column of scores.
        n_outputs = 1 if len(sizes.classes) == 2 and not sizes.multilabel else len(sizes.classes)
        scorer = SparseLinearScorer.without_terms(n_outputs, self.plan.sparse_dtype)
        fitted = FittedClassifier(scorer, idf=np.zeros(0), fallback=0, columns=np.zeros(0, np.int64))
        empty = self.assemble(sizes, [], fitted, tuned, about)
        # The file's header is compressed, so its size depends on the time of training in it. The number of coefficients
        # must not, so the time is replaced.
        about = {**empty.about, "trained": PLACEHOLDER_TIME}
        empty = replace(empty, settings=_without_nan(empty.settings), about=about)
        n_without_terms = self._size_of(empty) + ROOM_FOR_NUMBERS
        limit = as_bytes(self._settings.max_size)
        max_bytes = limit - n_without_terms
        if is_auto(self._given_settings.max_size):  # nobody asked for a limit, so it is no reason to fail
            max_bytes = max(max_bytes, limit // 2)
        if max_bytes <= 0:
            raise InputError(
                f"{len(sizes.classes):,} classes, stop words and settings alone take about {n_without_terms:,} bytes",
                setting="max_size",
                value=self._settings.max_size,
                hint="allow a larger model",
            )
        return tuned._replace(sieve=tuned.sieve._replace(max_bytes=max_bytes))

    def measure(self, sample: CountedDocuments) -> dict[str, Any] | None:
        """Train on a part of the documents, and return the quality on the others, as JSON values.

        The setting `held_out` is the share of these others. Without it, return None.
        """
        if self._settings.held_out is None:
            return None
        with self.clock("held out"):
            report = self._evaluate(sample, self._settings.held_out)
            return measures_as_json(report, sample.targets.count(sample.targets.usable))

    def tune(self, sample: CountedDocuments, n_terms_seen: int) -> TuningResult:
        """Tune what the settings leave open on held-out documents of a sample, and return the result.

        This may be the number of terms, the share of the coefficients, thresholds and probabilities. `n_terms_seen` is
        the number of terms in all documents, of which `n_terms` may be a share.
        """
        targets = sample.targets
        tuning = Tuning(sample, self.plan, self._settings.folds, self._progress)
        max_terms, curve = self._tune_terms(tuning, sample, n_terms_seen)
        share = sieve_curve = None
        if self._settings.tolerance is not None:
            with self.clock("choosing the number of coefficients"):
                sieve_curve = tuning.sieve_curve(max_terms)
                share = smallest_share(sieve_curve, self._settings.tolerance)
        sieve = SieveLimits(share) if self._settings.sieves_coefficients else None
        # The models of the folds drop coefficients, too. Their limit is that of a file with thresholds of 0 in place of
        # the tuned ones, and without probabilities, because neither are known yet.
        placeholder_rule = ThresholdRule(np.zeros(len(targets.classes)), None) if targets.multilabel else None
        provisional = TuningResult(max_terms, curve, placeholder_rule, calibration=None, sieve=sieve)
        sieve = self.with_room(provisional, targets.sizes_for_file, {}).sieve
        tuned = TuningResult(max_terms, curve, None, calibration=None, sieve=sieve, sieve_curve=sieve_curve)
        if targets.multilabel:
            return self._tune_multilabel(tuning, tuned, len(targets.classes))
        return self._calibrate(tuning, tuned, int(targets.usable.sum()))

    def _tune_terms(
        self, tuning: Tuning, sample: CountedDocuments, n_terms_seen: int
    ) -> tuple[int | None, list[CurvePoint] | None]:
        """Return the maximum number of terms, and the curve from which it was chosen if `n_terms` is "auto"."""
        n_terms, curve = self._settings.n_terms, None
        if isinstance(n_terms, str) and n_terms == "auto":
            with self.clock("choosing the number of terms"):
                learning_curve = tuning.curve(sample.n_terms)
            curve = learning_curve.points
            n_terms = learning_curve.limits[smallest_within_one_error(curve)]
        return self.plan.max_terms(n_terms, n_terms_seen, len(sample.targets.classes)), curve

    def _calibrate(self, tuning: Tuning, tuned: TuningResult, n_labelled: int) -> TuningResult:
        """Return the result of tuning with probabilities for a model with one label per document.

        If the settings ask for `probabilities="auto"`, and they can't be fitted, there are none (see
        `warn_of_no_probabilities`).
        """
        if method_of(self._settings.probabilities, multilabel=False) is None:
            return tuned
        is_optional = self._settings.probabilities == "auto"
        with self.clock("scoring held-out documents"):
            try:
                calibrated = calibrate(tuning, n_labelled, tuned.max_terms, tuned.sieve, is_optional=is_optional)
            except InputError as problem:
                if not is_optional:
                    raise
                calibrated, self._calibration_problem = None, problem
        return tuned if calibrated is None else tuned._replace(**calibrated._asdict())

    def _tune_multilabel(self, tuning: Tuning, tuned: TuningResult, n_classes: int) -> TuningResult:
        """Return the result of tuning with the threshold rule and the probabilities of a multilabel model."""
        method = method_of(self._settings.probabilities, multilabel=True)
        rule = self.plan.cut.untuned_rule(n_classes)
        if rule is not None and method is None:
            return tuned._replace(threshold_rule=rule)
        with self.clock("scoring held-out documents"):
            scores = tuning.held_out_scores(tuned.max_terms, sieve=tuned.sieve)
            rule = self.plan.cut.fit_held_out(scores)  # the same rule if it needs no tuning
            calibration = None if method is None else Calibration.fit_held_out(method, scores)
        return tuned._replace(threshold_rule=rule, calibration=calibration)

    def _evaluate(self, counted: CountedDocuments, share: float) -> Report:
        """Hold out a share of the documents, train on the others as `run` does on all, and compare labels."""
        targets = counted.targets
        labelled = np.flatnonzero(targets.usable)
        is_test = np.zeros(targets.n_documents, np.bool_)
        is_test[labelled] = held_out(targets.first_class[labelled].tolist(), share)
        if not is_test.any():
            raise TooFewDocuments(
                f"{targets.n_documents:,} documents are too few to hold some of them out",
                setting="held_out",
                value=share,
                hint="give more documents, or hold none out",
            )
        train, test = split_documents(counted, is_test)
        # The inner training has its own clock, so that the seconds of its stages count only for "held out". It gets
        # `max_size` as given: `with_room` treats the limit of "auto" as a wish, and one that the user gives as binding.
        keep_stats = "all" if self._settings.keeps_all_terms else False
        settings = replace(
            self._settings, max_size=self._given_settings.max_size, keep_stats=keep_stats, probabilities=None
        )
        inner = Training(settings, self._progress, self._size_of)
        tuned = inner.tune(train, train.n_terms)
        with ignore_indistinguishable_classes():
            with inner.clock("selecting"):
                selected = inner.plan.select(train, tuned.max_terms)
            fitted = inner.plan.fit(train.select(selected.columns), sieve=tuned.sieve)
        scored_blocks = self.plan.score_blocks(fitted, take_columns(test.counts, selected.columns))
        predicted = predict_labels(scored_blocks, tuned.threshold_rule)
        return compare_labels(
            *(targets.classes, test.targets.label_sets(), predicted.label_sets(targets.classes)),
            multilabel=targets.multilabel,
            no_label_is_valid=targets.has_label_matrix,
            n_unknown=test.targets.count(predicted.is_unknown),
            weights=test.targets.weight_list,
        )

    # -- the model -----------------------------------------------------------------------------------------------

    def assemble(
        self,
        sizes: ClassSizes,
        terms: list[str],
        fitted: FittedClassifier,
        tuned: TuningResult,
        about: dict[str, Any],
    ) -> Model:
        """Return the model of the selected terms and the classifier that was trained on them.

        `about` has facts about the training that the model records. If coefficients were dropped, the model records
        their numbers as well, and has only the terms that have a coefficient left.
        """
        self._require_no_empty_term(terms)  # `run` has checked it before, but Spark has not
        if isinstance(fitted.scorer, SparseLinearScorer):
            about = {**about, "coefficients": _coefficient_facts(fitted.scorer, len(terms), tuned.sieve_curve)}
            terms, fitted = _strongest_first(terms, fitted)
        settings, curve, rule = self._settings, tuned.curve, tuned.threshold_rule
        return Model(
            terms=tuple(terms),
            classes=sizes.classes,
            class_docs=tuple(sizes.class_docs.tolist()),
            multilabel=sizes.multilabel,
            has_label_matrix=sizes.has_label_matrix,
            lowercase=bool(settings.lowercase),
            strip_accents=settings.strip_accents,
            stop_words="english" if is_english(settings.stop_words) else self._stop_words(),
            ngram_range=(settings.ngram_range[0], settings.ngram_range[1]),
            tf=self.scheme.tf,
            norm=self.scheme.norm,
            idf=None if self.scheme.idf == "none" else fitted.idf,
            scorer=fitted.scorer,
            thresholds=None if rule is None else rule.thresholds,
            ranks=None if rule is None else rule.ranks,
            calibration=tuned.calibration,
            preparation=Preparation.of(settings.as_dict()).checked(),
            analysis=self._reading.analysis.effective(),
            preprocessor=None if callable(settings.analyzer) else settings.preprocessor,
            # None stands for the most frequent class.
            fallback=None if fitted.fallback == int(np.argmax(sizes.class_docs)) else fitted.fallback,
            settings=settings_as_json(
                replace(self._given_settings, stop_words=settings.stop_words, selector=settings.selector).as_dict()
            ),
            about={
                **provenance(settings.normalise),
                "n_documents": sizes.n_documents,
                "n_unlabelled": sizes.n_unlabelled,
                **about,
                "curve": None if curve is None else [list(point) for point in curve],
                "confidence": tuned.confidence,
            },
        )

    def _stop_words(self) -> frozenset[str]:
        """Return the stop words: those of a language as texts spell them, those of a user's list as they are.

        `resolve_settings` has left out those of the user's list that can't match, where that can be found out.
        """
        settings, analysis = self._settings, self._reading.analysis
        return stop_words_of(
            settings.stop_words, settings.strip_accents, lowercase=settings.lowercase, analysis=analysis
        )


def _coefficient_facts(
    scorer: SparseLinearScorer, n_selected: int, sieve_curve: dict[float, list[float]] | None
) -> dict[str, Any]:
    """Return what a model records about dropped coefficients: how many were trained and kept, and the tuning curve.

    `n_selected` is the number of selected terms before any of them lost all of its coefficients.
    """
    curve = None
    if sieve_curve is not None:
        curve = [[share, float(np.mean(scores))] for share, scores in sieve_curve.items()]
    return {
        "kept": scorer.n_coefficients,
        "trained": max(n_selected * scorer.n_outputs, 1),  # 1 for the model without terms of `Training.with_room`
        "curve": curve,
    }


def _strongest_first(terms: list[str], fitted: FittedClassifier) -> tuple[list[str], FittedClassifier]:
    """Return those of the selected terms that have a coefficient left, in the order of `strongest_first`.

    The scorer and the idf of the returned classifier are in this order; its `columns` are unchanged.
    """
    assert fitted.columns is not None
    assert isinstance(fitted.scorer, SparseLinearScorer)
    terms = [terms[column] for column in fitted.columns.tolist()]
    order = fitted.scorer.strongest_first(terms)
    fitted = fitted._replace(scorer=fitted.scorer.take(order), idf=fitted.idf[order])
    return [terms[column] for column in order.tolist()], fitted


def _without_nan(settings: Any) -> Any:
    """Return settings as JSON values, with 0 in place of NaN and infinity, which JSON does not have.

    This lets the size of a model without terms be measured. Training with such settings raises an error later.
    """
    if isinstance(settings, dict):
        return {name: _without_nan(value) for name, value in settings.items()}
    if isinstance(settings, list):
        return [_without_nan(value) for value in settings]
    return 0.0 if isinstance(settings, float) and not np.isfinite(settings) else settings


def require_classes(sizes: ClassSizes) -> None:
    """Raise `InputError` for labels from which nothing can be learned."""
    if sizes.can_be_learned.any():
        return
    present = [label for label, size in zip(sizes.classes, sizes.class_docs, strict=True) if size]
    if not present:
        raise InputError(
            "No document has a label, so there is nothing to learn",
            hint="In a folder, sub-folders are the classes; in a table, say which column has the labels",
        )
    if len(present) > 1:
        raise InputError(
            f"All documents have the same labels, {shown(present)}, so there is nothing to tell apart",
            hint="give documents of other classes too",
        )
    n_unlabelled = sizes.n_documents - sizes.class_docs.sum().item()
    documents_have = "document has" if n_unlabelled == 1 else "documents have"
    of_unlabelled = f" ({n_unlabelled:,} {documents_have} no label)" if n_unlabelled else ""
    raise InputError(
        f"Only one class, {present[0]!r}, so there is nothing to tell apart{of_unlabelled}",
        hint="give documents of at least two classes",
    )
