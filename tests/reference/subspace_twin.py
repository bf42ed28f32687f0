"""Slow twins of the theory: probabilities as fractions, by all draws and by simulation; loops over pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray


def ratio(n: int, m: int, q: int, j: int) -> Fraction:
    """Return C(n-q, m-j) / C(n, m), as a product with a factor for each important term."""
    if not 0 <= m - j <= n - q:
        return Fraction(0)
    above = math.perm(m, j) * math.perm(n - m, q - j)
    return Fraction(above, math.perm(n, q))


def usability(n: int, m: int, members: int, q: int) -> Fraction:
    """Return the probability that every member has an important term."""
    return (1 - ratio(n, m, q, 0)) ** members


def coverage(n: int, m: int, members: int, q: int) -> Fraction:
    """Return the paper's coverage, which treats terms as independent."""
    return (1 - (1 - Fraction(m, n)) ** members) ** q


def same(n: int, m: int, q: int) -> Fraction:
    """Return the probability that two members have the same important terms."""
    possible = range(max(0, m + q - n), min(q, m) + 1)
    alike = sum(math.comb(q, j) * (math.perm(m, j) * math.perm(n - m, q - j)) ** 2 for j in possible)
    return Fraction(alike, math.perm(n, q) ** 2)


def diversity(n: int, m: int, members: int, q: int) -> Fraction:
    """Return the paper's diversity, corrected; it treats pairs of members as independent."""
    return (1 - same(n, m, q)) ** (members * (members - 1) // 2)


def printed_sum(n: int, m: int, q: int) -> Fraction:
    """Return `same` as the paper prints it: the denominator is not squared, and j starts at 1."""
    return sum(
        (Fraction(math.comb(q, j) * math.comb(n - q, m - j) ** 2, math.comb(n, m)) for j in range(1, min(q, m) + 1)),
        Fraction(0),
    )


def true_coverage(n: int, m: int, members: int, q: int) -> Fraction:
    """Return the true coverage, by inclusion and exclusion over the terms that are missed."""
    return sum(
        ((-1) ** k * math.comb(q, k) * ratio(n, m, k, 0) ** members for k in range(q + 1)),
        Fraction(0),
    )


def true_diversity(n: int, m: int, members: int, q: int) -> Fraction:
    """Return the true diversity: members! x the sum over sets of distinct outcomes of their probability products."""
    sums = [Fraction(1)] + [Fraction(0)] * members
    for j in range(q + 1):
        probability = ratio(n, m, q, j)
        powers = [math.comb(math.comb(q, j), k) * probability**k for k in range(members + 1)]
        sums = [sum((sums[at - k] * powers[k] for k in range(at + 1)), Fraction(0)) for at in range(members + 1)]
    return math.factorial(members) * sums[members]


def tried(n: int, m: int, members: int, q: int) -> tuple[Fraction, Fraction, Fraction]:
    """Return the true usability, coverage and diversity, by trying all draws; terms 0 to q-1 are important."""
    subsets = [frozenset(drawn) & frozenset(range(q)) for drawn in combinations(range(n), m)]
    counts = [0, 0, 0]
    for drawn in product(subsets, repeat=members):
        counts[0] += all(drawn)
        counts[1] += len(frozenset().union(*drawn)) == q
        counts[2] += len(set(drawn)) == members
    total = len(subsets) ** members
    return Fraction(counts[0], total), Fraction(counts[1], total), Fraction(counts[2], total)


def drawn_at_random(n: int, m: int, members: int, q: int, *, runs: int, seed: int) -> tuple[float, float, float]:
    """Return usability, coverage and diversity as shares of `runs` simulated ensembles."""
    random = np.random.default_rng(seed)
    counts = np.zeros(3)
    for _ in range(runs):
        order = random.random((members, n)).argsort(axis=1)
        has: NDArray[np.bool_] = order[:, :q] < m  # term t is drawn if its place in the order is among the first m
        distinct = len({row.tobytes() for row in has}) == members
        counts += np.array([has.any(axis=1).all(), has.any(axis=0).all(), distinct])
    usable, covered, diverse = (counts / runs).tolist()
    return usable, covered, diverse


def best_sizes(n: int, q: int, cost: int, within: float) -> tuple[int, int]:
    """Return the cheapest size, then that with the fewest terms, whose worst probability is near the best."""
    sizes = [(m, members) for m in range(1, n + 1) for members in range(2, cost // m + 1)]
    worst = {size: worst_of(n, size[0], size[1], q) for size in sizes}
    least = max(worst.values()) * (1.0 - within)
    return min((size for size in sizes if worst[size] >= least), key=lambda size: (size[0] * size[1], size[0]))


def worst_of(n: int, m: int, members: int, q: int) -> float:
    """Return the smallest of the three probabilities."""
    alike, missed = float(same(n, m, q)), 1 - m / n
    usable = float(1 - ratio(n, m, q, 0)) ** members
    return min(usable, (1 - missed**members) ** q, (1 - alike) ** (members * (members - 1) // 2))


def pairwise(answers: Sequence[Sequence[int]], truth: Sequence[int]) -> dict[str, list[float]]:
    """Return disagreement, Yule's Q and Cohen's kappa of each pair of members; NaN where undefined."""
    measures: dict[str, list[float]] = {"disagreement": [], "q": [], "kappa": []}
    for member, other in combinations(answers, 2):
        total = len(truth)
        agreed = sum(a == b for a, b in zip(member, other, strict=True)) / total
        chance = sum(member.count(answer) * other.count(answer) for answer in set(member)) / total**2
        right = [(a == c, b == c) for a, b, c in zip(member, other, truth, strict=True)]
        both, neither = right.count((True, True)), right.count((False, False))
        first, second = right.count((True, False)), right.count((False, True))
        whole = both * neither + first * second
        measures["disagreement"].append(1 - agreed)
        measures["q"].append((both * neither - first * second) / whole if whole else math.nan)
        measures["kappa"].append((agreed - chance) / (1 - chance) if chance < 1 else math.nan)
    return measures


def fleiss(answers: Sequence[Sequence[int]]) -> float:
    """Return Fleiss's kappa of the answers of each member."""
    documents = list(zip(*answers, strict=True))
    n_members = len(answers)
    agreed = [
        sum(document.count(answer) * (document.count(answer) - 1) for answer in set(document))
        / (n_members * (n_members - 1))
        for document in documents
    ]
    every = [answer for document in documents for answer in document]
    chance = sum((every.count(answer) / len(every)) ** 2 for answer in set(every))
    return (sum(agreed) / len(agreed) - chance) / (1 - chance) if chance < 1 else math.nan
