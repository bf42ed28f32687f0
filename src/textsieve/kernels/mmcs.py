"""MMCS (Murakami and Uno 2014): all minimal hitting sets, by branching on the row that leaves least choice.

Some column of each row must be taken. Of the rows that are not yet hit the one with fewest candidates is picked, and
its candidates are tried one after the other; while one is tried, those after it are no candidates, and those before
it are again, so that each set is found once. A column may be taken if each member of the set keeps a row that it
alone hits; one that may not be taken now may not be taken after more were, so it is no candidate again.

All candidates are judged at once, by bits. A column spoils a member if it is in all the rows that the member alone
hits: the intersection of these rows. It completes the set if it is in all rows that are left: their intersection too.
So what completes the set is written without a further look, and a branch that no candidate can save ends at once.

What is kept of a set of p members, in row p: `hit` and `once`, the rows that it hits and those hit by one member;
`candidates`; `closing`, the candidates that complete it, and `todo`, the others of the picked row: those still to be
tried. The search stops when there is no room for a set, or after so many columns, and goes on where it was when called
again. With a limit of `most_members` branches are left that cannot hit all rows with so many: because more rows are
left than as many of the best candidates hit.
"""

import numpy as np

from .bits import bit, lowest, ones
from .jit import Codes, Ints, kernel
from .lex import DEPTH, DONE, N_MEMBERS, N_SETS, N_STEPS

STARTED = 1
"""Where `state` says whether the search began; the rest of it is as in a walk of LEX."""

_ONE = np.uint64(1)


@kernel
def spare_members(columns: Codes, rows: Codes, members: Ints, depth: int, once: Codes, candidates: Codes) -> None:
    """Take from the candidates of a set those that are in all the rows which some member alone hits."""
    n_words, width = once.shape[1], candidates.shape[1]
    for at in range(width):
        spoiling = np.uint64(0)
        for member in range(depth):
            common = candidates[depth, at]
            for word in range(n_words):
                alone = columns[members[member], word] & once[depth, word]
                while alone != 0 and common != 0:
                    common &= rows[word * 64 + lowest(alone), at]
                    alone &= alone - _ONE
                if common == 0:
                    break
            spoiling |= common
        candidates[depth, at] &= ~spoiling


@kernel
def pick_row(rows: Codes, full: Codes, depth: int, hit: Codes, candidates: Codes) -> np.int64:
    """Of the rows that a set does not hit, the one with fewest candidates."""
    best, fewest = np.int64(-1), np.int64(1 << 62)
    for word in range(full.size):
        left = full[word] & ~hit[depth, word]
        while left != 0 and fewest > 0:
            row = np.int64(word * 64) + lowest(left)
            left &= left - _ONE
            count = np.int64(0)
            for at in range(candidates.shape[1]):
                count += ones(rows[row, at] & candidates[depth, at])
                if count >= fewest:
                    break
            if count < fewest:
                best, fewest = row, count
    return best


@kernel
def branch(rows: Codes, full: Codes, depth: int, hit: Codes, candidates: Codes, todo: Codes, closing: Codes) -> None:
    """Take the candidates of the picked row: those that are in all rows that are left complete the set."""
    picked = pick_row(rows, full, depth, hit, candidates)
    for at in range(candidates.shape[1]):
        mine = rows[picked, at] & candidates[depth, at]
        candidates[depth, at] &= ~mine
        completing = mine
        for word in range(full.size):
            left = full[word] & ~hit[depth, word]
            while left != 0 and completing != 0:
                completing &= rows[word * 64 + lowest(left), at]
                left &= left - _ONE
            if completing == 0:
                break
        closing[depth, at] = completing
        todo[depth, at] = mine & ~completing


@kernel
def can_end(columns: Codes, full: Codes, depth: int, hit: Codes, candidates: Codes, n_more: int) -> bool:
    """Whether so many more columns might hit all the other rows: no column hits more of them than the best."""
    n_left = np.int64(0)
    for word in range(full.size):
        n_left += ones(full[word] & ~hit[depth, word])
    for at in range(candidates.shape[1]):
        left = candidates[depth - 1, at]
        while left != 0:
            column = at * 64 + lowest(left)
            left &= left - _ONE
            count = np.int64(0)
            for word in range(full.size):
                count += ones(columns[column, word] & ~hit[depth, word])
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
    closing: Codes,
    ends: Ints,
    found: Ints,
    most_steps: int,
    most_members: int,
) -> None:
    """Write sets to `found`, set i up to `ends[i]`, until there is no room or so many columns were tried."""
    n_sets, n_found, steps = 0, 0, 0
    if state[STARTED] == 0:
        branch(rows, full, 0, hit, candidates, todo, closing)
        state[STARTED] = 1
    depth = state[DEPTH]
    while steps < most_steps:
        at = 0
        while at < todo.shape[1] and closing[depth, at] == 0:
            at += 1
        if at < todo.shape[1]:
            if n_sets == ends.size or n_found + members.size > found.size:
                break
            for member in range(depth):
                found[n_found + member] = members[member]
            found[n_found + depth] = at * 64 + lowest(closing[depth, at])
            closing[depth, at] &= closing[depth, at] - _ONE
            n_found += depth + 1
            ends[n_sets] = n_found
            n_sets += 1
            continue
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
        todo[depth, at] &= todo[depth, at] - _ONE
        members[depth] = column
        for word in range(full.size):
            mine = columns[column, word]
            once[depth + 1, word] = (once[depth, word] & ~mine) | (mine & ~hit[depth, word])
            hit[depth + 1, word] = hit[depth, word] | mine
        if most_members < 0 or (
            depth + 1 < most_members and can_end(columns, full, depth + 1, hit, candidates, most_members - depth - 1)
        ):
            depth += 1
            for place in range(todo.shape[1]):
                candidates[depth, place] = candidates[depth - 1, place]
            spare_members(columns, rows, members, depth, once, candidates)
            branch(rows, full, depth, hit, candidates, todo, closing)
        else:
            candidates[depth, at] |= bit(column & 63)
    state[DEPTH] = depth
    state[N_SETS], state[N_MEMBERS], state[N_STEPS] = n_sets, n_found, steps
