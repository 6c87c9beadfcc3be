"""Guards, products, reductions and complements."""

from __future__ import annotations

import pickle
from itertools import product as pairs

import pytest
from formula_strategies import formula, formulas, negated, words
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from strandline.errors import ResourceError
from strandline.properties.automata import complement as complement_module
from strandline.properties.automata.automaton import Automaton, Edge, merge_parallel, with_atoms
from strandline.properties.automata.comparison import Relation, compare, compare_with_formula
from strandline.properties.automata.complement import complement
from strandline.properties.automata.components import components, is_weak_component
from strandline.properties.automata.degeneralise import degeneralise
from strandline.properties.automata.emptiness import intersects
from strandline.properties.automata.guard import (
    FALSE,
    TRUE,
    Cube,
    Guard,
    conjunction,
    disjunction,
    guard_text,
    literal,
    partition,
)
from strandline.properties.automata.merging import merge_states
from strandline.properties.automata.obligation import is_exact, weak_deterministic
from strandline.properties.automata.product import accepted_word, accepts, product
from strandline.properties.automata.simulation import reduce_by_bisimulation, reduce_by_simulation
from strandline.properties.automata.trimming import simplify_acceptance, trim
from strandline.properties.ltl.formula import Formula
from strandline.properties.ltl.lasso import holds
from strandline.properties.translation.translate import generalised_pair, translate
from strandline.properties.word import LassoWord

LETTERS = range(8)


def cube_guard(cube: Cube) -> Guard:
    """The guard of one cube."""
    positive, negative = cube
    return conjunction(literal(i, bool(positive >> i & 1)) for i in range(3) if (positive | negative) >> i & 1)


def guards() -> st.SearchStrategy[Guard]:
    """Boolean functions of three propositions, by their truth tables."""
    return st.integers(0, 255).map(
        lambda table: disjunction(cube_guard((letter, 7 & ~letter)) for letter in LETTERS if table >> letter & 1)
    )


def table(guard: Guard) -> int:
    return sum(1 << letter for letter in LETTERS if guard.holds(letter))


@given(guards(), guards())
def test_guards_are_their_truth_tables(left: Guard, right: Guard) -> None:
    assert table(left & right) == table(left) & table(right)
    assert table(left | right) == table(left) | table(right)
    assert table(~left) == 255 & ~table(left)
    assert (left is right) == (table(left) == table(right))
    assert left.implies(right) == (table(left) & ~table(right) == 0)
    assert left.meets(right) == (table(left) & table(right) != 0)


@given(guards())
def test_cubes_cover_exactly(guard: Guard) -> None:
    cubes = guard.cubes()
    assert disjunction(map(cube_guard, cubes)) is guard
    for cube in cubes:
        assert disjunction(cube_guard(other) for other in cubes if other != cube) is not guard
    if guard is not FALSE:
        assert guard.holds(guard.letter())


@given(guards(), st.permutations(range(3)))
def test_renumbering_and_pickling(guard: Guard, order: list[int]) -> None:
    there = dict(enumerate(order))
    back = {new: old for old, new in there.items()}
    assert guard.renumber(there).renumber(back) is guard
    assert pickle.loads(pickle.dumps(guard)) is guard


@given(st.lists(guards(), max_size=4))
def test_a_partition_splits_all_letters(given_guards: list[Guard]) -> None:
    parts = partition(given_guards)
    assert disjunction(parts) is TRUE
    for first, second in pairs(parts, parts):
        assert first is second or not first.meets(second)
    for guard in given_guards:
        assert all(part.implies(guard) or not part.meets(guard) for part in parts)


def test_guards_have_no_truth_value_and_a_text() -> None:
    with pytest.raises(TypeError, match="compare a guard"):
        bool(TRUE)
    exclusive = (literal(0) & ~literal(1)) | (~literal(0) & literal(1))
    assert guard_text(exclusive, "pq".__getitem__) in ("(p && !q) || (!p && q)", "(!p && q) || (p && !q)")
    assert guard_text(FALSE, str) == "false"


@st.composite
def automata(draw: st.DrawFn, sets: int | None = None) -> Automaton:
    """Small random automata over two propositions."""
    count = draw(st.integers(1, 4))
    acceptance = draw(st.integers(0, 2)) if sets is None else sets
    edge = st.builds(
        Edge,
        st.sampled_from([TRUE, literal(0), ~literal(0), literal(1), ~literal(1), literal(0) & ~literal(1)]),
        st.integers(0, count - 1),
        st.integers(0, (1 << acceptance) - 1),
    )
    edges = tuple(merge_parallel(draw(st.lists(edge, max_size=3))) for _ in range(count))
    return Automaton(("p", "q"), (0,), edges, acceptance)


Node = tuple[int, int]
Path = tuple[Node, Node, int]


def brute_force_accepts(automaton: Automaton, word: LassoWord) -> bool:
    """Look for a reachable cycle with all marks in the graph of (position, state), by plain closure."""
    names = list(enumerate(automaton.atoms))
    letters = [sum(1 << place for place, name in names if name in letter) for letter in word.letters]
    steps: set[Path] = {
        ((position, state), (word.successor(position), edge.target), edge.marks)
        for position in range(len(letters))
        for state, edges in enumerate(automaton.edges)
        for edge in edges
        if edge.guard.holds(letters[position])
    }
    paths = longer = steps
    while longer:
        longer = {
            (first, last, marks | more)
            for first, middle, marks in longer
            for other, last, more in steps
            if middle == other
        } - paths
        paths = paths | longer
    starts = {(0, state) for state in automaton.initial}
    reachable = starts | {last for first, last, _ in paths if first in starts}
    return any(first == last and marks == automaton.all_marks and first in reachable for first, last, marks in paths)


@given(automata(), words())
@settings(max_examples=150, deadline=None)
def test_acceptance_is_what_the_definition_says(automaton: Automaton, word: LassoWord) -> None:
    assert accepts(automaton, word) is brute_force_accepts(automaton, word)


@given(automata(), words())
@settings(max_examples=200, deadline=None)
def test_reductions_keep_the_language(automaton: Automaton, word: LassoWord) -> None:
    expected = accepts(automaton, word)
    assert accepts(trim(automaton), word) is expected
    assert accepts(simplify_acceptance(automaton), word) is expected
    assert accepts(reduce_by_bisimulation(automaton), word) is expected
    assert accepts(reduce_by_simulation(automaton), word) is expected
    for split in degeneralise(automaton):
        assert split.is_state_based
        assert accepts(split, word) is expected
        reduced = reduce_by_simulation(split, keep_state_based=True)
        assert reduced.is_state_based
        assert accepts(reduced, word) is expected


@given(automata(), automata(), words())
@settings(max_examples=100, deadline=None)
def test_products(left: Automaton, right: Automaton, word: LassoWord) -> None:
    both = accepts(left, word) and accepts(right, word)
    assert accepts(product(left, right), word) is both
    witness = accepted_word(product(left, right))
    assert intersects(left, right) is (witness is not None)
    if witness is not None:
        assert accepts(left, witness)
        assert accepts(right, witness)


@given(automata(), words())
@settings(max_examples=100, deadline=None)
def test_complements(automaton: Automaton, word: LassoWord) -> None:
    opposite = complement(automaton)
    assert accepts(opposite, word) is not accepts(automaton, word)
    assert not intersects(automaton, opposite)


@given(formulas(max_leaves=3), formulas(max_leaves=3))
@settings(max_examples=60, deadline=None)
def test_comparison_of_formulas(left: Formula, right: Formula) -> None:
    comparison = compare(translate(left), translate(right))
    only_left = not intersects(translate(left), translate(negated(right)))
    only_right = not intersects(translate(right), translate(negated(left)))
    assert (comparison.only_left is None, comparison.only_right is None) == (only_left, only_right)
    if comparison.only_left is not None:
        assert holds(left, comparison.only_left)
        assert not holds(right, comparison.only_left)
    assert compare_with_formula(*generalised_pair(left), translate(right)).relation is comparison.relation


def test_the_four_relations() -> None:
    always, eventually, other = (translate(formula(text)) for text in ("G p", "F p", "G q"))
    assert compare(always, always).relation is Relation.EQUAL
    assert compare(always, eventually).relation is Relation.LEFT_SMALLER
    assert compare(eventually, always).relation is Relation.RIGHT_SMALLER
    assert compare(always, other).relation is Relation.INCOMPARABLE


def test_a_complement_that_grows_too_large_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(complement_module, "MAXIMUM_STATES", 5)
    with pytest.raises(ResourceError, match="more than 5 states"):
        complement(translate(formula("G F p -> G F q")))


@given(formulas(max_leaves=4))
@settings(max_examples=80, deadline=None)
def test_merging_keeps_the_language(part: Formula) -> None:
    positive, negative = generalised_pair(part)
    for split in degeneralise(positive):
        merged = merge_states(split, negative)
        assert merged.state_count <= split.state_count
        assert merged.is_state_based
        assert not intersects(merged, negative)
        assert not intersects(positive, translate(negated(part)))
        witness = accepted_word(product(split, complement(merged))) if merged.state_count <= 3 else None
        assert witness is None


@given(formulas(max_leaves=4), words())
@settings(max_examples=80, deadline=None)
def test_minimal_weak_automata_are_exact_when_they_say_so(part: Formula, word: LassoWord) -> None:
    positive, negative = generalised_pair(part)
    weak = weak_deterministic(positive, lambda lasso: holds(part, lasso))
    assert weak is not None
    assert weak.is_deterministic
    assert weak.is_complete
    assume(is_exact(weak, positive, negative))
    assert accepts(weak, word) is holds(part, word)


@pytest.mark.parametrize(("text", "states"), [("G p", 2), ("F p", 2), ("p U q", 3), ("G p || F q", 3), ("true", 1)])
def test_minimal_weak_automata_have_the_known_sizes(text: str, states: int) -> None:
    positive, negative = generalised_pair(formula(text))
    weak = weak_deterministic(positive, lambda lasso: holds(formula(text), lasso))
    assert weak is not None
    assert is_exact(weak, positive, negative)
    assert weak.state_count == states


def test_response_is_no_obligation() -> None:
    positive, negative = generalised_pair(formula("G (p -> F q)"))
    weak = weak_deterministic(positive, lambda lasso: holds(formula("G (p -> F q)"), lasso))
    assert weak is not None
    assert not is_exact(weak, positive, negative)


def test_components_and_weakness() -> None:
    automaton = translate(formula("F G p"))
    parts = components(automaton)
    assert [parts.accepting(automaton)[number] for number in (parts.of[1], parts.of[0])] == [True, False]
    assert is_weak_component(automaton, parts, parts.of[1])
    recurrent = translate(formula("G F p"))
    whole = components(recurrent)
    assert len(whole.members) == 1
    assert not is_weak_component(recurrent, whole, 0)


def test_atoms_can_be_added_and_reordered() -> None:
    automaton = translate(formula("p U q"))
    wider = with_atoms(automaton, ("z", "q", "p"))
    word = LassoWord((frozenset({"p"}), frozenset({"q", "z"})), (frozenset(),))
    assert accepts(wider, word)
    assert not accepts(wider, LassoWord((), (frozenset({"z"}),)))
