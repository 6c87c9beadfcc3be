"""The properties of a check, selected by the user's claims or declared by the model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from strandline.checker.limits.timeouts import within
from strandline.checker.options.claims import FINITE, GOOD, Claims
from strandline.checker.options.fields import find_option
from strandline.checker.options.search import Options
from strandline.compile.kernel import DEADLOCK_BIT, MAXIMUM_PREDICATES, STUCK_BIT
from strandline.errors import InputError, Option, UsageError
from strandline.model.expression import Expression, Unary, variables_read
from strandline.model.system import Claim, System
from strandline.source import Source

if TYPE_CHECKING:
    from strandline.checker.properties.ctl_formula import CtlFormula
    from strandline.checker.properties.specification import Specification

_OF_A_PROCESS = re.compile(r"(?P<process>\w+?)(?:_\d+)?\.(?P<claim>\w+)")


class Kind(Enum):
    """Kinds of properties; the value is used in reports and JSON."""

    INVARIANT = "invariant"
    ASSERTION = "assertion"
    DEADLOCK = "deadlock"
    REACHABILITY = "reach"
    FAULT = "fault"
    LTL = "ltl"
    CTL = "ctl"
    AUTOMATON = "automaton"
    NEVER = "never"


@dataclass(frozen=True, slots=True, eq=False)
class Property:
    """One property to be decided.

    A property of states becomes a predicate that is true in the states which decide it: a state that violates an
    invariant or an assertion, or the witness of a reachability claim. A property of runs has a specification.
    """

    kind: Kind
    name: str
    expression: Expression | None = None
    source: Source | None = None
    """The text that the user gave, for messages; None if the model declares the property."""
    specification: Specification | None = None
    """The specification of a property of runs."""
    is_process: bool = False
    """True if it is the model's property process."""
    branching: CtlFormula | None = None
    """The formula of a property of computation trees."""

    @property
    def is_of_states(self) -> bool:
        """True if it is about single states, not about runs or trees."""
        return self.specification is None and self.branching is None

    @property
    def predicate(self) -> Expression | None:
        """The predicate at which a search stops; None if the Kernel has a label for it, or for a property of runs."""
        if self.expression is None:
            return None
        return self.expression if self.kind is Kind.REACHABILITY else Unary("not", self.expression)


@dataclass(frozen=True, slots=True)
class Selection:
    """The properties of one check; `picked` is True if they come from the model's declarations, not from claims."""

    properties: tuple[Property, ...]
    picked: bool

    def describe(self) -> str:
        """Describe the selection: `deadlocks, 2 assertions`."""
        own = [one for one in self.properties if not one.is_process]
        parts = [_count_words(sum(one.kind is kind for one in own), *words) for kind, *words in _WORDS]
        parts += ["the property process"] * (len(self.properties) - len(own))
        return ", ".join(part for part in parts if part) or "run-time faults only"


_WORDS = (
    (Kind.DEADLOCK, "deadlocks", "deadlocks"),
    (Kind.INVARIANT, "1 invariant", "{} invariants"),
    (Kind.ASSERTION, "1 assertion", "{} assertions"),
    (Kind.REACHABILITY, "1 reachability", "{} reachabilities"),
    (Kind.LTL, "1 formula", "{} formulas"),
    (Kind.CTL, "1 CTL formula", "{} CTL formulas"),
)


def _count_words(count: int, singular: str, plural: str) -> str:
    return "" if count == 0 else singular if count == 1 else plural.format(count)


def select(system: System, claims: Claims) -> Selection:
    """Return the properties that the claims name, parsed in the model's language.

    Without claims, the declarations of the model are used: a property process, its assertions and invariants, and,
    without a property process, deadlocks.
    """
    deadlock = claims.deadlock
    chosen = [_state_property(system, Kind.INVARIANT, text, claims.invariants) for text in claims.invariants]
    chosen += [_state_property(system, Kind.REACHABILITY, text, claims.reach) for text in claims.reach]
    chosen += [_formula(system, Source(_title("formula", text, claims.ltl), text)) for text in claims.ltl]
    chosen += [_branching(system, Source(_title("formula", text, claims.ctl), text)) for text in claims.ctl]
    chosen += [_automaton(system, file, claims) for file in claims.automaton_files()]
    chosen += [_never(system, text, claims.never) for text in claims.never]
    asked = {"non_progress": claims.non_progress, "accept_labels": claims.accept_labels}
    chosen += [_cycles(system, name) for name, given in asked.items() if given]
    chosen += [one for name in claims.property for one in _find_declared_properties(system, name)]
    picked = not chosen and deadlock is not True
    if picked:
        chosen = _declared_properties(system)
        deadlock = _asks_for_deadlocks(system) if deadlock is None else deadlock
    if deadlock:
        chosen.insert(0, Property(Kind.DEADLOCK, "deadlock freedom"))
    predicates = sum(one.expression is not None for one in chosen)
    if predicates > MAXIMUM_PREDICATES:
        raise UsageError(
            f"{predicates} properties are too many for one search, which can have {MAXIMUM_PREDICATES} "
            "at most: name some of them with {} or {}",
            options=[_PROPERTY, _INVARIANT],
        )
    return Selection(tuple(chosen), picked)


def select_within(system: System, claims: Claims, options: Options, started: float) -> Selection:
    """Return `select(system, claims)`; raises `ResourceError` if a limit of the options is reached.

    `started` is the start of the time limit.
    """
    seconds, memory = options.max_seconds, options.memory_limit
    return within(seconds, started, "the properties were read", lambda: select(system, claims), memory)


_INVARIANT, _REACH, _PROPERTY = (find_option(Claims, name) for name in ("invariants", "reach", "property"))


def _state_property(system: System, kind: Kind, text: str, siblings: Sequence[str]) -> Property:
    title = _title(kind.value, text, siblings)
    return Property(kind, text, system.scope.condition(text, name=title), Source(title, text))


def _formula(system: System, text: Source, claim: Claim | None = None) -> Property:
    """Return the property of an LTL formula that was given, or declared by the model as `claim`."""
    # Imported lazily, here and below: checks of states alone do not wait for temporal logic.
    from strandline.checker.properties.specification import bind_formula

    with _explain_observer_names(system, "a formula"):
        bound = bind_formula(text, system.alone, scope=None if claim is None else claim.scope)
    name = text.text if claim is None else claim.name
    return Property(Kind.LTL, name, source=bound.parsed.source, specification=bound)


def _cycles(system: System, name: str) -> Property:
    """Return the property about cycles through labels of the model that an option names."""
    text = system.alone.scope.cycle_formulas.get(name)
    if text is None:
        raise UsageError("{} is for models in Promela", options=[Option(name, True)])
    return replace(_formula(system, Source(name.replace("_", "-"), text)), name=name.replace("_", "-"))


def _branching(system: System, text: Source, claim: Claim | None = None) -> Property:
    """Return the property of a CTL formula that was given, or declared by the model as `claim`."""
    from strandline.checker.properties.ctl_formula import bind_ctl

    with _explain_observer_names(system, "a formula"):
        bound = bind_ctl(text, system.alone, scope=None if claim is None else claim.scope)
    return Property(Kind.CTL, text.text if claim is None else claim.name, source=bound.source, branching=bound)


def _automaton(system: System, file: str, claims: Claims) -> Property:
    from strandline.checker.properties.automata import bind_automaton, read_automaton_file

    read, finite = read_automaton_file(file, system.alone), claims.automaton_words == FINITE
    with _explain_observer_names(system, "an automaton"):
        bound = bind_automaton(read, system.alone, good=claims.automaton_accepts == GOOD, finite=finite)
    return Property(Kind.NEVER if finite else Kind.AUTOMATON, file, source=read.source, specification=bound)


def _never(system: System, text: str, siblings: Sequence[str]) -> Property:
    from strandline.checker.properties.automata import bind_regular

    with _explain_observer_names(system, "an expression"):
        bound = bind_regular(text, system.alone, name=_title("never", text, siblings))
    return Property(Kind.NEVER, text, source=bound.source_text.source, specification=bound)


@contextmanager
def _explain_observer_names(system: System, what: str) -> Iterator[None]:
    """Replace the error for an unknown name by an explanation if the name is the property process's."""
    try:
        yield
    except InputError as error:
        if system.observer is None or f"'{system.observer.name}'" not in error.message:
            raise
        message = f"'{system.observer.name}' is the property process: {what} speaks of the system that it watches"
        raise type(error)(message, error.source, error.span) from None


def _title(kind: str, text: str, siblings: Sequence[str]) -> str:
    """Return `formula`, or `formula 2` if there are several `siblings`, as the name of a text in messages."""
    return kind if len(siblings) == 1 else f"{kind} {list(siblings).index(text) + 1}"


def _assertions(system: System) -> list[Property]:
    return [Property(Kind.ASSERTION, one.name, one.expression) for one in system.assertions]


def _asks_for_deadlocks(system: System) -> bool:
    """Return True if a check without claims includes deadlock freedom."""
    return system.observer is None and system.asks_for_deadlocks


def _property_process(system: System, name: str) -> Property:
    from strandline.checker.properties.specification import PropertyProcess

    return Property(Kind.LTL, name, specification=PropertyProcess(system), is_process=True)


def _declared_properties(system: System) -> list[Property]:
    observer = system.observer
    process = [] if observer is None else [_property_process(system, observer.name)]
    invariants = [Property(Kind.INVARIANT, one.name, one.expression) for one in system.invariants]
    goals = [Property(Kind.REACHABILITY, one.name, one.expression) for one in system.goals]
    return process + _assertions(system) + invariants + goals + [_claim(system, one) for one in system.claims]


def _claim(system: System, claim: Claim) -> Property:
    """Return the property of a formula that the model declares.

    A mistake in it is reported at its position in the model.
    """
    title = f"{system.source.name}, {claim.logic} '{claim.name}'"
    text = Source(title, claim.text, None if claim.span is None else (system.source, claim.span.start))
    return _branching(system, text, claim=claim) if claim.logic == "ctl" else _formula(system, text, claim=claim)


def _find_declared_properties(system: System, name: str) -> list[Property]:
    """Return the declared properties with the given name. Raises `UsageError` if there are none.

    For claims of processes, `fine` selects those of every process, and `P.fine` those of every process of the class
    `P`.
    """
    declared = _declared_properties(system)
    found = [one for one in declared if one.name == name] or [one for one in declared if name in _group_names(one)]
    if found:
        return found
    known = ", ".join(f"'{one.name}'" for one in declared)
    raise UsageError(f"the model has no property '{name}': it has {known or 'none'}")


def _group_names(one: Property) -> tuple[str, ...]:
    """Return the names under which a process's claim can be selected together with others: `P.fine` and `fine`."""
    found = _OF_A_PROCESS.fullmatch(one.name)
    return () if found is None else (f"{found['process']}.{found['claim']}", found["claim"])


def label_bits(system: System, properties: Sequence[Property]) -> dict[Property, int]:
    """Return the bit of each property of states in the Kernel's labels.

    Predicates are numbered in order from 0. Deadlock freedom has the bit of deadlocks, or that of deadlocks which are
    no valid ends if the model declares such ends.
    """
    bits = {one: number for number, one in enumerate(one for one in properties if one.expression is not None)}
    stuck = DEADLOCK_BIT if system.ends is None else STUCK_BIT
    bits.update({one: stuck for one in properties if one.kind is Kind.DEADLOCK})
    return bits


def needs_product(system: System, properties: Sequence[Property]) -> bool:
    """Return True if the properties refer to the property process, so that only the product can decide them.

    The product must not decide any other property, because a property process restricts the System: properties of both
    kinds together are refused with a `UsageError`.
    """
    observer = system.observer
    if observer is None:
        return False
    own = {one for one in system.variables if one is observer.location or one.owner == observer.name}
    about = [one.expression is not None and bool(own & variables_read(one.expression)) for one in properties]
    if any(about) and not all(about):
        raise UsageError(
            f"claims about the property process '{observer.name}' and claims about the system alone need a "
            "check each: name them with {}, {} or {}",
            options=[_INVARIANT, _REACH, _PROPERTY],
        )
    return any(about)
