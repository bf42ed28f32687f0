"""Values of any size: documents are solved in a unit in which their largest value is near 1.

An eigenvalue is a sum of squares of values, and the solver takes squares of those again: of values of 1e90 that is no
number any more, and of 1e-100 it is 0. Eigenvectors do not depend on the unit. The unit is a power of two, so that to
measure in it rounds nothing, and values of usual size are left as they are. Eigenvalues grow as the square of the unit,
and are given for the documents as they were; if they are no numbers then, that is an error.
"""

from typing import Any

import numpy as np

from ..errors import InputError
from ..stats.sums import Floats
from .directions import Directions

_USUAL = 32
"""Powers of two up to which nothing needs to be done."""


def exponent_of(values: Any) -> int:
    """The power of two that is the unit for values: 0 for those of usual size."""
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    exponent = int(np.frexp(largest)[1])
    return exponent if abs(exponent) > _USUAL else 0


def in_unit(values: Floats, exponent: int) -> Floats:
    """The values, measured in a unit; the same array if that is 1."""
    return values if exponent == 0 else np.ldexp(values, -exponent)


def back(found: Directions, exponent: int) -> Directions:
    """Directions with eigenvalues as they are for the documents as they were given."""
    if exponent == 0:
        return found
    with np.errstate(over="ignore", under="ignore"):
        eigenvalues = np.ldexp(found.eigenvalues, 2 * exponent)
    size = np.abs(eigenvalues).max(initial=0.0)
    if len(eigenvalues) and not np.finfo(np.float64).tiny <= size < np.inf:
        kind = "large" if exponent > 0 else "small"
        raise InputError(f"X has values so {kind} that eigenvalues, sums of their squares, are no numbers; scale X.")
    return found._replace(eigenvalues=eigenvalues)
