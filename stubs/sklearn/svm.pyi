from typing import Any, Self

from .base import BaseEstimator

class LinearSVC(BaseEstimator):
    classes_: Any
    coef_: Any
    intercept_: Any
    def __init__(
        self,
        *,
        penalty: str = "l2",
        C: float = 1.0,
        tol: float = 1e-4,
        dual: bool = True,
        class_weight: Any = None,
        loss: str = "squared_hinge",
        fit_intercept: bool = True,
        max_iter: int = 1000,
        random_state: int | None = None,
    ) -> None: ...
    def fit(self, X: Any, y: Any) -> Self: ...
    def predict(self, X: Any) -> Any: ...
    def decision_function(self, X: Any) -> Any: ...

class SVC(BaseEstimator):
    classes_: Any
    def __init__(self, *, kernel: str = "rbf", C: float = 1.0, break_ties: bool = False) -> None: ...
    def fit(self, X: Any, y: Any) -> Self: ...
    def decision_function(self, X: Any) -> Any: ...
