"""Iteration: generators, iterables of loops, and binding of loop variables."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from strandline.languages.python.runtime.types import ArrayType, BagType, FifoType, SetType
from strandline.languages.python.symbolic_execution.containers import members, range_check
from strandline.languages.python.symbolic_execution.reader import Reader
from strandline.languages.python.symbolic_execution.values import (
    Contents,
    GroupValue,
    Listing,
    Member,
    Place,
    Rounds,
    Unbound,
    Upcoming,
    describe,
)
from strandline.languages.symbolic_execution.building import conjoin, implies
from strandline.languages.symbolic_execution.execution import Refused
from strandline.model.expression import FALSE, TRUE, Const, Expression

STARRED = "'*' cannot be used here; write the values one by one"


def unroll_generator(
    reader: Reader,
    node: ast.GeneratorExp | ast.ListComp | ast.SetComp,
    *,
    goes_on: Callable[[Any], Expression] | None = None,
) -> list[tuple[Any, Expression]]:
    """Return the values of a generator, each with the condition under which it is produced.

    `goes_on` maps a value to the condition under which the consumer asks for the next value.
    """
    found: list[tuple[Any, Expression]] = []
    outer = dict(reader.machine.frame)
    asked: Expression = TRUE

    def run(generators: list[ast.comprehension], condition: Expression) -> None:
        nonlocal asked
        if not generators:
            value = reader.under(conjoin(asked, condition), reader.load, node.elt)
            found.append((value, condition))
            if goes_on is not None:
                # The consumer goes on unless a value that was produced has ended it, as in `any` and `next`.
                asked = conjoin(asked, implies(condition, goes_on(value)))
            return
        first = generators[0]
        for item in sequence(reader, first.iter):
            test, value = (
                (conjoin(condition, item.present), item.value) if isinstance(item, Member) else (condition, item)
            )
            bind(reader, first.target, value)
            for clause in first.ifs:
                test = conjoin(test, reader.under(conjoin(asked, test), reader.truth, clause))
            if test == FALSE:
                continue
            run(generators[1:], test)

    run(node.generators, TRUE)
    # Generators have a scope of their own: their variables end with them.
    reader.machine.frame = outer
    return found


def sequence(reader: Reader, node: ast.expr) -> list[Any]:
    """Return the items of an iterable: values, and a `Member` for each value that may be absent."""
    value = reader.value(node)
    found = parts(reader, value)
    if found is not None:
        reader.record_risks(value)
        return found
    match value:
        case Place(kind=BagType() | FifoType() | SetType()):
            reader.machine.execution.note(range_check(value, reader.text.span(node)))
            return [*members(reader.machine, value)]
        case Contents():
            return [*members(reader.machine, value)]
        case Listing():
            reader.record_risks(value)
            return [*value.members]
    wanted = "range(...), processes, an Array, a container or a tuple"
    reader.text.fail(f"a loop needs {wanted}, not {describe(value)}", node)


def parts(reader: Reader, value: Any) -> list[Any] | None:
    """Return the items of a value in order; None if it does not have a statically known number of items."""
    match value:
        case tuple() | range():
            return list(value)
        case GroupValue(group=group):
            return list(reader.structure.members(group))
        case Rounds(items=items):
            return list(items)
        case Place(kind=ArrayType(length=length)):
            return [Upcoming(value.element(Const(index))) for index in range(length)]
    return None


def make_list(items: list[tuple[Any, Expression]]) -> Any:
    """Return a list of values with their conditions: a tuple if all are statically present, else a `Listing`."""
    if all(condition == TRUE for _, condition in items):
        return tuple(value for value, _ in items)
    return Listing(tuple(Member(condition, value) for value, condition in items))


def unpack(reader: Reader, value: Any, targets: list[ast.expr]) -> list[Any]:
    """Return the items of `value`, one for each of several assignment targets."""
    found = parts(reader, value)
    if any(isinstance(target, ast.Starred) for target in targets):
        raise Refused(STARRED)
    if found is None or len(found) != len(targets):
        raise Refused(f"{len(targets)} values are needed here, not {describe(value)}")
    return [reader.machine.load(part) for part in found]


def bind(reader: Reader, target: ast.expr, value: Any) -> None:
    """Bind the loop variable `target`, or a tuple of them, to an item."""
    if isinstance(value, Unbound):
        reader.text.fail(value.reason, target)
    value = reader.machine.load(value)
    match target:
        case ast.Name(id=name):
            reader.machine.frame[name] = value
        case ast.Tuple(elts=targets):
            try:
                values = unpack(reader, value, targets)
            except Refused as refusal:
                reader.text.fail(str(refusal), target)
            for inner, one in zip(targets, values, strict=True):
                bind(reader, inner, one)
        case _:
            reader.text.fail("a loop's variable must be a name, or names for the parts of a tuple", target)
