"""Symbolic execution of one step: store, path condition, guard and possible faults.

A front end executes the statements of its language on an `Execution`: it reads variables through `store`, calls
`write`, `require` and `branch`, and reports every evaluated expression that may fault with `note`. Then `finish`
returns the guard, and `store.effects` are the assignments. All conditions are over the state before the step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

from strandline.languages.symbolic_execution.building import (
    all_of,
    conjoin,
    disjoin,
    evaluation_of,
    implies,
    in_bounds,
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
"""The most nodes in one expression; shared nodes count once."""
TOO_INVOLVED = (
    "too many branches depend on each other here; split the action in two, or let a variable of the model hold the "
    "result in between"
)
TOO_DEEP = (
    "a value is computed from itself in too many rounds here; let several actions do it, or a variable of the model "
    "hold the result in between"
)


class Refused(Exception):
    """Raised when a program cannot be executed symbolically.

    The message says what to write instead; the front end adds the source position.
    """


@dataclass(slots=True)
class Execution:
    """The symbolic execution of one step: its store, guard, path condition and possible faults."""

    store: Store = field(default_factory=Store)
    guards: list[Expression] = field(default_factory=list)
    """The parts of the step's guard so far, in order of evaluation, over the state before the step."""
    path: list[Expression] = field(default_factory=list)
    """The path condition: the conditions of the enclosing branches."""
    risks: list[tuple[Expression, Expression]] = field(default_factory=list)
    """Noted expressions that may fault, each with a condition that faults where it does and is true elsewhere.

    The conditions are over the state before the step.
    """
    late: list[Expression] = field(default_factory=list)
    """Conditions that fault or are true, evaluated behind `guards`: they fault only where the step is enabled."""

    def write(self, variable: Variable, index: Expression, value: Expression, span: Span | None) -> None:
        """Assign a value to a variable or an array element.

        A value outside the variable's domain is a fault of the step, even if a later write replaces it.
        """
        refuse_oversized(value)
        refuse_oversized(index)
        self.note(value)
        if variable.length is not None:
            self.note(Element(variable, index, span))
        domain = variable.domain
        for lost in self.store.write(variable, index, value, span):
            inside = in_bounds(lost.value, domain.low, domain.high)
            if inside != TRUE:
                self.late.append(self.here(disjoin(inside, Undefined(RANGE_FAULT, lost.span))))

    def note(self, expression: Expression) -> None:
        """If `expression` may fault, record that the program evaluates it at this point."""
        if may_fault(expression):
            self.risks.append((expression, self.here(evaluation_of(expression))))

    def require(self, condition: Expression) -> None:
        """Add a condition to the guard, behind the evaluation of all expressions noted so far that may fault."""
        self._flush_risks()
        guard = self.here(condition)
        refuse_oversized(guard)
        if guard != TRUE:
            self.guards.append(guard)

    def here(self, condition: Expression) -> Expression:
        """Return the implication "path condition implies `condition`", rewritten over the state before the step."""
        for test in reversed(self.path):
            condition = implies(test, condition)
        return self.store.before(condition)

    def under(self, condition: Expression, run: Callable[[], _Result]) -> _Result:
        """Return the result of `run`, called with `condition` added to the path condition."""
        self.path.append(condition)
        result = run()
        self.path.pop()
        return result

    def branch(
        self, condition: Expression, then: Callable[[], _Result], otherwise: Callable[[], _Result]
    ) -> tuple[_Result, _Result]:
        """Execute both branches and merge their stores; return the result of each."""
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
        """Turn the store's pending writes into assignments between two statements, if the step keeps its meaning.

        Writes stay pending
        - inside a branch, because the assignments would be made on the other branch as well;
        - if one of them changes a variable in `remembered`, to whose old value other values still refer;
        - if a value may not fit its variable, because a later statement may still disable the step.
        """
        if self.path or not self.store.pending:
            return
        if self.store.pending.keys().isdisjoint(remembered) and self.store.surely_fits():
            self.store.settle()

    def with_earlier_faults(self, expression: Expression) -> Expression:
        """Return an expression with the same value that also faults where one noted earlier in the step faults."""
        certain = _eager([expression])
        first = all_of(condition for risk, condition in self.risks if risk not in certain)
        return expression if first == TRUE else Choice(first, expression, FALSE)

    def finish(self) -> Expression | None:
        """Turn all pending writes into assignments and return the guard; None if it is always true."""
        self.store.settle()
        certain = _eager(part for effect in self.store.effects for part in (effect.value, effect.target))
        self.risks = [risk for risk in self.risks if risk[0] not in certain]
        self._flush_risks()
        guard: Expression = TRUE
        for part in dict.fromkeys([*self.guards, *self.late]):
            guard = conjoin(guard, part)
        return None if guard == TRUE else guard

    def _flush_risks(self) -> None:
        self.guards += [condition for _, condition in self.risks]
        self.risks.clear()


def refuse_oversized(expression: Expression) -> None:
    """Raise `Refused` for an expression that is too deep or too large."""
    if depth(expression) > DEEPEST:
        raise Refused(TOO_DEEP)
    if size(expression) > _LARGEST and next(islice(walk(expression), _LARGEST, None), None) is not None:
        raise Refused(TOO_INVOLVED)


def _eager(expressions: Iterable[Expression]) -> set[Expression]:
    """Return the subexpressions that are evaluated whenever the given expressions are."""
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
