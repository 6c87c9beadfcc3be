"""Expressions over a finished model that do not stand in it: invariants, goals and measures from the command line.

They are written as in an action; `m.` may be left out: `count(p.pc == "cs" for p in P) <= 1`.

What lies in the variables of the System itself, which an author never sees, can be said too: `raw(...)` holds an
expression in the notation of `strandline.model.plain` over these variables, as `info --dump` shows them. There an
element of a bag or of a queue is the number by which it is kept, 0 where there is none: `raw(inbox[0] + inbox[1])`. A
value that has a name can be compared with that: `raw(inbox[0] == 'yes')`.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from strandline.errors import InputError
from strandline.languages.python.loading.names import Names
from strandline.languages.python.runtime.text import Text, parse_text
from strandline.languages.python.symbolic.calls import inline
from strandline.languages.python.symbolic.coding import number
from strandline.languages.python.symbolic.evaluate import Evaluator
from strandline.languages.python.symbolic.machine import Machine
from strandline.languages.python.symbolic.structure import Structure
from strandline.languages.python.symbolic.values import Method, ProcessValue, Symbol
from strandline.languages.symbolic.execution import Refused
from strandline.model.expression import Expression, deep_recursion, size
from strandline.model.plain import PlainScope
from strandline.model.scope import Scope
from strandline.model.system import Action, Variable
from strandline.source import Source

_RAW = "raw"
_TRIED = 2_000
"""Nodes of an expression for which it is tried whether the model's own words mean it."""


class PythonScope(Scope):
    """The names of one model instance."""

    def __init__(self, structure: Structure, process: ProcessValue | None = None) -> None:
        """With a process, in the words of that: its fields by their names alone."""
        self.structure, self._process = structure, process
        self._plain = PlainScope(structure.variables)
        self._raw = _RAW
        while self._raw in structure.names():
            self._raw += "_"

    def parse(self, text: str, *, name: str = "expression") -> Expression:
        """The expression; the name of a label or an invariant stands for it. Raises `ParseError` or `ModelError`."""
        parsed, node = parse_text(text, name)
        match node:
            case ast.Call(func=ast.Name(id=called), args=[inner], keywords=[]) if called == self._raw:
                return self._plain.lowered(inner, Source(name, text))
        with deep_recursion():
            return self._evaluated(parsed, node)

    def render(self, expression: Expression, *, longest: int | None = None) -> str:
        """In the model's own words where they mean just this, else in those of the System's variables."""
        text = self._plain.render(expression, longest=longest)
        vast = longest is not None and size(expression) > longest
        return text if vast or self._means(text, expression) else f"{self._raw}({text})"

    @property
    def histories(self) -> Mapping[Variable, tuple[Action, ...]]:
        return {} if self.structure.steps is None else self.structure.steps.histories

    def _means(self, text: str, expression: Expression) -> bool:
        """Whether a text, read as the model's author would, is this expression."""
        if size(expression) > _TRIED:
            return False
        try:
            return self.parse(text) == expression
        except InputError:
            return False

    def _evaluated(self, parsed: Text, node: ast.expr) -> Expression:
        machine = Machine(may_write=False)
        evaluator = Evaluator(parsed, machine, self.structure, Names(self.structure, self._process).find)
        value = machine.load(evaluator.value(node), parsed.place(node))
        if isinstance(value, Method) and value.function is not None:
            value = inline(evaluator, value.function, list(value.owner), {})
        try:
            if isinstance(value, Symbol | int | ProcessValue):
                return number(value, parsed.place(node))
            raise Refused("this is neither a number nor a condition")
        except Refused as refusal:
            parsed.fail(str(refusal), node)
