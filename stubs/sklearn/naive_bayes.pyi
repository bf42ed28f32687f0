from typing import Any, Self

from .base import BaseEstimator

class MultinomialNB(BaseEstimator):
    classes_: Any
    feature_log_prob_: Any
    class_log_prior_: Any
    def __init__(self, *, alpha: float = 1.0) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...

class ComplementNB(BaseEstimator):
    classes_: Any
    feature_log_prob_: Any
    class_log_prior_: Any
    def __init__(self, *, alpha: float = 1.0) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
