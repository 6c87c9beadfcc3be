"""How large the arrays of a search are when it begins; all but the log and the list of seen states grow."""

from __future__ import annotations

LOG_RECORDS = 1 << 17
SEEN_WORDS = 1 << 18
RECORDS = 1 << 12
LAYERS = 1 << 10
LEVELS = 1 << 12
POOL = 1 << 14
STACK = 1 << 16
SCRATCH = 1 << 16
