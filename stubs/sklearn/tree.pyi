from .base import BaseEstimator

class DecisionTreeClassifier(BaseEstimator):
    def __init__(self, *, random_state: int | None = None) -> None: ...
