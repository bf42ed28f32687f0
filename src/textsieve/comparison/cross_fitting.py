"""Cross-fit probabilities for the labels of test documents, without training a model again.

The models of a comparison have no probabilities, because fitting them takes a cross-validation of each model. But the
scores of the test documents are known. So the test documents are divided into two halves. A curve from scores to
probabilities (`evaluation.calibration`) is fitted to the scores and true labels of one half, and gives the
probabilities of the other half, and the reverse. So the true label of a document has no influence on its own
probability. Documents are dealt to the halves in turn, sorted by predicted label, so that both halves have about the
same number of each label.

A curve has only two parameters, for which few documents are enough. So it is fitted to at most `ENOUGH_DOCUMENTS / 2`
documents of its half, which are spread evenly over the half.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

from ..arrays import Floats, Ints
from ..evaluation.calibration import JointCalibration
from ..evaluation.confidence import Confidence
from ..evaluation.scores import DocumentScores, HeldOutScores
from ..training.tuning import ENOUGH_DOCUMENTS, FEWEST_DOCUMENTS

FEWEST_TEST_DOCUMENTS = 2 * FEWEST_DOCUMENTS
"""The smallest number of test documents with a selected term for which probabilities are fitted, so that each half has
`FEWEST_DOCUMENTS`."""
MAX_SCORES = 1 << 22
"""The largest number of scores that are kept (32 MB): those of 200,000 documents with 20 classes."""


class KeptScores:
    """The scores of test documents, kept while their labels are predicted.

    If the documents have more than `MAX_SCORES` scores, only those of documents number 0, `step`, 2 `step`, ... are
    kept.
    """

    def __init__(self, n_documents: int, n_classes: int) -> None:
        self.step = max(math.ceil(n_documents * n_classes / MAX_SCORES), 1)
        self._blocks: list[DocumentScores] = []

    def keep(self, blocks: Iterable[tuple[slice, DocumentScores]]) -> Iterator[tuple[slice, DocumentScores]]:
        """Yield the blocks of documents unchanged, and keep their scores.

        A block is a slice of the document numbers, and the scores of these documents.
        """
        for part, scored in blocks:
            # The first document to keep is the first whose number is a multiple of the step: with step 10, a block that
            # begins with document 64 keeps its rows 6, 16, ...: documents 70, 80, ...
            rows = slice(-part.start % self.step, None, self.step)
            # A slice is a view, which keeps the whole block in memory. So if only some rows are kept, they are copied.
            scores = scored.scores[rows] if self.step == 1 else scored.scores[rows].copy()
            self._blocks.append(DocumentScores(scores, scored.is_unknown[rows], scored.fallback))
            yield part, scored

    def confidence(self, true: Ints) -> Confidence | None:
        """Return how many of the kept documents get a label with some certainty, and how many of these are right.

        `true` has the class of each test document, as its number in the model, or -1 if the model does not know the
        class. Return None if fewer than `FEWEST_TEST_DOCUMENTS` have a selected term.
        """
        scores = np.concatenate([block.scores for block in self._blocks])
        is_unknown = np.concatenate([block.is_unknown for block in self._blocks])
        scored, true_classes = DocumentScores(scores, is_unknown, self._blocks[0].fallback), true[:: self.step]
        probabilities = cross_fit(scored, true_classes)
        if probabilities is None:
            return None
        return Confidence.of(probabilities, scored.best() == true_classes, is_unknown)


def cross_fit(scored: DocumentScores, true: Ints) -> Floats | None:
    """Return the probability of each document's label, by a curve that was fitted to other documents.

    `true` has the true class of each document, as in `KeptScores.confidence`. Documents without a selected term get 0.
    Return None if fewer than `FEWEST_TEST_DOCUMENTS` have one.
    """
    scores, known = scored.scores, np.flatnonzero(~scored.is_unknown)
    if len(known) < FEWEST_TEST_DOCUMENTS:
        return None
    # The halves are documents number 0, 2, 4, ... and 1, 3, 5, ... of this list.
    by_label = known[np.argsort(scored.best()[known], kind="stable")]
    # An even step, so that both slices below stay within their half.
    fit_step = 2 * math.ceil(len(known) / ENOUGH_DOCUMENTS)
    probabilities = np.zeros(len(true))
    for half in (0, 1):
        fitted_to, other_half = by_label[half::fit_step], by_label[1 - half :: 2]
        is_true = true[fitted_to, np.newaxis] == np.arange(scores.shape[1])  # documents x classes
        calibration = JointCalibration.fit_held_out(HeldOutScores.of(scores[fitted_to], is_true))
        probabilities[other_half] = calibration.curve(scores[other_half]).max(axis=1)
    return probabilities
