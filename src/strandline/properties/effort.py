"""Work budgets of translations: an automaton can be exponentially larger than its formula.

Functions that make automata count their work (nodes of guards, comparisons of formulas and of alternatives) and raise
`TranslationTooLarge` when the budget is exceeded. The count does not depend on the machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from strandline.errors import ResourceError


class TranslationTooLarge(ResourceError):
    """Raised when an automaton has more edges, or takes more work, than allowed."""


class _Effort:
    """The work done so far, and the limit on it."""

    def __init__(self) -> None:
        self.done = 0
        self.most: float = float("inf")


_effort = _Effort()


def spend(units: int = 1) -> None:
    """Count some work; raises `TranslationTooLarge` if the budget is exceeded.

    A unit takes some microseconds.
    """
    _effort.done += units
    if _effort.done > _effort.most:
        raise TranslationTooLarge("the automaton of the formula is too large; check parts of it as separate formulas")


@contextmanager
def work_limit(units: int) -> Iterator[None]:
    """Limit the work inside the context; an outer limit holds as well."""
    before = _effort.most
    _effort.most = min(before, _effort.done + units)
    try:
        yield
    finally:
        _effort.most = before
