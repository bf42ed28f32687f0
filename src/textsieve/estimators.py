"""What the estimators share: how they look at what they are given."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sklearn.utils.validation import validate_data

from .errors import InputError


def refuse_texts(X: Any) -> None:
    """Texts must be counted first; say so before an attempt to read them as numbers does."""
    if isinstance(X, list | tuple) and X and isinstance(X[0], str):
        raise InputError("X is a list of texts; count them first: TermCounter().fit_transform(texts).")


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
