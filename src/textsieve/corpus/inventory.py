"""List the named corpora, their properties and whether their files are available, without reading any of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from ..errors import InputError
from .collections.collection import Collection
from .collections.editions import ChosenEdition, Paths
from .collections.locating import FOLDER, find
from .named import NAMED, SEPARATOR, Named, closest_name, is_name


class FileState(NamedTuple):
    """A file of a corpus, and where it was found; `place` is None if it is missing."""

    name: str
    place: str | None
    paths: Paths


@dataclass(frozen=True, slots=True)
class CorpusEntry:
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
        """Return whether all files are available without a download."""
        return all(file.place for file in self.files)

    @property
    def where(self) -> str:
        """Return where the files are, as text for people."""
        if not self.files:
            return "built in"
        if not self.is_here:
            return "partly" if any(file.place for file in self.files) else "no"
        return ", ".join(dict.fromkeys("folder" if file.place == FOLDER else "cache" for file in self.files))


def inventory(name: str | None = None) -> list[CorpusEntry]:
    """Return the editions of all named corpora, or of one, or the edition that words after its name select."""
    if name is None:
        return [entry for row in NAMED.values() for entry in _entries(row)]
    if not is_name(name):
        close = closest_name(name)
        hint = f"Did you mean {close!r}?" if close else f"Corpora: {', '.join(NAMED)}."
        raise InputError("is no corpus.", place=name, hint=hint)
    first, *words = name.split(SEPARATOR)
    return _entries(NAMED[first], *words)


def _entries(row: Named, *words: str) -> list[CorpusEntry]:
    if not row.is_collection:
        row.refuse(*words)
        return [CorpusEntry(row.name, row.about)]
    collection = row.collection()
    selections = [collection.chosen(*words)] if words else [ChosenEdition(edition) for edition in collection.editions]
    return [_entry(collection, selection) for selection in selections]


def _entry(collection: Collection, chosen: ChosenEdition) -> CorpusEntry:
    """Return the entry of an edition, with only the files that the selection needs."""
    edition = chosen.edition
    return CorpusEntry(
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


def _states(chosen: ChosenEdition) -> tuple[FileState, ...]:
    located = ((file.name, find(file)) for file in chosen.files())
    return tuple(
        FileState(name, location and location.place, location.paths if location else ()) for name, location in located
    )
