"""Solve linear SVMs on the same documents: for each class against the rest, on all terms or on a subset of them.

The problem is always min ½|w|² + Σ C_i max(0, 1 - y_i w·x_i)², with the intercept as the weight of an additional
coordinate of value 1. Three methods (of `kernels.svm`) solve it, to the same tolerance:

- "products": for few documents, coordinate descent on the matrix of products between documents. A step reads one
  number per document.
- "rows": for many documents, coordinate descent on their rows. A step reads the terms of a row twice, in random memory
  order.
- "equations": for few terms, Newton's method, which solves a few systems of equations. The other two go from document
  to document, which takes long where there are far fewer terms than documents.

Data that all classes and all subsets of terms share is computed once.

The products over a subset of the terms are those over all terms minus those over the omitted ones. So at most half of
the terms are ever added up, unless the omitted terms dominate so much that the difference would lose its digits.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ..arrays import Floats, Ints
from ..kernels.csr import take_columns
from ..kernels.svm import descend, descend_on_products, document_products, newton, squared_lengths, weights_of_terms
from ..threads import parallel_map

Problem = Callable[[int], tuple[Floats, Floats]]
"""A function from the number of a class to a sign (+1 or -1) and a cost for every document."""

FEW_DOCUMENTS = 2048
"""The largest number of documents for which products are computed: more would take over 32 MB per thread."""

FEW_TERMS = 100
"""The largest number of terms for which equations are solved straight away; never more than there are documents."""

SOME_TERMS = 300
"""The largest number of terms for which equations are solved if another method did not converge.

It is at most the number of documents, as for `FEW_TERMS`.
"""

ROUNDS = 30
"""The expected number of rounds over the documents, for estimating costs."""

DENSE = 0.3
"""Terms that occur in a larger share of the documents are stored as dense rows."""

MOST_CANCELLATION = 1e4
"""Products over few terms are computed as a difference if its diagonal is at most this much smaller than what is
subtracted from: 4 of 16 digits are lost.
"""

_ORDERS = 64


class Separation(NamedTuple):
    """The hyperplanes of some classes, each against the rest."""

    coefficients: Floats  # classes x terms
    intercepts: Floats
    rounds: int  # largest number of rounds of any class
    unfinished: int  # number of classes that did not converge


class _Solved(NamedTuple):
    """The solutions of one method, problem by problem."""

    coefficients: Floats
    intercepts: Floats
    rounds_left: Ints  # 0: stopped before convergence


class SVMProblem:
    """Documents, as rows, to separate by hyperplanes; `way` is one of `SOLVERS`, or None for the fastest."""

    def __init__(self, rows: csr_matrix, way: str | None = None) -> None:
        if not rows.has_canonical_format:  # squared lengths are wrong if a cell is stored in parts
            rows = rows.copy()
            rows.sum_duplicates()
        self.rows = rows
        self.n_documents, self.n_terms = rows.shape
        self._way = way

    def separate(
        self,
        problem: Problem,
        n_problems: int,
        *,
        terms: Ints | None = None,
        tolerance: float,
        most_rounds: int,
        n_jobs: int,
    ) -> Separation:
        """Find a hyperplane for each problem, on all terms or on some of them (`terms`, ascending)."""
        n_terms = self.n_terms if terms is None else len(terms)
        method = self._way or self._quickest(n_terms, n_problems)
        solutions = self._solved(method, problem, n_problems, terms, tolerance, most_rounds, n_jobs)
        unsolved = np.flatnonzero(solutions.rounds_left == 0)
        if len(unsolved) and not self._way and method != "equations" and n_terms <= min(SOME_TERMS, self.n_documents):
            retried = self._solved(
                *("equations", lambda number: problem(int(unsolved[number])), len(unsolved), terms),
                *(tolerance, most_rounds, n_jobs),
            )
            for array, part in zip(solutions, retried, strict=True):
                array[unsolved] = part
        rounds = most_rounds - max(int(solutions.rounds_left.min()) - 1, 0)
        return Separation(solutions.coefficients, solutions.intercepts, rounds, int((solutions.rounds_left == 0).sum()))

    def _solved(
        self,
        method: str,
        problem: Problem,
        n_problems: int,
        terms: Ints | None,
        tolerance: float,
        most_rounds: int,
        n_jobs: int,
    ) -> _Solved:
        solver = SOLVERS[method](self, terms, n_problems)

        def solve(number: int) -> tuple[float, int]:
            return solver.solve(number, *problem(number), tolerance, most_rounds)

        solved = parallel_map(solve, n_problems, n_jobs)
        intercepts, rounds_left = (np.array(values) for values in zip(*solved, strict=True))
        return _Solved(solver.coefficients(), intercepts, rounds_left)

    def _quickest(self, n_terms: int, n_problems: int) -> str:
        """Return the method with the lowest estimated cost, from the numbers of terms, documents and problems.

        Costs are in units of about a nanosecond, as measured on Brown and 20 Newsgroups, with C from 0.5 to 100. By
        rows, visiting a document costs its number of terms. By products, a visit costs a constant, and for some
        documents a pass over all documents, which is slower where the products do not fit into the cache.
        """
        if n_terms <= min(FEW_TERMS, self.n_documents):
            return "equations"
        if self.n_documents > FEW_DOCUMENTS:
            return "rows"
        n, share = self.n_documents, n_terms / self.n_terms
        visits = n_problems * ROUNDS * n
        by_rows = visits * share * self.rows.nnz / n
        by_products = self._cost_of_products * share + visits * (10.0 + 0.03 * n * (1.0 + n / 1000.0))
        if n_terms == self.n_terms:  # no other subset of terms shares the products
            by_products += 10.0 * self.rows.nnz
        return "products" if by_products < by_rows else "rows"

    @cached_property
    def _cost_of_products(self) -> float:
        """Return the cost of the products over all terms.

        A sparse term costs its pairs of documents, and a dense one a pass over all documents for each of its documents.
        """
        n = self.n_documents
        holders = np.bincount(self.rows.indices, minlength=self.n_terms).astype(np.float64)
        is_dense = holders > DENSE * n
        return float(np.where(is_dense, 0.1 * n * holders, 0.5 * holders * holders).sum())

    def make_ready(self, n_terms: int, n_problems: int) -> None:
        """Compute shared data now, so that threads don't compute it at the same time."""
        if (self._way or self._quickest(n_terms, n_problems)) == "products":
            shared = ["postings", "dense", "orders"] + ["products_of_all"] * (2 * n_terms > self.n_terms)
            for name in shared:
                getattr(self, name)

    # -- shared data of the method "products" -----

    @cached_property
    def postings(self) -> tuple[Ints, NDArray[np.int32], Floats]:
        """Return the documents of each term: start positions, document numbers and weights."""
        columns = self.rows.astype(np.float64).tocsc()
        columns.sum_duplicates()
        return columns.indptr.astype(np.int64), columns.indices.astype(np.int32), columns.data

    @cached_property
    def dense(self) -> tuple[NDArray[np.int32], Floats]:
        """Return the index of each term's dense row (-1 if it has none), and the dense rows of frequent terms."""
        starts, documents, weights = self.postings
        frequent = np.flatnonzero(np.diff(starts) > DENSE * self.n_documents)
        rows = np.zeros((len(frequent), self.n_documents))
        for row, term in zip(rows, frequent.tolist(), strict=True):
            own = slice(starts[term], starts[term + 1])
            row[documents[own]] = weights[own]
        place = np.full(self.n_terms, -1, np.int32)
        place[frequent] = np.arange(len(frequent))
        return place, rows

    @cached_property
    def orders(self) -> Ints:
        """Return shuffled orders in which to visit the documents, the same for all problems."""
        generator = np.random.Generator(np.random.PCG64(0))
        return np.array([generator.permutation(self.n_documents) for _ in range(_ORDERS)])

    @cached_property
    def products_of_all(self) -> Floats:
        """Return the products of the documents over all terms."""
        return self._added_up(np.arange(self.n_terms))

    def products(self, terms: Ints | None) -> Floats:
        """Return the products of the documents over some terms."""
        if terms is None or len(terms) == self.n_terms:
            return self.products_of_all
        if 2 * len(terms) <= self.n_terms:
            return self._added_up(terms)
        left_out = np.setdiff1d(np.arange(self.n_terms), terms, assume_unique=True)
        products = self._added_up(left_out)
        np.subtract(self.products_of_all, products, out=products)
        is_sound = self.products_of_all.diagonal() <= MOST_CANCELLATION * (1.0 + products.diagonal())
        return products if is_sound.all() else self._added_up(terms)

    def _added_up(self, terms: Ints) -> Floats:
        products = np.empty((self.n_documents, self.n_documents))
        document_products(*self.postings, *self.dense, terms, products)
        return products


class _ByProducts:
    """The method for few documents: all classes share the products."""

    def __init__(self, documents: SVMProblem, terms: Ints | None, n_problems: int) -> None:
        self._documents = documents
        self._terms = np.arange(documents.n_terms) if terms is None else terms
        self._products = documents.products(terms)
        self._pulls = np.zeros((n_problems, documents.n_documents))

    def solve(self, number: int, signs: Floats, costs: Floats, tolerance: float, most_rounds: int) -> tuple[float, int]:
        """Solve the problem of a class; return its intercept and the number of rounds left."""
        orders, pull = self._documents.orders, self._pulls[number]
        return descend_on_products(self._products, signs, costs, orders, tolerance, most_rounds, pull)

    def coefficients(self) -> Floats:
        """Return the coefficients: classes x terms."""
        coefficients = np.empty((len(self._terms), len(self._pulls)))
        weights_of_terms(*self._documents.postings, self._terms, np.ascontiguousarray(self._pulls.T), coefficients)
        return np.ascontiguousarray(coefficients.T)


class _ByRows:
    """The method for many documents: all classes share the rows, reduced to the selected terms."""

    def __init__(self, documents: SVMProblem, terms: Ints | None, n_problems: int) -> None:
        rows = documents.rows
        self._indptr, self._indices, self._data = _arrays(rows) if terms is None else _take_terms(rows, terms)
        self._squares = squared_lengths(self._indptr, self._data)
        self._coefficients = np.zeros((n_problems, documents.n_terms if terms is None else len(terms)))

    def solve(self, number: int, signs: Floats, costs: Floats, tolerance: float, most_rounds: int) -> tuple[float, int]:
        """Solve the problem of a class; return its intercept and the number of rounds left."""
        rows = self._indptr, self._indices, self._data, self._squares
        return descend(*rows, signs, costs, tolerance, most_rounds, self._coefficients[number])

    def coefficients(self) -> Floats:
        """Return the coefficients: classes x terms."""
        return self._coefficients


class _ByEquations(_ByRows):
    """The method for few terms: a handful of systems of equations per class."""

    def solve(self, number: int, signs: Floats, costs: Floats, tolerance: float, most_rounds: int) -> tuple[float, int]:
        """Solve the problem of a class; return its intercept and the number of rounds left."""
        rows = self._indptr, self._indices, self._data
        return newton(*rows, signs, costs, tolerance, most_rounds, self._coefficients[number])


SOLVERS: dict[str, type[_ByProducts | _ByRows]] = {"products": _ByProducts, "rows": _ByRows, "equations": _ByEquations}


def _arrays(rows: csr_matrix) -> tuple[Ints, NDArray[np.int32], NDArray[np.floating]]:
    """Return the CSR arrays in the types of `_take_terms`, so that the kernels are compiled for these types only."""
    return rows.indptr.astype(np.int64, copy=False), rows.indices.astype(np.int32, copy=False), rows.data


def _take_terms(rows: csr_matrix, terms: Ints) -> tuple[Ints, NDArray[np.int32], NDArray[np.floating]]:
    """Return the CSR arrays of the columns of some terms."""
    place = np.full(rows.shape[1], -1, np.int32)
    place[terms] = np.arange(len(terms))
    indptr = np.empty(rows.shape[0] + 1, np.int64)
    indices, data = np.empty(rows.nnz + 1, np.int32), np.empty(rows.nnz + 1, rows.dtype)
    take_columns(*_arrays(rows), place, indptr, indices, data)
    return indptr, indices[: indptr[-1]], data[: indptr[-1]]
