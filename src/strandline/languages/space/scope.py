"""The scope of a state space: its propositions, its progress, and its states by name.

    p and progress < 9
    state == 5              the state called 5; also state == 's1', state == s1 and state.s1
    position(state)         the number of the state's line, counted from 0

States are identified by their names only: they have no order and no arithmetic.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

from strandline.errors import suggestion
from strandline.model.expression import Binary, Const, Expression, Read
from strandline.model.notation import STRONGEST, Write
from strandline.model.plain import NOTATION, Lowering, PlainScope, python_expression
from strandline.model.scope import Evaluate, Scope, present_value
from strandline.model.system import Variable

POSITION = "position"
_INTEGER = re.compile(r"0|-?[1-9][0-9]*")
_COMPARISON = 4


class SpaceScope(Scope):
    """The scope of one state space."""

    def __init__(self, state: Variable, named: Mapping[str, Expression]) -> None:
        """Create the scope; `named` are the progress and the propositions, as expressions over `state`."""
        self.state = state
        self._named = dict(named)
        self._texts = {expression: name for name, expression in named.items()}
        self._indices = {name: index for index, name in enumerate(state.names or ())}

    def read(self, text: str, name: str) -> Expression:
        """Parse an expression; raises `ParseError` or `ModelError`."""
        source, node = python_expression(text, name)
        return PlainScope(()).lower(node, source, meaning=self._meaning)

    def question(self, text: str, *, name: str = "expression") -> Callable[[Evaluate], Any]:
        """Parse a question about a state: an expression, or `state` alone, whose value is the state's name."""
        if text.strip() == self.state.name:
            here = Read(self.state)
            return lambda evaluate: present_value(here, evaluate(here))
        return super().question(text, name=name)

    def render(self, expression: Expression, *, longest: int | None = None) -> str:
        return NOTATION.write(expression, self._leaf, longest)

    def _leaf(self, expression: Expression, write: Write) -> tuple[str, int] | None:
        names = self.state.names or ()
        match expression:
            case Read():
                return f"{POSITION}({self.state.name})", STRONGEST
            case Binary(operator="==" | "!=" as sign, left=Read(), right=Const(value=index)) if 0 <= index < len(names):
                name = names[index]
                return f"{self.state.name} {sign} {name if _INTEGER.fullmatch(name) else repr(name)}", _COMPARISON
        return (self._texts[expression], STRONGEST) if expression in self._texts else None

    def _meaning(self, lowering: Lowering, node: ast.expr) -> Expression | None:
        match node:
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as operator], comparators=[right]):
                if not self._is_state(left):
                    left, right = right, left
                if self._is_state(left):
                    sign = "==" if isinstance(operator, ast.Eq) else "!="
                    return Binary(sign, Read(self.state), self._state_named(lowering, right), lowering.span(node))
            case ast.Attribute(attr=name) if self._is_state(node.value):
                return Binary("==", Read(self.state), self._index(lowering, name, node), lowering.span(node))
            case ast.Call(func=ast.Name(id=called), args=[inner], keywords=[]) if called == POSITION:
                if not self._is_state(inner):
                    lowering.fail(f"only '{self.state.name}' has a position", inner)
                return Read(self.state, lowering.span(node))
            case ast.Name(id=name) if name in self._named:
                return self._named[name]
            case ast.Name(id=name) if name != self.state.name:
                known = [self.state.name, *self._named]
                lowering.fail(f"unknown name '{name}'" + suggestion(name, known), node)
        if self._is_state(node):
            named, position = f"{self.state.name} == {self._example()}", f"{POSITION}({self.state.name})"
            message = f"a state has no value but its name: compare it, as in '{named}'; the number of its line is"
            lowering.fail(f"{message} '{position}'", node)
        return None

    def _is_state(self, node: ast.expr) -> bool:
        match node:
            case ast.Name(id=name):
                return name == self.state.name
            case ast.Call(func=ast.Name(id="var"), args=[ast.Constant(value=name)], keywords=[]):
                return bool(name == self.state.name)
        return False

    def _state_named(self, lowering: Lowering, node: ast.expr) -> Const:
        """Return the index of the state that a number, a string or a word names."""
        match node:
            case ast.Constant(value=str() as name) | ast.Name(id=name):
                return self._index(lowering, name, node)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as number)) if type(number) is int:
                return self._index(lowering, str(-number), node)
            case ast.Constant(value=int() as number) if type(number) is int:
                return self._index(lowering, str(number), node)
        lowering.fail(f"'{self.state.name}' can be compared with the name of a state alone", node)

    def _index(self, lowering: Lowering, name: str, node: ast.expr) -> Const:
        if name not in self._indices:
            lowering.fail(f"there is no state '{name}'" + suggestion(name, self._indices), node)
        return Const(self._indices[name])

    def _example(self) -> str:
        (name, *_) = self.state.names or ("",)
        return name if _INTEGER.fullmatch(name) else repr(name)
