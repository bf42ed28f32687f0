"""What sets a class apart from each of the others: one row of bits for each other class.

The row against a class that has none of the terms is the same for all such classes, so it is made once; of the others
only what differs from it is visited: a term's weights in the classes that have it. So the work is that of the filled
cells, and a class that shares nothing costs nothing.
"""

import numpy as np

from .jit import Codes, Floats, Ints, kernel


@kernel
def contrast_rows(
    terms: Ints,
    weights: Floats,
    number: int,
    term_starts: Ints,
    term_classes: Ints,
    term_weights: Floats,
    delta: float,
    n_classes: int,
) -> tuple[Ints, Codes]:
    """For a class with these terms: the other classes whose rows are not the common one, and the rows, the common last.

    `term_starts`, `term_classes` and `term_weights` have for each term the classes that have it. Bit i of a row says
    whether the weight of term i is larger than the other class's by `delta` or more.
    """
    common = np.zeros((terms.size + 63) // 64, np.uint64)
    differing = np.zeros((common.size, n_classes), np.uint64)  # from the common row; 64 terms at a time, class by class
    for at in range(terms.size):
        marked = weights[at] >= delta
        common[at >> 6] |= np.uint64(marked) << np.uint64(at & 63)
        for cell in range(term_starts[terms[at]], term_starts[terms[at] + 1]):
            differs = (weights[at] - term_weights[cell] >= delta) != marked
            differing[at >> 6, term_classes[cell]] ^= np.uint64(differs) << np.uint64(at & 63)  # without a branch
    differing[:, number] = 0
    others = np.empty(n_classes, np.int64)
    n_others = 0
    for other in range(n_classes):
        others[n_others] = other
        n_others += int(differing[:, other].any())
    rows = np.empty((n_others + 1, common.size), np.uint64)
    rows[n_others] = common
    for row in range(n_others):
        for word in range(common.size):
            rows[row, word] = common[word] ^ differing[word, others[row]]
    return others[:n_others], rows
