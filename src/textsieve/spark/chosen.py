"""The chosen terms in all documents: what the last pass looks at, whatever is learned from it.

Weights depend on the chosen terms of a document alone, and on their idf, which is known by now: so these are the
weights that one machine would make, to the last bit.

On the way it is counted how many documents and counts came by. Both are known before; if they are others now, the
documents were not the same when they were read again, and nothing that was learned from them means anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from scipy import sparse
from scipy.sparse import csr_matrix

from ..errors import InputError
from ..stats.sums import Floats, Ints
from ..text.rows import Rows
from ..text.schemes import Scheme
from ..training.documents import weighted
from ..training.targets import Sizes
from .counting import Reading

if TYPE_CHECKING:
    from .worker import Batches

NO_TERM = -1
"""In the place of a term, in rows that are about documents."""
DOCUMENTS, VALUES = -1, -2
"""In the place of a class, in such rows: how many documents there are, and how many counts."""


class Seen:
    """How many documents and counts came by, and how many documents of each class have no chosen term."""

    def __init__(self, n_classes: int) -> None:
        self.n_documents = self.n_values = 0
        self.without = np.zeros(n_classes, np.int64)

    def add(self, counts: csr_matrix) -> None:
        """Add documents, labelled or not."""
        self.n_documents += int(counts.shape[0])
        self.n_values += int(counts.nnz)

    def add_labelled(self, weights: csr_matrix, members: sparse.csr_array) -> None:
        """Look which of the labelled ones have no weight but 0."""
        is_zero = np.flatnonzero(Rows.of(weights).is_zero)
        self.without += np.asarray(members[is_zero].sum(axis=0), np.int64).ravel()

    def rows(self) -> tuple[Ints, Ints]:
        """The same as numbers of documents by class, to be added up by Spark."""
        classes = np.array([DOCUMENTS, VALUES, *range(len(self.without))], np.int64)
        return classes, np.array([self.n_documents, self.n_values, *self.without], np.int64)

    @classmethod
    def of_rows(cls, classes: Ints, documents: Ints, n_classes: int) -> Seen:
        """What rows say that were added up."""
        found = cls(n_classes)
        numbers = dict(zip(classes.tolist(), documents.tolist(), strict=True))
        found.n_documents, found.n_values = numbers.get(DOCUMENTS, 0), numbers.get(VALUES, 0)
        found.without[:] = [numbers.get(number, 0) for number in range(n_classes)]
        return found

    def require(self, sizes: Sizes, n_values: int) -> None:
        """Refuse documents that are not those that were counted."""
        if (self.n_documents, self.n_values) != (sizes.n_documents, n_values):
            raise InputError(
                f"The DataFrame is not the same when it is read again: {self.n_documents:,} documents with "
                f"{self.n_values:,} counts of the chosen terms, and before {sizes.n_documents:,} with {n_values:,}. "
                "Write it to a table first, and train on that."
            )


@dataclass(frozen=True)
class ChosenTerms:
    """The chosen terms, best first, and how a document is weighed by them."""

    reading: Reading
    terms: list[str]
    idf: Floats
    scheme: Scheme
    dtype: Any
    classes: list[Any]

    def counts(self, batches: Batches) -> Iterator[tuple[csr_matrix, sparse.csr_array]]:
        """The counts of each chunk, and its documents x classes."""
        counter = self.reading.counter(vocabulary=self.terms)
        classes = pa.array(self.classes)
        for chunk in self.reading.chunks(batches):
            yield counter.transform(chunk.texts), chunk.members(classes)

    def labelled_weights(self, batches: Batches, seen: Seen) -> Iterator[tuple[csr_matrix, sparse.csr_array]]:
        """The weights of the documents that have a label, and their classes."""
        for counts, members in self.counts(batches):
            seen.add(counts)
            labelled = np.flatnonzero(np.diff(members.indptr))
            rows = weighted(counts[labelled], self.scheme, self.idf, self.dtype)
            seen.add_labelled(rows, members[labelled])
            yield rows, members[labelled]
