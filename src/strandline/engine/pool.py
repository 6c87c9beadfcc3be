"""Blocks of words out of one growing array: freed blocks are kept by size class and used again.

A pool's registers lie together, from its `top` on: how far it is used, what was wanted of it, how many words lie idle
in free blocks, how many of those were given back to the system, and the heads of the free lists.

Sizes grow by four classes an octave. Memory beyond the top was never used and is zero. A pool that is full answers
NONE; the caller notes what it wanted and returns to Python, which grows the array.
"""

from __future__ import annotations

import numpy as np

from strandline.engine import registers as r
from strandline.engine.jit import inlined

U = np.uint64
_QUARTER, _THREE, _SMALLEST, _ONE, _NOTHING = U(2), U(3), U(16), U(1), U(0)


@inlined
def class_size(size_class):
    """Words in a block of this class."""
    base = _SMALLEST << (size_class >> _QUARTER)
    return base + (base >> _QUARTER) * (size_class & _THREE)


@inlined
def class_for(words):
    """The smallest class whose blocks hold this many words."""
    size_class = _NOTHING
    while class_size(size_class) < words:
        size_class += _ONE
    return size_class


@inlined
def take(pool, regs, top, size_class):
    """A block's offset, or NONE. A used block still holds what was in it."""
    free = U(top + r.FREE) + size_class
    if regs[free] != _NOTHING:
        offset = regs[free] - _ONE
        regs[free] = pool[offset]
        regs[top + r.IDLE] -= class_size(size_class)
        if pool[offset + _ONE] == r.NONE:
            regs[top + r.RELEASED] -= class_size(size_class)
        return offset
    offset = regs[top]
    end = offset + class_size(size_class)
    if end > U(len(pool)):
        regs[top + r.WANT] = end
        return r.NONE
    regs[top] = end
    return offset


@inlined
def give(pool, regs, top, offset, size_class):
    """Put a block back. Its first word links the list; its second says whether its memory was released."""
    free = U(top + r.FREE) + size_class
    pool[offset] = regs[free]
    pool[offset + _ONE] = _NOTHING
    regs[free] = offset + _ONE
    regs[top + r.IDLE] += class_size(size_class)


@inlined
def at_top(regs, top, offset, size_class):
    """Whether a block ends where the used part of the pool ends."""
    return offset + class_size(size_class) == regs[top]


@inlined
def enlarge(pool, regs, top, offset, old_class, new_class):
    """A block of the new class with the old one's contents: a free one, or the old one made longer in place at
    the top of the pool, or a new one. Answers NONE, with nothing changed, when the pool is full. What follows the
    contents is undefined."""
    nothing_free = regs[U(top + r.FREE) + new_class] == _NOTHING
    if nothing_free and at_top(regs, top, offset, old_class):
        end = offset + class_size(new_class)
        if end > U(len(pool)):
            regs[top + r.WANT] = end
            return r.NONE
        regs[top] = end
        return offset
    moved = take(pool, regs, top, new_class)
    if moved == r.NONE:
        return r.NONE
    for word in range(class_size(old_class)):
        pool[moved + word] = pool[offset + word]
    give(pool, regs, top, offset, old_class)
    return moved
