"""The names of a model and what they stand for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from strandline.model.expression import Binary, Const, Expression, Read
from strandline.model.system import Domain, Variable
from strandline.source import Span

BYTE = Domain(0, 255, wraps=True)
INT = Domain(-32768, 32767, wraps=True)
DOMAINS = {"byte": BYTE, "int": INT}
NAMES = {BYTE: "byte", INT: "int"}


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """A named constant, or an array of them. `table` is the variable that stands for the array in the
    System where an index is only known at run time; nothing ever writes it."""

    name: str
    values: tuple[int, ...]
    is_array: bool
    table: Variable | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """A channel. Untyped ones (`types` is None) are a rendezvous whose first use fixes how many values it
    takes. A buffered one is, per field, an array with the oldest message first, and a count."""

    name: str
    types: tuple[Domain, ...] | None
    capacity: int
    fields: tuple[Variable, ...] = ()
    length: Variable | None = None
    message: Variable | None = None
    """Where messages of a rendezvous lie on their way, if they need a place."""
    span: Span | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ProcessSymbol:
    """A process: the variable that holds its location, its own names, and per state the test for being
    there."""

    name: str
    location: Variable
    scope: Names
    tests: dict[str, Expression]

    @classmethod
    def create(cls, name: str, location: Variable, scope: Names) -> ProcessSymbol:
        here = Read(location)
        tests = {state: Binary("==", here, Const(index)) for index, state in enumerate(location.names or ())}
        return cls(name, location, scope, dict(tests))


Symbol: TypeAlias = Constant | Variable | Channel | ProcessSymbol


@dataclass(slots=True, eq=False)
class Names:
    """The names visible in one place. `leaves` has, ready made, what a name alone stands for in an
    expression."""

    parent: Names | None = None
    symbols: dict[str, Symbol] = field(default_factory=dict)
    leaves: dict[str, Expression] = field(default_factory=dict)

    @classmethod
    def root(cls) -> Names:
        return cls(leaves={"true": Const(1), "false": Const(0)})

    def child(self) -> Names:
        """A scope inside this one. It takes over the ready-made leaves, so that one look-up finds any
        name; what this scope declares later does not reach it, except processes, which are no leaves."""
        return Names(self, leaves=dict(self.leaves))

    def declare(self, name: str, symbol: Symbol) -> None:
        """Enter a name, which hides the same name of an enclosing scope."""
        self.symbols[name] = symbol
        if isinstance(symbol, Variable) and symbol.length is None:
            self.leaves[name] = Read(symbol)
        elif isinstance(symbol, Constant) and not symbol.is_array:
            self.leaves[name] = Const(symbol.values[0])
        else:
            self.leaves.pop(name, None)

    def find(self, name: str) -> Symbol | None:
        scope: Names | None = self
        while scope is not None:
            if name in scope.symbols:
                return scope.symbols[name]
            scope = scope.parent
        return None

    def visible(self, *kinds: type[Symbol]) -> Iterator[str]:
        """All visible names, or those of some kinds of symbols."""
        scope: Names | None = self
        while scope is not None:
            yield from (name for name, symbol in scope.symbols.items() if not kinds or isinstance(symbol, kinds))
            scope = scope.parent


def kind_of(symbol: Symbol) -> str:
    """What a symbol is, with its article, for messages."""
    match symbol:
        case Constant():
            return "a constant array" if symbol.is_array else "a constant"
        case Variable(length=length):
            return "a variable" if length is None else "an array"
        case Channel():
            return "a channel"
        case ProcessSymbol():
            return "a process"
