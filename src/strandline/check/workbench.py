"""What a run works with: the compiled model, the search and its files; and how a search gives way to another one.

A search whose memory is full begins again as one that takes less (`TREES`, `DISK`). A sweep that does not keep what was
predicted of its measure is carried on by one with another measure (`PLANNED`); one for cycles begins again by it
(`AFRESH`). These are the stages of a run; a run that is resumed goes through them again, without searching.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strandline.check.automatic import better_measure, prediction_of, prediction_told
from strandline.check.blame import measure_fault_at_start
from strandline.check.checkpoints.saving import Saving
from strandline.check.compiling import Compiled, compiled
from strandline.check.counting import Counts, DistinctCounter
from strandline.check.disk import DiskBudget
from strandline.check.engine_loading import Nowhere, load_engine, telling
from strandline.check.engine_searches import SpillingMaker, cycle_sweep, sweep_search
from strandline.check.memory import available_bytes, resident_bytes, return_memory, shown_bytes
from strandline.check.patience import within
from strandline.check.plan import Plan
from strandline.check.replanning import STARTS, Frontier, Outlook, part_of, progress_of
from strandline.check.spilling import DISK, FULL, RESERVE, TREES, WORTH_TREES, load_spilling
from strandline.check.watching import Watcher
from strandline.compile.interpret import Fault
from strandline.compile.kernel import Kernel
from strandline.engine import sizes
from strandline.engine.journal import Listener
from strandline.engine.memory import WordArray
from strandline.engine.search import Event, Search, Searching, Statistics
from strandline.engine.writing import Writer
from strandline.errors import InternalError, ResourceError
from strandline.model.system import System
from strandline.traces.log import ParentLog

if TYPE_CHECKING:
    from strandline.engine.orders.sweep import SweepSearch

PLANNED, AFRESH = "by another measure", "begun again by another measure"
_CHANGES = {
    **{stage: f"states {stage}" for stage in FULL},
    PLANNED: "another measure from there on",
    AFRESH: "begun again by another measure",
}
_SHARE_OF_FREE_MEMORY = 0.9
_RESERVE = 2 << 20
"""Bytes that a search leaves for all else."""


class Workbench:
    """`kernel`, `search` and `log` are there once it has begun."""

    compiled: Compiled
    kernel: Kernel
    search: Searching
    log: ParentLog

    def __init__(self, plan: Plan, watcher: Watcher, saving: Saving | None, folder: Path) -> None:
        self.plan, self._watcher, self._saving = plan, watcher, saving
        self.memory_limit: int | None = None
        self.listener: Listener | None = None
        self.stages: list[str] = []
        self.changed: list[str] = []
        predicts = plan.prediction is not None and bool(plan.prediction.measure.components)
        self.outlook = Outlook(plan.prediction) if predicts and plan.prediction is not None else None
        self._counter: DistinctCounter | None = None
        self._folder, self._disk = folder, DiskBudget(plan.options.disk_limit, folder)
        self._writer = Writer()

    # The first search

    def begin(self) -> float:
        """Make the search, or the one that has taken its place in a run before; how many seconds the engine's machine
        code took."""
        self._compile()
        seconds = 0.0 if self.plan.for_device else load_engine(self.plan, self.kernel, self._watcher)
        if self._saving is not None:
            self._saving.recall()
            self._disk.find(self._folder)
        making = time.perf_counter()
        stages = () if self._saving is None else self._saving.stages
        if stages:
            for stage in stages[:-1]:
                self._prepare(stage, resumed=True)
            self._enter(stages[-1], resumed=True)
            return seconds + time.perf_counter() - making
        self._open_files(self._folder)
        self.memory_limit = self._engine_bytes()
        if self.plan.listens is not None:
            # Who listens may have machine code of its own to load.
            with telling(self._watcher):
                self.listener = self.plan.listens(self._folder, self.kernel)
        seconds += time.perf_counter() - making
        self._make()
        # The model for a device is linked with the kernels when the search is made.
        return time.perf_counter() - making if self.plan.for_device else seconds

    def _compile(self) -> None:
        plan, measure = self.plan, self.plan.measure
        try:
            self.compiled = within(
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
        self.kernel = self.compiled.kernel

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

    def _open_files(self, folder: Path) -> None:
        """Make the files that the search writes to."""
        self.log = ParentLog(folder / "parents", self._disk, self._writer)
        if self.plan.counts_distinct:
            keeps = self._saving is not None
            self._counter = DistinctCounter(
                folder / "seen", self.kernel.words, keeps=keeps, account=self._disk, writer=self._writer
            )
        self.listener = self._counter

    def _make(self) -> None:
        self.search = self.plan.searches.make(self.kernel, self.log, self.listener, self.memory_limit)

    def settle(self) -> None:
        """All that the search has given away to be written is in its files. Raises `ResourceError`."""
        self.log.settle()

    def close_files(self) -> None:
        self.log.close()
        if self._counter is not None:
            self._counter.close()

    def counted(self) -> Counts | None:
        """How many distinct states were expanded, where that is wanted."""
        return None if self._counter is None else self._counter.count()

    # When memory is full

    def next_stage(self) -> str | None:
        """How the search can go on with less memory."""
        options, makers = self.plan.options, self.plan.searches
        spills = options.memory_limit is not None and options.spill and isinstance(makers, SpillingMaker)
        # Who listens would have to be told everything again.
        if not spills or DISK in self.stages or self.plan.listens is not None:
            return None
        if not isinstance(makers, SpillingMaker) or not makers.can_spill(self.kernel, self.listener):
            return None
        worth = (self.memory_limit or 0) >= WORTH_TREES
        return TREES if worth and makers.as_trees(self.listener) is not None else DISK

    def begin_again(self, stage: str, why: str) -> None:
        """The search is closed: make that of a stage. What was found stays found."""
        self.changed.append(f"states {stage}: {why}")
        mask = self.search.stop_mask
        self.close_files()
        self._enter(stage)
        self._attach(mask)

    def _attach(self, mask: int) -> None:
        if self._saving is not None:
            self._saving.attach(self.search, self.kernel, self.listener, self.stages, self.settle)
        self.search.stop_less(~mask)

    def _prepare(self, stage: str, *, resumed: bool = False) -> SpillingMaker | None:
        """Have the Kernel of a stage, and who makes its search. States kept as trees are to fold well."""
        self.stages.append(stage)
        told = self._noted(_not_noted) if stage in (PLANNED, AFRESH) else None
        if resumed and (told is not None or stage in FULL):
            self.changed.append(f"{_CHANGES[stage]}, before the run was resumed")
        if stage in (PLANNED, AFRESH):
            self._go_by(told, None)
        makers = self.plan.searches
        if stage == AFRESH:
            return None
        if not isinstance(makers, SpillingMaker):
            raise InternalError("this search cannot go on with less memory")
        if stage == PLANNED:
            return makers
        trees = makers.as_trees(self.listener) if stage == TREES else None
        if trees is None:
            return makers
        self.plan = replace(self.plan, options=trees.options, searches=trees)
        self._compile()
        return trees

    def _enter(self, stage: str, *, resumed: bool = False) -> None:
        """Make the search of a stage. Where it begins again it has files of its own."""
        makers, folder = self._prepare(stage, resumed=resumed), self._folder / stage.replace(" ", "-")
        if stage == PLANNED:
            self._open_files(self._folder)
            self.memory_limit = self._engine_bytes()
            self._make()
            return
        if makers is None:
            self._make_afresh()
            return
        folder.mkdir(exist_ok=True)
        if stage == TREES:
            self._fold(folder)
        else:
            self.search = self._spilling(makers, folder)

    def _fold(self, folder: Path) -> None:
        """Make the search that keeps states as trees."""
        make = self.plan.searches.make
        load_spilling(lambda place: make(self.kernel, Nowhere(), None, None), folder / "trial")
        return_memory()
        self._open_files(folder)
        self.memory_limit = self._engine_bytes()
        self._make()

    def _spilling(self, makers: SpillingMaker, folder: Path) -> Search:
        """The search that has on disk what does not fit."""
        trial = (self.kernel, lambda links: None, None, 1)
        load_spilling(lambda place: makers.spilling(*trial, place, lambda count: None), folder / "trial")
        return_memory()
        self._open_files(folder)
        # A run that is resumed may have no limit any more.
        self.memory_limit = None if self.plan.options.memory_limit is None else self._engine_bytes(RESERVE)
        release = None if self._saving is None else self._saving.release
        files = (folder / "runs", self._disk, release, self._writer)
        return makers.spilling(self.kernel, self.log.append, self.listener, self.memory_limit, *files)

    # When a measure does not keep what was predicted

    @property
    def can_plan_again(self) -> bool:
        """Whether the search is a sweep by a measure that was found, which another one can carry on; or for cycles, so
        that it can begin again."""
        if self.outlook is None or self.outlook.exhausted or self.plan.listens is not None:
            return False
        if cycles := cycle_sweep(self.search):
            return cycles.sweeping and not self.outlook.prediction.exact and AFRESH not in self.stages
        alike = self.kernel.canonical is None and self.kernel.separate is None and not self.kernel.componentwise
        return alike and sweep_search(self.search) is not None

    def plan_again(self, why: str, *, peak: bool) -> Event | None:
        """Carry the sweep on by a measure that does better from where it is, with `peak` one that stores less at a
        time, and else by the same. None; or MEMORY where there is no room for what waits, or with `peak` no such
        measure; or STATES. The search is closed then."""
        if cycle_sweep(self.search) is not None:
            return self._begin_by_another(why, peak=peak)
        former, outlook = sweep_search(self.search), self.outlook
        if former is None or outlook is None:
            raise InternalError("only a sweep by a measure that was found is planned again")
        frontier = Frontier(self._folder / "frontier", self.kernel.words, self._disk)
        frontier.write(former.put_down())
        now = former.statistics()
        former.close()
        self.stages.append(PLANNED)
        try:
            told = self._noted(lambda: self._better(frontier.sample(), peak=peak))
            if told is None and peak:
                self.stages.pop()
                return Event.MEMORY
            if told is not None:
                self.changed.append(f"{_CHANGES[PLANNED]}: {why}")
            self._go_by(told, now)
            self.memory_limit = self._engine_bytes()
            self._make()
            self._attach(former.stop_mask)
            return self._carry_on(former, frontier)
        finally:
            frontier.remove()

    def _begin_by_another(self, why: str, *, peak: bool) -> Event | None:
        """Begin a sweep for cycles again by a better measure; where there is none it goes on, with `peak` it ends."""
        former = cycle_sweep(self.search)
        assert former is not None
        starts, now = former.waiting_states(STARTS), former.statistics()
        if peak:
            # There is no room for both.
            former.close()
        told = self._better(starts, peak=peak, afresh=True)
        if told is None:
            self._go_by(None, now)
            return Event.MEMORY if peak else None
        if not peak:
            former.close()
        self.close_files()
        self.stages.append(AFRESH)
        self.changed.append(f"{_CHANGES[AFRESH]}: {why}")
        self._go_by(self._noted(lambda: told), None)
        self._make_afresh()
        self._attach(former.stop_mask)
        return None

    def _make_afresh(self) -> None:
        folder = self._folder / AFRESH.replace(" ", "-")
        folder.mkdir(exist_ok=True)
        self._open_files(folder)
        self.memory_limit = self._engine_bytes()
        self._make()

    def _better(self, starts: WordArray, *, peak: bool, afresh: bool = False) -> dict[str, Any] | None:
        """A better measure for what lies ahead, as data. What that takes is no time of the search."""
        assert self.outlook is not None
        if not len(starts):
            return None
        began = time.perf_counter()
        return_memory()
        plan, system, present = self.plan, self._measured, self.outlook.prediction
        starts = part_of(system, plan.system, starts)
        asked = {"peak": peak, "afresh": afresh}
        better = better_measure(system, self._watcher, plan.options.memory_limit, starts, present, **asked)
        self.plan = replace(plan, started=plan.started + time.perf_counter() - began)
        return None if better is None else prediction_told(better, system)

    @property
    def _measured(self) -> System:
        """For which measures are looked for."""
        return self.plan.system if self.plan.measured is None else self.plan.measured

    def _noted(self, make: Callable[[], dict[str, Any] | None]) -> dict[str, Any] | None:
        """What was planned in this stage, also in a run before."""
        if self.plan.checkpoints is None:
            return make()
        search = self._folder.parent.name
        found: dict[str, Any] | None = self.plan.checkpoints.noted(f"plan {self._plans} of {search}", make)
        return found

    @property
    def _plans(self) -> int:
        return sum(stage in (PLANNED, AFRESH) for stage in self.stages)

    def _go_by(self, told: dict[str, Any] | None, now: Statistics | None) -> None:
        """Have the Kernel for a measure; None is the one that there is, of which more is known now."""
        if self.outlook is None:
            raise InternalError("there is nothing to plan again")
        recorded = 0 if now is None else now.recorded
        if told is None:
            present = self.outlook.prediction
            self.outlook.plan(present if now is None else replace(present, visits=now.repeats), recorded)
            return
        prediction, plan = prediction_of(told, self._measured), self.plan
        self.outlook.plan(prediction, recorded)
        refined = (prediction.measure, plan.searches) if plan.refined is None else plan.refined(prediction.measure)
        self.plan = replace(plan, measure=refined[0], searches=refined[1], prediction=prediction)
        self._compile()

    def _carry_on(self, former: SweepSearch, frontier: Frontier) -> Event | None:
        """Let the new search begin with what the other one has put down."""
        search, measure = sweep_search(self.search), self.plan.measure
        if search is None or measure is None:
            raise InternalError("a sweep is carried on by a sweep")
        search.carry_on(former)
        progress = progress_of(self.plan.system, measure)
        for rows in frontier.blocks(sizes.RECORDS):
            event = search.take_up(rows, progress(rows[:, :-1]))
            if event is Event.MEMORY:
                search.close()
            if event is not None:
                return event
        return None


def _not_noted() -> dict[str, Any] | None:
    raise InternalError("what was planned in a run before is not noted")
