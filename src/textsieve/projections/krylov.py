"""The largest eigenvalues of a symmetric operator T, and their eigenvectors, from products with T alone.

The columns U, T U, T² U, ... of a block U soon span the eigenvectors at the ends of the spectrum. They are made
orthonormal one block at a time (block Lanczos). In their basis T is a small matrix H, and H's eigenvectors y give the
best approximations U y in the basis. The part of T U outside the basis is the next block times a coupling B, so the
residual ||T U y - θ U y|| = ||B y_last|| is known without another product. When the basis is full, it is reduced to
the best approximations and the next block, and the iteration continues from there (thick restart), until all residuals
are small.

With a block of several columns, one pass over the documents computes several products, the other steps become matrix
products, and equal eigenvalues are found. The start is fixed, so the result is reproducible.

scipy's `eigsh` with a `LinearOperator` over the terms multiplies one column at a time and takes several times as long
for 20 and for 100 directions of 20 Newsgroups (benchmarks/projecting.py). Without the terms of a single document, and
in one thread, it takes half as long for 20 directions and twice as long for 100, the default.

The inner product is <u, v> = u' P v (see `trace_operator`), so the duals V = P U are stored along with U: <u, v> = (P
u)' v.

P may map some z to 0. The part of a column along z has no length in this inner product. If the spectrum is flat and
far from 0, so that much more is subtracted from T U than is left, that part grows from block to block. It does no harm
until its rounding errors show in V = P U: these are about ε ||P|| ||u||, and <u, u> = 1 is off by ε ||P|| ||u||². When
that is no longer small, the solver raises `AdriftError`, and the other side has to be used.
"""

from typing import NamedTuple

import numpy as np

from ..arrays import Floats
from .trace_operator import NOTHING, Side

BLOCK = 8
"""The number of columns that are multiplied at a time."""

_VANISHED = 1e-11
"""The part of T U outside the basis is noise if it is this small relative to the largest eigenvalue."""

_RANDOM_VANISHED = 1e-7
"""The part of random columns outside the basis is noise if it is this small relative to their own length."""

_DEPENDENT = 1e-14
"""Squared lengths within a block are noise if they are this small relative to the largest."""

_NEARLY_ORTHOGONAL = 1e-11
"""The largest overlap of a new block with the basis that need not be subtracted again."""


_ADRIFT = 1e8
"""The largest allowed ||P|| ||u||² of a column u with <u, u> = 1: 8 of 16 digits are lost."""


class AdriftError(ArithmeticError):
    """Raised when columns have grown too much along vectors that P maps to 0."""


class Eigenpairs(NamedTuple):
    """Eigenvalues above 0, descending, and their eigenvectors as columns."""

    eigenvalues: Floats
    vectors: Floats
    residual: float = 0.0  # the largest, relative to the largest magnitude of an eigenvalue
    n_iter: int = 1


class _Block(NamedTuple):
    columns: Floats
    duals: Floats

    @property
    def width(self) -> int:
        return int(self.columns.shape[1])


class _Basis:
    """Orthonormal columns, their duals, and the operator expressed in this basis."""

    def __init__(self, side: Side, most: int) -> None:
        self._side = side
        self._columns = np.zeros((side.size, most), order="F")
        self._duals = self._columns if side.euclidean else np.zeros((side.size, most), order="F")
        self._small = np.zeros((most, most))
        self.size = 0
        self.last = 0  # number of columns of the newest block
        self.scale = 0.0  # about the largest eigenvalue, in magnitude
        self._stretch = 0.0  # about ||P||²

    def new_in(self, block: Floats, inner: Floats | None = None, floor: float = 0.0) -> _Block:
        """Return the orthonormalised part of a block outside the basis; no columns if it is shorter than `floor`.

        `inner` is V' times the block, if known already.
        """
        columns, duals = self._columns[:, : self.size], self._duals[:, : self.size]
        block = self._side.centred(block - columns @ (duals.T @ block if inner is None else inner))
        new = _orthonormal(block, self._side.dual(block), floor)
        for _ in range(2):
            overlap = columns.T @ new.duals
            if np.abs(overlap).max(initial=0.0) <= _NEARLY_ORTHOGONAL:
                break
            # A column that loses more than half of its length to the basis was noise.
            rest = self._side.centred(new.columns - columns @ overlap)
            new = _orthonormal(rest, new.duals - duals @ overlap, floor=0.5)
        self._require_no_drift(new)
        return new

    def _require_no_drift(self, new: _Block) -> None:
        if self._side.euclidean or new.width == 0:
            return
        squares = np.sum(new.columns**2, axis=0)
        self._stretch = max(self._stretch, float((np.sum(new.duals**2, axis=0) / squares).max()))
        if np.sqrt(self._stretch) * squares.max() > _ADRIFT:
            raise AdriftError

    def new_random(self, rng: np.random.Generator) -> _Block:
        """Return random directions outside the basis; no columns if there are none."""
        block = self._side.centred(rng.standard_normal((self._side.size, BLOCK)))
        length = float(np.sqrt(np.abs(np.sum(block * self._side.dual(block))) / BLOCK))
        return self.new_in(block, floor=_RANDOM_VANISHED * length)

    def append(self, block: _Block) -> None:
        """Append an orthonormal block."""
        at = slice(self.size, self.size + block.width)
        self._columns[:, at] = block.columns
        self._duals[:, at] = block.duals
        self.size, self.last = at.stop, block.width

    def image_of_last(self) -> tuple[Floats, Floats]:
        """Return T times the newest block, and V' times that, which is also added to the small matrix."""
        newest = slice(self.size - self.last, self.size)
        image = self._side.step(self._duals[:, newest])
        inner = self._duals[:, : self.size].T @ image
        self._small[: self.size, newest] = inner
        self._small[newest, : self.size] = inner.T
        self.scale = max(self.scale, float(np.linalg.norm(inner, 2)))
        return image, inner

    def eigen(self) -> tuple[Floats, Floats]:
        """Return the approximate eigenvalues, descending, and eigenvectors in terms of the basis."""
        values, vectors = np.linalg.eigh(self._small[: self.size, : self.size])
        return values[::-1], vectors[:, ::-1]

    def combined(self, turn: Floats) -> Floats:
        """Return combinations of the columns."""
        return self._columns[:, : self.size] @ turn

    def reduce(self, values: Floats, turn: Floats) -> None:
        """Reduce the basis to some of the approximations."""
        n_kept = len(values)
        self._columns[:, :n_kept] = self.combined(turn)
        if self._duals is not self._columns:
            self._duals[:, :n_kept] = self._duals[:, : self.size] @ turn
        self._small[:] = 0.0
        self._small[range(n_kept), range(n_kept)] = values
        self.size = n_kept


def _orthonormal(block: Floats, dual: Floats, floor: float = 0.0) -> _Block:
    """Return orthonormal columns that span a block."""
    if block.shape[1] == 0:
        return _Block(block, dual)
    products = block.T @ dual
    squares, turn = np.linalg.eigh((products + products.T) / 2)
    is_kept = squares > max(floor * floor, _DEPENDENT * squares[-1], 0.0)
    turn = turn[:, is_kept] / np.sqrt(squares[is_kept])
    return _Block(block @ turn, dual @ turn)


def count_positive(eigenvalues: Floats, largest: float) -> int:
    """Return the number of eigenvalues (descending) above 0."""
    return int(np.count_nonzero(eigenvalues > NOTHING * largest))


def largest_eigenvalues(side: Side, n_wanted: int, start: Floats, tol: float, max_iter: int) -> Eigenpairs:
    """Return the `n_wanted` largest eigenvalues as far as they are positive, with their eigenvectors.

    There are fewer if the space is exhausted. `tol` is the largest residual ||T u - θ u||, where T is the operator
    `side`, as a share of the largest eigenvalue; `max_iter` is the maximum number of restarts.
    """
    rng = np.random.default_rng(0)
    most = min(max(2 * n_wanted + 12 * BLOCK, 28 * BLOCK), side.size)
    basis = _Basis(side, most + BLOCK)
    basis.append(basis.new_in(start))
    if basis.size == 0:
        return Eigenpairs(np.empty(0), np.empty((side.size, 0)))
    previous_n_positive = -1
    n_iter = 0
    while True:
        n_iter += 1
        new, coupling = _fill(basis, most, rng)
        values, turn = basis.eigen()
        largest = float(np.abs(values).max(initial=0.0))
        last = turn[basis.size - basis.last :]
        residuals = np.linalg.norm(coupling @ last, axis=0)
        n_positive = count_positive(values[:n_wanted], largest)
        residual = float(residuals[:n_positive].max(initial=0.0)) / (largest or 1.0)
        # If fewer than n_wanted are positive, others may still appear, unless a restart brought no new one.
        is_complete = n_positive == min(n_wanted, basis.size) or n_positive == previous_n_positive
        if new.width == 0 or (residual <= tol and is_complete) or n_iter == max_iter:
            break
        previous_n_positive = n_positive
        # Restart from the wanted approximations and a third of the others, which speeds up convergence.
        n_kept = n_wanted + (basis.size - n_wanted) // 3
        basis.reduce(values[:n_kept], turn[:, :n_kept])
        basis.append(new)
    return Eigenpairs(values[:n_positive], basis.combined(turn[:, :n_positive]), residual, n_iter)


def _fill(basis: _Basis, most: int, rng: np.random.Generator) -> tuple[_Block, Floats]:
    """Extend the basis until it is full; return the next block, which did not fit, and its coupling."""
    while True:
        image, inner = basis.image_of_last()
        new = basis.new_in(image, inner, _VANISHED * basis.scale)
        coupling = new.duals.T @ image
        if new.width == 0:  # T maps the basis into itself; try random directions outside it
            new = basis.new_random(rng)
            coupling = np.zeros((new.width, basis.last))
        if new.width == 0 or basis.size + new.width > most:
            return new, coupling
        basis.append(new)


def all_eigenvalues(side: Side, n_wanted: int) -> Eigenpairs:
    """Return the same as `largest_eigenvalues`, computed from the whole matrix, for a small side."""
    columns, matrix = side.whole()
    values, turn = np.linalg.eigh((matrix + matrix.T) / 2)
    values, turn = values[::-1], turn[:, ::-1]
    largest = float(np.abs(values).max(initial=0.0))
    n_positive = count_positive(values[:n_wanted], largest)
    return Eigenpairs(values[:n_positive], columns @ turn[:, :n_positive])
