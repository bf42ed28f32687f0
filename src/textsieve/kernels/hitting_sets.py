"""Find minimal hitting sets, which are the typical testors of a class.

To tell a class from the others, terms are compared: row i says which terms are heavier, by at least `delta`, in the
class than in the i-th other class (`contrast_rows`). A set of terms (columns) that *hits* every row tells the class
from every other one. Sets are stored as bits: element i is bit i % 64 of word i // 64.

**Contrast.** The row against a class without any of the terms is the same for all such classes, so it is built once.
For the others, only the terms that differ from it are visited, so the work is proportional to the filled cells.

**Minimal rows** (`minimal_sets`). A set can contain only sets that are no larger, so sets are visited by size and
compared with the minimal ones so far, which suffices: a set that contains another contains a minimal one. Two sets that
differ usually do so in the first words, where the comparison ends. Of equal sets the first is kept.

**LEX** (Santiesteban and Pons) walks over lists of columns in lexicographic order. A column may join the list if it
hits a new row and leaves each member a row that this member alone hits. A list that hits all rows is a minimal hitting
set. After the last column, the last member is replaced by the next column. *The gap:* if the last column has joined, or
would not hit anything new, then no later list that consists of members of the present list (and the last column) can
hit more. These are the lists up to the one that replaces the member before the last run of adjacent columns, so
adjacent members are removed. *The end:* the first row is one with the fewest columns, and these come first. A list that
starts with a later column never hits that row.

**MMCS** (Murakami and Uno 2014) branches on the unhit row with the fewest candidates and tries these one after the
other. While one is tried, later ones are not candidates and earlier ones are, so each set is found once. A column that
would leave some member without a row of its own can't be added now or later, so it is no longer a candidate. All
candidates are judged at once by bits: a column spoils a member if it is in all rows that only this member hits, which
is the intersection of these rows; it completes the set if it is in all unhit rows. With `most_members`, branches end if
so many columns can't hit the remaining rows, even if each hits as many as the best candidate does.

Row p of `hit` and `once` has the rows that the first p members hit, and those that exactly one of them hits; in MMCS,
row p of `candidates`, `closing` and `todo` has the remaining candidates, those that complete the set, and those of the
branch that are still to be tried. Both searches stop when `buffer` is full or after a number of steps, and continue
when called again.

**Shares from random walks** (`probe_shares`), for sets that are too many to list. A walk down the MMCS tree takes one
branch at each node, with a probability proportional to the number of terms that the branch's column represents. A set
found at a node reached with probability p counts 1/p, so each set counts 1 on average (Knuth's estimate of the size of
a tree). The share of a column is the weight of the sets with it, divided by the weight of all. Sets are weighted by the
terms that their columns represent; for the branch taken these cancel, so 1/p times the weight is the product of the
sums over the branches passed. These products differ by many orders of magnitude and are kept as logarithms.
"""

import numpy as np

from ..arrays import Codes, Floats, Ints
from .jit import kernel

Word = np.uint64

_PAIRS = Word(0x5555555555555555)
_FOURS = Word(0x3333333333333333)
_BYTES = Word(0x0F0F0F0F0F0F0F0F)
_SUM = Word(0x0101010101010101)
_ONE, _TWO, _FOUR, _TOP = Word(1), Word(2), Word(4), Word(56)


@kernel
def ones(word: Word) -> np.int64:
    """Return the number of set bits: counted in pairs, fours and bytes, and the bytes added up by a product."""
    word = word - ((word >> _ONE) & _PAIRS)
    word = (word & _FOURS) + ((word >> _TWO) & _FOURS)
    word = (word + (word >> _FOUR)) & _BYTES
    return np.int64((word * _SUM) >> _TOP)


@kernel
def lowest(word: Word) -> np.int64:
    """Return the position of the lowest set bit of a word that is not 0."""
    return ones((word & (~word + _ONE)) - _ONE)


@kernel
def bit(place: int | np.int64) -> Word:
    """Return a word with one bit set, 0 to 63."""
    return _ONE << Word(place)


@kernel
def size(words: Codes) -> np.int64:
    """Return the number of elements of a set."""
    total = np.int64(0)
    for at in range(words.size):
        total += ones(words[at])
    return total


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
    """Return the other classes whose rows differ from the common one, and these rows followed by the common one.

    For each term, `term_starts`, `term_classes` and `term_weights` have the classes that contain it. Bit i of a row
    says whether the weight of term i exceeds that in the other class by `delta` or more.
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


@kernel
def minimal_sets(sets: Codes) -> Ints:
    """Return the numbers of the minimal sets, smallest set first; `sets` has one set of bits per row."""
    sizes = np.empty(len(sets), np.int64)
    for number in range(len(sets)):
        sizes[number] = size(sets[number])
    minimal = np.empty(len(sets), np.int64)
    n_minimal = 0
    for number in np.argsort(sizes, kind="mergesort"):
        is_minimal = True
        for earlier in range(n_minimal):
            other = minimal[earlier]
            word = 0
            while word < sets.shape[1] and (sets[other, word] & ~sets[number, word]) == 0:
                word += 1
            if word == sets.shape[1]:
                is_minimal = False
                break
        if is_minimal:
            minimal[n_minimal] = number
            n_minimal += 1
    return minimal[:n_minimal]


DEPTH, NEXT, N_SETS, N_MEMBERS, N_STEPS, DONE = range(6)
"""What stands where in `state`: the length of the list, the next column; of the last call the sets and members
written and the columns tried; the end."""


@kernel
def lex_walk(
    columns: Codes,
    full: Codes,
    n_leading: int,
    state: Ints,
    members: Ints,
    hit: Codes,
    once: Codes,
    ends: Ints,
    buffer: Ints,
    most_steps: int,
) -> None:
    """Write sets to `found`, where set i ends at `ends[i]`, until it is full or `most_steps` columns were tried."""
    n_columns, n_words = columns.shape
    depth, column = state[DEPTH], state[NEXT]
    n_sets, n_written, steps = 0, 0, 0
    while True:
        if steps >= most_steps or n_sets == ends.size or n_written + members.size > buffer.size:
            break
        if depth == 0 and column >= n_leading:
            state[DONE] = 1
            break
        steps += 1
        if column == n_columns:  # after the last column: the last member is replaced by the one after it
            depth -= 1
            column = members[depth] + 1
            continue
        hits_new, keeps_all, hits_everything = False, True, True
        for word in range(n_words):
            mine = columns[column, word]
            once[depth + 1, word] = (once[depth, word] & ~mine) | (mine & ~hit[depth, word])
            hit[depth + 1, word] = hit[depth, word] | mine
            hits_new |= (mine & ~hit[depth, word]) != 0
            hits_everything &= hit[depth + 1, word] == full[word]
        if hits_new:
            for at in range(depth):
                alone = False
                for word in range(n_words):
                    if (columns[members[at], word] & once[depth + 1, word]) != 0:
                        alone = True
                        break
                if not alone:
                    keeps_all = False
                    break
        is_last = column == n_columns - 1
        if hits_new and keeps_all:
            if hits_everything:
                for at in range(depth):
                    buffer[n_written + at] = members[at]
                buffer[n_written + depth] = column
                n_written += depth + 1
                ends[n_sets] = n_written
                n_sets += 1
            elif not is_last:
                members[depth] = column
                depth += 1
        if is_last and (keeps_all or not hits_new):
            neighbour = column - 1
            while depth > 0 and members[depth - 1] == neighbour:
                depth -= 1
                neighbour -= 1
        column += 1
    state[DEPTH], state[NEXT] = depth, column
    state[N_SETS], state[N_MEMBERS], state[N_STEPS] = n_sets, n_written, steps


STARTED = 1
"""Where `state` says whether the search began; the rest of it is as in a walk of LEX."""


@kernel
def spare_members(columns: Codes, rows: Codes, members: Ints, depth: int, once: Codes, candidates: Codes) -> None:
    """Remove the candidates that would leave some member of the set without a row of its own."""
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
    """Return the unhit row with the fewest candidates."""
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
    """Split the candidates of the picked row into those that complete the set and those that are still to be tried."""
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
    """Return whether `n_more` columns could hit all remaining rows if each hit as many as the best candidate does."""
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
    buffer: Ints,
    most_steps: int,
    most_members: int,
) -> None:
    """Write sets to `found`, where set i ends at `ends[i]`, until it is full or `most_steps` columns were tried."""
    n_sets, n_written, steps = 0, 0, 0
    if state[STARTED] == 0:
        branch(rows, full, 0, hit, candidates, todo, closing)
        state[STARTED] = 1
    depth = state[DEPTH]
    while steps < most_steps:
        at = 0
        while at < todo.shape[1] and closing[depth, at] == 0:
            at += 1
        if at < todo.shape[1]:
            if n_sets == ends.size or n_written + members.size > buffer.size:
                break
            for member in range(depth):
                buffer[n_written + member] = members[member]
            buffer[n_written + depth] = at * 64 + lowest(closing[depth, at])
            closing[depth, at] &= closing[depth, at] - _ONE
            n_written += depth + 1
            ends[n_sets] = n_written
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
    state[N_SETS], state[N_MEMBERS], state[N_STEPS] = n_sets, n_written, steps


@kernel
def weight_of(columns: Codes, weights: Floats) -> float:
    """Return the sum of the weights of a set of columns."""
    total = 0.0
    for at in range(columns.size):
        left = columns[at]
        while left != 0:
            total += weights[at * 64 + lowest(left)]
            left &= left - _ONE
    return total


@kernel
def take_one(todo: Codes, candidates: Codes, weights: Floats, chance: float) -> np.int64:
    """Return the column of a random branch; earlier columns become candidates again, as if they had been searched."""
    left_over = chance * weight_of(todo, weights)
    last = np.int64(-1)
    for at in range(todo.size):
        left = todo[at]
        while left != 0:
            if last >= 0:
                candidates[last >> 6] |= bit(last & 63)
            last = np.int64(at * 64) + lowest(left)
            left &= left - _ONE
            left_over -= weights[last]
            if left_over < 0:
                return last
    return last


@kernel
def probe_shares(
    columns: Codes,
    rows: Codes,
    full: Codes,
    weights: Floats,
    chances: Floats,
    members: Ints,
    hit: Codes,
    once: Codes,
    candidates: Codes,
    todo: Codes,
    closing: Codes,
) -> Floats:
    """Return the estimated share of the hitting sets that contain each column.

    Each row of `chances` is one walk, with one random number for each depth.
    """
    held, total, top = np.zeros(len(columns)), 0.0, -np.inf
    everything = candidates[0].copy()
    for walk in range(len(chances)):
        candidates[0] = everything
        depth, log_weight = 0, 0.0
        while True:
            branch(rows, full, depth, hit, candidates, todo, closing)
            n_here = weight_of(closing[depth], weights)
            if n_here > 0:
                if log_weight > top:
                    held *= np.exp(top - log_weight)
                    total *= np.exp(top - log_weight)
                    top = log_weight
                factor = np.exp(log_weight - top)
                total += factor * n_here
                for at in range(depth):
                    held[members[at]] += factor * n_here
                for at in range(closing.shape[1]):
                    left = closing[depth, at]
                    while left != 0:
                        column = at * 64 + lowest(left)
                        held[column] += factor * weights[column]
                        left &= left - _ONE
            n_below = weight_of(todo[depth], weights)
            if n_below == 0:
                break
            column = take_one(todo[depth], candidates[depth], weights, chances[walk, depth])
            log_weight += np.log(n_below)
            members[depth] = column
            for word in range(full.size):
                mine = columns[column, word]
                once[depth + 1, word] = (once[depth, word] & ~mine) | (mine & ~hit[depth, word])
                hit[depth + 1, word] = hit[depth, word] | mine
            depth += 1
            candidates[depth] = candidates[depth - 1]
            spare_members(columns, rows, members, depth, once, candidates)
    return held / total if total > 0 else held
