"""What sets a class apart from each of the others: one row of bits for each other class.

The row against a class that has none of the terms is the same for all such classes, so it is made once; of the others
only what differs from it is visited: a term's weights in the classes that have it. So the work is that of the filled
cells, and a class that shares nothing costs nothing.
"""

import numpy as np

from .bits import bit
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
    place = np.full(n_classes, -1, np.int64)
    others = np.empty(n_classes, np.int64)
    n_others = 0
    for at in range(terms.size):
        marked = weights[at] >= delta
        for cell in range(term_starts[terms[at]], term_starts[terms[at] + 1]):
            other = term_classes[cell]
            if other != number and place[other] < 0 and (weights[at] - term_weights[cell] >= delta) != marked:
                place[other] = n_others
                others[n_others] = other
                n_others += 1
    rows = np.zeros((n_others + 1, (terms.size + 63) // 64), np.uint64)
    for at in range(terms.size):
        if weights[at] >= delta:
            rows[n_others, at >> 6] |= bit(at & 63)
    for row in range(n_others):
        rows[row] = rows[n_others]
    for at in range(terms.size):
        marked = weights[at] >= delta
        for cell in range(term_starts[terms[at]], term_starts[terms[at] + 1]):
            other = term_classes[cell]
            if other != number and (weights[at] - term_weights[cell] >= delta) != marked:
                rows[place[other], at >> 6] ^= bit(at & 63)
    return others[:n_others], rows
