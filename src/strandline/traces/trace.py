"""A trace: an initial state and the steps from it, each with what it changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from strandline.source import Span


@dataclass(frozen=True, slots=True)
class Change:
    """One variable, or one element of an array, before and after a step."""

    name: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what it is called, and everything it changed."""

    action: str
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class TraceFault:
    """The run-time fault at which a trace ends. `action` is the step that faulted; None where a predicate
    could not be evaluated in the last state."""

    kind: str
    span: Span | None
    action: str | None


@dataclass(frozen=True, slots=True)
class Trace:
    """A path of the model, every step of which was executed again. Made by `strandline.traces.replay`.

    `loop` is None for a path without a loop. Else it is the index of the state to which the run returns: the last
    state is that one again; where it is the index of the last state itself, no step is possible there and the
    run stays in it. Whether
    the trace is a shortest one depends on the search: breadth-first search finds shortest traces, others need
    not.
    """

    initial: tuple[tuple[str, str], ...]
    steps: tuple[Step, ...]
    fault: TraceFault | None = None
    loop: int | None = None

    def __len__(self) -> int:
        """The number of steps that lead to a state; a faulting step at the end does not count."""
        return len(self.steps)

    def states(self) -> Iterator[dict[str, str]]:
        """Every state in full, the initial one first."""
        state = dict(self.initial)
        yield dict(state)
        for step in self.steps:
            state.update((change.name, change.new) for change in step.changes)
            yield dict(state)

    @property
    def final(self) -> dict[str, str]:
        """The last state in full."""
        state = dict(self.initial)
        for step in self.steps:
            state.update((change.name, change.new) for change in step.changes)
        return state
