# ruff: noqa: F821
"""Readers and writers with a lock that lets readers in together; waiting writers hold new readers back."""
from strandline import Enum, Model, Process, Range, action, count, invariant, param, require


class ReadersWriters(Model):
    readers = param(3)
    writers = param(2)
    reading: Range[0, readers]
    writing: bool
    waiting: Range[0, writers]

    class Reader(Process, count=readers):
        pc: Enum["idle", "reading"]

        @action(at="idle", to="reading")
        def start(m, me):
            require(not m.writing and m.waiting == 0)
            m.reading += 1

        @action(at="reading", to="idle")
        def stop(m, me): m.reading -= 1

    class Writer(Process, count=writers):
        pc: Enum["idle", "waiting", "writing"]

        @action(at="idle", to="waiting")
        def ask(m, me): m.waiting += 1

        @action(at="waiting", to="writing")
        def start_writing(m, me):
            require(m.reading == 0 and not m.writing)
            m.waiting -= 1
            m.writing = True

        @action(at="writing", to="idle")
        def stop_writing(m, me): m.writing = False

    @invariant
    def writers_are_alone(m):
        writing = count(w.pc == "writing" for w in m.Writer)
        return writing <= 1 and (writing == 0 or all(r.pc == "idle" for r in m.Reader))

    @invariant
    def books_are_right(m):
        return m.reading == count(r.pc == "reading" for r in m.Reader) and m.waiting == count(
            w.pc == "waiting" for w in m.Writer
        )

    @invariant
    def readers_never_wait(m):
        """Violated on purpose: while a writer waits, readers that are not in yet stay out."""
        return m.waiting == 0 or m.reading == m.readers
