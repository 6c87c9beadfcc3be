"""The built-in functions that an action can call."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from strandline.languages.python.runtime import faults
from strandline.languages.python.runtime.steps import enabled
from strandline.languages.python.runtime.types import ArrayType, RecordType
from strandline.languages.python.symbolic_execution.coding import as_truth, number, optional, truth
from strandline.languages.python.symbolic_execution.containers import length
from strandline.languages.python.symbolic_execution.equality import same_value
from strandline.languages.python.symbolic_execution.reader import Reader
from strandline.languages.python.symbolic_execution.sequences import make_list, sequence, unroll_generator
from strandline.languages.python.symbolic_execution.values import (
    INT,
    ActionValue,
    GroupValue,
    Listing,
    Member,
    Place,
    Rounds,
    Symbol,
)
from strandline.languages.symbolic_execution.building import (
    ROW,
    add,
    all_of,
    any_of,
    choose,
    conjoin,
    disjoin,
    implies,
    join_with,
    negate,
)
from strandline.languages.symbolic_execution.execution import Refused
from strandline.model.expression import FALSE, TRUE, Binary, Const, Expression, Unary
from strandline.model.system import Action
from strandline.transform.history import Steps


def taken(action: Any) -> bool:
    """Return True if the last step took the action; for formulas and questions about a model only.

    Plain Python states do not record their last step, so calling it raises `TypeError`.
    """
    raise TypeError("taken is for formulas and questions, not for functions")


def _range(reader: Reader, node: ast.Call) -> range:
    bounds = [reader.machine.load(reader.value(one)) for one in node.args]
    for bound, place in zip(bounds, node.args, strict=True):
        if not isinstance(bound, int):
            reader.text.fail(
                "the bounds of a loop must be known beforehand; loop over the largest range and put an 'if' inside",
                place,
            )
    return range(*bounds)


def _items(
    reader: Reader, node: ast.Call, name: str, goes_on: Callable[[Any], Expression] | None = None
) -> list[tuple[Any, Expression]]:
    """Return the values that an aggregate such as `sum` is applied to, each with the condition that it is present.

    `goes_on` maps a value to the condition under which the function asks a generator for the next value.
    """
    match node.args:
        case [ast.GeneratorExp() as generator]:
            return unroll_generator(reader, generator, goes_on=goes_on)
        case [argument]:
            return [
                (one.value, one.present) if isinstance(one, Member) else (reader.machine.load(one), TRUE)
                for one in sequence(reader, argument)
            ]
        case [_, *_] if name in ("min", "max"):
            return [(value, TRUE) for value in reader.in_order(node.args)]
    raise Refused(f"write {name}(... for ... in ...)")


def _refuse_keywords(node: ast.Call, name: str, *allowed: str) -> None:
    for keyword in node.keywords:
        if keyword.arg not in allowed:
            raise Refused(f"{name} cannot take '{keyword.arg or '**'}' here")


def _reverse(reader: Reader, node: ast.Call) -> Rounds:
    _refuse_keywords(node, "reversed")
    if len(node.args) != 1:
        raise Refused("reversed takes one range, Array, tuple or class of processes")
    items = reversed(sequence(reader, node.args[0]))
    return Rounds(tuple(replace(one, place=None) if isinstance(one, Member) else one for one in items))


def _enumerate(reader: Reader, node: ast.Call) -> Rounds:
    _refuse_keywords(node, "enumerate", "start")
    given = [*node.args[1:], *(one.value for one in node.keywords)]
    if not node.args or len(given) > 1:
        raise Refused("write enumerate(...) or enumerate(..., start)")
    items = _require_static(sequence(reader, node.args[0]), "enumerate")
    start = reader.value(given[0]) if given else 0
    if not isinstance(start, int):
        raise Refused("enumerate must start at a number that is known beforehand")
    return Rounds(tuple(_combine((number, item)) for number, item in enumerate(items, start)))


def _zip(reader: Reader, node: ast.Call) -> Rounds:
    _refuse_keywords(node, "zip", "strict")
    strict = any(reader.value(one.value) is True for one in node.keywords)
    columns = [_require_static(sequence(reader, one), "zip") for one in node.args]
    lengths = sorted({len(column) for column in columns})
    if strict and any(isinstance(one, Member) for column in columns for one in column):
        raise Refused("strict=True needs lengths that are known beforehand; a container has none")
    if strict and len(lengths) > 1:
        raise Refused(
            f"zip(..., strict=True) needs equal lengths, and these have {lengths[0]} and {lengths[-1]} values"
        )
    return Rounds(tuple(map(_combine, zip(*columns, strict=False))))


def _require_static(items: list[Any], name: str) -> list[Any]:
    """Return the items; raise `Refused` if the position of an item is not known statically."""
    if any(isinstance(one, Member) and one.place is None for one in items):
        raise Refused(f"{name} cannot number the values of a Set or a filtered list; count in a variable of your own")
    return items


def _combine(items: tuple[Any, ...]) -> Any:
    """Combine several items into one, which is present where all of them are."""
    present = all_of(one.present for one in items if isinstance(one, Member))
    values = tuple(one.value if isinstance(one, Member) else one for one in items)
    places = [one.place for one in items if isinstance(one, Member)]
    return Member(present, values, places[0]) if places else values


def _next(reader: Reader, node: ast.Call) -> Any:
    """Evaluate `next((... for ... if ...), default)`."""
    match node:
        case ast.Call(args=[ast.GeneratorExp() as generator, default], keywords=[]):
            (result,) = reader.in_order([default])
            reader.record_risks(result)
            items = unroll_generator(reader, generator, goes_on=lambda value: FALSE)
            for value, condition in reversed(items):
                result = reader.machine.join(condition, value, result)
            return result
    raise Refused("write next((... for ... in ... if ...), default)")


def _list(reader: Reader, node: ast.Call) -> Any:
    """Evaluate `list(...)` or `tuple(...)`, for assignment to an Array or a container."""
    _refuse_keywords(node, "list")
    if len(node.args) != 1:
        raise Refused("write the values one by one: [a, b]")
    return make_list(_items(reader, node, "list"))


def _all(reader: Reader, node: ast.Call) -> Any:
    _refuse_keywords(node, "all")
    items = _items(reader, node, "all", truth)
    return as_truth(all_of(implies(condition, truth(value)) for value, condition in items))


def _any(reader: Reader, node: ast.Call) -> Any:
    _refuse_keywords(node, "any")
    items = _items(reader, node, "any", lambda value: negate(truth(value)))
    return as_truth(any_of(conjoin(condition, truth(value)) for value, condition in items))


def _count(reader: Reader, node: ast.Call) -> Any:
    return _total([conjoin(condition, truth(value)) for value, condition in _items(reader, node, "count")])


def _sum(reader: Reader, node: ast.Call) -> Any:
    _refuse_keywords(node, "sum")
    items, span = _items(reader, node, "sum"), reader.text.span(node)
    return _total([choose(condition, number(value, span), FALSE) for value, condition in items])


def _total(parts: list[Expression]) -> Any:
    constant = sum(part.value for part in parts if isinstance(part, Const))
    others = [part for part in parts if not isinstance(part, Const)]
    return Symbol(INT, add(join_with("+", others), constant)) if others else constant


def _extreme(name: str, symbol: str) -> Callable[[Reader, ast.Call], Any]:
    def extreme(reader: Reader, node: ast.Call) -> Any:
        _refuse_keywords(node, name, "default")
        default = reader.in_order([one.value for one in node.keywords])
        reader.record_risks(tuple(default))
        items, span = _items(reader, node, name), reader.text.span(node)
        if not items or any(condition != TRUE for _, condition in items):
            if not default:
                raise Refused(f"{name} may find no value here; give it one for that case: default=...")
            return reader.machine.join(*best_where([(number(value, span), test) for value, test in items]), default[0])
        values = [value for value, _ in items]
        if all(isinstance(value, int) for value in values):
            return min(values) if name == "min" else max(values)
        return Symbol(INT, best([number(value, span) for value in values]))

    def best_where(items: list[tuple[Expression, Expression]]) -> tuple[Expression, Any]:
        """Return the condition that some value is present, and the best of the values that are."""
        found: Expression = FALSE
        chosen: Expression = FALSE
        for value, condition in items:
            better = conjoin(condition, disjoin(negate(found), Binary(symbol, value, chosen)))
            found, chosen = disjoin(found, condition), choose(better, value, chosen)
        return found, Symbol(INT, chosen)

    def best(values: list[Expression]) -> Expression:
        """Return the best of the values; many are compared in a balanced tree."""
        if len(values) == 1:
            return values[0]
        middle = len(values) // 2 if len(values) > ROW else len(values) - 1
        first, second = best(values[:middle]), best(values[middle:])
        return choose(Binary(symbol, first, second), first, second)

    return extreme


def _require(reader: Reader, arguments: list[Any], span: Any) -> None:
    if len(arguments) != 1:
        raise Refused("require takes one condition")
    reader.machine.require(truth(arguments[0]))


def _len(reader: Reader, node: ast.Call) -> Any:
    match node.args:
        case [ast.SetComp() as comprehension]:
            return _total(_distinct_conditions(reader, unroll_generator(reader, comprehension), reader.text.span(node)))
    match reader.in_order(node.args):
        case [Listing(members=members) as value]:
            reader.record_risks(value)
            return _total([one.present for one in members])
        case [tuple() | range() as value]:
            return len(value)
        case [GroupValue(count=count)]:
            return count
        case [Place(kind=ArrayType(length=size))]:
            return size
        case [Place() as place] if not isinstance(place.kind, RecordType):
            return Symbol(INT, length(reader.machine, place))
    raise Refused("len needs a container")


def _distinct_conditions(reader: Reader, items: list[tuple[Any, Expression]], span: Any) -> list[Expression]:
    """Return for each value the condition that it is present and differs from all before it."""
    found: list[Expression] = []
    for position, (value, condition) in enumerate(items):
        reader.record_risks(optional(condition, value))
        repeated = (
            conjoin(earlier, same_value(reader.machine, other, value, span)) for other, earlier in items[:position]
        )
        found.append(conjoin(condition, negate(any_of(repeated))))
    return found


def _abs(reader: Reader, arguments: list[Any], span: Any) -> Any:
    (value,) = arguments
    if isinstance(value, int):
        return abs(value)
    expression = number(value, span)
    return Symbol(INT, choose(Binary("<", expression, FALSE), Unary("-", expression, span), expression))


def _int(reader: Reader, arguments: list[Any], span: Any) -> Any:
    (value,) = arguments
    return int(value) if isinstance(value, int) else Symbol(INT, number(value, span))


def _bool(reader: Reader, arguments: list[Any], span: Any) -> Any:
    (value,) = arguments
    if isinstance(value, int):
        return bool(value)
    return as_truth(Binary("!=", number(value, span), FALSE))


def _enabled_call(reader: Reader, arguments: list[Any], span: Any) -> Any:
    steps, (_, actions) = _steps(reader, "enabled"), _action_named(reader, arguments, "enabled")
    return as_truth(steps.enabled_expression(actions))


def _taken_call(reader: Reader, arguments: list[Any], span: Any) -> Any:
    steps, (title, actions) = _steps(reader, "taken"), _action_named(reader, arguments, "taken")
    return as_truth(steps.taken_expression(title, actions))


def _steps(reader: Reader, name: str) -> Steps:
    if reader.structure.steps is None:
        raise Refused(f"'{name}' is for claims only; in an action, write require(...) with the condition")
    return reader.structure.steps


def _action_named(reader: Reader, arguments: list[Any], name: str) -> tuple[str, tuple[Action, ...]]:
    """Return the title of the action in the arguments, and the System's actions that come from it."""
    match arguments:
        case [ActionValue() as action]:
            title = reader.structure.action_title(action)
            return title, reader.structure.actions.get(title, ())
    raise Refused(f"{name} asks for an action, as in {name}(m.P[0].enter)")


UNEVALUATED: dict[Any, Callable[[Reader, ast.Call], Any]] = {
    range: _range,
    all: _all,
    any: _any,
    enumerate: _enumerate,
    zip: _zip,
    reversed: _reverse,
    next: _next,
    list: _list,
    tuple: _list,
    faults.count: _count,
    len: _len,
    sum: _sum,
    min: _extreme("min", "<="),
    max: _extreme("max", ">="),
}
"""Functions that evaluate their arguments themselves."""
EVALUATED: dict[Any, Callable[[Reader, list[Any], Any], Any]] = {
    faults.require: _require,
    enabled: _enabled_call,
    taken: _taken_call,
    abs: _abs,
    int: _int,
    bool: _bool,
}
"""Functions that are called with evaluated arguments."""
