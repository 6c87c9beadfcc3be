"""From terms to labelled transition systems: every component is expanded when the model is loaded.

A component has a state for every process that it can become, with its arguments: `Busy(2)`; for every position behind
an arrow without a process name, with the values of the names used from there on: `Slave'1(2)` (behind the first arrow
of Slave's definition); and one for STOP.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NoReturn

from strandline.languages.process.lts import TAU, Lts, Transition
from strandline.languages.process.names import free_names
from strandline.languages.process.syntax import (
    Alternatives,
    Call,
    Conditional,
    Parameter,
    Prefix,
    ProcessDefinition,
    Replicated,
    Stop,
    Term,
)
from strandline.languages.process.values import Evaluator, Values

MAXIMUM_STATES = 1 << 16
"""The most states of one component."""
MAXIMUM_UNFOLDING = 200
"""The longest chain of process calls without an action in between."""


@dataclass(frozen=True, slots=True)
class _State:
    """A state: its behaviour is `term` under `values`, inside `definition`."""

    name: str
    term: Term
    values: Values
    definition: ProcessDefinition


class Expander:
    """Expands components of one program to labelled transition systems."""

    def __init__(self, evaluator: Evaluator, constants: Values, definitions: Mapping[str, ProcessDefinition]) -> None:
        self.evaluator = evaluator
        self.constants = constants
        self.definitions = definitions
        self._used: dict[tuple[str, int], frozenset[str]] = {}

    def expand(self, call: Call, values: Values) -> Lts:
        """Return the labelled transition system of the component that begins as the process that `call` names.

        `values` are the values of the names that the arguments of the call may use.
        """
        first = self._call_state(call, values, [])
        numbers = {first.name: 0}
        waiting = deque([first])
        transitions: set[Transition] = set()
        while waiting:
            state = waiting.popleft()
            self.evaluator.where = state.name
            for label, target in self._actions(state.term, state.values, state.definition, []):
                if target.name not in numbers:
                    numbers[target.name] = len(numbers)
                    waiting.append(target)
                    if len(numbers) > MAXIMUM_STATES:
                        self._too_large(call, target.name)
                transitions.add(Transition(numbers[state.name], label, numbers[target.name]))
        self.evaluator.where = ""
        alphabet = {transition.label for transition in transitions} - {TAU}
        alphabet.update(self._declared_alphabet(call, values))
        return Lts(tuple(numbers), tuple(sorted(transitions)), frozenset(alphabet))

    def _too_large(self, call: Call, example: str) -> NoReturn:
        self.evaluator.where = ""
        self.evaluator.fail(
            f"component '{call.name}' has more than {MAXIMUM_STATES} states; does it count without end? "
            f"(one of them is {example})",
            call.span,
        )

    def _declared_alphabet(self, call: Call, values: Values) -> Iterator[str]:
        definition = self.definitions[call.name]
        inner = self._bind(call, values, definition)
        for label in definition.alphabet:
            for text, _ in self.evaluator.labels(label, inner):
                yield text

    # Actions of a state

    def _actions(
        self, term: Term, values: Values, definition: ProcessDefinition, calls: list[str]
    ) -> Iterator[tuple[str, _State]]:
        """Yield every first action of a term and the state behind it; `calls` are the processes unfolded so far."""
        match term:
            case Stop():
                return
            case Prefix(label=label, continuation=continuation):
                for text, inner in self.evaluator.labels(label, values):
                    yield text, self._behind(term, continuation, inner, definition)
            case Alternatives(options=options):
                for option in options:
                    yield from self._actions(option, values, definition, calls)
            case Replicated(binders=binders, body=body):
                for inner in self.evaluator.each(binders, values):
                    yield from self._actions(body, inner, definition, calls)
            case Conditional():
                chosen = self._choose(term, values)
                if chosen is not None:
                    yield from self._actions(chosen, values, definition, calls)
            case Call():
                state = self._call_state(term, values, calls)
                yield from self._actions(state.term, state.values, state.definition, [*calls, state.name])

    def _choose(self, term: Conditional, values: Values) -> Term | None:
        return term.then if self.evaluator.value(term.condition, values) else term.otherwise

    def _behind(self, prefix: Prefix, term: Term, values: Values, definition: ProcessDefinition) -> _State:
        """Return the state behind the arrow of `prefix`, where the process continues as `term`."""
        match term:
            case Call():
                return self._call_state(term, values, [])
            case Stop():
                return _State("STOP", term, {}, definition)
        used = self._names_used(prefix, definition)
        kept = {name: value for name, value in values.items() if name in used}
        name = f"{definition.name}'{prefix.number}{_arguments(kept.values())}"
        return self._named_state(name, term, {**self.constants, **kept}, definition, [])

    def _names_used(self, prefix: Prefix, definition: ProcessDefinition) -> frozenset[str]:
        """Return the names, without constants, used behind the arrow of `prefix`; their values distinguish states."""
        key = (definition.name, prefix.number)
        if key not in self._used:
            self._used[key] = frozenset(free_names(prefix.continuation)) - set(self.constants)
        return self._used[key]

    def _call_state(self, call: Call, values: Values, calls: list[str]) -> _State:
        """Return the initial state of a called process."""
        definition = self.definitions[call.name]
        inner = self._bind(call, values, definition)
        name = definition.name + _arguments(inner[parameter.name] for parameter in definition.parameters)
        if name in calls:
            self.evaluator.fail(f"process '{name}' calls itself before any action", call.span)
        if len(calls) >= MAXIMUM_UNFOLDING:
            self.evaluator.fail(f"more than {MAXIMUM_UNFOLDING} processes call each other before any action", call.span)
        return self._named_state(name, definition.body, inner, definition, calls)

    def _named_state(
        self, name: str, term: Term, values: Values, definition: ProcessDefinition, calls: list[str]
    ) -> _State:
        """Return the state called `name`, or the initial state of the called process if its term is only a call."""
        chosen: Term | None = term
        while isinstance(chosen, Conditional):
            chosen = self._choose(chosen, values)
        if isinstance(chosen, Call):
            return self._call_state(chosen, values, [*calls, name])
        return _State(name, term, values, definition)

    def _bind(self, call: Call, values: Values, definition: ProcessDefinition) -> dict[str, int]:
        """Return the values of constants and parameters inside a definition that is called."""
        return bind(self.evaluator, call, definition.parameters, values, self.constants)


def bind(
    evaluator: Evaluator, call: Call, parameters: tuple[Parameter, ...], values: Values, constants: Values
) -> dict[str, int]:
    """Return the values of constants and parameters inside a called definition; arguments must be in range."""
    inner = dict(constants)
    for parameter, argument in zip(parameters, call.arguments, strict=True):
        value = evaluator.value(argument, values)
        if parameter.low is not None and parameter.high is not None:
            low, high = evaluator.value(parameter.low, inner), evaluator.value(parameter.high, inner)
            if not low <= value <= high:
                evaluator.fail(f"'{parameter.name}' of '{call.name}' is {low}..{high}, not {value}", argument.span)
        inner[parameter.name] = value
    return inner


def _arguments(values: Iterable[int]) -> str:
    listed = ", ".join(map(str, values))
    return f"({listed})" if listed else ""
