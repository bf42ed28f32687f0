"""The training plan: the selector, projection, classifier and weighting that the settings name, and how they train.

`TrainingPlan.of` creates the estimators and checks that they work together. The methods of a plan are the steps of
training that depend on the estimators: select terms, weigh counts, fit the classifier, score documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import clone

from ..arrays import Counts, Floats, Ints
from ..categorizer_settings import AUTO, Settings
from ..classifiers.class_weights import require_rule_or_factors
from ..classifiers.fitting import fit_each_class, fit_one_label, fit_own_scorer
from ..classifiers.from_stats import Batches, fit_stats, learns_from_stats, stats_of
from ..classifiers.linear_form import ProjectionMap, linear_scorer
from ..classifiers.scorer import Scorer
from ..classifiers.svm import LinearSVM
from ..errors import InputError, Setting, shown
from ..estimators import arrays_as_output
from ..evaluation.scores import DocumentScores, blocks
from ..evaluation.thresholds import Cut, ZeroCut, cut_of
from ..registry import (
    CLASSIFIERS,
    Traits,
    classifier_of,
    list_classifiers,
    list_classifiers_with_class_weight,
    list_classifiers_with_sample_weight,
    projection_of,
    selection_scheme,
    selector_of,
    traits_of,
)
from ..selectors import TermSelector
from ..selectors.base import ReadAgain, resolve_k
from ..stats import ClassStats
from ..stats.labels import LabelPairs
from ..text.choices import COUNTS, Scheme
from ..text.weights import INVERSE_FREQUENCIES, round_idf
from .counted_documents import (
    CountedDocuments,
    SelectedDocuments,
    StreamedDocuments,
    as_matrix,
    doc_freq_of,
    take_columns,
    weigh_counts,
)
from .fallback import FallbackClass, fallback_class
from .ranking import best_columns, fitted_selector, kept_columns, selector_details, with_every_label
from .sieving import SieveLimits, SieveTraining
from .statistics import Statistics
from .targets import ClassSizes, Targets

if TYPE_CHECKING:
    from ..projections import TraceProjection


def class_weight_by_number(class_weight: Any, classifier: Any, sizes: ClassSizes) -> Any:
    """Return the setting `class_weight` as the classifier takes it: by class numbers instead of labels.

    With the classes "no" and "yes", `{"yes": 2}` becomes `{0: 1.0, 1: 2.0}`: classes that the setting leaves out get
    the factor 1. None, "balanced" and "sqrt" are returned as they are. Raises `InputError` for an invalid setting, and
    for a mapping if the classifier has no class weights.
    """
    if not isinstance(class_weight, Mapping):
        require_rule_or_factors(class_weight)
        return class_weight
    _require_factors(class_weight, sizes.classes)
    if not traits_of(classifier).takes_class_weight:
        raise InputError(
            f"{type(classifier).__name__} has no class weights",
            setting="class_weight",
            value=dict(class_weight),
            hint=f"use {list_classifiers_with_class_weight()}",
        )
    # With one label per document, the classifier accepts weights only for classes that have documents.
    numbers = range(len(sizes.classes)) if sizes.multilabel else np.flatnonzero(sizes.class_docs).tolist()
    return {number: float(class_weight.get(sizes.classes[number], 1.0)) for number in numbers}


def _require_factors(class_weight: Mapping[Any, Any], classes: tuple[Any, ...]) -> None:
    """Raise `InputError` for labels that are not classes, and for invalid factors."""
    unknown = [label for label in class_weight if label not in classes]
    if unknown:
        raise InputError(
            f"there is no class {shown(unknown[0])}",
            setting="class_weight",
            hint=f"classes are {shown(list(classes), 200)}",
        )
    for label, factor in class_weight.items():
        if isinstance(factor, bool) or not (isinstance(factor, float | int | np.number) and 0 < factor < np.inf):
            raise InputError(
                f"the factor of {shown(label)} is {shown(factor)}", setting="class_weight", hint="use a number above 0"
            )


DEFAULT_TERMS = 10_000
"""The number of selected terms if the setting `n_terms` is None and the selector does not choose it."""

DEFAULT_TERMS_TO_SIEVE = 100_000
"""The same number if coefficients are dropped after training.

It is so large that selecting terms loses hardly any accuracy; dropping coefficients then makes the model small.
"""

SIEVED_C, SIEVED_TF = 1.0, "log"
"""The C of the SVM and the term frequency if coefficients are dropped, unless the user sets them.

With ten times as many terms, both were better than the defaults of `svm`: see docs/research/defaults-terms.md.
"""

MAX_TRAINED_COEFFICIENTS = 5_000_000
"""The most coefficients (terms x classes) that are trained by default if coefficients are dropped afterwards.

So with more than 50 classes, fewer than `DEFAULT_TERMS_TO_SIEVE` terms are selected, but at least `DEFAULT_TERMS`.
"""


def _refuse_unlabelled(setting: str, options: Mapping[str, Any] | None) -> None:
    """Raise `InputError` if the options have `unlabelled`, with which an estimator is told the label for "no label".

    Training decides which documents are unlabelled, for selector, projection and classifier alike. `setting` is the
    setting with these options.
    """
    if options and "unlabelled" in options:
        raise InputError(
            (Setting("unlabelled", options["unlabelled"]), " has no meaning here"),
            setting=setting,
            hint="a document without a label has the label None, or an empty one",
        )


def own_k(selector: Any) -> Any:
    """Return the number of terms that a selector given as an object has set, or None if it has set none.

    The default of a `Cascade` is "all": its last selector limits the number.
    """
    k = None if isinstance(selector, str) else getattr(selector, "k", None)
    return None if k == "all" else k


def _refuse_two_sizes(settings: Settings) -> None:
    """Raise `InputError` if `n_terms` would override another number of terms, that of a selector given as an object."""
    k = own_k(settings.selector)
    if settings.n_terms is not None and k not in (None, settings.n_terms):
        raise InputError(
            ("there is another number of terms in the selector: ", Setting("k", k)),
            setting="n_terms",
            value=settings.n_terms,
            hint="leave one of them out",
        )


def _require_projectable(traits: Traits, settings: Settings) -> None:
    """Raise `InputError` if a classifier that needs the weights of terms is combined with a projection."""
    if settings.projection is not None and traits.needs_term_weights:
        raise InputError(
            f"the classifier {shown(settings.classifier)} needs the weights of terms themselves, which a "
            "projection mixes",
            setting="projection",
            value=settings.projection,
            hint=f"use {list_classifiers(lambda traits: not traits.needs_term_weights)}, or another linear one",
        )


def _require_border(cut: Cut, traits: Traits, settings: Settings) -> None:
    """Raise `InputError` for thresholds of 0 (`cut="zero"`) if the sign of a score does not separate yes from no.

    The scores of votes and cosines have no such sign; see `Traits.border_at_zero`.
    """
    if isinstance(cut, ZeroCut) and not traits.border_at_zero:
        classifiers = list_classifiers(lambda traits: traits.border_at_zero)
        raise InputError(
            f"the scores of the classifier {shown(settings.classifier)} have no border at 0",
            setting="cut",
            value=settings.cut,
            hint=f"use {classifiers}, or thresholds that are fitted to the scores, such as 'scut'",
        )


def _require_svm(settings: Settings, classifier: Any) -> None:
    """Raise `InputError` if coefficients are to be dropped and the classifier is no SVM on the selected terms."""
    if settings.sieves_coefficients and (not isinstance(classifier, LinearSVM) or settings.projection is not None):
        name = "max_size" if settings.max_size is not None else "tolerance"
        reason = "a projection" if settings.projection is not None else f"the classifier {shown(settings.classifier)}"
        raise InputError(
            f"coefficients can't be dropped with {reason}",
            setting=name,
            value=getattr(settings, name),
            hint=("use the classifier svm without a projection, or choose the size by ", Setting("n_terms")),
        )


def _require_coefficients(settings: Settings, traits: Traits) -> None:
    """Raise `InputError` for a type of coefficients if the classifier has no coefficients."""
    if settings.coefficient_dtype != AUTO and traits.has_own_scorer:
        raise InputError(
            f"the classifier {shown(settings.classifier)} has no coefficients",
            setting="coefficient_dtype",
            value=settings.coefficient_dtype,
            hint=f"use {AUTO!r}, or the classifier {list_classifiers(lambda traits: not traits.has_own_scorer)}",
        )


def _require_norm(settings: Settings, traits: Traits) -> None:
    """Raise `InputError` for another norm than the only one of a classifier; `Rocchio` alone has only one."""
    if traits.norm is not None and settings.norm not in (None, traits.norm):
        raise InputError(
            "Rocchio compares by the cosine, which is the same for any length",
            setting="norm",
            value=settings.norm,
            hint="use 'l2'",
        )


def _set_threads(setting: Any, estimator: Any, options: Mapping[str, Any] | None, n_jobs: int) -> None:
    """Set the number of threads of an estimator that the setting names, unless the user's options have another.

    An estimator that the user gives as an object keeps its own, and many estimators use no threads.
    """
    if isinstance(setting, str) and "n_jobs" in estimator.get_params():
        estimator.set_params(**{"n_jobs": n_jobs, **(options or {})})


def _fit_projection(projection: TraceProjection, rows: csr_matrix, targets: Targets) -> TraceProjection:
    """Return a copy of a projection, fitted to rows of weights and their labels."""
    unfitted = clone(projection).set_params(unlabelled=None)  # classes are numbers here, and no number means unlabelled
    return unfitted.fit(rows, targets.for_stats())


def usable_rows(batches: Batches, usable: NDArray[np.bool_]) -> Iterator[csr_matrix]:
    """Yield, for each batch, the rows that a classifier can learn from; `usable` has a flag for each document."""
    begin = 0
    for rows in batches:
        is_usable = usable[begin : begin + rows.shape[0]]
        begin += rows.shape[0]
        yield rows if is_usable.all() else rows[np.flatnonzero(is_usable)]


class FittedClassifier(NamedTuple):
    """A classifier trained on the weights of the selected terms."""

    scorer: Scorer
    idf: Floats
    fallback: int
    """The number of the fallback class; see `fallback`."""
    statistics: Statistics | None = None
    """The statistics to which `update` adds documents, if they are kept."""
    columns: Ints | None = None
    """The columns of the selected terms that have a coefficient left; None if no coefficients were dropped."""


class SelectedTerms(NamedTuple):
    """The terms that a selector selects."""

    columns: Ints
    """The columns of the terms, best first; for the order of typical testors see `TypicalTestors`."""
    details: dict[str, Any]
    """Facts about the selection that a model records; see `selector_details`."""


@dataclass(frozen=True)
class TrainingPlan:
    """The estimators of training, and how counts are weighted for the selector and for the classifier."""

    selector: TermSelector
    selector_is_object: bool
    """Whether the setting `selector` is an object or None, rather than a name."""
    selection_scheme: Scheme
    """The weighting for the selector."""
    projection: TraceProjection | None
    classifier: Any
    scheme: Scheme
    """The weighting for the classifier, which is also that of the model."""
    class_weight: Any
    """The setting `class_weight`."""
    cut: Cut
    """How a multilabel model assigns labels by scores."""
    n_jobs: int
    sieves_coefficients: bool = False
    """Whether coefficients are dropped after training; see `training.sieving`."""
    coefficient_dtype: str = AUTO
    """The type of the model's coefficients: "float32", "float64" or "auto"."""
    has_collection_weights: bool = False
    """Whether documents have collection weights in place of counts (`keep_stats="all"`; see `full_statistics`).

    Collection weights already have the term frequency and the length in them. So `scheme.tf` is "tf", which leaves
    values as they are, and `scheme.norm` applies only to documents that are scored.
    """

    @classmethod
    def of(cls, settings: Settings, n_jobs: int) -> TrainingPlan:
        """Return the plan for some settings; raise `InputError` if their methods don't work together."""
        settings = settings.resolve()
        _refuse_unlabelled("selector_options", settings.selector_options)
        _refuse_unlabelled("projection_options", settings.projection_options)
        selector = selector_of(settings.selector, settings.selector_options)
        _refuse_two_sizes(settings)
        selector.check_settings()
        classifier = classifier_of(settings.classifier, settings.classifier_options)
        projection = projection_of(settings.projection, settings.projection_options)
        traits = traits_of(classifier)
        _require_projectable(traits, settings)
        cut = cut_of(settings.cut, settings.cut_options)
        _require_border(cut, traits, settings)
        _require_svm(settings, classifier)
        _require_coefficients(settings, traits)
        _require_norm(settings, traits)
        default_scheme = CLASSIFIERS.scheme_of(classifier)
        # A classifier given as an object keeps its own C and term frequency.
        if settings.sieves_coefficients and isinstance(settings.classifier, str):
            default_scheme = default_scheme._replace(tf=SIEVED_TF)
            if "C" not in (settings.classifier_options or {}):
                classifier.set_params(C=SIEVED_C)
        if traits.uses_threads:
            _set_threads(settings.classifier, classifier, settings.classifier_options, n_jobs)
        _set_threads(settings.selector, selector, settings.selector_options, n_jobs)
        _set_threads(settings.projection, projection, settings.projection_options, n_jobs)
        return cls(
            selector=selector,
            selector_is_object=not isinstance(settings.selector, str),
            selection_scheme=selection_scheme(selector),
            projection=projection,
            classifier=classifier,
            scheme=Scheme(
                tf=settings.tf or default_scheme.tf,
                idf=settings.idf or default_scheme.idf,
                norm=settings.norm or default_scheme.norm,
            ),
            class_weight=settings.class_weight,
            cut=cut,
            n_jobs=n_jobs,
            sieves_coefficients=settings.sieves_coefficients,
            coefficient_dtype=settings.coefficient_dtype,
        )

    def on_collection_weights(self) -> TrainingPlan:
        """Return the plan for documents that have collection weights (see `full_statistics`) in place of counts."""
        selection_scheme = self.selection_scheme
        if not self.reads_counts:  # of the selector's weighting, only the idf is left to apply
            selection_scheme = Scheme("tf", selection_scheme.idf, "none")
        return replace(
            self,
            scheme=self.scheme._replace(tf="tf"),
            selection_scheme=selection_scheme,
            has_collection_weights=True,
        )

    @property
    def reads_counts(self) -> bool:
        """Return whether the selector reads plain counts."""
        return self.selection_scheme == COUNTS

    # -- selection -----------------------------------------------------------------------------------------------

    def select(self, documents: CountedDocuments | StreamedDocuments, max_terms: int | None) -> SelectedTerms:
        """Select at most `max_terms` terms of the documents; None: as many as the selector chooses."""
        data = documents.selection_data(self.selection_scheme)
        selector = self.fit_selector(data.stats, max_terms, data.weights, data.sample_weight, data.labels)
        selected = self.terms_of(selector, max_terms)
        # The selector has numbered the columns of its input, which leaves out terms outside the limits.
        return selected._replace(columns=data.columns[selected.columns])

    def fit_selector(
        self,
        stats: ClassStats,
        max_terms: int | None,
        documents: ReadAgain | None,
        sample_weight: Floats | None,
        labels: LabelPairs | None,
    ) -> TermSelector:
        """Return a fitted copy of the selector.

        `stats` are the statistics of the counts or weights that the selector reads; `documents` returns these counts or
        weights, for selectors that need a second pass over them, and `labels` has the labels of the documents. Both are
        None if there are only statistics.
        """
        return fitted_selector(with_every_label(self.selector), stats, max_terms, documents, sample_weight, labels)

    def terms_of(self, selector: TermSelector, max_terms: int | None) -> SelectedTerms:
        """Return the terms that a fitted selector selects, at most `max_terms`."""
        # A selector that depends on k was fitted for `max_terms`, and selects at most that many. So there is nothing to
        # cut off, for which all terms would have to be ranked.
        columns_of = kept_columns if self.selector.depends_on_k else best_columns
        return SelectedTerms(columns_of(selector, max_terms), selector_details(selector))

    def max_terms(self, n_terms: Any, n_terms_seen: int, n_classes: int = 1) -> int | None:
        """Return the maximum number of terms for the setting `n_terms`, or None if the selector decides.

        `n_terms_seen` is the number of terms within the limits `min_df` and `max_df`. `n_classes` only matters for the
        default if coefficients are dropped (see `MAX_TRAINED_COEFFICIENTS`).
        """
        if n_terms is None:
            # A selector given as an object has its own setting `k`.
            selector_decides = self.selector_is_object or self.selector.chooses_own_k
            default = DEFAULT_TERMS
            if self.sieves_coefficients:
                default = max(min(DEFAULT_TERMS_TO_SIEVE, MAX_TRAINED_COEFFICIENTS // n_classes), DEFAULT_TERMS)
            return None if selector_decides else min(default, n_terms_seen)
        try:
            limit = resolve_k(n_terms, n_terms_seen)
        except InputError as problem:
            raise InputError(
                setting="n_terms",
                value=n_terms,
                hint="use a number of terms from 1, a share above 0.0 and up to 1.0, 'all', or 'auto'",
            ) from problem
        return n_terms_seen if limit is None else min(limit, n_terms_seen)  # None: `n_terms` is "all"

    def require_weights(self) -> None:
        """Raise `InputError` unless the projection and the classifier can use sample weights."""
        if self.projection is not None:
            raise InputError(
                "a projection takes no weights of documents", setting="sample_weight", hint="leave one of the two out"
            )
        if not self.traits.takes_sample_weight:
            raise InputError(
                f"the classifier {shown(self.classifier)} takes no weights of documents",
                setting="sample_weight",
                hint=f"use {list_classifiers_with_sample_weight()}, or leave sample_weight out",
            )

    @cached_property
    def traits(self) -> Traits:
        """Return the traits of the classifier; see `registry`."""
        return traits_of(self.classifier)

    @property
    def dtype(self) -> type[np.floating]:
        """Return the type of the weights to train on.

        Classifiers with their own scorer compare weights of new documents with those of training documents, so the
        latter must be as exact as in prediction. For all others, 32 bits are enough.
        """
        return np.float64 if self.traits.has_own_scorer else np.float32

    @property
    def dense_dtype(self) -> type[np.floating]:
        """Return the type of the coefficients if none are dropped."""
        return np.float64 if self.coefficient_dtype == "float64" else np.float32

    @property
    def sparse_dtype(self) -> type[np.generic]:
        """Return the type of the coefficients that are left after others are dropped."""
        return np.int8 if self.coefficient_dtype == AUTO else self.dense_dtype

    # -- training ------------------------------------------------------------------------------------------------

    def idf_of(self, doc_freq: Counts, n_documents: float) -> Floats:
        """Return the idf of terms for the classifier's weights, given their document frequencies."""
        idf = INVERSE_FREQUENCIES[self.scheme.idf](doc_freq, n_documents)
        return round_idf(idf) if self.sieves_coefficients else idf  # rounded as the file of a sieved model stores it

    def fit_counts(
        self, counts: csr_matrix, targets: Targets, terms: list[str] | None = None, sieve: SieveLimits | None = None
    ) -> FittedClassifier:
        """Train on the counts of the selected terms; `terms` are only needed for a limit of the model's size."""
        return self.fit(SelectedDocuments.of_counts(counts, targets, terms), sieve=sieve)

    def fit(
        self, documents: SelectedDocuments, *, keep_stats: bool = False, sieve: SieveLimits | None = None
    ) -> FittedClassifier:
        """Weigh the counts of the selected terms and train the classifier; unlabelled documents only affect the idf.

        With `keep_stats`, train on statistics and keep them for `update`; the scorer is the same as without it. With
        `sieve`, drop coefficients until these limits are met.
        """
        targets = documents.targets
        idf = self.idf_of(documents.doc_freq, targets.n_counted)
        if self.has_collection_weights:
            return self._fit_collection(documents, idf)
        fallback = FallbackClass(targets)
        # These are generators: a batch is weighed, and `fallback` sees it, when the classifier asks for it. So the
        # fallback class is known only after training.
        weights = fallback.observe(documents.weigh(self.scheme, idf))
        batches = (as_matrix(rows, self.dtype) for rows in weights)
        if keep_stats:
            labelled = usable_rows(batches, targets.usable)
            statistics = Statistics.of(self, labelled, targets, lambda: fallback.docs_without_terms)
            return self.fit_statistics(statistics, targets.sizes, idf)
        if sieve is not None:
            rows = documents.stack(batches)
            # A tuned share may be 1. Then the coefficients stay as they are trained here, so the training is final.
            training = SieveTraining(self, rows, targets, idf, is_final=sieve.share is not None)
            return training.fit_to(sieve, documents.terms)
        if self.learns_from_stats and not documents.are_in_memory:  # the batches need not be in memory together
            scorer = self.fit_batches(batches, targets)
        else:
            scorer = self.fit_weights(documents.stack(batches), targets)
        return FittedClassifier(scorer, idf, fallback.number)

    def _fit_collection(self, documents: SelectedDocuments, idf: Floats) -> FittedClassifier:
        """Train on documents with collection weights, as `learn_collection` does from their statistics."""
        targets = documents.targets
        batches = documents.weigh(self.scheme._replace(norm="none"), idf)
        rows = documents.stack(as_matrix(batch, self.dtype) for batch in batches)
        usable = np.flatnonzero(targets.usable)
        learned_rows = rows[usable]
        values = learned_rows.data.astype(np.float64)
        squares = values**2
        if targets.weights is not None:  # each stored value counts with the sample weight of its document
            weight_of_value = np.repeat(targets.weights[usable], np.diff(learned_rows.indptr))
            values, squares = values * weight_of_value, squares * weight_of_value
        factor = self.length_factor(targets.count(targets.usable), float(values.sum()), float(squares.sum()))
        rows.data *= self.dtype(factor)
        return FittedClassifier(self.fit_weights(rows, targets), idf, int(np.argmax(targets.class_docs)))

    def length_factor(self, n_documents: float, total: float, total_squares: float) -> float:
        """Return the factor for all weights with which documents have the length 1 on average.

        `total` is the sum of the weights of all documents, and `total_squares` the sum of their squares. The length is
        that of the norm in `scheme`; without a norm, the factor is 1.

        Documents with collection weights had the length 1 before terms were selected and weighted by idf, and now have
        another. But the options of classifiers, such as the smoothing of naive Bayes, are for documents of length 1.
        """
        if self.scheme.norm == "l2" and total_squares > 0:
            return float(np.sqrt(n_documents / total_squares))
        return n_documents / total if self.scheme.norm == "l1" and total > 0 else 1.0

    def sieve_training(self, counts: csr_matrix, targets: Targets) -> SieveTraining:
        """Train on the counts of the selected terms; the result can drop coefficients step by step."""
        idf = self.idf_of(doc_freq_of(counts, targets), targets.n_counted)
        weights = as_matrix(weigh_counts(counts, self.scheme, idf), self.dtype)
        return SieveTraining(self, weights, targets, idf)

    def fit_statistics(self, statistics: Statistics, sizes: ClassSizes, idf: Floats) -> FittedClassifier:
        """Train on the statistics that are kept for `update`."""
        fallback = fallback_class(sizes.class_docs, statistics.docs_without_terms)
        return FittedClassifier(statistics.learned.scorer(self, sizes), idf, fallback, statistics)

    def scores(self, fitted: FittedClassifier, counts: csr_matrix) -> DocumentScores:
        """Return the scores of documents, given the counts of the selected terms, exactly as a model does."""
        if fitted.columns is not None:
            counts = take_columns(counts, fitted.columns)
        weights = weigh_counts(counts, self.scheme, fitted.idf)
        outputs = fitted.scorer.scores(weights, self.n_jobs)
        scores = np.hstack([-outputs, outputs]) if outputs.shape[1] == 1 else outputs  # one output for two classes
        return DocumentScores(scores, weights.is_zero, fitted.fallback)

    def score_blocks(self, fitted: FittedClassifier, counts: csr_matrix) -> Iterator[tuple[slice, DocumentScores]]:
        """Yield slices of the documents with their scores; all scores together may not fit into memory."""
        n_documents = counts.shape[0]
        for part in blocks(n_documents, fitted.scorer.n_outputs):
            is_everything = part == slice(0, n_documents)  # then no copy is needed
            yield part, self.scores(fitted, counts if is_everything else counts[part])

    def fit_weights(self, rows: csr_matrix, targets: Targets) -> Scorer:
        """Train on the weights of all documents (documents x selected terms).

        The classifier learns from the documents that `targets.usable` has. A projection learns from all of them.
        """
        projection = None if self.projection is None else _fit_projection(self.projection, rows, targets)
        if not targets.usable.all():
            usable = np.flatnonzero(targets.usable)
            rows, targets = rows[usable], targets.take(usable)
        weight = class_weight_by_number(self.class_weight, self.classifier, targets.sizes)
        if self.traits.has_own_scorer:
            return fit_own_scorer(self.classifier, rows, targets.indicator(), weight, targets.weights)
        projection_map = None
        if projection is not None:
            with arrays_as_output():
                rows = csr_matrix(projection.transform(rows))
            projection_map = ProjectionMap(projection.components_, projection.mean_)
        if targets.multilabel:
            linear = fit_each_class(
                self.classifier, rows, targets.members, weight, self.n_jobs, projection_map, targets.weights
            )
        else:
            class_numbers, n_classes = targets.first_class, len(targets.classes)
            linear = fit_one_label(
                self.classifier, rows, class_numbers, n_classes, weight, projection_map, targets.weights
            )
        return linear_scorer(linear, self.dense_dtype)

    @property
    def learns_from_stats(self) -> bool:
        """Return whether `fit_batches` and `fit_class_stats` can train the classifier."""
        return self.projection is None and learns_from_stats(self.classifier, self.class_weight)

    def fit_batches(self, batches: Batches, targets: Targets) -> Scorer:
        """Train on batches of weights, by adding them up in `ClassStats`, with the same result as `fit_weights`.

        The rows of all batches are never in memory together.
        """
        usable = targets.take(np.flatnonzero(targets.usable))
        rows = usable_rows(batches, targets.usable)
        stats = stats_of(self.classifier, rows, usable.indicator(), usable.weights)
        return self.fit_class_stats(stats, targets.sizes)

    def fit_class_stats(self, stats: ClassStats, sizes: ClassSizes) -> Scorer:
        """Train on statistics of the weights of the selected terms, with the result of `fit_weights`.

        The statistics cover the documents that a classifier can learn from (`Targets.usable`). Classes are named by
        their numbers from 0, and none is missing: also classes without documents have a number.
        """
        if stats.classes != tuple(range(len(sizes.classes))):
            last = len(sizes.classes) - 1
            raise InputError(
                setting="stats.classes", value=stats.classes, hint=f"use the numbers of all classes, 0 to {last}"
            )
        weight = class_weight_by_number(self.class_weight, self.classifier, sizes)
        form = fit_stats(self.classifier, stats, weight, multilabel=sizes.multilabel)
        return linear_scorer(form, self.dense_dtype)
