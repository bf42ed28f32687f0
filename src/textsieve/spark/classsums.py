"""The sums of the weights of the chosen terms in each class, for classifiers that need no more.

Each machine adds up its part; a row for each chosen term and class comes to the driver.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from ..stats import ClassStats
from ..stats.sums import Ints, Sums
from ..stats.table import Cells, Table, Totals
from ..training.targets import Sizes
from .chosen import NO_TERM, ChosenTerms, Seen
from .counting import LIMBS, SQUARES, SUMS
from .fixedpoint import limbs_of, sums_of
from .worker import mapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .worker import Batches

_NUMBERS = ("documents", *LIMBS)
_ROWS = "place int, class int, " + ", ".join(f"{name} long" for name in _NUMBERS)


@dataclass(frozen=True)
class _AddUp:
    """The sums of a partition."""

    chosen: ChosenTerms

    def __call__(self, batches: Batches) -> Batches:
        n_terms, seen = len(self.chosen.terms), Seen(len(self.chosen.classes))
        stats = ClassStats.zero(n_terms)
        for rows, members in self.chosen.labelled_weights(batches, seen):
            stats.update(rows, members)
        cells, every = stats.cells, np.arange(n_terms)
        yield _rows(cells.terms, cells.classes(), cells.doc_freq, cells.sums)
        yield _rows(every, np.full(n_terms, SUMS), stats.doc_freq, stats.sums)
        yield _rows(every, np.full(n_terms, SQUARES), stats.doc_freq, stats.squares)
        classes, documents = seen.rows()
        yield _rows(np.full(len(classes), NO_TERM), classes, documents, Sums.zeros(len(classes)))


def _rows(places: Ints, classes: Ints, documents: Ints, sums: Sums) -> pa.RecordBatch:
    columns = [places.astype(np.int32), classes.astype(np.int32), documents, *limbs_of(sums)]
    return pa.record_batch([pa.array(column) for column in columns], names=["place", "class", *_NUMBERS])


def class_sums(documents: DataFrame, chosen: ChosenTerms, sizes: Sizes) -> tuple[ClassStats, Seen]:
    """The statistics of the weights of labelled documents, classes by number; and what came by."""
    rows = mapped(documents, _AddUp(chosen), _ROWS).groupBy("place", "class")
    added = rows.agg(*(F.sum(name).alias(name) for name in _NUMBERS)).toArrow()
    place, number, found = (added[name].to_numpy().astype(np.int64) for name in ("place", "class", "documents"))
    sums, n_classes = sums_of(tuple(added[name].to_numpy() for name in LIMBS)), len(sizes.classes)

    def in_order(is_wanted: Any) -> Ints:
        at = np.flatnonzero(is_wanted & (place != NO_TERM))
        return at[np.lexsort((place[at], number[at]))]

    cells, of_sums, of_squares = (in_order(wanted) for wanted in (number >= 0, number == SUMS, number == SQUARES))
    filled = found[of_sums] > 0
    in_all = of_sums[filled]
    totals = Totals(place[in_all], found[in_all], sums.at(in_all), sums.at(of_squares[filled]))
    starts = np.searchsorted(number[cells], np.arange(n_classes + 1))
    table = Table(
        *(tuple(range(n_classes)), sizes.n_documents - sizes.n_unlabelled, len(chosen.terms), sizes.class_docs),
        *(totals, Cells(starts, place[cells], found[cells], sums.at(cells))),
    )
    about = np.flatnonzero(place == NO_TERM)
    return ClassStats(table), Seen.of_rows(number[about], found[about], n_classes)
