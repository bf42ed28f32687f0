"""Editions of a collection, their files, and the words that select them.

A corpus is selected by `name` or `name:word:word...`, in any order. Each word belongs to one choice, and at most one
word of each choice may be given. Two choices are the same for all collections:

- the edition, such as `newsgroups:original`; the name alone selects the first;
- the part, `train` or `test`, if the publisher or another word splits the collection; without it, both are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..bounds import NAMED, ReadLimits

PARTS = {"train": "the part to learn from", "test": "the part to test on"}

Paths = tuple[Path, ...]
"""The path of a file, or the paths of the folders that it was unpacked to."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of a collection, as its publisher ships it."""

    name: str
    """Its path relative to the data folder; it is also found there without its own folder."""
    sha256: tuple[str, ...] = ()
    """Accepted checksums of a download, one for each way it is packed; local files are not checked."""
    also: tuple[str, ...] = ()
    """Alternative names."""
    unpacked: tuple[str, ...] = ()
    """The folders that it unpacks to, which replace the file if all of them exist."""
    part: str | None = None
    """The part that needs the file; None for both."""


@dataclass(frozen=True, slots=True)
class Edition:
    """One edition of a collection. The numbers were counted; they are None if they depend on the file."""

    word: str
    about: str
    files: tuple[File, ...]
    documents: int | None
    classes: int | None
    split: tuple[int, int] | None = None
    """Numbers of training and test documents, if the publisher defines a split."""
    publisher: str = ""
    licence: str = ""
    """Publisher and licence, if they differ from the collection's."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Mutually exclusive words, and their meanings."""

    name: str
    words: Mapping[str, str]
    editions: tuple[str, ...] | None = None
    """The editions that have this choice; None for all."""
    cuts: tuple[str, ...] = ()
    """The words that split the collection into a training part and a test part."""


@dataclass(frozen=True, slots=True)
class ChosenEdition:
    """The selected edition, part and other choices."""

    edition: Edition
    part: str | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    """The word given for each other choice."""
    bounds: ReadLimits = NAMED

    def files(self) -> list[File]:
        """Return the files that the selection needs."""
        return [file for file in self.edition.files if self.part is None or file.part in (None, self.part)]

    def get(self, choice: str) -> str | None:
        """Return the word given for a choice, or None."""
        return self.words.get(choice)
