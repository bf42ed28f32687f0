"""Documents of a corpus as counts, with one label each, for experiments that hold some of them out again and again."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ..corpus import Corpus
from ..errors import InputError, counted
from ..text.counter import TermCounter
from .documents import Counted, Limits, Progress, count_corpus
from .targets import Targets


class LabelledCounts(NamedTuple):
    """Counts of all terms, and a label for each document."""

    counts: csr_matrix
    labels: NDArray[Any]
    limits: Limits
    """Of the documents that a term may be in; not kept to yet."""
    n_seen: int
    """How many documents there were: these are a sample if there were more with a label."""
    n_unlabelled: int


def labelled_counts(corpus: Corpus, *, progress: Progress, n_jobs: int = -1, **reading: Any) -> LabelledCounts:
    """Count the labelled documents of a corpus, or a sample if memory does not hold all.

    `reading` is what a `TermCounter` is told. Documents without a label are left out.
    """
    limits: Limits = {"min_df": reading.pop("min_df", 1), "max_df": reading.pop("max_df", 1.0)}
    counter = TermCounter(**reading, dtype=np.int32, n_jobs=n_jobs)
    found = count_corpus(corpus, counter, limits, multilabel=None, want_stats=False, progress=progress)
    counts = found if isinstance(found, Counted) else found.sample
    _require_one_label(corpus, counts.targets)
    usable = np.flatnonzero(counts.targets.first >= 0)
    if not len(usable):
        raise InputError(
            f"{corpus.name}: no document has a label, so there is nothing to learn. In a table, name the column of the "
            "labels with label=."
        )
    kept = counts.take(usable)
    if not kept.counts.nnz:
        raise InputError(
            f"{corpus.name}: there is no term in any document that has a label; give documents with words."
        )
    if len(set(kept.targets.first.tolist())) < 2:
        label = kept.targets.classes[int(kept.targets.first[0])]
        raise InputError(f"{corpus.name}: all documents are of the class {label!r}; give documents of another one too.")
    labels = np.array([kept.targets.classes[number] for number in kept.targets.first.tolist()])
    n_unlabelled = int((found.targets.first < 0).sum())
    return LabelledCounts(kept.counts, labels, kept.limits, found.targets.n_documents, n_unlabelled)


def _require_one_label(corpus: Corpus, targets: Targets) -> None:
    several = np.flatnonzero(np.bincount(np.concatenate([np.empty(0, np.int64), *targets.members])) > 1)
    if len(several):
        raise InputError(
            f"{corpus.name}: {counted(len(several), 'document has', 'documents have')} several labels, and what is "
            "measured here is how often one is right; give documents of one label each."
        )
