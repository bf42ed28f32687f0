"""`build_scorer`: members become a scorer of votes, one linear function, or stay classifiers."""

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.naive_bayes import MultinomialNB
from sklearn.tree import DecisionTreeClassifier
from tests.reference.subspace_members_twin import documents

from textsieve import InputError, RandomSubspace
from textsieve.arrays import CSR
from textsieve.classifiers import LinearScorer, LinearSVM
from textsieve.classifiers.linear_form import Linear
from textsieve.ensembles.build_scorer import NonlinearMembers, build_scorer
from textsieve.ensembles.members import Member, TrainingTask, train_members, training_task
from textsieve.ensembles.scorer import SubspaceScorer
from textsieve.ensembles.vote_rules import one_column_per_class, tie_breakers
from textsieve.stats.labels import label_pairs

N_TERMS = 40


def task(X: csr_matrix, y: Any, keeps_unlabelled: bool = False) -> TrainingTask:
    return training_task(X, label_pairs(y, X.shape[0]), keeps_unlabelled=keeps_unlabelled)


def members_of(estimator: Any, of: TrainingTask, n_members: int = 6, n_terms: int = 9) -> list[Member]:
    sizes = {"n_terms": n_terms, "n_members": n_members, "seed": 1, "n_jobs": 1}
    return list(train_members(estimator, of, **sizes, then=lambda member: member))


def labels_of_kind(kind: str, n: int = 60) -> tuple[Any, bool]:
    """Return labels, and whether they are an indicator matrix."""
    random = np.random.default_rng(0)
    numbers = np.append(np.arange(3), random.integers(0, 3, n - 3))
    matrix = np.zeros((n, 5), np.int64)
    matrix[np.arange(n), 1 + numbers] = 1  # no document is in the first or the last class
    multilabel = (random.random((n, 4)) < 0.4).astype(np.int64)
    multilabel[:, 1], multilabel[:, 2] = 1, 0  # all documents are in the second class, none in the third
    kinds: dict[str, tuple[Any, bool]] = {
        "two": (numbers % 2, False),
        "three": (numbers, False),
        "three of five": (matrix, True),
        "two of five": (np.where(matrix[:, [3]] == 1, np.eye(5, dtype=np.int64)[1], matrix), True),
        "several": (multilabel, True),
    }
    return kinds[kind]


KINDS = ["two", "three", "three of five", "two of five", "several"]


def of_all(scores: Any, of: TrainingTask, absent: float) -> Any:
    """Return scores of the classes with documents as columns among all classes; others get `absent`."""
    every = np.full((len(scores), len(of.class_docs)), absent)
    every[:, of.present] = scores
    return every


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("estimator", [LinearSVM(C=2.0), MultinomialNB()], ids=["svm", "nb"])
def test_the_mean_is_one_linear_function(kind: str, estimator: Any) -> None:
    X, _ = documents()
    of = task(X, *labels_of_kind(kind))
    members = members_of(estimator, of)
    scorer = build_scorer(iter(members), of, "mean")
    assert isinstance(scorer, LinearScorer)
    scores = scorer.scores(CSR.of(X))
    mean = np.mean([member.scores(X) for member in members], axis=0)
    if kind == "two":
        assert scores == pytest.approx(mean, rel=1e-5, abs=1e-5)
        return
    mean = one_column_per_class(mean) if kind == "two of five" else mean
    assert scores.shape == (60, len(of.class_docs))
    assert scores[:, of.present] == pytest.approx(mean, rel=1e-5, abs=1e-5)
    absent = np.setdiff1d(np.arange(len(of.class_docs)), of.present)
    assert (scores[:, absent] < (0.0 if kind == "several" else scores[:, of.present].min(axis=1, keepdims=True))).all()


@pytest.mark.parametrize("kind", KINDS)
def test_scores_count_the_votes_of_the_members(kind: str) -> None:
    X, _ = documents(n_empty=2)
    of = task(X, *labels_of_kind(kind))
    members = members_of(LinearSVM(C=2.0), of)
    scorer = build_scorer(iter(members), of, "vote")
    assert isinstance(scorer, SubspaceScorer)
    votes = np.zeros((60, len(of.class_docs)))
    for member in members:
        scores, knows = member.scores(X), ~member.abstains(X)
        if kind == "several":
            votes += of_all(np.where(scores > 0, 0.5, -0.5) * knows[:, None], of, 0.0)
        else:
            predictions = of.present[one_column_per_class(scores).argmax(axis=1)]
            votes[np.flatnonzero(knows), predictions[knows]] += 1
    shares = of.class_docs / of.class_docs.sum()
    extremes = 0.5 * (of.class_docs == 60) - 6.0 * (of.class_docs == 0)
    expected = extremes if kind == "several" else 0.5 * shares
    assert scorer.scores(CSR.of(X)).tolist() == (votes + expected).tolist()


def test_coefficients_are_stored_term_by_term() -> None:
    X, y = documents(4)
    members = members_of(LinearSVM(C=2.0), task(X, y))
    scorer = build_scorer(iter(members), task(X, y), "vote")
    assert isinstance(scorer, SubspaceScorer)
    assert len(scorer.members) == 6 * 9
    stored = np.full((6, N_TERMS, 4), np.nan)
    for term in range(N_TERMS):
        own = slice(scorer.term_indptr[term], scorer.term_indptr[term + 1])
        assert (np.diff(scorer.members[own]) > 0).all()
        stored[scorer.members[own], term] = scorer.coefficients[own]
    for number, member in enumerate(members):
        assert member.form is not None
        assert np.flatnonzero(~np.isnan(stored[number, :, 0])).tolist() == member.terms.tolist()
        assert np.array_equal(stored[number, member.terms], member.form.coefficients.T.astype(np.float32))
        assert np.array_equal(scorer.member_intercepts[number], member.form.intercepts)


@pytest.mark.parametrize("combine", ["vote", "mean"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_scorer_can_be_stored_and_restored(combine: str, kind: str) -> None:
    X, _ = documents()
    of = task(X, *labels_of_kind(kind))
    scorer = build_scorer(iter(members_of(LinearSVM(C=2.0), of)), of, combine)
    assert not isinstance(scorer, NonlinearMembers)
    n_outputs = len(of.class_docs)
    again = type(scorer).restore(scorer.stored_settings(), scorer.stored_arrays(), N_TERMS, n_outputs)
    assert again.scores(CSR.of(X)).tobytes() == scorer.scores(CSR.of(X)).tobytes()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_nonlinear_members_are_kept_as_classifiers(n_classes: int) -> None:
    X, y = documents(n_classes, n_empty=2)
    of = task(X, y)
    members = members_of(DecisionTreeClassifier(), of)
    by_vote, by_mean = (build_scorer(iter(members), of, combine) for combine in ("vote", "mean"))
    assert isinstance(by_vote, NonlinearMembers)
    assert isinstance(by_mean, NonlinearMembers)
    predicted = [np.searchsorted(of.labels, member.classifier.predict(X[:, member.terms])) for member in members]
    choices = np.array(
        [np.where(member.abstains(X), -1, numbers) for member, numbers in zip(members, predicted, strict=True)]
    ).T
    assert by_vote.choices(X).tolist() == choices.tolist()
    votes = np.array([(choices == number).sum(axis=1) for number in range(n_classes)]).T
    assert by_vote.scores(X).tolist() == (votes + tie_breakers(of.class_docs)).tolist()
    chances = np.mean([member.classifier.predict_proba(X[:, member.terms]) for member in members], axis=0)
    assert by_mean.scores(X) == pytest.approx(chances)


@pytest.mark.parametrize("combine", ["vote", "mean"])
def test_nonlinear_members_never_choose_a_class_without_documents(combine: str) -> None:
    X, _ = documents()
    of = task(X, *labels_of_kind("three of five"))
    decides = build_scorer(iter(members_of(DecisionTreeClassifier(), of)), of, combine)
    assert isinstance(decides, NonlinearMembers)
    assert set(decides.scores(X).argmax(axis=1).tolist()) <= {1, 2, 3}


def test_mixing_linear_and_nonlinear_members_raises() -> None:
    X, y = documents(3)
    of = task(X, y)
    mixture = [*members_of(LinearSVM(), of, 2), *members_of(DecisionTreeClassifier(), of, 1)]
    for combine in ("vote", "mean"):
        with pytest.raises(InputError, match="DecisionTreeClassifier is linear on some terms and not on others"):
            build_scorer(iter(mixture), of, combine)


def test_tie_breakers_decide_ties_only() -> None:
    breakers = tie_breakers(np.array([0, 3, 1, 1]))
    assert breakers.tolist() == [0.0, 0.3, 0.1, 0.1]
    assert tie_breakers(np.array([10**9, 0])).max() < 1.0


@pytest.mark.parametrize("combine", ["vote", "mean"])
def test_unconverged_problems_give_one_warning(combine: str) -> None:
    X, y = documents(3)
    of = task(X, y)
    members = [member._replace(n_unconverged=number) for number, member in enumerate(members_of(LinearSVM(), of, 3))]
    with pytest.warns(ConvergenceWarning, match="3 of 9 problems had not converged; increase max_iter") as caught:
        build_scorer(iter(members), of, combine)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        build_scorer(iter([member._replace(n_unconverged=0) for member in members]), of, combine)


def test_the_mean_consumes_members_one_by_one() -> None:
    """Members are freed once they are added, so the mean needs memory for few of them at a time."""
    alive = 0

    class CountedLinear(Linear):
        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    def members() -> Any:
        nonlocal alive
        for _ in range(20):
            alive += 1
            assert alive <= 3
            yield Member(np.arange(3), CountedLinear(np.ones((3, 3)), np.ones(3)))

    X, y = documents(3)
    scorer = build_scorer(members(), task(X, y), "mean")
    assert isinstance(scorer, LinearScorer)
    assert scorer.coefficients[:3].tolist() == [[1.0] * 3] * 3
    assert not scorer.coefficients[3:].any()


def test_a_class_without_documents_never_wins_with_negative_weights() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 6))
    members = np.zeros((40, 4), np.int64)
    members[np.arange(40), 2 * (np.arange(40) % 2)] = 1  # classes 1 and 3 have no documents
    ensemble = RandomSubspace(n_estimators=5, n_terms=0.5, combine="mean").fit(X, members)
    scores = ensemble.decision_function(rng.normal(size=(500, 6)))
    assert set(scores.argmax(axis=1)) == {0, 2}
