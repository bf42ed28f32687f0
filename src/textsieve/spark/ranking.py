"""Which terms a selector would choose, when no machine has the statistics of all of them.

Most methods score each term by its own row of the table. The score is worked out where the row is, by the selector
itself; only the rows of the k best come to the driver, and on these the selector chooses as if there had never been
others. That is its choice among all if the terms that stay behind do not matter:

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

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import Window
from pyspark.sql import functions as F
from sklearn.base import clone

from ..errors import InputError, NothingChosen, shown
from ..selectors import TOFA, Cascade, ForwardSelection, TermSelector, TypicalTestors
from ..selectors.base import DEFAULT_K, Documents, limit_of
from ..selectors.comparison import Representatives
from ..selectors.pooled import ClassScorer, PooledSelector
from ..selectors.testors import DEFAULT_EPSILON
from ..selectors.trace import between_class_scatter, total_scatter
from ..selectors.trace_weight import auto_weight, bound_of_running
from ..stats import ClassStats
from ..stats.shares import class_shares
from ..stats.sums import Floats
from .table import TERMS, Terms, Whole, collected
from .worker import mapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .worker import Batches

ScoreTerms = Callable[[ClassStats], Floats]
"""One score for each term, or several (terms x scores)."""

DocumentsOf = Callable[[list[str]], Documents]
"""Begins to go through the weights of some terms in all documents."""

SCORE = "score"
_TESTORS_AT_FIRST = 4096


class Chosen(NamedTuple):
    """A selector that was fitted to all terms that matter to it, and which these are: its columns."""

    selector: TermSelector
    candidates: Terms


@dataclass(frozen=True)
class Ranking:
    """The table of terms to choose from."""

    table: DataFrame
    whole: Whole
    n_terms: int
    documents_of: DocumentsOf

    def chosen_by(self, selector: TermSelector, most: int | None) -> Chosen:
        """Fit a selector, to keep at most so many terms; None: as many as it says itself."""
        settled = _with_number(selector, most, self.n_terms)
        choose = next((way for kind, way in WAYS if isinstance(settled, kind)), best_by_score)
        return choose(self, settled)

    def scored(self, score: ScoreTerms, kind: str = "double") -> DataFrame:
        """The table with scores beside each term."""
        return mapped(self.table, _Score(self.whole, score), f"{TERMS}, {SCORE} {kind}")

    def fitted(self, selector: TermSelector, rows: DataFrame) -> Chosen:
        """Bring rows to the driver, and fit the selector to them."""
        candidates = collected(rows.drop(SCORE), self.whole)
        if not candidates.terms:
            raise NothingChosen(f"{selector!r} keeps none of the {self.n_terms:,} terms.")
        return Chosen(selector.fit_stats(candidates.stats, self.documents_of(candidates.terms)), candidates)

    def narrowed(self, terms: Iterable[str]) -> Ranking:
        """Some of the terms."""
        listed = [(term,) for term in terms]
        kept = self.table.sparkSession.createDataFrame(listed, "term string")
        return replace(self, table=self.table.join(kept, "term", "left_semi"), n_terms=len(listed))


@dataclass(frozen=True)
class _Score:
    """Adds scores to the rows of the table, where they are."""

    whole: Whole
    score: ScoreTerms

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            scores = self.score(self.whole.terms_of(batch).stats)
            column = pa.array(scores) if scores.ndim == 1 else pa.array(list(scores), pa.list_(pa.float64()))
            yield pa.record_batch([*batch.columns, column], names=[*batch.schema.names, SCORE])


def _with_number(selector: TermSelector, most: int | None, n_terms: int) -> TermSelector:
    """A copy that knows how many terms it keeps: a share would be one of those that come to the driver."""
    copy: Any = clone(selector)
    if "k" in copy.get_params():
        if most is None and isinstance(copy.k, float):
            most = limit_of(copy.k, n_terms)
        if most is not None:
            copy.set_params(k=min(most, n_terms))
    settled: TermSelector = copy
    return settled


# -- the best by score -------------------------------------------------------------------------------------------


def best_rows(rows: DataFrame, n: int | None, least: float | None = None) -> DataFrame:
    """The n best of rows that have a score, none of them below the least; None: all."""
    score = F.col(SCORE)
    if least is not None:
        rows = rows.filter(score >= least)
    if n is None:
        return rows
    first = rows.select(SCORE, "term").orderBy(score.desc(), "term").limit(n)
    last = first.agg(F.max(F.struct((-score).alias("below"), "term")).alias("last")).collect()[0]["last"]
    if last is None:
        return rows
    limit = F.lit(-last["below"])
    return rows.filter((score > limit) | ((score == limit) & (F.col("term") <= last["term"])))


def kept_rows(ranking: Ranking, selector: TermSelector) -> DataFrame:
    """The rows of the terms that a selector keeps by their scores alone."""
    number = selector._most(np.zeros(ranking.n_terms), np.zeros(0, np.int64))
    number = None if number is not None and number >= ranking.n_terms else number
    return best_rows(ranking.scored(selector._score), number, selector._least_score(ranking.whole.without_terms()))


def best_by_score(ranking: Ranking, selector: TermSelector) -> Chosen:
    """The best terms by scores that each term has by itself."""
    return ranking.fitted(selector, kept_rows(ranking, selector))


# -- those that need others, or more -----------------------------------------------------------------------------


def _forward(ranking: Ranking, selector: ForwardSelection) -> Chosen:
    selector.check_settings()
    most = selector._most(np.zeros(ranking.n_terms), np.zeros(0, np.int64)) or ranking.n_terms
    number = max(most, selector.candidates)
    rows = best_rows(ranking.scored(selector._score), number if number < ranking.n_terms else None)
    return ranking.fitted(selector, rows)


def _trace(ranking: Ranking, selector: TOFA) -> Chosen:
    settled: Any = selector
    if settled._asked_weight() == "auto":
        settled = _with_weight(ranking, settled)
    if settled.energy is not None:
        rows = ranking.scored(settled._score).select(SCORE)
        scores = -np.sort(-rows.toArrow()[SCORE].to_numpy())
        settled._score(ranking.whole.without_terms())  # so that it knows its weight
        number = settled._most(scores, np.arange(len(scores)))
        settled = clone(settled).set_params(k=number, energy=None)
    return best_by_score(ranking, settled)


def _with_weight(ranking: Ranking, selector: Any) -> Any:
    """TOFA with the weight that it would find: from the rows of the terms in the running."""
    k = min(
        limit_of(DEFAULT_K if selector.k is None else selector.k, ranking.n_terms) or ranking.n_terms, ranking.n_terms
    )
    class_weight = selector.class_weight
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
    if selector.pooling != "round-robin":
        return best_by_score(ranking, selector)
    number = selector._most(np.zeros(ranking.n_terms), np.zeros(0, np.int64))
    if number is None or number >= ranking.n_terms:
        return ranking.fitted(selector, ranking.table)
    score_class = selector._score_class
    scored = ranking.scored(lambda stats: np.column_stack(list(ClassScorer(stats, score_class).all())), "array<double>")
    by_class = scored.select("term", F.posexplode(SCORE).alias("number", "own"))
    place = F.row_number().over(Window.partitionBy("number").orderBy(F.desc("own"), "term"))
    wanted = by_class.withColumn("place", place).filter(F.col("place") <= number).select("term").distinct()
    return ranking.fitted(selector, ranking.table.join(wanted, "term", "left_semi"))


def _testors(ranking: Ranking, selector: TypicalTestors) -> Chosen:
    selector.check_settings()
    rows = _with_largest_weights(ranking, selector.scale)
    if selector.epsilon is None and limit_of(selector.k, ranking.n_terms) is not None:
        return _testors_by_number(ranking, selector, rows)
    epsilon = DEFAULT_EPSILON if selector.epsilon is None else float(selector.epsilon)
    heavy = rows.filter(F.col(SCORE) >= epsilon)
    if heavy.limit(1).count() == 0:  # the selector will say why there are none
        heavy = best_rows(rows, _TESTORS_AT_FIRST)
    return ranking.fitted(selector, heavy)


def _testors_by_number(ranking: Ranking, selector: TypicalTestors, rows: DataFrame) -> Chosen:
    """Try ever more of the heaviest terms, until none that stayed behind weighs as much as what was looked at."""
    n = min(_TESTORS_AT_FIRST, ranking.n_terms)
    while True:
        taken = best_rows(rows, n)
        left = rows.join(taken.select("term"), "term", "left_anti").agg(F.max(SCORE).alias("most")).collect()[0]["most"]
        chosen = ranking.fitted(clone(selector), taken)
        fitted: Any = chosen.selector
        if left is None or fitted.least_weight_tried_ > left:
            return chosen
        n = min(2 * n, ranking.n_terms)


def _with_largest_weights(ranking: Ranking, scale: str) -> DataFrame:
    """The table with the largest weight of each term in the mean document of any class."""
    n_classes = len(ranking.whole.classes)
    divisors = np.ones(n_classes)
    if scale == "max":
        means = ranking.scored(lambda stats: class_means(stats, scale), "array<double>")
        found = (
            means.select(F.posexplode(SCORE).alias("number", "mean")).groupBy("number").agg(F.max("mean").alias("most"))
        )
        for row in found.collect():
            divisors[row["number"]] = row["most"] if row["most"] > 0 else 1.0
    return ranking.scored(lambda stats: (class_means(stats, scale) / divisors).max(axis=1, initial=0.0))


def class_means(stats: ClassStats, scale: str) -> Floats:
    """What each term weighs in the mean document of each class (terms x classes), not scaled."""
    Representatives(stats.take([]), scale)  # which knows whether there is such a scale
    sizes = np.maximum(stats.class_docs, 1)
    return np.column_stack([stats.class_sums(number) / sizes[number] for number in range(len(sizes))])


def _cascade(ranking: Ranking, selector: Cascade) -> Chosen:
    if not selector._sound() or len(selector._sound()) < len(selector.selectors):
        raise InputError(f"selectors={shown(selector.selectors)}; give a list of at least one selector.")
    *before, last = selector.selectors
    for stage in before:
        ranking = _after(ranking, _with_number(stage, None, ranking.n_terms))
    return ranking.chosen_by(last, None)


def _after(ranking: Ranking, stage: TermSelector) -> Ranking:
    """What a stage leaves to the next."""
    if any(isinstance(stage, kind) for kind, _ in WAYS):
        fitted, candidates = ranking.chosen_by(stage, None)
        return ranking.narrowed(candidates.terms[column] for column in fitted.kept_columns().tolist())
    rows = kept_rows(ranking, stage).drop(SCORE)
    n_terms = rows.count()
    if not n_terms:
        raise InputError(f"{stage!r} keeps none of the {ranking.n_terms:,} terms that reached it.")
    return replace(ranking, table=rows, n_terms=n_terms)


WAYS: tuple[tuple[type[TermSelector], Callable[[Ranking, Any], Chosen]], ...] = (
    (ForwardSelection, _forward),
    (TOFA, _trace),
    (TypicalTestors, _testors),
    (Cascade, _cascade),
    (PooledSelector, _pooled),
)
"""How the selectors choose that do not go by a score of each term alone."""
