"""How the members of an ensemble become one decision, for the whole of it or for its first 1, 2, 3, ... members.

A member gives every class a score. By *vote* it speaks for the class with its largest score (the first of equal ones),
and the class with most votes wins. Where classes have as many votes, that with more documents to train on does, and
then the first of them. A member that knows no term of a document has nothing but its intercepts to say, which are the
same for every such document, so it does not vote. By *mean*, the class with the largest mean score wins; there all
members count, or the mean would not be one linear function of the document.

Votes and sums of scores are all that has to be kept, and they only grow: so an ensemble of 1,000 members, read off
after 100, 200, ... of them, is ten ensembles for the price of one, and never a table of members x documents x classes.
Scores are added in the order of the members, so that a part of a large ensemble is a small one to the last bit.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, shown

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]
Said = tuple[Floats, Truths]
"""Of one member: its scores (documents x classes), and for which documents it has nothing to say."""


def for_each_class(scores: Floats) -> Floats:
    """A column a class: a single one, which speaks for the second of two classes, speaks against the first."""
    scores = scores[:, None] if scores.ndim == 1 else scores
    return np.hstack([-scores, scores]) if scores.shape[1] == 1 else scores


def knows_nothing(indptr: NDArray[np.integer], indices: NDArray[np.integer], is_chosen: Truths) -> Truths:
    """Which rows of a sparse matrix have none of the chosen columns."""
    before = np.concatenate([[0], np.cumsum(is_chosen[indices])])
    found: Truths = before[indptr[1:]] == before[indptr[:-1]]
    return found


def intercepts_of_votes(class_docs: NDArray[Any]) -> Floats:
    """Half of the share of each class among the training documents: less than a vote, and enough to settle ties."""
    return np.asarray(0.5 * class_docs / class_docs.sum())


class Tally:
    """Votes and sums of scores of the members so far, for classes of which each has so many documents to train on."""

    def __init__(self, n_documents: int, class_docs: Ints) -> None:
        self.n_members = 0
        self.votes = np.zeros((n_documents, len(class_docs)), np.int64)
        self.sums = np.zeros((n_documents, len(class_docs)))
        self.intercepts = intercepts_of_votes(class_docs)

    def add(self, scores: Floats, is_silent: Truths) -> None:
        """Count one more member."""
        scores = for_each_class(scores)
        speaking = np.flatnonzero(~is_silent)
        self.votes[speaking, scores[speaking].argmax(axis=1)] += 1
        self.sums += scores
        self.n_members += 1

    @property
    def means(self) -> Floats:
        """The mean score of each class."""
        return self.sums / self.n_members

    def decisions(self, combine: str) -> Ints:
        """The number of each document's class."""
        return np.asarray(COMBINATIONS[combine](self).argmax(axis=1))


COMBINATIONS: dict[str, Callable[[Tally], Floats]] = {
    "vote": lambda tally: tally.votes + tally.intercepts,
    "mean": lambda tally: tally.means,
}
"""The rules by name: a tally to the score of each class (documents x classes); the first of the largest wins."""


def require_combination(combine: object) -> None:
    """Refuse what is no rule."""
    if not (isinstance(combine, str) and combine in COMBINATIONS):
        raise InputError(f"combine={shown(combine)}; use one of {', '.join(map(repr, COMBINATIONS))}.")


def counted_votes(said: Iterable[Said], n_documents: int, class_docs: Ints) -> Tally:
    """The tally of a whole ensemble."""
    tally = Tally(n_documents, class_docs)
    for scores, is_silent in said:
        tally.add(scores, is_silent)
    return tally


def running_decisions(
    said: Iterable[Said], sizes: Sequence[int], n_documents: int, class_docs: Ints, combine: str
) -> Iterator[Ints]:
    """What ensembles of the first so many members decide, for each of the sizes, which ascend."""
    tally, wanted = Tally(n_documents, class_docs), iter(sizes)
    size = next(wanted, None)
    for scores, is_silent in said:
        tally.add(scores, is_silent)
        if tally.n_members == size:
            yield tally.decisions(combine)
            size = next(wanted, None)
            if size is None:
                return
