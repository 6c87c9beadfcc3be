"""The single numbers that kernels keep between two calls, as records: one kind for each part of a search.

A kernel runs for a bounded number of expansions and keeps everything in arrays and records, so that a search can be
stopped, shown, grown, resumed. In a kernel and in plain Python alike a field is read and written by its name.
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
        raise InternalError(f"NumPy's records have attributes of these names already: {', '.join(taken)}")
    return np.dtype((np.record, [(name, np.uint64) for name in names]))


COUNTS = _kind("visited", "transitions", "deadlocks", "recorded", "stored", "peak_stored")
"""Of a `Journal`; `recorded` is the number of links in the parent log so far."""

FILL = _kind("links", "expanded", "targets")
"""Of a `Journal`: how much of its buffers is used."""

ANSWER = _kind("stop_mask", "successors", "record", "labels", "fault", "wanted")
"""Of an `Expansion`: what the search stops at; the number of successors; record, labels and fault of a state at which
it stopped; for how many successors there must be room."""

REST = _kind("count", "next", "recognised")
"""Of a `Batch`: how many successors it has, the first that is not placed, and of how many the hash is known, of a store
that tells it later."""

SHAPE = _kind(
    "places", "most", "count", "target", "moved", "put_off", "wanted_table", "wanted_entries", "clustered", "overfull",
    "page_bits", "pages", "free_page",
)  # fmt: skip
"""Of a store: how many places its table has, how many states these are for, and how many are there; while it
grows to `target` places, how far that is; what must grow first. Of one with pages also how many there are."""

FORM = _kind("bits", "lines", "shift", "rest", "room", "half", "narrow")
"""Of a table of quotients: how many bits keys have, how many lines there are, the logarithm of that, how many bits of a
key lie in the rest of a line, and how many keys have room in one. Of a `Tree` also how many bits of a key are each of
its two numbers, and whether numbers need more bits."""

LINE = _kind(
    "row", "column", "layer", "sweeps", "column_sweep", "layers_left", "persistent", "regress_edges",
    "rows", "free_row", "waiting", "pending", "keepers", "wanted_rows", "listening", "told", "leaving", "partial",
    "placed", "placed_row", "outcome",
)  # fmt: skip
"""Of `Layers`: where the line is and what it has done; how many rows, waiting layers, layers with roots for the next
sweep and layers with persistent states there are; whether somebody listens to finished layers;
whether progress is partially ordered."""

ROW = _kind("column", "layer", "queued", "roots", "ring", "span")
"""A layer ahead of the line or with persistent states: its key, biased; whether it waits for the line; and from which
persistent state on, counted from 1, its roots of the next sweep are. For searches for cycles: the last of the states
that wait in a ring, counted from 1, and the highest layer from which an edge leads back to this one."""

CHAIN = _kind("first", "last", "count", "taken", "page", "offset")
"""States of a layer in the order of their arrival: the first and the last page, counted from 1; how many states there
are and how many were taken for expansion; where the next one lies."""

NOTES = _kind(
    "cells", "at", "grain", "visited", "known", "sampled", "sample_mask",
)  # fmt: skip
"""Of `Notes`: how many cells the profile has, the one used last, how many layers a cell is for, the expansions already
noted, whether the layer was there before; how many regress edges are kept, and which are."""

CELL = _kind(
    "first_column", "first_layer", "last_column", "last_layer", "layers", "stored", "visited", "revisited",
    "persistent",
)  # fmt: skip
"""A part of the profile: the keys of its first and its last layer, how many layers it is, and their figures."""

LEVELS = _kind("count", "end", "head", "wanted")
"""Breadth-first: how many levels were begun, where the last ends, the next state to be expanded."""

SPREAD = _kind("next", "count", "record", "waiting", "measured", "grain")
"""Of a search that spills: the state to be expanded next and how many there are, the record of the first; how many
successors wait in memory; whether there is a measure; the lowest bits of a layer's key that are left out, so that
neighbours are taken together."""

ROUND = _kind("states_end", "numbers_begin", "numbers_end", "numbers_drawn")
"""Of several threads: up to which state they expand; which numbers new states may have, and how many are drawn at a
time."""

DRAWN = _kind("state", "states_end", "number", "numbers_end")
"""What one of several threads has drawn: states to expand, and numbers for new ones."""

MEMBER = _kind("number", "members", "stage", "met", "room")
"""Of one of the threads that sweep together: its number, how many there are, what they are at, how many times threads
came to meet before its next step, and how many successors have room in a box."""

STACK = _kind("count", "wanted", "unexpanded", "link")
"""Of a `Stack`: how many items it has; the state to be expanded next, counted from 1, and the link by which it was
entered."""

CACHE = _kind(
    "states", "rule", "count", "first", "last", "draws", "places", "free", "replaced", "path",
    "wanted_path", "wanted_cache",
)  # fmt: skip
"""Of a search with a cache: how many states it may keep and by which rule; what it keeps; how many entries were used,
and the first that is free; how long the path is."""

WALK = _kind("seed", "number", "most", "begun", "chance", "initial", "length", "longest", "steps", "ended")
"""Of random walks: their seed; the number of the present one and how many there are to be; whether it has begun, its
chance, initial state and length so far; the longest one, the steps of all, and how many came to where no step is."""

NESTED = _kind("accepting", "path", "wanted_path", "second", "record")
"""Of nested depth-first search: how long the path is, where on it the second search began (0: there is none), and the
state at which a cycle begins."""

COMPONENTS = _kind(
    "accepting", "roots", "wanted_roots", "active", "wanted_active", "whole", "record", "first", "states",
)  # fmt: skip
"""Of a search for components: how many are not finished, and how many states these have; whether finished ones are told
of. Of an accepting one: a state of it, its first state, and, finished, how many states it has."""

LOOP = _kind("accepting", "head", "source", "link")
"""Of a search for a loop: the next state to be expanded, the one expanded last, and the edge that closes the loop."""

PREDECESSORS = _kind(
    "accepting", "subgraphs", "rounds", "last", "carried", "former", "remaining", "deleted", "delete_next", "initial",
    "record",
)  # fmt: skip
"""Of MAP: the last state of the queue, counted from 1; what the batch carries; how many accepting states are left; how
far the delete transformation is; how many initial states there are; a state on a cycle."""


LTL_SWEEP = _kind(
    "accepting", "phase", "online", "true_sweeps", "source", "previous_sweep", "this_sweep", "second", "carried",
    "garbage", "stay", "rounds", "red_visits", "value_visits", "found",
)  # fmt: skip
"""Of the published LTL-Sweep: what it is doing; the record of the state expanded last; the first records of this sweep
and the one before; where the red search stands on the stack; what the batch carries; states of this stay of the line
that were visited; what it has done; and the entry of a state on a cycle."""

SWEPT = _kind(
    "number", "source", "source_record", "value", "rank_mask", "ranks_accepting", "members", "block_end",
    "suspect", "record",
)  # fmt: skip
"""Of our own sweep for cycles: how many states were entered; the entry and the record of the one expanded last and the
value that it hands on; ranks, and which of them have accepting states; how many members a round has and where the
block of layers ends; why a state is suspected; the record of a state on a cycle."""


def record(kind: np.dtype[Any], **values: int) -> Any:
    """A record of a kind, all zero but for what is given. It shares no cache line with another."""
    made: Any = np.zeros(1 + -(-_APART // kind.itemsize), dtype=kind)[0]
    for name, value in values.items():
        setattr(made, name, value)
    return made


def rows_of(words: np.ndarray[Any, Any], kind: np.dtype[Any]) -> Any:
    """An array of words as an array of records; the last words are left out where they make no whole one."""
    size = kind.itemsize // 8
    return words[: len(words) // size * size].view(kind)


def fields(kind: np.dtype[Any]) -> Sequence[str]:
    """The names of a kind's fields."""
    return kind.names or ()
