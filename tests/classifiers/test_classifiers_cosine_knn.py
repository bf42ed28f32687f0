"""`CosineKNN` compared with an exhaustive search; k="auto"; unlabelled documents, ties and invalid input."""

import pickle
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier
from tests.reference import neighbours_twin as twin
from tests.reference.stats_cases import Case, cases

from textsieve import InputError, TermCounter, TermWeighter
from textsieve.classifiers import cosine_knn
from textsieve.classifiers.cosine_knn import CosineKNN
from textsieve.classifiers.cosine_knn_scorer import VOTES
from textsieve.classifiers.voting import rows_of

weights = st.sampled_from([0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 0.5, 1 / 3, -1.0, 1e-9, 700.0])
ANY_WARNING = pytest.mark.filterwarnings("ignore")


def numbers(case: Case) -> tuple[list[Any], list[list[int]]]:
    """Return the classes, and the class numbers of each document."""
    classes = sorted({label for labels in case.label_sets for label in labels})
    return classes, [sorted(classes.index(label) for label in labels) for labels in case.label_sets]


def learnable(case: Case) -> bool:
    return len({label for labels in case.label_sets for label in labels}) >= 2


@ANY_WARNING
@given(cases(weights, n_labels=(0, 3)).filter(learnable), st.integers(1, 10), st.sampled_from(VOTES))
def test_scores_equal_those_of_an_exhaustive_search(case: Case, k: int, votes: str) -> None:
    classifier = CosineKNN(k=k, votes=votes).fit(case.matrix(), case.label_sets)
    labelled = [document for document, labels in enumerate(case.label_sets) if labels]
    part = case.part(labelled)
    classes, of_documents = numbers(part)
    assert classifier.classes_.tolist() == classes
    assert classifier.k_ == min(k, len(labelled))
    documents = twin.kept(part.rows.tolist())
    queries = [twin.unit(row) for row in case.rows.tolist()]
    right = np.array([twin.scores(query, documents, of_documents, len(classes), k, votes) for query in queries])
    multilabel = any(len(labels) > 1 for labels in case.label_sets)
    decision = right if multilabel or len(classes) > 2 else right[:, 1] - right[:, 0]
    assert classifier.decision_function(case.matrix()).tolist() == decision.tolist()
    assert classifier.to_scorer().scores(rows_of(case.matrix())).tolist() == right.tolist()
    if multilabel:
        with pytest.raises(InputError, match="several labels"):
            classifier.predict(case.matrix())
    else:
        most_frequent = classifier.class_docs_.argmax()
        best = [scores.argmax() if scores.any() else most_frequent for scores in right]
        assert classifier.predict(case.matrix()).tolist() == [classes[number] for number in best]


@ANY_WARNING
@given(cases(weights, n_labels=(0, 1)).filter(learnable), st.integers(1, 10))
def test_kneighbors_always_returns_k_neighbours(case: Case, k: int) -> None:
    classifier = CosineKNN(k=k).fit(case.matrix(), case.label_sets)
    labelled = [document for document, labels in enumerate(case.label_sets) if labels]
    documents = twin.kept(case.rows[labelled].tolist())
    distances, rows = classifier.kneighbors(case.rows)
    for row, query in enumerate(case.rows.tolist()):
        near = twin.nearest(twin.unit(query), documents, classifier.k_, everyone=True)
        assert rows[row].tolist() == [labelled[number] for _, number in near]
        assert distances[row].tolist() == [min(max(1.0 - cosine, 0.0), 2.0) for cosine, _ in near]


def spread(n_documents: int, seed: int) -> tuple[sparse.csr_matrix, Any]:
    """Return documents of three overlapping classes, no two with the same cosine."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, 3, n_documents)
    present = random.random((n_documents, 30)) < 0.3
    heavier = 1.0 + (np.arange(30) % 3 == labels[:, None])
    return sparse.csr_matrix(present * random.random((n_documents, 30)) * heavier), labels


def test_neighbours_equal_those_of_scikit_learn() -> None:
    (matrix, labels), (queries, _) = spread(200, 0), spread(50, 1)
    theirs = KNeighborsClassifier(7, metric="cosine", algorithm="brute").fit(matrix, labels)
    ours = CosineKNN(k=7, votes="plain").fit(matrix, labels)
    for our_values, their_values in zip(ours.kneighbors(queries), theirs.kneighbors(queries), strict=True):
        assert our_values == pytest.approx(their_values, abs=1e-6)
    assert ours.predict(queries).tolist() == theirs.predict(queries).tolist()


@ANY_WARNING
def test_neighbours_of_newsgroups_equal_those_of_scikit_learn(newsgroups: tuple[list[str], list[str]]) -> None:
    texts, groups = (values[::4] for values in newsgroups)
    rows = TermWeighter(tf="log", idf="plain").fit_transform(TermCounter(min_df=2).fit_transform(texts))
    learned, queries = rows[:2500], rows[2500:]
    theirs = KNeighborsClassifier(30, metric="cosine", algorithm="brute").fit(learned, groups[:2500])
    ours = CosineKNN(votes="plain").fit(learned, groups[:2500])
    assert ours.kneighbors(queries)[0] == pytest.approx(theirs.kneighbors(queries)[0], abs=1e-6)
    assert np.mean(ours.predict(queries) == theirs.predict(queries)) > 0.99  # ties are broken differently there


@ANY_WARNING
@given(cases(weights, n_labels=(1, 2)).filter(learnable), st.sampled_from(VOTES))
def test_auto_k_counts_correct_documents_by_leaving_one_out(case: Case, votes: str) -> None:
    _, of_documents = numbers(case)
    classifier = CosineKNN(k="auto", votes=votes).fit(case.matrix(), case.label_sets)
    right = twin.right_by_size(twin.kept(case.rows.tolist()), of_documents, max(1, len(case.label_sets) - 1), votes)
    assert classifier.right_by_k_.tolist() == right
    assert classifier.k_ == right.index(max(right)) + 1


def test_auto_k_tries_no_more_than_the_largest_k(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix, labels = spread(60, 3)
    everything = CosineKNN(k="auto").fit(matrix, labels).right_by_k_
    assert len(everything) == 59
    monkeypatch.setattr(cosine_knn, "MAX_NEIGHBOURS", 8)
    monkeypatch.setattr(cosine_knn, "_DOCUMENTS_PER_TASK", 7)
    few = CosineKNN(k="auto", n_jobs=3).fit(matrix, labels)
    assert few.right_by_k_.tolist() == everything[:8].tolist()
    assert few.k_ == everything[:8].argmax() + 1


@pytest.mark.parametrize(("k", "votes"), list(product([1, 5, "auto"], VOTES)))
def test_results_do_not_depend_on_the_number_of_threads(k: Any, votes: str) -> None:
    (matrix, labels), (queries, _) = spread(90, 4), spread(40, 5)
    single, threaded = (CosineKNN(k=k, votes=votes, n_jobs=n_jobs).fit(matrix, labels) for n_jobs in (1, 4))
    assert single.k_ == threaded.k_
    assert single.decision_function(queries).tobytes() == threaded.decision_function(queries).tobytes()


def test_the_worked_example_of_the_docs() -> None:
    """Compare with the table of docs/explanation/knn.md."""
    rows = [[3.0, 4, 0], [0, 1, 0], [1, 0, 0], [0, 4, 3]]
    labels = ["tea", "tea", "coffee", "coffee"]
    query = [[4.0, 3, 0]]
    distances, documents = CosineKNN(k=4).fit(rows, labels).kneighbors(query)
    assert documents.tolist() == [[0, 2, 1, 3]]
    assert 1 - distances == pytest.approx(np.array([[0.96, 0.8, 0.6, 0.48]]))
    for k, votes, tea, coffee in (
        (1, "weighted", 0.96, 0.0),
        (2, "weighted", 0.96, 0.8),
        (3, "weighted", 1.56, 0.8),
        (4, "weighted", 1.56, 1.28),
        (2, "plain", 1, 1),
        (3, "plain", 2, 1),
    ):
        classifier = CosineKNN(k=k, votes=votes).fit(rows, labels)
        assert classifier.to_scorer().scores(rows_of(query)) == pytest.approx(np.array([[coffee, tea]]))
        assert classifier.predict(query).tolist() == ["coffee" if tea == coffee else "tea"]
    parts = CosineKNN(k=3).fit(rows, labels).to_scorer().contributions(np.array([0, 1]), np.array([4.0, 3.0]))
    assert parts == pytest.approx(np.array([[0.8, 0.48], [0.0, 1.08]]))
    auto_classifier = CosineKNN(k="auto").fit(rows, labels)
    assert auto_classifier.right_by_k_.tolist() == [2, 1, 0]
    assert auto_classifier.k_ == 1


# -- edges ---------------------------------------------------------------------------------------------------------


def test_a_document_that_shares_no_term_gets_the_most_frequent_class_with_a_warning() -> None:
    classifier = CosineKNN(k=1).fit([[1.0, 0, 0], [0, 1, 0], [0, 2, 0]], ["a", "b", "b"])
    assert classifier.decision_function([[0, 0, 1.0], [0, 0, 0]]).tolist() == [0, 0]
    with pytest.warns(UserWarning, match=r"2 of 3 documents share no term .* most frequent class, 'b'") as caught:
        assert classifier.predict([[0, 0, 1.0], [0, 0, 0], [1, 0, 0]]).tolist() == ["b", "b", "a"]
    assert caught[0].filename == __file__


def test_copies_with_different_labels_both_vote_and_the_lower_number_is_nearer() -> None:
    rows, labels = [[1.0, 1], [2, 2], [4, 4], [1, 0]], ["b", "a", "b", "a"]
    assert CosineKNN(k=1).fit(rows, labels).predict([[1.0, 1]]).tolist() == ["b"]
    assert CosineKNN(k=2).fit(rows, labels).predict([[1.0, 1]]).tolist() == ["a"]  # a tie: the first class
    assert CosineKNN(k=3).fit(rows, labels).predict([[1.0, 1]]).tolist() == ["b"]
    assert CosineKNN(k=3).fit(rows, labels).kneighbors([[3.0, 3]], k=4)[1].tolist() == [[0, 1, 2, 3]]


def test_k_above_the_number_of_documents_uses_all_of_them() -> None:
    with pytest.warns(UserWarning, match="k=30, but there are 3 training documents; all of them") as caught:
        classifier = CosineKNN().fit([[1.0, 0], [1, 1], [0, 1]], ["a", "b", "b"])
    assert caught[0].filename == __file__
    assert classifier.k_ == 3
    assert classifier.predict([[1.0, 0.9]]).tolist() == ["b"]


def test_a_class_with_one_document_can_be_predicted() -> None:
    classifier = CosineKNN(k=1).fit([[1.0, 0], [1, 0.1], [0, 1]], ["a", "a", "lonely"])
    assert classifier.predict([[0.1, 1.0], [1, 0.05]]).tolist() == ["lonely", "a"]
    assert CosineKNN(k="auto").fit([[1.0, 0], [1, 0.1], [0, 1]], ["a", "a", "lonely"]).k_ == 1


def test_auto_k_gives_documents_without_neighbours_the_most_frequent_class() -> None:
    classifier = CosineKNN(k="auto").fit(np.eye(4), ["a", "b", "b", "c"])
    assert classifier.right_by_k_.tolist() == [2, 2, 2]


def test_unlabelled_documents_are_ignored_and_row_numbers_stay() -> None:
    rows, labels = [[1.0, 1], [1, 0], [0, 1], [1, 1]], [None, "a", "b", ""]
    classifier = CosineKNN(k=2).fit(rows, labels)
    assert classifier.kneighbors([[0.0, 1]])[1].tolist() == [[2, 1]]
    assert classifier.class_docs_.tolist() == [1, 1]


def test_labels_may_be_an_indicator_matrix() -> None:
    rows = np.array([[1.0, 0, 0], [0, 1, 0], [0, 1, 1]])
    classifier = CosineKNN(k=1).fit(rows, np.array([[1, 0], [0, 1], [1, 1]]))
    assert classifier.multilabel_
    assert classifier.decision_function(rows) == pytest.approx(np.array([[1, 0], [0, 1], [1, 1]]))


def test_an_estimator_can_be_pickled_and_refitted() -> None:
    (matrix, labels), (queries, _) = spread(30, 6), spread(5, 7)
    classifier = CosineKNN(k=3).fit(matrix, labels)
    before = classifier.decision_function(queries)
    again = pickle.loads(pickle.dumps(classifier))
    assert again.decision_function(queries).tobytes() == before.tobytes()
    assert classifier.fit(matrix, labels).decision_function(queries).tobytes() == before.tobytes()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"k": 0}, 'k=0; use a number of neighbours from 1, or "auto"'),
        ({"k": 2.0}, r"k=2\.0"),
        ({"k": True}, "k=True"),
        ({"k": "many"}, "k='many'"),
        ({"votes": "loud"}, "votes='loud'; use one of weighted, plain"),
        ({"votes": None}, "votes=None"),
        ({"n_jobs": 0}, "n_jobs=0"),
    ],
)
def test_invalid_settings_raise(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        CosineKNN(**options).fit(np.eye(2), ["a", "b"])


@pytest.mark.parametrize("k", [0, 3, "auto", 1.5])
def test_kneighbors_with_an_invalid_k_raises(k: Any) -> None:
    with pytest.raises(InputError, match="use a number of neighbours from 1 to 2"):
        CosineKNN(k=1).fit(np.eye(2), ["a", "b"]).kneighbors(np.eye(2), k)


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (["spam", "spam"], "Only one class, 'spam'"),
        ([None, None], "No document has a label"),
        (["a", 1], "mixed kinds"),
        (np.array([1.0, np.inf]), "an infinite number is no class"),
        (np.array([0.5, 0.25]), "continuous"),
        (["a"], "2 documents but 1 labels"),
        (None, "CosineKNN requires y"),
    ],
)
def test_invalid_labels_raise(labels: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        CosineKNN().fit(np.eye(2), labels)


def test_an_unfitted_estimator_raises() -> None:
    for method in (CosineKNN().predict, CosineKNN().decision_function, CosineKNN().kneighbors):
        with pytest.raises(NotFittedError):
            method(np.eye(2))
    with pytest.raises(NotFittedError):
        CosineKNN().to_scorer()
