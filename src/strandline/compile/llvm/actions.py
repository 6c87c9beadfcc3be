"""Emit the actions of an asynchronous system, each of which is a step.

    actions without a process: `unlocated`
    for every process: switch on its location, then its actions, then, per partner, switch on the partner's location

The actions of a large system are spread over functions (`@part<k>`): LLVM's compile time grows faster than the size of
a function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby

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
        if is_large(self.system):
            self._call_parts(code, locations)
        else:
            self._try(code, source, cursor, locations, self.system.actions)

    def _locations(self, source: PackedState) -> list[str]:
        fields = self.records.layout.by_variable
        return [source.read(fields[process.location]) for process in self.system.processes]

    # --- parts ------------------------------------------------------------------------------------------------

    def _call_parts(self, code: Function, locations: Sequence[str]) -> None:
        for number, actions in _by_process(self.system.actions):
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
