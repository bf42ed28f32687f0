"""Scores of many documents for many classes, without a table of documents x classes in memory.

A table of 20,000 documents and 10,000 classes has 1.6 GB. So documents are scored in blocks, and what is needed of a
block is taken from it at once. Thresholds and probability curves need all scores of a class: `HeldOutScores` keeps the
blocks, in a temporary file if they are large, and reads them class by class.
"""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, NamedTuple

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..files import naming_temporary

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from .thresholds import ThresholdRule


BLOCK_CELLS = 1 << 21
"""Scores in a block: 16 MB."""

CELLS_IN_MEMORY = 1 << 23
"""Scores that are kept in memory (64 MB); further ones go to a temporary file."""


def blocks(n_documents: int, n_classes: int) -> Iterator[slice]:
    """Yield slices of the documents, each of at most `BLOCK_CELLS` scores or one document; at least one slice."""
    size = max(BLOCK_CELLS // max(n_classes, 1), 1)
    for first in range(0, max(n_documents, 1), size):
        yield slice(first, min(first + size, n_documents))


class DocumentScores(NamedTuple):
    """The scores of some documents, and how they become labels: the same for training, comparison and prediction."""

    scores: Floats
    """Documents x classes."""
    is_unknown: Bools
    """Which documents have no known term. Whatever their scores, they get the fallback class."""
    fallback: int
    """The number of the fallback class."""

    def best(self) -> Ints:
        """Return the number of each document's best class; of equal scores, the first."""
        return np.where(self.is_unknown, self.fallback, self.scores.argmax(axis=1))

    def labels(self, rule: ThresholdRule | None) -> Bools:
        """Return which classes each document gets (documents x classes): the best one, or those that the rule says."""
        numbers = np.arange(self.scores.shape[1])
        if rule is None:
            return np.asarray(numbers == self.best()[:, np.newaxis])
        is_label = rule(self.scores)
        is_label[self.is_unknown] = numbers == self.fallback
        return is_label


class _Block(NamedTuple):
    """The scores of some documents: an array (classes x documents), or where that is in the file."""

    documents: Ints
    scores: Floats | None
    offset: int


class HeldOutScores:
    """Scores and true labels of documents that were held out; a document or class without a score has NaN.

    `true` has documents x classes, and 1 where a document is in a class. `weights` says how many times each document
    counts; None: once. The results do not depend on how the documents are divided into blocks.
    """

    def __init__(self, true: csr_array, weights: Floats | None) -> None:
        self.true = true
        self.weights = weights
        self.n_documents, self.n_classes = true.shape
        self._blocks: list[_Block] = []
        self._n_cells = 0
        self._file: IO[bytes] | None = None

    @classmethod
    def of(cls, scores: Floats, true: Bools, weights: Floats | None = None) -> HeldOutScores:
        """Wrap a table that is in memory anyway; it is not copied."""
        from scipy.sparse import csr_array

        held_out = cls(csr_array(true), weights)
        for part in blocks(*scores.shape):
            held_out._blocks.append(_Block(np.arange(part.start, part.stop), scores[part].T, 0))
        return held_out

    @property
    def n_counted(self) -> float:
        """How many documents there are: the sum of their weights."""
        return float(self.n_documents if self.weights is None else self.weights.sum())

    @property
    def n_true(self) -> float:
        """How many true labels there are, each as often as its document counts."""
        per_document = self.true.sum(axis=1)
        return float(per_document.sum() if self.weights is None else self.weights @ per_document)

    def weights_of(self, documents: Ints | Bools) -> Floats | None:
        """Return the weights of some documents, given by number or by a mask; None: each counts once."""
        return None if self.weights is None else self.weights[documents]

    def add(self, documents: Ints, scores: Floats) -> None:
        """Keep the scores (documents x classes) of some documents."""
        by_class = np.ascontiguousarray(scores.T, np.float64)
        self._n_cells += scores.size
        if self._n_cells <= CELLS_IN_MEMORY:
            self._blocks.append(_Block(documents, by_class, 0))
            return
        with naming_temporary(tempfile.gettempdir(), what="scores"):  # the file itself has no name
            if self._file is None:
                self._file = tempfile.TemporaryFile()  # noqa: SIM115, closed when nobody has this object any more
                weakref.finalize(self, self._file.close)
            offset = self._file.seek(0, 2)
            self._file.write(by_class.data)
            self._file.flush()
        self._blocks.append(_Block(documents, None, offset))

    def by_class(self) -> Iterator[tuple[Floats, Bools, Floats | None]]:
        """Yield the scores of each class, for the documents that have one; who is in the class; and their weights."""
        columns = self.true.tocsc()
        size = max(BLOCK_CELLS // max(self.n_documents, 1), 1)
        for first in range(0, self.n_classes, size):
            last = min(first + size, self.n_classes)
            table = np.full((last - first, self.n_documents), np.nan)
            for block in self._blocks:
                table[:, block.documents] = self._read(block, first, last)
            for number, scores in enumerate(table, first):
                is_member = np.zeros(self.n_documents, np.bool_)
                begin, end = columns.indptr[number : number + 2]
                is_member[columns.indices[begin:end]] = columns.data[begin:end] != 0
                has_score = ~np.isnan(scores)
                yield scores[has_score], is_member[has_score], self.weights_of(has_score)

    def by_document(self) -> Iterator[tuple[Ints, Floats, Bools]]:
        """Yield documents, their scores and their true labels (documents x classes), a block at a time."""
        is_added = np.zeros(self.n_documents, np.bool_)
        for block in self._blocks:
            is_added[block.documents] = True
            yield block.documents, self._read(block, 0, self.n_classes).T, self._is_member(block.documents)
        rest = np.flatnonzero(~is_added)
        for part in blocks(len(rest), self.n_classes) if len(rest) else ():
            documents = rest[part]
            yield documents, np.full((len(documents), self.n_classes), np.nan), self._is_member(documents)

    def _is_member(self, documents: Ints) -> Bools:
        return np.asarray(self.true[documents].toarray() != 0)

    def _read(self, block: _Block, first: int, last: int) -> Floats:
        """Return the scores of a block for some classes (classes x documents)."""
        if block.scores is not None:
            return block.scores[first:last]
        assert self._file is not None
        width = len(block.documents)
        self._file.seek(block.offset + first * width * 8)
        scores = np.frombuffer(self._file.read((last - first) * width * 8), np.float64)
        return scores.reshape(last - first, width)
