"""Documents in groups, so that the documents of a class are those of some groups, and all documents those of others.

A document belongs to a group of each of its classes. In the first of its classes it is in a group of documents that
are there for the first time, in the others in a group of documents that were seen before: so the groups of the first
kind hold each document once, and what is added up over them needs no second look at the matrix. Documents without a
class have groups of their own. No group has more than so many documents: sums over a group stay small.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .jit import Ints, kernel

Groups = NDArray[np.int32]


@kernel
def sorted_by_class(numbers: NDArray[Any], documents: Ints, n_classes: int) -> tuple[Ints, Ints]:
    """Documents by the number of their class, in the order in which they come; and where each class starts."""
    starts = np.zeros(n_classes + 1, np.int64)
    for number in numbers:
        starts[np.uint64(number) + np.uint64(1)] += 1
    for number in range(n_classes):
        starts[number + 1] += starts[number]
    places = starts[:-1].copy()
    ordered = np.empty(numbers.size, np.int64)
    for at in range(numbers.size):
        number = np.uint64(numbers[at])
        ordered[np.uint64(places[number])] = documents[at]
        places[number] += 1
    return ordered, starts


@kernel
def group_documents(
    documents: Ints, class_starts: Ints, n_documents: int, most: int
) -> tuple[Ints, Groups, Ints, NDArray[np.bool_]]:
    """The groups of each document, as starts and numbers; the class of each group, and whether it is of the first kind.

    The class of the groups of documents without one is the number of classes.
    """
    n_classes = class_starts.size - 1
    starts = np.zeros(n_documents + 1, np.int64)
    for document in documents:
        starts[np.uint64(document) + np.uint64(1)] += 1
    for document in range(n_documents):
        starts[document + 1] = starts[document] + max(starts[document + 1], 1)
    places = starts[:-1].copy()
    groups = np.empty(starts[n_documents], np.int32)
    most_groups = 2 * (n_classes + 1) + starts[n_documents] // most
    class_of, is_first = np.empty(most_groups, np.int64), np.empty(most_groups, np.bool_)
    n_groups = 0
    current, left = np.zeros(2, np.int32), np.zeros(2, np.int64)  # of documents seen before, and of those that were not
    for number in range(n_classes + 1):
        left[:] = 0
        begin = class_starts[number] if number < n_classes else 0
        end = class_starts[number + 1] if number < n_classes else n_documents
        for at in range(begin, end):
            document = np.uint64(documents[at] if number < n_classes else at)
            place = places[document]
            first = np.int64(place == starts[document])
            if number == n_classes and not first:
                continue
            if left[first] == 0:
                current[first], left[first] = n_groups, most
                class_of[n_groups], is_first[n_groups] = number, first == 1
                n_groups += 1
            left[first] -= 1
            groups[place] = current[first]
            places[document] = place + 1
    return starts, groups, class_of[:n_groups], is_first[:n_groups]


@kernel
def group_sizes(starts: Ints, groups: Groups, row_sizes: NDArray[np.int32], n_groups: int) -> Ints:
    """How many values the documents of each group have."""
    sizes = np.zeros(n_groups, np.int64)
    for document in range(row_sizes.size):
        for at in range(starts[document], starts[document + 1]):
            sizes[groups[at]] += row_sizes[document]
    return sizes
