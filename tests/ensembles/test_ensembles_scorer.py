"""`SubspaceScorer` equals its slow twin to the last bit, for numpy, kernels, batches and stored scorers."""

import subprocess
import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from tests.reference.subspace_members_twin import Row, slow_contributions, slow_scores, voted_for

from textsieve import InputError
from textsieve.arrays import CSR
from textsieve.classifiers.scorer import scorer_type
from textsieve.ensembles import scorer as module
from textsieve.ensembles.scorer import SubspaceScorer

values = st.sampled_from([0.0, 1.0, 1.0, 2.0, 0.5, 1 / 3, -1.0, 1e-9, 700.0, 1e16])
coefficients = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 1.0, -1.0, -1.0, 0.1, 1e20, -1e20]), st.floats(-3, 3, width=32)
)
intercepts = st.one_of(st.sampled_from([0.0, 0.0, 0.0, 1.0, -1.0]), st.floats(-3, 3))


def made(known: list[list[int]], of_members: Any, n_terms: int, **others: Any) -> SubspaceScorer:
    """Return a scorer, given the terms and the coefficients of each member."""
    places = [(term, member) for term in range(n_terms) for member, own in enumerate(known) if term in own]
    own = np.array([of_members[member][term] for term, member in places], np.float32)
    n_outputs = np.shape(others["member_intercepts"])[1]
    starts = np.searchsorted([term for term, _ in places], np.arange(n_terms + 1)).astype(np.int64)
    members = np.array([member for _, member in places], np.int32)
    return SubspaceScorer(starts, members, own.reshape(len(places), n_outputs), **others)


@st.composite
def scorers(draw: st.DrawFn) -> SubspaceScorer:
    n_terms, n_members, n_classes = draw(st.integers(1, 6)), draw(st.integers(1, 5)), draw(st.integers(2, 4))
    classes = sorted(draw(st.sets(st.integers(0, n_classes - 1), min_size=2)))
    multilabel = draw(st.booleans())
    n_outputs = 1 if len(classes) == 2 and not multilabel else len(classes)
    own = st.lists(st.integers(0, n_terms - 1), unique=True)
    size = n_members * n_terms * n_outputs
    drawn = np.array(draw(st.lists(coefficients, min_size=size, max_size=size)))
    of_members = draw(st.lists(intercepts, min_size=n_members * n_outputs, max_size=n_members * n_outputs))
    return made(
        draw(st.lists(own, min_size=n_members, max_size=n_members)),
        drawn.reshape(n_members, n_terms, n_outputs),
        n_terms,
        member_intercepts=np.array(of_members, np.float64).reshape(n_members, n_outputs),
        classes=np.array(classes, np.int32),
        intercepts=np.array(draw(st.lists(intercepts, min_size=n_classes, max_size=n_classes)), np.float64),
        multilabel=multilabel,
    )


@st.composite
def cases(draw: st.DrawFn) -> tuple[SubspaceScorer, list[Row]]:
    scorer = draw(scorers())
    row = st.dictionaries(st.integers(0, scorer.n_terms - 1), values).map(lambda row: dict(sorted(row.items())))
    return scorer, draw(st.lists(row, max_size=6))


def rows_of(rows: list[Row], n_terms: int, kind: Any = np.int32) -> CSR:
    return CSR(
        np.array([value for row in rows for value in row.values()], np.float64),
        np.array([column for row in rows for column in row], kind),
        np.cumsum([0, *map(len, rows)]).astype(kind),
        n_terms,
    )


def by_kernels(scorer: SubspaceScorer, rows: CSR, n_jobs: int, rows_a_slice: int = 2, at_a_time: int = 3) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FEW_PRODUCTS", -1)
        patch.setattr(module, "_ROWS_PER_TASK", rows_a_slice)
        patch.setattr(module, "_MAX_CHOICES", at_a_time * scorer.n_members)
        return scorer.scores(rows, n_jobs)


def bits(scores: Any) -> bytes:
    return (np.asarray(scores, np.float64) + 0.0).tobytes()  # -0.0 is 0.0


@given(cases(), st.sampled_from([np.int32, np.int64]))
def test_numpy_and_kernels_equal_the_twin_to_the_last_bit(case: tuple[SubspaceScorer, list[Row]], kind: Any) -> None:
    scorer, documents = case
    rows = rows_of(documents, scorer.n_terms, kind)
    few = scorer.scores(rows)
    assert few.shape == (len(documents), scorer.n_outputs)
    assert bits(few) == bits([slow_scores(scorer, row) for row in documents])
    for n_jobs in (1, 2):
        assert bits(by_kernels(scorer, rows, n_jobs)) == bits(few)


@given(cases().filter(lambda case: not case[0].multilabel))
def test_choices_equal_the_twin(case: tuple[SubspaceScorer, list[Row]]) -> None:
    scorer, documents = case
    choices = scorer.choices(rows_of(documents, scorer.n_terms), 2)
    assert choices.shape == (len(documents), scorer.n_members)
    for row, row_choices in zip(documents, choices.tolist(), strict=True):
        votes = [voted_for(scorer, row, member) for member in range(scorer.n_members)]
        assert row_choices == [vote[0][0] if vote else -1 for vote in votes]


@given(cases(), st.data())
def test_scores_do_not_depend_on_batches(case: tuple[SubspaceScorer, list[Row]], data: st.DataObject) -> None:
    scorer, documents = case
    cuts = sorted({0, len(documents), *data.draw(st.lists(st.integers(0, len(documents)), max_size=4))})
    parts = []
    for first, last in pairwise(cuts):
        part = rows_of(documents[first:last], scorer.n_terms)
        parts.append(scorer.scores(part) if data.draw(st.booleans()) else by_kernels(scorer, part, 2))
    assert b"".join(map(bits, parts)) == bits(scorer.scores(rows_of(documents, scorer.n_terms)))


@given(cases())
def test_contributions_add_up_to_the_scores(case: tuple[SubspaceScorer, list[Row]]) -> None:
    scorer, documents = case
    scores = scorer.scores(rows_of(documents, scorer.n_terms))
    for row, expected in zip(documents, scores, strict=True):
        document = rows_of([row], scorer.n_terms)
        parts = scorer.contributions(document.indices, document.data)
        assert parts.shape == (len(row), scorer.n_outputs)
        total = parts.cumsum(axis=0)[-1] if len(parts) else np.zeros(scorer.n_outputs)
        assert bits(total + scorer.intercepts) == bits(expected)
        slow = slow_contributions(scorer, row)
        for column, part in zip(row, parts, strict=True):
            assert part == pytest.approx(slow[column], abs=1e-7)


def test_contributions_to_many_votes_on_long_rows_add_up() -> None:
    random = np.random.default_rng(0)
    n_terms, n_members, n_classes = 400, 300, 5
    known = [sorted(random.choice(n_terms, 120, replace=False).tolist()) for _ in range(n_members)]
    scorer = made(
        known,
        random.normal(size=(n_members, n_terms, n_classes)),
        n_terms,
        member_intercepts=random.normal(size=(n_members, n_classes)),
        classes=np.arange(n_classes, dtype=np.int32),
        intercepts=np.full(n_classes, 0.1),
        multilabel=False,
    )
    dense = np.where(random.random((70, n_terms)) < 0.2, random.random((70, n_terms)), 0.0)
    rows = CSR.of(csr_matrix(dense))
    scores = scorer.scores(rows)
    assert (scores - 0.1).sum(axis=1) == pytest.approx(n_members)
    for slices in ((1, 1), (7, 64), (64, 10)):
        assert bits(by_kernels(scorer, rows, 3, *slices)) == bits(scores)
    small = CSR.of(csr_matrix(dense.astype(np.float32)))
    assert bits(by_kernels(scorer, small, 1)) == bits(scorer.scores(small))
    for row in range(5):
        own = slice(rows.indptr[row], rows.indptr[row + 1])
        parts = scorer.contributions(rows.indices[own], rows.data[own])
        assert bits(parts.cumsum(axis=0)[-1] + scorer.intercepts) == bits(scores[row])


def by_hand(multilabel: bool = False) -> SubspaceScorer:
    """Return a scorer of two members, with the terms 0 and 1, and 1 and 2; they vote for the classes 0 and 2."""
    of_members: Any = np.zeros((2, 3, 2 if multilabel else 1))
    of_members[0, 0], of_members[0, 1], of_members[1, 1], of_members[1, 2] = 3.0, 1.0, 2.0, -4.0
    return made(
        [[0, 1], [1, 2]],
        of_members,
        3,
        member_intercepts=np.array([[-1.0], [1.0]]) if not multilabel else np.array([[-1.0, 0.5], [1.0, 0.5]]),
        classes=np.array([0, 2], np.int32),
        intercepts=np.array([0.0, -2.0, 0.0]) if multilabel else np.array([0.1, 0.0, 0.2]),
        multilabel=multilabel,
    )


def test_a_small_example_computed_by_hand() -> None:
    scorer = by_hand()
    rows = rows_of([{0: 1.0, 1: 1.0}, {2: 1.0}, {0: 0.25}, {}, {1: 0.0}], 3)
    # Who votes: both (3 + 1 - 1 > 0, 2 + 1 > 0); the second (1 - 4 < 0); the first (0.75 - 1 < 0); none; none
    assert scorer.scores(rows).tolist() == [[0.1, 0, 2.2], [1.1, 0, 0.2], [1.1, 0, 0.2], [0.1, 0, 0.2], [0.1, 0, 0.2]]
    assert scorer.choices(rows).tolist() == [[2, 2], [-1, 0], [0, -1], [-1, -1], [-1, -1]]
    parts = scorer.contributions(np.array([0, 1]), np.array([1.0, 1.0]))
    assert parts.tolist() == [[0, 0, 0.75], [0, 0, 1.25]]
    # the only term of the third document favours class 2, but the member votes for class 0; the term gets that vote
    assert scorer.contributions(np.array([0]), np.array([0.25])).tolist() == [[1.0, 0, 0]]


def test_a_multilabel_example_computed_by_hand() -> None:
    scorer = by_hand(multilabel=True)
    rows = rows_of([{0: 1.0, 1: 1.0}, {2: 1.0}, {0: 0.25}, {}], 3)
    # a score above 0 is a majority of the members that know a term
    assert scorer.scores(rows).tolist() == [[1, -2, 1], [-0.5, -2, -0.5], [-0.5, -2, 0.5], [0, -2, 0]]


def test_term_strengths_are_means_of_coefficients() -> None:
    assert by_hand().term_strengths().tolist() == [[-1.5, 0, 1.5], [-1.5, 0, 1.5], [2, 0, -2]]
    assert by_hand(multilabel=True).term_strengths().tolist() == [[1.5, 0, 1.5], [1.5, 0, 1.5], [-2, 0, -2]]


def test_many_products_use_kernels_and_few_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    ways = []
    monkeypatch.setattr(SubspaceScorer, "_votes_of_few", lambda self, rows: ways.append("few") or 0.0)  # type: ignore[func-returns-value]
    monkeypatch.setattr(SubspaceScorer, "_votes_of_many", lambda self, rows, threads: ways.append("many") or 0.0)  # type: ignore[func-returns-value]
    monkeypatch.setattr(module, "FEW_PRODUCTS", 3)
    scorer = by_hand()
    for row in ({}, {0: 1.0, 1: 1.0}, {1: 1.0, 2: 1.0}, {0: 1.0, 1: 1.0, 2: 1.0}):
        scorer.scores(rows_of([row], 3))
    assert ways == ["few", "few", "few", "many"]


def test_rows_of_another_width_and_invalid_n_jobs_raise() -> None:
    rows = rows_of([{0: 1.0}], 3)
    with pytest.raises(InputError, match="4 columns, but there are 3 terms"):
        by_hand().scores(rows._replace(n_columns=4))
    with pytest.raises(InputError, match="n_jobs=0"):
        by_hand().scores(rows, 0)


# -- storing -----------------------------------------------------------------------------------------------------------


@given(cases())
def test_a_restored_scorer_scores_the_same(case: tuple[SubspaceScorer, list[Row]]) -> None:
    scorer, documents = case
    rows = rows_of(documents, scorer.n_terms)
    header, arrays = scorer.stored_settings(), scorer.stored_arrays()
    for array in arrays.values():
        assert array.dtype in (np.int32, np.int64, np.float32, np.float64)
        assert array.flags.c_contiguous
        array.flags.writeable = False  # as arrays from a file are
    again = SubspaceScorer.restore(header, arrays, scorer.n_terms, scorer.n_outputs)
    assert bits(again.scores(rows)) == bits(scorer.scores(rows)) == bits(by_kernels(again, rows, 2))
    assert again.stored_settings() == header
    assert all(again.stored_arrays()[name].tobytes() == array.tobytes() for name, array in arrays.items())


def test_the_kind_is_registered() -> None:
    assert scorer_type(SubspaceScorer.kind) is SubspaceScorer


SOUND, SEVERAL = by_hand(), by_hand(multilabel=True)


def changed(name: str, at: Any, value: Any, of: SubspaceScorer = SOUND) -> Any:
    array = of.stored_arrays()[name].copy()
    array[at] = value
    return array


def numbers(*given_numbers: int) -> Any:
    return np.array(given_numbers, np.int32)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"multilabel": 0}, "multilabel is 0, neither true nor false"),
        ({"multilabel": None}, "multilabel is None"),
        ({"multilabel": "true"}, "multilabel is 'true'"),
        ({"multilabel": True}, "member_intercepts has 1 columns for 2 classes"),
        ({"more": 1}, "settings are"),
        ({"term_indptr": SOUND.term_indptr[:-1]}, "arrays are for 2 terms, not for 3"),
        ({"term_indptr": SOUND.term_indptr.astype(np.int32)}, "term_indptr is int32"),
        ({"term_indptr": changed("term_indptr", 0, 1)}, "term_indptr does not go from 0"),
        ({"term_indptr": changed("term_indptr", -1, 5)}, "term_indptr does not go from 0 to 4"),
        ({"term_indptr": changed("term_indptr", 1, 99)}, "term_indptr does not go from 0"),
        ({"term_indptr": changed("term_indptr", 1, -(2**63))}, "term_indptr does not go from 0"),
        ({"members": changed("members", 0, 2)}, "members has numbers that are not from 0 to 1"),
        ({"members": changed("members", 0, -1)}, "members has numbers"),
        ({"members": changed("members", 2, 0)}, "members that have a term do not ascend"),
        ({"members": changed("members", [1, 2], [1, 0])}, "members that have a term do not ascend"),
        ({"members": SOUND.members.astype(np.int64)}, "members is int64"),
        ({"members": SOUND.members.reshape(2, 2)}, "members is int32 of shape"),
        ({"members": SOUND.members[:-1]}, "coefficients is float32 of shape"),
        ({"coefficients": SOUND.coefficients[:-1]}, "coefficients is float32 of shape"),
        ({"coefficients": SOUND.coefficients.ravel()}, "coefficients is float32 of shape"),
        ({"coefficients": np.zeros((4, 2), np.float32)}, "member_intercepts is float64 of shape"),
        ({"coefficients": SOUND.coefficients.astype(np.float64)}, "coefficients is float64"),
        ({"coefficients": changed("coefficients", 0, np.nan)}, "coefficients are not all finite"),
        ({"coefficients": changed("coefficients", 0, -np.inf)}, "coefficients are not all finite"),
        ({"member_intercepts": np.zeros((0, 1))}, "member_intercepts has no member"),
        ({"member_intercepts": np.zeros((2, 2))}, "member_intercepts is float64 of shape"),
        ({"member_intercepts": np.zeros((2, 0))}, "member_intercepts is float64 of shape"),
        ({"member_intercepts": np.zeros(2)}, "member_intercepts is float64 of shape"),
        ({"member_intercepts": np.array(1.0)}, "member_intercepts is float64 of shape"),
        ({"member_intercepts": np.zeros((2, 1, 1))}, "member_intercepts is float64 of shape"),
        ({"member_intercepts": np.zeros((1, 1))}, "members has numbers that are not from 0 to 0"),
        ({"member_intercepts": np.zeros((2, 1), np.float32)}, "member_intercepts is float32"),
        ({"member_intercepts": changed("member_intercepts", 0, np.nan)}, "member_intercepts are not all finite"),
        ({"classes": numbers(2, 0)}, "classes do not ascend"),
        ({"classes": numbers(1, 1)}, "classes do not ascend"),
        ({"classes": numbers(0, 3)}, "classes has numbers that are not from 0 to 2"),
        ({"classes": numbers(-1, 2)}, "classes has numbers"),
        ({"classes": numbers(0)}, "fewer than two classes"),
        ({"classes": numbers()}, "fewer than two classes"),
        ({"classes": numbers(0, 1, 2)}, "member_intercepts has 1 columns for 3 classes"),
        ({"classes": np.array([[0, 2]], np.int32)}, "classes is int32 of shape"),
        ({"classes": np.array([0, 2])}, "classes is int64"),
        ({"intercepts": np.zeros(2)}, "intercepts is float64 of shape"),
        ({"intercepts": np.zeros(3, np.float32)}, "intercepts is float32"),
        ({"intercepts": changed("intercepts", 0, np.inf)}, "^intercepts are not all finite"),
        ({"classes": None}, "arrays are"),
        ({"term_indptr": None}, "arrays are"),
    ],
)
def test_invalid_stored_settings_and_arrays_raise(parts: dict[str, Any], words: str) -> None:
    header = SOUND.stored_settings() | {
        name: value for name, value in parts.items() if name not in SOUND.stored_arrays()
    }
    arrays = SOUND.stored_arrays() | {name: value for name, value in parts.items() if name in SOUND.stored_arrays()}
    with pytest.raises(InputError, match=words):
        SubspaceScorer.restore(header, {name: array for name, array in arrays.items() if array is not None}, 3, 3)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"classes": numbers(1), "member_intercepts": np.zeros((2, 1)), "coefficients": np.zeros((4, 1), np.float32)},
         "fewer than two classes"),
        ({"classes": numbers(), "member_intercepts": np.zeros((2, 0)), "coefficients": np.zeros((4, 0), np.float32)},
         "fewer than two classes"),
        ({"member_intercepts": np.zeros((2, 1))}, "member_intercepts is float64 of shape"),
    ],
)  # fmt: skip
def test_invalid_stored_multilabel_arrays_raise(parts: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        SubspaceScorer.restore({"multilabel": True}, SEVERAL.stored_arrays() | parts, 3, 3)


def test_other_numbers_of_terms_and_classes_raise() -> None:
    with pytest.raises(InputError, match="arrays are for 3 terms, not for 4"):
        SubspaceScorer.restore(SOUND.stored_settings(), SOUND.stored_arrays(), 4, 3)
    with pytest.raises(InputError, match="intercepts"):
        SubspaceScorer.restore(SOUND.stored_settings(), SOUND.stored_arrays(), 3, 2)


LIGHT = """
import sys
import numpy as np
from textsieve.ensembles.scorer import SubspaceScorer
from textsieve.arrays import CSR
arrays = {
    "term_indptr": np.array([0, 1, 2]), "members": np.array([0, 0], np.int32), "intercepts": np.array([0.3, 0.2]),
    "coefficients": np.array([[1], [-2]], np.float32), "member_intercepts": np.zeros((1, 1)),
    "classes": np.array([0, 1], np.int32),
}
scorer = SubspaceScorer.restore({"multilabel": False}, arrays, 2, 2)
rows = CSR(np.ones(3), np.array([0, 0, 1], np.int32), np.array([0, 1, 3]), 2)
assert scorer.scores(rows, n_jobs=2).argmax(axis=1).tolist() == [1, 0]
scorer.contributions(rows.indices[1:], rows.data[1:]), scorer.term_strengths()
print(" ".join(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def test_scoring_few_documents_imports_numpy_only() -> None:
    done = subprocess.run([sys.executable, "-W", "error", "-c", LIGHT], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"sklearn", "numba", "llvmlite", "scipy"}
