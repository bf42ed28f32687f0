"""A table of statistics as bytes: an archive of its arrays. Reading it runs no code."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..archive import Kind, Specs, archive_in, pack
from ..errors import InputError, shown
from ..settings import is_whole
from ..strict_json import are_classes
from .sums import Sums
from .table import Cells, Table, Totals
from .weights import MOST_DOCUMENTS, MOST_WEIGHT

_KIND = Kind("textsieve.ClassStats", 1, "a table of statistics")


def encode(table: Table) -> bytes:
    """Return the bytes of a table."""
    return pack(_KIND, {"classes": table.classes, "n_documents": table.n_documents}, table_arrays(table))


def table_arrays(table: Table) -> dict[str, NDArray[Any]]:
    """Return the arrays of a table for an archive; the classes and the number of documents belong in its header."""
    totals, cells = table.totals, table.cells
    # Of all terms: a number in the header could promise any number of them.
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
    """Return the table that some bytes hold; raise `InputError` for anything else."""
    archive = archive_in(_KIND, data, "table of statistics")
    classes, n_documents = archive.header.get("classes"), archive.header.get("n_documents")
    count_type = np.int64 if is_whole(n_documents) else np.float64  # weighted documents have floats as counts
    if not (are_classes(classes) and (is_whole(n_documents) or isinstance(n_documents, float))):
        raise InputError("This table of statistics is damaged: its header has no classes, or no number of documents.")
    check_declared(archive.specs, len(classes), count_type)
    return restore_table(classes, n_documents, archive.read())


def check_declared(specs: Specs, n_classes: int, count_type: type[np.int64] | type[np.float64] = np.int64) -> int:
    """Check the types and shapes of the arrays of a stored table, and return its number of terms.

    Raises `InputError` for arrays, types or shapes that are not those of a table for so many classes.
    """
    doc_freq, sums, cell_indices = (specs.get(name) for name in ("doc_freq", "sums", "cell_indices"))
    n_terms = 0 if doc_freq is None else doc_freq.size
    n_known = 0 if sums is None else min(sums.size // 2, n_terms)
    n_cells = 0 if cell_indices is None else min(cell_indices.size, n_classes * n_terms)
    wanted: dict[str, tuple[type[np.generic], tuple[int, ...]]] = {
        "class_docs": (count_type, (n_classes,)),
        "doc_freq": (count_type, (n_terms,)),
        "sums": (np.float64, (2, n_known)),
        "squares": (np.float64, (2, n_known)),
        "cell_indptr": (np.int64, (n_classes + 1,)),
        "cell_indices": (np.int64, (n_cells,)),
        "cell_doc_freq": (count_type, (n_cells,)),
        "cell_sums": (np.float64, (2, n_cells)),
    }
    if set(specs) != set(wanted):
        raise InputError(f"This table of statistics is damaged: its arrays are {shown(sorted(specs), 200)}.")
    for name, (dtype, shape) in wanted.items():
        if specs[name].dtype != dtype or specs[name].shape != shape:
            raise InputError(
                f"This table of statistics is damaged: its parts do not fit together, as {name} is "
                f"{specs[name].dtype} of shape {specs[name].shape}, not {np.dtype(dtype)} of {shape}."
            )
    return n_terms


def restore_table(classes: Sequence[Any], n_documents: float, arrays: Mapping[str, NDArray[Any]]) -> Table:
    """Return the table from arrays that passed `check_declared`; raise `InputError` if its numbers contradict."""
    cells = Cells(arrays["cell_indptr"], arrays["cell_indices"], arrays["cell_doc_freq"], Sums(*arrays["cell_sums"]))
    doc_freq = arrays["doc_freq"]
    terms = np.flatnonzero(doc_freq)
    totals = Totals(terms, doc_freq[terms], Sums(*arrays["sums"]), Sums(*arrays["squares"]))
    table = Table(tuple(classes), n_documents, doc_freq.size, arrays["class_docs"], totals, cells)
    _verify(table)
    return table


def _verify(table: Table) -> None:
    totals, n_cells = table.totals, table.cells.terms.size
    most = MOST_DOCUMENTS if table.class_docs.dtype == np.int64 else MOST_WEIGHT
    sound = len(totals.sums.value) == len(totals.terms) and 0 <= table.n_documents <= most
    starts = table.cells.class_starts
    sound = sound and starts[0] == 0 and starts[-1] == n_cells and bool((starts[1:] >= starts[:-1]).all())
    if sound and n_cells:
        keys = table.cells.classes() * table.n_terms + table.cells.terms
        sound = _within(table.cells.terms, 0, table.n_terms - 1) and bool((np.diff(keys) > 0).all())
    if not (sound and _possible(table, most)):
        raise InputError("This table of statistics is damaged: its parts do not fit together.")


def _possible(table: Table, most: float) -> bool:
    """Return whether documents with these counts can exist: no term may be in more documents than there are."""
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
