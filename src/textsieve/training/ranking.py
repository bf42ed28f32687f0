"""Rank the terms of a corpus, overall and for each class, without training a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import clone

from ..arrays import Floats, Ints
from ..categorizer_settings import Limits
from ..corpus import Corpus
from ..errors import InputError, NothingSelected, Setting, UnfitDocuments, listed_settings
from ..registry import selection_scheme
from ..selectors import TermSelector, TypicalTestors
from ..selectors.base import ReadAgain
from ..stats import ClassStats
from ..text.counter import TermCounter
from ..text.schemes import COUNTS
from .counted_documents import Progress, count_corpus

TermScores = list[tuple[str, float]]
"""Terms and their scores, the best first."""


def fitted_selector(
    selector: TermSelector,
    stats: ClassStats,
    most: int | None,
    documents: ReadAgain | None = None,
    sample_weight: Floats | None = None,
) -> TermSelector:
    """Return a copy of a selector, fitted to select at most `most` terms."""
    fitted: Any = clone(selector)
    if most is not None and "k" in fitted.get_params():
        fitted.set_params(k=min(most, stats.n_terms))
    kept: TermSelector = fitted.fit_stats(stats, documents, sample_weight)
    return kept


def with_every_label(selector: TermSelector) -> TermSelector:
    """Return a copy for which no label means unlabelled, because training has decided which documents are
    unlabelled.
    """
    copy: Any = clone(selector)
    names = [name for name in copy.get_params() if name.rpartition("__")[2] == "unlabelled"]
    settled: TermSelector = copy.set_params(**dict.fromkeys(names))
    return settled


def best_columns(selector: TermSelector, most: int | None) -> Ints:
    """Return the columns that a selector keeps, best first, at most `most`."""
    ranking, support = selector.ranking_, selector.get_support()
    best: Ints = ranking[support[ranking]][:most]
    if not len(best):
        raise NothingSelected(f"{_without_k(selector)!r} keeps none of the {len(support):,} terms.")
    return best


def _without_k(selector: TermSelector) -> TermSelector:
    """Return a copy of a selector with its default k, since training sets k to the number of terms that it needs."""
    copy: Any = clone(selector)
    k = signature(type(copy)).parameters.get("k")
    unlimited: TermSelector = copy if k is None else copy.set_params(k=k.default)
    return unlimited


def kept_columns(selector: TermSelector, most: int | None) -> Ints:
    """Return the columns that a selector keeps in any order, so that it need not compute scores for the order."""
    kept = selector.selected_columns()
    return kept if len(kept) and (most is None or len(kept) <= most) else best_columns(selector, most)


def found_by(selector: TermSelector) -> dict[str, Any]:
    """Return what a fitted selector determined and a model should record: the thresholds of testors."""
    if not isinstance(selector, TypicalTestors):
        return {}
    return {"testors": {"epsilon": selector.epsilon_, "delta": float(selector.delta)}}


class ShortestTestor(NamedTuple):
    """The fewest terms that tell a class from all others but some, and whether it is proved that fewer don't."""

    terms: list[str]
    proved: bool
    not_told_from: tuple[Any, ...] = ()
    """The classes that no term sets it apart from; if these are all others, there are no terms."""


@dataclass(frozen=True)
class RankedTerms:
    """The terms of a corpus as a selector ranks them."""

    best: TermScores
    by_class: dict[Any, TermScores]
    """The terms that speak for each class, with their scores for that class alone."""
    class_docs: dict[Any, int]
    n_documents: int
    n_terms: int
    selector: TermSelector = field(repr=False, compare=False)
    """What ranked them, fitted; with the statistics of the corpus."""
    shortest: dict[Any, ShortestTestor] = field(default_factory=dict)
    """Of typical testors, a shortest one of each class that has documents."""
    scores_are_exact: bool = True
    """Whether the scores are what the method says, and no estimate from a sample."""
    n_chosen: int = 0
    """How many terms the selector keeps, also those that are not among the n best."""
    found: dict[str, Any] = field(default_factory=dict)
    """What the selector has settled for itself: see `found_by`."""


def check_reading(reading: Mapping[str, Any]) -> None:
    """Raise `InputError` for settings that a `TermCounter` can't use, without reading a document."""
    TermCounter(**reading).validated_reading()


def rank_terms(
    corpus: Corpus, selector: TermSelector, n: int, *, progress: Progress, n_jobs: int = -1, **reading: Any
) -> RankedTerms:
    """Return the n best terms of a corpus, which may be larger than memory; `reading` has the settings of a
    `TermCounter`.

    Vectors are taken as they are, and their columns are named #0, #1, ...
    """
    if next(corpus.batches()).vectors is not None:
        _refuse_to_read_vectors(corpus, reading)
        stats = _stats_of_vectors(corpus, progress)
        terms = [f"#{column}" for column in range(stats.n_terms)]
        documents: ReadAgain = partial(_vectors_of, corpus)
    else:
        terms, stats, documents = _terms_and_stats(corpus, selector, reading, n_jobs, progress)
    with corpus.naming(UnfitDocuments):
        # As many are shown as were asked for; where that would change what is chosen, of those that would be.
        fitted = fitted_selector(selector, stats, None if selector.chooses_own_k else n, documents)
        best = best_columns(fitted, n)
        stats = fitted.stats_  # a label may mean "no label" to the selector

    def scored(columns: Ints, scores: NDArray[np.float64]) -> TermScores:
        return [(terms[column], score) for column, score in zip(columns.tolist(), scores.tolist(), strict=True)]

    return RankedTerms(
        best=scored(best, fitted.scores_[best]),
        by_class={label: scored(*each) for label, each in zip(stats.classes, fitted.best_by_class(n), strict=True)},
        class_docs=dict(zip(stats.classes, stats.class_docs.tolist(), strict=True)),
        n_documents=stats.n_documents,
        n_terms=stats.n_terms,
        selector=fitted,
        shortest=_shortest(fitted, terms) if isinstance(fitted, TypicalTestors) else {},
        scores_are_exact=fitted.scores_are_exact_ if isinstance(fitted, TypicalTestors) else True,
        n_chosen=int(fitted.get_support().sum()),
        found=found_by(fitted),
    )


def _shortest(fitted: TypicalTestors, terms: list[str]) -> dict[Any, ShortestTestor]:
    """Return the first of the shortest testors of each class; with more classes, less work is spent on each."""
    labels = list(fitted.comparison_)
    found = {label: fitted.shortest_testors(label, limit=1, share_of_work=1 / len(labels)) for label in labels}
    return {
        label: ShortestTestor(
            [terms[column] for testor in each.testors for column in testor], each.proved, each.not_told_from
        )
        for label, each in found.items()
    }


def _terms_and_stats(
    corpus: Corpus, selector: TermSelector, reading: Mapping[str, Any], n_jobs: int, progress: Progress
) -> tuple[list[str], ClassStats, ReadAgain]:
    """Return the terms, the statistics of the counts or weights that the selector reads, and these once more."""
    limits: Limits = {"min_df": reading.get("min_df", 1), "max_df": reading.get("max_df", 1.0)}
    settings = {name: value for name, value in reading.items() if name not in limits} | {"n_jobs": n_jobs}
    scheme = selection_scheme(selector)
    counted = count_corpus(
        *(corpus, TermCounter(**settings, dtype=np.int32), limits),
        multilabel=None,
        want_stats=scheme == COUNTS,
        progress=progress,
    )
    data = counted.selection_data(scheme)
    return [counted.terms[column] for column in data.columns.tolist()], data.stats, data.weights


def _refuse_to_read_vectors(corpus: Corpus, reading: Mapping[str, Any]) -> None:
    """Raise `InputError` for settings that apply to texts only."""
    usual = TermCounter().get_params()
    given = [Setting(name, value) for name, value in reading.items() if value != usual[name]]
    if given:
        raise InputError(
            "holds vectors, not texts, and these are taken as they are",
            place=corpus.name,
            hint=("leave out ", *listed_settings(given)),
        )


def _vectors_of(corpus: Corpus) -> Iterator[csr_matrix]:
    return (csr_matrix(batch.vectors) for batch in corpus.batches() if batch.vectors is not None)


def _stats_of_vectors(corpus: Corpus, progress: Progress) -> ClassStats:
    stats = ClassStats.zero()
    for batch in corpus.batches():
        stats.update(batch.vectors, batch.labels)
        progress("counting", stats.n_documents, None)
    return stats
