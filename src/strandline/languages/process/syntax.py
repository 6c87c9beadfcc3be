"""Syntax of a program: expressions, labels, terms, networks, declarations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from strandline.source import Span

# Expressions: integers, evaluated when the model is loaded, except `Located` and `Asked`, which depend on the state.


@dataclass(frozen=True, slots=True)
class Number:
    """A literal; `true` is 1 and `false` is 0."""

    value: int
    span: Span


@dataclass(frozen=True, slots=True)
class Name:
    """A constant, a parameter or an index; in claims also a label or an invariant."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Unary:
    """A prefix operator, `-` or `not`."""

    operator: str
    operand: Arithmetic
    span: Span


@dataclass(frozen=True, slots=True)
class Binary:
    """A binary operator."""

    operator: str
    left: Arithmetic
    right: Arithmetic
    span: Span
    grouped: bool = False
    """True if it is in parentheses."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A name with positions, `Slave[2]` or `Busy(1, _)`; the position None stands for the wildcard `_`.

    Without positions (`positions` is None) any number of them matches.
    """

    name: str
    positions: tuple[Arithmetic | None, ...] | None
    span: Span


@dataclass(frozen=True, slots=True)
class Located:
    """`Slave[_].Busy`: the number of components in such a state; `Slave[1]`: the number of its state."""

    component: Pattern
    state: Pattern | None
    span: Span


@dataclass(frozen=True, slots=True)
class Asked:
    """`enabled(send[_])`, `taken(send[0])`: such an action is enabled, or was the last one taken."""

    question: str
    action: Pattern
    span: Span


Arithmetic: TypeAlias = Number | Name | Unary | Binary | Located | Asked


# Labels of actions


@dataclass(frozen=True, slots=True)
class Binder:
    """`i: low..high`, or `low..high` without a name: every value in turn."""

    name: str | None
    low: Arithmetic
    high: Arithmetic
    span: Span


@dataclass(frozen=True, slots=True)
class Label:
    """`job[i]`, `job[i: 0..3]`, `"PUT !1"`; `tau` is the internal action."""

    name: str
    indices: tuple[Arithmetic | Binder, ...]
    span: Span


# Terms: the behaviour of components


@dataclass(frozen=True, slots=True)
class Stop:
    """The deadlocked process."""

    span: Span


@dataclass(frozen=True, slots=True)
class Prefix:
    """`label -> continuation`; `number` counts the arrows of a definition."""

    label: Label
    continuation: Term
    number: int


@dataclass(frozen=True, slots=True)
class Alternatives:
    """`first | second`: the choice is made by the first action, which may be internal."""

    options: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Replicated:
    """`i: 0..3 . term`: a choice over all values."""

    binders: tuple[Binder, ...]
    body: Term


@dataclass(frozen=True, slots=True)
class Conditional:
    """`if condition then term else term`; a missing `else` is STOP."""

    condition: Arithmetic
    then: Term
    otherwise: Term | None


@dataclass(frozen=True, slots=True)
class Call:
    """`Name(arguments)`: behave as that process; in a network, a component or another network."""

    name: str
    arguments: tuple[Arithmetic, ...]
    span: Span


Term: TypeAlias = Stop | Prefix | Alternatives | Replicated | Conditional | Call


# Compositions: the behaviour of networks


@dataclass(frozen=True, slots=True)
class Member:
    """A component or a network, optionally renamed with `as`."""

    call: Call
    alias: str | None


@dataclass(frozen=True, slots=True)
class Parallel:
    """`first || second`."""

    members: tuple[Composition, ...]


@dataclass(frozen=True, slots=True)
class ReplicatedParallel:
    """`i: 0..3 . network`: parallel composition over all values."""

    binders: tuple[Binder, ...]
    body: Composition


@dataclass(frozen=True, slots=True)
class ConditionalPart:
    """`if condition then network else network`."""

    condition: Arithmetic
    then: Composition
    otherwise: Composition | None


@dataclass(frozen=True, slots=True)
class Hidden:
    """`network hide {labels}`."""

    body: Composition
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class Renamed:
    """`network rename {old to new}`."""

    body: Composition
    pairs: tuple[tuple[Label, Label], ...]


Composition: TypeAlias = Member | Parallel | ReplicatedParallel | ConditionalPart | Hidden | Renamed


# Declarations


@dataclass(frozen=True, slots=True)
class Constant:
    """`const name = value;`."""

    name: str
    value: Arithmetic
    span: Span


@dataclass(frozen=True, slots=True)
class Parameter:
    """`name`, or `name: low..high`."""

    name: str
    low: Arithmetic | None
    high: Arithmetic | None
    span: Span


@dataclass(frozen=True, slots=True)
class ProcessDefinition:
    """`process Name(parameters) alphabet {labels} = term;`."""

    name: str
    parameters: tuple[Parameter, ...]
    alphabet: tuple[Label, ...]
    body: Term
    span: Span


@dataclass(frozen=True, slots=True)
class NetworkDefinition:
    """`network Name(parameters) = composition;`."""

    name: str
    parameters: tuple[Parameter, ...]
    body: Composition
    span: Span


@dataclass(frozen=True, slots=True)
class Import:
    """`import Name = "file.aut";`."""

    name: str
    path: str
    span: Span
    path_span: Span


@dataclass(frozen=True, slots=True)
class Claim:
    """`invariant name = expression;`, and so `label`, `reachable` and `valid_end`."""

    kind: str
    name: str
    expression: Arithmetic
    span: Span


@dataclass(frozen=True, slots=True)
class FormulaSyntax:
    """`ltl name = "formula";` or `ctl name = "formula";`."""

    logic: str
    name: str
    text: str
    span: Span
    """The place of the formula's text."""
    name_span: Span


@dataclass(frozen=True, slots=True)
class MeasureSyntax:
    """`measure expression;` or `measure mono(expression);`."""

    text: str
    expression: Arithmetic
    monotone: bool
    span: Span


Definition: TypeAlias = ProcessDefinition | NetworkDefinition | Import


@dataclass(frozen=True, slots=True)
class Program:
    """A whole text."""

    constants: tuple[Constant, ...]
    definitions: tuple[Definition, ...]
    system: Composition
    claims: tuple[Claim, ...]
    formulas: tuple[FormulaSyntax, ...]
    measures: tuple[MeasureSyntax, ...]
    fair: tuple[Pattern, ...]
