"""Find typical testors with the heaviest terms alone.

A class selects among the terms that weigh ε or more in its mean document, relative to its largest weight; and the
weights of such a term in the other classes are in its own row of the table. So of all other terms, only the largest
weight in each class must be known. If ε has to be found for a number of terms, the search goes from the largest weight
down and stops when there are too many terms (`selectors.testors.contrast`). It equals the search among all terms as
long as it looks at no weight that a term which was not collected could have; if it does, or does not come to an end, it
is repeated with twice as many terms.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from ..arrays import Floats
from ..errors import NothingSelected, UnfitDocuments
from ..selectors import TypicalTestors
from ..selectors.base import limit_of
from ..selectors.testors.contrast import Representatives
from ..selectors.testors.estimator import DEFAULT_EPSILON
from ..stats import ClassStats
from ..warning import warn
from .ranking import SCORE, Ranking, SparkSelection, among_best, best_rows
from .table import Whole, kept
from .worker import mapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .worker import Batches

AT_FIRST = 4096
"""Number of the heaviest terms in the first attempt."""


def testors_of(ranking: Ranking, selector: TypicalTestors) -> SparkSelection:
    """Fit the selector to the terms that matter to it."""
    selector.check_settings()
    rows = _with_largest_weights(ranking, selector.scale)
    if selector.epsilon is None and limit_of(selector.k, ranking.n_terms) is not None:
        with kept(rows) as stored:
            return _by_number(ranking, selector, stored)
    epsilon = DEFAULT_EPSILON if selector.epsilon is None else float(selector.epsilon)
    heavy = rows.filter(F.col(SCORE) >= epsilon)
    if heavy.limit(1).count() == 0:  # the selector will raise an error that says why
        heavy = best_rows(rows, AT_FIRST)
    return ranking.fitted(selector, heavy)


def _by_number(ranking: Ranking, selector: TypicalTestors, rows: DataFrame) -> SparkSelection:
    """Fit the selector to more and more of the heaviest terms; show only the warnings of the last attempt."""
    n = AT_FIRST
    while True:
        is_heavy = among_best(rows, n)
        largest_left = rows.filter(~is_heavy).agg(F.max(SCORE).alias("most")).collect()[0]["most"]
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                chosen = ranking.fitted(selector, rows.filter(is_heavy))
        except (NothingSelected, UnfitDocuments):
            if largest_left is None:
                raise
        else:
            if largest_left is None or _is_choice_among_all(chosen, largest_left):
                for warning in caught:
                    warn(str(warning.message), warning.category)
                return chosen
        n *= 2


def _is_choice_among_all(chosen: SparkSelection, largest_left: float) -> bool:
    """Return whether the search among the collected terms is the same as among all terms.

    It is if it came to an end, and looked at no weight that a term which was not collected could have.
    """
    fitted: Any = chosen.selector
    weights = Representatives(chosen.candidates.stats, fitted.scale).weights
    return bool(fitted.least_weight_tried_ > max(largest_left, weights[weights > 0].min()))


# -- weights in mean documents -----------------------------------------------------------------------------------


def _with_largest_weights(ranking: Ranking, scale: str) -> DataFrame:
    """Return the table with the largest weight of each term in the mean document of any class, as score."""
    Representatives(ranking.whole.without_terms(), scale)  # raises an error if there is no such scale
    divisors = np.ones(len(ranking.whole.classes))
    if scale == "max":
        largest = mapped(ranking.table, _LargestOfClasses(ranking.whole), _LargestOfClasses.SCHEMA)
        for row in largest.groupBy("class").agg(F.max("weight").alias("most")).collect():
            divisors[row["class"]] = row["most"] if row["most"] > 0 else 1.0
    return ranking.scored(lambda stats: largest_weights(stats, divisors))


def class_weights(stats: ClassStats) -> Floats:
    """Return the weight of each filled cell in the mean document of its class."""
    return np.asarray(stats.cells.sums.value / np.maximum(stats.class_docs, 1)[stats.cells.classes()])


def largest_weights(stats: ClassStats, divisors: Floats) -> Floats:
    """Return the largest weight of each term in any class, after dividing the weights of each class by its divisor."""
    largest = np.zeros(stats.n_terms)
    np.maximum.at(largest, stats.cells.terms, class_weights(stats) / divisors[stats.cells.classes()])
    return largest


@dataclass(frozen=True)
class _LargestOfClasses:
    """Task that yields the largest weight of each class in a batch of terms."""

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
