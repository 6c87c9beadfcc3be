"""The reference translation: the tableau of Schreiner's lecture notes (docs/papers.md, 003).

It follows the text closely, so that both can be compared: closure, atoms, local automaton (the safety aspect),
eventuality automaton (the liveness aspect), and their synchronous product, over the operators ¬ ∧ ○ U only. States and
edges are made as they are reached.

The text's definition of the eventuality automaton allows a successor to hold *any* superset of the open
obligations; we take the least one, which is the only one that helps a run to be accepted, and so keep its
size at 2^(number of untils) instead of squaring the product.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from strandline.errors import InternalError, UsageError
from strandline.properties.automata.automaton import Automaton, Edge, merge_parallel
from strandline.properties.automata.guard import Guard, conjunction, literal
from strandline.properties.ltl.formula import (
    TRUE,
    Formula,
    Operator,
    atoms_in_order,
    make,
    rebuild,
    subformulas,
)

MAXIMUM_FREE_PARTS = 11
"""The most propositions, ○ and U formulas of a tableau, which has two to this power of atoms."""

TableauAtom = frozenset[Formula]
"""A maximal propositionally consistent subset of the closure."""


def to_basic_operators(formula: Formula) -> Formula:
    """Rewrite the formula with ¬, ∧, ○ and U only (true stays a constant), without double negations."""
    return rebuild(formula, lambda node, operands: _basic(node.operator, node, operands))


def _basic(operator: Operator, node: Formula, operands: tuple[Formula, ...]) -> Formula:
    match operator:
        case Operator.FALSE:
            return negate(TRUE)
        case Operator.TRUE | Operator.ATOM:
            return node
        case Operator.NOT:
            return negate(operands[0])
        case Operator.AND:
            return _conjoin(*operands)
        case Operator.OR:
            return negate(_conjoin(*map(negate, operands)))
        case Operator.IMPLIES:
            return negate(_conjoin(operands[0], negate(operands[1])))
        case Operator.EQUIVALENT:
            return _equivalent(*operands)
        case Operator.EXCLUSIVE_OR:
            return negate(_equivalent(*operands))
        case Operator.NEXT:
            return make(Operator.NEXT, operands[0])
        case Operator.EVENTUALLY:
            return make(Operator.UNTIL, TRUE, operands[0])
        case Operator.ALWAYS:
            return negate(make(Operator.UNTIL, TRUE, negate(operands[0])))
        case Operator.UNTIL:
            return make(Operator.UNTIL, *operands)
        case Operator.RELEASE:
            return negate(make(Operator.UNTIL, negate(operands[0]), negate(operands[1])))
        case Operator.WEAK_UNTIL:
            left, right = operands
            neither = _conjoin(negate(left), negate(right))
            return negate(make(Operator.UNTIL, negate(right), neither))
        case Operator.STRONG_RELEASE:
            left, right = operands
            return make(Operator.UNTIL, right, _conjoin(left, right))
        case Operator.EXISTS | Operator.ALL:
            raise InternalError("a formula of CTL is no formula of LTL")


def _conjoin(*operands: Formula) -> Formula:
    result = operands[0]
    for operand in operands[1:]:
        result = make(Operator.AND, result, operand)
    return result


def _equivalent(left: Formula, right: Formula) -> Formula:
    return _conjoin(negate(_conjoin(left, negate(right))), negate(_conjoin(right, negate(left))))


def negate(formula: Formula) -> Formula:
    """Return ¬f, with ¬¬f read as f."""
    return formula.operands[0] if formula.operator is Operator.NOT else make(Operator.NOT, formula)


def closure(formula: Formula) -> frozenset[Formula]:
    """Return C(P): the subformulas of P (over the basic operators) and their negations."""
    parts = list(subformulas(to_basic_operators(formula)))
    return frozenset(parts) | frozenset(map(negate, parts))


def tableau_atoms(formula: Formula) -> list[TableauAtom]:
    """Return P_K: the subsets of the closure without propositional contradiction, with f or ¬f for every f."""
    basic = to_basic_operators(formula)
    positive = [part for part in subformulas(basic) if part.operator is not Operator.NOT]
    free = [part for part in positive if part.operator not in (Operator.AND, Operator.TRUE)]
    if len(free) > MAXIMUM_FREE_PARTS:
        raise UsageError(
            f"the tableau of this formula has 2^{len(free)} atoms, more than 2^{MAXIMUM_FREE_PARTS}; "
            "use the default translation"
        )
    return [_complete(positive, dict(zip(free, choice, strict=True))) for choice in _choices(len(free))]


def _choices(count: int) -> Iterator[tuple[bool, ...]]:
    return product((True, False), repeat=count)


def _complete(positive: list[Formula], value: dict[Formula, bool]) -> TableauAtom:
    """Return the atom in which propositions, ○ and U formulas have these truth values."""

    def member(part: Formula) -> bool:
        return not value[part.operands[0]] if part.operator is Operator.NOT else value[part]

    for part in positive:
        if part.operator is Operator.TRUE:
            value[part] = True
        elif part.operator is Operator.AND:
            value[part] = all(member(operand) for operand in part.operands)
    return frozenset(part if value[part] else negate(part) for part in positive)


def untils_of(formula: Formula) -> tuple[Formula, ...]:
    """Return the U formulas of the closure, operands first."""
    return tuple(part for part in subformulas(to_basic_operators(formula)) if part.operator is Operator.UNTIL)


def _local_edges(local_atoms: list[TableauAtom], parts: tuple[Formula, ...]) -> dict[TableauAtom, list[TableauAtom]]:
    """Return R_L, the edges of the local automaton, as lists of successors; atoms with equal demands share one."""
    shared: dict[tuple[tuple[Formula, bool], ...], list[TableauAtom]] = {}
    edges: dict[TableauAtom, list[TableauAtom]] = {}
    for atom in local_atoms:
        demands = _demands(atom, parts)
        if demands is None:
            edges[atom] = []
            continue
        if demands not in shared:
            shared[demands] = [
                other for other in local_atoms if all((part in other) == wanted for part, wanted in demands)
            ]
        edges[atom] = shared[demands]
    return edges


def _demands(atom: TableauAtom, parts: tuple[Formula, ...]) -> tuple[tuple[Formula, bool], ...] | None:
    """Return the demands of R_L on the successors of an atom: formulas, with True if it demands them, else False.

    Returns None if the demands are contradictory: `atom` has no successor.
    """
    demands = []
    for part in parts:
        if part.operator is Operator.NEXT:
            demands.append((part.operands[0], part in atom))
            continue
        left, right = part.operands
        if right not in atom and left in atom:
            demands.append((part, part in atom))
        elif (right in atom) != (part in atom):
            return None
    return tuple(demands)


def _open_obligations(
    obligations: frozenset[Formula], label: TableauAtom, untils: tuple[Formula, ...]
) -> frozenset[Formula]:
    wanted = obligations if obligations else frozenset(part for part in untils if part in label)
    return frozenset(part for part in wanted if part.operands[1] not in label)


def tableau_product(formula: Formula) -> tuple[Automaton, list[tuple[TableauAtom, frozenset[Formula]]]]:
    """Return P_L ⊗ P_E, with labels reduced to propositions, and the two components of each state.

    State-based Büchi: a state is accepting if no obligation is open in it.
    """
    atoms = atoms_in_order(formula)
    basic = to_basic_operators(formula)
    untils = untils_of(formula)
    parts = tuple(part for part in subformulas(basic) if part.operator in (Operator.NEXT, Operator.UNTIL))
    local_atoms = tableau_atoms(formula)
    local_edges = _local_edges(local_atoms, parts)
    states = [(atom, frozenset[Formula]()) for atom in local_atoms if basic in atom]
    number = {state: place for place, state in enumerate(states)}
    initial = tuple(range(len(states)))
    edges: list[tuple[Edge, ...]] = []
    for atom, obligations in states:
        outgoing = []
        label = _label(atom, atoms)
        left = _open_obligations(obligations, atom, untils)
        for successor in local_edges[atom]:
            state = (successor, left)
            if state not in number:
                number[state] = len(states)
                states.append(state)
            outgoing.append(Edge(label, number[state], 0 if obligations else 1))
        edges.append(merge_parallel(outgoing))
    texts = {part: str(part) for part in closure(formula)}
    names = tuple(_state_name(atom, obligations, texts) for atom, obligations in states)
    return Automaton(atoms, initial, tuple(edges), 1, names), states


def translate_by_tableau(formula: Formula) -> Automaton:
    """Return the product without the states from which no accepting cycle can be reached."""
    from strandline.properties.automata.trimming import trim

    return trim(tableau_product(formula)[0])


def _label(atom: TableauAtom, atoms: tuple[str, ...]) -> Guard:
    held = {part.name for part in atom if part.operator is Operator.ATOM}
    return conjunction(literal(place, name in held) for place, name in enumerate(atoms))


def _state_name(atom: TableauAtom, obligations: frozenset[Formula], texts: dict[Formula, str]) -> str:
    """Return a readable name: the formulas of the atom and, behind a bar, the open obligations."""
    members = ", ".join(sorted(texts[part] for part in atom if part is not TRUE))
    open_ones = ", ".join(sorted(texts[part] for part in obligations))
    return f"{members} | {open_ones}" if obligations else members
