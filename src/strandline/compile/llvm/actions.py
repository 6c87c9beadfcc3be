"""Emit the actions of an asynchronous system, each of which is a step.

    actions without a process: `unlocated`
    for every process: switch on its location, then its actions, then, per partner, switch on the partner's location

A step that is a path goes on in `@resume<k>`, which tries the actions of process k in a state inside the step; it calls
itself for longer paths. Idle actions are tried where there is no step.

The actions of a large system are spread over functions (`@part<k>`): LLVM's compile time grows faster than the size of
a function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from strandline.compile.interpret import LONGEST_PATH, PATH_FAULT
from strandline.compile.llvm.expressions import Evaluator
from strandline.compile.llvm.function import Function
from strandline.compile.llvm.packed_state import PackedState
from strandline.compile.llvm.records import Cursor, Records
from strandline.compile.llvm.synchronous import SynchronousSteps
from strandline.compile.llvm.unlocated import Unlocated
from strandline.model.expression import walk
from strandline.model.intervals import Contradiction
from strandline.model.system import Action, System

_LARGE_SYSTEM, _PART = 20_000, 2_000
"""Weight of a system above which its actions are spread over functions, and weight of the actions in each."""


@dataclass(frozen=True, slots=True)
class _Body:
    """The function in which actions are tried: its code, the source state, and the processes' locations.

    `committed` says whether a process is in a committed location; None if the model has none.
    """

    code: Function
    source: PackedState
    cursor: Cursor
    locations: Sequence[str]
    committed: str | None


class Actions:
    """Emits the code that tries actions; `parts` are the functions emitted for some of them."""

    def __init__(self, system: System, records: Records, joining: SynchronousSteps) -> None:
        self.system, self.records, self.joining = system, records, joining
        self.parts: dict[str, str] = {}
        self._weights = {id(action): _weight(action) for action in system.actions}

    def write(self, code: Function, source: PackedState, cursor: Cursor) -> None:
        """Emit all actions of the system, in canonical order."""
        locations = self._locations(source)
        ordinary = [action for action in self.system.actions if not action.idle]
        idle = [action for action in self.system.actions if action.idle]
        if is_large(self.system):
            self._call_parts(code, locations, ordinary)
        else:
            self._try(code, source, cursor, locations, ordinary)
        if idle:
            stuck, after = code.label(), code.label()
            steps = code.value(f"load i64, ptr {cursor.steps}")
            code.branch(code.value(f"icmp eq i64 {steps}, 0"), stuck, after)
            code.start(stuck)
            self._try(code, source, cursor, locations, idle)
            code.jump(after)
            code.start(after)
        self._write_resumptions()

    # --- steps that are paths ---------------------------------------------------------------------------------

    def _write_resumptions(self) -> None:
        """Emit for each process that goes on inside steps the functions that try its actions there."""
        inner: dict[int, set[int]] = {}
        for action in self.system.actions:
            if action.continues is not None:
                target = next(move.target for move in action.moves if move.process == action.continues)
                inner.setdefault(action.continues, set()).add(target)
        for process, places in sorted(inner.items()):
            actions = [
                action
                for action in self.system.actions
                if action.moves and action.moves[0].process == process and action.moves[0].source in places
                if not action.idle
            ]
            self._write_resumption(process, actions)

    def _write_resumption(self, process: int, actions: Sequence[Action]) -> None:
        name = f"resume{process}"
        code, cursor = self._open_resumption(name)
        deep, proceed = code.label(), code.label()
        code.branch(code.value(f"icmp sgt i64 %depth, {LONGEST_PATH}"), deep, proceed)
        code.start(deep)
        code.do(f"ret i64 {self.records.faults.code(PATH_FAULT, None)}")
        code.start(proceed)
        parts = self._in_parts(actions) if actions else []
        if len(parts) == 1:
            self._resume(code, cursor, actions)
        else:
            end, labels = code.label(), [code.label() for _ in parts]
            sources = [dict.fromkeys(action.moves[0].source for action in part) for part in parts]
            here = PackedState(code, self.records.layout, "%current")
            location = here.read(self.records.layout.by_variable[self.system.processes[process].location])
            places = zip(sources, labels, strict=True)
            code.switch(location, end, [(place, label) for several, label in places for place in several])
            for number, (part, label) in enumerate(zip(parts, labels, strict=True)):
                code.start(label)
                code.call(f"@{name}p{number}(ptr %state, ptr %current, ptr %cursor, i64 %depth)")
                code.jump(end)
                inner, inner_cursor = self._open_resumption(f"{name}p{number}")
                self._resume(inner, inner_cursor, part)
                inner.do("ret i64 0")
                self.parts[f"{name}p{number}"] = inner.text()
            code.start(end)
        code.do("ret i64 0")
        self.parts[name] = code.text()

    def _open_resumption(self, name: str) -> tuple[Function, Cursor]:
        parameters = "ptr readonly %state, ptr readonly %current, ptr %cursor, i64 %depth"
        code = Function(f"define internal i64 @{name}({parameters}) noinline nounwind")
        code.do(f"%scratch = alloca [{self.records.layout.words} x i64]")
        return code, self.records.cursor_fields(code)

    def _resume(self, code: Function, cursor: Cursor, actions: Sequence[Action]) -> None:
        source = PackedState(code, self.records.layout, "%current")
        self.joining.depth = code.value("add i64 %depth, 1")
        self._switch(_Body(code, source, cursor, self._locations(source), None), actions, 0)
        self.joining.depth = "1"

    def _locations(self, source: PackedState) -> list[str]:
        fields = self.records.layout.by_variable
        return [source.read(fields[process.location]) for process in self.system.processes]

    # --- parts ------------------------------------------------------------------------------------------------

    def _call_parts(self, code: Function, locations: Sequence[str], all_actions: Sequence[Action]) -> None:
        for number, actions in _by_process(all_actions):
            parts = self._in_parts(actions)
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

    def _in_parts(self, actions: Sequence[Action]) -> list[list[Action]]:
        """Split actions of one process, or of none, into parts of limited weight.

        Actions of the same location stay together.
        """
        parts: list[list[Action]] = []
        room = 0
        located = bool(actions[0].moves)
        for _, members in groupby(enumerate(actions), key=lambda one: one[1].moves[0].source if located else one[0]):
            together = [action for _, action in members]
            weight = sum(self._weights[id(action)] for action in together)
            if not parts or weight > room:
                parts.append([])
                room = _PART
            parts[-1] += together
            room -= weight
        return parts

    def _call_part(self, caller: Function, actions: Sequence[Action]) -> None:
        """Emit a function for some actions, and call it."""
        name = f"part{len(self.parts)}"
        caller.call(f"@{name}(ptr %state, ptr %cursor)")
        code = Function(f"define internal i64 @{name}(ptr readonly %state, ptr %cursor) noinline nounwind")
        code.do(f"%scratch = alloca [{self.records.layout.words} x i64]")
        cursor = self.records.cursor_fields(code)
        source = PackedState(code, self.records.layout, "%state")
        self._try(code, source, cursor, self._locations(source), actions)
        code.do("ret i64 0")
        self.parts[name] = code.text()

    # --- single actions ---------------------------------------------------------------------------------------

    def _try(
        self,
        code: Function,
        source: PackedState,
        cursor: Cursor,
        locations: Sequence[str],
        actions: Sequence[Action],
    ) -> None:
        body = _Body(code, source, cursor, locations, self._in_committed_location(code, locations))
        for number, members in _by_process(actions):
            if number is not None:
                self._switch(body, members, 0)
            elif body.committed is None:
                finish = partial(self.joining.finish, cursor=cursor)
                start = self.records.layout.pack(self.system.initial[0])
                Unlocated(code, source, self.records, start, finish).write(members)
            else:
                for action in members:
                    self._action(body, action)

    def _in_committed_location(self, code: Function, locations: Sequence[str]) -> str | None:
        if not self.system.has_committed:
            return None
        result = "false"
        for process, location in zip(self.system.processes, locations, strict=True):
            if process.committed:
                inside = code.member(location, process.committed)
                result = code.value(f"or i1 {result}, {inside}")
        return result

    def _switch(self, body: _Body, actions: Sequence[Action], depth: int) -> None:
        """Emit actions that all move the same process at this depth: switch on its location, then go deeper."""
        code = body.code
        # Canonical order is sorted by location, so no sorting is needed here, and none may change the order of steps.
        by_location = groupby(actions, key=lambda action: action.moves[depth].source)
        cases = [(location, code.label(), list(members)) for location, members in by_location]
        end = code.label()
        process = actions[0].moves[depth].process
        code.switch(body.locations[process], end, [(location, label) for location, label, _ in cases])
        for _, label, members in cases:
            code.start(label)
            for action in members:
                if len(action.moves) == depth + 1:
                    self._action(body, action)
            further = [action for action in members if len(action.moves) > depth + 1]
            for _, partners in groupby(further, key=lambda action: action.moves[depth + 1].process):
                self._switch(body, list(partners), depth + 1)
            code.jump(end)
        code.start(end)

    def _action(self, body: _Body, action: Action) -> None:
        code = body.code
        skip = code.label()
        if body.committed is not None and not action.committed:
            proceed = code.label()
            code.branch(body.committed, skip, proceed)
            code.start(proceed)
        try:
            environment = self.records.ranges.environment(action)
            evaluator = Evaluator(code, body.source.copy(), environment, self.records.faults)
            if action.guard is not None:
                evaluator.require(action.guard, skip)
            evaluator.run(action.effects)
            self.joining.finish(evaluator, action, body.cursor)
        except Contradiction:
            pass
        code.jump(skip)
        code.start(skip)


def is_large(system: System) -> bool:
    """Return True if a system takes long to compile, so that its actions are spread over functions."""
    return sum(map(_weight, system.actions)) > _LARGE_SYSTEM


def _by_process(actions: Sequence[Action]) -> Iterator[tuple[int | None, list[Action]]]:
    for number, members in groupby(actions, key=lambda a: a.moves[0].process if a.moves else None):
        yield number, list(members)


def _weight(action: Action) -> int:
    """Estimate the amount of code of an action."""
    parts = [action.guard] if action.guard is not None else []
    parts += [part for effect in action.effects for part in (effect.target, effect.value)]
    return 10 + sum(1 for part in parts for _ in walk(part))
