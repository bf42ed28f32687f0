"""Find where the terms of a document are in its original text, for explanations.

**Tracing characters.** A document is prepared in steps from text to text (`Reading.steps`). To trace a character back
through a step, it is enough to know how many characters each character became, because no step changes their order:

- Edits replace stretches of the text: every character of the replacement came from the whole stretch.
- Lowercasing works character by character. The lowercase of `Σ` depends on its neighbours, but is always one character.
- Stripping accents decomposes each character (NFKD) and then reorders the marks of a letter. Only characters with a
  combining class other than 0 move, and `unicode` drops exactly these; `ascii` drops everything but ASCII, whose class
  is 0. So the result is the same as if each character had been decomposed and filtered alone.

A word in the original text can be longer than the characters that remain of it. A combining mark belongs to the letter
before it, whether it was dropped (`é` as two characters, with stripped accents) or is not part of a word (without
stripping). Letters that `ascii` drops belong to the word that remains: the term `odz` is `Łódź` in the text. So the
place of a character extends over marks after it, and over dropped letters on both sides.

**Finding terms.** The terms of a text are its n-grams, joined by spaces (`words.terms_of`). Listing all of them would
take time that grows with the longest n-gram. So the vocabulary is stored as a prefix tree with an edge for each part
between spaces, and an n-gram is extended only while some term begins with it. A single word can be several edges, since
names contain spaces.
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
from .markup import Edit, apply_edits
from .reading import Reading, Step
from .vocabulary import Vocabulary
from .words import word_pattern, words_to_count


class TracedText(NamedTuple):
    """A text, and where in the original document each of its characters begins and ends."""

    text: str
    begins: Ints  # (len(text),)
    ends: Ints  # (len(text),)

    @classmethod
    def of_document(cls, text: str) -> TracedText:
        """Return an unchanged document."""
        begins = np.arange(len(text))
        return cls(text, begins, begins + 1)

    def after_edits(self, edits: Iterable[Edit]) -> TracedText:
        """Return the text after edits; every character of a replacement is traced to the whole replaced stretch."""
        edit_list = list(edits)
        if not edit_list:
            return self
        begins, ends = np.array([(begin, end) for begin, end, _ in edit_list]).T
        # `lengths`: how many characters each one becomes. Outside of edits it stays one character; the first character
        # of an edit becomes the whole replacement, the others nothing. The running sum of `changes` is 1 within edits.
        changes = np.zeros(len(self.text) + 1, np.int64)
        changes[begins] += 1
        changes[ends] -= 1
        lengths = 1 - np.cumsum(changes[:-1])
        lengths[begins] = [len(replacement) for _, _, replacement in edit_list]
        last_sources = np.arange(len(self.text))
        last_sources[begins] = ends - 1  # a replacement ends where the last character of its edit does
        sources = np.repeat(np.arange(len(self.text)), lengths)
        return TracedText(apply_edits(self.text, edit_list), self.begins[sources], self.ends[last_sources[sources]])

    def after_character_step(self, step: Step) -> TracedText:
        """Return the text after a step that replaces each character by itself, by others or by nothing.

        Places still refer to the original text.
        """
        if self.text.isascii():  # lowercasing, and removing accents or soft hyphens, keeps the length of ASCII
            return self._replace(text=step(self.text))
        lengths = by_character(self.text, lambda character: len(step(character)))
        begins, ends = self.begins, self.ends
        is_dropped = lengths == 0
        if is_dropped.any():
            is_mark = by_character(self.text, _is_mark) > 0
            # Dropped letters and marks belong to their neighbours; dropped punctuation does not.
            is_attached = is_dropped & (is_mark | (by_character(self.text, str.isalnum) > 0))
            ends = ends[last_attached(is_attached)]
            begins = begins[first_attached(is_attached, is_mark)]
        return TracedText(step(self.text), np.repeat(begins, lengths), np.repeat(ends, lengths))

    def with_marks(self) -> TracedText:
        """Return the same text, where the place of each character includes the combining marks after it."""
        if self.text.isascii():
            return self
        is_mark = by_character(self.text, _is_mark) > 0
        return self._replace(ends=self.ends[last_attached(is_mark)])


def by_character(text: str, value: Callable[[str], int]) -> Ints:
    """Return `value` of each character of a nonempty text, computed once for each distinct character."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    table = np.zeros(int(codes.max()) + 1, np.int64)
    for character in set(text):
        table[ord(character)] = value(character)
    return table[codes]


def _is_mark(character: str) -> bool:
    """Return whether a character is a combining mark."""
    return unicodedata.category(character).startswith("M")


def last_attached(is_attached: Bools) -> Ints:
    """Return for each position the last of the attached positions that directly follow it, or itself if none does.

    `is_attached` says which positions belong to the one before them, as combining marks do.
    """
    n = len(is_attached)
    unattached = np.where(is_attached, n, np.arange(n))  # n, which is beyond the end, in place of attached positions
    next_unattached = np.minimum.accumulate(unattached[::-1])[::-1]
    return np.append(next_unattached[1:], n) - 1


def first_attached(is_attached: Bools, is_mark: Bools) -> Ints:
    """Return for each position the first of the attached positions directly before it, or itself if there is none.

    A combining mark is never the first, since it belongs to the letter before it.
    """
    positions = np.arange(len(is_attached))
    last_unattached = np.maximum.accumulate(np.where(is_attached, -1, positions))
    first = np.append(-1, last_unattached[:-1]) + 1
    next_letter = np.minimum.accumulate(np.where(is_mark, len(is_attached), positions)[::-1])[::-1]
    first_letter: Ints = np.minimum(next_letter[first], positions)  # itself if all before it are marks
    return first_letter


Tracer = Callable[[TracedText, Step], TracedText]
"""A function that applies a step to a traced text."""


def _trace_one_for_one(traced: TracedText, step: Step) -> TracedText:
    """Apply a step that replaces each character by exactly one."""
    return traced._replace(text=step(traced.text))


def _trace_edits(find_edits: Callable[[str], Iterable[Edit]]) -> Tracer:
    """Return the tracer of a step that applies the edits from `find_edits`."""
    return lambda traced, _: traced.after_edits(find_edits(traced.text))


def _trace_joined_names(traced: TracedText, _: Step) -> TracedText:
    """Apply `names.join_names`."""
    normalised = _trace_one_for_one(traced, names.normalise_lines)
    return normalised.after_edits(names.find_joints(normalised.text))


def _trace_turkish_i(traced: TracedText, step: Step) -> TracedText:
    """Apply `words.lowercase_turkish_i`, which turns `I` and a combining dot into one character."""
    edits = ((*match.span(), "i") for match in re.finditer(words.DOTTED_I, traced.text))
    return _trace_one_for_one(traced.after_edits(edits), step)


TRACERS: dict[Step, Tracer] = {
    markup.without_markup: _trace_edits(markup.find_markup),
    markup.unescaped: _trace_edits(markup.find_entities),
    markup.without_soft_hyphens: TracedText.after_character_step,
    names.join_names: _trace_joined_names,
    names.replace_dotted_capital_i: _trace_one_for_one,
    words.lowercase_turkish_i: _trace_turkish_i,
    words.lower_case: TracedText.after_character_step,
    words.fold_to_ascii: TracedText.after_character_step,
    words.drop_marks: TracedText.after_character_step,
    names.repair_names: _trace_one_for_one,
}
"""The tracer of each step."""


def trace_text(text: str, reading: Reading) -> TracedText:
    """Return a prepared document, and where its characters come from."""
    if callable(reading.strip_accents):
        raise InputError(
            (
                Setting("strip_accents", reading.strip_accents),
                " is a function, so characters can't be traced back to their places in the text",
            ),
            hint="use 'ascii', 'unicode' or None",
        )
    traced = TracedText.of_document(text)
    for step in reading.steps:
        traced = TRACERS[step](traced, step)
    return traced.with_marks()


class Span(NamedTuple):
    """The place of a term in a document: `text[start:end]` is what a reader sees as this term."""

    start: int
    end: int
    term: str


class Node:
    """A node of the prefix tree of terms; `term` is the term that ends here, if there is one."""

    __slots__ = ("children", "term")

    def __init__(self) -> None:
        self.term: str | None = None
        self.children: dict[str, Node] = {}

    def add(self, term: str) -> None:
        """Add a term below this node."""
        node = self
        for part in term.split(" "):
            node = node.children.setdefault(part, Node())
        node.term = term

    def descend(self, word: str) -> Node | None:
        """Return the node to which a word leads from this one, or None if no term continues with it.

        A name is a word with spaces, and leads over several edges.
        """
        node = self.children.get(word)
        if node is not None or " " not in word:
            return node
        node = self
        for part in word.split(" "):
            node = node.children.get(part)
            if node is None:
                return None
        return node


class TermFinder:
    """Find the terms of a vocabulary in documents."""

    def __init__(self, vocabulary: Vocabulary, reading: Reading) -> None:
        self._vocabulary, self._reading = vocabulary, reading

    @cached_property
    def _tree(self) -> Node:
        """Return the prefix tree of the vocabulary."""
        root = Node()
        for term in self._vocabulary.terms:
            root.add(term)
        return root

    def spans(self, text: str) -> list[Span]:
        """Return the place of each occurrence of the vocabulary's terms in a text, sorted by start and end."""
        joins_names, stop_words = self._reading.joins_names, self._vocabulary.stop_words
        traced = trace_text(text, self._reading)
        matches = [
            match for match in word_pattern(joins_names=joins_names).finditer(traced.text) if match[0] not in stop_words
        ]
        words = words_to_count([match[0] for match in matches], self._reading.forms, joins_names=joins_names)
        begins = traced.begins[[match.start() for match in matches]].tolist()
        ends = traced.ends[[match.end() - 1 for match in matches]].tolist()
        spans = [Span(begins[first], ends[last], term) for first, last, term in self._terms_in(words)]
        return sorted(spans, key=lambda span: span[:2])

    def _terms_in(self, words: Sequence[str]) -> Iterator[tuple[int, int, str]]:
        """Yield each occurrence of a term among the words: the positions of its first and last word, and the term."""
        shortest, longest = self._vocabulary.ngram_range
        root = self._tree
        for first in range(len(words)):
            node: Node | None = root
            for last in range(first, min(first + longest, len(words))):
                node = node.descend(words[last]) if node else None
                if node is None:
                    break
                if node.term is not None and last - first + 1 >= shortest:
                    yield first, last, node.term
