"""Count how many documents get a label of at least some probability, and how many of these labels are right.

A user who rejects labels below some minimum probability needs to know what this costs: how many documents keep their
label (the coverage), and how many of these labels are right (the accuracy). `Confidence` counts both for several
minima. A document without a selected term never reaches a minimum, because its label is the fallback class. The
differences between the counts for successive minima are the counts for a band of probabilities (`ProbabilityBand`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Bools, Floats

MINIMA = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
"""The probabilities for which documents are counted."""


class ConfidenceRow(NamedTuple):
    """The documents whose label has at least a certain probability."""

    min_probability: float
    share: float
    """Their share of all documents."""
    accuracy: float
    """The share of right labels among them; 0 if there are none."""


class ProbabilityBand(NamedTuple):
    """The documents whose label has a probability from `min_probability` to below `max_probability`.

    The last band includes 1. The first band, from 0, also has all documents without a selected term.

    Examples
    --------
    >>> from textsieve.evaluation import ProbabilityBand
    >>> band = ProbabilityBand(min_probability=0.9, max_probability=1.0, documents=40, accuracy=0.975)
    >>> band.documents * band.accuracy
    39.0
    """

    min_probability: float
    max_probability: float
    documents: float
    accuracy: float
    """The share of right labels among them; 0 if there are none."""


@dataclass(frozen=True)
class Confidence:
    """Counts of documents by the probability of their label. Counts of batches can be added.

    Examples
    --------
    >>> from textsieve.evaluation import Confidence
    >>> import numpy as np
    >>> probabilities, is_right = np.array([0.95, 0.8, 0.55]), np.array([True, True, False])
    >>> confidence = Confidence.of(probabilities, is_right, is_unknown=np.zeros(3, dtype=bool))
    >>> confidence.rows()[0]
    ConfidenceRow(min_probability=0.5, share=1.0, accuracy=0.6666666666666666)
    """

    documents: float
    """The number of documents, or the sum of their weights; the same holds for the other counts."""
    certain: tuple[float, ...]
    """For each of `MINIMA`, the number of documents whose label is at least as probable."""
    right: tuple[float, ...]
    """For each of `MINIMA`, how many of these labels are right."""
    all_right: float
    """How many of all labels are right."""

    @classmethod
    def of(cls, probabilities: Floats, is_right: Bools, is_unknown: Bools, weights: Floats | None = None) -> Confidence:
        """Count documents, given the probability of each document's label, and whether the label is right.

        `is_unknown` says which documents have no selected term; `weights` are sample weights.
        """
        counts = np.ones(len(is_right), np.int64) if weights is None else weights
        certain, right = [], []
        for minimum in MINIMA:
            is_certain = (probabilities >= minimum) & ~is_unknown
            certain.append(counts[is_certain].sum().item())
            right.append(counts[is_certain & is_right].sum().item())
        return cls(counts.sum().item(), tuple(certain), tuple(right), counts[is_right].sum().item())

    @classmethod
    def of_labels(
        cls,
        probabilities: Floats,
        is_unknown: Bools,
        true: Sequence[tuple[Any, ...]],
        predicted: Sequence[tuple[Any, ...]],
        weights: Sequence[float] | None,
    ) -> Confidence:
        """Count documents, given the probability of each document's label, and its true and predicted labels.

        The label is right if these are the same. A document without a true label is left out. The other parameters are
        those of `of`.
        """
        labelled = np.array([bool(labels) for labels in true], np.bool_)
        is_right = np.array(
            [set(true_labels) == set(labels) for true_labels, labels in zip(true, predicted, strict=True)], np.bool_
        )
        counts = None if weights is None else np.asarray(weights)[labelled]
        return cls.of(probabilities[labelled], is_right[labelled], is_unknown[labelled], counts)

    def __add__(self, other: Confidence) -> Confidence:
        """Return the counts of the documents of both."""
        certain = tuple(a + b for a, b in zip(self.certain, other.certain, strict=True))
        right = tuple(a + b for a, b in zip(self.right, other.right, strict=True))
        return Confidence(self.documents + other.documents, certain, right, self.all_right + other.all_right)

    def pairs(self) -> list[tuple[float, float]]:
        """Return the number of documents and of right labels for each minimum: for 0, then for each of `MINIMA`."""
        return [(self.documents, self.all_right), *zip(self.certain, self.right, strict=True)]

    @classmethod
    def of_pairs(cls, pairs: Sequence[tuple[float, float]]) -> Confidence:
        """Return the `Confidence` whose `pairs` are given."""
        (documents, all_right), *others = pairs
        return cls(documents, tuple(certain for certain, _ in others), tuple(right for _, right in others), all_right)

    def rows(self) -> list[ConfidenceRow]:
        """Return coverage and accuracy for each of `MINIMA`."""
        return [
            ConfidenceRow(minimum, share_of(certain, self.documents), share_of(right, certain))
            for minimum, certain, right in zip(MINIMA, self.certain, self.right, strict=True)
        ]

    def bands(self) -> list[ProbabilityBand]:
        """Return the number of documents and the accuracy for each band from 0 to 1, between successive minima."""
        bounds, counts = pairwise((0.0, *MINIMA, 1.0)), pairwise((*self.pairs(), (0, 0)))
        bands = []
        for (low, high), ((documents, right), (documents_above, right_above)) in zip(bounds, counts, strict=True):
            # The documents that reach the lower end of the band but not its upper end.
            n_documents, n_right = documents - documents_above, right - right_above
            bands.append(ProbabilityBand(low, high, n_documents, share_of(n_right, n_documents)))
        return bands

    def to_dict(self) -> dict[str, Any]:
        """Return the number of documents and the rows as JSON values."""
        return {"documents": self.documents, "rows": [row._asdict() for row in self.rows()]}


def share_of(part: float, whole: float) -> float:
    """Return part / whole, and 0 if the whole is 0."""
    return part / whole if whole else 0.0
