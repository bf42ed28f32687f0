"""Find where the terms of a document stand in its original text, as explanations show them.

**Following characters.** A document is prepared in steps from text to text (`Reading.steps`). To trace a character back
through a step, it is enough to know how many characters came from each character, because no step changes their order:

- Edits replace stretches of the text: every character of the replacement came from the whole stretch.
- Lowercasing works character by character. The sigma depends on its neighbours, but is one character in any case.
- Stripping accents decomposes each character (NFKD) and then reorders the marks of a letter. Only characters with a
  combining class other than 0 move, and `unicode` drops exactly these; `ascii` drops everything but ASCII, whose class
  is 0. So the result is the same as if each character had been decomposed and filtered alone.

So two arrays describe a step: how many characters each character became, and where each stretch of characters that
are changed together ends.

What a reader sees as a word can be longer than the characters that remain of it. A combining mark belongs to the letter
before it, whether it was dropped (`é` as two characters, with stripped accents) or is not part of a word (without
stripping). Letters that `ascii` drops belong to the word that remains: a reader sees `Łódź` as the term `odz`. So the
place of a character extends over marks after it, and over dropped letters on both sides.

**Finding terms.** The terms of a text are its n-grams, joined by spaces (`words.terms_of`). Listing all of them would
take time that grows with the longest n-gram. So the vocabulary is stored as a tree with a step for each part between
spaces, and an n-gram is extended only while some term begins with it. A single word can be several steps, since names
contain spaces.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..arrays import Bools, Ints
from ..errors import InputError, Setting
from . import markup, names, words
from .markup import Edit, edited
from .reading import Reading, Step
from .vocabulary import Vocabulary
from .words import as_counted, word_pattern


class Placed(NamedTuple):
    """A text, and where in the document each of its characters begins and ends."""

    text: str
    begins: Ints
    ends: Ints

    @classmethod
    def as_given(cls, text: str) -> Placed:
        """Return the places of an unchanged document."""
        begins = np.arange(len(text))
        return cls(text, begins, begins + 1)

    def after_edits(self, edits: Iterable[Edit]) -> Placed:
        """Return the text after edits, with places."""
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
        """Return the text after a step that changes characters one by one, with places."""
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
        """Return the same text, where the place of each character includes the combining marks after it."""
        if self.text.isascii():
            return self
        is_mark = by_character(self.text, _is_mark) > 0
        return self._replace(ends=self.ends[last_hanging_on(is_mark)])


def by_character(text: str, value: Callable[[str], int]) -> Ints:
    """Return a number for each character of a nonempty text, computed once for each distinct character."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    table = np.zeros(int(codes.max()) + 1, np.int64)
    for character in set(text):
        table[ord(character)] = value(character)
    return table[codes]


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


def last_hanging_on(hangs: Bools) -> Ints:
    """Return for each position the last of the hanging positions that directly follow it, or itself if none does.

    `hangs` says which positions belong to the one before them, as combining marks do.
    """
    n = len(hangs)
    starts = np.where(hangs, n, np.arange(n))
    next_start = np.minimum.accumulate(starts[::-1])[::-1]
    return np.append(next_start[1:], n) - 1


def first_hanging_on(hangs: Bools, is_mark: Bools) -> Ints:
    """Return for each position the first of the adjacent positions before it that belong to it; a mark is never the
    first.
    """
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
    dots = ((*match.span(), "i") for match in re.finditer(words.DOTTED_I, placed.text))
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
    """Return a prepared document with the places of its characters."""
    if callable(reading.strip_accents):
        raise InputError(
            (
                Setting("strip_accents", reading.strip_accents),
                " is a function, of which nobody knows what became of which character, so where terms stand in "
                "a text can't be told",
            ),
            hint="use 'ascii', 'unicode' or None",
        )
    followed = Placed.as_given(text)
    for step in reading.steps:
        followed = FOLLOW[step](followed, step)
    return followed.with_marks()


class Span(NamedTuple):
    """Where a term stands in a text: `text[start:end]` is what a reader sees as this term."""

    start: int
    end: int
    term: str


class Node:
    """A prefix of terms; `term` is the term that ends here, if there is one."""

    __slots__ = ("longer", "term")

    def __init__(self) -> None:
        self.term: str | None = None
        self.longer: dict[str, Node] = {}

    def add(self, term: str) -> None:
        """Add a term to the tree."""
        node = self
        for part in term.split(" "):
            node = node.longer.setdefault(part, Node())
        node.term = term

    def after(self, word: str) -> Node | None:
        """Return the node after one more word, or None."""
        node = self.longer.get(word)
        if node is not None or " " not in word:
            return node
        node = self
        for part in word.split(" "):
            node = node.longer.get(part)
            if node is None:
                return None
        return node


class TermFinder:
    """Finds the terms of a vocabulary in documents."""

    def __init__(self, vocabulary: Vocabulary, reading: Reading) -> None:
        self._vocabulary, self._reading = vocabulary, reading

    @cached_property
    def _tree(self) -> Node:
        root = Node()
        for term in self._vocabulary.terms:
            root.add(term)
        return root

    def spans(self, text: str) -> list[Span]:
        """Return where each counted term stands, sorted by start and end."""
        joins_names, stop_words = self._reading.joins_names, self._vocabulary.stop_words
        prepared = placed(text, self._reading)
        runs = [
            run for run in word_pattern(joins_names=joins_names).finditer(prepared.text) if run[0] not in stop_words
        ]
        words = as_counted([run[0] for run in runs], self._reading.forms, joins_names=joins_names)
        begins = prepared.begins[[run.start() for run in runs]].tolist()
        ends = prepared.ends[[run.end() - 1 for run in runs]].tolist()
        spans = [Span(begins[first], ends[last], term) for first, last, term in self._terms_in(words)]
        return sorted(spans, key=lambda span: span[:2])

    def _terms_in(self, words: Sequence[str]) -> Iterator[tuple[int, int, str]]:
        """Yield the first and last word of each term, and the term."""
        shortest, longest = self._vocabulary.ngram_range
        root = self._tree
        for first in range(len(words)):
            node: Node | None = root
            for last in range(first, min(first + longest, len(words))):
                node = node.after(words[last]) if node else None
                if node is None:
                    break
                if node.term is not None and last - first + 1 >= shortest:
                    yield first, last, node.term
