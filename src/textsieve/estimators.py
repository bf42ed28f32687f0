"""What the estimators share: how they validate input, and how they follow scikit-learn's global settings."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, cast

from scipy.sparse import csr_array, csr_matrix
from sklearn import config_context, get_config
from sklearn.utils.validation import validate_data

from .errors import InputError


def refuse_texts(X: Any) -> None:
    """Texts must be counted first; say so before an attempt to read them as numbers does."""
    if isinstance(X, list | tuple) and X and isinstance(X[0], str):
        raise InputError("X is a list of texts; count them first: TermCounter().fit_transform(texts).")


def as_configured(matrix: csr_matrix) -> csr_matrix:
    """Return a sparse matrix as an estimator's output: a sparse array if scikit-learn is set so.

    The setting `sparse_interface` exists from scikit-learn 1.9 on.
    """
    as_set: Any = csr_array(matrix) if get_config().get("sparse_interface") == "sparray" else matrix
    return cast("csr_matrix", as_set)


def arrays_as_output() -> AbstractContextManager[None]:
    """Return a context in which transformers return arrays and sparse matrices, whatever scikit-learn is set to.

    For the transformers that our estimators call themselves; an adapter to pandas or polars raises for sparse output.
    """
    return config_context(transform_output="default")


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
