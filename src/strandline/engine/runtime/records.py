"""Records of the scalars that kernels keep between two calls: one record type for each part of a search.

A kernel runs for a bounded number of expansions and keeps everything in arrays and records, so that a search can be
stopped, shown, grown and resumed. Kernels and plain Python read and write the fields by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from strandline.errors import InternalError

_APART = 128


def _kind(*names: str) -> np.dtype[Any]:
    taken = [name for name in names if hasattr(np.record, name)]
    if taken:
        raise InternalError(f"NumPy's records have attributes of these names: {', '.join(taken)}")
    return np.dtype((np.record, [(name, np.uint64) for name in names]))


COUNTS = _kind("visited", "transitions", "deadlocks", "recorded", "stored", "peak_stored")
"""Counters of a `Journal`; `recorded` is the number of links in the parent log so far."""
_OF_STORAGE = {"recorded", "stored", "peak_stored"}
EXPANSION_COUNTS = tuple(name for name in COUNTS.names or () if name not in _OF_STORAGE)
"""The counters that several threads keep each for the states that it expands, and that are added up."""

FILL = _kind("links", "expanded", "targets")
"""Fill levels of the buffers of a `Journal`."""

ANSWER = _kind("stop_mask", "successors", "record", "labels", "fault", "wanted")
"""Result of an `Expansion`.

`stop_mask` are the labels to stop at, `successors` their number. `record`, `labels` and `fault` describe the state at
which the search stopped; `wanted` is the number of successors for which there must be room.
"""

REST = _kind("count", "next", "recognised")
"""State of a `Batch`: number of successors, the next one to be placed, and whether their hashes are complete.

`recognised` is the number of hashes that `complete_hashes` has computed, in stores that compute them late.
"""

SHAPE = _kind(
    "places", "most", "count", "target", "moved", "deferred", "wanted_table", "wanted_entries", "clustered", "overfull",
    "page_bits", "pages", "free_page",
)  # fmt: skip
"""State of a store's table.

`places` is its number of slots, `most` the number of states at which it must grow, `count` the number of states in it.
While it grows to `target` slots, `moved` slots are still to be moved and `deferred` contents are deferred.
`wanted_table` and `wanted_entries` are the array lengths a kernel needs. Paged stores also count their pages.
"""

FORM = _kind("bits", "buckets", "shift", "rest", "room", "half", "narrow")
"""Layout of a bucket table of quotients.

`bits` is the width of keys, `buckets` the number of buckets, `shift` its logarithm, `rest` the number of bits of a
key's remainder and `room` the number of keys per bucket. In a `Tree`, `half` is the width of each of the two node
numbers of a key, and `narrow` is set if they need more bits.
"""

LINE = _kind(
    "row", "column", "layer", "sweeps", "column_sweep", "layers_left", "persistent", "regress_edges",
    "rows", "free_row", "waiting", "pending", "keepers", "wanted_rows", "observed", "notified", "leaving", "partial",
    "placed", "placed_row", "outcome",
)  # fmt: skip
"""State of the sweep line over `Layers`.

Position and counters of the line; numbers of rows, of queued layers (`waiting`), of layers with roots of the next sweep
(`pending`) and with persistent states (`keepers`); the events to report (`observed`) and those reported already
(`notified`); `partial` is set if progress is partially ordered. `placed` and `outcome` are the result of
`place_successor`.
"""

ROW = _kind("column", "layer", "queued", "roots", "ring", "span")
"""A layer ahead of the line, or one with persistent states.

The key is biased. `queued` is set while the layer is in the heap; `roots` is the first persistent state, counted from
1, that is a root of the next sweep. Cycle searches use `ring`, the last queued state, counted from 1, and `span`, the
highest layer from which an edge leads back to this one.
"""

CHAIN = _kind("first", "last", "count", "taken", "page", "offset")
"""The states of a layer in the order of their arrival.

First and last page, counted from 1; how many states there are and how many were taken for expansion; the position of
the next one.
"""

RECORDER = _kind(
    "cells", "at", "grain", "visited", "known", "sampled", "sample_mask",
)  # fmt: skip
"""State of a `Recorder`.

Number of cells of the profile, the last used cell, layers per cell, expansions already assigned, whether the layer was
known; number of sampled regress edges and the sampling mask.
"""

CELL = _kind(
    "first_column", "first_layer", "last_column", "last_layer", "layers", "stored", "visited", "revisited",
    "persistent",
)  # fmt: skip
"""A cell of the profile: the keys of its first and last layer, the number of layers, and their figures."""

LEVELS = _kind("count", "end", "head", "wanted")
"""State of a breadth-first search: number of levels begun, end of the last one, next state to be expanded."""

DISK_EXPANSION = _kind("next", "count", "record", "queued", "measured", "grain")
"""State of the expansion of a piece in a search on disk.

The next state and the number of states, the record of the first; the number of queued successors in memory; whether
there is a measure; `grain`, the number of low bits of layers that are ignored, so that neighbouring layers are one.
"""

ROUND = _kind(
    "states_end", "states_claimed", "numbers_end", "numbers_claimed", "links_begin", "records_end", "stop_at",
    "least_states", "least_encoded",
)  # fmt: skip
"""Limits of a breadth-first search by several threads.

Of a round: the end of the states to expand and of the records for new ones, and how many of each are claimed at a time.
The record of the first link in the buffer; the end of the records that the limit on states allows; the number of
expansions after which the kernel returns; the least size of a level that several threads expand; and the least number
of links that the threads encode, rather than the writer of the parent log.
"""

CLAIM = _kind("thread", "threads", "arrivals", "state", "states_end", "number", "numbers_end", "waited")
"""State of one thread of a breadth-first search.

Its number and the number of threads; the arrivals at the barrier that end its next wait; the ranges that it has
claimed: states to expand, and records for new states; and the nanoseconds that it has waited at barriers.
"""

SHARD = _kind("number", "threads", "phase", "arrivals", "room", "waited")
"""State of one shard of a sweep.

Its number and the number of shards, the phase, the number of arrivals at the barrier that ends the next wait, the
capacity of a mailbox in successors, and the nanoseconds that its thread has waited at barriers.
"""

STACK = _kind("count", "wanted", "unexpanded", "link")
"""State of a `Stack`: number of items; the next state to be expanded, counted from 1, and the link that entered it."""

CACHE = _kind(
    "states", "rule", "count", "first", "last", "draws", "places", "free", "replaced", "path",
    "wanted_path", "wanted_cache",
)  # fmt: skip
"""State of a search with a bounded cache.

Its capacity and replacement rule; the number and the ends of the list of cached states; entries in use, the first free
one, and the length of the path.
"""

WALK = _kind("seed", "number", "most", "begun", "chance", "initial", "length", "longest", "steps", "ended")
"""State of random walks.

Seed, number of the present walk and of all walks; whether it has begun, its random state, initial state and length; the
longest length, the steps of all walks, and how many ended in a deadlock.
"""

MATCH = _kind(
    "event", "last", "candidates", "stamp", "at_most", "queued", "found", "misses", "wanted", "fault", "observations",
    "places", "answers",
)  # fmt: skip
"""State of matching a log.

The next event of a batch and their number; the number of candidates; the stamp of the entries that are valid in both
tables; the bound on unlogged steps. Of the present event: states before it and states after it so far, and questions
whose answers are unknown; the number of successors for which there must be room; whether an expression faulted. The
most expressions of a question; slots of the tables of states, and of the table of answers.
"""

NESTED = _kind("accepting", "path", "wanted_path", "second", "record")
"""State of a nested depth-first search.

Length of the path, the path position at which the second search began (0 if none runs), and the state where a cycle
begins.
"""

COMPONENTS = _kind(
    "accepting", "roots", "wanted_roots", "active", "wanted_active", "whole", "record", "first", "states",
)  # fmt: skip
"""State of a search for SCCs.

Numbers of open components and of their states; whether whole accepting components are reported. Of an accepting
component: a state of it, its first state and, once finished, its number of states.
"""

LOOP = _kind("accepting", "head", "source", "link")
"""State of a search for a loop: next state, the state expanded last, and the edge that closes the loop."""

PREDECESSORS = _kind(
    "accepting", "subgraphs", "rounds", "last", "carried", "former", "remaining", "deleted", "delete_next", "initial",
    "record",
)  # fmt: skip
"""State of MAP.

Last state of the queue, counted from 1; the value that the batch carries; remaining accepting states; progress of the
delete transformation; number of initial states; a state on a cycle.
"""


LTL_SWEEP = _kind(
    "accepting", "phase", "online", "true_sweeps", "source", "previous_sweep", "this_sweep", "second", "carried",
    "garbage", "stay", "rounds", "red_visits", "value_visits", "found",
)  # fmt: skip
"""State of the published LTL-Sweep.

The phase; the record of the state expanded last; the first records of this sweep and the one before; where the red
search stands on the stack; the value that the batch carries; visited states of the present stay of the line; counters;
and the entry of a state on a cycle.
"""

CYCLE_SWEEP = _kind(
    "number", "source", "source_record", "value", "rank_mask", "ranks_accepting", "members", "block_end",
    "suspect", "record",
)  # fmt: skip
"""State of our sweep for cycles.

Number of entered states; entry, record and value of the state expanded last; the mask of ranks and the ranks with
accepting states; number of members and end of the block; why a state is suspected; the record of a state on a cycle.
"""


def record(kind: np.dtype[Any], **values: int) -> Any:
    """Make a record, zero but for the given values, that shares no cache line with another one."""
    made: Any = np.zeros(1 + -(-_APART // kind.itemsize), dtype=kind)[0]
    for name, value in values.items():
        setattr(made, name, value)
    return made


def rows_of(words: np.ndarray[Any, Any], kind: np.dtype[Any]) -> Any:
    """View an array of words as an array of records; trailing words that make no whole record are left out."""
    size = kind.itemsize // 8
    return words[: len(words) // size * size].view(kind)


def fields(kind: np.dtype[Any]) -> Sequence[str]:
    """Return the field names of a record type."""
    return kind.names or ()


def counters_of(values: Any, kind: np.dtype[Any]) -> dict[str, int]:
    """Return the fields of a record by name."""
    return {name: int(getattr(values, name)) for name in fields(kind)}
