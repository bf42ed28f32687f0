"""Trace projections beside scikit-learn's truncated SVD and scipy's eigsh, on all terms of 20 Newsgroups by date."""

from functools import cache, partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.decomposition import TruncatedSVD

from textsieve import TermCounter, TermWeighter, TraceProjection
from textsieve.arrays import Floats

from .harness import Result, timed, versus
from .newsgroups import newsgroups

N_COMPONENTS = 100
WEIGHTS = 0.0, 0.5, 1.0, 2.0


@cache
def data() -> tuple[csr_array, list[str]]:
    """Return the weighted documents with all terms, and their groups."""
    texts, groups = newsgroups()
    return csr_array(TermWeighter().fit_transform(TermCounter().fit_transform(texts))), groups


def fit_projection(weight: float, n_components: int = N_COMPONENTS) -> TraceProjection:
    """Return a fitted projection; from weight 1 on, it has one direction less than there are classes."""
    return TraceProjection(weight=weight, n_components=n_components if weight < 1 else None).fit(*data())


def principal_components(n_components: int) -> Floats:
    """Return the directions of weight 0 as scipy's ARPACK finds them, from products with the centred documents."""
    rows = data()[0]
    columns, mean, n_documents = csr_array(rows.T), rows.mean(axis=0), rows.shape[0]

    def multiply(vector: Floats) -> Floats:
        direction = vector.ravel()
        return np.asarray(columns @ (rows @ direction) / n_documents - mean * (mean @ direction))

    scatter = LinearOperator((rows.shape[1], rows.shape[1]), matvec=multiply, dtype=np.float64)
    return np.asarray(eigsh(scatter, n_components, which="LA", tol=1e-10, v0=np.ones(rows.shape[1]))[1])


def fit_truncated_svd() -> TruncatedSVD:
    """Return scikit-learn's decomposition, which does not centre documents and computes to machine precision."""
    return TruncatedSVD(N_COMPONENTS, algorithm="arpack", random_state=0).fit(data()[0])


def results() -> list[Result]:
    """Time several weights beside 100 singular vectors; weight 1, which needs no eigensolver, has no counterpart."""
    other = f'TruncatedSVD({N_COMPONENTS}, algorithm="arpack")'
    versus_svd = partial(versus, theirs=fit_truncated_svd, other=other, target=1, repeats=3, their_repeats=1)
    return [
        versus_svd("TraceProjection, weight 0: fit, 100 directions", lambda: fit_projection(0.0)),
        versus_svd("TraceProjection, weight 0.5: fit, 100 directions", lambda: fit_projection(0.5)),
        *(
            versus(
                f"TraceProjection, weight 0: fit, {n} directions",
                partial(fit_projection, 0.0, n),
                partial(principal_components, n),
                f"eigsh({n}) with a LinearOperator",
                repeats=3,
                their_repeats=1,
            )
            for n in (20, N_COMPONENTS)
        ),
        versus_svd("TraceProjection, weight 2: fit, 19 directions", lambda: fit_projection(2.0)),
        Result("TraceProjection, weight 1: fit, 19 directions", timed(lambda: fit_projection(1.0))),
    ]


def residual(weight: float) -> float:
    """Return the largest ||S w - μ w|| over the directions w, as a share of the largest eigenvalue.

    S is `weight` times the scatter between classes, plus (1 - `weight`) times the total scatter.
    """
    rows, groups = data()
    projection = fit_projection(weight)
    directions = projection.components_.T
    # S times the directions: first the part of the total scatter, then that of the scatter between classes.
    centred = rows @ directions - projection.mean_ @ directions
    images = (rows.T @ centred - np.outer(projection.mean_, centred.sum(axis=0))) * ((1.0 - weight) / rows.shape[0])
    _, numbers = np.unique(groups, return_inverse=True)
    members = csr_array((np.ones(len(numbers)), (numbers, np.arange(len(numbers)))))
    sizes = np.bincount(numbers)
    means: Any = (members @ rows).toarray() / sizes[:, np.newaxis] - projection.mean_
    images += weight * means.T @ ((means @ directions) * (sizes / len(numbers))[:, np.newaxis])
    errors = np.linalg.norm(images - directions * projection.eigenvalues_, axis=0)
    return float(errors.max() / projection.eigenvalues_[0])


def accuracy() -> str:
    """Return a paragraph on how exact the directions are."""
    rows, svd = data()[0], fit_truncated_svd()
    errors = rows.T @ (rows @ svd.components_.T) - svd.components_.T * svd.singular_values_**2
    theirs = np.linalg.norm(errors, axis=0).max() / svd.singular_values_[0] ** 2
    ours = ", ".join(f"{residual(weight):.0e} at weight {weight:g}" for weight in WEIGHTS)
    return (
        f"The largest residual ||S w - μ w|| of a direction w, as a share of the largest eigenvalue: {ours}; of "
        f"TruncatedSVD's singular vectors, by the same measure, {theirs:.0e}. ({rows.shape[0]:,} documents, "
        f"{rows.shape[1]:,} terms, {rows.nnz:,} weights.)"
    )
