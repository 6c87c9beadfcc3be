# ruff: noqa: F821, I001
"""Leader election as in Raft, with bounded terms: candidates ask for votes, a majority makes a leader."""
from strandline import Array, Enum, Model, Optional, Process, Range, Set
from strandline import action, any_of, count, invariant, param, require

N = param(3)
terms = param(2)
amnesia = param(False)


class LeaderElection(Model):
    granted: Array[Set[Range[0, N - 1]], N]

    class Server(Process, count=N):
        pc: Enum["follower", "candidate", "leader"]
        term: Range[0, terms]
        voted_for: Optional[Range[0, N - 1]]

        @action(at=("follower", "candidate"), to="candidate")
        def time_out(m, me):
            require(me.term < m.terms)
            me.term += 1
            me.voted_for = me
            m.granted[me].clear()
            m.granted[me].add(me)

        @action
        def vote(m, me, c=any_of("Server")):
            require(c != me and m.Server[c].pc == "candidate")
            require(m.Server[c].term >= me.term)
            if m.Server[c].term > me.term:
                me.term = m.Server[c].term
                me.pc = "follower"
                me.voted_for = None
            require(me.voted_for is None)
            me.voted_for = c
            m.granted[c].add(me)

        @action(at="candidate", to="leader")
        def win(m, me): require(2 * len(m.granted[me]) > m.N)

        @action
        def step_down(m, me, other=any_of("Server")):
            require(m.Server[other].pc == "leader" and m.Server[other].term > me.term)
            me.term = m.Server[other].term
            me.voted_for = None
            me.pc = "follower"

        @action
        def forget(m, me):
            """A restart without stable storage, for those who set the parameter."""
            require(m.amnesia)
            me.voted_for = None

    @invariant
    def one_leader_per_term(m):
        return all(
            not (m.Server[a].pc == "leader" and m.Server[b].pc == "leader" and m.Server[a].term == m.Server[b].term)
            for a in range(m.N) for b in range(a)
        )

    @invariant
    def never_two_leaders(m):
        """Violated on purpose: an old leader may not have heard of the new term yet."""
        return count(s.pc == "leader" for s in m.Server) <= 1
