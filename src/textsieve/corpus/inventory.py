"""Which corpora have a name, what is known of them, and whether they are here, without reading any of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from ..errors import InputError
from .collections.collection import Collection
from .collections.editions import Chosen, Paths
from .collections.locating import FOLDER, find
from .named import NAMED, SEPARATOR, Named, closest_name, is_name


class FileState(NamedTuple):
    """A file of a corpus, and where it is, if it is."""

    name: str
    place: str | None
    paths: Paths


@dataclass(frozen=True, slots=True)
class Entry:
    """A corpus, or an edition of one."""

    name: str
    about: str
    documents: int | None = None
    classes: int | None = None
    split: tuple[int, int] | None = None
    several: bool = False
    licence: str = "BSD"
    publisher: str = "the installed packages"
    words: dict[str, str] = field(default_factory=dict)
    files: tuple[FileState, ...] = ()

    @property
    def is_here(self) -> bool:
        """Whether nothing needs to be downloaded."""
        return all(file.place for file in self.files)

    @property
    def where(self) -> str:
        """The places that it is in, for people."""
        if not self.files:
            return "built in"
        if not self.is_here:
            return "partly" if any(file.place for file in self.files) else "no"
        return ", ".join(dict.fromkeys("folder" if file.place == FOLDER else "cache" for file in self.files))


def inventory(name: str | None = None) -> list[Entry]:
    """All corpora that have a name, each edition by itself; or those of one name, or the one that words choose."""
    if name is None:
        return [entry for row in NAMED.values() for entry in _entries(row)]
    if not is_name(name):
        close = closest_name(name)
        raise InputError(
            f"{name}: is no corpus. " + (f"Did you mean {close!r}?" if close else f"Corpora: {', '.join(NAMED)}.")
        )
    first, *words = name.split(SEPARATOR)
    return _entries(NAMED[first], *words)


def _entries(row: Named, *words: str) -> list[Entry]:
    if not row.is_collection:
        row.refuse(*words)
        return [Entry(row.name, row.about)]
    collection = row.collection()
    choices = [collection.chosen(*words)] if words else [Chosen(edition) for edition in collection.editions]
    return [_entry(collection, chosen) for chosen in choices]


def _entry(collection: Collection, chosen: Chosen) -> Entry:
    """Of an edition, with those files of it that what was chosen takes."""
    edition = chosen.edition
    return Entry(
        collection.full_name(edition),
        f"{collection.title}: {edition.about}",
        documents=edition.documents,
        classes=edition.classes,
        split=edition.split,
        several=collection.several,
        licence=collection.licence_of(edition),
        publisher=collection.publisher_of(edition),
        words=collection.words(),
        files=_states(chosen),
    )


def _states(chosen: Chosen) -> tuple[FileState, ...]:
    found = ((file.name, find(file)) for file in chosen.files())
    return tuple(FileState(name, each and each.place, each.paths if each else ()) for name, each in found)
