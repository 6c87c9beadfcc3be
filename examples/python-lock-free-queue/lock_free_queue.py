# ruff: noqa: F821
"""A bounded lock-free queue: producers reserve a slot by compare-and-swap, fill it, and publish it by a flag."""
from strandline import Array, Enum, Model, Process, Range, action, invariant, measure, param, require

producers = param(2)
items = param(2)
size = param(2)
total = producers * items


class LockFreeQueue(Model):
    head: Range[0, total]
    tail: Range[0, total]
    ready: Array[bool, size]
    slot: Array[Range[0, producers], size]
    taken: Range[0, total]

    class Producer(Process, count=producers):
        pc: Enum["idle", "loaded", "reserved"]
        seen: Range[0, total]
        left: Range[0, items] = items

        @action(at="idle", to="loaded")
        def load(m, me):
            require(me.left > 0 and m.tail - m.head < m.size)
            me.seen = m.tail

        @action(at="loaded", to="reserved")
        def swap(m, me):
            require(m.tail == me.seen)
            m.tail += 1

        @action(at="loaded", to="idle")
        def swap_failed(m, me):
            require(m.tail != me.seen)
            me.seen = 0

        @action(at="reserved", to="idle")
        def publish(m, me):
            m.slot[me.seen % m.size] = me + 1
            m.ready[me.seen % m.size] = True
            me.left -= 1
            me.seen = 0

    class Consumer(Process):
        @action
        def take(m, me):
            require(m.head < m.tail and m.ready[m.head % m.size])
            m.ready[m.head % m.size] = False
            m.slot[m.head % m.size] = 0
            m.head += 1
            m.taken += 1

        @action
        def finished(m, me): require(m.taken == m.total)

    @invariant
    def nothing_is_lost(m): return m.taken + count_left(m) + in_flight(m) == m.total
    @invariant
    def ready_slots_are_filled(m): return all(not m.ready[i] or m.slot[i] > 0 for i in range(m.size))
    @invariant
    def reserved_means_ready(m):
        """Violated on purpose: between the reservation and the publication a slot is taken, but not ready."""
        return m.head == m.tail or m.ready[m.head % m.size]
    @measure
    def progress(m): return m.tail + m.head


def count_left(m):
    return sum(p.left for p in m.Producer)


def in_flight(m):
    return sum(int(m.ready[i]) for i in range(m.size))
