"""Ample sets as 003 §3 has them, in plain Python: the reference beside which stubborn sets are seen.

A component's steps are ample in a state (C1) where none of them is visible, (C2) none leads back into the stack of a
depth-first search, and (C3) no step of another component depends on them or enables more of the component's own. As
printed, C3 looks at the steps that other components can take *now*; it must look at all that they could ever take
(Clarke, Grumberg, Peled: Model Checking).
"""

from __future__ import annotations

from strandline.analysis.dependencies import dependencies_of
from strandline.compile.interpret import Interpreter, Valuation
from strandline.model.system import Action, System


class AmpleSets:
    """For Systems each of whose actions moves one process. `visible`: actions by name."""

    def __init__(self, system: System, visible: set[str], *, as_printed: bool) -> None:
        self.system, self.visible, self.as_printed = system, visible, as_printed
        self.interpreter = Interpreter(system)
        self._dependencies = dependencies_of(system)

    def reachable(self) -> set[Valuation]:
        """The reduced state space."""
        found: set[Valuation] = set()
        for start in self.system.initial:
            stack = [(start, iter(self._ample(start, {start})))] if start not in found else []
            found.add(start)
            while stack:
                target = next(stack[-1][1], None)
                if target is None:
                    stack.pop()
                elif target not in found:
                    found.add(target)
                    on_stack = {state for state, _ in stack} | {target}
                    stack.append((target, iter(self._ample(target, on_stack))))
        return found

    def _ample(self, state: Valuation, on_stack: set[Valuation]) -> list[Valuation]:
        steps = [(step.actions[0], step.target) for step in self.interpreter.steps(state) if step.target is not None]
        for number in range(len(self.system.processes)):
            own = [(action, target) for action, target in steps if action.moves[0].process == number]
            unseen = all(action.name not in self.visible for action, _ in own)
            forwards = all(target not in on_stack for _, target in own)
            enabled = [action for action, _ in steps]
            if own and unseen and forwards and self._independent(number, [action for action, _ in own], state, enabled):
                return [target for _, target in own]
        return [target for _, target in steps]

    def _independent(self, process: int, own: list[Action], state: Valuation, enabled: list[Action]) -> bool:
        place = state[self.system.offsets[self.system.processes[process].location]]
        standing = (process, place)
        current = [one for one in self.system.actions if (one.moves[0].process, one.moves[0].source) == standing]
        others = enabled if self.as_printed else self.system.actions
        return not any(
            any(self._depend(action, other) for action in own)
            or any(self._may_enable(other, action) for action in current if action not in own)
            for other in others
            if other.moves[0].process != process
        )

    def _depend(self, first: Action, second: Action) -> bool:
        return self._disturbs(first, second) or self._disturbs(second, first)

    def _disturbs(self, one: Action, other: Action) -> bool:
        effects = self._dependencies.of(other)
        written = self._dependencies.of(one).writes
        return bool(written & (effects.writes | effects.inputs)) or self._may_enable(one, other)

    def _may_enable(self, one: Action, other: Action) -> bool:
        read_by = self._dependencies.slots.read_by
        return other.guard is not None and bool(self._dependencies.of(one).writes & read_by(other.guard))
