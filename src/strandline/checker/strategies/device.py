"""Explicit search for single states on a GPU: breadth-first, or by a measure of progress."""

from __future__ import annotations

from strandline.checker.driver.searches import DeviceSearches, missing_device
from strandline.checker.options.search import GPU, SWEEP, WHOLE
from strandline.checker.strategies.explicit import StatesFound, search_for_states
from strandline.checker.tasks.states import StatesTask
from strandline.checker.tasks.task import Session
from strandline.errors import Option, UsageError
from strandline.model.system import Capability


class DeviceSearchForStates:
    """Decides properties of states on a GPU, as `ExplicitSearch` does on the processor."""

    name = "GPU"

    def can(self, task: StatesTask) -> UsageError | None:
        options = task.options
        if Capability.ACTIONS not in task.system.capabilities:
            return _refused("callables are Python, which no GPU runs")
        if options.order not in ("bfs", SWEEP):
            return _refused(f"a GPU searches breadth-first or in sweeps, not in the order '{options.order}'")
        if options.componentwise:
            return _refused("a GPU sweeps by the combination of measures, not componentwise")
        if options.symmetry:
            return _refused("a GPU tells all processes apart")
        if options.merge:
            return _refused("a GPU takes single steps")
        if options.threads > 1:
            return _refused("a GPU has threads of its own")
        if options.por:
            return _refused("a GPU takes every step: partial-order reduction is for the processor")
        if options.store not in WHOLE:
            return _refused("a GPU stores whole states")
        if options.count_distinct:
            return _refused("a GPU writes nothing to disk, by which distinct states would be counted")
        if options.checkpoint is not None:
            return _refused("a search on a GPU cannot be saved")
        missing = missing_device()
        return None if missing is None else _refused(missing)

    def run(self, task: StatesTask, session: Session) -> StatesFound:
        return search_for_states(task, session, DeviceSearches, for_device=True)


def _refused(why: str) -> UsageError:
    return UsageError(f"{{}} is not possible: {why}", options=[Option("device", GPU)])
