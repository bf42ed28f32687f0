"""Scores of many documents for many classes, without all of them (documents x classes) in memory.

The scores of 20,000 documents for 10,000 classes take 1.6 GB. So documents are scored in blocks, and each block becomes
labels before the next is scored. Only the fitting of thresholds and probabilities needs all scores of some documents,
those that are held out: `HeldOutScores` keeps their blocks, in a temporary file if they are large, and reads them class
by class or block by block.
"""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, NamedTuple

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..files import explain_no_space

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from .thresholds import ThresholdRule


BLOCK_CELLS = 1 << 21
"""The largest number of scores in a block, which take 16 MB."""

CELLS_IN_MEMORY = 1 << 23
"""The number of scores that `HeldOutScores` keeps in memory (64 MB); further blocks go to a temporary file."""


def blocks(n_documents: int, n_classes: int) -> Iterator[slice]:
    """Yield slices of the document numbers, each for at most `BLOCK_CELLS` scores, or for a single document.

    Without documents, there is one empty slice, so that callers who join the results have at least one.
    """
    size = max(BLOCK_CELLS // max(n_classes, 1), 1)
    for first in range(0, max(n_documents, 1), size):
        yield slice(first, min(first + size, n_documents))


class DocumentScores(NamedTuple):
    """The scores of some documents, and how they become labels.

    Training, comparison and prediction all use this class, so that the same scores give the same labels.
    """

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
        """Return which classes each document gets (documents x classes): the best one, or those of a threshold rule."""
        class_numbers = np.arange(self.scores.shape[1])
        if rule is None:
            return np.asarray(class_numbers == self.best()[:, np.newaxis])
        is_label = rule(self.scores)
        is_label[self.is_unknown] = class_numbers == self.fallback  # only the fallback class
        return is_label


class _Block(NamedTuple):
    """The scores of some documents, as an array (classes x documents) in memory or in the temporary file."""

    documents: Ints
    scores: Floats | None
    """None if the scores are in the file."""
    offset: int = 0
    """The position of the scores in the file, in bytes; unused if they are in memory."""


class HeldOutScores:
    """Scores and true labels of held-out documents.

    `true` is the indicator matrix of the labels (documents x classes), and `weights` has the sample weight of each
    document; None: each counts once. A document may have no score for a class, for example because the model that
    scored it does not know the class. Such a score is NaN. Results do not depend on how documents are divided into
    blocks.
    """

    def __init__(self, true: csr_array, weights: Floats | None) -> None:
        self.true = true
        self.weights = weights
        self.n_documents, self.n_classes = true.shape
        self.is_unknown = np.zeros(self.n_documents, np.bool_)  # documents without a known term
        self._blocks: list[_Block] = []
        self._n_cells = 0
        self._file: IO[bytes] | None = None

    @classmethod
    def of(cls, scores: Floats, true: Bools, weights: Floats | None = None) -> HeldOutScores:
        """Return `HeldOutScores` for scores and true labels that are arrays in memory (documents x classes).

        The blocks are views of `scores`, which is not copied, so no block goes to the temporary file.
        """
        from scipy.sparse import csr_array

        held_out = cls(csr_array(true), weights)
        for part in blocks(*scores.shape):
            held_out._blocks.append(_Block(np.arange(part.start, part.stop), scores[part].T))
        return held_out

    @property
    def n_counted(self) -> float:
        """Return the number of documents; with weights, the sum of their weights."""
        return float(self.n_documents if self.weights is None else self.weights.sum())

    @property
    def n_true(self) -> float:
        """Return the number of true labels; with weights, each label counts as much as its document."""
        n_labels = self.true.sum(axis=1)  # of each document
        return float(n_labels.sum() if self.weights is None else self.weights @ n_labels)

    def weights_of(self, documents: Ints | Bools) -> Floats | None:
        """Return the weights of some documents, given by number or by a mask; None: each counts once."""
        return None if self.weights is None else self.weights[documents]

    def add(self, documents: Ints, scores: Floats, is_unknown: Bools | None = None) -> None:
        """Add the scores (documents x classes) of some documents, given by their numbers.

        `is_unknown` says which of them have no known term; None: each has one.
        """
        if is_unknown is not None:
            self.is_unknown[documents] = is_unknown
        by_class = np.ascontiguousarray(scores.T, np.float64)
        self._n_cells += scores.size
        if self._n_cells <= CELLS_IN_MEMORY:
            self._blocks.append(_Block(documents, by_class))
            return
        with explain_no_space(tempfile.gettempdir(), what="scores"):  # errors name the folder: the file has no name
            if self._file is None:
                self._file = tempfile.TemporaryFile()  # noqa: SIM115, closed when this object is garbage-collected
                weakref.finalize(self, self._file.close)
            offset = self._file.seek(0, os.SEEK_END)
            self._file.write(by_class.data)
            self._file.flush()  # here, so that the error of a full disk is raised within the `with` block
        self._blocks.append(_Block(documents, scores=None, offset=offset))

    def by_class(self) -> Iterator[tuple[Floats, Bools, Floats | None]]:
        """Yield three arrays for each class, about the documents that have a score for it.

        These are the scores, whether each document belongs to the class, and the sample weights (None: each counts
        once).
        """
        true_by_class = self.true.tocsc()
        # The scores of all documents are read for a few classes at once: as many as make a table as large as a block.
        n_at_once = max(BLOCK_CELLS // max(self.n_documents, 1), 1)
        for first in range(0, self.n_classes, n_at_once):
            last = min(first + n_at_once, self.n_classes)
            table = np.full((last - first, self.n_documents), np.nan)  # classes x documents
            for block in self._blocks:
                table[:, block.documents] = self._read(block, first, last)
            for class_number, scores in enumerate(table, first):
                is_member = np.zeros(self.n_documents, np.bool_)
                begin, end = true_by_class.indptr[class_number : class_number + 2]
                is_member[true_by_class.indices[begin:end]] = true_by_class.data[begin:end] != 0
                has_score = ~np.isnan(scores)
                yield scores[has_score], is_member[has_score], self.weights_of(has_score)

    def by_document(self) -> Iterator[tuple[Ints, Floats, Bools]]:
        """Yield blocks of documents: their numbers, their scores and their true labels (both documents x classes).

        Documents without scores come last, with NaN.
        """
        is_added = np.zeros(self.n_documents, np.bool_)
        for block in self._blocks:
            is_added[block.documents] = True
            yield block.documents, self._read(block, 0, self.n_classes).T, self._is_member(block.documents)
        rest = np.flatnonzero(~is_added)
        if not len(rest):  # `blocks` would yield an empty slice
            return
        for part in blocks(len(rest), self.n_classes):
            documents = rest[part]
            yield documents, np.full((len(documents), self.n_classes), np.nan), self._is_member(documents)

    def _is_member(self, documents: Ints) -> Bools:
        """Return the true labels of some documents (documents x classes)."""
        return np.asarray(self.true[documents].toarray() != 0)

    def _read(self, block: _Block, first: int, last: int) -> Floats:
        """Return the scores of a block for the classes from `first` to before `last` (classes x documents)."""
        if block.scores is not None:
            return block.scores[first:last]
        assert self._file is not None
        n_documents = len(block.documents)
        row_bytes = np.dtype(np.float64).itemsize * n_documents  # the file has a row for each class
        self._file.seek(block.offset + first * row_bytes)
        scores = np.frombuffer(self._file.read((last - first) * row_bytes), np.float64)
        return scores.reshape(last - first, n_documents)
