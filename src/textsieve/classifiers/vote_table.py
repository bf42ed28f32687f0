"""What TCFP keeps of its training documents, so that others can be added later, with the same result to the last bit.

A term's documents vote if its weight in them is at least the mean. Each new document moves the mean, so that others may
gain or lose their vote at any time, and sums are not enough. So the weights are kept, but no document: for each term
the distinct pairs of weight and class, in that order, and how many documents have each. With counts as weights the
table is bounded by terms x classes x distinct counts, however many documents come. With weights of length 1, hardly any
of which is there twice, it grows as the documents do: 20 bytes for each weight that is not 0.

Tables add up, in any order: the table of some documents is the same whichever way they were split.

The mean is over documents, each once; votes count a document once for each of its classes. So a document with m > 1
classes has m entries, and one more of class -1 and count 1 - m, which is left out of the votes.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kernels import projections as kernels
from ..kernels.projections import Entries
from ..stats.labels import LabelPairs, one_kind
from ..text.rows import Rows
from .projections import Floats, Ints, for_ranges, project


class VoteTable(NamedTuple):
    """For each term the distinct (weight, class), ascending, and how many documents have them."""

    classes: tuple[Any, ...]
    class_docs: Ints
    several: bool  # whether a document had several classes
    entries: Entries

    @property
    def n_terms(self) -> int:
        """How many terms were seen."""
        return len(self.entries.starts) - 1


def vote_table(rows: Rows, pairs: LabelPairs, threads: int) -> VoteTable:
    """The table of some documents; those without a label are left out."""
    n_labels = np.bincount(pairs.documents, minlength=rows.n_rows)
    with_several = np.flatnonzero(n_labels > 1)
    class_docs = np.diff(pairs.class_starts)
    found = project(rows, np.concatenate([with_several, pairs.documents]), threads)
    numbers = np.concatenate([np.full(len(with_several), -1), np.repeat(np.arange(len(class_docs)), class_docs)])
    counts = np.concatenate([1 - n_labels[with_several], np.ones(len(pairs.documents), np.int64)])
    entries = Entries(found.starts, found.weights, numbers.astype(np.int32)[found.members], counts[found.members])
    return VoteTable(pairs.classes, class_docs, len(with_several) > 0, _squeezed(entries))


def merge(one: VoteTable, other: VoteTable) -> VoteTable:
    """The table of the documents of both."""
    classes = tuple(one_kind((*one.classes, *other.classes)))
    number = {label: at for at, label in enumerate(classes)}
    n_terms = max(one.n_terms, other.n_terms)
    class_docs = np.zeros(len(classes), np.int64)

    def renamed(table: VoteTable) -> Entries:
        numbers = np.array([number[label] for label in table.classes], np.int64)
        class_docs[numbers] += table.class_docs
        starts = np.append(table.entries.starts, np.full(n_terms - table.n_terms, table.entries.starts[-1]))
        renumbered = np.append(numbers, -1)[table.entries.classes].astype(np.int32)  # sorted before, so sorted after
        return table.entries._replace(starts=starts, classes=renumbered)

    size = len(one.entries.weights) + len(other.entries.weights)
    both = Entries(np.zeros(n_terms + 1, np.int64), np.empty(size), np.empty(size, np.int32), np.empty(size, np.int64))
    kernels.merge(renamed(one), renamed(other), both)
    return VoteTable(classes, class_docs, one.several or other.several, _squeezed(both))


def _squeezed(entries: Entries) -> Entries:
    kernels.squeeze(entries)
    starts, weights, classes, counts = entries
    size = starts[-1]
    if size == len(weights):
        return entries
    return Entries(starts, weights[:size].copy(), classes[:size].copy(), counts[:size].copy())


def vote_shares(table: VoteTable, factors: Floats, threads: int) -> NDArray[np.float32]:
    """r(c, t) x the factor of c (terms x classes): which part of a term's vote each class gets."""
    shares = np.zeros((table.n_terms, len(table.classes)), np.float32)
    for_ranges(
        lambda first, last: kernels.vote_shares(first, last, table.entries, factors, shares), table.n_terms, threads
    )
    return shares
