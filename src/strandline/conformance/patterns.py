"""Patterns: the actions, arguments and values of an event, by numbers of actions, questions and values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from strandline.conformance.maps import LogMap, Rule
from strandline.conformance.questions import Check, Questionnaire, is_question
from strandline.errors import InputError, suggestion

_FIELD = re.compile(r"\{(\w+)\}")
OBSERVATION, ANY = "(state)", "*"
"""Names of events in ITF: the first state, which is no step, and a step of any action."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """An action that an event may be, and the checks of its arguments in the state before the step."""

    action: int
    arguments: tuple[Check, ...] = ()


@dataclass(frozen=True, slots=True)
class Pattern:
    """The steps that an event may be: one of the alternatives, with these observations before and after it.

    If it `stays`, the event is no step, but an observation of a state.
    """

    alternatives: tuple[Alternative, ...]
    before: tuple[Check, ...] = ()
    after: tuple[Check, ...] = ()
    stays: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """The common part of events that differ in values only: a pattern whose checks have places of `fields`."""

    pattern: Pattern
    fields: tuple[str, ...]

    def with_values(self, values: Sequence[int]) -> Pattern:
        """Return the pattern of the event with these logged values, given by numbers."""

        def filled(checks: Iterable[Check]) -> tuple[Check, ...]:
            return tuple(replace(one, value=values[one.value]) for one in checks)

        pattern = self.pattern
        alternatives = tuple(Alternative(one.action, filled(one.arguments)) for one in pattern.alternatives)
        return Pattern(alternatives, filled(pattern.before), filled(pattern.after), pattern.stays)


def shape_of(pattern: Pattern) -> Shape:
    """Return the shape of a pattern."""
    arguments = [check for one in pattern.alternatives for check in one.arguments]
    fields = tuple(dict.fromkeys(one.field for one in (*arguments, *pattern.before, *pattern.after)))
    places = {field: place for place, field in enumerate(fields)}

    def placed(checks: Iterable[Check]) -> tuple[Check, ...]:
        return tuple(replace(one, value=places[one.field]) for one in checks)

    alternatives = tuple(Alternative(one.action, placed(one.arguments)) for one in pattern.alternatives)
    return Shape(Pattern(alternatives, placed(pattern.before), placed(pattern.after), pattern.stays), fields)


@dataclass(frozen=True, slots=True)
class Reading:
    """An event as read with a map: its shape, and its logged values by number."""

    shape: Shape
    values: tuple[int, ...]

    @property
    def pattern(self) -> Pattern:
        return self.shape.with_values(self.values)


class MisreadEvent(InputError):
    """An event that cannot be read with the map; `text` is the part of its line that is wrong."""

    def __init__(self, message: str, text: str | None = None) -> None:
        self.text = text
        super().__init__(message)


class PatternMaker:
    """Makes the pattern of an event by a map; the events of a log are dictionaries."""

    def __init__(self, questionnaire: Questionnaire, log_map: LogMap) -> None:
        self.questionnaire, self.map = questionnaire, log_map
        self.actions: dict[str, list[int]] = {}
        for number, action in enumerate(questionnaire.system.actions):
            for name in dict.fromkeys((action.name, action.name.partition("(")[0])):
                self.actions.setdefault(name, []).append(number)
        self.passed_over = {log_map.event, log_map.node, *log_map.ignore}
        self._seen: dict[str, set[str]] = {}
        if log_map.order == "messages":
            self.passed_over.add(log_map.message)
        if log_map.order == "clocks":
            self.passed_over.add(log_map.clock)

    def unlogged(self) -> frozenset[int]:
        """Return the numbers of the unlogged actions. Raises `InputError` for a name that is no action."""
        found: set[int] = set()
        for name in self.map.unlogged:
            numbers = self._matching(name)
            if not numbers:
                self.map.fail(f"there is no action '{name}'{self._hint(name)}", name)
            found.update(numbers)
        return frozenset(found)

    def check_rules(self) -> None:
        """Raise an error for the first rule whose action, written without fields, does not exist."""
        for rule in self.map.events.values():
            for name in rule.action or ():
                if not _FIELD.search(name) and not self._matching(name):
                    self.map.fail(f"there is no action '{name}'{self._hint(name)}", name)

    def check_fields(self) -> None:
        """Raise an error for the first field of a rule that none of the rule's events had."""
        for name, rule in self.map.events.items():
            seen = self._seen.get(name)
            for one in (*rule.arguments, *rule.before, *rule.after):
                if seen is not None and one not in seen:
                    hint = suggestion(one, seen - self.passed_over)
                    self.map.fail(f"no event '{name}' of the log has the field '{one}'{hint}", one)

    def pattern(self, event: Mapping[str, Any]) -> Pattern:
        """Return the pattern of an event. Raises `MisreadEvent` or an `InputError` about the map."""
        name = event.get(self.map.event)
        if not isinstance(name, str):
            said = "has no" if name is None else "must be a text:"
            raise MisreadEvent(f"the event {said} field '{self.map.event}', which names it", self.map.event)
        if name == OBSERVATION and name not in self.map.events:
            rule: Rule | None = Rule(())
        else:
            rule = self.map.events.get(name)
        self._seen.setdefault(name, set()).update(event)
        declared = rule is not None
        rule = rule or Rule()
        numbers = self._actions(name, rule, event)
        before = self._checks(rule.before, event)
        after = self._checks(rule.after, event)
        arguments = dict(rule.arguments)
        for one, value in event.items():
            if self._is_passed_over(one, rule, arguments):
                continue
            if declared and (rule.arguments or rule.before or rule.after):
                raise MisreadEvent(
                    f"the map has no meaning for the field '{one}' of '{name}' (if it has none: ignore)", one
                )
            if any(self.questionnaire.about_argument(self._name(number), one) is not None for number in numbers):
                arguments[one] = one
            else:
                after = (*after, self._observed(one, value))
        alternatives = self._alternatives(numbers, arguments, event)
        return Pattern(tuple(alternatives), before, after, stays=rule.action == ())

    def fields_in_texts(self, name: str) -> tuple[str, ...]:
        """Return the fields whose values stand in names and expressions of an event's rule."""
        rule = self.map.events.get(name, Rule())
        texts = (*(rule.action or ()), *rule.arguments.values(), *rule.before.values(), *rule.after.values())
        return tuple(dict.fromkeys(field for text in texts for field in _FIELD.findall(text)))

    def _is_passed_over(self, one: str, rule: Rule, arguments: Mapping[str, str]) -> bool:
        used = (*rule.before, *rule.after, *arguments, *rule.ignore)
        inside = (*(rule.action or ()), *rule.before.values(), *rule.after.values(), *rule.arguments.values())
        return one in self.passed_over or one in used or any(f"{{{one}}}" in text for text in inside)

    def _observed(self, one: str, value: Any) -> Check:
        if not is_question(self.questionnaire, one):
            known = [variable.name for variable in self.questionnaire.system.variables]
            raise MisreadEvent(
                f"the field '{one}' is no expression of the model{suggestion(one, known)} "
                "(a map gives its meaning, or ignores it)",
                one,
            )
        return Check(self.questionnaire.about_state(one), self.questionnaire.number_of_value(value), one)

    def _actions(self, name: str, rule: Rule, event: Mapping[str, Any]) -> list[int]:
        if rule.action is None:
            return self._named_as_event(name, event)
        found: dict[int, None] = {}
        for text in rule.action:
            filled = self._fill(text, event)
            numbers = self._matching(filled)
            if not numbers:
                if filled == text:
                    self.map.fail(f"there is no action '{filled}'{self._hint(filled)}", text)
                raise MisreadEvent(f"the model has no action '{filled}'{self._hint(filled)}", self.map.event)
            found.update(dict.fromkeys(numbers))
        return sorted(found)

    def _named_as_event(self, name: str, event: Mapping[str, Any]) -> list[int]:
        """Return the actions that are called as an event, perhaps with its node in front."""
        node = event.get(self.map.node)
        owned = [f"{node}.{name}"] if node is not None else []
        if isinstance(node, int) and not isinstance(node, bool):
            owned = [one for one in self.actions if one.endswith(f"_{node}.{name}")]
        for one in (*owned, name, name.partition("(")[0]):
            if one in self.actions:
                return self.actions[one]
        if name == ANY:
            return list(range(len(self.questionnaire.system.actions)))
        known = ", ".join(f"'{one}'" for one in self.map.events)
        said = f"; the map has {known}" if known else ""
        raise MisreadEvent(f"'{name}' is no action of the model{self._hint(name) or said}", name)

    def _matching(self, text: str) -> list[int]:
        if text in self.actions:
            return self.actions[text]
        if "*" not in text:
            return []
        pattern = re.compile(".*".join(map(re.escape, text.split("*"))))
        return sorted(
            {number for name, numbers in self.actions.items() if pattern.fullmatch(name) for number in numbers}
        )

    def _hint(self, name: str) -> str:
        return suggestion(name, (*self.actions, *self.map.events))

    def _fill(self, text: str, event: Mapping[str, Any]) -> str:
        """Replace each `{field}` of a text by the value in the event."""
        for name in _FIELD.findall(text):
            if name not in event:
                raise MisreadEvent(f"the event has no field '{name}', which the map needs for '{text}'")
            text = text.replace(f"{{{name}}}", str(event[name]))
        return text

    def _checks(self, asked: Mapping[str, str], event: Mapping[str, Any]) -> tuple[Check, ...]:
        """Return the checks of the fields that the event has: a log may leave some out."""
        checks = []
        for one, text in asked.items():
            if one not in event:
                continue
            filled = self._fill(text, event)
            try:
                question = self.questionnaire.about_state(filled)
            except InputError as error:
                self.map.fail(f"'{filled}' is no expression of the model: {error.message}", text)
            checks.append(Check(question, self.questionnaire.number_of_value(event[one]), one))
        return tuple(checks)

    def _alternatives(
        self, numbers: Iterable[int], arguments: Mapping[str, str], event: Mapping[str, Any]
    ) -> Iterable[Alternative]:
        fields = {one: self._fill(path, event) for one, path in arguments.items() if one in event}
        known: set[str] = set()
        name = str(event[self.map.event])
        for number in numbers:
            checks = []
            if "(" in name and name not in self.actions and name not in self.map.events:
                # As in a trace: the name of a step with the values of its arguments.
                named = self.questionnaire.about_name(self._name(number))
                checks.append(Check(named, self.questionnaire.number_of_value(name), self.map.event))
            complete = True
            for one, path in fields.items():
                question = self.questionnaire.about_argument(self._name(number), path)
                if question is None:
                    complete = False
                else:
                    known.add(one)
                    checks.append(Check(question, self.questionnaire.number_of_value(event[one]), one))
            if complete:
                yield Alternative(number, tuple(checks))
        for one, path in fields.items():
            if one not in known:
                raise MisreadEvent(f"no action that the event may be has an argument '{path}'", one)

    def _name(self, number: int) -> str:
        return self.questionnaire.system.actions[number].name
