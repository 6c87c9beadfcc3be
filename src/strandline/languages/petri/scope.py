"""The scope of a net: places and transitions by their ids, in expressions over token counts.

Expressions are those of `strandline.model.plain`, in which a place is the number of its tokens, with three functions:

    tokens(p-1, p.2)     the sum of the tokens of places
    fireable(t-1, t.2)   true if at least one of the transitions is enabled; `enabled` is the same
    taken(t-1, t.2)      true if the last step was the firing of one of them

Their arguments are ids as in the file, including characters that an expression could not contain; an id with a comma, a
parenthesis, a quote or a blank is quoted. So a place whose id is a word is `p1` or `tokens(p1)`, any other only
`tokens(p-1)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from strandline.errors import InternalError, ModelError, ParseError, suggestion
from strandline.model.expression import COMPARISONS, LOGICAL, Binary, Expression, Read, row
from strandline.model.notation import STRONGEST, Write
from strandline.model.plain import NOTATION, PlainScope, python_expression, with_meanings
from strandline.model.scope import Scope
from strandline.model.system import Action, Domain, System, Variable
from strandline.source import Source, Span
from strandline.transform.history import Steps

_TOKENS = "tokens"
_CALL = re.compile(r"\b(tokens|fireable|enabled|taken)\(((?:[^()\"']|\"[^\"]*\"|'[^']*')*)\)")
_ID = re.compile(r"\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s,\"']+(?:\s+[^\s,\"']+)*))\s*(,|$)")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TAKEN = re.compile(
    "and|or|not|if|else|in|is|for|var|fault|imply|div|rem|tokens|fireable|enabled|taken|true|false|xor|implies|iff|always|"
    "globally|eventually|finally|next|until|releases?|weakuntil|strongrelease|[AEGFXURWMV]+"
)
"""Words that cannot be names of places because expressions or temporal formulas reserve them."""


class NetScope(Scope):
    """Parses and renders expressions over a net."""

    def __init__(self, places: Iterable[Variable]) -> None:
        self.places = {place.name: place for place in places}
        self.transitions: dict[str, Action] = {}
        self._steps: Steps | None = None

    def ask_about(self, system: System) -> None:
        """Allow the functions `fireable`, `enabled` and `taken` of the System's transitions."""
        self.transitions = {action.name: action for action in system.actions}
        self._steps = Steps(system)

    @property
    def histories(self) -> Mapping[Variable, tuple[Action, ...]]:
        return {} if self._steps is None else self._steps.histories

    def read(self, text: str, name: str) -> Expression:
        """Parse an expression; raises `ParseError` or `ModelError`.

        Each call, such as `tokens(p-1)`, is first replaced by a name of the same length, which keeps all offsets valid.
        """
        source = Source(name, text)
        meant: dict[Variable, Expression] = {}
        plain = text
        for number, call in enumerate(_CALL.finditer(text)):
            stand_in = Variable(f"_{number}".ljust(len(call[0]), "_"), Domain(0, 0))
            meant[stand_in] = self._read_call(call, source)
            plain = plain[: call.start()] + stand_in.name + plain[call.end() :]
        known = [*self.places.values(), *meant]
        try:
            _, tree = python_expression(plain, name)
            expression = PlainScope(known).lower(tree, source)
        except (ParseError, ModelError) as error:
            raise type(error)(error.message, source, error.span) from None
        return with_meanings(expression, meant)

    def read_condition(self, text: str, name: str) -> Expression:
        """Parse a condition; raises `ModelError` for a text that is a number of tokens."""
        expression = self.read(text, name)
        arithmetic = isinstance(expression, Binary) and expression.operator not in COMPARISONS | LOGICAL
        counts = isinstance(expression, Read) and expression.variable.name in self.places
        if arithmetic or counts:
            span = Span(0, len(text))
            raise ModelError("a number of tokens is no condition; write '> 0' after it", Source(name, text), span)
        return expression

    def _read_call(self, call: re.Match[str], source: Source) -> Expression:
        if call[1] == _TOKENS:
            places = [self.places[one] for one in self._ids(call, self.places, source)]
            return row("+", [Read(place, Span(*call.span())) for place in places])
        names = list(self._ids(call, self.transitions, source))
        if self._steps is None:
            raise InternalError("the scope has not been given its System")
        actions = [self.transitions[one] for one in names]
        return (
            self._steps.taken_expression(", ".join(names), actions)
            if call[1] == "taken"
            else self._steps.enabled_expression(actions)
        )

    def _ids(self, call: re.Match[str], known: Mapping[str, object], source: Source) -> Iterator[str]:
        what = "place" if call[1] == _TOKENS else "transition"
        offset, end = call.span(2)
        while offset < end or offset == call.start(2):
            found = _ID.match(source.text[:end], offset)
            if found is None:
                place = Span(offset, max(end, offset + 1))
                raise ParseError(f"'{call[1]}' expects ids of {what}s, separated by commas", source, place)
            group = next(number for number in (1, 2, 3) if found[number] is not None)
            if found[group] not in known:
                hint = suggestion(found[group], known)
                raise ModelError(f"the net has no {what} '{found[group]}'{hint}", source, Span(*found.span(group)))
            yield found[group]
            offset = found.end()
            if found[4] == "," and offset >= end:
                raise ParseError("an id is missing after the comma", source, Span(offset - 1, offset))

    def render(self, expression: Expression, *, longest: int | None = None) -> str:
        return NOTATION.write(expression, self._leaf, longest)

    def _leaf(self, expression: Expression, write: Write) -> tuple[str, int] | None:
        return (tokens_expression(expression.variable.name), STRONGEST) if isinstance(expression, Read) else None


def tokens_expression(place: str) -> str:
    """Return the expression for the tokens of a place, readable in temporal formulas too."""
    if _WORD.fullmatch(place) and not _TAKEN.fullmatch(place):
        return place
    if re.search(r"[\s,()\"']", place):
        quote = "'" if '"' in place else '"'
        return f"{_TOKENS}({quote}{place}{quote})"
    return f"{_TOKENS}({place})"
