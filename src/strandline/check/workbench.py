"""What a run works with: the compiled model, the search and its files, and what is left of memory."""

from __future__ import annotations

import time
from pathlib import Path

from strandline.check.blame import measure_fault_at_start
from strandline.check.checkpoints.saving import Saving
from strandline.check.compiling import Compiled, compiled
from strandline.check.counting import Counts, DistinctCounter
from strandline.check.disk import DiskBudget
from strandline.check.engine_loading import load_engine, telling
from strandline.check.memory import MemoryLimit, in_another_process, return_memory
from strandline.check.patience import within
from strandline.check.plan import Plan
from strandline.check.planner import Planner
from strandline.check.stages import STAGES, HandedOn, Stage
from strandline.check.watching import Watcher
from strandline.compile.interpret import Fault
from strandline.compile.kernel import Kernel
from strandline.engine.journal import Listener
from strandline.engine.search import Searching
from strandline.engine.writing import Writer
from strandline.errors import InternalError
from strandline.traces.log import ParentLog

_SHARE_OF_FREE_MEMORY = 0.9
_RESERVE, _RESERVE_TO_COUNT = 3 << 20, 6 << 20
"""Bytes that a search leaves for all else, and for each thread where there are several; and where distinct states are
counted."""


class Workbench:
    """`kernel`, `search` and `log` are there once it has begun. `stages` are those that the run has gone through,
    `changed` says of them what differs from what was asked for."""

    compiled: Compiled
    kernel: Kernel
    search: Searching
    log: ParentLog

    def __init__(self, plan: Plan, watcher: Watcher, saving: Saving | None, folder: Path) -> None:
        self.plan, self.watcher, self.folder, self._saving = plan, watcher, folder, saving
        self.allowed = MemoryLimit(plan.options.memory_limit)
        self.memory_limit: int | None = None
        self.listener: Listener | None = None
        self.stages: list[Stage] = []
        self.changed: list[str] = []
        self.handed_on: HandedOn | None = None
        self.disk, self.writer = DiskBudget(plan.options.disk_limit, folder), Writer()
        self.release = None if saving is None else saving.release
        predicted = plan.prediction
        self.planner = Planner(self, predicted) if predicted is not None and predicted.measure.components else None
        self._counter: DistinctCounter | None = None

    def begin(self) -> float:
        """Make the search, or the one that has taken its place in a run before; how many seconds the engine's machine
        code took."""
        self.compile()
        seconds = 0.0 if self.plan.for_device else load_engine(self.plan, self.kernel, self.watcher)
        if self._saving is not None:
            self._saving.recall()
            self.disk.find(self.folder)
        making = time.perf_counter()
        if self._saving is not None and self._saving.stages:
            self._go_through(self._saving.stages)
            return seconds + time.perf_counter() - making
        self.open_files(self.folder)
        if (listens := self.plan.listens) is not None:
            # Who listens may have machine code of its own to load.
            with telling(self.watcher):
                if self.allowed.allowed is not None:
                    in_another_process(lambda: listens(self.folder, self.kernel))
                self.listener = listens(self.folder, self.kernel)
        self.memory_limit = self.engine_bytes()
        seconds += time.perf_counter() - making
        self.make()
        # The model for a device is linked with the kernels when the search is made.
        return time.perf_counter() - making if self.plan.for_device else seconds

    def _go_through(self, names: tuple[str, ...]) -> None:
        """The stages of a run before, as far as the last one's search."""
        for name in names:
            stage = STAGES[name]
            self.stages.append(stage)
            if stage.prepare(self):
                self.changed.append(f"{stage.change}, before the run was resumed")
        self.stages[-1].enter(self)

    def begin_again(self, stage: Stage, why: str) -> None:
        """The search is closed: make that of a stage. What was found stays found."""
        mask = self.search.stop_mask
        self.close_files()
        self.stages.append(stage)
        self.changed.append(f"{stage.change}: {why}")
        stage.prepare(self)
        stage.enter(self)
        self.succeed(mask)
        stage.take_up(self)

    def begin_search(self, folder: Path) -> None:
        """Make a search whose files are in this folder, with the memory that is left."""
        folder.mkdir(exist_ok=True)
        return_memory()
        self.open_files(folder)
        self.memory_limit = self.engine_bytes()
        self.make()

    def compile(self) -> None:
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

    def engine_bytes(self, reserve: int = _RESERVE) -> int:
        """What is left for the engine of the memory that the process may take; without a limit, of what the
        machine has free, because a killed process tells nothing."""
        if self.plan.options.threads > 1:
            reserve += self.plan.options.threads * _RESERVE
        if self.plan.counts_distinct:
            reserve += _RESERVE_TO_COUNT
        left = self.allowed.left(reserve)
        return left if self.allowed.allowed is not None else int(left * _SHARE_OF_FREE_MEMORY)

    def open_files(self, folder: Path) -> None:
        """Make the files that the search writes to."""
        self.log = ParentLog(folder / "parents", self.disk, self.writer)
        if self.plan.counts_distinct:
            keeps = self._saving is not None
            self._counter = DistinctCounter(
                folder / "seen", self.kernel.words, keeps=keeps, account=self.disk, writer=self.writer
            )
        self.listener = self._counter

    def make(self) -> None:
        self.search = self.plan.searches.make(self.kernel, self.log, self.listener, self.memory_limit)

    def succeed(self, mask: int) -> None:
        """The search has taken the place of one that stopped at states with labels of this mask."""
        self.have_saved()
        self.search.stop_less(~mask)

    def have_saved(self) -> None:
        """It is this search that is saved from now on, where that is wanted."""
        if self._saving is not None:
            names = [stage.name for stage in self.stages]
            self._saving.attach(self.search, self.kernel, self.listener, names, self.settle)

    def settle(self) -> None:
        """All that the search has given away to be written is in its files. Raises `ResourceError`."""
        self.log.settle()

    def close_files(self) -> None:
        self.log.close()
        if self._counter is not None:
            self._counter.close()

    def counted(self) -> Counts | None:
        """How many distinct states were expanded, where that is wanted."""
        return None if self._counter is None else self._counter.count(self.allowed.left())
