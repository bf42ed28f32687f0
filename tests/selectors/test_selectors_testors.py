"""`TypicalTestors` compared with its definition; its laws; the search for ε; invalid input."""

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse
from tests.reference import testors_twin as twin
from tests.reference.categorizer_cases import plain_categorizer, small_texts
from tests.reference.stats_cases import Case, cases

from textsieve import (
    Cascade,
    ClassStats,
    DocumentFrequency,
    InputError,
    TermCounter,
    TermWeighter,
    TypicalTestors,
)
from textsieve.selectors.testors.contrast import Representatives, epsilon_for, terms_in_testors
from textsieve.training.plan import TrainingPlan

SIMPLE = st.sampled_from([0.0, 0.0, 0.0, 0.25, 0.5, 1.0, 2.0])
"""Sums of these weights are exact, so the means of the twin are equal to the last bit."""

QUIET = pytest.mark.filterwarnings("ignore:At epsilon=.*no term sets apart")
FEWER_THAN_K = pytest.mark.filterwarnings("ignore:k=.* of typical testors are selected")
pytestmark = [QUIET, FEWER_THAN_K]

collections = cases(SIMPLE, max_documents=9, max_terms=7, n_labels=(0, 2), labels=("a", "b", "c", "d"))
limits = st.sampled_from([0.1, 0.25, 0.4, 0.5, 0.9])
differences = st.sampled_from([0.05, 0.15, 0.3])
scales = st.sampled_from(["max", "none"])


def fitted(case: Case, **settings: Any) -> TypicalTestors:
    """Return the fitted selector; skip documents whose classes no term distinguishes."""
    assume(len({label for labels in case.label_sets for label in labels}) > 1)
    try:
        return TypicalTestors(**settings).fit(case.matrix(), case.label_sets)
    except InputError:
        assert not has_terms(case, **settings)
        assume(False)
        raise


def has_terms(case: Case, **settings: Any) -> bool:
    """Return whether the definition selects any term; with `k`, at any epsilon."""
    of_class = twin.means(case.rows, case.label_sets, settings.get("scale", "max"))
    every = {weight for weights in of_class.values() for weight in weights if weight > 0}
    usual = every if settings.get("k") else {0.4}
    return any(
        row
        for epsilon in ({settings["epsilon"]} if "epsilon" in settings else usual)
        for label in of_class
        for row in twin.class_rows(of_class, label, epsilon, settings.get("delta", 0.15)).values()
    )


@given(case=collections, epsilon=limits, delta=differences, scale=scales)
def test_selection_equals_the_definition(case: Case, epsilon: float, delta: float, scale: Any) -> None:
    selector = fitted(case, epsilon=epsilon, delta=delta, scale=scale)
    of_class = twin.means(case.rows, case.label_sets, scale)
    testors = {label: twin.class_testors(of_class, label, epsilon, delta) for label in of_class}
    union = {term for class_testors in testors.values() for testor in class_testors for term in testor}
    assert np.flatnonzero(selector.support_).tolist() == sorted(union)
    assert selector.indistinguishable_ == twin.indistinguishable_pairs(of_class, epsilon, delta)
    assert list(selector.class_terms_) == list(of_class) == selector.classes_.tolist()
    for label, expected in testors.items():
        assert selector.class_terms_[label].tolist() == sorted({term for testor in expected for term in testor})
        assert sorted(selector.testors(label)) == sorted(selector.testors(label, method="lex")) == sorted(expected)
        assert selector.count_testors(label) == selector.count_testors(label, method="lex") == (len(expected), True)
        result = selector.shortest_testors(label, limit=1000)
        pairs = [pair for pair in selector.indistinguishable_ if pair[0] == label]
        assert [(label, other) for other in result.indistinguishable_from] == pairs
        shortest = [testor for testor in expected if len(testor) == min(map(len, expected))]
        by_weight = sorted(shortest, key=lambda testor: (-sum(of_class[label][term] for term in testor), testor))
        assert result.testors == by_weight
    shares = [
        max(twin.share(class_testors, term) for class_testors in testors.values()) for term in range(case.rows.shape[1])
    ]
    assert selector.scores_are_exact_
    assert selector.scores_ == pytest.approx(shares, abs=1e-12)


@given(case=collections, epsilon=limits, delta=differences)
def test_the_rows_of_each_class(case: Case, epsilon: float, delta: float) -> None:
    selector = fitted(case, epsilon=epsilon, delta=delta)
    of_class = twin.means(case.rows, case.label_sets, "max")
    assert list(selector.comparison_) == list(of_class)
    assert len(selector.comparison_) == len(of_class)
    for label, rows in selector.comparison_.items():
        expected = twin.class_rows(of_class, label, epsilon, delta)
        assert rows.shape == (len(of_class), case.rows.shape[1])
        assert rows.dtype == np.bool_
        for other, row in zip(of_class, rows.toarray(), strict=True):
            assert set(np.flatnonzero(row).tolist()) == expected.get(other, set())
    with pytest.raises(KeyError):
        selector.comparison_["no such class"]


def everything(selector: TypicalTestors) -> tuple[Any, ...]:
    """Return all results of a fitted selector."""
    return (
        selector.epsilon_,
        selector.support_.tolist(),
        selector.scores_.tolist(),
        selector.ranking_.tolist(),
        {label: terms.tolist() for label, terms in selector.class_terms_.items()},
        selector.indistinguishable_,
    )


@given(case=collections, order=st.randoms(), cut=st.integers(0, 9), k=st.sampled_from([None, 1, 3]))
def test_any_order_any_split_and_merging_give_the_same(case: Case, order: Any, cut: int, k: int | None) -> None:
    k = None if k is None else min(k, case.rows.shape[1])
    whole = everything(fitted(case, k=k))
    shuffled = list(range(len(case.rows)))
    order.shuffle(shuffled)
    parts = [case.part(shuffled[:cut]), case.part(shuffled[cut:])]
    selector, stats = TypicalTestors(k=k), ClassStats.zero(case.rows.shape[1])
    for part in parts:
        if len(part.rows):
            selector.partial_fit(part.matrix(), part.label_sets)
            stats = stats + ClassStats.from_matrix(part.matrix(), part.label_sets)
    assert everything(selector) == whole
    assert everything(TypicalTestors(k=k).fit_stats(stats)) == whole


def test_partial_fit_replaces_the_selection() -> None:
    selector = TypicalTestors().partial_fit(ROWS[:4], LABELS[:4])
    first = everything(selector)
    selector.partial_fit(ROWS[4:], LABELS[4:])
    assert everything(selector) == everything(TypicalTestors().fit(ROWS, LABELS)) != first


# Mean documents, by their largest weight: a = (1, .5, 0, .5), b = (0, 1, .4, .5), c = (0, 0, 1, .5)
ROWS = np.array([[2, 1, 0, 1], [2, 1, 0, 1], [0, 2, 1, 1], [0, 3, 1, 1.5], [0, 0, 4, 2], [0, 0, 2, 1]])
LABELS = ["a", "a", "b", "b", "c", "c"]


def test_by_hand() -> None:
    """The row of a against b is term 0 (term 1 weighs less in a), against c terms 0 and 1. So term 0 is a testor."""
    selector = TypicalTestors(epsilon=0.4).fit(ROWS, LABELS)
    assert {label: terms.tolist() for label, terms in selector.class_terms_.items()} == {"a": [0], "b": [1], "c": [2]}
    assert selector.support_.tolist() == selector.get_support().tolist() == [True, True, True, False]
    assert selector.scores_.tolist() == [1.0, 1.0, 1.0, 0.0]
    assert selector.indistinguishable_ == []
    assert list(selector.testors("a")) == [(0,)]
    assert selector.shortest_testors("a") == ([(0,)], 1, True, True, ())
    assert selector.comparison_["a"].toarray().astype(int).tolist() == [[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0]]
    assert selector.transform(ROWS).shape == (6, 3)


def test_a_document_counts_in_each_of_its_classes_and_unlabelled_ones_in_none() -> None:
    with_unlabelled = TypicalTestors().fit(np.vstack([ROWS, [[9, 9, 9, 9]]]), [*LABELS, None])
    assert everything(with_unlabelled) == everything(TypicalTestors().fit(ROWS, LABELS))
    both = TypicalTestors().fit(ROWS, [["a", "b"] if label == "a" else [label] for label in LABELS])
    apart = TypicalTestors().fit(np.vstack([ROWS, ROWS[:2]]), [*LABELS, "b", "b"])
    assert everything(both) == everything(apart)


def test_each_result_can_be_asked_for_first_after_partial_fit() -> None:
    """`partial_fit` only adds to the statistics; the first result that is needed starts the selection."""
    expected = TypicalTestors(epsilon=0.4).fit(ROWS, LABELS)
    for name in ("scores_", "ranking_", "scores_are_exact_", "support_", "class_terms_", "indistinguishable_"):
        value, right = (getattr(TypicalTestors(epsilon=0.4).partial_fit(ROWS, LABELS), name), getattr(expected, name))
        assert str(value) == str(right), name


def test_equal_scores_are_ranked_by_weight_and_then_by_column() -> None:
    """Each class has one row, so its terms have equal shares; of equal shares, the heavier term comes first."""
    rows = np.array([[1.0, 0, 2, 0, 0.5, 0], [0, 3, 0, 3, 0, 1.5]])
    selector = TypicalTestors(epsilon=0.1).fit(rows, ["a", "b"])
    assert selector.scores_ == pytest.approx([1 / 3] * 6)
    assert selector.ranking_.tolist() == [1, 2, 3, 0, 5, 4]


def test_equal_scores_for_a_class_are_ranked_by_weight_there() -> None:
    rows = np.array([[1.0, 0, 2, 0, 0.5, 0], [0, 3, 0, 3, 0, 1.5]])
    selector = TypicalTestors(epsilon=0.1).fit(rows, ["a", "b"])
    assert [columns.tolist() for columns, _ in selector.best_by_class(2)] == [[2, 0], [1, 3]]
    chain = Cascade([DocumentFrequency(min_df=1), TypicalTestors(epsilon=0.1)]).fit(rows[:, [4, 0, 2, 1]], ["a", "b"])
    assert [columns.tolist() for columns, _ in chain.best_by_class(2)] == [[2, 1], [3]]


def test_changing_settings_after_fit_changes_no_result() -> None:
    selector = TypicalTestors(epsilon=0.1, score_limit=100).fit(ROWS, LABELS)
    rows = selector.comparison_["a"].toarray().tolist()
    selector.set_params(delta=0.9, epsilon=0.8, scale="none", score_limit=1)
    assert selector.comparison_["a"].toarray().tolist() == rows
    assert everything(selector) == everything(TypicalTestors(epsilon=0.1, score_limit=100).fit(ROWS, LABELS))
    again = pickle.loads(pickle.dumps(selector))
    assert again.comparison_["a"].toarray().tolist() == rows
    assert everything(again) == everything(selector)


def test_memory_of_a_fitted_selector_is_proportional_to_the_statistics() -> None:
    chance = np.random.default_rng(0)
    rows = chance.uniform(0.5, 1, (200, 300)) * (chance.random((200, 300)) < 0.3)
    selector = TypicalTestors().fit(rows, np.arange(200))
    assert len(pickle.dumps(selector)) < 1.2 * len(pickle.dumps(selector.stats_)) + 10_000


def test_warnings_name_the_line_of_fit() -> None:
    with pytest.warns(UserWarning, match="k=10, but") as caught:
        TypicalTestors(k=10).fit(ROWS, LABELS)
    with pytest.warns(UserWarning, match="no term sets apart") as more:
        TypicalTestors().fit(np.vstack([ROWS, ROWS[4:]]), [*LABELS, "d", "d"])
    assert {warning.filename for warning in [*caught, *more]} == {__file__}


ALIKE = ["goal ball match", "goal ball", "goal match"] * 6
"""Documents of the first and of the last of three classes."""
APART = ["vote law", "vote party", "law party"] * 6


def test_in_training_the_warning_names_labels_once_and_at_the_line_of_fit() -> None:
    texts, labels = [*ALIKE, *APART, *ALIKE], [*["football"] * 18, *["politics"] * 18, *["soccer"] * 18]
    settings: dict[str, Any] = {"selector": "testors", "held_out": 0.3, "probabilities": "sigmoid"}
    for n_terms in (None, 4, "auto"):
        with pytest.warns(UserWarning, match="no term sets apart") as caught:
            plain_categorizer(n_terms=n_terms, **settings).fit(texts, labels)
        assert [warning.filename for warning in caught] == [__file__]
        assert "apart 'football' from 'soccer', 'soccer' from 'football'. " in str(caught[0].message)


def test_in_training_with_an_indicator_matrix_the_fallback_class_has_a_name() -> None:
    members = np.repeat([[1, 0], [0, 1], [0, 0]], 18, axis=0)
    with pytest.warns(UserWarning, match=r"apart 0 from 'none of the classes', 'none of the classes' from 0\. "):
        plain_categorizer(selector="testors").fit([*ALIKE, *APART, *ALIKE], members)


def test_selected_columns_need_no_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    def count(*_: Any) -> None:
        raise AssertionError

    rows = np.array([[1.0, 0, 2, 0, 0.5, 0], [0, 3, 0, 3, 0, 1.5]])
    cut = TypicalTestors(epsilon=0.1, k=3).fit(rows, ["a", "b"])
    assert cut.selected_columns().tolist() == [1, 2, 3]
    monkeypatch.setattr("textsieve.selectors.testors.estimator.shares_of_testors", count)
    selector = TypicalTestors(epsilon=0.5).fit(rows, ["a", "b"])
    assert selector.selected_columns().tolist() == [1, 2, 3, 0, 5]  # the heaviest first
    assert len(plain_categorizer(selector="testors").fit(TEXTS, TOPICS).terms_) > 0


@pytest.mark.parametrize("k", [None, 3])
def test_the_order_of_selected_columns_does_not_depend_on_whether_scores_were_read(k: int | None) -> None:
    rows = np.array([[1.0, 0, 2, 0, 0.5, 0], [0, 3, 0, 3, 0, 1.5], [0, 3, 2, 0, 0, 1]])
    selector = TypicalTestors(epsilon=0.1, k=k).fit(rows, ["a", "b", "c"])
    before = selector.selected_columns().tolist()
    by_score = [column for column in selector.ranking_.tolist() if selector.support_[column]]
    assert (before == by_score) == (k is not None)
    assert len(selector.scores_) == 6
    assert selector.selected_columns().tolist() == before


def test_no_more_than_ten_shortest_testors_are_given_by_default() -> None:
    selector = TypicalTestors(epsilon=0.4).fit(np.vstack([np.ones(12), np.zeros(12)]), ["a", "b"])
    assert len(selector.shortest_testors("a").testors) == 10
    assert len(selector.shortest_testors("a", limit=100).testors) == 12


def test_less_work_for_the_shortest_testor_may_leave_it_unproved() -> None:
    chance = np.random.default_rng(1)
    rows = (chance.random((150, 100)) < 0.5) * chance.uniform(0.4, 1, (150, 100))
    selector = TypicalTestors(epsilon=0.4, delta=0.6, scale="none").fit(rows, np.arange(150))
    least, usual = (selector.shortest_testors(0, share_of_work=share) for share in (1e-9, 1.0))
    assert not least.proved
    assert usual.proved
    assert usual.size <= least.size


def test_terms_that_are_in_no_testor_rank_last() -> None:
    selector = TypicalTestors(epsilon=0.4).fit(ROWS, LABELS)
    assert selector.ranking_.tolist() == [0, 1, 2, 3]
    assert [columns.tolist() for columns, _ in selector.best_by_class(5)] == [[0], [1], [2]]


# -- how many terms ----------------------------------------------------------------------------------------------


@given(case=collections, k=st.integers(1, 7), scale=scales)
def test_k_selects_at_most_k_terms_and_no_tried_epsilon_selects_more(case: Case, k: int, scale: Any) -> None:
    k = min(k, case.rows.shape[1])
    selector = fitted(case, k=k, scale=scale)
    given_weights = Representatives(selector.stats_, scale)
    weights = np.unique(given_weights.weights[given_weights.weights > 0])
    sizes = [int(terms_in_testors(given_weights, weight, 0.15).sum()) for weight in weights]
    assert 1 <= selector.support_.sum() <= k
    assert selector.epsilon_ in weights
    place = int(np.searchsorted(weights, selector.epsilon_))
    if sizes[-1] > k:
        assert place == len(weights) - 1
    if sizes[place] > k:  # even the largest weight selects over k, or larger weights select none: the best k
        assert place == len(weights) - 1 or sizes[place + 1] == 0
        assert selector.support_.sum() == k
        assert set(np.flatnonzero(selector.support_)) == set(selector.ranking_[:k].tolist())
        return
    assert selector.support_.sum() == sizes[place]
    if sizes == sorted(sizes, reverse=True):  # then the bisection cannot miss
        assert sizes[place] == max(size for size in sizes if size <= k)
        assert place == 0 or sizes[place - 1] > k or place == sizes.index(sizes[place])


def test_bisection_where_the_number_of_terms_is_not_monotone() -> None:
    """Above .5 the row of a against b, {0}, is empty; then the row against c, which contained it, adds terms 1 to 3."""
    rows = np.array([[0.5, 1, 1, 1, 0, 0], [0, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 1]])
    given_weights = Representatives(ClassStats.from_matrix(rows, ["a", "b", "c"]), "none")
    assert [int(terms_in_testors(given_weights, epsilon, 0.15).sum()) for epsilon in (0.5, 1.0)] == [3, 5]
    assert epsilon_for(given_weights, 0.15, 3).epsilon == 1.0  # the largest weight selects over 3: the search ends
    assert epsilon_for(given_weights, 0.15, 5).epsilon == 1.0  # both weights were tried; this one selects more terms
    assert TypicalTestors(k=3).fit(rows, ["a", "b", "c"]).support_.sum() == 3


def test_far_fewer_terms_than_k_are_a_warning_of_fit_alone() -> None:
    rows = np.array([[1.0, 0, 2, 0, 0.5, 0], [0, 3, 0, 3, 0, 1.5]])
    with pytest.warns(UserWarning, match=r"k=4, but only 3 terms of typical testors are selected: k is a maximum"):
        TypicalTestors(k=4).fit(rows, ["a", "b"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TypicalTestors(k=3).fit(rows, ["a", "b"])
        TypicalTestors(k=5, epsilon=1.0).fit(rows, ["a", "b"])  # epsilon was chosen, and k is a limit
        TypicalTestors(k=4).fit_stats(ClassStats.from_matrix(rows, ["a", "b"]))  # as training and comparisons fit it


def test_k_beside_epsilon_is_a_limit() -> None:
    rows = np.array([[1.0, 0, 2, 0, 0.5, 0], [0, 3, 0, 3, 0, 1.5]])
    selector = TypicalTestors(epsilon=0.1, k=3).fit(rows, ["a", "b"])
    assert selector.epsilon_ == 0.1
    assert np.flatnonzero(selector.support_).tolist() == [1, 2, 3]
    assert TypicalTestors(epsilon=0.1, k=0.5).fit(rows, ["a", "b"]).support_.sum() == 3
    assert TypicalTestors(epsilon=0.1, k="all").fit(rows, ["a", "b"]).support_.sum() == 6
    for k in (None, "all"):
        assert TypicalTestors(k=k).fit(rows, ["a", "b"]).epsilon_ == 0.4
    next_fewer = TypicalTestors(k=4).fit(rows, ["a", "b"])  # from .5 on there are five
    assert (next_fewer.epsilon_, next_fewer.support_.sum()) == (1.0, 3)
    assert TypicalTestors(k=5).fit(rows, ["a", "b"]).epsilon_ == 0.5
    with pytest.warns(UserWarning, match="k=10, but there are 6 terms"):
        assert TypicalTestors(k=10).fit(rows, ["a", "b"]).support_.sum() == 6


# -- invalid input -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"epsilon": 1.5}, r"epsilon=1.5: it is above every weight .*the largest is 1\. Use a smaller epsilon"),
        ({"epsilon": 1.0000000001}, r"epsilon=1.0000000001: it is above every weight .*the largest is 1\."),
        (
            {"epsilon": 5, "scale": "none"},
            r"epsilon=5\.0: it is above every weight in the mean documents of the classes, so no .*the largest is 3\.",
        ),
        ({"epsilon": 0}, "epsilon=0; use a number above 0, for example 0.4"),
        ({"epsilon": -0.1}, "epsilon=-0.1;"),
        ({"epsilon": float("nan")}, "epsilon=nan;"),
        ({"epsilon": float("inf")}, "epsilon=inf;"),
        ({"epsilon": "0.4"}, "epsilon='0.4';"),
        ({"epsilon": True}, "epsilon=True;"),
        ({"delta": 0}, "delta=0; use a number above 0, for example 0.15"),
        ({"delta": -1.0}, "delta=-1.0;"),
        ({"delta": None}, "delta=None;"),
        ({"delta": float("nan")}, "delta=nan;"),
        (
            {"delta": 2.0},
            r"delta=2\.0: it is above every difference .* epsilon=0\.4 or more.* the largest is 1\.",
        ),
        (
            {"delta": 2.0, "k": 3},
            r"delta=2\.0: it is above .*largest, so no .*largest is 1\. Use a smaller delta\.$",
        ),
        (
            {"delta": 9, "scale": "none"},
            r"delta=9\.0: it is above every difference .* epsilon=0.4 or more, so no .* the largest is 3\.",
        ),
        ({"scale": "sum"}, "scale='sum'; use one of 'max', 'none'"),
        ({"scale": None}, "scale=None"),
        ({"k": 0}, "k=0; use a number of terms"),
        ({"k": 1.5}, "k=1.5"),
        ({"score_limit": 0}, "score_limit=0; use a number of testors from 1"),
        ({"score_limit": 1.5}, "score_limit=1.5"),
    ],
)
def test_invalid_settings_raise(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        TypicalTestors(**settings).fit(ROWS, LABELS)


def test_one_class_or_no_labels_raise() -> None:
    with pytest.raises(InputError, match="Only one class, 'a'"):
        TypicalTestors().fit(ROWS, ["a"] * 6)
    with pytest.raises(InputError, match="requires y"):
        TypicalTestors().fit(ROWS)
    with pytest.raises(InputError, match="Fewer than two classes have documents"):
        TypicalTestors().fit(ROWS, np.array([[1, 0]] * 6))


def test_classes_with_the_same_documents_raise_or_warn() -> None:
    with pytest.raises(InputError, match=r"No term sets any class apart .*mean documents are the same .*labels"):
        TypicalTestors().fit(np.vstack([ROWS, ROWS]), ["a"] * 6 + ["b"] * 6)
    twins = np.vstack([ROWS, ROWS[4:]])
    with pytest.warns(UserWarning, match=r"no term sets apart 'c' from 'd', 'd' from 'c'\. "):
        selector = TypicalTestors().fit(twins, [*LABELS, "d", "d"])
    assert selector.indistinguishable_ == [("c", "d"), ("d", "c")]
    assert selector.class_terms_["c"].tolist() == selector.class_terms_["d"].tolist() == [2]


def test_a_class_with_no_candidate_term() -> None:
    """A class of empty documents is distinguishable from no other, but others are distinguishable from it."""
    rows = np.vstack([ROWS, np.zeros((1, 4))])
    with pytest.warns(UserWarning, match="no term sets apart 'd' from 'a', 'd' from 'b', 'd' from 'c'"):
        selector = TypicalTestors().fit(rows, [*LABELS, "d"])
    assert selector.class_terms_["d"].tolist() == []
    assert list(selector.testors("d")) == list(selector.testors("d", method="lex")) == []
    assert selector.count_testors("d") == (0, True)
    assert selector.shortest_testors("d") == ([], 0, True, True, ("a", "b", "c"))
    assert selector.shortest_testors("a").indistinguishable_from == ()
    assert selector.indistinguishable_ == [("d", "a"), ("d", "b"), ("d", "c")]
    assert selector.comparison_["d"].nnz == 0
    assert next(iter(list(selector.best_by_class(3))[3])).tolist() == []


def test_the_warning_names_a_few_of_many_pairs() -> None:
    with pytest.warns(UserWarning, match=r"no term sets apart (0 from \d, ){5}and 67 more\.") as caught:
        TypicalTestors().fit(np.vstack([np.tile([1.0, 0], (9, 1)), [0, 1.0]]), list(range(10)))
    assert len(caught) == 1


def test_only_classes_with_documents_take_part() -> None:
    indicator = np.array([[label == name for name in ("a", "x", "b", "c")] for label in LABELS]).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        selector = TypicalTestors().fit(ROWS, indicator)
    assert selector.support_.tolist() == TypicalTestors().fit(ROWS, LABELS).support_.tolist()
    assert [terms.tolist() for terms in selector.class_terms_.values()] == [[0], [], [1], [2]]
    assert [columns.tolist() for columns, _ in selector.best_by_class(5)] == [[0], [], [1], [2]]
    with pytest.raises(InputError, match=r"no class 1 with documents; there are \[0, 2, 3\]"):
        selector.testors(1)
    with pytest.raises(InputError, match=r"There is no class array"):
        selector.testors(np.array([0, 2]))


def test_zero_and_negative_weights() -> None:
    with pytest.raises(InputError, match="No class has a term with a mean weight above 0"):
        TypicalTestors().fit(np.zeros((2, 3)), ["a", "b"])
    with pytest.raises(InputError, match="No class has a term with a mean weight above 0"):
        TypicalTestors(k=2).fit(-np.ones((2, 3)), ["a", "b"])
    below = TypicalTestors(epsilon=0.05, delta=0.5).fit(np.array([[1.0, 0.1, 0], [0, -1.0, 1]]), ["a", "b"])
    assert below.class_terms_["a"].tolist() == [0, 1]  # .1 - (-1) is enough


def test_numbers_in_errors_are_short_and_never_too_large() -> None:
    rows = np.diag([0.1755886271595955, 0.12, 0.11])
    with pytest.raises(InputError, match=r"the largest is 0\.1755\. Use a smaller epsilon"):
        TypicalTestors(epsilon=0.3, scale="none").fit(rows, ["a", "b", "c"])
    with pytest.raises(InputError, match=r"the largest is 0\.1755\. Use a smaller delta"):
        TypicalTestors(k=2, delta=0.3, scale="none").fit(rows, ["a", "b", "c"])


def test_unknown_classes_and_invalid_limits_raise() -> None:
    selector = TypicalTestors().fit(ROWS, LABELS)
    with pytest.raises(InputError, match="There is no class 'x' with documents; there are \\['a', 'b', 'c'\\]"):
        selector.testors("x")
    with pytest.raises(InputError, match="There is no class 'x'"):
        selector.shortest_testors("x")
    with pytest.raises(InputError, match="limit=0; use a whole number from 1"):
        selector.shortest_testors("a", limit=0)
    with pytest.raises(InputError, match=r"share_of_work=0; use a number above 0"):
        selector.shortest_testors("a", share_of_work=0)
    with pytest.raises(InputError, match="method='other'"):
        selector.testors("a", method="other")  # type: ignore[arg-type]


def test_many_classes_with_little_in_common_are_cheap() -> None:
    """3,000 classes have nine million pairs, but memory grows only with the filled cells."""
    n = 3000
    rows = sparse.csr_array((np.ones(2 * n), (np.repeat(np.arange(n), 2), np.arange(2 * n) % (2 * n - 1))))
    selector = TypicalTestors().fit(rows, np.arange(n))
    assert sum(contrast.rows.size + contrast.common.size for contrast in selector._contrasts()) < 10 * n
    assert np.flatnonzero(~selector.support_).tolist() == [0]  # two classes share it; each has a term of its own


# -- with other estimators ---------------------------------------------------------------------------------------


def test_in_a_chain() -> None:
    rows = np.hstack([np.zeros((6, 1)), ROWS])
    rows[0, 0] = 1
    chain = Cascade([DocumentFrequency(min_df=2), TypicalTestors()]).fit(rows, LABELS)
    assert chain.get_support().tolist() == [False, True, True, True, False]
    assert [columns.tolist() for columns, _ in chain.best_by_class(5)] == [[1], [2], [3]]


TEXTS = ["goal goal striker the", "goal keeper the", "ballot vote the", "ballot party the vote"] * 4
TOPICS = ["sport", "sport", "politics", "politics"] * 4


@pytest.mark.parametrize("n_terms", [3, 10, 20])
def test_a_categorizer_selects_the_same_terms_from_ltc_weights(n_terms: int) -> None:
    case = small_texts(n=80)
    model = plain_categorizer(selector="testors", n_terms=n_terms).fit(case.texts, case.labels)
    counter = TermCounter()
    weights = TermWeighter(tf="log", idf="plain", norm="l2").fit_transform(counter.fit_transform(case.texts))
    by_hand = TypicalTestors(k=n_terms).fit(weights, case.labels)
    assert 1 <= len(model.terms_) <= n_terms
    assert sorted(model.terms_) == sorted(counter.get_feature_names_out()[by_hand.support_])


def test_a_categorizer_without_a_number_of_terms_uses_the_selectors() -> None:
    texts = ["goal goal goal", "goal goal keeper", "goal goal", "ballot ballot", "ballot ballot vote", "ballot"] * 4
    labels = [*["sport"] * 3, *["politics"] * 3] * 4
    by_name = plain_categorizer(selector="testors").fit(texts, labels)
    by_object = plain_categorizer(selector=TypicalTestors()).fit(texts, labels)
    every = plain_categorizer(selector="testors", n_terms="all").fit(texts, labels)
    assert sorted(by_name.terms_) == sorted(by_object.terms_) == ["ballot", "goal"]
    assert sorted(every.terms_) == ["ballot", "goal", "keeper", "vote"]


def test_k_selects_terms_if_larger_weights_select_none() -> None:
    """The heaviest term distinguishes no classes, and the next two weigh the same: one of them is selected."""
    rows = np.array([[0, 0, 0.25], [0, 0, 0.25], [0.5, 0.5, 0]])
    selector = TypicalTestors(k=1, scale="none").fit(rows, [["a"], ["a", "b"], ["a"]])
    assert np.flatnonzero(selector.support_).tolist() == [0]


def test_the_number_of_terms_is_tuned_with_the_terms_of_each_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """On each fold, each size is evaluated with the terms that the selector selects for it from the other documents."""
    case = small_texts(n=80)
    calls: list[tuple[int | None, int]] = []
    select = TrainingPlan.select

    def checked_select(self: TrainingPlan, counts: Any, most: int | None) -> Any:
        selection = select(self, counts, most)
        weights = ClassStats.from_matrix(
            counts.within_limits.weights(self.selection_scheme), counts.targets.for_stats()
        )
        by_hand = TypicalTestors(k=min(most or 0, weights.n_terms)).fit_stats(weights)
        assert sorted(selection.columns.tolist()) == counts.columns_within_limits[by_hand.support_].tolist()
        calls.append((most, len(selection.columns)))
        return selection

    monkeypatch.setattr(TrainingPlan, "select", checked_select)
    monkeypatch.setattr("textsieve.training.tuning.size_grid", lambda most: [3, 8, most])
    model = plain_categorizer(selector="testors", n_terms="auto").fit(case.texts, case.labels)
    assert model.curve_ is not None
    assert {most for most, _ in calls} >= {3, 8, 26}
    sizes = {
        len(plain_categorizer(selector="testors", n_terms=most).fit(case.texts, case.labels).terms_)
        for most in (3, 8, 26)
    }
    assert [point.n_terms for point in model.curve_] == sorted(sizes)
    assert len(model.terms_) in sizes
    assert all(most is not None and n <= most for most, n in calls)


def test_in_a_categorizer() -> None:
    model = plain_categorizer(selector="testors", n_terms=4).fit(TEXTS, TOPICS)
    assert 1 <= len(model.terms_) <= 4
    assert "the" not in model.terms_
    assert model.predict(["a goal", "a ballot"]).tolist() == ["sport", "politics"]
    few = plain_categorizer(selector="testors", selector_options={"epsilon": 0.9}, n_terms=7).fit(TEXTS, TOPICS)
    assert set(few.terms_) == {"ballot", "goal", "vote"}


def test_testors_are_lazy_and_limited() -> None:
    chance = np.random.default_rng(3)
    rows = chance.random((40, 60)) * (chance.random((40, 60)) < 0.5)
    selector = TypicalTestors(epsilon=0.05, delta=0.3, score_limit=100).fit(rows, np.arange(40))
    some = selector.testors(0, limit=100)
    assert len(set(some)) == 100
    assert set(selector.class_terms_[0].tolist()) >= {
        term for testor in selector.testors(0, limit=100) for term in testor
    }
    assert not selector.scores_are_exact_
    assert (selector.scores_[selector.support_] > 0).all()
    against = selector.comparison_[0].toarray()[1:]
    for testor in selector.testors(0, limit=20):
        assert against[:, list(testor)].any(axis=1).all()
