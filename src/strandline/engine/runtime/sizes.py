"""Initial sizes of the arrays of a search; buffers that are flushed, thinned out or drained do not grow."""

from __future__ import annotations

LOG_RECORDS = 1 << 16
EXPANDED_WORDS = 1 << 18
EDGE_WORDS = 1 << 16
"""Buffer size when an edge observer is attached; smaller, because the observer buffers several copies."""
RECORDS = 1 << 12
LAYERS = 1 << 10
LEVELS = 1 << 12
ENTRIES = 1 << 14
TABLE = 1 << 14
PAGES = 1 << 8
STACK = 1 << 16
SCRATCH = 1 << 16
LEAST_GROWTH = 8
"""A table grows by at least this fraction (1/8) of its size."""
NODE_SCRATCH, KEY_SCRATCH = 1 << 12, 1 << 12
RECENT_NODES = 1 << 14
NODE_BITS, FURTHER_NODE_BITS = 24, 4
"""Bits of the node numbers of tree compression, and how many are added when these are used up."""
PATH = 1 << 14
CACHE = 1 << 12
PROFILE_CELLS = 1 << 11
SAMPLED_EDGES = 1 << 8
MAILBOX_WORDS = 1 << 18
"""Capacity of all mailboxes of a thread, in words."""
SHARED_LINKS, MOST_SHARED_LINKS = 1 << 17, 1 << 20
"""Links in the buffer of several threads that search breadth-first: for each thread, and at most."""
SHARED_ENCODED = 1 << 14
"""Least number of links that several threads encode together."""
STATES_ALONE = 1 << 19
"""States that one thread stores before others are started, unless their number is given."""
SHARED_STATES = 1 << 11
"""Smallest frontier that is expanded by several threads."""
SHARED_DEFERRED = 5 << 12
"""Slots that a thread can defer while the table grows: all of a small rest of the table, and some of larger parts."""
