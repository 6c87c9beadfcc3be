"""The interpreter as the reference of a System, by which traces are replayed and machine code is tested."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from strandline.compile.interpret import Fault, Interpreter, Step
from strandline.compile.kernel import ACCEPTING_BIT, DEADLOCK_BIT, STUCK_BIT, Edge, FaultSite
from strandline.model.expression import INDEX_FAULT, RANGE_FAULT, Expression
from strandline.model.layout import Layout
from strandline.model.measure import Measure
from strandline.model.system import Action, System

_MOST_NAMES = 24
"""Most actions of a path that the name of a step lists."""


class SystemReference:
    """The reference of a System with predicates and a measure, on packed states."""

    def __init__(
        self, system: System, layout: Layout, predicates: Sequence[Expression], measure: Measure | None
    ) -> None:
        self.system = system
        self.layout = layout
        self.predicates = tuple(predicates)
        self.measure = measure
        self.interpreter = Interpreter(system)
        self._views = {variable: view for view in system.scope.views() for variable in view.variables}

    def initial(self) -> Sequence[tuple[int, ...]]:
        return [self.layout.pack(valuation) for valuation in self.system.initial]

    def edges(self, state: tuple[int, ...]) -> Sequence[Edge]:
        found = []
        valuation = self.layout.unpack(state)
        evaluate = self._evaluate(valuation)
        for step in self.interpreter.steps(valuation):
            name = self._step_name(step, evaluate)
            if step.target is None:
                assert step.fault is not None
                found.append(Edge(name, None, self.site(step.fault)))
                break
            target = self.layout.pack(step.target)
            try:
                self.progress(target)
            except Fault as fault:
                found.append(Edge(name, None, self.site(fault)))
                break
            found.append(Edge(name, target))
        return found

    def edge(self, state: tuple[int, ...], number: int) -> Edge | None:
        """Return the step of a state with the given number, as in `edges`; None if there is none."""
        if self.measure is not None:
            # A target whose progress has no value ends the steps of its state.
            return next(iter(self.edges(state)[number : number + 1]), None)
        valuation = self.layout.unpack(state)
        step = self.interpreter.step(valuation, number)
        if step is None:
            return None
        evaluate = self._evaluate(valuation)
        name = self._step_name(step, evaluate)
        if step.target is None:
            assert step.fault is not None
            return Edge(name, None, self.site(step.fault))
        return Edge(name, self.layout.pack(step.target))

    def _step_name(self, step: Step, evaluate: Callable[[Expression], int]) -> str:
        """Return the names of the actions of a step; of a very long path, the first and the last ones."""
        names = [self.system.scope.step_name(action.name, evaluate) for action in step.actions]
        if self.system.has_paths and len(names) > _MOST_NAMES:
            names[_MOST_NAMES // 2 : -_MOST_NAMES // 2] = [f"... {len(names) - _MOST_NAMES:,} more actions ..."]
        return "; ".join(names)

    def actions_of_steps(self, state: tuple[int, ...]) -> Sequence[tuple[Action, ...]]:
        """Return the actions of each step, in the order of the edges."""
        return [step.actions for step in self.interpreter.steps(self.layout.unpack(state))]

    def site(self, fault: Fault) -> FaultSite:
        """Convert a fault of the interpreter to a fault site.

        The site has the offending index or value if that is meaningful in the user's model.
        """
        if fault.about is None:
            return FaultSite(fault.kind, fault.span)
        variable, value = fault.about
        view, detail = self._views.get(variable), ""
        plain = view is None or not view.coded
        known = plain or (view is not None and (view.name, view.variables) == (variable.name, (variable,)))
        if fault.kind == INDEX_FAULT and plain:
            detail = f"{variable.name}[{value}], whose indices are 0..{variable.slots - 1}"
        elif fault.kind == RANGE_FAULT and known:
            shown = variable.name if variable.length is None else f"an element of {variable.name}"
            detail = f"{shown} = {value}, which holds {variable.domain.low}..{variable.domain.high}"
        return FaultSite(fault.kind, fault.span, detail)

    def labels(self, state: tuple[int, ...]) -> int:
        valuation = self.layout.unpack(state)
        mask = 0
        for number, predicate in enumerate(self.predicates):
            mask |= bool(self.interpreter.evaluate(predicate, valuation)) << number
        observer = self.system.observer
        if observer is not None:
            location = valuation[self.system.offsets[observer.location]]
            mask |= (location in observer.accepting) << ACCEPTING_BIT
        if self.interpreter.is_deadlock(valuation):
            mask |= 1 << DEADLOCK_BIT
            ends = self.system.ends
            if ends is not None and not self.interpreter.evaluate(ends, valuation):
                mask |= 1 << STUCK_BIT
        return mask

    def progress(self, state: tuple[int, ...]) -> tuple[int, int]:
        if self.measure is None:
            return 0, 0
        valuation = self.layout.unpack(state)
        column = self.interpreter.evaluate(self.measure.column, valuation)
        return column, self.interpreter.evaluate(self.measure.layer, valuation)

    def values(self, state: tuple[int, ...], expressions: Sequence[Expression]) -> tuple[int, ...]:
        valuation = self.layout.unpack(state)
        return tuple(self.interpreter.evaluate(one, valuation) for one in expressions)

    def describe(self, state: tuple[int, ...]) -> dict[str, Any]:
        valuation = self.layout.unpack(state)
        evaluate = self._evaluate(valuation)
        described: dict[str, Any] = {}
        for variable, offset in self.system.offsets.items():
            if variable.hidden:
                continue
            view = self._views.get(variable)
            if view is not None:
                if view.name not in described:
                    described[view.name] = view.value(evaluate)
            elif variable.length is None:
                described[variable.name] = variable.value(valuation[offset])
            else:
                values = valuation[offset : offset + variable.length]
                described[variable.name] = tuple(variable.value(one) for one in values)
        return described

    def _evaluate(self, valuation: tuple[int, ...]) -> Callable[[Expression], int]:
        return lambda expression: self.interpreter.evaluate(expression, valuation)
