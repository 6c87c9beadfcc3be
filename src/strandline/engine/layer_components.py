"""The sweep that looks for accepting cycles inside layers: each state is expanded once, as in a plain sweep.

Layers are taken in the order of `strandline.engine.explore`; inside a layer the search is Couvreur's, as in
`strandline.engine.components`, confined to the layer, where the nested search of 001 (Algorithm 2) visits everything
twice. It enters every state of the layer that is not finished, also one that is stored already because it waits:
otherwise the search would not be depth-first and miss cycles. Persistent states that earlier sweeps of the column
have expanded are finished: the cycles through them were closed then.

What cycles over several layers need is noted on the way: which ranks of the property automaton have accepting states (a
cycle never leaves its rank), which persistent states are hit again by a regress edge in a later sweep, and from how far
ahead each layer is (`spans`, by the number of its row).
"""

from __future__ import annotations

import numpy as np

from strandline.engine import registers as r
from strandline.engine.bucket import word_count
from strandline.engine.explore import account, log_new_state
from strandline.engine.intrinsics import call_successors
from strandline.engine.jit import inlined, njit
from strandline.engine.layers import forget_column, forget_layer, has_unexpanded, pop, push, schedule_next
from strandline.engine.marked import (
    FINISHED,
    HIT,
    NUMBER_SHIFT,
    OPEN,
    STATUS,
    add_place,
    entry_at,
    find_place,
    in_current_column,
    mark_at,
    row_of,
)
from strandline.engine.noting import keep_regress, note_layer
from strandline.engine.numbered import NOWHERE

U = np.uint64
_0, _1, _2, _63 = U(0), U(1), U(2), U(63)
_STEP = U(r.STEP_BITS)
_BIAS = U(1 << 63)
_CONTINUE = -1

ACCEPTS, HIT_AGAIN = U(1), U(2)
"""Why a state is suspected of lying on an accepting cycle."""


@inlined
def _suspect(words, at, why, suspect, store, regs):
    """Note a state that may lie on a cycle, with its record."""
    for word in range(word_count(words) + _1):
        suspect[word] = store[at + word]
    regs[r.SUSPECT] = why


@inlined
def _expand(function, words, stride, place, suspect, roots, active, stack, records, buckets, store, labels, regs):
    """Expand a place of the current layer: it is a component of its own for the time being, its marker is on the
    stack, its successors wait in the batch."""
    width = word_count(words)
    row = regs[r.CURRENT]
    at = entry_at(words, place, row, buckets)
    most = U(len(records)) // stride - _1
    count = call_successors(function, store, at, records, _0, np.int64(most), labels)
    if count < 0:
        regs[r.FOUND_RECORD] = store[at + width]
        regs[r.FAULT_CODE] = U(-count)
        return r.FAULT
    if U(count) > most:
        regs[r.WANT_RECORDS] = U(count)
        return r.GROW
    top = (regs[r.STACK_COUNT] + U(count) + _1) * (width + _1)
    if top > U(len(stack)):
        regs[r.WANT_STACK] = top
        return r.GROW
    if _2 * (regs[r.ROOT_COUNT] + _1) > U(len(roots)):
        regs[r.WANT_ROOTS] = _2 * (regs[r.ROOT_COUNT] + _1)
        return r.GROW
    if regs[r.ACTIVE_COUNT] == U(len(active)):
        regs[r.WANT_ACTIVE] = regs[r.ACTIVE_COUNT] + _1
        return r.GROW
    account(_1, U(count), labels[0] >> _63, regs)
    marker = regs[r.STACK_COUNT] * (width + _1)
    stack[marker] = place
    stack[marker + width] = r.NONE
    regs[r.STACK_COUNT] += _1
    regs[r.NUMBER] += _1
    mark = mark_at(words, place, row, buckets)
    store[mark] = (store[mark] & HIT) | OPEN | (regs[r.NUMBER] << NUMBER_SHIFT)
    roots[_2 * regs[r.ROOT_COUNT]] = regs[r.NUMBER]
    roots[_2 * regs[r.ROOT_COUNT] + _1] = labels[0] & regs[r.ACCEPTING]
    regs[r.ROOT_COUNT] += _1
    active[regs[r.ACTIVE_COUNT]] = place
    regs[r.ACTIVE_COUNT] += _1
    if labels[0] & regs[r.ACCEPTING] == regs[r.ACCEPTING]:
        regs[r.RANKS_ACCEPTING] |= _1 << (regs[r.CURRENT_LAYER] & regs[r.RANK_MASK])
        if regs[r.SUSPECT] != HIT_AGAIN:
            _suspect(words, at, ACCEPTS, suspect, store, regs)
    regs[r.SOURCE_PLACE], regs[r.SOURCE_RECORD] = place, store[at + width]
    regs[r.BATCH_COUNT] = U(count)
    regs[r.BATCH_NEXT] = _0
    return _CONTINUE


@inlined
def _hit_again(words, place, row, layer, suspect, buckets, spans, store, regs):
    """An edge back to a persistent state, in a later sweep of the column: if it keeps the rank, it may close a
    cycle."""
    if regs[r.COLUMN_SWEEP] < _2 or (layer ^ regs[r.CURRENT_LAYER]) & regs[r.RANK_MASK] != _0:
        return
    store[mark_at(words, place, row, buckets)] |= HIT
    spans[row // U(r.ROW)] = max(spans[row // U(r.ROW)], regs[r.CURRENT_LAYER])
    if regs[r.RANKS_ACCEPTING] >> (layer & regs[r.RANK_MASK]) & _1 != _0:
        _suspect(words, entry_at(words, place, row, buckets), HIT_AGAIN, suspect, store, regs)


@inlined
def _place(
    words, records, at, link, suspect, buckets, places, heap, pending, keepers, spans, index, store, log, sample,
    regs, scratch,
):  # fmt: skip
    """Put a successor into another layer: ahead of the line or, by a regress edge, behind it."""
    width = word_count(words)
    column, layer = records[at + width] ^ _BIAS, records[at + width + _1] ^ _BIAS
    if column < regs[r.CURRENT_COLUMN]:
        return r.REGRESSING_COLUMN
    if regs[r.LOG_COUNT] == U(len(log)):
        return r.FLUSH
    row = row_of(words, records, at, buckets, places, heap, regs)
    if row == r.NONE:
        return r.GROW
    behind = column == regs[r.CURRENT_COLUMN] and layer < regs[r.CURRENT_LAYER]
    place = find_place(records, at, words, row, buckets, index, store)
    if place == NOWHERE:
        kept = _1 if behind else _0
        record = regs[r.LOG_TOTAL]
        place = add_place(records, at, words, record, _0, kept, row, buckets, index, store, regs, scratch)
        if place == NOWHERE:
            return r.GROW
        log_new_state(link, log, regs)
        if behind:
            regs[r.PERSISTENT] += _1
            if place >> _1 == _0:
                keepers[regs[r.KEEPER_COUNT]] = row
                spans[row // U(r.ROW)] = _0
                regs[r.KEEPER_COUNT] += _1
            regs[r.PENDING_COUNT] = schedule_next(row, pending, buckets, regs[r.PENDING_COUNT])
        else:
            push(row, heap, buckets, regs)
    if behind:
        regs[r.REGRESS_EDGES] += _1
        if regs[r.REGRESS_EDGES] & regs[r.SAMPLE_MASK] == _0:
            source = entry_at(words, regs[r.SOURCE_PLACE], regs[r.CURRENT], buckets)
            keep_regress(words, source, regs[r.BATCH_NEXT], store, sample, regs)
        _hit_again(words, place, row, layer, suspect, buckets, spans, store, regs)
    return _CONTINUE


@inlined
def _absorb(
    words, stride, stack, records, suspect, buckets, places, heap, pending, keepers, spans, index, store, log, sample,
    regs, scratch,
):  # fmt: skip
    """Successors in the layer go onto the stack, others into their layers."""
    width = word_count(words)
    while regs[r.BATCH_NEXT] < regs[r.BATCH_COUNT]:
        step = regs[r.BATCH_NEXT]
        at = step * stride
        link = (regs[r.SOURCE_RECORD] << _STEP) | step
        column, layer = records[at + width] ^ _BIAS, records[at + width + _1] ^ _BIAS
        if column == regs[r.CURRENT_COLUMN] and layer == regs[r.CURRENT_LAYER]:
            top = regs[r.STACK_COUNT] * (width + _1)
            for word in range(width):
                stack[top + word] = records[at + word]
            stack[top + width] = link
            regs[r.STACK_COUNT] += _1
        else:
            code = _place(
                words, records, at, link, suspect, buckets, places, heap, pending, keepers, spans, index, store,
                log, sample, regs, scratch,
            )  # fmt: skip
            if code != _CONTINUE:
                return code
        regs[r.BATCH_NEXT] = step + _1
    regs[r.BATCH_COUNT] = _0
    return _CONTINUE


@inlined
def _merge(number, roots, regs):
    """An edge leads back to an open state: everything entered since is one component with it. Its sets."""
    top = _2 * (regs[r.ROOT_COUNT] - _1)
    sets = _0
    while roots[top] > number:
        sets |= roots[top + _1]
        top -= _2
    roots[top + _1] |= sets
    regs[r.ROOT_COUNT] = (top >> _1) + _1
    return roots[top + _1]


@inlined
def _look_at(words, roots, stack, suspect, buckets, index, store, log, regs, scratch):
    """Take a state of the layer from the stack: enter it, or see whether it closes an accepting cycle."""
    width = word_count(words)
    row = regs[r.CURRENT]
    at = (regs[r.STACK_COUNT] - _1) * (width + _1)
    place = find_place(stack, at, words, row, buckets, index, store)
    if place == NOWHERE:
        if regs[r.LOG_COUNT] == U(len(log)):
            return r.FLUSH
        record = regs[r.LOG_TOTAL]
        place = add_place(stack, at, words, record, _0, _0, row, buckets, index, store, regs, scratch)
        if place == NOWHERE:
            return r.GROW
        log_new_state(stack[at + width], log, regs)
    regs[r.STACK_COUNT] -= _1
    entry = entry_at(words, place, row, buckets)
    mark = store[entry + width + _1]
    if mark & STATUS == _0:
        regs[r.UNEXPANDED] = place + _1
    elif mark & STATUS == OPEN and _merge(mark >> NUMBER_SHIFT, roots, regs) == regs[r.ACCEPTING]:
        regs[r.CYCLE_RECORD] = store[entry + width]
        for word in range(width):
            suspect[word] = store[entry + word]
        return r.CYCLE
    return _CONTINUE


@inlined
def _leave(words, roots, active, stack, buckets, store, regs):
    """The successors of a state are all done; the first of a component finishes it."""
    width = word_count(words)
    row = regs[r.CURRENT]
    place = stack[(regs[r.STACK_COUNT] - _1) * (width + _1)]
    regs[r.STACK_COUNT] -= _1
    number = store[mark_at(words, place, row, buckets)] >> NUMBER_SHIFT
    if roots[_2 * (regs[r.ROOT_COUNT] - _1)] != number:
        return
    regs[r.ROOT_COUNT] -= _1
    member = NOWHERE
    while member != place:
        regs[r.ACTIVE_COUNT] -= _1
        member = active[regs[r.ACTIVE_COUNT]]
        mark = mark_at(words, member, row, buckets)
        store[mark] = (store[mark] & HIT) | FINISHED


@inlined
def _next_layer(buckets, places, heap, pending, keepers, index, store, profile, regs):
    """Move the line on. SWEEP_OVER before the next sweep of a column; COLUMN_OVER before a column is left in which
    cycles over several layers are possible; DONE at the end."""
    if regs[r.CURRENT] != r.NONE:
        note_layer(regs[r.CURRENT], buckets, profile, regs)
        forget_layer(regs[r.CURRENT], buckets, places, index, store, regs)
        regs[r.CURRENT] = r.NONE
        regs[r.RETIRED_LAYERS] += _1
        if not in_current_column(heap, buckets, regs) and regs[r.PENDING_COUNT] > _0:
            return r.SWEEP_OVER
    if not in_current_column(heap, buckets, regs):
        if regs[r.PENDING_COUNT] > _0:
            regs[r.SWEEPS] += _1
            regs[r.COLUMN_SWEEP] += _1
            for number in range(regs[r.PENDING_COUNT]):
                buckets[pending[number] + U(r.QUEUED_NEXT)] = _0
                push(pending[number], heap, buckets, regs)
            regs[r.PENDING_COUNT] = _0
        else:
            possible = regs[r.KEEPER_COUNT] > _0 and regs[r.RANKS_ACCEPTING] != _0
            if possible and regs[r.COLUMN_CHECKED] == _0:
                return r.COLUMN_OVER
            forget_column(buckets, places, keepers, index, store, regs)
            if regs[r.HEAP_COUNT] == _0:
                return r.DONE
            regs[r.COLUMN_SWEEP] = _1
            regs[r.COLUMN_CHECKED] = regs[r.RANKS_ACCEPTING] = _0
    row = pop(heap, buckets, regs)
    regs[r.CURRENT] = row
    regs[r.CURRENT_COLUMN] = buckets[row + U(r.COLUMN)]
    regs[r.CURRENT_LAYER] = buckets[row + U(r.LAYER)]
    return _CONTINUE


@inlined
def _next_root(words, buckets, store, regs):
    """The next state of the layer that was not entered; NOWHERE if there is none."""
    row = regs[r.CURRENT]
    while True:
        bucket = has_unexpanded(row, buckets)
        if bucket == r.NONE:
            return NOWHERE
        place = (buckets[bucket + U(r.HEAD)] << _1) | (_1 if bucket == row + U(r.KEPT) else _0)
        buckets[bucket + U(r.HEAD)] += _1
        if store[mark_at(words, place, row, buckets)] & STATUS == _0:
            return place


@njit
def sweep_layers(
    function, words, stride, budget, regs, suspect, buckets, places, heap, pending, keepers, spans, stack, roots,
    active, records, index, store, log, labels, profile, sample, scratch,
):  # fmt: skip
    """Search on for about `budget` expansions: BUDGET, GROW, FLUSH, FAULT, REGRESSING_COLUMN, SWEEP_OVER,
    COLUMN_OVER, DONE, or CYCLE: the layer has an accepting cycle through the state whose record is
    CYCLE_RECORD and whose words are in `suspect`."""
    stop_at = regs[r.VISITED] + budget
    width = word_count(words)
    while True:
        code = _CONTINUE
        if regs[r.BATCH_COUNT] != _0:
            code = _absorb(
                words, stride, stack, records, suspect, buckets, places, heap, pending, keepers, spans, index,
                store, log, sample, regs, scratch,
            )  # fmt: skip
        elif regs[r.UNEXPANDED] != _0:
            code = _expand(
                function, words, stride, regs[r.UNEXPANDED] - _1, suspect, roots, active, stack, records, buckets,
                store, labels, regs,
            )  # fmt: skip
            if code == _CONTINUE:
                regs[r.UNEXPANDED] = _0
        elif regs[r.STACK_COUNT] != _0:
            if stack[regs[r.STACK_COUNT] * (width + _1) - _1] == r.NONE:
                _leave(words, roots, active, stack, buckets, store, regs)
            else:
                code = _look_at(words, roots, stack, suspect, buckets, index, store, log, regs, scratch)
        elif regs[r.VISITED] >= stop_at:
            return r.BUDGET
        else:
            place = NOWHERE
            if regs[r.CURRENT] != r.NONE:
                place = _next_root(words, buckets, store, regs)
            if place != NOWHERE:
                regs[r.UNEXPANDED] = place + _1
            else:
                code = _next_layer(buckets, places, heap, pending, keepers, index, store, profile, regs)
        if code != _CONTINUE:
            return code


@njit
def insert_initial(
    words, stride, records, links, suspect, buckets, places, heap, pending, keepers, spans, index, store, log, sample,
    regs, scratch,
):  # fmt: skip
    """Put the initial states, `BATCH_COUNT` records, into their layers, from BATCH_NEXT on: CONTINUE (-1), or GROW or
    FLUSH, to be called again. The line is before everything."""
    while regs[r.BATCH_NEXT] < regs[r.BATCH_COUNT]:
        number = regs[r.BATCH_NEXT]
        code = _place(
            words, records, number * stride, links[number], suspect, buckets, places, heap, pending, keepers,
            spans, index, store, log, sample, regs, scratch,
        )  # fmt: skip
        if code != _CONTINUE:
            return code
        regs[r.BATCH_NEXT] = number + _1
    regs[r.BATCH_COUNT] = _0
    return _CONTINUE
