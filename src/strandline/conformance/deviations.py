"""Explain a deviation: why each action that an event may be could not be it, and which step is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from strandline.analysis.dependencies import writes
from strandline.compile.interpret import Fault, Step, Valuation
from strandline.compile.interpreted import SystemReference
from strandline.conformance.definition import Definition, Matched, path_to
from strandline.conformance.logs import Entry
from strandline.conformance.patterns import Alternative, Pattern
from strandline.conformance.questions import Check
from strandline.conformance.verdict import Deviation, Difference, Reason
from strandline.model.expression import Binary, Choice, Const, Expression, Lookup, Unary, variables_read, walk
from strandline.model.system import Action, Variable
from strandline.model.values import show
from strandline.source import Span
from strandline.traces.interpreter_walk import reference_of
from strandline.traces.trace import Step as TraceStep
from strandline.traces.trace import Trace, changes

_MOST_STATES = 200
"""Most candidate states that are examined for an explanation."""
_MOST_TRIED, _MOST_MISSING = 2_000, 4
"""Most states in which missing steps are looked for, and most of these steps."""
_MOST_VALUES = 4
_LONGEST = 60
"""Most nodes of a part of a guard that is rendered completely."""
_RANK = ("after", "before", "guard", "fault", "committed", "location", "argument", "order", "search")
"""Kinds of reasons, the nearest to a match first: with another argument, an action is hardly the event."""
_NOT_TRIED = "it is possible here; the search for the longest prefix reached its limit in front of it"
_WITHOUT_SPAN = (Const, Choice, Lookup)


class Explainer:
    """Explains deviations of logs from one model."""

    def __init__(self, definition: Definition) -> None:
        self.definition, self.system = definition, definition.system
        self.reference: SystemReference = reference_of(definition.system)

    def deviation(
        self,
        start: Sequence[Valuation],
        events: Sequence[tuple[Entry, Pattern]],
        failed: tuple[Entry, Pattern],
        first: int,
    ) -> Deviation:
        """Explain that no step matches the event `failed`.

        `events` are those in front of it, from the states `start` on, in front of which there are `first` more.
        """
        candidates, layers = list(start), list[Matched]()
        for _, pattern in events:
            layers.append(self.definition.follow(candidates, pattern))
            candidates = list(layers[-1].targets)
        state, steps, lengths = path_to(layers, candidates[0])
        trace = self.trace(state, steps)
        owners: list[Entry | None] = []
        for (entry, pattern), length in zip(events, lengths, strict=True):
            logged = 0 if pattern.stays else 1
            owners += [*([None] * (length - logged)), *([entry] * logged)]
        entry, pattern = failed
        return Deviation(
            event=entry,
            last=events[-1][0] if events else None,
            matched=first + len(events),
            candidates=len(candidates),
            state=self.describe(candidates[0]),
            differences=tuple(self._differences(candidates)),
            reasons=tuple(self.reasons(candidates, pattern)),
            missing=tuple(self.missing(candidates, pattern)),
            trace=trace,
            events=tuple(owners),
            first=first,
        )

    def describe(self, state: Valuation) -> dict[str, Any]:
        """Return a state as names and values."""
        return self.reference.describe(self.reference.layout.pack(state))

    def trace(self, state: Valuation, steps: Sequence[int]) -> Trace:
        """Execute steps from a state by the interpreter."""
        start = before = self.describe(state)
        shown = []
        for number in steps:
            step = self.definition.steps(state)[number]
            name = "; ".join(self._name(one, state) for one in step.actions)
            assert step.target is not None
            state = step.target
            after = self.describe(state)
            shown.append(TraceStep(name, tuple(changes(before, after)), after))
            before = after
        return Trace(start, tuple(shown))

    def _name(self, action: Action, state: Valuation) -> str:
        interpreter = self.definition.interpreter
        return self.system.scope.step_name(action.name, lambda expression: interpreter.evaluate(expression, state))

    def _differences(self, candidates: Sequence[Valuation]) -> Iterator[Difference]:
        described = [self.describe(one) for one in candidates[:_MOST_STATES]]
        for name in described[0]:
            values = {show(one[name]): one[name] for one in described}
            if len(values) > 1:
                yield Difference(name, tuple(list(values.values())[:_MOST_VALUES]))

    # --- reasons --------------------------------------------------------------------------------------------------

    def reasons(self, candidates: Sequence[Valuation], pattern: Pattern) -> list[Reason]:
        """Return for each action that the event may be why it is not, the nearest to a match first."""
        states = list(self.definition.before_event(candidates))[:_MOST_STATES]
        if pattern.stays:
            checks = (*pattern.before, *pattern.after)
            differing = list(self._differing(checks, states, "after", "(state)"))
            return [_most_frequent(differing or [Reason("(state)", "search", _NOT_TRIED)], len(states))]
        found: dict[str, Reason] = {}
        for alternative in pattern.alternatives:
            framed = self._framed(alternative, pattern, states)
            all_reasons = [self._reason(one, alternative, pattern) for one in framed]
            known_reasons = [one for one in all_reasons if one is not None]
            name = self.system.actions[alternative.action].name.partition("(")[0]
            reason = _most_frequent(known_reasons or [Reason(name, "search", _NOT_TRIED)], len(states))
            known = found.get(reason.action)
            if known is None or _RANK.index(reason.kind) < _RANK.index(known.kind):
                found[reason.action] = reason
        return sorted(found.values(), key=lambda one: _RANK.index(one.kind))

    def _framed(self, alternative: Alternative, pattern: Pattern, states: Sequence[Valuation]) -> Sequence[Valuation]:
        """Return the states that agree with the event on the variables that the action does not write.

        In others the event cannot occur, whatever the guard of the action is. If there are none, all are returned.
        """
        written = writes(self.system.actions[alternative.action])
        kept = [check for check in pattern.after if not self._read_by(check, states[0]) & written]
        return [one for one in states if self.definition.agrees(kept, one)] or states

    def _read_by(self, check: Check, state: Valuation) -> frozenset[Variable]:
        """Return the variables that the answer to a question depends on, in a state."""
        read: set[Variable] = set()

        def evaluate(expression: Expression) -> int:
            read.update(variables_read(expression))
            return self.definition.interpreter.evaluate(expression, state)

        self.definition.questionnaire.answer_by(check.question, evaluate)
        return frozenset(read)

    def _reason(self, state: Valuation, alternative: Alternative, pattern: Pattern) -> Reason | None:
        action = self.system.actions[alternative.action]
        name = action.name.partition("(")[0]
        wrong = next(self._differing(alternative.arguments, [state], "argument", name), None)
        if wrong is not None:
            return wrong
        wrong = next(self._differing(pattern.before, [state], "before", name), None)
        steps = [one for one in self.definition.steps(state) if action in one.actions]
        if wrong is not None and steps:
            return wrong
        if not steps:
            return self._not_enabled(state, action, name)
        return self._wrong_target(steps, pattern, name)

    def _wrong_target(self, steps: Sequence[Step], pattern: Pattern, name: str) -> Reason | None:
        for step in steps:
            if step.target is None:
                kind = "its step faults" if step.fault is None else f"its step faults: {step.fault.kind}"
                return Reason(name, "fault", kind)
            for wrong in self._differing(pattern.after, [step.target], "after", name):
                return wrong
        return None

    def _differing(
        self, checks: Iterable[Check], states: Iterable[Valuation], kind: str, action: str
    ) -> Iterator[Reason]:
        questionnaire = self.definition.questionnaire
        checks = list(checks)
        where = {"after": "after the step", "before": "before the step", "argument": "as an argument"}[kind]
        for state in states:
            for check in checks:
                answer = questionnaire.answer(check.question, state)
                if not questionnaire.answer_agrees(answer, check.value):
                    text, logged = questionnaire.questions[check.question].text, questionnaire.value(check.value)
                    said = f"{text} is {show(answer)} {where}, in the log {check.field} is {show(_plain(logged))}"
                    yield Reason(action, kind, said, text, answer, logged)

    def _not_enabled(self, state: Valuation, action: Action, name: str) -> Reason:
        for move in action.moves:
            process = self.system.processes[move.process]
            location = state[self.system.offsets[process.location]]
            if location != move.source:
                at, wanted = process.location.show(location), process.location.show(move.source)
                return Reason(name, "location", f"{process.name} is at {at}, not at {wanted}", process.name, at)
        if action.guard is None or self._value(action.guard, state):
            return Reason(name, "committed", "another process is in a committed location and goes first")
        part = self._false_part(action.guard, state)
        text, line = self._words(part)
        values = "; ".join(one for one in (line, self._values_in(part, state)) if one)
        beside = f" ({values})" if values else ""
        return Reason(name, "guard", f"the guard is false: {text}{beside}", text)

    def _words(self, part: Expression) -> tuple[str, str]:
        """Return a part of a guard as it stands in the model, with its file and line; else rendered."""
        source = self.system.source
        spans = [node.span for node in walk(part) if not isinstance(node, _WITHOUT_SPAN) and node.span is not None]
        if spans:
            whole = Span(min(one.start for one in spans), max(one.end for one in spans))
            text, (line, _) = source.text[whole.start : whole.end], source.position(whole.start)
            if text.strip() and "\n" not in text:
                return text, f"{source.name}:{line}"
        text = self.system.scope.render(part, longest=_LONGEST)
        return (text[4:-1] if text.startswith("raw(") else text), ""

    def _value(self, expression: Expression, state: Valuation) -> int | None:
        try:
            return self.definition.interpreter.evaluate(expression, state)
        except Fault:
            return None

    def _false_part(self, guard: Expression, state: Valuation) -> Expression:
        """Return the smallest part of a guard that makes it false."""
        part = guard
        while True:
            match part:
                case Binary(operator="and", left=left, right=right):
                    part = right if self._value(left, state) else left
                case Binary(operator="imply", right=right):
                    part = right
                case Choice(condition=condition, then=then, otherwise=otherwise):
                    part = then if self._value(condition, state) else otherwise
                case Unary(operator="not", operand=Binary(operator="or", left=left, right=right)):
                    part = Unary("not", left if self._value(left, state) else right)
                case _:
                    return part

    def _values_in(self, part: Expression, state: Valuation) -> str:
        described = self.describe(state)
        names = [one.name for one in self.system.variables if one in variables_read(part)]
        return ", ".join(f"{name} is {show(described[name])}" for name in names if name in described)

    # --- missing steps --------------------------------------------------------------------------------------------

    def missing(self, candidates: Sequence[Valuation], pattern: Pattern) -> list[str]:
        """Return the names of the fewest steps after which the event would match; unlogged ones are tried first."""
        states = list(self.definition.before_event(candidates[:_MOST_STATES]))
        unlogged = self.definition.unlogged
        return (self._path(states, pattern, unlogged) if unlogged else []) or self._path(states, pattern, None)

    def _path(self, states: Sequence[Valuation], pattern: Pattern, allowed: frozenset[int] | None) -> list[str]:
        definition = self.definition
        paths: dict[Valuation, tuple[str, ...]] = dict.fromkeys(states, ())
        frontier = list(paths)
        for _ in range(_MOST_MISSING):
            reached = []
            for state in frontier:
                for step in definition.steps(state):
                    target = step.target
                    others = allowed is not None and not allowed.issuperset(self.definition.actions(step))
                    if target is None or target in paths or others:
                        continue
                    paths[target] = (*paths[state], "; ".join(one.name for one in step.actions))
                    if self.definition.matches_at(target, pattern):
                        return list(paths[target])
                    reached.append(target)
                if len(paths) > _MOST_TRIED:
                    return []
            frontier = reached
        return []


def _most_frequent(reasons: Sequence[Reason], of: int) -> Reason:
    """Return the most frequent of the nearest reasons, with the number of states that have it."""
    best = min((_RANK.index(one.kind) for one in reasons), default=0)
    counted: dict[str, int] = {}
    nearest = [one for one in reasons if _RANK.index(one.kind) == best]
    for one in nearest:
        counted[one.words] = counted.get(one.words, 0) + 1
    chosen = max(nearest, key=lambda one: counted[one.words])
    return replace(chosen, states=counted[chosen.words], of=of)


def _plain(value: Any) -> Any:
    """Return a value of JSON as `show` renders values."""
    return tuple(map(_plain, value)) if isinstance(value, list) else value
