"""How large the arrays of a search are when it begins; what is flushed, thinned out or drained does not grow."""

from __future__ import annotations

LOG_RECORDS = 1 << 16
EXPANDED_WORDS = 1 << 18
EDGE_WORDS = 1 << 16
"""The same where edges are told too, of which whoever listens has several copies at a time."""
RECORDS = 1 << 12
LAYERS = 1 << 10
LEVELS = 1 << 12
ENTRIES = 1 << 14
TABLE = 1 << 14
PAGES = 1 << 8
STACK = 1 << 16
SCRATCH = 1 << 16
LEAST_GROWTH = 8
"""A table grows by this part of it at least."""
NODE_SCRATCH, KEY_SCRATCH = 1 << 12, 1 << 12
RECENT_NODES = 1 << 14
NODE_BITS, FURTHER_NODE_BITS = 24, 4
"""Bits of the numbers that a tree's parts have, and how many more they get when these are used up."""
PATH = 1 << 14
CACHE = 1 << 12
PROFILE_CELLS = 1 << 11
SAMPLED_EDGES = 1 << 8
BOX_WORDS = 1 << 18
"""Words of successors that a thread can put into all its boxes before others take them."""
SHARED_LINKS = 1 << 18
SHARED_STATES, ROUND_STATES = 1 << 11, 1 << 18
"""How many states must wait for several threads to be worth while, and how many they expand in a round."""
