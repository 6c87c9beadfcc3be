"""A place/transition net: places with tokens, transitions that consume and produce them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from strandline.source import Source, Span


@dataclass(frozen=True, slots=True)
class Place:
    """A place, named by its id."""

    id: str
    initial: int = 0
    limit: int | None = None
    """The bound on its tokens according to the file; None if the file has none."""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Transition:
    """A transition, named by its id, with the tokens that it consumes and produces by place number."""

    id: str
    consumes: Mapping[int, int]
    produces: Mapping[int, int]
    span: Span | None = None
    fair: str | None = None
    """Fairness of the transition: "weak", "strong" or None.

    Weak: it is not enabled for ever without firing. Strong: it fires infinitely often if it is enabled infinitely
    often.
    """

    def changes(self) -> dict[int, int]:
        """Return by place number the change of its tokens when the transition fires, without changes of 0."""
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
