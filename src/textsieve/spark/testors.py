"""Typical testors from the heaviest terms alone.

A class chooses among the terms that weigh ε or more in its mean document, in parts of its largest weight; and what
such a term weighs in the other classes is in its own row of the table. So of the others only the largest weight of
each class must be known. If ε is to be found for a number of terms, the search goes from the largest weight down and
stops where there are too many (`selectors.comparison`). It is the search among all terms as long as it looks at no
weight that a term which stayed behind could have; if it does, or finds no end, it is done again with twice as many
terms.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from ..errors import NothingChosen, UnfitDocuments
from ..selectors import TypicalTestors
from ..selectors.base import limit_of
from ..selectors.comparison import Representatives
from ..selectors.testors import DEFAULT_EPSILON
from ..stats import ClassStats
from ..stats.sums import Floats
from ..warning import warn
from .ranking import SCORE, Chosen, Ranking, among_best, best_rows
from .table import Whole, kept
from .worker import mapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .worker import Batches

AT_FIRST = 4096
"""How many of the heaviest terms are tried first."""


def testors_of(ranking: Ranking, selector: TypicalTestors) -> Chosen:
    """Fit the selector to the terms that matter to it."""
    selector.check_settings()
    rows = _with_largest_weights(ranking, selector.scale)
    if selector.epsilon is None and limit_of(selector.k, ranking.n_terms) is not None:
        with kept(rows) as stored:
            return _by_number(ranking, selector, stored)
    epsilon = DEFAULT_EPSILON if selector.epsilon is None else float(selector.epsilon)
    heavy = rows.filter(F.col(SCORE) >= epsilon)
    if heavy.limit(1).count() == 0:  # the selector will say why there are none
        heavy = best_rows(rows, AT_FIRST)
    return ranking.fitted(selector, heavy)


def _by_number(ranking: Ranking, selector: TypicalTestors, rows: DataFrame) -> Chosen:
    """Try ever more of the heaviest terms; of what is said on the way, say what is said in the end."""
    n = AT_FIRST
    while True:
        is_taken = among_best(rows, n)
        left = rows.filter(~is_taken).agg(F.max(SCORE).alias("most")).collect()[0]["most"]
        try:
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                chosen = ranking.fitted(selector, rows.filter(is_taken))
        except (NothingChosen, UnfitDocuments):
            if left is None:
                raise
        else:
            if left is None or _is_choice_among_all(chosen, left):
                for each in said:
                    warn(str(each.message), each.category)
                return chosen
        n *= 2


def _is_choice_among_all(chosen: Chosen, left: float) -> bool:
    """Whether no weight that the search looked at could be one of a term that stayed behind, and it came to an end."""
    fitted: Any = chosen.selector
    weights = Representatives(chosen.candidates.stats, fitted.scale).weights
    return bool(fitted.least_weight_tried_ > max(left, weights[weights > 0].min()))


# -- weights in mean documents -----------------------------------------------------------------------------------


def _with_largest_weights(ranking: Ranking, scale: str) -> DataFrame:
    """The table with the largest weight of each term in the mean document of any class."""
    Representatives(ranking.whole.without_terms(), scale)  # which knows whether there is such a scale
    divisors = np.ones(len(ranking.whole.classes))
    if scale == "max":
        found = mapped(ranking.table, _LargestOfClasses(ranking.whole), _LargestOfClasses.SCHEMA)
        for row in found.groupBy("class").agg(F.max("weight").alias("most")).collect():
            divisors[row["class"]] = row["most"] if row["most"] > 0 else 1.0
    return ranking.scored(lambda stats: largest_weights(stats, divisors))


def class_weights(stats: ClassStats) -> Floats:
    """What each filled cell weighs in the mean document of its class."""
    return np.asarray(stats.cells.sums.value / np.maximum(stats.class_docs, 1)[stats.cells.classes()])


def largest_weights(stats: ClassStats, divisors: Floats) -> Floats:
    """The largest weight of each term in any class, in parts of what the weights of each class are divided by."""
    largest = np.zeros(stats.n_terms)
    np.maximum.at(largest, stats.cells.terms, class_weights(stats) / divisors[stats.cells.classes()])
    return largest


@dataclass(frozen=True)
class _LargestOfClasses:
    """The largest weight of each class in a batch of terms."""

    whole: Whole
    SCHEMA: ClassVar[str] = "class int, weight double"

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            stats = self.whole.terms_of(batch).stats
            largest = np.zeros(len(stats.classes))
            np.maximum.at(largest, stats.cells.classes(), class_weights(stats))
            numbers = np.flatnonzero(largest)
            columns = [pa.array(numbers.astype(np.int32)), pa.array(largest[numbers])]
            yield pa.record_batch(columns, names=["class", "weight"])
