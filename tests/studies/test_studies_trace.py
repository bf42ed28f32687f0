"""TOFA's weight: the folds and criteria of the study against estimators and definitions."""

import numpy as np
import pytest
from studies.documents import Collection, Documents, members_of
from studies.measurements import Scope
from studies.trace.criteria import AUTO, CRITERIA, noise_of
from studies.trace.folds import Fold, all_labelled, blocks, macro_f1, micro_f1, mix, predict_each_class, tenth_labelled
from studies.trace.tables import SIZES, by_criterion, by_weight, fallback_table, left_out, measure_fallback, try_weights

from textsieve import TOFA, TermCounter, TermWeighter, read
from textsieve.classifiers import LinearSVM


@pytest.fixture(scope="module")
def documents() -> Documents:
    """Return the embedded corpus."""
    return Collection("docstrings").documents(Scope())


@pytest.fixture(scope="module")
def fold(documents: Documents) -> Fold:
    """Return a fold that holds out a third, with labels for a tenth of the rest."""
    return next(tenth_labelled("docstrings", documents))


def test_folds_are_blocks_of_neighbours(documents: Documents) -> None:
    fold_of = blocks(documents, 3)
    for members in members_of(documents.labels).values():
        assert (np.diff(fold_of[members]) >= 0).all()
        assert np.ptp(np.bincount(fold_of[members], minlength=3)) <= 1


def test_scores_are_those_of_estimators_on_texts(documents: Documents) -> None:
    first = next(all_labelled("docstrings", documents))
    loaded, labels = read("docstrings").load()
    texts, is_test = np.array(loaded, object), blocks(documents, 3) == 0
    counter = TermCounter()
    counts = counter.fit_transform(texts[~is_test].tolist())
    weights = TermWeighter(tf="log", idf="plain", norm="l2").fit_transform(counts)
    own = np.array(labels)
    for weight in (0.0, 0.5, 1.0):
        fitted = TOFA(weight=weight, k=50).fit(weights, own[~is_test])
        np.testing.assert_allclose(mix(first.between, first.total, weight), fitted.scores_, rtol=1e-9)
        columns = first.best(weight, 50)
        np.testing.assert_array_equal(columns, fitted.ranking_[:50])
        weighter = TermWeighter(tf="loglog", idf="smooth", norm="l2")
        svm = LinearSVM().fit(weighter.fit_transform(counts[:, np.sort(columns)]), own[~is_test])
        rows = weighter.transform(counter.transform(texts[is_test].tolist())[:, np.sort(columns)])
        most_frequent = max(set(own[~is_test].tolist()), key=own[~is_test].tolist().count)
        predicted = np.where(np.diff(rows.indptr) > 0, svm.predict(rows), most_frequent)
        assert first.score(columns).micro == pytest.approx(np.mean(predicted == own[is_test]))
        assert first.score(columns).filled == first.score(columns).micro


def test_the_automatic_weight_follows_from_the_noise(fold: Fold) -> None:
    k = 100
    best = np.union1d(np.argsort(-fold.between)[:k], np.argsort(-fold.total)[:k])
    omega = noise_of(fold.stats, fold.total)[best].sum() / fold.total[best].sum()
    assert CRITERIA[AUTO](fold.stats, fold.between, fold.total, k) == pytest.approx(1 / (1 + omega), rel=1e-6)


@pytest.mark.parametrize("name", CRITERIA)
def test_each_criterion_finds_a_weight(fold: Fold, name: str) -> None:
    weight = CRITERIA[name](fold.stats, fold.between, fold.total, 100)
    assert -0.5 <= weight <= 2.0


def test_f1_equals_numbers_by_hand() -> None:
    predicted = np.array([[1, 0, 0], [1, 1, 0]], bool)
    true = np.array([[1, 0, 0], [0, 1, 0]], bool)
    assert micro_f1(predicted, true) == pytest.approx(2 * 2 / (3 + 2))
    assert macro_f1(predicted, true) == pytest.approx((2 / 3 + 1) / 2), "the third class does not occur"


def test_each_class_is_predicted_by_an_svm_of_its_own(fold: Fold) -> None:
    rows = TermWeighter(tf="log", idf="plain", norm="l2").fit_transform(fold.counts[:, :200])
    has_label = np.flatnonzero(fold.is_member.any(axis=1))
    is_member = fold.is_member[has_label]
    predicted = predict_each_class(rows[has_label], is_member, rows[:50])
    has_members = is_member.any(axis=0)  # small packages in the corpus of docstrings may have no labelled document
    assert not predicted[:, ~has_members].any()
    for number in np.flatnonzero(has_members):
        svm = LinearSVM().fit(rows[has_label], is_member[:, number])
        np.testing.assert_array_equal(predicted[:, number], svm.decision_function(rows[:50]) >= 0)


@pytest.mark.slow
def test_the_tables_have_a_line_for_each_corpus(fold: Fold, documents: Documents) -> None:
    trials = [
        trial
        for setting in ("all labels", "a tenth of the labels")
        for number in range(2)
        for trial in try_weights("docstrings", setting, number, fold)
    ]
    assert {trial.k for trial in trials} <= set(SIZES)
    assert "| docstrings | 100 |" in by_weight(trials, "all labels")
    assert by_criterion(trials, "all labels").count("\n| docstrings |") == 1
    assert "| docstrings |" in left_out(trials[:0] + trials + [trial._replace(corpus="other") for trial in trials])
    assert measure_fallback("docstrings", documents) == [], "documents have one label each"
    assert fallback_table([]).count("\n") == 1
