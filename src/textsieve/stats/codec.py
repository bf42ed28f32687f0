"""Convert a table of statistics to bytes and back: an archive of its arrays, which runs no code when it is read."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..archive import Kind, Specs, archive_in, pack
from ..errors import InputError, shown
from ..settings import is_whole
from ..strict_json import are_classes
from .table import Cells, Sums, Table, Totals
from .weights import LARGEST_COUNT, LARGEST_TOTAL_WEIGHT

_KIND = Kind("textsieve.ClassStats", 1, "a table of statistics")

_ARRAY_NAMES = {
    *("class_docs", "doc_freq", "sums", "squares"),
    *("cell_indptr", "cell_indices", "cell_doc_freq", "cell_sums"),
}
"""The names of the arrays of a stored table (see `table_arrays`)."""


def encode(table: Table) -> bytes:
    """Return the bytes of a table."""
    return pack(_KIND, {"classes": table.classes, "n_documents": table.n_documents}, table_arrays(table))


def table_arrays(table: Table) -> dict[str, NDArray[Any]]:
    """Return the arrays of a table for an archive; the classes and the number of documents belong in its header."""
    totals, cells = table.totals, table.cells
    # This array has an entry for every term, also for those that do not occur, and so it stores the number of terms. A
    # number in the header could claim any number of terms, and reading would allocate memory for them.
    doc_freq = np.zeros(table.n_terms, totals.doc_freq.dtype)
    doc_freq[totals.terms] = totals.doc_freq
    return {
        "class_docs": table.class_docs,
        "doc_freq": doc_freq,
        "sums": np.stack(totals.sums),
        "squares": np.stack(totals.squares),
        "cell_indptr": cells.class_starts,
        "cell_indices": cells.terms,
        "cell_doc_freq": cells.doc_freq,
        "cell_sums": np.stack(cells.sums),
    }


def decode(data: bytes) -> Table:
    """Return the table that `encode` wrote; raise `InputError` for any other bytes."""
    archive = archive_in(_KIND, data, "table of statistics")
    classes, n_documents = archive.header.get("classes"), archive.header.get("n_documents")
    count_type = np.int64 if is_whole(n_documents) else np.float64  # all counts are floats if one is
    if not (are_classes(classes) and (is_whole(n_documents) or isinstance(n_documents, float))):
        raise InputError("This table of statistics is damaged: its header has no classes, or no number of documents.")
    check_declared(archive.specs, len(classes), count_type)
    return restore_table(classes, n_documents, archive.read())


def check_declared(specs: Specs, n_classes: int, count_type: type[np.int64] | type[np.float64] = np.int64) -> int:
    """Check the types and shapes of the arrays of a stored table before they are read; return its number of terms.

    Raises `InputError` if arrays are missing or unknown, or if a type or shape is not that of a table for `n_classes`
    classes whose document counts are of type `count_type`.
    """
    if set(specs) != _ARRAY_NAMES:
        raise InputError(f"This table of statistics is damaged: its arrays are {shown(sorted(specs), 200)}.")
    # Three arrays tell the sizes of the table. No more terms can occur than there are, and no more cells can be filled
    # than a full matrix (classes x terms) has; an array that is longer differs from the expected shape below.
    n_terms = specs["doc_freq"].size
    n_occurring_terms = min(specs["sums"].size // 2, n_terms)  # a sum is two floats, value and rest
    n_cells = min(specs["cell_indices"].size, n_classes * n_terms)
    expected: dict[str, tuple[type[np.generic], tuple[int, ...]]] = {
        "class_docs": (count_type, (n_classes,)),
        "doc_freq": (count_type, (n_terms,)),
        "sums": (np.float64, (2, n_occurring_terms)),
        "squares": (np.float64, (2, n_occurring_terms)),
        "cell_indptr": (np.int64, (n_classes + 1,)),
        "cell_indices": (np.int64, (n_cells,)),
        "cell_doc_freq": (count_type, (n_cells,)),
        "cell_sums": (np.float64, (2, n_cells)),
    }
    for name, (dtype, shape) in expected.items():
        if specs[name].dtype != dtype or specs[name].shape != shape:
            raise InputError(
                f"This table of statistics is damaged: its parts do not fit together, as {name} is "
                f"{specs[name].dtype} of shape {specs[name].shape}, not {np.dtype(dtype)} of {shape}."
            )
    return n_terms


def restore_table(classes: Sequence[Any], n_documents: float, arrays: Mapping[str, NDArray[Any]]) -> Table:
    """Return the table from its stored arrays, whose types and shapes `check_declared` has checked.

    Raises `InputError` if the numbers in the arrays can't be those of a table.
    """
    cells = Cells(arrays["cell_indptr"], arrays["cell_indices"], arrays["cell_doc_freq"], Sums(*arrays["cell_sums"]))
    doc_freq = arrays["doc_freq"]  # of all terms; the other totals are stored for terms that occur
    terms = np.flatnonzero(doc_freq)
    totals = Totals(terms, doc_freq[terms], Sums(*arrays["sums"]), Sums(*arrays["squares"]))
    table = Table(tuple(classes), n_documents, doc_freq.size, arrays["class_docs"], totals, cells)
    if not (_has_valid_structure(table) and _has_possible_counts(table)):
        raise InputError("This table of statistics is damaged: its parts do not fit together.")
    return table


def _has_valid_structure(table: Table) -> bool:
    """Return whether each term that occurs has a sum, and the cells are sorted by class and then by term.

    All other lengths of arrays have been compared by `check_declared`.
    """
    terms, class_starts = table.cells.terms, table.cells.class_starts
    if len(table.totals.sums.value) != len(table.totals.terms):
        return False
    are_ascending = (class_starts[1:] >= class_starts[:-1]).all()  # without differences, which could overflow
    if not (class_starts[0] == 0 and class_starts[-1] == len(terms) and are_ascending):
        return False
    if not _are_within(terms, 0, table.n_terms - 1):
        return False
    positions = table.cells.classes() * table.n_terms + terms  # of the cells in a full matrix (classes x terms)
    return bool((np.diff(positions) > 0).all())


def _has_possible_counts(table: Table) -> bool:
    """Return whether documents with these counts can exist: whether no part has more documents than the whole.

    A class may not have more documents than there are. A term of a class may not be in more documents than the class
    has, nor in more documents than contain the term in total; so each term of a cell must have totals, too. Besides,
    all counts must be within their limits, and all sums finite.
    """
    totals, cells = table.totals, table.cells
    has_integers = table.class_docs.dtype == np.int64
    largest = LARGEST_COUNT if has_integers else LARGEST_TOTAL_WEIGHT
    smallest = 1 if has_integers else np.finfo(np.float64).tiny  # zeros are not stored
    positions = np.searchsorted(totals.terms, cells.terms)  # of the cells' terms in the totals, if they are there
    if not ((positions < len(totals.terms)).all() and (totals.terms[positions] == cells.terms).all()):
        return False
    return (
        0 <= table.n_documents <= largest
        and _are_within(table.class_docs, 0, table.n_documents)
        and table.class_docs.astype(object).sum() <= largest  # as Python integers, which cannot overflow
        and _are_within(totals.doc_freq, smallest, table.n_documents)
        and _are_within(cells.doc_freq, smallest, table.class_docs[cells.classes()])
        and _are_within(cells.doc_freq, smallest, totals.doc_freq[positions])
        and all(bool(np.isfinite(floats).all()) for floats in (*totals.sums, *totals.squares, *cells.sums))
    )


def _are_within(numbers: NDArray[Any], smallest: float, largest: Any) -> bool:
    """Return whether all numbers are in a range; `largest` may be an array with a bound for each."""
    return bool(((numbers >= smallest) & (numbers <= largest)).all())
