"""The papers' collections are counted as scikit-learn counts them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sklearn.feature_extraction.text import CountVectorizer
from tests.reference.archives import files_in
from tests.reference.text_checks import assert_same

from textsieve import TermCounter

Labelled = tuple[list[str], list[str]]


def texts_in(archive: Path, part: str) -> Iterator[str]:
    """Return the files of an archive whose names contain `part`, as text."""
    return (data.decode("latin-1") for name, data in files_in(archive) if part in name)


def assert_parts_counted_like_sklearn(documents: list[str]) -> None:
    """Count a part of the documents with two threads, and a smaller one with one thread, and as n-grams."""
    part = documents[::24]
    _assert_same_counts(documents[::8], n_jobs=2)
    _assert_same_counts(part, n_jobs=1)
    _assert_same_counts(part, n_jobs=2, ngram_range=(1, 2), stop_words="english", min_df=2)


def _assert_same_counts(documents: list[str], n_jobs: int, **settings: Any) -> tuple[TermCounter, CountVectorizer]:
    ours, theirs = TermCounter(n_jobs=n_jobs, **settings), CountVectorizer(**settings)
    expected = theirs.fit_transform(documents)
    assert_same(ours.fit_transform(documents), expected)
    assert ours.vocabulary_ == theirs.vocabulary_
    if not settings:
        assert_same(ours.transform(documents), expected)
    return ours, theirs


def test_newsgroups(newsgroups: Labelled, newsgroups_test: Labelled) -> None:
    assert len(newsgroups[0]) == 11_314
    assert_parts_counted_like_sklearn(newsgroups[0])
    ours, theirs = _assert_same_counts(newsgroups[0][1::3], n_jobs=2)
    test = newsgroups_test[0]
    assert len(test) == 7_532
    assert_same(ours.transform(test[::3]), theirs.transform(test[::3]))


@pytest.mark.parametrize(
    ("settings", "step"),
    [
        ({"analyzer": "char_wb", "ngram_range": (3, 5)}, 60),
        ({"analyzer": "char", "ngram_range": (3, 5), "min_df": 2}, 60),
        ({"token_pattern": r"\b\w[\w'-]*\b"}, 12),
        ({"token_pattern": r"\S+", "ngram_range": (1, 2)}, 24),
        ({"token_pattern": r"[a-z]+"}, 12),
    ],
    ids=str,
)
def test_other_terms_of_newsgroups(newsgroups: Labelled, settings: dict[str, Any], step: int) -> None:
    _assert_same_counts(newsgroups[0][::step], n_jobs=2, **settings)


def test_reuters(data_dir: Path) -> None:
    documents = [
        document
        for file in texts_in(data_dir / "reuters21578.tar.gz", ".sgm")
        for document in file.split("<REUTERS")[1:]
    ]
    assert len(documents) == 21_578
    assert_parts_counted_like_sklearn(documents)


def test_webkb(data_dir: Path) -> None:
    documents = list(texts_in(data_dir / "webkb-data.gtar.gz", "webkb/"))
    assert len(documents) == 8_282
    assert_parts_counted_like_sklearn(documents)
