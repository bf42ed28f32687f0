"""The directions of a projection, and their normal form.

An eigenvector is as good as its negative, so the sign is fixed: the entry of largest magnitude is positive, the first
one of equals. A direction raises the trace only if its eigenvalue is positive; an eigenvalue within rounding errors
(`NOTHING` times the largest magnitude) counts as 0.
"""

from typing import NamedTuple

import numpy as np
import scipy.linalg

from ..arrays import Floats

NOTHING = 1e-12
"""Eigenvalues up to this share of the largest count as 0."""


class Directions(NamedTuple):
    """Eigenvalues in descending order, and a direction of length 1 for each, as columns."""

    eigenvalues: Floats
    columns: Floats
    n_iter: int = 1


def positive(eigenvalues: Floats, largest: float) -> int:
    """Return the number of eigenvalues (descending) above 0."""
    return int(np.count_nonzero(eigenvalues > NOTHING * largest))


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
