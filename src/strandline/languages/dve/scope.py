"""Expressions over a finished System in DVE: invariants, goals and measures outside of the model.

They have all that expressions in a model have, and more: `P.state` is the number of the state of a process in the order
of declaration; `c.length` and `c.0[i]` are parts of a buffered channel, `c.message[i]` of one with a temporary variable
for messages; numbers have up to 64 bits; `enabled(P)` holds if a process can take a step, `taken(P)` if it took part in
the last one. They are stricter in one point: `a or b and c` and `not a == b` need parentheses.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from strandline.languages.dve.expressions import LOCATION, ExpressionParser
from strandline.languages.dve.lexer import Tokens
from strandline.languages.dve.names import Channel, Constant, Names, ProcessSymbol
from strandline.model.expression import Binary, Const, Element, Expression, Read
from strandline.model.notation import STRONGEST, Infix, Notation, Prefix, Write, render_place
from strandline.model.scope import Evaluate, Scope, View
from strandline.model.system import Action, System, Variable
from strandline.model.values import Queue
from strandline.source import Source
from strandline.transform.history import Steps

_LARGEST_NUMBER = 2**63
_AND, _PREFIX = 2, 9
_NOTATION = Notation(
    # `not` binds as tightly as any prefix; operands of operators stronger than `and` get parentheses.
    prefixes={"not": Prefix("not", _AND, _PREFIX), **{sign: Prefix(sign, _PREFIX, _PREFIX) for sign in "-~"}},
    infixes={
        "imply": Infix("imply", 1),
        **{sign: Infix(sign, _AND, unmixed=True) for sign in ("or", "and")},
        **{sign: Infix(sign, 3, unmixed=True) for sign in "|&^"},
        **{sign: Infix(sign, 4) for sign in ("==", "!=")},
        **{sign: Infix(sign, 5) for sign in ("<", "<=", ">", ">=")},
        **{sign: Infix(sign, 6) for sign in ("<<", ">>")},
        **{sign: Infix(sign, 7) for sign in "+-"},
        **{sign: Infix(sign, 8) for sign in "*/%"},
    },
)


class DveScope(Scope):
    """The scope of one DVE model: parses and renders expressions over its System."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._spelled = dict(_variable_names(names))
        self._buffers = {view.name: view for view in _buffers(names)}
        self._asked: ProcessSteps | None = None

    def ask_about(self, system: System) -> None:
        """Allow the questions `enabled(P)` and `taken(P)` about the System's processes."""
        self._asked = ProcessSteps(system)

    @property
    def histories(self) -> Mapping[Variable, tuple[Action, ...]]:
        return {} if self._asked is None else self._asked.steps.histories

    def read(self, text: str, name: str) -> Expression:
        """Parse an expression; raises `ParseError` or `ModelError`."""
        tokens = Tokens(Source(name, text), _LARGEST_NUMBER)
        expression, _ = ExpressionParser(tokens, strict=True, asked=self._asked).parse(0, self._names, "")
        return expression

    def question(self, text: str, *, name: str = "expression") -> Callable[[Evaluate], Any]:
        """Parse a question about a state: an expression, an array, a buffered channel, or a process (its location)."""
        spelled = text.strip().replace("->", ".")
        if spelled in self._buffers:
            return self._buffers[spelled].value
        for variable, known in self._spelled.items():
            if variable.length is not None and known == spelled:
                return partial(_elements, variable)
            if known == f"{spelled}.{LOCATION}":
                return partial(_location, variable)
        return super().question(text, name=name)

    def views(self) -> tuple[View, ...]:
        return tuple(self._buffers.values())

    def render(self, expression: Expression, *, longest: int | None = None) -> str:
        return _NOTATION.write(expression, self._leaf, longest)

    def _leaf(self, expression: Expression, write: Write) -> tuple[str, int] | None:
        match expression:
            case Binary(operator="==", left=Read(variable=variable), right=Const(value=value)) if (
                0 <= value < len(variable.names or ())
            ):
                return f"{variable.name}.{variable.show(value)}", STRONGEST
            case _:
                return render_place(expression, self._spelled, write)


def _buffers(names: Names, prefix: str = "") -> Iterator[View]:
    """Yield a view of the contents of each buffered channel; `prefix` begins its name."""
    for name, symbol in names.symbols.items():
        match symbol:
            case Channel(length=Variable() as length):
                yield View(prefix + name, (*symbol.fields, length), partial(_messages, symbol, length), coded=False)
            case ProcessSymbol(scope=inner):
                yield from _buffers(inner, f"{prefix}{name}.")


def _messages(channel: Channel, length: Variable, evaluate: Evaluate) -> Queue:
    """Return the messages in a channel: values, or tuples where messages do not have exactly one value."""
    places = [Const(number) for number in range(evaluate(Read(length)))]
    messages = [tuple(evaluate(Element(field, place)) for field in channel.fields) for place in places]
    return Queue(one[0] for one in messages) if len(channel.fields) == 1 else Queue(messages)


def _elements(variable: Variable, evaluate: Evaluate) -> tuple[int | str, ...]:
    return tuple(variable.value(evaluate(Element(variable, Const(index)))) for index in range(variable.slots))


def _location(variable: Variable, evaluate: Evaluate) -> int | str:
    return variable.value(evaluate(Read(variable)))


class ProcessSteps:
    """Answers the questions `enabled(P)` and `taken(P)` about the processes of a System by expressions."""

    def __init__(self, system: System) -> None:
        self.steps = Steps(system)
        self.processes = {
            process.name: tuple(one for one in system.actions if any(move.process == number for move in one.moves))
            for number, process in enumerate(system.processes)
        }

    def answer(self, question: str, process: str) -> Expression:
        actions = self.processes[process]
        return (
            self.steps.enabled_expression(actions)
            if question == "enabled"
            else self.steps.taken_expression(process, actions)
        )


def query_names(
    declared: Names, tables: Container[Constant], messages: Mapping[Channel, Variable], *, parent: Names | None = None
) -> Names:
    """Return the scope for expressions over a System, made from the declarations of its model.

    Constant arrays in `tables` are variables of the System and can have any index; the others can only have constant
    indices. `messages` are the temporary arrays of channels.
    """
    names = Names.root() if parent is None else Names(parent)
    for name, symbol in declared.symbols.items():
        match symbol:
            case Constant(table=table) if table is not None and symbol not in tables:
                names.declare(name, replace(symbol, table=None))
            case Channel():
                names.declare(name, replace(symbol, message=messages.get(symbol)))
            case ProcessSymbol(scope=inner):
                names.declare(name, replace(symbol, scope=query_names(inner, tables, messages, parent=names)))
            case _:
                names.declare(name, symbol)
    return names


def _variable_names(names: Names, prefix: str = "") -> Iterator[tuple[Variable, str]]:
    """Yield every System variable with its name in expressions, which begins with `prefix`."""
    for name, symbol in names.symbols.items():
        match symbol:
            case Variable():
                yield symbol, prefix + name
            case Constant(table=Variable() as table):
                yield table, prefix + name
            case Channel(fields=fields, length=length, message=message):
                yield from ((field, f"{prefix}{name}.{number}") for number, field in enumerate(fields))
                parts = {"length": length, "message": message}
                yield from ((one, f"{prefix}{name}.{part}") for part, one in parts.items() if one is not None)
            case ProcessSymbol(location=location, scope=inner):
                yield location, f"{prefix}{name}.state"
                yield from _variable_names(inner, f"{prefix}{name}.")
