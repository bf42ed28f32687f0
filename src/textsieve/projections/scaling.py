"""Scaling of documents, so that their largest value is near 1 while the directions are computed.

An eigenvalue is a sum of squares of values, and the solver squares those again: for values of 1e90 that overflows, and
for 1e-100 it underflows to 0. Eigenvectors do not depend on the scale. The scale is a power of two, so that scaling
rounds nothing, and values of usual size are left unchanged. Eigenvalues are scaled back by the square of the scale; if
they overflow or underflow then, `InputError` is raised.
"""

from typing import Any

import numpy as np

from ..arrays import Floats
from ..errors import InputError
from .directions import Directions

_USUAL = 32
"""The largest magnitude of an exponent for which values are not scaled."""


def exponent_of(values: Any) -> int:
    """Return the exponent of the power of two to scale values by; 0 for values of usual size."""
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    exponent = int(np.frexp(largest)[1])
    return exponent if abs(exponent) > _USUAL else 0


def in_unit(values: Floats, exponent: int) -> Floats:
    """Return the values divided by 2**exponent; the same array if the exponent is 0."""
    return values if exponent == 0 else np.ldexp(values, -exponent)


def back(found: Directions, exponent: int) -> Directions:
    """Return directions with the eigenvalues of the unscaled documents."""
    if exponent == 0:
        return found
    with np.errstate(over="ignore", under="ignore"):
        eigenvalues = np.ldexp(found.eigenvalues, 2 * exponent)
    size = np.abs(eigenvalues).max(initial=0.0)
    if len(eigenvalues) and not np.finfo(np.float64).tiny <= size < np.inf:
        kind = "large" if exponent > 0 else "small"
        raise InputError(f"X has values so {kind} that eigenvalues, sums of their squares, are no numbers; scale X.")
    return found._replace(eigenvalues=eigenvalues)
