"""Measure how much the predictions of an ensemble's members differ; `theory` predicts how much their terms differ.

All measures are means over the pairs of members, computed from their predictions for the same documents:

- disagreement: the share of the documents on which two members differ;
- Yule's Q of correct and wrong predictions: (N11 N00 - N01 N10) / (N11 N00 + N01 N10), where both members are correct
  on N11 documents, both are wrong on N00, and only one is correct on N10 and N01. Q is 0 if errors are independent, 1
  if errors coincide, and below 0 if members err on different documents;
- Cohen's κ of the predictions: (agreement - chance agreement) / (1 - chance agreement), where chance agreement is
  computed from each member's own class shares. Fleiss's κ uses the class shares over all members instead;
- identical: the share of pairs that predict the same for every document.

Abstaining (-1) counts as a prediction like any other: two members that abstain agree, and abstaining is never correct.

N11 for all pairs is one matrix product. Agreements are counted for one member at a time, with all members after it. A
pair of members has a byte for each document, which is 1 if they agree and otherwise 0; the bytes have to be added up.
This is fast because eight bytes are read as one 64-bit integer, so that one addition adds eight bytes separately. As a
byte can count to 255, up to 255 of these integers are added, and then the eight bytes of the sum.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Bools, Floats, Ints
from ..errors import InputError

ABSTAINED = -1
"""The prediction of a member that has no term of the document."""

_LARGEST_BYTE = 255
"""The largest number that a byte can hold."""

_LARGEST_FLOAT32_COUNT = 1 << 24
"""32-bit floats count documents exactly below this number."""


class MeasuredDiversity(NamedTuple):
    """Measures of how much members differ, as means over their pairs.

    Examples
    --------
    >>> from textsieve.ensembles import measured_diversity
    >>> measured_diversity([[0, 0], [0, 1], [1, 1], [1, 0]], truth=[0, 0, 1, 1]).kappa
    0.0
    """

    n_members: int
    n_documents: int
    accuracy: float
    """The mean accuracy of the members."""
    disagreement: float
    q_statistic: float
    """NaN if it is undefined for every pair."""
    kappa: float
    """NaN if it is undefined for every pair."""
    fleiss_kappa: float
    """NaN if all members predict the same class for all documents."""
    identical: float
    undefined_q: int
    """Number of pairs excluded from `q_statistic` because Q is undefined, for example if a member is always correct."""
    undefined_kappa: int
    """Number of pairs excluded from `kappa` because both members predict the same class for all documents."""


def measured_diversity(predictions: ArrayLike, truth: ArrayLike) -> MeasuredDiversity:
    """Measure how much the members of an ensemble differ.

    Parameters
    ----------
    predictions : array, documents x members
        Class numbers from 0; -1 if the member abstained.
    truth : array
        The class number of each document.

    Examples
    --------
    >>> from textsieve.ensembles import measured_diversity
    >>> measured = measured_diversity([[0, 0], [0, 1], [1, 1], [1, 0]], truth=[0, 0, 1, 1])
    >>> measured.accuracy, measured.disagreement
    (0.75, 0.5)
    """
    predicted, true_classes = _check_predictions(predictions, truth)
    n_documents, n_members = predicted.shape
    distinct, positions = np.unique(predicted, return_inverse=True)
    positions = positions.reshape(predicted.shape)  # the position of each prediction in `distinct`
    pairs = np.triu_indices(n_members, 1)  # the first and the second member of each pair
    is_correct = predicted == true_classes[:, None]
    n_agreed = _count_agreements(positions, len(distinct))[pairs]
    mean_agreement = n_agreed.mean() / n_documents
    shares = _prediction_shares(positions, len(distinct))
    chance_agreement = (shares @ shares.T)[pairs]
    fleiss_chance_agreement = (shares.mean(axis=0) ** 2).sum()
    q, kappa = _yule(is_correct, pairs), _kappa(n_agreed / n_documents, chance_agreement)
    return MeasuredDiversity(
        n_members,
        n_documents,
        accuracy=float(is_correct.mean()),
        disagreement=float(1.0 - mean_agreement),
        q_statistic=_mean(q),
        kappa=_mean(kappa),
        fleiss_kappa=_mean(_kappa(np.array([mean_agreement]), np.array([fleiss_chance_agreement]))),
        identical=float((n_agreed == n_documents).mean()),
        undefined_q=int(np.isnan(q).sum()),
        undefined_kappa=int(np.isnan(kappa).sum()),
    )


def _count_agreements(positions: Ints, n_distinct: int) -> Floats:
    """Return the number of documents on which each pair of members agrees (members x members).

    `positions` are the predictions (documents x members), as numbers below `n_distinct`. Only the cells above the
    diagonal are filled; the others are 0. The module's docstring explains how bytes are added as 64-bit integers.
    """
    n_documents, n_members = positions.shape
    n_words = min(_LARGEST_BYTE, -(-n_documents // 8))  # how many 64-bit integers are added before their bytes are
    # Documents are appended, up to a multiple of 8 x n_words. All members predict 0 for them, so all pairs agree on
    # them, and their number is subtracted again.
    padding = -n_documents % (8 * n_words)
    by_member = np.zeros((n_members, n_documents + padding), np.min_scalar_type(n_distinct))
    by_member[:, :n_documents] = positions.T
    n_agreed = np.zeros((n_members, n_members))
    for member in range(n_members - 1):
        is_same = by_member[member + 1 :] == by_member[member]  # a byte for each later member and document
        words = is_same.view(np.uint64).reshape(len(is_same), -1, n_words)  # in groups that are added without overflow
        sums = words.sum(axis=2)
        n_agreed[member, member + 1 :] = sums.view(np.uint8).sum(axis=1, dtype=np.int64) - padding
    return n_agreed


def _prediction_shares(positions: Ints, n_distinct: int) -> Floats:
    """Return the share of documents for which each member made each prediction (members x distinct predictions)."""
    n_documents, n_members = positions.shape
    cells = positions + n_distinct * np.arange(n_members)  # the cell of each prediction in the flattened result
    counts = np.bincount(cells.ravel(), minlength=n_distinct * n_members)
    return np.asarray(counts.reshape(n_members, n_distinct) / n_documents)


def _yule(is_correct: Bools, pairs: Any) -> Floats:
    """Return Yule's Q of each pair of members; NaN where it is undefined.

    `is_correct` is documents x members; `pairs` has an array of first members and one of second members.
    """
    n_correct = is_correct.sum(axis=0).astype(np.float64)
    as_floats: Any = is_correct.astype(np.float32 if len(is_correct) < _LARGEST_FLOAT32_COUNT else np.float64)
    both_correct = (as_floats.T @ as_floats)[pairs].astype(np.float64)
    only_first, only_second = n_correct[pairs[0]] - both_correct, n_correct[pairs[1]] - both_correct
    none_correct = len(is_correct) - both_correct - only_first - only_second
    concordant, discordant = both_correct * none_correct, only_first * only_second
    defined = concordant + discordant > 0
    return np.where(defined, (concordant - discordant) / np.where(defined, concordant + discordant, 1.0), np.nan)


def _kappa(agreement: Floats, chance_agreement: Floats) -> Floats:
    """Return κ from the agreement and the chance agreement, as shares of documents; NaN where the latter is 1."""
    largest_gain = 1.0 - chance_agreement
    defined = largest_gain > 1e-12  # 0 up to rounding errors is undefined
    return np.where(defined, (agreement - chance_agreement) / np.where(defined, largest_gain, 1.0), np.nan)


def _mean(values: Floats) -> float:
    """Return the mean of the defined values; NaN if there are none."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


def _check_predictions(predictions: ArrayLike, truth: ArrayLike) -> tuple[Ints, Ints]:
    """Return predictions and truth as arrays; raise `InputError` for invalid class numbers or shapes."""
    predicted, true_classes = np.asarray(predictions), np.asarray(truth)
    for name, array in (("predictions", predicted), ("truth", true_classes)):
        if array.dtype.kind not in "iu":
            raise InputError(setting=name, value=array, hint="give the numbers of classes, which are whole")
    if predicted.ndim != 2 or predicted.shape[1] < 2 or not len(predicted):
        raise InputError(
            f"predictions has the shape {predicted.shape}",
            hint="give documents x members, at least one document and two members",
        )
    if true_classes.shape != predicted.shape[:1]:
        raise InputError(
            f"truth has the shape {true_classes.shape}", hint=f"give a class for each of {len(predicted):,} documents"
        )
    if (least := int(predicted.min())) < ABSTAINED:
        raise InputError(f"predictions has {least}", hint="use numbers of classes from 0, or -1 for no answer")
    if (least := int(true_classes.min())) < 0:
        raise InputError(
            f"truth has {least}", hint="use numbers of classes from 0, and leave out documents without a class"
        )
    return predicted, true_classes
