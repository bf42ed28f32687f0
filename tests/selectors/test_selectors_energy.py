"""Energy: its curve, the number of terms that reach a share of it, and when it is undefined."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.reference.selectors_cases import fit_any
from tests.reference.stats_cases import Case, any_weights, cases
from tests.reference.trace_twin import fewest_terms

from textsieve import OCFS, TOFA, ClassStats, InputError
from textsieve.selectors.trace import energy_curve, terms_for_energy

shares = st.one_of(st.sampled_from([1e-300, 0.1, 0.25, 1 / 3, 0.5, 0.6, 0.8, 0.99, 1, 1.0]), st.floats(1e-9, 1.0))
up_to_one = st.sampled_from([0.0, 0.25, 0.5, 1.0, 1])
scattered = cases(any_weights, n_labels=(1, 1), max_documents=9, max_terms=8)


def with_scores(scores: list[float]) -> tuple[Any, list[str]]:
    """Return two documents whose terms have the given scores at any weight."""
    return np.array([2 * np.sqrt(scores), np.zeros(len(scores))]), ["a", "b"]


# -- the curve -----------------------------------------------------------------------------------------------------


@given(scattered, up_to_one)
def test_the_curve_rises_to_one(case: Case, weight: float) -> None:
    selector = fit_any(TOFA(weight=weight, k="all"), case.matrix(), case.label_sets)
    curve, scores = selector.energy_, np.sort(selector.scores_)[::-1]
    assert len(curve) == len(selector.scores_)
    assert curve[-1] == 1.0
    assert (np.diff(curve) >= 0).all()
    assert (curve > 0).all()
    assert (np.diff(curve, 2) <= 1e-12).all(), "what is added becomes less"
    if scores.sum() > 0:
        for p in range(1, len(scores) + 1):
            assert curve[p - 1] == pytest.approx(scores[:p].sum() / scores.sum(), rel=1e-12)


def test_the_curve_by_hand() -> None:
    rows, labels = with_scores([1.0, 4.0, 0.0, 2.25, 0.25])
    for selector in (OCFS(k=1), TOFA(weight=1, k=2), TOFA(weight=0, min_score=1.0), TOFA(weight=0.5, energy=0.1)):
        fitted = selector.fit(rows, labels)
        np.testing.assert_allclose(fitted.energy_, np.array([4.0, 6.25, 7.25, 7.5, 7.5]) / 7.5, rtol=1e-15)


def test_the_curve_is_updated_by_partial_fit() -> None:
    rows, labels = with_scores([1.0, 3.0])
    selector = OCFS().partial_fit(rows, labels)
    assert selector.energy_ == pytest.approx([0.75, 1.0])
    selector.partial_fit([[2.0, 0.0], [0.0, 0.0]], labels)
    assert selector.energy_ == pytest.approx([4 / 7, 1.0])
    assert selector.n_terms_for(0.7) == 2


# -- how many terms ------------------------------------------------------------------------------------------------


@given(st.lists(st.sampled_from([0.0, 0.01, 0.7, 1.0, 1 / 3, 2.25, 1e-20, 1e6]), min_size=1, max_size=12), shares)
def test_the_smallest_number_of_terms_that_reaches_an_energy(scores: list[float], energy: float) -> None:
    expected = fewest_terms(scores, energy)
    assert terms_for_energy(np.sort(scores)[::-1], energy) == expected


@pytest.mark.parametrize("score", [0.01, 0.1, 1 / 3, 0.7, 1.0, 2.25, 1e-20, 1e9])
@pytest.mark.parametrize("n_terms", [1, 2, 3, 5, 7, 10, 49, 1000])
def test_equal_scores_hold_equal_shares(score: float, n_terms: int) -> None:
    """Three of ten equal terms hold 0.3 of the energy, although 0.1 added ten times is not 1 in floats."""
    for p in {1, 2, 3, n_terms // 3, n_terms - 1, n_terms} & set(range(1, n_terms + 1)):
        assert terms_for_energy(np.full(n_terms, score), p / n_terms) == p
        if p < n_terms:
            assert terms_for_energy(np.full(n_terms, score), p / n_terms + 1e-9) == p + 1


@given(scattered, up_to_one, shares)
def test_n_terms_for_equals_the_selection_by_energy(case: Case, weight: float, energy: float) -> None:
    assume(len(set(case.label_sets)) > 1)
    full = TOFA(weight=weight, k="all").fit(case.matrix(), case.label_sets)
    p = full.n_terms_for(energy)
    assert p == fewest_terms(full.scores_.tolist(), energy)
    limited = TOFA(weight=weight, energy=energy).fit(case.matrix(), case.label_sets)
    assert limited.get_support(indices=True).tolist() == sorted(full.ranking_[:p])


def test_all_energy_is_all_terms_that_have_a_score() -> None:
    scores = np.array([1e20, 1.0, 1e-3, 0.0, 0.0])
    assert terms_for_energy(scores, 1.0) == 3
    assert terms_for_energy(scores, 0.999) == 1


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"energy": 0.8}, [1, 3]),
        ({"energy": 0.8, "k": 1}, [1]),
        ({"energy": 0.8, "k": 4}, [1, 3]),
        ({"energy": 0.8, "k": "all"}, [1, 3]),
        ({"energy": 0.8, "k": 0.2}, [1]),
        ({"energy": 0.99, "min_score": 2.0}, [1, 3]),
        ({"energy": 0.99, "min_score": 2.0, "k": 1}, [1]),
        ({"energy": np.float32(0.8)}, [1, 3]),
        ({"energy": 1}, [0, 1, 3, 4]),
        ({"energy": np.int64(1)}, [0, 1, 3, 4]),
    ],
)
@pytest.mark.parametrize("method", [{"weight": 1}, {"weight": 0}, {"weight": 0.3}, {"weight": np.float32(0.5)}, None])
def test_the_strictest_of_several_limits_applies(method: Any, options: dict[str, Any], expected: list[int]) -> None:
    rows, labels = with_scores([1.0, 4.0, 0.0, 2.25, 0.25])
    selector = OCFS(**options) if method is None else TOFA(**method, **options)
    assert selector.fit(rows, labels).get_support(indices=True).tolist() == expected


def test_more_terms_than_a_thousand_may_be_needed() -> None:
    """The default number of terms applies only if no other limit is given."""
    rows = np.vstack([np.ones(3000), np.zeros(3000)])
    assert OCFS(energy=0.5).fit(rows, ["a", "b"]).get_support().sum() == 1500
    assert TOFA(weight=0.5, energy=0.5).fit(rows, ["a", "b"]).get_support().sum() == 1500
    assert TOFA(weight=0.5).fit(rows, ["a", "b"]).get_support().sum() == 1000


# -- where energy is undefined -------------------------------------------------------------------------------------

ROWS = np.array([[4.0, 0, 1], [3, 1, 0], [0, 5, 1], [1, 4, 1]])
LABELS = ["a", "a", "b", "b"]


@pytest.mark.parametrize("weight", [1.0000001, 1.5, 2, 1e9])
def test_energy_above_weight_one_raises(weight: float) -> None:
    """The error is raised even if no score is negative."""
    words = r"energy=0\.8 with weight=.*scores can be negative.*means nothing; use k, or a weight from 0 to 1"
    for rows in (ROWS, ROWS * [1, 1, 0]):
        with pytest.raises(InputError, match=words):
            TOFA(weight=weight, energy=0.8).fit(rows, LABELS)
        selector = TOFA(weight=weight, k=2).fit(rows, LABELS)
        with pytest.raises(InputError, match=words):
            selector.n_terms_for(0.8)
        assert not hasattr(selector, "energy_")
        with pytest.raises(AttributeError, match=r"energy_ with weight=.*scores can be negative"):
            _ = selector.energy_


def test_energy_below_weight_zero_needs_nonnegative_scores() -> None:
    """If all documents have a label, C >= S_b; with few labels S_b may be larger, and scores negative."""
    selector = TOFA(weight=-2, k="all").fit(ROWS, LABELS)
    assert (selector.scores_ >= 0).all()
    assert selector.n_terms_for(0.8) == fewest_terms(selector.scores_.tolist(), 0.8)
    few = np.vstack([ROWS[[0, 2]], np.tile(ROWS.mean(axis=0), (20, 1))])
    labels = ["a", "b", *[None] * 20]
    few_selector = TOFA(weight=-2, k="all").fit(few, labels)
    assert (few_selector.scores_ < 0).any()
    with pytest.raises(InputError, match=r"energy=0\.8 with weight=-2"):
        few_selector.n_terms_for(0.8)
    with pytest.raises(InputError, match=r"energy=0\.8 with weight=-2"):
        TOFA(weight=-2, energy=0.8).fit(few, labels)


@given(scattered, st.sampled_from([None, "balanced"]))
def test_the_automatic_weight_never_exceeds_one(case: Case, class_weight: Any) -> None:
    assume(len(set(case.label_sets)) > 1)
    selector = TOFA(energy=0.8, class_weight=class_weight).fit(case.matrix(), case.label_sets)
    assert selector.weight_ <= 1.0
    assert selector.energy_[-1] == 1.0
    assert selector.get_support().sum() == selector.n_terms_for(0.8)


@pytest.mark.parametrize("weight", [0, 0.5, 1, "auto"])
def test_energy_when_all_scores_are_zero(weight: Any) -> None:
    """If all scores are 0, a single term has all the energy."""
    rows = np.full((4, 3), 7.0)
    selector = TOFA(weight=weight, energy=0.8).fit(rows, LABELS)
    assert selector.scores_.tolist() == [0.0, 0.0, 0.0]
    assert selector.get_support(indices=True).tolist() == [0]
    assert selector.energy_.tolist() == [1.0, 1.0, 1.0]
    assert [selector.n_terms_for(energy) for energy in (0.1, 1.0)] == [1, 1]


def test_no_terms() -> None:
    selector = TOFA(weight=0.5, energy=0.8).fit_stats(ClassStats.from_matrix(np.zeros((2, 0)), ["a", "b"]))
    assert selector.energy_.tolist() == []
    assert selector.n_terms_for(0.8) == 0
    assert energy_curve(np.zeros(0)).tolist() == []


NO_SHARE = [0, 0.0, -1, -0.1, 1.5, 1.0000001, 80, float("nan"), float("inf"), "a", "0.8", True, False, [0.5], (), 1j]
NO_SHARE += [np.complex128(0.5), np.bool_(True), np.float64("nan"), 10**400, np.array(0.5), np.array([0.5])]


@pytest.mark.parametrize("energy", NO_SHARE, ids=repr)
def test_invalid_energy_raises(energy: Any) -> None:
    words = r"energy=.*; use a share above 0.0 and up to 1.0, for example 0.8"
    for selector in (OCFS(energy=energy), TOFA(energy=energy), TOFA(weight=0.5, energy=energy)):
        with pytest.raises(InputError, match=words):
            selector.fit(ROWS, LABELS)
    with pytest.raises(InputError, match=words):
        TOFA(weight=0.5).fit(ROWS, LABELS).n_terms_for(energy)
    with pytest.raises(InputError, match=words):
        OCFS().fit(ROWS, LABELS).n_terms_for(energy)


def test_n_terms_for_none_raises() -> None:
    with pytest.raises(InputError, match="energy=None; use a share"):
        OCFS().fit(ROWS, LABELS).n_terms_for(None)  # type: ignore[arg-type]
