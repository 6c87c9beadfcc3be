"""Choose how to split an abstract state: by a set, or by making slots visible (004 §2.1.3, §1.3.7).

`edge` separates the states that have a step along the missing edge from the others (004, Algorithm 4). The other
methods separate the states that the path really leads to (*dead ends*) from those with a step along the edge (*bad*
states): `dead-end` by the set of dead ends, `ilp` by the least number of variables (integer programming), `tree` by a
decision tree (Clarke, Gupta, Kukula, Strichman 2002). The last two work on samples and add samples until the two sets
are separated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import log2

from strandline.symbolic.abstraction.model import AbstractModel, View
from strandline.symbolic.diagrams import Function
from strandline.symbolic.space import State
from strandline.transform.simultaneous import Slot

EDGE, DEAD_END, ILP, TREE = "edge", "dead-end", "ilp", "tree"
SPLITTINGS = (EDGE, DEAD_END, ILP, TREE)
_MOST_SAMPLES = 60


@dataclass(frozen=True, slots=True)
class Missing:
    """An edge of a path that the universal abstraction lacks: its position and its two ends."""

    place: int
    source: Function
    target: Function


def first_missing(model: AbstractModel, path: Sequence[Function]) -> Missing | None:
    """Return the first edge of a path that the universal relation lacks."""
    for place, (source, target) in enumerate(pairwise(path)):
        reached = model.image(model.universal, source)
        if model.diagrams.and_(reached, target) == model.diagrams.false:
            return Missing(place, source, target)
    return None


@dataclass(frozen=True, slots=True)
class Split:
    """A refined view, and a lazy description of the split (computing it counts states)."""

    view: View
    words: Callable[[], str]


def split(method: str, model: AbstractModel, path: Sequence[Function], missing: Missing) -> Split:
    """Return a view that separates states of the missing edge's source."""
    space, both = model.space, model.diagrams.and_
    here = model.concrete(missing.source)
    bad = both(here, space.preimage(model.concrete(missing.target)))
    if method != EDGE:
        dead_ends = _reachable_along(model, path, missing.place)
        only = both(dead_ends, model.diagrams.not_(bad))
        if only != model.diagrams.false:
            return _split_by_dead_ends(method, model, only, bad)
    rest = both(here, model.diagrams.not_(bad))
    return Split(
        replace(model.view, sets=(*model.view.sets, bad)),
        lambda: f"{space.count(bad):,} states with a step along it from {space.count(rest):,} without",
    )


def _reachable_along(model: AbstractModel, path: Sequence[Function], place: int) -> Function:
    """Return the states at a position of the path that are reachable along it; the empty set if none is."""
    space, both = model.space, model.diagrams.and_
    states = both(space.initial, model.concrete(path[0]))
    for number in range(1, place + 1):
        states = both(space.image(states), model.concrete(path[number]))
    return states


def _split_by_dead_ends(method: str, model: AbstractModel, dead_ends: Function, bad: Function) -> Split:
    space = model.space

    def counts() -> str:
        return f"{space.count(dead_ends):,} dead ends from {space.count(bad):,} bad states"

    if method == DEAD_END:
        return Split(replace(model.view, sets=(*model.view.sets, dead_ends)), counts)
    slots = _distinguishing_slots(method, model, dead_ends, bad)
    names = ", ".join(sorted(slot_name(slot) for slot in slots))
    return Split(replace(model.view, slots=model.view.slots | slots), lambda: f"{counts()}, by {names}")


def slot_name(slot: Slot) -> str:
    """Return `x`, or `a[3]`."""
    return slot.variable.name if slot.variable.length is None else f"{slot.variable.name}[{slot.place}]"


def _distinguishing_slots(method: str, model: AbstractModel, dead_ends: Function, bad: Function) -> frozenset[Slot]:
    """Return slots that distinguish every dead end from every bad state, from a growing set of samples."""
    slots = [slot for slot in model.space.encoding.fields if slot not in model.view.slots]
    places = {slot: place for place, slot in enumerate(_state_slots(model))}
    samples: list[tuple[State, State]] = []
    selected: frozenset[Slot] = frozenset()
    while len(samples) < _MOST_SAMPLES:
        pair = _indistinguishable_pair(model, selected, dead_ends, bad)
        if pair is None:
            return selected
        samples.append(pair)
        choose = _smallest_cover if method == ILP else _decision_tree
        selected = frozenset(slots[number] for number in choose([_project_pair(one, slots, places) for one in samples]))
    return frozenset(slots)


def _state_slots(model: AbstractModel) -> Iterator[Slot]:
    """Yield the slots in the order of a valuation."""
    for variable in model.space.system.variables:
        yield from (Slot(variable, place) for place in range(variable.slots))


def _project_pair(pair: tuple[State, State], slots: Sequence[Slot], places: dict[Slot, int]) -> tuple[State, State]:
    """Project two states to the given slots."""
    one, other = pair
    return tuple(one[places[slot]] for slot in slots), tuple(other[places[slot]] for slot in slots)


def _indistinguishable_pair(
    model: AbstractModel, selected: frozenset[Slot], dead_ends: Function, bad: Function
) -> tuple[State, State] | None:
    """Find a dead end and a bad state that agree on all visible and selected slots; None if there are none."""
    space, diagrams = model.space, model.diagrams
    kept = model.view.slots | selected
    hidden = diagrams.cube(
        bit for slot, field in space.encoding.fields.items() if slot not in kept for bit in field.now
    )
    both = diagrams.and_(diagrams.exists(dead_ends, hidden), diagrams.exists(bad, hidden))
    if both == diagrams.false:
        return None
    seen = space.member(diagrams.and_(dead_ends, both))
    if seen is None:
        return None
    alike = diagrams.exists(space.single(seen), hidden)
    other = space.member(diagrams.and_(bad, alike))
    return None if other is None else (seen, other)


def _smallest_cover(samples: Sequence[tuple[State, State]]) -> frozenset[int]:
    """Find a smallest set of positions such that every pair differs in one of them.

    Branch and bound: branch over the positions that distinguish the uncovered pair with the fewest of them.
    """
    differing = [frozenset(n for n, (a, b) in enumerate(zip(*pair, strict=True)) if a != b) for pair in samples]
    every: frozenset[int] = frozenset().union(*differing)
    best = [every]

    def cover(selected: frozenset[int]) -> None:
        open_pairs = [one for one in differing if not one & selected]
        if not open_pairs:
            best[0] = selected if len(selected) < len(best[0]) else best[0]
            return
        if len(selected) + 1 >= len(best[0]):
            return
        smallest: frozenset[int] = min(open_pairs, key=len)
        for place in sorted(smallest):
            cover(selected | {place})

    cover(frozenset())
    return best[0]


def _decision_tree(samples: Sequence[tuple[State, State]]) -> frozenset[int]:
    """Return the positions that a decision tree tests to separate the first states of the pairs from the second."""
    examples = [(one, True) for one, _ in samples] + [(other, False) for _, other in samples]
    used: set[int] = set()
    waiting = [examples]
    while waiting:
        here = waiting.pop()
        if len({label for _, label in here}) < 2:
            continue
        place = min(range(len(here[0][0])), key=lambda number: (_weighted_entropy(here, number), number))
        parts = _partition(here, place)
        if len(parts) > 1:
            used.add(place)
            waiting += parts
    return frozenset(used)


def _partition(examples: Sequence[tuple[State, bool]], place: int) -> list[list[tuple[State, bool]]]:
    parts: dict[int, list[tuple[State, bool]]] = {}
    for state, label in examples:
        parts.setdefault(state[place], []).append((state, label))
    return list(parts.values())


def _weighted_entropy(examples: Sequence[tuple[State, bool]], place: int) -> float:
    """Return the size-weighted label entropy after splitting the examples at a position."""
    total = 0.0
    for part in _partition(examples, place):
        counts = Counter(label for _, label in part)
        total -= sum(count * log2(count / len(part)) for count in counts.values())
    return total
