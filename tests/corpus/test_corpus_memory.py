"""Corpora of texts in memory: batches, labels and reports."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textsieve.corpus import Corpus, Labels
from textsieve.corpus.batch import BATCH_CHARACTERS, BATCH_DOCUMENTS, Batch, Report
from textsieve.errors import InputError

LABELS: list[tuple[list[Any], list[Labels], bool]] = [
    (["a", "", None, " "], [("a",), (), (), ()], False),
    ([1, 2.0, np.int64(3), np.float32(0.5)], [("1",), ("2",), ("3",), ("0.5",)], False),
    ([True, np.bool_(False)], [("true",), ("false",)], False),
    (["a", float("nan"), np.float32("nan"), pd.NA, pd.NaT, np.ma.masked], [("a",), (), (), (), (), ()], False),
    ([np.str_("a"), "b"], [("a",), ("b",)], False),
    ([["b", "a", "b"], (), {"z", "y"}, [None, "x"]], [("b", "a"), (), ("y", "z"), ("x",)], True),
    ([[1, 2], 3], [("1", "2"), ("3",)], True),
]


@pytest.mark.parametrize(("given_labels", "expected", "multilabel"), LABELS)
def test_labels_in_memory_of_any_type_become_tuples_of_strings(
    given_labels: list[Any], expected: list[Labels], multilabel: bool
) -> None:
    corpus = Corpus.from_texts(["x"] * len(expected), given_labels)
    assert list(corpus.labels()) == expected
    assert corpus.multilabel is multilabel
    loaded = corpus.load()[1]
    assert loaded == (expected if multilabel else [(*labels, None)[0] for labels in expected])


BAD: list[tuple[Any, Any, str]] = [
    (["a", "b"], ["x"], "2 texts but 1 label"),
    ([], None, "no documents"),
    ("text", None, "is one str"),
    (["a", 5], None, r"mine\[1\]: 5 is a int"),
    (["a", "b"], ["x", 1], r"string 'x' \(labels\[0\]\) and the number 1 \(labels\[1\]\)"),
    (["a", "b"], [True, 1], "truth value True"),
    (["a"], [np.zeros(3)], "is a ndarray"),
    (["a"], [[["nested"]]], "is a list"),
    (["a"], [float("inf")], "inf"),
]


@pytest.mark.parametrize(("texts", "labels", "message"), BAD)
def test_invalid_texts_and_labels_in_memory_raise(texts: Any, labels: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Corpus.from_texts(texts, labels, name="mine")


@pytest.mark.every_case
@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT, np.ma.masked])
def test_the_error_for_a_missing_text_says_how_to_replace_it(missing: Any) -> None:
    """Converting it to str, as the hint for numbers says, would make a document of the word "nan" or "<NA>"."""
    with pytest.raises(InputError, match="Replace missing texts by empty ones"):
        Corpus.from_texts(["a", missing])


@given(
    st.lists(st.tuples(st.integers(0, 3 * 2**20), st.booleans()), min_size=1, max_size=12),
    st.integers(1, 1500),
)
def test_batches_are_bounded_and_lose_nothing(sizes: list[tuple[int, bool]], repeats: int) -> None:
    long = "x" * (3 * 2**20)
    texts = [long[:size] for size, _ in sizes] + ["short"] * repeats
    labels = [("a",) if labelled else () for _, labelled in sizes] + [("b",)] * repeats
    corpus = Corpus.from_texts(texts, labels)
    batches = list(corpus.batches())
    assert [text for batch in batches for text in batch.texts] == texts
    assert [document_labels for batch in batches for document_labels in batch.labels] == labels
    for batch in batches:
        assert 0 < len(batch) <= BATCH_DOCUMENTS
        assert sum(map(len, batch.texts[:-1])) < BATCH_CHARACTERS, "full only with its last document"
    assert corpus.report is not None
    assert corpus.report.documents == len(texts)
    assert corpus.report.unlabelled == sum(1 for document_labels in labels if not document_labels)


def test_half_characters_are_replaced_and_counted() -> None:
    corpus = Corpus.from_texts(["a\ud800b", "\ud83d\ude00", "ä"], ["\udc80", "b", "c"])
    assert list(corpus) == [("a\ufffdb", ("\ufffd",)), ("😀", ("b",)), ("ä", ("c",))]
    assert corpus.report is not None
    assert corpus.report.replaced_bytes == 2


def test_each_pass_starts_anew_and_reports_when_complete() -> None:
    passes: list[int] = []

    def start(report: Report) -> Any:
        passes.append(1)
        report.skip("things")
        yield Batch([("a",)], ["x"])
        yield Batch([()], [" "])

    corpus = Corpus("mine", start)
    assert corpus.multilabel is None
    assert "not read" in repr(corpus)
    next(corpus.batches())
    assert corpus.report is None
    assert list(corpus.texts()) == ["x", " "]
    assert len(passes) == 2
    assert str(corpus.report) == "2 documents, 1 unlabelled, 1 empty, 1 things skipped"
    assert corpus.multilabel is False
