"""Solve linear SVMs on the same documents: for each class against the rest, on all terms or on a subset of them.

Each class is a binary problem: find the coefficients w of its terms that minimise

    ½|w|² + Σ C_i max(0, 1 - y_i w·x_i)².

The sum is over the documents x_i; the sign y_i is 1 for documents of the class and -1 for the others, and C_i is the
cost of document i. Each x_i has an additional coordinate of value 1, whose coefficient is the intercept. Three methods
(of `kernels.svm`) solve the problem, to the same tolerance:

- "products": for few documents, coordinate descent on the matrix of dot products between documents. A step reads one
  or two numbers per document.
- "rows": for many documents, coordinate descent on their rows. A step reads the terms of a row twice, in random memory
  order. Up to 16 problems are solved together, so that they share these accesses.
- "equations": for few terms, Newton's method, which solves a few systems of equations. The other two methods go from
  document to document, which takes long if there are far fewer terms than documents.

Data that all classes and all subsets of terms share is computed once.

**Products of documents.** The dot product of two documents is the sum over the terms of the products of their weights.
For a subset with more than half of the terms, it is computed as a difference: the product over all terms, which is
computed only once, minus the product over the omitted terms. So no subset needs sums over more than half of the terms.
The exception are subsets whose omitted terms dominate so much that the difference would lose its digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_matrix

from .arrays import Floats, Ints
from .kernels.csr import take_columns
from .kernels.svm import descend, descend_on_products, document_products, newton, squared_lengths, weights_of_terms
from .kernels.svm_together import LANES, add_weighted_rows, descend_together, squared_lengths_by_lane
from .threads import parallel_map

SignsAndCosts = Callable[[int], tuple[Floats, Floats]]
"""A function from the number of a binary problem to the signs y_i (+1 or -1) and the costs C_i of all documents."""

FEW_DOCUMENTS = 2048
"""The largest number of documents for which products are computed: more would take over 32 MB per thread."""

FEW_TERMS = 100
"""The method "equations" is used at once for up to this number of terms, if there are at least as many documents."""

MAX_TERMS_FOR_RETRY = 300
"""The method "equations" is used for up to this number of terms if another method did not converge.

As for `FEW_TERMS`, there must be at least as many documents as terms.
"""

EXPECTED_ROUNDS = 30
"""The expected number of rounds over the documents, for estimating costs."""

SHARE_TO_COLLECT = 0.25
"""The documents are reduced to a subset of the terms by columns if these have at most this share of all values.

Otherwise one pass over all rows is faster.
"""

MOST_VALUES_BY_COLUMN = 1 << 24
"""A matrix with more values is not copied to CSC format; a copy of this many values takes 200 MB."""

DENSE_SHARE = 0.3
"""Terms that occur in a larger share of the documents are stored as dense rows."""

MAX_CANCELLATION = 1e4
"""Products over a subset of the terms are computed as a difference unless this would lose too many digits.

The squared length of a document over all terms may be up to this many times its squared length over the subset (plus
1): then 4 of 16 digits are lost.
"""

MOST_BYTES_TOGETHER = 1 << 28
"""The memory for all groups of problems that are solved at a time; a single group may take more."""

FEWEST_TOGETHER = 3
"""The smallest number of problems that the method "rows" solves together."""

FEWEST_VALUES_TOGETHER = 1 << 18
"""The smallest number of values of rows on which problems are solved together.

One by one, smaller problems are solved in some hundredths of a second for 20 classes, and together in half of that.
"""

ROUNDS_TOGETHER = 20
"""The most rounds in which problems are solved together.

Problems that need more, because of a large C, are then solved one by one, where documents can be set aside.
"""

LEAST_TOLERANCE_TOGETHER = 1e-3
"""The smallest tolerance to which problems are solved together, with 32-bit floats."""

MAX_TOGETHER = 1e6
"""The largest squared length of a document, and the largest C_i and 1 / C_i, for which 32-bit floats are used."""

_N_ORDERS = 64
"""The number of shuffled orders of the documents; rounds use them in turn."""


class Hyperplanes(NamedTuple):
    """The solutions of some binary problems."""

    coefficients: Floats  # problems x terms
    intercepts: Floats  # of each problem
    n_rounds: int  # largest number of rounds of any problem
    n_unconverged: int  # number of problems that did not converge


class _Solutions(NamedTuple):
    """The solutions of some binary problems by one method."""

    coefficients: Floats  # problems x terms
    intercepts: Floats  # of each problem
    rounds_left: Ints  # of each problem; 0 means that the solver stopped before it converged

    def hyperplanes(self, most_rounds: int) -> Hyperplanes:
        """Return the solutions with the number of rounds, of which there were at most `most_rounds`."""
        # A solver still counts the round in which it finds that it has converged as left, hence - 1. If 0 rounds are
        # left, it has not converged, which counts as all rounds.
        n_rounds = most_rounds - max(int(self.rounds_left.min()) - 1, 0)
        return Hyperplanes(self.coefficients, self.intercepts, n_rounds, int((self.rounds_left == 0).sum()))


class SVMProblem:
    """Documents, as rows, to separate by hyperplanes; `method` is one of `SOLVERS`, or None for the fastest."""

    def __init__(self, rows: csr_matrix, method: str | None = None) -> None:
        if not rows.has_canonical_format:  # squared lengths are wrong if a cell is stored in parts
            rows = rows.copy()
            rows.sum_duplicates()
        self.rows = rows
        self.n_documents, self.n_terms = rows.shape
        self._method = method

    def solve(
        self,
        signs_and_costs: SignsAndCosts,
        n_problems: int,
        *,
        terms: Ints | None = None,
        tolerance: float,
        most_rounds: int,
        n_jobs: int,
    ) -> Hyperplanes:
        """Return a hyperplane for each binary problem, on all terms or on some of them (`terms`, ascending).

        With up to `MAX_TERMS_FOR_RETRY` terms, and at least as many documents, problems for which the fastest method
        does not converge are solved again by Newton's method (`_ByEquations`). If the constructor sets a method, no
        other is used.
        """
        n_terms = self.n_terms if terms is None else len(terms)
        method = self._method or self._fastest_method(n_terms, n_problems)
        limits = tolerance, most_rounds, n_jobs
        solutions = self._solve_by(method, signs_and_costs, n_problems, terms, *limits)
        unsolved = np.flatnonzero(solutions.rounds_left == 0)
        if len(unsolved) and self._can_retry(method, n_terms):

            def unsolved_signs_and_costs(number: int) -> tuple[Floats, Floats]:
                """Return the signs and costs of a problem, by its number among the unsolved ones."""
                return signs_and_costs(int(unsolved[number]))

            retried = self._solve_by("equations", unsolved_signs_and_costs, len(unsolved), terms, *limits)
            for array, retried_array in zip(solutions, retried, strict=True):
                array[unsolved] = retried_array
        return solutions.hyperplanes(most_rounds)

    def _can_retry(self, method: str, n_terms: int) -> bool:
        """Return whether "equations" solves problems again for which another method did not converge."""
        return not self._method and method != "equations" and n_terms <= min(MAX_TERMS_FOR_RETRY, self.n_documents)

    def _solve_by(
        self,
        method: str,
        signs_and_costs: SignsAndCosts,
        n_problems: int,
        terms: Ints | None,
        tolerance: float,
        most_rounds: int,
        n_jobs: int,
    ) -> _Solutions:
        """Return the solutions of all problems by one method, one of `SOLVERS`."""
        solver = SOLVERS[method](self, terms, n_problems)
        solver.start(signs_and_costs, tolerance, most_rounds, n_jobs)

        def solve(number: int) -> tuple[float, int]:
            return solver.solve(number, *signs_and_costs(number), tolerance, most_rounds)

        solved = parallel_map(solve, n_problems, n_jobs)
        intercepts, rounds_left = (np.array(values) for values in zip(*solved, strict=True))
        return _Solutions(solver.coefficients(), intercepts, rounds_left)

    def solve_each(
        self,
        signs_and_costs: SignsAndCosts,
        terms_of: Sequence[Ints],
        alphas: NDArray[np.float32] | None = None,
        *,
        tolerance: float,
        most_rounds: int,
        n_jobs: int,
    ) -> tuple[list[Hyperplanes], NDArray[np.float32] | None]:
        """Return a hyperplane for each binary problem, on terms of its own, and the dual variables.

        `terms_of` has the terms of each problem. The result is that of `solve` for each problem alone, up to the
        tolerance. `alphas` (problems x documents) has dual variables to start from, such as those of the same problems
        on other terms; None: from 0. Problems that are solved together overwrite them, and all others leave them as
        they are. The returned dual variables are these, or None if no problems were solved together.
        """
        is_by_rows = [(self._method or self._fastest_method(len(terms), 1)) == "rows" for terms in terms_of]
        by_rows = np.flatnonzero(is_by_rows)
        arrays = csr_arrays(self.rows)
        squares = squared_lengths(arrays[0], arrays[2])
        if len(by_rows) < FEWEST_TOGETHER or not _can_be_solved_together(squares, self.rows.nnz):
            by_rows = by_rows[:0]
        groups = [by_rows[group.start : group.stop] for group in _groups(len(by_rows))]
        if alphas is None:
            alphas = np.zeros((len(terms_of) if groups else 0, self.n_documents), np.float32)
        starts = [_Start()] * len(terms_of)

        def start(group: int) -> None:
            """Solve a group as far as possible; write to `alphas` at once, so that its copies are freed."""
            lanes_of_term = np.zeros(self.n_terms, np.uint16)
            for lane, number in enumerate(groups[group]):
                lanes_of_term[terms_of[number]] |= np.uint16(1 << lane)
            numbers, together = groups[group].tolist(), _Together(arrays, squares, lanes_of_term)
            group_starts = together.solve(signs_and_costs, numbers, tolerance, most_rounds, alphas)
            for number, group_start in zip(numbers, group_starts, strict=True):
                if group_start.alpha is not None:
                    alphas[number] = group_start.alpha
                    starts[number] = group_start._replace(alpha=alphas[number])

        n_copied = self.rows.nnz if self.rows.nnz <= MOST_VALUES_BY_COLUMN else 0
        bytes_per_group = _bytes_per_group(self.n_documents, self.n_terms, n_copied)
        parallel_map(start, len(groups), _n_threads_for_groups(bytes_per_group, n_jobs))
        unsolved = [len(terms) for terms, begin in zip(terms_of, starts, strict=True) if not begin.has_converged]
        if unsolved:
            self.precompute(max(unsolved), n_problems=1)

        def solve(number: int) -> Hyperplanes:
            """Return the hyperplane of a problem, from where it has come to."""
            signs, costs = signs_and_costs(number)
            terms, begin = terms_of[number], starts[number]
            if begin.has_converged:
                assert begin.alpha is not None
                signed_alpha, weights = begin.alpha * signs, np.zeros(self.n_terms)
                add_weighted_rows(*arrays, signed_alpha, weights)
                return Hyperplanes(weights[np.newaxis, terms], signed_alpha.sum(keepdims=True), begin.n_rounds, 0)
            if begin.alpha is None:
                limits: dict[str, Any] = {"tolerance": tolerance, "most_rounds": most_rounds}
                return self.solve(lambda _: (signs, costs), 1, terms=terms, n_jobs=1, **limits)
            solver = _ByRows(self, terms, 1, [begin])
            intercept, rounds_left = solver.solve(0, signs, costs, tolerance, most_rounds)
            solutions = _Solutions(solver.coefficients(), np.array([intercept]), np.array([rounds_left]))
            if not rounds_left and self._can_retry("rows", len(terms)):
                only = 1, terms, tolerance, most_rounds, 1  # one problem, on one thread
                solutions = self._solve_by("equations", lambda _: (signs, costs), *only)
            return solutions.hyperplanes(most_rounds)

        hyperplanes = parallel_map(solve, len(terms_of), n_jobs)
        return hyperplanes, alphas if any(begin.alpha is not None for begin in starts) else None

    def _fastest_method(self, n_terms: int, n_problems: int) -> str:
        """Return the method with the lowest estimated cost, from the numbers of terms, documents and problems.

        Costs are in units of about a nanosecond; the factors were measured on Brown and 20 Newsgroups, with C from 0.5
        to 100. Each problem needs about `EXPECTED_ROUNDS` visits to each document. By rows, a visit costs the number of
        terms in the document. By products, it costs a constant, and in some visits a pass over all documents, which is
        slower if the products do not fit into the cache.
        """
        if n_terms <= min(FEW_TERMS, self.n_documents):
            return "equations"
        if self.n_documents > FEW_DOCUMENTS:
            return "rows"
        n, share = self.n_documents, n_terms / self.n_terms
        visits = n_problems * EXPECTED_ROUNDS * n
        by_rows = visits * share * self.rows.nnz / n
        by_products = self._cost_of_products * share + visits * (10.0 + 0.03 * n * (1.0 + n / 1000.0))
        if n_terms == self.n_terms:  # no other subset of terms shares the cost of preparing the products
            by_products += 10.0 * self.rows.nnz
        return "products" if by_products < by_rows else "rows"

    @cached_property
    def _cost_of_products(self) -> float:
        """Return the estimated cost of the products over all terms, in the units of `_fastest_method`.

        A rare term costs its number of pairs of documents. A frequent term, which is stored as a dense row, costs a
        pass over all documents for each document that contains it.
        """
        n = self.n_documents
        doc_freq = self.doc_freq.astype(np.float64)
        is_dense = doc_freq > DENSE_SHARE * n
        return float(np.where(is_dense, 0.1 * n * doc_freq, 0.5 * doc_freq * doc_freq).sum())

    def precompute(self, n_terms: int, n_problems: int) -> None:
        """Compute the cached properties that `solve` will use, so that threads don't compute them at the same time.

        `n_terms` is the number of terms, and `n_problems` that of binary problems, in a call of `solve`.
        """
        names = ["doc_freq"]
        # `arrays_of` decides by the share of the values that a subset of the terms has. Here only the number of its
        # terms is known, so their share of all terms is the estimate.
        if self.rows.nnz <= MOST_VALUES_BY_COLUMN and n_terms <= SHARE_TO_COLLECT * self.n_terms:
            names.append("columns")
        if (self._method or self._fastest_method(n_terms, n_problems)) == "products":
            names += ["postings", "dense", "orders"]
            if 2 * n_terms > self.n_terms:  # products are then computed as a difference
                names.append("products_of_all")
        for name in names:
            getattr(self, name)

    # -- shared data of the methods "rows" and "equations" -----

    @cached_property
    def columns(self) -> csc_matrix:
        """Return the rows in CSC format."""
        return self.rows.tocsc()

    @cached_property
    def doc_freq(self) -> Ints:
        """Return the number of documents of each term."""
        return np.bincount(self.rows.indices, minlength=self.n_terms)

    def arrays_of(self, terms: Ints | None) -> tuple[Ints, NDArray[np.int32], NDArray[np.floating]]:
        """Return the CSR arrays of the rows, reduced to some terms unless `terms` is None."""
        if terms is None:
            return csr_arrays(self.rows)
        # Pass over all rows if the matrix is too large for a copy by columns, or if the terms have many of its values.
        if self.rows.nnz > MOST_VALUES_BY_COLUMN or SHARE_TO_COLLECT * self.rows.nnz < self.doc_freq[terms].sum():
            return take_terms(self.rows, terms)
        return csr_arrays(self.columns[:, terms].tocsr())

    # -- shared data of the method "products" -----

    @cached_property
    def postings(self) -> tuple[Ints, NDArray[np.int32], Floats]:
        """Return the documents of each term as CSC arrays: `indptr`, document numbers and weights."""
        columns = self.rows.astype(np.float64).tocsc()
        columns.sum_duplicates()
        return columns.indptr.astype(np.int64), columns.indices.astype(np.int32), columns.data

    @cached_property
    def dense(self) -> tuple[NDArray[np.int32], Floats]:
        """Return the index of each term's dense row (-1: none), and the dense rows (frequent terms x documents).

        A term has a dense row, with its weight in every document, if it is in more than `DENSE_SHARE` of the documents.
        """
        indptr, documents, weights = self.postings
        frequent = np.flatnonzero(np.diff(indptr) > DENSE_SHARE * self.n_documents)
        dense_rows = np.zeros((len(frequent), self.n_documents))
        for row, term in zip(dense_rows, frequent.tolist(), strict=True):
            of_term = slice(indptr[term], indptr[term + 1])
            row[documents[of_term]] = weights[of_term]
        row_of_term = np.full(self.n_terms, -1, np.int32)
        row_of_term[frequent] = np.arange(len(frequent))
        return row_of_term, dense_rows

    @cached_property
    def orders(self) -> Ints:
        """Return shuffled orders in which to visit the documents (orders x documents), the same for all problems."""
        generator = np.random.Generator(np.random.PCG64(0))
        return np.array([generator.permutation(self.n_documents) for _ in range(_N_ORDERS)])

    @cached_property
    def products_of_all(self) -> Floats:
        """Return the products of the documents over all terms (documents x documents)."""
        return self._sum_products(np.arange(self.n_terms))

    def products(self, terms: Ints | None) -> Floats:
        """Return the products of the documents over some terms (documents x documents); over all if `terms` is None.

        Products over more than half of the terms are those over all terms minus those over the omitted ones, unless the
        difference would lose too many digits (see `MAX_CANCELLATION`).
        """
        if terms is None or len(terms) == self.n_terms:
            return self.products_of_all
        if 2 * len(terms) <= self.n_terms:
            return self._sum_products(terms)
        omitted = np.setdiff1d(np.arange(self.n_terms), terms, assume_unique=True)
        products = self._sum_products(omitted)
        np.subtract(self.products_of_all, products, out=products)
        # The diagonal has the squared lengths of the documents. 1.0 is added for the additional coordinate of the
        # intercept, which the products do not include.
        is_precise = self.products_of_all.diagonal() <= MAX_CANCELLATION * (1.0 + products.diagonal())
        return products if is_precise.all() else self._sum_products(terms)

    def _sum_products(self, terms: Ints) -> Floats:
        """Return the products of the documents over some terms, added up term by term."""
        products = np.empty((self.n_documents, self.n_documents))
        document_products(*self.postings, *self.dense, terms, products)
        return products


class _ByProducts:
    """The method for few documents: all problems share the products."""

    def __init__(self, documents: SVMProblem, terms: Ints | None, n_problems: int) -> None:
        self._documents = documents
        self._terms = np.arange(documents.n_terms) if terms is None else terms
        self._products = documents.products(terms)
        self._signed_alphas = np.zeros((n_problems, documents.n_documents))  # α_i y_i of the dual, see `kernels.svm`

    def start(self, signs_and_costs: SignsAndCosts, tolerance: float, most_rounds: int, n_jobs: int) -> None:
        """Do nothing: problems are solved one by one."""

    def solve(self, number: int, signs: Floats, costs: Floats, tolerance: float, most_rounds: int) -> tuple[float, int]:
        """Solve one problem; return its intercept and the number of rounds left, 0 if it has not converged."""
        orders, signed_alphas = self._documents.orders, self._signed_alphas[number]
        return descend_on_products(self._products, signs, costs, orders, tolerance, most_rounds, signed_alphas)

    def coefficients(self) -> Floats:
        """Return the coefficients: problems x terms."""
        coefficients = np.empty((len(self._terms), len(self._signed_alphas)))
        signed_alphas = np.ascontiguousarray(self._signed_alphas.T)
        weights_of_terms(*self._documents.postings, self._terms, signed_alphas, coefficients)
        return np.ascontiguousarray(coefficients.T)


class _ByRows:
    """The method for many documents: all problems share the rows, reduced to the given terms."""

    def __init__(
        self, documents: SVMProblem, terms: Ints | None, n_problems: int, starts: list[_Start] | None = None
    ) -> None:
        self._indptr, self._indices, self._data = documents.arrays_of(terms)
        self._squares = squared_lengths(self._indptr, self._data)
        self._coefficients = np.zeros((n_problems, documents.n_terms if terms is None else len(terms)))
        self._starts = starts or [_Start()] * n_problems
        self._results: list[tuple[float, int] | None] = [None] * n_problems  # of `solve`, if `start` was enough

    def start(self, signs_and_costs: SignsAndCosts, tolerance: float, most_rounds: int, n_jobs: int) -> None:
        """Solve all problems together as far as 32-bit floats allow; `solve` then begins where this ends.

        If there are fewer than `FEWEST_TOGETHER` problems, or if the rows are small, do nothing.
        """
        n_problems = len(self._coefficients)
        if n_problems < FEWEST_TOGETHER or not _can_be_solved_together(self._squares, len(self._indices)):
            return
        together = _Together((self._indptr, self._indices, self._data), self._squares)
        groups = _groups(n_problems)

        def start(group: int) -> None:
            """Solve a group as far as possible, and free the dual variables of problems that need no more rounds."""
            group_starts = together.solve(signs_and_costs, groups[group], tolerance, most_rounds)
            for number, group_start in zip(groups[group], group_starts, strict=True):
                self._starts[number] = group_start
                if group_start.has_converged or group_start.n_rounds == most_rounds:
                    self._results[number] = self.solve(number, *signs_and_costs(number), tolerance, most_rounds)
                    self._starts[number] = _Start()

        bytes_per_group = _bytes_per_group(len(self._squares), self._coefficients.shape[1], n_copied=0)
        parallel_map(start, len(groups), _n_threads_for_groups(bytes_per_group, n_jobs))

    def solve(self, number: int, signs: Floats, costs: Floats, tolerance: float, most_rounds: int) -> tuple[float, int]:
        """Solve one problem; return its intercept and the number of rounds left, 0 if it has not converged."""
        result = self._results[number]
        if result is not None:
            return result
        arrays, weights, start = (
            (self._indptr, self._indices, self._data),
            self._coefficients[number],
            self._starts[number],
        )
        alpha = np.zeros(len(signs)) if start.alpha is None else start.alpha.astype(np.float64)
        if start.alpha is not None:
            add_weighted_rows(*arrays, alpha * signs, weights)
        if start.has_converged or start.n_rounds == most_rounds:
            rounds_left = most_rounds - start.n_rounds + 1 if start.has_converged else 0
            return float(np.sum(alpha * signs)), rounds_left
        return descend(*arrays, self._squares, signs, costs, tolerance, most_rounds - start.n_rounds, alpha, weights)

    def coefficients(self) -> Floats:
        """Return the coefficients: problems x terms."""
        return self._coefficients


class _Start(NamedTuple):
    """Where the solution of a problem continues; by default at the beginning."""

    alpha: NDArray[np.float32] | None = None
    """The dual variables; None if all are 0."""
    n_rounds: int = 0
    """The number of rounds that led there."""
    has_converged: bool = False


def _can_be_solved_together(squares: Floats, n_values: int) -> bool:
    """Return whether several problems on rows can be solved together, given the squared lengths of the rows."""
    return n_values >= FEWEST_VALUES_TOGETHER and float(squares.max(initial=0.0)) <= MAX_TOGETHER


def _groups(n_problems: int) -> list[range]:
    """Return the numbers of problems in groups to solve together, as few and as equal groups as possible.

    They don't depend on the number of threads, because the problems of a group have an influence on each other's path.
    """
    n_groups = -(-n_problems // LANES)  # rounded up
    bounds = [number * n_problems // n_groups for number in range(n_groups + 1)] if n_groups else []
    return [range(*pair) for pair in pairwise(bounds)]


def _bytes_per_group(n_documents: int, n_terms: int, n_copied: int) -> int:
    """Return about the most bytes that solving a group takes; `n_copied` is the number of values that it copies.

    For each lane, a document has a squared length, a cost and a dual variable, which is copied at the end. The signs
    and costs of a single problem, with 64 bits, and the bounds of the rows take at most as much as one of these. A term
    has a weight in each lane and, while squared lengths are computed, a mask. A copied value and its column take 12
    bytes.
    """
    return (5 * n_documents + 2 * n_terms) * LANES * np.dtype(np.float32).itemsize + 12 * n_copied


def _n_threads_for_groups(bytes_per_group: int, n_jobs: int) -> int:
    """Return on how many threads to solve groups, so that they don't take too much memory at a time."""
    return max(min(n_jobs, MOST_BYTES_TOGETHER // max(bytes_per_group, 1)), 1)


def _zeros_by_lane(n: int) -> NDArray[np.float32]:
    """Return an array (n x `LANES`) of zeros, each row of which is a cache line of 64 bytes."""
    zeros = np.zeros((n + 1) * LANES, np.float32)
    n_skipped = -zeros.ctypes.data % 64 // zeros.itemsize
    return zeros[n_skipped : n_skipped + n * LANES].reshape(n, LANES)


class _Together:
    """Rows on which some problems are solved together (`kernels.svm_together`), with terms in the order of frequency.

    Frequent terms are then close to each other in memory.
    """

    def __init__(
        self,
        arrays: tuple[Ints, NDArray[np.int32], NDArray[np.floating]],
        squares: Floats,
        lanes_of_term: NDArray[np.uint16] | None = None,
    ) -> None:
        """Renumber the terms of CSR arrays, and leave out those that need no weights.

        `squares` are the squared lengths of the rows. `lanes_of_term` has a bit for each problem that has a weight for
        the term; None: all have weights for all terms.

        Rows of more than `MOST_VALUES_BY_COLUMN` values are used as they are, because a copy would take much memory.
        """
        indptr, indices, data = arrays
        n_documents, all_lanes = len(indptr) - 1, 2**LANES - 1
        n_terms = int(indices.max(initial=-1)) + 1 if lanes_of_term is None else len(lanes_of_term)
        lanes = np.full(n_terms, all_lanes, np.uint16) if lanes_of_term is None else lanes_of_term
        self._lone_squares = np.zeros(n_documents, np.float32)
        if len(indices) > MOST_VALUES_BY_COLUMN:
            self._arrays, self._lanes_of_term = arrays, lanes
        else:
            doc_freq = np.minimum(np.bincount(indices, minlength=n_terms), 2**16 - 1).astype(np.uint16)
            needs_weight = doc_freq > 1 if lanes_of_term is None else lanes > 0
            order = np.argsort(2**16 - 1 - doc_freq, kind="stable")
            order = order[needs_weight[order]]
            new_column = np.full(n_terms, -1, np.int32)
            new_column[order] = np.arange(len(order))
            self._arrays, self._lanes_of_term = _take_columns(indptr, indices, data, new_column), lanes[order]
        if lanes_of_term is None:
            self._squares = squares[:, np.newaxis].astype(np.float32)
            # Rounding could make a difference slightly negative.
            self._lone_squares[:] = np.maximum(squares - squared_lengths(self._arrays[0], self._arrays[2]), 0.0)
        else:
            self._squares = np.zeros((n_documents, LANES), np.float32)
            squared_lengths_by_lane(*self._arrays, self._lanes_of_term, self._squares)

    def solve(
        self,
        signs_and_costs: SignsAndCosts,
        numbers: Sequence[int],
        tolerance: float,
        most_rounds: int,
        alphas: NDArray[np.float32] | None = None,
    ) -> list[_Start]:
        """Return where the problems with these numbers have come to after at most `ROUNDS_TOGETHER` rounds.

        They start from the rows of `alphas` (all problems x documents); None: from 0. A problem has converged only if
        the tolerance is not so small that 32-bit floats can't show it.
        """
        n_documents = len(self._squares)
        # Lanes without a problem do not run, so they may have any numbers.
        signed_costs = _zeros_by_lane(n_documents)
        signed_costs[:] = 1.0
        for lane, number in enumerate(numbers):
            signs, costs = signs_and_costs(number)
            if not 1 / MAX_TOGETHER <= costs.min() <= costs.max() <= MAX_TOGETHER:
                return [_Start()] * len(numbers)
            signed_costs[:, lane] = signs * (0.5 / costs)
        alpha = _zeros_by_lane(n_documents)
        if alphas is not None:
            alpha[:, : len(numbers)] = alphas[numbers].T
        rounds, max_rounds = np.zeros(LANES, np.int64), min(most_rounds, ROUNDS_TOGETHER)
        least_tolerance = max(tolerance, LEAST_TOLERANCE_TOGETHER)
        limits = len(numbers), least_tolerance, max_rounds
        weights = _zeros_by_lane(len(self._lanes_of_term))
        documents = self._squares, self._lone_squares, signed_costs
        descend_together(*self._arrays, *documents, self._lanes_of_term, *limits, weights, alpha, rounds)
        is_solved = (rounds > 0) & (tolerance == least_tolerance)
        return [
            _Start(alpha[:, lane].copy(), int(rounds[lane]) or max_rounds, bool(is_solved[lane]))
            for lane in range(len(numbers))
        ]


class _ByEquations(_ByRows):
    """The method for few terms: a handful of systems of equations per problem."""

    def start(self, signs_and_costs: SignsAndCosts, tolerance: float, most_rounds: int, n_jobs: int) -> None:
        """Do nothing: problems are solved one by one."""

    def solve(self, number: int, signs: Floats, costs: Floats, tolerance: float, most_rounds: int) -> tuple[float, int]:
        """Solve one problem; return its intercept and the number of rounds left, 0 if it has not converged."""
        rows = self._indptr, self._indices, self._data
        return newton(*rows, signs, costs, tolerance, most_rounds, self._coefficients[number])


SOLVERS: dict[str, type[_ByProducts | _ByRows]] = {"products": _ByProducts, "rows": _ByRows, "equations": _ByEquations}


def csr_arrays(rows: csr_matrix) -> tuple[Ints, NDArray[np.int32], NDArray[np.floating]]:
    """Return `indptr` as 64-bit integers, `indices` as 32-bit integers, and `data`, each as a contiguous array.

    `take_terms` returns the same types, so the kernels are compiled for these types only. Some of them read entries by
    their address, which is right for contiguous arrays only. Arrays that have the type already are not copied.
    """
    return (
        np.ascontiguousarray(rows.indptr, np.int64),
        np.ascontiguousarray(rows.indices, np.int32),
        np.ascontiguousarray(rows.data),
    )


def take_terms(rows: csr_matrix, terms: Ints) -> tuple[Ints, NDArray[np.int32], NDArray[np.floating]]:
    """Return the CSR arrays of the rows reduced to some terms, which are numbered by their position in `terms`."""
    new_column = np.full(rows.shape[1], -1, np.int32)  # of each old column; -1 for columns to leave out
    new_column[terms] = np.arange(len(terms))
    return _take_columns(*csr_arrays(rows), new_column)


def _take_columns(
    indptr: Ints, indices: NDArray[np.int32], data: NDArray[np.floating], new_column: NDArray[np.int32]
) -> tuple[Ints, NDArray[np.int32], NDArray[np.floating]]:
    """Return CSR arrays with new numbers of columns, without the columns whose new number is -1."""
    new_indptr = np.empty(len(indptr), np.int64)
    # The kernel writes each value before it knows whether its column is taken, so it needs room for one more.
    new_indices, new_data = np.empty(len(indices) + 1, np.int32), np.empty(len(data) + 1, data.dtype)
    take_columns(indptr, indices, data, new_column, new_indptr, new_indices, new_data)
    return new_indptr, new_indices[: new_indptr[-1]], new_data[: new_indptr[-1]]
