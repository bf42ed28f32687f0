"""Slow twins of the scores: their formulas, in fractions with fifty digits, one term and one class at a time."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

Rows = Sequence[Sequence[float]]
LabelSets = Sequence[Iterable[Hashable]]
Scores = list[Fraction]


def pairs_of(rows: Rows, label_sets: LabelSets) -> list[tuple[Sequence[float], Hashable]]:
    """Return the (row, label) pairs; a document counts once for each of its classes."""
    return [(row, label) for row, labels in zip(rows, label_sets, strict=True) for label in set(labels)]


def classes_of(label_sets: LabelSets) -> list[Hashable]:
    """Return the classes, sorted."""
    return sorted({label for labels in label_sets for label in labels})  # type: ignore[type-var]


def log2(value: Fraction) -> Fraction:
    """Return the binary logarithm to fifty digits."""
    with localcontext(prec=50):
        return Fraction((Decimal(value.numerator) / Decimal(value.denominator)).ln() / Decimal(2).ln())


def entropy(counts: Sequence[int]) -> Fraction:
    """Return the entropy H of a distribution given by counts, in bits."""
    n = sum(counts)
    return -sum((Fraction(count, n) * log2(Fraction(count, n)) for count in counts if count), Fraction(0))


def class_entropy(label_sets: LabelSets) -> Fraction:
    """Return H(C), the entropy of the class."""
    labels = [label for document_labels in label_sets for label in set(document_labels)]
    return entropy([labels.count(label) for label in classes_of(label_sets)]) if labels else Fraction(0)


def joint_information_gain(rows: Rows, label_sets: LabelSets) -> Scores:
    """Return H(C) - P(t) H(C|t) - P(not t) H(C|not t) for each term."""
    pairs, classes = pairs_of(rows, label_sets), classes_of(label_sets)
    scores = []
    for term in range(len(rows[0])):
        score = class_entropy(label_sets)
        for present in (True, False):
            labels = [label for row, label in pairs if (row[term] != 0) == present]
            if labels:
                score -= Fraction(len(labels), len(pairs)) * entropy([labels.count(label) for label in classes])
        scores.append(score)
    return scores


def four_counts(rows: Rows, label_sets: LabelSets, class_label: Hashable, term: int) -> tuple[int, int, int, int]:
    """Return A, B, C, D of a class and a term."""
    counts = {(inside, has): 0 for inside in (True, False) for has in (True, False)}
    for row, label in pairs_of(rows, label_sets):
        counts[label == class_label, row[term] != 0] += 1
    return counts[True, True], counts[False, True], counts[True, False], counts[False, False]


def information_gain_of_cell(a: int, b: int, c: int, d: int) -> Fraction:
    """Return the sum over {class, other} x {term, no term} of P log2(P / PP)."""
    n = a + b + c + d
    score = Fraction(0)
    for count, row, column in ((a, a + b, a + c), (b, a + b, b + d), (c, c + d, a + c), (d, c + d, b + d)):
        if count:
            score += Fraction(count, n) * log2(Fraction(count * n, row * column))
    return score


def chi_square_of_cell(a: int, b: int, c: int, d: int) -> Fraction:
    """Return n (AD - CB)^2 / ((A+C)(B+D)(A+B)(C+D)), or 0 if the denominator is 0."""
    denominator = (a + c) * (b + d) * (a + b) * (c + d)
    return Fraction((a + b + c + d) * (a * d - c * b) ** 2, denominator) if denominator else Fraction(0)


def mutual_information_of_cell(a: int, b: int, c: int, d: int) -> Fraction:
    """Return log2 P(t,c) / (P(t) P(c)), or 0 if the term never occurs in the class."""
    return log2(Fraction(a * (a + b + c + d), (a + b) * (a + c))) if a else Fraction(0)


CELLS: dict[str, Callable[[int, int, int, int], Fraction]] = {
    "InformationGain": information_gain_of_cell,
    "ChiSquare": chi_square_of_cell,
    "MutualInformation": mutual_information_of_cell,
}


def class_scores(method: str, rows: Rows, label_sets: LabelSets) -> list[Scores]:
    """Return the scores of a method, one list per class."""
    return [
        [CELLS[method](*four_counts(rows, label_sets, label, term)) for term in range(len(rows[0]))]
        for label in classes_of(label_sets)
    ]


def pooled(method: str, pooling: str, rows: Rows, label_sets: LabelSets) -> Scores:
    """Return one score per term: the mean over classes, weighted by class probability, or the maximum."""
    columns = list(zip(*class_scores(method, rows, label_sets), strict=True))
    if pooling != "mean":
        return [max(column) for column in columns]
    labels = [label for _, label in pairs_of(rows, label_sets)]
    shares = [Fraction(labels.count(label), len(labels)) for label in classes_of(label_sets)]
    return [
        sum((share * score for share, score in zip(shares, column, strict=True)), Fraction(0)) for column in columns
    ]


def round_robin(scores_by_class: Sequence[Sequence[float]], k: int) -> list[int]:
    """Return k terms; classes take turns, and each takes its best remaining term (of equals, the lower column)."""
    remaining = set(range(len(scores_by_class[0])))
    ranking: list[int] = []
    while len(ranking) < k:
        for scores in scores_by_class:
            if len(ranking) < k:
                best = min(remaining, key=lambda term: (-scores[term], term))
                remaining.remove(best)
                ranking.append(best)
    return ranking


def centroid_scatter(rows: Rows, label_sets: LabelSets) -> Scores:
    """Return the scores of OCFS: the sum over classes of (n_j / n)(m_j - m)^2, over (document, class) pairs."""
    pairs, classes = pairs_of(rows, label_sets), classes_of(label_sets)
    scores = []
    for term in range(len(rows[0])):
        values = [(Fraction(row[term]), label) for row, label in pairs]
        mean = sum((value for value, _ in values), Fraction(0)) / max(len(values), 1)
        score = Fraction(0)
        for class_label in classes:
            class_values = [value for value, label in values if label == class_label]
            class_mean = sum(class_values, Fraction(0)) / len(class_values)
            score += Fraction(len(class_values), len(values)) * (class_mean - mean) ** 2
        scores.append(score)
    return scores
