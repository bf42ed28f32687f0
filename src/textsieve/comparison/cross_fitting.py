"""How certain the labels of test documents are, without training anything again.

The models of a comparison have no probabilities, because these take a cross-validation of each model. But the scores of
the test documents are known. So the test documents are divided into two halves. The curve from scores to probabilities
(`evaluation.calibration`) is fitted to the scores and labels of one half, and gives the probabilities of the other, and
the reverse. The true label of a document has no influence on its own probability: documents are dealt to the halves by
their predicted label, class by class, so that both halves have about the same labels.

Two parameters need few documents, so each curve is fitted to at most `ENOUGH_DOCUMENTS / 2` documents of its half,
which are spread over all of them. If there are very many documents and classes, only the scores of some documents are
kept.
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
"""The smallest number of test documents with a selected term from which probabilities are fitted, on half of them."""
MAX_SCORES = 1 << 22
"""The largest number of scores that are kept (32 MB): those of 200,000 documents with 20 classes."""


class KeptScores:
    """The scores of test documents, kept while their labels are predicted.

    If there are more than `MAX_SCORES`, these are the scores of every n-th document.
    """

    def __init__(self, n_documents: int, n_classes: int) -> None:
        self.step = max(math.ceil(n_documents * n_classes / MAX_SCORES), 1)
        self._blocks: list[DocumentScores] = []

    def keep(self, blocks: Iterable[tuple[slice, DocumentScores]]) -> Iterator[tuple[slice, DocumentScores]]:
        """Yield the blocks of documents unchanged, and keep their scores."""
        for part, scored in blocks:
            rows = slice(-part.start % self.step, None, self.step)
            # A view would keep the memory of the whole block. Without a step, that is what is wanted.
            scores = scored.scores[rows] if self.step == 1 else scored.scores[rows].copy()
            self._blocks.append(DocumentScores(scores, scored.is_unknown[rows], scored.fallback))
            yield part, scored

    def confidence(self, true: Ints) -> Confidence | None:
        """Return how certain and how right the labels are, or None if there are too few documents.

        `true` has the number of each test document's class among the classes of the model, and -1 if the model does
        not know the class.
        """
        scores, is_unknown = (
            np.concatenate([getattr(block, name) for block in self._blocks]) for name in ("scores", "is_unknown")
        )
        scored, true_classes = DocumentScores(scores, is_unknown, self._blocks[0].fallback), true[:: self.step]
        probabilities = cross_fit(scored, true_classes)
        if probabilities is None:
            return None
        return Confidence.of(probabilities, scored.best() == true_classes, is_unknown)


def cross_fit(scored: DocumentScores, true: Ints) -> Floats | None:
    """Return the probability of each document's label, by a curve that was fitted to other documents.

    `true` is as in `KeptScores.confidence`. Documents without a selected term get 0. Return None if fewer than
    `FEWEST_TEST_DOCUMENTS` have one.
    """
    scores, (known,) = scored.scores, np.nonzero(~scored.is_unknown)
    if len(known) < FEWEST_TEST_DOCUMENTS:
        return None
    # Even parts are one half, and odd parts are the other. A curve is fitted to the first part of its half.
    n_parts = 2 * math.ceil(len(known) / ENOUGH_DOCUMENTS)
    by_label = known[np.argsort(scored.best()[known], kind="stable")]
    probabilities = np.zeros(len(true))
    for half in (0, 1):
        fitted_to, others = by_label[half::n_parts], by_label[1 - half :: 2]
        is_true = true[fitted_to, np.newaxis] == np.arange(scores.shape[1])
        calibration = JointCalibration.fit_held_out(HeldOutScores.of(scores[fitted_to], is_true))
        probabilities[others] = calibration.curve(scores[others]).max(axis=1)
    return probabilities
