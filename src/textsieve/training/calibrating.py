"""Fit the probabilities of a model with one label per document, and measure how certain and how right its labels are.

Both use the scores of held-out documents, from the same cross-validation. Two parameters need few documents, so folds
are only scored until `ENOUGH_DOCUMENTS` are: one fold of five for 5,000 documents, which takes about 0.8 of the time
of training. With fewer than `FEWEST_DOCUMENTS`, probabilities would be guesses, and are only fitted if the
user asks for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Bools, Floats
from ..errors import InputError, TooFewDocuments
from ..evaluation.calibration import JointCalibration
from ..evaluation.confidence import Confidence
from ..evaluation.scores import HeldOutScores
from .sieving import SieveLimits
from .tuning import Tuning

ENOUGH_DOCUMENTS = 1000
"""The number of held-out documents after which no further fold is scored."""

FEWEST_DOCUMENTS = 20
"""The smallest number of labelled documents from which probabilities are fitted by default."""


class Calibrated(NamedTuple):
    """The probabilities of a model, and how certain and how right its labels are on held-out documents."""

    calibration: JointCalibration
    confidence: dict[str, Any]


def method_of(setting: str | None, *, multilabel: bool) -> str | None:
    """Return the method that fits probabilities, given the setting `probabilities`; None: there are none.

    "auto" means "sigmoid", but no probabilities for multilabel models. "isotonic" is only for multilabel models, and
    raises `InputError` for others.
    """
    if setting == "auto":
        return None if multilabel else "sigmoid"
    if setting == "isotonic" and not multilabel:
        raise InputError(
            "with one label per document, a curve for each class could contradict the label",
            setting="probabilities",
            value=setting,
            hint="use 'auto' or 'sigmoid', one curve for all classes, or None",
        )
    return setting


def calibrate(
    tuning: Tuning, n_labelled: int, max_terms: int | None, sieve: SieveLimits | None, *, is_optional: bool
) -> Calibrated | None:
    """Fit probabilities by cross-validation.

    `n_labelled` is the number of labelled documents. `sieve` says how many coefficients the model keeps. With
    `is_optional`, return None if there are fewer than `FEWEST_DOCUMENTS`, or too few to hold some of them out. Without
    it, the latter raises `TooFewDocuments`. Raises `InputError` if no model can be trained on the documents of a fold,
    which may be too similar for the selector.
    """
    if is_optional and n_labelled < FEWEST_DOCUMENTS:
        return None
    try:
        held_out = tuning.held_out_scores(max_terms, ENOUGH_DOCUMENTS, sieve)
    except TooFewDocuments:
        if not is_optional:
            raise
        return None
    calibration = JointCalibration.fit_held_out(held_out)
    return Calibrated(calibration, _confidence(held_out, calibration).to_dict())


def _confidence(held_out: HeldOutScores, calibration: JointCalibration) -> Confidence:
    """Return how certain and how right the labels of the scored documents are."""
    blocks = list(_best_classes(held_out, calibration))
    probabilities, is_right, numbers = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return Confidence.of(probabilities, is_right, held_out.is_unknown[numbers], held_out.weights_of(numbers))


def _best_classes(
    held_out: HeldOutScores, calibration: JointCalibration
) -> Iterator[tuple[Floats, Bools, np.ndarray[Any, np.dtype[np.int64]]]]:
    """Yield three arrays for each block of documents, with an element for each document that has scores.

    These are the probability of the document's best class, whether this class is right, and the document's number. The
    documents of folds that were not scored are left out.

    The best class of a document without a selected term is not its label, which is the fallback class. That does not
    matter, because `Confidence.of` never counts such a document as certain.
    """
    for numbers, scores, is_true in held_out.by_document():
        is_scored = ~np.isnan(scores).all(axis=1)  # without scores, a document has NaN for all classes
        # A class without a score can't win.
        known_scores = np.where(np.isnan(scores), -np.inf, scores)[is_scored]
        probabilities = calibration.curve(known_scores)
        best = known_scores.argmax(axis=1)
        rows = np.arange(len(best))
        yield probabilities[rows, best], is_true[is_scored][rows, best], numbers[is_scored]
