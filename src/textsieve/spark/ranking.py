"""Rank terms by their scores, which the selector itself computes on the workers from the rows of the terms.

Only the rows of the best terms come to the driver, where the selector is fitted as if there were no others. If many
terms are selected, scores are computed twice: first to find the lowest selected score, and then to filter the rows that
reach it. So all machines must compute the same score to the last bit, as machines of one kind do.

A selector that needs more than statistics reads the weights of its candidates in all documents (`read_weights`). They
come to the driver chunk by chunk, in the order of the documents, and are not stored there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

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
from ..training.counted_documents import take_columns
from .counting import CountClasses
from .statistics import TERM_SCHEMA, CorpusTotals, TermStatistics, collect_terms
from .tasks import collect_in_order, map_batches, pack_arrays

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from .tasks import Batches


ScoreTerms = Callable[[ClassStats], Floats]
"""Function that returns one score for each term, or several (terms x scores)."""

WeightsReader = Callable[[TermStatistics], ReadAgain]
"""Function that takes terms, and returns a function that selectors call to iterate over their weights in all documents.

`partial(read_weights, documents, weighing)` is one.
"""

SCORE = "score"
"""Name of the column with the scores."""

FEW_ROWS = 10_000
"""Up to this number, the best rows are found by sorting whole rows in one task; see `best_rows`."""


class NoTermSelected(NothingSelected):
    """Raised if a selector keeps no term at all."""


class SparkSelection(NamedTuple):
    """A selector that was fitted to its candidates, the terms that can change its result."""

    selector: TermSelector
    candidates: TermStatistics
    """The candidates in alphabetical order; column i of the selector is candidate i."""


@dataclass(frozen=True)
class Ranking:
    """The terms to select from: the table of their statistics, and what selectors need beside it."""

    table: DataFrame
    totals: CorpusTotals
    n_terms: int
    weights_reader: WeightsReader

    def with_scores(self, score: ScoreTerms, score_type: str = "double") -> DataFrame:
        """Return the table with a column of scores; `score_type` is its Spark type, an array for several scores."""
        return map_batches(self.table, _AddScores(self.totals, score), f"{TERM_SCHEMA}, {SCORE} {score_type}")

    def fit_selector(self, selector: TermSelector, rows: DataFrame) -> SparkSelection:
        """Collect rows on the driver, and return a copy of the selector that is fitted to their terms."""
        candidates = collect_terms(rows.drop(SCORE), self.totals)
        if not candidates.terms:
            raise NoTermSelected(f"{selector!r} keeps none of the {self.n_terms:,} terms.")
        copy: Any = clone(selector)
        if is_whole(copy.get_params().get("k")) and copy.k > len(candidates.terms):
            copy.set_params(k=len(candidates.terms))  # otherwise it would warn that there are fewer terms than k
        return SparkSelection(copy.fit_stats(candidates.stats, self.weights_reader(candidates)), candidates)

    def restricted_to(self, terms: Iterable[str]) -> Ranking:
        """Return the ranking of some of the terms."""
        rows = [(term,) for term in terms]
        selected = self.table.sparkSession.createDataFrame(rows, "term string")
        return replace(self, table=self.table.join(selected, "term", "left_semi"), n_terms=len(rows))


@dataclass(frozen=True)
class _AddScores:
    """Task that adds scores to the rows of the table."""

    totals: CorpusTotals
    score: ScoreTerms

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            scores = self.score(self.totals.terms_of(batch).stats)
            column = pa.array(scores) if scores.ndim == 1 else pa.array(list(scores), pa.list_(pa.float64()))
            yield pa.record_batch([*batch.columns, column], names=[*batch.schema.names, SCORE])


def with_number_of_terms(selector: TermSelector, max_terms: int | None, n_terms: int) -> TermSelector:
    """Return a copy of the selector whose `k` is a number of terms, and not a share of all `n_terms` terms.

    `max_terms` replaces the selector's own `k`, if it is given. A share has to be converted here: on the driver, it
    would be a share of the collected terms.
    """
    copy: Any = clone(selector)
    if "k" in copy.get_params():
        if max_terms is None and isinstance(copy.k, float | np.floating):
            max_terms = resolve_k(float(copy.k), n_terms)
        if max_terms is not None:
            copy.set_params(k=min(max_terms, n_terms))
    with_k: TermSelector = copy
    return with_k


# -- best by score -----------------------------------------------------------------------------------------------


def is_among_best(rows: DataFrame, n: int) -> Column:
    """Return the condition for rows that are among the n best by score; of equal scores, the first terms are better.

    The n-th best row is found by a query. A row is among the best if it is this row or better.
    """
    score, term = F.col(SCORE), F.col("term")
    best = rows.select(SCORE, "term").orderBy(score.desc(), "term").limit(n)
    # The n-th best row has the lowest score, and of equal scores the last term: the largest pair (-score, term).
    last = best.agg(F.max(F.struct((-score).alias("negative_score"), "term")).alias("last")).collect()[0]["last"]
    if last is None:  # there are no rows
        return F.lit(True)
    lowest_score = F.lit(-last["negative_score"])
    is_best: Column = (score > lowest_score) | ((score == lowest_score) & (term <= last["term"]))
    return is_best


def best_rows(rows: DataFrame, n: int | None, least_score: float | None = None) -> DataFrame:
    """Return the n best rows by score (None: all), without those below the least score (None: no limit).

    Up to `FEW_ROWS` rows are found by sorting whole rows in one task. For more, only scores and terms are sorted, to
    find the n-th best row. Then all rows are scored again, and compared with this row.
    """
    if least_score is not None:
        rows = rows.filter(F.col(SCORE) >= least_score)
    if n is None:
        return rows
    return rows.orderBy(F.desc(SCORE), "term").limit(n) if n <= FEW_ROWS else rows.filter(is_among_best(rows, n))


def max_selected(ranking: Ranking, selector: TermSelector) -> int | None:
    """Return the largest number of terms that a selector keeps, or None if it may keep all."""
    # `most_terms` reads the scores only for TOFA's `energy`, which `selection.py` has replaced by `k` before. For all
    # others only their number matters, so they can be zeros.
    number = selector.most_terms(np.zeros(ranking.n_terms), np.zeros(0, np.int64))
    return None if number is not None and number >= ranking.n_terms else number


def selected_rows(ranking: Ranking, selector: TermSelector) -> DataFrame:
    """Return the rows of the terms that a selector keeps by their scores alone."""
    least_score = selector.least_score(ranking.totals.without_terms())
    return best_rows(ranking.with_scores(selector.score_terms), max_selected(ranking, selector), least_score)


def best_by_score(ranking: Ranking, selector: TermSelector) -> SparkSelection:
    """Fit a selector that scores each term by itself to the terms that it keeps."""
    return ranking.fit_selector(selector, selected_rows(ranking, selector))


@dataclass(frozen=True)
class _PackWeights:
    """Task that yields the weights of some terms in the documents of each chunk, as CSR arrays in one row."""

    weighing: CountClasses
    terms: list[str]
    SCHEMA: ClassVar[str] = "indptr binary, indices binary, data binary"

    def __call__(self, batches: Batches) -> Batches:
        terms = pa.array(self.terms, pa.string())
        for weights, chunk_terms, _ in self.weighing.weighted_chunks(batches):
            # For each of the terms, its column in the chunk (or null if the chunk does not have it); and for each of
            # these columns, the position of its term among `self.terms`.
            chunk_columns = pc.index_in(terms, value_set=pa.array(chunk_terms, pa.string()))
            term_positions = np.flatnonzero(pc.is_valid(chunk_columns).to_numpy(zero_copy_only=False))
            selected = take_columns(weights, chunk_columns.drop_null().to_numpy().astype(np.int64))
            yield pack_arrays(
                indptr=selected.indptr.astype(np.int32),
                indices=term_positions.astype(np.int32)[selected.indices],
                data=selected.data.astype(np.float32),
            )


def read_weights(documents: DataFrame, weighing: CountClasses, candidates: TermStatistics) -> ReadAgain:
    """Return a function that starts an iteration over the weights of the candidates in all documents.

    The iteration yields a matrix (documents x candidates) for each chunk of documents.
    """
    terms = candidates.terms
    # All numbers have four bytes: a weight and its index, and an `indptr` for each document.
    n_bytes = 8 * int(candidates.doc_freq.sum()) + 4 * weighing.n_documents

    def iterate() -> Iterator[csr_matrix]:
        packed = map_batches(documents, _PackWeights(weighing, terms), _PackWeights.SCHEMA)
        for row in collect_in_order(packed, n_bytes):
            indptr, indices = (np.frombuffer(row[name], np.int32) for name in ("indptr", "indices"))
            data = np.frombuffer(row["data"], np.float32)
            yield csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, len(terms)))

    return iterate
