"""Compute the weights of the selected terms in all documents: the last pass over the documents, for every classifier.

Weights depend only on the selected terms of a document and on their idf, which is known by now. So these are the
weights that one machine would compute, to the last bit.

This pass also counts the documents and their counts (nonzero entries). Both numbers are known before; if they differ
now, the documents changed between two reads, and what was learned from them is meaningless.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from scipy import sparse
from scipy.sparse import csr_matrix

from ..arrays import Floats, Ints
from ..errors import InputError
from ..text.csr import CSR
from ..text.schemes import Scheme
from ..training.counted_documents import weighted
from ..training.targets import ClassSizes
from .counting import Reading

if TYPE_CHECKING:
    from .worker import Batches

NO_TERM = -1
"""Stands for a term in rows about whole documents."""
DOCUMENTS, VALUES = -1, -2
"""Stand for a class in such rows: the number of documents, and the number of counts."""


class Seen:
    """The numbers of documents and of counts in this pass, and of documents of each class without a selected term."""

    def __init__(self, n_classes: int) -> None:
        self.n_documents = self.n_values = 0
        self.without = np.zeros(n_classes, np.int64)

    def add(self, counts: csr_matrix) -> None:
        """Add documents, labelled or not."""
        self.n_documents += int(counts.shape[0])
        self.n_values += int(counts.nnz)

    def add_labelled(self, weights: csr_matrix, members: sparse.csr_array) -> None:
        """Count the labelled documents whose weights are all 0, by class."""
        is_zero = np.flatnonzero(CSR.of(weights).is_zero)
        self.without += np.asarray(members[is_zero].sum(axis=0), np.int64).ravel()

    def rows(self) -> tuple[Ints, Ints]:
        """Return the numbers as arrays of classes and of documents, for Spark to add up."""
        classes = np.array([DOCUMENTS, VALUES, *range(len(self.without))], np.int64)
        return classes, np.array([self.n_documents, self.n_values, *self.without], np.int64)

    @classmethod
    def of_rows(cls, classes: Ints, documents: Ints, n_classes: int) -> Seen:
        """Return the numbers from rows that Spark added up."""
        seen = cls(n_classes)
        numbers = dict(zip(classes.tolist(), documents.tolist(), strict=True))
        seen.n_documents, seen.n_values = numbers.get(DOCUMENTS, 0), numbers.get(VALUES, 0)
        seen.without[:] = [numbers.get(number, 0) for number in range(n_classes)]
        return seen

    def require(self, sizes: ClassSizes, n_values: int) -> None:
        """Raise `InputError` if the documents are not those that were counted before."""
        if (self.n_documents, self.n_values) != (sizes.n_documents, n_values):
            raise InputError(
                f"The DataFrame is not the same when it is read again: {self.n_documents:,} documents with "
                f"{self.n_values:,} counts of the chosen terms, and before {sizes.n_documents:,} with {n_values:,}. "
                "Write it to a table first, and train on that."
            )


@dataclass(frozen=True)
class ChosenTerms:
    """The selected terms, best first, and how documents are weighted."""

    reading: Reading
    terms: list[str]
    idf: Floats
    scheme: Scheme
    dtype: Any
    classes: list[Any]

    def counts(self, batches: Batches) -> Iterator[tuple[csr_matrix, sparse.csr_array]]:
        """Yield the counts of each chunk, and its indicator matrix (documents x classes)."""
        counter = self.reading.counter(vocabulary=self.terms)
        classes = pa.array(self.classes)
        for chunk in self.reading.chunks(batches):
            yield counter.transform(chunk.texts), chunk.members(classes)

    def labelled_weights(self, batches: Batches, seen: Seen) -> Iterator[tuple[csr_matrix, sparse.csr_array]]:
        """Yield the weights of the labelled documents of each chunk, and their indicator matrix; update `seen`."""
        for counts, members in self.counts(batches):
            seen.add(counts)
            labelled = np.flatnonzero(np.diff(members.indptr))
            rows = weighted(counts[labelled], self.scheme, self.idf, self.dtype)
            seen.add_labelled(rows, members[labelled])
            yield rows, members[labelled]
