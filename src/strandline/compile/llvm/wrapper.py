"""Emit a wrapper around compiled `successors` that adds labels, a property process and progress.

    labels of the source state
    the System's own steps, which its own function writes to the same buffer
    the edges that the property process can take: its guards read the source, so they are the same for every step
    from the last step to the first: a record for each of these edges

Records grow in place. Those of the System are no longer than those made of them, so iterating backwards never
overwrites a record that is still to be read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from strandline.compile.llvm.blocks import Memory
from strandline.compile.llvm.expressions import Evaluator
from strandline.compile.llvm.function import Function
from strandline.compile.llvm.packed_state import PackedState
from strandline.compile.llvm.records import Records
from strandline.compile.llvm.successors import ENTRY as STEPS
from strandline.compile.llvm.successors import PARAMETERS, write_labels
from strandline.model.expression import Expression
from strandline.model.intervals import Contradiction
from strandline.model.system import Observer, System

ENTRY = "asked"
DECLARATIONS = (
    f"declare i64 @{STEPS}(ptr, ptr, i64, ptr) nounwind",
    "declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)",
)


def write_functions(system: System, predicates: Sequence[Expression], records: Records, words: int) -> dict[str, str]:
    """Return the LLVM functions by name; all but the entry function have internal linkage.

    `words` is the length of the records that `successors` writes. No guard of the property process and no part of the
    measure may fault.
    """
    helping = {name: text for name, text in records.functions().items() if name in ("measure", "compare")}
    return {**helping, ENTRY: _Wrapper(system, records, words).emit(tuple(predicates))}


class _Wrapper:
    def __init__(self, system: System, records: Records, words: int) -> None:
        self.system, self.records, self.words = system, records, words
        self.code = Function(f"define i64 @{ENTRY}({PARAMETERS}) nounwind")
        self.memory = Memory(self.code)

    def emit(self, predicates: tuple[Expression, ...]) -> str:
        code, memory, observer = self.code, self.memory, self.system.observer
        step, edge, edges = memory.number(), memory.number(), memory.number()
        behind = "" if observer is None else memory.numbers(max(_edges_by_source(observer).values(), default=1))
        source = PackedState(code, self.records.layout, "%state")
        labels = write_labels(self.system, predicates, self._evaluator(source))
        steps = code.value(f"call i64 @{STEPS}(ptr %state, ptr %records, i64 %capacity, ptr %labels)")
        self._leave_where(code.value(f"icmp slt i64 {steps}, 0"), steps)
        memory.store(code.value(f"or i64 {memory.load('%labels')}, {labels}"), "%labels")
        if observer is None:
            if self.records.stride > self.words:
                self._count_down(step, self._written_count(steps), lambda number: self._record(number, number, None))
            code.do(f"ret i64 {steps}")
            return code.text()
        alone = code.value(f"icmp eq i64 {steps}, 0")
        # At a deadlock of the System the property process moves alone.
        memory.when(alone, lambda: self._move("%state", "%records"))
        steps = code.value(f"select i1 {alone}, i64 1, i64 {steps}")
        self._find_edges(observer, source, edges, behind)
        count = memory.load(edges)

        def expand(number: str) -> None:
            first = code.value(f"mul i64 {number}, {count}")

            def take(chosen: str) -> None:
                place = code.value(f"add i64 {first}, {chosen}")
                fits = code.value(f"icmp ult i64 {place}, %capacity")
                memory.when(fits, lambda: self._record(number, place, memory.load(behind, chosen)))

            self._count_down(edge, count, take)

        self._count_down(step, self._written_count(steps), expand)
        code.do(f"ret i64 {code.value(f'mul i64 {steps}, {count}')}")
        return code.text()

    def _evaluator(self, state: PackedState) -> Evaluator:
        return Evaluator(self.code, state, self.records.ranges.environment(), self.records.faults)

    def _leave_where(self, condition: str, result: str) -> None:
        leave, proceed = self.code.label(), self.code.label()
        self.code.branch(condition, leave, proceed)
        self.code.start(leave)
        self.code.do(f"ret i64 {result}")
        self.code.start(proceed)

    def _written_count(self, steps: str) -> str:
        """Return how many steps have records: at most the capacity of the buffer."""
        fewer = self.code.value(f"icmp ult i64 {steps}, %capacity")
        return self.code.value(f"select i1 {fewer}, i64 {steps}, i64 %capacity")

    def _count_down(self, counter: str, count: str, body: Callable[[str], None]) -> None:
        """Emit a loop from `count` - 1 down to 0; the counter is in memory."""
        code, memory = self.code, self.memory
        memory.store(count, counter)

        def once() -> None:
            number = code.value(f"sub i64 {memory.load(counter)}, 1")
            memory.store(number, counter)
            body(number)

        memory.repeat(lambda: code.value(f"icmp ne i64 {memory.load(counter)}, 0"), once)

    # --- the observer -----------------------------------------------------------------------------------------

    def _find_edges(self, observer: Observer, source: PackedState, count: str, behind: str) -> None:
        """Store the targets of the enabled edges in memory, in their order, and their number."""
        code, memory = self.code, self.memory
        memory.store(0, count)
        end, places = code.label(), {place: code.label() for place in _edges_by_source(observer)}
        location = source.read(self.records.layout.by_variable[observer.location])
        code.switch(location, end, list(places.items()))
        for place, label in places.items():
            code.start(label)
            for edge in observer.edges:
                if edge.moves[0].source != place:
                    continue
                skip = code.label()
                try:
                    if edge.guard is not None:
                        # Loads of one edge do not dominate the next ones: use a copy of the state.
                        self._evaluator(source.copy()).require(edge.guard, skip)
                    memory.store(edge.moves[0].target, behind, memory.load(count))
                    memory.add(count, 1)
                except Contradiction:
                    pass
                code.jump(skip)
                code.start(skip)
            code.jump(end)
        code.start(end)

    # --- records ----------------------------------------------------------------------------------------------

    def _record(self, step: str, place: str, location: str | None) -> None:
        """Make the record of a step at a position, with the location of the property process."""
        code, records = self.code, self.records
        step_at = self._at(step, self.words)
        record = self._at(place, records.stride)
        if records.state_is_large:
            moved = code.value(f"icmp ne ptr {step_at}, {record}")
            self.memory.when(moved, lambda: self._move(step_at, record))
            state = PackedState(code, records.layout, record)
        else:
            words = [self._load(step_at, word) for word in range(self.words)]
            state = PackedState(code, records.layout, record)
            state.changed = dict(enumerate(words))
        if records.layout.words > self.words:
            state.changed[self.words] = "0"
        if location is not None and self.system.observer is not None:
            state.write(records.layout.by_variable[self.system.observer.location], location)
        records.complete(self._evaluator(state), record)

    def _at(self, number: str, stride: int) -> str:
        words = self.code.value(f"mul i64 {number}, {stride}")
        return self.code.value(f"getelementptr i64, ptr %records, i64 {words}")

    def _load(self, base: str, word: int) -> str:
        return self.code.value(f"load i64, ptr {self.memory.at(base, word)}")

    def _move(self, source: str, target: str) -> None:
        size = 8 * self.words
        self.code.do(f"call void @llvm.memmove.p0.p0.i64(ptr {target}, ptr {source}, i64 {size}, i1 false)")


def _edges_by_source(observer: Observer) -> dict[int, int]:
    """Count the edges that leave each location; locations without edges are left out."""
    sources = sorted(edge.moves[0].source for edge in observer.edges)
    return {source: len(list(edges)) for source, edges in groupby(sources)}
