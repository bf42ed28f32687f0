"""Every row is what a `Categorizer` gives that was fitted by hand to the training documents of the fold."""

from pathlib import Path
from typing import Any

import pytest
from tests.depth import DEPTH
from tests.reference.categorizer_cases import small_texts
from tests.reference.comparison_twin import ByHand, by_hand, fold_places, split_at

from textsieve import InputError, compare
from textsieve.comparison import Comparison, Row, running

SELECTORS: dict[str, Any] = {
    "ocfs": {"selector": "ocfs"},
    "ig": {"selector": "ig"},
    "chi(pooling=round-robin)": {"selector": "chi", "selector_options": {"pooling": "round-robin"}},
    "testors": {"selector": "testors"},
    "all": {"selector": None},
}
CLASSIFIERS: dict[str, Any] = {
    "svm(C=10)": {"classifier": "svm", "classifier_options": {"C": 10}},
    "nb(tf=binary)": {"classifier": "nb", "tf": "binary"},
    "knn(k=3)": {"classifier": "knn", "classifier_options": {"k": 3}},
}
SIZES = (4, 12, 0.5, 10_000)


@pytest.fixture(autouse=True)
def one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model file has its date, and its size may depend on it."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")


def assert_same(row: Row, found: Comparison, twin: ByHand) -> None:
    assert row.problem is None
    assert (row.micro_f1, row.macro_f1, row.accuracy) == (twin.micro_f1, twin.macro_f1, twin.accuracy)
    assert row.n_kept == twin.n_kept
    assert row.model_bytes == twin.model_bytes
    assert row.mistakes is not None
    assert row.mistakes.tolist() == twin.mistakes
    (chosen,) = [each for each in found.selections if each.key == row.key[:3]]
    assert chosen.terms is None or list(chosen.terms) == twin.terms
    assert (chosen.terms is None) == (row.n_kept == row.n_seen)


def all_by_hand(found: Comparison, splits: list[Any], path: Path, **shared: Any) -> None:
    """Compare each combination with the twin in one of the folds, in all of them in the deep run."""
    n_sizes = sum(1 if selector == "all" else len(SIZES) for selector in SELECTORS)
    assert len(found.rows) == n_sizes * len(CLASSIFIERS) * len(splits)
    combinations = sorted({row.key[1:] for row in found.rows}, key=str)
    for row in found.rows:
        if DEPTH != "deep" and combinations.index(row.key[1:]) % len(splits) != row.fold:
            continue
        own = {**SELECTORS[row.selector], **CLASSIFIERS[row.classifier], "n_terms": row.n_terms, "n_jobs": 1}
        train, test = splits[row.fold]
        assert_same(row, found, by_hand(train, test, path, **shared, **own))


@pytest.mark.filterwarnings("ignore:At epsilon", "ignore:n_terms=10,000 terms were asked for")
def test_folds_of_one_label(tmp_path: Path) -> None:
    case = small_texts(60, 3)
    shared: dict[str, Any] = {"min_df": 2, "stop_words": "english"}
    found = compare(
        *(case.texts, case.labels),
        selectors=SELECTORS,
        n_terms=SIZES,
        classifiers=CLASSIFIERS,
        folds=3,
        n_jobs=1,
        **shared,
    )
    splits = [split_at(case.texts, case.labels, tested) for tested in fold_places(case.labels, 3)]
    all_by_hand(found, splits, tmp_path / "model.sieve", **shared)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:At epsilon", "ignore:n_terms=10,000 terms were asked for")
def test_several_labels_have_thresholds_inside_the_fold(tmp_path: Path) -> None:
    case = small_texts(70, 3, multilabel=True)
    found = compare(
        *(case.texts, case.label_sets), selectors=SELECTORS, n_terms=SIZES, classifiers=CLASSIFIERS, folds=2, n_jobs=1
    )
    assert found.header["several_labels"] is True
    splits = [split_at(case.texts, case.label_sets, tested) for tested in fold_places(case.label_sets, 2)]
    all_by_hand(found, splits, tmp_path / "model.sieve")


@pytest.mark.parametrize("multilabel", [False, True])
def test_documents_to_test_on(multilabel: bool, tmp_path: Path) -> None:
    case, other = small_texts(40, 3, multilabel=multilabel), small_texts(20, 4, seed=1, multilabel=multilabel)
    labels: Any = [each.label_sets if multilabel else each.labels for each in (case, other)]
    with pytest.warns(UserWarning, match="'zoo': in the part to learn from the class has no document to learn from"):
        found = compare(case.texts, labels[0], test=(other.texts, labels[1]), selectors="ig", n_terms=8, n_jobs=1)
    (row,) = found.rows
    assert row.missing_classes == ("zoo",)
    assert found.header["split"] == {"by": "given", "folds": 1}
    train, test = (case.texts, labels[0]), (other.texts, labels[1])
    twin = by_hand(train, test, tmp_path / "model.sieve", selector="ig", n_terms=8, n_jobs=1)
    assert_same(row, found, twin)


def test_a_selector_that_finds_no_term_is_a_row_that_says_so() -> None:
    case = small_texts(30, 3)
    settings: Any = {"n_terms": "5", "folds": 2, "n_jobs": 1}
    found = compare(case.texts, case.labels, selectors="ig(min_score=1e9),ocfs,testors(epsilon=99)", **settings)
    by_name = {line.selector: line for line in found.summary}
    assert "keeps none of the" in str(by_name["ig(min_score=1000000000.0)"].problem)
    assert "Use a smaller epsilon" in str(by_name["testors(epsilon=99)"].problem)
    assert by_name["ocfs"].is_best
    assert "keeps none of the" in str(found)
    assert [row.micro_f1 is None for row in found.rows] == [True, True, False, False, True, True]
    assert [rank.selector for rank in found.ranks] == ["ocfs"]


def test_too_few_documents_of_all_classes_but_one() -> None:
    texts = ["goal keeper", "striker goal", "goal league", "budget vote"]
    labels = ["sport", "sport", "sport", "politics"]
    told: list[Any] = []
    said = "without fold 2: fewer than two classes have documents to learn from; .* of each class, or fewer folds"
    with pytest.raises(InputError, match=said):
        compare(texts, labels, folds=2, n_terms=2, n_jobs=1, progress=lambda *each: told.append(each))
    assert not [each for each in told if each[0] == running.STAGE]  # before the first row of the first fold
    with pytest.raises(InputError, match=r"the part to learn from: fewer than two classes .* of each class.$"):
        compare(texts[:3], labels[:3], test=(texts, labels), n_terms=2, n_jobs=1)


def test_documents_without_a_label_are_learned_from_and_never_tested() -> None:
    case = small_texts(30, 3)
    labels: list[Any] = [label if place % 3 else None for place, label in enumerate(case.labels)]
    found = compare(case.texts, labels, selectors="tofa", n_terms=5, folds=2, n_jobs=1)
    assert sum(row.documents for row in found.rows) == sum(label is not None for label in labels)
    assert all(row.trained_on + row.documents == 30 for row in found.rows)


def test_a_single_class_is_named() -> None:
    with pytest.raises(InputError, match="Only one class, 'sport', so there is nothing to tell apart"):
        compare(["goal", "keeper", "striker", "league"], ["sport"] * 4, folds=2, n_terms=2, n_jobs=1)
