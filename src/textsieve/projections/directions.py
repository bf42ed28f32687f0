"""What a projection consists of, and the form that it is brought into.

An eigenvector is as good as its negative, so a sign is agreed upon: the entry of largest magnitude is positive, the
first one of equals. A direction raises the trace only if its eigenvalue is positive; one that is smaller than rounding
errors can make it (`NOTHING` of the largest in magnitude) counts as 0.
"""

from typing import NamedTuple

import numpy as np
import scipy.linalg

from ..stats.sums import Floats

NOTHING = 1e-12
"""An eigenvalue that is no larger than this share of the largest is taken for 0."""


class Directions(NamedTuple):
    """Eigenvalues in descending order, and a direction for each; a direction is a column, of length 1."""

    eigenvalues: Floats
    columns: Floats
    n_iter: int = 1


def positive(eigenvalues: Floats, largest: float) -> int:
    """How many of the eigenvalues, which descend, are above 0."""
    return int(np.count_nonzero(eigenvalues > NOTHING * largest))


def orthonormal(columns: Floats) -> Floats:
    """Columns that are orthonormal but for rounding errors, made so to the last digits."""
    root = scipy.linalg.cholesky(columns.T @ columns)
    return np.asarray(columns @ scipy.linalg.solve_triangular(root, np.eye(len(root))))


def with_signs(columns: Floats) -> Floats:
    """The columns, each with a positive sign where its magnitude is largest."""
    above, below = columns.max(axis=0, initial=0.0), -columns.min(axis=0, initial=0.0)
    turned = below > above
    for number in np.flatnonzero(below == above):
        column = columns[:, number]
        turned[number] = column[np.abs(column).argmax()] < 0.0
    return columns * np.where(turned, -1.0, 1.0)
