"""Steps that are made of several actions: those of an observer, and those of a synchronous system.

They take a detour through functions of their own, which work on records in memory: `@observe` joins a finished system
step with the observer's edges, `@together<k>` tries the actions of process k on what the processes before it have made
of the state.
"""

from __future__ import annotations

from collections.abc import Sequence

from strandline.compile.llvm.expressions import Evaluator
from strandline.compile.llvm.function import Function
from strandline.compile.llvm.packed_state import PackedState
from strandline.compile.llvm.records import Cursor, Records
from strandline.model.intervals import Contradiction
from strandline.model.system import Action, System, Variable


class Joining:
    """Writes what comes after a step of the system itself, and the functions that join actions to one step."""

    def __init__(self, system: System, records: Records) -> None:
        self.system, self.records = system, records

    def functions(self) -> dict[str, str]:
        """By name, in the order in which they stand in the module."""
        found = {}
        if self.system.observer is not None:
            observer = self.system.observer
            found["observe"] = self._function("observe", observer.location, observer.edges, None)
        if self.system.synchronous:
            for number, process in enumerate(self.system.processes):
                actions = [action for action in self.system.actions if action.moves[0].process == number]
                found[f"together{number}"] = self._function(f"together{number}", process.location, actions, number + 1)
        return found

    def finish(self, evaluator: Evaluator, action: Action, cursor: Cursor) -> None:
        """The system has made a step, of which this action is the last: count it; it is a record, or the observer goes
        on."""
        code = evaluator.code
        self.records.marks.made(evaluator, action)
        self.records.take(code, action, cursor)
        if not self.records.copies_count:
            steps = code.value(f"load i64, ptr {cursor.steps}")
            code.do(f"store i64 {code.value(f'add i64 {steps}, 1')}, ptr {cursor.steps}")
        if self.system.observer is None:
            self.records.record(evaluator, cursor)
            return
        self.records.store_words(code, evaluator.state, "%scratch")
        code.call("@observe(ptr %state, ptr %scratch, ptr %cursor)")

    def _function(self, name: str, variable: Variable, edges: Sequence[Action], following: int | None) -> str:
        """A function that tries each edge: its guard in the source state, its effects on `%partial`. `following` is
        the process that goes on; None where the step is complete."""
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
            # What one edge loads is not loaded for those that come after it.
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
        """What comes after an edge: the next process of a synchronous system, whose action must follow for this one to
        be part of a step, or the record."""
        if following is None:
            self.records.record(joined, cursor)
        elif following == len(self.system.processes):
            self.finish(joined, action, cursor)
        else:
            self.records.store_words(joined.code, joined.state, "%scratch")
            before = joined.code.value(f"load i64, ptr {cursor.steps}")
            joined.code.call(f"@together{following}(ptr %state, ptr %scratch, ptr %cursor)")
            self._mark_if_followed(joined, cursor, action, before)

    def _mark_if_followed(self, joined: Evaluator, cursor: Cursor, action: Action, before: str) -> None:
        code, followed, after = joined.code, joined.code.label(), joined.code.label()
        steps = code.value(f"load i64, ptr {cursor.steps}")
        code.branch(code.value(f"icmp ugt i64 {steps}, {before}"), followed, after)
        code.start(followed)
        self.records.marks.made(joined, action)
        code.jump(after)
        code.start(after)
