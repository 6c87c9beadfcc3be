"""Transitions of one process: guards, effects and synchronisation, before senders and receivers are joined."""

from __future__ import annotations

from dataclasses import dataclass

from strandline.errors import suggestion
from strandline.languages.dve.declarations import Declarations
from strandline.languages.dve.names import Channel, Names, ProcessSymbol, kind_of
from strandline.languages.dve.syntax import ProcessSyntax, TransitionSyntax
from strandline.model.expression import Const, Element, Expression, Read, conjunction
from strandline.model.system import Assign, Variable
from strandline.source import Span


@dataclass(frozen=True, slots=True)
class Synchronisation:
    """A synchronisation: `c!values` (`sends` is True) or `c?targets`."""

    channel: Channel
    sends: bool
    values: tuple[Expression, ...]
    targets: tuple[Read | Element, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Transition:
    """A transition of one process; `effects` begin with the change of location, if there is one."""

    process: ProcessSymbol
    source: int
    target: int
    guard: Expression | None
    sync: Synchronisation | None
    effects: tuple[Assign, ...]
    span: Span

    @property
    def title(self) -> str:
        names = self.process.location.names or ()
        return f"{self.process.name}: {names[self.source]} -> {names[self.target]}"


class TransitionReader:
    """Reads the transitions of one process.

    `observer` marks the property process, which may write only its own variables and may not synchronise.
    """

    def __init__(self, declarations: Declarations, process: ProcessSymbol, *, observer: bool) -> None:
        self._declarations = declarations
        self._tokens = declarations.tokens
        self._texts = declarations.tokens.texts
        self._expressions = declarations.expressions
        self._process = process
        self._scope = process.scope
        self._states = {name: index for index, name in enumerate(process.location.names or ())}
        self._observer = observer

    def read(self, syntax: ProcessSyntax) -> list[Transition]:
        return [self._transition(transition) for transition in syntax.transitions]

    def state(self, place: int) -> int:
        return self._declarations.state(place, self._process.name, self._states)

    def _transition(self, syntax: TransitionSyntax) -> Transition:
        source, target = self.state(syntax.source), self.state(syntax.target)
        guard = None if syntax.guard is None else self._guard(syntax.guard)
        sync = None if syntax.sync is None else self._synchronisation(syntax.sync)
        effects = [] if syntax.effect is None else self._effects(syntax.effect)
        span = self._tokens.span(syntax.first, syntax.target)
        if source != target:
            effects.insert(0, Assign(Read(self._process.location), Const(target), span))
        return Transition(self._process, source, target, guard, sync, tuple(effects), span)

    def _guard(self, start: int) -> Expression | None:
        """Parse a guard: one condition, or several separated by commas, all of which must hold."""
        guard, end = self._expressions.parse(start, self._scope, ";", ",")
        while self._texts[end] == ",":
            further, end = self._expressions.parse(end + 1, self._scope, ";", ",")
            joined = conjunction(guard, further)
            guard = further if joined is None else joined
        return guard

    # Effects

    def _effects(self, place: int) -> list[Assign]:
        effects: list[Assign] = []
        while True:
            first = place
            target, place = self._target(place)
            if self._texts[place] != "=":
                found = self._tokens.describe(place)
                self._tokens.syntax_error(f"expected '=', found {found}{self._instead(first, place)}", place)
            value, place = self._expressions.parse(place + 1, self._scope, ",", ";")
            effects.append(Assign(target, value, self._tokens.span(first, place - 1)))
            if self._texts[place] == ";":
                return effects
            place += 1

    def _instead(self, first: int, place: int) -> str:
        """Return a hint how to write `x++` or `x += 2` in DVE; empty if the tokens are neither."""
        sign, behind = self._texts[place : place + 2]
        if sign not in ("+", "-") or behind not in ("=", sign):
            return ""
        span = self._tokens.span(first, place - 1)
        target = self._tokens.source.text[span.start : span.end]
        return f"; write '{target} = {target} {sign} {'...' if behind == '=' else 1}'"

    def _target(self, place: int) -> tuple[Read | Element, int]:
        """Parse a variable or array element that this process may write; return it and the index of the next token."""
        name = self._texts[place]
        if not self._tokens.is_name(place):
            self._tokens.syntax_error(f"expected a variable, found {self._tokens.describe(place)}", place)
        symbol = self._scope.find(name)
        if symbol is None:
            known = self._scope.visible(Variable)
            self._tokens.model_error(f"unknown variable '{name}'" + suggestion(name, known), place)
        if isinstance(symbol, ProcessSymbol) and self._texts[place + 1] in ("->", "."):
            self._tokens.model_error("a process cannot write a variable of another process", place, place + 2)
        if not isinstance(symbol, Variable):
            self._tokens.model_error(f"'{name}' is {kind_of(symbol)} and cannot be assigned", place)
        if self._observer and symbol.owner != self._process.name:
            message = f"a property process can only write its own variables, and '{name}' is global"
            self._tokens.model_error(message, place)
        return self._place(symbol, place)

    def _place(self, variable: Variable, place: int) -> tuple[Read | Element, int]:
        indexed = self._texts[place + 1] == "["
        if variable.length is None:
            if indexed:
                self._tokens.model_error(f"'{self._texts[place]}' is not an array", place)
            return Read(variable), place + 1
        if not indexed:
            return Element(variable, self._expressions.first_index(self._texts[place], place, place)), place + 1
        index, end = self._expressions.parse(place + 2, self._scope, "]")
        return Element(variable, index, self._tokens.span(place, end)), end + 1

    # Synchronisation

    def _synchronisation(self, place: int) -> Synchronisation:
        first = place
        channel, place = self._channel(place)
        if self._observer:
            self._tokens.model_error("a property process cannot synchronise", first, place - 1)
        mark = self._texts[place]
        if mark not in ("!", "?"):
            self._tokens.syntax_error(f"expected '!' or '?', found {self._tokens.describe(place)}", place)
        values: list[Expression] = []
        targets: list[Read | Element] = []
        place += 1
        if self._texts[place] == ";":
            pass
        elif self._texts[place] == "{":
            while self._texts[place] != "}":
                place = self._item(mark, place + 1, values, targets, ",", "}")
            place += 1
        else:
            place = self._item(mark, place, values, targets, ";")
        if self._texts[place] != ";":
            self._tokens.syntax_error(f"expected ';', found {self._tokens.describe(place)}", place)
        span = self._tokens.span(first, place - 1)
        return Synchronisation(channel, mark == "!", tuple(values), tuple(targets), span)

    def _item(
        self, mark: str, place: int, values: list[Expression], targets: list[Read | Element], *closers: str
    ) -> int:
        """Parse one value to send or one variable to receive; return the index of the next token."""
        if mark == "!":
            value, place = self._expressions.parse(place, self._scope, *closers)
            values.append(value)
            return place
        target, place = self._target(place)
        targets.append(target)
        if self._texts[place] not in closers:
            wanted = " or ".join(f"'{closer}'" for closer in closers)
            self._tokens.syntax_error(f"expected {wanted}, found {self._tokens.describe(place)}", place)
        return place

    def _channel(self, place: int) -> tuple[Channel, int]:
        """Parse a channel, `c`, or `P->c` if process P declares it; return it and the index of the next token."""
        if not self._tokens.is_name(place):
            self._tokens.syntax_error(f"expected a channel, found {self._tokens.describe(place)}", place)
        scope: Names = self._scope
        if self._texts[place + 1] == "->":
            owner = scope.find(self._texts[place])
            if not isinstance(owner, ProcessSymbol):
                self._tokens.model_error(f"unknown process '{self._texts[place]}'", place)
            scope, place = owner.scope, place + 2
        name = self._texts[place]
        symbol = scope.find(name)
        if symbol is None:
            self._tokens.model_error(f"unknown channel '{name}'" + suggestion(name, scope.visible(Channel)), place)
        if not isinstance(symbol, Channel):
            self._tokens.model_error(f"'{name}' is {kind_of(symbol)}, not a channel", place)
        return symbol, place + 1
