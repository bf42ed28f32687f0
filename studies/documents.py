"""The documents of an experiment: a named corpus, prepared, with some or all of its labels, and split.

What a run of a part leaves out is left out of the split: of each class, all but every so manieth document is neither
learned from nor tested.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textsieve.categorizer import Categorizer
from textsieve.comparison.documents import ComparisonDocuments, count_documents
from textsieve.comparison.splits import Splitting
from textsieve.corpus import read
from textsieve.training.counted_documents import CountedDocuments, columns_in_order
from textsieve.training.targets import Targets

from .measurements import Scope

Settings = tuple[tuple[str, Any], ...]
"""Of a `Categorizer`, about what a term is."""

Folds = tuple[NDArray[np.bool_], ...]
"""For each fold, which documents."""
LIMITS = ("min_df", "max_df")
N_LARGEST = 4
N_COUNTED = 12
"""So many corpora are kept counted, for measurements of one kind after the other."""


@dataclass(frozen=True)
class Collection:
    """What an experiment is about."""

    corpus: str
    """A name, as `textsieve.read` takes it."""
    settings: Settings = ()
    folds: int | None = None
    """None: the split of whoever published it, or five folds."""
    labels: str = "all"
    """A row of `LABELS`."""
    words: str = "all"
    """A row of `WORDS`."""

    def documents(self, scope: Scope) -> ComparisonDocuments:
        """Read, count, label and split."""
        return _documents(self, scope)


@lru_cache(maxsize=1)
def _documents(of: Collection, scope: Scope) -> ComparisonDocuments:
    about_words = tuple(each for each in of.settings if each[0] not in LIMITS)
    found = _with_limits(_counted(of.corpus, about_words, of.folds, scope.n_jobs), of.settings)
    return thinned(WORDS[of.words](LABELS[of.labels](found)), scope)


def _with_limits(documents: ComparisonDocuments, settings: Settings) -> ComparisonDocuments:
    """Limits are kept to in each fold, so the same counts do for all."""
    limits: Any = {**documents.counted.limits, **{name: value for name, value in settings if name in LIMITS}}
    return replace(documents, counted=replace(documents.counted, limits=limits))


@lru_cache(maxsize=N_COUNTED)
def _counted(corpus: str, settings: Settings, folds: int | None, n_jobs: int | None) -> ComparisonDocuments:
    settled = Categorizer(**dict(settings)).get_params(deep=False)
    return count_documents(read(corpus), None, Splitting(folds=folds), settled, n_jobs, lambda *_: None)


def thinned(documents: ComparisonDocuments, scope: Scope) -> ComparisonDocuments:
    """No more documents and folds than the scope has."""
    targets, n_folds = documents.counted.targets, scope.some(len(documents.tested))
    return with_folds(
        documents,
        documents.counted,
        trained=tuple(_some_of_each_class(each, targets, scope) for each in documents.trained[:n_folds]),
        tested=tuple(_some_of_each_class(each, targets, scope) for each in documents.tested[:n_folds]),
    )


def with_folds(
    documents: ComparisonDocuments, counted: CountedDocuments, trained: Folds, tested: Folds
) -> ComparisonDocuments:
    """Other documents, or others of them to learn from and to test."""
    return replace(documents, counted=counted, parts=documents.parts._replace(trained=trained, tested=tested))


def _some_of_each_class(part: NDArray[np.bool_], targets: Targets, scope: Scope) -> NDArray[np.bool_]:
    """Of the documents of a part, every so manieth of each class; folds are taken in turns, so that all documents
    can't be thinned so beforehand.
    """
    if scope.every == 1:
        return part
    kept = np.zeros_like(part)
    for members in targets.members:
        kept[members[part[members]][:: scope.every]] = True
    return kept


def _four_largest(documents: ComparisonDocuments) -> ComparisonDocuments:
    """The four most frequent topics; of several a document keeps the first, and without any it is left out."""
    counted = documents.counted
    targets = counted.targets
    largest = sorted(np.argsort(-targets.class_docs, kind="stable")[:N_LARGEST].tolist())
    first = np.full(targets.n_documents, -1, np.int64)
    for number in reversed(range(len(largest))):
        first[targets.members[largest[number]]] = number
    kept = np.flatnonzero(first >= 0)
    members = tuple(np.flatnonzero(first[kept] == number) for number in range(len(largest)))
    names = tuple(targets.classes[number] for number in largest)
    taken: CountedDocuments = replace(counted.take(kept), targets=Targets(names, members, len(kept), "one"))
    trained, tested = (tuple(each[kept] for each in folds) for folds in (documents.trained, documents.tested))
    return with_folds(documents, taken, trained, tested)


def _first_label(documents: ComparisonDocuments) -> ComparisonDocuments:
    """Of several labels a document keeps the first in the alphabet."""
    targets = documents.counted.targets
    members = tuple(np.flatnonzero(targets.first == number) for number in range(len(targets.classes)))
    one = Targets(targets.classes, members, targets.n_documents, "one")
    return replace(documents, counted=replace(documents.counted, targets=one))


LABELS: dict[str, Callable[[ComparisonDocuments], ComparisonDocuments]] = {
    "all": lambda documents: documents,
    "four largest": _four_largest,
    "first label": _first_label,
}
"""Which labels documents have."""


def _of_letters(documents: ComparisonDocuments) -> ComparisonDocuments:
    """Without the terms that have a digit or another sign in them."""
    counted = documents.counted
    columns = np.array([column for column, term in enumerate(counted.terms) if term.isalpha()], np.int64)
    terms = [counted.terms[column] for column in columns.tolist()]
    return replace(documents, counted=replace(counted, counts=columns_in_order(counted.counts, columns), terms=terms))


WORDS: dict[str, Callable[[ComparisonDocuments], ComparisonDocuments]] = {
    "all": lambda documents: documents,
    "letters": _of_letters,
}
"""Which words are terms."""
