"""`stats`: compute the table of statistics alone, to look at it, score terms in other ways, or save it.

It is the `ClassStats` of counts, with one row for each term; the columns are described at `table.TERMS`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import InputError, shown
from ..stats import ClassStats
from ..text.counter import NO_LIMITS, TermCounter
from ..training.targets import ClassSizes
from .columns import documents_of, labels_of
from .counting import ROWS, CountClasses, Reading
from .table import Whole, added_up, collected
from .worker import mapped, reraise_own_errors

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


_NONE = np.zeros(0, np.int64)


class SparkStats(NamedTuple):
    """The statistics of the documents of a DataFrame."""

    table: DataFrame
    """One row for each term: its document frequency, its sums, and arrays with its values in each class (by number)."""
    classes: tuple[Any, ...]
    class_docs: tuple[int, ...]
    n_documents: int

    def to_local(self) -> tuple[list[str], ClassStats]:
        """Return the terms in alphabetical order and their `ClassStats`; both must fit into the driver's memory."""
        with reraise_own_errors():
            collected_terms = collected(self.table, Whole(self.classes, self.class_docs, self.n_documents))
        return collected_terms.terms, collected_terms.stats


def stats(df: DataFrame, text: str = "text", label: str | None = "label", **reading: Any) -> SparkStats:
    """Return the statistics of the counts of all terms, by class.

    `reading` has settings of a `TermCounter`, without limits. Without a label column (None), there are only totals.
    Only the classes and their sizes come to the driver; the table is computed when it is read, and each time again
    unless it is persisted (`stats(df).table.persist()`).
    """
    given_limits = [f"{name}={shown(reading[name])}" for name in NO_LIMITS if name in reading]
    if given_limits:
        raise InputError(
            f"{', '.join(given_limits)}: the table has all terms; filter it, as by table.filter('documents >= 5')."
        )
    settings = TermCounter(**reading).get_params()
    TermCounter(**settings)._validated()
    counter = {name: value for name, value in settings.items() if name not in ("n_jobs", "dtype")}
    documents = documents_of(df, text, label)
    with reraise_own_errors():
        sizes = labels_of(documents, None) if label is not None else ClassSizes((), _NONE, documents.count(), 0, "one")
    rows = mapped(documents, CountClasses(Reading(counter), list(sizes.classes)), ROWS)
    return SparkStats(added_up(rows), sizes.classes, tuple(sizes.class_docs.tolist()), sizes.n_documents)
