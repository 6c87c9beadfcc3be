"""A task about single states."""

from __future__ import annotations

from dataclasses import dataclass

from strandline.checker.properties.selection import Property
from strandline.checker.tasks.task import Task


@dataclass(frozen=True, slots=True, eq=False)
class StatesTask(Task):
    """Properties of states, decided in one search; without any, the search visits whatever is reachable."""

    properties: tuple[Property, ...] = ()
