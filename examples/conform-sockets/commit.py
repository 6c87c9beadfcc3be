# ruff: noqa: F821, I001
"""A coordinator that commits when two workers are ready, over links that lose messages."""
from strandline import Array, Bag, Enum, Model, Process, Range, Record, action, any_of, invariant, param, reachable
from strandline import require, valid_end

room = param(3)


class Commit(Model):
    class Message(Record):
        kind: Enum["prepare", "ready", "commit"]
        worker: Range[0, 1]

    net: Bag[Message, room]
    decided: bool
    ready: Array[bool, 2]

    class Worker(Process, count=2):
        state: Enum["idle", "prepared", "committed"]

        @action
        def hear(m, me, msg=any_of("net")):
            require(msg.worker == me and msg.kind != "ready")
            m.net.take(msg)
            if msg.kind == "commit":
                me.state = "committed"
            elif me.state == "idle":
                me.state = "prepared"

        @action
        def answer(m, me):
            require(me.state != "idle")
            m.net.put(m.Message(kind="ready", worker=me))

    @action
    def ask(m, to: Range[0, 1]):
        m.net.put(m.Message(kind="prepare", worker=to))

    @action
    def hear(m, msg=any_of("net")):
        require(msg.kind == "ready")
        m.net.take(msg)
        m.ready[msg.worker] = True

    @action
    def decide(m):
        require(m.ready[0] and m.ready[1])
        m.decided = True

    @action
    def publish(m, to: Range[0, 1]):
        require(m.decided)
        m.net.put(m.Message(kind="commit", worker=to))

    @action
    def lose(m, msg=any_of("net")):
        m.net.take(msg)

    @invariant
    def commits_were_decided(m):
        return all(w.state != "committed" or m.decided for w in m.Worker)

    @reachable
    def both_commit(m):
        return all(w.state == "committed" for w in m.Worker)

    @valid_end
    def nothing_is_left(m):
        return m.decided
