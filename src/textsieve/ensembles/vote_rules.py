"""Combine the scores of an ensemble's members, for all of them or for the first 1, 2, 3, ... members.

Each member gives every class a score. By *vote*, a member votes for the class with its largest score (the first of
equal ones), and the class with the most votes wins; ties go to the class with more training documents, then to the
first. A member that has no term of a document abstains, because its scores would be its intercepts, the same for every
such document. By *mean*, the class with the largest mean score wins. Here no member abstains: a mean of fewer members
for some documents would not be a linear function of the document.

Only the votes and the sums of scores so far are stored, and each member adds its own to them. So an ensemble of 1,000
members can be evaluated after 100, 200, ... of them, which are ten ensembles for the price of one, and no table of
members x documents x classes is needed. Scores are added in the order of the members, so the first members of a large
ensemble give the same scores as a small ensemble, to the last bit.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ..arrays import Bools, Floats, Ints
from ..errors import InputError

MemberOutput = tuple[Floats, Bools]
"""The scores of one member (documents x classes), and a mask of the documents for which it abstains."""


def one_column_per_class(scores: Floats) -> Floats:
    """Return scores with a column for each class.

    A single column has the scores of the second of two classes; the first class gets their negatives.
    """
    scores = scores[:, None] if scores.ndim == 1 else scores
    return np.hstack([-scores, scores]) if scores.shape[1] == 1 else scores


def abstains(rows: csr_matrix, terms: Ints) -> Bools:
    """Return a mask of the documents that contain none of a member's terms, so that the member abstains.

    The rows must have no stored zeros, which would count as terms of the document.
    """
    is_known = np.zeros(rows.shape[1], np.bool_)
    is_known[terms] = True
    # The number of values of known terms before each stored value, row by row. It is the same at the beginning and at
    # the end of a row without known terms.
    n_known_before = np.concatenate([[0], np.cumsum(is_known[rows.indices])])
    return np.asarray(n_known_before[rows.indptr[1:]] == n_known_before[rows.indptr[:-1]])


def tie_breakers(class_docs: NDArray[Any]) -> Floats:
    """Return half of each class's share of the training documents: less than a vote, but enough to break ties."""
    return np.asarray(0.5 * class_docs / class_docs.sum())


class VoteTally:
    """The votes and sums of scores of the members so far, each documents x classes.

    `class_docs` has the number of training documents of each class.
    """

    def __init__(self, n_documents: int, class_docs: Ints) -> None:
        self.n_members = 0
        self.votes = np.zeros((n_documents, len(class_docs)), np.int64)
        self.sums = np.zeros((n_documents, len(class_docs)))
        self.tie_breakers = tie_breakers(class_docs)

    def add(self, scores: Floats, abstains: Bools) -> None:
        """Add the scores of one more member, and its votes for the documents for which it does not abstain."""
        scores = one_column_per_class(scores)
        voted = np.flatnonzero(~abstains)  # the documents for which the member votes
        self.votes[voted, scores[voted].argmax(axis=1)] += 1
        self.sums += scores
        self.n_members += 1

    @property
    def means(self) -> Floats:
        """Return the mean score of each class (documents x classes)."""
        return self.sums / self.n_members

    def decisions(self, combine: str) -> Ints:
        """Return the number of the class that wins each document, by the rule `combine`."""
        return np.asarray(COMBINATIONS[combine](self).argmax(axis=1))


COMBINATIONS: dict[str, Callable[[VoteTally], Floats]] = {
    "vote": lambda tally: tally.votes + tally.tie_breakers,
    "mean": lambda tally: tally.means,
}
"""The rules by name: functions from a tally to class scores (documents x classes). Of equal scores, the first wins."""


def require_combination(combine: object) -> None:
    """Raise `InputError` unless `combine` is the name of a rule."""
    if not (isinstance(combine, str) and combine in COMBINATIONS):
        raise InputError(setting="combine", value=combine, allowed=COMBINATIONS)


def running_decisions(
    outputs: Iterable[MemberOutput], sizes: Sequence[int], n_documents: int, class_docs: Ints, combine: str
) -> Iterator[Ints]:
    """Yield the decisions of the ensemble of the first L members for each L in `sizes`, which must be ascending.

    A decision is the number of a class for each document. Reading `outputs` stops after the largest L. If there are
    fewer members than some L in `sizes`, the decisions for these L are missing.
    """
    tally, remaining_sizes = VoteTally(n_documents, class_docs), iter(sizes)
    size = next(remaining_sizes, None)
    for scores, member_abstains in outputs:
        tally.add(scores, member_abstains)
        if tally.n_members == size:
            yield tally.decisions(combine)
            size = next(remaining_sizes, None)
            if size is None:
                return
