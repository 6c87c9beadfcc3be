"""The one loop that runs a search: compile, explore, stop at what was asked for, replay, count, clean up."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Timer

from strandline.check.automatic import AUTOMATIC, Prediction, predicted_measure
from strandline.check.blame import decreasing_column, fault_verdict, measure_fault_at_start
from strandline.check.counting import Counts, DistinctCounter
from strandline.check.measures import declared_measure, parse_measures
from strandline.check.memory import available_bytes, peak_resident_bytes, resident_bytes, shown_bytes
from strandline.check.options import Options
from strandline.check.orders import FORGETTING, compiled_loop, search_in_order
from strandline.check.properties import Kind, Property, label_bits
from strandline.check.regressing import Regress, regress_of
from strandline.check.verdict import PropertyVerdict, Statistics
from strandline.check.watching import Progress, Watcher
from strandline.compile.interpret import Fault
from strandline.compile.kernel import FaultSite, Kernel
from strandline.compile.make import make_kernel
from strandline.engine.base import BaseSearch, Event, Sink
from strandline.engine.caching_search import CachingSearch
from strandline.engine.search import Order, Search
from strandline.errors import InternalError, ResourceError
from strandline.model.expression import Expression
from strandline.model.lexicographic import measure_of
from strandline.model.measure import Measure
from strandline.model.system import System
from strandline.traces.log import ParentLog
from strandline.traces.replay import Replayed, replay
from strandline.traces.trace import Trace
from strandline.traces.workspace import RunDirectory

_SLICE = 0.05
"""Seconds between two looks at limits and signals."""
_SHORTEST_SLICE = 0.0002
_SHARE_OF_FREE_MEMORY = 0.9
LONG_TRACE = 20_000
"""Steps that take a second or more to replay."""
_LOADING = 3.0
"""Seconds after which the engine's machine code is not being loaded but made."""
COMPILING = "compiling this part of the engine, once per machine ..."
DECIDED = "every property is decided"
_ENDS = (Event.DONE, Event.MEMORY, Event.STATES, Event.FAULT, Event.COLUMN_DECREASED)
INTERRUPTED = "interrupted"


@dataclass(slots=True)
class Findings:
    """What a run has found; it grows while the run goes on."""

    traces: dict[Property, Trace] = field(default_factory=dict)
    """For every property that was decided by a single state, the way there."""
    fault: PropertyVerdict | None = None
    complete: bool = False
    reason: str | None = None
    interrupted: bool = False
    statistics: Statistics = field(default_factory=Statistics)
    prediction: Prediction | None = None
    """What was expected of a measure that the program has found itself."""


def run(system: System, properties: Sequence[Property], options: Options, watcher: Watcher) -> Findings:
    """Explore the System until the properties are decided, a limit is reached or everything was seen.

    Limits, a full disk and Ctrl-C end up in the findings. Raises `InputError` for a measure or a property
    that cannot be evaluated, and `InternalError` where a trace does not replay.
    """
    return Run(system, properties, options, watcher).carry_out()


class Run:
    """One search, from compiling to counting. A subclass may search for something else: what it overrides is
    marked."""

    def __init__(
        self, system: System, properties: Sequence[Property], options: Options, watcher: Watcher
    ) -> None:
        self.system, self.options, self.watcher = system, options, watcher
        self.properties = properties
        self.bits = label_bits(properties)
        self.findings = Findings()
        self.measure = self.wanted_measure()
        self.started = time.perf_counter()
        self.replay_seconds = 0.0
        self.counter: DistinctCounter | None = None
        self.memory_limit: int | None = None

    def carry_out(self) -> Findings:
        """Run it; limits, a full disk and Ctrl-C end up in the findings."""
        try:
            with RunDirectory(self.options.folder) as folder:
                self.execute(folder.path)
        except ResourceError as error:
            self.findings.reason = str(error)
        except MemoryError:
            self.findings.reason = "the machine's memory is used up"
        except KeyboardInterrupt:
            self.findings.interrupted, self.findings.reason = True, INTERRUPTED
        return self.findings

    # What a subclass may override

    def wanted_measure(self) -> Measure | None:
        """The measure by which the search goes, if any."""
        if self.options.order != Order.SWEEP.value:
            return None
        if not self.options.measure:
            return declared_measure(self.system, componentwise=self.options.componentwise)
        if self.options.measures == AUTOMATIC:
            self.findings.prediction = predicted_measure(self.system, self.watcher, self.options.memory_limit)
            found = self.findings.prediction.measure.components
            return measure_of(found, self.system, componentwise=self.options.componentwise)
        return parse_measures(self.options.measures, self.system, componentwise=self.options.componentwise)

    def predicates(self) -> list[Expression]:
        """What the Kernel tells of every state, bit by bit."""
        return [one.predicate for one in self.properties if one.predicate is not None]

    @property
    def compiled(self) -> str:
        """Module and function of the engine's compiled loop."""
        return compiled_loop(self.options.order)

    def new_search(self, log: Sink) -> BaseSearch:
        """The search itself."""
        return search_in_order(
            self.options,
            self.kernel,
            log=log,
            seen=None if self.counter is None else self.counter.add,
            stop_mask=sum(1 << bit for bit in self.bits.values()),
            memory_limit=self.memory_limit,
            max_states=self.options.max_states,
        )

    def other_event(self, event: Event) -> bool:
        """What only another kind of search tells; whether the search goes on."""
        raise InternalError(f"the search stopped for a reason unknown here: {event}")

    def levels(self) -> tuple[int, ...]:
        """Breadth-first: states at each distance."""
        return tuple(self.search.level_sizes) if isinstance(self.search, Search) else ()

    def execute(self, folder: Path) -> None:
        self.kernel = self._compile()
        engine_seconds = self._load_engine()
        self.log = ParentLog(folder / "parents")
        if self.options.count_distinct and self.options.order in FORGETTING:
            self.counter = DistinctCounter(folder / "seen", self.kernel.words)
        self.memory_limit = self._engine_bytes()
        self.search = self.new_search(self.log.append)
        began = time.perf_counter()
        try:
            self._advance_to_end()
        finally:
            seconds = time.perf_counter() - began - self.replay_seconds
            self._note_statistics(seconds, engine_seconds)
            self.search.close()
            self.log.close()
            if self.counter is not None:
                self.counter.close()
        self._count_distinct()

    # Before the search

    def _compile(self) -> Kernel:
        try:
            return make_kernel(self.system, self.predicates(), self.measure)
        except Fault as fault:
            # Compiling runs nothing of the model but the measure, in the initial states.
            if self.measure is None:
                raise InternalError(f"compiling the model faulted: {fault.kind}") from fault
            raise measure_fault_at_start(self.measure, fault.kind, fault.span) from None

    def _load_engine(self) -> float:
        """Let a search of a few states load the engine's machine code, so that the clock of the real one
        measures searching only. Where it has to be made first, which takes some seconds, that is told."""
        from strandline.engine.jit import cache_directory

        began = time.perf_counter()
        telling = Timer(_LOADING, self.watcher.stage, (COMPILING,))
        telling.daemon = True
        if any(cache_directory().rglob(f"{self.compiled}-*.nbi")):
            # It may be for other widths of states; whether for this one is only seen by the time it takes.
            telling.start()
        else:
            self.watcher.stage(COMPILING)
        try:
            trial = self.new_search(lambda links: None)
            trial.advance(0.0)
            trial.close()
        finally:
            telling.cancel()
        return time.perf_counter() - began

    def _memory_reason(self) -> str:
        if self.options.memory_limit is not None:
            return f"the memory limit of {shown_bytes(self.options.memory_limit)} is reached"
        return "nearly all free memory of the machine is used (the option 'memory' sets another limit)"

    def _engine_bytes(self) -> int:
        """What is left for the engine of the memory that the process may take; without a limit, of what the
        machine has free, because a killed process tells nothing."""
        allowed = self.options.memory_limit
        if allowed is None:
            return int(available_bytes() * _SHARE_OF_FREE_MEMORY)
        taken = resident_bytes()
        if allowed <= taken:
            limit = shown_bytes(allowed)
            raise ResourceError(
                f"the memory limit of {limit} is less than the {shown_bytes(taken)} that the program takes"
            )
        return allowed - taken

    # The search

    def _advance_to_end(self) -> None:
        while True:
            event = self.search.advance(self._slice())
            if event is Event.FOUND:
                self._found()
                if not self.search.stop_mask:
                    self.findings.reason = DECIDED
                    return
            elif event in _ENDS:
                self._end(event)
                return
            elif event is Event.PAUSED:
                self.findings.reason = self._limit_reached()
                if self.findings.reason is not None:
                    return
                self._tell_progress()
            elif not self.other_event(event):
                return

    def _end(self, event: Event) -> None:
        if event is Event.DONE:
            self.findings.complete = True
        elif event is Event.MEMORY:
            self.findings.reason = self._memory_reason()
        elif event is Event.STATES:
            plural = "" if self.options.max_states == 1 else "s"
            self.findings.reason = f"the limit of {self.options.max_states:,} state{plural} is reached"
        elif event is Event.FAULT:
            self._faulted()
        else:
            self._column_decreased()

    def _slice(self) -> float:
        """Seconds until limits are looked at again; short ones where a limit is near."""
        seconds = _SLICE
        if self.options.max_seconds is not None:
            seconds = min(seconds, self.started + self.options.max_seconds - time.perf_counter())
        return max(seconds, _SHORTEST_SLICE)

    def _limit_reached(self) -> str | None:
        options = self.options
        if options.max_seconds is not None and time.perf_counter() - self.started >= options.max_seconds:
            return f"the time limit of {options.max_seconds:g} s is reached"
        return None

    def _tell_progress(self) -> None:
        now = self.search.statistics()
        elapsed = time.perf_counter() - self.started
        size = self.search.current_bytes()
        fraction = None if self.measure is None else self.measure.fraction(self.search.line)
        self.watcher.progress(Progress(elapsed, now.recorded, now.visited, now.stored, size, fraction, now.sweeps))

    # What was found

    def _found(self) -> None:
        record, labels = self.search.found
        met = labels & self.search.stop_mask
        if not met:
            raise InternalError("the search stopped at a state that has none of the labels it looks for")
        trace = self._replay(record, labels=met).trace
        for one, bit in self.bits.items():
            if met >> bit & 1:
                self.findings.traces[one] = trace
        self.search.stop_less(met)

    def _faulted(self) -> None:
        record, _ = self.search.found
        site = self.kernel.fault_sites[self.search.fault_number]
        trace = self._replay(record, fault=site).trace
        self.findings.fault = fault_verdict(self.system, trace, self.properties, self.measure)
        self.findings.reason = "the search ended at a run-time fault"

    def _column_decreased(self) -> None:
        if self.measure is None:
            raise InternalError("a column decreased in a search without a measure")
        record, step = self.search.regressing_link
        number, steps = self.log.path_to(record)
        replayed = replay(self.kernel.twin, number, [*steps, step])
        raise decreasing_column(self.kernel.twin, replayed, self.measure)

    def _replay(self, record: int, *, labels: int = 0, fault: FaultSite | None = None) -> Replayed:
        began = time.perf_counter()
        number, steps = self.log.path_to(record)
        if len(steps) >= LONG_TRACE:
            self.watcher.stage(f"replaying a trace of {len(steps):,} steps ...")
        replayed = replay(self.kernel.twin, number, steps, labels=labels, fault=fault)
        self.replay_seconds += time.perf_counter() - began
        return replayed

    # Afterwards

    def _note_statistics(self, seconds: float, engine_seconds: float) -> None:
        now = self.search.statistics()
        exact = Counts(now.recorded, now.transitions, now.deadlocks) if now.exact else None
        self.findings.statistics = Statistics(
            states=None if exact is None else exact.states,
            transitions=None if exact is None else exact.transitions,
            # A search that ends at a deadlock has not expanded it.
            deadlocks=None if exact is None else max(exact.deadlocks, self._deadlocks_shown()),
            visited=now.visited,
            peak_states=now.peak_states,
            peak_bytes=now.peak_bytes,
            rss_bytes=peak_resident_bytes(),
            sweeps=now.sweeps if self.measure else 0,
            persistent=now.persistent,
            regress_edges=now.regress_edges,
            layers=now.layers,
            replaced=self.search.replaced if isinstance(self.search, CachingSearch) else 0,
            levels=self.levels(),
            profile=self.search.profile(),
            regress=self._regress(),
            seconds=seconds,
            compile_seconds=self.kernel.compile_seconds,
            engine_seconds=engine_seconds,
        )

    def _deadlocks_shown(self) -> int:
        return sum(one.kind is Kind.DEADLOCK for one in self.findings.traces)

    def _regress(self) -> Regress | None:
        """Which steps regress, where the search tells of some."""
        if self.measure is None:
            return None
        return regress_of(self.system, self.kernel.twin, self.measure, self.search.sampled_regress_edges)

    def _count_distinct(self) -> None:
        statistics = self.findings.statistics
        if self.counter is None or statistics.states is not None:
            return
        self.watcher.stage("counting distinct states ...")
        counts = self.counter.count()
        self.findings.statistics = replace(
            statistics, states=counts.states, transitions=counts.transitions, deadlocks=counts.deadlocks
        )
