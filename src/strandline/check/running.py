"""The one loop that runs a search: compile, explore, stop at what was asked for, replay, count, clean up.

What differs between searches is passed in: a `Plan` says what is searched, by which search and within which limits, a
`Goal` what it means that the search stopped somewhere.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from strandline.check.blame import decreasing_column
from strandline.check.checkpoints.interrupting import WaitingSignals
from strandline.check.checkpoints.keeping import SearchCheckpoints
from strandline.check.checkpoints.saving import Saving, Stop
from strandline.check.evidence import EvidenceLimits
from strandline.check.figures import doubt, figures_of, memory_reason
from strandline.check.options import GPU, WHOLE
from strandline.check.patience import time_is_up
from strandline.check.plan import DECIDED, INTERRUPTED, Findings, Goal, Plan, unplaced
from strandline.check.planner import Planner
from strandline.check.stages import next_stage
from strandline.check.watching import Progress, Watcher
from strandline.check.workbench import Workbench
from strandline.compile.kernel import FaultSite, Kernel
from strandline.engine.search import Event, Search, Searching
from strandline.errors import InternalError, Option, ResourceError, UsageError
from strandline.traces.log import ParentLog
from strandline.traces.replay import Replayed, replay, replay_to_fault
from strandline.traces.workspace import RunDirectory

_SLICE = 0.05
"""Seconds between two looks at limits and signals."""
_SHORTEST_SLICE = 0.0002
LONG_TRACE = 20_000
"""Steps that take a second or more to replay."""
_ENDS = (Event.DONE, Event.MEMORY, Event.STATES, Event.FAULT, Event.COLUMN_DECREASED)
_LIMITS = (Event.MEMORY, Event.STATES)
"""Ends after which more could be searched."""


class Run:
    """One search, from compiling to counting. `kernel`, `search` and `log` are there once it has begun."""

    def __init__(self, plan: Plan, goal: Goal, watcher: Watcher) -> None:
        self.watcher = watcher
        self.findings = Findings(prediction=plan.prediction)
        self._planned, self._goal = plan, goal
        self._bench: Workbench | None = None
        self._replay_seconds = 0.0
        self._saving: Saving | None = None
        self._ended = self._closed = False
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
        """The way to a record, executed again; it must end in a state with the labels, or with the fault. Raises
        `LeftOut` where the limits of the run do not allow for that."""
        began = time.perf_counter()
        number, steps = self._recalled or self.search.walked or self.path_to(record)
        if len(steps) >= LONG_TRACE:
            self.watcher.stage(f"replaying a trace of {len(steps):,} steps ...")
        if fault is not None and self.kernel.canonical is not None:
            # It is the fault of one of several like processes: here it may be another's.
            replay_it = partial(replay_to_fault, kind=fault.kind)
        else:
            replay_it = partial(replay, labels=labels, fault=fault)
        try:
            return replay_it(self.kernel.twin, number, steps, check_limits=self.evidence_limits.check)
        finally:
            self._replay_seconds += time.perf_counter() - began

    @property
    def evidence_limits(self) -> EvidenceLimits:
        """What is left of the limits for traces."""
        return EvidenceLimits(self.plan.options, self.plan.started)

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

    @property
    def plan(self) -> Plan:
        return self._planned if self._bench is None else self._bench.plan

    @property
    def kernel(self) -> Kernel:
        return self.bench.kernel

    @property
    def search(self) -> Searching:
        return self.bench.search

    @property
    def log(self) -> ParentLog:
        return self.bench.log

    @property
    def bench(self) -> Workbench:
        if self._bench is None:
            raise InternalError("the run has not begun")
        return self._bench

    def _execute(self, folder: Path) -> None:
        if self.plan.options.device == GPU and not self.plan.for_device:
            raise UsageError(
                "{} searches through single states, breadth-first or by a measure: for this it is not used",
                options=[Option("device", GPU)],
            )
        if self.plan.listens is not None and self.plan.options.store not in WHOLE:
            raise unplaced(self.plan.options)
        self._bench = Workbench(self.plan, self.watcher, self._saving, folder)
        engine_seconds = self._bench.begin()
        self._began = time.perf_counter()
        try:
            with contextlib.nullcontext() if self._saving is None else self._saving.signals:
                self._take_over()
                self._advance_to_end()
        finally:
            if not self._closed:
                self._note_statistics(engine_seconds)
                self.search.close()
            self._bench.close_files()
        self._count_distinct()

    # The search

    def _take_over(self) -> None:
        """Go on where a process before this one has saved the search, if it has; what it found is found again."""
        if self._saving is None:
            return
        self.bench.have_saved()
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
            event = self._search_on()
            if event is Event.MEMORY and self._goes_on():
                continue
            if event in _ENDS:
                self.bench.settle()
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

    def _search_on(self) -> Event:
        """Search for a slice of time. A sweep that does not do what was predicted is planned again."""
        # What a signal raises in the middle of a call of machine code can be lost or turned into something else.
        with WaitingSignals():
            event = self.search.advance(self._slice())
        if event is Event.PAUSED and self._takes_too_much():
            event = Event.MEMORY
        planner, limit = self.bench.planner, self.plan.options.memory_limit
        if planner is None or not planner.can_plan:
            return event
        if event is Event.PAUSED:
            told = planner.outlook.disappointed(self.search.statistics())
            return event if told is None else self._plan_again(planner, told) or event
        if event is Event.MEMORY and limit is not None and not planner.outlook.prediction.exact:
            now = self.search.statistics()
            told = f"{memory_reason(self.plan)} by {now.stored:,} states, where about {now.distinct:,} were met"
            return self._plan_again(planner, told, peak=True) or Event.PAUSED
        return event

    def _takes_too_much(self) -> bool:
        """Whether the process takes more than the search has counted, and no less will do. That is rare: what the
        search leaves is meant for all else. A search on a device has its memory there."""
        if not isinstance(self.search, Search) or not self.bench.allowed.runs_short():
            return False
        return not self.search.ease()

    def _plan_again(self, planner: Planner, told: str, *, peak: bool = False) -> Event | None:
        self._put_aside(f"{told}: planning again, from what the sweep has before it ...")
        event = planner.plan_again(told, peak=peak)
        self.findings.prediction = self.plan.prediction
        self._closed = event is Event.MEMORY
        return event

    def _put_aside(self, why: str) -> None:
        """The search is about to give way to another one: save it, and note what was done, for where there is no
        other."""
        self._look(ends=True)
        self.watcher.stage(why)
        self._note_statistics(0.0)
        self._closed = True

    def _goes_on(self) -> bool:
        """Memory is full: begin again with a search that takes less, where there is one; whether there is. What was
        found stays found."""
        stage = next_stage(self.bench)
        if stage is None:
            return False
        reason = memory_reason(self.plan)
        by = "" if self._closed else f" by {self.search.statistics().stored:,} states"
        why = f"{reason}: going on with {stage.change}"
        if self._closed:
            self.watcher.stage(why)
        else:
            self._put_aside(why)
            stage.put_down(self.bench)
        if self._saving is not None:
            self._saving.note_paths(self.path_to)
        self.bench.begin_again(stage, f"{reason}{by}")
        self._closed = False
        return True

    def _look(self, *, ends: bool) -> None:
        """The search stands still: it may be saved."""
        if self._saving is not None and not self._closed:
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
        bench, seconds = self.bench, self._seconds()
        figures = figures_of(bench.plan, bench.compiled, bench.search, seconds, engine_seconds, bench.changed)
        self.findings.statistics = figures

    def _count_distinct(self) -> None:
        if not self.plan.counts_distinct or self.findings.statistics.states is not None:
            return
        self.watcher.stage("counting distinct states ...")
        counts = self.bench.counted()
        if counts is None:
            return
        self.findings.statistics = replace(
            self.findings.statistics,
            states=counts.states,
            about=None,
            transitions=counts.transitions,
            deadlocks=counts.deadlocks,
        )
