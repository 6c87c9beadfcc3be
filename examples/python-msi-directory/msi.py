# ruff: noqa: F821, I001
"""MSI cache coherence with a directory: requests, invalidations and answers are messages on ordered channels."""
from typing import Any

from strandline import Array, Enum, Fifo, Model, Optional, Process, Range, Record, Set, action, count, invariant
from strandline import ltl, param, reachable, require

N = param(2)


class Msi(Model):
    class Request(Record):
        kind: Enum["read", "write"]
        of: Range[0, N - 1]

    requests: Fifo[Request, N]
    to_cache: Array[Fifo[Enum["shared", "modified", "invalidate", "downgrade"], 3], N]
    owner: Optional[Range[0, N - 1]]
    sharers: Set[Range[0, N - 1]]
    serving: Optional[Request]
    unanswered: Set[Range[0, N - 1]]

    class Cache(Process, count=N, fair=True):
        line: Enum["invalid", "shared", "modified"]
        wants: Enum["nothing", "read", "write"]

        @action
        def read(m, me):
            require(me.line == "invalid" and me.wants == "nothing")
            me.wants = "read"
            m.requests.put(m.Request(kind="read", of=me))

        @action
        def write(m, me):
            require(me.line != "modified" and me.wants == "nothing")
            me.wants = "write"
            m.requests.put(m.Request(kind="write", of=me))

        @action
        def hear(m, me):
            message = m.to_cache[me].get()
            if message in ("shared", "modified"):
                me.line = "shared" if message == "shared" else "modified"
                me.wants = "nothing"
            else:
                me.line = "invalid" if message == "invalidate" else "shared"
                m.unanswered.remove(me)

        answered = ltl("G (wants != 'nothing' -> F wants == 'nothing')")

    class Directory(Process, fair=True):
        @action
        def begin(m, me):
            """Take the oldest request and ask who stands in its way to give the line up."""
            require(m.serving is None)
            request = m.requests.get()
            m.serving = request
            if request.kind == "write":
                for cache in m.sharers:
                    if cache != request.of:
                        m.to_cache[cache].put("invalidate")
                        m.unanswered.add(cache)
            if m.owner is not None:
                m.to_cache[m.owner].put("downgrade" if request.kind == "read" else "invalidate")
                m.unanswered.add(m.owner)

        @action
        def finish(m: Any, me):
            require(m.serving is not None)
            require(m.unanswered.empty)
            who = m.serving.of
            if m.serving.kind == "read":
                if m.owner is not None:
                    m.sharers.add(m.owner)
                m.owner = None
                m.sharers.add(who)
                m.to_cache[who].put("shared")
            else:
                m.owner = who
                m.sharers.clear()
                m.to_cache[who].put("modified")
            m.serving = None

    @invariant
    def single_writer(m):
        writers = count(c.line == "modified" for c in m.Cache)
        return writers == 0 or (writers == 1 and count(c.line == "shared" for c in m.Cache) == 0)

    @invariant
    def messages_fit(m):
        """No cache ever has more than two messages on their way: the channels, with room for three, hold nobody up."""
        return all(len(channel) <= 2 for channel in m.to_cache)

    @invariant
    def directory_is_right(m):
        """Violated on purpose: while an answer is on its way the directory is ahead of the cache."""
        return all(c.line == "shared" for c in m.Cache if c in m.sharers)

    @reachable
    def all_share(m):
        return all(c.line == "shared" for c in m.Cache)
