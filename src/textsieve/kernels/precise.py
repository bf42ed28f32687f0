"""a * b + c, rounded once: the processor's fused multiply-add.

`fused(a, b, -(a * b))` is the exact rounding error of a product, and so the way to calculate with more than 53 bits.
"""

from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def _fused(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    """Multiply and add in one rounding."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate


fused = cast("Callable[[float, float, float], float]", _fused)
"""Multiply the first two and add the third, in one rounding."""
