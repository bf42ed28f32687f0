"""Invalid input of projections raises with a reason; unusual input has a defined result."""

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from tests.reference.categorizer_cases import plain_categorizer
from tests.reference.projections_twin import scatter

import textsieve.projections.solving as solving
from textsieve import ClassStats, InputError, MaximumMargin, OrthogonalCentroid, TraceProjection
from textsieve.training.plan import TrainingPlan

ROWS = np.array([[1.0, 0, 2, 0], [0, 1, 2, 0], [2, 0, 2, 1], [0, 3, 2, 1]])
LABELS = ["a", "b", "a", "b"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"weight": float("nan")}, "weight=nan; use a number"),
        ({"weight": float("inf")}, "weight=inf; use a number"),
        ({"weight": "1"}, "weight='1'; use a number"),
        ({"weight": True}, "weight=True; use a number"),
        ({"weight": None}, "weight=None; use a number"),
        ({"weight": 10**400}, "weight=1000.*; use a number"),
        ({"weight": -1e13}, "weight=-10000000000000.0; use a number: .* up to 1e.12"),
        ({"tol": 10**400}, "tol=1000.*; use a number from 0"),
        ({"n_components": 0}, "n_components=0; use a number from 1"),
        ({"n_components": 1.5}, "n_components=1.5; use a number from 1"),
        ({"class_weight": "even"}, "class_weight='even'; use 'balanced', or None"),
        ({"class_weight": {"a": 1}}, "class_weight=.*; use 'balanced', or None"),
        ({"tol": -1e-3}, "tol=-0.001; use a number from 0"),
        ({"tol": float("nan")}, "tol=nan; use a number from 0"),
        ({"max_iter": 0}, "max_iter=0; use a number from 1"),
        ({"n_jobs": 0}, "n_jobs=0; use a number of threads"),
    ],
)
def test_invalid_settings_raise(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        TraceProjection(**settings).fit(ROWS, LABELS)


@pytest.mark.parametrize("weight", [-1, 0.5, 1, 2])
@pytest.mark.parametrize("y", [None, [-1, -1, -1, -1], [None] * 4, [np.nan] * 4, [[]] * 4])
def test_missing_labels_raise(weight: float, y: Any) -> None:
    with pytest.raises(InputError, match=r"the target y is None|No document has a label"):
        TraceProjection(weight=weight).fit(ROWS, y)


@pytest.mark.parametrize("y", [None, [-1, -1, -1, -1], [None] * 4, LABELS])
def test_weight_0_needs_no_labels(y: Any) -> None:
    expected = TraceProjection(weight=0).fit(ROWS)
    assert np.array_equal(TraceProjection(weight=0).fit(ROWS, y).components_, expected.components_)


@pytest.mark.parametrize("weight", [1, 1.5, 2])
def test_one_class_raises(weight: float) -> None:
    with pytest.raises(InputError, match="Only one class"):
        TraceProjection(weight=weight).fit(ROWS, ["a", "a", "a", None])


@pytest.mark.parametrize("weight", [-1, 0, 0.5, 1, 2])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("small", [0, 1000])
def test_equal_documents_raise(monkeypatch: pytest.MonkeyPatch, weight: float, make: Any, small: int) -> None:
    monkeypatch.setattr(solving, "_ALWAYS_DENSE", small)
    with pytest.raises(InputError, match="No direction raises the trace"):
        TraceProjection(weight=weight, n_components=1).fit(make(np.full((60, 40), 0.1)), ["a", "b", "a"] * 20)


@pytest.mark.parametrize("weight", [1.1, 2, 3])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
def test_equal_class_means_raise(weight: float, make: Any) -> None:
    """Means are computed from centred documents, so they agree only up to rounding."""
    rows = np.array([[0.0], [0], [0], [0], [0], [1], [0]])
    with pytest.raises(InputError, match=r"or the class means are"):
        TraceProjection(weight=weight).fit(make(rows), [(), (), (), (), ("a", "b"), (), ("a",)])


def test_wide_classes_without_a_margin_warn() -> None:
    rows = np.array([[1.0], [-1.0], [1.1], [-0.9]])
    with pytest.warns(UserWarning, match=r"at weight=2.0, because documents differ more within their classes"):
        projection = MaximumMargin().fit(rows, ["a", "a", "b", "b"])
    assert projection.components_.tolist() == [[1.0]]
    assert projection.eigenvalues_ == pytest.approx([0.05**2 - 1.0])  # S_b - S_w


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("small", [0, 1000])
def test_the_best_direction_between_class_means_if_none_raises_the_trace(
    monkeypatch: pytest.MonkeyPatch, make: Any, small: int
) -> None:
    monkeypatch.setattr(solving, "_ALWAYS_DENSE", small)
    rng = np.random.default_rng(3)
    rows, labels = rng.normal(size=(400, 12)), np.arange(400) % 4
    with pytest.warns(UserWarning, match="No direction raises the trace"):
        projection = TraceProjection(weight=2.0).fit(make(rows), labels)
    matrix = scatter(rows, [[label] for label in labels], 2.0)
    means = np.array([rows[labels == label].mean(axis=0) for label in range(4)])
    span = np.linalg.qr((means - means.mean(axis=0)).T)[0][:, :3]
    best = np.linalg.eigvalsh(span.T @ matrix @ span)[-1]
    direction = projection.components_[0]
    assert best < 0
    assert projection.eigenvalues_ == pytest.approx([best])
    assert direction @ matrix @ direction == pytest.approx(best)
    assert span @ (span.T @ direction) == pytest.approx(direction)


@pytest.mark.parametrize(("weight", "n_components", "n_directions"), [(0, 4, 3), (0.5, 9, 3), (1, 3, 1), (2, 2, 1)])
def test_more_directions_than_there_are_warn(weight: float, n_components: int, n_directions: int) -> None:
    with pytest.warns(UserWarning, match=f"n_components={n_components}, but fewer directions have an"):
        projection = TraceProjection(weight=weight, n_components=n_components).fit(ROWS, LABELS)
    assert projection.transform(ROWS).shape == (4, n_directions)
    assert TraceProjection(weight=weight).fit(ROWS, LABELS).n_components_ == n_directions  # no warning


def test_a_constant_term_has_no_part_in_any_direction() -> None:
    for projection in (TraceProjection(weight=0), OrthogonalCentroid(), MaximumMargin()):
        for rows in (ROWS, sparse.csr_matrix(ROWS)):
            np.testing.assert_allclose(projection.fit(rows, LABELS).components_[:, 2], 0.0, atol=1e-12)


def test_with_one_document_per_class_the_weight_does_not_matter() -> None:
    """With one document per class S_b = C, so S is the same for all weights."""
    labels = list("abcd")
    expected = TraceProjection(weight=0).fit(ROWS)
    for weight in (0.5, 1, 2):
        projection = TraceProjection(weight=weight).fit(ROWS, labels)
        np.testing.assert_allclose(projection.eigenvalues_, expected.eigenvalues_, atol=1e-12)
        np.testing.assert_allclose(projection.components_, expected.components_, atol=1e-8)


@pytest.mark.pairwise
@pytest.mark.parametrize("small", [0, 1000])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("weight", [0, 0.5, 1, 1.2])
@pytest.mark.parametrize("exponent", [-500, -333, -40, 40, 300, 497])
def test_the_scale_of_values_changes_no_direction(
    monkeypatch: pytest.MonkeyPatch, weight: float, exponent: int, make: Any, small: int
) -> None:
    """Scaling by powers of two, from 1e-150 to 1e149, changes no bit of the directions."""
    monkeypatch.setattr(solving, "_ALWAYS_DENSE", small)
    rng = np.random.default_rng(0)
    rows, labels = rng.random((60, 90)), np.arange(60) % 4
    rows[np.arange(60), labels] += 5.0
    plain, other = (TraceProjection(weight=weight, n_components=3) for _ in range(2))
    plain.fit(make(rows / 8), labels)
    other.fit(make(np.ldexp(rows / 8, exponent)), labels)
    assert np.array_equal(other.components_, plain.components_)
    assert np.array_equal(other.eigenvalues_, np.ldexp(plain.eigenvalues_, 2 * exponent))
    assert np.array_equal(other.mean_, np.ldexp(plain.mean_, exponent))


@pytest.mark.parametrize("weight", [0, 1])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
def test_eigenvalues_that_overflow_or_underflow_raise(weight: float, make: Any) -> None:
    with pytest.raises(InputError, match=r"values so small that eigenvalues, .* are no numbers; scale X"):
        TraceProjection(weight=weight).fit(make(ROWS * 1e-160), LABELS)
    with pytest.raises(InputError, match=r"values so large that eigenvalues, .* are no numbers; scale X"):
        TraceProjection(weight=-1e12, unlabelled=None).fit(make(ROWS * 2e149), LABELS)


def test_values_whose_squares_overflow() -> None:
    for weight in (0, 1, 2):
        with pytest.raises(InputError, match=r"1e\+?150"):
            TraceProjection(weight=weight).fit(ROWS * 1e160, LABELS)


def test_unsorted_sparse_rows_with_duplicates() -> None:
    """Unsorted columns and duplicates mean the same as in scipy."""
    odd = sparse.csr_matrix((np.array([2.0, 1, 0.5, 0.5, 3, 1]), np.array([2, 0, 1, 1, 0, 2]), np.array([0, 2, 4, 6])))
    for weight in (0, 0.5, 1):
        projection = TraceProjection(weight=weight).fit(odd, ["a", "b", "b"])
        expected = TraceProjection(weight=weight).fit(odd.toarray(), ["a", "b", "b"])
        np.testing.assert_allclose(projection.components_, expected.components_, atol=1e-10)
    assert not odd.has_canonical_format


def test_transform_keeps_sparse_rows_sparse_and_agrees() -> None:
    rows = sparse.csr_array(np.random.default_rng(0).random((50, 30)) * (np.eye(50, 30) + np.eye(50, 30, -7)))
    projection = TraceProjection(weight=0, n_components=3).fit(rows)
    expected = (rows.toarray() - rows.toarray().mean(axis=0)) @ projection.components_.T
    np.testing.assert_allclose(projection.transform(rows), expected, atol=1e-12)
    assert projection.transform(rows.astype(np.float32)).dtype == np.float64
    assert projection.get_feature_names_out().tolist() == ["traceprojection0", "traceprojection1", "traceprojection2"]
    with pytest.raises(InputError, match=r"shape \(2, 4\); give 3 columns"):
        projection.inverse_transform(np.ones((2, 4)))


def test_too_few_iterations_warn() -> None:
    rows = sparse.random_array((1500, 1400), density=0.02, rng=np.random.default_rng(0), format="csr")
    with pytest.warns(ConvergenceWarning, match=r"After max_iter=1 restarts .* above tol=1.0e-10") as noted:
        TraceProjection(weight=0, n_components=20, max_iter=1).fit(rows)
    assert [warning.filename for warning in noted] == [__file__]


@pytest.mark.parametrize("weight", [0, 1, 2])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
def test_warnings_name_the_line_of_the_caller(weight: float, make: Any) -> None:
    projection = TraceProjection(weight=weight, n_components=4)
    with pytest.warns(UserWarning, match="n_components=4, but fewer directions") as noted:
        projection.fit(make(ROWS), LABELS)
    assert [warning.filename for warning in noted] == [__file__]
    if weight == 1:
        for name in ("components_", "n_components_"):
            projection.partial_fit(make(ROWS), LABELS)
            with pytest.warns(UserWarning, match="n_components=4, but fewer directions") as noted:
                getattr(projection, name)
            assert [warning.filename for warning in noted] == [__file__]


def test_warnings_of_many_folds_are_the_same() -> None:
    """The line and the text of warnings do not depend on the result, so Python shows them once."""
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        for n_documents in (2, 3, 4):
            TraceProjection(weight=0, n_components=4).fit(ROWS[:n_documents], LABELS[:n_documents])
    assert len(noted) == 3
    assert len({(str(warning.message), warning.filename, warning.lineno) for warning in noted}) == 1


def test_a_fraction_is_a_weight() -> None:
    weights: tuple[Any, ...] = (Fraction(1, 2), 0.5)
    half, plain = (TraceProjection(weight=weight).fit(ROWS, LABELS) for weight in weights)
    assert np.array_equal(half.components_, plain.components_)


def unsound(columns: list[int], starts: list[int]) -> Any:
    """Return a 3 x 3 matrix whose index arrays were replaced after its construction."""
    rows = sparse.csr_matrix(np.eye(3))
    rows.indices[:] = columns
    rows.indptr[:] = starts
    return rows


@pytest.mark.parametrize("weight", [0, 0.5, 1])
@pytest.mark.parametrize(
    ("columns", "starts"), [([0, 1, 10**8], [0, 1, 2, 3]), ([0, 1, -5], [0, 1, 2, 3]), ([0, 1, 2], [0, 3, 1, 3])]
)
def test_inconsistent_sparse_rows_raise(weight: float, columns: list[int], starts: list[int]) -> None:
    with pytest.raises(InputError, match="X is not sound"):
        TraceProjection(weight=weight).fit(unsound(columns, starts), ["a", "b", "b"])
    projection = TraceProjection(weight=weight).fit(np.eye(3), ["a", "b", "b"])
    with pytest.raises(InputError, match="X is not sound"):
        projection.transform(unsound(columns, starts))


def test_inverse_transform_of_sparse_rows_raises() -> None:
    projection = TraceProjection(weight=0, n_components=2).fit(ROWS)
    with pytest.raises(InputError, match=r"X is sparse; inverse_transform takes .* a dense array: X.toarray\(\)"):
        projection.inverse_transform(sparse.csr_matrix(projection.transform(ROWS)))


def test_statistics_with_a_class_that_means_no_label() -> None:
    labels = [0, 1, -1, 1]
    stats = ClassStats.from_matrix(ROWS, labels)
    expected = OrthogonalCentroid().fit(ROWS, labels)
    projection = OrthogonalCentroid().fit_stats(stats)
    assert projection.classes_.tolist() == [0, 1]
    assert np.array_equal(projection.components_, expected.components_)
    assert OrthogonalCentroid(unlabelled=None).fit_stats(stats).classes_.tolist() == [-1, 0, 1]


def test_a_projection_by_name_uses_the_threads_of_the_categorizer() -> None:
    for options, expected in ((None, 1), ({"n_jobs": 3}, 3)):
        settings = plain_categorizer(projection="pca", projection_options=options).settings()
        training = TrainingPlan.of(settings, 1)
        assert training.projection is not None
        assert training.projection.n_jobs == expected
    assert TrainingPlan.of(plain_categorizer(projection="centroid").settings(), 1).projection is not None
    given = TraceProjection(weight=0, n_jobs=2)
    assert TrainingPlan.of(plain_categorizer(projection=given).settings(), 1).projection is given
    assert given.n_jobs == 2


def test_texts_raise() -> None:
    with pytest.raises(InputError, match="count them first"):
        OrthogonalCentroid().fit(["one fish", "two fish"], ["a", "b"])


@pytest.mark.parametrize("projection", [OrthogonalCentroid(), MaximumMargin()])
def test_the_error_says_that_minus_one_means_unlabelled(projection: Any) -> None:
    with pytest.raises(InputError, match=r"\(2 documents without a label. The label -1 means none"):
        projection.fit(ROWS, [-1, 1, -1, 1])
    with pytest.raises(InputError, match=r"The label -1 means none.*TraceProjection\(weight=0\)"):
        projection.fit(ROWS, [-1, -1, -1, -1])
