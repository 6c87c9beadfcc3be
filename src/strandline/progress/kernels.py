"""Numba kernels over a sample of the state graph: compute its edges, sweep over it by given ranks, order values.

They visit every edge of the sample, some of them hundreds of times, too often for Python. All arrays are allocated by
the caller. The kernels of the engine explore a Kernel; these only process a stored sample.
"""

# Numba infers and checks the types of kernels when it compiles them.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from strandline.engine.runtime.hashing import state_hash
from strandline.engine.runtime.intrinsics import call_successors
from strandline.engine.runtime.jit import inlined, njit

U = np.uint64
_0, _1 = U(0), U(1)

PEAK, VISITED, PERSISTENT, REGRESS_EDGES, SWEEPS, LAYERS, FIGURES = 0, 1, 2, 3, 4, 5, 6
"""Indices into the output of `sweep`."""

_LIVE, _KEPT, _STORED = 1, 2, 3


@njit
def enter(states, words, count, table):
    """Insert the numbers of `count` states, plus one, into an empty hash table; its size is a power of two."""
    mask = U(len(table) - 1)
    for number in range(count):
        slot = state_hash(states, U(number) * words, words) & mask
        while table[slot] != 0:
            slot = (slot + _1) & mask
        table[slot] = number + 1


@njit
def link(function, states, words, first, last, table, records, labels, offsets, targets):
    """Compute the edges of the states from `first` on: the numbers of their targets, -1 outside the sample.

    `offsets` receives the beginning of each state's edges. Returns the first state that was not processed because it
    has more successors than fit `records`; a state whose successors fault has none.
    """
    mask = U(len(table) - 1)
    most = np.int64(len(records)) // np.int64(words) - 1
    for number in range(first, last):
        count = call_successors(function, states, U(number) * words, records, _0, most, labels)
        if count > most:
            return number
        for step in range(count):
            at = U(step) * words
            slot = state_hash(records, at, words) & mask
            target = -1
            # Linear probing, as `enter` inserts: an empty slot means that the state is not in the sample.
            while table[slot] != 0:
                other = table[slot] - 1
                same = True
                for word in range(words):
                    if states[U(other) * words + word] != records[at + word]:
                        same = False
                        break
                if same:
                    target = other
                    break
                slot = (slot + _1) & mask
            targets[offsets[number] + step] = target
    return last


@njit
def walk(function, words, start, length, states, fresh, records, labels):
    """Take random walks, one after the other, each at most `length` steps, until `states` is full.

    `fresh` is 1 where a walk begins. A walk ends at a deadlock. The pseudo-random numbers are the same every time.
    """
    most = np.int64(len(records)) // np.int64(words) - 1
    initial = np.int64(len(start)) // np.int64(words)
    count = np.int64(len(fresh))
    seed = U(0x9E3779B97F4A7C15)
    steps = length
    choice, found = np.int64(0), np.int64(0)
    for number in range(count):
        # Xorshift (Marsaglia 2003). Its low bits are the weakest, so choices use the upper ones.
        seed ^= seed << U(13)
        seed ^= seed >> U(7)
        seed ^= seed << U(17)
        at = U(number) * words
        if steps < length and found > 0:
            choice = np.int64((seed >> U(11)) % U(found))
            steps += 1
            fresh[number] = 0
            for word in range(words):
                states[at + word] = records[U(choice) * words + word]
        else:
            choice = np.int64((seed >> U(11)) % U(initial))
            steps = 0
            fresh[number] = 1
            for word in range(words):
                states[at + word] = start[U(choice) * words + word]
        found = min(call_successors(function, states, at, records, _0, most, labels), most)


@njit
def refine(first, first_count, second, second_count, result, order, buffer, counts):
    """Compute the lexicographic order of two rankings as a ranking without gaps; return the number of ranks.

    Radix sort: sort by the second, then stably by the first. `order` and `buffer` have an entry per state, `counts` one
    per rank of either, and one more.
    """
    _sort(second, second_count, counts, order, buffer, False)
    _sort(first, first_count, counts, buffer, order, True)
    rank = 0
    for number in range(len(order)):
        state = order[number]
        if number > 0:
            before = order[number - 1]
            if first[state] != first[before] or second[state] != second[before]:
                rank += 1
        result[state] = rank
    return rank + 1


@inlined
def _sort(ranks, count, counts, before, after, given):
    """Sort states by rank into `after`, by counting sort.

    Sorts the states in `before` if `given`, else all states in their own order.
    """
    for rank in range(count + 1):
        counts[rank] = 0
    for state in range(len(ranks)):
        counts[ranks[state] + 1] += 1
    for rank in range(count):
        counts[rank + 1] += counts[rank]
    for number in range(len(ranks)):
        state = before[number] if given else number
        after[counts[ranks[state]]] = state
        counts[ranks[state]] += 1


@inlined
def _push(state, rank, following, heads, tails, bits):
    """Append a state to the queue of its layer."""
    following[state] = -1
    if heads[rank] < 0:
        heads[rank] = state
        bits[rank >> 6] |= _1 << U(rank & 63)
    else:
        following[tails[rank]] = state
    tails[rank] = state


@inlined
def _next_rank(line, bits):
    """Return the first layer with a queued state from the line on, or -1."""
    group = line >> 6
    # Mask off the ranks before the line, then skip empty words, bytes and bits.
    word = bits[group] & (~_0 << U(line & 63))
    while word == _0:
        group += 1
        if group == len(bits):
            return np.int64(-1)
        word = bits[group]
    rank = np.int64(group << 6)
    while word & U(0xFF) == _0:
        word >>= U(8)
        rank += 8
    while word & _1 == _0:
        word >>= _1
        rank += 1
    return rank


@njit
def sweep(offsets, targets, initial, places, columns, most, figures, following, heads, tails, waiting, kept, bits):
    """Sweep over the sample exactly as the engine would; return True if it was not abandoned.

    `places` has for every state four times the rank of its layer in the order of columns and layers, `columns` the
    column of each rank. The two low bits of `places` mark stored states. Abandons the sweep when peak times visits
    exceeds `most`; `figures` receives what was stored and visited.

    `following`, `waiting` and `kept` have an entry per state, `heads` and `tails` one per rank, `bits` one word for
    every 64 ranks and one more: `heads` must be -1 and `bits` 0, and are so again afterwards.
    """
    stored, peak, visited, persistent, regress, sweeps, layers = 0, 0, 0, 0, 0, 1, 0
    pending, keepers = 0, 0
    for state in range(initial):
        _push(state, places[state] >> 2, following, heads, tails, bits)
        places[state] |= _LIVE
    stored = initial
    peak = initial
    column = np.int64(-1)
    line = np.int64(0)
    finished = True
    while True:
        rank = _next_rank(line, bits)
        # The pass over the column is over: sweep again from the targets of regress edges, else leave the column.
        if rank < 0 or columns[rank] != column:
            if pending > 0:
                sweeps += 1
                line = np.int64(places[waiting[0]] >> 2)
                for number in range(pending):
                    target_rank = np.int64(places[waiting[number]] >> 2)
                    _push(waiting[number], target_rank, following, heads, tails, bits)
                    line = min(line, target_rank)
                pending = 0
                continue
            # Columns come from monotone measures, so no edge leads back into this one.
            for number in range(keepers):
                places[kept[number]] &= ~_STORED
            stored -= keepers
            keepers = 0
            if rank < 0:
                break
            column = columns[rank]
        layers += 1
        state = heads[rank]
        while state >= 0:
            visited += 1
            for edge in range(offsets[state], offsets[state + 1]):
                target = targets[edge]
                # The target lies outside the sample.
                if target < 0:
                    continue
                place = places[target]
                target_rank = np.int64(place >> 2)
                if target_rank < rank:
                    regress += 1
                    if place & _STORED == 0:
                        places[target] = place | _KEPT
                        stored += 1
                        persistent += 1
                        kept[keepers] = target
                        keepers += 1
                        waiting[pending] = target
                        pending += 1
                elif place & _STORED == 0:
                    places[target] = place | _LIVE
                    stored += 1
                    _push(target, target_rank, following, heads, tails, bits)
            peak = max(peak, stored)
            state = following[state]
        # Only now: edges inside the layer had to find its states.
        state = heads[rank]
        while state >= 0:
            if places[state] & _LIVE != 0:
                places[state] &= ~_STORED
                stored -= 1
            state = following[state]
        heads[rank] = -1
        bits[rank >> 6] &= ~(_1 << U(rank & 63))
        line = rank
        # Checked once per layer: the figures of an abandoned sweep need not be exact.
        if float(peak) * float(visited) > most:
            finished = False
            break
    if not finished:
        # The buffers are shared by all simulated sweeps and must be left empty.
        for rank in range(len(columns)):
            heads[rank] = -1
        for group in range(len(bits)):
            bits[group] = _0
    figures[PEAK], figures[VISITED], figures[PERSISTENT] = peak, visited, persistent
    figures[REGRESS_EDGES], figures[SWEEPS], figures[LAYERS] = regress, sweeps, layers
    return finished


@njit
def order_values(weights, order):
    """Improve an order of values until moving no single one makes fewer backward edges.

    `weights[a, b]` edges lead from value a to value b. Changes `order` in place.
    """
    count = len(order)
    improved, rounds = True, 0
    # Every move removes backward edges, so the loop ends; the bound only limits the time.
    while improved and rounds < count + 8:
        improved = False
        rounds += 1
        for value in range(count):
            place = 0
            while order[place] != value:
                place += 1
            best, best_place, cost = np.int64(0), place, np.int64(0)
            # The cost is the change of the backward edges if the value stood before `other`: one update per place.
            for other in range(place - 1, -1, -1):
                cost += weights[order[other], value] - weights[value, order[other]]
                if cost < best:
                    best, best_place = cost, other
            cost = np.int64(0)
            for other in range(place + 1, count):
                cost += weights[value, order[other]] - weights[order[other], value]
                if cost < best:
                    best, best_place = cost, other
            if best_place != place:
                improved = True
                step = 1 if best_place > place else -1
                while place != best_place:
                    order[place] = order[place + step]
                    place += step
                order[place] = value
