"""The training plan: what the settings of a `Categorizer` name, and the steps of training that depend on it.

A plan has the selector and the classifier, and how counts are weighted for each. Class weights are given by label and
needed by class number: None weighs all documents equally, "balanced" all classes, and a mapping has a factor for some
classes (others have 1). "balanced" is left to the classifier, which knows how many documents each class has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import clone

from ..arrays import Counts, Floats, Ints
from ..categorizer_settings import Settings
from ..classifiers.fitting import fit_each_class, fit_one_label, fit_own_scorer
from ..classifiers.from_stats import Batches, fit_stats, learns_from_stats, stats_of
from ..classifiers.linear_form import ProjectionMap, linear_scorer
from ..classifiers.scorer import Scorer
from ..errors import InputError, Setting, shown
from ..estimators import arrays_as_output
from ..evaluation.scores import DocumentScores, blocks
from ..evaluation.thresholds import Cut, ZeroCut, cut_of
from ..registry import CLASSIFIERS, Traits, classifier_of, projection_of, selection_scheme, selector_of, traits_of
from ..selectors import TermSelector
from ..selectors.base import ReadAgain, resolve_k
from ..stats import ClassStats
from ..text.schemes import COUNTS, Scheme
from ..text.weights import INVERSE_FREQUENCIES
from .counted_documents import CountedDocuments, SelectedDocuments, StreamedDocuments, narrowed, weighed
from .fallback import FallbackClass, class_of_unknown
from .ranking import best_columns, fitted_selector, found_by, kept_columns, with_every_label
from .statistics import Statistics
from .targets import ClassSizes, Targets

if TYPE_CHECKING:
    from ..projections import TraceProjection


def weight_by_number(class_weight: Any, classifier: Any, sizes: ClassSizes) -> Any:
    """Return class weights by the number of the class instead of its label."""
    if not isinstance(class_weight, Mapping):
        if class_weight not in (None, "balanced"):
            raise InputError(
                setting="class_weight",
                value=class_weight,
                hint="use 'balanced', a factor for each class such as {'spam': 5.0}, or None",
            )
        return class_weight
    _require_factors(class_weight, sizes.classes)
    if not traits_of(classifier).takes_class_weight:
        raise InputError(
            f"{type(classifier).__name__} has no class weights",
            setting="class_weight",
            value=dict(class_weight),
            hint="use svm, logistic, nb or cnb",
        )
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


def _refuse_unlabelled(name: str, options: Mapping[str, Any] | None) -> None:
    """Raise `InputError` for an option `unlabelled`: labels are read once, for selector, projection and classifier."""
    if options and "unlabelled" in options:
        raise InputError(
            (Setting("unlabelled", options["unlabelled"]), " has no meaning here"),
            setting=name,
            hint="a document without a label has the label None, or an empty one",
        )


def _require_projectable(traits: Traits, settings: Settings) -> None:
    """Raise `InputError` if a classifier that needs the weights of terms is combined with a projection."""
    if settings.projection is not None and traits.needs_term_weights:
        raise InputError(
            f"the classifier {shown(settings.classifier)} needs the weights of terms themselves, which a "
            "projection mixes",
            setting="projection",
            value=settings.projection,
            hint="use svm, logistic or another linear one",
        )


def _require_border(cut: Cut, traits: Traits, settings: Settings) -> None:
    """Raise `InputError` for thresholds of 0 with scores that have no border there, such as votes and cosines."""
    if isinstance(cut, ZeroCut) and not traits.border_at_zero:
        raise InputError(
            f"the scores of the classifier {shown(settings.classifier)} have no border at 0",
            setting="cut",
            value=settings.cut,
            hint="use svm, logistic, nb or cnb, or a cut that is fitted to them, such as 'scut'",
        )


def _fit_projection(projection: TraceProjection, rows: csr_matrix, targets: Targets) -> TraceProjection:
    """Return a fitted copy of a projection; classes are numbers here, and none of them means unlabelled."""
    fitted = clone(projection).set_params(unlabelled=None)
    return fitted.fit(rows, targets.for_stats())


def usable_rows(batches: Batches, usable: NDArray[np.bool_]) -> Iterator[csr_matrix]:
    """Yield the rows of batches that a classifier can learn from."""
    begin = 0
    for rows in batches:
        is_usable = usable[begin : begin + rows.shape[0]]
        begin += rows.shape[0]
        yield rows if is_usable.all() else rows[np.flatnonzero(is_usable)]


class Fitted(NamedTuple):
    """A classifier trained on the weights of the selected terms."""

    scorer: Scorer
    idf: Floats
    fallback: int
    """The number of the class of documents without a known term; see `fallback`."""
    statistics: Statistics | None = None
    """What later documents can be added to, if it was to be kept."""


class SelectedTerms(NamedTuple):
    """The columns of the selected terms, best first, and what the selector determined on the way."""

    columns: Ints
    found: dict[str, Any]


@dataclass(frozen=True)
class TrainingPlan:
    """The selector and the classifier, and how counts are weighted for each."""

    selector: TermSelector
    selector_was_given: bool
    selection: Scheme
    projection: TraceProjection | None
    classifier: Any
    scheme: Scheme
    class_weight: Any
    cut: Cut
    n_jobs: int

    @classmethod
    def of(cls, settings: Settings, n_jobs: int) -> TrainingPlan:
        """Return the plan for some settings; raise `InputError` if their methods don't work together."""
        _refuse_unlabelled("selector_options", settings.selector_options)
        _refuse_unlabelled("projection_options", settings.projection_options)
        selector = selector_of(settings.selector, settings.selector_options)
        selector.check_settings()
        classifier = classifier_of(settings.classifier, settings.classifier_options)
        projection = projection_of(settings.projection, settings.projection_options)
        traits = traits_of(classifier)
        _require_projectable(traits, settings)
        cut = cut_of(settings.cut, settings.cut_options)
        _require_border(cut, traits, settings)
        if traits.norm is not None and settings.norm not in (None, traits.norm):
            raise InputError(
                "Rocchio compares by the cosine, which is the same for any length",
                setting="norm",
                value=settings.norm,
                hint="use 'l2'",
            )
        if isinstance(settings.classifier, str) and traits.uses_threads:
            classifier.set_params(**{"n_jobs": n_jobs, **(settings.classifier_options or {})})
        if isinstance(settings.projection, str) and projection is not None and "n_jobs" in projection.get_params():
            projection.set_params(**{"n_jobs": n_jobs, **(settings.projection_options or {})})
        usual = CLASSIFIERS.scheme_of(classifier)
        return cls(
            selector=selector,
            selector_was_given=not isinstance(settings.selector, str),
            selection=selection_scheme(selector),
            projection=projection,
            classifier=classifier,
            scheme=Scheme(settings.tf or usual.tf, settings.idf or usual.idf, settings.norm or usual.norm),
            class_weight=settings.class_weight,
            cut=cut,
            n_jobs=n_jobs,
        )

    @property
    def reads_counts(self) -> bool:
        """Return whether the selector reads plain counts."""
        return self.selection == COUNTS

    # -- selection -----------------------------------------------------------------------------------------------

    def select(self, documents: CountedDocuments | StreamedDocuments, most: int | None) -> SelectedTerms:
        """Select at most `most` terms; return their columns, best first."""
        data = documents.selection_data(self.selection)
        selected = self.rank_stats(data.stats, most, data.weights, data.sample_weight)
        return selected._replace(columns=data.columns[selected.columns])

    def rank_stats(
        self, stats: ClassStats, most: int | None, documents: ReadAgain, sample_weight: Floats | None = None
    ) -> SelectedTerms:
        """Select terms from statistics of the counts or weights that the selector reads, and from these once more."""
        return self.kept_by(self.fit_selector(stats, most, documents, sample_weight), most)

    def fit_selector(
        self, stats: ClassStats, most: int | None, documents: ReadAgain, sample_weight: Floats | None = None
    ) -> TermSelector:
        """Return a copy of the selector, fitted to select at most `most` terms."""
        return fitted_selector(with_every_label(self.selector), stats, most, documents, sample_weight)

    def kept_by(self, fitted: TermSelector, most: int | None) -> SelectedTerms:
        """Return the terms that a fitted selector selects."""
        columns = (kept_columns if self.ranks_each_size else best_columns)(fitted, most)
        return SelectedTerms(columns, found_by(fitted))

    @property
    def ranks_each_size(self) -> bool:
        """Return whether a smaller selection is not simply the beginning of a larger one."""
        return self.selector.depends_on_k

    def most_terms(self, n_terms: Any, n_seen: int) -> int | None:
        """Return the maximum number of terms, or None if the selector decides."""
        if n_terms is None:
            return None if self.selector_was_given or self.selector.chooses_own_k else min(DEFAULT_TERMS, n_seen)
        try:
            limit = resolve_k(n_terms, n_seen)
        except InputError as problem:
            raise InputError(
                setting="n_terms",
                value=n_terms,
                hint="use a number of terms from 1, a share above 0.0 and up to 1.0, 'all', or 'auto'",
            ) from problem
        return n_seen if limit is None else min(limit, n_seen)

    def require_weights(self) -> None:
        """Raise `InputError` for sample weights if a part of the training can't use them."""
        if self.projection is not None:
            raise InputError(
                "a projection takes no weights of documents", setting="sample_weight", hint="leave one of the two out"
            )
        if not self.traits.takes_sample_weight:
            raise InputError(
                f"the classifier {shown(self.classifier)} takes no weights of documents",
                setting="sample_weight",
                hint="use svm, logistic, nb, cnb, rocchio or subspace, or leave sample_weight out",
            )

    @cached_property
    def traits(self) -> Traits:
        """Return what training has to know about the classifier."""
        return traits_of(self.classifier)

    @property
    def dtype(self) -> type[np.floating]:
        """Return the type of the weights to train on: classifiers that compare single weights need them as in
        prediction.
        """
        return np.float64 if self.traits.has_own_scorer else np.float32

    # -- training ------------------------------------------------------------------------------------------------

    def idf_of(self, doc_freq: Counts, n_documents: float) -> Floats:
        """Return the idf of terms for the classifier's weights."""
        return INVERSE_FREQUENCIES[self.scheme.idf](doc_freq, n_documents)

    def fit_counts(self, counts: csr_matrix, targets: Targets) -> Fitted:
        """Train on the counts of the selected terms."""
        return self.fit(SelectedDocuments.of_counts(counts, targets))

    def fit(self, documents: SelectedDocuments, *, keep_stats: bool = False) -> Fitted:
        """Weigh the counts of the selected terms and train; unlabelled documents count for the idf only."""
        targets = documents.targets
        idf = self.idf_of(documents.doc_freq, targets.n_counted)
        fallback = FallbackClass(targets)
        weights = fallback.among(documents.weigh(self.scheme, idf))
        batches = (narrowed(rows, self.dtype) for rows in weights)
        if keep_stats:
            return self.fit_kept(batches, targets, idf, lambda: fallback.without)
        if self.learns_from_stats and not documents.are_in_memory:
            scorer = self.fit_batches(batches, targets)
        else:
            scorer = self.fit_weights(documents.stack(batches), targets)
        return Fitted(scorer, idf, fallback.number)

    def fit_kept(self, batches: Batches, targets: Targets, idf: Floats, without: Callable[[], Counts]) -> Fitted:
        """Train on batches of weights through statistics to which other documents can be added, with the same result.

        When all batches have passed, `without` returns the number of documents of each class without a selected term.
        """
        statistics = Statistics.of(self, usable_rows(batches, targets.usable), targets, without)
        return self.fit_statistics(statistics, targets.sizes, idf)

    def fit_statistics(self, statistics: Statistics, sizes: ClassSizes, idf: Floats) -> Fitted:
        """Train on statistics, whoever collected them."""
        fallback = class_of_unknown(sizes.class_docs, statistics.docs_without_terms)
        return Fitted(statistics.learned.scorer(self, sizes), idf, fallback, statistics)

    def scores(self, fitted: Fitted, counts: csr_matrix) -> DocumentScores:
        """Return the scores of documents, given by the counts of the selected terms, exactly as a model computes
        them.
        """
        weights = weighed(counts, self.scheme, fitted.idf)
        outputs = fitted.scorer.scores(weights, self.n_jobs)
        scores = np.hstack([-outputs, outputs]) if outputs.shape[1] == 1 else outputs
        return DocumentScores(scores, weights.is_zero, fitted.fallback)

    def score_blocks(self, fitted: Fitted, counts: csr_matrix) -> Iterator[tuple[slice, DocumentScores]]:
        """Yield the scores of some documents at a time, so that there is never a table of documents x classes."""
        n_documents = counts.shape[0]
        for part in blocks(n_documents, fitted.scorer.n_outputs):
            yield part, self.scores(fitted, counts if part == slice(0, n_documents) else counts[part])

    def fit_weights(self, rows: csr_matrix, targets: Targets) -> Scorer:
        """Train on weights; unlabelled documents count for a projection only."""
        fitted = None if self.projection is None else _fit_projection(self.projection, rows, targets)
        if not targets.usable.all():
            usable = np.flatnonzero(targets.usable)
            rows, targets = rows[usable], targets.take(usable)
        weight = weight_by_number(self.class_weight, self.classifier, targets.sizes)
        if self.traits.has_own_scorer:
            return fit_own_scorer(self.classifier, rows, targets.indicator(), weight, targets.weights)
        projected = None
        if fitted is not None:
            with arrays_as_output():
                rows = csr_matrix(fitted.transform(rows))
            projected = ProjectionMap(fitted.components_, fitted.mean_)
        if targets.multilabel:
            members = targets.members
            each = fit_each_class(self.classifier, rows, members, weight, self.n_jobs, projected, targets.weights)
            return linear_scorer(each)
        n_classes = len(targets.classes)
        form = fit_one_label(self.classifier, rows, targets.first, n_classes, weight, projected, targets.weights)
        return linear_scorer(form)

    @property
    def learns_from_stats(self) -> bool:
        """Return whether `fit_batches` and `fit_class_stats` can train the classifier."""
        return self.projection is None and learns_from_stats(self.classifier, self.class_weight)

    def fit_batches(self, batches: Batches, targets: Targets) -> Scorer:
        """Train on batches of weights that are not kept, with the same result."""
        usable = targets.take(np.flatnonzero(targets.usable))
        rows = usable_rows(batches, targets.usable)
        stats = stats_of(self.classifier, rows, usable.indicator(), usable.weights)
        return self.fit_class_stats(stats, targets.sizes)

    def fit_class_stats(self, stats: ClassStats, sizes: ClassSizes) -> Scorer:
        """Train on statistics of the weights of the selected terms, whoever computed them, with the same result.

        They cover the documents that a classifier can learn from (`Targets.usable`), and their classes are the numbers
        of all classes, from 0, including empty ones.
        """
        if stats.classes != tuple(range(len(sizes.classes))):
            last = len(sizes.classes) - 1
            raise InputError(
                setting="stats.classes", value=stats.classes, hint=f"use the numbers of all classes, 0 to {last}"
            )
        weight = weight_by_number(self.class_weight, self.classifier, sizes)
        return linear_scorer(fit_stats(self.classifier, stats, weight, multilabel=sizes.multilabel))
