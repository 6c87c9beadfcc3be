# ruff: noqa: F821
"""A ring buffer without locks, for one producer and one consumer; a second producer breaks it."""
from strandline import Array, Enum, Model, Optional, Process, Range, action, invariant, ltl, param, reachable, require

size = param(3)
producers = param(1)
top = param(5)


class RingBuffer(Model):
    slots: Array[Optional[Range[0, top]], size]
    head: Range[0, size - 1]
    tail: Range[0, size - 1]
    next: Range[0, top]
    expected: Range[0, top]
    wrong: bool

    class Producer(Process, count=producers, fair=True):
        pc: Enum["idle", "looked", "written"]
        seen: Range[0, size - 1]

        @action(at="idle", to="looked")
        def look(m, me):
            require((m.tail + 1) % m.size != m.head)
            me.seen = m.tail

        @action(at="looked", to="written")
        def store(m, me):
            m.slots[me.seen] = m.next
            m.next = (m.next + 1) % (m.top + 1)

        @action(at="written", to="idle")
        def publish(m, me):
            m.tail = (me.seen + 1) % m.size
            me.seen = 0

    class Consumer(Process, fair=True):
        @action
        def take(m, me):
            require(m.head != m.tail)
            m.wrong = m.slots[m.head] != m.expected
            m.slots[m.head] = None
            m.expected = (m.expected + 1) % (m.top + 1)
            m.head = (m.head + 1) % m.size

    @invariant
    def in_order_and_complete(m):
        """Violated where producers=2: both write into the same slot."""
        return not m.wrong

    @invariant
    def published_slots_are_filled(m):
        return all(m.slots[i] is not None for i in range(m.size) if (i - m.head) % m.size < (m.tail - m.head) % m.size)

    @invariant
    def free_slots_are_empty(m):
        """Violated on purpose: a value lies in its slot before it is published."""
        return all(m.slots[i] is None for i in range(m.size) if (i - m.head) % m.size >= (m.tail - m.head) % m.size)

    @reachable
    def full(m):
        return (m.tail + 1) % m.size == m.head

    consumed = ltl("G F head == 0 and G F head == 1")
