"""How many distinct states a search has stored, estimated: a sweep forgets states and cannot count them.

HyperLogLog (Flajolet, Fusy, Gandouet and Meunier 2007): some bits of a state's hash choose a register, which keeps the
most trailing zeros, and one, of the rest of such hashes. Storing a state again changes nothing.
"""

from __future__ import annotations

import math

import numpy as np

from strandline.engine.runtime.memory import WordArray

REGISTER_BITS = 10
"""With 1024 registers the estimate is off by 3 % (one standard deviation)."""
_COUNT = 1 << REGISTER_BITS
_BIAS = 0.7213 / (1 + 1.079 / _COUNT)


def new_sketch() -> WordArray:
    """The registers before any state."""
    return np.zeros(_COUNT, dtype=np.uint64)


def estimated(sketch: WordArray) -> int:
    """How many distinct states there were; few ones are told from how many registers nothing has reached."""
    raw = _BIAS * _COUNT**2 / float(np.exp2(-sketch.astype(np.float64)).sum())
    empty = int((sketch == 0).sum())
    return round(_COUNT * math.log(_COUNT / empty) if empty and raw <= 2.5 * _COUNT else raw)
