"""Flat spectra: no eigenvalue stands out, and vectors that represent no direction must not grow in the solver."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from tests.reference import projections_twin as twin

import textsieve.projections.krylov as krylov
import textsieve.projections.solving as solving
from textsieve import TraceProjection

N_CLASSES = 4
N_DOCUMENTS, N_TERMS = 420, 1200


@pytest.fixture
def small_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Solve problems of more than 400 documents as those of more than 1,000 are solved: without a dense matrix."""
    monkeypatch.setattr(solving, "_ALWAYS_DENSE", 400)


def even(n_documents: int, n_terms: int, per_document: int = 60, n_used: int | None = None) -> Any:
    """Return unrelated random documents with the same number of terms each."""
    rng = np.random.default_rng(0)
    columns = rng.integers(n_used or n_terms, size=n_documents * per_document)
    starts = np.arange(0, len(columns) + 1, per_document)
    rows = sparse.csr_matrix((rng.random(len(columns)), columns, starts), shape=(n_documents, n_terms))
    rows.sum_duplicates()
    return rows


def eigenvalues(X: Any, y: Any, weight: float) -> Any:
    """Return the eigenvalues of the definition, computed from dense matrices."""
    return twin.eigenvalues_over_documents(X.toarray(), [[label] for label in y], weight)


def assert_largest(projection: TraceProjection, X: Any, y: Any, n_wanted: int, values: Any = None) -> None:
    """Assert that the eigenvalues are the `n_wanted` largest of the definition, with their eigenvectors."""
    weight = float(projection.weight)
    values = eigenvalues(X, y, weight) if values is None else values
    size = np.abs(values).max()
    assert projection.n_components_ == min(n_wanted, np.count_nonzero(values > 1e-12 * size))
    np.testing.assert_allclose(projection.eigenvalues_, values[: projection.n_components_], atol=1e-10 * size)
    directions = projection.components_.T
    np.testing.assert_allclose(directions.T @ directions, np.eye(projection.n_components_), atol=1e-10)
    centred = X @ directions - projection.mean_ @ directions
    images = (X.T @ centred - np.outer(projection.mean_, centred.sum(axis=0))) * ((1 - weight) / X.shape[0])
    centroids = twin.centred(X.toarray(), [[label] for label in y])
    images += weight * centroids @ (centroids.T @ directions)
    np.testing.assert_allclose(images, directions * projection.eigenvalues_, atol=1e-8 * size)


@pytest.mark.parametrize("weight", [0.0, 0.5, 2.0])
@pytest.mark.usefixtures("small_is_large")
def test_more_terms_than_documents(weight: float) -> None:
    X, y = even(N_DOCUMENTS, N_TERMS), np.arange(N_DOCUMENTS) % N_CLASSES
    values = eigenvalues(X, y, weight)
    for n_components in (3, 20, 120):
        n_wanted = min(n_components, N_CLASSES - 1) if weight > 1 else n_components
        projection = TraceProjection(weight=weight, n_components=n_wanted).fit(X, y)
        assert_largest(projection, X, y, n_wanted, values)
        assert projection.n_iter_ <= 10


@pytest.mark.parametrize("weight", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("share", [solving._LARGE_SHARE, 1.0])
def test_a_large_share_of_all_directions_is_found_either_way(
    monkeypatch: pytest.MonkeyPatch, weight: float, share: float
) -> None:
    monkeypatch.setattr(solving, "_ALWAYS_DENSE", 0)
    monkeypatch.setattr(solving, "_LARGE_SHARE", share)
    X, y = even(240, 900), np.arange(240) % 120  # above weight 1 at most 119 eigenvalues are positive
    n_components = 100 if weight < 1 else 60
    assert_largest(TraceProjection(weight=weight, n_components=n_components).fit(X, y), X, y, n_components)


@pytest.mark.parametrize("weight", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("kind", ["equal documents", "few terms in use"])
@pytest.mark.usefixtures("small_is_large")
def test_linearly_dependent_documents_are_solved_over_terms(
    monkeypatch: pytest.MonkeyPatch, weight: float, kind: str
) -> None:
    """G maps more than the constant vector to 0, so the solver falls back to the operator over terms."""
    X = even(N_DOCUMENTS, N_TERMS, n_used=None if kind == "equal documents" else 280)
    if kind == "equal documents":
        X = sparse.csr_matrix(sparse.vstack([X[:-10], X[:10]]))
    y, n_components = np.arange(N_DOCUMENTS) % N_CLASSES, 3 if weight > 1 else 20
    projection = TraceProjection(weight=weight, n_components=n_components).fit(X, y)
    assert_largest(projection, X, y, n_components)
    monkeypatch.setattr(solving, "OverTerms", None)
    with pytest.raises(TypeError):
        projection.fit(X, y)  # so the first fit used OverTerms


@pytest.mark.usefixtures("small_is_large")
def test_independent_documents_cause_no_drift(monkeypatch: pytest.MonkeyPatch) -> None:
    """If documents are linearly independent, columns stay short and no digits are lost."""
    monkeypatch.setattr(krylov, "_LARGEST_DRIFT", 10.0)
    monkeypatch.setattr(solving, "OverTerms", None)
    assert TraceProjection(weight=0, n_components=20).fit(even(N_DOCUMENTS, N_TERMS)).n_components_ == 20


@pytest.mark.parametrize("weight", [0.0, 0.5])
def test_memory_grows_with_the_square_of_the_documents_only(weight: float) -> None:
    """Computing the dense matrix over documents needs no array of terms x documents."""
    n_documents, n_terms = 400, 20_000
    X, y = even(n_documents, n_terms, 200), np.arange(n_documents) % N_CLASSES
    projection = TraceProjection(weight=weight, n_components=3).fit(X, y)  # compile before memory is traced
    tracemalloc.start()
    projection.fit(X, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * n_documents * n_terms / 4


def test_dense_matrices_are_limited_in_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """For any number of directions, dense matrices are used only up to the size limit."""
    monkeypatch.setattr(solving, "_SOMETIMES_DENSE", 100)
    monkeypatch.setattr(solving, "_ALWAYS_DENSE", 50)
    dense_sizes = []

    def noted_eigenvalues(side: Any, n_wanted: int) -> krylov.Eigenpairs:
        dense_sizes.append(side.size)
        return krylov.all_eigenvalues(side, n_wanted)

    monkeypatch.setattr(solving, "all_eigenvalues", noted_eigenvalues)
    for n_documents in (100, 101):
        projection = TraceProjection(weight=0, n_components=60).fit(even(n_documents, 400, 20))
        assert projection.n_components_ == 60
    assert dense_sizes == [100]
