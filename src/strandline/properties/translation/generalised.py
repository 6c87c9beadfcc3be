"""Translation of LTL to generalised Büchi automata, on the fly: states are formulas, edges their expansions.

Couvreur's construction (1999) with its later refinements. There is one acceptance set per promise: an edge
is in the set unless it makes the promise. An edge is dropped for the letters for which another edge leads
to a weaker formula with no more promises, and formulas with the same expansion are one state.

Why dropping is allowed: take a word that satisfies the formula and always choose an edge whose destination
the rest of the word satisfies and which promises g only if g will come true and does not hold now. Such an
edge exists in the full expansion, and an edge that replaces it has the same two properties. No promise can
be made for ever on this run, so it is accepting. Dropping edges adds no word.

With `rewrite`, the formula of a destination is simplified as a whole. By the same argument no word is lost;
but words may be *added*: if `F p` is dropped because another formula of the destination implies it, that
one may in turn rely on the `F p` it will leave behind, and the promise is never kept. A caller who rewrites
must compare with the automaton of the negated formula (`translate.generalised_pair` does).
"""

from __future__ import annotations

from dataclasses import dataclass

from strandline.properties.automata import guard as guards
from strandline.properties.automata.automaton import Automaton, Edge, merge_parallel
from strandline.properties.automata.guard import Guard
from strandline.properties.effort import TranslationTooLarge, check_limits
from strandline.properties.ltl.build import conjoin, order
from strandline.properties.ltl.formula import FALSE, TRUE, Formula, Operator, make
from strandline.properties.translation.expansion import Expander, Rest, destination_is_easier

MAXIMUM_COMPARED_STEPS = 150
"""The most steps of one state that are compared with each other."""


@dataclass(frozen=True, slots=True)
class _Step:
    guard: Guard
    destination: Formula
    promises: frozenset[Formula]


def translate_to_generalised(
    formula: Formula, atoms: tuple[str, ...], *, rewrite: bool, maximum_edges: int | None = None
) -> Automaton:
    """Translate a simplified formula in negation normal form to a generalised automaton.

    Acceptance is transition-based. Without `rewrite` it is exact; with it, it accepts at least the models of the
    formula (see the module's docstring). Raises `TranslationTooLarge` if there are more edges than allowed.
    """
    # A formula with a sixteenth of all allowed edges is a sign of many more to come.
    expander = Expander(atoms, None if maximum_edges is None else maximum_edges // 16)
    states = [formula]
    number = {formula: 0}
    by_expansion = {frozenset(expander.expand(formula).items()): 0}
    steps: list[list[_Step]] = []
    edge_count = 0
    for state in states:
        check_limits(100)
        outgoing = _steps(expander, state, rewrite)
        steps.append(outgoing)
        edge_count += len(outgoing)
        if maximum_edges is not None and edge_count > maximum_edges:
            raise TranslationTooLarge(f"the automaton of the formula has more than {maximum_edges} edges")
        for step in outgoing:
            if step.destination in number:
                continue
            expansion = frozenset(expander.expand(step.destination).items())
            number[step.destination] = by_expansion.setdefault(expansion, len(states))
            if number[step.destination] == len(states):
                states.append(step.destination)
    promises = sorted({promise for outgoing in steps for step in outgoing for promise in step.promises}, key=order)
    edges = tuple(
        merge_parallel(
            Edge(step.guard, number[step.destination], _kept_marks(promises, step.promises)) for step in outgoing
        )
        for outgoing in steps
    )
    return Automaton(atoms, (0,), edges, len(promises), tuple(map(str, states)))


def _kept_marks(promises: list[Formula], made: frozenset[Formula]) -> int:
    return sum(1 << place for place, promise in enumerate(promises) if promise not in made)


def _steps(expander: Expander, state: Formula, rewrite: bool) -> list[_Step]:
    steps: dict[tuple[Formula, frozenset[Formula]], Guard] = {}
    for rest, guard in expander.expand(state).items():
        destination = _destination(rest, rewrite)
        if destination is not FALSE:
            key = (destination, rest.promises)
            steps[key] = steps.get(key, guards.FALSE) | guard
    return _without_harder([_Step(guard, *key) for key, guard in steps.items()])


def _destination(rest: Rest, rewrite: bool) -> Formula:
    formulas = sorted(rest.next_formulas, key=order)
    if not formulas:
        return TRUE
    if rewrite:
        return conjoin(formulas)
    return make(Operator.AND, *formulas) if len(formulas) > 1 else formulas[0]


def _without_harder(steps: list[_Step]) -> list[_Step]:
    """Remove from every step the letters for which a step with an easier destination exists."""
    steps.sort(key=lambda step: (len(step.promises), order(step.destination)))
    if len(steps) > MAXIMUM_COMPARED_STEPS:
        return steps
    result: list[_Step] = []
    for place, step in enumerate(steps):
        guard = step.guard
        for other_place, other in enumerate(steps):
            if other_place == place or not other.promises <= step.promises:
                continue
            if not destination_is_easier(other.destination, step.destination):
                continue
            equal = other.promises == step.promises and destination_is_easier(step.destination, other.destination)
            if not equal or other_place < place:
                guard = guard & ~other.guard
        if guard is not guards.FALSE:
            result.append(_Step(guard, step.destination, step.promises))
    return result
