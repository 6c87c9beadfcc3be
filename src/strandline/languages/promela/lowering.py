"""From a parsed model to a System."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePath

from strandline.errors import ModelError, suggestion
from strandline.languages.promela.actions import Actions
from strandline.languages.promela.channels import assigned_channels, channel_targets
from strandline.languages.promela.control import Automaton, Element, build
from strandline.languages.promela.evaluation import value_of
from strandline.languages.promela.instances import Instances, find_instances, run_of
from strandline.languages.promela.statements import initial_of
from strandline.languages.promela.storage import Leaf, domain_of
from strandline.languages.promela.syntax import Assert, Declaration, Expr, Proctype, Program, Reference
from strandline.languages.promela.tokens import Token
from strandline.languages.promela.world import GONE, Channel, Instance, World
from strandline.languages.symbolic_execution.building import all_of, any_of
from strandline.model.expression import TRUE, Binary, Const, Expression, Read, Undefined
from strandline.model.expression import Element as ArrayElement
from strandline.model.system import Action, Assign, Domain, Predicate, Process, System, Variable
from strandline.source import Source


def lower(source: Source, program: Program, bound: int | None) -> tuple[System, World]:
    """Return the System of a model without its claims, and what was known when it was made."""
    lowering = _Lowering(source, program, bound)
    return lowering.system(), lowering.world


class _Lowering:
    def __init__(self, source: Source, program: Program, bound: int | None) -> None:
        automata = {name: build(one, program.referenced.get(name, ())) for name, one in program.proctypes.items()}
        self.source, self.program = source, program
        self.world = World(source, program, automata)
        self.world.assigned = assigned_channels(program, automata)
        self.world.targets = channel_targets(program, automata)
        self._check_runs()
        self.instances = find_instances(program, automata, bound)
        if not any(one.active for one in program.proctypes.values()):
            raise ModelError("no process is active: there is no init and no active proctype", source, None)
        self._globals()
        self._make_instances()

    def _check_runs(self) -> None:
        """Refuse to start processes of proctypes that do not exist."""
        for automaton in self.world.automata.values():
            for steps in automaton.steps.values():
                for run in (run_of(one.element.statement) for one in steps):
                    if run is not None and run.name not in self.program.proctypes:
                        known = suggestion(run.name, self.program.proctypes)
                        run.token.model_error(f"unknown proctype '{run.name}'{known}")

    def _globals(self) -> None:
        for one in self.program.variables:
            self.world.add_channels(one, None)
            self.world.add_storage(one, None)

    def _make_instances(self) -> None:
        pairs = sorted(self.instances.pairs)
        highest = max(pid for pid, _ in pairs)
        self.world.count = Variable("_nr_pr", Domain(0, highest + 1))
        if self.program.uses_last:
            self.world.last = Variable("_last", Domain(0, highest))
        names = [name for _, name in pairs]
        for pid, name in pairs:
            automaton = self.world.automata[name]
            title = name if names.count(name) == 1 else f"{name}[{pid}]"
            places = {state: number + 1 for number, state in enumerate(automaton.states)}
            names_of_places = tuple(_unique(["-", *_names_of(automaton), *map(_failed, _assertions(automaton))]))
            location = Variable(title, Domain(0, len(names_of_places) - 1), None, (0,), names_of_places, title)
            instance = Instance(len(self.world.instances), pid, automaton, title, location, places)
            for number, statement in enumerate(_assertions(automaton)):
                instance.failing[statement] = len(places) + 1 + number
            self.world.instances.append(instance)
            self.world.by_pair[pid, name] = instance
            self._fill(instance)

    def _fill(self, instance: Instance) -> None:
        proctype = instance.automaton.proctype
        known = self.instances.arguments.get((instance.pid, proctype.name), set())
        written = _assigned(instance.automaton)
        if len(known) == 1 and self.instances.exact:
            for parameter, value in zip(proctype.parameters, next(iter(known)), strict=False):
                if value is not None and parameter not in written and parameter.type != "chan":
                    instance.constants[parameter] = domain_of(parameter, in_array=False).wrap(value)
        for one in proctype.variables:
            self.world.add_channels(one, instance)
            if one not in instance.constants:
                self.world.add_storage(one, instance)

    # --- the System -------------------------------------------------------------------------------------------

    def system(self) -> System:
        world = self.world
        actions = Actions(world)
        steps = [*actions.build(), *self._hidden()]
        processes = tuple(Process(one.name, one.location) for one in world.instances)
        variables = (*(one.location for one in world.instances), *world.variables())
        asserted = [
            Predicate(
                f"assert({statement.text}) of {instance.name}",
                Binary("!=", Read(instance.location), Const(number)),
                world.span(statement.token.span, statement.token.source),
            )
            for instance in world.instances
            for statement, number in instance.failing.items()
        ]
        system = System.create(
            PurePath(self.source.name).name.removesuffix(".pml"),
            self.source,
            variables,
            processes,
            tuple(steps),
            assertions=tuple(asserted),
            initial=(tuple(self._initial(variables)),),
        )
        system = replace(system, labels=tuple(self._labels()), ends=self._ends(), failures=tuple(actions.failures))
        return replace(system, bounds=tuple(self._full()), notes=tuple(self._notes()))

    def _hidden(self) -> Iterator[Action]:
        """Yield the faults of hidden variables whose values outlive a step.

        SPIN's states do not have them, so that which states it finds would depend on the order of its search.
        """
        assert self.world.count is not None
        start = _Start(self.world)
        for declaration, parts in self.world.globals.items():
            for leaf in parts.values() if declaration.hidden and declaration in self.program.read else ():
                reason = (
                    f"the hidden variable '{leaf.variable.name}' keeps a value behind a step, which is not supported"
                )
                values = start.values(leaf.variable)
                places: list[Expression] = (
                    [Read(leaf.variable)]
                    if leaf.variable.length is None
                    else [ArrayElement(leaf.variable, Const(number)) for number in range(leaf.slots)]
                )
                changed = any_of([Binary("!=", place, Const(one)) for place, one in zip(places, values, strict=True)])
                span = self.world.span(declaration.token.span, declaration.token.source)
                effect = Assign(Read(self.world.count), Undefined(reason, span))
                yield Action(f"{leaf.variable.name} is not reset", (), changed, (effect,), span=span)

    def _ends(self) -> Expression:
        valid = []
        for instance in self.world.instances:
            good = {instance.automaton.end, *instance.automaton.labelled("end")}
            places = [GONE, *(instance.places[one] for one in good if one in instance.places)]
            valid.append(any_of([Binary("==", Read(instance.location), Const(one)) for one in sorted(places)]))
        return all_of(valid) if valid else TRUE

    def _labels(self) -> Iterator[Predicate]:
        """Yield for each process and label of the text the condition that the process stands there."""
        for instance in self.world.instances:
            for name, place in instance.automaton.labels.items():
                if place in instance.places:
                    yield Predicate(f"{instance.name}@{name}", instance.at(place))

    def _full(self) -> Iterator[Predicate]:
        for channel in self.world.channels:
            if channel.length is not None and channel.owner is None:
                full = Binary("==", Read(channel.length), Const(channel.capacity))
                yield Predicate(f"{channel.name} ({channel.capacity})", full)

    def _notes(self) -> Iterator[str]:
        if not self.instances.exact:
            yield "the number of processes is a guess; more are a fault: give their number by -D processes=N"

    # --- the initial state ------------------------------------------------------------------------------------

    def _initial(self, variables: tuple[Variable, ...]) -> list[int]:
        start = _Start(self.world)
        return [value for one in variables for value in start.values(one)]


def _assigned(automaton: Automaton) -> set[Declaration]:
    from strandline.languages.promela.instances import written_by

    return set(written_by(automaton.proctype, automaton))


def _assertions(automaton: Automaton) -> list[Assert]:
    """Return the assertions of a proctype, each once."""
    found: list[Assert] = []
    for steps in automaton.steps.values():
        for one in steps:
            statement = one.element.statement
            if isinstance(statement, Assert) and not any(statement is other for other in found):
                found.append(statement)
    return found


def _failed(statement: Assert) -> str:
    return f"failed assertion in line {_line(statement.token)}"


def _unique(names: list[str]) -> Iterator[str]:
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        yield name if counts[name] == 1 else f"{name} #{counts[name]}"


def _line(token: Token) -> int:
    return token.source.position(token.span.start)[0]


def _names_of(automaton: Automaton) -> Iterator[str]:
    labels = {element: name for name, element in automaton.labels.items()}
    for state in automaton.states:
        if state in labels:
            yield labels[state]
        elif state is automaton.end:
            yield "end of the text"
        elif state.statement is not None:
            yield f"line {_line(state.statement.token)}"
        else:
            yield "between"


class _Start:
    """The values of all variables in the initial state."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.known: dict[Variable, list[int]] = {}
        for one in world.program.variables:
            self._declare(one, None, world.globals)
        for instance in self.active():
            self.known[instance.location] = [instance.places[instance.automaton.states[0]]]
            proctype = instance.automaton.proctype
            for one in proctype.variables:
                if one in proctype.leading or one.structure is not None or one.channel is not None:
                    self._declare(one, instance, instance.storage)
        if world.count is not None:
            self.known[world.count] = [len(self.active())]

    def active(self) -> list[Instance]:
        names: list[str] = []
        for proctype in self.world.program.proctypes.values():
            names += [proctype.name] * proctype.active
        return [self.world.by_pair[pid, name] for pid, name in enumerate(names)]

    def values(self, variable: Variable) -> list[int]:
        return self.known.get(variable, [0] * variable.slots)

    def _declare(
        self,
        declaration: Declaration,
        instance: Instance | None,
        storage: dict[Declaration, dict[tuple[str, ...], Leaf]],
    ) -> None:
        channels = self.world.by_place.get((declaration, instance))
        for path, leaf in storage.get(declaration, {}).items():
            inner = leaf.declaration
            if channels is not None and not path:
                self.known[leaf.variable] = [one.number for one in channels]
                continue
            values = []
            for number in range(leaf.slots):
                values.append(leaf.domain.wrap(self._value(initial_of(inner, number), instance)))
            self.known[leaf.variable] = values

    def _value(self, expression: Expr | None, instance: Instance | None) -> int:
        if expression is None:
            return 0

        def lookup(reference: Reference) -> int | None:
            return self._lookup(reference, instance)

        value = value_of(expression, lookup, None if instance is None else instance.pid)
        if value is None:
            expression.token.model_error("this initial value is not known before the start")
        return value

    def _lookup(self, reference: Reference, instance: Instance | None) -> int | None:
        declaration = reference.declaration
        owner = instance if declaration.owner is not None else None
        channels = self.world.by_place.get((declaration, owner))
        index = 0 if reference.index is None else self._value(reference.index, instance)
        if channels is not None and declaration not in self.world.assigned:
            return channels[index].number if index < len(channels) else None
        parts = self.world.globals if owner is None else owner.storage
        leaf = parts.get(declaration, {}).get(tuple(name for name, _, _ in reference.fields))
        if leaf is None or len(reference.fields) > 0:
            return None
        values = self.values(leaf.variable)
        return values[index] if 0 <= index < len(values) else None


__all__ = ["Channel", "Element", "Instances", "Proctype", "lower"]
