"""Labels in any of the forms people have them in, to one form: pairs of a document and a class.

One label a document, a collection of labels a document, or an indicator matrix (documents x classes). A document
without a label (None, an empty string, an empty collection, or the whole number -1 as in scikit-learn's
semi-supervised estimators) is unlabelled: it has no pair.
"""

import math
from collections.abc import Iterable
from numbers import Number
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..errors import InputError

Ints = NDArray[np.int64]


class LabelPairs(NamedTuple):
    """Pairs of document and class, by class and then by document; classes are sorted."""

    classes: tuple[Any, ...]
    documents: Ints
    class_starts: Ints  # the pairs of class j are class_starts[j] to class_starts[j + 1]
    n_documents: int

    def of_class(self, number: int) -> Ints:
        """The documents of a class."""
        return self.documents[self.class_starts[number] : self.class_starts[number + 1]]

    def unlabelled(self) -> Ints:
        """The documents that have no label."""
        has_label = np.zeros(self.n_documents, np.bool_)
        has_label[self.documents] = True
        return np.flatnonzero(~has_label)


def label_pairs(y: Any, n_documents: int) -> LabelPairs:
    """Bring the labels of `n_documents` documents into one form."""
    if y is None:
        return _pairs([], np.empty(0, np.int64), np.empty(0, np.int64), n_documents)
    if sparse.issparse(y) or (isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] > 1):
        return _from_indicator(y, n_documents)
    if isinstance(y, np.ndarray) and y.ndim == 2:
        y = y[:, 0]
    labels: Any = y if isinstance(y, np.ndarray) else list(y)
    if len(labels) != n_documents:
        raise InputError(f"There are {n_documents:,} documents but {len(labels):,} labels.")
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "iu":
        labelled = np.flatnonzero(labels != -1)
        numbers, inverse = np.unique(labels[labelled], return_inverse=True)
        return _pairs(numbers.tolist(), labelled, inverse, n_documents)
    if set(map(type, labels)) <= {str} and "" not in (names := dict.fromkeys(labels)):
        classes = sorted(names)
        number = {label: at for at, label in enumerate(classes)}
        found = np.fromiter(map(number.__getitem__, labels), np.int64, n_documents)
        return _pairs(classes, np.arange(n_documents), found, n_documents)
    return _from_labels(labels, n_documents)


def _from_indicator(y: Any, n_documents: int) -> LabelPairs:
    indicator = sparse.csr_array(y)
    if indicator.shape[0] != n_documents:
        raise InputError(f"There are {n_documents:,} documents but {indicator.shape[0]:,} rows of labels.")
    indicator.eliminate_zeros()
    bad = np.flatnonzero(indicator.data != 1)
    if len(bad):
        raise InputError(
            f"A label matrix holds 0 and 1, but there is {indicator.data[bad[0]]!r} in it; "
            "for one label a document give a list of labels."
        )
    documents = np.repeat(np.arange(n_documents), np.diff(indicator.indptr))
    return _pairs(list(range(indicator.shape[1])), documents, indicator.indices.astype(np.int64), n_documents)


def _from_labels(labels: Iterable[Any], n_documents: int) -> LabelPairs:
    numbers: dict[Any, int] = {}
    seen_at: dict[Any, int] = {}
    documents: list[int] = []
    found: list[int] = []
    for document, label in enumerate(labels):
        several = isinstance(label, list | tuple | set | frozenset | np.ndarray)
        for single in dict.fromkeys(_plain(one) for one in label) if several else (_plain(label),):
            if single is None or single == "" or (single == -1 and type(single) is int and not several):
                continue
            number = numbers.get(single)
            if number is None:
                _check(single, document)
                number = numbers[single] = len(numbers)
                seen_at[single] = document
            documents.append(document)
            found.append(number)
    classes = _sorted(seen_at)
    order = np.empty(len(classes), np.int64)
    order[[numbers[label] for label in classes]] = np.arange(len(classes))
    return _pairs(classes, np.array(documents, np.int64), order[np.array(found, np.int64)], n_documents)


def _plain(label: Any) -> Any:
    """A label as a plain Python value, so that it can be written to a file."""
    return label.item() if isinstance(label, np.generic) else label


def _check(label: Any, document: int) -> None:
    if isinstance(label, float) and math.isnan(label):
        raise InputError(f"The label of document {document} is NaN; for a document without a label use None.")
    if not isinstance(label, str | Number):
        raise InputError(
            f"The label of document {document} is {label!r:.60} ({type(label).__name__}); use text or whole numbers."
        )


def _sorted(seen_at: dict[Any, int]) -> list[Any]:
    texts = [label for label in seen_at if isinstance(label, str)]
    if 0 < len(texts) < len(seen_at):
        other = next(label for label in seen_at if not isinstance(label, str))
        raise InputError(
            f"Labels of mixed kinds: document {seen_at[texts[0]]} has the text {texts[0]!r}, document "
            f"{seen_at[other]} the {type(other).__name__} {other!r}; make all of them text or all of them numbers."
        )
    return sorted(seen_at)


def _pairs(classes: list[Any], documents: Ints, numbers: Ints, n_documents: int) -> LabelPairs:
    by_class = np.argsort(numbers, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(numbers, minlength=len(classes)))]).astype(np.int64)
    return LabelPairs(tuple(classes), documents[by_class], starts, n_documents)


def one_kind(classes: Iterable[Any]) -> list[Any]:
    """Sort classes that come from several tables; they must all be text or all be numbers."""
    return _sorted(dict.fromkeys(classes, 0))
