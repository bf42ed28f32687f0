"""Names of variants: each variant has one name, in this run and in later ones."""

from typing import Any

import numpy as np
import pytest
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC
from tests.reference.categorizer_cases import small_texts

from textsieve import InputError, compare
from textsieve.comparison.plan import Plan, sizes_of
from textsieve.comparison.variants import variants_of

NAMES = ["svm", "ig", "knn"]
CASE = small_texts(30, 3)


class Plain:
    """An object with the default repr."""


class Alike(LinearSVC):
    """An estimator with the same repr for all parameters."""

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return "alike"


def names(*given: Any) -> list[str]:
    return [variant.name for variant in variants_of("classifier", list(given), NAMES)]


def weights(last: float) -> dict[str, float]:
    return {f"class {number}": 1.0 for number in range(40)} | {"last": last}


def test_estimators_with_the_same_shortened_repr_have_different_names() -> None:
    svm, other, again = (LinearSVC(class_weight=weights(last)) for last in (2.0, 3.0, 2.0))
    assert repr(svm) == repr(other)
    first, second = names(svm, other, again)
    assert first != second
    assert first.startswith("LinearSVC(class_weight={'class 0': 1.0,")
    assert names(again) == [first]
    many, more = (LinearSVC(class_weight={"x": np.arange(2000) * step}) for step in (1, 2))
    assert len(names(many, more)) == 2


def test_names_have_no_memory_address() -> None:
    (name,) = names(FunctionTransformer(np.log1p))
    assert name == repr(FunctionTransformer(np.log1p))
    (joined,) = names(Pipeline([("take", FunctionTransformer(weights)), ("svm", LinearSVC())]))
    assert " at 0x" not in joined
    assert [joined] == names(Pipeline([("take", FunctionTransformer(weights)), ("svm", LinearSVC())]))
    assert [joined] != names(Pipeline([("take", FunctionTransformer(names)), ("svm", LinearSVC())]))
    for wrong in (Plain(), FunctionTransformer(lambda rows: rows)):
        with pytest.raises(
            InputError, match=r"has another name in each run, .* give it, and the objects in it, a __repr__"
        ):
            names(wrong)


def test_different_estimators_with_one_name_raise_an_error() -> None:
    assert names(Alike(C=2.0), Alike(C=2.0)) == ["alike"]
    with pytest.raises(InputError, match="classifiers: two different classifiers are called alike"):
        names(Alike(C=2.0), Alike(C=3.0))


def test_options_of_text_and_of_numbers_are_different_variants() -> None:
    assert names("svm(C=1)", 'svm(C="1")') == ["svm(C=1)", 'svm(C="1")']
    assert names('svm(x="max")', "svm(x=max)", "svm( x = max )") == ["svm(x=max)"]
    assert names("svm()", "svm") == ["svm"]
    (read_again,) = variants_of("classifier", names('svm(C="1")'), NAMES)
    assert read_again.options == {"C": "1"}


def test_whole_numbers_may_have_an_exponent() -> None:
    assert sizes_of("1e3,1e4,1000") == (1000, 10_000)
    assert sizes_of("1.0,0.5") == ("all", 0.5)
    with pytest.raises(InputError, match=r"n_terms=1.5; use numbers"):
        sizes_of("1.5")


def test_options_that_need_more_than_four_documents_are_accepted() -> None:
    Plan.of("ig", "5", "knn(k=500),knnfp(k=99),subspace(n_terms=500),svm(class_weight=balanced)", {}, 1)
    Plan.of("ig", "5", "svm(class_weight=sqrt),nb(class_weight=sqrt),subspace(class_weight=sqrt)", {}, 1)
    Plan.of("ig", "5", ['svm(class_weight={"boat":2.5})', LinearSVC(C=-1.0)], {}, 1)


def test_a_classifier_that_fails_on_a_fold_has_a_row_with_the_problem() -> None:
    labels = ["zoo", *CASE.labels[1:]]
    wanted: Any = {"selectors": "ig", "n_terms": 6, "folds": 3, "n_jobs": 1}
    with pytest.warns(UserWarning, match="'zoo'"):
        comparison = compare(CASE.texts, labels, classifiers=["nb", 'svm(class_weight={"zoo":2})'], **wanted)
    problems = [row.problem for row in comparison.rows if row.classifier != "nb"]
    assert [problem is None for problem in problems] == [False, True, True]
    assert str(problems[0]).startswith("class_weight: there is no class 'zoo'; classes are")
    assert all(row.problem is None and row.micro_f1 is not None for row in comparison.rows if row.classifier == "nb")
    nb, svm = comparison.summary
    assert nb.is_best
    assert str(svm.problem).endswith("(in fold 1 of 3)")
    assert len(comparison.selections) == 3  # terms were selected in all folds


def test_an_estimator_that_always_fails_has_rows_with_the_problem() -> None:
    wanted: Any = {"selectors": "ig", "n_terms": 6, "folds": 2, "n_jobs": 1}
    comparison = compare(CASE.texts, CASE.labels, classifiers=[LinearSVC(C=-1.0), "svm"], **wanted)
    assert [row.problem is None for row in comparison.rows] == [False, False, True, True]
    assert str(comparison.rows[0].problem).startswith("LinearSVC(C=-1.0) can't be trained")
