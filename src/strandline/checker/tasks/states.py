"""Tasks about single states: invariants, assertions, deadlocks and reachability."""

from __future__ import annotations

from dataclasses import dataclass

from strandline.checker.options.cycle_methods import AUTO
from strandline.checker.properties.selection import Property
from strandline.checker.tasks.task import Task


@dataclass(frozen=True, slots=True, eq=False)
class StatesTask(Task):
    """Properties of states, decided in one search; without any, the search visits all reachable states."""

    properties: tuple[Property, ...] = ()
    method: str = AUTO
    """The method that the user chose: `auto`, `explicit` or `symbolic`."""
