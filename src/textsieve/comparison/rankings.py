"""Describe a ranking of terms: how fast the scores add up, and which class each term indicates.

The *energy* of k terms is the sum of the scores of the k best terms, as a share of the sum of all scores. It is stored
for k = 1, 2, ..., 14, 16, 17, 19, and so on, each about a tenth larger than the one before, so that about 80 points
give the curve for 10,000 terms. It is undefined if a score is negative or not finite, or if no score is above 0.

A term *indicates* the class for which its score is highest if the selector scores terms for each class alone. If the
selected terms depend on their number (`depends_on_k`: forward selection and testors), neither scores nor energy are
stored. Then a term indicates, among the classes in which it is more frequent than overall, the one in which most
documents have it. The first terms of each class are stored, with their rank among all terms and their score.

Only the ranking of the first fold is described: those of the other folds are similar, and a report shows one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Self

import numpy as np

from ..arrays import Floats, Ints
from ..selectors import TermSelector
from ..training.targets import NO_CLASS
from .plan import Size

DESCRIBED_FOLD = 0
"""The number of the fold whose rankings are described."""
STEP = 1.1
"""The approximate ratio between successive numbers of terms whose energy is stored."""
MAX_CLASS_TERMS, MIN_CLASS_TERMS, MAX_TERMS = 30, 5, 10_000
"""Limits on the stored terms: 30 per class, but fewer (at least 5) if that would be more than 10,000 in total."""


class ClassTerm(NamedTuple):
    """A term that indicates a class."""

    rank: int
    """The rank among all terms, from 1."""
    term: str
    score: float | None


class RankingDescription(NamedTuple):
    """The description of a ranking, without its fold and selector."""

    n_ranked: int
    """The number of ranked terms."""
    energy: tuple[tuple[int, float], ...] | None
    """Pairs of a number of terms and its energy: the share of the sum of all scores that the first terms hold."""
    by_class: tuple[tuple[Any, tuple[ClassTerm, ...]], ...]
    """Pairs of a class and the best terms that indicate it."""


@dataclass(frozen=True)
class FoldRanking:
    """The ranking of a selector in a fold, as it is stored."""

    fold: int
    selector: str
    n_terms: Size | None
    """The number of terms that the ranking is for, if the selector's terms depend on it, else None."""
    n_ranked: int
    energy: tuple[tuple[int, float], ...] | None
    by_class: tuple[tuple[Any, tuple[ClassTerm, ...]], ...]

    @property
    def key(self) -> tuple[int, str, Size | None]:
        """Return the key of the ranking: fold, selector and number of terms."""
        return self.fold, self.selector, self.n_terms

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def of_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Return the ranking of a checked JSON object."""
        energy = stored["energy"]
        by_class = tuple((label, tuple(ClassTerm(*term) for term in terms)) for label, terms in stored["by_class"])
        # JSON may have an integer for a share of 0 or 1.
        points = None if energy is None else tuple((size, float(share)) for size, share in energy)
        return cls(**{**stored, "energy": points, "by_class": by_class})


def describe_ranking(selector: TermSelector, columns: Ints, terms: Sequence[str]) -> RankingDescription:
    """Describe the ranking of a fitted selector.

    `columns` are the selected columns, the best first, and `terms` their names.
    """
    # If the selected terms depend on their number, scores don't describe the ranking (forward selection has those of
    # OCFS) or cost more than the selection (testors).
    scores = None if selector.depends_on_k else selector.scores_
    energy = None if scores is None else energy_of(scores[selector.ranking_])
    return RankingDescription(len(columns), energy, _terms_by_class(selector, columns, terms, scores))


def energy_of(scores: Floats) -> tuple[tuple[int, float], ...] | None:
    """Return pairs of a number of terms and its energy, from one term to all; None if energy is undefined.

    `scores` are sorted, the best first.
    """
    if not (np.isfinite(scores).all() and len(scores) and scores.min() >= 0.0 and scores.sum() > 0.0):
        return None
    sums = np.cumsum(scores)
    sizes = growing_sizes(len(scores))
    return tuple((size, round(float(sums[size - 1] / sums[-1]), 5)) for size in sizes)


def growing_sizes(last: int) -> list[int]:
    """Return ascending integers from 1 to `last`: the rounded powers of `STEP`, and `last` itself.

    For a `last` of 30, these are 1, 2, ..., 13, 14, 16, 17, 19, 21, 23, 26, 28, 30.
    """
    n_steps = int(np.ceil(np.log(last) / np.log(STEP)))  # the last power is the first that reaches `last`
    powers = np.round(STEP ** np.arange(n_steps + 1))
    # The set drops small powers that were rounded to the same integer.
    return sorted({*np.minimum(powers, last).astype(int).tolist(), last})


def max_class_terms(n_classes: int) -> int:
    """Return the number of terms to store for each class; see `MAX_CLASS_TERMS`."""
    return int(np.clip(MAX_TERMS // max(n_classes, 1), MIN_CLASS_TERMS, MAX_CLASS_TERMS))


def _terms_by_class(
    selector: TermSelector, columns: Ints, terms: Sequence[str], scores: Floats | None
) -> tuple[tuple[Any, tuple[ClassTerm, ...]], ...]:
    """Return pairs of a class and the best terms that indicate it.

    `columns` are the selected columns, the best first, and `terms` their names. `scores` are those of all columns, or
    None if they are not stored. `NO_CLASS`, which statistics may have for documents of no class, is left out.
    """
    labels = [label for label in selector.stats_.classes if label is not NO_CLASS]
    limit = max_class_terms(len(labels))
    class_numbers = _indicated_classes(selector, columns)
    terms_by_class = []
    for number, label in enumerate(selector.stats_.classes):
        if label is NO_CLASS:
            continue
        positions = np.flatnonzero(class_numbers == number)[:limit].tolist()  # in `columns` and `terms`
        class_terms = tuple(
            ClassTerm(position + 1, terms[position], None if scores is None else _round(scores[columns[position]]))
            for position in positions
        )
        terms_by_class.append((label, class_terms))
    return tuple(terms_by_class)


def _indicated_classes(selector: TermSelector, columns: Ints) -> Ints:
    """Return, for each of the columns, the number of the class that its term indicates, or -1 if it indicates none.

    This is the class with the highest of the scores above 0 that `_class_scores` yields; of equal scores, the first.
    """
    best_scores, class_numbers = np.zeros(len(columns)), np.full(len(columns), -1, np.int64)
    for number, all_scores in enumerate(_class_scores(selector)):
        scores = all_scores[columns]
        is_better = scores > best_scores
        best_scores[is_better], class_numbers[is_better] = scores[is_better], number
    return class_numbers


def _class_scores(selector: TermSelector) -> Iterator[Floats]:
    """Yield an array for each class: the score of each term for the class alone, or 0 if it has none.

    For a selector whose terms depend on their number, this is not a score but the number of documents of the class that
    have the term, or 0 if the term is not more frequent in the class than overall.
    """
    stats = selector.stats_
    if selector.depends_on_k:
        for number in range(len(stats.classes)):
            yield np.where(stats.favours(number), stats.class_doc_freq(number), 0.0)
        return
    for columns, scores in selector.best_by_class(stats.n_terms):
        all_scores = np.zeros(stats.n_terms)
        all_scores[columns] = scores
        yield all_scores


def _round(score: float) -> float | None:
    """Round a score to six significant digits; return None if it is not finite."""
    return float(f"{score:.6g}") if np.isfinite(score) else None
