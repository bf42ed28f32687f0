r"""A prepared text together with the place in the document that each of its characters came from.

Preparation is a row of steps, from a text to a text (`Reading.steps`). To follow a character back through a step it is
enough to know how long what came from each character is, because no step changes the order of what it leaves:

- Edits replace stretches of the text, and leave all else as it is: all that replaces a stretch came from all of it.
- Lower-casing takes the characters one by one; the sigma looks at its neighbours, but is one character in any case.
- Stripping accents decomposes each character on its own (NFKD), and then puts the marks that belong to one letter into
  an order. Only characters of a combining class other than 0 move, and these are the ones that `unicode` drops. `ascii`
  drops all but ASCII, whose class is 0. So what is left stands as if each character had been decomposed and filtered
  alone.

So a step is two arrays: how many characters came from each character, and for each stretch where it ends.

What a reader sees as a word can be more than the characters that are left of it. A mark belongs to the letter before
it, whether it was dropped (`é` as two characters, with stripped accents) or is no part of a word (without); and letters
that `ascii` drops belong to the word that the rest of it became: `Łódź` is what a reader sees as the term `odz`. So
the place of a character reaches over marks after it, and over dropped letters on both sides.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, shown
from . import markup, names, words
from .documents import Reading, Step
from .edits import Edit, edited

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Placed(NamedTuple):
    """A text, and where in the document each of its characters begins and ends."""

    text: str
    begins: Ints
    ends: Ints

    @classmethod
    def as_given(cls, text: str) -> Placed:
        """A document that nothing was done with."""
        begins = np.arange(len(text))
        return cls(text, begins, begins + 1)

    def after_edits(self, edits: Iterable[Edit]) -> Placed:
        """The text after edits."""
        listed = list(edits)
        if not listed:
            return self
        begins, ends = np.array([(begin, end) for begin, end, _ in listed]).T
        is_edited = np.zeros(len(self.text) + 1, np.int64)
        is_edited[begins] += 1
        is_edited[ends] -= 1
        lengths = 1 - np.cumsum(is_edited[:-1])
        lengths[begins] = [len(instead) for _, _, instead in listed]
        last = np.arange(len(self.text))
        last[begins] = ends - 1
        came_from = np.repeat(np.arange(len(self.text)), lengths)
        return Placed(edited(self.text, listed), self.begins[came_from], self.ends[last[came_from]])

    def after_each(self, step: Step) -> Placed:
        """The text after a step that takes the characters one by one."""
        if self.text.isascii():
            return self._replace(text=step(self.text))
        lengths = by_character(self.text, lambda character: len(step(character)))
        begins, ends = self.begins, self.ends
        is_dropped = lengths == 0
        if is_dropped.any():
            is_mark = by_character(self.text, _is_mark) > 0
            is_lost = is_dropped & (is_mark | (by_character(self.text, str.isalnum) > 0))
            ends = ends[last_hanging_on(is_lost)]
            begins = begins[first_hanging_on(is_lost, is_mark)]
        return Placed(step(self.text), np.repeat(begins, lengths), np.repeat(ends, lengths))

    def with_marks(self) -> Placed:
        """The same, where each character reaches over the marks after it."""
        if self.text.isascii():
            return self
        is_mark = by_character(self.text, _is_mark) > 0
        return self._replace(ends=self.ends[last_hanging_on(is_mark)])


def by_character(text: str, value: Callable[[str], int]) -> Ints:
    """A number for each character of a text that is not empty, which is looked up once for each that is different."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    table = np.zeros(int(codes.max()) + 1, np.int64)
    for character in set(text):
        table[ord(character)] = value(character)
    return table[codes]


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


def last_hanging_on(hangs: Bools) -> Ints:
    """For each place the last one of those right after it that hang on what is before them; or itself."""
    n = len(hangs)
    ends_here = np.where(hangs, n, np.arange(n))
    next_end = np.minimum.accumulate(ends_here[::-1])[::-1]
    return np.append(next_end[1:], n) - 1


def first_hanging_on(hangs: Bools, is_mark: Bools) -> Ints:
    """For each place the first one of those right before it that hang on what is after them; a mark is not first."""
    places = np.arange(len(hangs))
    ends_here = np.maximum.accumulate(np.where(hangs, -1, places))
    first = np.append(-1, ends_here[:-1]) + 1
    next_letter = np.minimum.accumulate(np.where(is_mark, len(hangs), places)[::-1])[::-1]
    first_letter: Ints = np.minimum(next_letter[first], places)
    return first_letter


Follow = Callable[[Placed, Step], Placed]


def _one_for_one(placed: Placed, step: Step) -> Placed:
    return placed._replace(text=step(placed.text))


def _by_edits(find: Callable[[str], Iterable[Edit]]) -> Follow:
    return lambda placed, _: placed.after_edits(find(placed.text))


def _join_names(placed: Placed, _: Step) -> Placed:
    in_lines = _one_for_one(placed, names.in_lines)
    return in_lines.after_edits(names.joints_in(in_lines.text))


def _without_dotted_i(placed: Placed, step: Step) -> Placed:
    dots = ((*found.span(), "i") for found in re.finditer(words.DOTTED_I, placed.text))
    return _one_for_one(placed.after_edits(dots), step)


FOLLOW: dict[Step, Follow] = {
    markup.without_markup: _by_edits(markup.markup_in),
    markup.unescaped: _by_edits(markup.entities_in),
    markup.without_soft_hyphens: Placed.after_each,
    names.join_names: _join_names,
    names.ready_for_lower_case: _one_for_one,
    words.without_dotted_i: _without_dotted_i,
    words.lower_case: Placed.after_each,
    words.fold_to_ascii: Placed.after_each,
    words.drop_marks: Placed.after_each,
    names.mended: _one_for_one,
}
"""How each step is followed."""


def placed(text: str, reading: Reading) -> Placed:
    """A document as it is prepared, and where its characters came from."""
    if callable(reading.strip_accents):
        raise InputError(
            f"strip_accents={shown(reading.strip_accents)} is a function, of which nobody knows what became of which "
            "character, so where terms stand in a text can't be told; use 'ascii', 'unicode' or None."
        )
    found = Placed.as_given(text)
    for step in reading.steps:
        found = FOLLOW[step](found, step)
    return found.with_marks()
