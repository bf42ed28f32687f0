"""What the tests of text share: how two results are held against each other, and how a path is forced."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer

from textsieve import TermCounter
from textsieve.text import reading, tally

PATHS = ("plain Python", "kernels", "kernels, many slices")

# Letters of one to four bytes, digits of other scripts, marks that end a word, what lower-cases to two characters or
# by its neighbours, separators of every kind, NUL and half a surrogate pair.
CHARACTERS = (
    "aAbBzZ09_ßéÉİıςΣσ٣௪५ⅷⅧ²ªǅﬁK北𝔘𐐀𝟘\u0301\u0345\u200d -'.,"
    "\t\n\x00\x1c\x1d\x1e\x1f\x7f\x85\xa0\u2028\u3000\ud800\udfff\uffff"
)

PIECES = [
    *("ab", "Ab", "the", "of", "word", "WORD", "x", "_", "__", "İİ", "ΟΔΟΣ", "σς", "٣٤", "北京", "𝔘𝔫", "e\u0301t"),
    *("abcdefg", "abcdefgh", "abcdefghi", "ABCDEFGH", "abcdefghabcdefgh", "abcdefghabcdefghi", "ααβγ", "ααβγδ"),
]

texts = st.one_of(
    st.text(CHARACTERS, max_size=40),
    st.text(st.characters(), max_size=20),
    st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=6).flatmap(
        lambda words: st.sampled_from(["", "-", "\x00", "\u2028"]).map(lambda between: between.join(words))
    ),
)
corpora = st.lists(texts, min_size=1, max_size=12)


@contextmanager
def path(name: str) -> Iterator[None]:
    """Count in this way, however few the documents are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "FEW_CHARACTERS", 1 << 40 if name == "plain Python" else -1)
        if name == "kernels, many slices":
            patch.setattr(tally, "SLICE_CHARACTERS", 30)
        yield


def assert_same(ours: csr_matrix, theirs: csr_matrix) -> None:
    """The same matrix to the last bit, ours with the columns of each row in order as it comes."""
    theirs = theirs.copy()
    theirs.sort_indices()
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    for part in ("indptr", "indices", "data"):
        mine, other = getattr(ours, part), getattr(theirs, part)
        assert mine.dtype == other.dtype, part
        assert np.array_equal(mine, other), part


def assert_counts_like_sklearn(
    fitted: Sequence[str], others: Sequence[str] = (), settings: dict[str, Any] | None = None, *, n_jobs: int = 2
) -> None:
    """fit_transform, vocabulary and transform are scikit-learn's, or both refuse."""
    theirs = CountVectorizer(**(settings or {}))
    ours = TermCounter(n_jobs=n_jobs, **(settings or {}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            expected = theirs.fit_transform(fitted)
        except ValueError:
            with pytest.raises(ValueError):  # noqa: PT011, whatever it says
                ours.fit_transform(fitted)
            return
        expected_others = theirs.transform(others) if others else None
        expected_again = theirs.transform(fitted)
    assert_same(ours.fit_transform(fitted), expected)
    assert ours.vocabulary_ == theirs.vocabulary_
    assert list(ours.get_feature_names_out()) == sorted(theirs.vocabulary_, key=theirs.vocabulary_.__getitem__)
    assert_same(ours.transform(fitted), expected_again)
    if expected_others is not None:
        assert_same(ours.transform(others), expected_others)
