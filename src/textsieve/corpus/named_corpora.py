"""Named corpora: the table of corpora that are opened by a name instead of a path, and which of them are available.

Words after the name select a part or variant of the corpus: `newsgroups:comp:train`. `collections/collection.py`
explains how they combine, and the module of each corpus lists the words that it accepts. `inventory` returns the
properties of the corpora and whether their files are available, without reading any of these files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from typing import cast

from ..errors import InputError
from .collections.collection import Collection, EditionSelection
from .collections.local_files import DATA_VARIABLE, FileLocation, find
from .corpus import Corpus
from .read_limits import NAMED_LIMITS, ReadLimits

SEPARATOR = ":"


@dataclass(frozen=True, slots=True)
class NamedCorpus:
    """A corpus that can be opened by its name; its module is imported only then."""

    name: str
    module: str
    """The module's name in `corpus.collections`, or in `corpus` if it is not a collection."""
    about: str
    is_collection: bool = True
    """Whether its documents are in published files to be downloaded; otherwise textsieve generates them."""

    def open(self, *words: str, limits: ReadLimits = NAMED_LIMITS) -> Corpus:
        """Return the corpus; for a collection, the part or variant that the words select."""
        if self.is_collection:
            return self.collection().corpus(*words, limits=limits)
        self.check_no_words(*words)
        return cast(Corpus, import_module(f"textsieve.corpus.{self.module}").corpus())

    def check_no_words(self, *words: str) -> None:
        """Raise `InputError` if words follow the name of a corpus that has no variants."""
        if words:
            raise InputError(
                f"nothing may follow {self.name!r}",
                place=SEPARATOR.join([self.name, *words]),
                hint=f"Leave out {SEPARATOR.join(words)!r}",
            )

    def collection(self) -> Collection:
        """Import the module of a collection, and return its description."""
        return cast(Collection, import_module(f"textsieve.corpus.collections.{self.module}").COLLECTION)


_ROWS = (
    NamedCorpus(
        "docstrings",
        "package_docstrings",
        "docstrings of the installed numpy, scipy and scikit-learn; the class is the subpackage",
        is_collection=False,
    ),
    NamedCorpus("newsgroups", "newsgroups", "20 Newsgroups: posts; the class is the group"),
    NamedCorpus("reuters", "reuters", "Reuters-21578: news stories of 1987, of several topics each"),
    NamedCorpus("brown", "brown", "Brown: American texts of 1961; the class is the genre"),
    NamedCorpus("webkb", "webkb", "WebKB: pages of universities; the class is the kind of page"),
    NamedCorpus("rcv1", "rcv1", "RCV1-v2: news stories of 1996 and 1997 as vectors or stems, of several topics each"),
    NamedCorpus("odp", "odp", "Open Directory: pages of the web; the class is the first layer of the category"),
)

NAMED = {row.name: row for row in _ROWS}


def open_named(path: str, limits: ReadLimits = NAMED_LIMITS) -> Corpus:
    """Return the corpus for a path for which `is_corpus_name` is true: a name, with or without words after it."""
    name, *words = path.split(SEPARATOR)
    return NAMED[name].open(*words, limits=limits)


def is_corpus_name(path: str) -> bool:
    """Return whether a path is the name of a corpus, with or without words after it: newsgroups:train."""
    return path.split(SEPARATOR)[0] in NAMED


def closest_name(path: str) -> str | None:
    """Return the most similar corpus name, with the words that follow it in `path`; None if no name is similar."""
    name, separator, words = path.partition(SEPARATOR)
    close = get_close_matches(name, NAMED, n=1)
    return close[0] + separator + words if close else None


def docstrings() -> Corpus:
    """Return the docstrings of the installed numpy, scipy and scikit-learn, labelled with their subpackage."""
    return NAMED["docstrings"].open()


@dataclass(frozen=True, slots=True)
class CorpusEntry:
    """A named corpus, or an edition of one, and its properties. The defaults are those of the corpus "docstrings"."""

    name: str
    about: str
    documents: int | None = None
    classes: int | None = None
    split: tuple[int, int] | None = None
    """Numbers of training and test documents, if the publisher defines a split."""
    multilabel: bool = False
    licence: str = "BSD"
    publisher: str = "the installed packages"
    words: dict[str, str] = field(default_factory=dict)
    """The words that may follow the name, and their meanings."""
    files: Mapping[str, FileLocation | None] = field(default_factory=dict)
    """Where each of its files is, by the file's name; None if it is missing."""

    @property
    def is_here(self) -> bool:
        """Return whether all files are available without a download; true for a corpus without files."""
        return all(self.files.values())

    @property
    def where(self) -> str:
        """Return where the files are, as text for people.

        - "built in": the corpus has no files;
        - "folder", "cache" or "folder, cache": all files are there; "folder" is the one that TEXTSIEVE_DATA names;
        - "partly": some files are missing;
        - "no": all are missing.
        """
        if not self.files:
            return "built in"
        locations = [location for location in self.files.values() if location]
        if len(locations) < len(self.files):
            return "partly" if locations else "no"
        return ", ".join(
            dict.fromkeys("folder" if location.origin == DATA_VARIABLE else "cache" for location in locations)
        )


def inventory(name: str | None = None) -> list[CorpusEntry]:
    """Return an entry for each edition of all corpora, or of the named one; words after the name select one edition."""
    if name is None:
        return [entry for row in NAMED.values() for entry in _entries(row)]
    if not is_corpus_name(name):
        close = closest_name(name)
        hint = f"Did you mean {close!r}?" if close else f"Corpora: {', '.join(NAMED)}."
        raise InputError("is no corpus.", place=name, hint=hint)
    first, *words = name.split(SEPARATOR)
    return _entries(NAMED[first], *words)


def _entries(row: NamedCorpus, *words: str) -> list[CorpusEntry]:
    """Return the entries of a corpus: that of the edition which the words select, or of all editions without words."""
    if not row.is_collection:
        row.check_no_words(*words)
        return [CorpusEntry(row.name, row.about)]
    collection = row.collection()
    selections = (
        [collection.select(*words)] if words else [EditionSelection(edition) for edition in collection.editions]
    )
    return [_entry(collection, selection) for selection in selections]


def _entry(collection: Collection, selection: EditionSelection) -> CorpusEntry:
    """Return the entry of an edition, with only the files that the selection needs."""
    edition = selection.edition
    return CorpusEntry(
        collection.full_name(edition),
        f"{collection.title}: {edition.about}",
        documents=edition.documents,
        classes=edition.classes,
        split=edition.split,
        multilabel=collection.multilabel,
        licence=collection.licence_of(edition),
        publisher=collection.publisher_of(edition),
        words=collection.words(),
        files={file.name: find(file) for file in selection.files()},
    )
