"""The product of a model with the logs of several nodes: positions in the logs become variables.

A run of the product consumes the events of each node in their order, across nodes as `orders.py` says. It ends in a
deadlock; the logs conform if some deadlock has consumed all events. Partial-order reduction preserves deadlocks, and
events of different nodes that touch different variables are independent, so their interleavings do not multiply.

Events are in tables that are looked up at a position, so that the product has one action for each node and each action
of the model, however long the logs are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product as combinations
from math import prod
from typing import Any

from strandline.analysis.ranges import analyse_ranges
from strandline.compile.interpret import Valuation
from strandline.compile.llvm.faults import may_fault
from strandline.conformance.orders import NodeLog
from strandline.conformance.questions import Check, Questionnaire
from strandline.model.expression import Binary, Const, Expression, Lookup, Read, Table, Unary, conjunction, walk
from strandline.model.plain import PlainScope
from strandline.model.system import Action, Assign, Domain, System, Variable
from strandline.traces.interpreter_walk import reference_of

_MOST_VALUES = 1 << 16
"""Most combinations of values that a question may have, for a table of its answers."""
STAYS = -1
"""The number of the action of an event that is no step."""


class NoProduct(Exception):
    """A log that has no product with the model; the definition decides it."""


class _ProductScope(PlainScope):
    """The scope of a product, in whose language a table has no words."""

    def render(self, expression: Expression, *, longest: int | None = None) -> str:
        if any(isinstance(node, Lookup) for node in walk(expression)):
            return "a condition on the log"
        return super().render(expression, longest=longest)


class LogProduct:
    """The product; `system` is checked for deadlocks."""

    def __init__(
        self,
        questionnaire: Questionnaire,
        nodes: Sequence[NodeLog],
        start: Sequence[Valuation],
        unlogged: frozenset[int],
        at_most: int,
    ) -> None:
        self._questionnaire, self.model, self._nodes = questionnaire, questionnaire.system, nodes
        if self.model.synchronous:
            raise NoProduct
        self._ranges = analyse_ranges(self.model)
        self._answers: dict[tuple[int, tuple[tuple[int, ...], ...]], tuple[Table, Expression, int]] = {}
        self.positions = [
            Variable(f"_position_{number}", Domain(0, len(one.events))) for number, one in enumerate(nodes)
        ]
        self.agreed = [Variable(f"_agreed_{number}", Domain(0, 1), initial=(1,)) for number in range(len(nodes))]
        self._quota = Variable("_unlogged", Domain(0, at_most))
        self._at_most = at_most if unlogged else 0
        own = [*self.positions, *self.agreed, *([self._quota] if unlogged else [])]
        variables = (*self.model.variables, *own)
        first = tuple(value for variable in own for value in variable.initial)
        actions = [
            *self._event_actions(),
            *self._observations(),
            *(self._unlogged(number) for number in sorted(unlogged)),
        ]
        system = System.create(
            self.model.name,
            self.model.source,
            variables,
            self.model.processes,
            tuple(actions),
            initial=tuple((*state, *first) for state in start),
            scope=_ProductScope(variables),
        )
        self.system = replace(system, ends=Unary("not", self._is_over()))
        self.start = start

    def describe_initial(self) -> Iterator[tuple[Valuation, dict[str, Any]]]:
        """Yield the states of the model in which runs begin, each with the product's state as names and values."""
        reference = reference_of(self.system)
        for state, packed in zip(self.start, reference.initial(), strict=True):
            yield state, reference.describe(packed)

    # --- actions --------------------------------------------------------------------------------------------------

    def _event_actions(self) -> Iterable[Action]:
        for node, log in enumerate(self._nodes):
            numbers = sorted({one.action for _, pattern in log.events for one in pattern.alternatives})
            for number in numbers:
                yield self._event_action(node, number)

    def _event_action(self, node: int, number: int) -> Action:
        """Return the action of the product in which a node logs an action of the model."""
        action = self.model.actions[number]
        patterns = [pattern for _, pattern in self._nodes[node].events]
        alternatives = [
            next((one for one in pattern.alternatives if one.action == number), None) for pattern in patterns
        ]
        arguments = [() if one is None else one.arguments for one in alternatives]
        guard = conjunction(
            self._is_at(node, [one is not None for one in alternatives]),
            *self._agreement(node, arguments),
            *self._agreement(node, [pattern.before for pattern in patterns]),
            action.guard,
        )
        effects = (*action.effects, *self._consume(node, [pattern.after for pattern in patterns]))
        return replace(action, name=f"{node}:{number}", guard=guard, effects=effects)

    def _observations(self) -> Iterable[Action]:
        """Yield for each node the action of its events that are no steps."""
        for node, log in enumerate(self._nodes):
            patterns = [pattern for _, pattern in log.events]
            if any(pattern.stays for pattern in patterns):
                checks = [(*pattern.before, *pattern.after) if pattern.stays else () for pattern in patterns]
                here = self._is_at(node, [pattern.stays for pattern in patterns])
                guard = conjunction(here, *self._agreement(node, checks))
                # An observation is possible in committed locations, too.
                yield Action(f"{node}:{STAYS}", (), guard, tuple(self._consume(node, [])), committed=True)

    def _unlogged(self, number: int) -> Action:
        action = self.model.actions[number]
        quota = Read(self._quota)
        guard = conjunction(
            Binary("<", quota, Const(self._at_most)),
            *(Binary("==", Read(one), Const(1)) for one in self.agreed),
            Unary("not", self._is_over()),
            action.guard,
        )
        effects = (*action.effects, Assign(quota, Binary("+", quota, Const(1))))
        return replace(action, name=f"-:{number}", guard=guard, effects=effects)

    def _is_at(self, node: int, allowed: Sequence[bool]) -> Expression:
        """Return the condition that the next event of a node is allowed, and is not before another one's."""
        position = Read(self.positions[node])
        parts: list[Expression] = [
            Binary("==", Lookup(Table([int(one) for one in allowed]), position), Const(1)),
            Binary("==", Read(self.agreed[node]), Const(1)),
        ]
        for other, variable in enumerate(self.positions):
            counts = [needs.get(other, 0) for needs in self._nodes[node].needs]
            if any(counts):
                parts.append(Binary(">=", Read(variable), Lookup(Table(counts), position)))
        joined = conjunction(*parts)
        assert joined is not None
        return joined

    def _consume(self, node: int, after: Sequence[tuple[Check, ...]]) -> Iterable[Assign]:
        """Yield the effects of consuming an event: whether the state after it agrees, and the next position."""
        agreement = conjunction(*self._agreement(node, after))
        if agreement is not None:
            yield Assign(Read(self.agreed[node]), agreement)
        position = Read(self.positions[node])
        yield Assign(position, Binary("+", position, Const(1)))
        if self._at_most:
            yield Assign(Read(self._quota), Const(0))

    def _is_over(self) -> Expression:
        """Return the condition that all events are consumed, and the last ones agree."""
        ended = (
            Binary("==", Read(one), Const(len(log.events)))
            for one, log in zip(self.positions, self._nodes, strict=True)
        )
        joined = conjunction(*ended, *(Binary("==", Read(one), Const(1)) for one in self.agreed))
        assert joined is not None
        return joined

    # --- questions ------------------------------------------------------------------------------------------------

    def _agreement(self, node: int, checks: Sequence[tuple[Check, ...]]) -> list[Expression]:
        """Return the conditions that all checks of the next event of a node agree; `checks` has those of each event."""
        questions = list(dict.fromkeys(one.question for of_event in checks for one in of_event))
        found: list[Expression] = []
        for question in questions:
            wanted = [tuple(one.value for one in of_event if one.question == question) for of_event in checks]
            classes = ((), *dict.fromkeys(one for one in wanted if one))
            number = {one: place for place, one in enumerate(classes)}
            table, index, size = self._answer_table(question, classes)
            chosen = Lookup(Table([number[one] for one in wanted]), Read(self.positions[node]))
            place = Binary("+", Binary("*", chosen, Const(size)), index)
            found.append(Binary("==", Lookup(table, place), Const(1)))
        return found

    def _answer_table(self, question: int, classes: tuple[tuple[int, ...], ...]) -> tuple[Table, Expression, int]:
        """Return a table of agreement, the index into it that the state determines, and the size of a class."""
        key = question, classes
        if key not in self._answers:
            leaves = self._leaves(question)
            ranges = [self._range(one) for one in leaves]
            size = prod(high - low + 1 for low, high in ranges)
            if size * len(classes) > _MOST_VALUES:
                raise NoProduct
            answers = [
                self._answer(question, dict(zip(leaves, values, strict=True)))
                for values in combinations(*(range(low, high + 1) for low, high in ranges))
            ]
            agreement = [
                int(all(self._questionnaire.answer_agrees(answer, value) for value in one))
                for one in classes
                for answer in answers
            ]
            self._answers[key] = Table(agreement), _index(leaves, ranges), size
        return self._answers[key]

    def _leaves(self, question: int) -> list[Expression]:
        """Return the expressions that the question evaluates, for any values of them."""
        leaves: dict[Expression, None] = {}
        while True:
            ranges = [self._range(one) for one in leaves]
            if prod(high - low + 1 for low, high in ranges) > _MOST_VALUES:
                raise NoProduct
            before = len(leaves)
            for values in combinations(*(range(low, high + 1) for low, high in ranges)):
                known = dict(zip(list(leaves), values, strict=False))
                try:
                    self._answer(question, known)
                except _Missing as missing:
                    leaves[missing.expression] = None
                    break
            if len(leaves) == before:
                return list(leaves)

    def _answer(self, question: int, known: dict[Expression, int]) -> object:
        def evaluate(expression: Expression) -> int:
            if expression not in known:
                raise _Missing(expression)
            return known[expression]

        return self._questionnaire.answer_by(question, evaluate)

    def _range(self, expression: Expression) -> tuple[int, int]:
        environment = self._ranges.environment()
        if may_fault(expression, environment):
            raise NoProduct
        return environment.interval(expression)


class _Missing(Exception):
    def __init__(self, expression: Expression) -> None:
        self.expression = expression


def _index(leaves: Sequence[Expression], ranges: Sequence[tuple[int, int]]) -> Expression:
    """Return the place of the leaves' values in the order of all combinations, the last leaf varying fastest."""
    index: Expression = Const(0)
    for leaf, (low, high) in zip(leaves, ranges, strict=True):
        index = Binary("+", Binary("*", index, Const(high - low + 1)), Binary("-", leaf, Const(low)))
    return index
