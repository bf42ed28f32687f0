"""Two ways to write the same directions down, of which the shorter is taken.

Every direction w that S = (J X)' K (J X) does not send to 0 is a combination w = X' J u of documents. So eigenvectors
can be looked for

- over terms: w itself, with S w = (J X)' K (J X w);
- over documents: u, with S X' J u = X' J (K G u), where G = J X X' J; the inner product of two directions is u' G v.

Both have the same form, an operator T that is symmetric in an inner product <u, v> = u' P v: over terms P = I and
T = S, over documents P = G and T = K G.

G sends the constant vector to 0, and with it whatever stands for no direction (two equal documents, one taken off the
other). The inner product does not see such a part of u, so nothing in the solver would keep it from growing until the
rest is lost in its rounding errors. The constant part is taken off wherever a block is made (`centred`); for what other
parts there may be, see `krylov`.
"""

from typing import Protocol

import numpy as np

from ..stats.sums import Floats
from .directions import NOTHING
from .documents import Documents
from .mixture import Mixture


class Side(Protocol):
    """An operator T that is symmetric in the inner product of P."""

    size: int
    euclidean: bool  # whether P = I

    def centred(self, block: Floats) -> Floats:
        """U without what is known to stand for no direction."""

    def dual(self, block: Floats) -> Floats:
        """P U."""

    def step(self, duals: Floats) -> Floats:
        """T U, given P U."""

    def start(self, factors: Floats) -> Floats:
        """The centred centroids times factors."""

    def directions(self, block: Floats) -> Floats:
        """The directions that U stands for, as columns with a number for each term."""

    def whole(self) -> tuple[Floats, Floats]:
        """Of a small side: U that spans all of it, with <U, U> = I, and <U, T U>."""


class OverTerms:
    """Directions as they are."""

    euclidean = True

    def __init__(self, documents: Documents, mixture: Mixture) -> None:
        self.size = documents.n_terms
        self._documents, self._mixture = documents, mixture

    def centred(self, block: Floats) -> Floats:
        """U as it is."""
        return block

    def dual(self, block: Floats) -> Floats:
        """U as it is."""
        return block

    def step(self, duals: Floats) -> Floats:
        """S U."""
        return self._documents.to_terms(self._mixture.times(self._documents.to_documents(duals)))

    def start(self, factors: Floats) -> Floats:
        """The centred centroids times factors."""
        return self._documents.to_terms(self._mixture.centroids(factors))

    def directions(self, block: Floats) -> Floats:
        """U as it is."""
        return block

    def whole(self) -> tuple[Floats, Floats]:
        """The unit directions, and S."""
        even = (1.0 - self._mixture.weight) / self._documents.n_documents
        matrix = even * self._documents.scatter()
        if self._mixture.weight != 0.0:
            centroids = self.start(np.eye(len(self._mixture.shares)))
            matrix += self._mixture.weight * (centroids @ centroids.T)
        return np.eye(self.size), matrix


class OverDocuments:
    """Directions as combinations of documents."""

    euclidean = False

    def __init__(self, documents: Documents, mixture: Mixture) -> None:
        self.size = documents.n_documents
        self._documents, self._mixture = documents, mixture

    def centred(self, block: Floats) -> Floats:
        """J U: what is the same for all documents adds up to no direction."""
        return np.asarray(block - block.mean(axis=0))

    def dual(self, block: Floats) -> Floats:
        """G U."""
        return self._documents.gram(block)

    def step(self, duals: Floats) -> Floats:
        """K G U, given G U."""
        return self._mixture.times(duals)

    def start(self, factors: Floats) -> Floats:
        """The centred centroids times factors."""
        return self._mixture.centroids(factors)

    def directions(self, block: Floats) -> Floats:
        """X' J U."""
        return self._documents.to_terms(block)

    def whole(self) -> tuple[Floats, Floats]:
        """G = Q D Q' without what is 0: U = Q D^(-1/2) and U' G K G U."""
        squares, vectors = np.linalg.eigh(self._documents.products())
        kept = squares > NOTHING * squares[-1]
        roots = np.sqrt(squares[kept])
        duals = vectors[:, kept] * roots
        matrix = duals.T @ self._mixture.times(duals)
        return vectors[:, kept] / roots, matrix


def shorter_side(documents: Documents, mixture: Mixture) -> Side:
    """Terms or documents, whichever are fewer."""
    return (OverDocuments if documents.n_documents < documents.n_terms else OverTerms)(documents, mixture)
