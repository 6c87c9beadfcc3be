"""A search between two calls of its loop, as data: what a checkpoint keeps, and how a search made anew takes it over.

All that a search knows lies in arrays, records and numbers of its own and of its parts. So nothing has to be said of a
search or a part for it to be saved: its attributes are walked, and what is an array, a record or a number is kept. The
rest (the Kernel, who is told, limits) is given again to whoever makes the search again. Only a search that is
`settled` can be saved: else it has begun another search, which is not among its parts.
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
"""Writes what was kept of an array into one of the same size, in which all is zero."""


@dataclass(frozen=True, slots=True)
class Saved:
    """What a search knows, by the names of attributes. The arrays are its own: they are valid until it goes on."""

    arrays: dict[str, np.ndarray[Any, Any]] = field(default_factory=dict)
    numbers: dict[str, Number] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Kept:
    """The same as it was read back: of each array, its kind, its length and how it is filled."""

    arrays: Mapping[str, tuple[str, int, Fill]]
    numbers: Mapping[str, Any]

    def array(self, name: str) -> np.ndarray[Any, Any]:
        """An array of its own, filled."""
        kind, length, fill = self.arrays[name]
        array = np.zeros(length, dtype=kind)
        fill(array)
        return array

    def of(self, owner: str) -> Kept:
        """What was saved together with others under the names `owner.*`."""
        before = f"{owner}."
        return Kept(
            {name.removeprefix(before): one for name, one in self.arrays.items() if name.startswith(before)},
            {name.removeprefix(before): one for name, one in self.numbers.items() if name.startswith(before)},
        )

    def without(self, owner: str) -> Kept:
        """The rest of it."""
        before = f"{owner}."
        return Kept(
            {name: one for name, one in self.arrays.items() if not name.startswith(before)},
            {name: one for name, one in self.numbers.items() if not name.startswith(before)},
        )


@runtime_checkable
class SavedObserver(Protocol):
    """A observer that knows something beside what is in its files."""

    def saved(self) -> Saved: ...
    def restore(self, kept: Kept) -> None: ...


@runtime_checkable
class SavedFurther(Protocol):
    """A search that knows something beside what its attributes hold as arrays, records and numbers."""

    def saved_further(self) -> Saved: ...
    def restore_further(self, kept: Kept) -> None: ...


_FURTHER = "further"


def together(**several: Saved) -> Saved:
    """What several know, each under its name."""
    found = Saved()
    for owner, one in several.items():
        found.arrays.update({f"{owner}.{name}": array for name, array in one.arrays.items()})
        found.numbers.update({f"{owner}.{name}": number for name, number in one.numbers.items()})
    return found


def saved(search: Search) -> Saved:
    """What the search knows. Raises `InternalError` where it is not settled, or has an attribute of an unknown kind."""
    if not search.settled:
        raise InternalError("a search that waits for another one cannot be saved")
    found = Saved()
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
        further = together(**{_FURTHER: search.saved_further()})
        found.arrays.update(further.arrays)
        found.numbers.update(further.numbers)
    return found


def restore(search: Search, kept: Kept) -> None:
    """Let a search that was made anew, with the same Kernel and settings, know what was saved. Raises `InternalError`
    where that was a search of another kind."""
    places = {path: (owner, name) for owner, name, path in _attributes(search)}
    own = kept
    if isinstance(search, SavedFurther):
        own = kept.without(_FURTHER)
    if places.keys() != own.arrays.keys() | own.numbers.keys():
        raise InternalError("what was saved belongs to another kind of search")
    for path, (kind, length, fill) in own.arrays.items():
        _put(*places[path], np.dtype(kind), length, fill)
    for path, number in own.numbers.items():
        owner, name = places[path]
        setattr(owner, name, tuple(number) if isinstance(number, list) else number)
    if isinstance(search, SavedFurther):
        search.restore_further(kept.of(_FURTHER))


def _put(owner: Any, name: str, kind: np.dtype[Any], length: int, fill: Fill) -> None:
    """Fill an array or a record; others may know it, so it is the same one afterwards, if it is long enough."""
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
    """Every attribute to be kept: whose it is, its name, and its name in the whole search. What two owners share comes
    once."""
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
