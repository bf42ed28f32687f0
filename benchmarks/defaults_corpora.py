"""The corpora that the defaults were chosen on: documents to choose by, and documents to look at once, in the end.

What a publisher cut off for testing is not looked at before the end; where nobody did, it is every third document of a
class. The other documents are for choosing: of each class the first quarter is held out, in the order of the
collection. Documents that were written together, such as answers to one another, are so mostly on one side.
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
from textsieve.training.counted_documents import CountedDocuments, count_texts
from textsieve.training.targets import Targets

Ints = NDArray[np.int64]

NO_LIMITS: Limits = {"min_df": 1, "max_df": 1.0}
SEVERAL = ("reuters", "rcv1")
"""Collections whose documents have several labels."""

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


def family(corpus: str) -> str:
    """What a corpus counts as: the subsets of RCV1 together as one."""
    return corpus.split(",")[0] if corpus.startswith("RCV1") else corpus


@dataclass(frozen=True)
class Labelled:
    """Texts or vectors, and their labels."""

    documents: Any
    labels: list[Any]
    multilabel: bool
    for_choosing: Ints
    """Places of the documents to choose by."""
    for_the_end: Ints

    @classmethod
    def of(cls, corpus: str) -> Labelled:
        """Read a corpus, and settle who is looked at when."""
        names = CORPORA[corpus]
        parts = [_read(name) for name in names]
        labels = [each for part in parts for each in part[1]]
        first = [each[0] if each else None for each in labels]
        sizes = [len(part[1]) for part in parts]
        is_last = np.arange(len(labels)) >= sizes[0] if len(names) == 2 else np.asarray(folds(first, 3)) == 0
        documents = [each for part in parts for each in part[0]] if isinstance(parts[0][0], list) else parts[0][0]
        multilabel = names[0].startswith(SEVERAL)
        return cls(
            *(documents, labels if multilabel else first, multilabel),
            *(np.flatnonzero(~is_last), np.flatnonzero(is_last)),
        )

    def quarter(self) -> tuple[Ints, Ints]:
        """Of the documents to choose by: those to learn from, and those held out."""
        first = [(each[0] if each else None) if self.multilabel else each for each in self.labels]
        by_class: dict[Any, list[int]] = {}
        for place in self.for_choosing.tolist():
            by_class.setdefault(first[place], []).append(place)
        held_out = {place for places in by_class.values() for place in places[: len(places) // 4]}
        is_held_out = np.array([place in held_out for place in self.for_choosing.tolist()])
        return self.for_choosing[~is_held_out], self.for_choosing[is_held_out]

    def counted(self) -> CountedDocuments:
        """Counts of all documents."""
        if isinstance(self.documents, list):
            counter = TermCounter(dtype=np.int32)
            return count_texts(self.documents, self.labels, counter, NO_LIMITS, multilabel=self.multilabel)
        targets = Targets.of(self.labels, len(self.labels), multilabel=self.multilabel)
        names = [f"#{column}" for column in range(self.documents.shape[1])]
        return CountedDocuments(csr_matrix(self.documents, dtype=np.int32), names, targets, NO_LIMITS)


def _read(name: str) -> tuple[Any, list[tuple[Any, ...]]]:
    """Texts as a list or vectors as a matrix, and the labels of each."""
    batches = list(textsieve.read(name).batches())
    labels: list[Any] = [each for batch in batches for each in batch.labels]
    vectors = [batch.vectors for batch in batches if batch.vectors is not None]
    if vectors:
        width = max(each.shape[1] for each in vectors)
        parts = [csr_matrix((each.data, each.indices, each.indptr), shape=(each.shape[0], width)) for each in vectors]
        return csr_matrix(vstack(parts)), labels
    return [text for batch in batches for text in batch.texts], labels
