"""Guards of automata: boolean functions of atomic propositions, in canonical form.

A guard is a node of a reduced ordered decision diagram (Bryant 1986) with shared nodes: equal functions are
the same object, so equality is identity. An atomic proposition is a number, its index in the automaton's tuple of
atoms; a letter is an integer whose bit *i* says whether proposition *i* holds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any
from weakref import WeakValueDictionary

from strandline.properties.effort import spend

MAXIMUM_ATOMS = 200
"""Diagrams are walked recursively, one level per proposition; readers refuse more than this."""

Cube = tuple[int, int]
"""A conjunction of literals: the mask of propositions that must hold, and of those that must not."""


class Guard:
    """A decision node: `high` if proposition `atom` holds, else `low`.

    Made by `literal` and the operators `&`, `|` and `~`.
    """

    __slots__ = ("__weakref__", "atom", "high", "low")

    atom: int
    low: Guard
    high: Guard

    def __and__(self, other: Guard) -> Guard:
        return _conjunction(self, other)

    def __or__(self, other: Guard) -> Guard:
        return ~_conjunction(~self, ~other)

    def __invert__(self) -> Guard:
        return _negation(self)

    def __bool__(self) -> bool:
        raise TypeError("compare a guard with TRUE or FALSE instead of asking for its truth")

    def implies(self, other: Guard) -> bool:
        """Return True if every letter that satisfies this guard satisfies `other`."""
        return _conjunction(self, ~other) is FALSE

    def meets(self, other: Guard) -> bool:
        """Return True if some letter satisfies both."""
        return _conjunction(self, other) is not FALSE

    def holds(self, letter: int) -> bool:
        """Return True if the letter satisfies the guard."""
        node = self
        while node.atom != _TERMINAL:
            node = node.high if letter >> node.atom & 1 else node.low
        return node is TRUE

    def letter(self) -> int:
        """Return some letter that satisfies the guard, which must not be FALSE."""
        node, letter = self, 0
        while node.atom != _TERMINAL:
            if node.low is FALSE:
                letter |= 1 << node.atom
                node = node.high
            else:
                node = node.low
        return letter

    def renumber(self, places: Mapping[int, int]) -> Guard:
        """Return the same function with every proposition *i* renumbered to `places[i]`."""
        done: dict[Guard, Guard] = {TRUE: TRUE, FALSE: FALSE}
        for node in self._nodes():
            chosen = literal(places[node.atom])
            done[node] = (chosen & done[node.high]) | (~chosen & done[node.low])
        return done[self]

    def cubes(self) -> list[Cube]:
        """Return an irredundant sum of cubes (Minato, Morreale), in a fixed order."""
        return sorted(_irredundant(self, self)[1])

    def _nodes(self) -> Iterator[Guard]:
        """Return the inner nodes, children first."""
        seen: set[Guard] = set()
        stack: list[tuple[Guard, bool]] = [(self, False)]
        while stack:
            node, children_done = stack.pop()
            if children_done:
                yield node
            elif node.atom != _TERMINAL and node not in seen:
                seen.add(node)
                stack += [(node, True), (node.low, False), (node.high, False)]

    def __repr__(self) -> str:
        return f"Guard({guard_text(self, lambda place: f'a{place}')})"

    def __reduce__(self) -> tuple[Callable[..., Guard], tuple[Any, ...]]:
        if self.atom == _TERMINAL:
            return (_constant, (self is TRUE,))
        return (_node, (self.atom, self.low, self.high))


_TERMINAL = sys.maxsize


def _terminal() -> Guard:
    node = Guard()
    node.atom = _TERMINAL
    return node


TRUE = _terminal()
FALSE = _terminal()
_nodes: WeakValueDictionary[tuple[int, Guard, Guard], Guard] = WeakValueDictionary()


def _constant(value: bool) -> Guard:
    return TRUE if value else FALSE


def _node(atom: int, low: Guard, high: Guard) -> Guard:
    if low is high:
        return low
    key = (atom, low, high)
    spend()
    node = _nodes.get(key)
    if node is None:
        node = Guard()
        node.atom, node.low, node.high = key
        _nodes[key] = node
    return node


def literal(atom: int, positive: bool = True) -> Guard:
    """Return the guard of one proposition, or of its negation."""
    return _node(atom, FALSE, TRUE) if positive else _node(atom, TRUE, FALSE)


@lru_cache(maxsize=1 << 16)
def _conjunction(left: Guard, right: Guard) -> Guard:
    if left is right or right is TRUE:
        return left
    if left is TRUE:
        return right
    if left is FALSE or right is FALSE:
        return FALSE
    atom = min(left.atom, right.atom)
    left_low, left_high = _branches(left, atom)
    right_low, right_high = _branches(right, atom)
    return _node(atom, _conjunction(left_low, right_low), _conjunction(left_high, right_high))


@lru_cache(maxsize=1 << 15)
def _negation(guard: Guard) -> Guard:
    if guard.atom == _TERMINAL:
        return FALSE if guard is TRUE else TRUE
    return _node(guard.atom, _negation(guard.low), _negation(guard.high))


def _branches(guard: Guard, atom: int) -> tuple[Guard, Guard]:
    return (guard.low, guard.high) if guard.atom == atom else (guard, guard)


@lru_cache(maxsize=1 << 12)
def _irredundant(lower: Guard, upper: Guard) -> tuple[Guard, tuple[Cube, ...]]:
    """Return a function that `lower` implies and that implies `upper`, and an irredundant sum of cubes for it."""
    if lower is FALSE:
        return FALSE, ()
    if upper is TRUE:
        return TRUE, ((0, 0),)
    atom = min(lower.atom, upper.atom)
    lower_low, lower_high = _branches(lower, atom)
    upper_low, upper_high = _branches(upper, atom)
    # Cubes with a literal of the atom are needed only for letters that the other branch must not accept.
    low, low_cubes = _irredundant(lower_low & ~upper_high, upper_low)
    high, high_cubes = _irredundant(lower_high & ~upper_low, upper_high)
    # All others are covered by cubes without the literal.
    rest = (lower_low & ~low) | (lower_high & ~high)
    both, both_cubes = _irredundant(rest, upper_low & upper_high)
    bit = 1 << atom
    cubes = [(positive, negative | bit) for positive, negative in low_cubes]
    cubes += [(positive | bit, negative) for positive, negative in high_cubes]
    cubes += both_cubes
    return _node(atom, low | both, high | both), tuple(cubes)


def disjunction(guards: Iterable[Guard]) -> Guard:
    """Return the disjunction of any number of guards."""
    result = FALSE
    for guard in guards:
        result = result | guard
    return result


def conjunction(guards: Iterable[Guard]) -> Guard:
    """Return the conjunction of any number of guards."""
    result = TRUE
    for guard in guards:
        result = result & guard
    return result


def partition(guards: Iterable[Guard]) -> list[Guard]:
    """Return the coarsest partition of the letters such that every given guard is a union of parts."""
    parts = [TRUE]
    for guard in guards:
        parts = [piece for part in parts for piece in (part & guard, part & ~guard) if piece is not FALSE]
    return parts


def guard_text(
    guard: Guard,
    name: Callable[[int], str],
    *,
    conjunct: str = " && ",
    disjunct: str = " || ",
    negation: str = "!",
    true: str = "true",
    false: str = "false",
) -> str:
    """Return the guard as a sum of cubes in the given spelling, with parentheses around cubes if needed."""
    if guard is TRUE or guard is FALSE:
        return true if guard is TRUE else false
    cubes = guard.cubes()
    texts = []
    for positive, negative in cubes:
        literals = [
            name(i) if positive >> i & 1 else f"{negation}{name(i)}"
            for i in range(max(positive.bit_length(), negative.bit_length()))
            if (positive | negative) >> i & 1
        ]
        text = conjunct.join(literals)
        texts.append(f"({text})" if len(cubes) > 1 and len(literals) > 1 else text)
    return disjunct.join(texts)
