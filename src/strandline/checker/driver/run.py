"""A run of a search: a state machine over a `SearchContext`.

    with run_search(specification, callback) as run:
        ...  # replay `run.stops`, label the graph, shorten a lasso: the files still exist

An event of the engine has one of four effects: a pause, in which limits, checkpoints and progress are handled; a stop
at a state or cycle of interest, which is recorded as data; a fallback to another search
(`strandline.checker.driver.fallbacks`); or the end of the run.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path as FilePath

from strandline.checker.checkpoints.run_folder import SearchCheckpoints
from strandline.checker.checkpoints.saving import Saving, Stop
from strandline.checker.checkpoints.signals import WaitingSignals
from strandline.checker.driver.context import RunResources, SearchContext, first_setup, open_first
from strandline.checker.driver.fallbacks import FALLBACKS, Cause, Trigger, resume_through
from strandline.checker.driver.fault_attribution import decreasing_column
from strandline.checker.driver.outcome import DECIDED, CycleStop, FaultStop, Path, RunOutcome, StateStop
from strandline.checker.driver.searches import component_search, cycle_search
from strandline.checker.driver.specification import SearchSpecification, needs_exact_store
from strandline.checker.driver.statistics import doubt, figures_of, memory_reason
from strandline.checker.driver.warm_up import warm_up
from strandline.checker.limits.disk import DiskBudget
from strandline.checker.limits.evidence import EvidenceLimits
from strandline.checker.limits.memory import MemoryLimit
from strandline.checker.limits.progress import Progress, ProgressCallback
from strandline.checker.limits.timeouts import time_is_up
from strandline.checker.options.search import GPU, WHOLE
from strandline.compile.kernel import FaultSite, Kernel
from strandline.engine.cycles.cycle_search import CycleSearch
from strandline.engine.parts.search_output import SearchObserver
from strandline.engine.runtime.writer import Writer
from strandline.engine.search import Event, Search, Searching
from strandline.errors import InternalError, Option, ResourceError, UsageError
from strandline.traces.lassos import Lasso
from strandline.traces.replay import Replayed, replay, replay_to_fault
from strandline.traces.workspace import RunDirectory

_SLICE = 0.05
"""Seconds between two checks of limits and signals."""
_SHORTEST_SLICE = 0.0002
LONG_TRACE = 20_000
"""Steps of a trace that takes a second or more to replay."""
_ENDS = (Event.DONE, Event.MEMORY, Event.STATES, Event.FAULT, Event.COLUMN_DECREASED)
_LIMITS = (Event.MEMORY, Event.STATES)
"""Events that end a run although more could be searched."""


@contextmanager
def run_search(specification: SearchSpecification, callback: ProgressCallback) -> Iterator[SearchRun]:
    """Run a search, and keep its files until the `with` block ends.

    Limits, a full disk and Ctrl-C are recorded in the outcome, also those of the block. Raises `InputError` for a
    measure or a property that cannot be evaluated, and `InternalError` if a trace does not replay.
    """
    run = SearchRun(specification, callback)
    place = _place(specification)
    limited = False
    with contextlib.ExitStack() as files:
        try:
            files.enter_context(place)
            folder = place.path
            run.search_to_the_end(_resources(specification, callback, place, folder))
        except (ResourceError, MemoryError, KeyboardInterrupt) as limit:
            limited = True
            run.outcome.stop_at_limit(limit)
        try:
            yield run
        except (ResourceError, MemoryError, KeyboardInterrupt) as limit:
            limited = True
            run.outcome.stop_at_limit(limit)
    if isinstance(place, SearchCheckpoints):
        place.unfinished = limited or not run.ended
        if place.unfinished:
            run.outcome.reason = f"{run.outcome.reason}; {place.advice}"


def _resources(
    specification: SearchSpecification,
    callback: ProgressCallback,
    place: RunDirectory | SearchCheckpoints,
    folder: FilePath,
) -> RunResources:
    options = specification.options
    return RunResources(
        folder,
        callback,
        MemoryLimit(options.memory_limit),
        DiskBudget(options.disk_limit, folder),
        Writer(),
        Saving(place, callback) if isinstance(place, SearchCheckpoints) else None,
    )


def _place(specification: SearchSpecification) -> RunDirectory | SearchCheckpoints:
    """Return the temporary folder for the run's files, or, with checkpoints, a folder that outlives the process."""
    options, checkpoints = specification.options, specification.checkpoints
    if options.device == GPU and not specification.for_device:
        raise UsageError(
            "{} is for searches for states, breadth-first or by a measure; it cannot be used here",
            options=[Option("device", GPU)],
        )
    if specification.observe is not None and options.store not in WHOLE:
        raise needs_exact_store(options)
    if options.checkpoint is None:
        return RunDirectory(options.folder)
    if checkpoints is None:
        raise UsageError("{}: this search cannot be saved", options=[Option("checkpoint")])
    return checkpoints.begin()


class SearchRun:
    """One run of a search, from compilation to counting distinct states, with its stops."""

    def __init__(self, specification: SearchSpecification, callback: ProgressCallback) -> None:
        self.callback = callback
        self.outcome = RunOutcome(prediction=specification.prediction)
        self.stops: list[StateStop] = []
        self.cycles: list[CycleStop] = []
        self.fault: FaultStop | None = None
        self.ended = False
        """True if the search has ended for another reason than a limit."""
        self._asked = specification
        self._context: SearchContext | None = None
        self._searched = time.perf_counter()
        """When the search ended, on the clock of `time.perf_counter`."""
        self._open = False
        """True while the search of the context is open; it is closed between two searches."""

    # Results

    @property
    def specification(self) -> SearchSpecification:
        return self._asked if self._context is None else self._context.specification

    @property
    def context(self) -> SearchContext:
        if self._context is None:
            raise InternalError("the run has not begun")
        return self._context

    @property
    def has_begun(self) -> bool:
        """True once a search has been made."""
        return self._context is not None

    @property
    def kernel(self) -> Kernel:
        return self.context.kernel

    @property
    def search(self) -> Searching:
        return self.context.search

    @property
    def memory(self) -> MemoryLimit:
        """The memory limit of the process."""
        return self.context.resources.memory

    @property
    def observer(self) -> SearchObserver | None:
        """The observer that the specification made; None before the search has begun."""
        return None if self._context is None else self._context.files.observer

    def path_to(self, record: int) -> Path:
        """Return the path from an initial state to a state of the last search, by its number in the parent log."""
        initial, steps = self.context.files.log.path_to(record)
        return Path(initial, self.kernel.lift_steps(initial, steps))

    def parents(self) -> Iterator[int | None]:
        """Yield the parent's record number for each record of the parent log, in order; None for an initial state."""
        return self.context.files.log.parents()

    def replay(self, stop: StateStop | FaultStop) -> Replayed:
        """Execute the path to a stop again by the reference interpreter.

        It must end in a state with the labels, or with the fault; raises `InternalError` if it does not, and `LeftOut`
        if the limits of the run do not allow for the replay.
        """
        reference, check_limits = self.kernel.reference, self.evidence_limits.check
        initial, steps = stop.path or self.path_to(stop.record)
        if len(steps) >= LONG_TRACE:
            self.callback.stage(f"replaying a trace of {len(steps):,} steps ...")
        if isinstance(stop, StateStop):
            return replay(reference, initial, steps, labels=stop.labels, check_limits=check_limits)
        if self.kernel.canonical is not None:
            # Under symmetry the fault may be that of another one of the identical processes.
            return replay_to_fault(reference, initial, steps, stop.site.kind, check_limits=check_limits)
        return replay(reference, initial, steps, fault=stop.site, check_limits=check_limits)

    @property
    def evidence_limits(self) -> EvidenceLimits:
        """The limits for traces: those of the run, but at least a second after the end of the search."""
        return EvidenceLimits(self.specification.options, self.specification.started, self._searched)

    def reached_limit(self) -> str | None:
        """Return the message for the time limit if it is reached, else None."""
        specification = self.specification
        seconds = specification.options.max_seconds
        if seconds is not None and time.perf_counter() - specification.started >= seconds:
            return time_is_up(seconds)
        return None

    def ensure_within_limits(self) -> None:
        """Raise `ResourceError` if a limit of time or memory is reached."""
        reason = self.reached_limit()
        if reason is not None:
            raise ResourceError(reason)
        self.memory.ensure()

    # The search

    def search_to_the_end(self, resources: RunResources) -> None:
        """Search until every property is decided, a limit is reached or all states are explored.

        Raises `ResourceError` for a limit that is reached outside the search loop, as while compiling or writing files.
        """
        self._saving = resources.saving
        engine_seconds = self._begin(resources)
        self._began = time.perf_counter()
        try:
            with contextlib.nullcontext() if self._saving is None else self._saving.signals:
                self._restore()
                self._advance_to_end()
        finally:
            if self._open:
                self._note_statistics(engine_seconds)
                self.search.close()
                self._open = False
            self.context.files.close()
            self._searched = time.perf_counter()
        self._count_distinct()

    def _begin(self, resources: RunResources) -> float:
        """Make the first search, or, in a resumed run, the search of the earlier process's last fallback.

        Returns the seconds for loading the engine's machine code.
        """
        setup, saving = first_setup(resources, self._asked), resources.saving
        for_device = self._asked.for_device
        seconds = 0.0 if for_device else warm_up(self._asked, setup.kernel, self.callback)
        if saving is not None:
            saving.recall()
            resources.disk.find(resources.folder)
        making = time.perf_counter()
        resumed = saving is not None and bool(saving.stages)
        self._context = resume_through(setup, saving.stages) if saving is not None and resumed else open_first(setup)
        self._open = True
        # The model for a device is linked with the kernels when the search is made.
        return seconds + time.perf_counter() - making if resumed or for_device else seconds

    def _restore(self) -> None:
        """Restore the search from a checkpoint of an earlier process, if there is one."""
        if self._saving is None:
            return
        self.context.attach_to_checkpoints()
        for record, labels, mask, path in self._saving.take_over():
            self.stops.append(StateStop(record, labels & mask, None if path is None else Path(*path)))

    def _advance_to_end(self) -> None:
        while True:
            event = self._advance()
            if event in _ENDS:
                self.context.files.settle()
                self._consider_checkpoint(ends=event in _LIMITS)
                self._end(event)
                return
            if event is Event.PAUSED:
                self.outcome.reason = self.reached_limit()
                self._consider_checkpoint(ends=self.outcome.reason is not None)
                if self.outcome.reason is not None:
                    return
                self._report_progress()
            elif not self._record_stop(event):
                self.outcome.reason, self.ended = DECIDED, True
                return

    def _advance(self) -> Event:
        """Search for a slice of time, or fall back to another search if necessary; return the event."""
        # An exception raised by a signal inside a call of machine code can be lost or replaced by another one.
        with WaitingSignals():
            event = self.search.advance(self._slice())
        if event is Event.PAUSED and self._exceeds_memory():
            event = Event.MEMORY
        if event is Event.MEMORY:
            now = self.search.statistics()
            return self._fall_back(Cause(Trigger.MEMORY, memory_reason(self.specification), now.stored, now.distinct))
        outlook = self.context.setup.outlook
        if event is Event.PAUSED and outlook is not None:
            why = outlook.disappointment(self.search.statistics())
            return event if why is None else self._fall_back(Cause(Trigger.DISAPPOINTMENT, why))
        return event

    def _exceeds_memory(self) -> bool:
        """Return True if the process exceeds the memory limit, and the search cannot shrink its caches.

        That is rare, because a search has a reserve for everything that it does not count. A search on a device is left
        out, because its memory is there.
        """
        if not isinstance(self.search, Search) or not self.memory.runs_short():
            return False
        return not self.search.shrink_caches()

    def _fall_back(self, cause: Cause) -> Event:
        """Enter the first fallback that applies.

        Returns PAUSED if a search can go on, else the event that ends the run.
        """
        for fallback in FALLBACKS:
            if cause.trigger not in fallback.triggers or not fallback.applies(self.context, cause.trigger):
                continue
            self._set_aside(fallback.notice(cause))
            entered = fallback.enter(self.context, cause)
            self._context, self._open = entered.context, entered.event is not Event.MEMORY
            self.outcome.prediction = self.specification.prediction
            if entered.event is not Event.MEMORY:
                return entered.event
            cause = Cause(Trigger.MEMORY, memory_reason(self.specification))
        return Event.MEMORY if cause.trigger is Trigger.MEMORY else Event.PAUSED

    def _set_aside(self, notice: str) -> None:
        """Save the search before a fallback, and record its statistics, in case no fallback succeeds."""
        self._consider_checkpoint(ends=True)
        self.callback.stage(notice)
        if self._open:
            self._note_statistics(0.0)
        # The next search has records of its own: replace them by paths first.
        self.stops = [stop._replace(path=stop.path or self.path_to(stop.record)) for stop in self.stops]
        if self._saving is not None:
            self._saving.note_paths(self.path_to)
        self._open = False

    def _consider_checkpoint(self, *, ends: bool) -> None:
        """Write a checkpoint if one is due or the search `ends`; called between two slices."""
        if self._saving is not None and self._open:
            self._saving.look(self._seconds() - self._saving.seconds_before, ends=ends)

    # Stops

    def _record_stop(self, event: Event) -> bool:
        """Record a stop at a state or cycle; return True if the search goes on."""
        if event is Event.FOUND:
            return self._record_state()
        if event is Event.CYCLE:
            if self._saving is not None:
                self._saving.note_beyond()
            return self._record_cycle(cycle_search(self.search))
        raise InternalError(f"the search stopped for no reason that is known here: {event}")

    def _record_state(self) -> bool:
        record, labels = self.search.found
        reached = labels & self.search.stop_mask
        if not reached:
            raise InternalError(f"the search stopped at a state without a label of its mask: {labels}")
        if self._saving is not None:
            self._saving.note_stop(Stop(record, labels, self.search.stop_mask))
        self.stops.append(StateStop(record, reached, self._walked_path()))
        self.search.stop_less(reached)
        return self.specification.explores_all or bool(self.search.stop_mask)

    def _walked_path(self) -> Path | None:
        """Return the path to the current state of a search without a parent log; None for other searches."""
        walked = self.search.walked
        return None if walked is None else Path(*walked)

    def _record_cycle(self, search: CycleSearch) -> bool:
        every, kind = self.specification.components, search.cycle_kind or None
        if every is None:
            self.cycles.append(CycleStop(kind, lasso=self._lasso(search)))
            return False
        components = component_search(search)
        kept = None if every.select is None else every.select(self.kernel, components.component_states())
        lasso = self._lasso(search) if not self.cycles or len(self.cycles) < every.most else None
        self.cycles.append(CycleStop(kind, components.component_size, lasso, kept))
        components.follows = len(self.cycles) < every.most
        components.go_on()
        return True

    def _lasso(self, search: CycleSearch) -> Lasso:
        initial, stem = self.context.files.log.path_to(search.cycle.record)
        steps: Sequence[int] = self.kernel.lift_steps(initial, [*stem, *search.cycle.steps])
        return Lasso(initial, tuple(steps[: len(stem)]), tuple(steps[len(stem) :]))

    def _end(self, event: Event) -> None:
        outcome, options = self.outcome, self.specification.options
        self.ended = event not in _LIMITS
        if event is Event.DONE:
            outcome.reason = doubt(self.search.details().omissions, options)
            outcome.complete = outcome.reason is None
        elif event is Event.MEMORY:
            outcome.reason = memory_reason(self.specification)
        elif event is Event.STATES:
            limit = options.max_states
            outcome.reason = f"the limit of {limit:,} state{'' if limit == 1 else 's'} is reached"
        elif event is Event.FAULT:
            site: FaultSite = self.kernel.fault_sites[self.search.fault_number]
            self.fault = FaultStop(self.search.found[0], site, self._walked_path())
            outcome.reason = "the search ended at a run-time fault"
        else:
            self._refuse_decreasing_column()

    def _refuse_decreasing_column(self) -> None:
        measure, reference = self.specification.measure, self.kernel.reference
        if measure is None:
            raise InternalError("a column decreased in a search without a measure")
        record, step = self.search.regressing_link
        initial, steps = self.search.walked or self.context.files.log.path_to(record)
        raise decreasing_column(
            reference, replay(reference, initial, self.kernel.lift_steps(initial, [*steps, step])), measure
        )

    # Times and statistics

    def _seconds(self) -> float:
        """Return the search time so far, in seconds, of all processes of the run."""
        before = 0.0 if self._saving is None else self._saving.seconds_before
        return before + time.perf_counter() - self._began

    def _slice(self) -> float:
        """Return the length of the next slice in seconds, shorter if the time limit is near."""
        seconds, specification = _SLICE, self.specification
        limit = specification.options.max_seconds
        if limit is not None:
            seconds = min(seconds, specification.started + limit - time.perf_counter())
        return max(seconds, _SHORTEST_SLICE)

    def _report_progress(self) -> None:
        now, measure = self.search.statistics(), self.specification.measure
        elapsed = time.perf_counter() - self.specification.started
        size = self.search.current_bytes()
        fraction = None if measure is None else measure.fraction(self.search.line)
        self.callback.progress(Progress(elapsed, now.recorded, now.visited, now.stored, size, fraction, now.sweeps))

    def _note_statistics(self, engine_seconds: float) -> None:
        setup, search = self.context.setup, self.search
        self.outcome.statistics = figures_of(
            setup.specification, setup.compiled, search, self._seconds(), engine_seconds, setup.changes
        )

    def _count_distinct(self) -> None:
        specification, counter = self.specification, self.context.files.counter
        if not specification.counts_distinct or self.outcome.statistics.states is not None or counter is None:
            return
        self.callback.stage("counting distinct states ...")
        counts = counter.count(self.memory.remaining_bytes())
        self.outcome.statistics = replace(
            self.outcome.statistics,
            states=counts.states,
            estimated_states=None,
            transitions=counts.transitions,
            deadlocks=counts.deadlocks,
        )
