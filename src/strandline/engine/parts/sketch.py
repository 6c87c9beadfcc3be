"""Estimation of the number of distinct stored states: a sweep deletes states and cannot count them.

HyperLogLog (Flajolet, Fusy, Gandouet and Meunier 2007): some bits of a state's hash choose a register, which keeps the
maximum, over the remaining bits of such hashes, of the number of trailing zeros plus one. Storing a state again changes
nothing.
"""

from __future__ import annotations

import math

import numpy as np

from strandline.engine.runtime.memory import WordArray

REGISTER_BITS = 10
"""Logarithm of the number of registers; 1024 give a standard error of 3 %."""
_COUNT = 1 << REGISTER_BITS
_BIAS = 0.7213 / (1 + 1.079 / _COUNT)


def new_sketch() -> WordArray:
    """Return the registers of an empty set."""
    return np.zeros(_COUNT, dtype=np.uint64)


def estimate(sketch: WordArray) -> int:
    """Estimate the number of distinct states; small numbers are estimated from the number of empty registers."""
    raw = _BIAS * _COUNT**2 / float(np.exp2(-sketch.astype(np.float64)).sum())
    empty = int((sketch == 0).sum())
    return round(_COUNT * math.log(_COUNT / empty) if empty and raw <= 2.5 * _COUNT else raw)
