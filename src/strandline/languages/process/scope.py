"""The scope of a network: expressions for invariants, goals, labels and measures.

`P.State` is 1 if component P is in state `State`, else 0; `P.State(2, _)` and `P.State` leave arguments open;
`P[_].State` counts the components in that state. `P` alone is the number of P's current state, counted from 0 in
breadth-first order; `P[_]` is the sum of these numbers. Constants, labels and invariants of the model can be used by
name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from strandline.errors import ModelError, suggestion
from strandline.languages.process.lexer import Kind
from strandline.languages.process.reader import Reader
from strandline.languages.process.syntax import (
    Arithmetic,
    Asked,
    Binary,
    Located,
    Name,
    Number,
    Pattern,
    Unary,
)
from strandline.languages.process.values import Evaluator, Values
from strandline.model import expression as model
from strandline.model.notation import STRONGEST, Infix, Notation, Prefix, Write, render_place
from strandline.model.scope import Scope
from strandline.model.system import Action, Process, Variable
from strandline.source import Source, Span
from strandline.transform.history import Steps

_COMPONENT = re.compile(r"([^\[\]]+)((?:\[-?\d+\])*)")
_STATE = re.compile(r"([^()]+)(?:\((-?\d+(?:, -?\d+)*)\))?")
_NUMBER = re.compile(r"-?\d+")
_OPERATORS = {"/": "//", "%": "mod"}
_JOINED = frozenset({"+", "and", "or"})
"""Associative operators, whose very long chains become balanced trees."""
_LARGEST_NUMBER = 2**63
_COMPARISON, _MINUS = 4, 7
_NOTATION = Notation(
    prefixes={"not": Prefix("not", 3, 3), "-": Prefix("-", _MINUS, _MINUS)},
    infixes={
        "or": Infix("or", 1),
        "and": Infix("and", 2),
        **{sign: Infix(sign, _COMPARISON, alone=True) for sign in ("==", "!=", "<", "<=", ">", ">=")},
        "+": Infix("+", 5),
        "-": Infix("-", 5),
        "*": Infix("*", 6),
        "//": Infix("/", 6),
        "mod": Infix("%", 6),
    },
)


@dataclass(frozen=True, slots=True)
class _Place:
    """A state of a component: its index, and its name split into base and arguments."""

    index: int
    name: str
    positions: tuple[int, ...]


class ProcessScope(Scope):
    """The scope of one network: its components, constants and `claims`.

    The claims (labels, invariants, goals and valid ends) are added in the order of the text, each usable by later ones.
    """

    def __init__(self, processes: Iterable[Process], constants: Values) -> None:
        self.constants = constants
        self.claims: dict[str, model.Expression] = {}
        self.components = [_Member.of(process.location) for process in processes]
        self._names = {member.location: member.location.name for member in self.components}
        self.steps: Steps | None = None
        """Answers the questions `enabled(a)` and `taken(a)` about actions; None until the System is known."""

    @property
    def histories(self) -> Mapping[Variable, tuple[Action, ...]]:
        return {} if self.steps is None else self.steps.histories

    def read(self, text: str, name: str) -> model.Expression:
        """Parse an expression; raises `ParseError` or `ModelError`."""
        reader = Reader(Source(name, text), _LARGEST_NUMBER)
        reader.located = True
        parsed = reader.expression()
        if reader.token.kind is not Kind.END:
            reader.fail("an operator or the end of the expression")
        return self.lower(parsed, reader.source)

    def render(self, expression: model.Expression, *, longest: int | None = None) -> str:
        return _NOTATION.write(expression, self._leaf, longest)

    def _leaf(self, expression: model.Expression, write: Write) -> tuple[str, int] | None:
        match expression:
            case model.Binary(operator="==", left=model.Read(variable=location), right=model.Const(value=value)) if (
                0 <= value < len(location.names or ())
            ):
                return f"{location.name}.{location.show(value)}", STRONGEST
            case _:
                return render_place(expression, self._names, write)

    def lower(self, parsed: Arithmetic, source: Source) -> model.Expression:
        """Return a parsed expression as one over the System's variables; `source` is its text, for errors."""
        lowering = _Lowering(self, source)
        found = lowering.expression(parsed)
        if model.depth(found) > model.DEEPEST:
            lowering.fail(f"the expression is nested deeper than {model.DEEPEST} levels", parsed.span)
        return found

    def find_components(self, pattern: Pattern, source: Source) -> list[tuple[str, Span]]:
        """Return the names of the components that match a pattern, each with the pattern's source position."""
        return [(member.location.name, pattern.span) for member in _Lowering(self, source).members(pattern)]


@dataclass(frozen=True, slots=True)
class _Member:
    """A component: its name split into base and indices, its location variable, and its states (`places`)."""

    name: str
    positions: tuple[int, ...]
    location: Variable
    places: tuple[_Place, ...]

    @classmethod
    def of(cls, location: Variable) -> _Member:
        found = _COMPONENT.fullmatch(location.name)
        name, indices = (found[1], found[2]) if found else (location.name, "")
        places = []
        for index, text in enumerate(location.names or ()):
            state = _STATE.fullmatch(text)
            base, arguments = (state[1], state[2] or "") if state else (text, "")
            places.append(_Place(index, base, _numbers(arguments)))
        return cls(name, _numbers(indices), location, tuple(places))


def _fits(action: str, name: str, positions: Sequence[int | None]) -> bool:
    found = _COMPONENT.fullmatch(action)
    if found is None or found[1] != name:
        return False
    own = _numbers(found[2])
    if not positions:
        return True
    return len(own) == len(positions) and all(one in (None, number) for one, number in zip(positions, own, strict=True))


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, _NUMBER.findall(text)))


class _Lowering:
    def __init__(self, scope: ProcessScope, source: Source) -> None:
        self.scope = scope
        self.source = source
        self.evaluator = Evaluator(source)

    def fail(self, message: str, span: Span) -> NoReturn:
        raise ModelError(message, self.source, span)

    def expression(self, parsed: Arithmetic) -> model.Expression:
        match parsed:
            case Number(value=value):
                return model.Const(value)
            case Name(text=text, span=span):
                return self._name(text, span)
            case Located():
                return self._lower_located(parsed)
            case Unary(operator=operator, operand=operand, span=span):
                inner = self.expression(operand)
                # A parenthesised number is not a literal.
                if operator == "-" and isinstance(inner, model.Const) and operand.span.end == span.end:
                    return model.Const(-inner.value)
                return model.Unary(operator, inner, span)
            case Binary():
                return self._binary(parsed)
            case Asked():
                return self._lower_question(parsed)

    def _lower_question(self, parsed: Asked) -> model.Expression:
        """Lower `enabled(a)` or `taken(a)` about all actions that match a pattern; one without indices matches any."""
        steps, pattern = self.scope.steps, parsed.action
        if steps is None:
            self.fail("there are no actions to ask about", parsed.span)
        value, constants = self.evaluator.value, self.scope.constants
        wanted = [None if one is None else value(one, constants) for one in pattern.positions or ()]
        fitting = tuple(one for one in steps.system.actions if _fits(one.name, pattern.name, wanted))
        if not fitting:
            known = dict.fromkeys(one.name.partition("[")[0] for one in steps.system.actions)
            self.fail(f"unknown action '{pattern.name}'" + suggestion(pattern.name, known), pattern.span)
        if parsed.question == "enabled":
            return steps.enabled_expression(fitting)
        return steps.taken_expression(f"{pattern.name}{wanted}", fitting)

    def _binary(self, parsed: Binary) -> model.Expression:
        """Lower a chain of operators in a loop, so that long sums need no deep stack."""
        spine: list[Binary] = []
        first: Arithmetic = parsed
        while isinstance(first, Binary) and (first is parsed or not first.grouped):
            spine.append(first)
            first = first.left
        found = self.expression(first)
        spine.reverse()
        place = 0
        while place < len(spine):
            operator = spine[place].operator
            end = place + 1
            while operator in _JOINED and end < len(spine) and spine[end].operator == operator:
                end += 1
            parts = [found, *(self.expression(link.right) for link in spine[place:end])]
            found = model.row(_OPERATORS.get(operator, operator), parts, spine[end - 1].span)
            place = end
        return found

    def _name(self, text: str, span: Span) -> model.Expression:
        if text in self.scope.constants:
            return model.Const(self.scope.constants[text])
        if text in self.scope.claims:
            return self.scope.claims[text]
        components = {member.name for member in self.scope.components}
        if text in components:
            return self._numbers(Pattern(text, (), span))
        known = {*self.scope.constants, *self.scope.claims, *components}
        self.fail(f"unknown name '{text}'" + suggestion(text, known), span)

    # Where components are

    def _lower_located(self, parsed: Located) -> model.Expression:
        if parsed.state is None:
            return self._numbers(parsed.component)
        members = list(self.members(parsed.component))
        tests: list[model.Expression] = [
            model.Binary("==", model.Read(member.location), model.Const(place.index))
            for member in members
            for place in self._places(parsed.state, member)
        ]
        if not tests:
            self._no_state(parsed.state, members)
        return model.row("+", tests)

    def _numbers(self, component: Pattern) -> model.Expression:
        """Return the sum of the state numbers of the matching components."""
        return model.row("+", [model.Read(member.location) for member in self.members(component)])

    def members(self, pattern: Pattern) -> Iterator[_Member]:
        """Return the components that match a pattern; raises `ModelError` if there is none."""
        fits = self._fitting(pattern)
        found = [one for one in self.scope.components if one.name == pattern.name and fits(one.positions)]
        if not found:
            self._no_component(pattern)
        return iter(found)

    def _no_component(self, pattern: Pattern) -> NoReturn:
        named = [one.location.name for one in self.scope.components if one.name == pattern.name]
        if named:
            several = f"{named[0]} to {named[-1]}" if len(named) > 1 else named[0]
            self.fail(f"there is no component '{self._render_pattern(pattern)}', but {several}", pattern.span)
        known = {one.name for one in self.scope.components}
        self.fail(
            f"unknown component '{self._render_pattern(pattern)}'" + suggestion(pattern.name, known), pattern.span
        )

    def _places(self, pattern: Pattern, member: _Member) -> Iterator[_Place]:
        fits = self._fitting(pattern)
        return (place for place in member.places if place.name == pattern.name and fits(place.positions))

    def _no_state(self, state: Pattern, members: list[_Member]) -> NoReturn:
        names = [place.name for member in members for place in member.places]
        hint = "" if state.name in names else suggestion(state.name, names)
        message = f"component '{members[0].location.name}' has no state '{self._render_pattern(state)}'" + hint
        self.fail(message, state.span)

    def _render_pattern(self, pattern: Pattern) -> str:
        return " ".join(self.source.text[pattern.span.start : pattern.span.end].split())

    def _fitting(self, pattern: Pattern) -> Callable[[tuple[int, ...]], bool]:
        """Return a predicate that is true for the positions (indices or arguments) that match a pattern."""
        if pattern.positions is None:
            return lambda positions: True
        wanted = [
            None if part is None else self.evaluator.value(part, self.scope.constants) for part in pattern.positions
        ]
        return lambda positions: (
            len(positions) == len(wanted)
            and all(one is None or one == other for one, other in zip(wanted, positions, strict=True))
        )
