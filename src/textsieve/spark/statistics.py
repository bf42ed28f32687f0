"""`stats`: the table of statistics alone, for those who want to look at it, score it their own way, or keep it.

It is the `ClassStats` of counts, one row for each term; the columns are described at `table.TERMS`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import InputError, shown
from ..stats import ClassStats
from ..text.counter import NO_LIMITS, TermCounter
from ..training.targets import Sizes
from .columns import documents_of, labels_of
from .counting import ROWS, CountClasses, Reading
from .table import Whole, added_up, collected
from .worker import mapped, plainly

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


_NONE = np.zeros(0, np.int64)


class SparkStats(NamedTuple):
    """The statistics of the documents of a DataFrame."""

    table: DataFrame
    """One row for each term: its documents, sums, and arrays with what it has in each class (by its number)."""
    classes: tuple[Any, ...]
    class_docs: tuple[int, ...]
    n_documents: int

    def to_local(self) -> tuple[list[str], ClassStats]:
        """The terms, in the order of the alphabet, and their `ClassStats`, all on the driver: it must have the room."""
        with plainly():
            found = collected(self.table, Whole(self.classes, self.class_docs, self.n_documents))
        return found.terms, found.stats


def stats(df: DataFrame, text: str = "text", label: str | None = "label", **reading: Any) -> SparkStats:
    """The statistics of the counts of all terms, by class; `reading` is what a `TermCounter` is told, without limits.

    Without a label column (None) there are only totals. Nothing but the classes and their sizes comes to the driver;
    the table is made when somebody reads it, and each time anew unless it is kept (`stats(df).table.persist()`).
    """
    given = [f"{name}={shown(reading[name])}" for name in NO_LIMITS if name in reading]
    if given:
        raise InputError(
            f"{', '.join(given)}: the table has all terms; filter it, as by table.filter('documents >= 5')."
        )
    settings = TermCounter(**reading).get_params()
    TermCounter(**settings)._validated()
    counter = {name: value for name, value in settings.items() if name not in ("n_jobs", "dtype")}
    documents = documents_of(df, text, label)
    with plainly():
        sizes = labels_of(documents, None) if label is not None else Sizes((), _NONE, documents.count(), 0, "one")
    rows = mapped(documents, CountClasses(Reading(counter), list(sizes.classes)), ROWS)
    return SparkStats(added_up(rows), sizes.classes, tuple(sizes.class_docs.tolist()), sizes.n_documents)
