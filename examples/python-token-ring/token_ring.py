"""Dijkstra's self-stabilising token ring: from any state at all it comes to have exactly one privilege."""
from strandline import Model, Process, Range, action, count, initial, invariant, label, param, require

N = param(4)
K = param(4)


def privileged(m, i):
    previous = m.Node[(i - 1) % m.N].value
    return m.Node[i].value == previous if i == 0 else m.Node[i].value != previous


class TokenRing(Model):
    stable: bool

    class Node(Process, count=N):
        value: Range[0, K - 1]

        @action
        def move(m, me):
            require(privileged(m, me))
            before = count(privileged(m, i) for i in range(m.N))
            if me > 0:
                me.value = m.Node[me - 1].value
            else:
                me.value = (me.value + 1) % m.K
            m.stable = before == 1

    @initial
    def anything(m, code: Range[0, K**N - 1]):
        for node in m.Node:
            node.value = code // m.K**node % m.K

    @label
    def one(m): return count(privileged(m, i) for i in range(m.N)) == 1
    @invariant
    def someone_can_move(m): return any(privileged(m, i) for i in range(m.N))
    @invariant
    def closed(m): return not m.stable or count(privileged(m, i) for i in range(m.N)) == 1
    @invariant
    def always_one(m):
        """Violated on purpose: a state in which nothing has happened yet may have several privileges."""
        return count(privileged(m, i) for i in range(m.N)) == 1
