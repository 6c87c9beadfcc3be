"""The methods that search for accepting cycles, by name.

Each is a line in `METHODS`; the engine's searches behind them are in `strandline.checker.driver.searches`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

AUTO, PREFIX, NDFS, SCC, SWEEP = "auto", "prefix", "ndfs", "scc", "sweep"


@dataclass(frozen=True, slots=True)
class CycleMethod:
    """A method that decides whether there is an accepting cycle."""

    name: str
    words: str
    """A description for reports."""
    measured: bool = False
    """True if the method needs a progress measure."""
    ranked: bool = False
    """True if the method refines each layer by the rank of the automaton's SCC (its topological order)."""
    all_components: bool = False
    """True if the search can continue after its first accepting cycle, to report every accepting SCC."""


METHODS: Mapping[str, CycleMethod] = MappingProxyType(
    {
        one.name: one
        for one in (
            CycleMethod(NDFS, "nested depth-first search"),
            CycleMethod(SCC, "connected components", all_components=True),
            CycleMethod("map", "maximal accepting predecessors"),
            CycleMethod("sweep-off", "LTL-Sweep, cycles over several layers at the end", measured=True),
            CycleMethod("sweep-on", "LTL-Sweep, cycles over several layers after every sweep", measured=True),
            CycleMethod(SWEEP, "a sweep with components inside layers and elimination", measured=True, ranked=True),
        )
    }
)


def known_methods() -> tuple[str, ...]:
    """Return the names that `--method` accepts for LTL."""
    return (AUTO, *METHODS, PREFIX)
