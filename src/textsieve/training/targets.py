"""The labels of documents as training uses them: for each class, the numbers of its documents."""

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
from ..stats.labels import LabelPairs, is_indicator, label_pairs, missing_as_none
from ..stats.weights import are_integers, check_weights, drop_weightless

NO_CLASS = "none of the classes"
"""The name of the additional class in the statistics for rows of zeros in a label matrix."""


@dataclass(frozen=True)
class ClassSizes:
    """The classes and their numbers of documents.

    Numbers are integers, or floats if the sample weights of documents are no integers (see `Targets.count_type`).
    """

    classes: tuple[Any, ...]
    class_docs: Counts
    n_documents: Any
    n_unlabelled: Any
    """The number of documents that a classifier can't learn from; the others are usable (`Targets.usable`)."""
    _: KW_ONLY
    multilabel: bool
    has_label_matrix: bool = False
    """See `Targets.has_label_matrix`."""

    @property
    def can_be_learned(self) -> NDArray[np.bool_]:
        """Return which classes can be learned: some of the usable documents belong to them, but not all."""
        return np.asarray((self.class_docs > 0) & (self.class_docs < self.n_documents - self.n_unlabelled))


def sorted_classes(labels: Iterable[Any]) -> tuple[Any, ...]:
    """Return distinct labels as classes: sorted, and all text or all numbers of one type."""
    distinct = list(labels)
    return _with_common_type(label_pairs(distinct, len(distinct)).classes)


@dataclass(frozen=True)
class Targets:
    """The labels of documents. Documents and classes are numbered from 0."""

    classes: tuple[Any, ...]
    members: tuple[Ints, ...]
    """For each class, the numbers of its documents, ascending."""
    n_documents: int
    weights: Floats | None = None
    """The sample weight of each document, above 0; None if each counts once. Document counts are sums of weights."""
    _: KW_ONLY
    multilabel: bool
    """Whether a document may have any number of labels."""
    has_label_matrix: bool = False
    """Whether the labels are an indicator matrix (documents x classes), or an update treats them like one.

    In an indicator matrix, a row of zeros says that a document belongs to none of the classes, and a classifier learns
    from it. In all other forms, a document without a label is unlabelled.
    """

    @classmethod
    def of(cls, labels: Any, n_documents: int, multilabel: bool | None = None) -> Targets:
        """Convert labels in any form that `stats.labels` describes, such as a list or an indicator matrix.

        With `multilabel=None`, the labels decide: a collection of labels, or a row of a matrix, for each document makes
        them multilabel. With `multilabel=False`, documents of several labels raise `InputError`.
        """
        if isinstance(labels, Iterator):
            labels = list(labels)
        labels = missing_as_none(labels)
        has_label_sets = _has_label_sets(labels)
        is_matrix = has_label_sets and (_n_dimensions(labels) == 2 or is_indicator(labels))
        pairs = label_pairs(labels, n_documents)
        classes = _with_common_type(pairs.classes)
        if is_matrix:
            _require_sorted_columns(labels, classes)
        members = tuple(pairs.of_class(number) for number in range(len(classes)))
        if multilabel is None:
            multilabel = has_label_sets
        elif not multilabel:
            _require_single_labels(members, n_documents)
        return cls(classes, members, n_documents, multilabel=multilabel, has_label_matrix=multilabel and is_matrix)

    def with_classes(self, classes: tuple[Any, ...]) -> Targets:
        """Return the same labels with other classes, among which all labels must be; new ones have no documents."""
        members = dict(zip(self.classes, self.members, strict=True))
        no_documents = np.empty(0, np.int64)
        return replace(self, classes=classes, members=tuple(members.get(label, no_documents) for label in classes))

    def with_weights(self, weights: Sequence[float] | None) -> Targets:
        """Return the same labels with sample weights; weights that are all 1 change nothing, and are not stored."""
        has_weights = weights is not None and any(weight != 1 for weight in weights)
        return replace(self, weights=np.array(weights, np.float64)) if has_weights else self

    @cached_property
    def class_docs(self) -> Counts:
        """Return the number of documents of each class."""
        return np.array([self.count(documents) for documents in self.members], self.count_type)

    @property
    def count_type(self) -> type[np.int64] | type[np.float64]:
        """Return the type of numbers of documents, which are sums of sample weights.

        It is int64, or float64 if some weight is not an integer or their sum is above `stats.weights.LARGEST_COUNT`.
        """
        return np.int64 if self.weights is None or are_integers(self.weights) else np.float64

    def count(self, documents: NDArray[Any]) -> float:
        """Return the number of documents, given by numbers or by a mask; with weights, the sum of their weights."""
        if self.weights is None:
            return int(np.count_nonzero(documents)) if documents.dtype == np.bool_ else len(documents)
        return self.count_type(self.weights[documents].sum()).item()

    @property
    def weight_list(self) -> list[float] | None:
        """Return the sample weights as Python numbers, ints if all are integers; None if each document counts once."""
        return None if self.weights is None else self.weights.astype(self.count_type).tolist()

    @property
    def n_counted(self) -> float:
        """Return the number of documents; with weights, the sum of all weights."""
        return self.n_documents if self.weights is None else self.count_type(self.weights.sum()).item()

    @cached_property
    def first_class(self) -> Ints:
        """Return the smallest class number of each document, or -1 if it has no class.

        With one label per document, this is the number of its class.
        """
        first_class = np.full(self.n_documents, -1, np.int64)
        for number in range(len(self.classes) - 1, -1, -1):  # smaller numbers overwrite larger ones
            first_class[self.members[number]] = number
        return first_class

    @cached_property
    def usable(self) -> NDArray[np.bool_]:
        """Return which documents a classifier can learn from: the labelled ones, or all with a label matrix."""
        return np.ones(self.n_documents, np.bool_) if self.has_label_matrix else self.first_class >= 0

    @property
    def sizes(self) -> ClassSizes:
        """Return the classes and their sizes."""
        return ClassSizes(
            self.classes,
            self.class_docs,
            self.n_counted,
            self.count(~self.usable),
            multilabel=self.multilabel,
            has_label_matrix=self.has_label_matrix,
        )

    @property
    def sizes_for_file(self) -> ClassSizes:
        """Return the sizes as integers, as a model file stores them.

        If sums of sample weights are no integers (`count_type`), each document counts once.
        """
        return (self if self.count_type is np.int64 else replace(self, weights=None)).sizes

    @property
    def can_be_learned(self) -> NDArray[np.bool_]:
        """Return which classes can be learned: some of the usable documents belong to them, but not all."""
        return self.sizes.can_be_learned

    def take(self, documents: Ints) -> Targets:
        """Return the labels of some documents, given by ascending numbers; these are then numbered from 0."""
        new_number = np.full(self.n_documents, -1, np.int64)  # -1: the document is left out
        new_number[documents] = np.arange(len(documents))
        members = []
        for class_documents in self.members:
            numbers = new_number[class_documents]
            members.append(numbers[numbers >= 0])
        weights = None if self.weights is None else self.weights[documents]
        return replace(self, members=tuple(members), n_documents=len(documents), weights=weights)

    def indicator(self) -> sparse.csr_array:
        """Return a sparse matrix (documents x classes) with 1 where a document is in a class."""
        return _indicator(self.members, self.n_documents)

    def for_stats(self) -> Any:
        """Return labels for `ClassStats`, in which classes are numbers.

        If each document has exactly one label, return the array of their class numbers, and otherwise an indicator
        matrix (documents x classes).

        `ClassStats` treats a row of zeros as an unlabelled document. But if the labels were given as a matrix, it means
        "none of the classes". If there are such documents, the returned matrix has one more column, in which they have
        a 1.
        """
        if not self.multilabel and self.usable.all():
            return self.first_class
        in_no_class = np.flatnonzero((self.first_class < 0) & self.usable)  # rows of zeros in a label matrix
        members = (*self.members, in_no_class) if len(in_no_class) else self.members
        return _indicator(members, self.n_documents)

    def pairs_for_stats(self) -> LabelPairs:
        """Return the labels of `for_stats` as pairs of document and class, with labels in place of class numbers."""
        pairs = label_pairs(self.for_stats(), self.n_documents)
        return pairs._replace(classes=tuple(map(self.label_of, pairs.classes)))

    def label_of(self, number: int) -> Any:
        """Return the label for a class number of the statistics, or `NO_CLASS` for the additional class."""
        return self.classes[number] if number < len(self.classes) else NO_CLASS

    def label_sets(self) -> list[tuple[Any, ...]]:
        """Return the labels of each document."""
        sets: list[tuple[Any, ...]] = [()] * self.n_documents
        for label, documents in zip(self.classes, self.members, strict=True):
            for document in documents.tolist():
                sets[document] += (label,)
        return sets


def weighted_texts(texts: Any, labels: Any, sample_weight: Any) -> tuple[list[Any], Any, list[float]]:
    """Return the texts of weight above 0, their labels, and their weights, which are ints if all weights are integers.

    Raises `InputError` for a corpus, which can't have weights, and for invalid weights.
    """
    if isinstance(texts, Corpus):
        raise InputError(
            "a corpus can't have sample weights, only texts in memory can",
            setting="sample_weight",
            hint="give texts and labels as lists, or leave sample_weight out",
        )
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise InputError(f"documents is {shown(texts)}", hint="give an iterable of texts, for example [text]")
    all_texts = list(texts)
    texts, labels, weights = drop_weightless(all_texts, labels, check_weights(sample_weight, len(all_texts)))
    if weights is None:  # all weights above 0 are 1
        return texts, labels, [1] * len(texts)
    return texts, labels, weights.astype(np.int64 if are_integers(weights) else np.float64).tolist()


def _indicator(members: tuple[Ints, ...], n_documents: int) -> sparse.csr_array:
    """Return the indicator matrix (documents x classes) for the documents of each class."""
    documents = np.concatenate([np.empty(0, np.int64), *members])  # the empty array is for the case of no classes
    class_numbers = np.repeat(np.arange(len(members)), np.array(list(map(len, members)), np.int64))
    ones = np.ones(len(documents), np.int8)
    return sparse.csr_array((ones, (documents, class_numbers)), shape=(n_documents, len(members)))


def _has_label_sets(labels: Any) -> bool:
    """Return whether labels are a matrix, or some document has a collection of labels rather than a single one."""
    if _n_dimensions(labels) == 2:
        return bool(labels.shape[1] != 1)  # a matrix of one column has a single label in each row
    return _is_collection(labels) and any(map(_is_collection, labels))


def _n_dimensions(labels: Any) -> int:
    """Return the number of dimensions of an array or a data frame, and 0 for anything else."""
    return len(getattr(labels, "shape", ()))


def _is_collection(value: Any) -> bool:
    """Return whether a value is iterable, and not a text."""
    return isinstance(value, Iterable) and not isinstance(value, str | bytes)


def _with_common_type(classes: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the classes, all as floats if one of them is a float; raise `InputError` for bools among other numbers."""
    types = set(map(type, classes))
    if len(types) > 1 and bool in types:
        number = next(label for label in classes if not isinstance(label, bool))
        raise InputError(
            f"Labels of mixed kinds: True or False, and the number {number!r}", hint="make all of them numbers"
        )
    return tuple(map(float, classes)) if float in types else classes


def _require_sorted_columns(labels: Any, classes: tuple[Any, ...]) -> None:
    """Raise `InputError` if the columns of a label matrix that is a data frame are not sorted.

    Predictions have a column for each class, sorted. If the columns of the labels were in another order, users would
    take one class for another.
    """
    columns = list(getattr(labels, "columns", classes))
    if columns != list(classes):
        raise InputError(
            f"The columns of labels are {shown(columns)}", hint="sort them: labels[sorted(labels.columns)]"
        )


def _require_single_labels(members: tuple[Ints, ...], n_documents: int) -> None:
    """Raise `InputError` if a document is in several classes."""
    n_labels = np.bincount(np.concatenate([np.empty(0, np.int64), *members]), minlength=n_documents)
    if n_labels.max(initial=0) > 1:
        document = int(np.argmax(n_labels > 1))
        raise InputError(
            (f"Document {document} has {int(n_labels[document])} labels, but ", Setting("multilabel", False)),
            hint="leave it out, or give one label a document",
        )
