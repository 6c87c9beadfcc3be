"""From tokens to expressions: an operator-precedence parser with two stacks, without recursion.

Precedence of operators, lowest first; operators on one line have equal precedence and associate to the left, as in the
grammar of DiVinE (so `a or b and c` is `(a or b) and c`):

    imply
    or  and
    |  &  ^
    ==  !=
    <  <=  >  >=
    <<  >>
    +  -
    *  /  %
    not  -  ~          (prefix)

The parser does not recurse, so that no input can exhaust Python's stack, and it shares equal subexpressions without a
source position: generated models repeat the same comparisons tens of thousands of times.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NoReturn, Protocol

from strandline.errors import suggestion
from strandline.languages.dve.lexer import Tokens
from strandline.languages.dve.names import Channel, Constant, Names, ProcessSymbol, kind_of
from strandline.model.expression import DEEPEST, Binary, Const, Element, Expression, Read, Unary, children
from strandline.model.system import Variable
from strandline.source import Span, saturated_int

_PREFIX = {"-": "-", "~": "~", "not": "not", "!": "not"}
_PREFIX_LEVEL = 9
_OPENING_LEVEL = -1
_LEVELS = {
    token: level
    for level, tokens in enumerate(
        ("imply", "or and || &&", "| & ^", "== !=", "< <= > >=", "<< >>", "+ -", "* / %"), start=1
    )
    for token in tokens.split()
}
_SPELLING = {"||": "or", "&&": "and"}
_MAY_FAULT = frozenset({"+", "-", "*", "/", "%", "<<", ">>"})
"""Operators that can fault at run time; expressions with them keep their source positions."""

_MIXED_LEVELS = frozenset({_LEVELS["or"], _LEVELS["|"]})
"""Precedence levels whose operators have different precedences in other languages."""

_DEEPEST_IN_MODELS = 400
"""The deepest nesting of an expression in a model; limited, because constant ones are evaluated recursively."""
QUESTIONS = ("enabled", "taken")
"""Functions of a process, such as `enabled(P)`, allowed in expressions outside of the model."""
LOCATION = "state"
"""The word for the location of a process, as in `P.state`; a keyword, so that it clashes with no name."""


class Asked(Protocol):
    """An object that answers questions about the steps of processes, such as `enabled(P)`, by expressions."""

    @property
    def processes(self) -> Collection[str]:
        """The names of the processes that questions can be about."""

    def answer(self, question: str, process: str) -> Expression:
        """Return the answer to one of `QUESTIONS` about a process, as an expression."""


class ExpressionParser:
    """Parses expressions from one token list.

    `tables` collects the constant arrays that are indexed at run time. A strict parser refuses `a or b and c` and `not
    a == b`: model files have DVE's precedence, but authors of new expressions may expect another language's.
    """

    def __init__(self, tokens: Tokens, *, strict: bool = False, asked: Asked | None = None) -> None:
        """Create a parser; `asked` answers `enabled(P)` and `taken(P)`, if these are allowed."""
        self.tokens, self.asked = tokens, asked
        self.tables: dict[Constant, None] = {}
        self.unindexed: dict[str, list[Span]] = {}
        """Source positions of array names without an index, which mean the first element, as in DiVinE."""
        self._strict = strict
        self._shared: dict[tuple[object, ...], Expression] = {}

    def parse(self, start: int, scope: Names, *closers: str) -> tuple[Expression, int]:
        """Parse the expression that begins at the token with index `start`.

        Returns the expression and the index of the token behind it, which must be one of `closers`.
        """
        expression, end = self._read(start, scope)
        if self.tokens.texts[end] not in closers:
            self._unexpected(end, closers)
        deepest = DEEPEST if self._strict else _DEEPEST_IN_MODELS
        if end - start > deepest and _depth(expression) > deepest:
            message = f"the expression is nested deeper than {deepest} levels"
            self.tokens.model_error(message, start, end - 1)
        return expression, end

    def _read(self, start: int, scope: Names) -> tuple[Expression, int]:
        texts, leaves, strict = self.tokens.texts, scope.leaves, self._strict
        operands: list[Expression] = []
        begins: list[int] = []
        operators: list[str] = []
        levels: list[int] = []
        places: list[int] = []
        arrays: list[Variable | Constant] = []
        place = start
        while True:
            # Expect an operand.
            token = texts[place]
            leaf = leaves.get(token)
            if leaf is not None:
                operands.append(leaf)
                begins.append(place)
                place += 1
            elif token == "(" or token in _PREFIX:
                operators.append(_PREFIX.get(token, token))
                levels.append(_OPENING_LEVEL if token == "(" else _PREFIX_LEVEL)
                places.append(place)
                place += 1
                continue
            else:
                first = place
                found, place = self._name(place, scope)
                if isinstance(found, Variable | Constant):
                    operators.append("[")
                    levels.append(_OPENING_LEVEL)
                    places.append(first)
                    arrays.append(found)
                    continue
                operands.append(found)
                begins.append(first)
            # Expect an operator or a closing token.
            while True:
                token = texts[place]
                level = _LEVELS.get(token)
                if level is None:
                    level = 0
                while levels and levels[-1] >= level:
                    if strict and level:
                        self._refuse_mixture(operators[-1], levels[-1], place)
                    right = operands.pop()
                    operator, at = operators.pop(), places.pop()
                    if levels.pop() == _PREFIX_LEVEL:
                        operands.append(self._unary(operator, right, at, place))
                        begins[-1] = at
                    else:
                        begins.pop()
                        operands[-1] = self._binary(operator, operands[-1], right, begins[-1], place)
                if level:
                    operators.append(_SPELLING.get(token, token))
                    levels.append(level)
                    places.append(place)
                    place += 1
                    break
                if not operators:
                    return operands[0], place
                opening = operators[-1]
                if token != (")" if opening == "(" else "]"):
                    self._unclosed(opening, places[-1], place)
                operators.pop()
                levels.pop()
                begins[-1] = places.pop()
                if opening == "[":
                    operands[-1] = self._element(arrays.pop(), operands[-1], begins[-1], place)
                place += 1

    # Nodes

    def _unary(self, operator: str, operand: Expression, at: int, end: int) -> Expression:
        if operator == "-":
            # A parenthesised number is not a literal.
            if isinstance(operand, Const) and end - at == 2:
                return Const(-operand.value)
            return Unary("-", operand, self.tokens.span(at, end - 1))
        key = (operator, id(operand))
        shared = self._shared.get(key)
        if shared is None:
            shared = self._shared[key] = Unary(operator, operand)
        return shared

    def _binary(self, operator: str, left: Expression, right: Expression, begin: int, end: int) -> Expression:
        if operator in _MAY_FAULT:
            return Binary(operator, left, right, self.tokens.span(begin, end - 1))
        # The shared node keeps both operands alive, so their ids cannot be reused while the entry exists.
        key = (operator, id(left), id(right))
        shared = self._shared.get(key)
        if shared is None:
            shared = self._shared[key] = Binary(operator, left, right)
        return shared

    def _element(self, array: Variable | Constant, index: Expression, begin: int, end: int) -> Expression:
        inside = isinstance(index, Const) and 0 <= index.value < _length(array)
        if isinstance(array, Constant):
            if isinstance(index, Const) and inside:
                return Const(array.values[index.value])
            variable = self._table(array, begin)
        else:
            variable = array
        if not inside:
            return Element(variable, index, self.tokens.span(begin, end))
        key = (variable, index)
        shared = self._shared.get(key)
        if shared is None:
            shared = self._shared[key] = Element(variable, index)
        return shared

    def _table(self, constant: Constant, place: int) -> Variable:
        if constant.table is None:
            message = f"constant array '{constant.name}' can only be used with a constant index here"
            self.tokens.model_error(message, place)
        self.tables[constant] = None
        return constant.table

    # Names

    def _name(self, place: int, scope: Names) -> tuple[Expression | Variable | Constant, int]:
        """Parse a name, a number or a question that `scope.leaves` does not contain.

        Returns an expression, or the array if its name and an opening bracket were read; and the index of the next
        token.
        """
        text = self.tokens.texts[place]
        if text[:1].isdigit():
            leaf = scope.leaves[text] = Const(int(text))
            return leaf, place + 1
        if not self.tokens.is_name(place):
            self.tokens.syntax_error(f"expected an expression, found {self.tokens.describe(place)}", place)
        if self.tokens.texts[place + 1] in (".", "->"):
            return self._member(place, scope)
        if self.asked is not None and text in QUESTIONS and self.tokens.texts[place + 1] == "(":
            return self._question(self.asked, place)
        symbol = scope.find(text)
        if symbol is None:
            self.tokens.model_error(f"unknown name '{text}'" + _meant(text, scope), place)
        if isinstance(symbol, ProcessSymbol):
            self.tokens.model_error(f"'{text}' is a process; write '{text}.' and the name of a state", place)
        if isinstance(symbol, Channel):
            self.tokens.model_error(f"'{text}' is a channel and has no value", place)
        return self._open_array(symbol, place, place)

    def _question(self, asked: Asked, place: int) -> tuple[Expression, int]:
        """Parse `enabled(P)` or `taken(P)`: the process can take a step, or took part in the last one."""
        texts, name = self.tokens.texts, place + 2
        if texts[name] not in asked.processes:
            self.tokens.model_error(f"unknown process '{texts[name]}'" + suggestion(texts[name], asked.processes), name)
        if texts[name + 1] != ")":
            self.tokens.syntax_error(f"expected ')', found {self.tokens.describe(name + 1)}", name + 1)
        return asked.answer(texts[place], texts[name]), name + 2

    def _open_array(
        self, array: Variable | Constant, first: int, last: int
    ) -> tuple[Expression | Variable | Constant, int]:
        if self.tokens.texts[last + 1] == "[":
            return array, last + 2
        name = "".join(self.tokens.texts[first : last + 1])
        if self._strict:
            self.tokens.model_error(f"'{name}' is an array and needs an index", first, last)
        return self._element(array, self.first_index(name, first, last), first, last), last + 1

    def first_index(self, name: str, first: int, last: int) -> Const:
        """Return the index 0 for an array named without an index, and record the source position for a warning."""
        self.unindexed.setdefault(name, []).append(self.tokens.span(first, last))
        return Const(0)

    def _member(self, place: int, scope: Names) -> tuple[Expression | Variable | Constant, int]:
        """Parse `P.state`, `P->x` or `P->a[i]`; `P.x` and `c.length` of buffered channels are accepted too."""
        texts, last = self.tokens.texts, place + 2
        owner, name = texts[place], texts[last]
        located = self._strict and name == LOCATION
        if not self.tokens.is_name(last) and not name.isdigit() and not located:
            self.tokens.syntax_error(f"expected a name, found {self.tokens.describe(last)}", last)
        symbol = scope.find(owner)
        if symbol is None:
            names = scope.visible(ProcessSymbol)
            self.tokens.model_error(f"unknown process '{owner}'" + suggestion(owner, names), place)
        if isinstance(symbol, Channel):
            return self._channel_part(symbol, place, last)
        if not isinstance(symbol, ProcessSymbol):
            self.tokens.model_error(f"'{owner}' is {kind_of(symbol)}, not a process", place)
        if texts[place + 1] == "." and name in symbol.tests:
            return symbol.tests[name], last + 1
        if self._strict and name == LOCATION:
            return Read(symbol.location), last + 1
        leaf = symbol.scope.leaves.get(name)
        member = symbol.scope.symbols.get(name)
        if leaf is not None and member is not None:
            return leaf, last + 1
        if isinstance(member, Variable | Constant):
            return self._open_array(member, place, last)
        if isinstance(member, Channel) and texts[last + 1] == ".":
            return self._channel_part(member, place, last + 2)
        known = [*symbol.scope.symbols] if texts[place + 1] == "->" else [*symbol.tests, *symbol.scope.symbols]
        kind = "variable" if texts[place + 1] == "->" else "state"
        shared = isinstance(scope.find(name), Variable | Constant)
        hint = suggestion(name, known) or (f"; it is known here without '{owner}.'" if shared else "")
        self.tokens.model_error(f"process '{owner}' has no {kind} '{name}'{hint}", last)

    def _channel_part(self, channel: Channel, place: int, last: int) -> tuple[Expression | Variable | Constant, int]:
        """Parse a part of channel c: `c.length`, `c.0[i]` (a field of its messages) or `c.message[i]`."""
        name = self.tokens.texts[last]
        if channel.message is not None and name == "message":
            return self._open_array(channel.message, place, last)
        if channel.length is not None and name == "length":
            return Read(channel.length), last + 1
        if name.isdecimal() and saturated_int(name) < len(channel.fields):
            return self._open_array(channel.fields[int(name)], place, last)
        self.tokens.model_error(f"channel '{channel.name}' has no '{name}'", place, last)

    # Complaints

    def _unexpected(self, place: int, closers: tuple[str, ...]) -> NoReturn:
        token = self.tokens.texts[place]
        if token == "[" and self.tokens.is_name(place - 1):
            self.tokens.model_error(f"'{self.tokens.texts[place - 1]}' is not an array", place - 1)
        if token in (".", "->") and self.tokens.is_name(place - 1):
            self.tokens.model_error(f"'{self.tokens.texts[place - 1]}' is not a process", place - 1)
        if token == "=":
            self.tokens.syntax_error("'=' assigns; to compare write '=='", place)
        wanted = [f"'{closer}'" if closer else "the end of the text" for closer in closers]
        message = f"expected an operator or {' or '.join(wanted)}, found {self.tokens.describe(place)}"
        self.tokens.syntax_error(message, place)

    def _unclosed(self, opening: str, at: int, place: int) -> NoReturn:
        if self.tokens.texts[place] in ("=", "[", ".", "->"):
            self._unexpected(place, ())
        closing = ")" if opening == "(" else "]"
        where = "" if opening == "(" else f" of '{self.tokens.texts[at]}'"
        found = self.tokens.describe(place)
        self.tokens.syntax_error(f"expected an operator or the '{closing}'{where}, found {found}", place)

    def _refuse_mixture(self, before: str, before_level: int, place: int) -> None:
        """Refuse operators that other languages would group differently: `a or b and c`, `not a == b`."""
        token = self.tokens.texts[place]
        level = _LEVELS[token]
        if before_level == level and level in _MIXED_LEVELS and before != _SPELLING.get(token, token):
            strength = f"'{before}' and '{token}' are equally strong"
        elif before == "not" and level > _LEVELS["and"]:
            strength = f"'not' is stronger than '{token}'"
        else:
            return
        self.tokens.syntax_error(f"{strength} in DVE: write parentheses to say what is meant", place)


def _meant(name: str, scope: Names) -> str:
    """Return a hint for an unknown name: a state of that name, or a similar name; empty if there is none."""
    names = list(dict.fromkeys(scope.visible(Constant, Variable, ProcessSymbol)))
    processes = [symbol for one in names if isinstance(symbol := scope.find(one), ProcessSymbol)]
    owners = [one.name for one in processes if name in one.tests]
    if owners:
        return f"; it is a state: write '{owners[0]}.{name}'"
    return suggestion(name, names)


def _length(array: Variable | Constant) -> int:
    return array.slots if isinstance(array, Variable) else len(array.values)


def _depth(expression: Expression) -> int:
    """Return the nesting depth of an expression, level by level; each shared node counts once per level."""
    depth, level = 0, {id(expression): expression}
    while level:
        depth += 1
        level = {id(child): child for node in level.values() for child in children(node)}
    return depth
