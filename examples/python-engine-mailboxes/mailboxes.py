# ruff: noqa: F821
"""Threads that work in rounds: each fills a mailbox, waits for the others at a barrier, and reads theirs.

The processor delays stores, and reorders loads, as far as release and acquire do not forbid it.
"""
from strandline import Array, Enum, Model, Process, Range, action, invariant, measure, param, require, valid_end

threads = param(3)
rounds = param(2)
atomic = param(True)
release = param(True)
acquire = param(True)
barriers = param(2)
most = 2 * threads * rounds


class Mailboxes(Model):
    """The barrier is a counter of arrivals that only grows: barrier number k is open from k * threads on."""

    arrivals: Range[0, most]
    mail: Array[Range[0, rounds], threads]
    outdated: bool
    overwritten: bool

    class Thread(Process, count=threads):
        pc: Enum["fill", "arrive", "count", "wait", "read"]
        round: Range[0, rounds]
        expected: Range[0, most]
        seen: Range[0, most]
        waiting_store: bool
        has_read: bool
        early: bool
        letters: Array[Range[0, rounds], threads]

        @action(at="fill", to="arrive")
        def fill_mailbox(m, me):
            """The store waits in the thread's buffer until the processor carries it out."""
            require(me.round < m.rounds)
            me.round += 1
            me.waiting_store = True

        @action
        def carry_out_store(m, me):
            require(me.waiting_store)
            m.mail[me] = me.round
            me.waiting_store = False

        @action(at="arrive", to="wait")
        def arrive(m, me):
            """Fetch and add. With release, it takes effect after the thread's earlier stores."""
            require(m.atomic and (not me.waiting_store or not m.release))
            m.arrivals += 1
            me.expected += m.threads

        @action(at="arrive", to="count")
        def load_arrivals(m, me):
            require(not m.atomic)
            me.seen = m.arrivals

        @action(at="count", to="wait")
        def store_arrivals(m, me):
            require(not me.waiting_store or not m.release)
            m.arrivals = me.seen + 1
            me.expected += m.threads
            me.seen = 0

        @action(at="wait")
        def load_letters_early(m, me):
            """Without acquire, the processor may load the letters before it loads the counter."""
            require(not m.acquire and not me.early and not me.has_read)
            for thread in range(m.threads):
                me.letters[thread] = m.mail[thread]
            me.early = True

        @action(at="wait", to="read")
        def pass_to_read(m, me):
            require(m.arrivals >= me.expected and not me.has_read)

        @action(at="read", to="arrive")
        def read_and_arrive(m, me):
            """With two barriers a round, nobody fills a mailbox again before all have read it."""
            require(m.barriers == 2)
            read(m, me)
            me.has_read = True

        @action(at="read", to="fill")
        def read_and_go_on(m, me):
            require(m.barriers == 1)
            read(m, me)

        @action(at="wait", to="fill")
        def pass_to_fill(m, me):
            require(m.arrivals >= me.expected and me.has_read)
            me.has_read = False

    @invariant
    def no_letter_is_outdated(m):
        return not m.outdated

    @invariant
    def no_letter_is_overwritten(m):
        return not m.overwritten

    @invariant
    def threads_work_in_the_same_round(m):
        return all(one.round <= other.round + 1 for one in m.Thread for other in m.Thread)

    @measure
    def progress(m):
        return m.arrivals

    @valid_end
    def all_rounds_are_over(m):
        return all(t.round == m.rounds and t.pc == "fill" for t in m.Thread)


def read(m, me):
    """Compare each letter with the round in which it should have been written."""
    for thread in range(m.threads):
        if not me.early:
            me.letters[thread] = m.mail[thread]
        m.outdated |= me.letters[thread] < me.round
        m.overwritten |= me.letters[thread] > me.round
        me.letters[thread] = 0
    me.early = False
