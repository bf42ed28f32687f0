"""What there is to choose from: editions of a collection, their files, and the words that narrow them down.

A corpus is asked for as `name` or `name:word:word...`, in any order. Each word belongs to one choice, and of each
choice at most one word is said. Two choices are the same for all collections:

- the edition, such as `newsgroups:original`; the name alone stands for the first;
- the part, `train` or `test`, where the publisher or another word cuts the collection in two; left out, it is both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..bounds import NAMED, Bounds

PARTS = {"train": "the part to learn from", "test": "the part to test on"}

Paths = tuple[Path, ...]
"""Where a file is: its path, or those of the folders that it was unpacked to."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of a collection, as its publisher ships it."""

    name: str
    """Its path below the folder with the data; it is also found there without the folder before it."""
    sha256: tuple[str, ...] = ()
    """Of what may be downloaded, one for each way it is packed; a file that is there is taken whatever its checksum."""
    also: tuple[str, ...] = ()
    """Other names that it goes by."""
    unpacked: tuple[str, ...] = ()
    """The folders that it unpacks to, which do as well if all of them are there."""
    part: str | None = None
    """The part that it is needed for; None for both."""


@dataclass(frozen=True, slots=True)
class Edition:
    """One form in which a collection is to be had. Numbers are as counted; None if they depend on the file."""

    word: str
    about: str
    files: tuple[File, ...]
    documents: int | None
    classes: int | None
    split: tuple[int, int] | None = None
    """Documents to learn from and to test on, if the publisher says which."""
    publisher: str = ""
    licence: str = ""
    """If they are others than the collection's."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Words of which one may be said, and what they mean."""

    name: str
    words: Mapping[str, str]
    editions: tuple[str, ...] | None = None
    """The editions that it is for; None for all."""
    cuts: tuple[str, ...] = ()
    """Those of its words that cut the collection into a part to learn from and another to test on."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was asked for."""

    edition: Edition
    part: str | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    """The word of each other choice that was made."""
    bounds: Bounds = NAMED

    def files(self) -> list[File]:
        """Those that it takes."""
        return [file for file in self.edition.files if self.part is None or file.part in (None, self.part)]

    def get(self, choice: str) -> str | None:
        """The word that was said of a choice."""
        return self.words.get(choice)
