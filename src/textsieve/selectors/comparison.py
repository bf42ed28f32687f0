"""Classes compared by their mean documents: which terms set a class apart from each of the others.

The representative of a class is the mean of its documents' weights; as a document with several labels counts in each
of its classes, it is the sum of the class's weights by its number of documents. Means of documents of length 1 are
small, and smaller in classes of varied documents; divided by its largest weight (`scale="max"`) every representative
has the largest weight 1, and one ε is as strict for every class.

T(C) are the terms whose weight in the representative of C is at least ε. The row of C against another class C' marks
the terms t of T(C) with w(C, t) - w(C', t) >= δ. A class without documents has no representative and takes no part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..errors import InputError, shown
from ..kernels.contrast import contrast_rows
from ..kernels.inclusion import minimal_sets
from ..stats import ClassStats
from ..stats.sums import Floats, Ints
from .transversals import Bits, Marks, union_of_bits, unpacked

SCALES = ("max", "none")


class Representatives:
    """The weights of all terms in all representatives, where they are not 0: by class and by term."""

    def __init__(self, stats: ClassStats, scale: str) -> None:
        if not (isinstance(scale, str) and scale in SCALES):
            raise InputError(f"scale={shown(scale)}; use one of {', '.join(map(repr, SCALES))}.")
        cells, sizes = stats.cells, np.diff(stats.cells.class_starts)
        self.starts, self.terms = cells.class_starts, cells.terms
        weights = cells.sums.value / np.repeat(np.where(stats.class_docs > 0, stats.class_docs, 1), sizes)
        filled = np.flatnonzero(sizes)
        largest = np.maximum.reduceat(weights, self.starts[filled]) if len(filled) else np.zeros(0)
        divisors = np.ones(len(sizes))
        if scale == "max":
            divisors[filled] = np.where(largest > 0, largest, 1.0)
        self.weights: Floats = weights / np.repeat(divisors, sizes)
        self.with_documents: Ints = np.flatnonzero(stats.class_docs)
        self.n_classes, self.n_terms = len(sizes), stats.n_terms
        by_term = np.argsort(self.terms, kind="stable")
        self.term_starts: Ints = np.concatenate([[0], np.cumsum(np.bincount(self.terms, minlength=self.n_terms))])
        self.term_classes, self.term_weights = cells.classes()[by_term], self.weights[by_term]

    def of_class(self, number: int) -> tuple[Ints, Floats]:
        """The terms of a class, and their weights."""
        own = slice(*self.starts[number : number + 2])
        return self.terms[own], self.weights[own]

    def largest_difference(self, epsilon: float) -> float:
        """The most by which a term that weighs epsilon or more in a class weighs less in another."""
        smallest = np.zeros(self.n_terms)
        in_all = np.flatnonzero(np.diff(self.term_starts) == len(self.with_documents))
        smallest[in_all] = np.inf
        np.minimum.at(smallest, self.terms, self.weights)
        return float(np.max((self.weights - smallest[self.terms])[self.weights >= epsilon], initial=0.0))

    def largest(self) -> Floats:
        """The largest weight of each term in any representative, 0 where none is above that."""
        best = np.zeros(self.n_terms)
        np.maximum.at(best, self.terms, self.weights)
        return best


class Contrast(NamedTuple):
    """What sets one class apart from the others: rows of bits over its candidate terms."""

    number: int
    terms: Ints
    """The candidates, T(C), ascending."""
    weights: Floats
    """What they weigh in the class."""
    others: Ints
    """The classes that have a row of their own, in the order of `rows`; all others have the row `common`."""
    rows: Bits
    common: Bits
    n_common: int
    """How many classes have the common row."""

    @property
    def empty_rows(self) -> tuple[Ints, bool]:
        """The classes with a row of their own in which nothing is marked; and whether the common row is empty."""
        return self.others[~self.rows.any(axis=1)], bool(self.n_common and not self.common.any())

    @property
    def n_not_told_from(self) -> int:
        """How many classes no term sets this one apart from."""
        others, in_common = self.empty_rows
        return len(others) + in_common * self.n_common

    def not_told_from(self, with_documents: Ints) -> list[int]:
        """The classes that no term sets this one apart from, of all that have documents; ascending."""
        others, in_common = self.empty_rows
        if in_common:
            with_marks = np.append(self.others[self.rows.any(axis=1)], self.number)
            others = np.setdiff1d(with_documents, with_marks)
        return sorted(others.tolist())

    def basic(self) -> Bits:
        """The rows that contain no other row, the shortest first, without empty ones."""
        rows = self._with_marks()
        return np.asarray(rows[minimal_sets(rows)])

    def _with_marks(self) -> Bits:
        """The rows that are not empty, equal ones as often as they are kept."""
        rows = np.concatenate([self.rows, self.common[None]]) if self.n_common else self.rows
        return np.asarray(rows[rows.any(axis=1)])

    def basic_matrix(self) -> Marks:
        """The same as a matrix of yes and no, its columns the candidates."""
        return unpacked(self.basic(), len(self.terms))

    def chosen(self) -> Ints:
        """The terms that are in some typical testor: those of the minimal rows."""
        any_row = union_of_bits(self._with_marks())
        return np.asarray(self.terms[unpacked(any_row[None], len(self.terms))[0]])

    def matrix(self, classes: Ints, n_classes: int, n_terms: int) -> sparse.csr_array:
        """One row for each class, in the order of the classes, all terms as columns; the class's own row is empty."""
        own = dict(zip(self.others.tolist(), self.rows, strict=True))
        marks = [np.zeros(0, np.int64)] * n_classes
        for other in classes.tolist():
            if other != self.number:
                row = own.get(other, self.common)
                marks[other] = self.terms[unpacked(row[None], len(self.terms))[0]]
        starts = np.concatenate([[0], np.cumsum([len(each) for each in marks])])
        columns = np.concatenate(marks)
        return sparse.csr_array((np.ones(len(columns), np.bool_), columns, starts), shape=(n_classes, n_terms))


def contrast(given: Representatives, number: int, epsilon: float, delta: float) -> Contrast:
    """The rows of one class against all others."""
    terms, weights = given.of_class(number)
    kept = weights >= epsilon
    terms, weights = terms[kept], weights[kept]
    others, rows = contrast_rows(
        *(terms, weights, number, given.term_starts, given.term_classes, given.term_weights, delta, given.n_classes)
    )
    return Contrast(number, terms, weights, others, rows[:-1], rows[-1], len(given.with_documents) - 1 - len(others))


def contrasts(given: Representatives, epsilon: float, delta: float) -> Iterator[Contrast]:
    """The rows of each class that has documents."""
    return (contrast(given, int(number), epsilon, delta) for number in given.with_documents)


def chosen_terms(given: Representatives, epsilon: float, delta: float) -> Marks:
    """Which terms are in some typical testor of some class."""
    chosen = np.zeros(given.n_terms, np.bool_)
    for each in contrasts(given, epsilon, delta):
        chosen[each.chosen()] = True
    return chosen


class Threshold(NamedTuple):
    """The ε that was found, and the smallest weight that was looked at on the way."""

    epsilon: float
    least_tried: float


def epsilon_for(given: Representatives, delta: float, k: int) -> Threshold:
    """The ε that gives k terms or the next fewer, found by bisection over the weights that there are.

    ε matters only as the least weight that it lets through. As it falls, candidates come, and as a rule chosen terms
    with them; but an empty row is dropped, and when it is one no longer, a row that contains it may be minimal no more
    and take its terms along. So the number of terms may fall here and there, and the search finds one place where it
    passes k. It goes from the largest weight down by steps of 1, 2, 4, ..., until there are more than k terms, and
    halves what lies between; so it does not depend on the many small weights, which it never looks at. Of all weights
    that it tried and whose terms are not more than k, the one with most terms is taken, of equals the smallest weight.
    If there are more than k even at the largest weight, it is that; and if none of the weights that fit gives any
    term, the next smaller weight. In both cases there are more than k, and it is for the ranking to choose.
    """
    weights = np.unique(given.weights[given.weights > 0])
    tried: dict[int, int] = {}

    def fits(place: int) -> bool:
        tried[place] = int(chosen_terms(given, float(weights[place]), delta).sum())
        return tried[place] <= k

    too_many, enough = _passing(len(weights) - 1, fits)
    while enough - too_many > 1 and too_many >= 0:
        middle = (too_many + enough) // 2
        if fits(middle):
            enough = middle
        else:
            too_many = middle
    fitting = [place for place, size in tried.items() if size <= k]
    best = max(fitting, key=lambda place: (tried[place], -place), default=enough)
    found = best if tried[best] or too_many < 0 else too_many
    return Threshold(float(weights[found]), float(weights[min(tried)]))


def _passing(last: int, fits: Callable[[int], bool]) -> tuple[int, int]:
    """From the last place down by growing steps: a place that does not fit, -1 if there is none, and one that does."""
    if not fits(last):
        return -1, last
    enough, step = last, 1
    while enough > 0:
        place = max(enough - step, 0)
        if not fits(place):
            return place, enough
        enough, step = place, 2 * step
    return -1, enough


class Comparison(Mapping[Any, sparse.csr_array]):
    """The rows of each class, by label, made when asked for: row j is against class j, columns are all terms."""

    def __init__(self, given: Representatives, classes: tuple[Any, ...], epsilon: float, delta: float) -> None:
        self._given, self._epsilon, self._delta = given, epsilon, delta
        self._numbers = {classes[number]: int(number) for number in given.with_documents}

    def __getitem__(self, label: Any) -> sparse.csr_array:
        """The rows of a class."""
        found = contrast(self._given, self._numbers[label], self._epsilon, self._delta)
        return found.matrix(self._given.with_documents, self._given.n_classes, self._given.n_terms)

    def __iter__(self) -> Iterator[Any]:
        """The classes that have documents."""
        return iter(self._numbers)

    def __len__(self) -> int:
        """How many they are."""
        return len(self._numbers)
