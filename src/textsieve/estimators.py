"""What the estimators share that learn batch by batch."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sklearn.utils.validation import validate_data

_NOTED = ("n_features_in_", "feature_names_in_")


@contextmanager
def growing(estimator: Any, X: Any) -> Iterator[Any]:
    """Rows of a batch that may have more columns than those before. If the batch is refused, it leaves no trace."""
    before = {name: getattr(estimator, name) for name in _NOTED if hasattr(estimator, name)}
    n_columns = before.get("n_features_in_", 0)
    grown = not before or getattr(X, "shape", (0, 0))[-1] > n_columns
    try:
        yield validate_data(estimator, X, accept_sparse="csr", accept_large_sparse=True, reset=grown)
    except BaseException:
        for name in _NOTED:
            if name in before:
                setattr(estimator, name, before[name])
            elif hasattr(estimator, name):
                delattr(estimator, name)
        raise
