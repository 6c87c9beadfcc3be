"""Explicit search for single states on a GPU: breadth-first, or by a progress measure."""

from __future__ import annotations

from strandline.checker.driver.searches import DeviceSearches, missing_device
from strandline.checker.options.search import AUTO, GPU, LAYERED, WHOLE
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
            return _refusal("callables are Python, which no GPU runs")
        if task.system.has_paths or task.system.has_idle:
            return _refusal("steps of this model are paths of several actions, or possible only where nothing else is")
        if options.order not in LAYERED:
            return _refusal(f"a GPU searches breadth-first or in sweeps, not in the order '{options.order}'")
        if options.componentwise:
            return _refusal("a GPU sweeps by the combination of measures, not componentwise")
        if options.symmetry:
            return _refusal("a search on a GPU has no symmetry reduction")
        if options.merge:
            return _refusal("a search on a GPU has no statement merging")
        if options.threads not in (AUTO, 1):
            return _refusal("a GPU has threads of its own")
        if options.por:
            return _refusal("a search on a GPU has no partial-order reduction")
        if options.store not in WHOLE:
            return _refusal("a GPU stores whole states")
        if options.count_distinct:
            return _refusal("a search on a GPU cannot count distinct states on disk")
        if options.checkpoint is not None:
            return _refusal("a search on a GPU cannot be saved")
        missing = missing_device()
        return None if missing is None else _refusal(missing)

    def run(self, task: StatesTask, session: Session) -> StatesFound:
        return search_for_states(task, session, DeviceSearches, for_device=True)


def _refusal(why: str) -> UsageError:
    return UsageError(f"{{}} is not possible: {why}", options=[Option("device", GPU)])
