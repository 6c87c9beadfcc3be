"""Labelled transition systems: expanded components, and the contents of `.aut` files.

They are those of Kristensen and Mailund, Definition 1 (docs/papers.md, 002).
"""

from __future__ import annotations

from dataclasses import dataclass

TAU = "tau"
"""The internal action: no other component takes part in it or observes it."""


@dataclass(frozen=True, slots=True, order=True)
class Transition:
    """A labelled transition between two states, given by their indices."""

    source: int
    label: str
    target: int


@dataclass(frozen=True, slots=True)
class Lts:
    """A labelled transition system: state names, sorted transitions, alphabet and initial state.

    The alphabet contains the labels of the transitions, and perhaps more labels, which a parallel composition then
    blocks; it never contains `TAU`.
    """

    states: tuple[str, ...]
    transitions: tuple[Transition, ...]
    alphabet: frozenset[str]
    initial: int = 0

    def by_label(self) -> dict[str, list[Transition]]:
        """Return the transitions of each label that some transition has."""
        found: dict[str, list[Transition]] = {}
        for transition in self.transitions:
            found.setdefault(transition.label, []).append(transition)
        return found
