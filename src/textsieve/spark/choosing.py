"""Which terms a selector would choose, when no machine has the statistics of all of them.

Most methods score each term by its own row of the table, and the rows of the k best come to the driver (`ranking.py`);
so does a selector of the user's own, whose scores must be of that kind. What is chosen among these is what would be
chosen among all if the terms that stay behind do not matter:

- *Forward selection* chooses among the best of its scores, and says among how many.
- *Round-robin*: a class takes no more than k terms, each time its best that is left; so its k best are enough.
- *TOFA's own weight* depends on the terms in the running, the k best by each of two scores. With the weight settled it
  is a score like others.
- *Energy* is a share of the sum of all scores: of all terms the scores come to the driver, and nothing else.
- *Typical testors* look at terms that weigh ε or more in the mean document of some class. If ε is to be found, the
  heaviest terms are tried, and twice as many as long as a term that stayed behind could matter.
- A *cascade* is one selector after the other: each leaves fewer rows to the next.

Equal scores: the first in the alphabet, which is the lower column on one machine.
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

from ..errors import InputError, shown
from ..selectors import TOFA, Cascade, ForwardSelection, TermSelector, TypicalTestors
from ..selectors.base import DEFAULT_K, limit_of
from ..selectors.pooled import ClassScorer, PooledSelector
from ..selectors.trace import between_class_scatter, total_scatter
from ..selectors.trace_weight import auto_weight, bound_of_running
from ..stats import ClassStats
from ..stats.shares import class_shares
from ..stats.sums import Floats
from .ranking import SCORE, Chosen, NoneKept, Ranking, best_by_score, best_rows, kept_rows, number_kept, with_number
from .table import Whole, collected
from .testors import testors_of
from .worker import mapped

if TYPE_CHECKING:
    from .worker import Batches


def chosen_by(ranking: Ranking, selector: TermSelector, most: int | None) -> Chosen:
    """Fit a selector, to keep at most so many terms; None: as many as it says itself."""
    settled = with_number(selector, most, ranking.n_terms)
    choose = next((way for kind, way in WAYS if isinstance(settled, kind)), best_by_score)
    return choose(ranking, settled)


def _forward(ranking: Ranking, selector: ForwardSelection) -> Chosen:
    selector.check_settings()
    number = max(number_kept(ranking, selector) or ranking.n_terms, selector.candidates)
    rows = best_rows(ranking.scored(selector._score), number if number < ranking.n_terms else None)
    return ranking.fitted(selector, rows)


def _trace(ranking: Ranking, selector: TOFA) -> Chosen:
    return best_by_score(ranking, _settled_trace(ranking, selector))


def _settled_trace(ranking: Ranking, selector: TOFA) -> TermSelector:
    """The same with its weight, and with the number of terms that its energy stands for."""
    settled: Any = selector
    if settled._asked_weight() == "auto":
        settled = _with_weight(ranking, settled)
    if settled.energy is not None:
        rows = ranking.scored(settled._score).select(SCORE)
        scores = -np.sort(-rows.toArrow()[SCORE].to_numpy())
        settled._score(ranking.whole.without_terms())  # so that it knows its weight
        number = settled._most(scores, np.arange(len(scores)))
        settled = clone(settled).set_params(k=number, energy=None)
    known: TermSelector = settled
    return known


def _with_weight(ranking: Ranking, selector: Any) -> Any:
    """TOFA with the weight that it would find: from the rows of the terms in the running."""
    asked = limit_of(DEFAULT_K if selector.k is None else selector.k, ranking.n_terms)
    k, class_weight = min(asked or ranking.n_terms, ranking.n_terms), selector.class_weight
    rows = ranking.scored(lambda stats: np.column_stack(_two_scatters(stats, class_weight)), "array<double>")
    in_running = F.lit(False)
    for place in range(2):
        values = rows.select(F.col(SCORE)[place].alias("value")).orderBy(F.desc("value")).limit(k)
        least = values.agg(F.min("value").alias("least")).collect()[0]["least"]
        in_running = in_running | (F.col(SCORE)[place] >= bound_of_running(least))
    stats = collected(rows.filter(in_running).drop(SCORE), ranking.whole).stats
    shares = class_shares(stats.class_docs, class_weight)
    return clone(selector).set_params(weight=auto_weight(*_two_scatters(stats, class_weight), stats, k, shares))


def _two_scatters(stats: ClassStats, class_weight: Any) -> tuple[Floats, Floats]:
    return between_class_scatter(stats, class_weight), total_scatter(stats)


def _pooled(ranking: Ranking, selector: PooledSelector) -> Chosen:
    number = number_kept(ranking, selector)
    if selector.pooling != "round-robin":
        return best_by_score(ranking, selector)
    if number is None:
        return ranking.fitted(selector, ranking.table)
    wishes = mapped(ranking.table, _Wishes(ranking.whole, selector._score_class, number), _Wishes.SCHEMA)
    place = F.row_number().over(Window.partitionBy("class").orderBy(F.desc("own"), "term"))
    wanted = wishes.withColumn("place", place).filter(F.col("place") <= number).select("term").distinct()
    return ranking.fitted(selector, ranking.table.join(wanted, "term", "left_semi"))


@dataclass(frozen=True)
class _Wishes:
    """The best terms of each batch for each class, a class at a time."""

    whole: Whole
    score_class: Any
    number: int
    SCHEMA: ClassVar[str] = "class int, own double, term string"

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            terms, _, stats = self.whole.terms_of(batch)
            spelled, scorer = pa.array(terms, pa.string()), ClassScorer(stats, self.score_class)
            for number in scorer.with_documents:
                scores = scorer(number)
                best = np.argsort(-scores, kind="stable")[: self.number]
                columns = [pa.array(np.full(len(best), number, np.int32)), pa.array(scores[best])]
                yield pa.record_batch([*columns, spelled.take(pa.array(best))], names=["class", "own", "term"])


def _cascade(ranking: Ranking, selector: Cascade) -> Chosen:
    if not selector._sound() or len(selector._sound()) < len(selector.selectors):
        raise InputError(f"selectors={shown(selector.selectors)}; give a list of at least one selector.")
    *before, last = selector.selectors
    for stage in before:
        ranking = _after(ranking, with_number(stage, None, ranking.n_terms))
    with _reached(last, ranking):
        return chosen_by(ranking, last, None)


def _after(ranking: Ranking, stage: TermSelector) -> Ranking:
    """What a stage leaves to the next."""
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
    """Say it as a cascade does if a stage keeps nothing."""
    try:
        yield
    except NoneKept as problem:
        raise InputError(f"{stage!r} keeps none of the {ranking.n_terms:,} terms that reached it.") from problem


NEED_OTHERS = ForwardSelection | TypicalTestors | Cascade
"""Selectors that do not go by a score of each term alone."""

WAYS: tuple[tuple[type[TermSelector], Callable[[Ranking, Any], Chosen]], ...] = (
    (ForwardSelection, _forward),
    (TOFA, _trace),
    (TypicalTestors, testors_of),
    (Cascade, _cascade),
    (PooledSelector, _pooled),
)
"""How the selectors choose for which there is more to do; all others go by a score of each term alone."""
