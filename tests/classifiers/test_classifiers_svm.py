"""`LinearSVM` compared with scikit-learn's `LinearSVC`: both minimise the same objective."""

import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix, random_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from tests.reference.classifiers_twin import class_weight_factors, svm_objective

from textsieve import InputError
from textsieve.classifiers import LinearSVM
from textsieve.kernels.svm import shuffle, squared_lengths

TIGHT: dict[str, Any] = {"tol": 1e-6, "max_iter": 1_000_000}


def theirs(**settings: Any) -> LinearSVC:
    return LinearSVC(loss="squared_hinge", dual=True, random_state=0, **TIGHT, **settings)


def documents(n: int, d: int, n_classes: int, seed: int, *, unit: bool = True) -> tuple[csr_matrix, Any]:
    """Return sparse rows, and classes that depend on them."""
    rng = np.random.default_rng(seed)
    X = csr_matrix(random_array((n, d), density=min(1.0, 6 / d), rng=rng))
    if unit:
        lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1))).ravel()
        X = csr_matrix(X.multiply(1 / np.where(lengths, lengths, 1)[:, None]))
    scores = X @ rng.normal(size=(d, n_classes)) + 0.3 * rng.normal(size=(n, n_classes))
    y = np.argmax(scores, axis=1)
    y[:n_classes] = np.arange(n_classes)  # every class occurs
    return X, y


def problems(y: Any, C: float, weights: dict[Any, float] | None = None) -> list[tuple[list[float], list[float]]]:
    """Return the signs and costs of each class against the rest, as in liblinear."""
    classes = np.unique(y).tolist()
    weight = {label: (weights or {}).get(label, 1.0) for label in classes}
    if len(classes) == 2:
        return [([1.0 if label == classes[1] else -1.0 for label in y], [C * weight[label] for label in y])]
    return [
        ([1.0 if label == own else -1.0 for label in y], [C * weight[own] if label == own else C for label in y])
        for own in classes
    ]


def objectives(classifier: Any, X: Any, y: Any, C: float, weights: dict[Any, float] | None = None) -> list[float]:
    rows = X.toarray().tolist() if hasattr(X, "toarray") else np.asarray(X).tolist()
    return [
        svm_objective(rows, signs, costs, coefficients.tolist(), float(intercept))
        for (signs, costs), coefficients, intercept in zip(
            problems(y, C, weights), classifier.coef_, classifier.intercept_, strict=True
        )
    ]


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("C", [0.01, 0.5, 10])
def test_the_objective_equals_liblinears_minimum(n_classes: int, C: float) -> None:
    X, y = documents(80, 30, n_classes, seed=n_classes)
    ours, other = LinearSVM(C=C, **TIGHT).fit(X, y), theirs(C=C).fit(X, y)
    assert objectives(ours, X, y, C) == pytest.approx(objectives(other, X, y, C), rel=1e-6)
    assert ours.coef_ == pytest.approx(other.coef_, abs=1e-3 * np.abs(other.coef_).max())
    assert ours.intercept_ == pytest.approx(other.intercept_, abs=1e-3 * np.abs(other.coef_).max())
    assert ours.coef_.shape == other.coef_.shape == ((1 if n_classes == 2 else n_classes), 30)
    assert ours.decision_function(X) == pytest.approx(other.decision_function(X), abs=1e-3)
    sure = np.abs(np.sort(np.atleast_2d(other.decision_function(X).T).T, axis=1)[:, -1]) > 1e-2
    assert (ours.predict(X) == other.predict(X))[sure].all()


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("kind", ["dict", "part of a dict", "balanced", "sqrt"])
def test_class_weights_mean_the_same_as_in_liblinear(n_classes: int, kind: str) -> None:
    X, y = documents(90, 20, n_classes, seed=7)
    by_kind = {"dict": {label: 0.5 + 2 * label for label in range(n_classes)}, "part of a dict": {1: 5.0}}
    given_weights: Any = by_kind.get(kind, kind)
    weights = class_weight_factors(given_weights, y.tolist())
    ours = LinearSVM(C=2, class_weight=given_weights, **TIGHT).fit(X, y)
    other = theirs(C=2, class_weight="balanced" if kind == "balanced" else weights).fit(X, y)
    assert objectives(ours, X, y, 2, weights) == pytest.approx(objectives(other, X, y, 2, weights), rel=1e-6)
    assert ours.decision_function(X) == pytest.approx(other.decision_function(X), abs=1e-3)


@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(1, 8), st.integers(2, 4), st.sampled_from([0.01, 1, 30]))
def test_small_steps_from_the_solution_do_not_lower_the_objective(
    seed: int, n: int, d: int, n_classes: int, C: float
) -> None:
    """The objective is convex: if no small step decreases it, the weights are its minimum."""
    X, y = documents(max(n, n_classes), d, n_classes, seed)
    classifier = LinearSVM(C=C, **TIGHT).fit(X, y)
    rows = X.toarray().tolist()
    for (signs, costs), coefficients, intercept in zip(
        problems(y, C), classifier.coef_, classifier.intercept_, strict=True
    ):
        best = svm_objective(rows, signs, costs, coefficients.tolist(), float(intercept))
        for column, step in itertools.product(range(d + 1), (1e-2, -1e-2)):
            near, near_intercept = coefficients.copy(), float(intercept)
            if column < d:
                near[column] += step
            else:
                near_intercept += step
            assert svm_objective(rows, signs, costs, near.tolist(), near_intercept) > best


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 5, -1])
def test_any_number_of_threads_gives_the_same_bytes(n_jobs: int | None) -> None:
    X, y = documents(300, 50, 7, seed=1)
    reference, classifier = (LinearSVM(n_jobs=jobs).fit(X, y) for jobs in (1, n_jobs))
    assert classifier.coef_.tobytes() == reference.coef_.tobytes()
    assert classifier.intercept_.tobytes() == reference.intercept_.tobytes()


def test_dense_and_other_sparse_matrices_give_the_same_bytes() -> None:
    X, y = documents(60, 12, 3, seed=3)
    classifier = LinearSVM().fit(X, y)
    others: list[Any] = [X.toarray(), X.tocsc(), X.tocoo(), X.astype(np.float64), csr_matrix(X).tocsr().copy()]
    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for other in [*others, wide]:
        assert LinearSVM().fit(other, y).coef_.tobytes() == classifier.coef_.tobytes()


def test_unsorted_columns_and_duplicate_cells_give_the_same_result() -> None:
    X, y = documents(60, 12, 2, seed=4)
    halves = csr_matrix(
        (np.repeat(X.data / 2, 2)[::-1], np.repeat(X.indices, 2)[::-1], 2 * (X.indptr[-1] - X.indptr[::-1])), X.shape
    )
    ours, other = LinearSVM(**TIGHT).fit(halves, y[::-1]), theirs(C=0.5).fit(X, y)
    assert ours.decision_function(X) == pytest.approx(other.decision_function(X), abs=1e-3)


def test_float32_rows_are_calculated_in_float64() -> None:
    X, y = documents(60, 12, 3, seed=5)
    rounded = X.astype(np.float32)
    small, large = LinearSVM().fit(rounded, y), LinearSVM().fit(rounded.astype(np.float64), y)
    assert small.coef_.dtype == np.float64
    assert small.coef_.tobytes() == large.coef_.tobytes()
    assert small.decision_function(rounded) == pytest.approx(large.decision_function(rounded), abs=1e-6)


def test_a_single_column_can_be_fitted() -> None:
    X, y = np.array([[1.0], [2.0], [-1.0], [-3.0]]), ["b", "b", "a", "a"]
    classifier = LinearSVM(C=1, **TIGHT).fit(X, y)
    assert objectives(classifier, X, y, 1) == pytest.approx(objectives(theirs(C=1).fit(X, y), X, y, 1), rel=1e-6)
    assert classifier.predict(X).tolist() == y


def test_two_documents_computed_by_hand() -> None:
    """X = ±1, y = ±1, b = 0: ½w² + 2C(1 - w)² is least at w = 4C / (1 + 4C)."""
    classifier = LinearSVM(C=1, **TIGHT).fit([[1.0], [-1.0]], [1, 0])
    assert classifier.coef_[0, 0] == pytest.approx(4 / 5, abs=1e-6)
    assert classifier.intercept_[0] == pytest.approx(0, abs=1e-6)
    assert classifier.decision_function([[1.0], [-1.0]]) == pytest.approx([0.8, -0.8], abs=1e-6)


def test_empty_rows_change_only_the_intercept() -> None:
    X, y = documents(40, 10, 2, seed=6)
    X = csr_matrix(np.vstack([X.toarray(), np.zeros((15, 10))]))
    y = np.append(y, np.ones(15, int))
    ours, other = LinearSVM(C=1, **TIGHT).fit(X, y), theirs(C=1).fit(X, y)
    assert objectives(ours, X, y, 1) == pytest.approx(objectives(other, X, y, 1), rel=1e-6)
    assert ours.predict(np.zeros((1, 10))).tolist() == [1]
    nothing = LinearSVM(C=1, **TIGHT).fit(np.zeros((3, 2)), [0, 1, 1])
    assert not nothing.coef_.any()
    assert nothing.predict(np.ones((1, 2))).tolist() == [1]


def test_a_duplicated_document_counts_twice() -> None:
    X, y = documents(40, 10, 2, seed=8)
    dense = X.toarray()
    twice = LinearSVM(C=1, **TIGHT).fit(np.vstack([dense, dense]), np.append(y, y))
    costly = LinearSVM(C=2, **TIGHT).fit(dense, y)
    assert twice.coef_ == pytest.approx(costly.coef_, abs=1e-4)
    assert twice.intercept_ == pytest.approx(costly.intercept_, abs=1e-4)


def test_the_same_document_in_both_classes_gives_a_score_of_0() -> None:
    classifier = LinearSVM(C=100, **TIGHT).fit(np.ones((4, 1)), [0, 1, 0, 1])
    assert classifier.decision_function([[1.0]]) == pytest.approx([0], abs=1e-4)


@pytest.mark.parametrize("C", [1e-8, 1e6])
def test_extreme_costs_give_finite_weights(C: float) -> None:
    X, y = documents(40, 60, 2, seed=9)  # more columns than rows: a hyperplane separates the classes
    classifier = LinearSVM(C=C, max_iter=100_000).fit(X, y)
    if C < 1:
        assert np.abs(classifier.coef_).max() < 1e-5
    else:
        margins = np.where(y == 1, 1, -1) * classifier.decision_function(X)
        assert margins.min() > 0.99
    assert np.isfinite(classifier.coef_).all()


def test_stopping_before_convergence_warns() -> None:
    X, y = documents(200, 30, 3, seed=10)
    with pytest.warns(ConvergenceWarning, match=r"3 of 3 problems had not converged after max_iter=1 rounds"):
        classifier = LinearSVM(max_iter=1, tol=1e-9).fit(X, y)
    assert classifier.n_iter_ == 1
    assert np.isfinite(classifier.coef_).all()
    assert 1 < LinearSVM().fit(X, y).n_iter_ < 100


def test_the_default_tolerance_gives_the_predictions_of_a_finer_one() -> None:
    X, y = documents(400, 40, 4, seed=11)
    ours, exact = LinearSVM().fit(X, y), LinearSVM(**TIGHT).fit(X, y)
    assert objectives(ours, X, y, 0.5) == pytest.approx(objectives(exact, X, y, 0.5), rel=1e-3)
    assert (ours.predict(X) == exact.predict(X)).mean() > 0.99


@pytest.mark.parametrize(
    "labels", [["b", "a"], [1, -1], [2.0, 0.0], [True, False], np.array(["x", "y"], object), np.array([3, 7], np.uint8)]
)
def test_predictions_have_the_type_of_the_labels_and_the_second_class_is_positive(labels: Any) -> None:
    y = np.array([labels[0], labels[1]] * 5)
    X = np.where(y == max(labels), 1.0, -1.0)[:, None].astype(float)
    classifier = LinearSVM().fit(X, y)
    assert classifier.classes_.dtype == y.dtype
    assert classifier.classes_.tolist() == sorted(labels)
    assert (classifier.decision_function(X) > 0).tolist() == (y == max(labels)).tolist()
    assert classifier.predict(X).tolist() == y.tolist()
    assert classifier.predict(X).dtype == y.dtype


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"C": 0}, "C=0; use a number above 0"),
        ({"C": -1.0}, "C=-1.0"),
        ({"C": float("nan")}, "C=nan"),
        ({"C": float("inf")}, "C=inf"),
        ({"C": "1"}, "C='1'"),
        ({"C": True}, "C=True"),
        ({"tol": 0}, "tol=0"),
        ({"tol": None}, "tol=None"),
        ({"max_iter": 0}, "max_iter=0; use a number of rounds"),
        ({"max_iter": 2.5}, "max_iter=2.5"),
        ({"n_jobs": 0}, "n_jobs=0"),
    ],
)
def test_invalid_settings_raise(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        LinearSVM(**options).fit([[1.0], [2.0]], [0, 1])


def test_a_single_class_raises_with_its_name() -> None:
    with pytest.raises(InputError, match="Only one class, 'spam'"):
        LinearSVM().fit([[1.0], [2.0]], ["spam", "spam"])


@pytest.mark.parametrize("weights", [{"a": 1.0, "nobody": 2.0}, {"a": 0.0, "b": 1.0}, {"a": -1.0, "b": 1.0}])
def test_invalid_class_weights_raise(weights: Any) -> None:
    with pytest.raises(InputError, match="class_weight"):
        LinearSVM(class_weight=weights).fit([[1.0], [2.0], [3.0]], ["a", "b", "a"])


# -- the kernels -----------------------------------------------------------------------------------------------------


@given(st.integers(0, 30), st.integers(1, 2**64 - 1))
def test_shuffle_permutes_the_first_entries_only(size: int, seed: int) -> None:
    places = np.arange(40)
    state = shuffle(places, size, np.uint64(seed))
    assert sorted(places[:size].tolist()) == list(range(size))
    assert places[size:].tolist() == list(range(size, 40))
    again = np.arange(40)
    assert shuffle(again, size, np.uint64(seed)) == state
    assert again.tolist() == places.tolist()


def test_shuffle_gives_every_order_with_the_same_probability() -> None:
    state = np.uint64(1)
    seen: Counter[tuple[int, ...]] = Counter()
    for _ in range(6000):
        places = np.arange(3)
        state = shuffle(places, 3, state)
        seen[tuple(places.tolist())] += 1
    assert len(seen) == 6
    assert min(seen.values()) > 850
    assert max(seen.values()) < 1150


@given(st.lists(st.lists(st.floats(-10, 10), min_size=3, max_size=3), max_size=6))
def test_squared_lengths_equal_sums_of_squares(rows: list[list[float]]) -> None:
    for dtype in ("float64", "float32"):
        X: Any = csr_matrix(np.array(rows).reshape(-1, 3)).astype(dtype)
        expected = [math.fsum(float(value) ** 2 for value in row) for row in X.toarray()]
        assert squared_lengths(X.indptr, X.data).tolist() == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("missing", [None, math.nan])
@pytest.mark.parametrize("as_array", [False, True])
def test_documents_without_a_label_are_counted_in_an_error(missing: Any, as_array: bool) -> None:
    labels: Any = ["sport", missing, "politics"]
    rows = np.eye(3)
    words = "1 of 3 documents has no label, and LinearSVM learns only from documents with a label; leave"
    with pytest.raises(InputError, match=words):
        LinearSVM().fit(rows, np.array(labels, object) if as_array else labels)
    with pytest.raises(InputError, match="2 of 3 documents have no label"):
        LinearSVM().fit(rows, [math.nan, 1.0, math.nan])
