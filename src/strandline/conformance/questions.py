"""Questions about states and steps, whose answers are compared with the values in a log.

A question about a state is an expression of the model's language, or the name of a variable. A question about a step is
the path of one of its arguments, as in `msg.kind`. An answer agrees with a logged value as it does in trace files
(`strandline.traces.encoding`); a question that has no value in a state agrees with nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from strandline.compile.interpret import Fault, Interpreter
from strandline.errors import InputError
from strandline.model.expression import Expression, Read
from strandline.model.scope import Evaluate
from strandline.model.system import System
from strandline.traces.encoding import agrees, part

_INLINE = 1 << 61
"""Bound of the integers whose numbers contain them."""


class Unanswerable:
    """The answer of a question that has no value in a state; it agrees with nothing."""

    def __init__(self, why: str) -> None:
        self.why = why

    def __str__(self) -> str:
        return f"without a value ({self.why})"


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A question: its text for people, and the function that answers it in a state."""

    text: str
    ask: Callable[[Evaluate], Any]


@dataclass(frozen=True, slots=True)
class Check:
    """The comparison of the answer to a question with a logged value, both by number in a `Questionnaire`.

    `field` is the field of the event that has the value.
    """

    question: int
    value: int
    field: str = ""


class Questionnaire:
    """The questions and the logged values of a log, numbered as they appear."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.questions: list[Question] = []
        self._known_values: list[Any] = []
        self._numbers: dict[tuple[str, str | None], int] = {}
        self._values: dict[Any, int] = {}
        self._interpreter = Interpreter(system)

    def about_state(self, text: str) -> int:
        """Return the number of a question about a state. Raises `InputError` if the model has no such expression."""
        known = self._numbers.get((text, None))
        if known is not None:
            return known
        ask = self._question(text)
        with suppress(Fault, IndexError):
            # Some scopes refuse names only when they are evaluated.
            ask(lambda expression: self._interpreter.evaluate(expression, self.system.initial[0]))
        return self._add((text, None), Question(text, ask))

    def about_argument(self, action: str, path: str) -> int | None:
        """Return the number of a question about an argument of an action; None if it has no such argument."""
        known = self._numbers.get((path, action))
        if known is not None:
            return known
        arguments = self.system.scope.arguments(action)
        if path in arguments:
            return self._add((path, action), Question(path, arguments[path]))
        name = next((one for one in arguments if path.startswith((f"{one}.", f"{one}["))), None)
        if name is None:
            return None
        ask = arguments[name]
        return self._add((path, action), Question(path, lambda evaluate: _part(name, ask(evaluate), path)))

    def about_name(self, action: str) -> int:
        """Return the number of the question about the name of a step, with the values of its arguments."""
        known = self._numbers.get(("", action))
        if known is not None:
            return known
        scope = self.system.scope
        return self._add(("", action), Question("the step", lambda evaluate: scope.step_name(action, evaluate)))

    def number_of_value(self, value: Any) -> int:
        """Return the number of a logged value: an odd one has the integer in its upper bits, others count."""
        if type(value) is int and -_INLINE < value < _INLINE:
            return 2 * value + 1
        key = value if type(value) is str else (json.dumps(value, sort_keys=True),)
        known = self._values.get(key)
        if known is None:
            known = self._values[key] = 2 * len(self._known_values)
            self._known_values.append(value)
        return known

    def value(self, number: int) -> Any:
        """Return the logged value with a number."""
        return number >> 1 if number & 1 else self._known_values[number >> 1]

    def answer(self, question: int, state: Sequence[int]) -> Any:
        """Return the answer to a question in a state."""
        return self.answer_by(question, lambda expression: self._interpreter.evaluate(expression, state))

    def answer_by(self, question: int, evaluate: Callable[[Expression], int]) -> Any:
        """Return the answer to a question, from the values of expressions."""
        try:
            return self.questions[question].ask(evaluate)
        except Fault as fault:
            return Unanswerable(fault.kind)
        except IndexError:
            # The code of a name that is none, as in a free place of a container.
            return Unanswerable("no value is there")

    def agrees(self, check: Check, state: Sequence[int]) -> bool:
        """Return True if the answer in a state agrees with the logged value."""
        return self.answer_agrees(self.answer(check.question, state), check.value)

    def answer_agrees(self, answer: Any, value: int) -> bool:
        """Return True if an answer agrees with a logged value, given by its number."""
        return not isinstance(answer, Unanswerable) and agrees(answer, self.value(value))

    def _add(self, key: tuple[str, str | None], question: Question) -> int:
        self._numbers[key] = len(self.questions)
        self.questions.append(question)
        return self._numbers[key]

    def _question(self, text: str) -> Callable[[Evaluate], Any]:
        variable = self.system.by_name.get(text)
        if variable is not None and variable in self.system.locations:
            # A process is no value in most languages; here it stands for its location.
            return lambda evaluate: variable.value(evaluate(Read(variable)))
        return self.system.scope.question(text, name="field of the log")


def _part(name: str, value: Any, path: str) -> Any:
    found, inner = part({name: value}, path)
    return inner if found else Unanswerable(f"there is no {path}")


def is_question(questionnaire: Questionnaire, text: str) -> bool:
    """Return True if the model can answer a question about its states."""
    try:
        questionnaire.about_state(text)
    except InputError:
        return False
    return True
