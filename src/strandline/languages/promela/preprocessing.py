"""The C preprocessor as Promela models use it: macros, conditional text, included files.

Every token keeps its place in the text that the user wrote, and the chain of expansions it comes from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from strandline.errors import InputError
from strandline.languages import read_text
from strandline.languages.promela.tokens import Token, tokenize
from strandline.source import Source

_DEEPEST = 100
"""Most files included in each other, and most expansions in each other."""
_MOST_TOKENS = 4_000_000
_CHANGES = ("define", "undef", "include")
_REST = "__VA_ARGS__"
"""The parameter for all further arguments, declared as `...`."""


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro: the names of its parameters (None for a macro without parentheses) and its text."""

    name: str
    parameters: tuple[str, ...] | None
    body: tuple[Token, ...]


def preprocess(source: Source, defined: Mapping[str, str]) -> tuple[list[Token], dict[str, Macro]]:
    """Return the tokens of a text after preprocessing, and its macros; `defined` are macros from outside (`-D`)."""
    preprocessor = Preprocessor({})
    for name, text in defined.items():
        body = [one for one in tokenize(Source(f"-D{name}", text)) if one.kind != "line"]
        preprocessor.macros[name] = Macro(name, None, tuple(body))
    tokens = list(preprocessor.read(source, 0))
    place = tokenize(source)[-1]
    return [*tokens, replace(place, kind="end", text="the end of the text")], preprocessor.macros


class Preprocessor:
    """Executes directives and expands macros."""

    def __init__(self, macros: dict[str, Macro]) -> None:
        self.macros = macros
        self.made = 0

    def read(self, source: Source, depth: int) -> Iterator[Token]:
        """Yield the tokens of a file, with directives executed and macros expanded."""
        conditions: list[_Condition] = []
        pending: list[Token] = []
        for line in _lines(tokenize(source)):
            if line and line[0].text == "#":
                if len(line) > 1 and line[1].text in _CHANGES:
                    # Conditions may stand inside the arguments of a macro; these may not.
                    yield from self.expand(pending, frozenset())
                    pending = []
                yield from self._directive(line, conditions, depth)
            elif all(one.active for one in conditions):
                pending += line
        if conditions:
            conditions[-1].token.parse_error("this condition has no #endif")
        yield from self.expand(pending, frozenset())

    # --- directives -------------------------------------------------------------------------------------------

    def _directive(self, line: list[Token], conditions: list[_Condition], depth: int) -> Iterator[Token]:
        if len(line) == 1 or line[1].kind == "number":
            return
        name, rest = line[1], line[2:]
        if name.text in ("if", "ifdef", "ifndef", "elif", "else", "endif"):
            self._condition(name, rest, conditions)
        elif all(one.active for one in conditions):
            match name.text:
                case "define":
                    self._define(name, rest)
                case "undef":
                    self.macros.pop(_the_name(name, rest), None)
                case "include":
                    yield from self._include(name, rest, depth)
                case "error":
                    name.parse_error("#error " + " ".join(one.text for one in rest))
                case "pragma" | "line" | "ident" | "warning":
                    pass
                case _:
                    name.parse_error(f"unknown directive '#{name.text}'")

    def _condition(self, name: Token, rest: list[Token], conditions: list[_Condition]) -> None:
        if name.text in ("if", "ifdef", "ifndef"):
            outside = all(one.active for one in conditions)
            conditions.append(_Condition(name, outside and self._holds(name, rest), outside))
            conditions[-1].taken = conditions[-1].active
            return
        if not conditions:
            name.parse_error(f"#{name.text} without #if")
        here = conditions[-1]
        if name.text == "endif":
            conditions.pop()
        elif name.text == "else":
            here.active = here.outside and not here.taken
            here.taken = True
        else:
            here.active = here.outside and not here.taken and self._holds(name, rest)
            here.taken = here.taken or here.active

    def _holds(self, name: Token, rest: list[Token]) -> bool:
        if name.text in ("ifdef", "ifndef"):
            return (_the_name(name, rest) in self.macros) == (name.text == "ifdef")
        return bool(_Arithmetic(name, list(self.expand(self._resolve_defined(rest), frozenset()))).value())

    def _resolve_defined(self, tokens: list[Token]) -> list[Token]:
        """Replace `defined(NAME)` by 1 or 0."""
        found, at = [], 0
        while at < len(tokens):
            token = tokens[at]
            if token.text != "defined":
                found.append(token)
                at += 1
                continue
            bracket = at + 1 < len(tokens) and tokens[at + 1].text == "("
            place = at + 1 + bracket
            if place >= len(tokens):
                token.parse_error("'defined' needs a name")
            found.append(replace(token, kind="number", text=str(int(tokens[place].text in self.macros))))
            at = place + 1 + bracket
        return found

    def _define(self, directive: Token, rest: list[Token]) -> None:
        name = _the_name(directive, rest)
        parameters: tuple[str, ...] | None = None
        body = rest[1:]
        if body and body[0].text == "(" and not body[0].spaced:
            end = next((number for number, one in enumerate(body) if one.text == ")"), None)
            if end is None:
                directive.parse_error(f"the parameters of '{name}' have no ')'")
            parameters = tuple(one.text for one in body[1:end] if one.text != ",")
            parameters = tuple(_REST if one == "..." else one for one in parameters)
            body = body[end + 1 :]
        self.macros[name] = Macro(name, parameters, tuple(body))

    def _include(self, directive: Token, rest: list[Token], depth: int) -> Iterator[Token]:
        if depth >= _DEEPEST:
            directive.parse_error("files include each other without end")
        if not rest or rest[0].kind != "string":
            directive.parse_error("#include needs the name of a file in quotation marks")
        path = Path(directive.source.name).parent / rest[0].text[1:-1]
        try:
            text = read_text(path)
        except InputError as error:
            rest[0].parse_error(error.message)
        yield from self.read(Source(str(path), text), depth + 1)

    # --- macros -----------------------------------------------------------------------------------------------

    def expand(self, tokens: list[Token], hidden: frozenset[str]) -> Iterator[Token]:
        """Yield the tokens with macros expanded, except those whose names are `hidden`."""
        if len(hidden) > _DEEPEST:
            tokens[0].parse_error("macros expand to each other without end")
        at = 0
        while at < len(tokens):
            token = tokens[at]
            at += 1
            macro = self.macros.get(token.text) if token.kind == "name" and token.text not in hidden else None
            if macro is None:
                self.made += 1
                if self.made > _MOST_TOKENS:
                    token.parse_error("macros expand to more than 4 million tokens")
                yield token
                continue
            arguments: list[list[Token]] = []
            if macro.parameters is not None:
                following = next((n for n in range(at, len(tokens)) if tokens[n].kind != "line"), len(tokens))
                if following == len(tokens) or tokens[following].text != "(":
                    yield token
                    continue
                arguments, at = _arguments(token, tokens, following)
            replaced = self._replace(token, macro, arguments, hidden)
            further = tokens[at:]
            inner = list(self.expand(replaced, hidden | {macro.name}))
            if inner and further and self._takes_arguments(inner[-1], hidden | {macro.name}, further):
                # The name of a macro at the end of an expansion takes its arguments from the text behind it.
                yield from inner[:-1]
                yield from self.expand([inner[-1], *further], hidden)
                return
            yield from inner

    def _takes_arguments(self, last: Token, hidden: frozenset[str], further: list[Token]) -> bool:
        macro = self.macros.get(last.text)
        takes = macro is not None and macro.parameters is not None and macro.name not in hidden
        return takes and further[0].text == "("

    def _replace(self, place: Token, macro: Macro, arguments: list[list[Token]], hidden: frozenset[str]) -> list[Token]:
        names = macro.parameters or ()
        if macro.parameters is not None:
            if len(arguments) == 1 and not arguments[0] and not names:
                arguments = []
            if names and names[-1] == _REST and len(arguments) >= len(names) - 1:
                arguments = _join_rest(arguments, len(names) - 1, place)
            if len(arguments) != len(names):
                place.parse_error(f"the macro '{macro.name}' takes {len(names)} arguments, not {len(arguments)}")
        given = dict(zip(names, arguments, strict=True))
        found: list[Token] = []
        body, at = macro.body, 0
        while at < len(body):
            token = body[at]
            pasted = (at + 1 < len(body) and body[at + 1].text == "##") or (at > 0 and body[at - 1].text == "##")
            if token.text == "#" and at + 1 < len(body) and body[at + 1].text in given:
                text = " ".join(one.text for one in given[body[at + 1].text])
                found.append(replace(token.moved(place, macro.name), kind="string", text=f'"{text}"'))
                at += 2
                continue
            if token.text in given:
                argument = given[token.text]
                found += argument if pasted else self.expand(argument, hidden)
            else:
                found.append(token.moved(place, macro.name))
            at += 1
        return _paste(found)


@dataclass(slots=True)
class _Condition:
    token: Token
    active: bool
    outside: bool
    """True if the text around the condition is active."""
    taken: bool = False


def _lines(tokens: list[Token]) -> Iterator[list[Token]]:
    line: list[Token] = []
    for token in tokens:
        if token.kind == "line":
            yield line
            line = []
        else:
            line.append(token)


def _the_name(directive: Token, rest: list[Token]) -> str:
    if not rest or rest[0].kind != "name":
        directive.parse_error(f"#{directive.text} needs a name")
    return rest[0].text


def _arguments(macro: Token, tokens: list[Token], at: int) -> tuple[list[list[Token]], int]:
    """Return the arguments in parentheses from a position on, and the position behind them."""
    depth, arguments = 0, [[]]  # type: tuple[int, list[list[Token]]]
    for number in range(at, len(tokens)):
        token = tokens[number]
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if depth == 0:
            return arguments, number + 1
        if token.text == "," and depth == 1:
            arguments.append([])
        elif number > at:
            arguments[-1].append(token)
    macro.parse_error(f"the arguments of the macro '{macro.text}' have no end")


def _join_rest(arguments: list[list[Token]], count: int, place: Token) -> list[list[Token]]:
    """Join the arguments behind the first ones to one, with commas between them."""
    rest: list[Token] = []
    for argument in arguments[count:]:
        rest += [*([replace(place, kind="sign", text=",")] if rest else []), *argument]
    return [*arguments[:count], rest]


def _paste(tokens: list[Token]) -> list[Token]:
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        if tokens[at].text == "##" and found and at + 1 < len(tokens):
            before = found.pop()
            joined = before.text + tokens[at + 1].text
            found += [replace(before, kind=one.kind, text=one.text) for one in tokenize(Source("", joined))[:-1]]
            at += 2
        else:
            found.append(tokens[at])
            at += 1
    return found


_LEVELS = (("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="), ("+", "-"), ("*", "/", "%"))


class _Arithmetic:
    """The value of the condition of an #if."""

    def __init__(self, directive: Token, tokens: list[Token]) -> None:
        self.directive, self.tokens, self.at = directive, tokens, 0

    def value(self) -> int:
        result = self._level(0)
        if self.at < len(self.tokens):
            self.tokens[self.at].parse_error("this does not belong to the condition")
        return result

    def _peek(self) -> str:
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def _level(self, level: int) -> int:
        if level == len(_LEVELS):
            return self._primary()
        left = self._level(level + 1)
        while self._peek() in _LEVELS[level]:
            operator = self._peek()
            self.at += 1
            left = self._apply(operator, left, self._level(level + 1))
        return left

    def _apply(self, operator: str, left: int, right: int) -> int:
        if operator in ("/", "%"):
            if right == 0:
                self.directive.parse_error("division by zero in the condition")
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            return quotient if operator == "/" else left - quotient * right
        results = {
            "||": int(bool(left or right)), "&&": int(bool(left and right)), "|": left | right, "^": left ^ right,
            "&": left & right, "==": int(left == right), "!=": int(left != right), "<": int(left < right),
            "<=": int(left <= right), ">": int(left > right), ">=": int(left >= right), "+": left + right,
            "-": left - right, "*": left * right,
        }  # fmt: skip
        return results[operator]

    def _primary(self) -> int:
        if self.at >= len(self.tokens):
            self.directive.parse_error("the condition is not complete")
        token = self.tokens[self.at]
        self.at += 1
        if token.text in ("!", "-", "+", "~"):
            operand = self._primary()
            return {"!": int(not operand), "-": -operand, "+": operand, "~": ~operand}[token.text]
        if token.text == "(":
            inner = self._level(0)
            if self._peek() != ")":
                token.parse_error("this parenthesis is not closed")
            self.at += 1
            return inner
        if token.kind == "name":
            return 0
        try:
            return int(token.text.rstrip("uUlL"), 0)
        except ValueError:
            token.parse_error("this is no number")
