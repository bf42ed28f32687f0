"""TOFA and OCFS equal their definition in fractions, two passes of floats, and brute force; their laws."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_iris
from tests.reference import trace_twin as exact
from tests.reference.selectors_cases import fit_any, select_from_stats
from tests.reference.stats_cases import Case, any_weights, cases, counts, near_a_million

from textsieve import OCFS, TOFA, Cascade, ClassStats, DocumentFrequency, InformationGain, TermCounter, TermWeighter
from textsieve.selectors.trace import between_class_scatter, scatter_of_class, total_scatter, trace_scores

WEIGHTS = [-1.5, 0, 0.0, 0.3, 1, 1.0, 1.2, 2.0, 37.5]
VALUES = {"counts": counts, "any": any_weights, "near a million": near_a_million}
BALANCED: list[Any] = [None, "balanced"]

some_weight = st.sampled_from(WEIGHTS)
one_label = cases(any_weights, n_labels=(1, 1), max_documents=12)
some_labels = cases(any_weights, n_labels=(0, 1), max_documents=12)
several_labels = cases(any_weights, n_labels=(0, 3), max_documents=12)
of_counts = cases(n_labels=(0, 2), max_documents=12)


def fitted(case: Case, **options: Any) -> Any:
    """Return the fitted TOFA, for any number of classes."""
    return fit_any(TOFA(**{"k": "all", **options}), case.matrix(), case.label_sets)


def split(case: Case, data: st.DataObject) -> list[Case]:
    """Draw a split of the documents: any order, any number of nonempty parts (scikit-learn requires rows)."""
    order = data.draw(st.permutations(range(len(case.rows))))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(order) - 1), max_size=4))) if len(order) > 1 else []
    return [case.part(order[start:end]) for start, end in pairwise([0, *cuts, len(order)])]


# -- against the definition ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("class_weight", BALANCED)
@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
@given(data=st.data())
def test_scores_equal_the_definition(values: Any, class_weight: Any, data: st.DataObject) -> None:
    """Documents have one label, several or none; weights may be negative, and values may nearly cancel."""
    case = data.draw(st.one_of(cases(values, n_labels=(0, 1), max_documents=12), cases(values, n_labels=(0, 3))))
    assume(any(case.label_sets))
    weight = data.draw(some_weight)
    selector = fitted(case, weight=weight, class_weight=class_weight)
    balanced = class_weight == "balanced"
    exact.assert_trace_scores(selector.scores_, case.rows.tolist(), case.label_sets, weight, balanced=balanced)
    assert selector.weight_ == weight
    assert isinstance(selector.weight_, float)
    assert selector.ranking_.tolist() == sorted(
        range(len(selector.scores_)), key=lambda term: (-selector.scores_[term], term)
    )


@pytest.mark.parametrize("class_weight", BALANCED)
@pytest.mark.parametrize("weight", [-1.0, 0.0, 0.3, 1.0, 2.0])
def test_weights_around_a_million_with_a_variance_of_a_millionth(weight: float, class_weight: Any) -> None:
    """Random values, and only two values, for which rounding errors do not cancel; documents have 0 to 2 labels."""
    chance = np.random.default_rng(3)
    n = 900
    labels = [tuple(chance.choice(4, chance.integers(0, 3), replace=False).tolist()) for _ in range(n)]
    shift = 1e-4 * np.array([sum(label_set) for label_set in labels])
    drawn = 1e6 + 1e-3 * chance.standard_normal((n, 2)) + shift[:, None]
    either = np.where(chance.random(n) < 0.4 + 20 * shift, 1e6 + 0.1, 1e6 + 0.102)
    rows = np.column_stack([drawn, either, -either])
    assert 2e-7 < rows.var(axis=0).max() < 5e-6
    expected = exact.trace_scores(rows.tolist(), labels, weight, balanced=class_weight is not None)
    whole = TOFA(weight=weight, class_weight=class_weight).fit(rows, labels)
    np.testing.assert_allclose(whole.scores_, [float(score) for score in expected], rtol=1e-9, atol=0)
    for seed, n_parts in enumerate((2, 7, 300)):
        parts = np.array_split(np.random.default_rng(seed).permutation(n), n_parts)
        streamed = TOFA(weight=weight, class_weight=class_weight)
        for part in parts:
            streamed.partial_fit(sparse.csr_array(rows[part]), [labels[document] for document in part])
        np.testing.assert_allclose(streamed.scores_, [float(score) for score in expected], rtol=1e-9, atol=0)
        assert streamed.ranking_.tolist() == whole.ranking_.tolist()


@pytest.mark.parametrize("class_weight", BALANCED)
@given(case=st.one_of(one_label, several_labels), weight=some_weight)
def test_scores_equal_those_of_two_passes_of_floats(class_weight: Any, case: Case, weight: float) -> None:
    assume(any(case.label_sets))
    case = Case(case.rows.clip(-9, 9), case.label_sets)
    scores = fitted(case, weight=weight, class_weight=class_weight).scores_
    expected = exact.plain_scores(case.rows, case.label_sets, weight, balanced=class_weight is not None)
    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-12 * (1 + abs(weight)))


def test_the_parts_by_hand() -> None:
    """Two classes with means 3 and 0 and 2 and 1 documents, and an unlabelled document."""
    stats = ClassStats.from_matrix([[4.0], [2.0], [0.0], [10.0]], ["a", "a", "b", None])
    assert between_class_scatter(stats) == pytest.approx([2 / 3 * 1 + 1 / 3 * 4], rel=1e-15)
    assert between_class_scatter(stats, "balanced") == pytest.approx([2.25], rel=1e-15)
    assert total_scatter(stats) == pytest.approx([(0 + 4 + 16 + 36) / 4], rel=1e-15)
    assert trace_scores(stats, 0.5) == pytest.approx([8.0], rel=1e-15)
    assert trace_scores(stats, 2.0, "balanced") == pytest.approx([4.5 - 14], rel=1e-15)


def test_several_labels_count_as_pairs_between_classes_and_once_in_all() -> None:
    stats = ClassStats.from_matrix([[6.0], [0.0], [0.0]], [["a", "b"], ["a"], ["b"]])
    assert total_scatter(stats) == pytest.approx([8.0]), "documents 6, 0, 0 around 2; as pairs 6, 6, 0, 0 it were 9"
    assert between_class_scatter(stats).tolist() == [0.0]
    stats = ClassStats.from_matrix([[6.0], [0.0], [0.0]], [["a", "b"], ["a"], ["c"]])
    assert between_class_scatter(stats) == pytest.approx([(2 * 0 + 9 + 9) / 4]), "means 3, 6, 0 of 2, 1, 1 around 3"


# -- any split and form of the input -------------------------------------------------------------------------------


@pytest.mark.parametrize("class_weight", BALANCED)
@given(case=of_counts, weight=some_weight, data=st.data())
def test_any_split_of_counts_gives_the_same_bits(
    class_weight: Any, case: Case, weight: float, data: st.DataObject
) -> None:
    assume(any(case.label_sets))
    whole = fitted(case, weight=weight, class_weight=class_weight)
    streamed, merged = TOFA(weight=weight, class_weight=class_weight, k="all"), ClassStats.zero()
    for part in split(case, data):
        streamed.partial_fit(part.matrix(), part.label_sets)
        merged = ClassStats.from_matrix(part.matrix(), part.label_sets) + merged
    assert select_from_stats(streamed).scores_.tolist() == whole.scores_.tolist()
    assert streamed.ranking_.tolist() == whole.ranking_.tolist()
    assert trace_scores(merged, weight, class_weight).tolist() == whole.scores_.tolist()


@pytest.mark.parametrize("class_weight", BALANCED)
@pytest.mark.parametrize("values", [any_weights, near_a_million], ids=["any", "near a million"])
@given(data=st.data())
def test_any_split_of_weights_gives_the_same_scores(values: Any, class_weight: Any, data: st.DataObject) -> None:
    case, weight = data.draw(cases(values, n_labels=(0, 2), max_documents=12)), data.draw(some_weight)
    assume(any(case.label_sets))
    streamed, merged = TOFA(weight=weight, class_weight=class_weight, k="all"), ClassStats.zero()
    for part in split(case, data):
        streamed.partial_fit(part.matrix(), part.label_sets)
        merged = ClassStats.from_matrix(part.matrix(), part.label_sets) + merged
    for scores in (select_from_stats(streamed).scores_, trace_scores(merged, weight, class_weight)):
        balanced = class_weight is not None
        exact.assert_trace_scores(scores, case.rows.tolist(), case.label_sets, weight, balanced=balanced)


ROWS = np.random.default_rng(7).integers(-2, 4, (14, 6)) * (np.random.default_rng(8).random((14, 6)) < 0.6)
LABELS: list[Any] = ["b", None, "a", "c", "a", "b", None, "c", "c", "a", "b", "c", "", "a"]


def with_duplicates(rows: Any) -> sparse.csr_array:
    """Return rows in which each value is stored as two halves, and zeros are stored, too."""
    n, d = rows.shape
    columns = np.tile(np.concatenate([np.arange(d), np.arange(d)[::-1]]), n)
    data = np.concatenate([np.concatenate([row / 2, row[::-1] / 2]) for row in rows])
    return sparse.csr_array((data, columns, np.arange(n + 1) * 2 * d), shape=(n, d))


def with_zeros(rows: Any) -> sparse.csr_array:
    """Return rows in which every value is stored, including zeros."""
    n, d = rows.shape
    return sparse.csr_array((rows.ravel(), np.tile(np.arange(d), n), np.arange(n + 1) * d), shape=(n, d))


FORMS: dict[str, Any] = {
    "dense": lambda rows: rows,
    "floats": lambda rows: rows.astype(np.float64),
    "short floats": lambda rows: rows.astype(np.float32),
    "short whole numbers": lambda rows: rows.astype(np.int8),
    "sparse": sparse.csr_array,
    "by columns": sparse.csc_matrix,
    "coordinates": sparse.coo_array,
    "stored zeros": with_zeros,
    "duplicates": with_duplicates,
    "lists": lambda rows: rows.tolist(),
}


@pytest.mark.pairwise
@pytest.mark.parametrize("class_weight", BALANCED)
@pytest.mark.parametrize("weight", [0.0, 0.4, 1.0, 2.0])
@pytest.mark.parametrize("form", FORMS)
def test_all_matrix_forms_give_the_same_scores(form: str, weight: float, class_weight: Any) -> None:
    label_sets = [(label,) if label else () for label in LABELS]
    selector = TOFA(weight=weight, class_weight=class_weight)
    score_arrays = [
        selector.fit(FORMS[form](ROWS), LABELS).scores_,
        selector.fit_stats(ClassStats.from_matrix(FORMS[form](ROWS), LABELS)).scores_,
    ]
    for scores in score_arrays:
        balanced = class_weight is not None
        exact.assert_trace_scores(scores, ROWS.tolist(), label_sets, weight, balanced=balanced, relative=1e-14)


def test_short_floats_are_added_with_all_digits() -> None:
    rows = (1e6 + np.random.default_rng(0).random((500, 2))).astype(np.float32)
    labels = np.arange(500) % 3
    scores = TOFA(weight=0.5).fit(rows, labels).scores_
    exact.assert_trace_scores(scores, rows.tolist(), [(int(label),) for label in labels], 0.5)


# -- laws ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("class_weight", BALANCED)
@given(case=several_labels)
def test_weight_one_is_ocfs(class_weight: Any, case: Case) -> None:
    assume(any(case.label_sets))
    ocfs = fit_any(OCFS(k="all", class_weight=class_weight), case.matrix(), case.label_sets)
    tofa = fitted(case, weight=1, class_weight=class_weight)
    assert tofa.scores_.tolist() == ocfs.scores_.tolist()
    assert tofa.ranking_.tolist() == ocfs.ranking_.tolist()
    assert tofa.energy_.tolist() == ocfs.energy_.tolist()
    assert ocfs.weight_ == 1.0
    assert (tofa.scores_ >= 0).all()


@given(case=of_counts, weight=some_weight, label=st.sampled_from("abc"))
def test_repeating_a_class_changes_nothing_with_balanced_classes(case: Case, weight: float, label: str) -> None:
    labelled = [at for at, labels in enumerate(case.label_sets) if len(labels) == 1]
    assume(labelled)
    case = case.part(labelled)
    again = [at for at, labels in enumerate(case.label_sets) if labels == (label,)]
    doubled = case.part([*range(len(case.rows)), *again])
    once, twice = (
        between_class_scatter(ClassStats.from_matrix(documents.matrix(), documents.label_sets), "balanced")
        for documents in (case, doubled)
    )
    np.testing.assert_allclose(once, twice, rtol=1e-14, atol=1e-28)


def test_repeating_a_class_changes_scores_by_default() -> None:
    rows, labels = np.array([[3.0], [1.0], [0.0]]), ["a", "b", "b"]
    more = np.vstack([rows, rows[:1]]), [*labels, "a"]
    balanced, plain = TOFA(weight=1, class_weight="balanced"), TOFA(weight=1)
    assert balanced.fit(*more).scores_ == pytest.approx(balanced.fit(rows, labels).scores_)
    assert plain.fit(*more).scores_[0] > 1.1 * plain.fit(rows, labels).scores_[0]


@pytest.mark.parametrize("class_weight", BALANCED)
@given(case=several_labels, others=several_labels)
def test_unlabelled_documents_change_only_the_variance(class_weight: Any, case: Case, others: Case) -> None:
    assume(any(case.label_sets))
    width = min(case.rows.shape[1], others.rows.shape[1])
    rows, more = case.rows[:, :width], others.rows[:, :width]
    labels = [*case.label_sets, *(() for _ in more)]
    both = ClassStats.from_matrix(np.vstack([rows, more]), labels)
    alone = ClassStats.from_matrix(rows, case.label_sets)
    assert trace_scores(both, 1.0, class_weight).tolist() == trace_scores(alone, 1.0, class_weight).tolist()
    everything = ClassStats.from_matrix(np.vstack([rows, more]))
    np.testing.assert_allclose(trace_scores(both, 0.0), trace_scores(everything, 0.0), rtol=1e-12)


@pytest.mark.parametrize("class_weight", BALANCED)
@given(case=several_labels, weight=some_weight)
def test_scores_are_linear_in_the_weight(class_weight: Any, case: Case, weight: float) -> None:
    assume(any(case.label_sets))
    at_0, at_1, scores = (fitted(case, weight=value, class_weight=class_weight).scores_ for value in (0, 1, weight))
    for variance, between, score in zip(at_0, at_1, scores, strict=True):
        size = abs(weight) * between + abs(1 - weight) * variance
        assert score == pytest.approx(weight * between + (1 - weight) * variance, abs=1e-14 * size, rel=0)


@pytest.mark.parametrize("class_weight", BALANCED)
@given(
    value=st.floats(-1e7, 1e7).filter(lambda value: abs(value) > 1e-60),
    n=st.integers(2, 400),
    weight=some_weight,
    seed=st.integers(0, 9),
)
def test_a_constant_term_scores_nothing(class_weight: Any, value: float, n: int, weight: float, seed: int) -> None:
    chance = np.random.default_rng(seed)
    rows, labels = np.column_stack([np.full(n, value), np.zeros(n)]), chance.choice(["a", "b", "c"], n).tolist()
    selector = TOFA(weight=weight, class_weight=class_weight, k="all")
    for part in np.array_split(chance.permutation(n), 1 + seed % 2):
        selector.partial_fit(rows[part], [labels[document] for document in part])
    assert select_from_stats(selector).scores_.tolist() == [0.0, 0.0]


def test_a_term_that_changes_in_one_document_by_little_is_not_constant() -> None:
    """One document of a thousand differs by a ten-millionth of the weight; the variance is about a millionth."""
    rows = np.full((1000, 1), 1e6 / 3)
    rows[17] += 0.03
    selector = TOFA(weight=0).fit(rows)
    exact.assert_trace_scores(selector.scores_, rows.tolist(), [("a",)] * 1000, 0.0)
    assert selector.scores_[0] > 0


@pytest.mark.parametrize("class_weight", BALANCED)
def test_very_large_weights_have_scores(class_weight: Any) -> None:
    """Sums of squares are near the largest float, so a squared sum would overflow, also within a class."""
    n = 60_000
    rows = np.full((n, 2), 9e149)
    rows[::2, 0] *= -1
    selector = TOFA(weight=0.5, class_weight=class_weight).fit(rows, np.arange(n) % 2)
    assert selector.scores_ == pytest.approx([8.1e299, 0.0], rel=1e-12)


@pytest.mark.parametrize("class_weight", BALANCED)
@given(case=several_labels, weight=some_weight, by=st.sampled_from([0.125, -2.0, 1024.0]))
def test_scores_grow_with_the_square_of_the_weights(class_weight: Any, case: Case, weight: float, by: float) -> None:
    """For factors that are powers of two, the scores are equal to the last bit."""
    assume(any(case.label_sets))
    original = fitted(case, weight=weight, class_weight=class_weight)
    scaled = fitted(Case(case.rows * by, case.label_sets), weight=weight, class_weight=class_weight)
    assert scaled.scores_.tolist() == (original.scores_ * by * by).tolist()
    assert scaled.ranking_.tolist() == original.ranking_.tolist()


@pytest.mark.parametrize("class_weight", BALANCED)
@given(case=several_labels, weight=some_weight, data=st.data())
def test_terms_in_another_order_have_the_same_scores(
    class_weight: Any, case: Case, weight: float, data: st.DataObject
) -> None:
    assume(any(case.label_sets))
    order = data.draw(st.permutations(range(case.rows.shape[1])))
    original = fitted(case, weight=weight, class_weight=class_weight)
    moved = fitted(Case(case.rows[:, order], case.label_sets), weight=weight, class_weight=class_weight)
    assert moved.scores_.tolist() == original.scores_[order].tolist()


@pytest.mark.parametrize("class_weight", BALANCED)
@given(case=some_labels)
def test_the_summands_of_the_classes_add_up_to_the_scatter(class_weight: Any, case: Case) -> None:
    assume(any(case.label_sets))
    stats = ClassStats.from_matrix(case.rows.clip(-9, 9), case.label_sets)
    summands = [np.abs(scatter_of_class(stats, number, class_weight)) for number in range(len(stats.classes))]
    np.testing.assert_allclose(
        np.sum(summands, axis=0), between_class_scatter(stats, class_weight), rtol=1e-9, atol=1e-14
    )


# -- the papers ----------------------------------------------------------------------------------------------------

PRINTED_MEANS = np.array([[5.006, 3.418, 1.464, 0.244], [5.936, 2.770, 4.260, 1.326], [6.588, 2.974, 5.552, 2.026]])
PRINTED_SCORES = [1.2642, 0.21955, 8.7329, 1.1621]
IRIS: list[Any] = [OCFS(k=2), TOFA(weight=1, k=2), OCFS(k=2, class_weight="balanced")]


@pytest.mark.parametrize("selector", IRIS, ids=repr)
def test_iris_of_the_paper(selector: Any) -> None:
    """The printed scores omit the factor 1/3, and the fourth has two digits swapped; feature four ranks second."""
    selector.fit(np.repeat(PRINTED_MEANS, 50, axis=0), np.repeat([1, 2, 3], 50))
    assert selector.scores_.round(5).tolist() == [0.42141, 0.07318, 2.91096, 0.53736]
    assert selector.get_support(indices=True).tolist() == [2, 3]
    assert selector.ranking_.tolist() == [2, 3, 0, 1]
    three_times = 3 * selector.scores_
    assert three_times[:3] == pytest.approx(PRINTED_SCORES[:3], abs=5e-5)
    assert f"{three_times[3]:.4f}" == "1.6121"
    printed = f"{PRINTED_SCORES[3]:.4f}"
    assert printed[:2] + printed[3] + printed[2] + printed[4:] == f"{three_times[3]:.4f}"
    assert selector.scores_ == pytest.approx(((PRINTED_MEANS - PRINTED_MEANS.mean(axis=0)) ** 2).mean(axis=0))


def test_iris_as_scikit_learn_has_it() -> None:
    """Two flowers of the first class differ from those of the paper; class means agree to two digits."""
    flowers, kinds = load_iris(return_X_y=True)
    means = np.array([flowers[kinds == kind].mean(axis=0) for kind in range(3)])
    np.testing.assert_allclose(means, PRINTED_MEANS, atol=0.011)
    for weight in (0.0, 0.5, 1.0, 2.0):
        scores = TOFA(weight=weight, k=2).fit(flowers, kinds).scores_
        np.testing.assert_allclose(
            scores, exact.plain_scores(flowers, [(int(kind),) for kind in kinds], weight), rtol=1e-12
        )
    assert TOFA(weight=1, k=2).fit(flowers, kinds).ranking_.tolist() == [2, 3, 0, 1]


@pytest.mark.parametrize("weight", [-1.0, 0.0, 0.5, 1.0, 1.3, 2.0, 10.0])
@pytest.mark.parametrize("seed", range(3))
def test_no_other_selection_has_a_larger_trace(weight: float, seed: int) -> None:
    """The scores are the diagonal of S, and the best p terms have the largest trace of all selections of p."""
    chance = np.random.default_rng(seed)
    d = 8
    rows = chance.standard_normal((30, d)) * chance.random(d) * 3
    labels: list[tuple[str, ...]] = [
        tuple("abc"[int(chance.integers(3))]) if chance.random() < 0.8 else () for _ in rows
    ]
    labels[0] = ("a", "c")
    rows[[labels[at] == ("a",) for at in range(30)]] += chance.standard_normal(d)
    matrix = exact.trace_matrix(rows, labels, weight)
    assert np.abs(matrix - np.diag(np.diag(matrix))).max() > 1e-3, "a matrix that is not its diagonal"
    for p in range(1, d + 1):
        selector = TOFA(weight=weight, k=p).fit(rows, labels)
        picked = selector.get_support(indices=True)
        assert len(picked) == p
        best = exact.largest_trace(matrix, p)
        assert np.trace(matrix[np.ix_(picked, picked)]) == pytest.approx(best, rel=1e-12)
        assert np.sort(selector.scores_)[::-1][:p].sum() == pytest.approx(best, rel=1e-12)


# -- with other selectors ------------------------------------------------------------------------------------------


def test_a_cascade_of_two_weights_equals_its_stages() -> None:
    chance = np.random.default_rng(0)
    rows, labels = chance.integers(0, 4, (40, 12)), np.where(chance.random(40) < 0.3, -1, chance.integers(0, 3, 40))
    first = TOFA(weight=0.5, k=6).fit(rows, labels)
    columns = first.get_support(indices=True)
    cascade = Cascade([TOFA(weight=0.5, k=6), TOFA(weight=2, k=3, class_weight="balanced")]).fit(rows, labels)
    second = TOFA(weight=2, k=3, class_weight="balanced").fit(rows[:, columns], labels)
    assert cascade.get_support(indices=True).tolist() == columns[second.get_support(indices=True)].tolist()
    assert cascade.scores_[columns].tolist() == second.scores_.tolist()
    assert cascade.classes_.tolist() == [0, 1, 2]
    parts = Cascade([TOFA(weight=0.5, k=6), TOFA(weight=2, k=3, class_weight="balanced")])
    for part in np.array_split(np.arange(40), 3):
        parts.partial_fit(rows[part], labels[part])
    assert parts.ranking_.tolist() == cascade.ranking_.tolist()


@pytest.mark.parametrize("last", [TOFA(weight=0.5, k=3), TOFA(weight=0, k=3), TOFA(k=3), OCFS(k=3)], ids=repr)
def test_a_cascade_ranks_terms_for_a_class(last: Any) -> None:
    chance = np.random.default_rng(0)
    rows, labels = chance.integers(0, 4, (40, 12)), chance.integers(0, 3, 40)
    cascade = Cascade([DocumentFrequency(k=6), last]).fit(rows, labels)
    alone = type(last)(**last.get_params()).fit(rows, labels)
    reached = set(np.flatnonzero(np.isfinite(cascade.scores_)).tolist())
    for (columns, scores), (all_columns, all_scores) in zip(
        cascade.best_by_class(12), alone.best_by_class(12), strict=True
    ):
        expected = [pair for pair in zip(all_columns.tolist(), all_scores.tolist(), strict=True) if pair[0] in reached]
        assert list(zip(columns.tolist(), scores.tolist(), strict=True)) == expected


@pytest.mark.parametrize("labels", [[0, 1, -1, 0, 1, -1], ["a", "b", -1, "a", "b", None], [0, 1, np.nan, 0, 1, -1]])
def test_a_cascade_uses_the_marker_for_unlabelled_of_a_stage(labels: list[Any]) -> None:
    """A marker for unlabelled documents of one selector applies to the whole cascade."""
    rows = np.array([[1, 2, 0], [0, 2, 1], [5, 2, 5], [1, 2, 0], [0, 1, 1], [0, 9, 0]])
    known = [None if at in (2, 5) else label for at, label in enumerate(labels)]
    for chain in ([TOFA(weight=0.5, k=3), InformationGain(k=2)], [InformationGain(k=3), TOFA(weight=0.5, k=2)]):
        cascade, expected = Cascade(chain).fit(rows, labels), Cascade(chain).fit(rows, known)
        assert cascade.scores_.tolist() == expected.scores_.tolist()
        assert len(cascade.classes_) == 2
        assert len(list(cascade.best_by_class(3))) == 2


# -- real text -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def groups(newsgroups: tuple[list[str], list[str]]) -> tuple[Any, Any]:
    """Return term weights, and labels of which nine in ten are removed."""
    texts, names = (items[::4] for items in newsgroups)
    counts = TermCounter().fit_transform(texts)
    hidden = np.random.default_rng(0).random(len(names)) < 0.9
    return TermWeighter().fit(counts).transform(counts), np.where(hidden, "", np.array(names))


@pytest.mark.parametrize("class_weight", BALANCED)
@pytest.mark.parametrize("weight", [0.0, 0.4, 1.0, 2.0])
def test_few_labels_of_the_newsgroups(groups: tuple[Any, Any], weight: float, class_weight: Any) -> None:
    """Class means come from labelled documents, the variance from all."""
    rows, labels = groups
    assert 0.08 < (labels != "").mean() < 0.12
    names = sorted(set(labels) - {""})
    assert len(names) == 20
    sizes = np.array([1 if class_weight else (labels == name).sum() for name in names])
    means = np.array([np.asarray(rows[np.flatnonzero(labels == name)].mean(axis=0)).ravel() for name in names])
    shares = sizes[:, None] / sizes.sum()
    between = (shares * (means - (shares * means).sum(axis=0)) ** 2).sum(axis=0)
    total = np.asarray(rows.power(2).mean(axis=0)).ravel() - np.asarray(rows.mean(axis=0)).ravel() ** 2
    selector = TOFA(weight=weight, class_weight=class_weight).fit(rows, labels.tolist())
    size = abs(weight) * between + abs(1 - weight) * total
    assert (np.abs(selector.scores_ - (weight * between + (1 - weight) * total)) <= 1e-9 * size).all()
    assert selector.classes_.tolist() == names


def test_unlabelled_documents_change_the_selected_terms(groups: tuple[Any, Any]) -> None:
    rows, labels = groups
    labelled = np.flatnonzero(labels != "")
    for weight, overlap in ((1.0, 300), (0.5, 290)):
        with_unlabelled = TOFA(weight=weight, k=300).fit(rows, labels.tolist())
        labelled_only = TOFA(weight=weight, k=300).fit(rows[labelled], labels[labelled].tolist())
        both = np.intersect1d(with_unlabelled.get_support(indices=True), labelled_only.get_support(indices=True))
        assert (len(both) == 300) if weight == 1 else (len(both) < overlap)


@pytest.mark.parametrize("in_batches", [False, True])
def test_a_million_documents(in_batches: bool) -> None:
    """Two values near a million that differ by 2^-10: the variance is that of a coin toss times 2^-20."""
    tossed = np.random.default_rng(0).random(1_000_000) < 0.3
    rows = np.where(tossed, 1e6 + 2.0**-10, 1e6)[:, np.newaxis]
    labels = np.arange(1_000_000) % 3
    selector = TOFA(weight=0.0, k="all")
    if in_batches:
        for begin in range(0, len(rows), 100_000):
            selector.partial_fit(rows[begin : begin + 100_000], labels[begin : begin + 100_000])
    else:
        selector.fit(rows, labels)
    heads = int(tossed.sum())
    exact = Fraction(heads * (len(rows) - heads), len(rows) ** 2) / 2**20
    assert selector.scores_[0] == pytest.approx(float(exact), rel=1e-9)
    constant = TOFA(weight=0.0, k="all").fit(np.full((200_000, 1), 1e6 + 0.1))
    assert constant.scores_.tolist() == [0.0]
