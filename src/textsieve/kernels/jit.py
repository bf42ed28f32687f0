"""The one decorator through which compiled code enters the project.

Kernels release the interpreter lock, so that plain Python threads run them side by side, and are cached on disk,
so that only the first run on a machine compiles. `parallel=True` is never used: together with the cache it has
crashed, and its float sums depend on the number of threads.
"""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

Params = ParamSpec("Params")
Result = TypeVar("Result")

Bytes = NDArray[np.uint8]
Codes = NDArray[np.uint64]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def kernel(function: Callable[Params, Result]) -> Callable[Params, Result]:
    """Compile `function` on first call, without the interpreter lock, and keep the machine code on disk."""
    return cast("Callable[Params, Result]", numba.njit(nogil=True, cache=True)(function))
