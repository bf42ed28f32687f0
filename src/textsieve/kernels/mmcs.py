"""MMCS (Murakami and Uno 2014): all minimal hitting sets, by branching on the row that leaves least choice.

Some column of each row must be taken. Of the rows that are not yet hit the one with fewest candidates is picked, and
its candidates are tried one after the other; while one is tried, those after it are no candidates, and those before
it are again, so that each set is found once. A column may be taken if each member of the set keeps a row that it
alone hits; one that may not be taken now may not be taken after more were, so it is no candidate again.

What is kept of a set of p members, in row p: `hit` and `once`, the rows that it hits and those hit by one member;
`candidates`, and `todo`, the candidates of the picked row that are still to be tried. The search stops when there is no
room for a set, or after so many columns, and goes on where it was when called again. With a limit of `most_members`
branches are left that cannot hit all rows with so many: because more rows are left than the best candidates hit.
"""

import numpy as np

from .bits import bit, lowest, ones
from .jit import Codes, Ints, kernel

DEPTH, STARTED, N_SETS, N_MEMBERS, DONE = range(5)
"""What stands where in `state`: the number of members, whether it began, the sets and members written, the end."""


@kernel
def pick_row(rows: Codes, full: Codes, hit: Codes, candidates: Codes, todo: Codes) -> None:
    """Take the candidates of the row with fewest of them, of those that are not hit, from candidates to `todo`."""
    best, fewest = np.int64(-1), np.int64(1 << 62)
    for word in range(full.size):
        left = full[word] & ~hit[word]
        while left != 0:
            row = np.int64(word * 64) + lowest(left)
            left &= left - np.uint64(1)
            count = np.int64(0)
            for at in range(candidates.size):
                count += ones(rows[row, at] & candidates[at])
                if count >= fewest:
                    break
            if count < fewest:
                best, fewest = row, count
                if fewest <= 1:
                    left = np.uint64(0)
        if fewest <= 1:
            break
    for at in range(candidates.size):
        todo[at] = rows[best, at] & candidates[at]
        candidates[at] &= ~rows[best, at]


@kernel
def can_end(columns: Codes, full: Codes, hit: Codes, candidates: Codes, n_more: int) -> bool:
    """Whether so many more columns might hit all the other rows: no column hits more of them than the best."""
    n_left = np.int64(0)
    for word in range(full.size):
        n_left += ones(full[word] & ~hit[word])
    if n_more <= 0:
        return bool(n_left == 0)
    for at in range(candidates.size):
        left = candidates[at]
        while left != 0:
            column = at * 64 + lowest(left)
            left &= left - np.uint64(1)
            count = np.int64(0)
            for word in range(full.size):
                count += ones(columns[column, word] & ~hit[word])
            if count * n_more >= n_left:
                return True
    return False


@kernel
def mmcs_search(
    columns: Codes,
    rows: Codes,
    full: Codes,
    state: Ints,
    members: Ints,
    hit: Codes,
    once: Codes,
    candidates: Codes,
    todo: Codes,
    ends: Ints,
    found: Ints,
    most_steps: int,
    most_members: int,
) -> None:
    """Write sets to `found`, set i up to `ends[i]`, until there is no room or so many columns were tried."""
    n_words, n_sets, n_found, steps = full.size, 0, 0, 0
    if state[STARTED] == 0:
        pick_row(rows, full, hit[0], candidates[0], todo[0])
        state[STARTED] = 1
    depth = state[DEPTH]
    while steps < most_steps and n_sets < ends.size and n_found + members.size <= found.size:
        at = 0
        while at < todo.shape[1] and todo[depth, at] == 0:
            at += 1
        if at == todo.shape[1]:
            if depth == 0:
                state[DONE] = 1
                break
            depth -= 1
            candidates[depth, members[depth] >> 6] |= bit(members[depth] & 63)
            continue
        steps += 1
        column = at * 64 + lowest(todo[depth, at])
        todo[depth, at] &= todo[depth, at] - np.uint64(1)
        hits_everything = True
        for word in range(n_words):
            mine = columns[column, word]
            once[depth + 1, word] = (once[depth, word] & ~mine) | (mine & ~hit[depth, word])
            hit[depth + 1, word] = hit[depth, word] | mine
            hits_everything &= hit[depth + 1, word] == full[word]
        keeps_all = True
        for member in range(depth):
            alone = False
            for word in range(n_words):
                if (columns[members[member], word] & once[depth + 1, word]) != 0:
                    alone = True
                    break
            if not alone:
                keeps_all = False
                break
        if not keeps_all:
            continue
        members[depth] = column
        if hits_everything:
            for member in range(depth + 1):
                found[n_found + member] = members[member]
            n_found += depth + 1
            ends[n_sets] = n_found
            n_sets += 1
        elif most_members < 0 or can_end(columns, full, hit[depth + 1], candidates[depth], most_members - depth - 1):
            depth += 1
            candidates[depth] = candidates[depth - 1]
            pick_row(rows, full, hit[depth], candidates[depth], todo[depth])
            continue
        candidates[depth, column >> 6] |= bit(column & 63)
    state[DEPTH], state[N_SETS], state[N_MEMBERS] = depth, n_sets, n_found
