# ruff: noqa: F821
"""Single-decree Paxos as Lamport wrote it down: what was sent is a set, and may be received again and again."""
from strandline import Enum, Model, Optional, Process, Range, Record, Set, action, invariant, param, reachable, require

acceptors = param(3)
ballots = param(2)
careless = param(False)


def chosen(m, v):
    """Whether a majority has accepted the value in one ballot."""
    return any(
        2 * sum(x.kind == "accepted" and x.ballot == b and x.value == v for x in m.sent) > m.acceptors
        for b in range(m.ballots)
    )


class Paxos(Model):
    class Message(Record):
        kind: Enum["prepare", "promise", "accept", "accepted"]
        ballot: Range[0, ballots - 1]
        sender: Optional[Range[0, acceptors - 1]]
        voted: Optional[Range[0, ballots - 1]]
        value: Optional[Range[0, 1]]

    sent: Set[Message]

    class Proposer(Process, count=ballots):
        """Each has a ballot of its own, which is its number."""

        pc: Enum["idle", "prepared", "done"]

        @action(at="idle", to="prepared")
        def prepare(m, me):
            m.sent.add(m.Message("prepare", me, None, None, None))

        @action(at="prepared", to="done")
        def accept(m, me, wish: Range[0, 1]):
            """With a majority behind it: the value of the highest vote reported, or any where there is none."""
            promises = [x for x in m.sent if x.kind == "promise" and x.ballot == me]
            require(2 * len({x.sender for x in promises}) > m.acceptors)
            value = wish
            highest = -1
            for x in promises:
                if x.voted is not None and x.voted > highest and not m.careless:
                    highest = x.voted
                    value = x.value
            m.sent.add(m.Message("accept", me, None, None, value))

    class Acceptor(Process, count=acceptors):
        promised: Optional[Range[0, ballots - 1]]
        voted: Optional[Range[0, ballots - 1]]
        value: Optional[Range[0, 1]]

        @action
        def promise(m, me, b: Range[0, ballots - 1]):
            require(m.Message("prepare", b, None, None, None) in m.sent)
            require(me.promised is None or b > me.promised)
            me.promised = b
            m.sent.add(m.Message("promise", b, me, me.voted, me.value))

        @action
        def vote(m, me, b: Range[0, ballots - 1], v: Range[0, 1]):
            require(m.Message("accept", b, None, None, v) in m.sent)
            require((me.promised is None or b >= me.promised) and me.voted != b)
            me.promised = b
            me.voted = b
            me.value = v
            m.sent.add(m.Message("accepted", b, me, None, v))

    @invariant
    def agreement(m):
        return not (chosen(m, 0) and chosen(m, 1))

    @invariant
    def one_value_per_ballot(m):
        return all(sum(x.kind == "accept" and x.ballot == b for x in m.sent) <= 1 for b in range(m.ballots))

    @invariant
    def first_vote_wins(m):
        """Violated on purpose: a vote that no majority shares binds nobody."""
        return not all(any(x.kind == "accepted" and x.value == v for x in m.sent) for v in (0, 1))

    @reachable
    def decided(m):
        return chosen(m, 0) or chosen(m, 1)
