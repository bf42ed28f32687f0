"""Fit a selector to statistics and take the best terms, for training, comparison and `textsieve terms`.

`rank_terms` does so for a corpus, overall and for each class, without training a model.
"""

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
from ..categorizer_settings import SETTINGS, Limits
from ..corpus import Corpus
from ..errors import InputError, NothingSelected, Setting, UnfitDocuments, listed_settings
from ..registry import selection_scheme
from ..selectors import TermSelector, TypicalTestors
from ..selectors.base import ReadAgain
from ..stats import ClassStats
from ..stats.labels import LabelPairs, label_pairs
from ..text.choices import COUNTS
from ..text.counter import TermCounter
from ..text.vocabulary import SpelledTerms, Terms
from .counted_documents import Progress, SelectionData, count_corpus

TermScores = list[tuple[str, float]]
"""Terms and their scores, the best first."""


def fitted_selector(
    selector: TermSelector,
    stats: ClassStats,
    max_terms: int | None,
    documents: ReadAgain | None = None,
    sample_weight: Floats | None = None,
    labels: Any = None,
) -> TermSelector:
    """Return a copy of a selector, fitted to select at most `max_terms` terms.

    Some selectors need the documents themselves: `documents` returns the counts or weights from which `stats` were
    computed, and `labels` are the documents' labels.
    """
    copy: Any = clone(selector)
    if max_terms is not None and "k" in copy.get_params():  # a selector without `k` has no limit to set
        copy.set_params(k=min(max_terms, stats.n_terms))
    fitted: TermSelector = copy.fit_stats(stats, documents, sample_weight, labels)
    return fitted


def with_every_label(selector: TermSelector) -> TermSelector:
    """Return a copy of a selector for which every label is a class, also a label such as -1.

    The setting `unlabelled` of a selector is a label that means "no label". Training has already decided which
    documents are unlabelled, so the copy has None there. In a cascade, this is set for each of its selectors
    (`name__unlabelled`).
    """
    copy: Any = clone(selector)
    settings = [name for name in copy.get_params() if name.rpartition("__")[2] == "unlabelled"]
    changed: TermSelector = copy.set_params(**dict.fromkeys(settings, None))
    return changed


def best_columns(selector: TermSelector, max_terms: int | None) -> Ints:
    """Return the columns of the terms that a fitted selector selects, best first, at most `max_terms`.

    Raises `NothingSelected` if it selects none.
    """
    ranking, support = selector.ranking_, selector.get_support()
    best: Ints = ranking[support[ranking]][:max_terms]
    if not len(best):
        raise NothingSelected(f"{_with_default_k(selector)!r} keeps none of the {len(support):,} terms.")
    return best


def _with_default_k(selector: TermSelector) -> TermSelector:
    """Return a copy of a selector with its default k, for messages, since it was training that set k."""
    copy: Any = clone(selector)
    parameter = signature(type(copy)).parameters.get("k")
    changed: TermSelector = copy if parameter is None else copy.set_params(k=parameter.default)
    return changed


def kept_columns(selector: TermSelector, max_terms: int | None) -> Ints:
    """Return the columns of the terms that a fitted selector selects, at most `max_terms`.

    They are best first, except for typical testors, whose scores are expensive and are only computed if more than
    `max_terms` terms are selected (see `TypicalTestors`).
    """
    columns = selector.selected_columns()
    is_too_many = max_terms is not None and len(columns) > max_terms
    if is_too_many or not len(columns):
        return best_columns(selector, max_terms)  # which raises an error if nothing is selected
    return columns


def selector_details(selector: TermSelector) -> dict[str, Any]:
    """Return facts about a selection that a model records: the two thresholds of typical testors, otherwise none."""
    if not isinstance(selector, TypicalTestors):
        return {}
    return {"testors": {"epsilon": selector.epsilon_, "delta": float(selector.delta)}}


class ShortestTestor(NamedTuple):
    """The smallest set of terms found that distinguishes a class from the other classes."""

    terms: list[str]
    proved: bool
    """Whether it is proved that fewer terms don't suffice. If false, the search was stopped by its limit."""
    indistinguishable_from: tuple[Any, ...] = ()
    """The classes from which no term distinguishes the class; if these are all others, `terms` is empty."""


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
    """The fitted selector, with the statistics of the corpus."""
    shortest: dict[Any, ShortestTestor] = field(default_factory=dict)
    """For typical testors, the shortest one of each class that has documents."""
    scores_are_exact: bool = True
    """Whether the scores are exact, and not estimated from a sample of the testors."""
    n_selected: int = 0
    """The number of terms that the selector selects, which may be more than are listed in `best`."""
    details: dict[str, Any] = field(default_factory=dict)
    """What the selector determined; see `selector_details`."""


def check_reading(reading: Mapping[str, Any]) -> None:
    """Raise `InputError` for settings that a `TermCounter` can't use, without reading a document."""
    TermCounter(**reading).validated_reading()


def rank_terms(
    corpus: Corpus, selector: TermSelector, n: int, *, progress: Progress, n_jobs: int = -1, **reading: Any
) -> RankedTerms:
    """Return the n best terms of a corpus, which may be larger than memory.

    `reading` has the settings of a `TermCounter`. Of a corpus of vectors, the columns are the terms #0, #1, ...
    """
    if next(corpus.batches()).vectors is not None:  # the first batch shows whether the corpus has vectors or texts
        _refuse_to_read_vectors(corpus, reading)
        stats, labels = _stats_of_vectors(corpus, progress)
        terms: Terms = SpelledTerms(f"#{column}" for column in range(stats.n_terms))
        documents: ReadAgain = partial(_vectors_of, corpus)
    else:
        terms, data = _terms_and_data(corpus, selector, reading, n_jobs, progress)
        stats, documents, labels = data.stats, data.weights, data.labels
    with corpus.naming(UnfitDocuments):
        # A selector that chooses the number of terms itself might choose other terms if it were limited to n.
        fitted = fitted_selector(selector, stats, None if selector.chooses_own_k else n, documents, labels=labels)
        best = best_columns(fitted, n)
        stats = fitted.stats_  # its classes don't have the label that means "no label" to the selector

    def with_scores(columns: Ints, scores: NDArray[np.float64]) -> TermScores:
        """Return the terms of these columns, each with its score."""
        return list(zip(terms.take(columns), scores.tolist(), strict=True))

    return RankedTerms(
        best=with_scores(best, fitted.scores_[best]),
        by_class={
            label: with_scores(columns, scores)
            for label, (columns, scores) in zip(stats.classes, fitted.best_by_class(n), strict=True)
        },
        class_docs=dict(zip(stats.classes, stats.class_docs.tolist(), strict=True)),
        n_documents=stats.n_documents,
        n_terms=stats.n_terms,
        selector=fitted,
        shortest=_shortest_testors(fitted, terms) if isinstance(fitted, TypicalTestors) else {},
        scores_are_exact=fitted.scores_are_exact_ if isinstance(fitted, TypicalTestors) else True,
        n_selected=int(fitted.get_support().sum()),
        details=selector_details(fitted),
    )


def _shortest_testors(selector: TypicalTestors, terms: Terms) -> dict[Any, ShortestTestor]:
    """Return the shortest testor of each class; the selector's limit on the work is divided equally among classes."""
    labels = list(selector.comparison_)
    testors = {}
    for label in labels:
        result = selector.shortest_testors(label, limit=1, share_of_work=1 / len(labels))
        columns = [column for testor in result.testors for column in testor]  # there is at most one testor
        testor_terms = terms.take(np.array(columns, np.int64))
        testors[label] = ShortestTestor(testor_terms, result.proved, result.indistinguishable_from)
    return testors


def _terms_and_data(
    corpus: Corpus, selector: TermSelector, reading: Mapping[str, Any], n_jobs: int, progress: Progress
) -> tuple[Terms, SelectionData]:
    """Count a corpus of texts; return the terms within the limits, and the input of the selector."""
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
    return counted.terms.subset(data.columns), data


def _refuse_to_read_vectors(corpus: Corpus, reading: Mapping[str, Any]) -> None:
    """Raise `InputError` for settings that apply to texts only."""
    defaults = {name: spec.default for name, spec in SETTINGS.items()} | TermCounter().get_params()
    text_settings = [Setting(name, value) for name, value in reading.items() if value != defaults[name]]
    if text_settings:
        raise InputError(
            "holds vectors, not texts, and these are taken as they are",
            place=corpus.name,
            hint=("leave out ", *listed_settings(text_settings)),
        )


def _vectors_of(corpus: Corpus) -> Iterator[csr_matrix]:
    """Read a corpus of vectors again, and return its rows in batches."""
    return (csr_matrix(batch.vectors) for batch in corpus.batches() if batch.vectors is not None)


def _stats_of_vectors(corpus: Corpus, progress: Progress) -> tuple[ClassStats, LabelPairs]:
    """Return the statistics of a corpus of vectors, and the labels of its documents."""
    stats, labels = ClassStats.zero(), []
    for batch in corpus.batches():
        stats.update(batch.vectors, batch.labels)
        labels.extend(batch.labels)
        progress("counting", stats.n_documents, None)
    return stats, label_pairs(labels, len(labels))
