"""What the machines make of documents: for each chunk, the rows of a table of statistics, terms as they are written.

A row is (term, class, documents, four limbs of a sum): the filled cells of the chunk's `ClassStats`. Two rows that have
no class say of a term, over all documents, labelled or not,

    SUMS      in how many documents it has a weight, and the sum of its weights;
    SQUARES   in how many documents it is, and the sum of the squares of its weights.

(The two numbers of documents differ where a weight is 0, as that of a term which is in every document.) A chunk's rows
leave as soon as the chunk is counted, and whoever adds up the rows of all chunks (`table.py`) has the statistics of all
documents, to the last bit: see `fixedpoint.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from scipy.sparse import csr_matrix

from ..stats import ClassStats
from ..stats.sums import Ints, Sums
from ..text.counter import TermCounter
from ..text.schemes import COUNTS, Scheme
from ..text.weights import INVERSE_FREQUENCIES
from ..training.documents import columns_in_order, weighted
from . import chunks
from .chunks import Chunk, chunks_of
from .fixedpoint import N_LIMBS, limbs_of
from .frequencies import Frequencies, frequencies_and_batches
from .texts import Decoding

if TYPE_CHECKING:
    from .worker import Batches

SUMS, SQUARES = -1, -2
LIMBS = tuple(f"limb{place}" for place in range(N_LIMBS))

ROWS = "term string, class int, documents long, " + ", ".join(f"{name} long" for name in LIMBS)
FREQUENCIES = "term string, documents long"


@dataclass(frozen=True)
class Reading:
    """How texts become counts: the settings of a `TermCounter`, without limits."""

    settings: dict[str, Any]
    characters: int = field(default_factory=lambda: chunks.CHARACTERS)
    """About how much text is counted at once."""

    def counter(self, **more: Any) -> TermCounter:
        """A counter; on one thread unless told otherwise, for a machine has as many tasks as it has cores."""
        return TermCounter(**{**self.settings, "n_jobs": 1, "dtype": np.int32, **more})

    def chunks(self, batches: Batches) -> Iterator[Chunk]:
        """The documents of a partition."""
        decoding = Decoding(self.settings.get("encoding", "utf-8"), self.settings.get("decode_error", "strict"))
        return chunks_of(batches, decoding, self.characters)

    def counted(self, chunk: Chunk) -> tuple[csr_matrix, list[str]]:
        """The counts of a chunk, and its terms in the order of the alphabet; none if it has none."""
        counter = self.counter()
        counts = counter.partial_fit_transform(chunk.texts)
        terms = counter.get_feature_names_out().tolist()
        order = np.array(sorted(range(len(terms)), key=terms.__getitem__), np.int64)
        return columns_in_order(counts, order), [terms[at] for at in order.tolist()]


@dataclass(frozen=True)
class CountTerms:
    """In how many documents each term is."""

    reading: Reading

    def __call__(self, batches: Batches) -> Batches:
        """The terms of each chunk."""
        for chunk in self.reading.chunks(batches):
            counts, terms = self.reading.counted(chunk)
            documents = np.bincount(counts.indices, minlength=len(terms))
            yield pa.record_batch([pa.array(terms, pa.string()), pa.array(documents)], names=["term", "documents"])


@dataclass(frozen=True)
class CountClasses:
    """The statistics of counts, or of weights if the documents come with the frequencies of their terms."""

    reading: Reading
    classes: list[Any]
    scheme: Scheme = COUNTS
    n_documents: int = 0
    """In all, for the idf."""

    def __call__(self, batches: Batches) -> Batches:
        """The rows of each chunk."""
        classes = pa.array(self.classes) if self.classes else pa.array([], pa.string())
        for rows, terms, chunk in self.weighted_chunks(batches):
            yield from _rows_of(rows, terms, chunk.members(classes))

    def weighted_chunks(self, batches: Batches) -> Iterator[tuple[csr_matrix, list[str], Chunk]]:
        """The counts or weights of each chunk, and what its columns are."""
        if self.scheme == COUNTS:
            for chunk in self.reading.chunks(batches):
                yield *self.reading.counted(chunk), chunk
            return
        frequencies, rest = frequencies_and_batches(batches)
        for chunk in self.reading.chunks(rest):
            counts, terms = self.reading.counted(chunk)
            yield *self._weights(counts, terms, frequencies), chunk

    def _weights(self, counts: csr_matrix, terms: list[str], known: Frequencies) -> tuple[csr_matrix, list[str]]:
        """The weights of the terms that are known; others were in too few or too many documents."""
        doc_freq = known.of(terms)
        columns = np.flatnonzero(doc_freq)
        idf = INVERSE_FREQUENCIES[self.scheme.idf](doc_freq[columns], self.n_documents)
        kept = counts if len(columns) == len(terms) else columns_in_order(counts, columns)
        return weighted(kept, self.scheme, idf), [terms[at] for at in columns.tolist()]


def _rows_of(rows: csr_matrix, terms: list[str], members: Any) -> Batches:
    """The rows of the statistics of some documents: the cells, and two rows for each term."""
    stats = ClassStats.from_matrix(rows, members)
    spelled, cells, every = pa.array(terms, pa.string()), stats.cells, np.arange(len(terms))
    yield _batch(spelled, cells.terms, cells.classes(), cells.doc_freq, cells.sums)
    yield _batch(spelled, every, np.full(len(every), SUMS), stats.doc_freq, stats.sums)
    in_documents = np.bincount(rows.indices, minlength=len(terms))
    yield _batch(spelled, every, np.full(len(every), SQUARES), in_documents, stats.squares)


def _batch(spelled: pa.Array, terms: Ints, classes: Ints, documents: Ints, sums: Sums) -> pa.RecordBatch:
    columns = [spelled.take(pa.array(terms)), pa.array(classes.astype(np.int32)), pa.array(documents)]
    return pa.record_batch([*columns, *map(pa.array, limbs_of(sums))], names=["term", "class", "documents", *LIMBS])
