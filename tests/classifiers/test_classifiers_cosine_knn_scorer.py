"""`CosineKNNScorer` equals its slow twin to the last bit, for numpy, kernels, batches and stored scorers."""

import subprocess
import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.reference import neighbours_twin as twin

from textsieve import InputError
from textsieve.arrays import CSR
from textsieve.classifiers import cosine_knn_scorer
from textsieve.classifiers.cosine_knn_scorer import VOTES, CosineKNNScorer
from textsieve.neighbours import postings_of

values = st.sampled_from([0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 0.5, 1 / 3, -1.0, 1e-9, 700.0])


def rows_of(dense: Any, n_terms: int) -> CSR:
    return CSR.of(sparse.csr_matrix(np.array(dense, np.float64).reshape(len(dense), n_terms)))


class Case:
    """Documents, the classes of each, queries, and the scorer."""

    def __init__(self, dense: Any, classes: Any, queries: Any, n_terms: int, n_outputs: int, k: int, votes: str):
        self.dense, self.classes, self.queries, self.n_outputs, self.k, self.votes = (
            *(dense, classes, queries, n_outputs),
            *(k, votes),
        )
        self.rows = rows_of(queries, n_terms)
        starts = np.cumsum([0, *map(len, classes)]).astype(np.int64)
        numbers = np.array([number for class_numbers in classes for number in class_numbers], np.int32)
        postings = postings_of(rows_of(dense, n_terms))
        self.scorer = CosineKNNScorer(postings, starts, numbers, n_outputs, k, votes)

    def twin(self) -> list[list[float]]:
        arguments = twin.kept(self.dense), self.classes, self.n_outputs, self.k, self.votes
        return [twin.scores(twin.unit(query), *arguments) for query in self.queries]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    n_terms, n_outputs = draw(st.integers(1, 6)), draw(st.integers(2, 4))
    row = st.lists(values, min_size=n_terms, max_size=n_terms)
    some = draw(st.lists(row, min_size=1, max_size=4))
    any_row = st.one_of(st.sampled_from(some), row)
    dense = draw(st.lists(any_row, min_size=1, max_size=12))
    own = st.lists(st.integers(0, n_outputs - 1), min_size=1, max_size=3, unique=True).map(sorted)
    classes = draw(st.lists(own, min_size=len(dense), max_size=len(dense)))
    queries = draw(st.lists(any_row, max_size=5))
    return Case(dense, classes, queries, n_terms, n_outputs, draw(st.integers(1, 14)), draw(st.sampled_from(VOTES)))


def by_kernels(scorer: CosineKNNScorer, rows: CSR, n_jobs: int, rows_a_slice: int = 2) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cosine_knn_scorer, "FEW_POSTINGS", -1)
        patch.setattr(cosine_knn_scorer, "_ROWS_PER_TASK", rows_a_slice)
        return scorer.scores(rows, n_jobs)


def bits(scores: Any) -> bytes:
    return (np.asarray(scores, np.float64) + 0.0).tobytes()  # -0.0 is 0.0


@given(cases())
def test_numpy_and_kernels_equal_the_twin_to_the_last_bit(case: Case) -> None:
    few = case.scorer.scores(case.rows)
    assert few.shape == (case.rows.n_rows, case.n_outputs)
    assert bits(few) == bits(case.twin())
    for n_jobs in (1, 2):
        assert bits(by_kernels(case.scorer, case.rows, n_jobs)) == bits(few)
    assert bits(case.scorer.scores(case.rows)) == bits(few)  # now with the index that the kernels have built


@given(cases(), st.data())
def test_scores_do_not_depend_on_batches(case: Case, data: st.DataObject) -> None:
    rows = case.rows
    cuts = sorted({0, rows.n_rows, *data.draw(st.lists(st.integers(0, rows.n_rows), max_size=4))})
    parts = []
    for first, last in pairwise(cuts):
        begin, end = rows.indptr[first], rows.indptr[last]
        own = rows.data[begin:end], rows.indices[begin:end], rows.indptr[first : last + 1] - begin
        part = CSR(*own, rows.n_columns)
        parts.append(case.scorer.scores(part) if data.draw(st.booleans()) else by_kernels(case.scorer, part, 2))
    assert b"".join(map(bits, parts)) == bits(case.scorer.scores(rows))


@given(cases())
def test_contributions_add_up_to_the_scores(case: Case) -> None:
    scores = case.scorer.scores(case.rows)
    for row, (begin, end) in enumerate(pairwise(case.rows.indptr.tolist())):
        parts = case.scorer.contributions(case.rows.indices[begin:end], case.rows.data[begin:end])
        assert parts.shape == (end - begin, case.n_outputs)
        total = np.zeros(case.n_outputs)
        for part in parts:
            total = total + part
        assert bits(total + case.scorer.intercepts) == bits(scores[row])
        if case.votes == "plain":
            assert (parts >= 0.0).all()
            assert bits(parts[::-1].sum(axis=0)) == bits(scores[row])  # in any order


@given(cases().filter(lambda case: case.votes == "weighted"))
def test_weighted_votes_are_the_sum_of_cosines(case: Case) -> None:
    for query, scores in zip(case.queries, case.scorer.scores(case.rows), strict=True):
        sums = np.zeros(case.n_outputs)
        for cosine, neighbour in twin.nearest(twin.unit(query), twin.kept(case.dense), case.k):
            sums[case.classes[neighbour]] += cosine
        assert scores == pytest.approx(sums, abs=1e-13)


def test_a_small_example_computed_by_hand() -> None:
    """The documents are (.6, .8), (0, 1), (1, 0) and (0, 0, 1); the query (1, 0) has the cosines .6, 0, 1 and 0."""
    dense = [[3.0, 4, 0], [0, 5, 0], [7, 0, 0], [0, 0, 2]]
    case = Case(dense, [[0], [0], [1], [1]], [[2.0, 0, 0], [1, 1, 0]], 3, 2, 2, "weighted")
    assert case.scorer.scores(case.rows) == pytest.approx(np.array([[0.6, 1.0], [1.4 / 2**0.5 + 0.5**0.5, 0.0]]))
    assert case.scorer.contributions(np.array([0]), np.array([2.0])) == pytest.approx(np.array([[0.6, 1.0]]))
    plain_case = Case(dense, [[0], [0], [1], [1]], [[1.0, 1, 0]], 3, 2, 3, "plain")
    assert plain_case.scorer.scores(plain_case.rows).tolist() == [[2, 1]]
    parts = plain_case.scorer.contributions(np.array([0, 1]), np.array([1.0, 1.0]))
    assert parts == pytest.approx(np.array([[3 / 7, 1], [1 + 4 / 7, 0]]), abs=1e-8)


def test_term_strengths_are_class_means() -> None:
    case = Case([[3.0, 4], [0, 5], [7, 0]], [[0, 1], [0], [1]], [], 2, 3, 1, "plain")
    assert case.scorer.term_strengths() == pytest.approx(np.array([[0.3, 0.8, 0], [0.9, 0.4, 0]]))


def test_documents_without_common_terms_score_0() -> None:
    case = Case([[1.0, 0], [1, 0]], [[0], [1]], [[0, 1.0], [0, 0]], 2, 2, 5, "weighted")
    assert not case.scorer.scores(case.rows).any()
    assert not by_kernels(case.scorer, case.rows, 1).any()
    assert case.scorer.contributions(np.array([1]), np.array([1.0])).tolist() == [[0, 0]]
    nothing = np.zeros(0, np.int32), np.zeros(0)
    assert case.scorer.contributions(*nothing).shape == (0, 2)
    assert case.scorer.scores(rows_of(np.zeros((0, 2)), 2)).shape == (0, 2)


def test_rows_of_another_width_and_invalid_n_jobs_raise() -> None:
    case = Case([[1.0, 0], [1, 0]], [[0], [1]], [[0, 1.0]], 2, 2, 5, "weighted")
    with pytest.raises(InputError, match="3 columns, but there are 2 terms"):
        case.scorer.scores(case.rows._replace(n_columns=3))
    with pytest.raises(InputError, match="n_jobs=0"):
        case.scorer.scores(case.rows, 0)


# -- storing and restoring ----------------------------------------------------------------------------------------


@given(cases())
def test_a_restored_scorer_scores_the_same(case: Case) -> None:
    header, arrays = case.scorer.stored_settings(), case.scorer.stored_arrays()
    for array in arrays.values():
        assert array.dtype in (np.int32, np.int64, np.float32)
        assert array.flags.c_contiguous
        array.flags.writeable = False  # as those from a file are
    again = CosineKNNScorer.restore(header, arrays, case.scorer.n_terms, case.n_outputs)
    assert bits(again.scores(case.rows)) == bits(case.scorer.scores(case.rows))
    assert bits(by_kernels(again, case.rows, 2)) == bits(case.scorer.scores(case.rows))
    assert again.stored_settings() == header
    assert all(np.array_equal(again.stored_arrays()[name], array) for name, array in arrays.items())


SOUND = Case([[3.0, 4, 0], [0, 5, 0], [7, 0, 1], [0, 0, 0]], [[0], [0, 2], [1], [1]], [], 3, 3, 2, "plain").scorer


def changed(name: str, at: int, value: Any) -> Any:
    array = SOUND.stored_arrays()[name].copy()
    array[at] = value
    return array


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"k": 0}, "k is 0"),
        ({"k": True}, "k is True"),
        ({"k": "auto"}, "k is 'auto'"),
        ({"votes": "loud"}, "votes is 'loud', none of weighted, plain"),
        ({"votes": ["plain"]}, r"votes is \['plain'\]"),
        ({"more": 1}, "settings are"),
        ({"term_indptr": SOUND.postings.term_indptr[:-1]}, "arrays are for 2 terms, not for 3"),
        ({"term_indptr": SOUND.postings.term_indptr.astype(np.int32)}, "term_indptr is int32"),
        ({"term_indptr": changed("term_indptr", 0, 1)}, "term_indptr does not go from 0"),
        ({"term_indptr": changed("term_indptr", -1, 9)}, "term_indptr does not go from 0 to 5"),
        ({"term_indptr": changed("term_indptr", 1, 99)}, "term_indptr does not go from 0"),
        ({"term_indptr": changed("term_indptr", 1, -(2**63))}, "term_indptr does not go from 0"),
        ({"documents": changed("documents", 0, 4)}, "documents has numbers that are not from 0 to 3"),
        ({"documents": changed("documents", 0, -1)}, "documents has numbers"),
        ({"documents": changed("documents", 1, 0)}, "documents of a term do not ascend"),
        ({"documents": SOUND.postings.documents.astype(np.int64)}, "documents is int64"),
        ({"documents": SOUND.postings.documents.reshape(1, -1)}, "documents is int32 of shape"),
        ({"weights": SOUND.postings.weights[1:]}, "weights is float32 of shape"),
        ({"weights": changed("weights", 0, np.nan)}, "not the length 1"),
        ({"weights": changed("weights", 0, np.inf)}, "not the length 1"),
        ({"weights": changed("weights", 0, 3e38)}, "not the length 1"),
        ({"class_indptr": np.zeros(0, np.int64)}, "class_indptr is int64 of shape"),
        ({"class_indptr": np.zeros(1, np.int64)}, "class_indptr is of no document"),
        (
            {"class_indptr": np.array([0, 1, 2, 2, 3]), "classes": np.arange(3, dtype=np.int32)},
            "a document has no class",
        ),
        ({"class_indptr": changed("class_indptr", -1, 4)}, "class_indptr does not go from 0 to 5"),
        ({"classes": changed("classes", 0, 3)}, "classes has numbers that are not from 0 to 2"),
        ({"classes": changed("classes", 1, 2)}, "classes of a document do not ascend"),
        ({"classes": None}, "arrays are"),
    ],
)
def test_invalid_stored_settings_and_arrays_raise(parts: dict[str, Any], words: str) -> None:
    header = SOUND.stored_settings() | {
        name: value for name, value in parts.items() if name not in SOUND.stored_arrays()
    }
    arrays = SOUND.stored_arrays() | {name: value for name, value in parts.items() if name in SOUND.stored_arrays()}
    with pytest.raises(InputError, match=words):
        CosineKNNScorer.restore(header, {name: array for name, array in arrays.items() if array is not None}, 3, 3)


def test_a_huge_stored_k_allocates_no_memory() -> None:
    again = CosineKNNScorer.restore({"k": 10**18, "votes": "plain"}, SOUND.stored_arrays(), 3, 3)
    rows = rows_of([[1.0, 1, 1]], 3)
    assert by_kernels(again, rows, 1).tolist() == again.scores(rows).tolist() == [[2, 1, 1]]


LIGHT = """
import sys
import numpy as np
from textsieve.classifiers.cosine_knn_scorer import CosineKNNScorer
from textsieve.arrays import CSR
arrays = {
    "term_indptr": np.array([0, 1, 2]), "documents": np.array([0, 1], np.int32), "weights": np.ones(2, np.float32),
    "class_indptr": np.array([0, 1, 2]), "classes": np.array([0, 1], np.int32),
}
scorer = CosineKNNScorer.restore({"k": 1, "votes": "weighted"}, arrays, 2, 2)
rows = CSR(np.ones(3), np.array([0, 0, 1], np.int32), np.array([0, 1, 3]), 2)
assert scorer.scores(rows, n_jobs=2).argmax(axis=1).tolist() == [0, 0]
scorer.contributions(rows.indices[1:], rows.data[1:]), scorer.term_strengths()
print(" ".join(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def test_scoring_few_documents_imports_numpy_only() -> None:
    done = subprocess.run([sys.executable, "-W", "error", "-c", LIGHT], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"sklearn", "numba", "llvmlite", "scipy"}
