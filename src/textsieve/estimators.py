"""Helpers for estimators: validation of input, and scikit-learn's global settings."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, cast

from scipy.sparse import csr_array, csr_matrix
from sklearn import config_context, get_config
from sklearn.utils.validation import validate_data

from .errors import InputError


def refuse_texts(X: Any) -> None:
    """Raise `InputError` if X is a list of texts instead of numbers.

    The first element decides: this check gives a helpful message for a common mistake, and is no validation of X.
    """
    if isinstance(X, list | tuple) and X and isinstance(X[0], str):
        raise InputError("X is a list of texts", hint="count them first: TermCounter().fit_transform(texts)")


def as_configured(matrix: csr_matrix) -> csr_matrix:
    """Return a sparse matrix for the output of an estimator; as a sparse array, if scikit-learn is configured so.

    scikit-learn has the setting for that, `sparse_interface`, since version 1.9.
    """
    configured: Any = csr_array(matrix) if get_config().get("sparse_interface") == "sparray" else matrix
    return cast("csr_matrix", configured)


def arrays_as_output() -> AbstractContextManager[None]:
    """Return a context in which transformers return arrays and sparse matrices, however scikit-learn is configured.

    Estimators of this package call other transformers in it. If the user has configured pandas or polars as output, the
    call would fail otherwise, because scikit-learn can't convert sparse output to these.
    """
    return config_context(transform_output="default")


_FEATURE_ATTRIBUTES = ("n_features_in_", "feature_names_in_")


@contextmanager
def growing(estimator: Any, X: Any) -> Iterator[Any]:
    """Validate a batch for `partial_fit` that may have more columns than earlier batches, and yield its rows.

    Use it as `with growing(self, X) as rows:`. If the batch is the first or has more columns than those before, the
    estimator takes over its number of features and its feature names. If the validation or the `with` block raises an
    error, the estimator gets back the former ones. A batch with fewer columns than before, or with as many columns of
    other names, raises an error.
    """
    before = {name: getattr(estimator, name) for name in _FEATURE_ATTRIBUTES if hasattr(estimator, name)}
    n_columns = before.get("n_features_in_", 0)
    has_grown = not before or getattr(X, "shape", (0, 0))[-1] > n_columns
    try:
        # With `reset`, the batch sets the features. Otherwise scikit-learn checks that they are the same as before.
        yield validate_data(estimator, X, accept_sparse="csr", accept_large_sparse=True, reset=has_grown)
    except BaseException:
        for name in _FEATURE_ATTRIBUTES:
            if name in before:
                setattr(estimator, name, before[name])
            elif hasattr(estimator, name):
                delattr(estimator, name)
        raise
