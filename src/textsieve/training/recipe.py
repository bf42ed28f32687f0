"""What was asked for, settled: which terms are ranked how, and what is trained on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import clone

from ..classifiers.fitting import fit_each_class, fit_one_label, fit_own, takes_weights
from ..classifiers.from_stats import NAIVE_BAYES, Batches, fit_stats, learns_from_stats, stats_of
from ..classifiers.linear_form import Projected, scorer_of
from ..classifiers.named import classifier_of
from ..classifiers.named import scheme_for as scheme_for_classifier
from ..classifiers.rocchio import Rocchio
from ..classifiers.scorer import Scorer
from ..errors import InputError, shown
from ..estimators import arrays_as_output
from ..evaluation.cuts import Cut, ZeroCut, cut_of
from ..evaluation.scores import blocks
from ..projections.named import projection_of
from ..selectors import TermSelector
from ..selectors.base import Documents, limit_of
from ..selectors.named import scheme_for as scheme_for_selector
from ..selectors.named import selector_of
from ..stats import ClassStats
from ..stats.sums import Counts
from ..text.schemes import COUNTS, Scheme
from ..text.weights import INVERSE_FREQUENCIES, NORMS, TERM_FREQUENCIES
from .class_weights import weight_by_number
from .documents import Counted, doc_freq_of, narrowed, weighed
from .ranking import best_columns, fitted_selector, found_by, kept_columns, with_every_label
from .statistics import Statistics
from .targets import Sizes, Targets
from .unknown import class_of_unknown, docs_without_terms

if TYPE_CHECKING:
    from ..projections import TraceProjection

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DEFAULT_TERMS = 10_000


def _refuse_unlabelled(name: str, options: Mapping[str, Any] | None) -> None:
    """Labels are read once, for selector, projection and classifier alike."""
    if options and "unlabelled" in options:
        raise InputError(
            f"{name}: unlabelled={shown(options['unlabelled'])} has no meaning here; a document without a label has "
            "the label None, or an empty one."
        )


def _require_linear(classifier: Any, settings: Mapping[str, Any]) -> None:
    """Refuse to train on a projection what wants the weights of terms."""
    if isinstance(classifier, NAIVE_BAYES | Rocchio) or hasattr(classifier, "to_scorer"):
        raise InputError(
            f"projection={shown(settings['projection'])}: the classifier {shown(settings['classifier'])} needs the "
            "weights of terms themselves, which a projection mixes; use svm, logistic or another linear one."
        )


def _require_zero(cut: Cut, classifier: Any, settings: Mapping[str, Any]) -> None:
    """Refuse to cut at 0 what is never below it, or where 0 is a score like any other: votes and cosines."""
    averages = getattr(classifier, "combine", None) == "mean"
    if isinstance(cut, ZeroCut) and (
        isinstance(classifier, Rocchio) or (hasattr(classifier, "to_scorer") and not averages)
    ):
        raise InputError(
            f"cut={shown(settings['cut'])}: the scores of the classifier {shown(settings['classifier'])} have no "
            "border at 0; use svm, logistic, nb or cnb, or a cut that is fitted to them, such as 'scut'."
        )


def _fit_projection(projection: TraceProjection, rows: csr_matrix, targets: Targets) -> TraceProjection:
    """A copy of a projection that was fitted; classes are numbers here, and none of them means "no label"."""
    fitted = clone(projection).set_params(unlabelled=None)
    return fitted.fit(rows, targets.for_stats())


def usable_rows(batches: Batches, usable: NDArray[np.bool_]) -> Iterator[csr_matrix]:
    """The rows of batches that can be learned from."""
    begin = 0
    for rows in batches:
        is_usable = usable[begin : begin + rows.shape[0]]
        begin += rows.shape[0]
        yield rows if is_usable.all() else rows[np.flatnonzero(is_usable)]


class Fitted(NamedTuple):
    """A classifier that was trained on the weights of some terms."""

    scorer: Scorer
    idf: Floats
    fallback: int
    """The number of the class that a document without a weight gets; see `unknown`."""
    statistics: Statistics | None = None
    """What later documents can be added to, if it was to be kept."""


class Kept(NamedTuple):
    """The columns of the terms that a selector keeps, the best first, and what it has found out on the way."""

    columns: Ints
    found: dict[str, Any]


class Scored(NamedTuple):
    """The scores of documents (documents x classes), which documents have no term of any weight, and their class."""

    scores: Floats
    is_unknown: NDArray[np.bool_]
    fallback: int

    def predict(self) -> Ints:
        """Return the number of each document's best class; documents without a known term get the fallback class."""
        return np.where(self.is_unknown, self.fallback, self.scores.argmax(axis=1))


@dataclass(frozen=True)
class Recipe:
    """Selector and classifier, and the weights that each of them gets."""

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
    def of(cls, settings: Mapping[str, Any], n_jobs: int) -> Recipe:
        """Settle the settings of a `Categorizer`."""
        for name in ("selector_options", "projection_options"):
            _refuse_unlabelled(name, settings[name])
        selector = selector_of(settings["selector"], settings["selector_options"])
        selector.check_settings()
        classifier = classifier_of(settings["classifier"], settings["classifier_options"])
        projection = projection_of(settings["projection"], settings["projection_options"])
        if projection is not None:
            _require_linear(classifier, settings)
        cut = cut_of(settings["cut"], settings["cut_options"])
        _require_zero(cut, classifier, settings)
        usual = scheme_for_classifier(classifier)
        chosen = {name: settings[name] for name in ("tf", "idf", "norm") if settings[name] is not None}
        for name, allowed in (("tf", TERM_FREQUENCIES), ("idf", INVERSE_FREQUENCIES), ("norm", NORMS)):
            if name in chosen and chosen[name] not in allowed:
                raise InputError(f"{name}={chosen[name]!r}; use one of {', '.join(map(repr, allowed))}.")
        if isinstance(classifier, Rocchio) and chosen.get("norm", "l2") != "l2":
            raise InputError(
                f"norm={chosen['norm']!r}: Rocchio compares by the cosine, which is the same for any length; use 'l2'."
            )
        if settings["classifier"] in ("svm", "subspace"):
            classifier.set_params(**{"n_jobs": n_jobs, **(settings["classifier_options"] or {})})
        if isinstance(settings["projection"], str) and projection is not None and "n_jobs" in projection.get_params():
            projection.set_params(**{"n_jobs": n_jobs, **(settings["projection_options"] or {})})
        return cls(
            *(selector, not isinstance(settings["selector"], str), scheme_for_selector(selector), projection),
            *(classifier, usual._replace(**chosen), settings["class_weight"]),
            *(cut, n_jobs),
        )

    @property
    def reads_counts(self) -> bool:
        """Whether the selector takes bare counts."""
        return self.selection == COUNTS

    # -- selection -----------------------------------------------------------------------------------------------

    def rank(self, counted: Counted, most: int | None) -> Kept:
        """The columns of the terms to keep, the best first; at most so many."""
        within = counted.within_limits
        weights = within.weights(self.selection)
        targets = within.targets
        stats = ClassStats.from_matrix(weights, targets.for_stats(), sample_weight=targets.weights)
        named = stats.renamed(map(targets.name, stats.classes))
        chosen = self.rank_stats(named, most, lambda: [weights], targets.weights)
        return chosen._replace(columns=counted.columns_within_limits[chosen.columns])

    def rank_stats(
        self, stats: ClassStats, most: int | None, documents: Documents, sample_weight: Floats | None = None
    ) -> Kept:
        """The same, from statistics of the counts or weights that the selector reads, and these once more."""
        return self.kept_by(self.fit_selector(stats, most, documents, sample_weight), most)

    def fit_selector(
        self, stats: ClassStats, most: int | None, documents: Documents, sample_weight: Floats | None = None
    ) -> TermSelector:
        """A copy of the selector that was fitted to keep no more terms than that."""
        return fitted_selector(with_every_label(self.selector), stats, most, documents, sample_weight)

    def kept_by(self, fitted: TermSelector, most: int | None) -> Kept:
        """What a fitted selector keeps."""
        columns = (kept_columns if self.ranks_each_size else best_columns)(fitted, most)
        return Kept(columns, found_by(fitted))

    @property
    def ranks_each_size(self) -> bool:
        """Whether fewer terms are other terms, and not the best of more."""
        return self.selector.k_changes_the_method

    def most_terms(self, n_terms: Any, n_seen: int) -> int | None:
        """How many terms are kept at the most; None: as many as the selector says."""
        if n_terms is None:
            return None if self.selector_was_given or self.selector.says_how_many else min(DEFAULT_TERMS, n_seen)
        try:
            limit = limit_of(n_terms, n_seen)
        except InputError as problem:
            raise InputError(
                f"n_terms={shown(n_terms)}; use a number of terms from 1, a share above 0.0 and up to 1.0, 'all', or "
                "'auto'."
            ) from problem
        return n_seen if limit is None else min(limit, n_seen)

    def require_weights(self) -> None:
        """Refuse sample weights if a part of the training could not take account of them."""
        if self.projection is not None:
            raise InputError("sample_weight: a projection takes no weights of documents; leave one of the two out.")
        if not takes_weights(self.classifier):
            raise InputError(
                f"sample_weight: the classifier {shown(self.classifier)} takes no weights of documents; use svm, "
                "logistic, nb, cnb, rocchio or subspace, or leave sample_weight out."
            )

    @property
    def has_own_scorer(self) -> bool:
        """Whether the classifier is kept in a form of its own, and not as coefficients."""
        return hasattr(self.classifier, "to_scorer")

    @property
    def dtype(self) -> type[np.floating]:
        """Of the weights to train on: what compares weights one by one needs them as they are predicted with."""
        return np.float64 if self.has_own_scorer else np.float32

    # -- training ------------------------------------------------------------------------------------------------

    def idf_of(self, doc_freq: Counts, n_documents: float) -> Floats:
        """The idf factors of terms for the classifier's weights."""
        return INVERSE_FREQUENCIES[self.scheme.idf](doc_freq, n_documents)

    def fit_counts(self, counts: csr_matrix, targets: Targets, *, keep_stats: bool = False) -> Fitted:
        """Weigh the counts of the chosen terms and train; documents without a label count for the idf alone."""
        idf = self.idf_of(doc_freq_of(counts, targets), targets.n_counted)
        weights = weighed(counts, self.scheme, idf)
        rows, without = narrowed(weights, self.dtype), docs_without_terms(weights.is_zero, targets)
        if keep_stats:
            return self.fit_kept([rows], targets, idf, lambda: without)
        return Fitted(self.fit_weights(rows, targets), idf, class_of_unknown(targets.class_docs, without))

    def fit_kept(self, batches: Batches, targets: Targets, idf: Floats, without: Callable[[], Counts]) -> Fitted:
        """Train on weights that come batch by batch, by way of statistics to which other documents can be added.

        Once all batches are gone, `without` says how many documents of each class are without a weight. The same comes
        out.
        """
        statistics = Statistics.of(self, usable_rows(batches, targets.usable), targets, without)
        return self.fit_statistics(statistics, targets.sizes, idf)

    def fit_statistics(self, statistics: Statistics, sizes: Sizes, idf: Floats) -> Fitted:
        """Train on what is kept of documents, whoever has brought it together."""
        fallback = class_of_unknown(sizes.class_docs, statistics.without)
        return Fitted(statistics.learned.scorer(self, sizes), idf, fallback, statistics)

    def scores(self, fitted: Fitted, counts: csr_matrix) -> Scored:
        """The score of each class for documents given by the counts of the chosen terms, as a model would give it."""
        weights = weighed(counts, self.scheme, fitted.idf)
        outputs = fitted.scorer.scores(weights, self.n_jobs)
        scores = np.hstack([-outputs, outputs]) if outputs.shape[1] == 1 else outputs
        return Scored(scores, weights.is_zero, fitted.fallback)

    def score_blocks(self, fitted: Fitted, counts: csr_matrix) -> Iterator[tuple[slice, Scored]]:
        """Yield the scores of some documents at a time, so that there is never a table of documents x classes."""
        n_documents = counts.shape[0]
        for part in blocks(n_documents, fitted.scorer.n_outputs):
            yield part, self.scores(fitted, counts if part == slice(0, n_documents) else counts[part])

    def fit_weights(self, rows: csr_matrix, targets: Targets) -> Scorer:
        """Train on weights; documents without a label count for a projection alone."""
        fitted = None if self.projection is None else _fit_projection(self.projection, rows, targets)
        if not targets.usable.all():
            usable = np.flatnonzero(targets.usable)
            rows, targets = rows[usable], targets.take(usable)
        weight = weight_by_number(self.class_weight, self.classifier, targets.sizes)
        if self.has_own_scorer:
            return fit_own(self.classifier, rows, targets.indicator(), weight, targets.weights)
        projected = None
        if fitted is not None:
            with arrays_as_output():
                rows = csr_matrix(fitted.transform(rows))
            projected = Projected(fitted.components_, fitted.mean_)
        if targets.several:
            members = targets.members
            each = fit_each_class(self.classifier, rows, members, weight, self.n_jobs, projected, targets.weights)
            return scorer_of(each)
        n_classes = len(targets.classes)
        form = fit_one_label(self.classifier, rows, targets.first, n_classes, weight, projected, targets.weights)
        return scorer_of(form)

    @property
    def learns_from_stats(self) -> bool:
        """Whether `fit_batches` and `fit_class_stats` can train the classifier."""
        return self.projection is None and learns_from_stats(self.classifier, self.class_weight)

    def fit_batches(self, batches: Batches, targets: Targets) -> Scorer:
        """Train on weights that come batch by batch and are not kept; the same comes out."""
        usable = targets.take(np.flatnonzero(targets.usable))
        rows = usable_rows(batches, targets.usable)
        stats = stats_of(self.classifier, rows, usable.indicator(), usable.weights)
        return self.fit_class_stats(stats, targets.sizes)

    def fit_class_stats(self, stats: ClassStats, sizes: Sizes) -> Scorer:
        """Train on statistics of the weights of the chosen terms, whoever has made them; the same comes out.

        They are of the documents that can be learned from (`Targets.usable`), and their classes are the numbers of all
        classes, from 0, whether a document is in them or not.
        """
        if stats.classes != tuple(range(len(sizes.classes))):
            last = len(sizes.classes) - 1
            raise InputError(f"stats.classes={shown(stats.classes)}; use the numbers of all classes, 0 to {last}.")
        weight = weight_by_number(self.class_weight, self.classifier, sizes)
        return scorer_of(fit_stats(self.classifier, stats, weight, several=sizes.several))
