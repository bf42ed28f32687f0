"""The numbers on the pages on text preparation are true: stop words of each language, and sizes of caches."""

import re
from importlib.metadata import version
from itertools import chain
from pathlib import Path

import pytest
import stopwordsiso

from textsieve.text.languages import STOP_WORDS
from textsieve.text.preparation import MAX_CACHED_FORMS, MAX_WORD_LENGTH
from textsieve.text.stop_words import stop_words_of
from textsieve.text.tokens import split_text
from textsieve.text.word_table import MAX_READER_WORDS

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
STOP_WORD_PAGE = (REFERENCE / "stop-words.md").read_text(encoding="utf-8")
TEXT_PAGE = " ".join((REFERENCE / "text.md").read_text(encoding="utf-8").split())


def numbers_in(column: int) -> dict[str, int]:
    """Return the numbers that a column of the table gives for languages; empty cells are left out."""
    rows = re.findall(r"^\| (\w\w) \| (\d*) \| (\d*) \| (\d*) \|$", STOP_WORD_PAGE, re.MULTILINE)
    return {row[0]: int(row[column]) for row in rows if row[column]}


@pytest.fixture
def same_release() -> None:
    (named,) = re.findall(r"stopwordsiso ([\d.]+\d)", STOP_WORD_PAGE)
    if version("stopwordsiso") != named:
        pytest.skip(f"the page is on stopwordsiso {named}")


@pytest.mark.usefixtures("same_release")
def test_the_stop_words_of_each_language() -> None:
    assert numbers_in(1) == {code: len(stop_words_of(code)) for code in sorted(STOP_WORDS.codes())}


@pytest.mark.usefixtures("same_release")
def test_the_phrases_that_are_left_out() -> None:
    phrases = {
        code: sum(len(re.split(r"[\s-]+", entry.strip(" -"))) > 1 for entry in stopwordsiso.stopwords(code))
        for code in STOP_WORDS.codes() - {"en"}
    }
    assert numbers_in(2) == {code: number for code, number in phrases.items() if number}


@pytest.mark.usefixtures("same_release")
def test_the_words_without_spaces_that_are_too_long_for_a_term() -> None:
    long_words = {
        code: sum(
            " " not in entry and bool(tokens.grams) and entry not in [*tokens.grams, *chain(*tokens.sequences)]
            for entry in stopwordsiso.stopwords(code)
            for tokens in [split_text(entry)]
        )
        for code in STOP_WORDS.codes() - {"en"}
    }
    assert numbers_in(3) == {code: number for code, number in long_words.items() if number}


def test_the_sizes_of_caches() -> None:
    assert f"A process remembers {MAX_CACHED_FORMS:,} words" in TEXT_PAGE
    assert f"A word of more than {MAX_WORD_LENGTH} characters" in TEXT_PAGE
    assert MAX_READER_WORDS == MAX_CACHED_FORMS
