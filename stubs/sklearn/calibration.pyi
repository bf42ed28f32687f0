from typing import Any, Self

from sklearn.base import BaseEstimator, ClassifierMixin

class CalibratedClassifierCV(ClassifierMixin, BaseEstimator):
    classes_: Any
    def __init__(
        self, estimator: Any = None, *, method: str = "sigmoid", cv: Any = None, ensemble: bool | str = "auto"
    ) -> None: ...
    def fit(self, X: Any, y: Any) -> Self: ...
    def predict_proba(self, X: Any) -> Any: ...
