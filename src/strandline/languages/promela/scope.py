"""Expressions over a finished System in Promela: claims, invariants, measures outside of the model.

Beside what stands in models: `P[1]@"line 12"` is the location of a process by its name, `var("name")` any variable of
the System, `mod`, `div`, `imply` the operators that Promela lacks. Numbers have 64 bits and do not wrap around.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from strandline.errors import suggestion
from strandline.languages.promela.arithmetic import truth
from strandline.languages.promela.expression_parser import ExpressionParser
from strandline.languages.promela.expressions import Lowerer
from strandline.languages.promela.preprocessing import Macro, Preprocessor
from strandline.languages.promela.reading import Names
from strandline.languages.promela.storage import Leaf
from strandline.languages.promela.syntax import BinaryExpr, Call, Conditional, Expr, Number, Remote, UnaryExpr
from strandline.languages.promela.tokens import Token, tokenize
from strandline.languages.promela.world import Channel, World
from strandline.languages.symbolic_execution.building import all_of, any_of
from strandline.model.expression import (
    Binary,
    Choice,
    Const,
    Element,
    Expression,
    Read,
    Unary,
    Undefined,
    deep_recursion,
)
from strandline.model.notation import STRONGEST, Infix, Notation, Prefix, Write
from strandline.model.scope import Evaluate, Scope, View
from strandline.model.system import System, Variable
from strandline.model.values import Queue
from strandline.source import Source, saturated_int
from strandline.transform.fairness import some_enabled

_BINARY = {"&&": "and", "||": "or"}
_CALLS = {"mod": "mod", "div": "//", "imply": "imply"}
_NOTATION = Notation(
    prefixes={"not": Prefix("!", 11, 11), **{sign: Prefix(sign, 11, 11) for sign in "-~"}},
    infixes={
        "or": Infix("||", 1),
        "and": Infix("&&", 2),
        **{sign: Infix(sign, 3 + number) for number, sign in enumerate("|^&")},
        **{sign: Infix(sign, 6) for sign in ("==", "!=")},
        **{sign: Infix(sign, 7) for sign in ("<", "<=", ">", ">=")},
        **{sign: Infix(sign, 8) for sign in ("<<", ">>")},
        **{sign: Infix(sign, 9) for sign in "+-"},
        **{sign: Infix(sign, 10) for sign in "*/%"},
    },
    choice="({condition} -> {then} : {otherwise})",
    calls={operator: name for name, operator in _CALLS.items()},
    undefined=lambda reason: f'fault("{reason}")',
)


class PromelaScope(Scope):
    """The scope of one model: parses and renders expressions over its System."""

    def __init__(self, world: World, names: Names, macros: dict[str, Macro]) -> None:
        self._world, self._names, self._macros = world, names, macros
        self._system: System | None = None
        self._places = {instance.location: instance for instance in world.instances}
        self._variables: dict[str, Variable] = {}
        for one in (*(instance.location for instance in world.instances), *world.variables()):
            self._variables[one.name] = one

    def ask_about(self, system: System) -> None:
        """Allow the question `accept_` about the System."""
        self._system = system

    @property
    def cycle_formulas(self) -> Mapping[str, str]:
        return {"non_progress": "G F !{np_}", "accept_labels": "F G !{accept_}"}

    def read(self, text: str, name: str) -> Expression:
        """Parse an expression; raises `ParseError` or `ModelError`."""
        source = Source(name, text)
        tokens = [one for one in tokenize(source) if one.kind != "line"]
        preprocessor = Preprocessor(dict(self._macros))
        end = replace(tokenize(source)[-1], kind="end", text="the end of the text")
        with deep_recursion():
            reader = _QuestionParser([*preprocessor.expand(tokens, frozenset()), end], self._names)
            expression = reader.expression()
            if reader.token.kind != "end":
                reader.fail("expected an operator")
            return _Exact(self._world, self._variables, self._system).value(expression)

    def read_condition(self, text: str, name: str) -> Expression:
        return truth(self.read(text, name))

    def question(self, text: str, *, name: str = "expression") -> Callable[[Evaluate], Any]:
        """Parse a question about a state: an expression, a process (its location) or a channel (its messages)."""
        for location in self._places:
            if location.name == text.strip():
                return partial(_location, location)
        for channel in self.views():
            if channel.name == text.strip():
                return channel.value
        return super().question(text, name=name)

    def views(self) -> tuple[View, ...]:
        """Return a view of the contents of each buffered channel."""
        return tuple(
            View(
                one.name,
                (*one.fields, one.length),
                partial(_messages, one, one.length, self._symbols(one)),
                coded=False,
            )
            for one in self._world.channels
            if one.length is not None and one.name not in self._variables
        )

    def _symbols(self, channel: Channel) -> list[dict[int, str]]:
        """Return for each part of a message the symbols of its values, if it is of an mtype."""
        subtypes = self._world.program.subtypes
        return [
            {value: name for name, value in subtypes.get(one.declaration.names or "", ())}
            if one.declaration.type == "mtype"
            else {}
            for one in channel.simple
        ]

    def render(self, expression: Expression, *, longest: int | None = None) -> str:
        return _NOTATION.write(expression, self._leaf, longest)

    def _leaf(self, expression: Expression, write: Write) -> tuple[str, int] | None:
        match expression:
            case Binary(operator="==", left=Read(variable=variable), right=Const(value=value)) if (
                variable in self._places and 0 <= value < len(variable.names or ())
            ):
                return self._location(variable, (variable.names or ())[value]), STRONGEST
            case Read(variable=variable):
                return self._named(variable), STRONGEST
            case Element(variable=variable, index=index):
                return f"{self._named(variable)}[{write(index)}]", STRONGEST
        return None

    def _location(self, variable: Variable, place: str) -> str:
        instance = self._places[variable]
        process = f"{instance.automaton.proctype.name}[{instance.pid}]"
        label = instance.automaton.labels.get(place)
        return f"{process}@{place}" if label in instance.places and label is not None else f'{process}@"{place}"'

    def _named(self, variable: Variable) -> str:
        for declaration, parts in self._world.globals.items():
            if () in parts and parts[()].variable is variable and variable.name == declaration.name:
                return variable.name
        if any(one.length is variable and one.owner is None for one in self._world.channels):
            return variable.name
        return "_nr_pr" if variable is self._world.count else f'var("{variable.name}")'


def _location(location: Variable, evaluate: Evaluate) -> str:
    return (location.names or ())[evaluate(Read(location))]


def _messages(channel: Channel, length: Variable, symbols: list[dict[int, str]], evaluate: Evaluate) -> Queue:
    """Return the messages in a channel: values, or tuples where messages do not have exactly one value."""
    messages = []
    for place in range(evaluate(Read(length))):
        values = [evaluate(Element(field, Const(place))) for field in channel.fields]
        messages.append(tuple(names.get(value, value) for value, names in zip(values, symbols, strict=True)))
    return Queue(one[0] for one in messages) if len(channel.fields) == 1 else Queue(messages)


class _QuestionParser(ExpressionParser):
    """Parses expressions of questions."""

    def number(self, token: Token) -> int:
        return saturated_int(token.text)

    def _parenthesis(self) -> Expr:
        place = self.tokens[self.at - 1]
        inner = super()._parenthesis()
        # `-(1)` is an operator, `-1` a literal.
        return Call("group", [inner], "", place) if isinstance(inner, Number) else inner

    def _named(self, token: Token) -> Expr:
        if token.text in (*_CALLS, "var", "fault") and self.text == "(" and self.names.find(token.text) is None:
            return self._call(token)
        return self._named_or_special(token)

    def _named_or_special(self, token: Token) -> Expr:
        return Call("accept_", [], "", token) if token.text == "accept_" else super()._named(token)

    def _call(self, token: Token) -> Expr:
        self.expect("(")
        if token.text in ("var", "fault"):
            name = self.next()
            self.expect(")")
            index = self._index() if token.text == "var" else None
            return Call(token.text, [] if index is None else [index], name.text[1:-1], token)
        first = self.expression()
        self.expect(",")
        second = self.expression()
        self.expect(")")
        return Call(token.text, [first, second], "", token)


class _Exact(Lowerer):
    """Lowers questions: nothing is wrapped or simplified, so that rendered texts are read as they were."""

    def __init__(self, world: World, variables: dict[str, Variable], system: System | None) -> None:
        super().__init__(world, None, None)
        self.variables, self.system = variables, system

    def value(self, expression: Expr) -> Expression:
        match expression:
            case Number(value=value):
                return Const(value)
            case UnaryExpr(operator="-", operand=Number(value=value)):
                return Const(-value)
            case UnaryExpr(operator=operator, operand=operand):
                return Unary("not" if operator == "!" else operator, self.value(operand))
            case BinaryExpr(operator=operator, left=left, right=right):
                return Binary(_BINARY.get(operator, operator), self.value(left), self.value(right))
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                return Choice(self.value(condition), self.value(then), self.value(otherwise))
            case Call(name="var", arguments=arguments, text=text, token=token):
                variable = self.variables.get(text)
                if variable is None:
                    token.model_error(f"unknown variable '{text}'" + suggestion(text, self.variables))
                return Element(variable, self.value(arguments[0])) if arguments else Read(variable)
            case Call(name="fault", text=text):
                return Undefined(text)
            case Call(name="accept_"):
                return self._accepting()
            case Call(name="group", arguments=arguments):
                return self.value(arguments[0])
            case Call(name=name, arguments=arguments):
                return Binary(_CALLS[name], self.value(arguments[0]), self.value(arguments[1]))
            case Remote(is_label=True, name=name) if name.startswith('"'):
                return self._at_location(expression)
        return super().value(expression)

    def element(self, leaf: Leaf, indices: Sequence[Expr | None], token: Token) -> Read | Element:
        if leaf.variable.length is not None and len(indices) == 1 and indices[0] is not None:
            return Element(leaf.variable, self.value(indices[0]))
        return super().element(leaf, indices, token)

    def _accepting(self) -> Expression:
        """Return the condition that a process is at an accept label and the system can go on."""
        assert self.system is not None
        there = [
            instance.at(place)
            for instance in self.world.instances
            for place in instance.automaton.labelled("accept")
            if place in instance.places
        ]
        return all_of([any_of(there), some_enabled(self.system, self.system.actions)])

    def _at_location(self, remote: Remote) -> Expression:
        pid = None if remote.pid is None else self.value(remote.pid)
        for instance in self.world.instances:
            if instance.automaton.proctype.name != remote.process:
                continue
            names = instance.location.names or ()
            if (pid is None or pid == Const(instance.pid)) and remote.name[1:-1] in names:
                return Binary("==", Read(instance.location), Const(names.index(remote.name[1:-1])))
        remote.token.model_error(f"there is no location {remote.name} in '{remote.process}'")
