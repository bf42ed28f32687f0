"""Two equivalent operators for finding the directions, over terms or over documents; the smaller one is used.

Every direction w that S = (J X)' K (J X) does not map to 0 is a combination w = X' J u of documents. So eigenvectors
can be computed

- over terms: w itself, with S w = (J X)' K (J X w);
- over documents: u, with S X' J u = X' J (K G u), where G = J X X' J; the inner product of two directions is u' G v.

Both have the same form, an operator T that is symmetric in an inner product <u, v> = u' P v: over terms P = I and T =
S, over documents P = G and T = K G.

G maps the constant vector to 0, and with it every u that represents no direction (such as the difference of two equal
documents). The inner product does not see such a part of u, so nothing in the solver would keep it from growing until
the rest is lost in its rounding errors. The constant part is subtracted from every new block (`centred`); `krylov`
explains how other such parts are handled.
"""

from typing import Protocol

import numpy as np

from ..arrays import Floats
from .directions import NOTHING
from .documents import DocumentOperator
from .mixture import Mixture


class Side(Protocol):
    """An operator T that is symmetric in the inner product of P."""

    size: int
    euclidean: bool  # whether P = I

    def centred(self, block: Floats) -> Floats:
        """Return U without the part that is known to represent no direction."""

    def dual(self, block: Floats) -> Floats:
        """Return P U."""

    def step(self, duals: Floats) -> Floats:
        """Return T U, given P U."""

    def start(self, factors: Floats) -> Floats:
        """Return the centred centroids times factors."""

    def directions(self, block: Floats) -> Floats:
        """Return the directions that U represents, as columns with a number for each term."""

    def whole(self) -> tuple[Floats, Floats]:
        """Return a U with <U, U> = I that spans the whole space, and <U, T U>; for a small side."""


class OverTerms:
    """Directions represented by themselves."""

    euclidean = True

    def __init__(self, documents: DocumentOperator, mixture: Mixture) -> None:
        self.size = documents.n_terms
        self._documents, self._mixture = documents, mixture

    def centred(self, block: Floats) -> Floats:
        """Return U unchanged."""
        return block

    def dual(self, block: Floats) -> Floats:
        """Return U unchanged."""
        return block

    def step(self, duals: Floats) -> Floats:
        """Return S U."""
        return self._documents.to_terms(self._mixture.times(self._documents.to_documents(duals)))

    def start(self, factors: Floats) -> Floats:
        """Return the centred centroids times factors."""
        return self._documents.to_terms(self._mixture.centroids(factors))

    def directions(self, block: Floats) -> Floats:
        """Return U unchanged."""
        return block

    def whole(self) -> tuple[Floats, Floats]:
        """Return the identity matrix and S."""
        identity_weight = (1.0 - self._mixture.weight) / self._documents.n_documents
        matrix = identity_weight * self._documents.scatter()
        if self._mixture.weight != 0.0:
            centroids = self.start(np.eye(len(self._mixture.shares)))
            matrix += self._mixture.weight * (centroids @ centroids.T)
        return np.eye(self.size), matrix


class OverDocuments:
    """Directions represented as combinations of documents."""

    euclidean = False

    def __init__(self, documents: DocumentOperator, mixture: Mixture) -> None:
        self.size = documents.n_documents
        self._documents, self._mixture = documents, mixture

    def centred(self, block: Floats) -> Floats:
        """Return J U: a part that is the same for all documents represents no direction."""
        return np.asarray(block - block.mean(axis=0))

    def dual(self, block: Floats) -> Floats:
        """Return G U."""
        return self._documents.gram(block)

    def step(self, duals: Floats) -> Floats:
        """Return K G U, given G U."""
        return self._mixture.times(duals)

    def start(self, factors: Floats) -> Floats:
        """Return the centred centroids times factors."""
        return self._mixture.centroids(factors)

    def directions(self, block: Floats) -> Floats:
        """Return X' J U."""
        return self._documents.to_terms(block)

    def whole(self) -> tuple[Floats, Floats]:
        """Return U = Q D^(-1/2) and U' G K G U, from G = Q D Q' without its zero eigenvalues."""
        squares, vectors = np.linalg.eigh(self._documents.products())
        is_nonzero = squares > NOTHING * squares[-1]
        roots = np.sqrt(squares[is_nonzero])
        duals = vectors[:, is_nonzero] * roots
        matrix = duals.T @ self._mixture.times(duals)
        return vectors[:, is_nonzero] / roots, matrix


def shorter_side(documents: DocumentOperator, mixture: Mixture) -> Side:
    """Return the side with fewer rows: terms or documents."""
    return (OverDocuments if documents.n_documents < documents.n_terms else OverTerms)(documents, mixture)
