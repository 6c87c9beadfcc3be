"""Words and symbols of LTL in several spellings: ours, SPIN's, Spot's, words, and the textbooks' signs.

Rules that separate operators from names:

- A word is an operator if it is one of the words in `WORDS`, a single `U R W M V`, or made of the letters
  `G`, `F`, `X` alone (`GF p` is `G F p`). Every other word is a name, also `Free` or `GFa`.
- Capital letters that a member or an index follows directly are a name as well: `W.critical`, `R[0].pc`.
- A name may carry members (`P_0.CS`, `LTS.1`), indices (`x[1]`) and arguments (`len(queue)`) that follow directly;
  the text between the brackets is kept as it is.
- `"..."` and `{...}` hold a proposition whose text is passed on untouched: the way to write anything that
  would otherwise be read as an operator, such as DVE's `{P->x == 1}`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from strandline.errors import ParseError
from strandline.properties.ltl.formula import Operator
from strandline.properties.ltl.printer import OPERATOR_WORD, QUANTIFIER_WORD
from strandline.source import Source, Span


class TokenKind(Enum):
    """Kinds of tokens."""

    OPERATOR = auto()
    ARITHMETIC = auto()
    EXPRESSION = auto()
    STRING = auto()
    BRACES = auto()
    OPEN = auto()
    CLOSE = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """A token; `operator` is set for logical operators, `text` lacks the braces of a proposition in braces."""

    kind: TokenKind
    text: str
    span: Span
    operator: Operator | None = None


WORDS = {
    "true": Operator.TRUE,
    "false": Operator.FALSE,
    "not": Operator.NOT,
    "and": Operator.AND,
    "or": Operator.OR,
    "xor": Operator.EXCLUSIVE_OR,
    "implies": Operator.IMPLIES,
    "imply": Operator.IMPLIES,
    "iff": Operator.EQUIVALENT,
    "always": Operator.ALWAYS,
    "globally": Operator.ALWAYS,
    "eventually": Operator.EVENTUALLY,
    "finally": Operator.EVENTUALLY,
    "next": Operator.NEXT,
    "until": Operator.UNTIL,
    "release": Operator.RELEASE,
    "releases": Operator.RELEASE,
    "weakuntil": Operator.WEAK_UNTIL,
    "strongrelease": Operator.STRONG_RELEASE,
    "U": Operator.UNTIL,
    "R": Operator.RELEASE,
    "V": Operator.RELEASE,
    "W": Operator.WEAK_UNTIL,
    "M": Operator.STRONG_RELEASE,
}
_LETTERS = {
    "G": Operator.ALWAYS,
    "F": Operator.EVENTUALLY,
    "X": Operator.NEXT,
    "A": Operator.ALL,
    "E": Operator.EXISTS,
}

_LOGICAL_SYMBOLS = {
    "<-->": Operator.EQUIVALENT,
    "<->": Operator.EQUIVALENT,
    "<=>": Operator.EQUIVALENT,
    "-->": Operator.IMPLIES,
    "->": Operator.IMPLIES,
    "=>": Operator.IMPLIES,
    "[]": Operator.ALWAYS,
    "<>": Operator.EVENTUALLY,
    "&&": Operator.AND,
    "||": Operator.OR,
    "/\\": Operator.AND,
    "\\/": Operator.OR,
    "&": Operator.AND,
    "|": Operator.OR,
    "^": Operator.EXCLUSIVE_OR,
    "!": Operator.NOT,
    "~": Operator.NOT,
    "□": Operator.ALWAYS,
    "◇": Operator.EVENTUALLY,
    "○": Operator.NEXT,
    "¬": Operator.NOT,
    "∧": Operator.AND,
    "∨": Operator.OR,
    "⇒": Operator.IMPLIES,
    "→": Operator.IMPLIES,
    "⇔": Operator.EQUIVALENT,
    "↔": Operator.EQUIVALENT,
}
_ARITHMETIC_SYMBOLS = ("==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%")
_SYMBOL = re.compile(
    "|".join(re.escape(s) for s in sorted([*_LOGICAL_SYMBOLS, *_ARITHMETIC_SYMBOLS], key=len, reverse=True))
)
_BLANK = re.compile(r"\s*")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MEMBER = re.compile(r"(?:\.|@|::)[A-Za-z_][A-Za-z0-9_]*|\.[0-9]+")
_ARROW_MEMBER = re.compile(r"->[A-Za-z_][A-Za-z0-9_]*")
_INDEX = re.compile(r"\[\s*[A-Za-z0-9_]")
_NUMBER = re.compile(r"[0-9]+")
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def tokenize(
    source: Source, *, member_arrow: bool = False, quantified: bool = False, equality: str = "=="
) -> list[Token]:
    """Return all tokens of a formula and an END token.

    With `member_arrow`, `->` directly between two names is member access, as in DVE's guards. With `quantified`, as in
    CTL, `A` and `E` are path quantifiers, and brackets are parentheses. `equality` is a further comparison operator.
    """
    return _Tokenizer(source, member_arrow, quantified, equality).run()


class _Tokenizer:
    """A cursor over the text; each `_take` method consumes one kind of token."""

    def __init__(self, source: Source, member_arrow: bool, quantified: bool, equality: str) -> None:
        self.source = source
        self.text = source.text
        self.member_arrow, self.quantified, self.equality = member_arrow, quantified, equality
        self.offset = 0
        self.tokens: list[Token] = []

    def run(self) -> list[Token]:
        while True:
            blank = _BLANK.match(self.text, self.offset)
            self.offset = blank.end() if blank else self.offset
            if self.offset >= len(self.text):
                self._add(TokenKind.END, "", self.offset)
                return self.tokens
            self._take()

    def _take(self) -> None:
        character = self.text[self.offset]
        opening, closing = ("([", ")]") if self.quantified else ("(", ")")
        if character in opening and not self.text.startswith("[]", self.offset):
            self._add(TokenKind.OPEN, character, self.offset + 1)
        elif character in closing:
            self._add(TokenKind.CLOSE, character, self.offset + 1)
        elif character in "\"'":
            self._take_string(character)
        elif character == "{":
            end = self._balanced_end(self.offset)
            self._add(TokenKind.BRACES, self.text[self.offset + 1 : end - 1].strip(), end)
        elif _NAME.match(character):
            self._take_word()
        elif number := _NUMBER.match(self.text, self.offset):
            self._add(TokenKind.EXPRESSION, number.group(), number.end())
        else:
            self._take_symbol()

    def _take_symbol(self) -> None:
        symbol = _SYMBOL.match(self.text, self.offset)
        if symbol is None:
            character = self.text[self.offset]
            if character == self.equality:
                self._add(TokenKind.ARITHMETIC, character, self.offset + 1)
                return
            hint = " (write '==' to compare)" if character == "=" else ""
            raise self._error(f"unexpected '{character}'{hint}", self.offset, self.offset + 1)
        operator = _LOGICAL_SYMBOLS.get(symbol.group())
        kind = TokenKind.ARITHMETIC if operator is None else TokenKind.OPERATOR
        self._add(kind, symbol.group(), symbol.end(), operator)

    def _take_word(self) -> None:
        match = _NAME.match(self.text, self.offset)
        word = match.group() if match else ""
        if self._is_named(word):
            end = self._postfix_end(self.offset + len(word))
            self._add(TokenKind.EXPRESSION, self.text[self.offset : end], end)
        elif word in WORDS:
            self._add(TokenKind.OPERATOR, word, self.offset + len(word), WORDS[word])
        elif OPERATOR_WORD.match(word) or (self.quantified and self._is_quantifier(word)):
            for letter in word:
                self._add(TokenKind.OPERATOR, letter, self.offset + 1, _LETTERS[letter])
        else:
            end = self._postfix_end(self.offset + len(word))
            self._add(TokenKind.EXPRESSION, self.text[self.offset : end], end)

    def _is_named(self, word: str) -> bool:
        """Return True if capital letters that could be operators are a name.

        They are if a member or an index follows directly: `W.critical`, `R[0].pc`. In CTL `A[` and `E[` are
        quantifiers.
        """
        end = self.offset + len(word)
        quantifier = self.quantified and QUANTIFIER_WORD.match(word) is not None
        followed = not quantifier and _INDEX.match(self.text, end) is not None
        return word.isupper() and (followed or _MEMBER.match(self.text, end) is not None)

    def _is_quantifier(self, word: str) -> bool:
        """Return True for `A`, `EF` and the like, but not for names with members such as `A.critical`."""
        named = _MEMBER.match(self.text, self.offset + len(word)) is not None
        return not named and QUANTIFIER_WORD.match(word) is not None

    def _postfix_end(self, end: int) -> int:
        """Return the end of the members, indices and arguments that directly follow a name."""
        while True:
            member = _MEMBER.match(self.text, end)
            if member is None and self.member_arrow:
                member = _ARROW_MEMBER.match(self.text, end)
            if member is not None:
                end = member.end()
            elif self.text[end : end + 1] in ("[", "(") and self.text[end : end + 2] != "[]":
                end = self._balanced_end(end)
            else:
                return end

    def _balanced_end(self, start: int) -> int:
        """Return the offset behind the closing bracket for the one at `start`; strings are skipped."""
        expected: list[str] = []
        offset = start
        while offset < len(self.text):
            character = self.text[offset]
            if character in "\"'":
                offset = self._string_end(offset)
                continue
            if character in _CLOSING:
                expected.append(_CLOSING[character])
            elif expected and character == expected[-1]:
                expected.pop()
                if not expected:
                    return offset + 1
            offset += 1
        raise self._error(f"'{self.text[start]}' is never closed", start, start + 1)

    def _string_end(self, start: int) -> int:
        quote, offset = self.text[start], start + 1
        while offset < len(self.text):
            if self.text[offset] == "\\":
                offset += 1
            elif self.text[offset] == quote:
                return offset + 1
            offset += 1
        raise self._error("a quoted text is never closed", start, start + 1)

    def _take_string(self, quote: str) -> None:
        end = self._string_end(self.offset)
        self._add(TokenKind.STRING, self.text[self.offset : end], end)

    def _add(self, kind: TokenKind, text: str, end: int, operator: Operator | None = None) -> None:
        self.tokens.append(Token(kind, text, Span(self.offset, end), operator))
        self.offset = end

    def _error(self, message: str, start: int, end: int) -> ParseError:
        return ParseError(message, self.source, Span(start, end))


def unquote(text: str) -> str:
    """Return the content of a quoted text with escapes resolved."""
    return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)
