"""Refine a measure by the progress of the automaton: a run never returns to an SCC that it has left.

The SCCs, in topological order, become the lowest bits of the layer. An accepting cycle stays inside one SCC, hence on
one rank. See docs/papers.md, 000 §9.3.
"""

from __future__ import annotations

from dataclasses import replace

from strandline.model.expression import Binary, Choice, Const, Expression, Read
from strandline.model.intervals import INT64, within
from strandline.model.measure import Measure
from strandline.model.system import Observer
from strandline.properties.automata.components import tarjan

_MOST_RANKS = 64


def add_ranks(measure: Measure, observer: Observer) -> tuple[Measure, int]:
    """Refine the layers of a measure by the rank of the observer's SCC; return it with the number of ranks.

    That number is a power of two. Returns the measure unchanged and 1 if the ranks distinguish nothing or do not fit 64
    bits.
    """
    ranks = component_ranks(observer)
    count = 1 << max(ranks).bit_length()
    layers = measure.layers[0] * count, measure.layers[1] * count + count - 1
    if count == 1 or not within(layers, INT64):
        return measure, 1
    rank: Expression = Const(ranks[-1])
    for location in reversed(range(len(ranks) - 1)):
        rank = Choice(Binary("==", Read(observer.location), Const(location)), Const(ranks[location]), rank)
    layer = Binary("+", Binary("*", measure.layer, Const(count)), rank)
    return replace(measure, layer=layer, layers=layers), count


def component_ranks(observer: Observer) -> list[int]:
    """Return the rank of every location: equal inside an SCC, and never lower at the target of an edge.

    If there are more SCCs than ranks, the last ones share a rank.
    """
    successors: dict[int, list[int]] = {place: [] for place in range(len(observer.location.names or ()))}
    for edge in observer.edges:
        successors[edge.moves[0].source].append(edge.moves[0].target)
    # Components come in the order in which they are finished: those that are reached from others first.
    found = list(tarjan(successors, successors.__getitem__))
    ranks = {place: len(found) - 1 - number for number, members in enumerate(found) for place in members}
    return [min(ranks[place], _MOST_RANKS - 1) for place in sorted(ranks)]
