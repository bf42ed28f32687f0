"""Type aliases for numpy arrays, shared by all packages."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Int32s = NDArray[np.int32]
Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Codes = NDArray[np.uint64]
"""Numbers packed into 64 bits, or sets of bits."""
Counts = NDArray[Any]
"""Numbers of documents: int64, or float64 where documents have weights that are not integers."""
