"""Limits, ties and round-robin determine the selected terms; all ways of fitting agree."""

import warnings
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from tests.reference import selectors_twin as exact
from tests.reference.selectors_cases import fit_any
from tests.reference.stats_cases import Case, any_weights, cases

from textsieve import (
    OCFS,
    ChiSquare,
    ClassStats,
    DocumentFrequency,
    InformationGain,
    InputError,
    MutualInformation,
)
from textsieve.selectors import TermSelector
from textsieve.selectors.pooled import best_of_class
from textsieve.selectors.trace import energy_curve, terms_for_energy

LABELLED: list[Any] = [OCFS, InformationGain, ChiSquare, MutualInformation]
EVERY: list[Any] = [DocumentFrequency, *LABELLED]
POOLED: list[Any] = [InformationGain, ChiSquare, MutualInformation]

# Document frequencies 5, 4, 3, 2, 1 and 1; classes a, b, c.
ROWS = np.array(
    [[1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 0, 0], [1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0], [0] * 6]
)
LABELS = ["a", "a", "b", "b", "c", "c"]


def by_score(scores: Any) -> list[int]:
    """Rank columns by score; of equal scores, the lower column comes first."""
    return sorted(range(len(scores)), key=lambda column: (-scores[column], column))


@pytest.mark.parametrize("method", EVERY)
@given(case=cases(max_terms=8, n_labels=(1, 2)))
def test_the_best_score_ranks_first_and_ties_go_to_the_lower_column(method: Any, case: Case) -> None:
    selector = fit_any(method(k="all"), case.matrix(), case.label_sets)
    assert selector.ranking_.tolist() == by_score(selector.scores_.tolist())


@pytest.mark.parametrize("method", LABELLED)
@given(case=cases(max_terms=4, n_labels=(1, 1)), again=st.integers(2, 4))
def test_columns_with_the_same_documents_tie(method: Any, case: Case, again: int) -> None:
    repeated = np.tile(case.rows, again)
    selector = fit_any(method(k="all"), repeated, case.label_sets)
    n_terms = case.rows.shape[1]
    for term in range(n_terms):
        same = selector.scores_[term::n_terms]
        assert (same == same[0]).all()
        ranks = [selector.ranking_.tolist().index(column) for column in range(term, len(selector.scores_), n_terms)]
        assert len(ranks) == again
        assert ranks == sorted(ranks)


def test_terms_of_one_class_alone_tie_in_mutual_information() -> None:
    """Each term has the score log n/n_j at any frequency. A rounded quotient n/n_j would break ties at random."""
    for n, size in ((49, 47), (103, 10), (77, 13), (1000, 333)):
        rows = np.tril(np.ones((size, size), np.int64))
        rows = np.vstack([rows, np.zeros((n - size, size), np.int64)])
        selector = MutualInformation(k="all", pooling="max").fit(rows, [1] * size + [0] * (n - size))
        assert len(set(selector.scores_.tolist())) == 1
        assert selector.ranking_.tolist() == list(range(size))


@pytest.mark.parametrize("method", POOLED)
@given(case=cases(max_terms=8, n_labels=(1, 2)), k=st.integers(1, 8))
def test_classes_take_turns(method: Any, case: Case, k: int) -> None:
    n_terms = case.rows.shape[1]
    assume(k <= n_terms)
    selector = fit_any(method(k=k, pooling="round-robin"), case.matrix(), case.label_sets)
    first = exact.round_robin(selector.class_scores_.tolist(), k)
    assert selector.ranking_[:k].tolist() == first
    assert selector.get_support(indices=True).tolist() == sorted(first)
    rest = [column for column in by_score(selector.scores_.tolist()) if column not in first]
    assert selector.ranking_[k:].tolist() == rest


def test_a_rare_class_gets_its_turn() -> None:
    rows = np.zeros((40, 5), np.int64)
    rows[:19, 0] = rows[:18, 1] = rows[19:38, 2] = rows[19:37, 3] = 1
    rows[39, 4] = 1
    labels = ["big"] * 19 + ["large"] * 19 + ["rare"] * 2
    by_max = ChiSquare(k=3, pooling="max").fit(rows, labels)
    in_turn = ChiSquare(k=3, pooling="round-robin").fit(rows, labels)
    assert 4 not in by_max.get_support(indices=True)
    assert in_turn.ranking_[:3].tolist() == [0, 2, 4]
    assert in_turn.scores_.tolist() == by_max.scores_.tolist()


@given(st.lists(st.integers(0, 3).map(float), min_size=1, max_size=9), st.integers(1, 9), st.sets(st.integers(0, 8)))
def test_best_of_class_is_the_head_of_the_ranking(scores: list[float], k: int, likely: set[int]) -> None:
    k = min(k, len(scores))
    some = np.array(sorted(place for place in likely if place < len(scores)), np.int64)
    assert best_of_class(np.array(scores), k, some).tolist() == by_score(scores)[:k]


# -- limits --------------------------------------------------------------------------------------------------------


def selected_columns(selector: Any) -> list[int]:
    columns: list[int] = selector.fit(ROWS, LABELS).get_support(indices=True).tolist()
    return columns


@pytest.mark.parametrize("method", EVERY)
@pytest.mark.parametrize(
    ("k", "size"), [(1, 1), (4, 4), (np.int64(2), 2), (6, 6), (0.5, 3), (1.0, 6), (0.01, 1), (0.34, 2), ("all", 6)]
)
def test_k_is_a_number_a_share_or_all(method: Any, k: Any, size: int) -> None:
    selector = method(k=k).fit(ROWS, LABELS)
    assert selector.get_support().sum() == size
    assert sorted(selector.ranking_[:size]) == selector.get_support(indices=True).tolist()
    assert len(selector.ranking_) == 6


@pytest.mark.parametrize("method", LABELLED)
def test_the_default_is_a_thousand_terms(method: Any) -> None:
    rng = np.random.default_rng(0)
    rows = sparse.csr_array(rng.integers(0, 2, (10, 1500)))
    selector = method().fit(rows, ["a", "b"] * 5)
    assert sorted(selector.ranking_[:1000]) == selector.get_support(indices=True).tolist()
    assert method(min_score=-99).fit(rows, ["a", "b"] * 5).get_support().sum() == 1500


def test_all_terms_are_selected_if_there_are_fewer_than_the_default() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert selected_columns(OCFS()) == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("method", "settings"),
    [*((method, {}) for method in EVERY), *((method, {"pooling": "round-robin"}) for method in POOLED)],
)
def test_k_above_the_number_of_terms_selects_all_with_one_warning(method: Any, settings: dict[str, Any]) -> None:
    with pytest.warns(UserWarning, match=r"k=1234, but there are 6 terms; all of them are kept") as caught:
        selector = method(k=1234, **settings).fit(ROWS, LABELS)
    assert [warning.filename for warning in caught] == [__file__]
    assert selector.get_support().all()


@pytest.mark.parametrize("method", EVERY)
@pytest.mark.parametrize("k", [0, -1, 0.0, 1.5, -0.5, "many", "", True, float("nan"), [3], 2.0])
def test_invalid_k_raises(method: Any, k: Any) -> None:
    with pytest.raises(
        InputError, match=r"k=.*; use a number of terms from 1, a share above 0.0 and up to 1.0, or 'all'"
    ):
        method(k=k).fit(ROWS, LABELS)


@pytest.mark.parametrize("method", LABELLED)
def test_min_score(method: Any) -> None:
    scores = method(k="all").fit(ROWS, LABELS).scores_
    for least in [*scores.tolist(), 0, -1.0, 1e9]:
        assert selected_columns(method(min_score=least)) == np.flatnonzero(scores >= least).tolist()
        best_two = by_score(scores.tolist())[:2]
        assert selected_columns(method(k=2, min_score=least)) == sorted(
            column for column in best_two if scores[column] >= least
        )


@pytest.mark.parametrize("method", LABELLED)
@pytest.mark.parametrize("least", ["high", float("nan"), float("inf"), [1]])
def test_invalid_min_score_raises(method: Any, least: Any) -> None:
    with pytest.raises(InputError, match=r"min_score=.*; use a number"):
        method(min_score=least).fit(ROWS, LABELS)


@pytest.mark.parametrize(
    ("least", "expected"),
    [
        (0, [0, 1, 2, 3, 4, 5]),
        (1, [0, 1, 2, 3, 4, 5]),
        (2, [0, 1, 2, 3]),
        (np.int32(4), [0, 1]),
        (5, [0]),
        (6, []),
        (0.0, [0, 1, 2, 3, 4, 5]),
        (0.5, [0, 1, 2]),
        (0.51, [0, 1]),
        (2 / 6, [0, 1, 2, 3]),
        (1.0, []),
    ],
)
def test_min_df(least: Any, expected: list[int]) -> None:
    assert selected_columns(DocumentFrequency(min_df=least)) == expected
    assert selected_columns(DocumentFrequency(min_df=least, k=2)) == expected[:2]


@pytest.mark.parametrize("least", [-1, -0.1, 1.1, "few", None, float("nan"), True])
def test_invalid_min_df_raises(least: Any) -> None:
    with pytest.raises(InputError, match=r"min_df=.*; use a number of documents, or a share from 0.0 to 1.0"):
        DocumentFrequency(min_df=least).fit(ROWS)


@given(cases(any_weights, max_terms=8, n_labels=(1, 1)), st.sampled_from([0.1, 0.5, 0.6, 0.8, 0.99, 1.0, 1]))
def test_energy_selects_the_fewest_terms_that_reach_it(case: Case, energy: float) -> None:
    assume(len(set(case.label_sets)) > 1)
    selector = OCFS(energy=energy).fit(case.matrix(), case.label_sets)
    scores = selector.scores_[selector.ranking_]
    size = int(selector.get_support().sum())
    assert sorted(selector.ranking_[:size]) == selector.get_support(indices=True).tolist()
    total = scores.sum()
    assert scores[:size].sum() >= energy * total * (1 - 1e-12)
    assert size == 1 or scores[: size - 1].sum() < energy * total * (1 + 1e-12)


def test_energy_with_other_limits() -> None:
    rows, labels = np.array([[4.0, 3, 2, 1, 0], [0, 0, 0, 0, 0]]), ["a", "b"]  # scores 4, 2.25, 1, .25, 0 of 7.5
    selections = {
        (energy, k, least): OCFS(energy=energy, k=k, min_score=least)
        .fit(rows, labels)
        .get_support(indices=True)
        .tolist()
        for energy, k, least in [
            (0.8, None, None),
            (0.8, 1, None),
            (0.8, "all", None),
            (0.99, 0.4, None),
            (1.0, None, None),
            (0.99, None, 1.0),
            (0.1, 5, None),
            (0.5, None, 5.0),
        ]
    }
    assert list(selections.values()) == [[0, 1], [0], [0, 1], [0, 1], [0, 1, 2, 3], [0, 1, 2], [0], []]


def test_energy_curve() -> None:
    assert energy_curve(np.array([3.0, 1.0, 0.0])).tolist() == [0.75, 1.0, 1.0]
    assert energy_curve(np.zeros(2)).tolist() == [1.0, 1.0]
    assert energy_curve(np.zeros(0)).tolist() == []
    sizes = [terms_for_energy(np.array([3.0, 1.0, 0.0]), energy) for energy in (0.1, 0.75, 0.76, 1.0)]
    assert sizes == [1, 1, 2, 2]
    assert terms_for_energy(np.zeros(0), 0.5) == 0


@pytest.mark.parametrize("energy", [0, 0.0, -0.1, 1.1, 80, "most", float("nan"), [0.5]])
def test_invalid_energy_raises(energy: Any) -> None:
    with pytest.raises(InputError, match=r"energy=.*; use a share above 0.0 and up to 1.0"):
        OCFS(energy=energy).fit(ROWS, LABELS)


@pytest.mark.parametrize("method", POOLED)
def test_invalid_pooling_raises(method: Any) -> None:
    with pytest.raises(InputError) as caught:
        method(pooling="median").fit(ROWS, LABELS)
    allowed = ["mean", "max", "round-robin", *(["joint"] if method is InformationGain else [])]
    assert str(caught.value).startswith("pooling='median'; use one of ")
    assert all(repr(name) in str(caught.value) for name in allowed)
    if method is not InformationGain:
        with pytest.raises(InputError, match="'joint'"):
            method(pooling="joint").fit(ROWS, LABELS)


# -- ways of fitting -----------------------------------------------------------------------------------------------

SELECTORS: list[TermSelector] = [
    DocumentFrequency(min_df=2),
    OCFS(k=2),
    OCFS(energy=0.7),
    InformationGain(k=2),
    InformationGain(k=2, pooling="round-robin"),
    ChiSquare(k=2),
    ChiSquare(min_score=0.5, pooling="max"),
    MutualInformation(k=0.5),
]


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
@pytest.mark.parametrize("pieces", [1, 2, 3, 6])
def test_fit_and_fit_stats_and_pieces_agree(selector: Any, pieces: int) -> None:
    fitted = clone(selector).fit(ROWS, LABELS)
    stats = ClassStats.from_matrix(ROWS, LABELS)
    from_stats = clone(selector).fit_stats(stats)
    in_pieces = clone(selector)
    for part in np.array_split(np.arange(6), pieces):
        assert in_pieces.partial_fit(sparse.csr_array(ROWS[part]), [LABELS[row] for row in part]) is in_pieces
    for other in (
        from_stats,
        in_pieces,
        deepcopy(in_pieces),
        clone(selector).fit(ROWS.tolist(), LABELS),
    ):
        assert other.scores_.tolist() == fitted.scores_.tolist()
        assert other.ranking_.tolist() == fitted.ranking_.tolist()
        assert other.get_support().tolist() == fitted.get_support().tolist()
        assert other.classes_.tolist() == ["a", "b", "c"]
        assert other.n_features_in_ == 6
        assert (other.transform(sparse.csr_array(ROWS)) != fitted.transform(sparse.csr_array(ROWS))).nnz == 0
    from_stats.partial_fit(ROWS, LABELS)
    assert stats.n_documents == 6  # partial_fit does not change the given statistics


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_reading_between_batches_changes_nothing(selector: Any) -> None:
    in_pieces = clone(selector)
    for row in range(6):
        in_pieces.partial_fit(ROWS[[row]], [LABELS[row]])
        if selector._needs_labels() and len(set(LABELS[: row + 1])) == 1:
            with pytest.raises(InputError, match="Only one class"):
                in_pieces.get_support()
        else:
            assert len(in_pieces.scores_) == 6
            in_pieces.get_support()
    assert in_pieces.scores_.tolist() == clone(selector).fit(ROWS, LABELS).scores_.tolist()
    assert in_pieces.get_support().tolist() == clone(selector).fit(ROWS, LABELS).get_support().tolist()


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_later_batches_may_have_more_columns(selector: Any) -> None:
    growing = clone(selector).partial_fit(ROWS[:3, :4], LABELS[:3])
    assert growing.n_features_in_ == len(growing.scores_) == 4
    growing.partial_fit(ROWS[3:], LABELS[3:])
    padded = ROWS.copy()
    padded[:3, 4:] = 0
    whole = clone(selector).fit(padded, LABELS)
    assert growing.n_features_in_ == 6
    assert growing.scores_.tolist() == whole.scores_.tolist()
    assert growing.get_support().tolist() == whole.get_support().tolist()
    with pytest.raises(ValueError, match=r"4 features.*expecting 6"):
        growing.partial_fit(ROWS[:, :4], LABELS)


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_fit_replaces_earlier_results(selector: Any) -> None:
    again = clone(selector).fit(ROWS[::-1], ["x"] * 3 + ["y"] * 3).fit(ROWS, LABELS)
    assert again.scores_.tolist() == clone(selector).fit(ROWS, LABELS).scores_.tolist()
    assert again.classes_.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("method", LABELLED)
def test_unlabelled_documents_change_no_score_about_classes(method: Any) -> None:
    labelled = method(k="all").fit(ROWS, LABELS)
    more = method(k="all").fit(np.vstack([ROWS, ROWS]), LABELS + [None] * 6)
    assert more.scores_.tolist() == labelled.scores_.tolist()
    assert more.stats_.n_documents == 12


def test_unlabelled_documents_count_for_document_frequency() -> None:
    assert DocumentFrequency().fit(ROWS, ["a", None, None, "", "b", "b"]).scores_.tolist() == [5, 4, 3, 2, 1, 1]
    assert DocumentFrequency().fit(ROWS).scores_.tolist() == [5, 4, 3, 2, 1, 1]
    for labels in (
        None,
        ["a", None, None, "", "b", "b"],
        [["a", "b"]] * 6,
    ):  # a share counts documents, not pairs of document and label
        half = DocumentFrequency(min_df=0.5).fit(ROWS, labels)
        assert half.get_support(indices=True).tolist() == [0, 1, 2]


@pytest.mark.parametrize("method", LABELLED)
def test_fewer_than_two_classes_raise(method: Any) -> None:
    with pytest.raises(
        InputError, match=r"(?s)Only one class, 'spam'.*at least two classes.*2 documents have no label"
    ):
        method().fit(ROWS, ["spam"] * 4 + [None] * 2)
    with pytest.raises(InputError, match="No document has a label"):
        method().fit(ROWS, [None] * 6)
    with pytest.raises(InputError, match="requires y to be passed, but the target y is None"):
        method().fit(ROWS)
    with pytest.raises(InputError, match="There are no documents"):
        method().fit_stats(ClassStats.zero(3))
    with pytest.raises(InputError, match="6 documents but 5 labels"):
        method().fit(ROWS, LABELS[:5])
    with pytest.raises(InputError, match="Only one class, 7"):
        method().fit_stats(ClassStats.from_matrix(ROWS, [7] * 6))


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
@pytest.mark.parametrize("name", ["scores_", "ranking_", "classes_"])
def test_attributes_raise_before_fitting(selector: Any, name: str) -> None:
    with pytest.raises(NotFittedError, match="not fitted"):
        getattr(clone(selector), name)
    with pytest.raises(NotFittedError):
        clone(selector).transform(ROWS)
    with pytest.raises(NotFittedError):
        clone(selector).get_support()
    with pytest.raises(NotFittedError):
        next(clone(selector).best_by_class(1))


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("kind", [np.int64, np.float32, np.float64])
def test_transform_keeps_the_matrix_type(form: Any, kind: Any) -> None:
    selector = OCFS(k=3).fit(form(ROWS.astype(kind)), LABELS)
    columns = selector.get_support(indices=True)
    result = selector.transform(form(ROWS.astype(kind)))
    assert sparse.issparse(result)
    assert isinstance(result, form)
    assert (result.format, result.dtype, result.shape) == ("csr", kind, (6, 3))
    assert np.array_equal(result.toarray(), ROWS[:, columns])
    dense = selector.transform(ROWS)
    assert isinstance(dense, np.ndarray)
    assert np.array_equal(dense, ROWS[:, columns])
    back = selector.inverse_transform(result).toarray()
    assert np.array_equal(back[:, columns], ROWS[:, columns])
    assert back.shape == ROWS.shape


def test_feature_names_of_the_selected_terms() -> None:
    selector = DocumentFrequency(min_df=3).fit(ROWS)
    names = ["the", "of", "and", "fish", "cat", "dog"]
    assert selector.get_feature_names_out(names).tolist() == ["the", "of", "and"]
    assert selector.get_feature_names_out().tolist() == ["x0", "x1", "x2"]
    with pytest.raises(ValueError, match="input_features"):
        selector.get_feature_names_out(names[:3])


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_fit_does_not_change_its_input(selector: Any) -> None:
    rows = sparse.csr_array((np.array([1.0, 0.0, 2.0]), np.array([2, 0, 1]), np.array([0, 2, 3])), shape=(2, 3))
    before = rows.copy()
    clone(selector).fit(rows, ["a", "b"]).scores_.sum()
    for name in ("data", "indices", "indptr"):
        assert getattr(rows, name).tolist() == getattr(before, name).tolist()
