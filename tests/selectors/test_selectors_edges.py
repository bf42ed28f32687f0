"""Edge cases: batches that raise, classes without documents, many classes, invalid matrices and statistics."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone

from textsieve import (
    OCFS,
    TOFA,
    Cascade,
    ChiSquare,
    ClassStats,
    DocumentFrequency,
    InformationGain,
    InputError,
    MutualInformation,
    TermWeighter,
)

ROWS = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0], [0, 1, 0]])
LABELS = ["a", "b", "a", "b"]
WIDER = np.ones((2, 5))


@pytest.mark.parametrize("labels", [["a", 1], ["a"], [float("inf"), "b"]])
def test_a_batch_that_raises_does_not_change_the_selector(labels: list[Any]) -> None:
    selector = ChiSquare(k=2).partial_fit(ROWS, LABELS)
    before = selector.stats_.to_bytes()
    with pytest.raises(InputError):
        selector.partial_fit(WIDER, labels)
    assert selector.n_features_in_ == 3
    assert selector.stats_.to_bytes() == before
    assert selector.transform(ROWS).shape == (4, 2)


def test_a_first_batch_that_raises_leaves_the_selector_unfitted() -> None:
    selector = ChiSquare(k=2)
    with pytest.raises(InputError):
        selector.partial_fit(ROWS, ["a"])
    assert not hasattr(selector, "n_features_in_")
    weighter = TermWeighter().fit(ROWS)
    with pytest.raises(InputError, match="Negative"):
        weighter.partial_fit(-WIDER)
    assert weighter.n_features_in_ == 3


def test_a_class_without_documents_takes_no_turn() -> None:
    """A column of an indicator matrix may be empty; such a class has no best term."""
    indicator = np.array([[1, 0, 0], [0, 0, 1], [1, 0, 0], [0, 0, 1]])
    with_empty = ChiSquare(k="all", pooling="round-robin").fit(ROWS, indicator)
    without = ChiSquare(k="all", pooling="round-robin").fit(ROWS, LABELS)
    assert with_empty.ranking_.tolist() == without.ranking_.tolist()
    assert with_empty.scores_.tolist() == without.scores_.tolist()


@pytest.mark.parametrize("method", [ChiSquare, InformationGain, MutualInformation])
def test_round_robin_of_many_similar_classes(method: Any) -> None:
    """Classes with the same best terms run out of candidates; the ranking still equals naive round-robin."""
    chance = np.random.default_rng(0)
    rows = (chance.random((120, 200)) < 0.2).astype(int)
    labels = chance.integers(0, 12, 120).tolist()
    selector = method(k="all", pooling="round-robin").fit(rows, labels)
    class_rankings = [np.argsort(-scores, kind="stable").tolist() for scores in selector.class_scores_]
    ranking: list[int] = []
    while len(ranking) < 200:
        for class_ranking in class_rankings:
            if len(ranking) < 200:
                ranking.append(next(term for term in class_ranking if term not in ranking))
    assert selector.ranking_.tolist() == ranking


def test_no_terms_at_all() -> None:
    stats = ClassStats.from_matrix(np.zeros((2, 0)), ["a", "b"])
    for pooling in ("mean", "max", "round-robin"):
        assert len(ChiSquare(pooling=pooling).fit_stats(stats).ranking_) == 0


def test_a_class_and_its_complement_have_equal_scores() -> None:
    chance = np.random.default_rng(1)
    rows = (chance.random((40, 300)) < 0.3).astype(int)
    scores, complement_scores = InformationGain(k="all").fit(rows, chance.integers(0, 2, 40)).class_scores_
    assert scores.tolist() == complement_scores.tolist()


def test_texts_raise() -> None:
    with pytest.raises(InputError, match="TermCounter"):
        OCFS().fit(["some text", "another"], ["a", "b"])


def test_fit_stats_raises_without_statistics() -> None:
    with pytest.raises(InputError, match="ClassStats"):
        OCFS().fit_stats(ROWS)  # type: ignore[arg-type]
    stats = ClassStats.from_matrix(ROWS, LABELS)
    with pytest.raises(InputError, match="give a ClassStats"):
        stats.merge(3)  # type: ignore[arg-type]
    for number in (2, -1, "a", 0.5, True):
        with pytest.raises(InputError, match="numbers go from 0 to 1"):
            stats.class_doc_freq(number)  # type: ignore[arg-type]


def test_tables_are_equal_if_their_documents_are() -> None:
    stats = ClassStats.from_matrix(ROWS, LABELS)
    assert stats == ClassStats.from_matrix(ROWS[:2], LABELS[:2]) + ClassStats.from_matrix(ROWS[2:], LABELS[2:])
    assert stats != ClassStats.from_matrix(ROWS, LABELS[::-1])
    assert stats != "stats"


def test_columns_beyond_the_shape_raise() -> None:
    broken = csr_matrix((np.ones(1), np.array([1]), np.array([0, 1])), shape=(1, 2))
    broken.__dict__["_shape"] = (1, 1)
    with pytest.raises(InputError, match="not sound"):
        ClassStats.from_matrix(broken, ["a"])


def test_favours() -> None:
    stats = ClassStats.from_matrix(ROWS, LABELS)
    assert [stats.favours(number).tolist() for number in (0, 1)] == [[True, False, False], [False, True, False]]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_numpy_numbers_are_valid_settings(kind: Any) -> None:
    assert ChiSquare(k=kind(0.34)).fit(ROWS, LABELS).get_support().sum() == 1
    assert ChiSquare(min_score=kind(0.5)).fit(ROWS, LABELS).get_support().sum() >= 1


def test_a_data_frame_of_indicators_keeps_its_names() -> None:
    class Frame:
        columns = ("sport", "politics")
        shape = (4, 2)

        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.array([[1, 0], [0, 1], [1, 0], [0, 1]])

    stats = ClassStats.from_matrix(ROWS, Frame())
    assert stats.classes == ("politics", "sport")
    assert stats.class_doc_freq(1).tolist() == ClassStats.from_matrix(ROWS, LABELS).class_doc_freq(0).tolist()


# -- results read before labels arrive -----------------------------------------------------------------------------

NEEDING_LABELS: list[Any] = [
    OCFS(k=2),
    TOFA(k=2),
    TOFA(weight=0.5, k=2),
    ChiSquare(k=2),
    InformationGain(k=2),
    MutualInformation(k=2, pooling="round-robin"),
    Cascade([DocumentFrequency(k=3), ChiSquare(k=2)]),
]
READINGS: dict[str, Callable[[Any], Any]] = {
    "scores_": lambda selector: selector.scores_,
    "ranking_": lambda selector: selector.ranking_,
    "get_support": lambda selector: selector.get_support(),
    "transform": lambda selector: selector.transform(ROWS),
    "best_by_class": lambda selector: list(selector.best_by_class(2)),
}
TOO_FEW_LABELS: dict[str, Any] = {"none": [None] * len(ROWS), "one class": ["a"] * len(ROWS)}


@pytest.mark.parametrize("read", READINGS.values(), ids=READINGS)
@pytest.mark.parametrize("labels", TOO_FEW_LABELS.values(), ids=TOO_FEW_LABELS)
@pytest.mark.parametrize("selector", NEEDING_LABELS, ids=repr)
def test_partial_fit_checks_labels_when_results_are_read(
    selector: Any, labels: Any, read: Callable[[Any], Any]
) -> None:
    """Once two classes have labels, the results include the earlier documents."""
    with pytest.raises(InputError, match=r"No document has a label|Only one class") as of_fit:
        clone(selector).fit(ROWS, labels)
    streamed = clone(selector).partial_fit(ROWS, labels)
    for _ in range(2):
        with pytest.raises(InputError) as of_reading:
            read(streamed)
        assert str(of_reading.value) == str(of_fit.value)
    streamed.partial_fit(ROWS, LABELS)
    whole = clone(selector).fit(np.vstack([ROWS, ROWS]), [*labels, *LABELS])
    read(streamed)
    assert streamed.scores_.tolist() == whole.scores_.tolist()
    assert streamed.get_support().tolist() == whole.get_support().tolist()


@pytest.mark.parametrize("selector", [OCFS(k=2), ChiSquare(k=2)], ids=repr)
def test_batches_without_labels_raise_when_results_are_read(selector: Any) -> None:
    with pytest.raises(InputError, match="No document has a label"):
        clone(selector).partial_fit(ROWS).get_support()


@pytest.mark.parametrize("selector", [DocumentFrequency(k=2), TOFA(weight=0, k=2)], ids=repr)
def test_methods_without_labels_need_none_in_batches(selector: Any) -> None:
    streamed = clone(selector).partial_fit(ROWS)
    assert streamed.get_support().tolist() == clone(selector).fit(ROWS).get_support().tolist()
    assert streamed.transform(ROWS).shape == (len(ROWS), 2)
