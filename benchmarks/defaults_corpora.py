"""The corpora on which the defaults were selected, each in two parts: development and final test documents.

The final test documents are used once, after all decisions. They are the publisher's test part, or every third document
of a class if there is none. All decisions are made on the development documents: the first quarter of each class, in
the order of the collection, is held out. So documents that belong together, such as replies, are mostly on one side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack

import textsieve
from textsieve import TermCounter
from textsieve.categorizer_settings import Limits
from textsieve.evaluation import folds
from textsieve.text.vocabulary import SpelledTerms
from textsieve.training.counted_documents import CountedDocuments, count_texts
from textsieve.training.targets import Targets

Ints = NDArray[np.int64]

NO_LIMITS: Limits = {"min_df": 1, "max_df": 1.0}
MULTILABEL = ("reuters", "rcv1")
"""The first words of the names of multilabel corpora."""

Documents = tuple[Any, list[tuple[Any, ...]]]
"""Texts as a list or vectors as a matrix, and the labels of each document."""

CORPORA: dict[str, tuple[str, ...]] = {
    "20 Newsgroups": ("newsgroups:train", "newsgroups:test"),
    "its comp.* groups": ("newsgroups:comp:train", "newsgroups:comp:test"),
    "Reuters": ("reuters:train", "reuters:test"),
    "WebKB, stems": ("webkb:stemmed:train", "webkb:stemmed:test"),
    "WebKB, HTML": ("webkb",),
    "Brown": ("brown",),
    "ODP sample": ("odp:sample",),
    "docstrings": ("docstrings",),
    **{f"RCV1, subset {number}": (f"rcv1:subset{number}",) for number in range(1, 6)},
}
"""Names for `read` by title: the training and the test part, or the whole corpus."""


def family(corpus: str) -> str:
    """Return the name under which a corpus counts in means; the subsets of RCV1 share one."""
    return corpus.split(",")[0] if corpus.startswith("RCV1") else corpus


@dataclass(frozen=True)
class Labelled:
    """Texts or vectors, their labels, and the positions of development and final test documents."""

    documents: Any
    labels: list[Any]
    """The label of each document, or the tuple of its labels if the corpus is multilabel."""
    multilabel: bool
    development: Ints
    final_test: Ints

    @classmethod
    def of(cls, corpus: str) -> Labelled:
        """Read a corpus, and divide it into development and final test documents."""
        names = CORPORA[corpus]
        parts = [_read(name) for name in names]
        label_sets = [label_set for _, label_sets in parts for label_set in label_sets]
        first_labels = [label_set[0] if label_set else None for label_set in label_sets]
        if len(names) == 2:
            is_final = np.arange(len(label_sets)) >= len(parts[0][1])
        else:
            is_final = np.asarray(folds(first_labels, 3)) == 0
        contents = [content for content, _ in parts]
        documents = [text for texts in contents for text in texts] if isinstance(contents[0], list) else contents[0]
        multilabel = names[0].startswith(MULTILABEL)
        return cls(
            documents=documents,
            labels=label_sets if multilabel else first_labels,
            multilabel=multilabel,
            development=np.flatnonzero(~is_final),
            final_test=np.flatnonzero(is_final),
        )

    def development_split(self) -> tuple[Ints, Ints]:
        """Return the development documents to train on, and the first quarter of each class, which is held out."""
        positions_by_class: dict[Any, list[int]] = {}
        for position in self.development.tolist():
            label = self.labels[position]
            if self.multilabel:
                label = label[0] if label else None
            positions_by_class.setdefault(label, []).append(position)
        held_out = [
            position for positions in positions_by_class.values() for position in positions[: len(positions) // 4]
        ]
        is_held_out = np.isin(self.development, held_out)
        return self.development[~is_held_out], self.development[is_held_out]

    def count(self) -> CountedDocuments:
        """Return the counts of all documents."""
        if isinstance(self.documents, list):
            counter = TermCounter(dtype=np.int32)
            return count_texts(self.documents, self.labels, counter, NO_LIMITS, multilabel=self.multilabel)
        targets = Targets.of(self.labels, len(self.labels), multilabel=self.multilabel)
        names = SpelledTerms(f"#{column}" for column in range(self.documents.shape[1]))
        return CountedDocuments(csr_matrix(self.documents, dtype=np.int32), names, targets, NO_LIMITS)


def _read(name: str) -> Documents:
    """Read a named corpus; batches of vectors may have different numbers of columns."""
    batches = list(textsieve.read(name).batches())
    label_sets: list[Any] = [label_set for batch in batches for label_set in batch.labels]
    vectors = [batch.vectors for batch in batches if batch.vectors is not None]
    if vectors:
        n_columns = max(rows.shape[1] for rows in vectors)
        widened = [
            csr_matrix((rows.data, rows.indices, rows.indptr), shape=(rows.shape[0], n_columns)) for rows in vectors
        ]
        return csr_matrix(vstack(widened)), label_sets
    return [text for batch in batches for text in batch.texts], label_sets
