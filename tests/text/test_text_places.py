"""Characters of a prepared text are traced back to the document: step by step, for all characters and unusual texts."""

import re
import unicodedata
from functools import cache
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
CHARACTER_STEPS: list[Step] = [markup.without_soft_hyphens, words.lower_case, words.fold_to_ascii, words.drop_marks]
ALL_CHARACTERS = "".join(map(chr, range(0x110000)))
every_step = pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
every_character_step = pytest.mark.parametrize("step", CHARACTER_STEPS, ids=lambda step: step.__name__)


@cache
def assigned_characters() -> str:
    """Return the characters that mean something, and one in 64 of the others, which all behave alike."""
    return "".join(
        character
        for character in ALL_CHARACTERS
        if DEPTH == "deep" or ord(character) % 64 == 0 or unicodedata.category(character) not in ("Cn", "Co", "Cs")
    )


@pytest.mark.slow
@every_character_step
def test_the_length_of_a_changed_character_does_not_depend_on_its_neighbours(step: Step) -> None:
    characters = assigned_characters().replace("\n", "")
    lengths = [len(step(character)) for character in characters]
    for before, after in (("", ""), ("a", "b"), ("\u0315", "\u0323"), ("Σ", "Σ"), ("ᄀ", "ᆨ")):
        lines = step("\n".join(before + character + after for character in characters)).split("\n")
        around = len(step(before + after))
        assert [len(line) - around for line in lines] == lengths


@pytest.mark.parametrize("step", CHARACTER_STEPS[2:], ids=lambda step: step.__name__)
def test_stripping_accents_works_character_by_character(step: Step) -> None:
    assert step(ALL_CHARACTERS) == "".join(map(step, ALL_CHARACTERS))


@pytest.mark.parametrize("step", CHARACTER_STEPS[2:], ids=lambda step: step.__name__)
@given(st.text(ODD) | st.text("a\u0323\u0307\u0315\u0345\u0f73각\u1e69é", max_size=30) | st.text(st.characters()))
def test_reordering_of_marks_does_not_change_the_result(step: Step, text: str) -> None:
    assert step(text) == "".join(map(step, text))


@every_character_step
@given(st.text(ODD, max_size=25))
def test_each_character_is_traced_to_its_source(step: Step, text: str) -> None:
    sources = brought_by(step, text)
    marks = [unicodedata.category(character).startswith("M") for character in text]
    letters = [re.match(r"\w", character) is not None for character in text]
    places = hanging([not step(character) for character in text], marks, letters)
    traced = TracedText.of_document(text).after_character_step(step)
    assert traced.text == step(text)
    assert list(zip(traced.begins.tolist(), traced.ends.tolist(), strict=True)) == [
        places[source] for source in sources
    ]


@every_step
@given(text=odd_texts)
def test_a_tracer_gives_the_text_of_its_step(step: Step, text: str) -> None:
    traced = TRACERS[step](TracedText.of_document(text), step)
    assert traced.text == step(text)
    assert_sound(traced, text)


def assert_sound(traced: TracedText, text: str) -> None:
    """Every character has a source in the document, and sources are in order."""
    assert len(traced.text) == len(traced.begins) == len(traced.ends)
    assert (traced.begins < traced.ends).all()
    for positions in (traced.begins, traced.ends):
        assert (np.diff(positions) >= 0).all()
        assert ((positions >= 0) & (positions <= len(text))).all()


@given(settings_of_reading, odd_texts)
def test_tracing_all_steps_gives_the_prepared_text(reading: Reading, text: str) -> None:
    prepared, _ = reading.few_or_many([text])
    traced = trace_text(text, reading)
    assert [traced.text] == prepared
    assert_sound(traced, text)


@given(odd_texts)
@example("&ampersand;&#x39;&#x39&semi;")
def test_the_characters_of_an_entity_are_traced_to_the_entity(text: str) -> None:
    assert apply_edits(text, markup.find_entities(text)) == markup.unescaped(text)
    traced = TracedText.of_document(text).after_edits(markup.find_entities(text))
    groups = groupby(range(len(traced.text)), key=lambda position: (traced.begins[position], traced.ends[position]))
    for (begin, end), positions in groups:
        assert markup.unescaped(text[begin:end]) == "".join(traced.text[position] for position in positions)


@given(odd_texts)
def test_text_outside_of_markup_is_traced_to_itself(text: str) -> None:
    edits = list(markup.find_markup(text))
    assert all(edit[1] <= next_edit[0] for edit, next_edit in pairwise(edits))
    traced = TracedText.of_document(text).after_edits(edits)
    inside = {position for begin, end, _ in edits for position in range(begin, end)}
    outside = [(text[position], position, position + 1) for position in range(len(text)) if position not in inside]
    replacements = [(character, begin, end) for begin, end, gap in edits for character in gap]
    triples = zip(traced.text, traced.begins.tolist(), traced.ends.tolist(), strict=True)
    assert list(triples) == sorted(outside + replacements, key=lambda triple: triple[1])


@given(odd_texts)
def test_joined_names_are_traced_to_their_words(text: str) -> None:
    traced = TRACERS[names.join_names](TracedText.of_document(text), names.join_names)
    for character, begin, end in zip(traced.text, traced.begins, traced.ends, strict=True):
        if character == words.JOINER:
            assert re.fullmatch(r"\W+", text[begin:end])
        elif character not in " \n":
            assert text[begin:end] == character


def test_ascii_characters_keep_their_places() -> None:
    reading = Reading(True, "unicode", "utf-8", "strict")
    traced = trace_text("Plain OLD Text", reading)
    assert traced.text == "plain old text"
    assert traced.begins.tolist() == list(range(14))
    assert traced.ends.tolist() == list(range(1, 15))


@pytest.mark.parametrize("text", ["", "é", "\u0301", "ß", "\xad", "中"])
def test_texts_of_at_most_one_character(text: str) -> None:
    for strip_accents in (None, "ascii", "unicode"):
        traced = trace_text(text, Reading(True, strip_accents, "utf-8", "strict", Preparation(tags="drop", names=True)))
        assert_sound(traced, text)


class Strips:
    """A function that equals anything and can't be hashed."""

    def __eq__(self, other: object) -> bool:
        return True

    def __call__(self, text: str) -> str:
        return text


@pytest.mark.parametrize("strip", [str.upper, lambda text: text, Strips()])
def test_a_strip_accents_function_raises_an_error(strip: Step) -> None:
    with pytest.raises(InputError, match=r"is a function.*use 'ascii', 'unicode' or None"):
        trace_text("text", Reading(True, strip, "utf-8", "strict"))
