"""The warm-up measures every selector and classifier on a few documents, silently, before times are measured."""

import warnings
from typing import Any

import numpy as np
import pytest
from tests.reference.categorizer_cases import small_texts

from textsieve import Corpus, compare
from textsieve.comparison import measuring
from textsieve.comparison.compared_documents import ComparisonDocuments, count_documents
from textsieve.comparison.measuring import warm_up, warm_up_conditions
from textsieve.comparison.plan import Plan
from textsieve.comparison.splits import Splitting


def counted(plan: Plan, n: int) -> ComparisonDocuments:
    case = small_texts(n, 3)
    corpus = Corpus.from_texts(case.texts, case.labels)
    return count_documents(corpus, None, Splitting(folds=2), plan.shared_settings(), 1, lambda *_: None)


def test_all_selectors_and_classifiers_are_warmed_up() -> None:
    plan = Plan.of("all,ocfs,ig", "3,5,9", "svm,nb", {}, 1)
    conditions = list(warm_up_conditions(plan))
    assert {condition.selector.name for condition in conditions} == {"all", "ocfs", "ig"}
    assert {condition.classifier.name for condition in conditions} == {"svm", "nb"}
    plan = Plan.of("ocfs,ig", "3,5,9", "svm,nb", {}, 1)
    assert {condition.n_terms for condition in warm_up_conditions(plan) if condition.selector.name == "ocfs"} == {3, 9}


def test_the_warm_up_takes_a_few_documents_of_all_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, seen = Plan.of("ocfs,ig", "3", "svm,nb", {}, 1), []
    monkeypatch.setattr(measuring, "measure", lambda fold, *_: seen.append(fold.documents))
    documents = counted(plan, 900)
    warm_up(plan, documents)
    few = seen[0].counted.targets.n_documents
    assert 300 <= few <= measuring.MAX_WARM_UP_DOCUMENTS
    assert not np.any(seen[0].folds.train[0] & seen[0].folds.test[0])
    assert (seen[0].counted.targets.class_docs > 0).all()
    warm_up(plan, counted(plan, 30))
    assert seen[-1].counted.targets.n_documents == 30


def test_errors_and_warnings_occur_only_when_measuring() -> None:
    plan = Plan.of("ig(min_score=1e9),testors(epsilon=99),ocfs", "3", "knn(k=1000)", {}, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warm_up(plan, counted(plan, 30))
    case: Any = small_texts(30, 3)
    with pytest.warns(UserWarning, match="k=1000"):
        compare(case.texts, case.labels, selectors="ocfs", n_terms=3, classifiers="knn(k=1000)", folds=2, n_jobs=1)


def test_the_warm_up_has_documents_of_rare_classes() -> None:
    classes = np.array([0] * 996 + [1] * 4)
    positions = measuring._sample(np.arange(1000), classes)
    assert set(classes[positions]) == {0, 1}
    assert len(positions) <= measuring.MAX_WARM_UP_DOCUMENTS / 2 + 2
