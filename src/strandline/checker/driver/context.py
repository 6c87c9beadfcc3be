"""The context of one search of a run, as an immutable object: a fallback replaces it by another one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from strandline.checker.checkpoints.saving import Saving
from strandline.checker.driver.compilation import CompiledModel, compile_for_search
from strandline.checker.driver.distinct_states import DistinctCounter
from strandline.checker.driver.fault_attribution import measure_fault_at_start
from strandline.checker.driver.outlook import Outlook
from strandline.checker.driver.specification import SearchSpecification
from strandline.checker.driver.warm_up import notice_compiling
from strandline.checker.limits.child_process import fill_cache
from strandline.checker.limits.disk import DiskBudget
from strandline.checker.limits.memory import MemoryLimit, ensure_address_space, return_memory
from strandline.checker.limits.progress import ProgressCallback
from strandline.checker.limits.timeouts import within
from strandline.compile.interpret import Fault
from strandline.compile.kernel import Kernel
from strandline.engine.parts.search_output import SearchObserver
from strandline.engine.runtime.writer import Writer
from strandline.engine.search import Searching
from strandline.errors import InternalError
from strandline.traces.log import ParentLog

if TYPE_CHECKING:
    from strandline.checker.driver.fallbacks import Fallback

_SHARE_OF_FREE_MEMORY = 0.9
_RESERVE, _RESERVE_TO_COUNT, _RESERVE_TO_OBSERVE = 3 << 20, 6 << 20, 3 << 20
"""Bytes of memory that the engine's arrays leave free.

The first is for everything else (with several threads, for each of them), the second if distinct states are counted,
the third for the arrays that an observer allocates between two checks of the process's memory.
"""


@dataclass(frozen=True, slots=True, eq=False)
class RunResources:
    """The resources that all searches of a run share: folder, callback, limits, file writer, checkpoints."""

    folder: Path
    callback: ProgressCallback
    memory: MemoryLimit
    """The memory limit of the process."""
    disk: DiskBudget
    writer: Writer
    saving: Saving | None


@dataclass(frozen=True, slots=True, eq=False)
class SearchFiles:
    """The open parent log of a search, its counter of distinct states, and its observer."""

    log: ParentLog
    counter: DistinctCounter | None = None
    observer: SearchObserver | None = None

    def settle(self) -> None:
        """Wait until all pending writes of the search are in its files. Raises `ResourceError` if one fails."""
        self.log.settle()

    def close(self) -> None:
        """Close the files, which stay on disk."""
        self.log.close()
        if self.counter is not None:
            self.counter.close()


@dataclass(frozen=True, slots=True, eq=False)
class SearchSetup:
    """A specification with its compiled model, and the fallbacks that led to it."""

    resources: RunResources
    specification: SearchSpecification
    compiled: CompiledModel
    outlook: Outlook | None = None
    """The expected cost of a sweep by an automatically found measure; None for all other searches."""
    fallbacks: tuple[Fallback, ...] = ()
    changes: tuple[str, ...] = ()
    """The differences from the search that the user asked for, as sentences."""

    @property
    def kernel(self) -> Kernel:
        return self.compiled.kernel

    def compile_anew(self, specification: SearchSpecification) -> SearchSetup:
        """Return the setup for another specification, compiled."""
        return replace(self, specification=specification, compiled=compile_model(specification))


@dataclass(frozen=True, slots=True, eq=False)
class SearchContext:
    """A search of the engine with its files and its setup."""

    setup: SearchSetup
    files: SearchFiles
    search: Searching
    engine_bytes: int | None
    """The bytes that the engine's arrays may take; None without a limit."""

    @property
    def resources(self) -> RunResources:
        return self.setup.resources

    @property
    def specification(self) -> SearchSpecification:
        return self.setup.specification

    @property
    def kernel(self) -> Kernel:
        return self.setup.kernel

    def attach_to_checkpoints(self) -> None:
        """Make this the search that checkpoints save from now on, if the run has checkpoints."""
        saving = self.resources.saving
        if saving is not None:
            names = [one.name for one in self.setup.fallbacks]
            saving.attach(self.search, self.kernel, self.files.observer, names, self.files.settle)

    def replace_search_with(self, stop_mask: int) -> None:
        """Make this the search that checkpoints save, and let it stop only at labels of `stop_mask`.

        It is called when this search takes the place of an earlier one, whose stop mask it keeps.
        """
        self.attach_to_checkpoints()
        self.search.stop_less(~stop_mask)


def first_setup(resources: RunResources, specification: SearchSpecification) -> SearchSetup:
    """Return the setup of a run's first search: the given specification, compiled."""
    predicted = specification.prediction
    outlook = Outlook(predicted) if predicted is not None and predicted.measure.components else None
    return SearchSetup(resources, specification, compile_model(specification), outlook)


def open_first(setup: SearchSetup) -> SearchContext:
    """Make the first search of a run, with its files and its observer."""
    resources, specification, kernel = setup.resources, setup.specification, setup.kernel
    files = _add_observer(open_files(setup, resources.folder), setup)
    engine_bytes = bytes_for_engine(setup)
    search = specification.searches.make(kernel, files.log, files.observer, engine_bytes)
    return SearchContext(setup, files, search, engine_bytes)


def open_in(setup: SearchSetup, folder: Path) -> SearchContext:
    """Make the search of a fallback, with its files in `folder` and within the memory that is left."""
    folder.mkdir(exist_ok=True)
    return_memory()
    files, engine_bytes = open_files(setup, folder), bytes_for_engine(setup)
    search = setup.specification.searches.make(setup.kernel, files.log, files.observer, engine_bytes)
    return SearchContext(setup, files, search, engine_bytes)


def open_files(setup: SearchSetup, folder: Path) -> SearchFiles:
    """Open the files of a search in a folder; existing files are appended to."""
    resources = setup.resources
    log = ParentLog(folder / "parents", resources.disk, resources.writer)
    if not setup.specification.counts_distinct:
        return SearchFiles(log)
    keeps, words = resources.saving is not None, setup.kernel.words
    counter = DistinctCounter(folder / "seen", words, keeps=keeps, account=resources.disk, writer=resources.writer)
    return SearchFiles(log, counter, counter)


def _add_observer(files: SearchFiles, setup: SearchSetup) -> SearchFiles:
    resources, observe = setup.resources, setup.specification.observe
    if observe is None:
        return files
    # The observer may have machine code of its own to load.
    with notice_compiling(resources.callback):
        load = setup.specification.load_observer
        if load is not None:
            if resources.memory.allowed is not None:
                fill_cache(load)
            load()
        return replace(files, observer=observe(resources.folder, setup.kernel))


def bytes_for_engine(setup: SearchSetup, reserve: int = _RESERVE) -> int:
    """Return the bytes that the engine's arrays may take: the rest of the memory limit, less reserves.

    Without a limit, it is most of the machine's free memory, because a killed process reports nothing.
    """
    memory, specification = setup.resources.memory, setup.specification
    if specification.options.most_threads > 1:
        reserve += specification.options.most_threads * _RESERVE
    if specification.counts_distinct:
        reserve += _RESERVE_TO_COUNT
    if specification.observe is not None:
        reserve += _RESERVE_TO_OBSERVE
    left = memory.remaining_bytes(reserve)
    return left if memory.allowed is not None else int(left * _SHARE_OF_FREE_MEMORY)


def compile_model(specification: SearchSpecification) -> CompiledModel:
    """Compile the System of a specification.

    Raises `InputError` for a measure that has no value in an initial state.
    """
    options, measure = specification.options, specification.measure
    ensure_address_space()
    try:
        return within(
            options.max_seconds,
            specification.started,
            "the model was compiled",
            lambda: compile_for_search(
                specification.system,
                specification.predicates,
                measure,
                options,
                visible=specification.visible,
                for_device=specification.for_device,
            ),
            options.memory_limit,
        )
    except Fault as fault:
        # Compiling evaluates nothing of the model but the measure, in the initial states.
        if measure is None:
            raise InternalError(f"compiling the model faulted: {fault.kind}") from fault
        raise measure_fault_at_start(measure, fault.kind, fault.span) from None
