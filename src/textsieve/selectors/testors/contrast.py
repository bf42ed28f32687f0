"""Compare classes by their mean documents: find the terms that distinguish a class from each of the others.

The *representative* of a class is its mean document: the weight of a term in it is the mean of the term's weights in
the documents of the class. A multilabel document counts in each of its classes. If documents have length 1, weights in
a representative are small, and smaller in classes of varied documents. With `scale="max"` each representative is
divided by its largest weight, which is then 1, so that the same minimum weight ε is equally strict for all classes.

Let w(C, t) be the weight of term t in the representative of class C. The *candidates* of C are the terms with
w(C, t) >= ε. The *row* of C against another class C' marks the candidates t of C with w(C, t) - w(C', t) >= δ: the
terms that distinguish C from C'. The *basic matrix* of C has those of its nonempty rows that contain no other row. A
class without documents has no representative and is ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ...arrays import Bools, Floats, Ints
from ...errors import InputError
from ...kernels.hitting_sets import contrast_rows, minimal_sets
from ...stats import ClassStats
from .transversals import Bits, union_of_minimal_rows, unpack_bits

SCALES = ("max", "none")
"""The values of the setting `scale`: divide each representative by its largest weight, or not."""


class Representatives:
    """The weights of all terms in the representatives, the mean documents of the classes.

    Only weights of terms that occur in the class are stored, and they are stored twice. Sorted by class, the terms of
    class j and their weights are at `class_starts[j]` to `class_starts[j + 1]` of `terms` and `weights`. Sorted by
    term, the classes with term t and its weights in them are at `term_starts[t]` to `term_starts[t + 1]` of
    `term_classes` and `term_weights`.
    """

    def __init__(self, stats: ClassStats, scale: str) -> None:
        if not (isinstance(scale, str) and scale in SCALES):
            raise InputError(setting="scale", value=scale, allowed=SCALES)
        cells = stats.cells  # the (class, term) pairs that occur, sorted by class
        n_class_terms = np.diff(cells.class_starts)  # the number of terms that occur in each class
        self.class_starts, self.terms = cells.class_starts, cells.terms
        class_docs = np.where(stats.class_docs > 0, stats.class_docs, 1)  # avoids a division by zero
        means = cells.sums.value / np.repeat(class_docs, n_class_terms)
        divisors = np.ones(len(n_class_terms))  # one for each class
        with_terms = np.flatnonzero(n_class_terms)
        if scale == "max" and len(with_terms):
            # `reduceat` takes the maximum from each start to the next. Classes without terms are left out, because
            # `reduceat` can't handle empty ranges.
            largest = np.maximum.reduceat(means, self.class_starts[with_terms])
            divisors[with_terms] = np.where(largest > 0, largest, 1.0)
        self.weights: Floats = means / np.repeat(divisors, n_class_terms)
        self.with_documents: Ints = np.flatnonzero(stats.class_docs)  # the classes that have documents
        self.n_classes, self.n_terms = len(n_class_terms), stats.n_terms
        by_term = np.argsort(self.terms, kind="stable")  # the pairs sorted by term, and for each term by class
        self.term_starts: Ints = np.concatenate([[0], np.cumsum(np.bincount(self.terms, minlength=self.n_terms))])
        self.term_classes, self.term_weights = cells.classes()[by_term], self.weights[by_term]

    def of_class(self, number: int) -> tuple[Ints, Floats]:
        """Return the terms of a class and their weights."""
        cells = slice(*self.class_starts[number : number + 2])
        return self.terms[cells], self.weights[cells]

    def largest_difference(self, epsilon: float) -> float:
        """Return the largest difference by which the weight of a term in one class exceeds its weight in another.

        Only terms that weigh at least epsilon in the first class count; the result is 0 if there are none.
        """
        # The smallest weight of each term in any class: 0 for a term that some class lacks. For a term of all classes,
        # start from infinity, so that `minimum.at` sets it to the smallest stored weight.
        is_in_all_classes = np.diff(self.term_starts) == len(self.with_documents)
        smallest = np.where(is_in_all_classes, np.inf, 0.0)
        np.minimum.at(smallest, self.terms, self.weights)
        differences = self.weights - smallest[self.terms]
        return float(np.max(differences[self.weights >= epsilon], initial=0.0))

    def largest_weights(self) -> Floats:
        """Return the largest weight of each term in any representative, or 0 if none is positive."""
        largest = np.zeros(self.n_terms)
        np.maximum.at(largest, self.terms, self.weights)
        return largest


class Contrast(NamedTuple):
    """The rows of one class C: the row against another class marks the terms that distinguish C from it.

    A row is a bit set of the candidates, the terms of C with a weight of at least ε. The rows against all classes that
    have none of the candidates are equal, so they are stored once (`common`), as is any other row that equals them.
    """

    number: int
    """The number of class C."""
    terms: Ints
    """The candidates, ascending."""
    weights: Floats
    """The weights of the candidates in the class."""
    others: Ints
    """The classes that have a row of their own, in the order of `rows`; all other classes have the row `common`."""
    rows: Bits
    """The row against each class of `others`."""
    common: Bits
    """The row against each class that has none of the candidates, and against classes with an equal row."""
    n_common: int
    """The number of classes with the common row."""

    @property
    def _has_empty_common_row(self) -> bool:
        """Return whether other classes have the common row and it is empty: no term tells this class from them."""
        return bool(self.n_common and not self.common.any())

    @property
    def n_indistinguishable(self) -> int:
        """Return the number of classes that no term distinguishes this one from: those with an empty row."""
        n_empty_rows = int(np.count_nonzero(~self.rows.any(axis=1)))  # without the common row
        return n_empty_rows + (self.n_common if self._has_empty_common_row else 0)

    def indistinguishable_from(self, with_documents: Ints) -> list[int]:
        """Return the classes, of those with documents, that no term distinguishes this one from, ascending."""
        has_marks = self.rows.any(axis=1)  # for each class of `others`, whether some term distinguishes it
        if self._has_empty_common_row:  # all classes but those with marks in their own row
            distinguishable = np.append(self.others[has_marks], self.number)
            return sorted(np.setdiff1d(with_documents, distinguishable).tolist())
        return sorted(self.others[~has_marks].tolist())

    def basic_rows(self) -> Bits:
        """Return the nonempty rows that contain no other row, as bit sets, the shortest first."""
        rows = self._nonempty_rows()
        return np.asarray(rows[minimal_sets(rows)])

    def _nonempty_rows(self) -> Bits:
        """Return the nonempty rows, including duplicates."""
        rows = np.concatenate([self.rows, self.common[None]]) if self.n_common else self.rows
        return np.asarray(rows[rows.any(axis=1)])

    def basic_matrix(self) -> Bools:
        """Return `basic_rows` as a boolean matrix whose columns are the candidates."""
        return unpack_bits(self.basic_rows(), len(self.terms))

    def testor_terms(self) -> Ints:
        """Return the terms that are in some typical testor: those of the nonempty rows that contain no other row."""
        union = union_of_minimal_rows(self._nonempty_rows())
        return np.asarray(self.terms[unpack_bits(union[None], len(self.terms))[0]])

    def matrix(self, with_documents: Ints, n_classes: int, n_terms: int) -> sparse.csr_array:
        """Return a matrix with one row per class, in class order, and all terms as columns.

        `with_documents` are the classes that have documents. The rows of the others and of the class itself are empty.
        """
        row_of_class = dict(zip(self.others.tolist(), self.rows, strict=True))
        columns_by_class = [np.zeros(0, np.int64)] * n_classes
        for other in with_documents.tolist():
            if other != self.number:
                row = row_of_class.get(other, self.common)
                columns_by_class[other] = self.terms[unpack_bits(row[None], len(self.terms))[0]]
        starts = np.concatenate([[0], np.cumsum([len(columns) for columns in columns_by_class])])
        all_columns = np.concatenate(columns_by_class)
        return sparse.csr_array((np.ones(len(all_columns), np.bool_), all_columns, starts), shape=(n_classes, n_terms))


def contrast(representatives: Representatives, number: int, epsilon: float, delta: float) -> Contrast:
    """Return the contrast of a class: for each other class, the terms that distinguish the class from it."""
    terms, weights = representatives.of_class(number)
    is_candidate = weights >= epsilon
    terms, weights = terms[is_candidate], weights[is_candidate]
    others, rows = contrast_rows(
        terms,
        weights,
        number,
        representatives.term_starts,
        representatives.term_classes,
        representatives.term_weights,
        delta,
        representatives.n_classes,
    )
    # `others` are the classes with a row of their own. The last row is the common one, that of all remaining classes.
    # The class itself has no row (- 1).
    n_common = len(representatives.with_documents) - 1 - len(others)
    return Contrast(number, terms, weights, others, rows[:-1], rows[-1], n_common)


def contrasts(representatives: Representatives, epsilon: float, delta: float) -> Iterator[Contrast]:
    """Return an iterator over the contrasts of the classes that have documents."""
    return (contrast(representatives, int(number), epsilon, delta) for number in representatives.with_documents)


def terms_in_testors(representatives: Representatives, epsilon: float, delta: float) -> Bools:
    """Return a mask of the terms that are in some typical testor of some class."""
    is_in_testor = np.zeros(representatives.n_terms, np.bool_)
    for class_contrast in contrasts(representatives, epsilon, delta):
        is_in_testor[class_contrast.testor_terms()] = True
    return is_in_testor


class EpsilonSearch(NamedTuple):
    """The result of `epsilon_for`: the ε to use, and the smallest weight that the search tried."""

    epsilon: float
    least_tried: float


def epsilon_for(representatives: Representatives, delta: float, k: int) -> EpsilonSearch:
    """Return the ε that selects k terms or, if no ε tried selects exactly k, the next smaller number.

    The candidates of a class are the terms with a weight of at least ε. Its row against another class marks the
    candidates that distinguish it from that class, and the terms of its minimal nonempty rows are selected.

    Only weights that occur are tried: any ε between two of them has the same candidates as the larger one. As ε
    decreases, candidates are added, and usually selected terms with them. But the number of selected terms can also
    decrease in places: a row that was empty gets its first term, a larger row that contains this term is then no longer
    minimal, and the other terms of that row are lost. So the search finds one place where the number crosses k, of
    perhaps several.

    The search goes down from the largest weight in steps of 1, 2, 4, ... until there are more than k terms, then
    bisects the last interval. So it never visits the many small weights and does not depend on them. Of the weights
    tried that select at most k terms, the result is the one that selects most, and of equals the smallest. There are
    two exceptions, in which more than k terms are selected and the caller keeps the k best by the ranking:

    - if even the largest weight selects more than k terms, it is the result;
    - if all weights tried that select at most k terms select none, the result is the next smaller weight.
    """
    weights = np.unique(representatives.weights[representatives.weights > 0])  # ascending
    n_terms_at: dict[int, int] = {}  # for each position in `weights` that was tried: the number of selected terms

    def fits(position: int) -> bool:
        """Return whether the weight at a position, used as ε, selects at most k terms; remember their number."""
        n_terms_at[position] = int(terms_in_testors(representatives, float(weights[position]), delta).sum())
        return n_terms_at[position] <= k

    last = len(weights) - 1
    if not fits(last):
        return EpsilonSearch(epsilon=float(weights[last]), least_tried=float(weights[last]))
    # The positions of a weight that selects too many terms, or -1 if none does, and of a larger weight that fits. The
    # bisection ends when they are next to each other.
    too_many, fitting = _bracket(last, fits)
    while fitting - too_many > 1:
        middle = (too_many + fitting) // 2
        if fits(middle):
            fitting = middle
        else:
            too_many = middle
    all_fitting = [position for position, n_terms in n_terms_at.items() if n_terms <= k]
    best = max(all_fitting, key=lambda position: (n_terms_at[position], -position))
    # If the fitting weights select no term, use the next smaller one, even though it selects too many.
    position = best if n_terms_at[best] or too_many < 0 else too_many
    # Weights ascend, so the lowest position that was tried is that of the smallest weight.
    return EpsilonSearch(float(weights[position]), least_tried=float(weights[min(n_terms_at)]))


def _bracket(last: int, fits: Callable[[int], bool]) -> tuple[int, int]:
    """Search down from position `last`, which fits, in steps of 1, 2, 4, ..., until a position does not fit.

    Return that position, and the fitting one tried before it; or -1 and 0 if all positions tried fit, down to 0.
    """
    fitting, step = last, 1
    while fitting > 0:
        position = max(fitting - step, 0)
        if not fits(position):
            return position, fitting
        fitting, step = position, 2 * step
    return -1, 0


class ComparisonRows(Mapping[Any, sparse.csr_array]):
    """A mapping from each class label to its rows, which are computed on access.

    Row j marks the terms that distinguish the class from class j; the columns are all terms.
    """

    def __init__(
        self, representatives: Representatives, classes: tuple[Any, ...], epsilon: float, delta: float
    ) -> None:
        self._representatives, self._epsilon, self._delta = representatives, epsilon, delta
        self._number_of = {classes[number]: int(number) for number in representatives.with_documents}

    def __getitem__(self, label: Any) -> sparse.csr_array:
        """Return the rows of a class, which mark the terms that distinguish it, as a matrix (classes x terms)."""
        representatives = self._representatives
        class_contrast = contrast(representatives, self._number_of[label], self._epsilon, self._delta)
        return class_contrast.matrix(representatives.with_documents, representatives.n_classes, representatives.n_terms)

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the classes that have documents."""
        return iter(self._number_of)

    def __len__(self) -> int:
        """Return the number of classes that have documents."""
        return len(self._number_of)
