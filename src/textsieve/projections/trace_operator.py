"""The trace objective S(λ) as an operator: products with it, without a matrix of terms x terms unless terms are few.

**Centred documents.** Let X be the matrix of N documents and J = I - 11'/N, which subtracts the mean from a column.
Then J X are the centred documents. For sparse documents, J X is never computed, because it is dense. A product of J X
and a vector w (a number for each term) is computed as J (X w), and a product of its transpose and a vector u (a number
for each document) as X' (J u): both multiply the sparse X, and subtract a mean from a vector. Dense documents are
centred directly.

Most terms occur in one document only. Such a term adds to X X' only the square of its weight, in one entry of the
diagonal, so products with X X' skip it; with 20 Newsgroups that leaves 56,000 terms of 130,000.

If a term is in all documents, its mean may be so large, compared with the differences between its values, that
subtracting it loses these in rounding errors. So the value of the term in the first document is subtracted from all its
values first. J X stays the same, because J subtracts the mean that remains.

**The objective.** The mean of a class is a combination of documents, so S_b, like C, can be computed from the centred
documents J X alone. Let n_j be the size of class j, p_j its share, and 1_j the vector with 1 for the documents of the
class and 0 for others. Then X' (1_j / n_j) is m_j, the mean of the class. With v = sum_j (p_j / n_j) 1_j, X' v is m,
the mean of the m_j weighted by p_j. Let A (documents x classes) be the matrix with the columns a_j = sqrt(p_j) (1_j /
n_j - v), so that X' a_j = sqrt(p_j)(m_j - m). As each a_j sums to 0, J does not change it, and

    S(λ) = λ S_b + (1 - λ) C = (J X)' K (J X)        with K = λ A A' + ((1 - λ) / N) I.

A is sparse except for v, so a product with K is cheap. Unlabelled documents are rows of zeros in A, and a multilabel
document has an entry for each label.

**Terms or documents.** An eigenvector w of S with an eigenvalue other than 0 is a combination w = X' J u of documents.
So eigenvectors can be computed in two ways, of which the one with the shorter vectors is used:

- over terms: w itself, with S w = (J X)' K (J X w);
- over documents: u, with S X' J u = X' J (K G u), where G = J X X' J; the inner product of the directions that two
  vectors u and v represent is u' G v.

Both ways have the same form, so one solver works for both: the eigenvectors of an operator T are wanted, and T is
symmetric in an inner product <u, v> = u' P v. Over terms P = I and T = S, over documents P = G and T = K G.

Over documents, some vectors u represent no direction, because X' J u = 0: the constant vector, and for example the
difference of two equal documents. G maps them to 0, so if a vector has such a part, the inner product does not see it.
Nothing in the solver would keep the part from growing until the rest of the vector is lost in its rounding errors. So
the constant part is subtracted from every new block (`remove_constant`); `krylov` explains how other such parts are
handled.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..arrays import Floats, Ints
from ..kernels.csr import multiply_rows
from ..stats.labels import LabelPairs
from ..threads import parallel_map

ZERO_TOLERANCE = 1e-12
"""Eigenvalues up to this share of the largest count as 0.

Over documents, this also applies to the eigenvalues of G. They are sums of squares of the documents' values, so a
direction in which the values are a millionth of those in the largest direction, or less, counts as 0 and may be lost.
Other directions are then wrong by at most that share.
"""

_PARTS_PER_THREAD = 4
"""The number of parts of the rows for each thread: several, so that threads that finish early get another one."""

_ROWS_PER_BATCH = 256
"""The number of rows of a Gram matrix that are computed at a time."""


class CentredDocuments(Protocol):
    """The centred documents J X, as an operator: X are the documents, and J subtracts the mean document.

    W has a column for each direction (terms x directions), and U a column for each linear combination of documents
    (documents x combinations).
    """

    n_documents: int
    n_terms: int
    mean: Floats  # of the documents
    largest: float  # the largest magnitude of a value; sparse documents are shifted first

    def to_documents(self, directions: Floats) -> Floats:
        """Return J X W for W = `directions`: the centred documents projected on them (documents x directions)."""

    def to_terms(self, combinations: Floats) -> Floats:
        """Return X' J U for U = `combinations`: these combinations of centred documents (terms x combinations)."""

    def apply_gram(self, combinations: Floats) -> Floats:
        """Return G U for U = `combinations`, where G = J X X' J is the Gram matrix of the centred documents."""

    def scatter_matrix(self) -> Floats:
        """Return the scatter matrix X' J X of the centred documents (terms x terms), for few terms."""

    def gram_matrix(self) -> Floats:
        """Return the Gram matrix G = J X X' J of the centred documents (documents x documents), for few documents."""


class DenseDocuments:
    """Documents given as a dense array, which is centred directly."""

    def __init__(self, rows: Floats) -> None:
        self.n_documents, self.n_terms = rows.shape
        # Subtracting the first document first avoids rounding errors if the mean is much larger than the differences.
        centred = rows - rows[0]
        shifted_mean = centred.mean(axis=0)
        centred -= shifted_mean
        self.mean = rows[0] + shifted_mean
        self._rows = centred
        self.largest = float(np.abs(rows).max(initial=0.0))

    def to_documents(self, directions: Floats) -> Floats:
        """Return J X W for W = `directions`: the centred documents projected on them (documents x directions)."""
        return np.asarray(self._rows @ directions)

    def to_terms(self, combinations: Floats) -> Floats:
        """Return X' J U for U = `combinations`: these combinations of centred documents (terms x combinations)."""
        return np.asarray(self._rows.T @ combinations)

    def apply_gram(self, combinations: Floats) -> Floats:
        """Return G U for U = `combinations`, where G = J X X' J is the Gram matrix of the centred documents."""
        return self.to_documents(self.to_terms(combinations))

    def scatter_matrix(self) -> Floats:
        """Return the scatter matrix X' J X of the centred documents (terms x terms)."""
        return np.asarray(self._rows.T @ self._rows)

    def gram_matrix(self) -> Floats:
        """Return the Gram matrix J X X' J of the centred documents (documents x documents)."""
        return np.asarray(self._rows @ self._rows.T)


class _SharedTerms(NamedTuple):
    """The terms that occur in several documents, with which products with X X' are computed.

    A term that occurs in one document only adds the square of its weight to the diagonal of X X'.
    """

    terms: Ints  # by descending document frequency, so that frequent terms are adjacent in memory
    positions: NDArray[Any]  # for each value of the matrix: the position of its term in `terms`, or len(terms)
    diagonal: Floats  # for each document: the sum of the squared weights of terms that only it has


class SparseDocuments:
    """Documents given as sparse rows with sorted columns; they are also stored by term, which doubles their memory."""

    def __init__(self, rows: csr_array, n_threads: int) -> None:
        self.n_documents, self.n_terms = rows.shape
        self._n_threads = n_threads
        self._doc_freq = np.bincount(rows.indices, minlength=self.n_terms)
        # From the values of a term that is in all documents, subtract its value in the first document. Centring then
        # loses no digits if the mean is much larger than the differences.
        shift = np.zeros(self.n_terms)
        first_terms = rows.indices[: rows.indptr[1]]
        is_in_all = self._doc_freq[first_terms] == self.n_documents
        shift[first_terms] = np.where(is_in_all, rows.data[: len(first_terms)], 0.0)
        if shift.any():
            rows = csr_array((rows.data - shift[rows.indices], rows.indices, rows.indptr), shape=rows.shape)
        self._rows = rows
        self._shifted_mean = np.bincount(rows.indices, rows.data, self.n_terms) / self.n_documents
        self.mean = shift + self._shifted_mean
        self.largest = float(np.abs(rows.data).max(initial=0.0))  # of the shifted values

    @cached_property
    def _by_term(self) -> csr_array:
        """Return the documents stored by term: X' as sparse rows."""
        return csr_array(self._rows.T)

    @cached_property
    def _shared_terms(self) -> _SharedTerms:
        """Return the terms that occur in several documents, and the diagonal that the other terms add to X X'."""
        by_doc_freq = np.argsort(-self._doc_freq, kind="stable")
        terms = by_doc_freq[: np.count_nonzero(self._doc_freq > 1)]
        position_of = np.full(self.n_terms, len(terms), self._rows.indices.dtype)  # len(terms) if it is not shared
        position_of[terms] = np.arange(len(terms))
        positions = position_of[self._rows.indices]
        unshared_values = np.where(positions == len(terms), self._rows.data, 0.0)
        row_of = np.repeat(np.arange(self.n_documents), np.diff(self._rows.indptr))  # the row of each value
        diagonal = np.bincount(row_of, unshared_values * unshared_values, self.n_documents).astype(np.float64)
        return _SharedTerms(terms, positions, diagonal)

    def to_documents(self, directions: Floats) -> Floats:
        """Return J X W for W = `directions`: the centred documents projected on them (documents x directions)."""
        return _centred(self._multiply(self._rows, self._rows.indices, np.arange(self.n_documents), directions))

    def to_terms(self, combinations: Floats) -> Floats:
        """Return X' J U for U = `combinations`: these combinations of centred documents (terms x combinations)."""
        return self._multiply(self._by_term, self._by_term.indices, np.arange(self.n_terms), _centred(combinations))

    def apply_gram(self, combinations: Floats) -> Floats:
        """Return G U for U = `combinations`, where G = J X X' J is the Gram matrix of the centred documents.

        A term of a single document adds just its squared weight to X X', on the diagonal. So products are computed with
        the terms that several documents share, and `diagonal` has for each document what its other terms add.
        """
        terms, positions, diagonal = self._shared_terms
        centred = _centred(combinations)  # J U
        # X' J U for the shared terms. The row of zeros at the end belongs to all terms that are not shared.
        by_term = self._multiply(self._by_term, self._by_term.indices, terms, centred, n_zero_rows=1)
        products = self._multiply(self._rows, positions, np.arange(self.n_documents), by_term)
        products += diagonal[:, np.newaxis] * centred
        return _centred(products)

    def scatter_matrix(self) -> Floats:
        """Return the scatter matrix X' J X = X' X - N m m' (terms x terms) of N documents; only called for few terms.

        X and its mean m are the shifted ones; the shift does not change X' J X.
        """
        products = (self._rows.T @ self._rows).toarray()
        products -= self.n_documents * np.outer(self._shifted_mean, self._shifted_mean)
        return np.asarray(products)

    def gram_matrix(self) -> Floats:
        """Return the Gram matrix G = J X X' J of the centred documents (documents x documents).

        It is computed for some documents at a time, so that no second matrix of its size is needed.
        """
        products = np.empty((self.n_documents, self.n_documents))
        for begin in range(0, self.n_documents, _ROWS_PER_BATCH):
            batch = slice(begin, begin + _ROWS_PER_BATCH)
            products[batch] = (self._rows[batch] @ self._by_term).toarray()
        products -= products.mean(axis=0)  # J from the left, then from the right
        products -= products.mean(axis=1)[:, np.newaxis]
        return products

    def _multiply(
        self, matrix: csr_array, columns: NDArray[Any], row_numbers: Ints, block: Floats, n_zero_rows: int = 0
    ) -> Floats:
        """Return the given rows of a matrix times a dense block, followed by some rows of zeros.

        `columns` replaces the column indices of the matrix: it has for each stored value the number of the row of the
        block to multiply it with. `apply_gram` uses this to number the shared terms from 0.
        """
        block = np.ascontiguousarray(block)
        products = np.empty((len(row_numbers) + n_zero_rows, block.shape[1]))
        products[len(row_numbers) :] = 0.0
        n_values = matrix.indptr[row_numbers + 1] - matrix.indptr[row_numbers]  # of each row
        ends = np.cumsum(n_values)
        _run_in_parts(
            lambda begin, end: multiply_rows(
                matrix.indptr, columns, matrix.data, row_numbers, block, begin, end, products
            ),
            ends,
            self._n_threads,
        )
        return products


def _run_in_parts(work: Callable[[int, int], None], ends: Ints, n_threads: int) -> None:
    """Call `work(begin, end)` for ranges of rows on several threads.

    `ends` has the number of values up to the end of each row; all ranges have about the same number of values.
    """
    if n_threads == 1 or len(ends) == 0:
        work(0, len(ends))
        return
    n_parts = _PARTS_PER_THREAD * n_threads
    # The rows at which the number of values passes 1/n_parts, 2/n_parts, ... of all values.
    cuts = np.searchsorted(ends, ends[-1] * np.arange(1, n_parts) / n_parts)
    bounds = [0, *cuts.tolist(), len(ends)]
    parallel_map(lambda part: work(*bounds[part : part + 2]), n_parts, n_threads)


def _centred(columns: Floats) -> Floats:
    """Return each column minus its mean, which is J U for columns U."""
    return np.ascontiguousarray(columns - columns.mean(axis=0))


class Mixture:
    """The operator K = λ A A' + ((1 - λ) / N) I, which mixes the scatter of class means with that of N documents.

    With the centred documents J X, the trace objective is S = (J X)' K (J X). `weight` is λ, and `shares` has the share
    p_j of each class. X' times column j of A (documents x classes) is the centred centroid of class j, times sqrt(p_j).
    """

    def __init__(self, weight: float, pairs: LabelPairs, shares: Floats) -> None:
        class_sizes = np.diff(pairs.class_starts)
        class_numbers = np.repeat(np.arange(len(class_sizes)), class_sizes)
        divisors = np.maximum(class_sizes, 1)  # avoids a division by zero for classes without documents
        shape = pairs.n_documents, len(class_sizes)
        # A is stored in two parts, because v is dense. 1_j marks the documents of class j, and n_j is their number.
        # A = members - v roots', where column j of members is sqrt(p_j) 1_j / n_j, and roots has sqrt(p_j).
        entries = (np.sqrt(shares) / divisors)[class_numbers]
        self._members = csr_array((entries, (pairs.documents, class_numbers)), shape=shape)
        self._members_by_class = csr_array(self._members.T)
        self._v = np.bincount(pairs.documents, (shares / divisors)[class_numbers], shape[0])[:, np.newaxis]
        self._roots = np.sqrt(shares)[:, np.newaxis]
        self.weight = weight
        self.shares = shares
        self.n_classes = int(np.count_nonzero(class_sizes))  # with documents

    def multiply(self, block: Floats) -> Floats:
        """Return K U for the columns U of a block (documents x columns)."""
        identity_part = block * ((1.0 - self.weight) / len(block))
        if self.weight == 0.0:
            return identity_part
        by_class = self._members_by_class @ block - self._roots * (self._v.T @ block)  # A' U
        return identity_part + self.weight * self.combine_centroids(by_class)

    def combine_centroids(self, factors: Floats) -> Floats:
        """Return A F for F = `factors` (classes x columns): combinations of documents (documents x columns).

        The columns of X' A are the centred class centroids times sqrt(p_j), so X' (A F) combines these with the factors
        F.
        """
        return np.asarray(self._members @ factors - self._v * (self._roots.T @ factors))


class TraceOperator(Protocol):
    """The operator T over terms or over documents, which is symmetric in the inner product <u, v> = u' P v.

    Its eigenvectors represent those of the trace objective S. U is a block of columns of length `size`, each of which
    represents a direction.
    """

    size: int
    is_euclidean: bool  # whether P = I

    def remove_constant(self, block: Floats) -> Floats:
        """Return U without its constant part, over documents; over terms, return U unchanged."""

    def dual(self, block: Floats) -> Floats:
        """Return the duals P U of the columns U, with which inner products are computed: <U, V> = (P U)' V."""

    def apply(self, duals: Floats) -> Floats:
        """Return T U, given the duals P U."""

    def combine_centroids(self, factors: Floats) -> Floats:
        """Return columns that represent combinations of the centred centroids, given factors (classes x columns)."""

    def directions(self, block: Floats) -> Floats:
        """Return the directions that U represents, as columns with a number for each term."""

    def basis_and_matrix(self) -> tuple[Floats, Floats]:
        """Return a basis U of all directions with <U, U> = I, and T in this basis, the dense matrix <U, T U>.

        Both are dense, so this is meant for a small `size`.
        """


class OverTerms:
    """The operator over terms, T = S and P = I: a direction is represented by itself, a vector over the terms."""

    is_euclidean = True

    def __init__(self, documents: CentredDocuments, mixture: Mixture) -> None:
        self.size = documents.n_terms
        self._documents, self._mixture = documents, mixture

    def remove_constant(self, block: Floats) -> Floats:
        """Return U unchanged: over terms, a constant vector is a direction like any other."""
        return block

    def dual(self, block: Floats) -> Floats:
        """Return U unchanged: the inner product is the usual one."""
        return block

    def apply(self, duals: Floats) -> Floats:
        """Return S U = X' J K J X U, a product with the trace objective S, for columns U = `duals` over terms."""
        return self._documents.to_terms(self._mixture.multiply(self._documents.to_documents(duals)))

    def combine_centroids(self, factors: Floats) -> Floats:
        """Return combinations of the centred class centroids, as columns over terms (terms x columns)."""
        return self._documents.to_terms(self._mixture.combine_centroids(factors))

    def directions(self, block: Floats) -> Floats:
        """Return U unchanged: its columns are the directions."""
        return block

    def basis_and_matrix(self) -> tuple[Floats, Floats]:
        """Return the identity as a basis of all directions, and the matrix S = λ S_b + (1 - λ) C (terms x terms)."""
        weight = self._mixture.weight  # λ
        matrix = (1.0 - weight) / self._documents.n_documents * self._documents.scatter_matrix()  # (1 - λ) C
        if weight != 0.0:
            centroids = self.combine_centroids(np.eye(len(self._mixture.shares)))
            matrix += weight * (centroids @ centroids.T)  # λ S_b
        return np.eye(self.size), matrix


class OverDocuments:
    """The operator over documents, T = K G and P = G: u represents the direction X' J u.

    G = J X X' J is the Gram matrix of the centred documents, and K the operator of `Mixture`.
    """

    is_euclidean = False

    def __init__(self, documents: CentredDocuments, mixture: Mixture) -> None:
        self.size = documents.n_documents
        self._documents, self._mixture = documents, mixture

    def remove_constant(self, block: Floats) -> Floats:
        """Return each column of U minus its mean, since a constant vector represents no direction."""
        return np.asarray(block - block.mean(axis=0))

    def dual(self, block: Floats) -> Floats:
        """Return the duals G U of the columns U, where G is the Gram matrix of the centred documents."""
        return self._documents.apply_gram(block)

    def apply(self, duals: Floats) -> Floats:
        """Return T U = K G U, given the duals G U."""
        return self._mixture.multiply(duals)

    def combine_centroids(self, factors: Floats) -> Floats:
        """Return combinations of documents that represent combinations of the centred class centroids."""
        return self._mixture.combine_centroids(factors)

    def directions(self, block: Floats) -> Floats:
        """Return X' J U, the directions that the combinations U of centred documents represent (terms x columns)."""
        return self._documents.to_terms(block)

    def basis_and_matrix(self) -> tuple[Floats, Floats]:
        """Return a basis U of all directions with <U, U> = U' G U = I, and the matrix <U, T U> = U' G K G U.

        With the eigenvectors Q and the eigenvalues D of the Gram matrix G = Q D Q', U = Q D^(-1/2) is such a basis.
        Eigenvectors whose eigenvalue is 0 are left out, because they represent no direction.
        """
        eigenvalues, vectors = np.linalg.eigh(self._documents.gram_matrix())
        is_nonzero = eigenvalues > ZERO_TOLERANCE * eigenvalues[-1]  # the last one is the largest
        vectors, roots = vectors[:, is_nonzero], np.sqrt(eigenvalues[is_nonzero])
        duals = vectors * roots  # G U
        return vectors / roots, duals.T @ self._mixture.multiply(duals)


def smaller_operator(documents: CentredDocuments, mixture: Mixture) -> TraceOperator:
    """Return the operator over terms or over documents, whichever are fewer."""
    return (OverDocuments if documents.n_documents < documents.n_terms else OverTerms)(documents, mixture)
