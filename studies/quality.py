"""How good a selector with a classifier is, and what it costs: a figure of `textsieve.compare`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.sparse import csr_matrix

from textsieve import compare
from textsieve.comparison import Comparison, Row, half_width

from .documents import Collection, Documents, Fold, Settings
from .measurements import Estimate, Measurement, Scope, Tell, group_by

Size = int | float | str
"""A number of terms, a share of all, or "all"."""
Combination = tuple[str, Size, str]
"""Selector, number of terms and classifier, as `compare` takes them."""
ALL = "all"
PERCENT = "%"


class AsManyAs(NamedTuple):
    """A number of terms: as many as another selector selects from the same documents, without a limit."""

    selector: str


@dataclass(frozen=True)
class Quality(Measurement):
    """A figure of a row of `compare`: the mean over the folds."""

    collection: Collection
    selector: str
    """As `compare` takes it; "all" selects nothing."""
    n_terms: Size | AsManyAs
    classifier: str
    """As `compare` takes it, with its weights: "svm(C=1,tf=tf,idf=plain)"."""
    figure: str = "micro_f1"
    """A field of a `Row`; followed by %, it is multiplied by 100."""
    settings: Settings = ()
    """Settings of `compare` about multilabel documents."""

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Estimate]]:
        """Count each collection once, and measure each combination once for all figures."""
        for (collection, settings), measurements in group_by(wanted, "collection", "settings").items():
            tell(f"{collection.corpus}: {len(measurements)} numbers")
            documents = collection.documents(scope)
            combinations = group_by(measurements, "selector", "n_terms", "classifier")
            folds = [
                _measure_fold(documents, fold, list(combinations), settings, scope.n_jobs) for fold in documents.folds
            ]
            for combination, own in combinations.items():
                rows = [rows_of_fold[combination] for rows_of_fold in folds]
                yield from ((measurement, mean_over_folds(rows, measurement.figure)) for measurement in own)


def _measure_fold(
    documents: Documents, fold: Fold, combinations: list[Any], settings: Settings, n_jobs: int | None
) -> dict[Any, Row]:
    """Return the row of each combination on a fold."""
    others = dict.fromkeys(size.selector for _, size, _ in combinations if isinstance(size, AsManyAs))
    numbers = {name: len(columns) for name, columns in _selected(documents, fold, [*others], n_jobs).items()}
    sizes = {
        combination: combination[1] if not isinstance(combination[1], AsManyAs) else numbers[combination[1].selector]
        for combination in combinations
    }
    with_sizes = {given: (given[0], size, given[2]) for given, size in sizes.items()}
    rows = compare_fold(documents, fold, with_sizes.values(), settings, n_jobs)
    return {given: rows[combination] for given, combination in with_sizes.items()}


def _selected(documents: Documents, fold: Fold, selectors: list[str], n_jobs: int | None) -> dict[str, list[int]]:
    columns = select_terms(documents, fold, [(name, ALL) for name in selectors], n_jobs)
    return {name: columns[name, ALL] for name in selectors}


def mean_over_folds(rows: Sequence[Row], figure: str) -> Estimate:
    """Return the mean of a figure, and half of its interval; or the problem of a row that has no figure."""
    problem = next((row.problem for row in rows if row.problem is not None), None)
    if problem is not None:
        return Estimate(None, problem=problem)
    factor = 100.0 if figure.endswith(PERCENT) else 1.0
    values = [factor * getattr(row, figure.removesuffix(PERCENT)) for row in rows]
    ratio = float(np.mean([row.documents / row.trained_on for row in rows]))
    return Estimate(float(np.mean(values)), half_width(values, ratio))


# -- calling compare ---------------------------------------------------------------------------------------------------


def compare_fold(
    documents: Documents, fold: Fold, combinations: Iterable[Combination], settings: Settings, n_jobs: int | None
) -> dict[Combination, Row]:
    """Return the row of each combination on one fold."""
    rows: dict[Combination, Row] = {}
    for selectors, sizes, classifiers in products(combinations):
        compared = _compare(documents, fold, selectors, sizes, classifiers, settings, n_jobs)
        keys = [condition.key for condition in compared.conditions]
        by_key = {(row.selector, row.n_terms, row.classifier): row for row in compared.rows}
        given = [
            (selector, size, classifier)
            for selector in selectors
            for size in ([ALL] if selector == ALL else sizes)
            for classifier in classifiers
        ]
        rows |= {combination: by_key[key] for combination, key in zip(given, keys, strict=True)}
    return rows


def select_terms(
    documents: Documents, fold: Fold, selections: Iterable[tuple[str, Size]], n_jobs: int | None
) -> dict[tuple[str, Size], list[int]]:
    """Return the columns that each selector selects in a fold, the best first; none if no term qualifies.

    `compare` also trains a classifier on them, for which naive Bayes is the fastest.
    """
    columns: dict[tuple[str, Size], list[int]] = {}
    cut: Settings = (("cut", "zero"),) if documents.multilabel else ()
    for selectors, sizes, classifiers in products((*selection, "nb") for selection in selections):
        compared = _compare(documents, fold, selectors, sizes, classifiers, cut, n_jobs)
        names = {condition.key[0]: None for condition in compared.conditions}
        own = dict(zip(names, selectors, strict=True))
        selected = {(own[selection.selector], selection.n_terms): selection.terms for selection in compared.selections}
        for selector in selectors:
            for size in sizes:
                terms = () if selector == ALL else selected.get((selector, size), ())
                columns[selector, size] = (
                    documents.columns(fold).tolist()
                    if selector == ALL or terms is None
                    else [int(term.removeprefix("#")) for term in terms]
                )
    return columns


def _compare(
    documents: Documents,
    fold: Fold,
    selectors: Sequence[str],
    sizes: Sequence[Size],
    classifiers: Sequence[str],
    settings: Settings,
    n_jobs: int | None,
) -> Comparison:
    positions = np.concatenate([fold.train, fold.test])
    is_test = np.arange(len(positions)) >= len(fold.train)
    more: Mapping[str, Any] = {"min_df": documents.min_df, "multilabel": documents.multilabel, **dict(settings)}
    return compare(
        csr_matrix(documents.counts[positions]),
        documents.targets(fold, positions),
        splits=[(~is_test, is_test)],
        selectors=selectors,
        n_terms=sizes,
        classifiers=classifiers,
        n_jobs=n_jobs,
        **more,
    )


def products(combinations: Iterable[Combination]) -> list[tuple[list[str], list[Size], list[str]]]:
    """Return lists of selectors, sizes and classifiers whose products are the given combinations.

    `compare` measures products; few calls share most work.
    """
    classifiers: dict[tuple[str, Size], dict[str, None]] = {}
    for selector, size, classifier in combinations:
        classifiers.setdefault((selector, size), {})[classifier] = None
    sizes: dict[tuple[str, tuple[str, ...]], list[Size]] = {}
    for (selector, size), own in classifiers.items():
        sizes.setdefault((selector, tuple(own)), []).append(size)
    selectors: dict[tuple[tuple[Size, ...], tuple[str, ...]], list[str]] = {}
    for (selector, of_all), own_sizes in sizes.items():
        selectors.setdefault((tuple(own_sizes), of_all), []).append(selector)
    return [(names, list(of_sizes), list(of_all)) for (of_sizes, of_all), names in selectors.items()]
