"""Convert labels in any common form to pairs of a document and a class.

Labels may be one label per document, a collection of labels per document, or an indicator matrix: a matrix of 0 and 1
(documents x classes). Lists of equal length that contain only 0 and 1 count as an indicator matrix, too. A document
whose label is missing (None, an empty string, an empty collection, a masked entry, NaN, pandas' NA or NaT) is
unlabelled and has no pair. The parameter `unlabelled` names one more value for unlabelled documents, such as
scikit-learn's -1.

In an indicator matrix given as lists, the row of an unlabelled document is None, or every entry of it is missing or the
value `unlabelled`. It cannot be an empty list: if some lists are empty, all are read as lists of labels.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
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
    documents: Ints  # numbers of documents
    class_starts: Ints  # the pairs of class j are class_starts[j] to class_starts[j + 1]
    n_documents: int

    def of_class(self, number: int) -> Ints:
        """Return the numbers of the documents of a class."""
        return self.documents[self.class_starts[number] : self.class_starts[number + 1]]

    def unlabelled(self) -> Ints:
        """Return the numbers of the documents without a label."""
        has_label = np.zeros(self.n_documents, np.bool_)
        has_label[self.documents] = True
        return np.flatnonzero(~has_label)


def label_pairs(y: Any, n_documents: int, unlabelled: Any = None) -> LabelPairs:
    """Convert the labels of `n_documents` documents to pairs of a document and a class.

    The label `unlabelled`, if it is not None, marks unlabelled documents. `y` may be the `LabelPairs` of these
    documents already.
    """
    require_label(unlabelled)
    if isinstance(y, LabelPairs):
        if y.n_documents != n_documents:
            raise InputError(f"There are {n_documents:,} documents but {y.n_documents:,} labels.")
        return y if unlabelled is None else without_class(y, unlabelled)
    if y is None:  # no document has a label
        return _sort_pairs([], np.empty(0, np.int64), np.empty(0, np.int64), n_documents)
    y = missing_as_none(y)
    class_names = getattr(y, "columns", None)  # of a data frame
    if hasattr(y, "__array__") and (not isinstance(y, Iterable) or len(getattr(y, "shape", ())) == 2):
        y = np.asarray(y)  # a data frame, or another object that can be converted to an array
    has_wrong_shape = isinstance(y, np.ndarray) and y.ndim not in (1, 2)
    if has_wrong_shape or isinstance(y, str | bytes) or not isinstance(y, Iterable):
        raise InputError(
            f"y is {shown(y)} ({type(y).__name__})",
            hint="give a label, or a list of labels, for each document, or a matrix of 0 and 1 (documents x classes)",
        )
    if sparse.issparse(y) or (isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] != 1):
        return without_class(_from_indicator(y, n_documents, class_names), unlabelled)
    if isinstance(y, np.ndarray) and y.ndim == 2:  # a single column: one label per document
        y = missing_as_none(y[:, 0])
    labels = y if isinstance(y, np.ndarray) else list(y)
    if len(labels) != n_documents:
        raise InputError(f"There are {n_documents:,} documents but {len(labels):,} labels.")
    return _from_documents(labels, unlabelled)


def _from_documents(labels: Any, unlabelled: Any) -> LabelPairs:
    """Convert an array or list that has the label, or a collection of labels, of each document.

    `_from_any_labels` can convert all of them, but is slow, so frequent types of labels have conversions of their own.
    Those of texts make a class of each nonempty text. So they are used only if `unlabelled`, the label that means "no
    label", is not itself a text.
    """
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "iu":  # no label can be missing
        return without_class(_from_integers(labels), unlabelled)
    has_unlabelled_text = isinstance(unlabelled, str)
    are_tuples = set(map(type, labels)) == {tuple}  # as the labels of a corpus
    if are_tuples and not has_unlabelled_text and set(map(type, chain.from_iterable(labels))) <= {str}:
        return _from_sets_of_texts(labels, list(dict.fromkeys(labels)))
    if is_indicator(labels, unlabelled):
        return without_class(_from_indicator(_indicator_array(labels), len(labels), None), unlabelled)
    are_texts = set(map(type, labels)) <= {str}
    if are_texts and not has_unlabelled_text and "" not in (distinct := dict.fromkeys(labels)):
        return _from_texts(labels, sorted(distinct))
    return _from_any_labels(labels if unlabelled is None else _mark_missing(labels, unlabelled), len(labels))


def missing_as_none(y: Any) -> Any:
    """Return the labels of all documents, with None in place of each label that is missing or masked.

    A pyarrow array becomes a list, and a masked array a plain one. Otherwise, matrices are returned as they are, and so
    are labels if none is missing.
    """
    if hasattr(y, "to_pylist"):  # a pyarrow array
        y = y.to_pylist()
    if isinstance(y, np.ma.MaskedArray):
        y = _without_mask(y)
    is_column = isinstance(y, list | tuple) or len(getattr(y, "shape", ())) == 1
    # Matrices are left to `label_pairs`, and of numpy's types only floats and objects can represent missing labels.
    if not is_column or (isinstance(y, np.ndarray) and y.dtype.kind not in "fO"):
        return y
    labels = list(y)
    # `is_missing` is false for all values of these types, so labels are rarely looked at one by one. Empty texts are
    # left to `label_pairs`.
    if set(map(type, labels)) <= {str, list, tuple, int} or not any(map(is_missing, labels)):
        return y
    return [None if is_missing(label) else label for label in labels]


def _without_mask(y: np.ma.MaskedArray[Any, Any]) -> Any:
    """Return a plain array: None replaces masked labels, 0 replaces masked entries of an indicator matrix."""
    if not np.ma.is_masked(y):
        return y.data
    is_indicator_matrix = y.ndim == 2 and y.shape[1] != 1 and y.dtype.kind in "biuf"
    if is_indicator_matrix:
        return y.filled(0)
    labels = y.data.astype(object)
    labels[np.ma.getmaskarray(y)] = None
    return labels


def require_label(unlabelled: Any) -> None:
    """Raise `InputError` if the setting `unlabelled` is a value that can't be the label of a document."""
    if not (unlabelled is None or isinstance(unlabelled, str | int | float | np.integer | np.floating)):
        raise InputError(
            f"it is of type {type(unlabelled).__name__}",
            setting="unlabelled",
            value=unlabelled,
            hint="use the label that means none, text or a number, or None if no label does",
        )


def without_class(pairs: LabelPairs, label: Any) -> LabelPairs:
    """Return the pairs without those of one class; documents that have no other class are unlabelled then.

    If there is no such class, as for the label None, the same pairs are returned.
    """
    if label not in pairs.classes:
        return pairs
    number = pairs.classes.index(label)
    begin, end = pairs.class_starts[number : number + 2]
    class_starts = np.delete(pairs.class_starts, number)
    class_starts[number:] -= end - begin
    documents = np.delete(pairs.documents, slice(begin, end))
    return LabelPairs(pairs.classes[:number] + pairs.classes[number + 1 :], documents, class_starts, pairs.n_documents)


def _mark_missing(labels: Iterable[Any], unlabelled: Any) -> Iterator[Any]:
    """Yield the labels of each document, with None for each label that is missing or equals `unlabelled`."""
    for label in labels:
        if _is_collection(label):
            yield [None if _is_no_label(member, unlabelled) else member for member in label]
        else:
            yield None if _is_no_label(label, unlabelled) else label


def _is_no_label(label: Any, unlabelled: Any) -> bool:
    """Return whether a single label is missing, or is the value that marks unlabelled documents."""
    if is_missing(label):
        return True
    is_comparable = unlabelled is not None and isinstance(label, str | int | float | np.generic)
    return bool(is_comparable and label == unlabelled)


def _is_collection(label: Any) -> bool:
    """Return whether the label of a document is a collection of labels.

    Text is a single label, and so is numpy's constant for a masked entry, although both are iterable. A mapping is no
    valid label, and is left to the check of single labels.
    """
    return isinstance(label, Iterable) and not (isinstance(label, str | bytes | Mapping) or label is np.ma.masked)


def is_indicator(labels: Any, unlabelled: Any = None) -> bool:
    """Return whether lists of labels are the rows of an indicator matrix, as scikit-learn accepts them.

    All rows must have the same length, at least 2. Some must have only 0 and 1. Each of the others must be that of an
    unlabelled document: None, or a row in which each entry is missing or equals `unlabelled`. Raises `InputError` for a
    row that is almost one of these: only some entries are missing or `unlabelled`, or all are -1 although this is not
    the value of `unlabelled`.
    """
    if not all(row is None or isinstance(row, list | tuple) for row in labels):
        return False
    row_lengths = {len(row) for row in labels if row is not None}
    if len(row_lengths) != 1 or min(row_lengths) < 2:  # rows of length 1 are lists of a single label
        return False
    other_rows = [number for number, row in enumerate(labels) if not (row is None or _is_indicator_row(row))]
    if len(other_rows) == sum(row is not None for row in labels):  # no row has only 0 and 1
        return False
    for number in other_rows:
        row = labels[number]
        are_missing = [_is_no_label(entry, unlabelled) for entry in row]
        if all(are_missing):
            continue
        # A row of -1 most likely means "no label". A row with only some missing entries is neither a valid indicator
        # row nor a list of labels.
        if any(are_missing) or all(type(entry) is int and entry == -1 for entry in row):
            raise InputError(
                "The labels are lists of 0 and 1 of one length, an entry for each class, but that of document "
                f"{number} is {shown(row)}",
                hint="for a document without a label use None",
            )
        return False
    return True


def _is_indicator_row(row: Iterable[Any]) -> bool:
    """Return whether each entry is the integer 0 or 1; True and False are no integers here."""
    return all(type(entry) is int and entry in (0, 1) for entry in row)


def _indicator_array(labels: Any) -> NDArray[np.int64]:
    """Return lists of 0 and 1 as an array (documents x classes), with zeros for unlabelled documents."""
    n_classes = max(len(row) for row in labels if row is not None)
    no_labels = [0] * n_classes
    return np.array([row if row is not None and _is_indicator_row(row) else no_labels for row in labels], np.int64)


def _from_indicator(y: Any, n_documents: int, class_names: Iterable[Any] | None) -> LabelPairs:
    """Convert a dense or sparse indicator matrix (documents x classes); without names, classes are column numbers."""
    if y.dtype.kind not in "biuf":
        raise InputError(
            f"A label matrix holds 0 and 1, but this one is of dtype {y.dtype}",
            hint="for several labels a document give a list of lists",
        )
    indicator = sparse.csr_array(y)
    if not indicator.has_canonical_format or (indicator.data != 1).any():
        indicator = indicator.copy()  # sum_duplicates and eliminate_zeros work in place
        indicator.sum_duplicates()
        indicator.eliminate_zeros()
    if indicator.shape[0] != n_documents:
        raise InputError(f"There are {n_documents:,} documents but {indicator.shape[0]:,} rows of labels.")
    invalid = np.flatnonzero(indicator.data != 1)
    if len(invalid):
        raise InputError(
            f"A label matrix holds 0 and 1, but there is {indicator.data[invalid[0]].item()!r} in it",
            hint="for one label a document give a list of labels",
        )
    # A name that can't be a label raises an error that names a document: document 0, for want of a better one.
    column_labels = (
        range(indicator.shape[1]) if class_names is None else [_plain_label(name, document=0) for name in class_names]
    )
    _require_distinct_names(column_labels)
    classes = _sort_labels(first_document=dict.fromkeys(column_labels, 0))
    if classes != list(column_labels):
        column_of = {label: column for column, label in enumerate(column_labels)}
        indicator = indicator[:, [column_of[label] for label in classes]]
    by_class = indicator.tocsc()  # its row numbers are the documents, sorted by class
    return LabelPairs(tuple(classes), by_class.indices.astype(np.int64), by_class.indptr.astype(np.int64), n_documents)


def _require_distinct_names(column_labels: Iterable[Any]) -> None:
    """Raise `InputError` if a column of a label matrix has no name, or the name of another column."""
    column_of: dict[Any, int] = {}
    for column, label in enumerate(column_labels):
        if label is None or label == "":
            raise InputError(
                f"Column {column} of the label matrix has no name, and the names of the columns are the classes",
                hint="name the column, or leave it out",
            )
        if (first := column_of.setdefault(label, column)) != column:
            raise InputError(
                f"Columns {first} and {column} of the label matrix have the same name, {shown(label)}",
                hint="rename one of them, or leave it out",
            )


def _from_integers(labels: NDArray[Any]) -> LabelPairs:
    """Convert one integer label per document."""
    documents, n_documents = np.arange(len(labels)), len(labels)
    smallest, largest = (int(labels.min()), int(labels.max())) if n_documents else (0, 0)
    if largest - smallest > n_documents + 1000:  # too large a range for the counting sort below
        distinct, class_numbers = np.unique(labels, return_inverse=True)
        return _sort_pairs(distinct.tolist(), documents, class_numbers, n_documents)
    # Sort the documents by offset = label - smallest, as if every integer from the smallest to the largest label were a
    # class. 64-bit integers cannot overflow in the subtraction, as small types could.
    wide_labels = labels if labels.dtype == np.uint64 else labels.astype(np.int64, copy=False)
    offsets = wide_labels - wide_labels.dtype.type(smallest)
    documents, starts = sorted_by_class(offsets, documents, largest - smallest + 1)
    # Leave out integers without documents: where the next one starts at the same position.
    used_offsets = np.flatnonzero(np.diff(starts))
    classes = tuple(smallest + offset for offset in used_offsets.tolist())
    class_starts = starts[np.append(used_offsets, -1)]  # the last element is the end of the last class
    return LabelPairs(classes, documents, class_starts, n_documents)


def _from_texts(labels: Any, classes: list[str]) -> LabelPairs:
    """Convert one nonempty text label per document, given the sorted classes."""
    number_of = {label: number for number, label in enumerate(classes)}
    class_numbers = np.fromiter(map(number_of.__getitem__, labels), np.int64, len(labels))
    return _sort_pairs(classes, np.arange(len(labels)), class_numbers, len(labels))


def _from_sets_of_texts(labels: list[tuple[str, ...]], distinct_sets: list[tuple[str, ...]]) -> LabelPairs:
    """Convert a tuple of texts per document, given the distinct tuples; an empty text is no label.

    Each distinct tuple is converted to class numbers once, and then copied to all documents that have it.
    """
    classes = sorted({label for label_set in distinct_sets for label in label_set if label})
    number_of = {label: number for number, label in enumerate(classes)}
    # The class numbers of all distinct sets, one set after the other: set s has sizes[s] of them, from begins[s] on.
    members = [list(dict.fromkeys(number_of[label] for label in label_set if label)) for label_set in distinct_sets]
    sizes = np.array([len(numbers) for numbers in members], np.int64)
    begins = np.cumsum(sizes) - sizes
    all_members = np.array([number for numbers in members for number in numbers], np.int64)
    position_of = {label_set: position for position, label_set in enumerate(distinct_sets)}
    set_of_document = np.fromiter(map(position_of.__getitem__, labels), np.int64, len(labels))
    # Each document has a pair for each member of its set. If the first document has 2 labels and the second has 1, then
    # `documents` is [0, 0, 1], and `offsets`, which number the pairs of each document, are [0, 1, 0].
    sizes_by_document = sizes[set_of_document]
    documents = np.repeat(np.arange(len(labels)), sizes_by_document)
    pairs_before = np.cumsum(sizes_by_document) - sizes_by_document
    offsets = np.arange(len(documents)) - pairs_before[documents]
    class_numbers = all_members[begins[set_of_document[documents]] + offsets]
    return _sort_pairs(classes, documents, class_numbers, len(labels))


def _from_any_labels(labels: Iterable[Any], n_documents: int) -> LabelPairs:
    """Convert the labels of documents, each a label, a collection of labels or a missing label, in any mixture."""
    first_document: dict[Any, int] = {}  # of each class
    number_of: dict[Any, int] = {}  # classes numbered in the order of their first documents
    documents: list[int] = []
    class_numbers: list[int] = []
    for document, label in enumerate(labels):
        if _is_collection(label):
            members = tuple(dict.fromkeys(_plain_label(member, document) for member in label))  # each label once
        else:
            members = (_plain_label(label, document),)
        for member in members:
            if member is None or member == "":
                continue
            first_document.setdefault(member, document)
            documents.append(document)
            class_numbers.append(number_of.setdefault(member, len(number_of)))
    classes = _sort_labels(first_document)
    # Replace the numbers in the order of first documents by those in the sorted order.
    sorted_number = np.empty(len(classes), np.int64)
    sorted_number[[number_of[label] for label in classes]] = np.arange(len(classes))
    sorted_class_numbers = sorted_number[np.array(class_numbers, np.int64)]
    return _sort_pairs(classes, np.array(documents, np.int64), sorted_class_numbers, n_documents)


def _sort_pairs(classes: list[Any], documents: Ints, class_numbers: Ints, n_documents: int) -> LabelPairs:
    """Return the pairs (documents[i], class_numbers[i]) sorted by class."""
    return LabelPairs(tuple(classes), *sorted_by_class(class_numbers, documents, len(classes)), n_documents)


def _plain_label(label: Any, document: int) -> Any:
    """Return a label as a plain Python value that can be written to a file, or None for a missing one.

    Raises `InputError` for values that are neither text nor a finite number; the message names the document.
    """
    if is_missing(label):
        return None
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, float):
        if math.isinf(label):
            raise _infinite_label(label, document)
        label += 0.0  # turns -0.0 into 0.0, so that the class does not depend on which comes first
    if not (label is None or isinstance(label, str | int | float)):
        raise InputError(
            f"The label of document {document} is {shown(label)} ({type(label).__name__})",
            hint="use text or numbers, and None for a document without a label",
        )
    return label


def _infinite_label(label: float, document: int) -> InputError:
    """Return the error for a document whose label is an infinite number."""
    return InputError(
        f"The label of document {document} is {label}, and an infinite number is no class",
        hint="use text or finite numbers, and None for a document without a label",
    )


def _sort_labels(first_document: Mapping[Any, int]) -> list[Any]:
    """Sort the labels that are the keys of `first_document`; they must all be text or all be numbers.

    `first_document` has the number of the first document of each label, for the error for mixed labels.
    """
    return _sort_one_type(first_document, lambda label: f"document {first_document[label]} has")


def sort_classes(classes: Iterable[Any]) -> list[Any]:
    """Return the distinct classes of several tables, sorted; they must all be text or all be numbers."""
    return _sort_one_type(dict.fromkeys(classes), lambda _: "some documents have")


def _sort_one_type(labels: Iterable[Any], owner_of: Callable[[Any], str]) -> list[Any]:
    """Sort labels; raise `InputError` unless they are all text or all numbers.

    `owner_of` returns how the error message introduces a label, for example "document 3 has".
    """
    text = next((label for label in labels if isinstance(label, str)), None)
    number = next((label for label in labels if not isinstance(label, str)), None)
    if text is not None and number is not None:
        raise InputError(
            f"Labels of mixed kinds: {owner_of(text)} the text {text!r}, {owner_of(number)} the "
            f"{type(number).__name__} {number!r}",
            hint="make all of them text or all of them numbers",
        )
    return sorted(labels)


def validate_labels(y: Any) -> Any:
    """Check labels given as a numpy array, as scikit-learn does; return them with None for missing ones.

    Raises `ValueError` for continuous targets and infinite numbers. An array of shape (n, 1) becomes one-dimensional,
    with a warning. Lists, tables and indicator matrices are returned unchanged, because `label_pairs` checks them.
    """
    if isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] == 1:
        y = column_or_1d(y, warn=True)
    if not (isinstance(y, np.ndarray) and y.ndim == 1):
        return y
    labels_or_none = missing_as_none(y)  # the array itself if no label is missing
    if y.dtype.kind == "f" and len(infinite := np.flatnonzero(np.isinf(y))):
        raise _infinite_label(float(y[infinite[0]]), int(infinite[0]))
    present_labels = y if labels_or_none is y else np.asarray(y)[[label is not None for label in labels_or_none]]
    check_classification_targets(present_labels)
    return labels_or_none


def validate_label_pairs(y: Any, n_documents: int, estimator: str) -> LabelPairs:
    """Return the pairs of document and class for an estimator; raise `InputError` unless there are two or more classes.

    `estimator` is the name of the estimator, for an error message.
    """
    if y is None:
        raise InputError(f"{estimator} requires y to be passed, but the target y is None.")
    pairs = label_pairs(validate_labels(y), n_documents)
    if len(pairs.classes) < 2:
        problem = f"Only one class, {pairs.classes[0]!r}" if pairs.classes else "No document has a label"
        raise InputError(f"{problem}: there is nothing to tell apart", hint="give documents of at least two classes")
    return pairs
