"""Select terms when no machine has the statistics of all of them.

Most methods score each term by its own row of the table of statistics, and only the rows of the k best terms come to
the driver (`ranking.py`). User-defined selectors are treated in this way, too, so their score of a term must not depend
on other terms. The following methods are exceptions. Unless their item says otherwise, the driver collects the rows of
all terms that can change the result:

- *Forward selection* selects among the terms with the best scores: as many as its setting `candidates` says, or k if
  that is more.
- *Round-robin*: the classes take terms in turn, each time the best one that is left. A class takes at most k terms, so
  its k best terms are enough.
- *TOFA's automatic weight* depends on its candidates: the k best terms by each of two scores. Once the weight is known,
  TOFA scores each term like other methods.
- *TOFA's setting `energy`* is a share of the sum of all scores, and determines k. To find k, the scores of all terms
  come to the driver, but not their rows.
- *Typical testors with ε*: a class selects among the terms whose weight in its mean document is at least ε. Only these
  terms are collected. Nothing else is needed: their weights in the other classes are in the same rows, and for
  `scale="max"`, by which weights are relative to the largest weight of the class, the workers find this weight.
- *Typical testors with a number of terms* instead of ε: a search tries weights as ε, from the largest down, and stops
  when there are too many terms (`selectors.testors.contrast`). The terms with the largest weights are collected for it.
  If the search tries only weights above those of all terms that were not collected, its result is the same as among all
  terms. Otherwise it is repeated with twice as many terms.
- A *cascade* applies one selector after the other: each leaves fewer rows to the next. The rows stay on the workers
  after a selector that scores each term by itself; any other selector is fitted on the driver, as described here.
- *SVM weights* need the rows of all terms in all documents on one machine, so they raise an error.

Of terms with equal scores, the first in alphabetical order are selected, as on one machine.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa
from pyspark.sql import Window
from pyspark.sql import functions as F
from sklearn.base import clone

from ..arrays import Floats
from ..errors import InputError, NothingSelected, UnfitDocuments, warn
from ..selectors import TOFA, Cascade, ForwardSelection, TermSelector, TypicalTestors, WeightSelection
from ..selectors.base import DEFAULT_K, resolve_k
from ..selectors.pooled import ClassScorer, PooledSelector
from ..selectors.testors.contrast import Representatives
from ..selectors.testors.estimator import DEFAULT_EPSILON
from ..selectors.trace import auto_weight, between_class_scatter, smallest_tied_score, total_scatter
from ..stats import ClassStats
from ..stats.weights import class_shares
from .ranking import (
    SCORE,
    NoTermSelected,
    Ranking,
    SparkSelection,
    best_by_score,
    best_rows,
    is_among_best,
    max_selected,
    selected_rows,
    with_number_of_terms,
)
from .statistics import CorpusTotals, collect_terms
from .tasks import map_batches, persisted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .tasks import Batches


def require_selectable(selector: TermSelector) -> None:
    """Raise `InputError` if a selector, or a selector of a cascade, needs an SVM of all terms."""
    for stage in selector.valid_selectors() if isinstance(selector, Cascade) else ():
        require_selectable(stage)
    if isinstance(selector, WeightSelection) or getattr(selector, "candidates_by", None) == "weights":
        raise InputError(
            "it trains an SVM on all terms of all documents, which no machine has here",
            setting="selector",
            value=selector,
            hint="use forward or ocfs, or train without Spark",
        )


def select_terms(ranking: Ranking, selector: TermSelector, max_terms: int | None) -> SparkSelection:
    """Fit a copy of a selector to the terms of a ranking.

    It keeps at most `max_terms` terms, or if this is None, as many as its settings say.
    """
    copy = with_number_of_terms(selector, max_terms, ranking.n_terms)
    strategy = next((strategy for kind, strategy in STRATEGIES if isinstance(copy, kind)), best_by_score)
    return strategy(ranking, copy)


def _select_forward(ranking: Ranking, selector: ForwardSelection) -> SparkSelection:
    """Fit the selector to the terms with the best scores: as many as it has candidates, or selects if that is more."""
    selector.check_settings()
    # `max_selected` is None if all terms may be selected.
    n_collected = max(max_selected(ranking, selector) or ranking.n_terms, selector.candidates)
    rows = best_rows(ranking.with_scores(selector.score_terms), n_collected if n_collected < ranking.n_terms else None)
    return ranking.fit_selector(selector, rows)


def _select_tofa(ranking: Ranking, selector: TOFA) -> SparkSelection:
    """Compute the settings of TOFA that depend on all terms, and fit it to its best terms."""
    return best_by_score(ranking, _resolve_tofa(ranking, selector))


def _resolve_tofa(ranking: Ranking, selector: TOFA) -> TermSelector:
    """Return the selector with settings that score each term by itself: a number as weight, and `k` but no `energy`.

    If the weight is "auto", it is computed. If `energy` is set, `k` becomes the number of best terms that reach this
    share of the sum of all scores, unless it is smaller already.
    """
    resolved: Any = selector
    if resolved.requested_weight() == "auto":
        resolved = _with_weight(ranking, resolved)
    if resolved.energy is not None:
        rows = ranking.with_scores(resolved.score_terms).select(SCORE)
        scores = -np.sort(-rows.toArrow()[SCORE].to_numpy())  # descending
        resolved.score_terms(ranking.totals.without_terms())  # only because it sets the weight that `most_terms` needs
        n_selected = resolved.most_terms(scores, np.arange(len(scores)))
        resolved = clone(resolved).set_params(k=n_selected, energy=None)
    tofa: TermSelector = resolved
    return tofa


def _with_weight(ranking: Ranking, selector: Any) -> Any:
    """Return TOFA with its automatic weight, computed from the rows of its candidates.

    The candidates are the k best terms by each of the two scatters, with all terms that tie with the last of them.
    """
    limit = resolve_k(DEFAULT_K if selector.k is None else selector.k, ranking.n_terms)
    k, class_weight = min(limit or ranking.n_terms, ranking.n_terms), selector.class_weight
    # The score of each term is an array of both scatters.
    rows = ranking.with_scores(lambda stats: np.column_stack(_two_scatters(stats, class_weight)), "array<double>")
    is_candidate = F.lit(False)
    for position in range(2):
        scatter = F.col(SCORE)[position]
        largest = rows.select(scatter.alias("scatter")).orderBy(F.desc("scatter")).limit(k)
        kth_largest = largest.agg(F.min("scatter").alias("kth_largest")).collect()[0]["kth_largest"]
        is_candidate = is_candidate | (scatter >= smallest_tied_score(kth_largest))
    stats = collect_terms(rows.filter(is_candidate).drop(SCORE), ranking.totals).stats
    shares = class_shares(stats.class_docs, class_weight)
    return clone(selector).set_params(weight=auto_weight(*_two_scatters(stats, class_weight), stats, k, shares))


def _two_scatters(stats: ClassStats, class_weight: Any) -> tuple[Floats, Floats]:
    """Return the two scores of each term that TOFA combines: between-class scatter and total scatter."""
    return between_class_scatter(stats, class_weight), total_scatter(stats)


def _select_pooled(ranking: Ranking, selector: PooledSelector) -> SparkSelection:
    """Fit a selector with a score for each class: to its best terms, or for round-robin to the k best of each class."""
    if selector.pooling != "round-robin":
        return best_by_score(ranking, selector)
    k = max_selected(ranking, selector)
    if k is None:  # all terms may be selected
        return ranking.fit_selector(selector, ranking.table)
    # First the k best terms of each batch, of which Spark then finds the k best of all.
    task = _BestOfClasses(ranking.totals, selector.score_class, k)
    batch_best = map_batches(ranking.table, task, _BestOfClasses.SCHEMA)
    rank = F.row_number().over(Window.partitionBy("class").orderBy(F.desc("class_score"), "term"))
    terms = batch_best.withColumn("rank", rank).filter(F.col("rank") <= k).select("term").distinct()
    return ranking.fit_selector(selector, ranking.table.join(terms, "term", "left_semi"))


@dataclass(frozen=True)
class _BestOfClasses:
    """Task that yields, for each batch of terms and each class, the k best terms and their scores for the class."""

    totals: CorpusTotals
    score_class: Any
    k: int
    SCHEMA: ClassVar[str] = "class int, class_score double, term string"

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            terms, _, stats = self.totals.terms_of(batch)
            term_texts, scorer = pa.array(terms, pa.string()), ClassScorer(stats, self.score_class)
            for class_number in scorer.with_documents:
                scores = scorer(class_number)
                best = np.argsort(-scores, kind="stable")[: self.k]
                columns = [
                    pa.array(np.full(len(best), class_number, np.int32)),
                    pa.array(scores[best]),
                    term_texts.take(pa.array(best)),
                ]
                yield pa.record_batch(columns, names=["class", "class_score", "term"])


def _select_cascade(ranking: Ranking, selector: Cascade) -> SparkSelection:
    """Apply the selectors of a cascade one after the other, and return the selection of the last one."""
    if not selector.valid_selectors() or len(selector.valid_selectors()) < len(selector.selectors):
        raise InputError(setting="selectors", value=selector.selectors, hint="give a list of at least one selector")
    *before, last = selector.selectors
    for stage in before:
        ranking = _ranking_after(ranking, with_number_of_terms(stage, max_terms=None, n_terms=ranking.n_terms))
    with _naming_stage(last, ranking):
        return select_terms(ranking, last, max_terms=None)


def _ranking_after(ranking: Ranking, stage: TermSelector) -> Ranking:
    """Return the ranking of the terms that a selector of a cascade leaves to the next one.

    If the selector scores each term by itself, the rows of these terms stay on the workers. Otherwise, it is fitted on
    the driver.
    """
    with _naming_stage(stage, ranking):
        if isinstance(stage, TOFA):
            stage = _resolve_tofa(ranking, stage)  # it scores each term by itself now
        elif isinstance(stage, DEPEND_ON_OTHER_TERMS) or getattr(stage, "pooling", None) == "round-robin":
            fitted, candidates = select_terms(ranking, stage, max_terms=None)
            return ranking.restricted_to(candidates.terms[column] for column in fitted.selected_columns().tolist())
        rows = selected_rows(ranking, stage).drop(SCORE)
        n_terms = rows.count()
        if not n_terms:
            raise NoTermSelected
        return replace(ranking, table=rows, n_terms=n_terms)


@contextmanager
def _naming_stage(stage: TermSelector, ranking: Ranking) -> Iterator[None]:
    """Raise a `NoTermSelected` of this block as the `InputError` that a cascade on one machine raises."""
    try:
        yield
    except NoTermSelected as problem:
        raise InputError(f"{stage!r} keeps none of the {ranking.n_terms:,} terms that reached it.") from problem


# -- typical testors ---------------------------------------------------------------------------------------------

N_HEAVIEST = 4096
"""The number of terms, those with the largest weights, that the first attempt of the search for ε collects."""


def _select_testors(ranking: Ranking, selector: TypicalTestors) -> SparkSelection:
    """Fit the selector to the terms that weigh ε or more in the mean document of a class."""
    selector.check_settings()
    rows = _with_largest_weights(ranking, selector.scale)
    if selector.epsilon is None and resolve_k(selector.k, ranking.n_terms) is not None:
        with persisted(rows) as persistent_rows:
            return _select_testors_by_number(ranking, selector, persistent_rows)
    epsilon = DEFAULT_EPSILON if selector.epsilon is None else float(selector.epsilon)
    heavy_rows = rows.filter(F.col(SCORE) >= epsilon)
    # If no term weighs ε, the selector raises an error that says so when it is fitted to other terms.
    if heavy_rows.limit(1).count() == 0:
        heavy_rows = best_rows(rows, N_HEAVIEST)
    return ranking.fit_selector(selector, heavy_rows)


def _select_testors_by_number(ranking: Ranking, selector: TypicalTestors, rows: DataFrame) -> SparkSelection:
    """Fit the selector to more and more of the heaviest terms, until it finds the ε for its number of terms.

    Only the warnings of the last attempt are shown.
    """
    n = N_HEAVIEST
    while True:
        is_heavy = is_among_best(rows, n)
        # The largest weight of the terms that are not collected; None if all are.
        largest_left = rows.filter(~is_heavy).agg(F.max(SCORE).alias("largest")).collect()[0]["largest"]
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                selection = ranking.fit_selector(selector, rows.filter(is_heavy))
        except (NothingSelected, UnfitDocuments):  # more terms may be enough, unless there are no more
            if largest_left is None:
                raise
        else:
            if largest_left is None or _equals_search_among_all(selection, largest_left):
                for warning in caught:
                    warn(str(warning.message), warning.category)
                return selection
        n *= 2


def _equals_search_among_all(selection: SparkSelection, largest_left: float) -> bool:
    """Return whether the search for ε among the collected terms had the same result as one among all terms.

    It had, if all weights that it tried as ε are above `largest_left`, the largest weight of the terms that were not
    collected, and if it stopped before it reached the smallest weight of the collected ones.
    """
    fitted: Any = selection.selector
    weights = Representatives(selection.candidates.stats, fitted.scale).weights
    return bool(fitted.least_weight_tried_ > max(largest_left, weights[weights > 0].min()))


# -- weights in mean documents -----------------------------------------------------------------------------------


def _with_largest_weights(ranking: Ranking, scale: str) -> DataFrame:
    """Return the table with a score for each term: its largest weight in the mean document of any class.

    With the scale "max", the weights of each class are first divided by the largest of them. A class without weights
    above 0 has the divisor 1.
    """
    Representatives(ranking.totals.without_terms(), scale)  # called for its error if there is no such scale
    divisors = np.ones(len(ranking.totals.classes))
    if scale == "max":
        largest = map_batches(ranking.table, _LargestOfClasses(ranking.totals), _LargestOfClasses.SCHEMA)
        for row in largest.groupBy("class").agg(F.max("weight").alias("weight")).collect():
            divisors[row["class"]] = row["weight"] if row["weight"] > 0 else 1.0
    return ranking.with_scores(lambda stats: largest_weights(stats, divisors))


def class_weights(stats: ClassStats) -> Floats:
    """Return, for each filled cell (class, term), the weight of the term in the mean document of the class."""
    return np.asarray(stats.cells.sums.value / np.maximum(stats.class_docs, 1)[stats.cells.classes()])


def largest_weights(stats: ClassStats, divisors: Floats) -> Floats:
    """Return the largest weight of each term in any class, after dividing the weights of each class by its divisor."""
    largest = np.zeros(stats.n_terms)
    np.maximum.at(largest, stats.cells.terms, class_weights(stats) / divisors[stats.cells.classes()])
    return largest


@dataclass(frozen=True)
class _LargestOfClasses:
    """Task that yields, for each batch of terms, the largest weight of a term in the mean document of each class."""

    totals: CorpusTotals
    SCHEMA: ClassVar[str] = "class int, weight double"

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            stats = self.totals.terms_of(batch).stats
            largest = np.zeros(len(stats.classes))
            np.maximum.at(largest, stats.cells.classes(), class_weights(stats))
            class_numbers = np.flatnonzero(largest)
            columns = [pa.array(class_numbers.astype(np.int32)), pa.array(largest[class_numbers])]
            yield pa.record_batch(columns, names=["class", "weight"])


DEPEND_ON_OTHER_TERMS = ForwardSelection | TypicalTestors | Cascade
"""Selectors whose selected terms are not simply those with the best scores."""

STRATEGIES: tuple[tuple[type[TermSelector], Callable[[Ranking, Any], SparkSelection]], ...] = (
    (ForwardSelection, _select_forward),
    (TOFA, _select_tofa),
    (TypicalTestors, _select_testors),
    (Cascade, _select_cascade),
    (PooledSelector, _select_pooled),
)
"""Functions that select terms, by kind of selector; all other selectors only need `best_by_score`."""
