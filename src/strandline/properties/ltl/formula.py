"""Formulas of LTL and CTL: immutable, shared nodes and walkers that do not recurse.

Two formulas with the same structure are the same object, so equality is identity and sharing is free.
Conjunction and disjunction take any number of operands, in the order in which they were written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any
from weakref import WeakValueDictionary


class Operator(Enum):
    """The operators of propositional temporal logic; the value is our spelling.

    Only formulas of CTL have path quantifiers, each with a temporal operator as its operand.
    """

    TRUE = "true"
    FALSE = "false"
    ATOM = "atom"
    NOT = "!"
    AND = "&&"
    OR = "||"
    IMPLIES = "->"
    EQUIVALENT = "<->"
    EXCLUSIVE_OR = "xor"
    NEXT = "X"
    EVENTUALLY = "F"
    ALWAYS = "G"
    UNTIL = "U"
    RELEASE = "R"
    WEAK_UNTIL = "W"
    STRONG_RELEASE = "M"
    EXISTS = "E"
    ALL = "A"


QUANTIFIERS = frozenset({Operator.EXISTS, Operator.ALL})
UNARY_OPERATORS = frozenset({Operator.NOT, Operator.NEXT, Operator.EVENTUALLY, Operator.ALWAYS}) | QUANTIFIERS
BOOLEAN_OPERATORS = frozenset(
    {
        Operator.TRUE,
        Operator.FALSE,
        Operator.ATOM,
        Operator.NOT,
        Operator.AND,
        Operator.OR,
        Operator.IMPLIES,
        Operator.EQUIVALENT,
        Operator.EXCLUSIVE_OR,
    }
)


TEMPORAL_OPERATORS = frozenset(Operator) - BOOLEAN_OPERATORS - QUANTIFIERS
_EVENTUAL = frozenset({Operator.TRUE, Operator.FALSE, Operator.EVENTUALLY})
_UNIVERSAL = frozenset({Operator.TRUE, Operator.FALSE, Operator.ALWAYS})
_INHERITING = TEMPORAL_OPERATORS | {Operator.AND, Operator.OR}
"""Operators whose formulas are eventual, or universal, if their operands are; the first of U or R does not matter."""


class Formula:
    """An immutable node; make nodes with `make`, `atom`, `TRUE` and `FALSE`."""

    __slots__ = ("__weakref__", "is_boolean", "is_eventual", "is_universal", "name", "operands", "operator", "size")

    operator: Operator
    operands: tuple[Formula, ...]
    name: str
    """The text of an atomic proposition, empty for every other node."""
    size: int
    """The number of nodes, counted as a tree."""
    is_boolean: bool
    """True if no temporal operator occurs."""
    is_eventual: bool
    """True if the syntax shows f ≡ F f: a word that satisfies f also does with any prefix before it."""
    is_universal: bool
    """True if the syntax shows f ≡ G f: every suffix of a word that satisfies f satisfies f."""

    def __init__(self, operator: Operator, operands: tuple[Formula, ...], name: str) -> None:
        self.operator = operator
        self.operands = operands
        self.name = name
        self.size = 1 + sum(operand.size for operand in operands)
        self.is_boolean = operator in BOOLEAN_OPERATORS and all(part.is_boolean for part in operands)
        self.is_eventual = operator in _EVENTUAL or (
            operator in _INHERITING and all(part.is_eventual for part in operands[operator is Operator.UNTIL :])
        )
        self.is_universal = operator in _UNIVERSAL or (
            operator in _INHERITING and all(part.is_universal for part in operands[operator is Operator.RELEASE :])
        )

    def __repr__(self) -> str:
        return f"Formula({self})"

    def __str__(self) -> str:
        from strandline.properties.ltl.printer import format_formula

        return format_formula(self)

    def __reduce__(self) -> tuple[Callable[..., Formula], tuple[Any, ...]]:
        return (_intern, (self.operator, self.operands, self.name))


_nodes: WeakValueDictionary[tuple[Operator, tuple[Formula, ...], str], Formula] = WeakValueDictionary()


def _intern(operator: Operator, operands: tuple[Formula, ...], name: str) -> Formula:
    key = (operator, operands, name)
    node = _nodes.get(key)
    if node is None:
        node = Formula(operator, operands, name)
        _nodes[key] = node
    return node


TRUE = _intern(Operator.TRUE, (), "")
FALSE = _intern(Operator.FALSE, (), "")


def atom(name: str) -> Formula:
    """Return the atomic proposition with this text."""
    return _intern(Operator.ATOM, (), name)


def make(operator: Operator, *operands: Formula) -> Formula:
    """Return the node without any simplification (see `build` for the simplifying constructors)."""
    return _intern(operator, operands, "")


def subformulas(formula: Formula) -> Iterator[Formula]:
    """Yield every distinct subformula once, operands before the formulas built from them."""
    seen: set[Formula] = set()
    stack: list[tuple[Formula, bool]] = [(formula, False)]
    while stack:
        node, operands_done = stack.pop()
        if operands_done:
            yield node
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((operand, False) for operand in reversed(node.operands) if operand not in seen)


def rebuild(formula: Formula, step: Callable[[Formula, tuple[Formula, ...]], Formula]) -> Formula:
    """Rewrite bottom-up: `step` receives each distinct node and its already rewritten operands."""
    done: dict[Formula, Formula] = {}
    for node in subformulas(formula):
        done[node] = step(node, tuple(done[operand] for operand in node.operands))
    return done[formula]


def atoms_of(formula: Formula) -> tuple[str, ...]:
    """Return the names of the atomic propositions, sorted."""
    return tuple(sorted(node.name for node in subformulas(formula) if node.operator is Operator.ATOM))


def atoms_in_order(formula: Formula) -> tuple[str, ...]:
    """Return the names of the atomic propositions in the order of their first occurrences.

    Related propositions are adjacent then: a good order of variables for guards.
    """
    return tuple(node.name for node in subformulas(formula) if node.operator is Operator.ATOM)


def height(formula: Formula) -> int:
    """Return the length of the longest branch, 1 for an atom."""
    return _most_on_a_branch(formula, frozenset(Operator))


def temporal_height(formula: Formula) -> int:
    """Return the largest number of temporal operators on a branch."""
    return _most_on_a_branch(formula, TEMPORAL_OPERATORS)


def _most_on_a_branch(formula: Formula, counted: frozenset[Operator]) -> int:
    heights: dict[Formula, int] = {}
    for node in subformulas(formula):
        below = max((heights[operand] for operand in node.operands), default=0)
        heights[node] = below + (node.operator in counted)
    return heights[formula]
