# ruff: noqa: F821
"""MESI cache coherence on a snooping bus: one line, N caches, a memory; values are two."""
from strandline import Enum, Model, Process, Range, action, count, invariant, param, require


class Mesi(Model):
    N = param(3)
    memory: Range[0, 1] = 0
    latest: Range[0, 1] = 0

    class Cache(Process, count=N):
        state: Enum["invalid", "shared", "exclusive", "modified"]
        value: Range[0, 1]

        @action
        def read(m, me):
            require(me.state == "invalid")
            for other in m.Cache:
                if other.state == "modified":
                    m.memory = other.value
            me.value = m.memory
            me.state = "exclusive" if all(c.state == "invalid" for c in m.Cache) else "shared"
            for other in m.Cache:
                if other != me and other.state != "invalid":
                    other.state = "shared"

        @action
        def write(m, me, v: Range[0, 1]):
            for other in m.Cache:
                if other != me and other.state != "invalid":
                    if other.state == "modified":
                        m.memory = other.value
                    other.state = "invalid"
                    other.value = 0
            me.state = "modified"
            me.value = v
            m.latest = v

        @action
        def evict(m, me):
            require(me.state != "invalid")
            if me.state == "modified":
                m.memory = me.value
            me.state = "invalid"
            me.value = 0

    @invariant
    def single_writer(m):
        owners = count(c.state in ("modified", "exclusive") for c in m.Cache)
        return owners == 0 or (owners == 1 and count(c.state != "invalid" for c in m.Cache) == 1)

    @invariant
    def readers_see_the_latest(m):
        return all(c.state == "invalid" or c.value == m.latest for c in m.Cache)

    @invariant
    def memory_is_current(m):
        """Violated on purpose: a modified line is written back only later."""
        return m.memory == m.latest
