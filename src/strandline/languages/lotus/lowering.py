"""Semantics of LOTUS: a System without processes.

An edge is an action: its left side is the guard, its right side the effects; variables without an equation on the right
keep their values. There may be several initial states; one without a value for a variable stands for one state for each
value. The transition relation of the thesis is total (docs/papers.md, 004, §1.3.2), so states without a successor have
no meaning there: for CTL they get a self-loop.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from strandline.errors import InputError, ModelError
from strandline.languages.lotus.scope import LotusScope
from strandline.languages.lotus.syntax import Declaration, Edge, Equation, Module, Passage
from strandline.model.expression import Binary, Const, Expression, Read, conjunction
from strandline.model.system import Action, Assign, Claim, Domain, Fairness, System, Variable
from strandline.model.validate import validate
from strandline.source import Span

MOST_INITIAL = 1 << 16
"""The largest number of initial states that a model may have."""


def lower(module: Module) -> System:
    """Lower a module to a System; raises `InputError` with the source position of the first mistake."""
    variables = {one.name: _variable(one) for one in module.variables}
    scope = LotusScope({variables[one.name]: one.type for one in module.variables})
    initial = tuple(dict.fromkeys(_initial(module)))
    system = System.create(
        re.sub(r".*/|\.\w+$", "", module.source.name),
        module.source,
        tuple(variables.values()),
        (),
        tuple(_action(edge, variables) for edge in module.edges),
        fairness=tuple(_fairness(one, scope, module) for one in module.fairness),
        initial=initial,
        scope=scope,
    )
    claims = tuple(Claim("ctl", " ".join(one.text.split()), one.text, span=one.span) for one in module.formulas)
    return validate(replace(system, claims=claims, asks_for_deadlocks=False))


def _variable(declared: Declaration) -> Variable:
    kind = declared.type
    if kind.numbers is not None:
        domain = Domain(min(kind.numbers), max(kind.numbers), tight=True)
        return Variable(declared.name, domain, initial=(kind.numbers[0],), span=declared.span)
    return Variable(declared.name, Domain(0, len(kind.values) - 1, tight=True), names=kind.values, span=declared.span)


def _initial(module: Module) -> Iterator[tuple[int, ...]]:
    types = {one.name: one.type for one in module.variables}
    for state in module.initial:
        given = {one.variable: one.value for one in state}
        values: list[Sequence[int]] = []
        number = 1
        for name, kind in types.items():
            every = range(len(kind.values)) if kind.numbers is None else kind.numbers
            values.append((given[name],) if name in given else every)
            number *= len(values[-1])
            if number > MOST_INITIAL:
                message = f"this stands for more than {MOST_INITIAL} initial states: say what '{name}' is"
                raise ModelError(message, module.source, state[0].span.to(state[-1].span))
        yield from product(*values)


def _equal(equation: Equation, variables: dict[str, Variable]) -> Expression:
    return Binary("==", Read(variables[equation.variable]), Const(equation.value), equation.span)


def _action(edge: Edge, variables: dict[str, Variable]) -> Action:
    guard = conjunction(*(_equal(one, variables) for one in edge.sources))
    effects = tuple(Assign(Read(variables[one.variable]), Const(one.value), one.span) for one in edge.targets)
    return Action(edge.text, (), guard, effects, span=edge.span)


def _fairness(passage: Passage, scope: LotusScope, module: Module) -> Fairness:
    """Parse a fairness condition, where commas mean conjunction and a colon at the beginning is ignored."""
    text = passage.text.replace(",", "&")
    start = passage.span.start
    if text.startswith(":"):
        text = " " + text[1:]
    try:
        condition = scope.parse(text)
    except InputError as error:
        span = passage.span if error.span is None else Span(start + error.span.start, start + error.span.end)
        raise type(error)(error.message, module.source, span) from None
    return Fairness(" ".join(passage.text.split()), condition=condition, span=passage.span)
