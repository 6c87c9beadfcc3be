"""Translation of LTL to Büchi automata: the methods by name, and the pipeline of the default one.

Default: simplify the formula; translate on the fly to a generalised automaton; remove useless states, simplify
acceptance, reduce by simulation; make it state-based where asked; for obligations compare with the minimal
weak deterministic automaton; finally merge states that the automaton of the negated formula allows to
merge.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache

from strandline.errors import UsageError
from strandline.properties.automata.automaton import Automaton
from strandline.properties.automata.degeneralise import degeneralise
from strandline.properties.automata.emptiness import intersects
from strandline.properties.automata.guard import MAXIMUM_ATOMS
from strandline.properties.automata.merging import merge_states
from strandline.properties.automata.obligation import is_exact, weak_deterministic
from strandline.properties.automata.simulation import reduce_by_simulation
from strandline.properties.automata.trimming import simplify_acceptance, trim
from strandline.properties.effort import TranslationTooLarge, work_limit
from strandline.properties.ltl.formula import Formula, Operator, atoms_in_order, make
from strandline.properties.ltl.lasso import holds
from strandline.properties.ltl.simplify import simplify
from strandline.properties.translation.generalised import translate_to_generalised
from strandline.properties.translation.tableau import translate_by_tableau

MAXIMUM_PAIR_EDGES = 1500
"""The most edges of each of the automata of a formula and its negation; beyond it only one is built."""
MOST_EFFORT_FOR_PAIR, MOST_EFFORT_FOR_REDUCTION, MOST_EFFORT = 400_000, 200_000, 1_000_000
"""Work budgets (see `effort`) for both automata together, for one reduction, and for one automaton alone.

The most that one of the formulas in bench/formulas takes is 170,000.
"""


class Method(Enum):
    """The translations that can be chosen."""

    DEFAULT = "default"
    TABLEAU = "tableau"


class Acceptance(Enum):
    """The kinds of acceptance of a translated automaton."""

    STATE = "state"
    """Büchi with accepting states, as searches for accepting cycles need it."""
    GENERALISED = "generalised"
    """Transition-based, any number of acceptance sets: usually smaller."""


def translate(
    formula: Formula, *, method: Method = Method.DEFAULT, acceptance: Acceptance = Acceptance.STATE
) -> Automaton:
    """Return an automaton that accepts exactly the words that satisfy the formula.

    Its atoms are those of the formula in their order, even if simplification made some irrelevant. The tableau is
    always state-based. Raises `TranslationTooLarge` if it is too much work.
    """
    if method is Method.TABLEAU:
        return translate_by_tableau(formula)
    try:
        with work_limit(MOST_EFFORT_FOR_PAIR):
            positive, negative = generalised_pair(formula)
            if acceptance is Acceptance.GENERALISED:
                return positive
            return to_state_based(formula, positive, negative)
    except TranslationTooLarge:
        return _translate_alone(formula, acceptance)


def translate_negation(formula: Formula) -> Automaton:
    """Return a state-based automaton that accepts exactly the words that violate the formula.

    Raises as `translate` does.
    """
    try:
        with work_limit(MOST_EFFORT_FOR_PAIR):
            positive, negative = generalised_pair(formula)
            return to_state_based(formula, negative, positive, negated=True)
    except TranslationTooLarge:
        return _translate_alone(make(Operator.NOT, formula), Acceptance.STATE)


def _translate_alone(formula: Formula, acceptance: Acceptance) -> Automaton:
    """Translate without the help of the negation, because one of the two automata is too large."""
    with work_limit(MOST_EFFORT):
        raw = translate_to_generalised(simplify(formula), atoms_in_order(formula), rewrite=False)
        automaton = simplify_acceptance(_reduce(simplify_acceptance(trim(raw))))
        if acceptance is Acceptance.GENERALISED:
            return automaton
        return _reduce(degeneralise(automaton)[0], keep_state_based=True)


def _reduce(automaton: Automaton, *, keep_state_based: bool = False) -> Automaton:
    """Return the automaton reduced, or unchanged if that would be too much work."""
    try:
        with work_limit(MOST_EFFORT_FOR_REDUCTION):
            return reduce_by_simulation(automaton, keep_state_based=keep_state_based)
    except TranslationTooLarge:
        return automaton


@lru_cache(maxsize=32)
def generalised_pair(formula: Formula) -> tuple[Automaton, Automaton]:
    """Return reduced generalised automata of the formula and of its negation.

    Translation with rewriting never loses a word, so the two are exact if and only if no word is in both; in the rare
    other case they are built again without rewriting. Raises `TranslationTooLarge` (a `ResourceError`) if one of them
    has more than `MAXIMUM_PAIR_EDGES` edges.
    """
    atoms = atoms_in_order(formula)
    if len(atoms) > MAXIMUM_ATOMS:
        raise UsageError(
            f"the formula has more than {MAXIMUM_ATOMS} atomic propositions; a condition in braces is one: {{a and b}}"
        )
    forms = simplify(formula), simplify(formula, negated=True)
    bound = MAXIMUM_PAIR_EDGES
    positive, negative = (_translate_generalised(form, atoms, rewrite=True, bound=bound) for form in forms)
    if intersects(positive, negative):
        positive, negative = (_translate_generalised(form, atoms, rewrite=False, bound=bound) for form in forms)
    return positive, negative


def _translate_generalised(formula: Formula, atoms: tuple[str, ...], *, rewrite: bool, bound: int) -> Automaton:
    raw = translate_to_generalised(formula, atoms, rewrite=rewrite, maximum_edges=bound)
    automaton = simplify_acceptance(trim(raw))
    return simplify_acceptance(reduce_by_simulation(automaton))


def to_state_based(formula: Formula, positive: Automaton, negative: Automaton, *, negated: bool = False) -> Automaton:
    """Return the smallest state-based automaton found for the language of `positive`.

    `negative` accepts the complement; the language is that of `formula`, or of its negation if `negated`.
    """
    candidates = [reduce_by_simulation(split, keep_state_based=True) for split in degeneralise(positive)[:3]]
    weak = weak_deterministic(positive, lambda word: holds(formula, word) != negated)
    if weak is not None and is_exact(weak, positive, negative):
        candidates.append(trim(weak))
    candidates.sort(key=_size)
    merged = [
        reduce_by_simulation(merge_states(candidate, negative), keep_state_based=True) for candidate in candidates[:2]
    ]
    return min(merged, key=_size)


def _size(automaton: Automaton) -> tuple[int, int]:
    return automaton.state_count, automaton.edge_count
