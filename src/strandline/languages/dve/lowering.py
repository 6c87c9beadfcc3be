"""Lowering of a parsed model to a System."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePath

from strandline.errors import ModelError, suggestion
from strandline.languages.dve.actions import ActionBuilder
from strandline.languages.dve.declarations import Declarations
from strandline.languages.dve.expressions import ExpressionParser
from strandline.languages.dve.lexer import Tokens
from strandline.languages.dve.names import Channel, Constant, ProcessSymbol
from strandline.languages.dve.scope import DveScope, query_names
from strandline.languages.dve.syntax import ModelSyntax, ProcessSyntax
from strandline.languages.dve.transitions import Transition, TransitionReader
from strandline.languages.parameters import Given
from strandline.model.expression import Binary, Const, Read, Unary
from strandline.model.system import Action, Move, Observer, Predicate, Process, System
from strandline.source import Span


def lower(tokens: Tokens, model: ModelSyntax, given: Given) -> System:
    """Lower a model to a System with the given values of constants.

    Raises `ModelError` for an unknown name, a symbol of the wrong kind, or a value outside its range.
    """
    system = _Lowering(tokens, model, given).system()
    return replace(system, parameters=tuple(given.items()))


class _Lowering:
    def __init__(self, tokens: Tokens, model: ModelSyntax, given: Given) -> None:
        self.tokens = tokens
        self.model = model
        self.declarations = Declarations(tokens, model, ExpressionParser(tokens), given)
        self.observer = self._find_observer()
        self.assertions: list[Predicate] = []

    def system(self) -> System:
        ordinary = [symbol for symbol in self.declarations.processes if symbol is not self.observer]
        committed: dict[str, frozenset[int]] = {}
        transitions: list[Transition] = []
        observer: Observer | None = None
        for syntax, symbol in zip(self.model.processes, self.declarations.processes, strict=True):
            reader = TransitionReader(self.declarations, symbol, observer=symbol is self.observer)
            committed[symbol.name] = frozenset(map(reader.state, syntax.committed))
            accepting = frozenset(map(reader.state, syntax.accepting))
            self._assertions(syntax, symbol, reader)
            if symbol is self.observer:
                observer = self._observer(syntax, symbol, accepting, reader, len(ordinary))
            else:
                transitions += reader.read(syntax)
        if self.model.synchronous:
            self._refuse_channels(transitions)
        builder = ActionBuilder(
            self.tokens.source,
            ordinary,
            lambda transition: transition.source in committed[transition.process.name],
        )
        actions = builder.build(transitions)
        tables = [constant.table for constant in self.declarations.expressions.tables if constant.table is not None]
        scope = DveScope(query_names(self.declarations.root, self.declarations.expressions.tables, builder.helpers))
        system = System.create(
            PurePath(self.tokens.source.name).name.removesuffix(".dve"),
            self.tokens.source,
            (*self.declarations.variables, *builder.helpers.values(), *tables),
            tuple(Process(p.name, p.location, committed[p.name], p.location.span) for p in ordinary),
            tuple(actions),
            synchronous=self.model.synchronous,
            observer=observer,
            assertions=tuple(self.assertions),
            scope=scope,
        )
        scope.ask_about(system)
        notes, bounds = tuple(self._notes()), tuple(self._full_channels())
        return replace(system, bounds=bounds, notes=notes, adjustable=tuple(self._constants()))

    def _constants(self) -> Iterator[tuple[str, int]]:
        """Yield the constants that can be given other values when the model is loaded, with their values."""
        for name, symbol in self.declarations.root.symbols.items():
            if isinstance(symbol, Constant) and not symbol.is_array:
                yield name, symbol.values[0]

    def _notes(self) -> Iterator[str]:
        for name, spans in self.declarations.expressions.unindexed.items():
            place = self.tokens.source.where(spans[0])
            others = f" and {len(spans) - 1} more" if len(spans) > 1 else ""
            yield f"warning: {place}{others}: '{name}' is an array; without an index its first element is meant"

    def _full_channels(self) -> Iterator[Predicate]:
        """Yield for each global buffered channel the condition that it is full, which blocks its senders."""
        for name, symbol in self.declarations.root.symbols.items():
            if isinstance(symbol, Channel) and symbol.length is not None:
                full = Binary("==", Read(symbol.length), Const(symbol.capacity))
                yield Predicate(f"{name} ({symbol.capacity})", full)

    def _find_observer(self) -> ProcessSymbol | None:
        place = self.model.property
        if place is None:
            return None
        name = self.tokens.texts[place]
        for symbol in self.declarations.processes:
            if symbol.name == name:
                return symbol
        known = [symbol.name for symbol in self.declarations.processes]
        self.tokens.model_error(f"unknown process '{name}'" + suggestion(name, known), place)

    def _observer(
        self,
        syntax: ProcessSyntax,
        symbol: ProcessSymbol,
        accepting: frozenset[int],
        reader: TransitionReader,
        index: int,
    ) -> Observer:
        """Return the property process; in the moves of its edges it has the process number `index`."""
        if syntax.committed:
            self.tokens.model_error("a property process cannot have committed states", syntax.committed[0])
        edges = tuple(
            Action(edge.title, (Move(index, edge.source, edge.target),), edge.guard, edge.effects, span=edge.span)
            for edge in reader.read(syntax)
        )
        return Observer(symbol.name, symbol.location, edges, accepting, symbol.location.span)

    def _assertions(self, syntax: ProcessSyntax, symbol: ProcessSymbol, reader: TransitionReader) -> None:
        """Collect the assertions of a process: where it is in the named state, the expression must hold."""
        for assertion in syntax.assertions:
            reader.state(assertion.state)
            start, state = assertion.expression, self.tokens.texts[assertion.state]
            expression, end = self.declarations.expressions.parse(start, symbol.scope, ",", ";")
            span = self.tokens.span(start, end - 1)
            text = " ".join(self.tokens.source.text[span.start : span.end].split())
            elsewhere = Unary("not", symbol.tests[state])
            predicate = Binary("or", elsewhere, expression)
            self.assertions.append(Predicate(f"{symbol.name}.{state}: {text}", predicate, span))

    def _refuse_channels(self, transitions: list[Transition]) -> None:
        for transition in transitions:
            if transition.sync is not None:
                span: Span = transition.sync.span
                message = "a synchronous system has no channels: all processes step together"
                raise ModelError(message, self.tokens.source, span)
