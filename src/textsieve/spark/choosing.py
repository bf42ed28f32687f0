"""Select terms when no machine has the statistics of all of them.

Most methods score each term by its own row of the table, and only the rows of the k best come to the driver
(`ranking.py`). User-defined selectors are treated in this way, too, so their scores must be of this kind. The other
methods select the same terms as they would among all if the terms that are not collected do not matter:

- *Forward selection* selects among the terms with the best scores, and says among how many.
- *Round-robin*: a class takes at most k terms, each time the best one that is left; so its k best are enough.
- *TOFA's automatic weight* depends on its candidates: the k best terms by each of two scores. Once the weight is known,
  TOFA scores each term like other methods.
- *Energy* is a share of the sum of all scores: the scores of all terms come to the driver, and nothing else.
- *Typical testors* look at terms that weigh ε or more in the mean document of some class. If ε has to be found, the
  heaviest terms are tried, and their number is doubled as long as a term that was not collected could matter.
- A *cascade* is one selector after the other: each leaves fewer rows to the next.

Of terms with equal scores, the first in alphabetical order is selected, which has the lower column on one machine.
"""

from __future__ import annotations

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
from ..errors import InputError
from ..selectors import TOFA, Cascade, ForwardSelection, TermSelector, TypicalTestors
from ..selectors.base import DEFAULT_K, limit_of
from ..selectors.pooled import ClassScorer, PooledSelector
from ..selectors.trace import between_class_scatter, total_scatter
from ..selectors.trace_weight import auto_weight, bound_of_running
from ..stats import ClassStats
from ..stats.weights import class_shares
from .ranking import (
    SCORE,
    NoneKept,
    Ranking,
    SparkSelection,
    best_by_score,
    best_rows,
    kept_rows,
    number_kept,
    with_number,
)
from .table import Whole, collected
from .testors import testors_of
from .worker import mapped

if TYPE_CHECKING:
    from .worker import Batches


def chosen_by(ranking: Ranking, selector: TermSelector, most: int | None) -> SparkSelection:
    """Fit a selector that keeps at most `most` terms; None: as many as its own settings say."""
    own_selector = with_number(selector, most, ranking.n_terms)
    select = next((select_terms for kind, select_terms in WAYS if isinstance(own_selector, kind)), best_by_score)
    return select(ranking, own_selector)


def _forward(ranking: Ranking, selector: ForwardSelection) -> SparkSelection:
    selector.check_settings()
    number = max(number_kept(ranking, selector) or ranking.n_terms, selector.candidates)
    rows = best_rows(ranking.scored(selector._score), number if number < ranking.n_terms else None)
    return ranking.fitted(selector, rows)


def _trace(ranking: Ranking, selector: TOFA) -> SparkSelection:
    return best_by_score(ranking, _settled_trace(ranking, selector))


def _settled_trace(ranking: Ranking, selector: TOFA) -> TermSelector:
    """Return the selector with its weight computed, and with the number of terms that its energy corresponds to."""
    settled: Any = selector
    if settled._asked_weight() == "auto":
        settled = _with_weight(ranking, settled)
    if settled.energy is not None:
        rows = ranking.scored(settled._score).select(SCORE)
        scores = -np.sort(-rows.toArrow()[SCORE].to_numpy())
        settled._score(ranking.whole.without_terms())  # sets its weight
        number = settled._most(scores, np.arange(len(scores)))
        settled = clone(settled).set_params(k=number, energy=None)
    trace_selector: TermSelector = settled
    return trace_selector


def _with_weight(ranking: Ranking, selector: Any) -> Any:
    """Return TOFA with the weight that it would find, computed from the rows of its candidates."""
    limit = limit_of(DEFAULT_K if selector.k is None else selector.k, ranking.n_terms)
    k, class_weight = min(limit or ranking.n_terms, ranking.n_terms), selector.class_weight
    rows = ranking.scored(lambda stats: np.column_stack(_two_scatters(stats, class_weight)), "array<double>")
    is_candidate = F.lit(False)
    for position in range(2):
        values = rows.select(F.col(SCORE)[position].alias("value")).orderBy(F.desc("value")).limit(k)
        least = values.agg(F.min("value").alias("least")).collect()[0]["least"]
        is_candidate = is_candidate | (F.col(SCORE)[position] >= bound_of_running(least))
    stats = collected(rows.filter(is_candidate).drop(SCORE), ranking.whole).stats
    shares = class_shares(stats.class_docs, class_weight)
    return clone(selector).set_params(weight=auto_weight(*_two_scatters(stats, class_weight), stats, k, shares))


def _two_scatters(stats: ClassStats, class_weight: Any) -> tuple[Floats, Floats]:
    return between_class_scatter(stats, class_weight), total_scatter(stats)


def _pooled(ranking: Ranking, selector: PooledSelector) -> SparkSelection:
    number = number_kept(ranking, selector)
    if selector.pooling != "round-robin":
        return best_by_score(ranking, selector)
    if number is None:
        return ranking.fitted(selector, ranking.table)
    class_best = mapped(ranking.table, _ClassBest(ranking.whole, selector._score_class, number), _ClassBest.SCHEMA)
    rank = F.row_number().over(Window.partitionBy("class").orderBy(F.desc("own"), "term"))
    terms = class_best.withColumn("place", rank).filter(F.col("place") <= number).select("term").distinct()
    return ranking.fitted(selector, ranking.table.join(terms, "term", "left_semi"))


@dataclass(frozen=True)
class _ClassBest:
    """Task that yields the best terms of each batch for each class, one class at a time."""

    whole: Whole
    score_class: Any
    number: int
    SCHEMA: ClassVar[str] = "class int, own double, term string"

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            terms, _, stats = self.whole.terms_of(batch)
            term_texts, scorer = pa.array(terms, pa.string()), ClassScorer(stats, self.score_class)
            for number in scorer.with_documents:
                scores = scorer(number)
                best = np.argsort(-scores, kind="stable")[: self.number]
                columns = [pa.array(np.full(len(best), number, np.int32)), pa.array(scores[best])]
                yield pa.record_batch([*columns, term_texts.take(pa.array(best))], names=["class", "own", "term"])


def _cascade(ranking: Ranking, selector: Cascade) -> SparkSelection:
    if not selector._sound() or len(selector._sound()) < len(selector.selectors):
        raise InputError(setting="selectors", value=selector.selectors, hint="give a list of at least one selector")
    *before, last = selector.selectors
    for stage in before:
        ranking = _after(ranking, with_number(stage, None, ranking.n_terms))
    with _reached(last, ranking):
        return chosen_by(ranking, last, None)


def _after(ranking: Ranking, stage: TermSelector) -> Ranking:
    """Return the ranking of the terms that a stage leaves to the next."""
    with _reached(stage, ranking):
        if isinstance(stage, TOFA):
            stage = _settled_trace(ranking, stage)
        elif isinstance(stage, NEED_OTHERS) or getattr(stage, "pooling", None) == "round-robin":
            fitted, candidates = chosen_by(ranking, stage, None)
            return ranking.narrowed(candidates.terms[column] for column in fitted.kept_columns().tolist())
        rows = kept_rows(ranking, stage).drop(SCORE)
        n_terms = rows.count()
        if not n_terms:
            raise NoneKept("none")
        return replace(ranking, table=rows, n_terms=n_terms)


@contextmanager
def _reached(stage: TermSelector, ranking: Ranking) -> Iterator[None]:
    """Raise the error message of a cascade if a stage keeps no terms."""
    try:
        yield
    except NoneKept as problem:
        raise InputError(f"{stage!r} keeps none of the {ranking.n_terms:,} terms that reached it.") from problem


NEED_OTHERS = ForwardSelection | TypicalTestors | Cascade
"""Selectors that need more than a score of each term."""

WAYS: tuple[tuple[type[TermSelector], Callable[[Ranking, Any], SparkSelection]], ...] = (
    (ForwardSelection, _forward),
    (TOFA, _trace),
    (TypicalTestors, testors_of),
    (Cascade, _cascade),
    (PooledSelector, _pooled),
)
"""Functions for the selectors that need more steps; all others need only a score of each term."""
