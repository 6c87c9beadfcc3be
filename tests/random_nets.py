"""Small random nets, and what they do by the definition of firing."""

from __future__ import annotations

from hypothesis import strategies as st

from strandline.languages.petri.net import Net, Place, Transition
from strandline.source import Source

Marking = tuple[int, ...]


@st.composite
def nets(draw: st.DrawFn, most_places: int = 6, most_transitions: int = 7) -> Net:
    """Up to a few places and transitions, with weights, loops, sources and sinks."""
    places = draw(st.integers(1, most_places))
    weights = st.dictionaries(st.integers(0, places - 1), st.sampled_from([1, 1, 1, 2, 3]), max_size=3)
    initial = draw(st.lists(st.integers(0, 3), min_size=places, max_size=places))
    arcs = draw(st.lists(st.tuples(weights, weights), max_size=most_transitions))
    return Net(
        "random",
        Source("random.pnml", ""),
        tuple(Place(f"p-{number}", tokens) for number, tokens in enumerate(initial)),
        tuple(Transition(f"t.{number}", consumed, made) for number, (consumed, made) in enumerate(arcs)),
    )


def successors(net: Net, marking: Marking) -> list[tuple[int, Marking]]:
    """Every enabled transition with the marking that it leads to."""
    found = []
    for number, one in enumerate(net.transitions):
        if all(marking[place] >= weight for place, weight in one.consumes.items()):
            tokens = list(marking)
            for place, weight in one.consumes.items():
                tokens[place] -= weight
            for place, weight in one.produces.items():
                tokens[place] += weight
            found.append((number, tuple(tokens)))
    return found


def reachable(net: Net, most: int = 500) -> tuple[dict[Marking, int], bool]:
    """Reachable markings with how many transitions each enables, and whether these are all."""
    start = tuple(place.initial for place in net.places)
    found, waiting = {start: 0}, [start]
    while waiting and len(found) <= most:
        marking = waiting.pop()
        following = successors(net, marking)
        found[marking] = len(following)
        for _, target in following:
            if target not in found:
                found[target] = 0
                waiting.append(target)
    return found, not waiting
