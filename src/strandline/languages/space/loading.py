"""Lowering of an explicit state space to a System."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import NamedTuple

from strandline.errors import ModelError
from strandline.languages.space.parser import Space, read_space
from strandline.languages.space.scope import SpaceScope
from strandline.model.expression import Expression, Lookup, Read, Table
from strandline.model.measure import Component
from strandline.model.system import Action, Assign, Domain, Predicate, System, Variable
from strandline.model.validate import validate
from strandline.source import Source, Span

STATE, PROGRESS = "state", "progress"


def load(source: Source) -> System:
    """Load the System of a file; raises `ParseError` or `ModelError` with the source position of the mistake."""
    space = read_space(source)
    for name in (STATE, PROGRESS):
        if name in space.propositions:
            message = f"a proposition cannot be called '{name}', which every state space has"
            raise ModelError(message, source, Span(0, 0))
    names = tuple(state.name for state in space.states)
    state = Variable(STATE, Domain(0, len(names) - 1), None, (0,), names)
    here = Read(state)
    progress = Lookup(Table([one.progress for one in space.states]), here)
    propositions: dict[str, Expression] = {
        name: Lookup(Table([int(one.truths[number]) for one in space.states]), here)
        for number, name in enumerate(space.propositions)
    }
    labels = tuple(Predicate(name, expression) for name, expression in propositions.items())
    measure = Component(progress, monotone=_is_monotone(space), name=PROGRESS, source=source)
    system = System.create(
        PurePath(source.name).stem,
        source,
        (state,),
        (),
        tuple(_actions(space, state)),
        labels=labels,
        measures=(measure,),
        scope=SpaceScope(state, {PROGRESS: progress, **propositions}),
    )
    return validate(system)


def _is_monotone(space: Space) -> bool:
    return all(space.states[target].progress >= one.progress for one in space.states for _, target in one.edges)


class _Edges(NamedTuple):
    """One edge of each state, by state index: 1 if the state has the edge, else 0; and the index of its target."""

    there: bytearray
    following: list[int]


def _actions(space: Space, state: Variable) -> Iterator[Action]:
    """Yield the actions: by name, one for the first edge of that name in each state, one for the second, and so on."""
    count, here = len(space.states), Read(state)
    edges: dict[tuple[str, int], _Edges] = {}
    for place, one in enumerate(space.states):
        met: dict[str, int] = {}
        for name, target in one.edges:
            turn = met.get(name, 0)
            met[name] = turn + 1
            found = edges.get((name, turn))
            if found is None:
                found = edges[name, turn] = _Edges(bytearray(count), [0] * count)
            found.there[place] = 1
            found.following[place] = target
    for (name, _), found in sorted(edges.items()):
        guard = Lookup(Table(found.there), here)
        yield Action(name, (), guard, (Assign(here, Lookup(Table(found.following), here)),))
