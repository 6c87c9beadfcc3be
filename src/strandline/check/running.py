"""The one loop that runs a search: compile, explore, stop at what was asked for, replay, count, clean up.

What differs between searches is passed in: a `Plan` says what is searched, by which search and within which limits, a
`Goal` what it means that the search stopped somewhere.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from strandline.check.blame import decreasing_column, measure_fault_at_start
from strandline.check.checkpoints.interrupting import WaitingSignals
from strandline.check.checkpoints.keeping import SearchCheckpoints
from strandline.check.checkpoints.saving import Saving, Stop
from strandline.check.compiling import Compiled, compiled
from strandline.check.counting import Counts, DistinctCounter
from strandline.check.disk import DiskBudget
from strandline.check.engine_loading import Nowhere, load_engine, telling
from strandline.check.engine_searches import SpillingMaker
from strandline.check.figures import doubt, figures_of, memory_reason
from strandline.check.memory import available_bytes, resident_bytes, return_memory, shown_bytes
from strandline.check.options import EXACT, GPU
from strandline.check.patience import time_is_up, within
from strandline.check.plan import DECIDED, INTERRUPTED, Findings, Goal, Plan, unplaced
from strandline.check.spilling import DISK, RESERVE, TREES, WORTH_TREES, load_spilling
from strandline.check.watching import Progress, Watcher
from strandline.compile.interpret import Fault
from strandline.compile.kernel import FaultSite
from strandline.engine.journal import Listener
from strandline.engine.search import Event, Search, Searching
from strandline.errors import InternalError, Option, ResourceError, UsageError
from strandline.traces.log import ParentLog
from strandline.traces.replay import Replayed, replay, replay_to_fault
from strandline.traces.workspace import RunDirectory

_SLICE = 0.05
"""Seconds between two looks at limits and signals."""
_SHORTEST_SLICE = 0.0002
_SHARE_OF_FREE_MEMORY = 0.9
_RESERVE = 2 << 20
"""Bytes that a search leaves for all else."""
LONG_TRACE = 20_000
"""Steps that take a second or more to replay."""
_ENDS = (Event.DONE, Event.MEMORY, Event.STATES, Event.FAULT, Event.COLUMN_DECREASED)
_LIMITS = (Event.MEMORY, Event.STATES)
"""Ends after which more could be searched."""


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
        self._stages: list[str] = []
        self._recalled: tuple[int, Sequence[int]] | None = None

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
        number, steps = self._recalled or self.search.walked or self.path_to(record)
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
        engine_seconds = 0.0 if self.plan.for_device else load_engine(self.plan, self.kernel, self.watcher)
        if self._saving is not None:
            self._saving.recall()
        self._folder, self._disk = folder, DiskBudget(self.plan.options.disk_limit, folder)
        making = time.perf_counter()
        engine_seconds += self._make_search(folder)
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
                self._note_statistics(engine_seconds)
                self.search.close()
            self._close_files()
        self._count_distinct()

    def _make_search(self, folder: Path) -> float:
        """Make the search, or the one that has taken its place in a run before; how many seconds machine code took."""
        making = time.perf_counter()
        if self._saving is not None and self._saving.stages:
            *before, last = self._saving.stages
            for stage in before:
                self._prepare(stage)
            self._enter(last)
            return time.perf_counter() - making
        self._open_files(folder)
        self.memory_limit = self._engine_bytes()
        if self.plan.listens is not None:
            # Who listens may have machine code of its own to load.
            with telling(self.watcher):
                self._listener = self.plan.listens(folder, self.kernel)
        taken = time.perf_counter() - making
        self.search = self.plan.searches.make(self.kernel, self.log, self._listener, self.memory_limit)
        return taken

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

    def _engine_bytes(self, reserve: int = _RESERVE) -> int:
        """What is left for the engine of the memory that the process may take; without a limit, of what the
        machine has free, because a killed process tells nothing."""
        allowed = self.plan.options.memory_limit
        if allowed is None:
            return int(available_bytes() * _SHARE_OF_FREE_MEMORY)
        return_memory()
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
        self._saving.attach(self.search, self.kernel, self._listener, self._stages)
        for record, labels, mask, path in self._saving.take_over():
            self._search.stand_at(record, labels, mask)
            self._recalled = None if path is None else (path[0], path[1])
            self._goal.stopped(self, Event.FOUND)
        self._recalled = None

    @property
    def _search(self) -> Search:
        if not isinstance(self.search, Search):
            raise InternalError("this search cannot be saved")
        return self.search

    def _advance_to_end(self) -> None:
        while True:
            # What a signal raises in the middle of a call of machine code can be lost or turned into something else.
            with WaitingSignals():
                event = self.search.advance(self._slice())
            if event is Event.MEMORY and self._goes_on():
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

    def _goes_on(self) -> bool:
        """Memory is full: begin again with a search that takes less, where there is one; whether there is. What was
        found stays found."""
        stage = self._next_stage()
        if stage is None:
            return False
        self._look(ends=True)
        self.watcher.stage(f"{memory_reason(self.plan)}: going on with states {stage}")
        found = ~self.search.stop_mask
        # Where there is no room for the other search, this is what was done.
        self._note_statistics(0.0)
        if self._saving is not None:
            self._saving.note_paths(self.path_to)
        self.search.close()
        self._close_files()
        self._closed = True
        self._enter(stage)
        if self._saving is not None:
            self._saving.attach(self.search, self.kernel, self._listener, self._stages)
        self.search.stop_less(found)
        self._closed = False
        return True

    def _next_stage(self) -> str | None:
        """How the search can go on with less memory."""
        options, makers = self.plan.options, self.plan.searches
        spills = options.memory_limit is not None and options.spill and isinstance(makers, SpillingMaker)
        # Who listens would have to be told everything again.
        if not spills or DISK in self._stages or self.plan.listens is not None:
            return None
        if not isinstance(makers, SpillingMaker) or not makers.can_spill(self.kernel, self._listener):
            return None
        worth = (self.memory_limit or 0) >= WORTH_TREES
        return TREES if worth and makers.as_trees(self._listener) is not None else DISK

    def _prepare(self, stage: str) -> SpillingMaker:
        """Have the Kernel of a stage, and who makes its search. States kept as trees are to fold well."""
        makers = self.plan.searches
        if not isinstance(makers, SpillingMaker):
            raise InternalError("this search cannot go on with less memory")
        self._stages.append(stage)
        trees = makers.as_trees(self._listener) if stage == TREES else None
        if trees is None:
            return makers
        self.plan = replace(self.plan, options=trees.options, searches=trees)
        self.compiled = self._compile()
        self.kernel = self.compiled.kernel
        return trees

    def _enter(self, stage: str) -> None:
        """Make the search of a stage, with files of its own."""
        makers, folder = self._prepare(stage), self._folder / stage.replace(" ", "-")
        folder.mkdir(exist_ok=True)
        self.search = self._folding(folder) if stage == TREES else self._spilling(makers, folder)

    def _folding(self, folder: Path) -> Searching:
        """The search that keeps states as trees."""
        make = self.plan.searches.make
        load_spilling(lambda place: make(self.kernel, Nowhere(), None, None), folder / "trial")
        return_memory()
        self._open_files(folder)
        self.memory_limit = self._engine_bytes()
        return make(self.kernel, self.log, self._listener, self.memory_limit)

    def _spilling(self, makers: SpillingMaker, folder: Path) -> Search:
        """The search that has on disk what does not fit."""
        trial = (self.kernel, lambda links: None, None, 1)
        load_spilling(lambda place: makers.spilling(*trial, place, lambda count: None), folder / "trial")
        return_memory()
        self._open_files(folder)
        # A run that is resumed may have no limit any more.
        self.memory_limit = None if self.plan.options.memory_limit is None else self._engine_bytes(RESERVE)
        files = (folder / "runs", self._disk, None if self._saving is None else self._saving.release)
        return makers.spilling(self.kernel, self.log.append, self._listener, self.memory_limit, *files)

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
            self.findings.reason = doubt(self.search.omissions, self.plan.options)
            self.findings.complete = self.findings.reason is None
        elif event is Event.MEMORY:
            self.findings.reason = memory_reason(self.plan)
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

    def _note_statistics(self, engine_seconds: float) -> None:
        figures = figures_of(self.plan, self.compiled, self.search, self._seconds(), engine_seconds)
        self.findings.statistics = figures

    def _count_distinct(self) -> None:
        if self._counter is None or self.findings.statistics.states is not None:
            return
        self.watcher.stage("counting distinct states ...")
        counts: Counts = self._counter.count()
        self.findings.statistics = replace(
            self.findings.statistics, states=counts.states, transitions=counts.transitions, deadlocks=counts.deadlocks
        )
