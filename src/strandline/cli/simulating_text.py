"""The output of `strandline simulate` as text: states, enabled steps, faults and violated claims."""

from __future__ import annotations

from strandline.compile.interpreted import SystemReference
from strandline.compile.kernel import DEADLOCK_BIT, STUCK_BIT, Edge, FaultSite
from strandline.report.style import Style, with_noun
from strandline.traces.evaluate import Evaluator
from strandline.traces.interpreter_walk import Walk
from strandline.traces.replay import State
from strandline.traces.text import change_lines, state_lines
from strandline.traces.trace import Step, changes

_MOST_CHOICES = 40
"""Most steps or initial states that a menu lists unless the user asks for all."""


class SimulationText:
    """Renders the output of a simulation of a System."""

    def __init__(self, reference: SystemReference, style: Style) -> None:
        self.evaluator = Evaluator(reference)
        self._reference, self._system, self._style = reference, reference.system, style

    def title(self) -> str:
        """Return the first line: name and size of the model."""
        system = self._system
        name = self._style.paint(system.name, "bold")
        product = "" if system.observer is None else f", with property process {system.observer.name}"
        return f"{name}: {with_noun(len(system.actions), 'action')}{product}; 'help' lists the commands"

    def beginning(self, walk: Walk) -> str:
        """Return the text of the initial state in which a walk begins."""
        number = walk.initial or 0
        which = f" {number + 1}" if len(walk.initial_states) > 1 else ""
        title = self._style.paint(f"initial state{which}", "bold")
        state = self._reference.describe(walk.initial_states[number])
        return "\n".join([title, *state_lines(state, self._style.paint)])

    def step(self, walk: Walk, before: State | None, edge: Edge) -> str:
        """Return the text of a step that was taken: its changes, or the fault in which it ended."""
        if edge.target is None:
            lines = [f"{self._style.paint('!', 'red')}  {self._style.paint(edge.action, 'bold')}"]
            return "\n".join([*lines, *(f"   {line}" for line in self._fault_lines(edge.fault))])
        number = self._style.paint(str(len(walk)), "dim")
        lines = [f"{number}  {self._style.paint(edge.action, 'bold')}"]
        return "\n".join([*lines, *self._changes(before, edge, "     ")])

    def state(self, state: State) -> str:
        """Return the text of a complete state."""
        return "\n".join(state_lines(self._reference.describe(state), self._style.paint))

    def labels(self, state: State) -> str:
        """Return a line with the labels that are true in a state; "" if there are none."""
        names = self.evaluator.labels(state)
        return f"labels: {', '.join(names)}" if names else ""

    def warnings(self, walk: Walk) -> str:
        """Return lines with the model's claims that the walk's current state violates."""
        if walk.state is None:
            return ""
        return "\n".join(self._style.paint(line, "red") for line in self.evaluator.violations(walk.state))

    def menu(self, walk: Walk, *, whole: bool = False) -> str:
        """Return the numbered steps that are enabled in the walk's current state, or the reason why there are none.

        Before the walk has begun, it lists the initial states. Unless `whole`, a long list is cut off.
        """
        if walk.state is None:
            return self._initial_menu(walk, whole=whole)
        if walk.fault is not None:
            return "the path ends in a fault: 'undo' or 'reset' lead back"
        if not walk.edges:
            return self._dead_end(walk.state)
        width = len(str(len(walk.edges)))
        lines = [self._style.paint("steps", "bold")]
        for number, edge in enumerate(walk.edges if whole else walk.edges[:_MOST_CHOICES], 1):
            lines += self._choice(f"  {number:{width}}  ", walk.state, edge)
        return "\n".join([*lines, *self._left_out(len(walk.edges), whole)])

    def _dead_end(self, state: State) -> str:
        labels, colour = self._reference.labels(state), "red"
        if not labels >> DEADLOCK_BIT & 1:
            title, reason = "blocked", "the property process has no step to take with the system's"
        elif self._reference.system.ends is None or labels >> STUCK_BIT & 1:
            title, reason = "deadlock", "no step can be taken"
        else:
            title, reason, colour = "end", "no step can be taken, and the model may end here", "green"
        return f"{self._style.paint(title, colour, 'bold')}: {reason}; 'undo' or 'reset' lead back"

    def _initial_menu(self, walk: Walk, *, whole: bool) -> str:
        states = walk.initial_states
        lines = [self._style.paint("initial states", "bold")]
        width = len(str(len(states)))
        for number, state in enumerate(states if whole else states[:_MOST_CHOICES], 1):
            shown = state_lines(self._reference.describe(state), self._style.paint)
            lines += [
                f"  {number:{width}}{shown[0][2:] if shown else ''}",
                *(" " * width + line for line in shown[1:]),
            ]
        return "\n".join([*lines, *self._left_out(len(states), whole)])

    def _left_out(self, count: int, whole: bool) -> list[str]:
        if whole or count <= _MOST_CHOICES:
            return []
        return [self._style.paint(f"  ... and {count - _MOST_CHOICES:,} more: 'steps' lists them all", "dim")]

    def _choice(self, number: str, state: State, edge: Edge) -> list[str]:
        if edge.target is None:
            kind = "" if edge.fault is None else edge.fault.kind
            return [f"{number}{edge.action}   {self._style.paint(f'faults: {kind}', 'red')}"]
        shown = self._changes(state, edge, "")
        first = f"{number}{edge.action}" + (f"   {shown[0]}" if shown else "")
        return [first, *(" " * (len(number) + 4) + line for line in shown[1:])]

    def _changes(self, before: State | None, edge: Edge, indent: str) -> list[str]:
        if before is None or edge.target is None:
            return []
        found = changes(self._reference.describe(before), self._reference.describe(edge.target))
        return change_lines(Step(edge.action, tuple(found)), indent, self._style.paint)

    def _fault_lines(self, fault: FaultSite | None) -> list[str]:
        if fault is None:
            return []
        lines = [self._style.paint(fault.kind, "red")]
        if fault.span is not None:
            source = self._system.source
            lines += [source.where(fault.span), *source.caret(fault.span).splitlines()]
        return lines
