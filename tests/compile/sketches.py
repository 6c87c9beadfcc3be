"""Small transition systems, sketched once and built by every back end of Kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random

import numpy as np
from kernels import compile_host
from support.explicit_graph import Graph
from support.graph_back_end import graph_kernel
from support.interpreted_kernel import interpret_system

from strandline.compile.callback import from_callables
from strandline.compile.kernel import Kernel
from strandline.compile.make import make_kernel
from strandline.compile.specification import KernelSpecification
from strandline.model.expression import Binary, Choice, Const, Expression, Read
from strandline.model.measure import Measure
from strandline.model.system import Action, Assign, Domain, System, Variable
from strandline.model.validate import validate
from strandline.source import Source


@dataclass(frozen=True, slots=True)
class Sketch:
    """A graph of nodes 0, 1, ... with ordered edges.

    `labels` are bits of nodes; `progress` is column and layer of each node, `components` the values of further
    measures.
    """

    edges: tuple[tuple[int, ...], ...]
    initial: tuple[int, ...] = (0,)
    labels: tuple[int, ...] = ()
    predicates: int = 0
    progress: tuple[tuple[int, int], ...] | None = None
    components: tuple[tuple[int, ...], ...] = ()

    def measure(self, node: Expression) -> Measure | None:
        """The progress as a measure over an expression that gives the node."""
        if self.progress is None:
            return None
        columns, layers = zip(*self.progress, strict=True)
        compared = zip(*self.components, strict=True) if self.components else ()
        return Measure(table(node, columns), table(node, layers), tuple(table(node, one) for one in compared))

    def falls(self, source: int, target: int) -> bool:
        pairs = zip(self.components[source], self.components[target], strict=True)
        return any(after < before for before, after in pairs)


def table(node: Expression, values: Sequence[int]) -> Expression:
    """The value of a node, as an expression."""
    result: Expression = Const(values[-1])
    for number, value in enumerate(values[:-1]):
        result = Choice(Binary("==", node, Const(number)), Const(value), result)
    return result


def as_system(sketch: Sketch) -> System:
    place = Variable("node", Domain(0, len(sketch.edges) - 1))
    actions = tuple(
        Action(f"to {target}", (), Binary("==", Read(place), Const(source)), (Assign(Read(place), Const(target)),))
        for source, targets in enumerate(sketch.edges)
        for target in targets
    )
    initial = tuple((node,) for node in sketch.initial)
    return validate(System.create("sketch", Source("sketch", ""), (place,), (), actions, initial=initial))


def _of_system(build: Callable[..., Kernel], sketch: Sketch) -> Kernel:
    system = as_system(sketch)
    node = Read(system.variables[0])
    bits = [[mask >> bit & 1 for mask in sketch.labels] for bit in range(sketch.predicates)]
    return build(system, [table(node, one) for one in bits], sketch.measure(node))


def of_host(sketch: Sketch) -> Kernel:
    return _of_system(compile_host, sketch)


def of_interpreter(sketch: Sketch) -> Kernel:
    return _of_system(interpret_system, sketch)


def as_graph(sketch: Sketch) -> Graph:
    graph = Graph.of(sketch.edges, sketch.initial, labels=dict(enumerate(sketch.labels)), progress=sketch.progress)
    if not sketch.components:
        return graph
    fallen = [sketch.falls(source, target) for source, targets in enumerate(sketch.edges) for target in targets]
    return replace(graph, falls=np.array(fallen, dtype=np.bool_))


def of_graph(sketch: Sketch) -> Kernel:
    return graph_kernel(as_graph(sketch))


def of_graph_with_wide_states(sketch: Sketch) -> Kernel:
    """States of three words that come in another order than their nodes."""
    states = [(7, (node * 5 + 3) % 8191, 2**64 - 1 - node) for node in range(len(sketch.edges))]
    return graph_kernel(replace(as_graph(sketch), states=np.array(states, dtype=np.uint64)))


def of_callables(sketch: Sketch) -> Kernel:
    def label_bit(bit: int, node: int) -> int:
        return sketch.labels[node] >> bit & 1

    model = from_callables(
        sketch.initial,
        lambda node: [(f"to {target}", target) for target in sketch.edges[node]],
        progress=lambda node: node,
        labels={f"bit{bit}": partial(label_bit, bit) for bit in range(sketch.predicates)},
    )
    predicates = [predicate.expression for predicate in model.labels]
    return make_kernel(model, KernelSpecification(predicates, sketch.measure(Read(model.by_name["progress"]))))


BACK_ENDS: dict[str, Callable[[Sketch], Kernel]] = {
    "host": of_host,
    "interpreter": of_interpreter,
    "graph": of_graph,
    "graph with wide states": of_graph_with_wide_states,
    "callables": of_callables,
}


def node_of(kernel: Kernel, state: tuple[int, ...]) -> int:
    """Which node a state is, as its description shows."""
    (shown,) = kernel.reference.describe(state).values()
    return int(shown)


def random_sketch(seed: int) -> Sketch:
    random = Random(seed)
    nodes, kind = random.randint(1, 9), random.choice(("plain", "measured", "componentwise"))
    predicates = random.randint(0, 3)
    extremes = (-(2**63), 2**63 - 1, 0, -1, 7)
    return Sketch(
        edges=tuple(tuple(random.choices(range(nodes), k=random.choice((0, 1, 2, 3, 6)))) for _ in range(nodes)),
        initial=tuple(random.choices(range(nodes), k=random.choice((1, 1, 3)))),
        labels=tuple(random.getrandbits(predicates) if predicates else 0 for _ in range(nodes)),
        predicates=predicates,
        progress=None
        if kind == "plain"
        else tuple((random.choice(extremes), random.choice(extremes)) for _ in range(nodes)),
        components=tuple((random.randint(0, 2), random.randint(-1, 1)) for _ in range(nodes))
        if kind == "componentwise"
        else (),
    )
