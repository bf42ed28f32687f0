"""Sum up the weights of the selected terms in each class, for classifiers that need no more.

Each worker adds up its part; a row for each selected term and class comes to the driver.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from ..arrays import Ints
from ..stats import ClassStats
from ..stats.sums import Sums
from ..stats.table import Cells, Table, Totals
from ..training.targets import ClassSizes
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
    """Task that yields the sums of a partition."""

    chosen: ChosenTerms

    def __call__(self, batches: Batches) -> Batches:
        n_terms, seen = len(self.chosen.terms), Seen(len(self.chosen.classes))
        stats = ClassStats.zero(n_terms)
        for rows, members in self.chosen.labelled_weights(batches, seen):
            stats.update(rows, members)
        cells, all_terms = stats.cells, np.arange(n_terms)
        yield _rows(cells.terms, cells.classes(), cells.doc_freq, cells.sums)
        yield _rows(all_terms, np.full(n_terms, SUMS), stats.doc_freq, stats.sums)
        yield _rows(all_terms, np.full(n_terms, SQUARES), stats.doc_freq, stats.squares)
        classes, documents = seen.rows()
        yield _rows(np.full(len(classes), NO_TERM), classes, documents, Sums.zeros(len(classes)))


def _rows(places: Ints, classes: Ints, documents: Ints, sums: Sums) -> pa.RecordBatch:
    columns = [places.astype(np.int32), classes.astype(np.int32), documents, *limbs_of(sums)]
    return pa.record_batch([pa.array(column) for column in columns], names=["place", "class", *_NUMBERS])


def class_sums(documents: DataFrame, chosen: ChosenTerms, sizes: ClassSizes) -> tuple[ClassStats, Seen]:
    """Return the statistics of the weights of labelled documents, by class number, and the numbers of this pass."""
    rows = mapped(documents, _AddUp(chosen), _ROWS).groupBy("place", "class")
    added = rows.agg(*(F.sum(name).alias(name) for name in _NUMBERS)).toArrow()
    place, number, n_documents = (added[name].to_numpy().astype(np.int64) for name in ("place", "class", "documents"))
    sums, n_classes = sums_of(tuple(added[name].to_numpy() for name in LIMBS)), len(sizes.classes)

    def in_order(is_wanted: Any) -> Ints:
        selected = np.flatnonzero(is_wanted & (place != NO_TERM))
        return selected[np.lexsort((place[selected], number[selected]))]

    cells, sum_rows, square_rows = (in_order(wanted) for wanted in (number >= 0, number == SUMS, number == SQUARES))
    filled = n_documents[sum_rows] > 0
    total_rows = sum_rows[filled]
    totals = Totals(place[total_rows], n_documents[total_rows], sums.at(total_rows), sums.at(square_rows[filled]))
    starts = np.searchsorted(number[cells], np.arange(n_classes + 1))
    table = Table(
        *(tuple(range(n_classes)), sizes.n_documents - sizes.n_unlabelled, len(chosen.terms), sizes.class_docs),
        *(totals, Cells(starts, place[cells], n_documents[cells], sums.at(cells))),
    )
    document_rows = np.flatnonzero(place == NO_TERM)
    return ClassStats(table), Seen.of_rows(number[document_rows], n_documents[document_rows], n_classes)
