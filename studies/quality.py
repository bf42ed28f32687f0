"""Figures of `textsieve.compare`: the quality and cost of a selector with a classifier, on given folds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.sparse import csr_matrix

from textsieve import compare
from textsieve.comparison import Comparison, Row, half_width

from .documents import Collection, Documents, Fold, Settings
from .measurements import Estimate, Measurement, ReportStep, Scope, group_by

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
    def measure_all(
        cls, requested: Sequence[Self], scope: Scope, report_step: ReportStep
    ) -> Iterator[tuple[Self, Estimate]]:
        """Count each collection once, and measure each combination once for all figures."""
        for (collection, settings), measurements in group_by(requested, "collection", "settings").items():
            report_step(f"{collection.corpus}: {len(measurements)} numbers")
            documents = collection.documents(scope)
            combinations = group_by(measurements, "selector", "n_terms", "classifier")
            folds = [
                _measure_fold(documents, fold, list(combinations), settings, scope.n_jobs) for fold in documents.folds
            ]
            for combination, group in combinations.items():
                rows = [fold_rows[combination] for fold_rows in folds]
                yield from ((measurement, mean_over_folds(rows, measurement.figure)) for measurement in group)


def _measure_fold(
    documents: Documents, fold: Fold, combinations: list[Any], settings: Settings, n_jobs: int | None
) -> dict[Any, Row]:
    """Return the row of each combination on a fold; `AsManyAs` is replaced by a number of terms first."""
    others = dict.fromkeys((size.selector, ALL) for _, size, _ in combinations if isinstance(size, AsManyAs))
    other_columns = select_terms(documents, fold, others, n_jobs)
    with_numbers: dict[Any, Combination] = {}
    for combination in combinations:
        selector, size, classifier = combination
        n_terms = len(other_columns[size.selector, ALL]) if isinstance(size, AsManyAs) else size
        with_numbers[combination] = (selector, n_terms, classifier)
    rows = compare_fold(documents, fold, with_numbers.values(), settings, n_jobs)
    return {combination: rows[with_number] for combination, with_number in with_numbers.items()}


def mean_over_folds(rows: Sequence[Row], figure: str) -> Estimate:
    """Return the mean of a figure over the rows, one for each fold, and half the width of its interval.

    Return the problem instead if a row has one, and so no figures.
    """
    problem = next((row.problem for row in rows if row.problem is not None), None)
    if problem is not None:
        return Estimate(None, problem=problem)
    factor = 100.0 if figure.endswith(PERCENT) else 1.0
    values = [factor * getattr(row, figure.removesuffix(PERCENT)) for row in rows]
    tested_to_trained = float(np.mean([row.documents / row.trained_on for row in rows]))
    return Estimate(float(np.mean(values)), half_width(values, tested_to_trained))


# -- calling compare ---------------------------------------------------------------------------------------------------


def compare_fold(
    documents: Documents, fold: Fold, combinations: Iterable[Combination], settings: Settings, n_jobs: int | None
) -> dict[Combination, Row]:
    """Return the row of each combination on one fold.

    `compare` sorts the options in a name. So rows are found by the position of their condition, not by name.
    """
    rows: dict[Combination, Row] = {}
    for selectors, sizes, classifiers in products(combinations):
        comparison = _compare(documents, fold, selectors, sizes, classifiers, settings, n_jobs)
        keys = [condition.key for condition in comparison.conditions]
        rows_by_key = {(row.selector, row.n_terms, row.classifier): row for row in comparison.rows}
        in_order = [
            (selector, size, classifier)
            for selector in selectors
            for size in ([ALL] if selector == ALL else sizes)
            for classifier in classifiers
        ]
        rows |= {combination: rows_by_key[key] for combination, key in zip(in_order, keys, strict=True)}
    return rows


def select_terms(
    documents: Documents, fold: Fold, selections: Iterable[tuple[str, Size]], n_jobs: int | None
) -> dict[tuple[str, Size], list[int]]:
    """Return the columns that each selector selects in a fold, the best first; none if no term qualifies.

    `compare` also trains a classifier on them; naive Bayes is the fastest.
    """
    columns: dict[tuple[str, Size], list[int]] = {}
    cut: Settings = (("cut", "zero"),) if documents.multilabel else ()
    for selectors, sizes, classifiers in products((*selection, "nb") for selection in selections):
        comparison = _compare(documents, fold, selectors, sizes, classifiers, cut, n_jobs)
        names = dict.fromkeys(condition.key[0] for condition in comparison.conditions)
        requested_name = dict(zip(names, selectors, strict=True))  # `compare` sorts the options in a name
        terms_by_key = {
            (requested_name[selection.selector], selection.n_terms): selection.terms
            for selection in comparison.selections
        }
        for key in product(selectors, sizes):
            terms = None if key[0] == ALL else terms_by_key.get(key, ())  # None: all terms
            if terms is None:
                columns[key] = documents.columns(fold).tolist()
            else:
                columns[key] = [int(term.removeprefix("#")) for term in terms]
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
    """Call `compare` on the documents of one fold."""
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

    `compare` measures all products of its arguments and shares their work, so few calls are best. Pairs of selector and
    size with the same classifiers are merged first, then selectors with the same sizes and classifiers.
    """
    classifiers_of: dict[tuple[str, Size], dict[str, None]] = {}
    for selector, size, classifier in combinations:
        classifiers_of.setdefault((selector, size), {})[classifier] = None
    sizes_of: dict[tuple[str, tuple[str, ...]], list[Size]] = {}
    for (selector, size), classifiers in classifiers_of.items():
        sizes_of.setdefault((selector, tuple(classifiers)), []).append(size)
    selectors_of: dict[tuple[tuple[Size, ...], tuple[str, ...]], list[str]] = {}
    for (selector, shared_classifiers), sizes in sizes_of.items():
        selectors_of.setdefault((tuple(sizes), shared_classifiers), []).append(selector)
    return [
        (selectors, list(shared_sizes), list(shared_classifiers))
        for (shared_sizes, shared_classifiers), selectors in selectors_of.items()
    ]
