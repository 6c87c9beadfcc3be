"""The named questions, which the contest asks of every net without a file of formulas.

deadlock          some reachable state has no step
one-safe          no variable is ever more than 1
quasi-liveness    every action is enabled in some reachable state
stable-marking    some variable has the same value in all reachable states
liveness          from every reachable state, every action can become enabled again
state-space       how many states and steps there are, the largest value of a variable and of the sum of all, and
                  how many states have no step
upper-bound(...)  the largest value of a sum of variables
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from strandline.checker.contest.answers import Answered, decide_formulas, why_not
from strandline.checker.contest.exploration import Explored, Wanted, deadlock, explore_for
from strandline.checker.contest.formulas import Largest, OfTrees, Reached
from strandline.checker.contest.state_facts import variables_in_sum
from strandline.checker.options.search import Options
from strandline.checker.options.temporal import TemporalOptions
from strandline.checker.tasks.task import Session
from strandline.errors import ModelError, UsageError
from strandline.model.expression import TRUE, Binary, Const, Expression, Read, row
from strandline.model.system import Action, System
from strandline.properties.ltl.formula import Operator, atom, make
from strandline.source import Source, Span
from strandline.transform.fairness import some_enabled

UPPER_BOUND = "upper-bound"
STATE_SPACE = "state-space"


@dataclass(frozen=True, slots=True, eq=False)
class _Asking:
    """A named question about a System, with the options and the session for answering it."""

    name: str
    system: System
    options: Options
    temporal: TemporalOptions
    session: Session


def decide_question(
    name: str, system: System, options: Options, temporal: TemporalOptions, session: Session
) -> Iterator[Answered]:
    """Yield the answer to a named question; `state-space` has five answers.

    Raises `UsageError` for an unknown question, and `InputError` for a sum that cannot be parsed.
    """
    system = system.alone
    if name.startswith(f"{UPPER_BOUND}("):
        asked = Largest(name, _sum_of(name, system))
        return decide_formulas(system, [asked], options, temporal, session)
    if name not in QUESTIONS:
        raise UsageError(f"unknown question '{name}' (known: {', '.join([*QUESTIONS, f'{UPPER_BOUND}(PLACE, ...)'])})")
    return QUESTIONS[name](_Asking(name, system, options, temporal, session))


def _sum_of(name: str, system: System) -> Expression:
    text = "tokens" + name.removeprefix(UPPER_BOUND)
    expression = system.scope.parse(text, name="question")
    if variables_in_sum(expression) is None:
        raise ModelError(
            "an upper bound can be asked for a sum of variables only", Source("question", text), Span(0, len(text))
        )
    return expression


def _deadlock(asking: _Asking) -> Iterator[Answered]:
    stuck = deadlock()
    found, seconds = _explore(asking, Wanted(properties=[stuck]))
    met = stuck in found.met
    yield _answer(asking, found, seconds, met if met or found.outcome.complete else None)


def _one_safe(asking: _Asking) -> Iterator[Answered]:
    wide = [one for one in asking.system.variables if one.domain.high > 1]
    safe = row("and", [Binary("<=", Read(one), Const(1)) for one in wide]) if wide else TRUE
    asked = [Reached(asking.name, safe, always=True)]
    return decide_formulas(asking.system, asked, asking.options, asking.temporal, asking.session)


def _quasi_liveness(asking: _Asking) -> Iterator[Answered]:
    found, seconds = _explore(asking, Wanted())
    # An action that was taken stays taken, so an incomplete search suffices.
    live = found.never_taken == 0
    yield _answer(asking, found, seconds, live if live or found.outcome.complete else None)


def _stable_marking(asking: _Asking) -> Iterator[Answered]:
    found, seconds = _explore(asking, Wanted(changes=True))
    stable = [] if found.gathering is None else found.gathering.constant_variables()
    # A variable that has changed stays changed, so an incomplete search suffices.
    yield _answer(asking, found, seconds, bool(stable) if found.outcome.complete or not stable else None)


def _liveness(asking: _Asking) -> Iterator[Answered]:
    """Decide liveness by one exploration, if that suffices, else by a CTL formula for each action.

    Most nets that are not live have a deadlock or an action that is never enabled, which the exploration finds.
    """
    stuck, actions = deadlock(), asking.system.actions
    found, seconds = _explore(asking, Wanted(properties=[stuck]))
    if (actions and stuck in found.met) or (found.outcome.complete and found.never_taken):
        yield _answer(asking, found, seconds, False)
    elif not found.outcome.complete or not actions:
        yield _answer(asking, found, seconds, None if actions else True)
    else:
        formulas = [_again(asking.system, action) for action in actions]
        answers = list(decide_formulas(asking.system, formulas, asking.options, asking.temporal, asking.session))
        values = [one.value for one in answers]
        unknown = next((one for one in answers if one.value is None), None)
        value = False if False in values else True if unknown is None else None
        reason = None if value is not None or unknown is None else unknown.reason
        total = seconds + max(one.seconds for one in answers)
        yield Answered(asking.name, value, reason, answers[0].method, total)


def _again(system: System, action: Action) -> OfTrees:
    """Return the question whether the CTL formula AG EF enabled(action) holds."""
    name = f"enabled({action.name})"
    formula = make(Operator.ALL, make(Operator.ALWAYS, make(Operator.EXISTS, make(Operator.EVENTUALLY, atom(name)))))
    return OfTrees(name, formula, {name: some_enabled(system, [action])}, Source(name, str(formula)))


def _state_space(asking: _Asking) -> Iterator[Answered]:
    found, seconds = _explore(asking, Wanted(tokens=True))
    statistics, gathering = found.outcome.statistics, found.gathering
    figures = {
        "states": statistics.states,
        "transitions": statistics.transitions,
        "max-tokens-per-marking": None if gathering is None else gathering.most_in_all,
        "max-tokens-in-place": None if gathering is None else gathering.most_in_one,
        "dead-markings": statistics.deadlocks,
    }
    for name, value in figures.items():
        answer = _answer(asking, found, seconds, value if found.outcome.complete else None)
        yield replace(answer, id=name, reason=answer.reason if value is not None else "states were forgotten")


QUESTIONS: dict[str, Callable[[_Asking], Iterator[Answered]]] = {
    "deadlock": _deadlock,
    "one-safe": _one_safe,
    "quasi-liveness": _quasi_liveness,
    "stable-marking": _stable_marking,
    "liveness": _liveness,
    STATE_SPACE: _state_space,
}


def _explore(asking: _Asking, wanted: Wanted) -> tuple[Explored, float]:
    began = time.perf_counter()
    found = explore_for(asking.system, wanted, asking.options, asking.session)
    return found, time.perf_counter() - began


def _answer(asking: _Asking, found: Explored, seconds: float, value: bool | int | None) -> Answered:
    reason = why_not(found.outcome) if value is None else None
    return Answered(asking.name, value, reason, asking.options.order or "", seconds)
