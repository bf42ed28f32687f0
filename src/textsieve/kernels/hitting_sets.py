"""Find minimal hitting sets, which are the typical testors of a class.

To distinguish a class from the others, row i of a Boolean matrix marks the terms that are heavier in the class, by at
least `delta`, than in the i-th other class (`contrast_rows`). A set of terms (columns) *hits* a row if it contains a
marked term of the row. A set that hits every row distinguishes the class from every other one. Sets are stored as bits
of 64-bit words: element i is bit i % 64 of word i // 64. `word &= word - 1` removes the lowest element of a word, so
loops over the elements of a word repeat that until the word is 0.

**Contrast.** The row against a class without any of the terms is the same for all such classes, so it is built once.
For the row against any other class, only the terms that this class contains are visited, so the work is proportional to
the filled cells.

**Minimal rows** (`minimal_sets`). A row that contains another row needs no test: a set that hits the other one hits it,
too. A row can contain only rows that are no larger. So rows are visited by size, and each is compared with the minimal
rows found before. That suffices, because a row that contains any other row also contains a minimal one. Of equal rows,
the first is kept.

**LEX** (Santiesteban and Pons) walks over lists of columns in lexicographic order. A column may join the list if it
hits a new row and leaves each member a row that this member alone hits. A list that hits all rows is a minimal hitting
set. When the last column of the matrix has been tried, the last member of the list is replaced by the column after it.
Two rules save most of the walk:

- *The gap.* Suppose that the last column n could join the list, or hits no new row. Then n and only some of the members
  are never a hitting set: they miss a row that only an omitted member hits (in the first case), or a row that the whole
  list misses (in the second). If the list ends with columns directly before n, such as n-2 and n-1, the next lists
  consist of some members and perhaps n, until the member before n-2 is replaced. So n-2 and n-1 are removed at once.
- *The end.* The first row is one with the fewest columns, and these `n_leading` columns come first. A list that starts
  with a later column never hits that row.

**MMCS** (Murakami and Uno 2014) searches a tree of sets. At each node, it picks the unhit row with the fewest
*candidates*, which are the columns that may still be added, and tries the candidates of this row one after the other.
While one is tried, those of the row that were tried before it are candidates, and those that come after it are not, so
each set is found once. A column that would leave some member without a row of its own can't be added now or later, so
it is no longer a candidate. All candidates are tested at once, as bits: the columns that take all own rows of a member
are the intersection of the rows that only this member hits, and the columns that complete the set are the intersection
of the unhit rows. With `max_members` (-1: no limit), a branch ends if the columns that may still be added can't hit the
remaining rows, even if each hits as many as the best candidate does.

Both searches stop when `buffer` is full or after a number of steps, and continue when called again. They share these
arrays of bit sets (uint64), where "words of rows" is the number of words that a set of rows takes:

- `columns` (n_columns, words of rows): the rows that each column hits; `rows` (n_rows, words of columns): the columns
  of each row; `full` (words of rows): all rows;
- `members` (int64): the columns of the current set, of which the first `depth` count;
- `hit`, `once` (depths, words of rows): in row p, the rows of the matrix that the first p members hit, and those that
  exactly one of them hits;
- `candidates`, `closing`, `todo` (depths, words of columns), for MMCS: in row p, the remaining candidates, those that
  complete the set, and those of the branch that are still to be tried.

**Shares from random walks** (`probe_shares`), for sets that are too many to list. A column stands for all terms that
occur in the same rows, so a set of columns represents several sets of terms. Their number is the product of the numbers
of terms of the columns, and is the *weight* of the set. The share of a column is the weight of the sets that contain
it, divided by the weight of all sets.

A walk down the MMCS tree takes one branch at each node, with a probability proportional to the number of terms of the
branch's column. A set that is found at a node reached with probability p counts 1/p times, so each set counts once on
average (Knuth's estimate of the size of a tree). p is a product with a factor for each branch taken: the number of
terms of its column, divided by the sum of these numbers over all branches of the node. So in 1/p times the weight of
the set, the numbers of terms of the columns taken cancel. What remains is the product of the sums of all nodes passed,
times the number of terms of the column that completes the set. These products differ by many orders of magnitude, so
their logarithms are stored.
"""

import numpy as np

from ..arrays import Codes, Floats, Ints
from .jit import kernel

Word = np.uint64

# The masks of `count_bits`.
_PAIRS = Word(0x5555555555555555)
_FOURS = Word(0x3333333333333333)
_BYTES = Word(0x0F0F0F0F0F0F0F0F)
_SUM = Word(0x0101010101010101)
_ONE, _TWO, _FOUR, _TOP = Word(1), Word(2), Word(4), Word(56)


@kernel
def count_bits(word: Word) -> np.int64:
    """Return the number of set bits of a word.

    The bits are added up within groups of two, then of four, then of eight. The product adds up the eight groups of
    eight in its highest byte.
    """
    word = word - ((word >> _ONE) & _PAIRS)
    word = (word & _FOURS) + ((word >> _TWO) & _FOURS)
    word = (word + (word >> _FOUR)) & _BYTES
    return np.int64((word * _SUM) >> _TOP)


@kernel
def lowest_bit(word: Word) -> np.int64:
    """Return the position of the lowest set bit of a word that is not 0.

    `word & -word` keeps only the lowest bit; minus 1, it has as many bits as the position.
    """
    return count_bits((word & (~word + _ONE)) - _ONE)


@kernel
def bit(position: int | np.int64) -> Word:
    """Return a word in which only the bit at a position, 0 to 63, is set."""
    return _ONE << Word(position)


@kernel
def set_size(words: Codes) -> np.int64:
    """Return the number of elements of a set."""
    total = np.int64(0)
    for word in range(words.size):
        total += count_bits(words[word])
    return total


@kernel
def contrast_rows(
    terms: Ints,
    weights: Floats,
    class_number: int,
    term_starts: Ints,
    term_classes: Ints,
    term_weights: Floats,
    delta: float,
    n_classes: int,
) -> tuple[Ints, Codes]:
    """Return the other classes whose rows differ from the *common row*, and an array of their rows.

    The common row is the one against a class without any of the terms; it is the last of the returned rows. `terms` are
    the terms of class `class_number`, `weights` their weights in it. Bit i of a row says whether `weights[i]` exceeds
    the weight in the other class by `delta` or more. `term_classes` and `term_weights` have the classes that contain
    each term, and its weights there; those of term t begin at `term_starts[t]`.
    """
    common = np.zeros((terms.size + 63) // 64, np.uint64)
    differing = np.zeros((common.size, n_classes), np.uint64)  # the bits that differ from the common row, by class
    for position in range(terms.size):
        is_marked = weights[position] >= delta  # in the common row: the weight in the other class is 0
        common[position >> 6] |= np.uint64(is_marked) << np.uint64(position & 63)
        for cell in range(term_starts[terms[position]], term_starts[terms[position] + 1]):
            differs = (weights[position] - term_weights[cell] >= delta) != is_marked
            differing[position >> 6, term_classes[cell]] ^= np.uint64(differs) << np.uint64(position & 63)
    differing[:, class_number] = 0  # there is no row against the class itself
    others = np.empty(n_classes, np.int64)
    n_others = 0
    for other in range(n_classes):
        others[n_others] = other  # overwritten by the next class if this one does not differ
        n_others += int(differing[:, other].any())
    rows = np.empty((n_others + 1, common.size), np.uint64)
    rows[n_others] = common
    for row in range(n_others):
        for word in range(common.size):
            rows[row, word] = common[word] ^ differing[word, others[row]]
    return others[:n_others], rows


@kernel
def minimal_sets(sets: Codes) -> Ints:
    """Return the numbers of the sets that contain no other, smallest set first; `sets` has one set of bits per row."""
    sizes = np.empty(len(sets), np.int64)
    for number in range(len(sets)):
        sizes[number] = set_size(sets[number])
    minimal = np.empty(len(sets), np.int64)
    n_minimal = 0
    for number in np.argsort(sizes, kind="mergesort"):
        is_minimal = True
        for earlier in range(n_minimal):
            other = minimal[earlier]
            word = 0
            while word < sets.shape[1] and (sets[other, word] & ~sets[number, word]) == 0:
                word += 1
            if word == sets.shape[1]:  # the set contains the other one
                is_minimal = False
                break
        if is_minimal:
            minimal[n_minimal] = number
            n_minimal += 1
    return minimal[:n_minimal]


DEPTH, NEXT, N_SETS, N_MEMBERS, N_STEPS, DONE = range(6)
"""Positions in `state` (int64): the number of members and the next column, from which a call continues; the number of
sets, of their members and of steps in the last call; and whether the search is finished."""


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
    max_steps: int,
) -> None:
    """Write minimal hitting sets to `buffer` until all are found, an array is full or `max_steps` steps were made.

    This is LEX. A step tries a column, or after the last column removes the last member. Set i ends at `ends[i]`, where
    the next one begins. `state` has the position in the search and what was written. Row p of `hit` has the rows of the
    matrix that the first p members hit, row p of `once` those that exactly one hits.
    """
    n_columns, n_words = columns.shape
    depth, column = state[DEPTH], state[NEXT]
    n_sets, n_written, steps = 0, 0, 0
    while True:
        # A set has at most as many columns as `members` has room for.
        if steps >= max_steps or n_sets == ends.size or n_written + members.size > buffer.size:
            break
        if depth == 0 and column >= n_leading:  # later lists never hit the first row
            state[DONE] = 1
            break
        steps += 1
        if column == n_columns:  # after the last column: replace the last member by the column after it
            depth -= 1
            column = members[depth] + 1
            continue
        # Whether the column hits a new row, leaves each member a row of its own, and completes the set.
        hits_new, members_keep_rows, hits_everything = False, True, True
        for word in range(n_words):
            column_rows = columns[column, word]
            once[depth + 1, word] = (once[depth, word] & ~column_rows) | (column_rows & ~hit[depth, word])
            hit[depth + 1, word] = hit[depth, word] | column_rows
            hits_new |= (column_rows & ~hit[depth, word]) != 0
            hits_everything &= hit[depth + 1, word] == full[word]
        if hits_new:
            for position in range(depth):
                has_own_row = False
                for word in range(n_words):
                    if (columns[members[position], word] & once[depth + 1, word]) != 0:
                        has_own_row = True
                        break
                if not has_own_row:
                    members_keep_rows = False
                    break
        is_last = column == n_columns - 1
        if hits_new and members_keep_rows:
            if hits_everything:
                for position in range(depth):
                    buffer[n_written + position] = members[position]
                buffer[n_written + depth] = column
                n_written += depth + 1
                ends[n_sets] = n_written
                n_sets += 1
            elif not is_last:
                members[depth] = column
                depth += 1
        if is_last and (members_keep_rows or not hits_new):  # the gap: remove the last run of adjacent columns
            neighbour = column - 1
            while depth > 0 and members[depth - 1] == neighbour:
                depth -= 1
                neighbour -= 1
        column += 1
    state[DEPTH], state[NEXT] = depth, column
    state[N_SETS], state[N_MEMBERS], state[N_STEPS] = n_sets, n_written, steps


STARTED = 1
"""The position in the `state` of MMCS that says whether the search has begun, in place of NEXT; the others are those of
LEX."""


@kernel
def remove_spoiling(columns: Codes, rows: Codes, members: Ints, depth: int, once: Codes, candidates: Codes) -> None:
    """Remove the candidates that would leave some member of the set without a row of its own.

    The set has `depth` members. The candidates are those in row `depth` of `candidates`, which is changed in place.
    They are treated in groups of 64, the columns of one word.
    """
    n_words, n_groups = once.shape[1], candidates.shape[1]
    for group in range(n_groups):
        spoiling = np.uint64(0)
        for member in range(depth):
            # The candidates that are in all rows that only this member hits: they would leave it no row of its own.
            common = candidates[depth, group]
            for word in range(n_words):
                own_rows = columns[members[member], word] & once[depth, word]
                while own_rows != 0 and common != 0:
                    common &= rows[word * 64 + lowest_bit(own_rows), group]
                    own_rows &= own_rows - _ONE
                if common == 0:
                    break
            spoiling |= common
        candidates[depth, group] &= ~spoiling


@kernel
def pick_row(rows: Codes, full: Codes, depth: int, hit: Codes, candidates: Codes) -> np.int64:
    """Return the unhit row with the fewest candidates; the first row without any is returned at once.

    There is always an unhit row, because columns that complete the set never become members.
    """
    best, fewest = np.int64(-1), np.int64(1 << 62)  # more than any number of candidates
    for word in range(full.size):
        unhit = full[word] & ~hit[depth, word]
        while unhit != 0 and fewest > 0:
            row = np.int64(word * 64) + lowest_bit(unhit)
            unhit &= unhit - _ONE
            count = np.int64(0)
            for group in range(candidates.shape[1]):
                count += count_bits(rows[row, group] & candidates[depth, group])
                if count >= fewest:  # not better than the best row so far
                    break
            if count < fewest:
                best, fewest = row, count
    return best


@kernel
def branch(rows: Codes, full: Codes, depth: int, hit: Codes, candidates: Codes, todo: Codes, closing: Codes) -> None:
    """Pick the unhit row with the fewest candidates; write those that complete the set to `closing`, others to `todo`.

    The columns of `todo` are to be tried one after the other. All candidates of the row are removed from `candidates`;
    the caller puts a column of `todo` back when it has been tried. Columns of `closing` are never put back: they hit
    all unhit rows, so another column of the row would have no row of its own beside them. Row `depth` of each array is
    used.
    """
    row = pick_row(rows, full, depth, hit, candidates)
    for group in range(candidates.shape[1]):
        row_candidates = rows[row, group] & candidates[depth, group]
        candidates[depth, group] &= ~row_candidates
        completing = row_candidates  # reduced to the columns that are in all unhit rows
        for word in range(full.size):
            unhit = full[word] & ~hit[depth, word]
            while unhit != 0 and completing != 0:
                completing &= rows[word * 64 + lowest_bit(unhit), group]
                unhit &= unhit - _ONE
            if completing == 0:
                break
        closing[depth, group] = completing
        todo[depth, group] = row_candidates & ~completing


@kernel
def can_be_completed(columns: Codes, full: Codes, depth: int, hit: Codes, candidates: Codes, n_columns: int) -> bool:
    """Return whether `n_columns` columns could hit all unhit rows, if each hit as many as the best candidate does."""
    n_unhit = np.int64(0)
    for word in range(full.size):
        n_unhit += count_bits(full[word] & ~hit[depth, word])
    for group in range(candidates.shape[1]):
        rest = candidates[depth - 1, group]  # those of this depth are not determined yet; they are a subset
        while rest != 0:
            column = group * 64 + lowest_bit(rest)
            rest &= rest - _ONE
            count = np.int64(0)
            for word in range(full.size):
                count += count_bits(columns[column, word] & ~hit[depth, word])
            if count * n_columns >= n_unhit:
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
    max_steps: int,
    max_members: int,
) -> None:
    """Write minimal hitting sets to `buffer` until all are found, an array is full or `max_steps` columns were tried.

    This is MMCS. Set i ends at `ends[i]`, where the next one begins. `state` has the position in the search and what
    was written. Sets have at most `max_members` columns; -1: no limit. The module docstring explains the arrays of bit
    sets.
    """
    n_sets, n_written, steps = 0, 0, 0
    if state[STARTED] == 0:
        branch(rows, full, 0, hit, candidates, todo, closing)
        state[STARTED] = 1
    depth = state[DEPTH]
    while steps < max_steps:
        # Write a set for the next column that completes the members, if there is one.
        group = 0
        while group < todo.shape[1] and closing[depth, group] == 0:
            group += 1
        if group < todo.shape[1]:
            if n_sets == ends.size or n_written + members.size > buffer.size:
                break
            for member in range(depth):
                buffer[n_written + member] = members[member]
            buffer[n_written + depth] = group * 64 + lowest_bit(closing[depth, group])
            closing[depth, group] &= closing[depth, group] - _ONE
            n_written += depth + 1
            ends[n_sets] = n_written
            n_sets += 1
            continue
        # Otherwise try the next column of the branch, or go back if none is left.
        group = 0
        while group < todo.shape[1] and todo[depth, group] == 0:
            group += 1
        if group == todo.shape[1]:
            if depth == 0:
                state[DONE] = 1
                break
            depth -= 1
            candidates[depth, members[depth] >> 6] |= bit(members[depth] & 63)  # tried, so a candidate again
            continue
        steps += 1
        column = group * 64 + lowest_bit(todo[depth, group])
        todo[depth, group] &= todo[depth, group] - _ONE
        members[depth] = column
        for word in range(full.size):
            column_rows = columns[column, word]
            once[depth + 1, word] = (once[depth, word] & ~column_rows) | (column_rows & ~hit[depth, word])
            hit[depth + 1, word] = hit[depth, word] | column_rows
        # The column is member number depth + 1, and the set needs at least one more.
        if max_members < 0 or (
            depth + 1 < max_members
            and can_be_completed(columns, full, depth + 1, hit, candidates, max_members - depth - 1)
        ):
            depth += 1
            for column_word in range(todo.shape[1]):
                candidates[depth, column_word] = candidates[depth - 1, column_word]
            remove_spoiling(columns, rows, members, depth, once, candidates)
            branch(rows, full, depth, hit, candidates, todo, closing)
        else:  # no set with at most `max_members` columns is below: the column counts as tried
            candidates[depth, group] |= bit(column & 63)
    state[DEPTH] = depth
    state[N_SETS], state[N_MEMBERS], state[N_STEPS] = n_sets, n_written, steps


@kernel
def total_weight(columns: Codes, weights: Floats) -> float:
    """Return the sum of the weights of a set of columns."""
    total = 0.0
    for word in range(columns.size):
        rest = columns[word]
        while rest != 0:
            total += weights[word * 64 + lowest_bit(rest)]
            rest &= rest - _ONE
    return total


@kernel
def draw_branch(todo: Codes, candidates: Codes, weights: Floats, uniform: float) -> np.int64:
    """Return the column of a random branch, drawn in proportion to the weights; `uniform` is a random number below 1.

    The columns of `todo` before it are added to `candidates` again, as if their branches had been searched.
    """
    target = uniform * total_weight(todo, weights)
    column = np.int64(-1)
    for word in range(todo.size):
        rest = todo[word]
        while rest != 0:
            if column >= 0:
                candidates[column >> 6] |= bit(column & 63)
            column = np.int64(word * 64) + lowest_bit(rest)
            rest &= rest - _ONE
            target -= weights[column]
            if target < 0:
                return column
    return column  # the last one, if rounding errors kept the target from falling below 0


@kernel
def probe_shares(
    columns: Codes,
    rows: Codes,
    full: Codes,
    weights: Floats,
    uniforms: Floats,
    members: Ints,
    hit: Codes,
    once: Codes,
    candidates: Codes,
    todo: Codes,
    closing: Codes,
) -> Floats:
    """Return for each column the estimated share of the minimal hitting sets that contain it; 0 if no walk found a set.

    The module docstring explains the method and the weights of sets.

    `weights` (n_columns,) has the number of terms that each column represents. Each row of `uniforms` is one walk, with
    a random number from 0 to 1 for each depth. The sums of weights are divided by exp(`largest`), where `largest` is
    the largest `log_weight` so far, so that they don't overflow.
    """
    weight_with, total_weights, largest = np.zeros(len(columns)), 0.0, -np.inf
    all_columns = candidates[0].copy()
    for walk in range(len(uniforms)):
        candidates[0] = all_columns  # `branch` removed some of them in the walk before
        depth, log_weight = 0, 0.0
        while True:
            branch(rows, full, depth, hit, candidates, todo, closing)
            closing_weight = total_weight(closing[depth], weights)
            if closing_weight > 0:
                if log_weight > largest:  # scale the sums to the new largest weight
                    weight_with *= np.exp(largest - log_weight)
                    total_weights *= np.exp(largest - log_weight)
                    largest = log_weight
                factor = np.exp(log_weight - largest)
                total_weights += factor * closing_weight
                for member in range(depth):
                    weight_with[members[member]] += factor * closing_weight
                for group in range(closing.shape[1]):
                    rest = closing[depth, group]
                    while rest != 0:
                        column = group * 64 + lowest_bit(rest)
                        weight_with[column] += factor * weights[column]
                        rest &= rest - _ONE
            todo_weight = total_weight(todo[depth], weights)
            if todo_weight == 0:
                break
            column = draw_branch(todo[depth], candidates[depth], weights, uniforms[walk, depth])
            log_weight += np.log(todo_weight)
            members[depth] = column
            for word in range(full.size):
                column_rows = columns[column, word]
                once[depth + 1, word] = (once[depth, word] & ~column_rows) | (column_rows & ~hit[depth, word])
                hit[depth + 1, word] = hit[depth, word] | column_rows
            depth += 1
            candidates[depth] = candidates[depth - 1]
            remove_spoiling(columns, rows, members, depth, once, candidates)
    return weight_with / total_weights if total_weights > 0 else weight_with
