"""Compute directions from documents or statistics, with a method that suits their size."""

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..arrays import Floats
from ..stats import ClassStats
from ..stats.weights import ClassWeight
from ..warning import warn
from .centroids import centred_centroids, centroid_directions
from .directions import NOTHING, Directions, orthonormal, positive, with_signs
from .documents import DocumentOperator
from .krylov import BLOCK, AdriftError, Found, all_eigenvalues, largest_eigenvalues
from .mixture import Mixture
from .scaling import back, exponent_of, in_unit
from .sides import OverTerms, Side, shorter_side

_SMALL = 1000
"""The largest number of documents or terms for which all eigenvalues are always computed."""

_NOT_LARGE = 3000
"""The largest number for which all are computed if a large share is wanted: some matrices of 72 MB, and seconds."""

_LARGE_SHARE = 1 / 8


def orthogonal_centroid(stats: ClassStats, n_components: int, class_weight: ClassWeight = None) -> Directions:
    """Return the directions of weight 1 that raise the trace, at most `n_components`."""
    centroids = centred_centroids(stats, class_weight)
    exponent = exponent_of(centroids)
    directions = centroid_directions(in_unit(centroids, exponent))
    n_kept = min(n_components, positive(directions.eigenvalues, float(directions.eigenvalues.max(initial=0.0))))
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
    n_kept = positive(span.eigenvalues, float(span.eigenvalues.max(initial=0.0)))
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


def _warn_if_rough(found: Found, tol: float, max_iter: int) -> None:
    if found.residual > tol:
        message = (
            f"After max_iter={max_iter:,} restarts the directions had not converged: the largest residual, as a share "
            f"of the largest eigenvalue, is above tol={tol:.1e}; raise max_iter or tol."
        )
        warn(message, ConvergenceWarning)
