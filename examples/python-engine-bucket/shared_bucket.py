# ruff: noqa: F821, I001
"""A bucket of a hash table without locks for readers, on a processor that delays and reorders stores and loads."""
from strandline import Array, Enum, Model, Process, Range, action, any_of, invariant, param, reachable, require
from strandline import valid_end

threads = param(3)
room = param(2)
keys = param(3)
release = param(True)
acquire = param(True)
exchange = param(True)


class SharedBucket(Model):
    """Slots are filled from the front; `filled` and `locked` are one word in memory, which one store changes."""

    filled: Range[0, room]
    locked: bool
    slot: Array[Range[0, keys], room]

    class Thread(Process, count=threads):
        """Looks for its key in the bucket, and adds it if it is not there."""

        pc: Enum["start", "loaded", "missed", "locking", "writing", "written", "unlocking", "found", "added", "full"]
        key: Range[0, keys]
        seen_count: Range[0, room]
        seen_locked: bool
        early: bool
        seen_slot: Array[Range[0, keys], room]
        waiting_store: bool

        @action(at="start")
        def read_slots_early(m, me):
            """Without acquire, the processor may load the slots before it loads the count."""
            require(not m.acquire and not me.early)
            for place in range(m.room):
                me.seen_slot[place] = m.slot[place]
            me.early = True

        @action(at="start", to="loaded")
        def load_count(m, me, key=any_of(Range[1, keys])):
            require(me.key == 0 or me.key == key)
            me.key = key
            me.seen_count = m.filled
            me.seen_locked = m.locked

        @action(at="loaded", to="missed")
        def load_slots(m, me):
            if not me.early:
                for place in range(m.room):
                    me.seen_slot[place] = m.slot[place]

        @action(at="missed", to="found")
        def find(m, me):
            require(any(me.seen_slot[place] == me.key and place < me.seen_count for place in range(m.room)))
            forget(m, me)

        @action(at="missed", to="full")
        def find_no_room(m, me):
            require(is_missing(m, me) and me.seen_count == m.room)
            forget(m, me)

        @action(at="missed", to="start")
        def wait_for_the_lock(m, me):
            require(is_missing(m, me) and me.seen_count < m.room and me.seen_locked)
            forget(m, me)

        @action(at="missed", to="locking")
        def decide_to_lock(m, me):
            require(is_missing(m, me) and me.seen_count < m.room and not me.seen_locked)

        @action(at="locking", to="writing")
        def lock(m, me):
            """Compare and swap: the word must still be the one that was seen, or at least unlocked if not compared."""
            require(not m.locked and (m.filled == me.seen_count or not m.exchange))
            m.locked = True

        @action(at="locking", to="start")
        def fail_to_lock(m, me):
            require(m.locked or (m.filled != me.seen_count and m.exchange))
            forget(m, me)

        @action(at="writing", to="written")
        def write_key(m, me):
            """The store waits in the thread's buffer until the processor carries it out."""
            me.waiting_store = True

        @action
        def carry_out_store(m, me):
            require(me.waiting_store)
            m.slot[me.seen_count] = me.key
            me.waiting_store = False

        @action(at="written", to="added")
        def unlock(m, me):
            """One store of count and lock. With release, it is carried out after the thread's earlier stores."""
            require(not me.waiting_store or not m.release)
            m.filled = me.seen_count + 1
            m.locked = False

    @invariant
    def no_key_is_stored_twice(m):
        return all(
            m.slot[one] != m.slot[other] or m.slot[one] == 0 or one == other
            for one in range(m.room)
            for other in range(m.room)
        )

    @invariant
    def counted_slots_hold_keys(m):
        return all(m.slot[place] != 0 or place >= m.filled for place in range(m.room))

    @invariant
    def a_key_that_was_added_stays(m):
        return all(
            t.pc != "added" or t.waiting_store or any(m.slot[place] == t.key for place in range(m.room))
            for t in m.Thread
        )

    @reachable
    def a_bucket_is_full(m):
        return any(t.pc == "full" for t in m.Thread)

    @reachable
    def a_thread_finds_the_key_of_another(m):
        return any(t.pc == "found" for t in m.Thread)

    @valid_end
    def all_are_done(m):
        return all(t.pc in ("found", "added", "full") for t in m.Thread)


def is_missing(m, me):
    return all(me.seen_slot[place] != me.key or place >= me.seen_count for place in range(m.room))


def forget(m, me):
    me.seen_count = 0
    me.seen_locked = False
    me.early = False
    for place in range(m.room):
        me.seen_slot[place] = 0
