"""Actions made from transitions: plain steps, rendezvous, buffered sends and receives.

Order of a rendezvous: the values are computed in the source state and written to the receiver's variables, left to
right; the sender's location changes and its effects run; then the receiver's location changes and its effects run. A
channel used by only one process yields no rendezvous, because a process cannot synchronise with itself. A buffered send
appends the values, computed in the source state, then changes location and runs the effects; a buffered receive takes
the oldest message first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from strandline.errors import ModelError
from strandline.languages.dve.names import BYTE, INT, Channel, ProcessSymbol
from strandline.languages.dve.transitions import Synchronisation, Transition
from strandline.model.expression import Binary, Const, Element, Expression, Read, conjunction, variables_read
from strandline.model.system import Action, Assign, Domain, Move, Variable
from strandline.source import Source, Span

_End: TypeAlias = tuple[Transition, Synchronisation]


class ActionBuilder:
    """Builds actions from the transitions of all processes.

    `helpers` maps a channel to a temporary array for the values of a rendezvous, which is 0 before and after it.
    """

    def __init__(self, source: Source, processes: Sequence[ProcessSymbol], committed: Callable[[Transition], bool]):
        self.helpers: dict[Channel, Variable] = {}
        self._source = source
        self._index = {process.name: index for index, process in enumerate(processes)}
        self._is_committed = committed
        self._arities: dict[Channel, Synchronisation] = {}

    def build(self, transitions: Sequence[Transition]) -> list[Action]:
        """Return all actions in the order of their transitions; for a rendezvous this is the sender's transition."""
        receivers: dict[Channel, list[_End]] = {}
        for transition in transitions:
            sync = transition.sync
            if sync is not None:
                self._check(sync)
                if not sync.sends:
                    receivers.setdefault(sync.channel, []).append((transition, sync))
        actions: list[Action] = []
        for transition in transitions:
            actions.extend(self._actions(transition, receivers))
        return actions

    def _actions(self, transition: Transition, receivers: dict[Channel, list[_End]]) -> Iterator[Action]:
        sync = transition.sync
        if sync is None:
            yield self._action(transition.title, [transition], transition.guard, transition.effects)
        elif sync.channel.length is not None:
            yield self._buffer_action(transition, sync, sync.channel.length)
        elif sync.sends:
            for receiver, receiving in receivers.get(sync.channel, []):
                if receiver.process is not transition.process:
                    yield self._rendezvous(transition, sync, receiver, receiving)

    def _action(
        self, name: str, taking_part: list[Transition], guard: Expression | None, effects: Sequence[Assign]
    ) -> Action:
        moves = tuple(Move(self._index[part.process.name], part.source, part.target) for part in taking_part)
        committed = any(self._is_committed(part) for part in taking_part)
        return Action(name, moves, guard, tuple(effects), committed, taking_part[0].span)

    # Messages

    def _check(self, sync: Synchronisation) -> None:
        """Check the number of values sent or received: a typed channel fixes it, an untyped one by its first use."""
        channel = sync.channel
        first = self._arities.setdefault(channel, sync)
        expected = _arity(first) if channel.types is None else len(channel.types)
        if _arity(sync) == expected:
            return
        if channel.types is not None:
            message = f"channel '{channel.name}' carries {_values(expected)}, not {_arity(sync)}"
        else:
            line, _ = self._source.position(first.span.start)
            carried = f"{_values(expected)} in line {line}"
            message = f"channel '{channel.name}' carries {carried}, but {_arity(sync)} here"
        raise ModelError(message, self._source, sync.span)

    # Rendezvous

    def _rendezvous(
        self, sender: Transition, sending: Synchronisation, receiver: Transition, receiving: Synchronisation
    ) -> Action:
        transfer = self._transfer(sending.channel, sending.values, receiving.targets, receiving.span)
        return self._action(
            f"{sender.title}, {receiver.title} via {sending.channel.name}",
            [sender, receiver],
            conjunction(sender.guard, receiver.guard),
            [*transfer, *sender.effects, *receiver.effects],
        )

    def _transfer(
        self, channel: Channel, values: Sequence[Expression], targets: Sequence[Read | Element], span: Span
    ) -> list[Assign]:
        """Return a sequence of assignments that assigns the values to the targets simultaneously."""
        types: Sequence[Domain] = channel.types or (INT,) * len(values)
        # A byte channel truncates the values sent; a byte variable does so itself.
        typed = [
            Binary("&", value, Const(BYTE.high)) if domain == BYTE and target.variable.domain == INT else value
            for value, domain, target in zip(values, types, targets, strict=True)
        ]
        if _independent(values, targets):
            return [Assign(target, value, span) for target, value in zip(targets, typed, strict=True)]
        # A value reads an earlier target: all values are computed before any target is written.
        helper = self._helper(channel, len(values))
        places = [Element(helper, Const(index)) for index in range(len(values))]
        return [
            *(Assign(place, value, span) for place, value in zip(places, typed, strict=True)),
            *(Assign(target, place, span) for target, place in zip(targets, places, strict=True)),
            *(Assign(place, Const(0), span) for place in places),
        ]

    def _helper(self, channel: Channel, arity: int) -> Variable:
        if channel not in self.helpers:
            self.helpers[channel] = Variable(f"{channel.name}.message", INT, arity, (0,) * arity)
        return self.helpers[channel]

    # Buffers

    def _buffer_action(self, transition: Transition, sync: Synchronisation, length: Variable) -> Action:
        count = Read(length)
        if sync.sends:
            ready: Expression = Binary("<", count, Const(sync.channel.capacity))
            message = _put(sync, length)
        else:
            ready = Binary(">", count, Const(0))
            message = _take(sync, length)
        return self._action(
            f"{transition.title} via {sync.channel.name}{'!' if sync.sends else '?'}",
            [transition],
            conjunction(transition.guard, ready),
            [*message, *transition.effects],
        )


def _put(sync: Synchronisation, length: Variable) -> list[Assign]:
    count = Read(length)
    return [
        *(
            Assign(Element(field, count, sync.span), value, sync.span)
            for field, value in zip(sync.channel.fields, sync.values, strict=True)
        ),
        Assign(count, Binary("+", count, Const(1)), sync.span),
    ]


def _take(sync: Synchronisation, length: Variable) -> list[Assign]:
    """Return assignments that remove the oldest message and shift the others.

    The array elements that become free are set to 0, so that equal buffers are equal states.
    """
    fields, last = sync.channel.fields, sync.channel.capacity - 1
    effects = [
        Assign(target, Element(field, Const(0)), sync.span) for target, field in zip(sync.targets, fields, strict=True)
    ]
    for field in fields:
        for place in range(last):
            below = Element(field, Const(place + 1))
            effects.append(Assign(Element(field, Const(place)), below, sync.span))
        effects.append(Assign(Element(field, Const(last)), Const(0), sync.span))
    count = Read(length)
    effects.append(Assign(count, Binary("-", count, Const(1)), sync.span))
    return effects


def _arity(sync: Synchronisation) -> int:
    return len(sync.values) if sync.sends else len(sync.targets)


def _values(count: int) -> str:
    return "no value" if count == 0 else "1 value" if count == 1 else f"{count} values"


def _independent(values: Sequence[Expression], targets: Sequence[Read | Element]) -> bool:
    """Return True if no value reads a variable that an earlier one in `targets` writes."""
    written: set[Variable] = set()
    for value, target in zip(values, targets, strict=True):
        if written & variables_read(value):
            return False
        written.add(target.variable)
    return True
