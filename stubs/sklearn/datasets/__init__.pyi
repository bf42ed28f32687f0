from typing import Literal

import numpy as np
from numpy.typing import NDArray

def load_iris(*, return_X_y: Literal[True]) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
