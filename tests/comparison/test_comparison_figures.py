"""Overlap, significance, ranks and means equal their definitions, scipy, and numbers computed by hand."""

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, t
from tests.reference.categorizer_cases import small_texts

from textsieve import OCFS, compare
from textsieve.comparison.outcome import TermSet, mean_overlap, measure_overlap, measure_stability
from textsieve.comparison.plan import Condition, Plan, sizes_of
from textsieve.comparison.results import Row
from textsieve.comparison.summary import average_ranks, half_width, holm, p_of_lead, sign_test, summarise
from textsieve.comparison.variants import Variant, split_list, variants_of

# -- overlap -----------------------------------------------------------------------------------------------------


def term_set(terms: str, n_seen: int = 10) -> TermSet:
    return TermSet(frozenset(terms), n_seen)


def test_overlap_computed_by_hand() -> None:
    overlap = measure_overlap(term_set("abcd"), term_set("cdef"))
    assert overlap.shared == 2
    assert overlap.jaccard == 2 / 6
    assert overlap.kuncheva == pytest.approx((2 * 10 - 4 * 4) / (4 * (10 - 4)))
    uneven = measure_overlap(term_set("abcde"), term_set("ab"))
    assert uneven.kuncheva == pytest.approx((2 - 5 * 2 / 10) / math.sqrt(5 * (1 - 5 / 10) * 2 * (1 - 2 / 10)))  # 0.5
    assert measure_overlap(term_set("ab"), term_set("cd")).kuncheva < 0


def test_selections_of_all_terms_or_none_have_no_index() -> None:
    assert math.isnan(measure_overlap(term_set("abc", 3), term_set("abc", 3)).kuncheva)
    assert math.isnan(measure_overlap(term_set(""), term_set("")).jaccard)
    assert mean_overlap([]) is None
    assert measure_stability([term_set("ab")]) is None


@given(st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_kunchevas_index_is_1_for_equal_and_0_on_average_for_unrelated_choices(k: int, seed: int) -> None:
    subsets = [frozenset(subset) for subset in combinations("abcdefghij", k)]
    terms = TermSet(subsets[seed % len(subsets)], 10)
    assert measure_overlap(terms, terms).kuncheva == pytest.approx(1.0)
    assert np.mean([measure_overlap(terms, TermSet(subset, 10)).kuncheva for subset in subsets]) == pytest.approx(
        0.0, abs=1e-12
    )


@given(st.sets(st.integers(0, 11)), st.sets(st.integers(0, 11)), st.integers(0, 12), st.integers(0, 12))
def test_kunchevas_index_is_a_correlation_for_any_sizes_and_vocabularies(
    first: set[int], second: set[int], n_seen: int, other_n_seen: int
) -> None:
    sets = [
        TermSet(frozenset(map(str, terms)), max(n, len(terms)))
        for terms, n in ((first, n_seen), (second, other_n_seen))
    ]
    index = measure_overlap(*sets).kuncheva
    every = sorted(first | second)
    every += range(100, 100 + max(sets[0].n_seen, sets[1].n_seen) - len(every))  # terms that neither has selected
    vectors = np.array([[term in terms for term in every] for terms in (first, second)], float)
    if vectors.size and vectors.std(axis=1).all():
        assert index == pytest.approx(np.corrcoef(vectors)[0, 1])
        assert -1 <= index <= 1
    else:
        assert math.isnan(index)


def test_kunchevas_index_is_never_below_minus_1() -> None:
    # The two folds have 60 terms each, but not the same 60.
    folds = [TermSet(frozenset(f"{fold}{i}" for i in range(50)), 60) for fold in "ab"]
    assert measure_overlap(*folds).kuncheva == pytest.approx((0 - 50 * 50 / 100) / (50 - 50 * 50 / 100))  # -1
    # One selection has 1 of 10 terms, the other has the other 9.
    assert measure_overlap(term_set("a"), term_set("bcdefghij")).kuncheva == pytest.approx(-0.9 / 0.9)


def test_stability_is_the_mean_over_pairs() -> None:
    three = [term_set("abcd"), term_set("cdef"), term_set("abef")]
    overlap = measure_stability(three)
    assert overlap is not None
    pairs = [measure_overlap(*pair) for pair in combinations(three, 2)]
    assert overlap.jaccard == pytest.approx(sum(pair.jaccard for pair in pairs) / 3)
    assert overlap.kuncheva == pytest.approx(sum(pair.kuncheva for pair in pairs) / 3)


# -- significance ------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=60))
def test_the_sign_test_is_scipys_on_documents_that_differ(pairs: list[tuple[int, int]]) -> None:
    first, second = np.array(pairs, np.uint8).T
    wins, losses = int((first < second).sum()), int((first > second).sum())
    expected = binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    assert sign_test(first, second) == pytest.approx(expected)
    assert sign_test(first, second) == sign_test(second, first)
    leads = sum(mine < theirs for mine, theirs in pairs) > sum(mine > theirs for mine, theirs in pairs)
    assert p_of_lead(first, second) == (sign_test(first, second) if leads else 1.0)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_the_interval_corrects_for_folds_that_share_documents() -> None:
    values = [0.8, 0.82, 0.79, 0.85, 0.81]
    naive = t.ppf(0.975, 4) * np.std(values, ddof=1) / np.sqrt(5)
    assert half_width(values, 0.25) == pytest.approx(naive * np.sqrt((1 / 5 + 1 / 4) * 5))
    assert half_width(values, 0.0) == pytest.approx(naive)
    assert half_width([0.8], 0.25) is None


# -- summaries ---------------------------------------------------------------------------------------------------

A, B, C = (Condition(Variant(name, name), 10, Variant("svm", "svm")) for name in "abc")


def row(condition: Condition, fold: int, mistakes: list[int], **other: Any) -> Row:
    wrong = np.array(mistakes, np.uint8)
    right = float((wrong == 0).mean())
    figures: dict[str, Any] = {
        "micro_f1": right,
        "macro_f1": right,
        "accuracy": right,
        "n_selected": 10,
        "model_bytes": 99,
    }
    seconds = {f"{stage}_seconds": float(fold) for stage in ("selection", "training", "prediction")}
    given = {"n_seen": 50, "trained_on": 8, "documents": 4} | figures | seconds | {"mistakes": wrong} | other
    return Row.about(fold, condition, **given)


def test_all_are_tested_against_the_best_and_corrected_together() -> None:
    right, bad = [0] * 20, [2] * 12 + [0] * 8
    some = [2] * 3 + [0] * 17
    rows = [row(condition, fold, wrong) for condition, wrong in ((A, some), (B, right), (C, bad)) for fold in (0, 1)]
    a, b, c = summarise([A, B, C], rows)
    assert (b.is_best, b.is_best_in_size, b.p_overall, b.p_in_size) == (True, True, None, None)
    raw = [binomtest(0, n).pvalue for n in (6, 24)]
    assert (a.p_in_size, c.p_in_size) == pytest.approx((raw[0], 2 * raw[1]))
    assert a.p_overall == a.p_in_size
    assert a.micro_f1 is not None
    assert a.micro_f1.value == pytest.approx(17 / 20)
    assert a.selection_seconds == 0.5
    assert [average.rank for average in average_ranks([A, B, C], rows)] == [1.0, 2.0, 3.0]
    assert [average.selector for average in average_ranks([A, B, C], rows)] == ["b", "a", "c"]


def test_each_number_of_terms_is_a_group_of_its_own() -> None:
    other = B._replace(n_terms=20)
    rows = [row(A, 0, [2, 0, 0, 0]), row(B, 0, [2, 2, 0, 0]), row(other, 0, [0, 0, 0, 0])]
    a, b, more = summarise([A, B, other], rows)
    assert (a.is_best_in_size, a.is_best) == (True, False)
    assert (more.is_best_in_size, more.is_best) == (True, True)
    assert b.p_in_size is not None
    assert a.p_overall is not None


def test_ties_share_the_mean_of_their_ranks() -> None:
    rows = [row(condition, 0, wrong) for condition, wrong in ((A, [0, 2]), (B, [2, 0]), (C, [2, 2]))]
    assert [average.rank for average in average_ranks([A, B, C], rows)] == [1.5, 1.5, 3.0]


def test_conditions_without_figures_in_a_fold_are_not_ranked() -> None:
    failed = Row.about(1, A, n_seen=50, trained_on=8, documents=4, problem="nothing")
    a, b = summarise([A, B], [row(A, 0, [0, 0]), failed, row(B, 0, [2, 0]), row(B, 1, [0, 0])])
    assert a.problem == "nothing (in fold 2 of 2)"
    assert a.micro_f1 is None
    assert b.is_best
    (alone,) = summarise([A], [failed])
    assert alone.problem == "nothing"
    assert [average.selector for average in average_ranks([A, B], [failed, row(B, 1, [0, 0])])] == ["b"]


# -- variants and sizes -----------------------------------------------------------------------------------------


def test_lists_are_split_at_commas_outside_parentheses() -> None:
    assert split_list("ocfs, ig(pooling=max,min_score=0.1) ,x(a=[1,2])") == [
        *("ocfs", "ig(pooling=max,min_score=0.1)", "x(a=[1,2])"),
    ]


def test_a_variant_has_one_name() -> None:
    names, given = ["ig", "chi"], "ig, chi(pooling=max, min_score=0.1), chi(min_score=0.1,pooling=max), ig"
    plain, with_options = variants_of("selector", given, names)
    assert plain == Variant("ig", "ig")
    assert with_options == Variant("chi(min_score=0.1,pooling=max)", "chi", {"pooling": "max", "min_score": 0.1})
    (made,) = variants_of("selector", OCFS(k=3), names)
    assert made.name == "OCFS(k=3)"


def test_no_selector_is_all_terms() -> None:
    plan = Plan.of([None, "ig"], [3], "svm", {})
    assert [condition.key for condition in plan.conditions()] == [("all", "all", "svm"), ("ig", 3, "svm")]


def test_sizes_are_parsed_and_distinct() -> None:
    assert sizes_of("10, 0.5,all,10") == (10, 0.5, "all")
    assert sizes_of(7) == (7,)
    assert sizes_of("1,1.0") == (1, "all")  # 1 is a number of terms, and 1.0 a share
    assert sizes_of([np.int64(3), "all"]) == (3, "all")


def test_selectors_and_classifiers_may_be_estimators() -> None:
    from sklearn.svm import LinearSVC

    case = small_texts(30, 3)
    wanted: Any = {"classifiers": LinearSVC(C=1.0), "n_terms": 6, "folds": 2, "n_jobs": 1}
    comparison = compare(case.texts, case.labels, selectors=[OCFS(), "ocfs"], **wanted)
    given, named = (comparison.rows[number] for number in (0, 2))
    assert (given.selector, named.selector) == ("OCFS()", "ocfs")
    assert given.micro_f1 == named.micro_f1
    ((_, selectors, measures),) = comparison.overlaps
    assert selectors == ("OCFS()", "ocfs")
    assert measures.jaccard == 1.0
