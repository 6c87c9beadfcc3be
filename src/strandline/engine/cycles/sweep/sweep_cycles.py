"""Accepting cycles by a sweep: our own method, after 001.

Every state is visited as often as by a plain sweep, to find cycles inside layers; columns in which cycles over several
layers are possible are then searched by elimination, before the line leaves them. Now and then a short depth-first
search, from an accepting state or from a persistent one that was hit again, may find a cycle sooner; it may take an
eighth of the visits and of the memory.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

import numpy as np

from strandline.compile.kernel import Kernel
from strandline.engine.cycles.couvreur_stack import OpenComponentsPart
from strandline.engine.cycles.cycle_extraction import LoopSearch, Region, State
from strandline.engine.cycles.cycle_search import Cycle, CycleSearch
from strandline.engine.cycles.sweep.probes import Probe
from strandline.engine.parts.expansion import width_of
from strandline.engine.parts.line import COLUMNS, SWEEPS, LayersPart, add_line_counts
from strandline.engine.parts.profile import without_ranks
from strandline.engine.parts.profile_recorder import RecorderPart
from strandline.engine.parts.stack import StackPart
from strandline.engine.runtime import codes, sizes
from strandline.engine.runtime.jit import precompile
from strandline.engine.runtime.memory import WordArray
from strandline.engine.runtime.records import CYCLE_SWEEP, record
from strandline.engine.search import Details, Event, SearchArguments, Statistics
from strandline.engine.store.parts import PagedPart
from strandline.errors import InternalError

if TYPE_CHECKING:
    from strandline.engine.cycles.sweep.marks_kernel import SweepCycles

_LEAST_PROBE = 1024
_PROBE_SHARE = 8
"""The share (1/8) of the visits that probes may take, and of stored states that they may add."""


class SweepCycleSearch(CycleSearch):
    """A sweep for accepting cycles, for one acceptance set and a measured Kernel.

    The lowest bits of its layers, `ranks` a power of two, may be the rank of the property automaton's SCC: an edge
    never leads to a lower rank, and a cycle never leaves its rank.
    """

    loop = "cycles.sweep.layers_kernel.sweep_layers"

    def __init__(
        self, kernel: Kernel, *, accepting: int, ranks: int = 1, probes: bool = True, **terms: Unpack[SearchArguments]
    ) -> None:
        if not kernel.measured:
            raise InternalError("a sweep needs a measured kernel")
        if ranks not in (1, 2, 4, 8, 16, 32, 64):
            raise InternalError(f"{ranks} ranks are not a power of two up to 64")
        self._state = record(CYCLE_SWEEP, rank_mask=ranks - 1, source_record=codes.ROOT)
        self._suspect: WordArray = np.zeros(kernel.words + 1, dtype=np.uint64)
        self._layers, self._stack, self._open_sccs = (
            LayersPart(SWEEPS | COLUMNS),
            StackPart(),
            OpenComponentsPart(accepting),
        )
        self._pages, self._recorder = PagedPart(width_of(kernel), extra=1), RecorderPart(kernel.words)
        parts = (self._layers, self._pages, self._stack, self._open_sccs, self._recorder)
        super().__init__(kernel, *parts, accepting=accepting, **terms)
        self.expansion.start()
        self.rounds = 0
        self._eliminating = False
        self._members_before = -1
        self._probe: Probe | None = None
        self._probes = probes
        self._probe_visits = 0
        self._next_probe = _LEAST_PROBE
        self._near_suspect = True
        self._adopted = False
        # Not begun here: a search that is restored has made its first probe.
        self._begins_with_probe = probes

    def _search(self) -> SweepCycles:
        """Return the arguments of the kernels."""
        from strandline.engine.cycles.sweep.marks_kernel import SweepCycles

        return SweepCycles(
            self.expansion.expansion(),
            self.expansion.batch(),
            self._pages.store(),
            self._layers.layers(),
            self._stack.stack(),
            self._open_sccs.open_sccs(),
            self.journal.journal(),
            self._recorder.recorder(),
            self._suspect,
            self._state,
        )

    def load(self) -> None:
        """Load the machine code, first that of probes, then that of the sweep."""
        from strandline.engine.cycles.sweep.layers_kernel import sweep_layers

        super().load()
        sweep_layers(self._search(), np.uint64(1))

    def load_further(self) -> None:
        """Load the machine code of elimination, of the search for proved cycles, and of listing the frontier."""
        from strandline.engine.cycles.sweep.elimination_kernel import begin_round, list_members, propagate
        from strandline.engine.orders.sweep_kernel import list_frontier

        search, words = self._search(), self.kernel.words
        precompile(begin_round, search, True)
        precompile(propagate, search, np.uint64(0))
        precompile(list_members, search, np.zeros(0, dtype=np.uint64))
        precompile(list_frontier, search, np.zeros((0, words + 1), dtype=np.uint64))
        proving = Probe(self.kernel, [-1], self.accepting, most=None, engine_bytes=None)
        proving.search.load()
        proving.search.close()
        start = tuple(int(word) for word in self.kernel.initial[0])
        LoopSearch(self.kernel, start, self.accepting).run(np.uint64(1))

    def run(self, budget: np.uint64) -> int:
        if self._eliminating:
            return self._eliminate(budget)
        from strandline.engine.cycles.sweep.layers_kernel import sweep_layers

        affordable = np.uint64(1000 + int(self.journal.counts.visited) // _PROBE_SHARE)
        code = int(sweep_layers(self._search(), min(budget, affordable)))
        if code in (codes.SWEEP_OVER, codes.BUDGET):
            self._consider_probe()
            return codes.BUDGET if self._probe is None else codes.PAUSE
        if code == codes.COLUMN_OVER:
            self._eliminating, self._members_before = True, -1
            return self._next_round(first=True)
        if code == codes.CYCLE:
            self.cycle_kind = "S"
        return code

    def _eliminate(self, budget: np.uint64) -> int:
        from strandline.engine.cycles.sweep.elimination_kernel import propagate

        before = int(self.journal.counts.visited)
        code = int(propagate(self._search(), budget))
        self._recorder.leave_out(int(self.journal.counts.visited) - before)
        if code == codes.FAULT:
            raise InternalError(
                "a state has other successors than when it was expanded first: the model is not deterministic"
            )
        return self._next_round(first=False) if code == codes.DONE else code

    def _next_round(self, *, first: bool) -> int:
        """Choose the persistent states that are left for the next round of elimination, and continue accordingly.

        If none is left, there is no cycle and the line leaves the column; if all of them are, there is a cycle.
        """
        from strandline.engine.cycles.sweep.elimination_kernel import begin_round

        begin_round(self._search(), first)
        members = int(self._state.members)
        if members and members == self._members_before:
            self.cycle_kind = "M"
            return codes.CYCLE
        self._members_before = members
        if members:
            self.rounds += 1
            self._layers.join_spans()
        else:
            self._eliminating = False
            self._state.ranks_accepting = 0
        return codes.BUDGET

    @property
    def settled(self) -> bool:
        """True unless a loop or a probe is being searched."""
        return super().settled and self._probe is None

    @property
    def sweeping(self) -> bool:
        """True if the line moves: neither probe, elimination nor loop search is running."""
        return self.settled and not self._eliminating

    def waiting_states(self, most: int) -> WordArray:
        """Return a uniform sample of the unexpanded states, one per row: `most` to 2 * `most` of them, or all."""
        from strandline.engine.orders.sweep_kernel import list_frontier

        chains = self._layers.layers().chains
        as_they_are = chains.copy()
        block = np.zeros((sizes.RECORDS, self.kernel.words + 1), dtype=np.uint64)
        found, before, every = block[:0, :-1].copy(), 0, 1
        while (count := int(list_frontier(self._search(), block))) > 0:
            found = np.concatenate((found, block[-before % every : count : every, :-1]))
            before += count
            while len(found) > 2 * most:
                found, every = found[::2].copy(), 2 * every
        chains[:] = as_they_are
        return found

    # --- reports ------------------------------------------------------------------------------------------------

    @property
    def line(self) -> tuple[int, int]:
        return self._layers.key

    def details(self) -> Details:
        """Return the profile of the sweeps, without probes and eliminations, and regress edges."""
        profile = self._recorder.layers(self._layers.standing(), self.journal.counts)
        profile = without_ranks(profile, int(self._state.rank_mask) + 1)
        return Details(profile=profile, sampled_regress_edges=self._recorder.regress_edges())

    @property
    def regressing_link(self) -> tuple[int, int]:
        return int(self._state.source_record), int(self.expansion.rest.next)

    def statistics(self) -> Statistics:
        """Return the counters; not exact once a probe has found a cycle, because its path has records of its own."""
        statistics = add_line_counts(super().statistics(), self._layers)
        return replace(statistics, exact=statistics.exact and not self._adopted)

    # --- the trace ----------------------------------------------------------------------------------------------

    def cycle_record(self) -> int:
        return int(self._state.record)

    def begin_loop(self) -> LoopSearch | None:
        """Begin the search for the loop of the cycle.

        A cycle inside the layer is searched for in that layer. A cycle over several layers is searched for depth-first
        from the persistent states that elimination has left: it has proved that one of them leads to a cycle.
        """
        if self.cycle_kind == "S":
            column, layer = self.line
            start = tuple(int(word) for word in self._suspect[: self.kernel.words])
            region = Region(column=column, layers=(layer, layer))
            return LoopSearch(self.kernel, start, self.accepting, region)
        members = self._members()
        kernel = replace(self.kernel, initial=members[:, :-1].copy())
        self._begin_probe(kernel, [int(record) for record in members[:, -1]], None)
        return None

    def _members(self) -> WordArray:
        """Return the members left by the elimination, one per row: the words of the state, then its record."""
        from strandline.engine.cycles.sweep.elimination_kernel import list_members

        found: WordArray = np.zeros((int(self._state.members), self.kernel.words + 1), dtype=np.uint64)
        list_members(self._search(), found.reshape(-1))
        return found

    # --- probes -------------------------------------------------------------------------------------------------

    def _consider_probe(self) -> None:
        """Begin a probe if visits and memory allow it, in turn from a suspected state and from the initial states.

        Each pair of probes is twice as long as the one before.
        """
        if not self._probes:
            return
        counts = self.journal.counts
        affordable = int(counts.visited) // _PROBE_SHARE - self._probe_visits
        peak = int(counts.peak_stored)
        room = max(peak - int(counts.stored), peak // _PROBE_SHARE)
        if min(affordable, room) < self._next_probe:
            return
        if self._near_suspect and self._state.suspect:
            self._state.suspect = 0
            start = replace(self.kernel, initial=self._suspect[: self.kernel.words].reshape(1, -1).copy())
            self._begin_probe(start, [int(self._suspect[self.kernel.words])], self._next_probe)
        else:
            self._probe_initial_states()
            self._next_probe *= 2
        self._near_suspect = not self._near_suspect

    def _probe_initial_states(self) -> None:
        own = [-1 - number for number in range(len(self.kernel.initial))]
        self._begin_probe(self.kernel, own, self._next_probe)

    def _begin_probe(self, kernel: Kernel, roots: list[int], most: int | None) -> None:
        self._probe = Probe(kernel, roots, self.accepting, most=most, engine_bytes=self.engine_bytes)

    def advance(self, seconds: float = 0.05) -> Event:
        if self._begins_with_probe:
            self._begins_with_probe = False
            self._probe_initial_states()
        if self._probe is None:
            event = super().advance(seconds)
            # A cycle over several layers is proved: a depth-first search extracts it.
            return Event.PAUSED if event is Event.CYCLE and self._cycle is None else event
        event = self._probe.search.advance(seconds)
        if event is Event.PAUSED:
            return event
        probe, self._probe = self._probe, None
        if not probe.proves:
            self._account_for(probe)
        if event is Event.CYCLE:
            self._adopt(probe)
        probe.search.close()
        if probe.proves and event is Event.DONE:
            raise InternalError("elimination proved a cycle that no depth-first search finds")
        return event if probe.proves or event is Event.CYCLE else Event.PAUSED

    def _account_for(self, probe: Probe) -> None:
        """Add a probe's visits and states to those of the search."""
        done, counts = probe.search.statistics(), self.journal.counts
        self._probe_visits += done.visited
        counts.visited += np.uint64(done.visited)
        self._recorder.leave_out(done.visited)
        counts.peak_stored = max(int(counts.peak_stored), int(counts.stored) + done.peak_states)
        self._peak_bytes = max(self._peak_bytes, self.current_bytes() + done.peak_bytes)

    def _adopt(self, probe: Probe) -> None:
        """Take over the cycle that a probe found, and append its path to the parent log."""
        root, state, steps, cycle = probe.path()
        layers = self._layers_of(state, steps, cycle.steps)
        self.cycle_kind = "S" if len(layers) == 1 else "M"
        self._cycle = Cycle(self._append_path(root, steps), cycle.steps)
        self._adopted = True

    def _layers_of(self, state: State, path: list[int], steps: tuple[int, ...]) -> set[tuple[int, int]]:
        """Return columns and layers of the states on the loop behind a path."""
        reference = self.kernel.reference
        layers = set()
        for number, step in enumerate((*path, *steps)):
            target = self.kernel.edge(state, step).target
            if target is None:
                raise InternalError("a cycle leads through a fault")
            state = target
            if number >= len(path):
                layers.add(reference.progress(state))
        return layers

    def _append_path(self, root: int, steps: list[int]) -> int:
        """Append records for the states on a path from a root to the parent log; return the last record."""
        self.journal.flush()
        record, before, links = root, int(self.journal.counts.recorded), []
        if root < 0:
            links.append((codes.ROOT << codes.STEP_BITS) | (-1 - root))
            record = before
        for step in steps:
            links.append((record << codes.STEP_BITS) | step)
            record = before + len(links) - 1
        self.journal.append(np.array(links, dtype=np.uint64))
        return record
