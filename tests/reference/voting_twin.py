"""Slow twins of TCFP and k-NNFP: the formulas over dense rows, with exact fractions where rounding matters."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

Row = Sequence[float]
Labels = Sequence[Sequence[int]]


def ratios(rows: Sequence[Row], labels: Labels, n_classes: int) -> list[list[float]]:
    """Return r(c, t) (terms x classes): the class's share of the weights that are at least the mean."""
    labelled = [(row, own) for row, own in zip(rows, labels, strict=True) if own]
    shares_by_term = []
    for term in range(len(rows[0])):
        having = [(Fraction(row[term]), own) for row, own in labelled if row[term] != 0]
        shares = [Fraction(0)] * n_classes
        if having:
            mean = sum(weight for weight, _ in having) / len(having)
            voters = [(weight, number) for weight, own in having if weight >= mean for number in own]
            total = sum(weight for weight, _ in voters)
            for weight, number in voters:
                shares[number] += weight / total
        shares_by_term.append([float(share) for share in shares])
    return shares_by_term


def balance(labels: Labels, n_classes: int) -> list[float]:
    """Return the size of the largest class / the size of each class."""
    sizes = [sum(number in own for own in labels) for number in range(n_classes)]
    return [max(sizes) / size if size else 1.0 for size in sizes]


def factors(rows: Sequence[Row], labels: Labels, n_classes: int, min_co: int = 1) -> dict[tuple[int, int], float]:
    """Return f(t, u) of all pairs of terms that occur together, in both orders."""
    in_class = {}
    for t, u in combinations(range(len(rows[0])), 2):
        in_class[t, u] = [
            sum(row[t] != 0 and row[u] != 0 and number in own for row, own in zip(rows, labels, strict=True))
            for number in range(n_classes)
        ]
    max_co = max((max(counts) for counts in in_class.values()), default=0)
    by_pair = {}
    for (t, u), counts in in_class.items():
        co, cf = max(counts), sum(count > 0 for count in counts)
        if co >= min_co:
            factor = 1 / (1 + math.log(cf)) * (1 + math.log(co)) / (1 + math.log(max_co))
            by_pair[t, u] = by_pair[u, t] = factor
    return by_pair


def in_context(row: Row, of_pair: dict[tuple[int, int], float], context: str | None) -> list[float]:
    """Return tw(t, d) of each term."""
    there = [term for term, weight in enumerate(row) if weight != 0]
    weights = []
    for term, weight in enumerate(row):
        own = [of_pair[term, other] for other in there if other != term and (term, other) in of_pair]
        factor = 0.0
        if context == "best" and own:
            factor = max(own)
        if context == "mean" and own:
            factor = math.fsum(own) / len(own)
        weights.append(weight * (1 + factor))
    return weights


def votes(row: Row, of_term: Sequence[Sequence[float]]) -> list[float]:
    """Return the sum of weights x ratios for each class."""
    n_classes = len(of_term[0])
    return [math.fsum(weight * of_term[term][number] for term, weight in enumerate(row)) for number in range(n_classes)]


def nearest_votes(rows: Sequence[Row], labels: Labels, n_classes: int, k: int, query: Row) -> list[list[int]]:
    """Return the votes of each term of the query (terms x classes); of equally near documents, the lower votes."""
    votes_by_term = []
    for term, weight in enumerate(query):
        counts = [0] * n_classes
        if weight != 0:
            having = [
                (abs(Fraction(row[term]) - Fraction(weight)), document)
                for document, row in enumerate(rows)
                if row[term] != 0 and labels[document]
            ]
            for _, document in sorted(having)[:k]:
                for number in labels[document]:
                    counts[number] += 1
        votes_by_term.append(counts)
    return votes_by_term
