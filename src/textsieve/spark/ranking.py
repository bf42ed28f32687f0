"""Rank the rows of the table of statistics by their scores, which the selector itself computes on the workers.

Only the rows of the best terms come to the driver, where the selector is fitted as if there were no others. If there
are many of them, scores are computed twice, first to find the limit and then to filter the rows that reach it; so all
machines must give the same last bit, as machines of one kind do.

A selector that needs more than statistics reads the weights of its candidates in all documents (`read_weights`). They
come to the driver chunk by chunk, in the order of the documents, and are not stored there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F
from scipy.sparse import csr_matrix
from sklearn.base import clone

from ..arrays import Floats
from ..errors import NothingSelected
from ..selectors import TermSelector
from ..selectors.base import ReadAgain, resolve_k
from ..settings import is_whole
from ..stats import ClassStats
from ..training.counted_documents import columns_in_order
from .counting import CountClasses
from .statistics import TERMS, CorpusTotals, TermStatistics, collect_terms
from .tasks import collect_in_order, map_batches

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from .tasks import Batches


ScoreTerms = Callable[[ClassStats], Floats]
"""Function that returns one score for each term, or several (terms x scores)."""

WeightsReader = Callable[[TermStatistics], ReadAgain]
"""Function that takes terms and returns an iteration over their weights in all documents."""

SCORE = "score"

FEW_ROWS = 10_000
"""So many rows can be sorted by one task."""


class NoTermSelected(NothingSelected):
    """Raised if no term has the score that a selector requires."""


class SparkSelection(NamedTuple):
    """A selector fitted to all terms that matter to it, and these candidates: its columns."""

    selector: TermSelector
    candidates: TermStatistics


@dataclass(frozen=True)
class Ranking:
    """The table of terms to select from."""

    table: DataFrame
    totals: CorpusTotals
    n_terms: int
    weights_reader: WeightsReader

    def with_scores(self, score: ScoreTerms, kind: str = "double") -> DataFrame:
        """Return the table with a column of scores."""
        return map_batches(self.table, _Score(self.totals, score), f"{TERMS}, {SCORE} {kind}")

    def fit_selector(self, selector: TermSelector, rows: DataFrame) -> SparkSelection:
        """Collect rows on the driver, and fit the selector to them."""
        candidates = collect_terms(rows.drop(SCORE), self.totals)
        if not candidates.terms:
            raise NoTermSelected(f"{selector!r} keeps none of the {self.n_terms:,} terms.")
        own_selector: Any = clone(selector)
        if is_whole(own_selector.get_params().get("k")) and own_selector.k > len(candidates.terms):
            own_selector.set_params(k=len(candidates.terms))  # there are no more candidates, which needs no warning
        return SparkSelection(own_selector.fit_stats(candidates.stats, self.weights_reader(candidates)), candidates)

    def restricted_to(self, terms: Iterable[str]) -> Ranking:
        """Return the ranking of some of the terms."""
        rows = [(term,) for term in terms]
        selected = self.table.sparkSession.createDataFrame(rows, "term string")
        return replace(self, table=self.table.join(selected, "term", "left_semi"), n_terms=len(rows))


@dataclass(frozen=True)
class _Score:
    """Task that adds scores to the rows of the table."""

    totals: CorpusTotals
    score: ScoreTerms

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            scores = self.score(self.totals.terms_of(batch).stats)
            column = pa.array(scores) if scores.ndim == 1 else pa.array(list(scores), pa.list_(pa.float64()))
            yield pa.record_batch([*batch.columns, column], names=[*batch.schema.names, SCORE])


def with_number_of_terms(selector: TermSelector, most: int | None, n_terms: int) -> TermSelector:
    """Return a copy of the selector with the number of terms to keep, in place of a share of all terms.

    On the driver, a share would be a share of the collected terms.
    """
    copy: Any = clone(selector)
    if "k" in copy.get_params():
        if most is None and isinstance(copy.k, float | np.floating):
            most = resolve_k(float(copy.k), n_terms)
        if most is not None:
            copy.set_params(k=min(most, n_terms))
    with_k: TermSelector = copy
    return with_k


# -- best by score -----------------------------------------------------------------------------------------------


def is_among_best(rows: DataFrame, n: int) -> Column:
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
    return rows.orderBy(F.desc(SCORE), "term").limit(n) if n <= FEW_ROWS else rows.filter(is_among_best(rows, n))


def most_selected(ranking: Ranking, selector: TermSelector) -> int | None:
    """Return the largest number of terms that a selector keeps, or None if it may keep all."""
    number = selector.most_terms(np.zeros(ranking.n_terms), np.zeros(0, np.int64))
    return None if number is not None and number >= ranking.n_terms else number


def selected_rows(ranking: Ranking, selector: TermSelector) -> DataFrame:
    """Return the rows of the terms that a selector keeps by their scores alone."""
    least = selector.least_score(ranking.totals.without_terms())
    return best_rows(ranking.with_scores(selector.score_terms), most_selected(ranking, selector), least)


def best_by_score(ranking: Ranking, selector: TermSelector) -> SparkSelection:
    """Fit a selector that scores each term by itself to the terms that it keeps."""
    return ranking.fit_selector(selector, selected_rows(ranking, selector))


_PACKED = ("starts", "columns", "weights")


@dataclass(frozen=True)
class _Pack:
    """Task that packs the weights of some terms, those of each chunk into one row."""

    weighing: CountClasses
    terms: list[str]

    def __call__(self, batches: Batches) -> Batches:
        wanted = pa.array(self.terms, pa.string())
        for rows, terms, _ in self.weighing.weighted_chunks(batches):
            columns = pc.index_in(wanted, value_set=pa.array(terms, pa.string()))
            positions = np.flatnonzero(pc.is_valid(columns).to_numpy(zero_copy_only=False))
            selected = columns_in_order(rows, columns.drop_null().to_numpy().astype(np.int64))
            packed = [
                *(
                    selected.indptr.astype(np.int32),
                    positions.astype(np.int32)[selected.indices],
                    selected.data.astype(np.float32),
                )
            ]
            yield pa.record_batch([pa.array([array.tobytes()], pa.binary()) for array in packed], names=_PACKED)


def read_weights(documents: DataFrame, weighing: CountClasses, candidates: TermStatistics) -> ReadAgain:
    """Return a function that starts an iteration over the weights of some terms in all documents.

    Its matrices have a column for each term, in the given order.
    """
    terms, n_bytes = candidates.terms, 8 * int(candidates.doc_freq.sum()) + 4 * weighing.n_documents

    def iterate() -> Iterator[csr_matrix]:
        schema = ", ".join(f"{name} binary" for name in _PACKED)
        for row in collect_in_order(map_batches(documents, _Pack(weighing, terms), schema), n_bytes):
            starts, columns = (np.frombuffer(row[name], np.int32) for name in _PACKED[:2])
            weights = np.frombuffer(row["weights"], np.float32)
            yield csr_matrix((weights, columns, starts), shape=(len(starts) - 1, len(terms)))

    return iterate
