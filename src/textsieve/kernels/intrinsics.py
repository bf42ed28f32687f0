"""Two processor instructions that numba does not offer: fused multiply-add and prefetch.

`fma(a, b, c)` rounds only the result, not the product. So `fma(a, b, -(a * b))` is the exact rounding error of the
product a * b. Kernels add up such errors separately, so that sums are precise to more than the 53 bits of a float.
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
"""Return a x b + c, rounded only at the end."""


_READ, _HIGH_LOCALITY, _DATA = 0, 3, 1
"""Arguments of `llvm.prefetch`: for reading, to be kept in all caches, data instead of instructions."""


@intrinsic
def _prefetch(typing_context: Any, array: Any, position: Any) -> Any:
    """Emit an LLVM prefetch hint."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        address = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(8).as_pointer())
        int32 = ir.IntType(32)
        function_type = ir.FunctionType(ir.VoidType(), [address.type, int32, int32, int32])
        function = builder.module.declare_intrinsic("llvm.prefetch", (address.type,), function_type)
        builder.call(function, [address, int32(_READ), int32(_HIGH_LOCALITY), int32(_DATA)])
        return context.get_dummy_value()

    return types.void(array, position), generate


prefetch = cast("Callable[[NDArray[Any], Any], None]", _prefetch)
"""Load the cache line of `array[position]` into the processor's cache; positions beyond the end do no harm."""
