"""Words and n-grams of characters are counted side by side (`char_ngram_range`), and can be told from each other."""

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import CountVectorizer
from tests.depth import few_examples
from tests.reference.text_checks import PATHS, assert_same, path, spaced_corpora, spaced_texts
from tests.reference.text_twins import character_ngrams_in, first_seen, text_terms_in

from textsieve import InputError, TermCounter
from textsieve.text import analysis, tally
from textsieve.text.analysis import is_marked, mark_ngram, unmark_ngram

SETTINGS: dict[str, tuple[dict[str, Any], tuple[int, int]]] = {
    "words and three to five": ({}, (3, 5)),
    "pairs and two": ({"ngram_range": (1, 2)}, (2, 2)),
    "one to four": ({"lowercase": False}, (1, 4)),
    "stop words": ({"stop_words": ["ab", "the"], "ngram_range": (1, 2)}, (3, 4)),
    "without accents": ({"strip_accents": "unicode"}, (1, 3)),
    "words of one letter": ({"token_pattern": r"\b\w+\b"}, (2, 3)),
}


def of_scikit_learn(documents: Sequence[str], settings: dict[str, Any], lengths: tuple[int, int]) -> Any:
    """Return the matrices of words and of n-grams side by side, and the terms; None if there are no terms.

    The mark of a space counts as a space.
    """
    spaced = [document.replace("▁", " ") for document in documents]
    characters = {
        name: value for name, value in settings.items() if name not in ("ngram_range", "stop_words", "token_pattern")
    }
    parts: list[csr_matrix] = []
    terms: list[str] = []
    for counter, mark in (
        (CountVectorizer(**settings), str),
        (CountVectorizer(**characters, analyzer="char_wb", ngram_range=lengths), mark_ngram),
    ):
        try:
            parts.append(counter.fit_transform(spaced))
        except ValueError:  # no terms
            continue
        terms += map(mark, sorted(counter.vocabulary_, key=counter.vocabulary_.__getitem__))
    return (csr_matrix(hstack(parts)), terms) if parts else None


@pytest.mark.filterwarnings("ignore:.* terms of vocabulary have uppercase letters:UserWarning")
@pytest.mark.parametrize("way", PATHS)
@pytest.mark.parametrize("name", SETTINGS)
@few_examples
@given(documents=spaced_corpora)
def test_counts_are_those_of_two_counters_of_scikit_learn(name: str, way: str, documents: list[str]) -> None:
    settings, lengths = SETTINGS[name]
    expected = of_scikit_learn(documents, settings, lengths)
    counter = TermCounter(**settings, char_ngram_range=lengths, n_jobs=2)
    with path(way):
        if expected is None:
            with pytest.raises(InputError, match="has a term"):
                counter.fit(documents)
            return
        counts = counter.fit_transform(documents)
        matrix, terms = expected
        order = sorted(range(len(terms)), key=terms.__getitem__)
        matrix, terms = matrix[:, order], [terms[column] for column in order]
        assert counter.get_feature_names_out().tolist() == terms
        assert counts.toarray().tolist() == matrix.toarray().tolist()
        assert_same(counter.transform(documents), counts)
        with_terms = TermCounter(**settings, char_ngram_range=lengths, vocabulary=terms[::-1])
        assert with_terms.transform(documents).toarray().tolist() == matrix.toarray()[:, ::-1].tolist()


def terms_in(document: str, ngram_range: tuple[int, int], lengths: tuple[int, int]) -> list[str]:
    """Return the terms of a document: words, then n-grams of characters."""
    spaced = document.replace("▁", " ")
    ngrams = character_ngrams_in(spaced, analyzer="char_wb", ngram_range=lengths)
    return text_terms_in(document, ngram_range=ngram_range) + [mark_ngram(ngram) for ngram in ngrams]


@pytest.mark.parametrize("way", PATHS)
@few_examples
@given(documents=spaced_corpora, n_first=st.integers(0, 8), n_jobs=st.integers(1, 3))
def test_columns_do_not_depend_on_batches(way: str, documents: list[str], n_first: int, n_jobs: int) -> None:
    with path(way):
        counter = TermCounter(analyzer="text", ngram_range=(1, 2), char_ngram_range=(2, 3), n_jobs=n_jobs)
        counter.partial_fit(documents[:n_first])
        counts = counter.partial_fit_transform(documents[n_first:])
    term_lists = [terms_in(document, (1, 2), (2, 3)) for document in documents]
    terms = counter.get_feature_names_out().tolist()
    assert terms == first_seen(term_lists)
    for row, term_list in zip(counts.toarray().tolist(), term_lists[n_first:], strict=True):
        assert row == [term_list.count(term) for term in terms]


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_the_number_of_threads_makes_no_difference(n_jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tally, "SLICE_CHARACTERS", 200)
    documents = [
        f"Text {number} of {number % 7}, with words{number % 11} and 漢字 {chr(0x4E00 + number)}"
        for number in range(200)
    ]
    counters = [
        TermCounter(analyzer="text", ngram_range=(1, 2), char_ngram_range=(3, 5), n_jobs=threads)
        for threads in (1, n_jobs)
    ]
    with path("kernels"):
        monkeypatch.setattr(tally, "SLICE_CHARACTERS", 200)
        one, several = (counter.partial_fit_transform(documents) for counter in counters)
    assert_same(several, one)
    names = [counter.get_feature_names_out().tolist() for counter in counters]
    assert names[0] == names[1]


@given(spaced_texts.filter(lambda text: "▁" not in text.strip() and text.strip() != ""), st.booleans(), st.booleans())
def test_the_spelling_of_an_ngram_can_be_reversed(text: str, begins: bool, ends: bool) -> None:
    word = "".join(text.split())
    ngram = f"{' ' * begins}{word}{' ' * ends}"
    assert is_marked(mark_ngram(ngram))
    assert unmark_ngram(mark_ngram(ngram)) == ngram


@pytest.mark.parametrize(
    ("ngram", "spelled"),
    [
        *((" th", "▁th…"), ("the", "…the…"), (" the ", "▁the▁"), ("he ", "…he▁"), (" ", "▁")),
        *(("…", "………"), (" …", "▁……"), ("… ", "……▁"), ("…a", "……a…")),
    ],
)
def test_how_ngrams_are_spelled(ngram: str, spelled: str) -> None:
    assert mark_ngram(ngram) == spelled
    assert unmark_ngram(spelled) == ngram


def test_words_are_not_taken_for_ngrams() -> None:
    counter = TermCounter(analyzer="text", ngram_range=(1, 2)).fit(["the … end …… ▁ x…y"])
    assert not any(map(is_marked, counter.get_feature_names_out()))


def test_ngrams_with_line_breaks_and_nul_are_sorted_and_spelled() -> None:
    documents = ["a\x00b \x01a\x00 …\x01x … the", "a\u2028b\x85c"]
    expected = of_scikit_learn(documents, {}, (1, 3))
    with path("kernels"):
        counter = TermCounter(char_ngram_range=(1, 3)).fit(documents)
    assert counter.get_feature_names_out().tolist() == sorted(expected[1])


def test_limits_apply_to_both_kinds() -> None:
    documents = ["cat bat", "cat rat", "dog"] * 300
    counter = TermCounter(char_ngram_range=(3, 3), min_df=301)
    with path("kernels"):
        counter.fit(documents)
    assert counter.get_feature_names_out().tolist() == ["cat", "…at▁", "…cat…", "▁ca…"]


def test_some_terms_can_be_had_without_the_others() -> None:
    with path("kernels"):
        counter = TermCounter(char_ngram_range=(3, 3)).fit(["cat bat", "cat rat"])
    columns = np.array([4, 0, 2])
    before = counter.terms().take(columns)
    assert before == counter.get_feature_names_out()[columns].tolist()
    assert counter.terms().take(columns) == before


def test_a_counter_can_be_pickled() -> None:
    with path("kernels"):
        counter = TermCounter(analyzer="text", char_ngram_range=(3, 4)).fit(["cats and dogs", "more cats"])
        again = pickle.loads(pickle.dumps(counter))
        assert_same(again.transform(["cats more"]), counter.transform(["cats more"]))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"analyzer": "char_wb"}, "char_ngram_range=.*which analyzer='char_wb' does not count"),
        ({"analyzer": str.split}, "char_ngram_range=.*which analyzer="),
        ({"tokenizer": str.split}, "char_ngram_range=.*which tokenizer="),
        ({"token_pattern": r"\S+"}, "char_ngram_range=.*which token_pattern="),
        ({"token_pattern": "[a-z…]+"}, "char_ngram_range=.*which token_pattern="),
        ({"char_ngram_range": (0, 2)}, r"char_ngram_range=\(0, 2\); use \(shortest, longest\)"),
        ({"char_ngram_range": (3, 2)}, "char_ngram_range="),
        ({"char_ngram_range": 3}, "char_ngram_range=3"),
        ({"char_ngram_range": "35"}, "char_ngram_range='35'"),
        ({"char_ngram_range": b"\x01\x02"}, "char_ngram_range=b"),
    ],
    ids=str,
)
def test_settings_that_make_no_sense_raise_an_error(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        TermCounter(**{"char_ngram_range": (3, 5), **settings}).fit(["a text"])


def test_columns_of_a_resumed_counter_are_sorted_with_terms_that_cannot_occur() -> None:
    with path("kernels"):
        counter = TermCounter().resume(["zz top", "foo", "a"]).partial_fit(["foo bar", "bat zz"])
        columns = counter.alphabetical()
    terms = counter.get_feature_names_out()
    assert terms[columns].tolist() == sorted(terms)
    assert counter.terms().take(columns) == sorted(terms)


def test_long_ngrams_of_characters_do_not_become_strings(monkeypatch: pytest.MonkeyPatch) -> None:
    def unused(*_: object) -> None:
        raise AssertionError("n-grams were listed in Python")

    monkeypatch.setattr(analysis, "marked_ngrams", unused)
    counter = TermCounter(char_ngram_range=(3, 40)).fit(["a" * 50])
    assert counter.transform(["a" * 50]).sum() == 1 + sum(53 - n for n in range(3, 41))
    assert counter.partial_fit_transform(["a" * 50]).shape == (1, 1 + 3 * 38)
