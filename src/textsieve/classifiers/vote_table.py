"""Feature projections, from which TCFP and k-NNFP learn, and the table of votes that TCFP makes of them.

TCFP and k-NNFP learn from documents projected on each term (Ko and Seo 2004, Akkus and Guvenir 1996). The *projection*
on a term is the sorted list of the term's weights, each with its document. Documents without the term, or with a stored
0, are not in the list.

In TCFP, a document counts for a term if its weight of the term is at least the term's mean weight. Each new document
moves the mean, so earlier documents can begin or cease to count at any time, and sums of weights would not be enough
for adding documents later. So the *vote table* stores the weights, but not the documents: for each term, the distinct
pairs of weight and class in order, and the number of documents with each pair. If weights are counts of words, the size
of the table is bounded by terms x classes x distinct counts, however many documents are added. With rows scaled to unit
length, weights hardly ever repeat and the table grows with the documents: 20 bytes for each nonzero weight.

Tables can be merged in any order: the table of some documents is the same, to the last bit, however they were split.

A multilabel document votes once for each of its classes, but counts only once in the mean. So a document with m > 1
classes has m entries of count 1 for each of its terms, and a *correction*: an entry with class -1 and count 1 - m. In
the mean, their counts add up to 1; in the votes, the correction is left out.

When a table is read from a file, everything is checked, because the kernels check neither the start of a term's
entries nor the class of an entry.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..archive import Specs
from ..arrays import CSR, Floats, Int32s, Ints
from ..errors import InputError
from ..kernels import feature_projections as kernels
from ..kernels.feature_projections import Entries
from ..stats.labels import LabelPairs, sort_classes
from ..threads import parallel_ranges
from .scorer import Layout, ascends_in_parts, check_layout, require_indptr

LARGEST_WEIGHT = 1e150
"""The upper bound of weights, so that their sums are finite."""

_TERMS_PER_TASK = 1 << 9
"""The number of terms that a thread gets at a time."""


class Projections(NamedTuple):
    """For each term, its weights in a list of documents, and the documents that have them."""

    indptr: Ints  # the weights of term t are weights[indptr[t] : indptr[t + 1]]
    weights: Floats
    positions: Int32s  # positions in the list of documents


def group_by_term(rows: CSR, documents: Ints) -> Projections:
    """Return the weights of each term in the given documents, in the order of the documents.

    `documents` are row numbers, and a number may occur repeatedly.
    """
    indptr, columns = rows.indptr.astype(np.int64, copy=False), rows.indices.astype(np.int32, copy=False)
    sizes = np.zeros(rows.n_columns, np.int64)
    kernels.count_by_term(documents, indptr, columns, rows.data, sizes)  # adds to `sizes`
    term_indptr = np.concatenate([[0], np.cumsum(sizes)])
    weights, positions = np.empty(term_indptr[-1]), np.empty(term_indptr[-1], np.int32)
    next_positions = term_indptr.copy()  # where the next weight of each term is written; the kernel advances it
    kernels.write_by_term(documents, indptr, columns, rows.data, next_positions, weights, positions)
    return Projections(term_indptr, weights, positions)


def project(rows: CSR, documents: Ints, threads: int) -> Projections:
    """Return the weights of each term in the given documents, sorted by weight and then by position in `documents`."""
    projections = group_by_term(rows, documents)

    def sort(first: int, last: int) -> None:
        """Sort the weights of the terms from `first` to before `last`, in place."""
        kernels.sort_by_weight(first, last, *projections)

    parallel_ranges(sort, rows.n_columns, _TERMS_PER_TASK, threads)
    return projections


def require_weights(values: NDArray[Any], estimator_name: str) -> None:
    """Raise `InputError` for training documents with weights that are negative or too large."""
    least, most = float(values.min(initial=0)), float(values.max(initial=0))
    if least < 0:
        raise InputError(
            f"Negative values in data passed to {estimator_name}: {least:g}",
            hint="weights are 0 or more, such as TermWeighter's",
        )
    if not most < LARGEST_WEIGHT:
        raise InputError(f"{estimator_name}: a weight of {most:g}", hint=f"use weights below {LARGEST_WEIGHT:g}")


class VoteTable(NamedTuple):
    """For each term, the distinct (weight, class) pairs, ascending, and the number of documents with each."""

    classes: tuple[Any, ...]
    class_docs: Ints  # the number of documents of each class
    multilabel: bool  # whether a document had several classes
    entries: Entries  # those of class -1 are corrections for multilabel documents, see the module's docstring

    @property
    def n_terms(self) -> int:
        """Return the number of terms."""
        return len(self.entries.starts) - 1


def vote_table(rows: CSR, pairs: LabelPairs, threads: int) -> VoteTable:
    """Return the table of some documents; unlabelled documents are left out.

    A document with m > 1 classes also has an entry of class -1 and count 1 - m, so that it counts once in the mean.
    """
    n_labels = np.bincount(pairs.documents, minlength=rows.n_rows)
    multilabel = np.flatnonzero(n_labels > 1)  # the documents with several classes
    class_docs = np.diff(pairs.class_starts)
    # The document of each entry: first those of the entries of class -1, then those of all (document, class) pairs,
    # which are sorted by class. `project` keeps this order where weights are equal, so the entries of a term are sorted
    # by weight and then by class.
    documents = np.concatenate([multilabel, pairs.documents])
    classes = np.concatenate([np.full(len(multilabel), -1), np.repeat(np.arange(len(class_docs)), class_docs)])
    counts = np.concatenate([1 - n_labels[multilabel], np.ones(len(pairs.documents), np.int64)])
    indptr, weights, positions = project(rows, documents, threads)
    entries = Entries(indptr, weights, classes.astype(np.int32)[positions], counts[positions])
    return VoteTable(pairs.classes, class_docs, len(multilabel) > 0, _add_up_duplicates(entries))


def merge(table: VoteTable, other: VoteTable) -> VoteTable:
    """Return the table of the documents of both tables; its classes and terms are those of both."""
    classes = tuple(sort_classes((*table.classes, *other.classes)))
    number_of = {label: number for number, label in enumerate(classes)}
    n_terms = max(table.n_terms, other.n_terms)
    class_docs = np.zeros(len(classes), np.int64)
    renumbered: list[Entries] = []
    for part in (table, other):
        numbers = np.array([number_of[label] for label in part.classes], np.int64)  # the new numbers of its classes
        class_docs[numbers] += part.class_docs
        renumbered.append(_renumber(part.entries, numbers, n_terms))
    size = sum(len(entries.weights) for entries in renumbered)
    merged = Entries(
        np.zeros(n_terms + 1, np.int64), np.empty(size), np.empty(size, np.int32), np.empty(size, np.int64)
    )
    kernels.merge(renumbered[0], renumbered[1], merged)
    return VoteTable(classes, class_docs, table.multilabel or other.multilabel, _add_up_duplicates(merged))


def _renumber(entries: Entries, numbers: Ints, n_terms: int) -> Entries:
    """Return entries with new class numbers, `numbers[j]` for class j, and for `n_terms` terms.

    `numbers` ascend, so the entries of a term stay in order. Terms that are added have no entries.
    """
    # Terms without entries start where the last term ends.
    n_more_terms = n_terms - (len(entries.starts) - 1)
    starts = np.append(entries.starts, np.full(n_more_terms, entries.starts[-1]))
    # Class -1 (corrections for multilabel documents) stays -1: as an index, it is the last element, which is appended.
    classes = np.append(numbers, -1)[entries.classes].astype(np.int32)
    return entries._replace(starts=starts, classes=classes)


def _add_up_duplicates(entries: Entries) -> Entries:
    """Add up the counts of entries with the same term, weight and class, and return one entry for each.

    The given entries must be sorted, and are overwritten.
    """
    kernels.sum_equal_entries(entries)  # moves the summed entries to the front of the arrays and changes `starts`
    starts, weights, classes, counts = entries
    size = starts[-1]
    if size == len(weights):  # there were no duplicates
        return entries
    # Copies, because a view would keep the memory of the longer arrays.
    return Entries(starts, weights[:size].copy(), classes[:size].copy(), counts[:size].copy())


def vote_shares(table: VoteTable, factors: Floats, threads: int) -> NDArray[np.float32]:
    """Return the part of each term's vote that each class gets (terms x classes), r(c, t) x the class's factor.

    The docstring of `tcfp` defines r; `factors` has a number for each class c.
    """
    shares = np.zeros((table.n_terms, len(table.classes)), np.float32)

    def write(first: int, last: int) -> None:
        """Write the shares of the terms from `first` to before `last` to `shares`."""
        kernels.vote_shares(first, last, table.entries, factors, shares)

    parallel_ranges(write, table.n_terms, _TERMS_PER_TASK, threads)
    return shares


# -- stored tables -------------------------------------------------------------------------------------------------

_ARRAYS: Layout = {
    "class_docs": (np.int64, ("classes",)),
    "vote_indptr": (np.int64, ("terms+1",)),  # the entries of term t are vote_indptr[t] to vote_indptr[t + 1]
    "vote_weights": (np.float64, ("entries",)),
    "vote_classes": (np.int32, ("entries",)),  # -1: correction for multilabel documents, which count once in the mean
    "vote_counts": (np.int64, ("entries",)),
}

MAX_DOCUMENTS = (1 << 31) - 1
"""The largest number of documents, so that sums of document counts fit into 64 bits."""


def vote_arrays(table: VoteTable) -> dict[str, NDArray[Any]]:
    """Return the arrays of a table for an archive; the flag `multilabel` belongs in its header."""
    return dict(zip(_ARRAYS, (table.class_docs, *table.entries), strict=True))


def check_declared(specs: Specs, n_classes: int) -> int:
    """Check the types and shapes of the arrays of a stored table, and return its number of terms.

    Raises `InputError` if they are not those of a table with `n_classes` classes.
    """
    return check_layout(specs, _ARRAYS, classes=n_classes)["terms"]


def restore_votes(arrays: Mapping[str, NDArray[Any]], n_classes: int, *, multilabel: bool) -> VoteTable:
    """Return the table from arrays that passed `check_declared`; raise `InputError` if no documents can give it."""
    class_docs, *entries = (arrays[name] for name in _ARRAYS)
    table = VoteTable(tuple(range(n_classes)), class_docs, multilabel, Entries(*entries))
    require_indptr("vote_indptr", table.entries.starts, len(table.entries.weights))
    _check_votes(table)
    return table


def _check_votes(table: VoteTable) -> None:
    """Raise `InputError` for a table with numbers out of range, with unsorted entries, or with impossible counts."""
    starts, weights, classes, counts = table.entries
    are_in_range = _are_within(classes, -1, len(table.classes) - 1) and _are_within(table.class_docs, 0, MAX_DOCUMENTS)
    if not (are_in_range and bool(((weights > 0) & (weights < LARGEST_WEIGHT)).all())):
        raise _damaged("it has a weight, a class or a number of documents that can't be")
    votes, corrections = counts[classes >= 0], counts[classes < 0]
    if not (_are_within(votes, 1, MAX_DOCUMENTS) and _are_within(corrections, -MAX_DOCUMENTS, -1)):
        raise _damaged("it has a number of documents that can't be")
    if not ascends_in_parts(starts, weights, classes):
        raise _damaged("its entries are out of order")
    # The counts of a weight, with the corrections for multilabel documents, add up to its number of documents.
    if counts.size and int(np.add.reduceat(counts, _first_entries(starts, weights)).min()) < 1:
        raise _damaged("a weight is of no document")


def _first_entries(starts: Ints, weights: NDArray[Any]) -> Ints:
    """Return the position of the first entry of each distinct weight of a term."""
    is_first = np.ones(len(weights) + 1, np.bool_)  # one more than entries, since `starts` ends with their number
    is_first[1:-1] = weights[1:] != weights[:-1]
    is_first[starts] = True
    return np.flatnonzero(is_first[:-1])


def _are_within(numbers: NDArray[Any], least: int, most: int) -> bool:
    """Return whether all numbers are from `least` to `most`, including both."""
    return bool(((numbers >= least) & (numbers <= most)).all())


def _damaged(reason: str) -> InputError:
    """Return the error for a stored table that no documents can give."""
    return InputError(f"This table of votes is damaged: {reason}.")
