"""The table from which TCFP learns: the sorted weights of each term, with classes and counts.

TCFP and k-NNFP learn from documents projected on each term (Ko and Seo 2004, Akkus and Guvenir 1996): the sorted list
of the term's weights, each with its document. Documents without the term, or with a stored 0, are not in the list.

A document votes for a term if its weight is at least the mean. Each new document moves the mean, so others can gain or
lose their vote at any time, and sums would not be enough for adding documents later. So the table stores the weights,
but not the documents: for each term, the distinct pairs of weight and class in order, and the number of documents with
each. If weights are counts, its size is bounded by terms x classes x distinct counts, however many documents are
added. With rows scaled to unit length, weights hardly ever repeat and the table grows with the documents: 20 bytes for
each nonzero weight.

Tables can be merged in any order: the table of some documents is the same, to the last bit, however they were split.

The mean is over documents, each once, but a document votes once for each of its classes. So a document with m > 1
classes has m entries, and one more with class -1 and count 1 - m that is left out of the votes.

When a table is read from a file, everything is checked, because the kernels check neither the start of a term's
entries nor the class of an entry.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..archive import Specs
from ..arrays import Floats, Int32s, Ints
from ..errors import InputError, shown
from ..kernels import feature_projections as kernels
from ..kernels.feature_projections import Entries
from ..stats.labels import LabelPairs, one_kind
from ..text.csr import CSR
from ..threads import parallel_map

MOST = 1e150
"""The upper bound of weights, so that their sums are finite."""

_TERMS = 1 << 9
"""The number of terms that a thread processes at a time."""


class Projections(NamedTuple):
    """For each term, the documents that contain it, and its weights in them."""

    starts: Ints
    weights: Floats
    members: Int32s  # positions in the list of documents


def place_by_term(rows: CSR, documents: Ints) -> Projections:
    """Return the given rows (by number, possibly repeated) term by term, in the order given."""
    starts, columns = rows.indptr.astype(np.int64, copy=False), rows.indices.astype(np.int32, copy=False)
    sizes = np.zeros(rows.n_columns, np.int64)
    kernels.count_by_term(documents, starts, columns, rows.data, sizes)
    term_starts = np.concatenate([[0], np.cumsum(sizes)])
    weights, members = np.empty(term_starts[-1]), np.empty(term_starts[-1], np.int32)
    kernels.write_by_term(documents, starts, columns, rows.data, term_starts.copy(), weights, members)
    return Projections(term_starts, weights, members)


def project(rows: CSR, documents: Ints, threads: int) -> Projections:
    """Return the given rows term by term, sorted by weight and then by position in `documents`."""
    projections = place_by_term(rows, documents)
    for_ranges(lambda first, last: kernels.sort_by_weight(first, last, *projections), rows.n_columns, threads)
    return projections


def for_ranges(task: Any, n_terms: int, threads: int, size: int = _TERMS) -> None:
    """Call `task(first, end)` for ranges of terms, on several threads."""
    parallel_map(lambda at: task(at * size, min((at + 1) * size, n_terms)), -(-n_terms // size), threads)


def require_weights(values: NDArray[Any], who: str) -> None:
    """Raise `InputError` for training documents with weights that are negative or too large."""
    least, most = float(values.min(initial=0)), float(values.max(initial=0))
    if least < 0:
        raise InputError(
            f"Negative values in data passed to {who}: {least:g}; weights are 0 or more, such as TermWeighter's."
        )
    if not most < MOST:
        raise InputError(f"{who}: a weight of {most:g}; use weights below {MOST:g}.")


class VoteTable(NamedTuple):
    """For each term, the distinct (weight, class) pairs, ascending, and the number of documents with each."""

    classes: tuple[Any, ...]
    class_docs: Ints
    multilabel: bool  # whether a document had several classes
    entries: Entries

    @property
    def n_terms(self) -> int:
        """Return the number of terms."""
        return len(self.entries.starts) - 1


def vote_table(rows: CSR, pairs: LabelPairs, threads: int) -> VoteTable:
    """Return the table of some documents; unlabelled documents are left out."""
    n_labels = np.bincount(pairs.documents, minlength=rows.n_rows)
    multilabel = np.flatnonzero(n_labels > 1)
    class_docs = np.diff(pairs.class_starts)
    projections = project(rows, np.concatenate([multilabel, pairs.documents]), threads)
    numbers = np.concatenate([np.full(len(multilabel), -1), np.repeat(np.arange(len(class_docs)), class_docs)])
    counts = np.concatenate([1 - n_labels[multilabel], np.ones(len(pairs.documents), np.int64)])
    entries = Entries(
        projections.starts,
        projections.weights,
        numbers.astype(np.int32)[projections.members],
        counts[projections.members],
    )
    return VoteTable(pairs.classes, class_docs, len(multilabel) > 0, _squeezed(entries))


def merge(one: VoteTable, other: VoteTable) -> VoteTable:
    """Return the table of the documents of both."""
    classes = tuple(one_kind((*one.classes, *other.classes)))
    number = {label: at for at, label in enumerate(classes)}
    n_terms = max(one.n_terms, other.n_terms)
    class_docs = np.zeros(len(classes), np.int64)

    def renumber(table: VoteTable) -> Entries:
        numbers = np.array([number[label] for label in table.classes], np.int64)
        class_docs[numbers] += table.class_docs
        starts = np.append(table.entries.starts, np.full(n_terms - table.n_terms, table.entries.starts[-1]))
        renumbered = np.append(numbers, -1)[table.entries.classes].astype(np.int32)  # sorted before, so sorted after
        return table.entries._replace(starts=starts, classes=renumbered)

    size = len(one.entries.weights) + len(other.entries.weights)
    merged = Entries(
        np.zeros(n_terms + 1, np.int64), np.empty(size), np.empty(size, np.int32), np.empty(size, np.int64)
    )
    kernels.merge(renumber(one), renumber(other), merged)
    return VoteTable(classes, class_docs, one.multilabel or other.multilabel, _squeezed(merged))


def _squeezed(entries: Entries) -> Entries:
    kernels.sum_equal_entries(entries)
    starts, weights, classes, counts = entries
    size = starts[-1]
    if size == len(weights):
        return entries
    return Entries(starts, weights[:size].copy(), classes[:size].copy(), counts[:size].copy())


def vote_shares(table: VoteTable, factors: Floats, threads: int) -> NDArray[np.float32]:
    """Return r(c, t) x the factor of c (terms x classes): the part of each term's vote that each class gets."""
    shares = np.zeros((table.n_terms, len(table.classes)), np.float32)
    for_ranges(
        lambda first, last: kernels.vote_shares(first, last, table.entries, factors, shares), table.n_terms, threads
    )
    return shares


DTYPES: dict[str, type[np.generic]] = {
    "class_docs": np.int64,
    "vote_indptr": np.int64,  # the entries of term t are vote_indptr[t] to vote_indptr[t + 1]
    "vote_weights": np.float64,
    "vote_classes": np.int32,  # -1: correction for multilabel documents, which count once in the mean
    "vote_counts": np.int64,
}

MOST_DOCUMENTS = (1 << 31) - 1
"""The largest number of documents, so that sums of document counts fit into 64 bits."""


def vote_arrays(table: VoteTable) -> dict[str, NDArray[Any]]:
    """Return the arrays of a table for an archive; the flag `multilabel` belongs in its header."""
    return dict(zip(DTYPES, (table.class_docs, *table.entries), strict=True))


def check_declared(specs: Specs, n_classes: int) -> int:
    """Check the types and shapes of the arrays of a stored table, and return its number of terms.

    Raises `InputError` if they are not those of a table with `n_classes` classes.
    """
    if set(specs) != set(DTYPES) or any(specs[name].dtype != dtype for name, dtype in DTYPES.items()):
        raise _damaged(f"an array is missing, is unknown, or is of another kind: {shown(sorted(specs), 200)}")
    class_docs, starts, *entries = (specs[name].shape for name in DTYPES)
    if class_docs != (n_classes,) or len(starts) != 1 or starts < (1,) or len(entries[0]) != 1 or len(set(entries)) > 1:
        raise _damaged("its arrays have other shapes")
    return starts[0] - 1


def restore_votes(arrays: Mapping[str, NDArray[Any]], n_classes: int, *, multilabel: bool) -> VoteTable:
    """Return the table from arrays that passed `check_declared`; raise `InputError` if no documents can have it."""
    class_docs, *entries = (arrays[name] for name in DTYPES)
    table = VoteTable(tuple(range(n_classes)), class_docs, multilabel, Entries(*entries))
    starts = table.entries.starts
    if starts[0] != 0 or starts[-1] != len(table.entries.weights) or (starts[1:] < starts[:-1]).any():
        raise _damaged("its arrays have other shapes")
    _require_votes(table)
    return table


def _require_votes(table: VoteTable) -> None:
    starts, weights, classes, counts = table.entries
    known = _within(classes, -1, len(table.classes) - 1) and _within(table.class_docs, 0, MOST_DOCUMENTS)
    if not (known and bool(((weights > 0) & (weights < MOST)).all())):
        raise _damaged("it has a weight, a class or a number of documents that can't be")
    if not (_within(counts[classes >= 0], 1, MOST_DOCUMENTS) and _within(counts[classes < 0], -MOST_DOCUMENTS, -1)):
        raise _damaged("it has a number of documents that can't be")
    if not _is_sorted(starts, weights, classes):
        raise _damaged("its entries are out of order")
    if counts.size and int(np.add.reduceat(counts, _first_of_weight(starts, weights)).min()) < 1:
        raise _damaged("a weight is of no document")


def _is_sorted(starts: Ints, weights: NDArray[Any], classes: NDArray[Any]) -> bool:
    """Return whether the entries of each term ascend by weight and then by class, without duplicates."""
    ascends = (weights[1:] > weights[:-1]) | ((weights[1:] == weights[:-1]) & (classes[1:] > classes[:-1]))
    begins = np.zeros(len(weights) + 1, np.bool_)
    begins[starts] = True
    return bool((ascends | begins[1:-1]).all()) if len(weights) else True


def _first_of_weight(starts: Ints, weights: NDArray[Any]) -> Ints:
    """Return the positions at which a new weight begins, within each term."""
    begins = np.ones(len(weights) + 1, np.bool_)
    begins[1:-1] = weights[1:] != weights[:-1]
    begins[starts] = True
    return np.flatnonzero(begins[:-1])


def _within(numbers: NDArray[Any], least: int, most: int) -> bool:
    return bool(((numbers >= least) & (numbers <= most)).all())


def _damaged(reason: str) -> InputError:
    return InputError(f"This table of votes is damaged: {reason}.")
