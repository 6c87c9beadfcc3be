"""Low-level nets in the format of LoLA.

    { a buffer }
    PLACE SAFE 3: buffer; idle, busy;
    MARKING idle: 1;
    TRANSITION put  CONSUME idle; PRODUCE busy, buffer: 2;
    TRANSITION rest WEAK FAIR  CONSUME busy: 1; PRODUCE idle;

A name is any text without blanks, commas, colons, semicolons and brackets. `SAFE n:` before places bounds their tokens,
by 1 without a number. Comments are in braces or between `/*` and `*/`, or follow `//`. Fairness of a transition becomes
that of its action, weak or strong.
"""

from __future__ import annotations

import re
from dataclasses import replace

from strandline.errors import ModelError, ParseError, suggestion
from strandline.languages.parameters import Given
from strandline.languages.petri.lowering import lower_with
from strandline.languages.petri.net import Net, Place, Transition
from strandline.model.system import System
from strandline.scanner import Scanner, Token
from strandline.source import Source

_TOKEN = re.compile(r"(?:\s|\{[^}]*\}|/\*.*?\*/|//[^\n]*)*([,;:]|[^\s,;:()\[\]{}]+|$)", re.DOTALL)
_KEYWORDS = frozenset({"PLACE", "MARKING", "TRANSITION", "CONSUME", "PRODUCE", "SAFE", "WEAK", "STRONG", "FAIR"})
_LONGEST = 18
"""The most digits of a number."""


def load(source: Source) -> System:
    """Load the System of a net; raises `InputError` with the source position of the mistake."""
    return load_with(source, {})


def load_with(source: Source, given: Given) -> System:
    """Load the System; the parameter `bound` bounds the places for which the file has no bound."""
    return lower_with(read_lola(source), given)


def read_lola(source: Source) -> Net:
    """Parse a net; raises `ParseError` or `ModelError` with the source position of the first mistake."""
    return _Reader(source).net()


class _Reader(Scanner):
    def __init__(self, source: Source) -> None:
        super().__init__(source, _TOKEN)
        self.places: dict[str, Place] = {}
        self.transitions: dict[str, Transition] = {}

    # --- tokens -----------------------------------------------------------------------------------------------

    def _name(self) -> Token:
        if self.here.text in _KEYWORDS or self.here.text in (",", ";", ":", ""):
            self.refuse("a name")
        return self.next()

    def _number(self) -> int:
        token = self._name()
        if not token.text.isascii() or not token.text.isdigit() or len(token.text) > _LONGEST:
            message = f"expected a natural number of at most {_LONGEST} digits, found '{token.text}'"
            raise ParseError(message, self.source, token.span)
        return int(token.text)

    # --- the net ----------------------------------------------------------------------------------------------

    def net(self) -> Net:
        self.expect("PLACE")
        while self.here.text != "MARKING":
            self._parse_places()
        self.expect("MARKING")
        names = list(self.places)
        for number, tokens in self._amounts().items():
            self.places[names[number]] = replace(self.places[names[number]], initial=tokens)
        while self.skip_if("TRANSITION"):
            self._transition()
        if self.here.text:
            self.refuse("'TRANSITION'")
        places, transitions = tuple(self.places.values()), tuple(self.transitions.values())
        return Net(re.sub(r".*/|\.\w+$", "", self.source.name), self.source, places, transitions)

    def _parse_places(self) -> None:
        """Parse places up to a semicolon."""
        limit = None
        if self.skip_if("SAFE"):
            limit = 1 if self.here.text == ":" else self._number()
            self.expect(":")
        while True:
            name = self._name()
            if name.text in self.places:
                raise ModelError(f"the place '{name.text}' is declared twice", self.source, name.span)
            self.places[name.text] = Place(name.text, 0, limit, name.span)
            if not self.skip_if(","):
                self.expect(";")
                return

    def _transition(self) -> None:
        name = self._name()
        if name.text in self.transitions:
            raise ModelError(f"the transition '{name.text}' is declared twice", self.source, name.span)
        weak, strong = self.skip_if("WEAK", "FAIR"), self.skip_if("STRONG", "FAIR")
        self.expect("CONSUME")
        consumed = self._amounts()
        self.expect("PRODUCE")
        produced = self._amounts()
        fair = "weak" if weak else "strong" if strong else None
        self.transitions[name.text] = Transition(name.text, consumed, produced, name.span, fair)

    def _amounts(self) -> dict[int, int]:
        """Parse places with amounts (default 1) up to a semicolon; amounts of one place add up."""
        known = {name: number for number, name in enumerate(self.places)}
        found: dict[int, int] = {}
        while not self.skip_if(";"):
            name = self._name()
            if name.text not in known:
                message = f"there is no place '{name.text}'{suggestion(name.text, known)}"
                raise ModelError(message, self.source, name.span)
            amount = self._number() if self.skip_if(":") else 1
            found[known[name.text]] = found.get(known[name.text], 0) + amount
            if self.here.text != ";":
                self.expect(",")
        return {place: amount for place, amount in sorted(found.items()) if amount}
