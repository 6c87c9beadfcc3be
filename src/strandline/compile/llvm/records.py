"""Emit the records of successors: their position, words, progress, and regress flag."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from strandline.analysis.ranges import Ranges
from strandline.compile.kernel import FaultSite
from strandline.compile.llvm.coverage import CoverageBits
from strandline.compile.llvm.expressions import Evaluator
from strandline.compile.llvm.faults import FaultTable
from strandline.compile.llvm.function import Function
from strandline.compile.llvm.packed_state import PackedState
from strandline.model.expression import walk
from strandline.model.layout import Layout
from strandline.model.measure import Measure
from strandline.model.system import Action

_CURSOR = "{ptr, ptr, i64, i64}"


class Cursor(NamedTuple):
    """Pointers to the position of the next record, the end of the buffer, the step count and the action's number.

    The number of the action is only used if records contain it.
    """

    following: str
    end: str
    steps: str
    action: str


_PLAIN_WORDS = 4
"""Most words of a state that is written word by word; larger ones are copied and then changed."""
_LARGE_MEASURE = 60
"""Size of a measure above which it becomes a function of its own."""


class Records:
    """Emits the code that writes records, for one layout and one measure.

    With `actions` the last word of a record is the number of its action among these. With `alone` a record is the step
    of one action, without other processes or a property process. `known_faults` keep their numbers.
    """

    def __init__(
        self,
        layout: Layout,
        ranges: Ranges,
        measure: Measure | None,
        marks: CoverageBits,
        actions: Sequence[Action] = (),
        *,
        alone: bool = False,
        known_faults: Sequence[FaultSite] = (),
    ) -> None:
        self.layout, self.ranges, self.measure, self.coverage_bits = layout, ranges, measure, marks
        self.faults = FaultTable(ranges.variables, known_faults)
        self.compared = measure.compared if measure else ()
        self.numbers = {id(action): number for number, action in enumerate(actions)}
        self._measured_words = layout.words + (2 if measure else 0) + (1 if self.compared else 0)
        self.stride = self._measured_words + (1 if actions else 0)
        nodes = sum(1 for part in (measure.column, measure.layer) for _ in walk(part)) if measure else 0
        self.state_is_large = layout.words > _PLAIN_WORDS
        self.copies_count = self.state_is_large and alone
        """True if the function that copies a state counts the step, instead of every action."""
        self.measure_is_large = nodes > _LARGE_MEASURE

    def open_cursor(self, code: Function) -> Cursor:
        code.do(f"%cursor = alloca {_CURSOR}")
        fields = self.cursor_fields(code)
        size = code.value(f"mul i64 %capacity, {8 * self.stride}")
        end = code.value(f"getelementptr i8, ptr %records, i64 {size}")
        code.do(f"store ptr %records, ptr {fields.following}")
        code.do(f"store ptr {end}, ptr {fields.end}")
        code.do(f"store i64 0, ptr {fields.steps}")
        return fields

    def cursor_fields(self, code: Function) -> Cursor:
        fields = [code.value(f"getelementptr {_CURSOR}, ptr %cursor, i32 0, i32 {number}") for number in range(4)]
        return Cursor(*fields)

    def take(self, code: Function, action: Action, cursor: Cursor) -> None:
        """Set the action of the records that follow."""
        if self.numbers:
            code.do(f"store i64 {self.numbers[id(action)]}, ptr {cursor.action}")

    def record_count(self, code: Function, cursor: Cursor) -> str:
        last = code.value(f"load ptr, ptr {cursor.following}")
        last_number = code.value(f"ptrtoint ptr {last} to i64")
        first_number = code.value("ptrtoint ptr %records to i64")
        size = code.value(f"sub i64 {last_number}, {first_number}")
        return code.value(f"udiv exact i64 {size}, {8 * self.stride}")

    def record(self, evaluator: Evaluator, cursor: Cursor) -> None:
        """Write the state as the next record; records past the end go to the scratch position."""
        code = evaluator.code
        inline = self.measure is not None and not self.measure_is_large
        progress = self._progress_values(evaluator) if inline else []
        if self.state_is_large:
            place = code.value(f"call ptr @copied(ptr {evaluator.state.base}, ptr %cursor)")
            self._store_changed(code, evaluator.state, place)
        else:
            place = self._next_place(code, cursor)
            self.store_words(code, evaluator.state, place)
        self._finish(code, progress, place)
        if self.numbers:
            pointer = code.value(f"getelementptr i64, ptr {place}, i64 {self.stride - 1}")
            code.do(f"store i64 {code.value(f'load i64, ptr {cursor.action}')}, ptr {pointer}")

    def complete(self, evaluator: Evaluator, place: str) -> None:
        """Write the changed words of a state that was read from a record, and its progress, to the record."""
        code = evaluator.code
        inline = self.measure is not None and not self.measure_is_large
        progress = self._progress_values(evaluator) if inline else []
        self._store_changed(code, evaluator.state, place)
        self._finish(code, progress, place)

    def _finish(self, code: Function, progress: list[str], place: str) -> None:
        """Write the progress of a record."""
        self._store_progress(code, progress, place)
        if self.measure_is_large:
            code.call(f"@measure(ptr {place})")
        if self.compared:
            code.call(f"@compare(ptr %state, ptr {place})")

    def _next_place(self, code: Function, cursor: Cursor) -> str:
        """Return the position of the next record and advance the cursor."""
        following = code.value(f"load ptr, ptr {cursor.following}")
        end = code.value(f"load ptr, ptr {cursor.end}")
        inside = code.value(f"icmp ult ptr {following}, {end}")
        advanced = code.value(f"getelementptr i64, ptr {following}, i64 {self.stride}")
        code.do(f"store ptr {advanced}, ptr {cursor.following}")
        return code.value(f"select i1 {inside}, ptr {following}, ptr {end}")

    def _progress_values(self, evaluator: Evaluator) -> list[str]:
        assert self.measure is not None
        measured = evaluator.at(evaluator.state, self.ranges.environment())
        return [measured.value(self.measure.column), measured.value(self.measure.layer)]

    def _store_progress(self, code: Function, progress: list[str], record: str) -> None:
        for number, value in enumerate(progress):
            pointer = code.value(f"getelementptr i64, ptr {record}, i64 {self.layout.words + number}")
            code.do(f"store i64 {value}, ptr {pointer}")

    def functions(self) -> dict[str, str]:
        """Return the functions that complete a record, by name."""
        found = {}
        if self.state_is_large:
            found["copied"] = self._copy_function()
        if self.measure_is_large:
            found["measure"] = self._measure_function()
        if self.compared:
            found["compare"] = self._compare_function()
        return found

    def _copy_function(self) -> str:
        """Emit a function that copies a state to the next record, so that not every action copies it inline."""
        code = Function("define internal ptr @copied(ptr readonly %from, ptr %cursor) noinline nounwind")
        cursor = self.cursor_fields(code)
        place = self._next_place(code, cursor)
        if self.copies_count:
            steps = code.value(f"load i64, ptr {cursor.steps}")
            code.do(f"store i64 {code.value(f'add i64 {steps}, 1')}, ptr {cursor.steps}")
        self._copy(code, "%from", place)
        code.do(f"ret ptr {place}")
        return code.text()

    def _copy(self, code: Function, source: str, place: str) -> None:
        size = 8 * self.layout.words
        code.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {place}, ptr {source}, i64 {size}, i1 false)")

    def _measure_function(self) -> str:
        """Emit a function that computes a large measure, so that it is not repeated after every action."""
        code = Function("define internal i64 @measure(ptr %record) noinline nounwind")
        state = PackedState(code, self.layout, "%record")
        evaluator = Evaluator(code, state, self.ranges.environment(), self.faults)
        self._store_progress(code, self._progress_values(evaluator), "%record")
        code.do("ret i64 0")
        return code.text()

    def _compare_function(self) -> str:
        """Emit a function that sets a record's regress flag: whether a component of the measure decreases."""
        code = Function("define internal i64 @compare(ptr readonly %state, ptr %record) noinline nounwind")
        environment = self.ranges.environment()
        before = Evaluator(code, PackedState(code, self.layout, "%state"), environment, self.faults)
        after = before.at(PackedState(code, self.layout, "%record"), environment)
        falls = "false"
        for component in self.compared:
            smaller = code.value(f"icmp slt i64 {after.value(component)}, {before.value(component)}")
            falls = code.value(f"or i1 {falls}, {smaller}")
        pointer = code.value(f"getelementptr i64, ptr %record, i64 {self._measured_words - 1}")
        code.do(f"store i64 {code.value(f'zext i1 {falls} to i64')}, ptr {pointer}")
        code.do("ret i64 0")
        return code.text()

    def store_words(self, code: Function, state: PackedState, place: str) -> None:
        """Write the whole state."""
        if self.state_is_large:
            self._copy(code, state.base, place)
            self._store_changed(code, state, place)
        else:
            self._store(code, state, place, range(self.layout.words))

    def _store_changed(self, code: Function, state: PackedState, place: str) -> None:
        self._store(code, state, place, sorted(state.changed))

    def _store(self, code: Function, state: PackedState, place: str, words: Iterable[int]) -> None:
        for word in words:
            pointer = code.value(f"getelementptr i64, ptr {place}, i64 {word}") if word else place
            code.do(f"store i64 {state.word(word)}, ptr {pointer}")
