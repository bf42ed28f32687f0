"""Rows of the table of statistics by their scores, worked out where the rows are, by the selector itself.

Only the rows of the best come to the driver, and on these the selector chooses as if there had never been others.
Scores are worked out once to find the limit and once to take what reaches it; so all machines must give the same last
bit, as machines of one kind do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F
from sklearn.base import clone

from ..errors import NothingChosen
from ..selectors import TermSelector
from ..selectors.base import Documents, limit_of
from ..settings import is_whole
from ..stats import ClassStats
from ..stats.sums import Floats
from .table import TERMS, Terms, Whole, collected
from .worker import mapped

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from .worker import Batches

ScoreTerms = Callable[[ClassStats], Floats]
"""One score for each term, or several (terms x scores)."""

DocumentsOf = Callable[[list[str]], Documents]
"""Begins to go through the weights of some terms in all documents."""

SCORE = "score"


class NoneKept(NothingChosen):
    """Raised if no term has the score that a selector wants."""


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

    def scored(self, score: ScoreTerms, kind: str = "double") -> DataFrame:
        """The table with scores beside each term."""
        return mapped(self.table, _Score(self.whole, score), f"{TERMS}, {SCORE} {kind}")

    def fitted(self, selector: TermSelector, rows: DataFrame) -> Chosen:
        """Bring rows to the driver, and fit the selector to them."""
        candidates = collected(rows.drop(SCORE), self.whole)
        if not candidates.terms:
            raise NoneKept(f"{selector!r} keeps none of the {self.n_terms:,} terms.")
        own: Any = clone(selector)
        if is_whole(own.get_params().get("k")) and own.k > len(candidates.terms):
            own.set_params(k=len(candidates.terms))  # it is more than enough, and nothing to be warned of
        return Chosen(own.fit_stats(candidates.stats, self.documents_of(candidates.terms)), candidates)

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


def with_number(selector: TermSelector, most: int | None, n_terms: int) -> TermSelector:
    """A copy that knows how many terms it keeps: a share would be one of those that come to the driver."""
    copy: Any = clone(selector)
    if "k" in copy.get_params():
        if most is None and isinstance(copy.k, float | np.floating):
            most = limit_of(float(copy.k), n_terms)
        if most is not None:
            copy.set_params(k=min(most, n_terms))
    settled: TermSelector = copy
    return settled


# -- the best by score -------------------------------------------------------------------------------------------


def among_best(rows: DataFrame, n: int) -> Column:
    """Which rows are among the n best by their score; of equal scores the first in the alphabet."""
    score, term = F.col(SCORE), F.col("term")
    first = rows.select(SCORE, "term").orderBy(score.desc(), "term").limit(n)
    last = first.agg(F.max(F.struct((-score).alias("below"), "term")).alias("last")).collect()[0]["last"]
    if last is None:
        return F.lit(True)
    limit = F.lit(-last["below"])
    is_best: Column = (score > limit) | ((score == limit) & (term <= last["term"]))
    return is_best


def best_rows(rows: DataFrame, n: int | None, least: float | None = None) -> DataFrame:
    """The n best of rows that have a score, none of them below the least; None: all."""
    if least is not None:
        rows = rows.filter(F.col(SCORE) >= least)
    return rows if n is None else rows.filter(among_best(rows, n))


def number_kept(ranking: Ranking, selector: TermSelector) -> int | None:
    """How many terms a selector keeps at the most; None: all that there are."""
    number = selector._most(np.zeros(ranking.n_terms), np.zeros(0, np.int64))
    return None if number is not None and number >= ranking.n_terms else number


def kept_rows(ranking: Ranking, selector: TermSelector) -> DataFrame:
    """The rows of the terms that a selector keeps by their scores alone."""
    least = selector._least_score(ranking.whole.without_terms())
    return best_rows(ranking.scored(selector._score), number_kept(ranking, selector), least)


def best_by_score(ranking: Ranking, selector: TermSelector) -> Chosen:
    """The best terms by scores that each term has by itself."""
    return ranking.fitted(selector, kept_rows(ranking, selector))
