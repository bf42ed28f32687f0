"""Train the linear SVMs of up to 16 classes in the same passes over the documents.

`kernels.svm.descend` solves one class after the other, and reads all rows for each of them. Most of its time it waits
for memory: for the rows, and for the weights of their terms. Here the weights of a term for 16 classes (*lanes*) are
next to each other as 32-bit floats. They fill one cache line of 64 bytes, and one instruction multiplies all of them.
So a visit to a document updates the dual variables of 16 classes. On all words of 20 Newsgroups, training its classes
took 0.59 to 0.67 s one by one, and took 0.22 to 0.24 s together (processor time of one thread).

Two things differ from `descend`. Terms of a single document need no weight: that of term t in document i is α_i y_i
x_it, so their part of the margin is α_i y_i times the sum of their x_it². On 20 Newsgroups these are more than half of
the terms, and the weights of the others fit better into the cache. And a document is set aside only when its projected
gradients for all classes are small, which begins in the last rounds. When the other documents have converged, a full
round checks all documents; only then a class can count as converged.

The rounding errors of 32-bit floats are far below the tolerances for which this is used, and the dual variables are the
result: callers calculate the weights from them again, with 64 bits.
"""

from typing import Any, cast

import numpy as np
from llvmlite import ir as llvm
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from .jit import kernel
from .svm import SEED, shuffle

ir = cast(Any, llvm)  # its types are unknown to mypy

LANES = 16
"""The number of classes that are solved together; their 32-bit weights of a term fill a cache line of 64 bytes."""

SETTLING = 10.0
"""Documents are set aside when no two projected gradients of a class differ by more than this times the tolerance."""

QUIET = 0.5
"""A document is set aside if its projected gradients for all classes are at most this times the tolerance."""

_FLOAT, _INT64 = ir.FloatType(), ir.IntType(64)
_LANES_OF_FLOATS = ir.VectorType(_FLOAT, LANES)


class _RowLoop:
    """Emits a loop over the entries of a CSR row, whose body gets the weights of a term in all lanes as a vector."""

    def __init__(self, context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        self._builder = builder
        self._weights, self._indices, self._data = (
            context.make_array(signature.args[number])(context, builder, arguments[number]).data for number in range(3)
        )
        self._begin, self._end = arguments[3:5]

    def emit(self, carried: Any, body: Any) -> Any:
        """Emit the loop, and return the vector that its last iteration returns.

        `body(value, address, carried, column)` returns the vector that the next iteration gets as `carried`. `value` is
        a vector with the value of the entry in all lanes, `address` that of the term's weights, and `column` the number
        of the term.
        """
        builder = self._builder
        before, loop, after = builder.block, builder.append_basic_block(), builder.append_basic_block()
        builder.cbranch(builder.icmp_unsigned("<", self._begin, self._end), loop, after)
        builder.position_at_end(loop)
        entry, carried_phi = builder.phi(_INT64), builder.phi(_LANES_OF_FLOATS)
        column = builder.load(builder.gep(self._indices, [entry]))
        column = builder.zext(column, _INT64)
        number = builder.load(builder.gep(self._data, [entry]))
        value = _broadcast(builder, number if number.type == _FLOAT else builder.fptrunc(number, _FLOAT))
        first_weight = builder.gep(self._weights, [builder.mul(column, _INT64(LANES))])
        address = builder.bitcast(first_weight, _LANES_OF_FLOATS.as_pointer())
        next_carried = body(value, address, carried_phi, column)
        next_entry = builder.add(entry, _INT64(1))
        for phi, first, following in ((entry, self._begin, next_entry), (carried_phi, carried, next_carried)):
            phi.add_incoming(first, before)
            phi.add_incoming(following, loop)
        builder.cbranch(builder.icmp_unsigned("<", next_entry, self._end), loop, after)
        builder.position_at_end(after)
        result = builder.phi(_LANES_OF_FLOATS)
        result.add_incoming(carried, before)
        result.add_incoming(next_carried, loop)
        return result


def _broadcast(builder: Any, number: Any) -> Any:
    """Emit a vector that has a number in all lanes."""
    undefined = ir.Constant(_LANES_OF_FLOATS, ir.Undefined)
    first_of_all = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(builder.insert_element(undefined, number, ir.IntType(32)(0)), undefined, first_of_all)


def _load(builder: Any, address: Any) -> Any:
    """Emit the loading of a vector that need not be aligned to its size."""
    vector = builder.load(address)
    vector.align = 4
    return vector


def _store(builder: Any, vector: Any, address: Any) -> None:
    """Emit the storing of a vector that need not be aligned to its size."""
    builder.store(vector, address).align = 4


def _vector_of(context: Any, builder: Any, array_type: Any, array: Any) -> Any:
    """Emit the address of an array of `LANES` floats as that of a vector."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(data, _LANES_OF_FLOATS.as_pointer())


@intrinsic
def _add_products(
    typing_context: Any, weights: Any, indices: Any, data: Any, begin: Any, end: Any, margins: Any
) -> Any:
    """Emit the product of a row with the weights of all lanes, added to `margins`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address_of_margins = _vector_of(context, builder, signature.args[5], arguments[5])

        def body(value: Any, address: Any, sums: Any, _column: Any) -> Any:
            return builder.fadd(sums, builder.fmul(value, _load(builder, address)))

        sums = _RowLoop(context, builder, signature, arguments).emit(_load(builder, address_of_margins), body)
        _store(builder, sums, address_of_margins)
        return context.get_dummy_value()

    return types.void(weights, indices, data, begin, end, margins), generate


@intrinsic
def _add_weighted_row(
    typing_context: Any, weights: Any, indices: Any, data: Any, begin: Any, end: Any, steps: Any, lanes_of_term: Any
) -> Any:
    """Emit the addition of a row times `steps` to the weights of the lanes that have a bit in `lanes_of_term`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        steps_vector = _load(builder, _vector_of(context, builder, signature.args[5], arguments[5]))
        masks = context.make_array(signature.args[6])(context, builder, arguments[6]).data

        def body(value: Any, address: Any, carried: Any, column: Any) -> Any:
            before = _load(builder, address)
            after = builder.fadd(before, builder.fmul(value, carried))
            mask = builder.bitcast(builder.load(builder.gep(masks, [column])), ir.VectorType(ir.IntType(1), LANES))
            _store(builder, builder.select(mask, after, before), address)
            return carried

        _RowLoop(context, builder, signature, arguments).emit(steps_vector, body)
        return context.get_dummy_value()

    return types.void(weights, indices, data, begin, end, steps, lanes_of_term), generate


add_products, add_weighted_row = cast(Any, _add_products), cast(Any, _add_weighted_row)


@kernel
def descend_together(
    indptr: Ints,
    indices: NDArray[np.int32],
    data: NDArray[Any],
    squares: NDArray[np.float32],
    lone_squares: NDArray[np.float32],
    signed_half_inverse_costs: NDArray[np.float32],
    lanes_of_term: NDArray[np.uint16],
    n_lanes: int,
    tolerance: float,
    max_rounds: int,
    weights: NDArray[np.float32],
    alpha: NDArray[np.float32],
    n_rounds: Ints,
) -> None:
    """Solve the problems of `n_lanes` classes by dual coordinate descent; see `kernels.svm` for the problem.

    `weights` (n_terms, LANES) is 0 at first. `alpha` (n_documents, LANES) has the dual variables to start from, and
    gets the solution. `n_rounds` (LANES,) gets the number of rounds after which a lane had converged, or 0 if it has
    not converged after `max_rounds`. Rows of `LANES` numbers should begin at a multiple of 64 bytes, so that each of
    them is a cache line.

    `signed_half_inverse_costs` (n_documents, LANES) are y_i / (2 C_i). A term has weights in the lanes whose bit is set
    in `lanes_of_term`. `squares` are the squared lengths of documents, (n_documents, LANES), or (n_documents, 1) if all
    lanes have the same. `lone_squares` (n_documents,) are the sums of the squares of a document's terms that are in no
    other document, and therefore not in the rows.
    """
    n = alpha.shape[0]
    intercepts = np.zeros(LANES)
    margins, steps = np.empty(LANES, np.float32), np.empty(LANES, np.float32)
    row_squares = np.empty(LANES, np.float32)
    largest, smallest = np.empty(LANES, np.float32), np.empty(LANES, np.float32)
    is_running = np.zeros(LANES, np.bool_)
    is_running[:n_lanes] = True
    zero, one, minus_one = np.float32(0.0), np.float32(1.0), np.float32(-1.0)
    active, n_active = np.arange(n), n
    quiet_gradient = minus_one  # none is as small
    state = SEED
    for document in range(n):  # the weights of the variables to start from
        has_step = False
        for lane in range(LANES):
            sign = one if signed_half_inverse_costs[document, lane] > zero else minus_one
            steps[lane] = alpha[document, lane] * sign
            has_step |= steps[lane] != zero
            intercepts[lane] += steps[lane]
        if has_step:
            begin, end = np.uint64(indptr[document]), np.uint64(indptr[document + 1])
            add_weighted_row(weights, indices, data, begin, end, steps, lanes_of_term)
    running_intercepts = intercepts.astype(np.float32)
    for number in range(max_rounds):
        is_full_round = n_active == n
        state = shuffle(active, n_active, state)
        largest[:] = -np.inf
        smallest[:] = np.inf
        position = 0
        while position < n_active:
            row = np.uint64(active[position])
            begin, end = np.uint64(indptr[row]), np.uint64(indptr[row + np.uint64(1)])
            margins[:] = running_intercepts
            add_products(weights, indices, data, begin, end, margins)
            lone_square = lone_squares[row]
            row_squares[:] = squares[row]  # a single number is copied to all lanes
            row_costs, row_alpha = signed_half_inverse_costs[row], alpha[row]
            has_step = False
            largest_gradient = zero
            for lane in range(LANES):
                cost, before = row_costs[lane], row_alpha[lane]
                sign = one if cost > zero else minus_one
                gradient = sign * margins[lane] - one + before * (abs(cost) + lone_square)
                projected_gradient = gradient if before > zero else min(gradient, zero)
                largest[lane] = max(largest[lane], projected_gradient)
                smallest[lane] = min(smallest[lane], projected_gradient)
                if is_running[lane]:
                    largest_gradient = max(largest_gradient, abs(projected_gradient))
                after = max(before - gradient / (row_squares[lane] + one + abs(cost)), zero)
                after = after if is_running[lane] else before
                step = (after - before) * sign
                row_alpha[lane] = after
                steps[lane] = step
                running_intercepts[lane] += step
                has_step |= step != zero
            if has_step:
                add_weighted_row(weights, indices, data, begin, end, steps, lanes_of_term)
            if largest_gradient > quiet_gradient:
                position += 1
            else:  # set the document aside; the last active one takes its position
                n_active -= 1
                active[position], active[n_active] = active[n_active], active[position]
        intercepts[:] = 0.0  # added up again, so that rounding errors do not pile up
        for document in range(n):
            for lane in range(LANES):
                sign = one if signed_half_inverse_costs[document, lane] > zero else minus_one
                intercepts[lane] += sign * alpha[document, lane]
        any_running, largest_range = False, zero
        for lane in range(LANES):
            running_intercepts[lane] = np.float32(intercepts[lane])
            if is_running[lane]:
                if is_full_round and largest[lane] - smallest[lane] <= tolerance:
                    n_rounds[lane] = number + 1
                    is_running[lane] = False
                else:
                    any_running = True
                    largest_range = max(largest_range, largest[lane] - smallest[lane])
        if not any_running:
            break
        if largest_range <= tolerance:  # of the active documents only: check all
            n_active = n
            quiet_gradient = minus_one
        elif largest_range <= SETTLING * tolerance:
            quiet_gradient = np.float32(QUIET * tolerance)


@kernel
def squared_lengths_by_lane(
    indptr: Ints,
    indices: NDArray[np.int32],
    data: NDArray[Any],
    lanes_of_term: NDArray[np.uint16],
    squares: NDArray[np.float32],
) -> None:
    """Write the squared length of each row in each lane to `squares`, over the terms that have weights in the lane."""
    is_in_lane = np.zeros((lanes_of_term.size, LANES), np.float32)
    for term in range(lanes_of_term.size):
        for lane in range(LANES):
            is_in_lane[term, lane] = (lanes_of_term[term] >> lane) & 1
    squares[:] = 0.0
    for row in range(squares.shape[0]):
        row_squares = squares[row]
        for entry in range(np.uint64(indptr[row]), np.uint64(indptr[row + 1])):
            square, lanes = np.float32(data[entry] * data[entry]), is_in_lane[np.uint64(indices[entry])]
            for lane in range(LANES):
                row_squares[lane] += square * lanes[lane]


@kernel
def add_weighted_rows(
    indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[Any], factors: Floats, weights: Floats
) -> None:
    """Add each CSR row times its factor to the weights of its terms."""
    for row in range(factors.size):
        if factors[row] != 0.0:
            for entry in range(np.uint64(indptr[row]), np.uint64(indptr[row + 1])):
                weights[np.uint64(indices[entry])] += factors[row] * data[entry]
