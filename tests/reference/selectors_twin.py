"""The scores by the letter of their formulas, in fractions and fifty digits, one term and one class at a time."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

Rows = Sequence[Sequence[float]]
LabelSets = Sequence[Iterable[Hashable]]
Scores = list[Fraction]


def pairs_of(rows: Rows, label_sets: LabelSets) -> list[tuple[Sequence[float], Hashable]]:
    """A document counts once for each of its classes."""
    return [(row, label) for row, labels in zip(rows, label_sets, strict=True) for label in set(labels)]


def classes_of(label_sets: LabelSets) -> list[Hashable]:
    """The classes, sorted."""
    return sorted({label for labels in label_sets for label in labels})  # type: ignore[type-var]


def log2(value: Fraction) -> Fraction:
    """The binary logarithm to fifty digits."""
    with localcontext(prec=50):
        return Fraction((Decimal(value.numerator) / Decimal(value.denominator)).ln() / Decimal(2).ln())


def entropy(counts: Sequence[int]) -> Fraction:
    """H of a distribution given by counts, in bits."""
    n = sum(counts)
    return -sum((Fraction(count, n) * log2(Fraction(count, n)) for count in counts if count), Fraction(0))


def class_entropy(label_sets: LabelSets) -> Fraction:
    """H(C)."""
    labels = [label for of_document in label_sets for label in set(of_document)]
    return entropy([labels.count(label) for label in classes_of(label_sets)]) if labels else Fraction(0)


def joint_information_gain(rows: Rows, label_sets: LabelSets) -> Scores:
    """H(C) - P(t) H(C|t) - P(not t) H(C|not t)."""
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


def four_counts(rows: Rows, label_sets: LabelSets, wanted: Hashable, term: int) -> tuple[int, int, int, int]:
    """A, B, C, D of a class and a term."""
    counts = {(inside, has): 0 for inside in (True, False) for has in (True, False)}
    for row, label in pairs_of(rows, label_sets):
        counts[label == wanted, row[term] != 0] += 1
    return counts[True, True], counts[False, True], counts[True, False], counts[False, False]


def information_gain_of_cell(a: int, b: int, c: int, d: int) -> Fraction:
    """The sum over {class, other} x {term, no term} of P log2(P / PP)."""
    n = a + b + c + d
    score = Fraction(0)
    for count, row, column in ((a, a + b, a + c), (b, a + b, b + d), (c, c + d, a + c), (d, c + d, b + d)):
        if count:
            score += Fraction(count, n) * log2(Fraction(count * n, row * column))
    return score


def chi_square_of_cell(a: int, b: int, c: int, d: int) -> Fraction:
    """The statistic n (AD - CB)^2 / ((A+C)(B+D)(A+B)(C+D)), 0 where that is 0/0."""
    below = (a + c) * (b + d) * (a + b) * (c + d)
    return Fraction((a + b + c + d) * (a * d - c * b) ** 2, below) if below else Fraction(0)


def mutual_information_of_cell(a: int, b: int, c: int, d: int) -> Fraction:
    """The binary logarithm of P(t,c) / (P(t) P(c)), 0 where they never meet."""
    return log2(Fraction(a * (a + b + c + d), (a + b) * (a + c))) if a else Fraction(0)


CELLS: dict[str, Callable[[int, int, int, int], Fraction]] = {
    "InformationGain": information_gain_of_cell,
    "ChiSquare": chi_square_of_cell,
    "MutualInformation": mutual_information_of_cell,
}


def class_scores(method: str, rows: Rows, label_sets: LabelSets) -> list[Scores]:
    """The scores of a method, a row a class."""
    return [
        [CELLS[method](*four_counts(rows, label_sets, wanted, term)) for term in range(len(rows[0]))]
        for wanted in classes_of(label_sets)
    ]


def pooled(method: str, pooling: str, rows: Rows, label_sets: LabelSets) -> Scores:
    """One score per term: the mean weighted by class probability, or the best."""
    of_classes = class_scores(method, rows, label_sets)
    columns = list(zip(*of_classes, strict=True))
    if pooling != "mean":
        return [max(column) for column in columns]
    labels = [label for _, label in pairs_of(rows, label_sets)]
    shares = [Fraction(labels.count(label), len(labels)) for label in classes_of(label_sets)]
    return [
        sum((share * score for share, score in zip(shares, column, strict=True)), Fraction(0)) for column in columns
    ]


def turns(of_classes: Sequence[Sequence[float]], k: int) -> list[int]:
    """The classes take turns; each takes its best term that is left, the lower column of equals."""
    left = set(range(len(of_classes[0])))
    taken: list[int] = []
    while len(taken) < k:
        for scores in of_classes:
            if len(taken) < k:
                best = min(left, key=lambda term: (-scores[term], term))
                left.remove(best)
                taken.append(best)
    return taken


def centroid_scatter(rows: Rows, label_sets: LabelSets) -> Scores:
    """OCFS: the sum over classes of (n_j / n)(m_j - m)^2, over pairs of document and class."""
    pairs, classes = pairs_of(rows, label_sets), classes_of(label_sets)
    scores = []
    for term in range(len(rows[0])):
        values = [(Fraction(row[term]), label) for row, label in pairs]
        mean = sum((value for value, _ in values), Fraction(0)) / max(len(values), 1)
        score = Fraction(0)
        for wanted in classes:
            of_class = [value for value, label in values if label == wanted]
            class_mean = sum(of_class, Fraction(0)) / len(of_class)
            score += Fraction(len(of_class), len(values)) * (class_mean - mean) ** 2
        scores.append(score)
    return scores
