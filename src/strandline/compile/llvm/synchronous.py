"""Emit steps of several actions: those of a property process, and those of a synchronous system.

They have functions of their own, which work on records in memory: `@observe` combines a finished system step with the
edges of the property process, `@together<k>` tries the actions of process k on the result of the processes before it.
"""

from __future__ import annotations

from collections.abc import Sequence

from strandline.compile.llvm.expressions import Evaluator
from strandline.compile.llvm.function import Function
from strandline.compile.llvm.packed_state import PackedState
from strandline.compile.llvm.records import Cursor, Records
from strandline.model.intervals import Contradiction
from strandline.model.system import Action, System, Variable


class SynchronousSteps:
    """Emits the end of a system step, and the functions that combine actions to one step."""

    def __init__(self, system: System, records: Records) -> None:
        self.system, self.records = system, records
        self.depth = "1"
        """The operand that counts the actions of the step at this point, this one included."""

    def functions(self) -> dict[str, str]:
        """Return the LLVM functions by name, in the order in which the module lists them."""
        found = {}
        if self.system.observer is not None:
            observer = self.system.observer
            found["observe"] = self._emit_function("observe", observer.location, observer.edges, None)
        if self.system.synchronous:
            for number, process in enumerate(self.system.processes):
                actions = [action for action in self.system.actions if action.moves[0].process == number]
                found[f"together{number}"] = self._emit_function(
                    f"together{number}", process.location, actions, number + 1
                )
        return found

    def finish(self, evaluator: Evaluator, action: Action, cursor: Cursor) -> None:
        """Emit the end of a system step, after its last action: set coverage bits, write the record.

        With a property process, its function is called instead of writing the record.
        """
        code = evaluator.code
        self.records.coverage_bits.set_bits(evaluator, action)
        if action.continues is not None:
            self._go_on(evaluator, action.continues, cursor)
            return
        self.records.take(code, action, cursor)
        self._end(evaluator, cursor)

    def _go_on(self, evaluator: Evaluator, process: int, cursor: Cursor) -> None:
        """Emit the further actions of a step; where there are none, the step ends."""
        code = evaluator.code
        self.records.store_words(code, evaluator.state, "%scratch")
        before = code.value(f"load i64, ptr {cursor.steps}")
        code.call(f"@resume{process}(ptr %state, ptr %scratch, ptr %cursor, i64 {self.depth})")
        blocked, after = code.label(), code.label()
        steps = code.value(f"load i64, ptr {cursor.steps}")
        code.branch(code.value(f"icmp eq i64 {steps}, {before}"), blocked, after)
        code.start(blocked)
        self._end(evaluator, cursor)
        code.jump(after)
        code.start(after)

    def _end(self, evaluator: Evaluator, cursor: Cursor) -> None:
        code = evaluator.code
        if not self.records.copies_count:
            steps = code.value(f"load i64, ptr {cursor.steps}")
            code.do(f"store i64 {code.value(f'add i64 {steps}, 1')}, ptr {cursor.steps}")
        if self.system.observer is None:
            self.records.record(evaluator, cursor)
            return
        self.records.store_words(code, evaluator.state, "%scratch")
        code.call("@observe(ptr %state, ptr %scratch, ptr %cursor)")

    def _emit_function(self, name: str, variable: Variable, edges: Sequence[Action], following: int | None) -> str:
        """Emit a function that tries each edge: its guard in the source state, its effects on `%partial`.

        `following` is the next process; None if the step is complete.
        """
        records, ranges = self.records, self.records.ranges
        code = Function(
            f"define internal i64 @{name}(ptr readonly %state, ptr readonly %partial, ptr %cursor) nounwind"
        )
        code.do(f"%scratch = alloca [{records.layout.words} x i64]")
        cursor = records.cursor_fields(code)
        source = PackedState(code, records.layout, "%state")
        partial = PackedState(code, records.layout, "%partial")
        location = source.read(records.layout.by_variable[variable])
        for action in edges:
            skip, here = code.label(), code.label()
            standing = code.value(f"icmp eq i64 {location}, {action.moves[0].source}")
            code.branch(standing, here, skip)
            code.start(here)
            # Loads of one edge do not dominate the next ones: use a copy of the state.
            guard = Evaluator(code, source.copy(), ranges.environment(), records.faults)
            try:
                if action.guard is not None:
                    guard.require(action.guard, skip)
                joined = guard.at(partial.copy(), ranges.environment())
                joined.run(action.effects)
                self._continue(joined, cursor, following, action)
            except Contradiction:
                pass
            code.jump(skip)
            code.start(skip)
        code.do("ret i64 0")
        return code.text()

    def _continue(self, joined: Evaluator, cursor: Cursor, following: int | None, action: Action) -> None:
        """Emit the continuation after an edge: the next process of a synchronous system, or the record.

        An action of a synchronous system is part of a step only if the following processes complete it.
        """
        if following is None:
            self.records.record(joined, cursor)
        elif following == len(self.system.processes):
            self.finish(joined, action, cursor)
        else:
            self.records.store_words(joined.code, joined.state, "%scratch")
            before = joined.code.value(f"load i64, ptr {cursor.steps}")
            joined.code.call(f"@together{following}(ptr %state, ptr %scratch, ptr %cursor)")
            self._set_bits_if_completed(joined, cursor, action, before)

    def _set_bits_if_completed(self, joined: Evaluator, cursor: Cursor, action: Action, before: str) -> None:
        code, followed, after = joined.code, joined.code.label(), joined.code.label()
        steps = code.value(f"load i64, ptr {cursor.steps}")
        code.branch(code.value(f"icmp ugt i64 {steps}, {before}"), followed, after)
        code.start(followed)
        self.records.coverage_bits.set_bits(joined, action)
        code.jump(after)
        code.start(after)
