"""The labels of documents in the one form that training uses: for each class, the documents in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..arrays import Counts, Floats, Ints
from ..corpus import Corpus
from ..errors import InputError, Setting, shown
from ..stats.labels import is_indicator, label_pairs, without_missing
from ..stats.weights import are_integers, check_weights, drop_weightless

NO_CLASS = "none of the classes"
"""The name of the additional class in the statistics for rows of zeros in a label matrix."""


@dataclass(frozen=True)
class ClassSizes:
    """The classes and their sizes, without the documents."""

    classes: tuple[Any, ...]
    class_docs: Counts
    n_documents: Any  # an int, or a float where documents have weights that are not whole numbers; so is the next
    n_unlabelled: Any
    """Documents that a classifier can't learn from."""
    _: KW_ONLY
    multilabel: bool
    label_matrix: bool = False
    """See `Targets.label_matrix`."""

    @property
    def can_be_learned(self) -> NDArray[np.bool_]:
        """Return which classes contain some documents but not all."""
        return np.asarray((self.class_docs > 0) & (self.class_docs < self.n_documents - self.n_unlabelled))


def sorted_classes(labels: Iterable[Any]) -> tuple[Any, ...]:
    """Return the classes for distinct labels: sorted, of one kind and one type."""
    given = list(labels)
    return _of_one_type(label_pairs(given, len(given)).classes)


@dataclass(frozen=True)
class Targets:
    """The labels of documents: for each class, the documents in it."""

    classes: tuple[Any, ...]
    members: tuple[Ints, ...]
    n_documents: int
    weights: Floats | None = None
    """How many times each document counts, more than 0 times; None: once. Counts are sums of them."""
    _: KW_ONLY
    multilabel: bool
    """Whether a document may have any number of labels."""
    label_matrix: bool = False
    """Whether the labels are an indicator matrix (documents x classes), or treated like one.

    In an indicator matrix, a row of zeros says that a document belongs to none of the classes, and a classifier learns
    from it. In all other forms, a document without a label is unlabelled.
    """

    @classmethod
    def of(cls, labels: Any, n_documents: int, multilabel: bool | None = None) -> Targets:
        """Convert labels in any common form; `multilabel` decides where the form does not."""
        if not (multilabel is None or isinstance(multilabel, bool)):
            raise InputError(
                setting="multilabel", value=multilabel, hint="use True, False, or None to have it told from the labels"
            )
        if isinstance(labels, Iterator):
            labels = list(labels)
        labels = without_missing(labels)
        has_label_sets = _has_label_sets(labels)
        is_matrix = has_label_sets and (_n_dimensions(labels) == 2 or is_indicator(labels))
        pairs = label_pairs(labels, n_documents)
        classes = _of_one_type(pairs.classes)
        if is_matrix:
            _require_sorted_columns(labels, classes)
        members = tuple(pairs.of_class(number) for number in range(len(classes)))
        if multilabel is None:
            multilabel = has_label_sets
        elif not multilabel:
            _require_one_each(members, n_documents)
        return cls(classes, members, n_documents, multilabel=multilabel, label_matrix=multilabel and is_matrix)

    def weighted(self, times: Sequence[float] | None) -> Targets:
        """Return the same labels of documents that count so many times, once if all are 1."""
        has_weights = times is not None and any(each != 1 for each in times)
        return replace(self, weights=np.array(times, np.float64)) if has_weights else self

    @cached_property
    def class_docs(self) -> Counts:
        """Return the number of documents of each class."""
        return np.array([self.count(each) for each in self.members], self.count_type)

    @property
    def count_type(self) -> type[np.int64] | type[np.float64]:
        """Return the type of document counts: float64 if some weight is not an integer."""
        return np.int64 if self.weights is None or are_integers(self.weights) else np.float64

    def count(self, documents: NDArray[Any]) -> float:
        """Return the sum of the weights of documents, given by number or by a mask; their number without weights."""
        if self.weights is None:
            return int(np.count_nonzero(documents)) if documents.dtype == np.bool_ else len(documents)
        return self.count_type(self.weights[documents].sum()).item()

    @property
    def times(self) -> list[float] | None:
        """Return how many times each document counts, as Python numbers, or None if each counts once."""
        return None if self.weights is None else self.weights.astype(self.count_type).tolist()

    @property
    def n_counted(self) -> float:
        """Return the number of documents: the sum of all weights."""
        return self.n_documents if self.weights is None else self.count_type(self.weights.sum()).item()

    @cached_property
    def first(self) -> Ints:
        """Return the number of each document's first class, or -1. With one label per document, this is its class."""
        first = np.full(self.n_documents, -1, np.int64)
        for number in range(len(self.classes) - 1, -1, -1):
            first[self.members[number]] = number
        return first

    @cached_property
    def usable(self) -> NDArray[np.bool_]:
        """Return which documents a classifier can learn from."""
        return np.ones(self.n_documents, np.bool_) if self.label_matrix else self.first >= 0

    @property
    def sizes(self) -> ClassSizes:
        """Return the classes and their sizes."""
        return ClassSizes(
            self.classes,
            self.class_docs,
            self.n_counted,
            self.count(~self.usable),
            multilabel=self.multilabel,
            label_matrix=self.label_matrix,
        )

    @property
    def sizes_for_file(self) -> ClassSizes:
        """Return the sizes as a model file holds them, whole numbers: of documents, if weights are none."""
        return (self if self.count_type is np.int64 else replace(self, weights=None)).sizes

    @property
    def can_be_learned(self) -> NDArray[np.bool_]:
        """Return which classes contain some documents but not all."""
        return self.sizes.can_be_learned

    @property
    def is_member(self) -> NDArray[np.bool_]:
        """Return whether each document is in each class (documents x classes)."""
        is_member = np.zeros((self.n_documents, len(self.classes)), np.bool_)
        for number, documents in enumerate(self.members):
            is_member[documents, number] = True
        return is_member

    def take(self, documents: Ints) -> Targets:
        """Return the labels of some documents, in ascending order, as a collection of their own."""
        place = np.full(self.n_documents, -1, np.int64)
        place[documents] = np.arange(len(documents))
        members = tuple(place[each][place[each] >= 0] for each in self.members)
        weights = None if self.weights is None else self.weights[documents]
        return replace(self, members=members, n_documents=len(documents), weights=weights)

    def indicator(self) -> sparse.csr_array:
        """Return a sparse matrix (documents x classes) with 1 where a document is in a class."""
        return _indicator(self.members, self.n_documents)

    def for_stats(self) -> Any:
        """Return labels for `ClassStats`, with classes as numbers; "none of the classes" is one more class."""
        if not self.multilabel and self.usable.all():
            return self.first
        none = np.flatnonzero((self.first < 0) & self.usable)
        classes = (*self.members, none) if len(none) else self.members
        return _indicator(classes, self.n_documents)

    def name(self, number: int) -> Any:
        """Return the label of a class number in the statistics."""
        return self.classes[number] if number < len(self.classes) else NO_CLASS

    def label_sets(self) -> list[tuple[Any, ...]]:
        """Return the labels of each document."""
        sets: list[tuple[Any, ...]] = [()] * self.n_documents
        for label, documents in zip(self.classes, self.members, strict=True):
            for document in documents.tolist():
                sets[document] += (label,)
        return sets


def weighted_texts(texts: Any, labels: Any, sample_weight: Any) -> tuple[list[Any], Any, list[float]]:
    """Return the texts that count, their labels, and how many times each counts: ints, if all weights are whole."""
    if isinstance(texts, Corpus):
        raise InputError(
            "it is for texts in memory, and a corpus is read as it comes",
            setting="sample_weight",
            hint="give its texts and labels as lists, or leave it out",
        )
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise InputError(f"documents is {shown(texts)}; give an iterable of texts, for example [text].")
    given = list(texts)
    given, labels, weights = drop_weightless(given, labels, check_weights(sample_weight, len(given)))
    if weights is None:
        return given, labels, [1] * len(given)
    return given, labels, weights.astype(np.int64 if are_integers(weights) else np.float64).tolist()


def _indicator(classes: tuple[Ints, ...], n_documents: int) -> sparse.csr_array:
    documents = np.concatenate([np.empty(0, np.int64), *classes])
    numbers = np.repeat(np.arange(len(classes)), np.array(list(map(len, classes)), np.int64))
    ones = np.ones(len(documents), np.int8)
    return sparse.csr_array((ones, (documents, numbers)), shape=(n_documents, len(classes)))


def _has_label_sets(labels: Any) -> bool:
    """Return whether some document has a collection of labels or a row of a matrix, rather than a single label."""
    if _n_dimensions(labels) == 2:
        return bool(labels.shape[1] != 1)
    return _is_collection(labels) and any(map(_is_collection, labels))


def _n_dimensions(labels: Any) -> int:
    """Return the number of dimensions of an array or a data frame, and 0 for anything else."""
    return len(getattr(labels, "shape", ()))


def _is_collection(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes)


def _of_one_type(classes: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return numeric classes as integers, or all as floats if one of them is not an integer."""
    types = set(map(type, classes))
    if len(types) > 1 and bool in types:
        some = next(label for label in classes if not isinstance(label, bool))
        raise InputError(f"Labels of mixed kinds: True or False, and the number {some!r}; make all of them numbers.")
    if float not in types:
        return classes
    return tuple(map(float, classes))


def _require_sorted_columns(labels: Any, classes: tuple[Any, ...]) -> None:
    """Raise `InputError` unless the columns of a data frame are in the order of the classes, as predictions have
    them.
    """
    columns = list(getattr(labels, "columns", classes))
    if columns != list(classes):
        raise InputError(
            f"The columns of labels are {shown(columns)}; have them in order, as the classes will be: "
            "labels[sorted(labels.columns)]."
        )


def _require_one_each(members: tuple[Ints, ...], n_documents: int) -> None:
    counts = np.bincount(np.concatenate([np.empty(0, np.int64), *members]), minlength=n_documents)
    if counts.max(initial=0) > 1:
        document = int(np.argmax(counts > 1))
        raise InputError(
            (f"Document {document} has {int(counts[document])} labels, but ", Setting("multilabel", False)),
            hint="leave it out, or give one label a document",
        )
