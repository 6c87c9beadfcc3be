"""The one loop that runs a search: compile, explore, stop at what was asked for, replay, count, clean up.

What differs between searches is passed in: a `Plan` says what is searched, by which search and within which limits, a
`Goal` what it means that the search stopped somewhere.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Timer
from typing import Protocol

from strandline.check.automatic import Prediction
from strandline.check.blame import decreasing_column, measure_fault_at_start
from strandline.check.checkpoints.keeping import Checkpoints, SearchCheckpoints
from strandline.check.checkpoints.saving import Saving, Stop
from strandline.check.compiling import Compiled, compiled
from strandline.check.counting import Counts, DistinctCounter
from strandline.check.coverage import coverage_of
from strandline.check.disk import DiskBudget
from strandline.check.engine_searches import SearchMaker, SpillingMaker
from strandline.check.memory import available_bytes, peak_resident_bytes, resident_bytes, return_memory, shown_bytes
from strandline.check.options import COMPACT, EXACT, GPU, Options
from strandline.check.patience import time_is_up, within
from strandline.check.regressing import Regress, regress_of
from strandline.check.spilling import RESERVE, load_spilling
from strandline.check.verdict import PropertyVerdict, Statistics
from strandline.check.watching import Progress, Watcher
from strandline.compile.interpret import Fault
from strandline.compile.kernel import FaultSite, Kernel
from strandline.engine.journal import Listener
from strandline.engine.search import Event, Search
from strandline.errors import InternalError, Option, ResourceError, UsageError
from strandline.model.expression import Expression
from strandline.model.measure import Measure
from strandline.model.system import System
from strandline.traces.log import ParentLog
from strandline.traces.replay import Replayed, replay, replay_to_fault
from strandline.traces.workspace import RunDirectory

_SLICE = 0.05
"""Seconds between two looks at limits and signals."""
_SHORTEST_SLICE = 0.0002
_SHARE_OF_FREE_MEMORY = 0.9
_RESERVE = 3 << 20
"""Bytes that a search leaves for all else."""
LONG_TRACE = 20_000
"""Steps that take a second or more to replay."""
_LOADING = 3.0
"""Seconds after which the engine's machine code is not being loaded but made."""
COMPILING = "compiling this part of the engine, once per machine ..."
DECIDED = "every property is decided"
_ENDS = (Event.DONE, Event.MEMORY, Event.STATES, Event.FAULT, Event.COLUMN_DECREASED)
_LIMITS = (Event.MEMORY, Event.STATES)
"""Ends after which more could be searched."""
INTERRUPTED = "interrupted"


@dataclass(slots=True)
class Findings:
    """How far a run came; it grows while the run goes on."""

    fault: PropertyVerdict | None = None
    complete: bool = False
    reason: str | None = None
    interrupted: bool = False
    statistics: Statistics = field(default_factory=Statistics)
    prediction: Prediction | None = None
    """What was expected of a measure that the program has found itself."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Plan:
    """What a run searches. The Kernel is compiled from the System with the predicates, which are the first bits of its
    labels, and the measure."""

    system: System
    predicates: Sequence[Expression]
    measure: Measure | None
    searches: SearchMaker
    options: Options
    """Limits, and where files are kept."""
    started: float
    """From when the limit of time counts."""
    for_device: bool = False
    """Whether the search is one on a device."""
    counts_distinct: bool = False
    """Whether distinct states are counted afterwards, where the search forgets some."""
    seen: Sequence[Expression] | None = None
    """The expressions whose truth along runs a reduction must keep; None where nothing may be reduced."""
    checkpoints: Checkpoints | None = None
    """Where the search is saved, if that is wanted."""
    listens: Callable[[Path, Kernel], Listener] | None = None
    """Makes a listener for the search, whose files are to be in the folder; then distinct states are not counted."""


class Goal(Protocol):
    """What a run looks for."""

    def stopped(self, run: Run, event: Event) -> bool:
        """The search stopped at a state with a label of its mask, or with a cycle; whether it is to go on."""

    def faulted(self, run: Run, record: int, site: FaultSite) -> PropertyVerdict:
        """The search ended at a run-time fault of the state of this record: what that means. Raises `InputError` where
        the fault is in an expression that the user gave beside the model."""

    def finished(self, run: Run, folder: Path) -> None:
        """The search has ended without a fault or error; files may still be made in the folder."""


def unplaced(options: Options) -> UsageError:
    """Why a lossy store is refused by whoever listens to where states are stored."""
    given = Option("store", options.store)
    return UsageError("{}: this search has to know where states are stored", options=[given])


class Run:
    """One search, from compiling to counting. `kernel`, `search` and `log` are there once it has begun."""

    def __init__(self, plan: Plan, goal: Goal, watcher: Watcher) -> None:
        self.plan, self.watcher = plan, watcher
        self.findings = Findings()
        self.memory_limit: int | None = None
        self._goal = goal
        self._replay_seconds = 0.0
        self._counter: DistinctCounter | None = None
        self._listener: Listener | None = None
        self._saving: Saving | None = None
        self._ended = self._closed = False

    def carry_out(self) -> Findings:
        """Run it. Limits, a full disk and Ctrl-C end up in the findings. Raises `InputError` for a measure or a
        property that cannot be evaluated, and `InternalError` where a trace does not replay."""
        place = self._place()
        try:
            with place as folder:
                self._execute(folder.path)
                self._goal.finished(self, folder.path)
        except ResourceError as error:
            self.findings.reason = str(error)
        except MemoryError:
            self.findings.reason = "the machine's memory is used up"
        except KeyboardInterrupt:
            self.findings.interrupted, self.findings.reason = True, INTERRUPTED
        else:
            if isinstance(place, SearchCheckpoints):
                place.unfinished = not self._ended
        if isinstance(place, SearchCheckpoints) and place.unfinished:
            self.findings.reason = f"{self.findings.reason}; {place.advice}"
        return self.findings

    def _place(self) -> RunDirectory | SearchCheckpoints:
        """Where the run keeps its files; those of a run that can be resumed are there when it is killed."""
        options, checkpoints = self.plan.options, self.plan.checkpoints
        if options.checkpoint is None:
            return RunDirectory(options.folder)
        if checkpoints is None:
            raise UsageError("{}: this search cannot be saved", options=[Option("checkpoint")])
        place = checkpoints.begin()
        self._saving = Saving(place, self.watcher)
        return place

    def replay(self, record: int, *, labels: int = 0, fault: FaultSite | None = None) -> Replayed:
        """The way to a record, executed again; it must end in a state with the labels, or with the fault."""
        began = time.perf_counter()
        number, steps = self.search.walked or self.path_to(record)
        if len(steps) >= LONG_TRACE:
            self.watcher.stage(f"replaying a trace of {len(steps):,} steps ...")
        if fault is not None and self.kernel.canonical is not None:
            # It is the fault of one of several like processes: here it may be another's.
            replayed = replay_to_fault(self.kernel.twin, number, steps, fault.kind)
        else:
            replayed = replay(self.kernel.twin, number, steps, labels=labels, fault=fault)
        self._replay_seconds += time.perf_counter() - began
        return replayed

    def path_to(self, record: int) -> tuple[int, Sequence[int]]:
        """The number of an initial state and the steps from there, by their numbers in the Kernel's twin."""
        number, steps = self.log.path_to(record)
        return number, self.kernel.steps_of_twin(number, steps)

    def limit_reached(self) -> str | None:
        """The limit of time that is reached, in words."""
        seconds = self.plan.options.max_seconds
        if seconds is not None and time.perf_counter() - self.plan.started >= seconds:
            return time_is_up(seconds)
        return None

    def _execute(self, folder: Path) -> None:
        if self.plan.options.device == GPU and not self.plan.for_device:
            raise UsageError(
                "{} searches through single states, breadth-first or by a measure: for this it is not used",
                options=[Option("device", GPU)],
            )
        if self.plan.listens is not None and self.plan.options.store != EXACT:
            raise unplaced(self.plan.options)
        self.compiled = self._compile()
        self.kernel = self.compiled.kernel
        engine_seconds = 0.0 if self.plan.for_device else self._load_engine()
        if self._saving is not None:
            self._saving.recall()
        self._folder, self._disk = folder, DiskBudget(self.plan.options.disk_limit, folder)
        self._open_files(folder)
        self.memory_limit = self._engine_bytes()
        if self.plan.listens is not None:
            self._listener = self.plan.listens(folder, self.kernel)
        making = time.perf_counter()
        self.search = self.plan.searches.make(self.kernel, self.log.append, self._listener, self.memory_limit)
        self._began = began = time.perf_counter()
        if self.plan.for_device:
            # The model is linked with the kernels when the search is made.
            engine_seconds = began - making
        try:
            with contextlib.nullcontext() if self._saving is None else self._saving.signals:
                self._take_over()
                self._advance_to_end()
        finally:
            if not self._closed:
                self._note_statistics(self._seconds(), engine_seconds)
                self.search.close()
            self._close_files()
        self._count_distinct()

    def _open_files(self, folder: Path) -> None:
        """Make the files that the search writes to."""
        self.log = ParentLog(folder / "parents", self._disk)
        if self.plan.counts_distinct:
            keeps = self._saving is not None
            self._counter = DistinctCounter(folder / "seen", self.kernel.words, keeps=keeps, account=self._disk)
        self._listener = self._counter

    def _close_files(self) -> None:
        self.log.close()
        if self._counter is not None:
            self._counter.close()

    # Before the search

    def _compile(self) -> Compiled:
        plan, measure = self.plan, self.plan.measure
        try:
            return within(
                plan.options.max_seconds,
                plan.started,
                "compiled",
                lambda: compiled(
                    plan.system,
                    plan.predicates,
                    measure,
                    plan.options,
                    seen=plan.seen,
                    for_device=plan.for_device,
                ),
            )
        except Fault as fault:
            # Compiling runs nothing of the model but the measure, in the initial states.
            if measure is None:
                raise InternalError(f"compiling the model faulted: {fault.kind}") from fault
            raise measure_fault_at_start(measure, fault.kind, fault.span) from None

    def _load_engine(self) -> float:
        """Let a search of a few states load the engine's machine code, so that the clock of the real one
        measures searching only. Where it has to be made first, which takes some seconds, that is told."""
        from strandline.engine.jit import compiled_before

        began = time.perf_counter()
        telling = Timer(_LOADING, self.watcher.stage, (COMPILING,))
        telling.daemon = True
        trial = self.plan.searches.make(self.kernel, lambda links: None, None, None)
        if not isinstance(trial, Search):
            return 0.0
        if compiled_before(trial.loop):
            # It may have been for other widths of states; whether for this one is only seen by the time it takes.
            telling.start()
        else:
            self.watcher.stage(COMPILING)
        try:
            trial.advance(0.0)
            trial.close()
        finally:
            telling.cancel()
        return time.perf_counter() - began

    def _engine_bytes(self, reserve: int = _RESERVE) -> int:
        """What is left for the engine of the memory that the process may take; without a limit, of what the
        machine has free, because a killed process tells nothing."""
        allowed = self.plan.options.memory_limit
        if allowed is None:
            return int(available_bytes() * _SHARE_OF_FREE_MEMORY)
        taken = resident_bytes() + reserve
        if allowed <= taken:
            raise ResourceError(
                f"the memory limit of {shown_bytes(allowed)} is less than the {shown_bytes(taken)} that the program "
                "takes"
            )
        return allowed - taken

    # The search

    def _take_over(self) -> None:
        """Go on where a process before this one has saved the search, if it has; what it found is found again."""
        if self._saving is None:
            return
        for stop in self._saving.take_over(self.search, self.kernel, self._listener):
            self._search.stand_at(*stop)
            self._goal.stopped(self, Event.FOUND)

    @property
    def _search(self) -> Search:
        if not isinstance(self.search, Search):
            raise InternalError("this search cannot be saved")
        return self.search

    def _advance_to_end(self) -> None:
        while True:
            event = self.search.advance(self._slice())
            if event is Event.MEMORY and self._spills():
                continue
            if event in _ENDS:
                self._look(ends=event in _LIMITS)
                self._end(event)
                return
            if event is Event.PAUSED:
                self.findings.reason = self.limit_reached()
                self._look(ends=self.findings.reason is not None)
                if self.findings.reason is not None:
                    return
                self._tell_progress()
            elif not self._stopped(event):
                self.findings.reason, self._ended = DECIDED, True
                return

    def _spills(self) -> bool:
        """Memory is full: begin again with a search that has on disk what does not fit, where there is one; whether
        there is. What was found stays found."""
        options, makers = self.plan.options, self.plan.searches
        if options.memory_limit is None or not options.spill or not isinstance(makers, SpillingMaker):
            return False
        folder = self._folder / "spilled"
        if folder.exists() or not makers.can_spill(self.kernel, self._listener):
            return False
        self._look(ends=True)
        if self._saving is not None:
            self._saving.note_beyond()
        self.watcher.stage(f"{self._memory_reason()}: going on with states on disk")
        found = ~self.search.stop_mask
        # Where there is no room for the other search, this is what was done.
        self._note_statistics(self._seconds(), 0.0)
        self.search.close()
        self._close_files()
        self._closed = True
        folder.mkdir()
        trial = (self.kernel, lambda links: None, None, 1)
        load_spilling(lambda place: makers.spilling(*trial, place, lambda count: None), folder / "trial")
        return_memory()
        self._open_files(folder)
        self.memory_limit = self._engine_bytes(RESERVE)
        files = (folder / "runs", self._disk)
        self.search = makers.spilling(self.kernel, self.log.append, self._listener, self.memory_limit, *files)
        self.search.stop_less(found)
        self._closed = False
        return True

    def _look(self, *, ends: bool) -> None:
        """The search stands still: it may be saved."""
        if self._saving is not None:
            self._saving.look(self._seconds() - self._saving.seconds_before, ends=ends)

    def _stopped(self, event: Event) -> bool:
        """The search stopped; whether it is to go on."""
        if self._saving is not None:
            if event is Event.FOUND:
                self._saving.note_stop(Stop(*self.search.found, self.search.stop_mask))
            else:
                self._saving.note_beyond()
        return self._goal.stopped(self, event)

    def _seconds(self) -> float:
        """What the search took so far, in all processes."""
        before = 0.0 if self._saving is None else self._saving.seconds_before
        return before + time.perf_counter() - self._began - self._replay_seconds

    def _end(self, event: Event) -> None:
        self._ended = event not in _LIMITS
        if event is Event.DONE:
            self.findings.reason = self._doubt()
            self.findings.complete = self.findings.reason is None
        elif event is Event.MEMORY:
            self.findings.reason = self._memory_reason()
        elif event is Event.STATES:
            limit = self.plan.options.max_states
            self.findings.reason = f"the limit of {limit:,} state{'' if limit == 1 else 's'} is reached"
        elif event is Event.FAULT:
            record, _ = self.search.found
            site = self.kernel.fault_sites[self.search.fault_number]
            self.findings.fault = self._goal.faulted(self, record, site)
            self.findings.reason = "the search ended at a run-time fault"
        else:
            self._column_decreased()

    def _doubt(self) -> str | None:
        """Why a search that came to its end may not have seen everything."""
        omissions = self.search.omissions
        if omissions is None:
            return None
        what = "hash compaction" if self.plan.options.store == COMPACT else "bitstate hashing"
        if omissions.expected < 1:
            return f"{what} is lossy: a state was omitted with a probability of at most {omissions.expected:.1g}"
        omitted = f"about {omissions.expected:,.0f} states were omitted, and what lies behind them"
        share = f"one new state in {1 / omissions.per_state:,.0f} was taken for known at the end"
        return f"{what} is lossy: {omitted}; {share}"

    def _memory_reason(self) -> str:
        limit = self.plan.options.memory_limit
        if limit is None and self.plan.for_device:
            return "the memory of the device is used up"
        if limit is not None:
            return f"the memory limit of {shown_bytes(limit)} is reached"
        return "nearly all free memory of the machine is used (the option 'memory' sets another limit)"

    def _column_decreased(self) -> None:
        if self.plan.measure is None:
            raise InternalError("a column decreased in a search without a measure")
        record, step = self.search.regressing_link
        number, steps = self.search.walked or self.log.path_to(record)
        replayed = replay(self.kernel.twin, number, self.kernel.steps_of_twin(number, [*steps, step]))
        raise decreasing_column(self.kernel.twin, replayed, self.plan.measure)

    def _slice(self) -> float:
        """Seconds until limits are looked at again; short ones where a limit is near."""
        seconds, limit = _SLICE, self.plan.options.max_seconds
        if limit is not None:
            seconds = min(seconds, self.plan.started + limit - time.perf_counter())
        return max(seconds, _SHORTEST_SLICE)

    def _tell_progress(self) -> None:
        now, measure = self.search.statistics(), self.plan.measure
        elapsed = time.perf_counter() - self.plan.started
        size = self.search.current_bytes()
        fraction = None if measure is None else measure.fraction(self.search.line)
        self.watcher.progress(Progress(elapsed, now.recorded, now.visited, now.stored, size, fraction, now.sweeps))

    # Afterwards

    def _note_statistics(self, seconds: float, engine_seconds: float) -> None:
        now = self.search.statistics()
        self.findings.statistics = Statistics(
            states=now.recorded if now.exact else None,
            transitions=now.transitions if now.exact else None,
            deadlocks=now.deadlocks if now.exact else None,
            visited=now.visited,
            peak_states=now.peak_states,
            peak_bytes=now.peak_bytes,
            rss_bytes=peak_resident_bytes(),
            sweeps=now.sweeps if self.plan.measure else 0,
            persistent=now.persistent,
            regress_edges=now.regress_edges,
            layers=now.layers,
            replaced=self.search.replaced,
            spilled_bytes=self.search.spilled_bytes,
            levels=tuple(self.search.level_sizes),
            profile=self.search.profile(),
            regress=self._regress(),
            threads=now.threads,
            device=self.search.device_figures,
            coverage=None if self._partial else coverage_of(self.plan.system, self.kernel),
            exchanged=self.compiled.exchanged,
            passed_over=self.compiled.passed_over,
            seconds=seconds,
            compile_seconds=self.kernel.compile_seconds,
            engine_seconds=engine_seconds,
        )

    @property
    def _partial(self) -> bool:
        """Whether some steps of the model were left out, or taken for others."""
        kernel = self.kernel
        return kernel.numbered or kernel.canonical is not None or kernel.separate is not None

    def _regress(self) -> Regress | None:
        """Which steps regress, where the search tells of some."""
        if self.plan.measure is None or self._partial:
            return None
        return regress_of(self.plan.system, self.kernel.twin, self.plan.measure, self.search.sampled_regress_edges)

    def _count_distinct(self) -> None:
        if self._counter is None or self.findings.statistics.states is not None:
            return
        self.watcher.stage("counting distinct states ...")
        counts: Counts = self._counter.count()
        self.findings.statistics = replace(
            self.findings.statistics, states=counts.states, transitions=counts.transitions, deadlocks=counts.deadlocks
        )
