"""What a search tells of its way: links for the parent log, the states it expanded, and its counts."""

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
    """`links` is the buffer of the parent log, `expanded` that of the states that were expanded: a state, its labels,
    and how many successors it has. The latter has no room at all where nobody wants to know. Where somebody wants to
    know edges, `sources` are the records of the states in `expanded`, and `targets` those of their successors in turn,
    as far as these are placed; else both are None."""

    links: Any
    expanded: Any
    sources: Any
    targets: Any
    fill: Any
    counts: Any


@inlined
def links_full(journal):
    return journal.fill.links == U(len(journal.links))


@inlined
def count_stored(counts, states):
    """So many states more are stored."""
    counts.stored += states
    if counts.stored > counts.peak_stored:
        counts.peak_stored = counts.stored


@inlined
def log_new_state(journal, link):
    """A state was stored: append its link, for which there must be room. The answer is its record."""
    record = journal.counts.recorded
    journal.links[journal.fill.links] = link
    journal.fill.links += _1
    journal.counts.recorded = record + _1
    count_stored(journal.counts, _1)
    return record


@inlined
def count_expanded(counts, successors, labels):
    """A state was expanded."""
    counts.visited += _1
    counts.transitions += successors
    counts.deadlocks += labels >> _63


@inlined
def expanded_full(journal, words):
    """Whether somebody wants to know of expanded states and there is no room for another."""
    room = U(len(journal.expanded))
    return room > U(0) and (journal.fill.expanded + _1) * (word_count(words) + _2) > room


@inlined
def tell_expanded(journal, words, states, at, successors, labels):
    """Tell of an expanded state if somebody wants to know; there must be room."""
    if len(journal.expanded) > 0:
        width = word_count(words)
        place = journal.fill.expanded * (width + _2)
        copy_state(states, at, journal.expanded, place, words)
        journal.expanded[place + width] = labels
        journal.expanded[place + width + _1] = successors
        journal.fill.expanded += _1


@inlined
def tell_source(journal, record):
    """Tell the record of a state that is told of as expanded next, if somebody wants to know edges."""
    _write(journal.sources, journal.fill.expanded, record)


@inlined
def tell_target(journal, record):
    """Tell the record of the next successor, if somebody wants to know edges; there must be room."""
    if _write(journal.targets, journal.fill.targets, record):
        journal.fill.targets += _1


@inlined
def targets_full(journal):
    """Whether somebody wants to know edges and there is no room for another."""
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
