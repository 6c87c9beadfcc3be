"""The channels that variables can hold: a flow-insensitive analysis of what is assigned, passed and sent."""

from __future__ import annotations

from collections.abc import Iterator

from strandline.languages.promela.control import Automaton
from strandline.languages.promela.instances import run_of
from strandline.languages.promela.syntax import (
    Assignment,
    Conditional,
    Declaration,
    Expr,
    Program,
    Receive,
    Reference,
    Send,
    Statement,
)


def leaf_declaration(reference: Reference) -> Declaration | None:
    """Return the declaration of the part that a reference means."""
    declaration = reference.declaration
    for name, _, _ in reference.fields:
        if declaration.structure is None:
            return None
        found = next((one for one in declaration.structure.fields if one.name == name), None)
        if found is None:
            return None
        declaration = found
    return declaration


def assigned_channels(program: Program, automata: dict[str, Automaton]) -> set[Declaration]:
    """Return the channel variables that can hold something else than their own channel."""
    found = {one for proctype in program.proctypes.values() for one in proctype.parameters if one.type == "chan"}
    for statement in _statements(automata):
        match statement:
            case Assignment(target=target) if target.declaration.type == "chan":
                found.add(target.declaration)
            case Receive(arguments=arguments):
                for one in arguments:
                    if one.kind == "set" and isinstance(one.expression, Reference):
                        found.add(one.expression.declaration)
    return {one for one in found if one.type == "chan"}


def channel_targets(program: Program, automata: dict[str, Automaton]) -> dict[Declaration, set[Declaration]]:
    """Return for each channel variable, parameter and field the declarations of the channels that it can hold."""
    targets: dict[Declaration, set[Declaration]] = {}
    for one in _declarations(program):
        if one.channel is not None:
            targets[one] = {one}
    edges = list(_statements(automata))
    changed = True
    while changed:
        before = sum(map(len, targets.values()))
        for statement in edges:
            for target, source in list(_flows(statement, program, targets)):
                targets.setdefault(target, set()).update(targets.get(source, ()))
        for one in _declarations(program):
            if one.type == "chan" and isinstance(one.initial, Reference):
                initial = leaf_declaration(one.initial)
                if initial is not None:
                    targets.setdefault(one, set()).update(targets.get(initial, ()))
        changed = sum(map(len, targets.values())) != before
    return targets


def _declarations(program: Program) -> Iterator[Declaration]:
    yield from program.variables
    for proctype in program.proctypes.values():
        yield from proctype.variables


def _statements(automata: dict[str, Automaton]) -> Iterator[Statement]:
    for automaton in automata.values():
        for steps in automaton.steps.values():
            for one in steps:
                if one.element.statement is not None:
                    yield one.element.statement


def _sources(expression: Expr) -> Iterator[Declaration]:
    match expression:
        case Reference():
            found = leaf_declaration(expression)
            if found is not None:
                yield found
        case Conditional(then=then, otherwise=otherwise):
            yield from _sources(then)
            yield from _sources(otherwise)


def _flows(
    statement: Statement, program: Program, targets: dict[Declaration, set[Declaration]]
) -> Iterator[tuple[Declaration, Declaration]]:
    """Yield pairs of a target and a source of channels."""
    run = run_of(statement)
    if run is not None and run.name in program.proctypes:
        for parameter, argument in zip(program.proctypes[run.name].parameters, run.arguments, strict=False):
            for source in _sources(argument):
                yield parameter, source
    match statement:
        case Assignment(target=target, value=value):
            place = leaf_declaration(target)
            for source in _sources(value):
                if place is not None:
                    yield place, source
        case Send(channel=channel, arguments=arguments):
            for fields in _fields(channel, targets):
                for field, argument in zip(fields, arguments, strict=False):
                    for source in _sources(argument):
                        yield field, source
        case Receive(channel=channel, arguments=received):
            for fields in _fields(channel, targets):
                for field, one in zip(fields, received, strict=False):
                    if isinstance(one.expression, Reference) and one.kind == "set":
                        place = leaf_declaration(one.expression)
                        if place is not None:
                            yield place, field


def _fields(channel: Reference, targets: dict[Declaration, set[Declaration]]) -> Iterator[list[Declaration]]:
    place = leaf_declaration(channel)
    for one in list(targets.get(place, ())) if place is not None else []:
        if one.channel is not None:
            yield one.channel.fields
