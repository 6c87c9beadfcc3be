# ruff: noqa: F821, I001
"""Treiber's stack without locks, nodes used again: the ABA problem, and the counter that solves it."""
from strandline import Array, Enum, Model, Optional, Process, Range, Set, action, any_of, initial, invariant
from strandline import param, reachable, require, valid_end

nodes = param(3)
threads = param(2)
changes = param(6)
counted = param(False)


def in_stack(m, node):
    at = m.top
    for _ in range(m.nodes):
        if at is None:
            return False
        if at == node:
            return True
        at = m.next[at]
    return False


class TreiberStack(Model):
    top: Optional[Range[0, nodes - 1]] = 0
    next: Array[Optional[Range[0, nodes - 1]], nodes]
    version: Range[0, changes]

    class Thread(Process, count=threads):
        pc: Enum["idle", "popping"]
        saw: Optional[Range[0, nodes - 1]]
        after: Optional[Range[0, nodes - 1]]
        saw_version: Range[0, changes]
        hands: Set[Range[0, nodes - 1]]

        @action(at="idle", to="popping")
        def look(m, me):
            """Read the top and what comes after it; another thread may change both before the exchange."""
            require(m.top is not None)
            me.saw = m.top
            me.after = m.next[m.top]
            me.saw_version = m.version

        @action(at="popping", to="idle")
        def exchange(m, me):
            """Compare and swap: the top becomes what came after it, if it is still the one that was seen."""
            if m.top == me.saw and (not m.counted or m.version == me.saw_version):
                require(m.version < m.changes)
                m.top = me.after
                m.version += 1
                me.hands.add(me.saw)
            me.saw = None
            me.after = None
            me.saw_version = 0

        @action(at="idle")
        def push(m, me, node=any_of("hands")):
            require(m.version < m.changes)
            me.hands.remove(node)
            m.next[node] = m.top
            m.top = node
            m.version += 1

    @initial
    def all_nodes_lie_in_the_stack(m):
        for node in range(m.nodes - 1):
            m.next[node] = node + 1

    @invariant
    def nothing_is_in_two_places(m):
        """Violated where counted=False: what was popped comes back with the old top."""
        return all(
            sum(node in t.hands for t in m.Thread) + int(in_stack(m, node)) <= 1 for node in range(m.nodes)
        )

    @reachable
    def empty(m):
        return m.top is None

    @valid_end
    def enough(m):
        return m.version == m.changes
