"""Compare classes by their mean documents: find the terms that distinguish a class from each of the others.

The representative of a class is the mean of its documents' weights. A multilabel document counts in each of its
classes, so the representative is the sum of the class's weights divided by its number of documents. Means of documents
of length 1 are small, and smaller in classes of varied documents. With `scale="max"` each representative is divided by
its largest weight. Its largest weight is then 1, and the same ε is equally strict for all classes.

T(C) is the set of terms whose weight in the representative of C is at least ε. The row of C against another class C'
marks the terms t of T(C) with w(C, t) - w(C', t) >= δ. A class without documents has no representative and is ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ...arrays import Floats, Ints
from ...errors import InputError
from ...kernels.hitting_sets import contrast_rows, minimal_sets
from ...stats import ClassStats
from .transversals import Bits, Marks, union_of_bits, unpacked

SCALES = ("max", "none")


class Representatives:
    """The nonzero weights of all terms in all representatives, indexed by class and by term."""

    def __init__(self, stats: ClassStats, scale: str) -> None:
        if not (isinstance(scale, str) and scale in SCALES):
            raise InputError(setting="scale", value=scale, allowed=SCALES)
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
        """Return the terms of a class and their weights."""
        cells = slice(*self.starts[number : number + 2])
        return self.terms[cells], self.weights[cells]

    def largest_difference(self, epsilon: float) -> float:
        """Return the largest difference between the weights of a term in two classes.

        Only terms that weigh at least epsilon in the first class count.
        """
        smallest = np.zeros(self.n_terms)
        in_all = np.flatnonzero(np.diff(self.term_starts) == len(self.with_documents))
        smallest[in_all] = np.inf
        np.minimum.at(smallest, self.terms, self.weights)
        return float(np.max((self.weights - smallest[self.terms])[self.weights >= epsilon], initial=0.0))

    def largest(self) -> Floats:
        """Return the largest weight of each term in any representative, or 0 if none is positive."""
        best = np.zeros(self.n_terms)
        np.maximum.at(best, self.terms, self.weights)
        return best


class Contrast(NamedTuple):
    """The rows of one class against the others, as bits over its candidate terms."""

    number: int
    terms: Ints
    """The candidates, T(C), ascending."""
    weights: Floats
    """The weights of the candidates in the class."""
    others: Ints
    """The classes that have a row of their own, in the order of `rows`; all other classes have the row `common`."""
    rows: Bits
    common: Bits
    n_common: int
    """The number of classes with the common row."""

    @property
    def empty_rows(self) -> tuple[Ints, bool]:
        """Return the classes whose own row is empty, and whether the common row is empty."""
        return self.others[~self.rows.any(axis=1)], bool(self.n_common and not self.common.any())

    @property
    def n_not_told_from(self) -> int:
        """Return the number of classes that no term distinguishes this one from."""
        others, in_common = self.empty_rows
        return len(others) + in_common * self.n_common

    def not_told_from(self, with_documents: Ints) -> list[int]:
        """Return the classes with documents that no term distinguishes this one from, ascending."""
        others, in_common = self.empty_rows
        if in_common:
            told_apart = np.append(self.others[self.rows.any(axis=1)], self.number)
            others = np.setdiff1d(with_documents, told_apart)
        return sorted(others.tolist())

    def basic(self) -> Bits:
        """Return the nonempty rows that contain no other row, the shortest first."""
        rows = self._with_marks()
        return np.asarray(rows[minimal_sets(rows)])

    def _with_marks(self) -> Bits:
        """Return the nonempty rows, including duplicates."""
        rows = np.concatenate([self.rows, self.common[None]]) if self.n_common else self.rows
        return np.asarray(rows[rows.any(axis=1)])

    def basic_matrix(self) -> Marks:
        """Return the rows of `basic` as a boolean matrix whose columns are the candidates."""
        return unpacked(self.basic(), len(self.terms))

    def chosen(self) -> Ints:
        """Return the terms that are in some typical testor, which are those of the minimal rows."""
        any_row = union_of_bits(self._with_marks())
        return np.asarray(self.terms[unpacked(any_row[None], len(self.terms))[0]])

    def matrix(self, classes: Ints, n_classes: int, n_terms: int) -> sparse.csr_array:
        """Return a matrix with one row per class, in class order, and all terms as columns.

        The row of the class itself is empty.
        """
        row_of_class = dict(zip(self.others.tolist(), self.rows, strict=True))
        columns_by_class = [np.zeros(0, np.int64)] * n_classes
        for other in classes.tolist():
            if other != self.number:
                row = row_of_class.get(other, self.common)
                columns_by_class[other] = self.terms[unpacked(row[None], len(self.terms))[0]]
        starts = np.concatenate([[0], np.cumsum([len(marked) for marked in columns_by_class])])
        all_columns = np.concatenate(columns_by_class)
        return sparse.csr_array((np.ones(len(all_columns), np.bool_), all_columns, starts), shape=(n_classes, n_terms))


def contrast(given: Representatives, number: int, epsilon: float, delta: float) -> Contrast:
    """Return the rows of one class against all others."""
    terms, weights = given.of_class(number)
    is_candidate = weights >= epsilon
    terms, weights = terms[is_candidate], weights[is_candidate]
    others, rows = contrast_rows(
        *(terms, weights, number, given.term_starts, given.term_classes, given.term_weights, delta, given.n_classes)
    )
    return Contrast(number, terms, weights, others, rows[:-1], rows[-1], len(given.with_documents) - 1 - len(others))


def contrasts(given: Representatives, epsilon: float, delta: float) -> Iterator[Contrast]:
    """Return an iterator over the rows of each class that has documents."""
    return (contrast(given, int(number), epsilon, delta) for number in given.with_documents)


def chosen_terms(given: Representatives, epsilon: float, delta: float) -> Marks:
    """Return a mask of the terms that are in some typical testor of some class."""
    is_chosen = np.zeros(given.n_terms, np.bool_)
    for class_contrast in contrasts(given, epsilon, delta):
        is_chosen[class_contrast.chosen()] = True
    return is_chosen


class Threshold(NamedTuple):
    """The ε that was found, and the smallest weight that was tried during the search."""

    epsilon: float
    least_tried: float


def epsilon_for(given: Representatives, delta: float, k: int) -> Threshold:
    """Return the ε that selects k terms, or the next smaller number, found by bisection over the occurring weights.

    ε matters only through the smallest weight that passes it. As ε decreases, candidates are added, and usually
    selected terms with them. But empty rows are dropped, and when a row is no longer empty, a row that contains it may
    no longer be minimal, and its terms are lost. So the number of terms can decrease in places, and the search finds
    one place where it crosses k. The search goes down from the largest weight in steps of 1, 2, 4, ... until there are
    more than k terms, then bisects the last interval. So it never visits the many small weights and does not depend on
    them. Among the weights tried that select at most k terms, the result is the one that selects most, and of equals
    the smallest weight. If even the largest weight selects more than k terms, it is the result. If all weights that fit
    select no term, the result is the next smaller weight. In both cases there are more than k terms, and the ranking
    decides which to keep.
    """
    weights = np.unique(given.weights[given.weights > 0])
    n_terms_at: dict[int, int] = {}

    def fits(place: int) -> bool:
        n_terms_at[place] = int(chosen_terms(given, float(weights[place]), delta).sum())
        return n_terms_at[place] <= k

    too_many, enough = _passing(len(weights) - 1, fits)
    while enough - too_many > 1 and too_many >= 0:
        middle = (too_many + enough) // 2
        if fits(middle):
            enough = middle
        else:
            too_many = middle
    fitting = [place for place, size in n_terms_at.items() if size <= k]
    best = max(fitting, key=lambda place: (n_terms_at[place], -place), default=enough)
    position = best if n_terms_at[best] or too_many < 0 else too_many
    return Threshold(float(weights[position]), float(weights[min(n_terms_at)]))


def _passing(last: int, fits: Callable[[int], bool]) -> tuple[int, int]:
    """Search down from the last position in growing steps for the first one that does not fit.

    Return that position, or -1 if all fit, and the last position that was found to fit.
    """
    if not fits(last):
        return -1, last
    enough, step = last, 1
    while enough > 0:
        place = max(enough - step, 0)
        if not fits(place):
            return place, enough
        enough, step = place, 2 * step
    return -1, enough


class ComparisonRows(Mapping[Any, sparse.csr_array]):
    """A lazy mapping from each class label to its rows: row j is against class j, and the columns are all terms."""

    def __init__(self, given: Representatives, classes: tuple[Any, ...], epsilon: float, delta: float) -> None:
        self._given, self._epsilon, self._delta = given, epsilon, delta
        self._numbers = {classes[number]: int(number) for number in given.with_documents}

    def __getitem__(self, label: Any) -> sparse.csr_array:
        """Return the rows of a class."""
        class_contrast = contrast(self._given, self._numbers[label], self._epsilon, self._delta)
        return class_contrast.matrix(self._given.with_documents, self._given.n_classes, self._given.n_terms)

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the classes that have documents."""
        return iter(self._numbers)

    def __len__(self) -> int:
        """Return the number of classes that have documents."""
        return len(self._numbers)
