"""The numbers on the page on text preparation are true: stop words of each language, and sizes of caches."""

import re
from importlib.metadata import version
from pathlib import Path

import pytest
import stopwordsiso

from textsieve.text.languages import STOP_WORDS
from textsieve.text.preparation import MAX_CACHED_FORMS, MAX_WORD_LENGTH
from textsieve.text.word_table import MAX_READER_WORDS
from textsieve.text.words import stop_words_of

PAGE = " ".join((Path(__file__).parents[2] / "docs" / "preparation.md").read_text(encoding="utf-8").split())


def numbers_after(begin: str) -> dict[str, int]:
    """Return the numbers that a sentence of the page gives for languages."""
    (listed,) = re.findall(rf"{begin} (.*?)[.;]", PAGE)
    return {code: int(number) for code, number in re.findall(r"(\w+) (\d+)", listed)}


@pytest.fixture
def same_release() -> None:
    (named,) = re.findall(r"stopwordsiso ([\d.]+\d)", PAGE)
    if version("stopwordsiso") != named:
        pytest.skip(f"the page is on stopwordsiso {named}")


@pytest.mark.usefixtures("same_release")
def test_the_stop_words_of_each_language() -> None:
    assert numbers_after("The words of each language are then") == {
        code: len(stop_words_of(code)) for code in sorted(STOP_WORDS.codes())
    }


@pytest.mark.usefixtures("same_release")
def test_the_phrases_that_are_left_out() -> None:
    phrases = {
        code: sum(len(re.split(r"[\s-]+", entry.strip(" -"))) > 1 for entry in stopwordsiso.stopwords(code))
        for code in STOP_WORDS.codes() - {"en"}
    }
    assert numbers_after("these are") == {code: number for code, number in phrases.items() if number}


def test_the_sizes_of_caches() -> None:
    assert f"A process remembers {MAX_CACHED_FORMS:,} words" in PAGE
    assert f"A word of more than {MAX_WORD_LENGTH} characters" in PAGE
    assert MAX_READER_WORDS == MAX_CACHED_FORMS
