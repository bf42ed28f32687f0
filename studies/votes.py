"""Why the vote of linear members is not linear, and how much members differ, for `subspace`.

The mean of the members' scores is one linear function of all terms: its weights are the means of theirs. A majority
vote counts each member once, however far it is from its boundary, so its boundary consists of pieces of theirs. Both
are measured with the same members on the same splits.

The diversity of two members is the number of important terms that only one of them has, |I1 ∪ I2| - |I1 ∩ I2|. If Q
terms are important, it is 2 Q (M/n) (1 - M/n) in the mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from textsieve.classifiers import LinearSVM

from .documents import Collection
from .ensembles import ENSEMBLE_C
from .measurements import Estimate, Measurement, ReportStep, Scope, group_by
from .random_splits import N_TERMS, SEED, Preparation, Rows, mean_over_splits, prepared_splits

Votes = NDArray[np.int64]


class Outcome(NamedTuple):
    """What an ensemble guesses on a split by votes and by the mean of scores, and the correct classes."""

    by_vote: Votes
    by_mean: Votes
    correct: Votes


FIGURES: dict[str, Callable[[Outcome], float]] = {
    "vote": lambda outcome: float(np.mean(outcome.by_vote == outcome.correct)),
    "mean": lambda outcome: float(np.mean(outcome.by_mean == outcome.correct)),
    "other": lambda outcome: float(np.mean(outcome.by_vote != outcome.by_mean)),
}
"""The accuracy of votes and of the mean of scores, and the share of texts on which the two differ."""


@dataclass(frozen=True)
class VoteAndMean(Measurement):
    """A figure of votes and means of scores, in percent: the mean over splits."""

    collection: Collection
    preparation: Preparation
    n_terms: int
    n_members: int
    figure: str
    """A key of `FIGURES`."""
    repeats: int = 5

    @classmethod
    def measure_all(
        cls, requested: Sequence[Self], scope: Scope, report_step: ReportStep
    ) -> Iterator[tuple[Self, Estimate]]:
        """Train each ensemble once for all figures."""
        groups = group_by(requested, "collection", "preparation", "n_terms", "n_members", "repeats")
        for (collection, preparation, n_terms, n_members, repeats), group in groups.items():
            report_step(f"{collection.corpus}: votes and means of {n_terms:,} terms")
            splits = prepared_splits(collection, preparation, repeats, scope)
            outcomes = [train_members(rows, n_terms, n_members) for rows in splits]
            for measurement in group:
                yield measurement, mean_over_splits(map(FIGURES[measurement.figure], outcomes))


def train_members(rows: Rows, n_terms: int, n_members: int) -> Outcome:
    """Return what an ensemble on random terms guesses; a class with equally many votes as an earlier one loses."""
    random = np.random.default_rng(SEED)
    n_classes = int(rows.train_numbers.max()) + 1
    n_texts, n_columns = rows.test.shape
    votes, scores = np.zeros((n_texts, n_classes)), np.zeros((n_texts, n_classes))
    for _ in range(n_members):
        columns = np.sort(random.permutation(n_columns)[:n_terms])
        member = LinearSVM(C=ENSEMBLE_C).fit(rows.train[:, columns], rows.train_numbers)
        own_scores = member.decision_function(rows.test[:, columns])
        scores[:, member.classes_] += own_scores
        votes[np.arange(n_texts), member.classes_[own_scores.argmax(axis=1)]] += 1
    return Outcome(votes.argmax(axis=1), scores.argmax(axis=1), rows.test_numbers)


@dataclass(frozen=True)
class Diversity(Measurement):
    """The diversity of pairs of members that draw M of 5,000 terms, of which Q are important: mean, least, greatest."""

    n_terms: int
    n_important: int
    figure: str = "mean"
    """A key of `OF_PAIRS`, or "expected" for the mean by the formula."""
    n_members: int = 400

    @classmethod
    def measure_all(
        cls, requested: Sequence[Self], scope: Scope, report_step: ReportStep
    ) -> Iterator[tuple[Self, Estimate]]:
        """Draw terms for each member; the first Q of all terms are important."""
        report_step("diversity of members")
        for measurement in requested:
            if measurement.figure == "expected":
                yield measurement, Estimate(measurement._expected())
            else:
                yield measurement, Estimate(float(OF_PAIRS[measurement.figure](measurement._of_all_pairs())))

    def _expected(self) -> float:
        """Return the mean diversity of two members by the formula."""
        share = self.n_terms / N_TERMS
        return 2.0 * self.n_important * share * (1.0 - share)

    def _of_all_pairs(self) -> list[int]:
        """Return the diversity of each pair of drawn members."""
        random = np.random.default_rng(SEED)
        has_term = np.zeros((self.n_members, self.n_important), np.bool_)
        for member in has_term:
            drawn = random.permutation(N_TERMS)[: self.n_terms]
            member[drawn[drawn < self.n_important]] = True
        pairs = combinations(range(self.n_members), 2)
        return [int(np.count_nonzero(has_term[first] != has_term[second])) for first, second in pairs]


OF_PAIRS: dict[str, Callable[[list[int]], float]] = {"mean": fmean, "least": min, "greatest": max}
"""Figures of the diversities of all pairs."""
