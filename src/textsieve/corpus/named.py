"""Named corpora, which are opened by a name instead of a path, one row each.

Words after the name select a part or variant of the corpus: `newsgroups:comp:train`. `collections/editions.py` explains
how they combine, and the module of each corpus lists its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, cast

from ..errors import InputError
from .bounds import NAMED as NAMED_BOUNDS
from .bounds import ReadLimits
from .corpus import Corpus

if TYPE_CHECKING:
    from .collections.collection import Collection

SEPARATOR = ":"


@dataclass(frozen=True, slots=True)
class Named:
    """A corpus that can be opened by its name; its module is imported only then."""

    name: str
    module: str
    about: str
    is_collection: bool = True
    """Whether its documents are in published files to be downloaded; otherwise textsieve generates them."""

    def open(self, *words: str, bounds: ReadLimits = NAMED_BOUNDS) -> Corpus:
        """Return the corpus; for a collection, the part or variant that the words select."""
        if self.is_collection:
            return self.collection().corpus(*words, bounds=bounds)
        self.refuse(*words)
        return cast(Corpus, import_module(f"textsieve.corpus.{self.module}").corpus())

    def refuse(self, *words: str) -> None:
        """Raise `InputError` if words follow the name of a corpus that has no variants."""
        if words:
            raise InputError(
                f"nothing may follow {self.name!r}. Leave it out.", place=str(SEPARATOR.join([self.name, *words]))
            )

    def collection(self) -> Collection:
        """Return the description of a collection."""
        return cast("Collection", import_module(f"textsieve.corpus.collections.{self.module}").COLLECTION)


_ROWS = (
    Named(
        "docstrings",
        "package_docstrings",
        "docstrings of the installed numpy, scipy and scikit-learn; the class is the subpackage",
        is_collection=False,
    ),
    Named("newsgroups", "newsgroups", "20 Newsgroups: posts; the class is the group"),
    Named("reuters", "reuters", "Reuters-21578: news stories of 1987, of several topics each"),
    Named("brown", "brown", "Brown: American texts of 1961; the class is the genre"),
    Named("webkb", "webkb", "WebKB: pages of universities; the class is the kind of page"),
    Named("rcv1", "rcv1", "RCV1-v2: news stories of 1996 and 1997 as vectors or stems, of several topics each"),
    Named("odp", "odp", "Open Directory: pages of the web; the class is the first layer of the category"),
)

NAMED = {row.name: row for row in _ROWS}


def open_named(path: str, bounds: ReadLimits = NAMED_BOUNDS) -> Corpus:
    """Return the corpus for a name, with or without words after it."""
    name, *words = path.split(SEPARATOR)
    return NAMED[name].open(*words, bounds=bounds)


def is_name(path: str) -> bool:
    """Return whether a path begins with the name of a corpus."""
    return path.split(SEPARATOR)[0] in NAMED


def closest_name(path: str) -> str | None:
    """Return the most similar corpus name, with the words that follow it, or None."""
    name, separator, words = path.partition(SEPARATOR)
    close = get_close_matches(name, NAMED, n=1)
    return close[0] + separator + words if close else None


def docstrings() -> Corpus:
    """Return the docstrings of the installed numpy, scipy and scikit-learn, labelled with their subpackage."""
    return NAMED["docstrings"].open()
