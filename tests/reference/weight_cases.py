"""Documents with sample weights, and the same documents repeated as often as the weights say."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.reference.stats_cases import Case

BAD_WEIGHTS: dict[str, tuple[Any, str]] = {
    "negative": ([1.0, -0.5, 1.0], r"sample_weight\[1\] is -0\.5"),
    "not a number": ([1.0, 1.0, float("nan")], r"sample_weight\[2\] is nan"),
    "infinite": ([float("inf"), 1.0, 1.0], r"sample_weight\[0\] is inf"),
    "too few": ([1.0, 2.0], r"sample_weight has the shape \(2,\).*3 documents"),
    "too many": ([1.0] * 4, r"sample_weight has the shape \(4,\).*3 documents"),
    "a table": ([[1.0, 2.0]] * 3, r"sample_weight has the shape \(3, 2\).*3 documents"),
    "a number": (2.0, r"sample_weight has the shape \(\)"),
    "text": (["a", "b", "c"], r"sample_weight=\['a', 'b', 'c'\]"),
    "all zero": ([0.0, 0.0, 0.0], "sample_weight is zero for every document"),
    "digits": (["1", "2", "3"], r"sample_weight=\['1', '2', '3'\]"),
    "dates": (np.array(["2020-01-01"] * 3, "M8[D]"), "sample_weight=array"),
    "too small": (
        [5e-324] * 3,
        r"the sum 1\.4822e-323; use weights whose sum is from 1e-100 to 1e\+100",
    ),
    "too large for a float": ([10**400, 1, 1], r"too large for a 64-bit float.*to 1e\+100"),
    "too large": ([1e300, 1e300, 1e300], "sample_weight has the sum 3e\\+300"),
}
"""Invalid weights of three documents, and a pattern of the error message."""


def whole_weights(data: st.DataObject, n_documents: int) -> NDArray[np.int64]:
    """Draw integer weights from 0 to 4, not all of them 0."""
    weights = data.draw(st.lists(st.integers(0, 4), min_size=n_documents, max_size=n_documents).filter(any))
    return np.array(weights, np.int64)


def repeated(case: Case, weights: NDArray[np.int64]) -> Case:
    """Return the documents with each repeated as often as its weight says."""
    return case.part(np.repeat(np.arange(len(weights)), weights).tolist())
