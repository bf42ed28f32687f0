"""The fallback class: what is predicted for a document without a selected term.

No term contributes to the scores of such a document, but training documents of this kind show which class is likely. A
document whose selected terms all have weight 0 counts as one without a selected term, here and in the functions below.
Let n_j be the number of training documents of class j, and z_j the number of those without a selected term. Among all
documents without a selected term, class j has the share z_j / Σ_i z_i, so the class with the largest z_j is right most
often. That need not be the most frequent class, with the largest n_j: if all selected terms speak for the most frequent
class, most documents without any selected term belong to another class.

If several classes have the largest z_j, the one with the largest n_j is taken, and of several of these the first. So if
every training document has a selected term, and all z_j are 0, the most frequent class is the fallback class. A
multilabel document counts for each of its classes, an unlabelled one for none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ..arrays import CSR, Bools, Counts
from .targets import Targets


def fallback_class(class_docs: Counts, class_docs_without_terms: Counts) -> int:
    """Return the number of the fallback class.

    `class_docs` has the number of documents of each class, and `class_docs_without_terms` how many of them have no
    selected term. Of classes with equally many such documents, the one with most documents is taken.
    """
    tied = np.flatnonzero(class_docs_without_terms == class_docs_without_terms.max())
    return int(tied[np.argmax(class_docs[tied])])


def docs_without_terms(is_without_terms: Bools, targets: Targets) -> Counts:
    """Return the number of documents of each class without a selected term.

    `is_without_terms` says of each document whether it has none.
    """
    counts = [targets.count(documents[is_without_terms[documents]]) for documents in targets.members]
    return np.array(counts, targets.count_type)


class FallbackClass:
    """Determines the fallback class while batches of training documents pass through `observe`."""

    def __init__(self, targets: Targets) -> None:
        """Start before the first batch; `targets` are the labels of all training documents."""
        self._targets = targets
        self._is_without_terms = np.zeros(targets.n_documents, np.bool_)

    def observe(self, batches: Iterable[CSR]) -> Iterator[CSR]:
        """Yield the batches of weights unchanged, and record which documents are without a selected term.

        After the last batch, `docs_without_terms` and `number` are complete.
        """
        done = 0
        for rows in batches:
            self._is_without_terms[done : done + rows.n_rows] = rows.is_zero
            done += rows.n_rows
            yield rows

    @property
    def docs_without_terms(self) -> Counts:
        """Return the number of documents of each class without a selected term."""
        return docs_without_terms(self._is_without_terms, self._targets)

    @property
    def number(self) -> int:
        """Return the number of the fallback class."""
        return fallback_class(self._targets.class_docs, self.docs_without_terms)
