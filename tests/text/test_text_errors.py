"""Errors for input that can't be counted name the value, what is allowed, and the remedy."""

from collections.abc import Iterator
from typing import Any

import pytest
from sklearn.exceptions import NotFittedError
from tests.reference.text_checks import PATHS, path

from textsieve import TermCounter
from textsieve.errors import InputError
from textsieve.kernels import words

SETTINGS: list[tuple[dict[str, Any], str]] = [
    *(
        ({"ngram_range": bad}, r"ngram_range=.*1 <= shortest <= longest")
        for bad in [(0, 1), (2, 1), (-1, 1), (1, 2, 3)]
    ),
    *(({"ngram_range": bad}, r"ngram_range=.*whole numbers") for bad in [2, None, "12", (1.0, 2.0), ("a", "b"), (1,)]),
    *(({"min_df": bad}, r"min_df=.*whole number from 1, or a share") for bad in [0, -1, 1.5, -0.1, "2", None, True]),
    *(({"max_df": bad}, r"max_df=.*whole number from 1, or a share") for bad in [0, -1, 1.5, -0.1, "2", None, True]),
    *(({"max_features": bad}, r"max_features=.*from 1, or None") for bad in [0, -1, 1.5, "2", True]),
    *(({"n_jobs": bad}, r"n_jobs=.*number of threads, or -1") for bad in [0, 1.5, "2", True]),
    *(({"strip_accents": bad}, r"strip_accents=.*'ascii', 'unicode'") for bad in ["latin", ""]),
    *(({"stop_words": bad}, r"stop_words=.*'english',.* a list") for bad in ["klingon", "", 5, iter(["ab"])]),
    ({"min_df": 0.9, "max_df": 0.1}, r"max_df=0.1 is fewer documents than min_df=0.9"),
    ({"min_df": 3}, r"min_df=3: there are only 2 documents, so no term is in 3 of them; lower min_df"),
    ({"min_df": 2, "max_df": 1.0, "ngram_range": (2, 2)}, r"No term is in 2 to 2 of the 2 documents.*lower min_df"),
    ({"stop_words": ["ab", "cd", "ef"]}, "None of the 2 documents has a term"),
    ({"ngram_range": (3, 4)}, "None of the 2 documents"),
    ({"vocabulary": ["ab", "cd", "ab"]}, "'ab' twice"),
    ({"vocabulary": {"ab": 0, "cd": 2}}, "0, 1, 2.*without gaps"),
    ({"vocabulary": {"ab": 1, "cd": 2}}, "0, 1, 2.*without gaps"),
    ({"vocabulary": {"ab": 0, "cd": 0}}, "0, 1, 2.*without gaps"),
    ({"vocabulary": []}, "vocabulary is empty"),
    ({"vocabulary": {}}, "vocabulary is empty"),
]


@pytest.mark.parametrize(("bad", "message"), SETTINGS, ids=lambda value: str(value)[:40])
def test_invalid_settings_raise_an_error_that_names_them(bad: dict[str, Any], message: str) -> None:
    for way in PATHS:
        with path(way):
            counter = TermCounter(**bad)
            with pytest.raises(InputError, match=message):
                counter.fit(["ab cd", "ab ef"])
            assert not hasattr(counter, "vocabulary_")
            with pytest.raises(NotFittedError) if "vocabulary" not in bad else pytest.raises(InputError, match=message):
                counter.transform(["ab"])


@pytest.mark.parametrize("text", ["one text", b"one text", ""])
def test_a_single_string_is_no_list_of_documents(text: Any) -> None:
    for method in ("fit", "fit_transform", "partial_fit", "partial_fit_transform"):
        with pytest.raises(InputError, match=r"single string.*\[text\]"):
            getattr(TermCounter(), method)(text)
    with pytest.raises(InputError, match="single string"):
        TermCounter().fit(["ab"]).transform(text)


@pytest.mark.parametrize(
    "bad", [None, 5, 1.5, float("nan"), ["ab"], ("ab",), {"text": "ab"}, bytearray(b"ab")], ids=str
)
@pytest.mark.parametrize("number", [0, 1, 25])
def test_a_document_that_is_no_text_is_named(bad: Any, number: int) -> None:
    documents: list[Any] = ["ab cd ef gh"] * 30
    documents[number] = bad
    for way in PATHS:
        with path(way):
            for n_jobs in (1, 2):
                for method in ("fit", "partial_fit"):
                    with pytest.raises(
                        InputError, match=rf"Document {number} is .*\({type(bad).__name__}\), not a text"
                    ):
                        getattr(TermCounter(n_jobs=n_jobs), method)(documents)
                with pytest.raises(InputError, match=rf"Document {number} is .*not a text"):
                    TermCounter(n_jobs=n_jobs).fit(["ab"]).transform(documents)


def test_a_large_bad_document_is_not_printed_whole() -> None:
    with pytest.raises(InputError) as caught:
        TermCounter().fit([["word"] * 100_000])
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("number", [0, 25])
def test_bytes_that_cant_be_decoded_are_named(number: int) -> None:
    documents = [b"ab cd ef gh"] * 30
    documents[number] = b"caf\xe9"
    for way in PATHS:
        with (
            path(way),
            pytest.raises(InputError, match=rf"Document {number} is not utf-8: .*0xe9.*decode_error='replace'"),
        ):
            TermCounter(n_jobs=2).fit(documents)


def test_an_empty_collection_raises_an_error() -> None:
    for way in PATHS:
        with path(way), pytest.raises(InputError, match="There are no documents"):
            TermCounter().fit([])
        with path(way), pytest.raises(InputError, match="There are no documents"):
            TermCounter(ngram_range=(1, 2)).fit(iter([]))


@pytest.mark.parametrize("documents", [[""], ["", "-", "\x00"], ["a b c"] * 40, ["the of and"] * 3])
@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 2), (2, 2)])
def test_documents_without_terms_raise_an_error(documents: list[str], ngram_range: tuple[int, int]) -> None:
    for way in PATHS:
        with path(way), pytest.raises(InputError, match=f"None of the {len(documents)} documents has a term"):
            TermCounter(stop_words="english", ngram_range=ngram_range, n_jobs=2).fit(documents)


@pytest.mark.parametrize(
    "limits", [{"min_df": 2}, {"min_df": 0.0}, {"max_df": 0.5}, {"max_df": 1}, {"max_features": 9}]
)
def test_partial_fit_refuses_limits(limits: dict[str, Any]) -> None:
    counter = TermCounter(**limits)
    with pytest.raises(InputError, match=f"partial_fit can't keep to {next(iter(limits))}=.*DocumentFrequency"):
        counter.partial_fit(["ab"])
    assert not hasattr(counter, "vocabulary_")


def test_partial_fit_refuses_a_given_vocabulary() -> None:
    with pytest.raises(InputError, match="vocabulary is given, so it can't grow"):
        TermCounter(vocabulary=["ab"]).partial_fit(["cd"])


def test_partial_fit_checks_its_settings() -> None:
    with pytest.raises(InputError, match="ngram_range"):
        TermCounter(ngram_range=(2, 1)).partial_fit(["ab"])


def test_a_counter_that_is_not_fitted_raises_not_fitted_error() -> None:
    with pytest.raises(NotFittedError):
        TermCounter().transform(["ab"])
    with pytest.raises(NotFittedError):
        TermCounter().get_feature_names_out()
    with pytest.raises(AttributeError, match="after fit"):
        _ = TermCounter().vocabulary_


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("n_before", [0, 1, 100])
def test_an_error_in_the_stream_of_documents_comes_through(n_before: int, n_jobs: int) -> None:
    def breaking_off() -> Iterator[str]:
        yield from ("ab cd ef " * 5 for _ in range(n_before))
        raise ZeroDivisionError("in the middle")

    for way in PATHS:
        with path(way):
            for method in ("fit", "fit_transform", "partial_fit"):
                with pytest.raises(ZeroDivisionError, match="in the middle"):
                    getattr(TermCounter(n_jobs=n_jobs), method)(breaking_off())
            with pytest.raises(ZeroDivisionError, match="in the middle"):
                TermCounter(n_jobs=n_jobs).fit(["ab"]).transform(breaking_off())


@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 2)])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_too_many_terms_raise_an_error(
    ngram_range: tuple[int, int], n_jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(words, "MAX_WORDS", 8192)
    documents = [" ".join(f"w{number}" for number in range(first, first + 1000)) for first in range(0, 20_000, 1000)]
    with path("kernels, many slices"), pytest.raises(InputError, match=r"More than 8,192 different .* smaller parts"):
        TermCounter(ngram_range=ngram_range, n_jobs=n_jobs).fit(documents)
