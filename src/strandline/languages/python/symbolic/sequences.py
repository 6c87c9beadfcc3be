"""What can be gone through one by one: generators, what a loop runs over, and the names that are bound on the way."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from strandline.languages.python.runtime.types import ArrayType, BagType, FifoType, SetType
from strandline.languages.python.symbolic.reading import Reader
from strandline.languages.python.symbolic.values import GroupValue, Place, Rounds, Unbound, Upcoming, describe
from strandline.languages.symbolic.building import both, implies
from strandline.languages.symbolic.execution import Refused
from strandline.model.expression import FALSE, TRUE, Const, Expression

STARRED = "'*' cannot be used here; write the values one by one"


def generated(
    reader: Reader,
    node: ast.GeneratorExp | ast.ListComp,
    *,
    filtered: bool,
    goes_on: Callable[[Any], Expression] | None = None,
) -> list[tuple[Any, Expression]]:
    """The values that a generator gives, each with the condition of its `if`. `goes_on`: whether the next is
    asked for after one."""
    found: list[tuple[Any, Expression]] = []
    outer = dict(reader.machine.frame)
    asked: Expression = TRUE

    def run(generators: list[ast.comprehension], condition: Expression) -> None:
        nonlocal asked
        if not generators:
            value = reader.under(both(asked, condition), reader.loaded, node.elt)
            found.append((value, condition))
            if goes_on is not None:
                asked = both(asked, implies(condition, goes_on(value)))
            return
        first = generators[0]
        for item in sequence(reader, first.iter):
            bind(reader, first.target, item)
            test = condition
            for clause in first.ifs:
                test = both(test, reader.under(both(asked, test), reader.truth, clause))
            if test == FALSE:
                continue
            if test != TRUE and not filtered:
                reader.text.fail(
                    "a condition of a list must be known beforehand; 'sum(1 for ... if ...)' tells how many it has",
                    first.ifs[0],
                )
            run(generators[1:], test)

    run(node.generators, TRUE)
    reader.machine.frame = outer
    return found


def sequence(reader: Reader, node: ast.expr) -> list[Any]:
    """What a loop runs over; it must be known beforehand."""
    value = reader.value(node)
    found = parts(reader, value)
    if found is not None:
        reader.computed(value)
        return found
    match value:
        case Place(kind=BagType() | FifoType() | SetType()):
            reader.text.fail(
                "what a container holds is not known beforehand; loop over range(...) and test with 'in', or "
                'take it as a parameter: x: any_of("...")',
                node,
            )
    reader.text.fail(f"a loop needs range(...), processes, an Array or a tuple, not {describe(value)}", node)


def parts(reader: Reader, value: Any) -> list[Any] | None:
    """What a value consists of, in order; None where that is not known beforehand."""
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


def unpacked(reader: Reader, value: Any, targets: list[ast.expr]) -> list[Any]:
    """The values for several targets."""
    found = parts(reader, value)
    if any(isinstance(target, ast.Starred) for target in targets):
        raise Refused(STARRED)
    if found is None or len(found) != len(targets):
        raise Refused(f"{len(targets)} values are needed here, not {describe(value)}")
    return [reader.machine.load(part) for part in found]


def bind(reader: Reader, target: ast.expr, value: Any) -> None:
    """Set the variable of a loop."""
    if isinstance(value, Unbound):
        reader.text.fail(value.reason, target)
    value = reader.machine.load(value)
    match target:
        case ast.Name(id=name):
            reader.machine.frame[name] = value
        case ast.Tuple(elts=targets):
            try:
                values = unpacked(reader, value, targets)
            except Refused as refusal:
                reader.text.fail(str(refusal), target)
            for inner, one in zip(targets, values, strict=True):
                bind(reader, inner, one)
        case _:
            reader.text.fail("a loop's variable must be a name, or names for the parts of a tuple", target)
