"""Evaluation of compositions (`network` and `system` lines) to one flat `Network`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NoReturn

from strandline.errors import suggestion
from strandline.languages.process.composition import (
    EMPTY,
    MAXIMUM_RULES,
    Network,
    TooManyRules,
    hide,
    parallel,
    rename,
    single,
)
from strandline.languages.process.declarations import Declarations
from strandline.languages.process.expansion import Expander, bind
from strandline.languages.process.lts import Lts
from strandline.languages.process.syntax import (
    Binder,
    Call,
    Composition,
    ConditionalPart,
    Hidden,
    Import,
    Label,
    Member,
    NetworkDefinition,
    Parallel,
    Renamed,
    ReplicatedParallel,
)
from strandline.languages.process.values import Evaluator, Values
from strandline.source import Span

MAXIMUM_COMPONENTS = 4096


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """The context of a composition: values of names, indices of enclosing replications, names of enclosing networks."""

    values: Values
    indices: tuple[int, ...] = ()
    entered: tuple[str, ...] = ()


class NetworkBuilder:
    """Evaluates the compositions of one program; `read_import` loads an imported component from its file."""

    def __init__(self, declarations: Declarations, read_import: Callable[[Import], Lts]) -> None:
        self.declarations = declarations
        self.constants: Values = declarations.constants
        self.evaluator = Evaluator(declarations.source)
        self.expander = Expander(self.evaluator, self.constants, declarations.processes)
        self._imported = {
            name: read_import(one) for name, one in declarations.definitions.items() if isinstance(one, Import)
        }
        self._names: set[str] = set()

    def build(self, composition: Composition) -> Network:
        """Return the network of the `system` line; it must have at least one component."""
        network = self._build(composition, _Surroundings(self.constants))
        if not network.components:
            self.evaluator.fail("the system has no component", _place(composition))
        return network

    def _build(self, part: Composition, around: _Surroundings) -> Network:
        match part:
            case Member():
                return self._member(part, around)
            case Parallel(members=members):
                return self._parallel([self._build(member, around) for member in members], part)
            case ReplicatedParallel(binders=binders, body=body):
                return self._parallel([self._build(body, inner) for inner in self._each(binders, around)], part)
            case ConditionalPart(condition=condition, then=then, otherwise=otherwise):
                chosen = then if self.evaluator.value(condition, around.values) else otherwise
                return EMPTY if chosen is None else self._build(chosen, around)
            case Hidden(body=body, labels=labels):
                network = self._build(body, around)
                return hide(network, self._labels_to_hide(network, labels, around.values))
            case Renamed(body=body, pairs=pairs):
                network = self._build(body, around)
                return rename(network, self._label_map(network, pairs, around.values))

    def _each(self, binders: tuple[Binder, ...], around: _Surroundings) -> Iterator[_Surroundings]:
        """Yield the context inside a replication for every combination of its indices."""
        for values in self.evaluator.each(binders, around.values):
            own = tuple(values[binder.name] for binder in binders if binder.name is not None)
            yield _Surroundings(values, around.indices + own, around.entered)

    def _parallel(self, networks: list[Network], part: Composition) -> Network:
        if len(networks) == 1:
            return networks[0]
        if sum(len(network.components) for network in networks) > MAXIMUM_COMPONENTS:
            self.evaluator.fail(f"more than {MAXIMUM_COMPONENTS} components", _place(part))
        try:
            return parallel(networks)
        except TooManyRules:
            message = f"after renaming there are more than {MAXIMUM_RULES} ways to join actions of the same name"
            self.evaluator.fail(message, _place(part))

    # Components

    def _member(self, member: Member, around: _Surroundings) -> Network:
        call = member.call
        definition = self.declarations.definitions[call.name]
        if isinstance(definition, NetworkDefinition):
            return self._network(member, definition, around)
        name = (member.alias or call.name) + "".join(f"[{index}]" for index in around.indices)
        if name in self._names:
            self._twice(name, call)
        self._names.add(name)
        if isinstance(definition, Import):
            return single(name, self._imported[call.name], call.span)
        return single(name, self.expander.expand(call, around.values), call.span)

    def _twice(self, name: str, call: Call) -> NoReturn:
        message = f"there is a component '{name}' already; write '{call.name} as' another name, or replicate it"
        self.evaluator.fail(message, call.span)

    def _network(self, member: Member, definition: NetworkDefinition, around: _Surroundings) -> Network:
        call = member.call
        if member.alias is not None:
            self.evaluator.fail("a network has no name of its own, only its components have", call.span)
        if call.name in around.entered:
            self.evaluator.fail(f"network '{call.name}' contains itself", call.span)
        inner = bind(self.evaluator, call, definition.parameters, around.values, self.constants)
        return self._build(definition.body, _Surroundings(inner, around.indices, (*around.entered, call.name)))

    # Labels

    def _labels_to_hide(self, network: Network, labels: Iterable[Label], values: Values) -> set[str]:
        found: set[str] = set()
        for label in labels:
            for text, _ in self.evaluator.labels(label, values):
                found.update(self._matching(network, text, label.span))
        return found

    def _label_map(self, network: Network, pairs: Iterable[tuple[Label, Label]], values: Values) -> dict[str, str]:
        names: dict[str, str] = {}
        for old, new in pairs:
            for text, inner in self.evaluator.labels(old, values):
                targets = [target for target, _ in self.evaluator.labels(new, inner)]
                if len(targets) != 1:
                    self.evaluator.fail("an action gets one new name, not several", new.span)
                for label in self._matching(network, text, old.span):
                    if label in names:
                        self.evaluator.fail(f"action '{label}' is renamed twice", old.span)
                    names[label] = targets[0] + label.removeprefix(text)
        return names

    def _matching(self, network: Network, text: str, span: Span) -> list[str]:
        """Return the labels of a network that are `text`, or `text` with indices behind it."""
        found = [label for label in network.by_label if label == text or label.startswith(f"{text}[")]
        if not found:
            known = {label.partition("[")[0] for label in network.by_label} | set(network.by_label)
            self.evaluator.fail(f"no component here has an action '{text}'" + suggestion(text, known), span)
        return found


def _place(part: Composition) -> Span:
    """Return the source position of a composition, from its first component to its last."""
    match part:
        case Member(call=call):
            return call.span
        case Parallel(members=members):
            return _place(members[0]).to(_place(members[-1]))
        case ConditionalPart(then=then):
            return _place(then)
        case ReplicatedParallel(body=body) | Hidden(body=body) | Renamed(body=body):
            return _place(body)
