# ruff: noqa: F821
"""Caches of one line each over a memory whose addresses, and whose values, are alike."""
from strandline import Array, Enum, Model, Optional, Process, Scalar, action, invariant, param, require

clients = param(2)
addresses = param(2)
values = param(2)
invalidate = param(True)


class Address(Scalar, count=addresses): ...


class Value(Scalar, count=values): ...


class Caches(Model):
    memory: Array[Value, addresses]

    class Client(Process, count=clients):
        pc: Enum["empty", "filled"]
        line: Optional[Address]
        holds: Optional[Value]

        @action(at="empty", to="filled")
        def load(m, me, address: Address):
            me.line = address
            me.holds = m.memory[address]

        @action(at="filled")
        def write(m, me, value: Value):
            """Through to the memory; other caches of the address lose their lines."""
            require(me.line is not None and value != me.holds)
            m.memory[me.line] = value
            me.holds = value
            for other in m.Client:
                if m.invalidate and other != me and other.line == me.line:
                    other.pc = "empty"
                    other.line = None
                    other.holds = None

        @action(at="filled", to="empty")
        def evict(m, me):
            me.line = None
            me.holds = None

    @invariant
    def coherent(m):
        """Violated where invalidate=False: a cache holds what was in the memory before."""
        return all(client.line is None or client.holds == m.memory[client.line] for client in m.Client)
