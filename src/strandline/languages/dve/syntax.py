"""The outline of a model: declarations as token indices, before any name is looked up.

Every `int` here is the index of a token. Expressions are only located by their first token: a guard may name a process
that is declared later, so expressions are parsed when all names are known, each once and directly into its final form.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VariableSyntax:
    """A variable declaration: `byte x`, `int a[3] = {1, 2}`, `const byte N = 4`."""

    name: int
    type: str
    constant: bool
    length: int | None
    """The first token of the expression in brackets; None for a scalar."""
    initial: tuple[int, ...] | None
    """The first tokens of the initial values: one for a scalar, those in braces for an array; None without any."""
    braces: bool
    """True if the initial value has braces."""


@dataclass(frozen=True, slots=True)
class ChannelSyntax:
    """A channel declaration: `channel c` (untyped: `types` is None) or `channel {byte, int} c[3]`."""

    name: int
    types: tuple[str, ...] | None
    capacity: int | None


@dataclass(frozen=True, slots=True)
class AssertionSyntax:
    """An assertion of a state: `state: expression`."""

    state: int
    expression: int


@dataclass(frozen=True, slots=True)
class TransitionSyntax:
    """A transition: `source -> target { guard ...; sync ...; effect ...; }`.

    `guard`, `sync` and `effect` are the tokens behind these keywords; None for a part that is missing.
    """

    source: int
    target: int
    first: int
    """The first token: the source, or the arrow where the source is not repeated."""
    guard: int | None
    sync: int | None
    effect: int | None


@dataclass(frozen=True, slots=True)
class ProcessSyntax:
    """A process; the lists of states hold the tokens of their names."""

    name: int
    variables: tuple[VariableSyntax, ...]
    channels: tuple[ChannelSyntax, ...]
    states: tuple[int, ...]
    initial: int
    accepting: tuple[int, ...]
    committed: tuple[int, ...]
    assertions: tuple[AssertionSyntax, ...]
    transitions: tuple[TransitionSyntax, ...]


@dataclass(frozen=True, slots=True)
class ModelSyntax:
    """A parsed model file."""

    variables: tuple[VariableSyntax, ...]
    channels: tuple[ChannelSyntax, ...]
    processes: tuple[ProcessSyntax, ...]
    synchronous: bool
    property: int | None
    """The token that names the property process; None without one."""
