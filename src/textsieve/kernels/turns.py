"""Taking turns: each class in its turn takes the first of its wishes that nobody has taken."""

import numpy as np

from .jit import Ints, kernel


@kernel
def take_turns(wishes: Ints, k: int, n_terms: int) -> Ints:
    """The k terms taken, in the order of the turns; fewer if the turn comes to a class that has no wish left."""
    taken = np.zeros(n_terms, np.bool_)
    chosen = np.empty(k, np.int64)
    next_wish = np.zeros(len(wishes), np.int64)
    size = 0
    while size < k:
        for row in range(len(wishes)):
            while next_wish[row] < wishes.shape[1] and taken[wishes[row, next_wish[row]]]:
                next_wish[row] += 1
            if next_wish[row] == wishes.shape[1]:
                return chosen[:size]
            term = wishes[row, next_wish[row]]
            taken[term] = True
            chosen[size] = term
            size += 1
            if size == k:
                break
    return chosen
