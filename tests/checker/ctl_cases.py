"""Random systems with random formulas of CTL, and what the answer must be.

The oracle works on sets of states of the interpreter's graph: least fixpoints by adding until nothing changes, and EG
by the components of what is left when all other states are taken away. It shares no algorithm with what it judges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from ltl_cases import LtlCase, LtlGenerator, SystemGraph, Unsuitable, components_of, graph_of

from strandline.checker.options.temporal import IGNORE, MAXIMAL, STUTTER
from strandline.checker.properties.ctl_formula import CtlFormula
from strandline.compile.interpret import Valuation
from strandline.model.expression import Expression
from strandline.model.system import Fairness, System
from strandline.properties import Formula
from strandline.properties.ltl.formula import FALSE, TRUE, Operator, atom, atoms_of, make
from strandline.source import Source

States = frozenset[Valuation]
PATHS = (Operator.NEXT, Operator.EVENTUALLY, Operator.ALWAYS)
PAIRS = (Operator.UNTIL, Operator.RELEASE, Operator.WEAK_UNTIL, Operator.STRONG_RELEASE)
BOOLEAN = (Operator.AND, Operator.OR, Operator.IMPLIES, Operator.EQUIVALENT, Operator.EXCLUSIVE_OR)
QUANTIFIERS = (Operator.EXISTS, Operator.ALL)
UNTIL_LIKE = (Operator.UNTIL, Operator.WEAK_UNTIL)


@dataclass(frozen=True)
class CtlCase:
    """A System, a formula over it, and which paths count."""

    system: System
    formula: Formula
    atoms: dict[str, Expression]
    fairness: tuple[Fairness, ...]
    finite_runs: str

    def bound(self) -> CtlFormula:
        return CtlFormula(self.formula, self.atoms, Source("formula", str(self.formula)))

    def declared(self) -> System:
        return replace(self.system, fairness=self.fairness)


class CtlGenerator(LtlGenerator):
    def tree(self, size: int) -> Formula:
        if size <= 1:
            return self.pick([atom("p"), atom("q"), atom("p"), atom("q"), TRUE, FALSE])
        if self.chance(0.15):
            return make(Operator.NOT, self.tree(size - 1))
        left = self.random.randint(1, max(1, size - 2))
        if size > 2 and self.chance(0.3):
            return make(self.pick(BOOLEAN), self.tree(left), self.tree(size - 1 - left))
        if size > 2 and self.chance(0.5):
            path = make(self.pick(PAIRS), self.tree(left), self.tree(size - 1 - left))
        else:
            path = make(self.pick(PATHS), self.tree(size - 1))
        return make(self.pick(QUANTIFIERS), path)

    def common(self, size: int) -> Formula:
        """A formula that says the same in CTL and, without its quantifiers, in LTL: M. Maidl's deterministic fragment
        ("The common fragment of CTL and LTL", 2000), in which a proposition tells at each place which part counts."""
        if size <= 1:
            return self.pick([atom("p"), atom("q"), make(Operator.NOT, atom("p")), make(Operator.NOT, atom("q"))])
        if self.chance(0.25):
            return make(Operator.ALL, make(Operator.NEXT, self.common(size - 1)))
        if self.chance(0.2):
            return make(Operator.AND, self.common(size // 2), self.common(size // 2))
        chosen = atom(self.pick(["p", "q"]))
        here = make(Operator.AND, chosen, self.common(size // 2))
        there = make(Operator.AND, make(Operator.NOT, chosen), self.common(size // 2))
        if self.chance(0.3):
            return make(Operator.OR, here, there)
        return make(Operator.ALL, make(self.pick(UNTIL_LIKE), here, there))

    def ctl_case(self, common: bool = False) -> CtlCase:
        base = self.ltl_case()
        formula = (self.common if common else self.tree)(self.random.randint(2, 9))
        atoms = {name: self.guard() or self.expression(2) for name in atoms_of(formula)}
        finite_runs = self.pick([STUTTER, STUTTER, IGNORE] if common else [STUTTER, STUTTER, IGNORE, MAXIMAL])
        weak = tuple(one for one in base.fairness if not one.strong)
        return CtlCase(base.system, formula, atoms, weak, finite_runs)


def linear_reading(node: Formula) -> Formula:
    """A formula of the common fragment without its quantifiers."""
    operands = [linear_reading(one) for one in node.operands]
    if node.operator in QUANTIFIERS:
        return operands[0]
    return make(node.operator, *operands) if operands else node


def suitable_case(random: Random, common: bool = False) -> tuple[CtlCase, SystemGraph] | None:
    """A random case with its graph, on demand of the fragment that CTL and LTL have in common; None where it is too
    large or faults."""
    case = CtlGenerator(random, wild=0.0).ctl_case(common)
    try:
        return case, graph_of(LtlCase(case.system, TRUE, case.atoms, case.fairness, False))
    except Unsuitable:
        return None


class Oracle:
    """The sets of states that satisfy formulas."""

    def __init__(self, case: CtlCase, graph: SystemGraph) -> None:
        self.case, self.graph = case, graph
        self.all: States = frozenset(graph.steps)
        self.fair = self.staying(self.all)

    def holds(self) -> bool:
        return set(self.graph.initial) <= self.satisfying(self.case.formula)

    def satisfying(self, node: Formula) -> States:
        if node.operator in QUANTIFIERS:
            path = node.operands[0]
            operands = [self.satisfying(one) for one in path.operands]
            if node.operator is Operator.EXISTS:
                return self.some_path(path.operator, *operands)
            return self.all_paths(path.operator, *operands)
        operands = [self.satisfying(one) for one in node.operands]
        match node.operator:
            case Operator.TRUE:
                return self.all
            case Operator.FALSE:
                return frozenset()
            case Operator.ATOM:
                return frozenset(state for state in self.all if node.name in self.graph.letters[state])
            case Operator.NOT:
                return self.all - operands[0]
            case Operator.AND:
                return operands[0] & operands[1]
            case Operator.OR:
                return operands[0] | operands[1]
            case Operator.IMPLIES:
                return (self.all - operands[0]) | operands[1]
        different = operands[0] ^ operands[1]
        return different if node.operator is Operator.EXCLUSIVE_OR else self.all - different

    def some_path(self, operator: Operator, first: States, second: States = frozenset()) -> States:
        match operator:
            case Operator.NEXT:
                return frozenset(state for state in self.all if self.next_of(state) & first & self.fair)
            case Operator.EVENTUALLY:
                return self.reaching(self.all, first)
            case Operator.ALWAYS:
                return self.staying(first)
            case Operator.UNTIL:
                return self.reaching(first, second)
            case Operator.WEAK_UNTIL:
                return self.reaching(first, second) | self.staying(first)
            case Operator.RELEASE:
                return self.reaching(second, first & second) | self.staying(second)
        return self.reaching(second, first & second)

    def all_paths(self, operator: Operator, first: States, second: States = frozenset()) -> States:
        """Return the states in which no path violates a path formula."""
        first, second = self.all - first, self.all - second
        violating = {
            Operator.NEXT: lambda: self.some_path(Operator.NEXT, first),
            Operator.EVENTUALLY: lambda: self.staying(first),
            Operator.ALWAYS: lambda: self.reaching(self.all, first),
            # Neither has held while the second had not.
            Operator.UNTIL: lambda: self.reaching(second, first & second) | self.staying(second),
            Operator.WEAK_UNTIL: lambda: self.reaching(second, first & second),
            # The second fails before or when the first holds for the first time.
            Operator.RELEASE: lambda: self.reaching(first, second),
            Operator.STRONG_RELEASE: lambda: self.reaching(first, second) | self.staying(first),
        }
        return self.all - violating[operator]()

    def next_of(self, state: Valuation) -> States:
        if state in self.graph.deadlocks and self.case.finite_runs != STUTTER:
            return frozenset()
        return frozenset(target for target, _ in self.graph.steps[state])

    def reaching(self, through: States, goal: States) -> States:
        found = set(goal & self.fair)
        while True:
            more = {state for state in through - found if any(target in found for target, _ in self.graph.steps[state])}
            if not more:
                return frozenset(found)
            found |= more

    def staying(self, inside: States) -> States:
        """From where a path that counts stays inside: it ends up in a component that meets every condition."""
        edges = {state: [one for one, _ in self.graph.steps[state] if one in inside] for state in inside}
        good: set[Valuation] = set()
        for members in components_of(edges):
            if self.can_be_home(set(members)):
                good |= set(members)
        while True:
            more = {state for state in inside - good if any(target in good for target in edges[state])}
            if not more:
                return frozenset(good)
            good |= more

    def can_be_home(self, members: set[Valuation]) -> bool:
        dead = members <= self.graph.deadlocks
        if dead and self.case.finite_runs == IGNORE:
            return False
        inner = [actions for one in members for target, actions in self.graph.steps[one] if target in members]
        return bool(inner) and all(
            self.is_met(members, inner, number, one) for number, one in enumerate(self.case.fairness)
        )

    def is_met(self, members: set[Valuation], inner: Sequence[Sequence[object]], number: int, one: Fairness) -> bool:
        if any(self.graph.met[state][number] for state in members):
            return True
        chosen = {id(action) for action in one.actions}
        return any(id(action) in chosen for actions in inner for action in actions)
