"""Labelled transition systems: what every component is expanded to, and what `.aut` files hold (002, Definition 1)."""

from __future__ import annotations

from dataclasses import dataclass

TAU = "tau"
"""The internal action: no other component takes part in it or sees it."""


@dataclass(frozen=True, slots=True, order=True)
class Transition:
    """From one state to another, both as indices, by an action."""

    source: int
    label: str
    target: int


@dataclass(frozen=True, slots=True)
class Lts:
    """States by name, the transitions as a sorted set, the initial state, and the actions in which it takes part:
    those of its transitions and perhaps more, which it then prevents. `TAU` is never one of them."""

    states: tuple[str, ...]
    transitions: tuple[Transition, ...]
    alphabet: frozenset[str]
    initial: int = 0

    def by_label(self) -> dict[str, list[Transition]]:
        """The transitions of each action that it has any of."""
        found: dict[str, list[Transition]] = {}
        for transition in self.transitions:
            found.setdefault(transition.label, []).append(transition)
        return found
