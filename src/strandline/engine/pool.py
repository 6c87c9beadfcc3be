"""Blocks of words out of one growing array: freed blocks are kept by size class and used again.

Sizes grow by four classes an octave. Memory beyond the top was never used and is zero. A pool that is full answers
NONE; the caller notes what it wanted and returns to Python, which grows the array.
"""

from __future__ import annotations

import numpy as np

from strandline.engine.jit import inlined
from strandline.engine.registers import NONE

U = np.uint64
_QUARTER, _THREE, _SMALLEST, _ONE, _NOTHING = U(2), U(3), U(16), U(1), U(0)


@inlined
def class_size(size_class):  # type: ignore[no-untyped-def]
    """Words in a block of this class."""
    base = _SMALLEST << (size_class >> _QUARTER)
    return base + (base >> _QUARTER) * (size_class & _THREE)


@inlined
def class_for(words):  # type: ignore[no-untyped-def]
    """The smallest class whose blocks hold this many words."""
    size_class = _NOTHING
    while class_size(size_class) < words:
        size_class += _ONE
    return size_class


@inlined
def take(pool, regs, top, free, want, size_class):  # type: ignore[no-untyped-def]
    """A block's offset, or NONE. A used block still holds what was in it."""
    list_head = regs[U(free) + size_class]
    if list_head != _NOTHING:
        offset = list_head - _ONE
        regs[U(free) + size_class] = pool[offset]
        return offset
    offset = regs[top]
    end = offset + class_size(size_class)
    if end > U(len(pool)):
        regs[want] = end
        return NONE
    regs[top] = end
    return offset


@inlined
def give(pool, regs, free, offset, size_class):  # type: ignore[no-untyped-def]
    """Put a block back."""
    pool[offset] = regs[U(free) + size_class]
    regs[U(free) + size_class] = offset + _ONE


@inlined
def enlarge(pool, regs, top, free, want, offset, old_class, new_class):  # type: ignore[no-untyped-def]
    """A block of the new class with the old one's contents: in place at the top of the pool, else moved.
    Answers NONE, with nothing changed, when the pool is full. What follows the contents is undefined."""
    old_size, new_size = class_size(old_class), class_size(new_class)
    if offset + old_size == regs[top]:
        if offset + new_size > U(len(pool)):
            regs[want] = offset + new_size
            return NONE
        regs[top] = offset + new_size
        return offset
    moved = take(pool, regs, top, free, want, new_class)
    if moved == NONE:
        return NONE
    for word in range(old_size):
        pool[moved + word] = pool[offset + word]
    give(pool, regs, free, offset, old_class)
    return moved
