"""Long traces: packed states and step numbers; names and values of a step are computed on demand.

A step with its names and values takes about a kilobyte, here it takes a few bytes: a trace of a million steps fits into
the memory that the search had. Iterating describes each state once.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import overload

from strandline.compile.kernel import Reference
from strandline.traces.trace import Step, changes

MOST_HELD = 4_096
"""Most steps of a trace that is held as objects.

Limits of memory and time are checked once per so many steps, so a shorter trace is always shown.
"""

PackedState = tuple[int, ...]


class StoredStates(Sequence[PackedState]):
    """Packed states, each of the same number of words."""

    def __init__(self, first: PackedState) -> None:
        self._width, self._words = len(first), array("Q", first)
        self._count = 1

    def append(self, state: PackedState) -> None:
        """Append a state."""
        self._words.extend(state)
        self._count += 1

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> PackedState: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[PackedState]: ...
    def __getitem__(self, index: int | slice) -> PackedState | Sequence[PackedState]:
        places = range(self._count)[index]
        if isinstance(places, range):
            return _Part(self, places)
        return tuple(self._words[places * self._width : (places + 1) * self._width])


class _Part(Sequence[PackedState]):
    """A slice of the states, which are not copied."""

    def __init__(self, states: Sequence[PackedState], places: range) -> None:
        self._states, self._places = states, places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> PackedState: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[PackedState]: ...
    def __getitem__(self, index: int | slice) -> PackedState | Sequence[PackedState]:
        places = self._places[index]
        return _Part(self._states, places) if isinstance(places, range) else self._states[places]


class StoredSteps(Sequence[Step]):
    """The steps between stored states, by their numbers in the reference; all of them were replayed."""

    def __init__(self, reference: Reference, states: Sequence[PackedState], numbers: Sequence[int]) -> None:
        self._reference, self._states, self._numbers = reference, states, array("L", numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Step, ...]: ...
    def __getitem__(self, index: int | slice) -> Step | tuple[Step, ...]:
        places = range(len(self))[index]
        if isinstance(places, range):
            return tuple(self[place] for place in places)
        before, after = (self._reference.describe(self._states[place]) for place in (places, places + 1))
        return Step(self._action(places), tuple(changes(before, after)), after)

    def __iter__(self) -> Iterator[Step]:
        before = self._reference.describe(self._states[0])
        for place in range(len(self)):
            after = self._reference.describe(self._states[place + 1])
            yield Step(self._action(place), tuple(changes(before, after)), after)
            before = after

    def _action(self, place: int) -> str:
        return self._reference.edges(self._states[place])[self._numbers[place]].action

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(self) != len(other):
            return False
        return all(one == another for one, another in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Callable[..., tuple[Step, ...]], tuple[list[Step]]]:
        # A copy in another process is of the steps alone, not of the model.
        return tuple, (list(self),)
