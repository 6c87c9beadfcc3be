"""System -> machine code: the `successors` function of a Kernel, as LLVM IR text and through llvmlite's JIT.

    labels of the source state
    actions without a process
    for every process: switch on its location, then its actions, then, per partner, switch on the partner's location

The actions of a large system are spread over functions (`@part<k>`): LLVM's time grows faster than the size of a
function.

Two kinds of systems take a detour through functions of their own, which work on records in memory: an observer
(`@observe` joins a finished system step with the observer's edges) and a synchronous system (`@together<k>` tries
the actions of process k on what the processes before it have made of the state).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from strandline.compile.interpreted import SystemTwin
from strandline.compile.jit import machine_code
from strandline.compile.kernel import ACCEPTING_BIT, DEADLOCK_BIT, Kernel
from strandline.compile.llvm_expressions import Evaluator
from strandline.compile.llvm_records import RecordWriter
from strandline.compile.llvm_text import Function, PackedState
from strandline.model.expression import Expression, deep_recursion, walk
from strandline.model.intervals import Contradiction
from strandline.model.layout import Layout, make_layout
from strandline.model.measure import Measure
from strandline.model.ranges import Ranges, analyse_ranges
from strandline.model.system import Action, System, Variable

_LARGE_SYSTEM, _PART = 20_000, 2_000
"""Weight of a system whose actions are spread over functions, and of the actions in one of these."""


def compile_system(
    system: System, predicates: Sequence[Expression] = (), measure: Measure | None = None
) -> Kernel:
    """Compile a System with the predicates and the measure that a search needs into a Kernel."""
    started = time.perf_counter()
    ranges = analyse_ranges(system)
    layout = make_layout(system, ranges.variables)
    writer = _Writer(system, layout, ranges, tuple(predicates), measure)
    with deep_recursion():
        text = writer.module()
    code = machine_code(text, "successors")
    twin = SystemTwin(system, layout, tuple(predicates), measure)
    initial = [layout.pack(valuation) for valuation in system.initial]
    return Kernel(
        words=layout.words,
        measured=measure is not None,
        componentwise=measure is not None and bool(measure.compared),
        successors=code.address,
        initial=np.array(initial, dtype=np.uint64).reshape(len(initial), layout.words),
        initial_progress=np.array([twin.progress(state) for state in initial], dtype=np.int64).reshape(-1, 2),
        fault_sites=writer.faults.sites(),
        twin=twin,
        compile_seconds=time.perf_counter() - started,
        keep_alive=code,
    )


class _Writer(RecordWriter):
    """Writes the module of one System."""

    def __init__(
        self,
        system: System,
        layout: Layout,
        ranges: Ranges,
        predicates: tuple[Expression, ...],
        measure: Measure | None,
    ) -> None:
        super().__init__(layout, ranges, measure)
        self.system = system
        self.predicates = predicates
        self._is_large = sum(map(_weight, system.actions)) > _LARGE_SYSTEM
        self._parts: list[str] = []

    def module(self) -> str:
        functions = [self.measure_function()] if self.measure_is_large else []
        if self.compared:
            functions.append(self.compare_function())
        if self.system.observer is not None:
            functions.append(self._observe())
        if self.system.synchronous:
            functions.extend(self._together(k) for k in range(len(self.system.processes)))
        functions.append(self._successors())
        functions.extend(self._parts)
        declarations = [
            f"declare {{i64, i1}} @llvm.{name}.with.overflow.i64(i64, i64)" for name in ("sadd", "ssub", "smul")
        ]
        declarations.append("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
        return "\n".join([*declarations, *functions])

    # --- the function of the Kernel ---------------------------------------------------------------------------

    def _successors(self) -> str:
        code = Function(
            "define i64 @successors(ptr noalias readonly %state, ptr noalias %records, i64 %capacity,"
            " ptr noalias %labels) nounwind"
        )
        code.do(f"%scratch = alloca [{self.layout.words} x i64]")
        cursor = self.open_cursor(code)
        source = PackedState(code, self.layout, "%state")
        labels = self._labels(code, source)
        if self.system.synchronous:
            self.call(code, "@together0(ptr %state, ptr %state, ptr %cursor)")
        else:
            self._asynchronous(code, source, cursor)
        steps = code.value(f"load i64, ptr {cursor[2]}")
        stuck = code.value(f"icmp eq i64 {steps}, 0")
        if self.system.observer is not None:
            alone, after = code.label(), code.label()
            code.branch(stuck, alone, after)
            code.start(alone)
            self.call(code, "@observe(ptr %state, ptr %state, ptr %cursor)")
            code.jump(after)
            code.start(after)
        deadlock = code.value(f"select i1 {stuck}, i64 {-(1 << DEADLOCK_BIT)}, i64 0")
        code.do(f"store i64 {code.value(f'or i64 {labels}, {deadlock}')}, ptr %labels")
        code.do(f"ret i64 {self.record_count(code, cursor)}")
        return code.text()

    def _labels(self, code: Function, source: PackedState) -> str:
        evaluator = Evaluator(code, source, self.ranges.environment(), self.faults)
        mask = "0"
        for number, predicate in enumerate(self.predicates):
            truth = evaluator.truth(predicate)
            bit = code.value(f"select i1 {truth}, i64 {1 << number}, i64 0")
            mask = code.value(f"or i64 {mask}, {bit}")
        observer = self.system.observer
        if observer is not None:
            accepting = self._member(code, source.read(self.layout.by_variable[observer.location]), observer.accepting)
            bit = code.value(f"select i1 {accepting}, i64 {1 << ACCEPTING_BIT}, i64 0")
            mask = code.value(f"or i64 {mask}, {bit}")
        return mask

    def _member(self, code: Function, value: str, members: frozenset[int]) -> str:
        result = "false"
        for member in sorted(members):
            same = code.value(f"icmp eq i64 {value}, {member}")
            result = code.value(f"or i1 {result}, {same}")
        return result

    # --- asynchronous systems ---------------------------------------------------------------------------------

    def _asynchronous(self, code: Function, source: PackedState, cursor: tuple[str, str, str]) -> None:
        locations = self._locations(source)
        if not self._is_large:
            self._try_actions(code, self.system.actions, locations, source, cursor)
            return
        for number, actions in _by_process(self.system.actions):
            parts = _in_parts(actions)
            if number is None:
                for part in parts:
                    self._call_part(code, part)
                continue
            end, labels = code.label(), [code.label() for _ in parts]
            sources = [dict.fromkeys(action.moves[0].source for action in part) for part in parts]
            code.switch(
                locations[number],
                end,
                [(place, label) for places, label in zip(sources, labels, strict=True) for place in places],
            )
            for part, label in zip(parts, labels, strict=True):
                code.start(label)
                self._call_part(code, part)
                code.jump(end)
            code.start(end)

    def _call_part(self, caller: Function, actions: Sequence[Action]) -> None:
        """Write a function for some of the actions, and call it."""
        name = f"@part{len(self._parts)}"
        self.call(caller, f"{name}(ptr %state, ptr %cursor)")
        code = Function(f"define internal i64 {name}(ptr readonly %state, ptr %cursor) noinline nounwind")
        code.do(f"%scratch = alloca [{self.layout.words} x i64]")
        cursor = self.cursor_fields(code)
        source = PackedState(code, self.layout, "%state")
        self._try_actions(code, actions, self._locations(source), source, cursor)
        code.do("ret i64 0")
        self._parts.append(code.text())

    def _locations(self, source: PackedState) -> list[str]:
        return [source.read(self.layout.by_variable[process.location]) for process in self.system.processes]

    def _try_actions(
        self,
        code: Function,
        actions: Sequence[Action],
        locations: list[str],
        source: PackedState,
        cursor: tuple[str, str, str],
    ) -> None:
        hurried = self._hurried(code, locations)
        for number, members in _by_process(actions):
            if number is None:
                for action in members:
                    self._action(code, action, source, cursor, hurried)
            else:
                self._switch(code, locations, members, 0, source, cursor, hurried)

    def _hurried(self, code: Function, locations: list[str]) -> str | None:
        """Whether some process stands in a committed location; None where the model has none."""
        if not self.system.has_committed:
            return None
        result = "false"
        for process, location in zip(self.system.processes, locations, strict=True):
            if process.committed:
                inside = self._member(code, location, process.committed)
                result = code.value(f"or i1 {result}, {inside}")
        return result

    def _switch(
        self,
        code: Function,
        locations: list[str],
        actions: Sequence[Action],
        depth: int,
        source: PackedState,
        cursor: tuple[str, str, str],
        hurried: str | None,
    ) -> None:
        """Actions that all move the same process at this depth: branch on its location, then go deeper."""
        by_location = groupby(actions, key=lambda action: action.moves[depth].source)
        cases = [(location, code.label(), list(members)) for location, members in by_location]
        end = code.label()
        process = actions[0].moves[depth].process
        code.switch(locations[process], end, [(location, label) for location, label, _ in cases])
        for _, label, members in cases:
            code.start(label)
            for action in members:
                if len(action.moves) == depth + 1:
                    self._action(code, action, source, cursor, hurried)
            further = [action for action in members if len(action.moves) > depth + 1]
            for _, partners in groupby(further, key=lambda action: action.moves[depth + 1].process):
                self._switch(code, locations, list(partners), depth + 1, source, cursor, hurried)
            code.jump(end)
        code.start(end)

    def _action(
        self,
        code: Function,
        action: Action,
        source: PackedState,
        cursor: tuple[str, str, str],
        hurried: str | None,
    ) -> None:
        skip = code.label()
        if hurried is not None and not action.committed:
            proceed = code.label()
            code.branch(hurried, skip, proceed)
            code.start(proceed)
        try:
            environment = self.ranges.environment(action)
            evaluator = Evaluator(code, source.copy(), environment, self.faults)
            if action.guard is not None:
                evaluator.require(action.guard, skip)
            evaluator.run(action.effects)
            self._finish_system_step(evaluator, cursor)
        except Contradiction:
            pass
        code.jump(skip)
        code.start(skip)

    # --- records ----------------------------------------------------------------------------------------------

    def _finish_system_step(self, evaluator: Evaluator, cursor: tuple[str, str, str]) -> None:
        code = evaluator.code
        steps = code.value(f"load i64, ptr {cursor[2]}")
        code.do(f"store i64 {code.value(f'add i64 {steps}, 1')}, ptr {cursor[2]}")
        if self.system.observer is None:
            self.record(evaluator, cursor)
            return
        self.store_words(code, evaluator.state, "%scratch")
        self.call(code, "@observe(ptr %state, ptr %scratch, ptr %cursor)")

    # --- observers and synchronous systems ----------------------------------------------------------------------

    def _joining(self, name: str, variable: Variable, edges: Sequence[Action]) -> str:
        """A function that tries each edge: its guard in the source state, its effects on `%partial`."""
        code = Function(
            f"define internal i64 @{name}(ptr readonly %state, ptr readonly %partial, ptr %cursor) nounwind"
        )
        code.do(f"%scratch = alloca [{self.layout.words} x i64]")
        cursor = self.cursor_fields(code)
        source = PackedState(code, self.layout, "%state")
        partial = PackedState(code, self.layout, "%partial")
        location = source.read(self.layout.by_variable[variable])
        for action in edges:
            skip, here = code.label(), code.label()
            standing = code.value(f"icmp eq i64 {location}, {action.moves[0].source}")
            code.branch(standing, here, skip)
            code.start(here)
            guard = Evaluator(code, source, self.ranges.environment(), self.faults)
            try:
                if action.guard is not None:
                    guard.require(action.guard, skip)
                joined = guard.at(partial.copy(), self.ranges.environment())
                joined.run(action.effects)
                self._continue(name, joined, cursor)
            except Contradiction:
                pass
            code.jump(skip)
            code.start(skip)
        code.do("ret i64 0")
        return code.text()

    def _continue(self, name: str, joined: Evaluator, cursor: tuple[str, str, str]) -> None:
        """What comes after an edge: the next process of a synchronous system, or the record."""
        following = int(name.removeprefix("together")) + 1 if name != "observe" else None
        if following is None:
            self.record(joined, cursor)
        elif following == len(self.system.processes):
            self._finish_system_step(joined, cursor)
        else:
            self.store_words(joined.code, joined.state, "%scratch")
            self.call(joined.code, f"@together{following}(ptr %state, ptr %scratch, ptr %cursor)")

    def _observe(self) -> str:
        observer = self.system.observer
        assert observer is not None
        return self._joining("observe", observer.location, observer.edges)

    def _together(self, process: int) -> str:
        actions = [action for action in self.system.actions if action.moves[0].process == process]
        return self._joining(f"together{process}", self.system.processes[process].location, actions)


def _by_process(actions: Sequence[Action]) -> Iterator[tuple[int | None, list[Action]]]:
    for number, members in groupby(actions, key=lambda a: a.moves[0].process if a.moves else None):
        yield number, list(members)


def _weight(action: Action) -> int:
    """About how much code an action is."""
    parts = [action.guard] if action.guard is not None else []
    parts += [part for effect in action.effects for part in (effect.target, effect.value)]
    return 10 + sum(1 for part in parts for _ in walk(part))


def _in_parts(actions: Sequence[Action]) -> list[list[Action]]:
    """Actions of one process or of none in parts of bounded weight; those of one location stay together."""
    parts: list[list[Action]] = []
    room = 0
    located = bool(actions[0].moves)
    for _, members in groupby(enumerate(actions), key=lambda one: one[1].moves[0].source if located else one[0]):
        together = [action for _, action in members]
        weight = sum(map(_weight, together))
        if not parts or weight > room:
            parts.append([])
            room = _PART
        parts[-1] += together
        room -= weight
    return parts
