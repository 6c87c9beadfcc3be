"""What a step of a model can come to: exceptions where it runs as plain Python, and what is a fault of its own kind
in the compiled model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

NONE_FAULT = "None used as a number"
VALUE_FAULT = "None used as a value"
FIELD_FAULT = "None has no fields"
PROCESS_FAULT = "process index out of range"
HEAD_FAULT = "head of an empty queue"
MEMBER_FAULT = "value that the set can never hold"


class NotEnabled(Exception):
    """The step cannot be taken in this state; the model is as it was before."""


class OutOfRange(ValueError):
    """A value was assigned that its variable cannot hold: a fault of the model."""


_steps: list[list[OutOfRange]] = []
"""For every step that is being taken, the assignments out of range so far."""


def begin_step() -> list[OutOfRange]:
    """From here on, assignments out of range are noted and judged when the step has ended: a step that turns
    out not to be enabled is no fault."""
    noted: list[OutOfRange] = []
    _steps.append(noted)
    return noted


def end_step() -> None:
    _steps.pop()


def in_step() -> bool:
    return bool(_steps)


def out_of_range(message: str) -> None:
    """Note an assignment out of range, or raise at once where no step is being taken."""
    fault = OutOfRange(message)
    if not _steps:
        raise fault
    _steps[-1].append(fault)


def at_once(message: str) -> None:
    """Raise for a value out of range that cannot even be kept until the step ends."""
    raise OutOfRange(message)


def require(condition: Any) -> None:
    """The step is enabled only where the condition holds, wherever in the action this stands."""
    if not condition:
        raise NotEnabled("a requirement is not met")


def count(conditions: Iterable[Any]) -> int:
    """How many of the conditions hold: `count(p.pc == "cs" for p in m.P)`."""
    return sum(1 for condition in conditions if condition)
