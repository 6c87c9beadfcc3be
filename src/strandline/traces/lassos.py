"""Replay lassos: the claim of a search for accepting cycles, executed again by the reference.

The search ran on a product: the user's system, a property process, perhaps a counter for fairness. What is shown is a
run of the *shown* system, which is the user's own, with the property process if that is the user's too. So the steps
are followed in the product, to identify their actions, and then in the shown system, where everything that is said of
the run must be true without the product: it begins in an initial state, every step is enabled, the loop closes, and it
is fair.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from strandline.compile.interpret import Interpreter, Valuation
from strandline.compile.interpret import Step as Taken
from strandline.compile.interpreted import SystemReference
from strandline.compile.kernel import Edge
from strandline.errors import ReplayError
from strandline.model.expression import Expression
from strandline.model.system import Action, Fairness, System
from strandline.traces.replay import State, replay, with_fault
from strandline.traces.stored import MOST_HELD
from strandline.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class Lasso:
    """Steps by their numbers in the product: from initial state `initial` along the stem, then the loop."""

    initial: int
    stem: tuple[int, ...]
    loop: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.stem) + len(self.loop)


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run of the shown system.

    `states` are packed; if there is a loop, the last one is the state to which it returns. `ended` says that the run
    stays in its last state, a deadlock.
    """

    trace: Trace
    states: Sequence[State]
    actions: tuple[tuple[Action, ...], ...]
    """The actions of each step, as the shown system's own."""
    ended: bool = False

    @property
    def loop_states(self) -> Sequence[State]:
        """The states that are visited for ever, each once; empty without a loop."""
        if self.trace.loop is None:
            return ()
        return self.states[-1:] if self.ended else self.states[self.trace.loop : -1]


@dataclass(frozen=True, slots=True)
class _ShownStep:
    """A step of the shown system."""

    source: Valuation
    number: int
    actions: tuple[Action, ...]

    def like(self, other: _ShownStep) -> bool:
        return (self.source, self.number) == (other.source, other.number)


_MAX_CACHED = 1 << 12
"""Most cached steps and states."""


class _CachedReference:
    """A reference that caches its results."""

    def __init__(self, reference: SystemReference) -> None:
        self._reference = reference
        self._edge = lru_cache(_MAX_CACHED)(reference.edge)
        self._described = lru_cache(_MAX_CACHED)(reference.describe)

    def initial(self) -> Sequence[State]:
        return self._reference.initial()

    def edges(self, state: State) -> Sequence[Edge]:
        return self._reference.edges(state)

    def edge(self, state: State, number: int) -> Edge | None:
        return self._edge(state, number)

    def labels(self, state: State) -> int:
        return self._reference.labels(state)

    def progress(self, state: State) -> tuple[int, int]:
        return self._reference.progress(state)

    def values(self, state: State, expressions: Sequence[Expression]) -> tuple[int, ...]:
        return self._reference.values(state, expressions)

    def describe(self, state: State) -> dict[str, Any]:
        return dict(self._described(state))


class LassoReplay:
    """Follows the steps of a product and maps them to steps of the shown system.

    The shown system's variables are the first ones of the product's, and its actions have the same positions. After
    every `MOST_HELD` steps `check_limits` is called, which may raise `ResourceError`.
    """

    def __init__(
        self, product: SystemReference, shown: SystemReference, check_limits: Callable[[], None] = lambda: None
    ) -> None:
        self._shown, self._check_limits = shown, check_limits
        self._product, self._interpreter = product.interpreter, shown.interpreter
        self._places = {id(action): place for place, action in enumerate(_actions(product.system))}
        self._actions = _actions(shown.system)
        self._width = sum(variable.slots for variable in shown.system.variables)
        own, target = product.system, shown.system
        self._shows_all = own.actions is target.actions and own.observer is target.observer
        # Lassos of one search share most of their stems.
        self._step = lru_cache(_MAX_CACHED)(self._follow_step)
        self._remembering = _CachedReference(shown)

    def path(self, initial: int, steps: Sequence[int]) -> ShownRun:
        """Return a path without a loop. Steps in which only a hidden property process moves are left out."""
        followed, _ = self._follow(self._product.system.initial[initial], steps)
        return self._run(initial, followed)

    def fault(self, initial: int, steps: Sequence[int]) -> Trace | None:
        """Return a path to a fault of the shown system; None if it has no such fault.

        The fault is in the last state or, if the product evaluates an expression in the state that a step enters, in
        the state that the faulting step would enter.
        """
        run = self.path(initial, steps)
        trace = with_fault(self._shown, run.trace, run.states[-1])
        if trace is not None:
            return trace
        followed, state = self._follow(self._product.system.initial[initial], steps)
        last = self._product.steps(state)[-1]
        wanted = self._shown_actions(last)
        for number, offered in enumerate(self._interpreter.steps(state[: self._width])):
            if wanted and _same(offered.actions, wanted):
                run = self._run(initial, [*followed, _ShownStep(state, number, wanted)])
                return with_fault(self._shown, run.trace, run.states[-1])
        return None

    def lasso(self, lasso: Lasso) -> ShownRun:
        """Return a lasso. Raises `ReplayError` if its loop does not close."""
        stem, entered = self._follow(self._product.system.initial[lasso.initial], lasso.stem)
        loop, closed = self._follow(entered, lasso.loop)
        if entered != closed or not lasso.loop:
            raise ReplayError("the loop of the trace does not lead back to its first state")
        stem, loop = _shortest(stem, loop)
        run = self._run(lasso.initial, [*stem, *loop])
        if run.states[-1] != run.states[len(stem)]:
            raise ReplayError("the loop of the trace is closed in the product, but not in the model")
        return replace(run, trace=replace(run.trace, loop=len(stem)), ended=not loop)

    def _follow(self, state: Valuation, steps: Sequence[int]) -> tuple[list[_ShownStep], Valuation]:
        """Follow steps; return them as steps of the shown system, and the product's last state."""
        followed: list[_ShownStep] = []
        for number, step in enumerate(steps, 1):
            if number % MOST_HELD == 0:
                self._check_limits()
            taken = self._step(state, step)
            if taken is None:
                raise ReplayError(f"step {number} of the trace is edge {step}, which the state does not have")
            shown, state = taken
            if shown is not None:
                followed.append(shown)
        return followed, state

    def _follow_step(self, state: Valuation, step: int) -> tuple[_ShownStep | None, Valuation] | None:
        """Follow a step of the product; return the shown step and the target, or None if there is no such step."""
        taken = self._product.step(state, step)
        if taken is None or taken.target is None:
            return None
        if self._shows_all:
            return _ShownStep(state, step, taken.actions), taken.target
        return self._shown_step(state[: self._width], taken), taken.target

    def _shown_step(self, state: Valuation, step: Taken) -> _ShownStep | None:
        """Return a step of the product in the shown system; None if the shown system does not move."""
        wanted = self._shown_actions(step)
        if not wanted:
            return None
        for number, offered in enumerate(self._interpreter.each_step(state)):
            if _same(offered.actions, wanted) and step.target is not None:
                if offered.target != step.target[: self._width]:
                    break
                return _ShownStep(state, number, wanted)
        raise ReplayError(f"the model has no such step '{'; '.join(action.name for action in wanted)}' there")

    def _shown_actions(self, step: Taken) -> tuple[Action, ...]:
        """Return the actions of the shown system in a step of the product."""
        places = [self._place(action) for action in step.actions]
        return tuple(self._actions[place] for place in places if place < len(self._actions))

    def _place(self, action: Action) -> int:
        """Return the position of a product's action in the shown system.

        A product has every edge of a shown property process at least once, and repeats all of them in the same order.
        """
        place, own, observer = self._places[id(action)], len(self._shown.system.actions), self._shown.system.observer
        return place if observer is None or place < own else own + (place - own) % len(observer.edges)

    def _run(self, initial: int, followed: Sequence[_ShownStep]) -> ShownRun:
        # The product may begin in each initial state several times, with another state of the automaton.
        number = initial % len(self._shown.system.initial)
        numbers = [step.number for step in followed]
        replayed = replay(self._remembering, number, numbers, check_limits=self._check_limits)
        return ShownRun(replayed.trace, replayed.states, tuple(step.actions for step in followed))


def _actions(system: System) -> tuple[Action, ...]:
    """Return all actions by position, the edges of the property process after the system's own."""
    return system.actions if system.observer is None else system.actions + system.observer.edges


def _same(one: Sequence[Action], other: Sequence[Action]) -> bool:
    return len(one) == len(other) and all(first is second for first, second in zip(one, other, strict=True))


def _shortest(stem: list[_ShownStep], loop: list[_ShownStep]) -> tuple[list[_ShownStep], list[_ShownStep]]:
    """Shorten stem and loop without changing the infinite run.

    Without the automaton, a loop may repeat itself several times, and may have begun earlier.
    """
    for length in range(1, len(loop) // 2 + 1):
        if len(loop) % length == 0 and all(one.like(other) for one, other in zip(loop, loop[length:], strict=False)):
            loop = loop[:length]
            break
    shared = 0
    while loop and shared < len(stem) and stem[-1 - shared].like(loop[-1 - shared % len(loop)]):
        shared += 1
    turn = len(loop) - shared % len(loop) if loop else 0
    return stem[: len(stem) - shared], loop[turn:] + loop[:turn]


def unmet_fairness(reference: SystemReference, run: ShownRun, fairness: Sequence[Fairness]) -> Fairness | None:
    """Return a fairness condition that the loop of a run violates; None if it is fair.

    A property process does not restrict what is enabled.
    """
    interpreter = Interpreter(reference.system.alone)
    taken = {id(action) for actions in run.actions[run.trace.loop :] for action in actions}
    for one in fairness:
        where = all if one.strong else any
        if not (taken & {id(action) for action in one.actions}) and not where(
            _meets(interpreter, reference.layout.unpack(state), one) for state in run.loop_states
        ):
            return one
    return None


def _meets(interpreter: Interpreter, state: Valuation, one: Fairness) -> bool:
    """Return True if a state meets a fairness condition by itself: it satisfies it, or enables none of its actions.

    A loop that takes none of the actions is strongly fair only if all of its states do.
    """
    if one.condition is not None:
        return bool(interpreter.evaluate(one.condition, state))
    chosen = {id(action) for action in one.actions}
    return not any(id(action) in chosen for step in interpreter.steps(state) for action in step.actions)
