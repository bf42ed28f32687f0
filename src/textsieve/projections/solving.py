"""From documents or statistics to directions, by the way that suits their size."""

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..stats import ClassStats
from ..stats.shares import ClassWeight
from ..stats.sums import Floats
from ..warning import warn
from .centroids import centred_centroids, centroid_directions
from .directions import NOTHING, Directions, orthonormal, positive, with_signs
from .documents import Documents
from .krylov import BLOCK, AdriftError, Found, all_eigenvalues, largest_eigenvalues
from .mixture import Mixture
from .scaling import back, exponent_of, in_unit
from .sides import OverTerms, Side, shorter_side

_SMALL = 1000
"""Up to so many documents or terms, all eigenvalues are worked out."""

_NOT_LARGE = 3000
"""Up to so many, too, if a large share of them is asked for: some matrices of 72 MB, and seconds."""

_LARGE_SHARE = 1 / 8


def orthogonal_centroid(stats: ClassStats, n_components: int, class_weight: ClassWeight = None) -> Directions:
    """The directions of weight 1 that raise the trace, up to so many."""
    centroids = centred_centroids(stats, class_weight)
    exponent = exponent_of(centroids)
    found = centroid_directions(in_unit(centroids, exponent))
    kept = min(n_components, positive(found.eigenvalues, float(found.eigenvalues.max(initial=0.0))))
    return back(Directions(found.eigenvalues[:kept], with_signs(found.columns[:, :kept])), exponent)


def trace_directions(
    documents: Documents, mixture: Mixture, n_components: int, tol: float, max_iter: int
) -> Directions:
    """The directions of any weight that raise the trace, up to so many."""
    side = shorter_side(documents, mixture)
    if side.size <= max(_SMALL, min(_NOT_LARGE, n_components / _LARGE_SHARE)):
        found = all_eigenvalues(side, n_components)
    else:
        try:
            found = largest_eigenvalues(side, n_components, _start(side, mixture), tol, max_iter)
        except AdriftError:
            side = OverTerms(documents, mixture)
            found = largest_eigenvalues(side, n_components, _start(side, mixture), tol, max_iter)
        _warn_if_rough(found, tol, max_iter)
    if len(found.eigenvalues) == 0 and mixture.n_classes > 1:
        return best_between_centroids(documents, mixture)
    return Directions(found.eigenvalues, with_signs(orthonormal(side.directions(found.vectors))), found.n_iter)


def best_between_centroids(documents: Documents, mixture: Mixture) -> Directions:
    """The direction in which class means lie apart that lowers the trace least; none if they do not lie apart."""
    span = centroid_directions(documents.to_terms(mixture.centroids(np.eye(len(mixture.shares)))).T.copy())
    kept = positive(span.eigenvalues, float(span.eigenvalues.max(initial=0.0)))
    if kept == 0 or np.sqrt(span.eigenvalues[0]) <= NOTHING * documents.largest:  # means that differ by rounding
        return Directions(np.empty(0), np.empty((documents.n_terms, 0)))
    basis = span.columns[:, :kept]
    images = documents.to_terms(mixture.times(documents.to_documents(basis)))
    values, turn = np.linalg.eigh(basis.T @ images)
    return Directions(values[-1:], with_signs(basis @ turn[:, -1:]))


def _start(side: Side, mixture: Mixture) -> Floats:
    """Columns at random. Above weight 1 they mix centroids: all that is positive in S lies near these."""
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
