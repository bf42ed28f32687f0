"""`KNNFP` equals its slow twin; ties go to the lower document; invalid stored arrays raise."""

import pickle
import subprocess
import sys
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import NotFittedError
from tests.reference import voting_twin as twin

from textsieve import KNNFP, InputError
from textsieve.arrays import CSR
from textsieve.classifiers import knnfp_scorer
from textsieve.classifiers.knnfp_scorer import KNNFPScorer

HAIR = np.nextafter(0.1, 1)
weights = st.sampled_from([0.0, 0.0, 1.0, 1.0, 2.0, 3.0, 0.1, HAIR, 0.2, 0.3, 1 / 3, 1e-9, 1e16, 1e16 + 2, 700.0])


class Case(NamedTuple):
    """Training documents, their labels (class numbers), and documents to predict."""

    rows: list[list[float]]
    labels: list[list[int]]
    queries: list[list[float]]
    n_classes: int
    k: int

    def fitted(self) -> KNNFP:
        y = sparse.csr_matrix([[int(number in own) for number in range(self.n_classes)] for own in self.labels])
        return KNNFP(k=self.k).fit(sparse.csr_matrix(np.array(self.rows)), y)

    def twin(self) -> Any:
        arguments = self.rows, self.labels, self.n_classes, self.k
        return [twin.nearest_votes(*arguments, query) for query in self.queries]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    n_terms, n_classes = draw(st.integers(1, 4)), draw(st.integers(2, 4))
    row = st.lists(weights, min_size=n_terms, max_size=n_terms)
    own = st.lists(st.integers(0, n_classes - 1), max_size=3, unique=True).map(sorted)
    labels = [*draw(st.lists(own, max_size=20)), [0]]
    rows = draw(st.lists(row, min_size=len(labels), max_size=len(labels)))
    queries = draw(st.lists(row, min_size=1, max_size=4))
    return Case(rows, labels, queries, n_classes, draw(st.integers(1, 24)))


def by_kernels(scorer: KNNFPScorer, rows: CSR, n_jobs: int, rows_a_slice: int = 2) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(knnfp_scorer, "FEW_VALUES", -1)
        patch.setattr(knnfp_scorer, "_ROWS_PER_TASK", rows_a_slice)
        return scorer.scores(rows, n_jobs)


@given(cases())
def test_numpy_and_kernels_equal_the_twin(case: Case) -> None:
    scorer, right = case.fitted().to_scorer(), case.twin()
    rows = CSR.of(sparse.csr_matrix(np.array(case.queries)))
    sums = np.array(right).sum(axis=1)
    assert scorer.scores(rows).tolist() == sums.tolist()
    assert by_kernels(scorer, rows, 1).tolist() == sums.tolist()
    assert by_kernels(scorer, rows, 2, 1).tolist() == sums.tolist()
    for query, of_term in zip(case.queries, right, strict=True):
        columns = np.arange(len(query))
        assert scorer.contributions(columns, np.array(query)).tolist() == of_term


def documents(seed: int, n: int = 200, d: int = 30) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    dense = np.round(random.random((n, d)) * 20) / 7 * (random.random((n, d)) < 0.3)
    return sparse.csr_matrix(dense), random.integers(0, 4, n)


@given(st.integers(0, 1000), st.integers(1, 50))
def test_many_equal_weights_equal_the_twin(seed: int, k: int) -> None:
    X, y = documents(seed, 120, 3)
    scorer = KNNFP(k=k).fit(X, y).to_scorer()
    rows = CSR.of(X[:10])
    right = [
        np.sum(
            twin.nearest_votes(X.toarray().tolist(), [[label] for label in y.tolist()], 4, k, query), axis=0
        ).tolist()
        for query in X[:10].toarray().tolist()
    ]
    assert scorer.scores(rows).tolist() == by_kernels(scorer, rows, 2).tolist() == right


@given(st.integers(0, 1000), st.lists(st.integers(0, 40), max_size=3))
def test_scores_do_not_depend_on_batches_and_threads(seed: int, cuts: list[int]) -> None:
    X, y = documents(seed)
    scorer = KNNFP(k=7).fit(X, y).to_scorer()
    whole = scorer.scores(CSR.of(X[:40]))
    assert by_kernels(scorer, CSR.of(X[:40]), 3).tobytes() == whole.tobytes()
    parts = [X[begin:end] for begin, end in pairwise([0, *sorted(cuts), 40])]
    assert np.vstack([scorer.scores(CSR.of(part)) for part in parts]).tobytes() == whole.tobytes()
    assert np.vstack([by_kernels(scorer, CSR.of(part), 1) for part in parts]).tobytes() == whole.tobytes()


@pytest.mark.slow
def test_results_do_not_depend_on_threads_and_matrix_formats() -> None:
    X, y = documents(1)
    right = KNNFP(n_jobs=1).fit(X, y)
    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for other in (X.toarray(), X.tocsc(), X.tocoo(), wide, sparse.csr_array(X)):
        for n_jobs in (None, 2, -1):
            classifier = KNNFP(n_jobs=n_jobs).fit(other, y)
            for name, array in classifier.to_scorer().stored_arrays().items():
                assert array.tobytes() == right.to_scorer().stored_arrays()[name].tobytes()
            assert classifier.decision_function(other).tobytes() == right.decision_function(X).tobytes()
    assert pickle.loads(pickle.dumps(right)).votes(X).tobytes() == right.votes(X).tobytes()


def test_float32_weights_are_used_as_they_are() -> None:
    X, y = documents(2)
    small = X.astype(np.float32)
    assert KNNFP().fit(small, y).votes(small).tolist() == KNNFP().fit(small.astype(float), y).votes(small).tolist()


# -- documents of the second example of docs/explanation/tcfp.md ---------------------------------------------------

EXAMPLE = np.array([[3, 1, 0], [1, 2, 1], [2, 0, 3], [0, 1, 2]], float)
CLASSES = ["sport", "sport", "money", "money"]
QUERY = np.array([[2, 1, 2]], float)


@pytest.mark.parametrize(
    ("k", "by_term", "votes", "predicted"),
    [
        (1, [[1, 0], [0, 1], [1, 0]], [2, 1], "money"),
        (2, [[1, 1], [1, 1], [1, 1]], [3, 3], "money"),
        (3, [[1, 2], [1, 2], [2, 1]], [4, 5], "sport"),
        (100, [[1, 2], [1, 2], [2, 1]], [4, 5], "sport"),
    ],
)
def test_the_worked_example(k: int, by_term: Any, votes: Any, predicted: str) -> None:
    classifier = KNNFP(k=k).fit(EXAMPLE, CLASSES)
    assert classifier.classes_.tolist() == ["money", "sport"]
    assert classifier.to_scorer().contributions(np.arange(3), QUERY[0]).tolist() == by_term
    assert classifier.votes(QUERY).tolist() == [votes]
    assert classifier.decision_function(QUERY).tolist() == [votes[1] - votes[0]]
    assert classifier.predict(QUERY).tolist() == [predicted]


# -- ties and special cases ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 2, 3])
def test_of_equal_distances_the_lower_document_votes_first(k: int) -> None:
    above, below = 3.0, 1.0
    classifier = KNNFP(k=k).fit([[above], [below], [below], [above]], [0, 1, 2, 3])
    assert classifier.votes([[2.0]])[0].tolist() == [1.0] * k + [0.0] * (4 - k)
    turned = KNNFP(k=k).fit([[below], [above], [above], [below]], [0, 1, 2, 3])
    assert turned.votes([[2.0]])[0].tolist() == [1.0] * k + [0.0] * (4 - k)


def test_distances_are_compared_exactly() -> None:
    # 0.3 - 0.2 and 0.2 - 0.1 are 0.09999999999999998 and 0.1 when rounded, and not equal before that either
    classifier = KNNFP(k=1).fit([[0.1], [0.3]], ["low", "high"])
    assert classifier.votes([[0.2]]).tolist() == [[1, 0]]
    # rounded, both are 1e16 away, and the lower document would vote; really the other is nearer, by 1
    far = KNNFP(k=1).fit([[2e16], [1.0]], ["a", "b"])
    assert far.votes([[1e16]]).tolist() == [[0, 1]]
    assert by_kernels(far.to_scorer(), CSR.of(sparse.csr_matrix([[1e16]])), 1).tolist() == [[0, 1]]


def test_among_equal_weights_the_lowest_documents_vote() -> None:
    classifier = KNNFP(k=3).fit(np.full((10, 1), 0.1), [0, 1, 2, 3, 4] * 2)
    assert classifier.votes([[0.1]])[0].tolist() == [1, 1, 1, 0, 0]
    assert classifier.votes([[9.0]])[0].tolist() == [1, 1, 1, 0, 0]
    assert classifier.votes([[0.01]])[0].tolist() == [1, 1, 1, 0, 0]


def test_k_above_the_number_of_documents_uses_all_of_them() -> None:
    classifier = KNNFP(k=10**12).fit([[1.0], [2.0], [0.0]], ["a", "b", "b"])
    assert classifier.votes([[5.0]]).tolist() == [[1, 1]]
    assert by_kernels(classifier.to_scorer(), CSR.of(sparse.csr_matrix([[5.0]])), 1).tolist() == [[1, 1]]


def test_terms_and_classes_of_one_document_and_duplicates_vote() -> None:
    classifier = KNNFP(k=2).fit([[1.0, 1.0], [1.0, 0.0], [1.0, 0.0]], ["a", "b", "b"])
    assert classifier.votes([[0.0, 7.0]]).tolist() == [[1, 0]]
    assert classifier.votes([[1.0, 0.0]]).tolist() == [[1, 1]]  # documents 0 and 1
    assert classifier.predict([[1.0, 0.0]]).tolist() == ["a"]


def test_a_document_without_a_known_term_gets_the_most_frequent_class_with_a_warning() -> None:
    classifier = KNNFP().fit([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 2.0, 0.0]], ["a", "b", "b"])
    with pytest.warns(UserWarning, match=r"2 of 3 documents share no term with any .* most frequent class, 'b'"):
        assert classifier.predict([[0.0, 0.0, 0.0], [0.0, 0.0, 3.0], [1.0, 0.0, 0.0]]).tolist() == ["b", "b", "a"]


def test_predict_of_multilabel_raises_and_unlabelled_documents_are_ignored() -> None:
    classifier = KNNFP(k=1).fit([[1.0], [1.5], [2.0]], [["a", "b"], [], ["b"]])
    assert classifier.multilabel_
    assert classifier.decision_function([[1.4]]).tolist() == [[1, 1]]
    assert classifier.decision_function([[1.6]]).tolist() == [[0, 1]]
    assert classifier.class_docs_.tolist() == [1, 2]
    with pytest.raises(InputError, match="several labels"):
        classifier.predict([[1.0]])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"k": 0}, "k=0; use a number of documents"),
        ({"k": 1.5}, "k=1.5"),
        ({"k": True}, "k=True"),
        ({"n_jobs": 0}, "n_"),
    ],
)
def test_invalid_settings_raise(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        KNNFP(**options).fit([[1.0], [2.0]], [0, 1])


def test_invalid_weights_and_labels_raise() -> None:
    with pytest.raises(InputError, match="Negative values in data passed to KNNFP: -1"):
        KNNFP().fit([[1.0], [-1.0]], [0, 1])
    with pytest.raises(InputError, match="Only one class"):
        KNNFP().fit([[1.0], [1.0]], [0, 0])
    with pytest.raises(InputError, match="requires y"):
        KNNFP().fit([[1.0], [1.0]], None)
    with pytest.raises(NotFittedError):
        KNNFP().predict([[1.0]])
    with pytest.raises(InputError, match="The rows have 2 columns, but there are 1 terms"):
        KNNFP().fit([[1.0], [1.0]], [0, 1]).to_scorer().scores(CSR.of(sparse.csr_matrix(np.ones((1, 2)))))


# -- storing and restoring -----------------------------------------------------------------------------------------

KINDS = {np.dtype(kind) for kind in (np.uint8, np.int32, np.int64, np.float32, np.float64)}


def multilabel_scorer() -> tuple[KNNFPScorer, CSR]:
    X, y = documents(3, 60, 10)
    labels = [[label, 3] if label < 2 else [label] for label in y.tolist()]
    return KNNFP(k=4).fit(X, labels).to_scorer(), CSR.of(X)


def test_a_restored_scorer_scores_the_same() -> None:
    scorer, rows = multilabel_scorer()
    assert {array.dtype for array in scorer.stored_arrays().values()} <= KINDS
    frozen = {
        name: np.frombuffer(array.tobytes(), array.dtype).reshape(array.shape)
        for name, array in scorer.stored_arrays().items()
    }
    again = KNNFPScorer.restore(scorer.stored_settings(), frozen, 10, 4)
    assert again.scores(rows).tobytes() == scorer.scores(rows).tobytes() == by_kernels(again, rows, 2).tobytes()
    assert again.stored_settings() == {"k": 4}
    assert not again.intercepts.any()


def test_term_strengths_are_average_votes() -> None:
    scorer = KNNFP(k=2).fit(EXAMPLE, CLASSES).to_scorer()
    assert scorer.term_strengths() == pytest.approx(np.array([[2 / 3, 4 / 3], [2 / 3, 4 / 3], [4 / 3, 2 / 3]]))


@pytest.mark.parametrize(
    ("name", "place", "value", "words"),
    [
        ("term_indptr", 0, 1, "term_indptr does not go from 0"),
        ("term_indptr", 3, 1 << 40, "term_indptr does not go from 0"),
        ("term_indptr", -1, -1, "term_indptr does not go from 0"),
        ("weights", 0, 0.0, "weights has numbers that are not above 0"),
        ("weights", 3, np.nan, "weights has numbers that are not above 0"),
        ("weights", 3, np.inf, "weights has numbers that are not above 0"),
        ("weights", 0, 99.0, "do not ascend"),
        ("documents", 0, -1, "documents has numbers that are not from 0 to 59"),
        ("documents", 5, 60, "documents has numbers that are not from 0 to 59"),
        ("label_indptr", 1, -4, "label_indptr does not go from 0"),
        ("label_indptr", -1, 1 << 40, "label_indptr does not go from 0"),
        ("labels", 0, 4, "labels has numbers that are not from 0 to 3"),
        ("labels", 0, -1, "labels has numbers that are not from 0 to 3"),
    ],
)
def test_invalid_values_of_stored_arrays_raise(name: str, place: int, value: Any, words: str) -> None:
    scorer, _ = multilabel_scorer()
    arrays = {key: array.copy() for key, array in scorer.stored_arrays().items()}
    arrays[name][place] = value
    with pytest.raises(InputError, match=words):
        KNNFPScorer.restore(scorer.stored_settings(), arrays, 10, 4)


def test_a_scorer_without_documents_is_restored_and_scores_zero() -> None:
    empty = {"weights": np.float64, "documents": np.int32, "labels": np.int32}
    arrays = {name: np.empty(0, kind) for name, kind in empty.items()}
    arrays |= {"term_indptr": np.zeros(2, np.int64), "label_indptr": np.zeros(1, np.int64)}
    scorer = KNNFPScorer.restore({"k": 1}, arrays, 1, 2)
    assert scorer.scores(CSR.of(sparse.csr_matrix([[1.0]]))).tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize("name", ["classes_", "class_docs_", "multilabel_"])
def test_attributes_of_an_unfitted_classifier_raise_not_fitted(name: str) -> None:
    with pytest.raises(NotFittedError):
        getattr(KNNFP(), name)


def test_documents_of_equal_weight_must_ascend() -> None:
    scorer = KNNFP(k=1).fit([[1.0], [1.0]], [0, 1]).to_scorer()
    arrays = scorer.stored_arrays() | {"documents": np.array([1, 0], np.int32)}
    with pytest.raises(InputError, match="do not ascend"):
        KNNFPScorer.restore(scorer.stored_settings(), arrays, 1, 2)


def test_invalid_stored_settings_types_and_shapes_raise() -> None:
    scorer, _ = multilabel_scorer()
    arrays = scorer.stored_arrays()
    for header in ({}, {"k": 0}, {"k": "2"}, {"k": 1.0}, {"k": True}, {"k": 1 << 63}, {"k": 1, "more": 1}):
        with pytest.raises(InputError):
            KNNFPScorer.restore(header, arrays, 10, 4)
    for name, array in arrays.items():
        for other in (None, array.astype(np.float16), array[:-1], array[:0], array.reshape(1, *array.shape)):
            changed = {key: part for key, part in (arrays | {name: other}).items() if part is not None}
            with pytest.raises(InputError):
                KNNFPScorer.restore(scorer.stored_settings(), changed, 10, 4)
    for n_terms, n_outputs in ((9, 4), (11, 4), (10, 3), (0, 0)):
        with pytest.raises(InputError):
            KNNFPScorer.restore(scorer.stored_settings(), arrays, n_terms, n_outputs)


LIGHT = """
import sys
import numpy as np
from textsieve.classifiers.knnfp_scorer import KNNFPScorer
from textsieve.arrays import CSR
arrays = {"term_indptr": np.array([0, 2]), "weights": np.array([1.0, 2.0]), "documents": np.array([1, 0], np.int32),
    "label_indptr": np.array([0, 1, 2]), "labels": np.array([0, 1], np.int32)}
scorer = KNNFPScorer.restore({"k": 1}, arrays, 1, 2)
assert scorer.scores(CSR(np.array([1.2]), np.array([0]), np.array([0, 1]), 1)).tolist() == [[0.0, 1.0]]
assert scorer.contributions(np.array([0]), np.array([1.9])).tolist() == [[1.0, 0.0]]
scorer.term_strengths()
print(" ".join(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def test_scoring_a_document_imports_numpy_only() -> None:
    done = subprocess.run([sys.executable, "-W", "error", "-c", LIGHT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not set(done.stdout.split()) & {"sklearn", "numba", "llvmlite", "scipy"}
