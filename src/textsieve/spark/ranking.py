"""Rank the rows of the table of statistics by their scores, which the selector itself computes on the workers.

Only the rows of the best terms come to the driver, where the selector is fitted as if there were no others. Scores are
computed twice, first to find the limit and then to filter the rows that reach it; so all machines must give the same
last bit, as machines of one kind do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F
from sklearn.base import clone

from ..arrays import Floats
from ..errors import NothingSelected
from ..selectors import TermSelector
from ..selectors.base import ReadAgain, limit_of
from ..settings import is_whole
from ..stats import ClassStats
from .table import TERMS, Terms, Whole, collected
from .worker import mapped

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from .worker import Batches

ScoreTerms = Callable[[ClassStats], Floats]
"""Function that returns one score for each term, or several (terms x scores)."""

DocumentsOf = Callable[[Terms], ReadAgain]
"""Function that takes terms and returns an iteration over their weights in all documents."""

SCORE = "score"

FEW_ROWS = 10_000
"""So many rows can be sorted by one task."""


class NoneKept(NothingSelected):
    """Raised if no term has the score that a selector requires."""


class SparkSelection(NamedTuple):
    """A selector fitted to all terms that matter to it, and these candidates: its columns."""

    selector: TermSelector
    candidates: Terms


@dataclass(frozen=True)
class Ranking:
    """The table of terms to select from."""

    table: DataFrame
    whole: Whole
    n_terms: int
    documents_of: DocumentsOf

    def scored(self, score: ScoreTerms, kind: str = "double") -> DataFrame:
        """Return the table with a column of scores."""
        return mapped(self.table, _Score(self.whole, score), f"{TERMS}, {SCORE} {kind}")

    def fitted(self, selector: TermSelector, rows: DataFrame) -> SparkSelection:
        """Collect rows on the driver, and fit the selector to them."""
        candidates = collected(rows.drop(SCORE), self.whole)
        if not candidates.terms:
            raise NoneKept(f"{selector!r} keeps none of the {self.n_terms:,} terms.")
        own_selector: Any = clone(selector)
        if is_whole(own_selector.get_params().get("k")) and own_selector.k > len(candidates.terms):
            own_selector.set_params(k=len(candidates.terms))  # there are no more candidates, which needs no warning
        return SparkSelection(own_selector.fit_stats(candidates.stats, self.documents_of(candidates)), candidates)

    def narrowed(self, terms: Iterable[str]) -> Ranking:
        """Return the ranking of some of the terms."""
        rows = [(term,) for term in terms]
        selected = self.table.sparkSession.createDataFrame(rows, "term string")
        return replace(self, table=self.table.join(selected, "term", "left_semi"), n_terms=len(rows))


@dataclass(frozen=True)
class _Score:
    """Task that adds scores to the rows of the table."""

    whole: Whole
    score: ScoreTerms

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            scores = self.score(self.whole.terms_of(batch).stats)
            column = pa.array(scores) if scores.ndim == 1 else pa.array(list(scores), pa.list_(pa.float64()))
            yield pa.record_batch([*batch.columns, column], names=[*batch.schema.names, SCORE])


def with_number(selector: TermSelector, most: int | None, n_terms: int) -> TermSelector:
    """Return a copy of the selector with the number of terms to keep, in place of a share of all terms.

    On the driver, a share would be a share of the collected terms.
    """
    copy: Any = clone(selector)
    if "k" in copy.get_params():
        if most is None and isinstance(copy.k, float | np.floating):
            most = limit_of(float(copy.k), n_terms)
        if most is not None:
            copy.set_params(k=min(most, n_terms))
    with_k: TermSelector = copy
    return with_k


# -- best by score -----------------------------------------------------------------------------------------------


def among_best(rows: DataFrame, n: int) -> Column:
    """Return the condition for rows among the n best by score, and in alphabetical order for equal scores."""
    score, term = F.col(SCORE), F.col("term")
    first = rows.select(SCORE, "term").orderBy(score.desc(), "term").limit(n)
    last = first.agg(F.max(F.struct((-score).alias("below"), "term")).alias("last")).collect()[0]["last"]
    if last is None:
        return F.lit(True)
    limit = F.lit(-last["below"])
    is_best: Column = (score > limit) | ((score == limit) & (term <= last["term"]))
    return is_best


def best_rows(rows: DataFrame, n: int | None, least: float | None = None) -> DataFrame:
    """Return the n best rows by score (None: all), without those below the score `least`.

    A few rows are sorted as they are, by one task. Of many, only scores and terms are sorted, to find the score of the
    last one, and the rows are scored again to filter them.
    """
    if least is not None:
        rows = rows.filter(F.col(SCORE) >= least)
    if n is None:
        return rows
    return rows.orderBy(F.desc(SCORE), "term").limit(n) if n <= FEW_ROWS else rows.filter(among_best(rows, n))


def number_kept(ranking: Ranking, selector: TermSelector) -> int | None:
    """Return the largest number of terms that a selector keeps, or None if it may keep all."""
    number = selector._most(np.zeros(ranking.n_terms), np.zeros(0, np.int64))
    return None if number is not None and number >= ranking.n_terms else number


def kept_rows(ranking: Ranking, selector: TermSelector) -> DataFrame:
    """Return the rows of the terms that a selector keeps by their scores alone."""
    least = selector._least_score(ranking.whole.without_terms())
    return best_rows(ranking.scored(selector._score), number_kept(ranking, selector), least)


def best_by_score(ranking: Ranking, selector: TermSelector) -> SparkSelection:
    """Fit a selector that scores each term by itself to the terms that it keeps."""
    return ranking.fitted(selector, kept_rows(ranking, selector))
