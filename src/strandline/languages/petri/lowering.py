"""Lowering of a net to a System: a variable for each place, an action for each transition, no process.

The bound of a place is its variable's domain, so that a safe place is one bit of the state; a firing that exceeds it is
a fault. Transitions are ordered by their most selective input place, which each of them tests first: this is the
fastest order to try them (see `strandline.compile.llvm.unlocated`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from strandline.errors import ModelError, UsageError
from strandline.languages.parameters import Given, refuse_unknown, whole_number
from strandline.languages.petri.bounds import possible_transitions, structural_bounds
from strandline.languages.petri.net import Net, Transition
from strandline.languages.petri.scope import NetScope
from strandline.model.expression import Binary, Const, Expression, Read, conjunction
from strandline.model.system import Action, Assign, Domain, Fairness, System, Variable
from strandline.model.validate import validate

ASSUMED = tuple((1 << bits) - 1 for bits in (8, 16, 32, 63))
"""Bounds assumed for places without a known one, one after the other as far as they are exceeded."""
LARGEST = ASSUMED[-1]
"""The largest value of the parameter `bound`."""
BOUND = "bound"
MAXIMAL = "maximal"
"""The value of `System.finite_paths`: CTL paths end in dead markings, as in the Model Checking Contest."""


def lower_with(net: Net, given: Given) -> System:
    """Lower a net with the parameter `bound`; raises `UsageError` for any other parameter."""
    refuse_unknown(net.source.name, given, [BOUND], "parameter")
    if BOUND not in given:
        return lower(net)
    bound = whole_number(BOUND, given[BOUND])
    if not 0 <= bound <= LARGEST:
        raise UsageError(f"'{BOUND}' is a number of tokens from 0 to {LARGEST}, not {bound}")
    return replace(lower(net, bound), parameters=((BOUND, bound),))


def _lower_assuming(net: Net, known: Sequence[int | None], step: int) -> System:
    """Lower a net whose places without a known bound get an assumed one, with a way to make it wider."""
    system = _lower(
        net,
        [
            assumed_bound(place.initial, step) if most is None else most
            for place, most in zip(net.places, known, strict=True)
        ],
    )
    wider = None if None not in known or step + 1 == len(ASSUMED) else partial(_lower_assuming, net, known, step + 1)
    return replace(system, wider=wider)


def assumed_bound(initial: int, step: int) -> int:
    """Return the assumed bound of a place, or the least larger one that its initial marking needs."""
    return next((bound for bound in ASSUMED[step:] if initial <= bound), LARGEST)


def lower(net: Net, bound: int | None = None) -> System:
    """Lower a net to a System.

    `bound` holds for all places for which the file has no bound; without it, places without a known bound get a small
    one, and the System a way to make it `wider`. Raises `ModelError` for an initial marking that exceeds a bound.
    """
    known = known_bounds(net, bound)
    return _lower_assuming(net, known, 0)


def _lower(net: Net, bounds: Sequence[int]) -> System:
    for place, most in zip(net.places, bounds, strict=True):
        if place.initial > most:
            message = f"place '{place.id}' has {place.initial} tokens, and its bound is {most}"
            raise ModelError(message, net.source, place.span)
    variables = tuple(
        Variable(place.id, Domain(0, most, tight=True), initial=(place.initial,), span=place.span)
        for place, most in zip(net.places, bounds, strict=True)
    )
    keys = _keys(net)
    order = sorted(
        range(len(net.transitions)), key=lambda number: _rank(net.transitions[number], keys[number], bounds, number)
    )
    actions = {number: _action(net.transitions[number], keys[number], bounds, variables) for number in order}
    fairness = tuple(
        Fairness(f"'{one.id}'", (actions[number],), span=one.span, strong=one.fair == "strong")
        for number, one in enumerate(net.transitions)
        if one.fair
    )
    scope = NetScope(variables)
    system = System.create(
        net.name,
        net.source,
        variables,
        (),
        tuple(actions.values()),
        fairness=fairness,
        scope=scope,
    )
    scope.ask_about(system)
    return validate(replace(system, finite_paths=MAXIMAL))


def known_bounds(net: Net, given: int | None = None) -> list[int | None]:
    """Return the bound of each place: the lower of its structural bound and that of the file, or else `given`.

    It is None for a place without any of these. The bound of a place that no transition changes is its initial count.
    """
    limits = [place.limit for place in net.places]
    found = structural_bounds(net) if None in limits else limits
    stated = [given if limit is None else limit for limit in limits]
    changing = {place for number in possible_transitions(net) for place in net.transitions[number].changes()}
    bounds: list[int | None] = []
    for number, place in enumerate(net.places):
        known = [bound for bound in (stated[number], found[number]) if bound is not None]
        bounds.append(min(known, default=None) if number in changing else place.initial)
    return bounds


def _keys(net: Net) -> list[int | None]:
    """Return for each transition the place to test first; None if it has no input place.

    This is the input place with the fewest consumers, of those from which it takes one token if there are any.
    """
    takers = Counter(place for one in net.transitions for place in one.consumes)
    return [
        min(
            one.consumes,
            key=lambda place: (one.consumes[place] > 1, takers[place], net.places[place].initial, place),
            default=None,
        )
        for one in net.transitions
    ]


def _rank(transition: Transition, key: int | None, bounds: Sequence[int], number: int) -> tuple[int, ...]:
    """Return the sort key of a transition, whose place to test first is `key`.

    Transitions that take one token from `key` come last, in the order in which packed states contain these places.
    """
    if key is None:
        return 0, 0, 0, number
    return 1 if transition.consumes[key] > 1 else 2, -bounds[key].bit_length(), key, number


def _action(transition: Transition, key: int | None, bounds: Sequence[int], variables: Sequence[Variable]) -> Action:
    # After the key come the one-bit places, which are tested together.
    tested = sorted(transition.consumes, key=lambda place: (place != key, bounds[place] != 1, place))
    guard = conjunction(*(Binary(">=", Read(variables[one]), Const(transition.consumes[one])) for one in tested))
    effects = [
        Assign(Read(variables[place]), _add_tokens(variables[place], amount), transition.span, together=number > 0)
        for number, (place, amount) in enumerate(transition.changes().items())
    ]
    return Action(transition.id, (), guard, tuple(effects), span=transition.span)


def _add_tokens(variable: Variable, amount: int) -> Expression:
    return Binary("+" if amount > 0 else "-", Read(variable), Const(abs(amount)))
