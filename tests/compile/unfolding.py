"""Systems written out as explicit graphs, so that the suite of Systems can be asked of graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from kernels import ask_all
from support.explicit_graph import Graph
from support.graph_back_end import graph_kernel
from support.interpreted_kernel import interpret_system

from strandline.compile.interpret import Fault
from strandline.compile.kernel import DEADLOCK_BIT, Kernel
from strandline.model.expression import Expression
from strandline.model.measure import Measure
from strandline.model.system import System

_MOST = 600
_DEADLOCK = 1 << DEADLOCK_BIT


def unfold_system(system: System, predicates: Sequence[Expression] = (), measure: Measure | None = None) -> Kernel:
    """A System as a Kernel: its first states, in breadth-first order, written out; edges that lead further are left
    out."""
    plain = interpret_system(system, predicates, measure)
    states = [tuple(row) for row in dict.fromkeys(map(tuple, plain.initial.tolist()))]
    numbers = {state: number for number, state in enumerate(states)}
    labels, stuck, faults, edges, falls = [], [], {}, [], []
    for number, state in enumerate(states):
        answer = ask_all(plain, state)
        if answer.fault is not None:
            faults[number] = (answer.fault.kind, answer.fault.span)
        labels.append(answer.labels & ~_DEADLOCK)
        stuck.append(bool(answer.labels & _DEADLOCK))
        targets = [record[: plain.words] for record in answer.records]
        for target in targets:
            if target not in numbers and len(states) < _MOST:
                numbers[target] = len(states)
                states.append(target)
        known = [target in numbers for target in targets]
        edges.append([numbers[target] for target in targets if target in numbers])
        falls += [bool(record[-1]) for record, one in zip(answer.records, known, strict=True) if one]
    graph = replace(
        Graph.of(edges, [numbers[tuple(row)] for row in plain.initial.tolist()], labels=dict(enumerate(labels))),
        progress=np.array([_progress(plain, state) for state in states], dtype=np.int64) if measure else None,
        falls=np.array(falls, dtype=np.bool_) if measure and measure.compared else None,
        states=np.array(states, dtype=np.uint64),
        stuck=np.array(stuck),
        faults=faults,
    )
    return replace(graph_kernel(graph), reference=plain.reference)


def _progress(kernel: Kernel, state: tuple[int, ...]) -> tuple[int, int]:
    """(0, 0) for a state that no step reaches, because the measure faults in it."""
    try:
        return kernel.reference.progress(state)
    except Fault:
        return 0, 0
