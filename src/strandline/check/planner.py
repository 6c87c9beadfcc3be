"""A sweep by a measure that the program has found is planned again, where it does not keep what was predicted
(`strandline.check.replanning`)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from strandline.check.automatic import Prediction, better_measure, prediction_of, prediction_told
from strandline.check.engine_searches import cycle_sweep, succeeded_sweep
from strandline.check.memory import return_memory
from strandline.check.replanning import STARTS, Frontier, Outlook, part_of, progress_of
from strandline.check.stages import AFRESH, PLANNED
from strandline.engine import sizes
from strandline.engine.memory import WordArray
from strandline.engine.search import Event, Statistics
from strandline.errors import InternalError
from strandline.model.system import System

if TYPE_CHECKING:
    from strandline.check.workbench import Workbench
    from strandline.engine.cycles.sweep.sweep_cycles import SweepCycleSearch
    from strandline.engine.orders.succession import SucceededSweep

_MOST_STORED = 0.5
"""Of the states that a sweep has met, the share that it may store: where that is more, sweeping is not worth it."""


class Planner:
    """Plans the sweeps of a `Workbench`, and knows what is expected of the present one."""

    def __init__(self, bench: Workbench, prediction: Prediction) -> None:
        self._bench, self.outlook = bench, Outlook(prediction)
        self.forgets_little = False
        """Whether memory was full of most of the states that were met, and no measure did better."""

    @property
    def can_plan(self) -> bool:
        """Whether the search is a sweep that one by another measure can carry on; or one for cycles, so that it can
        begin again."""
        bench = self._bench
        if self.outlook.exhausted or bench.plan.listens is not None:
            return False
        if cycles := cycle_sweep(bench.search):
            return cycles.sweeping and not self.outlook.prediction.exact and AFRESH not in bench.stages
        kernel = bench.kernel
        alike = kernel.canonical is None and kernel.separate is None and not kernel.componentwise
        return alike and succeeded_sweep(bench.search) is not None

    def plan_again(self, why: str, *, peak: bool) -> Event | None:
        """Go on by a measure that does better from where the sweep is, with `peak` one that stores less at a time, and
        else by the same. None; or MEMORY where there is no room for what waits, or with `peak` no such measure; or
        STATES. The search is closed then."""
        if cycles := cycle_sweep(self._bench.search):
            return self._begin_again(cycles, why, peak=peak)
        if sweep := succeeded_sweep(self._bench.search):
            return self._carry_on(sweep, why, peak=peak)
        raise InternalError("only a sweep by a measure that was found is planned again")

    def recall(self) -> bool:
        """Go by what was planned in a run before, in the stage that is entered; whether that is another measure."""
        told = self._noted(_not_noted)
        self._go_by(told, None)
        return told is not None

    def _carry_on(self, former: SucceededSweep, why: str, *, peak: bool) -> Event | None:
        bench = self._bench
        frontier = Frontier(bench.folder / "frontier", bench.kernel.words, bench.disk)
        frontier.write(former.put_down())
        now = former.statistics()
        former.close()
        bench.stages.append(PLANNED)
        try:
            told = self._noted(lambda: self._better(frontier.sample(), peak=peak))
            if told is None and peak:
                bench.stages.pop()
                self.forgets_little = now.stored > _MOST_STORED * now.distinct
                return Event.MEMORY
            if told is not None:
                bench.changed.append(f"{PLANNED.change}: {why}")
            self._go_by(told, now)
            bench.memory_limit = bench.engine_bytes()
            bench.make()
            bench.succeed(former.stop_mask)
            return self._take_up(former, frontier)
        finally:
            frontier.remove()

    def _take_up(self, former: SucceededSweep, frontier: Frontier) -> Event | None:
        """Let the new search begin with what the other one has put down."""
        search, measure = succeeded_sweep(self._bench.search), self._bench.plan.measure
        if search is None or measure is None:
            raise InternalError("a sweep is carried on by a sweep")
        search.carry_on(former)
        progress = progress_of(self._bench.plan.system, measure)
        for rows in frontier.blocks(sizes.RECORDS):
            event = search.take_up(rows, progress(rows[:, :-1]))
            if event is Event.MEMORY:
                search.close()
            if event is not None:
                return event
        return None

    def _begin_again(self, former: SweepCycleSearch, why: str, *, peak: bool) -> Event | None:
        """Where there is no better measure it goes on; with `peak` it ends."""
        bench = self._bench
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
        bench.close_files()
        bench.stages.append(AFRESH)
        bench.changed.append(f"{AFRESH.change}: {why}")
        self._go_by(self._noted(lambda: told), None)
        AFRESH.enter(bench)
        bench.succeed(former.stop_mask)
        return None

    def _better(self, starts: WordArray, *, peak: bool, afresh: bool = False) -> dict[str, Any] | None:
        """A better measure for what lies ahead, as data. What that takes is no time of the search."""
        if not len(starts):
            return None
        began = time.perf_counter()
        return_memory()
        bench, system, present = self._bench, self._measured, self.outlook.prediction
        starts = part_of(system, bench.plan.system, starts)
        asked = {"peak": peak, "afresh": afresh}
        better = better_measure(system, bench.watcher, bench.plan.options.memory_limit, starts, present, **asked)
        bench.plan = replace(bench.plan, started=bench.plan.started + time.perf_counter() - began)
        return None if better is None else prediction_told(better, system)

    @property
    def _measured(self) -> System:
        """For which measures are looked for."""
        plan = self._bench.plan
        return plan.system if plan.measured is None else plan.measured

    def _noted(self, make: Callable[[], dict[str, Any] | None]) -> dict[str, Any] | None:
        """What was planned in this stage, also in a run before."""
        bench = self._bench
        if bench.plan.checkpoints is None:
            return make()
        plans = sum(stage in (PLANNED, AFRESH) for stage in bench.stages)
        name = f"plan {plans} of {bench.folder.parent.name}"
        found: dict[str, Any] | None = bench.plan.checkpoints.noted(name, make)
        return found

    def _go_by(self, told: dict[str, Any] | None, now: Statistics | None) -> None:
        """Have the Kernel for a measure; None is the one that there is, of which more is known now."""
        recorded = 0 if now is None else now.recorded
        if told is None:
            present = self.outlook.prediction
            self.outlook.plan(present if now is None else replace(present, visits=now.repeats), recorded)
            return
        prediction, plan = prediction_of(told, self._measured), self._bench.plan
        self.outlook.plan(prediction, recorded)
        refined = (prediction.measure, plan.searches) if plan.refined is None else plan.refined(prediction.measure)
        self._bench.plan = replace(plan, measure=refined[0], searches=refined[1], prediction=prediction)
        self._bench.compile()


def _not_noted() -> dict[str, Any] | None:
    raise InternalError("what was planned in a run before is not noted")
