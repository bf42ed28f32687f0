"""Scores in blocks, in memory or in a file, give the same rules and curves to the last bit as one table."""

import errno
import os
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from tests.reference.categorizer_cases import plain_categorizer, small_texts, tables_of

from textsieve import Categorizer, InputError
from textsieve.evaluation import PCut, RCut, SCut, SCutFBR, ZeroCut, scores
from textsieve.evaluation.calibration import METHODS, Calibration
from textsieve.evaluation.scores import DocumentScores, HeldOutScores, blocks
from textsieve.evaluation.thresholds import ThresholdRule

N, C = 61, 7
CUTS = [SCut(), SCutFBR(floor=0.5), RCut(), PCut(), PCut(factor=1.3), ZeroCut()]


def table() -> tuple[Any, Any]:
    """Return scores with ties and gaps, and labels; two documents have no score at all."""
    random = np.random.default_rng(5)
    true = random.random((N, C)) < np.linspace(0.05, 0.6, C)
    numbers = np.round(random.normal(size=(N, C)) + true, 1)
    numbers[random.random((N, C)) < 0.05] = np.nan
    numbers[[3, 40]], true[[3, 40]] = np.nan, False
    return numbers, true


@contextmanager
def traced_memory() -> Iterator[Callable[[], int]]:
    """Yield a function that returns the largest number of bytes that were allocated at a time."""
    tracemalloc.start()
    try:
        yield lambda: tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture(params=[(1 << 21, 1 << 23), (20, 1 << 23), (20, 100), (1, 0)], ids=str)
def small_blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit the number of scores in a block, and in memory."""
    monkeypatch.setattr(scores, "BLOCK_CELLS", request.param[0])
    monkeypatch.setattr(scores, "CELLS_IN_MEMORY", request.param[1])


def in_blocks(numbers: Any, true: Any) -> HeldOutScores:
    """Return the held-out scores, added fold by fold and block by block."""
    held_out = HeldOutScores(csr_array(true.astype(np.int8)), None)
    scored = np.flatnonzero(~np.isnan(numbers).all(axis=1))
    for fold in range(3):
        own = scored[fold::3]
        for part in blocks(len(own), C):
            held_out.add(own[part], numbers[own[part]])
    return held_out


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("cut", CUTS, ids=lambda cut: f"{type(cut).__name__} {vars(cut)}")
def test_rules_do_not_depend_on_blocks(cut: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers, true = table()
    rule = cut.fit_held_out(in_blocks(numbers, true))
    monkeypatch.undo()
    expected = cut.fit(numbers, true).rule_
    assert rule.ranks == expected.ranks
    assert np.array_equal(rule.thresholds, expected.thresholds)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("method", METHODS)
def test_curves_do_not_depend_on_blocks(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers, true = table()
    arrays = Calibration.fit_held_out(method, in_blocks(numbers, true)).stored_arrays()
    monkeypatch.undo()
    expected = Calibration.fit(method, numbers, true).stored_arrays()
    assert all(np.array_equal(arrays[name], expected[name]) for name in expected)


@pytest.mark.usefixtures("small_blocks")
def test_what_was_added_can_be_read_by_document() -> None:
    numbers, true = table()
    read_numbers, read_true = tables_of(in_blocks(numbers, true))
    assert np.array_equal(read_numbers, numbers, equal_nan=True)
    assert np.array_equal(read_true, true)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize(
    "settings", [{"n_terms": "auto"}, {"n_terms": 20, "held_out": 0.3, "probabilities": "sigmoid"}]
)
def test_models_do_not_depend_on_blocks(multilabel: bool, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    case = small_texts(60, multilabel=multilabel)
    labels: Any = case.label_sets if multilabel else case.labels
    model = plain_categorizer(**settings, folds=3, classifier="nb").fit(case.texts, labels)
    report, predicted = model.evaluate(case.texts, labels), model.predict(case.texts)
    monkeypatch.undo()
    expected = plain_categorizer(**settings, folds=3, classifier="nb").fit(case.texts, labels)
    assert results_of(model) == results_of(expected)
    assert report.to_dict() == expected.evaluate(case.texts, labels).to_dict()
    assert list(predicted) == list(expected.predict(case.texts))


def results_of(model: Categorizer) -> tuple[Any, ...]:
    thresholds = None if model.thresholds_ is None else model.thresholds_.tolist()
    return model.terms_, model.curve_, model.held_out_, thresholds


def test_a_full_disk_names_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room() -> Any:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(scores, "CELLS_IN_MEMORY", 0)
    monkeypatch.setattr(tempfile, "TemporaryFile", no_room)
    with pytest.raises(InputError, match=f"{tempfile.gettempdir()}: there is no space for scores.*set TMPDIR"):
        in_blocks(*table())


def test_no_documents_are_one_empty_block() -> None:
    assert list(blocks(0, 5)) == [slice(0, 0)]


def test_predicting_takes_no_table_of_documents_and_classes() -> None:
    n_documents, n_classes = 6_000, 2_000
    labels = [f"c{number % n_classes}" for number in range(n_documents)]
    texts = [f"a{number % 40} b{number % 50}" for number in range(n_documents)]
    model = plain_categorizer(classifier="nb", selector="df", n_terms=90).fit(texts, labels)
    model.predict(texts[:2000])  # load what prediction needs before memory is traced
    with traced_memory() as peak:
        assert len(model.predict(texts)) == n_documents
        assert model.evaluate(texts, labels).documents == n_documents
        most = peak()
    assert most < n_documents * n_classes * 8 // 2


@pytest.mark.slow
@pytest.mark.parametrize("cut", CUTS, ids=lambda cut: f"{type(cut).__name__} {vars(cut)}")
def test_fitting_thresholds_takes_no_table_of_documents_and_classes(cut: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scores, "BLOCK_CELLS", 1 << 14)
    monkeypatch.setattr(scores, "CELLS_IN_MEMORY", 1 << 15)
    n_documents, n_classes = 2_000, 400
    random = np.random.default_rng(1)
    held_out = HeldOutScores(csr_array(np.eye(n_classes, dtype=np.int8)[np.arange(n_documents) % n_classes]), None)
    with traced_memory() as peak:
        for part in blocks(n_documents, n_classes):
            documents = np.arange(part.start, part.stop)
            held_out.add(documents, random.normal(size=(len(documents), n_classes)))
        cut.fit_held_out(held_out)
        most = peak()
    assert most < n_documents * n_classes * 8 // 2


def test_scores_become_labels() -> None:
    numbers = np.array([[0.2, 0.7, 0.7], [0.9, 0.1, 0.0], [0.9, 0.9, 0.9]])
    scored = DocumentScores(numbers, np.array([False, False, True]), fallback=2)
    assert scored.best().tolist() == [1, 0, 2]  # of equal scores, the first; the last document has no known term
    assert scored.labels(None).astype(int).tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    by_threshold = scored.labels(ThresholdRule(np.array([0.5, 0.7, 0.8]), None))
    assert by_threshold.astype(int).tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    by_rank = scored.labels(ThresholdRule(None, 2))
    assert by_rank.sum(axis=1).tolist() == [2, 2, 1]
