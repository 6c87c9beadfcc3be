"""Convert a command's sequential effects to simultaneous updates.

Every effect sees the writes of those before it (see `strandline.model.system`). Here their values are substituted
forward: the result has, for every place that may be written, one expression over the state in which the command begins.
The command faults exactly where one of the expressions that it evaluates has no value; so range and index checks are
part of them, as `Undefined` where they fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from strandline.errors import ResourceError
from strandline.model.expression import (
    INDEX_FAULT,
    RANGE_FAULT,
    Binary,
    Choice,
    Const,
    Element,
    Expression,
    Read,
    Undefined,
    children,
    rebuild,
    upwards,
)
from strandline.model.system import Assign, Domain, Variable, rows
from strandline.source import Span

_WIDEST = 1 << 62


class Slot(NamedTuple):
    """One entry of a valuation: a variable, and the index of its element."""

    variable: Variable
    place: int = 0

    @property
    def value(self) -> Expression:
        """Return the expression that reads the entry."""
        return Read(self.variable) if self.variable.length is None else Element(self.variable, Const(self.place))


@dataclass(frozen=True, slots=True)
class Simultaneous:
    """The simultaneous updates of a command.

    `evaluated` lists all expressions that it evaluates, in order: the first one that faults determines the fault.
    """

    updates: Mapping[Slot, Expression]
    evaluated: tuple[Expression, ...]


def simultaneous(effects: Iterable[Assign]) -> Simultaneous:
    """Convert effects to simultaneous updates. Raises `ResourceError` for a wrapping range that is too wide."""
    return _ForwardSubstitution().run(effects)


class _ForwardSubstitution:
    def __init__(self) -> None:
        self.written: dict[Slot, Expression] = {}
        self.changed: dict[Variable, set[int]] = {}
        self.evaluated: list[Expression] = []

    def run(self, effects: Iterable[Assign]) -> Simultaneous:
        for row in rows(effects):
            made = [(effect, *self._read(effect)) for effect in row]
            for effect, index, value in made:
                self._write(effect.target.variable, index, value)
        return Simultaneous(dict(self.written), tuple(self.evaluated))

    def _read(self, effect: Assign) -> tuple[Expression | None, Expression]:
        """Return the index, if there is one, and the value of an effect, over the state in which the command begins."""
        index = None
        if isinstance(effect.target, Element):
            index = self._checked_index(effect.target)
            self.evaluated.append(index)
        value = _in_domain(self._substitute(effect.value), effect.target.variable.domain, effect.span)
        self.evaluated.append(value)
        return index, value

    def _checked_index(self, target: Element) -> Expression:
        index = self._substitute(target.index)
        if isinstance(index, Const) and 0 <= index.value < target.variable.slots:
            return index
        inside = _between(index, 0, target.variable.slots - 1)
        return Choice(inside, index, Undefined(INDEX_FAULT, target.span))

    def _write(self, variable: Variable, index: Expression | None, value: Expression) -> None:
        if index is None or isinstance(index, Const):
            self._put(Slot(variable, 0 if index is None else index.value), value)
            return
        for place in range(variable.slots):
            slot = Slot(variable, place)
            here = Binary("==", index, Const(place))
            self._put(slot, Choice(here, value, self.written.get(slot, slot.value)))

    def _put(self, slot: Slot, value: Expression) -> None:
        self.written[slot] = value
        self.changed.setdefault(slot.variable, set()).add(slot.place)

    def _substitute(self, expression: Expression) -> Expression:
        """Return the expression's current value, as an expression over the state in which the command begins."""
        if not self.written:
            return expression
        made: dict[int, Expression] = {}
        for node in upwards(expression, made):
            made[id(node)] = self._node(node, [made[id(part)] for part in children(node)])
        return made[id(expression)]

    def _node(self, node: Expression, parts: list[Expression]) -> Expression:
        match node:
            case Read(variable=variable):
                return self.written.get(Slot(variable), node)
            case Element(variable=variable, span=span) if variable in self.changed:
                return self._element(variable, parts[0], span)
        return rebuild(node, parts)

    def _element(self, variable: Variable, index: Expression, span: Span | None) -> Expression:
        """Return an element's value where some elements of its array were written before."""
        if isinstance(index, Const):
            return self.written.get(Slot(variable, index.value), Element(variable, index, span))
        found: Expression = Element(variable, index, span)
        for place in sorted(self.changed[variable], reverse=True):
            found = Choice(Binary("==", index, Const(place)), self.written[Slot(variable, place)], found)
        return found


def _between(value: Expression, low: int, high: int) -> Expression:
    return Binary("and", Binary(">=", value, Const(low)), Binary("<=", value, Const(high)))


def _in_domain(value: Expression, domain: Domain, span: Span | None) -> Expression:
    """Return the value as an assignment stores it: unchanged, wrapped, or undefined."""
    if isinstance(value, Const) and value.value in domain:
        return value
    inside = _between(value, domain.low, domain.high)
    if not domain.wraps:
        return Choice(inside, value, Undefined(RANGE_FAULT, span))
    size = domain.size
    if size > _WIDEST:
        raise ResourceError("a variable wraps around in a range of more than 2^62 values, which is too wide")
    rest = Binary("-", Binary("mod", value, Const(size)), Const(domain.low % size))
    return Choice(inside, value, Binary("+", Binary("mod", rest, Const(size)), Const(domain.low)))
