"""Coverage bits of a model, set by its compiled code: one byte each, in the global `@coverage`.

    for every action, in the System's order: it is part of a step
    for every location of a process that jumps: a step has led there
    for every bound of the System: a step has reached it

The locations of other processes follow from the actions that were taken. A bit is tested before it is set, at the end
of a step, because threads that share the bits would contend for the cache line if each step wrote to it; an expression
that a bit depends on is evaluated only as long as the bit is not set.
"""

from __future__ import annotations

from strandline.analysis.dependencies import writes
from strandline.analysis.ranges import Ranges
from strandline.compile.llvm.expressions import Evaluator
from strandline.compile.llvm.function import Function
from strandline.model.expression import Expression, variables_read
from strandline.model.system import Action, System, Variable

GLOBAL = "coverage"


class CoverageBits:
    """Emits the code that sets coverage bits; `size` is their number."""

    def __init__(self, system: System, ranges: Ranges) -> None:
        self.ranges = ranges
        self._actions = {id(action): number for number, action in enumerate(system.actions)}
        self._locations: dict[Variable, int] = {}
        place = len(system.actions)
        for process in system.processes:
            if process.jumps:
                self._locations[process.location] = place
                place += process.location.domain.size
        self._bounds = [
            (place + number, one.expression, variables_read(one.expression)) for number, one in enumerate(system.bounds)
        ]
        self.size = place + len(self._bounds)

    @property
    def declaration(self) -> str:
        return f"@{GLOBAL} = global [{max(self.size, 1)} x i8] zeroinitializer"

    def set_bits(self, evaluator: Evaluator, action: Action) -> None:
        """Emit code that sets the coverage bits of an action; the evaluator must be in its successor state."""
        code, changed = evaluator.code, writes(action)
        self._set(code, _place(code, str(self._actions[id(action)])))
        for location, first in self._locations.items():
            if location in changed:
                field = evaluator.state.layout.by_variable[location]
                place = code.value(f"add i64 {evaluator.state.read(field)}, {first}")
                self._set(code, _place(code, place))
        for number, expression, read in self._bounds:
            if read & changed:
                self._set_where(evaluator, number, expression)

    def _set(self, code: Function, place: str) -> None:
        unknown, after = code.label(), code.label()
        marked = code.value(f"load i8, ptr {place}")
        new, known = code.value(f"icmp eq i8 {marked}, 0"), code.known
        code.branch(new, unknown, after)
        code.start(unknown)
        code.do(f"store i8 1, ptr {place}")
        code.jump(after)
        code.start(after, known)

    def _set_where(self, evaluator: Evaluator, number: int, expression: Expression) -> None:
        code = evaluator.code
        place, unknown, after = _place(code, str(number)), code.label(), code.label()
        marked = code.value(f"load i8, ptr {place}")
        code.branch(code.value(f"icmp eq i8 {marked}, 0"), unknown, after)
        code.start(unknown)
        truth = evaluator.at(evaluator.state.copy(), self.ranges.environment()).truth(expression)
        code.do(f"store i8 {code.value(f'zext i1 {truth} to i8')}, ptr {place}")
        code.jump(after)
        code.start(after)


def _place(code: Function, number: str) -> str:
    return code.value(f"getelementptr i8, ptr @{GLOBAL}, i64 {number}")
