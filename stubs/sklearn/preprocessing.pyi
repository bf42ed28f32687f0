from collections.abc import Callable
from typing import Any

class FunctionTransformer:
    def __init__(self, func: Callable[[Any], Any]) -> None: ...

class MultiLabelBinarizer:
    classes_: Any
    def __init__(self, *, classes: Any = None) -> None: ...
    def fit_transform(self, y: Any) -> Any: ...
