"""The methods that look for accepting cycles, by name, and which of them `auto` picks.

A method is a line in `METHODS`: a class of the engine with the interface of `strandline.engine.cycles.CycleSearch`.
It is imported when it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from strandline.errors import Option, UsageError

if TYPE_CHECKING:
    from strandline.engine.cycles import CycleSearch

AUTO, PREFIX, NDFS, SCC, SWEEP = "auto", "prefix", "ndfs", "scc", "sweep"


@dataclass(frozen=True, slots=True)
class CycleMethod:
    """One way to find an accepting cycle or to find that there is none."""

    name: str
    module: str
    search: str
    """Class in the module."""
    compiled: str
    """Module and function of the compiled loop, `nested.nested`: whether it was compiled before is told by its name."""
    words: str
    """What it is, for people."""
    measured: bool = False
    """Whether it goes by a measure of progress."""
    ranked: bool = False
    """Whether the lowest bits of its layers are the rank of the automaton's component (parameter `ranks`)."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """Further keywords of the class."""

    def search_class(self) -> type[CycleSearch]:
        """The class; raises `UsageError` where this version does not have it."""
        try:
            found: type[CycleSearch] = getattr(import_module(self.module), self.search)
        except (ImportError, AttributeError):
            raise UsageError(f"method '{self.name}' is not part of this version") from None
        return found


METHODS: Mapping[str, CycleMethod] = MappingProxyType(
    {
        one.name: one
        for one in (
            CycleMethod(
                NDFS, "strandline.engine.cycles", "NestedSearch", "nested.nested", "nested depth-first search"
            ),
            CycleMethod(
                SCC, "strandline.engine.cycles", "ComponentSearch", "components.components", "connected components"
            ),
            CycleMethod(
                "map",
                "strandline.engine.map_search",
                "MapSearch",
                "map_search_kernel.accepting_predecessors",
                "maximal accepting predecessors",
                arguments={"subgraphs": True},
            ),
            CycleMethod(
                "sweep-off",
                "strandline.engine.ltl_sweep",
                "LtlSweepSearch",
                "ltl_sweep_kernel.ltl_sweep",
                "LTL-Sweep, cycles over several layers at the end",
                measured=True,
                arguments={"online": False},
            ),
            CycleMethod(
                "sweep-on",
                "strandline.engine.ltl_sweep",
                "LtlSweepSearch",
                "ltl_sweep_kernel.ltl_sweep",
                "LTL-Sweep, cycles over several layers after every sweep",
                measured=True,
                arguments={"online": True},
            ),
            CycleMethod(
                SWEEP,
                "strandline.engine.sweep_cycles",
                "SweepCycleSearch",
                "layer_components.sweep_layers",
                "a sweep with components inside layers and elimination",
                measured=True,
                ranked=True,
            ),
        )
    }
)


def known_methods() -> tuple[str, ...]:
    """What may be asked for."""
    return (AUTO, *METHODS, PREFIX)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The method of one check, and why `auto` picked it; None where it was asked for."""

    name: str
    why: str | None = None

    @property
    def cycles(self) -> CycleMethod | None:
        """None where the search is for a bad prefix."""
        return METHODS.get(self.name)


def choose(asked: str, *, measured: bool, prefix: str | None, whole: bool, shortest: bool) -> Chosen:
    """The method to use. `measured`: the user wants a sweep. `prefix`: why a bad prefix does not decide the property;
    None where it does. `whole`: all components are wanted. Raises `UsageError` for what a method cannot do."""
    if asked == PREFIX and prefix is not None:
        raise UsageError(f"{{}}: {prefix}", options=[Option("method", PREFIX)])
    if asked != AUTO:
        method = METHODS.get(asked)
        if measured and method is not None and not method.measured:
            raise UsageError(
                "{} goes by no measure; leave {} out, or use {}",
                options=[Option("method", asked), Option("measure"), Option("method", SWEEP)],
            )
        return Chosen(asked)
    if whole:
        return Chosen(SCC, "all accepting components are wanted")
    if prefix is None:
        how = "by the measure" if measured else "breadth-first"
        return Chosen(PREFIX, f"a safety property: a finite path shows every violation; searched {how}")
    if measured:
        return Chosen(SWEEP, "there is a measure of progress")
    if shortest:
        return Chosen(SCC, "a shortest lasso needs all accepting components")
    return Chosen(NDFS, "no measure of progress is given")
