"""One step under symbolic execution: the state, the way taken so far, what it requires and what may go wrong on it.

A front end executes the statements of its language on an `Execution`: it reads through the `store`, writes, requires
and branches, and says with `note` which expressions are evaluated and may fault. `finish` then gives the guard, and
`store.effects` are the assignments. All conditions are over the state before the step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

from strandline.languages.symbolic_execution.building import (
    all_of,
    both,
    either,
    evaluates,
    fits,
    implies,
    may_fault,
    negate,
)
from strandline.languages.symbolic_execution.store import Store
from strandline.model.expression import (
    DEEPEST,
    FALSE,
    LOGICAL,
    RANGE_FAULT,
    TRUE,
    Binary,
    Choice,
    Element,
    Expression,
    Undefined,
    children,
    depth,
    size,
    walk,
)
from strandline.model.system import Variable
from strandline.source import Span

_Result = TypeVar("_Result")

_LARGEST = 50_000
"""Most nodes of one expression, shared parts counted once."""
TOO_INVOLVED = (
    "too many branches depend on each other here; split the action in two, or let a variable of the model hold the "
    "result in between"
)
TOO_DEEP = (
    "a value is computed from itself in too many rounds here; let several actions do it, or a variable of the model "
    "hold the result in between"
)


class Refused(Exception):
    """A program cannot be executed so; the message says what to write instead. Who reads the text adds the place."""


@dataclass(slots=True)
class Execution:
    """See the module's docstring."""

    store: Store = field(default_factory=Store)
    guards: list[Expression] = field(default_factory=list)
    """What must hold before the step."""
    path: list[Expression] = field(default_factory=list)
    """Conditions of the branches that are being executed."""
    risks: list[tuple[Expression, Expression]] = field(default_factory=list)
    """What may fault: as it was evaluated, and as a condition before the step."""
    late: list[Expression] = field(default_factory=list)
    """Faults that count only where the step is enabled."""

    def write(self, variable: Variable, index: Expression, value: Expression, span: Span | None) -> None:
        """Assign; what does not fit in the end is a fault of the step, even where it is overwritten."""
        limit(value)
        limit(index)
        self.note(value)
        if variable.length is not None:
            self.note(Element(variable, index, span))
        domain = variable.domain
        for lost in self.store.write(variable, index, value, span):
            inside = fits(lost.value, domain.low, domain.high)
            if inside != TRUE:
                self.late.append(self.here(either(inside, Undefined(RANGE_FAULT, lost.span))))

    def note(self, expression: Expression) -> None:
        """The expression is evaluated here; remember it where that may fault."""
        if may_fault(expression):
            self.risks.append((expression, self.here(evaluates(expression))))

    def require(self, condition: Expression) -> None:
        """The step is enabled only where this holds; what may fault before it comes first."""
        self._flush_risks()
        guard = self.here(condition)
        limit(guard)
        if guard != TRUE:
            self.guards.append(guard)

    def here(self, condition: Expression) -> Expression:
        """A condition that matters only on the present way, over the state before the step."""
        for test in reversed(self.path):
            condition = implies(test, condition)
        return self.store.before(condition)

    def under(self, condition: Expression, run: Callable[[], _Result]) -> _Result:
        """Run what happens only where a condition holds."""
        self.path.append(condition)
        result = run()
        self.path.pop()
        return result

    def branch(
        self, condition: Expression, then: Callable[[], _Result], otherwise: Callable[[], _Result]
    ) -> tuple[_Result, _Result]:
        """Execute both ways and join the states that they leave behind; returns the result of each."""
        self.note(condition)
        start = self.store
        first, second = start.fork(), start.fork()
        self.store = first
        yes = self.under(condition, then)
        self.store = second
        no = self.under(negate(condition), otherwise)
        self.store = start
        start.merge(condition, first, second)
        return yes, no

    def settle(self, remembered: Iterable[Variable]) -> None:
        """Between two statements outside all branches: make writes stand where nothing remembers older values, and
        where all fit: what follows may ask for a value that does not, and turn out not to be enabled."""
        if self.path or not self.store.pending:
            return
        if self.store.pending.keys().isdisjoint(remembered) and self.store.surely_fits():
            self.store.settle()

    def checked(self, expression: Expression) -> Expression:
        """The expression, a fault also where something faults that was evaluated before."""
        certain = _eager([expression])
        first = all_of(condition for risk, condition in self.risks if risk not in certain)
        return expression if first == TRUE else Choice(first, expression, FALSE)

    def finish(self) -> Expression | None:
        """Make all writes stand; the guard of the step."""
        self.store.settle()
        certain = _eager(part for effect in self.store.effects for part in (effect.value, effect.target))
        self.risks = [risk for risk in self.risks if risk[0] not in certain]
        self._flush_risks()
        guard: Expression = TRUE
        for part in dict.fromkeys([*self.guards, *self.late]):
            guard = both(guard, part)
        return None if guard == TRUE else guard

    def _flush_risks(self) -> None:
        self.guards += [condition for _, condition in self.risks]
        self.risks.clear()


def limit(expression: Expression) -> None:
    """Refuse what has grown beyond all measure."""
    if depth(expression) > DEEPEST:
        raise Refused(TOO_DEEP)
    if size(expression) > _LARGEST and next(islice(walk(expression), _LARGEST, None), None) is not None:
        raise Refused(TOO_INVOLVED)


def _eager(expressions: Iterable[Expression]) -> set[Expression]:
    """The parts of expressions that are evaluated whenever these are."""
    found: set[Expression] = set()
    waiting, seen = list(expressions), set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        found.add(node)
        lazy = isinstance(node, Choice) or (isinstance(node, Binary) and node.operator in LOGICAL)
        waiting += children(node)[:1] if lazy else children(node)
    return found
