"""Corpora that have a name instead of a path, one row each."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import cast

from .corpus import Corpus


@dataclass(frozen=True, slots=True)
class Named:
    """A corpus that can be opened by its name; its module is imported only then."""

    name: str
    module: str
    about: str

    def open(self) -> Corpus:
        """The corpus: what the module's function `corpus` returns."""
        return cast(Corpus, import_module(self.module).corpus())


_ROWS = (
    Named(
        "docstrings",
        "textsieve.corpus.package_docstrings",
        "docstrings of the installed numpy, scipy and scikit-learn; the class is the subpackage",
    ),
)

NAMED = {row.name: row for row in _ROWS}


def docstrings() -> Corpus:
    """The docstrings of the installed numpy, scipy and scikit-learn, labelled with their subpackage."""
    return NAMED["docstrings"].open()
