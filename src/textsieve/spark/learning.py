"""The last pass: a classifier from the documents, of which only the chosen terms are looked at now.

There are three ways, by what the classifier needs of the documents:

- *Naive Bayes and Rocchio* need the sums of the weights in each class. Each machine adds up its part; a row for each
  chosen term and class comes to the driver.
- *TCFP without context* needs, term by term, the weights that the term has in the documents of each class. They are
  brought together by term (`votes.py`), and the votes of each chosen term come to the driver.
- *All others* need the documents. Their counts of the chosen terms come to the driver, in the order of the documents,
  if they are not too many; how many there are is known before.

Weights depend on the chosen terms of a document alone, and on their idf, which is known: so these are the weights that
one machine would make, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F
from scipy import sparse
from scipy.sparse import csr_matrix, vstack

from ..errors import InputError
from ..stats import ClassStats
from ..stats.sums import Floats, Ints
from ..stats.table import Cells, Table, Totals
from ..text.rows import Rows
from ..text.schemes import Scheme
from ..training.documents import weighted
from ..training.targets import Sizes, Targets
from .counting import LIMBS, SQUARES, SUMS, Reading
from .fixedpoint import limbs_of, sums_of
from .table import pieces
from .worker import mapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .worker import Batches

NO_TERM = -1
"""The place of a term in rows that count documents which have none of the terms."""

MOST_VALUES = 1 << 27
"""Counts that are brought to the driver, unless told otherwise: a gigabyte."""

_SUM_ROWS = "place int, class int, documents long, " + ", ".join(f"{name} long" for name in LIMBS)


@dataclass(frozen=True)
class ChosenTerms:
    """The chosen terms, best first, and how a document is weighed by them."""

    reading: Reading
    terms: list[str]
    idf: Floats
    scheme: Scheme
    dtype: Any
    classes: list[Any]

    def chunks(self, batches: Batches) -> Iterator[tuple[csr_matrix, sparse.csr_array]]:
        """The counts of each chunk, and its documents x classes."""
        counter = self.reading.counter(vocabulary=self.terms)
        classes = pa.array(self.classes)
        for chunk in self.reading.chunks(batches):
            yield counter.transform(chunk.texts), chunk.members(classes)

    def weights(self, counts: csr_matrix) -> csr_matrix:
        """What the classifier is trained on."""
        return weighted(counts, self.scheme, self.idf, self.dtype)

    def labelled_weights(self, batches: Batches) -> Iterator[tuple[csr_matrix, sparse.csr_array]]:
        """The weights of the documents that have a label, and their classes."""
        for counts, members in self.chunks(batches):
            labelled = np.flatnonzero(np.diff(members.indptr))
            yield self.weights(counts[labelled]), members[labelled]


# -- from sums ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _AddUp:
    """The sums of a partition."""

    chosen: ChosenTerms

    def __call__(self, batches: Batches) -> Batches:
        n_terms, n_classes = len(self.chosen.terms), len(self.chosen.classes)
        stats, without = ClassStats.zero(n_terms), np.zeros(n_classes, np.int64)
        for rows, members in self.chosen.labelled_weights(batches):
            stats.update(rows, members)
            without += documents_without(rows, members)
        if not stats.classes:
            return
        cells, every = stats.cells, np.arange(n_terms)
        yield _rows(cells.terms, cells.classes(), cells.doc_freq, limbs_of(cells.sums))
        yield _rows(every, np.full(n_terms, SUMS), stats.doc_freq, limbs_of(stats.sums))
        yield _rows(every, np.full(n_terms, SQUARES), stats.doc_freq, limbs_of(stats.squares))
        yield _rows(np.full(n_classes, NO_TERM), np.arange(n_classes), without, (np.zeros(n_classes, np.int64),) * 4)


def documents_without(rows: csr_matrix, members: sparse.csr_array) -> Ints:
    """How many documents of each class have no weight but 0."""
    return np.asarray(members[np.flatnonzero(Rows.of(rows).is_zero)].sum(axis=0), np.int64).ravel()


def _rows(places: Ints, classes: Ints, documents: Ints, limbs: tuple[Ints, ...]) -> pa.RecordBatch:
    columns = [places.astype(np.int32), classes.astype(np.int32), documents, *limbs]
    return pa.record_batch([pa.array(column) for column in columns], names=["place", "class", "documents", *LIMBS])


def class_sums(documents: DataFrame, chosen: ChosenTerms, sizes: Sizes) -> tuple[ClassStats, Ints]:
    """The statistics of the weights of labelled documents, classes by number; and how many have no chosen term."""
    rows = mapped(documents, _AddUp(chosen), _SUM_ROWS).groupBy("place", "class")
    added = rows.agg(*(F.sum(name).alias(name) for name in ("documents", *LIMBS))).toArrow()
    place, number, found = (added[name].to_numpy() for name in ("place", "class", "documents"))
    sums = sums_of(tuple(added[name].to_numpy() for name in LIMBS))

    def in_order(is_wanted: Any) -> Ints:
        at = np.flatnonzero(is_wanted)
        return at[np.lexsort((place[at], number[at]))]

    cells, totals, squares = (
        in_order((number >= 0) & (place >= 0)),
        in_order(number == SUMS),
        in_order(number == SQUARES),
    )
    filled = totals[found[totals] > 0]
    starts = np.searchsorted(number[cells], np.arange(len(sizes.classes) + 1))
    of_terms = Totals(
        place[filled].astype(np.int64), found[filled], sums.at(filled), sums.at(squares[found[totals] > 0])
    )
    of_cells = Cells(starts, place[cells].astype(np.int64), found[cells], sums.at(cells))
    without = np.zeros(len(sizes.classes), np.int64)
    unknown = in_order((number >= 0) & (place == NO_TERM))
    without[number[unknown]] = found[unknown]
    n_labelled, classes = sizes.n_documents - sizes.n_unlabelled, tuple(range(len(sizes.classes)))
    table = Table(classes, n_labelled, len(chosen.terms), sizes.class_docs, of_terms, of_cells)
    return ClassStats(table), without


# -- from the documents ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Pack:
    """The counts of each chunk in one row."""

    chosen: ChosenTerms

    def __call__(self, batches: Batches) -> Batches:
        for counts, members in self.chosen.chunks(batches):
            arrays = (counts.indptr, counts.indices, counts.data, members.indptr, members.indices)
            packed = [pa.array([array.astype(np.int32).tobytes()], pa.binary()) for array in arrays]
            yield pa.record_batch(packed, names=_PACKED)


_PACKED = ["starts", "columns", "counts", "label_starts", "labels"]


def require_room(n_values: int, most_values: int, classifier: Any) -> None:
    """Refuse to bring more to the driver than it is to hold."""
    if n_values > most_values:
        raise InputError(
            f"{type(classifier).__name__} learns from the documents themselves, and these have {n_values:,} counts of "
            f"the chosen terms, about {8 * n_values >> 20:,} MB; the driver is to hold {most_values:,}. Use fewer "
            "terms (n_terms=), a classifier that learns from sums (nb, cnb, rocchio, tcfp), a sample of the documents "
            "(df.sample), or raise most_values if the driver has the memory."
        )


def counts_of(documents: DataFrame, chosen: ChosenTerms, sizes: Sizes) -> tuple[csr_matrix, Targets]:
    """The counts of the chosen terms in all documents, in their order, and the labels."""
    schema = ", ".join(f"{name} binary" for name in _PACKED)
    parts: list[csr_matrix] = []
    members: list[sparse.csr_array] = []
    for row in pieces(mapped(documents, _Pack(chosen), schema)):
        starts, columns, counts, label_starts, labels = (np.frombuffer(row[name], np.int32) for name in _PACKED)
        n_rows = len(starts) - 1
        part = csr_matrix((counts, columns, starts), shape=(n_rows, len(chosen.terms)))
        part.has_canonical_format = True
        parts.append(part)
        ones = np.ones(len(labels), np.int8)
        members.append(sparse.csr_array((ones, labels, label_starts), shape=(n_rows, len(sizes.classes))))
    return vstack(parts, "csr"), targets_of(members, sizes)


def targets_of(members: list[sparse.csr_array], sizes: Sizes) -> Targets:
    """The labels of documents, from their parts of documents x classes."""
    by_class = sparse.csc_array(sparse.vstack(members, "csr"))
    by_class.sort_indices()
    bounds = by_class.indptr.tolist()
    each = tuple(by_class.indices[begin:end].astype(np.int64) for begin, end in pairwise(bounds))
    return Targets(sizes.classes, each, int(by_class.shape[0]), sizes.form)
