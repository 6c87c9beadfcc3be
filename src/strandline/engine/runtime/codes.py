"""What compiled loops answer, and the numbers that all of them share."""

from __future__ import annotations

import numpy as np

CONTINUE = -1
"""Nothing happened; a part of a loop goes on. Never the answer of a whole loop."""
DONE, BUDGET, GROW, FAULT, FOUND, FLUSH, REGRESSING_COLUMN, CYCLE = range(8)
LAYER_OVER, SWEEP_OVER, COLUMN_OVER, PAUSE, LIMIT = range(8, 13)
"""All is expanded; so many expansions are done; an array must grow; a step faulted; a state with a label of the stop
mask is about to be expanded; a buffer must be emptied; an edge leads to a smaller column; an accepting cycle was found;
a layer, a sweep or a column is finished and about to be left; something else is to be done first; as many states as
allowed were visited."""

NONE = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
"""No number, no layer, no place."""

STEP_BITS = 24
STEP_MASK = (1 << STEP_BITS) - 1
SAME = STEP_MASK
"""Instead of a step, in a link: the state is that of the other record, which was stored again."""
"""A link of the parent log: the record of the parent above, the number of the step below."""
ROOT = (1 << 40) - 1
"""Parent of an initial state; the step is then the initial state's number."""

BATCH = 512
"""States that are expanded at most, and successors after which no further one is, before all are inserted."""

BIAS = 1 << 63
"""Added to columns and layers, so that their unsigned order is the order of the numbers."""

HASH_BITS = 63
"""What a table of hashes keeps of each."""
BIT_FUNCTIONS = 3
"""Bits that a table of bits has for each state."""
