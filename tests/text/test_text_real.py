"""The papers' collections, counted as scikit-learn counts them."""

import tarfile
from collections.abc import Iterator
from pathlib import Path

from sklearn.feature_extraction.text import CountVectorizer
from tests.reference.text_checks import assert_same

from textsieve import TermCounter


def files_of(archive: Path, part: str) -> Iterator[str]:
    """The files of an archive whose names have this in them, as text."""
    with tarfile.open(archive) as opened:
        for member in opened:
            if member.isfile() and part in member.name:
                file = opened.extractfile(member)
                assert file is not None
                yield file.read().decode("latin-1")


def assert_counted_like_sklearn(documents: list[str]) -> tuple[TermCounter, CountVectorizer]:
    theirs = CountVectorizer()
    expected = theirs.fit_transform(documents)
    for n_jobs in (1, 2):
        ours = TermCounter(n_jobs=n_jobs)
        assert_same(ours.fit_transform(documents), expected)
        assert ours.vocabulary_ == theirs.vocabulary_
        assert_same(ours.transform(documents), expected)
    part = documents[::12]
    runs = CountVectorizer(ngram_range=(1, 2), stop_words="english", min_df=2)
    expected = runs.fit_transform(part)
    ours = TermCounter(ngram_range=(1, 2), stop_words="english", min_df=2, n_jobs=2)
    assert_same(ours.fit_transform(part), expected)
    assert ours.vocabulary_ == runs.vocabulary_
    return TermCounter(n_jobs=2).fit(documents), theirs


def test_newsgroups(newsgroups: tuple[list[str], list[str]], data_dir: Path) -> None:
    assert len(newsgroups[0]) == 11_314
    ours, theirs = assert_counted_like_sklearn(newsgroups[0])
    test = list(files_of(data_dir / "20news-bydate.tar.gz", "bydate-test/"))
    assert len(test) == 7_532
    assert_same(ours.transform(test), theirs.transform(test))


def test_reuters(data_dir: Path) -> None:
    documents = [
        document
        for file in files_of(data_dir / "reuters21578.tar.gz", ".sgm")
        for document in file.split("<REUTERS")[1:]
    ]
    assert len(documents) == 21_578
    assert_counted_like_sklearn(documents)


def test_webkb(data_dir: Path) -> None:
    documents = list(files_of(data_dir / "webkb-data.gtar.gz", "webkb/"))
    assert len(documents) == 8_282
    assert_counted_like_sklearn(documents)
