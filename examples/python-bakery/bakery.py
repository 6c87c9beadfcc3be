# ruff: noqa: F821
"""Lamport's bakery for N customers with bounded tickets: reading the others' tickets takes a step for each."""
from strandline import Array, Enum, Model, Process, Range, action, count, invariant, param, require

N = param(2)
limit = param(5)


class Bakery(Model):
    choosing: Array[bool, N]
    ticket: Array[Range[0, limit], N]

    class Customer(Process, count=N):
        pc: Enum["out", "choosing", "waiting", "serving"]
        highest: Range[0, limit]
        seen: Range[0, N]

        @action(at="out", to="choosing")
        def arrive(m, me): m.choosing[me] = True

        @action(at="choosing")
        def look(m, me):
            require(me.seen < m.N)
            me.highest = max(me.highest, m.ticket[me.seen])
            me.seen += 1

        @action(at="choosing", to="waiting")
        def draw(m, me):
            require(me.seen == m.N and me.highest < m.limit)
            m.ticket[me] = me.highest + 1
            m.choosing[me] = False
            me.highest = 0
            me.seen = 0

        @action(at="waiting")
        def pass_one(m, me):
            require(me.seen < m.N)
            other = me.seen
            require(not m.choosing[other])
            require(
                m.ticket[other] == 0
                or m.ticket[me] < m.ticket[other]
                or (m.ticket[me] == m.ticket[other] and me <= other)
            )
            me.seen += 1

        @action(at="waiting", to="serving")
        def enter(m, me):
            require(me.seen == m.N)
            me.seen = 0

        @action(at="serving", to="out")
        def leave(m, me): m.ticket[me] = 0

    @invariant
    def exclusion(m): return count(c.pc == "serving" for c in m.Customer) <= 1
    @invariant
    def tickets_differ(m):
        """Violated on purpose: two customers who choose together may draw the same number."""
        return all(m.ticket[a] == 0 or m.ticket[a] != m.ticket[b] for a in range(m.N) for b in range(a))
