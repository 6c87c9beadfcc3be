"""The worked examples of 003, sections 1 and 2."""

from __future__ import annotations

import pytest
from formula_strategies import formula, negated

from strandline.errors import UsageError
from strandline.properties.automata.automaton import Automaton, Edge
from strandline.properties.automata.emptiness import intersects
from strandline.properties.automata.guard import TRUE as ANY
from strandline.properties.automata.guard import literal
from strandline.properties.automata.product import accepts, common_word
from strandline.properties.ltl.formula import Formula, Operator, make
from strandline.properties.ltl.lasso import holds
from strandline.properties.translation.tableau import (
    closure,
    negate,
    tableau_atoms,
    tableau_product,
    to_basic_operators,
    translate_by_tableau,
    untils_of,
)
from strandline.properties.translation.translate import translate
from strandline.properties.word import LassoWord

P, NOT_P = literal(0), literal(0, positive=False)


def accepting(guards: list[tuple[object, int]]) -> tuple[Edge, ...]:
    return tuple(Edge(guard, target, 1) for guard, target in guards)  # type: ignore[arg-type]


def waiting(guards: list[tuple[object, int]]) -> tuple[Edge, ...]:
    return tuple(Edge(guard, target) for guard, target in guards)  # type: ignore[arg-type]


# The automata that the text draws.
ALWAYS_P = Automaton(("p",), (0,), (accepting([(P, 0)]),), 1)
EVENTUALLY_P = Automaton(("p",), (0,), (waiting([(ANY, 0), (P, 1)]), accepting([(ANY, 1)])), 1)
EVENTUALLY_ALWAYS_P = Automaton(("p",), (0,), (waiting([(ANY, 0), (P, 1)]), accepting([(P, 1)])), 1)
INFINITELY_OFTEN_P = Automaton(("p",), (0,), (waiting([(NOT_P, 0), (P, 1)]), accepting([(NOT_P, 0), (P, 1)])), 1)


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("G p", ALWAYS_P),
        ("F p", EVENTUALLY_P),
        ("F G p", EVENTUALLY_ALWAYS_P),
        ("G F p", INFINITELY_OFTEN_P),
    ],
)
def test_the_small_examples(text: str, drawn: Automaton) -> None:
    """Both translations accept exactly what the drawn automaton accepts; the default one is no larger."""
    part = formula(text)
    for automaton, opposite in (
        (translate_by_tableau(part), translate_by_tableau(negated(part))),
        (translate(part), translate(negated(part))),
    ):
        assert not intersects(automaton, opposite)
        assert not intersects(drawn, opposite)
        assert not intersects(automaton, translate(negated(part)))
    assert translate(part).state_count == drawn.state_count
    for loop in (("p",), ()), (("p",),), ((),):
        word = LassoWord((frozenset({"p"}),), tuple(frozenset(letter) for letter in loop))
        assert accepts(drawn, word) is holds(part, word) is accepts(translate(part), word)


def test_the_system_that_violates_always_p_implies_next_eventually_q() -> None:
    """□(P ⇒ ○◇Q) against a system with a run on which Q stops: the product with the negation is not empty."""
    part = formula("G (P -> X F Q)")
    p, q, none = literal(0) & ~literal(1), ~literal(0) & literal(1), ~literal(0) & ~literal(1)
    edges = (waiting([(p, 1), (p, 2)]), waiting([(q, 0)]), waiting([(none, 2)]))
    system = Automaton(("P", "Q"), (0,), edges)
    for method in (translate, translate_by_tableau):
        counterexample = common_word(system, method(negated(part)))
        assert counterexample is not None
        assert not holds(part, counterexample)
        assert accepts(system, counterexample)
    obedient = Automaton(("P", "Q"), (0,), (waiting([(p, 1)]), waiting([(q, 0)])))
    assert not intersects(obedient, translate(negated(part)))
    assert not intersects(obedient, translate_by_tableau(negated(part)))


def test_the_closure_of_not_p_until_q() -> None:
    whole = formula("!p U q")
    expected = {whole, formula("p"), formula("q")}
    assert closure(whole) == expected | set(map(negate, expected))


def test_the_eight_atoms_of_not_p_until_q() -> None:
    whole, p, q = formula("!p U q"), formula("p"), formula("q")
    expected = {
        frozenset({first, second, third})
        for first in (whole, negate(whole))
        for second in (p, negate(p))
        for third in (q, negate(q))
    }
    atoms = tableau_atoms(whole)
    assert len(atoms) == 8
    assert set(atoms) == expected


def may_follow(atom: frozenset[Formula], successor: frozenset[Formula], parts: tuple[Formula, ...]) -> bool:
    """R_L as the text defines it; `parts` are the ○ and U formulas of the closure."""
    for part in parts:
        if part.operator is Operator.NEXT:
            expected = part.operands[0] in successor
        else:
            left, right = part.operands
            expected = right in atom or (left in atom and part in successor)
        if (part in atom) != expected:
            return False
    return True


def is_eventuality_edge(
    obligations: frozenset[Formula], label: frozenset[Formula], successor: frozenset[Formula]
) -> bool:
    """R_E as the text defines it: the label meets the obligations, or the successor has them.

    A state without obligations takes on those of the U formulas in the label.
    """
    owed = obligations or {part for part in label if part.operator is Operator.UNTIL}
    return all(part.operands[1] in label or part in successor for part in owed)


def local_automaton(part: Formula) -> Automaton:
    """P_L: all atoms are states, those with P initial, every state accepting."""
    basic = to_basic_operators(part)
    atoms = tableau_atoms(part)
    parts = tuple(f for f in closure(part) if f.operator in (Operator.NEXT, Operator.UNTIL))
    edges = tuple(
        tuple(
            Edge(literal(0, formula("q") in atom), place)
            for place, other in enumerate(atoms)
            if may_follow(atom, other, parts)
        )
        for atom in atoms
    )
    initial = tuple(place for place, atom in enumerate(atoms) if basic in atom)
    return Automaton(("q",), initial, edges)


def test_the_local_automata_of_eventually_q_and_always_not_q() -> None:
    """The first accepts every run (no safety aspect), the second only runs without q."""
    eventually, never = formula("F q"), negated(formula("F q"))
    with_q, without_q = frozenset({"q"}), frozenset[str]()
    for loop in ((with_q,), (without_q,), (with_q, without_q)):
        word = LassoWord((without_q,), loop)
        assert accepts(local_automaton(eventually), word)
        assert accepts(local_automaton(never), word) is (with_q not in loop)


def test_the_eventuality_automaton_of_eventually_q() -> None:
    until = make(Operator.UNTIL, formula("true"), formula("q"))
    untils = untils_of(formula("F q"))
    assert untils == (until,)
    empty, pending = frozenset[Formula](), frozenset({until})
    assert {obligations for _, obligations in tableau_product(formula("F q"))[1]} == {empty, pending}
    owing = frozenset({until, negate(formula("q"))})
    fulfilled = frozenset({until, formula("q")})
    free = frozenset({negate(until), negate(formula("q"))})
    # With the obligation {P, ¬q} the only step leads to the state that is not accepting.
    assert not is_eventuality_edge(empty, owing, empty)
    assert is_eventuality_edge(empty, owing, pending)
    assert not is_eventuality_edge(pending, owing, empty)
    # Otherwise, and once q is met, the accepting state can be entered.
    for label in (fulfilled, free):
        assert is_eventuality_edge(empty, label, empty)
    assert is_eventuality_edge(pending, fulfilled, empty)


def test_the_product_for_eventually_q() -> None:
    """The text's observations about P_L ⊗ P_E for ◇q, after removing what reaches no accepting state."""
    automaton = translate_by_tableau(formula("F q"))
    assert (automaton.state_count, len(automaton.initial), len(automaton.accepting_states)) == (5, 2, 3)
    # Accepting states have incoming edges labelled q only, but for one loop at a state that is not initial.
    other_entries = [
        (state, edge.target)
        for state, edges in enumerate(automaton.edges)
        for edge in edges
        if edge.target in automaton.accepting_states and edge.guard is not literal(0)
    ]
    assert len(other_entries) == 1
    source, target = other_entries[0]
    assert source == target
    assert target not in automaton.initial
    assert all(edge.guard is literal(0, positive=False) for edge in automaton.edges[target])
    # q in the first state, and q not in the first state.
    assert {automaton.edges[state][0].guard for state in automaton.initial} == {
        literal(0),
        literal(0, positive=False),
    }


def test_the_product_for_always_not_q_is_the_local_automaton() -> None:
    """There is no liveness aspect: as many states as the local automaton has useful ones."""
    automaton, components = tableau_product(negated(formula("F q")))
    assert all(not obligations for _, obligations in components)
    assert automaton.accepting_states == frozenset(state for state, edges in enumerate(automaton.edges) if edges)
    assert translate_by_tableau(negated(formula("F q"))).state_count == 1


def test_a_tableau_that_would_explode_is_refused() -> None:
    with pytest.raises(UsageError, match=r"has 2\^24 atoms"):
        translate_by_tableau(formula(" && ".join(f"F p{number}" for number in range(12))))
