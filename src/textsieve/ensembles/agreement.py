"""Measure how much the members of a trained ensemble differ; `theory` predicts how much their terms differ.

All measures are means over the pairs of members, computed from their predictions for the same documents:

- disagreement: the share of the documents on which two members differ;
- Yule's Q of correct and wrong predictions: (N11 N00 - N01 N10) / (N11 N00 + N01 N10), where both members are correct
  on N11 documents, both are wrong on N00, and only one is correct on N10 and N01. Q is 0 if errors are independent, 1
  if they coincide, and below 0 if members err on different documents;
- Cohen's κ of the predictions: (agreement - chance agreement) / (1 - chance agreement), where chance agreement is
  computed from each member's own class shares. Fleiss's κ uses the class shares over all members instead;
- identical: the share of pairs that predict the same for every document.

Abstaining (-1) counts as a prediction like any other: two members that abstain agree, and abstaining is never correct.

N11 for all pairs is one matrix product. The agreements are counted for one member and all that follow at a time, with
eight documents per 64-bit word, one byte each; as many words are added as a byte can count.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Floats, Ints
from ..errors import InputError

ABSTAINED = -1

_MOST_OF_A_BYTE = 255

_WHOLE_FLOATS = 1 << 24
"""32-bit floats count documents exactly below this number."""


class MeasuredDiversity(NamedTuple):
    """Measures of how much members differ, as means over their pairs."""

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
    """NaN if all members give the same answer to every document."""
    identical: float
    undefined_q: int
    """Number of pairs excluded from the mean because Q is undefined, for example if one member is always correct."""
    undefined_kappa: int
    """Number of pairs excluded from the mean because both members give the same answer to every document."""


def measured_diversity(predictions: ArrayLike, truth: ArrayLike) -> MeasuredDiversity:
    """Measure how much the members of an ensemble differ.

    Parameters
    ----------
    predictions : array, documents x members
        Class numbers from 0; -1 if the member abstained.
    truth : array
        The class number of each document.
    """
    answers, classes = _checked(predictions, truth)
    n_documents, n_members = answers.shape
    numbers, answers = _renumbered(answers)
    pairs = np.triu_indices(n_members, 1)
    right = numbers[answers] == classes[:, None]
    agreed = _agreements(answers, len(numbers))[pairs]
    shares = _shares(answers, len(numbers))
    q, kappa = _yule(right, pairs), _cohen(agreed / n_documents, (shares @ shares.T)[pairs])
    return MeasuredDiversity(
        n_members,
        n_documents,
        float(right.mean()),
        float(1.0 - agreed.mean() / n_documents),
        _mean(q),
        _mean(kappa),
        _mean(_cohen(np.array([agreed.mean() / n_documents]), np.array([(shares.mean(axis=0) ** 2).sum()]))),
        float((agreed == n_documents).mean()),
        int(np.isnan(q).sum()),
        int(np.isnan(kappa).sum()),
    )


def _agreements(answers: Ints, n_answers: int) -> Floats:
    """Return the number of documents on which each pair of members agrees, with the lower member number as the row."""
    n_documents, n_members = answers.shape
    words = min(_MOST_OF_A_BYTE, -(-n_documents // 8))
    padding = -n_documents % (8 * words)  # padding documents, on which all members agree
    by_member = np.zeros((n_members, n_documents + padding), np.min_scalar_type(n_answers))
    by_member[:, :n_documents] = answers.T
    agreed = np.zeros((n_members, n_members))
    for member in range(n_members - 1):
        is_same = by_member[member + 1 :] == by_member[member]
        sums = is_same.view(np.uint64).reshape(len(is_same), -1, words).sum(axis=2)
        agreed[member, member + 1 :] = sums.view(np.uint8).sum(axis=1, dtype=np.int64) - padding
    return agreed


def _shares(answers: Ints, n_answers: int) -> Floats:
    """Return the share of documents to which each member gave each answer."""
    n_documents, n_members = answers.shape
    counts = np.bincount((answers + n_answers * np.arange(n_members)).ravel(), minlength=n_answers * n_members)
    return np.asarray(counts.reshape(n_members, n_answers) / n_documents)


def _yule(right: NDArray[np.bool_], pairs: Any) -> Floats:
    """Return Yule's Q of each pair; NaN where it is undefined."""
    n_right = right.sum(axis=0).astype(np.float64)
    marks: Any = right.astype(np.float32 if len(right) < _WHOLE_FLOATS else np.float64)
    both = (marks.T @ marks)[pairs].astype(np.float64)
    only_first, only_second = n_right[pairs[0]] - both, n_right[pairs[1]] - both
    neither = len(right) - both - only_first - only_second
    concordant, discordant = both * neither, only_first * only_second
    defined = concordant + discordant > 0
    return np.where(defined, (concordant - discordant) / np.where(defined, concordant + discordant, 1.0), np.nan)


def _cohen(agreed: Floats, by_chance: Floats) -> Floats:
    """Return κ from shares of agreement; NaN where the chance agreement is 1, except for rounding."""
    room = 1.0 - by_chance
    defined = room > 1e-12
    return np.where(defined, (agreed - by_chance) / np.where(defined, room, 1.0), np.nan)


def _mean(values: Floats) -> float:
    """Return the mean of the defined values; NaN if there are none."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


# -- validation ------------------------------------------------------------------------------------------------------


def _renumbered(answers: Ints) -> tuple[Ints, Ints]:
    """Return the distinct answers, and the position of each answer among them."""
    numbers, positions = np.unique(answers, return_inverse=True)
    return numbers, positions.reshape(answers.shape)


def _checked(predictions: ArrayLike, truth: ArrayLike) -> tuple[Ints, Ints]:
    answers, classes = np.asarray(predictions), np.asarray(truth)
    for name, array in (("predictions", answers), ("truth", classes)):
        if array.dtype.kind not in "iu":
            raise InputError(setting=name, value=array, hint="give the numbers of classes, which are whole")
    if answers.ndim != 2 or answers.shape[1] < 2 or not len(answers):
        raise InputError(
            f"predictions has the shape {answers.shape}; give documents x members, at least one document and two "
            "members."
        )
    if classes.shape != answers.shape[:1]:
        raise InputError(f"truth has the shape {classes.shape}; give a class for each of {len(answers):,} documents.")
    if (least := int(answers.min())) < ABSTAINED:
        raise InputError(f"predictions has {least}; use numbers of classes from 0, or -1 for no answer.")
    if (least := int(classes.min())) < 0:
        raise InputError(f"truth has {least}; use numbers of classes from 0, and leave out documents without a class.")
    return answers, classes
