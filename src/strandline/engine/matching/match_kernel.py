"""The loop that matches the events of a log with steps of a model: candidate states in, candidate states out.

For each event, the candidates and the states that unlogged steps reach from them are queued. Each is expanded; a
successor is a candidate behind the event if its action is one of the pattern's alternatives and every check agrees. A
check computes the expressions of a question and looks up whether these values agree with the logged value: the table of
answers is filled by the driver, which asks the definition (`strandline.conformance.questions`). An event whose answers
are missing is matched again when they are known; so is one for which an array was too small.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strandline.engine.runtime.codes import BUDGET, CONTINUE, DONE, FAULT, FLUSH, FOUND, GROW
from strandline.engine.runtime.hashing import copy_state, home, same_state, state_hash
from strandline.engine.runtime.intrinsics import call_successors
from strandline.engine.runtime.jit import inlined, njit

U = np.uint64
_0, _1, _2, _32 = U(0), U(1), U(2), U(32)
_LOW = U(0xFFFF_FFFF)
_YES, _NO, _UNKNOWN = U(1), U(0), U(2)
NOWHERE = U(0xFFFF_FFFF_FFFF_FFFF)


class Model(NamedTuple):
    """The compiled model: addresses of two functions, the words of a state and of a record, and a buffer for records.

    `unlogged` is 1 for each action that is not logged.
    """

    successors: Any
    observe: Any
    words: Any
    stride: Any
    records: Any
    labels: Any
    unlogged: Any


class Patterns(NamedTuple):
    """The steps that events may be.

    Row p of `rows` has the first and the last alternative of pattern p, the bounds of its checks before and after the
    step, and 1 if it is no step. A row of `alternatives` has an action and the bounds of the checks of its arguments; a
    row of `checks` has a question and the place of the logged value in an event. `events` are the patterns of a batch,
    and event e has the numbers of its logged values from `values[starts[e]]` on: an odd one has an integer in its upper
    bits. `plain` is 1 for questions whose answer is the value of their only expression.
    """

    rows: Any
    alternatives: Any
    checks: Any
    events: Any
    starts: Any
    values: Any
    plain: Any


class Sets(NamedTuple):
    """Sets of states: candidates, the queue of states before the event, the states found after it, and their tables.

    A row of `origins` has the depth of a queued state, the queued state from which it was reached, and the action.
    """

    candidates: Any
    queue: Any
    found: Any
    origins: Any
    queue_table: Any
    found_table: Any


class Answers(NamedTuple):
    """The table of answers.

    Keys (question, logged value, values of its expressions) and whether they agree; a buffer of missing keys; and the
    values computed last.
    """

    keys: Any
    agree: Any
    missing: Any
    values: Any


class Matching(NamedTuple):
    """All that the loop works on; `state` is a record of type `MATCH`, `taken` has two marks for each action.

    The marks: 1 if some run that matches takes the action, and 1 if all runs that match an event take it there.
    """

    model: Model
    patterns: Patterns
    sets: Sets
    answers: Answers
    taken: Any
    state: Any


@inlined
def _insert(table, states, count, row, at, words, places, stamp):
    """Insert a state into a set unless it is there; return whether it was inserted."""
    slot = home(state_hash(row, at, words), places)
    while True:
        entry = table[slot]
        if entry >> _32 != stamp:
            table[slot] = (stamp << _32) | count
            copy_state(row, at, states, count * words, words)
            return True
        if same_state(states, (entry & _LOW) * words, row, at, words):
            return False
        slot += _1
        if slot == places:
            slot = _0


@inlined
def _answer(matching, question, value, count):
    """Look up whether the values computed last agree with a logged value."""
    answers, state = matching.answers, matching.state
    width = state.observations + _2
    values = answers.values
    values[0] = question
    values[1] = value
    for number in range(count + _2, width):
        values[number] = _0
    slot = home(state_hash(values, _0, width), state.answers)
    while True:
        known = answers.agree[slot]
        if known == _UNKNOWN:
            break
        if same_state(answers.keys, slot * width, values, _0, width):
            return known
        slot += _1
        if slot == state.answers:
            slot = _0
    if state.misses < U(len(answers.missing)) // width:
        copy_state(values, _0, answers.missing, state.misses * width, width)
        state.misses += _1
    return _NO


@inlined
def _agrees(matching, array, at, first, last):
    """Return True if the checks from `first` to `last` agree with the state at `array[at]`, as far as is known."""
    model, patterns = matching.model, matching.patterns
    checks, start = patterns.checks, patterns.starts[matching.state.event]
    for check in range(first, last):
        question = checks[_2 * check]
        count = call_successors(model.observe, array, at, matching.answers.values, _2, np.int64(question), model.labels)
        if count < 0:
            matching.state.fault = _1
            return False
        value = patterns.values[start + checks[_2 * check + _1]]
        if patterns.plain[question] == 1 and value & _1 == _1:
            if np.int64(matching.answers.values[_2]) != np.int64(value) >> np.int64(1):
                return False
        elif _answer(matching, question, value, U(count)) != _YES:
            return False
    return True


@inlined
def _mark_unlogged(matching, queued):
    """Mark the unlogged actions on the way to a queued state."""
    origins = matching.sets.origins
    while origins[U(3) * queued] != _0:
        matching.taken[_2 * origins[U(3) * queued + _2]] = 1
        queued = origins[U(3) * queued + _1]


@inlined
def _begin(matching):
    """Queue the candidates."""
    sets, state, words = matching.sets, matching.state, matching.model.words
    state.stamp += _1
    state.queued = _0
    state.found = _0
    state.misses = _0
    state.fault = _0
    for number in range(state.candidates):
        at = U(number) * words
        if _insert(sets.queue_table, sets.queue, state.queued, sets.candidates, at, words, state.places, state.stamp):
            sets.origins[U(3) * state.queued] = _0
            state.queued += _1


@inlined
def _find(matching, row, at, queued):
    """Add a state behind the event; return whether there is room for one more."""
    sets, state, words = matching.sets, matching.state, matching.model.words
    if _insert(sets.found_table, sets.found, state.found, row, at, words, state.places, state.stamp):
        state.found += _1
    _mark_unlogged(matching, queued)
    return _2 * state.found < state.places


@inlined
def _is_alternative(matching, action, queued, record, row):
    """Return True if a step may be the event: an alternative has its action, and all checks agree."""
    patterns, sets, words = matching.patterns, matching.sets, matching.model.words
    for number in range(patterns.rows[row], patterns.rows[row + _1]):
        at = U(3) * U(number)
        if patterns.alternatives[at] == action and _agrees(
            matching, sets.queue, queued * words, patterns.alternatives[at + _1], patterns.alternatives[at + _2]
        ):
            return _agrees(
                matching, matching.model.records, record, patterns.rows[row + U(4)], patterns.rows[row + U(5)]
            )
    return False


@inlined
def _match_event(matching):
    """Match the next event of the batch."""
    model, patterns, sets, state = matching.model, matching.patterns, matching.sets, matching.state
    words, row = model.words, U(7) * patterns.events[state.event]
    stays = patterns.rows[row + U(6)] == _1
    _begin(matching)
    queued, sure, single = _0, NOWHERE, True
    while queued < state.queued:
        here = queued * words
        depth = sets.origins[U(3) * queued]
        agreed = _agrees(matching, sets.queue, here, patterns.rows[row + _2], patterns.rows[row + U(3)])
        if (
            stays
            and agreed
            and _agrees(matching, sets.queue, here, patterns.rows[row + U(4)], patterns.rows[row + U(5)])
        ) and not _find(matching, sets.queue, here, queued):
            return GROW
        capacity = U(len(model.records)) // model.stride - _1
        count = call_successors(model.successors, sets.queue, here, model.records, _0, np.int64(capacity), model.labels)
        if count < 0:
            return FAULT
        if U(count) > capacity:
            state.wanted = U(count)
            return GROW
        for number in range(U(count)):
            record = U(number) * model.stride
            action = model.records[record + model.stride - _1]
            if (
                depth < state.at_most
                and model.unlogged[action] == 1
                and _insert(
                    sets.queue_table, sets.queue, state.queued, model.records, record, words, state.places, state.stamp
                )
            ):
                sets.origins[U(3) * state.queued] = depth + _1
                sets.origins[U(3) * state.queued + _1] = queued
                sets.origins[U(3) * state.queued + _2] = action
                state.queued += _1
                if _2 * state.queued >= state.places:
                    return GROW
            if agreed and not stays and _is_alternative(matching, action, queued, record, row):
                matching.taken[_2 * action] = 1
                single = single and sure in (NOWHERE, action)
                sure = action
                if not _find(matching, model.records, record, queued):
                    return GROW
        queued += _1
    if state.fault != _0:
        return FAULT
    if state.misses != _0:
        return FLUSH
    if state.found == _0:
        return FOUND
    if sure != NOWHERE and single:
        matching.taken[_2 * sure + _1] = 1
    for word in range(state.found * words):
        sets.candidates[word] = sets.found[word]
    state.candidates = state.found
    return CONTINUE


@njit
def match_events(matching, budget):
    """Match the events of a batch; return DONE, or why the next event is not matched yet.

    GROW: an array is too small. FLUSH: answers are missing. FAULT: a step or an expression faults, so that the
    definition must match the event. FOUND: no state matches the event. BUDGET: as many events as allowed are matched.
    """
    state = matching.state
    while state.event < state.last:
        if budget == _0:
            return BUDGET
        code = _match_event(matching)
        if code != CONTINUE:
            return code
        state.event += _1
        budget -= _1
    return DONE


@njit
def free_slot(agree, key):
    """Return the slot of the table of answers in which a new key is stored."""
    places = U(len(agree))
    slot = home(state_hash(key, _0, U(len(key))), places)
    while agree[slot] != _UNKNOWN:
        slot += _1
        if slot == places:
            slot = _0
    return slot
