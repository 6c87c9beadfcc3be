"""How much work a translation may be: the automaton of a formula can be exponentially larger than it.

What makes automata counts what it does, nodes of guards, comparisons of formulas and of alternatives, and is ended by
`TranslationTooLarge` when it is more than allowed. The count does not depend on the machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from strandline.errors import ResourceError


class TranslationTooLarge(ResourceError):
    """The automaton has more edges than the caller wants, or is more work."""


class _Effort:
    """What was done so far, and where it ends."""

    def __init__(self) -> None:
        self.done = 0
        self.most: float = float("inf")


_effort = _Effort()


def spend(units: int = 1) -> None:
    """Count some work; raises `TranslationTooLarge` where it is too much. A unit takes some microseconds."""
    _effort.done += units
    if _effort.done > _effort.most:
        raise TranslationTooLarge("the formula is too involved for an automaton; make claims of its parts")


@contextmanager
def at_most(units: int) -> Iterator[None]:
    """Inside, no more than so much may be done, and not more than is allowed outside."""
    before = _effort.most
    _effort.most = min(before, _effort.done + units)
    try:
        yield
    finally:
        _effort.most = before


def spent() -> int:
    """What was done since the program began."""
    return _effort.done
