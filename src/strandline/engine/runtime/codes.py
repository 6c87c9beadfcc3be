"""Return codes of compiled loops, and constants that kernels and their drivers share."""

from __future__ import annotations

import numpy as np

CONTINUE = -1
"""Success of a part of a loop; never returned by a whole loop."""
DONE, BUDGET, GROW, FAULT, FOUND, FLUSH, REGRESSING_COLUMN, CYCLE = range(8)
LAYER_OVER, SWEEP_OVER, COLUMN_OVER, PAUSE, LIMIT = range(8, 13)
r"""Return codes of a compiled loop: the reason why it returned.

- DONE: everything reachable is expanded.
- BUDGET: the allowed number of expansions is used up.
- GROW: an array is full and must grow.
- FAULT: a step of the model faulted.
- FOUND: the next state to be expanded has a label of the stop mask.
- FLUSH: an output buffer is full.
- REGRESSING_COLUMN: an edge leads to a smaller column.
- CYCLE: an accepting cycle was found.
- LAYER_OVER, SWEEP_OVER, COLUMN_OVER: a layer, a sweep or a column is finished and about to be left.
- PAUSE: the driver has other work to do first.
- LIMIT: the limit on visited states is reached.
"""

NONE = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
"""Null value of record numbers, entry numbers, rows and layers."""

STEP_BITS = 24
STEP_MASK = (1 << STEP_BITS) - 1
SAME = STEP_MASK
"""Step number of a link that stores the state of the linked record again.

A link of the parent log has the record of the parent in its upper bits and the number of the step in the lower ones.
"""
"""A link of the parent log: the record of the parent above, the number of the step below."""
ROOT = (1 << 40) - 1
"""Parent of an initial state; the step is then the number of the initial state."""

LINK_BLOCK = 1 << 12
"""Links of a block of the parent log, which is decoded as a whole."""
LINK_BYTES = 8
"""Most bytes of an encoded link; a block has one more."""
PLAIN_LINKS = 255
"""First byte of a block of uncompressed links; otherwise the number of bits of a step."""

BATCH = 512
"""Most states expanded in a batch, and the number of successors at which a batch ends."""
AHEAD = 12
"""Insertions between the second prefetch of a successor and its own insertion."""

BIAS = 1 << 63
"""Offset that makes the unsigned order of columns and layers equal to their signed order."""

HASH_BITS = 63
"""Bits of each hash that hash compaction stores."""
BIT_FUNCTIONS = 3
"""Bits that bitstate hashing sets for each state."""
