"""Random logs of random models, and brute force over all runs, written without the code that is tested."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from strandline.compile.interpret import Interpreter, Valuation
from strandline.model.system import System


@dataclass(frozen=True)
class Logged:
    """An event: the name of its action, and values of variables after it, by place in the valuation."""

    node: int
    action: str
    values: tuple[tuple[int, int], ...] = ()

    def fields(self, system: System) -> dict[str, Any]:
        event: dict[str, Any] = {"event": self.action, "node": f"node{self.node}"}
        for slot, value in self.values:
            name, shown = slots(system)[slot]
            event[name] = shown(value)
        return event


def slots(system: System) -> list[tuple[str, Callable[[int], Any]]]:
    """The expression for each place of a valuation, and how its numbers are logged."""
    found: list[tuple[str, Callable[[int], Any]]] = []
    for variable in system.variables:
        if variable.length is None:
            found.append((variable.name, variable.value))
        else:
            found += [(f"{variable.name}[{index}]", variable.value) for index in range(variable.length)]
    return found


@dataclass(frozen=True)
class RandomLog:
    """A log of a model: its events, the actions that it does not have, and how many of these may be in a row."""

    system: System
    events: tuple[Logged, ...]
    unlogged: frozenset[str]
    at_most: int

    def map(self, **further: Any) -> dict[str, Any]:
        hidden = {"unlogged": sorted(self.unlogged), "at_most": self.at_most} if self.unlogged else {}
        return {**hidden, **further}

    def as_fields(self) -> list[dict[str, Any]]:
        return [one.fields(self.system) for one in self.events]


def random_log(random: Random, system: System, length: int = 8, nodes: int = 1) -> RandomLog:
    """The log of a random run, with fields dropped and some actions unlogged."""
    interpreter, names = Interpreter(system), sorted({one.name for one in system.actions})
    unlogged = frozenset(name for name in names if random.random() < 0.2)
    state, events, row, most = random.choice(system.initial), [], 0, 1
    for _ in range(length):
        steps = [one for one in interpreter.all_steps(state) if one.target is not None]
        if not steps:
            break
        step = random.choice(steps)
        assert step.target is not None
        state = step.target
        if unlogged.issuperset(one.name for one in step.actions):
            row += 1
            continue
        most, row = max(most, row), 0
        said = [slot for slot in range(len(state)) if random.random() < 0.3]
        name = random.choice(step.actions).name
        events.append(Logged(random.randrange(nodes), name, tuple((slot, state[slot]) for slot in said)))
    return RandomLog(system, tuple(events), unlogged, most)


def mutated(random: Random, log: RandomLog) -> RandomLog:
    """The log with one value changed, two events swapped, or one event left out or renamed."""
    events = list(log.events)
    place = random.randrange(len(events))
    kind = random.randrange(4)
    if kind == 0 and events[place].values:
        values = list(events[place].values)
        which = random.randrange(len(values))
        slot, value = values[which]
        variable = next(one for one, first in reversed(list(log.system.offsets.items())) if first <= slot)
        near = [one for one in (value - 1, value + 1, 0, variable.domain.high) if one in variable.domain]
        values[which] = slot, random.choice(near)
        events[place] = replace(events[place], values=tuple(values))
    elif kind == 1 and place + 1 < len(events):
        events[place : place + 2] = events[place + 1], events[place]
    elif kind == 2 and len(events) > 1:
        del events[place]
    else:
        events[place] = replace(events[place], action=random.choice(log.system.actions).name)
    return replace(log, events=tuple(events))


def is_behaviour(log: RandomLog) -> bool:
    """Brute force: whether some run of the model has the events, by a search over all runs."""
    return any(_continues(log, Interpreter(log.system), [log.events], (0,), state, 0) for state in log.system.initial)


def is_some_linearisation(log: RandomLog, needs: Sequence[Sequence[dict[int, int]]]) -> bool:
    """Brute force for several nodes: whether some order of the events that `needs` allows is one of a run."""
    every = [[one for one in log.events if one.node == node] for node in range(len(needs))]
    interpreter, start = Interpreter(log.system), (0,) * len(every)
    return any(_continues(log, interpreter, every, start, state, 0, needs) for state in log.system.initial)


def _continues(
    log: RandomLog,
    interpreter: Interpreter,
    nodes: Sequence[Sequence[Logged]],
    places: tuple[int, ...],
    state: Valuation,
    quota: int,
    needs: Sequence[Sequence[dict[int, int]]] | None = None,
) -> bool:
    if all(place == len(events) for place, events in zip(places, nodes, strict=True)):
        return True
    for step in interpreter.all_steps(state):
        target = step.target
        if target is None:
            continue
        names = {one.name for one in step.actions}
        hidden = quota < log.at_most and names <= log.unlogged
        if hidden and _continues(log, interpreter, nodes, places, target, quota + 1, needs):
            return True
        for node in _ready(nodes, places, needs):
            event = nodes[node][places[node]]
            if event.action in names and all(target[slot] == value for slot, value in event.values):
                after = (*places[:node], places[node] + 1, *places[node + 1 :])
                if _continues(log, interpreter, nodes, after, target, 0, needs):
                    return True
    return False


def _ready(nodes: Any, places: tuple[int, ...], needs: Any) -> Iterator[int]:
    for node, place in enumerate(places):
        if place < len(nodes[node]):
            wanted = {} if needs is None else needs[node][place]
            if all(places[other] >= count for other, count in wanted.items()):
                yield node
