"""LEX (Santiesteban and Pons): all minimal hitting sets, by a walk over lists of columns in lexicographic order.

Rows are to be hit; a column is the set of rows that it hits. A column may join the list if it hits a row that none of
the list hits, and leaves each column of the list a row that it alone hits. If the list then hits all rows, it is one
of the sets that are looked for. After a column that joined comes the next one, after one that may not join too; after
the last column the list loses its last member, which is replaced by the one after it.

*The gap.* If the last column has joined, or would not hit anything new, no list that follows and consists of members of
the present one (and the last column) can hit more than it does. These are all the lists up to the one in which the
member before the last run of neighbouring columns is replaced; so members are taken off as long as they are
neighbours.

*The end.* The first row is one with fewest columns, and they come first. A list that begins with a later column never
hits that row, nor does any list after it.

What is kept of a list of length p, in row p of `hit` and `once`: the rows that it hits, and those hit by one member.
The walk stops when there is no room for a set, or after so many columns, and goes on where it was when called again.
"""

from .jit import Codes, Ints, kernel

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
    found: Ints,
    most_steps: int,
) -> None:
    """Write sets to `found`, set i up to `ends[i]`, until there is no room or so many columns were tried."""
    n_columns, n_words = columns.shape
    depth, column = state[DEPTH], state[NEXT]
    n_sets, n_found, steps = 0, 0, 0
    while True:
        if steps >= most_steps or n_sets == ends.size or n_found + members.size > found.size:
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
                    found[n_found + at] = members[at]
                found[n_found + depth] = column
                n_found += depth + 1
                ends[n_sets] = n_found
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
    state[N_SETS], state[N_MEMBERS], state[N_STEPS] = n_sets, n_found, steps
