"""Count which terms occur together in documents of a class, list the partners of each term, and look the lists up.

Two terms are *partners* if some document contains both. For a pair of partners, *cf* is the number of classes with a
document that contains both, and *co* is the largest number of such documents in one class. A pair's *factor* depends on
these two numbers, so they are often handled as one *code*: cf x stride + co, where stride is larger than any co. Codes
are ranked by their factor, largest first.

Partners are counted for one term at a time: for each class, all terms of the documents that contain the term are
counted in one array with an entry for each term. So the time is proportional to the pairs of terms in the documents,
and the memory to the number of terms. There is no table of all pairs: the first pass (`measure_partners`) determines
the lengths of the lists and which codes occur; the second (`write_partners`) counts again and writes the lists.

While counting, terms are numbered by frequency, most frequent first: a term's number is then its *frequency rank*. Most
counting concerns frequent terms, and their counters then lie next to each other in memory.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bytes, Floats, Int32s, Ints
from .jit import kernel, prefetch

_0, _1, _16, _32 = np.uint64(0), np.uint64(1), np.uint64(16), np.uint64(32)

_LONG_ROW = np.uint64(200)
"""For a row with more values than this, `best_factors` scans lists only: a look-up in `table` takes a step for each
value of the row, so it would take longer.
"""

_NO_POSITION = np.uint64((1 << 64) - 1)
"""Stands for the position in a list if no listed partner is in the row."""

_SORT_BELOW = 32
"""The partners of a term are sorted if they are fewer than 1 / _SORT_BELOW of all terms."""


class DocumentPairs(NamedTuple):
    """Training documents: their (document, class) pairs sorted by class, and their CSR rows.

    The documents of the pairs `pairs[term_starts[t] : term_starts[t + 1]]` contain term t.
    """

    term_starts: Ints  # (n_terms + 1,)
    pairs: Int32s  # the pairs whose document contains the term, ascending
    classes: Int32s  # (n_pairs,) the class of each pair
    documents: Ints  # (n_pairs,) the document of each pair
    indptr: Ints  # (n_documents + 1,)
    freq_ranks: Int32s  # the frequency rank of the term of each stored value (instead of CSR `indices`)
    data: NDArray[Any]
    term_of_freq_rank: Int32s  # (n_terms,)
    freq_rank_of_term: Int32s  # (n_terms,)


class PartnerRule(NamedTuple):
    """Which partners a term lists."""

    once: bool  # list a pair once, for its rarer term, instead of for both
    min_co: int  # list pairs with at least this `co`
    stride: int  # the stride of codes, which are cf x stride + co


class Lists(NamedTuple):
    """The lists of partners: term t lists `terms[starts[t] : starts[t + 1]]`, partners with large factors first."""

    starts: Ints  # (n_terms + 1,)
    terms: NDArray[Any]  # the listed partners
    ranks: NDArray[Any]  # the rank of each listed partner's factor
    factors: NDArray[np.float32]  # the distinct factors, descending, and a 0 at the end for "no partner"


# -- documents to lists --------------------------------------------------------------------------------------------


class Scratch(NamedTuple):
    """Working arrays of one thread; terms are given by frequency rank. The first three arrays are 0 between uses."""

    class_counts: Int32s  # (n_terms,) documents of the current class with this and the current term
    co: Int32s  # (n_terms,)
    cf: Int32s  # (n_terms,)
    class_partners: Int32s  # (n_terms + 1,) the partners in the current class; the last element is overwritten freely
    partners: Int32s  # (n_terms + 1,) the partners in all classes, likewise


@kernel
def scratch(n_terms: int) -> Scratch:
    """Allocate the working arrays."""
    return Scratch(
        np.zeros(n_terms, np.int32),
        np.zeros(n_terms, np.int32),
        np.zeros(n_terms, np.int32),
        np.empty(n_terms + 1, np.int32),
        np.empty(n_terms + 1, np.int32),
    )


@kernel
def count_partners(term: int, training: DocumentPairs, work: Scratch) -> int:
    """Write the partners of a term, including itself, with their `co` and `cf` to `work`; return how many there are.

    `co` is the largest number of documents with both terms in one class, `cf` the number of classes with such a
    document. The caller must reset both to 0. A partner is appended by writing it always and increasing the length only
    if it is new: a branch here would often be mispredicted.
    """
    class_counts, co, cf, class_partners, partners = work
    n_partners = _0
    position, end = training.term_starts[term], training.term_starts[term + 1]
    while position < end:
        class_number = training.classes[training.pairs[position]]
        n_in_class = _0
        while position < end and training.classes[training.pairs[position]] == class_number:
            document = training.documents[training.pairs[position]]
            for entry in range(np.uint64(training.indptr[document]), np.uint64(training.indptr[document + 1])):
                if training.data[entry] != 0:
                    freq_rank = np.uint64(training.freq_ranks[entry])
                    class_partners[n_in_class] = freq_rank
                    n_in_class += np.uint64(class_counts[freq_rank] == 0)
                    class_counts[freq_rank] += 1
            position += 1
        for number in range(_0, n_in_class):
            freq_rank = np.uint64(class_partners[number])
            partners[n_partners] = freq_rank
            n_partners += np.uint64(cf[freq_rank] == 0)
            co[freq_rank] = max(co[freq_rank], class_counts[freq_rank])
            cf[freq_rank] += 1
            class_counts[freq_rank] = 0
    return int(n_partners)


@kernel
def is_listed(freq_rank: int, partner_freq_rank: int, co: int, rule: PartnerRule) -> bool:
    """Return whether a term lists a partner; the term and the partner are given by their frequency ranks."""
    return freq_rank != partner_freq_rank and co >= rule.min_co and (not rule.once or partner_freq_rank < freq_rank)


@kernel
def measure_partners(
    first: int, last: int, training: DocumentPairs, rule: PartnerRule, is_used: Bytes, sizes: Ints
) -> None:
    """Write the lengths of the lists of partners to `sizes` (n_terms,), for the terms from `first` to before `last`.

    `is_used` has a byte for each code cf x stride + co and gets 1 where the code occurs. Codes of pairs that are not
    listed are marked as well, because factors are scaled by the largest co of all pairs.
    """
    work = scratch(sizes.size)
    for term in range(first, last):
        freq_rank = training.freq_rank_of_term[term]
        for position in range(count_partners(term, training, work)):
            partner = work.partners[position]
            co, cf = work.co[partner], work.cf[partner]
            if partner != freq_rank:
                is_used[cf * rule.stride + co] = 1
            sizes[term] += is_listed(freq_rank, partner, co, rule)
            work.co[partner], work.cf[partner] = 0, 0


@kernel
def sort_partners(work: Scratch, n_partners: int) -> None:
    """Sort the first `n_partners` of `work.partners` by frequency rank, in place.

    If many terms are partners, it is faster to list the terms whose `cf` is not 0, which are the same, in order.
    """
    if n_partners * _SORT_BELOW < work.cf.size:
        work.partners[:n_partners].sort()
        return
    n_partners = 0
    for freq_rank in range(work.cf.size):
        if work.cf[freq_rank] > 0:
            work.partners[n_partners] = freq_rank
            n_partners += 1


@kernel
def write_partners(
    first: int,
    last: int,
    training: DocumentPairs,
    rule: PartnerRule,
    ranks: Int32s,
    n_ranks: int,
    list_starts: Ints,
    listed_terms: NDArray[Any],
    n_runs: Ints,
    run_ends: Int32s,
    run_ranks: Int32s,
) -> int:
    """Write the lists of the terms from `first` to before `last`, sorted by rank; return the number of runs.

    `ranks` has the rank of each code cf x stride + co. A *run* is the part of a list with the same rank; in it,
    frequent terms come first, since documents are more likely to contain them. For each run, its end within the list
    and its rank are written to `run_ends` and `run_ranks`, and for each term the number of its runs to `n_runs`.
    `listed_terms` has the lists one after the other; that of term t starts at `list_starts[t]`.
    """
    work = scratch(n_runs.size)
    listed_ranks = np.empty(n_runs.size, np.int32)
    rank_ends = np.empty(n_ranks, np.int64)
    run = 0
    for term in range(first, last):
        n_partners = count_partners(term, training, work)
        sort_partners(work, n_partners)
        n_listed = 0
        rank_ends[:] = 0  # counts the listed partners of each rank at first
        for position in range(n_partners):
            partner = work.partners[position]
            co, cf = work.co[partner], work.cf[partner]
            if is_listed(training.freq_rank_of_term[term], partner, co, rule):
                work.partners[n_listed] = partner  # n_listed <= position, so this overwrites no unread partner
                listed_ranks[n_listed] = ranks[cf * rule.stride + co]
                rank_ends[listed_ranks[n_listed]] += 1
                n_listed += 1
            work.co[partner], work.cf[partner] = 0, 0
        # A counting sort by rank: `rank_ends` has the number of partners of each rank, and here gets where they begin
        # in the list. In the last loop, it advances with each partner that is written, to where they end.
        end = 0
        for rank in range(n_ranks):
            begin, end = end, end + rank_ends[rank]
            rank_ends[rank] = begin
            if begin < end:
                run_ends[run], run_ranks[run] = end, rank
                n_runs[term] += 1
                run += 1
        partner_list = listed_terms[list_starts[term] : list_starts[term + 1]]
        for position in range(n_listed):
            partner_list[rank_ends[listed_ranks[position]]] = training.term_of_freq_rank[work.partners[position]]
            rank_ends[listed_ranks[position]] += 1
    return run


# -- factors of the terms of documents -----------------------------------------------------------------------------


@kernel
def best_factors(
    indices: Int32s,
    data: Floats,
    indptr: Ints,
    lists: Lists,
    table_rows: Int32s,
    table: NDArray[Any],
    factors: Floats,
) -> None:
    """Write for each value of CSR rows the largest factor of its term with another term of the row, or 0.

    Lists begin with the largest factors, so the list of a term is scanned, 16 partners at a time, until it reaches a
    term of the row (a *hit*). The longest lists begin with rare terms only, so the first hit would come late. A term t
    with such a list has a row in `table`, `table[table_rows[t]]`, with the rank of its factor with each term; for other
    terms, `table_rows[t]` is beyond the end of the table. The hits of all terms of the row are collected before their
    factors are looked up, so that the ranks of these factors are loaded into the cache at the same time.
    """
    n_terms = table_rows.size
    no_rank = np.uint64(lists.factors.size - 1)  # the rank of the factor 0, for no partner
    in_row = np.zeros(n_terms, np.uint8)
    row_terms, hits = np.empty(n_terms, np.uint64), np.empty(n_terms, np.uint64)
    for row in range(indptr.size - 1):
        begin, end = np.uint64(indptr[row]), np.uint64(indptr[row + 1])
        n_table_rows = table.shape[0] if end - begin <= _LONG_ROW else 0  # 0: a long row doesn't use the table
        n_row_terms = _0
        for position in range(begin, end):
            term = np.uint64(indices[position])
            if data[position] != 0:
                row_terms[n_row_terms] = term
                n_row_terms += _1
                in_row[term] = 1
            # Prefetch the first 128 partners, 32 at a time; half of the scans end there.
            if table_rows[term] >= n_table_rows:
                for step in range(4):
                    prefetch(lists.terms, np.uint64(lists.starts[term]) + np.uint64(step) * _32)
        for position in range(begin, end):
            term = np.uint64(indices[position])
            factors[position] = 0.0
            hits[position - begin] = _NO_POSITION
            if table_rows[term] < n_table_rows:
                ranks = table[np.uint64(table_rows[term])]
                rank = no_rank
                # The lowest rank is that of the largest factor. That of the term itself is `no_rank`.
                for number in range(_0, n_row_terms):
                    rank = min(rank, np.uint64(ranks[row_terms[number]]))
                factors[position] = lists.factors[rank]
                continue
            list_position, list_end = np.uint64(lists.starts[term]), np.uint64(lists.starts[term + _1])
            # Skip 16 partners at a time if none is in the row, then go one by one to the first that is.
            while list_position + _16 <= list_end:
                any_in_row = np.uint8(0)
                for step in range(16):
                    any_in_row |= in_row[np.uint64(lists.terms[list_position + np.uint64(step)])]
                if any_in_row != 0:
                    break
                list_position += _16
            while list_position < list_end and in_row[np.uint64(lists.terms[list_position])] == 0:
                list_position += _1
            if list_position < list_end:
                hits[position - begin] = list_position
                prefetch(lists.ranks, list_position)
        for position in range(begin, end):
            in_row[np.uint64(indices[position])] = 0
            if hits[position - begin] != _NO_POSITION:
                factors[position] = lists.factors[np.uint64(lists.ranks[hits[position - begin]])]


@kernel
def mean_factors(indices: Int32s, data: Floats, indptr: Ints, lists: Lists, factors: Floats) -> None:
    """Write for each value of CSR rows the mean factor of its term with its partners in the row, or 0.

    Each pair is in the list of only one of its terms (`PartnerRule.once`), so its factor is added to the sums of both.
    The sums of the float32 factors are exact in float64, so their order doesn't matter.
    """
    n_terms = lists.starts.size - 1
    in_row = np.zeros(n_terms, np.uint8)
    row_positions = np.zeros(n_terms, np.uint64)  # the position of each term of the row among its values
    counts = np.zeros(n_terms, np.int64)  # for each value of the row, the number of its term's partners in the row
    hits = np.empty(n_terms + 1, np.uint64)  # positions in the list of partners that are in the row
    for row in range(indptr.size - 1):
        begin, end = np.uint64(indptr[row]), np.uint64(indptr[row + 1])
        for position in range(begin, end):
            term = np.uint64(indices[position])
            in_row[term] = data[position] != 0
            row_positions[term] = position - begin
            counts[position - begin] = 0
            factors[position] = 0.0
        for position in range(begin, end):
            term = np.uint64(indices[position])
            if in_row[term] == 0:
                continue
            n_hits = _0
            for list_position in range(np.uint64(lists.starts[term]), np.uint64(lists.starts[term + _1])):
                hits[n_hits] = list_position
                # No branch, as in `count_partners`.
                n_hits += np.uint64(in_row[np.uint64(lists.terms[list_position])])
            total = 0.0
            for number in range(_0, n_hits):
                list_position = hits[number]
                factor = np.float64(lists.factors[np.uint64(lists.ranks[list_position])])
                total += factor
                other = row_positions[np.uint64(lists.terms[list_position])]
                factors[begin + other] += factor
                counts[other] += 1
            factors[position] += total
            counts[position - begin] += np.int64(n_hits)
        for position in range(begin, end):
            in_row[np.uint64(indices[position])] = 0
            if counts[position - begin] > 0:
                factors[position] /= counts[position - begin]
