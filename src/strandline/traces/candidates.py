"""The paths of a model that match a trace whose states are only partly known: all of them are followed at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from strandline.compile.kernel import Reference
from strandline.traces.replay import State

Matches = Callable[[Mapping[str, Any]], bool]
"""Returns True if a state, as names and values, may be the one of the trace."""


class Candidates:
    """The states that match the last state of a trace, and a path to each of them."""

    def __init__(self, reference: Reference, matches: Matches) -> None:
        self._reference = reference
        self._initial: dict[State, int] = {}
        for number, state in enumerate(reference.initial()):
            if state not in self._initial and matches(reference.describe(state)):
                self._initial[state] = number
        self._layers: list[dict[State, tuple[State, int]]] = []
        """For each step the states behind it, each with its predecessor and the number of the step."""

    @property
    def states(self) -> list[State]:
        """The states that match, in the order in which they were found."""
        return list(self._layers[-1] if self._layers else self._initial)

    def advance(self, action: str | None, matches: Matches) -> None:
        """Follow the steps to the next state of the trace; with an action, only steps of that name."""
        found: dict[State, tuple[State, int]] = {}
        for state in self.states:
            for number, edge in enumerate(self._reference.edges(state)):
                target = edge.target
                if target is None or target in found or (action is not None and edge.action != action):
                    continue
                if matches(self._reference.describe(target)):
                    found[target] = state, number
        self._layers.append(found)

    def path(self) -> tuple[int, list[int]] | None:
        """Return the numbers of the initial state and of the steps of the first path; None if there is none."""
        state = next(iter(self.states), None)
        if state is None:
            return None
        steps = []
        for layer in reversed(self._layers):
            state, number = layer[state]
            steps.append(number)
        return self._initial[state], steps[::-1]
