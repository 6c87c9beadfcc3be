# ruff: noqa: E702, F821
from strandline import Array, Enum, Model, Process, Range, action, count, invariant, require


class Mutex(Model):
    flag: Array[bool, 2]
    turn: Range[0, 1] = 0

    class P(Process, count=2, fair=True):
        pc: Enum["idle", "want", "cs"] = "idle"
        @action(at="idle", to="want")
        def request(m, me): m.flag[me] = True; m.turn = 1 - me
        @action(at="want", to="cs")
        def enter(m, me): require(not m.flag[1 - me] or m.turn == me)
        @action(at="cs", to="idle")
        def leave(m, me): m.flag[me] = False

    @invariant
    def exclusion(m): return count(p.pc == "cs" for p in m.P) <= 1
