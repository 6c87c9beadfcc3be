"""Lowering of a model instance to a System."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from strandline.errors import InputError, ModelError, StrandlineError
from strandline.languages.python.loading.class_checks import review
from strandline.languages.python.loading.names import Names
from strandline.languages.python.loading.scope import Offers, PythonScope
from strandline.languages.python.runtime.annotations import bind_type
from strandline.languages.python.runtime.bodies import parameters_of_model
from strandline.languages.python.runtime.choices import parameters_of
from strandline.languages.python.runtime.declarations import LOCATION, STRONG, WEAK, AnyOf, Fair, Marked
from strandline.languages.python.runtime.deferred import resolve
from strandline.languages.python.runtime.model import Model
from strandline.languages.python.runtime.text import (
    error_of_exception,
    keyword_place,
    literal_place,
    parse_text,
    text_of,
)
from strandline.languages.python.runtime.types import BagType, EnumType, FifoType, RecordType, SetType, is_flat
from strandline.languages.python.symbolic_execution.coding import number, truth
from strandline.languages.python.symbolic_execution.containers import (
    containers_in,
    offer_value,
    query_property,
    size_of,
)
from strandline.languages.python.symbolic_execution.evaluate import Evaluator
from strandline.languages.python.symbolic_execution.execute import Runner, names_of
from strandline.languages.python.symbolic_execution.machine import Machine
from strandline.languages.python.symbolic_execution.structure import Structure, functions_of
from strandline.languages.python.symbolic_execution.values import (
    GroupValue,
    ModelValue,
    Place,
    ProcessValue,
    RecordSymbol,
)
from strandline.languages.symbolic_execution.building import equal
from strandline.languages.symbolic_execution.execution import Refused, refuse_oversized
from strandline.model.expression import FALSE, TRUE, Const, Expression, Read, conjunction, deep_recursion
from strandline.model.measure import Component
from strandline.model.system import (
    Action,
    Assign,
    Claim,
    Fairness,
    Move,
    Predicate,
    Process,
    System,
)
from strandline.model.validate import validate
from strandline.source import Source, Span
from strandline.transform.history import Steps

_MOST_ACTIONS = 200_000


def to_system(model: Model | type[Model]) -> System:
    """Lower a model to a System; a class stands for its instance with the default parameters."""
    notes = review(model if isinstance(model, type) else type(model))
    instance = model() if isinstance(model, type) else model
    with deep_recursion():
        return replace(_Lowering(instance).system(), notes=tuple(notes))


@dataclass(frozen=True, slots=True)
class _Argument:
    """One value of an action's parameter: its text, the condition under which it is possible, and the value."""

    shown: str
    condition: Callable[[Machine], Expression]
    value: Callable[[Machine], Any]
    offered: tuple[str, Any] | None = None
    """For a value from a container, the text before it in the step's name (`x=`) and the value; else None."""


@dataclass(slots=True)
class _Step:
    """An action of the System before it is known whether its process has locations."""

    name: str
    marked: Marked
    process: ProcessValue | None
    guard: Expression | None
    effects: tuple[Assign, ...]
    span: Span | None


class _Lowering:
    def __init__(self, model: Model) -> None:
        self.model = model
        functions = functions_of(model)
        text = text_of(functions[0])[0].source if functions else Source(type(model).__name__, "")
        self.structure = Structure(model, text)
        self.offers: dict[str, Offers] = {}
        self.source = text

    def system(self) -> System:
        steps = [step for owner, marked in self._marked_functions("action") for step in self._steps(owner, marked)]
        processes = self._processes(steps)
        taken = [(step, tuple(self._actions(step, processes))) for step in steps]
        system = System.create(
            type(self.model).__name__,
            self.source,
            tuple(self.structure.variables),
            tuple(processes.values()),
            tuple(action for _, actions in taken for action in actions),
            fairness=(*self._fair_processes(taken), *self._fair_actions(taken)),
            initial=self._initial(),
            scope=PythonScope(self.structure, offers=self.offers),
        )
        for step, actions in taken:
            title = self._title(step.process, step.marked.function.__name__)
            self.structure.actions[title] = (*self.structure.actions.get(title, ()), *actions)
        declared = [
            self._title(process, marked.function.__name__) for process, marked in self._marked_functions("action")
        ]
        everybody = [self.structure.instance_name(process) for process in self.structure.member_fields]
        system = replace(
            system,
            actors=tuple(name for name in everybody if name not in {process.name for process in system.processes}),
            impossible=tuple(one for one in declared if one not in self.structure.actions),
        )
        self.structure.steps = Steps(system)
        return validate(self._with_claims(system))

    def _with_claims(self, system: System) -> System:
        """Add claims, labels, measures and fairness conditions, which may refer to actions."""
        return replace(
            system,
            labels=tuple(self._predicates("label")),
            invariants=tuple(self._predicates("invariant")),
            goals=tuple(self._predicates("reachable")),
            claims=tuple(self._formulas()),
            ends=conjunction(*(one.expression for one in self._predicates("valid_end"))),
            bounds=tuple(self._bounds()),
            parameters=tuple(self._parameters()),
            adjustable=tuple((name, self.model._bindings[name]) for name in parameters_of_model(type(self.model))),
            measures=tuple(self._measures()),
            fairness=(*system.fairness, *self._fair_conditions()),
        )

    def _initial(self) -> tuple[tuple[int, ...], ...]:
        try:
            states = self.model.initial_states()
        except StrandlineError:
            raise
        except Exception as error:  # noqa: BLE001  (whatever the user's functions raise is theirs to mend)
            raise error_of_exception(self.source, error) from None
        if not states:
            raise ModelError(f"{type(self.model).__name__}: no @initial function leaves a state", self.source)
        return tuple(self.structure.valuation(state) for state in states)

    def _marked_functions(self, kind: str) -> Iterator[tuple[ProcessValue | None, Marked]]:
        for marked in type(self.model)._marked.values():
            if marked.kind == kind:
                yield None, marked
        for process in self.structure.member_fields:
            for marked in self.structure.process_class(process.group)._marked.values():
                if marked.kind == kind:
                    yield process, marked

    def _leading(self, process: ProcessValue | None) -> list[Any]:
        return [ModelValue()] if process is None else [ModelValue(), process]

    def _title(self, process: ProcessValue | None, name: str) -> str:
        return name if process is None else f"{self.structure.instance_name(process)}.{name}"

    # Actions

    def _steps(self, process: ProcessValue | None, marked: Marked) -> Iterator[_Step]:
        text, definition = text_of(marked.function)
        leading = self._leading(process)
        names = [one.arg for one in definition.args.args]
        if len(names) < len(leading) or definition.args.kwonlyargs or definition.args.vararg:
            wanted = "m" if process is None else "m, me"
            who = "the model" if process is None else "the model and the process"
            text.fail(f"an action takes ({wanted}, ...): {who} first", definition)
        wanted_domains = parameters_of(marked.function, len(leading), type(self.model))
        domains = [
            self._arguments(process, name, domain, definition.args.args[len(leading) + position], text)
            for position, (name, domain) in enumerate(wanted_domains.items())
        ]
        for arguments in product(*domains):
            machine = Machine(goes=None if process is None or marked.to is None else (process, marked.to))
            for argument in arguments:
                machine.require(argument.condition(machine))
            given = [*leading, *(argument.value(machine) for argument in arguments)]
            machine.frame = dict(zip(names, given, strict=True))
            reader = Evaluator(text, machine, self.structure, names_of(marked.function))
            Runner(reader, settles=True).run(list(definition.body))
            machine.frame = {}
            shown = f"({', '.join(argument.shown for argument in arguments)})" if arguments else ""
            title = self._title(process, marked.function.__name__)
            name = title + shown
            if any(argument.offered is not None for argument in arguments):
                self.offers[name] = (title, tuple(argument.offered or argument.shown for argument in arguments))
            span = None if text.source is not self.structure.source_text else text.place(definition)
            guard = machine.execution.finish()
            if guard == Const(0):
                continue
            yield _Step(name, marked, process, guard, tuple(machine.execution.store.effects), span)

    def _arguments(self, process: ProcessValue | None, name: str, domain: Any, node: Any, text: Any) -> list[_Argument]:
        """Return all values that a parameter can have in some state."""
        try:
            if domain is None:
                raise Refused(f"'{name}' needs a domain: {name}: Range[low, high], Enum, bool or any_of(\"...\")")
            if isinstance(domain, AnyOf):
                return self._offers(process, name, domain)
            kind: Any = bind_type(domain, self.structure.bindings, name)
            if not is_flat(kind):
                raise Refused(f"'{name}' cannot range over {kind}; use any_of(\"...\") for what a container holds")
            if kind.size > _MOST_ACTIONS:
                raise Refused(f"'{name}' has {kind.size} values, which are too many")
        except (Refused, InputError) as error:
            text.fail(getattr(error, "message", str(error)), node)
        return [self._constant(name, kind.value_of(value)) for value in range(kind.size)]

    def _constant(self, name: str, value: Any) -> _Argument:
        return _Argument(f"{name}={value}", lambda machine: TRUE, lambda machine: self._symbolic(value))

    def _symbolic(self, value: Any) -> Any:
        kind = getattr(value, "_kind", None) or getattr(type(value), "_fields", None)
        if kind is None:
            return value
        bound = bind_type(type(value), self.structure.bindings, type(value).__name__)
        assert isinstance(bound, RecordType)
        return RecordSymbol(bound, {name: self._symbolic(getattr(value, name)) for name, _ in bound.fields})

    def _offers(self, process: ProcessValue | None, name: str, domain: AnyOf) -> list[_Argument]:
        text, node = parse_text(domain.text, f'any_of("{domain.text}")')
        names = Names(self.structure, process)
        found = Evaluator(text, Machine(), self.structure, names.find).value(node)
        if isinstance(found, GroupValue):
            return [
                _Argument(f"{name}={one.index}", lambda machine: TRUE, lambda machine, one=one: one)  # type: ignore[misc]
                for one in self.structure.members(found.group)
            ]
        if not isinstance(found, Place) or not isinstance(found.kind, BagType | FifoType | SetType):
            raise Refused("any_of needs the name of a Bag, Fifo or Set, or of a class of processes")
        return [self._offer(name, found, slot) for slot in range(size_of(found))]

    def _offer(self, name: str, place: Place, slot: int) -> _Argument:
        if isinstance(place.kind, SetType):
            shown = f"{name}={place.kind.element.value_of(slot)}"
        else:
            index = place.slot(size_of(place), slot)
            position = index.value if isinstance(index, Const) else slot
            shown = f"{name}={place.variable.name}[{position}]"
        return _Argument(
            shown,
            lambda machine: offer_value(machine, place, slot)[0],
            lambda machine: offer_value(machine, place, slot)[1],
            None if isinstance(place.kind, SetType) else (f"{name}=", offer_value(Machine(), place, slot)[1]),
        )

    # Locations

    def _pc(self, process: ProcessValue) -> Place:
        return self.structure.member_fields[process][LOCATION]

    def _processes(self, steps: list[_Step]) -> dict[ProcessValue, Process]:
        """Return the System's processes: those of the model that have locations, an enumeration `pc`.

        A process jumps if an assignment, and not only `to`, changes its `pc`.
        """
        assigned = {effect.target.variable for step in steps for effect in step.effects}
        return {
            process: Process(self.structure.instance_name(process), place.variable, jumps=place.variable in assigned)
            for process, fields in self.structure.member_fields.items()
            if (place := fields.get(LOCATION)) is not None and isinstance(place.kind, EnumType)
        }

    def _actions(self, step: _Step, processes: dict[ProcessValue, Process]) -> Iterator[Action]:
        marked, process = step.marked, step.process
        if process is None or not (marked.at or marked.to):
            yield Action(step.name, (), step.guard, step.effects, span=step.span)
            return
        place = self._pc(process)
        assert isinstance(place.kind, EnumType)
        names, jumps = place.kind.names, processes[process].jumps
        for source in marked.at or names:
            target = marked.to or source
            here, there = names.index(source), names.index(target)
            effects = step.effects
            # Assignments may change `pc`, perhaps in this step: `to` is assigned behind them, even if it is the source.
            if here != there or (marked.to is not None and jumps):
                effects = (*effects, Assign(Read(place.variable), Const(there), step.span))
            if jumps:
                guard = conjunction(equal(Read(place.variable), Const(here)), step.guard)
                yield Action(step.name, (), guard, effects, span=step.span)
            else:
                move = Move(list(processes).index(process), here, there)
                yield Action(step.name, (move,), step.guard, effects, span=step.span)

    # Properties

    def _read_result(
        self, process: ProcessValue | None, marked: Marked, read: Callable[[Any], Expression]
    ) -> Expression:
        text, definition = text_of(marked.function)
        names = [one.arg for one in definition.args.args]
        leading = self._leading(process)
        if len(names) != len(leading):
            wanted = "m" if process is None else "m, me"
            text.fail(f"this takes ({wanted}) and nothing else", definition)
        machine = Machine(may_write=False)
        machine.frame = dict(zip(names, leading, strict=True))
        reader = Evaluator(text, machine, self.structure, names_of(marked.function))
        value = machine.load(Runner(reader, settles=False).run(list(definition.body)))
        if value is None:
            text.fail(f"'{definition.name}' returns nothing; write 'return ...'", definition)
        try:
            expression = machine.execution.with_earlier_faults(read(value))
            refuse_oversized(expression)
        except Refused as refusal:
            text.fail(str(refusal), definition.body[-1])
        return expression

    def _predicates(self, kind: str) -> Iterator[Predicate]:
        for process, marked in self._marked_functions(kind):
            name = self._title(process, marked.function.__name__)
            expression = self._read_result(process, marked, truth)
            yield Predicate(name, expression, self._span(marked))

    def _parameters(self) -> Iterator[tuple[str, Any]]:
        """Yield the parameters whose values are not the defaults."""
        for name, one in parameters_of_model(type(self.model)).items():
            value = self.model._bindings[name]
            if resolve(one.default, self.model._bindings) != value:
                yield name, value

    def _bounds(self) -> Iterator[Predicate]:
        """Yield for each bag and queue the condition that it is full, which disables actions that add to it."""
        places = [*self.structure.fields.values()]
        places += [place for fields in self.structure.member_fields.values() for place in fields.values()]
        for place in (one for outer in places for one in containers_in(outer)):
            name = f"{place.shown} ({place.kind.capacity})"  # type: ignore[union-attr]
            yield Predicate(name, query_property(Machine(may_write=False), place, "full").expression)

    def _formulas(self) -> Iterator[Claim]:
        """Yield the formulas of the model, then those of each process, in the scope of the process."""
        owners: list[ProcessValue | None] = [None, *self.structure.member_fields]
        for process in owners:
            cls = type(self.model) if process is None else self.structure.process_class(process.group)
            for name, formula in cls._formulas.items():
                place = literal_place(cls, functions_of(self.model), name, formula.text)
                span = place[1] if place is not None and place[0] is self.structure.source_text else None
                scope = PythonScope(self.structure, process)
                yield Claim(formula.logic, self._title(process, name), formula.text, scope, span)

    def _measures(self) -> Iterator[Component]:
        for process, marked in self._marked_functions("measure"):
            name = self._title(process, marked.function.__name__)
            expression = self._read_result(process, marked, number)
            yield Component(expression, marked.monotone, name, source=self.source, span=self._span(marked))

    # Fairness

    def _fair_processes(self, taken: Sequence[tuple[_Step, tuple[Action, ...]]]) -> Iterator[Fairness]:
        """Yield a fairness condition for each process of a fair class."""
        for process in self.structure.member_fields:
            cls = self.structure.process_class(process.group)
            if not cls._fair:
                continue
            place = keyword_place(cls, functions_of(self.model), "fair")
            if not any(marked.kind == "action" for marked in cls._marked.values()):
                argument = f"fair={_fairness_argument(cls._fair)}"
                message = f"process '{process.group}' has no action of its own: {argument} has no effect"
                raise ModelError(message) if place is None else ModelError(message, *place)
            own = tuple(action for step, actions in taken if step.process == process for action in actions)
            span = place[1] if place is not None and place[0] is self.structure.source_text else None
            yield from self._fair(self.structure.instance_name(process), own, cls._fair, span)

    def _fair_actions(self, taken: Sequence[tuple[_Step, tuple[Action, ...]]]) -> Iterator[Fairness]:
        """Yield a fairness condition for each fair action of each process, over all parameter values."""
        for process, marked in self._marked_functions("action"):
            if marked.fair:
                own = tuple(
                    action
                    for step, actions in taken
                    if step.process == process and step.marked is marked
                    for action in actions
                )
                title = self._title(process, marked.function.__name__)
                yield from self._fair(title, own, marked.fair, self._span(marked))

    def _fair(self, name: str, actions: tuple[Action, ...], how: Fair, span: Span | None) -> Iterator[Fairness]:
        """Yield fairness of the actions; nothing if there are none, because the action is impossible in every state."""
        if actions:
            yield Fairness(name, actions, span=span, strong=how == STRONG)

    def _fair_conditions(self) -> Iterator[Fairness]:
        for process, marked in self._marked_functions("fairness"):
            condition = self._read_result(process, marked, truth)
            if condition == FALSE:
                text, definition = text_of(marked.function)
                text.fail("this is never true, so no run at all is fair", definition.body[-1])
            name = self._title(process, marked.function.__name__)
            yield Fairness(name, condition=condition, span=self._span(marked))

    def _span(self, marked: Marked) -> Span | None:
        text, definition = text_of(marked.function)
        return text.place(definition) if text.source is self.structure.source_text else None


def _fairness_argument(how: Fair) -> str:
    """Return the fairness as written behind `fair=`."""
    return str(how == WEAK) if how != STRONG else repr(how)
