"""`RandomSubspace` compared with its slow twin; ties, labels of all formats and invalid input."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix, vstack
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from tests.reference.classifiers_twin import class_weight_factors
from tests.reference.subspace_members_twin import documents, slow_choices, slow_means, slow_members, slow_winner

from textsieve import TCFP, InputError, RandomSubspace
from textsieve.classifiers import CosineKNN, LinearScorer, LinearSVM, Rocchio
from textsieve.ensembles.members import subset
from textsieve.ensembles.scorer import SubspaceScorer
from textsieve.svm_solvers import SOLVERS, SVMProblem

SVM = LinearSVM(C=5.0, tol=1e-6, max_iter=100_000)
SLOW_SVM: Any = LinearSVC(C=5.0, tol=1e-8, max_iter=1_000_000, random_state=0).set_params(dual="auto")
SMALL: dict[str, Any] = {"n_estimators": 7, "n_terms": 10, "random_state": 2, "n_jobs": 1}


def of_twin(X: csr_matrix, y: Any, estimator: Any = SLOW_SVM, **sizes: int) -> Any:
    wanted = {"n_terms": 10, "n_members": 7, "seed": 2} | sizes
    return slow_members(estimator, X, y, **wanted)


def bits(ensemble: RandomSubspace) -> bytes:
    return b"".join(array.tobytes() for array in ensemble.to_scorer().stored_arrays().values())


def counts_of(y: Any) -> list[int]:
    counts: list[int] = np.unique(y, return_counts=True)[1].tolist()
    return counts


# -- against the twin ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize(("n_terms", "n_members"), [(10, 7), (1, 9), (40, 3), (25, 1), (1, 1)])
def test_votes_equal_the_twin(n_classes: int, n_terms: int, n_members: int) -> None:
    X, y = documents(n_classes, n=90, n_empty=2)
    train, test = slice(0, 60), slice(30, 90)
    sizes = {"n_terms": n_terms, "n_estimators": n_members}
    ensemble = RandomSubspace(estimator=SVM, **SMALL | sizes).fit(X[train], y[train])
    slow = of_twin(X[train], y[train], n_terms=n_terms, n_members=n_members)
    choices = slow_choices(slow, X[test], ensemble.classes_.tolist())
    assert ensemble.member_choices(X[test]).tolist() == choices
    expected = [slow_winner(document_choices, counts_of(y[train])) for document_choices in choices]
    assert ensemble.predict(X[test]).tolist() == ensemble.classes_[expected].tolist()
    assert ensemble.subsets_.tolist() == [member.columns.tolist() for member in slow]
    assert (ensemble.n_terms_, ensemble.n_estimators_, ensemble.multilabel_) == (n_terms, n_members, False)


@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize(("n_terms", "n_members"), [(10, 7), (1, 9), (40, 3), (25, 1)])
def test_means_equal_the_twin(n_classes: int, n_terms: int, n_members: int) -> None:
    X, y = documents(n_classes, n=90, n_empty=2)
    sizes = {"n_terms": n_terms, "n_estimators": n_members}
    ensemble = RandomSubspace(estimator=SVM, combine="mean", **SMALL | sizes).fit(X[:60], y[:60])
    means = slow_means(of_twin(X[:60], y[:60], n_terms=n_terms, n_members=n_members), X[60:])
    assert isinstance(ensemble.to_scorer(), LinearScorer)
    scores = ensemble.decision_function(X[60:])
    assert scores == pytest.approx(means[:, 1] if n_classes == 2 else means, abs=1e-3)
    assert ensemble.predict(X[60:]).tolist() == ensemble.classes_[means.argmax(axis=1)].tolist()


@given(
    st.integers(0, 10**6), st.integers(2, 4), st.integers(1, 12), st.integers(1, 6), st.sampled_from(["vote", "mean"])
)
def test_small_ensembles_equal_the_twin(seed: int, n_classes: int, n_terms: int, n_members: int, combine: str) -> None:
    X, y = documents(n_classes, n=24, n_terms=12, seed=seed, n_empty=1)
    ensemble = RandomSubspace(
        estimator=MultinomialNB(), combine=combine, n_terms=n_terms, n_estimators=n_members, random_state=seed, n_jobs=1
    ).fit(X, y)
    members = slow_members(MultinomialNB(), X, y, n_terms=n_terms, n_members=n_members, seed=seed)
    scores = [member.classifier.predict_joint_log_proba(X[:, member.columns]) for member in members]
    if combine == "vote":
        choices = slow_choices(members, X, ensemble.classes_.tolist())
        expected = [slow_winner(document_choices, counts_of(y)) for document_choices in choices]
    else:
        expected = np.mean(scores, axis=0).argmax(axis=1).tolist()
    sure = np.sort(np.array(scores), axis=2)
    sure = (sure[:, :, -1] - sure[:, :, -2] > 1e-5).all(axis=0)  # 32 bits may separate equal scores
    assert ensemble.predict(X)[sure].tolist() == ensemble.classes_[expected][sure].tolist()


def test_the_defaults_are_linear_svms_that_vote_on_some_of_the_terms() -> None:
    X, y = documents(3, n_terms=50)
    ensemble = RandomSubspace().fit(X, y)
    same = RandomSubspace(estimator=LinearSVM(C=100.0), n_estimators=100, n_terms=20, combine="vote").fit(X, y)
    assert (ensemble.n_estimators_, ensemble.n_terms_) == (100, 20)
    assert isinstance(ensemble.to_scorer(), SubspaceScorer)
    assert bits(ensemble) == bits(same)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_decisions_and_choices_agree(n_classes: int) -> None:
    X, y = documents(n_classes, n_empty=2)
    for estimator in (SVM, DecisionTreeClassifier()):
        ensemble = RandomSubspace(estimator=estimator, **SMALL).fit(X, y)
        choices = ensemble.member_choices(X)
        votes = np.array([(choices == number).sum(axis=1) for number in range(n_classes)]).T
        scores = votes + 0.5 * np.array(counts_of(y)) / len(y)
        decided = ensemble.decision_function(X)
        assert decided.shape == ((60,) if n_classes == 2 else (60, 3))
        assert decided == pytest.approx(scores[:, 1] - scores[:, 0] if n_classes == 2 else scores)
        assert ensemble.predict(X).tolist() == ensemble.classes_[scores.argmax(axis=1)].tolist()


# -- the same for any number of jobs ---------------------------------------------------------------------------------


@pytest.mark.parametrize("combine", ["vote", "mean"])
@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize("way", SOLVERS)
def test_ensembles_depend_on_the_seed_and_not_on_n_jobs(
    combine: str, multilabel: bool, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every SVM solver is tested, because the first member computes the data that all members share."""
    monkeypatch.setattr(SVMProblem, "_fastest_method", lambda *_: way)
    X, y = documents(3)
    labels = [[label, "all"] for label in y] if multilabel else y

    def fitted(**others: Any) -> RandomSubspace:
        wanted = SMALL | {"n_terms": 30, "estimator": LinearSVM(C=2.0)} | others
        return RandomSubspace(combine=combine, **wanted).fit(X, labels)

    many = [fitted(n_jobs=n_jobs) for n_jobs in (1, 2, 3, None, -1)]
    assert len({bits(ensemble) for ensemble in many}) == 1
    assert len({ensemble.decision_function(X).tobytes() for ensemble in many}) == 1
    assert bits(fitted()) == bits(many[0])
    assert bits(fitted(random_state=3)) != bits(many[0])


def test_a_smaller_ensemble_is_the_beginning_of_a_larger_one() -> None:
    X, y = documents(3)
    large, small = (RandomSubspace(**SMALL | {"n_estimators": size}).fit(X, y) for size in (7, 3))
    assert large.member_choices(X)[:, :3].tolist() == small.member_choices(X).tolist()


def test_any_random_state_is_accepted() -> None:
    X, y = documents(2)
    first, second = (RandomSubspace(**SMALL | {"random_state": np.random.RandomState(5)}).fit(X, y) for _ in range(2))
    assert bits(first) == bits(second)
    free, other = (RandomSubspace(**SMALL | {"random_state": None}).fit(X, y) for _ in range(2))
    assert free.subsets_.shape == (7, 10)
    assert free.subsets_.tolist() != other.subsets_.tolist(), "without a seed, each fit draws other terms"


def test_all_matrix_formats_give_the_same_bytes() -> None:
    X, y = documents(3)
    right = RandomSubspace(**SMALL).fit(X, y)
    zeros = csr_matrix((X.toarray().ravel(), np.tile(np.arange(40), 60), np.arange(0, 2401, 40)), (60, 40))
    order = np.concatenate([np.arange(begin, end)[::-1] for begin, end in zip(X.indptr, X.indptr[1:], strict=False)])
    backwards = csr_matrix((X.data[order], X.indices[order], X.indptr), X.shape)
    for other in (X.toarray(), X.tocsc(), X.tocoo(), zeros, backwards):
        assert bits(RandomSubspace(**SMALL).fit(other, y)) == bits(right)
        assert right.decision_function(other).tobytes() == right.decision_function(X).tobytes()
        assert right.member_choices(other).tolist() == right.member_choices(X).tolist()
    assert zeros.nnz == 2400  # the given matrices are not changed
    assert backwards.indices.tolist() == X.indices[order].tolist()


# -- members that abstain --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [SVM, DecisionTreeClassifier()], ids=["linear", "other"])
def test_a_member_without_a_term_of_the_document_abstains(estimator: Any) -> None:
    X, y = documents(3)
    ensemble = RandomSubspace(estimator=estimator, **SMALL).fit(X, y)
    one_term = csr_matrix(np.eye(40))
    knows = np.array([[term in own for own in ensemble.subsets_] for term in range(40)])
    assert (ensemble.member_choices(one_term) >= 0).tolist() == knows.tolist()
    nothing = csr_matrix((1, 40))
    assert ensemble.member_choices(nothing).tolist() == [[-1] * 7]
    frequent = ensemble.classes_[np.argmax(counts_of(y))]
    assert ensemble.predict(nothing).tolist() == [frequent]
    unknown = np.flatnonzero(~knows.any(axis=1))
    assert len(unknown) > 0
    assert set(ensemble.predict(one_term)[unknown].tolist()) == {frequent}
    explicit = csr_matrix((np.zeros(1), np.zeros(1, int), [0, 1]), (1, 40))
    assert ensemble.member_choices(explicit).tolist() == [[-1] * 7]


@pytest.mark.parametrize(("sizes", "winner"), [([3, 3, 3], 0), ([2, 3, 4], 2), ([2, 4, 4], 1), ([4, 3, 2], 0)], ids=str)
def test_ties_go_to_the_class_with_more_documents_then_to_the_first(sizes: list[int], winner: int) -> None:
    """Each term occurs in one class only. Tie breakers decide between classes of equal votes, never against a vote."""
    y = np.repeat(["a", "b", "c"], sizes)
    X = csr_matrix(np.eye(3)[np.repeat(np.arange(3), sizes)])
    ensemble = RandomSubspace(estimator=OneTerm(), n_terms=1, n_estimators=60, random_state=0, n_jobs=1).fit(X, y)
    assert ensemble.predict(csr_matrix((1, 3))).tolist() == ["abc"[winner]]
    assert ensemble.predict(csr_matrix(np.eye(3))).tolist() == ["a", "b", "c"]
    scores = ensemble.decision_function(np.ones((1, 3)))[0]
    assert np.floor(scores).tolist() == np.bincount(ensemble.subsets_.ravel(), minlength=3).tolist()
    assert (scores - np.floor(scores)).argmax() == winner


class OneTerm(BaseEstimator):
    """A classifier of one term: predicts the class of the documents that have it."""

    def fit(self, X: Any, y: Any) -> "OneTerm":
        self.classes_ = np.unique(y)
        self.own_ = y[int(X.toarray().ravel().argmax())]
        return self

    def predict(self, X: Any) -> Any:
        return np.full(X.shape[0], self.own_)


def test_ties_between_two_members() -> None:
    """If two members disagree, the class with more documents wins, or else the first."""
    X = csr_matrix(np.array([[1.0, 0], [0, 1], [1, 0], [0, 1]]))
    for y, winner in ((["b", "a", "b", "a"], "a"), (["a", "b", "a", "b"], "a")):
        seed = next(
            seed for seed in range(50) if {subset(2, 1, member=number, seed=seed)[0] for number in range(2)} == {0, 1}
        )
        ensemble = RandomSubspace(estimator=OneTerm(), n_terms=1, n_estimators=2, random_state=seed, n_jobs=1)
        assert ensemble.fit(X, y).predict(np.ones((1, 2))).tolist() == [winner]
        more, more_y = vstack([X, X[:1]]).tocsr(), [*y, y[0]]
        assert ensemble.fit(more, more_y).predict(np.ones((1, 2))).tolist() == [y[0]]


# -- labels ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "labels", [["b", "a"], [1, -1], [2.0, 0.0], [True, False], np.array([3, 7], np.uint8)], ids=str
)
def test_predictions_have_the_type_of_the_labels(labels: Any) -> None:
    y = np.array([labels[0], labels[1]] * 6)
    X = np.where(y == max(labels), 1.0, 0.0)[:, None] * np.ones((1, 4)) + np.eye(12, 4)
    ensemble = RandomSubspace(**SMALL | {"n_terms": 2}).fit(X, y)
    assert ensemble.classes_.tolist() == sorted(np.array(labels).tolist())
    assert ensemble.predict(X).dtype.kind == np.array(labels).dtype.kind.replace("u", "i")


def test_unlabelled_documents_are_ignored() -> None:
    X, y = documents(3)
    some = [None if number % 4 == 0 else label for number, label in enumerate(y.tolist())]
    labelled = np.flatnonzero(np.arange(60) % 4)
    for combine in ("vote", "mean"):
        whole, part = RandomSubspace(combine=combine, **SMALL), RandomSubspace(combine=combine, **SMALL)
        assert bits(whole.fit(X, some)) == bits(part.fit(X[labelled], y[labelled]))
    assert whole.classes_.tolist() == ["class 0", "class 1", "class 2"]
    lists = [[] if label is None else [label, "all"] for label in some]
    multilabel = [
        bits(RandomSubspace(**SMALL).fit(*data)) for data in ((X, lists), (X[labelled], [lists[at] for at in labelled]))
    ]
    assert multilabel[0] == multilabel[1]


def random_matrix(n: int = 60) -> Any:
    """Return an indicator matrix: all documents are in the second class, none in the last."""
    matrix = (np.random.default_rng(0).random((n, 4)) < 0.4).astype(np.int64)
    matrix[:, 1], matrix[:, 3] = 1, 0
    return matrix


@pytest.mark.parametrize("combine", ["vote", "mean"])
def test_multilabel_ensembles_train_each_class_against_the_rest(combine: str) -> None:
    X, _ = documents(n_empty=1)
    y = random_matrix()
    ensemble = RandomSubspace(estimator=SVM, combine=combine, **SMALL).fit(X, y)
    assert ensemble.multilabel_
    assert ensemble.classes_.tolist() == [0, 1, 2, 3]
    predicted, scores = ensemble.predict(X), ensemble.decision_function(X)
    assert predicted.tolist() == (scores > 0).astype(int).tolist()
    assert not predicted[:, 3].any()
    assert predicted[:, 1].all()  # also for the document without terms
    for number in (0, 2):
        slow = of_twin(X, y[:, number])
        if combine == "mean":
            assert scores[:, number] == pytest.approx(slow_means(slow, X)[:, 1], abs=1e-3)
        else:
            choices = np.array(slow_choices(slow, X, [0, 1]))
            assert scores[:, number].tolist() == (((choices == 1).sum(1) - (choices == 0).sum(1)) / 2).tolist()


def test_all_formats_of_multilabel_give_the_same_ensemble() -> None:
    X, _ = documents()
    y = random_matrix()
    y[0] = 0
    right = RandomSubspace(**SMALL).fit(X, y)
    for other in (y.astype(bool), y.astype(float), csr_matrix(y), y.tolist()):
        assert bits(RandomSubspace(**SMALL).fit(X, other)) == bits(right)
    lists = [np.flatnonzero(row).tolist() for row in y]
    named = RandomSubspace(**SMALL).fit(X, lists)  # here document 0 is unlabelled, and class 3 does not exist
    assert named.classes_.tolist() == [0, 1, 2]
    without = RandomSubspace(**SMALL).fit(X[1:], y[1:])
    assert named.decision_function(X).tolist() == without.decision_function(X)[:, :3].tolist()
    assert named.decision_function(X).tolist() != right.decision_function(X)[:, :3].tolist()


@pytest.mark.parametrize("combine", ["vote", "mean"])
@pytest.mark.parametrize("estimator", [None, "nb", DecisionTreeClassifier()], ids=["svm", "nb", "tree"])
def test_a_class_without_documents_is_never_chosen(combine: str, estimator: Any) -> None:
    X, y = documents(3, n_empty=2)
    matrix = np.zeros((60, 5), np.int64)
    matrix[np.arange(60), 1 + np.unique(y, return_inverse=True)[1]] = 1
    ensemble = RandomSubspace(estimator=estimator, combine=combine, **SMALL).fit(X, matrix)
    alone = RandomSubspace(estimator=estimator, combine=combine, **SMALL).fit(X, y)
    assert ensemble.classes_.tolist() == [0, 1, 2, 3, 4]
    assert [f"class {label - 1}" for label in ensemble.predict(X)] == alone.predict(X).tolist()


@pytest.mark.parametrize("class_weight", ["balanced", "sqrt", {"class 1": 9.0}])
@pytest.mark.parametrize("estimator", [SVM, LogisticRegression(max_iter=1000)], ids=["svm", "logistic"])
def test_class_weights_are_passed_to_the_members(class_weight: Any, estimator: Any) -> None:
    X, y = documents(2)
    ensemble = RandomSubspace(estimator=estimator, class_weight=class_weight, combine="mean", **SMALL).fit(X, y)
    slow: Any = SLOW_SVM if estimator is SVM else estimator
    factors = class_weight_factors(class_weight, y.tolist())
    weighted = type(slow)(**slow.get_params() | {"class_weight": factors})
    assert ensemble.decision_function(X) == pytest.approx(slow_means(of_twin(X, y, weighted), X)[:, 1], abs=1e-3)
    assert estimator.class_weight is None


@pytest.mark.parametrize("estimator", [SVM, LogisticRegression(max_iter=1000)], ids=["svm", "logistic"])
def test_class_weights_of_multilabel_ensembles(estimator: Any) -> None:
    X, _ = documents(2)
    y = random_matrix()
    slow: Any = SLOW_SVM if estimator is SVM else estimator
    for class_weight in ("balanced", "sqrt", {0: 9.0}):
        ensemble = RandomSubspace(estimator=estimator, class_weight=class_weight, combine="mean", **SMALL).fit(X, y)
        for number in (0, 2):
            own = class_weight_factors(class_weight, y[:, number].tolist())
            if isinstance(class_weight, dict):
                own = {1: 9.0 if number == 0 else 1.0}
            weighted = type(slow)(**slow.get_params() | {"class_weight": own})
            means = slow_means(of_twin(X, y[:, number], weighted), X)[:, 1]
            assert ensemble.decision_function(X)[:, number] == pytest.approx(means, abs=1e-3)


def test_unsupported_class_weights_raise() -> None:
    X, y = documents(2)
    with pytest.raises(InputError, match="class_weight='balanced': MultinomialNB has no class weights"):
        RandomSubspace(estimator="nb", class_weight="balanced", **SMALL).fit(X, y)
    for bad in ({"class 0": 0.0}, {"class 0": -1.0}):
        with pytest.raises(InputError, match="class_weight"):
            RandomSubspace(class_weight=bad, **SMALL).fit(X, y)


# -- any classifier --------------------------------------------------------------------------------------------------

LINEAR: list[Any] = [None, "svm", "nb", "cnb", "logistic", LinearSVC(), LogisticRegression()]
OTHERS: list[Any] = [DecisionTreeClassifier(), KNeighborsClassifier(3), TCFP(), CosineKNN(), "tcfp", "knn", "knnfp"]


@pytest.mark.parametrize("estimator", [*LINEAR, *OTHERS], ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_any_classifier_can_be_a_member(estimator: Any, n_classes: int) -> None:
    X, y = documents(n_classes, n=60, n_empty=1)
    linear = any(estimator is member for member in LINEAR)
    for combine in ("vote", "mean"):
        for n_terms in (10, 1):
            settings = SMALL | {"n_terms": n_terms, "n_estimators": 4}
            ensemble = RandomSubspace(estimator=estimator, combine=combine, **settings).fit(X, y)
            assert set(ensemble.predict(X).tolist()) <= set(y.tolist())
            assert ensemble.decision_function(X).shape == ((60,) if n_classes == 2 else (60, n_classes))
            assert np.isfinite(ensemble.decision_function(X)).all()
            again = RandomSubspace(estimator=estimator, combine=combine, **settings).fit(X, y)
            assert again.decision_function(X).tobytes() == ensemble.decision_function(X).tobytes()
            if linear:
                assert ensemble.to_scorer().kind == ("subspace" if combine == "vote" else "linear")
                continue
            with pytest.raises(InputError, match="is not linear, so the votes of members like it could be neither"):
                ensemble.to_scorer()


@pytest.mark.parametrize("estimator", ["rocchio", Rocchio(beta=1, gamma=0)], ids=str)
def test_rocchio_members_vote_on_single_label_documents(estimator: Any) -> None:
    """A document has another length for each member, so their scores can't be averaged."""
    X, y = documents(3, n=60, n_empty=1)
    ensemble = RandomSubspace(estimator=estimator, **SMALL).fit(X, y)
    assert ensemble.to_scorer().kind == "subspace"
    base: Any = Rocchio() if estimator == "rocchio" else estimator
    for member, columns in enumerate(ensemble.subsets_):
        own = clone(base).fit(X[:, columns], y).predict(X[:, columns])
        choices = ensemble.member_choices(X)[:, member]
        known = choices >= 0
        assert ensemble.classes_[choices[known]].tolist() == own[known].tolist()
    for others in ({"combine": "mean"}, {}):
        with pytest.raises(InputError, match="Rocchio compares by the cosine"):
            RandomSubspace(estimator=estimator, **SMALL | others).fit(X, y if others else random_matrix())


@pytest.mark.parametrize("estimator", [KNeighborsClassifier(3), DecisionTreeClassifier(), TCFP(), CosineKNN()], ids=str)
def test_nonlinear_members_vote_for_their_predictions(estimator: Any) -> None:
    X, y = documents(3, n=60, n_empty=1)
    ensemble = RandomSubspace(estimator=estimator, **SMALL).fit(X, y)
    decides: Any = ensemble._scorer
    for column, member in zip(ensemble.member_choices(X).T, decides.members, strict=True):
        knows = ~member.abstains(X)
        assert (column >= 0).tolist() == knows.tolist()
        assert (
            ensemble.classes_[column[knows]].tolist() == member.classifier.predict(X[knows][:, member.terms]).tolist()
        )


def test_multilabel_members_must_be_linear() -> None:
    X, _ = documents()
    for estimator in OTHERS:
        with pytest.raises(InputError, match="not a linear classifier"):
            RandomSubspace(estimator=estimator, **SMALL).fit(X, random_matrix())
    for estimator in LINEAR:
        for combine in ("vote", "mean"):
            ensemble = RandomSubspace(estimator=estimator, combine=combine, **SMALL | {"n_estimators": 2}).fit(
                X, random_matrix()
            )
            assert ensemble.predict(X).shape == (60, 4)


# -- invalid input ---------------------------------------------------------------------------------------------------


class NoPredict(BaseEstimator):
    """An estimator without predict."""

    def fit(self, X: Any, y: Any) -> "NoPredict":
        return self


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"estimator": NoPredict()}, r"estimator=NoPredict\(\): it has no predict; use a classifier"),
        ({"estimator": LinearSVC}, "estimator=<class .*LinearSVC'>; use None, one of svm, logistic, nb"),
        ({"estimator": "svmm"}, "estimator='svmm'; use None, one of svm, logistic, nb, cnb, rocchio"),
        ({"estimator": "subspace"}, "an ensemble of random subspaces itself"),
        ({"estimator": RandomSubspace()}, "an ensemble of random subspaces itself"),
        ({"estimator": 5}, "estimator=5; use None, one of svm"),
        ({"estimator": ["svm"]}, r"estimator=\['svm'\]; use None"),
        ({"combine": "median"}, "combine='median'; use one of 'vote', 'mean'"),
        ({"combine": None}, "combine=None"),
        ({"combine": ["vote"]}, "combine="),
        ({"n_terms": 41}, "n_terms=41; there are 40 terms: use a whole number from 1 up to 40"),
        ({"n_terms": 0}, "n_terms=0; "),
        ({"n_terms": 0.0}, "n_terms=0.0; "),
        ({"n_terms": 1.5}, "n_terms=1.5; "),
        ({"n_terms": float("nan")}, "n_terms=nan; "),
        ({"n_terms": True}, "n_terms=True; "),
        ({"n_terms": "all"}, "n_terms='all'; "),
        ({"n_estimators": 0}, "n_estimators=0; "),
        ({"n_estimators": -1}, "n_estimators=-1; "),
        ({"n_estimators": True}, "n_estimators=True; "),
        ({"n_estimators": 2.0}, "n_estimators=2.0; "),
        ({"random_state": -1}, "random_state=-1; "),
        ({"random_state": "luck"}, "random_state='luck'; "),
        ({"n_jobs": 0}, "n_jobs=0; "),
        ({"estimator": LinearSVM(C=0)}, "C=0; "),
    ],
)
def test_invalid_settings_raise(wrong: dict[str, Any], words: str) -> None:
    X, y = documents(3)
    with pytest.raises(InputError, match=words):
        RandomSubspace(**SMALL | wrong).fit(X, y)


def test_a_regression_estimator_raises() -> None:
    X, _ = documents(3)
    with pytest.raises(InputError, match="LinearRegression has no classes_ after fit; use a classifier"):
        RandomSubspace(estimator=LinearRegression(), **SMALL).fit(X, np.arange(60) % 3)


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (["a"] * 60, "Only one class, 'a'"),
        ([None] * 60, "No document has a label"),
        (None, "requires y to be passed"),
        (["a", "b"], "60 documents but 2 labels"),
        (np.tile([1, 0], (60, 1)), "One class alone has documents"),
        (np.linspace(0, 1, 60), "Unknown label type"),
    ],
    ids=str,
)
def test_invalid_labels_raise(y: Any, words: str) -> None:
    X, _ = documents(3)
    with pytest.raises(ValueError, match=words):
        RandomSubspace(**SMALL).fit(X, y)


def test_all_documents_may_be_in_all_classes() -> None:
    X, _ = documents(3)
    for combine in ("vote", "mean"):
        ensemble = RandomSubspace(combine=combine, **SMALL).fit(X, [["a", "b"]] * 60)
        known = np.asarray(X.sum(axis=1)).ravel() > 0
        assert ensemble.predict(X)[known].sum() > 100


def test_unfitted_ensembles_and_missing_attributes_raise() -> None:
    X, y = documents(3)
    fresh = RandomSubspace(**SMALL)
    for read in (
        fresh.predict,
        fresh.decision_function,
        fresh.member_choices,
        lambda _: fresh.to_scorer(),
        lambda _: fresh.subsets_,
    ):
        with pytest.raises(NotFittedError):
            read(X)
    fresh.fit(X, y)
    with pytest.raises(ValueError, match="41 features, but RandomSubspace is expecting 40"):
        fresh.predict(csr_matrix((1, 41)))
    with pytest.raises(ValueError, match="NaN"):
        fresh.predict(np.full((1, 40), np.nan))


def test_member_choices_of_means_and_multilabel_ensembles_raise() -> None:
    X, y = documents(3)
    for ensemble in (
        RandomSubspace(combine="mean", **SMALL).fit(X, y),
        RandomSubspace(**SMALL).fit(X, random_matrix()),
        RandomSubspace(combine="mean", **SMALL).fit(X, random_matrix()),
    ):
        with pytest.raises(InputError, match="needs single-label documents and, if members are linear, combine='vote'"):
            ensemble.member_choices(X)


def test_unconverged_members_give_a_warning() -> None:
    X, y = documents(3, n_terms=300)
    hasty = RandomSubspace(estimator=LinearSVM(C=100, tol=1e-9, max_iter=1), **SMALL | {"n_terms": 200})
    with pytest.warns(ConvergenceWarning, match="21 of 21 problems had not converged; increase max_iter") as caught:
        hasty.fit(X, y)
    assert [warning.filename for warning in caught] == [__file__]


def test_fit_does_not_change_settings() -> None:
    X, y = documents(3)
    base = LogisticRegression(max_iter=1000)
    before = base.get_params()
    ensemble = RandomSubspace(estimator=base, class_weight="balanced", **SMALL)
    settings_before = ensemble.get_params(deep=False)
    ensemble.fit(X, y)
    assert base.get_params() == before
    assert not hasattr(base, "coef_")
    assert ensemble.get_params(deep=False) == settings_before


def test_refitting_replaces_the_ensemble() -> None:
    X, y = documents(3)
    ensemble = RandomSubspace(**SMALL)
    multilabel = bits(ensemble.fit(X, random_matrix()))
    again = ensemble.fit(X[:, :20], y)
    assert (again.multilabel_, again.n_features_in_, again.subsets_.max() < 20) == (False, 20, True)
    assert bits(ensemble.fit(X, random_matrix())) == multilabel
