"""Measurements of selectors: the number and document frequencies of their terms, shared terms, and seconds."""

from __future__ import annotations

import time
from ast import literal_eval
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import mean, median
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from textsieve import (
    KNNFP,
    OCFS,
    TCFP,
    TOFA,
    ChiSquare,
    ClassStats,
    CosineKNN,
    InformationGain,
    Rocchio,
    TermWeighter,
)
from textsieve.classifiers import LinearSVM
from textsieve.comparison import half_width
from textsieve.selectors.chi import chi_square
from textsieve.selectors.information import information_gain
from textsieve.selectors.trace import trace_scores

from .documents import Collection, CollectionMeasurement, Documents, Fold, Ints
from .measurements import Estimate, Scope, group_by
from .quality import ALL, Size, select_terms

Columns = dict[tuple[str, Size], list[int]]
"""The columns that each selector selects with each number of terms, the best first."""

REPEATS = 15
"""The number of runs whose median time is reported."""
RARE = 20
"""k of k-NNFP: if a term is in fewer documents than this, all of them vote."""

WEIGHTS = ("tf", "idf", "norm")
LOG10 = "log10"
ESTIMATORS: dict[str, Callable[..., Any]] = {
    "ocfs": OCFS,
    "tofa": TOFA,
    "ig": InformationGain,
    "chi": ChiSquare,
    "knn": CosineKNN,
    "knnfp": KNNFP,
    "tcfp": TCFP,
    "rocchio": Rocchio,
    "nb": MultinomialNB,
    "svm": LinearSVM,
}


def estimator_of(variant: str) -> tuple[Any, dict[str, str]]:
    """Return the estimator that `compare` calls by this name, and the weights among its options.

    "knn(k=30,tf=log)" gives `CosineKNN(k=30)` and {"tf": "log"}. "tf=log10" is for `weighter_of`; `compare` has no such
    option.
    """
    name, _, options_text = variant.removesuffix(")").partition("(")
    options = dict(option.split("=") for option in options_text.split(",") if option)
    weights = {option: options.pop(option) for option in WEIGHTS if option in options}
    return ESTIMATORS[name](**{option: _parse_value(text) for option, text in options.items()}), weights


def weighter_of(weights: Mapping[str, str]) -> Any:
    """Return the transformer from counts to weights; "tf": "log10", which `TermWeighter` lacks, is 1 + log10 tf."""
    if weights.get("tf") != LOG10:
        return TermWeighter(**weights)
    return make_pipeline(FunctionTransformer(_one_plus_log10), TermWeighter(**{**weights, "tf": "tf"}))


def _one_plus_log10(counts: csr_matrix) -> csr_matrix:
    """Return 1 + log10 of the counts that are not 0."""
    return csr_matrix((1.0 + np.log10(counts.data), counts.indices, counts.indptr), counts.shape)


def _parse_value(text: str) -> Any:
    """Return the value of an option: a number, true or false, or the text itself."""
    try:
        return literal_eval(text.capitalize() if text in ("true", "false") else text)
    except ValueError:
        return text


@dataclass(frozen=True)
class TermsSelected(CollectionMeasurement):
    """The number of terms that a selector selects: the mean over folds."""

    step: ClassVar[str] = "numbers of terms"

    collection: Collection
    selector: str
    n_terms: Size = ALL

    @classmethod
    def measure_on(
        cls, documents: Documents, measurements: Sequence[Self], scope: Scope
    ) -> Iterator[tuple[Self, Estimate]]:
        """Rank once for each selector and fold."""
        selections = [(measurement.selector, measurement.n_terms) for measurement in measurements]
        folds = _select_in_folds(documents, selections, scope)
        for measurement, selection in zip(measurements, selections, strict=True):
            yield measurement, Estimate(float(mean(len(columns[selection]) for columns in folds)))


@dataclass(frozen=True)
class DocumentsCounted(CollectionMeasurement):
    """The number of training or test documents: the mean over folds."""

    step: ClassVar[str] = "numbers of documents"

    collection: Collection
    part: Literal["train", "test"]

    @classmethod
    def measure_on(
        cls, documents: Documents, measurements: Sequence[Self], scope: Scope
    ) -> Iterator[tuple[Self, Estimate]]:
        """Count the documents of each fold."""
        for measurement in measurements:
            sizes = [len(getattr(fold, measurement.part)) for fold in documents.folds]
            yield measurement, Estimate(float(mean(sizes)))


@dataclass(frozen=True)
class TermsShared(CollectionMeasurement):
    """The number of terms that two selectors share, each selecting `n_terms`: the mean over folds."""

    step: ClassVar[str] = "shared terms"

    collection: Collection
    selectors: tuple[str, str]
    n_terms: Size

    @classmethod
    def measure_on(
        cls, documents: Documents, measurements: Sequence[Self], scope: Scope
    ) -> Iterator[tuple[Self, Estimate]]:
        """Rank once for each selector and fold."""
        folds = _select_in_folds(documents, _selections(measurements), scope)
        for measurement in measurements:
            first, second = ((name, measurement.n_terms) for name in measurement.selectors)
            n_shared = [len(set(columns[first]) & set(columns[second])) for columns in folds]
            yield measurement, Estimate(float(mean(n_shared)))


@dataclass(frozen=True)
class TermsNotShared(CollectionMeasurement):
    """The terms of a selector that not all of the others select too, the best first; in the first fold."""

    step: ClassVar[str] = "terms that are not shared"

    collection: Collection
    selector: str
    selectors: tuple[str, ...]
    """All selectors that are compared."""
    n_terms: Size

    @classmethod
    def measure_on(
        cls, documents: Documents, measurements: Sequence[Self], scope: Scope
    ) -> Iterator[tuple[Self, Estimate]]:
        """Rank once for each selector."""
        columns = select_terms(documents, documents.folds[0], _selections(measurements), scope.n_jobs)
        for measurement in measurements:
            size = measurement.n_terms
            shared_by_all = set.intersection(*(set(columns[name, size]) for name in measurement.selectors))
            not_shared = [column for column in columns[measurement.selector, size] if column not in shared_by_all]
            yield measurement, Estimate(tuple(documents.terms[column] for column in not_shared))


FIGURES: dict[str, Callable[[Ints], float]] = {
    "mean": lambda doc_freq: float(doc_freq.mean()),
    "maximum": lambda doc_freq: int(doc_freq.max()),
    "minimum": lambda doc_freq: int(doc_freq.min()),
    f"below {RARE}": lambda doc_freq: int((doc_freq < RARE).sum()),
    "terms": len,
}
"""Figures of an array of document frequencies."""


@dataclass(frozen=True)
class TermFrequencies(CollectionMeasurement):
    """A figure of the document frequencies of the terms that a selector selects: the mean over folds."""

    step: ClassVar[str] = "document frequencies"

    collection: Collection
    selector: str
    n_terms: Size
    figure: str
    """A key of `FIGURES`."""
    of: Literal["folds", "all documents"] = "folds"
    """The documents that count: the training documents of each fold, or all documents at once."""

    @classmethod
    def measure_on(
        cls, documents: Documents, measurements: Sequence[Self], scope: Scope
    ) -> Iterator[tuple[Self, Estimate]]:
        """Rank once for each selector and fold."""
        groups = group_by(measurements, "of", "selector", "n_terms")
        for (of, selector, size), group in groups.items():
            folds = documents.folds if of == "folds" else (_fold_of_all(documents),)
            frequencies = [_document_frequencies(documents, fold, selector, size, scope) for fold in folds]
            for measurement in group:
                compute = FIGURES[measurement.figure]
                yield measurement, Estimate(float(np.mean([compute(doc_freq) for doc_freq in frequencies])))


def _fold_of_all(documents: Documents) -> Fold:
    """Return a fold whose training documents are all documents."""
    positions = np.arange(documents.counts.shape[0])
    return Fold(positions, positions, documents.labels)


def _document_frequencies(documents: Documents, fold: Fold, selector: str, size: Size, scope: Scope) -> Ints:
    """Return the document frequencies of the selected terms in the training documents."""
    if selector == ALL:
        columns = documents.columns(fold).tolist()
    else:
        columns = select_terms(documents, fold, [(selector, size)], scope.n_jobs)[selector, size]
    frequencies: Ints = np.bincount(documents.counts[fold.train].indices, minlength=len(documents.terms))
    return np.asarray(frequencies[columns])


@dataclass(frozen=True)
class TermsForEnergy(CollectionMeasurement):
    """The fewest terms that hold a share of the sum of all scores of `TOFA`, their energy: the mean over folds."""

    step: ClassVar[str] = "energy"

    collection: Collection
    weight: float
    energy: float
    scheme: tuple[str, str, str]
    """The weights of the documents: tf, idf and norm."""
    is_share: bool = False
    """Whether the number is in percent of all terms."""

    @classmethod
    def measure_on(
        cls, documents: Documents, measurements: Sequence[Self], scope: Scope
    ) -> Iterator[tuple[Self, Estimate]]:
        """Weight documents once for each scheme and fold, and score terms once for each weight of `TOFA`."""
        labels = [documents.targets(fold, fold.train) for fold in documents.folds]
        for (scheme,), of_scheme in group_by(measurements, "scheme").items():
            scheme_settings = dict(zip(WEIGHTS, scheme, strict=True))
            rows = [documents.weights(fold, **scheme_settings) for fold in documents.folds]
            for (weight,), of_weight in group_by(of_scheme, "weight").items():
                pairs = zip(rows, labels, strict=True)
                selectors = [TOFA(weight=weight, k="all", unlabelled=None).fit(*pair) for pair in pairs]
                for measurement in of_weight:
                    yield measurement, Estimate(float(mean(map(measurement._terms_needed, selectors))))

    def _terms_needed(self, selector: TOFA) -> float:
        """Return the number of terms that hold the energy, or with `is_share` their percentage of all terms."""
        n_terms = selector.n_terms_for(self.energy)
        return 100.0 * n_terms / len(selector.scores_) if self.is_share else float(n_terms)


@dataclass(frozen=True)
class SelectionSeconds(CollectionMeasurement):
    """The seconds from weights (or counts, if the selector uses counts) to the selected terms.

    It is the median of several runs on the training documents of the first fold.
    """

    is_of_seconds: ClassVar[bool] = True
    step: ClassVar[str] = "seconds"

    collection: Collection
    selector: str
    n_terms: Size = ALL

    @classmethod
    def measure_on(
        cls, documents: Documents, measurements: Sequence[Self], scope: Scope
    ) -> Iterator[tuple[Self, Estimate]]:
        """Run the selectors in turn, so that other load on the machine affects all of them; ignore the first run."""
        fold = documents.folds[0]
        labels, rows_by_scheme = documents.targets(fold, fold.train), {}
        jobs = {}
        for measurement in measurements:
            selector, scheme = estimator_of(measurement.selector)
            key = tuple(scheme.items())
            if key not in rows_by_scheme:
                rows_by_scheme[key] = documents.weights(fold, **scheme)
            jobs[measurement] = selector.set_params(k=measurement.n_terms), rows_by_scheme[key]
        runs = [
            {measurement: _time_selection(*job, labels) for measurement, job in jobs.items()}
            for _ in range(scope.limit(REPEATS) + 1)
        ]
        for measurement in measurements:
            yield measurement, Estimate(median(run[measurement] for run in runs[1:]))


def _time_selection(selector: Any, rows: Any, labels: list[Any]) -> float:
    """Return the seconds that a selector takes to select terms."""
    begin = time.perf_counter()
    selector.fit(rows, labels).get_support()
    return time.perf_counter() - begin


SCORES: dict[str, Callable[[ClassStats], Any]] = {
    "ig": information_gain,
    "chi": chi_square,
    **{f"tofa(weight={weight:g})": partial(trace_scores, weight=float(weight)) for weight in (0.0, 0.5, 1.0, 1.5, 2.0)},
}
"""Functions from statistics to the scores of all terms; the last with weight 1 is OCFS."""


@dataclass(frozen=True)
class ScoreSeconds(CollectionMeasurement):
    """The seconds from statistics of tf-idf weights to the scores of all terms: the median of several runs."""

    is_of_seconds: ClassVar[bool] = True
    step: ClassVar[str] = "seconds of scores"

    collection: Collection
    scores: str
    """A key of `SCORES`."""

    @classmethod
    def measure_on(
        cls, documents: Documents, measurements: Sequence[Self], scope: Scope
    ) -> Iterator[tuple[Self, Estimate]]:
        """Compute the statistics once, then run the functions in turn; ignore the first run."""
        fold = documents.folds[0]
        weights = documents.weights(fold, tf="tf", idf="plain", norm="l2")
        stats = ClassStats.from_matrix(weights, documents.targets(fold, fold.train))
        runs = [
            {measurement: _time_scores(SCORES[measurement.scores], stats) for measurement in measurements}
            for _ in range(scope.limit(2 * REPEATS) + 1)
        ]
        for measurement in measurements:
            yield measurement, Estimate(median(run[measurement] for run in runs[1:]))


def _time_scores(score: Callable[[ClassStats], Any], stats: ClassStats) -> float:
    """Return the processor time that the scores of all terms take."""
    begin = time.thread_time()
    score(stats)
    return time.thread_time() - begin


SHARES = (0.125, 0.25, 0.5, 1.0)
"""The shares of documents or terms whose seconds are compared."""


@dataclass(frozen=True)
class GrowthOfSelection(CollectionMeasurement):
    """The slope of log seconds of a selection over the log number of documents or of terms; 1 is linear growth."""

    is_of_seconds: ClassVar[bool] = True
    step: ClassVar[str] = "growth of seconds"

    collection: Collection
    selector: str
    over: Literal["documents", "terms"]

    @classmethod
    def measure_on(
        cls, documents: Documents, measurements: Sequence[Self], scope: Scope
    ) -> Iterator[tuple[Self, Estimate]]:
        """Select from random parts of the first fold, in turn; ignore the first run."""
        fold, random = documents.folds[0], np.random.default_rng(0)
        labels = np.array(documents.targets(fold, fold.train))
        for measurement in measurements:
            selector, scheme = estimator_of(measurement.selector)
            rows = documents.weights(fold, **scheme)
            n_rows, n_columns = rows.shape
            jobs = {}
            for share in SHARES:
                if measurement.over == "documents":
                    part = np.sort(random.permutation(n_rows)[: round(share * n_rows)])
                    jobs[share] = rows[part], labels[part].tolist()
                else:
                    part = np.sort(random.permutation(n_columns)[: round(share * n_columns)])
                    jobs[share] = rows[:, part], labels.tolist()
            runs = [
                {share: _time_selection(selector.set_params(k="all"), *job) for share, job in jobs.items()}
                for _ in range(scope.limit(REPEATS) + 1)
            ]
            seconds = [median(run[share] for run in runs[1:]) for share in SHARES]
            yield measurement, Estimate(float(np.polyfit(np.log(SHARES), np.log(seconds), 1)[0]))


@dataclass(frozen=True)
class TermsKept(CollectionMeasurement):
    """The terms that a selector selects from given labels and also from those of another collection, in percent."""

    step: ClassVar[str] = "terms that stay"

    collection: Collection
    """With the labels that are given."""
    changed: Collection
    """The same documents in folds of the same kind, with other labels."""
    selector: str
    n_terms: int

    @classmethod
    def measure_on(
        cls, documents: Documents, measurements: Sequence[Self], scope: Scope
    ) -> Iterator[tuple[Self, Estimate]]:
        """Rank once for each selector, collection and fold."""
        selections = [(measurement.selector, measurement.n_terms) for measurement in measurements]
        given = select_terms(documents, documents.folds[0], selections, scope.n_jobs)
        for (changed,), group in group_by(measurements, "changed").items():
            folds = _select_in_folds(changed.documents(scope), selections, scope)
            for measurement in group:
                key = measurement.selector, measurement.n_terms
                shares = [100.0 * len(set(given[key]) & set(columns[key])) / len(given[key]) for columns in folds]
                yield measurement, Estimate(float(mean(shares)), half_width(shares, 0.0))


def _select_in_folds(documents: Documents, selections: Sequence[tuple[str, Size]], scope: Scope) -> list[Columns]:
    """Return the selected columns of each fold."""
    return [select_terms(documents, fold, selections, scope.n_jobs) for fold in documents.folds]


def _selections(measurements: Sequence[Any]) -> list[tuple[str, Size]]:
    """Return the distinct selectors and numbers of terms of measurements that compare several selectors."""
    pairs = [(name, measurement.n_terms) for measurement in measurements for name in measurement.selectors]
    return list(dict.fromkeys(pairs))
