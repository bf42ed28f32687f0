from typing import Any, Self

from sklearn.base import BaseEstimator, ClassifierMixin

class StackingClassifier:
    stack_method_: list[str]
    def __init__(self, estimators: Any, final_estimator: Any = None, *, cv: Any = None) -> None: ...
    def fit(self, X: Any, y: Any) -> Self: ...
    def score(self, X: Any, y: Any) -> float: ...

class BaggingClassifier(ClassifierMixin, BaseEstimator):
    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_features: int | float = 1.0,
        bootstrap: bool = True,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None: ...
