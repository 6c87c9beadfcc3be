"""Work budgets of translations: an automaton can be exponentially larger than its formula.

Functions that make automata count their work (nodes of guards, comparisons of formulas and of alternatives) and raise
`TranslationTooLarge` when the budget is exceeded. The count does not depend on the machine. Beside it, the limits of a
run are checked now and then: `checked_work`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from strandline.errors import ResourceError


class TranslationTooLarge(ResourceError):
    """Raised when an automaton has more edges, or takes more work, than allowed."""


_UNITS_BETWEEN_CHECKS = 500


class _Effort:
    """The work done so far, and the limit on it."""

    def __init__(self) -> None:
        self.done = 0
        self.most: float = float("inf")
        self.check: Callable[[], None] | None = None
        self.unchecked = 0


_effort = _Effort()


def spend(units: int = 1) -> None:
    """Count some work; raises `TranslationTooLarge` if the budget is exceeded.

    A unit takes some microseconds.
    """
    _effort.done += units
    if _effort.done > _effort.most:
        raise TranslationTooLarge("the automaton of the formula is too large; check parts of it as separate formulas")
    check_limits(units)


def check_limits(units: int = 1) -> None:
    """Check the limits of the run if some work was done since the last time; the budget is not charged."""
    if _effort.check is None:
        return
    _effort.unchecked += units
    if _effort.unchecked > _UNITS_BETWEEN_CHECKS:
        _effort.unchecked = 0
        _effort.check()


@contextmanager
def work_limit(units: int) -> Iterator[None]:
    """Limit the work inside the context; an outer limit holds as well.

    Raises `TranslationTooLarge`, also where operators are nested too deeply for the functions that recurse.
    """
    before = _effort.most
    _effort.most = min(before, _effort.done + units)
    try:
        yield
    except RecursionError:
        raise TranslationTooLarge("the operators of the formula are nested too deeply to be translated") from None
    finally:
        _effort.most = before


@contextmanager
def checked_work(check: Callable[[], None]) -> Iterator[None]:
    """Call `check` some hundred times a second while work is done inside the context; it may raise an exception."""
    before = _effort.check
    _effort.check = check
    try:
        yield
    finally:
        _effort.check = before
