"""The linear form of a trained classifier gives the same scores and labels as the classifier."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    Perceptron,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from tests.reference.classifiers_twin import class_weight_factors

from textsieve import InputError, Rocchio
from textsieve.classifiers import LinearSVM
from textsieve.classifiers.fitting import fit_each_class, fit_one_label
from textsieve.classifiers.linear_form import CONSTANT_SCORE, linear_form
from textsieve.registry import CLASSIFIERS, classifier_of
from textsieve.text.choices import SMOOTH

LINEAR: list[Any] = [
    LinearSVM(),
    LinearSVC(),
    LinearSVC(fit_intercept=False),
    LogisticRegression(),
    SGDClassifier(random_state=0),
    RidgeClassifier(),
    Perceptron(random_state=0),
    MultinomialNB(),
    MultinomialNB(fit_prior=False, alpha=0.1),
    ComplementNB(),
    ComplementNB(norm=True),
    Rocchio(),
]


def unit_rows(n: int = 60, d: int = 15, seed: int = 0) -> csr_matrix:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 4, (n, d)) * (rng.random((n, d)) < 0.4) + 0.0
    rows[:, 0] += 1
    return csr_matrix(rows / np.sqrt((rows**2).sum(axis=1, keepdims=True)))


def scores(form: Any, rows: Any) -> Any:
    return rows @ form.coefficients.T + form.intercepts


def their_scores(trained: Any, rows: Any) -> Any:
    """Return the scores of scikit-learn; for two classes, second minus first."""
    if hasattr(trained, "decision_function"):
        return np.asarray(trained.decision_function(rows))
    joint = np.asarray(trained.predict_joint_log_proba(rows))
    return joint[:, 1] - joint[:, 0] if joint.shape[1] == 2 else joint


@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("classifier", LINEAR, ids=repr)
def test_single_label_scores_equal_the_classifiers(classifier: Any, n_classes: int) -> None:
    rows, y = unit_rows(), np.arange(60) % n_classes
    trained = classifier.fit(rows, y)
    form = fit_one_label(classifier, rows, y, n_classes, None)
    assert form.coefficients.shape == ((1 if n_classes == 2 else n_classes), 15)
    form_scores = scores(form, rows)
    assert form_scores.squeeze() == pytest.approx(their_scores(trained, rows), abs=1e-9)
    labels = (form_scores[:, 0] > 0).astype(int) if n_classes == 2 else form_scores.argmax(axis=1)
    assert (labels == trained.predict(rows)).all()


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("classifier", LINEAR, ids=repr)
def test_each_class_against_the_rest_equals_the_classifiers_scores(classifier: Any, n_jobs: int) -> None:
    rows, rng = unit_rows(), np.random.default_rng(1)
    indicator = (rng.random((60, 4)) < [0.5, 0.1, 0.3, 0.9]).astype(int)
    indicator[:3] = 0
    members = [np.flatnonzero(column) for column in indicator.T]
    form = fit_each_class(classifier, rows, members, None, n_jobs)
    if isinstance(classifier, Rocchio):
        expected = classifier.fit(rows, indicator).cosines(rows)
    else:
        expected = np.transpose([their_scores(classifier.fit(rows, column), rows) for column in indicator.T])
    assert scores(form, rows) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("classifier", [LinearSVC(), SVC(kernel="linear"), LogisticRegression(solver="liblinear")])
def test_any_number_of_threads_gives_the_same_bytes(classifier: Any) -> None:
    """The random source of liblinear is global, so its classifiers are trained one after the other."""
    rows, rng = unit_rows(400, 40), np.random.default_rng(2)
    members = [np.flatnonzero(rng.random(400) < 0.3) for _ in range(12)]
    single = fit_each_class(classifier, rows, members, None, 1)
    threaded = fit_each_class(classifier, rows, members, None, 4)
    assert single.coefficients.tobytes() == threaded.coefficients.tobytes()
    assert single.intercepts.tobytes() == threaded.intercepts.tobytes()


@pytest.mark.parametrize("classifier", LINEAR, ids=repr)
def test_a_class_without_documents_never_wins(classifier: Any) -> None:
    rows = unit_rows()
    for present in ([0, 3], [1, 2, 4]):
        y = np.array(present)[np.arange(60) % len(present)]
        form_scores = scores(fit_one_label(classifier, rows, y, 5, None), rows)
        assert form_scores.shape == (60, 5)
        assert (form_scores.argmax(axis=1) == classifier.fit(rows, y).predict(rows)).all()
        absent = [number for number in range(5) if number not in present]
        assert (form_scores[:, absent].max(axis=1) < form_scores[:, present].min(axis=1)).all()


@pytest.mark.parametrize("classifier", LINEAR[:-1], ids=repr)
def test_a_class_with_all_or_no_documents_gets_a_constant_score(classifier: Any) -> None:
    rows = unit_rows()
    members = [np.arange(60), np.arange(0), np.arange(0, 60, 3)]
    form = fit_each_class(classifier, rows, members, None, 2)
    assert form.intercepts[:2].tolist() == [CONSTANT_SCORE, -CONSTANT_SCORE]
    assert not form.coefficients[:2].any()
    assert form.coefficients[2].any()


@pytest.mark.parametrize("classifier", [LinearSVM(), LinearSVC(), LogisticRegression(), SGDClassifier(random_state=0)])
@pytest.mark.parametrize("weight", ["balanced", "sqrt", {0: 3.0, 1: 1.0, 2: 0.5}])
def test_class_weights_are_passed_to_the_classifier(classifier: Any, weight: Any) -> None:
    rows, y = unit_rows(), np.array([0] * 40 + [1] * 15 + [2] * 5)
    form = fit_one_label(classifier, rows, y, 3, weight)
    own = class_weight_factors(weight, y.tolist()) if weight == "sqrt" else weight
    trained = type(classifier)(**(classifier.get_params() | {"class_weight": own})).fit(rows, y)
    assert form.coefficients.tobytes() == trained.coef_.tobytes()
    multilabel = fit_each_class(classifier, rows, [np.flatnonzero(y == 2)], weight, 1)
    rest = {0: 1.0, 1: 3.0} if isinstance(weight, dict) else weight
    if weight == "sqrt":
        rest = class_weight_factors(weight, (y == 2).tolist())
    trained = type(classifier)(**(classifier.get_params() | {"class_weight": rest})).fit(rows, y == 2)
    assert multilabel.coefficients.tobytes() == trained.coef_.tobytes()


@pytest.mark.parametrize("classifier", [MultinomialNB(), ComplementNB()])
def test_class_weights_of_naive_bayes_are_weights_of_documents(classifier: Any) -> None:
    rows, y = unit_rows(), np.array([0] * 40 + [1] * 15 + [2] * 5)
    form = fit_one_label(classifier, rows, y, 3, {0: 1.0, 1: 2.0, 2: 8.0})
    trained = classifier.fit(rows, y, sample_weight=np.array([1.0, 2.0, 8.0])[y])
    assert form.coefficients == pytest.approx(trained.feature_log_prob_, rel=1e-12)


@pytest.mark.parametrize("weight", ["balanced", "sqrt", {0: 2.0, 1: 1.0}])
def test_class_weights_raise_if_the_classifier_has_none(weight: Any) -> None:
    rows, y = unit_rows(), np.arange(60) % 2
    members = [np.flatnonzero(y == number) for number in (0, 1)]
    for classifier, words in ((Rocchio(), "Rocchio has no class weights"), (_Plain(), "_Plain has no class weights")):
        with pytest.raises(InputError, match=words):
            fit_one_label(classifier, rows, y, 2, weight)
        with pytest.raises(InputError, match=words):
            fit_each_class(classifier, rows, members, weight, 2)


class _Plain(RidgeClassifier):
    """A classifier without class weights."""

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__(alpha=alpha)


@pytest.mark.parametrize(
    ("classifier", "words"),
    [
        (KNeighborsClassifier(), "KNeighborsClassifier is not a linear classifier: .*no coef_.* Use svm, logistic"),
        (NearestCentroid(), "NearestCentroid is not a linear classifier"),
        (DecisionTreeClassifier(), "DecisionTreeClassifier is not a linear classifier"),
        (BernoulliNB(), "BernoulliNB is not a linear classifier"),
        (SVC(), "SVC is not a linear classifier"),
        (SVC(kernel="linear"), "SVC is not a linear classifier: its scores are not weights x coef_"),
        (LinearRegression(), "LinearRegression is not a linear classifier: after fit it has no classes_"),
    ],
)
def test_nonlinear_classifiers_raise(classifier: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        fit_one_label(classifier, unit_rows(), np.arange(60) % 3, 3, None)


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_infinite_coefficients_raise() -> None:
    rows = csr_matrix(np.eye(4))
    with pytest.raises(InputError, match=r"MultinomialNB.*not finite; use a larger alpha"):
        fit_one_label(MultinomialNB(alpha=0.0), rows, np.array([0, 1, 0, 1]), 2, None)


@pytest.mark.parametrize("classifier", LINEAR, ids=str)
def test_few_documents_of_each_class_give_no_warning(classifier: Any) -> None:
    fit_one_label(classifier, unit_rows(), np.arange(60) % 40, 40, None)  # pytest makes a warning an error


def test_other_warnings_are_shown_if_classes_have_few_documents() -> None:
    with pytest.warns(ConvergenceWarning) as shown:
        fit_one_label(LogisticRegression(max_iter=1), unit_rows(), np.arange(60) % 40, 40, None)
    assert [warning.category for warning in shown] == [ConvergenceWarning]


def test_the_given_classifier_is_not_changed() -> None:
    given = LogisticRegression(C=3.0)
    fit_one_label(given, unit_rows(), np.arange(60) % 3, 3, "balanced")
    assert not hasattr(given, "coef_")
    assert given.get_params() == LogisticRegression(C=3.0).get_params()


def test_sparse_coefficients_are_converted() -> None:
    trained = SGDClassifier(penalty="l1", random_state=0).fit(unit_rows(), np.arange(60) % 3)
    dense = linear_form(trained)
    assert linear_form(trained.sparsify()).coefficients.tobytes() == dense.coefficients.tobytes()


# -- names ---------------------------------------------------------------------------------------------------------


def test_classifiers_by_name() -> None:
    assert {"svm", "logistic", "nb", "cnb", "rocchio", "tcfp", "knnfp", "knn", "subspace"} <= set(CLASSIFIERS)
    for name, row in CLASSIFIERS.items():
        made = classifier_of(name, None)
        assert type(made).__name__ == row.class_name
        assert CLASSIFIERS.scheme_of(made) == row.scheme
        assert all(made.get_params()[option] == value for option, value in row.options.items())
        assert row.about
    assert CLASSIFIERS.scheme_of(LogisticRegression(C=3)) == CLASSIFIERS["logistic"].scheme
    assert CLASSIFIERS.scheme_of(RidgeClassifier()) == SMOOTH


def test_options_of_a_classifier_by_name() -> None:
    assert classifier_of("svm", {"C": 7}).C == 7
    assert classifier_of("nb", {"alpha": 1.0}).alpha == 1.0
    with pytest.raises(InputError, match=r"classifier_options: 'nb' has no option 'C'; it has alpha,"):
        classifier_of("nb", {"C": 7})


@pytest.mark.parametrize("setting", ["svc", "", None, 3, LinearSVC, ["svm"]])
def test_an_unknown_classifier_raises(setting: Any) -> None:
    with pytest.raises(InputError, match=r"classifier=.*use one of svm, logistic, nb, .*, or a linear"):
        classifier_of(setting, None)


def test_an_own_classifier_is_used() -> None:
    own = RidgeClassifier()
    assert classifier_of(own, None) is own
    assert classifier_of(own, {}) is own
    with pytest.raises(InputError, match="set them on the classifier itself"):
        classifier_of(own, {"C": 1})
