"""The syntax tree of a Promela model. Names of variables are resolved; those of processes are not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from strandline.languages.promela.tokens import Token

SIMPLE = {
    "bit": (0, 1),
    "bool": (0, 1),
    "byte": (0, 255),
    "pid": (0, 255),
    "mtype": (0, 255),
    "chan": (0, 255),
    "short": (-(1 << 15), (1 << 15) - 1),
    "int": (-(1 << 31), (1 << 31) - 1),
}
"""The ranges of the types; that of `unsigned` depends on its width."""


@dataclass(slots=True, eq=False)
class Declaration:
    """A variable: its type, its length if it is an array, and its initial value."""

    name: str
    token: Token
    type: str
    """A type of `SIMPLE`, `unsigned`, or the name of a structure."""
    structure: Structure | None = None
    width: int | None = None
    length: int | None = None
    initial: Expr | None = None
    initial_list: list[Expr] | None = None
    channel: ChannelInit | None = None
    owner: str | None = None
    """The proctype that it belongs to; None for a global variable."""
    number: int = 0
    """A number that makes the names of the proctype's variables unique."""
    names: str | None = None
    """The subtype of an `mtype`."""
    hidden: bool = False
    parameter: bool = False


@dataclass(slots=True, eq=False)
class Structure:
    """A typedef."""

    name: str
    fields: list[Declaration]


@dataclass(slots=True)
class ChannelInit:
    """`[capacity] of { types }`; the types are declarations without names."""

    capacity: int
    fields: list[Declaration]
    token: Token


@dataclass(slots=True)
class Number:
    """A literal."""

    value: int
    token: Token
    name: str | None = None
    """The symbol of an `mtype`."""


@dataclass(slots=True)
class Reference:
    """A variable, or a part of one: `a[i].b[j]`."""

    declaration: Declaration
    index: Expr | None
    fields: list[tuple[str, Expr | None, Token]]
    token: Token


@dataclass(slots=True)
class Special:
    """`_pid`, `_nr_pr`, `_last`, `np_`, `timeout` or `else`."""

    name: str
    token: Token


@dataclass(slots=True)
class UnaryExpr:
    operator: str
    operand: Expr
    token: Token


@dataclass(slots=True)
class BinaryExpr:
    operator: str
    left: Expr
    right: Expr
    token: Token


@dataclass(slots=True)
class Conditional:
    """`(condition -> then : otherwise)`."""

    condition: Expr
    then: Expr
    otherwise: Expr
    token: Token


@dataclass(slots=True)
class ChannelQuery:
    """`len`, `empty`, `nempty`, `full` or `nfull` of a channel."""

    name: str
    channel: Reference
    token: Token


@dataclass(slots=True)
class Poll:
    """`c?[arguments]` or `c??[arguments]`."""

    channel: Reference
    arguments: list[Argument]
    random: bool
    token: Token


@dataclass(slots=True)
class Run:
    """`run P(arguments)`."""

    name: str
    arguments: list[Expr]
    token: Token


@dataclass(slots=True)
class Enabled:
    """`enabled(pid)`."""

    pid: Expr
    token: Token


@dataclass(slots=True)
class Remote:
    """`P[pid]@label` or `P[pid]:variable`."""

    process: str
    pid: Expr | None
    name: str
    is_label: bool
    token: Token
    index: Expr | None = None
    fields: list[tuple[str, Expr | None, Token]] = field(default_factory=list)


@dataclass(slots=True)
class Call:
    """`var("name")`, `fault("reason")`, `mod(a, b)` and the like, in questions about a finished System."""

    name: str
    arguments: list[Expr]
    text: str
    token: Token


Expr: TypeAlias = (
    Number
    | Reference
    | Special
    | UnaryExpr
    | BinaryExpr
    | Conditional
    | ChannelQuery
    | Poll
    | Run
    | Enabled
    | Remote
    | Call
)


@dataclass(slots=True)
class Argument:
    """An argument of a receive: a value to match, a variable to set, or `_`."""

    kind: str
    """`match`, `set` or `drop`."""
    expression: Expr | None
    token: Token


# --- statements ---------------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class Statement:
    """A statement with its labels; `kind` is its class."""

    token: Token
    labels: list[Token] = field(default_factory=list, kw_only=True)
    last: Token | None = field(default=None, kw_only=True)
    """Its last token."""
    scope: tuple[int, ...] = field(default=(), kw_only=True)
    """The calls of inlines that its text comes from, the outermost first; their labels are their own."""


@dataclass(slots=True, eq=False)
class Condition(Statement):
    expression: Expr


@dataclass(slots=True, eq=False)
class Assignment(Statement):
    target: Reference
    value: Expr


@dataclass(slots=True, eq=False)
class Declare(Statement):
    """A declaration after the first statement: a step that sets the variable."""

    declaration: Declaration


@dataclass(slots=True, eq=False)
class Send(Statement):
    channel: Reference
    arguments: list[Expr]
    is_sorted: bool


@dataclass(slots=True, eq=False)
class Receive(Statement):
    channel: Reference
    arguments: list[Argument]
    random: bool
    keeps: bool
    """True if the message stays in the channel."""


@dataclass(slots=True, eq=False)
class Assert(Statement):
    expression: Expr
    text: str


@dataclass(slots=True, eq=False)
class Print(Statement):
    """A step without effect."""


@dataclass(slots=True, eq=False)
class Else(Statement):
    pass


@dataclass(slots=True, eq=False)
class Goto(Statement):
    label: str


@dataclass(slots=True, eq=False)
class Break(Statement):
    pass


@dataclass(slots=True, eq=False)
class Choose(Statement):
    """`if` or, with `repeats`, `do`."""

    options: list[list[Statement]]
    repeats: bool


@dataclass(slots=True, eq=False)
class Block(Statement):
    """A sequence in braces: `plain`, `atomic` or `d_step`."""

    kind: str
    body: list[Statement]


@dataclass(slots=True, eq=False)
class Unless(Statement):
    body: list[Statement]
    escape: list[Statement]


# --- the model ----------------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class Proctype:
    """A proctype, `init`, or the never claim."""

    name: str
    token: Token
    parameters: list[Declaration] = field(default_factory=list)
    variables: list[Declaration] = field(default_factory=list)
    """All variables, those of inner blocks too; parameters first."""
    leading: list[Declaration] = field(default_factory=list)
    """The variables declared before the first statement, which are set at creation."""
    body: list[Statement] = field(default_factory=list)
    active: int = 0
    provided: Expr | None = None
    end: Token | None = None


@dataclass(slots=True)
class Formula:
    """An `ltl` block: its name and the tokens of its formula."""

    name: str
    tokens: list[Token]
    token: Token


@dataclass(slots=True)
class Program:
    """A whole model."""

    variables: list[Declaration] = field(default_factory=list)
    proctypes: dict[str, Proctype] = field(default_factory=dict)
    claims: list[Proctype] = field(default_factory=list)
    formulas: list[Formula] = field(default_factory=list)
    symbols: dict[str, Number] = field(default_factory=dict)
    """The symbols of all `mtype` lists."""
    subtypes: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    uses_last: bool = False
    referenced: dict[str, set[str]] = field(default_factory=dict)
    """For each proctype the labels that `P@label` mentions."""
    read: set[Declaration] = field(default_factory=set)
    """The variables whose values are used."""
