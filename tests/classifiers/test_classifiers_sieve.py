"""`CoefficientSieve` keeps the largest coefficients, and trains each class again on its own terms."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix, random_array

from textsieve import svm_solvers
from textsieve.classifiers.linear_form import CONSTANT_SCORE, Linear
from textsieve.classifiers.sieve import (
    BinaryProblems,
    CoefficientSieve,
    Sieved,
    multilabel_problems,
    one_label_problems,
)
from textsieve.classifiers.svm import LinearSVM


def normalize(rows: Any) -> csr_matrix:
    """Return rows of length 1."""
    dense = rows.toarray()
    return csr_matrix(dense / np.maximum(np.linalg.norm(dense, axis=1, keepdims=True), 1e-30))


RNG = np.random.default_rng(5)
ROWS = normalize(random_array((60, 30), density=0.2, rng=RNG, format="csr"))
NUMBERS = np.arange(60) % 4
SVM = LinearSVM(tol=1e-6)


def test_the_largest_coefficients_are_kept_and_of_equal_ones_the_first() -> None:
    form = Sieved.of(Linear(np.array([[3.0, -1.0, 0.0], [1.0, -4.0, 1.0]]), np.zeros(2)))
    kept = form.largest(4)
    assert kept.columns.tolist() == [0, 1, 0, 1]
    assert kept.outputs.tolist() == [0, 0, 1, 1]
    assert kept.values.tolist() == [3.0, -1.0, 1.0, -4.0]
    assert len(form.largest(6).values) == 5  # a coefficient of 0 is never kept


def problems(class_weight: Any = None, sample_weight: Any = None) -> BinaryProblems:
    return one_label_problems(SVM, NUMBERS, 4, class_weight, sample_weight)


def twin(kept: Sieved, class_weight: Any, sample_weight: Any) -> tuple[Any, Any]:
    """Return coefficients and intercepts of an SVM for each class, trained by itself on the terms of that class."""
    terms = np.unique(kept.columns)
    rows = normalize(ROWS[:, terms]).toarray()
    values, intercepts = np.zeros((4, 30)), np.zeros(4)
    for number in range(4):
        columns = kept.columns[kept.outputs == number]
        inside = np.searchsorted(terms, columns)
        weight = {0: 1.0, 1: class_weight[number]} if class_weight else None
        svm = LinearSVM(tol=1e-6, class_weight=weight)
        svm.fit(csr_matrix(rows[:, inside]), np.equal(NUMBERS, number).astype(int), sample_weight=sample_weight)
        values[number, columns], intercepts[number] = svm.coef_[0], svm.intercept_[0]
    return values, intercepts


@pytest.mark.parametrize("class_weight", [None, {0: 1.0, 1: 2.0, 2: 0.5, 3: 1.0}])
@pytest.mark.parametrize("sample_weight", [None, np.linspace(0.5, 2, 60)])
def test_a_cut_trains_each_class_on_its_own_terms(class_weight: Any, sample_weight: Any) -> None:
    svm = LinearSVM(class_weight=class_weight).fit(ROWS, NUMBERS, sample_weight=sample_weight)
    for n_jobs in (1, 2):
        sieve = CoefficientSieve(SVM, ROWS, "l2", problems(class_weight, sample_weight), n_jobs)
        cut = sieve.cut(sieve.start(Linear(svm.coef_, svm.intercept_)), 40)
        kept = Sieved.of(Linear(svm.coef_, svm.intercept_)).largest(40)
        assert (cut.columns == kept.columns).all()
        assert (cut.outputs == kept.outputs).all()
        values, intercepts = twin(kept, class_weight, sample_weight)
        assert cut.values == pytest.approx(values[cut.outputs, cut.columns], abs=1e-4)
        assert cut.intercepts == pytest.approx(intercepts, abs=1e-4)


def test_documents_are_weighed_by_the_terms_that_are_left() -> None:
    sieve = CoefficientSieve(SVM, csr_matrix(np.array([[0.6, 0.0, 0.8], [0.0, 1.0, 0.0]])), "l2", problems(), 1)
    assert sieve.weigh(np.array([0, 1])).toarray() == pytest.approx(np.array([[1.0, 0.0], [0.0, 1.0]]))


def test_two_classes_have_one_problem_and_classes_without_documents_can_not_win() -> None:
    two = one_label_problems(SVM, NUMBERS % 2, 2, None, None)
    assert two.n_outputs == 1
    signs, costs = two.signs_and_costs(0)
    assert signs.tolist() == np.where(NUMBERS % 2, 1.0, -1.0).tolist()
    assert (costs == SVM.C).all()
    of_three = one_label_problems(SVM, NUMBERS % 2, 3, None, None)
    assert of_three.can_be_learned.tolist() == [True, True, False]
    sieve = CoefficientSieve(SVM, ROWS, "l2", of_three, 1)
    cut = sieve.cut(sieve.start(Linear(np.ones((3, 30)), np.zeros(3))), 20)
    assert cut.intercepts[2] == -CONSTANT_SCORE
    assert not (cut.outputs == 2).any()


def test_multilabel_classes_with_no_document_or_all_have_constant_scores() -> None:
    members = (np.arange(0, 60, 2), np.array([], np.int64), np.arange(60))
    multilabel = multilabel_problems(SVM, members, 60, "balanced", None)
    assert multilabel.can_be_learned.tolist() == [True, False, False]
    assert multilabel.constant_scores[1:].tolist() == [-CONSTANT_SCORE, CONSTANT_SCORE]
    signs, costs = multilabel.signs_and_costs(0)
    assert signs.tolist() == [1.0, -1.0] * 30
    assert costs == pytest.approx(np.full(60, SVM.C))  # both sides have 30 documents


def test_a_class_without_a_coefficient_has_the_mean_sign_as_its_score() -> None:
    form = np.zeros((4, 30))
    form[0, :3] = 1.0
    sieve = CoefficientSieve(SVM, ROWS, "l2", problems(), 1)
    cut = sieve.cut(sieve.start(Linear(form, np.zeros(4))), 3)
    assert cut.outputs.tolist() == [0, 0, 0]
    assert cut.intercepts[1:] == pytest.approx([-0.5, -0.5, -0.5])  # 15 documents of 60 are in the class


@pytest.mark.parametrize("least_values", [0, 1 << 18])
def test_dual_variables_are_kept_if_classes_were_trained_together(
    least_values: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"FEWEST_VALUES_TOGETHER": least_values, "FEW_TERMS": 0, "FEW_DOCUMENTS": 0}.items():
        monkeypatch.setattr(svm_solvers, name, value)
    form = LinearSVM().fit(ROWS, NUMBERS)
    form.coef_[3] = 0.0  # a class without coefficients is not trained
    sieve = CoefficientSieve(SVM, ROWS, "l2", problems(), 1)
    cut = sieve.start(Linear(form.coef_, form.intercept_))
    for n_coefficients in (40, 20):
        cut = sieve.cut(cut, n_coefficients)
        if least_values:
            assert cut.alphas is None
        else:
            assert cut.alphas is not None
            assert cut.alphas.any(axis=1).tolist() == [True, True, True, False]


def test_terms_that_round_to_nothing_are_left_out() -> None:
    sieved = Sieved(np.array([2, 5]), np.array([0, 0]), np.array([1.0, 0.001]), np.zeros(1))
    columns, scorer = sieved.scorer()
    assert columns.tolist() == [2]
    assert scorer.n_terms == scorer.n_coefficients == 1
