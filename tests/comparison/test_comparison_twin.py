"""Every row equals the figures of a `Categorizer` that is fitted to the training documents of the fold."""

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
def fixed_date(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fix the date in model files, on which their size may depend."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")


def assert_same(row: Row, comparison: Comparison, twin: ByHand) -> None:
    assert row.problem is None
    assert (row.micro_f1, row.macro_f1, row.accuracy) == (twin.micro_f1, twin.macro_f1, twin.accuracy)
    assert row.n_selected == twin.n_selected
    assert row.model_bytes == twin.model_bytes
    assert row.mistakes is not None
    assert row.mistakes.tolist() == twin.mistakes
    (selection,) = [selection for selection in comparison.selections if selection.key == row.key[:3]]
    assert selection.terms is None or list(selection.terms) == twin.terms
    assert (selection.terms is None) == (row.n_selected == row.n_seen)


def all_by_hand(comparison: Comparison, splits: list[Any], path: Path, sizes: tuple[float, ...], **shared: Any) -> None:
    """Compare each combination with the twin in one of the folds, in all of them in the deep run."""
    n_sizes = sum(1 if selector == "all" else len(sizes) for selector in SELECTORS)
    assert len(comparison.rows) == n_sizes * len(CLASSIFIERS) * len(splits)
    combinations = sorted({row.key[1:] for row in comparison.rows}, key=str)
    for row in comparison.rows:
        if DEPTH != "deep" and combinations.index(row.key[1:]) % len(splits) != row.fold:
            continue
        own = {**SELECTORS[row.selector], **CLASSIFIERS[row.classifier], "n_terms": row.n_terms, "n_jobs": 1}
        train, test = splits[row.fold]
        assert_same(row, comparison, by_hand(train, test, path, **shared, **own))


@pytest.mark.filterwarnings("ignore:At epsilon", "ignore:n_terms=10000, but")
def test_single_label_rows_equal_a_categorizer(tmp_path: Path) -> None:
    case = small_texts(60, 3)
    shared: dict[str, Any] = {"min_df": 2, "stop_words": "english"}
    comparison = compare(
        *(case.texts, case.labels),
        selectors=SELECTORS,
        n_terms=SIZES,
        classifiers=CLASSIFIERS,
        folds=3,
        n_jobs=1,
        **shared,
    )
    splits = [split_at(case.texts, case.labels, tested) for tested in fold_places(case.labels, 3)]
    all_by_hand(comparison, splits, tmp_path / "model.sieve", SIZES, **shared)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:At epsilon", "ignore:n_terms=10000, but")
def test_multilabel_thresholds_are_fitted_inside_the_fold(tmp_path: Path) -> None:
    """Sizes of 4 terms and of half of them, as the thresholds do not depend on how a number of terms is given."""
    case = small_texts(70, 3, multilabel=True)
    sizes = (4, 0.5)
    comparison = compare(
        *(case.texts, case.label_sets), selectors=SELECTORS, n_terms=sizes, classifiers=CLASSIFIERS, folds=2, n_jobs=1
    )
    assert comparison.header["multilabel"] is True
    splits = [split_at(case.texts, case.label_sets, tested) for tested in fold_places(case.label_sets, 2)]
    all_by_hand(comparison, splits, tmp_path / "model.sieve", sizes)


@pytest.mark.parametrize("multilabel", [False, True])
def test_rows_of_separate_test_documents_equal_a_categorizer(multilabel: bool, tmp_path: Path) -> None:
    case, other = small_texts(40, 3, multilabel=multilabel), small_texts(20, 4, seed=1, multilabel=multilabel)
    labels: Any = [texts.label_sets if multilabel else texts.labels for texts in (case, other)]
    with pytest.warns(UserWarning, match="'zoo': the class has no training document in the training part"):
        comparison = compare(case.texts, labels[0], test=(other.texts, labels[1]), selectors="ig", n_terms=8, n_jobs=1)
    (row,) = comparison.rows
    assert row.missing_classes == ("zoo",)
    assert comparison.header["split"] == {"by": "given", "folds": 1}
    train, test = (case.texts, labels[0]), (other.texts, labels[1])
    twin = by_hand(train, test, tmp_path / "model.sieve", selector="ig", n_terms=8, n_jobs=1)
    assert_same(row, comparison, twin)


def test_a_selector_that_selects_nothing_has_a_row_with_the_problem() -> None:
    case = small_texts(30, 3)
    settings: Any = {"n_terms": "5", "folds": 2, "n_jobs": 1}
    comparison = compare(case.texts, case.labels, selectors="ig(min_score=1e9),ocfs,testors(epsilon=99)", **settings)
    by_name = {summary.selector: summary for summary in comparison.summary}
    assert "keeps none of the" in str(by_name["ig(min_score=1000000000.0)"].problem)
    assert "Use a smaller epsilon" in str(by_name["testors(epsilon=99)"].problem)
    assert by_name["ocfs"].is_best
    assert "keeps none of the" in str(comparison)
    assert [row.micro_f1 is None for row in comparison.rows] == [True, True, False, False, True, True]
    assert [rank.selector for rank in comparison.ranks] == ["ocfs"]


def test_folds_with_a_single_training_class_raise_an_error_before_measuring() -> None:
    texts = ["goal keeper", "striker goal", "goal league", "budget vote"]
    labels = ["sport", "sport", "sport", "politics"]
    steps: list[Any] = []
    words = "without fold 2: fewer than two classes have training documents; .* of each class, or fewer folds"
    with pytest.raises(InputError, match=words):
        compare(texts, labels, folds=2, n_terms=2, n_jobs=1, progress=lambda *step: steps.append(step))
    assert not [step for step in steps if step[0] == running.STAGE]  # before the first row of the first fold
    with pytest.raises(InputError, match=r"the training part: fewer than two classes .* of each class.$"):
        compare(texts[:3], labels[:3], test=(texts, labels), n_terms=2, n_jobs=1)


def test_unlabelled_documents_are_for_training_and_never_tested() -> None:
    case = small_texts(30, 3)
    labels: list[Any] = [label if place % 3 else None for place, label in enumerate(case.labels)]
    comparison = compare(case.texts, labels, selectors="tofa", n_terms=5, folds=2, n_jobs=1)
    assert sum(row.documents for row in comparison.rows) == sum(label is not None for label in labels)
    assert all(row.trained_on + row.documents == 30 for row in comparison.rows)


def test_the_error_for_a_single_class_names_it() -> None:
    with pytest.raises(InputError, match="only one class, 'sport', so there is nothing to tell apart"):
        compare(["goal", "keeper", "striker", "league"], ["sport"] * 4, folds=2, n_terms=2, n_jobs=1)
