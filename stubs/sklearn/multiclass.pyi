from typing import Any

from .base import BaseEstimator

class OneVsRestClassifier(BaseEstimator):
    estimator: Any
    def __init__(self, estimator: Any) -> None: ...
