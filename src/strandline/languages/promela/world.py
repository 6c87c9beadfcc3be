"""All that the lowering of a model knows: its processes, their variables, its channels."""

from __future__ import annotations

from dataclasses import dataclass, field

from strandline.languages.promela.control import Automaton, Element
from strandline.languages.promela.storage import Leaf, MessageField, leaves, message_fields
from strandline.languages.promela.syntax import Assert, Declaration, Program
from strandline.model.expression import Const, Expression, Read
from strandline.model.expression import Element as ArrayElement
from strandline.model.system import Domain, Variable
from strandline.source import Source, Span

GONE = 0
"""The location of a process that does not exist."""


@dataclass(slots=True, eq=False)
class Instance:
    """A process: a proctype with a process number."""

    number: int
    """Its number among the processes of the System."""
    pid: int
    automaton: Automaton
    name: str
    location: Variable
    places: dict[Element, int]
    """The locations of its control states."""
    constants: dict[Declaration, int] = field(default_factory=dict)
    """Parameters that always have the same value."""
    storage: dict[Declaration, dict[tuple[str, ...], Leaf]] = field(default_factory=dict)

    failing: dict[Assert, int] = field(default_factory=dict)
    """The locations where violated assertions lead."""

    def at(self, element: Element) -> Expression:
        """Return the condition that the process is in a control state."""
        from strandline.model.expression import Binary

        return Binary("==", Read(self.location), Const(self.places[element]))


@dataclass(slots=True, eq=False)
class Channel:
    """A channel: its number, capacity, and the variables of its messages."""

    number: int
    name: str
    capacity: int
    arguments: list[list[MessageField]]
    owner: Instance | None
    declaration: Declaration
    length: Variable | None = None
    fields: list[Variable] = field(default_factory=list)

    @property
    def simple(self) -> list[MessageField]:
        return [one for argument in self.arguments for one in argument]

    def message(self, part: int, position: Expression) -> Expression:
        """Return a part of the message at a position."""
        return ArrayElement(self.fields[part], position)


@dataclass(slots=True, eq=False)
class World:
    """The model while it is lowered."""

    source: Source
    program: Program
    automata: dict[str, Automaton]
    instances: list[Instance] = field(default_factory=list)
    by_pair: dict[tuple[int, str], Instance] = field(default_factory=dict)
    globals: dict[Declaration, dict[tuple[str, ...], Leaf]] = field(default_factory=dict)
    channels: list[Channel] = field(default_factory=list)
    by_place: dict[tuple[Declaration, Instance | None], list[Channel]] = field(default_factory=dict)
    """The channels that a declaration makes, one for each element of an array."""
    count: Variable | None = None
    """The number of processes."""
    last: Variable | None = None
    targets: dict[Declaration, set[Declaration]] = field(default_factory=dict)
    """For channel variables and fields: the declarations of channels that they can hold."""
    assigned: set[Declaration] = field(default_factory=set)

    def variables(self) -> list[Variable]:
        """Return all variables of the System except locations."""
        found = [leaf.variable for parts in self.globals.values() for leaf in parts.values()]
        for channel in self.channels:
            if channel.owner is None:
                found += _of_channel(channel)
        for instance in self.instances:
            found += self.of_instance(instance)
        return found + [one for one in (self.count, self.last) if one is not None]

    def of_instance(self, instance: Instance) -> list[Variable]:
        """Return the variables of a process, its channels included."""
        found = [leaf.variable for parts in instance.storage.values() for leaf in parts.values()]
        for channel in self.channels:
            if channel.owner is instance:
                found += _of_channel(channel)
        return found

    def process_count(self) -> Expression:
        assert self.count is not None
        return Read(self.count)

    def span(self, start: Span, source: Source) -> Span | None:
        """Return a span if it lies in the model's own text."""
        return start if source is self.source else None

    def add_channels(self, declaration: Declaration, owner: Instance | None) -> None:
        """Make the channels of a declaration."""
        init = declaration.channel
        if init is None:
            return
        made = []
        for index in range(declaration.length or 1):
            prefix = declaration.name if owner is None else f"{owner.name}:{declaration.name}"
            name = prefix if declaration.length is None else f"{prefix}[{index}]"
            number = len(self.channels) + 1
            fields = message_fields(init.fields)
            channel = Channel(number, name, init.capacity, fields, owner, declaration)
            if init.capacity:
                owned = None if owner is None else owner.name
                channel.length = Variable(f"len({name})", Domain(0, init.capacity), None, (0,), None, owned)
                zeros = (0,) * init.capacity
                channel.fields = [
                    Variable(f"{name}.{part}", one.domain, init.capacity, zeros, None, owned)
                    for part, one in enumerate(channel.simple)
                ]
            self.channels.append(channel)
            made.append(channel)
        self.by_place[declaration, owner] = made

    def add_storage(self, declaration: Declaration, owner: Instance | None) -> None:
        """Make the variables of a declaration, unless it is a channel that is never replaced by another."""
        if declaration.channel is not None and declaration not in self.assigned:
            return
        prefix = declaration.name if owner is None else f"{owner.name}:{declaration.name}"
        names = owner.automaton.proctype.variables if owner is not None else []
        same = [one for one in names if one.name == declaration.name]
        if same and same[0] is not declaration:
            prefix += f"'{same.index(declaration) + 1}"
        storage = self.globals if owner is None else owner.storage
        storage[declaration] = leaves(declaration, prefix, None if owner is None else owner.name)


def _of_channel(channel: Channel) -> list[Variable]:
    return [*([] if channel.length is None else [channel.length]), *channel.fields]
