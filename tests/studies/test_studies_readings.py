"""Readings of papers that `compare` does not have, against direct computations."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from studies.assigned import Assigned, AssignedQuality
from studies.documents import LABELS, Collection, Composed, Documents, Fold, Mislabelled, members_of
from studies.iris import IrisAccuracy, IrisScore
from studies.measurements import Scope
from studies.prediction import Drop, PredictionSeconds, QualityAfterDrop, train
from studies.quality import Quality
from studies.random_splits import SEED, Rows
from studies.selection import GrowthOfSelection, ScoreSeconds, TermsKept
from studies.variants import (
    VariantQuality,
    add_irrelevant_terms,
    join_rows,
    predict_by_formula_9,
    selected_counts,
    slope,
    weigh,
)
from studies.votes import FIGURES, Diversity, Outcome, train_members

from textsieve import KNNFP, TermWeighter

SCOPE = Scope(n_jobs=1)
SVM = "svm(C=1,tf=tf,idf=plain,norm=l2)"


def ignore(_: str) -> None:
    """Ignore progress."""


def measured(*wanted: Any) -> list[Any]:
    """Return the values of measurements of one kind, in their order."""
    estimates = dict(type(wanted[0]).measure_all(wanted, SCOPE, ignore))
    return [estimates[measurement].value for measurement in wanted]


@pytest.fixture
def posts(tmp_path: Path) -> Collection:
    """Return a collection of three classes with a word of their own, and some documents without any."""
    lines = ["topic,body"]
    for name, word in (("boats", "sail"), ("cars", "wheel"), ("trains", "rail")):
        lines += [f"{name},{word} {word} on w{number % 4} v{number}" for number in range(12)]
        lines += [f"{name},only {name[0]}{number} here" for number in range(4)]
    path = tmp_path / "posts.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Collection(str(path), folds=2)


# -- F1 of the assigned documents --------------------------------------------------------------------------------------


def test_precision_counts_all_documents_and_recall_the_assigned_ones() -> None:
    numbers = Assigned(documents=100, assigned=50, correct=40)
    precision, recall = 40 / 100, 40 / 50
    assert numbers.f1 == pytest.approx(2 * precision * recall / (precision + recall))
    assert numbers.percent_unassigned == 50.0
    assert Assigned(10, 10, 7).f1 == pytest.approx(0.7)


def test_documents_without_a_selected_term_are_not_assigned(posts: Collection) -> None:
    wanted = AssignedQuality(posts, "chi(pooling=mean)", 3, SVM)
    f1, unassigned = measured(wanted, replace(wanted, figure="percent_unassigned"))
    assert unassigned == 25.0, "4 of 16"
    assert f1 == pytest.approx(2 * 0.75 * 1.0 / 1.75), "all others are assigned to their class"


# -- irises ------------------------------------------------------------------------------------------------------------


def test_scores_of_irises_are_those_of_the_formula_and_three_times_them() -> None:
    given = measured(*(IrisScore(feature, is_left_out=False) for feature in (1, 2, 3, 4)))
    left_out = measured(*(IrisScore(feature, is_left_out=True) for feature in (1, 2, 3, 4)))
    assert np.allclose(np.multiply(given, 3), left_out)
    assert [f"{score:.2f}" for score in given] == ["0.42", "0.08", "2.91", "0.54"]
    assert sorted(range(1, 5), key=lambda feature: -given[feature - 1])[:2] == [3, 4]


def test_the_pair_of_the_highest_scores_separates_irises_best() -> None:
    pairs = [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]
    accuracies = measured(*map(IrisAccuracy, pairs))
    assert pairs[int(np.argmax(accuracies))] == (3, 4)
    assert 75 < min(accuracies) < 85


# -- labels ------------------------------------------------------------------------------------------------------------


def of_labels(labels: list[tuple[str, ...]]) -> Documents:
    """Return documents whose only count is their number; the last two are test documents."""
    n = len(labels)
    fold = Fold(np.arange(n - 2), np.arange(n - 2, n), labels)
    return Documents(csr_matrix(np.arange(1, n + 1)[:, None]), ["a"], labels, multilabel=True, folds=(fold,))


def test_documents_with_several_labels_are_copied() -> None:
    copied = LABELS["copied"](of_labels([("a", "b"), (), ("b",), ("a", "c"), ("a",)]))
    assert copied.labels == [("a",), ("b",), ("b",), ("a",), ("c",), ("a",)]
    assert copied.counts.toarray().ravel().tolist() == [1, 1, 3, 4, 4, 5]
    assert (copied.folds[0].train.tolist(), copied.folds[0].test.tolist()) == ([0, 1, 2], [3, 4, 5])
    assert not copied.multilabel


def test_labels_are_reduced_to_those_of_the_papers() -> None:
    groups = LABELS["top groups"](of_labels([("comp.a",), ("alt.b",), ("rec.c.d",), ("misc.e",), ("sci.f",)]))
    assert groups.labels == [("comp",), (), ("rec",), (), ("sci",)]
    assert (groups.folds[0].train.tolist(), groups.folds[0].test.tolist()) == ([0, 2], [4])
    pages = LABELS["thirteen of odp"](of_labels([("arts",), ("reference",), ("kids and teens",), ("regional",)]))
    assert pages.labels == [("arts",), (), ("kids and teens",), ()]


def test_a_share_of_the_training_documents_is_mislabelled(posts: Collection) -> None:
    wrong = Mislabelled(**vars(posts), share=0.25, draws=3).documents(SCOPE)
    right = posts.documents(SCOPE)
    assert len(wrong.folds) == 3
    for draw, fold in enumerate(wrong.folds):
        assert fold.train.tolist() == right.folds[draw % 2].train.tolist()
        differs = [position for position in range(len(right.labels)) if fold.labels[position] != right.labels[position]]
        assert set(differs) <= set(fold.train.tolist())
        assert len(differs) == round(0.25 * len(fold.train))
    assert wrong.folds[0].labels != wrong.folds[2].labels, "draws differ"


def test_the_labelled_documents_have_the_given_composition(posts: Collection) -> None:
    documents = Composed(**vars(posts), shares=(0.5, 0.3, 0.2), n_labelled=10, draws=2).documents(SCOPE)
    for fold in documents.folds:
        in_training = [fold.labels[position] for position in fold.train.tolist()]
        sizes = {label: len(positions) for label, positions in members_of(in_training).items()}
        assert sizes == {"boats": 5, "cars": 3, "trains": 2}
        assert all(fold.labels[position] for position in fold.test.tolist())


def test_terms_that_stay_are_those_of_both_labellings(posts: Collection) -> None:
    same, other = Mislabelled(**vars(posts), share=0.0), Mislabelled(**vars(posts), share=0.9)
    kept, changed = measured(TermsKept(posts, same, "ig", 3), TermsKept(posts, other, "ig", 3))
    assert changed < 100.0
    assert kept > changed


# -- variants of TCFP and its rivals -----------------------------------------------------------------------------------


def test_log10_weights_are_those_of_the_formula() -> None:
    counts = csr_matrix([[1, 10, 0], [0, 1, 2]])
    rows, _ = weigh(counts, counts, "knn(tf=log10,idf=none,norm=none)")
    assert np.allclose(rows.toarray(), [[1, 2, 0], [0, 1, 1 + np.log10(2)]])
    natural, _ = weigh(counts, counts, "knn(tf=log,idf=none,norm=none)")
    assert np.allclose(
        natural.toarray(), TermWeighter(tf="log", idf="none", norm="none").fit_transform(counts).toarray()
    )


def test_formula_9_multiplies_the_votes_of_small_classes() -> None:
    rows = csr_matrix([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 0.2], [0.9, 0.1]])
    classifier = KNNFP(k=5).fit(rows, ["large", "large", "large", "small", "small"])
    test_rows = csr_matrix([[1.0, 0.0], [1.0, 0.2], [0.0, 0.0]])
    votes = classifier.votes(test_rows) * [1.0, 3 / 2]
    with pytest.warns(UserWarning, match="no term"):
        guessed = predict_by_formula_9(classifier, test_rows)
    assert guessed[:2].tolist() == classifier.classes_[votes[:2].argmax(axis=1)].tolist()
    assert guessed[2] == "large", "no votes at all"


def test_irrelevant_terms_are_new_columns() -> None:
    counts = csr_matrix(np.eye(4, 40, dtype=np.int64) + np.eye(4, 40, k=1, dtype=np.int64))
    more = add_irrelevant_terms(counts, 1.5, seed=0)
    assert more.shape == (4, 80)
    assert np.array_equal(more[:, :40].toarray(), counts.toarray())
    assert np.diff(more[:, 40:].indptr).tolist() == [3, 3, 3, 3]
    assert more.data.max() == 1
    assert np.diff(add_irrelevant_terms(counts[:, :3], 3.0, seed=0)[:, 3:].indptr).max() == 3, "no more than there are"


def test_a_variant_without_options_is_the_classifier_itself(posts: Collection) -> None:
    with_irrelevant = VariantQuality(posts, "chi", 3, "nb(alpha=1,tf=tf,idf=none,norm=none)", ("irrelevant 0",))
    plain = replace(with_irrelevant, variants=())
    micro, macro = measured(plain, replace(plain, figure="macro_f1"))
    assert measured(with_irrelevant) == [micro]
    assert 0.75 <= micro <= 1.0
    by_compare = measured(*(Quality(posts, "chi", 3, plain.classifier, figure) for figure in ("micro_f1", "macro_f1")))
    assert (micro, macro) == pytest.approx(by_compare)


def test_log10_changes_the_weights_of_a_classifier_and_of_its_reduced_documents(posts: Collection) -> None:
    natural = "knn(k=3,tf=log,idf=plain,norm=none)"
    log10 = natural.replace("tf=log", "tf=log10")
    documents = posts.documents(SCOPE)
    fold = documents.folds[0]
    expected, _ = weigh(*selected_counts(documents, fold, "chi", 20), log10)
    for name, is_equal in ((natural, False), (log10, True)):
        rows = train(documents, fold, PredictionSeconds(posts, "chi", 20, name), 1).rows
        assert np.allclose(rows.toarray(), expected.toarray()) == is_equal
    after_drop = train(documents, fold, QualityAfterDrop(posts, "chi", 20, log10, Drop(4, 1)), 1)
    in_expected = {tuple(row) for row in expected.toarray().tolist()}
    assert 0.0 < after_drop.share_used < 1.0
    assert {tuple(row) for row in after_drop.rows.toarray().tolist()} <= in_expected


def test_joined_documents_are_sums() -> None:
    counts = csr_matrix([[1, 0, 0], [0, 2, 0], [0, 0, 3]])
    assert join_rows(counts, 1).toarray().tolist() == counts.toarray().tolist()
    assert join_rows(counts, 2).toarray().tolist() == [[1, 2, 0], [0, 2, 3], [1, 0, 3]]


def test_slopes_are_exponents() -> None:
    assert slope([1, 2, 4], [3.0, 12.0, 48.0]) == pytest.approx(2.0)
    assert slope([1, 2, 4], [5.0, 5.0, 5.0]) == pytest.approx(0.0)


@pytest.mark.parametrize("scores", ["ig", "chi", "tofa(weight=1)"])
def test_seconds_are_positive(posts: Collection, scores: str) -> None:
    assert measured(ScoreSeconds(posts, scores))[0] > 0
    assert ScoreSeconds.is_of_seconds
    assert np.isfinite(measured(GrowthOfSelection(posts, "ig", "documents"))[0])
    assert GrowthOfSelection.is_of_seconds


# -- votes -------------------------------------------------------------------------------------------------------------


def test_members_on_all_terms_vote_as_one() -> None:
    random = np.random.default_rng(0)
    matrix = csr_matrix(random.random((30, 8)))
    numbers = np.arange(30) % 3
    rows = Rows(matrix[:24], numbers[:24], matrix[24:], numbers[24:])
    same = train_members(rows, n_terms=8, n_members=3)
    assert same.by_vote.tolist() == same.by_mean.tolist()
    assert FIGURES["other"](same) == 0.0
    few = train_members(rows, n_terms=2, n_members=9)
    assert few.correct.tolist() == numbers[24:].tolist()


def test_figures_of_votes_are_shares() -> None:
    outcome = Outcome(np.array([0, 1, 2, 0]), np.array([0, 1, 1, 1]), np.array([0, 1, 1, 0]))
    assert [FIGURES[name](outcome) for name in ("vote", "mean", "other")] == [0.75, 0.75, 0.5]


@pytest.mark.parametrize("n_terms", [500, 2_500])
def test_drawn_diversity_is_near_the_expected_one(n_terms: int) -> None:
    drawn, expected, least, greatest = measured(
        *(Diversity(n_terms, 100, figure, 60) for figure in ("mean", "expected", "least", "greatest"))
    )
    assert expected == pytest.approx(200 * n_terms / 5_000 * (1 - n_terms / 5_000))
    assert drawn == pytest.approx(expected, rel=0.1)
    assert 0 <= least < drawn < greatest <= 100


def test_two_members_differ_in_the_terms_that_only_one_of_them_has() -> None:
    figures = measured(*(Diversity(2_500, 100, figure, 2) for figure in ("mean", "least", "greatest")))
    random = np.random.default_rng(SEED)
    first, second = (set(random.permutation(5_000)[:2_500].tolist()) & set(range(100)) for _ in range(2))
    assert figures == [len(first | second) - len(first & second)] * 3
