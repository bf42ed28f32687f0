"""A table of statistics as bytes: an archive of its arrays. Reading it runs no code."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..archive import Kind, are_classes, pack, unpack
from ..errors import InputError
from ..settings import is_whole
from .sample_weights import MOST_DOCUMENTS, MOST_WEIGHT
from .sums import Sums
from .table import Cells, Table, Totals

_KIND = Kind("textsieve.ClassStats", 2, "a table of statistics")
_OF_INTEGERS = _KIND._replace(version=1)
"""Version 2 has floats for counts, as weighted documents give them. Other tables stay readable for older releases."""


def encode(table: Table) -> bytes:
    """Write a table."""
    kind = _OF_INTEGERS if table.class_docs.dtype == np.int64 else _KIND
    return pack(kind, {"classes": table.classes, "n_documents": table.n_documents}, table_arrays(table))


def table_arrays(table: Table) -> dict[str, NDArray[Any]]:
    """The arrays of a table, for an archive; its classes and its number of documents are for the header."""
    totals, cells = table.totals, table.cells
    # Of all terms: a number in the header could promise any number of them.
    doc_freq = np.zeros(table.n_terms, totals.doc_freq.dtype)
    doc_freq[totals.terms] = totals.doc_freq
    return {
        "class_docs": table.class_docs,
        "doc_freq": doc_freq,
        "sums": np.stack(totals.sums),
        "squares": np.stack(totals.squares),
        "cell_starts": cells.class_starts,
        "cell_terms": cells.terms,
        "cell_doc_freq": cells.doc_freq,
        "cell_sums": np.stack(cells.sums),
    }


def decode(data: bytes) -> Table:
    """Read a table; bytes that are not one, or a damaged one, are refused."""
    header, arrays = unpack(_KIND, data)
    classes, n_documents = header.get("classes"), header.get("n_documents")
    has_floats = header["version"] != _OF_INTEGERS.version
    is_number = isinstance(n_documents, float) if has_floats else is_whole(n_documents)
    if n_documents is None or not (are_classes(classes) and is_number):
        raise InputError("This table of statistics is damaged: its header has no classes, or no number of documents.")
    return table_of(classes, n_documents, arrays, np.float64 if has_floats else np.int64)


def table_of(
    classes: Sequence[Any], n_documents: float, arrays: Mapping[str, NDArray[Any]], count_type: type[Any] = np.int64
) -> Table:
    """Return the table that has these arrays; such as no documents can have are refused."""
    try:
        cells = Cells(arrays["cell_starts"], arrays["cell_terms"], arrays["cell_doc_freq"], Sums(*arrays["cell_sums"]))
        doc_freq = arrays["doc_freq"]
        if doc_freq.ndim != 1:
            raise TypeError(f"doc_freq has {doc_freq.ndim} dimensions")
        terms = np.flatnonzero(doc_freq)
        totals = Totals(terms, doc_freq[terms], Sums(*arrays["sums"]), Sums(*arrays["squares"]))
        table = Table(tuple(classes), n_documents, doc_freq.size, arrays["class_docs"], totals, cells)
    except (KeyError, TypeError) as problem:
        raise InputError(f"This table of statistics is damaged: {problem!r}") from problem
    _verify(table, count_type)
    return table


def _verify(table: Table, count_type: type[Any]) -> None:
    totals, n_classes, n_cells = table.totals, len(table.classes), table.cells.terms.size
    shapes = [
        (table.class_docs, n_classes, count_type),
        (totals.doc_freq, totals.terms.size, count_type),
        *((part, totals.terms.size, np.float64) for part in (*totals.sums, *totals.squares)),
        (table.cells.class_starts, n_classes + 1, np.int64),
        (table.cells.terms, n_cells, np.int64),
        (table.cells.doc_freq, n_cells, count_type),
        *((part, n_cells, np.float64) for part in table.cells.sums),
    ]
    sound = all(array.shape == (size,) and array.dtype == kind for array, size, kind in shapes)
    most = MOST_DOCUMENTS if count_type is np.int64 else MOST_WEIGHT
    sound = sound and 0 <= table.n_documents <= most
    starts = table.cells.class_starts
    sound = sound and starts[0] == 0 and starts[-1] == n_cells and bool((np.diff(starts) >= 0).all())
    if sound and n_cells:
        keys = table.cells.classes() * table.n_terms + table.cells.terms
        sound = _within(table.cells.terms, 0, table.n_terms - 1) and bool((np.diff(keys) > 0).all())
    if not (sound and _possible(table, most)):
        raise InputError("This table of statistics is damaged: its parts do not fit together.")


def _possible(table: Table, most: float) -> bool:
    """Whether there can be documents with these counts: no term in more of them than there are."""
    totals, cells = table.totals, table.cells
    floats = (*totals.sums, *totals.squares, *cells.sums)
    places = np.searchsorted(totals.terms, cells.terms)
    known = places < len(totals.terms)
    least = 1 if table.class_docs.dtype == np.int64 else np.finfo(np.float64).tiny
    return (
        _within(table.class_docs, 0, table.n_documents)
        and table.class_docs.astype(object).sum() <= most
        and _within(totals.doc_freq, least, table.n_documents)
        and bool(known.all() and (totals.terms[places] == cells.terms).all())
        and _within(cells.doc_freq, least, np.minimum(table.class_docs[cells.classes()], totals.doc_freq[places]))
        and all(bool(np.isfinite(part).all()) for part in floats)
    )


def _within(numbers: NDArray[Any], least: float, most: Any) -> bool:
    return bool(((numbers >= least) & (numbers <= most)).all())
