"""Expressions over a finished System, in DVE: invariants, goals and measures that do not stand in the
model."""

from __future__ import annotations

from dataclasses import replace

from strandline.languages.dve.declarations import Declarations
from strandline.languages.dve.expressions import ExpressionParser
from strandline.languages.dve.lexer import Tokens
from strandline.languages.dve.parser import Parser
from strandline.languages.dve.scope import Channel, Constant, ProcessSymbol, Scope
from strandline.model.expression import Expression
from strandline.model.system import System, Variable
from strandline.source import Source


def parse_expression(text: str, system: System, *, name: str = "expression") -> Expression:
    """The expression, over the System's own variables.

    It may use `x`, `a[2]`, `P.state` (1 or 0), `P.x` and `P->x`, `c.length` and `c.0[i]` of a buffered
    channel, and the model's constants. Raises `ParseError` or `ModelError` that point into a source called
    `name`. It is stricter than a model file in one point, `a or b and c` and `not a == b` need parentheses.
    """
    tokens = Tokens(Source(name, text))
    expression, _ = ExpressionParser(tokens, strict=True).parse(0, _scope(system), "")
    return expression


def _scope(system: System) -> Scope:
    """All names of a System."""
    root = Scope.root()
    for variable in system.variables:
        if variable.owner is None and "." not in variable.name:
            root.declare(variable.name, variable)
    for name, channel in _buffers(system).items():
        root.declare(name, channel)
    locations = [process.location for process in system.processes]
    if system.observer is not None:
        locations.append(system.observer.location)
    for location in locations:
        root.declare(
            location.name, ProcessSymbol.create(location.name, location, _members(system, location.name))
        )
    _declare_constants(system, root)
    return root


def _members(system: System, process: str) -> Scope:
    scope, prefix = Scope(), f"{process}."
    for variable in system.variables:
        if variable.owner == process and variable.name.startswith(prefix):
            scope.declare(variable.name.removeprefix(prefix), variable)
    return scope


def _buffers(system: System) -> dict[str, Channel]:
    """The buffered channels, found again by the names of their variables: `c.length`, `c.0`, `c.1`, ..."""
    buffers: dict[str, Channel] = {}
    for variable in system.variables:
        name, _, part = variable.name.rpartition(".")
        if variable.owner is None and part == "length":
            fields: list[Variable] = []
            while (field := system.by_name.get(f"{name}.{len(fields)}")) is not None:
                fields.append(field)
            buffers[name] = Channel(name, None, fields[0].slots if fields else 0, tuple(fields), variable)
    return buffers


def _declare_constants(system: System, root: Scope) -> None:
    """Constants are no part of a System; they are read again from its text."""
    if "const" not in system.source.text:
        return
    tokens = Tokens(system.source)
    declarations = Declarations(tokens, Parser(tokens).model(), ExpressionParser(tokens))
    scopes = [(declarations.root, root)]
    for process in declarations.processes:
        symbol = root.symbols.get(process.name)
        if isinstance(symbol, ProcessSymbol):
            scopes.append((process.scope, symbol.scope))
    for declared, scope in scopes:
        for name, constant in declared.symbols.items():
            if isinstance(constant, Constant):
                scope.declare(name, replace(constant, table=system.by_name.get(constant.name)))
