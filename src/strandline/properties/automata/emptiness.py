"""Emptiness of the intersection of two automata, checked on the fly (Couvreur 1999).

A depth-first search keeps the components found so far on a stack, each with the marks of its inner edges. It stops as
soon as a component has all marks.
"""

from __future__ import annotations

from collections.abc import Iterator

from strandline.properties.automata.automaton import Automaton, joined_atoms, with_atoms
from strandline.properties.automata.guard import FALSE

_Pair = tuple[int, int]
_Step = tuple[_Pair, int]


def intersects(left: Automaton, right: Automaton) -> bool:
    """Return True if some word is accepted by both."""
    atoms = joined_atoms(left, right)
    search = _Search(with_atoms(left, atoms), with_atoms(right, atoms))
    return any(search.finds_from((first, second)) for first in left.initial for second in right.initial)


class _Search:
    """A depth-first search of the product, with its stacks; `finds_from` may be called for several roots."""

    def __init__(self, left: Automaton, right: Automaton) -> None:
        self.left = left
        self.right = right
        self.shift = left.acceptance_sets
        self.full = (1 << (left.acceptance_sets + right.acceptance_sets)) - 1
        self.index: dict[_Pair, int] = {}
        self.dead: set[_Pair] = set()
        self.path: list[tuple[_Pair, Iterator[_Step]]] = []
        self.active: list[_Pair] = []
        # Parallel stacks of components: index of the root, marks of inner edges, marks of the edge that led
        # to it.
        self.roots: list[int] = []
        self.inner: list[int] = []
        self.entry: list[int] = []

    def finds_from(self, root: _Pair) -> bool:
        """Search the unvisited states from a root; return True if an accepting cycle is found."""
        if root in self.index:
            return False
        self._enter(root, 0)
        while self.path:
            pair, steps = self.path[-1]
            step = next(steps, None)
            if step is None:
                self._leave(pair)
                continue
            target, marks = step
            if target in self.dead:
                continue
            if target not in self.index:
                self._enter(target, marks)
            elif self._close(self.index[target], marks):
                return True
        return False

    def _enter(self, pair: _Pair, marks: int) -> None:
        self.index[pair] = len(self.index)
        self.roots.append(self.index[pair])
        self.inner.append(0)
        self.entry.append(marks)
        self.active.append(pair)
        self.path.append((pair, self._steps(pair)))

    def _close(self, index: int, marks: int) -> bool:
        """Merge the components on a cycle closed by an edge to an active pair; return True if all marks are there."""
        while self.roots[-1] > index:
            marks |= self.inner.pop() | self.entry.pop()
            self.roots.pop()
        self.inner[-1] |= marks
        return self.inner[-1] == self.full

    def _leave(self, pair: _Pair) -> None:
        self.path.pop()
        if self.roots[-1] != self.index[pair]:
            return
        self.roots.pop()
        self.inner.pop()
        self.entry.pop()
        while True:
            done = self.active.pop()
            self.dead.add(done)
            if done == pair:
                return

    def _steps(self, pair: _Pair) -> Iterator[_Step]:
        offers = self.right.edges[pair[1]]
        for first in self.left.edges[pair[0]]:
            guard = first.guard
            for second in offers:
                if guard & second.guard is not FALSE:
                    yield (first.target, second.target), first.marks | second.marks << self.shift
