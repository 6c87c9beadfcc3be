"""Traces without a parent log.

After a breadth-first search, all states are still stored: for a state of some level, a predecessor is searched for in
the level before, and so on.

A sweep has deleted them, so at first a beam search is tried: sweep again, only forwards, delete nothing, link every
state to its parent, and if the frontier exceeds memory, keep a random sample of it. Most states can be reached on many
paths, so that this mostly finds one, at a fraction of the cost of the sweep; if nothing was dropped, it always does.

If the beam misses, by bisection (Hirschberg, CACM 18(6), 1975, did it for strings): to get from roots to a state v,
sweep again, and let every state carry the number of the edge over which it first reached the middle layer or one
beyond. When v is reached, the edge from p to m that it carries is known; the paths from the roots to p and from m to v
are searched for likewise. Both span fewer layers, so this ends with paths inside a layer, which are found
breadth-first. With L layers every layer is swept about log2(L) times, and few states are reached from m only.

With regress edges, a path is several paths that only go forwards, from one persistent state to the next: the main
search lets every state carry the regress edge of the persistent state from which it was reached.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine.device.keys import Keys
from strandline.engine.device.layout import NONE, Device, Shape
from strandline.engine.device.order import Layers, Levels, NoRoom
from strandline.engine.device.store import DeviceStore
from strandline.errors import InternalError, ReplayError

State = tuple[int, ...]
Crossing = tuple[State, State, int]
_SLICE = 10**9
_GROWTH, _LEAST_BEAM = 4, 64
"""Assumed number of states found per expanded one; smallest width of a beam."""


def trace_back(store: DeviceStore, ends: Sequence[int], number: int, state: State) -> list[State]:
    """Return the states on a shortest path to the one with this number, in a log of levels that end at `ends`."""
    level = next(one for one, end in enumerate([*ends, int(store.tally.head)]) if number < end)
    path = [state]
    for before in range(level - 1, -1, -1):
        first = ends[before - 1] if before else 0
        path.append(_predecessor(store, first, ends[before], path[-1]))
    return path[::-1]


def _predecessor(store: DeviceStore, first: int, until: int, state: State) -> State:
    """Return a state of a range of the log that has `state` as a successor."""
    address = store.device.allocate(8 * len(state))
    store.device.write(address, np.array(state, dtype=np.uint64))
    store.tally.hit = NONE
    store.run("scan", first, until, hunted=address)
    store.plan.hunted = 0
    store.device.release(address)
    number, store.tally.hit = int(store.tally.hit), NONE
    if number == NONE:
        raise ReplayError("no state of the level before leads to a state that was found")
    return store.state(number)


class Retracing:
    """Search for paths on a device by a Kernel with a measure."""

    def __init__(self, device: Device, kernel: Kernel, keys: Keys, shape: Shape, budget: int | None) -> None:
        self._device, self._kernel, self._keys, self._budget = device, kernel, keys, budget
        self._shape = shape
        self.passes = 0
        """Number of sweeps so far."""

    def path(self, state: State, crossed: Sequence[Crossing], lines: Sequence[int]) -> list[State]:
        """Return the states on a path from an initial state to one that the main search has found.

        The path uses the regress edges in `crossed`, the last one first. `lines` are keys at which the line of the main
        search stood.
        """
        ways: list[tuple[list[State], State]] = []
        for source, root, _ in crossed:
            ways.append(([root], state))
            state = source
        ways.append(([tuple(one) for one in self._kernel.initial.tolist()], state))
        known = sorted(set(lines))
        return [step for roots, target in reversed(ways) for step in self._find_path(roots, target, known)]

    def _key(self, state: State) -> int:
        return self._keys.key(self._kernel.reference.progress(state))

    def _find_path(self, roots: list[State], target: State, lines: Sequence[int]) -> list[State]:
        """Return the states on a path that never regresses, both ends included."""
        if target in roots:
            return [target]
        least, last = min(map(self._key, roots)), self._key(target)
        if least == last:
            return self._find_path_in_layer([root for root in roots if self._key(root) == last], target)
        inside = [line for line in lines if least < line <= last]
        way = self._find_by_beam(roots, target, inside)
        if way is not None:
            return way
        middle = inside[len(inside) // 2] if inside else (least + last + 1) // 2
        edge = self._crossing(roots, target, middle)
        if edge is None:
            return self._find_path([root for root in roots if self._key(root) >= middle], target, inside)
        before = [line for line in inside if line < middle]
        return self._find_path(roots, edge[0], before) + self._find_path([edge[1]], target, inside)

    def _store(self, roots: list[State], target: State, *, carries: bool = False, linked: bool = False) -> DeviceStore:
        self.passes += 1
        store = DeviceStore(self._device, replace(self._shape, carries=carries or linked), self._budget, linked=linked)
        for name, value in self._keys.plan().items():
            store.plan[name] = value
        store.plan.last, store.plan.forward = self._key(target), 1
        store.plan.hunted = self._device.allocate(8 * len(target))
        self._device.write(int(store.plan.hunted), np.array(target, dtype=np.uint64))
        store.seed(np.array([[*root, self._key(root)] for root in roots], dtype=np.uint64))
        return store

    def _close(self, store: DeviceStore) -> None:
        self._device.release(int(store.plan.hunted))
        # Kernels with room for more successors are reused.
        self._shape = replace(self._shape, successors=store.shape.successors)
        store.close()

    def _find_by_beam(self, roots: list[State], target: State, lines: Sequence[int]) -> list[State] | None:
        """Return the states on a path found by a beam search; None if it misses the target."""
        store = self._store(roots, target, linked=True)

        def width(line: int) -> int:
            layers = len(lines) - bisect_right(lines, line) + 1
            free = int(store.plan.most) - int(store.tally.head)
            return max(_LEAST_BEAM, free // (_GROWTH * layers))

        try:
            order = Layers(store, self._keys.layers, width)
            while "hit" not in store.reports and order.advance(_SLICE):
                pass
            return store.linked_path(store.reports["hit"]) if "hit" in store.reports else None
        except NoRoom:
            return None
        finally:
            self._close(store)

    def _crossing(self, roots: list[State], target: State, middle: int) -> tuple[State, State] | None:
        """Return the edge over which the target is reached from below the middle key.

        Returns None if it is reached from a root that is not below it.
        """
        store = self._store(roots, target, carries=True)
        try:
            store.plan.middle = middle
            order = Layers(store, self._keys.layers)
            while "hit" not in store.reports and order.advance(_SLICE):
                pass
            if "hit" not in store.reports:
                raise InternalError("a state that a sweep has found is not found again")
            carried = store.reports["hit"].carried
            return store.crossing(carried - 1)[:2] if carried else None
        finally:
            self._close(store)

    def _find_path_in_layer(self, roots: list[State], target: State) -> list[State]:
        """Return the states on a shortest path inside a layer."""
        store = self._store(roots, target)
        try:
            order = Levels(store)
            while "hit" not in store.reports and order.advance(_SLICE):
                pass
            if "hit" not in store.reports:
                raise InternalError("a state that a sweep has found is not found again in its layer")
            return trace_back(store, order.ends, store.reports["hit"].number, target)
        finally:
            self._close(store)


def steps_along(kernel: Kernel, path: Sequence[State]) -> tuple[int, list[int]]:
    """Return the number of the initial state of a path, and the numbers of its steps.

    Raises `ReplayError` if it is not a path of the model.
    """
    initial = [tuple(one) for one in kernel.initial.tolist()]
    if path[0] not in initial:
        raise ReplayError("the path to a state that was found does not begin in an initial state")
    steps = []
    for source, target in pairwise(path):
        targets = [edge.target for edge in kernel.reference.edges(source)]
        if target not in targets:
            raise ReplayError("the path to a state that was found has a step that is not in the model")
        steps.append(targets.index(target))
    return initial.index(path[0]), steps
