"""Where the terms of a vocabulary stand in a text.

The terms of a text are its runs of words, joined by spaces (`words.terms_of`). To spell out all of them would take time
that grows with the length of the longest; so the terms are put into a tree, in which each step is what stands between
two spaces, and a run goes on as long as some term begins with it. A word can be several steps: a name has spaces in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from .documents import Reading
from .places import placed
from .vocabulary import Vocabulary
from .words import as_counted, word_pattern


class Span(NamedTuple):
    """Where a term stands in a text: `text[start:end]` is what a reader sees as this term."""

    start: int
    end: int
    term: str


class Node:
    """A beginning of terms; `term` is the one that ends here, if any does."""

    __slots__ = ("longer", "term")

    def __init__(self) -> None:
        self.term: str | None = None
        self.longer: dict[str, Node] = {}

    def add(self, term: str) -> None:
        """Put a term into the tree."""
        node = self
        for part in term.split(" "):
            node = node.longer.setdefault(part, Node())
        node.term = term

    def after(self, word: str) -> Node | None:
        """What a word leads to."""
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
    """Finds the terms of a vocabulary in documents that are read in some way."""

    def __init__(self, vocabulary: Vocabulary, reading: Reading) -> None:
        self._vocabulary, self._reading = vocabulary, reading

    @cached_property
    def _tree(self) -> Node:
        root = Node()
        for term in self._vocabulary.terms:
            root.add(term)
        return root

    def spans(self, text: str) -> list[Span]:
        """Where each of the terms that are counted stands, in the order of start, then end."""
        joins_names, stop_words = self._reading.joins_names, self._vocabulary.stop_words
        found = placed(text, self._reading)
        runs = [run for run in word_pattern(joins_names=joins_names).finditer(found.text) if run[0] not in stop_words]
        words = as_counted([run[0] for run in runs], self._reading.forms, joins_names=joins_names)
        begins = found.begins[[run.start() for run in runs]].tolist()
        ends = found.ends[[run.end() - 1 for run in runs]].tolist()
        spans = [Span(begins[first], ends[last], term) for first, last, term in self._terms_in(words)]
        return sorted(spans, key=lambda span: span[:2])

    def _terms_in(self, words: Sequence[str]) -> Iterator[tuple[int, int, str]]:
        """The first and the last word of each term, and the term."""
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
