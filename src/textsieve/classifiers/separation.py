"""Documents that hyperplanes are looked for among: of one class after the other, and on all terms or on some of them.

The problem is always min ½|w|² + Σ C_i max(0, 1 - y_i w·x_i)², with the intercept as the weight of one more coordinate
of value 1. Few documents are separated by way of their products with one another (`kernels.gram`), many by way of their
rows (`kernels.descent`): a step costs as many numbers as there are documents on the first way, and as a row has terms,
twice and in no order, on the second. Both go from document to document, and take long where there are far fewer terms
than documents; there Newton's method solves a few equations instead (`kernels.newton`). All three end at the same
tolerance. What all classes and all choices of terms have in common is made once.

The products over the terms that were left out, subtracted from those over all, are those over the others: so no more
than half of the terms are gone through, unless what was left out is so much larger that the others' digits are lost.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ..kernels.descent import descend, squared_lengths
from ..kernels.gram import descend_on_products, document_products, weights_of_terms
from ..kernels.newton import newton
from ..kernels.taking import take_columns

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Problem = Callable[[int], tuple[Floats, Floats]]
"""The number of a class to a sign (+1 or -1) and a cost for every document."""

FEW_DOCUMENTS = 2048
"""Products of more are never made: they would take more than 32 MB for each thread."""

FEW_TERMS = 100
"""Up to this many, and no more than there are documents, equations are solved."""

SOME_TERMS = 300
"""Up to this many, and no more than there are documents, they are solved for what another way did not solve."""

ROUNDS = 30
"""As many rounds over the documents are reckoned with."""

DENSE = 0.3
"""Terms that a larger share of the documents has are kept as dense rows."""

OVERSHADOWED = 1e4
"""A difference of products is not used where it is less than one part in so many: 12 digits of it are left."""

_ORDERS = 64


class Separation(NamedTuple):
    """The hyperplanes of some classes, each against the rest."""

    coefficients: Floats  # classes x terms
    intercepts: Floats
    rounds: int  # the most that a class took
    unfinished: int  # classes whose weights were still moving


class _Solved(NamedTuple):
    """What a way has found, problem by problem."""

    coefficients: Floats
    intercepts: Floats
    rounds_left: Ints  # 0: it was stopped


class Separable:
    """Documents, as rows, to find hyperplanes among; `way` is one of `WAYS`, None the quickest."""

    def __init__(self, rows: csr_matrix, way: str | None = None) -> None:
        if not rows.has_canonical_format:  # a cell in parts is longer than its parts
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
        """Find a hyperplane for each problem, on all terms or on some (ascending)."""
        n_terms = self.n_terms if terms is None else len(terms)
        name = self._way or self._quickest(n_terms, n_problems)
        found = self._solved(name, problem, n_problems, terms, tolerance, most_rounds, n_jobs)
        left = np.flatnonzero(found.rounds_left == 0)
        if len(left) and not self._way and name != "equations" and n_terms <= min(SOME_TERMS, self.n_documents):
            again = self._solved(
                *("equations", lambda number: problem(int(left[number])), len(left), terms),
                *(tolerance, most_rounds, n_jobs),
            )
            for whole, part in zip(found, again, strict=True):
                whole[left] = part
        rounds = most_rounds - max(int(found.rounds_left.min()) - 1, 0)
        return Separation(found.coefficients, found.intercepts, rounds, int((found.rounds_left == 0).sum()))

    def _solved(
        self,
        name: str,
        problem: Problem,
        n_problems: int,
        terms: Ints | None,
        tolerance: float,
        most_rounds: int,
        n_jobs: int,
    ) -> _Solved:
        way = WAYS[name](self, terms, n_problems)

        def solve(number: int) -> tuple[float, int]:
            return way.solve(number, *problem(number), tolerance, most_rounds)

        if min(n_jobs, n_problems) == 1:
            solved = list(map(solve, range(n_problems)))
        else:
            with ThreadPoolExecutor(n_jobs) as pool:
                solved = list(pool.map(solve, range(n_problems)))
        intercepts, rounds_left = (np.array(each) for each in zip(*solved, strict=True))
        return _Solved(way.coefficients(), intercepts, rounds_left)

    def _quickest(self, n_terms: int, n_problems: int) -> str:
        """The way that should be the quickest: whether terms are few, or documents; and for how many problems.

        Costs are in about a nanosecond, as measured on Brown and 20 Newsgroups, C from 0.5 to 100. A document that is
        visited costs its terms by rows; by products a look, and for some a walk, which is slower where products do not
        fit into the cache.
        """
        if n_terms <= min(FEW_TERMS, self.n_documents):
            return "equations"
        if self.n_documents > FEW_DOCUMENTS:
            return "rows"
        n, share = self.n_documents, n_terms / self.n_terms
        visits = n_problems * ROUNDS * n
        by_rows = visits * share * self.rows.nnz / n
        by_products = self._cost_of_products * share + visits * (10.0 + 0.03 * n * (1.0 + n / 1000.0))
        if n_terms == self.n_terms:  # nobody else shares them
            by_products += 10.0 * self.rows.nnz
        return "products" if by_products < by_rows else "rows"

    @cached_property
    def _cost_of_products(self) -> float:
        """Of the products over all terms: pairs of documents of a term, or a walk over all where it is dense."""
        n = self.n_documents
        holders = np.bincount(self.rows.indices, minlength=self.n_terms).astype(np.float64)
        is_dense = holders > DENSE * n
        return float(np.where(is_dense, 0.1 * n * holders, 0.5 * holders * holders).sum())

    def make_ready(self, n_terms: int, n_problems: int) -> None:
        """Make what threads would make at the same time."""
        if (self._way or self._quickest(n_terms, n_problems)) == "products":
            shared = ["postings", "dense", "orders"] + ["products_of_all"] * (2 * n_terms > self.n_terms)
            for name in shared:
                getattr(self, name)

    # -- what all ways on few documents share ---------------------------------------------------------------------

    @cached_property
    def postings(self) -> tuple[Ints, NDArray[np.int32], Floats]:
        """The documents of each term: where they start, which they are, and their weights."""
        columns = self.rows.astype(np.float64).tocsc()
        columns.sum_duplicates()
        return columns.indptr.astype(np.int64), columns.indices.astype(np.int32), columns.data

    @cached_property
    def dense(self) -> tuple[NDArray[np.int32], Floats]:
        """Terms that many documents have, as dense rows, and the place of each term among them (-1: it has none)."""
        starts, documents, weights = self.postings
        many = np.flatnonzero(np.diff(starts) > DENSE * self.n_documents)
        rows = np.zeros((len(many), self.n_documents))
        for row, term in zip(rows, many.tolist(), strict=True):
            own = slice(starts[term], starts[term + 1])
            row[documents[own]] = weights[own]
        place = np.full(self.n_terms, -1, np.int32)
        place[many] = np.arange(len(many))
        return place, rows

    @cached_property
    def orders(self) -> Ints:
        """Orders to visit the documents in, shuffled; the same for all."""
        shuffled = np.random.Generator(np.random.PCG64(0))
        return np.array([shuffled.permutation(self.n_documents) for _ in range(_ORDERS)])

    @cached_property
    def products_of_all(self) -> Floats:
        """The products of the documents over all terms."""
        return self._added_up(np.arange(self.n_terms))

    def products(self, terms: Ints | None) -> Floats:
        """The products of the documents over some terms."""
        if terms is None or len(terms) == self.n_terms:
            return self.products_of_all
        if 2 * len(terms) <= self.n_terms:
            return self._added_up(terms)
        left_out = np.setdiff1d(np.arange(self.n_terms), terms, assume_unique=True)
        products = self._added_up(left_out)
        np.subtract(self.products_of_all, products, out=products)
        is_sound = self.products_of_all.diagonal() <= OVERSHADOWED * (1.0 + products.diagonal())
        return products if is_sound.all() else self._added_up(terms)

    def _added_up(self, terms: Ints) -> Floats:
        products = np.empty((self.n_documents, self.n_documents))
        document_products(*self.postings, *self.dense, terms, products)
        return products


class _ByProducts:
    """Few documents: the classes share the products."""

    def __init__(self, documents: Separable, terms: Ints | None, n_problems: int) -> None:
        self._documents = documents
        self._terms = np.arange(documents.n_terms) if terms is None else terms
        self._products = documents.products(terms)
        self._pulls = np.zeros((n_problems, documents.n_documents))

    def solve(self, number: int, signs: Floats, costs: Floats, tolerance: float, most_rounds: int) -> tuple[float, int]:
        """The intercept of a class, and how many rounds were left."""
        orders, pull = self._documents.orders, self._pulls[number]
        return descend_on_products(self._products, signs, costs, orders, tolerance, most_rounds, pull)

    def coefficients(self) -> Floats:
        """Classes x terms."""
        found = np.empty((len(self._terms), len(self._pulls)))
        weights_of_terms(*self._documents.postings, self._terms, np.ascontiguousarray(self._pulls.T), found)
        return np.ascontiguousarray(found.T)


class _ByRows:
    """Many documents: the classes share the rows, cut down to the terms that are wanted."""

    def __init__(self, documents: Separable, terms: Ints | None, n_problems: int) -> None:
        rows = documents.rows
        self._starts, self._columns, self._values = _arrays(rows) if terms is None else _taken(rows, terms)
        self._squares = squared_lengths(self._starts, self._values)
        self._coefficients = np.zeros((n_problems, documents.n_terms if terms is None else len(terms)))

    def solve(self, number: int, signs: Floats, costs: Floats, tolerance: float, most_rounds: int) -> tuple[float, int]:
        """The intercept of a class, and how many rounds were left."""
        rows = self._starts, self._columns, self._values, self._squares
        return descend(*rows, signs, costs, tolerance, most_rounds, self._coefficients[number])

    def coefficients(self) -> Floats:
        """Classes x terms."""
        return self._coefficients


class _ByEquations(_ByRows):
    """Few terms: a handful of systems of equations for each class."""

    def solve(self, number: int, signs: Floats, costs: Floats, tolerance: float, most_rounds: int) -> tuple[float, int]:
        """The intercept of a class, and how many rounds were left."""
        rows = self._starts, self._columns, self._values
        return newton(*rows, signs, costs, tolerance, most_rounds, self._coefficients[number])


WAYS: dict[str, type[_ByProducts | _ByRows]] = {"products": _ByProducts, "rows": _ByRows, "equations": _ByEquations}


def _arrays(rows: csr_matrix) -> tuple[Ints, NDArray[np.int32], NDArray[np.floating]]:
    """Return the CSR arrays in the types of `_taken`, so that the kernels are compiled for these types only."""
    return rows.indptr.astype(np.int64, copy=False), rows.indices.astype(np.int32, copy=False), rows.data


def _taken(rows: csr_matrix, terms: Ints) -> tuple[Ints, NDArray[np.int32], NDArray[np.floating]]:
    """The columns of some terms."""
    place = np.full(rows.shape[1], -1, np.int32)
    place[terms] = np.arange(len(terms))
    starts = np.empty(rows.shape[0] + 1, np.int64)
    columns, values = np.empty(rows.nnz + 1, np.int32), np.empty(rows.nnz + 1, rows.dtype)
    take_columns(*_arrays(rows), place, starts, columns, values)
    return starts, columns[: starts[-1]], values[: starts[-1]]
