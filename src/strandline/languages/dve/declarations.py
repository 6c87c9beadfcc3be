"""From declarations to symbols: constants are evaluated; variables and channels become System variables."""

from __future__ import annotations

from strandline.errors import UsageError, suggestion
from strandline.languages.dve.constants import ConstantEvaluator
from strandline.languages.dve.expressions import ExpressionParser
from strandline.languages.dve.lexer import Tokens
from strandline.languages.dve.names import (
    DOMAINS,
    NAMES,
    Channel,
    Constant,
    Names,
    ProcessSymbol,
    Symbol,
    kind_of,
)
from strandline.languages.dve.syntax import ChannelSyntax, ModelSyntax, ProcessSyntax, VariableSyntax
from strandline.languages.parameters import Given, refuse_unknown, whole_number
from strandline.model.system import Domain, Variable

LONGEST_ARRAY = 1 << 16
LARGEST_CAPACITY = 1 << 10
"""The largest capacity of a channel; a receive shifts the whole buffer by one assignment for each element."""


class Declarations:
    """The symbol tables of a model.

    After construction `root` has the global names, `processes` the processes in the order of the file, and `variables`
    the state variables in their final order: globals, buffers, then for each process its location and its own
    variables.
    """

    def __init__(self, tokens: Tokens, model: ModelSyntax, expressions: ExpressionParser, given: Given) -> None:
        self.tokens = tokens
        self.expressions = expressions
        self._given = given
        known = [tokens.texts[one.name] for one in model.variables if one.constant and one.length is None]
        refuse_unknown(tokens.source.name, given, known, "constant")
        self.variables: list[Variable] = []
        self.root = Names.root()
        self._evaluator = ConstantEvaluator(tokens.source)
        for variable in model.variables:
            self._variable(variable, self.root, None)
        for channel in model.channels:
            self._channel(channel, self.root, None)
        self.processes = tuple(self._process(process) for process in model.processes)

    def _declare(self, symbol: Symbol, place: int, scope: Names) -> None:
        name = self.tokens.texts[place]
        earlier = scope.symbols.get(name)
        if earlier is not None:
            message = f"the name '{name}' is declared already, as {kind_of(earlier)}"
            self.tokens.model_error(message, place)
        scope.declare(name, symbol)

    def constant(self, start: int, scope: Names, *closers: str) -> int:
        """Return the value of the constant expression that begins at token `start` and ends before one of `closers`."""
        expression, end = self.expressions.parse(start, scope, *closers)
        return self._evaluator.value(expression, self.tokens.span(start, end - 1))

    # Variables and constants

    def _variable(self, syntax: VariableSyntax, scope: Names, owner: str | None) -> None:
        domain = DOMAINS[syntax.type]
        length = None if syntax.length is None else self._length(syntax.length, syntax.name, scope)
        values = self._initial(syntax, domain, length, scope)
        if syntax.constant and owner is None and self.tokens.texts[syntax.name] in self._given:
            values = (self._given_value(self.tokens.texts[syntax.name], domain),)
        name = _qualify(self.tokens.texts[syntax.name], owner)
        variable = Variable(name, domain, length, values, owner=owner, span=self.tokens.span(syntax.name))
        if not syntax.constant:
            self._declare(variable, syntax.name, scope)
            self.variables.append(variable)
        elif length is None:
            self._declare(Constant(name, values, False), syntax.name, scope)
        else:
            self._declare(Constant(name, values, True, variable), syntax.name, scope)

    def _given_value(self, name: str, domain: Domain) -> int:
        value = whole_number(name, self._given[name])
        if value not in domain:
            raise UsageError(f"'{name}': {value} does not fit {NAMES[domain]} ({domain.low}..{domain.high})")
        return value

    def _length(self, start: int, name: int, scope: Names) -> int:
        length = self.constant(start, scope, "]")
        if not 1 <= length <= LONGEST_ARRAY:
            text = self.tokens.texts[name]
            self.tokens.model_error(f"array '{text}' needs a length from 1 to {LONGEST_ARRAY}, not {length}", start)
        return length

    def _initial(self, syntax: VariableSyntax, domain: Domain, length: int | None, scope: Names) -> tuple[int, ...]:
        """Return the initial values, one for each array element or one for a scalar.

        Missing values are 0; surplus values are checked and ignored.
        """
        name = self.tokens.texts[syntax.name]
        places = 1 if length is None else length
        if syntax.initial is None:
            if syntax.constant:
                self.tokens.model_error(f"constant '{name}' needs a value", syntax.name)
            return (0,) * places
        if syntax.braces and length is None:
            self.tokens.model_error(f"'{name}' is not an array: its value stands without braces", syntax.name)
        if not syntax.braces and length is not None:
            self.tokens.model_error(f"'{name}' is an array: its values stand in braces", syntax.name)
        closers = (",", "}") if syntax.braces else (",", ";")
        values = [self._fitting(start, domain, scope, *closers) for start in syntax.initial]
        return tuple(values[:places]) + (0,) * (places - len(values))

    def _fitting(self, start: int, domain: Domain, scope: Names, *closers: str) -> int:
        value = self.constant(start, scope, *closers)
        if value not in domain:
            message = f"{value} does not fit {NAMES[domain]} ({domain.low}..{domain.high})"
            self.tokens.model_error(message, start)
        return value

    # Channels

    def _channel(self, syntax: ChannelSyntax, scope: Names, owner: str | None) -> None:
        text, span = self.tokens.texts[syntax.name], self.tokens.span(syntax.name)
        name = _qualify(text, owner)
        capacity = 0 if syntax.capacity is None else self._capacity(syntax.capacity, text, scope)
        if syntax.types is None:
            if capacity:
                message = f"channel '{text}' has a buffer and needs types: channel {{byte}} {text}[{capacity}]"
                self.tokens.model_error(message, syntax.name)
            self._declare(Channel(name, None, 0), syntax.name, scope)
            return
        types = tuple(DOMAINS[kind] for kind in syntax.types)
        if capacity == 0:
            self._declare(Channel(name, types, 0), syntax.name, scope)
            return
        empty = (0,) * capacity
        fields = tuple(
            Variable(f"{name}.{index}", domain, capacity, empty, owner=owner, span=span)
            for index, domain in enumerate(types)
        )
        length = Variable(f"{name}.length", Domain(0, capacity), owner=owner, span=span)
        self._declare(Channel(name, types, capacity, fields, length), syntax.name, scope)
        self.variables += [*fields, length]

    def _capacity(self, start: int, name: str, scope: Names) -> int:
        capacity = self.constant(start, scope, "]")
        if not 0 <= capacity <= LARGEST_CAPACITY:
            message = f"channel '{name}' needs a capacity from 0 to {LARGEST_CAPACITY}, not {capacity}"
            self.tokens.model_error(message, start)
        return capacity

    # Processes

    def _process(self, syntax: ProcessSyntax) -> ProcessSymbol:
        name = self.tokens.texts[syntax.name]
        states = self._states(syntax)
        initial = self.state(syntax.initial, name, states)
        location = Variable(
            name,
            Domain(0, len(states) - 1),
            None,
            (initial,),
            names=tuple(states),
            owner=name,
            span=self.tokens.span(syntax.name),
        )
        scope = self.root.child()
        symbol = ProcessSymbol.create(name, location, scope)
        self._declare(symbol, syntax.name, self.root)
        self.variables.append(location)
        for variable in syntax.variables:
            self._variable(variable, scope, name)
        for channel in syntax.channels:
            self._channel(channel, scope, name)
        self._separate(syntax, states)
        return symbol

    def _states(self, syntax: ProcessSyntax) -> dict[str, int]:
        states: dict[str, int] = {}
        for place in syntax.states:
            name = self.tokens.texts[place]
            if name in states:
                self.tokens.model_error(f"state '{name}' is declared twice", place)
            states[name] = len(states)
        return states

    def _separate(self, syntax: ProcessSyntax, states: dict[str, int]) -> None:
        """Check that states and variables of a process have different names, because `P.name` may be either."""
        places = [variable.name for variable in syntax.variables] + [channel.name for channel in syntax.channels]
        for place in places:
            name = self.tokens.texts[place]
            if name in states:
                self.tokens.model_error(f"the name '{name}' is a state of this process already", place)

    def state(self, place: int, process: str, states: dict[str, int]) -> int:
        """Return the index in `states` of the process state that the token at index `place` names."""
        name = self.tokens.texts[place]
        if name not in states:
            self.tokens.model_error(f"process '{process}' has no state '{name}'" + suggestion(name, states), place)
        return states[name]


def _qualify(name: str, owner: str | None) -> str:
    return name if owner is None else f"{owner}.{name}"
