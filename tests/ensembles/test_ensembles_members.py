"""`train_members` equals the slow twin, in order and for any number of jobs."""

import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from tests.reference.classifiers_twin import class_weight_factors
from tests.reference.subspace_members_twin import documents, slow_members

from textsieve import InputError
from textsieve.classifiers import CosineKNN, LinearSVM, Rocchio
from textsieve.classifiers.linear_form import CONSTANT_SCORE
from textsieve.ensembles import members as module
from textsieve.ensembles.members import Member, TrainingTask, member_scores, subset, train_members, training_task
from textsieve.stats.labels import label_pairs

SVM = LinearSVM(C=5.0, tol=1e-6, max_iter=100_000)
SLOW_SVM: Any = LinearSVC(C=5.0, tol=1e-8, max_iter=1_000_000, random_state=0).set_params(dual="auto")


def task(X: csr_matrix, y: Any, keeps_unlabelled: bool = False) -> TrainingTask:
    return training_task(X, label_pairs(y, X.shape[0]), keeps_unlabelled=keeps_unlabelled)


def trained(
    estimator: Any, of: TrainingTask, n_terms: int = 12, n_members: int = 5, seed: int = 3, n_jobs: int = 1
) -> list[Member]:
    sizes = {"n_terms": n_terms, "n_members": n_members, "seed": seed, "n_jobs": n_jobs}
    return list(train_members(estimator, of, **sizes, then=lambda member: member))


# -- training tasks --------------------------------------------------------------------------------------------------


def test_a_training_task_of_single_label_documents() -> None:
    X, y = documents(3, n=20)
    training = task(X, y)
    assert training.labels.tolist() == ["class 0", "class 1", "class 2"]
    assert training.class_of is not None
    assert training.labels[training.class_of].tolist() == y.tolist()
    assert training.present.tolist() == [0, 1, 2]
    assert training.class_docs.tolist() == [Counter(y.tolist())[label] for label in training.labels]
    assert not training.has_one_output
    assert task(X, np.arange(20) % 2).has_one_output


def test_unlabelled_documents_are_ignored() -> None:
    X = csr_matrix(np.arange(1.0, 11).reshape(5, 2))
    training = task(X, ["b", None, "a", "", "b"])
    assert training.rows.toarray().tolist() == X.toarray()[[0, 2, 4]].tolist()
    assert training.class_of is not None
    assert training.class_of.tolist() == [1, 0, 1]
    multilabel = task(X, [["b"], [], ["a", "b"], ["a"], []])
    assert multilabel.class_of is None
    assert multilabel.rows.shape == (3, 2)
    assert [numbers.tolist() for numbers in multilabel.documents_of] == [[1, 2], [0, 1]]


def test_rows_of_zeros_in_an_indicator_matrix_are_in_no_class() -> None:
    X = csr_matrix(np.eye(4))
    training = task(X, np.array([[1, 0, 0], [0, 0, 0], [0, 0, 1], [0, 0, 1]]), keeps_unlabelled=True)
    assert training.class_of is None
    assert training.rows.shape == (4, 4)
    assert training.present.tolist() == [0, 2]
    assert training.class_docs.tolist() == [1, 0, 2]
    assert [numbers.tolist() for numbers in training.documents_of] == [[0], [2, 3]]


def test_a_single_class_raises() -> None:
    for y, keeps in ((np.array([[1, 0], [1, 0]]), True), (np.array([[1, 0], [0, 0]]), True), ([["a"], ["a"]], False)):
        with pytest.raises(InputError, match="One class alone has documents"):
            task(csr_matrix(np.eye(2)), y, keeps)


# -- linear SVMs -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("n_terms", [1, 12, 30, 40])
def test_linear_svms_equal_the_twin(n_classes: int, n_terms: int) -> None:
    X, y = documents(n_classes, n_empty=2)
    slow = slow_members(SLOW_SVM, X, y, n_terms=n_terms, n_members=4, seed=3)
    for member, other in zip(trained(SVM, task(X, y), n_terms, 4), slow, strict=True):
        assert member.terms.tolist() == other.columns.tolist()
        assert member.form is not None
        assert member.form.coefficients == pytest.approx(other.classifier.coef_, abs=1e-3)
        assert member.form.intercepts == pytest.approx(other.classifier.intercept_, abs=1e-3)
        scores = member.scores(X)
        assert scores.shape == (60, 1 if n_classes == 2 else n_classes)
        assert scores == pytest.approx(other.scores(X)[:, -scores.shape[1] :], abs=1e-3)
        knows = [other.knows(X, document) for document in range(60)]
        assert (~member.abstains(X)).tolist() == knows


@pytest.mark.parametrize("class_weight", ["balanced", "sqrt", {"class 1": 5.0}])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_class_weights_equal_the_twin(class_weight: Any, n_classes: int) -> None:
    X, y = documents(n_classes)
    ours = LinearSVM(**SVM.get_params() | {"class_weight": class_weight})
    factors = class_weight_factors(class_weight, y.tolist())
    slow: Any = LinearSVC(**SLOW_SVM.get_params() | {"class_weight": factors})
    others = slow_members(slow, X, y, n_terms=12, n_members=3, seed=3)
    for member, other in zip(trained(ours, task(X, y), n_members=3), others, strict=True):
        assert member.form is not None
        assert member.form.coefficients == pytest.approx(other.classifier.coef_, abs=1e-3)


@pytest.mark.parametrize("class_weight", [None, "balanced", "sqrt", {"b": 4.0}])
def test_multilabel_members_train_each_class_against_the_rest(class_weight: Any) -> None:
    X, _ = documents(n=50)
    random = np.random.default_rng(1)
    y = random.random((50, 3)) < [[0.5, 0.2, 0.3]]
    y[:, 2] = True
    y[0] = [False, False, True]
    labels = [["abc"[number] for number in np.flatnonzero(row)] for row in y]
    ours = LinearSVM(**SVM.get_params() | {"class_weight": class_weight})
    for member in trained(ours, task(X, labels), n_members=3):
        assert member.form is not None
        assert member.form.intercepts[2] == CONSTANT_SCORE
        assert not member.form.coefficients[2].any()
        for number in (0, 1):
            weight = class_weight_factors(class_weight, y[:, number].tolist())
            if isinstance(class_weight, dict):
                weight = {1: class_weight.get("ab"[number], 1.0)}
            slow: Any = LinearSVC(**SLOW_SVM.get_params() | {"class_weight": weight})
            slow.fit(X[:, member.terms], y[:, number].astype(int))
            assert member.form.coefficients[number] == pytest.approx(slow.coef_[0], abs=1e-3)
            assert member.form.intercepts[number] == pytest.approx(slow.intercept_[0], abs=1e-3)


def test_all_documents_may_be_in_all_classes() -> None:
    X, _ = documents(n=10)
    (member,) = trained(SVM, task(X, [["a", "b"]] * 10), n_members=1)
    assert (member.scores(X) == CONSTANT_SCORE).all()


def test_members_count_unconverged_problems() -> None:
    X, y = documents(3, n=60, n_terms=300)
    hasty = LinearSVM(C=100, tol=1e-9, max_iter=1)
    assert [member.n_unconverged for member in trained(hasty, task(X, y), n_terms=200, n_members=2)] == [3, 3]
    assert [member.n_unconverged for member in trained(SVM, task(X, y), n_terms=200, n_members=2)] == [0, 0]


def test_settings_of_the_svm_are_checked_first() -> None:
    X, y = documents()
    with pytest.raises(InputError, match="C=-1"):
        trained(LinearSVM(C=-1), task(X, y))


# -- in order, and the same for any number of jobs -------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "estimator",
    [SVM, MultinomialNB(), SGDClassifier(), LinearSVC(), OneVsRestClassifier(SGDClassifier())],
    ids=lambda estimator: type(estimator).__name__,
)
def test_members_depend_on_the_seed_and_not_on_n_jobs(estimator: Any) -> None:
    X, y = documents(3)
    rows = task(X, y)
    many = (1, 2, 3) if isinstance(estimator, LinearSVM | MultinomialNB) else (1, 2)  # processes take long to start
    scores = {jobs: [member.scores(X).tobytes() for member in trained(estimator, rows, n_jobs=jobs)] for jobs in many}
    assert len({tuple(of_jobs) for of_jobs in scores.values()}) == 1
    assert len(set(scores[1])) == 5
    assert [member.scores(X).tobytes() for member in trained(estimator, rows, n_members=3)] == scores[1][:3]
    assert not set(scores[1]) & {member.scores(X).tobytes() for member in trained(estimator, rows, seed=4)}


def test_each_member_has_its_own_seed() -> None:
    X, y = documents(3)
    base = make_pipeline(MaxAbsScaler(), OneVsRestClassifier(DecisionTreeClassifier().set_params(max_features=1)))
    many = trained(base, task(X, y), n_terms=40, n_members=6)  # all terms: only the seeds differ
    seeds = [member.classifier[-1].estimator.random_state for member in many]
    assert len(set(seeds)) == 6
    assert seeds == [member.classifier[-1].estimator.random_state for member in trained(base, task(X, y), 40, 6)]
    assert base[-1].estimator.random_state is None  # the given estimator is not changed


def test_members_are_trained_with_one_job_each() -> None:
    X, y = documents(3)
    (neighbours,) = trained(CosineKNN(n_jobs=2), task(X, y), n_members=1)
    assert neighbours.classifier.n_jobs == 1
    (logistic,) = trained(LogisticRegression(max_iter=1000), task(X, y), n_members=1)  # which warns of n_jobs
    assert logistic.form is not None


def test_results_come_in_order_and_are_not_computed_far_ahead() -> None:
    started: list[int] = []

    def work(number: int) -> int:
        started.append(number)
        return number * number

    for n_jobs in (1, 2, 3):
        assert list(module._map_in_order(work, 50, n_jobs)) == [number * number for number in range(50)]
        started.clear()
        some = module._map_in_order(work, 10**6, n_jobs)
        assert [next(some) for _ in range(4)] == [0, 1, 4, 9]
        assert isinstance(some, Iterator)
        some.close()  # type: ignore[attr-defined]
        assert len(started) <= 4 + module._MAX_AHEAD * n_jobs + 1
        started.clear()


def test_an_error_in_a_member_is_raised() -> None:
    def work(number: int) -> int:
        if number == 3:
            raise InputError("the third")
        return number

    for n_jobs in (1, 2):
        results = module._map_in_order(work, 10**6, n_jobs)
        with pytest.raises(InputError, match="the third"):
            list(results)


def test_then_is_called_with_each_member() -> None:
    X, y = documents(3)
    sizes = {"n_terms": 5, "n_members": 4, "seed": 0}
    for estimator in (SVM, MultinomialNB(), LogisticRegression(max_iter=1000)):
        results = train_members(estimator, task(X, y), **sizes, n_jobs=2, then=lambda member: member.terms.tolist())
        assert list(results) == [subset(40, 5, member=number, seed=0).tolist() for number in range(4)]


# -- other classifiers -----------------------------------------------------------------------------------------------


class Guess(ClassifierMixin, BaseEstimator):
    """A classifier without scores: predicts the class of the largest value."""

    def fit(self, X: Any, y: Any) -> "Guess":
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return self.classes_[np.asarray(X.argmax(axis=1)).ravel() % len(self.classes_)]


class Forgetful(Guess):
    """A classifier that learns one class too few."""

    def fit(self, X: Any, y: Any) -> "Forgetful":
        self.classes_ = np.unique(y)[1:]
        return self


class Regression(BaseEstimator):
    """An estimator without classes."""

    def fit(self, X: Any, y: Any) -> "Regression":
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(X.shape[0])


def test_a_classifier_that_only_predicts() -> None:
    X, y = documents(3)
    (member,) = trained(Guess(), task(X, y), n_members=1)
    predicted = member.classifier.predict(X[:, member.terms])
    scores = member.scores(X)
    assert member.form is None
    assert scores.sum(axis=1).tolist() == [1.0] * 60
    assert member.classifier.classes_[scores.argmax(axis=1)].tolist() == predicted.tolist()


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_scores_of_pairs_of_classes_are_not_used_as_class_scores(n_classes: int) -> None:
    X, y = documents(n_classes, n=80)
    three = n_classes == 3  # as many pairs as classes
    base = SVC(kernel="rbf").set_params(decision_function_shape="ovr" if three else "ovo", break_ties=three)
    (member,) = trained(base, task(X, y), n_members=1)
    scores = member.scores(X)
    assert scores.shape == (80, 1 if n_classes == 2 else n_classes)
    numbers = (scores[:, 0] > 0).astype(int) if n_classes == 2 else scores.argmax(axis=1)
    assert member.classifier.classes_[numbers].tolist() == member.classifier.predict(X[:, member.terms]).tolist()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rocchio_chooses_by_the_cosine_and_is_linear(n_classes: int) -> None:
    X, y = documents(n_classes)
    for member in trained(Rocchio(), task(X, y), n_terms=3):
        other = Rocchio().fit(X[:, member.terms], y)
        scores = member.scores(X)
        numbers = (scores[:, 0] > 0).astype(int) if n_classes == 2 else scores.argmax(axis=1)
        knows = ~member.abstains(X)
        assert member.form is not None
        assert other.classes_[numbers][knows].tolist() == other.predict(X[:, member.terms])[knows].tolist()


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (Regression(), "Regression has no classes_ after fit; use a classifier"),
        (Forgetful(), "Forgetful learned 2 of 3 classes"),
    ],
)
def test_estimators_that_are_no_classifiers_raise(estimator: Any, words: str) -> None:
    X, y = documents(3)
    with pytest.raises(InputError, match=words):
        trained(estimator, task(X, y))


def test_multilabel_members_must_be_linear() -> None:
    X, _ = documents(3)
    labels = [["a"], ["a", "b"], ["b"]] * 20
    with pytest.raises(InputError, match="DecisionTreeClassifier is not a linear classifier"):
        trained(DecisionTreeClassifier(), task(X, labels))
    for estimator in (MultinomialNB(), LogisticRegression(max_iter=1000), Rocchio()):
        for member in trained(estimator, task(X, labels), n_members=2):
            assert member.scores(X).shape == (60, 2)


# -- the scores of held-out documents --------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_jobs", [1, 2, None])
def test_member_scores_of_any_classifier(n_classes: int, n_jobs: int | None) -> None:
    X, y = documents(n_classes, n=80)
    numbers = np.unique(y, return_inverse=True)[1].astype(np.int64)
    fast = member_scores(SVM, X[:50], numbers[:50], n_classes, X[50:], n_terms=10, n_members=6, seed=2, n_jobs=n_jobs)
    slow = slow_members(SLOW_SVM, X[:50], y[:50], n_terms=10, n_members=6, seed=2)
    for scores, other in zip(fast, slow, strict=True):
        assert scores.shape == (30, 1 if n_classes == 2 else n_classes)
        assert scores == pytest.approx(other.scores(X[50:])[:, -scores.shape[1] :], abs=1e-3)


def test_threads_end_if_the_consumer_stops() -> None:
    """No threads are left when the consumer asks for no more members."""
    X, y = documents(3)
    numbers = np.unique(y, return_inverse=True)[1].astype(np.int64)
    before = threading.active_count()
    scores = member_scores(SVM, X, numbers, 3, X, n_terms=10, n_members=10**6, seed=2, n_jobs=2)
    next(scores)
    assert threading.active_count() > before
    scores.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before
