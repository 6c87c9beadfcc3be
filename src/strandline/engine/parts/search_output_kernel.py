"""Output of a search: links for the parent log, expanded states for observers, and counters."""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.runtime.hashing import copy_state, word_count
from strandline.engine.runtime.jit import inlined

U = np.uint64
_1, _2, _63 = U(1), U(2), U(63)


class Journal(NamedTuple):
    """Output buffers.

    `links` is the buffer of the parent log. `expanded` has a state, its labels and the number of its successors per
    expanded state, and is empty without an observer. With an edge observer `sources` are the records of the states in
    `expanded` and `targets` the records of their successors in turn, as far as these are inserted; else both are None.
    """

    links: Any
    expanded: Any
    sources: Any
    targets: Any
    fill: Any
    counts: Any


@inlined
def links_are_full(journal):
    return journal.fill.links == U(len(journal.links))


@inlined
def count_stored(counts, states):
    """Add to the number of stored states and to its peak."""
    counts.stored += states
    if counts.stored > counts.peak_stored:
        counts.peak_stored = counts.stored


@inlined
def log_new_state(journal, link):
    """Append the link of a new state to the buffer, which must have room; return its record."""
    record = journal.counts.recorded
    journal.links[journal.fill.links] = link
    journal.fill.links += _1
    journal.counts.recorded = record + _1
    count_stored(journal.counts, _1)
    return record


@inlined
def count_expanded(counts, successors, labels):
    """Count an expanded state, its successors and a deadlock (bit 63 of the labels)."""
    counts.visited += _1
    counts.transitions += successors
    counts.deadlocks += labels >> _63


@inlined
def expanded_is_full(journal, words):
    """Return True if expanded states are observed and the buffer has no room for another."""
    room = U(len(journal.expanded))
    return room > U(0) and (journal.fill.expanded + _1) * (word_count(words) + _2) > room


@inlined
def record_expanded(journal, words, states, at, successors, labels):
    """Append an expanded state to the observer's buffer, if there is one; it must have room."""
    if len(journal.expanded) > 0:
        width = word_count(words)
        place = journal.fill.expanded * (width + _2)
        copy_state(states, at, journal.expanded, place, words)
        journal.expanded[place + width] = labels
        journal.expanded[place + width + _1] = successors
        journal.fill.expanded += _1


@inlined
def record_source(journal, record):
    """Append the record of the state that is expanded next, if edges are observed."""
    _write(journal.sources, journal.fill.expanded, record)


@inlined
def record_target(journal, record):
    """Append the record of the next successor, if edges are observed; there must be room."""
    if _write(journal.targets, journal.fill.targets, record):
        journal.fill.targets += _1


@inlined
def targets_are_full(journal):
    """Return True if edges are observed and the buffer has no room for another."""
    return _is_full(journal.targets, journal.fill.targets)


@inlined
def _write(buffer, place, value):
    if buffer is not None:
        buffer[place] = value
        return True
    return False


@inlined
def _is_full(buffer, used):
    if buffer is not None:
        return used == U(len(buffer))
    return False
