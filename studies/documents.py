"""The documents of an experiment: a named corpus, counted, with some or all of its labels, and split into folds.

A quick run uses fewer documents: of each class, every n-th training and test document (`Scope.every`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache, partial
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack

from textsieve import DocumentFrequency, TermCounter, TermWeighter, read
from textsieve.evaluation import folds as folds_of

from .measurements import Estimate, Measurement, ReportStep, Scope, group_by

Ints = NDArray[np.int64]
Settings = tuple[tuple[str, Any], ...]
"""Settings of a `Categorizer` about terms."""
LabelSet = tuple[Any, ...]
"""The labels of a document, sorted."""

N_CACHED = 12
"""The number of counted corpora that stay in memory, because several kinds of measurements use them."""
DEFAULT_FOLDS = 5


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
        """Return the labels of some documents for `fit`: label sets if multilabel, else a label or None for each."""
        label_sets = [fold.labels[position] for position in positions.tolist()]
        return label_sets if self.multilabel else [label_set[0] if label_set else None for label_set in label_sets]

    def columns(self, fold: Fold) -> Ints:
        """Return the columns of the terms that can be selected in a fold: those in enough training documents."""
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
    """Which labels are used: a key of `LABELS`."""
    words: str = "all"
    """Which words are terms: a key of `WORDS`."""

    def documents(self, scope: Scope) -> Documents:
        """Read, count, label and split the documents."""
        return _documents(self, scope)


@lru_cache(maxsize=1)
def _documents(collection: Collection, scope: Scope) -> Documents:
    """Read, count, label and split the documents of a collection; the last result is cached."""
    settings = dict(collection.settings)
    min_df = settings.pop("min_df", 1)
    counted = _count(collection.corpus, tuple(settings.items()), collection.folds, scope.n_jobs)
    labelled = LABELS[collection.labels](replace(counted, min_df=min_df))
    return reduce_to_scope(WORDS[collection.words](labelled), scope)


@lru_cache(maxsize=N_CACHED)
def _count(corpus_name: str, settings: Settings, n_folds: int | None, n_jobs: int | None) -> Documents:
    """Read and count a corpus; without `n_folds`, its folds are the publisher's split or five folds."""
    corpus = read(corpus_name)
    parts = None if n_folds is not None else corpus.split()
    loaded = [part.load() for part in parts or (corpus,)]
    labels = [_label_set(document_labels) for _, part_labels in loaded for document_labels in part_labels]
    contents: list[Any] = [content for content, _ in loaded]
    if isinstance(contents[0], list):
        counter = TermCounter(**dict(settings), dtype=np.int32, n_jobs=n_jobs)
        counts = csr_matrix(counter.fit_transform([text for texts in contents for text in texts]))
        terms = list(map(str, counter.get_feature_names_out()))
    else:
        counts = csr_matrix(vstack(contents, format="csr"))
        terms = [f"#{column}" for column in range(counts.shape[1])]
    n_train = len(loaded[0][1])
    masks = _test_masks(labels, n_folds or DEFAULT_FOLDS) if parts is None else [np.arange(len(labels)) >= n_train]
    has_label = np.array([bool(label_set) for label_set in labels])
    folds = tuple(Fold(np.flatnonzero(~is_test), np.flatnonzero(is_test & has_label), labels) for is_test in masks)
    return Documents(counts, terms, labels, any(len(label_set) > 1 for label_set in labels), folds)


def _label_set(labels: Any) -> LabelSet:
    """Return the label or labels of a document as a sorted tuple; None, for no label, gives an empty one."""
    if labels is None:
        return ()
    return tuple(sorted(labels)) if isinstance(labels, tuple) else (labels,)


def _test_masks(labels: Sequence[LabelSet], n_folds: int) -> list[NDArray[np.bool_]]:
    """Return the mask of test documents of each fold; documents without a label are never tested."""
    labelled = np.array([position for position, label_set in enumerate(labels) if label_set])
    fold_of = np.full(len(labels), -1)
    fold_of[labelled] = folds_of([labels[position][0] for position in labelled.tolist()], n_folds)
    return [fold_of == number for number in range(n_folds)]


def members_of(labels: Sequence[LabelSet]) -> dict[Any, Ints]:
    """Return the positions of the documents of each class, in the order of the classes."""
    members: dict[Any, list[int]] = {}
    for position, label_set in enumerate(labels):
        for label in label_set:
            members.setdefault(label, []).append(position)
    return {label: np.array(members[label], np.int64) for label in sorted(members)}


def reduce_to_scope(documents: Documents, scope: Scope) -> Documents:
    """Return the documents with only the folds, and the documents in them, that the scope includes."""
    folds = documents.folds[: scope.limit(len(documents.folds))]
    if scope.every > 1:
        members = members_of(documents.labels)

        def take_every_nth(positions: Ints) -> Ints:
            """Return every n-th of these documents in each class."""
            by_class = [np.intersect1d(of_class, positions)[:: scope.every] for of_class in members.values()]
            return np.unique(np.concatenate(by_class))

        folds = tuple(fold._replace(train=take_every_nth(fold.train), test=take_every_nth(fold.test)) for fold in folds)
    return replace(documents, folds=folds)


# -- labels and words --------------------------------------------------------------------------------------------------


def _largest(documents: Documents, n_classes: int) -> Documents:
    """Keep the most frequent classes and their documents; a document gets the first of its classes among them."""
    members = members_of(documents.labels)
    largest = set(sorted(members, key=lambda label: -len(members[label]))[:n_classes])
    labels = [tuple(label for label in label_set if label in largest)[:1] for label_set in documents.labels]
    has_label = np.array([bool(label_set) for label_set in labels])
    folds = tuple(
        Fold(fold.train[has_label[fold.train]], fold.test[has_label[fold.test]], labels) for fold in documents.folds
    )
    return replace(documents, labels=labels, multilabel=False, folds=folds)


def _first_label(documents: Documents) -> Documents:
    """Keep the first label of each document in alphabetical order."""
    labels = [label_set[:1] for label_set in documents.labels]
    folds = tuple(fold._replace(labels=labels) for fold in documents.folds)
    return replace(documents, labels=labels, multilabel=False, folds=folds)


ODP_CLASSES = (
    *("arts", "business", "computers", "games", "health", "home", "kids and teens", "news", "recreation", "science"),
    *("shopping", "society", "sports"),
)
"""The thirteen categories that the paper `ocfs` lists, as the sample of the Open Directory names them."""


def _thirteen_of_odp(documents: Documents) -> Documents:
    """Keep the documents of the thirteen categories of the paper `ocfs`."""
    return _keep_labelled(documents, [tuple(set(label_set) & set(ODP_CLASSES)) for label_set in documents.labels])


def _top_groups(documents: Documents) -> Documents:
    """Reduce the labels of newsgroups to the four largest top-level groups: comp, rec, sci and talk."""
    tops = ("comp", "rec", "sci", "talk")
    top_of = [str(label_set[0]).partition(".")[0] if label_set else "" for label_set in documents.labels]
    return _keep_labelled(documents, [(top,) if top in tops else () for top in top_of])


def _copied(documents: Documents) -> Documents:
    """Copy each document with several labels into each of its classes, and leave out those without labels."""
    sources = np.repeat(np.arange(len(documents.labels)), list(map(len, documents.labels)))
    labels = [(label,) for label_set in documents.labels for label in label_set]

    def copies_of(positions: Ints) -> Ints:
        """Return the copies of some documents."""
        return np.flatnonzero(np.isin(sources, positions))

    folds = tuple(Fold(copies_of(fold.train), copies_of(fold.test), labels) for fold in documents.folds)
    counts = csr_matrix(documents.counts[sources])
    return replace(documents, counts=counts, labels=labels, multilabel=False, folds=folds)


def _keep_labelled(documents: Documents, labels: list[LabelSet]) -> Documents:
    """Return documents with new labels, without those that have none left."""
    has_label = np.array([bool(label_set) for label_set in labels])
    folds = tuple(
        Fold(fold.train[has_label[fold.train]], fold.test[has_label[fold.test]], labels) for fold in documents.folds
    )
    return replace(documents, labels=labels, folds=folds)


LABELS: dict[str, Callable[[Documents], Documents]] = {
    "all": lambda documents: documents,
    "four largest": partial(_largest, n_classes=4),
    "ten largest": partial(_largest, n_classes=10),
    "first label": _first_label,
    "copied": _copied,
    "thirteen of odp": _thirteen_of_odp,
    "top groups": _top_groups,
}
"""Ways to reduce the labels of documents."""


def _only_letters(documents: Documents) -> Documents:
    """Keep the terms that consist of letters only."""
    columns = [column for column, term in enumerate(documents.terms) if term.isalpha()]
    terms = [documents.terms[column] for column in columns]
    return replace(documents, counts=csr_matrix(documents.counts[:, columns]), terms=terms)


def _most_frequent(documents: Documents, n_terms: int = 944) -> Documents:
    """Keep the terms that are in most training documents of the first fold, as many as MULAN's subsets have."""
    frequent = DocumentFrequency(k=n_terms).fit(documents.counts[documents.folds[0].train])
    columns = np.flatnonzero(frequent.get_support()).tolist()
    terms = [documents.terms[column] for column in columns]
    return replace(documents, counts=csr_matrix(documents.counts[:, columns]), terms=terms)


WORDS: dict[str, Callable[[Documents], Documents]] = {
    "all": lambda documents: documents,
    "letters": _only_letters,
    "944 most frequent": _most_frequent,
}
"""Ways to reduce the terms."""


# -- few labels --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FewLabels(Collection):
    """A collection whose training documents lose most of their labels.

    The labels that remain are drawn at random, several times. Each draw is a fold of its own; if the collection has
    several folds, the draws use them in turn. Documents without a label remain training documents, which count for idf
    and the variance.
    """

    shares: tuple[float, ...] = (0.1,)
    """The share of documents whose labels remain: one for all documents, or one for each class."""
    draws: int = 5

    def documents(self, scope: Scope) -> Documents:
        """Read the documents, and draw the labels that remain for each fold."""
        documents = _base_of(self).documents(scope)
        folds = [documents.folds[draw % len(documents.folds)] for draw in range(scope.limit(self.draws))]
        return replace(
            documents, folds=tuple(remove_labels(fold, self.shares, draw) for draw, fold in enumerate(folds))
        )


def remove_labels(fold: Fold, shares: tuple[float, ...], seed: int) -> Fold:
    """Return a fold in which only a share of the training documents have labels, and at least one of each class."""
    random = np.random.default_rng(seed)
    keeps_labels = np.ones(len(fold.labels), np.bool_)
    keeps_labels[fold.train] = False
    members_by_class = [np.intersect1d(members, fold.train) for members in members_of(fold.labels).values()]
    labelled = fold.train[[bool(fold.labels[position]) for position in fold.train.tolist()]]
    groups = members_by_class if len(shares) > 1 else [labelled]  # documents that have a share of their own
    for group, share in zip(groups, shares, strict=True):
        keeps_labels[random.permutation(group)[: round(share * len(group))]] = True
    for members in members_by_class:  # at least one labelled document of each class
        if len(members) and not keeps_labels[members].any():
            keeps_labels[random.choice(members)] = True
    labels = [label_set if keeps_labels[position] else () for position, label_set in enumerate(fold.labels)]
    return fold._replace(labels=labels)


@dataclass(frozen=True)
class Composed(Collection):
    """A collection of which only a few training documents have labels, with given shares of the classes among them.

    They are drawn at random, several times; each draw is a fold of its own, as in `FewLabels`.
    """

    shares: tuple[float, ...] = ()
    """The share of each class, in alphabetical order."""
    n_labelled: int = 200
    draws: int = 5

    def documents(self, scope: Scope) -> Documents:
        """Read the documents, and draw those that have labels for each fold."""
        documents = _base_of(self).documents(scope)
        folds = []
        for draw in range(scope.limit(self.draws)):
            fold, random = documents.folds[draw % len(documents.folds)], np.random.default_rng(draw)
            keeps = np.ones(len(fold.labels), np.bool_)
            keeps[fold.train] = False
            for members, share in zip(members_of(fold.labels).values(), self.shares, strict=True):
                own = np.intersect1d(members, fold.train)
                keeps[random.permutation(own)[: round(share * self.n_labelled)]] = True
            labels = [label_set if keeps[position] else () for position, label_set in enumerate(fold.labels)]
            folds.append(fold._replace(labels=labels))
        return replace(documents, folds=tuple(folds))


@dataclass(frozen=True)
class Mislabelled(Collection):
    """A collection in which a share of the training documents has a wrong label, drawn at random several times."""

    share: float = 0.1
    draws: int = 5

    def documents(self, scope: Scope) -> Documents:
        """Read the documents, and replace labels in each fold."""
        documents = _base_of(self).documents(scope)
        folds = [documents.folds[draw % len(documents.folds)] for draw in range(scope.limit(self.draws))]
        return replace(documents, folds=tuple(mislabel(fold, self.share, draw) for draw, fold in enumerate(folds)))


def mislabel(fold: Fold, share: float, seed: int) -> Fold:
    """Return a fold in which a share of the training documents has another label than its own."""
    random = np.random.default_rng(seed)
    classes = list(members_of(fold.labels))
    labels = list(fold.labels)
    for position in random.permutation(fold.train)[: round(share * len(fold.train))].tolist():
        others = [label for label in classes if (label,) != labels[position]]
        labels[position] = (others[random.integers(len(others))],)
    return fold._replace(labels=labels)


def _base_of(collection: Collection) -> Collection:
    """Return a collection as its publisher labelled it."""
    return Collection(**{field.name: getattr(collection, field.name) for field in fields(Collection)})


# -- measurements on a collection --------------------------------------------------------------------------------------


class CollectionMeasurement(Measurement):
    """A measurement on the documents of a collection, which all measurements on it share."""

    step: ClassVar[str]
    """The name of the step, for progress reports."""
    collection: Collection

    @classmethod
    @abstractmethod
    def measure_on(
        cls, documents: Documents, measurements: Sequence[Self], scope: Scope
    ) -> Iterator[tuple[Self, Estimate]]:
        """Yield each measurement on one collection with its estimate."""

    @classmethod
    def measure_all(
        cls, requested: Sequence[Self], scope: Scope, report_step: ReportStep
    ) -> Iterator[tuple[Self, Estimate]]:
        """Read and count each collection once."""
        for (collection,), measurements in group_by(requested, "collection").items():
            report_step(f"{collection.corpus}: {cls.step}")
            yield from cls.measure_on(collection.documents(scope), measurements, scope)
