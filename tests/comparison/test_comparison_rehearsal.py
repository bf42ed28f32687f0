"""Before the clock runs, every selector and classifier is gone through on a few documents, and nothing is told."""

import warnings
from typing import Any

import numpy as np
import pytest
from tests.reference.categorizer_cases import small_texts

from textsieve import Corpus, compare
from textsieve.comparison import warmup
from textsieve.comparison.documents import ComparisonDocuments, count_documents
from textsieve.comparison.plan import Plan
from textsieve.comparison.splits import Splitting
from textsieve.comparison.warmup import rehearse, rehearsed


def counted(plan: Plan, n: int) -> ComparisonDocuments:
    case = small_texts(n, 3)
    corpus = Corpus.from_texts(case.texts, case.labels)
    return count_documents(corpus, None, Splitting(folds=2), plan.shared_settings(), 1, lambda *_: None)


def test_everybody_has_a_turn() -> None:
    plan = Plan.of("all,ocfs,ig", "3,5,9", "svm,nb", {}, 1)
    turns = list(rehearsed(plan))
    assert {each.selector.name for each in turns} == {"all", "ocfs", "ig"}
    assert {each.classifier.name for each in turns} == {"svm", "nb"}
    plan = Plan.of("ocfs,ig", "3,5,9", "svm,nb", {}, 1)
    assert {each.n_terms for each in rehearsed(plan) if each.selector.name == "ocfs"} == {3, 9}


def test_on_a_few_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, seen = Plan.of("ocfs,ig", "3", "svm,nb", {}, 1), []
    monkeypatch.setattr(warmup, "measure", lambda fold, *_: seen.append(fold.documents))
    documents = counted(plan, 900)
    rehearse(plan, documents)
    few = seen[0].counted.targets.n_documents
    assert 300 <= few <= warmup.MOST_DOCUMENTS
    assert not np.any(seen[0].trained[0] & seen[0].tested[0])
    assert (seen[0].counted.targets.class_docs > 0).all()
    rehearse(plan, counted(plan, 30))
    assert seen[-1].counted.targets.n_documents == 30


def test_what_goes_wrong_is_told_later() -> None:
    plan = Plan.of("ig(min_score=1e9),testors(epsilon=99),ocfs", "3", "knn(k=1000)", {}, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rehearse(plan, counted(plan, 30))
    case: Any = small_texts(30, 3)
    with pytest.warns(UserWarning, match="k=1000"):
        compare(case.texts, case.labels, selectors="ocfs", n_terms=3, classifiers="knn(k=1000)", folds=2, n_jobs=1)


def test_rare_classes_are_there() -> None:
    classes = np.array([0] * 996 + [1] * 4)
    found = warmup._spread(np.arange(1000), classes)
    assert set(classes[found]) == {0, 1}
    assert len(found) <= warmup.MOST_DOCUMENTS / 2 + 2
