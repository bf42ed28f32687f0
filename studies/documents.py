"""The documents of an experiment: a named corpus, counted, with some or all of its labels, and split into folds.

A quick run leaves documents out of the folds: of each class, it keeps every so many-th training and test document.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack

from textsieve import DocumentFrequency, TermCounter, TermWeighter, read
from textsieve.evaluation import folds as folds_of

from .measurements import Scope

Ints = NDArray[np.int64]
Settings = tuple[tuple[str, Any], ...]
"""Settings of a `Categorizer` about terms."""
LabelSet = tuple[Any, ...]
"""The labels of a document, sorted."""

N_LARGEST = 4
N_CACHED = 12
"""The number of counted corpora in memory, for measurements of several kinds one after the other."""
USUAL_FOLDS = 5


class Fold(NamedTuple):
    """The positions of the training and test documents, and the labels of all documents."""

    train: Ints
    test: Ints
    labels: Sequence[LabelSet]


@dataclass(frozen=True, eq=False)
class Documents:
    """Counted documents and their folds."""

    counts: csr_matrix
    terms: Sequence[str]
    labels: Sequence[LabelSet]
    multilabel: bool
    folds: tuple[Fold, ...]
    min_df: float = 1
    """Terms in fewer training documents than this number, or share, are left out of a fold."""

    def targets(self, fold: Fold, positions: Ints) -> list[Any]:
        """Return the labels of some documents as estimators take them: label sets, or one label or None each."""
        labels = [fold.labels[position] for position in positions.tolist()]
        return labels if self.multilabel else [own[0] if own else None for own in labels]

    def columns(self, fold: Fold) -> Ints:
        """Return the columns of the terms that can be selected in a fold."""
        frequent = DocumentFrequency(min_df=self.min_df).fit(self.counts[fold.train])
        return np.flatnonzero(frequent.get_support())

    def weights(self, fold: Fold, **scheme: str) -> csr_matrix:
        """Return the weights of the training documents of a fold, for the columns that can be selected."""
        counts = self.counts[fold.train][:, self.columns(fold)]
        return csr_matrix(TermWeighter(**scheme).fit_transform(counts)) if scheme else csr_matrix(counts)


@dataclass(frozen=True)
class Collection:
    """A corpus, how its texts are read, and how it is split."""

    corpus: str
    """A name or path for `textsieve.read`."""
    settings: Settings = ()
    folds: int | None = None
    """None: the publisher's split, or five folds."""
    labels: str = "all"
    """A row of `LABELS`."""
    words: str = "all"
    """A row of `WORDS`."""

    def documents(self, scope: Scope) -> Documents:
        """Read, count, label and split the documents."""
        return _documents(self, scope)


@lru_cache(maxsize=1)
def _documents(collection: Collection, scope: Scope) -> Documents:
    settings = dict(collection.settings)
    min_df = settings.pop("min_df", 1)
    counted = _count(collection.corpus, tuple(settings.items()), collection.folds, scope.n_jobs)
    labelled = LABELS[collection.labels](replace(counted, min_df=min_df))
    return thin(WORDS[collection.words](labelled), scope)


@lru_cache(maxsize=N_CACHED)
def _count(corpus_name: str, settings: Settings, n_folds: int | None, n_jobs: int | None) -> Documents:
    corpus = read(corpus_name)
    parts = None if n_folds is not None else corpus.split()
    loaded = [part.load() for part in parts or (corpus,)]
    labels = [_label_set(own) for _, of_part in loaded for own in of_part]
    contents: list[Any] = [content for content, _ in loaded]
    if isinstance(contents[0], list):
        counter = TermCounter(**dict(settings), dtype=np.int32, n_jobs=n_jobs)
        counts = csr_matrix(counter.fit_transform([text for texts in contents for text in texts]))
        terms = list(map(str, counter.get_feature_names_out()))
    else:
        counts = csr_matrix(vstack(contents, format="csr"))
        terms = [f"#{column}" for column in range(counts.shape[1])]
    n_train = len(loaded[0][1])
    tested = _tested(labels, n_folds or USUAL_FOLDS) if parts is None else [np.arange(len(labels)) >= n_train]
    has_label = np.array([bool(own) for own in labels])
    folds = tuple(Fold(np.flatnonzero(~mask), np.flatnonzero(mask & has_label), labels) for mask in tested)
    return Documents(counts, terms, labels, any(len(own) > 1 for own in labels), folds)


def _label_set(labels: Any) -> LabelSet:
    if labels is None:
        return ()
    return tuple(sorted(labels)) if isinstance(labels, tuple) else (labels,)


def _tested(labels: Sequence[LabelSet], n_folds: int) -> list[NDArray[np.bool_]]:
    """Return the test documents of each fold; documents without a label are never tested."""
    labelled = np.array([position for position, own in enumerate(labels) if own])
    fold_of = np.full(len(labels), -1)
    fold_of[labelled] = folds_of([labels[position][0] for position in labelled.tolist()], n_folds)
    return [fold_of == number for number in range(n_folds)]


def members_of(labels: Sequence[LabelSet]) -> dict[Any, Ints]:
    """Return the positions of the documents of each class, in the order of the classes."""
    members: dict[Any, list[int]] = {}
    for position, own in enumerate(labels):
        for label in own:
            members.setdefault(label, []).append(position)
    return {label: np.array(members[label], np.int64) for label in sorted(members)}


def thin(documents: Documents, scope: Scope) -> Documents:
    """Return the documents with no more folds, and no more documents in them, than the scope has."""
    folds = documents.folds[: scope.some(len(documents.folds))]
    if scope.every > 1:
        members = members_of(documents.labels)

        def some(positions: Ints) -> Ints:
            of_classes = [np.intersect1d(own, positions)[:: scope.every] for own in members.values()]
            return np.unique(np.concatenate(of_classes))

        folds = tuple(fold._replace(train=some(fold.train), test=some(fold.test)) for fold in folds)
    return replace(documents, folds=folds)


# -- labels and words --------------------------------------------------------------------------------------------------


def _four_largest(documents: Documents) -> Documents:
    """Keep the four most frequent classes and their documents; a document gets the first of its classes among them."""
    members = members_of(documents.labels)
    largest = set(sorted(members, key=lambda label: -len(members[label]))[:N_LARGEST])
    labels = [tuple(label for label in own if label in largest)[:1] for own in documents.labels]
    has_label = np.array([bool(own) for own in labels])
    folds = tuple(
        Fold(fold.train[has_label[fold.train]], fold.test[has_label[fold.test]], labels) for fold in documents.folds
    )
    return replace(documents, labels=labels, multilabel=False, folds=folds)


def _first_label(documents: Documents) -> Documents:
    """Keep the first label of each document in alphabetical order."""
    labels = [own[:1] for own in documents.labels]
    folds = tuple(fold._replace(labels=labels) for fold in documents.folds)
    return replace(documents, labels=labels, multilabel=False, folds=folds)


LABELS: dict[str, Callable[[Documents], Documents]] = {
    "all": lambda documents: documents,
    "four largest": _four_largest,
    "first label": _first_label,
}
"""Which labels documents have."""


def _of_letters(documents: Documents) -> Documents:
    """Leave out the terms that contain a digit or another sign."""
    columns = [column for column, term in enumerate(documents.terms) if term.isalpha()]
    terms = [documents.terms[column] for column in columns]
    return replace(documents, counts=csr_matrix(documents.counts[:, columns]), terms=terms)


WORDS: dict[str, Callable[[Documents], Documents]] = {"all": lambda documents: documents, "letters": _of_letters}
"""Which words are terms."""


# -- few labels --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FewLabels(Collection):
    """A collection whose training documents lose most of their labels.

    The labels that remain are drawn several times. A draw is a fold of its own; if the collection has several folds,
    they are used in turn. Documents without a label stay among the training documents: idf and the variance use them.
    """

    shares: tuple[float, ...] = (0.1,)
    """The share of labels that remain: one for all documents, or one for each class."""
    draws: int = 5

    def documents(self, scope: Scope) -> Documents:
        """Read the documents, and draw the labels that remain for each fold."""
        whole = Collection(**{field.name: getattr(self, field.name) for field in fields(Collection)})
        documents = whole.documents(scope)
        folds = [documents.folds[draw % len(documents.folds)] for draw in range(scope.some(self.draws))]
        return replace(
            documents, folds=tuple(remove_labels(fold, self.shares, draw) for draw, fold in enumerate(folds))
        )


def remove_labels(fold: Fold, shares: tuple[float, ...], seed: int) -> Fold:
    """Return a fold in which some training documents have labels: shares of them, and at least one of each class."""
    random, remains = np.random.default_rng(seed), np.zeros(len(fold.labels), np.bool_)
    of_classes = [np.intersect1d(members, fold.train) for members in members_of(fold.labels).values()]
    labelled = fold.train[[bool(fold.labels[position]) for position in fold.train.tolist()]]
    groups = of_classes if len(shares) > 1 else [labelled]
    for group, share in zip(groups, shares, strict=True):
        remains[random.permutation(group)[: round(share * len(group))]] = True
    for members in of_classes:
        if len(members) and not remains[members].any():
            remains[random.choice(members)] = True
    is_train = np.zeros(len(fold.labels), np.bool_)
    is_train[fold.train] = True
    labels = [own if remains[place] or not is_train[place] else () for place, own in enumerate(fold.labels)]
    return fold._replace(labels=labels)
