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

from ..categorizer import Categorizer
from ..comparison.documents import Documents, count_documents
from ..comparison.splits import Splitting
from ..corpus import read
from ..training.documents import Counted
from ..training.targets import Targets
from .measurements import Scope

Settings = tuple[tuple[str, Any], ...]
"""Of a `Categorizer`, about what a term is."""

Folds = tuple[NDArray[np.bool_], ...]
"""For each fold, which documents."""
N_LARGEST = 4


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

    def documents(self, scope: Scope) -> Documents:
        """Read, count, label and split."""
        return _documents(self, scope)


@lru_cache(maxsize=8)
def _documents(of: Collection, scope: Scope) -> Documents:
    settings = Categorizer(**dict(of.settings)).get_params(deep=False)
    corpus = read(of.corpus)
    found = count_documents(corpus, None, Splitting(of.folds), settings, scope.n_jobs, lambda *_: None)
    found = LABELS[of.labels](found)
    return thinned(found, scope)


def thinned(documents: Documents, scope: Scope) -> Documents:
    """No more documents and folds than the scope has."""
    targets, number = documents.counted.targets, np.zeros(documents.counted.targets.n_documents, np.int64)
    for members in targets.members:
        number[members] = np.arange(len(members))
    kept = number % scope.every == 0
    n_folds = scope.some(len(documents.tested))
    return with_folds(
        documents,
        documents.counted,
        trained=tuple(each & kept for each in documents.trained[:n_folds]),
        tested=tuple(each & _thinned_tests(each, targets, scope) for each in documents.tested[:n_folds]),
    )


def with_folds(documents: Documents, counted: Counted, trained: Folds, tested: Folds) -> Documents:
    """Other documents, or others of them to learn from and to test."""
    return replace(documents, counted=counted, parts=documents.parts._replace(trained=trained, tested=tested))


def _thinned_tests(is_test: NDArray[np.bool_], targets: Targets, scope: Scope) -> NDArray[np.bool_]:
    """Of the tested documents of each class, every so manieth: folds are taken in turns, and so can't be thinned so."""
    kept = np.zeros_like(is_test)
    for members in targets.members:
        kept[members[is_test[members]][:: scope.every]] = True
    return kept


def _four_largest(documents: Documents) -> Documents:
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
    taken: Counted = replace(counted.take(kept), targets=Targets(names, members, len(kept), "one"))
    trained, tested = (tuple(each[kept] for each in folds) for folds in (documents.trained, documents.tested))
    return with_folds(documents, taken, trained, tested)


LABELS: dict[str, Callable[[Documents], Documents]] = {
    "all": lambda documents: documents,
    "four largest": _four_largest,
}
"""Which labels documents have."""
