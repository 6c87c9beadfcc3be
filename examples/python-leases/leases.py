# ruff: noqa: I001
"""A lock with leases: who pauses too long still believes that it holds the lock. Fencing tokens make that harmless."""
from strandline import Model, Optional, Process, Range, action, invariant, label, measure, param, reachable, require
from strandline import valid_end

clients = param(2)
time = param(6)
length = param(2)
fencing = param(True)


class Leases(Model):
    now: Range[0, time]
    holder: Optional[Range[0, clients - 1]]
    expires: Range[0, time + length]
    issued: Range[0, time]
    newest: Range[0, time]
    stale: Range[0, 1]

    class Client(Process, count=clients):
        token: Optional[Range[0, time]]
        believes_until: Range[0, time + length]

        @action
        def acquire(m, me):
            require(me.token is None and m.issued < m.time)
            require(m.holder is None or m.now >= m.expires)
            m.holder = me
            m.issued += 1
            m.expires = m.now + m.length
            me.token = m.issued
            me.believes_until = m.expires

        @action
        def release(m, me):
            require(me.token is not None)
            if m.holder == me:
                m.holder = None
            me.token = None
            me.believes_until = 0

        @action
        def write(m, me):
            """It has looked at its lease before and may have paused since, so the clock does not count."""
            require(me.token is not None)
            if m.fencing:
                require(me.token >= m.newest)
            if me.token < m.newest:
                m.stale = 1
            else:
                m.newest = me.token

    @action
    def tick(m):
        require(m.now < m.time)
        m.now += 1

    @label
    def expired(m):
        return m.holder is not None and m.now >= m.expires

    @invariant
    def no_stale_write(m):
        """Violated where fencing=False: a client that paused writes after its successor."""
        return m.stale == 0

    @invariant
    def one_believes(m):
        """Violated on purpose: an expired client has not looked at its clock yet."""
        return sum(c.token is not None for c in m.Client) <= 1

    @invariant
    def leases_do_not_overlap(m):
        return sum(c.token is not None and m.now < c.believes_until for c in m.Client) <= 1

    @reachable
    def a_client_was_replaced(m):
        return any(c.token is not None and m.holder is not None and m.holder != c for c in m.Client)

    @valid_end
    def the_day_is_over(m):
        return m.now == m.time

    @measure(monotone=True)
    def clock(m):
        return m.now
