"""The product to be searched: a System with an automaton as its observer, and fairness as a counter.

The letter read on a step is that of the state which the step leaves (the source convention, as in DVE), and at a
deadlock the observer steps alone: a run that ends stays in its last state for ever.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from strandline.compile.kernel import ACCEPTING_BIT
from strandline.errors import UsageError
from strandline.model.expression import FALSE, TRUE, Choice, Const, Expression, Read
from strandline.model.system import Action, Assign, Domain, Fairness, Move, Observer, System, Variable
from strandline.properties import Automaton
from strandline.properties.automata import guard as guards
from strandline.properties.automata.guard import Guard
from strandline.transform.fairness import with_fairness

AUTOMATON = "(automaton)"
"""The name of an observer made of an automaton; no language allows it as a name, so it is unique."""


@dataclass(frozen=True, slots=True, eq=False)
class Watched:
    """A System with an observer, and the size of the observer's automaton."""

    system: System
    states: int
    edges: int


def put_beside(plain: System, automaton: Automaton, atoms: Mapping[str, Expression]) -> Watched:
    """Make the product of a System and a state-based automaton whose propositions are `atoms`."""
    return Watched(with_observer(plain, automaton, atoms), automaton.state_count, automaton.edge_count)


def with_observer(system: System, automaton: Automaton, atoms: Mapping[str, Expression]) -> System:
    """Replace a System's observer, if it has one, by a state-based automaton."""
    names = tuple(f"q{state}" for state in range(automaton.state_count))
    location = Variable(
        AUTOMATON, Domain(0, automaton.state_count - 1), None, (automaton.initial[0],), names, AUTOMATON
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
    plain = system.alone
    return replace(
        plain,
        variables=(*plain.variables, location),
        observer=Observer(AUTOMATON, location, edges, automaton.accepting_states, beside=plain),
        initial=tuple((*state, start) for start in automaton.initial for state in plain.initial),
    )


def guard_expression(guard: Guard, atoms: Sequence[Expression]) -> Expression:
    """Return a guard, a decision diagram over the atoms, as an expression.

    Each atom is evaluated at most once, and only if it makes a difference.
    """
    made: dict[Guard, Expression] = {guards.TRUE: TRUE, guards.FALSE: FALSE}

    def expression(node: Guard) -> Expression:
        if node not in made:
            made[node] = Choice(atoms[node.atom], expression(node.high), expression(node.low))
        return made[node]

    return expression(guard)


@dataclass(frozen=True, slots=True, eq=False)
class Product:
    """A System with its observer and its acceptance condition.

    A state is accepting where `accepting` is true: the observer is at an accepting location and the variables
    `at_rest`, which restrict it to fair runs, are 0. If `accepting` is None, there are no such variables, and the
    location decides alone. `plain` is the user's System.
    """

    system: System
    plain: System
    accepting: Expression | None
    at_rest: tuple[Variable, ...]
    fairness: tuple[Fairness, ...]
    ignore_finite_runs: bool

    @property
    def predicates(self) -> list[Expression]:
        """Return the predicates that the Kernel evaluates: the acceptance condition; none if the location decides."""
        return [] if self.accepting is None else [self.accepting]

    @property
    def accepting_label(self) -> int:
        """The bit in a state's labels that marks accepting states."""
        return 1 << ACCEPTING_BIT if self.accepting is None else 1


def make_product(watched: System, plain: System, fairness: Sequence[Fairness], *, ignore_finite_runs: bool) -> Product:
    """Return the product of `plain` and its observer, restricted to fair runs.

    `watched` is the System with the observer; it shares the actions of `plain`, to which the conditions refer. Raises
    `UsageError` if it has no observer.
    """
    if watched.observer is None:
        raise UsageError("the model has no property process")
    fair = with_fairness(watched, fairness, ignore_finite_runs=ignore_finite_runs)
    return Product(fair.system, plain, fair.accepting, fair.at_rest, tuple(fairness), ignore_finite_runs)
