"""A place/transition net: places with tokens, transitions that consume and produce them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from strandline.source import Source, Span


@dataclass(frozen=True, slots=True)
class Place:
    """A place, by its id."""

    id: str
    initial: int = 0
    limit: int | None = None
    """Most tokens that the file says it ever has."""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Transition:
    """A transition, by its id: how many tokens it takes from places and puts into places, by their numbers."""

    id: str
    consumes: Mapping[int, int]
    produces: Mapping[int, int]
    span: Span | None = None
    fair: str | None = None
    """Which runs count: "weak", those in which it is not enabled for ever without firing; "strong", those in which it
    fires infinitely often if it is infinitely often enabled."""

    def changes(self) -> dict[int, int]:
        """What firing adds to each place whose count it changes."""
        both = self.consumes.keys() | self.produces.keys()
        amounts = {place: self.produces.get(place, 0) - self.consumes.get(place, 0) for place in sorted(both)}
        return {place: amount for place, amount in amounts.items() if amount}


@dataclass(frozen=True, slots=True)
class Net:
    """Places and transitions, each in the order of the file."""

    name: str
    source: Source = field(repr=False)
    places: tuple[Place, ...]
    transitions: tuple[Transition, ...]
