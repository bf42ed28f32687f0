"""Where the characters of a prepared text came from: step by step, over all characters, and on texts of odd ones."""

import re
import unicodedata
from itertools import groupby, pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.depth import DEPTH
from tests.reference.places_cases import ODD, odd_texts, settings_of_reading
from tests.reference.places_twin import brought_by, hanging

from textsieve import InputError
from textsieve.text import markup, names, words
from textsieve.text.markup import apply_edits
from textsieve.text.places import TRACERS, TracedText, trace_text
from textsieve.text.preparation import Preparation
from textsieve.text.reading import Reading, Step

STEPS: list[Step] = list(TRACERS)
EACH: list[Step] = [markup.without_soft_hyphens, words.lower_case, words.fold_to_ascii, words.drop_marks]
ALL_CHARACTERS = "".join(map(chr, range(0x110000)))
ASSIGNED = "".join(
    character
    for character in ALL_CHARACTERS
    if DEPTH == "deep" or ord(character) % 64 == 0 or unicodedata.category(character) not in ("Cn", "Co", "Cs")
)
"""Characters that mean something, and one in 64 of the others, which all behave alike."""

every_step = pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
each_character = pytest.mark.parametrize("step", EACH, ids=lambda step: step.__name__)


@pytest.mark.slow
@each_character
def test_each_character_has_its_own_length_wherever_it_stands(step: Step) -> None:
    characters = ASSIGNED.replace("\n", "")
    lengths = [len(step(character)) for character in characters]
    for before, after in (("", ""), ("a", "b"), ("\u0315", "\u0323"), ("Σ", "Σ"), ("ᄀ", "ᆨ")):
        lines = step("\n".join(before + character + after for character in characters)).split("\n")
        around = len(step(before + after))
        assert [len(line) - around for line in lines] == lengths


@pytest.mark.parametrize("step", EACH[2:], ids=lambda step: step.__name__)
def test_without_accents_a_text_is_its_characters_without_accents(step: Step) -> None:
    assert step(ALL_CHARACTERS) == "".join(map(step, ALL_CHARACTERS))


@pytest.mark.parametrize("step", EACH[2:], ids=lambda step: step.__name__)
@given(st.text(ODD) | st.text("a\u0323\u0307\u0315\u0345\u0f73각\u1e69é", max_size=30) | st.text(st.characters()))
def test_reordered_marks_change_nothing_that_is_left(step: Step, text: str) -> None:
    assert step(text) == "".join(map(step, text))


@each_character
@given(st.text(ODD, max_size=25))
def test_each_character_is_followed_to_the_one_that_brought_it(step: Step, text: str) -> None:
    brought = brought_by(step, text)
    marks = [unicodedata.category(character).startswith("M") for character in text]
    letters = [re.match(r"\w", character) is not None for character in text]
    places = hanging([not step(character) for character in text], marks, letters)
    found = TracedText.of_document(text).after_character_step(step)
    assert found.text == step(text)
    assert list(zip(found.begins.tolist(), found.ends.tolist(), strict=True)) == [places[at] for at in brought]


@every_step
@given(text=odd_texts)
def test_a_step_that_is_followed_is_the_same_step(step: Step, text: str) -> None:
    found = TRACERS[step](TracedText.of_document(text), step)
    assert found.text == step(text)
    assert_sound(found, text)


def assert_sound(found: TracedText, text: str) -> None:
    """Every character came from somewhere, and those after it not from before that."""
    assert len(found.text) == len(found.begins) == len(found.ends)
    assert (found.begins < found.ends).all()
    for edges in (found.begins, found.ends):
        assert (np.diff(edges) >= 0).all()
        assert ((edges >= 0) & (edges <= len(text))).all()


@given(settings_of_reading, odd_texts)
def test_all_steps_after_one_another(reading: Reading, text: str) -> None:
    prepared, _ = reading.few_or_many([text])
    found = trace_text(text, reading)
    assert [found.text] == prepared
    assert_sound(found, text)


@given(odd_texts)
@example("&ampersand;&#x39;&#x39&semi;")
def test_entities_are_where_what_they_stand_for_comes_from(text: str) -> None:
    assert apply_edits(text, markup.find_entities(text)) == markup.unescaped(text)
    found = TracedText.of_document(text).after_edits(markup.find_entities(text))
    groups = groupby(range(len(found.text)), key=lambda at: (found.begins[at], found.ends[at]))
    for (begin, end), places in groups:
        assert markup.unescaped(text[begin:end]) == "".join(found.text[at] for at in places)


@given(odd_texts)
def test_what_is_no_markup_stays_where_it_is(text: str) -> None:
    edits = list(markup.find_markup(text))
    assert all(one[1] <= other[0] for one, other in pairwise(edits))
    found = TracedText.of_document(text).after_edits(edits)
    inside = {at for begin, end, _ in edits for at in range(begin, end)}
    kept = [(text[at], at, at + 1) for at in range(len(text)) if at not in inside]
    gaps = [(character, begin, end) for begin, end, gap in edits for character in gap]
    together = zip(found.text, found.begins.tolist(), found.ends.tolist(), strict=True)
    assert list(together) == sorted(kept + gaps, key=lambda each: each[1])


@given(odd_texts)
def test_names_are_where_they_were(text: str) -> None:
    found = TRACERS[names.join_names](TracedText.of_document(text), names.join_names)
    for character, begin, end in zip(found.text, found.begins, found.ends, strict=True):
        if character == words.JOINER:
            assert re.fullmatch(r"\W+", text[begin:end])
        elif character not in " \n":
            assert text[begin:end] == character


def test_nothing_is_to_be_followed_in_ascii() -> None:
    reading = Reading(True, "unicode", "utf-8", "strict")
    found = trace_text("Plain OLD Text", reading)
    assert found.text == "plain old text"
    assert found.begins.tolist() == list(range(14))
    assert found.ends.tolist() == list(range(1, 15))


@pytest.mark.parametrize("text", ["", "é", "\u0301", "ß", "\xad", "中"])
def test_next_to_nothing(text: str) -> None:
    for strip_accents in (None, "ascii", "unicode"):
        found = trace_text(text, Reading(True, strip_accents, "utf-8", "strict", Preparation(tags="drop", names=True)))
        assert_sound(found, text)


class Strips:
    """A function that can't even be looked up."""

    def __eq__(self, other: object) -> bool:
        return True

    def __call__(self, text: str) -> str:
        return text


@pytest.mark.parametrize("strip", [str.upper, lambda text: text, Strips()])
def test_what_a_function_does_to_a_text_nobody_knows(strip: Step) -> None:
    with pytest.raises(InputError, match=r"is a function.*use 'ascii', 'unicode' or None"):
        trace_text("text", Reading(True, strip, "utf-8", "strict"))
