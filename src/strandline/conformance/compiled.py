"""Candidates of a log by compiled code: the same sets of states as in `definition.py`, much faster.

The definition is used where compiled code has no answer: for an event at which a step or an expression faults, for
synchronous systems, and for the answers to questions, which compiled code looks up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from strandline.analysis.ranges import analyse_ranges
from strandline.compile.interpret import Valuation
from strandline.compile.observations import NumberedSteps, compile_numbered_steps, compile_observations
from strandline.conformance.definition import Definition
from strandline.conformance.patterns import Pattern, Reading, Shape
from strandline.conformance.questions import Check
from strandline.engine.matching.stream import MatchStream
from strandline.engine.runtime.codes import DONE, FOUND
from strandline.model.expression import Expression

_MOST_SHAPES = 1 << 16
"""Shapes of events that are kept; logs without end may have ever new ones."""
_TRIED = 64
"""Values at each end of a range with which a question is tried."""


class _Unknown(Exception):
    """The answer to a question needs the value of an expression that is not compiled yet."""

    def __init__(self, question: int, expression: Expression) -> None:
        self.question, self.expression = question, expression


class CompiledStream:
    """Matches the events of a log in batches; `candidates` are the states that match all events so far."""

    def __init__(self, definition: Definition, unlogged: frozenset[int], at_most: int) -> None:
        self._definition, self._questionnaire = definition, definition.questionnaire
        self._steps: NumberedSteps = compile_numbered_steps(definition.system)
        self._ranges = analyse_ranges(definition.system)
        self._leaves: list[dict[Expression, int]] = []
        """For each question, its expressions with their positions."""
        self._compiled = -1
        actions = definition.system.actions
        self._stream = MatchStream(
            self._steps.successors,
            self._steps.layout.words,
            self._steps.stride,
            [number in unlogged for number in range(len(actions))],
            at_most if unlogged else 0,
            self._agrees,
        )
        self._shapes: dict[Shape, int] = {}
        self._rows: list[int] = []
        self._alternatives: list[int] = []
        self._checks: list[int] = []
        self._keep_alive: object = None

    @property
    def taken(self) -> tuple[frozenset[int], frozenset[int]]:
        """The actions of all runs at some event, and of some run that matches."""
        marks = self._stream.taken.reshape(-1, 2).tolist()
        return (
            frozenset(number for number, (_, sure) in enumerate(marks) if sure),
            frozenset(number for number, (maybe, _) in enumerate(marks) if maybe),
        )

    @property
    def candidates(self) -> list[Valuation]:
        return [self._steps.layout.unpack(one) for one in self._stream.candidates]

    def reachable(self) -> list[Valuation]:
        """Return all states that unlogged steps reach from the initial ones."""
        self.start(self._definition.system.initial)
        if not self._stream.reach():
            definition = self._definition
            return list(definition.before_event(definition.system.initial, 1 << 62))
        return self.candidates

    def start(self, states: Iterable[Valuation]) -> None:
        """Begin in these states."""
        self._stream.set_candidates(self._steps.layout.pack(one) for one in states)

    def match(self, readings: Sequence[Reading]) -> int:
        """Match events, and return how many matched: all, or those in front of the first that does not.

        After an event that does not match, the candidates are those in front of it.
        """
        if len(self._shapes) > _MOST_SHAPES:
            self._forget_shapes()
        numbers = [self._number(one.shape) for one in readings]
        self._prepare()
        self._stream.use_events(numbers, [one.values for one in readings])
        at = 0
        while True:
            try:
                code, at = self._stream.match(at)
            except _Unknown as unknown:
                leaves = self._leaves[unknown.question]
                leaves[unknown.expression] = len(leaves)
                self._prepare()
                at = self._stream.position
                continue
            if code == DONE:
                return len(readings)
            if code == FOUND or not self._match_by_definition(readings[at].pattern):
                return at
            at += 1

    def _match_by_definition(self, pattern: Pattern) -> bool:
        matched = self._definition.follow(self.candidates, pattern)
        for source, number in matched.targets.values():
            if number is not None:
                for action in self._definition.actions(self._definition.steps(source)[number]):
                    self._stream.taken[2 * action] = 1
        if matched.targets:
            self.start(matched.targets)
        return bool(matched.targets)

    # --- shapes ---------------------------------------------------------------------------------------------------

    def _number(self, shape: Shape) -> int:
        known = self._shapes.get(shape)
        if known is not None:
            return known
        pattern, alternatives = shape.pattern, []
        for one in pattern.alternatives:
            alternatives += [one.action, *self._add_checks(one.arguments)]
        first = len(self._alternatives) // 3
        self._alternatives += alternatives
        row = [first, len(self._alternatives) // 3, *self._add_checks(pattern.before), *self._add_checks(pattern.after)]
        self._rows += [*row, int(pattern.stays)]
        self._shapes[shape] = len(self._shapes)
        return self._shapes[shape]

    def _add_checks(self, checks: Iterable[Check]) -> tuple[int, int]:
        first = len(self._checks) // 2
        for one in checks:
            self._checks += [one.question, one.value]
        return first, len(self._checks) // 2

    def _forget_shapes(self) -> None:
        self._shapes.clear()
        for numbers in (self._rows, self._alternatives, self._checks):
            numbers.clear()

    def _prepare(self) -> None:
        """Compile the questions that are new, and pass the shapes to the engine."""
        questions = self._questionnaire.questions
        for number in range(len(self._leaves), len(questions)):
            self._leaves.append({})
            self._find_leaves(number)
        count = sum(map(len, self._leaves)) + len(questions)
        if count != self._compiled:
            observations = compile_observations(self._steps, [list(one) for one in self._leaves])
            self._keep_alive, self._compiled = observations, count
            plain = [self._is_plain(number) for number in range(len(questions))]
            self._stream.use_observations(observations.observe, observations.most, plain)
        self._stream.use_shapes(self._rows, self._alternatives, self._checks)

    # --- questions ------------------------------------------------------------------------------------------------

    def _find_leaves(self, question: int) -> None:
        """Note the expressions that the question evaluates in the initial states."""
        for state in self._definition.system.initial[:1]:

            def evaluate(expression: Expression, state: Valuation = state) -> int:
                self._leaves[question].setdefault(expression, len(self._leaves[question]))
                return self._definition.interpreter.evaluate(expression, state)

            self._questionnaire.answer_by(question, evaluate)

    def _is_plain(self, question: int) -> bool:
        """Return True if the answer is an integer, and always the value of the only expression.

        The answer to a question is tried with all values of a small range, and with those at the ends of a larger one:
        where values have names, or stand for something else, some of these do.
        """
        leaves = self._leaves[question]
        if len(leaves) != 1:
            return False
        low, high = self._ranges.environment().interval(next(iter(leaves)))
        tried = {*range(low, min(low + _TRIED, high + 1)), *range(max(low, high - _TRIED), high + 1)}
        try:
            answers = [
                (self._answer(question, (one,)), one) for one in sorted(tried | ({0} if low <= 0 <= high else set()))
            ]
        except _Unknown:
            return False
        return all(type(found) is int and found == value for found, value in answers)

    def _agrees(self, question: int, value: int, values: tuple[int, ...]) -> bool:
        """Return True if the answer agrees with a logged value, given the values of the question's expressions."""
        return self._questionnaire.answer_agrees(self._answer(question, values), value)

    def _answer(self, question: int, values: tuple[int, ...]) -> object:
        leaves = self._leaves[question]

        def evaluate(expression: Expression) -> int:
            if expression not in leaves:
                raise _Unknown(question, expression)
            return values[leaves[expression]]

        return self._questionnaire.answer_by(question, evaluate)
