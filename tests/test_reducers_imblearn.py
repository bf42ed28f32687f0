"""DROP passes the sampler checks of imbalanced-learn without inheriting from its base class."""

from typing import Any

import pytest
from imblearn.base import is_sampler
from imblearn.pipeline import make_pipeline
from imblearn.utils.estimator_checks import estimator_checks_generator
from sklearn.base import clone

from tests.reference.categorizer_cases import small_texts
from textsieve import CosineKNN, TermCounter, TermWeighter
from textsieve.reducers import DROP

SAMPLERS = [DROP(), DROP(variant=1, k=1), DROP(variant=5, n_jobs=1)]
CHECKS = [check for sampler in SAMPLERS for check in estimator_checks_generator(sampler)]


# The checks use random points with random labels, so a class may lose all its documents.
@pytest.mark.filterwarnings("ignore:No document is kept of")
@pytest.mark.filterwarnings("ignore:A column-vector y was passed:sklearn.exceptions.DataConversionWarning")
@pytest.mark.parametrize(
    ("sampler", "check"), CHECKS, ids=lambda value: value.func.__name__ if hasattr(value, "func") else repr(value)
)
def test_checks_of_imbalanced_learn(sampler: Any, check: Any) -> None:
    check(sampler)


def test_a_pipeline_drops_documents_when_it_is_fitted_and_none_when_it_predicts() -> None:
    texts, labels = small_texts().texts, small_texts().labels
    pipeline = make_pipeline(TermCounter(), TermWeighter(), DROP(), CosineKNN(k=1)).fit(texts, labels)
    assert is_sampler(clone(pipeline[2]))
    class_counts = pipeline[2].sampling_strategy_
    assert 0 < sum(class_counts.values()) == len(pipeline[2].sample_indices_) < len(texts)
    assert sorted(class_counts) == sorted(set(labels))
    assert len(pipeline.predict(texts)) == len(texts)
