"""Helpers of the text tests: strategies for texts, comparison of matrices, and a choice of the counting path."""

import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer

from textsieve import TermCounter
from textsieve.text import markup, reading, tally

PATHS = ("plain Python", "kernels", "kernels, many slices")

# Letters of one to four bytes, digits of other scripts, marks that end a word, letters whose lowercase has two
# characters or depends on their neighbours, separators of every kind, NUL and half a surrogate pair.
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

# White space of one to three bytes and in runs, NUL and other control characters, hyphens and apostrophes.
spaced_texts = st.one_of(
    st.text("aAbÉ北𝔘 \t\n\x1f\x85\u2028\u3000\x00\x01\x7f\ud800", max_size=30),
    st.text("abÉ_9-'’. \n", max_size=30),
    texts,
)
spaced_corpora = st.lists(spaced_texts, min_size=1, max_size=8)


@contextmanager
def path(name: str) -> Iterator[None]:
    """Count on one of `PATHS`, however few the documents are."""
    with pytest.MonkeyPatch.context() as patch:
        for limit in ("FEW_CHARACTERS", "FEW_CHARACTERS_FOR_NGRAMS"):
            patch.setattr(reading, limit, 1 << 40 if name == "plain Python" else -1)
        if name == "kernels, many slices":
            patch.setattr(tally, "SLICE_CHARACTERS", 30)
        yield


def without_tags(text: str) -> str:
    """Return the text after all steps that remove tags."""
    for step in markup.STEPS:
        text = step(text)
    return text


def assert_same(ours: csr_matrix, theirs: csr_matrix) -> None:
    """Check that both matrices are the same to the last bit, and that our columns are in order."""
    theirs = theirs.copy()
    theirs.sort_indices()
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    for part in ("indptr", "indices", "data"):
        our_part, their_part = getattr(ours, part), getattr(theirs, part)
        assert our_part.dtype == their_part.dtype, part
        assert np.array_equal(our_part, their_part), part


def assert_counts_like_sklearn(
    fitted: Sequence[str],
    others: Sequence[str] = (),
    settings: dict[str, Any] | None = None,
    *,
    ways: Sequence[str | None] = (None,),
) -> None:
    """Check that fit_transform, vocabulary and transform are scikit-learn's, or that both raise an error.

    `ways` are those of `PATHS` to check; None leaves the choice to the counter.
    """
    theirs = CountVectorizer(**(settings or {}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            expected = theirs.fit_transform(fitted)
        except ValueError:
            for way in ways:
                with nullcontext() if way is None else path(way), pytest.raises(ValueError):  # noqa: PT011, any message
                    TermCounter(n_jobs=2, **(settings or {})).fit_transform(fitted)
            return
        expected_others = theirs.transform(others) if others else None
        expected_again = theirs.transform(fitted)
    for way in ways:
        with nullcontext() if way is None else path(way):
            ours = TermCounter(n_jobs=2, **(settings or {}))
            assert_same(ours.fit_transform(fitted), expected)
            assert ours.vocabulary_ == theirs.vocabulary_
            assert list(ours.get_feature_names_out()) == sorted(theirs.vocabulary_, key=theirs.vocabulary_.__getitem__)
            assert_same(ours.transform(fitted), expected_again)
            if expected_others is not None:
                assert_same(ours.transform(others), expected_others)


@cache
def code_points() -> list[str]:
    """Return all assigned characters, and one in a thousand of all others, which no rule tells from one another."""
    return [
        character
        for number, character in enumerate(map(chr, range(0x110000)))
        if unicodedata.category(character) not in ("Cn", "Co", "Cs") or number % 997 == 0
    ]


@cache
def varied_code_points() -> list[str]:
    """Return the code points, but of 110,000 ideographs and Hangul syllables only one in a hundred.

    They are all letters without case or accents; test_text_unicode.py tests each of them.
    """
    many = ("CJK UNIFIED IDEOGRAPH", "HANGUL SYLLABLE", "TANGUT IDEOGRAPH", "EGYPTIAN HIEROGLYPH")
    return [
        character
        for number, character in enumerate(code_points())
        if number % 97 == 0 or not unicodedata.name(character, "").startswith(many)
    ]


def documents_of(characters: Sequence[str], template: str) -> list[str]:
    """Return documents of 4,096 characters each; in the template, `{c}` is a character."""
    step = 1 << 12
    return [
        " ".join(template.format(c=character) for character in characters[first : first + step])
        for first in range(0, len(characters), step)
    ]
