"""Names for the words in which kernels keep their state between calls.

A kernel runs for a bounded number of expansions and keeps everything in arrays, so that a search can be stopped,
shown, grown, resumed. `regs` holds single numbers, `buckets` one row per layer.
"""

from __future__ import annotations

import numpy as np

# What a kernel returns.
DONE, BUDGET, GROW, FAULT, FOUND, FLUSH, REGRESSING_COLUMN, CYCLE, SWEEP_OVER, COLUMN_OVER, BROKEN, PAUSE = range(12)

NONE = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
"""No offset, no layer."""

SIZE_CLASSES = 160
"""Blocks of 16 words to 2^43 words, four sizes an octave."""

# --- single numbers -------------------------------------------------------------------------------------------
(
    VISITED,
    TRANSITIONS,
    DEADLOCKS,
    STOP_MASK,
    FOUND_RECORD,
    FOUND_LABELS,
    FAULT_CODE,
    BATCH_COUNT,
    BATCH_NEXT,
    LOG_COUNT,
    LOG_TOTAL,
    SEEN_COUNT,
    STORED,
    PEAK_STORED,
    PERSISTENT,
    SWEEPS,
    LEVELS,
    LEVEL_END,
    CURRENT,
    CURRENT_COLUMN,
    CURRENT_LAYER,
    LAYERS,
    FREE_LAYER,
    HEAP_COUNT,
    PENDING_COUNT,
    KEEPER_COUNT,
    STACK_COUNT,
    UNEXPANDED,
    WANT_RECORDS,
    WANT_LAYERS,
    WANT_STACK,
    WANT_LEVELS,
    RETIRED_LAYERS,
    REGRESS_EDGES,
    CLUSTERED,
    OVERFULL,
    SPREAD_NEXT,
    SPREAD_PUT_OFF,
    ACCEPTING,
    PATH_COUNT,
    WANT_PATH,
    RED_BASE,
    ROOT_COUNT,
    WANT_ROOTS,
    ACTIVE_COUNT,
    WANT_ACTIVE,
    CYCLE_RECORD,
    CYCLE_LINK,
    CYCLE_ROOT,
    SUCCESSORS,
    WHOLE_COMPONENTS,
    NUMBER,
    SOURCE_RECORD,
    SOURCE_PLACE,
    SOURCE_VALUE,
    COLUMN_SWEEP,
    COLUMN_CHECKED,
    RANK_MASK,
    RANKS_ACCEPTING,
    MEMBERS,
    BLOCK_END,
    SUSPECT,
    PHASE,
    ONLINE,
    TRUE_SWEEPS,
    PREVIOUS_SWEEP,
    THIS_SWEEP,
    CARRIED,
    GARBAGE,
    STAY,
    ROUNDS,
    RED_VISITS,
    VALUE_VISITS,
    REMAINING,
    DELETED,
    DELETE_NEXT,
    INITIAL_COUNT,
    CACHE_RULE,
    CACHE_STATES,
    CACHE_COUNT,
    CACHE_FIRST,
    CACHE_LAST,
    CACHE_DRAWS,
    CACHE_FREE,
    WANT_CACHE,
    REPLACED,
    ENTERED_LINK,
    PROFILE_COUNT,
    PROFILE_AT,
    PROFILE_GRAIN,
    PROFILE_VISITED,
    PROFILE_KNOWN,
    SAMPLE_COUNT,
    SAMPLE_MASK,
    SUBGRAPHS,
    FORMER,
) = range(96)

# A pool's registers, relative to its top.
WANT, IDLE, RELEASED, FREE = 1, 2, 3, 4
INDEX_TOP = 96
STORE_TOP = INDEX_TOP + FREE + SIZE_CLASSES
REGISTERS = STORE_TOP + FREE + SIZE_CLASSES

# --- a layer's row --------------------------------------------------------------------------------------------
# The key (column, layer) is biased by 2^63, so that unsigned order is the order of the numbers.
COLUMN, LAYER, QUEUED, QUEUED_NEXT = range(4)
LIVE, KEPT = 4, 10
ROW = 16

# A bucket inside a row: a hash table over an arena of states in the order of their arrival.
TABLE, TABLE_CLASS, COUNT, ARENA, ARENA_CLASS, HEAD = range(6)

# --- the profile ----------------------------------------------------------------------------------------------
# A cell of it: the keys of its first and its last layer, how many layers it is, and their figures.
FIRST_COLUMN, FIRST_LAYER, LAST_COLUMN, LAST_LAYER, CELL_LAYERS, CELL_STORED = range(6)
CELL_VISITED, CELL_REVISITED, CELL_PERSISTENT = range(6, 9)
CELL = 9

# --- rules by which a cache replaces states -------------------------------------------------------------------
RANDOM, OLDEST, NEWEST, DEEPEST, COLLISION = range(5)

# --- a batch --------------------------------------------------------------------------------------------------
BATCH = 512
"""States that are expanded at most, and successors after which no further one is, before all are inserted."""

# --- the parent log -------------------------------------------------------------------------------------------
STEP_BITS = 24
ROOT = (1 << 40) - 1
"""Parent of an initial state; the step is then the initial state's number."""
