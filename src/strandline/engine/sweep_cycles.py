"""Accepting cycles by a sweep: our own method, after 001.

Every state is visited as often as a plain sweep visits it, to find cycles inside layers; columns in which cycles over
several layers are possible are then searched by elimination, before the line leaves them. Now and then a short
depth-first search, from an accepting state or from a persistent one that was hit again, may find a cycle sooner; it
may take an eighth of the visits and of the memory.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine import registers as r
from strandline.engine import sizes
from strandline.engine.base import Event, Sink, Statistics
from strandline.engine.cycles import ComponentSearch, Cycle, CycleSearch, DepthFirstCycleSearch, NestedSearch
from strandline.engine.loops import LoopBuilder, Region, State
from strandline.engine.memory import WordArray, Words
from strandline.engine.notes import Notes
from strandline.engine.profile import LayerFigures, without_ranks
from strandline.errors import InternalError

_LEAST_PROBE = 1024
_PROBE_SHARE = 8
"""One visit in so many may be spent on probes, and one state in so many more may be stored for them."""
_STEP_MASK = (1 << r.STEP_BITS) - 1


class Phase(Enum):
    """What the search is doing."""

    SWEEP = "sweeping"
    ELIMINATE = "eliminating"


class SweepCycleSearch(CycleSearch):
    """One acceptance set, a measured Kernel. The lowest bits of its layers, `ranks` a power of two, may be the rank of
    the property automaton's component: an edge never leads to a lower rank, and a cycle never leaves its rank."""

    def __init__(
        self,
        kernel: Kernel,
        *,
        accepting: int,
        log: Sink,
        ranks: int = 1,
        memory_limit: int | None = None,
        max_states: int | None = None,
        probes: bool = True,
    ) -> None:
        if not kernel.measured:
            raise InternalError("a sweep needs a measured kernel")
        if ranks not in (1, 2, 4, 8, 16, 32, 64):
            raise InternalError(f"{ranks} ranks are not a power of two up to 64")
        self.cycle_kind = ""
        """After CYCLE: "S" for one inside a layer, "M" for one over several."""
        self.rounds = 0
        self._phase = Phase.SWEEP
        self._members_before = -1
        self._probe: DepthFirstCycleSearch | None = None
        self._probe_roots: list[int] = []
        self._probe_links: list[WordArray] = []
        self._probe_visits = 0
        self._next_probe = _LEAST_PROBE
        self._near_suspect = True
        self._adopted = False
        self._probes = probes
        super().__init__(kernel, accepting=accepting, log=log, memory_limit=memory_limit, max_states=max_states)
        self.regs[r.RANK_MASK] = ranks - 1
        self.regs[r.COLUMN_SWEEP] = 1
        if probes:
            self._probe_initial_states()

    def _allocate(self) -> None:
        super()._allocate()
        self._stack = Words(sizes.STACK, large=True)
        self._roots, self._active = Words(sizes.STACK, large=True), Words(sizes.STACK, large=True)
        self._spans = Words(len(self._heap))
        self._notes = Notes(self.regs, self.kernel.words, measured=True)
        self._suspect: WordArray = np.zeros(self.kernel.words + 1, dtype=np.uint64)

    def _start(self) -> None:
        kernel = self.kernel
        count = len(kernel.initial)
        records = self._records[: count * kernel.stride].reshape(count, kernel.stride)
        records[:, : kernel.words] = kernel.initial
        records[:, kernel.words :] = kernel.initial_progress.view(np.uint64)
        self._links[:count] = self._initial_links()
        self.regs[r.BATCH_COUNT] = count
        self._seeded = False

    def _growing(self) -> list[tuple[int, Words, float]]:
        own = [(r.WANT_STACK, self._stack, 1.5), (r.WANT_ROOTS, self._roots, 1.5), (r.WANT_ACTIVE, self._active, 1.5)]
        return [*super()._growing(), *own]

    def _grow_layers(self) -> None:
        super()._grow_layers()
        self._spans.grow(len(self._heap))

    def _extra_words(self) -> int:
        return sum(len(words) for words in self._own_words()) + len(self._notes)

    def _own_words(self) -> tuple[Words, ...]:
        return self._stack, self._roots, self._active, self._spans

    def _run(self, budget: np.uint64) -> int:
        if not self._seeded:
            return self._insert_initial()
        if self._phase is Phase.SWEEP:
            code = self._sweep(min(budget, np.uint64(1000) + self.regs[r.VISITED] // np.uint64(_PROBE_SHARE)))
        else:
            code = self._propagate(budget)
        if code == r.SWEEP_OVER or (code == r.BUDGET and self._phase is Phase.SWEEP):
            self._consider_probe()
            return r.BUDGET if self._probe is None else r.PAUSE
        if code == r.COLUMN_OVER:
            self._phase, self._members_before = Phase.ELIMINATE, -1
            return self._next_round(first=True)
        if self._phase is Phase.ELIMINATE and code == r.DONE:
            return self._next_round(first=False)
        if code == r.BROKEN:
            raise InternalError("a state has other successors than when it was first expanded")
        if code == r.CYCLE:
            self.cycle_kind = "S"
        return code

    def _insert_initial(self) -> int:
        from strandline.engine.layer_components import insert_initial

        code = insert_initial(
            self._width, np.uint64(self.kernel.stride), self._records, self._links, self._suspect,
            self._buckets.array, self._places, self._heap.array, self._pending.array, self._keepers.array,
            self._spans.array, self._index.array, self._store.array, self._log_buffer, self._notes.sample, self.regs,
            self._scratch,
        )  # fmt: skip
        if code in (r.GROW, r.FLUSH):
            return int(code)
        self._seeded = True
        return r.BUDGET

    def _sweep(self, budget: np.uint64) -> int:
        from strandline.engine.layer_components import sweep_layers

        return int(
            sweep_layers(
                np.uint64(self.kernel.successors), self._width, np.uint64(self.kernel.stride), budget, self.regs,
                self._suspect, self._buckets.array, self._places, self._heap.array, self._pending.array,
                self._keepers.array, self._spans.array, self._stack.array, self._roots.array, self._active.array,
                self._records, self._index.array, self._store.array, self._log_buffer, self._labels,
                self._notes.profile, self._notes.sample, self._scratch,
            )
        )  # fmt: skip

    def _propagate(self, budget: np.uint64) -> int:
        from strandline.engine.elimination import propagate

        before = int(self.regs[r.VISITED])
        code = int(
            propagate(
                np.uint64(self.kernel.successors), self._width, np.uint64(self.kernel.stride), budget, self.regs,
                self._buckets.array, self._places, self._heap.array, self._pending.array, self._spans.array,
                self._active.array, self._records, self._index.array, self._store.array, self._labels, self._scratch,
            )
        )  # fmt: skip
        self._notes.leave_out(int(self.regs[r.VISITED]) - before)
        return code

    def _next_round(self, *, first: bool) -> int:
        """Choose the members of the next round. None left: the line leaves the column. None lost: a cycle."""
        from strandline.engine.elimination import begin_round, block_ends

        begin_round(
            self._width, first, self._buckets.array, self._heap.array, self._keepers.array, self._spans.array,
            self._store.array, self.regs,
        )  # fmt: skip
        members = int(self.regs[r.MEMBERS])
        if members and members == self._members_before:
            self.cycle_kind = "M"
            return r.CYCLE
        self._members_before = members
        if members:
            self.rounds += 1
            rows = self._keepers.array[: int(self.regs[r.KEEPER_COUNT])]
            numbers = rows // np.uint64(r.ROW)
            layers = self._buckets.array[rows + np.uint64(r.LAYER)]
            self._spans.array[numbers] = block_ends(layers, self._spans.array[numbers])
        else:
            self.regs[r.COLUMN_CHECKED] = 1
            self._phase = Phase.SWEEP
        return r.BUDGET

    # --- notes -----------------------------------------------------------------------------------------------

    def profile(self) -> tuple[LayerFigures, ...]:
        """What the sweeps did, layer by layer; probes and eliminations are left out."""
        return without_ranks(self._notes.layers(self.line, self._buckets.array), int(self.regs[r.RANK_MASK]) + 1)

    @property
    def sampled_regress_edges(self) -> list[tuple[tuple[int, ...], int]]:
        return self._notes.regress_edges()

    # --- the trace ----------------------------------------------------------------------------------------------

    def _begin_loop(self) -> LoopBuilder | None:
        """A cycle inside the layer is looked for there; one over several layers is found again by a depth-first
        search from the members, of which elimination has proved that one leads to it."""
        if self.cycle_kind == "S":
            column, layer = self.line
            start = tuple(int(word) for word in self._suspect[: self.kernel.words])
            region = Region(column=column, layers=(layer, layer))
            return LoopBuilder(self.kernel, start, self.accepting, region, memory_limit=self.memory_limit)
        members = self._members()
        kernel = replace(self.kernel, initial=members[:, :-1].copy())
        self._begin_probe(ComponentSearch, kernel, [int(record) for record in members[:, -1]], None)
        return None

    def _members(self) -> WordArray:
        """The states of the members, each followed by its record."""
        from strandline.engine.elimination import list_members

        found: WordArray = np.zeros((int(self.regs[r.MEMBERS]), self.kernel.words + 1), dtype=np.uint64)
        keepers = self._keepers.array[: int(self.regs[r.KEEPER_COUNT])]
        list_members(self._width, self._buckets.array, keepers, self._store.array, found.reshape(-1))
        return found

    # --- probes -------------------------------------------------------------------------------------------------

    def _consider_probe(self) -> None:
        """Now and then: look for a cycle near a state that may lie on one, and, in turn, near the initial states;
        twice as far as the time before, when visits and memory allow that."""
        if not self._probes:
            return
        affordable = int(self.regs[r.VISITED]) // _PROBE_SHARE - self._probe_visits
        peak = int(self.regs[r.PEAK_STORED])
        room = max(peak - int(self.regs[r.STORED]), peak // _PROBE_SHARE)
        if min(affordable, room) < self._next_probe:
            return
        if self._near_suspect and self.regs[r.SUSPECT]:
            self.regs[r.SUSPECT] = 0
            start = replace(self.kernel, initial=self._suspect[: self.kernel.words].reshape(1, -1).copy())
            self._begin_probe(NestedSearch, start, [int(self._suspect[self.kernel.words])], self._next_probe)
        else:
            self._probe_initial_states()
            self._next_probe *= 2
        self._near_suspect = not self._near_suspect

    def _probe_initial_states(self) -> None:
        own = [-1 - number for number in range(len(self.kernel.initial))]
        self._begin_probe(NestedSearch, self.kernel, own, self._next_probe)

    def _begin_probe(
        self, method: type[DepthFirstCycleSearch], kernel: Kernel, roots: list[int], most: int | None
    ) -> None:
        """Search depth-first from the kernel's initial states; `roots` are their records, or -1 - k for the k-th
        initial state of the model, of which the parent log may have no record yet."""
        self._probe_roots, self._probe_links = roots, []
        self._probe = method(
            kernel,
            accepting=self.accepting,
            log=lambda links: self._probe_links.append(links.copy()),
            memory_limit=self.memory_limit,
            max_states=most,
        )

    def advance(self, seconds: float = 0.05) -> Event:
        if self._probe is None:
            event = super().advance(seconds)
            # A cycle over several layers was proved: a depth-first search will now look for it.
            return Event.PAUSED if event is Event.CYCLE and self._cycle is None else event
        event = self._probe.advance(seconds)
        if event is Event.PAUSED:
            return event
        probe, self._probe = self._probe, None
        proved = self.cycle_kind == "M"
        if not proved:
            self._account_for(probe)
        if event is Event.CYCLE:
            self._adopt(probe)
        probe.close()
        if proved and event is Event.DONE:
            raise InternalError("elimination proved a cycle that no depth-first search finds")
        return event if proved or event is Event.CYCLE else Event.PAUSED

    def _account_for(self, probe: DepthFirstCycleSearch) -> None:
        """A probe's visits and states are the search's own."""
        done = probe.statistics()
        self._probe_visits += done.visited
        self.regs[r.VISITED] += np.uint64(done.visited)
        self._notes.leave_out(done.visited)
        together = int(self.regs[r.STORED]) + done.peak_states
        self.regs[r.PEAK_STORED] = max(int(self.regs[r.PEAK_STORED]), together)
        self._peak_bytes = max(self._peak_bytes, self.current_bytes() + done.peak_bytes)

    def _adopt(self, probe: DepthFirstCycleSearch) -> None:
        """Take the cycle of a depth-first search over: the path to it is added to the parent log."""
        links = np.concatenate(self._probe_links)
        path: list[int] = []
        record = probe.cycle.record
        while (link := int(links[record])) >> r.STEP_BITS != r.ROOT:
            path.append(link & _STEP_MASK)
            record = link >> r.STEP_BITS
        root = self._probe_roots[link & _STEP_MASK]
        state = tuple(int(word) for word in probe.kernel.initial[link & _STEP_MASK])
        layers = self._layers_of(state, path[::-1], probe.cycle.steps)
        self.cycle_kind = "S" if len(layers) == 1 else "M"
        self._cycle = Cycle(self._append_path(root, path[::-1]), probe.cycle.steps)
        self._adopted = True

    def statistics(self) -> Statistics:
        """Once a probe has found a cycle, the records are no longer those of distinct states."""
        return replace(super().statistics(), exact=super().statistics().exact and not self._adopted)

    def _layers_of(self, state: State, path: list[int], steps: tuple[int, ...]) -> set[tuple[int, int]]:
        """Columns and layers of the states on the loop that the path leads to."""
        twin = self.kernel.twin
        layers = set()
        for number, step in enumerate((*path, *steps)):
            target = twin.edges(state)[step].target
            if target is None:
                raise InternalError("a cycle leads through a fault")
            state = target
            if number >= len(path):
                layers.add(twin.progress(state))
        return layers

    def _append_path(self, root: int, steps: list[int]) -> int:
        """Add records for the states on a path from a root to the parent log; the record of the last."""
        self._flush()
        record = root
        if root < 0:
            record = self._append_link((r.ROOT << r.STEP_BITS) | (-1 - root))
        for step in steps:
            record = self._append_link((record << r.STEP_BITS) | step)
        return record

    def _append_link(self, link: int) -> int:
        record = int(self.regs[r.LOG_TOTAL])
        self._log_sink(np.array([link], dtype=np.uint64))
        self.regs[r.LOG_TOTAL] += np.uint64(1)
        return record

    @property
    def regressing_link(self) -> tuple[int, int]:
        """After COLUMN_DECREASED: the record of the edge's source and the number of the step."""
        return int(self.regs[r.SOURCE_RECORD]), int(self.regs[r.BATCH_NEXT])

    def close(self) -> None:
        super().close()
        for words in self._own_words():
            words.close()
