"""Which states of one abstract state are told apart next: by a set, or by what becomes visible (004 §2.1.3, §1.3.7).

`edge`: those that have a step along the edge from those that have none (004, Algorithm 4). The others look at the
states that the path really leads to (*dead ends*) and those with a step along the edge (*bad* states), and tell these
apart: `dead-end` by the set of dead ends, `ilp` by the least number of variables (integer programming), `tree` by a
decision tree (Clarke, Gupta, Kukula, Strichman 2002). The last two look at samples, and at further ones until the two
sets are told apart.
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
    """An edge of a path that the universal abstraction lacks, by its place, and its two ends."""

    place: int
    source: Function
    target: Function


def first_missing(model: AbstractModel, path: Sequence[Function]) -> Missing | None:
    """The first edge of a path that the universal relation does not have."""
    for place, (source, target) in enumerate(pairwise(path)):
        reached = model.after(model.universal, source)
        if model.diagrams.both(reached, target) == model.diagrams.false:
            return Missing(place, source, target)
    return None


@dataclass(frozen=True, slots=True)
class Split:
    """A finer view, and what tells in words what it tells apart, which takes counting."""

    view: View
    words: Callable[[], str]


def split(method: str, model: AbstractModel, path: Sequence[Function], missing: Missing) -> Split:
    """A view that tells states of the missing edge's source apart."""
    space, both = model.space, model.diagrams.both
    here = model.concrete(missing.source)
    bad = both(here, space.before(model.concrete(missing.target)))
    if method != EDGE:
        dead_ends = _led_to(model, path, missing.place)
        only = both(dead_ends, model.diagrams.denied(bad))
        if only != model.diagrams.false:
            return _told_apart(method, model, only, bad)
    rest = both(here, model.diagrams.denied(bad))
    return Split(
        replace(model.view, sets=(*model.view.sets, bad)),
        lambda: f"{space.count(bad):,} states with a step along it from {space.count(rest):,} without",
    )


def _led_to(model: AbstractModel, path: Sequence[Function], place: int) -> Function:
    """The states at a place of the path that the initial states really lead to along it; all, where none is."""
    space, both = model.space, model.diagrams.both
    states = both(space.initial, model.concrete(path[0]))
    for number in range(1, place + 1):
        states = both(space.after(states), model.concrete(path[number]))
    return states


def _told_apart(method: str, model: AbstractModel, dead_ends: Function, bad: Function) -> Split:
    space = model.space

    def counts() -> str:
        return f"{space.count(dead_ends):,} dead ends from {space.count(bad):,} bad states"

    if method == DEAD_END:
        return Split(replace(model.view, sets=(*model.view.sets, dead_ends)), counts)
    slots = _separating(method, model, dead_ends, bad)
    names = ", ".join(sorted(name_of(slot) for slot in slots))
    return Split(replace(model.view, slots=model.view.slots | slots), lambda: f"{counts()}, by {names}")


def name_of(slot: Slot) -> str:
    """`x`, or `a[3]`."""
    return slot.variable.name if slot.variable.length is None else f"{slot.variable.name}[{slot.place}]"


def _separating(method: str, model: AbstractModel, dead_ends: Function, bad: Function) -> frozenset[Slot]:
    """Slots by which no dead end looks like a bad state; samples are added until that is so of all of them."""
    slots = [slot for slot in model.space.encoding.fields if slot not in model.view.slots]
    places = {slot: place for place, slot in enumerate(_order(model))}
    samples: list[tuple[State, State]] = []
    chosen: frozenset[Slot] = frozenset()
    while len(samples) < _MOST_SAMPLES:
        pair = _alike(model, chosen, dead_ends, bad)
        if pair is None:
            return chosen
        samples.append(pair)
        choose = _least_cover if method == ILP else _decision_tree
        chosen = frozenset(slots[number] for number in choose([_row(one, slots, places) for one in samples]))
    return frozenset(slots)


def _order(model: AbstractModel) -> Iterator[Slot]:
    """Slots in the order of a valuation."""
    for variable in model.space.system.variables:
        yield from (Slot(variable, place) for place in range(variable.slots))


def _row(pair: tuple[State, State], slots: Sequence[Slot], places: dict[Slot, int]) -> tuple[State, State]:
    """Two states, of the given slots alone."""
    one, other = pair
    return tuple(one[places[slot]] for slot in slots), tuple(other[places[slot]] for slot in slots)


def _alike(
    model: AbstractModel, chosen: frozenset[Slot], dead_ends: Function, bad: Function
) -> tuple[State, State] | None:
    """A dead end and a bad state that look alike by what is visible and chosen; None where there are none."""
    space, diagrams = model.space, model.diagrams
    kept = model.view.slots | chosen
    hidden = diagrams.cube(
        bit for slot, field in space.encoding.fields.items() if slot not in kept for bit in field.now
    )
    both = diagrams.both(diagrams.some(dead_ends, hidden), diagrams.some(bad, hidden))
    if both == diagrams.false:
        return None
    seen = space.member(diagrams.both(dead_ends, both))
    if seen is None:
        return None
    alike = diagrams.some(space.single(seen), hidden)
    other = space.member(diagrams.both(bad, alike))
    return None if other is None else (seen, other)


def _least_cover(samples: Sequence[tuple[State, State]]) -> frozenset[int]:
    """The least number of places such that every pair differs in one of them (1.1), by branch and bound: a pair that is
    not covered yet is covered by one of the places where it differs."""
    differing = [frozenset(n for n, (a, b) in enumerate(zip(*pair, strict=True)) if a != b) for pair in samples]
    every: frozenset[int] = frozenset().union(*differing)
    best = [every]

    def cover(chosen: frozenset[int]) -> None:
        open_pairs = [one for one in differing if not one & chosen]
        if not open_pairs:
            best[0] = chosen if len(chosen) < len(best[0]) else best[0]
            return
        if len(chosen) + 1 >= len(best[0]):
            return
        smallest: frozenset[int] = min(open_pairs, key=len)
        for place in sorted(smallest):
            cover(chosen | {place})

    cover(frozenset())
    return best[0]


def _decision_tree(samples: Sequence[tuple[State, State]]) -> frozenset[int]:
    """The places that a decision tree tests which tells the first states of the pairs from the second ones."""
    examples = [(one, True) for one, _ in samples] + [(other, False) for _, other in samples]
    used: set[int] = set()
    waiting = [examples]
    while waiting:
        here = waiting.pop()
        if len({label for _, label in here}) < 2:
            continue
        place = min(range(len(here[0][0])), key=lambda number: (_disorder(here, number), number))
        parts = _parts(here, place)
        if len(parts) > 1:
            used.add(place)
            waiting += parts
    return frozenset(used)


def _parts(examples: Sequence[tuple[State, bool]], place: int) -> list[list[tuple[State, bool]]]:
    parts: dict[int, list[tuple[State, bool]]] = {}
    for state, label in examples:
        parts.setdefault(state[place], []).append((state, label))
    return list(parts.values())


def _disorder(examples: Sequence[tuple[State, bool]], place: int) -> float:
    """How mixed the examples are, on average, where they agree at a place."""
    total = 0.0
    for part in _parts(examples, place):
        counts = Counter(label for _, label in part)
        total -= sum(count * log2(count / len(part)) for count in counts.values())
    return total
