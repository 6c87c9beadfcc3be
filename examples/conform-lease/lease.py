# ruff: noqa: I001
"""A lock with leases, fencing tokens, renewals, and replies that may overtake each other."""
from strandline import Bag, Model, Optional, Process, Range, Record, action, any_of, invariant, param, require
from strandline import valid_end

clients = param(2)
time = param(4)
length = param(2)
grants = param(3)


class Lease(Model):
    class Reply(Record):
        to: Range[0, clients - 1]
        token: Range[1, grants]

    now: Range[0, time]
    holder: Optional[Range[0, clients - 1]]
    expires: Range[0, time + length]
    issued: Range[0, grants]
    newest: Range[0, grants]
    replies: Bag[Reply, 2]

    class Client(Process, count=clients):
        token: Optional[Range[1, grants]]
        seen: Range[0, grants]

        @action
        def grant(m, me):
            """The server grants the lease, or grants it again to a client that asks twice."""
            require(m.issued < m.grants)
            require(m.holder == me or m.holder is None or m.now >= m.expires)
            m.holder = me
            m.issued += 1
            m.expires = m.now + m.length
            m.replies.put(m.Reply(to=me, token=m.issued))

        @action
        def receive(m, me, reply=any_of("replies")):
            require(reply.to == me)
            require(reply.token > me.seen)
            m.replies.take(reply)
            me.token = reply.token
            me.seen = reply.token

        @action
        def discard(m, me, reply=any_of("replies")):
            """A reply that was overtaken by a newer one says nothing."""
            require(reply.to == me and reply.token <= me.seen)
            m.replies.take(reply)

        @action
        def renew(m, me):
            require(me.token is not None and m.holder == me)
            require(m.now < m.expires)
            m.expires = m.now + m.length

        @action
        def write(m, me):
            """The client may have paused since it looked at its lease, so only the token counts."""
            require(me.token is not None)
            require(me.token >= m.newest)
            m.newest = me.token

        @action
        def release(m, me):
            require(me.token is not None)
            if m.holder == me:
                m.holder = None
            me.token = None

    @action
    def tick(m):
        require(m.now < m.time)
        m.now += 1

    @invariant
    def tokens_were_issued(m):
        return m.newest <= m.issued and all(c.seen <= m.issued for c in m.Client)

    @valid_end
    def the_day_is_over(m):
        return m.now == m.time
