"""The stop-and-wait protocol by which the sweep-line thesis validates its tool, with the thesis's parameters."""

from strandline import Bag, Model, Range, action, any_of, label, measure, param, require


class StopAndWait(Model):
    """A sender, a receiver, and a network of four stages on which at most `limit` messages are under way."""

    packets = param(6)
    limit = param(3)
    loss = param(True)  # a message may be lost when it is transmitted
    acknowledge_all = param(True)  # every packet is acknowledged, or only the one that the receiver waits for
    keep_maximum = param(True)  # the sender never goes back, or believes whatever acknowledgement comes
    repeat = param(False)  # when all is done, both begin again

    next_send: Range[1, packets + 1] = 1
    next_receive: Range[1, packets + 1] = 1
    sent: Bag[Range[1, packets], limit]  # packets that nobody has transmitted
    arriving: Bag[Range[1, packets], limit]
    answered: Bag[Range[2, packets + 1], limit]  # acknowledgements: which packet is wanted next
    returning: Bag[Range[2, packets + 1], limit]

    @action
    def send_packet(m):
        require(m.next_send <= m.packets)
        require(len(m.sent) + len(m.arriving) + len(m.answered) + len(m.returning) < m.limit)
        m.sent.put(m.next_send)

    @action
    def transmit_packet(m, packet=any_of("sent")):
        m.sent.take(packet)
        m.arriving.put(packet)

    @action
    def lose_packet(m, packet=any_of("sent")):
        require(m.loss)
        m.sent.take(packet)

    @action
    def receive_packet(m, packet=any_of("arriving")):
        m.arriving.take(packet)
        wanted = packet == m.next_receive
        if wanted:
            m.next_receive += 1
        if wanted or m.acknowledge_all:
            m.answered.put(m.next_receive)

    @action
    def transmit_ack(m, ack=any_of("answered")):
        m.answered.take(ack)
        m.returning.put(ack)

    @action
    def lose_ack(m, ack=any_of("answered")):
        require(m.loss)
        m.answered.take(ack)

    @action
    def receive_ack(m, ack=any_of("returning")):
        m.returning.take(ack)
        if ack > m.next_send or not m.keep_maximum:
            m.next_send = ack

    @action
    def begin_again(m):
        require(m.repeat and m.next_send == m.packets + 1)
        require(len(m.sent) + len(m.arriving) + len(m.answered) + len(m.returning) == 0)
        m.next_send = 1
        m.next_receive = 1

    @label
    def all_received(m):
        return m.next_receive == m.packets + 1

    @label
    def two_ahead(m):
        return m.next_send - 2 >= m.next_receive

    @measure
    def progress(m):
        return m.packets * m.next_send + m.next_receive
