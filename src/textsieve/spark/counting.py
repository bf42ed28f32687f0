"""Count documents on the workers: each chunk becomes rows of a table of statistics, with terms as text.

A row is (term, class, documents, four limbs of a sum): the filled cells of the chunk's `ClassStats`. Two rows of each
term have a special number in place of a class, and are about all documents, labelled or not:

    SUMS      the number of documents in which the term has a nonzero weight, and the sum of its weights;
    SQUARES   the number of documents that contain the term, and the sum of the squares of its weights.

(The two numbers of documents differ if a weight is 0, as for a term that is in every document.) The rows of a chunk are
sent as soon as the chunk is counted. The sums of the rows of all chunks (`table.py`) are the statistics of all
documents, to the last bit: see `fixedpoint.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from scipy.sparse import csr_matrix

from ..arrays import Ints
from ..stats import ClassStats
from ..stats.sums import Sums
from ..text.counter import TermCounter
from ..text.schemes import COUNTS, Scheme
from ..text.weights import INVERSE_FREQUENCIES
from ..training.counted_documents import columns_in_order, weighted
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
    """Settings of the `TermCounter` that counts the texts, without limits."""

    settings: dict[str, Any]
    characters: int = field(default_factory=lambda: chunks.CHARACTERS)
    """About how many characters are counted at once."""

    def counter(self, **more: Any) -> TermCounter:
        """Return a counter that uses one thread by default, because a worker runs as many tasks as it has cores."""
        return TermCounter(**{**self.settings, "n_jobs": 1, "dtype": np.int32, **more})

    def chunks(self, batches: Batches) -> Iterator[Chunk]:
        """Return the documents of a partition in chunks."""
        decoding = Decoding(self.settings.get("encoding", "utf-8"), self.settings.get("decode_error", "strict"))
        return chunks_of(batches, decoding, self.characters)

    def counted(self, chunk: Chunk) -> tuple[csr_matrix, list[str]]:
        """Return the counts of a chunk, and its terms in alphabetical order (none if the texts have no terms)."""
        counter = self.counter()
        counts = counter.partial_fit_transform(chunk.texts)
        terms = counter.get_feature_names_out().tolist()
        order = np.array(sorted(range(len(terms)), key=terms.__getitem__), np.int64)
        return columns_in_order(counts, order), [terms[column] for column in order.tolist()]


@dataclass(frozen=True)
class CountTerms:
    """Task that counts the document frequency of each term."""

    reading: Reading

    def __call__(self, batches: Batches) -> Batches:
        """Yield the terms of each chunk and their document frequencies."""
        for chunk in self.reading.chunks(batches):
            counts, terms = self.reading.counted(chunk)
            documents = np.bincount(counts.indices, minlength=len(terms))
            yield pa.record_batch([pa.array(terms, pa.string()), pa.array(documents)], names=["term", "documents"])


@dataclass(frozen=True)
class CountClasses:
    """Task that computes the statistics of counts, or of weights.

    For weights, the documents must come with the frequencies of their terms.
    """

    reading: Reading
    classes: list[Any]
    scheme: Scheme = COUNTS
    n_documents: int = 0
    """Number of all documents, for the idf."""

    def __call__(self, batches: Batches) -> Batches:
        """Yield the rows of each chunk."""
        classes = pa.array(self.classes) if self.classes else pa.array([], pa.string())
        for rows, terms, chunk in self.weighted_chunks(batches):
            yield from _rows_of(rows, terms, chunk.members(classes))

    def weighted_chunks(self, batches: Batches) -> Iterator[tuple[csr_matrix, list[str], Chunk]]:
        """Yield the counts or weights of each chunk, the terms of its columns, and the chunk."""
        if self.scheme == COUNTS:
            for chunk in self.reading.chunks(batches):
                yield *self.reading.counted(chunk), chunk
            return
        frequencies, rest = frequencies_and_batches(batches)
        for chunk in self.reading.chunks(rest):
            counts, terms = self.reading.counted(chunk)
            yield *self._weights(counts, terms, frequencies), chunk

    def _weights(self, counts: csr_matrix, terms: list[str], known: Frequencies) -> tuple[csr_matrix, list[str]]:
        """Return the weights of the terms with a known frequency; the others are in too few or too many documents."""
        doc_freq = known.of(terms)
        columns = np.flatnonzero(doc_freq)
        idf = INVERSE_FREQUENCIES[self.scheme.idf](doc_freq[columns], self.n_documents)
        known_counts = counts if len(columns) == len(terms) else columns_in_order(counts, columns)
        return weighted(known_counts, self.scheme, idf), [terms[column] for column in columns.tolist()]


def _rows_of(rows: csr_matrix, terms: list[str], members: Any) -> Batches:
    """Yield the rows of the statistics of some documents: the cells, and two rows for each term."""
    stats = ClassStats.from_matrix(rows, members)
    term_texts, cells, all_terms = pa.array(terms, pa.string()), stats.cells, np.arange(len(terms))
    yield _batch(term_texts, cells.terms, cells.classes(), cells.doc_freq, cells.sums)
    yield _batch(term_texts, all_terms, np.full(len(all_terms), SUMS), stats.doc_freq, stats.sums)
    in_documents = np.bincount(rows.indices, minlength=len(terms))
    yield _batch(term_texts, all_terms, np.full(len(all_terms), SQUARES), in_documents, stats.squares)


def _batch(term_texts: pa.Array, terms: Ints, classes: Ints, documents: Ints, sums: Sums) -> pa.RecordBatch:
    columns = [term_texts.take(pa.array(terms)), pa.array(classes.astype(np.int32)), pa.array(documents)]
    return pa.record_batch([*columns, *map(pa.array, limbs_of(sums))], names=["term", "class", "documents", *LIMBS])
