"""The order in which statements are executed where it is not that of the text: what is still to be executed is a list
of statements and of the items here, and whatever leaves a loop or a round goes on behind the mark where it arrives."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from strandline.model.expression import Expression


@dataclass(frozen=True, slots=True)
class Bind:
    """The beginning of a round of a loop."""

    target: ast.expr
    value: Any


@dataclass(frozen=True, slots=True)
class Next:
    """The first of the values that lie in the frame under a name: those of rounds to come, which may change."""

    rounds: str


@dataclass(frozen=True, slots=True)
class Mark:
    """The end of a round of a loop, or of the loop."""

    last: bool
    rounds: str = ""
    guarded: bool = False
    """The end of a round that depends on the state: nothing jumps further."""


@dataclass(frozen=True, slots=True)
class Fork:
    """A condition, and what is executed where it holds and where not."""

    condition: Expression
    body: list[Any]
    orelse: list[Any]
    node: ast.AST


@dataclass(frozen=True, slots=True)
class LoopNames:
    """Where a loop whose rounds depend on the state keeps in the frame what is still to come, whether it was
    left, whether by `return`, and with what. So its rounds stay rounds, one behind the other, however many ways lead
    out of them."""

    rounds: str
    left: str
    returned: str
    result: str


@dataclass(frozen=True, slots=True)
class Round:
    """A round of a loop that is there only where a condition holds, and where the loop was not left before."""

    loop: ast.For
    names: LoopNames


@dataclass(frozen=True, slots=True)
class LoopEnd:
    """Behind the rounds of such a loop: its `else`, and the function's end where one of them returned."""

    loop: ast.For
    names: LoopNames


@dataclass(frozen=True, slots=True)
class Forget:
    """The names of a loop are not needed any more."""

    names: LoopNames


_LEFT_BY: dict[type[ast.stmt], Callable[[Mark], bool]] = {
    ast.Continue: lambda mark: True,
    ast.Break: lambda mark: mark.last or mark.guarded,
    ast.Return: lambda mark: mark.guarded,
}
"""At which marks a statement that leaves something arrives, further out from one to the next."""


def meeting(statements: list[Any], rest: list[Any]) -> tuple[list[Any], list[Any] | None]:
    """Where the two ways of an `if` with these statements meet again: what each of them goes through until then, and
    what comes after; None where they meet nowhere before the function ends. That is right behind the `if` unless
    something leaves it: a `continue` leads to the end of the round, a `break` to that of the loop, both and a `return`
    to the end of a round that depends on the state."""
    escapes = ways_out(statements)
    if not escapes:
        return [], rest
    leaving: set[type[ast.stmt]] = set()
    for way, arrives in _LEFT_BY.items():
        leaving.add(way)
        place = next((p for p, item in enumerate(rest) if isinstance(item, Mark) and arrives(item)), None)
        if place is None:
            break
        within = rest[: place + 1]
        if escapes | ways_out(within) <= leaving:
            return within, rest[place + 1 :]
    return rest, None


def ways_out(items: list[Any]) -> set[type[ast.stmt]]:
    """How ways through statements leave what stands around them."""
    found: set[type[ast.stmt]] = set()
    stack: list[tuple[ast.AST, bool]] = [(item, False) for item in items if isinstance(item, ast.stmt)]
    while stack:
        child, in_loop = stack.pop()
        if isinstance(child, ast.Return) or (isinstance(child, ast.Break | ast.Continue) and not in_loop):
            found.add(type(child))
        inside = in_loop or isinstance(child, ast.For)
        stack += [(inner, inside) for inner in ast.iter_child_nodes(child)]
    return found


def arrived(items: list[Any], way: type[ast.stmt]) -> list[Any]:
    """What comes from the mark on at which a `continue`, `break` or `return` arrives; marks of loops inside come in
    pairs and are gone. Nothing where a `return` ends the function."""
    arrives = _LEFT_BY[way]
    for position, item in enumerate(items):
        if isinstance(item, Mark) and arrives(item):
            return items[position:]
    return []
