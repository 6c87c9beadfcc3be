"""The decorators, formulas and parameter domains with which authors declare the contents of a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

LOCATION = "pc"
"""The field of a process that holds its location; `at` and `to` refer to it."""
WEAK, STRONG = "weak", "strong"
Fair = str | Literal[False]
"""Fairness of a process or an action: `WEAK`, `STRONG` or False."""


@dataclass(frozen=True, slots=True)
class AnyOf:
    """A parameter domain that depends on the state: the contents of a container, or the processes of a class."""

    text: str


@dataclass(frozen=True, slots=True)
class AnyValue:
    """A parameter domain that is a type: all of its values."""

    kind: Any


def any_of(values: Any) -> Any:
    """Declare the domain of an action's parameter, in place of a default.

    `d=any_of("data")` is any value in the container `data`, `d=any_of("inbox[me]")` any value in one of several
    containers, `p=any_of("P")` any process of the class `P`, `d=any_of(Range[0, 2])` any value of the type.
    """
    return AnyOf(values) if isinstance(values, str) else AnyValue(values)


@dataclass(frozen=True, slots=True)
class Marked:
    """A decorated function with its kind (the decorator's name) and the arguments of the decorator."""

    kind: str
    function: Callable[..., Any]
    at: tuple[str, ...] = ()
    to: str | None = None
    monotone: bool = False
    fair: Fair = False


@dataclass(frozen=True, slots=True)
class FormulaText:
    """A temporal formula in a class body; `logic` is "ltl" or "ctl"."""

    logic: str
    text: str


def ltl(formula: str) -> FormulaText:
    """Declare an LTL formula in a class body: `served = ltl("G (pc == 'want' -> F pc == 'cs')")`.

    Its propositions are written as in a function. In a process class the formula is checked for each process, and the
    fields of the process need no `me.`
    """
    return _formula("ltl", formula)


def ctl(formula: str) -> FormulaText:
    """Declare a CTL formula in a class body: `resettable = ctl("AG EF (pc == 'idle')")`; see `ltl`."""
    return _formula("ctl", formula)


_EXAMPLES = {"ltl": "G F x == 0", "ctl": "AG EF x == 0"}


def _formula(logic: str, formula: str) -> FormulaText:
    if not isinstance(formula, str):
        instead = f"name = {logic}({_EXAMPLES[logic]!r})"
        if callable(formula):
            raise TypeError(f"{logic} is no decorator; it takes a formula as text: {instead}")
        raise TypeError(f"{logic} takes a formula as text, not {formula!r}: {instead}")
    return FormulaText(logic, formula)


def _mark(kind: str, function: Any, **facts: Any) -> Any:
    if isinstance(function, Marked):
        name = getattr(function.function, "__name__", "a function")
        raise TypeError(f"'{name}' is decorated twice, as {function.kind} and as {kind}; write a function for each")
    return Marked(kind, function, **facts)


def is_fair(fair: Any) -> Fair:
    """Return the fairness that an argument `fair=` means; raise `TypeError` for other values."""
    if fair is True:
        return WEAK
    if fair is not False and fair not in (WEAK, STRONG):
        raise TypeError(
            f"fair is True or 'weak', 'strong' or False, not {fair!r}; a condition is written with @fairness"
        )
    return fair  # type: ignore[no-any-return]


def action(
    function: Any = None, /, *, at: str | tuple[str, ...] = (), to: str | None = None, fair: bool | str = False
) -> Any:
    """Declare one atomic step.

    `at` names the locations (values of `pc`) at which it is possible, `to` the next location. `fair=True` demands weak
    fairness: a run counts only if the action is taken infinitely often whenever it stays enabled for ever.
    `fair="strong"` demands it whenever the action is enabled infinitely often. The action of each process counts by
    itself, over all values of its parameters.
    """
    places = (at,) if isinstance(at, str) else tuple(at)
    fairly = is_fair(fair)

    def mark(target: Callable[..., Any]) -> Any:
        return _mark("action", target, at=places, to=to, fair=fairly)

    return mark if function is None else mark(function)


def _plainly(kind: str, function: Any) -> Any:
    """Return a decorator without arguments: `@invariant` and `@invariant()` are the same."""
    return (lambda target: _mark(kind, target)) if function is None else _mark(kind, function)


def invariant(function: Any = None, /) -> Any:
    """Declare a condition that must hold in every reachable state."""
    return _plainly("invariant", function)


def reachable(function: Any = None, /) -> Any:
    """Declare a condition that must hold in some reachable state; in a process class, for each process."""
    return _plainly("reachable", function)


def valid_end(function: Any = None, /) -> Any:
    """Declare a condition of valid ends: a state without a step is no deadlock if all such conditions hold."""
    return _plainly("valid_end", function)


def label(function: Any = None, /) -> Any:
    """Declare a named condition on states, for use in properties."""
    return _plainly("label", function)


def fairness(function: Any = None, /) -> Any:
    """Declare a fairness condition: only runs in which it holds infinitely often count."""
    return _plainly("fairness", function)


def initial(function: Any = None, /) -> Any:
    """Declare a function that sets up initial states, one for each value of its parameters.

    It runs as plain Python.
    """
    return _plainly("initial", function)


def measure(function: Any = None, /, *, monotone: bool = False) -> Any:
    """Declare a progress measure for sweeps; a monotone one must never decrease along a step."""

    def mark(target: Callable[..., Any]) -> Any:
        return _mark("measure", target, monotone=monotone)

    return mark if function is None else mark(function)
