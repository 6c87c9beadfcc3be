"""The state of a search between two slices, as data for checkpoints: saving it, and restoring it into a new search.

All state of a search lies in arrays, records and numbers of its own and of its parts. So no search and no part has code
of its own for this: the attributes are enumerated, and all arrays, records and numbers among them are stored.
Everything else (the Kernel, observers, limits) is passed in again when the search is made again. Only a `settled`
search can be saved; one that is not runs another search at the moment, which is not among its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from strandline.engine.parts.part import Part
from strandline.engine.runtime.memory import Words
from strandline.engine.search import Search
from strandline.errors import InternalError

Number: TypeAlias = "int | float | bool | str | tuple[int, ...]"
Fill = Callable[["np.ndarray[Any, Any]"], None]
"""A function that copies a saved array into a zeroed one of the same length."""


@dataclass(frozen=True, slots=True)
class SavedState:
    """The state of a search, by attribute names. The arrays are not copied: they are valid until the search runs on."""

    arrays: dict[str, np.ndarray[Any, Any]] = field(default_factory=dict)
    numbers: dict[str, Number] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RestoredState:
    """Saved state that was read back: the type, the length and a reader of each array."""

    arrays: Mapping[str, tuple[str, int, Fill]]
    numbers: Mapping[str, Any]

    def array(self, name: str) -> np.ndarray[Any, Any]:
        """Return a newly allocated array with the saved contents."""
        kind, length, fill = self.arrays[name]
        array = np.zeros(length, dtype=kind)
        fill(array)
        return array

    def of(self, owner: str) -> RestoredState:
        """Return the part that was saved under the names `owner.*`."""
        before = f"{owner}."
        return RestoredState(
            {name.removeprefix(before): one for name, one in self.arrays.items() if name.startswith(before)},
            {name.removeprefix(before): one for name, one in self.numbers.items() if name.startswith(before)},
        )

    def without(self, owner: str) -> RestoredState:
        """Return all but the part that was saved under the names `owner.*`."""
        before = f"{owner}."
        return RestoredState(
            {name: one for name, one in self.arrays.items() if not name.startswith(before)},
            {name: one for name, one in self.numbers.items() if not name.startswith(before)},
        )


@runtime_checkable
class SavedObserver(Protocol):
    """The interface of an observer that has state besides its files."""

    def save_state(self) -> SavedState: ...
    def restore(self, kept: RestoredState) -> None: ...


@runtime_checkable
class SavedFurther(Protocol):
    """The interface of a search that has state besides arrays, records and numbers."""

    def saved_further(self) -> SavedState: ...
    def restore_further(self, kept: RestoredState) -> None: ...


_FURTHER = "further"


def combine(**several: SavedState) -> SavedState:
    """Combine several saved states, each under its name."""
    found = SavedState()
    for owner, one in several.items():
        found.arrays.update({f"{owner}.{name}": array for name, array in one.arrays.items()})
        found.numbers.update({f"{owner}.{name}": number for name, number in one.numbers.items()})
    return found


def save_search(search: Search) -> SavedState:
    """Return the state of a search.

    Raises `InternalError` if it is not settled, or has an attribute of an unknown type.
    """
    if not search.settled:
        raise InternalError("a search that runs another one cannot be saved")
    found = SavedState()
    for owner, name, path in _attributes(search):
        value = getattr(owner, name)
        if isinstance(value, Words):
            found.arrays[path] = value.array
        elif isinstance(value, np.record):
            found.arrays[path] = np.frombuffer(value.tobytes(), dtype=np.uint64)
        elif isinstance(value, np.ndarray):
            found.arrays[path] = value
        else:
            found.numbers[path] = value
    if isinstance(search, SavedFurther):
        further = combine(**{_FURTHER: search.saved_further()})
        found.arrays.update(further.arrays)
        found.numbers.update(further.numbers)
    return found


def restore_search(search: Search, kept: RestoredState) -> None:
    """Restore saved state into a search that was made anew with the same Kernel and settings.

    Raises `InternalError` if the state belongs to another kind of search.
    """
    places = {path: (owner, name) for owner, name, path in _attributes(search)}
    own = kept
    if isinstance(search, SavedFurther):
        own = kept.without(_FURTHER)
    if places.keys() != own.arrays.keys() | own.numbers.keys():
        raise InternalError("the saved state belongs to another kind of search")
    for path, (kind, length, fill) in own.arrays.items():
        _put(*places[path], np.dtype(kind), length, fill)
    for path, number in own.numbers.items():
        owner, name = places[path]
        setattr(owner, name, tuple(number) if isinstance(number, list) else number)
    if isinstance(search, SavedFurther):
        search.restore_further(kept.of(_FURTHER))


def _put(owner: Any, name: str, kind: np.dtype[Any], length: int, fill: Fill) -> None:
    """Fill an array or a record in place if it is long enough, because others may refer to it."""
    value = getattr(owner, name)
    if isinstance(value, Words):
        value.array[:] = 0
        value.grow(length)
        fill(value.array[:length])
    elif isinstance(value, np.record):
        words = np.zeros(length, dtype=np.uint64)
        fill(words)
        for one, word in zip(value.dtype.names or (), words.tolist(), strict=True):
            setattr(value, one, word)
    else:
        array = np.zeros(length, dtype=kind)
        fill(array)
        setattr(owner, name, array.reshape(value.shape) if array.size == value.size else array)


def _attributes(search: Search) -> Iterator[tuple[Any, str, str]]:
    """Iterate over all saved attributes: owner, name, and path in the whole search. Shared ones come once."""
    seen: set[int] = set()
    waiting: list[tuple[Any, str]] = [(search, "")]
    while waiting:
        owner, before = waiting.pop()
        for name, value in sorted(vars(owner).items()):
            if name in owner.limits or id(value) in seen:
                continue
            if isinstance(value, Part):
                seen.add(id(value))
                waiting.append((value, f"{before}{name}."))
            elif isinstance(value, Words | np.ndarray | np.record):
                seen.add(id(value))
                yield owner, name, before + name
            elif _is_number(value):
                yield owner, name, before + name


def _is_number(value: object) -> bool:
    if isinstance(value, tuple):
        return all(type(one) is int for one in value)
    return type(value) in (int, float, bool, str)
