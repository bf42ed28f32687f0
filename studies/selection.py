"""What selectors select: how many terms, which terms two of them share, how frequent these are, how long it takes."""

from __future__ import annotations

import time
from ast import literal_eval
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import mean, median
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.naive_bayes import MultinomialNB

from textsieve import KNNFP, OCFS, TCFP, TOFA, ChiSquare, CosineKNN, InformationGain, Rocchio

from .documents import Collection, Documents, Fold, Ints
from .measurements import Estimate, Measurement, Scope, Tell, group_by
from .quality import ALL, Size, select_terms

REPEATS = 15
"""The number of runs whose median time is reported."""
RARE = 20
"""k of k-NNFP: if a term is in fewer documents than this, all of them vote."""

WEIGHTS = ("tf", "idf", "norm")
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
}


def estimator_of(variant: str) -> tuple[Any, dict[str, str]]:
    """Return the estimator that `compare` calls by this name, and the weights among its options.

    "knn(k=30,tf=log)" gives `CosineKNN(k=30)` and {"tf": "log"}.
    """
    name, _, written = variant.removesuffix(")").partition("(")
    options = dict(option.split("=") for option in written.split(",") if option)
    weights = {option: options.pop(option) for option in WEIGHTS if option in options}
    return ESTIMATORS[name](**{option: _value(text) for option, text in options.items()}), weights


def _value(text: str) -> Any:
    try:
        return literal_eval(text.capitalize() if text in ("true", "false") else text)
    except ValueError:
        return text


@dataclass(frozen=True)
class TermsSelected(Measurement):
    """The number of terms that a selector selects: the mean over folds."""

    collection: Collection
    selector: str
    n_terms: Size = ALL

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Estimate]]:
        """Rank once for each selector and fold."""
        for (collection,), measurements in group_by(wanted, "collection").items():
            tell(f"{collection.corpus}: numbers of terms")
            selections = [(measurement.selector, measurement.n_terms) for measurement in measurements]
            columns = _select_in_folds(collection.documents(scope), selections, scope)
            for measurement, selection in zip(measurements, selections, strict=True):
                yield measurement, Estimate(float(mean(len(of_fold[selection]) for of_fold in columns)))


@dataclass(frozen=True)
class DocumentsCounted(Measurement):
    """The number of training or test documents: the mean over folds."""

    collection: Collection
    part: Literal["train", "test"]

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Estimate]]:
        """Count each collection once."""
        for (collection,), measurements in group_by(wanted, "collection").items():
            folds = collection.documents(scope).folds
            for measurement in measurements:
                yield measurement, Estimate(float(mean(len(getattr(fold, measurement.part)) for fold in folds)))


@dataclass(frozen=True)
class TermsShared(Measurement):
    """The number of terms that two selectors share, each selecting `n_terms`: the mean over folds."""

    collection: Collection
    selectors: tuple[str, str]
    n_terms: Size

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Estimate]]:
        """Rank once for each selector and fold."""
        for (collection,), measurements in group_by(wanted, "collection").items():
            tell(f"{collection.corpus}: shared terms")
            columns = _select_in_folds(collection.documents(scope), _selections(measurements), scope)
            for measurement in measurements:
                first, second = ((name, measurement.n_terms) for name in measurement.selectors)
                shared = [len(set(of_fold[first]) & set(of_fold[second])) for of_fold in columns]
                yield measurement, Estimate(float(mean(shared)))


@dataclass(frozen=True)
class TermsNotShared(Measurement):
    """The terms of a selector that not all of the others select too, the best first; in the first fold."""

    collection: Collection
    selector: str
    selectors: tuple[str, ...]
    """All selectors that are compared."""
    n_terms: Size

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Estimate]]:
        """Rank once for each selector."""
        for (collection,), measurements in group_by(wanted, "collection").items():
            tell(f"{collection.corpus}: terms that are not shared")
            documents = collection.documents(scope)
            columns = select_terms(documents, documents.folds[0], _selections(measurements), scope.n_jobs)
            for measurement in measurements:
                size = measurement.n_terms
                common = set.intersection(*(set(columns[name, size]) for name in measurement.selectors))
                own = [column for column in columns[measurement.selector, size] if column not in common]
                yield measurement, Estimate(tuple(documents.terms[column] for column in own))


FIGURES: dict[str, Callable[[Ints], float]] = {
    "mean": lambda doc_freq: float(doc_freq.mean()),
    "maximum": lambda doc_freq: int(doc_freq.max()),
    "minimum": lambda doc_freq: int(doc_freq.min()),
    f"below {RARE}": lambda doc_freq: int((doc_freq < RARE).sum()),
    "terms": len,
}


@dataclass(frozen=True)
class TermFrequencies(Measurement):
    """A figure of the document frequencies of the terms that a selector selects: the mean over folds."""

    collection: Collection
    selector: str
    n_terms: Size
    figure: str
    """A row of `FIGURES`."""
    of: Literal["folds", "all documents"] = "folds"
    """Whether only the training documents of each fold count."""

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Estimate]]:
        """Rank once for each selector and fold."""
        for (collection, of), measurements in group_by(wanted, "collection", "of").items():
            tell(f"{collection.corpus}: document frequencies")
            documents = collection.documents(scope)
            folds = documents.folds if of == "folds" else (_all_of(documents),)
            for (selector, size), own in group_by(measurements, "selector", "n_terms").items():
                frequencies = [_frequencies(documents, fold, selector, size, scope) for fold in folds]
                for measurement in own:
                    figures = [FIGURES[measurement.figure](of_fold) for of_fold in frequencies]
                    yield measurement, Estimate(float(np.mean(figures)))


def _all_of(documents: Documents) -> Fold:
    """Return a fold whose training documents are all documents."""
    everything = np.arange(documents.counts.shape[0])
    return Fold(everything, everything, documents.labels)


def _frequencies(documents: Documents, fold: Fold, selector: str, size: Size, scope: Scope) -> Ints:
    """Return the document frequencies of the selected terms in the training documents."""
    if selector == ALL:
        columns = documents.columns(fold).tolist()
    else:
        columns = select_terms(documents, fold, [(selector, size)], scope.n_jobs)[selector, size]
    frequencies: Ints = np.bincount(documents.counts[fold.train].indices, minlength=len(documents.terms))
    return np.asarray(frequencies[columns])


@dataclass(frozen=True)
class TermsForEnergy(Measurement):
    """The fewest terms that hold a share of the sum of all scores of `TOFA`, their energy: the mean over folds."""

    collection: Collection
    weight: float
    energy: float
    scheme: tuple[str, str, str]
    """The weights of the documents: tf, idf and norm."""
    is_share: bool = False
    """Whether the number is in percent of all terms."""

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Estimate]]:
        """Score once for each weight and fold."""
        for (collection, scheme), measurements in group_by(wanted, "collection", "scheme").items():
            tell(f"{collection.corpus}: energy")
            documents = collection.documents(scope)
            weights = [documents.weights(fold, **dict(zip(WEIGHTS, scheme, strict=True))) for fold in documents.folds]
            labels = [documents.targets(fold, fold.train) for fold in documents.folds]
            for (weight,), own in group_by(measurements, "weight").items():
                pairs = zip(weights, labels, strict=True)
                fitted = [TOFA(weight=weight, k="all", unlabelled=None).fit(*pair) for pair in pairs]
                for measurement in own:
                    yield measurement, Estimate(float(mean(measurement._number(selector) for selector in fitted)))

    def _number(self, selector: TOFA) -> float:
        n_terms = selector.n_terms_for(self.energy)
        return 100.0 * n_terms / len(selector.scores_) if self.is_share else float(n_terms)


@dataclass(frozen=True)
class SelectionSeconds(Measurement):
    """The seconds from weights (or counts, if the selector uses counts) to the selected terms.

    It is the median of several runs on the training documents of the first fold.
    """

    is_of_seconds: ClassVar[bool] = True

    collection: Collection
    selector: str
    n_terms: Size = ALL

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Estimate]]:
        """Run the selectors in turn, so that other load of the machine hits all of them; ignore the first run."""
        for (collection,), measurements in group_by(wanted, "collection").items():
            tell(f"{collection.corpus}: seconds")
            documents = collection.documents(scope)
            fold = documents.folds[0]
            labels, weights = documents.targets(fold, fold.train), {}
            jobs = {}
            for measurement in measurements:
                selector, scheme = estimator_of(measurement.selector)
                key = tuple(scheme.items())
                if key not in weights:
                    weights[key] = documents.weights(fold, **scheme)
                jobs[measurement] = selector.set_params(k=measurement.n_terms), weights[key]
            runs = [
                {measurement: _seconds(*job, labels) for measurement, job in jobs.items()}
                for _ in range(scope.some(REPEATS) + 1)
            ]
            for measurement in measurements:
                yield measurement, Estimate(median(run[measurement] for run in runs[1:]))


def _seconds(selector: Any, weights: Any, labels: list[Any]) -> float:
    begin = time.perf_counter()
    selector.fit(weights, labels).get_support()
    return time.perf_counter() - begin


def _select_in_folds(
    documents: Documents, selections: Sequence[tuple[str, Size]], scope: Scope
) -> list[dict[tuple[str, Size], list[int]]]:
    return [select_terms(documents, fold, selections, scope.n_jobs) for fold in documents.folds]


def _selections(measurements: Sequence[Any]) -> list[tuple[str, Size]]:
    pairs = [(name, measurement.n_terms) for measurement in measurements for name in measurement.selectors]
    return list(dict.fromkeys(pairs))
