"""Two processor instructions that numba does not offer: fused multiply-add and prefetch.

`fma(a, b, -(a * b))` is the exact rounding error of a product, which is how sums with more than 53 bits are computed.
"""

from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray


@intrinsic
def _fma(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    """Emit a fused multiply-add."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate


fma = cast("Callable[[float, float, float], float]", _fma)
"""Multiply the first two and add the third, in one rounding."""


_READ, _KEEP, _DATA = 0, 3, 1


@intrinsic
def _prefetch(typing_context: Any, array: Any, place: Any) -> Any:
    """Emit an LLVM prefetch hint."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        address = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", (address.type,), kind)
        builder.call(function, [address, number(_READ), number(_KEEP), number(_DATA)])
        return context.get_dummy_value()

    return types.void(array, place), generate


prefetch = cast("Callable[[NDArray[Any], Any], None]", _prefetch)
"""Bring the part of an array around a place, which may be beyond its end, nearer to the processor."""
