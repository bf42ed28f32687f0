"""Documents to learn from of which few have a label.

The labels that stay are drawn several times. Each draw has documents of its own, a copy of all of them, and tests one
fold (in turns, if the collection has several): so draws are folds, and whoever measures folds measures draws. The
others lose their label and stay among the documents to learn from, for idf and whatever else needs none.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
from scipy.sparse import csr_matrix, vstack

from textsieve.arrays import Bools
from textsieve.comparison.documents import ComparisonDocuments
from textsieve.training.targets import Targets

from .documents import Collection, with_folds
from .measurements import Scope


@dataclass(frozen=True)
class FewLabels(Collection):
    """A collection whose documents to learn from have lost most of their labels."""

    shares: tuple[float, ...] = (0.1,)
    """How many labels stay: a share of all documents, or one for each class."""
    draws: int = 5

    def documents(self, scope: Scope) -> ComparisonDocuments:
        """As many copies as there are draws."""
        whole = Collection(**{field.name: getattr(self, field.name) for field in fields(Collection)})
        documents = whole.documents(scope)
        targets, n_folds = documents.counted.targets, len(documents.tested)
        trained = [documents.trained[draw % n_folds] for draw in range(scope.some(self.draws))]
        tested = [documents.tested[draw % n_folds] for draw in range(len(trained))]
        kept = [~each | labelled(targets, each, self.shares, draw) for draw, each in enumerate(trained)]
        counted = replace(
            documents.counted,
            counts=csr_matrix(vstack([documents.counted.counts] * len(kept), format="csr")),
            targets=copies(targets, kept),
        )
        return with_folds(documents, counted, _in_own_copy(trained), _in_own_copy(tested))


def labelled(targets: Targets, is_train: Bools, shares: tuple[float, ...], seed: int) -> Bools:
    """Which documents to learn from keep their label: shares of them, and of each class at least one."""
    random, kept = np.random.default_rng(seed), np.zeros(targets.n_documents, np.bool_)
    of_classes = [members[is_train[members]] for members in targets.members]
    groups = of_classes if len(shares) > 1 else [np.flatnonzero(is_train & targets.usable)]
    for group, share in zip(groups, shares, strict=True):
        kept[random.permutation(group)[: round(share * len(group))]] = True
    for members in of_classes:
        if len(members) and not kept[members].any():
            kept[random.choice(members)] = True
    return kept


def copies(targets: Targets, kept: list[Bools]) -> Targets:
    """The documents once for each draw, one copy after the other, with the labels that each draw keeps."""
    n_documents = targets.n_documents
    members = tuple(
        np.concatenate([each[keeps[each]] + copy * n_documents for copy, keeps in enumerate(kept)])
        for each in targets.members
    )
    return Targets(targets.classes, members, n_documents * len(kept), targets.form)


def _in_own_copy(chosen: list[Bools]) -> tuple[Bools, ...]:
    """Documents of each copy, as those of all copies."""
    nothing = np.zeros_like(chosen[0])
    return tuple(
        np.concatenate([each if other == copy else nothing for other in range(len(chosen))])
        for copy, each in enumerate(chosen)
    )
