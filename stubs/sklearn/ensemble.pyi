from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin

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
