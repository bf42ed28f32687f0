"""Which class a document gets that has none of the chosen terms, or only such of weight 0.

Nothing is added up for such a document, but that it has none of the terms is known of it, and training documents in
the same case say which class it has then. Let n_j be the documents of class j, and z_j those of them without a chosen
term. Of the documents that look like this one, the share z_j / Σ_i z_i is of class j: the largest z_j is right most
often. The largest n_j is right most often for a document of which nothing is known, which is another matter: if all
chosen terms speak for a large class, most of what has none of them is of another one.

Classes with the same z_j are told apart by n_j, and if these are equal too, the first is taken. So where no training
document is without a term, and all z_j are 0, the most frequent class is taken. A document of several classes counts
for each of them, one without a label for none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ..stats.sums import Counts
from ..text.rows import Rows
from .targets import Targets

Bools = NDArray[np.bool_]


def class_of_unknown(class_docs: Counts, class_docs_without_terms: Counts) -> int:
    """The number of the class, by the documents of each class, and by those of them that are without a chosen term."""
    most = np.flatnonzero(class_docs_without_terms == class_docs_without_terms.max())
    return int(most[np.argmax(class_docs[most])])


def docs_without_terms(is_without: Bools, targets: Targets) -> Counts:
    """How many documents of each class are among those without a chosen term."""
    counts = [targets.count(documents[is_without[documents]]) for documents in targets.members]
    return np.array(counts, targets.count_type)


class Unknown:
    """Looks at the weights of training documents as they come by, in their order; a byte stays of each."""

    def __init__(self, targets: Targets) -> None:
        self._targets = targets
        self._is_without = np.zeros(targets.n_documents, np.bool_)

    def among(self, batches: Iterable[csr_matrix]) -> Iterator[csr_matrix]:
        """The same batches; once all of them are gone, `fallback` is known."""
        done = 0
        for rows in batches:
            self._is_without[done : done + rows.shape[0]] = Rows.of(rows).is_zero
            done += rows.shape[0]
            yield rows

    @property
    def without(self) -> Counts:
        """How many documents of each class are without a chosen term."""
        return docs_without_terms(self._is_without, self._targets)

    @property
    def fallback(self) -> int:
        """The number of the class that a document without a chosen term gets."""
        return fallback_of(self._is_without, self._targets)


def fallback_of(is_without: Bools, targets: Targets) -> int:
    """The same, where it is known which of the training documents are without a chosen term."""
    return class_of_unknown(targets.class_docs, docs_without_terms(is_without, targets))
