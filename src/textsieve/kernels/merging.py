"""The cells of two tables, by class and by term, to those of one: what both have is added up.

Class by class they are walked through side by side, and nothing is made but the result: no keys, no places, no copies.
Sums are values and rests; their addition is that of `Sums.plus`, operation by operation, so that the bits are the same.
"""

from typing import Any

from numpy.typing import NDArray

from .jit import Floats, Ints, kernel


@kernel
def _plus(value: float, rest: float, other: float, other_rest: float) -> tuple[float, float]:
    """Knuth's sum of two values and their rests, and the value takes up what it can of the rest."""
    added = value + other
    part = added - value
    left = (value - (added - part)) + (other - part) + (rest + other_rest)
    total = added + left
    return total, left - (total - added)


@kernel
def merge_cells(
    numbers: Ints,
    starts: Ints,
    terms: Ints,
    doc_freq: NDArray[Any],
    values: Floats,
    rests: Floats,
    other_numbers: Ints,
    other_starts: Ints,
    other_terms: Ints,
    other_doc_freq: NDArray[Any],
    other_values: Floats,
    other_rests: Floats,
    merged_starts: Ints,
    merged_terms: Ints,
    merged_doc_freq: NDArray[Any],
    merged_values: Floats,
    merged_rests: Floats,
) -> None:
    """Write the cells of both, whose counts are of one type.

    `numbers` say which class of each is which of the merged ones, -1 for none.
    """
    place = 0
    for merged_class in range(numbers.size):
        one = starts[max(numbers[merged_class], 0)]
        end = starts[numbers[merged_class] + 1] if numbers[merged_class] >= 0 else one
        other = other_starts[max(other_numbers[merged_class], 0)]
        other_end = other_starts[other_numbers[merged_class] + 1] if other_numbers[merged_class] >= 0 else other
        while one < end or other < other_end:
            take = other == other_end or (one < end and terms[one] <= other_terms[other])
            take_other = one == end or (other < other_end and other_terms[other] <= terms[one])
            documents, value, rest = doc_freq.dtype.type(0), 0.0, 0.0
            if take:
                documents, value, rest = doc_freq[one], values[one], rests[one]
                merged_terms[place] = terms[one]
                one += 1
            if take_other:
                value, rest = _plus(value, rest, other_values[other], other_rests[other])
                documents += other_doc_freq[other]
                merged_terms[place] = other_terms[other]
                other += 1
            merged_doc_freq[place], merged_values[place], merged_rests[place] = documents, value, rest
            place += 1
        merged_starts[merged_class + 1] = place
