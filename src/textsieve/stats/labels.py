"""Convert labels in any common form to pairs of a document and a class.

Accepted are one label per document, a collection of labels per document, or an indicator matrix (documents x classes;
lists of equal length that contain only 0 and 1 count as one, too). A document without a label (None, an empty string,
an empty collection, a masked entry, NaN, pandas' NA and NaT) is unlabelled and has no pair. Another value for
unlabelled documents, such as scikit-learn's -1, is given as `unlabelled`.

In an indicator matrix, an unlabelled document is None or a row that consists of the value for unlabelled documents. An
empty list is not: a row has an entry for each class, so lists some of which are empty are lists of labels.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from ..arrays import Ints
from ..corpus.labels import is_missing
from ..errors import InputError, shown
from ..kernels.packed_counts import sorted_by_class


class LabelPairs(NamedTuple):
    """Pairs of document and class, sorted by class and then by document; classes are sorted."""

    classes: tuple[Any, ...]
    documents: Ints
    class_starts: Ints  # the pairs of class j are class_starts[j] to class_starts[j + 1]
    n_documents: int

    def of_class(self, number: int) -> Ints:
        """Return the documents of a class."""
        return self.documents[self.class_starts[number] : self.class_starts[number + 1]]

    def unlabelled(self) -> Ints:
        """Return the documents without a label."""
        has_label = np.zeros(self.n_documents, np.bool_)
        has_label[self.documents] = True
        return np.flatnonzero(~has_label)


def label_pairs(y: Any, n_documents: int, unlabelled: Any = None) -> LabelPairs:
    """Convert the labels of `n_documents` documents to pairs; `unlabelled` is a label that means none."""
    require_label(unlabelled)
    if y is None:
        return _pairs([], np.empty(0, np.int64), np.empty(0, np.int64), n_documents)
    y = without_missing(y)
    names = getattr(y, "columns", None)  # of a data frame
    if hasattr(y, "__array__") and (not isinstance(y, Iterable) or len(getattr(y, "shape", ())) == 2):
        y = np.asarray(y)  # a data frame, or what else only calls itself an array
    odd_shape = isinstance(y, np.ndarray) and y.ndim not in (1, 2)
    if odd_shape or isinstance(y, str | bytes) or not isinstance(y, Iterable):
        raise InputError(
            f"y is {shown(y)} ({type(y).__name__}); give a label, or a list of labels, for each document, or a matrix "
            "of 0 and 1 (documents x classes)."
        )
    if sparse.issparse(y) or (isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] != 1):
        return without_class(_from_indicator(y, n_documents, names), unlabelled)
    if isinstance(y, np.ndarray) and y.ndim == 2:
        y = without_missing(y[:, 0])
    labels: Any = y if isinstance(y, np.ndarray) else list(y)
    if len(labels) != n_documents:
        raise InputError(f"There are {n_documents:,} documents but {len(labels):,} labels.")
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "iu":
        return without_class(_from_whole_numbers(labels), unlabelled)
    if is_indicator(labels, unlabelled):
        return without_class(_from_indicator(_filled(labels), n_documents, None), unlabelled)
    texts = set(map(type, labels)) <= {str} and not isinstance(unlabelled, str)
    if texts and "" not in (different := dict.fromkeys(labels)):
        classes = sorted(different)
        number = {label: at for at, label in enumerate(classes)}
        class_numbers = np.fromiter(map(number.__getitem__, labels), np.int64, n_documents)
        return _pairs(classes, np.arange(n_documents), class_numbers, n_documents)
    return _from_labels(labels if unlabelled is None else _known(labels, unlabelled), n_documents)


def without_missing(y: Any) -> Any:
    """Return the labels with None for each document whose label is missing or masked."""
    if hasattr(y, "to_pylist"):  # of pyarrow
        y = y.to_pylist()
    if isinstance(y, np.ma.MaskedArray):
        y = _without_mask(y)
    is_column = isinstance(y, list | tuple) or len(getattr(y, "shape", ())) == 1
    if not is_column or (isinstance(y, np.ndarray) and y.dtype.kind not in "fO"):
        return y
    labels = list(y)
    if set(map(type, labels)) <= {str, list, tuple, int} or not any(map(is_missing, labels)):
        return y
    return [None if is_missing(label) else label for label in labels]


def _without_mask(y: np.ma.MaskedArray[Any, Any]) -> Any:
    """Return an array without a mask, with None for masked entries."""
    if not np.ma.is_masked(y):
        return y.data
    if y.ndim == 2 and y.shape[1] != 1 and y.dtype.kind in "biuf":
        return y.filled(0)
    labels = y.data.astype(object)
    labels[np.ma.getmaskarray(y)] = None
    return labels


def require_label(unlabelled: Any) -> None:
    """Raise `InputError` for values that can't be the label of a document."""
    if not (unlabelled is None or isinstance(unlabelled, str | int | float | np.integer | np.floating)):
        raise InputError(
            f"it is of type {type(unlabelled).__name__}",
            setting="unlabelled",
            value=unlabelled,
            hint="use the label that means none, text or a number, or None if no label does",
        )


def without_class(pairs: LabelPairs, label: Any) -> LabelPairs:
    """Return the pairs of all other classes."""
    if label not in pairs.classes:
        return pairs
    at = pairs.classes.index(label)
    begin, end = pairs.class_starts[at : at + 2]
    starts = np.delete(pairs.class_starts, at)
    starts[at:] -= end - begin
    documents = np.delete(pairs.documents, slice(begin, end))
    return LabelPairs(pairs.classes[:at] + pairs.classes[at + 1 :], documents, starts, pairs.n_documents)


def _known(labels: Iterable[Any], unlabelled: Any) -> Iterator[Any]:
    """Yield labels, with None for those that are missing or mean none."""
    for label in labels:
        if _are_several(label):
            yield [None if _means_none(one, unlabelled) else one for one in label]
        else:
            yield None if _means_none(label, unlabelled) else label


def _means_none(label: Any, unlabelled: Any) -> bool:
    """Return whether a single label is missing, or is the one that means none."""
    if is_missing(label):
        return True
    single = unlabelled is not None and isinstance(label, str | int | float | np.generic)
    return bool(single and label == unlabelled)


def _are_several(label: Any) -> bool:
    """Return whether the label of a document is a collection of labels."""
    return isinstance(label, Iterable) and not (isinstance(label, str | bytes | Mapping) or label is np.ma.masked)


def is_indicator(labels: Any, unlabelled: Any = None) -> bool:
    """Return whether lists of labels are the rows of a matrix of 0 and 1, as scikit-learn takes them.

    A whole row may be missing, but not a part of it.
    """
    if not all(row is None or isinstance(row, list | tuple) for row in labels):
        return False
    widths = {len(row) for row in labels if row is not None}
    if len(widths) != 1 or min(widths) < 2:
        return False
    others = [at for at, row in enumerate(labels) if not (row is None or _is_row(row))]
    if len(others) == sum(row is not None for row in labels):
        return False
    for at in others:
        missing = [_means_none(one, unlabelled) for one in labels[at]]
        if not all(missing) and (any(missing) or all(type(one) is int and one == -1 for one in labels[at])):
            raise InputError(
                f"The labels are lists of 0 and 1 of one length, an entry for each class, but that of document {at} is "
                f"{shown(labels[at])}; for a document without a label use None."
            )
        if not all(missing):
            return False
    return True


def _is_row(row: Iterable[Any]) -> bool:
    return all(type(one) is int and one in (0, 1) for one in row)


def _filled(labels: Any) -> NDArray[np.int64]:
    """Return rows of 0 and 1, with zeros for missing rows."""
    width = max(len(row) for row in labels if row is not None)
    return np.array([row if row is not None and _is_row(row) else [0] * width for row in labels], np.int64)


def _from_indicator(y: Any, n_documents: int, names: Iterable[Any] | None) -> LabelPairs:
    if y.dtype.kind not in "biuf":
        raise InputError(
            f"A label matrix holds 0 and 1, but this one is of dtype {y.dtype}; for several labels a document give a "
            "list of lists."
        )
    indicator = sparse.csr_array(y, copy=True)  # the next two steps are in place
    indicator.sum_duplicates()
    if indicator.shape[0] != n_documents:
        raise InputError(f"There are {n_documents:,} documents but {indicator.shape[0]:,} rows of labels.")
    indicator.eliminate_zeros()
    bad = np.flatnonzero(indicator.data != 1)
    if len(bad):
        raise InputError(
            f"A label matrix holds 0 and 1, but there is {indicator.data[bad[0]].item()!r} in it; "
            "for one label a document give a list of labels."
        )
    documents = np.repeat(np.arange(n_documents), np.diff(indicator.indptr))
    classes = list(range(indicator.shape[1])) if names is None else [_plain(name, 0) for name in names]
    order = {label: at for at, label in enumerate(_sorted(dict.fromkeys(classes, 0)))}
    numbers = np.array([order[label] for label in classes], np.int64)[indicator.indices]
    return _pairs(list(order), documents, numbers, n_documents)


def _from_labels(labels: Iterable[Any], n_documents: int) -> LabelPairs:
    numbers: dict[Any, int] = {}
    seen_at: dict[Any, int] = {}
    documents: list[int] = []
    class_numbers: list[int] = []
    for document, label in enumerate(labels):
        for single in _once_each(label, document) if _are_several(label) else (_plain(label, document),):
            if single is None or single == "":
                continue
            number = numbers.get(single)
            if number is None:
                number = numbers[single] = len(numbers)
                seen_at[single] = document
            documents.append(document)
            class_numbers.append(number)
    classes = _sorted(seen_at)
    order = np.empty(len(classes), np.int64)
    order[[numbers[label] for label in classes]] = np.arange(len(classes))
    return _pairs(classes, np.array(documents, np.int64), order[np.array(class_numbers, np.int64)], n_documents)


def _once_each(labels: Iterable[Any], document: int) -> Iterable[Any]:
    """Return the labels of one document without repetition."""
    return dict.fromkeys(_plain(label, document) for label in labels)


def _plain(label: Any, document: int) -> Any:
    """Return a label as a plain Python value that can be written to a file, or None for a missing one.

    Raises InputError for what is neither text nor a finite number.
    """
    if is_missing(label):
        return None
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, float):
        if math.isinf(label):
            raise infinite_label(label, document)
        label += 0.0  # -0.0 is 0.0, whichever comes first
    if not (label is None or isinstance(label, str | int | float)):
        raise InputError(
            f"The label of document {document} is {shown(label)} ({type(label).__name__}); use text or numbers, "
            "and None for a document without a label."
        )
    return label


def infinite_label(label: float, document: int) -> InputError:
    """Return the error for a label that is an infinite number."""
    return InputError(
        f"The label of document {document} is {label}, and an infinite number is no class; use text or finite numbers, "
        "and None for a document without a label."
    )


def _sorted(seen_at: dict[Any, int]) -> list[Any]:
    """Sort labels of one kind; raise `InputError` for a mixture, with the documents where the kinds first occur."""
    return _of_one_kind(seen_at, lambda label: f"document {seen_at[label]} has")


def one_kind(classes: Iterable[Any]) -> list[Any]:
    """Sort classes that come from several tables; they must all be text or all be numbers."""
    return _of_one_kind(dict.fromkeys(classes), lambda _: "some documents have")


def _of_one_kind(labels: Iterable[Any], who_has: Callable[[Any], str]) -> list[Any]:
    text = next((label for label in labels if isinstance(label, str)), None)
    number = next((label for label in labels if not isinstance(label, str)), None)
    if text is not None and number is not None:
        raise InputError(
            f"Labels of mixed kinds: {who_has(text)} the text {text!r}, {who_has(number)} the "
            f"{type(number).__name__} {number!r}; make all of them text or all of them numbers."
        )
    return sorted(labels)


def _pairs(classes: list[Any], documents: Ints, numbers: Ints, n_documents: int) -> LabelPairs:
    return LabelPairs(tuple(classes), *sorted_by_class(numbers, documents, len(classes)), n_documents)


def _from_whole_numbers(labels: NDArray[Any]) -> LabelPairs:
    everyone, n_documents = np.arange(len(labels)), len(labels)
    least, most = (int(labels.min()), int(labels.max())) if n_documents else (0, 0)
    if most - least > n_documents + 1000:  # a place for each number between would be out of proportion
        different, inverse = np.unique(labels, return_inverse=True)
        return _pairs(different.tolist(), everyone, inverse, n_documents)
    wide = labels if labels.dtype == np.uint64 else labels.astype(np.int64, copy=False)
    documents, starts = sorted_by_class(wide - wide.dtype.type(least), everyone, most - least + 1)
    filled = np.flatnonzero(np.diff(starts))
    classes = tuple(least + number for number in filled.tolist())
    return LabelPairs(classes, documents, starts[np.append(filled, -1)], n_documents)


def checked_labels(y: Any) -> Any:
    """Return labels as `label_pairs` takes them; raises ValueError for an array of measurements or infinite numbers."""
    if isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] == 1:
        y = column_or_1d(y, warn=True)
    if not (isinstance(y, np.ndarray) and y.ndim == 1):
        return y
    labels = without_missing(y)
    if y.dtype.kind == "f" and len(infinite := np.flatnonzero(np.isinf(y))):
        raise infinite_label(float(y[infinite[0]]), int(infinite[0]))
    known = y if labels is y else np.asarray(y)[[label is not None for label in labels]]
    check_classification_targets(known)
    return labels


def pairs_of(y: Any, n_documents: int, who: str) -> LabelPairs:
    """Return the pairs of document and class for an estimator, which needs at least two classes."""
    if y is None:
        raise InputError(f"{who} requires y to be passed, but the target y is None.")
    pairs = label_pairs(checked_labels(y), n_documents)
    if len(pairs.classes) < 2:
        classes = f"Only one class, {pairs.classes[0]!r}" if pairs.classes else "No document has a label"
        raise InputError(f"{classes}: there is nothing to tell apart; give documents of at least two classes.")
    return pairs
