from typing import Any

import numpy as np
from numpy.typing import NDArray

def compute_class_weight(class_weight: Any, *, classes: Any, y: Any) -> NDArray[np.float64]: ...
def compute_sample_weight(class_weight: Any, y: Any) -> NDArray[np.float64]: ...
