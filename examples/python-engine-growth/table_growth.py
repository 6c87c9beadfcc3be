# ruff: noqa: F821, I001
"""Several threads double a hash table in place: from its end to its beginning, one range of places after the other.

A key moves from place p to 2 * p or 2 * p + 1. The upper half of what is left of the old table belongs behind it, so
that threads can move parts of that half without a lock, as long as they wait for each other before the next range.
"""
from strandline import Array, Enum, Model, Optional, Process, Range, action, initial, invariant, param, require
from strandline import valid_end

threads = param(2)
places = param(6)
ranges = param(True)
barrier = param(True)


class TableGrowth(Model):
    """Key k is at place k at first, and belongs to place 2 * k + 1 afterwards: the farthest way."""

    table: Array[Optional[Range[0, places - 1]], 2 * places]
    overwritten: bool

    class Thread(Process, count=threads):
        pc: Enum["choose", "move", "put", "done"]
        end: Range[0, places] = places
        begin: Range[0, places]
        first: Range[0, places]
        left: Range[0, places]
        key: Optional[Range[0, places - 1]]
        ranges_done: Range[0, places]

        @action(at="choose", to="move")
        def choose_part(m, me):
            """The next range is the upper half of the rest; each thread moves a part of it."""
            require(me.end > 1)
            require(not m.barrier or all(t.ranges_done >= me.ranges_done for t in m.Thread))
            me.begin = (me.end + 1) // 2 if m.ranges else 0
            me.first = me.begin + (me.end - me.begin) * me // m.threads
            me.left = me.begin + (me.end - me.begin) * (me + 1) // m.threads - me.first

        @action(at="move", to="put")
        def take(m, me):
            """From the end of the part to its beginning."""
            require(me.left > 0)
            me.left -= 1
            me.key = m.table[me.first + me.left]
            m.table[me.first + me.left] = None

        @action(at="put", to="move")
        def put(m, me):
            if me.key is not None:
                m.overwritten |= m.table[2 * me.key + 1] is not None
                m.table[2 * me.key + 1] = me.key
            me.key = None

        @action(at="move", to="choose")
        def finish_part(m, me):
            require(me.left == 0)
            me.end = me.begin
            me.begin = 0
            me.first = 0
            me.ranges_done += 1

        @action(at="choose", to="done")
        def finish(m, me):
            """The first thread moves the first place when all others are done."""
            require(me.end <= 1)
            require(not m.barrier or all(t.ranges_done >= me.ranges_done for t in m.Thread))
            if me.end == 1 and me == 0 and m.table[0] is not None:
                m.table[2 * m.table[0] + 1] = m.table[0]
                m.table[0] = None

    @initial
    def keys_are_at_home(m):
        for place in range(m.places):
            m.table[place] = place

    @invariant
    def no_key_is_overwritten(m):
        return not m.overwritten

    @invariant
    def all_keys_arrive(m):
        return any(t.pc != "done" for t in m.Thread) or all(m.table[2 * k + 1] == k for k in range(m.places))

    @valid_end
    def all_are_done(m):
        return all(t.pc == "done" for t in m.Thread)
