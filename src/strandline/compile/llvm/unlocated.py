"""Emit actions that belong to no process and are selected by their guards alone.

A process's actions are reached by one switch on its location; actions without a process have only guards, and there may
be thousands of them, of which a state enables few. Neighbours in the canonical order whose guards begin with the same
condition are tried behind one test of it. Where those conditions test fields of one word, in ascending order, for being
non-zero, and few are, the tests become a loop over the set bits: its cost grows with what is true in the state, not
with the system (ADR 13).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from strandline.compile.llvm.expressions import Evaluator
from strandline.compile.llvm.function import Function
from strandline.compile.llvm.masks import AnyBit, any_bit_test, mask_test
from strandline.compile.llvm.packed_state import PackedState, wrap_signed
from strandline.compile.llvm.records import Records
from strandline.model.expression import Expression, conjuncts
from strandline.model.intervals import Contradiction, Environment
from strandline.model.system import Action

_MANY = 4
"""Least number of actions behind a shared bit test.

A test of its own is one more branch to predict, while the test of all bits of a guard is nearly always false.
"""
_SPARSE = 16
"""Ratio of all fields to set fields above which a loop over the set bits is emitted.

Each iteration costs an indirect jump.
"""


class _Guarded(NamedTuple):
    """An action and the conjuncts of its guard, in order."""

    action: Action
    conditions: list[Expression]


@dataclass(frozen=True, slots=True)
class _Group:
    """Neighbouring actions whose guards have the same next condition.

    `asked` is the field that the condition tests for being non-zero, if it does.
    """

    members: list[_Guarded]
    asked: AnyBit | None = None
    is_mask: bool = False
    """True if the condition can be tested together with others, as bits of a word."""


class Unlocated:
    """Emits actions in one function, in canonical order.

    `start` is the first initial state, packed; `finish` is called at the end of an action's step.
    """

    def __init__(
        self,
        code: Function,
        source: PackedState,
        records: Records,
        start: Sequence[int],
        finish: Callable[[Evaluator, Action], None],
    ) -> None:
        self.code, self.source, self.records, self.start, self.finish = code, source, records, start, finish

    def write(self, actions: Sequence[Action]) -> None:
        guarded = [_Guarded(one, [] if one.guard is None else conjuncts(one.guard)) for one in actions]
        self._try(guarded, 0)

    def _try(self, members: Sequence[_Guarded], depth: int) -> None:
        """Emit actions that share their first `depth` conditions, which are true here."""
        try:
            known = self._assuming(members[0].conditions[:depth])
        except Contradiction:
            return
        for run in _runs(_groups(members, depth, known, self.source)):
            if self._is_sparse(run):
                self._loop(run, depth)
            else:
                for group in run:
                    self._group(group, depth)

    def _is_sparse(self, run: Sequence[_Group]) -> bool:
        """Return True if few of the fields are set in the initial state."""
        asked = [group.asked for group in run if group.asked is not None]
        if len(asked) < _SPARSE:
            return False
        return _SPARSE * sum(bool(self.start[one.word] & one.mask) for one in asked) <= len(asked)

    def _assuming(self, conditions: Sequence[Expression]) -> Environment:
        environment = self.records.ranges.environment()
        for condition in conditions:
            environment.assume(condition)
        return environment

    def _evaluator(self, conditions: Sequence[Expression]) -> Evaluator:
        """Return an evaluator under these conditions."""
        return Evaluator(self.code, self.source.copy(), self._assuming(conditions), self.records.faults)

    def _group(self, group: _Group, depth: int) -> None:
        """Emit a group of actions; behind a test of their shared conditions if it pays.

        It pays if the group is large or the test is more than a bit test.
        """
        if len(group.members) < (_MANY if group.is_mask else 2):
            for one in group.members:
                self._action(one, depth)
            return
        shared = _common_prefix_length(group.members)
        skip = self.code.label()
        try:
            conditions = group.members[0].conditions
            self._evaluator(conditions[:depth]).require_all(conditions[depth:shared], skip)
            self._try(group.members, shared)
        except Contradiction:
            pass
        self.code.jump(skip)
        self.code.start(skip)

    def _action(self, guarded: _Guarded, depth: int) -> None:
        skip = self.code.label()
        try:
            evaluator = self._evaluator(guarded.conditions[:depth])
            evaluator.require_all(guarded.conditions[depth:], skip)
            evaluator.run(guarded.action.effects)
            self.finish(evaluator, guarded.action)
        except Contradiction:
            pass
        self.code.jump(skip)
        self.code.start(skip)

    def _loop(self, groups: Sequence[_Group], depth: int) -> None:
        """Emit a loop over the groups whose fields have set bits, from the lowest up."""
        code = self.code
        masks = [group.asked.mask for group in groups if group.asked is not None]
        word = next(group.asked.word for group in groups if group.asked is not None)
        first, before = code.value(f"and i64 {self.source.word(word)}, {wrap_signed(sum(masks))}"), code.block
        head, body, following, never, end = (code.label() for _ in range(5))
        visited, rest = f"%visited_{head}", f"%rest_{head}"
        code.jump(head)
        code.start(head)
        code.do(f"{visited} = phi i64 [{first}, %{before}], [{rest}, %{following}]")
        code.branch(code.value(f"icmp eq i64 {visited}, 0"), end, body)
        code.start(body)
        bit = code.value(f"call i64 @llvm.cttz.i64(i64 {visited}, i1 true)")
        labels = [code.label() for _ in groups]
        code.switch(
            bit, never, [(one, label) for mask, label in zip(masks, labels, strict=True) for one in _bits(mask)]
        )
        above: list[str] = []
        for group, mask, label in zip(groups, masks, labels, strict=True):
            code.start(label)
            self._try(group.members, depth + 1)
            # All bits above the field are left.
            above.append(f"[{wrap_signed(-(1 << mask.bit_length()))}, %{code.block}]")
            code.jump(following)
        code.start(never)
        code.do("unreachable")
        code.start(following)
        kept = code.value(f"phi i64 {', '.join(above)}")
        code.do(f"{rest} = and i64 {visited}, {kept}")
        code.jump(head)
        code.start(end)


def _bits(mask: int) -> Iterator[int]:
    return (bit for bit in range(mask.bit_length()) if mask >> bit & 1)


def _groups(members: Sequence[_Guarded], depth: int, known: Environment, source: PackedState) -> Iterator[_Group]:
    def following(member: _Guarded) -> Expression | None:
        return member.conditions[depth] if len(member.conditions) > depth else None

    for condition, alike in groupby(members, key=following):
        if condition is None:
            yield from (_Group([one]) for one in alike)
        else:
            is_mask = mask_test(condition, source.layout, known) is not None
            yield _Group(list(alike), any_bit_test(condition, source.layout, known), is_mask)


def _runs(groups: Iterator[_Group]) -> Iterator[list[_Group]]:
    """Split the groups into runs that test fields of one word in ascending order; others stay alone."""
    run: list[_Group] = []
    for group in groups:
        if run and not _continues(run[-1], group):
            yield run
            run = []
        run.append(group)
    if run:
        yield run


def _continues(last: _Group, group: _Group) -> bool:
    if last.asked is None or group.asked is None:
        return False
    return last.asked.word == group.asked.word and last.asked.mask < group.asked.mask


def _common_prefix_length(members: Sequence[_Guarded]) -> int:
    """Return the length of the longest common prefix of the members' conditions."""
    count = 0
    for alike in zip(*(one.conditions for one in members), strict=False):
        if any(condition != alike[0] for condition in alike[1:]):
            break
        count += 1
    return count
