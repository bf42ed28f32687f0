"""Statistics that were computed elsewhere give the same model as the rows, to the last bit."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from tests.reference.categorizer_cases import plain_categorizer, small_texts

from textsieve import ClassStats, InputError
from textsieve.classifiers.linear import LinearScorer
from textsieve.training.plan import TrainingPlan
from textsieve.training.targets import Targets

SETTINGS: list[dict[str, Any]] = [
    {"classifier": "nb"},
    {"classifier": "nb", "class_weight": "balanced"},
    {"classifier": "nb", "class_weight": "sqrt"},
    {"classifier": "nb", "class_weight": {"moon": 3.0}},
    {"classifier": "cnb", "class_weight": "balanced", "classifier_options": {"norm": True}},
    {"classifier": "rocchio"},
]

N = 90


def plan_of(settings: dict[str, Any]) -> TrainingPlan:
    return TrainingPlan.of(plain_categorizer(**settings).settings(), 1)


def rows_and_targets(label_format: str) -> tuple[csr_matrix, Targets]:
    """Return rows and targets; every ninth document has no label."""
    case = small_texts(n=N, multilabel=label_format != "single")
    labels: Any = [None if at % 9 == 4 else label for at, label in enumerate(case.labels)]
    if label_format != "single":
        labels = [() if at % 9 == 4 else label_set for at, label_set in enumerate(case.label_sets)]
    targets = Targets.of(labels, N)
    if label_format == "matrix":
        targets = Targets.of(targets.indicator().toarray(), N)
        targets = Targets(small_targets().classes, targets.members, N, multilabel=True, has_label_matrix=True)
    rng = np.random.default_rng(0)
    return csr_matrix((rng.random((N, 7)) * (rng.random((N, 7)) < 0.5)).astype(np.float32)), targets


def small_targets() -> Targets:
    return Targets.of(small_texts(n=N, multilabel=True).label_sets, N)


def as_bytes(scorer: Any) -> bytes:
    assert isinstance(scorer, LinearScorer)
    return scorer.coefficients.tobytes() + scorer.intercepts.tobytes()


@pytest.mark.parametrize("label_format", ["single", "sets", "matrix"])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_rows_batches_and_statistics_give_the_same(settings: dict[str, Any], label_format: str) -> None:
    plan, (rows, targets) = plan_of(settings), rows_and_targets(label_format)
    expected = as_bytes(plan.fit_weights(rows, targets))
    assert plan.learns_from_stats
    assert as_bytes(plan.fit_batches([rows[:5], rows[5:5], rows[5:77], rows[77:]], targets)) == expected
    usable = np.random.default_rng(1).permutation(np.flatnonzero(targets.usable))
    labels = targets.indicator()
    parts = [ClassStats.from_matrix(rows[part], labels[part]) for part in np.array_split(usable, 4)]
    stats = parts[3] + parts[1] + (parts[0] + parts[2])
    scorer = plan.fit_class_stats(stats, targets.sizes)
    assert as_bytes(scorer) == expected
    order = np.random.default_rng(2).permutation(N)
    moved = Targets.of([targets.label_sets()[at] for at in order], N)
    if label_format == "sets":
        assert as_bytes(plan.fit_weights(rows[order], moved)) == expected


def test_statistics_of_other_classes_raise() -> None:
    plan, (rows, targets) = plan_of({"classifier": "nb"}), rows_and_targets("sets")
    stats = ClassStats.from_matrix(rows, targets.label_sets())
    with pytest.raises(InputError, match=r"stats.classes=\(.*use the numbers of all classes, 0 to \d"):
        plan.fit_class_stats(stats, targets.sizes)


def test_class_weights_of_unknown_classes_raise() -> None:
    plan, (rows, targets) = plan_of({"classifier": "nb", "class_weight": {"sun": 2.0}}), rows_and_targets("single")
    stats = ClassStats.from_matrix(rows, targets.indicator())
    with pytest.raises(InputError, match=r"class_weight: there is no class 'sun'; classes are \['"):
        plan.fit_class_stats(stats, targets.sizes)


@pytest.mark.parametrize("settings", [{"classifier": "svm"}, {"classifier": "tcfp"}], ids=str)
def test_svm_and_tcfp_need_the_rows(settings: dict[str, Any]) -> None:
    assert not plan_of(settings).learns_from_stats
