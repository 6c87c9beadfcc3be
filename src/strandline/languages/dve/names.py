"""Symbols of a model, and the scopes in which they are visible."""

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
    """A named constant, or an array of them.

    `table` is a System variable that holds an array for indices known only at run time; no action writes it.
    """

    name: str
    values: tuple[int, ...]
    is_array: bool
    table: Variable | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """A channel: untyped or typed, with a buffer or without.

    Untyped channels (`types` is None) are rendezvous channels whose first use fixes the number of values. A buffered
    channel has an array for each field of its messages, oldest message first, and a variable with their number.
    """

    name: str
    types: tuple[Domain, ...] | None
    capacity: int
    fields: tuple[Variable, ...] = ()
    length: Variable | None = None
    message: Variable | None = None
    """The temporary array for the values of a rendezvous; None if the channel needs none."""
    span: Span | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ProcessSymbol:
    """A process: its location variable, its scope, and `tests`: by state name, the condition that it is there."""

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
    """A scope; `leaves` has the expressions for all names that are expressions by themselves: scalars and constants."""

    parent: Names | None = None
    symbols: dict[str, Symbol] = field(default_factory=dict)
    leaves: dict[str, Expression] = field(default_factory=dict)

    @classmethod
    def root(cls) -> Names:
        return cls(leaves={"true": Const(1), "false": Const(0)})

    def child(self) -> Names:
        """Return an inner scope.

        It copies `leaves`, so that one lookup finds any of them; those declared in this scope later are missing in the
        copy. Processes, which are no leaves, may be declared later.
        """
        return Names(self, leaves=dict(self.leaves))

    def declare(self, name: str, symbol: Symbol) -> None:
        """Declare a name, hiding the same name of an enclosing scope."""
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
        """Yield all visible names, or only those of symbols of the given kinds."""
        scope: Names | None = self
        while scope is not None:
            yield from (name for name, symbol in scope.symbols.items() if not kinds or isinstance(symbol, kinds))
            scope = scope.parent


def kind_of(symbol: Symbol) -> str:
    """Return the kind of a symbol with its article, for messages."""
    match symbol:
        case Constant():
            return "a constant array" if symbol.is_array else "a constant"
        case Variable(length=length):
            return "a variable" if length is None else "an array"
        case Channel():
            return "a channel"
        case ProcessSymbol():
            return "a process"
