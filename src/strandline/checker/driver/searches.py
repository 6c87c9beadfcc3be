"""The engine's searches by the names under which they are asked for. No other module of this package imports one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from strandline.checker.options.cycle_methods import CycleMethod
from strandline.checker.options.search import BITSTATE, BY_NEED, CACHE, COMPACT, LOSSY, SWEEP, TREE, WHOLE, Options
from strandline.compile.kernel import Kernel
from strandline.engine.cycles.components import ComponentSearch
from strandline.engine.cycles.cycle_search import CycleSearch
from strandline.engine.cycles.nested import NestedSearch
from strandline.engine.cycles.predecessors import PredecessorSearch
from strandline.engine.cycles.published.ltl_sweep import LtlSweepSearch
from strandline.engine.cycles.sweep.sweep_cycles import SweepCycleSearch
from strandline.engine.disk.runs import Release
from strandline.engine.orders.breadth_first import (
    Bitstate,
    BreadthFirstSearch,
    HashCompaction,
    StoreKind,
    TreeCompression,
)
from strandline.engine.orders.cached import CachedSearch, CacheRule
from strandline.engine.orders.depth_first import DepthFirstSearch
from strandline.engine.orders.shards import ShardedSweepSearch
from strandline.engine.orders.sweep import SweepSearch
from strandline.engine.orders.walks import RandomWalks
from strandline.engine.parts.search_output import Log, SearchObserver, Sink
from strandline.engine.runtime.writer import Writer
from strandline.engine.search import Search, SearchArguments, Searching
from strandline.errors import InternalError

FORGETTING = (SWEEP, CACHE)
"""Orders that forget states and may visit them again."""

_CYCLE_SEARCHES: Mapping[str, tuple[Callable[..., CycleSearch], Mapping[str, Any]]] = {
    "ndfs": (NestedSearch, {}),
    "scc": (ComponentSearch, {}),
    "map": (PredecessorSearch, {"subgraphs": True}),
    "sweep-off": (LtlSweepSearch, {"online": False}),
    "sweep-on": (LtlSweepSearch, {"online": True}),
    SWEEP: (SweepCycleSearch, {}),
}
"""The class behind a method, and further keywords of it."""


class SearchMaker(Protocol):
    """Makes a search of the engine over a Kernel."""

    def make(self, kernel: Kernel, log: Log, observer: SearchObserver | None, memory_limit: int | None) -> Searching:
        """A new search; `log` gets the links of states to their parents, `observer` is told of expanded states."""


@runtime_checkable
class SpillingMaker(Protocol):
    """Makes searches that may be able to go on when memory is full."""

    def as_trees(self) -> StateSearches | None:
        """Return the same searches with tree compression, which takes less memory; None where the store was chosen by
        the user."""

    def can_spill(self, kernel: Kernel) -> bool:
        """Return True if this search can have states on disk."""

    def spilling(
        self,
        kernel: Kernel,
        log: Sink,
        observer: SearchObserver | None,
        memory_limit: int | None,
        folder: Path,
        account: Callable[[int], None],
        release: Release | None = None,
        writer: Writer | None = None,
    ) -> Search:
        """Such a search, whose files are in the folder."""


@dataclass(frozen=True, slots=True)
class StateSearches:
    """Searches in the order of the options that stop at states with a label of the mask."""

    options: Options
    stop_mask: int

    def make(self, kernel: Kernel, log: Log, observer: SearchObserver | None, memory_limit: int | None) -> Search:
        options, terms = self.options, self._terms(log.append, observer, memory_limit)
        if options.order == CACHE:
            return CachedSearch(kernel, states=options.cache_size, rule=CacheRule(options.cache_rule), **terms)
        # Who listens is told of states in the order in which they are expanded, by one thread.
        threads = options.threads if observer is None and kernel.reentrant else 1
        if options.store not in WHOLE:
            return BreadthFirstSearch(kernel, store_kind=self._store_kind(), threads=threads, **terms)
        if options.order == SWEEP and threads > 1:
            return ShardedSweepSearch(kernel, logs=log.parts(threads), **terms)
        if options.order == SWEEP:
            return SweepSearch(kernel, **terms)
        if options.order == "dfs":
            return DepthFirstSearch(kernel, **terms)
        return BreadthFirstSearch(kernel, threads=threads, **terms)

    def _store_kind(self) -> StoreKind:
        """What a store keeps that does not keep whole states."""
        kinds: dict[str, StoreKind] = {
            TREE: TreeCompression(),
            COMPACT: HashCompaction(),
            BITSTATE: Bitstate(self.options.table_bytes),
        }
        return kinds[self.options.store]

    def _terms(self, log: Sink, observer: SearchObserver | None, memory_limit: int | None) -> SearchArguments:
        return {
            "log": log,
            "observer": observer,
            "stop_mask": self.stop_mask,
            "memory_limit": memory_limit,
            "max_states": self.options.max_states,
        }

    def breadth_first(self) -> StateSearches:
        """The same searches without a measure."""
        return replace(self, options=replace(self.options, order="bfs", measure=(), count_distinct=False))

    def as_trees(self) -> StateSearches | None:
        options = self.options
        if options.order != "bfs" or options.store != BY_NEED:
            return None
        return replace(self, options=replace(options, store=TREE, threads=1))

    def can_spill(self, kernel: Kernel) -> bool:
        return self.options.order in ("bfs", SWEEP) and self.options.store not in LOSSY and not kernel.componentwise

    def spilling(
        self,
        kernel: Kernel,
        log: Sink,
        observer: SearchObserver | None,
        memory_limit: int | None,
        folder: Path,
        account: Callable[[int], None],
        release: Release | None = None,
        writer: Writer | None = None,
    ) -> Search:
        # Imported here: who has memory enough does not wait for it.
        from strandline.engine.disk.search import SpillingSearch

        terms = self._terms(log, observer, memory_limit)
        return SpillingSearch(kernel, folder=folder, account=account, release=release, writer=writer, **terms)


@dataclass(frozen=True, slots=True)
class DeviceSearches:
    """Searches on a GPU that stop at states with a label of the mask. They keep no log and tell nobody what they
    expand."""

    options: Options
    stop_mask: int

    def make(self, kernel: Kernel, log: Log, observer: SearchObserver | None, memory_limit: int | None) -> Searching:
        # Imported here: who does not search on a device does not wait for it.
        from strandline.engine.device.cuda import CudaDevice
        from strandline.engine.device.search import DeviceSearch

        if observer is not None or kernel.device is None:
            raise InternalError("this search cannot be made on a device")
        options = self.options
        limits = {"max_states": options.max_states, "memory_limit": options.memory_limit}
        return DeviceSearch(kernel, CudaDevice(kernel), stop_mask=self.stop_mask, **limits)


def missing_device() -> str | None:
    """What is missing for searches on a GPU, in words."""
    from strandline.engine.device.cuda import missing

    return missing()


@dataclass(frozen=True, slots=True)
class WalkSearches:
    """Random walks that stop at states with a label of the mask."""

    walks: int
    depth: int
    seed: int
    stop_mask: int

    def make(self, kernel: Kernel, log: Log, observer: SearchObserver | None, memory_limit: int | None) -> Search:
        terms: SearchArguments = {"log": log.append, "stop_mask": self.stop_mask, "memory_limit": memory_limit}
        return RandomWalks(kernel, walks=self.walks, depth=self.depth, seed=self.seed, **terms)


def cycle_sweep(search: Searching) -> SweepCycleSearch | None:
    """A search that was made as a sweep for cycles by our own method."""
    return search if isinstance(search, SweepCycleSearch) else None


def random_walks(search: Searching) -> RandomWalks:
    """A search that was made as random walks."""
    if not isinstance(search, RandomWalks):
        raise InternalError("this search walks not at random")
    return search


@dataclass(frozen=True, slots=True)
class CycleSearches:
    """Searches for accepting cycles by a method. `ranks`: how many values the lowest bits of a layer have that are the
    rank of the automaton's component. `whole`: not the first cycle only, but every accepting component."""

    method: CycleMethod
    accepting: int
    max_states: int | None
    ranks: int = 1
    whole: bool = False

    def make(self, kernel: Kernel, log: Log, observer: SearchObserver | None, memory_limit: int | None) -> CycleSearch:
        kind, given = _CYCLE_SEARCHES[self.method.name]
        arguments = dict(given)
        if self.method.ranked:
            arguments["ranks"] = self.ranks
        if self.whole:
            arguments["whole"] = True
        terms: SearchArguments = {"log": log.append, "memory_limit": memory_limit, "max_states": self.max_states}
        return kind(kernel, accepting=self.accepting, **terms, **arguments)


def cycle_search(search: Searching) -> CycleSearch:
    """A search that was made as one for cycles."""
    if not isinstance(search, CycleSearch):
        raise InternalError("this search looks for no cycles")
    return search


def component_search(search: Searching) -> ComponentSearch:
    """A search that was made as one for accepting components."""
    if not isinstance(search, ComponentSearch):
        raise InternalError("this search knows no components")
    return search
