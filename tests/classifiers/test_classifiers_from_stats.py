"""Naive Bayes and Rocchio learn the same from statistics as from the rows, in any order and any batches."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.utils.class_weight import compute_sample_weight
from tests.depth import few_examples
from tests.reference.classifiers_twin import class_weight_factors

from textsieve import ClassStats, InputError, Rocchio
from textsieve.classifiers import from_stats
from textsieve.classifiers.from_stats import fit_stats, learns_from_stats, stats_of
from textsieve.classifiers.linear_form import CONSTANT_SCORE, Linear, add_empty_classes, linear_form

Multinomial: Any = MultinomialNB  # the stubs of scikit-learn lack some options
Complement: Any = ComplementNB

N, D, C = 70, 12, 4
Ints = NDArray[np.int64]

OPTIONS: list[Any] = [
    Multinomial(),
    Multinomial(alpha=0.01),
    Multinomial(alpha=np.linspace(0.1, 2.0, D)),
    Multinomial(fit_prior=False),
    Multinomial(alpha=1e-12),
    Complement(),
    Complement(alpha=0.1, norm=True),
    Complement(alpha=list(np.linspace(0.1, 2.0, D)), fit_prior=False),
]
WEIGHTS: list[Any] = [None, "balanced", "sqrt", {0: 1.0, 1: 2.0, 2: 0.5, 3: 8.0}]


def weights(n: int = N, seed: int = 0) -> csr_matrix:
    """Return rows of length 1 in float32, as in training."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(1, 5, (n, D)) * (rng.random((n, D)) < 0.4)
    rows[:, 0] += 1
    return csr_matrix((rows / np.sqrt((rows**2).sum(axis=1, keepdims=True))).astype(np.float32))


def single_labels(seed: int = 1) -> Ints:
    return np.random.default_rng(seed).permutation(np.append(np.arange(C), np.arange(N - C) ** 2 % C))


def sets(seed: int = 2) -> csr_array:
    """Return an indicator matrix of multilabel documents; the first two have no label."""
    is_member = np.random.default_rng(seed).random((N, C)) < [0.5, 0.1, 0.3, 0.9]
    is_member[:2] = False
    return csr_array(is_member.astype(np.int8))


def indicator(numbers: Ints, n_classes: int = C) -> csr_array:
    return csr_array((numbers[:, None] == np.arange(n_classes)).astype(np.int8))


def learned(classifier: Any, rows: csr_matrix, is_member: csr_array, class_weight: Any, multilabel: bool) -> Linear:
    return fit_stats(classifier, stats_of(classifier, [rows], is_member), class_weight, multilabel=multilabel)


def their_form(classifier: Any, rows: csr_matrix, y: Ints, class_weight: Any) -> Linear:
    """Return the form that scikit-learn learns from the rows, with class weights as sample weights."""
    factors = class_weight_factors(class_weight, y.tolist())
    sample_weight = None if factors is None else compute_sample_weight(factors, y)
    return linear_form(clone(classifier).fit(rows.astype(np.float64), y, sample_weight=sample_weight))


def assert_close(actual: Linear, expected: Linear) -> None:
    np.testing.assert_allclose(actual.coefficients, expected.coefficients, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(actual.intercepts, expected.intercepts, rtol=1e-12, atol=1e-13)


def as_bytes(form: Linear) -> bytes:
    return form.coefficients.tobytes() + form.intercepts.tobytes()


# -- the same as from rows -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("class_weight", WEIGHTS, ids=str)
@pytest.mark.parametrize("classifier", [*OPTIONS, Multinomial(class_prior=[0.1, 0.2, 0.3, 0.4])], ids=repr)
def test_single_label_equals_scikit_learn_on_the_rows(classifier: Any, class_weight: Any) -> None:
    rows, y = weights(), single_labels()
    form = learned(classifier, rows, indicator(y), class_weight, multilabel=False)
    assert_close(form, their_form(classifier, rows, y, class_weight))


@pytest.mark.parametrize("class_weight", WEIGHTS, ids=str)
@pytest.mark.parametrize("classifier", [*OPTIONS, Complement(class_prior=[0.3, 0.7])], ids=repr)
def test_each_class_against_the_rest_equals_scikit_learn_on_the_rows(classifier: Any, class_weight: Any) -> None:
    rows, is_member = weights(), sets()
    form = learned(classifier, rows, is_member, class_weight, multilabel=True)
    assert form.coefficients.shape == (C, D)
    for number, column in enumerate(is_member.toarray().T):
        weight = {0: 1.0, 1: class_weight[number]} if isinstance(class_weight, dict) else class_weight
        expected = their_form(classifier, rows, column.astype(np.int64), weight)
        assert_close(Linear(form.coefficients[[number]], form.intercepts[[number]]), expected)


@pytest.mark.parametrize("class_weight", [None, "balanced", "sqrt"])
@pytest.mark.parametrize("classifier", OPTIONS, ids=repr)
def test_fitting_few_classes_at_a_time_gives_the_same_bits(
    classifier: Any, class_weight: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, is_member = weights(), indicator(single_labels())
    expected = learned(classifier, rows, is_member, class_weight, multilabel=False)
    monkeypatch.setattr(from_stats, "_MAX_CELLS", 1)
    assert as_bytes(learned(classifier, rows, is_member, class_weight, multilabel=False)) == as_bytes(expected)


@pytest.mark.parametrize("classifier", OPTIONS, ids=repr)
def test_two_classes_give_one_row(classifier: Any) -> None:
    rows, y = weights(), single_labels() % 2
    form = learned(classifier, rows, indicator(y, 2), None, multilabel=False)
    assert form.coefficients.shape == (1, D)
    assert_close(form, their_form(classifier, rows, y, None))


@pytest.mark.parametrize("classifier", [Multinomial(), Complement()])
def test_a_term_with_equal_sums_gets_coefficient_0(classifier: Any) -> None:
    """Integers are added exactly, so a term with the same sum in both classes has a coefficient of exactly 0."""
    rows = csr_matrix([[1, 3, 0], [1, 1, 7], [1, 1, 0], [6, 0, 5], [0, 4, 5]])
    form = learned(classifier.set_params(fit_prior=False), rows, indicator(np.array([0, 0, 0, 1, 1]), 2), None, False)
    twice = learned(classifier, csr_matrix([[3, 5, 7], [3, 5, 7]]), indicator(np.array([0, 1]), 2), None, False)
    assert not twice.coefficients.any()
    assert form.coefficients.all()


@pytest.mark.parametrize("multilabel", [False, True])
def test_rocchio_equals_rocchio_on_the_rows(multilabel: bool) -> None:
    rows = weights()
    is_member = sets() if multilabel else indicator(single_labels())
    form = learned(Rocchio(beta=3.0), rows, is_member, None, multilabel)
    trained = Rocchio(beta=3.0).fit(rows, is_member)
    assert as_bytes(form) == trained.coef_.tobytes() + trained.intercept_.tobytes()


# -- any order, any batches -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize("classifier", [OPTIONS[1], Complement(norm=True), Rocchio()], ids=repr)
@few_examples
@given(st.integers(0, 1000), st.integers(1, N))
def test_order_and_batches_give_the_same_bits(classifier: Any, multilabel: bool, seed: int, size: int) -> None:
    """Small batches are merged before they are counted."""
    class_weight = None if isinstance(classifier, Rocchio) else ("balanced", "sqrt")[seed % 2]
    rows, is_member = weights(seed=seed), sets() if multilabel else indicator(single_labels())
    expected = learned(classifier, rows, is_member, class_weight, multilabel)
    order = np.random.default_rng(seed).permutation(N)
    shuffled = rows[order]
    batches = [shuffled[begin : begin + size] for begin in range(0, N, size)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(from_stats, "_BATCH_VALUES", 40 + seed)
        stats = stats_of(classifier, batches, is_member[order])
    form = fit_stats(classifier, stats, class_weight, multilabel=multilabel)
    assert as_bytes(form) == as_bytes(expected)


@pytest.mark.parametrize("classifier", [Multinomial(alpha=1e-9), Complement()], ids=repr)
def test_sums_of_the_rest_that_nearly_cancel_keep_their_digits(classifier: Any) -> None:
    """The sums of the rest are differences of large numbers, which must not become negative."""
    rng = np.random.default_rng(5)
    rows = csr_matrix(10.0 ** rng.uniform(-6, 6, (N, D)) * (rng.random((N, D)) < 0.5))
    is_member = sets()
    form = learned(classifier, rows, is_member, None, multilabel=True)
    for number, column in enumerate(is_member.toarray().T):
        expected = their_form(classifier, rows, column.astype(np.int64), None)
        np.testing.assert_allclose(form.coefficients[number], expected.coefficients[0], rtol=1e-6, atol=1e-9)


# -- classes with nothing to learn ---------------------------------------------------------------------------------


@pytest.mark.parametrize("classifier", [Multinomial(), Complement()])
def test_a_class_with_all_or_no_documents_gets_a_constant_score(classifier: Any) -> None:
    is_member = csr_array(np.stack([np.ones(N), np.zeros(N), np.arange(N) % 3 == 0], axis=1))
    form = learned(classifier, weights(), is_member, "balanced", multilabel=True)
    assert form.intercepts[:2].tolist() == [CONSTANT_SCORE, -CONSTANT_SCORE]
    assert not form.coefficients[:2].any()
    assert form.coefficients[2].all()


@pytest.mark.parametrize("classifier", [Multinomial(), Complement()])
def test_a_class_with_one_document_or_all_but_one_is_learned(classifier: Any) -> None:
    rows, is_first = weights(), np.arange(N) == 0
    is_member = np.stack([is_first, ~is_first], axis=1)
    form = learned(classifier, rows, csr_array(is_member.astype(np.int8)), None, multilabel=True)
    for number in range(2):
        expected = their_form(classifier, rows, is_member[:, number].astype(np.int64), None)
        assert_close(Linear(form.coefficients[[number]], form.intercepts[[number]]), expected)


@pytest.mark.parametrize("signed", [False, True])
def test_a_class_without_documents_scores_below_all_others_whatever_their_intercepts(signed: bool) -> None:
    form = Linear(np.array([[0.0, 1.0], [2.0, 0.5], [1.0, -1.0]]), np.array([-50.0, 0.0, 100.0]))
    complete = add_empty_classes(form, np.array([0, 2, 3]), 4, signed=signed)
    assert complete.intercepts.tolist() == [-50.0, -51.0, 0.0, 100.0]
    assert complete.coefficients[1].tolist() == ([0.0, 1.0] if signed else [0.0, -1.0])
    assert complete.coefficients[[0, 2, 3]].tolist() == form.coefficients.tolist()


@pytest.mark.parametrize("classifier", [Multinomial(fit_prior=False), Complement(), Rocchio()])
@pytest.mark.parametrize("present", [[0, 3], [1, 2, 4]], ids=str)
def test_a_class_without_documents_never_wins(classifier: Any, present: list[int]) -> None:
    """The other classes learn as if it did not exist."""
    rows, places = weights(), np.arange(N) % len(present)
    form = learned(classifier, rows, indicator(np.array(present)[places], 5), None, multilabel=False)
    alone = learned(classifier, rows, indicator(places, len(present)), None, multilabel=False)
    scores = np.asarray(rows @ form.coefficients.T + form.intercepts)
    absent = [number for number in range(5) if number not in present]
    assert (scores[:, absent].max(axis=1) < scores[:, present].min(axis=1)).all()
    signs = [[-1.0], [1.0]] if len(present) == 2 else 1.0
    assert (form.coefficients[present] == np.multiply(signs, alone.coefficients)).all()


def test_many_classes_with_one_document_each_give_no_warning() -> None:
    """scikit-learn would warn that these classes look like regression targets."""
    rows = weights()
    form = learned(Multinomial(), rows, indicator(np.arange(N), N), None, multilabel=False)
    assert form.coefficients.shape == (N, D)


@pytest.mark.parametrize("classifier", [Multinomial(), Rocchio()])
@pytest.mark.parametrize("n_classes", [1, 2])
def test_a_single_class_raises(classifier: Any, n_classes: int) -> None:
    with pytest.raises(InputError, match="Fewer than two classes have documents"):
        learned(classifier, weights(), indicator(np.zeros(N, np.int64), n_classes), None, multilabel=False)
    with pytest.raises(InputError, match="Fewer than two classes have documents"):
        fit_stats(classifier, stats_of(classifier, [], indicator(np.zeros(0, np.int64))), None, multilabel=False)


# -- invalid options and weights -----------------------------------------------------------------------------------


@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize(
    ("classifier", "words"),
    [
        (Multinomial(alpha=-1), r"MultinomialNB\(alpha=-1\) can't be trained: .*alpha"),
        (Multinomial(alpha=[1.0, 2.0]), r"can't be trained: .*alpha.*Got 2 elements instead of 12"),
        (Multinomial(alpha=[-1.0] * D), "can't be trained: All values in alpha"),
        (Multinomial(class_prior=[1.0]), r"class_prior=\[1.0\]\) can't be trained: Number of priors"),
        (Complement(class_prior=[1.0]), "can't be trained: Number of priors"),
        (Complement(norm="yes"), r"ComplementNB\(norm='yes'\) can't be trained"),
        (Multinomial(fit_prior="yes"), r"MultinomialNB\(fit_prior='yes'\) can't be trained"),
    ],
)
def test_errors_of_scikit_learn_become_input_errors(classifier: Any, words: str, multilabel: bool) -> None:
    is_member = sets() if multilabel else indicator(single_labels())
    with pytest.raises(InputError, match="classifier_options: .*" + words):
        learned(classifier, weights(), is_member, None, multilabel)


@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_infinite_coefficients_raise(multilabel: bool) -> None:
    rows, is_member = csr_matrix(np.eye(4)), indicator(np.array([0, 1, 0, 1]), 2)
    with pytest.raises(InputError, match=r"^MultinomialNB\(alpha=0.0\) learned coefficients that are not finite"):
        learned(Multinomial(alpha=0.0), rows, is_member, None, multilabel)


def test_a_tiny_alpha_is_replaced_as_in_scikit_learn() -> None:
    rows, y = weights(), single_labels()
    with pytest.warns(UserWarning, match="alpha too small"):
        form = learned(Multinomial(alpha=0.0, force_alpha=False), rows, indicator(y), None, multilabel=False)
    assert_close(form, their_form(Multinomial(alpha=1e-10), rows, y, None))


@pytest.mark.parametrize("classifier", [Multinomial(), Complement()])
def test_negative_weights_raise_even_if_their_sums_are_positive(classifier: Any) -> None:
    rows = csr_matrix([[1.0, 2.0], [-0.5, 1.0], [1.0, 0.0], [0.0, 1.0]])
    name = type(classifier).__name__
    with pytest.raises(InputError, match=rf"{name}\(\) can't be trained: Negative values in data .* {name}: -0.5"):
        stats_of(classifier, [rows[:1], rows[1:]], indicator(np.array([0, 0, 1, 1]), 2))
    assert stats_of(Rocchio(), [rows], indicator(np.array([0, 0, 1, 1]), 2)).class_sums(0).tolist() == [0.5, 3.0]


def test_the_given_classifier_is_not_changed() -> None:
    given = Multinomial(alpha=0.5)
    learned(given, weights(), indicator(single_labels()), "balanced", multilabel=False)
    assert vars(given) == vars(Multinomial(alpha=0.5))


def test_the_given_statistics_are_not_changed() -> None:
    stats = stats_of(Multinomial(), [weights()], sets())
    before = stats.to_bytes()
    for classifier in (Multinomial(), Complement(), Rocchio()):
        fit_stats(classifier, stats, None, multilabel=True)
    assert stats.to_bytes() == before


def test_which_classifiers_learn_from_statistics() -> None:
    for classifier in (Multinomial(), Complement()):
        assert learns_from_stats(classifier, None)
        assert all(learns_from_stats(classifier, rule) for rule in ("balanced", "sqrt"))
    assert learns_from_stats(Rocchio(), None)
    assert not learns_from_stats(Rocchio(), "balanced")
    assert not learns_from_stats(BernoulliNB(), None)
    assert not learns_from_stats(LogisticRegression(), None)


def test_stats_of_has_all_documents_and_classes() -> None:
    """The batches have different sizes, and one class has no documents."""
    rows, y = weights(), single_labels()
    stats = stats_of(Multinomial(), [rows[:1], rows[1:1], rows[1:50], rows[50:]], indicator(y, C + 2))
    assert stats.classes == tuple(range(C + 2))
    assert stats == ClassStats.from_matrix(rows, indicator(y, C + 2))
