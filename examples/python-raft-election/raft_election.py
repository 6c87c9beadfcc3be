# ruff: noqa: F821, I001
"""Raft's leader election with its messages: they may be delivered in any order, late, or never."""
from strandline import Bag, Enum, Model, Optional, Process, Range, Record, Set, action, any_of, count, invariant
from strandline import ltl, param, reachable, require, valid_end

N = param(3)
terms = param(2)
room = param(3)


class RaftElection(Model):
    class Message(Record):
        kind: Enum["ask", "grant"]
        term: Range[0, terms]
        sender: Range[0, N - 1]
        to: Range[0, N - 1]

    net: Bag[Message, room]

    class Server(Process, count=N):
        role: Enum["follower", "candidate", "leader"]
        term: Range[0, terms]
        voted: Optional[Range[0, N - 1]]
        votes: Set[Range[0, N - 1]]

        @action
        def time_out(m, me):
            require(me.role != "leader" and me.term < m.terms)
            me.term += 1
            me.role = "candidate"
            me.voted = me
            me.votes = [me]
            for other in m.Server:
                if other != me:
                    m.net.put(m.Message(kind="ask", term=me.term, sender=me, to=other))

        @action
        def receive(m, me, msg=any_of("net")):
            require(msg.to == me)
            m.net.take(msg)
            if msg.term > me.term:
                me.term = msg.term
                me.role = "follower"
                me.voted = None
                me.votes.clear()
            if msg.term < me.term:
                return
            if msg.kind == "ask":
                if me.voted in (None, msg.sender):
                    me.voted = msg.sender
                    m.net.put(m.Message(kind="grant", term=me.term, sender=me, to=msg.sender))
            elif me.role == "candidate":
                me.votes.add(msg.sender)
                if 2 * len(me.votes) > m.N:
                    me.role = "leader"

        @valid_end
        def gives_up(m, me):
            """The terms are bounded: in the last one a server waits for ever."""
            return me.role == "leader" or me.term == m.terms

    @action
    def lose(m, msg=any_of("net")):
        m.net.take(msg)

    @invariant
    def one_leader_per_term(m):
        return all(count(s.role == "leader" and s.term == t for s in m.Server) <= 1 for t in range(m.terms + 1))

    @invariant
    def who_grants_has_voted(m):
        return all(m.Server[x.sender].term > x.term or m.Server[x.sender].voted == x.to
                   for x in m.net if x.kind == "grant")

    @invariant
    def never_two_leaders(m):
        """Violated on purpose: a leader that does not hear of a newer term goes on leading the old one."""
        return count(s.role == "leader" for s in m.Server) <= 1

    @reachable
    def elected(m):
        return any(s.role == "leader" for s in m.Server)

    someone_wins = ltl("F elected")
