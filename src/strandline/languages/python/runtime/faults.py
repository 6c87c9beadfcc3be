"""Outcomes of a step that cannot be completed: exceptions, and fault kinds of compiled models."""

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
    """Raised when a step is not enabled in this state; the model is unchanged."""


class OutOfRange(ValueError):
    """A fault of the model: an assigned value is outside the variable's range."""


_steps: list[list[OutOfRange]] = []
"""For every step being taken, innermost last, its assignments out of range so far."""


def begin_step() -> list[OutOfRange]:
    """Begin a step: from now on, assignments out of range are collected in the returned list.

    They become a fault only at the end of the step, because a step that turns out not to be enabled has no fault.
    """
    noted: list[OutOfRange] = []
    _steps.append(noted)
    return noted


def end_step() -> None:
    """End the innermost step."""
    _steps.pop()


def in_step() -> bool:
    """Return True while a step is being taken."""
    return bool(_steps)


def out_of_range(message: str) -> None:
    """Record an assignment out of range; raise at once if no step is being taken."""
    fault = OutOfRange(message)
    if not _steps:
        raise fault
    _steps[-1].append(fault)


def raise_out_of_range(message: str) -> None:
    """Raise `OutOfRange` at once, for a part of an encoded value, which cannot be stored until the step ends."""
    raise OutOfRange(message)


def require(condition: Any) -> None:
    """Disable the step unless the condition holds, at any position in the action."""
    if not condition:
        raise NotEnabled("a requirement is not met")


def count(conditions: Iterable[Any]) -> int:
    """Return the number of conditions that hold: `count(p.pc == "cs" for p in m.P)`."""
    return sum(1 for condition in conditions if condition)
