"""Forward selection adds the term that reduces the least-squares error most; its laws, and invalid input."""

import copy
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse
from tests.reference import forward_twin as slow
from tests.reference.stats_cases import Case, cases

from textsieve import OCFS, Cascade, ClassStats, DocumentFrequency, ForwardSelection, InputError
from textsieve.selectors import forward

weights = st.sampled_from([0.0, 0.0, 0.0, 0.25, 0.5, 1.0, 2.0])


def table(seed: int = 0, n_documents: int = 60, n_terms: int = 40, n_classes: int = 4) -> tuple[Any, list[str]]:
    """Return term weights of documents, with some terms typical of a class, and the classes."""
    random = np.random.default_rng(seed)
    numbers = random.integers(n_classes, size=n_documents)
    chances = np.where(np.arange(n_terms) % (2 * n_classes) == numbers[:, None], 0.5, 0.1)
    rows = (random.random((n_documents, n_terms)) < chances) * random.random((n_documents, n_terms))
    return sparse.csr_matrix(rows), [f"class {number}" for number in numbers]


def has_two_classes(case: Case) -> bool:
    return len({label for labels in case.label_sets for label in labels}) > 1


# -- against the definition ------------------------------------------------------------------------------------------


@given(
    case=st.one_of(*(cases(weights, n_labels=n, max_documents=12, max_terms=6) for n in ((1, 1), (0, 1), (0, 3)))),
    ridge=st.sampled_from([0.3, 1.0, 20.0]),
)
def test_each_term_has_the_largest_gain_and_gains_are_exact(case: Case, ridge: float) -> None:
    """Documents have one label, several or none."""
    n_terms = case.rows.shape[1]
    assume(has_two_classes(case) and n_terms > 1)
    selector = ForwardSelection(k=n_terms - 1, ridge=ridge).fit(case.matrix(), case.label_sets)
    order = selector.ranking_[: n_terms - 1].tolist()
    slow.check_order(case.rows, case.label_sets, order, 1e-7, ridge)
    whole = slow.error_reduction(case.rows, case.label_sets, order, ridge)
    assert selector.gains_.sum() == pytest.approx(whole, rel=1e-9, abs=1e-9)
    assert (selector.gains_ >= 0).all()


@pytest.mark.parametrize("at_a_time", [1, 7, 64])
def test_the_block_size_does_not_change_the_selection(at_a_time: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forward, "_BLOCK_SIZE", at_a_time)
    rows, labels = table()
    selector = ForwardSelection(k=25).fit(rows, labels)
    slow.check_order(rows.toarray(), [[label] for label in labels], selector.ranking_[:25].tolist(), 1e-9)
    label_sets = [[label] for label in labels]
    expected = [
        slow.error_reduction(rows.toarray(), label_sets, selector.ranking_[:n].tolist(), 1.0) for n in (1, 9, 25)
    ]
    assert np.cumsum(selector.gains_)[[0, 8, 24]] == pytest.approx(expected, rel=1e-9)


def test_a_class_counts_by_the_root_of_its_size() -> None:
    """Classes of 16, 16 and 4 documents, each with a term of its own: in 12 of 16, and in all 4.

    The plain error would rank the terms of the two large classes first; Fisher's criterion that of the small class.
    """
    labels = ["a"] * 16 + ["b"] * 16 + ["c"] * 4
    rows = np.zeros((36, 3))
    rows[:12, 0] = rows[16:28, 1] = rows[32:, 2] = 1.0
    selector = ForwardSelection(k=2).fit(rows, labels)

    def alone(term: int) -> float:
        column = rows[:, term]
        pulls = {label: (column[np.array(labels) == label] - column.mean()).sum() for label in "abc"}
        pulled = sum(pull**2 / np.sqrt(labels.count(label)) for label, pull in pulls.items())
        return float(pulled / (((column - column.mean()) ** 2).sum() + 1.0))

    assert selector.gains_[0] == pytest.approx(alone(0), rel=1e-12)
    assert alone(0) == pytest.approx(alone(1), rel=1e-12)
    assert selector.ranking_.tolist() == [0, 2, 1]


def test_redundant_terms_are_skipped() -> None:
    rows, labels = table()
    doubled = sparse.csr_matrix(sparse.hstack([rows, rows]))
    once = ForwardSelection(k=8).fit(rows, labels).ranking_[:8]
    twice = ForwardSelection(k=8).fit(doubled, labels).ranking_[:8]
    assert len(set((twice % 40).tolist())) == 8
    assert set(twice.tolist()) == set(once.tolist()), "of equals the first"
    by_score = OCFS(k=8).fit(doubled, labels).ranking_[:8]
    assert len(set((by_score % 40).tolist())) == 4


# -- candidates and numbers of terms ---------------------------------------------------------------------------------


def test_fewer_terms_are_the_first_of_more() -> None:
    rows, labels = table()
    most = ForwardSelection(k=30).fit(rows, labels).ranking_.tolist()
    for k in (1, 5, 29):
        selector = ForwardSelection(k=k).fit(rows, labels)
        assert selector.ranking_[:k].tolist() == most[:k]
        assert selector.selected_columns().tolist() == most[:k]
        rest = selector.ranking_[k:]
        assert (np.diff(selector.scores_[rest]) <= 0).all()
        assert sorted(selector.ranking_.tolist()) == list(range(40))


def test_candidates_are_the_best_of_ocfs() -> None:
    rows, labels = table()
    best = OCFS(k="all").fit(rows, labels)
    selector = ForwardSelection(k=6, candidates=9).fit(rows, labels)
    assert set(selector.ranking_[:6].tolist()) < set(best.ranking_[:9].tolist())
    assert selector.ranking_[:6].tolist() != best.ranking_[:6].tolist()
    assert selector.scores_.tolist() == best.scores_.tolist()
    alone = ForwardSelection(k=6).fit(rows[:, np.sort(best.ranking_[:9])], labels)
    assert np.sort(best.ranking_[:9])[alone.ranking_[:6]].tolist() == selector.ranking_[:6].tolist()


@pytest.mark.parametrize("options", [{"k": 9, "candidates": 9}, {"k": "all"}, {"k": 40}, {"k": 1.0}], ids=str)
def test_without_a_choice_it_equals_ocfs_and_needs_no_documents(options: dict[str, Any]) -> None:
    rows, labels = table()
    selector = ForwardSelection(**options).fit_stats(ClassStats.from_matrix(rows, labels))
    best = OCFS(k=options["k"]).fit(rows, labels)
    assert selector.ranking_.tolist() == best.ranking_.tolist()
    assert selector.get_support().tolist() == best.get_support().tolist()
    assert selector.gains_.tolist() == []


def test_terms_for_a_class_are_those_of_ocfs() -> None:
    rows, labels = table()
    selector, best = ForwardSelection(k=5).fit(rows, labels), OCFS(k=5).fit(rows, labels)
    for own, other in zip(selector.best_by_class(4), best.best_by_class(4), strict=True):
        assert own[0].tolist() == other[0].tolist()


# -- documents are read twice ----------------------------------------------------------------------------------------


def test_batches_give_the_same_selection() -> None:
    rows, labels = table()
    whole = ForwardSelection(k=12).fit(rows, labels)
    stats = ClassStats.from_matrix(rows, labels)
    passes = []

    def documents() -> Any:
        passes.append(1)
        return (rows[begin : begin + 7] for begin in range(0, rows.shape[0], 7))

    in_batches = ForwardSelection(k=12).fit_stats(stats, documents)
    assert in_batches.ranking_.tolist() == whole.ranking_.tolist()
    assert in_batches.gains_.tolist() == whole.gains_.tolist()
    assert passes == [1], "one pass"


def test_all_matrix_formats_give_the_same_selection() -> None:
    rows, labels = table()
    counts = sparse.csr_matrix(np.ceil(rows.toarray() * 3))
    expected = ForwardSelection(k=9).fit(counts, labels).ranking_.tolist()
    for kind in (np.int32, np.uint8, np.float32):
        assert ForwardSelection(k=9).fit(counts.astype(kind), labels).ranking_.tolist() == expected
    in_parts = sparse.csr_matrix(
        (np.repeat(counts.data / 2, 2), np.repeat(counts.indices, 2), counts.indptr * 2), shape=counts.shape
    )
    stats = ClassStats.from_matrix(counts, labels)
    unsorted = sparse.csr_matrix(counts)
    unsorted.indices, unsorted.data = unsorted.indices.copy(), unsorted.data.copy()
    for begin, end in zip(unsorted.indptr[:-1], unsorted.indptr[1:], strict=True):
        unsorted.indices[begin:end] = unsorted.indices[begin:end][::-1].copy()
        unsorted.data[begin:end] = unsorted.data[begin:end][::-1].copy()
    unsorted.has_sorted_indices = unsorted.has_canonical_format = False
    order = unsorted.indices.tolist()
    for form in (unsorted, in_parts):
        selector = ForwardSelection(k=9).fit_stats(stats, partial(list, [form]))
        assert selector.ranking_.tolist() == expected
    assert unsorted.indices.tolist() == order, "what is given is left as it is"


def test_statistics_without_documents_raise_with_a_hint() -> None:
    rows, labels = table()
    with pytest.raises(InputError, match=r"ForwardSelection\(k=5\) must know which terms occur together.*OCFS"):
        ForwardSelection(k=5).fit_stats(ClassStats.from_matrix(rows, labels))


def test_there_is_no_partial_fit() -> None:
    assert not hasattr(ForwardSelection(), "partial_fit")
    with pytest.raises(AttributeError, match=r"has no partial_fit: .* Use OCFS, or call fit"):
        ForwardSelection().partial_fit(*table())


def test_a_cascade_passes_documents_on() -> None:
    rows, labels = table()
    frequent = np.flatnonzero(DocumentFrequency(k=20).fit(rows, labels).get_support())
    chain = Cascade([DocumentFrequency(k=20), ForwardSelection(k=6)]).fit(rows, labels)
    alone = ForwardSelection(k=6).fit(rows[:, frequent], labels)
    assert chain.ranking_[:6].tolist() == frequent[alone.ranking_[:6]].tolist()
    again = copy.deepcopy(chain)
    assert again.get_support().tolist() == chain.get_support().tolist()
    with pytest.raises(InputError, match="must know which terms occur together"):
        Cascade([DocumentFrequency(k=20), ForwardSelection(k=6)]).fit_stats(ClassStats.from_matrix(rows, labels))


def test_unlabelled_documents_show_which_terms_occur_together() -> None:
    """Two terms separate the classes equally well; only unlabelled documents show that they occur together."""
    rows = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1], [0, 0, 0.9]])
    labels: list[Any] = ["a", "a", "a", "b", "b", "b"]
    together = np.tile([[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]], (30, 1))
    selector = ForwardSelection(k=2).fit(np.vstack([rows, together]), [*labels, *[None] * 60])
    slow.check_order(
        np.vstack([rows, together]), [["a"]] * 3 + [["b"]] * 3 + [[]] * 60, selector.ranking_[:2].tolist(), 1e-9
    )
    assert 2 in selector.ranking_[:2].tolist()


# -- settings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("candidates", [0, -3, 2.5, "many", None, True])
def test_invalid_candidates_raise(candidates: Any) -> None:
    with pytest.raises(InputError, match=r"candidates=.*; use a number of terms from 1\."):
        ForwardSelection(candidates=candidates).fit(*table())


@pytest.mark.parametrize("ridge", [0, -1.0, float("nan"), float("inf"), "1", None, True])
def test_invalid_ridge_raises(ridge: Any) -> None:
    with pytest.raises(InputError, match=r"ridge=.*; use a number above 0, for example 1\.0\."):
        ForwardSelection(ridge=ridge).fit(*table())


def test_the_default_k_is_a_thousand() -> None:
    random = np.random.default_rng(1)
    rows = sparse.csr_matrix((random.random((30, 1200)) < 0.1).astype(float))
    selector = ForwardSelection().fit(rows, ["a", "b", "c"] * 10)
    assert selector.get_support().sum() == len(selector.gains_) == 1000
