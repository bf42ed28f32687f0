"""Counts of known terms are the same in plain Python, with kernels, and in the slow twin."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.depth import few_examples
from tests.reference.text_checks import PIECES, corpora, path
from tests.reference.text_twins import terms_in

from textsieve import InputError
from textsieve.arrays import CSR
from textsieve.text import counting
from textsieve.text.counting import count_known
from textsieve.text.reading import Reading
from textsieve.text.vocabulary import Vocabulary

READING = Reading(lowercase=True, strip_accents=None, encoding="utf-8", decode_error="strict")
TERMS = [*dict.fromkeys(piece.lower() for piece in PIECES), "ab the", "word word", "of of of", "no-term", "ab  the"]


def as_tables(rows: CSR) -> list[dict[int, int]]:
    """Return the rows as dictionaries, and check that their columns ascend."""
    tables = []
    for begin, end in zip(rows.indptr, rows.indptr[1:], strict=False):
        columns = rows.indices[begin:end].tolist()
        assert columns == sorted(set(columns))
        tables.append(dict(zip(columns, rows.data[begin:end].tolist(), strict=True)))
    return tables


@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 3), (2, 2)])
@pytest.mark.parametrize("way", ["plain Python", "kernels", "kernels, many slices"])
@few_examples
@given(documents=corpora, stop_words=st.sampled_from([frozenset[str](), frozenset({"the", "of"})]))
def test_counts_equal_the_slow_twins(
    ngram_range: tuple[int, int], way: str, documents: list[str], stop_words: frozenset[str]
) -> None:
    vocabulary = Vocabulary(TERMS, ngram_range, stop_words)
    expected = []
    for text in documents:
        term_counts = Counter(terms_in(text, ngram_range=ngram_range, stop_words=stop_words))
        expected.append({column: term_counts[term] for column, term in enumerate(TERMS) if term_counts[term]})
    for n_jobs in (1, 2):
        with path(way):
            rows = count_known(documents, vocabulary, READING, n_jobs=n_jobs)
        assert rows.n_columns == len(TERMS)
        assert rows.data.dtype == np.int64
        assert as_tables(rows) == expected


def test_very_long_ngrams_are_not_listed() -> None:
    """A text of 1,500 words has more than a million n-grams."""
    words = [f"word{number}" for number in range(1500)]
    vocabulary = Vocabulary(["word7", " ".join(words)], (1, 10**9), frozenset())
    assert as_tables(count_known([" ".join(words), "word7 word8"], vocabulary, READING)) == [{0: 1, 1: 1}, {0: 1}]


def test_counts_are_the_same_above_and_below_the_ngram_length_for_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["aa bb cc dd", "cc dd aa"]
    vocabulary = Vocabulary(["aa bb cc", "dd", "cc dd"], (1, 3), frozenset())
    plain = count_known(texts, vocabulary, READING)
    monkeypatch.setattr(counting, "LONG_NGRAM", 2)
    by_kernels = count_known(texts, vocabulary, READING)
    for array, other_array in zip(plain[:3], by_kernels[:3], strict=True):
        assert array.tobytes() == other_array.tobytes()
        assert array.dtype == other_array.dtype


@pytest.mark.parametrize("dtype", [np.int32, np.float64])
@pytest.mark.parametrize("way", ["plain Python", "kernels"])
def test_counts_of_any_type(dtype: type[np.number], way: str) -> None:
    with path(way):
        rows = count_known(["bb aa bb"], Vocabulary(["aa", "bb"], (1, 1), frozenset()), READING, dtype=dtype)
    assert rows.data.dtype == dtype
    assert as_tables(rows) == [{0: 1, 1: 2}]


def test_no_terms_and_no_documents() -> None:
    nothing = Vocabulary([], (1, 1), frozenset())
    for way in ("plain Python", "kernels"):
        with path(way):
            assert as_tables(count_known(["aa", ""], nothing, READING)) == [{}, {}]
    assert count_known([], nothing, READING).n_rows == 0


def test_error_names_a_document_that_is_not_text() -> None:
    with pytest.raises(InputError, match="Document 1 is 5"):
        count_known(["aa", 5], Vocabulary(["aa"], (1, 1), frozenset()), READING)
