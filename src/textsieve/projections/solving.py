"""Compute directions from documents or statistics, with a method that suits their size.

**Signs.** An eigenvector is as good as its negative, so the sign is fixed: the entry of largest magnitude is positive,
the first one of equals. A direction raises the trace only if its eigenvalue is positive; an eigenvalue within rounding
errors (`NOTHING` times the largest magnitude) counts as 0.

**Class centroids.** At weight 1, S_b = sum_j p_j (m_j - m)(m_j - m)' = M M', where the columns of M (terms x classes)
are sqrt(p_j)(m_j - m). Its eigenvectors are the left singular vectors of M. M is tall, so M = Q R first, with R no
larger than classes x classes, and then R = A Σ B': the directions are the columns of Q A, and the eigenvalues are Σ².
The QR alone spans the same space; the SVD of the small R rotates it so that the first directions hold most of the
scatter.

All of this comes from the sums in `ClassStats`. M is dense: two arrays of (terms x classes) numbers of 8 bytes.

**Scale.** An eigenvalue is a sum of squares of values, and the solver squares those again: for values of 1e90 that
overflows, and for 1e-100 it underflows to 0. Eigenvectors do not depend on the scale. The scale is a power of two, so
that scaling rounds nothing, and values of usual size are left unchanged. Eigenvalues are scaled back by the square of
the scale; if they overflow or underflow then, `InputError` is raised.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
from sklearn.exceptions import ConvergenceWarning

from ..arrays import Floats
from ..errors import InputError
from ..kernels.term_scores import means_apart
from ..stats import ClassStats
from ..stats.weights import ClassWeight, class_shares
from ..warning import warn
from .krylov import BLOCK, AdriftError, Eigenpairs, all_eigenvalues, count_positive, largest_eigenvalues
from .trace_operator import NOTHING, DocumentOperator, Mixture, OverTerms, Side, shorter_side

_SMALL = 1000
"""The largest number of documents or terms for which all eigenvalues are always computed."""

_NOT_LARGE = 3000
"""The largest number for which all are computed if a large share is wanted: some matrices of 72 MB, and seconds."""

_LARGE_SHARE = 1 / 8

_USUAL = 32
"""The largest magnitude of an exponent for which values are not scaled."""


class Directions(NamedTuple):
    """Eigenvalues in descending order, and a direction of length 1 for each, as columns."""

    eigenvalues: Floats
    columns: Floats
    n_iter: int = 1


def orthonormal(columns: Floats) -> Floats:
    """Return columns that are orthonormal to the last digits, from columns that are so up to rounding errors."""
    root = scipy.linalg.cholesky(columns.T @ columns)
    return np.asarray(columns @ scipy.linalg.solve_triangular(root, np.eye(len(root))))


def with_signs(columns: Floats) -> Floats:
    """Return the columns with signs such that the entry of largest magnitude is positive."""
    above, below = columns.max(axis=0, initial=0.0), -columns.min(axis=0, initial=0.0)
    is_flipped = below > above
    for number in np.flatnonzero(below == above):
        column = columns[:, number]
        is_flipped[number] = column[np.abs(column).argmax()] < 0.0
    return columns * np.where(is_flipped, -1.0, 1.0)


def exponent_of(values: Any) -> int:
    """Return the exponent of the power of two to scale values by; 0 for values of usual size."""
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    exponent = int(np.frexp(largest)[1])
    return exponent if abs(exponent) > _USUAL else 0


def in_unit(values: Floats, exponent: int) -> Floats:
    """Return the values divided by 2**exponent; the same array if the exponent is 0."""
    return values if exponent == 0 else np.ldexp(values, -exponent)


def back(directions: Directions, exponent: int) -> Directions:
    """Return directions with the eigenvalues of the unscaled documents."""
    if exponent == 0:
        return directions
    with np.errstate(over="ignore", under="ignore"):
        eigenvalues = np.ldexp(directions.eigenvalues, 2 * exponent)
    size = np.abs(eigenvalues).max(initial=0.0)
    if len(eigenvalues) and not np.finfo(np.float64).tiny <= size < np.inf:
        kind = "large" if exponent > 0 else "small"
        raise InputError(f"X has values so {kind} that eigenvalues, sums of their squares, are no numbers; scale X.")
    return directions._replace(eigenvalues=eigenvalues)


def centred_centroids(stats: ClassStats, class_weight: ClassWeight = None) -> Floats:
    """Return a row for each class: its mean minus the mean of all classes, times the square root of its share."""
    shares = class_shares(stats.class_docs, class_weight)
    cells = stats.cells
    centroids = means_apart(cells.class_starts, stats.class_docs, cells.terms, *cells.sums, stats.n_terms)
    centroids -= shares @ centroids
    centroids *= np.sqrt(shares)[:, np.newaxis]
    return centroids


def centroid_directions(centroids: Floats) -> Directions:
    """Return the eigenvectors of S_b, given the centred centroids, which are overwritten."""
    span, rest = scipy.linalg.qr(centroids.T, mode="economic", overwrite_a=True, check_finite=False)
    turn, sizes, _ = scipy.linalg.svd(rest, full_matrices=False)
    return Directions(sizes * sizes, span @ turn)


def orthogonal_centroid(stats: ClassStats, n_components: int, class_weight: ClassWeight = None) -> Directions:
    """Return the directions of weight 1 that raise the trace, at most `n_components`."""
    centroids = centred_centroids(stats, class_weight)
    exponent = exponent_of(centroids)
    directions = centroid_directions(in_unit(centroids, exponent))
    n_kept = min(n_components, count_positive(directions.eigenvalues, float(directions.eigenvalues.max(initial=0.0))))
    return back(Directions(directions.eigenvalues[:n_kept], with_signs(directions.columns[:, :n_kept])), exponent)


def trace_directions(
    documents: DocumentOperator, mixture: Mixture, n_components: int, tol: float, max_iter: int
) -> Directions:
    """Return the directions of any weight that raise the trace, at most `n_components`."""
    side = shorter_side(documents, mixture)
    if side.size <= max(_SMALL, min(_NOT_LARGE, n_components / _LARGE_SHARE)):
        eigen = all_eigenvalues(side, n_components)
    else:
        try:
            eigen = largest_eigenvalues(side, n_components, _start(side, mixture), tol, max_iter)
        except AdriftError:
            side = OverTerms(documents, mixture)
            eigen = largest_eigenvalues(side, n_components, _start(side, mixture), tol, max_iter)
        _warn_if_rough(eigen, tol, max_iter)
    if len(eigen.eigenvalues) == 0 and mixture.n_classes > 1:
        return best_between_centroids(documents, mixture)
    return Directions(eigen.eigenvalues, with_signs(orthonormal(side.directions(eigen.vectors))), eigen.n_iter)


def best_between_centroids(documents: DocumentOperator, mixture: Mixture) -> Directions:
    """Return the direction between class means that lowers the trace least; none if the means are equal."""
    span = centroid_directions(documents.to_terms(mixture.centroids(np.eye(len(mixture.shares)))).T.copy())
    n_kept = count_positive(span.eigenvalues, float(span.eigenvalues.max(initial=0.0)))
    if n_kept == 0 or np.sqrt(span.eigenvalues[0]) <= NOTHING * documents.largest:  # means that differ only by rounding
        return Directions(np.empty(0), np.empty((documents.n_terms, 0)))
    basis = span.columns[:, :n_kept]
    images = documents.to_terms(mixture.times(documents.to_documents(basis)))
    values, turn = np.linalg.eigh(basis.T @ images)
    return Directions(values[-1:], with_signs(basis @ turn[:, -1:]))


def _start(side: Side, mixture: Mixture) -> Floats:
    """Return random start columns.

    Above weight 1, some of them mix centroids, which all eigenvectors with positive eigenvalues are close to.
    """
    random = np.random.default_rng(1).standard_normal
    if mixture.weight <= 1.0:
        return random((side.size, BLOCK))
    n_mixed = min(BLOCK, mixture.n_classes - 1)
    mixed = side.start(random((len(mixture.shares), n_mixed)))
    return np.hstack([mixed, np.abs(mixed).max() * random((side.size, BLOCK - n_mixed))])


def _warn_if_rough(solution: Eigenpairs, tol: float, max_iter: int) -> None:
    if solution.residual > tol:
        message = (
            f"After max_iter={max_iter:,} restarts the directions had not converged: the largest residual, as a share "
            f"of the largest eigenvalue, is above tol={tol:.1e}; raise max_iter or tol."
        )
        warn(message, ConvergenceWarning)
