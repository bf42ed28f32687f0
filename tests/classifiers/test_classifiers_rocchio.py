"""`Rocchio` compared with loops over dense rows; any order and any batches give the same prototypes."""

import pickle
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import NotFittedError
from tests.reference.classifiers_twin import cosine, rocchio_prototypes
from tests.reference.stats_cases import Case, cases, counts

from textsieve import ClassStats, InputError, Rocchio
from textsieve.classifiers.rocchio import prototypes

weights = st.sampled_from([0.0, 0.0, 0.0, 0.25, 1.0, 1 / 3, 2.0, -1.5, 1e-9, 700.0])
factors = st.sampled_from([(16.0, 4.0), (1.0, 1.0), (1, 0), (0, 1), (0.5, 30.0)])


def has_two_classes(case: Case) -> bool:
    return len({label for labels in case.label_sets for label in labels}) >= 2


@given(cases(weights, n_labels=(0, 3)).filter(has_two_classes), factors)
def test_prototypes_and_cosines_equal_the_twin(case: Case, beta_gamma: tuple[float, float]) -> None:
    beta, gamma = beta_gamma
    classifier = Rocchio(beta=beta, gamma=gamma).fit(case.matrix(), case.label_sets)
    expected = rocchio_prototypes(case.rows.tolist(), case.label_sets, beta, gamma)
    assert classifier.classes_.tolist() == list(expected)
    assert classifier.coef_ == pytest.approx(np.array(list(expected.values())), abs=1e-12)
    assert not classifier.intercept_.any()
    cosines = np.array([[cosine(row, unit) for unit in expected.values()] for row in case.rows.tolist()])
    assert classifier.cosines(case.matrix()) == pytest.approx(cosines, abs=1e-12)
    decision = classifier.decision_function(case.matrix())
    assert decision == pytest.approx(cosines[:, 1] - cosines[:, 0] if len(expected) == 2 else cosines, abs=1e-12)
    best_two = np.sort(cosines, axis=1)[:, -2:]
    clear = best_two[:, 1] - best_two[:, 0] > 1e-9
    predicted = classifier.classes_[cosines.argmax(axis=1)]
    assert (classifier.predict(case.matrix()) == predicted)[clear].all()


@given(cases(st.one_of(counts, weights), n_labels=(0, 2), max_documents=12).filter(has_two_classes), st.data())
def test_partial_fit_does_not_depend_on_order_and_batches(case: Case, data: st.DataObject) -> None:
    whole = Rocchio().fit(case.matrix(), case.label_sets)
    order = data.draw(st.permutations(range(len(case.label_sets))))
    cuts = sorted(data.draw(st.sets(st.integers(1, max(1, len(order) - 1)))))
    parts = Rocchio()
    for documents in np.split(np.array(order), [cut for cut in cuts if cut < len(order)]):
        part = case.part(documents)
        parts.partial_fit(part.matrix(), part.label_sets)
    assert parts.coef_.tobytes() == whole.coef_.tobytes()
    assert parts.predict(case.matrix()).tolist() == whole.predict(case.matrix()).tolist()


def test_partial_fit_accepts_new_columns_and_classes() -> None:
    rows = np.array([[1.0, 0, 0, 0], [0, 2, 0, 0], [0, 0, 3, 0], [0, 1, 0, 4]])
    labels = ["m", "z", "a", "z"]
    classifier = Rocchio().partial_fit(rows[:1, :1], labels[:1])
    assert classifier.classes_.tolist() == ["m"]
    assert classifier.predict(rows[:1, :1]).tolist() == ["m"]
    classifier.partial_fit(rows[1:2, :2], labels[1:2]).partial_fit(sparse.csr_array(rows[2:]), labels[2:])
    assert classifier.classes_.tolist() == ["a", "m", "z"]
    assert classifier.n_features_in_ == 4
    assert classifier.coef_.tobytes() == Rocchio().fit(rows, labels).coef_.tobytes()


def test_a_batch_that_raises_changes_nothing() -> None:
    classifier = Rocchio().fit(np.eye(2), ["a", "b"])
    before = pickle.dumps(vars(classifier))
    for rows, labels in (
        (np.eye(3), ["a"]),
        (np.eye(3), ["a", "b", 3]),
        (np.eye(2), [1, 2]),
        (np.eye(2), [0.5, float("nan")]),
        (np.eye(2), np.array([0.5, 1.5])),
        (np.array([[np.nan, 1.0]]), ["a"]),
    ):
        with pytest.raises(ValueError):  # noqa: PT011, each has its own message
            classifier.partial_fit(rows, labels)
    assert pickle.dumps(vars(classifier)) == before


def test_unlabelled_documents_are_ignored() -> None:
    rows = np.array([[1.0, 0], [0, 1], [5, 5], [7, 0]])
    classifier = Rocchio().fit(rows, ["a", "b", None, ""])
    assert classifier.coef_.tobytes() == Rocchio().fit(rows[:2], ["a", "b"]).coef_.tobytes()


def test_labels_may_be_an_indicator_matrix() -> None:
    rows = np.array([[1.0, 0, 0], [0, 1, 0], [0, 1, 1]])
    by_matrix = Rocchio().fit(rows, np.array([[1, 0], [0, 1], [1, 1]]))
    assert by_matrix.coef_.tobytes() == Rocchio().fit(rows, [[0], [1], [0, 1]]).coef_.tobytes()


def test_a_small_example_computed_by_hand() -> None:
    """Means (2, 0) and (0, 4): 16 (2, 0) - 4 (0, 4) = (32, -16) and (-8, 64)."""
    classifier = Rocchio().fit([[1.0, 0], [3, 0], [0, 4]], ["a", "a", "b"])
    assert classifier.coef_ == pytest.approx(np.array([[32, -16] / np.hypot(32, 16), [-8, 64] / np.hypot(8, 64)]))


def test_the_length_of_a_document_does_not_matter_and_an_empty_one_gets_the_first_class() -> None:
    classifier = Rocchio().fit(np.eye(3), ["a", "b", "c"])
    assert classifier.cosines([[1.0, 2, 0]]) == pytest.approx(classifier.cosines([[10.0, 20, 0]]))
    assert classifier.cosines(np.zeros((1, 3))).tolist() == [[0, 0, 0]]
    assert classifier.predict(np.zeros((1, 3))).tolist() == ["a"]


def test_a_class_whose_prototype_vanishes_scores_0() -> None:
    classifier = Rocchio(beta=1, gamma=1).fit([[1.0, 1], [1, 1], [2, 0]], ["a", "b", "c"])
    assert np.isfinite(classifier.coef_).all()
    same = Rocchio(beta=1, gamma=1).fit(np.ones((2, 2)), ["a", "b"])
    assert not same.coef_.any()
    assert same.decision_function(np.ones((1, 2))).tolist() == [0]


def test_integers_and_floats_give_the_same_prototypes() -> None:
    rows = np.array([[1, 0, 3], [0, 2, 0], [1, 1, 1]])
    from_integers, from_floats = (
        Rocchio().fit(matrix, [0, 1, 1]) for matrix in (rows, sparse.csr_matrix(rows.astype(float)))
    )
    assert from_integers.coef_.tobytes() == from_floats.coef_.tobytes()
    assert from_integers.decision_function(rows) == pytest.approx(
        from_floats.decision_function(rows.astype(np.float32))
    )


def test_large_counts_do_not_overflow() -> None:
    rows = np.array([[60_000, 1], [0, 2]], np.int32)  # the square of 60,000 does not fit into int32
    classifier = Rocchio().fit(rows, ["a", "b"])
    assert classifier.cosines(rows) == pytest.approx(classifier.cosines(rows.astype(float)))
    assert np.abs(classifier.cosines(rows)).max() <= 1 + 1e-12


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"beta": -1}, "beta=-1; use a number from 0"),
        ({"gamma": float("nan")}, "gamma=nan"),
        ({"gamma": float("inf")}, "gamma=inf"),
        ({"beta": "16"}, "beta='16'"),
        ({"beta": True}, "beta=True"),
        ({"beta": 0, "gamma": 0}, "beta and gamma are both 0"),
    ],
)
def test_invalid_settings_raise(options: dict[str, Any], words: str) -> None:
    for learn in (Rocchio(**options).fit, Rocchio(**options).partial_fit):
        with pytest.raises(InputError, match=words):
            learn(np.eye(2), ["a", "b"])


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (["spam", "spam"], "Only one class, 'spam'"),
        ([None, None], "No document has a label"),
        (["a", 1], "mixed kinds"),
        ([1.0, float("nan")], "Only one class, 1.0"),
        (np.array([1.0, np.nan]), "Only one class, 1.0"),
        (np.array([1.0, np.inf]), "an infinite number is no class"),
        (np.array([0.5, 0.25]), "continuous"),
        (["a"], "2 documents but 1 labels"),
        (None, "requires y"),
    ],
)
def test_invalid_labels_raise(labels: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Rocchio().fit(np.eye(2), labels)


def test_predicting_without_any_label_raises() -> None:
    with pytest.raises(NotFittedError):
        Rocchio().predict(np.eye(2))
    with pytest.raises(NotFittedError):
        _ = Rocchio().coef_
    with pytest.raises(InputError, match="No document had a label"):
        Rocchio().partial_fit(np.eye(2), [None, None]).predict(np.eye(2))


def test_fit_stats_copies_the_statistics() -> None:
    classifier = Rocchio().fit(np.eye(2), ["a", "b"])
    stats = classifier.stats_.copy()
    classifier.partial_fit(np.eye(2), ["b", "b"])
    assert stats == ClassStats.from_matrix(np.eye(2), ["a", "b"])
    classifier = Rocchio().fit_stats(stats)
    assert classifier.coef_.tobytes() == Rocchio().fit(np.eye(2), ["a", "b"]).coef_.tobytes()
    assert classifier.n_features_in_ == 2
    assert classifier.predict(np.eye(2)).tolist() == ["a", "b"]
    classifier.partial_fit(np.eye(2), ["b", "b"])
    assert stats == ClassStats.from_matrix(np.eye(2), ["a", "b"])


def test_invalid_statistics_raise() -> None:
    three: Any = 3
    with pytest.raises(InputError, match=r"stats is 3; give a ClassStats"):
        Rocchio().fit_stats(three)
    with pytest.raises(InputError, match=r"Only one class, 'a': there is nothing to tell apart"):
        Rocchio().fit_stats(ClassStats.from_matrix(np.eye(2), ["a", "a"]))
    with pytest.raises(InputError, match=r"beta=-1; use a number from 0"):
        Rocchio(beta=-1).fit_stats(ClassStats.from_matrix(np.eye(2), ["a", "b"]))


def test_prototypes_need_one_array_of_memory() -> None:
    rows = sparse.random(500, 2000, 0.01, format="csr", random_state=0)
    stats = ClassStats.from_matrix(rows, np.arange(500) % 250)
    tracemalloc.start()
    matrix = prototypes(stats, 16.0, 4.0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert matrix.shape == (250, 2000)
    assert peak < 1.5 * matrix.nbytes
