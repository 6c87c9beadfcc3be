"""Formulas as text, in our own spelling, SPIN's and Spot's."""

from __future__ import annotations

import re
from dataclasses import dataclass

from strandline.properties.ltl.formula import QUANTIFIERS, UNARY_OPERATORS, Formula, Operator, subformulas

PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
"""Names that every format accepts without quotes, except words that are operators."""

OPERATOR_WORD = re.compile(r"[GFX]+\Z")
"""`G`, `F`, `X` and words made of these letters only, as in `GF p`, are operators."""

QUANTIFIER_WORD = re.compile(r"(?:[AE][GFX])*[AE]?(?<=.)\Z")
"""In CTL `A`, `E`, and sequences of these and `G`, `F`, `X`, as in `AG EF p`, are operators."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """The LTL syntax of one tool."""

    operators: dict[Operator, str]
    for_spin: bool = False
    """True for SPIN's syntax.

    `W`, `M`, and `xor` are expressed by other operators, and nested binary formulas get parentheses, because SPIN gives
    `&&`, `||`, `->` and `<->` the same precedence.
    """


STRANDLINE = Spelling({operator: operator.value for operator in Operator})
SPIN = Spelling(
    STRANDLINE.operators | {Operator.EVENTUALLY: "<>", Operator.ALWAYS: "[]", Operator.RELEASE: "V"},
    for_spin=True,
)

# A smaller number binds looser; operands that bind no tighter than their parent get parentheses.
_PRECEDENCE = {
    Operator.IMPLIES: 1,
    Operator.EQUIVALENT: 1,
    Operator.OR: 2,
    Operator.EXCLUSIVE_OR: 3,
    Operator.AND: 4,
    Operator.UNTIL: 5,
    Operator.RELEASE: 5,
    Operator.WEAK_UNTIL: 5,
    Operator.STRONG_RELEASE: 5,
}
_TIGHTEST = 10


def format_formula(formula: Formula, spelling: Spelling = STRANDLINE) -> str:
    """Return text that `parse_ltl` or `parse_ctl` parses to the same formula.

    For SPIN, `W`, `M` and `xor` are expressed by other operators; the text is then parsed to an equivalent formula.
    """
    if spelling.for_spin:
        formula = _without_weak_operators(formula)
    nodes = list(subformulas(formula))
    quantified = any(node.operator in QUANTIFIERS for node in nodes)
    texts: dict[Formula, str] = {}
    for node in nodes:
        atom = node.operator is Operator.ATOM
        texts[node] = atom_text(node.name, quantified) if atom else _node_text(node, texts, spelling)
    return texts[formula]


def atom_text(name: str, quantified: bool = False) -> str:
    """Return an atom as written inside a formula, quoted if the bare text would not be parsed back.

    `quantified` is true for formulas of CTL.
    """
    if PLAIN_NAME.match(name):
        quoted = name in operator_words() or OPERATOR_WORD.match(name) is not None
        quoted |= quantified and QUANTIFIER_WORD.match(name) is not None
    else:
        quoted = not _reads_back_bare(name, quantified)
    return quote_name(name) if quoted else name


def operator_words() -> frozenset[str]:
    """Return the words that the parser reads as operators or constants."""
    from strandline.properties.ltl.tokens import WORDS

    return frozenset(WORDS)


def quote_name(name: str) -> str:
    """Return the text in double quotes, with quotes and backslashes escaped."""
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _reads_back_bare(name: str, quantified: bool) -> bool:
    from strandline.errors import ParseError
    from strandline.properties.ltl.parser import parse_ctl, parse_ltl

    try:
        parsed = (parse_ctl if quantified else parse_ltl)(name).formula
    except ParseError:
        return False
    return parsed.operator is Operator.ATOM and parsed.name == name


def _node_text(node: Formula, texts: dict[Formula, str], spelling: Spelling) -> str:
    operator = node.operator
    symbol = spelling.operators[operator]
    if not node.operands:
        return symbol
    if operator in QUANTIFIERS:
        path = node.operands[0]
        return f"{symbol}{texts[path]}" if path.operator in UNARY_OPERATORS else f"{symbol} [{texts[path]}]"
    if operator in UNARY_OPERATORS:
        operand = node.operands[0]
        text = _inside(operand, texts[operand], _TIGHTEST)
        return f"{symbol}{text}" if operator is Operator.NOT else f"{symbol} {text}"
    precedence = _TIGHTEST if spelling.for_spin else _PRECEDENCE[operator]
    return f" {symbol} ".join(_inside(operand, texts[operand], precedence) for operand in node.operands)


def _inside(operand: Formula, text: str, parent: int) -> str:
    loose = _PRECEDENCE.get(operand.operator, _TIGHTEST) <= parent and operand.operator in _PRECEDENCE
    # `!x == 3` would read as a comparison of `!x`; an expression under a unary operator needs parentheses.
    expression = parent == _TIGHTEST and operand.operator is Operator.ATOM and " " in text and text[0] != '"'
    return f"({text})" if loose or expression else text


def _without_weak_operators(formula: Formula) -> Formula:
    from strandline.properties.ltl.formula import make, rebuild

    def step(node: Formula, operands: tuple[Formula, ...]) -> Formula:
        if node.operator is Operator.WEAK_UNTIL:
            left, right = operands
            return make(Operator.RELEASE, right, make(Operator.OR, left, right))
        if node.operator is Operator.STRONG_RELEASE:
            left, right = operands
            return make(Operator.UNTIL, right, make(Operator.AND, left, right))
        if node.operator is Operator.EXCLUSIVE_OR:
            return make(Operator.NOT, make(Operator.EQUIVALENT, *operands))
        return node if not operands else make(node.operator, *operands)

    return rebuild(formula, step)
