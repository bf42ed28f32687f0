from typing import Any, Self

from .base import BaseEstimator

class IsotonicRegression(BaseEstimator):
    X_thresholds_: Any
    y_thresholds_: Any
    def __init__(self, *, out_of_bounds: str = "nan") -> None: ...
    def fit(self, X: Any, y: Any) -> Self: ...
    def predict(self, T: Any) -> Any: ...
