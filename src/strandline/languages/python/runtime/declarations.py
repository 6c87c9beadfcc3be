"""What a model's author marks functions with, claims in, and gives actions' parameters their values with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

LOCATION = "pc"
"""The field of a process that `at` and `to` speak of."""
WEAK, STRONG = "weak", "strong"
Fair = str | Literal[False]
"""How a run must be fair to something: `WEAK`, `STRONG`, or not at all."""


@dataclass(frozen=True, slots=True)
class AnyOf:
    """The values of an action's parameter: what a container holds, or the processes of a class."""

    text: str


@dataclass(frozen=True, slots=True)
class AnyValue:
    """The values of an action's parameter: all of a type."""

    kind: Any


def any_of(values: Any) -> Any:
    """The values of an action's parameter, in place of a default: `d=any_of("data")` is any value in the container
    `data`, `p=any_of("P")` any process of the class `P`, `d=any_of("inbox[me]")` any value in one container of several,
    `d=any_of(Range[0, 2])` any value of the type."""
    return AnyOf(values) if isinstance(values, str) else AnyValue(values)


@dataclass(frozen=True, slots=True)
class Marked:
    """What a decorator says of a function."""

    kind: str
    function: Callable[..., Any]
    at: tuple[str, ...] = ()
    to: str | None = None
    monotone: bool = False
    fair: Fair = False


@dataclass(frozen=True, slots=True)
class FormulaText:
    """A formula about runs, as it stands in a class body."""

    logic: str
    text: str


def ltl(formula: str) -> FormulaText:
    """A claim about every run, in a class body: `served = ltl("G (pc == 'want' -> F pc == 'cs')")`. Its propositions
    are written as in a function; in a process they speak of each process by itself, whose fields need no `me.`"""
    return _formula("ltl", formula)


def ctl(formula: str) -> FormulaText:
    """A claim about how runs branch, in a class body: `resettable = ctl("AG EF (pc == 'idle')")`; else as `ltl`."""
    return _formula("ctl", formula)


_EXAMPLES = {"ltl": "G F x == 0", "ctl": "AG EF x == 0"}


def _formula(logic: str, formula: str) -> FormulaText:
    if not isinstance(formula, str):
        instead = f"name = {logic}({_EXAMPLES[logic]!r})"
        if callable(formula):
            raise TypeError(f"{logic} is no decorator; it takes a formula as text: {instead}")
        raise TypeError(f"{logic} takes a formula as text, not {formula!r}: {instead}")
    return FormulaText(logic, formula)


def _marked(kind: str, function: Any, **facts: Any) -> Any:
    if isinstance(function, Marked):
        name = getattr(function.function, "__name__", "a function")
        raise TypeError(f"'{name}' is marked twice, as {function.kind} and as {kind}; write a function for each")
    return Marked(kind, function, **facts)


def is_fair(fair: Any) -> Fair:
    """What `fair=` says: False, or how; raises `TypeError` for anything else."""
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
    """One atomic step. `at` names the locations (values of `pc`) where it is possible, `to` the next one. With
    `fair` a run counts only if the action, once it stays possible, is taken again and again; with `fair="strong"`, if
    it is taken again and again where it is possible again and again. That of each process counts by itself, with
    whatever parameters."""
    places = (at,) if isinstance(at, str) else tuple(at)
    fairly = is_fair(fair)

    def mark(target: Callable[..., Any]) -> Any:
        return _marked("action", target, at=places, to=to, fair=fairly)

    return mark if function is None else mark(function)


def _plainly(kind: str, function: Any) -> Any:
    """A decorator that says nothing more: `@invariant` and `@invariant()` are the same."""
    return (lambda target: _marked(kind, target)) if function is None else _marked(kind, function)


def invariant(function: Any = None, /) -> Any:
    """A condition that must hold in every reachable state."""
    return _plainly("invariant", function)


def reachable(function: Any = None, /) -> Any:
    """A condition that must hold in some reachable state; of a process, for each of them in some state."""
    return _plainly("reachable", function)


def valid_end(function: Any = None, /) -> Any:
    """Where the model, or each process, may end: a state without a step in which all of these hold is no deadlock."""
    return _plainly("valid_end", function)


def label(function: Any = None, /) -> Any:
    """A named condition on states, for properties to speak of."""
    return _plainly("label", function)


def fairness(function: Any = None, /) -> Any:
    """A condition on runs: only those count in which it is true again and again."""
    return _plainly("fairness", function)


def initial(function: Any = None, /) -> Any:
    """Sets up initial states; its parameters make several. It runs as plain Python."""
    return _plainly("initial", function)


def measure(function: Any = None, /, *, monotone: bool = False) -> Any:
    """A measure of progress for sweeps; a monotone one promises never to decrease along a step."""

    def mark(target: Callable[..., Any]) -> Any:
        return _marked("measure", target, monotone=monotone)

    return mark if function is None else mark(function)
