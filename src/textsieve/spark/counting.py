"""Count documents on the workers: each chunk becomes rows of a table of statistics, with terms as text.

**Chunks.** Spark provides batches with a fixed number of rows, however long these are. Batches are gathered into a
chunk until they have enough text to be counted efficiently (`CHUNK_CHARACTERS`). So a chunk has at most one batch more
than that, and memory does not grow with the partition.

**Rows.** A row is (term, class, documents, four limbs of a sum). There is a row for each filled cell of the chunk's
`ClassStats`: the number of documents of the class in which the term has a nonzero weight, and the sum of its weights
there. Each term has two more rows about all documents, labelled or not, with a special number in place of a class:

    SUMS      the number of documents in which the term has a nonzero weight, and the sum of its weights;
    SQUARES   the number of documents that contain the term, and the sum of the squares of its weights.

(The two numbers of documents differ if a weight is 0, as for a term that is in every document.) The rows of a chunk are
sent as soon as the chunk is counted. The sums of the rows of all chunks (`statistics.py`) are the statistics of all
documents, to the last bit.

**Sums are integers**, so that they don't depend on the order in which machines finish. A float sum depends on the order
of its summands, and in a cluster the order is not fixed: a task that is repeated after a machine was lost finishes
later than before. Integers have the same sum in any order, and Spark adds them exactly or reports an overflow. So a sum
x is sent as four integers, its *limbs*,

    x = n_0 + n_1 2^-31 + n_2 2^-62 + n_3 2^-93,

of which the last three are below 2^32, so that 2^31 of them can be added in 64 bits. On a worker, the sum of a chunk is
a float and its rounding error (`stats.table.Sums`), which have 106 binary digits together. Digits below 2^-93 are
dropped. So the limbs hold all 24 binary digits of a weight (a 32-bit float) of at least 2^-70, and all 48 binary digits
of the square of a weight of at least 2^-23.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse
from scipy.sparse import csr_matrix

from ..arrays import Floats, Ints
from ..errors import InputError
from ..stats import ClassStats
from ..stats.table import Sums
from ..text.choices import COUNTS, Scheme
from ..text.counter import TermCounter
from ..text.weights import INVERSE_FREQUENCIES
from ..training.counted_documents import take_columns, weigh_to_matrix
from .columns import LABEL, TEXT, UTF_8, Decoding, decode_texts
from .frequencies import Frequencies, split_frequencies

if TYPE_CHECKING:
    from .tasks import Batches


# -- sums as integers --------------------------------------------------------------------------------------------

N_LIMBS = 4
"""The number of limbs of a sum."""
LIMB_BITS = 31
"""The number of binary digits of each limb but the first."""
_LIMB_MASK = (1 << LIMB_BITS) - 1
_MAX_SUM = float(1 << 61)
"""The limit of a chunk's sum, so that the first limbs of several chunks can be added in 64 bits."""


def to_limbs(sums: Sums) -> tuple[Ints, ...]:
    """Return `N_LIMBS` arrays with the limbs of the sums, each as long as `sums`."""
    limbs_of_value, limbs_of_rest = _split_into_limbs(sums.value), _split_into_limbs(sums.rest)
    return tuple(value + rest for value, rest in zip(limbs_of_value, limbs_of_rest, strict=True))


def _split_into_limbs(numbers: Floats) -> list[Ints]:
    """Return the limbs of numbers. Those of a negative number are all negative or 0. Each step is exact."""
    if not (np.abs(numbers) < _MAX_SUM).all():
        raise InputError("A sum of weights is above 2^61, and does not fit into the integers that Spark adds up.")
    sign, remainder = np.sign(numbers).astype(np.int64), np.abs(numbers)
    limbs = []
    for _ in range(N_LIMBS):
        integer_part = np.floor(remainder)
        limbs.append(sign * integer_part.astype(np.int64))
        remainder = (remainder - integer_part) * float(1 << LIMB_BITS)
    return limbs


def from_limbs(limbs: tuple[Ints, ...]) -> Sums:
    """Return the sums that limbs represent; the limbs may be sums of the limbs of any number of chunks."""
    digits = list(limbs)
    # Carry what exceeds 31 bits over to the limb before, from the last limb to the first. The shift rounds down, and
    # the mask gives the matching remainder, which is not negative; so negative limbs are carried correctly, too.
    for position in range(N_LIMBS - 1, 0, -1):
        digits[position - 1] = digits[position - 1] + (digits[position] >> LIMB_BITS)
        digits[position] = digits[position] & _LIMB_MASK
    sums = Sums.from_integers(digits[0])
    for position in range(1, N_LIMBS):
        fraction = digits[position].astype(np.float64) * 2.0 ** (-LIMB_BITS * position)
        sums = sums.plus(Sums(fraction, np.zeros(len(fraction))))
    return sums


# -- chunks ------------------------------------------------------------------------------------------------------

CHUNK_CHARACTERS = 1 << 25
"""A chunk ends with the batch in which it reaches this size: enough that most terms occur several times in a chunk."""


class Chunk(NamedTuple):
    """Some documents of a partition: texts, and an Arrow array with their labels or lists of labels."""

    texts: list[str]
    labels: pa.Array | None

    def indicators(self, classes: pa.Array) -> sparse.csr_array:
        """Return the indicator matrix (documents x classes): 1 if a document is in a class, otherwise 0."""
        if self.labels is None:  # no document has a label
            documents, class_numbers = np.zeros(0, np.int64), np.zeros(0, np.int64)
        else:
            documents, class_numbers = _document_class_pairs(self.labels, classes)
        ones, shape = np.ones(len(class_numbers), np.int8), (len(self.texts), len(classes))
        indicators = sparse.csr_array((ones, (documents, class_numbers)), shape=shape)
        indicators.data.fill(1)  # a label that a document has twice was added up to 2
        return indicators


def gather_chunks(batches: Batches, decoding: Decoding = UTF_8, characters: int = CHUNK_CHARACTERS) -> Iterator[Chunk]:
    """Yield the documents of batches in chunks of at least this many characters, except for the last chunk.

    Labels are None if the batches have no column for them.
    """
    texts: list[str] = []
    labels: list[Any] = []
    n_characters = n_before = 0
    for batch in batches:
        batch_texts = decode_texts(batch.column(batch.schema.get_field_index(TEXT)), n_before, decoding)
        n_before += len(batch_texts)
        label_position = batch.schema.get_field_index(LABEL)
        texts += batch_texts
        if label_position >= 0:
            labels.append(batch.column(label_position))
        n_characters += sum(map(len, batch_texts))
        if n_characters >= characters:
            yield Chunk(texts, pa.concat_arrays(labels) if labels else None)
            texts, labels, n_characters = [], [], 0
    if texts:
        yield Chunk(texts, pa.concat_arrays(labels) if labels else None)


def _document_class_pairs(labels: pa.Array, classes: pa.Array) -> tuple[Any, Any]:
    """Return two arrays: the document and the class number of each label.

    `labels` has a label, or a list of labels, for each document. Labels that are not among `classes` (null, an empty
    text) are left out.
    """
    if pa.types.is_list(labels.type) or pa.types.is_large_list(labels.type):
        documents = pc.list_parent_indices(labels).to_numpy(zero_copy_only=False)
        labels = pc.list_flatten(labels)
    else:
        documents = np.arange(len(labels))
    class_numbers = pc.index_in(_without_negative_zero(labels.cast(classes.type)), value_set=classes)
    is_class = pc.is_valid(class_numbers).to_numpy(zero_copy_only=False)
    return documents[is_class], class_numbers.drop_null().to_numpy(zero_copy_only=False)


def _without_negative_zero(labels: pa.Array) -> pa.Array:
    """Return the labels with 0.0 in place of -0.0, because Spark groups both as one class."""
    return pc.add(labels, 0.0) if pa.types.is_floating(labels.type) else labels


# -- rows --------------------------------------------------------------------------------------------------------

SUMS, SQUARES = -1, -2
"""Stand for a class in the two rows of each term that are about all documents."""
LIMBS = tuple(f"limb{position}" for position in range(N_LIMBS))

CELL_SCHEMA = "term string, class int, documents long, " + ", ".join(f"{name} long" for name in LIMBS)
FREQUENCY_SCHEMA = "term string, documents long"


def alphabetical_order(terms: list[str]) -> Ints:
    """Return the positions of terms in alphabetical order."""
    return np.array(sorted(range(len(terms)), key=terms.__getitem__), np.int64)


@dataclass(frozen=True)
class ChunkReader:
    """Reads the documents of a partition in chunks and counts their terms.

    `settings` are those of a `TermCounter`, without limits of document frequency.
    """

    settings: dict[str, Any]
    characters: int = field(default_factory=lambda: CHUNK_CHARACTERS)
    """The size of a chunk in characters; the default is the constant's value when a reader is created."""

    def counter(self, **more: Any) -> TermCounter:
        """Return a new counter; `more` are settings that replace those of the reader.

        It uses one thread by default, because a worker runs as many tasks as it has cores.
        """
        return TermCounter(**{**self.settings, "n_jobs": 1, "dtype": np.int32, **more})

    def chunks(self, batches: Batches) -> Iterator[Chunk]:
        """Yield the documents of a partition in chunks."""
        decoding = Decoding(self.settings.get("encoding", "utf-8"), self.settings.get("decode_error", "strict"))
        return gather_chunks(batches, decoding, self.characters)

    def count_terms(self, chunk: Chunk) -> tuple[csr_matrix, list[str]]:
        """Return the counts of a chunk (documents x terms), and its terms in alphabetical order (possibly none)."""
        counter = self.counter()
        counts = counter.partial_fit_transform(chunk.texts)
        alphabetical = counter.alphabetical()
        return take_columns(counts, alphabetical), counter.terms().take(alphabetical)


@dataclass(frozen=True)
class CountTerms:
    """Task that counts the document frequency of each term."""

    reader: ChunkReader

    def __call__(self, batches: Batches) -> Batches:
        """Yield the terms of each chunk and their document frequencies."""
        for chunk in self.reader.chunks(batches):
            counts, terms = self.reader.count_terms(chunk)
            doc_freq = np.bincount(counts.indices, minlength=len(terms))
            yield pa.record_batch([pa.array(terms, pa.string()), pa.array(doc_freq)], names=["term", "documents"])


@dataclass(frozen=True)
class CountClasses:
    """Task that computes the statistics of counts, or of weights, depending on `scheme`.

    For weights, the documents must come with the frequencies of all terms (`frequencies.with_frequencies`).
    """

    reader: ChunkReader
    classes: list[Any]
    scheme: Scheme = COUNTS
    n_documents: int = 0
    """Number of all documents, for the idf."""

    def __call__(self, batches: Batches) -> Batches:
        """Yield the rows of each chunk (see the module's docstring)."""
        classes = pa.array(self.classes) if self.classes else pa.array([], pa.string())
        for weights, terms, chunk in self.weighted_chunks(batches):
            yield from _statistics_rows(weights, terms, chunk.indicators(classes))

    def weighted_chunks(self, batches: Batches) -> Iterator[tuple[csr_matrix, list[str], Chunk]]:
        """Yield the counts or weights of each chunk, the terms of its columns, and the chunk."""
        if self.scheme == COUNTS:
            for chunk in self.reader.chunks(batches):
                yield *self.reader.count_terms(chunk), chunk
            return
        frequencies, batches = split_frequencies(batches)
        for chunk in self.reader.chunks(batches):
            counts, terms = self.reader.count_terms(chunk)
            yield *self._weights(counts, terms, frequencies), chunk

    def _weights(self, counts: csr_matrix, terms: list[str], frequencies: Frequencies) -> tuple[csr_matrix, list[str]]:
        """Return the weights of a chunk, and the terms of its columns.

        Terms without a known frequency are left out, because they are in too few or too many documents.
        """
        doc_freq = frequencies.of(terms)
        columns = np.flatnonzero(doc_freq)
        idf = INVERSE_FREQUENCIES[self.scheme.idf](doc_freq[columns], self.n_documents)
        known_counts = counts if len(columns) == len(terms) else take_columns(counts, columns)
        return weigh_to_matrix(known_counts, self.scheme, idf), [terms[column] for column in columns.tolist()]


def _statistics_rows(weights: csr_matrix, terms: list[str], indicators: sparse.csr_array) -> Batches:
    """Yield the rows of the statistics of some documents: one for each filled cell, and two more for each term."""
    stats = ClassStats.from_matrix(weights, indicators)
    term_texts, cells, all_terms = pa.array(terms, pa.string()), stats.cells, np.arange(len(terms))
    yield _batch(term_texts, cells.terms, cells.classes(), cells.doc_freq, cells.sums)
    yield _batch(term_texts, all_terms, np.full(len(all_terms), SUMS), stats.doc_freq, stats.precise_sums)
    n_containing = np.bincount(weights.indices, minlength=len(terms))
    yield _batch(term_texts, all_terms, np.full(len(all_terms), SQUARES), n_containing, stats.precise_squares)


def _batch(term_texts: pa.Array, term_positions: Ints, classes: Ints, documents: Ints, sums: Sums) -> pa.RecordBatch:
    """Return rows of `CELL_SCHEMA`; `term_positions` has the position in `term_texts` of each row's term."""
    columns = [term_texts.take(pa.array(term_positions)), pa.array(classes.astype(np.int32)), pa.array(documents)]
    return pa.record_batch([*columns, *map(pa.array, to_limbs(sums))], names=["term", "class", "documents", *LIMBS])
