"""An explicit transition system: all of its states and edges, in arrays.

Nodes are numbered 0, 1, ...; the edges of a node are ordered, and parallel ones count. That is a state space written
out: by another tool, by a composition, or by a test that wants to say exactly what a search meets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
import numpy.typing as npt

from strandline.errors import UsageError
from strandline.source import Span

Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Truths = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Graph:
    """An explicit graph; see the module's docstring. Raises `UsageError` for inconsistent arrays."""

    offsets: Integers
    """Where the edges of each node begin, and where the last node's end: one more than there are nodes."""
    targets: Integers
    """To which node each edge leads."""
    initial: Integers
    labels: Words
    """Facts about each node: bit i is the truth of predicate i."""
    progress: Integers | None = None
    """Column and layer of each node, one row each; None where there is no measure."""
    falls: Truths | None = None
    """Whether a component of the measure is smaller at the end of each edge; None where it has no components."""
    actions: Integers | None = None
    """What each edge is called, as a number of `names`; None where all are called by the first."""
    names: tuple[str, ...] = ("step",)
    states: Words | None = None
    """What the state of each node looks like, one row each; None where it is the node's number, in one word."""
    stuck: Truths | None = None
    """At which nodes the system has no step of its own; None where it is those without edges."""
    faults: Mapping[int, tuple[str, Span | None]] = field(default_factory=dict)
    """Nodes at which a step faults, with the reason and its place; they have no other steps."""

    def __post_init__(self) -> None:
        nodes, edges = len(self), len(self.targets)
        ends = self.offsets[0] == 0 and self.offsets[-1] == edges and bool((np.diff(self.offsets) >= 0).all())
        _require(ends, "the edges of its nodes do not follow each other")
        _require(_inside(self.targets, nodes), "an edge leads to no node")
        _require(_inside(self.initial, nodes), "an initial state is no node")
        _require(all(0 <= node < nodes for node in self.faults), "a fault is at no node")
        _require(self.actions is None or _inside(self.actions, len(self.names)), "an action has no name")
        _require(self.falls is None or self.progress is not None, "only a measure has components that fall")
        for what, one, wanted in (
            ("labels", self.labels, (nodes,)),
            ("progress", self.progress, (nodes, 2)),
            ("falls", self.falls, (edges,)),
            ("actions", self.actions, (edges,)),
            ("states", self.states, (nodes, self.words)),
            ("stuck", self.stuck, (nodes,)),
        ):
            _require(one is None or one.shape == wanted, f"'{what}' has not the shape {wanted}")

    @classmethod
    def of(
        cls,
        edges: Sequence[Sequence[int]],
        initial: Iterable[int] = (0,),
        *,
        labels: Mapping[int, int] | None = None,
        progress: Sequence[tuple[int, int]] | None = None,
        faults: Mapping[int, tuple[str, Span | None]] | None = None,
    ) -> Graph:
        """A graph by the targets of each node's edges; an edge is called by the node to which it leads."""
        marks = np.zeros(len(edges), dtype=np.uint64)
        for node, mask in (labels or {}).items():
            marks[node] = mask
        targets = np.fromiter(chain.from_iterable(edges), dtype=np.int64)
        return cls(
            offsets=np.cumsum([0, *map(len, edges)], dtype=np.int64),
            targets=targets,
            initial=np.fromiter(initial, dtype=np.int64),
            labels=marks,
            progress=None if progress is None else np.array(progress, dtype=np.int64).reshape(-1, 2),
            actions=targets,
            names=tuple(map(str, range(len(edges)))),
            faults=dict(faults or {}),
        )

    def __len__(self) -> int:
        """How many nodes it has."""
        return len(self.offsets) - 1

    @property
    def words(self) -> int:
        """Words of a state."""
        return 1 if self.states is None else self.states.shape[-1]

    def edges(self, node: int) -> range:
        """The numbers of a node's edges."""
        return range(int(self.offsets[node]), int(self.offsets[node + 1]))

    def action(self, edge: int) -> str:
        """What an edge is called."""
        return self.names[0 if self.actions is None else int(self.actions[edge])]


def _inside(numbers: Integers, bound: int) -> bool:
    return bool(((numbers >= 0) & (numbers < bound)).all())


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise UsageError(f"this is no graph: {otherwise}")
