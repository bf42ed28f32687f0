"""What the study of random subspaces finds, as values; and what can be believed of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from .subspaces_statistics import Interval, holm, interval
from .subspaces_trials import Floats, Outcome

ALPHA = 0.05
RULES: dict[str, Callable[[Outcome], Floats]] = {"vote": lambda each: each.vote, "mean": lambda each: each.mean}


class Setting(NamedTuple):
    """A weighting and a base, and what an ensemble of one size gave."""

    weighting: str
    base: str
    outcome: Outcome

    def gain(self, rule: str) -> Interval:
        """Over the single classifier."""
        return interval(RULES[rule](self.outcome) - self.outcome.single)


def adjusted(settings: list[Setting]) -> dict[tuple[int, str], float]:
    """Holm's probability of each setting (by its place) and rule, among all of them."""
    tests = [(place, rule) for place in range(len(settings)) for rule in RULES]
    found = holm([settings[place].gain(rule).p for place, rule in tests])
    return dict(zip(tests, found, strict=True))


def candidates(settings: list[Setting]) -> list[Setting]:
    """Settings whose gain by one of the rules is above 0 by its own interval: what is worth a check on fresh splits."""
    gains = [(each, each.gain(rule)) for each in settings for rule in RULES]
    return list({id(each): each for each, gain in gains if gain.mean > 0 and gain.p < ALPHA}.values())


class Differing(NamedTuple):
    """How much members of one size differ, in the mean over splits, and what theory says of their terms."""

    n_terms: int
    accuracy: float
    vote: float
    disagreement: float
    kappa: float
    q_statistic: float
    usability: float
    coverage: float
    diversity: float
