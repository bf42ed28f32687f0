from typing import Any

def assert_all_finite(X: Any, *, input_name: str = "") -> None: ...
def check_is_fitted(estimator: object, attributes: str | list[str] | None = None) -> None: ...
def column_or_1d(y: Any, *, warn: bool = False) -> Any: ...
def validate_data(
    estimator: object,
    X: Any,
    y: Any = "no_validation",
    *,
    reset: bool = True,
    accept_sparse: bool | str = False,
    accept_large_sparse: bool = True,
    dtype: Any = "numeric",
) -> Any: ...
