"""Continuations for non-sequential control flow.

The pending work of a `Runner` is a list of statements and of items of the classes here. `break`, `continue` and
`return` discard items up to the matching `Mark`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from strandline.model.expression import Expression


@dataclass(frozen=True, slots=True)
class Bind:
    """The start of a loop iteration: the loop variable `target` is bound to `value`."""

    target: ast.expr
    value: Any


@dataclass(frozen=True, slots=True)
class Next:
    """The next value of a loop, taken from the local name `rounds`, where assignments may still change it."""

    rounds: str


@dataclass(frozen=True, slots=True)
class Mark:
    """The end of a loop iteration or, if `last`, of the loop with the remaining values in the local name `rounds`."""

    last: bool
    rounds: str = ""
    guarded: bool = False
    """True at the end of an iteration that depends on the state; no jump goes beyond it."""


@dataclass(frozen=True, slots=True)
class Fork:
    """A condition and its two branches."""

    condition: Expression
    body: list[Any]
    orelse: list[Any]
    node: ast.AST


@dataclass(frozen=True, slots=True)
class LoopNames:
    """Local names that hold the progress of a loop whose iterations depend on the state of the model.

    They hold the remaining values, whether the loop was left, whether by `return`, and the returned value. So the
    iterations stay a linear sequence, however many paths leave them.
    """

    rounds: str
    left: str
    returned: str
    result: str


@dataclass(frozen=True, slots=True)
class Round:
    """An iteration that is executed only where its value is present and the loop has not been left."""

    loop: ast.For
    names: LoopNames


@dataclass(frozen=True, slots=True)
class LoopEnd:
    """The end of a loop with `LoopNames`: its `else`, and the function's return if an iteration returned."""

    loop: ast.For
    names: LoopNames


@dataclass(frozen=True, slots=True)
class Forget:
    """The item that removes the `LoopNames` of a loop from the local names."""

    names: LoopNames


_LEFT_BY: dict[type[ast.stmt], Callable[[Mark], bool]] = {
    ast.Continue: lambda mark: True,
    ast.Break: lambda mark: mark.last or mark.guarded,
    ast.Return: lambda mark: mark.guarded,
}
"""For each kind of jump, a test whether it arrives at a marker; later kinds leave more of the enclosing loops."""


def find_join_point(statements: list[Any], rest: list[Any]) -> tuple[list[Any], list[Any] | None]:
    """Find where the two branches of an `if` meet again; `statements` are in its branches, `rest` follows it.

    Returns the items of `rest` that each branch executes before they meet, and the items after that; None for the
    latter if the branches do not meet before the function ends. They meet right behind the `if` unless a jump leaves
    it: a `continue` leads to the end of the iteration, a `break` to that of the loop. In a loop whose iterations depend
    on the state, any jump leads to the end of the iteration.
    """
    escapes = jumps_out_of(statements)
    if not escapes:
        return [], rest
    leaving: set[type[ast.stmt]] = set()
    for way, arrives in _LEFT_BY.items():
        leaving.add(way)
        place = next((p for p, item in enumerate(rest) if isinstance(item, Mark) and arrives(item)), None)
        if place is None:
            break
        within = rest[: place + 1]
        if escapes | jumps_out_of(within) <= leaving:
            return within, rest[place + 1 :]
    return rest, None


def jumps_out_of(items: list[Any]) -> set[type[ast.stmt]]:
    """Return the kinds of jumps that lead out of the given statements: `ast.Return`, `ast.Break`, `ast.Continue`."""
    found: set[type[ast.stmt]] = set()
    stack: list[tuple[ast.AST, bool]] = [(item, False) for item in items if isinstance(item, ast.stmt)]
    while stack:
        child, in_loop = stack.pop()
        if isinstance(child, ast.Return) or (isinstance(child, ast.Break | ast.Continue) and not in_loop):
            found.add(type(child))
        inside = in_loop or isinstance(child, ast.For)
        stack += [(inner, inside) for inner in ast.iter_child_nodes(child)]
    return found


def find_marker(items: list[Any], way: type[ast.stmt]) -> list[Any]:
    """Return the items from the marker on at which a `continue`, `break` or `return` arrives.

    Loops in `items` are not unrolled yet, so all markers are of loops around the jump. Returns an empty list where a
    `return` ends the function.
    """
    arrives = _LEFT_BY[way]
    for position, item in enumerate(items):
        if isinstance(item, Mark) and arrives(item):
            return items[position:]
    return []
