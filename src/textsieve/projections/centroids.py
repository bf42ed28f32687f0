"""The directions that separate the class centroids: orthogonal centroid, weight 1 of the family of trace projections.

S_b = sum_j p_j (m_j - m)(m_j - m)' = M M', where the columns of M (terms x classes) are sqrt(p_j)(m_j - m). Its
eigenvectors are the left singular vectors of M. M is tall, so M = Q R first, with R no larger than classes x classes,
and then R = A Σ B': the directions are the columns of Q A, and the eigenvalues are Σ². The QR alone spans the same
space; the SVD of the small R rotates it so that the first directions hold most of the scatter.

All of this comes from the sums in `ClassStats`. M is dense: two arrays of (terms x classes) numbers of 8 bytes.
"""

import numpy as np
import scipy.linalg

from ..arrays import Floats
from ..kernels.term_scores import means_apart
from ..stats import ClassStats
from ..stats.weights import ClassWeight, class_shares
from .directions import Directions


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
