"""Weight 1: directions come from statistics alone, for any split of the documents."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from tests.reference import projections_twin as twin
from tests.reference.stats_cases import Case, any_weights, cases

from textsieve import ClassStats, InputError, OrthogonalCentroid, TraceProjection


def projector(columns: NDArray[Any]) -> NDArray[Any]:
    """Return the projection matrix of the space that orthonormal columns span."""
    return np.asarray(columns @ columns.T)


@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_eigenvectors_qr_and_estimator_span_the_same_space(class_weight: Any) -> None:
    """The leading eigenvectors of S_b, the QR of the centred centroids, and the estimator agree."""
    rng = np.random.default_rng(5)
    rows, labels = rng.random((90, 25)), rng.integers(6, size=90)
    sets = [[int(label)] for label in labels]
    projection = OrthogonalCentroid(class_weight=class_weight).fit(rows, labels)
    _, eigenvectors = twin.eigen(twin.between_scatter(rows, sets, class_weight))
    centred = twin.centred(rows, sets, class_weight)
    by_qr, _ = np.linalg.qr(centred[:, 1:])  # six centred centroids have rank five
    np.testing.assert_allclose(projector(projection.components_.T), projector(eigenvectors[:, :5]), atol=1e-10)
    np.testing.assert_allclose(projector(projection.components_.T), projector(by_qr), atol=1e-10)


@given(cases(any_weights, n_labels=(0, 2), max_documents=12), st.data())
def test_any_split_and_order_gives_the_same_bits(case: Case, data: st.DataObject) -> None:
    """Batches may come in any order, and later ones may have more columns."""
    order = data.draw(st.permutations(range(len(case.rows))))
    cut = data.draw(st.integers(0, len(order)))
    width = data.draw(st.integers(1, case.rows.shape[1]))
    first, second = (case.part(list(part)) for part in (order[:cut], order[cut:]))
    narrow = first.rows[:, :width] if not first.rows[:, width:].any() else first.rows
    projection = OrthogonalCentroid()
    for rows, part in ((narrow, first), (second.rows, second)):
        if len(part.label_sets):
            projection.partial_fit(sparse.csr_matrix(rows), part.label_sets)
    if len(second.label_sets) == 0 and narrow.shape[1] < case.rows.shape[1]:
        return
    has_classes = len({label for labels in case.label_sets for label in labels}) > 1
    scatter = twin.between_scatter(*case).max(initial=0.0) if has_classes else 0.0
    try:
        whole = OrthogonalCentroid().fit(case.matrix(), case.label_sets)
    except InputError as problem:
        assert scatter <= 1e-20 * np.square(case.rows).max()  # equal means may differ by a rounding error
        with pytest.raises(InputError, match=re.escape(str(problem))):
            projection.components_  # noqa: B018
        return
    assert scatter > 0.0
    assert np.array_equal(projection.components_, whole.components_)
    assert np.array_equal(projection.eigenvalues_, whole.eigenvalues_)
    assert np.array_equal(projection.mean_, whole.mean_)


def test_documents_can_be_added_after_fit() -> None:
    rng = np.random.default_rng(0)
    rows, labels = rng.random((30, 8)), np.arange(30) % 3
    whole = OrthogonalCentroid().fit(rows, labels)
    grown = OrthogonalCentroid().fit(rows[:20, :6], labels[:20])
    rows[:20, 6:] = 0.0
    whole.fit(rows, labels)
    grown.partial_fit(rows[20:], labels[20:])
    assert grown.n_features_in_ == 8
    assert np.array_equal(grown.components_, whole.components_)
    assert np.array_equal(grown.transform(rows), whole.transform(rows))


def test_statistics_are_copied() -> None:
    rng = np.random.default_rng(0)
    rows, labels = rng.random((30, 8)), np.arange(30) % 3
    stats = ClassStats.from_matrix(rows, labels)
    projection = OrthogonalCentroid().fit_stats(stats)
    before = projection.components_.copy()
    projection.partial_fit(rows * 2, labels)
    assert stats.n_documents == 30
    assert np.array_equal(OrthogonalCentroid().fit_stats(stats).components_, before)


@pytest.mark.parametrize("name", ["partial_fit", "fit_stats"])
def test_other_weights_need_the_documents(name: str) -> None:
    assert hasattr(TraceProjection(), name)
    assert not hasattr(TraceProjection(weight=2), name)
    with pytest.raises(InputError, match=f"{name} works at weight=1 alone, and this one is 0.5: .* call fit"):
        getattr(TraceProjection(weight=0.5), name)(None)


def test_a_class_without_documents_changes_no_direction() -> None:
    rng = np.random.default_rng(0)
    rows = rng.random((30, 8))
    indicator = np.eye(4, dtype=int)[np.arange(30) % 3]
    assert not indicator[:, 3].any()
    for weight in (0.5, 1, 1.2):
        for class_weight in (None, "balanced"):
            settings: dict[str, Any] = {"weight": weight, "class_weight": class_weight}
            with_empty = TraceProjection(**settings).fit(rows, indicator)
            without = TraceProjection(**settings).fit(rows, indicator[:, :3])
            np.testing.assert_allclose(with_empty.components_, without.components_, atol=1e-12)
    assert with_empty.classes_.tolist() == [0, 1, 2, 3]
