"""Sparse rows times a block of columns: several products for one walk through the matrix.

A row of the result is worked out by one thread, in the order of the row's values, so it does not matter how the rows
are shared out.
"""

from typing import Any

from numpy.typing import NDArray

from .jit import Floats, Ints, kernel


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
