from typing import Any, Self

from .base import BaseEstimator

class LogisticRegression(BaseEstimator):
    classes_: Any
    coef_: Any
    intercept_: Any
    def __init__(self, *, C: float = 1.0, max_iter: int = 100) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
