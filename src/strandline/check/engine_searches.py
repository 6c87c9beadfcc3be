"""The engine's searches by the names under which they are asked for. No other module of this package imports one.

A search of the engine is imported when it is used: who asks for one does not wait for the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from strandline.check.ltl.methods import CycleMethod
from strandline.check.options import CACHE, SWEEP, Options
from strandline.compile.kernel import Kernel
from strandline.errors import InternalError

if TYPE_CHECKING:
    from strandline.engine.base import BaseSearch, Sink
    from strandline.engine.cycles import ComponentSearch, CycleSearch

FORGETTING = (SWEEP, CACHE)
"""Orders that forget states and may visit them again."""


class SearchMaker(Protocol):
    """Makes a search of the engine over a Kernel."""

    @property
    def compiled_loop(self) -> str:
        """Module and function of the engine's compiled loop."""

    def make(self, kernel: Kernel, log: Sink, seen: Sink | None, memory_limit: int | None) -> BaseSearch:
        """A new search; `log` gets the links of states to their parents, `seen` every expanded state."""


@dataclass(frozen=True, slots=True)
class StateSearches:
    """Searches in the order of the options that stop at states with a label of the mask."""

    options: Options
    stop_mask: int

    @property
    def compiled_loop(self) -> str:
        loops = {CACHE: "caching.caching", "dfs": "depth_first.depth_first"}
        return loops.get(self.options.order or "", "explore.explore")

    def make(self, kernel: Kernel, log: Sink, seen: Sink | None, memory_limit: int | None) -> BaseSearch:
        from strandline.engine.caching_search import CacheRule, CachingSearch
        from strandline.engine.search import Order, Search

        options = self.options
        common: dict[str, Any] = {
            "log": log,
            "seen": seen,
            "stop_mask": self.stop_mask,
            "memory_limit": memory_limit,
            "max_states": options.max_states,
        }
        if options.order == CACHE:
            return CachingSearch(kernel, states=options.cache_size, rule=CacheRule(options.cache_rule), **common)
        return Search(kernel, Order(options.order), **common)


@dataclass(frozen=True, slots=True)
class CycleSearches:
    """Searches for accepting cycles by a method. `ranks`: how many values the lowest bits of a layer have that are the
    rank of the automaton's component. `whole`: not the first cycle only, but every accepting component."""

    method: CycleMethod
    accepting: int
    max_states: int | None
    ranks: int = 1
    whole: bool = False

    @property
    def compiled_loop(self) -> str:
        return _CYCLE_LOOPS[self.method.name]

    def make(self, kernel: Kernel, log: Sink, seen: Sink | None, memory_limit: int | None) -> CycleSearch:
        kind, arguments = _cycle_search(self.method.name)
        if self.method.ranked:
            arguments["ranks"] = self.ranks
        if self.whole:
            arguments["whole"] = True
        return kind(
            kernel,
            accepting=self.accepting,
            log=log,
            memory_limit=memory_limit,
            max_states=self.max_states,
            **arguments,
        )


_CYCLE_LOOPS: Mapping[str, str] = {
    "ndfs": "nested.nested",
    "scc": "components.components",
    "map": "map_search_kernel.accepting_predecessors",
    "sweep-off": "ltl_sweep_kernel.ltl_sweep",
    "sweep-on": "ltl_sweep_kernel.ltl_sweep",
    "sweep": "layer_components.sweep_layers",
}


def _cycle_search(method: str) -> tuple[type[CycleSearch], dict[str, Any]]:
    """The class behind a method, and further keywords of it."""
    if method in ("ndfs", "scc"):
        from strandline.engine.cycles import ComponentSearch, NestedSearch

        return (NestedSearch if method == "ndfs" else ComponentSearch), {}
    if method == "map":
        from strandline.engine.map_search import MapSearch

        return MapSearch, {"subgraphs": True}
    if method == "sweep":
        from strandline.engine.sweep_cycles import SweepCycleSearch

        return SweepCycleSearch, {}
    from strandline.engine.ltl_sweep import LtlSweepSearch

    return LtlSweepSearch, {"online": method == "sweep-on"}


def cycle_search(search: BaseSearch) -> CycleSearch:
    """A search that was made as one for cycles."""
    from strandline.engine.cycles import CycleSearch

    if not isinstance(search, CycleSearch):
        raise InternalError("this search looks for no cycles")
    return search


def component_search(search: BaseSearch) -> ComponentSearch:
    """A search that was made as one for accepting components."""
    from strandline.engine.cycles import ComponentSearch

    if not isinstance(search, ComponentSearch):
        raise InternalError("this search knows no components")
    return search


def compiled_before(loop: str) -> bool:
    """Whether a loop of the engine was ever compiled on this machine. It may have been for other widths of states;
    whether for this one is only seen by the time it takes."""
    from strandline.engine.jit import cache_directory

    return any(cache_directory().rglob(f"{loop}-*.nbi"))


def levels_of(search: BaseSearch) -> tuple[int, ...]:
    """Breadth-first: states at each distance from the initial ones; else none."""
    return tuple(getattr(search, "level_sizes", ()))


def replaced_by(search: BaseSearch) -> int:
    """With a cache: how many states made room for others; else 0."""
    return int(getattr(search, "replaced", 0))
