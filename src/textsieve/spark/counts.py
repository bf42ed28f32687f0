"""Collect the counts of the selected terms on the driver, for classifiers that learn from documents.

They arrive in the order of the documents, as on one machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from scipy import sparse
from scipy.sparse import csr_matrix, vstack

from ..training.targets import ClassSizes, Targets
from .chosen import ChosenTerms
from .table import collect_in_order
from .worker import mapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .worker import Batches


@dataclass(frozen=True)
class _Pack:
    """Task that packs the counts of each chunk into one row."""

    chosen: ChosenTerms

    def __call__(self, batches: Batches) -> Batches:
        for counts, members in self.chosen.counts(batches):
            arrays = (counts.indptr, counts.indices, counts.data, members.indptr, members.indices)
            packed = [pa.array([array.astype(np.int32).tobytes()], pa.binary()) for array in arrays]
            yield pa.record_batch(packed, names=_PACKED)


_PACKED = ["starts", "columns", "counts", "label_starts", "labels"]


def counts_of(
    documents: DataFrame, chosen: ChosenTerms, sizes: ClassSizes, n_values: int
) -> tuple[csr_matrix, Targets]:
    """Return the counts of the selected terms in all documents, in their order, and the labels.

    `n_values` is the number of counts.
    """
    schema = ", ".join(f"{name} binary" for name in _PACKED)
    parts: list[csr_matrix] = []
    members: list[sparse.csr_array] = []
    n_labels = int(sizes.class_docs.sum())
    n_bytes = 8 * (n_values + sizes.n_documents) + 4 * n_labels
    for row in collect_in_order(mapped(documents, _Pack(chosen), schema), n_bytes):
        starts, columns, counts, label_starts, labels = (np.frombuffer(row[name], np.int32) for name in _PACKED)
        n_rows = len(starts) - 1
        part = csr_matrix((counts, columns, starts), shape=(n_rows, len(chosen.terms)))
        part.has_canonical_format = True
        parts.append(part)
        ones = np.ones(len(labels), np.int8)
        members.append(sparse.csr_array((ones, labels, label_starts), shape=(n_rows, len(sizes.classes))))
    return vstack(parts, "csr"), targets_of(members, sizes)


def targets_of(members: list[sparse.csr_array], sizes: ClassSizes) -> Targets:
    """Return the labels of documents, given the parts of their indicator matrix (documents x classes)."""
    by_class = sparse.csc_array(sparse.vstack(members, "csr"))
    by_class.sort_indices()
    bounds = by_class.indptr.tolist()
    documents_by_class = tuple(by_class.indices[begin:end].astype(np.int64) for begin, end in pairwise(bounds))
    return Targets(sizes.classes, documents_by_class, int(by_class.shape[0]), sizes.form)
