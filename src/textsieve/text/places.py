"""Find where the terms of a document are in its original text, for explanations.

**Tracing characters.** A document is prepared in steps from text to text (`Reading.steps`). To trace a character back
through a step, it is enough to know how many characters each character became, because no step changes their order:

- Edits replace stretches of the text: every character of a replacement is traced back to the whole stretch.
- Lowercasing works character by character. The lowercase of `Σ` depends on its neighbours, but is always one character.
- Stripping accents decomposes each character (NFKD) and then reorders the marks of a letter. Only characters with a
  combining class other than 0 move, and `unicode` drops exactly these; `ascii` drops everything but ASCII, whose class
  is 0. So the result is the same as if each character had been decomposed and filtered alone.

A word in the original text can be longer than the characters that remain of it. A combining mark belongs to the letter
before it, whether it was dropped (`é` as two characters, with stripped accents) or is not part of a word (without
stripping). Letters that `ascii` drops belong to the word that remains: the term `odz` is `Łódź` in the text. So the
place of a character extends over marks after it, and over dropped letters on both sides.

**Finding words.** The terms of a text are its n-grams, joined by spaces (`Analysis.terms`). Listing all of them would
take time that grows with the longest n-gram. So the vocabulary is stored as a prefix tree with an edge for each part
between spaces, and an n-gram is extended only while some term begins with it. A single word can be several edges, since
names contain spaces.

**Finding n-grams of characters.** The place of an n-gram is that of its characters, without the spaces that were added
to the word. An n-gram that is only such a space has the place of the character next to it. To find n-grams fast, the
characters at each position of a text are first looked up in a table of the n-grams' first characters, and only then
whole n-grams in the vocabulary. The n-grams of a word that occurs again are not looked up again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, islice
from typing import NamedTuple

import numpy as np

from ..arrays import Bools, Ints
from ..errors import InputError, Message, Setting
from . import markup, names, words
from .analysis import WHITE_SPACE_RUN, is_marked, unmark_ngram
from .choices import ANALYZERS
from .markup import Edit, apply_edits
from .reading import Reading, Step
from .tokens import SPACE_MARK, Place
from .vocabulary import Vocabulary
from .words import Forms, words_to_count


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
        """Return the text after edits; every character of a replacement is traced to the whole replaced stretch.

        If the edit (1, 4, "xy") turns `abcde` into `axye`, both `x` and `y` are traced to where `bcd` was.
        """
        edit_list = list(edits)
        if not edit_list:
            return self
        begins, ends = np.array([(begin, end) for begin, end, _ in edit_list]).T
        # `lengths` has how many characters of the new text each old character becomes: in the example 1, 2, 0, 0, 1.
        # The first character of an edit becomes the whole replacement, its other characters nothing.
        changes = np.zeros(len(self.text) + 1, np.int64)  # its running sum is 1 within edits and 0 outside
        changes[begins] += 1
        changes[ends] -= 1  # where an edit directly follows another, the two changes cancel out
        lengths = 1 - np.cumsum(changes[:-1])
        lengths[begins] = [len(replacement) for _, _, replacement in edit_list]
        # The old character where each new one begins (0, 1, 1, 4) and the one where it ends (0, 3, 3, 4).
        first_sources = np.repeat(np.arange(len(self.text)), lengths)
        last_of_edit = np.arange(len(self.text))
        last_of_edit[begins] = ends - 1
        last_sources = last_of_edit[first_sources]
        return TracedText(apply_edits(self.text, edit_list), self.begins[first_sources], self.ends[last_sources])

    def after_character_step(self, step: Step) -> TracedText:
        """Return the text after a step that replaces each character by any number of characters, perhaps by none.

        The step lowercases, or removes accents or soft hyphens. Where it drops a letter or a mark, the characters next
        to it are traced to the place of the dropped one, too.
        """
        if self.text.isascii():  # the step then keeps the length
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

    `is_attached` says which positions belong to a neighbour, as combining marks do. If the positions are 0 to 3, and 1
    and 2 are attached, the result is 2, 2, 2, 3.
    """
    n = len(is_attached)
    unattached = np.where(is_attached, n, np.arange(n))  # n, which is beyond the end, in place of attached positions
    next_unattached = np.minimum.accumulate(unattached[::-1])[::-1]  # from each position on
    return np.append(next_unattached[1:], n) - 1  # the position before the next unattached one after each position


def first_attached(is_attached: Bools, is_mark: Bools) -> Ints:
    """Return for each position the first of the attached positions directly before it, or itself if there is none.

    If the positions are 0 to 3, and 1 and 2 are attached, the result is 0, 1, 1, 1. Combining marks at the beginning of
    such a run are skipped, since they belong to the letter before the run: if 1 is a mark, the result is 0, 1, 2, 2.
    """
    positions = np.arange(len(is_attached))
    last_unattached = np.maximum.accumulate(np.where(is_attached, -1, positions))  # up to each position, or -1
    first = np.append(-1, last_unattached[:-1]) + 1  # right after the last unattached position before each position
    # The first position from each position on that is no mark.
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
    """Apply `words.lowercase_turkish_i`, which turns the two characters `I` and combining dot into `i`.

    Edits do that first, so that the step then replaces each character by exactly one.
    """
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
    """Return a document after all steps of preparation, and where its characters come from."""
    _require_traceable(reading)
    traced = TracedText.of_document(text)
    for step in reading.steps:
        traced = TRACERS[step](traced, step)
    return traced.with_marks()


def _require_traceable(reading: Reading) -> None:
    """Raise `InputError` if a user's function prepares texts or splits them into terms."""
    settings: dict[str, object] = {"preprocessor": reading.preprocessor, "strip_accents": reading.strip_accents}
    if reading.analysis.function is not None:  # reported first, since one error is enough
        settings = dict([reading.analysis.function])  # the name of one setting and its function
    hints: dict[str, Message] = {
        "analyzer": f"use one of {', '.join(map(repr, ANALYZERS))}",
        "tokenizer": ("use ", Setting("token_pattern")),
        "preprocessor": ("use ", Setting("lowercase"), " and ", Setting("strip_accents")),
        "strip_accents": "use 'ascii', 'unicode' or None",
    }
    for name, value in settings.items():
        if callable(value):
            raise InputError(
                (
                    Setting(name, value),
                    " is a function, so characters can't be traced back to their places in the text",
                ),
                hint=hints[name],
            )


class Span(NamedTuple):
    """The place of a term in a document: `text[start:end]` is what a reader sees as this term.

    It is empty only if the term has no characters, which some token patterns allow.
    """

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


Occurrence = tuple[int, int, str]
"""Where a term begins and ends in a prepared text, and the term."""

_NOT_SPACES = re.compile(r"\S+")


class NgramTable:
    """N-grams of characters by their first characters, to find them in texts.

    `terms` maps each n-gram, as it is in texts, to its term in the vocabulary, which may have marks. `ngram_range` has
    the smallest and the largest length of the n-grams that are counted. `_n_first` is the length of the shortest n-gram
    of the table, and `_lengths` maps the first `_n_first` characters of each n-gram to the lengths of all n-grams that
    begin with them: for the n-grams `the`, `th` and `goal`, {"th": [2, 3], "go": [4]}.
    """

    def __init__(self, terms: Mapping[str, str], ngram_range: tuple[int, int]) -> None:
        self._terms = terms
        self._min_length, max_length = ngram_range
        ngrams = [ngram for ngram in terms if self._min_length <= len(ngram) <= max_length]
        self._n_first = min(map(len, ngrams), default=1)
        lengths: dict[str, set[int]] = {}
        for ngram in ngrams:
            lengths.setdefault(ngram[: self._n_first], set()).add(len(ngram))
        self._lengths = {first: sorted(known) for first, known in lengths.items()}

    def find(self, text: str) -> Iterator[Occurrence]:
        """Yield the n-grams of the table that are in a text, by where they begin, shorter ones first."""
        size = len(text)
        for begin in range(size - self._n_first + 1):
            for length in self._lengths.get(text[begin : begin + self._n_first], ()):
                end = begin + length
                if end <= size and (term := self._terms.get(text[begin:end])) is not None:
                    yield begin, end, term

    def find_in_words(self, text: str) -> Iterator[Occurrence]:
        """Yield the n-grams of the words between white space of a text.

        A space is added before and after each word, but is not part of the place of an n-gram.
        """
        occurrences: dict[str, list[Occurrence]] = {}  # in each distinct word; places are relative to its begin
        for match in _NOT_SPACES.finditer(text):
            word, offset = match[0], match.start()
            if word not in occurrences:
                occurrences[word] = list(self._find_in_word(word))
            for begin, end, term in occurrences[word]:
                yield offset + begin, offset + end, term

    def _find_in_word(self, word: str) -> Iterator[Occurrence]:
        """Yield the n-grams of a word with a space before and after it; a word that is too short is one n-gram."""
        padded = f" {word} "
        if len(padded) < self._min_length:
            if padded in self._terms:
                yield 0, len(word), self._terms[padded]
            return
        for begin, end, term in self.find(padded):
            # Position 1 of `padded` is position 0 of the word. Added spaces at the ends are cut off, except that the
            # n-gram " " gets the place of the first or last character of the word, so that no place is empty.
            yield min(max(begin - 1, 0), len(word) - 1), max(min(end - 1, len(word)), 1), term


class TermFinder:
    """Find the terms of a vocabulary in documents."""

    def __init__(self, vocabulary: Vocabulary, reading: Reading) -> None:
        self._vocabulary, self._reading = vocabulary, reading
        self._analysis = reading.analysis

    def spans(self, text: str, max_spans: int | None = None) -> list[Span]:
        """Return the place of each occurrence of the vocabulary's terms in a text, sorted by start and end.

        With `max_spans`, only this many are returned, those that start first.
        """
        traced = trace_text(text, self._reading)
        if self._analysis.analyzer == "char":
            runs = WHITE_SPACE_RUN.finditer(traced.text)
            traced = traced.after_edits((*run.span(), " ") for run in runs)
        # The occurrences of each kind are in order, so the first `max_spans` of each kind are enough.
        kinds = self._occurrences(traced.text)
        occurrences = list(chain.from_iterable(islice(of_kind, max_spans) for of_kind in kinds))
        if not occurrences:
            return []
        # Places in the prepared text: `begins` and `ends`. Places in the original text: `starts` and `stops`.
        first, last, terms = zip(*occurrences, strict=True)
        begins, ends = np.array(first), np.array(last)
        # An empty place has no character to trace: it starts where the next character does, or at the end of the text
        # (the appended element), and stops where it starts. The 0 is appended only because `ends - 1` may be -1 there.
        starts = np.append(traced.begins, len(text))[begins]
        stops = np.where(begins < ends, np.append(traced.ends, 0)[ends - 1], starts)
        order = np.lexsort((stops, starts))[:max_spans]
        sorted_terms = [terms[index] for index in order.tolist()]
        return list(map(Span, starts[order].tolist(), stops[order].tolist(), sorted_terms))

    def _occurrences(self, text: str) -> Iterator[Iterator[Occurrence]]:
        """Yield the occurrences of each kind of terms in a prepared text, each in the order of their begins."""
        if self._analysis.analyzer == "char":
            yield self._ngrams.find(text)
        elif self._analysis.analyzer == "char_wb":
            yield self._ngrams.find_in_words(text)
        else:
            places = self._analysis.token_places(text, joins_names=self._reading.joins_names)
            yield self._ngrams_of_words(text, places.sequences)
            if self._vocabulary.ngram_range[0] == 1:
                yield self._single_words(text, places.grams)
            if self._analysis.char_ngram_range is not None:
                yield self._ngrams.find_in_words(text.replace(SPACE_MARK, " "))

    @cached_property
    def _ngrams(self) -> NgramTable:
        """Return the table of the vocabulary's n-grams of characters."""
        terms, char_ngram_range = self._vocabulary.terms, self._analysis.char_ngram_range
        if char_ngram_range is None:  # the analyzer is "char" or "char_wb", whose terms have no marks
            return NgramTable(dict(zip(terms, terms, strict=True)), self._vocabulary.ngram_range)
        return NgramTable({unmark_ngram(term): term for term in terms if is_marked(term)}, char_ngram_range)

    # -- words ---------------------------------------------------------------------------------------------------

    def _ngrams_of_words(self, text: str, sequences: Iterable[list[Place]]) -> Iterator[Occurrence]:
        """Yield each occurrence of a term that is a word or an n-gram of words, given the places of all words.

        An n-gram consists of words of one sequence.
        """
        for sequence in sequences:
            words, places = self._words_to_count(text, sequence)
            for first, last, term in self._terms_in(words):
                yield places[first][0], places[last][1], term

    def _single_words(self, text: str, places: list[Place]) -> Iterator[Occurrence]:
        """Yield each of the words at these places that is a term; n-grams of them are not searched."""
        words, counted_places = self._words_to_count(text, places)
        for word, place in zip(words, counted_places, strict=True):
            if word in self._vocabulary.columns:
                yield *place, word

    def _words_to_count(self, text: str, places: list[Place]) -> tuple[list[str], list[Place]]:
        """Return the words at these places as they are counted (perhaps as normal forms), and the place of each.

        Stop words and their places are left out.
        """
        stop_words = self._vocabulary.stop_words
        counted_places = [(begin, end) for begin, end in places if text[begin:end] not in stop_words]
        words = [text[begin:end] for begin, end in counted_places]
        return words_to_count(words, self._forms, joins_names=self._reading.joins_names), counted_places

    @cached_property
    def _forms(self) -> Forms | None:
        """Return the function that normalises words, or None if words are counted as they are."""
        return self._reading.forms

    @cached_property
    def _tree(self) -> Node:
        """Return the prefix tree of the vocabulary."""
        root = Node()
        for term in self._vocabulary.terms:
            root.add(term)
        return root

    def _terms_in(self, words: Sequence[str]) -> Iterator[tuple[int, int, str]]:
        """Yield the terms that consist of words next to each other: the positions of the first and last, and the term.

        In `["the", "goal"]`, the term `goal` is yielded as (1, 1, "goal"), and `the goal` as (0, 1, "the goal").
        """
        shortest, longest = self._vocabulary.ngram_range
        root = self._tree
        for first in range(len(words)):
            node = root
            for last in range(first, min(first + longest, len(words))):
                child = node.descend(words[last])
                if child is None:  # no term begins with these words
                    break
                node = child
                if node.term is not None and last - first + 1 >= shortest:
                    yield first, last, node.term
