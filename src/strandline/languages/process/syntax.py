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
    """A use of a name: of a constant, a parameter or an index; in claims also of a component or an earlier claim."""

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
    """True if the expression is in parentheses."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A name with positions, `Slave[2]` or `Busy(1, _)`; the position None stands for the wildcard `_`.

    If `positions` is None, the name matches with any positions.
    """

    name: str
    positions: tuple[Arithmetic | None, ...] | None
    span: Span


@dataclass(frozen=True, slots=True)
class Located:
    """`Slave[_].Busy`, the number of Slaves in state Busy; or `Slave[1]` without `state`, the index of its state."""

    component: Pattern
    state: Pattern | None
    span: Span


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about actions: `enabled(send[_])` in this state, `taken(send[0])` by the last step."""

    question: str
    action: Pattern
    span: Span


Arithmetic: TypeAlias = Number | Name | Unary | Binary | Located | Asked


# Labels of actions


@dataclass(frozen=True, slots=True)
class Binder:
    """The declaration of an index: `i: low..high`, or `low..high` without a name."""

    name: str | None
    low: Arithmetic
    high: Arithmetic
    span: Span


@dataclass(frozen=True, slots=True)
class Label:
    """An action label: `job[i]`, `job[i: 0..3]`, `"PUT !1"`; `tau` is the internal action."""

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
    """An action followed by a term: `label -> continuation`, the arrow with this number (from 1) in its definition."""

    label: Label
    continuation: Term
    number: int


@dataclass(frozen=True, slots=True)
class Alternatives:
    """A choice, made by the first action, which may be internal: `first | second`."""

    options: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Replicated:
    """A choice over all values of an index: `i: 0..3 . term`."""

    binders: tuple[Binder, ...]
    body: Term


@dataclass(frozen=True, slots=True)
class Conditional:
    """A conditional term: `if condition then term else term`; a missing `else` is STOP."""

    condition: Arithmetic
    then: Term
    otherwise: Term | None


@dataclass(frozen=True, slots=True)
class Call:
    """A call `Name(arguments)`: of a process; in a network, of a component or another network."""

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
    """A parallel composition: `first || second`."""

    members: tuple[Composition, ...]


@dataclass(frozen=True, slots=True)
class ReplicatedParallel:
    """A parallel composition over all values of an index: `i: 0..3 . network`."""

    binders: tuple[Binder, ...]
    body: Composition


@dataclass(frozen=True, slots=True)
class ConditionalPart:
    """A conditional composition: `if condition then network else network`."""

    condition: Arithmetic
    then: Composition
    otherwise: Composition | None


@dataclass(frozen=True, slots=True)
class Hidden:
    """A composition with hidden labels: `network hide {labels}`."""

    body: Composition
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class Renamed:
    """A composition with renamed labels: `network rename {old to new}`."""

    body: Composition
    pairs: tuple[tuple[Label, Label], ...]


Composition: TypeAlias = Member | Parallel | ReplicatedParallel | ConditionalPart | Hidden | Renamed


# Declarations


@dataclass(frozen=True, slots=True)
class Constant:
    """A declared constant: `const name = value;`."""

    name: str
    value: Arithmetic
    span: Span


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a definition: `name`, or `name: low..high`."""

    name: str
    low: Arithmetic | None
    high: Arithmetic | None
    span: Span


@dataclass(frozen=True, slots=True)
class ProcessDefinition:
    """A process definition: `process Name(parameters) alphabet {labels} = term;`."""

    name: str
    parameters: tuple[Parameter, ...]
    alphabet: tuple[Label, ...]
    body: Term
    span: Span


@dataclass(frozen=True, slots=True)
class NetworkDefinition:
    """A network definition: `network Name(parameters) = composition;`."""

    name: str
    parameters: tuple[Parameter, ...]
    body: Composition
    span: Span


@dataclass(frozen=True, slots=True)
class Import:
    """An imported component: `import Name = "file.aut";`."""

    name: str
    path: str
    span: Span
    path_span: Span


@dataclass(frozen=True, slots=True)
class Claim:
    """A declared claim: `invariant name = expression;`, likewise `label`, `reachable` and `valid_end`."""

    kind: str
    name: str
    expression: Arithmetic
    span: Span


@dataclass(frozen=True, slots=True)
class FormulaSyntax:
    """A declared formula: `ltl name = "formula";` or `ctl name = "formula";`."""

    logic: str
    name: str
    text: str
    span: Span
    """The source position of the formula's text."""
    name_span: Span


@dataclass(frozen=True, slots=True)
class MeasureSyntax:
    """A declared measure: `measure expression;` or `measure mono(expression);`."""

    text: str
    expression: Arithmetic
    monotone: bool
    span: Span


Definition: TypeAlias = ProcessDefinition | NetworkDefinition | Import


@dataclass(frozen=True, slots=True)
class Program:
    """A parsed program."""

    constants: tuple[Constant, ...]
    definitions: tuple[Definition, ...]
    system: Composition
    claims: tuple[Claim, ...]
    formulas: tuple[FormulaSyntax, ...]
    measures: tuple[MeasureSyntax, ...]
    fair: tuple[Pattern, ...]
