"""Lowering of a network to a System.

One process for each component, and one action for each combination of transitions with which the participants of a rule
can move together. There are no data variables.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from pathlib import PurePath

from strandline.errors import ModelError
from strandline.languages.process.composition import Component, Network, Rule
from strandline.languages.process.lts import Transition
from strandline.model.expression import Const, Read
from strandline.model.system import Action, Assign, Domain, Move, Process, System, Variable
from strandline.source import Source

MAXIMUM_ACTIONS = 100_000
"""The most actions of a System; each becomes machine code of its own."""


def lower(source: Source, network: Network) -> System:
    """Lower a network with at least one component; raises `ModelError` if it has too many actions."""
    locations = [_location(component) for component in network.components]
    actions = _actions(source, network, locations)
    return System.create(
        PurePath(source.name).stem,
        source,
        tuple(locations),
        tuple(
            Process(component.name, location, span=component.span)
            for component, location in zip(network.components, locations, strict=True)
        ),
        tuple(actions),
    )


def _location(component: Component) -> Variable:
    return Variable(
        component.name,
        Domain(0, len(component.lts.states) - 1),
        None,
        (component.lts.initial,),
        names=component.lts.states,
        owner=component.name,
        span=component.span,
    )


def _actions(source: Source, network: Network, locations: list[Variable]) -> list[Action]:
    tables = [component.lts.by_label() for component in network.components]
    found: dict[tuple[str, tuple[Move, ...]], Action] = {}
    for rule in network.rules:
        choices = [tables[component].get(label, []) for component, label in rule.parts]
        if len(found) + prod(map(len, choices)) > MAXIMUM_ACTIONS:
            raise ModelError(_too_many(rule, choices), source, network.components[rule.parts[0][0]].span)
        for moves in _moves(rule, choices):
            # Renaming can give two rules the same name and the same moves: that is one transition.
            if (rule.label, moves) not in found:
                found[rule.label, moves] = Action(rule.title, moves, None, _effects(moves, locations))
    return list(found.values())


def _moves(rule: Rule, choices: list[list[Transition]]) -> Iterator[tuple[Move, ...]]:
    for combination in product(*choices):
        yield tuple(
            Move(component, transition.source, transition.target)
            for (component, _), transition in zip(rule.parts, combination, strict=True)
        )


def _effects(moves: tuple[Move, ...], locations: list[Variable]) -> tuple[Assign, ...]:
    return tuple(
        Assign(Read(locations[move.process]), Const(move.target)) for move in moves if move.source != move.target
    )


def _too_many(rule: Rule, choices: list[list[Transition]]) -> str:
    factors = " x ".join(str(len(transitions)) for transitions in choices)
    return (
        f"the system has more than {MAXIMUM_ACTIONS} actions: '{rule.title}' alone joins its participants' "
        f"transitions in {factors} ways"
    )
