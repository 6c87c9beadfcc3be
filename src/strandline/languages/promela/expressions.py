"""Lowering of expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from strandline.languages.promela.arithmetic import binary, checked_index, conditional, truth, unary
from strandline.languages.promela.channels import leaf_declaration
from strandline.languages.promela.storage import Leaf, structure_parts
from strandline.languages.promela.syntax import (
    Argument,
    BinaryExpr,
    Call,
    ChannelQuery,
    Conditional,
    Declaration,
    Enabled,
    Expr,
    Number,
    Poll,
    Reference,
    Remote,
    Run,
    Special,
    UnaryExpr,
)
from strandline.languages.promela.tokens import Token
from strandline.languages.promela.world import Channel, Instance, World
from strandline.languages.symbolic_execution.building import all_of, any_of
from strandline.model.expression import (
    FALSE,
    INDEX_FAULT,
    TRUE,
    Binary,
    Choice,
    Const,
    Element,
    Expression,
    Read,
    Undefined,
)
from strandline.source import Span

UNINITIALISED = "a channel that was never initialised is used"


class Lowerer:
    """Lowers expressions of one process, or those of claims if there is no process."""

    def __init__(
        self, world: World, instance: Instance | None, enabled: Callable[[Instance], Expression] | None = None
    ) -> None:
        self.world, self.instance, self.enabled = world, instance, enabled
        self.timeout = False
        """The value of `timeout`."""
        self.run_value: Expression | None = None
        """The value of `run` in the statement that is being lowered."""

    def span(self, token: Token) -> Span | None:
        return self.world.span(token.span, token.source)

    def truth(self, expression: Expr) -> Expression:
        return truth(self.value(expression))

    def value(self, expression: Expr) -> Expression:
        """Return the value of an expression as C computes it."""
        match expression:
            case Number(value=value):
                return Const(value)
            case Reference():
                return self.read(expression)
            case Special(name=name, token=token):
                return self._special(name, token)
            case UnaryExpr(operator=operator, operand=operand, token=token):
                return unary(operator, self.value(operand), self.span(token))
            case BinaryExpr(operator=operator, left=left, right=right, token=token):
                return binary(operator, self.value(left), self.value(right), self.span(token))
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                return conditional(self.truth(condition), self.value(then), self.value(otherwise))
            case ChannelQuery():
                return self._query(expression)
            case Poll():
                return self._poll(expression)
            case Run(token=token):
                if self.run_value is None:
                    token.model_error("'run' cannot stand here: it is a statement or a term of an assigned sum")
                return self.run_value
            case Enabled(pid=pid, token=token):
                return self._enabled(pid, token)
            case Remote():
                return self._remote(expression)
            case Call(token=token):
                token.model_error("this cannot be used in a model")

    # --- variables --------------------------------------------------------------------------------------------

    def read(self, reference: Reference) -> Expression:
        """Return the value of a variable or of a part of one."""
        declaration = reference.declaration
        if not reference.fields and self.instance is not None and declaration in self.instance.constants:
            return Const(self.instance.constants[declaration])
        channels = self._constant_channels(reference)
        if channels is not None:
            return self._channel_number(reference, channels)
        place = self.place(reference)
        return place

    def _constant_channels(self, reference: Reference) -> list[Channel] | None:
        """Return the channels of a declaration that always holds its own channels."""
        declaration = reference.declaration
        if reference.fields or declaration in self.world.assigned:
            return None
        owner = self.instance if declaration.owner is not None else None
        return self.world.by_place.get((declaration, owner))

    def _channel_number(self, reference: Reference, channels: Sequence[Channel]) -> Expression:
        if reference.index is None or len(channels) == 1:
            return Const(channels[0].number)
        index = self.value(reference.index)
        span = self.span(reference.token)
        index = checked_index(index, len(channels), span, INDEX_FAULT)
        if isinstance(index, Const):
            return Const(channels[index.value].number)
        # The channels of an array have consecutive numbers.
        return Binary("+", index, Const(channels[0].number), span)

    def place(self, reference: Reference) -> Read | Element:
        """Return the place of a variable or of a part of one, to read or assign it."""
        leaf, indices = self.leaf(reference)
        return self.element(leaf, indices, reference.token)

    def leaf(self, reference: Reference) -> tuple[Leaf, list[Expr | None]]:
        """Return the simple part that a reference means, and the indices that lead to it."""
        parts = self._storage(reference.declaration, reference.token)
        path = tuple(name for name, _, _ in reference.fields)
        leaf = parts.get(path)
        if leaf is None:
            token = reference.fields[-1][2] if reference.fields else reference.token
            if any(one[: len(path)] == path for one in parts):
                token.model_error("a whole structure cannot be used here")
            token.model_error(f"there is no field '{token.text}'")
        return leaf, [reference.index, *(index for _, index, _ in reference.fields)]

    def _storage(self, declaration: Declaration, token: Token) -> dict[tuple[str, ...], Leaf]:
        if declaration.owner is None:
            return self.world.globals[declaration]
        if self.instance is None:
            token.model_error(f"'{declaration.name}' belongs to a process")
        return self.instance.storage[declaration]

    def element(self, leaf: Leaf, indices: Sequence[Expr | None], token: Token) -> Read | Element:
        """Return an element of a leaf."""
        span = self.span(token)
        if leaf.variable.length is None:
            if any(one is not None and self.value(one) != FALSE for one in indices):
                token.model_error(f"'{token.text}' is no array")
            return Read(leaf.variable, span)
        position: Expression = Const(0)
        several = len([one for one in leaf.lengths if one is not None]) > 1
        for length, index in zip(leaf.lengths, indices, strict=True):
            if length is None and index is None:
                continue
            here = Const(0) if index is None else self.value(index)
            if isinstance(here, Const) and not 0 <= here.value < (length or 1):
                # A fault where the statement is executed, which may never be.
                return Element(leaf.variable, Const(leaf.slots), span)
            if several:
                here = checked_index(here, length or 1, span, INDEX_FAULT)
            position = binary("+", binary("*", position, Const(length or 1), span), here, span)
            position = _simplified(position)
        return Element(leaf.variable, position, span)

    # --- names with a meaning of their own --------------------------------------------------------------------

    def _special(self, name: str, token: Token) -> Expression:
        match name:
            case "timeout":
                return Const(int(self.timeout))
            case "_nr_pr":
                return self.world.process_count()
            case "_last":
                assert self.world.last is not None
                return Read(self.world.last)
            case "np_":
                inside = [
                    instance.at(place)
                    for instance in self.world.instances
                    for place in instance.automaton.labelled("progress")
                    if place in instance.places
                ]
                return unary("!", any_of(inside), None)
        if self.instance is None:
            token.model_error("'_pid' has no value outside of processes")
        return Const(self.instance.pid)

    def _query(self, query: ChannelQuery) -> Expression:
        result: Expression = Undefined(UNINITIALISED, self.span(query.token))
        for channel, here in reversed(self.channels(query.channel)):
            length: Expression = Const(0) if channel.length is None else Read(channel.length)
            full = Binary("==", length, Const(channel.capacity)) if channel.capacity else FALSE
            empty = Binary("==", length, Const(0)) if channel.capacity else TRUE
            values = {
                "len": length,
                "empty": empty,
                "nempty": unary("!", empty, None),
                "full": full,
                "nfull": unary("!", full, None),
            }
            value = values[query.name]
            result = value if here == TRUE else Choice(here, value, result)
        return result

    def channels(self, reference: Reference) -> list[tuple[Channel, Expression]]:
        """Return the channels that a variable can hold, each with the condition that it does."""
        number = self.read(reference)
        if isinstance(number, Const):
            return [(one, TRUE) for one in self.world.channels if one.number == number.value]
        return [(one, Binary("==", number, Const(one.number))) for one in self._candidates(reference)]

    def _candidates(self, reference: Reference) -> list[Channel]:
        constant = self._constant_channels(reference)
        if constant is not None:
            return constant
        leaf, _ = self.leaf(reference)
        targets = self.world.targets.get(leaf.declaration, set())
        return [one for one in self.world.channels if one.declaration in targets]

    def is_fixed(self, reference: Reference) -> bool:
        """Return True if a variable always holds a channel."""
        return isinstance(self.read(reference), Const) or self._constant_channels(reference) is not None

    # --- messages ---------------------------------------------------------------------------------------------

    def _poll(self, poll: Poll) -> Expression:
        result: Expression = Undefined(UNINITIALISED, self.span(poll.token))
        for channel, here in reversed(self.channels(poll.channel)):
            value = self._poll_of(channel, poll)
            result = value if here == TRUE else Choice(here, value, result)
        return result

    def _poll_of(self, channel: Channel, poll: Poll) -> Expression:
        if channel.length is None:
            return Undefined("a channel without buffer is polled", self.span(poll.token))
        given = sum(
            self.structure_size(one.expression) if isinstance(one.expression, Reference) else 1
            for one in poll.arguments
        )
        # A poll can leave out the last fields.
        rest = [Argument("drop", None, poll.token)] * (len(channel.simple) - given)
        positions = range(channel.capacity if poll.random else 1)
        found = []
        for position in positions:
            there = Binary(">", Read(channel.length), Const(position))
            found.append(all_of([there, self.matches(channel, [*poll.arguments, *rest], Const(position), poll.token)]))
        return any_of(found)

    def matches(
        self, channel: Channel, arguments: Sequence[Argument], position: Expression, token: Token
    ) -> Expression:
        """Return the condition that the message at a position matches the arguments of a receive."""
        parts = []
        for argument, group in self.groups(channel, arguments, token):
            if argument.kind == "match" and argument.expression is not None:
                stored = channel.message(group[0], position)
                parts.append(binary("==", stored, self.value(argument.expression), None))
        return all_of(parts)

    def groups(self, channel: Channel, arguments: Sequence[Argument], token: Token) -> Iterator[tuple[Argument, range]]:
        """Yield the arguments of a receive, each with the numbers of the parts of the message that it stands for."""
        sizes = [
            self.structure_size(one.expression) if one.kind == "set" and isinstance(one.expression, Reference) else 1
            for one in arguments
        ]
        self.check_count(channel, sum(sizes), token)
        start = 0
        for argument, size in zip(arguments, sizes, strict=True):
            yield argument, range(start, start + size)
            start += size

    def is_structure(self, reference: Reference) -> bool:
        """Return True if a reference means a whole structure."""
        declaration = leaf_declaration(reference)
        return declaration is not None and declaration.structure is not None

    def structure_size(self, reference: Reference) -> int:
        """Return the number of simple parts that a reference means."""
        declaration = leaf_declaration(reference)
        if declaration is None or declaration.structure is None:
            return 1
        return len(list(structure_parts(declaration.structure)))

    def check_count(self, channel: Channel, count: int, token: Token) -> None:
        """Raise `ModelError` unless a message of a channel has this number of simple parts."""
        wanted = len(channel.simple)
        if wanted != count:
            token.model_error(f"a message of '{channel.name}' has {wanted} field{'s'[: wanted != 1]}, not {count}")

    # --- other processes --------------------------------------------------------------------------------------

    def _by_pid(
        self, pid: Expression, value: Callable[[Instance], Expression], of: list[Instance], *, zeroed: bool = False
    ) -> Expression:
        """Return a value that depends on which process has a number; 0 if none has.

        With `zeroed` the value is 0 where the process does not exist.
        """
        result: Expression = FALSE
        if zeroed and isinstance(pid, Const):
            return next((value(one) for one in of if one.pid == pid.value), FALSE)
        for instance in of:
            if isinstance(pid, Const):
                if pid.value == instance.pid:
                    present = Binary("!=", Read(instance.location), Const(0))
                    result = Choice(present, value(instance), result)
            else:
                here = Binary("==", pid, Const(instance.pid))
                present = Binary("!=", Read(instance.location), Const(0))
                result = Choice(Binary("and", here, present), value(instance), result)
        return result

    def _enabled(self, pid: Expr, token: Token) -> Expression:
        if self.enabled is None:
            token.model_error("'enabled' cannot be used here")
        return self._by_pid(self.value(pid), self.enabled, self.world.instances)

    def _remote(self, remote: Remote) -> Expression:
        of = [one for one in self.world.instances if one.automaton.proctype.name == remote.process]
        if remote.process not in self.world.program.proctypes:
            remote.token.model_error(f"unknown proctype '{remote.process}'")
        if remote.pid is None:
            if len(of) != 1:
                return self._of_oldest(remote, of)
            pid: Expression = Const(of[0].pid)
        else:
            pid = self.value(remote.pid)
        if remote.is_label:
            return self._by_pid(pid, lambda one: self._at_label(one, remote), of, zeroed=True)
        folded = any(self._is_folded(one, remote.name) for one in of)
        return self._by_pid(pid, lambda one: self._remote_variable(one, remote), of, zeroed=not folded)

    def _of_oldest(self, remote: Remote, of: list[Instance]) -> Expression:
        """Return the value of a reference without process number: that of the oldest process of its proctype."""
        result: Expression = FALSE
        for one in sorted(of, key=lambda instance: -instance.pid):
            value = self._at_label(one, remote) if remote.is_label else self._remote_variable(one, remote)
            result = Choice(Binary("!=", Read(one.location), Const(0)), value, result)
        return result

    def _is_folded(self, instance: Instance, name: str) -> bool:
        """Return True if a variable of a process is a constant of the System, even where the process is gone."""
        names = instance.automaton.proctype.variables
        return any(one.name == name and one not in instance.storage for one in names)

    def _at_label(self, instance: Instance, remote: Remote) -> Expression:
        place = instance.automaton.labels.get(remote.name)
        if place is None:
            remote.token.model_error(f"'{remote.process}' has no label '{remote.name}'")
        return instance.at(place) if place in instance.places else FALSE

    def _remote_variable(self, instance: Instance, remote: Remote) -> Expression:
        names = instance.automaton.proctype.variables
        declaration = next((one for one in names if one.name == remote.name), None)
        if declaration is None:
            remote.token.model_error(f"'{remote.process}' has no variable '{remote.name}'")
        reference = Reference(declaration, remote.index, remote.fields, remote.token)
        return Lowerer(self.world, instance, self.enabled).read(reference)


def _simplified(position: Expression) -> Expression:
    """Leave out additions of 0 and multiplications of 0."""
    match position:
        case Binary(operator="+", left=Const(value=0), right=right):
            return right
        case Binary(operator="+", left=Binary(operator="*", left=Const(value=0)), right=right):
            return right
        case Binary(operator="+", left=left, right=Const(value=0)):
            return left
    return position
