"""The directions are the eigenvectors of S, which a slow twin computes from its definition."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from tests.depth import few_examples
from tests.reference import projections_twin as twin
from tests.reference.stats_cases import Case, any_weights, cases, near_a_million

import textsieve.projections.solving as solving
from textsieve import ClassStats, InputError, MaximumMargin, OrthogonalCentroid, TraceProjection
from textsieve.projections.trace_operator import ZERO_TOLERANCE

WEIGHTS = [-0.5, 0.0, 0.3, 0.5, 1.0, 1.1, 2.0, 3.0]


def sample(n_documents: int, n_terms: int, n_classes: int, seed: int = 0) -> tuple[Any, NDArray[Any]]:
    """Return sparse documents of separate classes, and labels, of which every fifth is missing (-1)."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_classes, size=n_documents)
    dense = rng.random((n_documents, n_terms)) * (rng.random((n_documents, n_terms)) < 0.2)
    dense[np.arange(n_documents), labels] += 2.0
    dense -= 0.25 * (dense > 0.9)
    labels[::5] = -1
    return sparse.csr_matrix(dense), labels


def sets(labels: NDArray[Any]) -> list[list[int]]:
    return [[] if label == -1 else [int(label)] for label in labels]


def assert_eigenvectors(projection: TraceProjection, matrix: NDArray[Any], rtol: float = 1e-8) -> None:
    """Assert that directions are orthonormal eigenvectors of S for its largest eigenvalues."""
    values, directions = projection.eigenvalues_, projection.components_.T
    expected, _ = twin.eigen(matrix)
    size = np.abs(expected).max()
    np.testing.assert_allclose(directions.T @ directions, np.eye(len(values)), atol=1e-10)
    np.testing.assert_allclose(values, expected[: len(values)], atol=rtol * size)
    np.testing.assert_allclose(matrix @ directions, directions * values, atol=rtol * size)
    assert np.trace(directions.T @ matrix @ directions) == pytest.approx(values.sum(), rel=1e-9)
    assert (np.diff(values) <= 0).all()


@pytest.mark.parametrize("small", [0, 1000])
@pytest.mark.parametrize("shape", [(120, 40), (60, 150)])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("weight", WEIGHTS)
def test_eigenvectors_of_the_definition(
    monkeypatch: pytest.MonkeyPatch, weight: float, class_weight: Any, shape: tuple[int, int], small: int
) -> None:
    monkeypatch.setattr(solving, "_ALWAYS_DENSE", small)  # 0: only products with S, no dense S
    X, y = sample(*shape, 6)
    n_components = 4
    projection = TraceProjection(weight=weight, n_components=n_components, class_weight=class_weight).fit(X, y)
    matrix = twin.scatter(X.toarray(), sets(y), weight, class_weight)
    assert projection.n_components_ == n_components
    assert_eigenvectors(projection, matrix)
    assert projection.eigenvalues_.sum() >= twin.best_selection(matrix, n_components)
    dense = TraceProjection(weight=weight, n_components=n_components, class_weight=class_weight).fit(X.toarray(), y)
    np.testing.assert_allclose(dense.components_, projection.components_, atol=1e-7)


def has_nearly_zero_parts(rows: Any) -> bool:
    """Return whether the Gram matrix of the centred documents has an eigenvalue near the solver's limit for 0."""
    shares = np.linalg.svd(rows - rows.mean(axis=0), compute_uv=False) ** 2
    shares /= shares.max() or 1.0
    return bool(((shares > 1e-24) & (shares < 10 * ZERO_TOLERANCE)).any())


def test_parts_below_a_millionth_of_the_largest_may_count_as_zero() -> None:
    rows, labels = (
        np.array([[0, 0, 0, 0, 0], [0] * 5, [0, 0, 0, 0, 0.25], [0, 0, 0, -7e5, 0]]),
        [(), (), ("a",), ("b",)],
    )
    assert has_nearly_zero_parts(rows)
    projection = TraceProjection(weight=0.3).fit(rows, labels)
    assert_eigenvectors(projection, twin.scatter(rows, labels, 0.3), rtol=ZERO_TOLERANCE**0.5)


@pytest.mark.parametrize("weight", WEIGHTS)
@few_examples
@given(case=st.one_of(cases(), cases(any_weights, n_labels=(0, 3))), balanced=st.booleans(), dense=st.booleans())
def test_any_small_collection(weight: float, case: Case, balanced: bool, dense: bool) -> None:
    """With several labels, none, equal documents or constant terms, the result is right or an error is raised."""
    rows = case.rows.astype(np.float64)
    class_weight: Any = "balanced" if balanced else None
    projection = TraceProjection(weight=weight, class_weight=class_weight)
    matrix = twin.scatter(rows, case.label_sets, weight, class_weight)
    expected, _ = twin.eigen(matrix)
    size = np.abs(expected).max()
    classes = {label for labels in case.label_sets for label in labels}
    unsupervised = weight != 0 and len(classes) < (2 if weight >= 1 else 1)
    none_raises = expected[0] <= 1e-14 * max(size, 1e-300)
    apart = np.trace(twin.between_scatter(rows, case.label_sets, class_weight)) > 1e-20 * np.abs(rows).max() ** 2
    if none_raises and weight > 1 and apart and not unsupervised:
        with pytest.warns(UserWarning, match="No direction raises the trace"):
            projection.fit(rows if dense else case.matrix(), case.label_sets)
        return
    if unsupervised or none_raises:
        with pytest.raises(InputError):
            projection.fit(rows if dense else case.matrix(), case.label_sets)
        return
    if expected[0] < 1e-9 * np.abs(rows).max() ** 2:
        return  # rounding decides which eigenvalues are above 0
    if has_nearly_zero_parts(rows):
        return  # see test_parts_below_a_millionth_of_the_largest_may_count_as_zero
    projection.fit(rows if dense else case.matrix(), case.label_sets)
    assert_eigenvectors(projection, matrix)
    if weight < 1:
        clearly = np.count_nonzero(expected > 1e-9 * size)
        assert clearly <= projection.n_components_ <= np.count_nonzero(expected > 0.1 * ZERO_TOLERANCE * size)


@pytest.mark.parametrize("weight", [0.0, 0.5, 2.0])
def test_the_number_of_threads_changes_no_bit(weight: float) -> None:
    X, y = sample(1150, 1050, 5)
    single, threaded = (TraceProjection(weight=weight, n_components=3, n_jobs=jobs).fit(X, y) for jobs in (1, 3))
    assert np.array_equal(single.components_, threaded.components_)
    assert np.array_equal(single.eigenvalues_, threaded.eigenvalues_)


@pytest.mark.slow
@pytest.mark.parametrize("weight", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("shape", [(1150, 1050), (1050, 1150)])
def test_solver_on_larger_documents(monkeypatch: pytest.MonkeyPatch, weight: float, shape: tuple[int, int]) -> None:
    monkeypatch.setattr(solving, "all_eigenvalues", None)  # so the solver must not be dense
    X, y = sample(*shape, 5)
    projection = TraceProjection(weight=weight, n_components=4).fit(X, y)
    matrix = twin.between_scatter(X.toarray(), sets(y)) * weight
    matrix += (1 - weight) * np.cov(X.toarray(), rowvar=False, bias=True)
    assert_eigenvectors(projection, matrix)


def test_equal_eigenvalues_are_all_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "_ALWAYS_DENSE", 0)
    X = sparse.csr_array(np.kron(np.eye(20), np.ones((3, 2))))
    projection = TraceProjection(weight=0, n_components=19).fit(X)
    assert projection.n_components_ == 19
    assert_eigenvectors(projection, twin.total_scatter(X.toarray()))


def test_few_different_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "_ALWAYS_DENSE", 0)
    rng = np.random.default_rng(0)
    X = sparse.csr_array(np.repeat(rng.random((7, 90)), 20, axis=0))
    with pytest.warns(UserWarning, match=r"n_components=10, but fewer directions have"):
        projection = TraceProjection(weight=0, n_components=10).fit(X)
    assert projection.n_components_ == 6
    assert_eigenvectors(projection, twin.total_scatter(X.toarray()))


@pytest.mark.parametrize("dense", [True, False])
def test_weight_0_equals_the_pca_of_scikit_learn(dense: bool) -> None:
    rows = np.random.default_rng(3).normal(size=(80, 12)) * np.arange(1, 13) + 5.0
    theirs = PCA(n_components=7).fit(rows)
    ours = TraceProjection(weight=0, n_components=7).fit(rows if dense else sparse.csr_matrix(rows))
    signs = np.sign(np.sum(ours.components_ * theirs.components_, axis=1))
    np.testing.assert_allclose(ours.components_, theirs.components_ * signs[:, np.newaxis], atol=1e-8)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.explained_variance_ * 79 / 80, rtol=1e-8)
    np.testing.assert_allclose(ours.transform(rows), theirs.transform(rows) * signs, atol=1e-8)
    np.testing.assert_allclose(
        ours.inverse_transform(ours.transform(rows)), theirs.inverse_transform(theirs.transform(rows)), atol=1e-8
    )


@given(cases(near_a_million, n_labels=(1, 1), max_documents=12), st.sampled_from(WEIGHTS), st.booleans())
def test_large_means_and_small_spread(case: Case, weight: float, dense: bool) -> None:
    """Weights near a million that vary by a millionth; the expected S uses exact differences from a million."""
    shifted = case.rows - 1e6
    matrix = twin.scatter(shifted, case.label_sets, weight)
    expected, _ = twin.eigen(matrix)
    if expected[0] <= 1e-9 * np.abs(expected).max() or expected[0] <= 1e-16:
        return
    if weight != 0 and len(set(case.label_sets)) < 2:
        return
    projection = TraceProjection(weight=weight).fit(case.rows if dense else case.matrix(), case.label_sets)
    assert_eigenvectors(projection, matrix, rtol=1e-7)


def test_the_largest_entry_of_a_direction_is_positive() -> None:
    X, y = sample(60, 30, 5)
    for projection in (OrthogonalCentroid(), MaximumMargin(), TraceProjection(weight=0)):
        rows = projection.fit(X, y).components_
        assert (rows[np.arange(len(rows)), np.abs(rows).argmax(axis=1)] > 0).all()
    even = TraceProjection(weight=0).fit(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    np.testing.assert_allclose(even.components_, [[0.5**0.5, -(0.5**0.5)]])  # of equal entries, the first is positive


def test_presets_equal_trace_projections_of_their_weight() -> None:
    X, y = sample(60, 30, 5)
    for preset, weight in ((OrthogonalCentroid, 1), (MaximumMargin, 2)):
        named = preset(n_components=3, class_weight="balanced", unlabelled=4).fit(X, y)
        plain = TraceProjection(weight=weight, n_components=3, class_weight="balanced", unlabelled=4).fit(X, y)
        assert np.array_equal(named.components_, plain.components_)
        assert named.classes_.tolist() == [-1, 0, 1, 2, 3]


def test_the_two_eigenvalues_of_iris_sum_to_the_trace() -> None:
    """Three classes give S_b the rank 2, so two eigenvalues sum to its trace."""
    X, y = load_iris(return_X_y=True)
    projection = OrthogonalCentroid().fit(X, y)
    assert projection.n_components_ == 2
    expected = np.trace(twin.between_scatter(X, [[label] for label in y]))
    assert projection.eigenvalues_.sum() == pytest.approx(expected)


def test_stats_of_any_kind_of_labels_agree() -> None:
    X, y = sample(50, 20, 4)
    table = ClassStats.from_matrix(X, y, unlabelled=-1)
    for labels in (y, sets(y), [None if label == -1 else str(label) for label in y], np.where(y < 0, np.nan, y)):
        assert np.array_equal(
            OrthogonalCentroid().fit(X, labels).components_, OrthogonalCentroid().fit_stats(table).components_
        )
