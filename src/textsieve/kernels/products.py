"""Sparse rows times a block of columns: several products for one walk through the matrix.

A row of the result is worked out by one thread, in the order of the row's values, so it does not matter how the rows
are shared out. A block of eight columns is what the eigen-solver works with: there the sums of a row are kept in
registers, in the same order.
"""

from typing import Any

from numpy.typing import NDArray

from .jit import Floats, Ints, kernel


@kernel
def _multiply_by_eight(
    starts: NDArray[Any],
    columns: NDArray[Any],
    values: Floats,
    chosen: Ints,
    block: Floats,
    begin: int,
    end: int,
    products: Floats,
) -> None:
    for place in range(begin, end):
        row = chosen[place]
        sum_0 = sum_1 = sum_2 = sum_3 = sum_4 = sum_5 = sum_6 = sum_7 = 0.0
        for at in range(starts[row], starts[row + 1]):
            value = values[at]
            factors = block[columns[at]]
            sum_0 += value * factors[0]
            sum_1 += value * factors[1]
            sum_2 += value * factors[2]
            sum_3 += value * factors[3]
            sum_4 += value * factors[4]
            sum_5 += value * factors[5]
            sum_6 += value * factors[6]
            sum_7 += value * factors[7]
        product = products[place]
        product[0], product[1], product[2], product[3] = sum_0, sum_1, sum_2, sum_3
        product[4], product[5], product[6], product[7] = sum_4, sum_5, sum_6, sum_7


@kernel
def multiply_rows(
    starts: NDArray[Any],
    columns: NDArray[Any],
    values: Floats,
    chosen: Ints,
    block: Floats,
    begin: int,
    end: int,
    products: Floats,
) -> None:
    """Write the products of the chosen rows from place `begin` to `end` with a block that has a row for each column."""
    width = block.shape[1]
    if width == 8:
        _multiply_by_eight(starts, columns, values, chosen, block, begin, end, products)
        return
    for place in range(begin, end):
        row = chosen[place]
        product = products[place]
        for output in range(width):
            product[output] = 0.0
        for at in range(starts[row], starts[row + 1]):
            value = values[at]
            factors = block[columns[at]]
            for output in range(width):
                product[output] += value * factors[output]
