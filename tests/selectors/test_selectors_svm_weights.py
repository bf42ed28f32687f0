"""The weights of linear SVMs as scores: beside LinearSVC, with all kinds of labels, in batches and on threads."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from tests.reference import svm_weights_twin as slow

from textsieve import OCFS, TOFA, Cascade, ClassStats, DocumentFrequency, ForwardSelection, InputError, WeightSelection
from textsieve.selectors import svm_weights

FINE: dict[str, Any] = {"k": "all", "tol": 1e-7, "n_jobs": 1}


def table(seed: int = 0, n_documents: int = 60, n_terms: int = 40, n_classes: int = 4) -> tuple[Any, list[str]]:
    """Return term weights of documents, with some terms typical of a class, and the classes."""
    random = np.random.default_rng(seed)
    numbers = random.integers(n_classes, size=n_documents)
    chances = np.where(np.arange(n_terms) % (2 * n_classes) == numbers[:, None], 0.5, 0.1)
    rows = (random.random((n_documents, n_terms)) < chances) * random.random((n_documents, n_terms))
    return sparse.csr_matrix(rows), [f"class {number}" for number in numbers]


LABELS: dict[str, Any] = {
    "one label": lambda labels: [[label] for label in labels],
    "two classes": lambda labels: [[label > "class 1"] for label in labels],
    "unlabelled": lambda labels: [[] if number % 5 == 0 else [label] for number, label in enumerate(labels)],
    "multilabel": lambda labels: [
        [label, "even"] if number % 2 == 0 else [label] * (number % 3 > 0) for number, label in enumerate(labels)
    ],
    "a class of all documents": lambda labels: [[label, "all"] for label in labels],
}


# -- scores ------------------------------------------------------------------------------------------------------------


def test_scores_of_two_documents() -> None:
    """By symmetry, the weights for a class are v and -v, and b is 0: v² + 2C(1 - v)² is least at v = 2C / (1 + 2C)."""
    selector = WeightSelection(C=0.5, **FINE).fit([[3.0, 0.0], [0.0, 7.0]], ["a", "b"])
    assert selector.coef_ == pytest.approx(np.array([[0.5, -0.5], [-0.5, 0.5]]), abs=1e-6)
    assert selector.scores_ == pytest.approx([0.5, 0.5], abs=1e-6)


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_are_squared_weights_of_linear_svms(kind: str, weighted: bool) -> None:
    rows, labels = table(1)
    label_sets = LABELS[kind](labels)
    sample_weight = np.arange(60) % 4 * 0.5 if weighted else None
    selector = WeightSelection(C=0.7, **FINE).fit(rows, label_sets, sample_weight=sample_weight)
    if sample_weight is None:
        expected = slow.class_weights(rows.toarray(), label_sets, 0.7)
    else:  # documents of weight 0 are left out
        counting = np.flatnonzero(sample_weight)
        sets = [label_sets[document] for document in counting]
        expected = slow.class_weights(rows.toarray()[counting], sets, 0.7, sample_weight[counting])
    assert selector.classes_.tolist() == list(expected)
    assert selector.coef_ == pytest.approx(np.array(list(expected.values())), abs=2e-5)
    assert selector.scores_ == pytest.approx(sum(weights**2 for weights in expected.values()), abs=1e-4)
    assert selector.ranking_.tolist() == np.argsort(-selector.scores_, kind="stable").tolist()


def test_terms_for_a_class_are_those_of_the_largest_weights() -> None:
    rows, labels = table()
    selector = WeightSelection(**FINE).fit(rows, labels)
    for weights, (columns, scores) in zip(selector.coef_, selector.best_by_class(3), strict=True):
        assert columns.tolist() == np.argsort(-weights, kind="stable")[:3].tolist()
        assert scores.tolist() == weights[columns].tolist()


def test_documents_count_by_direction_only() -> None:
    rows, labels = table()
    once = WeightSelection(**FINE).fit(rows, labels)
    factors = sparse.diags_array(2.0 ** (np.arange(60) % 5))
    candidates = WeightSelection(**FINE).fit(sparse.csr_matrix(factors @ rows), labels)
    np.testing.assert_array_equal(candidates.scores_, once.scores_)


def test_weights_of_documents_equal_repeated_documents() -> None:
    rows, labels = table()
    repeats = np.arange(60) % 3
    copies = np.repeat(np.arange(60), repeats)
    once = WeightSelection(**FINE).fit(rows, labels, sample_weight=repeats)
    often = WeightSelection(**FINE).fit(rows[copies], [labels[document] for document in copies])
    assert once.scores_ == pytest.approx(often.scores_, abs=1e-5)
    assert not np.allclose(once.scores_, WeightSelection(**FINE).fit(rows, labels).scores_, atol=1e-3)


def test_neither_threads_nor_the_number_of_classes_at_a_time_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, labels = table()
    expected = WeightSelection(n_jobs=1).fit(rows, labels).coef_.tobytes()
    assert WeightSelection(n_jobs=3).fit(rows, labels).coef_.tobytes() == expected
    monkeypatch.setattr(svm_weights, "_MAX_SOLVED", 90)  # two classes of 40 terms
    assert WeightSelection(n_jobs=3).fit(rows, labels).coef_.tobytes() == expected


# -- candidates --------------------------------------------------------------------------------------------------------


def test_candidates_are_the_best_of_ocfs_and_the_others_come_last() -> None:
    rows, labels = table()
    by_scatter = OCFS(k="all").fit(rows, labels).ranking_
    selector = WeightSelection(k=12, candidates=9).fit(rows, labels)
    candidates = np.sort(by_scatter[:9])
    alone = WeightSelection(k="all").fit(rows[:, candidates], labels)
    assert selector.ranking_[:9].tolist() == candidates[alone.ranking_].tolist()
    assert selector.ranking_[9:].tolist() == by_scatter[9:].tolist()
    assert selector.scores_[candidates].tolist() == alone.scores_.tolist()
    assert not selector.scores_[by_scatter[9:]].any()
    assert selector.selected_columns().tolist() == selector.ranking_[:12].tolist()


def test_a_minimum_score_limits_the_terms() -> None:
    rows, labels = table()
    scores = WeightSelection(k="all").fit(rows, labels).scores_
    limit = float(np.sort(scores)[-7])
    assert np.flatnonzero(WeightSelection(min_score=limit).fit(rows, labels).get_support()).tolist() == (
        np.flatnonzero(scores >= limit).tolist()
    )


def test_forward_selection_among_the_terms_of_the_largest_weights() -> None:
    rows, labels = table()
    by_weight = WeightSelection(k="all").fit(rows, labels).ranking_
    candidates = np.sort(by_weight[:9])
    selector = ForwardSelection(k=6, candidates=9, candidates_by="weights").fit(rows, labels)
    alone = ForwardSelection(k=6).fit(rows[:, candidates], labels)
    assert selector.ranking_[:6].tolist() == candidates[alone.ranking_[:6]].tolist()
    assert selector.ranking_[9:].tolist() == by_weight[9:].tolist()
    all_terms = ForwardSelection(k="all", candidates_by="weights").fit(rows, labels)
    assert all_terms.ranking_.tolist() == by_weight.tolist() != OCFS(k="all").fit(rows, labels).ranking_.tolist()


# -- documents are read twice ------------------------------------------------------------------------------------------


def test_batches_give_the_same_bytes() -> None:
    rows, labels = table()
    label_sets = LABELS["unlabelled"](labels)
    whole = WeightSelection().fit(rows, label_sets)
    stats = ClassStats.from_matrix(rows, label_sets)
    doubled = sparse.csr_matrix(
        (np.repeat(rows.data / 2, 2), np.repeat(rows.indices, 2), rows.indptr * 2), shape=rows.shape
    )
    unsorted_indices = doubled.indices.copy()
    for matrix in (rows, doubled):
        batches = [matrix[begin : begin + 7] for begin in range(0, 60, 7)]
        parts = WeightSelection().fit_stats(stats, partial(iter, batches), labels=label_sets)
        assert parts.coef_.tobytes() == whole.coef_.tobytes()
    assert doubled.indices.tolist() == unsorted_indices.tolist(), "the given matrix is not changed"


def test_batches_may_lack_the_last_columns() -> None:
    rows = sparse.csr_matrix(np.array([[1.0, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1]]))
    labels = np.array(["a", "a", "b", "b"])
    batches = [rows[:3, :2], rows[3:]]
    parts = WeightSelection(k=2).fit_stats(ClassStats.from_matrix(rows, labels), lambda: batches, labels=labels)
    assert parts.coef_.tobytes() == WeightSelection(k=2).fit(rows, labels).coef_.tobytes()


@pytest.mark.parametrize("given", ["documents", "labels"])
def test_statistics_alone_raise_with_a_hint(given: str) -> None:
    rows, labels = table()
    arguments: dict[str, Any] = {"documents": lambda: [rows]} if given == "documents" else {"labels": labels}
    with pytest.raises(
        InputError, match=r"WeightSelection\(k=5\) trains an SVM on the documents and their labels.*OCFS"
    ):
        WeightSelection(k=5).fit_stats(ClassStats.from_matrix(rows, labels), **arguments)


def test_labels_of_other_documents_raise() -> None:
    rows, labels = table()
    stats = ClassStats.from_matrix(rows, labels)
    with pytest.raises(InputError, match=r"labels has 0 documents of the class 'class 0', and stats has"):
        WeightSelection(k=5).fit_stats(stats, lambda: [rows], labels=[label.upper() for label in labels])
    with pytest.raises(InputError, match=r"There are 60 documents but 59 labels"):
        WeightSelection(k=5).fit_stats(stats, lambda: [rows], labels=labels[1:])


def test_there_is_no_partial_fit() -> None:
    assert not hasattr(WeightSelection(), "partial_fit")
    with pytest.raises(AttributeError, match=r"has no partial_fit: .* Use OCFS, or call fit"):
        WeightSelection().partial_fit(*table())


def test_a_cascade_passes_documents_and_labels_on() -> None:
    rows, labels = table()
    frequent = np.flatnonzero(DocumentFrequency(k=20).fit(rows, labels).get_support())
    chain = Cascade([DocumentFrequency(k=20), WeightSelection(k=6)]).fit(rows, labels)
    alone = WeightSelection(k=6).fit(rows[:, frequent], labels)
    assert chain.ranking_[:6].tolist() == frequent[alone.ranking_[:6]].tolist()


def test_a_label_that_means_none_to_another_stage_is_no_class() -> None:
    rows, labels = table()
    numbers = np.array([int(label[-1]) for label in labels])
    numbers[::5] = -1
    stages = [TOFA(k=20, weight=1), WeightSelection(k=6, tol=1e-7)]
    stats = ClassStats.from_matrix(rows, numbers)
    chain = Cascade(stages).fit_stats(stats, lambda: [rows], labels=numbers)
    last: Any = chain.selectors_[-1]
    expected: Any = Cascade(stages).fit(rows, numbers).selectors_[-1]
    assert last.coef_.tobytes() == expected.coef_.tobytes()
    assert chain.classes_.tolist() == [0, 1, 2, 3]


# -- settings ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"C": 0}, r"C=0; use a number above 0"),
        ({"C": "1"}, r"C='1'; use a number above 0"),
        ({"tol": float("nan")}, r"tol=nan; use a number above 0"),
        ({"candidates": 0}, r"candidates=0; use a number of terms from 1"),
        ({"candidates": 2.5}, r"candidates=2\.5; use a number of terms from 1"),
        ({"n_jobs": 0}, r"n_jobs=0; use a number of threads"),
    ],
    ids=str,
)
def test_invalid_settings_raise(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        WeightSelection(**settings).fit(*table())


def test_invalid_methods_for_candidates_raise() -> None:
    with pytest.raises(InputError, match=r"candidates_by='chi'; use 'ocfs' or 'weights'"):
        ForwardSelection().set_params(candidates_by="chi").fit(*table())
