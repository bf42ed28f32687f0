"""Compute the directions of a trace projection from documents or statistics, with a method that suits their size.

A direction raises the trace only if its eigenvalue is positive. An eigenvalue within rounding errors (`ZERO_TOLERANCE`
times the largest magnitude) counts as 0.

**Signs.** If w is an eigenvector, so is -w. The sign is fixed so that the entry of largest magnitude, the first of
equals, is positive.

**Class centroids.** At weight 1, the matrix is S_b = sum_j p_j (m_j - m)(m_j - m)'. Here p_j is the share of class j,
m_j the mean of its documents, and m the mean of the m_j, weighted by p_j. S_b = M M', where the columns of M (terms x
classes) are sqrt(p_j)(m_j - m). The eigenvectors of S_b are the left singular vectors of M. As M usually has many more
terms than classes, it is decomposed in two steps: M = Q R by QR, with R no larger than classes x classes, and then
R = A Σ B' by SVD. The directions are the columns of Q A, and the eigenvalues are Σ². The columns of Q alone would span
the same space; A rotates them so that the first directions hold most of the scatter.

M comes from the sums in `ClassStats`. It is dense: it takes two arrays of (terms x classes) numbers of 8 bytes.

**Scale.** An eigenvalue is a sum of squares of the documents' values, and the solver squares eigenvalues: for values of
1e90 that overflows, and for 1e-100 it underflows to 0. So such values are divided by a power of two, which rounds
nothing; values of usual size are left unchanged. Eigenvectors do not depend on the scale, and eigenvalues are
multiplied by its square afterwards. If they overflow or underflow then, `InputError` is raised.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
from sklearn.exceptions import ConvergenceWarning

from ..arrays import Floats
from ..errors import InputError, warn
from ..kernels.term_scores import means_apart
from ..stats import ClassStats
from ..stats.weights import ClassWeight, class_shares
from .krylov import BLOCK, DriftError, Eigenpairs, all_eigenvalues, count_positive, largest_eigenvalues
from .trace_operator import ZERO_TOLERANCE, CentredDocuments, Mixture, OverTerms, TraceOperator, smaller_operator

_ALWAYS_DENSE = 1000
"""Up to this number of documents or terms, all eigenvalues are computed from a dense matrix."""

_SOMETIMES_DENSE = 3000
"""Up to this number of documents or terms, the same is done if at least `_LARGE_SHARE` of all directions is wanted.

That takes seconds, and a few matrices of up to 72 MB.
"""

_LARGE_SHARE = 1 / 8

_LARGEST_UNSCALED = 32
"""Values up to 2 to this power, and down to its inverse, are not scaled."""


class Directions(NamedTuple):
    """Eigenvalues in descending order, and a direction of length 1 for each, as columns."""

    eigenvalues: Floats
    columns: Floats  # terms x directions
    n_iter: int = 1  # the number of iterations of the eigen-solver; 1 if it was not needed


def orthonormalise(columns: Floats) -> Floats:
    """Return columns that are orthonormal to the last digits, from columns C that are nearly orthonormal.

    With the Cholesky factor C'C = R'R, the columns of C R^-1 are orthonormal.
    """
    factor = scipy.linalg.cholesky(columns.T @ columns)
    return np.asarray(columns @ scipy.linalg.solve_triangular(factor, np.eye(len(factor))))


def fix_signs(columns: Floats) -> Floats:
    """Return each column or its negative, so that its entry of largest magnitude, the first of equals, is positive."""
    # Of each column, the largest magnitude of a positive and of a negative entry.
    largest_positive, largest_negative = columns.max(axis=0, initial=0.0), -columns.min(axis=0, initial=0.0)
    is_flipped = largest_negative > largest_positive
    for number in np.flatnonzero(largest_negative == largest_positive):  # the entry that comes first decides
        column = columns[:, number]
        is_flipped[number] = column[np.abs(column).argmax()] < 0.0
    return columns * np.where(is_flipped, -1.0, 1.0)


def scale_exponent(values: Any) -> int:
    """Return the exponent of the power of two to divide values by, so that the squares of squares stay finite.

    It is 0 for values of usual size, which are not scaled.
    """
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    exponent = int(np.frexp(largest)[1])  # largest = fraction x 2**exponent, with a fraction from 0.5 to below 1
    return exponent if abs(exponent) > _LARGEST_UNSCALED else 0


def scale_down(values: Floats, exponent: int) -> Floats:
    """Return the values divided by 2**exponent; the same array if the exponent is 0."""
    return values if exponent == 0 else np.ldexp(values, -exponent)


def unscale_eigenvalues(directions: Directions, exponent: int) -> Directions:
    """Return directions with the eigenvalues of the documents, given those of documents divided by 2**exponent.

    Raises `InputError` if the largest eigenvalue overflows or underflows.
    """
    if exponent == 0:
        return directions
    with np.errstate(over="ignore", under="ignore"):
        eigenvalues = np.ldexp(directions.eigenvalues, 2 * exponent)  # they are squares of values
    largest = np.abs(eigenvalues).max(initial=0.0)
    if len(eigenvalues) and not np.finfo(np.float64).tiny <= largest < np.inf:
        size = "large" if exponent > 0 else "small"
        raise InputError(
            f"X has values so {size} that eigenvalues, sums of their squares, are no numbers", hint="scale X"
        )
    return directions._replace(eigenvalues=eigenvalues)


def centred_centroids(stats: ClassStats, class_weight: ClassWeight = None) -> Floats:
    """Return M' (classes x terms): for each class j the row sqrt(p_j)(m_j - m).

    p_j is the share of the class, m_j the mean of its documents, and m the mean of the class means, weighted by p_j.
    """
    shares = class_shares(stats.class_docs, class_weight)
    cells = stats.cells
    # m is subtracted in two steps, so that no digits are lost if the class means are close to it: the kernel subtracts
    # a point near m, and the next line the mean of the differences that remain.
    centroids = means_apart(cells.class_starts, stats.class_docs, cells.terms, *cells.sums, stats.n_terms)
    centroids -= shares @ centroids
    centroids *= np.sqrt(shares)[:, np.newaxis]
    return centroids


def centroid_directions(centroids: Floats) -> Directions:
    """Return the eigenvalues and eigenvectors of S_b = M M', given M' (classes x terms), which is overwritten.

    They are the squared singular values and the left singular vectors of M = Q R, which follow from those of the small
    R.
    """
    q, r = scipy.linalg.qr(centroids.T, mode="economic", overwrite_a=True, check_finite=False)
    rotation, singular_values, _ = scipy.linalg.svd(r, full_matrices=False)
    return Directions(singular_values * singular_values, q @ rotation)


def orthogonal_centroid(stats: ClassStats, n_components: int, class_weight: ClassWeight = None) -> Directions:
    """Return the directions that maximise the trace at weight 1, at most `n_components`, from statistics.

    Only directions with an eigenvalue above 0 raise the trace, so there may be fewer.
    """
    centroids = centred_centroids(stats, class_weight)
    exponent = scale_exponent(centroids)
    eigenvalues, columns, _ = centroid_directions(scale_down(centroids, exponent))  # overwrites the centroids
    n_kept = min(n_components, count_positive(eigenvalues, float(eigenvalues.max(initial=0.0))))
    return unscale_eigenvalues(Directions(eigenvalues[:n_kept], fix_signs(columns[:, :n_kept])), exponent)


def trace_directions(
    documents: CentredDocuments, mixture: Mixture, n_components: int, tol: float, max_iter: int
) -> Directions:
    """Return the directions that maximise the trace at the mixture's weight, at most `n_components`, from documents.

    Only directions with an eigenvalue above 0 raise the trace, so there may be fewer. If there are none, but several
    classes, the result is the direction between class means that lowers the trace least.
    """
    operator = smaller_operator(documents, mixture)
    # If the size is at most n_components / _LARGE_SHARE, at least this share of all directions is wanted.
    if operator.size <= max(_ALWAYS_DENSE, min(_SOMETIMES_DENSE, n_components / _LARGE_SHARE)):
        eigen = all_eigenvalues(operator, n_components)
    else:
        try:
            eigen = largest_eigenvalues(operator, n_components, _start_block(operator, mixture), tol, max_iter)
        except DriftError:  # rounding errors grew too large over documents, which cannot happen over terms
            operator = OverTerms(documents, mixture)
            eigen = largest_eigenvalues(operator, n_components, _start_block(operator, mixture), tol, max_iter)
        _warn_if_not_converged(eigen, tol, max_iter)
    if len(eigen.eigenvalues) == 0 and mixture.n_classes > 1:
        return best_between_centroids(documents, mixture)
    columns = fix_signs(orthonormalise(operator.directions(eigen.vectors)))
    return Directions(eigen.eigenvalues, columns, eigen.n_iter)


def best_between_centroids(documents: CentredDocuments, mixture: Mixture) -> Directions:
    """Return the direction within the span of the class means that lowers the trace least, if none raises it.

    If the means are equal, return no direction.
    """
    centroids = documents.to_terms(mixture.combine_centroids(np.eye(len(mixture.shares))))  # M (terms x classes)
    span = centroid_directions(centroids.T.copy())
    n_kept = count_positive(span.eigenvalues, float(span.eigenvalues.max(initial=0.0)))
    # The second condition: means that differ only by rounding errors are equal.
    if n_kept == 0 or np.sqrt(span.eigenvalues[0]) <= ZERO_TOLERANCE * documents.largest:
        return Directions(np.empty(0), np.empty((documents.n_terms, 0)))
    # Restrict S to the span of the class means; the eigenvector of its largest eigenvalue is the best direction there.
    basis = span.columns[:, :n_kept]
    images = documents.to_terms(mixture.multiply(documents.to_documents(basis)))  # S times the basis
    values, vectors = np.linalg.eigh(basis.T @ images)
    return Directions(values[-1:], fix_signs(basis @ vectors[:, -1:]))


def _start_block(operator: TraceOperator, mixture: Mixture) -> Floats:
    """Return the columns with which the solver starts: random ones, the same in every run.

    Above weight 1, all eigenvectors with positive eigenvalues are close to combinations of centroids, so some of the
    columns are random combinations of these.
    """
    random = np.random.default_rng(1).standard_normal
    if mixture.weight <= 1.0:
        return random((operator.size, BLOCK))
    # At least one: above weight 1, `TraceProjection` requires two classes.
    n_combinations = min(BLOCK, mixture.n_classes - 1)
    combinations = operator.combine_centroids(random((len(mixture.shares), n_combinations)))
    # The other columns are random, with entries of a similar magnitude.
    others = np.abs(combinations).max() * random((operator.size, BLOCK - n_combinations))
    return np.hstack([combinations, others])


def _warn_if_not_converged(solution: Eigenpairs, tol: float, max_iter: int) -> None:
    """Warn if the largest residual is above `tol`: the eigen-solver then stopped because of `max_iter`."""
    if solution.residual > tol:
        message = (
            f"After max_iter={max_iter:,} restarts the directions had not converged: the largest residual, as a share "
            f"of the largest eigenvalue, is above tol={tol:.1e}; raise max_iter or tol."
        )
        warn(message, ConvergenceWarning)
