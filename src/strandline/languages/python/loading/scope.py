"""The scope of a Python model: expressions from outside the model, such as invariants and measures.

They are written as in an action; `m.` may be left out: `count(p.pc == "cs" for p in P) <= 1`.

`raw(...)` gives access to the variables of the System, which authors never see: it contains an expression in the
notation of `strandline.model.plain` over these variables, as `info --dump` shows them. There an element of a bag or of
a queue is its code plus 1, and 0 where the slot is free: `raw(inbox[0] + inbox[1])`. A value that has a name can be
compared with it: `raw(inbox[0] == 'yes')`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

from strandline.errors import InputError
from strandline.languages.python.loading.names import Names
from strandline.languages.python.runtime.text import Text, parse_text
from strandline.languages.python.runtime.types import ArrayType, RangeType
from strandline.languages.python.symbolic_execution.calls import inline
from strandline.languages.python.symbolic_execution.coding import number, truth
from strandline.languages.python.symbolic_execution.evaluate import Evaluator
from strandline.languages.python.symbolic_execution.evaluation import answer
from strandline.languages.python.symbolic_execution.machine import Machine
from strandline.languages.python.symbolic_execution.structure import Structure
from strandline.languages.python.symbolic_execution.values import (
    Method,
    ProcessValue,
    RecordSymbol,
    Symbol,
    can_be_shown,
    describe,
)
from strandline.languages.symbolic_execution.execution import Refused
from strandline.model.expression import Expression, deep_recursion, size
from strandline.model.intervals import INT64
from strandline.model.plain import PlainScope
from strandline.model.scope import Evaluate, Scope, View, constant_arguments
from strandline.model.system import Action, Variable
from strandline.model.values import show
from strandline.source import Source, Span

_RAW = "raw"
Offers: TypeAlias = tuple[str, tuple[str | tuple[str, Any], ...]]
"""The name of an action and its arguments: each as text, or as the text before a value and the value."""
_TRIED = 2_000
"""The most nodes of an expression for which `render` tries the model's own notation."""


class PythonScope(Scope):
    """The scope of one model instance: parses and renders expressions over its System."""

    def __init__(
        self,
        structure: Structure,
        process: ProcessValue | None = None,
        offers: Mapping[str, Offers] | None = None,
    ) -> None:
        """Create a scope; with a process, the fields of the process need no `me.`.

        `offers` has, by name, the actions with a parameter whose values come from a container.
        """
        self.structure, self._process = structure, process
        self._offers = dict(offers or {})
        self._plain = PlainScope(structure.variables)
        self._raw = _RAW
        while self._raw in structure.names():
            self._raw += "_"

    def read(self, text: str, name: str) -> Expression:
        """Parse an expression; the name of a label or an invariant stands for its expression.

        Raises `ParseError` or `ModelError`.
        """
        return self._read(text, name, number)

    def read_condition(self, text: str, name: str) -> Expression:
        """Parse a condition; as in the model, a number is no condition."""
        return self._read(text, name, lambda value, _: truth(value))

    def _read(self, text: str, name: str, meaning: Callable[[Any, Span], Expression]) -> Expression:
        parsed, node = parse_text(text, name)
        inner = self._raw_part(node)
        if inner is not None:
            return self._plain.lower(inner, Source(name, text))
        with deep_recursion():
            return self._evaluate(parsed, node, meaning)

    def _raw_part(self, node: ast.expr) -> ast.expr | None:
        """Return the argument of `raw(...)`; None for other expressions."""
        match node:
            case ast.Call(func=ast.Name(id=called), args=[inner], keywords=[]) if called == self._raw:
                return inner
        return None

    def render(self, expression: Expression, *, longest: int | None = None) -> str:
        """Render in the model's notation if it is exact, else over the System's variables in `raw(...)`."""
        text = self._plain.render(expression, longest=longest)
        vast = longest is not None and size(expression) > longest
        return text if vast or self._means(text, expression) else f"{self._raw}({text})"

    @property
    def histories(self) -> Mapping[Variable, tuple[Action, ...]]:
        return {} if self.structure.steps is None else self.structure.steps.histories

    def question(self, text: str, *, name: str = "expression") -> Callable[[Evaluate], Any]:
        """Parse a question about a state: an expression, also for a record, container, optional, name or process."""
        parsed, node = parse_text(text, name)
        if self._raw_part(node) is not None:
            return super().question(text, name=name)
        with deep_recursion():
            value = self._value(parsed, node)
        if not can_be_shown(value):
            parsed.fail(f"{describe(value)} has no value to show", node)
        if isinstance(value, int) and not INT64[0] <= value <= INT64[1]:
            parsed.fail("the number does not fit 64 bits", node)
        return lambda evaluate: answer(self.structure, value, evaluate)

    def views(self) -> tuple[View, ...]:
        owners = (self.structure.fields, *self.structure.member_fields.values())
        return tuple(
            View(
                place.shown,
                tuple(place.variables.values()),
                partial(answer, self.structure, place),
                declared=None if _is_plain(place.kind) else str(place.kind),
            )
            for fields in owners
            for place in fields.values()
        )

    def step_name(self, action: str, evaluate: Evaluate) -> str:
        """Return the name of a step with the values that the action takes out of containers."""
        taken = self._offers.get(action)
        if taken is None:
            return action
        title, arguments = taken
        shown = [
            one if isinstance(one, str) else one[0] + show(answer(self.structure, one[1], evaluate))
            for one in arguments
        ]
        return f"{title}({', '.join(shown)})"

    def arguments(self, action: str) -> Mapping[str, Callable[[Evaluate], Any]]:
        """Return the arguments of an action by name, each as a function of the state in which it is taken."""
        found = constant_arguments(action)
        for one in self._offers.get(action, ("", ()))[1]:
            if not isinstance(one, str):
                name, value = one[0].removesuffix("="), one[1]
                found[name] = partial(answer, self.structure, value)
                for field, inner in value.fields.items() if isinstance(value, RecordSymbol) else ():
                    found[f"{name}.{field}"] = partial(answer, self.structure, inner)
        return found

    def _means(self, text: str, expression: Expression) -> bool:
        """Return True if the text, parsed in the model's notation, is this expression."""
        if size(expression) > _TRIED:
            return False
        try:
            return self.parse(text) == expression
        except InputError:
            return False

    def _value(self, parsed: Text, node: ast.expr) -> Any:
        machine = Machine(may_write=False)
        evaluator = Evaluator(parsed, machine, self.structure, Names(self.structure, self._process).find)
        value = machine.load(evaluator.value(node), parsed.place(node))
        if isinstance(value, Method) and value.function is not None:
            value = inline(evaluator, value.function, list(value.owner), {})
        return value

    def _evaluate(self, parsed: Text, node: ast.expr, meaning: Callable[[Any, Span], Expression]) -> Expression:
        value = self._value(parsed, node)
        try:
            if isinstance(value, Symbol | int | ProcessValue):
                return meaning(value, parsed.place(node))
            raise Refused("this is neither a number nor a condition")
        except Refused as refusal:
            parsed.fail(str(refusal), node)


def _is_plain(kind: Any) -> bool:
    """Return True if System variables hold the values of the type as they are, as for ranges and arrays of them."""
    return isinstance(kind.element if isinstance(kind, ArrayType) else kind, RangeType)
