"""A table of statistics as bytes: safetensors, which is a JSON header and arrays. Reading it runs no code."""

import json
from itertools import pairwise
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from ..errors import InputError
from .sums import Sums
from .table import Cells, Table, Totals

_FORMAT = "textsieve.ClassStats"
_VERSION = 1

MOST_DOCUMENTS = (1 << 31) - 1
"""So that products of two numbers of documents fit into 64 bits."""


def encode(table: Table) -> bytes:
    """Write a table."""
    arrays = _arrays(table)
    header = {"format": _FORMAT, "version": _VERSION, "classes": table.classes, "n_documents": table.n_documents}
    return save(arrays, metadata={"textsieve": json.dumps(header | {"checksum": checksum(header, arrays)})})


def checksum(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> int:
    """A number that a damaged table will hardly have. It is no seal: whoever can write a table can write it."""
    sum_ = crc32(json.dumps({name: value for name, value in header.items() if name != "checksum"}).encode())
    for name in sorted(arrays):
        sum_ = crc32(np.ascontiguousarray(arrays[name]).view(np.uint8).reshape(-1).data, crc32(name.encode(), sum_))
    return sum_


def _arrays(table: Table) -> dict[str, NDArray[Any]]:
    totals, cells = table.totals, table.cells
    doc_freq = np.zeros(
        table.n_terms, np.int64
    )  # of all terms: a number in the header could promise any number of them
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
    try:
        arrays = load(data)
        length = int.from_bytes(data[:8], "little")
        header = json.loads(json.loads(data[8 : 8 + length])["__metadata__"]["textsieve"])
        classes, version = _as_list(header["classes"]), header["version"]
        n_documents = int(header["n_documents"])
    except (SafetensorError, ValueError, KeyError, TypeError, OverflowError, RecursionError) as problem:
        raise InputError(f"These bytes are not a table of statistics: {problem}") from problem
    if header.get("format") != _FORMAT or version != _VERSION:
        raise InputError(
            f"These bytes are {header.get('format')!r} version {version!r}; this release reads {_FORMAT!r} "
            f"version {_VERSION}."
        )
    if header.get("checksum") != checksum(header, arrays):
        raise InputError("This table of statistics is damaged: its checksum is another.")
    try:
        cells = Cells(arrays["cell_starts"], arrays["cell_terms"], arrays["cell_doc_freq"], Sums(*arrays["cell_sums"]))
        doc_freq = arrays["doc_freq"]
        if doc_freq.ndim != 1:
            raise TypeError(f"doc_freq has {doc_freq.ndim} dimensions")
        terms = np.flatnonzero(doc_freq)
        totals = Totals(terms, doc_freq[terms], Sums(*arrays["sums"]), Sums(*arrays["squares"]))
        table = Table(classes, n_documents, doc_freq.size, arrays["class_docs"], totals, cells)
    except (KeyError, TypeError) as problem:
        raise InputError(f"This table of statistics is damaged: {problem!r}") from problem
    _verify(table)
    return table


def _verify(table: Table) -> None:
    totals, n_classes, n_cells = table.totals, len(table.classes), table.cells.terms.size
    shapes = [
        (table.class_docs, n_classes, np.int64),
        (totals.doc_freq, totals.terms.size, np.int64),
        *((part, totals.terms.size, np.float64) for part in (*totals.sums, *totals.squares)),
        (table.cells.class_starts, n_classes + 1, np.int64),
        (table.cells.terms, n_cells, np.int64),
        (table.cells.doc_freq, n_cells, np.int64),
        *((part, n_cells, np.float64) for part in table.cells.sums),
    ]
    sound = all(array.shape == (size,) and array.dtype == kind for array, size, kind in shapes)
    sound = sound and 0 <= table.n_documents <= MOST_DOCUMENTS and _sorted_of_one_kind(table.classes)
    starts = table.cells.class_starts
    sound = sound and starts[0] == 0 and starts[-1] == n_cells and bool((np.diff(starts) >= 0).all())
    if sound and n_cells:
        keys = table.cells.classes() * table.n_terms + table.cells.terms
        sound = _within(table.cells.terms, 0, table.n_terms - 1) and bool((np.diff(keys) > 0).all())
    if not (sound and _possible(table)):
        raise InputError("This table of statistics is damaged: its parts do not fit together.")


def _possible(table: Table) -> bool:
    """Whether there can be documents with these counts: no term in more of them than there are."""
    totals, cells = table.totals, table.cells
    floats = (*totals.sums, *totals.squares, *cells.sums)
    places = np.searchsorted(totals.terms, cells.terms)
    known = places < len(totals.terms)
    return (
        _within(table.class_docs, 0, table.n_documents)
        and int(table.class_docs.astype(object).sum()) <= MOST_DOCUMENTS
        and _within(totals.doc_freq, 1, table.n_documents)
        and bool(known.all() and (totals.terms[places] == cells.terms).all())
        and _within(cells.doc_freq, 1, np.minimum(table.class_docs[cells.classes()], totals.doc_freq[places]))
        and all(bool(np.isfinite(part).all()) for part in floats)
    )


def _as_list(classes: Any) -> tuple[Any, ...]:
    if not isinstance(classes, list):
        raise TypeError(f"classes is {type(classes).__name__}, not a list")
    return tuple(classes)


def _within(numbers: NDArray[Any], least: int, most: Any) -> bool:
    return bool(((numbers >= least) & (numbers <= most)).all())


def _sorted_of_one_kind(classes: tuple[Any, ...]) -> bool:
    """Whether classes are all text or all numbers, sorted, none twice."""
    if not (
        all(isinstance(label, str) for label in classes)
        or all(isinstance(label, int | float) and label == label for label in classes)  # NaN is not itself
    ):
        return False
    return all(one < other for one, other in pairwise(classes))
