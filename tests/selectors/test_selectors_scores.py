"""Scores equal their formulas, computed exactly; they are finite and do not depend on the order of documents."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency
from sklearn.datasets import load_iris
from sklearn.metrics import mutual_info_score
from tests.depth import few_examples
from tests.reference import selectors_twin as exact
from tests.reference.selectors_cases import fit_any
from tests.reference.stats_cases import Case, any_weights, cases, near_a_million
from tests.reference.stats_twin import contingency

from textsieve import OCFS, ChiSquare, ClassStats, DocumentFrequency, InformationGain, MutualInformation
from textsieve.selectors import TermSelector
from textsieve.selectors.trace import between_class_scatter

POOLED = {"InformationGain": InformationGain, "ChiSquare": ChiSquare, "MutualInformation": MutualInformation}
METHODS: list[TermSelector] = [
    DocumentFrequency(),
    OCFS(k="all"),
    InformationGain(k="all", pooling="joint"),
    *(method(k="all", pooling=pooling) for method in POOLED.values() for pooling in ("mean", "max", "round-robin")),
]

one_label = cases(n_labels=(1, 1), max_documents=12)
several_labels = cases(n_labels=(0, 3), max_documents=12)
either = st.one_of(one_label, several_labels).filter(lambda case: any(case.label_sets))


def fitted(selector: Any, case: Case) -> Any:
    """Return the fitted selector, also for one class or unlabelled documents only."""
    return fit_any(type(selector)(**selector.get_params()), case.matrix(), case.label_sets)


def assert_scores(scores: Any, expected: exact.Scores) -> None:
    """Assert that scores are equal up to 1e-9; exact zeros may differ by rounding."""
    np.testing.assert_allclose(scores, [float(score) for score in expected], rtol=1e-9, atol=1e-14)


@given(either)
def test_document_frequency(case: Case) -> None:
    expected = [sum(row[term] != 0 for row in case.rows) for term in range(case.rows.shape[1])]
    assert fitted(DocumentFrequency(), case).scores_.tolist() == expected


@given(either)
def test_joint_information_gain(case: Case) -> None:
    scores = fitted(InformationGain(k="all"), case).scores_
    assert_scores(scores, exact.joint_information_gain(case.rows.tolist(), case.label_sets))
    assert (scores >= 0).all()
    assert (scores <= float(exact.class_entropy(case.label_sets)) * (1 + 1e-15)).all()


@pytest.mark.parametrize("method", POOLED)
@given(case=either)
def test_scores_of_each_class(method: str, case: Case) -> None:
    class_scores = fitted(POOLED[method](k="all"), case).class_scores_
    expected = exact.class_scores(method, case.rows.tolist(), case.label_sets)
    assert class_scores.shape == (len(expected), case.rows.shape[1])
    for row, of_class in zip(class_scores, expected, strict=True):
        assert_scores(row, of_class)


@pytest.mark.parametrize("pooling", ["mean", "max", "round-robin"])
@pytest.mark.parametrize("method", POOLED)
@few_examples
@given(case=either)
def test_pooled_scores(method: str, pooling: str, case: Case) -> None:
    scores = fitted(POOLED[method](k="all", pooling=pooling), case).scores_  # type: ignore[arg-type]
    assert_scores(scores, exact.pooled(method, pooling, case.rows.tolist(), case.label_sets))


@given(st.one_of(cases(any_weights, n_labels=(1, 1)), cases(any_weights)).filter(lambda case: any(case.label_sets)))
def test_trace_scores(case: Case) -> None:
    scores = fitted(OCFS(k="all"), case).scores_
    assert (scores >= 0).all()
    expected = exact.centroid_scatter(case.rows.tolist(), case.label_sets)
    for column, score, exact_score in zip(case.rows.T, scores.tolist(), expected, strict=True):
        assert abs(score - exact_score) <= 1e-9 * exact_score + 1e-30 * float(np.abs(column).max()) ** 2


@given(cases(near_a_million, n_labels=(1, 1), max_documents=12))
def test_trace_scores_of_badly_scaled_weights(case: Case) -> None:
    """Weights near a million that differ by 1e-6 to 1e-3; a plain float computation would have no correct digit."""
    scores = fitted(OCFS(k="all"), case).scores_
    expected = exact.centroid_scatter(case.rows.tolist(), case.label_sets)
    for score, exact_score in zip(scores.tolist(), expected, strict=True):
        assert abs(score - exact_score) <= 1e-9 * exact_score + 1e-36, (score, float(exact_score))


def test_trace_scores_of_many_badly_scaled_weights() -> None:
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 3, 600)
    weights = 1e6 + 1e-3 * (rng.standard_normal((600, 4)) + 0.3 * labels[:, None])
    scores = OCFS(k="all").fit(weights, labels).scores_
    expected = exact.centroid_scatter(weights.tolist(), [(int(label),) for label in labels])
    np.testing.assert_allclose(scores, [float(score) for score in expected], rtol=1e-9, atol=0)


@few_examples
@given(data=st.data())
def test_the_order_of_documents_does_not_matter(data: st.DataObject) -> None:
    case = data.draw(either)
    order = data.draw(st.permutations(range(len(case.rows))))
    for selector in METHODS:
        in_order, shuffled = fitted(selector, case), fitted(selector, case.part(order))
        assert in_order.scores_.tolist() == shuffled.scores_.tolist(), selector
        assert in_order.ranking_.tolist() == shuffled.ranking_.tolist(), selector


EDGES: dict[str, tuple[Any, Any]] = {
    "a term in none, a term in all": ([[0, 1, 1], [0, 1, 0], [0, 1, 1]], ["a", "b", "a"]),
    "an empty document": ([[1, 0], [0, 0], [0, 1]], ["a", "b", "a"]),
    "only empty documents": ([[0, 0], [0, 0]], ["a", "b"]),
    "one class": ([[1, 0, 1], [1, 1, 0]], ["a", "a"]),
    "one document": ([[1, 0, 3]], ["a"]),
    "no labels": ([[1, 0], [1, 2]], [None, None]),
    "no labels and no terms": ([[0, 0]], [None]),
    "one label in all": ([[1, 0], [0, 1]], ["a", None]),
    "all labels everywhere": ([[1, 0], [0, 1]], [["a", "b"], ["a", "b"]]),
    "a class without documents": ([[1, 0], [0, 1], [1, 1]], np.array([[1, 0, 0], [0, 0, 1], [1, 0, 1]])),
    "a term that gives the class away": ([[1, 0], [0, 1], [1, 0]], ["a", "b", "a"]),
    "weights that cancel": ([[1.0, -1.0], [-1.0, 1.0]], ["a", "b"]),
}


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("selector", METHODS, ids=repr)
def test_scores_are_finite(selector: Any, edge: str) -> None:
    rows, labels = EDGES[edge]
    fitted_selector = fit_any(type(selector)(**selector.get_params()), np.array(rows), labels)
    assert np.isfinite(fitted_selector.scores_).all()
    if hasattr(fitted_selector, "class_scores_"):
        assert np.isfinite(fitted_selector.class_scores_).all()
        assert fitted_selector.class_scores_.shape == (len(fitted_selector.classes_), len(rows[0]))
    assert sorted(fitted_selector.ranking_) == list(range(len(rows[0])))


def test_a_class_without_documents_changes_no_score() -> None:
    rows, indicator = EDGES["a class without documents"]
    for selector in METHODS:
        with_it = type(selector)(**selector.get_params()).partial_fit(np.array(rows), indicator)
        without = type(selector)(**selector.get_params()).partial_fit(np.array(rows), indicator[:, [0, 2]])
        assert with_it.scores_.tolist() == without.scores_.tolist()


@given(one_label)
def test_chi_square_is_scipys(case: Case) -> None:
    selector = fitted(ChiSquare(k="all"), case)
    for number in range(len(selector.classes_)):
        four_counts = contingency(selector.stats_, number)
        for term in range(case.rows.shape[1]):
            a, b, c, d = (int(counts[term]) for counts in four_counts)
            if min(a + b, c + d, a + c, b + d) > 0:
                expected = chi2_contingency([[a, b], [c, d]], correction=False).statistic
                assert selector.class_scores_[number, term] == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(one_label)
def test_joint_information_gain_is_scikit_learns(case: Case) -> None:
    scores = fitted(InformationGain(k="all"), case).scores_
    labels = [labels[0] for labels in case.label_sets]
    for column, score in zip(case.rows.T, scores, strict=True):
        assert score == pytest.approx(mutual_info_score(labels, column != 0) / np.log(2), rel=1e-9, abs=1e-12)


def test_joint_gain_of_two_classes_is_the_gain_of_each() -> None:
    rng = np.random.default_rng(1)
    rows, labels = rng.integers(0, 2, (50, 6)), rng.integers(0, 2, 50)
    selector = InformationGain(k="all").fit(rows, labels)
    np.testing.assert_allclose(selector.class_scores_, [selector.scores_] * 2, rtol=1e-12)


def test_small_information_gains_are_accurate() -> None:
    """The counts are nearly independent of the class, so the logarithm of a rounded ratio would be mostly noise."""
    n = 20_000
    labels = np.repeat([0, 1], n // 2)
    rows = np.zeros((n, 1), np.int64)
    rows[: n // 4 + 1] = 1
    rows[n // 2 : n // 2 + n // 4] = 1
    (score,) = InformationGain(k="all").fit(rows, labels).scores_
    a, b = n // 4 + 1, n // 4
    expected = exact.information_gain_of_cell(a, b, n // 2 - a, n // 2 - b)
    assert score == pytest.approx(float(expected), rel=1e-6)
    assert 1e-9 < score < 1e-7


# -- OCFS as the paper has it --------------------------------------------------------------------------------------

IRIS_MEANS = [[5.006, 3.418, 1.464, 0.244], [5.936, 2.770, 4.260, 1.326], [6.588, 2.974, 5.552, 2.026]]


def test_iris_from_the_means_that_the_paper_prints() -> None:
    """Yan et al. left out n_j/n = 1/3 and swapped two digits of the fourth score: 1.1621 for 1.6121."""
    selector = OCFS(k=2).fit(np.repeat(IRIS_MEANS, 50, axis=0), np.repeat([1, 2, 3], 50))
    assert selector.scores_.round(5).tolist() == [0.42141, 0.07318, 2.91096, 0.53736]
    assert 3 * selector.scores_ == pytest.approx([1.2642, 0.21955, 8.7329, 1.6121], abs=5e-5)
    assert selector.get_support(indices=True).tolist() == [2, 3]
    assert selector.ranking_.tolist() == [2, 3, 0, 1]


def test_iris_itself() -> None:
    flowers, kinds = load_iris(return_X_y=True)
    means = [flowers[kinds == kind].mean(axis=0) for kind in range(3)]
    expected = np.mean([(mean - flowers.mean(axis=0)) ** 2 for mean in means], axis=0)
    selector = OCFS(k=2).fit(flowers, kinds)
    np.testing.assert_allclose(selector.scores_, expected, rtol=1e-12)
    np.testing.assert_allclose(between_class_scatter(ClassStats.from_matrix(flowers, kinds)), expected, rtol=1e-12)
    assert selector.get_support(indices=True).tolist() == [2, 3]
    assert selector.transform(flowers).shape == (150, 2)


@given(cases(any_weights, n_labels=(1, 1), max_terms=6))
def test_no_other_selection_has_a_larger_trace(case: Case) -> None:
    scatter = exact.centroid_scatter(case.rows.tolist(), case.label_sets)
    selector = fitted(OCFS(k="all"), case)
    for p in range(1, len(scatter) + 1):
        best = max(sum(scatter[term] for term in subset) for subset in combinations(range(len(scatter)), p))
        ours = sum(scatter[term] for term in selector.ranking_[:p])
        assert ours >= best * (1 - 1e-12)
