# ruff: noqa: F821
"""Two-phase commit: a coordinator asks every participant, then tells all of them the decision."""
from strandline import Bag, Enum, Model, Process, Range, Record, action, any_of, invariant, label, param, require

N = param(3)


class TwoPhaseCommit(Model):
    class Vote(Record):
        who: Range[0, N - 1]
        yes: bool

    votes: Bag[Vote, N]

    class Coordinator(Process):
        pc: Enum["asking", "committed", "aborted", "crashed"]
        yes: Range[0, N]

        @action(at="asking")
        def collect(m, me, v=any_of("votes")):
            require(v.yes)
            m.votes.take(v)
            me.yes += 1

        @action(at="asking", to="aborted")
        def refuse(m, me, v=any_of("votes")):
            require(not v.yes)
            m.votes.take(v)

        @action(at="asking", to="committed")
        def commit(m, me): require(me.yes == m.N)
        @action(at="asking", to="crashed")
        def crash(m, me): pass

    class Participant(Process, count=N):
        pc: Enum["working", "prepared", "committed", "aborted"]

        @action(at="working", to="prepared")
        def vote_yes(m, me): m.votes.put(m.Vote(who=me, yes=True))
        @action(at="working", to="aborted")
        def vote_no(m, me): m.votes.put(m.Vote(who=me, yes=False))
        @action(at="prepared", to="committed")
        def learn_commit(m, me): require(m.Coordinator.pc == "committed")
        @action(at="prepared", to="aborted")
        def learn_abort(m, me): require(m.Coordinator.pc == "aborted")

    @invariant
    def agreement(m):
        committed = any(p.pc == "committed" for p in m.Participant)
        aborted = any(p.pc == "aborted" for p in m.Participant)
        return not (committed and aborted)

    @invariant
    def commit_is_unanimous(m):
        return m.Coordinator.pc != "committed" or all(p.pc in ("prepared", "committed") for p in m.Participant)

    @invariant
    def never_blocked(m):
        """Violated on purpose: a crashed coordinator leaves prepared participants waiting for ever."""
        return not (m.Coordinator.pc == "crashed" and any(p.pc == "prepared" for p in m.Participant))

    @label
    def all_committed(m): return all(p.pc == "committed" for p in m.Participant)
