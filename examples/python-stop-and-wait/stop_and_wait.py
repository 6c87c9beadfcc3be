# ruff: noqa: E702
from strandline import Bag, Model, Range, action, any_of, invariant, measure, param, require


class StopAndWait(Model):
    """A sender repeats each packet until it is acknowledged; both channels lose and reorder messages."""

    packets = param(6)
    cap = param(3)
    send: Range[0, packets] = 0
    recv: Range[0, packets] = 0
    data: Bag[Range[0, packets], cap]
    ack: Bag[Range[0, packets], cap]

    @action
    def transmit(m): require(m.send < m.packets); m.data.put(m.send)
    @action
    def receive(m, d=any_of("data")):
        m.data.take(d)
        if d == m.recv:
            m.recv += 1
        m.ack.put(m.recv)
    @action
    def acknowledged(m, a=any_of("ack")):
        m.ack.take(a)
        if a == m.send + 1:
            m.send = a
    @action
    def lose_data(m, d=any_of("data")): m.data.take(d)
    @action
    def lose_ack(m, a=any_of("ack")): m.ack.take(a)
    @action
    def done(m): require(m.send == m.packets)

    @invariant
    def in_step(m): return m.send <= m.recv <= m.send + 1
    @measure(monotone=True)
    def line(m): return m.send + m.recv
