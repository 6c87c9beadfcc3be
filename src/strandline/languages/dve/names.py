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

    `table` is the System variable that holds the array for indices known only at run time; it is never written.
    """

    name: str
    values: tuple[int, ...]
    is_array: bool
    table: Variable | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """A channel.

    Untyped channels (`types` is None) are rendezvous channels whose first use fixes the number of values. A buffered
    channel has an array for each field, with the oldest message first, and a count.
    """

    name: str
    types: tuple[Domain, ...] | None
    capacity: int
    fields: tuple[Variable, ...] = ()
    length: Variable | None = None
    message: Variable | None = None
    """A temporary variable for messages of a rendezvous, if they need one."""
    span: Span | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ProcessSymbol:
    """A process: its location variable, its scope, and for each state the test that the process is there."""

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
    """A scope; `leaves` holds the expressions of all names that are complete expressions by themselves."""

    parent: Names | None = None
    symbols: dict[str, Symbol] = field(default_factory=dict)
    leaves: dict[str, Expression] = field(default_factory=dict)

    @classmethod
    def root(cls) -> Names:
        return cls(leaves={"true": Const(1), "false": Const(0)})

    def child(self) -> Names:
        """Return an inner scope.

        It copies the leaves, so that one lookup finds any name; later declarations in this scope do not reach it,
        except processes, which are no leaves.
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
        """Yield all visible names, or those of some kinds of symbols."""
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
