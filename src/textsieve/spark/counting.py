"""Count documents on the workers: each chunk becomes rows of a table of statistics, with terms as text.

**Chunks.** Spark provides batches with a fixed number of rows, however long they are. They are gathered until there is
enough text to count it efficiently, but never more than that and one batch, so that memory does not grow with the
partition.

**Rows.** A row is (term, class, documents, four limbs of a sum): the filled cells of the chunk's `ClassStats`. Two rows
of each term have a special number in place of a class, and are about all documents, labelled or not:

    SUMS      the number of documents in which the term has a nonzero weight, and the sum of its weights;
    SQUARES   the number of documents that contain the term, and the sum of the squares of its weights.

(The two numbers of documents differ if a weight is 0, as for a term that is in every document.) The rows of a chunk are
sent as soon as the chunk is counted. The sums of the rows of all chunks (`statistics.py`) are the statistics of all
documents, to the last bit:

**Sums are integers**, so that they don't depend on the order in which machines finish. A float sum depends on the order
of its summands, and in a cluster the order is not fixed: a task that is repeated after a machine was lost finishes
later than before. Integers have the same sum in any order, and Spark adds them exactly or reports an overflow. So a sum
x is sent as four integers, its *limbs*,

    x = n_0 + n_1 2^-31 + n_2 2^-62 + n_3 2^-93,

of which the last three are below 2^32, so that 2^31 of them can be added in 64 bits. On a worker, the sum of a part is
a float and its rounding error (`stats.table.Sums`), which have 106 binary digits together. The limbs hold all digits of
weights of at least 2^-38, which have 24 digits, and of squares of weights of at least 2^-22. Digits below 2^-93 are
dropped.
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
from ..text.counter import TermCounter
from ..text.schemes import COUNTS, Scheme
from ..text.weights import INVERSE_FREQUENCIES
from ..training.counted_documents import columns_in_order, weighted
from .columns import LABEL, TEXT, UTF_8, Decoding, decode_texts
from .frequencies import Frequencies, split_frequencies

if TYPE_CHECKING:
    from .tasks import Batches


# -- sums as integers --------------------------------------------------------------------------------------------

N_LIMBS = 4
_BITS = 31
_MASK = (1 << _BITS) - 1
_MOST = float(1 << 61)


def to_limbs(sums: Sums) -> tuple[Ints, ...]:
    """Return the limbs of sums."""
    of_value, of_rest = _limbs(sums.value), _limbs(sums.rest)
    return tuple(limb + limb_of_rest for limb, limb_of_rest in zip(of_value, of_rest, strict=True))


def _limbs(values: Floats) -> list[Ints]:
    """Split numbers into limbs, all with the sign of the number; each step is exact."""
    if not (np.abs(values) < _MOST).all():
        raise InputError("A sum of weights is above 2^61, which is more than Spark is given to add up.")
    sign, left = np.sign(values).astype(np.int64), np.abs(values)
    limbs = []
    for _ in range(N_LIMBS):
        whole = np.floor(left)
        limbs.append(sign * whole.astype(np.int64))
        left = (left - whole) * float(1 << _BITS)
    return limbs


def from_limbs(limbs: tuple[Ints, ...]) -> Sums:
    """Return the sums that limbs represent, also after any number of limbs were added."""
    carried = list(limbs)
    for place in range(N_LIMBS - 1, 0, -1):
        carried[place - 1] = carried[place - 1] + (carried[place] >> _BITS)
        carried[place] = carried[place] & _MASK
    sums = Sums.from_integers(carried[0])
    for place in range(1, N_LIMBS):
        part = carried[place].astype(np.float64) * 2.0 ** (-_BITS * place)
        sums = sums.plus(Sums(part, np.zeros(len(part))))
    return sums


# -- chunks ------------------------------------------------------------------------------------------------------

CHARACTERS = 1 << 25
"""About how many characters are counted at once: enough that most terms occur several times in a chunk."""


class Chunk(NamedTuple):
    """Some documents of a partition."""

    texts: list[str]
    labels: pa.Array | None

    def members(self, classes: pa.Array) -> sparse.csr_array:
        """Return the indicator matrix (documents x classes): 1 if a document is in a class."""
        if self.labels is None:
            documents, numbers = np.zeros(0, np.int64), np.zeros(0, np.int64)
        else:
            documents, numbers = _pairs(self.labels, classes)
        ones, shape = np.ones(len(numbers), np.int8), (len(self.texts), len(classes))
        indicators = sparse.csr_array((ones, (documents, numbers)), shape=shape)
        indicators.data.fill(1)  # a label that a document has twice was added up to 2
        return indicators


def gather_chunks(batches: Batches, decoding: Decoding = UTF_8, characters: int = CHARACTERS) -> Iterator[Chunk]:
    """Gather batches into chunks."""
    texts: list[str] = []
    labels: list[Any] = []
    size = n_before = 0
    for batch in batches:
        batch_texts = decode_texts(batch.column(batch.schema.get_field_index(TEXT)), n_before, decoding)
        n_before += len(batch_texts)
        label_position = batch.schema.get_field_index(LABEL)
        texts += batch_texts
        if label_position >= 0:
            labels.append(batch.column(label_position))
        size += sum(map(len, batch_texts))
        if size >= characters:
            yield Chunk(texts, pa.concat_arrays(labels) if labels else None)
            texts, labels, size = [], [], 0
    if texts:
        yield Chunk(texts, pa.concat_arrays(labels) if labels else None)


def _pairs(labels: pa.Array, classes: pa.Array) -> tuple[Any, Any]:
    """Return pairs of document and class from labels or lists of labels.

    Labels that are not classes (null, an empty text) are left out.
    """
    if pa.types.is_list(labels.type) or pa.types.is_large_list(labels.type):
        documents = pc.list_parent_indices(labels).to_numpy(zero_copy_only=False)
        labels = pc.list_flatten(labels)
    else:
        documents = np.arange(len(labels))
    numbers = pc.index_in(_plain(labels.cast(classes.type)), value_set=classes)
    is_known = pc.is_valid(numbers).to_numpy(zero_copy_only=False)
    return documents[is_known], numbers.drop_null().to_numpy(zero_copy_only=False)


def _plain(labels: pa.Array) -> pa.Array:
    """Return the labels as Spark groups them: it does not distinguish 0.0 and -0.0."""
    return pc.add(labels, 0.0) if pa.types.is_floating(labels.type) else labels


# -- rows --------------------------------------------------------------------------------------------------------

SUMS, SQUARES = -1, -2
LIMBS = tuple(f"limb{place}" for place in range(N_LIMBS))

ROWS = "term string, class int, documents long, " + ", ".join(f"{name} long" for name in LIMBS)
FREQUENCIES = "term string, documents long"


@dataclass(frozen=True)
class Reading:
    """Settings of the `TermCounter` that counts the texts, without limits."""

    settings: dict[str, Any]
    characters: int = field(default_factory=lambda: CHARACTERS)
    """About how many characters are counted at once."""

    def counter(self, **more: Any) -> TermCounter:
        """Return a counter that uses one thread by default, because a worker runs as many tasks as it has cores."""
        return TermCounter(**{**self.settings, "n_jobs": 1, "dtype": np.int32, **more})

    def chunks(self, batches: Batches) -> Iterator[Chunk]:
        """Return the documents of a partition in chunks."""
        decoding = Decoding(self.settings.get("encoding", "utf-8"), self.settings.get("decode_error", "strict"))
        return gather_chunks(batches, decoding, self.characters)

    def count_terms(self, chunk: Chunk) -> tuple[csr_matrix, list[str]]:
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
            counts, terms = self.reading.count_terms(chunk)
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
                yield *self.reading.count_terms(chunk), chunk
            return
        frequencies, rest = split_frequencies(batches)
        for chunk in self.reading.chunks(rest):
            counts, terms = self.reading.count_terms(chunk)
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
    return pa.record_batch([*columns, *map(pa.array, to_limbs(sums))], names=["term", "class", "documents", *LIMBS])
