"""Operations that Numba lacks: C calls by address, file reads, prefetching, bit operations, byte search and atomics.

Each has a plain Python reference with the same meaning, so that kernels also run undecorated (`py_func`).
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

import ctypes
import os
import time
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from strandline.engine.runtime.jit import INLINED

_I32, _I64 = ir.IntType(32), ir.IntType(64)
_BYTES = ir.IntType(8).as_pointer()
_PROTOTYPE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)


def call_successors(function: Any, state: Any, at: Any, records: Any, first: Any, capacity: Any, labels: Any) -> Any:
    """Call `function(&state[at], &records[first], capacity, labels)` by the ABI of `strandline.compile.kernel`."""
    return _PROTOTYPE(int(function))(
        state.ctypes.data + 8 * int(at),
        records.ctypes.data + 8 * int(first),
        int(capacity),
        labels.ctypes.data,
    )


def read_at(function: Any, file: Any, array: Any, size: Any, offset: Any) -> Any:
    """Read `size` bytes at an offset of a file to the beginning of an array.

    `function` is the address of the C library's `pread`. Returns the number of bytes read, negative on an error.
    """
    try:
        return np.int64(os.preadv(int(file), [array.data.cast("B")[: int(size)]], int(offset)))
    except OSError:
        return np.int64(-1)


def prefetch(array: Any, at: Any) -> None:
    """Prefetch the cache line of `array[at]`; an index outside the array is harmless."""


def load_acquire(array: Any, at: Any) -> Any:
    """Load `array[at]` atomically with acquire ordering.

    All writes that the storing thread made before its releasing store are visible afterwards.
    """
    return array[at]


def store_release(array: Any, at: Any, value: Any) -> None:
    """Store `array[at]` atomically with release ordering: threads that load the value see all writes before it."""
    array[at] = value


def compare_and_swap(array: Any, at: Any, expected: Any, value: Any) -> Any:
    """Write `value` to `array[at]` atomically if `expected` stands there; return the previous value.

    The store has release ordering: threads that load the value also see all writes before it.
    """
    found = array[at]
    if found == expected:
        array[at] = value
    return found


def fetch_add(array: Any, at: Any, amount: Any) -> Any:
    """Add to `array[at]` atomically and return the previous value, so that no two threads get the same one."""
    found = array[at]
    array[at] = found + amount
    return found


def yield_processor() -> None:
    """Yield the processor to other runnable threads."""
    time.sleep(0)


def nanoseconds() -> Any:
    """Return the time of a monotonic clock, for measuring how long threads wait."""
    return np.uint64(time.monotonic_ns())


def lowest_bit(word: Any) -> Any:
    """Return the position of the lowest set bit of a word other than 0."""
    return np.uint64((int(word) & -int(word)).bit_length() - 1)


def equal_bytes(array: Any, at: Any, byte: Any) -> Any:
    """Compare the sixteen bytes from `array[at]` on with a byte; bit `i` of the result is set if byte `i` is equal."""
    both = int(array[at]) | int(array[at + np.uint64(1)]) << 64
    return np.uint64(sum(1 << place for place in range(16) if both >> 8 * place & 0xFF == byte))


def _pointer(context: Any, builder: Any, kind: Any, array: Any, at: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [at]), _BYTES)


@intrinsic
def _call(typing: Any, function: Any, state: Any, at: Any, records: Any, first: Any, capacity: Any, labels: Any) -> Any:
    signature = types.int64(types.uint64, state, types.uint64, records, types.uint64, types.int64, labels)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, state, at, records, first, capacity, labels = arguments
        kinds = signature.args
        kind = ir.FunctionType(_I64, [_BYTES, _BYTES, _I64, _BYTES])
        target = builder.inttoptr(address, kind.as_pointer())
        source = _pointer(context, builder, kinds[1], state, at)
        output = _pointer(context, builder, kinds[3], records, first)
        mask = _pointer(context, builder, kinds[6], labels, _I64(0))
        return builder.call(target, [source, output, capacity, mask])

    return signature, generate


@intrinsic
def _prefetch(typing: Any, array: Any, at: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], arguments[0], arguments[1])
        kind = ir.FunctionType(ir.VoidType(), [_BYTES, _I32, _I32, _I32])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [pointer, _I32(1), _I32(3), _I32(1)])
        return context.get_dummy_value()

    return types.void(array, types.uint64), generate


def _word_at(context: Any, builder: Any, kind: Any, array: Any, at: Any) -> Any:
    return builder.gep(context.make_array(kind)(context, builder, array).data, [at])


@intrinsic
def _read_at(typing: Any, function: Any, file: Any, array: Any, size: Any, offset: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function, file, array, size, offset = arguments
        kind = ir.FunctionType(_I64, [_I32, _BYTES, _I64, _I64])
        called = builder.inttoptr(function, kind.as_pointer())
        pointer = _pointer(context, builder, signature.args[2], array, _I64(0))
        return builder.call(called, [builder.trunc(file, _I32), pointer, size, offset])

    return types.int64(types.uint64, types.uint64, array, types.uint64, types.uint64), generate


@intrinsic
def _load_acquire(typing: Any, array: Any, at: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _word_at(context, builder, signature.args[0], arguments[0], arguments[1])
        return builder.load_atomic(place, "acquire", 8)

    return types.uint64(array, types.uint64), generate


@intrinsic
def _store_release(typing: Any, array: Any, at: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _word_at(context, builder, signature.args[0], arguments[0], arguments[1])
        builder.store_atomic(arguments[2], place, "release", 8)
        return context.get_dummy_value()

    return types.void(array, types.uint64, types.uint64), generate


@intrinsic
def _compare_and_swap(typing: Any, array: Any, at: Any, expected: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _word_at(context, builder, signature.args[0], arguments[0], arguments[1])
        return builder.extract_value(builder.cmpxchg(place, arguments[2], arguments[3], "acq_rel", "acquire"), 0)

    return types.uint64(array, types.uint64, types.uint64, types.uint64), generate


@intrinsic
def _fetch_add(typing: Any, array: Any, at: Any, amount: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _word_at(context, builder, signature.args[0], arguments[0], arguments[1])
        return builder.atomic_rmw("add", place, arguments[2], "acq_rel")

    return types.uint64(array, types.uint64, types.uint64), generate


@intrinsic
def _yield_processor(typing: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_I32, []), "sched_yield")
        builder.call(function, [])
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic
def _nanoseconds(typing: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(_I32, [_I32, _I64.as_pointer()])
        function = cgutils.get_or_insert_function(builder.module, kind, "clock_gettime")
        # A `timespec`: seconds and nanoseconds, two words on platforms of 64 bits.
        parts = cgutils.alloca_once(builder, _I64, size=2)
        builder.call(function, [_I32(time.CLOCK_MONOTONIC), parts])
        rest = builder.load(builder.gep(parts, [_I64(1)]))
        return builder.add(builder.mul(builder.load(parts), _I64(10**9)), rest)

    return types.uint64(), generate


@intrinsic
def _lowest_bit(typing: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.IntType(1)(1))

    return types.uint64(types.uint64), generate


@intrinsic
def _equal_bytes(typing: Any, array: Any, at: Any, byte: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bytes_16, bits_16 = ir.VectorType(ir.IntType(8), 16), ir.IntType(16)
        pointer = _pointer(context, builder, signature.args[0], arguments[0], arguments[1])
        found = builder.load(builder.bitcast(pointer, bytes_16.as_pointer()), align=8)
        unknown, first = ir.Constant(bytes_16, ir.Undefined), ir.Constant(ir.VectorType(_I32, 16), [0] * 16)
        one = builder.insert_element(unknown, builder.trunc(arguments[2], ir.IntType(8)), _I32(0))
        every = builder.shuffle_vector(one, unknown, first)
        return builder.zext(builder.bitcast(builder.icmp_unsigned("==", found, every), bits_16), _I64)

    return types.uint64(array, types.uint64, types.uint64), generate


@overload(call_successors, jit_options=INLINED)
def _call_overload(function, state, at, records, first, capacity, labels):
    return lambda function, state, at, records, first, capacity, labels: _call(
        function, state, at, records, first, capacity, labels
    )


@overload(read_at, jit_options=INLINED)
def _read_at_overload(function, file, array, size, offset):
    return lambda function, file, array, size, offset: _read_at(function, file, array, size, offset)


@overload(prefetch, jit_options=INLINED)
def _prefetch_overload(array, at):
    return lambda array, at: _prefetch(array, at)


@overload(lowest_bit, jit_options=INLINED)
def _lowest_bit_overload(word):
    return lambda word: _lowest_bit(word)


@overload(equal_bytes, jit_options=INLINED)
def _equal_bytes_overload(array, at, byte):
    return lambda array, at, byte: _equal_bytes(array, at, byte)


@overload(load_acquire, jit_options=INLINED)
def _load_acquire_overload(array, at):
    return lambda array, at: _load_acquire(array, at)


@overload(store_release, jit_options=INLINED)
def _store_release_overload(array, at, value):
    return lambda array, at, value: _store_release(array, at, value)


@overload(compare_and_swap, jit_options=INLINED)
def _compare_and_swap_overload(array, at, expected, value):
    return lambda array, at, expected, value: _compare_and_swap(array, at, expected, value)


@overload(fetch_add, jit_options=INLINED)
def _fetch_add_overload(array, at, amount):
    return lambda array, at, amount: _fetch_add(array, at, amount)


@overload(yield_processor, jit_options=INLINED)
def _yield_processor_overload():
    return lambda: _yield_processor()


@overload(nanoseconds, jit_options=INLINED)
def _nanoseconds_overload():
    return lambda: _nanoseconds()
