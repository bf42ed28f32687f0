"""A cascade equals its selectors applied one after the other by hand."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from textsieve import OCFS, Cascade, ChiSquare, ClassStats, DocumentFrequency, InformationGain, InputError
from textsieve.selectors import TermSelector

STAGES = st.sampled_from(
    [
        DocumentFrequency(min_df=2),
        DocumentFrequency(k=0.7),
        OCFS(k=0.5),
        OCFS(energy=0.9),
        InformationGain(k=0.6),
        InformationGain(k=0.6, pooling="round-robin"),
        ChiSquare(k=0.8, pooling="max"),
        Cascade([DocumentFrequency(k=0.9), OCFS(k=0.9)]),
    ]
)


def collection(seed: int, n_terms: int = 14) -> tuple[Any, list[str]]:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 3, (25, n_terms)) * rng.integers(0, 2, (25, n_terms))
    rows[:3] = 1  # every term is in three documents, so each stage selects some
    return sparse.csr_array(rows), [str(label) for label in rng.integers(0, 3, 25)]


@given(st.lists(STAGES, min_size=1, max_size=4), st.integers(0, 50))
def test_by_hand(stages: list[TermSelector], seed: int) -> None:
    rows, labels = collection(seed)
    cascade = Cascade(stages).fit(rows, labels)
    columns = np.arange(rows.shape[1])
    groups: list[list[int]] = []
    for stage in stages:
        by_hand: Any = clone(stage).fit(rows[:, columns], labels)
        support = by_hand.get_support()
        groups.append([column for column in columns[by_hand.ranking_] if column not in columns[support]])
        best_first = [column for column in columns[by_hand.ranking_] if column in columns[support]]
        scores = dict(zip(columns.tolist(), by_hand.scores_.tolist(), strict=True))
        columns = columns[support]
    assert cascade.get_support(indices=True).tolist() == columns.tolist()
    expected_ranking = best_first + [column for group in reversed(groups) for column in group]
    assert cascade.ranking_.tolist() == expected_ranking
    assert sorted(cascade.ranking_) == list(range(rows.shape[1]))
    expected_scores = [scores.get(column, -np.inf) for column in range(rows.shape[1])]
    assert cascade.scores_.tolist() == expected_scores
    assert (cascade.transform(rows) != rows[:, columns]).nnz == 0
    assert len(cascade.selectors_) == len(stages)


def test_fit_and_statistics_and_pieces_agree() -> None:
    rows, labels = collection(3)
    chain = Cascade([DocumentFrequency(min_df=5), InformationGain(k=8), OCFS(k=4)])
    whole = clone(chain).fit(rows, labels)
    from_stats = clone(chain).fit_stats(ClassStats.from_matrix(rows, labels))
    pieces = clone(chain)
    for start in range(0, 25, 4):
        pieces.partial_fit(rows[start : start + 4], labels[start : start + 4])
    for other in (from_stats, pieces):
        assert other.ranking_.tolist() == whole.ranking_.tolist()
        assert other.scores_.tolist() == whole.scores_.tolist()
        assert other.get_support().sum() == 4
    assert pieces.classes_.tolist() == ["0", "1", "2"]


def test_a_cascade_at_the_end_of_a_cascade_ranks_terms_of_classes_as_a_flat_one() -> None:
    rows, labels = collection(3)
    first, second, third = DocumentFrequency(min_df=5), InformationGain(k=8), OCFS(k=4)
    flat = Cascade([first, second, third]).fit(rows, labels)
    nested = Cascade([first, Cascade([second, third])]).fit(rows, labels)
    assert nested.ranking_.tolist() == flat.ranking_.tolist()
    for (columns, scores), (expected_columns, expected_scores) in zip(
        nested.best_by_class(4), flat.best_by_class(4), strict=True
    ):
        assert columns.tolist() == expected_columns.tolist()
        assert scores.tolist() == expected_scores.tolist()


def test_scores_of_classes_follow_documents_that_are_added_later() -> None:
    rows, labels = collection(3)
    selectors = [DocumentFrequency(min_df=2), OCFS(k=4)]
    expected = [columns.tolist() for columns, _ in Cascade(selectors).fit(rows, labels).best_by_class(3)]
    at_once = Cascade(selectors).partial_fit(rows, labels)
    assert [columns.tolist() for columns, _ in at_once.best_by_class(3)] == expected
    in_parts = Cascade(selectors).fit(rows[:12], labels[:12])
    before = [columns.tolist() for columns, _ in in_parts.best_by_class(3)]
    in_parts.partial_fit(rows[12:], labels[12:])
    assert [columns.tolist() for columns, _ in in_parts.best_by_class(3)] == expected
    assert before != expected


def test_the_given_selectors_stay_unfitted() -> None:
    stages = [DocumentFrequency(min_df=2), OCFS(k=3)]
    cascade = Cascade(stages).fit(*collection(0))
    assert cascade.selectors is stages
    assert not any(hasattr(stage, "stats_") for stage in stages)
    assert [type(stage) for stage in cascade.selectors_] == [DocumentFrequency, OCFS]


def test_settings_of_the_selectors_are_named_by_position() -> None:
    cascade = Cascade([DocumentFrequency(min_df=2), Cascade([OCFS(k=7), InformationGain()])])
    params = cascade.get_params()
    assert params["0__min_df"] == 2
    assert params["1__0__k"] == 7
    assert params["1__1__pooling"] == "joint"
    assert set(cascade.get_params(deep=False)) == {"selectors"}
    assert cascade.set_params(**{"0__min_df": 3, "1__0__k": 5}) is cascade
    assert (cascade.get_params()["0__min_df"], cascade.get_params()["1__0__k"]) == (3, 5)
    copy = clone(cascade)
    copy.set_params(**{"1__0__k": 1})
    assert cascade.get_params()["1__0__k"] == 5
    copy.set_params(selectors=[OCFS(k=1)], **{"0__k": 4})
    assert copy.get_params()["0__k"] == 4
    assert repr(Cascade([OCFS(k=1)])) == "Cascade(selectors=[OCFS(k=1)])"


@pytest.mark.parametrize("name", ["k", "2__k", "x__k", "0", "0__", "-1__k"])
def test_unknown_settings_raise(name: str) -> None:
    with pytest.raises(InputError, match=f"no setting '{name}'"):
        Cascade([OCFS(), OCFS()]).set_params(**{name: 1})
    with pytest.raises(ValueError, match="nonsense"):
        Cascade([OCFS(), OCFS()]).set_params(**{"0__nonsense": 1})


@pytest.mark.parametrize("selectors", [[], None, ["OCFS"], [OCFS], [OCFS(), None], (), OCFS()])
def test_invalid_selectors_raise(selectors: Any) -> None:
    rows, labels = collection(0)
    with pytest.raises(InputError, match=r"selectors=.*give a list of at least one selector"):
        Cascade(selectors).fit(rows, labels)


def test_the_error_names_a_stage_that_selects_nothing() -> None:
    rows, labels = collection(0)
    with pytest.raises(InputError, match=r"DocumentFrequency\(min_df=26\) keeps none of the 9 terms"):
        Cascade([OCFS(k=9), DocumentFrequency(min_df=26), OCFS(k=2)]).fit(rows, labels)


def test_a_stage_with_a_larger_k_than_its_input_warns() -> None:
    rows, labels = collection(0)
    with pytest.warns(UserWarning, match="k=10, but there are 4 terms"):
        cascade = Cascade([OCFS(k=4), InformationGain(k=10)]).fit(rows, labels)
    assert cascade.get_support().sum() == 4


def test_labels_are_needed_if_a_stage_needs_them() -> None:
    rows, _ = collection(0)
    assert Cascade([DocumentFrequency(k=5), DocumentFrequency(k=3)]).fit(rows).get_support().sum() == 3
    with pytest.raises(InputError, match="Cascade requires y"):
        Cascade([DocumentFrequency(k=5), OCFS(k=3)]).fit(rows)
    with pytest.raises(InputError, match="Only one class, 'a'"):
        Cascade([DocumentFrequency(k=5), OCFS(k=3)]).fit(rows, ["a"] * 25)
    assert Cascade([OCFS()]).__sklearn_tags__().target_tags.required
    assert not Cascade([DocumentFrequency()]).__sklearn_tags__().target_tags.required
