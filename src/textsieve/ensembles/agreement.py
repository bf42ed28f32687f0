"""How much the members of a trained ensemble differ: measured, beside what `theory` predicts of their terms.

Over all pairs of members, from what each predicted for the same documents:

- disagreement: on which share of the documents two members differ;
- Yule's Q, of right and wrong: with N11 documents that both have right, N00 that both have wrong, and N10 and N01 that
  one has, (N11 N00 - N01 N10) / (N11 N00 + N01 N10). 0 if errors are independent, 1 if they come together, below 0 if
  members err on different documents;
- Cohen's κ, of the answers: (agreement - that of chance) / (1 - that of chance), where chance gives each member its
  own shares of classes. Fleiss's κ does that once for all members, with the shares of classes over all of them;
- identical: the share of pairs that predict the same for every document.

A member that abstains (-1) has given an answer like any other: two that abstain agree, and it is never right.

N11 for all pairs is one product of matrices. How often each pair agrees is counted for one member and all that follow
at a time: eight documents to a word of 64 bits, a byte each, and as many words added up as a byte can count.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError, shown
from ..stats.sums import Floats, Ints

ABSTAINED = -1

_MOST_OF_A_BYTE = 255

_WHOLE_FLOATS = 1 << 24
"""Numbers of documents that a float of 32 bits counts."""


class MeasuredDiversity(NamedTuple):
    """How much members differ, in the mean over their pairs."""

    n_members: int
    n_documents: int
    accuracy: float
    """Of the members, in the mean."""
    disagreement: float
    q_statistic: float
    """NaN if it is undefined for every pair."""
    kappa: float
    """NaN if it is undefined for every pair."""
    fleiss_kappa: float
    """NaN if all members always give one and the same answer."""
    identical: float
    undefined_q: int
    """Pairs that the mean leaves out: no document shows how their errors go together, as when one is always right."""
    undefined_kappa: int
    """Pairs that the mean leaves out: both always give one and the same answer."""


def measured_diversity(predictions: ArrayLike, truth: ArrayLike) -> MeasuredDiversity:
    """Measure how much the members of an ensemble differ.

    Parameters
    ----------
    predictions : array, documents x members
        Numbers of classes from 0; -1 for a member that gave no answer.
    truth : array
        The number of each document's class.
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
    """On how many documents each two members agree; the lower number first."""
    n_documents, n_members = answers.shape
    words = min(_MOST_OF_A_BYTE, -(-n_documents // 8))
    padding = -n_documents % (8 * words)  # on which all agree
    own = np.zeros((n_members, n_documents + padding), np.min_scalar_type(n_answers))
    own[:, :n_documents] = answers.T
    agreed = np.zeros((n_members, n_members))
    for member in range(n_members - 1):
        same = own[member + 1 :] == own[member]
        sums = same.view(np.uint64).reshape(len(same), -1, words).sum(axis=2)
        agreed[member, member + 1 :] = sums.view(np.uint8).sum(axis=1, dtype=np.int64) - padding
    return agreed


def _shares(answers: Ints, n_answers: int) -> Floats:
    """The share of documents to which each member gave each answer."""
    n_documents, n_members = answers.shape
    counts = np.bincount((answers + n_answers * np.arange(n_members)).ravel(), minlength=n_answers * n_members)
    return np.asarray(counts.reshape(n_members, n_answers) / n_documents)


def _yule(right: NDArray[np.bool_], pairs: Any) -> Floats:
    """Yule's Q of each pair; NaN where it is undefined."""
    own = right.sum(axis=0).astype(np.float64)
    marks: Any = right.astype(np.float32 if len(right) < _WHOLE_FLOATS else np.float64)
    both = (marks.T @ marks)[pairs].astype(np.float64)
    first, second = own[pairs[0]] - both, own[pairs[1]] - both
    neither = len(right) - both - first - second
    together, apart = both * neither, first * second
    defined = together + apart > 0
    return np.where(defined, (together - apart) / np.where(defined, together + apart, 1.0), np.nan)


def _cohen(agreed: Floats, by_chance: Floats) -> Floats:
    """κ from shares of agreement; NaN where chance alone agrees always, but for rounding."""
    room = 1.0 - by_chance
    defined = room > 1e-12
    return np.where(defined, (agreed - by_chance) / np.where(defined, room, 1.0), np.nan)


def _mean(values: Floats) -> float:
    """The mean of those that are defined; NaN if none is."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


# -- what goes in ----------------------------------------------------------------------------------------------------


def _renumbered(answers: Ints) -> tuple[Ints, Ints]:
    """The answers that were given, and for each of them its place there."""
    numbers, places = np.unique(answers, return_inverse=True)
    return numbers, places.reshape(answers.shape)


def _checked(predictions: ArrayLike, truth: ArrayLike) -> tuple[Ints, Ints]:
    answers, classes = np.asarray(predictions), np.asarray(truth)
    for name, given in (("predictions", answers), ("truth", classes)):
        if given.dtype.kind not in "iu":
            raise InputError(f"{name}={shown(given)}; give the numbers of classes, which are whole.")
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
