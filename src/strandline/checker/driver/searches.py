"""Factories of the engine's searches; no other module of this package imports a search."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from strandline.checker.driver.thread_loading import compile_for_threads
from strandline.checker.limits.memory import shown_bytes
from strandline.checker.options.cycle_methods import CycleMethod
from strandline.checker.options.search import AUTO, CACHE, LAYERED, SWEEP, Options
from strandline.compile.kernel import Kernel
from strandline.engine.cycles.components import ComponentSearch
from strandline.engine.cycles.cycle_search import CycleSearch
from strandline.engine.cycles.nested import NestedSearch
from strandline.engine.cycles.predecessors import PredecessorSearch
from strandline.engine.cycles.published.ltl_sweep import LtlSweepSearch
from strandline.engine.cycles.sweep.sweep_cycles import SweepCycleSearch
from strandline.engine.disk.runs import Release
from strandline.engine.orders.breadth_first import BreadthFirstSearch
from strandline.engine.orders.cached import CachedSearch, CacheRule
from strandline.engine.orders.depth_first import DepthFirstSearch
from strandline.engine.orders.shards import ShardedSweepSearch
from strandline.engine.orders.sweep import SweepSearch
from strandline.engine.orders.walks import RandomWalks
from strandline.engine.parts.search_output import Log, SearchObserver, Sink
from strandline.engine.runtime import sizes
from strandline.engine.runtime.writer import Writer
from strandline.engine.search import Search, SearchArguments, Searching
from strandline.engine.store.kinds import DEFAULT_TABLE_BYTES
from strandline.errors import InternalError, ResourceError

FORGETTING = (SWEEP, CACHE)
"""Orders whose searches delete states and may visit them again."""

_CYCLE_SEARCHES: Mapping[str, tuple[Callable[..., CycleSearch], Mapping[str, Any]]] = {
    "ndfs": (NestedSearch, {}),
    "scc": (ComponentSearch, {}),
    "map": (PredecessorSearch, {"subgraphs": True}),
    "sweep-off": (LtlSweepSearch, {"online": False}),
    "sweep-on": (LtlSweepSearch, {"online": True}),
    SWEEP: (SweepCycleSearch, {}),
}
"""The class and the keyword arguments of the engine's search for each cycle method."""


class SearchMaker(Protocol):
    """The interface of a factory of searches over a Kernel."""

    def make(self, kernel: Kernel, log: Log, observer: SearchObserver | None, engine_bytes: int | None) -> Searching:
        """Make a search; `log` receives the links of stored states, `observer` is notified of expanded states."""


@runtime_checkable
class SpillingMaker(Protocol):
    """The interface of a factory whose searches may have a variant with states on disk."""

    def as_trees(self) -> StateSearches | None:
        """Return the factory for the same searches with tree compression, which takes less memory.

        Returns None if the order or the chosen store does not allow for it.
        """

    def can_spill(self, kernel: Kernel) -> bool:
        """Return True if the search over this Kernel has a variant with states on disk."""

    def spilling(
        self,
        kernel: Kernel,
        log: Sink,
        observer: SearchObserver | None,
        engine_bytes: int | None,
        folder: Path,
        account: Callable[[int], None],
        release: Release | None = None,
        writer: Writer | None = None,
    ) -> Search:
        """Make this search with states on disk.

        Its files are in `folder`; `account` is called with bytes written or removed, `release` with files not needed
        any more.
        """


@dataclass(frozen=True, slots=True)
class StateSearches:
    """Makes searches, in the order that the options choose, that stop at states with a label in the mask."""

    options: Options
    stop_mask: int

    def make(self, kernel: Kernel, log: Log, observer: SearchObserver | None, engine_bytes: int | None) -> Search:
        options, terms = self.options, self._terms(log.append, observer, engine_bytes)
        if options.order == CACHE:
            return CachedSearch(kernel, states=options.cache_size, rule=CacheRule(options.cache_rule), **terms)
        # Observers are notified of states in the order of expansion, by a single thread.
        threads = options.most_threads if observer is None and kernel.reentrant else 1
        if options.order == SWEEP and threads > 1:
            return ShardedSweepSearch(kernel, threads=threads, logs=log.parts, **terms)
        if options.order == SWEEP:
            return SweepSearch(kernel, **terms)
        if options.order == "dfs":
            return DepthFirstSearch(kernel, **terms)
        if options.order != "bfs":
            raise InternalError(f"there is no search for the order '{options.order}'")
        kind, size = options.store_kind, options.table_bytes
        if kind.sized and engine_bytes is not None and (size or DEFAULT_TABLE_BYTES) > engine_bytes:
            raise ResourceError(
                f"the table of {shown_bytes(size or DEFAULT_TABLE_BYTES)} does not fit in the memory that is left, "
                f"{shown_bytes(engine_bytes)}; the option 'store_size' sets its size"
            )
        return BreadthFirstSearch(
            kernel,
            store_kind=kind,
            table_bytes=size,
            threads=threads,
            alone_until=sizes.STATES_ALONE if options.threads == AUTO else 0,
            compile_for_threads=self._compile_for_threads(kernel),
            encoded_log=log.append_encoded,
            **terms,
        )

    def _compile_for_threads(self, kernel: Kernel) -> Callable[[Callable[[], bool]], None]:
        """Return the function that compiles the machine code for several threads, until it is abandoned."""
        return lambda abandoned: compile_for_threads(
            replace(self, options=replace(self.options.without_limits(), threads=2)), kernel, abandoned
        )

    def _terms(self, log: Sink, observer: SearchObserver | None, engine_bytes: int | None) -> SearchArguments:
        return {
            "log": log,
            "observer": observer,
            "stop_mask": self.stop_mask,
            "engine_bytes": engine_bytes,
            "max_states": self.options.max_states,
        }

    def breadth_first(self) -> StateSearches:
        """Return the factory for the same searches, but breadth-first and without a measure."""
        return replace(self, options=replace(self.options, order="bfs", measure=(), count_distinct=False))

    def as_trees(self) -> StateSearches | None:
        options, fallback = self.options, self.options.store_kind.fallback
        if options.order != "bfs" or fallback is None:
            return None
        return replace(self, options=replace(options, store=fallback, threads=1))

    def can_spill(self, kernel: Kernel) -> bool:
        return self.options.order in LAYERED and not self.options.store_kind.lossy and not kernel.componentwise

    def spilling(
        self,
        kernel: Kernel,
        log: Sink,
        observer: SearchObserver | None,
        engine_bytes: int | None,
        folder: Path,
        account: Callable[[int], None],
        release: Release | None = None,
        writer: Writer | None = None,
    ) -> Search:
        # Imported lazily: runs with enough memory do not wait for the import.
        from strandline.engine.disk.search import SpillingSearch

        terms = self._terms(log, observer, engine_bytes)
        return SpillingSearch(kernel, folder=folder, account=account, release=release, writer=writer, **terms)


@dataclass(frozen=True, slots=True)
class DeviceSearches:
    """Makes searches on a GPU that stop at states with a label in the mask. They have no log and no observer."""

    options: Options
    stop_mask: int

    def make(self, kernel: Kernel, log: Log, observer: SearchObserver | None, engine_bytes: int | None) -> Searching:
        # Imported lazily: runs without a device do not wait for the import.
        from strandline.engine.device.cuda import CudaDevice
        from strandline.engine.device.search import DeviceSearch

        if observer is not None or kernel.device is None:
            raise InternalError("this search cannot be made on a device")
        options = self.options
        limits = {"max_states": options.max_states, "engine_bytes": options.memory_limit}
        return DeviceSearch(kernel, CudaDevice(kernel), stop_mask=self.stop_mask, **limits)


def missing_device() -> str | None:
    """Return a sentence about the missing requirement for searches on a GPU; None if nothing is missing."""
    from strandline.engine.device.cuda import missing

    return missing()


@dataclass(frozen=True, slots=True)
class WalkSearches:
    """Makes random walks that stop at states with a label in the mask."""

    walks: int
    depth: int
    seed: int
    stop_mask: int

    def make(self, kernel: Kernel, log: Log, observer: SearchObserver | None, engine_bytes: int | None) -> Search:
        terms: SearchArguments = {"log": log.append, "stop_mask": self.stop_mask, "engine_bytes": engine_bytes}
        return RandomWalks(kernel, walks=self.walks, depth=self.depth, seed=self.seed, **terms)


def cycle_sweep(search: Searching) -> SweepCycleSearch | None:
    """Return the search if it is one of the method `sweep` for cycles, else None."""
    return search if isinstance(search, SweepCycleSearch) else None


def random_walks(search: Searching) -> RandomWalks:
    """Return the search as `RandomWalks`. Raises `InternalError` for any other search."""
    if not isinstance(search, RandomWalks):
        raise InternalError("this search is not a random walk")
    return search


@dataclass(frozen=True, slots=True)
class CycleSearches:
    """Makes searches for accepting cycles by one method.

    `accepting` is the label bit of accepting states. `ranks` is the number of ranks of automaton SCCs, which are the
    lowest bits of a layer. With `whole`, every accepting SCC is searched for, not only the first cycle.
    """

    method: CycleMethod
    accepting: int
    max_states: int | None
    ranks: int = 1
    whole: bool = False

    def make(self, kernel: Kernel, log: Log, observer: SearchObserver | None, engine_bytes: int | None) -> CycleSearch:
        kind, given = _CYCLE_SEARCHES[self.method.name]
        arguments = dict(given)
        if self.method.ranked:
            arguments["ranks"] = self.ranks
        if self.whole:
            arguments["whole"] = True
        terms: SearchArguments = {"log": log.append, "engine_bytes": engine_bytes, "max_states": self.max_states}
        return kind(kernel, accepting=self.accepting, **terms, **arguments)


def cycle_search(search: Searching) -> CycleSearch:
    """Return the search as `CycleSearch`. Raises `InternalError` for any other search."""
    if not isinstance(search, CycleSearch):
        raise InternalError("this search is not for cycles")
    return search


def component_search(search: Searching) -> ComponentSearch:
    """Return the search as `ComponentSearch`. Raises `InternalError` for any other search."""
    if not isinstance(search, ComponentSearch):
        raise InternalError("this search knows no components")
    return search
