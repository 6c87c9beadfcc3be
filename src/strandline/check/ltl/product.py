"""From a formula to the System that is searched: its atoms as expressions of the model, the automaton of its negation
as an observer, fairness as a counter.

The letter read on a step is that of the state which the step leaves (the source convention, as in DVE), and at a
deadlock the observer steps alone: a run that ends stays in its last state for ever.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from strandline.errors import InputError, UsageError
from strandline.languages import parse_expression
from strandline.model.expression import FALSE, TRUE, Choice, Const, Expression, Read
from strandline.model.fairness import process_fairness, with_fairness
from strandline.model.system import Action, Assign, Domain, Fairness, Move, Observer, System, Variable
from strandline.properties import Automaton, Formula, LassoWord, ParsedFormula, bind_atoms, parse_ltl
from strandline.properties.automata import guard as guards
from strandline.properties.automata.guard import Guard
from strandline.source import Source, Span

AUTOMATON = "(automaton)"
"""The observer made of a formula; no language has such a name."""


@dataclass(frozen=True, slots=True, eq=False)
class BoundFormula:
    """A formula whose atomic propositions are expressions of a model."""

    parsed: ParsedFormula
    atoms: Mapping[str, Expression]

    @property
    def formula(self) -> Formula:
        return self.parsed.formula

    @property
    def text(self) -> str:
        return self.parsed.source.text


def bind_formula(text: str, system: System, *, name: str = "formula") -> BoundFormula:
    """Read a formula over a System: an atom is a label of the model or an expression in its language. Raises
    `InputError` with the place in the formula."""
    parsed = parse_ltl(Source(name, text))
    labels = {one.name: one.expression for one in system.labels}

    def resolve(atom: str, span: Span) -> Expression:
        if atom in labels:
            return labels[atom]
        try:
            return parse_expression(atom, system, name=name)
        except InputError as error:
            # Its place is one in the atom: shown where that stands, if it stands there word for word.
            same = error.span is not None and text[span.start : span.end] == atom
            place = Span(span.start + error.span.start, span.start + error.span.end) if same and error.span else span
            raise type(error)(error.message + _meant(atom, system), parsed.source, place) from None

    return BoundFormula(parsed, bind_atoms(parsed, resolve))


def _meant(atom: str, system: System) -> str:
    """`GFp` is a name, and was perhaps meant to be `G F p`."""
    found = re.match(r"([GFX]+)([A-Za-z_].*)", atom, re.DOTALL)
    if found is None:
        return ""
    try:
        parse_expression(found[2], system, name="atom")
    except InputError:
        return ""
    return f"; did you mean '{' '.join(found[1])} {found[2]}'?"


def word_of(letters: Sequence[frozenset[str]], loop: int | None) -> LassoWord:
    """The infinite word of a run's letters. `loop` is the number of the state to which the last one returns, being it
    again; where it is the last one itself, the run has ended there. Without a loop, whatever follows a bad
    prefix: its last letter for ever."""
    last = len(letters) - 1
    if loop is None or loop == last:
        return LassoWord(tuple(letters[:last]), (letters[last],))
    return LassoWord(tuple(letters[:loop]), tuple(letters[loop:last]))


def observed(system: System, automaton: Automaton, atoms: Mapping[str, Expression]) -> System:
    """The System watched by a state-based automaton, instead of by an observer of its own."""
    names = tuple(f"q{state}" for state in range(automaton.state_count))
    location = Variable(
        AUTOMATON, Domain(0, automaton.state_count - 1), None, (automaton.initial[0],), names, AUTOMATON, True
    )
    bound = [atoms[name] for name in automaton.atoms]
    process = len(system.processes)
    edges = tuple(
        Action(
            f"{AUTOMATON}: {names[state]} -> {names[edge.target]}",
            (Move(process, state, edge.target),),
            None if edge.guard is guards.TRUE else guard_expression(edge.guard, bound),
            (Assign(Read(location), Const(edge.target)),),
        )
        for state, outgoing in enumerate(automaton.edges)
        for edge in outgoing
    )
    plain = without_observer(system)
    return replace(
        plain,
        variables=(*plain.variables, location),
        observer=Observer(AUTOMATON, location, edges, automaton.accepting_states),
        initial=tuple((*state, start) for start in automaton.initial for state in plain.initial),
    )


def without_observer(system: System) -> System:
    """The System alone. The property process keeps its variable, which then never changes."""
    return system if system.observer is None else replace(system, observer=None)


def guard_expression(guard: Guard, atoms: Sequence[Expression]) -> Expression:
    """A guard over the atoms: each is evaluated at most once, and only where it makes a difference."""
    made: dict[Guard, Expression] = {guards.TRUE: TRUE, guards.FALSE: FALSE}

    def expression(node: Guard) -> Expression:
        if node not in made:
            made[node] = Choice(atoms[node.atom], expression(node.high), expression(node.low))
        return made[node]

    return expression(guard)


@dataclass(frozen=True, slots=True, eq=False)
class FairnessConditions:
    """What fair runs do, and the texts that the user gave for it."""

    conditions: tuple[Fairness, ...] = ()
    stated: tuple[tuple[Source, Expression], ...] = ()

    def described(self) -> tuple[str, ...]:
        """Each in words."""
        return tuple(
            f"weak fairness of {one.name}" if one.condition is None else f"infinitely often {one.name}"
            for one in self.conditions
        )


def fairness_of(system: System, *, fair: bool, declared: bool, texts: Sequence[str]) -> FairnessConditions:
    """The conditions of a check: what the model declares, every process if `fair`, and expressions."""
    found = list(system.fairness) if declared else []
    if fair:
        known = [_identity(one) for one in found]
        found += [one for one in process_fairness(system) if _identity(one) not in known]
    stated = []
    for number, text in enumerate(texts, 1):
        title = "fairness" if len(texts) == 1 else f"fairness {number}"
        expression = parse_expression(text, system, name=title)
        stated.append((Source(title, text), expression))
        found.append(Fairness(text, condition=expression))
    return FairnessConditions(tuple(found), tuple(stated))


def _identity(one: Fairness) -> frozenset[int] | None:
    return None if one.condition is not None else frozenset(id(action) for action in one.actions)


@dataclass(frozen=True, slots=True, eq=False)
class Product:
    """What a search gets: the System with its observer, and what accepts in it (None: the observer's locations; else
    where also the variables `at_rest` are 0). `plain` is the System that the user knows."""

    system: System
    plain: System
    accepting: Expression | None
    at_rest: tuple[Variable, ...]
    fairness: tuple[Fairness, ...]
    ignore_finite_runs: bool


def make_product(watched: System, plain: System, fairness: Sequence[Fairness], *, ignore_finite_runs: bool) -> Product:
    """Restrict an observer to fair runs. The conditions speak of the actions of `plain`, which `watched` shares."""
    if watched.observer is None:
        raise UsageError("the model has no property process")
    fair = with_fairness(watched, fairness, ignore_finite_runs=ignore_finite_runs)
    return Product(fair.system, plain, fair.accepting, fair.at_rest, tuple(fairness), ignore_finite_runs)
